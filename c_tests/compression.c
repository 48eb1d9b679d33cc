/*
 * compression.c: how each way to ask for the compressed protocol is answered, and whether everything still arrives
 * through it: statements and results of sizes around the limits of packets and frames, several results, prepared
 * statements, files, another user.
 */
#include "lab.h"

#define COMPRESSION_FLAGS (1UL << 5 | 1UL << 26)

enum way { PLAIN, BY_OPTION, BY_FLAG, BY_LIST };
static const char *const transports[] = {"TCP", "socket", "TLS"};

static MYSQL *opened(const char *transport, enum way way, const char *list, unsigned level)
{
  MYSQL *m = mysql_init(NULL);
  int tls = !strcmp(transport, "TLS"), local = !strcmp(transport, "socket");
  unsigned on = 1;
  mysql_options(m, MYSQL_OPT_LOCAL_INFILE, &on);
#if LAB_MARIADB_ABI
  my_bool enforce = tls;
  mysql_options(m, MYSQL_OPT_SSL_ENFORCE, &enforce);
  (void)list, (void)level;
#else
  unsigned mode = tls ? SSL_MODE_REQUIRED : SSL_MODE_DISABLED;
  bool key = 1;
  mysql_options(m, MYSQL_OPT_SSL_MODE, &mode);
  mysql_options(m, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &key);
  if (way == BY_LIST)
    say("list: %d", mysql_options(m, MYSQL_OPT_COMPRESSION_ALGORITHMS, list));
  if (level)
    say("level: %d", mysql_options(m, MYSQL_OPT_ZSTD_COMPRESSION_LEVEL, &level));
#endif
  if (way == BY_OPTION)
    say("option: %d", mysql_options(m, MYSQL_OPT_COMPRESS, NULL));
  char option = 9;
  say("get_option: %d", mysql_get_option(m, MYSQL_OPT_COMPRESS, &option));
  say("is %d", option);
  MYSQL *same = mysql_real_connect(m, local ? "localhost" : host(), user(), pass(), db(), port(), sock(),
                                   CLIENT_MULTI_STATEMENTS | (way == BY_FLAG ? CLIENT_COMPRESS : 0));
  show("connect", m);
  if (!same) {
    mysql_close(m);
    return NULL;
  }
  say("flags %lx, net.compress %d", m->client_flag & COMPRESSION_FLAGS, m->net.compress);
  say("server: %s", value(m, "SELECT VARIABLE_VALUE FROM performance_schema.session_status "
                             "WHERE VARIABLE_NAME = 'Compression'"));
  if (mysql_query(m, "SHOW SESSION STATUS LIKE 'Compression%'") == 0) {
    MYSQL_RES *result = mysql_store_result(m);
    for (MYSQL_ROW row; (row = mysql_fetch_row(result));)
      say("%s = %s", row[0], row[1]);
    mysql_free_result(result);
  }
  return m;
}

/* One statement of about `size` bytes, whose answer is as long. */
static void there_and_back(MYSQL *m, size_t size, int hard)
{
  char *sql = malloc(size + 64), what[64];
  size_t at = (size_t)sprintf(sql, "SELECT '");
  unsigned random = 12345;
  for (size_t i = 0; i < size; i++) {
    random = random * 1103515245 + 12345;
    sql[at++] = hard ? "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/"[random >> 16 & 63] : 'a';
  }
  at += (size_t)sprintf(sql + at, "'");
  snprintf(what, sizeof what, "%zu %s", size, hard ? "random" : "equal");
  if (mysql_real_query(m, sql, at)) {
    show(what, m);
  } else {
    MYSQL_RES *result = mysql_store_result(m);
    MYSQL_ROW row = result ? mysql_fetch_row(result) : NULL;
    unsigned long length = row ? mysql_fetch_lengths(result)[0] : 0;
    say("%s: %lu %llx", what, length, row ? digest(row[0], length) : 0);
    mysql_free_result(result);
  }
  free(sql);
}

