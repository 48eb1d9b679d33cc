/*
 * session.c: what changes a session: schema, charset, autocommit, options, reset;
 * statements sent and read in two steps; session tracking; escaping.
 */
#include "lab.h"

static void state(const char *what, MYSQL *m)
{
  say("%-30s db=%s field=%s charset=%s status=%u", what, value(m, "SELECT DATABASE()"),
      or_null(m->db), mysql_character_set_name(m), m->server_status & ~0x22u);
}

static void schema(MYSQL *m)
{
  section("schema");
  must(m, "CREATE DATABASE IF NOT EXISTS test_session");
  state("connected", m);
  show_rc("select_db", mysql_select_db(m, "test_session"), m);
  state("after it", m);
  query(m, "USE test");
  state("after USE", m);
  show_rc("select_db of nothing", mysql_select_db(m, "test_nothing_here"), m);
  state("after a failure", m);
  show_rc("back", mysql_select_db(m, db()), m);
  must(m, "DROP DATABASE test_session");
}

static void charsets(void)
{
  section("charset");
  static const char *const names[] = {"utf8mb4", "utf8mb3", "utf8", "latin1", "ascii", "binary",
                                      "latin2", "cp1251", "koi8r", "greek"};
  MYSQL *m = connected();
  MY_CHARSET_INFO info;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    show_rc(names[i], mysql_set_character_set(m, names[i]), m);
    mysql_get_character_set_info(m, &info);
    say("  name=%s info: nr=%u state=%u cs=%s coll=%s min=%u max=%u", mysql_character_set_name(m),
        info.number, info.state & 0, or_null(info.csname), or_null(info.name), info.mbminlen, info.mbmaxlen);
    say("  server: %s %s %s %s", value(m, "SELECT @@character_set_client"),
        value(m, "SELECT @@character_set_connection"), value(m, "SELECT @@character_set_results"),
        value(m, "SELECT @@collation_connection"));
  }
  mysql_close(m);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    m = mysql_init(NULL);
    mysql_options(m, MYSQL_SET_CHARSET_NAME, names[i]);
    say("before connecting with %s: %s", names[i], mysql_character_set_name(m));
    if (!mysql_real_connect(m, host(), user(), pass(), db(), port(), NULL, 0)) {
      show("connect", m);
    } else {
      say("  name=%s server: %s %s", mysql_character_set_name(m), value(m, "SELECT @@character_set_client"),
          value(m, "SELECT @@collation_connection"));
    }
    mysql_close(m);
  }
  m = connected();
  say("by default %s, server %s", mysql_character_set_name(m), value(m, "SELECT @@character_set_client"));
  query(m, "SET NAMES latin1");
  say("after SET NAMES: %s", mysql_character_set_name(m));
  mysql_close(m);
}

static void transactions(MYSQL *m)
{
  section("autocommit, commit, rollback");
  must(m, "DROP TABLE IF EXISTS session_t");
  must(m, "CREATE TABLE session_t (id INT PRIMARY KEY) ENGINE=InnoDB");
  show_rc("autocommit off", mysql_autocommit(m, 0), m);
  say("status %u, %s", m->server_status & ~0x22u, value(m, "SELECT @@autocommit"));
  query(m, "INSERT INTO session_t VALUES (1)");
  say("status %u", m->server_status & ~0x22u);
  show_rc("rollback", mysql_rollback(m), m);
  say("rows %s", value(m, "SELECT COUNT(*) FROM session_t"));
  query(m, "INSERT INTO session_t VALUES (2)");
  show_rc("commit", mysql_commit(m), m);
  show_rc("autocommit on", mysql_autocommit(m, 1), m);
  say("rows %s status %u", value(m, "SELECT COUNT(*) FROM session_t"), m->server_status & ~0x22u);
  query(m, "START TRANSACTION");
  say("status %u", m->server_status & ~0x22u);
  query(m, "INSERT INTO session_t VALUES (3)");
  say("status %u", m->server_status & ~0x22u);
  query(m, "ROLLBACK");
  say("status %u rows %s", m->server_status & ~0x22u, value(m, "SELECT COUNT(*) FROM session_t"));
  query(m, "START TRANSACTION READ ONLY");
  say("status %u", m->server_status & ~0x22u);
  show_rc("commit", mysql_commit(m), m);
}

