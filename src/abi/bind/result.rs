//! Bound columns: what is checked and filled in when they are bound, and which conversion a pair of column and buffer
//! gets.

use super::{ColumnType, Fetch, Refused};
use crate::abi::family::{Abi, Bind};
use std::ffi::c_ulong;

/// `mysql_stmt_bind_result` for one column: `bind` is the library's copy, whose pointers that the program left NULL are
/// made to point to its own `*_value` fields. `number` counts from 0.
///
/// # Safety
/// `bind` is a readable and writable `MYSQL_BIND` that stays where it is as long as the binding is used; its pointers are
/// NULL or the program's.
pub unsafe fn prepare_result<F: Abi>(bind: *mut Bind, column: &ColumnType, number: u32) -> Result<(), Refused> {
    let _ = column;
    // SAFETY: the caller promises the binding.
    let bind = unsafe { &mut *bind };
    if bind.is_null.is_null() {
        bind.is_null = &mut bind.is_null_value;
    }
    if bind.length.is_null() {
        bind.length = &mut bind.length_value;
    }
    if bind.error.is_null() {
        bind.error = &mut bind.error_value;
    }
    bind.param_number = number;
    bind.offset = 0;
    Ok(())
}

/// `mysql_stmt_fetch_column` for a value that is not NULL: fills in the program's own binding, whose conversion is then
/// [`column_function`]'s. `stored` is the library's binding of the column.
///
/// # Safety
/// `bind` is the program's `MYSQL_BIND`; `stored` is the library's copy for this column, which was prepared.
pub unsafe fn prepare_column<F: Abi>(bind: *mut Bind, stored: *mut Bind, offset: c_ulong) {
    let _ = stored;
    // SAFETY: the caller promises the binding.
    let bind = unsafe { &mut *bind };
    bind.offset = offset;
}

/// The conversion for `mysql_stmt_fetch`, chosen once per binding and column.
pub fn fetch_function<F: Abi>(bind: &Bind, column: &ColumnType) -> Fetch {
    let _ = (bind, column);
    skip
}

/// The conversion for `mysql_stmt_fetch_column`: in the MySQL family not the same as [`fetch_function`].
pub fn column_function<F: Abi>(bind: &Bind, column: &ColumnType) -> Fetch {
    fetch_function::<F>(bind, column)
}

/// Leaves the buffer alone.
unsafe fn skip(_: &mut Bind, _: &ColumnType, _: &[u8]) {}

/// What `MYSQL_FIELD.max_length` is at least with this value (`STMT_ATTR_UPDATE_MAX_LENGTH`).
pub fn display_length<F: Abi>(column: &ColumnType, value: &[u8]) -> usize {
    let _ = column;
    value.len()
}

/// What the MySQL family's `mysql_stmt_bind_result` sets `MYSQL_FIELD.max_length` to; None where it leaves it alone.
pub fn fixed_display_length<F: Abi>(column: &ColumnType) -> Option<usize> {
    let _ = column;
    None
}
