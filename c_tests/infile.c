/*
 * infile.c: LOAD DATA LOCAL INFILE: off unless the program enabled it; then the
 * library's own file handler, with files that are missing, empty, large, binary.
 */
#include "lab.h"

static char folder[] = "/tmp/lab-infile-XXXXXX";
static char path[4][300];

static void make_file(int i, const char *name, const void *data, size_t n, size_t times)
{
  snprintf(path[i], sizeof path[i], "%s/%s", folder, name);
  FILE *f = fopen(path[i], "w");
  while (times--)
    fwrite(data, 1, n, f);
  fclose(f);
}

static void load(MYSQL *m, const char *file)
{
  char sql[600];
  must(m, "TRUNCATE TABLE infile_t");
  snprintf(sql, sizeof sql, "LOAD DATA LOCAL INFILE '%s' INTO TABLE infile_t FIELDS TERMINATED BY ',' (a, b)", file);
  show_rc("load", mysql_query(m, sql), m);
  show_status("load", m);
  say("rows %s sum %s", value(m, "SELECT COUNT(*) FROM infile_t"),
      value(m, "SELECT CONCAT_WS(' ', SUM(a), SUM(LENGTH(b)), SHA2(GROUP_CONCAT(HEX(b) ORDER BY a), 256)) FROM (SELECT a, b FROM infile_t ORDER BY a LIMIT 20) t"));
}

int main(void)
{
  lab_start();
  if (!mkdtemp(folder))
    return 7;
  lab_mask(folder, "FOLDER");
  make_file(0, "plain", "1,one\n2,two\n3,drei\n", 18, 1);
  make_file(1, "empty", "", 0, 1);
  make_file(2, "binary", "7,\0\1\2\xff\n8,\\\\x\n", 14, 1);
  make_file(3, "large", "5,0123456789012345678901234567890123456789012345678901234567\n", 61, 300000);

  MYSQL *a = admin();
  must(a, "SET GLOBAL local_infile = 1");
  must(a, "DROP TABLE IF EXISTS infile_t");
  must(a, "CREATE TABLE infile_t (a INT, b VARBINARY(100))");

  section("not enabled");
  MYSQL *m = connected();
#if LAB_MARIADB_ABI
  /* Connector/C lets the server read any file unless told not to; ours does not. */
  stricter = 1;
  load(m, path[0]);
  stricter = 0;
#else
  load(m, path[0]);
#endif
  alive(m);
  mysql_close(m);

  section("switched off by option");
  unsigned int off = 0, on = 1;
  m = mysql_init(NULL);
  mysql_options(m, MYSQL_OPT_LOCAL_INFILE, &off);
  connected_to(m, db(), 0);
  load(m, path[0]);
  alive(m);
  mysql_close(m);

  for (int way = 0; way < 2; way++) {
    section("enabled by %s", way ? "connect flag" : "option");
    m = mysql_init(NULL);
    if (!way)
      mysql_options(m, MYSQL_OPT_LOCAL_INFILE, &on);
    connected_to(m, db(), way ? CLIENT_LOCAL_FILES : 0);
    for (int i = 0; i < 4; i++)
      load(m, path[i]);
    char missing[320];
    snprintf(missing, sizeof missing, "%s/missing", folder);
    load(m, missing);
    load(m, folder);
    alive(m);
    load(m, path[0]);
    mysql_close(m);
  }

  section("several statements");
  m = mysql_init(NULL);
  mysql_options(m, MYSQL_OPT_LOCAL_INFILE, &on);
  connected_to(m, db(), CLIENT_MULTI_STATEMENTS);
  char sql[700];
  snprintf(sql, sizeof sql, "SELECT 1; LOAD DATA LOCAL INFILE '%s' INTO TABLE infile_t FIELDS TERMINATED BY ','; SELECT COUNT(*) > 0 FROM infile_t", path[0]);
  query(m, sql);
  do {
    MYSQL_RES *r = mysql_store_result(m);
    MYSQL_ROW row = r ? mysql_fetch_row(r) : NULL;
    say("row %s", row ? row[0] : "none");
    show_status(" ", m);
    mysql_free_result(r);
  } while (mysql_next_result(m) == 0);
  show("end", m);
  mysql_close(m);

  mysql_close(a);
  for (int i = 0; i < 4; i++)
    unlink(path[i]);
  rmdir(folder);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
