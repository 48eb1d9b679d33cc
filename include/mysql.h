/* mysqlclient-ms, MIT or Apache-2.0.
   The C API of libmysqlclient 9.7 (and, but for a few newer functions, 8.0), which mysqlclient-ms serves. What each
   function does is in the MySQL C API Developer Guide; what this library adds is in mysqlclient_ms.h. */
#ifndef MYSQLCLIENT_MS_MYSQL_H
#define MYSQLCLIENT_MS_MYSQL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "field_types.h"
#include "mysql_com.h"
#include "mysql_time.h"
#include "mysql_version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Older names. */
typedef uint64_t my_ulonglong;
#define mysql_library_init mysql_server_init
#define mysql_library_end mysql_server_end
#define mysql_reload(mysql) mysql_refresh((mysql), REFRESH_GRANT)

#define MYSQL_COUNT_ERROR (~(uint64_t)0)
#define LOCAL_INFILE_ERROR_LEN 512

#define IS_PRI_KEY(flags) ((flags) & PRI_KEY_FLAG)
#define IS_NOT_NULL(flags) ((flags) & NOT_NULL_FLAG)
#define IS_BLOB(flags) ((flags) & BLOB_FLAG)
#define IS_NUM(type) \
  (((type) <= MYSQL_TYPE_INT24 && (type) != MYSQL_TYPE_TIMESTAMP) || (type) == MYSQL_TYPE_YEAR || \
   (type) == MYSQL_TYPE_NEWDECIMAL)
#define IS_LONGDATA(type) ((type) >= MYSQL_TYPE_TINY_BLOB && (type) <= MYSQL_TYPE_STRING)

struct CHARSET_INFO;
struct MEM_ROOT;
struct MYSQL_METHODS;
struct MYSQL_STMT_EXT;
struct Init_commands_array;
struct st_mysql_options_extention;
struct st_mysql_client_plugin;
struct MYSQL;
struct MYSQL_RES;
struct MYSQL_STMT;
struct MYSQL_DATA;
struct MYSQL_BIND;

typedef struct LIST {
  struct LIST *prev;
  struct LIST *next;
  void *data;
} LIST;

/* A row: a pointer per column, NULL for NULL. */
typedef char **MYSQL_ROW;
typedef unsigned int MYSQL_FIELD_OFFSET;

/* A column of a result. */
typedef struct MYSQL_FIELD {
  char *name;
  char *org_name;
  char *table;
  char *org_table;
  char *db;
  char *catalog;
  char *def;
  unsigned long length;
  unsigned long max_length;
  unsigned int name_length;
  unsigned int org_name_length;
  unsigned int table_length;
  unsigned int org_table_length;
  unsigned int db_length;
  unsigned int catalog_length;
  unsigned int def_length;
  unsigned int flags;
  unsigned int decimals;
  unsigned int charsetnr;
  enum enum_field_types type;
  void *extension;
} MYSQL_FIELD;

/* A row of a buffered result. */
typedef struct MYSQL_ROWS {
  struct MYSQL_ROWS *next;
  MYSQL_ROW data;
  unsigned long length;
} MYSQL_ROWS;
typedef MYSQL_ROWS *MYSQL_ROW_OFFSET;

