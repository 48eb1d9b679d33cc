//! The binary log: what asks for it, and its events, bytes in and plain data out.
//!
//! Events keep their strings as places in the bytes that they were read from. Sources: the servers' description of their
//! log events; what Connector/C makes of them, which is what its programs know.

pub mod decimal;
pub mod dump;
pub mod event;
pub mod format;
pub mod kind;
pub mod packed;
pub mod rows;
pub mod table;
pub mod values;

use std::ops::Range;

use super::Malformed;

/// The first bytes of a log file.
pub const MAGIC: [u8; 4] = [0xFE, b'b', b'i', b'n'];

/// Bytes of the header that every event has.
pub const HEADER: usize = 19;

/// Bytes of the checksum behind an event, where there is one (CRC32).
pub const CHECKSUM: usize = 4;

/// Where something is in the bytes that were read.
pub type Span = Range<usize>;

/// Reads on in the bytes of an event, and knows where it is. Numbers are little-endian.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Begins at `at`.
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Cursor { bytes, at }
    }

    /// Where it is.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Goes to `at`, which has to be inside, or at the end.
    pub fn go_to(&mut self, at: usize) -> Result<(), Malformed> {
        if at > self.bytes.len() {
            return Err(Malformed);
        }
        self.at = at;
        Ok(())
    }

    /// Bytes that are left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// What is left in front of `tail` bytes at the end.
    pub fn left_before(&self, tail: usize) -> Result<usize, Malformed> {
        self.left().checked_sub(tail).ok_or(Malformed)
    }

    /// So many bytes are left.
    pub fn needs(&self, count: usize) -> Result<(), Malformed> {
        if self.left() < count { Err(Malformed) } else { Ok(()) }
    }

    /// The next bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let span = self.span(count)?;
        self.bytes.get(span).ok_or(Malformed)
    }

    /// The place of the next bytes.
    pub fn span(&mut self, count: usize) -> Result<Span, Malformed> {
        self.needs(count)?;
        let from = self.at;
        self.at += count;
        Ok(from..self.at)
    }

    /// As many bytes as the array has.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        self.take(N)?.try_into().map_err(|_| Malformed)
    }

    /// One byte.
    pub fn u8(&mut self) -> Result<u8, Malformed> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// Two bytes.
    pub fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_le_bytes)
    }

    /// Four bytes.
    pub fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    /// Eight bytes.
    pub fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    /// `count` bytes, at most eight.
    pub fn number(&mut self, count: usize) -> Result<u64, Malformed> {
        let bytes = self.take(count)?;
        let mut wide = [0; 8];
        wide.get_mut(..bytes.len()).ok_or(Malformed)?.copy_from_slice(bytes);
        Ok(u64::from_le_bytes(wide))
    }

    /// The same with the highest byte first.
    pub fn number_from_the_top(&mut self, count: usize) -> Result<u64, Malformed> {
        let bytes = self.take(count)?;
        if bytes.len() > 8 {
            return Err(Malformed);
        }
        Ok(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// A number with its own length in front.
    pub fn count(&mut self) -> Result<usize, Malformed> {
        let number = match self.u8()? {
            first @ 0..=250 => u64::from(first),
            252 => self.number(2)?,
            253 => self.number(3)?,
            254 => self.number(8)?,
            _ => return Err(Malformed),
        };
        usize::try_from(number).map_err(|_| Malformed)
    }
}

/// The first part of every event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Seconds since 1970.
    pub timestamp: u32,
    /// See [`kind`].
    pub kind: u8,
    /// The server that wrote it.
    pub server_id: u32,
    /// Bytes of the event, header and checksum included.
    pub length: u32,
    /// Where the next one begins in the file.
    pub next_position: u32,
    /// `LOG_EVENT_*_F`.
    pub flags: u16,
}

impl Header {
    /// Takes the header off.
    pub fn read(cursor: &mut Cursor<'_>) -> Result<Header, Malformed> {
        Ok(Header {
            timestamp: cursor.u32()?,
            kind: cursor.u8()?,
            server_id: cursor.u32()?,
            length: cursor.u32()?,
            next_position: cursor.u32()?,
            flags: cursor.u16()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_does_not_leave_its_bytes() {
        let mut cursor = Cursor::new(&[1, 2, 3, 252, 4, 1], 0);
        assert_eq!((cursor.u8(), cursor.number_from_the_top(2)), (Ok(1), Ok(0x0203)));
        assert_eq!(cursor.count(), Ok(0x0104));
        assert_eq!((cursor.u8(), cursor.span(0), cursor.left_before(1)), (Err(Malformed), Ok(6..6), Err(Malformed)));
        assert_eq!((cursor.go_to(7), cursor.go_to(6)), (Err(Malformed), Ok(())));
        assert_eq!(Cursor::new(&[251], 0).count(), Err(Malformed));
        assert_eq!(Cursor::new(&[0; 9], 0).number(9), Err(Malformed));
    }
}
