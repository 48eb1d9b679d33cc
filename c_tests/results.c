/*
 * results.c: stored and unbuffered results: metadata, values, positions, several
 * results, what statements leave on the handle, large rows and statements.
 */
#include "lab.h"

static void fields(MYSQL_RES *r)
{
  MYSQL_FIELD *f;
  mysql_field_seek(r, 0);
  while ((f = mysql_fetch_field(r))) {
    say("  name=%s org=%s table=%s org_table=%s db=%s catalog=%s def=%s", or_null(f->name),
        or_null(f->org_name), or_null(f->table), or_null(f->org_table), or_null(f->db),
        or_null(f->catalog), or_null(f->def));
    say("    type=%d length=%lu max=%lu flags=%u decimals=%u charset=%u lengths=%u,%u,%u,%u,%u,%u",
        (int)f->type, f->length, f->max_length, f->flags, f->decimals, f->charsetnr, f->name_length,
        f->org_name_length, f->table_length, f->org_table_length, f->db_length, f->catalog_length);
  }
}

static void rows(MYSQL_RES *r)
{
  MYSQL_ROW row;
  unsigned int n = mysql_num_fields(r);
  while ((row = mysql_fetch_row(r))) {
    unsigned long *l = mysql_fetch_lengths(r);
    printf("  row:");
    for (unsigned int i = 0; i < n; i++)
      printf(" [%lu]%s", l[i], bytes(row[i], l[i]));
    printf("\n");
  }
}

/* A statement with everything that can be known about its result. */
static void full(MYSQL *m, const char *sql, int store)
{
  say("%s (%s)", sql, store ? "stored" : "row by row");
  if (query(m, sql))
    return;
  MYSQL_RES *r = store ? mysql_store_result(m) : mysql_use_result(m);
  if (!r) {
    show("no result", m);
    return;
  }
  say("  fields=%u rows=%llu eof=%d field_count=%u", mysql_num_fields(r),
      (unsigned long long)mysql_num_rows(r), mysql_eof(r) != 0, mysql_field_count(m));
  fields(r);
  rows(r);
  fields(r);
  say("  rows=%llu eof=%d status=%u warnings=%u affected=%lld", (unsigned long long)mysql_num_rows(r),
      mysql_eof(r) != 0, m->server_status & ~2u, mysql_warning_count(m),
      (long long)mysql_affected_rows(m));
  mysql_free_result(r);
}

static void metadata(MYSQL *m)
{
  section("metadata and values");
  must(m, "DROP TABLE IF EXISTS results_t");
  must(m, "CREATE TABLE results_t ("
          "id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, ti TINYINT, si SMALLINT, mi MEDIUMINT,"
          "bi BIGINT, fl FLOAT, do_ DOUBLE, de DECIMAL(12,3), bt BIT(10), d DATE, t TIME(3), dt DATETIME(6),"
          "ts TIMESTAMP NULL, y YEAR, c CHAR(10), vc VARCHAR(40) NOT NULL DEFAULT 'x', b BINARY(4),"
          "vb VARBINARY(20), tx TEXT, bl BLOB, mt MEDIUMTEXT, lb LONGBLOB, e ENUM('a','b'), s SET('x','y','z'),"
          "l VARCHAR(9) CHARACTER SET latin1, z INT(5) ZEROFILL, UNIQUE KEY u (ti), KEY k (si, vc)"
          ") CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci");
  must(m, "INSERT INTO results_t VALUES (1,-5,300,70000,-9000000000,1.5,-2.25,1234.5,b'1010101',"
          "'2024-02-29','12:34:56.789','2024-02-29 01:02:03.000004','2024-01-01 00:00:00',2024,'ch',"
          "'v\\0c\\'','ab','a\\0b','text','b\\0lob','mt',x'00ff00','b','x,z',_latin1 0xE4F6,42)");
  must(m, "INSERT INTO results_t (id,vc) VALUES (7,'')");
  must(m, "INSERT INTO results_t (id,vc,tx) VALUES (8,'\xf0\x9f\x98\x80','\xc3\xa4')");
  for (int store = 1; store >= 0; store--) {
    full(m, "SELECT * FROM results_t ORDER BY id", store);
    full(m, "SELECT id AS renamed, vc v2, COUNT(*) n, NULL, 1, 1.5, 'a', NOW() < '1970-01-01' old FROM results_t x GROUP BY id, vc ORDER BY id",
         store);
    full(m, "SELECT * FROM results_t WHERE id = 0", store);
    full(m, "SELECT 1 FROM DUAL WHERE 0", store);
    full(m, "SELECT '', NULL, ' ', REPEAT('a',250), REPEAT('b',251), REPEAT('c',252), REPEAT('d',300)", store);
    full(m, "SHOW TABLES LIKE 'results\\_t'", store);
    full(m, "SELECT JSON_OBJECT('a', 1)", store);
    full(m, "SELECT ST_AsText(POINT(1,2)), POINT(1,2)", store);
    full(m, "SELECT CAST('2024-01-01' AS DATE), CAST(1 AS SIGNED), CAST(1 AS UNSIGNED), TRUE, CONVERT('x' USING latin1), _binary 'x'", store);
  }
  say("store_result's max_length is 0 for what was not stored: see above");
}

