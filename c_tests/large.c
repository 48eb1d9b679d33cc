/*
 * large.c: statements that are larger than the server takes: which error, over which
 * transport, and what the connection is worth afterwards. Needs a server with a
 * max_allowed_packet of 1 MiB.
 */
#include "lab.h"

/* How the last bytes and the server's refusal overtake each other is chance with
   Connector/C, which does not look for the refusal: both errors are right. */
static void show_refusal(const char *what, int rc, MYSQL *m)
{
#if LAB_MARIADB_ABI
  say("%-34s rc=%d refused=%d state=%s", what, rc != 0,
      mysql_errno(m) == 1153 || mysql_errno(m) == CR_SERVER_GONE_ERROR || mysql_errno(m) == CR_SERVER_LOST,
      mysql_errno(m) == 1153 ? "HY000" : mysql_sqlstate(m));
#else
  show_rc(what, rc, m);
#endif
}

static MYSQL *over(const char *transport)
{
  MYSQL *m = mysql_init(NULL);
  int tls = !strcmp(transport, "TLS"), local = !strcmp(transport, "socket");
#if LAB_MARIADB_ABI
  my_bool on = tls;
  mysql_options(m, MYSQL_OPT_SSL_ENFORCE, &on);
#else
  unsigned mode = tls ? SSL_MODE_REQUIRED : SSL_MODE_DISABLED;
  bool on = 1;
  mysql_options(m, MYSQL_OPT_SSL_MODE, &mode);
  mysql_options(m, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &on);
#endif
  if (!mysql_real_connect(m, local ? "localhost" : host(), user(), pass(), db(), port(), sock(), 0))
    show("connect", m);
  return m;
}

int main(void)
{
  static const char *const transports[] = {"TCP", "socket", "TLS"};
  static const size_t sizes[] = {1000, 1048570, 1100000, 3000000, 20000000, 40000000};
  lab_start();
  for (size_t t = 0; t < 3; t++) {
    section("over %s", transports[t]);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      MYSQL *m = over(transports[t]);
      char *sql = malloc(sizes[i] + 1), what[64];
      memset(sql, 'x', sizes[i]);
      memcpy(sql, "SELECT LENGTH('", 15);
      memcpy(sql + sizes[i] - 2, "')", 3);
      snprintf(what, sizeof what, "%zu bytes", sizes[i]);
      int rc = mysql_real_query(m, sql, sizes[i]);
      if (rc) {
        show_refusal(what, rc, m);
      } else {
        show_rc(what, rc, m);
        mysql_free_result(mysql_store_result(m));
      }
      rc = mysql_query(m, "DO 1");
      say("and then rc=%d", rc != 0);
      if (!rc)
        alive(m);
      mysql_close(m);
      free(sql);
    }
  }

  section("the server has hung up, socket");
  MYSQL *m = over("socket");
  kill_from_outside(m);
  show_rc("query", mysql_query(m, "DO 1"), m);
  show_rc("query", mysql_query(m, "DO 1"), m);
  mysql_close(m);
  section("the server was tired of waiting");
  for (size_t t = 0; t < 3; t++) {
    m = over(transports[t]);
    must(m, "SET SESSION wait_timeout = 1");
    sleep(3);
    show_rc(transports[t], mysql_query(m, "DO 1"), m);
    show_rc(transports[t], mysql_query(m, "DO 1"), m);
    mysql_close(m);
  }
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
