//! The MySQL family's conversions between different types. Each takes every type of buffer; each sets the error flag.
#![allow(unsafe_code)]

use super::buffer::{copy, kind_of, place, put, set_error, set_length};
use super::float::{MAX_TEXT, Text, fixed, general};
use super::moment_text::{Parsed, mysql_datetime, mysql_time};
use super::number::{Whole, mysql_float, mysql_whole, to_i32, to_i64, to_u64, whole};
use super::time::{Moment, from_number, kind, mysql_unpack};
use super::{ColumnType, types::*};
use crate::abi::family::{Bind, MySql};

/// Longest text of a floating-point number, as the original has it.
pub const FLOAT_TEXT: usize = 331;
/// Decimals from here on mean: as many as there are.
const NOT_FIXED: u8 = 31;

/// Whether `value` is outside of a type.
fn truncated(value: i64, unsigned: bool, least: i64, most: i64, most_unsigned: i64) -> bool {
    if unsigned { value > most_unsigned || value < 0 } else { value > most || value < least }
}

/// A column's whole number, of whatever size.
///
/// # Safety
/// As [`Fetch`](super::Fetch).
pub unsafe fn from_whole(bind: &mut Bind, column: &ColumnType, value: &[u8]) {
    let Some((number, unsigned)) = whole_of(column, value) else { return };
    // Small unsigned numbers are not negative, and count as signed.
    // SAFETY: the caller's promise.
    unsafe { put_whole(bind, column, number, unsigned && column.column_type == LONGLONG) };
}

/// The number in the bytes of an integer column, sign-extended unless it is unsigned.
pub fn whole_of(column: &ColumnType, value: &[u8]) -> Option<(i64, bool)> {
    let unsigned = column.unsigned;
    let number = match column.column_type {
        TINY => {
            let byte = *value.first()?;
            if unsigned { i64::from(byte) } else { i64::from(byte as i8) }
        }
        SHORT | YEAR => {
            let number = u16::from_le_bytes(*value.first_chunk()?);
            if unsigned { i64::from(number) } else { i64::from(number as i16) }
        }
        INT24 | LONG => {
            let number = u32::from_le_bytes(*value.first_chunk()?);
            if unsigned { i64::from(number) } else { i64::from(number as i32) }
        }
        _ => i64::from_le_bytes(*value.first_chunk()?),
    };
    Some((number, unsigned))
}

/// Whether a floating-point number is not the whole number that it was made from, or is too near to the end of the range
/// for the original to say.
fn inexact(value: i64, unsigned: bool, data: f64) -> bool {
    const SIGNED_END: f64 = 4611686018427387904.0;
    const UNSIGNED_END: f64 = 18446744073709551616.0;
    if unsigned {
        data >= UNSIGNED_END || value as u64 != to_u64(data)
    } else {
        data >= SIGNED_END || value != to_i64(data)
    }
}

/// # Safety
/// As [`Fetch`](super::Fetch).
unsafe fn put_whole(bind: &mut Bind, column: &ColumnType, value: i64, unsigned: bool) {
    let to_unsigned = bind.is_unsigned != 0;
    let error = match kind_of(bind) {
        NULL => false,
        TINY => {
            // SAFETY: a buffer of this type; so below.
            unsafe { put(bind, (value as u8).to_le_bytes()) };
            truncated(value, to_unsigned, i8::MIN.into(), i8::MAX.into(), u8::MAX.into())
        }
        SHORT => {
            // SAFETY: as above.
            unsafe { put(bind, (value as u16).to_le_bytes()) };
            truncated(value, to_unsigned, i16::MIN.into(), i16::MAX.into(), u16::MAX.into())
        }
        LONG => {
            // SAFETY: as above.
            unsafe { put(bind, (value as u32).to_le_bytes()) };
            truncated(value, to_unsigned, i32::MIN.into(), i32::MAX.into(), u32::MAX.into())
        }
        LONGLONG => {
            // SAFETY: as above.
            unsafe { put(bind, value.to_le_bytes()) };
            to_unsigned != unsigned && value < 0
        }
        FLOAT => {
            let data = if unsigned { (value as u64) as f64 as f32 } else { value as f32 };
            // SAFETY: as above.
            unsafe { put(bind, data.to_le_bytes()) };
            inexact(value, unsigned, data.into())
        }
        DOUBLE => {
            let data = if unsigned { (value as u64) as f64 } else { value as f64 };
            // SAFETY: as above.
            unsafe { put(bind, data.to_le_bytes()) };
            inexact(value, unsigned, data)
        }
        TIME | DATE | TIMESTAMP | DATETIME => {
            let (moment, error) = from_number(value);
            if !bind.buffer.is_null() {
                // SAFETY: as above.
                unsafe { moment.store::<MySql>(place(bind)) };
            }
            error
        }
        _ => {
            let mut text = whole(value, unsigned);
            if column.zerofill && column.length < 21 {
                text.pad_zeros(column.length as usize);
            }
            // SAFETY: the caller's promise.
            return unsafe { put_text(bind, text.bytes()) };
        }
    };
    // SAFETY: the flag of a prepared binding.
    unsafe { set_error(bind, error) };
}

