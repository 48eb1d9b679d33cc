//! Numbers of the protocol and of the API that are the same in both families, and those that only one of them has.
//!
//! Facts only. `mysql_option` is in `options`, `CR_*` in `errors`.

#![allow(missing_docs)]

/// `enum enum_field_types`.
pub mod field_type {
    use std::ffi::c_uint;

    pub const MYSQL_TYPE_DECIMAL: c_uint = 0;
    pub const MYSQL_TYPE_TINY: c_uint = 1;
    pub const MYSQL_TYPE_SHORT: c_uint = 2;
    pub const MYSQL_TYPE_LONG: c_uint = 3;
    pub const MYSQL_TYPE_FLOAT: c_uint = 4;
    pub const MYSQL_TYPE_DOUBLE: c_uint = 5;
    pub const MYSQL_TYPE_NULL: c_uint = 6;
    pub const MYSQL_TYPE_TIMESTAMP: c_uint = 7;
    pub const MYSQL_TYPE_LONGLONG: c_uint = 8;
    pub const MYSQL_TYPE_INT24: c_uint = 9;
    pub const MYSQL_TYPE_DATE: c_uint = 10;
    pub const MYSQL_TYPE_TIME: c_uint = 11;
    pub const MYSQL_TYPE_DATETIME: c_uint = 12;
    pub const MYSQL_TYPE_YEAR: c_uint = 13;
    pub const MYSQL_TYPE_NEWDATE: c_uint = 14;
    pub const MYSQL_TYPE_VARCHAR: c_uint = 15;
    pub const MYSQL_TYPE_BIT: c_uint = 16;
    pub const MYSQL_TYPE_TIMESTAMP2: c_uint = 17;
    pub const MYSQL_TYPE_DATETIME2: c_uint = 18;
    pub const MYSQL_TYPE_TIME2: c_uint = 19;
    pub const MYSQL_TYPE_TYPED_ARRAY: c_uint = 20;
    pub const MYSQL_TYPE_VECTOR: c_uint = 242;
    pub const MYSQL_TYPE_INVALID: c_uint = 243;
    pub const MYSQL_TYPE_BOOL: c_uint = 244;
    pub const MYSQL_TYPE_JSON: c_uint = 245;
    pub const MYSQL_TYPE_NEWDECIMAL: c_uint = 246;
    pub const MYSQL_TYPE_ENUM: c_uint = 247;
    pub const MYSQL_TYPE_SET: c_uint = 248;
    pub const MYSQL_TYPE_TINY_BLOB: c_uint = 249;
    pub const MYSQL_TYPE_MEDIUM_BLOB: c_uint = 250;
    pub const MYSQL_TYPE_LONG_BLOB: c_uint = 251;
    pub const MYSQL_TYPE_BLOB: c_uint = 252;
    pub const MYSQL_TYPE_VAR_STRING: c_uint = 253;
    pub const MYSQL_TYPE_STRING: c_uint = 254;
    pub const MYSQL_TYPE_GEOMETRY: c_uint = 255;
    pub const MAX_NO_FIELD_TYPES: c_uint = 256;
}

/// `enum mysql_status`, the values of `MYSQL.status`; from 3 on the families differ, and no client reads them.
pub mod status {
    use std::ffi::c_uint;

    pub const MYSQL_STATUS_READY: c_uint = 0;
    pub const MYSQL_STATUS_GET_RESULT: c_uint = 1;
    pub const MYSQL_STATUS_USE_RESULT: c_uint = 2;
    pub const MYSQL_STATUS_STATEMENT_GET_RESULT: c_uint = 3;
    pub const MYSQL_STATUS_QUERY_SENT: c_uint = 3;
    pub const MYSQL_STATUS_SENDING_LOAD_DATA: c_uint = 4;
    pub const MYSQL_STATUS_FETCHING_DATA: c_uint = 5;
    pub const MYSQL_STATUS_NEXT_RESULT_PENDING: c_uint = 6;
    pub const MYSQL_STATUS_QUIT_SENT: c_uint = 7;
    pub const MYSQL_STATUS_STMT_RESULT: c_uint = 8;
}

