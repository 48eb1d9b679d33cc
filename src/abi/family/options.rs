//! Numbers of `enum mysql_option`, which differ between the families from 14 on: the same number means another option.
//!
//! Facts only. What an option does is decided in `abi/options.rs`.

#![allow(missing_docs)]

/// libmysqlclient 9.7 (8.0.27 ends at 44).
pub mod mysql {
    use std::ffi::c_uint;

    pub const MYSQL_OPT_CONNECT_TIMEOUT: c_uint = 0;
    pub const MYSQL_OPT_COMPRESS: c_uint = 1;
    pub const MYSQL_OPT_NAMED_PIPE: c_uint = 2;
    pub const MYSQL_INIT_COMMAND: c_uint = 3;
    pub const MYSQL_READ_DEFAULT_FILE: c_uint = 4;
    pub const MYSQL_READ_DEFAULT_GROUP: c_uint = 5;
    pub const MYSQL_SET_CHARSET_DIR: c_uint = 6;
    pub const MYSQL_SET_CHARSET_NAME: c_uint = 7;
    pub const MYSQL_OPT_LOCAL_INFILE: c_uint = 8;
    pub const MYSQL_OPT_PROTOCOL: c_uint = 9;
    pub const MYSQL_SHARED_MEMORY_BASE_NAME: c_uint = 10;
    pub const MYSQL_OPT_READ_TIMEOUT: c_uint = 11;
    pub const MYSQL_OPT_WRITE_TIMEOUT: c_uint = 12;
    pub const MYSQL_OPT_USE_RESULT: c_uint = 13;
    pub const MYSQL_REPORT_DATA_TRUNCATION: c_uint = 14;
    pub const MYSQL_OPT_RECONNECT: c_uint = 15;
    pub const MYSQL_PLUGIN_DIR: c_uint = 16;
    pub const MYSQL_DEFAULT_AUTH: c_uint = 17;
    pub const MYSQL_OPT_BIND: c_uint = 18;
    pub const MYSQL_OPT_SSL_KEY: c_uint = 19;
    pub const MYSQL_OPT_SSL_CERT: c_uint = 20;
    pub const MYSQL_OPT_SSL_CA: c_uint = 21;
    pub const MYSQL_OPT_SSL_CAPATH: c_uint = 22;
    pub const MYSQL_OPT_SSL_CIPHER: c_uint = 23;
    pub const MYSQL_OPT_SSL_CRL: c_uint = 24;
    pub const MYSQL_OPT_SSL_CRLPATH: c_uint = 25;
    pub const MYSQL_OPT_CONNECT_ATTR_RESET: c_uint = 26;
    pub const MYSQL_OPT_CONNECT_ATTR_ADD: c_uint = 27;
    pub const MYSQL_OPT_CONNECT_ATTR_DELETE: c_uint = 28;
    pub const MYSQL_SERVER_PUBLIC_KEY: c_uint = 29;
    pub const MYSQL_ENABLE_CLEARTEXT_PLUGIN: c_uint = 30;
    pub const MYSQL_OPT_CAN_HANDLE_EXPIRED_PASSWORDS: c_uint = 31;
    pub const MYSQL_OPT_MAX_ALLOWED_PACKET: c_uint = 32;
    pub const MYSQL_OPT_NET_BUFFER_LENGTH: c_uint = 33;
    pub const MYSQL_OPT_TLS_VERSION: c_uint = 34;
    pub const MYSQL_OPT_SSL_MODE: c_uint = 35;
    pub const MYSQL_OPT_GET_SERVER_PUBLIC_KEY: c_uint = 36;
    pub const MYSQL_OPT_RETRY_COUNT: c_uint = 37;
    pub const MYSQL_OPT_OPTIONAL_RESULTSET_METADATA: c_uint = 38;
    pub const MYSQL_OPT_SSL_FIPS_MODE: c_uint = 39;
    pub const MYSQL_OPT_TLS_CIPHERSUITES: c_uint = 40;
    pub const MYSQL_OPT_COMPRESSION_ALGORITHMS: c_uint = 41;
    pub const MYSQL_OPT_ZSTD_COMPRESSION_LEVEL: c_uint = 42;
    pub const MYSQL_OPT_LOAD_DATA_LOCAL_DIR: c_uint = 43;
    pub const MYSQL_OPT_USER_PASSWORD: c_uint = 44;
    pub const MYSQL_OPT_SSL_SESSION_DATA: c_uint = 45;
    pub const MYSQL_OPT_TLS_SNI_SERVERNAME: c_uint = 46;
}

/// Connector/C 3.4 (3.3 has no 7030 to 7032).
pub mod mariadb {
    use std::ffi::c_uint;

