/*
 * reconnect.c: MYSQL_OPT_RECONNECT by each original's rules: what reconnects, what
 * the new connection keeps, and what forbids it. Also mariadb_reconnect.
 */
#include "lab.h"

static MYSQL *with_reconnect(const char *init)
{
  MYSQL *m = mysql_init(NULL);
  my_bool on = 1;
  mysql_options(m, MYSQL_OPT_RECONNECT, &on);
  if (init)
    mysql_options(m, MYSQL_INIT_COMMAND, init);
  return connected_to(m, db(), 0);
}

/* What the handle is after a call: a new connection or the old one, and what is left of its state. */
static void state(const char *what, MYSQL *m, unsigned long before)
{
  say("%s: new id %d, id known to the server %d, schema %s, charset %s, @v %s, autocommit %s", what,
      mysql_thread_id(m) != before, (unsigned long)atol(value(m, "SELECT CONNECTION_ID()")) == mysql_thread_id(m),
      value(m, "SELECT DATABASE()"), value(m, "SELECT @@character_set_client"), value(m, "SELECT @v"),
      value(m, "SELECT @@autocommit"));
}

static int c_query(MYSQL *m) { return mysql_query(m, "DO 1"); }
static int c_ping(MYSQL *m) { return mysql_ping(m); }
static int c_select_db(MYSQL *m) { return mysql_select_db(m, "mysql"); }
static int c_charset(MYSQL *m) { return mysql_set_character_set(m, "latin1"); }
static int c_reset(MYSQL *m) { return mysql_reset_connection(m); }
static int c_commit(MYSQL *m) { return mysql_commit(m) != 0; }
static int c_autocommit(MYSQL *m) { return mysql_autocommit(m, 1) != 0; }
static int c_list_dbs(MYSQL *m)
{
  MYSQL_RES *r = mysql_list_dbs(m, "mysql");
  mysql_free_result(r);
  return r == NULL;
}
static int c_stat(MYSQL *m) { return strncmp(mysql_stat(m), "Uptime", 6) != 0; }
static int c_option(MYSQL *m) { return mysql_set_server_option(m, MYSQL_OPTION_MULTI_STATEMENTS_ON); }
static int c_send(MYSQL *m)
{
  int rc = mysql_send_query(m, "DO 1", 4);
  return rc ? rc : mysql_read_query_result(m) != 0;
}

/* One call on a handle whose connection the server has ended, twice; then how it stands. */
static void after_kill(const char *what, int (*call)(MYSQL *), int over_socket)
{
  MYSQL *m = mysql_init(NULL);
  my_bool on = 1;
  mysql_options(m, MYSQL_OPT_RECONNECT, &on);
  mysql_options(m, MYSQL_INIT_COMMAND, "SET @v = 3");
  mysql_options(m, MYSQL_SET_CHARSET_NAME, "latin2");
  if (!mysql_real_connect(m, over_socket ? "localhost" : host(), user(), pass(), db(), port(), sock(), 0))
    show("connect", m);
  must(m, "SET @v = 4");
  unsigned long id = mysql_thread_id(m);
  kill_from_outside(m);
  show_rc(what, call(m), m);
  show_rc("  again", call(m), m);
  state("  then", m, id);
  mysql_close(m);
}

static void calls(void)
{
  for (int s = 0; s < 2; s++) {
    section("the first call after the server has hung up, %s", s ? "socket" : "TCP");
    after_kill("query", c_query, s);
    after_kill("ping", c_ping, s);
    after_kill("select_db", c_select_db, s);
    after_kill("set_character_set", c_charset, s);
    after_kill("reset_connection", c_reset, s);
    after_kill("commit", c_commit, s);
    after_kill("autocommit", c_autocommit, s);
    after_kill("list_dbs", c_list_dbs, s);
    after_kill("stat", c_stat, s);
    after_kill("set_server_option", c_option, s);
    after_kill("send_query", c_send, s);
  }
}

