/*
 * signals.c: a server that goes away must not kill the program by SIGPIPE, whose
 * disposition stays the default throughout; over TCP, a Unix socket and TLS.
 *
 * Each case runs in a child process, so that its death is a line of output.
 */
#include "lab.h"

enum way { TCP, UNIX_SOCKET, TLS };
static const char *const way_names[] = {"TCP", "Unix socket", "TLS"};

static MYSQL *open_by(enum way way)
{
  MYSQL *m = mysql_init(NULL);
  if (way == TLS) {
#if LAB_MARIADB_ABI
    my_bool on = 1;
    mysql_options(m, MYSQL_OPT_SSL_ENFORCE, &on);
#else
    unsigned int mode = SSL_MODE_REQUIRED;
    mysql_options(m, MYSQL_OPT_SSL_MODE, &mode);
#endif
  } else {
#if !LAB_MARIADB_ABI
    unsigned int mode = SSL_MODE_DISABLED, yes = 1;
    mysql_options(m, MYSQL_OPT_SSL_MODE, &mode);
    mysql_options(m, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &yes);
#endif
  }
  if (!mysql_real_connect(m, way == UNIX_SOCKET ? "localhost" : host(), user(), pass(), db(),
                          way == UNIX_SOCKET ? 0 : port(), way == UNIX_SOCKET ? sock() : NULL, 0)) {
    show("connect", m);
    fflush(stdout);
    _exit(9);
  }
  return m;
}

static void statements(MYSQL *m)
{
  for (int i = 0; i < 4; i++)
    mysql_query(m, "SELECT 1");
  mysql_ping(m);
  mysql_close(m);
}

static void large_statement(MYSQL *m)
{
  size_t n = 8 << 20;
  char *sql = malloc(n);
  memset(sql, ' ', n);
  memcpy(sql, "SELECT 1", 8);
  mysql_real_query(m, sql, n);
  mysql_real_query(m, sql, n);
  free(sql);
  mysql_close(m);
}

static void just_close(MYSQL *m) { mysql_close(m); }

static void in_a_result(MYSQL *m) { mysql_close(m); }

static void one(enum way way, const char *what, void (*act)(MYSQL *), int with_result)
{
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    MYSQL *m = open_by(way);
    MYSQL_RES *r = NULL;
    if (with_result) {
      query(m, "SELECT REPEAT('x', 100000) FROM information_schema.columns LIMIT 200");
      r = mysql_use_result(m);
      mysql_fetch_row(r);
    }
    kill_from_outside(m);
    if (r) {
      while (mysql_fetch_row(r))
        ;
      mysql_free_result(r);
    }
    act(m);
    fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    say("%s, %s: died by signal %d", way_names[way], what, WTERMSIG(status));
  else
    say("%s, %s: lived, exit %d", way_names[way], what, WEXITSTATUS(status));
}

int main(void)
{
  lab_start();
  signal(SIGPIPE, SIG_DFL);
  for (int way = TCP; way <= TLS; way++) {
    one(way, "statements", statements, 0);
    one(way, "a large statement", large_statement, 0);
    one(way, "close", just_close, 0);
    one(way, "in the middle of a result", in_a_result, 1);
  }
  struct sigaction now;
  sigaction(SIGPIPE, NULL, &now);
  say("the disposition is still the default: %d", now.sa_handler == SIG_DFL);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