enum mysql_option {
  MYSQL_OPT_CONNECT_TIMEOUT = 0,
  MYSQL_OPT_COMPRESS = 1,
  MYSQL_OPT_NAMED_PIPE = 2,
  MYSQL_INIT_COMMAND = 3,
  MYSQL_READ_DEFAULT_FILE = 4,
  MYSQL_READ_DEFAULT_GROUP = 5,
  MYSQL_SET_CHARSET_DIR = 6,
  MYSQL_SET_CHARSET_NAME = 7,
  MYSQL_OPT_LOCAL_INFILE = 8,
  MYSQL_OPT_PROTOCOL = 9,
  MYSQL_SHARED_MEMORY_BASE_NAME = 10,
  MYSQL_OPT_READ_TIMEOUT = 11,
  MYSQL_OPT_WRITE_TIMEOUT = 12,
  MYSQL_OPT_USE_RESULT = 13,
  MYSQL_REPORT_DATA_TRUNCATION = 14,
  MYSQL_OPT_RECONNECT = 15,
  MYSQL_PLUGIN_DIR = 16,
  MYSQL_DEFAULT_AUTH = 17,
  MYSQL_OPT_BIND = 18,
  MYSQL_OPT_SSL_KEY = 19,
  MYSQL_OPT_SSL_CERT = 20,
  MYSQL_OPT_SSL_CA = 21,
  MYSQL_OPT_SSL_CAPATH = 22,
  MYSQL_OPT_SSL_CIPHER = 23,
  MYSQL_OPT_SSL_CRL = 24,
  MYSQL_OPT_SSL_CRLPATH = 25,
  MYSQL_OPT_CONNECT_ATTR_RESET = 26,
  MYSQL_OPT_CONNECT_ATTR_ADD = 27,
  MYSQL_OPT_CONNECT_ATTR_DELETE = 28,
  MYSQL_SERVER_PUBLIC_KEY = 29,
  MYSQL_ENABLE_CLEARTEXT_PLUGIN = 30,
  MYSQL_OPT_CAN_HANDLE_EXPIRED_PASSWORDS = 31,
  MYSQL_OPT_MAX_ALLOWED_PACKET = 32,
  MYSQL_OPT_NET_BUFFER_LENGTH = 33,
  MYSQL_OPT_TLS_VERSION = 34,
  MYSQL_OPT_SSL_MODE = 35,
  MYSQL_OPT_GET_SERVER_PUBLIC_KEY = 36,
  MYSQL_OPT_RETRY_COUNT = 37,
  MYSQL_OPT_OPTIONAL_RESULTSET_METADATA = 38,
  MYSQL_OPT_SSL_FIPS_MODE = 39,
  MYSQL_OPT_TLS_CIPHERSUITES = 40,
  MYSQL_OPT_COMPRESSION_ALGORITHMS = 41,
  MYSQL_OPT_ZSTD_COMPRESSION_LEVEL = 42,
  MYSQL_OPT_LOAD_DATA_LOCAL_DIR = 43,
  MYSQL_OPT_USER_PASSWORD = 44,
  MYSQL_OPT_SSL_SESSION_DATA = 45,
  MYSQL_OPT_TLS_SNI_SERVERNAME = 46
};

enum mysql_status {
  MYSQL_STATUS_READY = 0,
  MYSQL_STATUS_GET_RESULT = 1,
  MYSQL_STATUS_USE_RESULT = 2,
  MYSQL_STATUS_STATEMENT_GET_RESULT = 3
};

enum mysql_protocol_type {
  MYSQL_PROTOCOL_DEFAULT = 0,
  MYSQL_PROTOCOL_TCP = 1,
  MYSQL_PROTOCOL_SOCKET = 2,
  MYSQL_PROTOCOL_PIPE = 3,
  MYSQL_PROTOCOL_MEMORY = 4
};

enum mysql_ssl_mode {
  SSL_MODE_DISABLED = 1,
  SSL_MODE_PREFERRED = 2,
  SSL_MODE_REQUIRED = 3,
  SSL_MODE_VERIFY_CA = 4,
  SSL_MODE_VERIFY_IDENTITY = 5
};

enum mysql_ssl_fips_mode {
  SSL_FIPS_MODE_OFF = 0,
  SSL_FIPS_MODE_ON = 1,
  SSL_FIPS_MODE_STRICT = 2
};

/* Inside MYSQL; programs use mysql_options. */
struct st_mysql_options {
  unsigned int connect_timeout;
  unsigned int read_timeout;
  unsigned int write_timeout;
  unsigned int port;
  unsigned int protocol;
  unsigned long client_flag;
  char *host;
  char *user;
  char *password;
  char *unix_socket;
  char *db;
  struct Init_commands_array *init_commands;
  char *my_cnf_file;
  char *my_cnf_group;
  char *charset_dir;
  char *charset_name;
  char *ssl_key;
  char *ssl_cert;
  char *ssl_ca;
  char *ssl_capath;
  char *ssl_cipher;
  char *shared_memory_base_name;
  unsigned long max_allowed_packet;
  bool compress;
  bool named_pipe;
  char *bind_address;
  bool report_data_truncation;
  int (*local_infile_init)(void **, const char *, void *);
  int (*local_infile_read)(void *, char *, unsigned int);
  void (*local_infile_end)(void *);
  int (*local_infile_error)(void *, char *, unsigned int);
  void *local_infile_userdata;
  struct st_mysql_options_extention *extension;
};

