/*
 * stmt_params.c: bound parameters of prepared statements as they go over the wire: every
 * type, signed and unsigned, times of every shape, lengths from every place, NULLs, many
 * parameters; with MariaDB's interface also arrays of rows with indicators. A scripted
 * server answers each execution with the packet it got; a real one then tells what it
 * understood.
 */
#include "lab.h"

/* ---- the scripted server ---- */

static unsigned char packet[1 << 22];

/* One packet, however long; its length or -1. */
static long read_packet(int fd)
{
  unsigned char head[4];
  if (recv(fd, head, 4, MSG_WAITALL) != 4)
    return -1;
  long n = head[0] | head[1] << 8 | head[2] << 16;
  if (n > (long)sizeof packet || (n && recv(fd, packet, n, MSG_WAITALL) != n))
    return -1;
  return n;
}

#if !LAB_MARIADB_ABI
/* libmysqlclient sends the types with each execution; they need not be: an execution
   without them gets those of the one before, and counts as the same. */
static size_t with_types(unsigned char *data, size_t length, unsigned count)
{
  static unsigned char last[200];
  size_t at = 5 + (count + 7) / 8, types = 2 * (size_t)count;
  if (!count || length <= at)
    return length;
  if (data[at]) {
    memcpy(last, data + at + 1, types);
    return length;
  }
  memmove(data + at + 1 + types, data + at + 1, length - at - 1);
  memcpy(data + at + 1, last, types);
  data[at] = 1;
  return length + types;
}
#endif

/* An OK packet whose text tells bytes: their number, their digest, the first of them. */
static void answer_with(int fd, const unsigned char *data, size_t length)
{
  char reply[512] = {0, 0, 0, 2, 0, 0, 0, (char)0xFC};
  char *start = reply + 10, *p = start;
  p += sprintf(p, "%zu bytes, %016llx:", length, digest(data, length));
  for (size_t i = 0; i < length && i < 190; i++)
    p += sprintf(p, "%02X", data[i]);
  reply[8] = (p - start) & 255;
  reply[9] = (p - start) >> 8;
  fake_packet(fd, 1, reply, p - reply);
}

static void serve_statements(int fd)
{
  static const unsigned char ok[] = {0, 0, 0, 2, 0, 0, 0};
  static const unsigned char eof[] = {0xFE, 0, 0, 2, 0};
  static const unsigned char parameter[] = "\3def\0\0\0\1?\0\x0C\x3F\0\0\0\0\0\xFD\x80\0\0\0\0";
  unsigned id = 0, count = 0;
  long n;
  while ((n = read_packet(fd)) > 0) {
    switch (packet[0]) {
    case 0x16: {
      count = 0;
      for (long i = 1; i < n; i++)
        count += packet[i] == '?';
      unsigned char head[12] = {0, ++id, 0, 0, 0, 0, 0, count & 255, count >> 8, 0, 0, 0};
      fake_packet(fd, 1, head, sizeof head);
      for (unsigned i = 0; i < count; i++)
        fake_packet(fd, 2 + i, parameter, sizeof parameter - 1);
      if (count)
        fake_packet(fd, 2 + count, eof, sizeof eof);
      break;
    }
    case 0x17: /* execute: behind command and id */
#if !LAB_MARIADB_ABI
      n = 5 + (long)with_types(packet + 5, n - 5, count);
#endif
      answer_with(fd, packet + 5, n - 5);
      break;
    case 0xFA: /* in bulk */
      answer_with(fd, packet + 5, n - 5);
      break;
    case 0x18: /* long data: not answered */
    case 0x19: /* close */
      break;
    case 0x01:
      return;
    default:
      fake_packet(fd, 1, ok, sizeof ok);
    }
  }
}

static void script_mysql(int fd)
{
  if (fake_login(fd) == 0)
    serve_statements(fd);
}