static void positions(MYSQL *m)
{
  section("positions");
  must(m, "DROP TABLE IF EXISTS results_p");
  must(m, "CREATE TABLE results_p (a INT, b VARCHAR(10))");
  must(m, "INSERT INTO results_p VALUES (1,'one'),(2,NULL),(3,'three'),(4,''),(5,'five')");
  query(m, "SELECT a, b FROM results_p ORDER BY a");
  MYSQL_RES *r = mysql_store_result(m);
  say("lengths before a row: %s", mysql_fetch_lengths(r) ? "pointer" : "NULL");
  MYSQL_ROW first = mysql_fetch_row(r);
  MYSQL_ROW_OFFSET second = mysql_row_tell(r);
  MYSQL_ROW row = mysql_fetch_row(r);
  say("first %s %s, second %s %s", first[0], first[1], row[0], or_null(row[1]));
  mysql_data_seek(r, 4);
  row = mysql_fetch_row(r);
  say("row 4: %s %s lengths %lu %lu", row[0], row[1], mysql_fetch_lengths(r)[0], mysql_fetch_lengths(r)[1]);
  say("end: %s eof %d lengths %s", mysql_fetch_row(r) ? "row" : "NULL", mysql_eof(r) != 0,
      mysql_fetch_lengths(r) ? "pointer" : "NULL");
  mysql_row_seek(r, second);
  row = mysql_fetch_row(r);
  say("back to the second: %s %s", row[0], or_null(row[1]));
  mysql_data_seek(r, 0);
  row = mysql_fetch_row(r);
  say("again the first: %s, still valid %s, same memory %d", row[0], first[1], row[0] == first[0]);
  mysql_data_seek(r, 99);
  say("far away: %s", mysql_fetch_row(r) ? "row" : "NULL");
  say("field_tell %u", mysql_field_tell(r));
  mysql_fetch_field(r);
  say("field_tell %u", mysql_field_tell(r));
  say("field_seek back from %u", mysql_field_seek(r, 1));
  MYSQL_FIELD *f = mysql_fetch_field(r);
  say("field %s, then %s", f->name, mysql_fetch_field(r) ? "field" : "NULL");
  say("fields array: %s %s", mysql_fetch_fields(r)[0].name, mysql_fetch_field_direct(r, 1)->name);
  say("all rows stay: %s", first[1]);
  /* Programs write into rows they hold. */
  mysql_data_seek(r, 2);
  row = mysql_fetch_row(r);
  row[1][0] = 'T';
  mysql_data_seek(r, 2);
  row = mysql_fetch_row(r);
  say("changed in place: %s", row[1]);
  mysql_free_result(r);

  query(m, "SELECT a, b FROM results_p ORDER BY a");
  r = mysql_use_result(m);
  row = mysql_fetch_row(r);
  say("unbuffered first %s rows %llu", row[0], (unsigned long long)mysql_num_rows(r));
  mysql_data_seek(r, 0); /* has no effect */
  row = mysql_fetch_row(r);
  say("unbuffered second %s rows %llu", row[0], (unsigned long long)mysql_num_rows(r));
  mysql_free_result(r); /* drains */
  alive(m);
}

