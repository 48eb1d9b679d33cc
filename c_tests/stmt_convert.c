/*
 * stmt_convert.c: values of prepared statements in the program's buffers: every type of
 * column at its edges into every type of buffer, signed and unsigned, in buffers of many
 * sizes, whole and in pieces (mysql_stmt_fetch_column at many offsets).
 *
 * Buffers are filled with 0xEE before each fetch, so that what is printed also shows
 * how much of them was written. With MS_SPEC set, lines that begin with "@" tell each
 * column and the bytes that the server sent, for tests that do without a server.
 */
#include "lab.h"

enum { ROOM = 1024, FRONT = 16 };

/* One buffer and its binding. */
struct target {
  MYSQL_BIND bind;
  unsigned long length;
  my_bool null, error;
  unsigned char room[ROOM] __attribute__((aligned(16)));
};

struct type { int number; const char *name; int is_time; };

static const struct type types[] = {
  {MYSQL_TYPE_TINY, "tiny", 0}, {MYSQL_TYPE_SHORT, "short", 0}, {MYSQL_TYPE_LONG, "long", 0},
  {MYSQL_TYPE_INT24, "int24", 0}, {MYSQL_TYPE_LONGLONG, "longlong", 0}, {MYSQL_TYPE_YEAR, "year", 0},
  {MYSQL_TYPE_FLOAT, "float", 0}, {MYSQL_TYPE_DOUBLE, "double", 0},
  {MYSQL_TYPE_TIME, "time", 1}, {MYSQL_TYPE_DATE, "date", 1}, {MYSQL_TYPE_DATETIME, "datetime", 1},
  {MYSQL_TYPE_TIMESTAMP, "timestamp", 1}, {MYSQL_TYPE_NEWDATE, "newdate", 0},
  {MYSQL_TYPE_STRING, "string", 0}, {MYSQL_TYPE_VAR_STRING, "var_string", 0},
  {MYSQL_TYPE_BLOB, "blob", 0}, {MYSQL_TYPE_TINY_BLOB, "tiny_blob", 0}, {MYSQL_TYPE_MEDIUM_BLOB, "medium_blob", 0},
  {MYSQL_TYPE_LONG_BLOB, "long_blob", 0}, {MYSQL_TYPE_DECIMAL, "decimal", 0}, {MYSQL_TYPE_NEWDECIMAL, "newdecimal", 0},
  {MYSQL_TYPE_BIT, "bit", 0}, {MYSQL_TYPE_JSON, "json", 0}, {MYSQL_TYPE_GEOMETRY, "geometry", 0},
  {MYSQL_TYPE_ENUM, "enum", 0}, {MYSQL_TYPE_SET, "set", 0}, {MYSQL_TYPE_VARCHAR, "varchar", 0},
  {MYSQL_TYPE_NULL, "null", 0}, {242, "vector", 0}, {243, "invalid", 0}, {17, "timestamp2", 0}, {99, "type99", 0},
};
enum { TYPES = sizeof types / sizeof *types };

static void clear(struct target *t, const struct type *type, int is_unsigned, unsigned long size)
{
  memset(t, 0, sizeof *t);
  memset(t->room, 0xEE, sizeof t->room);
  t->length = 0xEEEE;
  t->null = 1;
  t->error = 1;
  t->bind.buffer_type = type->number;
  t->bind.is_unsigned = is_unsigned;
  t->bind.buffer = t->room + FRONT;
  t->bind.buffer_length = size;
  t->bind.length = &t->length;
  t->bind.is_null = &t->null;
  t->bind.error = &t->error;
}

/* What a fetch left behind, as one text. */
static const char *outcome(const struct target *t, const struct type *type, int rc)
{
  static char text[2 * ROOM + 512];
  char *p = text;
  int from = FRONT, end = ROOM;
  p += sprintf(p, "rc=%d null=%d error=%d length=%lu data=", rc, t->null, t->error != 0, t->length);
  for (int i = 0; i < FRONT; i++)
    if (t->room[i] != 0xEE) {
      from = i;
      p += sprintf(p, "(in front!)");
      break;
    }
  while (end > from && t->room[end - 1] == 0xEE)
    end--;
  MYSQL_TIME when;
  if (type->is_time && end - from > 24) {
    memcpy(&when, t->room + FRONT, sizeof when);
    p += sprintf(p, "%u-%u-%u %u:%u:%u.%lu neg=%d type=%d", when.year, when.month, when.day, when.hour, when.minute,
                 when.second, when.second_part, *(unsigned char *)&when.neg, (int)when.time_type);
#if !LAB_MARIADB_ABI
    if ((int)when.time_type == MYSQL_TIMESTAMP_DATETIME_TZ)
      sprintf(p, " zone=%d", when.time_zone_displacement);
#endif
    return text;
  }
  for (int i = from; i < end; i++)
    p += sprintf(p, "%02X", t->room[i]);
  *p = 0;
  return text;
}

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

