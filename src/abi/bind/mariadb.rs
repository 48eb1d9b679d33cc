//! Connector/C's conversions: by the column's type, each into every type of buffer. Numbers leave their size in
//! `buffer_length`; several leave the error flag as they find it.
#![allow(unsafe_code)]

use super::buffer::{copy, kind_of, place, put, set_error, set_length};
use super::float::{MAX_TEXT, Text, fixed, general};
use super::moment_text::mariadb_moment;
use super::mysql::whole_of;
use super::number::{mariadb_signed, mariadb_unsigned, to_i32, to_i64, to_u64, whole};
use super::time::mariadb_unpack;
use super::{ColumnType, direct, types::*};
use crate::abi::family::{Bind, MariaDb};

/// Longest text of a floating-point number, as the original has it.
pub const FLOAT_TEXT: usize = 300;
/// Decimals from here on mean: as many as there are.
const NOT_FIXED: u8 = 31;

/// Whether `value` is outside of a type.
fn truncated(value: i64, unsigned: bool, least: i64, most: i64, most_unsigned: i64) -> bool {
    if unsigned { value > most_unsigned || value < 0 } else { value > most || value < least }
}

/// Writes a number of `N` bytes and its size.
///
/// # Safety
/// The buffer is NULL or has `N` bytes; the flag is writable.
unsafe fn finish<const N: usize>(bind: &mut Bind, bytes: [u8; N], error: bool) {
    // SAFETY: the caller promises the buffer.
    unsafe { put(bind, bytes) };
    // SAFETY: the caller promises the flag.
    unsafe { set_error(bind, error) };
    bind.buffer_length = N as _;
}

/// An integer column into another type of buffer.
///
/// # Safety
/// As [`Fetch`](super::Fetch).
pub unsafe fn from_whole(bind: &mut Bind, column: &ColumnType, value: &[u8]) {
    let Some((value, unsigned)) = whole_of(column, value) else { return };
    let to_unsigned = bind.is_unsigned != 0;
    match kind_of(bind) {
        TINY => {
            let error = truncated(value, to_unsigned, i8::MIN.into(), i8::MAX.into(), u8::MAX.into());
            // SAFETY: a buffer of this type; so below.
            unsafe { finish(bind, [value as u8], error) };
        }
        SHORT | YEAR => {
            let error = truncated(value, to_unsigned, i16::MIN.into(), i16::MAX.into(), u16::MAX.into());
            // SAFETY: as above.
            unsafe { finish(bind, (value as u16).to_le_bytes(), error) };
        }
        LONG => {
            let error = truncated(value, to_unsigned, i32::MIN.into(), i32::MAX.into(), u32::MAX.into());
            // SAFETY: as above.
            unsafe { finish(bind, (value as u32).to_le_bytes(), error) };
        }
        LONGLONG => {
            let error = value < 0 && to_unsigned != unsigned;
            // SAFETY: as above.
            unsafe { finish(bind, value.to_le_bytes(), error) };
        }
        DOUBLE => {
            let data = if unsigned { value as u64 as f64 } else { value as f64 };
            let error = if unsigned { to_u64(data) != value as u64 } else { to_i64(data) != value };
            // SAFETY: as above.
            unsafe { finish(bind, data.to_le_bytes(), error) };
        }
        FLOAT => {
            let data = if unsigned { value as u64 as f32 } else { value as f32 };
            let error = if unsigned { to_u64(data.into()) != value as u64 } else { to_i64(data.into()) != value };
            // SAFETY: as above.
            unsafe { finish(bind, data.to_le_bytes(), error) };
        }
        _ => {
            let mut text = whole(value, unsigned);
            let mut cut = false;
            if column.zerofill {
                let width = text.bytes().len().max(column.length as usize);
                cut = width >= bind.buffer_length as usize;
                if !cut {
                    text.pad_zeros(width);
                }
            }
            // SAFETY: the caller's promise.
            unsafe { put_text(bind, text.bytes()) };
            if cut {
                // SAFETY: the flag of a prepared binding.
                unsafe { set_error(bind, true) };
            }
        }
    }
}

/// A `FLOAT` column into another type of buffer.
///
/// # Safety
/// As [`Fetch`](super::Fetch).
pub unsafe fn from_float(bind: &mut Bind, column: &ColumnType, value: &[u8]) {
    let Some(&bytes) = value.first_chunk::<4>() else { return };
    // SAFETY: the caller's promise.
    unsafe { put_float(bind, column, f32::from_le_bytes(bytes).into(), true) };
}

/// A `DOUBLE` column into another type of buffer.
///
/// # Safety
/// As [`Fetch`](super::Fetch).
pub unsafe fn from_double(bind: &mut Bind, column: &ColumnType, value: &[u8]) {
    let Some(&bytes) = value.first_chunk::<8>() else { return };
    // SAFETY: the caller's promise.
    unsafe { put_float(bind, column, f64::from_le_bytes(bytes), false) };
}

