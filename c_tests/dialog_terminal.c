/*
 * dialog_terminal.c: the method of PAM without a function of the program's: the questions
 * go to standard output, the answers come from standard input.
 *
 * The servers have plugins of ours (tests/harness/src/server_auth.c).
 */
#include "lab.h"

static void login(const char *what, const char *typed, const char *password)
{
  int ends[2];
  say("%s", what);
  fflush(stdout);
  /* Each in a process of its own: Connector/C closes standard input behind a secret. */
  pid_t child = fork();
  if (child) {
    waitpid(child, NULL, 0);
    return;
  }
  (void)!pipe(ends);
  (void)!write(ends[1], typed, strlen(typed));
  close(ends[1]);
  dup2(ends[0], 0);
  close(ends[0]);
  clearerr(stdin);
  MYSQL *m = mysql_init(NULL);
  int in = mysql_real_connect(m, host(), "dialog_typed", password, NULL, port(), NULL, 0) != NULL;
  say("|");
  if (in)
    say("  in as %s", value(m, "SELECT CURRENT_USER()"));
  else
    show("  refused", m);
  mysql_close(m);
  fflush(stdout);
  _exit(0);
}

int main(void)
{
  lab_start();
  MYSQL *a = admin();
  must(a, "DROP USER IF EXISTS dialog_typed@'%'");
  must(a, server_is_mysql() ? "CREATE USER dialog_typed@'%' IDENTIFIED WITH lab_dialog AS 'secret'"
                            : "CREATE USER dialog_typed@'%' IDENTIFIED VIA lab_dialog USING 'secret'");
  login("typed", "lab\nblue\nsecret\n", NULL);
  login("a wrong secret", "lab\nblue\nsecreT\n", NULL);
  login("a password is not asked for", "lab\nblue\nsecret\n", "wrong");
  must(a, "DROP USER dialog_typed@'%'");
  mysql_close(a);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
