/*
 * nonblocking_mysql.c: the _nonblocking functions: 200 handles in one loop, every call of the family
 * and errors.
 *
 * Arguments: none: all of it, at full speed. "trickle": 200 handles through a proxy that sends one
 * byte at a time. "lockstep": byte by byte, on the program's own word, in the clear and with TLS; then what the
 * original leaves undefined.
 */
#include "nonblocking.h"

/* What the call waits for, these functions do not tell: in the loop both a byte and a short time wake it up; byte by
   byte it is to write only if the socket has no room. */
static void not_ready(struct handle *h)
{
  struct pollfd p = {h->m->net.fd, POLLOUT, 0};
  h->waits++;
  h->deadline = milliseconds() + 5;
  h->mask = nb_lockstep ? (poll(&p, 1, 0) ? 1 : 2) : 1 | 8;
}

/* Leaves `run` while the call waits. */
#define AWAIT(call)                                                                                              \
  while ((h->status = (call)) == NET_ASYNC_NOT_READY) {                                                          \
    not_ready(h);                                                                                                \
    h->line = __LINE__;                                                                                          \
    return;                                                                                                      \
  case __LINE__:;                                                                                                \
  }

#define QUERY(text) AWAIT(mysql_real_query_nonblocking(h->m, text, strlen(text)))

static int descriptor(struct handle *h) { return h->m->net.fd; }

static void prepare(struct handle *h)
{
  unsigned int tcp = MYSQL_PROTOCOL_TCP, mode = with_tls(h) ? SSL_MODE_REQUIRED : SSL_MODE_DISABLED;
  bool on = true;
  h->m = mysql_init(NULL);
  mysql_options(h->m, MYSQL_INIT_COMMAND, "SET @init = 5");
  mysql_options(h->m, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &on);
  mysql_options(h->m, MYSQL_OPT_SSL_MODE, &mode);
  if (!by_socket(h))
    mysql_options(h->m, MYSQL_OPT_PROTOCOL, &tcp);
  if (mysql_get_connect_nonblocking_stage(h->m) != CONNECT_STAGE_NOT_STARTED)
    note(h, "a stage before the connect");
}