/// # Safety
/// As [`Fetch`](super::Fetch).
unsafe fn put_float(bind: &mut Bind, column: &ColumnType, value: f64, float: bool) {
    let whole = value.trunc();
    let unsigned = bind.is_unsigned != 0;
    match kind_of(bind) {
        TINY => {
            let data = to_i32(value) as u8;
            let error = whole != if unsigned { f64::from(data) } else { f64::from(data as i8) };
            // SAFETY: a buffer of this type; so below.
            unsafe { finish(bind, [data], error) };
        }
        SHORT | YEAR => {
            let data = to_i32(value) as u16;
            let error = whole != if unsigned { f64::from(data) } else { f64::from(data as i16) };
            // SAFETY: as above.
            unsafe { finish(bind, data.to_le_bytes(), error) };
        }
        LONG => {
            let data = if unsigned { to_i64(value) as u32 } else { to_i32(value) as u32 };
            let error = whole != if unsigned { f64::from(data) } else { f64::from(data as i32) };
            // SAFETY: as above.
            unsafe { finish(bind, data.to_le_bytes(), error) };
        }
        LONGLONG => {
            let data = if unsigned { to_u64(value) } else { to_i64(value) as u64 };
            let error = whole != if unsigned { data as f64 } else { data as i64 as f64 };
            // SAFETY: as above.
            unsafe { finish(bind, data.to_le_bytes(), error) };
        }
        DOUBLE => {
            // SAFETY: as above.
            unsafe { put(bind, value.to_le_bytes()) };
            bind.buffer_length = 8;
        }
        FLOAT => {
            // SAFETY: as above.
            unsafe { finish(bind, (value as f32).to_le_bytes(), value.is_nan()) };
        }
        _ => {
            let mut text = if column.decimals >= NOT_FIXED {
                general(value, float, (bind.buffer_length as usize).min(FLOAT_TEXT - 1) as i32)
            } else {
                fixed(value, column.decimals.into())
            };
            if column.zerofill {
                let width = column.length as usize;
                if width < text.bytes().len() || width > FLOAT_TEXT - 1 {
                    return;
                }
                text.pad_zeros(width);
            }
            // SAFETY: the caller's promise.
            unsafe { put_text(bind, text.bytes()) };
        }
    }
}

/// A temporal column.
///
/// # Safety
/// As [`Fetch`](super::Fetch).
pub unsafe fn from_moment(bind: &mut Bind, column: &ColumnType, value: &[u8]) {
    let mut moment = mariadb_unpack(column.column_type, value);
    match kind_of(bind) {
        buffer_type @ (DATETIME | TIMESTAMP | DATE | TIME) => {
            if buffer_type == TIME {
                (moment.year, moment.month, moment.day) = (0, 0, 0);
            }
            if !bind.buffer.is_null() {
                // SAFETY: a buffer of this type.
                unsafe { moment.store::<MariaDb>(place(bind)) };
            }
        }
        YEAR => {
            // SAFETY: a buffer of this type.
            unsafe { put(bind, (moment.year as u16).to_le_bytes()) };
        }
        _ => {
            let mut text = Text::new(MAX_TEXT);
            match column.column_type {
                DATE => moment.write_date(&mut text),
                TIME => {
                    if moment.negative != 0 {
                        text.push(b'-');
                    }
                    moment.write_clock(&mut text);
                    moment.write_fraction(column.decimals, &mut text);
                }
                _ => {
                    moment.write_date(&mut text);
                    text.push(b' ');
                    moment.write_clock(&mut text);
                    moment.write_fraction(column.decimals, &mut text);
                }
            }
            // SAFETY: the caller's promise.
            unsafe { put_text(bind, text.bytes()) };
        }
    }
}

/// A column that is sent as text.
///
/// # Safety
/// As [`Fetch`](super::Fetch).
pub unsafe fn from_text(bind: &mut Bind, _: &ColumnType, value: &[u8]) {
    // SAFETY: the caller's promise.
    unsafe { put_text(bind, value) };
}

/// A column of bytes: they are copied, whatever the type of the buffer.
///
/// # Safety
/// As [`Fetch`](super::Fetch).
pub unsafe fn from_bytes(bind: &mut Bind, _: &ColumnType, value: &[u8]) {
    let from = value.len().min(bind.offset as usize);
    let ended = matches!(kind_of(bind), STRING | JSON);
    // SAFETY: a buffer of `buffer_length` bytes.
    let whole = unsafe { copy(bind, &value[from..], ended) };
    // SAFETY: the number of a prepared binding.
    unsafe { set_length(bind, value.len()) };
    // SAFETY: the flag of a prepared binding.
    unsafe { set_error(bind, !whole) };
}

