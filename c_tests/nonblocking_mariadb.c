/*
 * nonblocking_mariadb.c: the _start and _cont functions: 200 handles in one loop, every call
 * of the family, errors and time limits.
 *
 * Arguments: none: all of it, at full speed. "trickle": 200 handles through a proxy that sends one
 * byte at a time. "lockstep": byte by byte, on the program's own word, in the clear and with TLS; then what the
 * original leaves undefined.
 */
#include "nonblocking.h"

/* Leaves `run` while the call waits. */
#define AWAIT(start, cont)                                                                                       \
  h->mask = (start);                                                                                             \
  while (h->mask) {                                                                                              \
    h->waits++;                                                                                                  \
    if (h->mask & MYSQL_WAIT_TIMEOUT)                                                                            \
      h->deadline = milliseconds() + mysql_get_timeout_value_ms(h->m);                                           \
    h->line = __LINE__;                                                                                          \
    return;                                                                                                      \
  case __LINE__:                                                                                                 \
    h->mask = (cont);                                                                                            \
  }

static int descriptor(struct handle *h) { return (int)mysql_get_socket(h->m); }

static void prepare(struct handle *h)
{
  unsigned int tcp = MYSQL_PROTOCOL_TCP, seconds = 50;
  my_bool on = 1;
  h->m = mysql_init(NULL);
  mysql_options(h->m, MYSQL_OPT_NONBLOCK, 0);
  mysql_options(h->m, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
  mysql_options(h->m, MYSQL_INIT_COMMAND, "SET @init = 5");
  if (!by_socket(h))
    mysql_options(h->m, MYSQL_OPT_PROTOCOL, &tcp);
  if (with_tls(h))
    mysql_options(h->m, MYSQL_OPT_SSL_ENFORCE, &on);
}

/* What a call of a statement has left. */
static void note_stmt(struct handle *h, const char *what, long long value)
{
  note(h, "%-28s %lld errno=%u state=%s text=%s affected=%lld rows=%llu", what, value, mysql_stmt_errno(h->stmt),
       mysql_stmt_sqlstate(h->stmt), mysql_stmt_error(h->stmt), (long long)mysql_stmt_affected_rows(h->stmt),
       (unsigned long long)mysql_stmt_num_rows(h->stmt));
}

static void bind_all(struct handle *h)
{
  memset(h->in, 0, sizeof h->in);
  memset(h->out, 0, sizeof h->out);
  h->in[0].buffer_type = MYSQL_TYPE_LONG;
  h->in[0].buffer = &h->number;
  h->in[1].buffer_type = MYSQL_TYPE_LONG;
  h->in[1].buffer = &h->limit;
  h->out[0].buffer_type = MYSQL_TYPE_LONG;
  h->out[0].buffer = &h->got_number;
  h->out[1].buffer_type = MYSQL_TYPE_STRING;
  h->out[1].buffer = h->text_got;
  h->out[1].buffer_length = sizeof h->text_got;
  h->out[1].length = &h->text_length;
  h->out[2].buffer_type = MYSQL_TYPE_LONG;
  h->out[2].buffer = &h->got_limit;
}

static void sum_fetched(struct handle *h)
{
  h->sum = h->sum * 31 + digest(h->text_got, h->text_length) + (unsigned)h->got_number * 7 + (unsigned)h->got_limit;
  h->rows++;
}

static void run(struct handle *h)
{
  switch (h->line) {
  case 0:
    prepare(h);
    AWAIT(mysql_real_connect_start(&h->connected, h->m, by_socket(h) ? NULL : host(), user(), pass(), db(),
                                   by_socket(h) ? 0 : nb_port, by_socket(h) ? sock() : NULL, CLIENT_MULTI_STATEMENTS),
          mysql_real_connect_cont(&h->connected, h->m, h->ready));
    if (!h->connected) {
      note_end(h, "real_connect", 0);
      goto end;
    }
    note(h, "TLS as asked for: %d", (mysql_get_ssl_cipher(h->m) != NULL) == with_tls(h));

    /* a stored result */
    snprintf(h->sql, sizeof h->sql, "SELECT @init, 'text', NULL, REPEAT('z', 3000)");
    AWAIT(mysql_query_start(&h->integer, h->m, h->sql), mysql_query_cont(&h->integer, h->m, h->ready));
    note_end(h, "query", h->integer);
    AWAIT(mysql_store_result_start(&h->res, h->m), mysql_store_result_cont(&h->res, h->m, h->ready));
    note_end(h, "store_result", h->res != NULL);
    if (h->res) {
      /* stored rows never wait */
      note(h, "fetch_row_start %d", mysql_fetch_row_start(&h->row, h->res));
      note(h, "%s %s %s %lu", h->row[0], h->row[1], or_null(h->row[2]), mysql_fetch_lengths(h->res)[3]);
      note(h, "fetch_row_start %d, row %d", mysql_fetch_row_start(&h->row, h->res), h->row != NULL);
      note(h, "free_result_start %d", mysql_free_result_start(h->res));
    }

    /* a large one, stored */
    snprintf(h->sql, sizeof h->sql, "SELECT n, REPEAT(CHAR(97 + n %% 26), n %% %d) FROM %s WHERE n <= %d ORDER BY n",
             nb_width, nb_table, nb_rows);
    AWAIT(mysql_real_query_start(&h->integer, h->m, h->sql, strlen(h->sql)),
          mysql_real_query_cont(&h->integer, h->m, h->ready));
    note_end(h, "real_query", h->integer);
    AWAIT(mysql_store_result_start(&h->res, h->m), mysql_store_result_cont(&h->res, h->m, h->ready));
    if (h->res) {
      for (h->sum = 0; (h->row = mysql_fetch_row(h->res));)
        h->sum = sum_row(h->res, h->row, h->sum);
      note(h, "stored %llu rows, sum %llx", (unsigned long long)mysql_num_rows(h->res), h->sum);
      mysql_free_result(h->res);
    }

    /* the same, unbuffered */
    AWAIT(mysql_real_query_start(&h->integer, h->m, h->sql, strlen(h->sql)),
          mysql_real_query_cont(&h->integer, h->m, h->ready));
    h->res = mysql_use_result(h->m);
    note_end(h, "use_result", h->res != NULL);
    for (h->sum = 0; h->res;) {
      AWAIT(mysql_fetch_row_start(&h->row, h->res), mysql_fetch_row_cont(&h->row, h->res, h->ready));
      if (!h->row)
        break;
      h->sum = sum_row(h->res, h->row, h->sum);
    }
    note(h, "fetched %llu rows, sum %llx", (unsigned long long)mysql_num_rows(h->res), h->sum);
    note_end(h, "fetch_row", h->row != NULL);
    AWAIT(mysql_free_result_start(h->res), mysql_free_result_cont(h->res, h->ready));

    /* given up after three rows */
    AWAIT(mysql_real_query_start(&h->integer, h->m, h->sql, strlen(h->sql)),
          mysql_real_query_cont(&h->integer, h->m, h->ready));
    h->res = mysql_use_result(h->m);
    for (h->i = 0; h->i < 3 && h->res; h->i++) {
      AWAIT(mysql_fetch_row_start(&h->row, h->res), mysql_fetch_row_cont(&h->row, h->res, h->ready));
    }
    AWAIT(mysql_free_result_start(h->res), mysql_free_result_cont(h->res, h->ready));
    note_end(h, "free_result", h->i);

    /* several results */
    AWAIT(mysql_query_start(&h->integer, h->m, "SELECT 1 UNION SELECT 2; DO 1; SELECT 3; SELECT nothing_such"),
          mysql_query_cont(&h->integer, h->m, h->ready));
    note_end(h, "multi query", h->integer);
    for (h->i = 0; h->i < 6; h->i++) {
      AWAIT(mysql_store_result_start(&h->res, h->m), mysql_store_result_cont(&h->res, h->m, h->ready));
      note(h, "result %d, more %d, rows %llu", h->res != NULL, mysql_more_results(h->m),
           h->res ? (unsigned long long)mysql_num_rows(h->res) : 0);
      mysql_free_result(h->res);
      AWAIT(mysql_next_result_start(&h->integer, h->m), mysql_next_result_cont(&h->integer, h->m, h->ready));
      note_end(h, "next_result", h->integer < 0 ? -1 : h->integer > 0);
      if (h->integer)
        break;
    }

    /* statements without rows */
    AWAIT(mysql_query_start(&h->integer, h->m, "CREATE TEMPORARY TABLE nb_own (id INT AUTO_INCREMENT PRIMARY KEY, t TEXT)"),
          mysql_query_cont(&h->integer, h->m, h->ready));
    note_end(h, "create", h->integer);
    AWAIT(mysql_query_start(&h->integer, h->m, "INSERT INTO nb_own (t) VALUES ('a'), ('b'), (NULL)"),
          mysql_query_cont(&h->integer, h->m, h->ready));
    note_end(h, "insert", h->integer);
    AWAIT(mysql_query_start(&h->integer, h->m, "INSERT nonsense"), mysql_query_cont(&h->integer, h->m, h->ready));
    note_end(h, "bad syntax", h->integer != 0);

    /* a statement that is sent in pieces */
    if (nb_large) {
      AWAIT(mysql_query_start(&h->integer, h->m, large_statement()), mysql_query_cont(&h->integer, h->m, h->ready));
      note_end(h, "large statement", h->integer);
      AWAIT(mysql_store_result_start(&h->res, h->m), mysql_store_result_cont(&h->res, h->m, h->ready));
      note(h, "value %s", h->res ? mysql_fetch_row(h->res)[0] : "none");
      mysql_free_result(h->res);
    }

    /* send, then read */
    AWAIT(mysql_send_query_start(&h->integer, h->m, "SELECT 4", 8), mysql_send_query_cont(&h->integer, h->m, h->ready));
    note(h, "send_query %d", h->integer);
    AWAIT(mysql_read_query_result_start(&h->flag, h->m), mysql_read_query_result_cont(&h->flag, h->m, h->ready));
    note_end(h, "read_query_result", h->flag);
    AWAIT(mysql_store_result_start(&h->res, h->m), mysql_store_result_cont(&h->res, h->m, h->ready));
    note(h, "value %s", h->res ? mysql_fetch_row(h->res)[0] : "none");
    mysql_free_result(h->res);

    /* prepared statements */
    bind_all(h);
    h->stmt = mysql_stmt_init(h->m);
    AWAIT(mysql_stmt_prepare_start(&h->integer, h->stmt, "SELECT nothing_such", 19),
          mysql_stmt_prepare_cont(&h->integer, h->stmt, h->ready));
    note_stmt(h, "stmt_prepare", h->integer != 0);
    snprintf(h->sql, sizeof h->sql, "SELECT n, REPEAT('p', n %% %d), ? FROM %s WHERE n <= ? ORDER BY n", nb_width, nb_table);
    AWAIT(mysql_stmt_prepare_start(&h->integer, h->stmt, h->sql, strlen(h->sql)),
          mysql_stmt_prepare_cont(&h->integer, h->stmt, h->ready));
    note_stmt(h, "stmt_prepare", h->integer);
    note(h, "parameters %lu, columns %u", mysql_stmt_param_count(h->stmt), mysql_stmt_field_count(h->stmt));
    h->number = 17;
    h->limit = nb_rows;
    mysql_stmt_bind_param(h->stmt, h->in);
    AWAIT(mysql_stmt_execute_start(&h->integer, h->stmt), mysql_stmt_execute_cont(&h->integer, h->stmt, h->ready));
    note_stmt(h, "stmt_execute", h->integer);
    mysql_stmt_bind_result(h->stmt, h->out);
    AWAIT(mysql_stmt_store_result_start(&h->integer, h->stmt),
          mysql_stmt_store_result_cont(&h->integer, h->stmt, h->ready));
    note_stmt(h, "stmt_store_result", h->integer);
    for (h->sum = h->rows = 0; (h->status = mysql_stmt_fetch(h->stmt)) == 0;)
      sum_fetched(h);
    note(h, "stored %u rows, sum %llx, fetch %d", h->rows, h->sum, h->status);
    AWAIT(mysql_stmt_free_result_start(&h->flag, h->stmt), mysql_stmt_free_result_cont(&h->flag, h->stmt, h->ready));
    note(h, "stmt_free_result %d errno=%u", h->flag, mysql_stmt_errno(h->stmt));
    AWAIT(mysql_stmt_execute_start(&h->integer, h->stmt), mysql_stmt_execute_cont(&h->integer, h->stmt, h->ready));
    for (h->sum = h->rows = 0;;) {
      AWAIT(mysql_stmt_fetch_start(&h->integer, h->stmt), mysql_stmt_fetch_cont(&h->integer, h->stmt, h->ready));
      if (h->integer)
        break;
      sum_fetched(h);
    }
    note(h, "fetched %u rows, sum %llx, fetch %d", h->rows, h->sum, h->integer);
    AWAIT(mysql_stmt_execute_start(&h->integer, h->stmt), mysql_stmt_execute_cont(&h->integer, h->stmt, h->ready));
    for (h->i = 0; h->i < 3; h->i++) {
      AWAIT(mysql_stmt_fetch_start(&h->integer, h->stmt), mysql_stmt_fetch_cont(&h->integer, h->stmt, h->ready));
    }
    AWAIT(mysql_stmt_free_result_start(&h->flag, h->stmt), mysql_stmt_free_result_cont(&h->flag, h->stmt, h->ready));
    note_stmt(h, "given up", h->flag);
    AWAIT(mysql_stmt_reset_start(&h->flag, h->stmt), mysql_stmt_reset_cont(&h->flag, h->stmt, h->ready));
    note_stmt(h, "stmt_reset", h->flag);
    AWAIT(mysql_stmt_next_result_start(&h->integer, h->stmt), mysql_stmt_next_result_cont(&h->integer, h->stmt, h->ready));
    note(h, "stmt_next_result %d", h->integer);
    AWAIT(mysql_stmt_prepare_start(&h->integer, h->stmt, "INSERT INTO nb_own (t) VALUES (?)", 33),
          mysql_stmt_prepare_cont(&h->integer, h->stmt, h->ready));
    h->in[0].buffer_type = MYSQL_TYPE_BLOB;
    mysql_stmt_bind_param(h->stmt, h->in);
    for (h->i = 0; h->i < 3; h->i++) {
      AWAIT(mysql_stmt_send_long_data_start(&h->flag, h->stmt, 0, "a piece", 7),
            mysql_stmt_send_long_data_cont(&h->flag, h->stmt, h->ready));
    }
    AWAIT(mysql_stmt_execute_start(&h->integer, h->stmt), mysql_stmt_execute_cont(&h->integer, h->stmt, h->ready));
    note_stmt(h, "stmt_execute", h->integer);
    AWAIT(mysql_stmt_close_start(&h->flag, h->stmt), mysql_stmt_close_cont(&h->flag, h->stmt, h->ready));
    note(h, "stmt_close %d", h->flag);
    AWAIT(mysql_query_start(&h->integer, h->m, "SELECT t FROM nb_own ORDER BY id DESC LIMIT 1"),
          mysql_query_cont(&h->integer, h->m, h->ready));
    AWAIT(mysql_store_result_start(&h->res, h->m), mysql_store_result_cont(&h->res, h->m, h->ready));
    note(h, "value %s", h->res ? mysql_fetch_row(h->res)[0] : "none");
    mysql_free_result(h->res);

    /* the calls that are no statements */
    AWAIT(mysql_ping_start(&h->integer, h->m), mysql_ping_cont(&h->integer, h->m, h->ready));
    note_end(h, "ping", h->integer);
    AWAIT(mysql_set_character_set_start(&h->integer, h->m, "latin1"),
          mysql_set_character_set_cont(&h->integer, h->m, h->ready));
    note_end(h, "set_character_set", h->integer);
    note(h, "%s", mysql_character_set_name(h->m));
    AWAIT(mysql_set_character_set_start(&h->integer, h->m, "no_such"),
          mysql_set_character_set_cont(&h->integer, h->m, h->ready));
    note(h, "set_character_set %d, %u", h->integer != 0, mysql_errno(h->m));
    AWAIT(mysql_autocommit_start(&h->flag, h->m, 0), mysql_autocommit_cont(&h->flag, h->m, h->ready));
    note_end(h, "autocommit", h->flag);
    AWAIT(mysql_commit_start(&h->flag, h->m), mysql_commit_cont(&h->flag, h->m, h->ready));
    note_end(h, "commit", h->flag);
    AWAIT(mysql_rollback_start(&h->flag, h->m), mysql_rollback_cont(&h->flag, h->m, h->ready));
    note_end(h, "rollback", h->flag);
    AWAIT(mysql_set_server_option_start(&h->integer, h->m, MYSQL_OPTION_MULTI_STATEMENTS_OFF),
          mysql_set_server_option_cont(&h->integer, h->m, h->ready));
    note_end(h, "set_server_option", h->integer);
    AWAIT(mysql_select_db_start(&h->integer, h->m, "no_such_schema"), mysql_select_db_cont(&h->integer, h->m, h->ready));
    note(h, "select_db %d, %d", h->integer != 0, mysql_errno(h->m) != 0);
    AWAIT(mysql_select_db_start(&h->integer, h->m, db()), mysql_select_db_cont(&h->integer, h->m, h->ready));
    note_end(h, "select_db", h->integer);
    AWAIT(mysql_list_fields_start(&h->res, h->m, nb_table, "n%"), mysql_list_fields_cont(&h->res, h->m, h->ready));
    note(h, "list_fields %d, %s", h->res != NULL, h->res ? mysql_fetch_field(h->res)->name : mysql_error(h->m));
    mysql_free_result(h->res);
    AWAIT(mysql_stat_start(&h->text, h->m), mysql_stat_cont(&h->text, h->m, h->ready));
    note(h, "stat %.7s, errno %u", h->text, mysql_errno(h->m));
    AWAIT(mysql_kill_start(&h->integer, h->m, 4000000000u), mysql_kill_cont(&h->integer, h->m, h->ready));
    note(h, "kill %d, %u", h->integer != 0, mysql_errno(h->m));
    AWAIT(mysql_dump_debug_info_start(&h->integer, h->m), mysql_dump_debug_info_cont(&h->integer, h->m, h->ready));
    note(h, "dump_debug_info %d, %u", h->integer != 0, mysql_errno(h->m));
    AWAIT(mysql_refresh_start(&h->integer, h->m, REFRESH_STATUS), mysql_refresh_cont(&h->integer, h->m, h->ready));
    note(h, "refresh %d, %u", h->integer != 0, mysql_errno(h->m));
    /* the account may not */
    AWAIT(mysql_shutdown_start(&h->integer, h->m, SHUTDOWN_DEFAULT), mysql_shutdown_cont(&h->integer, h->m, h->ready));
    note(h, "shutdown %d, %u", h->integer != 0, mysql_errno(h->m));
    AWAIT(mysql_reset_connection_start(&h->integer, h->m), mysql_reset_connection_cont(&h->integer, h->m, h->ready));
    note(h, "reset_connection %d, %u", h->integer, mysql_errno(h->m));
    if (with_tls(h) || !server_is_mysql()) {
      AWAIT(mysql_change_user_start(&h->flag, h->m, user(), pass(), NULL),
            mysql_change_user_cont(&h->flag, h->m, h->ready));
      if (h->flag)
        note_end(h, "change_user", h->flag);
    }

    /* blocking calls on the same handle, in between */
    if (nb_port == port())
      h->text = value(h->m, "SELECT 6");
    else
      h->text = "6";
    note(h, "blocking %s", h->text);
    AWAIT(mysql_close_start(h->m), mysql_close_cont(h->m, h->ready));
    h->line = DONE;
    return;
  end:
    mysql_close(h->m);
    h->line = DONE;
  }
}

static void run_routed(struct handle *h)
{
  switch (h->line) {
  case 0:
    prepare(h);
    AWAIT(mysql_real_connect_start(&h->connected, h->m, host(), user(), pass(), db(), nb_port, NULL, 0),
          mysql_real_connect_cont(&h->connected, h->m, h->ready));
    if (!h->connected) {
      note_end(h, "real_connect", 0);
      mysql_close(h->m);
      h->line = DONE;
      return;
    }
    for (h->i = 0; h->i < 6; h->i++) {
      AWAIT(mysql_query_start(&h->integer, h->m, "SELECT id, v FROM nb_read ORDER BY id /* r */"),
            mysql_query_cont(&h->integer, h->m, h->ready));
      AWAIT(mysql_store_result_start(&h->res, h->m), mysql_store_result_cont(&h->res, h->m, h->ready));
      for (h->sum = 0; h->res && (h->row = mysql_fetch_row(h->res));)
        h->sum = sum_row(h->res, h->row, h->sum);
      mysql_free_result(h->res);
      snprintf(h->sql, sizeof h->sql, "INSERT INTO nb_written_%d VALUES (%u, 'text') /* w */", (int)getpid(), h->i);
      AWAIT(mysql_query_start(&h->integer, h->m, h->sql), mysql_query_cont(&h->integer, h->m, h->ready));
      note(h, "read %d, sum %llx, written %llu", h->integer, h->sum, (unsigned long long)mysql_affected_rows(h->m));
      AWAIT(mysql_query_start(&h->integer, h->m, "SELECT id, REPEAT(v, 100) FROM nb_read ORDER BY id /* r */"),
            mysql_query_cont(&h->integer, h->m, h->ready));
      h->res = mysql_use_result(h->m);
      for (h->sum = 0; h->res;) {
        AWAIT(mysql_fetch_row_start(&h->row, h->res), mysql_fetch_row_cont(&h->row, h->res, h->ready));
        if (!h->row)
          break;
        h->sum = sum_row(h->res, h->row, h->sum);
      }
      note(h, "fetched %llu, sum %llx", h->res ? (unsigned long long)mysql_num_rows(h->res) : 0, h->sum);
      AWAIT(mysql_free_result_start(h->res), mysql_free_result_cont(h->res, h->ready));
      AWAIT(mysql_query_start(&h->integer, h->m, "START TRANSACTION /* t */"),
            mysql_query_cont(&h->integer, h->m, h->ready));
      AWAIT(mysql_query_start(&h->integer, h->m, "SELECT COUNT(*) FROM nb_read /* t */"),
            mysql_query_cont(&h->integer, h->m, h->ready));
      AWAIT(mysql_store_result_start(&h->res, h->m), mysql_store_result_cont(&h->res, h->m, h->ready));
      note(h, "in a transaction %s", h->res ? mysql_fetch_row(h->res)[0] : "none");
      mysql_free_result(h->res);
      AWAIT(mysql_commit_start(&h->flag, h->m), mysql_commit_cont(&h->flag, h->m, h->ready));
      note_end(h, "commit", h->flag);
      AWAIT(mysql_send_query_start(&h->integer, h->m, "SELECT COUNT(*) FROM nb_read /* r */", 36),
            mysql_send_query_cont(&h->integer, h->m, h->ready));
      AWAIT(mysql_read_query_result_start(&h->flag, h->m), mysql_read_query_result_cont(&h->flag, h->m, h->ready));
      AWAIT(mysql_store_result_start(&h->res, h->m), mysql_store_result_cont(&h->res, h->m, h->ready));
      note(h, "sent %s", h->res ? mysql_fetch_row(h->res)[0] : "none");
      mysql_free_result(h->res);
      AWAIT(mysql_ping_start(&h->integer, h->m), mysql_ping_cont(&h->integer, h->m, h->ready));
      AWAIT(mysql_set_character_set_start(&h->integer, h->m, h->i % 2 ? "latin1" : "utf8mb4"),
            mysql_set_character_set_cont(&h->integer, h->m, h->ready));
      note(h, "character set %d", h->integer);
    }
    AWAIT(mysql_close_start(h->m), mysql_close_cont(h->m, h->ready));
    h->line = DONE;
  }
}

static MYSQL *fresh(void)
{
  MYSQL *m = mysql_init(NULL);
  mysql_options(m, MYSQL_OPT_NONBLOCK, 0);
  return m;
}

/* Waits for one handle; a time limit ends at once, without waiting for it. */
static int ready(MYSQL *m, int mask)
{
  struct pollfd p = {(int)mysql_get_socket(m), (mask & 1 ? POLLIN : 0) | (mask & 2 ? POLLOUT : 0), 0};
  if (poll(&p, 1, mask & MYSQL_WAIT_TIMEOUT ? 200 : -1) == 0)
    return MYSQL_WAIT_TIMEOUT;
  return mask & 3;
}

static MYSQL *connect_now(MYSQL *m, const char *where, const char *password, unsigned int to)
{
  MYSQL *ret = NULL;
  int mask = mysql_real_connect_start(&ret, m, where, user(), password, db(), to, NULL, 0);
  while (mask)
    mask = mysql_real_connect_cont(&ret, m, ready(m, mask));
  return ret;
}

static int query_now(MYSQL *m, const char *sql)
{
  int ret = -7, mask = mysql_query_start(&ret, m, sql);
  while (mask)
    mask = mysql_query_cont(&ret, m, ready(m, mask));
  return ret;
}

static void silent(int fd)
{
  char sink[100];
  while (recv(fd, sink, sizeof sink, 0) > 0)
    ;
}

static void silent_behind_login(int fd)
{
  fake_login(fd);
  silent(fd);
}

static void options(void)
{
  section("the option and the time limit");
  MYSQL *m = mysql_init(NULL);
  my_bool on = 7;
  size_t stack = 1 << 20;
  say("%d %d", mysql_get_option(m, MYSQL_OPT_NONBLOCK, &on), on);
  say("%u %u", mysql_get_timeout_value(m), mysql_get_timeout_value_ms(m));
  say("%d", mysql_options(m, MYSQL_OPT_NONBLOCK, &stack));
  say("%d %d", mysql_get_option(m, MYSQL_OPT_NONBLOCK, &on), on);
  say("%d", mysql_options(m, MYSQL_OPT_NONBLOCK, 0));
  say("socket %d", (int)mysql_get_socket(m));
  mysql_close(m);
}

static void limits(void)
{
  unsigned int seconds = 30, mask;
  struct fake f = fake_start(silent, 2);
  int ret = -7;
  section("time limits");
  MYSQL *m = fresh(), *connected = m;
  lab_mask_number((unsigned long)f.port, "FAKEPORT");
  mysql_options(m, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
  mask = (unsigned)mysql_real_connect_start(&connected, m, "127.0.0.1", "u", "", NULL, (unsigned)f.port, NULL, 0);
  say("connect waits for %u, %u s, socket %d", mask & 8, mysql_get_timeout_value(m), mysql_get_socket(m) > 2);
  while (mask)
    mask = (unsigned)mysql_real_connect_cont(&connected, m, ready(m, (int)mask));
  say("connected %d", connected != NULL);
  say("%-34s errno=%u state=%s", "the greeting does not come", mysql_errno(m), mysql_sqlstate(m));
  mysql_close(m);
  fake_end(f);

  f = fake_start(silent_behind_login, 1);
  m = fresh();
  seconds = 40;
  mysql_options(m, MYSQL_OPT_READ_TIMEOUT, &seconds);
  mask = (unsigned)mysql_real_connect_start(&connected, m, "127.0.0.1", "u", "", NULL, (unsigned)f.port, NULL, 0);
  while (mask)
    mask = (unsigned)mysql_real_connect_cont(&connected, m, ready(m, (int)mask));
  say("connected %d", connected == m);
  mask = (unsigned)mysql_query_start(&ret, m, "SELECT 1");
  say("query waits for %u, %u s", mask, mysql_get_timeout_value(m));
  say("again: waits for %d", mysql_query_cont(&ret, m, 0));
  mask = (unsigned)mysql_query_cont(&ret, m, MYSQL_WAIT_TIMEOUT);
  say("the time is over: waits for %u", mask);
  show_rc("no answer", ret, m);
  show_rc("a statement after it", query_now(m, "SELECT 1"), m);
  mysql_close(m);
  fake_end(f);

  f = fake_start(silent_behind_login, 1);
  m = fresh();
  mask = (unsigned)mysql_real_connect_start(&connected, m, "127.0.0.1", "u", "", NULL, (unsigned)f.port, NULL, 0);
  while (mask)
    mask = (unsigned)mysql_real_connect_cont(&connected, m, ready(m, (int)mask));
  say("without a limit the query waits for %d", mysql_query_start(&ret, m, "SELECT 1"));
  say("and for %d", mysql_query_cont(&ret, m, 0));
  mysql_close(m);
  fake_end(f);
}

static void errors(void)
{
  int ret = -7, mask;
  MYSQL_RES *res = (void *)&ret;
  section("errors");
  MYSQL *m = fresh();
  say("unconnected: %d", mysql_query_start(&ret, m, "SELECT 1"));
  show_rc("query", ret, m);
  say("nothing pending: %d", mysql_query_cont(&ret, m, MYSQL_WAIT_READ));
  show_rc("query_cont", ret, m);
  ret = 0;
  say("nothing pending: %d", mysql_store_result_cont(&res, m, MYSQL_WAIT_READ));
  show_rc("store_result_cont", res == NULL, m);
  say("connected %d", connect_now(m, host(), "wrong", port()) != NULL);
  say("%-34s errno=%u state=%s", "a wrong password", mysql_errno(m), mysql_sqlstate(m));
  say("connected %d", connect_now(m, host(), pass(), port()) == m);
  say("connected %d", connect_now(m, host(), pass(), port()) != NULL);
  show("twice", m);
  mysql_close(m);

  m = fresh();
  say("connected %d", connect_now(m, "127.0.0.1", pass(), 1) != NULL);
  show("nobody listens", m);
  mysql_close(m);
  m = fresh();
  say("connected %d", connect_now(m, "no.such.host.invalid", pass(), 1) != NULL);
  say("an unknown host                    errno=%u state=%s", mysql_errno(m), mysql_sqlstate(m));
  mysql_close(m);

  m = fresh();
  connect_now(m, host(), pass(), port());
  say("query %d", query_now(m, "SELECT 1 UNION SELECT 2"));
  ret = 9;
  mask = mysql_ping_start(&ret, m);
  say("ping waits for %d", mask);
  show_rc("a result waits: ping", ret, m);
  ret = 9;
  mask = mysql_next_result_start(&ret, m);
  say("next_result waits for %d", mask);
  show_rc("a result waits: next_result", ret, m);
  mysql_free_result(mysql_use_result(m));
  alive(m);
  say("free_result_start(NULL) %d", mysql_free_result_start(NULL));
  say("close_start(NULL) %d", mysql_close_start(NULL));

  say("query %d", query_now(m, of_numbers("SELECT n, REPEAT('x', 4000)", "")));
  res = mysql_use_result(m);
  MYSQL_ROW row = mysql_fetch_row(res);
  say("a row %d", row != NULL);
  kill_from_outside(m);
  unsigned int rows = 0;
  do {
    for (mask = mysql_fetch_row_start(&row, res); mask; mask = mysql_fetch_row_cont(&row, res, ready(m, mask)))
      ;
    rows += row != NULL;
  } while (row);
  say("not all rows: %d", rows < 2000);
  show("killed while rows come", m);
  mysql_free_result(res);
  show_rc("then", query_now(m, "SELECT 1"), m);
  say("close_cont %d", mysql_close_cont(m, 0));
}

/* What the originals do not check: another call while one is pending, and what must go on to work. */
static void meanwhile(void)
{
  int ret = -7, other = 7, rc;
  my_bool flag = 7;
  char to[20];
  MYSQL_RES *res = NULL;
  MYSQL_ROW row;
  section("another call while one is pending");
  MYSQL *m = fresh();
  connect_now(m, host(), pass(), port());
  unsigned long id = mysql_thread_id(m);
  int mask = mysql_query_start(&ret, m, "SELECT SLEEP(0.2), 5");
  say("query_start waits for %d", mask);
  rc = mysql_query(m, "SELECT 1");
  show_rc("query", rc, m);
  say("ping_start %d", mysql_ping_start(&other, m));
  show_rc("ping_start", other, m);
  say("ping_cont is as good as query_cont: %d", mysql_ping_cont(&other, m, 0));
  say("commit_cont is not: %d", mysql_commit_cont(&flag, m, 0));
  show_rc("commit_cont", flag, m);
  say("store_result %d, use_result %d", mysql_store_result(m) != NULL, mysql_use_result(m) != NULL);
  say("option %d", mysql_options(m, MYSQL_OPT_NONBLOCK, 0) != 0);
  say("escaped %lu %s", mysql_real_escape_string(m, to, "a'b", 3), to);
  say("charset %s, version %d, thread id %d, socket %d", mysql_character_set_name(m),
      mysql_get_server_info(m) != NULL, mysql_thread_id(m) == id, mysql_get_socket(m) > 2);
  while (mask)
    mask = mysql_query_cont(&ret, m, ready(m, mask));
  show_rc("query_cont", ret, m);
  res = mysql_store_result(m);
  say("value %s", mysql_fetch_row(res)[1]);
  mysql_free_result(res);
  alive(m);

  section("a blocking fetch is refused, a blocking free ends what is pending");
  say("query %d", query_now(m, of_numbers("SELECT SLEEP(n / 500), REPEAT('w', 30000)", " WHERE n < 20")));
  res = mysql_use_result(m);
  while ((mask = mysql_fetch_row_start(&row, res)) == 0 && row)
    ;
  say("fetch_row waits for %d", mask);
  row = mysql_fetch_row(res);
  show_rc("fetch_row", row == NULL, m);
  mysql_free_result(res);
  alive(m);
  say("query %d", query_now(m, of_numbers("SELECT SLEEP(n / 500), REPEAT('w', 30000)", " WHERE n < 20")));
  res = mysql_use_result(m);
  while ((mask = mysql_fetch_row_start(&row, res)) == 0 && row)
    ;
  say("fetch_row waits for %d, free_result for %d", mask, mysql_free_result_start(res));
  mysql_free_result(res);
  alive(m);

  section("another call while one of a statement is pending");
  const char *slow = "SELECT SLEEP(0.2), 5";
  MYSQL_STMT *stmt = mysql_stmt_init(m);
  say("prepare %d", mysql_stmt_prepare(stmt, slow, strlen(slow)));
  mask = mysql_stmt_execute_start(&ret, stmt);
  say("execute waits for %d", mask);
  rc = mysql_query(m, "SELECT 1");
  show_rc("query", rc, m);
  rc = mysql_stmt_execute(stmt);
  say("execute rc=%d errno=%u", rc, mysql_stmt_errno(stmt));
  say("stmt_reset_start %d", mysql_stmt_reset_start(&flag, stmt));
  say("rc=%d errno=%u", flag, mysql_stmt_errno(stmt));
  while (mask)
    mask = mysql_stmt_execute_cont(&ret, stmt, ready(m, mask));
  say("execute rc=%d errno=%u, rows %d", ret, mysql_stmt_errno(stmt), mysql_stmt_store_result(stmt) == 0);
  mysql_stmt_free_result(stmt);
  mask = mysql_query_start(&ret, m, slow);
  rc = mysql_stmt_execute(stmt);
  say("the handle's query waits for %d, execute rc=%d errno=%u", mask, rc, mysql_stmt_errno(stmt));
  while (mask)
    mask = mysql_query_cont(&ret, m, ready(m, mask));
  mysql_free_result(mysql_store_result(m));
  mask = mysql_stmt_execute_start(&ret, stmt);
  say("execute waits for %d", mask);
  mysql_close(m);
  say("the handle is closed: errno=%u", mysql_stmt_errno(stmt));
  say("execute_start %d", mysql_stmt_execute_start(&ret, stmt));
  say("rc=%d errno=%u", ret, mysql_stmt_errno(stmt));
  say("close_start %d", mysql_stmt_close_start(&flag, stmt));
  m = fresh();
  connect_now(m, host(), pass(), port());

  section("closing with a call pending");
  mask = mysql_query_start(&ret, m, "SELECT SLEEP(1)");
  say("query waits for %d", mask);
  mysql_close(m);
  m = fresh();
  MYSQL *connected = NULL;
  mask = mysql_real_connect_start(&connected, m, host(), user(), pass(), db(), port(), NULL, 0);
  say("connect waits for %d", mask & 3 ? 1 : 0);
  say("close_start %d", mysql_close_start(m));
  m = fresh();
  connect_now(m, host(), pass(), port());
  say("query %d", query_now(m, of_numbers("SELECT SLEEP(n / 500), REPEAT('w', 30000)", " WHERE n < 20")));
  res = mysql_use_result(m);
  while ((mask = mysql_fetch_row_start(&row, res)) == 0 && row)
    ;
  mysql_close(m);
  say("an orphan: row %d, lengths %d, fetch_row_start %d", mysql_fetch_row(res) != NULL,
      mysql_fetch_lengths(res) != NULL, mysql_fetch_row_start(&row, res));
  mysql_free_result(res);

  section("without the option");
  m = connected_to(NULL, db(), 0);
  say("query_start %d", mysql_query_start(&ret, m, "SELECT 1"));
  show_rc("query_start", ret, m);
  alive(m);
  mysql_close(m);

  section("a forked child with a call pending");
  m = fresh();
  connect_now(m, host(), pass(), port());
  mask = mysql_query_start(&ret, m, "SELECT SLEEP(0.3)");
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    say("the child's query_cont %d", mysql_query_cont(&other, m, 0));
    show_rc("the child's query_cont", other, m);
    mysql_close(m);
    fflush(stdout);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  while (mask)
    mask = mysql_query_cont(&ret, m, ready(m, mask));
  show_rc("the parent's query_cont", ret, m);
  res = mysql_store_result(m);
  say("the parent's value %s", mysql_fetch_row(res)[0]);
  mysql_free_result(res);
  mysql_close(m);

  section("NULL");
  int a = 9, b = 9;
  my_bool c = 9;
  int codes[9] = {mysql_query_start(&a, NULL, "SELECT 1"), mysql_query_cont(&b, NULL, 1), mysql_commit_start(&c, NULL),
               mysql_real_connect_start(&connected, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0),
               mysql_store_result_start(&res, NULL), mysql_fetch_row_start(&row, NULL),
               mysql_fetch_row_cont(&row, NULL, 0), mysql_free_result_cont(NULL, 0), mysql_close_cont(NULL, 0)};
  for (int i = 0; i < 9; i++)
    say("%d", codes[i]);
  say("%d %d %d %d %d %d", a, b, c, connected == NULL, res == NULL, row == NULL);
  say("%d", mysql_query_start(NULL, NULL, "x"));
  say("%u %u", mysql_get_timeout_value(NULL), mysql_get_timeout_value_ms(NULL));
}

int main(int argc, char **argv)
{
  lab_start();
  alarm(240);
  nb_port = port();
  MYSQL *a = make_numbers();
  if (argc > 1 && !strcmp(argv[1], "lockstep")) {
    nb_rows = 40;
    nb_large = 6 << 20;
    lockstep("byte by byte");
    nb_all_tls = 1;
    lockstep("byte by byte, with TLS");
    nb_port = port();
    meanwhile();
  } else if (argc > 1 && !strcmp(argv[1], "routed")) {
    routed(a);
  } else if (argc > 1 && !strcmp(argv[1], "trickle")) {
    nb_rows = 5;
    nb_some_tls = 10;
    side_by_side("200 handles, one byte at a time", 200);
  } else {
    nb_some_tls = 8;
    nb_unix = 1;
    nb_large = 100000;
    side_by_side("200 handles", 200);
    options();
    limits();
    errors();
  }
  drop_numbers(a);
  printf("\nend\n");
  return 0;
}
