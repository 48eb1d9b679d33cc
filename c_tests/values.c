/*
 * values.c: what Connector/C tells of a connection by number, its character sets by
 * name and number, and the callback for changed states.
 */
#include "lab.h"

#if LAB_MARIADB_ABI
static void text_value(MYSQL *m, const char *what, enum mariadb_value number)
{
  char *got = NULL;
  int rc = mariadb_get_infov(m, number, &got) != 0;
  say("%-30s rc=%d %s", what, rc, rc ? "" : or_null(got));
}

static void number_value(MYSQL *m, const char *what, enum mariadb_value number, int shown)
{
  unsigned int got = 0;
  int rc = mariadb_get_infov(m, number, &got) != 0;
  say("%-30s rc=%d %u", what, rc, rc ? 0 : shown ? got : got != 0);
}

static void all_values(const char *what, MYSQL *m)
{
  section("%s", what);
  size_t size = 0;
  say("max_allowed_packet rc=%d", mariadb_get_infov(m, MARIADB_MAX_ALLOWED_PACKET, &size) != 0);
  say("  %zu", size);
  say("net_buffer_length rc=%d", mariadb_get_infov(m, MARIADB_NET_BUFFER_LENGTH, &size) != 0);
  say("  %zu", size);
  say("client version id rc=%d", mariadb_get_infov(m, MARIADB_CLIENT_VERSION_ID, &size) != 0);
  say("  %zu", size);
  text_value(m, "client version", MARIADB_CLIENT_VERSION);
  number_value(m, "error number", MARIADB_CONNECTION_ERROR_ID, 1);
  text_value(m, "error", MARIADB_CONNECTION_ERROR);
  text_value(m, "sqlstate", MARIADB_CONNECTION_SQLSTATE);
  text_value(m, "tls version", MARIADB_CONNECTION_TLS_VERSION);
  number_value(m, "tls version id", MARIADB_CONNECTION_TLS_VERSION_ID, 1);
  text_value(m, "cipher", MARIADB_CONNECTION_SSL_CIPHER);
  char *library = NULL;
  say("tls library rc=%d", mariadb_get_infov(m, MARIADB_TLS_LIBRARY, &library) != 0);
  number_value(m, "type", MARIADB_CONNECTION_TYPE, 1);
  number_value(m, "pvio type", MARIADB_CONNECTION_PVIO_TYPE, 1);
  int socket_number = -2;
  say("socket rc=%d, the handle's %d", mariadb_get_infov(m, MARIADB_CONNECTION_SOCKET, &socket_number) != 0,
      socket_number == mysql_get_socket(m));
  text_value(m, "info", MARIADB_CONNECTION_INFO);
  text_value(m, "schema", MARIADB_CONNECTION_SCHEMA);
  text_value(m, "user", MARIADB_CONNECTION_USER);
  text_value(m, "host", MARIADB_CONNECTION_HOST);
  text_value(m, "unix socket", MARIADB_CONNECTION_UNIX_SOCKET);
  number_value(m, "port", MARIADB_CONNECTION_PORT, 0);
  number_value(m, "protocol", MARIADB_CONNECTION_PROTOCOL_VERSION_ID, 1);
  number_value(m, "status", MARIADB_CONNECTION_SERVER_STATUS, 0);
  unsigned long flags = 0;
  say("server capabilities rc=%d", mariadb_get_infov(m, MARIADB_CONNECTION_SERVER_CAPABILITIES, &flags) != 0);
  say("  %lx", flags);
  flags = 0;
  say("extended rc=%d", mariadb_get_infov(m, MARIADB_CONNECTION_EXTENDED_SERVER_CAPABILITIES, &flags) != 0);
  say("  %lx", flags);
  char **errors = NULL;
  say("client errors rc=%d", mariadb_get_infov(m, MARIADB_CLIENT_ERRORS, &errors) != 0);
  for (int i = 0; errors && i < 62; i++)
    say("  %d %s", 2000 + i, errors[i]);
}

