//! Numbers of log events. Both servers count the first forty alike, but for what only one of them writes.

#![allow(missing_docs)]

pub const UNKNOWN: u8 = 0;
pub const QUERY: u8 = 2;
pub const STOP: u8 = 3;
pub const ROTATE: u8 = 4;
pub const INT_VARIABLE: u8 = 5;
/// `SLAVE_EVENT`; no server writes it.
pub const REPLICA: u8 = 7;
pub const RANDOM: u8 = 13;
pub const USER_VARIABLE: u8 = 14;
pub const FORMAT_DESCRIPTION: u8 = 15;
pub const XID: u8 = 16;
pub const BEGIN_LOAD_QUERY: u8 = 17;
pub const EXECUTE_LOAD_QUERY: u8 = 18;
pub const TABLE_MAP: u8 = 19;
pub const WRITE_ROWS_V1: u8 = 23;
pub const UPDATE_ROWS_V1: u8 = 24;
pub const DELETE_ROWS_V1: u8 = 25;
pub const HEARTBEAT: u8 = 27;
pub const WRITE_ROWS: u8 = 30;
pub const DELETE_ROWS: u8 = 32;
pub const GTID_LOG: u8 = 33;
pub const ANONYMOUS_GTID_LOG: u8 = 34;
pub const PREVIOUS_GTIDS: u8 = 35;
pub const XA_PREPARE: u8 = 38;
/// MySQL's, with positions of eight bytes.
pub const HEARTBEAT_V2: u8 = 41;
pub const ANNOTATE_ROWS: u8 = 160;
pub const BINLOG_CHECKPOINT: u8 = 161;
pub const GTID: u8 = 162;
pub const GTID_LIST: u8 = 163;
pub const START_ENCRYPTION: u8 = 164;
pub const QUERY_COMPRESSED: u8 = 165;
pub const WRITE_ROWS_COMPRESSED_V1: u8 = 166;
pub const UPDATE_ROWS_COMPRESSED_V1: u8 = 167;
pub const DELETE_ROWS_COMPRESSED_V1: u8 = 168;
pub const WRITE_ROWS_COMPRESSED: u8 = 169;
pub const DELETE_ROWS_COMPRESSED: u8 = 171;

/// Kinds from here on are not known.
pub const END: u8 = 172;
/// The same of MySQL's servers, as Connector/C knows them.
pub const MYSQL_END: u8 = 40;

/// Whoever does not know the event may leave it out.
pub const IGNORABLE_FLAG: u16 = 0x80;
/// The event is not in the log file: the server made it up for the stream.
pub const ARTIFICIAL_FLAG: u16 = 0x20;
