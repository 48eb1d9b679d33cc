/*
 * leftovers.c: what a call leaves for the next one, most of it after a failure: found by random calls (lockstep/), kept
 * here by name.
 */
#include "lab.h"

#if LAB_MARIADB_ABI
#define get_option mysql_get_optionv
#else
#define get_option mysql_get_option
#endif

static void show_options(const char *what, MYSQL *m)
{
  unsigned connect = 9, read = 9, protocol = 9;
  my_bool truncation = 9;
  char *charset = NULL, *method = NULL;
  unsigned long packet = 9;
  get_option(m, MYSQL_OPT_CONNECT_TIMEOUT, &connect);
  get_option(m, MYSQL_OPT_READ_TIMEOUT, &read);
  get_option(m, MYSQL_OPT_PROTOCOL, &protocol);
  get_option(m, MYSQL_REPORT_DATA_TRUNCATION, &truncation);
  get_option(m, MYSQL_SET_CHARSET_NAME, &charset);
  get_option(m, MYSQL_DEFAULT_AUTH, &method);
  get_option(m, MYSQL_OPT_MAX_ALLOWED_PACKET, &packet);
  say("%s: connect %u read %u protocol %u truncation %d charset %s method %s packet %lu", what, connect, read, protocol, truncation,
      or_null(charset), or_null(method), packet);
#if !LAB_MARIADB_ABI
  unsigned mode = 9, retries = 9;
  get_option(m, MYSQL_OPT_SSL_MODE, &mode);
  get_option(m, MYSQL_OPT_RETRY_COUNT, &retries);
  say("  TLS %u retries %u", mode, retries);
#endif
}

static void options(unsigned long remembers)
{
  section("options and connects that fail, %s", remembers ? "with CLIENT_REMEMBER_OPTIONS" : "without a flag");
  MYSQL *m = mysql_init(NULL);
  unsigned seconds = 77;
  unsigned long packet = 1 << 20;
  show_options("new", m);
  mysql_options(m, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
  mysql_options(m, MYSQL_OPT_READ_TIMEOUT, &seconds);
  mysql_options(m, MYSQL_SET_CHARSET_NAME, "latin1");
  mysql_options(m, MYSQL_DEFAULT_AUTH, "mysql_native_password");
  mysql_options(m, MYSQL_OPT_MAX_ALLOWED_PACKET, &packet);
  mysql_options(m, MYSQL_INIT_COMMAND, "SET @a = 5");
  show_options("set", m);
  const char *const sockets[] = {"/no/such/socket", lab_env("MS_NODE0_SOCKET")};
  for (int k = 0; k < 2; k++) {
    MYSQL *c = mysql_real_connect(m, NULL, "nobody_there", "x", NULL, 0, sockets[k], remembers);
    say("connect %d: %d errno %u", k, c != NULL, mysql_errno(m));
    show_options("afterwards", m);
    say("thread %d capabilities %d protocol %u language %u", m->thread_id != 0, m->server_capabilities != 0, m->protocol_version,
        m->server_language);
  }
  MYSQL *c = mysql_real_connect(m, NULL, lab_env("MS_USER"), lab_env("MS_PASSWORD"), db(), 0, sockets[1], remembers);
  say("connect: %d errno %u", c != NULL, mysql_errno(m));
  show_options("connected", m);
  if (c) {
    say("@a is %s", value(m, "SELECT @a"));
    say("the character set is %s", value(m, "SELECT @@character_set_client"));
  }
  mysql_close(m);
}

static void init_commands(void)
{
  section("init commands");
  static const char *const commands[][2] = {{"SET @a = 1", NULL}, {"SELECT 1, 2", NULL}, {"SELECT 1, 2", "SELEC"}, {"SELEC", NULL},
                                          {"SELECT CAST('12x' AS SIGNED)", NULL}, {"SET SESSION sql_mode = 'NO_ZERO_DATE'", NULL}};
  for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
    MYSQL *m = mysql_init(NULL);
    for (int n = 0; n < 2; n++)
      if (commands[k][n])
        mysql_options(m, MYSQL_INIT_COMMAND, commands[k][n]);
    MYSQL *c = mysql_real_connect(m, NULL, lab_env("MS_USER"), lab_env("MS_PASSWORD"), db(), 0, lab_env("MS_NODE0_SOCKET"), 0);
    say("%zu: %d errno %u affected %lld fields %u warnings %u", k, c != NULL, mysql_errno(m), (long long)mysql_affected_rows(m),
        mysql_field_count(m), c ? mysql_warning_count(m) : 0);
    mysql_close(m);
  }
}

