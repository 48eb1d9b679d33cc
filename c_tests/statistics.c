/* Counters, the list of servers and the counters of each server, as a program sees them.

   statistics USER PASSWORD: connects to the sections of the configuration and prints after each step which counters moved.
   Run with our library only: the originals have no such functions. */
#include <dlfcn.h>
#include <mysql.h>
#include <mysqlclient_ms.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64

static size_t (*get_stats)(mysqlnd_ms_stat *stats, size_t most);
static size_t (*dump_servers)(void *mysql, mysqlnd_ms_server *servers, size_t most);
static size_t (*get_node_stats)(void *mysql, mysqlnd_ms_node_stat *stats, size_t most);
static int (*query_is_select)(const char *query);
static int (*set_user_filter)(const char *name, mysqlnd_ms_filter function, void *data);

static mysqlnd_ms_stat before[MOST];
static char **arguments;

/* What moved since the last call. */
static void moved(const char *step) {
  mysqlnd_ms_stat now[MOST];
  size_t count = get_stats(now, MOST);
  printf("%s:", step);
  for (size_t i = 0; i < count; i++) {
    long long by = (long long)(now[i].value - before[i].value);
    if (by) printf(" %s%+lld", now[i].name, by);
    before[i] = now[i];
  }
  printf("\n");
}

static void run(MYSQL *mysql, const char *sql) {
  MYSQL_RES *result;
  if (mysql_query(mysql, sql)) {
    printf("%s: error %u\n", sql, mysql_errno(mysql));
  } else if ((result = mysql_store_result(mysql))) {
    mysql_free_result(result);
  }
  moved(sql);
}

static MYSQL *connect_to(const char *section) {
  MYSQL *mysql = mysql_init(NULL);
  char step[64];
  snprintf(step, sizeof step, "connect %s", section);
  if (!mysql_real_connect(mysql, section, arguments[1], arguments[2], NULL, 0, NULL, 0)) {
    printf("%s: failed\n", step);
    mysql_close(mysql);
    mysql = NULL;
  }
  moved(step);
  return mysql;
}

static void list(MYSQL *mysql) {
  mysqlnd_ms_server servers[MOST];
  size_t count = dump_servers(mysql, servers, MOST);
  for (size_t i = 0; i < count; i++)
    printf("server %s: slave=%d host=%d account=%d port=%d socket=\"%s\" connected=%d used_last=%d\n",
           servers[i].name_from_config, servers[i].is_slave, servers[i].hostname[0] != 0,
           !strcmp(servers[i].user, arguments[1]), servers[i].port != 0, servers[i].socket, servers[i].thread_id != 0,
           servers[i].thread_id == mysql_thread_id(mysql));
}

static void list_stats(MYSQL *mysql) {
  mysqlnd_ms_node_stat stats[MOST];
  size_t count = get_node_stats(mysql, stats, MOST);
  for (size_t i = 0; i < count; i++)
    printf("node %s: slave=%d statements=%llu connects=%llu failures=%llu in_flight=%u\n", stats[i].name_from_config,
           stats[i].is_slave, (unsigned long long)stats[i].statements, (unsigned long long)stats[i].connects,
           (unsigned long long)stats[i].failures, stats[i].in_flight);
}

/* The last node for reads, the first for everything else. */
static int pick(const mysqlnd_ms_filter_call *call, void *data) {
  (void)data;
  return call->is_read ? (int)call->node_count - 1 : 0;
}

static void at_exit(void) { printf("at exit: %zu counters\n", get_stats(NULL, 0)); }

static void *function(const char *name) {
  void *found = dlsym(RTLD_DEFAULT, name);
  if (!found) {
    printf("%s is missing\n", name);
    exit(1);
  }
  return found;
}

