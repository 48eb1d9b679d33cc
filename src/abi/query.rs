//! Entries that run statements, and those that walk through several results.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_ulong};
use std::pin::pin;
use std::ptr;

use crate::conn::driver::{block_on, block_on_pinned};
use crate::error::Error;
use crate::options::Family;
use crate::result::Columns;

use super::attributes::sending;
use super::convert::{c_bytes, slice};
use super::entry::entry;
use super::handle::{Handle, call};
use super::memory::Result;

entry! {
    /// Runs a statement of `length` bytes, which may hold NULs, and reads the head of its reply.
    ///
    /// Routing: by the statement's class; see docs/architecture.md. Returns: 0; 1 on an error.
    /// Errors: 2006 not executed, 2013 unknown, 2014 out of order, 2020 too large; the server's.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `query` a readable buffer of `length` bytes.
    fn mysql_real_query<F>(mysql: *mut F::Mysql, query: *const c_char, length: c_ulong) -> c_int;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        let sql = unsafe { slice(query, length) };
        // SAFETY: the caller's promise.
        unsafe { sending::<F>(mysql, |session| block_on_pinned(pin!(session.run(sql)))) }
    }
}

entry! {
    /// Runs a NUL-ended statement: [`mysql_real_query`] with its length.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `query` a NUL-ended string.
    fn mysql_query<F>(mysql: *mut F::Mysql, query: *const c_char) -> c_int;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        let sql = unsafe { c_bytes(query) }.unwrap_or_default();
        // SAFETY: the caller's promise.
        unsafe { sending::<F>(mysql, |session| block_on_pinned(pin!(session.run(sql)))) }
    }
}

entry! {
    /// Sends a statement without waiting for its reply, which [`mysql_read_query_result`] reads; meanwhile the
    /// program may poll the handle's descriptor.
    ///
    /// Returns: 0; 1 on an error. Errors: as [`mysql_real_query`].
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `query` a readable buffer of `length` bytes.
    fn mysql_send_query<F>(mysql: *mut F::Mysql, query: *const c_char, length: c_ulong) -> c_int;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        let sql = unsafe { slice(query, length) };
        // SAFETY: the caller's promise.
        unsafe { sending::<F>(mysql, |session| block_on(session.send_query(sql))) }
    }
}

entry! {
    /// Reads the head of the reply to [`mysql_send_query`].
    ///
    /// Returns: 0; 1 on an error. Errors: 2014 without a statement on its way; otherwise as [`mysql_real_query`].
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_read_query_result<F>(mysql: *mut F::Mysql) -> c_char;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { call::<F>(mysql, |session| block_on(session.read_query_result())) as c_char }
    }
}

/// `SERVER_MORE_RESULTS_EXISTS`.
const MORE_RESULTS: c_uint = 8;

entry! {
    /// Whether the statement has further results. Returns: 1 or 0.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_more_results<F>(mysql: *mut F::Mysql) -> c_char;
    handle mysql, fails 0, {
        // SAFETY: the caller's promise.
        if unsafe { Handle::<F>::pending(mysql) }.is_some() {
            // As the last call has left it: programs look while they wait for the next result.
            // SAFETY: the caller's promise.
            return c_char::from(unsafe { F::server_status(mysql).read() } & MORE_RESULTS != 0);
        }
        // SAFETY: the caller's promise.
        unsafe { Handle::<F>::lend(mysql) }.map_or(0, |handle| c_char::from(handle.session.more_results()))
    }
}

entry! {
    /// Reads the head of the next result.
    ///
    /// Returns: 0 = there is one; -1 = no more; above 0 = an error.
    /// Errors: 2014 while rows of the present result are unread; otherwise as [`mysql_real_query`].
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_next_result<F>(mysql: *mut F::Mysql) -> c_int;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return 1 };
        let result = block_on(handle.session.next_result());
        next_answer(handle, mysql, result)
    }
}

/// Publishes what `mysql_next_result` found. `mysql` has lent `handle`.
pub(super) fn next_answer<F: super::family::Abi>(
    handle: &mut Handle<F>,
    mysql: *mut F::Mysql,
    result: std::result::Result<bool, Error>,
) -> c_int {
    let mut more = true;
    // SAFETY: lent through `mysql`.
    match unsafe { handle.answer(mysql, result.map(|found| more = found)) } {
        0 if !more => -1,
        answer => answer,
    }
}

entry! {
    /// Switches autocommit. Returns: 0; 1 on an error.
    ///
    /// Routing: off counts as a transaction, which belongs to the source.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_autocommit<F>(mysql: *mut F::Mysql, mode: c_char) -> c_char;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { call::<F>(mysql, |session| block_on(session.autocommit(mode != 0))) as c_char }
    }
}