static void tell_column(const MYSQL_FIELD *f, int row)
{
  if (getenv("MS_SPEC"))
    printf("@column type=%d flags=%u length=%lu decimals=%u charset=%u row=%d\n", (int)f->type, f->flags, f->length,
           f->decimals, f->charsetnr, row);
}

/* The bytes of the current row's only value, as sent. */
static void tell_value(MYSQL_STMT *s, const MYSQL_FIELD *f)
{
  if (!getenv("MS_SPEC"))
    return;
#if LAB_MARIADB_ABI
  const unsigned char *p = s->bind[0].u.row_ptr;
#else
  const unsigned char *p = s->bind[0].row_ptr;
#endif
  printf("@value ");
  if (p) {
    size_t n;
    switch ((int)f->type) {
    case MYSQL_TYPE_TINY: n = 1; break;
    case MYSQL_TYPE_SHORT: case MYSQL_TYPE_YEAR: n = 2; break;
    case MYSQL_TYPE_LONG: case MYSQL_TYPE_INT24: case MYSQL_TYPE_FLOAT: n = 4; break;
    case MYSQL_TYPE_LONGLONG: case MYSQL_TYPE_DOUBLE: n = 8; break;
    default:
      n = *p++;
      if (n == 252) {
        n = p[0] | p[1] << 8;
        p += 2;
      }
    }
    printf("=");
    while (n--)
      printf("%02X", *p++);
  } else
    printf("NULL");
  printf("\n");
}

static int number_wanted(const struct type *t, const char *only)
{
  char word[40];
  if (!only)
    return 1;
  snprintf(word, sizeof word, " %s ", t->name);
  return strstr(only, word) != NULL;
}

/* A statement executed and stored; NULL when the server refuses it. */
static MYSQL_STMT *selected(MYSQL *m, const char *sql)
{
  MYSQL_STMT *s = mysql_stmt_init(m);
  if (mysql_stmt_prepare(s, sql, strlen(sql)) || mysql_stmt_execute(s) || mysql_stmt_store_result(s)) {
    say("%s: errno=%u %s", sql, mysql_stmt_errno(s), mysql_stmt_error(s));
    mysql_stmt_close(s);
    return NULL;
  }
  return s;
}

static MYSQL_FIELD column(MYSQL_STMT *s)
{
  MYSQL_RES *r = mysql_stmt_result_metadata(s);
  MYSQL_FIELD f = *mysql_fetch_field(r);
  mysql_free_result(r);
  return f;
}

/* Every row into one binding. */
static void fetch_all(MYSQL_STMT *s, const struct type *type, int is_unsigned, unsigned long size)
{
  struct target t;
  clear(&t, type, is_unsigned, size);
  if (mysql_stmt_bind_result(s, &t.bind)) {
    say(" %s%s: errno=%u state=%s %s", type->name, is_unsigned ? " unsigned" : "", mysql_stmt_errno(s),
        mysql_stmt_sqlstate(s), error_of(s));
    return;
  }
  say(" %s%s %lu: length bound=%lu", type->name, is_unsigned ? " unsigned" : "", size, t.length);
  mysql_stmt_data_seek(s, 0);
  for (int row = 0;; row++) {
    memset(t.room, 0xEE, sizeof t.room);
    t.null = 1;
    t.error = 1;
    int rc = mysql_stmt_fetch(s);
    if (rc == MYSQL_NO_DATA)
      break;
    if (getenv("MS_SPEC")) {
      MYSQL_FIELD f = column(s);
      tell_column(&f, row);
      tell_value(s, &f);
    }
    say("  %d %s", row, outcome(&t, type, rc));
  }
}