#if LAB_MARIADB_ABI
/* A server that knows arrays of parameters: no CLIENT_LONG_PASSWORD, and the bits behind
   the filler of the greeting. */
static void script_mariadb(int fd)
{
  static const char version[] = "5.5.5-10.11.99-MariaDB-scripted";
  unsigned char g[256];
  size_t n = fake_greeting(g, version, FAKE_CAPS & ~1u, "mysql_native_password");
  g[1 + sizeof version + 4 + 9 + 2 + 1 + 2 + 2 + 1 + 6] = 0x04; /* MARIADB_CLIENT_STMT_BULK_OPERATIONS */
  fake_packet(fd, 0, g, n);
  if (fake_read(fd) < 0)
    return;
  fake_packet(fd, 2, "\0\0\0\2\0\0\0", 7);
  serve_statements(fd);
}
#endif

/* ---- the client ---- */

/* MariaDB's text has two numbers that its original leaves to chance. */
static const char *error_of(MYSQL_STMT *s)
{
  static char text[600];
  snprintf(text, sizeof text, "%s", mysql_stmt_error(s));
#if LAB_MARIADB_ABI
  if (mysql_stmt_errno(s) == 2036)
    snprintf(text, sizeof text, "(numbers of chance)");
#endif
  return text;
}

static void show_stmt(const char *what, MYSQL_STMT *s, int rc)
{
  if (rc)
    say("%s: rc=1 errno=%u state=%s %s", what, mysql_stmt_errno(s), mysql_stmt_sqlstate(s), error_of(s));
  else
    say("%s: %s", what, or_null(mysql_info(s->mysql)));
}

/* Bind and execute. */
static void run(const char *what, MYSQL_STMT *s, MYSQL_BIND *binds)
{
  char text[200];
  int rc = mysql_stmt_bind_param(s, binds);
  if (rc) {
    snprintf(text, sizeof text, "%s, bind", what);
    show_stmt(text, s, rc);
    return;
  }
  show_stmt(what, s, mysql_stmt_execute(s));
}

static MYSQL_STMT *prepared(MYSQL *m, const char *sql)
{
  MYSQL_STMT *s = mysql_stmt_init(m);
  if (mysql_stmt_prepare(s, sql, strlen(sql)))
    say("%s: errno=%u %s", sql, mysql_stmt_errno(s), mysql_stmt_error(s));
  return s;
}

static const int all_types[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
                                242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255, 99, 300};

static int is_temporal(int type) { return type == 7 || type == 10 || type == 11 || type == 12; }

static void every_type(MYSQL *m)
{
  section("every type");
  MYSQL_STMT *s = prepared(m, "SELECT ?");
  unsigned char data[64];
  for (int i = 0; i < 64; i++)
    data[i] = 0x81 + i;
  for (unsigned i = 0; i < sizeof all_types / sizeof *all_types; i++)
    for (int k = 0; k < 4; k++) {
      char what[80];
      MYSQL_BIND b;
      MYSQL_TIME t;
      my_bool null = k == 3;
      unsigned long length = 5;
      memset(&b, 0, sizeof b);
      memset(&t, 0, sizeof t);
      t.year = 2024, t.month = 2, t.day = 29, t.hour = 1, t.minute = 2, t.second = 3, t.second_part = 4;
      b.buffer_type = all_types[i];
      b.buffer = is_temporal(all_types[i]) ? (void *)&t : data;
      b.buffer_length = 7;
      b.is_unsigned = k == 1;
      if (k >= 2) {
        b.length = &length;
        b.is_null = &null;
      }
      snprintf(what, sizeof what, "type %d, %s", all_types[i],
               k == 0 ? "signed" : k == 1 ? "unsigned" : k == 2 ? "with length" : "NULL");
      run(what, s, &b);
    }
  mysql_stmt_close(s);
}

