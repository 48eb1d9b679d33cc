//! The values of rows, taken out by the types that a TABLE_MAP gives.

use super::{Cursor, Malformed, decimal};
use crate::result::types;

/// A date, a time, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Moment {
    pub year: u32,
    pub month: u32,
    pub day: u32,
    pub hour: u32,
    pub minute: u32,
    pub second: u32,
    /// Microseconds.
    pub fraction: u64,
    pub negative: bool,
    /// 0 a date, 1 both, 2 a time.
    pub kind: u32,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// NULL.
    Null,
    /// A whole number, its upper bytes zero whatever its sign; a year; the number of an ENUM's word, the bits of a SET's.
    Number(u64),
    /// FLOAT.
    Single(f32),
    /// DOUBLE.
    Double(f64),
    /// A text, DECIMAL, BIT or BLOB.
    Text(Vec<u8>),
    /// A date or a time.
    Moment(Moment),
    /// Seconds since 1970, and microseconds.
    Timestamp(u32, u32),
}

/// A value and its type: BLOBs by their size, times without the form they are stored in.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// `MYSQL_TYPE_*`.
    pub kind: u8,
    /// What it is.
    pub value: Value,
}

/// All rows of an event; every row has all columns.
pub fn rows(types: &[u8], metadata: &[u8], data: &[u8]) -> Result<Vec<Vec<Cell>>, Malformed> {
    let mut cursor = Cursor::new(data, 0);
    let mut found = Vec::new();
    // A row without a byte would never end.
    while cursor.left() > 0 && !types.is_empty() {
        found.push(row(&mut cursor, types, metadata)?);
    }
    Ok(found)
}

fn row(cursor: &mut Cursor<'_>, types: &[u8], metadata: &[u8]) -> Result<Vec<Cell>, Malformed> {
    let nulls = cursor.take(types.len().div_ceil(8))?;
    let mut metadata = Cursor::new(metadata, 0);
    let mut cells = Vec::with_capacity(types.len());
    for (index, kind) in types.iter().enumerate() {
        let about = About::read(*kind, &mut metadata)?;
        let is_null = nulls.get(index / 8).is_some_and(|byte| byte >> (index % 8) & 1 != 0);
        let value = if is_null { Value::Null } else { about.value(cursor)? };
        cells.push(Cell { kind: if is_null { about.kind } else { about.shown() }, value });
    }
    Ok(cells)
}

/// A column's type and what the metadata says of it.
#[derive(Clone, Copy)]
struct About {
    kind: u8,
    /// Metadata, one byte or two.
    first: u8,
    second: u8,
}

impl About {
    fn read(kind: u8, metadata: &mut Cursor<'_>) -> Result<About, Malformed> {
        let size = match kind {
            types::FLOAT | types::DOUBLE | types::BLOB | types::DATETIME2 | types::TIMESTAMP2 | types::TIME2 => 1,
            types::TINY_BLOB | types::MEDIUM_BLOB | types::LONG_BLOB | types::JSON | types::GEOMETRY => 1,
            types::STRING | types::ENUM | types::SET | types::NEWDECIMAL => 2,
            types::VARCHAR | types::VAR_STRING | types::BIT => 2,
            _ => 0,
        };
        let bytes = metadata.take(size)?;
        let at = |index: usize| bytes.get(index).copied().unwrap_or_default();
        let (first, second) = (at(0), at(1));
        // Words are logged as texts, with what they really are.
        let kind = if kind == types::STRING && matches!(first, types::ENUM | types::SET) { first } else { kind };
        Ok(About { kind, first, second })
    }

    fn shown(self) -> u8 {
        match (self.kind, self.first) {
            (types::BLOB, 1) => types::TINY_BLOB,
            (types::BLOB, 3) => types::MEDIUM_BLOB,
            (types::BLOB, 4) => types::LONG_BLOB,
            (types::TIME2, _) => types::TIME,
            (types::DATETIME2, _) => types::DATETIME,
            (kind, _) => kind,
        }
    }

