/* mysqlclient-ms, MIT or Apache-2.0. Made from src/abi/cluster.rs by cbindgen; do not edit.
   What the library adds to the C API: functions that know the cluster behind a handle. A handle is a MYSQL* of either
   family, which is why it is a void* here. */

#ifndef MYSQLCLIENT_MS_H
#define MYSQLCLIENT_MS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 The connection that a handle used last.

 Texts are NUL-ended and valid until the handle's next call.
 */
typedef struct mysqlnd_ms_connection {
  /*
   "tcp" or "unix"; "" before the first connection.
   */
  const char *scheme;
  /*
   As `mysql_get_host_info` says; "" before the first connection.
   */
  const char *host_info;
  /*
   Host name or address; "localhost" for a socket.
   */
  const char *host;
  /*
   TCP port; 0 for a socket.
   */
  unsigned int port;
  /*
   Path of the socket; "" for TCP.
   */
  const char *socket_or_pipe;
  /*
   Connection id on that server; 0 before the first connection.
   */
  unsigned long thread_id;
  /*
   As `mysql_info`; "" for none.
   */
  const char *last_message;
  /*
   As `mysql_errno`.
   */
  unsigned int error_no;
  /*
   As `mysql_error`.
   */
  const char *error;
  /*
   As `mysql_sqlstate`.
   */
  const char *sqlstate;
} mysqlnd_ms_connection;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Tells which connection the handle used last.

 Source: mysqlnd_ms_get_last_used_connection of PECL mysqlnd_ms. On a handle that is not routed: its one connection.
 Returns: 0; 1 for NULL or a handle that is not ours.

 # Safety
 `mysql` is NULL or a valid handle (`MYSQL *` of either family); `connection` is NULL or writable.
 */
int mysqlnd_ms_get_last_used_connection(void *mysql,
                                        struct mysqlnd_ms_connection *connection);

/*
 Tells where a routed handle's last statement went and why: "node=... role=... class=... reason=...".

 Returns: the text, valid until the handle's next call; NULL on a handle that is not routed, or before its first
 statement.

 # Safety
 `mysql` is NULL or a valid handle (`MYSQL *` of either family).
 */
const char *mysqlnd_ms_get_last_decision(void *mysql);

/*
 Classifies a statement without running it.

 Source: mysqlnd_ms_query_is_select of PECL mysqlnd_ms. Returns: 0 = a master (everything that is not proven to be a
 plain read; NULL; the hint ms=master), 1 = a slave, 2 = the server used last.

 # Safety
 `query` is NULL or a NUL-ended string.
 */
int mysqlnd_ms_query_is_select(const char *query);

/*
 Tests a text against a pattern: `%` = any characters, `_` = one character, a backslash takes the next one as it is.

 Source: mysqlnd_ms_match_wild of PECL mysqlnd_ms, without its fault that the first `%` ended the test. Returns: 1 if
 it fits, else 0 (also for NULL).

 # Safety
 `text` and `pattern` are NULL or NUL-ended strings.
 */
int mysqlnd_ms_match_wild(const char *text,
                          const char *pattern);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MYSQLCLIENT_MS_H */
