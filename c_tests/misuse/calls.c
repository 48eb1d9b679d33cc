/*
 * calls.c: every call of the .inc files as a function, and the table of them.
 */
#include "misuse.h"

/* What calls are given besides the handle: nothing wrong with any of it. */
static char space[4096];
static unsigned int seven = 7, number;
static unsigned long cursor;
static unsigned long lengths[4];
static const char *text;
static size_t length;
static my_bool nulls[4];
static long long integer = 42;
static MYSQL_BIND buffers[4] = {{.buffer = &integer, .buffer_type = MYSQL_TYPE_LONGLONG, .length = lengths, .is_null = nulls}};

static int refuse(MYSQL_PLUGIN_VIO *vio, MYSQL *m)
{
  (void)vio, (void)m;
  return 0; /* CR_ERROR */
}
static struct lab_auth a_plugin = LAB_AUTH("misuse", refuse);

static struct st_mysql_client_plugin *load_plugin_v(MYSQL *m, const char *name, int type, int argc, ...)
{
  struct st_mysql_client_plugin *mysql_load_plugin_v(MYSQL *, const char *, int, int, va_list);
  va_list args;
  va_start(args, argc);
  struct st_mysql_client_plugin *found = mysql_load_plugin_v(m, name, type, argc, args);
  va_end(args);
  return found;
}

/* The number that was written, if any was. */
static void value_of_charset(MYSQL *m, char *value)
{
  MY_CHARSET_INFO cs;
  memset(&cs, 0, sizeof cs);
  mysql_get_character_set_info(m, &cs);
  cs.number ? sprintf(value, "charset %u", cs.number) : sprintf(value, "void");
}

#if LAB_MARIADB_ABI
#define COMPILED_IN "mysql_native_password"
#else
#define COMPILED_IN "caching_sha2_password"
#endif

#if LAB_MARIADB_ABI
/* Has the operation go on until it has ended. */
static int wait_for(MYSQL *m, int status)
{
  struct pollfd wait = {.fd = mysql_get_socket(m), .events = 0};
  wait.events = (short)((status & 1 ? POLLIN : 0) | (status & 2 ? POLLOUT : 0) | (status & 4 ? POLLPRI : 0));
  poll(&wait, 1, 2000);
  return (wait.revents & (POLLIN | POLLHUP | POLLERR) ? 1 : 0) | (wait.revents & POLLOUT ? 2 : 0);
}
#else
static const char *names[4] = {"first"};
static MYSQL_RES *result;
static MYSQL_ROW row;
static MYSQL_RPL log = {.file_name_length = 0, .server_id = 4711, .start_position = 4};

/* The last word of an operation: it is asked for until it is there. */
#define finished(call)                                                                                                 \
  ({                                                                                                                   \
    enum net_async_status status_;                                                                                     \
    while ((status_ = (call)) == NET_ASYNC_NOT_READY)                                                                  \
      usleep(1000);                                                                                                    \
    (int)status_;                                                                                                      \
  })
#endif

#define ROW(suffix, function, ...)                                                                                     \
  static void function##suffix(MYSQL *m, MYSQL_STMT *s, MYSQL_RES *r, MARIADB_RPL *rpl, char *value)                   \
  {                                                                                                                    \
    (void)m, (void)s, (void)r, (void)rpl;                                                                              \
    __VA_ARGS__;                                                                                                           \
  }
#define NUM(function, call) ROW(_row, function, sprintf(value, "%lld", (long long)(call)))
#define RC(function, call) ROW(_row, function, sprintf(value, "%s", (call) ? "fails" : "0"))
#define PTR(function, call) ROW(_row, function, sprintf(value, "%s", (call) ? "something" : "null"))
#define TEXT(function, call) ROW(_row, function, const char *said = (call); sprintf(value, said ? "'%.200s'" : "null", said))
#define NOTHING(function, call) ROW(_row, function, call; if (!*value) sprintf(value, "void"))
#define END(function, call) ROW(_row, function, call; sprintf(value, "void"))
#define ENDNUM(function, call) NUM(function, call)
/* An operation that waits is led to its end: `ready` is what the next step is told. */
#define STEPS(function, type, start, cont)                                                                             \
  ROW(_start_row, function, type ret = 0; int ready, status = function##_start start;                                  \
      while (status && m) ready = wait_for(m, status), status = function##_cont cont;                                  \
      sprintf(value, "%s, returned %s", status ? "waits" : "ended", ret ? "something" : "0"))                          \
  ROW(_cont_row, function, type ret = 0; int ready = 1, status = function##_cont cont;                                 \
      sprintf(value, "%s, returned %s", status ? "waits" : "ended", ret ? "something" : "0"))
#define ENDSTEPS STEPS
#define ENDING(function, start, cont)                                                                                  \
  ROW(_start_row, function, int status = function##_start start; sprintf(value, "%s", status ? "waits" : "ended"))     \
  ROW(_cont_row, function, int ready = 1, status = function##_cont cont;                                               \
      sprintf(value, "%s", status ? "waits" : "ended"))

/* As include/mysqlclient_ms.h declares them, but that the original need not have them. */
#pragma weak mysqlnd_ms_dump_servers
#pragma weak mysqlnd_ms_get_last_decision
#pragma weak mysqlnd_ms_get_last_gtid
#pragma weak mysqlnd_ms_get_last_used_connection
#pragma weak mysqlnd_ms_get_node_stats
#pragma weak mysqlnd_ms_get_token
#pragma weak mysqlnd_ms_set_qos
#pragma weak mysqlnd_ms_set_token
size_t mysqlnd_ms_dump_servers(void *, void *, size_t);
const char *mysqlnd_ms_get_last_decision(void *);
const char *mysqlnd_ms_get_last_gtid(void *);
int mysqlnd_ms_get_last_used_connection(void *, void *);
size_t mysqlnd_ms_get_node_stats(void *, void *, size_t);
const char *mysqlnd_ms_get_token(void *);
int mysqlnd_ms_set_qos(void *, int, int, const char *);
int mysqlnd_ms_set_token(void *, const char *);

/* First the functions. */
#include "all.inc"

#undef NUM
#undef RC
#undef PTR
#undef TEXT
#undef NOTHING
#undef END
#undef ENDNUM
#undef STEPS
#undef ENDSTEPS
#undef ENDING

/* Then the table. */
#define NUM(function, call) {#function, SORT, 0, function##_row},
#define RC NUM
#define PTR NUM
#define TEXT NUM
#define NOTHING NUM
#define END(function, call) {#function, SORT, 1, function##_row},
#define ENDNUM END
#define STEPS(function, type, start, cont)                                                                             \
  {#function "_start", SORT, 0, function##_start_row}, {#function "_cont", SORT, 0, function##_cont_row},
#define ENDSTEPS(function, type, start, cont)                                                                          \
  {#function "_start", SORT, 1, function##_start_row}, {#function "_cont", SORT, 0, function##_cont_row},
#define ENDING(function, start, cont)                                                                                  \
  {#function "_start", SORT, 1, function##_start_row}, {#function "_cont", SORT, 1, function##_cont_row},

const struct call calls[] = {
#include "all.inc"
  {NULL, ON_HANDLE, 0, NULL},
};
