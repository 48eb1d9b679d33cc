/*
 * misuse.h: the table of calls that misuse.c makes with every kind of wrong handle.
 *
 * A call is one line of a .inc file: KIND(function, expression). The expression sees `m`, `s`, `r` and `rpl`: the wrong handle of its
 * sort. What it printed is the call's value: NUM a number, RC whether it is 0, PTR whether it is NULL, TEXT a text.
 * END lines end the handle, whose fields are then not looked at any more.
 */
#ifndef MISUSE_H
#define MISUSE_H

#include "../lab.h"
#include "../plugin.h"
#if LAB_MARIADB_ABI
#include <mariadb_rpl.h>
#else
typedef struct misuse_no_rpl MARIADB_RPL;
#endif

/* What a call works on. */
enum sort { ON_HANDLE, ON_STATEMENT, ON_RESULT, ON_STREAM };

/* The wrong handles of one state. */
struct wrong {
  MYSQL *m;
  MYSQL_STMT *s;
  MYSQL_RES *r;
  MARIADB_RPL *rpl;
  int alive; /* its error may be read after the call */
};

struct call {
  const char *name;
  enum sort sort;
  int ends; /* what it was called with is gone afterwards */
  void (*make)(MYSQL *m, MYSQL_STMT *s, MYSQL_RES *r, MARIADB_RPL *rpl, char *value);
};

extern const struct call calls[];

#endif
