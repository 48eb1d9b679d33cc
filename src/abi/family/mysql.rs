//! The structs of libmysqlclient (`.so.21` and `.so.24`; equal in 8.0.27 and 9.7.4), and where their fields are.
//!
//! Facts only; touches no memory.

use super::{Abi, Bind, Field, Function, List, MySql, Row, Rows, implement_places, layout};
use crate::abi::family::mariadb;
use crate::options::Family;
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ulong, c_void};

layout! {
    /// `NET`: state of one socket, inside [`Mysql`].
    pub struct Net: 664, 8 {
        0 => vio: *mut c_void,
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
        129 => save_char: c_uchar,
        130 => compress: c_char,
        132 => last_errno: c_uint,
        136 => error: c_uchar,
        137 => last_error: [c_char; 512],
        649 => sqlstate: [c_char; 6],
        656 => extension: *mut c_void,
    }
}

layout! {
    /// `struct st_mysql_options`, inside [`Mysql`].
    pub struct Options: 240, 8 {
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
        72 => init_commands: *mut c_void,
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
        168 => compress: c_char,
        169 => named_pipe: c_char,
        176 => bind_address: *mut c_char,
        184 => report_data_truncation: c_char,
        192 => local_infile_init: Function,
        200 => local_infile_read: Function,
        208 => local_infile_end: Function,
        216 => local_infile_error: Function,
        224 => local_infile_userdata: *mut c_void,
        232 => extension: *mut c_void,
    }
}

layout! {
    /// `MYSQL`: the handle. Often the caller's memory.
    pub struct Mysql: 1160, 8 {
        0 => net: Net,
        664 => connector_fd: *mut c_uchar,
        672 => host: *mut c_char,
        680 => user: *mut c_char,
        688 => passwd: *mut c_char,
        696 => unix_socket: *mut c_char,
        704 => server_version: *mut c_char,
        712 => host_info: *mut c_char,
        720 => info: *mut c_char,
        728 => db: *mut c_char,
        736 => charset: *mut c_void,
        744 => fields: *mut Field,
        752 => field_alloc: *mut c_void,
        760 => affected_rows: u64,
        768 => insert_id: u64,
        776 => extra_info: u64,
        784 => thread_id: c_ulong,
        792 => packet_length: c_ulong,
        800 => port: c_uint,
        808 => client_flag: c_ulong,
        816 => server_capabilities: c_ulong,
        824 => protocol_version: c_uint,
        828 => field_count: c_uint,
        832 => server_status: c_uint,
        836 => server_language: c_uint,
        840 => warning_count: c_uint,
        848 => options: Options,
        1088 => status: c_uint,
        1092 => resultset_metadata: c_uint,
        1096 => free_me: c_char,
        1097 => reconnect: c_char,
        1098 => scramble: [c_char; 21],
        1120 => stmts: *mut List,
        1128 => methods: *mut c_void,
        1136 => thd: *mut c_void,
        1144 => unbuffered_fetch_owner: *mut c_char,
        1152 => extension: *mut c_void,
    }
}

layout! {
    /// `MYSQL_RES`: a result. Always ours.
    pub struct Res: 104, 8 {
        0 => row_count: u64,
        8 => fields: *mut Field,
        16 => data: *mut Data,
        24 => data_cursor: *mut Rows,
        32 => lengths: *mut c_ulong,
        40 => handle: *mut Mysql,
        48 => methods: *mut c_void,
        56 => row: Row,
        64 => current_row: Row,
        72 => field_alloc: *mut c_void,
        80 => field_count: c_uint,
        84 => current_field: c_uint,
        88 => eof: c_char,
        89 => unbuffered_fetch_cancelled: c_char,
        92 => metadata: c_uint,
        96 => extension: *mut c_void,
    }
}

layout! {
    /// `MYSQL_DATA`: the rows of a buffered result.
    pub struct Data: 32, 8 {
        0 => data: *mut Rows,
        8 => alloc: *mut c_void,
        16 => rows: u64,
        24 => fields: c_uint,
    }
}

layout! {
    /// `MYSQL_STMT`: a prepared statement. Always ours.
    pub struct Stmt: 704, 8 {
        0 => mem_root: *mut c_void,
        8 => list: List,
        32 => mysql: *mut Mysql,
        40 => params: *mut Bind,
        48 => bind: *mut Bind,
        56 => fields: *mut Field,
        64 => result: Data,
        96 => data_cursor: *mut Rows,
        104 => read_row_func: Function,
        112 => affected_rows: u64,
        120 => insert_id: u64,
        128 => stmt_id: c_ulong,
        136 => flags: c_ulong,
        144 => prefetch_rows: c_ulong,
        152 => server_status: c_uint,
        156 => last_errno: c_uint,
        160 => param_count: c_uint,
        164 => field_count: c_uint,
        168 => state: c_uint,
        172 => last_error: [c_char; 512],
        684 => sqlstate: [c_char; 6],
        690 => send_types_to_server: c_char,
        691 => bind_param_done: c_char,
        692 => bind_result_done: c_char,
        693 => unbuffered_fetch_cancelled: c_char,
        694 => update_max_length: c_char,
        696 => extension: *mut c_void,
    }
}

layout! {
    /// `MYSQL_TIME`. The caller's.
    pub struct Time: 48, 8 {
        0 => year: c_uint,
        4 => month: c_uint,
        8 => day: c_uint,
        12 => hour: c_uint,
        16 => minute: c_uint,
        20 => second: c_uint,
        24 => second_part: c_ulong,
        32 => neg: c_char,
        36 => time_type: c_uint,
        40 => time_zone_displacement: c_int,
    }
}

