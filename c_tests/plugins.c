/*
 * plugins.c: authentication plugins that the program registers: finding, registering
 * and refusing them; what the library gives them and makes of what they return; with
 * every way to the server, and as the server's plugin for an account asks for them.
 *
 * The servers have plugins of ours (tests/harness/src/server_auth.c).
 */
#include "lab.h"
#include "plugin.h"

/* ---- what they do ---- */

static int code;            /* what to return at once */
static const char *left;    /* an error to leave in the handle */
static int talk;            /* write down what is read and written */

static void packet_of(const char *what, const unsigned char *data, int length)
{
  char line[200] = "";
  for (int i = 0; i < length && i < 40; i++)
    snprintf(line + strlen(line), sizeof line - strlen(line), data[i] >= 32 && data[i] < 127 ? "%c" : "\\%02x", data[i]);
  say("    %s %d: %s", what, length, line);
}

static int by_number(MYSQL_PLUGIN_VIO *vio, MYSQL *m)
{
  (void)vio;
  if (left) {
    snprintf(m->net.last_error, sizeof m->net.last_error, "%s", left);
    m->net.last_errno = 2099;
    strcpy(m->net.sqlstate, "LAB01");
  }
  return code;
}

/* Answers "A:" and the password to every question, until the server has had enough. */
static int questions(MYSQL_PLUGIN_VIO *vio, MYSQL *m)
{
  for (int round = 0; round < 10; round++) {
    unsigned char *packet, answer[200];
    int length = vio->read_packet(vio, &packet);
    if (length < 0) {
      say("    read %d, error %u %s", length, mysql_errno(m), mysql_error(m));
      return CR_ERROR;
    }
    if (talk)
      packet_of("read", packet, length);
    if (length == 0 || packet[0] == 0)
      return CR_OK_HANDSHAKE_COMPLETE;
    length = snprintf((char *)answer, sizeof answer, "A%d:%s", round, m->passwd);
    int rc = vio->write_packet(vio, answer, length);
    if (talk)
      packet_of(rc ? "not written" : "written", answer, length);
    if (rc)
      return CR_ERROR;
  }
  return CR_OK;
}

/* Shows what it is given, then sends the password in the clear. */
static int shows(MYSQL_PLUGIN_VIO *vio, MYSQL *m)
{
  LAB_VIO_INFO info;
  memset(&info, 0x77, sizeof info);
  vio->info(vio, &info);
  say("    protocol %d, the handle's socket %d", info.protocol, info.socket == (int)m->net.fd);
#if !LAB_MARIADB_ABI
  say("    TLS %d", info.is_tls_established);
#endif
  say("    user %s, password %s, errno %u", m->user, m->passwd, m->net.last_errno);
  say("    server version known %d, capabilities %d", m->server_version != NULL, (m->server_capabilities & CLIENT_PLUGIN_AUTH) != 0);
  say("    thread id known %d", m->thread_id != 0);
  return vio->write_packet(vio, (const unsigned char *)m->passwd, strlen(m->passwd) + 1) ? CR_ERROR : CR_OK;
}

/* Reads first, then sends the password in the clear. */
static int reads_first(MYSQL_PLUGIN_VIO *vio, MYSQL *m)
{
  unsigned char *packet;
  int length = vio->read_packet(vio, &packet);
  say("    first read: %s", length < 0 ? "none" : length == 21 ? "a challenge" : "something else");
  if (length < 0)
    return CR_ERROR;
  return vio->write_packet(vio, (const unsigned char *)m->passwd, strlen(m->passwd) + 1) ? CR_ERROR : CR_OK;
}

static int inits, ends;

static int init_good(char *text, size_t size, int argc, va_list args)
{
  (void)args;
  inits++;
  say("    init: room %zu, %d arguments, text %d", size, argc, text != NULL);
  return 0;
}

static int init_bad(char *text, size_t size, int argc, va_list args)
{
  (void)argc, (void)args;
  snprintf(text, size, "it does not want to");
  return 1;
}

static int deinit(void)
{
  ends++;
  return 0;
}

static int set_option(const char *name, const void *value)
{
  say("    option %s = %s", name, (const char *)value);
  return strcmp(name, "good") != 0;
}

