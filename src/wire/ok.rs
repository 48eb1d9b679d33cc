//! OK and EOF packets, in both styles.
//!
//! With DEPRECATE_EOF the packet after the rows is an OK packet that begins with `FE`; without, it is the five byte EOF packet.

use super::{Malformed, capabilities, frame, reader::Reader};
use crate::options::Family;

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
///
/// Of a text that is longer than the packet libmysqlclient takes what is there, without session tracking.
pub fn parse(packet: &[u8], flags: u64, family: Family) -> Result<OkPacket, Malformed> {
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
            check_changes(&session_changes)?;
        }
    } else if !reader.is_empty() {
        let mut counted = reader;
        info = match counted.lenenc_bytes() {
            Ok(text) => text.to_vec(),
            Err(_) if family == Family::MySql => {
                reader.lenenc()?;
                reader.rest().to_vec()
            }
            Err(Malformed) => return Err(Malformed),
        };
    }
    Ok(OkPacket { affected_rows, last_insert_id, status, warnings, info, session_changes })
}

/// What is in the session changes ends where they end. The length of a known entry is not looked at, as by both
/// client libraries: its strings have their own.
#[cold]
fn check_changes(changes: &[u8]) -> Result<(), Malformed> {
    let mut changes = Reader::new(changes);
    while !changes.is_empty() {
        match changes.u8()? {
            // A variable's name and value.
            0 => {
                changes.lenenc()?;
                changes.lenenc_bytes()?;
                changes.lenenc_bytes()?;
            }
            1 | 4 | 5 => {
                changes.lenenc()?;
                changes.lenenc_bytes()?;
            }
            // One byte says how the set is written.
            3 => {
                changes.lenenc()?;
                changes.u8()?;
                changes.lenenc_bytes()?;
            }
            _ => drop(changes.lenenc_bytes()?),
        }
    }
    Ok(())
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
        let ok = parse(INSERT, TRACK, Family::MariaDb).expect("an OK packet");
        assert_eq!((ok.affected_rows, ok.last_insert_id, ok.status, ok.warnings), (1, 0, 0x4002, 0));
        assert_eq!(ok.info, b"");
        assert_eq!(ok.session_changes, b"\x00\x11\x09last_gtid\x060-1-19");
    }

    #[test]
    fn the_text_has_a_length() {
        let info = |bytes: &[u8], flags, family| parse(bytes, flags, family).map(|ok| ok.info);
        for family in [Family::MySql, Family::MariaDb] {
            assert_eq!(info(b"\x00\x03\x00\x02\x00\x00\x00\x03abc", TRACK, family), Ok(b"abc".to_vec()));
            assert_eq!(info(b"\x00\x03\x00\x02\x00\x00\x00\x03abc", 0, family), Ok(b"abc".to_vec()));
            assert_eq!(info(b"\x00\x00\x00\x02\x00\x00\x00", TRACK, family), Ok(vec![]));
        }
        let long = b"\x00\x03\x00\x02\x00\x00\x00\x20abc";
        assert_eq!(info(long, 0, Family::MySql), Ok(b"abc".to_vec()));
        assert_eq!(info(long, 0, Family::MariaDb), Err(Malformed));
        assert_eq!(info(long, TRACK, Family::MySql), Err(Malformed));
    }

    #[test]
    fn changes_that_lead_beyond_the_packet_are_refused() {
        let with = |changes: &[u8]| {
            let packet = [b"\x00\x00\x00\x02\x40\x00\x00\x00", &[changes.len() as u8][..], changes].concat();
            parse(&packet, TRACK, Family::MariaDb).is_ok()
        };
        assert!(with(b"\x01\x05\x04shop\x02\x01\x31") && with(b"\x03\x06\x00\x04u:21"));
        assert!(with(b"\x01\x20\x04shop") && !with(b"\x01\x05\x20shop"));
        assert!(!with(b"\x00\x04\x03abc") && !with(b"\x03\x00"));
    }

    #[test]
    fn every_prefix_is_refused_or_says_less() {
        for cut in 0..INSERT.len() {
            match parse(&INSERT[..cut], TRACK, Family::MariaDb) {
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
