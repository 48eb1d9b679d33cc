/*
 * binlog_mariadb.c: a server's binary log as Connector/C's programs read it: every kind of
 * event that both servers write here, rows with their values, replicas that register and
 * acknowledge, and what goes wrong.
 */
#include "binlog.h"
#include <mariadb_rpl.h>
#include <sys/stat.h>

static void text(const char *what, const char *str, size_t length)
{
  say("    %s %s", what, bytes(length ? str : "", length));
}

#define TEXT(what, string) text(what, (string).str, (string).length)
#define DATA(what, data_) text(what, (const char *)(data_).data, (data_).length)

static void show_value(const MARIADB_RPL_VALUE *v)
{
  const MYSQL_TIME *t = &v->val.tm;
  if (v->is_null) {
    say("      %d NULL", v->field_type);
    return;
  }
  switch ((int)v->field_type) {
  case MYSQL_TYPE_FLOAT: say("      %d %g", v->field_type, (double)v->val.f); break;
  case MYSQL_TYPE_DOUBLE: say("      %d %g", v->field_type, v->val.d); break;
  case MYSQL_TYPE_DATE: case MYSQL_TYPE_TIME: case MYSQL_TYPE_DATETIME:
    say("      %d %s%u-%u-%u %u:%u:%u.%06lu, kind %d", v->field_type, t->neg ? "-" : "", t->year, t->month, t->day,
        t->hour, t->minute, t->second, t->second_part, t->time_type);
    break;
  case MYSQL_TYPE_TIMESTAMP2: say("      %d %u.%u", v->field_type, v->val.ts.second, v->val.ts.second_part); break;
  case MYSQL_TYPE_TINY: case MYSQL_TYPE_SHORT: case MYSQL_TYPE_INT24: case MYSQL_TYPE_LONG: case MYSQL_TYPE_LONGLONG:
  case MYSQL_TYPE_YEAR: case MYSQL_TYPE_ENUM: case MYSQL_TYPE_SET:
    say("      %d %llu", v->field_type, (unsigned long long)v->val.ull);
    break;
  default: say("      %d %s", v->field_type, bytes(v->val.str.length ? v->val.str.str : "", v->val.str.length));
  }
}

static unsigned long long tables[16];

/* Tables are numbered as the server likes. */
static int table_number(unsigned long long id)
{
  for (int i = 0; i < 16; i++) {
    if (!tables[i])
      tables[i] = id;
    if (tables[i] == id)
      return i;
  }
  return -1;
}

static void show_rows(MARIADB_RPL *rpl, MARIADB_RPL_EVENT *map, MARIADB_RPL_EVENT *e)
{
  say("    what %d, table %d, flags %x, columns %u, packed %d, bytes %zu, extra %zu", e->event.rows.type,
      table_number(e->event.rows.table_id), e->event.rows.flags, e->event.rows.column_count, e->event.rows.compressed,
      e->event.rows.row_data_size, e->event.rows.extra_data_size);
  say("    bitmaps %s %s", bytes(e->event.rows.column_bitmap, (e->event.rows.column_count + 7) / 8),
      e->event.rows.column_update_bitmap ? "two" : "one");
  MARIADB_RPL_ROW *row = mariadb_rpl_extract_rows(rpl, map, e);
  if (!row)
    say("    no rows: %u %s", mariadb_rpl_errno(rpl), mariadb_rpl_error(rpl));
  for (; row; row = row->next) {
    say("    row of %u", row->column_count);
    for (uint32_t i = 0; i < row->column_count; i++)
      show_value(&row->columns[i]);
  }
}

static void show_table(MARIADB_RPL_EVENT *e)
{
  struct st_mariadb_rpl_table_map_event *t = &e->event.table_map;
  say("    table %d, columns %u, default charset %u and %d, signs %d", table_number(t->table_id), t->column_count,
      t->default_charset, t->enum_set_default_charset, t->signed_indicator != NULL);
  TEXT("schema", t->database);
  TEXT("name", t->table);
  TEXT("types", t->column_types);
  TEXT("metadata", t->metadata);
  text("nullable", (char *)t->null_indicator, (t->column_count + 7) / 8);
  DATA("names", t->column_names);
  DATA("charsets", t->column_charsets);
  DATA("key", t->simple_primary_keys);
  DATA("prefixed key", t->prefixed_primary_keys);
  DATA("geometry", t->geometry_types);
  DATA("sets", t->set_values);
  DATA("enums", t->enum_values);
}

