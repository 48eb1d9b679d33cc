//! All rows of a result: received bytes in blocks, one word per row, pointers made when a row is fetched.
//!
//! A row lies in its block as it came: four bytes of packet header, then for each column a length and the value. While rows are
//! added, [`Builder`] moves the first byte of each header to its fourth (the sequence number, which nobody needs any more), so
//! that the NUL of the row before may take its place later. A row that does not fit a receive buffer has a block of its
//! own: eight bytes with its length, a header of `FF`, and the payload.

use std::ffi::c_ulong;

use super::arena::{Frozen, Place, Pointer, Table};
use super::{OutOfMemory, RowPointers};

/// Rows whose words and pointers are allocated together.
const GROUP: usize = 256;

/// A result with at most so many rows needs no allocation for words and pointers.
const FEW: usize = 4;

/// Bits of a row's word: the highest says that its pointers were made; then the block; then the place in it.
const FETCHED: u64 = 1 << 63;
const BLOCK_SHIFT: u32 = 40;
const OFFSET_MASK: u64 = (1 << BLOCK_SHIFT) - 1;
const BLOCK_MASK: u64 = (1 << (63 - BLOCK_SHIFT)) - 1;

/// Bytes of a packet header.
const HEADER: usize = 4;
/// Bytes before the payload of a row with a block of its own.
pub const LARGE_HEADER: usize = 12;
/// Length in the header that says: look eight bytes further ahead.
const LARGE: usize = 0xFF_FFFF;

/// Blocks of at most so many bytes are allocated without a thought: most results fit one.
const SMALL: usize = 1 << 10;

/// The second block and those after it have at least this size, doubled each time up to [`LARGEST_BLOCK`].
const SECOND_BLOCK: usize = 64 << 10;
const LARGEST_BLOCK: usize = 1 << 20;

/// A list of which the first element needs no allocation: most results are small.
#[derive(Debug)]
struct Few<T> {
    first: Option<T>,
    more: Vec<T>,
}

impl<T> Default for Few<T> {
    fn default() -> Self {
        Few { first: None, more: Vec::new() }
    }
}

impl<T> Few<T> {
    fn len(&self) -> usize {
        if self.first.is_some() { 1 + self.more.len() } else { 0 }
    }

    #[inline]
    fn get(&self, index: usize) -> Option<&T> {
        if index == 0 { self.first.as_ref() } else { self.more.get(index - 1) }
    }

    #[inline]
    fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        if index == 0 { self.first.as_mut() } else { self.more.get_mut(index - 1) }
    }

    fn push(&mut self, element: T) -> Result<(), OutOfMemory> {
        if self.first.is_none() {
            self.first = Some(element);
        } else {
            self.more.try_reserve(1)?;
            self.more.push(element);
        }
        Ok(())
    }
}

#[derive(Debug)]
struct Group {
    /// One word per row.
    words: Vec<u64>,
    /// `words.len()` times the number of columns, made when the first row of the group is fetched.
    pointers: Frozen<Pointer>,
}

/// All rows of a result. Rows stay where they are until it is dropped.
#[derive(Debug, Default)]
pub struct StoredRows {
    blocks: Few<Frozen<u8>>,
    groups: Few<Group>,
    /// The words of a small result, which has no groups.
    few: [u64; FEW],
    rows: u64,
    columns: usize,
    /// The longest value of each column, then the lengths of the row fetched last, then the pointers of a small result.
    lengths: Frozen<c_ulong>,
}

impl StoredRows {
    /// A result without rows, as for `columns` columns.
    pub fn empty(columns: usize) -> Result<Self, OutOfMemory> {
        let (mut builder, mut rows) = (Builder::default(), StoredRows::default());
        builder.start(columns)?;
        builder.finish(&mut rows)?;
        Ok(rows)
    }

