/*
 * environment.c: what a connect takes from the environment where the program says
 * nothing. The originals read it when they are set up: each case is a process of its own.
 */
#include "lab.h"

struct way {
  const char *what;
  const char *unix_port, *mariadb_unix_port, *tcp_port, *password; /* the environment; NULL: not set */
  const char *host, *given;                                        /* what the program says */
};

static void set(const char *name, const char *value)
{
  if (value)
    setenv(name, value, 1);
  else
    unsetenv(name);
}

static void run(const struct way *w)
{
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    set("MYSQL_UNIX_PORT", w->unix_port);
    set("MARIADB_UNIX_PORT", w->mariadb_unix_port);
    set("MYSQL_TCP_PORT", w->tcp_port);
    set("MYSQL_PWD", w->password);
    lab_start();
    MYSQL *m = mysql_init(NULL);
    if (mysql_real_connect(m, w->host, user(), w->given, db(), 0, NULL, 0))
      say("%-40s in, %s, %s", w->what, mysql_get_host_info(m), value(m, "SELECT CURRENT_USER()"));
    else
      show(w->what, m);
    mysql_close(m);
    mysql_library_end();
    fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status)
    printf("%s: died, %d\n", w->what, status);
}

int main(void)
{
  char number[16];
  snprintf(number, sizeof number, "%u", port());
  const char *s = sock(), *p = pass();
  const struct way ways[] = {
      {"MYSQL_UNIX_PORT", s, NULL, NULL, NULL, NULL, p},
      {"MYSQL_UNIX_PORT, localhost", s, NULL, NULL, NULL, "localhost", p},
      {"MARIADB_UNIX_PORT", NULL, s, NULL, NULL, NULL, p},
      {"both, the first right", s, "/nowhere/b", NULL, NULL, NULL, p},
      {"both, the second right", "/nowhere/a", s, NULL, NULL, NULL, p},
      {"neither right", "/nowhere/a", "/nowhere/b", NULL, NULL, NULL, p},
      {"an empty one", "", NULL, NULL, NULL, NULL, p},
      {"MYSQL_TCP_PORT", NULL, NULL, number, NULL, "127.0.0.1", p},
      {"MYSQL_PWD", s, NULL, NULL, p, NULL, NULL},
      {"MYSQL_PWD, an empty one given", s, NULL, NULL, p, NULL, ""},
      {"MYSQL_PWD, a wrong one given", s, NULL, NULL, p, NULL, "wrong"},
      {"MYSQL_PWD wrong, the right one given", s, NULL, NULL, "wrong", NULL, p},
      {"MYSQL_PWD wrong", s, NULL, NULL, "wrong", NULL, NULL},
      {"MYSQL_PWD empty", s, NULL, NULL, "", NULL, NULL},
      {"MYSQL_PWD over TCP", NULL, NULL, number, p, "127.0.0.1", NULL},
  };
  printf("\n== environment\n");
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    run(&ways[i]);
  printf("\nend\n");
  return 0;
}
