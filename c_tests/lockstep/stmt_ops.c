/* stmt_ops.c: calls on prepared statements. */
#include "lockstep.h"

#include <float.h>
#include <stddef.h>

int any_statement(void)
{
  int from = (int)pick(STATEMENTS);
  for (int k = 0; k < STATEMENTS; k++)
    if (S->s[(from + k) % STATEMENTS].s)
      return (from + k) % STATEMENTS;
  return -1;
}

/* Connector/C, an unbuffered result that another call has read away: it waits for rows that never come. */
static int rows_are_gone(int i)
{
#if MARIADB_ABI
  const struct statement *st = &S->s[i];
  if (st->handle < 0 || st->s->state < MYSQL_STMT_WAITING_USE_OR_STORE || st->s->state >= MYSQL_STMT_FETCH_DONE)
    return 0;
  const struct handle *h = &S->h[st->handle];
  return !st->stored && !st->s->cursor_exists && (h->asked != i + 1 || h->m->status != MYSQL_STATUS_STMT_RESULT);
#else
  (void)i;
  return 0;
#endif
}

/* Connector/C, while rows wait on the handle that are not of a result that this statement is in: it reads on until a second
   end of rows, which never comes, or reads nothing and calls the connection ready all the same. */
static int flushes_wrongly(int i)
{
#if MARIADB_ABI
  const struct statement *st = &S->s[i];
  if (st->handle < 0 || S->h[st->handle].m->status == MYSQL_STATUS_READY)
    return 0;
  return st->stored || !st->s->stmt_id || !st->s->field_count || st->s->state <= MYSQL_STMT_EXECUTED || st->s->state >= MYSQL_STMT_FETCH_DONE;
#else
  (void)i;
  return 0;
#endif
}

static void done(int i, const char *what, long long rc)
{
  say("  %s: %s", what, rc ? "not 0" : "0");
  observe_statement(i);
  if (S->s[i].handle >= 0)
    observe_handle(S->s[i].handle);
}

static void init(void)
{
  int i = (int)pick(STATEMENTS), h = any_handle();
  if (S->s[i].s || h < 0)
    return;
  struct statement *st = &S->s[i];
  memset(st, 0, sizeof *st);
  st->s = C(mysql_stmt_init)(S->h[h].m);
  st->handle = h;
  say("stmt_init s%d h%d: %d", i, h, st->s != NULL);
  observe_statement(i);
  observe_handle(h);
}

static void prepare(void)
{
  static char sql[4096];
  int i = any_statement();
  if (i < 0)
    return;
  struct statement *st = &S->s[i];
#if MARIADB_ABI
  if (st->s->cursor_exists)
    return; /* Connector/C believes in a cursor for ever */
#endif
  if (MARIADB_ABI && st->handle >= 0 && S->h[st->handle].m->status != MYSQL_STATUS_READY)
    return; /* Connector/C calls the connection ready and leaves the rows in it */
#if !MARIADB_ABI
  if (!st->s->stmt_id && st->s->bind_result_done)
    return; /* bound before it was prepared: libmysqlclient goes on with bindings that are not there */
#endif
  size_t n = any_prepared(sql, sizeof sql, st->handle < 0 ? 0 : st->handle);
  say("stmt_prepare s%d: %s", i, bytes(sql, n));
  st->left |= st->stored;
  st->tells = st->params = st->columns = st->stored = 0;
  if (st->handle >= 0)
    asks(st->handle, i + 1);
#if MARIADB_ABI
  /* Refused out of order, Connector/C leaves half a command behind, and every later call on the connection waits for ever. */
  if (chance(8) && (st->handle < 0 || !busy(st->handle))) {
    int rc = C(mariadb_stmt_execute_direct)(st->s, sql, n);
    st->broken = rc != 0;
    done(i, "execute_direct", rc);
    return;
  }
#endif
  int rc = C(mysql_stmt_prepare)(st->s, sql, n);
  st->broken = rc != 0;
  done(i, "prepare", rc);
}

