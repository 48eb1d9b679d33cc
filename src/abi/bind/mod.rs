//! Conversions of prepared statements: a program's `MYSQL_BIND` parameters to the binary protocol, and binary protocol
//! values to its `MYSQL_BIND` result buffers, as each family's original does them.
//!
//! * [`parameter`]: bound parameters, single and in bulk, to bytes.
//! * [`result`]: what `mysql_stmt_bind_result` and `mysql_stmt_fetch_column` check and fill in, and the choice of a
//!   conversion for a pair of column and buffer.
//! * `direct`: the conversions between equal types, which are nearly all that programs use.
//! * `mysql`, `mariadb`: each family's conversions between different types.
//! * `float`, `number`, `time`, `moment_text`, `buffer`: what both are made of.
//!
//! Never touches the protocol's packets (rows and commands are taken apart and put together by the callers), the
//! statement, or its state.
#![allow(unsafe_code)]

mod buffer;
mod direct;
mod float;
mod mariadb;
mod moment_text;
mod mysql;
mod number;
pub mod parameter;
pub mod result;
#[cfg(test)]
mod tests;
mod time;
mod usual;

pub use parameter::{
    INDICATOR_IGNORE_ROW, append_bulk_parameter, append_called_parameter, append_parameter, bulk_indicator, is_null,
    prepare_parameter, wire_type,
};
pub use result::{
    column_function, display_length, fetch_null, fixed_display_length, mariadb_knows, null_column, prepare_column,
    prepare_result,
};
pub use usual::How;

use crate::abi::family::Bind;
use crate::error::{Error, cr};
use crate::options::Family;
use crate::result::types;
use std::ffi::c_uint;

/// What a conversion has to know of a result column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnType {
    /// `MYSQL_TYPE_*`.
    pub column_type: u8,
    /// `UNSIGNED_FLAG` is set.
    pub unsigned: bool,
    /// `ZEROFILL_FLAG` is set.
    pub zerofill: bool,
    /// The character set is 63.
    pub binary: bool,
    /// Display width as the server says it, bytes.
    pub length: u32,
    /// Digits after the point; 31 or more when not fixed.
    pub decimals: u8,
    /// Character set and collation.
    pub charset: u32,
    /// The column's flags.
    pub flags: u32,
}

impl ColumnType {
    /// From the facts that the server sends about a column.
    pub fn new(column_type: u8, flags: u32, length: u32, decimals: u8, charset: u32) -> Self {
        const UNSIGNED_FLAG: u32 = 32;
        const ZEROFILL_FLAG: u32 = 64;
        ColumnType {
            column_type,
            unsigned: flags & UNSIGNED_FLAG != 0,
            zerofill: flags & ZEROFILL_FLAG != 0,
            binary: charset == 63,
            length,
            decimals,
            charset,
            flags,
        }
    }
}

/// Writes one value that is not NULL to the program's buffer, and sets `*bind.length` and `*bind.error`.
///
/// `value` is what the row has behind the length prefix: fixed-size types their 1, 2, 4 or 8 bytes; temporal types the 0
/// to 13 bytes behind the length byte. Honours `bind.offset` (of `mysql_stmt_fetch_column`).
///
/// # Safety
/// `bind` went through [`prepare_result`] or [`prepare_column`] without error and its pointers are still the program's
/// writable buffers.
pub type Fetch = unsafe fn(bind: &mut Bind, column: &ColumnType, value: &[u8]);

/// What a refused type is the type of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A bound parameter.
    Parameter,
    /// A bound column.
    Column,
}

/// A buffer type that the family's original refuses, or lack of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// `CR_UNSUPPORTED_PARAM_TYPE` (2036): the type, and the parameter's or column's number from 1.
    Unsupported {
        /// `MYSQL_TYPE_*` as the message has it.
        buffer_type: c_uint,
        /// From 1.
        number: u32,
        /// Which of both.
        subject: Subject,
    },
    /// The packet cannot grow.
    OutOfMemory,
}

impl Refused {
    /// The error as `mysql_stmt_errno`, `_sqlstate` and `_error` tell it.
    pub fn error(&self, family: Family) -> Error {
        match *self {
            // The MySQL family's original forgets to fill the two numbers in.
            Refused::Unsupported { subject: Subject::Parameter, .. } if family == Family::MySql => {
                Error::client(cr::UNSUPPORTED_PARAM_TYPE, "Using unsupported buffer type: %d  (parameter: %d)")
            }
            Refused::Unsupported { .. } if family == Family::MariaDb => {
                Error::client(cr::UNSUPPORTED_PARAM_TYPE, "Buffer type is not supported")
            }
            Refused::Unsupported { buffer_type, number, .. } => Error::client(
                cr::UNSUPPORTED_PARAM_TYPE,
                format!("Using unsupported buffer type: {buffer_type}  (parameter: {number})"),
            ),
            Refused::OutOfMemory => Error::out_of_memory(family),
        }
    }
}
