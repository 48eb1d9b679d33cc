/*
 * change_user.c: another account on the same connection: what it says, what it keeps,
 * what it forgets, and how it fails.
 */
#include "lab.h"

static void account(MYSQL *a, const char *name, const char *how)
{
  char sql[300];
  snprintf(sql, sizeof sql, "DROP USER IF EXISTS %s@'%%'", name);
  must(a, sql);
  snprintf(sql, sizeof sql, "CREATE USER %s@'%%' %s", name, how);
  must(a, sql);
  snprintf(sql, sizeof sql, "GRANT ALL ON test.* TO %s@'%%'", name);
  must(a, sql);
}

static void look(MYSQL *m)
{
  say("  handle: user %s, password %s, schema %s, charset %s", or_null(m->user), or_null(m->passwd),
      m->db && *m->db ? m->db : "none",
      mysql_character_set_name(m));
  say("  server: user %s, schema %s, charset %s %s %s, autocommit %s, @x %s", value(m, "SELECT CURRENT_USER()"),
      value(m, "SELECT DATABASE()"), value(m, "SELECT @@character_set_client"),
      value(m, "SELECT @@collation_connection"), value(m, "SELECT @@character_set_results"),
      value(m, "SELECT @@autocommit"), value(m, "SELECT @x"));
}

static void change(const char *what, MYSQL *m, const char *name, const char *password, const char *schema)
{
  my_bool rc = mysql_change_user(m, name, password, schema);
  show_rc(what, rc, m);
  show_status("  status", m);
  say("  transaction %d, autocommit %d", (m->server_status & 1) != 0, (m->server_status & 2) != 0);
}

static MYSQL *fresh(void)
{
  MYSQL *m = mysql_init(NULL);
  mysql_options(m, MYSQL_INIT_COMMAND, "SET @x = 'init'");
  return connected_to(m, db(), 0);
}

static void well(MYSQL *a)
{
  section("accounts that are welcome");
  account(a, "change_one", "IDENTIFIED BY 'first one'");
  account(a, "change_two", "IDENTIFIED BY 'second'");
  account(a, "change_none", "");
  MYSQL *m = fresh();
  unsigned long id = mysql_thread_id(m);
  look(m);
  /* TLS for libmysqlclient, plain and the native method for Connector/C; whether
     a full login of caching_sha2_password works plain is a matter of its own. */
#if LAB_MARIADB_ABI
  if (server_is_mysql()) {
    mysql_close(m);
    m = mysql_init(NULL);
    my_bool on = 1;
    mysql_options(m, MYSQL_OPT_SSL_ENFORCE, &on);
    connected_to(m, db(), 0);
    id = mysql_thread_id(m);
  }
#endif
  must(m, "SET autocommit = 0");
  must(m, "SET @x = 1");
  must(m, "SET NAMES latin1");
  must(m, "CREATE TEMPORARY TABLE change_t (a INT)");
  must(m, "INSERT INTO change_t VALUES (1)");
  change("to one", m, "change_one", "first one", db());
  look(m);
  say("same thread: %d", mysql_thread_id(m) == id);
  say("temporary table: %s", value(m, "SELECT COUNT(*) FROM change_t"));
  change("to one, schema NULL", m, "change_one", "first one", NULL);
  look(m);
  change("to one, schema empty", m, "change_one", "first one", "");
  look(m);
  change("to two", m, "change_two", "second", "test");
  look(m);
  change("to none, NULL", m, "change_none", NULL, "test");
  look(m);
  change("to none, empty", m, "change_none", "", "test");
  look(m);
  change("back", m, user(), pass(), "test");
  look(m);
  mysql_set_character_set(m, "latin1");
  look(m);
  change("after set_character_set", m, "change_two", "second", "test");
  look(m);
  mysql_close(m);

  section("character sets");
  m = mysql_init(NULL);
  mysql_options(m, MYSQL_SET_CHARSET_NAME, "latin1");
  connected_to(m, db(), 0);
  mysql_set_character_set(m, "utf8mb4");
  look(m);
  change("connected with latin1", m, user(), pass(), "test");
  look(m);
#if !LAB_MARIADB_ABI /* Connector/C dies of it */
  mysql_options(m, MYSQL_SET_CHARSET_NAME, "no_such_charset");
  change("a charset that is none", m, user(), pass(), "test");
  look(m);
#endif
  mysql_close(m);
}

static void badly(MYSQL *a)
{
  section("accounts that are refused");
  static const struct { const char *what, *name, *password, *schema; } ways[] = {
      {"wrong password", "change_two", "not it", "test"},
      {"no password", "change_two", NULL, "test"},
      {"password not wanted", "change_none", "x", "test"},
      {"nobody", "change_nobody_at_all", "x", "test"},
      {"user NULL", NULL, "x", "test"},
      {"user empty", "", "", NULL},
      {"no such schema", "change_two", "second", "no_such_schema"},
      {"schema not allowed", "change_two", "second", "mysql"},
  };
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    MYSQL *m = fresh();
    must(m, "SET autocommit = 0");
    change(ways[i].what, m, ways[i].name, ways[i].password, ways[i].schema);
    if (LAB_MARIADB_ABI && server_is_mysql()) {
      /* The server closes then; Connector/C corrupts its memory at the next change. */
      say("  user %s, schema %s, a statement: %d", m->user, m->db, mysql_query(m, "SELECT 1") != 0);
      mysql_close(m);
      continue;
    }
    look(m);
    change("  again, rightly", m, "change_two", "second", "test");
    mysql_close(m);
  }
  (void)a;
}

static void out_of_order(void)
{
  section("out of order, and on what is gone");
  MYSQL *m = fresh();
  mysql_query(m, "SELECT 1");
  MYSQL_RES *r = mysql_use_result(m);
  show_rc("while rows wait", mysql_change_user(m, user(), pass(), db()), m);
  mysql_free_result(r);
  show_rc("after them", mysql_change_user(m, user(), pass(), db()), m);
  look(m);
  kill_from_outside(m);
  my_bool rc = mysql_change_user(m, user(), pass(), db());
  say("on a killed one: %d, %s", rc != 0, mysql_errno(m) > 1000 ? "error" : "none");
  mysql_close(m);

  m = mysql_init(NULL);
  mysql_options(m, MYSQL_DEFAULT_AUTH, "mysql_native_password");
  connected_to(m, db(), 0);
  change("native first", m, "change_two", "second", "test");
  look(m);
  mysql_close(m);

  m = mysql_init(NULL);
  if (mysql_real_connect(m, "localhost", user(), pass(), db(), 0, sock(), 0)) {
    change("over the socket", m, "change_one", "first one", "test");
    say("  %s", mysql_get_host_info(m));
    look(m);
  }
  mysql_close(m);
}

int main(void)
{
  lab_start();
  MYSQL *a = admin();
  well(a);
  badly(a);
  out_of_order();
  static const char *const names[] = {"one", "two", "none"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char sql[80];
    snprintf(sql, sizeof sql, "DROP USER IF EXISTS change_%s@'%%'", names[i]);
    must(a, sql);
  }
  mysql_close(a);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