    /// Number of rows.
    pub fn len(&self) -> u64 {
        self.rows
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The row with this number; its pointers stay valid, `lengths` until the next call.
    ///
    /// None also when there is no memory for the pointers; [`StoredRows::try_row`] tells the difference.
    #[inline(always)]
    pub fn row(&mut self, number: u64) -> Option<RowPointers> {
        self.try_row(number).unwrap_or_default()
    }

    /// The same, with a failed allocation told apart from a number beyond the last row.
    #[inline(always)]
    pub fn try_row(&mut self, number: u64) -> Result<Option<RowPointers>, OutOfMemory> {
        if number >= self.rows {
            return Ok(None);
        }
        let within = number as usize % GROUP;
        let Some(group) = self.groups.get_mut(number as usize / GROUP) else {
            return Ok(self.few_row(number as usize));
        };
        if group.pointers.is_unset() {
            group.pointers = pointers(group.words.len() * self.columns)?;
        }
        let Some(word) = group.words.get_mut(within) else { return Ok(None) };
        if *word & FETCHED != 0 {
            return Ok(self.row_again(number));
        }
        *word |= FETCHED;
        let values = (Table::of_pointers(&group.pointers), within * self.columns);
        let Some(place) = place(*word, &self.blocks, values, &self.lengths, self.columns) else { return Ok(None) };
        let sound = place.index();
        debug_assert!(sound, "rows are checked before they are stored");
        Ok(Some(place.pointers()))
    }

    /// A row of a small result.
    #[inline(never)]
    fn few_row(&mut self, number: usize) -> Option<RowPointers> {
        let word = self.few.get_mut(number)?;
        if *word & FETCHED != 0 {
            return self.row_again(number as u64);
        }
        *word |= FETCHED;
        let values = (Table::of_lengths(&self.lengths), few_pointers(number, self.columns));
        let place = place(*word, &self.blocks, values, &self.lengths, self.columns)?;
        let sound = place.index();
        debug_assert!(sound, "rows are checked before they are stored");
        Some(place.pointers())
    }

    /// The word of a row, the table of its pointers, and the index of the first.
    fn find(&self, number: u64) -> Option<(u64, (Table, usize))> {
        let within = number as usize % GROUP;
        match self.groups.get(number as usize / GROUP) {
            Some(group) => {
                let values = (Table::of_pointers(&group.pointers), within * self.columns);
                Some((*group.words.get(within)?, values))
            }
            None => {
                let values = (Table::of_lengths(&self.lengths), few_pointers(within, self.columns));
                Some((*self.few.get(within)?, values))
            }
        }
    }

    /// A row whose pointers were made before: only its lengths have to be found.
    #[cold]
    #[inline(never)]
    fn row_again(&self, number: u64) -> Option<RowPointers> {
        let (word, values) = self.find(number)?;
        let place = place(word, &self.blocks, values, &self.lengths, self.columns)?;
        place.measure();
        Some(place.pointers())
    }

    /// A copy of one value, for our own use: None for SQL NULL and for places beyond the result.
    pub fn value(&mut self, row: u64, column: usize) -> Option<Vec<u8>> {
        if column >= self.columns {
            return None;
        }
        self.row(row)?;
        let (word, (values, first)) = self.find(row)?;
        let block = self.blocks.get(((word >> BLOCK_SHIFT) & BLOCK_MASK) as usize)?;
        let length = usize::try_from(self.lengths.get(self.columns + column)?).ok()?;
        super::arena::copy_value(block, values, first + column, length)
    }

    /// The bytes of a row as they came, for rows of which no pointer was ever given away.
    #[inline]
    pub(super) fn payload(&self, number: u64) -> Option<&[u8]> {
        let word = match self.groups.get(number as usize / GROUP) {
            Some(group) => *group.words.get(number as usize % GROUP)?,
            None if number < self.rows => *self.few.get(number as usize)?,
            None => return None,
        };
        let bytes = self.blocks.get(((word >> BLOCK_SHIFT) & BLOCK_MASK) as usize)?;
        let start = (word & OFFSET_MASK) as usize;
        bytes.lend(start, payload_length(bytes, start))
    }

    /// For every column the length of its longest value: `MYSQL_FIELD.max_length`.
    pub fn max_lengths(&mut self) -> Vec<c_ulong> {
        (0..self.columns).map(|column| self.max_length(column)).collect()
    }

    /// The same for one column; 0 for columns that are not there.
    pub fn max_length(&self, column: usize) -> c_ulong {
        if column < self.columns { self.lengths.get(column).unwrap_or(0) } else { 0 }
    }
}

/// Where the row that a word leads to lies; its pointers have their place at the index `values.1` of that table.
#[inline(always)]
fn place<'a>(
    word: u64,
    blocks: &'a Few<Frozen<u8>>,
    values: (Table, usize),
    lengths: &'a Frozen<c_ulong>,
    columns: usize,
) -> Option<Place<'a>> {
    let bytes = blocks.get(((word >> BLOCK_SHIFT) & BLOCK_MASK) as usize)?;
    let start = (word & OFFSET_MASK) as usize;
    let end = start + payload_length(bytes, start);
    Some(Place { bytes, start, end, values: values.0, first: values.1, lengths, first_length: columns, columns })
}