/// `enum enum_session_state_type`.
pub mod session_state {
    use std::ffi::c_uint;

    pub const SESSION_TRACK_SYSTEM_VARIABLES: c_uint = 0;
    pub const SESSION_TRACK_SCHEMA: c_uint = 1;
    pub const SESSION_TRACK_STATE_CHANGE: c_uint = 2;
    pub const SESSION_TRACK_GTIDS: c_uint = 3;
    pub const SESSION_TRACK_TRANSACTION_CHARACTERISTICS: c_uint = 4;
    pub const SESSION_TRACK_TRANSACTION_STATE: c_uint = 5;
}

/// `enum enum_mysql_set_option`.
pub mod set_option {
    use std::ffi::c_uint;

    pub const MYSQL_OPTION_MULTI_STATEMENTS_ON: c_uint = 0;
    pub const MYSQL_OPTION_MULTI_STATEMENTS_OFF: c_uint = 1;
}

/// `enum mysql_enum_shutdown_level`.
pub mod shutdown {
    use std::ffi::c_uint;

    pub const SHUTDOWN_DEFAULT: c_uint = 0;
    pub const SHUTDOWN_WAIT_CONNECTIONS: c_uint = 1;
    pub const SHUTDOWN_WAIT_TRANSACTIONS: c_uint = 2;
    pub const SHUTDOWN_WAIT_UPDATES: c_uint = 8;
    pub const SHUTDOWN_WAIT_ALL_BUFFERS: c_uint = 16;
    pub const SHUTDOWN_WAIT_CRITICAL_BUFFERS: c_uint = 17;
    pub const KILL_QUERY: c_uint = 254;
    pub const KILL_CONNECTION: c_uint = 255;
}

/// `enum net_async_status`: results of the `_nonblocking` functions (MySQL family).
pub mod net_async {
    use std::ffi::c_uint;

    pub const NET_ASYNC_COMPLETE: c_uint = 0;
    pub const NET_ASYNC_NOT_READY: c_uint = 1;
    pub const NET_ASYNC_ERROR: c_uint = 2;
    pub const NET_ASYNC_COMPLETE_NO_MORE_RESULTS: c_uint = 3;
}

/// `enum connect_stage` (MySQL family).
pub mod connect_stage {
    use std::ffi::c_uint;

    pub const CONNECT_STAGE_INVALID: c_uint = 0;
    pub const CONNECT_STAGE_NOT_STARTED: c_uint = 1;
    pub const CONNECT_STAGE_NET_BEGIN_CONNECT: c_uint = 2;
    pub const CONNECT_STAGE_NET_WAIT_CONNECT: c_uint = 3;
    pub const CONNECT_STAGE_NET_COMPLETE_CONNECT: c_uint = 4;
    pub const CONNECT_STAGE_READ_GREETING: c_uint = 5;
    pub const CONNECT_STAGE_PARSE_HANDSHAKE: c_uint = 6;
    pub const CONNECT_STAGE_ESTABLISH_SSL: c_uint = 7;
    pub const CONNECT_STAGE_AUTHENTICATE: c_uint = 8;
    pub const CONNECT_STAGE_AUTH_BEGIN: c_uint = 9;
    pub const CONNECT_STAGE_AUTH_RUN_FIRST_AUTHENTICATE_USER: c_uint = 10;
    pub const CONNECT_STAGE_AUTH_HANDLE_FIRST_AUTHENTICATE_USER: c_uint = 11;
    pub const CONNECT_STAGE_AUTH_READ_CHANGE_USER_RESULT: c_uint = 12;
    pub const CONNECT_STAGE_AUTH_HANDLE_CHANGE_USER_REQUEST: c_uint = 13;
    pub const CONNECT_STAGE_AUTH_RUN_SECOND_AUTHENTICATE_USER: c_uint = 14;
    pub const CONNECT_STAGE_AUTH_INIT_MULTI_AUTH: c_uint = 15;
    pub const CONNECT_STAGE_AUTH_FINISH_AUTH: c_uint = 16;
    pub const CONNECT_STAGE_AUTH_HANDLE_SECOND_AUTHENTICATE_USER: c_uint = 17;
    pub const CONNECT_STAGE_AUTH_DO_MULTI_PLUGIN_AUTH: c_uint = 18;
    pub const CONNECT_STAGE_AUTH_HANDLE_MULTI_AUTH_RESPONSE: c_uint = 19;
    pub const CONNECT_STAGE_PREP_SELECT_DATABASE: c_uint = 20;
    pub const CONNECT_STAGE_PREP_INIT_COMMANDS: c_uint = 21;
    pub const CONNECT_STAGE_SEND_ONE_INIT_COMMAND: c_uint = 22;
    pub const CONNECT_STAGE_COMPLETE: c_uint = 23;
}

