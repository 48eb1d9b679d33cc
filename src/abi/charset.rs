//! Entries on character sets and escaping.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_ulong};
use std::ptr;

use crate::charset::{self, Collation, escape};
use crate::conn::driver::block_on;
use crate::options::Family;

use super::convert::{c_bytes, slice};
use super::entry::{entry, set_error};
use super::family::MyCharsetInfo;
use super::handle::Handle;
use super::step;

/// `CR_INSECURE_API_ERR`.
const INSECURE_API: u32 = 2062;

entry! {
    /// The handle's character set, for instance "utf8mb4".
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_character_set_name<F>(mysql: *mut F::Mysql) -> *const c_char;
    handle mysql, fails ptr::null(), {
        // SAFETY: the caller's promise.
        let reading = unsafe { step::reading::<F>(mysql) };
        reading.map_or(ptr::null(), |(collation, _)| collation.charset().c_name().as_ptr())
    }
}

entry! {
    /// Changes the handle's character set: SET NAMES on every node, and escaping follows.
    ///
    /// Returns: 0; 1 on an error. Errors: 2019 for a name that is not known here; 1115 for one the server lacks; 2006 on a
    /// handle that is not connected (MariaDB family).
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `name` a NUL-ended string.
    fn mysql_set_character_set<F>(mysql: *mut F::Mysql, name: *const c_char) -> c_int;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        let name = unsafe { c_bytes(name) }.unwrap_or_default();
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return 1 };
        let connected = handle.session.is_connected();
        let result = block_on(handle.session.set_character_set(name));
        if result.is_ok() && !connected && F::FAMILY == Family::MySql {
            // Remembered without a word: what the last call left stays.
            // SAFETY: lent through `mysql`.
            unsafe { handle.publish_quietly(mysql) };
            return 0;
        }
        // SAFETY: lent through `mysql`.
        unsafe { handle.answer(mysql, result) }
    }
}

/// Fills a `MY_CHARSET_INFO` as the family's original does.
pub(super) fn describe(collation: Collation, family: Family) -> MyCharsetInfo {
    let charset = collation.charset();
    let mysql = family == Family::MySql;
    MyCharsetInfo {
        number: u32::from(collation.id()),
        state: if mysql { charset.mysql_state() } else { 0 },
        csname: charset.c_name().as_ptr(),
        name: collation.c_name(family).as_ptr(),
        comment: if mysql { charset.comment().as_ptr() } else { ptr::null() },
        dir: ptr::null(),
        mbminlen: u32::from(charset.mbminlen),
        mbmaxlen: u32::from(charset.mbmaxlen),
    }
}

entry! {
    /// Tells all about the handle's character set.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `info` is a writable `MY_CHARSET_INFO`.
    fn mysql_get_character_set_info<F>(mysql: *mut F::Mysql, info: *mut MyCharsetInfo);
    handle mysql, fails (), {
        // SAFETY: the caller's promise.
        if let Some((collation, _)) = unsafe { step::reading::<F>(mysql) }
            && !info.is_null()
        {
            // SAFETY: the caller's promise.
            unsafe { info.write_unaligned(describe(collation, F::FAMILY)) };
        }
    }
}

/// A buffer for the escaped text: twice the length and the NUL, as the manual asks for.
///
/// # Safety
/// `to` is a writable buffer of `2 * length + 1` bytes.
unsafe fn room<'a>(to: *mut c_char, length: c_ulong) -> &'a mut [u8] {
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(to.cast::<u8>(), (length as usize) * 2 + 1) }
}

/// Escapes for the space between two `quote` characters, as the handle's server reads it; `literal`: it takes
/// backslashes for themselves.
fn escaped(to: &mut [u8], from: &[u8], (collation, literal): (Collation, bool), family: Family, quote: u8) -> c_ulong {
    let charset = collation.charset();
    let length = if quote == b'`' || literal {
        escape::doubled(to, from, charset, family, quote)
    } else {
        escape::backslashes(to, from, charset, family)
    };
    length.map_or(c_ulong::MAX, |length| length as c_ulong)
}

entry! {
    /// Escapes a text for use inside quotes, in the handle's character set; on a handle that never connected, in the
    /// section's `server_charset` or the option's.
    ///
    /// Units: bytes; `to` holds at least `2 * length + 1`. Returns: length of the escaped text, which is NUL-ended;
    /// all ones when the text cannot be escaped.
    /// Errors (MySQL family): 2062 when the server runs with NO_BACKSLASH_ESCAPES, where the quote must be known.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `from` is a readable buffer of `length`, `to` a writable one as said.
    fn mysql_real_escape_string<F>(
        mysql: *mut F::Mysql, to: *mut c_char, from: *const c_char, length: c_ulong,
    ) -> c_ulong;
    handle mysql, fails c_ulong::MAX, {
        if to.is_null() {
            return c_ulong::MAX;
        }
        // SAFETY: the caller's promise.
        let Some(reading) = (unsafe { step::reading::<F>(mysql) }) else { return c_ulong::MAX };
        if F::FAMILY == Family::MySql && reading.1 {
            set_error::<F>(
                mysql,
                INSECURE_API,
                b"HY000",
                b"Insecure API function call: 'mysql_real_escape_string' Use instead: 'mysql_real_escape_string_quote'",
            );
            return c_ulong::MAX;
        }
        // SAFETY: the caller's promise.
        let (to, from) = unsafe { (room(to, length), slice(from, length)) };
        escaped(to, from, reading, F::FAMILY, b'\'')
    }
}

entry! {
    /// As [`mysql_real_escape_string`], for a text between `quote` characters.
    ///
    /// # Safety
    /// As [`mysql_real_escape_string`].
    fn mysql_real_escape_string_quote<F>(
        mysql: *mut F::Mysql, to: *mut c_char, from: *const c_char, length: c_ulong, quote: c_char,
    ) -> c_ulong;
    handle mysql, fails c_ulong::MAX, {
        if to.is_null() {
            return c_ulong::MAX;
        }
        // SAFETY: the caller's promise.
        let Some(reading) = (unsafe { step::reading::<F>(mysql) }) else { return c_ulong::MAX };
        // SAFETY: the caller's promise.
        let (to, from) = unsafe { (room(to, length), slice(from, length)) };
        escaped(to, from, reading, F::FAMILY, quote as u8)
    }
}

entry! {
    /// Escapes without a handle, in a single-byte character set. Use [`mysql_real_escape_string`].
    ///
    /// # Safety
    /// `from` is a readable buffer of `length`, `to` a writable one of `2 * length + 1`.
    fn mysql_escape_string<F>(to: *mut c_char, from: *const c_char, length: c_ulong) -> c_ulong;
    plain, fails c_ulong::MAX, {
        if to.is_null() {
            return c_ulong::MAX;
        }
        let charset = charset::by_id(8).map(Collation::charset);
        let Some(charset) = charset else { return c_ulong::MAX };
        // SAFETY: the caller's promise.
        let (to, from) = unsafe { (room(to, length), slice(from, length)) };
        escape::backslashes(to, from, charset, F::FAMILY).map_or(c_ulong::MAX, |length| length as c_ulong)
    }
}