static void calls(MYSQL *m)
{
  section("ping, reset, options, stat");
  show_rc("ping", mysql_ping(m), m);
  query(m, "INSERT INTO session_t VALUES (50),(51)");
  show_status("before the ping", m);
  mysql_ping(m);
  show_status("after the ping", m);
  query(m, "SET @v = 5");
  query(m, "CREATE TEMPORARY TABLE session_tmp (a INT)");
  mysql_autocommit(m, 0);
  mysql_set_character_set(m, "latin1");
  show_rc("reset_connection", mysql_reset_connection(m), m);
  say("@v=%s autocommit=%s charset=%s server=%s", value(m, "SELECT @v"), value(m, "SELECT @@autocommit"),
      mysql_character_set_name(m),
      /* MariaDB does not know libmysqlclient's collation and keeps what the thread had before. */
      LAB_MARIADB_ABI || server_is_mysql() ? value(m, "SELECT @@character_set_client") : "whatever it was");
  query(m, "SELECT * FROM session_tmp");
  state("after reset", m);
  mysql_set_character_set(m, "utf8mb4");
  show_rc("multi on", mysql_set_server_option(m, MYSQL_OPTION_MULTI_STATEMENTS_ON), m);
  say("two: %d", mysql_query(m, "DO 1; DO 2"));
  while (mysql_next_result(m) == 0)
    ;
  show_rc("multi off", mysql_set_server_option(m, MYSQL_OPTION_MULTI_STATEMENTS_OFF), m);
  query(m, "DO 1; DO 2");
  show_rc("no such option", mysql_set_server_option(m, (enum enum_mysql_set_option)77), m);
  const char *text = mysql_stat(m);
  say("stat starts with %.7s", or_null(text));
  say("proto %u", mysql_get_proto_info(m));
  say("host info %s", mysql_get_host_info(m));
  say("server info is version(): %d", !strcmp(mysql_get_server_info(m), value(m, "SELECT VERSION()")));
  say("server version %lu", mysql_get_server_version(m) / 100);
  say("cipher %s", mysql_get_ssl_cipher(m) ? "yes" : "no");
  MYSQL *u = mysql_init(NULL);
  mysql_real_connect(u, "localhost", user(), pass(), db(), 0, sock(), 0);
  show("over the socket", u);
  say("host info %s", or_null(mysql_get_host_info(u)));
  mysql_close(u);
  /* thread id */
  unsigned long id = mysql_thread_id(m);
  char text_id[32];
  snprintf(text_id, sizeof text_id, "%lu", id);
  say("thread id is connection_id(): %d", !strcmp(text_id, value(m, "SELECT CONNECTION_ID()")));
  MYSQL *other = connected();
  char kill[40];
  snprintf(kill, sizeof kill, "KILL QUERY %lu", mysql_thread_id(other));
  must(m, kill);
  alive(other);
  mysql_close(other);
}

static void two_steps(void)
{
  section("send_query, read_query_result");
  MYSQL *m = connected();
  static const char *const sql[] = {"SELECT 1 AS a UNION SELECT 2", "DO 0", "SELEKT", "SELECT SLEEP(0.05)"};
  for (size_t i = 0; i < sizeof sql / sizeof *sql; i++) {
    show_rc(sql[i], mysql_send_query(m, sql[i], strlen(sql[i])), m);
    say("  status %d", (int)m->status);
    struct pollfd p = {.fd = m->net.fd, .events = POLLIN};
    say("  readable %d", poll(&p, 1, 20000));
    show_rc("  read_query_result", mysql_read_query_result(m) != 0, m);
    say("  fields %u", mysql_field_count(m));
    MYSQL_RES *r = mysql_store_result(m);
    MYSQL_ROW row;
    while (r && (row = mysql_fetch_row(r)))
      say("  row %s", or_null(row[0]));
    mysql_free_result(r);
  }
  mysql_set_server_option(m, MYSQL_OPTION_MULTI_STATEMENTS_ON);
  mysql_send_query(m, "SELECT 5; SELECT 6", 18);
  say("read %d", mysql_read_query_result(m) != 0);
  int more;
  do {
    MYSQL_RES *r = mysql_use_result(m);
    MYSQL_ROW row = r ? mysql_fetch_row(r) : NULL;
    say("row %s", row ? row[0] : "NULL");
    mysql_free_result(r);
    more = mysql_next_result(m);
  } while (more == 0);
  mysql_close(m);
}

static const char *type_name(int t)
{
  static const char *const names[] = {"variables", "schema", "state", "gtids", "characteristics", "transaction"};
  return t >= 0 && t < 6 ? names[t] : "?";
}

static void tracked(const char *sql, MYSQL *m)
{
  if (query(m, sql))
    return;
  MYSQL_RES *r = mysql_store_result(m);
  mysql_free_result(r);
  say("%s", sql);
  for (int t = 0; t < 6; t++) {
    const char *data;
    size_t length;
    if (mysql_session_track_get_first(m, (enum enum_session_state_type)t, &data, &length))
      continue;
    do
      say("  %s: %s", type_name(t), bytes(data, length));
    while (!mysql_session_track_get_next(m, (enum enum_session_state_type)t, &data, &length));
  }
}

