//! Capability flags of the handshake (`CLIENT_*`), 64 bits wide: MariaDB's extended word is the upper half.
//!
//! Numbers as in `mysql_com.h` of both families; the names are theirs without the prefix.

/// Bit 0. MySQL: always set. A MariaDB server that sees it cleared shows its extended capabilities.
pub const LONG_PASSWORD: u64 = 1;
/// Affected rows counts matched rows.
pub const FOUND_ROWS: u64 = 1 << 1;
/// Column flags are two bytes.
pub const LONG_FLAG: u64 = 1 << 2;
/// The login carries a schema.
pub const CONNECT_WITH_DB: u64 = 1 << 3;
/// zlib compression.
pub const COMPRESS: u64 = 1 << 5;
/// LOAD DATA LOCAL may be asked for.
pub const LOCAL_FILES: u64 = 1 << 7;
/// The 4.1 protocol; nothing older is spoken here.
pub const PROTOCOL_41: u64 = 1 << 9;
/// `interactive_timeout` instead of `wait_timeout`.
pub const INTERACTIVE: u64 = 1 << 10;
/// TLS starts after the SSL request.
pub const SSL: u64 = 1 << 11;
/// Client side only: no SIGPIPE. Never one from us anyway.
pub const IGNORE_SIGPIPE: u64 = 1 << 12;
/// Status flags know transactions.
pub const TRANSACTIONS: u64 = 1 << 13;
/// Old 4.1 flag.
pub const RESERVED: u64 = 1 << 14;
/// 20 byte scramble.
pub const SECURE_CONNECTION: u64 = 1 << 15;
/// Several statements in one text.
pub const MULTI_STATEMENTS: u64 = 1 << 16;
/// Several results to one statement.
pub const MULTI_RESULTS: u64 = 1 << 17;
/// The same for prepared statements.
pub const PS_MULTI_RESULTS: u64 = 1 << 18;
/// The login names its authentication method.
pub const PLUGIN_AUTH: u64 = 1 << 19;
/// The login carries attributes.
pub const CONNECT_ATTRS: u64 = 1 << 20;
/// The authentication data in the login has a length-encoded length.
pub const PLUGIN_AUTH_LENENC_CLIENT_DATA: u64 = 1 << 21;
/// Sandbox mode accepted.
pub const CAN_HANDLE_EXPIRED_PASSWORDS: u64 = 1 << 22;
/// OK packets carry session state changes.
pub const SESSION_TRACK: u64 = 1 << 23;
/// OK packets in the place of EOF packets.
pub const DEPRECATE_EOF: u64 = 1 << 24;
/// Column definitions may be left out.
pub const OPTIONAL_RESULTSET_METADATA: u64 = 1 << 25;
/// zstd compression.
pub const ZSTD_COMPRESSION: u64 = 1 << 26;
/// COM_QUERY carries attributes.
pub const QUERY_ATTRIBUTES: u64 = 1 << 27;
/// The login may ask for further factors.
pub const MULTI_FACTOR_AUTHENTICATION: u64 = 1 << 28;
/// Client side only: verify the server's certificate.
pub const SSL_VERIFY_SERVER_CERT: u64 = 1 << 30;
/// Client side only: keep options over `mysql_close`.
pub const REMEMBER_OPTIONS: u64 = 1 << 31;
/// MariaDB: progress reports.
pub const MARIADB_PROGRESS: u64 = 1 << 32;
/// MariaDB: array binding.
pub const MARIADB_STMT_BULK_OPERATIONS: u64 = 1 << 34;
/// MariaDB: column definitions carry type names and formats.
pub const MARIADB_EXTENDED_METADATA: u64 = 1 << 35;
/// MariaDB: column definitions of prepared statements may be left out.
pub const MARIADB_CACHE_METADATA: u64 = 1 << 36;
