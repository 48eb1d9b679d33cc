//! The structs of MariaDB Connector/C 3.3 and 3.4 (`libmariadb.so.3`), and where their fields are.
//!
//! `MYSQL_STMT` is that of 3.4, which has one field more at its end than 3.3's; the library alone allocates it.
//! Facts only; touches no memory.

use super::{Abi, Bind, Field, Function, List, MariaDb, Row, Rows, implement_places, layout};
use crate::abi::family::mariadb;
use crate::options::Family;
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ulong, c_void};

layout! {
    /// `NET`: state of one socket, inside [`Mysql`].
    pub struct Net: 680, 8 {
        0 => pvio: *mut c_void,
        8 => buff: *mut c_uchar,
        16 => buff_end: *mut c_uchar,
        24 => write_pos: *mut c_uchar,
        32 => read_pos: *mut c_uchar,
        40 => fd: c_int,
        48 => remain_in_buf: c_ulong,
        56 => length: c_ulong,
        64 => buf_length: c_ulong,
        72 => where_b: c_ulong,
        80 => max_packet: c_ulong,
        88 => max_packet_size: c_ulong,
        96 => pkt_nr: c_uint,
        100 => compress_pkt_nr: c_uint,
        104 => write_timeout: c_uint,
        108 => read_timeout: c_uint,
        112 => retry_count: c_uint,
        116 => fcntl: c_int,
        120 => return_status: *mut c_uint,
        128 => reading_or_writing: c_uchar,
        129 => save_char: c_char,
        130 => unused_1: c_char,
        131 => tls_verify_status: c_uchar,
        132 => compress: c_char,
        133 => unused_2: c_char,
        136 => unused_3: *mut c_char,
        144 => last_errno: c_uint,
        148 => error: c_uchar,
        149 => unused_5: c_char,
        150 => unused_6: c_char,
        151 => last_error: [c_char; 512],
        663 => sqlstate: [c_char; 6],
        672 => extension: *mut c_void,
    }
}

layout! {
    /// `struct st_mysql_options`, inside [`Mysql`].
    pub struct Options: 248, 8 {
        0 => connect_timeout: c_uint,
        4 => read_timeout: c_uint,
        8 => write_timeout: c_uint,
        12 => port: c_uint,
        16 => protocol: c_uint,
        24 => client_flag: c_ulong,
        32 => host: *mut c_char,
        40 => user: *mut c_char,
        48 => password: *mut c_char,
        56 => unix_socket: *mut c_char,
        64 => db: *mut c_char,
        72 => init_command: *mut c_void,
        80 => my_cnf_file: *mut c_char,
        88 => my_cnf_group: *mut c_char,
        96 => charset_dir: *mut c_char,
        104 => charset_name: *mut c_char,
        112 => ssl_key: *mut c_char,
        120 => ssl_cert: *mut c_char,
        128 => ssl_ca: *mut c_char,
        136 => ssl_capath: *mut c_char,
        144 => ssl_cipher: *mut c_char,
        152 => shared_memory_base_name: *mut c_char,
        160 => max_allowed_packet: c_ulong,
        168 => use_ssl: c_char,
        169 => compress: c_char,
        170 => named_pipe: c_char,
        171 => reconnect: c_char,
        172 => unused_1: c_char,
        173 => unused_2: c_char,
        174 => unused_3: c_char,
        176 => methods_to_use: c_uint,
        184 => bind_address: *mut c_char,
        192 => secure_auth: c_char,
        193 => report_data_truncation: c_char,
        200 => local_infile_init: Function,
        208 => local_infile_read: Function,
        216 => local_infile_end: Function,
        224 => local_infile_error: Function,
        232 => local_infile_userdata: *mut c_void,
        240 => extension: *mut c_void,
    }
}