static const enum enum_field_types bindable[] = {
    MYSQL_TYPE_TINY, MYSQL_TYPE_SHORT, MYSQL_TYPE_LONG, MYSQL_TYPE_LONGLONG, MYSQL_TYPE_FLOAT, MYSQL_TYPE_DOUBLE,
    MYSQL_TYPE_STRING, MYSQL_TYPE_VAR_STRING, MYSQL_TYPE_BLOB, MYSQL_TYPE_LONG_BLOB, MYSQL_TYPE_TINY_BLOB, MYSQL_TYPE_MEDIUM_BLOB,
    MYSQL_TYPE_DATE, MYSQL_TYPE_TIME, MYSQL_TYPE_DATETIME, MYSQL_TYPE_TIMESTAMP, MYSQL_TYPE_NEWDECIMAL, MYSQL_TYPE_DECIMAL,
};

static int is_text(enum enum_field_types type)
{
  switch (type) {
  case MYSQL_TYPE_STRING:
  case MYSQL_TYPE_VAR_STRING:
  case MYSQL_TYPE_BLOB:
  case MYSQL_TYPE_LONG_BLOB:
  case MYSQL_TYPE_TINY_BLOB:
  case MYSQL_TYPE_MEDIUM_BLOB:
  case MYSQL_TYPE_NEWDECIMAL:
  case MYSQL_TYPE_DECIMAL: return 1;
  default: return 0;
  }
}

static void set_value(MYSQL_BIND *b, struct cell *c)
{
  static const char *const words[] = {"", "1", "-7", "12.5", "text", "2024-02-29", "10:11:12", "some more words", "3abc", "\xc3\xa4", "1e3"};
  static const double numbers[] = {0, 1, -1, 2.5, 1e10, -1e-5, 123456.789, FLT_MAX, 9.9e307};
  static const long long whole[] = {0, 1, -1, 2, 3, 5, 127, 255, 32768, -65536, 2147483647, INT64_MAX, INT64_MIN};
  c->is_null = (my_bool)chance(15);
  c->length = 0;
  switch (b->buffer_type) {
  case MYSQL_TYPE_TINY:
  case MYSQL_TYPE_SHORT:
  case MYSQL_TYPE_LONG:
  case MYSQL_TYPE_LONGLONG: {
    long long v = chance(50) ? pick(8) : ONE_OF(whole);
    memcpy(c->data, &v, 8);
    break;
  }
  case MYSQL_TYPE_FLOAT: {
    float f = (float)ONE_OF(numbers);
    memcpy(c->data, &f, sizeof f);
    break;
  }
  case MYSQL_TYPE_DOUBLE: {
    double d = ONE_OF(numbers);
    memcpy(c->data, &d, sizeof d);
    break;
  }
  case MYSQL_TYPE_DATE:
  case MYSQL_TYPE_TIME:
  case MYSQL_TYPE_DATETIME:
  case MYSQL_TYPE_TIMESTAMP: {
    MYSQL_TIME t;
    memset(&t, 0, sizeof t);
    t.year = 1970 + pick(60), t.month = 1 + pick(12), t.day = 1 + pick(28);
    t.hour = pick(24), t.minute = pick(60), t.second = pick(60);
    t.second_part = chance(50) ? 0 : pick(1000000);
    t.neg = b->buffer_type == MYSQL_TYPE_TIME && chance(30);
    if (b->buffer_type == MYSQL_TYPE_TIME)
      t.year = t.month = 0, t.day = chance(70) ? 0 : pick(30);
    if (chance(20))
      t.hour = t.minute = t.second = 0;
    t.time_type = b->buffer_type == MYSQL_TYPE_DATE ? MYSQL_TIMESTAMP_DATE
                  : b->buffer_type == MYSQL_TYPE_TIME ? MYSQL_TIMESTAMP_TIME : MYSQL_TIMESTAMP_DATETIME;
    memcpy(c->data, &t, sizeof t);
    break;
  }
  default: {
    const char *word = ONE_OF(words);
    memset(c->data, 0, ROOM);
    c->length = strlen(word);
    memcpy(c->data, word, c->length);
    break;
  }
  }
}