/// Text into a buffer of text: the common case of [`from_text`].
///
/// # Safety
/// As [`Fetch`](super::Fetch).
pub unsafe fn text(bind: &mut Bind, _: &ColumnType, value: &[u8]) {
    if let Some(rest) = value.get(bind.offset as usize..) {
        // SAFETY: a buffer of `buffer_length` bytes.
        let whole = unsafe { copy(bind, rest, true) };
        // SAFETY: the flag of a prepared binding.
        unsafe { set_error(bind, !whole) };
    }
    // SAFETY: the number of a prepared binding.
    unsafe { set_length(bind, value.len()) };
}

/// # Safety
/// As [`Fetch`](super::Fetch).
unsafe fn put_text(bind: &mut Bind, value: &[u8]) {
    let unsigned = bind.is_unsigned != 0;
    match kind_of(bind) {
        TINY => {
            let (number, wrong) = mariadb_signed(value);
            let error = wrong || truncated(number, unsigned, i8::MIN.into(), i8::MAX.into(), u8::MAX.into());
            // SAFETY: a buffer of this type; so below.
            unsafe { finish(bind, [number as u8], error) };
        }
        SHORT | YEAR => {
            let (number, wrong) = mariadb_signed(value);
            let error = wrong || truncated(number, unsigned, i16::MIN.into(), i16::MAX.into(), u16::MAX.into());
            // SAFETY: as above.
            unsafe { finish(bind, (number as u16).to_le_bytes(), error) };
        }
        LONG => {
            let (number, wrong) = mariadb_signed(value);
            let error = wrong || truncated(number, unsigned, i32::MIN.into(), i32::MAX.into(), u32::MAX.into());
            // SAFETY: as above.
            unsafe { finish(bind, (number as u32).to_le_bytes(), error) };
        }
        LONGLONG => {
            let (number, wrong) = if unsigned {
                mariadb_unsigned(value)
            } else {
                let (number, wrong) = mariadb_signed(value);
                (number as u64, wrong)
            };
            // SAFETY: as above.
            unsafe { finish(bind, number.to_le_bytes(), wrong) };
        }
        DOUBLE => {
            let (number, wrong) = to_double(value);
            // SAFETY: as above.
            unsafe { finish(bind, number.to_le_bytes(), wrong) };
        }
        FLOAT => {
            let (number, wrong) = to_double(value);
            // SAFETY: as above.
            unsafe { finish(bind, (number as f32).to_le_bytes(), wrong) };
        }
        TIME | DATE | DATETIME | TIMESTAMP => {
            if !bind.buffer.is_null() {
                // SAFETY: as above.
                unsafe { mariadb_moment(value).store::<MariaDb>(place(bind)) };
            }
        }
        // SAFETY: the caller's promise.
        _ => unsafe { text(bind, &ColumnType::default(), value) },
    }
}

/// The original asks the C library, whose rules (blanks, hexadecimal, `inf`, the locale's point) are these, and takes an
/// `errno` as an error; texts longer than any number are cut, with an error.
fn to_double(text: &[u8]) -> (f64, bool) {
    const LONGEST: usize = 1077;
    let cut = text.len() > LONGEST;
    let mut ended = [0u8; LONGEST + 1];
    let length = text.len().min(LONGEST);
    ended[..length].copy_from_slice(&text[..length]);
    // SAFETY: errno is this thread's own.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let before = unsafe { *errno };
    // SAFETY: as above.
    unsafe { *errno = 0 };
    // SAFETY: a text ended by a zero byte.
    let value = unsafe { libc::strtod(ended.as_ptr().cast(), std::ptr::null_mut()) };
    // SAFETY: as above.
    let after = unsafe { *errno };
    // SAFETY: as above.
    unsafe { *errno = before };
    (value, cut || after > 0)
}

/// The conversion of a column of this type into the buffer.
pub fn of(buffer_type: u8, column: &ColumnType) -> super::Fetch {
    match column.column_type {
        NULL => direct::nothing,
        TINY if buffer_type == TINY => direct::tiny::<MariaDb>,
        SHORT | YEAR if matches!(buffer_type, SHORT | YEAR) => direct::short::<MariaDb>,
        LONG | INT24 if matches!(buffer_type, LONG | INT24) => direct::long::<MariaDb>,
        LONGLONG if buffer_type == LONGLONG => direct::longlong::<MariaDb>,
        FLOAT if buffer_type == FLOAT => direct::float::<MariaDb>,
        DOUBLE if buffer_type == DOUBLE => direct::double::<MariaDb>,
        TINY | SHORT | YEAR | LONG | INT24 | LONGLONG => from_whole,
        FLOAT => from_float,
        DOUBLE => from_double,
        TIME | DATE | DATETIME | TIMESTAMP => from_moment,
        TINY_BLOB | MEDIUM_BLOB | LONG_BLOB | BLOB | BIT if column.binary => from_bytes,
        _ => match buffer_type {
            TINY | SHORT | YEAR | LONG | LONGLONG | FLOAT | DOUBLE | TIME | DATE | DATETIME | TIMESTAMP => from_text,
            _ => text,
        },
    }
}
