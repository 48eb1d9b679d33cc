/* Compiles if a mysql.h has the prototypes, numbers and texts of libmysqlclient 9.7.4: the original's does, and ours. */
#include <mysql.h>
#include <errmsg.h>
#ifdef WITH_PLUGINS
#include <mysql/client_plugin.h>
#endif

#define FUNCTION(name, type) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&name), __typeof__(type)), "prototype of " #name);
#define NUMBER(name, value) _Static_assert((long)(name) == (long)(value), "number of " #name);
#define TEXT(name, value) _Static_assert(__builtin_strcmp(name, value) == 0, "text of " #name);
#include "api-mysql.inc"

int main(void) { return 0; }