static struct lab_auth numbers = LAB_AUTH("lab_numbers", by_number);
static struct lab_auth talker = LAB_AUTH("lab_talk", questions);
static struct lab_auth shower = LAB_AUTH("lab_clear_client", shows);
static struct lab_auth reader = LAB_AUTH("lab_reader", reads_first);

static void try_register(const char *what, MYSQL *m, struct lab_auth *plugin)
{
  struct st_mysql_client_plugin *got = mysql_client_register_plugin(m, (struct st_mysql_client_plugin *)plugin);
  say("%-30s %s", what, got == NULL ? "NULL" : got == (void *)plugin ? "itself" : "another");
  show("  error", m);
}

static void try_find(MYSQL *m, const char *name, int type)
{
  struct lab_auth *got = (struct lab_auth *)mysql_client_find_plugin(m, name, type);
  if (!got) {
    say("find %s, type %d: NULL", name, type);
    show("  error", m);
    return;
  }
  say("find %s, type %d: %s type %d, interface %#x, author %d, text %d, license %d, function %d", name, type, got->name,
      got->type, got->interface_version, got->author != NULL, got->desc != NULL, got->license != NULL,
      got->authenticate_user != NULL);
  say("  version %u.%u.%u", got->version[0], got->version[1], got->version[2]);
}

static void finding(void)
{
  MYSQL *m = mysql_init(NULL);
  section("find");
  static const char *const names[] = {"mysql_native_password", "caching_sha2_password", "sha256_password",
                                      "mysql_clear_password"};
  mysql_options(m, MYSQL_PLUGIN_DIR, "/nowhere");
  for (size_t i = LAB_MARIADB_ABI ? 0 : 1; i < (LAB_MARIADB_ABI ? 1 : 4); i++)
    try_find(m, names[i], MYSQL_CLIENT_AUTHENTICATION_PLUGIN);
  try_find(m, "lab_none", MYSQL_CLIENT_AUTHENTICATION_PLUGIN);
  try_find(m, "lab_none", 99);
  try_find(m, "lab_none", -1);
  try_find(m, "mysql_clear_password", 3);
  section("load");
  say("load: %d", mysql_load_plugin(m, "lab_none", MYSQL_CLIENT_AUTHENTICATION_PLUGIN, 0) != NULL);
  show("  error", m);
  say("load: %d", mysql_load_plugin(m, "lab_none", -1, 0) != NULL);
  show("  error", m);
  say("load what is there: %d",
      mysql_load_plugin(m, LAB_MARIADB_ABI ? "mysql_native_password" : "caching_sha2_password",
                        MYSQL_CLIENT_AUTHENTICATION_PLUGIN, 0) != NULL);
  show("  error", m);
  mysql_close(m);
}

/* Methods that Connector/C has in files: found, loaded, taken for the program's own. */
static void in_files(void)
{
#if LAB_MARIADB_ABI
  section("methods in files");
  MYSQL *m = mysql_init(NULL);
  static struct lab_auth own = LAB_AUTH("mysql_clear_password", by_number);
  try_find(m, "caching_sha2_password", MYSQL_CLIENT_AUTHENTICATION_PLUGIN);
  say("load what was found: %d", mysql_load_plugin(m, "caching_sha2_password", MYSQL_CLIENT_AUTHENTICATION_PLUGIN, 0) != NULL);
  show("  error", m);
  say("load: %d", mysql_load_plugin(m, "client_ed25519", MYSQL_CLIENT_AUTHENTICATION_PLUGIN, 0) != NULL);
  say("load again: %d", mysql_load_plugin(m, "client_ed25519", MYSQL_CLIENT_AUTHENTICATION_PLUGIN, 0) != NULL);
  show("  error", m);
  say("load without a type: %d", mysql_load_plugin(m, "dialog", -1, 0) != NULL);
  show("  error", m);
  try_find(m, "dialog", MYSQL_CLIENT_AUTHENTICATION_PLUGIN);
  try_register("one not loaded", m, &own);
  say("it is the program's: %d", mysql_client_find_plugin(m, "mysql_clear_password", MYSQL_CLIENT_AUTHENTICATION_PLUGIN) ==
                                     (struct st_mysql_client_plugin *)&own);
  static struct lab_auth other = LAB_AUTH("dialog", by_number);
  try_register("one loaded", m, &other);
  mysql_close(m);
#endif
}

