//! The two exported objects of Connector/C. In assembler, because `.symver` needs the label in the same block.
#![allow(unsafe_code)]

use crate::abi::bind::{self, ColumnType};
use crate::abi::family::{Bind, Field, MariaDb};
use std::arch::global_asm;
use std::ffi::c_uchar;

/// How long a value is in a row.
enum Width {
    /// So many bytes.
    Fixed(usize),
    /// As the length in front of it says.
    Prefixed,
}

/// The length in front of a value, and the bytes that it takes itself.
///
/// # Safety
/// `row` points to a length and its value.
unsafe fn prefix(row: *const c_uchar) -> (usize, usize) {
    let byte = |at: usize| {
        // SAFETY: the length's own bytes.
        usize::from(unsafe { *row.add(at) })
    };
    let number = |bytes: usize| (1..=bytes).rev().fold(0, |value, at| value << 8 | byte(at));
    match byte(0) {
        251 => (0, 1),
        252 => (number(2), 3),
        253 => (number(3), 4),
        254 => (number(8), 9),
        length => (length, 1),
    }
}

/// Converts the value at `*row` into the program's buffer and moves `*row` behind it. `column_type` is the type that
/// decides, where it is not the field's own.
///
/// # Safety
/// The arguments are NULL or the program's: a binding, a field, a place in a row with a whole value of the field.
unsafe fn convert(bind: *mut Bind, field: *const Field, row: *mut *mut c_uchar, width: Width, column_type: Option<u8>) {
    if bind.is_null() || field.is_null() || row.is_null() {
        return;
    }
    // SAFETY: the caller promises the binding.
    let bind = unsafe { &mut *bind };
    // SAFETY: the caller promises the field.
    let field = unsafe { &*field };
    // SAFETY: the caller promises the place.
    let mut from = unsafe { *row };
    let length = match width {
        Width::Fixed(length) => length,
        Width::Prefixed => {
            // SAFETY: the caller promises a whole value.
            let (length, taken) = unsafe { prefix(from) };
            from = from.wrapping_add(taken);
            length
        }
    };
    if bind.length.is_null() {
        bind.length = &mut bind.length_value;
    }
    if bind.error.is_null() {
        bind.error = &mut bind.error_value;
    }
    let column = ColumnType::new(
        column_type.unwrap_or(field.r#type as u8),
        field.flags,
        u32::try_from(field.length).unwrap_or(u32::MAX),
        u8::try_from(field.decimals).unwrap_or(u8::MAX),
        field.charsetnr,
    );
    // SAFETY: the caller promises a whole value.
    let value = unsafe { std::slice::from_raw_parts(from, length) };
    let fetch = bind::column_function::<MariaDb>(bind, &column);
    // SAFETY: the pointers are set, and the buffer is the program's.
    unsafe { fetch(bind, &column, value) };
    // SAFETY: the caller promises the place.
    unsafe { *row = from.wrapping_add(length) };
}

/// Entries of the table.
macro_rules! entries {
    ($($name:ident: $width:expr, $column_type:expr;)*) => {$(
        /// One of `mysql_ps_fetch_functions`: see [`convert`].
        ///
        /// # Safety
        /// As [`convert`].
        unsafe extern "C" fn $name(bind: *mut Bind, field: *const Field, row: *mut *mut c_uchar) {
            // SAFETY: the caller's promise.
            unsafe { convert(bind, field, row, $width, $column_type) };
        }
    )*};
}

entries! {
    null: Width::Fixed(0), Some(6);
    whole8: Width::Fixed(1), Some(1);
    whole16: Width::Fixed(2), Some(2);
    whole32: Width::Fixed(4), Some(3);
    whole64: Width::Fixed(8), Some(8);
    float: Width::Fixed(4), Some(4);
    double: Width::Fixed(8), Some(5);
    moment: Width::Prefixed, None;
    text: Width::Prefixed, Some(253);
    bytes: Width::Prefixed, Some(252);
}

/// Rows of the table: the conversion, bytes on the wire (-1: has a length in front, -2: text), characters at most.
macro_rules! rows {
    ($($count:literal of $function:literal $pack:literal $max:literal),* $(,)?) => {
        concat!($(
            ".rept ", $count, "\n",
            ".quad {", $function, "}\n.long ", $pack, "\n.long 0\n.quad ", $max, "\n",
            ".endr\n",
        )*)
    };
}
/// Types that do not exist.
macro_rules! gap {
    ($count:literal) => {
        concat!(".zero 24 * ", $count, "\n")
    };
}

// By type number, as Connector/C 3.3.20 fills it in mysql_server_init; here it is there from the start.
global_asm!(
    ".pushsection .data.rel.ro.mysqlclient_ms.ps,\"aw\",@progbits",
    ".balign 16",
    ".globl mysqlclient_ms.ps_fetch_functions",
    ".type mysqlclient_ms.ps_fetch_functions,@object",
    "mysqlclient_ms.ps_fetch_functions:",
    rows!(
        1 of "text" -2 -1,    // DECIMAL
        1 of "whole8" 1 4,    // TINY
        1 of "whole16" 2 6,   // SHORT
        1 of "whole32" 4 11,  // LONG
        1 of "float" 4 300,   // FLOAT
        1 of "double" 8 300,  // DOUBLE
        1 of "null" 0 0,      // NULL
        1 of "moment" -1 30,  // TIMESTAMP
        1 of "whole64" 8 20,  // LONGLONG
        1 of "whole32" 4 8,   // INT24
        1 of "moment" -1 10,  // DATE
        1 of "moment" -1 17,  // TIME
        1 of "moment" -1 30,  // DATETIME
        1 of "whole16" 2 4,   // YEAR
        1 of "text" -1 -1,    // NEWDATE
        1 of "text" -2 -1,    // VARCHAR
        1 of "bytes" -2 -1,   // BIT
    ),
    gap!(228),
    rows!(
        4 of "text" -2 -1,  // JSON, NEWDECIMAL, ENUM, SET
        4 of "bytes" -2 -1, // four BLOBs
        3 of "text" -2 -1,  // VAR_STRING, STRING, GEOMETRY
    ),
    ".size mysqlclient_ms.ps_fetch_functions, 6144",
    ".symver mysqlclient_ms.ps_fetch_functions, mysql_ps_fetch_functions@@libmariadb_3, remove",
    ".popsection",
    text = sym text,
    whole8 = sym whole8,
    whole16 = sym whole16,
    whole32 = sym whole32,
    whole64 = sym whole64,
    float = sym float,
    double = sym double,
    null = sym null,
    moment = sym moment,
    bytes = sym bytes,
);

// A program may set it to 0 to keep OpenSSL's state at mysql_server_end. TLS has no process-wide state here: nobody
// reads it.
global_asm!(
    ".pushsection .data.mysqlclient_ms.ssl,\"aw\",@progbits",
    ".balign 4",
    ".globl mysqlclient_ms.deinitialize_ssl",
    ".type mysqlclient_ms.deinitialize_ssl,@object",
    "mysqlclient_ms.deinitialize_ssl:",
    ".long 1",
    ".size mysqlclient_ms.deinitialize_ssl, 4",
    ".symver mysqlclient_ms.deinitialize_ssl, mariadb_deinitialize_ssl@@libmariadb_3, remove",
    ".popsection",
);
