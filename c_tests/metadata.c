/*
 * metadata.c: results of which the server does not describe the columns, which
 * libmysqlclient's programs may allow it (MYSQL_OPT_OPTIONAL_RESULTSET_METADATA).
 */
#include "lab.h"

static void rows_of(MYSQL *m, const char *sql, int store)
{
  int rc = query(m, sql);
  say("%s: rc=%d fields %u status %u", sql, rc, mysql_field_count(m), m->status);
  while (!rc) {
    MYSQL_RES *r = store ? mysql_store_result(m) : mysql_use_result(m);
    say("  described %d, %s", m->resultset_metadata, r ? "a result" : "none");
    if (r) {
      unsigned int count = mysql_num_fields(r);
      MYSQL_FIELD *fields = mysql_fetch_fields(r);
      say("  metadata %d, columns %u, as an array %d, one %d, the next %d", mysql_result_metadata(r), count, fields != NULL,
          mysql_fetch_field_direct(r, 0) != NULL && fields, mysql_fetch_field(r) != NULL);
      say("  seek from %u, tell %u", mysql_field_seek(r, 2), mysql_field_tell(r));
      if (fields)
        say("  %s of %s, longest %lu", fields[0].name, fields[0].table, store ? fields[0].max_length : 0);
      MYSQL_ROW row;
      while ((row = mysql_fetch_row(r)) != NULL) {
        unsigned long *lengths = mysql_fetch_lengths(r);
        for (unsigned int i = 0; i < count; i++)
          say("  %s %lu", or_null(row[i]), lengths[i]);
      }
      say("  rows %llu", (unsigned long long)mysql_num_rows(r));
      mysql_free_result(r);
    }
    rc = show_next("  next", m);
  }
}

static void statement(MYSQL *m, const char *sql)
{
  MYSQL_STMT *s = mysql_stmt_init(m);
  int rc = mysql_stmt_prepare(s, sql, strlen(sql));
  say("%s: rc=%d parameters %lu fields %u", sql, rc, mysql_stmt_param_count(s), mysql_stmt_field_count(s));
  MYSQL_RES *r = mysql_stmt_result_metadata(s);
  say("  %s", r ? "a result" : "none");
  if (r) {
    say("  columns %u, as an array %d", mysql_num_fields(r), mysql_fetch_fields(r) != NULL);
    mysql_free_result(r);
  }
  say("  execute %d", mysql_stmt_execute(s));
  say("  store %d, rows %llu", mysql_stmt_store_result(s), (unsigned long long)mysql_stmt_num_rows(s));
  mysql_stmt_close(s);
  alive(m);
}

/* The types are not known: libmysqlclient reads them anyway. */
static void binding(void)
{
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    MYSQL *m = connected_to(NULL, db(), CLIENT_OPTIONAL_RESULTSET_METADATA);
    must(m, "SET resultset_metadata = NONE");
    MYSQL_STMT *s = mysql_stmt_init(m);
    MYSQL_BIND bind = {.buffer_type = MYSQL_TYPE_LONG, .buffer = &(int){0}};
    mysql_stmt_prepare(s, "SELECT 1", 8);
    int refused = mysql_stmt_bind_result(s, &bind);
    _exit(refused && mysql_stmt_errno(s) == CR_NO_STMT_METADATA ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    say("bound: died by signal %d", WTERMSIG(status));
  else
    say("bound: lived, exit %d", WEXITSTATUS(status));
}

static void all_of(MYSQL *m)
{
  for (int store = 0; store < 2; store++) {
    rows_of(m, "SELECT 1, 'two', NULL", store);
    rows_of(m, "SELECT b, a FROM md ORDER BY a", store);
    rows_of(m, "SELECT a FROM md WHERE a > 100", store);
    rows_of(m, "CALL md_p()", store);
    rows_of(m, "DO 1; SELECT 2, 3; SELECT 4", store);
  }
  statement(m, "SELECT b, a FROM md");
  statement(m, "SELECT b FROM md WHERE a = 1 OR a = 2");
  statement(m, "DO 1");
}

int main(void)
{
  lab_start();
  MYSQL *m = connected();
  must(m, "DROP TABLE IF EXISTS md");
  must(m, "DROP PROCEDURE IF EXISTS md_p");
  must(m, "CREATE TABLE md (a INT PRIMARY KEY, b VARCHAR(20))");
  must(m, "INSERT INTO md VALUES (1, 'one'), (2, NULL), (3, 'a longer one')");
  must(m, "CREATE PROCEDURE md_p() BEGIN SELECT a FROM md; SELECT 1, 2, 3; END");

  section("not allowed");
  show_rc("NONE", query(m, "SET resultset_metadata = NONE"), m);
  say("flag %d", (m->client_flag & CLIENT_OPTIONAL_RESULTSET_METADATA) != 0);
  MYSQL *o = connected_to(NULL, db(), CLIENT_MULTI_STATEMENTS);
  all_of(o);
  mysql_close(o);

  section("allowed by a flag");
  o = connected_to(NULL, db(), CLIENT_MULTI_STATEMENTS | CLIENT_OPTIONAL_RESULTSET_METADATA);
  say("flag %d", (o->client_flag & CLIENT_OPTIONAL_RESULTSET_METADATA) != 0);
  all_of(o);
  if (server_is_mysql()) {
    must(o, "SET resultset_metadata = NONE");
    all_of(o);
    binding();
    must(o, "SET resultset_metadata = FULL");
    all_of(o);
  }
  mysql_close(o);

  section("allowed by an option");
  bool on = true;
  o = mysql_init(NULL);
  mysql_options(o, MYSQL_OPT_OPTIONAL_RESULTSET_METADATA, &on);
  connected_to(o, db(), 0);
  say("flag %d", (o->client_flag & CLIENT_OPTIONAL_RESULTSET_METADATA) != 0);
  show_rc("NONE", query(o, "SET resultset_metadata = NONE"), o);
  rows_of(o, "SELECT 1, 2", 1);
  mysql_close(o);

  must(m, "DROP TABLE md");
  must(m, "DROP PROCEDURE md_p");
  mysql_close(m);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