layout! {
    /// `MYSQL`: the handle. Often the caller's memory.
    pub struct Mysql: 1272, 8 {
        0 => net: Net,
        680 => unused_0: *mut c_void,
        688 => host: *mut c_char,
        696 => user: *mut c_char,
        704 => passwd: *mut c_char,
        712 => unix_socket: *mut c_char,
        720 => server_version: *mut c_char,
        728 => host_info: *mut c_char,
        736 => info: *mut c_char,
        744 => db: *mut c_char,
        752 => charset: *const CharsetInfo,
        760 => fields: *mut Field,
        768 => field_alloc: MemRoot,
        824 => affected_rows: u64,
        832 => insert_id: u64,
        840 => extra_info: u64,
        848 => thread_id: c_ulong,
        856 => packet_length: c_ulong,
        864 => port: c_uint,
        872 => client_flag: c_ulong,
        880 => server_capabilities: c_ulong,
        888 => protocol_version: c_uint,
        892 => field_count: c_uint,
        896 => server_status: c_uint,
        900 => server_language: c_uint,
        904 => warning_count: c_uint,
        912 => options: Options,
        1160 => status: c_uint,
        1164 => free_me: c_char,
        1165 => unused_1: c_char,
        1166 => scramble_buff: [c_char; 21],
        1187 => unused_2: c_char,
        1192 => unused_3: *mut c_void,
        1200 => unused_4: *mut c_void,
        1208 => unused_5: *mut c_void,
        1216 => unused_6: *mut c_void,
        1224 => stmts: *mut List,
        1232 => methods: *const Methods,
        1240 => thd: *mut c_void,
        1248 => unbuffered_fetch_owner: *mut c_char,
        1256 => info_buffer: *mut c_char,
        1264 => extension: *mut c_void,
    }
}

layout! {
    /// `MYSQL_RES`: a result. Always ours.
    pub struct Res: 136, 8 {
        0 => row_count: u64,
        8 => field_count: c_uint,
        12 => current_field: c_uint,
        16 => fields: *mut Field,
        24 => data: *mut Data,
        32 => data_cursor: *mut Rows,
        40 => field_alloc: MemRoot,
        96 => row: Row,
        104 => current_row: Row,
        112 => lengths: *mut c_ulong,
        120 => handle: *mut Mysql,
        128 => eof: c_char,
        129 => is_ps: c_char,
    }
}

layout! {
    /// `MYSQL_DATA`: the rows of a buffered result.
    pub struct Data: 96, 8 {
        0 => data: *mut Rows,
        8 => embedded_info: *mut c_void,
        16 => alloc: MemRoot,
        72 => rows: u64,
        80 => fields: c_uint,
        88 => extension: *mut c_void,
    }
}

layout! {
    /// `MYSQL_STMT`: a prepared statement. Always ours.
    pub struct Stmt: 944, 8 {
        0 => mem_root: MemRoot,
        56 => mysql: *mut Mysql,
        64 => stmt_id: c_ulong,
        72 => flags: c_ulong,
        80 => state: c_uint,
        88 => fields: *mut Field,
        96 => field_count: c_uint,
        100 => param_count: c_uint,
        104 => send_types_to_server: c_uchar,
        112 => params: *mut Bind,
        120 => bind: *mut Bind,
        128 => result: Data,
        224 => result_cursor: *mut Rows,
        232 => bind_result_done: c_char,
        233 => bind_param_done: c_char,
        240 => upsert_status: UpsertStatus,
        264 => last_errno: c_uint,
        268 => last_error: [c_char; 513],
        781 => sqlstate: [c_char; 6],
        787 => update_max_length: c_char,
        792 => prefetch_rows: c_ulong,
        800 => list: List,
        824 => cursor_exists: c_char,
        832 => extension: *mut c_void,
        840 => fetch_row_func: Function,
        848 => execute_count: c_uint,
        856 => default_rset_handler: Function,
        864 => request_buffer: *mut c_uchar,
        872 => array_size: c_uint,
        880 => row_size: usize,
        888 => prebind_params: c_uint,
        896 => user_data: *mut c_void,
        904 => result_callback: Function,
        912 => param_callback: Function,
        920 => request_length: usize,
        928 => sql: ConstString,
    }
}

layout! {
    /// `MYSQL_TIME`. The caller's.
    pub struct Time: 40, 8 {
        0 => year: c_uint,
        4 => month: c_uint,
        8 => day: c_uint,
        12 => hour: c_uint,
        16 => minute: c_uint,
        20 => second: c_uint,
        24 => second_part: c_ulong,
        32 => neg: c_char,
        36 => time_type: c_uint,
    }
}

