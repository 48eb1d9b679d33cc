/* handle_ops.c: calls on connections. */
#include "lockstep.h"

#include <poll.h>
#include <sys/socket.h>

int any_handle(void)
{
  int from = (int)pick(HANDLES);
  for (int k = 0; k < HANDLES; k++)
    if (S->h[(from + k) % HANDLES].m)
      return (from + k) % HANDLES;
  return -1;
}

/* Connector/C's statements, when a result waits that nobody asked for: it refuses them, but forgets the columns first, and
   then the handle can never be used again. Ours goes on with the result. */
static int stuck(int i)
{
  return MARIADB_ABI && S->h[i].m->status == MYSQL_STATUS_GET_RESULT;
}

int busy(int i)
{
  return S->h[i].m->status != MYSQL_STATUS_READY || C(mysql_more_results)(S->h[i].m);
}

void asks(int i, int who)
{
  if (!busy(i))
    S->h[i].asked = who;
}

/* A result of a prepared statement is read by calls on statements: the originals take its rows for texts, and read where
   there is nothing. */
static int of_a_statement(int i)
{
  return S->h[i].asked && busy(i);
}

/* One that is connected, with the odds of another one. */
static int connected(void)
{
  int odd = chance(3);
  int from = (int)pick(HANDLES);
  for (int k = 0; k < HANDLES; k++) {
    struct handle *h = &S->h[(from + k) % HANDLES];
    if (h->m && (odd || h->connected))
      return (from + k) % HANDLES;
  }
  return -1;
}

/* A number that says that a call failed is 1, -1 or the error's, as chance has it in the originals. */
static void done(int i, const char *what, long long rc)
{
  say("  %s: %s", what, rc ? "not 0" : "0");
  observe_handle(i);
}

/* Connector/C allows LOAD DATA LOCAL by default, ours never does (docs/quirks.md). */
void no_local_files(MYSQL *m)
{
  unsigned off = 0;
  C(mysql_options)(m, MYSQL_OPT_LOCAL_INFILE, &off);
}

static void init(void)
{
  int i = (int)pick(HANDLES);
  if (S->h[i].m)
    return;
  struct handle *h = &S->h[i];
  memset(h, 0x5a, sizeof *h);
  h->connected = h->executed = h->asked = h->fresh = 0;
  h->m = C(mysql_init)(chance(30) ? &h->own : NULL);
  no_local_files(h->m);
  say("init h%d: %d", i, h->m != NULL);
  observe_handle(i);
}

