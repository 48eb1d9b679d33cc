/*
 * tls.c: how much TLS a program asks for, with which authority, under which name of
 * the host, with which certificate of its own: who gets in, and what the others read.
 */
#include "lab.h"

static char both[] = "/tmp/lab-both-XXXXXX", empty[] = "/tmp/lab-empty-XXXXXX", text[] = "/tmp/lab-text-XXXXXX";

static void copy(int to, const char *path)
{
  char buffer[8192];
  int from = open(path, O_RDONLY);
  ssize_t n;
  while ((n = read(from, buffer, sizeof buffer)) > 0)
    (void)!write(to, buffer, (size_t)n);
  close(from);
}

static void make_files(void)
{
  int fd = mkstemp(both);
  copy(fd, lab_env("MS_CLIENT_CERT"));
  copy(fd, lab_env("MS_CLIENT_KEY"));
  close(fd);
  close(mkstemp(empty));
  fd = mkstemp(text);
  (void)!write(fd, "not a certificate\n", 18);
  close(fd);
}

struct file { const char *name, *path; };

static struct file files[8];

static void name_files(void)
{
  struct file all[] = {{"no", NULL},
                       {"the right", lab_env("MS_CA")},
                       {"another", lab_env("MS_OTHER_CA")},
                       {"a missing", "/nowhere/at/all.pem"},
                       {"an empty", empty},
                       {"a text as", text}};
  memcpy(files, all, sizeof all);
}

/* Connector/C tells of a file that it cannot use in whatever words OpenSSL has left over. */
static int numbers_only;

static void attempt(const char *what, MYSQL *m, const char *where, const char *name, const char *password)
{
  unsigned int tcp = MYSQL_PROTOCOL_TCP;
  mysql_options(m, MYSQL_OPT_PROTOCOL, &tcp);
  if (mysql_real_connect(m, where, name, password, db(), port(), NULL, 0))
    say("%-52s in, TLS %s, %s", what, mysql_get_ssl_cipher(m) ? "yes" : "no", value(m, "SELECT 7"));
  else if (numbers_only)
    say("%-52s %u %s", what, mysql_errno(m), mysql_sqlstate(m));
  else
    show(what, m);
  mysql_close(m);
}

#if LAB_MARIADB_ABI
static MYSQL *with(const char *ca, int enforce, int verify)
{
  MYSQL *m = mysql_init(NULL);
  my_bool on = 1, off = 0;
  if (ca)
    mysql_ssl_set(m, NULL, NULL, ca, NULL, NULL);
  if (enforce >= 0)
    mysql_options(m, MYSQL_OPT_SSL_ENFORCE, enforce ? &on : &off);
  if (verify >= 0)
    mysql_options(m, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, verify ? &on : &off);
  return m;
}

static void authorities(void)
{
  static const char *const hosts[] = {"127.0.0.1", "localhost", "127.1"};
  char what[120];
  section("authorities and names of the host");
  for (int f = 0; f < 6; f++)
    for (int enforce = -1; enforce < 2; enforce++)
      for (int verify = -1; verify < 2; verify++)
        for (int h = 0; h < 3; h++) {
          if (h && verify != 1 && f != 1)
            continue;
          numbers_only = f > 2;
          snprintf(what, sizeof what, "%s CA, enforce %d, verify %d, %s", files[f].name, enforce, verify, hosts[h]);
          attempt(what, with(files[f].path, enforce, verify), hosts[h], user(), pass());
          numbers_only = 0;
        }
}
#else
static MYSQL *with(const char *ca, int mode)
{
  MYSQL *m = mysql_init(NULL);
  unsigned int number = (unsigned)mode;
  if (mode)
    mysql_options(m, MYSQL_OPT_SSL_MODE, &number);
  if (ca)
    mysql_options(m, MYSQL_OPT_SSL_CA, ca);
  return m;
}

static void authorities(void)
{
  static const char *const modes[] = {"none said", "disabled", "preferred", "required", "verify-ca", "verify-identity"};
  static const char *const hosts[] = {"127.0.0.1", "localhost", "127.1"};
  char what[120];
  section("authorities and names of the host");
  for (int f = 0; f < 6; f++)
    for (int mode = 0; mode <= SSL_MODE_VERIFY_IDENTITY; mode++)
      for (int h = 0; h < 3; h++) {
        if (h && mode < SSL_MODE_VERIFY_CA)
          continue;
        snprintf(what, sizeof what, "%s CA, %s, %s", files[f].name, modes[mode], hosts[h]);
        attempt(what, with(files[f].path, mode), hosts[h], user(), pass());
      }
}
#endif