/* The events from a position on, up to the end of the log. */
static void read_log(MYSQL *m, unsigned long start, const char *file, unsigned int flags, int unpack)
{
  MARIADB_RPL *rpl = mariadb_rpl_init(m);
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_SERVER_ID, 77);
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_START, start);
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_FLAGS, flags | MARIADB_RPL_BINLOG_DUMP_NON_BLOCK);
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_VERIFY_CHECKSUM, 1);
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_UNCOMPRESS, unpack);
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_FILENAME, file, strlen(file));
  say("open %d, artificial checksums %d", mariadb_rpl_open(rpl), rpl->artificial_checksum);
  MARIADB_RPL_EVENT *e = NULL, *map = NULL;
  static const char file_like[] = "bin.000001";
  int odd = 0;
  while ((e = mariadb_rpl_fetch(rpl, e)) != NULL) {
    unsigned type = e->event_type;
    if (type == BINLOG_CHECKPOINT_EVENT) {
      /* the server writes these when it has the time */
      MARIADB_STRING file = e->event.checkpoint.filename;
      odd += file.length != strlen(file_like) || strncmp(file.str, file_like, 8) != 0 || file.length != rpl->filename_length ||
             memcmp(file.str, rpl->filename, file.length) != 0;
      continue;
    }
    say("%u: ok %d, from %zu, %u of %zu bytes, flags %x, time %d, server %d, position %d, checksum %d", type, e->ok,
        e->raw_data_ofs, type == ROTATE_EVENT ? 0 : e->event_length, e->raw_data_size - e->raw_data_ofs, e->flags,
        e->timestamp != 0, e->server_id != 0, e->next_event_pos != 0, e->checksum != 0);
    switch (type) {
    case ROTATE_EVENT:
      if (e->flags & LOG_EVENT_ARTIFICIAL_F) {
        say("    to %llu", e->event.rotate.position);
        TEXT("file", e->event.rotate.filename);
        text("the stream's", rpl->filename, rpl->filename_length);
      }
      break;
    case FORMAT_DESCRIPTION_EVENT: {
      struct st_mariadb_rpl_format_description_event *f = &e->event.format_description;
      say("    format %d, header %d and %d, lengths %zu, known %d, checksums %d, server %d", f->format, f->header_len,
          rpl->fd_header_len, f->post_header_lengths.length, rpl->num_post_header_lengths, rpl->use_checksum,
          rpl->server_type);
      say("    version as the server's %d", strncmp(f->server_version, mysql_get_server_info(m), 6) == 0);
      text("lengths", (char *)rpl->post_header_len, 40);
      break;
    }
    case QUERY_EVENT: case QUERY_COMPRESSED_EVENT:
      say("    thread %d, error %u", e->event.query.thread_id != 0, e->event.query.errornr);
      TEXT("schema", e->event.query.database);
      say("    status %d", e->event.query.status.length != 0);
      TEXT("statement", e->event.query.statement);
      break;
    case GTID_EVENT:
      say("    %u-%llu flags %x, commit id %d", e->event.gtid.domain_id, (unsigned long long)e->event.gtid.sequence_nr,
          e->event.gtid.flags, e->event.gtid.commit_id != 0);
      TEXT("xid", e->event.gtid.xid);
      break;
    case GTID_LIST_EVENT: say("    gtids %u", e->event.gtid_list.gtid_cnt); break;
    case GTID_LOG_EVENT: case ANONYMOUS_GTID_LOG_EVENT:
      say("    flag %d, sequence %llu", e->event.gtid_log.commit_flag, (unsigned long long)e->event.gtid_log.sequence_nr);
      break;
    case PREVIOUS_GTIDS_LOG_EVENT: DATA("gtids", e->event.previous_gtid.content); break;
    case XID_EVENT: say("    transaction %d", e->event.xid.transaction_nr != 0); break;
    case ANNOTATE_ROWS_EVENT: TEXT("statement", e->event.annotate_rows.statement); break;
    case RAND_EVENT: say("    seeds %d", e->event.rand.first_seed != 0 && e->event.rand.second_seed != 0); break;
    case INTVAR_EVENT: say("    kind %d, %llu", e->event.intvar.type, (unsigned long long)e->event.intvar.value); break;
    case USER_VAR_EVENT: {
      struct st_mariadb_rpl_uservar_event *u = &e->event.uservar;
      TEXT("name", u->name);
      /* where there are no flags, the original shows a byte of the checksum */
      say("    null %d, type %d, collation %u", u->is_null, u->type, u->charset_nr);
      TEXT("value", u->value);
      break;
    }
    case BEGIN_LOAD_QUERY_EVENT: say("    file %d", e->event.begin_load_query.file_id != 0); break;
    case EXECUTE_LOAD_QUERY_EVENT: {
      struct st_mariadb_execute_load_query_event *l = &e->event.execute_load_query;
      say("    thread %d, error %d, file %d, name from %u to %u, duplicates %d", l->thread_id != 0, l->error_code,
          l->file_id != 0, l->ofs1, l->ofs2, l->duplicate_flag);
      TEXT("schema", l->schema);
      TEXT("statement", l->statement);
      break;
    }
    case XA_PREPARE_LOG_EVENT:
      say("    one phase %d, format %u, %u and %u", e->event.xa_prepare_log.one_phase, e->event.xa_prepare_log.format_id,
          e->event.xa_prepare_log.gtrid_len, e->event.xa_prepare_log.bqual_len);
      TEXT("xid", e->event.xa_prepare_log.xid);
      break;
    case TABLE_MAP_EVENT:
      show_table(e);
      mariadb_free_rpl_event(map);
      map = e; /* the rows need it */
      e = NULL;
      break;
    case WRITE_ROWS_EVENT_V1: case UPDATE_ROWS_EVENT_V1: case DELETE_ROWS_EVENT_V1: case WRITE_ROWS_EVENT:
    case UPDATE_ROWS_EVENT: case DELETE_ROWS_EVENT: case WRITE_ROWS_COMPRESSED_EVENT_V1:
      show_rows(rpl, map, e);
      break;
    }
  }
  say("the end: errno %u and %u, %s; odd checkpoints %d", mysql_errno(m), mariadb_rpl_errno(rpl), mysql_error(m), odd);
  mariadb_free_rpl_event(map);
  mariadb_rpl_close(rpl);
}