/// `enum mysql_protocol_type`.
pub mod protocol {
    use std::ffi::c_uint;

    pub const MYSQL_PROTOCOL_DEFAULT: c_uint = 0;
    pub const MYSQL_PROTOCOL_TCP: c_uint = 1;
    pub const MYSQL_PROTOCOL_SOCKET: c_uint = 2;
    pub const MYSQL_PROTOCOL_PIPE: c_uint = 3;
    pub const MYSQL_PROTOCOL_MEMORY: c_uint = 4;
}

/// `enum mysql_ssl_mode` (MySQL family).
pub mod ssl_mode {
    use std::ffi::c_uint;

    pub const SSL_MODE_DISABLED: c_uint = 1;
    pub const SSL_MODE_PREFERRED: c_uint = 2;
    pub const SSL_MODE_REQUIRED: c_uint = 3;
    pub const SSL_MODE_VERIFY_CA: c_uint = 4;
    pub const SSL_MODE_VERIFY_IDENTITY: c_uint = 5;
    pub const SSL_FIPS_MODE_OFF: c_uint = 0;
    pub const SSL_FIPS_MODE_ON: c_uint = 1;
    pub const SSL_FIPS_MODE_STRICT: c_uint = 2;
}

/// `enum enum_stmt_attr_type`.
pub mod stmt_attr {
    use std::ffi::c_uint;

    pub const STMT_ATTR_UPDATE_MAX_LENGTH: c_uint = 0;
    pub const STMT_ATTR_CURSOR_TYPE: c_uint = 1;
    pub const STMT_ATTR_PREFETCH_ROWS: c_uint = 2;
    pub const STMT_ATTR_PREBIND_PARAMS: c_uint = 200;
    pub const STMT_ATTR_ARRAY_SIZE: c_uint = 201;
    pub const STMT_ATTR_ROW_SIZE: c_uint = 202;
    pub const STMT_ATTR_STATE: c_uint = 203;
    pub const STMT_ATTR_CB_USER_DATA: c_uint = 204;
    pub const STMT_ATTR_CB_PARAM: c_uint = 205;
    pub const STMT_ATTR_CB_RESULT: c_uint = 206;
    pub const STMT_ATTR_SQL_STATEMENT: c_uint = 207;
    pub const CURSOR_TYPE_NO_CURSOR: c_uint = 0;
    pub const CURSOR_TYPE_READ_ONLY: c_uint = 1;
    pub const CURSOR_TYPE_FOR_UPDATE: c_uint = 2;
    pub const CURSOR_TYPE_SCROLLABLE: c_uint = 4;
    pub const PARAMETER_COUNT_AVAILABLE: c_uint = 8;
}

/// `enum enum_resultset_metadata` (MySQL family).
pub mod resultset_metadata {
    use std::ffi::c_uint;

    pub const RESULTSET_METADATA_NONE: c_uint = 0;
    pub const RESULTSET_METADATA_FULL: c_uint = 1;
}

/// `enum mariadb_value`: what `mariadb_get_infov` is asked for.
pub mod mariadb_value {
    use std::ffi::c_uint;

