//! The column definition (protocol 4.1): where its strings lie and what its numbers are.
//!
//! <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_text_resultset_column_definition.html>

use super::{Malformed, reader::Reader};
use crate::result::Definition;

/// Decodes a definition. `extended`: MariaDB's extended metadata was agreed on. `field_list`: a default value follows.
#[inline]
pub fn parse(packet: &[u8], extended: bool, field_list: bool) -> Result<Definition, Malformed> {
    let mut column = Definition::default();
    let mut at = 0;
    for span in &mut column.strings {
        let &length = packet.get(at).ok_or(Malformed)?;
        if length > 250 {
            let mut reader = Reader::from(packet, at);
            *span = string(&mut reader)?;
            at = reader.position();
            continue;
        }
        *span = (at as u32 + 1, u32::from(length));
        // May lead beyond the end, which the next read finds.
        at += 1 + usize::from(length);
    }
    let mut reader = Reader::from(packet, at);
    if extended {
        column.extended = Some(string(&mut reader)?);
    }
    // The length of the fixed part.
    if reader.lenenc()? != 12 {
        return Err(Malformed);
    }
    let [charset @ .., l0, l1, l2, l3, column_type, f0, f1, decimals, _, _] = reader.array::<12>()?;
    column.charset = u16::from_le_bytes(charset);
    column.length = u32::from_le_bytes([l0, l1, l2, l3]);
    column.column_type = column_type;
    column.flags = u16::from_le_bytes([f0, f1]);
    column.decimals = decimals;
    if field_list && !reader.is_empty() && reader.rest().first() != Some(&0xFB) {
        column.default = Some(string(&mut reader)?);
    }
    Ok(column)
}

#[cold]
fn string(reader: &mut Reader<'_>) -> Result<(u32, u32), Malformed> {
    let length = reader.lenenc()?;
    let start = reader.position();
    let length = u32::try_from(length).map_err(|_| Malformed)?;
    reader.bytes(length as usize)?;
    Ok((u32::try_from(start).map_err(|_| Malformed)?, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `SELECT id FROM test.t` on MySQL 9.7.
    const ID: &[u8] = b"\x03def\x04test\x01t\x01t\x02id\x02id\x0c\x3f\x00\x0b\x00\x00\x00\x03\x03\x42\x00\x00\x00";

    #[test]
    fn strings_are_places_in_the_packet() {
        let column = parse(ID, false, false).expect("a definition");
        let texts = column.strings.map(|(start, length)| &ID[start as usize..(start + length) as usize]);
        assert_eq!(texts, [&b"def"[..], b"test", b"t", b"t", b"id", b"id"]);
        assert_eq!((column.charset, column.length, column.column_type), (63, 11, 3));
        assert_eq!((column.flags, column.decimals), (0x4203, 0));
        assert_eq!((column.extended, column.default), (None, None));
    }

    #[test]
    fn every_prefix_is_refused() {
        for cut in 0..ID.len() {
            assert_eq!(parse(&ID[..cut], false, false).map(|_| ()), Err(Malformed), "{cut}");
        }
    }

    #[test]
    fn a_field_list_carries_defaults() {
        let with = |tail: &[u8]| {
            let bytes = [ID, tail].concat();
            parse(&bytes, false, true).expect("a definition").default
        };
        assert_eq!(with(b"\x017"), Some((ID.len() as u32 + 1, 1)));
        assert_eq!(with(b"\xfb"), None);
        assert_eq!(with(b""), None);
    }

    #[test]
    fn extended_metadata_lies_before_the_numbers() {
        let split = ID.len() - 13;
        let bytes = [&ID[..split], b"\x06\x00\x04json", &ID[split..]].concat();
        let column = parse(&bytes, true, false).expect("a definition");
        assert_eq!(column.extended, Some((split as u32 + 1, 6)));
        assert_eq!(column.column_type, 3);
    }
}
