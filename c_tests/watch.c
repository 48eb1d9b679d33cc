/*
 * watch.c: functions of the program that are shown what handles read and send
 * (Connector/C's ma_pvio_register_callback).
 */
#include "lab.h"

int ma_pvio_register_callback(my_bool, void (*)(int, MYSQL *, const unsigned char *, size_t));

static MYSQL *expected;
static unsigned long long hashes[2];
static size_t totals[2];
static int strangers, failures, seconds;

static void first(int mode, MYSQL *m, const unsigned char *data, size_t length)
{
  if (m != expected)
    strangers++;
  if (length == (size_t)-1) {
    failures++;
    return;
  }
  totals[mode] += length;
  for (size_t i = 0; i < length; i++)
    hashes[mode] = hashes[mode] * 31 + data[i];
}

static void second(int mode, MYSQL *m, const unsigned char *data, size_t length)
{
  (void)mode, (void)m, (void)data, (void)length;
  seconds++;
}

static void seen(const char *what)
{
  say("%-20s read %zu (%llx), sent %zu (%llx), of other handles %d, failed %d", what, totals[0], hashes[0], totals[1],
      hashes[1], strangers, failures);
  memset(totals, 0, sizeof totals);
  memset(hashes, 0, sizeof hashes);
}

static void work(const char *what, MYSQL *m)
{
  section("%s", what);
  expected = m;
  memset(totals, 0, sizeof totals);
  memset(hashes, 0, sizeof hashes);
  must(m, "DO 1");
  seen("a statement");
  must(m, "SELECT REPEAT('x', 70000)");
  mysql_free_result(mysql_store_result(m));
  /* How its columns are described is the client's wish. */
  say("of a large row enough was read: %d", totals[0] > 70000);
  totals[0] = hashes[0] = 0;
  seen("the statement");
  mysql_ping(m);
  seen("a ping");
}

int main(void)
{
  lab_start();
  say("NULL: %d, %d", ma_pvio_register_callback(1, NULL), ma_pvio_register_callback(0, NULL));
  MYSQL *before = admin();
  say("registered: %d", ma_pvio_register_callback(1, first));
  work("a handle from before", before);
  MYSQL *m = mysql_init(NULL);
  my_bool on = 1;
  expected = m;
  mysql_options(m, MYSQL_OPT_SSL_ENFORCE, &on);
  if (!mysql_real_connect(m, host(), user(), pass(), db(), port(), NULL, 0))
    show("connect", m);
  say("the greeting was seen: %d, the login: %d", totals[0] > 70, totals[1] > 32);
  work("TLS", m);
  mysql_close(m);
  seen("closed");
  say("another: %d", ma_pvio_register_callback(1, second));
  expected = before;
  must(before, "DO 2");
  say("it was called: %d", seconds > 0);
  seen("a statement");
  say("one less: %d", ma_pvio_register_callback(0, first));
  must(before, "DO 3");
  seen("not seen");
  say("unknown: %d", ma_pvio_register_callback(0, first));
  mysql_close(before);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
