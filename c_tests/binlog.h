/*
 * binlog.h: where in a server's binary log the programs for both libraries begin to read.
 */
#include "lab.h"

static char log_name[64];
static unsigned long log_start;

/* What follows is the log's last part. */
static void from_here(MYSQL *a)
{
  query(a, server_is_mysql() ? "SHOW BINARY LOG STATUS" : "SHOW MASTER STATUS");
  MYSQL_RES *r = mysql_store_result(a);
  MYSQL_ROW row = mysql_fetch_row(r);
  snprintf(log_name, sizeof log_name, "%s", row[0]);
  log_start = strtoul(row[1], NULL, 10);
  mysql_free_result(r);
}