    pub const MARIADB_CHARSET_ID: c_uint = 0;
    pub const MARIADB_CHARSET_NAME: c_uint = 1;
    pub const MARIADB_CLIENT_ERRORS: c_uint = 2;
    pub const MARIADB_CLIENT_VERSION: c_uint = 3;
    pub const MARIADB_CLIENT_VERSION_ID: c_uint = 4;
    pub const MARIADB_CONNECTION_ASYNC_TIMEOUT: c_uint = 5;
    pub const MARIADB_CONNECTION_ASYNC_TIMEOUT_MS: c_uint = 6;
    pub const MARIADB_CONNECTION_MARIADB_CHARSET_INFO: c_uint = 7;
    pub const MARIADB_CONNECTION_ERROR: c_uint = 8;
    pub const MARIADB_CONNECTION_ERROR_ID: c_uint = 9;
    pub const MARIADB_CONNECTION_HOST: c_uint = 10;
    pub const MARIADB_CONNECTION_INFO: c_uint = 11;
    pub const MARIADB_CONNECTION_PORT: c_uint = 12;
    pub const MARIADB_CONNECTION_PROTOCOL_VERSION_ID: c_uint = 13;
    pub const MARIADB_CONNECTION_PVIO_TYPE: c_uint = 14;
    pub const MARIADB_CONNECTION_SCHEMA: c_uint = 15;
    pub const MARIADB_CONNECTION_SERVER_TYPE: c_uint = 16;
    pub const MARIADB_CONNECTION_SERVER_VERSION: c_uint = 17;
    pub const MARIADB_CONNECTION_SERVER_VERSION_ID: c_uint = 18;
    pub const MARIADB_CONNECTION_SOCKET: c_uint = 19;
    pub const MARIADB_CONNECTION_SQLSTATE: c_uint = 20;
    pub const MARIADB_CONNECTION_SSL_CIPHER: c_uint = 21;
    pub const MARIADB_TLS_LIBRARY: c_uint = 22;
    pub const MARIADB_CONNECTION_TLS_VERSION: c_uint = 23;
    pub const MARIADB_CONNECTION_TLS_VERSION_ID: c_uint = 24;
    pub const MARIADB_CONNECTION_TYPE: c_uint = 25;
    pub const MARIADB_CONNECTION_UNIX_SOCKET: c_uint = 26;
    pub const MARIADB_CONNECTION_USER: c_uint = 27;
    pub const MARIADB_MAX_ALLOWED_PACKET: c_uint = 28;
    pub const MARIADB_NET_BUFFER_LENGTH: c_uint = 29;
    pub const MARIADB_CONNECTION_SERVER_STATUS: c_uint = 30;
    pub const MARIADB_CONNECTION_SERVER_CAPABILITIES: c_uint = 31;
    pub const MARIADB_CONNECTION_EXTENDED_SERVER_CAPABILITIES: c_uint = 32;
    pub const MARIADB_CONNECTION_CLIENT_CAPABILITIES: c_uint = 33;
    pub const MARIADB_CONNECTION_BYTES_READ: c_uint = 34;
    pub const MARIADB_CONNECTION_BYTES_SENT: c_uint = 35;
    pub const MARIADB_TLS_PEER_CERT_INFO: c_uint = 36;
    pub const MARIADB_TLS_VERIFY_STATUS: c_uint = 37;
}

/// `enum enum_mysql_timestamp_type`.
pub mod time_type {
    use std::ffi::c_int;

    pub const MYSQL_TIMESTAMP_NONE: c_int = -2;
    pub const MYSQL_TIMESTAMP_ERROR: c_int = -1;
    pub const MYSQL_TIMESTAMP_DATE: c_int = 0;
    pub const MYSQL_TIMESTAMP_DATETIME: c_int = 1;
    pub const MYSQL_TIMESTAMP_TIME: c_int = 2;
    pub const MYSQL_TIMESTAMP_DATETIME_TZ: c_int = 3;
}