static void times(MYSQL *m)
{
  static const int types[] = {MYSQL_TYPE_TIME, MYSQL_TYPE_DATE, MYSQL_TYPE_DATETIME, MYSQL_TYPE_TIMESTAMP};
  static const struct { unsigned y, mo, d, h, mi, s; unsigned long us; int neg, kind; } all[] = {
    {0, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 1, 2}, {2024, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 2, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 29, 0, 0, 0, 0, 0, 0}, {2024, 2, 29, 0, 0, 0, 0, 0, 1}, {0, 0, 0, 1, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 1, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 1, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 0, 0, 999999, 1, 2}, {2024, 2, 29, 23, 59, 59, 0, 0, 1},
    {2024, 2, 29, 23, 59, 59, 123456, 0, 1}, {0, 0, 34, 22, 59, 59, 0, 1, 2}, {70000, 300, 400, 500, 600, 700, 5000000000ul, 7, 1},
    {0, 0, 70000, 0, 0, 0, 0, 0, 2}, {0, 0, 0, 838, 59, 59, 0, 0, 2}, {2024, 2, 29, 1, 2, 3, 0, 0, -1}, {2024, 2, 29, 1, 2, 3, 0, 0, -2},
    {2024, 2, 29, 1, 2, 3, 4, 0, 3}, {2024, 2, 29, 0, 0, 0, 0, 0, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 3},
  };
  section("times");
  MYSQL_STMT *s = prepared(m, "SELECT ?");
  for (unsigned k = 0; k < sizeof types / sizeof *types; k++)
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
      for (int zone = 0; zone < 3; zone++) {
        char what[80];
        MYSQL_BIND b;
        MYSQL_TIME t;
        memset(&b, 0, sizeof b);
        memset(&t, 0, sizeof t);
        t.year = all[i].y, t.month = all[i].mo, t.day = all[i].d, t.hour = all[i].h, t.minute = all[i].mi;
        t.second = all[i].s, t.second_part = all[i].us, t.neg = all[i].neg, t.time_type = all[i].kind;
        if (zone) {
#if LAB_MARIADB_ABI
          break;
#else
          if (all[i].kind != 3)
            break;
          t.time_zone_displacement = zone == 1 ? 19800 : -50400;
#endif
        }
        b.buffer_type = types[k];
        b.buffer = &t;
        snprintf(what, sizeof what, "type %d, time %u, zone %d", types[k], i, zone);
        run(what, s, &b);
      }
  mysql_stmt_close(s);
}

static void lengths(MYSQL *m)
{
  static const unsigned long all[] = {0, 1, 5, 249, 250, 251, 252, 1000, 65534, 65535, 65536, 100000};
  static const int types[] = {MYSQL_TYPE_STRING, MYSQL_TYPE_VAR_STRING, MYSQL_TYPE_BLOB, MYSQL_TYPE_LONG_BLOB, MYSQL_TYPE_NEWDECIMAL,
                              MYSQL_TYPE_JSON};
  section("lengths");
  MYSQL_STMT *s = prepared(m, "SELECT ?");
  char *data = malloc(200000);
  for (int i = 0; i < 200000; i++)
    data[i] = 'a' + i % 26;
  for (unsigned k = 0; k < sizeof types / sizeof *types; k++)
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
      for (int where = 0; where < 2; where++) {
        char what[80];
        MYSQL_BIND b;
        unsigned long length = all[i];
        memset(&b, 0, sizeof b);
        b.buffer_type = types[k];
        b.buffer = data;
        b.buffer_length = where ? 3 : all[i];
        b.length = where ? &length : NULL;
        snprintf(what, sizeof what, "type %d, %lu bytes, %s", types[k], all[i], where ? "length" : "buffer_length");
        run(what, s, &b);
      }
  /* what changes between executions */
  unsigned long length = 3;
  my_bool null = 0;
  MYSQL_BIND b;
  memset(&b, 0, sizeof b);
  b.buffer_type = MYSQL_TYPE_STRING;
  b.buffer = data;
  b.length = &length;
  b.is_null = &null;
  run("first", s, &b);
  length = 7;
  data[0] = 'Z';
  show_stmt("again, longer", s, mysql_stmt_execute(s));
  null = 1;
  show_stmt("again, NULL", s, mysql_stmt_execute(s));
  null = 5;
  show_stmt("again, NULL of 5", s, mysql_stmt_execute(s));
  null = 0;
  b.buffer_type = MYSQL_TYPE_LONG; /* the library has its own copy */
  b.buffer = NULL;
  show_stmt("again, the program's binding changed", s, mysql_stmt_execute(s));
#if LAB_MARIADB_ABI
  length = -1ul;
  data[9] = 0;
  show_stmt("again, as a C string", s, mysql_stmt_execute(s));
  b.buffer_type = MYSQL_TYPE_STRING;
  b.buffer = NULL;
  run("no buffer", s, &b);
#endif
  free(data);
  mysql_stmt_close(s);
}

