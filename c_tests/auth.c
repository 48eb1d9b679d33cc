/*
 * auth.c: logging in: the methods of both servers, with and without TLS, fast and
 * full, by RSA; accounts that are locked, expired, without a password; TLS modes.
 */
#include "lab.h"

static char key_file[] = "/tmp/lab-key-XXXXXX";

enum tls { DEFAULT, OFF, ON };

static MYSQL *with(enum tls tls)
{
  MYSQL *m = mysql_init(NULL);
#if LAB_MARIADB_ABI
  my_bool on = 1;
  if (tls == ON)
    mysql_options(m, MYSQL_OPT_SSL_ENFORCE, &on);
#else
  unsigned int mode = tls == OFF ? SSL_MODE_DISABLED : SSL_MODE_REQUIRED;
  if (tls != DEFAULT)
    mysql_options(m, MYSQL_OPT_SSL_MODE, &mode);
#endif
  return m;
}

/* Connect, and say who the server thinks we are; `m` is closed. */
static void login(const char *what, MYSQL *m, const char *name, const char *password)
{
  if (!mysql_real_connect(m, host(), name, password, NULL, port(), NULL, 0)) {
    show(what, m);
  } else {
    say("%-34s in as %s, TLS %s", what, value(m, "SELECT CURRENT_USER()"), mysql_get_ssl_cipher(m) ? "yes" : "no");
    show_rc("  a statement", mysql_query(m, "DO 1"), m);
  }
  mysql_close(m);
}

static void forget(MYSQL *a)
{
  must(a, "FLUSH PRIVILEGES"); /* empties caching_sha2_password's cache */
}

static void account(MYSQL *a, const char *name, const char *how)
{
  char sql[300];
  snprintf(sql, sizeof sql, "DROP USER IF EXISTS %s@'%%'", name);
  must(a, sql);
  snprintf(sql, sizeof sql, "CREATE USER %s@'%%' %s", name, how);
  must(a, sql);
}

static void by_sha2(MYSQL *a)
{
  section("caching_sha2_password");
  account(a, "auth_sha2", "IDENTIFIED WITH caching_sha2_password BY 'secret one'");
  account(a, "auth_long", "IDENTIFIED WITH caching_sha2_password BY '0123456789012345678901234567890123456789012345678901234567890123456789'");
  forget(a);
  login("full, TLS", with(ON), "auth_sha2", "secret one");
  login("fast, TLS", with(ON), "auth_sha2", "secret one");
  login("fast, plain", with(OFF), "auth_sha2", "secret one");
  login("fast, default", with(DEFAULT), "auth_sha2", "secret one");
  login("wrong, TLS", with(ON), "auth_sha2", "secret two");
  login("wrong, plain", with(OFF), "auth_sha2", "secret two");
  login("none, TLS", with(ON), "auth_sha2", "");
  forget(a);
  login("full, plain, no key asked for", with(OFF), "auth_sha2", "secret one");
  forget(a);
#if !LAB_MARIADB_ABI
  my_bool yes = 1;
  MYSQL *m = with(OFF);
  mysql_options(m, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &yes);
  login("full, plain, key asked for", m, "auth_sha2", "secret one");
  forget(a);
  m = with(OFF);
  mysql_options(m, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &yes);
  login("wrong, plain, key asked for", m, "auth_sha2", "secret two");
  forget(a);
#endif
  must(a, "SELECT 1");
  if (mysql_query(a, "SHOW STATUS LIKE 'Caching_sha2_password_rsa_public_key'") == 0) {
    MYSQL_RES *r = mysql_store_result(a);
    MYSQL_ROW row = mysql_fetch_row(r);
    int fd = mkstemp(key_file);
    lab_mask(key_file, "KEYFILE");
    say("the server shows its key: %d", row != NULL);
    if (row)
      (void)!write(fd, row[1], strlen(row[1]));
    close(fd);
    mysql_free_result(r);
    MYSQL *k = with(OFF);
    mysql_options(k, MYSQL_SERVER_PUBLIC_KEY, key_file);
    login("full, plain, key from a file", k, "auth_sha2", "secret one");
    forget(a);
    k = with(OFF);
    mysql_options(k, MYSQL_SERVER_PUBLIC_KEY, key_file);
    login("long password, key from a file", k, "auth_long",
          "0123456789012345678901234567890123456789012345678901234567890123456789");
    unlink(key_file);
  }
  forget(a);
  MYSQL *u = mysql_init(NULL);
  mysql_real_connect(u, "localhost", "auth_sha2", "secret one", NULL, 0, sock(), 0);
  show("full, Unix socket", u);
  mysql_close(u);
}

