/*
 * crl.c: certificate revocation lists, in a file and in a folder, and a private key
 * under a pass phrase.
 */
#include "lab.h"
#include <sys/stat.h>

static char folder[] = "/tmp/lab-crls-XXXXXX", text[] = "/tmp/lab-text-XXXXXX", linked[300];

static const char *tls(const char *file)
{
  static char paths[8][300];
  static int n;
  char *path = paths[n++ % 8];
  snprintf(path, 300, "%s", lab_env("MS_CA"));
  snprintf(strrchr(path, '/') + 1, 100, "%s", file);
  return path;
}

/* Puts a list into the folder under the name that OpenSSL looks for. */
static void put(const char *list)
{
  char command[400], hash[20] = "";
  snprintf(command, sizeof command, "openssl crl -hash -noout -in %s", tls(list));
  FILE *p = popen(command, "r");
  if (!p || !fgets(hash, sizeof hash, p))
    say("no openssl");
  pclose(p);
  unlink(linked);
  hash[strcspn(hash, "\n")] = 0;
  snprintf(linked, sizeof linked, "%s/%s.r0", folder, hash);
  (void)!symlink(tls(list), linked);
}

static void attempt(const char *what, int level, const char *crl, const char *path)
{
  MYSQL *m = mysql_init(NULL);
#if LAB_MARIADB_ABI
  my_bool on = 1;
  mysql_options(m, MYSQL_OPT_SSL_ENFORCE, &on);
  if (level)
    mysql_options(m, MYSQL_OPT_SSL_CA, lab_env("MS_CA"));
  if (level > 1)
    mysql_options(m, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &on);
#else
  unsigned int modes[] = {SSL_MODE_REQUIRED, SSL_MODE_VERIFY_CA, SSL_MODE_VERIFY_IDENTITY};
  mysql_options(m, MYSQL_OPT_SSL_MODE, &modes[level]);
  if (level)
    mysql_options(m, MYSQL_OPT_SSL_CA, lab_env("MS_CA"));
#endif
  if (crl)
    mysql_options(m, MYSQL_OPT_SSL_CRL, crl);
  if (path)
    mysql_options(m, MYSQL_OPT_SSL_CRLPATH, path);
  if (mysql_real_connect(m, host(), user(), pass(), db(), port(), NULL, 0))
    say("%d %-20s in, TLS %s, %s", level, what, mysql_get_ssl_cipher(m) ? "yes" : "no", value(m, "SELECT 7"));
  else
    /* OpenSSL's words for what it could not read are those of whatever it tried last. */
    say("%d %-20s %u %s %s", level, what, mysql_errno(m), mysql_sqlstate(m),
        strstr(mysql_error(m), "paths") || strstr(what, "text") || strstr(what, "missing") ? "" : mysql_error(m));
  mysql_close(m);
}

int main(void)
{
  lab_start();
  lab_mask(folder, "FOLDER");
  (void)!mkdtemp(folder);
  int fd = mkstemp(text);
  (void)!write(fd, "not a list\n", 11);
  close(fd);
  static const char *const lists[] = {"crl.pem", "crl-revoked.pem", "crl-expired.pem", "crl-other.pem"};
  for (int level = 0; level < 3; level++) {
    section("verification %d", level);
    attempt("no list", level, NULL, NULL);
    for (int n = 0; n < 4; n++) {
      char what[60];
      snprintf(what, sizeof what, "%s", lists[n]);
      attempt(what, level, tls(lists[n]), NULL);
      put(lists[n]);
      snprintf(what, sizeof what, "folder, %s", lists[n]);
      attempt(what, level, NULL, folder);
    }
    attempt("missing file", level, "/nowhere/at/all.pem", NULL);
    attempt("text", level, text, NULL);
    attempt("missing folder", level, NULL, "/nowhere");
    attempt("the authority", level, lab_env("MS_CA"), NULL);
  }
  unlink(linked);
  rmdir(folder);
  unlink(text);
#if LAB_MARIADB_ABI
  section("a key under a pass phrase");
  MYSQL *a = admin();
  must(a, "DROP USER IF EXISTS crl_cert@'%'");
  must(a, "CREATE USER crl_cert@'%' IDENTIFIED BY 'pw' REQUIRE X509");
  static const char *const words[] = {NULL, "open sesame", "open", ""};
  for (int n = 1; n < 4; n++)
    for (int plain = 0; plain < 2; plain++) {
      MYSQL *m = mysql_init(NULL);
      mysql_ssl_set(m, plain ? lab_env("MS_CLIENT_KEY") : tls("client-key-encrypted.pem"), lab_env("MS_CLIENT_CERT"), NULL,
                    NULL, NULL);
      if (words[n])
        mysql_optionsv(m, MARIADB_OPT_TLS_PASSPHRASE, words[n]);
      char *kept = NULL;
      mysql_get_optionv(m, MARIADB_OPT_TLS_PASSPHRASE, &kept);
      if (mysql_real_connect(m, host(), "crl_cert", "pw", NULL, port(), NULL, 0))
        say("%s, plain %d: in, option %s", words[n], plain, kept);
      else
        say("%s, plain %d: %u", words[n], plain, mysql_errno(m));
      mysql_close(m);
    }
  must(a, "DROP USER crl_cert@'%'");
  mysql_close(a);
#endif
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
