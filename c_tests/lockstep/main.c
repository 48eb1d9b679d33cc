/*
 * main.c: the oracle's frame.
 *
 *   lockstep ORIGINAL OURS [--seed N] [--calls N] [--episodes N] [--seconds N] [--only FROM-TO] [--skip A,B-C] [--text] [--without CALL] [--go-on] [--shrink]
 *            [--verbose] [--traces] [--times]
 *
 * An episode begins with no handle and the same tables on both sides and is --calls random calls long (default 1000).
 * Episode k of a run has the seed N + k, so each can be had again by itself. Without --episodes and --seconds: one episode.
 * On a difference: the seed, the number of the call, the last calls, the lines that differ; the exit code is 1.
 * --text leaves prepared statements out, --without one kind of call; --go-on ends an episode with its first difference, shows it
 * if it is of a new kind, and goes on with the next.
 * --times shows the calls that take long.
 * --shrink then looks for a few calls of the episode that are enough for the difference.
 */
#include "lockstep.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

struct side *S;
int server_is_mysql;
static struct side sides[2] = {{.name = "original", .db = "lockstep_0"}, {.name = "ours", .db = "lockstep_1"}};
static uint64_t random_state;
static MYSQL *admin; /* by the original */
static struct api *admin_api;

/* Where we are, for messages. */
static uint64_t now_seed;
static unsigned long now_call;
static const char *now_name = "start";
static volatile int now_quiet;
static int going_on, text_only, timing;
static const char *without; /* the name of a call that is left out */