static void set_option(void)
{
  int i = any_handle();
  if (i < 0)
    return;
  MYSQL *m = S->h[i].m;
  /* The numbers that each family gives to what is set here, as its header has them. */
  static const struct { int option; char kind; } options[] = {
      {MYSQL_OPT_CONNECT_TIMEOUT, 'u'}, {MYSQL_OPT_READ_TIMEOUT, 'u'}, {MYSQL_OPT_WRITE_TIMEOUT, 'u'}, {MYSQL_OPT_PROTOCOL, 'p'},
      {MYSQL_OPT_COMPRESS, '-'}, {MYSQL_INIT_COMMAND, 'i'}, {MYSQL_SET_CHARSET_NAME, 'c'}, {MYSQL_REPORT_DATA_TRUNCATION, 'b'},
      {MYSQL_OPT_CONNECT_ATTR_ADD, 'a'}, {MYSQL_OPT_CONNECT_ATTR_DELETE, 'd'}, {MYSQL_OPT_CONNECT_ATTR_RESET, '-'},
      {MYSQL_OPT_NAMED_PIPE, '-'}, {MYSQL_OPT_CAN_HANDLE_EXPIRED_PASSWORDS, 'b'}, {MYSQL_OPT_MAX_ALLOWED_PACKET, 'L'},
      {MYSQL_OPT_BIND, 'B'}, {MYSQL_OPT_USE_RESULT, '-'}, {MYSQL_DEFAULT_AUTH, 'A'}, {MYSQL_ENABLE_CLEARTEXT_PLUGIN, 'b'},
      {999, 'b'}, {-1, 'b'},
#if MARIADB_ABI
      {MARIADB_OPT_FOUND_ROWS, 'b'}, {MARIADB_OPT_MULTI_STATEMENTS, 'b'}, {MARIADB_OPT_INTERACTIVE, 'b'}, {MARIADB_OPT_SCHEMA, 's'},
      {MARIADB_OPT_MULTI_RESULTS, 'b'},
#else
      {MYSQL_OPT_SSL_MODE, 'm'}, {MYSQL_OPT_RETRY_COUNT, 'u'}, {MYSQL_OPT_GET_SERVER_PUBLIC_KEY, 'b'},
      {MYSQL_OPT_COMPRESSION_ALGORITHMS, 'C'}, {MYSQL_OPT_ZSTD_COMPRESSION_LEVEL, 'z'},
#endif
  };
  static const char *const attributes[] = {"b", "a", "name", "program", "x", ""};
  static const char *const charsets[] = {"utf8mb4", "latin1", "gbk", "utf8mb3", "binary", "utf8", "sjis"};
  static const char *const commands[] = {"SET @a = 5", "SELECT 1", "SELECT 1 FROM types", "SET SESSION sql_mode = ''"};
  unsigned k = pick(sizeof options / sizeof *options), number = 60 + pick(100), mode;
  unsigned long size = 1u << (20 + pick(5));
  my_bool on = (my_bool)pick(2);
  enum mysql_option option = (enum mysql_option)options[k].option;
  int rc = 0;
  switch (options[k].kind) {
  case 'u': rc = C(mysql_options)(m, option, &number); break;
  case 'b': rc = C(mysql_options)(m, option, &on); break;
  case 'L': rc = C(mysql_options)(m, option, &size); break;
  case '-':
    if (option == MYSQL_OPT_COMPRESS && !chance(20))
      return;
    rc = C(mysql_options)(m, option, NULL);
    break;
  case 'p':
    mode = pick(3); /* default, TCP, socket */
    rc = C(mysql_options)(m, option, &mode);
    break;
  case 'm':
    mode = 1 + pick(2);
    rc = C(mysql_options)(m, option, &mode);
    break;
  case 'i': rc = C(mysql_options)(m, option, ONE_OF(commands)); break;
  case 'c': rc = C(mysql_options)(m, option, ONE_OF(charsets)); break;
  case 'A': rc = C(mysql_options)(m, option, chance(50) ? "caching_sha2_password" : "mysql_native_password"); break;
  case 'B': rc = C(mysql_options)(m, option, "127.0.0.1"); break;
  case 's': rc = C(mysql_options)(m, option, S->db); break;
  case 'C': rc = C(mysql_options)(m, option, chance(50) ? "zstd,uncompressed" : chance(50) ? "zlib" : "no_such_algorithm"); break;
  case 'z': mode = pick(24), rc = C(mysql_options)(m, option, &mode); break;
  case 'd': rc = C(mysql_options)(m, option, ONE_OF(attributes)); break;
  case 'a': rc = C(mysql_options4)(m, option, ONE_OF(attributes), ONE_OF(attributes)); break;
  }
  say("options h%d %d", i, options[k].option);
  done(i, "options", rc);
}

