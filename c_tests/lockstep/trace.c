/* trace.c: traces and what is observed. Nothing in here may look at which library it is that it looks at. */
#include "lockstep.h"

static void append(const char *from, size_t n)
{
  if (S->used + n + 1 > S->room) {
    S->room = (S->used + n + 1) * 2;
    S->trace = realloc(S->trace, S->room);
    if (!S->trace)
      abort();
  }
  memcpy(S->trace + S->used, from, n);
  S->used += n;
  S->trace[S->used] = 0;
}

void say(const char *format, ...)
{
  static char line[1 << 16];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(line, sizeof line - 1, format, args);
  va_end(args);
  if (n > (int)sizeof line - 2)
    n = sizeof line - 2;
  line[n++] = '\n';
  append(line, (size_t)n);
}

static unsigned long long digest(const unsigned char *p, size_t length)
{
  unsigned long long h = 14695981039346656037ull;
  for (size_t i = 0; i < length; i++)
    h = (h ^ p[i]) * 1099511628211ull;
  return h;
}

const char *bytes(const void *data, size_t length)
{
  enum { SHOWN = 1000 };
  static char ring[64][SHOWN * 4 + 64];
  static unsigned next;
  char *out = ring[next++ % 64], *p = out;
  const unsigned char *in = data;
  if (!data)
    return "NULL";
  for (size_t i = 0; i < length && i < SHOWN; i++) {
    if (in[i] >= 32 && in[i] < 127 && in[i] != '\\')
      *p++ = (char)in[i];
    else {
      static const char hex[] = "0123456789abcdef";
      *p++ = '\\', *p++ = hex[in[i] >> 4], *p++ = hex[in[i] & 15];
    }
  }
  if (length > SHOWN)
    p += sprintf(p, "...%zu,%llx", length, digest(in, length));
  *p = 0;
  return out;
}

/* Texts with a number behind them that no two connections share: it is cut out. */
static const char *const vary[] = {
    "prepared statement handler (", /* the server counts for all of its clients */
    "system error: ", "Uptime: ", "Questions: ", "Slow queries: ", "Opens: ", "Open tables: ", "Flush tables: ",
    "Queries per second avg: ", "Threads: ", "onnect to server (", "Aborted connection ", "connection ",
};

void mask_trace(struct side *side)
{
  char *text = side->trace;
  if (!text)
    return;
  for (char *p = text; (p = strstr(p, "lockstep")); p += 8) {
    char *end = p + 8 + strspn(p + 8, "abcdefghijklmnopqrstuvwxyz0123456789");
    if (*end == '_' && (end[1] == '1' || end[1] == '0'))
      end[1] = '#';
  }
  for (size_t i = 0; i < sizeof vary / sizeof *vary; i++)
    for (char *p = text; (p = strstr(p, vary[i]));) {
      p += strlen(vary[i]);
      char *end = p;
      while ((*end >= '0' && *end <= '9') || *end == '.')
        end++;
      memmove(p, end, strlen(end) + 1);
    }
}

static const char *said(const char *s) { return text(s); }

void observe_handle(int i)
{
  MYSQL *m = S->h[i].m;
  if (!m)
    return;
  const struct handle *h = &S->h[i];
  /* Without a connection the originals show what was left of the last one, and without an error any state and info. */
  int on = h->connected, failed = C(mysql_errno)(m) != 0;
  /* The originals' info leads into their buffer of packets: after another call it is anything. */
  int info = !failed && h->fresh;
  /* Connector/C counts warnings of statements for the handle now and then. */
  int warns = on && !h->executed;
  say(" h%d errno %u %s \"%s\"", i, C(mysql_errno)(m), failed ? said(C(mysql_sqlstate)(m)) : "-", said(C(mysql_error)(m)));
  say(" h%d affected %lld id %llu warnings %u fields %u info %s more %d", i, on ? (long long)C(mysql_affected_rows)(m) : 0,
      (unsigned long long)C(mysql_insert_id)(m), warns ? C(mysql_warning_count)(m) : 0, C(mysql_field_count)(m),
      info ? said(C(mysql_info)(m)) : "-", C(mysql_more_results)(m));
  say(" h%d charset %s thread %d", i, S->h[i].connected ? said(C(mysql_character_set_name)(m)) : "-",
      C(mysql_thread_id)(m) != 0);
  say(" h%d net: errno %u %s %s", i, m->net.last_errno, failed ? said(m->net.sqlstate) : "-", said(m->net.last_error));
  say(" h%d host %s user %s passwd %s socket %s version %s info %s", i, said(m->host), said(m->user), said(m->passwd),
      said(m->unix_socket), said(m->server_version), said(m->host_info));
  say(" h%d info %s db %s affected %lld id %llu extra %lld thread %d", i, info ? said(m->info) : "-", said(m->db),
      on ? (long long)m->affected_rows : 0, (unsigned long long)m->insert_id, (long long)m->extra_info,
      m->thread_id == C(mysql_thread_id)(m));
  say(" h%d port %u flag %lx capabilities %lx protocol %u fields %u server status %x language %u warnings %u status %d "
      "free %d",
      i, m->port, m->client_flag, m->server_capabilities, m->protocol_version, m->field_count, on ? m->server_status : 0,
      m->server_language, warns ? m->warning_count : 0, (int)m->status, m->free_me);
}

