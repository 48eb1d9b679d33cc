/*
 * malformed.c: packets that no server sends, one kind after the other: which error the
 * client library makes of each, and whether it lives. Every kind runs in a child.
 */
#include "lab.h"

enum phase { GREETING, PROTOCOL, NUMBER, LOGIN, QUERY, TRACKED, FIELDS, STAT, PING, CHANGE };

struct piece { int number; const char *data; size_t length; };
struct kind {
  const char *name;
  enum phase phase;
  /* 1: Connector/C, 2: libmysqlclient reads behind the packet here, which may kill it or not, or takes it in a way
     of its own; 4, 8: the same two let it pass, or say nothing, where ours must refuse. */
  int careless;
  struct piece pieces[8];
};

/* A packet with the next number, and one with a number of its own. */
#define P(literal) {-1, literal, sizeof(literal) - 1}
#define N(number, literal) {number, literal, sizeof(literal) - 1}
#define COLUMN "\3def\0\0\0\1a\0\x0c\x2d\0\x0b\0\0\0\x03\x01\0\0\0\0"
#define EOF_PACKET "\xfe\0\0\2\0"
#define GREET "\x0a" "8.0.99\0\1\0\0\0abcdefgh\0"

static const struct kind kinds[] = {
    /* -- in the place of the greeting */
    {"greeting: empty", GREETING, 0, {P("")}},
    {"greeting: version number only", GREETING, 3, {P("\x0a")}},
    {"greeting: version without end", GREETING, 3, {P("\x0a" "8.0.99")}},
    {"greeting: nothing behind the version", GREETING, 3, {P("\x0a" "8.0.99\0")}},
    {"greeting: half a thread id", GREETING, 3, {P("\x0a" "8.0.99\0\1\0")}},
    {"greeting: half a challenge", GREETING, 3, {P("\x0a" "8.0.99\0\1\0\0\0abcd")}},
    {"greeting: no capabilities", GREETING, 3, {P(GREET)}},
    {"greeting: half of the capabilities", GREETING, 3, {P(GREET "\0")}},
    {"greeting: challenge longer than the packet", GREETING, 0,
     {P(GREET "\x0f\xa2\x2d\2\0\x0a\0\xff\0\0\0\0\0\0\0\0\0\0ijklmnopqrst\0caching_sha2_password\0")}},
    {"greeting: protocol 11", PROTOCOL, 0, {P("\0\0\0\2\0\0\0")}},
    {"greeting: protocol 9", GREETING, 0, {P("\x09" "3.20.0\0\1\0\0\0abcdefgh")}},
    {"greeting: protocol 0", GREETING, 0, {P("\0\0\0\0\0")}},
    {"greeting: error of one byte", GREETING, 0, {P("\xff")}},
    {"greeting: error of two bytes", GREETING, 0, {P("\xff\x10")}},
    {"greeting: error without text", GREETING, 0, {P("\xff\x10\x04")}},
    {"greeting: error with half a state", GREETING, 3, {P("\xff\x10\x04#08")}},
    {"greeting: number 5", NUMBER, 0, {P("\0\0\0\2\0\0\0")}},

    /* -- in the place of the answer to the login */
    {"login: empty", LOGIN, 0, {P("")}},
    {"login: unknown kind", LOGIN, 0, {P("\x55\x55\x55")}},
    {"login: OK of one byte", LOGIN, 3, {P("\0")}},
    {"login: OK of three bytes", LOGIN, 3, {P("\0\0\0")}},
    {"login: OK of five bytes", LOGIN, 3, {P("\0\0\0\2\0")}},
    {"login: error of one byte", LOGIN, 0, {P("\xff")}},
    {"login: error of two bytes", LOGIN, 0, {P("\xff\x15")}},
    {"login: error without text", LOGIN, 0, {P("\xff\x15\x04")}},
    {"login: error with half a state", LOGIN, 3, {P("\xff\x15\x04#28")}},
    {"login: error with number 0", LOGIN, 0, {P("\xff\0\0#28000text")}},
    {"login: switch without a method", LOGIN, 0, {P("\xfe")}},
    {"login: switch to an empty method", LOGIN, 0, {P("\xfe\0")}},
    {"login: more data, nothing behind", LOGIN, 0, {P("\1")}},
    {"login: more data of an unknown kind", LOGIN, 0, {P("\1\x77")}},
    {"login: wrong number", LOGIN, 4, {N(9, "\0\0\0\2\0\0\0")}},

    /* -- in the place of the reply to a statement */
    {"reply: empty", QUERY, 0, {P("")}},
    {"reply: OK of one byte", QUERY, 3, {P("\0")}},
    {"reply: OK of two bytes", QUERY, 3, {P("\0\0")}},
    {"reply: OK of four bytes", QUERY, 3, {P("\0\0\0\2")}},
    {"reply: OK of five bytes", QUERY, 3, {P("\0\0\0\2\0")}},
    {"reply: OK, length of the count cut", QUERY, 3, {P("\0\xfc\1")}},
    {"reply: OK, text longer than the packet", QUERY, 0, {P("\0\0\0\2\0\0\0\x20" "ab")}},
    {"reply: OK, text without end", QUERY, 0, {P("\0\0\0\2\0\0\0\2" "ab")}},
    {"reply: OK, text of no length", QUERY, 0, {P("\0\0\0\2\0\0\0\0")}},
    {"reply: error of one byte", QUERY, 0, {P("\xff")}},
    {"reply: error of two bytes", QUERY, 0, {P("\xff\x48")}},
    {"reply: error without text", QUERY, 0, {P("\xff\x48\x04")}},
    {"reply: error with half a state", QUERY, 3, {P("\xff\x48\x04#HY")}},
    {"reply: error with a state and no text", QUERY, 0, {P("\xff\x48\x04#HY000")}},
    {"reply: error with number 0", QUERY, 0, {P("\xff\0\0#HY000text")}},
    {"reply: error with a client's number", QUERY, 0, {P("\xff\xd6\x07#HY000text")}},
    {"reply: end of rows", QUERY, 2, {P("\xfe")}},
    {"reply: end of rows, whole", QUERY, 0, {P(EOF_PACKET)}},
    {"reply: a file without a name", QUERY, 0, {P("\xfb")}},
    {"reply: column count cut", QUERY, 3, {P("\xfc\1")}},
    {"reply: number 7", QUERY, 2, {N(7, "\0\0\0\2\0\0\0")}},

    /* -- columns */
    {"columns: end instead", QUERY, 1, {P("\1"), P(EOF_PACKET)}},
    {"columns: error instead", QUERY, 0, {P("\1"), P("\xff\x48\x04#HY000No tables used")}},
    {"columns: error of one byte instead", QUERY, 0, {P("\1"), P("\xff")}},
    {"columns: empty packet", QUERY, 3, {P("\1"), P(""), P(EOF_PACKET), P(EOF_PACKET)}},
    {"columns: one byte", QUERY, 3, {P("\1"), P("\3"), P(EOF_PACKET), P(EOF_PACKET)}},
    {"columns: cut in the names", QUERY, 3, {P("\1"), P("\3def\0\0"), P(EOF_PACKET), P(EOF_PACKET)}},
    {"columns: cut before the numbers", QUERY, 3, {P("\1"), P("\3def\0\0\0\1a\0"), P(EOF_PACKET), P(EOF_PACKET)}},
    {"columns: cut in the numbers", QUERY, 3,
     {P("\1"), P("\3def\0\0\0\1a\0\x0c\x2d\0\x0b\0\0"), P(EOF_PACKET), P(EOF_PACKET)}},
    {"columns: numbers of another length", QUERY, 4,
     {P("\1"), P("\3def\0\0\0\1a\0\x0b\x2d\0\x0b\0\0\0\x03\x01\0\0\0\0"), P(EOF_PACKET), P(EOF_PACKET)}},
    {"columns: a name longer than the packet", QUERY, 0,
     {P("\1"), P("\3def\0\0\0\x50" "a\0\x0c\x2d\0\x0b\0\0\0\x03\x01\0\0\0\0"), P(EOF_PACKET), P(EOF_PACKET)}},
    {"columns: a NULL name", QUERY, 3,
     {P("\1"), P("\3def\0\0\0\xfb\0\x0c\x2d\0\x0b\0\0\0\x03\x01\0\0\0\0"), P(EOF_PACKET), P("\1" "1"), P(EOF_PACKET)}},
    {"columns: one more than told", QUERY, 3, {P("\1"), P(COLUMN), P(COLUMN), P(EOF_PACKET), P(EOF_PACKET)}},
    {"columns: one fewer than told", QUERY, 3, {P("\2"), P(COLUMN), P(EOF_PACKET), P(EOF_PACKET)}},
    {"columns: number left out", QUERY, 1, {P("\1"), N(3, COLUMN), P(EOF_PACKET), P(EOF_PACKET)}},
    {"columns: end of one byte", QUERY, 3, {P("\1"), P(COLUMN), P("\xfe"), P("\1" "1"), P(EOF_PACKET)}},
    {"columns: no end but a row", QUERY, 3, {P("\1"), P(COLUMN), P("\1" "1"), P(EOF_PACKET)}},

    /* -- rows */
    {"rows: empty packet", QUERY, 3, {P("\1"), P(COLUMN), P(EOF_PACKET), P(""), P(EOF_PACKET)}},
    {"rows: value longer than the packet", QUERY, 3, {P("\1"), P(COLUMN), P(EOF_PACKET), P("\x20" "1"), P(EOF_PACKET)}},
    {"rows: length cut", QUERY, 1, {P("\1"), P(COLUMN), P(EOF_PACKET), P("\xfc\1"), P(EOF_PACKET)}},
    {"rows: a value too much", QUERY, 3, {P("\1"), P(COLUMN), P(EOF_PACKET), P("\1" "1\1" "2"), P(EOF_PACKET)}},
    {"rows: a value too few", QUERY, 1,
     {P("\2"), P(COLUMN), P(COLUMN), P(EOF_PACKET), P("\1" "1"), P(EOF_PACKET)}},
    {"rows: length in nine bytes", QUERY, 0,
     {P("\1"), P(COLUMN), P(EOF_PACKET), P("\xfe\1\0\0\0\0\0\0\0" "1"), P(EOF_PACKET)}},
    {"rows: error of one byte", QUERY, 0, {P("\1"), P(COLUMN), P(EOF_PACKET), P("\1" "1"), P("\xff")}},
    {"rows: error without text", QUERY, 0, {P("\1"), P(COLUMN), P(EOF_PACKET), P("\1" "1"), P("\xff\x48\x04")}},
    {"rows: end of one byte", QUERY, 3, {P("\1"), P(COLUMN), P(EOF_PACKET), P("\1" "1"), P("\xfe")}},
    {"rows: end of three bytes", QUERY, 3, {P("\1"), P(COLUMN), P(EOF_PACKET), P("\1" "1"), P("\xfe\0\0")}},
    {"rows: number left out", QUERY, 1, {P("\1"), P(COLUMN), P(EOF_PACKET), P("\1" "1"), N(6, "\1" "2"), P(EOF_PACKET)}},
    {"rows: number again", QUERY, 1, {P("\1"), P(COLUMN), P(EOF_PACKET), P("\1" "1"), N(4, "\1" "2"), P(EOF_PACKET)}},

    /* -- replies with session changes */
    {"changes: none behind the flag", TRACKED, 0, {P("\0\0\0\2\x40\0\0")}},
    {"changes: text longer than the packet", TRACKED, 2, {P("\0\0\0\2\x40\0\0\x20")}},
    {"changes: longer than the packet", TRACKED, 2, {P("\0\0\0\2\x40\0\0\0\x20\1\5\4shop")}},
    {"changes: an entry longer than all", TRACKED, 0, {P("\0\0\0\2\x40\0\0\0\7\1\x20\4shop")}},
    {"changes: a name longer than its entry", TRACKED, 2, {P("\0\0\0\2\x40\0\0\0\7\1\5\x20shop")}},
    {"changes: unknown kind", TRACKED, 0, {P("\0\0\0\2\x40\0\0\0\7\x50\5\4shop")}},

    /* -- replies to other commands */
    {"list_fields: empty", FIELDS, 0, {P("")}},
    {"list_fields: cut", FIELDS, 3, {P("\3def\0\0"), P(EOF_PACKET)}},
    {"list_fields: error of one byte", FIELDS, 0, {P("\xff")}},
    {"stat: empty", STAT, 0, {P("")}},
    {"stat: error of one byte", STAT, 0, {P("\xff")}},
    {"ping: empty", PING, 0, {P("")}},
    {"ping: rows", PING, 12, {P("\1")}},
    {"ping: OK of one byte", PING, 6, {P("\0")}},
    {"ping: end of rows", PING, 12, {P("\xfe")}},
    {"change_user: empty", CHANGE, 2, {P("")}},
    {"change_user: unknown kind", CHANGE, 3, {P("\x55\x55")}},
    {"change_user: error of one byte", CHANGE, 0, {P("\xff")}},
    {"change_user: switch without a method", CHANGE, 0, {P("\xfe")}},
};