/* A handle. It may lie in the program's own memory: mysql_init. */
typedef struct MYSQL {
  NET net;
  unsigned char *connector_fd;
  char *host;
  char *user;
  char *passwd;
  char *unix_socket;
  char *server_version;
  char *host_info;
  char *info;
  char *db;
  struct CHARSET_INFO *charset;
  MYSQL_FIELD *fields;
  struct MEM_ROOT *field_alloc;
  uint64_t affected_rows;
  uint64_t insert_id;
  uint64_t extra_info;
  unsigned long thread_id;
  unsigned long packet_length;
  unsigned int port;
  unsigned long client_flag;
  unsigned long server_capabilities;
  unsigned int protocol_version;
  unsigned int field_count;
  unsigned int server_status;
  unsigned int server_language;
  unsigned int warning_count;
  struct st_mysql_options options;
  enum mysql_status status;
  enum enum_resultset_metadata resultset_metadata;
  bool free_me;
  bool reconnect;
  char scramble[21];
  LIST *stmts;
  const struct MYSQL_METHODS *methods;
  void *thd;
  bool *unbuffered_fetch_owner;
  void *extension;
} MYSQL;

/* A result; made by the library. */
typedef struct MYSQL_RES {
  uint64_t row_count;
  MYSQL_FIELD *fields;
  struct MYSQL_DATA *data;
  MYSQL_ROWS *data_cursor;
  unsigned long *lengths;
  MYSQL *handle;
  const struct MYSQL_METHODS *methods;
  MYSQL_ROW row;
  MYSQL_ROW current_row;
  struct MEM_ROOT *field_alloc;
  unsigned int field_count;
  unsigned int current_field;
  bool eof;
  bool unbuffered_fetch_cancelled;
  enum enum_resultset_metadata metadata;
  void *extension;
} MYSQL_RES;

/* A character set: mysql_get_character_set_info. */
typedef struct character_set {
  unsigned int number;
  unsigned int state;
  const char *csname;
  const char *name;
  const char *comment;
  const char *dir;
  unsigned int mbminlen;
  unsigned int mbmaxlen;
} MY_CHARSET_INFO;

enum enum_stmt_attr_type {
  STMT_ATTR_UPDATE_MAX_LENGTH = 0,
  STMT_ATTR_CURSOR_TYPE = 1,
  STMT_ATTR_PREFETCH_ROWS = 2
};

enum enum_mysql_stmt_state {
  MYSQL_STMT_INIT_DONE = 1,
  MYSQL_STMT_PREPARE_DONE = 2,
  MYSQL_STMT_EXECUTE_DONE = 3,
  MYSQL_STMT_FETCH_DONE = 4
};

/* A bound parameter or column. */
typedef struct MYSQL_BIND {
  unsigned long *length;
  bool *is_null;
  void *buffer;
  bool *error;
  unsigned char *row_ptr;
  void (*store_param_func)(NET *, struct MYSQL_BIND *);
  void (*fetch_result)(struct MYSQL_BIND *, MYSQL_FIELD *, unsigned char **);
  void (*skip_result)(struct MYSQL_BIND *, MYSQL_FIELD *, unsigned char **);
  unsigned long buffer_length;
  unsigned long offset;
  unsigned long length_value;
  unsigned int param_number;
  unsigned int pack_length;
  enum enum_field_types buffer_type;
  bool error_value;
  bool is_unsigned;
  bool long_data_used;
  bool is_null_value;
  void *extension;
} MYSQL_BIND;

struct MYSQL_DATA;
typedef struct MYSQL_DATA {
  MYSQL_ROWS *data;
  struct MEM_ROOT *alloc;
  uint64_t rows;
  unsigned int fields;
} MYSQL_DATA;

/* A prepared statement; made by the library. */
typedef struct MYSQL_STMT {
  struct MEM_ROOT *mem_root;
  LIST list;
  MYSQL *mysql;
  MYSQL_BIND *params;
  MYSQL_BIND *bind;
  MYSQL_FIELD *fields;
  MYSQL_DATA result;
  MYSQL_ROWS *data_cursor;
  int (*read_row_func)(struct MYSQL_STMT *, unsigned char **);
  uint64_t affected_rows;
  uint64_t insert_id;
  unsigned long stmt_id;
  unsigned long flags;
  unsigned long prefetch_rows;
  unsigned int server_status;
  unsigned int last_errno;
  unsigned int param_count;
  unsigned int field_count;
  enum enum_mysql_stmt_state state;
  char last_error[512];
  char sqlstate[6];
  bool send_types_to_server;
  bool bind_param_done;
  unsigned char bind_result_done;
  bool unbuffered_fetch_cancelled;
  bool update_max_length;
  struct MYSQL_STMT_EXT *extension;
} MYSQL_STMT;

