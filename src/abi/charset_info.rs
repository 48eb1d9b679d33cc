//! `MARIADB_CHARSET_INFO`: character sets as Connector/C's programs see them, in `MYSQL.charset` and by name or number.
//!
//! One constant struct per collation, filled when it is first asked for. Facts come from [`crate::charset`].

#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_uint};
use std::sync::OnceLock;

use crate::charset::{self, Collation, Scheme};
use crate::options::Family;

use super::convert::{c_bytes, put};
use super::entry::entry;
use super::family::Function;
use super::family::mariadb::CharsetInfo;

/// A struct that is never changed once it is there.
struct Shared(CharsetInfo);
// SAFETY: its pointers lead to constants; nobody writes to it.
unsafe impl Sync for Shared {}
// SAFETY: as above.
unsafe impl Send for Shared {}

static INFOS: [OnceLock<Shared>; charset::COLLATION_COUNT] = [const { OnceLock::new() }; charset::COLLATION_COUNT];

/// The struct of a collation, for as long as the process lives.
pub(super) fn of(collation: Collation) -> *const CharsetInfo {
    let shared = INFOS[collation.index()].get_or_init(|| {
        let charset = collation.charset();
        let (mb_charlen, mb_valid) = functions(charset.scheme);
        Shared(CharsetInfo {
            nr: c_uint::from(collation.id()),
            state: 1,
            csname: charset.c_name().as_ptr(),
            name: collation.c_name(Family::MariaDb).as_ptr(),
            dir: c"".as_ptr(),
            codepage: charset.codepage,
            encoding: charset.encoding().as_ptr(),
            char_minlen: c_uint::from(charset.mbminlen),
            char_maxlen: c_uint::from(charset.mbmaxlen),
            mb_charlen,
            mb_valid,
        })
    });
    &raw const shared.0
}

/// The struct of a character set's default collation; None for a name that Connector/C does not know.
pub(super) fn by_name(name: &[u8]) -> Option<*const CharsetInfo> {
    let name = match std::str::from_utf8(name).ok()? {
        // What the system's locale says; UTF-8 is what Debian's do.
        name if name.eq_ignore_ascii_case("auto") => "utf8mb4",
        name => name,
    };
    charset::by_name(name).map(|charset| of(charset.default_collation(Family::MariaDb)))
}

/// The struct of the collation with this number.
pub(super) fn by_number(number: c_uint) -> Option<*const CharsetInfo> {
    charset::by_id(number).map(of)
}

/// Length of a character by its first byte.
unsafe extern "C" fn charlen<const SCHEME: usize>(first: c_uint) -> c_uint {
    u8::try_from(first).map_or(0, |first| SCHEMES[SCHEME].length_by_first_byte(first))
}

/// Length of the well-formed character of several bytes at `start`, 0 if there is none.
unsafe extern "C" fn valid<const SCHEME: usize>(start: *const c_char, end: *const c_char) -> c_uint {
    let length = (end as usize).saturating_sub(start as usize);
    if start.is_null() || length == 0 {
        return 0;
    }
    // SAFETY: the program promises readable bytes from `start` to `end`; no character has more than four.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length.min(4)) };
    SCHEMES[SCHEME].valid(bytes, Family::MariaDb) as c_uint
}

/// Schemes with characters of several bytes.
const SCHEMES: [Scheme; 13] = [
    Scheme::Utf8mb3,
    Scheme::Utf8mb4,
    Scheme::Big5,
    Scheme::Sjis,
    Scheme::Gbk,
    Scheme::Gb2312,
    Scheme::EucKr,
    Scheme::Ujis,
    Scheme::EucJpMs,
    Scheme::Gb18030,
    Scheme::Ucs2,
    Scheme::Utf16,
    Scheme::Utf32,
];

macro_rules! functions_of {
    ($index:ident: $($number:literal)*) => {
        match $index {
            $($number => (erase_charlen(charlen::<$number>), erase_valid(valid::<$number>)),)*
            _ => (None, None),
        }
    };
}