/// `CLIENT_*`: capabilities. Those above bit 31 are the MariaDB family's extended word.
pub mod client_flag {
    /// MySQL: modern password; bit 0. A MariaDB server sees bit 0 set as "speaks to a MySQL-style peer" (no extended capabilities)
    pub const CLIENT_LONG_PASSWORD: u64 = 1;
    /// MariaDB name of bit 0: unset by the MariaDB client to ask for the extended capability word
    pub const CLIENT_MYSQL: u64 = 1;
    /// Affected rows counts matched rows
    pub const CLIENT_FOUND_ROWS: u64 = 2;
    /// Column flags are two bytes
    pub const CLIENT_LONG_FLAG: u64 = 4;
    /// Handshake reply carries a schema
    pub const CLIENT_CONNECT_WITH_DB: u64 = 8;
    /// Forbid db.table.column
    pub const CLIENT_NO_SCHEMA: u64 = 16;
    /// Zlib packet compression
    pub const CLIENT_COMPRESS: u64 = 32;
    /// ODBC client
    pub const CLIENT_ODBC: u64 = 64;
    /// Client allows LOCAL INFILE
    pub const CLIENT_LOCAL_FILES: u64 = 128;
    /// Parser ignores space before (
    pub const CLIENT_IGNORE_SPACE: u64 = 256;
    /// 4.1 protocol
    pub const CLIENT_PROTOCOL_41: u64 = 512;
    /// Use interactive_timeout
    pub const CLIENT_INTERACTIVE: u64 = 1024;
    /// Switch to TLS after the handshake packet
    pub const CLIENT_SSL: u64 = 2048;
    /// Client-side: do not raise SIGPIPE
    pub const CLIENT_IGNORE_SIGPIPE: u64 = 4096;
    /// Client knows transaction status
    pub const CLIENT_TRANSACTIONS: u64 = 8192;
    /// Old 4.1 flag
    pub const CLIENT_RESERVED: u64 = 16384;
    /// Old secure-connection flag (same bit as CLIENT_SECURE_CONNECTION)
    pub const CLIENT_RESERVED2: u64 = 32768;
    /// 4.1 authentication
    pub const CLIENT_SECURE_CONNECTION: u64 = 32768;
    /// Old name of CLIENT_MULTI_STATEMENTS
    pub const CLIENT_MULTI_QUERIES: u64 = 65536;
    /// Several statements in a query
    pub const CLIENT_MULTI_STATEMENTS: u64 = 65536;
    /// Several result sets
    pub const CLIENT_MULTI_RESULTS: u64 = 131072;
    /// Several result sets in prepared statements
    pub const CLIENT_PS_MULTI_RESULTS: u64 = 262144;
    /// Pluggable authentication
    pub const CLIENT_PLUGIN_AUTH: u64 = 524288;
    /// Connection attributes sent
    pub const CLIENT_CONNECT_ATTRS: u64 = 1048576;
    /// Auth data longer than 255 allowed
    pub const CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA: u64 = 2097152;
    /// Sandbox mode accepted
    pub const CLIENT_CAN_HANDLE_EXPIRED_PASSWORDS: u64 = 4194304;
    /// OK packet carries session state
    pub const CLIENT_SESSION_TRACK: u64 = 8388608;
    /// MariaDB spelling of CLIENT_SESSION_TRACK
    pub const CLIENT_SESSION_TRACKING: u64 = 8388608;
    /// EOF packets replaced by OK packets
    pub const CLIENT_DEPRECATE_EOF: u64 = 16777216;
    /// Column metadata may be skipped
    pub const CLIENT_OPTIONAL_RESULTSET_METADATA: u64 = 33554432;
    /// MariaDB spelling of the zstd flag
    pub const CLIENT_ZSTD_COMPRESSION: u64 = 67108864;
    /// Zstd packet compression
    pub const CLIENT_ZSTD_COMPRESSION_ALGORITHM: u64 = 67108864;
    /// Query attributes in COM_QUERY and COM_STMT_EXECUTE
    pub const CLIENT_QUERY_ATTRIBUTES: u64 = 134217728;
    /// More than one authentication factor
    pub const MULTI_FACTOR_AUTHENTICATION: u64 = 268435456;
    /// Reserved for extending the flags; MariaDB uses the same bit for progress
    pub const CLIENT_CAPABILITY_EXTENSION: u64 = 536870912;
    /// MariaDB progress reports (old bit)
    pub const CLIENT_PROGRESS: u64 = 536870912;
    /// MariaDB progress reports (old bit)
    pub const CLIENT_PROGRESS_OBSOLETE: u64 = 536870912;
    /// Client-side: verify the server certificate
    pub const CLIENT_SSL_VERIFY_SERVER_CERT: u64 = 1073741824;
    /// Old name
    pub const CLIENT_SSL_VERIFY_SERVER_CERT_OBSOLETE: u64 = 1073741824;
    /// Client-side: keep options after a failed connect
    pub const CLIENT_REMEMBER_OPTIONS: u64 = 2147483648;
    /// Extended word bit 32: progress
    pub const MARIADB_CLIENT_PROGRESS: u64 = 4294967296;
    /// Extended word bit 33
    pub const MARIADB_CLIENT_RESERVED_1: u64 = 8589934592;
    /// Extended word bit 34: bulk execute
    pub const MARIADB_CLIENT_STMT_BULK_OPERATIONS: u64 = 17179869184;
    /// Extended word bit 35: extra column type names
    pub const MARIADB_CLIENT_EXTENDED_METADATA: u64 = 34359738368;
    /// Extended word bit 36: skip unchanged statement metadata
    pub const MARIADB_CLIENT_CACHE_METADATA: u64 = 68719476736;
    /// Extended word bit 37: per-row results of bulk execute
    pub const MARIADB_CLIENT_BULK_UNIT_RESULTS: u64 = 137438953472;
}

