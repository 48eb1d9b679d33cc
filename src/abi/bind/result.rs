//! Bound columns: what is checked and filled in when they are bound, and which conversion a pair of column and buffer
//! gets.
#![allow(unsafe_code)]

use super::{ColumnType, Fetch, Refused, Subject, buffer, direct, mariadb, mysql, types::*};
use crate::abi::family::{Abi, Bind};
use crate::options::Family;
use std::ffi::c_ulong;

/// `MADB_BIND_DUMMY` of a binding's `flags`: the column is skipped.
const DUMMY: u32 = 1;

/// `mysql_stmt_bind_result` for one column: `bind` is the library's copy, whose pointers that the program left NULL are
/// made to point to its own `*_value` fields; for types of fixed size `*length` is set. `number` counts from 0.
///
/// The MySQL family does the rest of it again, by [`set_fixed_length`] and [`fetch_function`], when the columns' types
/// change between executions.
///
/// # Errors
/// A type of buffer that is not known; in the MySQL family also a type of column, and the message always tells the
/// column's. (Connector/C's has two numbers from nowhere; ours has the buffer's type and the column's number.)
///
/// # Safety
/// `bind` is a readable and writable `MYSQL_BIND` that stays where it is as long as the binding is used; its pointers are
/// NULL or the program's.
pub unsafe fn prepare_result<F: Abi>(bind: *mut Bind, column: &ColumnType, number: u32) -> Result<(), Refused> {
    // SAFETY: the caller promises the binding.
    let bind = unsafe { &mut *bind };
    let mysql = F::FAMILY == Family::MySql;
    if !mysql && !mariadb_supports(bind.buffer_type) {
        return Err(Refused::Unsupported {
            buffer_type: bind.buffer_type,
            number: number + 1,
            subject: Subject::Column,
        });
    }
    if bind.is_null.is_null() {
        bind.is_null = &mut bind.is_null_value;
    }
    if bind.length.is_null() {
        bind.length = &mut bind.length_value;
    }
    if bind.error.is_null() {
        bind.error = &mut bind.error_value;
    }
    if mysql {
        bind.param_number = number;
        bind.offset = 0;
        if !mysql_supports(bind.buffer_type) || !mysql_knows(column.column_type) {
            return Err(Refused::Unsupported {
                buffer_type: column.column_type.into(),
                number: number + 1,
                subject: Subject::Column,
            });
        }
    }
    // SAFETY: the pointers are set.
    unsafe { set_fixed_length::<F>(bind) };
    Ok(())
}

/// Sets `*length` for types of buffers that have one of their own.
///
/// # Safety
/// `bind.length` is a writable number.
pub unsafe fn set_fixed_length<F: Abi>(bind: &mut Bind) {
    let length = match u8::try_from(bind.buffer_type) {
        Ok(NULL) => 0,
        Ok(TINY) => 1,
        Ok(SHORT | YEAR) => 2,
        Ok(INT24 | LONG | FLOAT) => 4,
        Ok(LONGLONG | DOUBLE) => 8,
        Ok(TIME | DATE | DATETIME | TIMESTAMP) => size_of::<F::Time>(),
        _ => return,
    };
    // SAFETY: the caller promises the number.
    unsafe { buffer::set_length(bind, length) };
    if F::FAMILY == Family::MariaDb {
        bind.length_value = length as c_ulong;
    }
}

/// Whether Connector/C takes this type of buffer, for columns and for parameters.
pub fn mariadb_supports(buffer_type: u32) -> bool {
    matches!(
        u8::try_from(buffer_type),
        Ok(DECIMAL..=YEAR | NEWDATE | BIT | JSON | NEWDECIMAL | TINY_BLOB..=BLOB | VAR_STRING | STRING | GEOMETRY)
    )
}

