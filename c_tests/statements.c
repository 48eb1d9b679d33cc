/*
 * statements.c: prepared statements: the life of a statement, rows stored and not, cursors, procedures, long data,
 * every call in the wrong order, and what ends a statement from outside. Values are stmt_convert.c's.
 */
#include "lab.h"

static void show_stmt(const char *what, long long rc, MYSQL_STMT *s)
{
  say("%-34s rc=%lld errno=%u state=%s text=%s", what, rc, mysql_stmt_errno(s), or_null(mysql_stmt_sqlstate(s)),
      or_null(mysql_stmt_error(s)));
}

/* How closing one ended, and what a new one then says of itself. */
static void show_closed(const char *what, long long rc, MYSQL *m)
{
  MYSQL_STMT *s = mysql_stmt_init(m);
  show_stmt(what, rc, s);
  mysql_stmt_close(s);
}

static void counts(const char *what, MYSQL_STMT *s)
{
  say("%-34s affected=%lld id=%llu rows=%llu fields=%u params=%lu", what, (long long)mysql_stmt_affected_rows(s),
      (unsigned long long)mysql_stmt_insert_id(s), (unsigned long long)mysql_stmt_num_rows(s),
      mysql_stmt_field_count(s), mysql_stmt_param_count(s));
}

static int prepare(MYSQL_STMT *s, const char *sql) { return mysql_stmt_prepare(s, sql, strlen(sql)); }

static MYSQL_STMT *prepared(MYSQL *m, const char *sql)
{
  MYSQL_STMT *s = mysql_stmt_init(m);
  if (mysql_stmt_prepare(s, sql, strlen(sql))) {
    show_stmt(sql, 1, s);
    show("  handle", m);
  }
  return s;
}

/* Two columns, a number and a text, as every row here has them. */
struct row {
  int number;
  char text[32];
  unsigned long length;
  my_bool null[2], error[2];
  MYSQL_BIND bind[2];
};

static void bind_row(MYSQL_STMT *s, struct row *r)
{
  memset(r, 0, sizeof *r);
  r->bind[0].buffer_type = MYSQL_TYPE_LONG;
  r->bind[0].buffer = &r->number;
  r->bind[0].is_null = &r->null[0];
  r->bind[0].error = &r->error[0];
  r->bind[1].buffer_type = MYSQL_TYPE_STRING;
  r->bind[1].buffer = r->text;
  r->bind[1].buffer_length = 8;
  r->bind[1].length = &r->length;
  r->bind[1].is_null = &r->null[1];
  r->bind[1].error = &r->error[1];
  show_stmt("bind_result", mysql_stmt_bind_result(s, r->bind), s);
}

static int fetch(MYSQL_STMT *s, struct row *r)
{
  int rc = mysql_stmt_fetch(s);
  if (rc == 0 || rc == MYSQL_DATA_TRUNCATED)
    say("  fetch %d: %d%s %s length %lu%s%s", rc, r->null[0] ? 0 : r->number, r->null[0] ? " (NULL)" : "",
        r->null[1] ? "" : bytes(r->text, r->length < 8 ? r->length : 8), r->null[1] ? 0 : r->length,
        r->null[1] ? " (NULL)" : "", r->error[1] ? " cut" : "");
  else
    show_stmt("  fetch", rc, s);
  return rc;
}

static void fetch_all(MYSQL_STMT *s, struct row *r)
{
  int rc;
  do
    rc = fetch(s, r);
  while (rc == 0 || rc == MYSQL_DATA_TRUNCATED);
}

static void bind_int(MYSQL_BIND *b, int *value)
{
  memset(b, 0, sizeof *b);
  b->buffer_type = MYSQL_TYPE_LONG;
  b->buffer = value;
}

static void tables(MYSQL *m)
{
  must(m, "DROP TABLE IF EXISTS st");
  must(m, "CREATE TABLE st (id INT AUTO_INCREMENT PRIMARY KEY, n INT, t VARCHAR(40), b LONGBLOB)");
  must(m, "INSERT INTO st (n, t) VALUES (1,'one'),(2,NULL),(NULL,'three'),(4,'a longer text'),(5,'')");
}

