/*
 * plugins_routed.c: plugins of the program's own on a routed handle, for each connection
 * that it opens (with our library only).
 *
 * The servers have plugins of ours (tests/harness/src/server_auth.c).
 */
#include "lab.h"
#include "plugin.h"

static int talks, clears;

static int questions(MYSQL_PLUGIN_VIO *vio, MYSQL *m)
{
  talks++;
  say("    lab_talk for %s, port known %d", m->user, m->port != 0);
  for (int round = 0; round < 10; round++) {
    unsigned char *packet, answer[200];
    int length = vio->read_packet(vio, &packet);
    if (length < 0)
      return CR_ERROR;
    if (length == 0 || packet[0] == 0)
      return CR_OK_HANDSHAKE_COMPLETE;
    length = snprintf((char *)answer, sizeof answer, "A%d:%s", round, m->passwd);
    if (vio->write_packet(vio, answer, length))
      return CR_ERROR;
  }
  return CR_ERROR;
}

static int in_the_clear(MYSQL_PLUGIN_VIO *vio, MYSQL *m)
{
  clears++;
  say("    lab_clear for %s", m->user);
  return vio->write_packet(vio, (const unsigned char *)m->passwd, strlen(m->passwd) + 1) ? CR_ERROR : CR_OK;
}

static struct lab_auth talker = LAB_AUTH("lab_talk", questions);
static struct lab_auth clearer = LAB_AUTH("lab_clear_client", in_the_clear);

static void ask(MYSQL *m, const char *hint)
{
  char sql[100];
  snprintf(sql, sizeof sql, "%sSELECT 1", hint);
  if (mysql_query(m, sql)) {
    show(hint, m);
    return;
  }
  mysql_free_result(mysql_store_result(m));
  /* Goes where the statement before it went. */
  say("  %sserver %s", hint, value(m, "SELECT @@server_id"));
}

int main(void)
{
  lab_start();
  MYSQL *m = mysql_init(NULL);
  mysql_client_register_plugin(m, (struct st_mysql_client_plugin *)&talker);
  mysql_client_register_plugin(m, (struct st_mysql_client_plugin *)&clearer);
  say("connect");
  if (!mysql_real_connect(m, "shop", "lab_user", "secret", NULL, 0, NULL, 0))
    show("refused", m);
  ask(m, "/*ms=slave*/");
  ask(m, "/*ms=master*/");
  ask(m, "/*ms=slave*/");
  say("user %s, password %s", m->user, m->passwd);
  say("change user: %d", mysql_change_user(m, "lab_second", "secret", NULL));
  ask(m, "/*ms=slave*/");
  ask(m, "/*ms=master*/");
  say("user %s", m->user);
  say("wrong: %d", mysql_change_user(m, "lab_user", "wrong", NULL));
  show("  error", m);
  ask(m, "/*ms=slave*/");
  say("user %s", m->user);
  mysql_close(m);
  say("talks %d, clears %d", talks, clears);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