/* The first row in pieces. */
static void fetch_pieces(MYSQL_STMT *s, const struct type *type, int is_unsigned, unsigned long size, unsigned row)
{
  static const unsigned long offsets[] = {0, 1, 2, 5, 9, 10, 11, 200, 1ul << 32};
  struct target first, t;
  clear(&first, &types[13], 0, 0);
  if (mysql_stmt_bind_result(s, &first.bind))
    return;
  mysql_stmt_data_seek(s, row);
  int rc = mysql_stmt_fetch(s);
  say(" pieces, %s%s %lu: fetch %s", type->name, is_unsigned ? " unsigned" : "", size,
      outcome(&first, &types[13], rc));
  for (unsigned i = 0; i < sizeof offsets / sizeof *offsets; i++) {
    clear(&t, type, is_unsigned, size);
    if (getenv("MS_SPEC")) {
      MYSQL_FIELD f = column(s);
      tell_column(&f, row);
      tell_value(s, &f);
    }
    rc = mysql_stmt_fetch_column(s, &t.bind, 0, offsets[i]);
    say("  at %lu size=%lu %s", offsets[i], t.bind.buffer_length, outcome(&t, type, rc));
  }
  /* without the places that a program may leave out */
  clear(&t, type, is_unsigned, size);
  t.bind.length = NULL;
  t.bind.is_null = NULL;
  t.bind.error = NULL;
  rc = mysql_stmt_fetch_column(s, &t.bind, 0, 0);
  say("  bare %s", outcome(&t, type, rc));
}

/* A table of one column with these values, and NULL. */
static MYSQL_STMT *table(MYSQL *m, const char *definition, const char *values)
{
  static char sql[1 << 17];
  must(m, "DROP TABLE IF EXISTS stmt_convert_t");
  snprintf(sql, sizeof sql, "CREATE TABLE stmt_convert_t (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, v %s)",
           definition);
  must(m, sql);
  snprintf(sql, sizeof sql, "INSERT INTO stmt_convert_t (v) VALUES %s,(NULL)", values);
  must(m, sql);
  return selected(m, "SELECT v FROM stmt_convert_t ORDER BY id");
}

/* Into every type of buffer (or those named in `only`), in a large buffer. */
static void everywhere(MYSQL *m, const char *definition, const char *values, const char *only)
{
  section("%s", definition);
  MYSQL_STMT *s = table(m, definition, values);
  if (!s)
    return;
  MYSQL_FIELD f = column(s);
  say("type=%d flags=%u length=%lu decimals=%u charset=%u max=%lu", (int)f.type, f.flags, f.length, f.decimals,
      f.charsetnr, f.max_length);
  for (int i = 0; i < TYPES; i++)
    if (number_wanted(&types[i], only))
      for (int is_unsigned = 0; is_unsigned < 2; is_unsigned++)
        fetch_all(s, &types[i], is_unsigned, 200);
  static const unsigned long sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 19, 20, 21, 26, 27};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    fetch_all(s, &types[13], 0, sizes[i]); /* string */
    if (i < 5) {
      fetch_all(s, &types[15], 0, sizes[i]); /* blob */
      fetch_all(s, &types[21], 0, sizes[i]); /* bit */
      fetch_all(s, &types[20], 0, sizes[i]); /* newdecimal */
    }
  }
  for (int i = 0; i < TYPES; i++)
    if (number_wanted(&types[i], only)) {
      fetch_pieces(s, &types[i], 0, 200, 0);
      fetch_pieces(s, &types[i], 1, 3, 1);
    }
  f = column(s);
  say("max=%lu", f.max_length);
  mysql_stmt_close(s);
}

/* MYSQL_FIELD.max_length as storing finds it, without and with rows. */
static void max_lengths(MYSQL *m, const char *definition, const char *values)
{
  MYSQL_STMT *s = table(m, definition, values);
  if (!s)
    return;
  mysql_stmt_close(s);
  for (int bound = 0; bound < 2; bound++)
    for (int where = 0; where < 3; where++) {
      static const char *const sql[] = {"SELECT v FROM stmt_convert_t WHERE id = 1",
                                        "SELECT v FROM stmt_convert_t ORDER BY id",
                                        "SELECT v FROM stmt_convert_t WHERE v IS NULL"};
      my_bool on = 1;
      struct target t;
      s = mysql_stmt_init(m);
      mysql_stmt_attr_set(s, STMT_ATTR_UPDATE_MAX_LENGTH, &on);
      mysql_stmt_prepare(s, sql[where], strlen(sql[where]));
      mysql_stmt_execute(s);
      MYSQL_FIELD before = column(s);
      clear(&t, &types[13], 0, 100);
      if (bound)
        mysql_stmt_bind_result(s, &t.bind);
      mysql_stmt_store_result(s);
      MYSQL_FIELD after = column(s);
      say("%s, %s, bound %d: before %lu, after %lu", definition, sql[where] + 7, bound, before.max_length,
          after.max_length);
      mysql_stmt_close(s);
    }
}

