/*
 * handle.c: MYSQL in memory of the program: copied away, zeroed, closed, made
 * again; options set and read back; the public fields that drivers read.
 */
#include "lab.h"

static void public_fields(const char *what, MYSQL *m)
{
  say("%s:", what);
#if LAB_MARIADB_ABI
  say("  pvio=%s", m->net.pvio ? "set" : "NULL");
#else
  say("  vio=%s", m->net.vio ? "set" : "NULL");
#endif
  int type = 0;
  socklen_t length = sizeof type;
  int is_socket = (int)m->net.fd >= 0 && getsockopt((int)m->net.fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0;
  say("  fd %s, a socket %d", (int)m->net.fd == -1 ? "-1" : (int)m->net.fd < 0 ? "<0" : "open", is_socket);
  say("  errno=%u error=%s state=%s", m->net.last_errno, m->net.last_error, m->net.sqlstate);
  say("  server_status=%u status=%d client_flag has 4.1 %d", m->server_status & ~0x22u, (int)m->status,
      (m->client_flag & CLIENT_PROTOCOL_41) != 0);
  say("  capabilities: transactions %d, 4.1 %d", (m->server_capabilities & CLIENT_TRANSACTIONS) != 0,
      (m->server_capabilities & CLIENT_PROTOCOL_41) != 0);
  say("  host=%s user=%s passwd=%s unix_socket=%s port=%u db=%s", or_null(m->host), or_null(m->user),
      or_null(m->passwd), or_null(m->unix_socket), m->port, or_null(m->db));
  say("  server_version %s, host_info %s", m->server_version ? "set" : "NULL", or_null(m->host_info));
  say("  affected=%lld field_count=%u warnings=%u info=%s", (long long)m->affected_rows, m->field_count,
      m->warning_count, or_null(m->info));
}

static void in_own_memory(void)
{
  section("a handle in the program's memory");
  MYSQL own;
  memset(&own, 0xA5, sizeof own);
  say("init gives it back: %d", mysql_init(&own) == &own);
  show("fresh", &own);
  mysql_close(&own);
  say("closed without a connection");

  memset(&own, 0, sizeof own);
  mysql_init(&own);
  if (!mysql_real_connect(&own, host(), user(), pass(), db(), port(), NULL, 0))
    show("connect", &own);
  public_fields("connected", &own);
  alive(&own);
  query(&own, "SELECT 1 AS a, 2 AS b");
  public_fields("a result waits", &own);
  MYSQL_RES *r = mysql_store_result(&own);
  public_fields("stored", &own);
  mysql_free_result(r);
  query(&own, "SELECT 1");
  r = mysql_use_result(&own);
  public_fields("reading row by row", &own);
  while (mysql_fetch_row(r))
    ;
  mysql_free_result(r);
  query(&own, "SELEKT");
  public_fields("after an error", &own);
  query(&own, "USE test");
  public_fields("after USE", &own);
  mysql_close(&own);
  own.net.fd = -1;

  section("as DBD::mysql reconnects");
  MYSQL *m = calloc(1, sizeof *m), saved;
  mysql_init(m);
  connected_to(m, db(), 0);
  int old_fd = (int)m->net.fd;
  /* copy away, zero, close the zeroed one, init the same address, connect */
  memcpy(&saved, m, sizeof saved);
  memset(m, 0, sizeof *m);
  mysql_close(m);
  mysql_init(m);
  connected_to(m, db(), 0);
  alive(m);
  /* the copy is still a connection: give it its old place back */
  MYSQL newer = *m;
  memcpy(m, &saved, sizeof saved);
  say("the old one is back: fd same %d", old_fd == (int)m->net.fd);
  alive(m);
  mysql_close(m);
  memcpy(m, &newer, sizeof newer);
  alive(m);
  mysql_close(m);
  m->net.fd = -1;
  mysql_init(m);
  show_rc("a failed reconnect", !mysql_real_connect(m, "127.0.0.1", user(), pass(), NULL, 1, NULL, 0), m);
  mysql_close(m);
  free(m);

  section("moved by value");
  MYSQL a, b;
  mysql_init(&a);
  connected_to(&a, db(), 0);
  b = a;
  memset(&a, 0, sizeof a);
  alive(&b);
  query(&b, "SELECT 1 UNION SELECT 2");
  r = mysql_store_result(&b);
  say("rows %llu", (unsigned long long)mysql_num_rows(r));
  mysql_free_result(r);
  mysql_close(&b);
  mysql_close(&a);
  say("closed");

  section("what clients write into a handle");
  m = connected();
  query(m, "SELEKT");
  m->net.last_errno = 0;
  say("errno cleared: %u", mysql_errno(m));
  m->net.last_errno = 4711;
  strcpy(m->net.last_error, "written by the client");
  strcpy(m->net.sqlstate, "XX000");
  show("own error", m);
  alive(m);
  query(m, "SELECT 1");
  m->status = MYSQL_STATUS_READY;
  say("status written");
  mysql_close(m);
  m = connected();
  close((int)m->net.fd);
  m->net.fd = -1;
  mysql_close(m);
  say("fd closed by the client: close returns");
}

static void options(void)
{
  section("options set and read back");
  MYSQL *m = mysql_init(NULL);
  unsigned int number = 0;
  unsigned long big = 0;
  my_bool flag = 0;
  const char *text = NULL;
  int rc;
#define GET(o, variable, blank, format, shown) \
  variable = blank; rc = mysql_get_option(m, o, &variable) != 0; say("%s: %d " format, #o, rc, shown)
#define GET_UINT(o) GET(o, number, 99, "%u", number)
#define GET_BOOL(o) GET(o, flag, 0, "%d", (int)flag)
#define GET_TEXT(o) GET(o, text, NULL, "%s", or_null(text))
#define GET_LONG(o) GET(o, big, 1, "%lu", big)
  for (int round = 0; round < 2; round++) {
    say("-- %s", round ? "after setting" : "as they are");
    GET_UINT(MYSQL_OPT_CONNECT_TIMEOUT);
    GET_UINT(MYSQL_OPT_READ_TIMEOUT);
    GET_UINT(MYSQL_OPT_WRITE_TIMEOUT);
    GET_UINT(MYSQL_OPT_PROTOCOL);
#if LAB_MARIADB_ABI
    stricter = !round; /* Connector/C allows local files unless told not to */
#endif
    GET_UINT(MYSQL_OPT_LOCAL_INFILE);
    stricter = 0;
    GET_BOOL(MYSQL_OPT_RECONNECT);
    GET_BOOL(MYSQL_REPORT_DATA_TRUNCATION);
    GET_BOOL(MYSQL_OPT_COMPRESS);
    GET_TEXT(MYSQL_SET_CHARSET_NAME);
    GET_TEXT(MYSQL_SET_CHARSET_DIR);
    GET_TEXT(MYSQL_READ_DEFAULT_FILE);
    GET_TEXT(MYSQL_READ_DEFAULT_GROUP);
    GET_TEXT(MYSQL_OPT_SSL_CA);
    GET_TEXT(MYSQL_OPT_SSL_CERT);
    GET_TEXT(MYSQL_OPT_SSL_KEY);
    GET_TEXT(MYSQL_OPT_SSL_CIPHER);
    GET_TEXT(MYSQL_OPT_BIND);
    GET_TEXT(MYSQL_PLUGIN_DIR);
    GET_TEXT(MYSQL_DEFAULT_AUTH);
    GET_BOOL(MYSQL_ENABLE_CLEARTEXT_PLUGIN);
    GET_LONG(MYSQL_OPT_MAX_ALLOWED_PACKET);
    GET_LONG(MYSQL_OPT_NET_BUFFER_LENGTH);
#if !LAB_MARIADB_ABI
    GET_UINT(MYSQL_OPT_SSL_MODE);
    GET_TEXT(MYSQL_OPT_TLS_VERSION);
    GET_UINT(MYSQL_OPT_RETRY_COUNT);
    GET_BOOL(MYSQL_OPT_GET_SERVER_PUBLIC_KEY);
#else
    GET_BOOL(MYSQL_OPT_SSL_VERIFY_SERVER_CERT);
    GET_BOOL(MYSQL_OPT_SSL_ENFORCE);
    GET_TEXT(MARIADB_OPT_TLS_VERSION);
    GET_TEXT(MARIADB_OPT_HOST);
    GET_TEXT(MARIADB_OPT_USER);
#endif
    if (round)
      break;
    number = 11;
    say("set %d", mysql_options(m, MYSQL_OPT_CONNECT_TIMEOUT, &number));
    number = 12;
    say("set %d", mysql_options(m, MYSQL_OPT_READ_TIMEOUT, &number));
    number = 13;
    say("set %d", mysql_options(m, MYSQL_OPT_WRITE_TIMEOUT, &number));
    number = MYSQL_PROTOCOL_TCP;
    say("set %d", mysql_options(m, MYSQL_OPT_PROTOCOL, &number));
    number = 1;
    say("set %d", mysql_options(m, MYSQL_OPT_LOCAL_INFILE, &number));
    flag = 0;
    say("set %d", mysql_options(m, MYSQL_REPORT_DATA_TRUNCATION, &flag));
    flag = 1;
    say("set %d", mysql_options(m, MYSQL_ENABLE_CLEARTEXT_PLUGIN, &flag));
    say("set %d", mysql_options(m, MYSQL_SET_CHARSET_NAME, "latin1"));
    say("set %d", mysql_options(m, MYSQL_READ_DEFAULT_GROUP, "some_group"));
    say("set %d", mysql_options(m, MYSQL_OPT_SSL_CA, "ca-file"));
    say("set %d", mysql_options(m, MYSQL_OPT_SSL_CERT, "cert-file"));
    say("set %d", mysql_options(m, MYSQL_OPT_SSL_KEY, "key-file"));
    say("set %d", mysql_options(m, MYSQL_DEFAULT_AUTH, "caching_sha2_password"));
    say("set %d", mysql_options(m, MYSQL_INIT_COMMAND, "SET @a=1"));
    big = 1 << 22;
    say("set %d", mysql_options(m, MYSQL_OPT_MAX_ALLOWED_PACKET, &big));
    say("set %d", mysql_options4(m, MYSQL_OPT_CONNECT_ATTR_ADD, "name", "value"));
    rc = mysql_options4(m, MYSQL_OPT_CONNECT_ATTR_ADD, "name", "other");
    say("the same again %d", rc != 0);
    rc = mysql_options4(m, MYSQL_OPT_CONNECT_ATTR_ADD, "", "x");
    show_rc("an empty name", rc != 0, m);
    say("delete %d", mysql_options(m, MYSQL_OPT_CONNECT_ATTR_DELETE, "name") != 0);
    say("reset %d", mysql_options(m, MYSQL_OPT_CONNECT_ATTR_RESET, NULL) != 0);
    rc = mysql_options(m, (enum mysql_option)999, NULL);
    show_rc("no such option", rc != 0, m);
  }
  say("charset name before connecting %s", mysql_character_set_name(m));
  mysql_close(m);
  big = 0;
  say("without a handle: packet %d buffer %d",
      mysql_get_option(NULL, MYSQL_OPT_MAX_ALLOWED_PACKET, &big) != 0 || big == 0,
      mysql_get_option(NULL, MYSQL_OPT_NET_BUFFER_LENGTH, &big) != 0 || big == 0);

  section("init commands and options at work");
  m = mysql_init(NULL);
  mysql_options(m, MYSQL_INIT_COMMAND, "SET @a=41");
  mysql_options(m, MYSQL_INIT_COMMAND, "SET @b=@a+1");
  connected_to(m, db(), 0);
  say("@a %s @b %s", value(m, "SELECT @a"), value(m, "SELECT @b"));
  mysql_close(m);
  m = mysql_init(NULL);
  mysql_options(m, MYSQL_INIT_COMMAND, "SELEKT");
  mysql_real_connect(m, host(), user(), pass(), db(), port(), NULL, 0);
  show("broken init command", m);
  mysql_close(m);

  section("default files");
  char path[] = "/tmp/lab-defaults-XXXXXX";
  int fd = mkstemp(path);
  lab_mask(path, "FILE");
  dprintf(fd, "[client]\nuser=%s\npassword=\"%s\"\nport = %u\nhost=%s\n"
              "[lab]\ndatabase=%s\ninit-command=\"SET @from_file=3\"\ndefault-character-set=latin1\n"
              "# comment\n; comment\n[other]\nuser=nobody\n", user(), pass(), port(), host(), db());
  close(fd);
  m = mysql_init(NULL);
  mysql_options(m, MYSQL_READ_DEFAULT_FILE, path);
  mysql_options(m, MYSQL_READ_DEFAULT_GROUP, "lab");
  mysql_real_connect(m, NULL, NULL, NULL, NULL, 0, NULL, 0);
  show("from the file", m);
  say("db %s charset %s @from_file %s", value(m, "SELECT DATABASE()"), mysql_character_set_name(m),
      value(m, "SELECT @from_file"));
  mysql_close(m);
  m = mysql_init(NULL);
  mysql_options(m, MYSQL_READ_DEFAULT_FILE, path);
  mysql_options(m, MYSQL_READ_DEFAULT_GROUP, "lab");
  mysql_real_connect(m, NULL, user(), "wrong on purpose", NULL, 0, NULL, 0);
  say("arguments win: %u", mysql_errno(m));
  mysql_close(m);
  unlink(path);

  section("environment");
  char number_text[16];
  snprintf(number_text, sizeof number_text, "%u", port());
  setenv("MYSQL_TCP_PORT", number_text, 1);
  setenv("MYSQL_PWD", pass(), 1);
  m = mysql_init(NULL);
  mysql_real_connect(m, host(), user(), NULL, db(), port(), NULL, 0);
  show("MYSQL_PWD", m);
  mysql_close(m);
  unsetenv("MYSQL_PWD");
}

int main(void)
{
  lab_start();
  in_own_memory();
  options();
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