static void bind_param(void)
{
  int i = any_statement();
  if (i < 0)
    return;
  struct statement *st = &S->s[i];
  memset(st->param, 0, sizeof st->param);
  /* A type that is none leaves the originals with half a binding, which the next execution would trip over. */
  int odd = !st->params && chance(5);
  for (int k = 0; k < PARAMS; k++) {
    MYSQL_BIND *b = &st->param[k];
    struct cell *c = &st->in[k];
    memset(c, 0, sizeof *c);
    b->buffer_type = chance(4) ? MYSQL_TYPE_NULL : ONE_OF(bindable);
    set_value(b, c);
    if (odd && k == 0)
      b->buffer_type = (enum enum_field_types)pick(256);
    b->buffer = c->data;
    b->is_unsigned = (my_bool)chance(30);
    b->buffer_length = c->length;
    if (chance(50))
      b->length = &c->length;
    if (chance(60))
      b->is_null = &c->is_null;
  }
  say("stmt_bind_param s%d types %d %d %d", i, (int)st->param[0].buffer_type, (int)st->param[1].buffer_type, (int)st->param[2].buffer_type);
  int rc = C(mysql_stmt_bind_param)(st->s, st->param);
  if (!rc)
    st->params = st->bound_once = 1, st->bound_broken = st->broken;
  done(i, "bind_param", rc);
}

static void bind_result_of(int i)
{
  static const unsigned lengths[] = {0, 1, 2, 4, 8, 10, 20, 30, ROOM};
  struct statement *st = &S->s[i];
  if (!st->s->mysql)
    return; /* both look at their handle without asking whether there is one */
  int odd = !st->columns && chance(4);
  memset(st->column, 0, sizeof st->column);
  for (int k = 0; k < COLUMNS; k++) {
    MYSQL_BIND *b = &st->column[k];
    struct cell *c = &st->out[k];
    memset(c, 0xa5, sizeof *c);
    c->is_null = 0, c->error = 0, c->length = 77;
    b->buffer_type = ONE_OF(bindable);
    if (odd && k == 0)
      b->buffer_type = (enum enum_field_types)pick(256);
    b->buffer = c->data;
    b->is_unsigned = (my_bool)chance(30);
    b->buffer_length = is_text(b->buffer_type) ? ONE_OF(lengths) : ROOM;
    if (is_text(b->buffer_type) && !b->buffer_length && chance(50))
      b->buffer = NULL;
    if (chance(80))
      b->length = &c->length;
    if (chance(80))
      b->is_null = &c->is_null;
    if (chance(60))
      b->error = &c->error;
  }
  say("stmt_bind_result s%d types %d %d %d", i, (int)st->column[0].buffer_type, (int)st->column[1].buffer_type, (int)st->column[2].buffer_type);
  int rc = C(mysql_stmt_bind_result)(st->s, st->column);
  if (!rc)
    st->columns = st->columns_once = 1;
  done(i, "bind_result", rc);
}

static void bind_result(void)
{
  int i = any_statement();
  if (i >= 0)
    bind_result_of(i);
}

static void store_of(int i)
{
  struct statement *st = &S->s[i];
  st->tells = st->stored = 0;
  say("stmt_store_result s%d", i);
  int rc = C(mysql_stmt_store_result)(st->s);
  st->stored = !rc;
  done(i, "store_result", rc);
}

static void execute(void)
{
  int i = any_statement();
  if (i < 0)
    return;
  struct statement *st = &S->s[i];
  if (!MARIADB_ABI && st->broken)
    return; /* libmysqlclient executes what was prepared before, or what is not there */
#if !MARIADB_ABI
  if (st->bound_broken && st->s->param_count)
    return; /* libmysqlclient takes what was bound behind a failed prepare for the next statement's, and crashes */
  if (st->s->mysql && !st->s->mysql->net.vio)
    return; /* without a connection libmysqlclient fails, and does not always say why */
#endif
#if MARIADB_ABI
  if (st->s->cursor_exists && !(st->s->flags & CURSOR_TYPE_READ_ONLY))
    return; /* the same */
#endif
  if (MARIADB_ABI && !st->params && st->bound_once)
    return; /* Connector/C takes bindings of before for those of the new statement; ours says 2031 */
  if (MARIADB_ABI && st->s->state >= 3 && st->handle >= 0 && C(mysql_more_results)(S->h[st->handle].m))
    return; /* with further results unread Connector/C refuses, and takes them for the next execution's */
  if (rows_are_gone(i))
    return;
  st->tells = st->stored = 0;
  if (st->params && chance(50))
    for (int k = 0; k < PARAMS; k++)
      if (st->param[k].buffer_type != MYSQL_TYPE_NULL) {
        set_value(&st->param[k], &st->in[k]);
        /* A length that is not pointed to was taken when it was bound. */
        if (is_text(st->param[k].buffer_type) && !st->param[k].length)
          st->in[k].length = st->param[k].buffer_length;
      }
  say("stmt_execute s%d", i);
  if (st->handle >= 0)
    S->h[st->handle].executed = MARIADB_ABI;
  if (st->handle >= 0)
    asks(st->handle, i + 1);
  int rc = C(mysql_stmt_execute)(st->s);
  if (!rc)
    st->left = 0;
  if (!rc && st->handle >= 0)
    S->h[st->handle].asked = i + 1;
  done(i, "execute", rc);
  if (!rc && !st->columns && C(mysql_stmt_field_count)(st->s) && chance(70))
    bind_result_of(i);
  if (!rc && chance(45))
    store_of(i);
}