/// Whether Connector/C knows this type of column. Of a row with one that it does not know, `mysql_stmt_fetch` converts
/// the columns in front of it and returns `MYSQL_DATA_MALFORMED` (102), whether the value is NULL or not. The MySQL
/// family refuses to bind such columns.
pub fn mariadb_knows(column_type: u8) -> bool {
    matches!(column_type, DECIMAL..=BIT | JSON..=GEOMETRY)
}

/// Whether the MySQL family takes this type of buffer for a column.
fn mysql_supports(buffer_type: u32) -> bool {
    u8::try_from(buffer_type)
        .is_ok_and(|buffer_type| buffer_type == NULL || direct::of::<crate::abi::family::MySql>(buffer_type).is_some())
}

/// Whether the MySQL family knows this type of column.
fn mysql_knows(column_type: u8) -> bool {
    matches!(column_type, DECIMAL..=YEAR | NEWDATE | BIT | VECTOR | JSON..=GEOMETRY)
}

/// `mysql_stmt_fetch_column`: fills in the program's own binding; [`column_function`]'s conversion is then called with
/// it. `stored` is the library's binding of the column. For NULL call [`null_column`] instead.
///
/// # Safety
/// `bind` is the program's `MYSQL_BIND`; `stored` is the library's copy for this column, and its `length` points to
/// something (with Connector/C it does after a fetch, also of a column that was never bound).
pub unsafe fn prepare_column<F: Abi>(bind: *mut Bind, stored: *mut Bind, offset: c_ulong) {
    // SAFETY: the caller promises the binding.
    let bind = unsafe { &mut *bind };
    // SAFETY: the caller promises the stored binding.
    let stored = unsafe { &mut *stored };
    if bind.error.is_null() {
        bind.error = &mut bind.error_value;
    }
    // SAFETY: just set, or the program's.
    unsafe { buffer::set_error(bind, false) };
    if bind.is_null.is_null() {
        if F::FAMILY == Family::MariaDb {
            bind.is_null = &mut bind.is_null_value;
            bind.is_null_value = 0;
        }
    } else {
        // SAFETY: the program's flag.
        unsafe { *bind.is_null = 0 };
    }
    bind.offset = offset;
    if bind.length.is_null() {
        bind.length = &mut stored.length_value;
    } else if !stored.length.is_null() {
        // SAFETY: the stored binding's length.
        let length = unsafe { stored.length.read_unaligned() };
        // SAFETY: the program's length.
        unsafe { buffer::set_length(bind, length as usize) };
    }
}

/// `mysql_stmt_fetch_column` for NULL.
///
/// # Safety
/// `bind` is the program's `MYSQL_BIND`.
pub unsafe fn null_column<F: Abi>(bind: *mut Bind) {
    // SAFETY: the caller promises the binding.
    let bind = unsafe { &mut *bind };
    if F::FAMILY == Family::MySql {
        if bind.error.is_null() {
            bind.error = &mut bind.error_value;
        }
        // SAFETY: just set, or the program's.
        unsafe { buffer::set_error(bind, false) };
    }
    if !bind.is_null.is_null() {
        // SAFETY: the program's flag.
        unsafe { *bind.is_null = 1 };
    }
}

/// `mysql_stmt_fetch` for NULL.
///
/// # Safety
/// `bind` went through [`prepare_result`].
#[inline(always)]
pub unsafe fn fetch_null<F: Abi>(bind: &mut Bind) {
    if F::FAMILY == Family::MySql {
        // SAFETY: the flag of a prepared binding.
        unsafe { buffer::set_error(bind, false) };
    }
    bind.row_ptr = std::ptr::null_mut();
    // SAFETY: as above.
    unsafe { *bind.is_null = 1 };
}

/// Connector/C's program skips the column.
pub(super) fn is_skipped(bind: &Bind) -> bool {
    bind.param_number & DUMMY != 0
}

