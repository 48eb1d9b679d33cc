//! What conversions do to the program's memory: the value, its length, the error flag. The only writes to it.
#![allow(unsafe_code)]

use crate::abi::family::Bind;
use std::ffi::{c_char, c_ulong};

/// The type of the buffer; every number that is none is one for which all conversions give text.
pub fn kind_of(bind: &Bind) -> u8 {
    u8::try_from(bind.buffer_type).unwrap_or(super::types::VARCHAR)
}

/// The buffer as bytes.
pub fn place(bind: &Bind) -> *mut u8 {
    bind.buffer.cast()
}

/// Writes a value of fixed size; nothing where there is no buffer.
///
/// # Safety
/// `bind.buffer` is NULL or has `N` writable bytes, as its type promises.
#[inline(always)]
pub unsafe fn put<const N: usize>(bind: &Bind, bytes: [u8; N]) {
    if !bind.buffer.is_null() {
        // SAFETY: the caller promises the bytes.
        unsafe { bind.buffer.cast::<[u8; N]>().write_unaligned(bytes) };
    }
}

/// Sets `*error`.
///
/// # Safety
/// `bind.error` is a writable flag.
#[inline(always)]
pub unsafe fn set_error(bind: &Bind, error: bool) {
    // SAFETY: the caller promises the flag.
    unsafe { *bind.error = c_char::from(error) };
}

/// Sets `*length`.
///
/// # Safety
/// `bind.length` is a writable number, perhaps not aligned.
#[inline(always)]
pub unsafe fn set_length(bind: &Bind, length: usize) {
    // SAFETY: the caller promises the number.
    unsafe { bind.length.write_unaligned(length as c_ulong) };
}

/// [`copy`], and the length and the error flag, which is returned. The bytes go last, so that nothing has to be kept over their copying.
///
/// # Safety
/// `bind.buffer` is NULL or has `bind.buffer_length` writable bytes; `bind.length` and `bind.error` can be written.
#[inline(always)]
pub unsafe fn copy_and_tell(bind: &Bind, bytes: &[u8], ended: bool) -> bool {
    let room = if bind.buffer.is_null() { 0 } else { bind.buffer_length as usize };
    let count = bytes.len().min(room);
    // SAFETY: the caller promises both places.
    unsafe {
        set_length(bind, bytes.len());
        set_error(bind, count < bytes.len());
    }
    if ended && count < room {
        // SAFETY: inside the buffer.
        unsafe { *place(bind).add(count) = 0 };
    }
    // SAFETY: `count` bytes fit, and a row never overlaps the program's buffers.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), place(bind), count) };
    count < bytes.len()
}

/// Copies what fits of `bytes` into the buffer, with a zero byte behind when `ended` and there is room. Returns whether
/// all fitted.
///
/// # Safety
/// `bind.buffer` is NULL or has `bind.buffer_length` writable bytes.
#[inline(always)]
pub unsafe fn copy(bind: &Bind, bytes: &[u8], ended: bool) -> bool {
    let room = if bind.buffer.is_null() { 0 } else { bind.buffer_length as usize };
    let count = bytes.len().min(room);
    // SAFETY: `count` bytes fit, and a row never overlaps the program's buffers.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), place(bind), count) };
    if ended && count < room {
        // SAFETY: one more byte is there.
        unsafe { *place(bind).add(count) = 0 };
    }
    count == bytes.len()
}