static void get_option(void)
{
  int i = any_handle();
  if (i < 0)
    return;
  union { unsigned long number; unsigned u; my_bool b; char *text; char room[256]; } value;
  memset(&value, 0x77, sizeof value);
  static const struct { int option; char kind; } options[] = {
      {MYSQL_OPT_CONNECT_TIMEOUT, 'u'}, {MYSQL_OPT_READ_TIMEOUT, 'u'}, {MYSQL_OPT_WRITE_TIMEOUT, 'u'}, {MYSQL_OPT_PROTOCOL, 'u'},
      {MYSQL_OPT_COMPRESS, 'b'}, {MYSQL_SET_CHARSET_NAME, 's'}, {MYSQL_REPORT_DATA_TRUNCATION, 'b'},
      {MYSQL_OPT_CAN_HANDLE_EXPIRED_PASSWORDS, 'b'}, {MYSQL_OPT_MAX_ALLOWED_PACKET, 'L'}, {MYSQL_OPT_BIND, 's'},
      {MYSQL_DEFAULT_AUTH, 's'}, {MYSQL_ENABLE_CLEARTEXT_PLUGIN, 'b'}, {MYSQL_OPT_NET_BUFFER_LENGTH, 'L'}, {MYSQL_SET_CHARSET_DIR, 's'},
      {MYSQL_OPT_NAMED_PIPE, 'b'}, {MYSQL_PLUGIN_DIR, '-'}, {MYSQL_OPT_SSL_CA, 's'}, {MYSQL_OPT_SSL_CIPHER, 's'},
      {MYSQL_OPT_TLS_VERSION, 's'}, {MYSQL_SERVER_PUBLIC_KEY, 's'},
#if MARIADB_ABI
      {MARIADB_OPT_USER, 's'}, {MARIADB_OPT_SCHEMA, 's'}, {MARIADB_OPT_CONNECTION_READ_ONLY, 'b'}, {MYSQL_OPT_SSL_ENFORCE, 'b'},
#else
      {MYSQL_OPT_SSL_MODE, 'u'}, {MYSQL_OPT_RETRY_COUNT, 'u'}, {MYSQL_OPT_GET_SERVER_PUBLIC_KEY, 'b'},
      {MYSQL_OPT_COMPRESSION_ALGORITHMS, 's'}, {MYSQL_OPT_ZSTD_COMPRESSION_LEVEL, 'u'}, {MYSQL_OPT_OPTIONAL_RESULTSET_METADATA, 'b'},
#endif
  };
  unsigned k = pick(sizeof options / sizeof *options);
  if (options[k].kind == '-')
    return;
#if MARIADB_ABI
  int rc = C(mysql_get_optionv)(S->h[i].m, (enum mysql_option)options[k].option, &value);
#else
  int rc = C(mysql_get_option)(S->h[i].m, (enum mysql_option)options[k].option, &value);
#endif
  if (rc)
    say("get_option h%d %d: %d", i, options[k].option, rc);
  else if (options[k].kind == 's')
    say("get_option h%d %d: %s", i, options[k].option, text(value.text));
  else
    say("get_option h%d %d: %s", i, options[k].option, bytes(&value, 16));
}

static void connect_it(void)
{
  int i = any_handle();
  if (i < 0)
    return;
  struct handle *h = &S->h[i];
  if (h->connected && !MARIADB_ABI)
    return; /* libmysqlclient refuses and ends what there is: half of its handle is gone */
  static const unsigned long flags[] = {CLIENT_MULTI_STATEMENTS, CLIENT_MULTI_RESULTS, CLIENT_FOUND_ROWS, CLIENT_IGNORE_SPACE,
                                        CLIENT_INTERACTIVE, CLIENT_ODBC, CLIENT_NO_SCHEMA, CLIENT_REMEMBER_OPTIONS, CLIENT_IGNORE_SIGPIPE};
  unsigned long flag = 0;
  if (chance(60))
    flag |= CLIENT_MULTI_STATEMENTS;
  while (chance(30))
    flag |= ONE_OF(flags);
  unsigned way = pick(100);
  const char *user = setting("LOCKSTEP_USER"), *pass = setting("LOCKSTEP_PASSWORD"), *db = S->db, *socket = setting("MS_NODE0_SOCKET");
  const char *host = NULL;
  unsigned port = 0;
  if (way < 4)
    pass = "wrong";
  else if (way < 7)
    db = "mysql_no_such";
  else if (way < 12)
    db = NULL;
  else if (way < 14)
    user = "nobody_there";
  else if (way < 16)
    socket = "/no/such/socket";
  else if (way < 18)
    socket = NULL, host = "127.0.0.1", port = 1;
  else if (way < 30)
    socket = NULL, host = setting("MS_NODE0_HOST"), port = (unsigned)atoi(setting("MS_NODE0_PORT"));
  else if (way < 34)
    host = "localhost";
  /* An unfinished statement's results go first when there is a connection already. */
  MYSQL *m = C(mysql_real_connect)(h->m, host, user, pass, db, port, socket, flag);
  say("real_connect h%d way %u flags %lx connected %d", i, way, flag, h->connected);
  if (m)
    h->connected = 1, h->asked = 0;
  done(i, "connected", m == h->m);
  if (m)
    say("  %s %d %u %s cipher %d", text(C(mysql_get_host_info)(m)), (int)C(mysql_get_server_version)(m),
        C(mysql_get_proto_info)(m), text(C(mysql_get_server_info)(m)), C(mysql_get_ssl_cipher)(m) != NULL);
}