static void run(struct handle *h)
{
  switch (h->line) {
  case 0:
    prepare(h);
    AWAIT(mysql_real_connect_nonblocking(h->m, by_socket(h) ? NULL : host(), user(), pass(), db(),
                                         by_socket(h) ? 0 : nb_port, by_socket(h) ? sock() : NULL,
                                         CLIENT_MULTI_STATEMENTS));
    note(h, "connected %d, stage %d, errno %u", h->status, mysql_get_connect_nonblocking_stage(h->m), mysql_errno(h->m));
    if (h->status)
      goto end;
    note(h, "TLS as asked for: %d", (mysql_get_ssl_cipher(h->m) != NULL) == with_tls(h));

    /* a stored result */
    QUERY("SELECT @init, 'text', NULL, REPEAT('z', 3000)");
    note_end(h, "query", h->status);
    AWAIT(mysql_store_result_nonblocking(h->m, &h->res));
    note_end(h, "store_result", h->status);
    if (h->res) {
      note(h, "fetch_row %d", mysql_fetch_row_nonblocking(h->res, &h->row));
      note(h, "%s %s %s %lu", h->row[0], h->row[1], or_null(h->row[2]), mysql_fetch_lengths(h->res)[3]);
      h->status = mysql_fetch_row_nonblocking(h->res, &h->row);
      note(h, "fetch_row %d, row %d", h->status, h->row != NULL);
      note(h, "free_result %d", mysql_free_result_nonblocking(h->res));
    }

    /* a large one, stored */
    snprintf(h->sql, sizeof h->sql, "SELECT n, REPEAT(CHAR(97 + n %% 26), n %% %d) FROM %s WHERE n <= %d ORDER BY n",
             nb_width, nb_table, nb_rows);
    QUERY(h->sql);
    note_end(h, "query", h->status);
    AWAIT(mysql_store_result_nonblocking(h->m, &h->res));
    if (h->res) {
      for (h->sum = 0; (h->row = mysql_fetch_row(h->res));)
        h->sum = sum_row(h->res, h->row, h->sum);
      note(h, "stored %llu rows, sum %llx", (unsigned long long)mysql_num_rows(h->res), h->sum);
      mysql_free_result(h->res);
    }

    /* the same, unbuffered */
    QUERY(h->sql);
    h->res = mysql_use_result(h->m);
    note_end(h, "use_result", h->res != NULL);
    for (h->sum = 0; h->res;) {
      AWAIT(mysql_fetch_row_nonblocking(h->res, &h->row));
      if (!h->row)
        break;
      h->sum = sum_row(h->res, h->row, h->sum);
    }
    note(h, "fetched %llu rows, sum %llx", (unsigned long long)mysql_num_rows(h->res), h->sum);
    note_end(h, "fetch_row", h->status);
    AWAIT(mysql_free_result_nonblocking(h->res));

    /* given up after three rows */
    QUERY(h->sql);
    h->res = mysql_use_result(h->m);
    for (h->i = 0; h->i < 3 && h->res; h->i++) {
      AWAIT(mysql_fetch_row_nonblocking(h->res, &h->row));
    }
    AWAIT(mysql_free_result_nonblocking(h->res));
    note_end(h, "free_result", h->status);

    /* several results */
    QUERY("SELECT 1 UNION SELECT 2; DO 1; SELECT 3; SELECT nothing_such");
    note_end(h, "multi query", h->status);
    for (h->i = 0; h->i < 6; h->i++) {
      AWAIT(mysql_store_result_nonblocking(h->m, &h->res));
      note(h, "result %d, more %d, rows %llu", h->res != NULL, mysql_more_results(h->m),
           h->res ? (unsigned long long)mysql_num_rows(h->res) : 0);
      mysql_free_result(h->res);
      AWAIT(mysql_next_result_nonblocking(h->m));
      note_end(h, "next_result", h->status);
      if (h->status)
        break;
    }
    AWAIT(mysql_next_result_nonblocking(h->m));
    note(h, "next_result %d", h->status);

    /* statements without rows */
    QUERY("CREATE TEMPORARY TABLE nb_own (id INT AUTO_INCREMENT PRIMARY KEY, t TEXT)");
    note_end(h, "create", h->status);
    QUERY("INSERT INTO nb_own (t) VALUES ('a'), ('b'), (NULL)");
    note_end(h, "insert", h->status);
    AWAIT(mysql_store_result_nonblocking(h->m, &h->res));
    note(h, "no result %d %d", h->status, h->res != NULL);
    QUERY("INSERT nonsense");
    note_end(h, "bad syntax", h->status);

    /* a statement that is sent in pieces */
    if (nb_large) {
      QUERY(large_statement());
      note_end(h, "large statement", h->status);
      AWAIT(mysql_store_result_nonblocking(h->m, &h->res));
      note(h, "value %s", h->res ? mysql_fetch_row(h->res)[0] : "none");
      mysql_free_result(h->res);
    }

    /* send, then read: waiting, and not */
    AWAIT(mysql_send_query_nonblocking(h->m, "SELECT 4", 8));
    note(h, "send_query %d", h->status);
    QUERY("SELECT 4");
    note_end(h, "its result", h->status);
    AWAIT(mysql_store_result_nonblocking(h->m, &h->res));
    note(h, "value %s", h->res ? mysql_fetch_row(h->res)[0] : "none");
    mysql_free_result(h->res);

    AWAIT(mysql_reset_connection_nonblocking(h->m));
    note(h, "reset_connection %d, %u", h->status, mysql_errno(h->m));
    mysql_close(h->m);
    h->line = DONE;
    return;
  end:
    note_end(h, "connect", h->status);
    mysql_close(h->m);
    h->line = DONE;
  }
}

