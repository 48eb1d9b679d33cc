//! OK and EOF packets, in both styles.
//!
//! With DEPRECATE_EOF the packet after the rows is an OK packet that begins with `FE`; without, it is the five byte EOF packet.

use super::{Malformed, capabilities, frame, reader::Reader};

/// `SERVER_SESSION_STATE_CHANGED`: session changes follow the text.
pub const SESSION_STATE_CHANGED: u16 = 1 << 14;

/// An OK packet (or an OK in the place of an EOF).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OkPacket {
    /// Rows changed, or found with CLIENT_FOUND_ROWS.
    pub affected_rows: u64,
    /// First generated id.
    pub last_insert_id: u64,
    /// `SERVER_STATUS_*`.
    pub status: u16,
    /// Number of warnings.
    pub warnings: u16,
    /// Human-readable text; empty (no allocation) for most.
    pub info: Vec<u8>,
    /// Raw session state changes: entries of type, length, data; empty (no allocation) for most.
    pub session_changes: Vec<u8>,
}

/// How rows ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// `SERVER_STATUS_*`; bit 8 = more results follow.
    pub status: u16,
    /// Number of warnings.
    pub warnings: u16,
}

/// Decodes an OK packet, its first byte (`00` or `FE`) included, under the agreed capabilities.
pub fn parse(packet: &[u8], flags: u64) -> Result<OkPacket, Malformed> {
    let mut reader = Reader::new(packet);
    if !matches!(reader.u8()?, 0 | 0xFE) {
        return Err(Malformed);
    }
    let affected_rows = reader.lenenc()?;
    let last_insert_id = reader.lenenc()?;
    let status = reader.u16()?;
    let warnings = reader.u16()?;
    let (mut info, mut session_changes) = (Vec::new(), Vec::new());
    if flags & capabilities::SESSION_TRACK != 0 {
        if !reader.is_empty() {
            info = reader.lenenc_bytes()?.to_vec();
        }
        if status & SESSION_STATE_CHANGED != 0 && !reader.is_empty() {
            session_changes = reader.lenenc_bytes()?.to_vec();
        }
    } else if !reader.is_empty() {
        // Servers send the text with its length in front here too; the protocol pages promise the bare text.
        let mut counted = reader;
        match counted.lenenc_bytes() {
            Ok(text) if counted.is_empty() => info = text.to_vec(),
            _ => info = reader.rest().to_vec(),
        }
    }
    Ok(OkPacket { affected_rows, last_insert_id, status, warnings, info, session_changes })
}

/// True for the packet that ends rows or columns: an EOF packet, or an OK packet in its place.
///
/// `FE` also begins a row whose first value has an eight byte length; such a row fills its packet.
#[inline]
pub fn is_end(packet: &[u8], flags: u64) -> bool {
    if packet.first() != Some(&0xFE) {
        return false;
    }
    if flags & capabilities::DEPRECATE_EOF != 0 { packet.len() < frame::MAX_PAYLOAD } else { packet.len() < 9 }
}

/// Decodes the end of rows for which [`is_end`] holds.
pub fn parse_end(packet: &[u8], flags: u64) -> Result<End, Malformed> {
    let mut reader = Reader::new(packet);
    reader.u8()?;
    if flags & capabilities::DEPRECATE_EOF != 0 {
        reader.lenenc()?;
        reader.lenenc()?;
        let status = reader.u16()?;
        return Ok(End { status, warnings: reader.u16()? });
    }
    let warnings = reader.u16()?;
    Ok(End { warnings, status: reader.u16()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACK: u64 = capabilities::SESSION_TRACK | capabilities::DEPRECATE_EOF;
    /// An INSERT on MariaDB 10.11 with last_gtid tracked.
    const INSERT: &[u8] = b"\x00\x01\x00\x02\x40\x00\x00\x00\x13\x00\x11\x09last_gtid\x060-1-19";

    #[test]
    fn session_changes_are_kept_raw() {
        let ok = parse(INSERT, TRACK).expect("an OK packet");
        assert_eq!((ok.affected_rows, ok.last_insert_id, ok.status, ok.warnings), (1, 0, 0x4002, 0));
        assert_eq!(ok.info, b"");
        assert_eq!(ok.session_changes, b"\x00\x11\x09last_gtid\x060-1-19");
    }

    #[test]
    fn the_text_comes_with_and_without_a_length() {
        let info = |bytes: &[u8], flags| parse(bytes, flags).expect("an OK packet").info;
        assert_eq!(info(b"\x00\x03\x00\x02\x00\x00\x00\x03abc", TRACK), b"abc");
        assert_eq!(info(b"\x00\x03\x00\x02\x00\x00\x00\x03abc", 0), b"abc");
        assert_eq!(info(b"\x00\x03\x00\x02\x00\x00\x00abcd", 0), b"abcd");
        assert_eq!(info(b"\x00\x00\x00\x02\x00\x00\x00", TRACK), b"");
    }

    #[test]
    fn every_prefix_is_refused_or_says_less() {
        for cut in 0..INSERT.len() {
            match parse(&INSERT[..cut], TRACK) {
                // Text and changes may be absent.
                Ok(ok) => assert!(cut == 7 || cut == 8, "{cut}: {ok:?}"),
                Err(Malformed) => assert!(cut != 7 && cut != 8, "{cut}"),
            }
        }
    }

    #[test]
    fn both_ends_of_rows_are_known() {
        assert!(is_end(b"\xfe\x01\x00\x22\x00", 0));
        assert_eq!(parse_end(b"\xfe\x01\x00\x22\x00", 0), Ok(End { status: 0x22, warnings: 1 }));
        assert!(is_end(b"\xfe\x00\x00\x22\x00\x01\x00", TRACK));
        assert_eq!(parse_end(b"\xfe\x00\x00\x22\x00\x01\x00", TRACK), Ok(End { status: 0x22, warnings: 1 }));
        assert!(!is_end(b"\xfe\x01\x00\x22\x00\x00\x00\x00\x00", 0), "a row with an eight byte length");
        assert_eq!(parse_end(b"\xfe\x01", 0), Err(Malformed));
        assert!(!is_end(b"", TRACK));
    }
}
