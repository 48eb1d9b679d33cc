/* mysqlclient-ms, MIT or Apache-2.0. Made from src/abi/cluster.rs by cbindgen; do not edit.
   What the library adds to the C API: functions that know the cluster behind a handle. A handle is a MYSQL* of either
   family, which is why it is a void* here. */

#ifndef MYSQLCLIENT_MS_H
#define MYSQLCLIENT_MS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/*
 The version of this library.
 */
#define MYSQLND_MS_VERSION "0.1.0"

/*
 The hints: each stands in a comment in front of a statement. The first sends it to a master, the second a read to a slave,
 the third any statement to the server used last.
 */
#define MYSQLND_MS_MASTER_SWITCH "ms=master"
#define MYSQLND_MS_SLAVE_SWITCH "ms=slave"
#define MYSQLND_MS_LAST_USED_SWITCH "ms=last_used"


/*
 The version of this library as a number: major * 10000 + minor * 100 + patch.
 */
#define MYSQLND_MS_VERSION_ID 100

/*
 What `mysqlnd_ms_query_is_select` returns for a master.
 */
#define MYSQLND_MS_QUERY_USE_MASTER 0

/*
 What `mysqlnd_ms_query_is_select` returns for a slave.
 */
#define MYSQLND_MS_QUERY_USE_SLAVE 1

/*
 What `mysqlnd_ms_query_is_select` returns for the server used last.
 */
#define MYSQLND_MS_QUERY_USE_LAST_USED 2

/*
 The level of `mysqlnd_ms_set_qos`: reads go to a master.
 */
#define MYSQLND_MS_QOS_CONSISTENCY_STRONG 0

/*
 The level of `mysqlnd_ms_set_qos`: reads see what the session has written.
 */
#define MYSQLND_MS_QOS_CONSISTENCY_SESSION 1

/*
 The level of `mysqlnd_ms_set_qos`: reads are promised nothing.
 */
#define MYSQLND_MS_QOS_CONSISTENCY_EVENTUAL 2

/*
 The option of `mysqlnd_ms_set_qos`: none; `value` is not looked at.
 */
#define MYSQLND_MS_QOS_OPTION_NONE 0

/*
 The option of `mysqlnd_ms_set_qos`, with session consistency: a GTID, GTID set or position that reads are to see.
 */
#define MYSQLND_MS_QOS_OPTION_GTID 1

/*
 The option of `mysqlnd_ms_set_qos`, with eventual consistency: how old an answer may be, in whole seconds from 0 on.
 */
#define MYSQLND_MS_QOS_OPTION_AGE 2

/*
 The option of `mysqlnd_ms_set_qos`, with eventual consistency: the lifetime of cached answers. Not served yet.
 */
#define MYSQLND_MS_QOS_OPTION_CACHE 3

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

/*
 One counter.
 */
typedef struct mysqlnd_ms_stat {
  /*
   Its name; never freed.
   */
  const char *name;
  /*
   Its value.
   */
  uint64_t value;
} mysqlnd_ms_stat;

/*
 A server of a handle's section.

 Texts are NUL-ended and valid until the handle's next call.
 */
typedef struct mysqlnd_ms_server {
  /*
   Its name in the configuration; "" if it has none.
   */
  const char *name_from_config;
  /*
   Host name or address; "localhost" for a socket.
   */
  const char *hostname;
  /*
   The account that the handle uses there.
   */
  const char *user;
  /*
   TCP port; 0 for a socket.
   */
  unsigned int port;
  /*
   Path of the socket; "" for TCP.
   */
  const char *socket;
  /*
   The handle's connection id there; 0 while it is not connected.
   */
  unsigned long thread_id;
  /*
   0 = listed under master, 1 = under slave.
   */
  int is_slave;
} mysqlnd_ms_server;

/*
 What is counted of a server by all handles of the process.

 Texts are NUL-ended and valid until the handle's next call.
 */
