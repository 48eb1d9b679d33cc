/*
 * attributes.c: attributes of statements and of prepared statements: values with names that a server can ask for.
 * Only libmysqlclient has them, and only MySQL takes them.
 */
#include "lab.h"

#if !LAB_MARIADB_ABI
static void look(MYSQL *m, const char *what)
{
  say("%-26s n1=%s n2=%s n3=%s", what, value(m, "SELECT mysql_query_attribute_string('n1')"),
      value(m, "SELECT mysql_query_attribute_string('n2')"), value(m, "SELECT mysql_query_attribute_string('n3')"));
}

static int number = 42;
static char text[] = "a text";
static unsigned long text_length = 6;
static MYSQL_TIME moment = {2024, 2, 29, 13, 14, 15, 160000, 0, MYSQL_TIMESTAMP_DATETIME, 0};
static const char *names[3] = {"n1", "n2", "n3"};

static void fill(MYSQL_BIND *b)
{
  memset(b, 0, 3 * sizeof *b);
  b[0].buffer_type = MYSQL_TYPE_LONG;
  b[0].buffer = &number;
  b[1].buffer_type = MYSQL_TYPE_STRING;
  b[1].buffer = text;
  b[1].length = &text_length;
  b[2].buffer_type = MYSQL_TYPE_DATETIME;
  b[2].buffer = &moment;
}

static void ask(MYSQL *m, MYSQL_BIND *b, unsigned count, const char *what, const char *name)
{
  char sql[100];
  snprintf(sql, sizeof sql, "SELECT mysql_query_attribute_string('%s')", name);
  my_bool rc = mysql_bind_param(m, count, b, names);
  say("%-26s bind=%d errno=%u %s: %s", what, rc, mysql_errno(m), name, value(m, sql));
}

static void text_statements(MYSQL *m)
{
  MYSQL_BIND b[3];
  section("attributes of a statement");
  fill(b);
  look(m, "none");
  ask(m, b, 3, "three", "n1");
  ask(m, b, 3, "three", "n2");
  ask(m, b, 3, "three", "n3");
  look(m, "the next statement");
  ask(m, b, 1, "one", "n2");
  ask(m, b, 0, "none", "n1");
  ask(m, NULL, 3, "no values", "n1");
  mysql_bind_param(m, 3, b, names);
  number = 77;
  say("read when it is sent: %s", value(m, "SELECT mysql_query_attribute_string('n1')"));
  my_bool null = 1;
  b[1].is_null = &null;
  ask(m, b, 3, "NULL", "n2");
  fill(b);
  b[1].buffer_type = (enum enum_field_types)200;
  show("before", m);
  my_bool rc = mysql_bind_param(m, 3, b, names);
  say("a type that is none: %d", rc);
  show("bind", m);
  fill(b);
  mysql_bind_param(m, 2, b, names);
  query(m, "SELEC 1");
  look(m, "after an error");
  mysql_bind_param(m, 2, b, names);
  show_rc("send", mysql_send_query(m, "SELECT mysql_query_attribute_string('n2')", 41), m);
  show_rc("read", mysql_read_query_result(m), m);
  MYSQL_RES *r = mysql_store_result(m);
  say("sent: %s", or_null(mysql_fetch_row(r)[0]));
  mysql_free_result(r);
}

static void statements(MYSQL *m)
{
  MYSQL_BIND b[3];
  char out[2][64];
  MYSQL_BIND result[2];
  section("names and attributes of a prepared statement");
  fill(b);
  const char *sql = "SELECT ?, mysql_query_attribute_string('n2')";
  MYSQL_STMT *s = mysql_stmt_init(m);
  say("not prepared: %d %u", mysql_stmt_bind_named_param(s, b, 2, names), mysql_stmt_errno(s));
  say("prepare %d", mysql_stmt_prepare(s, sql, strlen(sql)));
  say("parameters %lu", mysql_stmt_param_count(s));
  say("bind %d", mysql_stmt_bind_named_param(s, b, 2, names));
  say("parameters %lu", mysql_stmt_param_count(s));
  memset(result, 0, sizeof result);
  my_bool null[2];
  for (int i = 0; i < 2; i++) {
    result[i].buffer_type = MYSQL_TYPE_STRING;
    result[i].buffer = out[i];
    result[i].buffer_length = sizeof out[i];
    result[i].is_null = &null[i];
  }
  for (int round = 0; round < 4; round++) {
    if (round == 1)
      number = 5;
    if (round == 2)
      say("bind one %d", mysql_stmt_bind_named_param(s, b, 1, names));
    if (round == 3)
      say("bind_param %d", mysql_stmt_bind_param(s, b));
    int rc = mysql_stmt_execute(s);
    mysql_stmt_bind_result(s, result);
    int fetched = mysql_stmt_fetch(s);
    say("execute %d %u fetch %d: %s, %s", rc, mysql_stmt_errno(s), fetched, null[0] ? "NULL" : out[0],
        null[1] ? "NULL" : out[1]);
    mysql_stmt_free_result(s);
  }
  mysql_stmt_close(s);
  sql = "SELECT mysql_query_attribute_string('n1'), mysql_query_attribute_string('n2')";
  s = mysql_stmt_init(m);
  mysql_stmt_prepare(s, sql, strlen(sql));
  say("bind without parameters %d", mysql_stmt_bind_named_param(s, b, 2, names));
  int rc = mysql_stmt_execute(s);
  mysql_stmt_bind_result(s, result);
  int fetched = mysql_stmt_fetch(s);
  say("execute %d %u fetch %d: %s, %s", rc, mysql_stmt_errno(s), fetched, null[0] ? "NULL" : out[0],
      null[1] ? "NULL" : out[1]);
  mysql_stmt_close(s);
}
#endif

int main(void)
{
  lab_start();
#if !LAB_MARIADB_ABI
  MYSQL *a = admin(), *m = connected();
  if (server_is_mysql()) {
    query(a, "INSTALL COMPONENT 'file://component_query_attributes'");
    text_statements(m);
    statements(m);
    query(a, "UNINSTALL COMPONENT 'file://component_query_attributes'");
  } else {
    section("a server without attributes");
    MYSQL_BIND b[3];
    fill(b);
    say("bind %d", mysql_bind_param(m, 3, b, names));
    alive(m);
    MYSQL_STMT *s = mysql_stmt_init(m);
    mysql_stmt_prepare(s, "SELECT ?", 8);
    say("bind %d", mysql_stmt_bind_named_param(s, b, 3, names));
    say("execute %d %u", mysql_stmt_execute(s), mysql_stmt_errno(s));
    say("fetch %d", mysql_stmt_fetch(s));
    mysql_stmt_close(s);
  }
  mysql_close(m);
  mysql_close(a);
#endif
  printf("\nend\n");
  return 0;
}