static void several(MYSQL *m)
{
  section("several results");
  mysql_set_server_option(m, MYSQL_OPTION_MULTI_STATEMENTS_ON);
  static const char *const sets[] = {
      "SELECT 1 AS a; SELECT 2 AS b, 3 AS c; DO 0; UPDATE results_p SET b='x' WHERE a>3; SELECT b FROM results_p ORDER BY a",
      "INSERT INTO results_p VALUES (6,'six'); SELECT LAST_INSERT_ID(), ROW_COUNT()",
      "DO 0; DO 0",
      "SELECT 1; SELEKT 2",
      "SELECT 1;",
      "SELECT 1; ;",
  };
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    for (int store = 1; store >= 0; store--) {
      say("%s (%s)", sets[i], store ? "stored" : "row by row");
      int rc = mysql_query(m, sets[i]);
      if (rc)
        show_rc("first", rc, m);
      while (!rc) {
        MYSQL_RES *r = store ? mysql_store_result(m) : mysql_use_result(m);
        if (r) {
          rows(r);
          mysql_free_result(r);
        }
        show_status(" ", m);
        say("  more=%d", mysql_more_results(m) != 0);
        rc = show_next("  next", m);
      }
    }
  must(m, "DROP PROCEDURE IF EXISTS results_proc");
  must(m, "CREATE PROCEDURE results_proc() BEGIN SELECT 1 AS one; SELECT 2 AS two; UPDATE results_p SET b='p' WHERE a=1; END");
  for (int skip = 0; skip < 2; skip++) {
    query(m, "CALL results_proc()");
    int rc = 0;
    while (!rc) {
      MYSQL_RES *r = mysql_store_result(m);
      if (r && !skip)
        rows(r);
      mysql_free_result(r);
      show_status("CALL", m);
      rc = mysql_next_result(m);
    }
    say("end %d", rc);
  }
  mysql_set_server_option(m, MYSQL_OPTION_MULTI_STATEMENTS_OFF);
  show_rc("two statements, switched off", mysql_query(m, "SELECT 1; SELECT 2"), m);
  alive(m);
}

static void left_behind(MYSQL *m)
{
  section("what statements leave on the handle");
  must(m, "DROP TABLE IF EXISTS results_i");
  must(m, "CREATE TABLE results_i (id INT AUTO_INCREMENT PRIMARY KEY, v INT UNIQUE, s VARCHAR(3))");
  static const char *const sql[] = {
      "INSERT INTO results_i (v) VALUES (1)",
      "INSERT INTO results_i (v) VALUES (2),(3),(4)",
      "INSERT IGNORE INTO results_i (v) VALUES (4),(5)",
      "INSERT INTO results_i (v) VALUES (5) ON DUPLICATE KEY UPDATE v=50",
      "REPLACE INTO results_i (v) VALUES (3)",
      "UPDATE results_i SET v=v+100",
      "UPDATE results_i SET v=v",
      "UPDATE results_i SET v=1 WHERE id=99",
      "INSERT INTO results_i SELECT NULL, v+1000, 's' FROM results_i",
      "DELETE FROM results_i WHERE v>1000",
      "ALTER TABLE results_i ADD COLUMN w INT",
      "SET @x = 5",
      "INSERT INTO results_i (id, v) VALUES (LAST_INSERT_ID(77), 7)",
      "UPDATE results_i SET v=LAST_INSERT_ID(88) WHERE id=77",
      "SELECT LAST_INSERT_ID()",
      "SELECT 1/0",
      "SELECT CAST('12x' AS SIGNED)",
      "CREATE TABLE IF NOT EXISTS results_i (a INT)",
      "DROP TABLE IF EXISTS results_missing",
      "TRUNCATE TABLE results_i",
      "BEGIN",
      "INSERT INTO results_i (v) VALUES (1)",
      "ROLLBACK",
      "SHOW WARNINGS",
      "INSERT INTO results_i (v, s) VALUES (1, 'too long for it')",
      "ANALYZE TABLE results_i",
  };
  for (size_t i = 0; i < sizeof sql / sizeof *sql; i++) {
    if (query(m, sql[i])) {
      show_status(sql[i], m);
      continue;
    }
    show_status(sql[i], m);
    MYSQL_RES *r = mysql_store_result(m);
    if (r) {
      rows(r);
      show_status("  stored", m);
      mysql_free_result(r);
    }
    say("  status=%u", m->server_status & ~0x22u);
  }
  mysql_close(m);

  m = connected_to(NULL, db(), CLIENT_FOUND_ROWS);
  must(m, "TRUNCATE TABLE results_i");
  must(m, "INSERT INTO results_i (v) VALUES (1),(2)");
  query(m, "UPDATE results_i SET v=v");
  show_status("UPDATE with CLIENT_FOUND_ROWS", m);
  mysql_close(m);
}

