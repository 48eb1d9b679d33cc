/*
 * stmt_random.c: random values of random columns into random buffers. A scripted server
 * sends whatever column and bytes the program asks for, so that facts meet which no real
 * server puts together. The numbers are the same on every run.
 */
#include "lab.h"

static unsigned long long state = 88172645463325252ull;

static unsigned long long any(void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state * 2685821657736338717ull;
}

static unsigned below(unsigned n) { return (unsigned)((any() >> 33) % n); }

/* ---- the scripted server: a statement's text is the column and the row ---- */

struct answer { unsigned type, flags, length, decimals, charset; size_t size; unsigned char value[1024]; };

static size_t definition(unsigned char *out, const struct answer *a)
{
  unsigned char *p = out;
  memcpy(p, "\3def\0\0\0\1v\0\x0C", 11), p += 11;
  *p++ = a->charset & 255, *p++ = a->charset >> 8;
  memcpy(p, &a->length, 4), p += 4;
  *p++ = a->type;
  *p++ = a->flags & 255, *p++ = a->flags >> 8;
  *p++ = a->decimals;
  *p++ = 0, *p++ = 0;
  return p - out;
}

/* Packets of one answer go out together: small ones one by one would wait for each other. */
static unsigned char waiting[8192];
static size_t waits;

static void put(unsigned char number, const void *data, size_t n)
{
  unsigned char head[4] = {n & 255, (n >> 8) & 255, (n >> 16) & 255, number};
  memcpy(waiting + waits, head, 4);
  memcpy(waiting + waits + 4, data, n);
  waits += n + 4;
}

static void serve(int fd)
{
  static const unsigned char ok[] = {0, 0, 0, 2, 0, 0, 0}, eof[] = {0xFE, 0, 0, 2, 0}, one[] = {1};
  static unsigned char packet[8192], row[2048], column[128];
  static struct answer a;
  unsigned id = 0;
  if (fake_login(fd))
    return;
  for (;;) {
    unsigned char head[4];
    if (recv(fd, head, 4, MSG_WAITALL) != 4)
      return;
    size_t n = head[0] | head[1] << 8;
    if (n >= sizeof packet || recv(fd, packet, n, MSG_WAITALL) != (ssize_t)n)
      return;
    packet[n] = 0;
    if (packet[0] == 0x16) {
      int at = 0;
      sscanf((char *)packet + 1, "%u %u %u %u %u %n", &a.type, &a.flags, &a.length, &a.decimals, &a.charset, &at);
      const char *hex = (char *)packet + 1 + at;
      for (a.size = 0; hex[0] && hex[1]; hex += 2) {
        unsigned byte = 0;
        sscanf(hex, "%2x", &byte);
        a.value[a.size++] = byte;
      }
      unsigned char described[12] = {0, ++id, id >> 8, id >> 16, 0, 1};
      put(1, described, sizeof described);
      put(2, column, definition(column, &a));
      put(3, eof, sizeof eof);
    } else if (packet[0] == 0x17) {
      put(1, one, 1);
      put(2, column, definition(column, &a));
      put(3, eof, sizeof eof);
      row[0] = row[1] = 0;
      memcpy(row + 2, a.value, a.size);
      put(4, row, a.size + 2);
      put(5, eof, sizeof eof);
    } else if (packet[0] == 1) {
      return;
    } else if (packet[0] != 0x19) {
      put(1, ok, sizeof ok);
    }
    fake_send(fd, waiting, waits);
    waits = 0;
  }
}

/* ---- what to ask for ---- */

static const char *const texts[] = {
  "12", "-7", "255", "65536", "4294967296", "-9223372036854775808", "18446744073709551615", "1e3", "-1.5e-3", "0.1", ".5", "+3", "abc",
  "2024-02-29", "2024-02-29 12:34:56", "2024-02-29 12:34:56.789", "12:34:56", "-838:59:59", "20240229", "240229", "20240229123456",
  "1 12:34:56", "0000-00-00", "99:99:99", "2024-02-29T01:02:03", "2024-02-29 01:02:03+05:30", "  42  ", "", "x", "1:2", "1-1-1",
};