uint64_t draw(void)
{
  uint64_t z = (random_state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

const char *setting(const char *name)
{
  const char *value = getenv(name);
  if (!strcmp(name, "LOCKSTEP_USER"))
    return "lockstep";
  if (!strcmp(name, "LOCKSTEP_PASSWORD"))
    return "lock step";
  if (!value) {
    fprintf(stderr, "%s is not set: run under the cluster harness\n", name);
    exit(3);
  }
  return value;
}

static void load(struct side *side, const char *file)
{
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(3);
  }
#define BOTH(function)                                                                                                 \
  side->api.function = (__typeof__(side->api.function))dlsym(library, #function);                                     \
  if (!side->api.function) {                                                                                           \
    fprintf(stderr, "%s has no " #function "\n", file);                                                                \
    exit(3);                                                                                                           \
  }
#if MARIADB_ABI
#define MYSQL_ONLY(function)
#define MARIADB_ONLY BOTH
#else
#define MYSQL_ONLY BOTH
#define MARIADB_ONLY(function)
#endif
#include "api.inc"
  /* Only ours has this one. */
  if ((side == &sides[1]) != (dlsym(library, "mysqlnd_ms_get_stats") != NULL)) {
    fprintf(stderr, "%s is the wrong library\n", file);
    exit(3);
  }
  side->api.mysql_server_init(0, NULL, NULL);
}

/* ---- the administrator, who is not compared ---- */

static void must(const char *sql)
{
  if (admin_api->mysql_query(admin, sql)) {
    fprintf(stderr, "%s: %s\n", sql, admin_api->mysql_error(admin));
    exit(3);
  }
  MYSQL_RES *r = admin_api->mysql_store_result(admin);
  if (r)
    admin_api->mysql_free_result(r);
}

static void try(const char *sql)
{
  if (!admin_api->mysql_query(admin, sql)) {
    MYSQL_RES *r = admin_api->mysql_store_result(admin);
    if (r)
      admin_api->mysql_free_result(r);
  }
}

void kill_connection(unsigned long id)
{
  char sql[64];
  snprintf(sql, sizeof sql, "KILL %lu", id);
  try(sql);
}

static const char *const content[] = {
    "CREATE TABLE types (id INT PRIMARY KEY, c_tiny TINYINT, c_utiny TINYINT UNSIGNED ZEROFILL, c_small SMALLINT, c_usmall SMALLINT UNSIGNED, "
    "c_medium MEDIUMINT, c_int INT, c_uint INT UNSIGNED, c_big BIGINT, c_ubig BIGINT UNSIGNED, c_float FLOAT, c_double DOUBLE, "
    "c_decimal DECIMAL(20,6), c_date DATE, c_time TIME, c_time3 TIME(3), c_datetime DATETIME, c_datetime6 DATETIME(6), "
    "c_timestamp TIMESTAMP(3) NULL, c_year YEAR, c_char CHAR(10), c_varchar VARCHAR(300), c_binary BINARY(6), c_varbinary VARBINARY(40), "
    "c_blob BLOB, c_text TEXT, c_longtext LONGTEXT, c_enum ENUM('one','two','three'), c_set SET('a','b','c'), c_bit BIT(12), c_json JSON, "
    "c_zero INT(8) ZEROFILL) DEFAULT CHARSET utf8mb4",
    "INSERT INTO types VALUES (1, -128, 0, -32768, 0, -8388608, -2147483648, 0, -9223372036854775808, 0, -1.5, -2.5e300, "
    "-12345678901234.123456, '0000-00-00', '-838:59:59', '-00:00:00.001', '0000-00-00 00:00:00', '1000-01-01 00:00:00.000001', "
    "'1971-01-01 00:00:01.5', 1901, '', '', '', '', '', '', '', 'one', '', b'0', '[]', 0)",
    "INSERT INTO types VALUES (2, 127, 255, 32767, 65535, 8388607, 2147483647, 4294967295, 9223372036854775807, 18446744073709551615, 3.4e38, 1.7e308, "
    "99999999999999.999999, '9999-12-31', '838:59:59', '23:59:59.999', '9999-12-31 23:59:59', '9999-12-31 23:59:59.999999', "
    "'2037-12-31 23:59:59.999', 2155, 'ten chars.', REPEAT('v', 300), 'sixbyt', REPEAT(x'ff', 40), REPEAT('b', 600), REPEAT('t', 260), "
    "REPEAT('long ', 2000), 'three', 'a,b,c', b'111111111111', '{\"a\": [1, 2, {\"b\": null}], \"c\": \"text\"}', 99999999)",
    "INSERT INTO types (id) VALUES (3)",
    "INSERT INTO types VALUES (4, 1, 7, 2, 3, 4, 5, 6, 7, 8, 0.1, 0.1, 0.000001, '2024-02-29', '12:34:56', '12:34:56.789', "
    "'2001-02-03 04:05:06', '2001-02-03 04:05:06.070809', '2001-02-03 04:05:06', 2024, '12', '-17.25', x'00ff0041', x'3132', '99', '1e5', "
    "'\xc3\xa4\xc3\xb6\xe2\x82\xac', 'two', 'b', b'1000001', '\"x\"', 42)",
    "INSERT INTO types VALUES (5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '1999-12-31', '00:00:00', '00:00:00', '1999-12-31 00:00:00', "
    "'1999-12-31 23:00:00', '1999-12-31 23:59:59', 0, '2024-05-06', '2024-05-06 07:08:09', 'abc', 'a''b', '10:11:12', '18446744073709551616', "
    "'-9223372036854775809', NULL, NULL, NULL, NULL, NULL)",
    "INSERT INTO types (id, c_int, c_float, c_double, c_varchar, c_decimal) VALUES (6, 123456789, 16777217, 9007199254740993, ' 5 ', 1.5), "
    "(7, 16777217, 1e-20, 1e15, '0x1f', -0.5), (8, -1, 123456.7, 123456789012345678, '1.999999999999999999', 2.5)",
    "CREATE TABLE parent (id INT PRIMARY KEY) ENGINE=InnoDB",
    "CREATE TABLE child (id INT, FOREIGN KEY (id) REFERENCES parent (id)) ENGINE=InnoDB",
    "CREATE PROCEDURE p_rows(n INT) BEGIN SELECT id, c_int, c_varchar FROM types WHERE id <= n ORDER BY id; END",
    "CREATE PROCEDURE p_two() BEGIN SELECT 1 AS one, 'a' AS a; SELECT id, c_text, c_double FROM types ORDER BY id; END",
    "CREATE PROCEDURE p_none() BEGIN DO 0; END",
    "CREATE PROCEDURE p_error(n INT) BEGIN SELECT n; IF n > 3 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'as told'; END IF; SELECT 2; END",
    "CREATE PROCEDURE p_out(n INT, OUT o INT) BEGIN SET o = n * 2; SELECT n; END",
    "CREATE PROCEDURE p_inout(INOUT o VARCHAR(30)) BEGIN SET o = CONCAT(o, ' and more'); END",
    "CREATE PROCEDURE p_warn() BEGIN SELECT CAST('12x' AS SIGNED); SELECT 1/0; END",
    "CREATE FUNCTION f_twice(n INT) RETURNS INT DETERMINISTIC RETURN n * 2",
    "CREATE FUNCTION f_fails() RETURNS INT DETERMINISTIC BEGIN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'never works'; RETURN 1; END",
};

static void connect_admin(void)
{
  admin_api = &sides[0].api;
  admin = admin_api->mysql_init(NULL);
  if (!admin_api->mysql_real_connect(admin, NULL, setting("MS_ADMIN_USER"), setting("MS_ADMIN_PASSWORD"), NULL, 0, setting("MS_NODE0_SOCKET"), 0)) {
    fprintf(stderr, "the administrator cannot connect: %s\n", admin_api->mysql_error(admin));
    exit(3);
  }
  must("SET NAMES utf8mb4");
  must("SET SESSION sql_mode = ''");
  try("SET SESSION sql_require_primary_key = 0");
  try("SET SESSION sql_log_bin = 0");
}

static void set_up(void)
{
  char sql[200];
  connect_admin();
  try("SET GLOBAL log_bin_trust_function_creators = 1");
  /* Not for any host: Connector/C takes an error's text with a % in it for a format. */
  static const char *const hosts[] = {"localhost", "127.0.0.1"};
  for (int k = 0; k < 2; k++) {
    snprintf(sql, sizeof sql, "CREATE USER IF NOT EXISTS '%s'@'%s' IDENTIFIED BY '%s'", setting("LOCKSTEP_USER"), hosts[k], setting("LOCKSTEP_PASSWORD"));
    must(sql);
  }
  for (int i = 0; i < 2; i++) {
    snprintf(sql, sizeof sql, "DROP DATABASE IF EXISTS %s", sides[i].db);
    must(sql);
    snprintf(sql, sizeof sql, "CREATE DATABASE %s DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", sides[i].db);
    must(sql);
    for (int k = 0; k < 2; k++) {
      snprintf(sql, sizeof sql, "GRANT ALL ON %s.* TO '%s'@'%s'", sides[i].db, setting("LOCKSTEP_USER"), hosts[k]);
      must(sql);
    }
    snprintf(sql, sizeof sql, "USE %s", sides[i].db);
    must(sql);
    for (size_t k = 0; k < sizeof content / sizeof *content; k++)
      must(content[k]);
  }
}

static void fresh_tables(void)
{
  char sql[400];
  for (int i = 0; i < 2; i++) {
    snprintf(sql, sizeof sql, "DELETE FROM %s.types WHERE id NOT BETWEEN 1 AND 8", sides[i].db);
    must(sql);
    snprintf(sql, sizeof sql, "DELETE FROM %s.child", sides[i].db);
    must(sql);
    for (int t = 0; t < HANDLES; t++) {
      snprintf(sql, sizeof sql, "DROP TABLE IF EXISTS %s.t%d", sides[i].db, t);
      must(sql);
      snprintf(sql, sizeof sql,
               "CREATE TABLE %s.t%d (id INT AUTO_INCREMENT PRIMARY KEY, n INT, s VARCHAR(60) DEFAULT 'none', b LONGBLOB, u INT UNIQUE) ENGINE=InnoDB",
               sides[i].db, t);
      must(sql);
      snprintf(sql, sizeof sql, "INSERT INTO %s.t%d (n, s) VALUES (1, 'one'), (2, NULL), (NULL, 'three'), (4, ''), (5, 'five')", sides[i].db, t);
      must(sql);
    }
  }
}

/* ---- an episode ---- */

enum { KEPT = 4096, SHOWN = 40 };
static char kept[KEPT][400]; /* the first lines of the last calls */

static void keep_line(unsigned long call, const char *trace)
{
  char *out = kept[call % KEPT];
  size_t n = trace ? strcspn(trace, "\n") : 0;
  snprintf(out, sizeof kept[0], "%6lu %.*s", call, (int)(n > 360 ? 360 : n), trace && *trace != ' ' ? trace : "");
}

/* Whether the first line of a call is kept, and says something. */
static int is_kept(unsigned long call)
{
  const char *line = kept[call % KEPT];
  return *line && strtoul(line, NULL, 10) == call && strlen(line) > 7;
}

static void show_last(unsigned long call)
{
  printf("the last calls:\n");
  unsigned long first = call + 1, some = 0;
  while (first > 0 && call + 1 - first < KEPT && some < (going_on ? KEPT : SHOWN))
    first--, some += is_kept(first);
  for (unsigned long k = first; k <= call; k++)
    if (is_kept(k))
      printf("  %s\n", kept[k % KEPT]);
}

/* --go-on: each kind of difference once, a kind being a call and the words of the line. */
enum { KINDS = 2000 };
static struct kinds {
  size_t count;
  char key[KINDS][400];
} *kinds; /* shared with the processes of the episodes */

static int new_kind(const char *a, size_t n, const char *b, size_t k)
{
  char key[sizeof kinds->key[0]];
  size_t at = (size_t)snprintf(key, sizeof key, "%s ", now_name), same = 0;
  while (same < n && same < k && a[same] == b[same])
    same++;
  while (same && a[same - 1] != ' ')
    same--;
  for (size_t i = 0; i < same && at < sizeof key - 1; i++)
    if (a[i] < '0' || a[i] > '9')
      key[at++] = a[i];
  key[at] = 0;
  for (size_t i = 0; i < kinds->count; i++)
    if (!strcmp(kinds->key[i], key))
      return 0;
  if (kinds->count < KINDS)
    strcpy(kinds->key[kinds->count++], key);
  return 1;
}

/* A number for a kind of difference: the call, and the first line that differs up to its first difference without its digits. */
static int kind_of_difference(void)
{
  const char *a = sides[0].trace, *b = sides[1].trace, *line = a;
  unsigned h = 5381;
  size_t same = 0, end;
  while (a[same] && a[same] == b[same])
    if (a[same++] == '\n')
      line = a + same;
  for (end = (size_t)(a + same - line); end && line[end - 1] != ' ';)
    end--;
  for (const char *p = now_name; *p; p++)
    h = h * 33 + (unsigned char)*p;
  for (size_t i = 0; i < end; i++)
    if (line[i] < '0' || line[i] > '9')
      h = h * 33 + (unsigned char)line[i];
  return 10 + (int)(h % 200);
}

static int is_new_kind(void)
{
  char *a = sides[0].trace, *b = sides[1].trace;
  while (*a || *b) {
    size_t n = strcspn(a, "\n"), k = strcspn(b, "\n");
    if (n != k || memcmp(a, b, n))
      return new_kind(a, n, b, k);
    a += n + (a[n] == '\n');
    b += k + (b[k] == '\n');
  }
  return 0;
}

static void show_difference(void)
{
  char *a = sides[0].trace, *b = sides[1].trace;
  int shown = 0;
  while ((*a || *b) && shown < 12) {
    size_t n = strcspn(a, "\n"), k = strcspn(b, "\n");
    if (n != k || memcmp(a, b, n)) {
      printf("  original: %.*s\n  ours:     %.*s\n", (int)(n > 1500 ? 1500 : n), a, (int)(k > 1500 ? 1500 : k), b);
      shown++;
    }
    a += n + (a[n] == '\n');
    b += k + (b[k] == '\n');
  }
}

static void crashed(int sig)
{
  static char text[300];
  if (!now_quiet) {
    int n = snprintf(text, sizeof text, "\n%s of %s: seed %llu, call %lu (%s)\n", sig == SIGALRM ? "no end" : "crash",
                     S ? S->name : "nobody", (unsigned long long)now_seed, now_call, now_name);
    if (write(1, text, (size_t)n) < 0)
      _exit(2);
    /* What was said before it happened. */
    if (S && S->trace && write(1, S->trace, S->used) < 0)
      _exit(2);
    for (unsigned long k = now_call >= 12 ? now_call - 12 : 0; k < now_call; k++)
      if (write(1, kept[k % KEPT], strlen(kept[k % KEPT])) < 0 || write(1, "\n", 1) < 0)
        _exit(2);
  }
  _exit(sig == SIGALRM ? 4 : S == &sides[0] ? 2 : 1);
}

/* --times: the calls that take long, of either side. */
static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const struct op *choose(void)
{
  static const struct op *all[80];
  static unsigned total, n;
  if (!n) {
    const struct op *const lists[] = {handle_ops, result_ops, stmt_ops};
    for (int l = 0; l < (text_only ? 2 : 3); l++)
      for (const struct op *op = lists[l]; op->name; op++)
        all[n++] = op, total += op->weight;
  }
  unsigned at = pick(total);
  for (unsigned k = 0; k < n; k++) {
    if (at < all[k]->weight)
      return all[k];
    at -= all[k]->weight;
  }
  return all[0];
}

static void tidy_up(struct side *side)
{
  S = side;
  now_name = "the end";
  alarm(30);
  for (int i = 0; i < RESULTS; i++)
    drop_result(i);
  for (int i = 0; i < HANDLES; i++)
    if (S->h[i].m)
      C(mysql_close)(S->h[i].m);
  /* Connector/C, with a handle, may wait for rows that were read away. */
  for (int i = 0; i < STATEMENTS; i++)
    if (S->s[i].s)
      C(mysql_stmt_close)(S->s[i].s);
  alarm(0);
  memset(S->h, 0, sizeof S->h);
  memset(S->r, 0, sizeof S->r);
  memset(S->s, 0, sizeof S->s);
}

static void start(void)
{
  /* Every slot begins connected, so that calls have something to work on from the start. */
  for (int i = 0; i < HANDLES; i++) {
    struct handle *h = &S->h[i];
    h->m = C(mysql_init)(NULL);
    no_local_files(h->m);
    unsigned long flags = chance(60) ? CLIENT_MULTI_STATEMENTS : 0;
    h->connected = C(mysql_real_connect)(h->m, NULL, setting("LOCKSTEP_USER"), setting("LOCKSTEP_PASSWORD"), S->db, 0,
                                         setting("MS_NODE0_SOCKET"), flags) != NULL;
    say("start h%d: %d", i, h->connected);
    observe_handle(i);
  }
}

/* Runs the calls of an episode but those in `skip`; 0: no difference. */
static int episode(uint64_t seed, unsigned long calls, const unsigned char *skip, int quiet, int verbose)
{
  now_seed = seed;
  now_quiet = quiet;
  for (unsigned k = 0; k < KEPT; k++)
    kept[k][0] = 0;
  fresh_tables();
  for (unsigned long call = 0; call <= calls; call++) {
    if (skip && call && skip[call])
      continue;
    now_call = call;
    const struct op *op = NULL;
    for (int i = 0; i < 2; i++) {
      S = &sides[i];
      S->used = 0;
      if (S->trace)
        S->trace[0] = 0;
      random_state = seed * 0xD1342543DE82EF95ull + call * 0x9E6C63D0876A9A47ull;
      draw();
      alarm(quiet ? 6 : 30);
      double began = timing ? now() : 0;
      if (call == 0) {
        now_name = "start";
        start();
      } else {
        op = choose();
        now_name = op->name;
        if (!without || strcmp(without, op->name))
          op->run();
        if (call % 16 == 0) {
          for (int k = 0; k < HANDLES; k++)
            observe_handle(k);
          for (int k = 0; k < RESULTS; k++)
            observe_result(k);
          for (int k = 0; k < STATEMENTS; k++)
            observe_statement(k);
        }
      }
      alarm(0);
      if (timing && now() - began > 0.05)
        printf("%.3f s in %s, call %lu: %.*s\n", now() - began, S->name, call, (int)(S->used ? strcspn(S->trace, "\n") : 0),
               S->used ? S->trace : "");
      if (verbose == 2 && S->used)
        printf("-- %s, call %lu\n%s", S->name, call, S->trace);
      mask_trace(S);
    }
    keep_line(call, sides[0].trace);
    if (verbose == 1 && sides[0].used)
      printf("%s\n", kept[call % KEPT]), fflush(stdout);
    if (strcmp(sides[0].trace ? sides[0].trace : "", sides[1].trace ? sides[1].trace : "")) {
      if (going_on && !is_new_kind())
        return 1;
      if (!quiet) {
        printf("DIFFERENCE: seed %llu, call %lu (%s)\n", (unsigned long long)seed, call, now_name);
        show_last(call);
        show_difference();
        printf("again: --seed %llu --calls %lu\n", (unsigned long long)seed, call);
        fflush(stdout);
      }
      return quiet ? kind_of_difference() : 1;
    }
  }
  for (int i = 0; i < 2; i++)
    tidy_up(&sides[i]);
  return 0;
}

/* In a process of its own, whose end is the answer. */
static int alone(uint64_t seed, unsigned long calls, const unsigned char *skip, int quiet, int verbose)
{
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    connect_admin();
    int rc = episode(seed, calls, skip, quiet, verbose);
    fflush(stdout);
    _exit(rc);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Leaves calls out, in ever smaller pieces, as long as it still ends as it did. */
static void shrink(uint64_t seed, unsigned long calls)
{
  set_up();
  going_on = 0;
  unsigned char *skip = calloc(calls + 2, 1), *tried = malloc(calls + 2);
  int wanted = alone(seed, calls, skip, 1, 0);
  if (!wanted) {
    printf("nothing to shrink\n");
    return;
  }
  for (unsigned long piece = (calls + 1) / 2; piece; piece /= 2) {
    /* From the end, since what comes later depends on what came before. */
    for (unsigned long end = calls; end > 0; end = end > piece ? end - piece : 0) {
      unsigned long from = end > piece ? end - piece + 1 : 1, some = 0;
      memcpy(tried, skip, calls + 2);
      for (unsigned long k = from; k <= end; k++)
        some += !tried[k], tried[k] = 1;
      if (some && alone(seed, calls, tried, 1, 0) == wanted)
        memcpy(skip, tried, calls + 2);
    }
  }
  printf("enough are:\n");
  alone(seed, calls, skip, 0, 1);
}

static void leave_out(unsigned char *skip, unsigned long calls, const char *list, int only)
{
  if (only)
    memset(skip, 1, calls + 2);
  while (*list) {
    char *end;
    unsigned long from = strtoul(list, &end, 10), to = from;
    if (*end == '-')
      to = strtoul(end + 1, &end, 10);
    for (unsigned long k = from; k <= to && k <= calls; k++)
      skip[k] = !only;
    list = *end ? end + 1 : end;
    if (end == list)
      break;
  }
}

int main(int argc, char **argv)
{
  uint64_t seed = 1;
  unsigned long calls = 1000, episodes = 0, seconds = 0;
  int shrinking = 0, verbose = 0;
  const char *left_out = NULL, *only = NULL;
  if (argc < 3) {
    fprintf(stderr, "usage: see main.c\n");
    return 3;
  }
  for (int i = 3; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (!strcmp(argv[i], "--shrink"))
      shrinking = 1;
    else if (!strcmp(argv[i], "--verbose"))
      verbose = 1;
    else if (!strcmp(argv[i], "--text"))
      text_only = 1;
    else if (!strcmp(argv[i], "--go-on"))
      going_on = 1;
    else if (!strcmp(argv[i], "--times"))
      timing = 1;
    else if (!strcmp(argv[i], "--traces"))
      verbose = 2;
    else if (i++, !strcmp(argv[i - 1], "--seed"))
      seed = strtoull(value, NULL, 10);
    else if (!strcmp(argv[i - 1], "--calls"))
      calls = strtoul(value, NULL, 10);
    else if (!strcmp(argv[i - 1], "--episodes"))
      episodes = strtoul(value, NULL, 10);
    else if (!strcmp(argv[i - 1], "--seconds"))
      seconds = strtoul(value, NULL, 10);
    else if (!strcmp(argv[i - 1], "--without"))
      without = value;
    else if (!strcmp(argv[i - 1], "--skip"))
      left_out = value;
    else if (!strcmp(argv[i - 1], "--only"))
      only = value;
    else {
      fprintf(stderr, "what is %s?\n", argv[i - 1]);
      return 3;
    }
  }
  server_is_mysql = !strcmp(setting("MS_FAMILY"), "mysql");
  signal(SIGPIPE, SIG_IGN);
  static char stack[1 << 16];
  stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&other, NULL);
  struct sigaction action = {.sa_handler = crashed, .sa_flags = SA_ONSTACK | SA_RESETHAND};
  static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaction(signals[i], &action, NULL);
  /* Several may run beside each other, with names of their own. */
  const char *suffix = getenv("LOCKSTEP_NAME");
  for (int i = 0; i < 2; i++)
    snprintf(sides[i].db, sizeof sides[i].db, "lockstep%.12s_%d", suffix ? suffix : "", i);
  load(&sides[0], argv[1]);
  load(&sides[1], argv[2]);
  if (shrinking) {
    shrink(seed, calls);
    return 1;
  }
  unsigned char *skip = calloc(calls + 2, 1);
  if (only)
    leave_out(skip, calls, only, 1);
  if (left_out)
    leave_out(skip, calls, left_out, 0);
  set_up();
  time_t end = time(NULL) + (time_t)seconds;
  unsigned long done = 0;
  if (going_on) {
    kinds = mmap(NULL, sizeof *kinds, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsigned long bad = 0;
    for (; done < episodes || (seconds && time(NULL) < end); done++)
      bad += alone(seed + done, calls, skip, 0, 0) != 0;
    printf("%lu episodes of %lu calls from seed %llu, %lu with a difference\n", done, calls, (unsigned long long)seed, bad);
    return bad != 0;
  }
  do {
    if (episode(seed + done, calls, skip, 0, verbose))
      return 1;
    done++;
  } while (done < episodes || (seconds && time(NULL) < end));
  printf("%lu episodes of %lu calls from seed %llu: no difference\n", done, calls, (unsigned long long)seed);
  return 0;
}
