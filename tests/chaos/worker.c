/* A program that writes and reads without knowing of replication: C. Every other insert and read is a prepared statement.
 * What it does: README.md. */
#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *host, *user, *password, *db;
static unsigned port, worker, seed;
static MYSQL *mysql;
static MYSQL_STMT *put, *get;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double chance(void) { return (double)rand_r(&seed) / ((double)RAND_MAX + 1); }

struct failure {
  unsigned code;
  char text[300];
};

static int of_handle(struct failure *failure) {
  failure->code = mysql_errno(mysql);
  snprintf(failure->text, sizeof failure->text, "%s", mysql_error(mysql));
  return failure->code != 0;
}

static int of_statement(MYSQL_STMT *stmt, struct failure *failure) {
  failure->code = mysql_stmt_errno(stmt);
  snprintf(failure->text, sizeof failure->text, "%s", mysql_stmt_error(stmt));
  return 1;
}

static int run(const char *sql, struct failure *failure) { return mysql_query(mysql, sql) && of_handle(failure); }

static void leave(void) {
  if (put) mysql_stmt_close(put);
  if (get) mysql_stmt_close(get);
  put = get = NULL;
  if (mysql) mysql_close(mysql);
  mysql = NULL;
}

static void enter(struct failure *failure) {
  mysql = mysql_init(NULL);
  if (!mysql_real_connect(mysql, host, user, password, db, port, NULL, 0)) {
    of_handle(failure);
    leave();
  }
}

static MYSQL_STMT *prepared(MYSQL_STMT **stmt, const char *sql, struct failure *failure) {
  if (!*stmt) {
    *stmt = mysql_stmt_init(mysql);
    if (mysql_stmt_prepare(*stmt, sql, strlen(sql))) {
      of_statement(*stmt, failure);
      mysql_stmt_close(*stmt);
      *stmt = NULL;
    }
  }
  return *stmt;
}

static int insert(int seq, const char *kind, struct failure *failure) {
  if (seq % 2) {
    char sql[200];
    snprintf(sql, sizeof sql, "INSERT INTO written (worker, seq, kind) VALUES (%u, %d, '%s')", worker, seq, kind);
    return run(sql, failure);
  }
  MYSQL_STMT *stmt = prepared(&put, "INSERT INTO written (worker, seq, kind) VALUES (?, ?, ?)", failure);
  if (!stmt) return 1;
  unsigned long length = 1;
  MYSQL_BIND bind[3];
  memset(bind, 0, sizeof bind);
  bind[0].buffer_type = bind[1].buffer_type = MYSQL_TYPE_LONG;
  bind[0].buffer = &worker;
  bind[1].buffer = &seq;
  bind[2].buffer_type = MYSQL_TYPE_STRING;
  bind[2].buffer = (void *)kind;
  bind[2].buffer_length = length;
  bind[2].length = &length;
  if (mysql_stmt_bind_param(stmt, bind) || mysql_stmt_execute(stmt)) return of_statement(stmt, failure);
  return 0;
}

/* "inside" or "commit": how far it got. */
static const char *transaction(int seq, struct failure *failure) {
  char sql[200];
  snprintf(sql, sizeof sql, "UPDATE account SET n = n + 1 WHERE worker = %u", worker);
  if (run("START TRANSACTION", failure) || run(sql, failure) || insert(seq, "t", failure)) {
    mysql_query(mysql, "ROLLBACK");
    return "inside";
  }
  if (mysql_commit(mysql)) {
    of_handle(failure);
    mysql_query(mysql, "ROLLBACK");
  }
  return "commit";
}

static void count(int seq, struct failure *failure, char *answer, size_t size) {
  char sql[200];
  snprintf(sql, sizeof sql, "SELECT COUNT(*) FROM written WHERE worker = %u AND seq = %d", worker, seq);
  if (run(sql, failure)) return;
  MYSQL_RES *result = mysql_store_result(mysql);
  if (!result) {
    of_handle(failure);
    return;
  }
  snprintf(answer, size, "%d:%s", seq, mysql_fetch_row(result)[0]);
  mysql_free_result(result);
}

static void fetch(int number, struct failure *failure, char *answer, size_t size) {
  const char *text = "SELECT v, (SELECT MAX(n) FROM whoami) FROM fixed WHERE id = ?";
  MYSQL_STMT *stmt = prepared(&get, text, failure);
  if (!stmt) return;
  MYSQL_BIND bind, row[2];
  int value = 0, node = 0;
  memset(&bind, 0, sizeof bind);
  memset(row, 0, sizeof row);
  bind.buffer_type = row[0].buffer_type = row[1].buffer_type = MYSQL_TYPE_LONG;
  bind.buffer = &number;
  row[0].buffer = &value;
  row[1].buffer = &node;
  if (mysql_stmt_bind_param(stmt, &bind) || mysql_stmt_execute(stmt) || mysql_stmt_bind_result(stmt, row) ||
      mysql_stmt_store_result(stmt)) {
    of_statement(stmt, failure);
    return;
  }
  int fetched = mysql_stmt_fetch(stmt);
  if (fetched == 1)
    of_statement(stmt, failure);
  else if (fetched == MYSQL_NO_DATA)
    snprintf(answer, size, "missing:-");
  else
    snprintf(answer, size, "%d:%d", value - 7 * number, node);
  mysql_stmt_free_result(stmt);
}

int main(int argc, char **argv) {
  if (argc != 10) return 2;
  host = argv[1], port = (unsigned)atoi(argv[2]), user = argv[3], password = argv[4], db = argv[5];
  worker = (unsigned)atoi(argv[6]), seed = (unsigned)atoi(argv[7]);
  FILE *out = fopen(argv[8], "w");
  if (!out) return 2;
  setvbuf(out, NULL, _IOLBF, 0);
  int acknowledged = 0;
  for (int seq = 1; access(argv[9], F_OK) != 0; seq++) {
    if (mysql && chance() < 0.01) leave();
    char kind = mysql ? "iitrrffff"[(int)(chance() * 9)] : 'c';
    if (kind == 'r' && !acknowledged) kind = 'i';
    fprintf(out, "B %d %c %.6f\n", seq, kind, now());
    struct failure failure = {0, ""};
    const char *place = "-";
    char answer[60] = "-";
    if (kind == 'c') {
      enter(&failure);
      acknowledged = 0;
    } else if (kind == 'i') {
      if (!insert(seq, "i", &failure)) acknowledged = seq;
    } else if (kind == 't') {
      place = transaction(seq, &failure);
      if (!failure.code) acknowledged = seq;
    } else if (kind == 'r') {
      count(acknowledged, &failure, answer, sizeof answer);
    } else {
      fetch(1 + (int)(chance() * 100), &failure, answer, sizeof answer);
    }
    for (char *at = failure.text; *at; at++)
      if (*at == '\n') *at = ' ';
    fprintf(out, "E %d %c %.6f %u %s %s %s\n", seq, kind, now(), failure.code, place, answer, failure.text);
    usleep((useconds_t)(chance() * 10000));
  }
  leave();
  return 0;
}