static void many(MYSQL *m)
{
  section("many parameters");
  for (int count = 1; count <= 40; count += count < 10 ? 1 : 15) {
    char sql[200] = "SELECT ?", what[60];
    for (int i = 1; i < count; i++)
      strcat(sql, ",?");
    MYSQL_STMT *s = prepared(m, sql);
    MYSQL_BIND b[64];
    memset(b, 0, sizeof b);
    int number = 0x01020304;
    double real = 1.5;
    my_bool null = 1;
    for (int i = 0; i < count; i++) {
      b[i].buffer_type = i % 4 == 0 ? MYSQL_TYPE_LONG : i % 4 == 1 ? MYSQL_TYPE_STRING : i % 4 == 2 ? MYSQL_TYPE_DOUBLE : MYSQL_TYPE_NULL;
      b[i].buffer = i % 4 == 0 ? (void *)&number : i % 4 == 1 ? (void *)"text" : (void *)&real;
      b[i].buffer_length = 4;
      if (i % 5 == 4)
        b[i].is_null = &null;
    }
    snprintf(what, sizeof what, "%d parameters", count);
    run(what, s, b);
    number++;
    show_stmt(" again", s, mysql_stmt_execute(s));
    b[count - 1].buffer_type = 99;
    run(" a wrong type", s, b);
#if LAB_MARIADB_ABI
    show_stmt(" executed anyway", s, mysql_stmt_execute(s));
#endif
    mysql_stmt_close(s);
  }
}

#if LAB_MARIADB_ABI
static MYSQL_STMT *bulk(MYSQL *m, const char *sql, unsigned rows, size_t row_size)
{
  MYSQL_STMT *s = prepared(m, sql);
  mysql_stmt_attr_set(s, STMT_ATTR_ARRAY_SIZE, &rows);
  mysql_stmt_attr_set(s, STMT_ATTR_ROW_SIZE, &row_size);
  return s;
}

/* The parameters of one row, as the program's callback fills them in. */
static my_bool fill_in(void *data, MYSQL_BIND *bind, unsigned row)
{
  static int number;
  static const char *const texts[] = {"first", "", "a third"};
  static unsigned long length;
  static char indicators[2];
  number = 100 + (int)row;
  length = strlen(texts[row % 3]);
  indicators[0] = row == 2 ? STMT_INDICATOR_DEFAULT : STMT_INDICATOR_NONE;
  indicators[1] = row == 1 ? STMT_INDICATOR_NULL : row == 3 ? STMT_INDICATOR_IGNORE_ROW : STMT_INDICATOR_NONE;
  bind[0].buffer = &number;
  bind[0].u.indicator = &indicators[0];
  bind[1].buffer = (void *)texts[row % 3];
  bind[1].buffer_length = length;
  bind[1].length = &length;
  bind[1].u.indicator = &indicators[1];
  return *(unsigned *)data == row;
}

