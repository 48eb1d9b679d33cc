//! The column definition (protocol 4.1): where its strings lie and what its numbers are.
//!
//! <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_text_resultset_column_definition.html>

use super::{Malformed, reader::Reader};
use crate::result::Definition;

/// Decodes a definition. `extended`: MariaDB's extended metadata was agreed on. `field_list`: a default value follows.
#[inline]
pub fn parse(packet: &[u8], extended: bool, field_list: bool) -> Result<Definition, Malformed> {
    let mut reader = Reader::new(packet);
    let mut column = Definition::default();
    for span in &mut column.strings {
        *span = string(&mut reader)?;
    }
    if extended {
        column.extended = Some(string(&mut reader)?);
    }
    reader.lenenc()?; // length of the fixed part: 12
    column.charset = reader.u16()?;
    column.length = reader.u32()?;
    column.column_type = reader.u8()?;
    column.flags = reader.u16()?;
    column.decimals = reader.u8()?;
    reader.bytes(2)?; // filler
    if field_list && !reader.is_empty() && reader.rest().first() != Some(&0xFB) {
        column.default = Some(string(&mut reader)?);
    }
    Ok(column)
}

#[inline]
fn string(reader: &mut Reader<'_>) -> Result<(u32, u32), Malformed> {
    let length = reader.lenenc()?;
    let start = reader.position();
    let length = u32::try_from(length).map_err(|_| Malformed)?;
    reader.bytes(length as usize)?;
    Ok((u32::try_from(start).map_err(|_| Malformed)?, length))
}