static MYSQL *a; /* may do everything */

/* A connection that reads logs with their checksums. */
static MYSQL *reader(void)
{
  MYSQL *m = admin();
  query(m, "SET @master_binlog_checksum = @@global.binlog_checksum");
  query(m, "SET @mariadb_slave_capability = 4");
  return m;
}

static void read_from_there(unsigned int flags, int unpack)
{
  MYSQL *m = reader();
  read_log(m, log_start, log_name, flags, unpack);
  mysql_close(m);
}

static void rows(void)
{
  section("rows");
  must(a, "CREATE TABLE types (id INT PRIMARY KEY, i1 TINYINT, i2 SMALLINT, i3 MEDIUMINT, i8 BIGINT UNSIGNED, f FLOAT,"
          " d DOUBLE, n DECIMAL(20,6), v VARCHAR(50), w VARCHAR(300), t TEXT, b LONGBLOB, dt DATE, ti TIME(3), tj TIME,"
          " dm DATETIME(6), ts TIMESTAMP(2) NULL, y YEAR, bi BIT(12)) ENGINE=InnoDB");
  from_here(a);
  must(a, "SET time_zone = '+00:00'");
  must(a, "INSERT INTO types VALUES (1, -1, -2, -3, 18446744073709551615, 1.5, -2.25, 123456.789, 'abc', REPEAT('w', 260),"
          " 'text', X'0001FF', '2026-11-30', '01:02:03.450', '-01:02:03', '2026-11-30 20:21:22.123456', '2026-11-30 20:21:22.25', 2026,"
          " b'101010101010'),"
          " (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),"
          " (3, 127, 32767, 8388607, 0, 0, 0, 0.000001, '', '', '', '', '1000-01-01', '838:59:58', '00:00:01', '9999-12-31 23:59:59', NULL,"
          " 1901, b'0')");
  must(a, "UPDATE types SET v = 'changed', n = NULL WHERE id < 3");
  must(a, "DELETE FROM types WHERE id = 3");
  read_from_there(MARIADB_RPL_BINLOG_SEND_ANNOTATE_ROWS, 0);
  section("rows without annotations");
  read_from_there(0, 0);

  section("more about columns");
  if (query(a, "SET GLOBAL binlog_row_metadata = FULL") == 0) {
    must(a, "CREATE TABLE meta (id INT UNSIGNED, name VARCHAR(20) CHARACTER SET latin1, words ENUM('a','b'), flags SET('x','y'),"
            " g POINT, PRIMARY KEY (id, name(3))) ENGINE=InnoDB");
    from_here(a);
    must(a, "INSERT INTO meta (id, name) VALUES (1, 'n')");
    read_from_there(0, 0);
    must(a, "SET GLOBAL binlog_row_metadata = DEFAULT");
    must(a, "DROP TABLE meta");
  }
}

