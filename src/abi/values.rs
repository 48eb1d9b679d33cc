//! `mariadb_get_info` and `mariadb_get_infov`: one entry for everything that is known of a connection, and of the library.
//!
//! Values are read from the public fields, as they were published; nothing is asked of a server.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void};

use super::charset_info;
use super::convert::{c_bytes, put};
use super::entry::entry;
use super::family::constants::mariadb_value as v;
use super::family::{Abi, MyCharsetInfo};
use super::handle::Handle;

/// What Connector/C says of itself here: the server release that it came with.
const CLIENT_VERSION: &CStr = c"10.11.19";
const CLIENT_VERSION_ID: usize = 101_119;
/// `PVIO_TYPE_UNIXSOCKET` and `PVIO_TYPE_SOCKET`.
const UNIX_SOCKET: c_int = 0;
const TCP_SOCKET: c_int = 1;

/// Texts of the client errors from 2000 on, with their places for printf, as Connector/C hands them out.
static CLIENT_ERRORS: [&CStr; 63] = [
    c"Unknown error",
    c"Can't create UNIX socket (%d)",
    c"Can't connect to local server through socket '%-.64s' (%d)",
    c"Can't connect to server on '%-.64s' (%d)",
    c"Can't create TCP/IP socket (%d)",
    c"Unknown server host '%-.100s' (%d)",
    c"Server has gone away",
    c"Protocol mismatch. Server Version = %d Client Version = %d",
    c"Client run out of memory",
    c"Wrong host info",
    c"Localhost via UNIX socket",
    c"%-.64s via TCP/IP",
    c"Error in server handshake",
    c"Lost connection to server during query",
    c"Commands out of sync; you can't run this command now",
    c"%-.64s via named pipe",
    c"Can't wait for named pipe to host: %-.64s  pipe: %-.32s (%lu)",
    c"Can't open named pipe to host: %-.64s  pipe: %-.32s (%lu)",
    c"Can't set state of named pipe to host: %-.64s  pipe: %-.32s (%lu)",
    c"Can't initialize character set %-.64s (path: %-.64s)",
    c"Got packet bigger than 'max_allowed_packet'",
    c"",
    c"",
    c"",
    c"",
    c"",
    c"TLS/SSL error: %s",
    c"Received malformed packet",
    c"",
    c"",
    c"Statement is not prepared",
    c"No data supplied for parameters in prepared statement",
    c"Data truncated",
    c"",
    c"Invalid parameter number",
    c"Invalid buffer type: %d (parameter: %d)",
    c"Buffer type is not supported",
    c"Shared memory: %-.64s",
    c"Shared memory connection failed during %s. (%lu)",
    c"",
    c"",
    c"",
    c"",
    c"",
    c"",
    c"",
    c"",
    c"Wrong or unknown protocol",
    c"",
    c"Connection with old authentication protocol refused.",
    c"",
    c"",
    c"Prepared statement contains no metadata",
    c"",
    c"This feature is not implemented or disabled",
    c"Lost connection to server at '%s', system error: %d",
    c"Server closed statement due to a prior %s function call",
    c"The number of parameters in bound buffers differs from number of columns in resultset",
    c"Can't connect twice. Already connected",
    c"Plugin %s could not be loaded: %s",
    c"An attribute with same name already exists",
    c"Plugin doesn't support this function",
    c"",
];

/// The text of a client error; empty for a number that has none.
pub(super) fn client_error(number: c_uint) -> &'static [u8] {
    let index = number.wrapping_sub(2000) as usize;
    CLIENT_ERRORS.get(index).map_or(&[], |text| text.to_bytes())
}

/// The texts as C wants them.
fn client_errors() -> *const *const c_char {
    struct Pointers([*const c_char; CLIENT_ERRORS.len()]);
    // SAFETY: pointers to constants, never written.
    unsafe impl Sync for Pointers {}
    // SAFETY: as above.
    unsafe impl Send for Pointers {}
    static POINTERS: std::sync::OnceLock<Pointers> = std::sync::OnceLock::new();
    POINTERS.get_or_init(|| Pointers(CLIENT_ERRORS.map(CStr::as_ptr))).0.as_ptr()
}