layout! {
    /// `struct st_mysql_client_plugin`: the head of every client plugin.
    pub struct ClientPlugin: 88, 8 {
        0 => r#type: c_int,
        4 => interface_version: c_uint,
        8 => name: *mut c_char,
        16 => author: *const c_char,
        24 => desc: *const c_char,
        32 => version: [c_uint; 3],
        48 => license: *const c_char,
        56 => mysql_api: *mut c_void,
        64 => init: Function,
        72 => deinit: Function,
        80 => options: Function,
    }
}

layout! {
    /// `MYSQL_PLUGIN_VIO_INFO`: what a plugin may know of the connection.
    pub struct PluginVioInfo: 8, 4 {
        0 => protocol: c_uint,
        4 => socket: c_int,
    }
}

layout! {
    /// `MYSQL_PLUGIN_VIO`: how a plugin talks to the server.
    pub struct PluginVio: 24, 8 {
        0 => read_packet: Function,
        8 => write_packet: Function,
        16 => info: Function,
    }
}

layout! {
    /// `MA_MEM_ROOT`: an allocator's state, inside other structs; left zero.
    pub struct MemRoot: 56, 8 {
        0 => free: *mut c_void,
        8 => used: *mut c_void,
        16 => pre_alloc: *mut c_void,
        24 => min_malloc: usize,
        32 => block_size: usize,
        40 => block_num: c_uint,
        44 => first_block_usage: c_uint,
        48 => error_handler: Function,
    }
}

layout! {
    /// `mysql_upsert_status`, inside [`Stmt`].
    pub struct UpsertStatus: 24, 8 {
        0 => warning_count: c_uint,
        4 => server_status: c_uint,
        8 => affected_rows: u64,
        16 => last_insert_id: u64,
    }
}

layout! {
    /// `MARIADB_CONST_STRING`: pointer and length.
    pub struct ConstString: 16, 8 {
        0 => str: *const c_char,
        8 => length: usize,
    }
}

layout! {
    /// `MARIADB_CHARSET_INFO`: a character set as Connector/C shows it.
    pub struct CharsetInfo: 72, 8 {
        0 => nr: c_uint,
        4 => state: c_uint,
        8 => csname: *const c_char,
        16 => name: *const c_char,
        24 => dir: *const c_char,
        32 => codepage: c_uint,
        40 => encoding: *const c_char,
        48 => char_minlen: c_uint,
        52 => char_maxlen: c_uint,
        56 => mb_charlen: Function,
        64 => mb_valid: Function,
    }
}

layout! {
    /// `struct st_mariadb_methods`: functions behind `MYSQL.methods`.
    pub struct Methods: 168, 8 {
        0 => db_connect: Function,
        8 => db_close: Function,
        16 => db_command: Function,
        24 => db_skip_result: Function,
        32 => db_read_query_result: Function,
        40 => db_read_rows: Function,
        48 => db_read_one_row: Function,
        56 => db_supported_buffer_type: Function,
        64 => db_read_prepare_response: Function,
        72 => db_read_stmt_result: Function,
        80 => db_stmt_get_result_metadata: Function,
        88 => db_stmt_get_param_metadata: Function,
        96 => db_stmt_read_all_rows: Function,
        104 => db_stmt_fetch: Function,
        112 => db_stmt_fetch_to_bind: Function,
        120 => db_stmt_flush_unbuffered: Function,
        128 => set_error: Function,
        136 => invalidate_stmts: Function,
        144 => api: *mut c_void,
        152 => db_read_execute_response: Function,
        160 => db_execute_generate_request: Function,
    }
}

layout! {
    /// `MYSQL_PARAMETERS`, what `mysql_get_parameters` points to.
    pub struct Parameters: 24, 8 {
        0 => p_max_allowed_packet: *mut c_ulong,
        8 => p_net_buffer_length: *mut c_ulong,
        16 => extension: *mut c_void,
    }
}

layout! {
    /// `MYSQL_PS_CONVERSION`: one row of `mysql_ps_fetch_functions`.
    pub struct PsConversion: 24, 8 {
        0 => func: Function,
        8 => pack_len: c_int,
        16 => max_len: c_ulong,
    }
}

impl Abi for MariaDb {
    const FAMILY: Family = Family::MariaDb;
    const ERROR_SIZE: usize = 512;

