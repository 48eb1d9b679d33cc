/*
 * factors.c: accounts with two and three factors, their passwords, and methods of the
 * server's and of the program's own for them (libmysqlclient, MySQL servers).
 *
 * The servers have plugins of ours (tests/harness/src/server_auth.c).
 */
#include "lab.h"
#include "plugin.h"

static int code = CR_OK;

/* Answers as lab_talk wants it. */
static int questions(MYSQL_PLUGIN_VIO *vio, MYSQL *m)
{
  for (int round = 0; round < 10; round++) {
    unsigned char *packet, answer[200];
    int length = vio->read_packet(vio, &packet);
    say("    read %d", length);
    if (length < 0)
      return CR_ERROR;
    if (length == 0 || packet[0] == 0)
      return CR_OK_HANDSHAKE_COMPLETE;
    length = snprintf((char *)answer, sizeof answer, "A%d:%s", round, m->passwd);
    say("    write %s", answer);
    if (vio->write_packet(vio, answer, length))
      return CR_ERROR;
  }
  return code;
}

static struct lab_auth talker = LAB_AUTH("lab_talk", questions);

static MYSQL *with(const char *one, const char *two, const char *three)
{
  const char *const passwords[] = {one, two, three};
  MYSQL *m = mysql_init(NULL);
  bool yes = true;
  unsigned int mode = SSL_MODE_REQUIRED;
  mysql_options(m, MYSQL_OPT_SSL_MODE, &mode);
  mysql_options(m, MYSQL_ENABLE_CLEARTEXT_PLUGIN, &yes);
  for (unsigned int n = 1; n <= 3; n++)
    if (passwords[n - 1])
      mysql_options4(m, MYSQL_OPT_USER_PASSWORD, &n, passwords[n - 1]);
  return m;
}

static void login(const char *what, MYSQL *m, const char *name, const char *password)
{
  say("%s", what);
  if (!mysql_real_connect(m, host(), name, password, NULL, port(), NULL, 0))
    show("  refused", m);
  else
    say("  in as %s, flag %d", value(m, "SELECT CURRENT_USER()"), (m->client_flag & (1ul << 28)) != 0);
  mysql_close(m);
}

int main(void)
{
  lab_start();
  MYSQL *a = admin();
  section("the option");
  MYSQL *m = mysql_init(NULL);
  for (unsigned int n = 0; n < 5; n++)
    show_rc("mysql_options4", mysql_options4(m, MYSQL_OPT_USER_PASSWORD, &n, "pw"), m);
  unsigned int one = 1;
  show_rc("mysql_options", mysql_options(m, MYSQL_OPT_USER_PASSWORD, &one), m);
  const char *text = NULL;
  show_rc("mysql_get_option", mysql_get_option(m, MYSQL_OPT_USER_PASSWORD, &text), m);
  mysql_close(m);

  must(a, "DROP USER IF EXISTS factors_one@'%', factors_two@'%', factors_three@'%', factors_talk@'%'");
  must(a, "CREATE USER factors_one@'%' IDENTIFIED BY 'one'");
  must(a, "CREATE USER factors_two@'%' IDENTIFIED BY 'one' AND IDENTIFIED WITH lab_factor AS 'two'");
  must(a, "CREATE USER factors_three@'%' IDENTIFIED BY 'one' AND IDENTIFIED WITH lab_factor AS 'two' "
          "AND IDENTIFIED WITH lab_talk AS 'three'");
  must(a, "CREATE USER factors_talk@'%' IDENTIFIED BY 'one' AND IDENTIFIED WITH lab_talk AS 'three'");
  section("without the plugin");
  login("three", with(NULL, "two", "three"), "factors_three", "one");
  mysql_client_register_plugin(a, (struct st_mysql_client_plugin *)&talker);

  section("one factor");
  login("by argument", with(NULL, NULL, NULL), "factors_one", "one");
  login("by option", with("one", NULL, NULL), "factors_one", NULL);
  login("by option, empty argument", with("one", NULL, NULL), "factors_one", "");
  login("right argument, wrong option", with("other", NULL, NULL), "factors_one", "one");
  login("wrong argument, right option", with("one", NULL, NULL), "factors_one", "other");
  login("passwords too many", with(NULL, "two", "three"), "factors_one", "one");

  section("two factors");
  login("both", with(NULL, "two", NULL), "factors_two", "one");
  login("both by option", with("one", "two", NULL), "factors_two", NULL);
  login("no second", with(NULL, NULL, NULL), "factors_two", "one");
  login("wrong second", with(NULL, "two!", NULL), "factors_two", "one");
  login("wrong first", with(NULL, "two", NULL), "factors_two", "one!");
  login("the program's method", with(NULL, "three", NULL), "factors_talk", "one");
  login("the program's method, wrong", with(NULL, "three!", NULL), "factors_talk", "one");
  m = with(NULL, "two", NULL);
  bool no = false;
  mysql_options(m, MYSQL_ENABLE_CLEARTEXT_PLUGIN, &no);
  login("clear text not allowed", m, "factors_two", "one");

  section("three factors");
  login("all", with(NULL, "two", "three"), "factors_three", "one");
  login("wrong third", with(NULL, "two", "four"), "factors_three", "one");
  login("no third", with(NULL, "two", NULL), "factors_three", "one");

  section("another account");
  m = with(NULL, "two", "three");
  if (!mysql_real_connect(m, host(), "factors_one", "one", NULL, port(), NULL, 0))
    show("refused", m);
  show_rc("to two factors", mysql_change_user(m, "factors_two", "one", NULL), m);
  say("  %s", value(m, "SELECT CURRENT_USER()"));
  show_rc("to three factors", mysql_change_user(m, "factors_three", "one", NULL), m);
  say("  %s", value(m, "SELECT CURRENT_USER()"));
  show_rc("to one", mysql_change_user(m, "factors_one", "one", NULL), m);
  say("  %s", value(m, "SELECT CURRENT_USER()"));
  show_rc("wrong", mysql_change_user(m, "factors_two", "two", NULL), m);
  mysql_close(m);
  m = with("one", "two", NULL);
  if (!mysql_real_connect(m, host(), "factors_one", NULL, NULL, port(), NULL, 0))
    show("refused", m);
  show_rc("argument wrong, option right", mysql_change_user(m, "factors_two", "wrong", NULL), m);
  mysql_close(m);
  m = with("one", "two", NULL);
  if (!mysql_real_connect(m, host(), "factors_one", NULL, NULL, port(), NULL, 0))
    show("refused", m);
  show_rc("no argument, option right", mysql_change_user(m, "factors_two", NULL, NULL), m);
  mysql_close(m);

  must(a, "DROP USER factors_one@'%', factors_two@'%', factors_three@'%', factors_talk@'%'");
  mysql_close(a);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