static void info_of(const MARIADB_CHARSET_INFO *info)
{
  if (!info) {
    say("  NULL");
    return;
  }
  say("  nr %u state %u csname %s name %s dir %s min %u max %u functions %d %d", info->nr, info->state, info->csname,
      info->name, or_null(info->dir), info->char_minlen, info->char_maxlen, info->mb_charlen != NULL, info->mb_valid != NULL);
}

static void charsets(void)
{
  section("character sets");
  static const char *const names[] = {"utf8", "utf8mb3", "UTF8MB4", "latin1", "binary", "gbk", "big5", "sjis", "cp932", "ujis",
                                      "eucjpms", "euckr", "gb2312", "ucs2", "utf16", "utf32", "ascii", "cp1251",
                                      "latin1_bin", "nonsense", ""};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    say("%s", names[i]);
    info_of(mariadb_get_charset_by_name(names[i]));
  }
  static const unsigned numbers[] = {0, 1, 8, 33, 45, 46, 47, 63, 83, 224, 255, 5000};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    say("%u", numbers[i]);
    if (numbers[i] != 255) /* MySQL's own, of which ours knows the name */
      info_of(mariadb_get_charset_by_nr(numbers[i]));
  }
  MARIADB_CHARSET_INFO *info = NULL;
  say("by value: name rc=%d", mariadb_get_infov(NULL, MARIADB_CHARSET_NAME, &info, "gbk") != 0);
  info_of(info);
  say("by value: number rc=%d", mariadb_get_infov(NULL, MARIADB_CHARSET_ID, &info, 28u) != 0);
  info_of(info);

  section("characters of several bytes");
  static const char *const sets[] = {"utf8mb3", "utf8mb4", "gbk", "big5", "sjis", "ujis", "euckr", "gb2312", "cp932"};
  static const char *const texts[] = {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xc3", "\xc3(", "\x81\x40", "\xa1\xa1",
                                      "\x8e\xb1", "\x8f\xa1\xa1", "\xff\xff", "\x80"};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    const MARIADB_CHARSET_INFO *set = mariadb_get_charset_by_name(sets[i]);
    char line[200], *out = line;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
      out += sprintf(out, " %u", set->mb_valid(texts[t], texts[t] + strlen(texts[t])));
    unsigned sum = 0;
    for (unsigned byte = 0; byte < 256; byte++)
      sum = sum * 31 + set->mb_charlen(byte);
    say("%s:%s, lengths %u", sets[i], line, sum);
  }

  section("the handle's character set");
  MYSQL *m = mysql_init(NULL);
  info_of(m->charset);
  mysql_options(m, MYSQL_SET_CHARSET_NAME, "latin2");
  connected_to(m, db(), 0);
  info_of(m->charset);
  mysql_set_character_set(m, "utf8");
  info_of(m->charset);
  must(m, "SET NAMES cp1251");
  say("by statement: %s", server_is_mysql() ? "(not told)" : m->charset->csname);
  MY_CHARSET_INFO told;
  say("rc=%d", mariadb_get_infov(m, MARIADB_CONNECTION_MARIADB_CHARSET_INFO, &told) != 0);
  if (!server_is_mysql())
    say("%u %s %s", told.number, told.csname, told.name);
  mysql_close(m);
}

static int told;

static void callback(void *data, enum enum_mariadb_status_info type, ...)
{
  va_list ap;
  va_start(ap, type);
  told++;
  if (type == STATUS_TYPE) {
    unsigned status = va_arg(ap, unsigned);
    say("  data %d, status %u", data == (void *)&told, status & 0x1);
  } else {
    enum enum_session_state_type kind = va_arg(ap, enum enum_session_state_type);
    MARIADB_CONST_STRING *first = va_arg(ap, MARIADB_CONST_STRING *);
    if (kind == SESSION_TRACK_SYSTEM_VARIABLES) {
      MARIADB_CONST_STRING *second = va_arg(ap, MARIADB_CONST_STRING *);
      say("  data %d, kind %d: %s = %s", data == (void *)&told, kind, bytes(first->str, first->length),
          bytes(second->str, second->length));
    } else {
      say("  data %d, kind %d: %s", data == (void *)&told, kind, bytes(first->str, first->length));
    }
  }
  va_end(ap);
}

