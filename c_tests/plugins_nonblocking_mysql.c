/*
 * plugins_nonblocking_mysql.c: authentication plugins of the program's in non-blocking
 * connects of libmysqlclient: with a form of their own for them, and without.
 *
 * The servers have plugins of ours (tests/harness/src/server_auth.c).
 */
#include "lab.h"
#include "plugin.h"

static int calls, waits;

/* Answers as lab_talk wants it, waiting. */
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

/* The same in steps. */
static enum net_async_status steps(MYSQL_PLUGIN_VIO *vio, MYSQL *m, int *result)
{
  static int round, writing, length;
  static char answer[200];
  calls++;
  for (;;) {
    unsigned char *packet;
    int done = 0;
    if (!writing) {
      if (vio->read_packet_nonblocking(vio, &packet, &done) == NET_ASYNC_NOT_READY) {
        waits++;
        return NET_ASYNC_NOT_READY;
      }
      if (done < 0 || done == 0 || packet[0] == 0) {
        *result = done < 0 ? CR_ERROR : CR_OK_HANDSHAKE_COMPLETE;
        round = 0;
        return NET_ASYNC_COMPLETE;
      }
      length = snprintf(answer, sizeof answer, "A%d:%s", round++, m->passwd);
      writing = 1;
    }
    if (vio->write_packet_nonblocking(vio, (unsigned char *)answer, length, &done) == NET_ASYNC_NOT_READY)
      return NET_ASYNC_NOT_READY;
    writing = 0;
    if (done) {
      *result = CR_ERROR;
      round = 0;
      return NET_ASYNC_COMPLETE;
    }
  }
}

static struct lab_auth talker = LAB_AUTH("lab_talk", questions);

static void login(const char *what, const char *auth, const char *password, int tls)
{
  MYSQL *m = mysql_init(NULL);
  unsigned int mode = tls ? SSL_MODE_REQUIRED : SSL_MODE_DISABLED;
  mysql_options(m, MYSQL_OPT_SSL_MODE, &mode);
  if (auth)
    mysql_options(m, MYSQL_DEFAULT_AUTH, auth);
  calls = waits = 0;
  enum net_async_status status;
  while ((status = mysql_real_connect_nonblocking(m, host(), "lab_steps", password, NULL, port(), NULL, 0)) == NET_ASYNC_NOT_READY) {
    struct pollfd p = {.fd = m->net.fd, .events = POLLIN};
    poll(&p, 1, 1);
  }
  say("%s, TLS %d: status %d", what, tls, status);
  if (status != NET_ASYNC_COMPLETE)
    show("  refused", m);
  else
    say("  in as %s", value(m, "SELECT CURRENT_USER()"));
  /* In steps it depends on how quick the server is, and on whether the library takes them after a switch. */
  say("  called: %d", calls > 0);
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
  for (int form = 0; form < 2; form++) {
    section(form ? "in steps" : "at a stretch");
    talker.authenticate_user_nonblocking = form ? steps : NULL;
    for (int tls = 0; tls < 2; tls++) {
      login("by the server's wish", NULL, "secret", tls);
      login("wrong", NULL, "wrong", tls);
      login("by default", "lab_talk", "secret", tls);
    }
  }
  must(a, "DROP USER lab_steps@'%'");
  mysql_close(a);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
