/*
 * stmt_functions.c: mysql_ps_fetch_functions, the table of conversions that Connector/C
 * exports and that connectors read: sizes, and each function called as they call it.
 * (libmysqlclient has nothing like it.)
 */
#include "lab.h"

#if LAB_MARIADB_ABI
static void call(int type, const char *name, unsigned char *row, size_t length, int buffer_type, int bare)
{
  MYSQL_BIND b;
  MYSQL_FIELD f;
  unsigned char room[64], *at = row;
  unsigned long size = 0xEEEE;
  my_bool error = 0, null = 0;
  char text[200], *p = text;
  memset(&b, 0, sizeof b);
  memset(&f, 0, sizeof f);
  memset(room, 0xEE, sizeof room);
  f.type = type;
  f.length = 20;
  f.decimals = type == MYSQL_TYPE_FLOAT || type == MYSQL_TYPE_DOUBLE ? 31 : 3;
  f.charsetnr = 63;
  b.buffer_type = buffer_type;
  b.buffer = room;
  b.buffer_length = sizeof room;
  b.length = bare ? &b.length_value : &size;
  b.error = bare ? &b.error_value : &error;
  b.is_null = bare ? &b.is_null_value : &null;
  mysql_ps_fetch_functions[type].func(&b, &f, &at);
  for (int i = 0; i < 40; i++)
    p += sprintf(p, "%02X", room[i]);
  if (buffer_type == MYSQL_TYPE_DATETIME) /* with holes */
    sprintf(text, "%u-%u-%u %u:%u:%u.%lu", *(unsigned *)room, *(unsigned *)(room + 4), *(unsigned *)(room + 8),
            *(unsigned *)(room + 12), *(unsigned *)(room + 16), *(unsigned *)(room + 20), *(unsigned long *)(room + 24));
  say("%s to %d: moved %zd of %zu, length=%lu error=%d size=%lu %s", name, buffer_type, (ssize_t)(at - row), length,
      bare ? b.length_value : size, bare ? b.error_value : error, b.buffer_length, text);
}
#endif

int main(void)
{
  lab_start();
#if LAB_MARIADB_ABI
  section("the table");
  for (int i = 0; i <= MYSQL_TYPE_GEOMETRY; i++)
    say("%d: %s %d %lu", i, mysql_ps_fetch_functions[i].func ? "function" : "none", (int)mysql_ps_fetch_functions[i].pack_len,
        mysql_ps_fetch_functions[i].max_len);
  section("calls");
  static unsigned char number[] = {0x85, 0xFF, 0x03, 0x00, 0, 0, 0xF8, 0x3F, 1, 2, 3};
  static unsigned char moment[] = {11, 0xE8, 7, 2, 29, 12, 34, 56, 0x40, 0xE2, 1, 0, 9};
  static unsigned char date[] = {4, 0xE8, 7, 2, 29, 9};
  static unsigned char span[] = {12, 1, 2, 0, 0, 0, 3, 4, 5, 0x40, 0xE2, 1, 0, 9};
  static unsigned char text[] = {5, '1', '2', '.', '5', 'x', 9};
  static unsigned char longer[400] = {252, 0x2C, 1, 'a', 'b', 'c'};
  static const int buffers[] = {MYSQL_TYPE_TINY, MYSQL_TYPE_LONG, MYSQL_TYPE_LONGLONG, MYSQL_TYPE_DOUBLE, MYSQL_TYPE_STRING,
                                MYSQL_TYPE_BLOB, MYSQL_TYPE_DATETIME, MYSQL_TYPE_YEAR};
  for (int i = 0; i <= MYSQL_TYPE_GEOMETRY; i++) {
    if (!mysql_ps_fetch_functions[i].func)
      continue;
    char name[20];
    sprintf(name, "%d", i);
    for (unsigned k = 0; k < sizeof buffers / sizeof *buffers; k++) {
      int pack = mysql_ps_fetch_functions[i].pack_len;
      if (pack >= 0)
        call(i, name, number, pack, buffers[k], k & 1);
      else if (i == MYSQL_TYPE_TIME)
        call(i, name, span, sizeof span - 1, buffers[k], k & 1);
      else if (i == MYSQL_TYPE_DATE)
        call(i, name, date, sizeof date - 1, buffers[k], k & 1);
      else if (i == MYSQL_TYPE_DATETIME || i == MYSQL_TYPE_TIMESTAMP)
        call(i, name, moment, sizeof moment - 1, buffers[k], k & 1);
      else {
        call(i, name, text, sizeof text - 1, buffers[k], k & 1);
        call(i, name, longer, 303, buffers[k], k & 1);
      }
    }
  }
#endif
  printf("\nend\n");
  return 0;
}
