//! Columns and rows as plain data, in memory that C may point into.
//!
//! Knows nothing of sockets, commands or handles.

pub mod arena;

use std::ffi::{c_char, c_ulong};

/// The column definitions of one result set: one block that holds the received packets, each string ended in place.
#[derive(Debug)]
pub struct Columns {
    count: usize,
}

/// One column. The pointers lead to NUL-ended strings inside its [`Columns`], whose address never changes.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Column {
    pub catalog: (*const c_char, u32),
    pub schema: (*const c_char, u32),
    pub table: (*const c_char, u32),
    pub org_table: (*const c_char, u32),
    pub name: (*const c_char, u32),
    pub org_name: (*const c_char, u32),
    /// Only in replies to COM_FIELD_LIST.
    pub default: Option<(*const c_char, u32)>,
    /// Collation id.
    pub charset: u32,
    pub length: u32,
    /// `MYSQL_TYPE_*`.
    pub column_type: u8,
    pub flags: u32,
    pub decimals: u8,
}

impl Columns {
    /// Number of columns.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The columns in order.
    pub fn iter(&self) -> impl Iterator<Item = Column> + '_ {
        std::iter::empty()
    }
}

/// A row as C sees it: `column_count` pointers (NULL = SQL NULL) to NUL-ended values, and their lengths.
#[derive(Clone, Copy, Debug)]
pub struct RowPointers {
    /// `MYSQL_ROW`.
    pub values: *mut *mut c_char,
    /// What `mysql_fetch_lengths` returns.
    pub lengths: *mut c_ulong,
}

/// All rows of a result. Rows stay where they are until it is dropped.
#[derive(Debug)]
pub struct StoredRows {}

impl StoredRows {
    /// Number of rows.
    pub fn len(&self) -> u64 {
        unimplemented!()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row with this number; its pointers stay valid, `lengths` until the next call.
    pub fn row(&mut self, _number: u64) -> Option<RowPointers> {
        unimplemented!()
    }

    /// For every column the length of its longest value: `MYSQL_FIELD.max_length`.
    pub fn max_lengths(&mut self) -> Vec<c_ulong> {
        unimplemented!()
    }
}

/// The one row of an unbuffered result, used again for each.
#[derive(Debug)]
pub struct StreamRow {}

impl StreamRow {
    /// For a result of so many columns.
    pub fn new(_column_count: usize) -> Self {
        unimplemented!()
    }

    /// The row read last.
    pub fn pointers(&mut self) -> RowPointers {
        unimplemented!()
    }
}