static void kept(void)
{
  section("what the new connection keeps");
  MYSQL *m = with_reconnect("SET @v = 1");
  unsigned long id = mysql_thread_id(m);
  state("connected", m, id);
  must(m, "SET @v = 2");
  mysql_select_db(m, "mysql");
  mysql_set_character_set(m, "latin1");
  query(m, "CREATE TEMPORARY TABLE test.reconnect_t (a INT)");
  kill_from_outside(m);
  mysql_ping(m);
  mysql_ping(m);
  show("after it", m);
  state("after it", m, id);
  show_rc("its temporary table", mysql_query(m, "SELECT * FROM test.reconnect_t"), m);
  show_status("status", m);
  my_bool on = 0;
  mysql_get_option(m, MYSQL_OPT_RECONNECT, &on);
  say("still asked for: %d", on);
  mysql_close(m);

  section("not inside a transaction, but once the program knows");
  m = with_reconnect(NULL);
  must(m, "SET @v = 2");
  must(m, "BEGIN");
  must(m, "SELECT 1");
  id = mysql_thread_id(m);
  kill_from_outside(m);
  for (int i = 0; i < 4; i++)
    show_rc("query", mysql_query(m, "DO 1"), m);
  state("after it", m, id);
  mysql_close(m);

  section("in the middle of a result");
  m = with_reconnect(NULL);
  query(m, "SELECT 1 UNION SELECT 2");
  MYSQL_RES *r = mysql_store_result(m);
  kill_from_outside(m);
  mysql_ping(m);
  mysql_ping(m);
  say("stored rows %llu", r ? (unsigned long long)mysql_num_rows(r) : 0ull);
  mysql_free_result(r);
  alive(m);
  mysql_close(m);

  section("asked for after connecting");
  m = connected();
  on = 1;
  id = mysql_thread_id(m);
  mysql_options(m, MYSQL_OPT_RECONNECT, &on);
  kill_from_outside(m);
  mysql_ping(m);
  mysql_ping(m);
  state("after it", m, id);
  on = 0;
  mysql_options(m, MYSQL_OPT_RECONNECT, &on);
  kill_from_outside(m);
  show_rc("and no longer", mysql_query(m, "DO 1"), m);
  show_rc("and no longer", mysql_query(m, "DO 1"), m);
  mysql_close(m);

  section("another user after reconnecting");
  m = with_reconnect(NULL);
  kill_from_outside(m);
  mysql_ping(m);
  mysql_ping(m);
  show_rc("change_user", mysql_change_user(m, user(), pass(), "mysql") != 0, m);
  usleep(200000); /* a server that refuses hangs up behind its error */
  say("schema %s", value(m, "SELECT DATABASE()"));
  kill_from_outside(m);
  show_rc("change_user after a kill", mysql_change_user(m, user(), pass(), db()) != 0, m);
  show_rc("change_user again", mysql_change_user(m, user(), pass(), db()) != 0, m);
  say("schema %s", value(m, "SELECT DATABASE()"));
  mysql_close(m);
}

static void by_hand(void)
{
#if LAB_MARIADB_ABI
  section("mariadb_reconnect");
  MYSQL *m = mysql_init(NULL);
  show_rc("never connected", mariadb_reconnect(m) != 0, m);
  mysql_close(m);

  m = connected();
  unsigned long id = mysql_thread_id(m);
  show_rc("not asked for", mariadb_reconnect(m) != 0, m);
  state("after it", m, id);
  mysql_close(m);

  m = with_reconnect("SET @v = 5");
  id = mysql_thread_id(m);
  must(m, "SET @v = 6");
  mysql_select_db(m, "mysql");
  show_rc("healthy", mariadb_reconnect(m) != 0, m);
  state("after it", m, id);
  id = mysql_thread_id(m);
  kill_from_outside(m);
  show_rc("killed", mariadb_reconnect(m) != 0, m);
  state("after it", m, id);
  must(m, "BEGIN");
  must(m, "SELECT 1");
  show_rc("in a transaction", mariadb_reconnect(m) != 0, m);
  show_rc("again", mariadb_reconnect(m) != 0, m);
  alive(m);
  query(m, "SELECT 1");
  show_rc("while a result waits", mariadb_reconnect(m) != 0, m);
  say("store_result: %s", mysql_store_result(m) ? "result" : "NULL");
  alive(m);
  mysql_close(m);

  section("mariadb_cancel");
  m = connected();
  say("cancel %d", mariadb_cancel(m) != 0);
  show_rc("query", mysql_query(m, "SELECT 1"), m);
  mysql_close(m);
  m = mysql_init(NULL);
  say("never connected: %d, NULL: %d", mariadb_cancel(m) != 0, mariadb_cancel(NULL) != 0);
  mysql_close(m);
#endif
}

int main(void)
{
  lab_start();
  calls();
  kept();
  by_hand();
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
