/*
 * errors.c: every client error that can be provoked without prepared statements:
 * number, SQLSTATE and text, and what the handle can do afterwards.
 *
 * Must not depend on time: a time-out is asked for and its error printed, never
 * how long it took.
 */
#include "lab.h"
#include <pthread.h>

static MYSQL *fresh(void) { return mysql_init(NULL); }

/* Connect a handle that was just used for a failure: what the originals allow. */
static void again(MYSQL *m)
{
  if (mysql_real_connect(m, host(), user(), pass(), db(), port(), NULL, 0))
    alive(m);
  else
    show("connect on it", m);
}

static void refused(void)
{
  section("connects that are refused");
  MYSQL *m = fresh();
  say("rc=%d", mysql_real_connect(m, host(), user(), "not the password", db(), port(), NULL, 0) != NULL);
  show("wrong password", m);
  again(m);
  mysql_close(m);

  m = fresh();
  mysql_real_connect(m, host(), user(), NULL, db(), port(), NULL, 0);
  show("no password", m);
  again(m);
  mysql_close(m);

  m = fresh();
  mysql_real_connect(m, host(), user(), pass(), "no_such_schema", port(), NULL, 0);
  show("no such schema", m);
  again(m);
  mysql_close(m);

  m = fresh();
  mysql_real_connect(m, host(), "nobody_at_all", "x", NULL, port(), NULL, 0);
  show("no such user", m);
  mysql_close(m);

  m = fresh();
  mysql_real_connect(m, "127.0.0.1", user(), pass(), NULL, 1, NULL, 0);
  show("nobody listens", m);
  again(m);
  mysql_close(m);

  m = fresh();
  mysql_real_connect(m, "localhost", user(), pass(), NULL, 0, "/nowhere/at/all.sock", 0);
  show("no such socket", m);
  again(m);
  mysql_close(m);

  m = fresh();
  mysql_real_connect(m, NULL, user(), pass(), NULL, 0, "/nowhere/at/all.sock", 0);
  show("no such socket, no host", m);
  mysql_close(m);

  m = fresh();
  char long_path[300];
  memset(long_path, 'a', sizeof long_path);
  long_path[0] = '/';
  long_path[299] = 0;
  mysql_real_connect(m, "localhost", user(), pass(), NULL, 0, long_path, 0);
  lab_mask(long_path, "LONG");
  show("socket path too long", m);
  mysql_close(m);

  m = fresh();
  mysql_real_connect(m, "no-such-host.invalid", user(), pass(), NULL, port(), NULL, 0);
  show("no such host", m);
  again(m);
  mysql_close(m);

  m = fresh();
  mysql_options(m, MYSQL_SET_CHARSET_NAME, "no_such_charset");
  mysql_real_connect(m, host(), user(), pass(), db(), port(), NULL, 0);
  show("unknown charset", m);
  mysql_close(m);

  m = connected();
  show_rc("set_character_set to nonsense", mysql_set_character_set(m, "no_such_charset") != 0, m);
  alive(m);
  mysql_close(m);

  m = connected();
  mysql_real_connect(m, host(), user(), pass(), db(), port(), NULL, 0);
  show("connect twice", m);
#if LAB_MARIADB_ABI
  alive(m);
#else
  stricter = 1; /* libmysqlclient breaks the connection that it had */
  alive(m);
  stricter = 0;
#endif
  mysql_close(m);
}

/* Calls that no original guards well while a result waits: each on its own
   handle, which is thrown away, since the originals lose step with the server. */
static MYSQL *waiting(void)
{
  MYSQL *m = connected();
  query(m, "SELECT a FROM errors_t ORDER BY a");
  return m;
}

