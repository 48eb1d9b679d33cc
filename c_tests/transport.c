/*
 * transport.c: the server's name in the TLS greeting, fingerprints of its certificate,
 * and the list of authentication methods that may be used.
 */
#include "lab.h"

/* A scripted server says what it got, while the client waits for it. */
__attribute__((unused))
static void hello(int fd)
{
  unsigned char greeting[256];
  char hello[4096];
  fake_packet(fd, 0, greeting, fake_greeting(greeting, "8.0.99-scripted", FAKE_CAPS | 0x800, "caching_sha2_password"));
  fake_read(fd);
  ssize_t n = recv(fd, hello, sizeof hello, 0);
  say("  TLS greeting %d, with the name %d, with the host %d", n > 5 && hello[0] == 22,
      n > 0 && memmem(hello, (size_t)n, "db.example.net", 14) != NULL,
      n > 0 && memmem(hello, (size_t)n, "127.0.0.1", 9) != NULL);
}

#if LAB_MARIADB_ABI
static void restricted(void)
{
  section("methods that may be used");
  static const char *const lists[] = {"mysql_native_password", "caching_sha2_password,mysql_native_password",
                                      "client_ed25519", "x", "sha256_password, caching_sha2_password"};
  for (int i = 0; i < 5; i++) {
    MYSQL *m = mysql_init(NULL);
    say("%s: set %d", lists[i], mysql_optionsv(m, MARIADB_OPT_RESTRICTED_AUTH, lists[i]) != 0);
    int rc = !mysql_real_connect(m, host(), user(), pass(), db(), port(), NULL, 0);
    show_rc("  connect", rc, m);
    mysql_close(m);
  }
}

static void with_fingerprint(const char *what, const char *fingerprint, const char *list)
{
  MYSQL *m = mysql_init(NULL);
  if (fingerprint)
    mysql_optionsv(m, MARIADB_OPT_SSL_FP, fingerprint);
  if (list)
    mysql_optionsv(m, MARIADB_OPT_SSL_FP_LIST, list);
  show_rc(what, !mysql_real_connect(m, host(), user(), pass(), db(), port(), NULL, 0), m);
  say("  cipher %d", mysql_get_ssl_cipher(m) != NULL);
  mysql_close(m);
}

static void fingerprints(void)
{
  section("fingerprints of the server's certificate");
  char command[600], line[200] = "", plain[100], path[] = "/tmp/lab-list-XXXXXX";
  MYSQL *a = admin();
  snprintf(command, sizeof command, "openssl x509 -noout -fingerprint -sha1 -in %s 2>/dev/null", value(a, "SELECT @@ssl_cert"));
  mysql_close(a);
  FILE *p = popen(command, "r");
  if (p && fgets(line, sizeof line, p))
    line[strcspn(line, "\n")] = 0;
  pclose(p);
  char *good = strchr(line, '=') ? strchr(line, '=') + 1 : "00:11";
  int n = 0;
  for (const char *c = good; *c; c++)
    if (*c != ':')
      plain[n++] = (char)(*c >= 'A' ? *c | 32 : *c);
  plain[n] = 0;
  with_fingerprint("with colons", good, NULL);
  with_fingerprint("without", plain, NULL);
  with_fingerprint("another's", "00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff:00:11:22:33", NULL);
  with_fingerprint("too short", "0011", NULL);
  with_fingerprint("nonsense", "zz112233445566778899aabbccddeeff00112233", NULL);
  FILE *f = fdopen(mkstemp(path), "w");
  fprintf(f, "0011\n%s\r\n%s\n", "ff112233445566778899aabbccddeeff00112233", plain);
  fclose(f);
  with_fingerprint("in a list", NULL, path);
  f = fopen(path, "w");
  fprintf(f, "ff112233445566778899aabbccddeeff00112233\n");
  fclose(f);
  with_fingerprint("not in a list", NULL, path);
  unlink(path);
  with_fingerprint("in a list that is not there", NULL, "/nowhere/at/all");
  with_fingerprint("wrong, but in a list", "0011", path);
}
#else
static void names(void)
{
  section("the server's name in the TLS greeting");
  for (int told = 0; told < 2; told++) {
    struct fake f = fake_start(hello, 1);
    MYSQL *m = mysql_init(NULL);
    unsigned mode = SSL_MODE_REQUIRED;
    mysql_options(m, MYSQL_OPT_SSL_MODE, &mode);
    if (told)
      say("set %d", mysql_options(m, MYSQL_OPT_TLS_SNI_SERVERNAME, "db.example.net"));
    fake_connect(m, f);
    say("  connected %d", mysql_errno(m) == 0);
    mysql_close(m);
    fake_end(f);
  }
}
#endif

int main(void)
{
  lab_start();
#if LAB_MARIADB_ABI
  restricted();
  fingerprints();
#else
  names();
#endif
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
