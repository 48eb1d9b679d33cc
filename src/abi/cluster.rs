//! Our own entries: what a program may ask about its cluster. Each serves handles of both families.
//!
//! `include/mysqlclient_ms.h` is made from this file.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr;

use crate::route;
use crate::session::Session;

use super::convert::c_bytes;
use super::entry::{Blame, wall};
use super::family::{Abi, MariaDb, MySql};
use super::handle::{Handle, family_of};
use crate::options::Family;

/// The handle's session, whichever family the handle is of.
///
/// # Safety
/// `mysql` is NULL or a valid handle of either family; no other borrow of it is alive.
unsafe fn session<'a>(mysql: *mut c_void) -> Option<&'a mut Session> {
    // SAFETY: the caller's promise.
    unsafe {
        match family_of(mysql)? {
            Family::MySql => Handle::<MySql>::lend(mysql.cast()).map(|handle| &mut handle.session),
            Family::MariaDb => Handle::<MariaDb>::lend(mysql.cast()).map(|handle| &mut handle.session),
        }
    }
}

/// Runs an entry of ours behind the panic wall; no handle is blamed.
fn own<R>(name: &'static str, fails: R, work: impl FnOnce() -> R) -> R
where
    R: Copy,
{
    wall::<MySql, R>(name, Blame::Nobody, || fails, work)
}

/// The connection that a handle used last.
///
/// Texts are NUL-ended and valid until the handle's next call.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MysqlndMsConnection {
    /// "tcp" or "unix"; "" before the first connection.
    pub scheme: *const c_char,
    /// As `mysql_get_host_info` says; "" before the first connection.
    pub host_info: *const c_char,
    /// Host name or address; "localhost" for a socket.
    pub host: *const c_char,
    /// TCP port; 0 for a socket.
    pub port: c_uint,
    /// Path of the socket; "" for TCP.
    pub socket_or_pipe: *const c_char,
    /// Connection id on that server; 0 before the first connection.
    pub thread_id: c_ulong,
    /// As `mysql_info`; "" for none.
    pub last_message: *const c_char,
    /// As `mysql_errno`.
    pub error_no: c_uint,
    /// As `mysql_error`.
    pub error: *const c_char,
    /// As `mysql_sqlstate`.
    pub sqlstate: *const c_char,
}

/// Tells which connection the handle used last.
///
/// Source: mysqlnd_ms_get_last_used_connection of PECL mysqlnd_ms. On a handle that is not routed: its one connection.
/// Returns: 0; 1 for NULL or a handle that is not ours.
///
/// # Safety
/// `mysql` is NULL or a valid handle (`MYSQL *` of either family); `connection` is NULL or writable.
pub unsafe extern "C" fn mysqlnd_ms_get_last_used_connection(
    mysql: *mut c_void,
    connection: *mut MysqlndMsConnection,
) -> c_int {
    own("mysqlnd_ms_get_last_used_connection", 1, || {
        if connection.is_null() {
            return 1;
        }
        // SAFETY: the caller's promise.
        let told = unsafe {
            match family_of(mysql) {
                Some(Family::MySql) => describe::<MySql>(mysql.cast()),
                Some(Family::MariaDb) => describe::<MariaDb>(mysql.cast()),
                None => None,
            }
        };
        let Some(told) = told else { return 1 };
        // SAFETY: the caller's promise.
        unsafe { connection.write_unaligned(told) };
        0
    })
}

/// # Safety
/// `mysql` is a valid handle of this family.
unsafe fn describe<F: Abi>(mysql: *mut F::Mysql) -> Option<MysqlndMsConnection> {
    // SAFETY: the caller's promise.
    let handle = unsafe { Handle::<F>::lend(mysql) }?;
    let used = handle.session.last_used();
    let (host, socket) = (used.host.into_bytes(), used.socket);
    handle.answer = [host.as_slice(), &[0], &socket, &[0]].concat();
    let start: *const c_char = handle.answer.as_ptr().cast();
    let or_empty = |text: *const c_char| if text.is_null() { c"".as_ptr() } else { text };
    // SAFETY: offsets inside `answer`; public fields of a valid handle.
    unsafe {
        Some(MysqlndMsConnection {
            scheme: used.scheme.as_ptr(),
            host_info: or_empty(F::host_info(mysql).read()),
            host: start,
            port: c_uint::from(used.port),
            socket_or_pipe: start.add(host.len() + 1),
            thread_id: F::thread_id(mysql).read(),
            last_message: or_empty(F::info(mysql).read()),
            error_no: F::last_errno(mysql).read(),
            error: F::last_error(mysql).cast_const().cast(),
            sqlstate: F::sqlstate(mysql).cast_const().cast(),
        })
    }
}

/// Tells where a routed handle's last statement went and why: "node=... role=... class=... reason=...".
///
/// Returns: the text, valid until the handle's next call; NULL on a handle that is not routed, or before its first
/// statement.
///
/// # Safety
/// `mysql` is NULL or a valid handle (`MYSQL *` of either family).
pub unsafe extern "C" fn mysqlnd_ms_get_last_decision(mysql: *mut c_void) -> *const c_char {
    own("mysqlnd_ms_get_last_decision", ptr::null(), || {
        // SAFETY: the caller's promise.
        let text = unsafe { session(mysql) }.and_then(Session::last_decision);
        text.map_or(ptr::null(), |text| text.as_ptr().cast())
    })
}

/// Classifies a statement without running it.
///
/// Source: mysqlnd_ms_query_is_select of PECL mysqlnd_ms. Returns: 0 = a master (everything that is not proven to be a
/// plain read; NULL; the hint ms=master), 1 = a slave, 2 = the server used last.
///
/// # Safety
/// `query` is NULL or a NUL-ended string.
pub unsafe extern "C" fn mysqlnd_ms_query_is_select(query: *const c_char) -> c_int {
    own("mysqlnd_ms_query_is_select", 0, || {
        // SAFETY: the caller's promise.
        let sql = unsafe { c_bytes(query) }.unwrap_or_default();
        let no_split = super::environment::clusters().is_some_and(|clusters| clusters.directives.disable_rw_split);
        route::query_is_select(sql, &route::LexContext::default(), &route::ClassifyConfig::default(), no_split)
    })
}

/// Tests a text against a pattern: `%` = any characters, `_` = one character, a backslash takes the next one as it is.
///
/// Source: mysqlnd_ms_match_wild of PECL mysqlnd_ms, without its fault that the first `%` ended the test. Returns: 1 if
/// it fits, else 0 (also for NULL).
///
/// # Safety
/// `text` and `pattern` are NULL or NUL-ended strings.
pub unsafe extern "C" fn mysqlnd_ms_match_wild(text: *const c_char, pattern: *const c_char) -> c_int {
    own("mysqlnd_ms_match_wild", 0, || {
        // SAFETY: the caller's promise.
        match unsafe { (c_bytes(text), c_bytes(pattern)) } {
            (Some(text), Some(pattern)) => c_int::from(route::wild::match_wild(text, pattern)),
            _ => 0,
        }
    })
}
