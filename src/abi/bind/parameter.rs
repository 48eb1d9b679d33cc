//! Bound parameters as bytes of the binary protocol. Reads the program's memory; writes it never, but for what
//! `mysql_stmt_bind_param` fills in in the library's own copy of the binding.
#![allow(unsafe_code)]

use super::result::mariadb_supports;
use super::{Refused, Subject, buffer::kind_of, types::*};
use crate::abi::family::{Abi, Bind, MySql, mariadb};
use crate::options::Family;
use std::ffi::{c_char, c_int, c_ulong};

/// `STMT_INDICATOR_NULL`.
const INDICATOR_NULL: i8 = 1;
/// `STMT_INDICATOR_IGNORE_ROW`: the row is left out.
pub const INDICATOR_IGNORE_ROW: i8 = 4;
/// `STMT_INDICATOR_NTS`: the string ends at its zero byte.
const INDICATOR_NTS: i8 = -1;

/// `mysql_stmt_bind_param` for one parameter: `bind` is the library's copy of the program's, which is to be copied whole
/// before the first call. `number` counts from 0. Pointers that the program left NULL are made to point into `bind`
/// itself.
///
/// # Errors
/// A type that the family does not send. The binding is then as the original leaves it: the MariaDB family executes with
/// it if it had one before (such parameters have a type and no value).
///
/// # Safety
/// `bind` is a readable and writable `MYSQL_BIND` that stays where it is as long as the binding is used.
pub unsafe fn prepare_parameter<F: Abi>(bind: *mut Bind, number: u32) -> Result<(), Refused> {
    // SAFETY: the caller promises the binding.
    let bind = unsafe { &mut *bind };
    let mysql = F::FAMILY == Family::MySql;
    let refused =
        Refused::Unsupported { buffer_type: bind.buffer_type, number: number + 1, subject: Subject::Parameter };
    if !mysql && !mariadb_supports(bind.buffer_type) {
        return Err(refused);
    }
    let kind = kind_of(bind);
    if mysql {
        bind.param_number = number;
    }
    bind.long_data_used = 0;
    if bind.is_null.is_null() || kind == NULL {
        bind.is_null_value = (kind == NULL).into();
        bind.is_null = &mut bind.is_null_value;
    }
    let own_length: *mut c_ulong = &mut bind.buffer_length;
    if bind.length.is_null() {
        bind.length = own_length;
    }
    let (size, fixed) = match kind {
        NULL => return Ok(()),
        TINY => (1, true),
        SHORT => (2, true),
        YEAR if !mysql => (2, true),
        LONG | FLOAT => (4, true),
        LONGLONG | DOUBLE => (8, true),
        TIME => (13, false),
        DATE => (5, false),
        DATETIME | TIMESTAMP => (12, false),
        DECIMAL | NEWDECIMAL | JSON | TINY_BLOB | MEDIUM_BLOB | LONG_BLOB | BLOB | VAR_STRING | STRING => return Ok(()),
        VARCHAR | VECTOR if mysql && bind.buffer_type == u32::from(kind) => return Ok(()),
        _ => return Err(refused),
    };
    bind.buffer_length = size;
    if mysql && fixed {
        bind.length = own_length;
    }
    Ok(())
}

/// The parameter's type on the wire: `MYSQL_TYPE_*`, with 0x8000 when unsigned.
pub fn wire_type(bind: &Bind) -> u16 {
    bind.buffer_type as u16 | if bind.is_unsigned != 0 { 0x8000 } else { 0 }
}

/// Whether this parameter is NULL now. (A parameter without a buffer is NULL in the MariaDB family; the MySQL family's
/// original crashes, ours sends NULL.)
///
/// # Safety
/// `bind` was given to [`prepare_parameter`], and its pointers are still the program's.
pub unsafe fn is_null<F: Abi>(bind: &Bind) -> bool {
    // SAFETY: the flag that the binding points to.
    if !bind.is_null.is_null() && unsafe { *bind.is_null } != 0 {
        return true;
    }
    if bind.buffer_type == u32::from(NULL) {
        return true;
    }
    if !bind.buffer.is_null() {
        return false;
    }
    // SAFETY: the length that the binding points to.
    F::FAMILY == Family::MariaDb || !is_text::<F>(kind_of(bind)) || unsafe { length_of(bind) } != 0
}