int main(int argc, char **argv) {
  MYSQL *mysql;
  mysqlnd_ms_server one[1];
  if (argc < 3) return 2;
  arguments = argv;
  *(void **)&get_stats = function("mysqlnd_ms_get_stats");
  *(void **)&dump_servers = function("mysqlnd_ms_dump_servers");
  *(void **)&get_node_stats = function("mysqlnd_ms_get_node_stats");
  *(void **)&query_is_select = function("mysqlnd_ms_query_is_select");
  *(void **)&set_user_filter = function("mysqlnd_ms_set_user_filter");
  atexit(at_exit);
  memset(before, 0, sizeof before);

  size_t count = get_stats(before, MOST);
  printf("%zu counters\n", count);
  for (size_t i = 0; i < count; i++)
    if (before[i].value) printf("%s does not start at 0\n", before[i].name);

  if ((mysql = connect_to("lazy"))) {
    list(mysql);
    run(mysql, "SELECT 1");
    run(mysql, "SELECT 2 FOR UPDATE");
    run(mysql, "/*ms=master*/ SELECT 3");
    run(mysql, "/*ms=slave*/ SELECT 4");
    run(mysql, "/*ms=last_used*/ SELECT 5");
    list(mysql);
    printf("room for 1 of %zu: %d\n", dump_servers(mysql, one, 1), one[0].is_slave);
    mysql_autocommit(mysql, 0);
    moved("autocommit off");
    mysql_autocommit(mysql, 1);
    moved("autocommit on");
    printf("is select: %d", query_is_select("SELECT 1"));
    moved("");
    printf("is select: %d", query_is_select("/*ms=master*/ SELECT 1"));
    moved("");
    mysql_send_query(mysql, "SELECT 6", 8);
    moved("SELECT 6");
    list_stats(mysql);
    mysql_read_query_result(mysql);
    mysql_free_result(mysql_store_result(mysql));
    mysql_close(mysql);
    moved("close");
  }
  if ((mysql = connect_to("eager"))) mysql_close(mysql);
  moved("close");
  if ((mysql = connect_to("eager_dead"))) mysql_close(mysql);
  if ((mysql = connect_to("lazy_dead"))) {
    run(mysql, "SELECT 7");
    list_stats(mysql);
    mysql_close(mysql);
    moved("close");
  }
  if ((mysql = connect_to("sticky"))) {
    run(mysql, "SELECT 8");
    run(mysql, "BEGIN");
    run(mysql, "SELECT 9");
    run(mysql, "/*ms=slave*/ SELECT 10");
    run(mysql, "COMMIT");
    run(mysql, "SELECT 11");
    mysql_close(mysql);
    moved("close");
  }
  set_user_filter("mine", pick, NULL);
  if ((mysql = connect_to("user"))) {
    run(mysql, "SELECT 12");
    run(mysql, "SELECT 13 FOR UPDATE");
    mysql_close(mysql);
    moved("close");
  }

  if ((mysql = connect_to("counter"))) {
    run(mysql, "SELECT 14 FOR UPDATE");
    run(mysql, "BEGIN");
    run(mysql, "SELECT 15 FOR UPDATE");
    run(mysql, "COMMIT");
    run(mysql, "BEGIN");
    run(mysql, "SELECT 16 FOR UPDATE");
    run(mysql, "BEGIN");
    run(mysql, "ROLLBACK");
    mysql_close(mysql);
    moved("close");
  }
  if ((mysql = connect_to("bad_counter"))) {
    run(mysql, "SELECT 17 FOR UPDATE");
    run(mysql, "BEGIN");
    run(mysql, "SELECT 18 FOR UPDATE");
    run(mysql, "COMMIT");
    mysql_close(mysql);
    moved("close");
  }

  mysql = mysql_init(NULL);
  count = dump_servers(mysql, one, 1);
  printf("not connected: %zu, error %u\n", count, mysql_errno(mysql));
  count = get_node_stats(mysql, NULL, 0);
  printf("not connected: %zu, error %u\n", count, mysql_errno(mysql));
  mysql_close(mysql);
  printf("no handle: %zu %zu\n", dump_servers(NULL, one, 1), get_node_stats(NULL, NULL, 0));
  return 0;
}