    fn value(self, cursor: &mut Cursor<'_>) -> Result<Value, Malformed> {
        let text = |cursor: &mut Cursor<'_>, size: usize| {
            let length = usize::try_from(cursor.number(size)?).map_err(|_| Malformed)?;
            Ok(Value::Text(cursor.take(length)?.to_vec()))
        };
        Ok(match self.kind {
            types::NULL => Value::Null,
            types::TINY => Value::Number(cursor.number(1)?),
            types::SHORT => Value::Number(cursor.number(2)?),
            types::INT24 => Value::Number(cursor.number(3)?),
            types::LONG => Value::Number(cursor.number(4)?),
            types::LONGLONG => Value::Number(cursor.number(8)?),
            types::YEAR => Value::Number(cursor.number(1)? + 1900),
            types::FLOAT | types::DOUBLE => match self.first {
                4 => Value::Single(f32::from_le_bytes(cursor.array()?)),
                8 => Value::Double(f64::from_le_bytes(cursor.array()?)),
                _ => return Err(Malformed),
            },
            types::NEWDECIMAL => Value::Text(decimal::read(cursor, self.first, self.second)?.into_bytes()),
            types::BIT => {
                let bits = usize::from(self.first) + usize::from(self.second) * 8;
                Value::Text(cursor.take(bits.div_ceil(8))?.to_vec())
            }
            types::TIMESTAMP => Value::Timestamp(cursor.u32()?, 0),
            types::TIMESTAMP2 => {
                let second = cursor.number_from_the_top(4)? as u32;
                Value::Timestamp(second, self.fraction(cursor)? as u32)
            }
            types::DATE | types::NEWDATE => {
                let date = cursor.number(3)? as u32;
                Value::Moment(Moment { year: date >> 9, month: date >> 5 & 15, day: date & 31, ..Moment::default() })
            }
            types::TIME => Value::Moment(Moment { kind: 2, ..time_of(cursor.number(3)?) }),
            types::DATETIME => {
                let moment = cursor.number(8)?;
                let date = (moment / 1_000_000) as u32;
                let time = time_of(moment % 1_000_000);
                Value::Moment(Moment { year: date / 10_000, month: date / 100 % 100, day: date % 100, kind: 1, ..time })
            }
            types::TIME2 => {
                let mut whole = cursor.number_from_the_top(3)? as i64 - 0x80_0000;
                let size = self.fraction_size();
                let mut fraction = cursor.number_from_the_top(size)? as i64;
                // One number, sign and all: the fraction of a negative one counts from the whole below it.
                if whole < 0 && fraction != 0 {
                    whole += 1;
                    fraction -= 1 << (8 * size);
                }
                let negative = whole < 0 || fraction < 0;
                let whole = whole.unsigned_abs() as u32;
                Value::Moment(Moment {
                    hour: whole >> 12 & 0x3FF,
                    minute: whole >> 6 & 63,
                    second: whole & 63,
                    fraction: fraction.unsigned_abs() * self.fraction_unit(),
                    negative,
                    kind: 2,
                    ..Moment::default()
                })
            }
            types::DATETIME2 => {
                let packed = cursor.number_from_the_top(5)?.wrapping_sub(0x80_0000_0000);
                let (date, time) = ((packed >> 17) as u32, (packed & 0x1_FFFF) as u32);
                let months = date >> 5;
                Value::Moment(Moment {
                    year: months / 13,
                    month: months % 13,
                    day: date & 31,
                    hour: time >> 12,
                    minute: time >> 6 & 63,
                    second: time & 63,
                    fraction: self.fraction(cursor)?,
                    negative: false,
                    kind: 1,
                })
            }
            types::STRING => {
                // Two bits of the longest length are hidden in the type, turned.
                let longest = usize::from(self.second) | usize::from(!self.first & 0x30) << 4;
                text(cursor, if longest > 0xFF { 2 } else { 1 })?
            }
            types::ENUM | types::SET => Value::Number(cursor.number(usize::from(self.second))?),
            types::VARCHAR | types::VAR_STRING => text(cursor, if self.second == 0 { 1 } else { 2 })?,
            types::TINY_BLOB | types::MEDIUM_BLOB | types::LONG_BLOB | types::BLOB | types::JSON | types::GEOMETRY => {
                text(cursor, usize::from(self.first))?
            }
            _ => return Err(Malformed),
        })
    }

    /// The fraction of a second, microseconds.
    fn fraction(self, cursor: &mut Cursor<'_>) -> Result<u64, Malformed> {
        Ok(cursor.number_from_the_top(self.fraction_size())? * self.fraction_unit())
    }

    /// Bytes that its digits need.
    fn fraction_size(self) -> usize {
        usize::from(self.first.min(6).div_ceil(2))
    }

    /// Microseconds that its last digit counts; digits come in pairs.
    fn fraction_unit(self) -> u64 {
        [1, 10_000, 100, 1][self.fraction_size()]
    }
}

