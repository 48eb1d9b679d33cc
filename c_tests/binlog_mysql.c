/*
 * binlog_mysql.c: a server's binary log as libmysqlclient's programs read it.
 */
#include "binlog.h"

static MYSQL *a; /* may do everything */

/* A connection that reads logs with their checksums. */
static MYSQL *reader(void)
{
  MYSQL *m = admin();
  query(m, "SET @master_binlog_checksum = @@global.binlog_checksum");
  query(m, "SET @mariadb_slave_capability = 4");
  return m;
}

static void read_all(MYSQL *m, MYSQL_RPL *rpl)
{
  int rc, count = 0;
  while ((rc = mysql_binlog_fetch(m, rpl)) == 0 && rpl->size) {
    /* type, length as the header says, bytes that came, what belongs to no moment */
    const unsigned char *p = rpl->buffer;
    if (p[5] == 161)
      continue; /* a checkpoint: MariaDB writes it when it has the time */
    uint32_t length, position;
    memcpy(&length, p + 10, 4);
    memcpy(&position, p + 14, 4);
    say("%d: ok %d, %u bytes, all came %d, in the log %d", p[5], p[0], length, rpl->size == length + 1,
        position >= log_start + length);
    count++;
  }
  say("%d events, rc=%d size %lu", count, rc, rpl->size);
  show("the end", m);
}

static void from_position(void)
{
  section("from a position");
  from_here(a);
  must(a, "INSERT INTO bl VALUES (1, 'one'), (2, 'two')");
  must(a, "UPDATE bl SET v = REPEAT('x', 60000) WHERE id = 1");
  MYSQL *m = reader();
  MYSQL_RPL rpl = {.file_name = log_name, .start_position = log_start, .server_id = 81, .flags = 1};
  say("open %d", mysql_binlog_open(m, &rpl));
  say("name has %d bytes as told %d", rpl.file_name_length != 0, rpl.file_name_length == strlen(log_name));
  read_all(m, &rpl);
  alive(m); /* the stream has ended */
  mysql_binlog_close(m, &rpl);
  say("closed %d %lu", rpl.buffer == NULL, rpl.size);
  show_rc("afterwards", query(m, "SELECT 1"), m);
  mysql_close(m);

  section("from the beginning of all");
  m = reader();
  MYSQL_RPL all = {.file_name = NULL, .start_position = 4, .server_id = 82, .flags = 1};
  say("open %d", mysql_binlog_open(m, &all));
  log_start = 0;
  read_all(m, &all);
  mysql_close(m);
}

static void no_gtids(MYSQL_RPL *rpl, unsigned char *place)
{
  say("told %zu, argument %s", rpl->gtid_set_encoded_size, or_null(rpl->gtid_set_arg));
  memset(place, 0, rpl->gtid_set_encoded_size);
}

static void from_gtids(void)
{
  section("from GTIDs");
  unsigned char none[8] = {0};
  MYSQL_RPL ways[] = {
      {.start_position = 4, .server_id = 83, .flags = 1 | MYSQL_RPL_GTID},
      {.start_position = 4, .server_id = 84, .flags = 1 | MYSQL_RPL_GTID, .gtid_set_encoded_size = 8, .gtid_set_arg = none},
      {.start_position = 4, .server_id = 85, .flags = 1 | MYSQL_RPL_GTID, .gtid_set_encoded_size = 8,
       .fix_gtid_set = no_gtids, .gtid_set_arg = (void *)"mine"},
      {.start_position = 4, .server_id = 86, .flags = 1 | MYSQL_RPL_GTID, .gtid_set_encoded_size = 3, .gtid_set_arg = none},
  };
  log_start = 0;
  for (int i = 0; i < 4; i++) {
    MYSQL *m = reader();
    say("open %d", mysql_binlog_open(m, &ways[i]));
    read_all(m, &ways[i]);
    mysql_close(m);
  }
}

static void heartbeats(void)
{
  section("heartbeats");
  for (int skip = 0; skip < 2; skip++) {
    from_here(a);
    MYSQL *m = reader();
    must(m, server_is_mysql() ? "SET @source_heartbeat_period = 50000000" : "SET @master_heartbeat_period = 50000000");
    MYSQL_RPL rpl = {.file_name = log_name, .start_position = log_start, .server_id = 87,
                     .flags = skip ? MYSQL_RPL_SKIP_HEARTBEAT : 0};
    say("open %d", mysql_binlog_open(m, &rpl));
    int seen = 0, rc;
    pid_t child = 0;
    if (skip) {
      fflush(stdout);
      child = fork();
      if (child == 0) {
        MYSQL *w = admin();
        usleep(300000);
        _exit(query(w, "INSERT INTO test.bl VALUES (50, 'from a child')"));
      }
    }
    while ((rc = mysql_binlog_fetch(m, &rpl)) == 0 && rpl.size) {
      int type = rpl.buffer[5];
      seen += type == 27 || type == 41;
      if (type == 16 || (seen && !skip))
        break;
    }
    say("rc=%d, heartbeats %d", rc, seen);
    if (child)
      waitpid(child, NULL, 0);
    mysql_binlog_close(m, &rpl);
    mysql_close(m);
  }
}

static void problems(void)
{
  section("what goes wrong");
  MYSQL *m = reader();
  MYSQL_RPL rpl = {.file_name = "nowhere.000001", .start_position = 4, .server_id = 88, .flags = 1};
  say("open %d", mysql_binlog_open(m, &rpl));
  show_rc("fetch", mysql_binlog_fetch(m, &rpl), m);
  mysql_close(m);
  m = reader();
  query(m, "SELECT 1");
  show_rc("a result waits", mysql_binlog_open(m, &rpl), m);
  mysql_close(m);
  m = mysql_init(NULL);
  show_rc("not connected", mysql_binlog_open(m, &rpl), m);
  mysql_close(m);
  m = connected();
  say("without the right %d", mysql_binlog_open(m, &rpl));
  say("fetch %d, errno %d", mysql_binlog_fetch(m, &rpl), mysql_errno(m) != 0);
  mysql_close(m);
}

int main(void)
{
  lab_start();
  a = admin();
  must(a, "USE test");
  must(a, server_is_mysql() ? "RESET BINARY LOGS AND GTIDS" : "RESET MASTER");
  must(a, "DROP TABLE IF EXISTS bl");
  must(a, "CREATE TABLE bl (id INT PRIMARY KEY, v TEXT) ENGINE=InnoDB");
  from_position();
  from_gtids();
  heartbeats();
  problems();
  must(a, "DROP TABLE bl");
  mysql_close(a);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
