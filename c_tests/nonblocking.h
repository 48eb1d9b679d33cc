/*
 * nonblocking.h: what the two programs on non-blocking calls share: handles that each
 * go through the same calls at their own pace, the one loop that drives them all, and a
 * relay that lets nothing through but what the program itself asks for.
 *
 * A handle's calls are written one behind the other in `run`; AWAIT leaves the function
 * while a call is not ready and comes back to it (a switch over line numbers). Each
 * handle keeps its own log, and all logs must be the same: what a call says cannot depend
 * on how the bytes came.
 */
#ifndef NONBLOCKING_H
#define NONBLOCKING_H

#include "lab.h"
#include <time.h>

#define DONE (-1)

struct handle {
  int index;
  int line;             /* where `run` goes on; DONE */
  int mask;             /* what the call waits for: 1 to read, 2 to write, 8 until a time */
  int ready;            /* what has come */
  long long deadline;   /* milliseconds, with 8 in the mask */
  unsigned long waits;
  MYSQL *m;
  MYSQL_RES *res;
  MYSQL_ROW row;
  int status, integer;
  my_bool flag;
  const char *text;
  MYSQL *connected;
  MYSQL_STMT *stmt;
  MYSQL_BIND in[2], out[3];
  int number, limit, got_number, got_limit;
  char text_got[200];
  unsigned long text_length;
  unsigned int i, rows;
  unsigned long long sum;
  char sql[200];
  char log[12000];
  size_t length;
};

/* Where the handles connect to, and how. */
static unsigned int nb_port;
static int nb_all_tls, nb_some_tls, nb_rows = 2000, nb_width = 60, nb_unix, nb_large, nb_lockstep;

/* A table of numbers from 1 to 2560, of this process. */
static char nb_table[40];

static MYSQL *make_numbers(void)
{
  char sql[200];
  MYSQL *a = admin();
  /* The original does each TLS handshake at a stretch, while the others wait. */
  must(a, "SET GLOBAL connect_timeout = 100");
  snprintf(nb_table, sizeof nb_table, "nb_numbers_%d", (int)getpid());
  snprintf(sql, sizeof sql, "CREATE TABLE %s (n INT PRIMARY KEY)", nb_table);
  must(a, sql);
  snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10)", nb_table);
  must(a, sql);
  for (int i = 10; i < 2560; i *= 2) {
    snprintf(sql, sizeof sql, "INSERT INTO %s SELECT n + %d FROM %s", nb_table, i, nb_table);
    must(a, sql);
  }
  return a;
}

static void drop_numbers(MYSQL *a)
{
  char sql[100];
  snprintf(sql, sizeof sql, "DROP TABLE %s", nb_table);
  must(a, sql);
  mysql_close(a);
}

/* A statement on it. */
static const char *of_numbers(const char *before, const char *behind)
{
  static char sql[400];
  snprintf(sql, sizeof sql, "%s FROM %s%s", before, nb_table, behind);
  return sql;
}

/* A statement that does not fit into the socket's buffers. */
static const char *large_statement(void)
{
  static char *text;
  if (!text) {
    text = malloc((size_t)nb_large + 40);
    char *end = text + sprintf(text, "SELECT LENGTH('");
    memset(end, 'y', (size_t)nb_large);
    strcpy(end + nb_large, "')");
  }
  return text;
}

static int with_tls(struct handle *h) { return nb_all_tls || (nb_some_tls && h->index % nb_some_tls == 1); }
static int by_socket(struct handle *h) { return nb_unix && h->index % 7 == 3; }

__attribute__((format(printf, 2, 3), unused))
static void note(struct handle *h, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  h->length += (size_t)vsnprintf(h->log + h->length, sizeof h->log - h->length - 1, format, args);
  va_end(args);
  if (h->length > sizeof h->log - 2)
    h->length = sizeof h->log - 2;
  h->log[h->length++] = '\n';
  h->log[h->length] = 0;
}

