//! Memory that C points into: blocks that never move. `unsafe` is allowed here, and only here in this module.
//!
//! A block is filled as a `Vec` while nobody else knows it, then frozen: from then on it is reached through raw pointers only,
//! so no reference of ours ever lies over bytes that a program reads or writes. Every place is computed with checked
//! or wrapping arithmetic from the block's own length; what a server sent was checked before it came here.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_ulong};
use std::mem::{ManuallyDrop, MaybeUninit};

/// A value pointer of a row, unknown until the row is fetched: tables of them are not cleared first.
pub(super) type Pointer = MaybeUninit<*mut c_char>;

/// A `Vec` whose elements C may point at: it never grows, moves or is borrowed again.
#[derive(Debug)]
pub(super) struct Frozen<T: Copy> {
    base: *mut T,
    length: usize,
    capacity: usize,
}

// SAFETY: the block is owned like a Vec's and `T` is plain data; there is no shared state behind it.
unsafe impl<T: Copy> Send for Frozen<T> {}

impl<T: Copy> Default for Frozen<T> {
    fn default() -> Self {
        Frozen::empty()
    }
}

impl<T: Copy> Frozen<T> {
    /// A block without elements and without memory.
    pub(super) const fn empty() -> Self {
        Frozen { base: std::ptr::dangling_mut(), length: 0, capacity: 0 }
    }

    /// Takes over the memory of a `Vec`.
    #[inline]
    pub(super) fn new(elements: Vec<T>) -> Self {
        let mut elements = ManuallyDrop::new(elements);
        Frozen { base: elements.as_mut_ptr(), length: elements.len(), capacity: elements.capacity() }
    }

    /// Number of elements.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// True for [`Frozen::empty`].
    #[inline]
    pub(super) fn is_unset(&self) -> bool {
        self.capacity == 0
    }

    /// The address of an element; `index` may be the length (one past the end).
    #[inline]
    pub(super) fn at(&self, index: usize) -> *mut T {
        debug_assert!(index <= self.length);
        self.base.wrapping_add(index)
    }

    /// Reads an element; None beyond the end.
    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<T> {
        if index >= self.length {
            return None;
        }
        // SAFETY: `index` is inside the block, which is initialised and owned by us.
        Some(unsafe { self.base.add(index).read() })
    }

    /// Writes an element; nothing happens beyond the end.
    #[inline]
    pub(super) fn set(&self, index: usize, value: T) {
        if index < self.length {
            // SAFETY: `index` is inside the block, which is owned by us; no reference to it exists.
            unsafe { self.base.add(index).write(value) }
        }
    }
}

/// A place for value pointers, in a block of pointers or behind the lengths of a small result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    base: *mut *mut c_char,
    room: usize,
}

const _: () = assert!(size_of::<c_ulong>() == size_of::<*mut c_char>());
const _: () = assert!(align_of::<c_ulong>() == align_of::<*mut c_char>());

impl Table {
    /// A block of pointers.
    #[inline]
    pub(super) fn of_pointers(block: &Frozen<Pointer>) -> Self {
        Table { base: block.base.cast(), room: block.length }
    }

    /// The elements of a block of lengths, which are as large as pointers.
    #[inline]
    pub(super) fn of_lengths(block: &Frozen<c_ulong>) -> Self {
        Table { base: block.base.cast(), room: block.length }
    }

    /// The address of an element.
    #[inline]
    fn at(self, index: usize) -> *mut *mut c_char {
        self.base.wrapping_add(index)
    }
}

impl Frozen<u8> {
    /// Reads `N` bytes from `index` on; None if they are not all there.
    #[inline]
    pub(super) fn get_array<const N: usize>(&self, index: usize) -> Option<[u8; N]> {
        if index.saturating_add(N) > self.length {
            return None;
        }
        // SAFETY: the bytes are inside the block, which is initialised and owned by us; an array has no alignment.
        Some(unsafe { self.base.add(index).cast::<[u8; N]>().read() })
    }

