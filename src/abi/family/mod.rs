//! The two C ABIs as types: [`MySql`] (libmysqlclient 21 and 24, whose layouts are equal) and [`MariaDb`] (Connector/C
//! 3.3 and 3.4). An entry is written once, generic over [`Abi`], and instantiated for both.
//!
//! Everything here is a fact about memory: sizes, offsets, numbers. No pointer is read or written: a field's accessor
//! computes the field's address, and the entry that owns the pointer does the access. Sizes and offsets are checked
//! when the crate is compiled; `tests/layout.rs` compares them with C programs built from the originals' headers.

pub mod constants;
pub mod errors;
pub mod mariadb;
pub mod mysql;
pub mod options;
pub mod rpl;

use crate::options::Family;
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ulong, c_void};

/// libmysqlclient (`.so.21`, `.so.24`).
#[derive(Clone, Copy, Debug)]
pub struct MySql;

/// MariaDB Connector/C (`libmariadb.so.3`).
#[derive(Clone, Copy, Debug)]
pub struct MariaDb;

/// `MYSQL_ROW`: pointers to the columns' values, NULL for NULL.
pub type Row = *mut *mut c_char;

/// A function pointer in a struct whose signature matters to nobody here; NULL is `None`.
pub type Function = Option<unsafe extern "C" fn()>;

/// A `#[repr(C)]` struct together with the original's size, alignment and offsets, which are asserted. All bytes zero is
/// a valid value of every such struct: they have integers, raw pointers and optional function pointers only.
macro_rules! layout {
    ($(#[$doc:meta])* pub struct $name:ident: $size:literal, $align:literal {
        $($offset:literal => $field:ident: $type:ty,)*
    }) => {
        $(#[$doc])*
        ///
        /// Fields as in the original's header.
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs)]
        pub struct $name { $(pub $field: $type,)* }

        impl $name {
            /// Name, offset and size in bytes of every field, as the original's header has them.
            pub const FIELDS: &'static [(&'static str, usize, usize)] =
                &[$((stringify!($field), $offset, size_of::<$type>()),)*];
        }

        const _: () = {
            assert!(size_of::<$name>() == $size, concat!("size of ", stringify!($name)));
            assert!(align_of::<$name>() == $align, concat!("alignment of ", stringify!($name)));
            $(assert!(
                std::mem::offset_of!($name, $field) == $offset,
                concat!("offset of ", stringify!($name), ".", stringify!($field))
            );)*
        };
    };
}
use layout;

layout! {
    /// `MYSQL_FIELD`: one column. Borrowed from its result.
    pub struct Field: 128, 8 {
        0 => name: *mut c_char,
        8 => org_name: *mut c_char,
        16 => table: *mut c_char,
        24 => org_table: *mut c_char,
        32 => db: *mut c_char,
        40 => catalog: *mut c_char,
        48 => def: *mut c_char,
        56 => length: c_ulong,
        64 => max_length: c_ulong,
        72 => name_length: c_uint,
        76 => org_name_length: c_uint,
        80 => table_length: c_uint,
        84 => org_table_length: c_uint,
        88 => db_length: c_uint,
        92 => catalog_length: c_uint,
        96 => def_length: c_uint,
        100 => flags: c_uint,
        104 => decimals: c_uint,
        108 => charsetnr: c_uint,
        112 => r#type: c_uint,
        120 => extension: *mut c_void,
    }
}

layout! {
    /// `MYSQL_ROWS`: one row of a buffered result, also what `MYSQL_ROW_OFFSET` points to.
    pub struct Rows: 24, 8 {
        0 => next: *mut Rows,
        8 => data: Row,
        16 => length: c_ulong,
    }
}

layout! {
    /// `LIST`: a doubly linked list.
    pub struct List: 24, 8 {
        0 => prev: *mut List,
        8 => next: *mut List,
        16 => data: *mut c_void,
    }
}