static void called(MYSQL *m)
{
  section("a callback");
  for (unsigned stop = 2; stop < 9; stop += 6) {
    MYSQL_BIND b[2];
    memset(b, 0, sizeof b);
    b[0].buffer_type = MYSQL_TYPE_LONG;
    b[1].buffer_type = MYSQL_TYPE_STRING;
    MYSQL_STMT *s = bulk(m, "INSERT INTO t VALUES (?,?)", 5, 0);
    mysql_stmt_attr_set(s, STMT_ATTR_CB_USER_DATA, &stop);
    mysql_stmt_attr_set(s, STMT_ATTR_CB_PARAM, (void *)fill_in);
    run("rows", s, b);
    mysql_stmt_close(s);
  }
}

static void arrays(MYSQL *m)
{
  static const int fixed[] = {MYSQL_TYPE_TINY, MYSQL_TYPE_SHORT, MYSQL_TYPE_YEAR, MYSQL_TYPE_LONG, MYSQL_TYPE_LONGLONG, MYSQL_TYPE_FLOAT,
                              MYSQL_TYPE_DOUBLE};
  unsigned char data[64];
  char indicators[4] = {STMT_INDICATOR_NONE, STMT_INDICATOR_NULL, STMT_INDICATOR_DEFAULT, STMT_INDICATOR_IGNORE};
  for (int i = 0; i < 64; i++)
    data[i] = i + 1;
  section("arrays");
  for (unsigned k = 0; k < sizeof fixed / sizeof *fixed; k++)
    for (int i = 0; i < 2; i++) {
      char what[60];
      MYSQL_BIND b;
      memset(&b, 0, sizeof b);
      b.buffer_type = fixed[k];
      b.buffer = data;
      b.u.indicator = i ? indicators : NULL;
      MYSQL_STMT *s = bulk(m, "INSERT INTO t VALUES (?)", 4, 0);
      snprintf(what, sizeof what, "type %d, indicators %d", fixed[k], i);
      run(what, s, &b);
      show_stmt(" again", s, mysql_stmt_execute(s));
      mysql_stmt_close(s);
    }

  const char *texts[] = {"one", "", "three", "a longer text"};
  unsigned long lengths[] = {3, 0, 2, -1ul};
  char nts[] = {STMT_INDICATOR_NTS, STMT_INDICATOR_NTS, STMT_INDICATOR_NONE, STMT_INDICATOR_NTS};
  char skip[] = {STMT_INDICATOR_NONE, STMT_INDICATOR_IGNORE_ROW, STMT_INDICATOR_NULL, STMT_INDICATOR_IGNORE_ROW};
  static const int strings[] = {MYSQL_TYPE_STRING, MYSQL_TYPE_VAR_STRING, MYSQL_TYPE_BLOB, MYSQL_TYPE_DECIMAL, MYSQL_TYPE_JSON};
  for (unsigned k = 0; k < sizeof strings / sizeof *strings; k++)
    for (int i = 0; i < 4; i++) {
      char what[60];
      MYSQL_BIND b;
      memset(&b, 0, sizeof b);
      b.buffer_type = strings[k];
      b.buffer = texts;
      b.length = lengths;
      b.u.indicator = i == 1 ? indicators : i == 2 ? nts : i == 3 ? skip : NULL;
      MYSQL_STMT *s = bulk(m, "INSERT INTO t VALUES (?)", 4, 0);
      snprintf(what, sizeof what, "type %d, indicators %d", strings[k], i);
      run(what, s, &b);
      mysql_stmt_close(s);
    }

  MYSQL_TIME times[3];
  MYSQL_TIME *pointers[3] = {&times[0], &times[1], &times[2]};
  memset(times, 0, sizeof times);
  times[0].year = 2024, times[0].month = 2, times[0].day = 29;
  times[1].hour = 12, times[1].second_part = 5;
  static const int temporal[] = {MYSQL_TYPE_DATE, MYSQL_TYPE_TIME, MYSQL_TYPE_DATETIME, MYSQL_TYPE_TIMESTAMP};
  for (unsigned k = 0; k < sizeof temporal / sizeof *temporal; k++) {
    char what[60];
    MYSQL_BIND b;
    memset(&b, 0, sizeof b);
    b.buffer_type = temporal[k];
    b.buffer = pointers;
    MYSQL_STMT *s = bulk(m, "INSERT INTO t VALUES (?)", 3, 0);
    snprintf(what, sizeof what, "type %d", temporal[k]);
    run(what, s, &b);
    mysql_stmt_close(s);
    b.buffer = times;
    s = bulk(m, "INSERT INTO t VALUES (?)", 3, sizeof times[0]);
    run(" by rows", s, &b);
    mysql_stmt_close(s);
  }

  struct row { int id; char text[12]; unsigned long length; char id_indicator, text_indicator; } rows[] = {
    {1, "one", 3, STMT_INDICATOR_NONE, STMT_INDICATOR_NONE}, {2, "two", 0, STMT_INDICATOR_NULL, STMT_INDICATOR_NTS},
    {3, "three", 4, STMT_INDICATOR_DEFAULT, STMT_INDICATOR_NULL}, {4, "four", 4, STMT_INDICATOR_NONE, STMT_INDICATOR_IGNORE_ROW},
    {5, "five", 4, STMT_INDICATOR_IGNORE, STMT_INDICATOR_DEFAULT},
  };
  for (int with = 0; with < 2; with++) {
    MYSQL_BIND b[2];
    memset(b, 0, sizeof b);
    b[0].buffer_type = MYSQL_TYPE_LONG;
    b[0].buffer = &rows[0].id;
    b[0].is_unsigned = 1;
    b[1].buffer_type = MYSQL_TYPE_STRING;
    b[1].buffer = rows[0].text;
    b[1].length = &rows[0].length;
    if (with) {
      b[0].u.indicator = &rows[0].id_indicator;
      b[1].u.indicator = &rows[0].text_indicator;
    }
    MYSQL_STMT *s = bulk(m, "INSERT INTO t VALUES (?,?)", 5, sizeof rows[0]);
    run("rows", s, b);
    unsigned one = 1;
    mysql_stmt_attr_set(s, STMT_ATTR_ARRAY_SIZE, &one);
    show_stmt(" one row", s, mysql_stmt_execute(s));
    unsigned none = 0;
    mysql_stmt_attr_set(s, STMT_ATTR_ARRAY_SIZE, &none);
    rows[0].length = 2;
    show_stmt(" no array", s, mysql_stmt_execute(s));
    rows[0].length = 3;
    mysql_stmt_close(s);
  }

  MYSQL_BIND b[2];
  memset(b, 0, sizeof b);
  b[0].buffer_type = MYSQL_TYPE_NULL;
  b[1].buffer_type = MYSQL_TYPE_TINY;
  b[1].buffer = data;
  MYSQL_STMT *s = bulk(m, "INSERT INTO t VALUES (?,?)", 2, 0);
  run("NULL and a number", s, b);
  mysql_stmt_close(s);
}
#endif

