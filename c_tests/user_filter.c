/* Filters of the program: registered by name, and in a library (the same file with -DLIBRARY).

   user_filter USER PASSWORD: connects to the sections "single", "multi" and "library" of the configuration and prints
   where statements went, as mysqlnd_ms_get_last_decision tells. Run with our library only: the originals have no such
   functions. */
#define _GNU_SOURCE
#include <mysqlclient_ms.h>
#include <stdio.h>
#include <string.h>

#ifdef LIBRARY

/* Chooses the last node for reads, the first for everything else. */
int pick_last(const mysqlnd_ms_filter_call *call, void *data) {
  if (data != NULL || call->size < sizeof *call) return -1;
  return call->is_read ? (int)call->node_count - 1 : 0;
}

#else

#include <dlfcn.h>
#include <mysql.h>
#include <setjmp.h>
#include <stdlib.h>

typedef int set_filter(const char *name, mysqlnd_ms_filter function, void *data);
typedef const char *last_decision(void *mysql);

static set_filter *set_user_filter;
static last_decision *get_last_decision;

/* What the filter shall say, and what it saw. */
struct mind {
  int answer;
  const char *select; /* one '1' or '0' per node */
  int tell;
  jmp_buf *out;
};

static int filter(const mysqlnd_ms_filter_call *call, void *data) {
  struct mind *mind = data;
  if (mind->tell) {
    printf("asked: section=%s query=%.*s last_used=%d in_transaction=%d is_read=%d masters=%u\n", call->section,
           (int)call->query_length, call->query, call->last_used, call->in_transaction, call->is_read,
           call->master_count);
    for (unsigned i = 0; i < call->node_count; i++)
      printf("  %s %.6s slave=%d\n", call->nodes[i].name, call->nodes[i].uri, call->nodes[i].is_slave);
  }
  if (mind->out) longjmp(*mind->out, 1);
  for (unsigned i = 0; mind->select && i < call->node_count && mind->select[i]; i++)
    call->selected[i] = mind->select[i] == '1';
  return mind->answer;
}

static void drain(MYSQL *mysql) {
  MYSQL_RES *result = mysql_store_result(mysql);
  if (result) mysql_free_result(result);
}

static void run(MYSQL *mysql, const char *sql) {
  if (mysql_query(mysql, sql)) {
    printf("%s: error %u %s: %s\n", sql, mysql_errno(mysql), mysql_sqlstate(mysql), mysql_error(mysql));
    return;
  }
  drain(mysql);
  const char *told = get_last_decision(mysql);
  printf("%s: %.*s\n", sql, (int)(strstr(told, " class=") - told), told);
}

static MYSQL *connect_to(const char *section, char **argv) {
  MYSQL *mysql = mysql_init(NULL);
  if (!mysql_real_connect(mysql, section, argv[1], argv[2], "test", 0, NULL, 0)) {
    printf("connect %s: error %u: %s\n", section, mysql_errno(mysql), mysql_error(mysql));
    mysql_close(mysql);
    return NULL;
  }
  return mysql;
}

static void *function(const char *name) {
  void *found = dlsym(RTLD_DEFAULT, name);
  if (!found) {
    printf("no %s\n", name);
    exit(1);
  }
  return found;
}

static void single(char **argv) {
  struct mind mind = {.answer = 1, .tell = 1};
  MYSQL *mysql = connect_to("single", argv);
  run(mysql, "SELECT 1");
  printf("register: %d\n", set_user_filter("mine", filter, &mind));
  run(mysql, "SELECT 2");
  mind.tell = 0;
  mind.answer = 2;
  run(mysql, "SELECT 3");
  mind.answer = 0;
  run(mysql, "SELECT 4 FOR UPDATE");
  run(mysql, "SELECT 5");
  int wrong[] = {3, 99, -1};
  for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    mind.answer = wrong[i];
    run(mysql, "SELECT 6");
  }
  mind.answer = 1;
  run(mysql, "SELECT 7 FOR UPDATE");
  run(mysql, "SELECT 8");
  /* A transaction asks for its first statement only. */
  mind.answer = 0;
  mind.tell = 1;
  run(mysql, "BEGIN");
  run(mysql, "SELECT 9");
  run(mysql, "COMMIT");
  mind.tell = 0;
  printf("take away: %d\n", set_user_filter("mine", NULL, NULL));
  run(mysql, "SELECT 10");
  set_user_filter("mine", filter, &mind);
  run(mysql, "SELECT 11");
  /* Not allowed, and survived. */
  jmp_buf out;
  if (setjmp(out) == 0) {
    mind.out = &out;
    mysql_query(mysql, "SELECT 12");
    printf("came back\n");
  } else {
    printf("jumped out\n");
  }
  mind.out = NULL;
  mind.answer = 2;
  run(mysql, "SELECT 13");
  mysql_close(mysql);
  printf("without a name: %d %d\n", set_user_filter(NULL, filter, NULL), set_user_filter("", filter, NULL));
}

static void multi(char **argv) {
  struct mind mind = {.select = "101"};
  set_user_filter("several", filter, &mind);
  MYSQL *mysql = connect_to("multi", argv);
  run(mysql, "SELECT 1");
  run(mysql, "SELECT 2");
  run(mysql, "SELECT 3 FOR UPDATE");
  mind.select = "011";
  run(mysql, "SELECT 4");
  run(mysql, "SELECT 5");
  run(mysql, "SELECT 6 FOR UPDATE");
  mind.select = "100";
  run(mysql, "SELECT 7");
  mind.select = "111";
  mind.answer = 1;
  run(mysql, "SELECT 8");
  mind.answer = 0;
  run(mysql, "SELECT 9 FOR UPDATE");
  mysql_close(mysql);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  set_user_filter = (set_filter *)function("mysqlnd_ms_set_user_filter");
  get_last_decision = (last_decision *)function("mysqlnd_ms_get_last_decision");
  single(argv);
  multi(argv);
  MYSQL *mysql = connect_to("library", argv);
  if (mysql) {
    run(mysql, "SELECT 1");
    run(mysql, "SELECT 2 FOR UPDATE");
    mysql_close(mysql);
  }
  connect_to("missing", argv);
  return 0;
}

#endif