static void life(MYSQL *m)
{
  section("a statement's life");
  struct row r;
  MYSQL_STMT *s = prepared(m, "SELECT n, t FROM st WHERE id > ? ORDER BY id");
  counts("prepared", s);
  show("handle", m);
  int above = 0;
  MYSQL_BIND p;
  bind_int(&p, &above);
  show_stmt("bind_param", mysql_stmt_bind_param(s, &p), s);
  show_stmt("execute", mysql_stmt_execute(s), s);
  show("handle", m);
  bind_row(s, &r);
  say("not stored:");
  fetch_all(s, &r);
  fetch(s, &r);
  counts("after the rows", s);
  above = 2;
  show_stmt("execute", mysql_stmt_execute(s), s);
  show_stmt("store_result", mysql_stmt_store_result(s), s);
  counts("stored", s);
  show_status("handle", m);
  alive(m);
  fetch_all(s, &r);
  mysql_stmt_data_seek(s, 1);
  say("from row 1 again:");
  fetch_all(s, &r);
  mysql_stmt_data_seek(s, 0);
  MYSQL_ROW_OFFSET at = mysql_stmt_row_tell(s);
  fetch(s, &r);
  mysql_stmt_row_seek(s, at);
  fetch(s, &r);
  show_stmt("free_result", mysql_stmt_free_result(s), s);
  fetch(s, &r);
  above = 9;
  show_stmt("execute without a row", mysql_stmt_execute(s), s);
  show_stmt("store_result", mysql_stmt_store_result(s), s);
  counts("stored", s);
  fetch(s, &r);
  show_stmt("reset", mysql_stmt_reset(s), s);
  show_closed("close", mysql_stmt_close(s), m);

  s = prepared(m, "INSERT INTO st (n, t) VALUES (?, 'new')");
  counts("prepared", s);
  int n = 70;
  bind_int(&p, &n);
  mysql_stmt_bind_param(s, &p);
  for (int i = 0; i < 3; i++, n++) {
    show_stmt("execute", mysql_stmt_execute(s), s);
    counts("inserted", s);
    show_status("handle", m);
  }
  say("there: %s", value(m, "SELECT GROUP_CONCAT(n ORDER BY n) FROM st WHERE t = 'new'"));
  show_stmt("prepare another", prepare(s, "DELETE FROM st WHERE t = 'new'"), s);
  counts("prepared", s);
  show_stmt("execute", mysql_stmt_execute(s), s);
  counts("deleted", s);
  show_stmt("prepare nonsense", prepare(s, "SELEC 1"), s);
  show("handle", m);
  counts("not prepared", s);
  show_stmt("execute", mysql_stmt_execute(s), s);
  show("handle", m);
  show_stmt("prepare again", prepare(s, "SELECT 1, 'x'"), s);
  show_stmt("execute", mysql_stmt_execute(s), s);
  bind_row(s, &r);
  fetch_all(s, &r);
  mysql_stmt_close(s);
  alive(m);
}

static void metadata(MYSQL *m)
{
  section("columns");
  MYSQL_STMT *s = prepared(m, "SELECT n AS number, t FROM st");
  MYSQL_RES *res = mysql_stmt_result_metadata(s);
  for (unsigned i = 0; i < mysql_num_fields(res); i++) {
    MYSQL_FIELD *f = mysql_fetch_field_direct(res, i);
    say("  %s %s %s %s type %d flags %u length %lu charset %u decimals %u", f->name, f->org_name, f->table, f->db,
        f->type, f->flags, f->length, f->charsetnr, f->decimals);
  }
  say("  rows %llu eof %d", (unsigned long long)mysql_num_rows(res), mysql_eof(res));
  my_bool on = 1, got = 0;
  show_stmt("max length on", mysql_stmt_attr_set(s, STMT_ATTR_UPDATE_MAX_LENGTH, &on), s);
  mysql_stmt_attr_get(s, STMT_ATTR_UPDATE_MAX_LENGTH, &got);
  say("  attribute %d", got);
  mysql_stmt_execute(s);
  mysql_stmt_store_result(s);
  for (unsigned i = 0; i < mysql_num_fields(res); i++)
    say("  max_length %lu", mysql_fetch_field_direct(res, i)->max_length);
  mysql_free_result(res);
  mysql_stmt_close(s);
  s = prepared(m, "SHOW VARIABLES LIKE 'autocommit'");
  say("SHOW: fields %u", mysql_stmt_field_count(s));
  show_stmt("execute", mysql_stmt_execute(s), s);
  say("SHOW: fields %u", mysql_stmt_field_count(s));
  mysql_stmt_free_result(s);
  mysql_stmt_close(s);
  s = prepared(m, "DO 1");
  say("DO: metadata %d, parameters %d", mysql_stmt_result_metadata(s) != NULL, mysql_stmt_param_metadata(s) != NULL);
  show_stmt("execute", mysql_stmt_execute(s), s);
  show_stmt("store_result", mysql_stmt_store_result(s), s);
  show_stmt("fetch", mysql_stmt_fetch(s), s);
  show_stmt("free_result", mysql_stmt_free_result(s), s);
  mysql_stmt_close(s);
}

