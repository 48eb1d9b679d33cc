//! Entries that need no session: library set-up, versions, small helpers.
//!
//! Nothing here has process-wide state but the two numbers behind `mysql_get_parameters`.
#![allow(unsafe_code)]

use crate::abi::convert::slice;
use crate::abi::entry::entry;
use crate::abi::family::{Abi, mariadb};
use crate::options::Family;
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulong};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};

/// What we say we are: the versions whose behaviour is followed.
const MYSQL_VERSION: (&CStr, c_ulong) = (c"9.7.4", 90704);
const MYSQL_VERSION_WITH_UPDATE: &CStr = c"9.7.4.0";
const MARIADB_VERSION: (&CStr, c_ulong) = (c"3.3.20", 30320);

fn version<A: Abi>() -> (&'static CStr, c_ulong) {
    match A::FAMILY {
        Family::MySql => MYSQL_VERSION,
        Family::MariaDb => MARIADB_VERSION,
    }
}

entry! {
    /// Sets the library up. There is nothing to set up: every part does it on first use. Also `mysql_library_init`.
    ///
    /// Source: manuals of both. Returns: 0. Errors: none.
    /// # Safety
    /// No pointer is read.
    fn mysql_server_init<A>(_argc: c_int, _argv: *mut *mut c_char, _groups: *mut *mut c_char) -> c_int;
    plain, fails 1, { 0 }
}

entry! {
    /// Ends the use of the library. Handles that are still open stay usable; the program's plugins are ended and forgotten.
    /// Also `mysql_library_end`.
    ///
    /// Source: manuals of both. Returns: nothing.
    /// # Safety
    /// No handle is in use.
    fn mysql_server_end<A>(); plain, fails (), { super::plugin::end::<A>() }
}

entry! {
    /// Prepares the calling thread. There is nothing to prepare.
    ///
    /// Source: manuals of both. Returns: 0.
    /// # Safety
    /// No pointer.
    fn mysql_thread_init<A>() -> c_char; plain, fails 1, { 0 }
}

entry! {
    /// Ends the calling thread's use of the library.
    ///
    /// Source: manuals of both. Returns: nothing.
    /// # Safety
    /// No pointer.
    fn mysql_thread_end<A>(); plain, fails (), {}
}

entry! {
    /// Whether threads may use the library, each its own handle.
    ///
    /// Source: manuals of both. Returns: 1.
    /// # Safety
    /// No pointer.
    fn mysql_thread_safe<A>() -> c_uint; plain, fails 0, { 1 }
}

entry! {
    /// Whether this is the embedded server (MariaDB family).
    ///
    /// Source: Connector/C 3.3. Returns: 0.
    /// # Safety
    /// No pointer.
    fn mysql_embedded<A>() -> c_char; plain, fails 0, { 0 }
}

entry! {
    /// The client library's version as text, as the original says it: programs compare it with their header's.
    ///
    /// Source: libmysqlclient 9.7.4, Connector/C 3.3.20. Returns: a constant string.
    /// # Safety
    /// No pointer.
    fn mysql_get_client_info<A>() -> *const c_char; plain, fails c"".as_ptr(), { version::<A>().0.as_ptr() }
}

entry! {
    /// The same with the fourth number, the version's update (MySQL family).
    ///
    /// Source: libmysqlclient 9.7.4. Returns: a constant string.
    /// # Safety
    /// No pointer.
    fn mysql_get_client_info_with_version_update<A>() -> *const c_char;
    plain, fails c"".as_ptr(), { MYSQL_VERSION_WITH_UPDATE.as_ptr() }
}

entry! {
    /// The version as a number: major * 10000 + minor * 100 + patch.
    ///
    /// Source: libmysqlclient 9.7.4, Connector/C 3.3.20. Returns: the number.
    /// # Safety
    /// No pointer.
    fn mysql_get_client_version<A>() -> c_ulong; plain, fails 0, { version::<A>().1 }
}

/// Two numbers that Connector/C lets programs read and write.
struct ParametersCell(mariadb::Parameters);
// SAFETY: the struct is never written, and the numbers behind it are only touched by the program.
unsafe impl Sync for ParametersCell {}

static MAX_ALLOWED_PACKET: AtomicU64 = AtomicU64::new(1 << 30);
static NET_BUFFER_LENGTH: AtomicU64 = AtomicU64::new(8192);
static PARAMETERS: ParametersCell = ParametersCell(mariadb::Parameters {
    p_max_allowed_packet: MAX_ALLOWED_PACKET.as_ptr().cast::<c_ulong>(),
    p_net_buffer_length: NET_BUFFER_LENGTH.as_ptr().cast::<c_ulong>(),
    extension: null_mut(),
});

