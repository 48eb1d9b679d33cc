//! TABLE_MAP: which table the rows behind it belong to, and what its columns are.

use super::{Cursor, Malformed, Span};

/// Columns that a table can have.
const MOST_COLUMNS: usize = 4096;

/// The event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableMap {
    /// Names the table in the events that follow.
    pub id: u64,
    /// Its schema.
    pub schema: Span,
    /// Its name.
    pub table: Span,
    /// Number of columns.
    pub columns: u32,
    /// Their types, a byte each.
    pub types: Span,
    /// What the types leave open.
    pub metadata: Span,
    /// A bit for each column that may be NULL.
    pub nullable: Span,
    /// What `binlog_row_metadata` adds.
    pub more: More,
    /// Among it was something unknown.
    pub unknown: bool,
}

/// What a server may add; see `binlog_row_metadata`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct More {
    /// A bit for each number without a sign.
    pub signedness: Option<Span>,
    /// Collation of most columns; of its number the first byte.
    pub default_charset: u8,
    /// Collations of all columns.
    pub charsets: Option<Span>,
    /// Names, each with its length in front.
    pub names: Option<Span>,
    /// Words of SET columns.
    pub set_values: Option<Span>,
    /// Words of ENUM columns.
    pub enum_values: Option<Span>,
    /// Kinds of geometry columns.
    pub geometry_types: Option<Span>,
    /// Numbers of the key's columns.
    pub primary_key: Option<Span>,
    /// Numbers of the key's columns, with lengths.
    pub prefixed_primary_key: Option<Span>,
    /// As for other columns.
    pub enum_set_default_charset: u8,
    /// As for other columns.
    pub enum_set_charsets: Option<Span>,
}

/// Reads the event behind its header; `header` bytes are its second one, `tail` bytes stand behind it.
pub fn read(cursor: &mut Cursor<'_>, header: usize, tail: usize) -> Result<TableMap, Malformed> {
    cursor.needs(header)?;
    let payload = cursor.position() + header;
    let mut found = TableMap { id: cursor.number(6)?, ..TableMap::default() };
    cursor.u16()?;
    cursor.go_to(payload)?;
    found.schema = name(cursor)?;
    found.table = name(cursor)?;
    let columns = cursor.count()?;
    if columns > MOST_COLUMNS {
        return Err(Malformed);
    }
    found.columns = columns as u32;
    found.types = cursor.span(columns)?;
    let metadata = cursor.count()?;
    found.metadata = cursor.span(metadata)?;
    found.nullable = cursor.span(columns.div_ceil(8))?;
    let mut left = cursor.left_before(tail)?;
    // What is cut in there is left out, with all that follows.
    while left > 0 {
        let mut ahead = *cursor;
        let Ok((kind, length)) = ahead.u8().and_then(|kind| Ok((kind, ahead.count()?))) else { break };
        let head = ahead.position() - cursor.position();
        let Ok(place) = ahead.span(length) else { break };
        if head + length > left {
            break;
        }
        left -= head + length;
        let first = Cursor::new(cursor.bytes, place.start).u8().unwrap_or_default();
        let more = &mut found.more;
        match kind {
            1 => more.signedness = Some(place),
            2 => more.default_charset = first,
            3 => more.charsets = Some(place),
            4 => more.names = Some(place),
            5 => more.set_values = Some(place),
            6 => more.enum_values = Some(place),
            7 => more.geometry_types = Some(place),
            8 => more.primary_key = Some(place),
            9 => more.prefixed_primary_key = Some(place),
            10 => more.enum_set_default_charset = first,
            11 => more.enum_set_charsets = Some(place),
            _ => found.unknown = true,
        }
        *cursor = ahead;
    }
    cursor.span(left)?;
    Ok(found)
}

/// A name with its length in front and a NUL behind it.
fn name(cursor: &mut Cursor<'_>) -> Result<Span, Malformed> {
    let length = usize::from(cursor.u8()?);
    let place = cursor.span(length)?;
    if cursor.u8()? == 0 { Ok(place) } else { Err(Malformed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENT: &[u8] = b"\x12\0\0\0\0\0\x01\0\x04shop\0\x01t\0\x02\x03\x0f\x02\x28\0\x02\x01\x01\x80\x02\x01\x08\x04\x04\x01a\x01bSUM!";

    #[test]
    fn table_and_columns_are_found() {
        let found = read(&mut Cursor::new(EVENT, 0), 8, 4).expect("a table");
        let text = |place: &Span| &EVENT[place.clone()];
        assert_eq!(
            (found.id, text(&found.schema), text(&found.table), found.columns),
            (18, &b"shop"[..], &b"t"[..], 2)
        );
        assert_eq!((text(&found.types), text(&found.metadata)), (&b"\x03\x0f"[..], &b"\x28\0"[..]));
        assert_eq!(text(&found.nullable), b"\x02");
        assert_eq!(found.more.signedness.as_ref().map(text), Some(&b"\x80"[..]));
        assert_eq!((found.more.default_charset, found.more.names.as_ref().map(text)), (8, Some(&b"\x01a\x01b"[..])));
        assert!(!found.unknown);
    }

    #[test]
    fn every_prefix_is_refused_or_says_less() {
        for cut in 0..EVENT.len() {
            let _ = read(&mut Cursor::new(&EVENT[..cut], 0), 8, 4);
        }
        assert_eq!(read(&mut Cursor::new(&EVENT[..12], 0), 8, 0), Err(Malformed));
    }
}