static void rows_thrown_away(void)
{
  section("an error among rows that are thrown away");
  MYSQL *m = connected();
  MYSQL *a = admin();
  must(a, "SET GLOBAL log_bin_trust_function_creators = 1");
  mysql_close(a);
  must(m, "DROP FUNCTION IF EXISTS leftover_fails");
  must(m, "CREATE FUNCTION leftover_fails() RETURNS INT DETERMINISTIC BEGIN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'never works'; "
          "RETURN 1; END");
  query(m, "SELECT leftover_fails()");
  MYSQL_RES *r = mysql_use_result(m);
  mysql_free_result(r);
  show("an unbuffered result freed", m);
  query(m, "SELECT leftover_fails()");
  r = mysql_store_result(m);
  show("stored", m);
  say("used afterwards: %d", mysql_use_result(m) != NULL);
  show("used", m);

  MYSQL_STMT *s = mysql_stmt_init(m);
  const char *text = "SELECT leftover_fails()";
  mysql_stmt_prepare(s, text, strlen(text));
  say("execute: %d", mysql_stmt_execute(s));
  say("free_result: %d", mysql_stmt_free_result(s));
  show("the handle", m);
  say("execute: %d", mysql_stmt_execute(s));
  say("store_result: %d, %u", mysql_stmt_store_result(s) != 0, mysql_stmt_errno(s));
#if !LAB_MARIADB_ABI
  /* Connector/C would wait for rows. */
  say("fetch: %d, %u", mysql_stmt_fetch(s), mysql_stmt_errno(s));
#endif
  mysql_stmt_close(s);
  must(m, "DROP FUNCTION leftover_fails");
  alive(m);
  mysql_close(m);
}

static void show_tracked(const char *what, MYSQL *m)
{
  const char *data;
  size_t length;
  int rc = mysql_session_track_get_first(m, SESSION_TRACK_SCHEMA, &data, &length);
  say("%s: %s", what, rc ? "nothing tracked" : "a schema tracked");
}

static void tracked(void)
{
  section("what was tracked stays until a reply says otherwise");
  MYSQL *m = connected();
  MYSQL_STMT *s = mysql_stmt_init(m);
  mysql_stmt_prepare(s, "SELECT 1", 8);
  mysql_select_db(m, db());
  show_tracked("select_db", m);
  mysql_stmt_reset(s);
  show_tracked("stmt_reset", m);
  mysql_stmt_prepare(s, "SELEC", 5);
  show_tracked("a failed prepare", m);
  mysql_reset_connection(m);
  show_tracked("reset_connection", m);
  mysql_change_user(m, lab_env("MS_USER"), lab_env("MS_PASSWORD"), db());
  show_tracked("change_user", m);
  query(m, "SELEC");
  show_tracked("a failed statement", m);
  mysql_stmt_close(s);
  alive(m);
  mysql_close(m);
}