/// Where the pointers of a small result's row lie, behind the lengths.
#[inline]
fn few_pointers(number: usize, columns: usize) -> usize {
    (2 + number) * columns
}

/// Length of the payload that begins at `start`, from the bytes before it.
#[inline]
fn payload_length(bytes: &Frozen<u8>, start: usize) -> usize {
    let [_, second, third, first] = bytes.get_array(start.wrapping_sub(HEADER)).unwrap_or_default();
    let length = u32::from_le_bytes([first, second, third, 0]) as usize;
    if length == LARGE { large_length(bytes, start) } else { length }
}

#[cold]
fn large_length(bytes: &Frozen<u8>, start: usize) -> usize {
    u64::from_le_bytes(bytes.get_array(start.wrapping_sub(LARGE_HEADER)).unwrap_or_default()) as usize
}

#[cold]
fn pointers(count: usize) -> Result<Frozen<Pointer>, OutOfMemory> {
    let mut all = Vec::new();
    all.try_reserve_exact(count)?;
    all.resize_with(count, Pointer::uninit);
    Ok(Frozen::new(all))
}

/// Collects the rows of a result while they arrive.
///
/// The present block holds whole rows and behind them a tail: received bytes not yet looked at. Whoever receives
/// appends to [`Builder::buffer`], looks at the rows of [`Builder::parts`], and says with [`Builder::advance`] how far it got.
#[derive(Debug, Default)]
pub struct Builder {
    full: Few<Frozen<u8>>,
    current: Vec<u8>,
    /// Bytes of `current` that are whole rows.
    done: usize,
    words: Words,
    columns: usize,
    /// First the longest values so far, then room for the lengths of the row fetched last and for [`FEW`] rows' pointers.
    lengths: Vec<c_ulong>,
}

/// The rows' words while they are collected.
#[derive(Debug, Default)]
pub struct Words {
    groups: Few<Group>,
    /// The first words; none of them once there are more.
    few: [u64; FEW],
    /// Number of words in `few`.
    fewness: usize,
    /// The words of the last group, which is not yet in `groups`.
    last: Vec<u64>,
    /// Number of the present block, shifted to its place.
    block: u64,
}

/// What [`Builder::parts`] lends.
#[derive(Debug)]
pub struct Parts<'a> {
    /// The bytes not yet looked at.
    pub tail: &'a mut [u8],
    /// Where the tail begins in its block; to be added to the place of a row in the tail.
    pub base: usize,
    /// For every column the longest value so far; whoever checks a row keeps it up to date.
    pub longest: &'a mut [c_ulong],
    /// Takes the places of the rows' payloads.
    pub words: &'a mut Words,
}

