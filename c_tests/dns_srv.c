/*
 * dns_srv.c: connecting to a service by its name in the name service. Where the resolver is
 * told of a server that knows one (argument: its name), the connections are tried, too.
 */
#include "lab.h"

static void attempt(const char *what, const char *service, const char *name)
{
  MYSQL *m = mysql_init(NULL);
  bool yes = true;
  mysql_options(m, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &yes);
  if (mysql_real_connect_dns_srv(m, service, name, pass(), db(), 0))
    say("%s: in, %s, port as the server's %d", what, mysql_get_host_info(m), m->port == port());
  else
    show(what, m);
  mysql_close(m);
}

int main(int argc, char **argv)
{
  lab_start();
  if (argc > 1) {
    attempt("the service", argv[1], user());
    attempt("another account", argv[1], "nobody_at_all");
  }
  attempt("no such service", "_mysql._tcp.nowhere.invalid", user());
  attempt("no name", "", user());
  attempt("a label that is too long",
          "_mysql._tcp.0123456789012345678901234567890123456789012345678901234567890123456789.invalid", user());
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