/// Whether values of this type are sent as text or bytes.
fn is_text<F: Abi>(kind: u8) -> bool {
    match kind {
        DECIMAL | NEWDECIMAL | JSON | TINY_BLOB | MEDIUM_BLOB | LONG_BLOB | BLOB | VARCHAR | VAR_STRING | STRING => {
            true
        }
        VECTOR => F::FAMILY == Family::MySql,
        _ => false,
    }
}

/// What `*length` says; nothing when it points nowhere.
///
/// # Safety
/// `bind.length` is NULL or readable.
unsafe fn length_of(bind: &Bind) -> c_ulong {
    if bind.length.is_null() {
        return 0;
    }
    // SAFETY: the caller promises the number.
    unsafe { bind.length.read_unaligned() }
}

/// Appends the value, which is not NULL, in the form that the binary protocol has for it. A type without such a form
/// (see [`prepare_parameter`]) appends nothing.
///
/// # Errors
/// No memory.
///
/// # Safety
/// `bind` was given to [`prepare_parameter`], [`is_null`] says no, and its pointers are still the program's.
pub unsafe fn append_parameter<F: Abi>(bind: &Bind, out: &mut Vec<u8>) -> Result<(), Refused> {
    if bind.buffer_type > u32::from(u8::MAX) {
        return Ok(());
    }
    // SAFETY: the length that the binding points to.
    let length = unsafe { length_of(bind) };
    // SAFETY: the caller's promise.
    unsafe { append::<F>(kind_of(bind), bind.buffer.cast(), length, out) }
}

/// Makes room, then appends.
fn extend(out: &mut Vec<u8>, bytes: &[u8]) -> Result<(), Refused> {
    out.try_reserve(bytes.len()).map_err(|_| Refused::OutOfMemory)?;
    out.extend_from_slice(bytes);
    Ok(())
}

/// Copies `N` bytes of the program's.
///
/// # Safety
/// `from` has `N` readable bytes.
unsafe fn read<const N: usize>(from: *const u8) -> [u8; N] {
    // SAFETY: the caller promises the bytes.
    unsafe { from.cast::<[u8; N]>().read_unaligned() }
}

/// # Safety
/// `from` is readable as the type says, with `length` bytes for text (to its zero byte when that is all ones, in the
/// MariaDB family).
unsafe fn append<F: Abi>(kind: u8, from: *const u8, length: c_ulong, out: &mut Vec<u8>) -> Result<(), Refused> {
    let mysql = F::FAMILY == Family::MySql;
    match kind {
        // SAFETY: one byte; so below, as many as the type has.
        TINY => extend(out, &unsafe { read::<1>(from) }),
        // SAFETY: as above.
        SHORT => extend(out, &unsafe { read::<2>(from) }),
        // SAFETY: as above.
        YEAR if !mysql => extend(out, &unsafe { read::<2>(from) }),
        // SAFETY: as above.
        LONG | FLOAT => extend(out, &unsafe { read::<4>(from) }),
        // SAFETY: as above.
        INT24 if !mysql => extend(out, &unsafe { read::<4>(from) }),
        // SAFETY: as above.
        LONGLONG | DOUBLE => extend(out, &unsafe { read::<8>(from) }),
        TIME => {
            // SAFETY: as above.
            let time = unsafe { from.cast::<mariadb::Time>().read_unaligned() };
            append_span(&time, out)
        }
        DATE | DATETIME | TIMESTAMP => {
            // SAFETY: as above.
            let mut time = unsafe { from.cast::<mariadb::Time>().read_unaligned() };
            let mut zone = None;
            if mysql {
                if time.time_type as i32 == super::time::kind::DATETIME_TZ {
                    let place = MySql::time_zone_displacement(from.cast_mut().cast());
                    // SAFETY: the 48 bytes of the MySQL family's struct.
                    zone = place.map(|place| unsafe { place.read_unaligned() });
                }
                if kind == DATE {
                    (time.hour, time.minute, time.second, time.second_part) = (0, 0, 0, 0);
                }
            }
            append_moment(&time, zone, out)
        }
        _ if is_text::<F>(kind) => {
            let length = if !mysql && length == c_ulong::MAX {
                // SAFETY: the caller promises a zero byte.
                unsafe { libc::strlen(from.cast()) }
            } else {
                length as usize
            };
            if from.is_null() || length == 0 {
                return extend(out, &[0]);
            }
            append_length(length, out)?;
            // SAFETY: the caller promises so many bytes.
            extend(out, unsafe { std::slice::from_raw_parts(from, length) })
        }
        _ => Ok(()),
    }
}

