/*
 * plugins_nonblocking_mariadb.c: authentication plugins of the program's in connects that
 * the program drives itself (Connector/C's _start and _cont).
 *
 * The servers have plugins of ours (tests/harness/src/server_auth.c).
 */
#include "lab.h"
#include "plugin.h"

static int calls;

/* Answers as lab_talk wants it. */
static int questions(MYSQL_PLUGIN_VIO *vio, MYSQL *m)
{
  calls++;
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

static struct lab_auth talker = LAB_AUTH("lab_talk", questions);

static int await(MYSQL *m, int status)
{
  struct pollfd p = {.fd = mysql_get_socket(m)};
  p.events = (status & MYSQL_WAIT_READ ? POLLIN : 0) | (status & MYSQL_WAIT_WRITE ? POLLOUT : 0);
  int rc = poll(&p, 1, status & MYSQL_WAIT_TIMEOUT ? (int)mysql_get_timeout_value_ms(m) : -1);
  if (rc == 0)
    return MYSQL_WAIT_TIMEOUT;
  return (p.revents & POLLIN ? MYSQL_WAIT_READ : 0) | (p.revents & POLLOUT ? MYSQL_WAIT_WRITE : 0);
}

static void login(const char *what, const char *auth, const char *password, int tls)
{
  MYSQL *m = mysql_init(NULL), *got = NULL;
  my_bool on = 1;
  mysql_options(m, MYSQL_OPT_NONBLOCK, NULL);
  if (tls)
    mysql_options(m, MYSQL_OPT_SSL_ENFORCE, &on);
  if (auth)
    mysql_options(m, MYSQL_DEFAULT_AUTH, auth);
  calls = 0;
  int status = mysql_real_connect_start(&got, m, host(), "lab_steps", password, NULL, port(), NULL, 0);
  while (status)
    status = mysql_real_connect_cont(&got, m, await(m, status));
  say("%s, TLS %d: %d", what, tls, got == m);
  if (!got)
    show("  refused", m);
  else
    say("  in as %s", value(m, "SELECT CURRENT_USER()"));
  say("  called %d", calls);
  mysql_close(m);
}

int main(void)
{
  lab_start();
  MYSQL *a = admin();
  must(a, "DROP USER IF EXISTS lab_steps@'%'");
  must(a, server_is_mysql() ? "CREATE USER lab_steps@'%' IDENTIFIED WITH lab_talk AS 'secret'"
                            : "CREATE USER lab_steps@'%' IDENTIFIED VIA lab_talk USING 'secret'");
  mysql_client_register_plugin(a, (struct st_mysql_client_plugin *)&talker);
  for (int tls = 0; tls < 2; tls++) {
    login("by the server's wish", NULL, "secret", tls);
    login("by default", "lab_talk", "secret", tls);
    login("wrong", NULL, "wrong", tls);
  }
  must(a, "DROP USER lab_steps@'%'");
  mysql_close(a);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
