/*
 * lab.h: what the C test programs share: the servers they run against, printing
 * that is the same on every run, and a scripted server in a child process.
 *
 * The programs print what the client library shows them and nothing else: the
 * runner compares their output with the original library and with ours, byte by
 * byte. So ports, paths, ids and times never reach the output unmasked, and no
 * program may look at which library it runs with.
 */
#ifndef LAB_H
#define LAB_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <mysql.h>
#include <errmsg.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef MARIADB_PACKAGE_VERSION
#define LAB_MARIADB_ABI 1
#else
#include <stdbool.h>
#define LAB_MARIADB_ABI 0
typedef bool my_bool;
#endif

/* ---- masking: texts that differ from run to run, and what to print instead ---- */

struct lab_mask { char from[256]; char to[32]; };
static struct lab_mask lab_masks[32];
static int lab_mask_count;

/* From now on print `to` wherever the text `from` would be printed. */
static void lab_mask(const char *from, const char *to)
{
  if (!from || !*from || lab_mask_count == 32)
    return;
  struct lab_mask *m = &lab_masks[lab_mask_count++];
  snprintf(m->from, sizeof m->from, "%s", from);
  snprintf(m->to, sizeof m->to, "%s", to);
}

static void lab_mask_number(unsigned long n, const char *to)
{
  char text[32];
  snprintf(text, sizeof text, "%lu", n);
  lab_mask(text, to);
}

static int lab_digit(char c) { return c >= '0' && c <= '9'; }

static const char *lab_cut;

/* Leave out what follows this text in a line (NULL: nothing), for texts that go
   on with the place of a library's own files. */
__attribute__((unused))
static void lab_cut_after(const char *text) { lab_cut = text; }

/* Print `text` masked; a number is masked only where it stands alone. The
   number in the stale texts is whatever errno lay around in the originals, or the next
   of a server that counts for all its clients. */
static void lab_put(const char *text)
{
  static const char *const stale[] = {"system error: ", "Can't connect to server (",
                                      "Can't create UNIX socket (", "prepared statement handler ("};
  const char *p = text;
  while (*p) {
    int hit = 0;
    if (lab_cut && strncmp(p, lab_cut, strlen(lab_cut)) == 0) {
      fputs("(...)", stdout);
      return;
    }
    for (int i = 0; i < 4 && !hit; i++) {
      size_t n = strlen(stale[i]);
      if (strncmp(p, stale[i], n) == 0) {
        printf("%sN", stale[i]);
        p += n;
        while (lab_digit(*p))
          p++;
        hit = 1;
      }
    }
    if (hit)
      continue;
    for (int i = 0; i < lab_mask_count; i++) {
      size_t n = strlen(lab_masks[i].from);
      if (strncmp(p, lab_masks[i].from, n) != 0)
        continue;
      if (lab_digit(p[0]) && ((p > text && lab_digit(p[-1])) || lab_digit(p[n])))
        continue;
      fputs(lab_masks[i].to, stdout);
      p += n;
      hit = 1;
      break;
    }
    if (!hit)
      putchar(*p++);
  }
}

/* While this is set, lines begin with "~": the original is careless here and ours is
   not, on purpose. The runner does not compare them; ours must refuse (rc not 0). */
static int stricter;

__attribute__((format(printf, 1, 2), unused))
static void say(const char *format, ...)
{
  static char text[1 << 17];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (stricter)
    putchar('~');
  lab_put(text);
  putchar('\n');
  fflush(stdout);
}

__attribute__((format(printf, 1, 2), unused))
static void section(const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  printf("\n== %s\n", text);
  fflush(stdout);
}

/* Bytes as text: printable ones as they are, others as \xNN. */
__attribute__((unused))
static const char *bytes(const void *data, size_t length)
{
  static char ring[8][4096];
  static int next;
  char *out = ring[next++ % 8], *p = out;
  const unsigned char *in = data;
  if (!data)
    return "NULL";
  size_t shown = length > 900 ? 900 : length;
  for (size_t i = 0; i < shown; i++) {
    if (in[i] >= 32 && in[i] < 127 && in[i] != '\\')
      *p++ = (char)in[i];
    else
      p += sprintf(p, "\\x%02X", in[i]);
  }
  if (shown < length)
    p += sprintf(p, "...(%zu)", length);
  *p = 0;
  return out;
}

