//! One row of a prepared statement: a zero byte, a bit per column for NULL, the values that are not NULL.

use super::NotARow;

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

/// The values of a row, in order. Takes any bytes.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    nulls: &'a [u8],
    column: usize,
    rest: &'a [u8],
}

impl<'a> Values<'a> {
    /// The row of so many columns that has these bytes.
    #[inline]
    pub fn new(row: &'a [u8], columns: usize) -> Result<Self, NotARow> {
        let [0, rest @ ..] = row else { return Err(NotARow) };
        let (nulls, rest) = rest.split_at_checked((columns + RESERVED_BITS).div_ceil(8)).ok_or(NotARow)?;
        Ok(Values { nulls, column: 0, rest })
    }

    /// Whether any column of the row may be NULL.
    #[inline]
    pub fn has_null(&self) -> bool {
        self.nulls.iter().fold(0, |all, byte| all | byte) != 0
    }

    /// The next value, without its length; None for NULL.
    #[inline]
    pub fn value(&mut self, width: Width) -> Result<Option<&'a [u8]>, NotARow> {
        let bit = self.column + RESERVED_BITS;
        self.column += 1;
        if self.nulls.get(bit / 8).ok_or(NotARow)? >> (bit % 8) & 1 != 0 {
            return Ok(None);
        }
        self.value_that_is_there(width).map(Some)
    }

    /// The next value of a row without a NULL.
    #[inline]
    pub fn value_that_is_there(&mut self, width: Width) -> Result<&'a [u8], NotARow> {
        let (length, rest) = match (width, self.rest) {
            (Width::Fixed(length), rest) => (usize::from(length), rest),
            (Width::Counted, [length @ 0..=250, rest @ ..]) => (usize::from(*length), rest),
            (Width::Counted, rest) => long_length(rest)?,
        };
        let (value, rest) = rest.split_at_checked(length).ok_or(NotARow)?;
        self.rest = rest;
        Ok(value)
    }
}

/// A length of more than one byte, and what is behind it.
#[cold]
fn long_length(bytes: &[u8]) -> Result<(usize, &[u8]), NotARow> {
    let (&first, rest) = bytes.split_first().ok_or(NotARow)?;
    let count = match first {
        252 => 2,
        253 => 3,
        254 => 8,
        _ => return Err(NotARow),
    };
    let (length, rest) = rest.split_at_checked(count).ok_or(NotARow)?;
    let mut number = [0; 8];
    number[..count].copy_from_slice(length);
    Ok((usize::try_from(u64::from_le_bytes(number)).map_err(|_| NotARow)?, rest))
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
        assert_eq!(values.value(Width::of(253)), Err(NotARow));
        let long = [&[0, 0, 252, 0, 1][..], &[b'x'; 256]].concat();
        assert_eq!(Values::new(&long, 1).expect("a row").value(Width::Counted), Ok(Some(&[b'x'; 256][..])));
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