static void of_another_kind(void)
{
  section("a statement's result is none of mysql_store_result");
  MYSQL *m = connected();
  MYSQL_STMT *s = mysql_stmt_init(m);
  mysql_stmt_prepare(s, "SELECT 1, 2", 11);
  mysql_stmt_execute(s);
  say("store_result: %d", mysql_store_result(m) != NULL);
  show("stored", m);
  say("stmt_store_result: %d", mysql_stmt_store_result(s));
  say("fields %u", mysql_field_count(m));
  mysql_stmt_reset(s);
  say("fields after a reset %u", mysql_field_count(m));
#if !LAB_MARIADB_ABI
  say("fetch after it: %d, %u", mysql_stmt_fetch(s), mysql_stmt_errno(s));
  mysql_stmt_data_seek(s, 0);
  say("and after a seek: %d", mysql_stmt_fetch(s));
#endif
  mysql_stmt_close(s);
  alive(m);
  mysql_close(m);

  section("types that cannot be bound");
  m = connected();
  s = mysql_stmt_init(m);
  mysql_stmt_prepare(s, "SELECT ?", 8);
  MYSQL_BIND bind;
  memset(&bind, 0, sizeof bind);
  bind.buffer_type = (enum enum_field_types)200;
  say("result: %d, %s", mysql_stmt_bind_result(s, &bind), mysql_stmt_error(s));
#if LAB_MARIADB_ABI
  say("parameter: %d, %s", mysql_stmt_bind_param(s, &bind), mysql_stmt_error(s));
  say("executed at once, without values: %d, %u", mariadb_stmt_execute_direct(s, "SELECT ?, ?", 11), mysql_stmt_errno(s));
  show("the handle", m);
#endif
  mysql_stmt_close(s);
  alive(m);
  mysql_close(m);
}

static MYSQL_STMT *prepared(MYSQL *m, const char *text, MYSQL_BIND *param, MYSQL_BIND *column)
{
  MYSQL_STMT *s = mysql_stmt_init(m);
  if (mysql_stmt_prepare(s, text, strlen(text)))
    say("prepare: %u", mysql_stmt_errno(s));
  if (param)
    mysql_stmt_bind_param(s, param);
  if (column)
    mysql_stmt_bind_result(s, column);
  return s;
}

static void show_statement(const char *what, MYSQL_STMT *s)
{
  say("%s: errno %u state %d rows %llu affected %lld", what, mysql_stmt_errno(s), (int)s->state, (unsigned long long)mysql_stmt_num_rows(s),
      (long long)mysql_stmt_affected_rows(s));
}