/* FNV-1a: for contents that are too long to print. */
__attribute__((unused))
static unsigned long long digest(const void *data, size_t length)
{
  const unsigned char *p = data;
  unsigned long long h = 14695981039346656037ull;
  for (size_t i = 0; i < length; i++)
    h = (h ^ p[i]) * 1099511628211ull;
  return h;
}

__attribute__((unused))
static const char *or_null(const char *s) { return s ? s : "NULL"; }

/* ---- the cluster, as the harness tells it ---- */

static const char *lab_env(const char *name)
{
  const char *value = getenv(name);
  if (!value) {
    fprintf(stderr, "%s is not set: run under the cluster harness\n", name);
    exit(3);
  }
  return value;
}

__attribute__((unused)) static const char *host(void) { return lab_env("MS_NODE0_HOST"); }
__attribute__((unused)) static unsigned int port(void) { return (unsigned)atoi(lab_env("MS_NODE0_PORT")); }
__attribute__((unused)) static const char *sock(void) { return lab_env("MS_NODE0_SOCKET"); }
__attribute__((unused)) static const char *user(void) { return lab_env("MS_USER"); }
__attribute__((unused)) static const char *pass(void) { return lab_env("MS_PASSWORD"); }
__attribute__((unused)) static const char *db(void) { return lab_env("MS_DB"); }
__attribute__((unused)) static int server_is_mysql(void) { return !strcmp(lab_env("MS_FAMILY"), "mysql"); }

/* Call first: unbuffered stdout order, masks of this cluster, library set up. */
__attribute__((unused))
static void lab_start(void)
{
  setvbuf(stdout, NULL, _IOFBF, 1 << 16);
  lab_mask(lab_env("MS_NODE0_SOCKET"), "SOCKET");
  lab_mask_number(port(), "PORT");
  mysql_library_init(0, NULL, NULL);
}

/* ---- printing what a handle says ---- */

__attribute__((unused))
static void show(const char *what, MYSQL *m)
{
  say("%-34s errno=%u state=%s text=%s", what, mysql_errno(m), or_null(mysql_sqlstate(m)),
      or_null(mysql_error(m)));
}

/* A call's return value is 0 or not: which number it is when it is not, the originals
   themselves leave to chance (-1, 1, the error's number). */
__attribute__((unused))
static void show_rc(const char *what, long long rc, MYSQL *m)
{
  say("%-34s rc=%d errno=%u state=%s text=%s", what, rc != 0, mysql_errno(m),
      or_null(mysql_sqlstate(m)), or_null(mysql_error(m)));
}

/* mysql_next_result's means something: 0 a result, -1 no more, above 0 an error. */
__attribute__((unused))
static int show_next(const char *what, MYSQL *m)
{
  int rc = mysql_next_result(m);
  say("%-34s next=%s errno=%u state=%s text=%s", what, rc == 0 ? "result" : rc < 0 ? "none" : "error",
      mysql_errno(m), or_null(mysql_sqlstate(m)), or_null(mysql_error(m)));
  return rc;
}

/* What a statement left on the handle. */
__attribute__((unused))
static void show_status(const char *what, MYSQL *m)
{
  say("%-34s affected=%lld id=%llu warnings=%u fields=%u info=%s errno=%u", what,
      (long long)mysql_affected_rows(m), (unsigned long long)mysql_insert_id(m),
      mysql_warning_count(m), mysql_field_count(m), or_null(mysql_info(m)), mysql_errno(m));
}

__attribute__((unused))
static int query(MYSQL *m, const char *sql)
{
  int rc = mysql_query(m, sql);
  if (rc)
    show_rc(sql, rc, m);
  return rc;
}