static void large(MYSQL *m)
{
  section("rows and statements of 16 MiB and about");
  static const size_t sizes[] = {0xFFFFFF - 20, 0xFFFFFF - 6, 0xFFFFFF - 5, 0xFFFFFF - 4, 0xFFFFFF,
                                 0xFFFFFF + 1, 0x1000010, 0x1FFFFF8, 0x2000100};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int store = 1; store >= 0; store--) {
      char sql[100];
      snprintf(sql, sizeof sql, "SELECT REPEAT('q', %zu), 'end'", sizes[i]);
      if (query(m, sql))
        continue;
      MYSQL_RES *r = store ? mysql_store_result(m) : mysql_use_result(m);
      MYSQL_ROW row = r ? mysql_fetch_row(r) : NULL;
      unsigned long *l = row ? mysql_fetch_lengths(r) : NULL;
      if (row)
        say("%zu: lengths %lu %lu, digest %llx, %s, terminated %d", sizes[i], l[0], l[1],
            digest(row[0], l[0]), or_null(row[1]), row[0][l[0]] == 0);
      else
        show("no row", m);
      say("then %s", r && mysql_fetch_row(r) ? "row" : "NULL");
      mysql_free_result(r);
    }
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    size_t n = sizes[i];
    char *sql = malloc(n + 1);
    int head = sprintf(sql, "SELECT LENGTH('");
    memset(sql + head, 'w', n - (size_t)head);
    memcpy(sql + n - 2, "')", 2);
    say("statement of %zu: %d", n, mysql_real_query(m, sql, n));
    if (mysql_errno(m))
      show("statement", m);
    MYSQL_RES *r = mysql_store_result(m);
    MYSQL_ROW row = r ? mysql_fetch_row(r) : NULL;
    say("length %s", row ? or_null(row[0]) : "none");
    mysql_free_result(r);
    free(sql);
  }
  alive(m);
}