    pub const MYSQL_OPT_CONNECT_TIMEOUT: c_uint = 0;
    pub const MYSQL_OPT_COMPRESS: c_uint = 1;
    pub const MYSQL_OPT_NAMED_PIPE: c_uint = 2;
    pub const MYSQL_INIT_COMMAND: c_uint = 3;
    pub const MYSQL_READ_DEFAULT_FILE: c_uint = 4;
    pub const MYSQL_READ_DEFAULT_GROUP: c_uint = 5;
    pub const MYSQL_SET_CHARSET_DIR: c_uint = 6;
    pub const MYSQL_SET_CHARSET_NAME: c_uint = 7;
    pub const MYSQL_OPT_LOCAL_INFILE: c_uint = 8;
    pub const MYSQL_OPT_PROTOCOL: c_uint = 9;
    pub const MYSQL_SHARED_MEMORY_BASE_NAME: c_uint = 10;
    pub const MYSQL_OPT_READ_TIMEOUT: c_uint = 11;
    pub const MYSQL_OPT_WRITE_TIMEOUT: c_uint = 12;
    pub const MYSQL_OPT_USE_RESULT: c_uint = 13;
    pub const MYSQL_OPT_USE_REMOTE_CONNECTION: c_uint = 14;
    pub const MYSQL_OPT_USE_EMBEDDED_CONNECTION: c_uint = 15;
    pub const MYSQL_OPT_GUESS_CONNECTION: c_uint = 16;
    pub const MYSQL_SET_CLIENT_IP: c_uint = 17;
    pub const MYSQL_SECURE_AUTH: c_uint = 18;
    pub const MYSQL_REPORT_DATA_TRUNCATION: c_uint = 19;
    pub const MYSQL_OPT_RECONNECT: c_uint = 20;
    pub const MYSQL_OPT_SSL_VERIFY_SERVER_CERT: c_uint = 21;
    pub const MYSQL_PLUGIN_DIR: c_uint = 22;
    pub const MYSQL_DEFAULT_AUTH: c_uint = 23;
    pub const MYSQL_OPT_BIND: c_uint = 24;
    pub const MYSQL_OPT_SSL_KEY: c_uint = 25;
    pub const MYSQL_OPT_SSL_CERT: c_uint = 26;
    pub const MYSQL_OPT_SSL_CA: c_uint = 27;
    pub const MYSQL_OPT_SSL_CAPATH: c_uint = 28;
    pub const MYSQL_OPT_SSL_CIPHER: c_uint = 29;
    pub const MYSQL_OPT_SSL_CRL: c_uint = 30;
    pub const MYSQL_OPT_SSL_CRLPATH: c_uint = 31;
    pub const MYSQL_OPT_CONNECT_ATTR_RESET: c_uint = 32;
    pub const MYSQL_OPT_CONNECT_ATTR_ADD: c_uint = 33;
    pub const MYSQL_OPT_CONNECT_ATTR_DELETE: c_uint = 34;
    pub const MYSQL_SERVER_PUBLIC_KEY: c_uint = 35;
    pub const MYSQL_ENABLE_CLEARTEXT_PLUGIN: c_uint = 36;
    pub const MYSQL_OPT_CAN_HANDLE_EXPIRED_PASSWORDS: c_uint = 37;
    pub const MYSQL_OPT_SSL_ENFORCE: c_uint = 38;
    pub const MYSQL_OPT_MAX_ALLOWED_PACKET: c_uint = 39;
    pub const MYSQL_OPT_NET_BUFFER_LENGTH: c_uint = 40;
    pub const MYSQL_OPT_TLS_VERSION: c_uint = 41;
    pub const MYSQL_OPT_ZSTD_COMPRESSION_LEVEL: c_uint = 42;
    pub const MYSQL_PROGRESS_CALLBACK: c_uint = 5999;
    pub const MYSQL_OPT_NONBLOCK: c_uint = 6000;
    pub const MYSQL_DATABASE_DRIVER: c_uint = 7000;
    pub const MARIADB_OPT_SSL_FP: c_uint = 7001;
    pub const MARIADB_OPT_SSL_FP_LIST: c_uint = 7002;
    pub const MARIADB_OPT_TLS_PASSPHRASE: c_uint = 7003;
    pub const MARIADB_OPT_TLS_CIPHER_STRENGTH: c_uint = 7004;
    pub const MARIADB_OPT_TLS_VERSION: c_uint = 7005;
    pub const MARIADB_OPT_TLS_PEER_FP: c_uint = 7006;
    pub const MARIADB_OPT_TLS_PEER_FP_LIST: c_uint = 7007;
    pub const MARIADB_OPT_CONNECTION_READ_ONLY: c_uint = 7008;
    pub const MYSQL_OPT_CONNECT_ATTRS: c_uint = 7009;
    pub const MARIADB_OPT_USERDATA: c_uint = 7010;
    pub const MARIADB_OPT_CONNECTION_HANDLER: c_uint = 7011;
    pub const MARIADB_OPT_PORT: c_uint = 7012;
    pub const MARIADB_OPT_UNIXSOCKET: c_uint = 7013;
    pub const MARIADB_OPT_PASSWORD: c_uint = 7014;
    pub const MARIADB_OPT_HOST: c_uint = 7015;
    pub const MARIADB_OPT_USER: c_uint = 7016;
    pub const MARIADB_OPT_SCHEMA: c_uint = 7017;
    pub const MARIADB_OPT_DEBUG: c_uint = 7018;
    pub const MARIADB_OPT_FOUND_ROWS: c_uint = 7019;
    pub const MARIADB_OPT_MULTI_RESULTS: c_uint = 7020;
    pub const MARIADB_OPT_MULTI_STATEMENTS: c_uint = 7021;
    pub const MARIADB_OPT_INTERACTIVE: c_uint = 7022;
    pub const MARIADB_OPT_PROXY_HEADER: c_uint = 7023;
    pub const MARIADB_OPT_IO_WAIT: c_uint = 7024;
    pub const MARIADB_OPT_SKIP_READ_RESPONSE: c_uint = 7025;
    pub const MARIADB_OPT_RESTRICTED_AUTH: c_uint = 7026;
    pub const MARIADB_OPT_RPL_REGISTER_REPLICA: c_uint = 7027;
    pub const MARIADB_OPT_STATUS_CALLBACK: c_uint = 7028;
    pub const MARIADB_OPT_SERVER_PLUGINS: c_uint = 7029;
    pub const MARIADB_OPT_BULK_UNIT_RESULTS: c_uint = 7030;
    pub const MARIADB_OPT_TLS_VERIFICATION_CALLBACK: c_uint = 7031;
    pub const MARIADB_OPT_MAX_COLUMNS: c_uint = 7032;
}