/* One guarded call while a result waits, and whether the result survives it. */
static void guarded(const char *what, int (*call)(MYSQL *))
{
  MYSQL *m = waiting();
  show_rc(what, call(m), m);
#if LAB_MARIADB_ABI
  stricter = 1; /* Connector/C loses the result of some of these, and step with the server */
#endif
  MYSQL_RES *r = mysql_store_result(m);
  say("  the result: %s, rows %llu, errno %u", r ? "still there" : "lost",
      r ? (unsigned long long)mysql_num_rows(r) : 0ull, mysql_errno(m));
  mysql_free_result(r);
  alive(m);
  stricter = 0;
  mysql_close(m);
}

static int c_query(MYSQL *m) { return mysql_query(m, "SELECT 1"); }
static int c_ping(MYSQL *m) { return mysql_ping(m); }
static int c_select_db(MYSQL *m) { return mysql_select_db(m, db()); }
static int c_commit(MYSQL *m) { return mysql_commit(m) != 0; }
static int c_rollback(MYSQL *m) { return mysql_rollback(m) != 0; }
static int c_autocommit(MYSQL *m) { return mysql_autocommit(m, 1) != 0; }
static int c_charset(MYSQL *m) { return mysql_set_character_set(m, "utf8mb4"); }
static int c_option(MYSQL *m) { return mysql_set_server_option(m, MYSQL_OPTION_MULTI_STATEMENTS_OFF); }

static void pending(void)
{
  guarded("query", c_query);
  guarded("ping", c_ping);
  guarded("select_db", c_select_db);
  guarded("commit", c_commit);
  guarded("rollback", c_rollback);
  guarded("autocommit", c_autocommit);
  guarded("set_character_set", c_charset);
  guarded("set_server_option", c_option);
  MYSQL_RES *r;
  MYSQL *m = waiting();
  show_rc("send_query while a result waits", mysql_send_query(m, "SELECT 1", 8), m);
  mysql_close(m);

  m = waiting();
  say("more_results while a result waits: %d", mysql_more_results(m) != 0);
  show_next("next_result while a result waits", m);
  mysql_close(m);

  m = waiting();
  say("list_dbs while a result waits: %s", mysql_list_dbs(m, NULL) ? "result" : "NULL");
  show("list_dbs", m);
  mysql_close(m);

  m = connected();
  query(m, "SELECT a FROM errors_t ORDER BY a");
  r = mysql_use_result(m);
  mysql_fetch_row(r);
  say("store_result while reading: %s", mysql_store_result(m) ? "result" : "NULL");
  show("store_result", m);
  say("use_result while reading: %s", mysql_use_result(m) ? "result" : "NULL");
  show("use_result", m);
  mysql_free_result(r);
  mysql_close(m);

  m = connected();
  mysql_set_server_option(m, MYSQL_OPTION_MULTI_STATEMENTS_ON);
  query(m, "SELECT 1; SELECT 2");
  show_rc("query before the first of two", mysql_query(m, "SELECT 3"), m);
  mysql_close(m);

  m = connected();
  mysql_set_server_option(m, MYSQL_OPTION_MULTI_STATEMENTS_ON);
  query(m, "SELECT 1; SELECT 2");
  mysql_free_result(mysql_store_result(m));
  show_rc("query before the second of two", mysql_query(m, "SELECT 3"), m);
  mysql_close(m);
}