impl Words {
    /// Notes a row whose payload begins at this place of the present block.
    #[inline]
    pub fn push(&mut self, place: usize) -> Result<(), OutOfMemory> {
        let word = self.block | place as u64;
        if self.last.len() == self.last.capacity() {
            if self.last.capacity() == 0 && self.fewness < FEW {
                self.few[self.fewness] = word;
                self.fewness += 1;
                return Ok(());
            }
            self.make_room()?;
        }
        self.last.push(word);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self) -> Result<(), OutOfMemory> {
        let length = self.last.len();
        if length < GROUP {
            // 16, 64, 256 in the first group.
            self.last.try_reserve_exact((length * 3).clamp(4 * FEW, GROUP - length))?;
            self.last.extend_from_slice(&self.few[..std::mem::take(&mut self.fewness)]);
            return Ok(());
        }
        let mut next = Vec::new();
        next.try_reserve_exact(GROUP)?;
        let words = std::mem::replace(&mut self.last, next);
        self.groups.push(Group { words, pointers: Frozen::empty() })
    }

    /// Number of rows.
    fn len(&self) -> usize {
        self.groups.len() * GROUP + self.last.len() + self.fewness
    }

    /// No more rows: the last group is one as the others.
    fn finish(&mut self) -> Result<(), OutOfMemory> {
        if self.last.is_empty() {
            return Ok(());
        }
        self.groups.push(Group { words: std::mem::take(&mut self.last), pointers: Frozen::empty() })
    }
}

impl Builder {
    /// Begins with rows of so many columns.
    #[inline]
    pub fn start(&mut self, columns: usize) -> Result<(), OutOfMemory> {
        let cells = few_pointers(FEW, columns);
        self.lengths.try_reserve_exact(cells)?;
        self.lengths.resize(cells, 0);
        self.columns = columns;
        Ok(())
    }

    /// True when it holds no memory: after [`Builder::finish`].
    pub fn is_spent(&self) -> bool {
        let words = self.words.groups.len() == 0 && self.words.last.capacity() == 0;
        words && self.full.len() == 0 && self.current.capacity() == 0 && self.lengths.capacity() == 0
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Begins a block with a copy of received bytes: what they hold is probably the whole result.
    pub fn start_with_copy(&mut self, received: &[u8]) -> Result<(), OutOfMemory> {
        // One more: the NUL of the last value.
        let size = received.len() + 1;
        let mut block = Vec::new();
        if size <= SMALL {
            block = Vec::with_capacity(size);
        } else {
            block.try_reserve_exact(size)?;
        }
        block.extend_from_slice(received);
        if self.current.capacity() == 0 {
            // Nothing to be retired: the first block of nearly every result.
            self.current = block;
            self.done = 0;
            return Ok(());
        }
        self.start_with(block, 0)
    }

    /// Begins a block with received bytes as they are; the first `skip` of them are no rows.
    pub fn start_with(&mut self, received: Vec<u8>, skip: usize) -> Result<(), OutOfMemory> {
        let block = std::mem::replace(&mut self.current, received);
        let done = std::mem::replace(&mut self.done, skip);
        self.retire(block, done)
    }

    /// The bytes not yet looked at and what is needed to take rows out of them.
    #[inline]
    pub fn parts(&mut self) -> Parts<'_> {
        let columns = self.columns;
        Parts {
            tail: &mut self.current[self.done..],
            base: self.done,
            longest: &mut self.lengths[..columns],
            words: &mut self.words,
        }
    }

    /// The bytes not yet looked at.
    pub fn tail(&self) -> &[u8] {
        &self.current[self.done..]
    }

    /// So many bytes of the tail are whole rows, noted and prepared.
    #[inline]
    pub fn advance(&mut self, bytes: usize) {
        self.done += bytes;
        debug_assert!(self.done <= self.current.len());
    }

    /// So many bytes of the tail are no rows of this block.
    pub fn skip(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        let rest = self.tail().get(bytes..).unwrap_or_default().to_vec();
        self.drop_tail();
        self.start_with_copy(&rest)
    }

