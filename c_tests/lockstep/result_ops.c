/* result_ops.c: calls on results of text statements. */
#include "lockstep.h"

int any_result(void)
{
  int from = (int)pick(RESULTS);
  for (int k = 0; k < RESULTS; k++)
    if (S->r[(from + k) % RESULTS].r)
      return (from + k) % RESULTS;
  return -1;
}

void forget_result(int i)
{
  memset(&S->r[i], 0, sizeof S->r[i]);
}

void drop_result(int i)
{
  if (!S->r[i].r)
    return;
  C(mysql_free_result)(S->r[i].r);
  forget_result(i);
}

/* Before a handle is closed its unbuffered results have to be freed. */
void drop_results_of(int handle, int unbuffered_only)
{
  for (int i = 0; i < RESULTS; i++)
    if (S->r[i].r && S->r[i].handle == handle && (S->r[i].unbuffered || !unbuffered_only)) {
      say(" (frees r%d)", i);
      drop_result(i);
    }
}

/* Puts a new result where there is room, else in the place of one, which is freed. */
void keep_result(MYSQL_RES *r, int handle, int unbuffered)
{
  int i = (int)pick(RESULTS);
  for (int k = 0; k < RESULTS && S->r[i].r; k++)
    i = (i + 1) % RESULTS;
  if (S->r[i].r) {
    drop_result(i);
    say(" (in the place of one)");
  }
  S->r[i] = (struct result){.r = r, .handle = handle, .unbuffered = unbuffered};
  say(" -> r%d", i);
  observe_result(i);
  observe_fields(C(mysql_fetch_fields)(r), C(mysql_num_fields)(r));
}

static void show_row(MYSQL_RES *r, MYSQL_ROW row)
{
  unsigned n = C(mysql_num_fields)(r);
  unsigned long *lengths = C(mysql_fetch_lengths)(r);
  if (!row) {
    say("  no row, lengths %d", lengths != NULL);
    return;
  }
  if (!lengths) {
    say("  a row without lengths");
    return;
  }
  for (unsigned i = 0; i < n; i++)
    say("  %lu %s%s", lengths[i], bytes(row[i], lengths[i]), row[i] && row[i][lengths[i]] ? " not ended" : "");
}

static void fetch_row(void)
{
  int i = any_result();
  if (i < 0)
    return;
  unsigned many = chance(20) ? 400 : 1 + pick(4);
  say("fetch_row r%d, %u times", i, many);
  while (many--) {
    MYSQL_ROW row = C(mysql_fetch_row)(S->r[i].r);
    show_row(S->r[i].r, row);
    if (!row)
      break;
  }
  observe_result(i);
  if (S->r[i].handle >= 0)
    observe_handle(S->r[i].handle);
}

static void lengths(void)
{
  int i = any_result();
  if (i < 0)
    return;
  unsigned long *l = C(mysql_fetch_lengths)(S->r[i].r);
  say("fetch_lengths r%d: %d", i, l != NULL);
  for (unsigned k = 0; l && k < C(mysql_num_fields)(S->r[i].r); k++)
    say("  %lu", l[k]);
}

static void free_result(void)
{
  int i = any_result();
  if (i < 0)
    return;
  int handle = S->r[i].handle;
  say("free_result r%d (of h%d)", i, handle);
  drop_result(i);
  if (handle >= 0)
    observe_handle(handle);
}

static void free_null(void)
{
  say("free_result NULL");
  C(mysql_free_result)(NULL);
}

static void fields(void)
{
  int i = any_result();
  if (i < 0)
    return;
  MYSQL_RES *r = S->r[i].r;
  unsigned n = C(mysql_num_fields)(r);
  if (chance(50)) {
    MYSQL_FIELD *f = C(mysql_fetch_field)(r);
    say("fetch_field r%d: %s", i, f ? text(f->name) : "NULL");
  } else if (chance(50)) {
    unsigned k = n ? pick(n) : 0;
    if (!n)
      return;
    say("fetch_field_direct r%d %u", i, k);
    observe_fields(C(mysql_fetch_field_direct)(r, k), 1);
  } else {
    say("fetch_fields r%d", i);
    observe_fields(C(mysql_fetch_fields)(r), n);
  }
  observe_result(i);
}

static void field_seek(void)
{
  int i = any_result();
  if (i < 0)
    return;
  unsigned to = pick(C(mysql_num_fields)(S->r[i].r) + 1);
  say("field_seek r%d %u: %u", i, to, C(mysql_field_seek)(S->r[i].r, to));
  observe_result(i);
}

static void data_seek(void)
{
  int i = any_result();
  if (i < 0)
    return;
  unsigned long long rows = C(mysql_num_rows)(S->r[i].r), to = chance(10) ? rows + pick(5) : pick((unsigned)rows + 1);
  if (chance(3))
    to = ~0ull;
  if (S->r[i].unbuffered)
    to = pick(3);
  say("data_seek r%d %llu", i, to);
  C(mysql_data_seek)(S->r[i].r, to);
  observe_result(i);
}

static void row_tell(void)
{
  int i = any_result();
  if (i < 0)
    return;
  struct result *r = &S->r[i];
  MYSQL_ROW_OFFSET at = C(mysql_row_tell)(r->r);
  say("row_tell r%d: %d", i, at != NULL);
  r->tell[r->tells < TELLS ? r->tells++ : (int)pick(TELLS)] = at;
}

static void row_seek(void)
{
  int i = any_result();
  if (i < 0 || !S->r[i].tells)
    return;
  struct result *r = &S->r[i];
  if (r->unbuffered)
    return; /* an offset has no meaning there */
  unsigned k = pick((unsigned)r->tells);
  MYSQL_ROW_OFFSET before = C(mysql_row_seek)(r->r, r->tell[k]);
  say("row_seek r%d %u: %d", i, k, before != NULL);
  for (int n = 0; n < r->tells; n++)
    say("  from %d: %d", n, before == r->tell[n]);
}

static void eof(void)
{
  int i = any_result();
  if (i < 0)
    return;
  say("eof r%d", i);
#if !MARIADB_ABI
  say("  metadata %d", (int)C(mysql_result_metadata)(S->r[i].r));
#endif
  observe_result(i);
}

/* The whole of a result: rows to the end, then its place is free. */
static void drain(void)
{
  int i = any_result();
  if (i < 0)
    return;
  unsigned long long rows = 0;
  say("drain r%d", i);
  while (C(mysql_fetch_row)(S->r[i].r))
    rows++;
  say("  %llu rows", rows);
  observe_result(i);
  int handle = S->r[i].handle;
  if (handle >= 0)
    observe_handle(handle);
  drop_result(i);
  if (handle >= 0)
    observe_handle(handle);
}

const struct op result_ops[] = {
    {"fetch_row", 60, fetch_row}, {"fetch_lengths", 6, lengths}, {"free_result", 22, free_result},
    {"free_result NULL", 1, free_null}, {"fields", 12, fields}, {"field_seek", 6, field_seek}, {"data_seek", 14, data_seek},
    {"row_tell", 8, row_tell}, {"row_seek", 10, row_seek}, {"eof", 4, eof}, {"drain", 16, drain}, {NULL, 0, NULL},
};
