//! The one row of an unbuffered result: a copy of its bytes, used again for each row.

use std::ffi::c_ulong;

use super::arena::{Frozen, Place, Pointer, Table, copy_value};
use super::{NotARow, OutOfMemory, RowPointers};

/// The one row of an unbuffered result, used again for each.
#[derive(Debug)]
pub struct StreamRow {
    bytes: Frozen<u8>,
    values: Frozen<Pointer>,
    lengths: Frozen<c_ulong>,
}

/// Room for the first row; later rows double it as they need.
const FIRST_ROOM: usize = 512;

impl StreamRow {
    /// For a result of so many columns.
    pub fn new(column_count: usize) -> Self {
        StreamRow {
            bytes: Frozen::empty(),
            values: Frozen::new(vec![Pointer::new(std::ptr::null_mut()); column_count]),
            lengths: Frozen::new(vec![0; column_count]),
        }
    }

    /// The row read last.
    #[inline]
    pub fn pointers(&mut self) -> RowPointers {
        RowPointers { values: self.values.at(0).cast(), lengths: self.lengths.at(0) }
    }

    /// A copy of one value of the row read last, for our own use: None for SQL NULL and for columns beyond the row.
    pub fn value(&mut self, column: usize) -> Option<Vec<u8>> {
        let length = usize::try_from(self.lengths.get(column)?).ok()?;
        copy_value(&self.bytes, Table::of_pointers(&self.values), column, length)
    }

    /// Takes a row over; what the pointers led to before is gone.
    #[inline]
    pub fn load(&mut self, row: &[u8]) -> Result<Result<(), NotARow>, OutOfMemory> {
        if self.bytes.len() <= row.len() {
            self.grow(row.len() + 1)?;
        }
        self.bytes.copy_from(row);
        Ok(self.index(row.len()))
    }

    /// Takes over a row that was received into a block of its own.
    pub fn adopt(&mut self, mut row: Vec<u8>) -> Result<Result<(), NotARow>, OutOfMemory> {
        let length = row.len();
        row.try_reserve_exact(1)?;
        row.push(0);
        self.bytes = Frozen::new(row);
        Ok(self.index(length))
    }

    #[inline]
    fn index(&mut self, end: usize) -> Result<(), NotARow> {
        let place = Place {
            bytes: &self.bytes,
            start: 0,
            end,
            values: Table::of_pointers(&self.values),
            first: 0,
            lengths: &self.lengths,
            first_length: 0,
            columns: self.lengths.len(),
        };
        if place.index() { Ok(()) } else { Err(NotARow) }
    }

    #[cold]
    fn grow(&mut self, need: usize) -> Result<(), OutOfMemory> {
        let room = need.max(FIRST_ROOM).max(self.bytes.len() * 2);
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(room)?;
        bytes.resize(room, 0);
        self.bytes = Frozen::new(bytes);
        Ok(())
    }
}