static void registering(void)
{
  MYSQL *m = mysql_init(NULL);
  section("register");
  struct lab_auth bad = talker;
  bad.interface_version = LAB_VERSION + 0x100;
  try_register("interface too new", m, &bad);
  bad.interface_version = LAB_VERSION - 1;
  try_register("interface too old", m, &bad);
  static struct lab_auth newer;
  newer = talker;
  newer.name = "lab_newer";
  newer.interface_version = LAB_VERSION + 1;
  try_register("interface a little newer", m, &newer);
  bad = talker;
  bad.type = 77;
#if LAB_MARIADB_ABI
  try_register("unknown type", m, &bad);
#endif
  bad = talker;
  bad.init = init_bad;
  try_register("init that fails", m, &bad);
  talker.init = init_good;
  talker.deinit = deinit;
  talker.options = set_option;
  try_register("good", m, &talker);
  try_register("again", m, &talker);
  static struct lab_auth twin;
  twin = numbers;
  twin.name = "lab_talk";
  try_register("another of that name", m, &twin);
  twin.name = LAB_MARIADB_ABI ? "mysql_native_password" : "caching_sha2_password";
  try_register("of a name of the library's", m, &twin);
  try_register("numbers", m, &numbers);
  try_register("shower", m, &shower);
  try_register("reader", m, &reader);
  try_find(m, "lab_talk", MYSQL_CLIENT_AUTHENTICATION_PLUGIN);
  say("found itself: %d", mysql_client_find_plugin(m, "lab_talk", MYSQL_CLIENT_AUTHENTICATION_PLUGIN) ==
                              (struct st_mysql_client_plugin *)&talker);
#if !LAB_MARIADB_ABI
  say("options: %d %d", mysql_plugin_options((struct st_mysql_client_plugin *)&talker, "good", "one"),
      mysql_plugin_options((struct st_mysql_client_plugin *)&talker, "bad", "two"));
  say("no options: %d", mysql_plugin_options((struct st_mysql_client_plugin *)&numbers, "good", "one"));
#endif
  say("inits %d", inits);
  mysql_close(m);
}

/* ---- with a server ---- */

static MYSQL *handle(const char *auth, int tls)
{
  MYSQL *m = mysql_init(NULL);
#if LAB_MARIADB_ABI
  my_bool on = 1;
  if (tls)
    mysql_options(m, MYSQL_OPT_SSL_ENFORCE, &on);
#else
  unsigned int mode = tls ? SSL_MODE_REQUIRED : SSL_MODE_DISABLED;
  mysql_options(m, MYSQL_OPT_SSL_MODE, &mode);
#endif
  if (auth)
    mysql_options(m, MYSQL_DEFAULT_AUTH, auth);
  return m;
}

static void login(const char *what, MYSQL *m, const char *name, const char *password)
{
  say("%s", what);
  if (!mysql_real_connect(m, host(), name, password, NULL, port(), NULL, 0)) {
    show("  refused", m);
  } else {
    say("  in as %s", value(m, "SELECT CURRENT_USER()"));
  }
  mysql_close(m);
}

static void by_numbers(void)
{
  section("what a plugin returns");
  /* Not below 0: the originals would wait for a server that waits, too. */
  static const int codes[] = {0, 1, 2, 3, 2006, 2012, 2013, 2027, 2054, 2061, 2066, 2075, 2500, 5004, 5015};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    code = codes[i];
    char what[40];
    snprintf(what, sizeof what, "%d", code);
    /* Connector/C takes the arguments of these from nowhere. */
    if (LAB_MARIADB_ABI && (code == 2005 || code == 5004))
      continue;
    login(what, handle("lab_numbers", 0), "lab_user", "secret");
  }
  left = "left by the plugin";
  code = 0;
  login("0, with an error", handle("lab_numbers", 0), "lab_user", "secret");
  code = 2027;
  login("2027, with an error", handle("lab_numbers", 0), "lab_user", "secret");
  left = NULL;
}