static void statements(void)
{
  section("statements");
  must(a, "CREATE TABLE st (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(60)) ENGINE=InnoDB");
  from_here(a);
  query(a, "SET SESSION binlog_format = 'STATEMENT'");
  must(a, "SET @t = 'text', @i = -5, @d = 1.5e0, @n = 12.340, @z = NULL");
  query(a, "INSERT INTO st (v) VALUES (@t), (@i), (@d), (@n), (@z)");
  query(a, "INSERT INTO st (v) VALUES (RAND())");
  query(a, "INSERT INTO st (v) VALUES (LAST_INSERT_ID())");
  char name[] = "/tmp/lab-load-XXXXXX";
  int fd = mkstemp(name);
  (void)!write(fd, "100\tfrom a file\n", 16);
  fchmod(fd, 0644);
  close(fd);
  char sql[200];
  lab_mask(name, "FILE");
  snprintf(sql, sizeof sql, "LOAD DATA INFILE '%s' INTO TABLE st", name);
  show_rc("load", query(a, sql), a);
  unlink(name);
  query(a, "SET SESSION binlog_format = 'ROW'");
  must(a, "DROP TABLE st");
  must(a, "XA START 'one','two'");
  must(a, "DELETE FROM types WHERE id = 2");
  must(a, "XA END 'one','two'");
  must(a, "XA PREPARE 'one','two'");
  must(a, "XA COMMIT 'one','two'");
  read_from_there(0, 0);
}

static void compressed(void)
{
  section("compressed");
  if (query(a, "SET GLOBAL log_bin_compress = 1, GLOBAL log_bin_compress_min_len = 10"))
    return;
  from_here(a);
  must(a, "CREATE TABLE packed (a INT, v VARCHAR(200), w VARCHAR(200), x VARCHAR(200)) COMMENT 'long long long long long long'");
  must(a, "INSERT INTO packed VALUES (1, REPEAT('a', 150), REPEAT('b', 150), 'c')");
  read_from_there(0, 1);
  read_from_there(0, 0);
  must(a, "DROP TABLE packed");
  must(a, "SET GLOBAL log_bin_compress = 0");
}

static void whole_log(void)
{
  section("the beginning of a log");
  must(a, "FLUSH LOGS");
  from_here(a);
  log_start = 4;
  read_from_there(0, 0);
  section("without checksums");
  must(a, "SET GLOBAL binlog_checksum = NONE");
  from_here(a);
  log_start = 4;
  must(a, "DELETE FROM types");
  MYSQL *m = reader();
  read_log(m, log_start, log_name, 0, 0);
  mysql_close(m);
  must(a, "SET GLOBAL binlog_checksum = CRC32");
}

static void replica(void)
{
  section("a replica that registers");
  MYSQL *m = reader();
  mysql_optionsv(m, MARIADB_OPT_RPL_REGISTER_REPLICA, "ignored", 1); /* connected already */
  MARIADB_RPL *rpl = mariadb_rpl_init(m);
  say("host %s port %u", or_null(rpl->host), rpl->port);
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_HOST, "here.example");
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_PORT, 3307);
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_SERVER_ID, 78);
  from_here(a);
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_START, log_start);
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_FILENAME, log_name, strlen(log_name));
  say("open %d", mariadb_rpl_open(rpl));
  MARIADB_RPL_EVENT *e = mariadb_rpl_fetch(rpl, NULL);
  say("first %d", e ? (int)e->event_type : -1);
  query(a, server_is_mysql() ? "SHOW REPLICAS" : "SHOW SLAVE HOSTS");
  MYSQL_RES *r = mysql_store_result(a);
  for (MYSQL_ROW row; (row = mysql_fetch_row(r));)
    say("replica %s %s %s", row[0], row[1], row[2]);
  mysql_free_result(r);
  mariadb_free_rpl_event(e);
  mariadb_rpl_close(rpl);
  mysql_close(m);
}