static void certificates(MYSQL *a)
{
  section("the client's own certificate");
  must(a, "DROP USER IF EXISTS tls_cert@'%', tls_name@'%', tls_any@'%'");
  must(a, "CREATE USER tls_cert@'%' IDENTIFIED BY 'pw' REQUIRE X509");
  must(a, "CREATE USER tls_name@'%' IDENTIFIED BY 'pw' REQUIRE SUBJECT '/CN=client' ISSUER '/CN=harness test CA'");
  must(a, "CREATE USER tls_any@'%' IDENTIFIED BY 'pw' REQUIRE SSL");
  must(a, "GRANT ALL ON test.* TO tls_cert@'%', tls_name@'%', tls_any@'%'");
  static const char *const accounts[] = {"tls_cert", "tls_name", "tls_any"};
  struct file certs[] = {{"no", NULL},
                         {"the", lab_env("MS_CLIENT_CERT")},
                         {"a joint", both},
                         {"another's", lab_env("MS_CA")},
                         {"a missing", "/nowhere/at/all.pem"},
                         {"a text as", text}};
  struct file keys[] = {{"no", NULL},
                        {"the", lab_env("MS_CLIENT_KEY")},
                        {"a joint", both},
                        {"a missing", "/nowhere/at/all.pem"},
                        {"a text as", text}};
  char what[120];
  for (size_t c = 0; c < sizeof certs / sizeof *certs; c++)
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
      for (size_t n = 0; n < 3; n++) {
        if (n && (c > 1 || k > 1))
          continue;
#if LAB_MARIADB_ABI
        MYSQL *m = with(NULL, 1, -1);
#else
        MYSQL *m = with(NULL, SSL_MODE_REQUIRED);
#endif
        if (keys[k].path)
          mysql_options(m, MYSQL_OPT_SSL_KEY, keys[k].path);
        if (certs[c].path)
          mysql_options(m, MYSQL_OPT_SSL_CERT, certs[c].path);
        snprintf(what, sizeof what, "%s: %s certificate, %s key", accounts[n], certs[c].name, keys[k].name);
        numbers_only = LAB_MARIADB_ABI && (c || k);
        attempt(what, m, host(), accounts[n], "pw");
        numbers_only = 0;
      }
  must(a, "DROP USER tls_cert@'%', tls_name@'%', tls_any@'%'");
}

static void versions(void)
{
  section("versions");
  static const char *const lists[] = {"TLSv1.2", "TLSv1.3", "TLSv1.2,TLSv1.3", "TLSv1.3,TLSv1.2", "", "TLSv9"};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
#if LAB_MARIADB_ABI
    MYSQL *m = with(NULL, 1, -1);
    int rc = mysql_options(m, MARIADB_OPT_TLS_VERSION, lists[i]);
#else
    MYSQL *m = with(NULL, SSL_MODE_REQUIRED);
    int rc = mysql_options(m, MYSQL_OPT_TLS_VERSION, lists[i]);
#endif
    char what[60];
    snprintf(what, sizeof what, "'%s' set %d", lists[i], rc);
    attempt(what, m, host(), user(), pass());
  }
}

static void deaths(void)
{
  section("the end of a server's thread, over TLS");
#if LAB_MARIADB_ABI
  MYSQL *m = with(NULL, 1, -1);
#else
  MYSQL *m = with(NULL, SSL_MODE_REQUIRED);
#endif
  connected_to(m, db(), 0);
  say("TLS %s", mysql_get_ssl_cipher(m) ? "yes" : "no");
  kill_from_outside(m);
  for (int i = 0; i < 3; i++) {
    int rc = mysql_query(m, "SELECT 1");
    /* Connector/C tells of the first one in OpenSSL's words, 2026; a lost connection is 2013. */
    stricter = LAB_MARIADB_ABI && i == 0;
    show_rc("statement", rc, m);
    stricter = 0;
  }
  mysql_close(m);
}

static const char *early;

static void s_early(int fd)
{
  unsigned char p[300] = {0xFF};
  p[1] = 1040 & 255, p[2] = 1040 >> 8;
  size_t n = 3 + (size_t)sprintf((char *)p + 3, "%s", early);
  fake_packet(fd, 0, p, n);
}

static void early_errors(void)
{
  section("errors in front of TLS, of whom nobody knows who sent them");
  static const char *const texts[] = {"Too many connections", "#08004Too many connections"};
  for (size_t t = 0; t < 2; t++)
    for (int mode = 0; mode < 4; mode++) {
      early = texts[t];
      struct fake f = fake_start(s_early, 1);
#if LAB_MARIADB_ABI
      MYSQL *m = with(mode == 3 ? lab_env("MS_CA") : NULL, mode > 0 ? 1 : -1, mode > 1 ? 1 : -1);
#else
      static const int modes[] = {0, SSL_MODE_DISABLED, SSL_MODE_REQUIRED, SSL_MODE_VERIFY_CA};
      MYSQL *m = with(lab_env("MS_CA"), modes[mode]);
#endif
      fake_connect(m, f);
      char what[60];
      snprintf(what, sizeof what, "%s, %d", texts[t], mode);
      show(what, m);
      mysql_close(m);
      fake_end(f);
    }
}

/* mysql_ssl_set asks for TLS, in one library even when it names no file. */
static void nothing_named(void)
{
  section("mysql_ssl_set without a file");
  MYSQL *m = mysql_init(NULL);
  say("returns %d", mysql_ssl_set(m, NULL, NULL, NULL, NULL, NULL) != 0);
#if LAB_MARIADB_ABI
  my_bool on = 7;
  mysql_get_optionv(m, MYSQL_OPT_SSL_ENFORCE, &on);
  say("enforced %d", on);
#endif
  attempt("nothing named", m, "127.0.0.1", user(), pass());
#if LAB_MARIADB_ABI
  m = mysql_init(NULL);
  on = 0;
  mysql_ssl_set(m, NULL, NULL, NULL, NULL, NULL);
  mysql_options(m, MYSQL_OPT_SSL_ENFORCE, &on);
  attempt("nothing named, then not enforced", m, "127.0.0.1", user(), pass());
#endif
}

int main(void)
{
  lab_start();
  make_files();
  name_files();
  MYSQL *a = admin();
  authorities();
  nothing_named();
  certificates(a);
  versions();
  deaths();
  early_errors();
  mysql_close(a);
  unlink(both);
  unlink(empty);
  unlink(text);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