fn functions(scheme: Scheme) -> (Function, Function) {
    let index = SCHEMES.iter().position(|known| *known == scheme).unwrap_or(SCHEMES.len());
    functions_of!(index: 0 1 2 3 4 5 6 7 8 9 10 11 12)
}

fn erase_charlen(function: unsafe extern "C" fn(c_uint) -> c_uint) -> Function {
    // SAFETY: only the program calls it, as the function that it is.
    Some(unsafe { std::mem::transmute::<unsafe extern "C" fn(c_uint) -> c_uint, unsafe extern "C" fn()>(function) })
}

fn erase_valid(function: unsafe extern "C" fn(*const c_char, *const c_char) -> c_uint) -> Function {
    type Valid = unsafe extern "C" fn(*const c_char, *const c_char) -> c_uint;
    // SAFETY: only the program calls it, as the function that it is.
    Some(unsafe { std::mem::transmute::<Valid, unsafe extern "C" fn()>(function) })
}

/// The names of one lookup by name, and of one by number.
macro_rules! lookups {
    ($($by_name:ident, $by_number:ident;)*) => {$(
        entry! {
            /// A character set by its name, with the collation that Connector/C means by it.
            ///
            /// Source: Connector/C 3.3. Returns: a constant struct; NULL for a name that is not known.
            ///
            /// # Safety
            /// `name` is NULL or a NUL-ended string.
            fn $by_name<A>(name: *const c_char) -> *const CharsetInfo;
            plain, fails std::ptr::null(), {
                // SAFETY: the caller's promise.
                unsafe { c_bytes(name) }.and_then(by_name).unwrap_or(std::ptr::null())
            }
        }

        entry! {
            /// A collation by its number.
            ///
            /// Source: Connector/C 3.3. Returns: a constant struct; NULL for a number that is not known.
            ///
            /// # Safety
            /// No pointer.
            fn $by_number<A>(number: c_uint) -> *const CharsetInfo;
            plain, fails std::ptr::null(), { by_number(number).unwrap_or(std::ptr::null()) }
        }
    )*};
}

lookups! {
    mariadb_get_charset_by_name, mariadb_get_charset_by_nr;
    mysql_get_charset_by_name, mysql_get_charset_by_nr;
}

/// What iconv calls an encoding; the target may be approximated.
fn iconv_name(info: &CharsetInfo, target: bool) -> Option<CString> {
    // SAFETY: NULL or a NUL-ended constant.
    let name = unsafe { c_bytes(info.encoding) }.filter(|name| !name.is_empty())?;
    let mut text = String::from_utf8_lossy(name).into_owned();
    if let Some(rest) = text.strip_prefix("UTF").filter(|rest| rest.starts_with(|first: char| first.is_ascii_digit())) {
        let (digits, order) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
        // Without a byte order iconv would write a mark.
        text = format!("UTF-{digits}{}", if order.is_empty() { "BE" } else { order });
    }
    if target {
        text.push_str("//TRANSLIT");
    }
    CString::new(text).ok()
}