    /// Lends `length` bytes from `start` on; None if they are not all there. Only for blocks that C never got a pointer
    /// into.
    #[inline]
    pub(super) fn lend(&self, start: usize, length: usize) -> Option<&[u8]> {
        if start.saturating_add(length) > self.length {
            return None;
        }
        // SAFETY: inside the block, which is initialised, ours, and (the caller's promise) written by nobody else.
        Some(unsafe { std::slice::from_raw_parts(self.base.add(start), length) })
    }

    /// Copies `bytes`, which must fit, to the beginning.
    #[inline]
    pub(super) fn copy_from(&self, bytes: &[u8]) {
        assert!(bytes.len() <= self.length);
        // SAFETY: the block is long enough and ours; `bytes` is a live borrow and so cannot overlap it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.base, bytes.len()) }
    }
}

/// A copy of `length` bytes of a block from `start` on; None if they are not inside it.
pub(super) fn copy_out(block: &Frozen<u8>, start: *const u8, length: usize) -> Option<Vec<u8>> {
    let offset = (start as usize).checked_sub(block.base as usize)?;
    if offset.checked_add(length)? > block.length {
        return None;
    }
    let mut copy = vec![0; length];
    // SAFETY: the range lies inside the block, which is initialised; the copy is new memory of that length.
    unsafe { std::ptr::copy_nonoverlapping(block.base.add(offset), copy.as_mut_ptr(), length) };
    Some(copy)
}

impl<T: Copy> Drop for Frozen<T> {
    #[inline]
    fn drop(&mut self) {
        if self.capacity != 0 {
            // SAFETY: these are the parts of the Vec that `new` took over.
            drop(unsafe { Vec::from_raw_parts(self.base, self.length, self.capacity) });
        }
    }
}

/// First byte of a NULL value in a text row.
const NULL: u8 = 0xFB;

/// Where the parts of one row are to be found and where its pointers go.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The block with the row's bytes.
    pub(super) bytes: &'a Frozen<u8>,
    /// First byte of the row.
    pub(super) start: usize,
    /// One past its last byte; a byte of the block, which is overwritten by the last value's NUL.
    pub(super) end: usize,
    /// Where the value pointers lie.
    pub(super) values: Table,
    /// Index of the first of them.
    pub(super) first: usize,
    /// Where the lengths lie.
    pub(super) lengths: &'a Frozen<c_ulong>,
    /// Index of the first of them.
    pub(super) first_length: usize,
    /// Number of columns.
    pub(super) columns: usize,
}

impl Place<'_> {
    /// The pointers as C gets them.
    #[inline]
    pub(super) fn pointers(&self) -> super::RowPointers {
        super::RowPointers { values: self.values.at(self.first), lengths: self.lengths.at(self.first_length) }
    }

    /// True if all of it lies inside the blocks.
    #[inline]
    fn is_sound(&self) -> bool {
        self.start <= self.end
            && self.end < self.bytes.length
            && self.first.saturating_add(self.columns) <= self.values.room
            && self.first_length.saturating_add(self.columns) <= self.lengths.length
    }

    /// Walks a text row: fills in the pointers and lengths and ends every value with a NUL, over the first byte of
    /// what follows it. False if the bytes are no row of so many columns; then all values are NULL.
    #[inline]
    pub(super) fn index(&self) -> bool {
        if !self.is_sound() {
            return false;
        }
        let walked = walk(
            self.bytes.at(self.start),
            self.bytes.at(self.end),
            self.values.at(self.first),
            self.lengths.at(self.first_length),
            self.columns,
        );
        if !walked {
            self.fill();
        }
        walked
    }

    /// NULL for all columns.
    #[cold]
    #[inline(never)]
    fn fill(&self) {
        for column in 0..self.columns {
            // SAFETY: inside the table, as `index` has made sure.
            unsafe { self.values.at(self.first + column).write(std::ptr::null_mut()) };
            self.lengths.set(self.first_length + column, 0);
        }
    }

    /// Finds the lengths of a row again that was indexed before: from its end backwards, because the length of
    /// every value lay, in its shortest form, between it and the value before.
    pub(super) fn measure(&self) {
        if !self.is_sound() {
            return;
        }
        let mut end = self.bytes.at(self.end) as usize;
        for column in (0..self.columns).rev() {
            // SAFETY: inside the table (is_sound), and set by `index`, whose rows alone come here.
            let value = unsafe { self.values.at(self.first + column).read() };
            let (length, next) = if value.is_null() {
                (0, end.wrapping_sub(1))
            } else {
                let length = end.wrapping_sub(value as usize);
                (length, (value as usize).wrapping_sub(lenenc_size(length)))
            };
            self.lengths.set(self.first_length + column, length as c_ulong);
            end = next;
        }
    }
}