static void store(void)
{
  int i = any_statement();
  if (i >= 0)
    store_of(i);
}

/* What lies between the fields of a MYSQL_TIME is nobody's. */
static void blank(const MYSQL_BIND *b, unsigned char *data)
{
  switch (b->buffer_type) {
  case MYSQL_TYPE_DATE:
  case MYSQL_TYPE_TIME:
  case MYSQL_TYPE_DATETIME:
  case MYSQL_TYPE_TIMESTAMP: {
    size_t neg = offsetof(MYSQL_TIME, neg), kind = offsetof(MYSQL_TIME, time_type);
    memset(data + neg + 1, 0, kind - neg - 1);
#if !MARIADB_ABI
    /* libmysqlclient does not write the time zone of most values. */
    size_t end = offsetof(MYSQL_TIME, time_zone_displacement);
    memset(data + end, 0, sizeof(MYSQL_TIME) - end);
#endif
    break;
  }
  default: break;
  }
}

static void show_cells(struct statement *st)
{
  unsigned n = C(mysql_stmt_field_count)(st->s);
  for (unsigned k = 0; k < n && k < COLUMNS; k++) {
    struct cell *c = &st->out[k];
    blank(&st->column[k], c->data);
    say("   %u (type %d of %lu): length %lu null %d error %d %s", k, (int)st->column[k].buffer_type, st->column[k].buffer_length,
        c->length, c->is_null, c->error, bytes(c->data, ROOM));
  }
}

static void fetch_column(int i)
{
  struct statement *st = &S->s[i];
  unsigned n = C(mysql_stmt_field_count)(st->s);
  MYSQL_BIND b;
  struct cell c;
  static const unsigned lengths[] = {0, 1, 4, 8, 20, ROOM};
  memset(&b, 0, sizeof b);
  memset(&c, 0xa5, sizeof c);
  c.is_null = c.error = 0, c.length = 77;
  b.buffer_type = ONE_OF(bindable);
  b.buffer = c.data;
  b.buffer_length = is_text(b.buffer_type) ? ONE_OF(lengths) : ROOM;
  b.is_unsigned = (my_bool)chance(30);
  if (chance(80))
    b.length = &c.length;
  if (chance(80))
    b.is_null = &c.is_null;
  if (chance(60))
    b.error = &c.error;
  unsigned column = chance(4) ? n + pick(3) : pick(n);
  unsigned long offset = chance(60) || !is_text(b.buffer_type) ? 0 : pick(30);
  int rc = C(mysql_stmt_fetch_column)(st->s, &b, column, offset);
  blank(&b, c.data);
  say("  fetch_column %u at %lu, type %d of %lu: %d length %lu null %d error %d %s", column, offset, (int)b.buffer_type,
      b.buffer_length, rc, c.length, c.is_null, c.error, bytes(c.data, ROOM));
  if (rc)
    observe_statement(i);
}