static double real(void)
{
  switch (below(5)) {
  case 0: return (double)(long long)(any() >> below(64)) * (below(2) ? 1 : -1);
  case 1: return (double)(int)below(100000) / 100.0 * (below(2) ? 1 : -1);
  case 2: return (double)below(1000) / (double)(1 << below(20));
  case 3: return (double)(long long)any() * 1e-12;
  default: {
    double x = 1.0 + (double)(any() >> 12) / 4503599627370496.0;
    int exponent = (int)below(360) - 180;
    for (; exponent > 0; exponent--)
      x *= 10;
    for (; exponent < 0; exponent++)
      x /= 10;
    return below(2) ? x : -x;
  }
  }
}

static size_t prefixed(unsigned char *out, const void *data, size_t n)
{
  size_t head = 1;
  if (n < 251) {
    out[0] = n;
  } else {
    out[0] = 252, out[1] = n & 255, out[2] = n >> 8;
    head = 3;
  }
  memcpy(out + head, data, n);
  return head + n;
}

/* A value of the column's type in the form of the protocol. */
static size_t sent(unsigned char *out, unsigned type)
{
  unsigned long long number = any() >> below(64);
  switch (type) {
  case MYSQL_TYPE_TINY: *out = number; return 1;
  case MYSQL_TYPE_SHORT: case MYSQL_TYPE_YEAR: memcpy(out, &number, 2); return 2;
  case MYSQL_TYPE_LONG: case MYSQL_TYPE_INT24: memcpy(out, &number, 4); return 4;
  case MYSQL_TYPE_LONGLONG:
    if (below(3) == 0)
      number = -number;
    memcpy(out, &number, 8);
    return 8;
  case MYSQL_TYPE_FLOAT: {
    double x = real();
    float f = x > 1e38 || x < -1e38 ? 1.5f : (float)x;
    memcpy(out, &f, 4);
    return 4;
  }
  case MYSQL_TYPE_DOUBLE: {
    double x = real();
    memcpy(out, &x, 8);
    return 8;
  }
  case MYSQL_TYPE_TIME: {
    static const unsigned char sizes[] = {0, 8, 12};
    unsigned days = below(35), micros = below(1000000);
    out[0] = sizes[below(3)];
    out[1] = below(2);
    memcpy(out + 2, &days, 4);
    out[6] = below(24), out[7] = below(60), out[8] = below(60);
    memcpy(out + 9, &micros, 4);
    return out[0] + 1;
  }
  case MYSQL_TYPE_DATE: case MYSQL_TYPE_DATETIME: case MYSQL_TYPE_TIMESTAMP: {
    static const unsigned char sizes[] = {0, 4, 7, 11};
    unsigned year = below(10000), micros = below(1000000);
    out[0] = sizes[below(type == MYSQL_TYPE_DATE ? 2 : 4)];
    memcpy(out + 1, &year, 2);
    out[3] = below(13), out[4] = below(32), out[5] = below(24), out[6] = below(60), out[7] = below(60);
    memcpy(out + 8, &micros, 4);
    return out[0] + 1;
  }
  default: {
    unsigned char data[400];
    if (below(3)) {
      const char *text = texts[below(sizeof texts / sizeof *texts)];
      return prefixed(out, text, strlen(text));
    }
    size_t n = below(4) ? below(20) : below(type == MYSQL_TYPE_NEWDECIMAL ? 60 : 400);
    for (size_t i = 0; i < n; i++)
      data[i] = below(3) ? '0' + below(10) : below(256);
    return prefixed(out, data, n);
  }
  }
}

static const unsigned char columns[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255};
static const unsigned char buffers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 242, 245, 246, 249, 250, 251, 252, 253, 254, 255};

struct target { MYSQL_BIND bind; unsigned long length; my_bool null, error; unsigned char room[1024] __attribute__((aligned(16))); };