/// `SERVER_*`: bits of `MYSQL.server_status`.
pub mod server_status {
    use std::ffi::c_uint;

    /// Transaction open
    pub const SERVER_STATUS_IN_TRANS: c_uint = 1;
    /// Autocommit on
    pub const SERVER_STATUS_AUTOCOMMIT: c_uint = 2;
    /// More result sets follow (MariaDB spelling)
    pub const SERVER_MORE_RESULTS_EXIST: c_uint = 8;
    /// More result sets follow (MySQL spelling)
    pub const SERVER_MORE_RESULTS_EXISTS: c_uint = 8;
    /// No good index
    pub const SERVER_QUERY_NO_GOOD_INDEX_USED: c_uint = 16;
    /// No index
    pub const SERVER_QUERY_NO_INDEX_USED: c_uint = 32;
    /// Server cursor open
    pub const SERVER_STATUS_CURSOR_EXISTS: c_uint = 64;
    /// Cursor exhausted
    pub const SERVER_STATUS_LAST_ROW_SENT: c_uint = 128;
    /// Database dropped
    pub const SERVER_STATUS_DB_DROPPED: c_uint = 256;
    /// Sql_mode NO_BACKSLASH_ESCAPES active: escaping must double quotes
    pub const SERVER_STATUS_NO_BACKSLASH_ESCAPES: c_uint = 512;
    /// Re-prepare changed metadata
    pub const SERVER_STATUS_METADATA_CHANGED: c_uint = 1024;
    /// Slow query
    pub const SERVER_QUERY_WAS_SLOW: c_uint = 2048;
    /// This result set holds OUT parameters
    pub const SERVER_PS_OUT_PARAMS: c_uint = 4096;
    /// Read-only transaction
    pub const SERVER_STATUS_IN_TRANS_READONLY: c_uint = 8192;
    /// Session state info in OK packet
    pub const SERVER_SESSION_STATE_CHANGED: c_uint = 16384;
    pub const SERVER_STATUS_CLEAR_SET: c_uint = 19960;
    /// ANSI_QUOTES active (MariaDB)
    pub const SERVER_STATUS_ANSI_QUOTES: c_uint = 32768;
}

/// Bits of `MYSQL_FIELD.flags`.
pub mod field_flag {
    use std::ffi::c_uint;