entry! {
    /// Commits the open transaction, on the node where it is. Returns: 0; 1 on an error.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_commit<F>(mysql: *mut F::Mysql) -> c_char;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { call::<F>(mysql, |session| block_on(session.commit())) as c_char }
    }
}

entry! {
    /// Rolls the open transaction back, on the node where it is. Returns: 0; 1 on an error.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_rollback<F>(mysql: *mut F::Mysql) -> c_char;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { call::<F>(mysql, |session| block_on(session.rollback())) as c_char }
    }
}

/// Runs a statement of ours and stores its result.
///
/// # Safety
/// `mysql` is NULL or a valid handle.
unsafe fn list<F: super::family::Abi>(mysql: *mut F::Mysql, sql: &[u8]) -> *mut F::Res {
    // SAFETY: the caller's promise.
    if unsafe { call::<F>(mysql, |session| block_on_pinned(pin!(session.run(sql)))) } != 0 {
        return ptr::null_mut();
    }
    // SAFETY: the caller's promise.
    unsafe { super::result::mysql_store_result::<F>(mysql) }
}

/// `SHOW what`, with the pattern as the family's original writes it, which the name of the column repeats: libmysqlclient
/// quotes it and leaves an empty one out; Connector/C takes it as it is, `%` for NULL, into a buffer of 255 bytes.
fn show<F: super::family::Abi>(what: &str, wild: Option<&[u8]>) -> Vec<u8> {
    const BUFFER: usize = 255;
    if F::FAMILY == Family::MariaDb {
        let mut sql = format!("SHOW {} LIKE '", what.to_ascii_uppercase()).into_bytes();
        sql.extend_from_slice(wild.unwrap_or(b"%"));
        sql.push(b'\'');
        sql.truncate(BUFFER - 1);
        return sql;
    }
    let mut sql = format!("show {what}").into_bytes();
    if let Some(wild) = wild.filter(|wild| !wild.is_empty()) {
        sql.extend_from_slice(b" like '");
        for &byte in wild {
            if matches!(byte, b'\\' | b'\'') {
                sql.push(b'\\');
            }
            sql.push(byte);
        }
        sql.push(b'\'');
    }
    sql
}

entry! {
    /// The databases whose names match a pattern (NULL = all): `SHOW DATABASES LIKE`.
    ///
    /// Returns: a buffered result; NULL on an error.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `wild` NULL or a NUL-ended string.
    fn mysql_list_dbs<F>(mysql: *mut F::Mysql, wild: *const c_char) -> *mut F::Res;
    handle mysql, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        let sql = show::<F>("databases", unsafe { c_bytes(wild) });
        // SAFETY: the caller's promise.
        unsafe { list::<F>(mysql, &sql) }
    }
}

entry! {
    /// The tables of the default schema whose names match a pattern: `SHOW TABLES LIKE`.
    ///
    /// Returns: a buffered result; NULL on an error.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `wild` NULL or a NUL-ended string.
    fn mysql_list_tables<F>(mysql: *mut F::Mysql, wild: *const c_char) -> *mut F::Res;
    handle mysql, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        let sql = show::<F>("tables", unsafe { c_bytes(wild) });
        // SAFETY: the caller's promise.
        unsafe { list::<F>(mysql, &sql) }
    }
}

entry! {
    /// The server's connections: `SHOW PROCESSLIST`.
    ///
    /// Returns: a buffered result; NULL on an error.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_list_processes<F>(mysql: *mut F::Mysql) -> *mut F::Res;
    handle mysql, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        unsafe { list::<F>(mysql, b"show processlist") }
    }
}

entry! {
    /// The columns of a table whose names match a pattern, with their default values.
    ///
    /// Returns: a result without rows; NULL on an error.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `table` and `wild` NULL or NUL-ended strings.
    fn mysql_list_fields<F>(mysql: *mut F::Mysql, table: *const c_char, wild: *const c_char) -> *mut F::Res;
    handle mysql, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        let (table, wild) = unsafe { (c_bytes(table).unwrap_or_default(), c_bytes(wild).unwrap_or_default()) };
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return ptr::null_mut() };
        let result = block_on(handle.session.list_fields(table, wild));
        columns_of_table(handle, mysql, result)
    }
}

/// Publishes what `mysql_list_fields` found. `mysql` has lent `handle`.
pub(super) fn columns_of_table<F: super::family::Abi>(
    handle: &mut Handle<F>,
    mysql: *mut F::Mysql,
    result: std::result::Result<Columns, Error>,
) -> *mut F::Res {
    let mut columns = None;
    // SAFETY: lent through `mysql`.
    unsafe { handle.answer(mysql, result.map(|found| columns = Some(found))) };
    columns.map_or(ptr::null_mut(), Result::<F>::metadata)
}