static void out_of_sync(void)
{
  section("commands out of sync");
  MYSQL *m = connected();
  must(m, "DROP TABLE IF EXISTS errors_t");
  must(m, "CREATE TABLE errors_t (a INT)");
  must(m, "INSERT INTO errors_t VALUES (1),(2),(3)");

  say("-- a result that nobody took");
  pending();
  say("-- an unbuffered result that is not read to the end");
  query(m, "SELECT a FROM errors_t ORDER BY a");
  MYSQL_RES *r = mysql_use_result(m);
  MYSQL_ROW row = r ? mysql_fetch_row(r) : NULL;
  say("first row %s", row ? row[0] : "NULL");
  show_rc("query", mysql_query(m, "SELECT 1"), m);
  show_rc("ping", mysql_ping(m), m);
  row = r ? mysql_fetch_row(r) : NULL;
  say("second row %s", row ? row[0] : "NULL");
  show("after it", m);
  if (r)
    mysql_free_result(r);
  alive(m);

  say("-- asking for results where there are none");
  say("store_result: %s", mysql_store_result(m) ? "result" : "NULL");
  show("store_result", m);
  say("use_result: %s", mysql_use_result(m) ? "result" : "NULL");
  show("use_result", m);
  query(m, "DO 1");
  say("store_result after DO: %s", mysql_store_result(m) ? "result" : "NULL");
  show("store_result after DO", m);
  query(m, "SELECT 1");
  r = mysql_store_result(m);
  say("store_result again: %s", mysql_store_result(m) ? "result" : "NULL");
  show("store_result again", m);
  if (r)
    mysql_free_result(r);
  show_next("next_result, none", m);

  say("-- after a statement that failed");
  show_rc("syntax error", mysql_query(m, "SELEKT 1"), m);
  say("field_count %u", mysql_field_count(m));
  say("store_result: %s", mysql_store_result(m) ? "result" : "NULL");
  show("store_result", m);
  show_rc("no such table", mysql_query(m, "SELECT * FROM no_such_table"), m);
  show_rc("signal", mysql_query(m, "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT='ours', MYSQL_ERRNO=5000"), m);
  alive(m);

  say("-- several results, not taken");
  mysql_set_server_option(m, MYSQL_OPTION_MULTI_STATEMENTS_ON);
  query(m, "SELECT 1; SELECT 2");
  r = mysql_store_result(m);
  if (r)
    mysql_free_result(r);
  say("more_results %d", mysql_more_results(m) != 0);
  show_next("next_result", m);
  r = mysql_store_result(m);
  say("stored: %s", r ? "yes" : "no");
  if (r)
    mysql_free_result(r);
  show_next("next_result", m);
  alive(m);
  query(m, "SELECT 1; SELEKT 2; SELECT 3");
  r = mysql_store_result(m);
  if (r)
    mysql_free_result(r);
  show_next("next_result on a syntax error", m);
  show_next("next_result after it", m);
  alive(m);

  say("-- sent, not read");
  show_rc("send_query", mysql_send_query(m, "SELECT 8", 8), m);
  say("read_query_result %d", mysql_read_query_result(m) != 0);
  show("read_query_result", m);
  r = mysql_store_result(m);
  if (r) {
    row = mysql_fetch_row(r);
    say("row %s", row ? row[0] : "NULL");
    mysql_free_result(r);
  }
  mysql_close(m);
}

static void gone(void)
{
  section("the server is gone");
  MYSQL *m = connected();
  kill_from_outside(m);
  show_rc("query after a kill", mysql_query(m, "SELECT 1"), m);
  show_rc("query after that", mysql_query(m, "SELECT 1"), m);
  show_rc("ping", mysql_ping(m), m);
  show_rc("select_db", mysql_select_db(m, db()), m);
  show_rc("commit", mysql_commit(m) != 0, m);
  say("store_result: %s", mysql_store_result(m) ? "result" : "NULL");
  show("store_result", m);
  again(m);
  mysql_close(m);

  m = connected();
  kill_from_outside(m);
  show_rc("ping after a kill", mysql_ping(m), m);
  show_rc("ping after that", mysql_ping(m), m);
  mysql_close(m);

  m = connected();
  kill_from_outside(m);
  show_rc("select_db after a kill", mysql_select_db(m, db()), m);
  mysql_close(m);

  m = connected();
  kill_from_outside(m);
  show_rc("set_character_set after a kill", mysql_set_character_set(m, "latin1"), m);
  say("its charset %s", mysql_character_set_name(m));
  mysql_close(m);

  m = connected();
  kill_from_outside(m);
  show_rc("reset_connection after a kill", mysql_reset_connection(m), m);
  mysql_close(m);

  say("-- a statement that kills its own connection");
  m = connected();
  char sql[64];
  snprintf(sql, sizeof sql, "KILL %lu", mysql_thread_id(m));
  lab_mask_number(mysql_thread_id(m), "ID");
  show_rc("KILL of itself", mysql_query(m, sql), m);
  mysql_query(m, "SELECT 1");
  say("and then: %u", mysql_errno(m));
  mysql_close(m);

  say("-- a client that shut its own socket");
  m = connected();
  shutdown(m->net.fd, SHUT_RDWR);
  show_rc("query", mysql_query(m, "SELECT 1"), m);
  mysql_close(m);
}