    pub const PROXY_FLAG: c_uint = 0;
    pub const NOT_NULL_FLAG: c_uint = 1;
    pub const PRI_KEY_FLAG: c_uint = 2;
    pub const UNIQUE_KEY_FLAG: c_uint = 4;
    pub const MULTIPLE_KEY_FLAG: c_uint = 8;
    pub const BLOB_FLAG: c_uint = 16;
    pub const FIELD_FLAGS_STORAGE_MEDIA: c_uint = 22;
    pub const FIELD_FLAGS_COLUMN_FORMAT: c_uint = 24;
    pub const UNSIGNED_FLAG: c_uint = 32;
    pub const ZEROFILL_FLAG: c_uint = 64;
    pub const BINARY_FLAG: c_uint = 128;
    pub const ENUM_FLAG: c_uint = 256;
    pub const AUTO_INCREMENT_FLAG: c_uint = 512;
    pub const TIMESTAMP_FLAG: c_uint = 1024;
    pub const SET_FLAG: c_uint = 2048;
    pub const NO_DEFAULT_VALUE_FLAG: c_uint = 4096;
    pub const ON_UPDATE_NOW_FLAG: c_uint = 8192;
    pub const PART_KEY_FLAG: c_uint = 16384;
    pub const NUM_FLAG: c_uint = 32768;
    pub const UNIQUE_FLAG: c_uint = 65536;
    pub const BINCMP_FLAG: c_uint = 131072;
    pub const GET_FIXED_FIELDS_FLAG: c_uint = 262144;
    pub const FIELD_IN_PART_FUNC_FLAG: c_uint = 524288;
    pub const FIELD_IN_ADD_INDEX: c_uint = 1048576;
    pub const FIELD_IS_RENAMED: c_uint = 2097152;
    pub const FIELD_FLAGS_STORAGE_MEDIA_MASK: c_uint = 12582912;
    pub const FIELD_FLAGS_COLUMN_FORMAT_MASK: c_uint = 50331648;
    pub const FIELD_IS_DROPPED: c_uint = 67108864;
    pub const EXPLICIT_NULL_FLAG: c_uint = 134217728;
    pub const GROUP_FLAG: c_uint = 268435456;
    pub const NOT_SECONDARY_FLAG: c_uint = 536870912;
    pub const FIELD_IS_INVISIBLE: c_uint = 1073741824;
}

/// Bits for `mysql_refresh`.
pub mod refresh {
    use std::ffi::c_uint;

    pub const REFRESH_GRANT: c_uint = 1;
    pub const REFRESH_LOG: c_uint = 2;
    pub const REFRESH_TABLES: c_uint = 4;
    pub const REFRESH_HOSTS: c_uint = 8;
    pub const UNUSED_8: c_uint = 8;
    pub const REFRESH_STATUS: c_uint = 16;
    pub const REFRESH_THREADS: c_uint = 32;
    pub const UNUSED_32: c_uint = 32;
    pub const REFRESH_REPLICA: c_uint = 64;
    pub const REFRESH_SLAVE: c_uint = 64;
    pub const REFRESH_MASTER: c_uint = 128;
    pub const REFRESH_SOURCE: c_uint = 128;
    pub const REFRESH_ERROR_LOG: c_uint = 256;
    pub const REFRESH_ENGINE_LOG: c_uint = 512;
    pub const REFRESH_BINARY_LOG: c_uint = 1024;
    pub const REFRESH_RELAY_LOG: c_uint = 2048;
    pub const REFRESH_GENERAL_LOG: c_uint = 4096;
    pub const REFRESH_SLOW_LOG: c_uint = 8192;
    pub const REFRESH_READ_LOCK: c_uint = 16384;
    pub const REFRESH_FAST: c_uint = 32768;
    pub const REFRESH_USER_RESOURCES: c_uint = 524288;
    pub const REFRESH_FOR_EXPORT: c_uint = 1048576;
    pub const REFRESH_OPTIMIZER_COSTS: c_uint = 2097152;
    pub const REFRESH_PERSIST: c_uint = 4194304;
}

/// Results of `mysql_stmt_fetch`.
pub mod fetch_result {
    use std::ffi::c_int;

    pub const MYSQL_NO_DATA: c_int = 100;
    pub const MYSQL_DATA_TRUNCATED: c_int = 101;
    pub const MYSQL_DATA_MALFORMED: c_int = 102;
}

/// Bits of the `_start` and `_cont` functions (MariaDB family).
pub mod wait {
    use std::ffi::c_int;

    /// Bit of the status word of the _start/_cont functions
    pub const MYSQL_WAIT_READ: c_int = 1;
    /// Bit of the status word of the _start/_cont functions
    pub const MYSQL_WAIT_WRITE: c_int = 2;
    /// Bit of the status word of the _start/_cont functions
    pub const MYSQL_WAIT_EXCEPT: c_int = 4;
    /// Bit of the status word of the _start/_cont functions
    pub const MYSQL_WAIT_TIMEOUT: c_int = 8;
}