/* ---- what a real server makes of it ---- */

static void echo(MYSQL_STMT *s, const char *what, MYSQL_BIND *one)
{
  MYSQL_BIND in[3] = {one[0], one[0], one[0]}, out[3];
  static char room[3][300];
  unsigned long length[3] = {0, 0, 0};
  my_bool null[3] = {0, 0, 0};
  if (mysql_stmt_bind_param(s, in)) {
    say("%s: bind errno=%u %s", what, mysql_stmt_errno(s), error_of(s));
    return;
  }
  if (mysql_stmt_execute(s)) {
    say("%s: execute errno=%u %s", what, mysql_stmt_errno(s), mysql_stmt_error(s));
    return;
  }
  memset(out, 0, sizeof out);
  memset(room, 0, sizeof room);
  for (int i = 0; i < 3; i++) {
    out[i].buffer_type = MYSQL_TYPE_STRING;
    out[i].buffer = room[i];
    out[i].buffer_length = sizeof room[i];
    out[i].length = &length[i];
    out[i].is_null = &null[i];
  }
  mysql_stmt_bind_result(s, out);
  mysql_stmt_store_result(s);
  int rc = mysql_stmt_fetch(s);
  say("%s: rc=%d %s | %s | %s", what, rc, null[0] ? "NULL" : room[0], null[1] ? "NULL" : room[1],
      null[2] ? "NULL" : bytes(room[2], length[2] < 100 ? length[2] : 100));
  mysql_stmt_free_result(s);
}