static const struct kind *now;

static void script(int fd)
{
  unsigned char greeting[256];
  int number = 0;
  if (now->phase != GREETING) {
    unsigned caps = FAKE_CAPS | (now->phase == TRACKED ? 1u << 23 : 0);
    size_t length = fake_greeting(greeting, "8.0.99-scripted", caps, "caching_sha2_password");
    if (now->phase == PROTOCOL)
      greeting[0] = 11;
    fake_packet(fd, now->phase == NUMBER ? 5 : 0, greeting, length);
    if (fake_read(fd) < 0)
      return;
    number = now->phase == NUMBER ? 7 : 2;
    if (now->phase > LOGIN) {
      fake_packet(fd, 2, "\0\0\0\2\0\0\0", 7);
      if (fake_read(fd) < 0)
        return;
      number = 1;
    }
  }
  for (const struct piece *p = now->pieces; p < now->pieces + 8 && p->data; p++) {
    if (p->number >= 0)
      number = p->number;
    fake_packet(fd, (unsigned char)number++, p->data, p->length);
  }
}

static void rows(MYSQL *m, int store)
{
  MYSQL_RES *r = store ? mysql_store_result(m) : mysql_use_result(m);
  if (!r) {
    show("  no result", m);
    return;
  }
  MYSQL_ROW row;
  while ((row = mysql_fetch_row(r))) {
    unsigned long *lengths = mysql_fetch_lengths(r);
    for (unsigned i = 0; i < mysql_num_fields(r); i++)
      say("  row: %s", bytes(row[i], row[i] ? lengths[i] : 0));
  }
  show("  rows", m);
  mysql_free_result(r);
}