/// The conversion for `mysql_stmt_fetch`, chosen once per binding and column. A column that Connector/C's program skips
/// (`MADB_BIND_DUMMY`) only tells its length.
pub fn fetch_function<F: Abi>(bind: &Bind, column: &ColumnType) -> Fetch {
    let buffer_type = buffer::kind_of(bind);
    if F::FAMILY == Family::MariaDb {
        return if is_skipped(bind) { skip } else { mariadb::of(buffer_type, column) };
    }
    if buffer_type == NULL {
        return nothing;
    }
    match direct::of::<F>(buffer_type) {
        Some(same) if mysql::is_same(buffer_type, column.column_type) => same,
        _ => mysql::from(column.column_type),
    }
}

/// The conversion for `mysql_stmt_fetch_column`: in the MySQL family never a plain copy, so that strings are ended,
/// offsets count, and types without a conversion of their own get text.
pub fn column_function<F: Abi>(bind: &Bind, column: &ColumnType) -> Fetch {
    match F::FAMILY {
        Family::MariaDb => mariadb::of(buffer::kind_of(bind), column),
        Family::MySql => mysql::from(column.column_type),
    }
}

/// Fetches into nothing.
///
/// # Safety
/// As [`Fetch`].
unsafe fn nothing(bind: &mut Bind, _: &ColumnType, _: &[u8]) {
    // SAFETY: the flag of a prepared binding.
    unsafe { buffer::set_error(bind, false) };
}

/// Tells the length only.
///
/// # Safety
/// As [`Fetch`].
unsafe fn skip(bind: &mut Bind, _: &ColumnType, value: &[u8]) {
    if bind.length.is_null() {
        bind.length = &mut bind.length_value;
    }
    bind.length_value = value.len() as c_ulong;
    // SAFETY: just set, or the program's.
    unsafe { buffer::set_length(bind, value.len()) };
}

/// Text lengths of types that have one, as each family's original tells them.
fn type_length<F: Abi>(column_type: u8) -> Option<usize> {
    let mariadb = F::FAMILY == Family::MariaDb;
    Some(match column_type {
        NULL => 0,
        TINY => 4,
        SHORT => 6,
        YEAR => {
            if mariadb {
                4
            } else {
                6
            }
        }
        INT24 => {
            if mariadb {
                8
            } else {
                9
            }
        }
        LONG => 11,
        LONGLONG => {
            if mariadb {
                20
            } else {
                21
            }
        }
        FLOAT | DOUBLE => {
            if mariadb {
                mariadb::FLOAT_TEXT
            } else {
                mysql::FLOAT_TEXT
            }
        }
        TIME => 17,
        DATE => 10,
        DATETIME | TIMESTAMP => {
            if mariadb {
                30
            } else {
                36
            }
        }
        _ => return None,
    })
}

/// What `MYSQL_FIELD.max_length` is at least once this value was stored (`STMT_ATTR_UPDATE_MAX_LENGTH`): the largest of
/// all values counts.
pub fn display_length<F: Abi>(column: &ColumnType, value: &[u8]) -> usize {
    if F::FAMILY == Family::MariaDb && !mariadb_knows(column.column_type) {
        return 0;
    }
    let Some(length) = type_length::<F>(column.column_type) else { return value.len() };
    if F::FAMILY == Family::MySql {
        return length;
    }
    match column.column_type {
        TIME | DATE | DATETIME | TIMESTAMP => length,
        _ if column.zerofill => (column.length as usize).max(length - 1),
        INT24 | LONGLONG => length,
        _ if column.unsigned => length - 1,
        _ => length,
    }
}

/// What the MySQL family's `mysql_stmt_bind_result` (and `mysql_stmt_store_result` with `STMT_ATTR_UPDATE_MAX_LENGTH`)
/// sets `MYSQL_FIELD.max_length` to before any row; None where it leaves it alone, and in the MariaDB family.
pub fn fixed_display_length<F: Abi>(column: &ColumnType) -> Option<usize> {
    if F::FAMILY == Family::MySql { type_length::<F>(column.column_type) } else { None }
}