static void misuse(MYSQL *m)
{
  section("calls in the wrong order");
  struct row r;
  MYSQL_BIND p;
  int n = 1;
  bind_int(&p, &n);
  MYSQL_STMT *s = mysql_stmt_init(m);
  counts("new", s);
  show_stmt("errno of a new one", 0, s);
  show_stmt("bind_param", mysql_stmt_bind_param(s, &p), s);
  bind_row(s, &r);
  show_stmt("execute", mysql_stmt_execute(s), s);
  show_stmt("store_result", mysql_stmt_store_result(s), s);
  show_stmt("fetch", mysql_stmt_fetch(s), s);
  show_stmt("fetch_column", mysql_stmt_fetch_column(s, r.bind, 0, 0), s);
  show_stmt("send_long_data", mysql_stmt_send_long_data(s, 0, "x", 1), s);
  show_stmt("free_result", mysql_stmt_free_result(s), s);
  show_stmt("reset", mysql_stmt_reset(s), s);
  show_stmt("next_result", mysql_stmt_next_result(s), s);
  show("handle", m);
  show_stmt("prepare", prepare(s, "SELECT n, t FROM st WHERE id = ?"), s);
  show_stmt("execute, nothing bound", mysql_stmt_execute(s), s);
  show_stmt("fetch", mysql_stmt_fetch(s), s);
  show_stmt("store_result", mysql_stmt_store_result(s), s);
  mysql_stmt_bind_param(s, &p);
  show_stmt("long data for a number", mysql_stmt_send_long_data(s, 0, "x", 1), s);
  show_stmt("long data for none", mysql_stmt_send_long_data(s, 4, "x", 1), s);
  show_stmt("reset", mysql_stmt_reset(s), s);
  show_stmt("execute", mysql_stmt_execute(s), s);
  show_stmt("fetch_column before fetch", mysql_stmt_fetch_column(s, r.bind, 0, 0), s);
  bind_row(s, &r);
  fetch(s, &r);
  show_stmt("fetch_column 5", mysql_stmt_fetch_column(s, r.bind, 5, 0), s);
  show_stmt("fetch_column 0", mysql_stmt_fetch_column(s, r.bind, 0, 0), s);
  say("  %d", r.number);
  show_rc("query while rows wait", mysql_query(m, "SELECT 1"), m);
  MYSQL_STMT *other = mysql_stmt_init(m);
  show_stmt("prepare while rows wait", prepare(other, "SELECT 2, 'b'"), other);
  show("handle", m);
  fetch(s, &r);
  alive(m);
  show_stmt("prepare", prepare(other, "SELECT 2, 'b'"), other);
  mysql_stmt_execute(s);
  show_stmt("another executes", mysql_stmt_execute(other), other);
  show("handle", m);
  fetch_all(s, &r);
  show_stmt("another executes", mysql_stmt_execute(other), other);
  bind_row(other, &r);
  fetch_all(other, &r);
  show_stmt("store after the rows", mysql_stmt_store_result(other), other);
  show_stmt("execute", mysql_stmt_execute(other), other);
  show_stmt("execute over waiting rows", mysql_stmt_execute(other), other);
  fetch_all(other, &r);
  show_stmt("close", mysql_stmt_close(other), s);
  must(m, "SELECT 1");
  mysql_query(m, "SELECT 1 UNION SELECT 2");
  show_stmt("execute over a text result", mysql_stmt_execute(s), s);
  show("handle", m);
  mysql_free_result(mysql_store_result(m));
  show_stmt("execute", mysql_stmt_execute(s), s);
  show_closed("close over waiting rows", mysql_stmt_close(s), m);
  alive(m);
}

