//! The two exported objects of Connector/C. In assembler, because `.symver` needs the label in the same block.
#![allow(unsafe_code)]

use crate::abi::family::{Bind, Field};
use std::arch::global_asm;
use std::ffi::c_uchar;

/// Stands in `mysql_ps_fetch_functions` where Connector/C has its conversions: reports the column as not converted.
///
/// # Safety
/// `bind` is NULL or one of the program's, `bind->error` NULL or a writable flag.
unsafe extern "C" fn not_converted(bind: *mut Bind, _field: *const Field, _row: *mut *mut c_uchar) {
    if bind.is_null() {
        return;
    }
    // SAFETY: the program passes a MYSQL_BIND.
    let error = unsafe { (*bind).error };
    if !error.is_null() {
        // SAFETY: a flag of the program's.
        unsafe { *error = 1 };
    }
}

/// Rows of the table: the conversion, bytes on the wire (-1: has a length in front, -2: text), characters at most.
macro_rules! rows {
    ($($count:literal of $pack:literal $max:literal),* $(,)?) => {
        concat!($(
            ".rept ", $count, "\n",
            ".quad {f}\n.long ", $pack, "\n.long 0\n.quad ", $max, "\n",
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
        1 of -2 -1,  // DECIMAL
        1 of 1 4,    // TINY
        1 of 2 6,    // SHORT
        1 of 4 11,   // LONG
        1 of 4 300,  // FLOAT
        1 of 8 300,  // DOUBLE
        1 of 0 0,    // NULL
        1 of -1 30,  // TIMESTAMP
        1 of 8 20,   // LONGLONG
        1 of 4 8,    // INT24
        1 of -1 10,  // DATE
        1 of -1 17,  // TIME
        1 of -1 30,  // DATETIME
        1 of 2 4,    // YEAR
        1 of -1 -1,  // NEWDATE
        1 of -2 -1,  // VARCHAR
        1 of -2 -1,  // BIT
    ),
    gap!(228),
    rows!(11 of -2 -1), // JSON, NEWDECIMAL, ENUM, SET, four BLOBs, VAR_STRING, STRING, GEOMETRY
    ".size mysqlclient_ms.ps_fetch_functions, 6144",
    ".symver mysqlclient_ms.ps_fetch_functions, mysql_ps_fetch_functions@@libmariadb_3, remove",
    ".popsection",
    f = sym not_converted,
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
