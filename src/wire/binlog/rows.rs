//! Rows that were inserted, changed or deleted: the head of the event. The rows themselves are in [`super::values`].

use super::packed::{NotPacked, unpack};
use super::{Cursor, Malformed, Span, kind};

/// The event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// 0 inserted, 1 changed, 2 deleted.
    pub what: u32,
    /// The rows were compressed.
    pub compressed: bool,
    /// The table, as its TABLE_MAP names it.
    pub table: u64,
    /// `STMT_END_F` and its kin.
    pub flags: u16,
    /// Bytes of what stands in front of the rows in MySQL's form; 0 in the other.
    pub extra: usize,
    /// Number of columns.
    pub columns: u32,
    /// A bit for each column that the rows have.
    pub present: Span,
    /// The same of the new rows, where rows were changed.
    pub present_after: Option<Span>,
    /// The rows, unless they were compressed.
    pub data: Span,
    /// The rows, where they were.
    pub unpacked: Vec<u8>,
}

/// Why an event is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It is not the protocol.
    Malformed,
    /// Its rows cannot be unpacked.
    NotPacked,
}

impl From<Malformed> for Problem {
    fn from(_: Malformed) -> Self {
        Problem::Malformed
    }
}

impl From<NotPacked> for Problem {
    fn from(_: NotPacked) -> Self {
        Problem::NotPacked
    }
}

/// MySQL's form, with something in front of the rows.
fn is_second_form(event: u8) -> bool {
    matches!(event, kind::WRITE_ROWS..=kind::DELETE_ROWS | kind::WRITE_ROWS_COMPRESSED..=kind::DELETE_ROWS_COMPRESSED)
}

/// What an event of the compressed second form, which no server writes, says by its kind.
pub fn unread(event: u8) -> Rows {
    Rows { what: u32::from(event - kind::WRITE_ROWS_COMPRESSED), compressed: true, ..Rows::default() }
}

/// Reads the event behind its header; `header` bytes are its second one, `tail` bytes stand behind it.
pub fn read(cursor: &mut Cursor<'_>, event: u8, header: usize, tail: usize) -> Result<Rows, Problem> {
    let compressed = matches!(event, kind::WRITE_ROWS_COMPRESSED_V1..=kind::DELETE_ROWS_COMPRESSED_V1);
    let what = u32::from(match event {
        kind::WRITE_ROWS_COMPRESSED_V1.. => event - kind::WRITE_ROWS_COMPRESSED_V1,
        kind::WRITE_ROWS.. => event - kind::WRITE_ROWS,
        _ => event - kind::WRITE_ROWS_V1,
    });
    cursor.needs(header)?;
    let payload = cursor.position() + header;
    let mut found = Rows { what, compressed, ..Rows::default() };
    found.table = cursor.number(6)?;
    found.flags = cursor.u16()?;
    if is_second_form(event) {
        found.extra = usize::from(cursor.u16()?);
        cursor.span(found.extra.checked_sub(2).ok_or(Malformed)?)?;
    } else {
        cursor.go_to(payload)?;
    }
    let columns = cursor.count()?;
    if columns == 0 {
        return Err(Problem::Malformed);
    }
    found.columns = u32::try_from(columns).map_err(|_| Malformed)?;
    found.present = cursor.span(columns.div_ceil(8))?;
    if matches!(event, kind::UPDATE_ROWS_V1 | kind::UPDATE_ROWS_COMPRESSED_V1) {
        found.present_after = Some(cursor.span(columns.div_ceil(8))?);
    }
    let data = cursor.left_before(tail)?;
    if compressed {
        found.unpacked = unpack(cursor.take(data)?)?;
    } else {
        found.data = cursor.span(data)?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let first = b"\x12\0\0\0\0\0\x01\0\x02\x03\x03rows SUM!";
        let found = read(&mut Cursor::new(first, 0), kind::UPDATE_ROWS_V1, 8, 4).expect("rows");
        assert_eq!((found.what, found.table, found.flags, found.columns, found.extra), (1, 18, 1, 2, 0));
        assert_eq!((found.present, found.present_after, &first[found.data]), (9..10, Some(10..11), &b"rows "[..]));
        let second = b"\x12\0\0\0\0\0\x01\0\x04\0xx\x02\x03rows";
        let found = read(&mut Cursor::new(second, 0), kind::DELETE_ROWS, 10, 0).expect("rows");
        assert_eq!((found.what, found.extra, found.columns, &second[found.data]), (2, 4, 2, &b"rows"[..]));
        for cut in 0..13 {
            assert_eq!(read(&mut Cursor::new(&second[..cut], 0), 32, 10, 0), Err(Problem::Malformed), "{cut}");
        }
        assert_eq!(
            read(&mut Cursor::new(b"\x12\0\0\0\0\0\x01\0\x02\x03nonsense", 0), kind::WRITE_ROWS_COMPRESSED_V1, 8, 0),
            Err(Problem::NotPacked)
        );
    }
}
