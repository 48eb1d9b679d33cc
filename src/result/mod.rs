//! Columns and rows as plain data, in memory that C may point into.
//!
//! Knows nothing of sockets, commands or handles. Rows come here as the server sent them and stay so; pointers to their values
//! are made when a row is asked for.

pub mod arena;
mod binary;
mod columns;
mod stored;
mod stream;
#[cfg(test)]
mod tests;
pub mod types;
mod values;

use std::ffi::{c_char, c_ulong};

pub use binary::BinaryRows;
pub use columns::{Column, Columns, ColumnsBuilder, Definition, NONE, Place};
pub use stored::{Builder, LARGE_HEADER, Parts, StoredRows, Words};
pub use stream::StreamRow;
pub use values::{Values, Width};

/// A row as C sees it: `column_count` pointers (NULL = SQL NULL) to NUL-ended values, and their lengths.
#[derive(Clone, Copy, Debug)]
pub struct RowPointers {
    /// `MYSQL_ROW`.
    pub values: *mut *mut c_char,
    /// What `mysql_fetch_lengths` returns.
    pub lengths: *mut c_ulong,
}

/// No memory: the client error 2008.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

impl From<std::collections::TryReserveError> for OutOfMemory {
    fn from(_: std::collections::TryReserveError) -> Self {
        OutOfMemory
    }
}

/// The bytes are no row of so many columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotARow;