    type Mysql = Mysql;
    type Res = Res;
    type Data = Data;
    type Stmt = Stmt;
    type Time = Time;
    type ClientPlugin = ClientPlugin;

    implement_places! {
        handle_slot(Mysql) -> *mut c_void = options.extension;
        vio(Mysql) -> *mut c_void = net.pvio;
        fd(Mysql) -> c_int = net.fd;
        last_errno(Mysql) -> c_uint = net.last_errno;
        last_error(Mysql) -> [c_char; 512] = net.last_error;
        sqlstate(Mysql) -> [c_char; 6] = net.sqlstate;
        max_packet_size(Mysql) -> c_ulong = net.max_packet_size;
        net_read_timeout(Mysql) -> c_uint = net.read_timeout;
        net_write_timeout(Mysql) -> c_uint = net.write_timeout;
        net_compress(Mysql) -> c_char = net.compress;
        host(Mysql) -> *mut c_char = host;
        user(Mysql) -> *mut c_char = user;
        passwd(Mysql) -> *mut c_char = passwd;
        unix_socket(Mysql) -> *mut c_char = unix_socket;
        server_version(Mysql) -> *mut c_char = server_version;
        host_info(Mysql) -> *mut c_char = host_info;
        info(Mysql) -> *mut c_char = info;
        db(Mysql) -> *mut c_char = db;
        fields(Mysql) -> *mut Field = fields;
        affected_rows(Mysql) -> u64 = affected_rows;
        insert_id(Mysql) -> u64 = insert_id;
        thread_id(Mysql) -> c_ulong = thread_id;
        packet_length(Mysql) -> c_ulong = packet_length;
        read_pos(Mysql) -> *mut c_uchar = net.read_pos;
        port(Mysql) -> c_uint = port;
        client_flag(Mysql) -> c_ulong = client_flag;
        server_capabilities(Mysql) -> c_ulong = server_capabilities;
        protocol_version(Mysql) -> c_uint = protocol_version;
        field_count(Mysql) -> c_uint = field_count;
        server_status(Mysql) -> c_uint = server_status;
        server_language(Mysql) -> c_uint = server_language;
        warning_count(Mysql) -> c_uint = warning_count;
        status(Mysql) -> c_uint = status;
        free_me(Mysql) -> c_char = free_me;
        stmts(Mysql) -> *mut List = stmts;
        unbuffered_fetch_owner(Mysql) -> *mut c_char = unbuffered_fetch_owner;
        opt_connect_timeout(Mysql) -> c_uint = options.connect_timeout;
        opt_read_timeout(Mysql) -> c_uint = options.read_timeout;
        opt_write_timeout(Mysql) -> c_uint = options.write_timeout;
        opt_port(Mysql) -> c_uint = options.port;
        opt_protocol(Mysql) -> c_uint = options.protocol;
        opt_client_flag(Mysql) -> c_ulong = options.client_flag;
        opt_host(Mysql) -> *mut c_char = options.host;
        opt_user(Mysql) -> *mut c_char = options.user;
        opt_password(Mysql) -> *mut c_char = options.password;
        opt_unix_socket(Mysql) -> *mut c_char = options.unix_socket;
        opt_db(Mysql) -> *mut c_char = options.db;
        opt_charset_name(Mysql) -> *mut c_char = options.charset_name;
        opt_ssl_key(Mysql) -> *mut c_char = options.ssl_key;
        opt_ssl_cert(Mysql) -> *mut c_char = options.ssl_cert;
        opt_ssl_ca(Mysql) -> *mut c_char = options.ssl_ca;
        opt_ssl_capath(Mysql) -> *mut c_char = options.ssl_capath;
        opt_ssl_cipher(Mysql) -> *mut c_char = options.ssl_cipher;
        opt_max_allowed_packet(Mysql) -> c_ulong = options.max_allowed_packet;
        opt_compress(Mysql) -> c_char = options.compress;
        opt_report_data_truncation(Mysql) -> c_char = options.report_data_truncation;
        opt_local_infile(Mysql) -> Function = options.local_infile_init;

        res_mark(Res) -> *mut c_void = field_alloc.free;
        res_row_count(Res) -> u64 = row_count;
        res_fields(Res) -> *mut Field = fields;
        res_data(Res) -> *mut Data = data;
        res_data_cursor(Res) -> *mut Rows = data_cursor;
        res_lengths(Res) -> *mut c_ulong = lengths;
        res_handle(Res) -> *mut Mysql = handle;
        res_row(Res) -> Row = row;
        res_current_row(Res) -> Row = current_row;
        res_field_count(Res) -> c_uint = field_count;
        res_current_field(Res) -> c_uint = current_field;
        res_eof(Res) -> c_char = eof;

        data_rows(Data) -> *mut Rows = data;
        data_row_count(Data) -> u64 = rows;
        data_field_count(Data) -> c_uint = fields;

        stmt_mark(Stmt) -> *mut c_void = mem_root.free;
        stmt_id(Stmt) -> c_ulong = stmt_id;
        stmt_mysql(Stmt) -> *mut Mysql = mysql;
        stmt_params(Stmt) -> *mut Bind = params;
        stmt_bind(Stmt) -> *mut Bind = bind;
        stmt_fields(Stmt) -> *mut Field = fields;
        stmt_flags(Stmt) -> c_ulong = flags;
        stmt_prefetch_rows(Stmt) -> c_ulong = prefetch_rows;
        stmt_param_count(Stmt) -> c_uint = param_count;
        stmt_field_count(Stmt) -> c_uint = field_count;
        stmt_state(Stmt) -> c_uint = state;
        stmt_last_errno(Stmt) -> c_uint = last_errno;
        stmt_sqlstate(Stmt) -> [c_char; 6] = sqlstate;
        stmt_bind_param_done(Stmt) -> c_char = bind_param_done;
        stmt_bind_result_done(Stmt) -> c_char = bind_result_done;
        stmt_update_max_length(Stmt) -> c_char = update_max_length;
        stmt_list(Stmt) -> List = list;
        scramble(Mysql) -> [c_char; 21] = scramble_buff;
        plugin_name(ClientPlugin) -> *mut c_char = name;
        stmt_affected_rows(Stmt) -> u64 = upsert_status.affected_rows;
        stmt_insert_id(Stmt) -> u64 = upsert_status.last_insert_id;
        stmt_server_status(Stmt) -> c_uint = upsert_status.server_status;
    }

