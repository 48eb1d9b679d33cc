/*
 * connect_string.c: connection strings and lists of hosts in the place of a host, and
 * connect flags that Connector/C refuses. Nothing of it is libmysqlclient's.
 */
#include "lab.h"

#if LAB_MARIADB_ABI
static void try_host(const char *what, const char *text, unsigned long flags)
{
  MYSQL *m = mysql_init(NULL);
  int rc = mysql_real_connect(m, text, NULL, NULL, NULL, 0, NULL, flags) == NULL;
  say("%s", what);
  show_rc("  connect", rc, m);
  if (!rc) {
    say("  host %s info %s port %d user %s schema %s socket %s", or_null(m->host), mysql_get_host_info(m),
        m->port == port(), or_null(m->user), or_null(m->db), or_null(m->unix_socket));
    say("  cipher %d, charset %s, compressed %d, reconnect %d", mysql_get_ssl_cipher(m) != NULL,
        mysql_character_set_name(m), m->options.compress, m->options.reconnect);
    alive(m);
  }
  mysql_close(m);
}

static const char *with(const char *format)
{
  static char text[1000];
  char *out = text;
  for (const char *p = format; *p; p++) {
    const char *value = NULL;
    char number[16];
    if (*p == '$')
      switch (*++p) {
      case 'h': value = host(); break;
      case 'u': value = user(); break;
      case 'p': value = pass(); break;
      case 'd': value = db(); break;
      case 's': value = sock(); break;
      case 'n': snprintf(number, sizeof number, "%u", port()); value = number; break;
      }
    if (value)
      out += sprintf(out, "%s", value);
    else
      *out++ = *p;
  }
  *out = 0;
  return text;
}

static void strings(void)
{
  section("connection strings");
  static const char *const texts[] = {
      "host=$h;user=$u;password=$p;port=$n;database=$d",
      "servername=$h;user=$u;passwd=$p;port=$n;db=$d",
      " host=$h; user=$u; password={$p}; port=$n; unknown=7;",
      "host=$h;user=$u;password=$p;port=$n;tls_enforce=1",
      "host=$h;user=$u;password=$p;port=$n;ssl-enforce=1;default-character-set=latin2;reconnect=1",
      "host=localhost;user=$u;password=$p;socket=$s",
      "host=localhost;user=$u;password=$p;unix_socket=$s;database=$d",
      "host=$h;user=$u;password=$p;port=$n;database=no_such_schema",
      "host=$h;user=$u;password={$p;port=$n",
      "host=$h;user=$u;password={x}}y};port=$n",
      "host=$h;;user=$u",
      "host=$h;=x",
      "{host}=$h;user=$u",
      ";host=$h",
      "connection=host=nowhere;host=$h;user=$u;password=$p;port=$n",
      "host=$h;user=$u;password=$p;port=$n;default-character-set=nonsense",
      "host=127.0.0.1:1,$h;user=$u;password=$p;port=$n",
      "host=;user=$u;password=$p;socket=$s",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    try_host(texts[i], with(texts[i]), 0);
}

static void try_list(const char *what, const char *list, unsigned list_port)
{
  MYSQL *m = mysql_init(NULL);
  int rc = mysql_real_connect(m, list, user(), pass(), db(), list_port, NULL, 0) == NULL;
  say("%s", what);
  show_rc("  connect", rc, m);
  if (!rc)
    say("  host %s port %d info %s", m->host, m->port == port(), mysql_get_host_info(m));
  mysql_close(m);
}

static void lists(void)
{
  section("lists of hosts");
  try_list("the second answers", with("127.0.0.1:1,$h:$n"), 0);
  try_list("with the call's port", with("127.0.0.1:1,$h"), port());
  try_list("a name that is none first", with("no-such-host.invalid,$h:$n"), 0);
  try_list("nobody answers", "127.0.0.1:1,127.0.0.1:2", 0);
  try_list("empty places", with(",,$h:$n,"), 0);
  try_list("in brackets", with("[::1]:1,[$h]:$n"), 0);
  try_list("a colon without a comma", with("$h:$n"), 0);
  /* A server that answers ends the search. */
  MYSQL *m = mysql_init(NULL);
  char list[300];
  snprintf(list, sizeof list, "%s,127.0.0.1:1", with("$h:$n"));
  show_rc("refused by the first", !mysql_real_connect(m, list, user(), "wrong", db(), 0, NULL, 0), m);
  mysql_close(m);
  m = mysql_init(NULL);
  mysql_options(m, MARIADB_OPT_HOST, with("127.0.0.1:1,$h:$n"));
  show_rc("by option", !mysql_real_connect(m, NULL, user(), pass(), db(), 0, NULL, 0), m);
  mysql_close(m);
}

static void flags(void)
{
  section("connect flags");
  for (int bit = 0; bit < 34; bit++) {
    /* Compression, TLS and what decides how messages look belong to other tests. */
    if (bit == 5 || bit == 11 || bit == 26)
      continue;
    MYSQL *m = mysql_init(NULL);
    char what[40];
    snprintf(what, sizeof what, "bit %d", bit);
    show_rc(what, !mysql_real_connect(m, host(), user(), pass(), db(), port(), NULL, 1ul << bit), m);
    mysql_close(m);
  }
}

static void file(void)
{
  section("a connection string in an option file");
  char path[] = "/tmp/lab-string-XXXXXX";
  FILE *f = fdopen(mkstemp(path), "w");
  fprintf(f, "[client]\nconnection=%s\n", with("host=$h;user=$u;password=$p;port=$n;ssl_enforce=1"));
  fclose(f);
  MYSQL *m = mysql_init(NULL);
  mysql_options(m, MYSQL_READ_DEFAULT_FILE, path);
  show_rc("connect", !mysql_real_connect(m, NULL, NULL, NULL, NULL, 0, NULL, 0), m);
  say("host %s cipher %d", or_null(m->host), mysql_get_ssl_cipher(m) != NULL);
  mysql_close(m);
  f = fopen(path, "w");
  fprintf(f, "[client]\nuser=%s\npassword=%s\nssl-verify-server-cert=0\nreconnect=yes\nreport-data-truncation\n", user(), pass());
  fclose(f);
  m = mysql_init(NULL);
  mysql_options(m, MYSQL_READ_DEFAULT_FILE, path);
  show_rc("switches that are no numbers", !mysql_real_connect(m, host(), NULL, NULL, NULL, port(), NULL, 0), m);
  say("reconnect %d, truncation %d", m->options.reconnect, m->options.report_data_truncation);
  mysql_close(m);
  unlink(path);
}
#endif

int main(void)
{
  lab_start();
#if LAB_MARIADB_ABI
  lab_mask(host(), "HOST");
  strings();
  lists();
  flags();
  file();
#endif
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