static void close_it(void)
{
  int i = any_handle();
  if (i < 0)
    return;
  say("close h%d", i);
  drop_results_of(i, 1);
  C(mysql_close)(S->h[i].m);
  S->h[i].m = NULL;
  S->h[i].connected = 0;
  for (int k = 0; k < RESULTS; k++)
    if (S->r[k].r && S->r[k].handle == i)
      S->r[k].handle = -1;
  for (int k = 0; k < STATEMENTS; k++)
    if (S->s[k].s && S->s[k].handle == i) {
      S->s[k].handle = -1;
      observe_statement(k);
    }
}

static void store(void)
{
  int i = connected();
  if (i < 0)
    return;
  int unbuffered = chance(35);
  if (S->h[i].asked && S->h[i].m->status == MYSQL_STATUS_GET_RESULT)
    return;
  MYSQL_RES *r = unbuffered ? C(mysql_use_result)(S->h[i].m) : C(mysql_store_result)(S->h[i].m);
  say("%s h%d: %d", unbuffered ? "use_result" : "store_result", i, r != NULL);
  observe_handle(i);
  if (r)
    keep_result(r, i, unbuffered);
}

static void query(void)
{
  static char sql[8192];
  int i = connected();
  if (i < 0)
    return;
  MYSQL *m = S->h[i].m;
  if (stuck(i))
    return;
  size_t n = any_text(sql, sizeof sql, i);
  unsigned way = pick(10);
  asks(i, 0);
  int rc;
  if (way == 9 && (m->status != MYSQL_STATUS_READY || C(mysql_more_results)(m)))
    way = 0; /* a refused mysql_send_query leaves Connector/C reading what is not there */
  say("%s h%d: %s", way < 5 ? "query" : way < 9 ? "real_query" : "send_query", i, bytes(sql, n));
  if (way < 5)
    rc = C(mysql_query)(m, sql);
  else if (way < 9)
    rc = C(mysql_real_query)(m, sql, n);
  else {
    rc = C(mysql_send_query)(m, sql, n);
    say("  sent %d", rc != 0);
    if (!rc)
      rc = C(mysql_read_query_result)(m);
  }
  S->h[i].executed = MARIADB_ABI && rc && S->h[i].executed;
  S->h[i].fresh = 1;
  done(i, "query", rc);
  S->h[i].fresh = 0;
  /* Most programs fetch what there is. */
  if (chance(70)) {
    MYSQL_RES *r = chance(70) ? C(mysql_store_result)(m) : C(mysql_use_result)(m);
    say("  result %d", r != NULL);
    observe_handle(i);
    if (r)
      keep_result(r, i, !r->eof);
  }
}

static void next_result(void)
{
  int i = connected();
  if (i < 0)
    return;
  if (of_a_statement(i))
    return;
  say("next_result h%d", i);
  int rc = C(mysql_next_result)(S->h[i].m);
  say("  next_result: %d", rc > 0 ? 1 : rc);
  S->h[i].fresh = rc == 0;
  observe_handle(i);
  S->h[i].fresh = 0;
}

/* All that is left of a packet of statements. */
static void finish(void)
{
  int i = connected();
  if (i < 0)
    return;
  MYSQL *m = S->h[i].m;
  if (of_a_statement(i))
    return;
  say("finish h%d", i);
  drop_results_of(i, 1);
  for (int k = 0; k < 20; k++) {
    MYSQL_RES *r = C(mysql_store_result)(m);
    say("  result %d", r != NULL);
    if (r) {
      observe_fields(C(mysql_fetch_fields)(r), C(mysql_num_fields)(r));
      C(mysql_free_result)(r);
    }
    observe_handle(i);
    int rc = C(mysql_next_result)(m);
    say("  next %d", rc > 0 ? 1 : rc);
    if (rc)
      break;
  }
  observe_handle(i);
}