/* ---- scripted servers ---- */

#define PACKET(fd, number, literal) fake_packet(fd, number, literal, sizeof(literal) - 1)

static void s_close(int fd) { (void)fd; }
static void s_garbage(int fd) { fake_send(fd, "HTTP/1.1 400 Bad Request\r\n\r\n", 28); }
static void s_short_greeting(int fd) { PACKET(fd, 0, "\x0a" "5.7"); }
static void s_empty_packet(int fd) { PACKET(fd, 0, ""); }
static void s_old(int fd) { PACKET(fd, 0, "\x09" "3.20.0\0\1\0\0\0abcdefgh"); }
static void s_new(int fd) { PACKET(fd, 0, "\x0b" "9.9.9\0\1\0\0\0abcdefgh"); }
static void s_early_error(int fd) { PACKET(fd, 0, "\xff\x10\x04Too many connections"); }
static void s_early_error_state(int fd) { PACKET(fd, 0, "\xff\x10\x04#08004Too many connections"); }
static void s_host_blocked(int fd) { PACKET(fd, 0, "\xff\x69\x04Host 'h' is blocked"); }
static void s_cut_greeting(int fd) { fake_send(fd, "\x4a\0\0\0\x0a" "5.7.1", 10); }
static void s_greeting_close(int fd)
{
  unsigned char g[256];
  fake_packet(fd, 0, g, fake_greeting(g, "8.0.99-scripted", FAKE_CAPS, "caching_sha2_password"));
}
static void s_auth_close(int fd)
{
  s_greeting_close(fd);
  fake_read(fd);
}
static void s_auth_error(int fd)
{
  s_auth_close(fd);
  PACKET(fd, 2, "\xff\x15\x04#28000Access denied, says the script");
}
static void s_auth_garbage(int fd)
{
  s_auth_close(fd);
  PACKET(fd, 2, "\x55\x55\x55");
}
static void s_unknown_plugin(int fd)
{
  s_auth_close(fd);
  PACKET(fd, 2, "\xfeno_such_plugin\0abcdefghijklmnopqrst\0");
  fake_read(fd);
}
static void s_query_close(int fd)
{
  if (!fake_login(fd))
    fake_read(fd);
}
static void s_query_rst(int fd)
{
  struct linger l = {1, 0};
  if (!fake_login(fd))
    fake_read(fd);
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof l);
}
static void s_half_header(int fd)
{
  s_query_close(fd);
  fake_send(fd, "\1\0", 2);
}
static void s_count_only(int fd)
{
  s_query_close(fd);
  PACKET(fd, 1, "\1");
}
#define COLUMN "\3def\0\0\0\1a\0\x0c\x2d\0\x0b\0\0\0\x03\x01\0\0\0\0"
static void column(int fd, int number) { fake_packet(fd, (unsigned char)number, COLUMN, sizeof COLUMN - 1); }
static void s_no_eof(int fd)
{
  s_count_only(fd);
  column(fd, 2);
}
static void s_rows_cut(int fd)
{
  s_no_eof(fd);
  PACKET(fd, 3, "\xfe\0\0\2\0");
  PACKET(fd, 4, "\1" "1");
  PACKET(fd, 5, "\1" "2");
}
static void s_row_cut_inside(int fd)
{
  s_rows_cut(fd);
  fake_send(fd, "\5\0\0\6\4" "ab", 7);
}
static void s_rows_error(int fd)
{
  s_rows_cut(fd);
  PACKET(fd, 6, "\xff\x25\x05#70100Query execution was interrupted");
  fake_read(fd);
  PACKET(fd, 1, "\0\0\0\2\0\0\0");
}
static void s_wrong_number(int fd)
{
  s_query_close(fd);
  PACKET(fd, 7, "\0\0\0\2\0\0\0");
  fake_read(fd);
}
static void s_bad_column(int fd)
{
  s_count_only(fd);
  PACKET(fd, 2, "\3def\0\0");
  PACKET(fd, 3, "\xfe\0\0\2\0");
  PACKET(fd, 4, "\xfe\0\0\2\0");
}
static void s_bad_row(int fd)
{
  s_no_eof(fd);
  PACKET(fd, 3, "\xfe\0\0\2\0");
  PACKET(fd, 4, "\x20" "1");
  PACKET(fd, 5, "\xfe\0\0\2\0");
  fake_read(fd);
}
static void s_query_error(int fd)
{
  s_query_close(fd);
  PACKET(fd, 1, "\xff\x48\x04#HY000No tables used");
  fake_read(fd);
  PACKET(fd, 1, "\0\1\2\2\0\0\0");
  fake_read(fd);
}
static void s_error_no_state(int fd)
{
  s_query_close(fd);
  PACKET(fd, 1, "\xff\x48\x04No tables used");
  fake_read(fd);
}
static void s_silent(int fd)
{
  s_query_close(fd);
  fake_read(fd); /* until the client goes */
}
static void s_mute(int fd)
{
  char c;
  (void)!read(fd, &c, 1);
}
static void s_infile(int fd)
{
  s_query_close(fd);
  PACKET(fd, 1, "\xfb/etc/passwd");
  fake_read(fd);
  PACKET(fd, 3, "\0\0\0\2\0\0\0");
  fake_read(fd);
}

