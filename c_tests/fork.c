/*
 * fork.c: a child process that has inherited open handles, TLS and unread results.
 *
 * Without an argument: what the originals bear, printed for comparison. With
 * `wire`, for our library only: the child exits, closes and queries, and a proxy
 * in between counts; every line must then say "ok". The originals send bytes from
 * the child there and lose the parent's connection.
 */
#include "lab.h"

/* A table of this process's own: another one may run this program on the same server. */
static const char *table(const char *format)
{
  static char sql[8192];
  snprintf(sql, sizeof sql, format, (int)getpid());
  return sql;
}

/* Bytes that have gone up through the proxy so far. */
static long wire_bytes(void)
{
  const char *control = lab_env("MS_PROXY_CONTROL");
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  char answer[400];
  size_t have = 0;
  ssize_t n;
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  snprintf(a.sun_path, sizeof a.sun_path, "%s", control);
  if (connect(fd, (struct sockaddr *)&a, sizeof a) || write(fd, "stats\n", 6) != 6) {
    perror("proxy control");
    exit(8);
  }
  while ((n = read(fd, answer + have, sizeof answer - 1 - have)) > 0)
    have += (size_t)n;
  close(fd);
  answer[have] = 0;
  char *at = strstr(answer, "bytes_up=");
  return at ? atol(at + 9) : -1;
}

static MYSQL *open_handle(int tls)
{
  MYSQL *m = mysql_init(NULL);
  if (tls) {
#if LAB_MARIADB_ABI
    my_bool on = 1;
    mysql_options(m, MYSQL_OPT_SSL_ENFORCE, &on);
#else
    unsigned int mode = SSL_MODE_REQUIRED;
    mysql_options(m, MYSQL_OPT_SSL_MODE, &mode);
#endif
  }
  return connected_to(m, db(), 0);
}

/* The state the parent leaves the handle in before it forks. */
enum state { IDLE, WAITING, READING, STORED, TRANSACTION };
static const char *const state_names[] = {"idle", "result waits", "reading", "stored", "in a transaction"};

static MYSQL_RES *prepare(MYSQL *m, enum state state)
{
  static char rows[100];
  snprintf(rows, sizeof rows, "SELECT a, REPEAT('r', 500) FROM fork_%d ORDER BY a", (int)getpid());
  switch (state) {
  case IDLE:
    return NULL;
  case WAITING:
    query(m, rows);
    return NULL;
  case READING: {
    query(m, rows);
    MYSQL_RES *r = mysql_use_result(m);
    mysql_fetch_row(r);
    return r;
  }
  case STORED:
    query(m, rows);
    return mysql_store_result(m);
  case TRANSACTION:
    query(m, "BEGIN");
    query(m, table("UPDATE fork_%d SET b = b + 1 WHERE a = 1"));
    return NULL;
  }
  return NULL;
}

/* What the parent does with it afterwards; the number of rows it got. */
static long finish(MYSQL *m, MYSQL_RES *r, enum state state)
{
  long n = 0;
  if (state == WAITING)
    r = mysql_store_result(m);
  while (r && mysql_fetch_row(r))
    n++;
  if (r)
    mysql_free_result(r);
  if (state == TRANSACTION)
    n = mysql_rollback(m) ? -1 : 0;
  return n;
}

enum deed { EXITS, RETURNS, CLOSES, QUERIES, FREES, CLOSES_AFTER_MINUS_ONE, OPENS_OWN };
static const char *const deed_names[] = {"_exit", "exit", "close", "query", "free_result, close",
                                         "fd = -1, close", "own connection"};

static void child_does(MYSQL *m, MYSQL_RES *r, enum deed deed)
{
  switch (deed) {
  case EXITS:
    _exit(0);
  case RETURNS:
    fflush(stdout);
    exit(0);
  case CLOSES:
    mysql_close(m);
    break;
  case QUERIES:
    if (mysql_query(m, "SELECT 1") == 0)
      _exit(1);
    mysql_ping(m);
    mysql_store_result(m);
    mysql_close(m);
    break;
  case FREES:
    mysql_free_result(r);
    mysql_close(m);
    break;
  case CLOSES_AFTER_MINUS_ONE:
    close((int)m->net.fd);
    m->net.fd = -1;
    mysql_close(m);
    break;
  case OPENS_OWN: {
    MYSQL *own = mysql_init(NULL);
    if (!mysql_real_connect(own, "localhost", user(), pass(), db(), 0, sock(), 0))
      _exit(2);
    if (strcmp(value(own, "SELECT 5"), "5"))
      _exit(3);
    mysql_close(own);
    break;
  }
  }
  _exit(0);
}

static void one(int tls, enum state state, enum deed deed, int wire)
{
  MYSQL *m = open_handle(tls);
  unsigned long id = mysql_thread_id(m);
  MYSQL_RES *r = prepare(m, state);
  usleep(20000); /* the proxy counts what it has seen */
  long before = wire ? wire_bytes() : 0;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0)
    child_does(m, r, deed);
  int status = 0;
  waitpid(child, &status, 0);
  usleep(20000);
  long sent = wire ? wire_bytes() - before : 0;
  long got = finish(m, r, state);
  char id_text[32];
  snprintf(id_text, sizeof id_text, "%lu", id);
  int same = mysql_thread_id(m) == id && !strcmp(value(m, "SELECT CONNECTION_ID()"), id_text);
  long want = state == WAITING || state == STORED ? 300 : state == READING ? 299 : 0;
  int good = sent == 0 && got == want && same && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  say("%s%s, %s, child: %s: bytes %ld rows %ld same connection %d child %d", wire ? good ? "ok: " : "BAD: " : "",
      tls ? "TLS" : "plain", state_names[state], deed_names[deed], sent, got, same,
      WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status));
  mysql_close(m);
}

int main(int argc, char **argv)
{
  int wire = argc > 1 && !strcmp(argv[1], "wire");
  (void)argv;
  lab_start();
  MYSQL *a = admin();
  must(a, table("CREATE TABLE fork_%d (a INT PRIMARY KEY, b INT) ENGINE=InnoDB"));
  char sql[8000], *p = sql + sprintf(sql, "INSERT INTO fork_%d VALUES (0,0)", (int)getpid());
  for (int i = 1; i < 300; i++)
    p += sprintf(p, ",(%d,0)", i);
  must(a, sql);
  mysql_close(a);
  for (int tls = 0; tls < 2; tls++)
    for (int state = IDLE; state <= TRANSACTION; state++)
      for (int deed = EXITS; deed <= OPENS_OWN; deed++)
        if (wire || deed == EXITS || deed == RETURNS || deed == OPENS_OWN)
          one(tls, state, deed, wire);
  a = admin();
  must(a, table("DROP TABLE fork_%d"));
  mysql_close(a);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
