/*
 * options.c: every option number of the family: set, read back, set again; and what is
 * refused. What an option does to a connection is for the other programs.
 */
#include "lab.h"

/* How an option's value is given, and how it is read. */
enum type { NONE, NUMBER, LONG_NUMBER, FLAG, TEXT };

struct option { int number; enum type set, get; const char *name; };
#define O(name, set, get) {name, set, get, #name}

static const struct option options[] = {
    O(MYSQL_OPT_CONNECT_TIMEOUT, NUMBER, NUMBER),
    O(MYSQL_OPT_COMPRESS, NONE, FLAG),
    O(MYSQL_OPT_NAMED_PIPE, NONE, FLAG),
    O(MYSQL_READ_DEFAULT_FILE, TEXT, TEXT),
    O(MYSQL_READ_DEFAULT_GROUP, TEXT, TEXT),
    O(MYSQL_SET_CHARSET_DIR, TEXT, TEXT),
    O(MYSQL_OPT_LOCAL_INFILE, NUMBER, NUMBER),
    O(MYSQL_OPT_PROTOCOL, NUMBER, NUMBER),
    O(MYSQL_OPT_READ_TIMEOUT, NUMBER, NUMBER),
    O(MYSQL_OPT_WRITE_TIMEOUT, NUMBER, NUMBER),
    O(MYSQL_REPORT_DATA_TRUNCATION, FLAG, FLAG),
    O(MYSQL_OPT_RECONNECT, FLAG, FLAG),
    O(MYSQL_PLUGIN_DIR, TEXT, TEXT),
    O(MYSQL_DEFAULT_AUTH, TEXT, TEXT),
    O(MYSQL_OPT_BIND, TEXT, TEXT),
    O(MYSQL_OPT_SSL_KEY, TEXT, TEXT),
    O(MYSQL_OPT_SSL_CERT, TEXT, TEXT),
    O(MYSQL_OPT_SSL_CA, TEXT, TEXT),
    O(MYSQL_OPT_SSL_CAPATH, TEXT, TEXT),
    O(MYSQL_OPT_SSL_CIPHER, TEXT, TEXT),
    O(MYSQL_OPT_SSL_CRL, TEXT, TEXT),
    O(MYSQL_OPT_SSL_CRLPATH, TEXT, TEXT),
    O(MYSQL_OPT_CONNECT_ATTR_RESET, NONE, TEXT),
    O(MYSQL_OPT_CONNECT_ATTR_DELETE, TEXT, TEXT),
    O(MYSQL_SERVER_PUBLIC_KEY, TEXT, TEXT),
    O(MYSQL_ENABLE_CLEARTEXT_PLUGIN, FLAG, FLAG),
    O(MYSQL_OPT_CAN_HANDLE_EXPIRED_PASSWORDS, FLAG, FLAG),
    O(MYSQL_OPT_MAX_ALLOWED_PACKET, LONG_NUMBER, LONG_NUMBER),
    O(MYSQL_OPT_NET_BUFFER_LENGTH, LONG_NUMBER, LONG_NUMBER),
#if LAB_MARIADB_ABI
    O(MYSQL_SECURE_AUTH, FLAG, FLAG),
    O(MYSQL_OPT_SSL_VERIFY_SERVER_CERT, FLAG, FLAG),
    O(MYSQL_OPT_SSL_ENFORCE, FLAG, FLAG),
    O(MYSQL_OPT_TLS_VERSION, TEXT, TEXT),
    O(MARIADB_OPT_TLS_VERSION, TEXT, TEXT),
    O(MARIADB_OPT_SSL_FP, TEXT, TEXT),
    O(MARIADB_OPT_SSL_FP_LIST, TEXT, TEXT),
    O(MARIADB_OPT_TLS_PEER_FP, TEXT, TEXT),
    O(MARIADB_OPT_TLS_PEER_FP_LIST, TEXT, TEXT),
    O(MARIADB_OPT_TLS_PASSPHRASE, TEXT, TEXT),
    O(MARIADB_OPT_CONNECTION_READ_ONLY, FLAG, FLAG),
    O(MARIADB_OPT_PORT, NUMBER, NUMBER),
    O(MARIADB_OPT_UNIXSOCKET, TEXT, TEXT),
    O(MARIADB_OPT_PASSWORD, TEXT, TEXT),
    O(MARIADB_OPT_HOST, TEXT, TEXT),
    O(MARIADB_OPT_USER, TEXT, TEXT),
    O(MARIADB_OPT_SCHEMA, TEXT, TEXT),
    O(MARIADB_OPT_DEBUG, TEXT, TEXT),
    O(MARIADB_OPT_FOUND_ROWS, NONE, FLAG),
    O(MARIADB_OPT_MULTI_RESULTS, NONE, FLAG),
    O(MARIADB_OPT_MULTI_STATEMENTS, NONE, FLAG),
    O(MARIADB_OPT_INTERACTIVE, NONE, FLAG),
    O(MARIADB_OPT_SKIP_READ_RESPONSE, FLAG, FLAG),
    O(MYSQL_OPT_GUESS_CONNECTION, NONE, FLAG),
    O(MYSQL_OPT_USE_REMOTE_CONNECTION, NONE, FLAG),
    O(MYSQL_OPT_USE_EMBEDDED_CONNECTION, NONE, FLAG),
    O(MYSQL_SET_CLIENT_IP, TEXT, TEXT),
    O(MYSQL_OPT_USE_RESULT, NONE, FLAG),
#else
    O(MYSQL_OPT_SSL_MODE, NUMBER, NUMBER),
    O(MYSQL_OPT_GET_SERVER_PUBLIC_KEY, FLAG, FLAG),
    O(MYSQL_OPT_RETRY_COUNT, NUMBER, NUMBER),
    O(MYSQL_OPT_OPTIONAL_RESULTSET_METADATA, FLAG, FLAG),
    O(MYSQL_OPT_TLS_CIPHERSUITES, TEXT, TEXT),
    O(MYSQL_OPT_TLS_SNI_SERVERNAME, TEXT, TEXT),
    O(MYSQL_OPT_SSL_SESSION_DATA, TEXT, TEXT),
    O(MYSQL_OPT_ZSTD_COMPRESSION_LEVEL, NUMBER, NUMBER),
    O(MYSQL_OPT_USER_PASSWORD, TEXT, TEXT),
    O(MYSQL_OPT_CONNECT_ATTR_ADD, TEXT, TEXT),
#endif
    {500, NUMBER, NUMBER, "500"},
};