/// A length as the protocol has it in front of text.
fn append_length(length: usize, out: &mut Vec<u8>) -> Result<(), Refused> {
    let bytes = (length as u64).to_le_bytes();
    match length {
        0..251 => extend(out, &bytes[..1]),
        251..0x1_0000 => extend(out, &[252, bytes[0], bytes[1]]),
        0x1_0000..0x100_0000 => extend(out, &[253, bytes[0], bytes[1], bytes[2]]),
        _ => {
            extend(out, &[254])?;
            extend(out, &bytes)
        }
    }
}

/// A time span: nothing, with a time, or with microseconds.
fn append_span(time: &mariadb::Time, out: &mut Vec<u8>) -> Result<(), Refused> {
    let length: u8 = if time.second_part != 0 {
        12
    } else if time.day != 0 || time.hour != 0 || time.minute != 0 || time.second != 0 {
        8
    } else {
        0
    };
    let mut bytes = [0; 13];
    bytes[0] = length;
    bytes[1] = (time.neg != 0).into();
    bytes[2..6].copy_from_slice(&time.day.to_le_bytes());
    bytes[6] = time.hour as u8;
    bytes[7] = time.minute as u8;
    bytes[8] = time.second as u8;
    bytes[9..13].copy_from_slice(&(time.second_part as u32).to_le_bytes());
    extend(out, &bytes[..=usize::from(length)])
}

/// A date and time: nothing, a date, with a time, with microseconds, with a time zone (seconds; sent as minutes).
fn append_moment(time: &mariadb::Time, zone: Option<c_int>, out: &mut Vec<u8>) -> Result<(), Refused> {
    let length: u8 = if zone.is_some() {
        13
    } else if time.second_part != 0 {
        11
    } else if time.hour != 0 || time.minute != 0 || time.second != 0 {
        7
    } else if time.year != 0 || time.month != 0 || time.day != 0 {
        4
    } else {
        0
    };
    let mut bytes = [0; 14];
    bytes[0] = length;
    bytes[1..3].copy_from_slice(&(time.year as u16).to_le_bytes());
    bytes[3] = time.month as u8;
    bytes[4] = time.day as u8;
    bytes[5] = time.hour as u8;
    bytes[6] = time.minute as u8;
    bytes[7] = time.second as u8;
    bytes[8..12].copy_from_slice(&(time.second_part as u32).to_le_bytes());
    bytes[12..14].copy_from_slice(&((zone.unwrap_or(0) / 60) as u16).to_le_bytes());
    extend(out, &bytes[..=usize::from(length)])
}

/// The indicator of row `row` of an array (`STMT_INDICATOR_*`: 0 none, 1 NULL, 2 DEFAULT, 3 IGNORE, 4 IGNORE_ROW, -1
/// NTS). A row of which any parameter says [`INDICATOR_IGNORE_ROW`] is left out of the packet.
///
/// # Safety
/// As for [`append_bulk_parameter`].
pub unsafe fn bulk_indicator(bind: &Bind, row: usize, row_size: usize) -> i8 {
    let indicators = bind.row_ptr.cast::<i8>();
    if indicators.is_null() {
        return 0;
    }
    let place = indicators.wrapping_add(row.wrapping_mul(row_size.max(1)));
    // SAFETY: the caller promises the array.
    unsafe { *place }
}

