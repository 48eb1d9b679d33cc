//! All rows of a result: received bytes in blocks, one word per row, pointers made when a row is fetched.
//!
//! A row lies in its block as it came: four bytes of packet header, then for each column a length and the value. While rows are
//! added, [`Builder`] moves the first byte of each header to its fourth (the sequence number, which nobody needs any more), so
//! that the NUL of the row before may take its place later. A row that does not fit a receive buffer has a block of its
//! own: eight bytes with its length, a header of `FF`, and the payload.

use std::ffi::c_ulong;

use super::arena::{Frozen, Place};
use super::{OutOfMemory, RowPointers};

/// Rows whose words and pointers are allocated together.
const GROUP: usize = 256;

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

/// The second block and those after it have at least this size, doubled each time up to [`LARGEST_BLOCK`].
const SECOND_BLOCK: usize = 64 << 10;
const LARGEST_BLOCK: usize = 1 << 20;

#[derive(Debug)]
struct Group {
    /// One word per row.
    words: Vec<u64>,
    /// `words.len()` times the number of columns, made when the first row of the group is fetched.
    pointers: Frozen<*mut std::ffi::c_char>,
}

/// All rows of a result. Rows stay where they are until it is dropped.
#[derive(Debug)]
pub struct StoredRows {
    blocks: Vec<Frozen<u8>>,
    groups: Vec<Group>,
    rows: u64,
    lengths: Frozen<c_ulong>,
    longest: Vec<c_ulong>,
}

impl StoredRows {
    /// A result without rows, as for `columns` columns.
    pub fn empty(columns: usize) -> Result<Self, OutOfMemory> {
        Builder::new(columns)?.finish()
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
    #[inline]
    pub fn row(&mut self, number: u64) -> Option<RowPointers> {
        self.try_row(number).unwrap_or_default()
    }

    /// The same, with a failed allocation told apart from a number beyond the last row.
    #[inline]
    pub fn try_row(&mut self, number: u64) -> Result<Option<RowPointers>, OutOfMemory> {
        if number >= self.rows {
            return Ok(None);
        }
        let (group, within) = ((number / GROUP as u64) as usize, (number % GROUP as u64) as usize);
        let columns = self.lengths.len();
        let Some(group) = self.groups.get_mut(group) else {
            return Ok(None);
        };
        let Some(word) = group.words.get_mut(within) else {
            return Ok(None);
        };
        if *word & FETCHED == 0 && group.pointers.len() == 0 {
            let count = group.words.len();
            group.pointers = pointers(count * columns)?;
            // The borrow of `word` ended above; take it again.
            return self.try_row_with_pointers(number);
        }
        let fetched = *word & FETCHED != 0;
        let block = ((*word >> BLOCK_SHIFT) & BLOCK_MASK) as usize;
        let start = (*word & OFFSET_MASK) as usize;
        let Some(bytes) = self.blocks.get(block) else {
            return Ok(None);
        };
        let end = start + payload_length(bytes, start);
        let place =
            Place { bytes, start, end, values: &group.pointers, first: within * columns, lengths: &self.lengths };
        if fetched {
            place.measure();
        } else {
            *word |= FETCHED;
            let sound = place.index();
            debug_assert!(sound, "rows are checked before they are stored");
        }
        Ok(Some(place.pointers()))
    }

    #[cold]
    fn try_row_with_pointers(&mut self, number: u64) -> Result<Option<RowPointers>, OutOfMemory> {
        // No columns at all: no pointers to make, nothing to fetch.
        if self.lengths.len() == 0 { Ok(None) } else { self.try_row(number) }
    }

    /// A copy of one value, for our own use: None for SQL NULL and for places beyond the result.
    pub fn value(&mut self, row: u64, column: usize) -> Option<Vec<u8>> {
        if column >= self.lengths.len() {
            return None;
        }
        self.row(row)?;
        let (group, within) = ((row / GROUP as u64) as usize, (row % GROUP as u64) as usize);
        let group = self.groups.get(group)?;
        let pointer = group.pointers.get(within * self.lengths.len() + column)?;
        let block = self.blocks.get(((group.words.get(within)? >> BLOCK_SHIFT) & BLOCK_MASK) as usize)?;
        let length = usize::try_from(self.lengths.get(column)?).ok()?;
        super::arena::copy_out(block, pointer.cast_const().cast(), length)
    }

    /// For every column the length of its longest value: `MYSQL_FIELD.max_length`.
    pub fn max_lengths(&mut self) -> Vec<c_ulong> {
        self.longest.clone()
    }

    /// The same without a copy.
    pub fn longest(&self) -> &[c_ulong] {
        &self.longest
    }
}

#[inline]
fn payload_length(bytes: &Frozen<u8>, start: usize) -> usize {
    let byte = |back: usize| usize::from(bytes.get(start.wrapping_sub(back)).unwrap_or(0));
    let length = byte(1) | byte(3) << 8 | byte(2) << 16;
    if length != LARGE {
        return length;
    }
    (5..=LARGE_HEADER).fold(0, |length, back| length << 8 | byte(back))
}

#[cold]
fn pointers(count: usize) -> Result<Frozen<*mut std::ffi::c_char>, OutOfMemory> {
    let mut all = Vec::new();
    all.try_reserve_exact(count)?;
    all.resize(count, std::ptr::null_mut());
    Ok(Frozen::new(all))
}

/// Collects the rows of a result while they arrive.
#[derive(Debug)]
pub struct Builder {
    full: Vec<Frozen<u8>>,
    current: Vec<u8>,
    groups: Vec<Group>,
    rows: u64,
    longest: Vec<c_ulong>,
}

impl Builder {
    /// For rows of so many columns.
    pub fn new(columns: usize) -> Result<Self, OutOfMemory> {
        let mut longest = Vec::new();
        longest.try_reserve_exact(columns)?;
        longest.resize(columns, 0);
        Ok(Builder { full: Vec::new(), current: Vec::new(), groups: Vec::new(), rows: 0, longest })
    }

