//! Prepared statements: the reply to COM_STMT_PREPARE, and the commands that name a statement.

use super::{Malformed, capabilities, reader::Reader};

/// The server's id of a statement, and what it says of it; column definitions follow in packets of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrepareOk {
    /// Names the statement on its connection.
    pub id: u32,
    /// Columns of its result; 0 for statements without one, and for those whose columns come with the rows only.
    pub columns: u16,
    /// Number of placeholders.
    pub parameters: u16,
    /// Number of warnings.
    pub warnings: u16,
    /// Definitions of parameters and columns follow.
    pub described: bool,
}

impl PrepareOk {
    /// Decodes the first packet of the reply under the agreed capabilities.
    pub fn parse(packet: &[u8], flags: u64) -> Result<PrepareOk, Malformed> {
        let mut reader = Reader::new(packet);
        if reader.u8()? != 0 {
            return Err(Malformed);
        }
        let (id, columns, parameters) = (reader.u32()?, reader.u16()?, reader.u16()?);
        // The filler; servers before 5.0 end here.
        let _ = reader.u8();
        let warnings = reader.u16().unwrap_or_default();
        let described = flags & capabilities::OPTIONAL_RESULTSET_METADATA == 0 || reader.u8().unwrap_or(1) != 0;
        Ok(PrepareOk { id, columns, parameters, warnings, described })
    }
}

/// The beginning of COM_STMT_EXECUTE: id, flags (`CURSOR_TYPE_*`), iterations, which are always 1.
#[inline]
pub fn execute(id: u32, flags: u8) -> [u8; 9] {
    let [a, b, c, d] = id.to_le_bytes();
    [a, b, c, d, flags, 1, 0, 0, 0]
}

/// Writes a length-encoded number to the beginning of `place`, which has room for nine bytes. Bytes written.
pub fn put_count(place: &mut [u8], count: usize) -> usize {
    let bytes = (count as u64).to_le_bytes();
    let (mark, length) = match count {
        0..=250 => (None, 1),
        251..=0xFFFF => (Some(252), 2),
        0x1_0000..=0xFF_FFFF => (Some(253), 3),
        _ => (Some(254), 8),
    };
    let start = usize::from(mark.is_some());
    if let (Some(mark), Some(first)) = (mark, place.first_mut()) {
        *first = mark;
    }
    if let Some(room) = place.get_mut(start..start + length) {
        room.copy_from_slice(&bytes[..length]);
    }
    start + length
}

/// The argument of COM_STMT_FETCH: id, number of rows.
pub fn fetch(id: u32, rows: u32) -> [u8; 8] {
    let ([a, b, c, d], [e, f, g, h]) = (id.to_le_bytes(), rows.to_le_bytes());
    [a, b, c, d, e, f, g, h]
}

/// The beginning of COM_STMT_SEND_LONG_DATA: id, number of the parameter.
pub fn long_data(id: u32, parameter: u16) -> [u8; 6] {
    let ([a, b, c, d], [e, f]) = (id.to_le_bytes(), parameter.to_le_bytes());
    [a, b, c, d, e, f]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_without_warnings_is_whole() {
        let long = [0, 7, 0, 0, 0, 2, 0, 3, 0, 0, 5, 0];
        let ok = PrepareOk { id: 7, columns: 2, parameters: 3, warnings: 5, described: true };
        assert_eq!(PrepareOk::parse(&long, 0), Ok(ok));
        assert_eq!(PrepareOk::parse(&long[..9], 0), Ok(PrepareOk { warnings: 0, ..ok }));
        assert_eq!(PrepareOk::parse(&long[..8], 0), Err(Malformed));
        assert_eq!(PrepareOk::parse(&[], 0), Err(Malformed));
    }

    #[test]
    fn definitions_may_be_left_out() {
        let described = |last: &[u8], flags| {
            let packet = [&[0, 7, 0, 0, 0, 2, 0, 3, 0, 0, 5, 0], last].concat();
            PrepareOk::parse(&packet, flags).map(|ok| ok.described)
        };
        let optional = capabilities::OPTIONAL_RESULTSET_METADATA;
        assert_eq!((described(&[0], 0), described(&[0], optional)), (Ok(true), Ok(false)));
        assert_eq!((described(&[1], optional), described(&[], optional)), (Ok(true), Ok(true)));
    }
}