/* A set-up statement that must work. */
__attribute__((unused))
static void must(MYSQL *m, const char *sql)
{
  if (mysql_query(m, sql)) {
    say("MUST %s: %u %s", sql, mysql_errno(m), mysql_error(m));
    fflush(stdout);
    exit(4);
  }
  MYSQL_RES *r = mysql_store_result(m);
  if (r)
    mysql_free_result(r);
}

/* The first value of a statement, copied; "NULL" for NULL. */
__attribute__((unused))
static char *value(MYSQL *m, const char *sql)
{
  static char ring[8][4096];
  static int next;
  char *out = ring[next++ % 8];
  snprintf(out, 4096, "(none)");
  if (mysql_query(m, sql)) {
    snprintf(out, 4096, "error %u", mysql_errno(m));
    return out;
  }
  MYSQL_RES *r = mysql_store_result(m);
  if (r) {
    MYSQL_ROW row = mysql_fetch_row(r);
    if (row)
      snprintf(out, 4096, "%s", row[0] ? row[0] : "NULL");
    mysql_free_result(r);
  }
  return out;
}

__attribute__((unused))
static void alive(MYSQL *m)
{
  say("SELECT 7 on it: %s", value(m, "SELECT 7"));
}

/* A handle connected over TCP to the test schema, or the end of the program. */
__attribute__((unused))
static MYSQL *connected_to(MYSQL *m, const char *schema, unsigned long flags)
{
  if (!m)
    m = mysql_init(NULL);
  if (!mysql_real_connect(m, host(), user(), pass(), schema, port(), NULL, flags)) {
    show("cannot connect", m);
    fflush(stdout);
    exit(5);
  }
  return m;
}

__attribute__((unused))
static MYSQL *connected(void) { return connected_to(NULL, db(), 0); }

/* A handle of the administrator, whose statements tests use on other handles. */
__attribute__((unused))
static MYSQL *admin(void)
{
  MYSQL *m = mysql_init(NULL);
  if (!mysql_real_connect(m, host(), lab_env("MS_ADMIN_USER"), lab_env("MS_ADMIN_PASSWORD"), db(),
                          port(), NULL, 0)) {
    show("admin cannot connect", m);
    fflush(stdout);
    exit(5);
  }
  return m;
}

/* Have the server end the connection of `victim`, and wait until it is gone. */
__attribute__((unused))
static void kill_from_outside(MYSQL *victim)
{
  unsigned long id = mysql_thread_id(victim);
  char sql[160];
  MYSQL *a = admin();
  snprintf(sql, sizeof sql, "KILL %lu", id);
  must(a, sql);
  snprintf(sql, sizeof sql, "SELECT COUNT(*) FROM information_schema.processlist WHERE id = %lu", id);
  for (int i = 0; i < 200 && strcmp(value(a, sql), "0"); i++)
    usleep(20000);
  mysql_close(a);
  usleep(50000); /* the end of the stream follows the entry's end */
}

/* ---- a scripted server: one child process per script ---- */

struct fake { int port; pid_t pid; };
typedef void (*fake_script)(int fd);

/* End a connection as a server that ends properly does: nothing more is sent, what
   the client still sends is read away, so that no reset overtakes our bytes.
   (A script that wants a reset has set SO_LINGER.) */
static void fake_finish(int fd)
{
  struct linger l = {0, 0};
  socklen_t length = sizeof l;
  char sink[4096];
  getsockopt(fd, SOL_SOCKET, SO_LINGER, &l, &length);
  if (!l.l_onoff) {
    shutdown(fd, SHUT_WR);
    while (recv(fd, sink, sizeof sink, 0) > 0)
      ;
  }
  close(fd);
}