    fn stmt_last_error(this: *mut Stmt) -> *mut c_char {
        this.cast::<c_char>().wrapping_add(std::mem::offset_of!(Stmt, last_error))
    }

    fn stmt_warnings(this: *mut Stmt) -> Option<*mut c_uint> {
        implement_places! { @one this, Stmt, c_uint, upsert_status.warning_count }
    }

    fn stmt_cursor_exists(this: *mut Stmt) -> Option<*mut c_char> {
        implement_places! { @one this, Stmt, c_char, cursor_exists }
    }

    fn reconnect(_: *mut Mysql) -> Option<*mut c_char> {
        None
    }

    fn extension(this: *mut Mysql) -> Option<*mut *mut c_void> {
        implement_places! { @one this, Mysql, *mut c_void, extension }
    }

    fn charset(this: *mut Mysql) -> Option<*mut *const mariadb::CharsetInfo> {
        implement_places! { @one this, Mysql, *const mariadb::CharsetInfo, charset }
    }

    fn methods(this: *mut Mysql) -> *mut *const c_void {
        this.cast::<u8>().wrapping_add(std::mem::offset_of!(Mysql, methods)).cast()
    }

    fn opt_reconnect(this: *mut Mysql) -> Option<*mut c_char> {
        implement_places! { @one this, Mysql, c_char, options.reconnect }
    }

    fn opt_use_ssl(this: *mut Mysql) -> Option<*mut c_char> {
        implement_places! { @one this, Mysql, c_char, options.use_ssl }
    }

    fn resultset_metadata(_: *mut Mysql) -> Option<*mut c_uint> {
        None
    }

    fn res_metadata(_: *mut Res) -> Option<*mut c_uint> {
        None
    }

    fn res_is_ps(this: *mut Res) -> Option<*mut c_char> {
        implement_places! { @one this, Res, c_char, is_ps }
    }

    fn res_cancelled(_: *mut Res) -> Option<*mut c_char> {
        None
    }

    fn time_zone_displacement(_: *mut Time) -> Option<*mut c_int> {
        None
    }
}