static void run_routed(struct handle *h)
{
  switch (h->line) {
  case 0:
    prepare(h);
    AWAIT(mysql_real_connect_nonblocking(h->m, host(), user(), pass(), db(), nb_port, NULL, 0));
    if (h->status) {
      note_end(h, "real_connect", h->status);
      mysql_close(h->m);
      h->line = DONE;
      return;
    }
    for (h->i = 0; h->i < 6; h->i++) {
      QUERY("SELECT id, v FROM nb_read ORDER BY id /* r */");
      AWAIT(mysql_store_result_nonblocking(h->m, &h->res));
      for (h->sum = 0; h->res && (h->row = mysql_fetch_row(h->res));)
        h->sum = sum_row(h->res, h->row, h->sum);
      mysql_free_result(h->res);
      snprintf(h->sql, sizeof h->sql, "INSERT INTO nb_written_%d VALUES (%u, 'text') /* w */", (int)getpid(), h->i);
      QUERY(h->sql);
      note(h, "read %d, sum %llx, written %llu", h->status, h->sum, (unsigned long long)mysql_affected_rows(h->m));
      QUERY("SELECT id, REPEAT(v, 100) FROM nb_read ORDER BY id /* r */");
      h->res = mysql_use_result(h->m);
      for (h->sum = 0; h->res;) {
        AWAIT(mysql_fetch_row_nonblocking(h->res, &h->row));
        if (!h->row)
          break;
        h->sum = sum_row(h->res, h->row, h->sum);
      }
      note(h, "fetched %llu, sum %llx", h->res ? (unsigned long long)mysql_num_rows(h->res) : 0, h->sum);
      AWAIT(mysql_free_result_nonblocking(h->res));
      QUERY("START TRANSACTION /* t */");
      QUERY("SELECT COUNT(*) FROM nb_read /* t */");
      AWAIT(mysql_store_result_nonblocking(h->m, &h->res));
      note(h, "in a transaction %s", h->res ? mysql_fetch_row(h->res)[0] : "none");
      mysql_free_result(h->res);
      QUERY("COMMIT");
      note_end(h, "commit", h->status);
      AWAIT(mysql_send_query_nonblocking(h->m, "SELECT COUNT(*) FROM nb_read /* r */", 36));
      QUERY("SELECT COUNT(*) FROM nb_read /* r */");
      AWAIT(mysql_store_result_nonblocking(h->m, &h->res));
      note(h, "sent %s", h->res ? mysql_fetch_row(h->res)[0] : "none");
      mysql_free_result(h->res);
      AWAIT(mysql_reset_connection_nonblocking(h->m));
      note(h, "reset_connection %d", h->status);
    }
    mysql_close(h->m);
    h->line = DONE;
  }
}

static void wait_for(MYSQL *m)
{
  struct pollfd p = {m->net.fd, POLLIN, 0};
  poll(&p, 1, 2);
}

static int connect_now(MYSQL *m, const char *where, const char *password, unsigned int to)
{
  int status;
  while ((status = mysql_real_connect_nonblocking(m, where, user(), password, db(), to, NULL, 0)) ==
         NET_ASYNC_NOT_READY)
    wait_for(m);
  return status;
}

static int query_now(MYSQL *m, const char *sql)
{
  int status;
  while ((status = mysql_real_query_nonblocking(m, sql, strlen(sql))) == NET_ASYNC_NOT_READY)
    wait_for(m);
  return status;
}

static void show_status_of(const char *what, int status, MYSQL *m)
{
  if (mysql_errno(m))
    say("%-34s %d errno=%u state=%s text=%s", what, status, mysql_errno(m), mysql_sqlstate(m), mysql_error(m));
  else
    say("%-34s %d", what, status);
}