static void everything(MYSQL *m, int all)
{
  /* A packet is full at 16777205, a frame at 16777201, a row at 16777211. */
  static const size_t sizes[] = {0, 1, 30, 36, 37, 38, 39, 40, 41, 42, 43, 50, 255, 16384, 65500, 65526, 65527, 65528, 65535,
                                 65536, 1000000, 16777205, 16777200, 16777201, 16777202, 16777204, 16777206, 16777211,
                                 16777216};
  unsigned long limit = strtoul(value(m, "SELECT @@max_allowed_packet"), NULL, 10);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    if (sizes[i] > 16777205 - 10 && !all && sizes[i] != 16777205)
      continue;
    /* Connector/C loses the connection for rows that one packet does not hold. */
    if (LAB_MARIADB_ABI && sizes[i] > 16777206)
      continue;
    if (sizes[i] + 100 < limit)
      there_and_back(m, sizes[i], 0);
    if (sizes[i] + 100 < limit && (sizes[i] < 16777000 || sizes[i] == 16777205))
      there_and_back(m, sizes[i], 1);
  }

  must(m, "CREATE TEMPORARY TABLE compressed (a INT, b TEXT)");
  for (int i = 0; i < 8; i++)
    must(m, "INSERT INTO compressed VALUES (1, REPEAT('x', 60000)), (2, 'y'), (3, NULL)");
  for (int stored = 0; stored < 2; stored++) {
    if (query(m, "SELECT * FROM compressed x, (SELECT 1 AS c UNION SELECT 2) y ORDER BY x.a, c"))
      continue;
    MYSQL_RES *result = stored ? mysql_store_result(m) : mysql_use_result(m);
    unsigned long long sum = 0, rows = 0;
    for (MYSQL_ROW row; (row = mysql_fetch_row(result)); rows++)
      sum = sum * 31 + (row[1] ? digest(row[1], mysql_fetch_lengths(result)[1]) : 7);
    say("%llu rows, %llx", rows, sum);
    mysql_free_result(result);
    show("after them", m);
  }

  query(m, "SELECT 1; SELECT REPEAT('z', 100000); DO 1; SELECT no_such_column; SELECT 5");
  do {
    MYSQL_RES *result = mysql_store_result(m);
    MYSQL_ROW row = result ? mysql_fetch_row(result) : NULL;
    say("a result: %lu", row ? mysql_fetch_lengths(result)[0] : 0);
    mysql_free_result(result);
  } while (show_next("next", m) == 0);

  MYSQL_STMT *stmt = mysql_stmt_init(m);
  static const char sql[] = "SELECT ?, LENGTH(?)";
  say("prepare %d", mysql_stmt_prepare(stmt, sql, sizeof sql - 1));
  static char text[200000], back[200000];
  unsigned long length = sizeof text, got = 0;
  memset(text, 'q', sizeof text);
  MYSQL_BIND in[2], out[2];
  int number = 0;
  memset(in, 0, sizeof in);
  memset(out, 0, sizeof out);
  for (int i = 0; i < 2; i++) {
    in[i].buffer_type = MYSQL_TYPE_STRING;
    in[i].buffer = text;
    in[i].buffer_length = length;
    in[i].length = &length;
  }
  out[0].buffer_type = MYSQL_TYPE_STRING;
  out[0].buffer = back;
  out[0].buffer_length = sizeof back;
  out[0].length = &got;
  out[1].buffer_type = MYSQL_TYPE_LONG;
  out[1].buffer = &number;
  mysql_stmt_bind_param(stmt, in);
  for (int i = 0; i < 3; i++) {
    length = i == 1 ? 20 : sizeof text;
    if (i == 2)
      mysql_stmt_send_long_data(stmt, 0, text, 100000);
    say("execute %d", mysql_stmt_execute(stmt));
    mysql_stmt_bind_result(stmt, out);
    say("fetch %d: %lu %d", mysql_stmt_fetch(stmt), got, number);
    mysql_stmt_free_result(stmt);
  }
  mysql_stmt_close(stmt);

  char name[64], load[200];
  snprintf(name, sizeof name, "/tmp/ms-compressed-%d", (int)getppid());
  FILE *file = fopen(name, "w");
  for (int i = 0; i < 20000; i++)
    fprintf(file, "%d\tline %d\n", i, i * i);
  fclose(file);
  snprintf(load, sizeof load, "LOAD DATA LOCAL INFILE '%s' INTO TABLE compressed", name);
  if (mysql_query(m, load) == 0)
    show_status("LOAD DATA LOCAL", m);
  else
    say("LOAD DATA LOCAL: %u", mysql_errno(m));
  unlink(name);
  say("rows: %s", value(m, "SELECT COUNT(*) FROM compressed"));

  say("ping %d", mysql_ping(m));
  say("change user %d", mysql_change_user(m, user(), pass(), db()));
  alive(m);
  say("statistics: %d", mysql_stat(m) != NULL);
}

int main(void)
{
  lab_start();
  for (int t = 0; t < 3; t++)
    for (enum way way = PLAIN; way < BY_LIST; way++) {
      section("%s, way %d", transports[t], way);
      MYSQL *m = opened(transports[t], way, NULL, 0);
      if (!m)
        continue;
      if (way == BY_OPTION)
        everything(m, t == 0);
      mysql_close(m);
    }
#if !LAB_MARIADB_ABI
  static const char *const lists[] = {"zlib", "zstd", "uncompressed", "zlib,zstd", "zstd,zlib", "zstd,uncompressed",
                                      "uncompressed,zlib", "ZLIB", "Zstd,UNCOMPRESSED", "", ",", "zlib,", ",zlib", "lz4",
                                      "zlib,lz4", "zlib,zstd,uncompressed", "zlib,zstd,uncompressed,zlib", "zlib,zlib,zlib",
                                      " zlib", "zlib zstd"};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    section("list '%s'", lists[i]);
    MYSQL *m = opened("TCP", BY_LIST, lists[i], 0);
    if (m)
      alive(m);
    mysql_close(m);
  }
  for (int t = 0; t < 3; t++) {
    section("zstd over %s", transports[t]);
    MYSQL *m = opened(transports[t], BY_LIST, "zstd", 0);
    if (m) {
      everything(m, t == 0);
      mysql_close(m);
    }
  }
  static const unsigned levels[] = {1, 7, 22, 23, 255, 256, 259};
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
    section("zstd, level %u", levels[i]);
    MYSQL *m = opened("TCP", BY_LIST, "zstd", levels[i]);
    if (m) {
      there_and_back(m, 100000, 1);
      mysql_close(m);
    }
  }
  section("zlib with a level");
  MYSQL *m = opened("TCP", BY_LIST, "zlib", 7);
  if (m) {
    there_and_back(m, 100000, 1);
    mysql_close(m);
  }
#endif
  puts("end");
  return 0;
}