/* What the child does: everything that the kind can reach. */
static void meet(int port_number, int store)
{
  MYSQL *m = mysql_init(NULL);
  int connected = mysql_real_connect(m, "127.0.0.1", "u", "", NULL, (unsigned)port_number, NULL, 0) != NULL;
  if (!connected || now->phase <= LOGIN) {
    stricter = (now->careless & (LAB_MARIADB_ABI ? 4 : 8)) != 0;
    show_rc("  connect", !connected, m);
    mysql_close(m);
    return;
  }
  int rc = 0;
  const char *text;
  switch (now->phase) {
  case FIELDS: {
    MYSQL_RES *r = mysql_list_fields(m, "t", NULL);
    say("  list_fields %s", r ? "result" : "NULL");
    mysql_free_result(r);
    break;
  }
  case STAT:
    text = mysql_stat(m);
    say("  stat %s", or_null(text));
    break;
  case PING:
    rc = mysql_ping(m);
    break;
  case CHANGE:
    rc = mysql_change_user(m, "v", "", NULL) != 0;
    break;
  default:
    rc = mysql_query(m, "SELECT 1");
  }
  stricter = (now->careless & (LAB_MARIADB_ABI ? 4 : 8)) != 0;
  show_rc("  call", rc, m);
  if (stricter)
    exit(0);
  if (!rc && (now->phase == QUERY || now->phase == TRACKED)) {
    say("  columns %u info %s", mysql_field_count(m), or_null(mysql_info(m)));
    if (mysql_field_count(m))
      rows(m, store);
  }
  mysql_query(m, "DO 0"); /* on what is left of the connection */
  mysql_close(m);
}

static void try(const struct kind *kind, int store)
{
  now = kind;
  struct fake f = fake_start(script, 1);
  lab_mask_count = lab_mask_count > 24 ? 24 : lab_mask_count;
  lab_mask_number((unsigned long)f.port, "FAKEPORT");
  fflush(stdout);
  /* What is printed where an original reads behind the packet is chance. */
  int chance = kind->careless & (LAB_MARIADB_ABI ? 1 : 2);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    if (chance && !freopen("/dev/null", "w", stdout))
      _exit(9);
    meet(f.port, store);
    fflush(stdout);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  if (!chance)
    say("%s, %s: %s %d", kind->name, store ? "stored" : "row by row", WIFSIGNALED(status) ? "died by signal" : "lived, exit",
        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  else if (WIFSIGNALED(status))
    say("%s, %s: died by signal %d", kind->name, store ? "stored" : "row by row", WTERMSIG(status));
  else
    say("%s, %s: lived, exit 0", kind->name, store ? "stored" : "row by row");
  fake_end(f);
}

int main(void)
{
  lab_start();
  for (int store = 1; store >= 0; store--) {
    section("%s", store ? "stored" : "row by row");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
      if (store || kinds[i].phase == QUERY)
        try(&kinds[i], store);
  }
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