layout! {
    /// `MYSQL_BIND`: one bound parameter or column. The MariaDB family calls two fields by other names: `row_ptr` is a
    /// union with `indicator` (for parameters), and `param_number` is `flags`.
    pub struct Bind: 112, 8 {
        0 => length: *mut c_ulong,
        8 => is_null: *mut c_char,
        16 => buffer: *mut c_void,
        24 => error: *mut c_char,
        32 => row_ptr: *mut c_uchar,
        40 => store_param_func: Function,
        48 => fetch_result: Function,
        56 => skip_result: Function,
        64 => buffer_length: c_ulong,
        72 => offset: c_ulong,
        80 => length_value: c_ulong,
        88 => param_number: c_uint,
        92 => pack_length: c_uint,
        96 => buffer_type: c_uint,
        100 => error_value: c_char,
        101 => is_unsigned: c_char,
        102 => long_data_used: c_char,
        103 => is_null_value: c_char,
        104 => extension: *mut c_void,
    }
}

layout! {
    /// `MY_CHARSET_INFO`: a character set as `mysql_get_character_set_info` tells it. The caller's.
    pub struct MyCharsetInfo: 48, 8 {
        0 => number: c_uint,
        4 => state: c_uint,
        8 => csname: *const c_char,
        16 => name: *const c_char,
        24 => comment: *const c_char,
        32 => dir: *const c_char,
        40 => mbminlen: c_uint,
        44 => mbmaxlen: c_uint,
    }
}