static void statements(void)
{
  MYSQL *m = connected();
  int in = 7, out = 0;
  MYSQL_BIND param, column;
  memset(&param, 0, sizeof param);
  memset(&column, 0, sizeof column);
  param.buffer_type = column.buffer_type = MYSQL_TYPE_LONG;
  param.buffer = &in, column.buffer = &out;

  section("an execution that was refused out of order");
  MYSQL_STMT *s = prepared(m, "SELECT ?", &param, &column);
  for (int k = 0; k < 3; k++) {
    query(m, "SELECT 1");
    say("refused: %d, %u", mysql_stmt_execute(s) != 0, mysql_stmt_errno(s));
    mysql_free_result(mysql_store_result(m));
    say("executed: %d, %u", mysql_stmt_execute(s) != 0, mysql_stmt_errno(s));
    mysql_stmt_free_result(s);
    mysql_stmt_bind_param(s, &param);
    say("bound anew and executed: %d, %u", mysql_stmt_execute(s) != 0, mysql_stmt_errno(s));
    say("fetched: %d, %d", mysql_stmt_fetch(s), out);
    show_statement("fetched", s);
    mysql_stmt_free_result(s);
  }
  mysql_stmt_close(s);
  s = prepared(m, "SELECT 1 UNION SELECT 2", NULL, &column);
  mysql_stmt_execute(s);
  while (mysql_stmt_fetch(s) == 0)
    ;
  show_statement("at the end", s);
  query(m, "SELECT 1");
  say("refused: %d", mysql_stmt_execute(s) != 0);
  show_statement("refused", s);
  mysql_free_result(mysql_store_result(m));
  mysql_stmt_close(s);

  section("rows that end with an error");
  static const char *const failing[] = {
      "SELECT (SELECT 1 UNION SELECT 2)",
      "SELECT IF(n > 2, (SELECT 1 UNION SELECT 2), n) FROM (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3) AS q",
  };
  for (int k = 0; k < 2; k++) {
    s = prepared(m, failing[k], NULL, &column);
    say("execute: %d", mysql_stmt_execute(s));
    for (int n = 0; n < 4; n++) {
      int rc = mysql_stmt_fetch(s);
      say("fetch: %d, statement %u, handle %u", rc, mysql_stmt_errno(s), mysql_errno(m));
      if (rc)
        break;
    }
    mysql_stmt_close(s);
    s = prepared(m, failing[k], NULL, &column);
    say("execute: %d, store_result: %d", mysql_stmt_execute(s), mysql_stmt_store_result(s) != 0);
    say("free_result: %d, handle %u", mysql_stmt_free_result(s), mysql_errno(m));
    show_statement("freed", s);
    mysql_stmt_close(s);
  }
  alive(m);

#if LAB_MARIADB_ABI
  /* libmysqlclient leaves the other results to mysql_stmt_next_result, which fails from then on. */
  section("the end of a procedure's results");
  must(m, "DROP PROCEDURE IF EXISTS leftover_two");
  must(m, "CREATE PROCEDURE leftover_two() BEGIN SELECT 1; SELECT 2; END");
  for (int fetches = 0; fetches < 3; fetches++) {
    s = prepared(m, "CALL leftover_two()", NULL, NULL);
    say("execute: %d", mysql_stmt_execute(s));
    for (int k = 0; k < fetches; k++)
      say("fetch: %d", mysql_stmt_fetch(s));
    say("reset: %d", mysql_stmt_reset(s));
    show_statement("reset", s);
    say("fields %u, handle %u", mysql_stmt_field_count(s), mysql_field_count(m));
    mysql_stmt_close(s);
  }
  must(m, "DROP PROCEDURE leftover_two");
  alive(m);
#endif

  section("rows to prefetch");
  s = mysql_stmt_init(m);
  static const unsigned long counts[] = {3, 0, 2, 0};
  for (int k = 0; k < 4; k++) {
    unsigned long count = counts[k], got = 77;
    int rc = mysql_stmt_attr_set(s, STMT_ATTR_PREFETCH_ROWS, &count);
    mysql_stmt_attr_get(s, STMT_ATTR_PREFETCH_ROWS, &got);
    say("%lu: %d, %lu, %lu", counts[k], rc, count, got);
  }
  mysql_stmt_close(s);

#if !LAB_MARIADB_ABI
  /* Connector/C believes in a cursor for ever. */
  section("cursors");
  unsigned long cursor = CURSOR_TYPE_READ_ONLY;
  for (int k = 0; k < 2; k++) {
    s = prepared(m, failing[k], NULL, &column);
    mysql_stmt_attr_set(s, STMT_ATTR_CURSOR_TYPE, &cursor);
    query(m, "SHOW VARIABLES LIKE 'character_set_c%'");
    mysql_free_result(mysql_store_result(m));
    say("execute: %d, %u", mysql_stmt_execute(s), mysql_stmt_errno(s));
    show_statement("refused", s);
    say("status of the statement %x", s->server_status);
    mysql_stmt_close(s);
  }
  s = prepared(m, "SELECT 1 UNION SELECT 2", NULL, &column);
  mysql_stmt_attr_set(s, STMT_ATTR_CURSOR_TYPE, &cursor);
  for (int k = 0; k < 2; k++) {
    say("execute: %d", mysql_stmt_execute(s));
    say("mysql_store_result: %d, %u", mysql_store_result(m) != NULL, mysql_errno(m));
    say("%s: %d, handle %u", k ? "stored" : "fetched", k ? mysql_stmt_store_result(s) : mysql_stmt_fetch(s), mysql_errno(m));
    mysql_stmt_free_result(s);
  }
  mysql_stmt_close(s);

  section("stored behind a fetch");
  s = prepared(m, "SELECT 1 UNION SELECT 2 UNION SELECT 3", NULL, &column);
  mysql_stmt_execute(s);
  say("fetch: %d", mysql_stmt_fetch(s));
  say("store_result: %d", mysql_stmt_store_result(s));
  show_statement("stored", s);
  say("fetch: %d, %d", mysql_stmt_fetch(s), out);
  mysql_stmt_close(s);

  section("a reset that was refused");
  s = prepared(m, "DO 1", NULL, NULL);
  query(m, "SELECT 1");
  say("reset: %d, %u", mysql_stmt_reset(s), mysql_stmt_errno(s));
  mysql_free_result(mysql_store_result(m));
  say("execute: %d, %u", mysql_stmt_execute(s) != 0, mysql_stmt_errno(s));
  show_statement("executed", s);
  mysql_stmt_close(s);
#endif
  alive(m);
  mysql_close(m);
}