static void accounts(MYSQL *a)
{
  static const char *const drop[] = {"lab_user", "lab_second"};
  for (int i = 0; i < 2; i++) {
    char sql[100];
    snprintf(sql, sizeof sql, "DROP USER IF EXISTS %s@'%%'", drop[i]);
    must(a, sql);
  }
  int mariadb = strstr(mysql_get_server_info(a), "MariaDB") != NULL;
  char sql[200];
  const char *how = mariadb ? "IDENTIFIED VIA %s USING 'secret'" : "IDENTIFIED WITH %s AS 'secret'";
  static const char *const names[][2] = {{"lab_user", "lab_talk"}, {"lab_second", "lab_clear"}};
  for (int i = 0; i < 2; i++) {
    int n = snprintf(sql, sizeof sql, "CREATE USER %s@'%%' ", names[i][0]);
    snprintf(sql + n, sizeof sql - n, how, names[i][1]);
    must(a, sql);
  }
}

static void talking(void)
{
  section("a dialogue");
  talk = 1;
  for (int tls = 0; tls < 2; tls++) {
    login("by the server's wish", handle(NULL, tls), "lab_user", "secret");
    login("by default", handle("lab_talk", tls), "lab_user", "secret");
    login("wrong", handle(NULL, tls), "lab_user", "secreT");
    login("wrong by default", handle("lab_talk", tls), "lab_user", "secreT");
    login("none", handle(NULL, tls), "lab_user", "");
  }
  MYSQL *m = handle(NULL, 0);
  say("Unix socket");
  if (mysql_real_connect(m, "localhost", "lab_user", "secret", NULL, 0, sock(), 0))
    say("  in as %s", value(m, "SELECT CURRENT_USER()"));
  else
    show("  refused", m);
  mysql_close(m);
  talk = 0;
  section("what a plugin is given");
  login("by the server's wish", handle(NULL, 0), "lab_second", "secret");
  login("the same over TLS", handle(NULL, 1), "lab_second", "secret");
  login("by default", handle("lab_clear_client", 0), "lab_second", "secret");
  login("wrong", handle("lab_clear_client", 0), "lab_second", "secreT");
  login("another's default", handle("lab_reader", 0), "lab_second", "secret");
  login("another's default", handle("lab_reader", 0), "lab_user", "secret");
}

static void changing(void)
{
  section("another account");
  MYSQL *m = handle(NULL, 0);
  if (!mysql_real_connect(m, host(), "lab_user", "secret", NULL, port(), NULL, 0)) {
    show("connect", m);
    return;
  }
  talk = 1;
  show_rc("to another method", mysql_change_user(m, "lab_second", "secret", NULL), m);
  say("  %s", value(m, "SELECT CURRENT_USER()"));
  show_rc("and back", mysql_change_user(m, "lab_user", "secret", NULL), m);
  say("  %s", value(m, "SELECT CURRENT_USER()"));
  show_rc("wrong", mysql_change_user(m, "lab_second", "secreT", NULL), m);
  talk = 0;
  mysql_close(m);
  m = handle("lab_talk", 0);
  if (!mysql_real_connect(m, host(), "lab_user", "secret", NULL, port(), NULL, 0)) {
    show("connect", m);
    return;
  }
  talk = 1;
  show_rc("by default", mysql_change_user(m, "lab_user", "secret", NULL), m);
  say("  %s", value(m, "SELECT CURRENT_USER()"));
  talk = 0;
  mysql_close(m);
}

int main(void)
{
  lab_start();
  finding();
  in_files();
  registering();
  MYSQL *a = admin();
  accounts(a);
  by_numbers();
  talking();
  changing();
  must(a, "DROP USER lab_user@'%', lab_second@'%'");
  mysql_close(a);
  section("the end");
  mysql_library_end();
  say("ends %d", ends);
  mysql_library_init(0, NULL, NULL);
  MYSQL *m = mysql_init(NULL);
  try_register("again", m, &numbers);
  mysql_close(m);
  printf("\nend\n");
  return 0;
}
