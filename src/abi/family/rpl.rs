//! The C structs of Connector/C's `mariadb_rpl.h`, 3.3.20: a binary log being read, its events, rows of them.
//!
//! Facts only; touches no memory. Older programs know a shorter [`Rpl`] and take what it holds from the same places.

use super::{layout, mariadb};
use std::ffi::{c_char, c_uchar, c_uint, c_ulong, c_void};

layout! {
    /// `MARIADB_STRING`, and `MARIADB_CONST_DATA`, which is laid out alike.
    pub struct Text: 16, 8 {
        0 => str: *mut c_char,
        8 => length: usize,
    }
}

layout! {
    /// `MARIADB_RPL`: a log being read. Always ours; programs write some of its fields.
    pub struct Rpl: 792, 8 {
        0 => version: c_uint,
        8 => mysql: *mut mariadb::Mysql,
        16 => filename: *mut c_char,
        24 => filename_length: u32,
        28 => server_id: u32,
        32 => start_position: c_ulong,
        40 => flags: u16,
        42 => fd_header_len: u8,
        43 => use_checksum: u8,
        44 => artificial_checksum: u8,
        45 => verify_checksum: u8,
        46 => post_header_len: [u8; 172],
        224 => fp: *mut c_void,
        232 => error_no: u32,
        236 => error_msg: [c_char; 512],
        748 => uncompress: u8,
        752 => host: *mut c_char,
        760 => port: u32,
        764 => extract_values: u8,
        765 => nonce: [c_char; 12],
        777 => encrypted: u8,
        778 => is_semi_sync: u8,
        780 => server_type: c_uint,
        784 => num_post_header_lengths: u16,
    }
}

layout! {
    /// `MARIADB_RPL_EVENT`: an event. Always ours; `event` is one of the structs below.
    pub struct Event: 368, 8 {
        0 => memroot: [usize; 7],
        56 => raw_data: *mut c_uchar,
        64 => raw_data_size: usize,
        72 => raw_data_ofs: usize,
        80 => checksum: c_uint,
        84 => ok: c_char,
        88 => event_type: c_uint,
        92 => timestamp: c_uint,
        96 => server_id: c_uint,
        100 => event_length: c_uint,
        104 => next_event_pos: c_uint,
        108 => flags: u16,
        112 => event: [u64; 30],
        352 => is_semi_sync: u8,
        353 => semi_sync_flags: u8,
        360 => rpl: *mut Rpl,
    }
}

layout! {
    /// `MARIADB_RPL_VALUE`: a value of a row; `val` is a number, a `MYSQL_TIME`, two halves of a timestamp or a [`Text`].
    pub struct Value: 48, 8 {
        0 => field_type: c_uint,
        4 => is_null: u8,
        5 => is_signed: u8,
        8 => val: [u64; 5],
    }
}

layout! {
    /// `MARIADB_RPL_ROW`: a row, and the next one.
    pub struct Row: 24, 8 {
        0 => column_count: u32,
        8 => columns: *mut Value,
        16 => next: *mut Row,
    }
}

layout! {
    /// `MARIADB_GTID`.
    pub struct Gtid: 16, 8 {
        0 => domain_id: c_uint,
        4 => server_id: c_uint,
        8 => sequence_nr: u64,
    }
}

layout! {
    /// `ROTATE_EVENT`.
    pub struct Rotate: 24, 8 {
        0 => position: u64,
        8 => filename: Text,
    }
}

layout! {
    /// `QUERY_EVENT`.
    pub struct Query: 64, 8 {
        0 => thread_id: u32,
        4 => seconds: u32,
        8 => database: Text,
        24 => errornr: u32,
        32 => status: Text,
        48 => statement: Text,
    }
}

layout! {
    /// Events that have one text: `BINLOG_CHECKPOINT_EVENT`, `ANNOTATE_ROWS_EVENT`, `HEARTBEAT_LOG_EVENT`,
    /// `PREVIOUS_GTIDS_LOG_EVENT`.
    pub struct OneText: 16, 8 {
        0 => text: Text,
    }
}

layout! {
    /// `GTID_LIST_EVENT`.
    pub struct GtidList: 16, 8 {
        0 => gtid_cnt: u32,
        8 => gtid: *mut Gtid,
    }
}