    /// Number of rows so far.
    pub fn len(&self) -> u64 {
        self.rows
    }

    /// True if there is none yet.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// For every column the longest value so far; whoever checks a row keeps it up to date.
    #[inline]
    pub fn longest(&mut self) -> &mut [c_ulong] {
        &mut self.longest
    }

    /// Announces up to `bytes` bytes of packets, headers included, for [`Builder::append`].
    pub fn reserve(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        // One more: the NUL of the last value.
        let need = bytes + 1;
        if self.current.capacity() - self.current.len() >= need {
            return Ok(());
        }
        let mut size = need;
        if self.current.capacity() != 0 {
            size = need.max((self.current.capacity() * 2).clamp(SECOND_BLOCK, LARGEST_BLOCK));
        }
        let mut next = Vec::new();
        next.try_reserve_exact(size)?;
        let block = std::mem::replace(&mut self.current, next);
        self.retire(block)
    }

    fn retire(&mut self, mut block: Vec<u8>) -> Result<(), OutOfMemory> {
        if block.capacity() != 0 {
            self.full.try_reserve(1)?;
            block.push(0);
            self.full.push(Frozen::new(block));
        }
        Ok(())
    }

    /// Notes a row whose payload begins `offset` bytes after the beginning of the next [`Builder::append`].
    #[inline]
    pub fn row_at(&mut self, offset: usize) -> Result<(), OutOfMemory> {
        let (block, at) = (self.full.len(), self.current.len() + offset);
        self.push_word((block as u64) << BLOCK_SHIFT | at as u64)
    }

    #[inline]
    fn push_word(&mut self, word: u64) -> Result<(), OutOfMemory> {
        match self.groups.last_mut() {
            Some(group) if group.words.len() < group.words.capacity() => group.words.push(word),
            _ => self.push_word_slowly(word)?,
        }
        self.rows += 1;
        Ok(())
    }

    #[cold]
    fn push_word_slowly(&mut self, word: u64) -> Result<(), OutOfMemory> {
        let first = self.groups.is_empty();
        if let Some(group) = self.groups.last_mut()
            && group.words.len() < GROUP
        {
            let more = (group.words.len() * 3).min(GROUP - group.words.len());
            group.words.try_reserve_exact(more)?;
            group.words.push(word);
            return Ok(());
        }
        let mut words = Vec::new();
        words.try_reserve_exact(if first { 4 } else { GROUP })?;
        words.push(word);
        if first {
            self.groups.try_reserve_exact(1)?;
        } else {
            self.groups.try_reserve(1)?;
        }
        self.groups.push(Group { words, pointers: Frozen::empty() });
        Ok(())
    }

    /// Adds whole packets, announced by [`Builder::reserve`]; the rows in them were noted by [`Builder::row_at`].
    /// The first byte of each header has been copied over its last one ([`Builder::prepare`]).
    pub fn append(&mut self, packets: &[u8]) {
        debug_assert!(self.current.capacity() - self.current.len() > packets.len());
        self.current.extend_from_slice(packets);
    }

    /// What has to be done to the header of each packet before [`Builder::append`].
    #[inline]
    pub fn prepare(header: &mut [u8; HEADER]) {
        header[3] = header[0];
    }

    /// Adds one row with a block of its own: [`LARGE_HEADER`] bytes, whatever they hold, and the payload.
    pub fn adopt(&mut self, mut block: Vec<u8>) -> Result<(), OutOfMemory> {
        let Some(length) = block.len().checked_sub(LARGE_HEADER) else {
            return Ok(());
        };
        block[..8].copy_from_slice(&(length as u64).to_le_bytes());
        block[8..LARGE_HEADER].copy_from_slice(&[0xFF; HEADER]);
        block.try_reserve_exact(1)?;
        self.full.try_reserve(2)?;
        // Rows that follow go on in the present block, which therefore stays last.
        let index = if self.current.capacity() == 0 {
            self.full.len()
        } else {
            let current = std::mem::take(&mut self.current);
            self.retire(current)?;
            self.full.len()
        };
        block.push(0);
        self.full.push(Frozen::new(block));
        self.push_word((index as u64) << BLOCK_SHIFT | LARGE_HEADER as u64)
    }

    /// No more rows.
    pub fn finish(mut self) -> Result<StoredRows, OutOfMemory> {
        let current = std::mem::take(&mut self.current);
        if current.capacity() != 0 {
            if self.full.is_empty() {
                self.full.try_reserve_exact(1)?;
            }
            self.retire(current)?;
        }
        let mut lengths: Vec<c_ulong> = Vec::new();
        lengths.try_reserve_exact(self.longest.len())?;
        lengths.resize(self.longest.len(), 0);
        Ok(StoredRows {
            blocks: self.full,
            groups: self.groups,
            rows: self.rows,
            lengths: Frozen::new(lengths),
            longest: self.longest,
        })
    }
}