static void integers(MYSQL *m)
{
  everywhere(m, "TINYINT", "(-128),(-1),(0),(1),(12),(127)", NULL);
  everywhere(m, "TINYINT UNSIGNED", "(0),(127),(128),(255)", NULL);
  everywhere(m, "TINYINT(3) UNSIGNED ZEROFILL", "(7),(0),(255)", NULL);
  everywhere(m, "SMALLINT", "(-32768),(-129),(-1),(255),(256),(32767),(2024)", NULL);
  everywhere(m, "SMALLINT UNSIGNED", "(32768),(0),(65535)", NULL);
  everywhere(m, "SMALLINT(7) ZEROFILL", "(42),(65535)", NULL);
  everywhere(m, "MEDIUMINT", "(-8388608),(8388607),(-1),(70000),(101)", NULL);
  everywhere(m, "MEDIUMINT UNSIGNED", "(16777215),(8388608),(0)", NULL);
  everywhere(m, "MEDIUMINT(12) ZEROFILL", "(42),(16777215)", NULL);
  everywhere(m, "INT", "(-2147483648),(2147483647),(-32769),(65536),(-1),(0),(16777217),(20240229),(701231),(991332),(1231)", NULL);
  everywhere(m, "INT UNSIGNED", "(4294967295),(2147483648),(0),(16777217),(4294967293)", NULL);
  everywhere(m, "INT(5) ZEROFILL", "(42),(1234567)", NULL);
  everywhere(m, "INT(20) ZEROFILL", "(42),(4294967295)", NULL);
  everywhere(m, "INT(200) ZEROFILL", "(42),(4294967295)", NULL);
  everywhere(m, "BIGINT",
             "(-9223372036854775808),(9223372036854775807),(-2147483649),(4294967296),(-1),(0),(9007199254740993),"
             "(16777217),(20240229123456),(20241332000000),(240229123456),(101000000),(20240229246060),(99991231235959),"
             "(100000000000000),(-20240229),(70),(691231),(700101),(10000101000000),(101),(100),(1231),"
             "(9223372036854775806),(-9223372036854775807),(9223372036854774784),(9223372036854773760),(9007199254740992),(18014398509481984),(36028797018963968),(288230376151711744),(1152921504606846976),(2305843009213693952),(3458764513820540928),(-4611686018427387904),(-2305843009213693952),(-6917529027641081856),(4611686018427387392),(4611686018427388928),(4611685743549480960),(4611686018427387904),(9223372036854767616),(20240230),(20240431),(20230229),(20240200),(20000000),(691231235959),"
             "(700101000000),(991231235959),(991231235960),(235959),(8385959)", NULL);
  everywhere(m, "BIGINT UNSIGNED",
             "(18446744073709551615),(9223372036854775808),(9223372036854775807),(0),(18446744073709549568),"
             "(9007199254740993),(20240229123456),(18446744073709551614),(18446744073709549569),(18446742974197923840),(13835058055282163712),(9223373136366403584)", NULL);
  everywhere(m, "BIGINT(25) ZEROFILL", "(42),(18446744073709551615)", NULL);
  everywhere(m, "BIGINT(20) ZEROFILL", "(42),(18446744073709551615)", NULL);
  everywhere(m, "YEAR", "(2024),(1901),(2155),(0)", NULL);
  everywhere(m, "BIT(1)", "(b'1'),(b'0')", NULL);
  everywhere(m, "BIT(10)", "(b'1000110001'),(b'0'),(b'11')", NULL);
  everywhere(m, "BIT(64)", "(x'3132333435363738'),(b'0'),(x'FFFFFFFFFFFFFFFF')", NULL);
  everywhere(m, "BOOL", "(TRUE),(FALSE)", NULL);
}

#define FLOATS "(0),(1),(-1),(1.5),(-2.5),(0.1),(127),(127.5),(128),(-128),(-129),(255),(255.9),(256),(32767),(32768)," \
  "(-32769),(65535),(65536),(2147483520),(2147483648),(-2147483648),(-2147483904),(4294967040),(4294967296),(16777216)," \
  "(123456),(1234567),(12345678),(123456789),(1e10),(1e15),(1e16),(1.5e20),(3.4e38),(1e-5),(1.25e-10),(1.17549e-38)," \
  "(0.3),(0.0001),(0.00012345),(9.99999e9),(1e-20),(-0.0),(33.333332),(20240229),(701231),(-7.7e-7),(2024.9999)"