/// A `FLOAT` column.
///
/// # Safety
/// As [`Fetch`](super::Fetch).
pub unsafe fn from_float(bind: &mut Bind, column: &ColumnType, value: &[u8]) {
    let Some(&bytes) = value.first_chunk::<4>() else { return };
    // SAFETY: the caller's promise.
    unsafe { put_float(bind, column, f32::from_le_bytes(bytes).into(), true) };
}

/// A `DOUBLE` column.
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
    let error = match kind_of(bind) {
        NULL => false,
        TINY | SHORT | LONG | LONGLONG if unsigned && value < 0.0 => true,
        TINY => {
            let data = to_i32(value) as u8;
            // SAFETY: a buffer of this type; so below.
            unsafe { put(bind, [data]) };
            whole != if unsigned { f64::from(data) } else { f64::from(data as i8) }
        }
        SHORT => {
            let data = to_i32(value) as u16;
            // SAFETY: as above.
            unsafe { put(bind, data.to_le_bytes()) };
            whole != if unsigned { f64::from(data) } else { f64::from(data as i16) }
        }
        LONG => {
            let data = if unsigned { to_i64(value) as u32 } else { to_i32(value) as u32 };
            // SAFETY: as above.
            unsafe { put(bind, data.to_le_bytes()) };
            whole != if unsigned { f64::from(data) } else { f64::from(data as i32) }
        }
        LONGLONG => {
            let data = if unsigned { to_u64(value) } else { to_i64(value) as u64 };
            // SAFETY: as above.
            unsafe { put(bind, data.to_le_bytes()) };
            whole != if unsigned { data as f64 } else { data as i64 as f64 }
        }
        FLOAT => {
            let data = value as f32;
            // SAFETY: as above.
            unsafe { put(bind, data.to_le_bytes()) };
            f64::from(data) != value
        }
        DOUBLE => {
            // SAFETY: as above.
            unsafe { put(bind, value.to_le_bytes()) };
            false
        }
        _ => {
            let mut text = if column.decimals >= NOT_FIXED {
                general(value, float, (bind.buffer_length as usize).min(FLOAT_TEXT - 1) as i32)
            } else {
                fixed(value, column.decimals.into())
            };
            if column.zerofill && (column.length as usize) < FLOAT_TEXT - 1 {
                text.pad_zeros(column.length as usize);
            }
            // SAFETY: the caller's promise.
            return unsafe { put_text(bind, text.bytes()) };
        }
    };
    // SAFETY: the flag of a prepared binding.
    unsafe { set_error(bind, error) };
}

/// A temporal column.
///
/// # Safety
/// As [`Fetch`](super::Fetch).
pub unsafe fn from_moment(bind: &mut Bind, column: &ColumnType, value: &[u8]) {
    let moment = mysql_unpack(column.column_type, value);
    let error = match kind_of(bind) {
        NULL => false,
        buffer_type @ (DATE | TIME | DATETIME | TIMESTAMP) => {
            if !bind.buffer.is_null() {
                // SAFETY: a buffer of this type.
                unsafe { moment.store::<MySql>(place(bind)) };
            }
            match buffer_type {
                DATE => moment.kind != kind::DATE,
                TIME => moment.kind != kind::TIME,
                _ => false,
            }
        }
        YEAR => {
            // SAFETY: a buffer of this type.
            unsafe { put(bind, (moment.year as u16).to_le_bytes()) };
            true
        }
        // SAFETY: the caller's promise.
        FLOAT | DOUBLE => return unsafe { put_float(bind, column, moment.as_number() as f64, false) },
        TINY | SHORT | INT24 | LONG | LONGLONG => {
            // SAFETY: the caller's promise.
            return unsafe { put_whole(bind, column, moment.as_number() as i64, true) };
        }
        _ => {
            let text = moment_text(&moment, column.decimals);
            // SAFETY: the caller's promise.
            return unsafe { put_text(bind, text.bytes()) };
        }
    };
    // SAFETY: the flag of a prepared binding.
    unsafe { set_error(bind, error) };
}

fn moment_text(moment: &Moment, decimals: u8) -> Text {
    let mut text = Text::new(MAX_TEXT);
    match moment.kind {
        kind::DATE => moment.write_date(&mut text),
        kind::DATETIME => {
            moment.write_date(&mut text);
            text.push(b' ');
            moment.write_clock(&mut text);
            moment.write_fraction(decimals, &mut text);
        }
        _ => {
            if moment.negative != 0 {
                text.push(b'-');
            }
            moment.write_clock(&mut text);
            moment.write_fraction(decimals, &mut text);
        }
    }
    text
}

