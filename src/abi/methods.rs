//! `MYSQL.methods`: the table of functions that programs may call around the exported ones; this one is Connector/C's.
//!
//! Those that hand out rows, metadata or requests in the original's own memory answer with their failure, and there is no
//! table of the whole API for plugins, since none is loaded.

#![allow(unsafe_code)]

mod mysql;

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr::null_mut;

use crate::conn::driver::block_on;
use crate::options::Family;

use super::convert::c_bytes;
use super::entry::{entry, set_error};
use super::family::mariadb::{Methods, Mysql, Stmt};
use super::family::{Abi, Function, MariaDb};
use super::handle::{Handle, call};
use super::{connect, query};

/// A function of another type as the table keeps it.
macro_rules! erased {
    ($function:expr, $type:ty) => {{
        // SAFETY: only the program calls it, as the function that it is.
        Some(unsafe { std::mem::transmute::<$type, unsafe extern "C" fn()>($function) })
    }};
}
use erased;

/// What a handle of the MariaDB family points to.
pub(super) static METHODS: Table = Table(Methods {
    db_connect: erased!(connect::mysql_real_connect::<MariaDb>, Connect),
    db_close: erased!(close::<MariaDb>, unsafe extern "C" fn(*mut Mysql)),
    db_command: erased!(command::<MariaDb>, Command),
    db_skip_result: erased!(skip_result::<MariaDb>, unsafe extern "C" fn(*mut Mysql)),
    db_read_query_result: erased!(read_query_result::<MariaDb>, unsafe extern "C" fn(*mut Mysql) -> c_int),
    db_read_rows: REFUSED_NULL,
    db_read_one_row: REFUSED,
    db_supported_buffer_type: erased!(supported_buffer_type::<MariaDb>, unsafe extern "C" fn(c_int) -> c_char),
    db_read_prepare_response: erased!(statement_reply::<MariaDb>, unsafe extern "C" fn(*mut Stmt) -> c_int),
    db_read_stmt_result: erased!(read_query_result::<MariaDb>, unsafe extern "C" fn(*mut Mysql) -> c_int),
    db_stmt_get_result_metadata: REFUSED,
    db_stmt_get_param_metadata: REFUSED,
    db_stmt_read_all_rows: REFUSED,
    db_stmt_fetch: REFUSED,
    db_stmt_fetch_to_bind: REFUSED,
    db_stmt_flush_unbuffered: REFUSED_NULL,
    set_error: erased!(set_client_error::<MariaDb>, SetError),
    invalidate_stmts: REFUSED_NULL,
    api: null_mut(),
    db_read_execute_response: erased!(statement_reply::<MariaDb>, unsafe extern "C" fn(*mut Stmt) -> c_int),
    db_execute_generate_request: REFUSED_NULL,
});

type Connect = unsafe extern "C" fn(
    *mut Mysql,
    *const c_char,
    *const c_char,
    *const c_char,
    *const c_char,
    c_uint,
    *const c_char,
    c_ulong,
) -> *mut Mysql;
type Command = unsafe extern "C" fn(*mut Mysql, c_int, *const c_char, usize, c_char, *mut c_void) -> c_int;
type SetError = unsafe extern "C" fn(*mut Mysql, c_uint, *const c_char, *const c_char);

/// Shared by all handles, never written.
pub(super) struct Table(pub Methods);
// SAFETY: functions and a NULL.
unsafe impl Sync for Table {}

const REFUSED: Function = erased!(refused, unsafe extern "C" fn() -> usize);
const REFUSED_NULL: Function = erased!(refused_null, unsafe extern "C" fn() -> usize);

/// In the place of a function that returns a number or a truth value: it has failed.
unsafe extern "C" fn refused() -> usize {
    1
}

/// In the place of a function that returns a pointer or nothing.
unsafe extern "C" fn refused_null() -> usize {
    0
}

entry! {
    /// Ends the connection; the handle stays.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn close<F>(mysql: *mut F::Mysql);
    handle mysql, fails (), {
        // SAFETY: the caller's promise.
        unsafe {
            call::<F>(mysql, |session| {
                session.close();
                Ok(())
            })
        };
    }
}

entry! {
    /// Sends a command and, unless told to skip that, reads the packet that answers it.
    ///
    /// Returns: 0; 1 on an error. Errors: 2054 for a number that is no command and, on routed handles, for other commands
    /// than the simple ones; the server's, 2006, 2013, 2014.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `argument` is NULL or a readable buffer of `length` bytes, a NUL-ended string
    /// for length 0.
    fn command<F>(
        mysql: *mut F::Mysql, command: c_int, argument: *const c_char, length: usize, skip_check: c_char,
        _option: *mut c_void,
    ) -> c_int;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        let argument = unsafe {
            match length {
                0 => c_bytes(argument).unwrap_or_default(),
                _ => super::convert::slice(argument, length as c_ulong),
            }
        };
        // SAFETY: the caller's promise.
        unsafe { send_command::<F>(mysql, command, argument, skip_check == 0) }
    }
}