static void transaction(void)
{
  int i = connected();
  if (i < 0 || stuck(i))
    return;
  MYSQL *m = S->h[i].m;
  unsigned way = pick(4);
  asks(i, 0);
  say("transaction call %u h%d", way, i);
  switch (way) {
  case 0: done(i, "commit", C(mysql_commit)(m)); break;
  case 1: done(i, "rollback", C(mysql_rollback)(m)); break;
  default: done(i, "autocommit", C(mysql_autocommit)(m, way == 2)); break;
  }
}

static void select_db(void)
{
  int i = connected();
  if (i < 0)
    return;
  static const char *const names[] = {"mysql_no_such", "", "information_schema"};
  const char *name = chance(70) ? S->db : ONE_OF(names);
  asks(i, 0);
  say("select_db h%d %s", i, name);
  done(i, "select_db", C(mysql_select_db)(S->h[i].m, name));
}

static void change_user(void)
{
  int i = connected();
  if (i < 0)
    return;
  if (!MARIADB_ABI && (S->h[i].m->status != MYSQL_STATUS_READY || C(mysql_more_results)(S->h[i].m)))
    return; /* libmysqlclient sends it into the middle of what it has not read */
  /* MariaDB sleeps for a second before it refuses. */
  unsigned way = server_is_mysql || chance(5) ? pick(10) : 4;
  const char *user = way == 0 ? "nobody_there" : setting("LOCKSTEP_USER");
  const char *pass = way == 1 ? "wrong" : setting("LOCKSTEP_PASSWORD");
  const char *db = way == 2 ? NULL : way == 3 ? "mysql_no_such" : S->db;
  asks(i, 0);
  say("change_user h%d way %u", i, way);
  int fd = (int)S->h[i].m->net.fd;
  int rc = C(mysql_change_user)(S->h[i].m, user, pass, db) != 0;
  if (rc && S->h[i].connected && fd >= 0 && C(mysql_errno)(S->h[i].m) < CR_MIN_ERROR)
    wait_for_end(fd); /* the server hangs up, sooner or later */
  done(i, "change_user", rc);
}

static void reset_connection(void)
{
  int i = connected();
  if (i < 0)
    return;
  asks(i, 0);
  if (MARIADB_ABI && (C(mysql_more_results)(S->h[i].m) || of_a_statement(i)))
    return; /* Connector/C leaves some of it in the connection, and takes it for the next reply */
  say("reset_connection h%d", i);
  done(i, "reset_connection", C(mysql_reset_connection)(S->h[i].m));
}

static void small_command(void)
{
  int i = connected();
  if (i < 0 || stuck(i))
    return;
  MYSQL *m = S->h[i].m;
  unsigned way = pick(7);
  asks(i, 0);
  say("small command %u h%d", way, i);
  switch (way) {
  case 0:
  case 1: done(i, "ping", C(mysql_ping)(m)); break;
  case 2: say("  stat %s", text(C(mysql_stat)(m))), observe_handle(i); break;
  case 3: done(i, "kill", C(mysql_kill)(m, 0x7ffffff0ul)); break;
  case 4: done(i, "multi on", C(mysql_set_server_option)(m, MYSQL_OPTION_MULTI_STATEMENTS_ON)); break;
  case 5: done(i, "multi off", C(mysql_set_server_option)(m, MYSQL_OPTION_MULTI_STATEMENTS_OFF)); break;
  case 6: done(i, "dump_debug_info", C(mysql_dump_debug_info)(m)); break;
  }
}

static void charset(void)
{
  int i = connected();
  if (i < 0 || stuck(i))
    return;
  static const char *const names[] = {"utf8mb4", "latin1", "gbk", "sjis", "binary", "utf8", "utf8mb3", "big5", "no_such", "ucs2", "gb18030", "UTF8MB4"};
  const char *name = ONE_OF(names);
  MY_CHARSET_INFO info;
  memset(&info, 0, sizeof info);
  asks(i, 0);
  say("set_character_set h%d %s", i, name);
  done(i, "set_character_set", C(mysql_set_character_set)(S->h[i].m, name));
  if (S->h[i].connected) {
    C(mysql_get_character_set_info)(S->h[i].m, &info);
    say("  %u %x %s %s %s %u %u", info.number, info.state, text(info.csname), text(info.name), text(info.comment), info.mbminlen,
        info.mbmaxlen);
  }
}