static void tell(const char *what, const struct target *t, int rc)
{
  int end = sizeof t->room;
  char text[2200], *p = text;
  while (end > 0 && t->room[end - 1] == 0xEE)
    end--;
  unsigned type = t->bind.buffer_type;
  if ((type == MYSQL_TYPE_TIME || type == MYSQL_TYPE_DATE || type == MYSQL_TYPE_DATETIME || type == MYSQL_TYPE_TIMESTAMP) && end > 24) {
    MYSQL_TIME w;
    memcpy(&w, t->room, sizeof w);
    p += sprintf(p, "%u-%u-%u %u:%u:%u.%lu neg=%d type=%d", w.year, w.month, w.day, w.hour, w.minute, w.second, w.second_part,
                 *(unsigned char *)&w.neg, (int)w.time_type);
  } else
    for (int i = 0; i < end; i++)
      p += sprintf(p, "%02X", t->room[i]);
  *p = 0;
  say("%s rc=%d null=%d error=%d length=%lu size=%lu %s", what, rc, t->null, t->error != 0, t->length, t->bind.buffer_length, text);
}

static void fill(struct target *t)
{
  static const unsigned sizes[] = {0, 1, 2, 3, 5, 8, 10, 12, 15, 20, 25, 40, 64, 300, 1000};
  memset(t, 0, sizeof *t);
  memset(t->room, 0xEE, sizeof t->room);
  t->length = 0xEEEE;
  t->bind.buffer_type = buffers[below(sizeof buffers)];
  t->bind.is_unsigned = below(2);
  t->bind.buffer = t->room;
  t->bind.buffer_length = sizes[below(sizeof sizes / sizeof *sizes)];
  t->bind.length = &t->length;
  t->bind.is_null = &t->null;
  t->bind.error = &t->error;
}

static void one(MYSQL *m, int number)
{
  static unsigned char value[1024];
  static char sql[4096];
  unsigned type = columns[below(sizeof columns)];
  unsigned flags = (below(2) ? 32 : 0) | (below(4) ? 0 : 64) | (below(3) ? 128 : 0);
  /* as long as servers say (Connector/C takes longer ones for a broken row) */
  unsigned length = below(3) ? below(30) : below(type == MYSQL_TYPE_NEWDECIMAL ? 60 : type <= 3 || type == 8 || type == 9 || type == 13 ? 255 : 290);
  int temporal = type == 7 || (type >= 10 && type <= 12);
  unsigned decimals = temporal ? below(7) : below(2) ? 31 : below(12);
  unsigned charset = below(2) ? 63 : 45;
  size_t size = sent(value, type);
  char *p = sql + sprintf(sql, "%u %u %u %u %u ", type, flags, length, decimals, charset);
  for (size_t i = 0; i < size; i++)
    p += sprintf(p, "%02x", value[i]);
  MYSQL_STMT *s = mysql_stmt_init(m);
  if (mysql_stmt_prepare(s, sql, strlen(sql)) || mysql_stmt_execute(s) || mysql_stmt_store_result(s)) {
    say("%d %s: errno=%u %s", number, sql, mysql_stmt_errno(s), mysql_stmt_error(s));
    mysql_stmt_close(s);
    return;
  }
  struct target t;
  fill(&t);
  say("%d %s -> %d%s %lu", number, sql, (int)t.bind.buffer_type, t.bind.is_unsigned ? "u" : "", t.bind.buffer_length);
  if (mysql_stmt_bind_result(s, &t.bind))
    say(" refused: %u", mysql_stmt_errno(s));
  else
    tell(" fetch", &t, mysql_stmt_fetch(s));
  for (int i = 0; i < 2; i++) {
    unsigned offset = below(2) ? 0 : below(30);
    char what[60];
    fill(&t);
    snprintf(what, sizeof what, " column %d%s %lu at %u:", (int)t.bind.buffer_type, t.bind.is_unsigned ? "u" : "", t.bind.buffer_length, offset);
    tell(what, &t, mysql_stmt_fetch_column(s, &t.bind, 0, offset));
  }
  mysql_stmt_close(s);
}

int main(int argc, char **argv)
{
  int count = argc > 1 ? atoi(argv[1]) : 4000;
  if (argc > 2)
    state ^= strtoull(argv[2], NULL, 10) * 0x9E3779B97F4A7C15ull;
  lab_start();
  struct fake f = fake_start(serve, 1);
  MYSQL *m = fake_connect(NULL, f);
  lab_mask_count = 0; /* numbers are values here */
  for (int i = 0; i < count; i++)
    one(m, i);
  mysql_close(m);
  fake_end(f);
  say("end");
  return 0;
}