static void errors(void)
{
  MYSQL_RES *res = NULL;
  MYSQL_ROW row;
  int status;
  section("errors");
  MYSQL *m = mysql_init(NULL);
  show_status_of("a wrong password", connect_now(m, host(), "wrong", port()), m);
  say("stage %d", mysql_get_connect_nonblocking_stage(m));
  say("stage of NULL %d", mysql_get_connect_nonblocking_stage(NULL));
  say("then the right one %d", connect_now(m, host(), pass(), port()));
  mysql_close(m);
  m = mysql_init(NULL);
  show_status_of("nobody listens", connect_now(m, "127.0.0.1", pass(), 1), m);
  show_status_of("a statement", query_now(m, "DO 1"), m);
  mysql_close(m);
  m = mysql_init(NULL);
  status = connect_now(m, "no.such.host.invalid", pass(), 1);
  say("an unknown host %d errno=%u state=%s", status, mysql_errno(m), mysql_sqlstate(m));
  mysql_close(m);

  m = mysql_init(NULL);
  connect_now(m, host(), pass(), port());
  show_status_of("query", query_now(m, "SELECT 1 UNION SELECT 2"), m);
  show_status_of("a result waits: query", query_now(m, "SELECT 2"), m);
  show_status_of("a result waits: next_result", mysql_next_result_nonblocking(m), m);
  status = mysql_reset_connection_nonblocking(m);
  show_status_of("a result waits: reset", status, m);
  while ((status = mysql_store_result_nonblocking(m, &res)) == NET_ASYNC_NOT_READY)
    wait_for(m);
  show_status_of("store_result", status, m);
  mysql_free_result(res);
  show_status_of("store_result again", mysql_store_result_nonblocking(m, &res), m);
  alive(m);
  say("free_result(NULL) %d", mysql_free_result_nonblocking(NULL));

  show_status_of("query", query_now(m, of_numbers("SELECT n, REPEAT('x', 4000)", "")), m);
  res = mysql_use_result(m);
  row = mysql_fetch_row(res);
  say("a row %d", row != NULL);
  kill_from_outside(m);
  unsigned int rows = 0;
  do {
    while ((status = mysql_fetch_row_nonblocking(res, &row)) == NET_ASYNC_NOT_READY)
      wait_for(m);
    rows += row != NULL;
  } while (row);
  say("not all rows: %d", rows < 2000);
  show_status_of("killed while rows come", status, m);
  mysql_free_result(res);
  show_status_of("then", query_now(m, "SELECT 1"), m);
  mysql_close(m);

  m = mysql_init(NULL);
  connect_now(m, host(), pass(), port());
  kill_from_outside(m);
  show_status_of("killed before", query_now(m, "SELECT 1"), m);
  show_status_of("once more", query_now(m, "SELECT 1"), m);
  mysql_close(m);

  m = mysql_init(NULL);
  connect_now(m, host(), pass(), port());
  status = mysql_real_query_nonblocking(m, "SELECT SLEEP(30)", 16);
  show_status_of("a long statement", status, m);
  kill_from_outside(m);
  show_status_of("killed meanwhile", query_now(m, "SELECT SLEEP(30)"), m);
  show_status_of("once more", query_now(m, "SELECT 1"), m);
  mysql_close(m);

  m = mysql_init(NULL);
  connect_now(m, host(), pass(), port());
  show_status_of("query", query_now(m, of_numbers("SELECT n, REPEAT('x', 4000)", "")), m);
  kill_from_outside(m);
  while ((status = mysql_store_result_nonblocking(m, &res)) == NET_ASYNC_NOT_READY)
    wait_for(m);
  show_status_of("killed: store_result", status, m);
  mysql_close(m);

  m = mysql_init(NULL);
  connect_now(m, host(), pass(), port());
  kill_from_outside(m);
  while ((status = mysql_send_query_nonblocking(m, "SELECT 1", 8)) == NET_ASYNC_NOT_READY)
    wait_for(m);
  show_status_of("killed: send_query", status, m);
  if (status == NET_ASYNC_COMPLETE)
    show_status_of("its result", query_now(m, "SELECT 1"), m);
  mysql_close(m);

  m = mysql_init(NULL);
  connect_now(m, host(), pass(), port());
  kill_from_outside(m);
  while ((status = mysql_reset_connection_nonblocking(m)) == NET_ASYNC_NOT_READY)
    wait_for(m);
  show_status_of("killed: reset_connection", status, m);
  status = mysql_next_result_nonblocking(m);
  show_status_of("killed: next_result", status, m);
  mysql_close(m);
}

static void silent(int fd)
{
  char sink[100];
  while (recv(fd, sink, sizeof sink, 0) > 0)
    ;
}

