/*
 * lazy.c: what a program may ask of a handle between connecting and its first statement.
 * Run with routing, where the handle has no connection yet, it must not show.
 */
#include "lab.h"

static void ask_server(MYSQL *m)
{
  say("server info %d, version %lu", strstr(mysql_get_server_info(m), ".") != NULL, mysql_get_server_version(m));
}

static void ask_host(MYSQL *m)
{
  say("host info %s", or_null(mysql_get_host_info(m)));
}

static void ask_cipher(MYSQL *m)
{
  say("cipher %d", mysql_get_ssl_cipher(m) != NULL);
}

static void ask_stat(MYSQL *m)
{
  say("stat %.7s", or_null(mysql_stat(m)));
}

#if LAB_MARIADB_ABI
static void ask_values(MYSQL *m)
{
  const char *type = "", *version = "";
  size_t number = 0;
  say("type %d %s", mariadb_get_infov(m, MARIADB_CONNECTION_SERVER_TYPE, (void *)&type), type);
  mysql_close(m);
  m = connected();
  say("version %d %d", mariadb_get_infov(m, MARIADB_CONNECTION_SERVER_VERSION, (void *)&version), *version != 0);
  mysql_close(m);
  m = connected();
  say("number %d %zu", mariadb_get_infov(m, MARIADB_CONNECTION_SERVER_VERSION_ID, (void *)&number), number);
  mysql_close(m);
}
#endif

int main(void)
{
  static void (*const asks[])(MYSQL *) = {ask_server, ask_host, ask_cipher, ask_stat};
  for (int round = 0; round < 2; round++)
    for (unsigned i = 0; i < sizeof asks / sizeof *asks; i++) {
      MYSQL *m = connected();
      asks[i](m);
      show("after it", m);
      alive(m);
      asks[i](m);
      mysql_close(m);
    }
#if LAB_MARIADB_ABI
  ask_values(connected());
#endif
  return 0;
}