static void columns_of_a_table(void)
{
  section("columns of a table");
  MYSQL *m = connected();
  must(m, "CREATE TEMPORARY TABLE leftover (id INT DEFAULT 12, s VARCHAR(20) DEFAULT 'none')");
  query(m, "SELECT 1");
  mysql_free_result(mysql_store_result(m));
  MYSQL_RES *r = mysql_list_fields(m, "leftover", NULL);
  say("fields of the handle %u", mysql_field_count(m));
  for (unsigned k = 0; r && k < mysql_num_fields(r); k++)
    say("%s: %s, %u", r->fields[k].name, or_null(r->fields[k].def), r->fields[k].def_length);
  mysql_free_result(r);
  alive(m);
  mysql_close(m);
}

static void characters(void)
{
  section("character sets without a connection");
  static const char *const names[] = {"latin1", "ucs2", "utf16", "utf16le", "utf32", "utf8mb4", "no_such"};
  MYSQL *m = mysql_init(NULL);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    say("%s: %d", names[k], mysql_set_character_set(m, names[k]) != 0);
    show("afterwards", m);
    if (k + 1 < sizeof names / sizeof *names) {
      MY_CHARSET_INFO info;
      memset(&info, 0, sizeof info);
      mysql_get_character_set_info(m, &info);
      say("%u %x %s %s %u %u", info.number, info.state, or_null(info.csname), or_null(info.name), info.mbminlen, info.mbmaxlen);
    }
  }
  mysql_close(m);
#if !LAB_MARIADB_ABI
  section("options that fail, options that force");
  m = mysql_init(NULL);
  say("MYSQL_OPT_USE_RESULT: %d", mysql_options(m, MYSQL_OPT_USE_RESULT, NULL));
  say("MYSQL_OPT_NAMED_PIPE: %d", mysql_options(m, MYSQL_OPT_NAMED_PIPE, NULL));
  MYSQL *c = mysql_real_connect(m, NULL, lab_env("MS_USER"), lab_env("MS_PASSWORD"), db(), 0, lab_env("MS_NODE0_SOCKET"), 0);
  say("connect: %d, %u", c != NULL, mysql_errno(m));
  mysql_close(m);
  m = mysql_init(NULL);
  mysql_options(m, MYSQL_OPT_COMPRESSION_ALGORITHMS, "zstd");
  say("compression that none was chosen for: %d", mysql_options(m, MYSQL_OPT_COMPRESSION_ALGORITHMS, "no_such_algorithm") != 0);
  c = mysql_real_connect(m, NULL, lab_env("MS_USER"), lab_env("MS_PASSWORD"), db(), 0, lab_env("MS_NODE0_SOCKET"), 0);
  say("connect: %d, %u, flags %lx", c != NULL, mysql_errno(m), m->client_flag);
  mysql_close(m);
#endif
}

int main(void)
{
  lab_start();
  options(0);
  options(CLIENT_REMEMBER_OPTIONS);
  init_commands();
  rows_thrown_away();
  tracked();
  of_another_kind();
  statements();
  columns_of_a_table();
  characters();
  printf("\nend\n");
  return 0;
}