static void long_data(MYSQL *m)
{
  section("long data");
  static char piece[100000];
  memset(piece, 'x', sizeof piece);
  MYSQL_STMT *s = prepared(m, "INSERT INTO st (n, b) VALUES (100, ?)");
  MYSQL_BIND p;
  memset(&p, 0, sizeof p);
  p.buffer_type = MYSQL_TYPE_BLOB;
  mysql_stmt_bind_param(s, &p);
  for (int i = 0; i < 5; i++)
    if (mysql_stmt_send_long_data(s, 0, piece, sizeof piece))
      show_stmt("piece", 1, s);
  show_stmt("execute", mysql_stmt_execute(s), s);
  say("length: %s", value(m, "SELECT LENGTH(b) FROM st WHERE n = 100"));
  mysql_stmt_send_long_data(s, 0, "gone", 4);
  show_stmt("reset", mysql_stmt_reset(s), s);
  mysql_stmt_send_long_data(s, 0, "here", 4);
  show_stmt("execute", mysql_stmt_execute(s), s);
  say("values: %s", value(m, "SELECT GROUP_CONCAT(LENGTH(b) ORDER BY id) FROM st WHERE n = 100"));
  mysql_stmt_send_long_data(s, 0, "", 0);
  show_stmt("execute with nothing", mysql_stmt_execute(s), s);
  say("values: %s", value(m, "SELECT GROUP_CONCAT(LENGTH(b) ORDER BY id) FROM st WHERE n = 100"));
  mysql_stmt_close(s);
  s = prepared(m, "SELECT b, LENGTH(b) FROM st WHERE n = 100 ORDER BY id LIMIT 1");
  char part[16];
  unsigned long length = 0;
  MYSQL_BIND b[2];
  memset(b, 0, sizeof b);
  b[0].buffer_type = MYSQL_TYPE_BLOB;
  b[0].length = &length;
  b[0].buffer = part;
  b[0].buffer_length = 4;
  b[1].buffer_type = MYSQL_TYPE_STRING;
  char text[20];
  b[1].buffer = text;
  b[1].buffer_length = sizeof text;
  mysql_stmt_execute(s);
  mysql_stmt_bind_result(s, b);
  show_stmt("fetch", mysql_stmt_fetch(s), s);
  say("  length %lu, %s", length, text);
  for (unsigned long at = 499990; at < 500020; at += 10) {
    memset(part, '.', sizeof part);
    b[0].buffer_length = 10;
    int rc = mysql_stmt_fetch_column(s, b, 0, at);
    say("  from %lu: %d %s length %lu", at, rc, bytes(part, 10), length);
  }
  mysql_stmt_close(s);
}

static void cursors(MYSQL *m)
{
  section("cursors");
  struct row r;
  unsigned long type = CURSOR_TYPE_READ_ONLY, rows = 2, bad = 7;
  MYSQL_STMT *s = mysql_stmt_init(m);
  show_stmt("an unknown cursor", mysql_stmt_attr_set(s, STMT_ATTR_CURSOR_TYPE, &bad), s);
  show_stmt("an unknown attribute", mysql_stmt_attr_set(s, (enum enum_stmt_attr_type)77, &bad), s);
  show_stmt("read only", mysql_stmt_attr_set(s, STMT_ATTR_CURSOR_TYPE, &type), s);
  show_stmt("prefetch", mysql_stmt_attr_set(s, STMT_ATTR_PREFETCH_ROWS, &rows), s);
  rows = 0;
  mysql_stmt_attr_get(s, STMT_ATTR_PREFETCH_ROWS, &rows);
  say("  prefetch %lu", rows);
  show_stmt("prepare", prepare(s, "SELECT n, t FROM st WHERE n < 100 OR n IS NULL ORDER BY id"), s);
  show_stmt("execute", mysql_stmt_execute(s), s);
  bind_row(s, &r);
  fetch(s, &r);
  counts("one fetched", s);
  alive(m);
  fetch(s, &r);
  fetch(s, &r);
  MYSQL_STMT *other = prepared(m, "SELECT 9, 'nine'");
  show_stmt("another executes", mysql_stmt_execute(other), other);
  struct row q;
  bind_row(other, &q);
  fetch_all(other, &q);
  fetch_all(s, &r);
  fetch(s, &r);
  show_stmt("execute", mysql_stmt_execute(s), s);
  fetch(s, &r);
  show_stmt("execute in the middle", mysql_stmt_execute(s), s);
  fetch(s, &r);
  show_stmt("reset", mysql_stmt_reset(s), s);
  show_stmt("fetch after reset", mysql_stmt_fetch(s), s);
  show_stmt("execute", mysql_stmt_execute(s), s);
  show_stmt("store_result", mysql_stmt_store_result(s), s);
  counts("stored", s);
  fetch_all(s, &r);
  show_stmt("a cursor on SHOW", prepare(s, "SHOW VARIABLES LIKE 'autocommit'"), s);
  show_stmt("execute", mysql_stmt_execute(s), s);
  counts("SHOW", s);
  mysql_stmt_close(other);
  mysql_stmt_close(s);
  s = mysql_stmt_init(m);
  mysql_stmt_attr_set(s, STMT_ATTR_CURSOR_TYPE, &type);
  prepare(s, "SELECT n, t FROM st WHERE id < 0");
  show_stmt("a cursor without rows", mysql_stmt_execute(s), s);
  bind_row(s, &r);
  fetch(s, &r);
  fetch(s, &r);
  prepare(s, "UPDATE st SET t = t WHERE id < 0");
  show_stmt("a cursor without a result", mysql_stmt_execute(s), s);
  counts("updated", s);
  mysql_stmt_close(s);
  alive(m);
}