typedef struct mysqlnd_ms_node_stat {
  /*
   Its name in the configuration; "" if it has none.
   */
  const char *name_from_config;
  /*
   Host name or address; "localhost" for a socket.
   */
  const char *hostname;
  /*
   TCP port; 0 for a socket.
   */
  unsigned int port;
  /*
   Path of the socket; "" for TCP.
   */
  const char *socket;
  /*
   0 = listed under master, 1 = under slave.
   */
  int is_slave;
  /*
   Statements that were not answered to the end at this moment; told also without `mysqlnd_ms.collect_statistics`.
   */
  unsigned int in_flight;
  /*
   Statements that were sent there.
   */
  uint64_t statements;
  /*
   Connections that were opened.
   */
  uint64_t connects;
  /*
   Connections that could not be opened.
   */
  uint64_t failures;
} mysqlnd_ms_node_stat;

/*
 A node that is offered to a filter of the program.
 */
typedef struct mysqlnd_ms_node {
  /*
   Its name in the configuration; "" if it has none.
   */
  const char *name;
  /*
   Where it listens: "tcp://host:port" or "unix:///path"; what the configuration leaves to the connect call is
   missing.
   */
  const char *uri;
  /*
   0 = listed under master, 1 = under slave.
   */
  int is_slave;
} mysqlnd_ms_node;

/*
 What a filter of the program is asked. Everything in it is valid during the call only.
 */
typedef struct mysqlnd_ms_filter_call {
  /*
   Size of this structure as the library knows it: later versions add to its end.
   */
  size_t size;
  /*
   Name of the section.
   */
  const char *section;
  /*
   The statement; not NUL-ended.
   */
  const char *query;
  /*
   Its length, bytes.
   */
  size_t query_length;
  /*
   The nodes that are left, the masters first.
   */
  const struct mysqlnd_ms_node *nodes;
  /*
   How many they are; may be 0.
   */
  unsigned int node_count;
  /*
   How many of them, from the first on, are masters.
   */
  unsigned int master_count;
  /*
   Which of them this handle used last; -1 = none, or none of them.
   */
  int last_used;
  /*
   1 = inside a transaction, or autocommit is off.
   */
  int in_transaction;
  /*
   1 = a slave may run it: it is proven to be a plain read, and nothing else demands a master.
   */
  int is_read;
  /*
   For `user_multi`: node_count bytes, all 0; the filter sets those of the nodes that stay to 1.
   */
  uint8_t *selected;
} mysqlnd_ms_filter_call;

/*
 A filter of the program, for the entries `user` and `user_multi` of a section's `filters`.

 For `user` it returns the number of the chosen node in `nodes`; a slave for a statement that is not `is_read` is
 refused. For `user_multi` it sets `selected` and returns 0. Any other number fails the statement with error 2000; the
 handle stays usable, and the next statement asks again.

 It is called by the thread that runs the statement, in front of it: not when a transaction, a result or state of the
 session already says where the statement goes. It must not use the handle whose statement it is asked about, and it must
 return: it must not jump or throw out of the call.
 */
typedef int (*mysqlnd_ms_filter)(const struct mysqlnd_ms_filter_call *call, void *data);

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
 plain read; NULL; the hint ms=master), 1 = a slave, 2 = the server used last. The counters of guesses and hints move, as
 for a statement that is run.

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

/*
 Sets what the handle's following reads are promised to see.

 Source: mysqlnd_ms_set_qos of PECL mysqlnd_ms. Where the servers have GTIDs, session consistency, which is the default,
 lets replicas answer, after they have what was written; a level set here replaces that of the configuration.
 Returns: 0; 1 and error 2000 on the handle, with the reason, for a handle that does not route, an unknown level or
 option, an option that does not go with the level, a value that is missing, no GTID or no age, and inside a transaction that
 has its node. 1 for NULL or a handle that is not ours.

 # Safety
 `mysql` is NULL or a valid handle (`MYSQL *` of either family); `value` is NULL or a NUL-ended string.
 */
int mysqlnd_ms_set_qos(void *mysql,
                       int level,
                       int option,
                       const char *value);

/*
 Tells the newest GTID: by the configuration's `fetch_last_gtid`, asked on the node used last, where that is configured;
 else the GTID of the handle's last write as the server wrote it: `uuid:21` (MySQL), `0-1-19` (MariaDB).

 Source: mysqlnd_ms_get_last_gtid of PECL mysqlnd_ms. Returns: the text, valid until the handle's next call; NULL before
 the first write, and where the servers tell no GTIDs; NULL with an error on the handle: 2000 on one that does not route,
 the server's if `fetch_last_gtid` fails.

 # Safety
 `mysql` is NULL or a valid handle (`MYSQL *` of either family).
 */
