/*
 * unbuffered.c: fetches a large result row by row and tells the peak of its memory when a tenth is read (of less than 5,000
 * rows, 500 of them), and at the end.
 *
 *   unbuffered ROWS
 *
 * A row has 1 MB on average. By then every size has come, at every place in the library's buffers.
 */
#include "lab.h"

#define STEP 42000

static long peak_kb(void)
{
  char line[256];
  long kb = -1;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f))
    if (!strncmp(line, "VmHWM:", 6))
      kb = atol(line + 6);
  if (f)
    fclose(f);
  return kb;
}

int main(int argc, char **argv)
{
  long rows = argc > 1 ? atol(argv[1]) : 1000, n = 0, early = -1;
  unsigned long long total = 0;
  char sql[2048];
  int length = 0;
  lab_start();
  MYSQL *m = mysql_init(NULL);
  if (!mysql_real_connect(m, NULL, user(), pass(), db(), 0, sock(), 0)) {
    show("cannot connect", m);
    return 5;
  }
  /* a million rows at most; whichever table changes fastest, all sizes come soon */
  length += sprintf(sql,
                    "WITH RECURSIVE d(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM d WHERE n < 99) "
                    "SELECT a.n %% 10, REPEAT(CHAR(97 + a.n %% 10), 1 + %d * ((a.n + b.n + c.n) %% 50)) "
                    "FROM d a CROSS JOIN d b CROSS JOIN d c",
                    STEP);
  length += sprintf(sql + length, " LIMIT %ld", rows);
  if (mysql_real_query(m, sql, (unsigned long)length)) {
    show("query", m);
    return 5;
  }
  MYSQL_RES *r = mysql_use_result(m);
  for (MYSQL_ROW row; (row = mysql_fetch_row(r));) {
    unsigned long *lengths = mysql_fetch_lengths(r);
    unsigned long last = lengths[1];
    /* as long as it has to be, and of one letter */
    if ((last - 1) % STEP || row[1][0] != 'a' + row[0][0] - '0' || row[1][last - 1] != row[1][0] || row[1][last])
      say("row %ld is wrong", n);
    total += last;
    if (++n == (rows > 5000 ? rows / 10 : 500))
      early = peak_kb();
  }
  show("rows fetched", m);
  mysql_free_result(r);
  alive(m);
  mysql_close(m);
  printf("rows=%ld megabytes=%llu early_kb=%ld peak_kb=%ld\n", n, total >> 20, early, peak_kb());
  puts("\nend");
  return 0;
}