static void try_connect(const char *what, fake_script script)
{
  struct fake f = fake_start(script, 1);
  MYSQL *m = fake_connect(NULL, f);
  show(what, m);
  again(m);
  mysql_close(m);
  fake_end(f);
}

/* What no server sends: which error it is differs between the originals, that it is
   one does not. */
static void connect_to_nonsense(const char *what, fake_script script)
{
  struct fake f = fake_start(script, 1);
  MYSQL *m = fake_connect(NULL, f);
  say("%-34s failed %d", what, mysql_errno(m) != 0);
  again(m);
  mysql_close(m);
  fake_end(f);
}

static void read_nonsense(const char *what, fake_script script, int store)
{
  struct fake f = fake_start(script, 1);
  MYSQL *m = fake_connect(NULL, f);
  if (mysql_query(m, "SELECT 1 AS a") == 0) {
    MYSQL_RES *r = store ? mysql_store_result(m) : mysql_use_result(m);
    while (r && mysql_fetch_row(r))
      ;
    mysql_free_result(r);
  }
  mysql_close(m);
  say("%s, %s: here", what, store ? "stored" : "row by row");
  fake_end(f);
}

/* One statement on a scripted connection; `store` or read row by row; what is left. */
static void try_query(const char *what, fake_script script, int store)
{
  struct fake f = fake_start(script, 1);
  MYSQL *m = fake_connect(NULL, f);
  if (mysql_errno(m)) {
    show("login", m);
  } else {
    say("-- %s, %s", what, store ? "stored" : "row by row");
    int rc = mysql_query(m, "SELECT 1 AS a");
    show_rc("query", rc, m);
    if (!rc) {
      MYSQL_RES *r = store ? mysql_store_result(m) : mysql_use_result(m);
      say("result %s", r ? "yes" : "no");
      show("result", m);
      if (r) {
        MYSQL_ROW row;
        while ((row = mysql_fetch_row(r)))
          say("row %s", or_null(row[0]));
        show("after the rows", m);
        say("rows %llu eof %d", (unsigned long long)mysql_num_rows(r), mysql_eof(r) != 0);
        mysql_free_result(r);
        show("after free", m);
      }
    }
    rc = mysql_query(m, "DO 0");
    show_rc("next statement", rc, m);
    if (!rc)
      show_status("next statement", m);
  }
  mysql_close(m);
  fake_end(f);
}