static void procedures(MYSQL *m)
{
  section("procedures");
  struct row r;
  must(m, "DROP PROCEDURE IF EXISTS sp");
  must(m, "CREATE PROCEDURE sp (IN a INT, OUT b INT, INOUT c INT) BEGIN"
          " SELECT n, t FROM st WHERE id <= a ORDER BY id; SELECT 'only one'; SET b = a + 1, c = c * 2; END");
  MYSQL_STMT *s = prepared(m, "CALL sp(?, ?, ?)");
  counts("prepared", s);
  int v[3] = {2, 0, 21};
  MYSQL_BIND p[3];
  for (int i = 0; i < 3; i++)
    bind_int(&p[i], &v[i]);
  show_stmt("bind_param", mysql_stmt_bind_param(s, p), s);
  for (int round = 0; round < 2; round++) {
    show_stmt("execute", mysql_stmt_execute(s), s);
    int rc, result = 0;
    do {
      say(" result %d: fields %u, out %d", result, mysql_stmt_field_count(s), (m->server_status & 4096) != 0);
      if (mysql_stmt_field_count(s) == 2) {
        bind_row(s, &r);
        if (round)
          show_stmt("store_result", mysql_stmt_store_result(s), s);
        fetch_all(s, &r);
      } else if (mysql_stmt_field_count(s) == 1) {
        char text[20];
        MYSQL_BIND b;
        memset(&b, 0, sizeof b);
        b.buffer_type = MYSQL_TYPE_STRING;
        b.buffer = text;
        b.buffer_length = sizeof text;
        mysql_stmt_bind_result(s, &b);
        rc = mysql_stmt_fetch(s);
        say("  fetch %d: %s", rc, text);
        rc = mysql_stmt_fetch(s);
        say("  fetch %d", rc);
      }
      rc = mysql_stmt_next_result(s);
      say(" next_result %d errno %u", rc, mysql_stmt_errno(s));
      result++;
    } while (rc == 0 && result < 6);
  }
  alive(m);
  show_stmt("execute, rows left", mysql_stmt_execute(s), s);
  show_closed("close", mysql_stmt_close(s), m);
  alive(m);
  s = prepared(m, "CALL sp(1, @x, @y)");
  show_stmt("execute", mysql_stmt_execute(s), s);
  show_stmt("free_result", mysql_stmt_free_result(s), s);
  while (mysql_stmt_next_result(s) == 0)
    show_stmt("  free_result", mysql_stmt_free_result(s), s);
  alive(m);
  mysql_stmt_close(s);
}