/// Answers what needs no handle; None for other numbers, `Some(false)` when there is no answer.
///
/// # Safety
/// `arg` and `extra` are what the number asks for.
unsafe fn of_library(value: c_uint, arg: *mut c_void, extra: *const c_void) -> Option<bool> {
    // SAFETY: the caller's promise.
    unsafe {
        match value {
            v::MARIADB_MAX_ALLOWED_PACKET => put(arg.cast(), super::misc::max_allowed_packet()),
            v::MARIADB_NET_BUFFER_LENGTH => put(arg.cast(), super::misc::net_buffer_length()),
            v::MARIADB_TLS_LIBRARY => put(arg.cast(), c"rustls".as_ptr()),
            v::MARIADB_CLIENT_VERSION => put(arg.cast(), CLIENT_VERSION.as_ptr()),
            v::MARIADB_CLIENT_VERSION_ID => put(arg.cast(), CLIENT_VERSION_ID),
            v::MARIADB_CLIENT_ERRORS => put(arg.cast(), client_errors()),
            v::MARIADB_CHARSET_NAME => {
                let Some(name) = c_bytes(extra.cast()) else { return Some(false) };
                put(arg.cast(), charset_info::by_name(name).unwrap_or(std::ptr::null()));
            }
            // The number comes by value.
            v::MARIADB_CHARSET_ID => {
                put(arg.cast(), charset_info::by_number(extra.addr() as c_uint).unwrap_or(std::ptr::null()));
            }
            _ => return None,
        }
    }
    Some(true)
}

/// Answers from the handle's public fields.
///
/// # Safety
/// `mysql` points to a `MYSQL`; `arg` is what the number asks for.
unsafe fn of_fields<A: Abi>(mysql: *mut A::Mysql, value: c_uint, arg: *mut c_void) -> Option<bool> {
    // SAFETY: the caller's promise.
    unsafe {
        let connected = !A::vio(mysql).read().is_null();
        if connected
            && matches!(
                value,
                v::MARIADB_CONNECTION_SERVER_VERSION
                    | v::MARIADB_CONNECTION_SERVER_TYPE
                    | v::MARIADB_CONNECTION_SERVER_VERSION_ID
            )
        {
            super::info::know_server::<A>(mysql, A::server_version(mysql));
        }
        match value {
            v::MARIADB_CONNECTION_ERROR_ID => put(arg.cast(), A::last_errno(mysql).read()),
            v::MARIADB_CONNECTION_ERROR => put(arg.cast(), A::last_error(mysql)),
            v::MARIADB_CONNECTION_SQLSTATE => put(arg.cast(), A::sqlstate(mysql)),
            v::MARIADB_CONNECTION_SERVER_VERSION => put(arg.cast(), A::server_version(mysql).read()),
            v::MARIADB_CONNECTION_SERVER_TYPE => {
                let name = if is_mariadb::<A>(mysql) { c"MariaDB" } else { c"MySQL" };
                put(arg.cast(), name.as_ptr());
            }
            v::MARIADB_CONNECTION_SERVER_VERSION_ID => {
                let version = c_bytes(A::server_version(mysql).read()).unwrap_or_default();
                put(arg.cast(), super::info::version_number(version));
            }
            v::MARIADB_CONNECTION_PROTOCOL_VERSION_ID => put(arg.cast(), A::protocol_version(mysql).read()),
            v::MARIADB_CONNECTION_SOCKET => put(arg.cast(), A::fd(mysql).read()),
            v::MARIADB_CONNECTION_TYPE | v::MARIADB_CONNECTION_PVIO_TYPE if connected => {
                let unix = !A::unix_socket(mysql).read().is_null();
                put(arg.cast(), if unix { UNIX_SOCKET } else { TCP_SOCKET });
            }
            v::MARIADB_CONNECTION_TYPE | v::MARIADB_CONNECTION_PVIO_TYPE => return Some(false),
            v::MARIADB_CONNECTION_INFO => put(arg.cast(), A::info(mysql).read()),
            v::MARIADB_CONNECTION_SCHEMA => put(arg.cast(), A::db(mysql).read()),
            v::MARIADB_CONNECTION_USER => put(arg.cast(), A::user(mysql).read()),
            v::MARIADB_CONNECTION_PORT => put(arg.cast(), A::port(mysql).read()),
            v::MARIADB_CONNECTION_UNIX_SOCKET => put(arg.cast(), A::unix_socket(mysql).read()),
            v::MARIADB_CONNECTION_HOST => put(arg.cast(), A::host(mysql).read()),
            v::MARIADB_CONNECTION_SERVER_STATUS => put(arg.cast(), A::server_status(mysql).read()),
            v::MARIADB_CONNECTION_SERVER_CAPABILITIES => put(arg.cast(), A::server_capabilities(mysql).read()),
            v::MARIADB_CONNECTION_CLIENT_CAPABILITIES => put(arg.cast(), A::client_flag(mysql).read()),
            _ => return None,
        }
    }
    Some(true)
}

