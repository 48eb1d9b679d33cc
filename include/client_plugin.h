/* mysqlclient-ms, MIT or Apache-2.0.
   What a client plugin looks like and how it is declared; the functions that register and find one are in mysql.h. */
#ifndef MYSQLCLIENT_MS_CLIENT_PLUGIN_H
#define MYSQLCLIENT_MS_CLIENT_PLUGIN_H

#include <stdarg.h>
#include <stdlib.h>

#include "mysql.h"
#include "plugin_auth_common.h"

#if defined(MYSQL_DYNAMIC_CLIENT_PLUGIN)
#define MYSQL_CLIENT_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define MYSQL_CLIENT_PLUGIN_EXPORT
#endif

/* Kinds of plugins, and the version of each kind's interface. */
#define MYSQL_CLIENT_reserved1 0
#define MYSQL_CLIENT_reserved2 1
#define MYSQL_CLIENT_AUTHENTICATION_PLUGIN 2
#define MYSQL_CLIENT_TRACE_PLUGIN 3
#define MYSQL_CLIENT_TELEMETRY_PLUGIN 4
#define MYSQL_CLIENT_MAX_PLUGINS 5
#define MYSQL_CLIENT_AUTHENTICATION_PLUGIN_INTERFACE_VERSION 0x0200
#define MYSQL_CLIENT_TRACE_PLUGIN_INTERFACE_VERSION 0x0200
#define MYSQL_CLIENT_TELEMETRY_PLUGIN_INTERFACE_VERSION 0x0200

#define MYSQL_CLIENT_PLUGIN_AUTHOR_ORACLE "Oracle Corporation"

/* What every plugin begins with. */
#define MYSQL_CLIENT_PLUGIN_HEADER \
  int type; \
  unsigned int interface_version; \
  const char *name; \
  const char *author; \
  const char *desc; \
  unsigned int version[3]; \
  const char *license; \
  void *mysql_api; \
  int (*init)(char *, size_t, int, va_list); \
  int (*deinit)(void); \
  int (*options)(const char *option, const void *); \
  int (*get_options)(const char *option, void *);

/* mysql_declare_client_plugin(AUTHENTICATION) "name", ... mysql_end_client_plugin; declares the one of a shared object. */
#define mysql_declare_client_plugin(KIND) \
  MYSQL_CLIENT_PLUGIN_EXPORT st_mysql_client_plugin_##KIND _mysql_client_plugin_declaration_ = { \
      MYSQL_CLIENT_##KIND##_PLUGIN, MYSQL_CLIENT_##KIND##_PLUGIN_INTERFACE_VERSION,
#define mysql_end_client_plugin }

struct st_mysql_client_plugin {
  MYSQL_CLIENT_PLUGIN_HEADER
};

struct auth_plugin_t {
  MYSQL_CLIENT_PLUGIN_HEADER
  int (*authenticate_user)(MYSQL_PLUGIN_VIO *vio, struct MYSQL *mysql);
  enum net_async_status (*authenticate_user_nonblocking)(MYSQL_PLUGIN_VIO *vio, struct MYSQL *mysql, int *result);
};
typedef struct auth_plugin_t st_mysql_client_plugin_AUTHENTICATION;

#endif
