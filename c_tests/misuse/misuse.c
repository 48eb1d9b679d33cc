/*
 * misuse.c: makes every call of the table on every kind of wrong handle, each in a child process of its own, and prints what came
 * of it: the value, the error that the handle then has, or how the child died.
 *
 *   misuse [ORIGINAL]
 *
 * With the path of the family's original library, which is then loaded beside ours, also on handles of other libraries.
 */
#include "misuse.h"

#include <dlfcn.h>

static MYSQL place; /* a handle in the program's memory */
static void *original;

static MYSQL *live(MYSQL *m)
{
  m = mysql_init(m);
  if (!mysql_real_connect(m, NULL, user(), pass(), db(), 0, sock(), 0)) {
    show("cannot connect", m);
    fflush(stdout);
    _exit(5);
  }
  return m;
}

/* The server ends the connection that asks for it, and the end has arrived. */
static void be_killed(MYSQL *m)
{
  struct pollfd end = {.fd = m->net.fd, .events = POLLRDHUP};
  mysql_query(m, "KILL CONNECTION_ID()");
  poll(&end, 1, 5000);
}

static MYSQL_STMT *prepared(MYSQL *m)
{
  MYSQL_STMT *s = mysql_stmt_init(m);
  if (mysql_stmt_prepare(s, "SELECT 1", 8)) {
    say("cannot prepare: %s", mysql_stmt_error(s));
    fflush(stdout);
    _exit(5);
  }
  return s;
}

static MYSQL_RES *use(MYSQL *m, const char *sql)
{
  must(m, "DO 1");
  mysql_query(m, sql);
  return mysql_use_result(m);
}

/* A function of the original, or of the family of ours that the program was not built for. */
static void *theirs(const char *name)
{
  void *found = dlsym(original, name);
  if (!found) {
    say("no %s: %s", name, dlerror());
    fflush(stdout);
    _exit(5);
  }
  return found;
}

static void *other(const char *name)
{
#if LAB_MARIADB_ABI
  void *found = dlvsym(RTLD_DEFAULT, name, "libmysqlclient_24.0");
#else
  void *found = dlvsym(RTLD_DEFAULT, name, "libmysqlclient_18");
#endif
  if (!found) {
    say("no %s of the other family", name);
    fflush(stdout);
    _exit(5);
  }
  return found;
}

typedef void *(*one)(void *);
typedef void *(*connecting)(void *, const char *, const char *, const char *, const char *, unsigned, const char *,
                            unsigned long);
typedef int (*asking)(void *, const char *);

/* A connected handle of another library; both families have these four alike. */
static void *live_by(void *(*library)(const char *))
{
  void *m = ((one)library("mysql_init"))(NULL);
  if (!((connecting)library("mysql_real_connect"))(m, NULL, user(), pass(), db(), 0, sock(), 0)) {
    say("another library cannot connect");
    fflush(stdout);
    _exit(5);
  }
  return m;
}

static void *result_by(void *(*library)(const char *))
{
  void *m = live_by(library);
  ((asking)library("mysql_query"))(m, "SELECT 1");
  return ((one)library("mysql_use_result"))(m);
}

/* Half open: a connect was begun, and nobody says anything at the other end. */
static MYSQL *half_open(void)
{
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof at;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr *)&at, sizeof at) || listen(listener, 4) ||
      getsockname(listener, (struct sockaddr *)&at, &length))
    _exit(5);
  MYSQL *m = mysql_init(NULL);
#if LAB_MARIADB_ABI
  MYSQL *ret;
  mysql_options(m, MYSQL_OPT_NONBLOCK, 0);
  mysql_real_connect_start(&ret, m, "127.0.0.1", user(), pass(), db(), ntohs(at.sin_port), NULL, 0);
#else
  mysql_real_connect_nonblocking(m, "127.0.0.1", user(), pass(), db(), ntohs(at.sin_port), NULL, 0);
#endif
  return m;
}

/* ---- the states; a name that begins with "foreign" needs the other library ---- */

#define STATE(function, ...)                                                                                           \
  static void function(struct wrong *w)                                                                                \
  {                                                                                                                    \
    __VA_ARGS__;                                                                                                           \
  }