/// Every column that is sent as text or bytes.
///
/// # Safety
/// As [`Fetch`](super::Fetch).
pub unsafe fn from_text(bind: &mut Bind, _: &ColumnType, value: &[u8]) {
    // SAFETY: the caller's promise.
    unsafe { put_text(bind, value) };
}

/// The number of a text, and whether it is out of range or none.
fn number(text: &[u8]) -> (i64, bool) {
    match mysql_whole(text) {
        Whole::Positive(value) => (value as i64, false),
        Whole::Negative(value) => (value, false),
        Whole::OutOfRange(value) => (value, true),
        Whole::Nothing => (0, true),
    }
}

/// # Safety
/// As [`Fetch`](super::Fetch).
unsafe fn put_text(bind: &mut Bind, text: &[u8]) {
    let unsigned = bind.is_unsigned != 0;
    let error = match kind_of(bind) {
        NULL => false,
        TINY => {
            let (value, wrong) = number(text);
            // SAFETY: a buffer of this type; so below.
            unsafe { put(bind, [value as u8]) };
            wrong || truncated(value, unsigned, i8::MIN.into(), i8::MAX.into(), u8::MAX.into())
        }
        SHORT => {
            let (value, wrong) = number(text);
            // SAFETY: as above.
            unsafe { put(bind, (value as u16).to_le_bytes()) };
            wrong || truncated(value, unsigned, i16::MIN.into(), i16::MAX.into(), u16::MAX.into())
        }
        LONG => {
            let (value, wrong) = number(text);
            // SAFETY: as above.
            unsafe { put(bind, (value as u32).to_le_bytes()) };
            wrong || truncated(value, unsigned, i32::MIN.into(), i32::MAX.into(), u32::MAX.into())
        }
        LONGLONG => {
            let (value, _) = number(text);
            // SAFETY: as above.
            unsafe { put(bind, value.to_le_bytes()) };
            match mysql_whole(text) {
                Whole::Positive(value) => !unsigned && value > i64::MAX as u64,
                Whole::Negative(_) => unsigned,
                _ => true,
            }
        }
        FLOAT => {
            let (value, wrong) = mysql_float(text);
            // SAFETY: as above.
            unsafe { put(bind, (value as f32).to_le_bytes()) };
            wrong || f64::from(value as f32) != value
        }
        DOUBLE => {
            let (value, wrong) = mysql_float(text);
            // SAFETY: as above.
            unsafe { put(bind, value.to_le_bytes()) };
            wrong
        }
        // SAFETY: as above.
        TIME => unsafe { put_moment(bind, &mysql_time(text)) },
        buffer_type @ (DATE | DATETIME | TIMESTAMP) => {
            let parsed = mysql_datetime(text, false);
            // SAFETY: as above.
            let warning = unsafe { put_moment(bind, &parsed) };
            warning && buffer_type == DATE && parsed.moment.is_none_or(|moment| moment.kind != kind::DATE)
        }
        _ => {
            let from = text.len().min(bind.offset as usize);
            // SAFETY: a buffer of `buffer_length` bytes.
            let whole = unsafe { copy(bind, &text[from..], true) };
            // SAFETY: the number of a prepared binding.
            unsafe { set_length(bind, text.len()) };
            !whole
        }
    };
    // SAFETY: the flag of a prepared binding.
    unsafe { set_error(bind, error) };
}

/// Writes what a text was found to be; returns whether there is a warning.
///
/// # Safety
/// The buffer is NULL or a `MYSQL_TIME`.
unsafe fn put_moment(bind: &Bind, parsed: &Parsed) -> bool {
    if !bind.buffer.is_null() {
        match &parsed.moment {
            // SAFETY: the caller promises the buffer.
            Some(moment) => unsafe { moment.store::<MySql>(place(bind)) },
            // SAFETY: as above.
            None => unsafe { Moment::store_kind(place(bind), kind::NONE) },
        }
    }
    parsed.warning
}

/// The conversion of a column's type into buffers of other types.
pub fn from(column_type: u8) -> super::Fetch {
    match column_type {
        TINY | SHORT | YEAR | INT24 | LONG | LONGLONG => from_whole,
        FLOAT => from_float,
        DOUBLE => from_double,
        DATE | TIME | DATETIME | TIMESTAMP => from_moment,
        _ => from_text,
    }
}

/// Whether a value of the column lies in the row as the buffer wants it.
pub fn is_same(buffer_type: u8, column_type: u8) -> bool {
    let group = |kind: u8| match kind {
        SHORT | YEAR => 1,
        INT24 | LONG => 2,
        DATETIME | TIMESTAMP => 3,
        ENUM | SET | TINY_BLOB | MEDIUM_BLOB | LONG_BLOB | BLOB | VAR_STRING | STRING | GEOMETRY | DECIMAL | VECTOR => {
            4
        }
        _ => 0,
    };
    buffer_type == column_type || (group(buffer_type) != 0 && group(buffer_type) == group(column_type))
}