static void meanwhile(void)
{
  int status;
  char to[20];
  MYSQL_RES *res = NULL;
  MYSQL_ROW row;
  section("another call while one is pending");
  MYSQL *m = mysql_init(NULL);
  connect_now(m, host(), pass(), port());
  const char *slow = "SELECT SLEEP(0.2), 5";
  show_status_of("query", mysql_real_query_nonblocking(m, slow, strlen(slow)), m);
  status = mysql_query(m, "SELECT 1");
  show_status_of("blocking query", status, m);
  status = mysql_next_result_nonblocking(m);
  show_status_of("next_result", status, m);
  status = mysql_store_result_nonblocking(m, &res);
  show_status_of("store_result", status, m);
  say("result %d, escaped %lu %s, charset %s", res != NULL, mysql_real_escape_string(m, to, "a'b", 3), to,
      mysql_character_set_name(m));
  status = query_now(m, "whatever the text");
  show_status_of("query", status, m);
  res = mysql_store_result(m);
  say("value %s", mysql_fetch_row(res)[1]);
  mysql_free_result(res);
  alive(m);

  section("the head of the next result is on its way");
  mysql_set_server_option(m, MYSQL_OPTION_MULTI_STATEMENTS_ON);
  say("query %d", query_now(m, "DO 1; DO SLEEP(0.2); SELECT 6"));
  status = mysql_next_result_nonblocking(m);
  int more = mysql_more_results(m);
  int stored = mysql_store_result_nonblocking(m, &res);
  say("next_result %d, more %d, store_result %d, result %d, errno %u", status, more, stored, res != NULL, mysql_errno(m));
  while ((status = mysql_next_result_nonblocking(m)) == NET_ASYNC_NOT_READY)
    ;
  say("next_result %d, more %d", status, mysql_more_results(m));
  say("the last one %d", mysql_next_result(m));
  res = mysql_store_result(m);
  say("value %s", mysql_fetch_row(res)[0]);
  mysql_free_result(res);
  alive(m);

  section("freeing ends a fetch that is pending");
  const char *rows = of_numbers("SELECT SLEEP(n / 500), REPEAT('w', 30000)", " WHERE n < 20");
  for (int way = 0; way < 3; way++) {
    say("query %d", query_now(m, rows));
    res = mysql_use_result(m);
    while ((status = mysql_fetch_row_nonblocking(res, &row)) == NET_ASYNC_COMPLETE && row)
      ;
    say("fetch_row %d", status);
    if (way == 0)
      mysql_free_result(res);
    else
      while ((status = mysql_free_result_nonblocking(res)) == NET_ASYNC_NOT_READY)
        if (way == 2) {
          mysql_free_result(res);
          break;
        }
    alive(m);
  }

  section("closing with a call pending");
  show_status_of("query", mysql_real_query_nonblocking(m, "SELECT SLEEP(1)", 15), m);
  mysql_close(m);

  section("a server that says nothing");
  struct fake f = fake_start(silent, 2);
  m = mysql_init(NULL);
  lab_mask_number((unsigned long)f.port, "FAKEPORT");
  for (int i = 0; i < 5; i++) {
    status = mysql_real_connect_nonblocking(m, "127.0.0.1", "u", "", NULL, (unsigned)f.port, NULL, 0);
    wait_for(m);
  }
  show_status_of("connect", status, m);
  say("stage %d, socket %d", mysql_get_connect_nonblocking_stage(m), m->net.fd > 2);
  mysql_close(m);
  m = mysql_init(NULL);
  unsigned int second = 1;
  mysql_options(m, MYSQL_OPT_CONNECT_TIMEOUT, &second);
  while ((status = mysql_real_connect_nonblocking(m, "127.0.0.1", "u", "", NULL, (unsigned)f.port, NULL, 0)) ==
         NET_ASYNC_NOT_READY)
    wait_for(m);
  say("after its time limit: %d, errno %u", status, mysql_errno(m));
  mysql_close(m);
  fake_end(f);

  section("NULL");
  say("%d", mysql_real_connect_nonblocking(NULL, NULL, NULL, NULL, NULL, 0, NULL, 0));
  say("%d", mysql_real_query_nonblocking(NULL, "x", 1));
  say("%d", mysql_send_query_nonblocking(NULL, "x", 1));
  say("%d", mysql_store_result_nonblocking(NULL, &res));
  say("%d", mysql_next_result_nonblocking(NULL));
  say("%d", mysql_fetch_row_nonblocking(NULL, &row));
  say("%d", mysql_reset_connection_nonblocking(NULL));
}

int main(int argc, char **argv)
{
  lab_start();
  alarm(240);
  nb_port = port();
  MYSQL *a = make_numbers();
  if (argc > 1 && !strcmp(argv[1], "lockstep")) {
    nb_rows = 40;
    nb_large = 6 << 20;
    lockstep("byte by byte");
    nb_all_tls = 1;
    lockstep("byte by byte, with TLS");
    nb_lockstep = 0;
    meanwhile();
  } else if (argc > 1 && !strcmp(argv[1], "routed")) {
    routed(a);
  } else if (argc > 1 && !strcmp(argv[1], "trickle")) {
    nb_rows = 5;
    nb_some_tls = 10;
    side_by_side("200 handles, one byte at a time", 200);
  } else {
    nb_some_tls = 8;
    nb_unix = 1;
    nb_large = 100000;
    side_by_side("200 handles", 200);
    errors();
  }
  drop_numbers(a);
  printf("\nend\n");
  return 0;
}
