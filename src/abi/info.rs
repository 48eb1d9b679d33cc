//! Entries that tell what is known without asking a server; on a lazy handle a few of them connect first.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_ulong};
use std::ptr;

use crate::conn::driver::block_on;
use crate::error::Error;
use crate::options::Family;
use crate::session::TrackType;

use super::entry::{entry, set_error};
use super::handle::Handle;
use super::step;

entry! {
    /// Error number of the last call; 0 = none. Reads `MYSQL.net.last_errno`, which programs may have written.
    ///
    /// # Safety
    /// `mysql` is NULL or points to a `MYSQL`, closed or not.
    fn mysql_errno<F>(mysql: *mut F::Mysql) -> c_uint;
    handle mysql, fails 0, {
        // SAFETY: the caller's promise.
        unsafe { F::last_errno(mysql).read() }
    }
}

entry! {
    /// Text of the last call's error, "" = none. Never NULL.
    ///
    /// # Safety
    /// `mysql` is NULL or points to a `MYSQL`, closed or not.
    fn mysql_error<F>(mysql: *mut F::Mysql) -> *const c_char;
    handle mysql, fails c"".as_ptr(), {
        F::last_error(mysql).cast_const().cast()
    }
}

entry! {
    /// SQLSTATE of the last call, "00000" = no error. Never NULL.
    ///
    /// # Safety
    /// `mysql` is NULL or points to a `MYSQL`, closed or not.
    fn mysql_sqlstate<F>(mysql: *mut F::Mysql) -> *const c_char;
    handle mysql, fails sqlstate_of_nobody(F::FAMILY), {
        F::sqlstate(mysql).cast_const().cast()
    }
}

/// What `mysql_sqlstate` says of NULL: libmysqlclient, that there is no connection.
fn sqlstate_of_nobody(family: Family) -> *const c_char {
    match family {
        Family::MySql => c"08001".as_ptr(),
        Family::MariaDb => c"00000".as_ptr(),
    }
}

entry! {
    /// Rows changed by the last statement, or read by `mysql_store_result`; all ones after an error or before that.
    ///
    /// # Safety
    /// `mysql` is NULL or points to a `MYSQL`.
    fn mysql_affected_rows<F>(mysql: *mut F::Mysql) -> u64;
    handle mysql, fails !0, {
        // SAFETY: the caller's promise.
        if unsafe { Handle::<F>::is_others(mysql) } {
            return !0;
        }
        // SAFETY: the caller's promise.
        unsafe { F::affected_rows(mysql).read() }
    }
}

entry! {
    /// First id that the last INSERT generated. Reads `MYSQL.insert_id`, which programs may have written.
    ///
    /// # Safety
    /// `mysql` is NULL or points to a `MYSQL`.
    fn mysql_insert_id<F>(mysql: *mut F::Mysql) -> u64;
    handle mysql, fails 0, {
        // SAFETY: the caller's promise.
        if unsafe { Handle::<F>::is_others(mysql) } {
            return 0;
        }
        // SAFETY: the caller's promise.
        unsafe { F::insert_id(mysql).read() }
    }
}

entry! {
    /// Columns of the last statement's result; 0 = it has none.
    ///
    /// # Safety
    /// `mysql` is NULL or points to a `MYSQL`.
    fn mysql_field_count<F>(mysql: *mut F::Mysql) -> c_uint;
    handle mysql, fails 0, {
        // SAFETY: the caller's promise.
        if unsafe { Handle::<F>::is_others(mysql) } {
            return 0;
        }
        // SAFETY: the caller's promise.
        unsafe { F::field_count(mysql).read() }
    }
}

entry! {
    /// Warnings of the last statement.
    ///
    /// # Safety
    /// `mysql` is NULL or points to a `MYSQL`.
    fn mysql_warning_count<F>(mysql: *mut F::Mysql) -> c_uint;
    handle mysql, fails 0, {
        // SAFETY: the caller's promise.
        if unsafe { Handle::<F>::is_others(mysql) } {
            return 0;
        }
        // SAFETY: the caller's promise.
        unsafe { F::warning_count(mysql).read() }
    }
}

entry! {
    /// The last statement's text of the kind "Records: 3  Duplicates: 0  Warnings: 0"; NULL if it has none.
    ///
    /// # Safety
    /// `mysql` is NULL or points to a `MYSQL`.
    fn mysql_info<F>(mysql: *mut F::Mysql) -> *const c_char;
    handle mysql, fails ptr::null(), {
        // SAFETY: the caller's promise.
        if unsafe { Handle::<F>::is_others(mysql) } {
            return ptr::null();
        }
        // SAFETY: the caller's promise.
        unsafe { F::info(mysql).read() }
    }
}