static void scripted(void)
{
  section("servers that break the connect");
  try_connect("closed at once", s_close);
  try_connect("garbage", s_garbage);
  try_connect("protocol 9", s_old);
  try_connect("error before greeting", s_early_error);
  try_connect("error with state before greeting", s_early_error_state);
  try_connect("host blocked", s_host_blocked);
  try_connect("greeting cut", s_cut_greeting);
  try_connect("closed after greeting", s_greeting_close);
  try_connect("closed after our answer", s_auth_close);
  try_connect("refused", s_auth_error);
  lab_cut_after("loaded: ");
  try_connect("unknown plugin", s_unknown_plugin);
  lab_cut_after(NULL);

  section("nonsense: no connection and no harm");
  connect_to_nonsense("greeting too short", s_short_greeting);
  connect_to_nonsense("empty packet", s_empty_packet);
  connect_to_nonsense("protocol 11", s_new);
  connect_to_nonsense("answer of no known kind", s_auth_garbage);

  section("servers that break a statement");
  for (int store = 1; store >= 0; store--) {
    try_query("closed", s_query_close, store);
    try_query("reset", s_query_rst, store);
    try_query("half a packet header", s_half_header, store);
    try_query("column count only", s_count_only, store);
    try_query("no end of columns", s_no_eof, store);
    try_query("cut between rows", s_rows_cut, store);
    try_query("cut inside a row", s_row_cut_inside, store);
    try_query("error after rows", s_rows_error, store);
    try_query("error", s_query_error, store);
    try_query("error without state", s_error_no_state, store);
  }
  try_query("a file that was not asked for", s_infile, 1);

  section("nonsense: the program lives, the handle closes");
  for (int store = 1; store >= 0; store--) {
    read_nonsense("wrong packet number", s_wrong_number, store);
    read_nonsense("broken column", s_bad_column, store);
    read_nonsense("broken row", s_bad_row, store);
  }
}

