//! libmysqlclient's `MYSQL.methods`.
//!
//! What programs call there works: sending a command, reading or skipping its result. The members that build rows,
//! columns or statements in the original's own memory answer with their failure.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_ulong, c_void};
use std::ptr::null;

use crate::abi::convert::slice;
use crate::abi::entry::entry;
use crate::abi::family::mysql::{Methods, Mysql, Res};
use crate::abi::family::{Function, MySql, Row};
use crate::abi::handle::Handle;
use crate::abi::query;
use crate::abi::result;
use crate::conn::driver::block_on;

use super::{REFUSED, REFUSED_NULL, erased, send_command, show_packet};

/// Shared by all handles, never written.
struct Table(Methods);
// SAFETY: functions only.
unsafe impl Sync for Table {}

const REFUSED_ASYNC: Function = erased!(refused_async, unsafe extern "C" fn() -> usize);

type Advanced =
    unsafe extern "C" fn(*mut Mysql, c_int, *const c_char, usize, *const c_char, usize, c_char, *mut c_void) -> c_char;
type Whole = unsafe extern "C" fn(*mut Mysql) -> c_char;

static METHODS: Table = Table(Methods {
    connect_method: REFUSED_NULL,
    read_query_result: erased!(query::mysql_read_query_result::<MySql>, Whole),
    advanced_command: erased!(advanced_command::<MySql>, Advanced),
    read_rows: REFUSED_NULL,
    use_result: erased!(result::mysql_use_result::<MySql>, unsafe extern "C" fn(*mut Mysql) -> *mut Res),
    fetch_row: erased!(result::mysql_fetch_row::<MySql>, unsafe extern "C" fn(*mut Res) -> Row),
    fetch_lengths: REFUSED_NULL,
    flush_use_result: erased!(flush_use_result::<MySql>, unsafe extern "C" fn(*mut Mysql, c_char)),
    read_change_user_result: REFUSED,
    list_fields: REFUSED_NULL,
    read_prepare_result: REFUSED,
    stmt_execute: REFUSED,
    read_binary_rows: REFUSED,
    unbuffered_fetch: REFUSED,
    read_statistics: erased!(read_statistics::<MySql>, unsafe extern "C" fn(*mut Mysql) -> *const c_char),
    next_result: erased!(query::mysql_read_query_result::<MySql>, Whole),
    read_rows_from_cursor: REFUSED,
    free_rows: REFUSED_NULL,
    read_query_result_nonblocking: REFUSED_ASYNC,
    advanced_command_nonblocking: REFUSED_ASYNC,
    read_rows_nonblocking: REFUSED_ASYNC,
    flush_use_result_nonblocking: REFUSED_ASYNC,
    next_result_nonblocking: REFUSED_ASYNC,
    read_change_user_result_nonblocking: REFUSED_ASYNC,
});

/// What a handle of the family points to.
pub(super) fn table() -> *const c_void {
    (&raw const METHODS.0).cast()
}

/// In the place of a non-blocking function: `NET_ASYNC_ERROR`.
unsafe extern "C" fn refused_async() -> usize {
    2
}

entry! {
    /// Sends a command, its argument in two parts, and, unless told to skip that, reads the packet that answers it into
    /// `net.read_pos` and `packet_length`.
    ///
    /// Returns: 0; 1 on an error. Errors: 2054 for a number that is no command and, on routed handles, for other commands
    /// than the simple ones; the server's, 2013, 2014.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; the parts are NULL or readable buffers of their lengths.
    fn advanced_command<F>(
        mysql: *mut F::Mysql, command: c_int, header: *const c_char, header_length: usize, argument: *const c_char,
        length: usize, skip_check: c_char, _statement: *mut c_void,
    ) -> c_char;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        let parts = unsafe { [slice(header, header_length as c_ulong), slice(argument, length as c_ulong)] };
        // SAFETY: the caller's promise.
        unsafe { send_command::<F>(mysql, command, &parts.concat(), skip_check == 0) as c_char }
    }
}

entry! {
    /// Reads away the rows of the present result; with `all` those of the statement's further results, too.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn flush_use_result<F>(mysql: *mut F::Mysql, all: c_char);
    handle mysql, fails (), {
        // SAFETY: the caller's promise.
        if let Some(handle) = unsafe { Handle::<F>::lend(mysql) } {
            let result = block_on(handle.session.skip_statement_rows(all != 0));
            // SAFETY: lent through `mysql`.
            unsafe { handle.answer(mysql, result) };
        }
    }
}

entry! {
    /// Reads the packet that answers COM_STATISTICS. Returns: its text, valid until the next call; NULL on an error.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn read_statistics<F>(mysql: *mut F::Mysql) -> *const c_char;
    handle mysql, fails null(), {
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return null() };
        let mut packet = Vec::new();
        let result = block_on(handle.session.read_packet()).map(|read| packet = read);
        // SAFETY: lent through `mysql`.
        unsafe { show_packet(mysql, handle, packet) };
        // SAFETY: lent through `mysql`.
        if unsafe { handle.answer(mysql, result) } == 0 { handle.answer.as_ptr().cast() } else { null() }
    }
}