void observe_fields(MYSQL_FIELD *f, unsigned count)
{
  for (unsigned i = 0; i < count; i++, f++)
    say("   column %u: %s/%u %s/%u %s/%u %s/%u %s/%u %s/%u def %s/%u length %lu max %lu flags %x decimals %u charset %u "
        "type %d",
        i, said(f->name), f->name_length, said(f->org_name), f->org_name_length, said(f->table), f->table_length,
        said(f->org_table), f->org_table_length, said(f->db), f->db_length, said(f->catalog), f->catalog_length,
        said(f->def), f->def_length, f->length, f->max_length, f->flags, f->decimals, f->charsetnr, (int)f->type);
}

void observe_result(int i)
{
  struct result *r = &S->r[i];
  if (!r->r)
    return;
  say(" r%d of h%d rows %llu fields %u eof %d tell %u; %llu %u at %u eof %d", i, r->handle,
      (unsigned long long)C(mysql_num_rows)(r->r), C(mysql_num_fields)(r->r), C(mysql_eof)(r->r),
      C(mysql_field_tell)(r->r), (unsigned long long)r->r->row_count, r->r->field_count, r->r->current_field, r->r->eof);
#if !MARIADB_ABI
  say(" r%d cancelled %d metadata %d", i, r->r->unbuffered_fetch_cancelled, (int)r->r->metadata);
#endif
}

void observe_statement(int i)
{
  MYSQL_STMT *s = S->s[i].s;
  if (!s)
    return;
  say(" s%d of h%d errno %u %s \"%s\"", i, S->s[i].handle, C(mysql_stmt_errno)(s), said(C(mysql_stmt_sqlstate)(s)),
      said(C(mysql_stmt_error)(s)));
  /* Before an execution Connector/C shows what the handle happened to say. */
  int executed = !MARIADB_ABI || s->state > 1;
  /* Without a result Connector/C counts the rows of the last one, or not, as its memory has it. */
  int counted = !MARIADB_ABI || (s->field_count && s->state > 2);
  say(" s%d affected %lld id %llu rows %llu fields %u params %lu", i, executed ? (long long)C(mysql_stmt_affected_rows)(s) : 0,
      executed ? (unsigned long long)C(mysql_stmt_insert_id)(s) : 0, counted ? (unsigned long long)C(mysql_stmt_num_rows)(s) : 0,
      C(mysql_stmt_field_count)(s), C(mysql_stmt_param_count)(s));
  say(" s%d mysql %d id %d flags %lx prefetch %lu fields %u params %u state %d bound %d %d max %d", i,
      s->mysql != NULL, MARIADB_ABI || s->stmt_id != 0, s->flags, s->prefetch_rows, s->field_count, s->param_count, (int)s->state,
      MARIADB_ABI || s->bind_param_done, MARIADB_ABI ? 0 : s->bind_result_done, s->update_max_length);
#if MARIADB_ABI
  say(" s%d upsert %lld %llu cursor %d array %u row %zu prebind %u", i,
      executed ? (long long)s->upsert_status.affected_rows : 0, executed ? (unsigned long long)s->upsert_status.last_insert_id : 0,
      s->cursor_exists, s->array_size, s->row_size,
      s->prebind_params);
#else
  /* Not SERVER_SESSION_STATE_CHANGED, which stays from whatever reply had it last. */
  say(" s%d server status %x cancelled %d", i, s->server_status & ~0x4000u, s->unbuffered_fetch_cancelled);
#endif
}
