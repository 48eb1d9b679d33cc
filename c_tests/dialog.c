/*
 * dialog.c: the method of PAM: the program's function that answers the server's
 * questions, and the password that does.
 *
 * The servers have plugins of ours (tests/harness/src/server_auth.c).
 */
#include "lab.h"
#include "plugin.h"

static const char *secret = "secret";
static const char *name = "lab";
static int elsewhere;

/* Found by the library by its name. */
__attribute__((visibility("default")))
char *mysql_authentication_dialog_ask(MYSQL *m, int type, const char *prompt, char *buffer, int size);

char *mysql_authentication_dialog_ask(MYSQL *m, int type, const char *prompt, char *buffer, int size)
{
  static char own[100];
  say("    asked: type %d, \"%.20s\", room %d, user %s, password %s", type, prompt, size, m->user, m->passwd);
  const char *answer = type == 2 ? secret : strncmp(prompt, "Name", 4) ? "blue" : name;
  if (!answer)
    return NULL;
  snprintf(elsewhere ? own : buffer, elsewhere ? sizeof own : (size_t)size, "%s", answer);
  return elsewhere ? own : buffer;
}

static void login(const char *what, const char *account, const char *password)
{
  MYSQL *m = mysql_init(NULL);
  say("%s", what);
  if (!mysql_real_connect(m, host(), account, password, NULL, port(), NULL, 0))
    show("  refused", m);
  else
    say("  in as %s", value(m, "SELECT CURRENT_USER()"));
  mysql_close(m);
}

int main(void)
{
  lab_start();
  MYSQL *a = admin();
  const char *how = server_is_mysql() ? "WITH %s AS" : "VIA %s USING";
  static const char *const accounts[][2] = {{"dialog_all", "lab_dialog"}, {"dialog_secret", "lab_secret"}};
  for (int i = 0; i < 2; i++) {
    char sql[200];
    snprintf(sql, sizeof sql, "DROP USER IF EXISTS %s@'%%'", accounts[i][0]);
    must(a, sql);
    int n = snprintf(sql, sizeof sql, "CREATE USER %s@'%%' IDENTIFIED ", accounts[i][0]);
    n += snprintf(sql + n, sizeof sql - n, how, accounts[i][1]);
    snprintf(sql + n, sizeof sql - n, " 'secret'");
    must(a, sql);
  }
  section("three questions");
  login("no password", "dialog_all", NULL);
  login("a password", "dialog_all", "secret");
  secret = "wrong";
  login("a wrong secret", "dialog_all", NULL);
  secret = "secret";
  elsewhere = 1;
  login("answers elsewhere", "dialog_all", NULL);
  elsewhere = 0;
  secret = NULL;
  login("no answer", "dialog_all", NULL);
  secret = "secret";
  section("the secret only");
  login("the password answers", "dialog_secret", "secret");
  login("a wrong password", "dialog_secret", "wrong");
  login("no password", "dialog_secret", NULL);
  secret = "wrong";
  login("no password, wrong answer", "dialog_secret", NULL);
  secret = "secret";

  section("another account");
  MYSQL *m = mysql_init(NULL);
  if (!mysql_real_connect(m, host(), "dialog_secret", "secret", NULL, port(), NULL, 0))
    show("refused", m);
  show_rc("to three questions", mysql_change_user(m, "dialog_all", "", NULL), m);
  say("  %s", value(m, "SELECT CURRENT_USER()"));
  show_rc("to one", mysql_change_user(m, "dialog_secret", "secret", NULL), m);
  say("  %s", value(m, "SELECT CURRENT_USER()"));
  mysql_close(m);
  must(a, "DROP USER dialog_all@'%', dialog_secret@'%'");
  mysql_close(a);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