static void get(MYSQL *m, const struct option *option)
{
  unsigned int number = 77;
  unsigned long long_number = 77;
  my_bool flag = 0;
  const char *text = NULL;
  int rc = 0;
  switch (option->get) {
  case NONE: return;
  case NUMBER: rc = mysql_get_option(m, option->number, &number); break;
  case LONG_NUMBER: rc = mysql_get_option(m, option->number, &long_number); break;
  case FLAG: rc = mysql_get_option(m, option->number, &flag); break;
  case TEXT: rc = mysql_get_option(m, option->number, &text); break;
  }
  if (rc)
    say("  get rc=1");
  else if (option->get == TEXT)
    say("  get %s", or_null(text));
  else
    say("  get %lu", option->get == NUMBER ? number : option->get == FLAG ? (unsigned long)(flag != 0) : long_number);
}

static void set(MYSQL *m, const struct option *option, int second)
{
  unsigned int number = second ? 1 : 2;
  unsigned long long_number = second ? 1 << 20 : 1 << 21;
  my_bool flag = !second;
  const char *text = second ? "/second" : "/first";
  int rc = 0;
  if (option->number == MYSQL_OPT_LOCAL_INFILE)
    number = !second;
  switch (option->set) {
  case NONE: rc = mysql_options(m, option->number, NULL); break;
  case NUMBER: rc = mysql_options(m, option->number, &number); break;
  case LONG_NUMBER: rc = mysql_options(m, option->number, &long_number); break;
  case FLAG: rc = mysql_options(m, option->number, &flag); break;
  case TEXT: rc = mysql_options(m, option->number, text); break;
  }
  say("  set rc=%d errno=%u text=%s", rc != 0, mysql_errno(m), mysql_error(m));
}

int main(void)
{
  lab_start();
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    const struct option *option = &options[i];
    section("%s", option->name);
    MYSQL *m = mysql_init(NULL);
#if LAB_MARIADB_ABI
    stricter = option->number == MYSQL_OPT_LOCAL_INFILE; /* on by default there */
#endif
    if (!stricter)
      get(m, option);
    stricter = 0;
    set(m, option, 0);
    get(m, option);
    set(m, option, 1);
    get(m, option);
#if LAB_MARIADB_ABI
    int takes_null = option->number != MYSQL_READ_DEFAULT_FILE;
#else /* the others copy the text without a look */
    int takes_null = option->number != MYSQL_READ_DEFAULT_FILE && option->number != MYSQL_READ_DEFAULT_GROUP &&
                     option->number != MYSQL_SET_CHARSET_DIR && option->number != MYSQL_OPT_BIND;
#endif
    if (option->set == TEXT && takes_null) {
      say("  none rc=%d", mysql_options(m, option->number, NULL) != 0);
      get(m, option);
    }
    mysql_close(m);
  }

  section("several of a kind");
  MYSQL *m = mysql_init(NULL);
  say("init commands %d %d", mysql_options(m, MYSQL_INIT_COMMAND, "SET @a = 1"), mysql_options(m, MYSQL_INIT_COMMAND, "SET @b = 2"));