static void semi_sync(void)
{
  section("acknowledgements");
  if (server_is_mysql() || query(a, "SET GLOBAL rpl_semi_sync_master_enabled = 1, GLOBAL rpl_semi_sync_master_timeout = 60000"))
    return;
  MYSQL *m = reader();
  MARIADB_RPL *rpl = mariadb_rpl_init(m);
  unsigned int on = 0;
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_SEMI_SYNC, 1);
  say("get %d", mariadb_rpl_get_optionsv(rpl, MARIADB_RPL_SEMI_SYNC, &on));
  from_here(a);
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_SERVER_ID, 79);
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_START, log_start);
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_FILENAME, log_name, strlen(log_name));
  say("on %u, open %d", on, mariadb_rpl_open(rpl));
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    MYSQL *w = admin();
    int failed = query(w, "INSERT INTO types (id) VALUES (50)");
    _exit(failed || strcmp(value(w, "SELECT variable_value FROM information_schema.global_status"
                                    " WHERE variable_name = 'Rpl_semi_sync_master_yes_tx'"), "1"));
  }
  MARIADB_RPL_EVENT *e = NULL;
  int wanted = 0;
  while ((e = mariadb_rpl_fetch(rpl, e)) != NULL) {
    say("%d: from %zu, waits %d", e->event_type, e->raw_data_ofs, e->is_semi_sync);
    wanted += e->semi_sync_flags;
    if (e->event_type == XID_EVENT)
      break;
  }
  int status = 1;
  waitpid(child, &status, 0);
  say("wanted %d, the transaction was acknowledged %d", wanted, status == 0);
  mariadb_free_rpl_event(e);
  mariadb_rpl_close(rpl);
  mysql_close(m);
  must(a, "SET GLOBAL rpl_semi_sync_master_enabled = 0");
}

static void problems(void)
{
  section("what goes wrong");
  say("NULL %d %d %d", mariadb_rpl_open(NULL), mariadb_rpl_fetch(NULL, NULL) != NULL,
      mariadb_rpl_extract_rows(NULL, NULL, NULL) != NULL);
  MYSQL *m = reader();
  say("an old version %d", mariadb_rpl_init_ex(m, 1) != NULL);
  show("an old version", m);
  MARIADB_RPL *rpl = mariadb_rpl_init(m);
  unsigned int number = 0;
  unsigned long start = 0;
  char *name = NULL;
  size_t length = 0;
  say("set %d %d", mariadb_rpl_optionsv(rpl, MARIADB_RPL_GTID_DATA, 1), mariadb_rpl_optionsv(rpl, 99, 1));
  say("get %d %d", mariadb_rpl_get_optionsv(rpl, MARIADB_RPL_HOST, &name), mariadb_rpl_get_optionsv(rpl, 99, &name));
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_SERVER_ID, 5);
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_FLAGS, 3);
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_START, 120UL);
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_FILENAME, "nowhere.000001", (size_t)0);
  say("server id %d %u", mariadb_rpl_get_optionsv(rpl, MARIADB_RPL_SERVER_ID, &number), number);
  say("flags %d %u", mariadb_rpl_get_optionsv(rpl, MARIADB_RPL_FLAGS, &number), number);
  say("start %d %lu", mariadb_rpl_get_optionsv(rpl, MARIADB_RPL_START, &start), start);
  say("file %d %s", mariadb_rpl_get_optionsv(rpl, MARIADB_RPL_FILENAME, &name, &length), bytes(name, length));
  say("open %d", mariadb_rpl_open(rpl));
  say("fetch %d, errno %u %u %s", mariadb_rpl_fetch(rpl, NULL) != NULL, mysql_errno(m), mariadb_rpl_errno(rpl),
      mariadb_rpl_error(rpl));
  mariadb_rpl_close(rpl);
  mysql_close(m);

  rpl = mariadb_rpl_init(NULL);
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_FILENAME, "/nowhere/at/all", (size_t)0);
  say("a missing file %d", mariadb_rpl_open(rpl) != 0);
  say("%u %s", mariadb_rpl_errno(rpl), mariadb_rpl_error(rpl));
  say("fetch %d", mariadb_rpl_fetch(rpl, NULL) != NULL);
  mariadb_rpl_close(rpl);
  rpl = mariadb_rpl_init(NULL);
  mariadb_rpl_optionsv(rpl, MARIADB_RPL_FILENAME, "/etc/passwd", (size_t)0);
  mariadb_rpl_open(rpl);
  say("another file: %u %s", mariadb_rpl_errno(rpl), mariadb_rpl_error(rpl));
  mariadb_rpl_close(rpl);
  mariadb_free_rpl_event(NULL);
  mariadb_rpl_close(NULL);
}