static void escape(void)
{
  int i = any_handle();
  if (i < 0 || !S->h[i].connected) /* Connector/C crashes on a handle that never connected */
    return;
  static const unsigned char likely[] = {0, '\'', '"', '\\', '\n', '\r', 26, '`', 'a', '%', 0x81, 0xbf, 0x5c, 0xe5, 0x95, 0x8a, 0xc3};
  char in[64], out[160];
  size_t n = pick(sizeof in);
  for (size_t k = 0; k < n; k++)
    in[k] = (char)(chance(70) ? ONE_OF(likely) : (unsigned char)draw());
  memset(out, 0x33, sizeof out);
  unsigned way = pick(4);
  unsigned long length;
  switch (way) {
  case 0: length = C(mysql_escape_string)(out, in, n); break;
  case 1: length = C(mysql_hex_string)(out, in, n); break;
#if !MARIADB_ABI
  case 2: length = C(mysql_real_escape_string_quote)(S->h[i].m, out, in, n, "'\"`"[pick(3)]); break;
#endif
  default: length = C(mysql_real_escape_string)(S->h[i].m, out, in, n); break;
  }
  say("escape %u h%d %s: %lu", way, i, bytes(in, n), length);
  say("  %s", bytes(out, sizeof out));
  observe_handle(i);
}

static void list(void)
{
  int i = connected();
  if (i < 0 || stuck(i))
    return;
  MYSQL *m = S->h[i].m;
  MYSQL_RES *r = NULL;
  static const char *const wild[] = {NULL, "", "t%", "c_%", "no_such", "_1"};
  static const char *const tables[] = {"types", "t0", "t1", "no_such", ""};
  unsigned way = pick(3);
  const char *like = ONE_OF(wild), *table = ONE_OF(tables);
  if (!MARIADB_ABI && way == 2 && like && *like)
    like = "%"; /* whether a list of no columns is one, or out of memory, hangs on what the handle has allocated before */
  if (!MARIADB_ABI && way == 2 && m->status == MYSQL_STATUS_GET_RESULT)
    return; /* libmysqlclient forgets the columns that wait before it refuses: the handle can never be used again */
  asks(i, 0);
  say("list %u h%d %s %s", way, i, table, text(like));
  switch (way) {
  case 0: r = C(mysql_list_tables)(m, like); break;
  case 1: r = C(mysql_list_dbs)(m, S->db); break;
  case 2: r = C(mysql_list_fields)(m, table, like); break;
  }
  done(i, "list", r != NULL);
  if (r)
    keep_result(r, i, 0);
}

static void track(void)
{
  int i = connected();
  if (i < 0)
    return;
  say("session_track h%d", i);
  for (int type = 0; type < (MARIADB_ABI ? 6 : 8); type++) { /* Connector/C does not look whether there is such a type */
    const char *data = "untouched";
    size_t length = 9;
    int rc = C(mysql_session_track_get_first)(S->h[i].m, (enum enum_session_state_type)type, &data, &length);
    for (int k = 0; k < 200; k++) {
      say("  %d: %d %s", type, rc, rc ? "" : bytes(data, length));
      if (rc)
        break;
      rc = C(mysql_session_track_get_next)(S->h[i].m, (enum enum_session_state_type)type, &data, &length);
    }
  }
}

void wait_for_end(int fd)
{
  struct pollfd p = {.fd = fd, .events = POLLRDHUP};
  poll(&p, 1, 5000);
}

/* The connection ends from outside, or its socket is shut down under it. */
static void cut(void)
{
  int i = connected();
  if (i < 0 || !S->h[i].connected || !C(mysql_thread_id)(S->h[i].m) || S->h[i].m->net.fd < 0)
    return;
  int ours = chance(50);
  int fd = (int)S->h[i].m->net.fd;
  say("connection of h%d ends %s", i, ours ? "here" : "there");
  if (ours)
    shutdown(fd, SHUT_RDWR);
  else {
    kill_connection(C(mysql_thread_id)(S->h[i].m));
    wait_for_end(fd);
  }
  observe_handle(i);
}