#define DOUBLES FLOATS "," \
  "(2147483647),(2147483647.5),(4294967295),(9223372036854775807),(-9223372036854775808),(9223372036854774784)," \
  "(18446744073709551615),(18446744073709549568),(1e19),(-1e19),(1e20),(1.7976931348623157e308),(2.2250738585072014e-308)," \
  "(5e-324),(1e-310),(3e-320),(1.5e-323),(2.5e-322),(123456789012345),(1234567890123456),(12345678901234567),(0.1234567890123456),(1e-300),(1e300),(-1e-300)," \
  "(1.0000000000000002),(99999.5),(9.5),(0.05),(0.5),(0.15),(1e21),(1e14),(20240229123456),(20240229123456.5)"

static void floats(MYSQL *m)
{
  everywhere(m, "FLOAT", FLOATS, NULL);
  everywhere(m, "DOUBLE", DOUBLES, NULL);
  everywhere(m, "FLOAT(10,3)", "(0),(1.5),(-1234567.125),(0.0005),(0.0015),(123.4567)", NULL);
  everywhere(m, "DOUBLE(20,5)", "(0),(1.5),(-1234567.125),(0.000005),(0.000015),(123.4567),(99999999999999.9)", NULL);
  everywhere(m, "DOUBLE(255,30)", "(1e200),(1.5),(-0.1),(1e-30),(1e-31)", NULL);
  everywhere(m, "DOUBLE(10,0)", "(0),(1.5),(2.5),(-7),(0.5)", NULL);
  everywhere(m, "FLOAT(12,2) ZEROFILL", "(1.5),(1234567)", NULL);
  everywhere(m, "DOUBLE ZEROFILL", "(1.5),(1234567),(1e300),(0.1)", NULL);
  everywhere(m, "DOUBLE(255,2) ZEROFILL", "(1.5),(1234567)", NULL);
  everywhere(m, "FLOAT ZEROFILL", "(1.5),(1234567),(1e30),(0.1)", NULL);
  everywhere(m, "FLOAT UNSIGNED", "(1.5),(1234567)", " tiny longlong string double ");
}

/* Many numbers as text of every width. */
static void float_texts(MYSQL *m)
{
  static char values[1 << 16];
  static const struct type string = {MYSQL_TYPE_STRING, "string", 0};
  for (int kind = 0; kind < 4; kind++) {
    char *p = values;
    unsigned long long seed = 88172645463325252ull;
    for (int i = 0; i < 250; i++) {
      seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
      double x = (double)(seed >> 11) / 9007199254740992.0;
      int exponent = (int)((seed >> 3) % (kind & 1 ? 40 : 24)) - 12;
      int digits = 1 + (int)(seed % 17);
      if (kind == 3 && i % 4 == 0)
        exponent = (int)((seed >> 3) % 600) - 300;
      if (kind == 2 && exponent > 30)
        exponent = 30;
      p += sprintf(p, "%s(%s%.*ge%d)", i ? "," : "", seed & 1024 ? "-" : "", digits, x, exponent);
    }
    section("texts of %s, kind %d", kind & 1 ? "DOUBLE" : "FLOAT", kind);
    MYSQL_STMT *s = table(m, kind & 1 ? "DOUBLE" : "FLOAT", values);
    if (!s)
      continue;
    for (unsigned long size = 1; size < 28; size++)
      fetch_all(s, &string, 0, size);
    fetch_all(s, &string, 0, 400);
    mysql_stmt_close(s);
  }
  for (int decimals = 0; decimals <= 30; decimals += decimals < 8 ? 1 : 11) {
    char definition[40];
    snprintf(definition, sizeof definition, "DOUBLE(60,%d)", decimals);
    section("texts of %s", definition);
    char *p = values;
    unsigned long long seed = 1234567 + decimals;
    for (int i = 0; i < 60; i++) {
      seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
      p += sprintf(p, "%s(%s%.*g)", i ? "," : "", seed & 1024 ? "-" : "", 1 + (int)(seed % 17),
                   (double)(seed >> 11) / (double)(1ull << (10 + seed % 53)));
    }
    MYSQL_STMT *s = table(m, definition, values);
    if (!s)
      continue;
    fetch_all(s, &string, 0, 200);
    fetch_all(s, &string, 0, 5);
    mysql_stmt_close(s);
  }
}