/* A call's end: its error if it has one. Old texts without a number are of no interest. */
__attribute__((unused))
static void note_end(struct handle *h, const char *what, long long value)
{
  if (mysql_errno(h->m))
    note(h, "%-28s %lld errno=%u state=%s text=%s", what, value, mysql_errno(h->m), mysql_sqlstate(h->m),
         mysql_error(h->m));
  else
    note(h, "%-28s %lld affected=%lld id=%llu fields=%u warnings=%u info=%s", what, value,
         (long long)mysql_affected_rows(h->m), (unsigned long long)mysql_insert_id(h->m), mysql_field_count(h->m),
         mysql_warning_count(h->m), or_null(mysql_info(h->m)));
}

__attribute__((unused))
static unsigned long long sum_row(MYSQL_RES *res, MYSQL_ROW row, unsigned long long sum)
{
  unsigned long *lengths = mysql_fetch_lengths(res);
  for (unsigned int i = 0; i < mysql_num_fields(res); i++)
    sum = sum * 31 + (row[i] ? digest(row[i], lengths[i]) : 7);
  return sum;
}

static long long milliseconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void run(struct handle *h);
static void run_routed(struct handle *h);
static void (*nb_run)(struct handle *h) = run;
static int descriptor(struct handle *h);

/* Takes every handle to its end: one thread, one loop, one poll(2). */
static void drive(struct handle *all, int count)
{
  struct pollfd *polled = calloc((size_t)count, sizeof *polled);
  for (int i = 0; i < count; i++)
    nb_run(&all[i]);
  for (;;) {
    int busy = 0;
    long long now = milliseconds(), wait = 10000;
    for (int i = 0; i < count; i++) {
      struct handle *h = &all[i];
      polled[i].fd = h->line == DONE ? -1 : descriptor(h);
      polled[i].events = (h->mask & 1 ? POLLIN : 0) | (h->mask & 2 ? POLLOUT : 0);
      polled[i].revents = 0;
      busy += h->line != DONE;
      if (h->line != DONE && h->mask & 8 && h->deadline - now < wait)
        wait = h->deadline > now ? h->deadline - now : 0;
    }
    if (!busy)
      break;
    if (poll(polled, (nfds_t)count, (int)wait) < 0 && errno != EINTR)
      exit(7);
    now = milliseconds();
    for (int i = 0; i < count; i++) {
      struct handle *h = &all[i];
      if (h->line == DONE)
        continue;
      h->ready = (polled[i].revents & (POLLIN | POLLHUP | POLLERR) ? h->mask & 1 : 0) |
                 (polled[i].revents & (POLLOUT | POLLHUP | POLLERR) ? h->mask & 2 : 0);
      if (!h->ready && h->mask & 8 && h->deadline <= now)
        h->ready = 8;
      if (h->ready)
        nb_run(h);
    }
  }
  free(polled);
}

static void show_log(const char *log)
{
  for (const char *end; (end = strchr(log, '\n')); log = end + 1)
    say("%.*s", (int)(end - log), log);
}

/* All handles side by side: the first one's log, and who says something else. */
static void side_by_side(const char *title, int count)
{
  struct handle *all = calloc((size_t)count, sizeof *all);
  section("%s", title);
  for (int i = 0; i < count; i++)
    all[i].index = i;
  drive(all, count);
  show_log(all[0].log);
  int other = 0;
  unsigned long waits = 0;
  for (int i = 0; i < count; i++) {
    waits += all[i].waits > 0;
    if (strcmp(all[i].log, all[0].log) && other++ < 3)
      say("handle %d says otherwise:\n%s", i, all[i].log);
  }
  say("%d handles, %d say otherwise, %s waited", count, other, waits > (unsigned long)count / 2 ? "most" : "few");
  free(all);
}

/* Ten handles whose statements carry a mark that says where they belong: `r` to a replica, `w` and
   `t` to the source. The servers' logs tell where they were. */
