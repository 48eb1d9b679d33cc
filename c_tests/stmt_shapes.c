/*
 * stmt_shapes.c: a prepared statement executed again and again while its result changes its shape: the same columns,
 * other types by DDL, a cursor in between, a result after a result, another connection, another text. A library that
 * knows an unchanged result by its bytes must know a changed one, too.
 */
#include "lab.h"

static MYSQL *m;

static void run(const char *sql)
{
  if (mysql_query(m, sql))
    show(sql, m);
}

struct row {
  char text[2][40];
  unsigned long length[2];
  my_bool null[2], error[2];
  MYSQL_BIND bind[2];
};

static void bind_row(MYSQL_STMT *s, struct row *r)
{
  memset(r, 0, sizeof *r);
  for (int i = 0; i < 2; i++) {
    r->bind[i].buffer_type = MYSQL_TYPE_STRING;
    r->bind[i].buffer = r->text[i];
    r->bind[i].buffer_length = sizeof r->text[i];
    r->bind[i].length = &r->length[i];
    r->bind[i].is_null = &r->null[i];
    r->bind[i].error = &r->error[i];
  }
  if (mysql_stmt_field_count(s) <= 2)
    say("bind rc=%d", mysql_stmt_bind_result(s, r->bind));
}

static void shape(MYSQL_STMT *s)
{
  MYSQL_RES *r = mysql_stmt_result_metadata(s);
  if (!r) {
    say("no columns, errno=%u", mysql_stmt_errno(s));
    return;
  }
  for (unsigned i = 0; i < mysql_num_fields(r); i++) {
    MYSQL_FIELD *f = mysql_fetch_field_direct(r, i);
    say("column %s type=%d length=%lu flags=%u decimals=%u charset=%u max=%lu", f->name, f->type, f->length, f->flags,
        f->decimals, f->charsetnr, f->max_length);
  }
  mysql_free_result(r);
}

/* Executes, shows the columns, and fetches everything, stored or not. */
static void once(const char *what, MYSQL_STMT *s, int store, struct row *r)
{
  int rc = mysql_stmt_execute(s);
  say("%s: execute rc=%d errno=%u text=%s fields=%u handle=%u", what, rc, mysql_stmt_errno(s), mysql_stmt_error(s),
      mysql_stmt_field_count(s), mysql_field_count(m));
  if (rc)
    return;
  shape(s);
  if (store)
    say("store rc=%d rows=%llu", mysql_stmt_store_result(s), (unsigned long long)mysql_stmt_num_rows(s));
  for (int i = 0; i < 9; i++) {
    rc = mysql_stmt_fetch(s);
    if (rc == MYSQL_NO_DATA || rc == 1) {
      say("end rc=%d errno=%u", rc, mysql_stmt_errno(s));
      break;
    }
    say("row rc=%d [%.*s] [%.*s] null=%d,%d error=%d,%d", rc, (int)(r->length[0] < 40 ? r->length[0] : 40), r->text[0],
        (int)(r->length[1] < 40 ? r->length[1] : 40), r->text[1], r->null[0], r->null[1], r->error[0], r->error[1]);
  }
  shape(s);
  say("free rc=%d", mysql_stmt_free_result(s));
}

static MYSQL_STMT *prepared(const char *sql)
{
  MYSQL_STMT *s = mysql_stmt_init(m);
  if (mysql_stmt_prepare(s, sql, strlen(sql)))
    say("%s: errno=%u %s", sql, mysql_stmt_errno(s), mysql_stmt_error(s));
  return s;
}

static void table(void)
{
  run("DROP TABLE IF EXISTS shapes");
  run("CREATE TABLE shapes (a INT NOT NULL, b VARCHAR(20)) CHARACTER SET utf8mb4");
  run("INSERT INTO shapes VALUES (1, 'one'), (2, NULL), (300, 'three hundred')");
}