static void understood(MYSQL *m)
{
  section("what the server understood");
  MYSQL_STMT *s = prepared(m, "SELECT CAST(? AS CHAR), HEX(?), ?");
  char what[80];
  static const long long numbers[] = {0, 1, -1, 127, 128, 255, 65535, 0x7FFFFFFF, 0x80000000ll, 0x7FFFFFFFFFFFFFFFll, -0x7FFFFFFFFFFFFFFFll - 1};
  static const int whole[] = {MYSQL_TYPE_TINY, MYSQL_TYPE_SHORT, MYSQL_TYPE_LONG, MYSQL_TYPE_LONGLONG};
  for (unsigned k = 0; k < 4; k++)
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
      for (int is_unsigned = 0; is_unsigned < 2; is_unsigned++) {
        MYSQL_BIND b;
        memset(&b, 0, sizeof b);
        b.buffer_type = whole[k];
        b.buffer = (void *)&numbers[i];
        b.is_unsigned = is_unsigned;
        snprintf(what, sizeof what, "type %d%s, number %u", whole[k], is_unsigned ? " unsigned" : "", i);
        echo(s, what, &b);
      }
  static const double reals[] = {0, 1.5, -2.25, 1e10, 1e-10, 1.7976931348623157e308, 0.1};
  for (unsigned i = 0; i < sizeof reals / sizeof *reals; i++) {
    MYSQL_BIND b;
    float small = (float)reals[i];
    memset(&b, 0, sizeof b);
    b.buffer_type = MYSQL_TYPE_DOUBLE;
    b.buffer = (void *)&reals[i];
    snprintf(what, sizeof what, "double %u", i);
    echo(s, what, &b);
    if (i == 5)
      continue;
    b.buffer_type = MYSQL_TYPE_FLOAT;
    b.buffer = &small;
    snprintf(what, sizeof what, "float %u", i);
    echo(s, what, &b);
  }
  static const int temporal[] = {MYSQL_TYPE_DATE, MYSQL_TYPE_TIME, MYSQL_TYPE_DATETIME, MYSQL_TYPE_TIMESTAMP};
  for (unsigned k = 0; k < 4; k++)
    for (int shape = 0; shape < 5; shape++) {
      MYSQL_BIND b;
      MYSQL_TIME t;
      memset(&b, 0, sizeof b);
      memset(&t, 0, sizeof t);
      if (shape != 1)
        t.year = 2024, t.month = 2, t.day = temporal[k] == MYSQL_TYPE_TIME ? 3 : 29;
      if (shape)
        t.hour = 12, t.minute = 34, t.second = 56;
      if (shape >= 3)
        t.second_part = 789012;
      t.neg = shape == 4;
      b.buffer_type = temporal[k];
      b.buffer = &t;
      snprintf(what, sizeof what, "type %d, shape %d", temporal[k], shape);
      echo(s, what, &b);
    }
  MYSQL_BIND b;
  memset(&b, 0, sizeof b);
  static const int strings[] = {MYSQL_TYPE_STRING, MYSQL_TYPE_VAR_STRING, MYSQL_TYPE_BLOB, MYSQL_TYPE_DECIMAL, MYSQL_TYPE_NEWDECIMAL};
  for (unsigned k = 0; k < 5; k++) {
    b.buffer_type = strings[k];
    b.buffer = (void *)"12.50\xC3\xA4";
    b.buffer_length = k < 3 ? 7 : 5;
    snprintf(what, sizeof what, "type %d", strings[k]);
    echo(s, what, &b);
  }
  b.buffer_type = MYSQL_TYPE_NULL;
  echo(s, "NULL", &b);
  mysql_stmt_close(s);
}