/// Sets the process-wide limit, bytes: `mysql_options` without a handle.
pub(super) fn set_max_allowed_packet(bytes: u64) {
    MAX_ALLOWED_PACKET.store(bytes, Ordering::Relaxed);
}

/// Sets the process-wide buffer length, bytes: `mysql_options`, with a handle or without. Only read back: buffers here
/// are of the library's choice.
pub(super) fn set_net_buffer_length(bytes: u64) {
    NET_BUFFER_LENGTH.store(bytes, Ordering::Relaxed);
}

/// The process-wide limit, bytes, as the program may have changed it.
pub(super) fn max_allowed_packet() -> usize {
    MAX_ALLOWED_PACKET.load(Ordering::Relaxed) as usize
}

/// The process-wide buffer length, bytes, as the program may have changed it.
pub(super) fn net_buffer_length() -> usize {
    NET_BUFFER_LENGTH.load(Ordering::Relaxed) as usize
}

entry! {
    /// Where the process-wide `max_allowed_packet` and `net_buffer_length` are, in bytes (MariaDB family).
    ///
    /// Source: Connector/C 3.3.20: 1073741824 and 8192. Returns: a constant struct of pointers.
    /// # Safety
    /// No pointer is read. The program must not read or write the numbers from two threads at once.
    fn mysql_get_parameters<A>() -> *const mariadb::Parameters; plain, fails std::ptr::null(), { &raw const PARAMETERS.0 }
}

entry! {
    /// Starts a trace in debug builds of the originals; their release builds do nothing, as ours.
    ///
    /// Source: manuals of both. Returns: nothing.
    /// # Safety
    /// No pointer is read.
    fn mysql_debug<A>(_options: *const c_char); plain, fails (), {}
}

entry! {
    /// Writes bytes as upper-case hexadecimal digits and a NUL.
    ///
    /// Units: bytes. Source: manuals of both. Returns: digits written, without the NUL; 0 when there is no buffer.
    /// # Safety
    /// `to`: writable buffer of `2 * length + 1` bytes; `from`: readable buffer of `length` bytes. They may not overlap.
    fn mysql_hex_string<A>(to: *mut c_char, from: *const c_char, length: c_ulong) -> c_ulong;
    plain, fails 0, {
        if to.is_null() {
            return 0;
        }
        // SAFETY: the program promises `length` readable bytes.
        let bytes = unsafe { slice(from, length) };
        let mut place = to.cast::<u8>();
        for byte in bytes {
            for digit in [byte >> 4, byte & 15] {
                // SAFETY: two digits per byte fit into the buffer.
                unsafe { *place = b"0123456789ABCDEF"[usize::from(digit)] };
                place = place.wrapping_add(1);
            }
        }
        // SAFETY: the last byte of the buffer.
        unsafe { *place = 0 };
        2 * bytes.len() as c_ulong
    }
}

entry! {
    /// Forgets the server's RSA key. None is kept: it is asked for, when that is enabled, for each connection (MySQL family).
    ///
    /// Source: MySQL manual. Returns: nothing.
    /// # Safety
    /// No pointer.
    fn mysql_reset_server_public_key<A>(); plain, fails (), {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::family::{MariaDb, MySql};

    #[test]
    fn versions_are_the_originals() {
        // SAFETY: constant strings.
        let (mysql, mariadb) = unsafe {
            (
                CStr::from_ptr(mysql_get_client_info::<MySql>()).to_str(),
                CStr::from_ptr(mysql_get_client_info::<MariaDb>()).to_str(),
            )
        };
        assert_eq!((mysql, mariadb), (Ok("9.7.4"), Ok("3.3.20")));
        // SAFETY: no pointer.
        assert_eq!(unsafe { mysql_get_client_version::<MySql>() }, 90704);
    }

    #[test]
    fn hex() {
        let mut to = [b'.'; 8];
        // SAFETY: 2 * 3 + 1 bytes.
        let n = unsafe { mysql_hex_string::<MySql>(to.as_mut_ptr().cast(), b"a\xffZ".as_ptr().cast(), 3) };
        assert_eq!((n, &to), (6, b"61FF5A\0."));
        // SAFETY: no byte is read.
        let n = unsafe { mysql_hex_string::<MariaDb>(to.as_mut_ptr().cast(), std::ptr::null(), 5) };
        assert_eq!((n, to[0]), (0, 0));
    }

    #[test]
    fn parameters() {
        // SAFETY: no pointer.
        let parameters = unsafe { mysql_get_parameters::<MariaDb>() };
        // SAFETY: a constant struct of pointers to numbers.
        assert_eq!(unsafe { *(*parameters).p_max_allowed_packet }, 1 << 30);
    }
}
