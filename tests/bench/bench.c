/*
 * bench.c: does one kind of work N times with one client library, loaded by dlopen.
 *
 *   bench LIBRARY WORK[@tls|@zlib|@zstd] N
 *
 * The work is done in the clear over the Unix socket, or over TCP with TLS, or compressed over the Unix socket.
 *
 * It uses functions only and lets the library make its own MYSQL, so that one
 * program serves libraries of both families. What it prints is for run.py. The
 * server is told by MS_NODE0_SOCKET, MS_USER, MS_PASSWORD, MS_DB; BENCH_HOST (default
 * localhost) may name a section of a routing config.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

typedef void MYSQL;
typedef void MYSQL_RES;
typedef void MYSQL_STMT;
typedef char **MYSQL_ROW;

/* MYSQL_BIND: the same in both families. */
struct bind {
  unsigned long *length;
  char *is_null;
  void *buffer;
  char *error;
  void *row, *functions[3];
  unsigned long buffer_length, offset, length_value;
  unsigned int number, pack_length;
  unsigned int buffer_type;
  char error_value, is_unsigned, long_data_used, is_null_value;
  void *extension;
};
enum { TYPE_LONG = 3, TYPE_DOUBLE = 5, TYPE_STRING = 254 };

static MYSQL *(*init)(MYSQL *);
static MYSQL *(*real_connect)(MYSQL *, const char *, const char *, const char *, const char *,
                              unsigned int, const char *, unsigned long);
static int (*real_query)(MYSQL *, const char *, unsigned long);
static MYSQL_RES *(*store_result)(MYSQL *);
static MYSQL_RES *(*use_result)(MYSQL *);
static MYSQL_ROW (*fetch_row)(MYSQL_RES *);
static unsigned long *(*fetch_lengths)(MYSQL_RES *);
static void (*free_result)(MYSQL_RES *);
static void (*close_handle)(MYSQL *);
static const char *(*error_text)(MYSQL *);
static unsigned long (*escape)(MYSQL *, char *, const char *, unsigned long);
static int (*options)(MYSQL *, int, const void *);
static const char *(*client_info)(void);

static MYSQL_STMT *(*stmt_init)(MYSQL *);
static int (*stmt_prepare)(MYSQL_STMT *, const char *, unsigned long);
static char (*stmt_bind_param)(MYSQL_STMT *, struct bind *);
static char (*stmt_bind_result)(MYSQL_STMT *, struct bind *);
static int (*stmt_execute)(MYSQL_STMT *);
static int (*stmt_store_result)(MYSQL_STMT *);
static int (*stmt_fetch)(MYSQL_STMT *);
static char (*stmt_free_result)(MYSQL_STMT *);
static const char *(*stmt_error)(MYSQL_STMT *);

static void *find(void *library, const char *name)
{
  void *f = dlsym(library, name);
  if (!f) {
    fprintf(stderr, "bench: no %s\n", name);
    exit(2);
  }
  return f;
}

static void load(const char *path)
{
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "bench: %s\n", dlerror());
    exit(2);
  }
  init = find(library, "mysql_init");
  real_connect = find(library, "mysql_real_connect");
  real_query = find(library, "mysql_real_query");
  store_result = find(library, "mysql_store_result");
  use_result = find(library, "mysql_use_result");
  fetch_row = find(library, "mysql_fetch_row");
  fetch_lengths = find(library, "mysql_fetch_lengths");
  free_result = find(library, "mysql_free_result");
  close_handle = find(library, "mysql_close");
  error_text = find(library, "mysql_error");
  escape = find(library, "mysql_real_escape_string");
  options = find(library, "mysql_options");
  client_info = find(library, "mysql_get_client_info");
  stmt_init = find(library, "mysql_stmt_init");
  stmt_prepare = find(library, "mysql_stmt_prepare");
  stmt_bind_param = find(library, "mysql_stmt_bind_param");
  stmt_bind_result = find(library, "mysql_stmt_bind_result");
  stmt_execute = find(library, "mysql_stmt_execute");
  stmt_store_result = find(library, "mysql_stmt_store_result");
  stmt_fetch = find(library, "mysql_stmt_fetch");
  stmt_free_result = find(library, "mysql_stmt_free_result");
  stmt_error = find(library, "mysql_stmt_error");
}