/* Listen on a free port; the child serves `connections` connections one by one. */
__attribute__((unused))
static struct fake fake_start(fake_script script, int connections)
{
  struct fake f;
  int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof a;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (struct sockaddr *)&a, sizeof a) || listen(listener, 16) ||
      getsockname(listener, (struct sockaddr *)&a, &length)) {
    perror("fake server");
    exit(6);
  }
  f.port = ntohs(a.sin_port);
  fflush(stdout);
  f.pid = fork();
  if (f.pid == 0) {
    signal(SIGPIPE, SIG_IGN);
    alarm(60); /* never outlive a broken test */
    while (connections-- > 0) {
      int fd = accept(listener, NULL, NULL);
      if (fd < 0)
        break;
      script(fd);
      fake_finish(fd);
    }
    _exit(0);
  }
  close(listener);
  return f;
}

__attribute__((unused))
static void fake_end(struct fake f)
{
  kill(f.pid, SIGKILL);
  waitpid(f.pid, NULL, 0);
}

__attribute__((unused))
static void fake_send(int fd, const void *data, size_t n)
{
  const char *p = data;
  while (n) {
    ssize_t k = send(fd, p, n, MSG_NOSIGNAL);
    if (k <= 0)
      return;
    p += k;
    n -= (size_t)k;
  }
}

__attribute__((unused))
static void fake_packet(int fd, unsigned char number, const void *data, size_t n)
{
  unsigned char head[4] = {n & 255, (n >> 8) & 255, (n >> 16) & 255, number};
  char whole[65536];
  memcpy(whole, head, 4);
  memcpy(whole + 4, data, n);
  fake_send(fd, whole, n + 4);
}

/* Read one packet of the client; its length or -1. */
__attribute__((unused))
static int fake_read(int fd)
{
  unsigned char head[4];
  char body[65536];
  if (recv(fd, head, 4, MSG_WAITALL) != 4)
    return -1;
  size_t n = head[0] | head[1] << 8 | head[2] << 16;
  if (n > sizeof body || (n && recv(fd, body, n, MSG_WAITALL) != (ssize_t)n))
    return -1;
  return (int)n;
}

/* CLIENT_* flags the scripted server offers: protocol 41, schema, plugin auth,
   secure connection, transactions, multi results; no TLS, no new EOF style. */
#define FAKE_CAPS (0x000F | 0x0200 | 0x2000 | 0x8000 | 0x20000 | 0x40000 | 0x80000)

__attribute__((unused))
static size_t fake_greeting(unsigned char *out, const char *version, unsigned caps, const char *plugin)
{
  unsigned char *p = out;
  *p++ = 10;
  p += sprintf((char *)p, "%s", version) + 1;
  memcpy(p, "\x4d\x01\0\0", 4), p += 4;
  memcpy(p, "abcdefgh", 9), p += 9;
  *p++ = caps & 255, *p++ = (caps >> 8) & 255;
  *p++ = 45;
  *p++ = 2, *p++ = 0;
  *p++ = (caps >> 16) & 255, *p++ = (caps >> 24) & 255;
  *p++ = 21;
  memset(p, 0, 10), p += 10;
  memcpy(p, "ijklmnopqrst", 13), p += 13;
  p += sprintf((char *)p, "%s", plugin) + 1;
  return (size_t)(p - out);
}

/* Log a client in that has an empty password: greeting, its answer, OK. */
__attribute__((unused))
static int fake_login(int fd)
{
  unsigned char g[256];
  size_t n = fake_greeting(g, "8.0.99-scripted", FAKE_CAPS, "caching_sha2_password");
  fake_packet(fd, 0, g, n);
  if (fake_read(fd) < 0)
    return -1;
  fake_packet(fd, 2, "\0\0\0\2\0\0\0", 7);
  return 0;
}

/* A handle connected to a scripted server, not checked. */
__attribute__((unused))
static MYSQL *fake_connect(MYSQL *m, struct fake f)
{
  if (!m)
    m = mysql_init(NULL);
  lab_mask_count = lab_mask_count > 24 ? 24 : lab_mask_count;
  lab_mask_number((unsigned long)f.port, "FAKEPORT");
  mysql_real_connect(m, "127.0.0.1", "u", "", NULL, (unsigned)f.port, NULL, 0);
  return m;
}

#endif
