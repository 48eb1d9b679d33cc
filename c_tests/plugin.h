/*
 * plugin.h: the head of a client plugin for authentication in both interfaces.
 * (Debian's header of it for Connector/C needs a file that no package has.)
 */
#ifndef PLUGIN_H
#define PLUGIN_H

#if LAB_MARIADB_ABI
#include <mysql/plugin_auth.h>
#define MYSQL_CLIENT_AUTHENTICATION_PLUGIN 2
#define LAB_VERSION 0x0100
#define LAB_VIO_INFO MYSQL_PLUGIN_VIO_INFO
struct st_mysql_client_plugin;
struct st_mysql_client_plugin *mysql_load_plugin(MYSQL *, const char *, int, int, ...);
struct st_mysql_client_plugin *mysql_client_find_plugin(MYSQL *, const char *, int);
struct st_mysql_client_plugin *mysql_client_register_plugin(MYSQL *, struct st_mysql_client_plugin *);
#else
#include <mysql/client_plugin.h>
#define LAB_VERSION MYSQL_CLIENT_AUTHENTICATION_PLUGIN_INTERFACE_VERSION
#define LAB_VIO_INFO struct MYSQL_PLUGIN_VIO_INFO
#endif

struct lab_auth {
  int type;
  unsigned int interface_version;
  const char *name, *author, *desc;
  unsigned int version[3];
  const char *license;
  void *mysql_api;
  int (*init)(char *, size_t, int, va_list);
  int (*deinit)(void);
  int (*options)(const char *, const void *);
#if !LAB_MARIADB_ABI
  int (*get_options)(const char *, void *);
#endif
  int (*authenticate_user)(MYSQL_PLUGIN_VIO *, MYSQL *);
#if !LAB_MARIADB_ABI
  enum net_async_status (*authenticate_user_nonblocking)(MYSQL_PLUGIN_VIO *, MYSQL *, int *);
#endif
};

#define LAB_AUTH(NAME, FUNCTION)                                                        \
  {                                                                                     \
    .type = MYSQL_CLIENT_AUTHENTICATION_PLUGIN, .interface_version = LAB_VERSION,       \
    .name = NAME, .author = "lab", .desc = "a test", .version = {1, 0, 0},              \
    .license = "none", .authenticate_user = FUNCTION                                    \
  }

#endif