STATE(none, (void)w)
STATE(initialised, w->m = mysql_init(NULL); w->alive = 1)
STATE(closed, mysql_close(w->m = mysql_init(&place)))
STATE(disconnected, mysql_close(w->m = live(&place)))
STATE(refused, w->m = mysql_init(NULL); w->alive = 1;
      mysql_real_connect(w->m, NULL, user(), pass(), db(), 0, "/nowhere/at all", 0))
STATE(killed, be_killed(w->m = live(NULL)); w->alive = 1)
STATE(unread, w->m = live(NULL); mysql_query(w->m, "SELECT 1 UNION SELECT 2"); w->alive = 1)
STATE(zeroed, w->m = &place)
STATE(opening, w->m = half_open())
STATE(foreign, w->m = live_by(theirs))
STATE(other_family, w->m = live_by(other))

STATE(new_statement, w->s = mysql_stmt_init(w->m = live(NULL)); w->alive = 1)
STATE(unconnected_statement, w->s = mysql_stmt_init(w->m = mysql_init(NULL)); w->alive = 1)
STATE(wrong_statement, w->s = mysql_stmt_init(w->m = live(NULL)); mysql_stmt_prepare(w->s, "nonsense", 8); w->alive = 1)
STATE(closed_statement, w->s = prepared(live(&place)); mysql_close(&place))
STATE(killed_statement, w->s = prepared(w->m = live(NULL)); mysql_stmt_execute(w->s); mysql_stmt_free_result(w->s);
      be_killed(w->m); w->alive = 1)
STATE(zeroed_statement, static MYSQL_STMT s; w->s = &s)
STATE(foreign_statement, w->s = ((one)theirs("mysql_stmt_init"))(live_by(theirs)))
STATE(other_statement, w->s = ((one)other("mysql_stmt_init"))(live_by(other)))

STATE(ended_result, w->m = live(NULL); mysql_query(w->m, "SELECT 1 UNION SELECT 2"); w->r = mysql_store_result(w->m);
      while (mysql_fetch_row(w->r)); w->alive = 1)
STATE(ended_unbuffered, w->r = use(w->m = live(NULL), "SELECT 1 UNION SELECT 2"); while (mysql_fetch_row(w->r));
      w->alive = 1)
STATE(columns, w->m = live(NULL); w->r = mysql_list_fields(w->m, "misuse_t", NULL); w->alive = 1)
STATE(closed_unbuffered, w->r = use(live(&place), "SELECT 1 UNION SELECT 2"); mysql_close(&place))
STATE(zeroed_result, static MYSQL_RES r; w->r = &r)
STATE(foreign_result, w->r = result_by(theirs))
STATE(other_result, w->r = result_by(other))

#if LAB_MARIADB_ABI
STATE(new_stream, w->rpl = mariadb_rpl_init(w->m = mysql_init(NULL)); w->alive = 1)
STATE(killed_stream, w->rpl = mariadb_rpl_init(w->m = live(NULL)); be_killed(w->m); w->alive = 1)
STATE(closed_stream, w->rpl = mariadb_rpl_init(live(&place)); mysql_close(&place))
STATE(zeroed_stream, static MARIADB_RPL rpl; w->rpl = &rpl)
STATE(foreign_stream, w->rpl = ((void *(*)(void *, unsigned))theirs("mariadb_rpl_init_ex"))(live_by(theirs), MARIADB_RPL_VERSION))
#endif