entry! {
    /// Connection id on the server used last; 0 on a lazy handle that has not connected.
    ///
    /// # Safety
    /// `mysql` is NULL or points to a `MYSQL`.
    fn mysql_thread_id<F>(mysql: *mut F::Mysql) -> c_ulong;
    handle mysql, fails 0, {
        // SAFETY: the caller's promise.
        if unsafe { Handle::<F>::is_others(mysql) } {
            return 0;
        }
        // SAFETY: the caller's promise.
        unsafe { F::thread_id(mysql).read() }
    }
}

entry! {
    /// Protocol version: 10.
    ///
    /// # Safety
    /// `mysql` is NULL or points to a `MYSQL`.
    fn mysql_get_proto_info<F>(mysql: *mut F::Mysql) -> c_uint;
    handle mysql, fails 0, {
        // SAFETY: the caller's promise.
        if unsafe { Handle::<F>::is_others(mysql) } {
            return 0;
        }
        // SAFETY: the caller's promise.
        unsafe { F::protocol_version(mysql).read() }
    }
}

/// Makes sure that `text`, a field of a handle that a connection fills, says something: a lazy handle connects for it.
///
/// # Safety
/// `mysql` is NULL or a valid handle; `text` is a field of it.
pub(super) unsafe fn know_server<F: super::family::Abi>(mysql: *mut F::Mysql, text: *mut *mut c_char) -> bool {
    // SAFETY: the caller's promise.
    if unsafe { Handle::<F>::is_others(mysql) } {
        return false;
    }
    // What was published stays, also when the connection is gone, and while an operation is pending.
    // SAFETY: the caller's promise; a published text is ended by NUL.
    if unsafe { super::convert::c_bytes(text.read()) }.is_some_and(|text| !text.is_empty()) {
        return true;
    }
    // SAFETY: the caller's promise.
    let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return false };
    if !handle.session.is_routed() && handle.session.server().is_none() {
        // Nothing to ask, and no error, as in the originals.
        return false;
    }
    let result = block_on(handle.session.know_server());
    // SAFETY: lent through `mysql`.
    unsafe { handle.answer(mysql, result) == 0 }
}

/// Connects a lazy handle that has no connection yet, for what only a connection knows. Its error waits for a statement.
///
/// # Safety
/// `mysql` is a valid handle.
unsafe fn meet_server<F: super::family::Abi>(mysql: *mut F::Mysql) {
    // SAFETY: the caller's promise; a handle that never connected or was closed has no `vio`.
    if unsafe { !F::vio(mysql).read().is_null() } {
        // SAFETY: the caller's promise.
        unsafe { know_server::<F>(mysql, F::host_info(mysql)) };
    }
}

entry! {
    /// The server's version text. A lazy handle whose section is not known yet connects to its source.
    ///
    /// Returns: the text; NULL if there is no server, without an error on a handle that is not connected.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_get_server_info<F>(mysql: *mut F::Mysql) -> *const c_char;
    handle mysql, fails ptr::null(), {
        // SAFETY: the caller's promise.
        if unsafe { !know_server::<F>(mysql, F::server_version(mysql)) } {
            return ptr::null();
        }
        // SAFETY: the caller's promise.
        unsafe { F::server_version(mysql).read() }
    }
}

entry! {
    /// The server's version as a number: major * 10000 + minor * 100 + patch; 0 if there is no server.
    ///
    /// Errors: 2014 on a handle that is not connected (MySQL family).
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_get_server_version<F>(mysql: *mut F::Mysql) -> c_ulong;
    handle mysql, fails 0, {
        // SAFETY: the caller's promise.
        if unsafe { !know_server::<F>(mysql, F::server_version(mysql)) } {
            // SAFETY: the caller's promise.
            let plain = unsafe { Handle::<F>::lend_quietly(mysql) }.is_some_and(|handle| !handle.session.is_routed());
            if F::FAMILY == Family::MySql && plain {
                let error = Error::out_of_sync();
                set_error::<F>(mysql, error.code, &error.sqlstate, &error.message);
            }
            return 0;
        }
        // SAFETY: the caller's promise; the server's version was published.
        let version = unsafe { super::convert::c_bytes(F::server_version(mysql).read()) }.unwrap_or_default();
        version_number(version)
    }
}

/// "10.11.19-MariaDB" -> 101119; what is no number counts as 0.
pub(super) fn version_number(text: &[u8]) -> c_ulong {
    let mut parts = text.split(|byte| *byte == b'.').map(|part| {
        part.iter()
            .take_while(|byte| byte.is_ascii_digit())
            .fold(0_u64, |number, digit| (number * 10 + u64::from(digit - b'0')).min(99_999))
    });
    let mut next = || parts.next().unwrap_or(0);
    let (major, minor, patch) = (next(), next(), next());
    (major * 10_000 + minor * 100 + patch) as c_ulong
}