#if !MARIADB_ABI
static void attributes(void)
{
  int i = connected();
  if (i < 0)
    return;
  static MYSQL_BIND binds[2];
  static int number = 5;
  static unsigned long length = 3;
  static const char *names[] = {"one", "two"};
  memset(binds, 0, sizeof binds);
  binds[0].buffer_type = MYSQL_TYPE_LONG, binds[0].buffer = &number;
  binds[1].buffer_type = chance(80) ? MYSQL_TYPE_STRING : (enum enum_field_types)pick(30);
  binds[1].buffer = "abcdefghijklmnopqrstuvwxyz0123456789....";
  binds[1].buffer_length = 3, binds[1].length = &length;
  unsigned n = pick(3);
  say("bind_param h%d %u type %d", i, n, (int)binds[1].buffer_type);
  done(i, "bind_param", C(mysql_bind_param)(S->h[i].m, n, binds, names));
}
#else
static void told(void)
{
  int i = any_handle();
  if (i < 0)
    return;
  static const struct { int value; char kind; } values[] = {
      {MARIADB_CHARSET_ID, 'x'}, {MARIADB_CONNECTION_ERROR, 's'}, {MARIADB_CONNECTION_ERROR_ID, 'u'}, {MARIADB_CONNECTION_HOST, 's'},
      {MARIADB_CONNECTION_INFO, 's'}, {MARIADB_CONNECTION_PORT, 'u'}, {MARIADB_CONNECTION_PROTOCOL_VERSION_ID, 'u'},
      {MARIADB_CONNECTION_PVIO_TYPE, 'u'}, {MARIADB_CONNECTION_SCHEMA, 's'}, {MARIADB_CONNECTION_SERVER_TYPE, 's'},
      {MARIADB_CONNECTION_SERVER_VERSION, 's'}, {MARIADB_CONNECTION_SERVER_VERSION_ID, 'z'}, {MARIADB_CONNECTION_SQLSTATE, 's'},
      {MARIADB_CONNECTION_SSL_CIPHER, 's'}, {MARIADB_CONNECTION_UNIX_SOCKET, 's'}, {MARIADB_CONNECTION_USER, 's'},
      {MARIADB_CONNECTION_SERVER_STATUS, 'u'}, {MARIADB_CONNECTION_SERVER_CAPABILITIES, 'z'},
      {MARIADB_CONNECTION_EXTENDED_SERVER_CAPABILITIES, 'z'}, {MARIADB_CONNECTION_CLIENT_CAPABILITIES, 'z'},
  };
  unsigned k = pick(sizeof values / sizeof *values);
  union { char *text; unsigned char room[64]; } value;
  memset(&value, 0x44, sizeof value);
  if (values[k].kind == 'x')
    return;
  my_bool rc = C(mariadb_get_infov)(S->h[i].m, (enum mariadb_value)values[k].value, &value);
  if (rc)
    say("get_info h%d %d: %d", i, values[k].value, rc);
  else if (values[k].kind == 's')
    say("get_info h%d %d: %s", i, values[k].value, text(value.text));
  else
    say("get_info h%d %d: %s", i, values[k].value, bytes(&value, 16));
}
#endif

const struct op handle_ops[] = {
    {"init", 20, init}, {"options", 6, set_option}, {"get_option", 6, get_option}, {"connect", 24, connect_it}, {"close", 5, close_it},
    {"query", 170, query}, {"store", 20, store}, {"next_result", 20, next_result}, {"finish", 30, finish},
    {"transaction", 8, transaction}, {"select_db", 6, select_db}, {"change_user", 3, change_user},
    {"reset_connection", 3, reset_connection}, {"small command", 8, small_command}, {"charset", 5, charset}, {"escape", 10, escape},
    {"list", 6, list}, {"track", 8, track}, {"cut", 2, cut},
#if !MARIADB_ABI
    {"bind_param", 3, attributes},
#else
    {"get_info", 6, told},
#endif
    {NULL, 0, NULL},
};
