//! All rows of a prepared statement's result, as they came. Values are copied out of them; nobody points into them.

use super::stored::StoredRows;

/// Rows of the binary protocol, each with its first byte.
#[derive(Debug, Default)]
pub struct BinaryRows(StoredRows);

impl BinaryRows {
    pub(super) fn rows_mut(&mut self) -> &mut StoredRows {
        &mut self.0
    }

    /// Number of rows.
    pub fn len(&self) -> u64 {
        self.0.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The row with this number.
    #[inline]
    pub fn row(&self, number: u64) -> Option<&[u8]> {
        self.0.payload(number)
    }
}