static void times(MYSQL *m)
{
  must(m, "SET sql_mode = ''");
  everywhere(m, "DATE", "('2024-02-29'),('0000-00-00'),('9999-12-31'),('1000-01-01'),('0001-01-01'),('2024-00-00'),('1999-12-31')", NULL);
  everywhere(m, "TIME", "('12:34:56'),('00:00:00'),('-00:00:01'),('838:59:59'),('-838:59:59'),('23:59:59'),('24:00:00'),('100:00:01')", NULL);
  everywhere(m, "TIME(3)", "('12:34:56.789'),('00:00:00'),('00:00:00.001'),('-100:00:00.5'),('23:59:59.999')", NULL);
  everywhere(m, "TIME(6)", "('12:34:56.789012'),('00:00:00'),('-00:00:00.000001'),('-837:59:59.999999')", NULL);
  everywhere(m, "DATETIME", "('2024-02-29 12:34:56'),('0000-00-00 00:00:00'),('9999-12-31 23:59:59'),('2024-02-29 00:00:00'),('2024-01-01 00:00:01')", NULL);
  everywhere(m, "DATETIME(1)", "('2024-02-29 12:34:56.7'),('2024-02-29 00:00:00'),('2024-02-29 00:00:00.1')", NULL);
  everywhere(m, "DATETIME(6)", "('2024-02-29 12:34:56.789012'),('2024-02-29 00:00:00'),('2024-02-29 00:00:00.000001'),('2024-02-29 12:00:00')", NULL);
  everywhere(m, "TIMESTAMP NULL", "('2024-02-29 12:34:56'),('1971-01-01 00:00:00')", NULL);
  everywhere(m, "TIMESTAMP(4) NULL", "('2024-02-29 12:34:56.1234'),('2030-01-01 00:00:00')", NULL);
}

#define TEXTS "('1'),('-1'),('0'),(''),(' '),('127'),('128'),('-128'),('-129'),('255'),('256'),('32767'),('32768'),('65535')," \
  "('65536'),('2147483647'),('2147483648'),('-2147483648'),('-2147483649'),('4294967295'),('4294967296')," \
  "('9223372036854775807'),('9223372036854775808'),('-9223372036854775808'),('-9223372036854775809'),('18446744073709551615')," \
  "('18446744073709551616'),('99999999999999999999999'),('-99999999999999999999999'),('  12'),('12  '),('\\t12'),('+12'),('- 12')," \
  "('--12'),('12abc'),('abc'),('12.5'),('12.'),('.5'),('-.5'),('1e3'),('1e400'),('-1e400'),('1e-400'),('0x10'),('nan'),('inf'),('-inf'),('1e'),('1e+'),('1e5x')," \
  "('000000000000000000000000000000012'),('-0'),('00'),('1.7976931348623159e308'),('3.5e38'),('1e39'),('16777217'),('0.1')," \
  "('123456789012345678901234567890.5'),('2024-02-29'),('2024-02-30'),('2024-02-29 12:34:56'),('2024-02-29 12:34:56.789')," \
  "('2024-02-29 12:34:56.123456789'),('2024-02-29T12:34:56'),('2024-2-9'),('24-2-9'),('70-1-1'),('69-12-31'),('2024-13-01')," \
  "('2024-00-00'),('0000-00-00'),('0000-00-00 00:00:00'),('20240229'),('240229'),('20240229123456'),('240229123456'),('20240229123456.5')," \
  "('2024/02/29'),('2024.02.29'),('2024-02-29 24:00:00'),('2024-02-29 12:60:00'),('2024-02-29 12:34'),('2024-02-29 12'),('2024-02-29 '),(' 2024-02-29')," \
  "('2024-02-29 12:34:56 '),('2024-02-29 12:34:56abc'),('2024-02-29abc'),('12:34:56'),('-12:34:56'),('838:59:59'),('839:00:00'),('-839:00:00'),('12:34'),('12')," \
  "('123456'),('1234567'),('12:34:56.5'),('12:34:56.1234567'),('12:60:00'),('12:00:60'),('1 12:34:56'),('34 22:59:59'),('35 00:00:00'),('1 12'),('1 12:34')," \
  "('-1 12:34:56'),('12:34:56abc'),('::'),('1:2:3'),('10:11:12 pm'),('2024-02-29 12:34:56+01:00'),('2024-02-29 12:34:56-14:00'),('2024-02-29 12:34:56+15:00')," \
  "('12:34:56+01:00'),('2024-02-29 1:2:3'),('2024-02-29  12:34:56'),('10000-01-01'),('99999999'),('-2024-02-29'),('1-1-1'),('01:02:03.'),('2024-02-29 01:02:03.')," \
  "('0'),('00:00:00'),('-00:00:00'),('1234'),('12345'),('12345678901'),('1e10:00:00'),('2024-02-29 12:34:5'),('2024-02-29 00:00:00'),('20240229T123456'),('2024-02-29 12:34:56.5+01:00')," \
  "('2024-02-29 12:34:56+00:00'),('2024-02-29 12:34:56-00:00'),('2024-02-29 12:34:56.789-05:30'),('2024-02-29 12:34:56+1:00'),('2024-02-29 12:34:56+01:00x')," \
  "('\\n12'),('\\v12'),('\\f12'),('\\r12.5'),('12\\t'),('1:2:3+01:00'),('838:59:59.5'),('-838:59:59.000001'),('20240229123456+01:00'),('2024-02-29 123456'),('1e-5'),('.e5'),('5.e2'),('1_000')," \
  "('hello'),('hello, world, this is a longer text of letters')"