#if LAB_MARIADB_ABI
static void stored_arrays(MYSQL *m)
{
  if (server_is_mysql())
    return;
  section("arrays on a real server");
  must(m, "DROP TABLE IF EXISTS stmt_params_t");
  must(m, "CREATE TABLE stmt_params_t (n INT NOT NULL AUTO_INCREMENT PRIMARY KEY, a INT DEFAULT 42, t VARCHAR(20) DEFAULT 'default',"
          " d DATETIME(6))");
  int numbers[] = {1, 2, 3, 4, 5};
  const char *texts[] = {"one", "two", "three", "four", "five"};
  unsigned long lengths[] = {3, 3, -1ul, 2, 4};
  char first[] = {STMT_INDICATOR_NONE, STMT_INDICATOR_NULL, STMT_INDICATOR_DEFAULT, STMT_INDICATOR_NONE, STMT_INDICATOR_NONE};
  char second[] = {STMT_INDICATOR_NONE, STMT_INDICATOR_NTS, STMT_INDICATOR_DEFAULT, STMT_INDICATOR_IGNORE_ROW, STMT_INDICATOR_NULL};
  MYSQL_TIME times[5], *pointers[5];
  memset(times, 0, sizeof times);
  for (int i = 0; i < 5; i++) {
    times[i].year = 2024, times[i].month = 1 + i, times[i].day = 1, times[i].second_part = i;
    pointers[i] = &times[i];
  }
  MYSQL_BIND b[3];
  memset(b, 0, sizeof b);
  b[0].buffer_type = MYSQL_TYPE_LONG;
  b[0].buffer = numbers;
  b[0].u.indicator = first;
  b[1].buffer_type = MYSQL_TYPE_STRING;
  b[1].buffer = texts;
  b[1].length = lengths;
  b[1].u.indicator = second;
  b[2].buffer_type = MYSQL_TYPE_DATETIME;
  b[2].buffer = pointers;
  MYSQL_STMT *s = bulk(m, "INSERT INTO stmt_params_t (a, t, d) VALUES (?, ?, ?)", 5, 0);
  run("insert", s, b);
  say("affected %lld", (long long)mysql_stmt_affected_rows(s));
  run("again", s, b);
  mysql_stmt_close(s);
  say("%s", value(m, "SELECT GROUP_CONCAT(CONCAT_WS('/', n, IFNULL(a, 'NULL'), IFNULL(t, 'NULL'), d) ORDER BY n) FROM stmt_params_t"));
  must(m, "DROP TABLE stmt_params_t");
}
#endif

int main(void)
{
  lab_start();
  struct fake f = fake_start(script_mysql, 1);
  MYSQL *m = fake_connect(NULL, f);
  show("scripted server", m);
  every_type(m);
  times(m);
  lengths(m);
  many(m);
  mysql_close(m);
  fake_end(f);
#if LAB_MARIADB_ABI
  f = fake_start(script_mariadb, 1);
  m = fake_connect(NULL, f);
  show("scripted server with arrays", m);
  arrays(m);
  called(m);
  mysql_close(m);
  fake_end(f);
#endif
  m = connected();
  must(m, "SET NAMES utf8mb4");
  must(m, "SET sql_mode = ''");
  understood(m);
#if LAB_MARIADB_ABI
  stored_arrays(m);
#endif
  mysql_close(m);
  say("end");
  return 0;
}