entry! {
    /// "127.0.0.1 via TCP/IP" or "Localhost via UNIX socket"; NULL if not connected.
    ///
    /// # Safety
    /// `mysql` is NULL or points to a `MYSQL`.
    fn mysql_get_host_info<F>(mysql: *mut F::Mysql) -> *const c_char;
    handle mysql, fails ptr::null(), {
        // SAFETY: the caller's promise.
        if unsafe { !know_server::<F>(mysql, F::host_info(mysql)) } {
            return ptr::null();
        }
        // SAFETY: the caller's promise.
        unsafe { F::host_info(mysql).read() }
    }
}

entry! {
    /// The TLS cipher in use, in OpenSSL's spelling; NULL without TLS.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_get_ssl_cipher<F>(mysql: *mut F::Mysql) -> *const c_char;
    handle mysql, fails ptr::null(), {
        // SAFETY: the caller's promise.
        unsafe { meet_server::<F>(mysql) };
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return ptr::null() };
        let Some(cipher) = handle.session.server().and_then(|server| server.tls_cipher.as_ref()) else {
            return ptr::null();
        };
        handle.answer = [cipher.as_bytes(), &[0]].concat();
        handle.answer.as_ptr().cast()
    }
}

entry! {
    /// "MySQL" or "MariaDB", by the server's greeting.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_get_server_name<F>(mysql: *mut F::Mysql) -> *const c_char;
    handle mysql, fails ptr::null(), {
        // SAFETY: the caller's promise.
        unsafe { meet_server::<F>(mysql) };
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return ptr::null() };
        match handle.session.server() {
            Some(server) if server.is_mariadb => c"MariaDB".as_ptr(),
            _ => c"MySQL".as_ptr(),
        }
    }
}

entry! {
    /// The handle's socket; -1 if it is not connected.
    ///
    /// # Safety
    /// `mysql` is NULL or points to a `MYSQL`.
    fn mysql_get_socket<F>(mysql: *mut F::Mysql) -> c_int;
    handle mysql, fails -1, {
        // SAFETY: the caller's promise.
        if unsafe { Handle::<F>::is_others(mysql) || F::vio(mysql).read().is_null() && !step::is_busy::<F>(mysql) } {
            return -1;
        }
        // SAFETY: the caller's promise.
        unsafe { F::fd(mysql).read() }
    }
}

/// Gives the string number `index` of a kind of session change.
///
/// # Safety
/// `mysql` is NULL or a valid handle; `data` and `length` are NULL or writable.
unsafe fn change<F: super::family::Abi>(
    mysql: *mut F::Mysql,
    kind: c_uint,
    first: bool,
    data: *mut *const c_char,
    length: *mut usize,
) -> c_int {
    // SAFETY: the caller's promise.
    let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return 1 };
    // With a callback the changes are its.
    let tracked = !handle.settings.status_callback.is_set();
    let found = TrackType::from_number(kind).filter(|_| tracked).and_then(|wanted| {
        let place = handle.track.get_mut(kind as usize)?;
        if first {
            *place = 0;
        }
        let changes = handle.session.session_changes();
        let text = changes.into_iter().filter(|(kind, _)| *kind == wanted).map(|(_, text)| text).nth(*place)?;
        *place += 1;
        Some(text)
    });
    let (start, count) = found.map_or((ptr::null(), 0), |text| (text.as_ptr().cast::<c_char>(), text.len()));
    // SAFETY: the caller's promise.
    unsafe {
        if !data.is_null() {
            data.write(start);
        }
        if !length.is_null() {
            length.write(count);
        }
    }
    c_int::from(found.is_none())
}

entry! {
    /// The first session change of a kind that the last reply carried. Variables give name and value in turn.
    ///
    /// Returns: 0 and the text (not NUL-ended); 1 = none.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `data` and `length` are writable.
    fn mysql_session_track_get_first<F>(
        mysql: *mut F::Mysql, kind: c_uint, data: *mut *const c_char, length: *mut usize,
    ) -> c_int;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { change::<F>(mysql, kind, true, data, length) }
    }
}

entry! {
    /// The next one, after [`mysql_session_track_get_first`].
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `data` and `length` are writable.
    fn mysql_session_track_get_next<F>(
        mysql: *mut F::Mysql, kind: c_uint, data: *mut *const c_char, length: *mut usize,
    ) -> c_int;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { change::<F>(mysql, kind, false, data, length) }
    }
}

#[cfg(test)]
mod tests {
    use super::version_number;

    #[test]
    fn version_texts_become_numbers() {
        for (text, number) in [
            ("9.7.4", 90_704),
            ("10.11.19-MariaDB-0+deb12u1", 101_119),
            ("5.6.24-log", 50_624),
            ("8.0", 80_000),
            ("", 0),
            ("99999999999999999999.1.1", 999_990_101),
        ] {
            assert_eq!(version_number(text.as_bytes()), number, "{text}");
        }
    }
}