static void fetch(void)
{
  int i = any_statement();
  if (i < 0)
    return;
  struct statement *st = &S->s[i];
  if (!MARIADB_ABI && st->broken)
    return;
  if (MARIADB_ABI && !st->columns && st->columns_once)
    return; /* Connector/C takes bindings of before for those of the new columns */
#if MARIADB_ABI
  if (st->handle < 0 && st->s->state >= MYSQL_STMT_WAITING_USE_OR_STORE && st->s->state < MYSQL_STMT_FETCH_DONE && !st->stored)
    return; /* rows of a handle that was closed: Connector/C crashes */
#endif
  if (rows_are_gone(i))
    return;
#if MARIADB_ABI
  if (st->handle >= 0 && S->h[st->handle].m->status != MYSQL_STATUS_READY && S->h[st->handle].asked != i + 1)
    return; /* at the end of the rows Connector/C calls the connection ready, whoever's rows wait in it */
#else
  if (!st->s->stmt_id)
    return; /* libmysqlclient takes the statement for prepared from now on */
#endif
  unsigned many = chance(30) ? 300 : 1 + pick(3);
  say("stmt_fetch s%d, %u times", i, many);
  while (many--) {
    int rc = C(mysql_stmt_fetch)(st->s);
    say("  %d", rc);
    if (st->columns)
      show_cells(st);
    /* What a column is fetched from is gone with the next call on the connection. */
    if ((rc == 0 || rc == MYSQL_DATA_TRUNCATED) && C(mysql_stmt_field_count)(st->s) && (MARIADB_ABI || st->columns)) /* unbound, libmysqlclient takes values of another row, or of none */
      while (chance(30))
        fetch_column(i);
    if (rc != 0 && rc != MYSQL_DATA_TRUNCATED)
      break;
  }
  done(i, "the last fetch", 0);
}

static void metadata(void)
{
  int i = any_statement();
  if (i < 0)
    return;
  MYSQL_STMT *s = S->s[i].s;
  int params = chance(15);
  if (!MARIADB_ABI && !s->mysql)
    return; /* libmysqlclient looks at its handle without asking whether there is one */
  MYSQL_RES *r = params ? C(mysql_stmt_param_metadata)(s) : C(mysql_stmt_result_metadata)(s);
  say("stmt_%s_metadata s%d: %d", params ? "param" : "result", i, r != NULL);
  if (r) {
    observe_fields(C(mysql_fetch_fields)(r), C(mysql_num_fields)(r));
    say("  rows %llu eof %d tell %u", (unsigned long long)C(mysql_num_rows)(r), C(mysql_eof)(r), C(mysql_field_tell)(r));
    C(mysql_free_result)(r);
  }
  observe_statement(i);
#if MARIADB_ABI
  MYSQL_FIELD *f = C(mariadb_stmt_fetch_fields)(s);
  if (s->field_count) /* else it may be an empty array */
    say("  fetch_fields %d", f != NULL);
#endif
}

static void long_data(void)
{
  int i = any_statement();
  if (i < 0 || !S->s[i].params) /* unbound parameters have no type to look at yet */
    return;
  if (!S->s[i].s->mysql)
    return; /* both look at their handle without asking whether there is one */
  if (!MARIADB_ABI && S->s[i].handle >= 0 && busy(S->s[i].handle))
    return; /* libmysqlclient tells the statement, and the handle now and then */
  MYSQL_STMT *s = S->s[i].s;
  unsigned n = (unsigned)C(mysql_stmt_param_count)(s), k = pick(n + 1);
  unsigned long length = pick(40);
  say("stmt_send_long_data s%d %u of %u, %lu", i, k, n, length);
  done(i, "send_long_data", C(mysql_stmt_send_long_data)(s, k, "long data, as much of it as was drawn and no more", length));
}

static void end(void)
{
  int i = any_statement();
  if (i < 0)
    return;
  struct statement *st = &S->s[i];
  unsigned way = pick(10);
  if (flushes_wrongly(i))
    return;
  if (MARIADB_ABI && way < 6 && st->left && st->s->state < 2)
    return; /* Connector/C then frees stored rows of before, and takes the statement for one whose rows were all fetched */
  if (way >= 6)
    st->left |= st->stored;
  st->tells = st->stored = 0;
  if (way < 6) {
    say("stmt_free_result s%d", i);
    done(i, "free_result", C(mysql_stmt_free_result)(st->s));
  } else if (way < 8) {
    say("stmt_reset s%d", i);
    done(i, "reset", C(mysql_stmt_reset)(st->s));
  } else {
    int h = st->handle;
    say("stmt_close s%d", i);
    int rc = C(mysql_stmt_close)(st->s);
    say("  close: %d", rc);
    st->s = NULL;
    if (h >= 0)
      observe_handle(h);
  }
}