const char *mysqlnd_ms_get_last_gtid(void *mysql);

/*
 Tells what this process has counted since its start, under the 46 names of mysqlnd_ms; behind them come those of
 this library's own: `stale_reads`. Counters of what it does not have (Fabric, XA state stores) stay 0. `pool_*_total` and
 `pool_*_active` are gauges: the nodes of the handles that are connected now.

 Source: mysqlnd_ms_get_stats of PECL mysqlnd_ms. `stats` gets the first `most` of them. Returns: how many there are; 0
 while `mysqlnd_ms.enable` is off. They count only with `mysqlnd_ms.collect_statistics`.

 # Safety
 `stats` is NULL or has room for `most` counters.
 */
size_t mysqlnd_ms_get_stats(struct mysqlnd_ms_stat *stats,
                            size_t most);

/*
 Lists the servers of the handle's section, masters first.

 Source: mysqlnd_ms_dump_servers of PECL mysqlnd_ms. `servers` gets the first `most` of them. Returns: how many there
 are; 0 and error 2000 on the handle for one that does not route; 0 for NULL or a handle that is not ours.

 # Safety
 `mysql` is NULL or a valid handle (`MYSQL *` of either family); `servers` is NULL or has room for `most` servers.
 */
size_t mysqlnd_ms_dump_servers(void *mysql,
                               struct mysqlnd_ms_server *servers,
                               size_t most);

/*
 Tells what this process has counted of each server of the handle's section, masters first: an addition of ours to
 `mysqlnd_ms_get_stats`. A changed configuration keeps the numbers of servers that stay.

 `stats` gets the first `most` of them. Returns: as mysqlnd_ms_dump_servers. Numbers but `in_flight` count only with
 `mysqlnd_ms.collect_statistics`.

 # Safety
 `mysql` is NULL or a valid handle (`MYSQL *` of either family); `stats` is NULL or has room for `most` entries.
 */
size_t mysqlnd_ms_get_node_stats(void *mysql,
                                 struct mysqlnd_ms_node_stat *stats,
                                 size_t most);

/*
 Tells what the handle's reads are to see, as a token: a short opaque text of letters, digits, `-` and `_`, fit for a
 cookie. Given to another handle of the same cluster, in the next web request for instance, by
 `mysqlnd_ms_set_token`, it lets its reads see everything that was written here.

 Returns: the token, valid until the handle's next call; NULL on a handle that does not route, before its first write,
 and where the servers tell no GTIDs.

 # Safety
 `mysql` is NULL or a valid handle (`MYSQL *` of either family).
 */
const char *mysqlnd_ms_get_token(void *mysql);

/*
 Lets the handle's following reads see what the handle saw that gave the token.

 A token of another cluster, or from before a failover that lost transactions, costs a read at most
 `consistency.wait_ms` once; then a master is asked, and the log tells of it. Returns: 0; 1 and error 2000 on the
 handle, with the reason, for a handle that does not route, a text that is no token, and inside a transaction that has
 its node. 1 for NULL or a handle that is not ours.

 # Safety
 `mysql` is NULL or a valid handle (`MYSQL *` of either family); `token` is NULL or a NUL-ended string.
 */
int mysqlnd_ms_set_token(void *mysql,
                         const char *token);

/*
 Registers a filter by the name that the configuration calls it (`"user": {"callback": NAME}`). `data` is handed to it
 as it is. The same name again replaces it, for handles that are connected too; NULL takes it away.

 Source: mysqlnd_ms_set_user_pick_server and the filters `user` and `user_multi` of PECL mysqlnd_ms. May be called at any
 time by any thread. Returns: 0; 1 for a name that is NULL or empty.

 # Safety
 `name` is NULL or a NUL-ended string; `function` may be called with `data` as long as it is registered, and by a
 statement that has already found it.
 */
int mysqlnd_ms_set_user_filter(const char *name,
                               mysqlnd_ms_filter function,
                               void *data);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MYSQLCLIENT_MS_H */