int main(void)
{
  struct row r;
  lab_start();
  m = connected();

  section("the same again, stored and not");
  table();
  MYSQL_STMT *s = prepared("SELECT a, b FROM shapes ORDER BY a");
  bind_row(s, &r);
  for (int i = 0; i < 4; i++)
    once("again", s, i & 1, &r);

  section("other types by DDL");
  run("ALTER TABLE shapes MODIFY a BIGINT UNSIGNED NOT NULL");
  once("wider", s, 1, &r);
  once("wider again", s, 0, &r);
  run("ALTER TABLE shapes MODIFY b DECIMAL(10,3)");
  run("UPDATE shapes SET b = a / 8");
  once("numbers", s, 1, &r);
  once("numbers again", s, 1, &r);
  run("ALTER TABLE shapes MODIFY a INT NOT NULL");
  once("back", s, 0, &r);
  once("back again", s, 0, &r);

  section("longest values");
  my_bool on = 1;
  mysql_stmt_attr_set(s, STMT_ATTR_UPDATE_MAX_LENGTH, &on);
  once("measured", s, 1, &r);
  run("UPDATE shapes SET a = 7");
  once("measured again", s, 1, &r);
  on = 0;
  mysql_stmt_attr_set(s, STMT_ATTR_UPDATE_MAX_LENGTH, &on);
  once("not measured", s, 1, &r);
  mysql_stmt_close(s);

  /* and not without again: then both originals wait for rows that do not come */
  section("a cursor behind plain executions");
  table();
  s = prepared("SELECT a, b FROM shapes ORDER BY a");
  bind_row(s, &r);
  once("without", s, 0, &r);
  unsigned long cursor = CURSOR_TYPE_READ_ONLY;
  mysql_stmt_attr_set(s, STMT_ATTR_CURSOR_TYPE, &cursor);
  run("DELETE FROM shapes WHERE a > 250");
  run("ALTER TABLE shapes MODIFY a TINYINT UNSIGNED NOT NULL");
  once("with", s, 0, &r);
  mysql_stmt_close(s);

  section("more columns than before");
  s = prepared("SELECT * FROM shapes");
  bind_row(s, &r);
  once("two", s, 1, &r);
  run("ALTER TABLE shapes ADD c INT");
  for (int i = 0; i < 2; i++) {
    int rc = mysql_stmt_execute(s);
    say("three: rc=%d errno=%u fields=%u", rc, mysql_stmt_errno(s), mysql_stmt_field_count(s));
    mysql_stmt_free_result(s);
  }
  run("ALTER TABLE shapes DROP c");
  once("two again", s, 1, &r);
  mysql_stmt_close(s);

  section("a result after a result");
  run("DROP PROCEDURE IF EXISTS shapes_of");
  run("CREATE PROCEDURE shapes_of() BEGIN SELECT 1 AS a, 'x' AS b; SELECT 'text' AS t, 2.5 AS d; END");
  s = prepared("CALL shapes_of()");
  for (int i = 0; i < 3; i++) {
    int rc = mysql_stmt_execute(s);
    say("call rc=%d errno=%u", rc, mysql_stmt_errno(s));
    do {
      if (!mysql_stmt_field_count(s))
        continue;
      shape(s);
      bind_row(s, &r);
      say("store rc=%d", mysql_stmt_store_result(s));
      while (!(rc = mysql_stmt_fetch(s)))
        say("row [%.*s] [%.*s]", (int)r.length[0], r.text[0], (int)r.length[1], r.text[1]);
      say("fetch rc=%d", rc);
      mysql_stmt_free_result(s);
    } while ((rc = mysql_stmt_next_result(s)) == 0);
    say("next rc=%d", rc);
  }
  mysql_stmt_close(s);

  section("another text, and a result to nothing");
  table();
  s = prepared("SELECT a, b FROM shapes ORDER BY a");
  bind_row(s, &r);
  once("first", s, 1, &r);
  say("prepare rc=%d", mysql_stmt_prepare(s, "SELECT b, a FROM shapes ORDER BY a", 34));
  bind_row(s, &r);
  once("turned round", s, 1, &r);
  once("turned round again", s, 0, &r);
  say("reset rc=%d", mysql_stmt_reset(s));
  once("reset", s, 0, &r);
  run("DROP TABLE shapes");
  int rc = mysql_stmt_execute(s);
  say("dropped: rc=%d errno=%u", rc, mysql_stmt_errno(s));
  table();
  once("made again", s, 1, &r);
  mysql_stmt_close(s);

  section("columns that differ in a name only");
  run("DROP VIEW IF EXISTS shapes_view");
  run("CREATE VIEW shapes_view AS SELECT a AS one, b AS two FROM shapes");
  s = prepared("SELECT * FROM shapes_view ORDER BY 1");
  bind_row(s, &r);
  once("view", s, 1, &r);
  once("view again", s, 1, &r);
  run("CREATE OR REPLACE VIEW shapes_view AS SELECT a AS uno, b AS due FROM shapes");
  once("renamed", s, 1, &r);
  once("renamed again", s, 1, &r);
  mysql_stmt_close(s);

  run("DROP VIEW shapes_view");
  run("DROP TABLE shapes");
  run("DROP PROCEDURE shapes_of");
  mysql_close(m);
  printf("\nend\n");
  return 0;
}