static void tracking(void)
{
  section("session tracking");
  MYSQL *m = connected();
  tracked("DO 0", m);
  tracked("USE test", m);
  tracked("SET autocommit=1", m);
  tracked("SET NAMES latin1", m);
  query(m, "SET session_track_state_change=1");
  query(m, "SET session_track_transaction_info='CHARACTERISTICS'");
  query(m, "SET session_track_system_variables='autocommit,time_zone,sql_mode'");
  tracked("SET autocommit=0", m);
  tracked("SET time_zone='+02:00'", m);
  tracked("SET autocommit=1", m);
  tracked("START TRANSACTION READ ONLY", m);
#if LAB_MARIADB_ABI
  stricter = 1; /* Connector/C does not look for changes behind rows and shows those of the last OK */
#endif
  tracked("SELECT 1", m);
  stricter = 0;
  tracked("COMMIT", m);
  tracked("SET @x=1", m);
  tracked("USE test", m);
  tracked("DO 0", m);
  mysql_reset_connection(m);
  tracked("SET time_zone='+03:00'", m);
  mysql_close(m);
}

static void escaping(void)
{
  section("escaping");
  static const struct { const char *name, *data; size_t n; } in[] = {
      {"plain", "hello", 5},
      {"empty", "", 0},
      {"quotes", "a'b\"c`d", 7},
      {"control", "\0\n\r\x1a\\\t%_", 8},
      {"utf8", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80'", 10},
      {"broken utf8", "\xc3'\xe2\x82'\xf0'\xff'", 10},
      {"high bytes", "\x80\x5c\xbf\x27\xbf\x5c", 6},
      {"trailing lead", "abc\xe2", 4},
  };
  static const char *const sets[] = {"utf8mb4", "latin1", "utf8", "ascii", "binary"};
  char out[128];
  MYSQL *m = connected();
  for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
    mysql_set_character_set(m, sets[s]);
    for (int no_backslash = 0; no_backslash < 2; no_backslash++) {
      must(m, no_backslash ? "SET sql_mode='NO_BACKSLASH_ESCAPES'" : "SET sql_mode=''");
      for (size_t i = 0; i < sizeof in / sizeof *in; i++) {
        memset(out, '#', sizeof out);
#if !LAB_MARIADB_ABI
        if (no_backslash) {
          unsigned long n = mysql_real_escape_string_quote(m, out, in[i].data, in[i].n, '\'');
          say("%s %s quote: %ld %s", sets[s], in[i].name, (long)n, bytes(out, n > 100 ? 0 : n + 1));
          continue;
        }
#endif
        unsigned long n = mysql_real_escape_string(m, out, in[i].data, in[i].n);
        say("%s %s%s: %ld %s", sets[s], in[i].name, no_backslash ? " no backslash" : "", (long)n,
            bytes(out, n > 100 ? 0 : n + 1));
      }
    }
  }
#if !LAB_MARIADB_ABI
  must(m, "SET sql_mode=''");
  mysql_set_character_set(m, "utf8mb4");
  for (size_t i = 0; i < sizeof in / sizeof *in; i++) {
    static const char quotes[] = {'\'', '"', '`'};
    for (int q = 0; q < 3; q++) {
      unsigned long n = mysql_real_escape_string_quote(m, out, in[i].data, in[i].n, quotes[q]);
      say("quote %c %s: %ld %s", quotes[q], in[i].name, (long)n, bytes(out, n + 1));
    }
  }
  must(m, "SET sql_mode='NO_BACKSLASH_ESCAPES'");
  say("the plain function with NO_BACKSLASH_ESCAPES: %ld",
      (long)mysql_real_escape_string(m, out, "a'b", 3));
  show("it", m);
#endif
  mysql_close(m);

  m = mysql_init(NULL);
  for (size_t i = 0; i < sizeof in / sizeof *in; i++) {
    unsigned long n = mysql_real_escape_string(m, out, in[i].data, in[i].n);
    say("never connected %s: %ld %s", in[i].name, (long)n, bytes(out, n + 1));
  }
  mysql_close(m);
  for (size_t i = 0; i < sizeof in / sizeof *in; i++) {
    unsigned long n = mysql_escape_string(out, in[i].data, in[i].n);
    say("mysql_escape_string %s: %ld %s", in[i].name, (long)n, bytes(out, n + 1));
    n = mysql_hex_string(out, in[i].data, in[i].n);
    say("mysql_hex_string %s: %ld %s", in[i].name, (long)n, out);
  }
}

int main(void)
{
  lab_start();
  MYSQL *m = connected();
  schema(m);
  transactions(m);
  calls(m);
  mysql_close(m);
  charsets();
  two_steps();
  tracking();
  escaping();
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
