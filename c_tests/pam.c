/*
 * pam.c: logins by MariaDB's own plugin for PAM, which asks what pam_unix asks (dialog.c has the method's finer points).
 *
 * The server sees services and an account of the test's (tests/c_programs/pam.rs).
 */
#include "lab.h"
#include "plugin.h"

static const char *answer = "secret";

/* Found by the library by its name. */
__attribute__((visibility("default")))
char *mysql_authentication_dialog_ask(MYSQL *m, int type, const char *prompt, char *buffer, int size);

char *mysql_authentication_dialog_ask(MYSQL *m, int type, const char *prompt, char *buffer, int size)
{
  say("    asked: type %d, \"%s\", user %s", type, prompt, m->user);
  if (!answer)
    return NULL;
  snprintf(buffer, (size_t)size, "%s", answer);
  return buffer;
}

static void login(const char *what, const char *service, const char *password)
{
  MYSQL *a = admin(), *m = mysql_init(NULL);
  char sql[200];
  must(a, "DROP USER IF EXISTS labpam@'%'");
  snprintf(sql, sizeof sql, "CREATE USER labpam@'%%' IDENTIFIED VIA pam USING '%s'", service);
  must(a, sql);
  say("%s: %s", service, what);
  if (!mysql_real_connect(m, host(), "labpam", password, NULL, port(), NULL, 0))
    show("  refused", m);
  else
    say("  in as %s", value(m, "SELECT CURRENT_USER()"));
  mysql_close(m);
  mysql_close(a);
}

int main(void)
{
  static const char *const services[] = {"lab_unix", "lab_twice", "lab_open", "lab_none"};
  lab_start();
  for (int i = 0; i < 4; i++) {
    section("%s", services[i]);
    login("the password", services[i], "secret");
    login("a wrong password", services[i], "wrong");
    login("the function answers", services[i], NULL);
    answer = "wrong";
    login("the function answers wrongly", services[i], NULL);
    login("the password, then the function wrongly", services[i], "secret");
    answer = NULL;
    login("no answer", services[i], NULL);
    answer = "secret";
  }
  section("another account");
  login("first", "lab_unix", "secret");
  MYSQL *m = connected();
  show_rc("change_user", mysql_change_user(m, "labpam", "secret", NULL), m);
  say("  %s", value(m, "SELECT CURRENT_USER()"));
  show_rc("change_user, wrong", mysql_change_user(m, "labpam", "wrong", NULL), m);
  mysql_close(m);
  MYSQL *a = admin();
  must(a, "DROP USER labpam@'%'");
  mysql_close(a);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