/// Declares the accessors of [`Abi`]: each takes a pointer to the struct and gives the address of a field.
macro_rules! places {
    ($($(#[$doc:meta])* $name:ident($of:ident) -> $type:ty;)*) => {
        $($(#[$doc])* fn $name(this: *mut Self::$of) -> *mut $type;)*
    };
}

/// Implements accessors: `name(Struct) -> type = path.to.field;`. Type and path are checked by the compiler; the
/// arithmetic is defined for any pointer, NULL too.
macro_rules! implement_places {
    (@one $this:ident, $of:ident, $type:ty, $first:ident $(. $rest:ident)*) => {{
        const _: fn(&$of) -> &$type = |s| &s.$first $(.$rest)*;
        Some($this.cast::<u8>().wrapping_add(std::mem::offset_of!($of, $first $(.$rest)*)).cast())
    }};
    ($($name:ident($of:ident) -> $type:ty = $first:ident $(. $rest:ident)*;)*) => {
        $(#[inline(always)]
        fn $name(this: *mut Self::$of) -> *mut $type {
            const _: fn(&$of) -> &$type = |s| &s.$first $(.$rest)*;
            this.cast::<u8>().wrapping_add(std::mem::offset_of!($of, $first $(.$rest)*)).cast()
        })*
    };
}
use implement_places;

/// One of the two ABIs: its structs, and where in them the fields are that entries publish or honour.
///
/// Accessors only compute addresses and may be given any pointer. What a family lacks is `None`.
pub trait Abi: Copy + std::fmt::Debug + Send + Sync + 'static {
    /// The same fact for code that is not generic.
    const FAMILY: Family;
    /// Bytes of `MYSQL.net.last_error` and of `MYSQL_STMT.last_error` with the ending NUL: what a message is cut to.
    const ERROR_SIZE: usize;

    /// `MYSQL`.
    type Mysql: Copy + 'static;
    /// `MYSQL_RES`.
    type Res: Copy + 'static;
    /// `MYSQL_DATA`.
    type Data: Copy + 'static;
    /// `MYSQL_STMT`.
    type Stmt: Copy + 'static;
    /// `MYSQL_TIME`; 40 bytes in the MariaDB family, which must never be written as 48.
    type Time: Copy + 'static;
    /// `struct st_mysql_client_plugin`.
    type ClientPlugin: Copy + 'static;

    places! {
        /// Where our private pointer lives: at offset 1152 of `MYSQL` in both families (`extension`, respectively
        /// `options.extension`, which no client touches), so that functions that serve both find it.
        handle_slot(Mysql) -> *mut c_void;
        /// `net.vio` or `net.pvio`: not NULL exactly while connected. Never followed by clients of ours.
        vio(Mysql) -> *mut c_void;
        /// `net.fd`: the socket while connected, else -1. Clients poll it, close it, write -1 into it.
        fd(Mysql) -> c_int;
        /// `net.last_errno`: clients write it; `mysql_errno` returns what lies there.
        last_errno(Mysql) -> c_uint;
        /// `net.last_error`: NUL-ended text; clients write it; `mysql_error` points here.
        last_error(Mysql) -> [c_char; 512];
        /// `net.sqlstate`: five characters and NUL; clients write it; `mysql_sqlstate` points here.
        sqlstate(Mysql) -> [c_char; 6];
        /// `net.max_packet_size`, bytes.
        max_packet_size(Mysql) -> c_ulong;
        /// `net.read_timeout`, seconds.
        net_read_timeout(Mysql) -> c_uint;
        /// `net.write_timeout`, seconds.
        net_write_timeout(Mysql) -> c_uint;
        /// `net.compress`: 1 when the compressed protocol is in use.
        net_compress(Mysql) -> c_char;
        /// `host`: what was connected to.
        host(Mysql) -> *mut c_char;
        /// `user`.
        user(Mysql) -> *mut c_char;
        /// `passwd`.
        passwd(Mysql) -> *mut c_char;
        /// `unix_socket`: NULL for TCP.
        unix_socket(Mysql) -> *mut c_char;
        /// `server_version`: not NULL after connecting.
        server_version(Mysql) -> *mut c_char;
        /// `host_info`: not NULL after connecting.
        host_info(Mysql) -> *mut c_char;
        /// `info`: text of the last OK packet, or NULL.
        info(Mysql) -> *mut c_char;
        /// `db`: the present schema or NULL.
        db(Mysql) -> *mut c_char;
        /// `fields`: columns of the result that waits.
        fields(Mysql) -> *mut Field;
        /// `affected_rows`.
        affected_rows(Mysql) -> u64;
        /// `insert_id`: DBD::mysql writes it; `mysql_insert_id` returns what lies there.
        insert_id(Mysql) -> u64;
        /// `thread_id`: the server's connection id.
        thread_id(Mysql) -> c_ulong;
        /// `packet_length`: payload of the last packet read, bytes.
        packet_length(Mysql) -> c_ulong;
        /// `net.read_pos`: the packet read last.
        read_pos(Mysql) -> *mut c_uchar;
        /// `scramble`, `scramble_buff`: the server's challenge and a NUL.
        scramble(Mysql) -> [c_char; 21];
        /// `port`.
        port(Mysql) -> c_uint;
        /// `client_flag`: capabilities in use; clients may write it before connecting.
        client_flag(Mysql) -> c_ulong;
        /// `server_capabilities`.
        server_capabilities(Mysql) -> c_ulong;
        /// `protocol_version`: 10.
        protocol_version(Mysql) -> c_uint;
        /// `field_count`: columns of the last statement's result.
        field_count(Mysql) -> c_uint;
        /// `server_status`: the `SERVER_*` bits of the last OK or EOF packet.
        server_status(Mysql) -> c_uint;
        /// `server_language`: collation id.
        server_language(Mysql) -> c_uint;
        /// `warning_count`.
        warning_count(Mysql) -> c_uint;
        /// `status`: 0 ready, 1 a result waits, 2 unbuffered reading; a client may write 0.
        status(Mysql) -> c_uint;
        /// `free_me`: 1 if `mysql_init` allocated the struct.
        free_me(Mysql) -> c_char;
        /// `stmts`: list of the handle's statements.
        stmts(Mysql) -> *mut List;
        /// `unbuffered_fetch_owner`: flag to set when another result takes the connection.
        unbuffered_fetch_owner(Mysql) -> *mut c_char;
        /// `options.connect_timeout`, seconds; clients may write it before connecting.
        opt_connect_timeout(Mysql) -> c_uint;
        /// `options.read_timeout`, seconds.
        opt_read_timeout(Mysql) -> c_uint;
        /// `options.write_timeout`, seconds.
        opt_write_timeout(Mysql) -> c_uint;
        /// `options.port`.
        opt_port(Mysql) -> c_uint;
        /// `options.protocol`.
        opt_protocol(Mysql) -> c_uint;
        /// `options.client_flag`.
        opt_client_flag(Mysql) -> c_ulong;
        /// `options.host`.
        opt_host(Mysql) -> *mut c_char;
        /// `options.user`.
        opt_user(Mysql) -> *mut c_char;
        /// `options.password`.
        opt_password(Mysql) -> *mut c_char;
        /// `options.unix_socket`.
        opt_unix_socket(Mysql) -> *mut c_char;
        /// `options.db`.
        opt_db(Mysql) -> *mut c_char;
        /// `options.charset_name`.
        opt_charset_name(Mysql) -> *mut c_char;
        /// `options.ssl_key`.
        opt_ssl_key(Mysql) -> *mut c_char;
        /// `options.ssl_cert`.
        opt_ssl_cert(Mysql) -> *mut c_char;
        /// `options.ssl_ca`.
        opt_ssl_ca(Mysql) -> *mut c_char;
        /// `options.ssl_capath`.
        opt_ssl_capath(Mysql) -> *mut c_char;
        /// `options.ssl_cipher`.
        opt_ssl_cipher(Mysql) -> *mut c_char;
        /// `options.max_allowed_packet`, bytes.
        opt_max_allowed_packet(Mysql) -> c_ulong;
        /// `options.compress`.
        opt_compress(Mysql) -> c_char;
        /// `options.report_data_truncation`.
        opt_report_data_truncation(Mysql) -> c_char;
        /// `options.local_infile_*`: init, read, end, error, then the user's pointer; 40 bytes.
        opt_local_infile(Mysql) -> Function;

        /// Where a result of ours is marked as one: in `field_alloc`, the originals' memory.
        res_mark(Res) -> *mut c_void;
        /// `row_count`: rows of a buffered result, rows read so far of an unbuffered one.
        res_row_count(Res) -> u64;
        /// `fields`.
        res_fields(Res) -> *mut Field;
        /// `data`: not NULL for buffered results.
        res_data(Res) -> *mut Self::Data;
        /// `data_cursor`: the next row of a buffered result.
        res_data_cursor(Res) -> *mut Rows;
        /// `lengths`: of the current row.
        res_lengths(Res) -> *mut c_ulong;
        /// `handle`: the `MYSQL` of an unbuffered result until its end.
        res_handle(Res) -> *mut Self::Mysql;
        /// `row`: memory for the current row of an unbuffered result.
        res_row(Res) -> Row;
        /// `current_row`.
        res_current_row(Res) -> Row;
        /// `field_count`.
        res_field_count(Res) -> c_uint;
        /// `current_field`: for `mysql_fetch_field`.
        res_current_field(Res) -> c_uint;
        /// `eof`: 1 when all rows were read from the server.
        res_eof(Res) -> c_char;

        /// `data`: the first row.
        data_rows(Data) -> *mut Rows;
        /// `rows`.
        data_row_count(Data) -> u64;
        /// `fields`: their number.
        data_field_count(Data) -> c_uint;

        /// Where a statement of ours is marked as one: in `mem_root`, the originals' memory.
        stmt_mark(Stmt) -> *mut c_void;
        /// `mysql`: NULL when orphaned.
        stmt_mysql(Stmt) -> *mut Self::Mysql;
        /// `params`: the library's copy of the bound parameters; clients write buffers here.
        stmt_params(Stmt) -> *mut Bind;
        /// `bind`: the library's copy of the bound columns.
        stmt_bind(Stmt) -> *mut Bind;
        /// `fields`.
        stmt_fields(Stmt) -> *mut Field;
        /// `stmt_id`.
        stmt_id(Stmt) -> c_ulong;
        /// `flags`: cursor type.
        stmt_flags(Stmt) -> c_ulong;
        /// `prefetch_rows`.
        stmt_prefetch_rows(Stmt) -> c_ulong;
        /// `param_count`.
        stmt_param_count(Stmt) -> c_uint;
        /// `field_count`.
        stmt_field_count(Stmt) -> c_uint;
        /// `state`: the family's own numbers.
        stmt_state(Stmt) -> c_uint;
        /// `last_errno`.
        stmt_last_errno(Stmt) -> c_uint;
        /// `last_error`: NUL-ended text (the MariaDB family has one byte more, which stays zero).
        stmt_last_error(Stmt) -> c_char;
        /// `sqlstate`.
        stmt_sqlstate(Stmt) -> [c_char; 6];
        /// `bind_param_done`.
        stmt_bind_param_done(Stmt) -> c_char;
        /// `bind_result_done`: a client may write 0, which means that no result buffers are bound any more.
        stmt_bind_result_done(Stmt) -> c_char;
        /// `update_max_length`.
        stmt_update_max_length(Stmt) -> c_char;
        /// Affected rows of the last execution.
        stmt_affected_rows(Stmt) -> u64;
        /// Insert id of the last execution.
        stmt_insert_id(Stmt) -> u64;
        /// Server status after the last execution.
        stmt_server_status(Stmt) -> c_uint;
        /// `list`: the link in `MYSQL.stmts`.
        stmt_list(Stmt) -> List;

        /// `name`.
        plugin_name(ClientPlugin) -> *mut c_char;
    }

    /// Warnings of a statement's last execution: the MariaDB family's only.
    fn stmt_warnings(this: *mut Self::Stmt) -> Option<*mut c_uint>;

    /// `cursor_exists`: the MariaDB family's only.
    fn stmt_cursor_exists(this: *mut Self::Stmt) -> Option<*mut c_char>;

    /// `reconnect`: a public field of the MySQL family only.
    fn reconnect(this: *mut Self::Mysql) -> Option<*mut c_char>;
    /// `charset`: a public pointer in the MariaDB family only, read before connecting and set after.
    fn charset(this: *mut Self::Mysql) -> Option<*mut *const mariadb::CharsetInfo>;
    /// `extension`: in the MariaDB family only, where it is not [`Abi::handle_slot`].
    fn extension(this: *mut Self::Mysql) -> Option<*mut *mut c_void>;
    /// `methods`: a table of function pointers, another one in each family.
    fn methods(this: *mut Self::Mysql) -> *mut *const c_void;
    /// `options.reconnect`: in the MariaDB family only.
    fn opt_reconnect(this: *mut Self::Mysql) -> Option<*mut c_char>;
    /// `options.use_ssl`: in the MariaDB family only.
    fn opt_use_ssl(this: *mut Self::Mysql) -> Option<*mut c_char>;
    /// `resultset_metadata`: in the MySQL family only; 0 none, 1 full.
    fn resultset_metadata(this: *mut Self::Mysql) -> Option<*mut c_uint>;
    /// `MYSQL_RES.metadata`: in the MySQL family only; 0 none, 1 full.
    fn res_metadata(this: *mut Self::Res) -> Option<*mut c_uint>;
    /// `MYSQL_RES.is_ps`: in the MariaDB family only.
    fn res_is_ps(this: *mut Self::Res) -> Option<*mut c_char>;
    /// `MYSQL_RES.unbuffered_fetch_cancelled`: in the MySQL family only.
    fn res_cancelled(this: *mut Self::Res) -> Option<*mut c_char>;
    /// `time_zone_displacement`, seconds: in the MySQL family only.
    fn time_zone_displacement(this: *mut Self::Time) -> Option<*mut c_int>;
}

/// Offset of [`Abi::handle_slot`] in both families.
pub const HANDLE_SLOT: usize = 1152;

const _: () = assert!(std::mem::offset_of!(mysql::Mysql, extension) == HANDLE_SLOT);
const _: () = assert!(std::mem::offset_of!(mariadb::Mysql, options.extension) == HANDLE_SLOT);

/// [`Abi::handle_slot`] of a handle of either family.
#[inline(always)]
pub fn any_handle_slot(mysql: *mut c_void) -> *mut *mut c_void {
    mysql.cast::<u8>().wrapping_add(HANDLE_SLOT).cast()
}