/// Answers from the session behind the handle.
///
/// # Safety
/// `mysql` points to a valid handle; `arg` is what the number asks for.
unsafe fn of_session<A: Abi>(mysql: *mut A::Mysql, value: c_uint, arg: *mut c_void) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(handle) = Handle::<A>::lend(mysql) else { return false };
        let server = handle.session.server();
        let tls = server.and_then(|server| server.tls_version);
        match value {
            v::MARIADB_CONNECTION_MARIADB_CHARSET_INFO => {
                let info: MyCharsetInfo = super::charset::describe(handle.session.charset(), A::FAMILY);
                put(arg.cast(), info);
            }
            v::MARIADB_CONNECTION_TLS_VERSION => {
                let Some(version) = tls else { return false };
                put(arg.cast(), version.c_name().as_ptr());
            }
            v::MARIADB_CONNECTION_TLS_VERSION_ID => {
                let Some(version) = tls else { return false };
                put(arg.cast(), version as c_uint);
            }
            v::MARIADB_CONNECTION_SSL_CIPHER => put(arg.cast(), super::info::mysql_get_ssl_cipher::<A>(mysql)),
            v::MARIADB_CONNECTION_EXTENDED_SERVER_CAPABILITIES => {
                let extended = server.map_or(0, |server| server.capabilities >> 32);
                put(arg.cast(), extended as c_ulong);
            }
            // Only a suspended call waits for something.
            v::MARIADB_CONNECTION_ASYNC_TIMEOUT | v::MARIADB_CONNECTION_ASYNC_TIMEOUT_MS => {}
            _ => return false,
        }
    }
    true
}

/// Whether the server's version names MariaDB.
///
/// # Safety
/// `mysql` points to a `MYSQL`.
unsafe fn is_mariadb<A: Abi>(mysql: *mut A::Mysql) -> bool {
    // SAFETY: the caller's promise.
    let version = unsafe { c_bytes(A::server_version(mysql).read()) }.unwrap_or_default();
    let has = |word: &[u8]| version.windows(word.len()).any(|part| part == word);
    has(b"MariaDB") || has(b"-maria-")
}

entry! {
    /// One value, by its number (`enum mariadb_value`). Variadic in C: a character set's name or number follows `arg`
    /// where one is asked for.
    ///
    /// Source: Connector/C 3.3. Returns: 0 and the value in `arg`, whose type depends on the number; -1 if there is none.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `arg` and `extra` are what the number asks for.
    fn mariadb_get_infov<A>(mysql: *mut A::Mysql, value: c_uint, arg: *mut c_void, extra: *const c_void) -> c_char;
    plain, fails -1, {
        // SAFETY: the caller's promise.
        let mut found = unsafe { of_library(value, arg, extra) };
        // SAFETY: the caller's promise.
        if found.is_none() && unsafe { Handle::<A>::is_others(mysql) } {
            return -1;
        }
        if found.is_none() && !mysql.is_null() {
            // SAFETY: the caller's promise.
            found = unsafe { of_fields::<A>(mysql, value, arg) };
        }
        if found.is_none() && !mysql.is_null() {
            // SAFETY: the caller's promise.
            found = Some(unsafe { of_session::<A>(mysql, value, arg) });
        }
        if found == Some(true) { 0 } else { -1 }
    }
}

entry! {
    /// [`mariadb_get_infov`] for numbers that ask for nothing more.
    ///
    /// # Safety
    /// As [`mariadb_get_infov`].
    fn mariadb_get_info<A>(mysql: *mut A::Mysql, value: c_uint, arg: *mut c_void) -> c_char;
    plain, fails -1, {
        // SAFETY: the caller's promise.
        unsafe { mariadb_get_infov::<A>(mysql, value, arg, std::ptr::null()) }
    }
}

entry! {
    /// Whether the server is MariaDB, by its version. Returns: 1 or 0.
    ///
    /// # Safety
    /// `mysql` is NULL or points to a `MYSQL`.
    fn mariadb_connection<A>(mysql: *mut A::Mysql) -> c_char;
    handle mysql, fails 0, {
        // SAFETY: the caller's promise.
        c_char::from(unsafe { !Handle::<A>::is_others(mysql) && is_mariadb::<A>(mysql) })
    }
}