static void states(void)
{
  section("a callback for changed states");
  MYSQL *m = mysql_init(NULL);
  say("set %d", mysql_optionsv(m, MARIADB_OPT_STATUS_CALLBACK, callback, &told) != 0);
  mysql_real_connect(m, host(), user(), pass(), NULL, port(), NULL, 0);
  static const char *const statements[] = {"USE test", "SET NAMES latin1", "SET autocommit = 0", "SET autocommit = 1",
                                           "DO 1", "SET @a = 1"};
  told = 0;
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
    say("%s", statements[i]);
    query(m, statements[i]);
  }
  const char *data = "untouched";
  size_t length = 0;
  say("select_db");
  mysql_select_db(m, db());
  must(m, "USE test");
  say("first change by the other way: %d", mysql_session_track_get_first(m, SESSION_TRACK_SCHEMA, &data, &length));
  say("taken away: %d", mysql_optionsv(m, MARIADB_OPT_STATUS_CALLBACK, NULL, NULL) != 0);
  int before = told;
  must(m, "USE test");
  say("told no more: %d", told == before);
  say("first change: %d", mysql_session_track_get_first(m, SESSION_TRACK_SCHEMA, &data, &length));
  mysql_close(m);
}

static void read_by_hand(void)
{
  section("replies that the program asks for");
  MYSQL *m = connected();
  my_bool skip = 1, got = 0;
  mysql_options(m, MARIADB_OPT_SKIP_READ_RESPONSE, &skip);
  mysql_get_option(m, MARIADB_OPT_SKIP_READ_RESPONSE, &got);
  say("set %d", got);
  show_rc("query", mysql_query(m, "SELECT 5"), m);
  show_rc("read", m->methods->db_read_query_result(m), m);
  MYSQL_RES *r = mysql_store_result(m);
  say("value %s", r ? mysql_fetch_row(r)[0] : "none");
  mysql_free_result(r);
  skip = 0;
  mysql_options(m, MARIADB_OPT_SKIP_READ_RESPONSE, &skip);
  alive(m);
  show_rc("a command by the table", m->methods->db_command(m, COM_PING, NULL, 0, 0, NULL), m);
  show_rc("a statement by the table", m->methods->db_command(m, COM_QUERY, "SELECT 6", 8, 1, NULL), m);
  show_rc("and its reply", m->methods->db_read_query_result(m), m);
  m->methods->db_skip_result(m);
  m->status = MYSQL_STATUS_READY;
  alive(m);
  m->methods->set_error(m, CR_SERVER_LOST, "08S01", NULL);
  show("an error by the table", m);
  mysql_close(m);
}
#endif

int main(void)
{
  lab_start();
#if LAB_MARIADB_ABI
  MYSQL *m = mysql_init(NULL);
  all_values("never connected", m);
  mysql_close(m);
  m = connected();
  query(m, "SELEKT");
  all_values("over TCP", m);
  mysql_close(m);
  m = mysql_init(NULL);
  mysql_real_connect(m, "localhost", user(), pass(), db(), 0, sock(), 0);
  all_values("over a socket", m);
  mysql_close(m);
  m = mysql_init(NULL);
  my_bool on = 1;
  mysql_options(m, MYSQL_OPT_SSL_ENFORCE, &on);
  connected_to(m, db(), 0);
  all_values("over TLS", m);
  say("MariaDB %d", mariadb_connection(m));
  mysql_close(m);
  charsets();
  states();
  read_by_hand();
#endif
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