static void outside(MYSQL *m)
{
  section("ended from outside");
  struct row r;
  MYSQL *h = connected();
  MYSQL_STMT *s = prepared(h, "SELECT 1, 'a'");
  mysql_stmt_execute(s);
  mysql_stmt_store_result(s);
  bind_row(s, &r);
  mysql_close(h);
  say("  cut off: %d", s->mysql == NULL);
  show_stmt("after mysql_close", 0, s);
#if !LAB_MARIADB_ABI /* Connector/C dies here */
  fetch_all(s, &r);
#endif
  show_stmt("execute", mysql_stmt_execute(s), s);
  show_stmt("prepare", prepare(s, "SELECT 1"), s);
  show_stmt("reset", mysql_stmt_reset(s), s);
  show_stmt("store_result", mysql_stmt_store_result(s), s);
  say("close %d", mysql_stmt_close(s));

  h = connected();
  s = prepared(h, "SELECT 1, 'a'");
  show_rc("reset_connection", mysql_reset_connection(h), h);
  show_stmt("after reset_connection", 0, s);
  show_stmt("execute", mysql_stmt_execute(s), s);
  say("close %d", mysql_stmt_close(s));
  s = prepared(h, "SELECT 1, 'a'");
  show_rc("change_user", mysql_change_user(h, user(), pass(), db()), h);
  show_stmt("after change_user", 0, s);
  show_stmt("execute", mysql_stmt_execute(s), s);
  say("close %d", mysql_stmt_close(s));

  s = prepared(h, "SELECT n, t FROM st");
  MYSQL_STMT *unprepared = mysql_stmt_init(h);
  kill_from_outside(h);
  show_stmt("execute on a dead connection", mysql_stmt_execute(s), s);
  show("handle", h);
  show_stmt("execute again", mysql_stmt_execute(s), s);
  show_stmt("prepare on a dead connection", prepare(unprepared, "SELECT 1"), unprepared);
  mysql_stmt_close(s);
  mysql_stmt_close(unprepared);
  mysql_close(h);

  section("tables that change");
  must(m, "DROP TABLE IF EXISTS st2");
  must(m, "CREATE TABLE st2 (n INT, t VARCHAR(8))");
  must(m, "INSERT INTO st2 VALUES (1, 'a')");
  s = prepared(m, "SELECT * FROM st2");
  mysql_stmt_execute(s);
  bind_row(s, &r);
  fetch_all(s, &r);
  must(m, "ALTER TABLE st2 MODIFY n BIGINT");
  show_stmt("execute", mysql_stmt_execute(s), s);
  fetch_all(s, &r);
  must(m, "ALTER TABLE st2 ADD c INT");
  show_stmt("execute with another column", mysql_stmt_execute(s), s);
  mysql_stmt_free_result(s);
  must(m, "DROP TABLE st2");
  show_stmt("execute without the table", mysql_stmt_execute(s), s);
  show("handle", m);
  mysql_stmt_close(s);
  alive(m);
}

static void fields(MYSQL *m)
{
  section("what programs write into a statement");
  struct row r;
  char text[32] = "written over";
  MYSQL_STMT *s = prepared(m, "SELECT 3, ?");
  MYSQL_BIND p;
  memset(&p, 0, sizeof p);
  p.buffer_type = MYSQL_TYPE_STRING;
  p.buffer = "bound";
  p.buffer_length = 5;
  mysql_stmt_bind_param(s, &p);
  s->params[0].buffer = text;
  s->params[0].buffer_length = 7;
  mysql_stmt_execute(s);
  bind_row(s, &r);
  fetch_all(s, &r);
  mysql_stmt_execute(s);
  mysql_stmt_store_result(s);
  s->bind_result_done = 0;
  memset(r.text, '#', 8);
  int rc = mysql_stmt_fetch(s);
  say("  unbound fetch %d: %s", rc, bytes(r.text, 4));
  mysql_stmt_close(s);
  s = prepared(m, "SELECT 3, 'a long text, longer than eight'");
  mysql_stmt_execute(s);
  bind_row(s, &r);
  rc = mysql_stmt_fetch(s);
  say("  fetch %d, length %lu", rc, r.length);
  char whole[64];
  memset(whole, '.', sizeof whole);
  s->bind[1].buffer = whole;
  s->bind[1].buffer_length = sizeof whole;
  rc = mysql_stmt_fetch_column(s, &s->bind[1], 1, 0);
  say("  column %d: %s", rc, bytes(whole, r.length));
  s->mysql = NULL;
  say("  close of one cut off: %d", mysql_stmt_close(s));
}

int main(void)
{
  lab_start();
  MYSQL *m = connected();
  tables(m);
  life(m);
  metadata(m);
  misuse(m);
  long_data(m);
  tables(m);
  cursors(m);
  procedures(m);
  outside(m);
  fields(m);
  mysql_close(m);
  printf("\nend\n");
  return 0;
}
