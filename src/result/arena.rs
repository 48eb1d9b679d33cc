//! Memory that C points into: blocks that never move. `unsafe` is allowed here, and only here in this module.
//!
//! A block is filled as a `Vec` while nobody else knows it, then frozen: from then on it is reached through raw pointers only,
//! so no reference of ours ever lies over bytes that a program reads or writes. Every place is computed with checked
//! or wrapping arithmetic from the block's own length; what a server sent was checked before it came here.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_ulong};
use std::mem::ManuallyDrop;

/// A `Vec` whose elements C may point at: it never grows, moves or is borrowed again.
#[derive(Debug)]
pub(super) struct Frozen<T: Copy> {
    base: *mut T,
    length: usize,
    capacity: usize,
}

// SAFETY: the block is owned like a Vec's and `T` is plain data; there is no shared state behind it.
unsafe impl<T: Copy> Send for Frozen<T> {}

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

impl Frozen<u8> {
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
    pub(super) values: &'a Frozen<*mut c_char>,
    /// Index of the first of them.
    pub(super) first: usize,
    /// One length per column.
    pub(super) lengths: &'a Frozen<c_ulong>,
}

impl Place<'_> {
    /// The pointers as C gets them.
    #[inline]
    pub(super) fn pointers(&self) -> super::RowPointers {
        super::RowPointers { values: self.values.at(self.first), lengths: self.lengths.at(0) }
    }

    /// True if all of it lies inside the blocks.
    #[inline]
    fn is_sound(&self) -> bool {
        self.start <= self.end
            && self.end < self.bytes.length
            && self.first <= self.values.length
            && self.values.length - self.first >= self.lengths.length
    }

    /// Walks a text row: fills in the pointers and lengths and ends every value with a NUL, over the first byte of
    /// what follows it. False if the bytes are no row of so many columns; then some pointers may have been written.
    #[inline]
    pub(super) fn index(&self) -> bool {
        if !self.is_sound() {
            return false;
        }
        let mut at = self.bytes.at(self.start);
        let end = self.bytes.at(self.end);
        let mut value = self.values.at(self.first);
        let mut length = self.lengths.at(0);
        let last = self.lengths.at(self.lengths.length);
        while length != last {
            let left = end as usize - at as usize;
            if left == 0 {
                return false;
            }
            // SAFETY: `at` lies before `end`, inside the block (is_sound, and the check above).
            let first = unsafe { at.read() };
            // SAFETY: as above. The byte is a length that has been read; zero ends the value before it.
            unsafe { at.write(0) };
            let (pointer, count, taken) = if first < NULL {
                (at.wrapping_add(1), usize::from(first), 1)
            } else if first == NULL {
                (std::ptr::null_mut(), 0, 1)
            } else {
                let Some((header, count)) = long_length(first, at, left) else {
                    return false;
                };
                (at.wrapping_add(header), count, header)
            };
            if count > left - taken {
                return false;
            }
            at = at.wrapping_add(taken + count);
            // SAFETY: `value` runs beside `length` through at least as many elements of its block (is_sound).
            unsafe { value.write(pointer.cast()) };
            // SAFETY: `length` lies before `last`, inside its block.
            unsafe { length.write(count as c_ulong) };
            value = value.wrapping_add(1);
            length = length.wrapping_add(1);
        }
        // SAFETY: `end` is a byte of the block (is_sound).
        unsafe { end.write(0) };
        at == end
    }

    /// Finds the lengths of a row again that was indexed before: from its end backwards, because the length of
    /// every value lay, in its shortest form, between it and the value before.
    pub(super) fn measure(&self) {
        let mut end = self.bytes.at(self.end) as usize;
        for column in (0..self.lengths.length).rev() {
            let value = self.values.get(self.first + column).unwrap_or(std::ptr::null_mut());
            let (length, next) = if value.is_null() {
                (0, end.wrapping_sub(1))
            } else {
                let length = end.wrapping_sub(value as usize);
                (length, (value as usize).wrapping_sub(lenenc_size(length)))
            };
            self.lengths.set(column, length as c_ulong);
            end = next;
        }
    }
}

/// A length of more than one byte, whose marker `first` at `at` was read: bytes of the whole header, and the length.
#[cold]
fn long_length(first: u8, at: *mut u8, left: usize) -> Option<(usize, usize)> {
    let count = match first {
        252 => 2,
        253 => 3,
        254 => 8,
        _ => return None,
    };
    if left < 1 + count {
        return None;
    }
    let mut length = [0; 8];
    for (index, byte) in length.iter_mut().enumerate().take(count) {
        // SAFETY: 1 + count bytes are left from `at` on, inside the block.
        *byte = unsafe { at.add(1 + index).read() };
    }
    Some((1 + count, usize::try_from(u64::from_le_bytes(length)).ok()?))
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
