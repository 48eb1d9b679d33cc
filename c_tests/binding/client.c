/* A program that is linked to one of the client libraries. */
#define _GNU_SOURCE
#include "who.h"
#ifdef REAL_HEADER
#include <mysql.h>
#else
const char *mysql_get_client_info(void);
unsigned long mysql_get_client_version(void);
#endif
#ifdef WITH_DATA
#include <mysql.h>
#endif

int main(void) {
  who("linked", mysql_get_client_info);
  printf("version: %lu\n", mysql_get_client_version());
#ifdef WITH_DATA
  /* Exported objects; a program that is not position-independent has its own copies. */
  mysql_server_init(0, NULL, NULL);
  printf("pack_len: %d %d %d\n", (int)mysql_ps_fetch_functions[MYSQL_TYPE_LONGLONG].pack_len,
         (int)mysql_ps_fetch_functions[MYSQL_TYPE_TIME].pack_len,
         (int)mysql_ps_fetch_functions[MYSQL_TYPE_GEOMETRY].pack_len);
  printf("ssl: %u\n", mariadb_deinitialize_ssl);
  mariadb_deinitialize_ssl = 0;
  mysql_server_end();
  printf("ssl: %u\n", mariadb_deinitialize_ssl);
#endif
  return 0;
}