layout! {
    /// `struct MYSQL_METHODS`: functions behind `MYSQL.methods`.
    pub struct Methods: 192, 8 {
        0 => connect_method: Function,
        8 => read_query_result: Function,
        16 => advanced_command: Function,
        24 => read_rows: Function,
        32 => use_result: Function,
        40 => fetch_row: Function,
        48 => fetch_lengths: Function,
        56 => flush_use_result: Function,
        64 => read_change_user_result: Function,
        72 => list_fields: Function,
        80 => read_prepare_result: Function,
        88 => stmt_execute: Function,
        96 => read_binary_rows: Function,
        104 => unbuffered_fetch: Function,
        112 => read_statistics: Function,
        120 => next_result: Function,
        128 => read_rows_from_cursor: Function,
        136 => free_rows: Function,
        144 => read_query_result_nonblocking: Function,
        152 => advanced_command_nonblocking: Function,
        160 => read_rows_nonblocking: Function,
        168 => flush_use_result_nonblocking: Function,
        176 => next_result_nonblocking: Function,
        184 => read_change_user_result_nonblocking: Function,
    }
}

layout! {
    /// `struct st_mysql_client_plugin`: the head of every client plugin.
    pub struct ClientPlugin: 96, 8 {
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
        88 => get_options: Function,
    }
}

layout! {
    /// `MYSQL_PLUGIN_VIO_INFO`: what a plugin may know of the connection.
    pub struct PluginVioInfo: 12, 4 {
        0 => protocol: c_uint,
        4 => socket: c_int,
        8 => is_tls_established: c_char,
    }
}

layout! {
    /// `MYSQL_PLUGIN_VIO`: how a plugin talks to the server.
    pub struct PluginVio: 40, 8 {
        0 => read_packet: Function,
        8 => write_packet: Function,
        16 => info: Function,
        24 => read_packet_nonblocking: Function,
        32 => write_packet_nonblocking: Function,
    }
}

layout! {
    /// `MYSQL_RPL`: a binary log stream. The caller's.
    pub struct Rpl: 72, 8 {
        0 => file_name_length: usize,
        8 => file_name: *const c_char,
        16 => start_position: u64,
        24 => server_id: c_uint,
        28 => flags: c_uint,
        32 => gtid_set_encoded_size: usize,
        40 => fix_gtid_set: Function,
        48 => gtid_set_arg: *mut c_void,
        56 => size: c_ulong,
        64 => buffer: *const c_uchar,
    }
}

impl Abi for MySql {
    const FAMILY: Family = Family::MySql;
    const ERROR_SIZE: usize = 512;

    type Mysql = Mysql;
    type Res = Res;
    type Data = Data;
    type Stmt = Stmt;
    type Time = Time;
    type ClientPlugin = ClientPlugin;

    implement_places! {
        handle_slot(Mysql) -> *mut c_void = extension;
        vio(Mysql) -> *mut c_void = net.vio;
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

        res_mark(Res) -> *mut c_void = field_alloc;
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

        stmt_mark(Stmt) -> *mut c_void = mem_root;
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
        scramble(Mysql) -> [c_char; 21] = scramble;
        plugin_name(ClientPlugin) -> *mut c_char = name;
        stmt_affected_rows(Stmt) -> u64 = affected_rows;
        stmt_insert_id(Stmt) -> u64 = insert_id;
        stmt_server_status(Stmt) -> c_uint = server_status;
    }

    fn stmt_last_error(this: *mut Stmt) -> *mut c_char {
        this.cast::<c_char>().wrapping_add(std::mem::offset_of!(Stmt, last_error))
    }

    fn stmt_warnings(_: *mut Stmt) -> Option<*mut c_uint> {
        None
    }

    fn stmt_cursor_exists(_: *mut Stmt) -> Option<*mut c_char> {
        None
    }

    fn reconnect(this: *mut Mysql) -> Option<*mut c_char> {
        implement_places! { @one this, Mysql, c_char, reconnect }
    }

    fn extension(_: *mut Mysql) -> Option<*mut *mut c_void> {
        None
    }

    fn charset(_: *mut Mysql) -> Option<*mut *const mariadb::CharsetInfo> {
        None
    }

    fn methods(this: *mut Mysql) -> *mut *const c_void {
        this.cast::<u8>().wrapping_add(std::mem::offset_of!(Mysql, methods)).cast()
    }

    fn opt_reconnect(_: *mut Mysql) -> Option<*mut c_char> {
        None
    }

    fn opt_use_ssl(_: *mut Mysql) -> Option<*mut c_char> {
        None
    }

    fn resultset_metadata(this: *mut Mysql) -> Option<*mut c_uint> {
        implement_places! { @one this, Mysql, c_uint, resultset_metadata }
    }

    fn res_metadata(this: *mut Res) -> Option<*mut c_uint> {
        implement_places! { @one this, Res, c_uint, metadata }
    }

    fn res_is_ps(_: *mut Res) -> Option<*mut c_char> {
        None
    }

    fn res_cancelled(this: *mut Res) -> Option<*mut c_char> {
        implement_places! { @one this, Res, c_char, unbuffered_fetch_cancelled }
    }

    fn time_zone_displacement(this: *mut Time) -> Option<*mut c_int> {
        implement_places! { @one this, Time, c_int, time_zone_displacement }
    }
}
