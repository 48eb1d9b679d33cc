//! One row of the binary protocol: a zero byte, a bit per column for NULL, the values that are not NULL.

use super::{Malformed, reader::Reader};

/// Bits of the NULL map that stand for no column.
const RESERVED_BITS: usize = 2;

/// Bytes of a value: fixed by its type, or told in front of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// So many bytes.
    Fixed(u8),
    /// A length-encoded length in front. Dates and times have theirs in one byte, which reads the same.
    Counted,
}

impl Width {
    /// By `MYSQL_TYPE_*`.
    pub fn of(column_type: u8) -> Width {
        match column_type {
            // TINY
            1 => Width::Fixed(1),
            // SHORT, YEAR
            2 | 13 => Width::Fixed(2),
            // LONG, FLOAT, INT24
            3 | 4 | 9 => Width::Fixed(4),
            // DOUBLE, LONGLONG
            5 | 8 => Width::Fixed(8),
            // NULL
            6 => Width::Fixed(0),
            _ => Width::Counted,
        }
    }
}

/// The values of a row, in order.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    nulls: &'a [u8],
    column: usize,
    rest: Reader<'a>,
}

impl<'a> Values<'a> {
    /// The row of so many columns whose packet this is.
    #[inline]
    pub fn new(packet: &'a [u8], columns: usize) -> Result<Self, Malformed> {
        let map = (columns + RESERVED_BITS).div_ceil(8);
        let mut rest = Reader::new(packet);
        if rest.u8()? != 0 {
            return Err(Malformed);
        }
        Ok(Values { nulls: rest.bytes(map)?, column: 0, rest })
    }

    /// The next value, without its length; None for NULL.
    #[inline]
    pub fn value(&mut self, width: Width) -> Result<Option<&'a [u8]>, Malformed> {
        let bit = self.column + RESERVED_BITS;
        self.column += 1;
        if self.nulls.get(bit / 8).ok_or(Malformed)? >> (bit % 8) & 1 != 0 {
            return Ok(None);
        }
        match width {
            Width::Fixed(count) => self.rest.bytes(usize::from(count)).map(Some),
            Width::Counted => self.rest.lenenc_bytes().map(Some),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_come_without_their_lengths() {
        let row = [0, 0b0000_1000, 5, 0, 0, 0, 2, b'a', b'b'];
        let mut values = Values::new(&row, 3).expect("a row");
        assert_eq!(values.value(Width::of(3)), Ok(Some(&[5, 0, 0, 0][..])));
        assert_eq!(values.value(Width::of(3)), Ok(None));
        assert_eq!(values.value(Width::of(253)), Ok(Some(&b"ab"[..])));
        assert_eq!(values.value(Width::of(253)), Err(Malformed));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(row: Vec<u8>, types: Vec<u8>) {
            if let Ok(mut values) = Values::new(&row, types.len()) {
                for kind in types {
                    if values.value(Width::of(kind)).is_err() {
                        break;
                    }
                }
            }
        }
    }
}