#define MYSQL_NO_DATA 100
#define MYSQL_DATA_TRUNCATED 101

#define MYSQL_RPL_GTID (1 << 16)
#define MYSQL_RPL_SKIP_HEARTBEAT (1 << 17)

/* A stream of binary log events. */
typedef struct MYSQL_RPL {
  size_t file_name_length;
  const char *file_name;
  uint64_t start_position;
  unsigned int server_id;
  unsigned int flags;
  size_t gtid_set_encoded_size;
  void (*fix_gtid_set)(struct MYSQL_RPL *, unsigned char *);
  void *gtid_set_arg;
  unsigned long size;
  const unsigned char *buffer;
} MYSQL_RPL;

/* The library. */
int mysql_server_init(int argc, char **argv, char **groups);
void mysql_server_end(void);
bool mysql_thread_init(void);
void mysql_thread_end(void);
unsigned int mysql_thread_safe(void);
const char *mysql_get_client_info(void);
const char *mysql_get_client_info_with_version_update(void);
unsigned long mysql_get_client_version(void);
void mysql_debug(const char *options);
char *get_tty_password(const char *prompt);

/* Handles and connections. */
MYSQL *mysql_init(MYSQL *mysql);
void mysql_close(MYSQL *mysql);
MYSQL *mysql_real_connect(MYSQL *mysql, const char *host, const char *user, const char *password, const char *schema,
    unsigned int port, const char *unix_socket, unsigned long client_flag);
MYSQL *mysql_real_connect_dns_srv(MYSQL *mysql, const char *dns_srv_name, const char *user, const char *password,
    const char *schema, unsigned long client_flag);
bool mysql_change_user(MYSQL *mysql, const char *user, const char *password, const char *schema);
int mysql_ping(MYSQL *mysql);
int mysql_reset_connection(MYSQL *mysql);
int mysql_select_db(MYSQL *mysql, const char *schema);
int mysql_set_server_option(MYSQL *mysql, enum enum_mysql_set_option option);
int mysql_kill(MYSQL *mysql, unsigned long thread_id);
int mysql_shutdown(MYSQL *mysql, enum mysql_enum_shutdown_level level);
int mysql_refresh(MYSQL *mysql, unsigned int options);
int mysql_dump_debug_info(MYSQL *mysql);
const char *mysql_stat(MYSQL *mysql);

/* Options. */
int mysql_options(MYSQL *mysql, enum mysql_option option, const void *value);
int mysql_options4(MYSQL *mysql, enum mysql_option option, const void *value1, const void *value2);
int mysql_get_option(MYSQL *mysql, enum mysql_option option, const void *value);
bool mysql_ssl_set(MYSQL *mysql, const char *key, const char *cert, const char *ca, const char *capath, const char
    *cipher);
const char *mysql_get_ssl_cipher(MYSQL *mysql);
void *mysql_get_ssl_session_data(MYSQL *mysql, unsigned int n_ticket, unsigned int *length);
bool mysql_free_ssl_session_data(MYSQL *mysql, void *data);
bool mysql_get_ssl_session_reused(MYSQL *mysql);
void mysql_reset_server_public_key(void);
void mysql_set_local_infile_handler(MYSQL *mysql, int (*init)(void **, const char *, void *), int (*read)(void *, char
    *, unsigned int), void (*end)(void *), int (*error)(void *, char *, unsigned int), void *userdata);
void mysql_set_local_infile_default(MYSQL *mysql);