static void seek(void)
{
  int i = any_statement();
  if (i < 0)
    return;
  struct statement *st = &S->s[i];
  if (!st->stored)
    return; /* without stored rows Connector/C takes a seek for a fetch, and waits for rows later */
  unsigned long long rows = C(mysql_stmt_num_rows)(st->s);
  unsigned way = pick(3);
  if (way == 0) {
    unsigned long long to = chance(10) ? rows + pick(5) : pick((unsigned)rows + 1);
    say("stmt_data_seek s%d %llu", i, to);
    C(mysql_stmt_data_seek)(st->s, to);
  } else if (way == 1) {
    MYSQL_ROW_OFFSET at = C(mysql_stmt_row_tell)(st->s);
    say("stmt_row_tell s%d: %d", i, at != NULL);
    st->tell[st->tells < TELLS ? st->tells++ : (int)pick(TELLS)] = at;
  } else if (st->tells) {
    unsigned k = pick((unsigned)st->tells);
    MYSQL_ROW_OFFSET before = C(mysql_stmt_row_seek)(st->s, st->tell[k]);
    say("stmt_row_seek s%d %u: %d", i, k, before != NULL);
    for (int n = 0; n < st->tells; n++)
      say("  from %d: %d", n, before == st->tell[n]);
  }
  observe_statement(i);
}

static void next_result(void)
{
  int i = any_statement();
  if (i < 0)
    return;
  struct statement *st = &S->s[i];
  if (st->handle >= 0 && S->h[st->handle].asked != i + 1 && busy(st->handle))
    return; /* somebody else's: the originals take its rows for ours */
#if MARIADB_ABI
  say("stmt_more_results s%d: %d", i, C(mysql_stmt_more_results)(st->s));
#endif
  st->tells = st->stored = 0;
  st->columns = 0;
  say("stmt_next_result s%d", i);
  int rc = C(mysql_stmt_next_result)(st->s);
  say("  next_result: %d", rc > 0 ? 1 : rc);
  done(i, "it", 0);
}

static void attribute(void)
{
  int i = any_statement();
  if (i < 0)
    return;
  MYSQL_STMT *s = S->s[i].s;
  unsigned long value = 0, type = pick(5);
  my_bool flag = (my_bool)chance(60);
  int rc;
  switch (type) {
  case 0: rc = C(mysql_stmt_attr_set)(s, STMT_ATTR_UPDATE_MAX_LENGTH, &flag); break;
  case 1: value = chance(70) ? CURSOR_TYPE_READ_ONLY : chance(70) ? CURSOR_TYPE_NO_CURSOR : pick(5);
    rc = C(mysql_stmt_attr_set)(s, STMT_ATTR_CURSOR_TYPE, &value);
    break;
  case 2: value = pick(4);
    rc = C(mysql_stmt_attr_set)(s, STMT_ATTR_PREFETCH_ROWS, &value);
    break;
  case 3: value = 5;
    rc = C(mysql_stmt_attr_set)(s, (enum enum_stmt_attr_type)77, &value);
    break;
  default: rc = 0; break;
  }
  say("stmt_attr_set s%d %lu", i, type);
  done(i, "attr_set", rc);
  for (int k = 0; k < 3; k++) {
    unsigned char room[16];
    memset(room, 0x66, sizeof room);
    rc = C(mysql_stmt_attr_get)(s, (enum enum_stmt_attr_type)k, room);
    say("  attr_get %d: %d %s", k, rc, bytes(room, sizeof room));
  }
}

const struct op stmt_ops[] = {
    {"stmt_init", 14, init}, {"stmt_prepare", 40, prepare}, {"stmt_bind_param", 40, bind_param}, {"stmt_execute", 80, execute},
    {"stmt_bind_result", 30, bind_result}, {"stmt_store_result", 10, store}, {"stmt_fetch", 80, fetch}, {"stmt_metadata", 12, metadata},
    {"stmt_send_long_data", 8, long_data}, {"stmt_end", 24, end}, {"stmt_seek", 20, seek}, {"stmt_next_result", 10, next_result},
    {"stmt_attr", 8, attribute}, {NULL, 0, NULL},
};