/// The loop of [`Place::index`], for a place that is sound: `at` to `end` (which may be written too) lie in one block, and
/// `values` and `lengths` have room for `columns` elements.
#[inline]
fn walk(mut at: *mut u8, end: *mut u8, values: *mut *mut c_char, lengths: *mut c_ulong, columns: usize) -> bool {
    for column in 0..columns {
        if at >= end {
            return false;
        }
        // SAFETY: `at` lies before `end` and not before the row's start, so inside the block.
        let first = unsafe { at.read() };
        // SAFETY: as above. The byte is a length that has been read; zero ends the value before it.
        unsafe { at.write(0) };
        let mut pointer = at.wrapping_add(1);
        let mut count = usize::from(first);
        if first < NULL {
            at = pointer.wrapping_add(count);
        } else {
            at = pointer;
            (pointer, count) = match long_length(first, at, end as usize - at as usize) {
                Some(found) => found,
                None => return false,
            };
            if !pointer.is_null() {
                at = pointer.wrapping_add(count);
            }
        }
        // SAFETY: `column` is below the number of elements that `values` has room for.
        unsafe { values.add(column).write(pointer.cast()) };
        // SAFETY: the same for `lengths`.
        unsafe { lengths.add(column).write(count as c_ulong) };
    }
    if at != end {
        return false;
    }
    // SAFETY: `end` is a byte of the block.
    unsafe { end.write(0) };
    true
}

/// A copy of the value of `length` bytes in `block` that an indexed row's pointer leads to; None for NULL.
pub(super) fn copy_value(block: &Frozen<u8>, values: Table, index: usize, length: usize) -> Option<Vec<u8>> {
    if index >= values.room {
        return None;
    }
    // SAFETY: inside the table; the row was indexed, which set all its pointers.
    let pointer = unsafe { values.at(index).read() };
    copy_out(block, pointer.cast_const().cast(), length)
}

/// A value that begins with a marker: NULL, or a length of more than one byte, of which `left` bytes are left from `at`
/// on. Where the value begins (NULL for NULL) and its length, which is not beyond what is left.
#[cold]
#[inline(never)]
fn long_length(first: u8, at: *mut u8, left: usize) -> Option<(*mut u8, usize)> {
    let count = match first {
        NULL => return Some((std::ptr::null_mut(), 0)),
        252 => 2,
        253 => 3,
        254 => 8,
        _ => return None,
    };
    if left < count {
        return None;
    }
    let mut length = [0; 8];
    for (index, byte) in length.iter_mut().enumerate().take(count) {
        // SAFETY: `count` bytes are left from `at` on, inside the block.
        *byte = unsafe { at.add(index).read() };
    }
    let length = usize::try_from(u64::from_le_bytes(length)).ok()?;
    (length <= left - count).then(|| (at.wrapping_add(count), length))
}

/// Bytes that the shortest form of a length takes.
fn lenenc_size(length: usize) -> usize {
    match length {
        0..=250 => 1,
        251..=0xFFFF => 3,
        0x1_0000..=0xFF_FFFF => 4,
        _ => 9,
    }
}