/* The next event but those that only a stream has, or that come when the server has the time. */
static MARIADB_RPL_EVENT *next_in_log(MARIADB_RPL *rpl, MARIADB_RPL_EVENT *e)
{
  do {
    e = mariadb_rpl_fetch(rpl, e);
  } while (e && (e->event_type == ROTATE_EVENT || e->event_type == BINLOG_CHECKPOINT_EVENT));
  return e;
}

/* The log's events from the server and from its file. The original does not read files: this
   runs with ours only. */
static void from_file(void)
{
  section("a file");
  must(a, "DROP TABLE IF EXISTS fl");
  must(a, "FLUSH LOGS");
  must(a, "CREATE TABLE fl (id INT, words ENUM('a','b'), fixed CHAR(10), n DECIMAL(10,2), t TIME(2)) ENGINE=InnoDB");
  must(a, "INSERT INTO fl VALUES (1, 'b', 'fixed', -12.5, '-01:02:03.45')");
  from_here(a);
  MYSQL *m = reader();
  MARIADB_RPL *one = mariadb_rpl_init(m), *two = mariadb_rpl_init(NULL);
  char *folder = value(a, "SELECT @@log_bin_basename"), name[500];
  snprintf(name, sizeof name, "%.*s/%s", (int)(strrchr(folder, '/') - folder), folder, log_name);
  mariadb_rpl_optionsv(one, MARIADB_RPL_START, 4UL);
  mariadb_rpl_optionsv(one, MARIADB_RPL_FLAGS, MARIADB_RPL_BINLOG_DUMP_NON_BLOCK | MARIADB_RPL_BINLOG_SEND_ANNOTATE_ROWS);
  mariadb_rpl_optionsv(one, MARIADB_RPL_FILENAME, log_name, (size_t)0);
  mariadb_rpl_optionsv(two, MARIADB_RPL_FILENAME, name, (size_t)0);
  mariadb_rpl_optionsv(two, MARIADB_RPL_VERIFY_CHECKSUM, 1);
  say("open %d %d", mariadb_rpl_open(one), mariadb_rpl_open(two));
  MARIADB_RPL_EVENT *e = NULL, *f = NULL, *map = NULL;
  int count = 0, differ = 0;
  while ((e = next_in_log(one, e)) != NULL) {
    f = next_in_log(two, f);
    count++;
    /* the server changes a flag and a position of the first event, and with them the checksum */
    differ += !f || f->event_type != e->event_type || f->event_length != e->event_length || f->timestamp != e->timestamp ||
              (count > 1 && memcmp(f->raw_data, e->raw_data + 1, f->raw_data_size) != 0);
    if (f && f->event_type == TABLE_MAP_EVENT) {
      map = f;
      f = NULL;
    } else if (f && (f->event_type == WRITE_ROWS_EVENT_V1 || f->event_type == WRITE_ROWS_EVENT)) {
      show_rows(two, map, f);
    }
  }
  say("events %d, differ %d, enough %d", count, differ, count > 5);
  say("behind them %d, errno %u", next_in_log(two, f) != NULL, mariadb_rpl_errno(two));
  mariadb_free_rpl_event(map);
  mariadb_rpl_close(one);
  mariadb_rpl_close(two);
  mysql_close(m);
  must(a, "DROP TABLE fl");
}

int main(int argc, char **argv)
{
  lab_start();
  a = admin();
  must(a, "USE test");
  if (argc > 1 && !strcmp(argv[1], "file")) {
    from_file();
    mysql_close(a);
    printf("\nend\n");
    return 0;
  }
  must(a, server_is_mysql() ? "RESET BINARY LOGS AND GTIDS" : "RESET MASTER");
  must(a, "DROP TABLE IF EXISTS types, meta, st, packed");
  rows();
  statements();
  compressed();
  whole_log();
  replica();
  semi_sync();
  problems();
  must(a, "DROP TABLE types");
  mysql_close(a);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