static void routed(MYSQL *a)
{
  char sql[100];
  snprintf(sql, sizeof sql, "CREATE TABLE nb_written_%d (n INT, t TEXT)", (int)getpid());
  must(a, sql);
  nb_run = run_routed;
  side_by_side("routed", 10);
  snprintf(sql, sizeof sql, "SELECT COUNT(*), SUM(n) FROM nb_written_%d", (int)getpid());
  say("rows written: %s", value(a, sql));
  snprintf(sql, sizeof sql, "DROP TABLE nb_written_%d", (int)getpid());
  must(a, sql);
}

/* ---- the relay: one byte of the server's for each word from the program ---- */

struct relay { unsigned int port; int words; pid_t pid; };

static void relay_up(int from, int to)
{
  static char buffer[1 << 16];
  ssize_t n = recv(from, buffer, sizeof buffer, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (n <= 0)
    _exit(0);
  fake_send(to, buffer, (size_t)n);
}

/* 'd': one byte down, when the server has one. 'u': what the client has sent, up. */
static void relay_serve(int listener, int words)
{
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port())};
  inet_pton(AF_INET, host(), &a.sin_addr);
  int client = accept(listener, NULL, NULL), server = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  if (client < 0 || connect(server, (struct sockaddr *)&a, sizeof a))
    _exit(1);
  setsockopt(client, IPPROTO_TCP, 1 /* TCP_NODELAY */, &one, sizeof one);
  for (;;) {
    char word;
    if (read(words, &word, 1) != 1)
      _exit(0);
    if (word == 'u') {
      relay_up(client, server);
      continue;
    }
    for (int sent = 0; !sent;) {
      struct pollfd p[2] = {{server, POLLIN, 0}, {client, POLLIN, 0}};
      poll(p, 2, -1);
      if (p[1].revents)
        relay_up(client, server);
      if (p[0].revents) {
        char byte;
        if (recv(server, &byte, 1, 0) <= 0)
          _exit(0);
        fake_send(client, &byte, 1);
        sent = 1;
      }
    }
  }
}

static struct relay relay_start(void)
{
  struct relay r;
  int listener = socket(AF_INET, SOCK_STREAM, 0), pipes[2], small = 4096;
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof a;
  setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  if (bind(listener, (struct sockaddr *)&a, sizeof a) || listen(listener, 1) ||
      getsockname(listener, (struct sockaddr *)&a, &length) || pipe(pipes))
    exit(6);
  r.port = ntohs(a.sin_port);
  fflush(stdout);
  r.pid = fork();
  if (r.pid == 0) {
    signal(SIGPIPE, SIG_IGN);
    alarm(120);
    close(pipes[1]);
    relay_serve(listener, pipes[0]);
  }
  close(listener);
  close(pipes[0]);
  r.words = pipes[1];
  return r;
}

/* One handle through the relay. Nothing moves but on our word, so a call that waited for the
   other side by itself would wait for ever: the alarm tells. */
static void lockstep(const char *title)
{
  struct relay r = relay_start();
  struct handle *h = calloc(1, sizeof *h);
  unsigned long down = 0, up = 0;
  section("%s", title);
  nb_lockstep = 1;
  nb_port = r.port;
  run(h);
  while (h->line != DONE) {
    struct pollfd p = {descriptor(h), POLLIN, 0};
    if (h->mask & 2) {
      p.events = POLLOUT;
      while (poll(&p, 1, up ? 5 : 0) == 0)
        up += write(r.words, "u", 1) == 1;
    } else {
      down += write(r.words, "d", 1) == 1;
      poll(&p, 1, -1);
    }
    h->ready = h->mask & 3;
    run(h);
  }
  show_log(h->log);
  say("waited to read: %s, to write: %s", down > 500 ? "often" : "rarely", up ? "yes" : "no");
  close(r.words);
  kill(r.pid, SIGKILL);
  waitpid(r.pid, NULL, 0);
  free(h);
}

#endif