layout! {
    /// `FORMAT_DESCRIPTION_EVENT`.
    pub struct FormatDescription: 40, 8 {
        0 => format: u16,
        8 => server_version: *mut c_char,
        16 => timestamp: u32,
        20 => header_len: u8,
        24 => post_header_lengths: Text,
    }
}

layout! {
    /// `XID_EVENT`.
    pub struct Xid: 8, 8 {
        0 => transaction_nr: u64,
    }
}

layout! {
    /// `GTID_EVENT`.
    pub struct GtidEvent: 48, 8 {
        0 => sequence_nr: u64,
        8 => domain_id: u32,
        12 => flags: u8,
        16 => commit_id: u64,
        24 => format_id: u32,
        28 => gtrid_len: u8,
        29 => bqual_len: u8,
        32 => xid: Text,
    }
}

layout! {
    /// `TABLE_MAP_EVENT`.
    pub struct TableMap: 240, 8 {
        0 => table_id: u64,
        8 => database: Text,
        24 => table: Text,
        40 => column_count: u32,
        48 => column_types: Text,
        64 => metadata: Text,
        80 => null_indicator: *mut c_uchar,
        88 => signed_indicator: *mut c_uchar,
        96 => column_names: Text,
        112 => geometry_types: Text,
        128 => default_charset: u32,
        136 => column_charsets: Text,
        152 => simple_primary_keys: Text,
        168 => prefixed_primary_keys: Text,
        184 => set_values: Text,
        200 => enum_values: Text,
        216 => enum_set_default_charset: u8,
        224 => enum_set_column_charsets: Text,
    }
}

layout! {
    /// `RAND_EVENT`.
    pub struct Random: 16, 8 {
        0 => first_seed: u64,
        8 => second_seed: u64,
    }
}

layout! {
    /// `INTVAR_EVENT`.
    pub struct IntVariable: 16, 8 {
        0 => value: u64,
        8 => r#type: u8,
    }
}

layout! {
    /// `BEGIN_LOAD_QUERY_EVENT`.
    pub struct BeginLoad: 16, 8 {
        0 => file_id: u32,
        8 => data: *mut c_uchar,
    }
}

layout! {
    /// `START_ENCRYPTION_EVENT`.
    pub struct Encryption: 20, 4 {
        0 => scheme: u8,
        4 => key_version: u32,
        8 => nonce: [u8; 12],
    }
}

layout! {
    /// `EXECUTE_LOAD_QUERY_EVENT`.
    pub struct ExecuteLoad: 80, 8 {
        0 => thread_id: u32,
        4 => execution_time: u32,
        8 => schema: Text,
        24 => error_code: u16,
        28 => file_id: u32,
        32 => ofs1: u32,
        36 => ofs2: u32,
        40 => duplicate_flag: u8,
        48 => status_vars: Text,
        64 => statement: Text,
    }
}

layout! {
    /// `USER_VAR_EVENT`.
    pub struct UserVariable: 48, 8 {
        0 => name: Text,
        16 => is_null: u8,
        17 => r#type: u8,
        20 => charset_nr: u32,
        24 => value: Text,
        40 => flags: u8,
    }
}

layout! {
    /// `WRITE_ROWS_EVENT` and its kin.
    pub struct Rows: 88, 8 {
        0 => r#type: c_uint,
        8 => table_id: u64,
        16 => flags: u16,
        20 => column_count: u32,
        24 => column_bitmap: *mut c_uchar,
        32 => column_update_bitmap: *mut c_uchar,
        40 => null_bitmap: *mut c_uchar,
        48 => row_data_size: usize,
        56 => row_data: *mut c_void,
        64 => extra_data_size: usize,
        72 => extra_data: *mut c_void,
        80 => compressed: u8,
        84 => row_count: u32,
    }
}

layout! {
    /// `XA_PREPARE_LOG_EVENT`.
    pub struct XaPrepare: 32, 8 {
        0 => one_phase: u8,
        4 => format_id: u32,
        8 => gtrid_len: u32,
        12 => bqual_len: u32,
        16 => xid: Text,
    }
}

layout! {
    /// `GTID_LOG_EVENT`.
    pub struct GtidLog: 32, 8 {
        0 => commit_flag: u8,
        1 => source_id: [u8; 16],
        24 => sequence_nr: u64,
    }
}