static void by_native(MYSQL *a)
{
  section("mysql_native_password");
  account(a, "auth_native", "IDENTIFIED VIA mysql_native_password USING PASSWORD('secret')");
  login("plain", with(OFF), "auth_native", "secret");
  login("TLS", with(ON), "auth_native", "secret");
  login("default", with(DEFAULT), "auth_native", "secret");
  login("wrong", with(OFF), "auth_native", "secreT");
  login("none", with(OFF), "auth_native", NULL);
  MYSQL *m = with(OFF);
  mysql_options(m, MYSQL_DEFAULT_AUTH, "caching_sha2_password");
  login("switched from caching_sha2", m, "auth_native", "secret");
}

static void accounts(MYSQL *a)
{
  section("accounts in trouble");
  account(a, "auth_empty", "");
  login("no password wanted", with(DEFAULT), "auth_empty", NULL);
  login("no password wanted, empty", with(DEFAULT), "auth_empty", "");
  login("no password wanted, one given", with(DEFAULT), "auth_empty", "x");
  account(a, "auth_locked", "IDENTIFIED BY 'pw' ACCOUNT LOCK");
  login("locked", with(ON), "auth_locked", "pw");
  account(a, "auth_expired", "IDENTIFIED BY 'pw' PASSWORD EXPIRE");
  login("expired", with(ON), "auth_expired", "pw");
  account(a, "auth_tls", "IDENTIFIED BY 'pw' REQUIRE SSL");
  login("TLS wanted, plain", with(OFF), "auth_tls", "pw");
  login("TLS wanted, given", with(ON), "auth_tls", "pw");
  account(a, "auth_cert", "IDENTIFIED BY 'pw' REQUIRE X509");
  login("certificate wanted, none", with(ON), "auth_cert", "pw");
  MYSQL *m = with(ON);
  mysql_options(m, MYSQL_OPT_SSL_CERT, lab_env("MS_CLIENT_CERT"));
  mysql_options(m, MYSQL_OPT_SSL_KEY, lab_env("MS_CLIENT_KEY"));
  login("certificate wanted, given", m, "auth_cert", "pw");
  m = with(ON);
  mysql_options(m, MYSQL_OPT_SSL_CERT, lab_env("MS_CLIENT_CERT"));
  mysql_options(m, MYSQL_OPT_SSL_KEY, lab_env("MS_CA"));
  if (!mysql_real_connect(m, host(), "auth_cert", "pw", NULL, port(), NULL, 0))
    say("key that is none: %u %s", mysql_errno(m), mysql_sqlstate(m));
  mysql_close(m);
  account(a, "auth_limit", "IDENTIFIED BY 'pw' WITH MAX_USER_CONNECTIONS 1");
  MYSQL *first = with(ON);
  mysql_real_connect(first, host(), "auth_limit", "pw", NULL, port(), NULL, 0);
  show("the first of one", first);
  login("the second of one", with(ON), "auth_limit", "pw");
  mysql_close(first);
}

static void protocols(void)
{
  section("ways to connect");
  static const struct { unsigned int protocol; const char *name; } ways[] = {
      {MYSQL_PROTOCOL_DEFAULT, "default"}, {MYSQL_PROTOCOL_TCP, "tcp"}, {MYSQL_PROTOCOL_SOCKET, "socket"}};
  static const char *const hosts[] = {NULL, "localhost", "127.0.0.1", ""};
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
    for (size_t h = 0; h < sizeof hosts / sizeof *hosts; h++) {
      MYSQL *m = mysql_init(NULL);
      mysql_options(m, MYSQL_OPT_PROTOCOL, &ways[w].protocol);
      if (mysql_real_connect(m, hosts[h], user(), pass(), NULL, port(), sock(), 0))
        say("%s, host %s: %s", ways[w].name, or_null(hosts[h]), mysql_get_host_info(m));
      else
        show(ways[w].name, m);
      mysql_close(m);
    }
  unsigned int memory = MYSQL_PROTOCOL_MEMORY;
  MYSQL *m = mysql_init(NULL);
  mysql_options(m, MYSQL_OPT_PROTOCOL, &memory);
  mysql_real_connect(m, host(), user(), pass(), NULL, port(), NULL, 0);
  show("shared memory", m);
  mysql_close(m);
}

int main(void)
{
  lab_start();
  MYSQL *a = admin();
  /* First: libmysqlclient keeps an RSA key that it was given for all later handles of the process. */
  accounts(a);
  if (server_is_mysql())
    by_sha2(a);
  else
    by_native(a);
  protocols();
  static const char *const names[] = {"sha2", "long", "native", "empty", "locked", "expired", "tls", "cert", "limit"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char sql[80];
    snprintf(sql, sizeof sql, "DROP USER IF EXISTS auth_%s@'%%'", names[i]);
    must(a, sql);
  }
  mysql_close(a);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