entry! {
    /// Converts a text from one character set to another, by the system's iconv, as Connector/C does.
    ///
    /// Units: bytes; the two lengths are what there is before and what is left after. Returns: bytes written; all ones on
    /// an error, with the system's number in `error` (EINVAL for a character set that iconv does not know, E2BIG, EILSEQ).
    ///
    /// # Safety
    /// `from` and `to` are buffers of the lengths behind `from_length` and `to_length`; all pointers are valid, or NULL,
    /// which is an error. The character sets are ours.
    fn mariadb_convert_string<A>(
        from: *const c_char, from_length: *mut usize, from_set: *const CharsetInfo, to: *mut c_char,
        to_length: *mut usize, to_set: *const CharsetInfo, error: *mut c_int,
    ) -> usize;
    plain, fails usize::MAX, {
        let fail = |number: c_int| {
            // SAFETY: the caller's promise.
            unsafe { put(error, number) };
            usize::MAX
        };
        // SAFETY: the caller's promise.
        let (from_set, to_set) = unsafe { (from_set.as_ref(), to_set.as_ref()) };
        let names = from_set.zip(to_set).and_then(|(from, to)| iconv_name(from, false).zip(iconv_name(to, true)));
        let Some((from_name, to_name)) = names else { return fail(libc::EINVAL) };
        if from.is_null() || to.is_null() || from_length.is_null() || to_length.is_null() {
            return fail(libc::EINVAL);
        }
        let errno = || std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL);
        // SAFETY: NUL-ended names.
        let converter = unsafe { libc::iconv_open(to_name.as_ptr(), from_name.as_ptr()) };
        if converter.addr() == usize::MAX {
            return fail(errno());
        }
        // SAFETY: the caller's promise.
        let room = unsafe { *to_length };
        let (mut from, mut to) = (from.cast_mut(), to);
        // SAFETY: an open converter, and buffers of the lengths that the caller promises.
        let done = unsafe { libc::iconv(converter, &raw mut from, from_length, &raw mut to, to_length) };
        let failed = (done == usize::MAX).then(errno);
        // SAFETY: opened above, used no more.
        unsafe { libc::iconv_close(converter) };
        match failed {
            Some(number) => fail(number),
            None => {
                // SAFETY: the caller's promise.
                unsafe { put(error, 0) };
                // SAFETY: as above.
                room - unsafe { *to_length }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The converted text, what is left of the source, the error's number.
    fn converted(from: &str, to: &str, text: &[u8], room: usize) -> (Option<Vec<u8>>, usize, c_int) {
        let set = |name: &str| by_name(name.as_bytes()).expect("there");
        let (mut left, mut free, mut error) = (text.len(), room, 7);
        let mut out = vec![0u8; room];
        // SAFETY: buffers of these lengths, places for the results.
        let count = unsafe {
            mariadb_convert_string::<crate::abi::family::MariaDb>(
                text.as_ptr().cast(),
                &raw mut left,
                set(from),
                out.as_mut_ptr().cast(),
                &raw mut free,
                set(to),
                &raw mut error,
            )
        };
        (out.get(..count).map(<[u8]>::to_vec), left, error)
    }

    #[test]
    fn texts_are_converted() {
        assert_eq!(converted("latin1", "utf8mb4", b"caf\xe9", 9), (Some("caf\u{e9}".into()), 0, 0));
        assert_eq!(converted("utf8mb4", "utf16", b"a", 9), (Some(b"\0a".to_vec()), 0, 0), "no byte order mark");
        assert_eq!(converted("gbk", "utf8mb4", b"\xc4\xe3", 9), (Some("\u{4f60}".into()), 0, 0));
        assert_eq!(converted("utf8mb4", "utf8mb4", b"abc", 2), (None, 1, libc::E2BIG));
        assert_eq!(converted("utf8mb4", "latin1", b"\xc3(", 9), (None, 2, libc::EILSEQ));
        assert_eq!(converted("swe7", "utf8mb4", b"a", 9), (None, 1, libc::EINVAL));
    }

    #[test]
    fn a_struct_is_made_once_and_tells_the_truth() {
        let first = by_name(b"utf8mb4").expect("there");
        assert_eq!(by_number(45), Some(first));
        // SAFETY: constant.
        let info = unsafe { &*first };
        assert_eq!((info.nr, info.char_minlen, info.char_maxlen), (45, 1, 4));
        assert!(info.mb_charlen.is_some() && info.mb_valid.is_some());
        assert!(by_name(b"no_such_set").is_none() && by_number(0).is_none());
        // SAFETY: constant.
        assert!(unsafe { &*by_number(8).expect("there") }.mb_valid.is_none());
    }
}