    /// The tail has been taken elsewhere.
    pub fn drop_tail(&mut self) {
        self.current.truncate(self.done);
    }

    /// Where to append received bytes, up to the capacity.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.current
    }

    /// Makes sure that the tail can grow to `want` bytes, by a new block if need be.
    pub fn make_room(&mut self, want: usize) -> Result<(), OutOfMemory> {
        let tail = self.current.len() - self.done;
        // Two more: at least one byte to read, and the NUL of the last value.
        let need = want.max(tail) + 2;
        if self.current.capacity() - self.done >= need {
            return Ok(());
        }
        let size = need.max((self.current.capacity() * 2).clamp(SECOND_BLOCK, LARGEST_BLOCK));
        let mut next = Vec::new();
        next.try_reserve_exact(size)?;
        next.extend_from_slice(&self.current[self.done..]);
        let mut block = std::mem::replace(&mut self.current, next);
        let done = std::mem::take(&mut self.done);
        block.truncate(done);
        self.retire(block, done)
    }

    /// Freezes a block, the first `done` bytes of which are rows, and makes the next one the present one.
    fn retire(&mut self, mut block: Vec<u8>, done: usize) -> Result<(), OutOfMemory> {
        debug_assert!(block.len() == done || block.capacity() == 0);
        if block.capacity() != 0 {
            self.push_full(&mut block)?;
        }
        Ok(())
    }

    fn push_full(&mut self, block: &mut Vec<u8>) -> Result<(), OutOfMemory> {
        // The NUL of the last value.
        block.try_reserve_exact(1)?;
        block.push(0);
        self.full.push(Frozen::new(std::mem::take(block)))?;
        self.words.block = (self.full.len() as u64) << BLOCK_SHIFT;
        Ok(())
    }

    /// What has to be done to the header of each packet that is a row.
    #[inline]
    pub fn prepare(header: &mut [u8; HEADER]) {
        header[3] = header[0];
    }

    /// Adds one row with a block of its own: [`LARGE_HEADER`] bytes, whatever they hold, and the payload. It comes
    /// behind the rows so far and, where there is a tail, before the rows in it.
    pub fn adopt(&mut self, mut block: Vec<u8>) -> Result<(), OutOfMemory> {
        let Some(length) = block.len().checked_sub(LARGE_HEADER) else {
            return Ok(());
        };
        block[..8].copy_from_slice(&(length as u64).to_le_bytes());
        block[8..LARGE_HEADER].copy_from_slice(&[0xFF; HEADER]);
        if self.done > 0 {
            // Rows of the present block: it is full now, and its tail begins another.
            let tail = self.tail().to_vec();
            self.drop_tail();
            self.start_with_copy(&tail)?;
        }
        // The present block's number changes, which no row's word holds yet.
        self.words.push(LARGE_HEADER)?;
        self.push_full(&mut block)
    }

    /// The same for rows of the binary protocol, which nobody points into.
    #[inline]
    pub fn finish_binary(&mut self, stored: &mut super::BinaryRows) -> Result<(), OutOfMemory> {
        self.finish(stored.rows_mut())
    }

    /// No more rows; the tail is dropped. The builder is empty afterwards.
    pub fn finish(&mut self, stored: &mut StoredRows) -> Result<(), OutOfMemory> {
        self.drop_tail();
        let (block, done) = (std::mem::take(&mut self.current), self.done);
        if done > 0 {
            self.retire(block, done)?;
        }
        stored.rows = self.words.len() as u64;
        self.words.finish()?;
        stored.blocks = std::mem::take(&mut self.full);
        if self.words.groups.len() != 0 || stored.groups.len() != 0 {
            stored.groups = std::mem::take(&mut self.words.groups);
        }
        stored.few = self.words.few;
        stored.columns = self.columns;
        stored.lengths = Frozen::new(std::mem::take(&mut self.lengths));
        Ok(())
    }
}
