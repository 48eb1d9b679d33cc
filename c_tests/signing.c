/*
 * signing.c: MariaDB's methods that sign with Ed25519, with the passwords that are hard:
 * client_ed25519, and parsec where the server has it.
 */
#include "lab.h"

static void login(const char *what, const char *account, const char *password, const char *auth, int tls)
{
  MYSQL *m = mysql_init(NULL);
  my_bool on = 1;
  if (tls)
    mysql_options(m, MYSQL_OPT_SSL_ENFORCE, &on);
  if (auth)
    mysql_options(m, MYSQL_DEFAULT_AUTH, auth);
  if (!mysql_real_connect(m, host(), account, password, NULL, port(), NULL, 0))
    show(what, m);
  else
    say("%-34s in as %s", what, value(m, "SELECT CURRENT_USER()"));
  mysql_close(m);
}

static void method(MYSQL *a, const char *plugin, const char *client)
{
  static const char *const passwords[] = {"secret", "x", "with 'quotes' and \\",
                                          "0123456789012345678901234567890123456789012345678901234567890123456789"
                                          "0123456789012345678901234567890123456789012345678901234567890123456789"};
  section("%s", plugin);
  for (size_t i = 0; i < sizeof passwords / sizeof *passwords; i++) {
    char sql[600], quoted[400];
    mysql_real_escape_string(a, quoted, passwords[i], strlen(passwords[i]));
    must(a, "DROP USER IF EXISTS signing@'%'");
    snprintf(sql, sizeof sql, "CREATE USER signing@'%%' IDENTIFIED VIA %s USING PASSWORD('%s')", plugin, quoted);
    must(a, sql);
    for (int tls = 0; tls < 2; tls++) {
      login("by the server's wish", "signing", passwords[i], NULL, tls);
      login("by default", "signing", passwords[i], client, tls);
      login("another's default", "signing", passwords[i], "mysql_native_password", tls);
      login("wrong", "signing", "other", NULL, tls);
      login("none", "signing", "", NULL, tls);
    }
    login("another account", user(), pass(), client, 0);
    /* Every challenge has other bytes at its ends. */
    int good = 0;
    for (int n = 0; n < 120; n++) {
      MYSQL *m = mysql_init(NULL);
      good += mysql_real_connect(m, host(), "signing", passwords[i], NULL, port(), NULL, 0) != NULL;
      mysql_close(m);
      if (i > 0)
        break;
    }
    say("again and again: %d", good);
    MYSQL *m = mysql_init(NULL);
    if (!mysql_real_connect(m, host(), user(), pass(), NULL, port(), NULL, 0))
      show("connect", m);
    show_rc("another account", mysql_change_user(m, "signing", passwords[i], NULL), m);
    show_rc("and back", mysql_change_user(m, user(), pass(), NULL), m);
    show_rc("wrong", mysql_change_user(m, "signing", "other", NULL), m);
    mysql_close(m);
  }
  must(a, "DROP USER signing@'%'");
}

int main(void)
{
  lab_start();
  MYSQL *a = admin();
  int all = 0;
  mysql_query(a, "SELECT plugin_name FROM information_schema.plugins WHERE plugin_name IN ('ed25519', 'parsec')"
                 " ORDER BY 1");
  MYSQL_RES *r = mysql_store_result(a);
  MYSQL_ROW row;
  char names[2][20];
  while ((row = mysql_fetch_row(r)))
    snprintf(names[all++], sizeof names[0], "%s", row[0]);
  mysql_free_result(r);
  for (int i = 0; i < all; i++)
    method(a, names[i], strcmp(names[i], "parsec") ? "client_ed25519" : "parsec");
  mysql_close(a);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