#if LAB_MARIADB_ABI
  char **commands = NULL;
  unsigned int count = 0;
  int rc = mysql_get_optionv(m, MYSQL_INIT_COMMAND, &commands, &count);
  say("rc=%d %u: %s, %s", rc, count, commands[0], commands[1]);
  say("attributes %d %d %d", mysql_optionsv(m, MYSQL_OPT_CONNECT_ATTR_ADD, "k1", "v1"),
      mysql_options4(m, MYSQL_OPT_CONNECT_ATTR_ADD, "k2", "v2"), mysql_optionsv(m, MYSQL_OPT_CONNECT_ATTR_ADD, "k3", ""));
  show("an empty value", m);
  char **keys = calloc(8, sizeof *keys), **values = calloc(8, sizeof *values);
  rc = mysql_get_optionv(m, MYSQL_OPT_CONNECT_ATTRS, &keys, &values, &count);
  say("rc=%d %u", rc, count);
  for (unsigned i = 0; i < count; i++)
    say("  %s %s", keys[i], values[i]);
  mysql_options(m, MYSQL_OPT_CONNECT_ATTR_DELETE, "k1");
  mysql_get_optionv(m, MYSQL_OPT_CONNECT_ATTRS, NULL, NULL, &count);
  say("left %u", count);
  int data = 5, *found = NULL;
  say("own data %d", mysql_optionsv(m, MARIADB_OPT_USERDATA, "name", &data) != 0);
  mysql_get_optionv(m, MARIADB_OPT_USERDATA, "name", &found);
  say("found %d", found == &data);
  mysql_get_optionv(m, MARIADB_OPT_USERDATA, "other", &found);
  say("not found %d", found == NULL);
  show_rc("no name", mysql_optionsv(m, MARIADB_OPT_USERDATA, NULL, &data), m);
  show_rc("no data", mysql_optionsv(m, MARIADB_OPT_USERDATA, "name", NULL), m);
  free(keys);
  free(values);
#else
  show_rc("attribute", mysql_options4(m, MYSQL_OPT_CONNECT_ATTR_ADD, "k1", "v1"), m);
  show_rc("again", mysql_options4(m, MYSQL_OPT_CONNECT_ATTR_ADD, "k1", "v2"), m);
  show_rc("an empty value", mysql_options4(m, MYSQL_OPT_CONNECT_ATTR_ADD, "k3", ""), m);
  show_rc("an empty name", mysql_options4(m, MYSQL_OPT_CONNECT_ATTR_ADD, "", "v"), m);
  char *large = malloc(70000);
  memset(large, 'x', 69999);
  large[69999] = 0;
  show_rc("a large value", mysql_options4(m, MYSQL_OPT_CONNECT_ATTR_ADD, "k4", large), m);
  free(large);
  show_rc("another option", mysql_options4(m, MYSQL_OPT_BIND, "x", "y"), m);
#endif
  connected_to(m, db(), 0);
  say("@a %s @b %s", value(m, "SELECT @a"), value(m, "SELECT @b"));
  mysql_close(m);

  section("without a handle");
  unsigned long size = 0;
  say("%d", mysql_get_option(NULL, MYSQL_OPT_MAX_ALLOWED_PACKET, &size));
  say("max_allowed_packet %lu", size);
  say("%d", mysql_get_option(NULL, MYSQL_OPT_NET_BUFFER_LENGTH, &size));
  say("net_buffer_length as set through a handle %lu", size);
  m = mysql_init(NULL);
  connected_to(m, db(), 0);
  say("of a handle %lu", m->net.max_packet_size);
  mysql_close(m);
  unsigned long limit = 1 << 22, length = 1 << 14, packet = 1 << 20;
  say("set %d %d", mysql_options(NULL, MYSQL_OPT_MAX_ALLOWED_PACKET, &limit),
      mysql_options(NULL, MYSQL_OPT_NET_BUFFER_LENGTH, &length));
  mysql_get_option(NULL, MYSQL_OPT_MAX_ALLOWED_PACKET, &size);
  say("max_allowed_packet %lu", size);
  m = mysql_init(NULL);
  mysql_get_option(m, MYSQL_OPT_NET_BUFFER_LENGTH, &size);
  say("a handle's net_buffer_length %lu", size);
  mysql_get_option(m, MYSQL_OPT_MAX_ALLOWED_PACKET, &size);
  say("a handle's max_allowed_packet %lu", size);
  connected_to(m, db(), 0);
  say("of a handle %lu", m->net.max_packet_size);
  show_rc("too large", query(m, "SELECT REPEAT('x', 5000000)"), m);
  MYSQL_RES *r = mysql_store_result(m);
  say("a result %d", r != NULL);
  mysql_free_result(r);
  mysql_close(m);
  m = mysql_init(NULL);
  mysql_options(m, MYSQL_OPT_MAX_ALLOWED_PACKET, &packet);
  connected_to(m, db(), 0);
  mysql_get_option(m, MYSQL_OPT_MAX_ALLOWED_PACKET, &size);
  say("its own %lu, of a handle %lu", size, m->net.max_packet_size);
  mysql_close(m);
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
