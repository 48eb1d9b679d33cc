/*
 * lockstep.h: what the parts of the oracle share.
 *
 * The oracle loads two libraries into one process, the original of a family and ours, and makes the same seeded random
 * calls in both, each with its own connections and its own database of the same content. Every call writes what can be
 * observed of it into its side's trace; the two traces must be the same, call by call.
 *
 *   main.c        the libraries, the episodes, the comparison, replay and shrinking
 *   trace.c       writing and masking of traces, what is observed of a handle, a result, a statement
 *   sql.c         the statements
 *   handle_ops.c  calls on connections           result_ops.c  calls on results       stmt_ops.c  on prepared statements
 *
 * A call's draws come from the seed and the call's number alone, so that a call can be left out without changing the
 * draws of the others.
 */
#ifndef LOCKSTEP_H
#define LOCKSTEP_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <mysql.h>
#include <errmsg.h>

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef MARIADB_PACKAGE_VERSION
#define MARIADB_ABI 1
#else
#include <stdbool.h>
#define MARIADB_ABI 0
typedef bool my_bool;
#endif

struct api {
#define BOTH(name) __typeof__(name) *name;
#if MARIADB_ABI
#define MYSQL_ONLY(name)
#define MARIADB_ONLY BOTH
#else
#define MYSQL_ONLY BOTH
#define MARIADB_ONLY(name)
#endif
#include "api.inc"
#undef BOTH
#undef MYSQL_ONLY
#undef MARIADB_ONLY
};

enum { HANDLES = 3, RESULTS = 5, STATEMENTS = 4, TELLS = 6, COLUMNS = 48, PARAMS = 12, ROOM = 96 };

struct handle {
  MYSQL *m;         /* NULL: not there */
  MYSQL own;        /* for mysql_init(&own) */
  int connected;    /* the last connect succeeded and nothing ended it since */
  int executed;     /* the last statement was a prepared one */
  int fresh;        /* this call has read a statement's reply */
  int asked;        /* whose reply comes: 0 a text statement's, k + 1 that of statement k */
};

struct result {
  MYSQL_RES *r; /* NULL: not there */
  int handle;   /* whose it is */
  int unbuffered;
  int tells;
  MYSQL_ROW_OFFSET tell[TELLS];
};

/* What one bound value needs. */
struct cell {
  unsigned char data[ROOM];
  unsigned long length;
  my_bool is_null, error;
};

struct statement {
  MYSQL_STMT *s; /* NULL: not there */
  int handle;    /* whose it is, -1 when its connection was closed */
  int tells;
  MYSQL_ROW_OFFSET tell[TELLS];
  MYSQL_BIND param[PARAMS], column[COLUMNS];
  struct cell in[PARAMS], out[COLUMNS];
  int params, columns; /* whether they were bound */
  int stored;          /* the result is */
  int left;            /* one that was stored may be there still, although the statement was prepared anew */
  int broken;          /* the last prepare failed */
  int bound_broken;    /* parameters were bound behind it, and not since */
  int bound_once;      /* parameters were bound since it was made */
  int columns_once;    /* the same of columns */
};

struct side {
  struct api api;
  const char *name;
  char db[32];
  struct handle h[HANDLES];
  struct result r[RESULTS];
  struct statement s[STATEMENTS];
  char *trace;
  size_t used, room;
};

/* The side whose turn it is. */
extern struct side *S;
#define C(function) (S->api.function)

/* Of the cluster: see tests/harness. */
extern int server_is_mysql;
const char *setting(const char *name);

/* ---- draws (main.c) ---- */
uint64_t draw(void);
static inline unsigned pick(unsigned n) { return (unsigned)(draw() % n); }
static inline int chance(unsigned percent) { return pick(100) < percent; }
#define ONE_OF(list) ((list)[pick(sizeof(list) / sizeof *(list))])

/* ---- traces (trace.c) ---- */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *bytes(const void *data, size_t length); /* printable, in a ring of buffers */
static inline const char *text(const char *s) { return s ? bytes(s, strlen(s)) : "NULL"; }
void mask_trace(struct side *side);
void observe_handle(int i);
void observe_result(int i);
void observe_statement(int i);
void observe_fields(MYSQL_FIELD *fields, unsigned count);

/* ---- statements (sql.c) ---- */
/* One text statement for handle `i`; its length. */
size_t any_text(char *out, size_t room, int i);
/* One with placeholders. */
size_t any_prepared(char *out, size_t room, int i);

/* ---- calls ---- */
struct op {
  const char *name;
  unsigned weight;
  void (*run)(void);
};
extern const struct op handle_ops[], result_ops[], stmt_ops[];

/* An occupied slot (with the odds of another one) or -1. */
int any_handle(void);
int any_result(void);
int any_statement(void);
int busy(int handle);             /* rows or results wait */
void asks(int handle, int who);   /* something is about to be sent on it, if it may be */
void forget_result(int i);
void drop_results_of(int handle, int unbuffered_only);
void drop_result(int i);
void keep_result(MYSQL_RES *r, int handle, int unbuffered);
void no_local_files(MYSQL *m);
void wait_for_end(int fd);
void kill_connection(unsigned long id); /* main.c */

#endif