/* Statements. */
int mysql_query(MYSQL *mysql, const char *query);
int mysql_real_query(MYSQL *mysql, const char *query, unsigned long length);
int mysql_send_query(MYSQL *mysql, const char *query, unsigned long length);
bool mysql_read_query_result(MYSQL *mysql);
bool mysql_bind_param(MYSQL *mysql, unsigned int count, MYSQL_BIND *binds, const char **names);
bool mysql_autocommit(MYSQL *mysql, bool on);
bool mysql_commit(MYSQL *mysql);
bool mysql_rollback(MYSQL *mysql);
bool mysql_more_results(MYSQL *mysql);
int mysql_next_result(MYSQL *mysql);
MYSQL_RES *mysql_list_dbs(MYSQL *mysql, const char *wild);
MYSQL_RES *mysql_list_tables(MYSQL *mysql, const char *wild);
MYSQL_RES *mysql_list_fields(MYSQL *mysql, const char *table, const char *wild);
MYSQL_RES *mysql_list_processes(MYSQL *mysql);

/* Results. */
MYSQL_RES *mysql_store_result(MYSQL *mysql);
MYSQL_RES *mysql_use_result(MYSQL *mysql);
void mysql_free_result(MYSQL_RES *result);
MYSQL_ROW mysql_fetch_row(MYSQL_RES *result);
unsigned long *mysql_fetch_lengths(MYSQL_RES *result);
MYSQL_FIELD *mysql_fetch_field(MYSQL_RES *result);
MYSQL_FIELD *mysql_fetch_fields(MYSQL_RES *result);
MYSQL_FIELD *mysql_fetch_field_direct(MYSQL_RES *result, unsigned int field);
uint64_t mysql_num_rows(MYSQL_RES *result);
unsigned int mysql_num_fields(MYSQL_RES *result);
bool mysql_eof(MYSQL_RES *result);
void mysql_data_seek(MYSQL_RES *result, uint64_t row);
MYSQL_ROW_OFFSET mysql_row_seek(MYSQL_RES *result, MYSQL_ROW_OFFSET offset);
MYSQL_ROW_OFFSET mysql_row_tell(MYSQL_RES *result);
MYSQL_FIELD_OFFSET mysql_field_seek(MYSQL_RES *result, MYSQL_FIELD_OFFSET offset);
MYSQL_FIELD_OFFSET mysql_field_tell(MYSQL_RES *result);
enum enum_resultset_metadata mysql_result_metadata(MYSQL_RES *result);

/* What the last call did; what is connected. */
unsigned int mysql_errno(MYSQL *mysql);
const char *mysql_error(MYSQL *mysql);
const char *mysql_sqlstate(MYSQL *mysql);
uint64_t mysql_affected_rows(MYSQL *mysql);
uint64_t mysql_insert_id(MYSQL *mysql);
const char *mysql_info(MYSQL *mysql);
unsigned int mysql_warning_count(MYSQL *mysql);
unsigned int mysql_field_count(MYSQL *mysql);
unsigned long mysql_thread_id(MYSQL *mysql);
const char *mysql_get_host_info(MYSQL *mysql);
const char *mysql_get_server_info(MYSQL *mysql);
const char *mysql_get_server_info_with_version_update(MYSQL *mysql);
unsigned long mysql_get_server_version(MYSQL *mysql);
unsigned int mysql_get_proto_info(MYSQL *mysql);
int mysql_session_track_get_first(MYSQL *mysql, enum enum_session_state_type type, const char **data, size_t *length);
int mysql_session_track_get_next(MYSQL *mysql, enum enum_session_state_type type, const char **data, size_t *length);

/* Character sets. */
int mysql_set_character_set(MYSQL *mysql, const char *name);
const char *mysql_character_set_name(MYSQL *mysql);
void mysql_get_character_set_info(MYSQL *mysql, MY_CHARSET_INFO *charset);
unsigned long mysql_escape_string(char *to, const char *from, unsigned long length);
unsigned long mysql_real_escape_string(MYSQL *mysql, char *to, const char *from, unsigned long length);
unsigned long mysql_real_escape_string_quote(MYSQL *mysql, char *to, const char *from, unsigned long length, char
    quote);
unsigned long mysql_hex_string(char *to, const char *from, unsigned long length);

