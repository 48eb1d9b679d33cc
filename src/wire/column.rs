//! The column definition (protocol 4.1): where its strings lie and what its numbers are.
//!
//! <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_text_resultset_column_definition.html>

use super::Malformed;
use crate::result::{Definition, Place};

/// Decodes a definition where it lies: `own` is the packet and one byte more, at `base` of the block that the places of
/// `column` lead into. Every string gets its NUL, over the first byte of what follows it. `extended`: MariaDB's extended
/// metadata was agreed on. `field_list`: a default value follows.
#[inline]
pub fn decode(
    own: &mut [u8],
    base: u32,
    extended: bool,
    field_list: bool,
    column: &mut Definition,
) -> Result<(), Malformed> {
    let mut walk = Walk { at: 0, length: *own.first().ok_or(Malformed)? };
    for place in &mut column.strings {
        *place = walk.string(own, base)?;
    }
    if extended {
        column.extended = walk.string(own, base)?;
    }
    // Behind the length of the fixed part, and in front of the byte that is no more of the packet.
    let Walk { at, length: 12 } = walk else { return Err(Malformed) };
    let [charset @ .., l0, l1, l2, l3, column_type, f0, f1, decimals, _, _, next] =
        *own.get(at + 1..).and_then(|rest| rest.first_chunk::<13>()).ok_or(Malformed)?;
    column.charset = u16::from_le_bytes(charset);
    column.length = u32::from_le_bytes([l0, l1, l2, l3]);
    column.column_type = column_type;
    column.flags = u16::from_le_bytes([f0, f1]);
    column.decimals = decimals;
    let at = at + 13;
    if field_list && at + 1 < own.len() && next != 0xFB {
        column.default = Walk { at, length: next }.string(own, base)?;
    }
    Ok(())
}

/// How far the strings are decoded: the place of the next one's length, which the NUL of the last may lie over, and that
/// length.
struct Walk {
    at: usize,
    length: u8,
}

impl Walk {
    #[inline]
    fn string(&mut self, own: &mut [u8], base: u32) -> Result<Place, Malformed> {
        let (start, length) = match self.length {
            0..=250 => (self.at + 1, u32::from(self.length)),
            _ => self.long(own)?,
        };
        let end = start + length as usize;
        self.length = std::mem::replace(own.get_mut(end).ok_or(Malformed)?, 0);
        self.at = end;
        Ok((base + start as u32, length))
    }

    /// A length of more than one byte.
    #[cold]
    fn long(&self, own: &[u8]) -> Result<(usize, u32), Malformed> {
        let bytes = match self.length {
            0xFC => 2,
            0xFD => 3,
            0xFE => 8,
            _ => return Err(Malformed),
        };
        let start = self.at + 1 + bytes;
        let mut length = [0; 8];
        length[..bytes].copy_from_slice(own.get(self.at + 1..start).ok_or(Malformed)?);
        Ok((start, u32::try_from(u64::from_le_bytes(length)).map_err(|_| Malformed)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::NONE;

    /// `SELECT id FROM test.t` on MySQL 9.7.
    const ID: &[u8] = b"\x03def\x04test\x01t\x01t\x02id\x02id\x0c\x3f\x00\x0b\x00\x00\x00\x03\x03\x42\x00\x00\x00";

    /// The definition, and the bytes with the NULs.
    fn decoded(packet: &[u8], extended: bool, field_list: bool) -> Result<(Definition, Vec<u8>), Malformed> {
        let mut own = [packet, &[0]].concat();
        let mut column = Definition::default();
        decode(&mut own, 0, extended, field_list, &mut column)?;
        Ok((column, own))
    }

    fn text((start, length): Place, own: &[u8]) -> &[u8] {
        assert_eq!(own[(start + length) as usize], 0, "ends with NUL");
        &own[start as usize..(start + length) as usize]
    }

    #[test]
    fn strings_are_places_that_end_with_nul() {
        let (column, own) = decoded(ID, false, false).expect("a definition");
        assert_eq!(column.strings.map(|place| text(place, &own)), [&b"def"[..], b"test", b"t", b"t", b"id", b"id"]);
        assert_eq!((column.charset, column.length, column.column_type), (63, 11, 3));
        assert_eq!((column.flags, column.decimals), (0x4203, 0));
        assert_eq!((column.extended, column.default), (NONE, NONE));
    }

    #[test]
    fn places_lead_into_the_block() {
        let mut own = [ID, &[0]].concat();
        let mut column = Definition::default();
        decode(&mut own, 1000, false, false, &mut column).expect("a definition");
        assert_eq!(column.strings[0], (1001, 3));
    }

    #[test]
    fn every_prefix_is_refused() {
        for cut in 0..ID.len() {
            assert_eq!(decoded(&ID[..cut], false, false).map(|_| ()), Err(Malformed), "{cut}");
        }
    }

    #[test]
    fn long_strings_have_long_lengths() {
        let name = [b'n'; 300];
        let split = ID.len() - 16;
        let bytes = [&ID[..split], b"\xfc\x2c\x01", &name, &ID[split + 3..]].concat();
        let (column, own) = decoded(&bytes, false, false).expect("a definition");
        assert_eq!(text(column.strings[5], &own), name);
        assert_eq!(text(column.strings[4], &own), b"id");
        assert_eq!(column.length, 11);
        for cut in 0..bytes.len() {
            assert_eq!(decoded(&bytes[..cut], false, false).map(|_| ()), Err(Malformed), "{cut}");
        }
        let huge = [&ID[..split], b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff", &ID[split..]].concat();
        assert_eq!(decoded(&huge, false, false).map(|_| ()), Err(Malformed));
    }

    #[test]
    fn a_field_list_carries_defaults() {
        let with = |tail: &[u8]| {
            let bytes = [ID, tail].concat();
            let (column, own) = decoded(&bytes, false, true).expect("a definition");
            (column.default != NONE).then(|| text(column.default, &own).to_vec())
        };
        assert_eq!(with(b"\x017"), Some(b"7".to_vec()));
        assert_eq!(with(b"\x00"), Some(Vec::new()));
        assert_eq!(with(b"\xfb"), None);
        assert_eq!(with(b""), None);
        let bytes = [ID, b"\x02x"].concat();
        assert_eq!(decoded(&bytes, false, true).map(|_| ()), Err(Malformed));
    }

    #[test]
    fn extended_metadata_lies_before_the_numbers() {
        let split = ID.len() - 13;
        let bytes = [&ID[..split], b"\x06\x00\x04json", &ID[split..]].concat();
        let (column, own) = decoded(&bytes, true, false).expect("a definition");
        assert_eq!(text(column.extended, &own), b"\x00\x04json");
        assert_eq!(column.column_type, 3);
    }
}