static void texts(MYSQL *m)
{
  must(m, "SET sql_mode = ''");
  everywhere(m, "VARCHAR(60) CHARACTER SET latin1", TEXTS, NULL);
  everywhere(m, "VARBINARY(60)", TEXTS, NULL);
  everywhere(m, "CHAR(12)", "('12'),('a'),('2024-02-29')", NULL);
  everywhere(m, "BINARY(12)", "('12'),('a'),('2024-02-29')", NULL);
  everywhere(m, "BLOB", "('12'),(''),('a\\0b'),(REPEAT('x',300)),('2024-02-29 01:02:03')", NULL);
  everywhere(m, "TEXT", "('12'),(''),('a\\0b'),(REPEAT('x',300)),('2024-02-29 01:02:03')", NULL);
  everywhere(m, "TINYBLOB", "('12'),('')", NULL);
  everywhere(m, "LONGTEXT", "('12'),('')", NULL);
  everywhere(m, "DECIMAL(20,5)", "(0),(1.5),(-1234567.125),(99999),(128),(123456789012345.12345)", NULL);
  everywhere(m, "DECIMAL(40,0)", "(0),(18446744073709551615),(-9223372036854775808),(9999999999999999999999999)", NULL);
  everywhere(m, "DECIMAL(10,2) ZEROFILL", "(0),(1.5)", NULL);
  everywhere(m, "ENUM('one','2','x')", "('one'),('2')", NULL);
  everywhere(m, "SET('one','2','x')", "('one,x'),('2'),('')", NULL);
  everywhere(m, "JSON", "('{\"a\": 1}'),('12'),('\"2024-02-29\"'),('[1, 2]')", NULL);
  everywhere(m, "GEOMETRY", "(POINT(1,2)),(ST_GeomFromText('LINESTRING(0 0,1 1)'))", NULL);
  if (server_is_mysql())
    everywhere(m, "VECTOR(3)", "(TO_VECTOR('[1,2,3]')),(TO_VECTOR('[0,0,-0.5]'))", NULL);
  must(m, "SET sql_mode = DEFAULT");
}

/* What is no column of a table. */
static void expressions(MYSQL *m)
{
  static const char *const all[] = {"SELECT NULL", "SELECT 1", "SELECT 1.5", "SELECT 1e0", "SELECT 'text'", "SELECT x'00FF'",
                                    "SELECT CAST('2024-02-29' AS DATE)", "SELECT 18446744073709551615", "SELECT 1 = 1",
                                    "SELECT CAST(1.5 AS DECIMAL(5,2))", "SELECT SUM(1)", "SELECT AVG(1.5e0)",
                                    "SELECT TIMEDIFF('12:00:00', '13:00:00.5')"};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
    section("%s", all[i]);
    MYSQL_STMT *s = selected(m, all[i]);
    if (!s)
      continue;
    for (int k = 0; k < TYPES; k++)
      fetch_all(s, &types[k], 0, 200);
    mysql_stmt_close(s);
  }
}