static void timeouts(void)
{
  section("time-outs");
  unsigned int seconds = 2; /* not less: a loaded machine must still connect */
  struct fake f = fake_start(s_mute, 1);
  MYSQL *m = fresh();
  mysql_options(m, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
  mysql_options(m, MYSQL_OPT_READ_TIMEOUT, &seconds);
  lab_mask_number((unsigned long)f.port, "FAKEPORT");
  mysql_real_connect(m, "127.0.0.1", "u", "", NULL, (unsigned)f.port, NULL, 0);
  show("no greeting", m);
  again(m);
  mysql_close(m);
  fake_end(f);

  f = fake_start(s_silent, 1);
  m = fresh();
  mysql_options(m, MYSQL_OPT_READ_TIMEOUT, &seconds);
  fake_connect(m, f);
  show("connected", m);
  show_rc("no answer", mysql_query(m, "SELECT 1"), m);
  show_rc("then", mysql_query(m, "SELECT 1"), m);
  mysql_close(m);
  fake_end(f);

  m = fresh();
  mysql_options(m, MYSQL_OPT_READ_TIMEOUT, &seconds);
  connected_to(m, db(), 0);
  show_rc("SLEEP", mysql_query(m, "SELECT SLEEP(20)"), m);
  show_rc("after it", mysql_query(m, "SELECT 1"), m);
  mysql_close(m);
}

static void too_large(void)
{
  section("packets that are too large");
  MYSQL *m = fresh();
  unsigned long limit = 1 << 20;
  mysql_options(m, MYSQL_OPT_MAX_ALLOWED_PACKET, &limit);
  connected_to(m, db(), 0);
  size_t n = 3u << 20;
  char *sql = malloc(n + 64);
  int head = sprintf(sql, "SELECT LENGTH('");
  memset(sql + head, 'x', n);
  strcpy(sql + head + n, "')");
  say("statement over the client's limit: %d", mysql_real_query(m, sql, strlen(sql)) != 0);
  show("statement", m);
  MYSQL_RES *r = mysql_store_result(m);
  mysql_free_result(r);
  say("then %s", value(m, "SELECT 1"));
  mysql_close(m);

  m = fresh();
  mysql_options(m, MYSQL_OPT_MAX_ALLOWED_PACKET, &limit);
  connected_to(m, db(), 0);
  int rc = mysql_query(m, "SELECT REPEAT('y', 3*1024*1024)");
  show_rc("row over the client's limit", rc, m);
  r = rc ? NULL : mysql_store_result(m);
  say("stored %s", r ? "yes" : "no");
  show("store", m);
  if (r)
    mysql_free_result(r);
  mysql_close(m);
  free(sql);
}

static void tls(void)
{
  section("TLS that cannot be had");
  /* The scripted server offers none. */
  struct fake f = fake_start(s_silent, 1);
  MYSQL *m = fresh();
#if LAB_MARIADB_ABI
  my_bool on = 1;
  mysql_options(m, MYSQL_OPT_SSL_ENFORCE, &on);
#else
  unsigned int mode = SSL_MODE_REQUIRED;
  mysql_options(m, MYSQL_OPT_SSL_MODE, &mode);
#endif
  fake_connect(m, f);
  stricter = LAB_MARIADB_ABI; /* Connector/C goes on without */
  show("required, not offered", m);
  again(m);
  stricter = 0;
  mysql_close(m);
  fake_end(f);

  m = fresh();
#if LAB_MARIADB_ABI
  mysql_ssl_set(m, NULL, NULL, "/nowhere/ca.pem", NULL, NULL);
  mysql_options(m, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &on);
#else
  mode = SSL_MODE_VERIFY_CA;
  mysql_options(m, MYSQL_OPT_SSL_MODE, &mode);
  mysql_options(m, MYSQL_OPT_SSL_CA, "/nowhere/ca.pem");
#endif
  mysql_real_connect(m, host(), user(), pass(), db(), port(), NULL, 0);
  say("ca file is not there: %u %s", mysql_errno(m), mysql_sqlstate(m));
  mysql_close(m);

  /* A certificate, but of nobody who signed the server's. */
  m = fresh();
#if LAB_MARIADB_ABI
  mysql_ssl_set(m, NULL, NULL, lab_env("MS_CLIENT_CERT"), NULL, NULL);
  mysql_options(m, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &on);
#else
  mysql_options(m, MYSQL_OPT_SSL_MODE, &mode);
  mysql_options(m, MYSQL_OPT_SSL_CA, lab_env("MS_CLIENT_CERT"));
#endif
  mysql_real_connect(m, host(), user(), pass(), db(), port(), NULL, 0);
  say("signed by another: %u %s", mysql_errno(m), mysql_sqlstate(m));
  mysql_close(m);

  m = fresh();
#if LAB_MARIADB_ABI
  mysql_ssl_set(m, NULL, NULL, lab_env("MS_CA"), NULL, NULL);
  mysql_options(m, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &on);
#else
  mode = SSL_MODE_VERIFY_IDENTITY;
  mysql_options(m, MYSQL_OPT_SSL_MODE, &mode);
  mysql_options(m, MYSQL_OPT_SSL_CA, lab_env("MS_CA"));
#endif
  mysql_real_connect(m, host(), user(), pass(), db(), port(), NULL, 0);
  show("verified", m);
  say("cipher %s", mysql_get_ssl_cipher(m) ? "yes" : "no");
  alive(m);
  mysql_close(m);

  m = fresh();
#if LAB_MARIADB_ABI
  mysql_ssl_set(m, lab_env("MS_CLIENT_KEY"), lab_env("MS_CLIENT_CERT"), NULL, NULL, NULL);
#else
  mode = SSL_MODE_REQUIRED;
  mysql_options(m, MYSQL_OPT_SSL_MODE, &mode);
  mysql_options(m, MYSQL_OPT_SSL_KEY, lab_env("MS_CLIENT_KEY"));
  mysql_options(m, MYSQL_OPT_SSL_CERT, lab_env("MS_CLIENT_CERT"));
#endif
  mysql_real_connect(m, host(), user(), pass(), db(), port(), NULL, 0);
  show("client certificate", m);
  say("cipher %s", mysql_get_ssl_cipher(m) ? "yes" : "no");
  mysql_close(m);
}

static void misuse(void)
{
  section("misuse that the originals bear");
  MYSQL *m = fresh();
  show("fresh handle", m);
  show_rc("query", mysql_query(m, "SELECT 1"), m);
  show_rc("ping", mysql_ping(m), m);
  show_rc("select_db", mysql_select_db(m, "x"), m);
  show_rc("commit", mysql_commit(m) != 0, m);
  say("store_result %s", mysql_store_result(m) ? "yes" : "no");
  show("store_result", m);
  say("use_result %s", mysql_use_result(m) ? "yes" : "no");
  show("use_result", m);
  show_next("next_result", m);
  say("more_results %d", mysql_more_results(m) != 0);
  say("fields %u affected %lld id %llu warnings %u thread %lu", mysql_field_count(m),
      (long long)mysql_affected_rows(m), (unsigned long long)mysql_insert_id(m),
      mysql_warning_count(m), mysql_thread_id(m));
  say("info %s", or_null(mysql_info(m)));
  again(m);
  mysql_close(m);

  mysql_close(NULL);
  mysql_free_result(NULL);
  say("close and free of NULL: still here");

  m = connected();
  query(m, "SELECT 1 AS a UNION SELECT 2");
  MYSQL_RES *r = mysql_store_result(m);
  mysql_close(m);
  MYSQL_ROW row = mysql_fetch_row(r);
  say("stored row after close: %s", row ? row[0] : "NULL");
  say("rows %llu, column %s", (unsigned long long)mysql_num_rows(r), mysql_fetch_field_direct(r, 0)->name);
  mysql_free_result(r);

  m = connected();
  query(m, "SELECT 1 AS a UNION SELECT 2");
  r = mysql_use_result(m);
  row = mysql_fetch_row(r);
  say("unbuffered row: %s", row ? row[0] : "NULL");
#if LAB_MARIADB_ABI /* libmysqlclient reads freed memory here */
  mysql_close(m);
  row = mysql_fetch_row(r);
  say("after close: %s", row ? row[0] : "NULL");
  mysql_free_result(r);
#else
  mysql_free_result(r);
  mysql_close(m);
#endif

  m = connected();
  show_rc("empty statement", mysql_query(m, ""), m);
  show_rc("blank statement", mysql_query(m, "   "), m);
  show_rc("comment only", mysql_query(m, "-- x"), m);
  show_rc("empty schema name", mysql_select_db(m, ""), m);
  show_rc("no such schema", mysql_select_db(m, "no_such_schema"), m);
  say("still in %s", value(m, "SELECT DATABASE()"));
  mysql_close(m);
}

int main(void)
{
  lab_start();
  refused();
  out_of_sync();
  gone();
  scripted();
  timeouts();
  too_large();
  tls();
  misuse();
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