static const struct state {
  const char *name;
  enum sort sort;
  int beside; /* only beside ours */
  void (*make)(struct wrong *);
} states[] = {
  {"null", ON_HANDLE, 0, none},
  {"initialised", ON_HANDLE, 0, initialised},
  {"refused", ON_HANDLE, 0, refused},
  {"killed", ON_HANDLE, 0, killed},
  {"unread", ON_HANDLE, 0, unread},
  {"closed", ON_HANDLE, 0, closed},
  {"disconnected", ON_HANDLE, 0, disconnected},
  {"zeroed", ON_HANDLE, 0, zeroed},
  {"opening", ON_HANDLE, 1, opening},
  {"foreign", ON_HANDLE, 1, foreign},
  {"other-family", ON_HANDLE, 1, other_family},
  {"null-statement", ON_STATEMENT, 0, none},
  {"new-statement", ON_STATEMENT, 0, new_statement},
  {"unconnected-statement", ON_STATEMENT, 0, unconnected_statement},
  {"wrong-statement", ON_STATEMENT, 0, wrong_statement},
  {"killed-statement", ON_STATEMENT, 0, killed_statement},
  {"closed-statement", ON_STATEMENT, 0, closed_statement},
  {"zeroed-statement", ON_STATEMENT, 0, zeroed_statement},
  {"foreign-statement", ON_STATEMENT, 1, foreign_statement},
  {"other-statement", ON_STATEMENT, 1, other_statement},
  {"null-result", ON_RESULT, 0, none},
  {"ended-result", ON_RESULT, 0, ended_result},
  {"ended-unbuffered", ON_RESULT, 0, ended_unbuffered},
  {"columns", ON_RESULT, 0, columns},
  {"closed-unbuffered", ON_RESULT, 0, closed_unbuffered},
  {"zeroed-result", ON_RESULT, 0, zeroed_result},
  {"foreign-result", ON_RESULT, 1, foreign_result},
  {"other-result", ON_RESULT, 1, other_result},
#if LAB_MARIADB_ABI
  {"null-stream", ON_STREAM, 0, none},
  {"new-stream", ON_STREAM, 0, new_stream},
  {"killed-stream", ON_STREAM, 0, killed_stream},
  {"closed-stream", ON_STREAM, 0, closed_stream},
  {"zeroed-stream", ON_STREAM, 0, zeroed_stream},
  {"foreign-stream", ON_STREAM, 1, foreign_stream},
#endif
};

/* In the child. The line is printed when all is over: the handle's end, too. */
static void make(const struct state *state, const struct call *call)
{
  struct wrong w = {0};
  char value[512] = "", error[1024] = "";
  alarm(60);
  state->make(&w);
  call->make(w.m, w.s, w.r, w.rpl, value);
  if (w.alive) {
    int ended = call->ends && call->sort == ON_HANDLE;
    if (!ended)
      snprintf(error, sizeof error, " errno=%u state=%s text=%s", mysql_errno(w.m), mysql_sqlstate(w.m), mysql_error(w.m));
    if (w.s && !call->ends) {
      size_t n = strlen(error);
      snprintf(error + n, sizeof error - n, " statement errno=%u state=%s text=%s", mysql_stmt_errno(w.s),
               mysql_stmt_sqlstate(w.s), mysql_stmt_error(w.s));
      mysql_stmt_close(w.s);
    }
    if (w.r && !call->ends)
      mysql_free_result(w.r);
#if LAB_MARIADB_ABI
    if (w.rpl && !call->ends)
      mariadb_rpl_close(w.rpl);
#endif
    if (!ended)
      mysql_close(w.m);
  }
  say("%s %s: %s%s", state->name, call->name, value, error);
}

int main(int argc, char **argv)
{
  lab_start();
  if (argc > 1 && !(original = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW | RTLD_LOCAL))) {
    fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  MYSQL *m = live(NULL);
  must(m, "CREATE TABLE IF NOT EXISTS misuse_t (id INT PRIMARY KEY, v VARCHAR(10))");
  mysql_close(m);
  for (size_t n = 0; n < sizeof states / sizeof *states; n++)
    for (const struct call *call = calls; call->name; call++) {
      const struct state *state = &states[n];
      int own = !strncmp(call->name, "mysqlnd_ms_", 11);
      if (state->sort != call->sort || ((state->beside || own) && !original))
        continue;
      if (state->make == opening && !strncmp(call->name, "mysql_real_connect_", 19))
        continue; /* goes on with what was begun */
      fflush(stdout);
      pid_t child = fork();
      if (child == 0) {
        make(state, call);
        fflush(stdout);
        _exit(0);
      }
      int status = 0;
      waitpid(child, &status, 0);
      if (WIFSIGNALED(status))
        say("%s %s: died by signal %d", state->name, call->name, WTERMSIG(status));
      else if (WEXITSTATUS(status))
        say("%s %s: exit %d", state->name, call->name, WEXITSTATUS(status));
    }
  puts("\nend");
  return 0;
}