/// Sends a command; with `reads` the packet that answers it is read, and shown where a program looks for it.
///
/// # Safety
/// `mysql` is NULL or a valid handle.
pub(super) unsafe fn send_command<F: Abi>(mysql: *mut F::Mysql, command: c_int, argument: &[u8], reads: bool) -> c_int {
    // SAFETY: the caller's promise.
    let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return 1 };
    let command = u8::try_from(command).unwrap_or(u8::MAX);
    let mut packet = Vec::new();
    let result = block_on(handle.session.raw_command(command, argument, reads)).map(|read| packet = read);
    // SAFETY: lent through `mysql`.
    unsafe { show_packet(mysql, handle, packet) };
    // SAFETY: lent through `mysql`.
    unsafe { handle.answer(mysql, result) }
}

/// Shows a packet in `MYSQL.net.read_pos` and `MYSQL.packet_length`, NUL-ended; nothing for an empty one.
///
/// # Safety
/// `mysql` has lent `handle`.
unsafe fn show_packet<F: Abi>(mysql: *mut F::Mysql, handle: &mut Handle<F>, mut packet: Vec<u8>) {
    if packet.is_empty() {
        return;
    }
    let length = packet.len() as c_ulong;
    packet.push(0);
    handle.answer = packet;
    // SAFETY: the caller's promise.
    unsafe {
        F::read_pos(mysql).write(handle.answer.as_mut_ptr());
        F::packet_length(mysql).write(length);
    }
}

entry! {
    /// Reads away the rows of the present result.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn skip_result<F>(mysql: *mut F::Mysql);
    handle mysql, fails (), {
        // SAFETY: the caller's promise.
        if let Some(handle) = unsafe { Handle::<F>::lend(mysql) } {
            handle.session.give_up_rows();
            let result = block_on(handle.session.skip_given_up_rows());
            // SAFETY: lent through `mysql`.
            unsafe { handle.answer(mysql, result) };
        }
    }
}

entry! {
    /// Reads the head of the reply to a statement that was sent.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn read_query_result<F>(mysql: *mut F::Mysql) -> c_int;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        c_int::from(unsafe { query::mysql_read_query_result::<F>(mysql) })
    }
}

entry! {
    /// Whether the preparation or execution before this has failed: they read their replies themselves, also when the
    /// program has asked to read them (`MARIADB_OPT_SKIP_READ_RESPONSE`).
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn statement_reply<F>(stmt: *mut F::Stmt) -> c_int;
    statement stmt, fails 1, {
        // SAFETY: the caller's promise.
        c_int::from(unsafe { F::stmt_last_errno(stmt).read() } != 0)
    }
}

entry! {
    /// Whether a column or parameter may be of this type. Returns: 1 or 0.
    ///
    /// # Safety
    /// No pointer.
    fn supported_buffer_type<F>(number: c_int) -> c_char;
    plain, fails 0, { c_char::from(matches!(number, 0..=13 | 15 | 16 | 245..=255)) }
}

entry! {
    /// Puts an error into a handle. In C the text is a format with its arguments behind it; here the format itself is
    /// the text, and NULL the error's own.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; the texts are NULL or NUL-ended strings.
    fn set_client_error<F>(mysql: *mut F::Mysql, number: c_uint, state: *const c_char, format: *const c_char);
    handle mysql, fails (), {
        // SAFETY: the caller's promise.
        let (state, text) = unsafe { (c_bytes(state), c_bytes(format)) };
        let state = state.and_then(|state| state.first_chunk::<5>()).unwrap_or(b"HY000");
        let text = text.unwrap_or_else(|| super::values::client_error(number));
        set_error::<F>(mysql, number, state, text);
    }
}

/// Shows the family's table in a new handle.
///
/// # Safety
/// `mysql` points to a writable `A::Mysql`.
pub(super) unsafe fn publish<A: Abi>(mysql: *mut A::Mysql) {
    let table = match A::FAMILY {
        Family::MariaDb => (&raw const METHODS.0).cast::<c_void>(),
        Family::MySql => mysql::table(),
    };
    // SAFETY: the caller's promise.
    unsafe { A::methods(mysql).write(table) };
}