static void many(MYSQL *m)
{
  section("many columns, many rows");
  static char sql[200000];
  char *p = sql + sprintf(sql, "SELECT 0 AS c0");
  for (int i = 1; i < 1500; i++)
    p += sprintf(p, ",%s%d%s AS column_%d", i % 7 ? "" : "'", i, i % 7 ? "" : "'", i);
  for (int store = 1; store >= 0; store--) {
    query(m, sql);
    MYSQL_RES *r = store ? mysql_store_result(m) : mysql_use_result(m);
    MYSQL_ROW row = mysql_fetch_row(r);
    unsigned long long sum = 0;
    for (unsigned int i = 0; i < mysql_num_fields(r); i++)
      sum += strtoull(row[i], NULL, 10) + mysql_fetch_lengths(r)[i] * 7 +
             digest(mysql_fetch_field_direct(r, i)->name, mysql_fetch_field_direct(r, i)->name_length) % 97;
    say("%u columns, sum %llu", mysql_num_fields(r), sum);
    mysql_free_result(r);
  }
  must(m, "DROP TABLE IF EXISTS results_m");
  must(m, "CREATE TABLE results_m (a INT PRIMARY KEY, b VARCHAR(60))");
  for (int i = 0; i < 20; i++) {
    p = sql + sprintf(sql, "INSERT INTO results_m VALUES ");
    for (int j = 0; j < 1000; j++)
      p += sprintf(p, "%s(%d,REPEAT('%c',%d))", j ? "," : "", i * 1000 + j, 'a' + j % 26, j % 60);
    must(m, sql);
  }
  for (int store = 1; store >= 0; store--) {
    query(m, "SELECT a, b FROM results_m ORDER BY a");
    MYSQL_RES *r = store ? mysql_store_result(m) : mysql_use_result(m);
    unsigned long long n = 0, h = 0;
    MYSQL_ROW row;
    while ((row = mysql_fetch_row(r))) {
      unsigned long *l = mysql_fetch_lengths(r);
      n++;
      h = h * 31 + digest(row[0], l[0]) + digest(row[1], l[1]) * 3;
    }
    say("%llu rows, digest %llx, num_rows %llu", n, h, (unsigned long long)mysql_num_rows(r));
    mysql_free_result(r);
    /* Leaving a long unbuffered result early must leave the handle usable. */
    query(m, "SELECT a, b FROM results_m ORDER BY a");
    r = store ? mysql_store_result(m) : mysql_use_result(m);
    mysql_fetch_row(r);
    mysql_free_result(r);
    alive(m);
  }
}

static void listings(MYSQL *m)
{
  section("listing calls");
  MYSQL_RES *r = mysql_list_tables(m, "results\\_p");
  if (r) {
    say("list_tables:");
    rows(r);
    mysql_free_result(r);
  }
  r = mysql_list_dbs(m, db());
  if (r) {
    say("list_dbs:");
    rows(r);
    mysql_free_result(r);
  }
  /* The pattern is a part of the column's name. */
  static const char *const patterns[] = {NULL, "", "%", "results\\_p", "it's", "back\\\\slash"};
  for (unsigned i = 0; i < sizeof patterns / sizeof *patterns; i++)
    for (int dbs = 0; dbs < 2; dbs++) {
      r = dbs ? mysql_list_dbs(m, patterns[i]) : mysql_list_tables(m, patterns[i]);
      say("%s like %s: %s", dbs ? "dbs" : "tables", or_null(patterns[i]), r ? mysql_fetch_field_direct(r, 0)->name : "NULL");
      show("after it", m);
      mysql_free_result(r);
    }
  r = mysql_list_fields(m, "results_p", NULL);
  if (r) {
    say("list_fields:");
    fields(r);
    mysql_free_result(r);
  } else {
    show("list_fields", m);
  }
  r = mysql_list_fields(m, "results_nothing", NULL);
  say("list_fields of nothing: %s", r ? "result" : "NULL");
  show("list_fields", m);
  mysql_free_result(r);
  alive(m);
}

int main(void)
{
  lab_start();
  MYSQL *m = mysql_init(NULL);
  mysql_options(m, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  connected_to(m, db(), 0);
  metadata(m);
  positions(m);
  several(m);
  listings(m);
  many(m);
  left_behind(m);
  m = mysql_init(NULL);
  unsigned long packet = 64ul << 20;
  mysql_options(m, MYSQL_OPT_MAX_ALLOWED_PACKET, &packet);
  MYSQL *a = admin();
  must(a, "SET GLOBAL max_allowed_packet = 64*1024*1024");
  mysql_close(a);
  connected_to(m, db(), 0);
  large(m);
  mysql_close(m);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