static void fail(MYSQL *m, const char *what)
{
  fprintf(stderr, "bench: %s: %s\n", what, error_text(m));
  exit(3);
}

/* What lies between the library and the server. */
static const char *way = "";

/* Numbers of options, which the families share up to here. */
enum { OPT_COMPRESS = 1, MARIADB_SSL_VERIFY = 21, MARIADB_SSL_ENFORCE = 38 };
enum { MYSQL_SSL_MODE = 35, MYSQL_SSL_REQUIRED = 3, MYSQL_COMPRESSION_ALGORITHMS = 41 };

static MYSQL *open_handle(void)
{
  const char *host = getenv("BENCH_HOST");
  MYSQL *m = init(NULL);
  int mariadb = client_info()[0] == '3';
  if (!strcmp(way, "tls")) {
    char on = 1, off = 0;
    int required = MYSQL_SSL_REQUIRED;
    if (mariadb ? options(m, MARIADB_SSL_ENFORCE, &on) || options(m, MARIADB_SSL_VERIFY, &off)
                : options(m, MYSQL_SSL_MODE, &required))
      fail(m, "TLS");
    if (!real_connect(m, getenv("MS_NODE0_HOST"), getenv("MS_USER"), getenv("MS_PASSWORD"), getenv("MS_DB"),
                      (unsigned)atoi(getenv("MS_NODE0_PORT")), NULL, 0))
      fail(m, "connect with TLS");
    return m;
  }
  if (!strcmp(way, "zlib") && options(m, OPT_COMPRESS, NULL))
    fail(m, "zlib");
  if (!strcmp(way, "zstd") && (mariadb || options(m, MYSQL_COMPRESSION_ALGORITHMS, "zstd")))
    fail(m, "zstd");
  if (!real_connect(m, host ? host : "localhost", getenv("MS_USER"), getenv("MS_PASSWORD"),
                    getenv("MS_DB"), 0, host ? NULL : getenv("MS_NODE0_SOCKET"), 0))
    fail(m, "connect");
  return m;
}

static void select_text(MYSQL *m, const char *sql, unsigned long n)
{
  if (real_query(m, sql, n))
    fail(m, sql);
  MYSQL_RES *r = store_result(m);
  if (!r)
    fail(m, "store");
  if (!fetch_row(r))
    fail(m, "no row");
  free_result(r);
}

/* A prepared select of an int, two strings and a double, with its buffers. */
struct statement {
  MYSQL_STMT *s;
  int id;
  double real;
  char text[2][64];
  unsigned long length[2];
  struct bind param, result[4];
};

static void must_stmt(struct statement *t, int failed)
{
  if (failed) {
    fprintf(stderr, "bench: statement: %s\n", stmt_error(t->s));
    exit(3);
  }
}

static void prepare_select(MYSQL *m, struct statement *t, const char *sql, int *parameter)
{
  memset(t, 0, sizeof *t);
  t->s = stmt_init(m);
  must_stmt(t, stmt_prepare(t->s, sql, strlen(sql)));
  if (parameter) {
    t->param.buffer_type = TYPE_LONG;
    t->param.buffer = parameter;
    must_stmt(t, stmt_bind_param(t->s, &t->param));
  }
  t->result[0].buffer_type = TYPE_LONG;
  t->result[0].buffer = &t->id;
  for (int i = 0; i < 2; i++) {
    t->result[i + 1].buffer_type = TYPE_STRING;
    t->result[i + 1].buffer = t->text[i];
    t->result[i + 1].buffer_length = sizeof t->text[i];
    t->result[i + 1].length = &t->length[i];
  }
  t->result[3].buffer_type = TYPE_DOUBLE;
  t->result[3].buffer = &t->real;
}

