/* mysqlclient-ms, MIT or Apache-2.0.
   What an authentication plugin is called with and returns. */
#ifndef MYSQLCLIENT_MS_PLUGIN_AUTH_COMMON_H
#define MYSQLCLIENT_MS_PLUGIN_AUTH_COMMON_H

#include <stdbool.h>

#include "mysql_com.h"

/* Bytes of the longest user name. */
#define MYSQL_USERNAME_LENGTH 96

/* What authenticate_user returns: below 0 the client has done its part, 0 and more are failures (so is every CR_ number
   of errmsg.h). */
#define CR_AUTH_ACCOUNT_LOCKED_ERROR 5
#define CR_AUTH_TEMPORARY_ACCOUNT_LOCKED_ERROR 4
#define CR_AUTH_PLUGIN_ERROR 3
#define CR_AUTH_HANDSHAKE 2
#define CR_AUTH_USER_CREDENTIALS 1
#define CR_ERROR 0
#define CR_OK -1
#define CR_OK_HANDSHAKE_COMPLETE -2
#define CR_OK_AUTH_IN_SANDBOX_MODE -3
#define CR_OK_FORCE_PASSWORD_CHANGE -4

/* The connection that a plugin talks over. */
struct MYSQL_PLUGIN_VIO_INFO {
  enum {
    MYSQL_VIO_INVALID = 0,
    MYSQL_VIO_TCP = 1,
    MYSQL_VIO_SOCKET = 2,
    MYSQL_VIO_PIPE = 3,
    MYSQL_VIO_MEMORY = 4
  } protocol;
  int socket;
  bool is_tls_established;
};

typedef struct MYSQL_PLUGIN_VIO {
  /* Returns the packet's length and points `buf` to it; -1: the plugin has to end. */
  int (*read_packet)(struct MYSQL_PLUGIN_VIO *vio, unsigned char **buf);
  /* Returns 0, or 1 for a failure. */
  int (*write_packet)(struct MYSQL_PLUGIN_VIO *vio, const unsigned char *packet, int packet_len);
  void (*info)(struct MYSQL_PLUGIN_VIO *vio, struct MYSQL_PLUGIN_VIO_INFO *info);
  enum net_async_status (*read_packet_nonblocking)(struct MYSQL_PLUGIN_VIO *vio, unsigned char **buf, int *result);
  enum net_async_status (*write_packet_nonblocking)(struct MYSQL_PLUGIN_VIO *vio, const unsigned char *pkt,
                                                    int pkt_len, int *result);
} MYSQL_PLUGIN_VIO;

#endif