/// Hours, minutes and seconds as digits.
fn time_of(digits: u64) -> Moment {
    let digits = digits as u32;
    Moment { hour: digits / 10_000, minute: digits / 100 % 100, second: digits % 100, ..Moment::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(types: &[u8], metadata: &[u8], data: &[u8]) -> Result<Vec<(u8, Value)>, Malformed> {
        let mut all = rows(types, metadata, data)?;
        assert_eq!(all.len(), 1);
        Ok(all.remove(0).into_iter().map(|cell| (cell.kind, cell.value)).collect())
    }

    #[test]
    fn texts_and_words_are_read_by_their_own_lengths() {
        // CHAR(3) in latin1, CHAR(80) in utf8mb4 (320 bytes), ENUM of three words, SET of twelve: as MariaDB 10.11 logs them.
        let found =
            one(&[254, 254, 254, 254], &[0xFE, 3, 0xEE, 0x40, 247, 1, 248, 2], b"\0\x02ab\x03\0cde\x02\x01\x08");
        let text = |text: &[u8]| Value::Text(text.to_vec());
        let wanted = [(254, text(b"ab")), (254, text(b"cde")), (247, Value::Number(2)), (248, Value::Number(0x801))];
        assert_eq!(found, Ok(wanted.to_vec()));
    }

    #[test]
    fn numbers_need_no_metadata_and_nulls_no_bytes() {
        let found = one(&[3, 1, 252], &[2], b"\x04\xff\xff\xff\xff\x80");
        assert_eq!(found, Ok(vec![(3, Value::Number(0xFFFF_FFFF)), (1, Value::Number(0x80)), (252, Value::Null)]),);
        assert_eq!(rows(&[3], &[], b"\0\x01\0\0\0\0\x02\0\0\0").map(|rows| rows.len()), Ok(2));
    }

    #[test]
    fn moments_are_taken_apart() {
        let moment = |kind, bytes: &[u8]| one(&[kind], &[6], &[&[0], bytes].concat()).map(|mut cells| cells.remove(0));
        // TIME(6) '-01:02:03.5' and DATETIME(6) '2026-11-30 20:15:16.000007'.
        let packed = (2026u64 * 13 + 11) << 22 | 30 << 17 | 20 << 12 | 15 << 6 | 16;
        let bytes = (packed + 0x80_0000_0000).to_be_bytes();
        let found = moment(18, &[&bytes[3..], &[0, 0, 7]].concat());
        let mut wanted = Moment {
            year: 2026,
            month: 11,
            day: 30,
            hour: 20,
            minute: 15,
            second: 16,
            fraction: 7,
            ..Moment::default()
        };
        wanted.kind = 1;
        assert_eq!(found, Ok((12, Value::Moment(wanted))));
        // As MariaDB 10.11 logs TIME(6) '-01:02:03.5' and '-00:00:00.000001', and TIME(2) '-01:02:03.45'.
        let negative = |hour, minute, second, fraction| {
            Ok((
                11,
                Value::Moment(Moment { hour, minute, second, fraction, negative: true, kind: 2, ..Moment::default() }),
            ))
        };
        assert_eq!(moment(19, &[0x7f, 0xef, 0x7c, 0xf8, 0x5e, 0xe0]), negative(1, 2, 3, 500_000));
        assert_eq!(moment(19, &[0x7f, 0xff, 0xff, 0xff, 0xff, 0xff]), negative(0, 0, 0, 1));
        assert_eq!(
            one(&[19], &[2], b"\0\x7f\xef\x7c\xd3").map(|mut cells| cells.remove(0)),
            negative(1, 2, 3, 450_000)
        );
        assert_eq!(one(&[17], &[2], b"\0\x01\x02\x03\x04\x32"), Ok(vec![(17, Value::Timestamp(0x0102_0304, 500_000))]));
        assert_eq!(
            one(&[10], &[], b"\0\x7e\xd5\x0f"),
            Ok(vec![(10, Value::Moment(Moment { year: 2026, month: 11, day: 30, ..Moment::default() }))])
        );
    }

    #[test]
    fn what_is_cut_is_refused() {
        assert_eq!(rows(&[15], &[10, 0], b"\0\x05abcd"), Err(Malformed));
        assert_eq!(rows(&[15], &[10], b"\0\x04abcd"), Err(Malformed));
        assert_eq!(rows(&[252], &[9], b"\x00123456789"), Err(Malformed));
        assert_eq!(rows(&[200], &[], b"\0\0"), Err(Malformed));
        assert_eq!(rows(&[], &[], b"\0\0").map(|rows| rows.len()), Ok(0));
    }
}