/* Several columns of one row; places left out; the rule of 101. */
static void rows(MYSQL *m)
{
  section("rows");
  for (int report = 0; report < 2; report++) {
    my_bool on = report;
    mysql_options(m, MYSQL_REPORT_DATA_TRUNCATION, &on);
    MYSQL_STMT *s = selected(m, "SELECT 300, 'abcdef', NULL, 1.5e0, 'x', 70000");
    struct target t[6];
    static const int which[] = {0, 13, 13, 0, 15, 1};
    for (int i = 0; i < 6; i++) {
      clear(&t[i], &types[which[i]], 0, i == 4 ? 10 : 3);
      if (i == 3 || i == 5)
        t[i].bind.error = NULL;
      if (i == 1)
        t[i].bind.length = NULL;
      if (i == 3)
        t[i].bind.is_null = NULL;
    }
    MYSQL_BIND all[6];
    for (int i = 0; i < 6; i++)
      all[i] = t[i].bind;
    say("bind: %d", mysql_stmt_bind_result(s, all) != 0);
    int rc = mysql_stmt_fetch(s);
    for (int i = 0; i < 6; i++)
      say("report %d column %d: %s", report, i, outcome(&t[i], &types[which[i]], rc));
    say("errno=%u %s", mysql_stmt_errno(s), mysql_stmt_error(s));
    for (int i = 0; i < 6; i++) {
      clear(&t[i], &types[13], 0, 4);
      rc = mysql_stmt_fetch_column(s, &t[i].bind, i, 1);
      say("column %d: %s", i, outcome(&t[i], &types[13], rc));
    }
    rc = mysql_stmt_fetch(s);
    say("end: %d", rc);
    mysql_stmt_close(s);
  }
}

int main(int argc, char **argv)
{
  lab_start();
  MYSQL *m = connected();
  must(m, "SET NAMES utf8mb4");
  must(m, "SET sql_mode = ''");
  const char *part = argc > 1 ? argv[1] : "";
  if (!*part || !strcmp(part, "rows"))
    rows(m);
  if (!*part || !strcmp(part, "integers"))
    integers(m);
  if (!*part || !strcmp(part, "floats"))
    floats(m);
  if (!*part || !strcmp(part, "float_texts"))
    float_texts(m);
  if (!*part || !strcmp(part, "times"))
    times(m);
  if (!*part || !strcmp(part, "texts"))
    texts(m);
  if (!*part || !strcmp(part, "expressions"))
    expressions(m);
  if (!*part || !strcmp(part, "max")) {
    section("max_length");
    max_lengths(m, "TINYINT", "(1),(-100)");
    max_lengths(m, "TINYINT UNSIGNED", "(1),(100)");
    max_lengths(m, "TINYINT(2) ZEROFILL", "(1),(100)");
    max_lengths(m, "SMALLINT(9) ZEROFILL", "(1),(100)");
    max_lengths(m, "SMALLINT", "(1),(100)");
    max_lengths(m, "MEDIUMINT", "(1),(100)");
    max_lengths(m, "MEDIUMINT UNSIGNED", "(1),(100)");
    max_lengths(m, "INT", "(1),(100)");
    max_lengths(m, "INT UNSIGNED", "(1),(100)");
    max_lengths(m, "BIGINT", "(1),(100)");
    max_lengths(m, "BIGINT UNSIGNED", "(1),(100)");
    max_lengths(m, "FLOAT", "(1),(100)");
    max_lengths(m, "FLOAT UNSIGNED", "(1),(100)");
    max_lengths(m, "DOUBLE", "(1),(100)");
    max_lengths(m, "DOUBLE ZEROFILL", "(1),(100)");
    max_lengths(m, "DOUBLE(255,2) ZEROFILL", "(1),(100)");
    max_lengths(m, "YEAR", "(2001),(2002)");
    max_lengths(m, "DATE", "('2001-01-01'),('2001-01-01')");
    max_lengths(m, "TIME", "('01:01:01'),('0:00:00')");
    max_lengths(m, "TIME(6)", "('01:01:01'),('0:00:00.5')");
    max_lengths(m, "DATETIME", "('2001-01-01'),('2001-01-01')");
    max_lengths(m, "DATETIME(6)", "('2001-01-01'),('2001-01-01')");
    max_lengths(m, "TIMESTAMP NULL", "('2001-01-01'),('2001-01-01')");
    max_lengths(m, "VARCHAR(20)", "('a'),('bcd')");
    max_lengths(m, "BLOB", "('a'),(REPEAT('x',300))");
    max_lengths(m, "DECIMAL(20,5)", "(1),(-100.25)");
    max_lengths(m, "BIT(10)", "(b'1'),(b'11')");
    max_lengths(m, "ENUM('a','bc')", "('a'),('bc')");
    max_lengths(m, "SET('a','bc')", "('a'),('bc,a')");
    max_lengths(m, "JSON", "('1'),('[1,2]')");
    max_lengths(m, "GEOMETRY", "(POINT(1,2)),(POINT(1,2))");
    if (server_is_mysql())
      max_lengths(m, "VECTOR(3)", "(TO_VECTOR('[1,2,3]')),(TO_VECTOR('[1]'))");
  }
  must(m, "DROP TABLE IF EXISTS stmt_convert_t");
  mysql_close(m);
  say("end");
  return 0;
}
