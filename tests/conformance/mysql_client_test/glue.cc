// What MySQL's mysql_client_test takes from MySQL's static utility libraries and no shared client library exports.
//
// Compiled with upstream's private headers (CONFORMANCE_SRC or the Debian source), which give the signatures; nothing
// here is upstream's. Must hold nothing of the client API itself: that has to come from the library under test. Option
// parsing (handle_options) is an export of libmysqlclient and is taken from there too; reading option files is not
// wanted (load_defaults does nothing), so that the machine's own my.cnf has no part in the result.

#include <mysql.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>

#include "my_alloc.h"
#include "my_default.h"
#include "my_getopt.h"
#include "my_sys.h"
#include "my_systime.h"
#include "mysql/strings/int2str.h"
#include "mysql/strings/m_ctype.h"
#include "print_version.h"
#include "sql_common.h"
#include "strxmov.h"

const char *my_progname = "mysql_client_test";

bool my_init() { return false; }
void my_end(int) {}

// The arena is only handed to load_defaults, which leaves it empty.
char MEM_ROOT::s_dummy_target;
void MEM_ROOT::Clear() {}
int load_defaults(const char *, const char **, int *, char ***, MEM_ROOT *) { return 0; }

// Only `--help` prints these.
void print_version() {}
void print_defaults(const char *, const char **) {}
void my_print_help(const struct my_option *) {}
void my_print_variables(const struct my_option *) {}

// The program tells by this pointer that `--skip-` stood in front of an option.
static char disabled[] = "0";
char *disabled_my_option = disabled;

void *my_malloc(PSI_memory_key, size_t size, myf) { return malloc(size ? size : 1); }
char *my_strdup(PSI_memory_key, const char *from, myf) { return strdup(from); }
// Some of what comes here is handle_options' memory, which has a header that only the library knows. The process is short.
void my_free(void *) {}

FILE *my_fopen(const char *name, int flags, myf) { return fopen(name, (flags & O_WRONLY) ? "w" : "r"); }
int my_fclose(FILE *file, myf) { return fclose(file); }

void my_sleep(time_t microseconds) {
  timespec left{microseconds / 1000000, microseconds % 1000000 * 1000};
  while (nanosleep(&left, &left) != 0) {
  }
}

// Joins texts up to a null pointer; returns where the joined text ends.
char *strxmov(char *to, const char *from, ...) {
  va_list more;
  va_start(more, from);
  for (; from; from = va_arg(more, const char *)) {
    const size_t length = strlen(from);
    memmove(to, from, length);
    to += length;
  }
  va_end(more);
  *to = 0;
  return to;
}

char *longlong10_to_str(int64_t value, char *to, int radix) {
  return to + (radix < 0 ? sprintf(to, "%lld", static_cast<long long>(value))
                         : sprintf(to, "%llu", static_cast<unsigned long long>(value)));
}

// The program asks only how many bytes a character of a field's character set has at most; these are all sets that its
// tests meet. A collation that is not among them makes the test fail, not pass.
CHARSET_INFO *get_charset(unsigned id, myf) {
  static CHARSET_INFO one, three, four;
  one.mbmaxlen = 1;
  three.mbmaxlen = 3;
  four.mbmaxlen = 4;
  if (id == 8 || id == 63) return &one;                                             // latin1, binary
  if (id == 33 || id == 76 || id == 83 || (id >= 192 && id <= 215)) return &three;  // utf8mb3
  if (id == 45 || id == 46 || (id >= 224 && id <= 247) || (id >= 255 && id <= 323)) return &four;  // utf8mb4
  return nullptr;
}

// Inside the original these are functions of the library; a program reaches them through the handle's table only.
bool cli_advanced_command(MYSQL *mysql, enum enum_server_command command, const unsigned char *header,
                          size_t header_length, const unsigned char *arg, size_t arg_length, bool skip_check,
                          MYSQL_STMT *stmt) {
  return mysql->methods->advanced_command(mysql, command, header, header_length, arg, arg_length, skip_check, stmt);
}
const char *unknown_sqlstate = "HY000";
void set_mysql_error(MYSQL *, int, const char *) {
  // The program comes here only for a handle without that table.
  fputs("this handle has no table of methods\n", stderr);
  abort();
}