/// The indicator of a parameter that a callback of the program's fills in row by row.
///
/// # Safety
/// `bind`'s indicator is NULL or readable.
pub unsafe fn called_indicator(bind: &Bind) -> i8 {
    // SAFETY: the first of an array of one.
    unsafe { bulk_indicator(bind, 0, 0) }
}

/// MariaDB's bulk execution: appends the indicator byte of row `row` of an array-bound parameter and, when it has one,
/// its value.
///
/// `row_size` 0: `buffer` is an array of values, or of pointers for types without a fixed size (text and times), with
/// `length[row]` and `indicator[row]`; text without lengths has `buffer_length` in its first row and nothing in the
/// others. Else all three are strided by `row_size` bytes. `*is_null` does not count.
///
/// # Errors
/// No memory.
///
/// # Safety
/// `bind` was given to [`prepare_parameter`] and its arrays have at least `row + 1` elements.
pub unsafe fn append_bulk_parameter(
    bind: &Bind,
    row: usize,
    row_size: usize,
    out: &mut Vec<u8>,
) -> Result<(), Refused> {
    // SAFETY: the caller's promise.
    let indicator = unsafe { bulk_indicator(bind, row, row_size) };
    let first = bind.buffer.cast::<u8>();
    let size = match kind_of(bind) {
        TINY => 1,
        SHORT | YEAR => 2,
        LONG | INT24 | FLOAT => 4,
        LONGLONG | DOUBLE => 8,
        _ => 0,
    };
    let from = if first.is_null() || indicator > 0 || bind.buffer_type == u32::from(NULL) {
        std::ptr::null()
    } else if row_size > 0 || size > 0 {
        first.wrapping_add(row.wrapping_mul(if row_size > 0 { row_size } else { size })).cast_const()
    } else {
        // SAFETY: the caller promises an array of pointers.
        unsafe { first.cast::<*const u8>().wrapping_add(row).read_unaligned() }
    };
    let own_length = std::ptr::eq(bind.length, &bind.buffer_length);
    let length = if bind.length.is_null() || (own_length && row > 0) {
        0
    } else if row_size > 0 {
        let place = bind.length.cast::<u8>().wrapping_add(row.wrapping_mul(row_size)).cast::<c_ulong>();
        // SAFETY: the caller promises the lengths.
        unsafe { place.read_unaligned() }
    } else {
        // SAFETY: as above.
        unsafe { bind.length.wrapping_add(row).read_unaligned() }
    };
    // SAFETY: the caller's promise.
    unsafe { append_indicated(bind, indicator, from, length, out) }
}

/// As [`append_bulk_parameter`] for a parameter that a callback of the program's has filled in for this row: its buffer
/// is the value, and its length and indicator are those of this row.
///
/// # Errors
/// No memory.
///
/// # Safety
/// `bind`'s pointers are the program's.
pub unsafe fn append_called_parameter(bind: &Bind, out: &mut Vec<u8>) -> Result<(), Refused> {
    // SAFETY: the caller's promise.
    let indicator = unsafe { called_indicator(bind) };
    // SAFETY: as above.
    let length = unsafe { length_of(bind) };
    // SAFETY: as above.
    unsafe { append_indicated(bind, indicator, bind.buffer.cast(), length, out) }
}

/// # Safety
/// As [`append`].
unsafe fn append_indicated(
    bind: &Bind,
    indicator: i8,
    from: *const u8,
    length: c_ulong,
    out: &mut Vec<u8>,
) -> Result<(), Refused> {
    if indicator > 0 {
        return extend(out, &[indicator as u8]);
    }
    if bind.buffer_type == u32::from(NULL) || from.is_null() {
        return extend(out, &[INDICATOR_NULL as u8]);
    }
    extend(out, &[0])?;
    let length = if indicator == INDICATOR_NTS { c_ulong::MAX } else { length };
    // SAFETY: the caller's promise.
    unsafe { append::<crate::abi::family::MariaDb>(kind_of(bind), from, length, out) }
}

/// A flag is one byte in both families.
const _: () = assert!(size_of::<c_char>() == 1);
