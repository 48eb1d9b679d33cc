//! C strings, slices and places: how entries read the program's arguments.
//!
//! Nothing is kept: what is returned lives as long as the program promised, which is the call.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_ulong};

/// The bytes of a C string without its NUL; None for NULL.
///
/// # Safety
/// `text` is NULL or a NUL-ended string that stays unchanged for `'a`.
pub unsafe fn c_bytes<'a>(text: *const c_char) -> Option<&'a [u8]> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the caller promises a NUL-ended string.
    Some(unsafe { CStr::from_ptr(text) }.to_bytes())
}

/// `length` bytes at `bytes`; empty for NULL or no length.
///
/// # Safety
/// `bytes` is NULL or a readable buffer of `length` bytes that stays unchanged for `'a`.
pub unsafe fn slice<'a>(bytes: *const c_char, length: c_ulong) -> &'a [u8] {
    if bytes.is_null() || length == 0 || length > isize::MAX as c_ulong {
        return &[];
    }
    // SAFETY: the caller promises the buffer.
    unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), length as usize) }
}

/// Writes an optional result; NULL is left alone.
///
/// # Safety
/// `place` is NULL or a writable `T`, perhaps not aligned.
pub unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: the caller promises the place.
        unsafe { place.write_unaligned(value) };
    }
}