static long status_kb(const char *key)
{
  char line[200];
  long kb = -1;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f))
    if (!strncmp(line, key, strlen(key)))
      kb = atol(line + strlen(key) + 1);
  if (f)
    fclose(f);
  return kb;
}

static void reset_peak(void)
{
  FILE *f = fopen("/proc/self/clear_refs", "w");
  if (f) {
    fputs("5", f);
    fclose(f);
  }
}

static double seconds(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
  if (argc != 4) {
    fprintf(stderr, "usage: bench LIBRARY WORK N\n");
    return 2;
  }
  char *work = argv[2];
  if (strchr(work, '@')) {
    way = strchr(work, '@') + 1;
    *strchr(work, '@') = 0;
  }
  long n = atol(argv[3]);
  load(argv[1]);
  double wall = 0, cpu = 0;
  char sql[400];

  if (!strcmp(work, "handle")) {
    /* The first handle pays for what all share. */
    MYSQL *first = init(NULL);
    MYSQL **all = calloc((size_t)n, sizeof *all);
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    for (long i = 0; i < n; i++)
      all[i] = init(NULL);
    size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
    printf("handle_bytes=%zu\n", (after - before) / (size_t)n);
    for (long i = 0; i < n; i++)
      close_handle(all[i]);
    close_handle(first);
    return 0;
  }

  if (!strcmp(work, "routed_handle")) {
    /* Handles that have used every node: a write and reads, which take turns. The first pays for what all share. */
    MYSQL **all = calloc((size_t)n, sizeof *all);
    size_t before = 0;
    for (long i = 0; i < n; i++) {
      if (i == 1)
        before = mallinfo2().uordblks + mallinfo2().hblkhd;
      all[i] = open_handle();
      if (real_query(all[i], "DO 1", 4))
        fail(all[i], "DO 1");
      for (int k = 0; k < 6; k++)
        select_text(all[i], "SELECT id FROM bench_rows WHERE id = 1", 38);
    }
    size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
    printf("handle_bytes=%zu\n", (after - before) / (size_t)(n - 1));
    for (long i = 0; i < n; i++)
      close_handle(all[i]);
    return 0;
  }

  MYSQL *m = open_handle();
  select_text(m, "SELECT 1", 8);
  wall = seconds(CLOCK_MONOTONIC);
  cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);

  if (!strcmp(work, "select1")) {
    for (long i = 0; i < n; i++)
      select_text(m, "SELECT 1", 8);
  } else if (!strcmp(work, "new_text")) {
    for (long i = 0; i < n; i++) {
      /* 200 bytes, no two alike, numbers and a string that must be looked at */
      int length = snprintf(sql, sizeof sql,
                            "SELECT id, c1, c2, c3 FROM bench_rows AS b WHERE b.id = %09ld AND b.c1 <> 'no such text %06ld' "
                            "AND b.c2 >= 0 OR b.id = 1 ORDER BY b.id LIMIT 1 -- %*s",
                            i, i, 0, "");
      while (length < 200)
        sql[length++] = 'x';
      select_text(m, sql, 200);
    }
  } else if (!strcmp(work, "same_text")) {
    int length = snprintf(sql, sizeof sql,
                          "SELECT id, c1, c2, c3 FROM bench_rows AS b WHERE b.id = %09d AND b.c1 <> 'no such text %06d' "
                          "AND b.c2 >= 0 OR b.id = 1 ORDER BY b.id LIMIT 1 -- ",
                          7, 7);
    while (length < 200)
      sql[length++] = 'x';
    for (long i = 0; i < n; i++)
      select_text(m, sql, 200);
  } else if (!strcmp(work, "stored") || !strcmp(work, "unbuffered")) {
    int length = snprintf(sql, sizeof sql, "SELECT * FROM bench_rows ORDER BY id LIMIT %ld", n);
    if (real_query(m, sql, (unsigned long)length))
      fail(m, sql);
    MYSQL_RES *r = work[0] == 's' ? store_result(m) : use_result(m);
    long rows = 0;
    while (fetch_row(r)) {
      fetch_lengths(r);
      rows++;
    }
    free_result(r);
    if (rows != n)
      fail(m, "wrong number of rows");
  } else if (!strcmp(work, "execute")) {
    struct statement t;
    int id = 0;
    prepare_select(m, &t, "SELECT id FROM bench_rows WHERE id = ?", &id);
    must_stmt(&t, stmt_execute(t.s) || stmt_bind_result(t.s, t.result) || stmt_store_result(t.s));
    for (long i = 0; i < n; i++) {
      id = (int)(i % 20000);
      must_stmt(&t, stmt_execute(t.s) || stmt_store_result(t.s) || stmt_fetch(t.s));
      if (t.id != id)
        fail(m, "wrong row");
    }
  } else if (!strcmp(work, "prepared_rows")) {
    struct statement t;
    int rows = (int)n;
    prepare_select(m, &t, "SELECT id, c1, c3, c6 FROM bench_rows ORDER BY id LIMIT ?", &rows);
    must_stmt(&t, stmt_execute(t.s) || stmt_bind_result(t.s, t.result) || stmt_store_result(t.s));
    for (long i = 0; i < n; i++)
      must_stmt(&t, stmt_fetch(t.s) != 0 || t.id != (int)i);
    must_stmt(&t, stmt_free_result(t.s));
  } else if (!strcmp(work, "connect")) {
    for (long i = 0; i < n; i++) {
      MYSQL *other = open_handle();
      select_text(other, "SELECT 1", 8);
      close_handle(other);
    }
  } else if (!strcmp(work, "escape")) {
    /* utf8mb4 text of 1 MiB: words, two-, three- and four-byte characters, 1 % specials */
    static const char *const parts[] = {"word ", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "text"};
    size_t size = 1 << 20, at = 0;
    unsigned int seed = 12345;
    char *in = malloc(size + 8), *out = malloc(2 * size + 1);
    while (at < size - 8) {
      seed = seed * 1103515245u + 12345u;
      unsigned int pick = (seed >> 16) % 1000;
      /* parts are about 3.6 bytes long: 36 of 1000 parts are 1 of 100 bytes */
      const char *part = pick < 36 ? (pick & 1 ? "'" : "\\") : parts[pick % 5];
      size_t length = strlen(part);
      memcpy(in + at, part, length);
      at += length;
    }
    while (at < size)
      in[at++] = 'x';
    unsigned long total = 0;
    for (long i = 0; i < n; i++)
      total += escape(m, out, in, size);
    printf("escaped=%lu\n", n ? total / (unsigned long)n : 0);
    free(in);
    free(out);
  } else if (!strcmp(work, "memory")) {
    int length = snprintf(sql, sizeof sql,
                          "SELECT a.* FROM bench_rows a, (SELECT id FROM bench_rows LIMIT 10) b LIMIT %ld", n);
    reset_peak();
    long before = status_kb("VmRSS:");
    if (real_query(m, sql, (unsigned long)length))
      fail(m, sql);
    MYSQL_RES *r = store_result(m);
    long stored = status_kb("VmHWM:");
    long rows = 0;
    while (fetch_row(r))
      rows++;
    long fetched = status_kb("VmHWM:");
    if (rows != n)
      fail(m, "wrong number of rows");
    free_result(r);
    printf("stored_kb=%ld fetched_kb=%ld\n", stored - before, fetched - before);
  } else {
    fprintf(stderr, "bench: no work '%s'\n", work);
    return 2;
  }
  wall = seconds(CLOCK_MONOTONIC) - wall;
  cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  printf("wall=%.9f cpu=%.9f\n", wall, cpu);
  close_handle(m);
  return 0;
}