/* Prepared statements. */
uint64_t mysql_stmt_affected_rows(MYSQL_STMT *stmt);
bool mysql_stmt_attr_get(MYSQL_STMT *stmt, enum enum_stmt_attr_type attribute, void *value);
bool mysql_stmt_attr_set(MYSQL_STMT *stmt, enum enum_stmt_attr_type attribute, const void *value);
bool mysql_stmt_bind_named_param(MYSQL_STMT *stmt, MYSQL_BIND *binds, unsigned int count, const char **names);
bool mysql_stmt_bind_param(MYSQL_STMT *stmt, MYSQL_BIND *bind);
bool mysql_stmt_bind_result(MYSQL_STMT *stmt, MYSQL_BIND *bind);
bool mysql_stmt_close(MYSQL_STMT *stmt);
void mysql_stmt_data_seek(MYSQL_STMT *stmt, uint64_t row);
unsigned int mysql_stmt_errno(MYSQL_STMT *stmt);
const char *mysql_stmt_error(MYSQL_STMT *stmt);
int mysql_stmt_execute(MYSQL_STMT *stmt);
int mysql_stmt_fetch(MYSQL_STMT *stmt);
int mysql_stmt_fetch_column(MYSQL_STMT *stmt, MYSQL_BIND *bind, unsigned int column, unsigned long offset);
unsigned int mysql_stmt_field_count(MYSQL_STMT *stmt);
bool mysql_stmt_free_result(MYSQL_STMT *stmt);
MYSQL_STMT *mysql_stmt_init(MYSQL *mysql);
uint64_t mysql_stmt_insert_id(MYSQL_STMT *stmt);
int mysql_stmt_next_result(MYSQL_STMT *stmt);
uint64_t mysql_stmt_num_rows(MYSQL_STMT *stmt);
unsigned long mysql_stmt_param_count(MYSQL_STMT *stmt);
MYSQL_RES *mysql_stmt_param_metadata(MYSQL_STMT *stmt);
int mysql_stmt_prepare(MYSQL_STMT *stmt, const char *query, unsigned long length);
bool mysql_stmt_reset(MYSQL_STMT *stmt);
MYSQL_RES *mysql_stmt_result_metadata(MYSQL_STMT *stmt);
MYSQL_ROW_OFFSET mysql_stmt_row_seek(MYSQL_STMT *stmt, MYSQL_ROW_OFFSET offset);
MYSQL_ROW_OFFSET mysql_stmt_row_tell(MYSQL_STMT *stmt);
bool mysql_stmt_send_long_data(MYSQL_STMT *stmt, unsigned int parameter, const char *data, unsigned long length);
const char *mysql_stmt_sqlstate(MYSQL_STMT *stmt);
int mysql_stmt_store_result(MYSQL_STMT *stmt);

/* Without waiting. */
enum net_async_status mysql_fetch_row_nonblocking(MYSQL_RES *result, MYSQL_ROW *row);
enum net_async_status mysql_free_result_nonblocking(MYSQL_RES *result);
enum connect_stage mysql_get_connect_nonblocking_stage(MYSQL *mysql);
enum net_async_status mysql_next_result_nonblocking(MYSQL *mysql);
enum net_async_status mysql_real_connect_nonblocking(MYSQL *mysql, const char *host, const char *user, const char
    *password, const char *schema, unsigned int port, const char *unix_socket, unsigned long client_flag);
enum net_async_status mysql_real_query_nonblocking(MYSQL *mysql, const char *query, unsigned long length);
enum net_async_status mysql_reset_connection_nonblocking(MYSQL *mysql);
enum net_async_status mysql_send_query_nonblocking(MYSQL *mysql, const char *query, unsigned long length);
enum net_async_status mysql_store_result_nonblocking(MYSQL *mysql, MYSQL_RES **result);

/* Binary log. */
int mysql_binlog_open(MYSQL *mysql, MYSQL_RPL *rpl);
int mysql_binlog_fetch(MYSQL *mysql, MYSQL_RPL *rpl);
void mysql_binlog_close(MYSQL *mysql, MYSQL_RPL *rpl);

/* Plugins. */
struct st_mysql_client_plugin *mysql_client_find_plugin(struct MYSQL *mysql, const char *name, int type);
struct st_mysql_client_plugin *mysql_client_register_plugin(struct MYSQL *mysql, struct st_mysql_client_plugin
    *plugin);
struct st_mysql_client_plugin *mysql_load_plugin(struct MYSQL *mysql, const char *name, int type, int argc, ...);
struct st_mysql_client_plugin *mysql_load_plugin_v(struct MYSQL *mysql, const char *name, int type, int argc, va_list
    args);
int mysql_plugin_options(struct st_mysql_client_plugin *plugin, const char *option, const void *value);
int mysql_plugin_get_option(struct st_mysql_client_plugin *plugin, const char *option, void *value);

#ifdef __cplusplus
}
#endif

#endif
