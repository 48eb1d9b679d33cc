/*
 * tls_session.c: TLS sessions that libmysqlclient's programs keep and resume.
 */
#include "lab.h"

static MYSQL *over_tls(const void *session, int mode, const char *ca)
{
  MYSQL *m = mysql_init(NULL);
  unsigned int number = (unsigned)mode, tcp = MYSQL_PROTOCOL_TCP;
  bool yes = true;
  mysql_options(m, MYSQL_OPT_SSL_MODE, &number);
  mysql_options(m, MYSQL_OPT_PROTOCOL, &tcp);
  mysql_options(m, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &yes); /* for those without TLS */
  if (ca)
    mysql_options(m, MYSQL_OPT_SSL_CA, ca);
  if (session)
    say("set %d", mysql_options(m, MYSQL_OPT_SSL_SESSION_DATA, session));
  return m;
}

static void attempt(const char *what, MYSQL *m)
{
  if (!mysql_real_connect(m, host(), user(), pass(), db(), port(), NULL, 0)) {
    show(what, m);
    mysql_close(m);
    return;
  }
  say("%s: TLS %d, reused %d, %s", what, mysql_get_ssl_cipher(m) != NULL, mysql_get_ssl_session_reused(m),
      value(m, "SELECT 7"));
  unsigned int length = 0;
  char *data = mysql_get_ssl_session_data(m, 0, &length);
  say("  data %d of its length %d, with both marks %d", data != NULL, data && strlen(data) == length,
      data && strstr(data, "-----BEGIN SSL SESSION PARAMETERS-----\n") == data &&
        strstr(data, "-----END SSL SESSION PARAMETERS-----\n") != NULL);
  if (data)
    say("  freed %d", mysql_free_ssl_session_data(m, data));
  mysql_close(m);
}

int main(void)
{
  lab_start();

  section("none");
  MYSQL *m = mysql_init(NULL);
  unsigned int length = 5;
  char *data = mysql_get_ssl_session_data(m, 0, &length);
  say("data %d, length %u, reused %d", data != NULL, length, mysql_get_ssl_session_reused(m));
  show("not connected", m);
  mysql_get_option(m, MYSQL_OPT_SSL_SESSION_DATA, &data);
  say("option %s", or_null(data));
  mysql_close(m);
  m = over_tls(NULL, SSL_MODE_DISABLED, NULL);
  connected_to(m, db(), 0);
  say("data %d, reused %d", mysql_get_ssl_session_data(m, 0, NULL) != NULL, mysql_get_ssl_session_reused(m));
  show("no TLS", m);
  mysql_close(m);

  static const char *const versions[] = {"TLSv1.3", "TLSv1.2"};
  for (int v = 0; v < 2; v++) {
    section("%s", versions[v]);
    m = over_tls(NULL, SSL_MODE_REQUIRED, NULL);
    mysql_options(m, MYSQL_OPT_TLS_VERSION, versions[v]);
    connected_to(m, db(), 0);
    say("reused %d", mysql_get_ssl_session_reused(m));
    say("another ticket %d", mysql_get_ssl_session_data(m, 1, &length) != NULL);
    show("another ticket", m);
    data = mysql_get_ssl_session_data(m, 0, &length);
    say("data %d", data != NULL && strlen(data) == length);
    for (int i = 0; i < 4; i++) {
      MYSQL *other = over_tls(data, SSL_MODE_REQUIRED, NULL);
      const char *told = NULL;
      mysql_options(other, MYSQL_OPT_TLS_VERSION, versions[v]);
      mysql_get_option(other, MYSQL_OPT_SSL_SESSION_DATA, &told);
      say("the same back %d", told && !strcmp(told, data));
      attempt("one after the other", other);
    }
    say("freed %d", mysql_free_ssl_session_data(m, data));
    mysql_close(m);
  }

  section("a session that the server does not know any more");
  MYSQL *a = admin();
  m = over_tls(NULL, SSL_MODE_REQUIRED, NULL);
  connected_to(m, db(), 0);
  data = mysql_get_ssl_session_data(m, 0, NULL);
  must(a, server_is_mysql() ? "ALTER INSTANCE RELOAD TLS" : "FLUSH SSL");
  attempt("afterwards", over_tls(data, SSL_MODE_REQUIRED, NULL));
  mysql_free_ssl_session_data(m, data);
  mysql_close(m);
  mysql_close(a);

  section("no session at all");
  attempt("a text", over_tls("not a session", SSL_MODE_REQUIRED, NULL));
  attempt("marks only", over_tls("-----BEGIN SSL SESSION PARAMETERS-----\n-----END SSL SESSION PARAMETERS-----\n",
                                 SSL_MODE_REQUIRED, NULL));
  attempt("an empty text", over_tls("", SSL_MODE_REQUIRED, NULL));
  attempt("without TLS", over_tls("not a session", SSL_MODE_DISABLED, NULL));
  say("freed NULL %d", mysql_free_ssl_session_data(NULL, NULL));

  section("a verified one");
  m = over_tls(NULL, SSL_MODE_VERIFY_CA, lab_env("MS_CA"));
  connected_to(m, db(), 0);
  data = mysql_get_ssl_session_data(m, 0, NULL);
  attempt("the same authority", over_tls(data, SSL_MODE_VERIFY_CA, lab_env("MS_CA")));
  mysql_free_ssl_session_data(m, data);
  mysql_close(m);

  section("cipher suites");
  static const char *const lists[] = {"TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256",
                                      "TLS_NONE:TLS_AES_128_GCM_SHA256"};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    m = over_tls(NULL, SSL_MODE_REQUIRED, NULL);
    mysql_options(m, MYSQL_OPT_TLS_VERSION, "TLSv1.3");
    mysql_options(m, MYSQL_OPT_TLS_CIPHERSUITES, lists[i]);
    if (mysql_real_connect(m, host(), user(), pass(), db(), port(), NULL, 0))
      say("%s: %s", lists[i], mysql_get_ssl_cipher(m));
    else
      show(lists[i], m);
    mysql_close(m);
  }
  static const char *const none[] = {"", "TLS_NONE", "AES128"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    m = over_tls(NULL, SSL_MODE_REQUIRED, NULL);
    mysql_options(m, MYSQL_OPT_TLS_VERSION, "TLSv1.3");
    mysql_options(m, MYSQL_OPT_TLS_CIPHERSUITES, none[i]);
    say("'%s': %d, errno %u", none[i], mysql_real_connect(m, host(), user(), pass(), db(), port(), NULL, 0) != NULL,
        mysql_errno(m));
    mysql_close(m);
  }

  mysql_library_end();
  printf("\nend\n");
  return 0;
}
