/* Prints size, alignment and every field's offset and size of the public structs, as a compiler sees them in the header
   that it is given: the originals' of either family, or ours. Lines: "STRUCT size alignment", "STRUCT.field offset size". */
#include <mysql.h>
#include <stddef.h>
#include <stdio.h>
#ifdef WITH_PLUGINS
#include <mysql/client_plugin.h>
#endif
#ifdef MARIADB_PACKAGE_VERSION_ID
#define INC "layout-mariadb.inc"
#else
#define INC "layout-mysql.inc"
#endif

#define STRUCT(name, type) printf("%s %zu %zu\n", name, sizeof(type), _Alignof(type));
#define FIELD(name, type, field) \
  printf("%s.%s %zu %zu\n", name, #field, offsetof(type, field), sizeof(((type *)0)->field));

int main(void) {
#ifdef MARIADB_PACKAGE_VERSION_ID
  printf("# mariadb %d\n", MARIADB_PACKAGE_VERSION_ID);
#else
  printf("# mysql %d\n", MYSQL_VERSION_ID);
#endif
#include INC
  return 0;
}
