//! The event that begins every log: how the events behind it are laid out.

use super::{CHECKSUM, Cursor, Malformed, Span, kind};

/// Events whose second header a server announces.
pub const KINDS: usize = kind::END as usize;

/// Whose log it is, by the length of its first event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Server {
    /// MySQL's.
    #[default]
    MySql,
    /// MariaDB's.
    MariaDb,
}

/// Bytes of the first event behind its header, at least.
const MYSQL_LENGTH: usize = 98;
const MARIADB_LENGTH: usize = 228;

/// What is known of the events that follow.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Bytes of each kind's second header, from kind 1 on.
    pub lengths: [u8; KINDS],
    /// So many of them are known; 0 before the first event.
    pub known: u16,
    /// How events end: 0 without a checksum, 1 with CRC32.
    pub checksum: u8,
    /// Whose log it is.
    pub server: Server,
    /// Bytes of the first header, as the log says.
    pub header: u8,
}

impl Default for Layout {
    fn default() -> Self {
        Layout { lengths: [0; KINDS], known: 0, checksum: 0, server: Server::MySql, header: 0 }
    }
}

impl Layout {
    /// Bytes of the second header of this kind: 0 while nothing is known.
    pub fn length(&self, kind: u8) -> Result<usize, Malformed> {
        if self.known == 0 || matches!(kind, kind::UNKNOWN | kind::REPLICA) {
            return Ok(0);
        }
        match usize::from(kind).checked_sub(1) {
            Some(index) if index < usize::from(self.known) => {
                self.lengths.get(index).map(|length| usize::from(*length)).ok_or(Malformed)
            }
            _ => Err(Malformed),
        }
    }

    /// Bytes behind the event's own.
    pub fn tail(&self) -> usize {
        if self.checksum == 0 { 0 } else { CHECKSUM }
    }
}

/// The event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// Version of the log's format: 4.
    pub version: u16,
    /// The server's version, fifty bytes with its NULs.
    pub server_version: Span,
    /// When the log was begun.
    pub timestamp: u32,
    /// Bytes of the first header.
    pub header: u8,
    /// The second headers' lengths.
    pub lengths: Span,
    /// The event's checksum, where it has one.
    pub checksum: Option<u32>,
}

/// Why the event is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It is not the protocol.
    Malformed,
    /// The log is of this older version.
    Version(u16),
}

impl From<Malformed> for Problem {
    fn from(_: Malformed) -> Self {
        Problem::Malformed
    }
}

/// Reads the event behind its header, and learns from it.
pub fn read(cursor: &mut Cursor<'_>, layout: &mut Layout) -> Result<Format, Problem> {
    let whole = cursor.left();
    let mut ahead = *cursor;
    ahead.span(56)?;
    if ahead.u8()? != super::HEADER as u8 || whole < MYSQL_LENGTH {
        return Err(Problem::Malformed);
    }
    layout.server = if whole < MARIADB_LENGTH { Server::MySql } else { Server::MariaDb };
    let version = cursor.u16()?;
    if version < 4 {
        return Err(Problem::Version(version));
    }
    let server_version = cursor.span(50)?;
    let timestamp = cursor.u32()?;
    let header = cursor.u8()?;
    layout.header = header;
    // Behind the lengths: which checksum, and the checksum.
    let lengths = cursor.left_before(1 + CHECKSUM)?;
    let place = cursor.position()..cursor.position() + lengths;
    let bytes = cursor.take(lengths)?;
    let most = usize::from(match layout.server {
        Server::MySql => kind::MYSQL_END,
        Server::MariaDb => kind::END,
    });
    let known = bytes.get(..bytes.len().min(most)).unwrap_or(bytes);
    for (index, length) in known.iter().enumerate() {
        if *length > 0 && usize::from(*length) < least(index + 1, layout.server) {
            return Err(Problem::Malformed);
        }
    }
    layout.lengths = [0; KINDS];
    if let Some(place) = layout.lengths.get_mut(..known.len()) {
        place.copy_from_slice(known);
    }
    layout.known = known.len() as u16;
    layout.checksum = cursor.u8()?;
    let checksum = if layout.checksum == 0 { None } else { Some(cursor.u32()?) };
    Ok(Format { version, server_version, timestamp, header, lengths: place, checksum })
}

/// The shortest second header of a kind that can be read.
fn least(kind: usize, server: Server) -> usize {
    let mariadb = server == Server::MariaDb;
    match kind {
        2 => 13,
        4 | 19 | 23..=25 => 8,
        9 | 11 | 17 => 4,
        18 => 26,
        26 => 2,
        30..=32 | 39 => 10,
        1 if mariadb => 56,
        6 | 12 if mariadb => 18,
        8 | 10 | 161 | 163 if mariadb => 4,
        162 if mariadb => 19,
        165 if mariadb => 13,
        166..=168 if mariadb => 8,
        169..=171 if mariadb => 10,
        33 | 34 if !mariadb => 42,
        36 if !mariadb => 18,
        37 if !mariadb => 52,
        _ => 0,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The first event of a log with these lengths.
    pub fn event(lengths: &[u8], checksum: u8) -> Vec<u8> {
        let mut bytes = vec![4, 0];
        bytes.extend_from_slice(b"10.11.19-MariaDB-log");
        bytes.resize(52, 0);
        bytes.extend_from_slice(&[1, 2, 3, 4, 19]);
        bytes.extend_from_slice(lengths);
        bytes.extend_from_slice(&[checksum, 9, 8, 7, 6]);
        bytes
    }

    #[test]
    fn lengths_and_checksum_are_learned() {
        let mut lengths = [0; KINDS];
        lengths[1] = 13;
        lengths[18] = 8;
        let bytes = event(&lengths, 1);
        let mut layout = Layout::default();
        let found = read(&mut Cursor::new(&bytes, 0), &mut layout).expect("a format");
        assert_eq!((found.version, found.timestamp, found.checksum), (4, 0x0403_0201, Some(0x0607_0809)));
        assert_eq!((layout.server, layout.known, layout.tail()), (Server::MariaDb, 172, 4));
        assert_eq!((layout.length(2), layout.length(19), layout.length(3)), (Ok(13), Ok(8), Ok(0)));
        let mysql = event(&lengths[..41], 0);
        let found = read(&mut Cursor::new(&mysql, 0), &mut layout).expect("a format");
        assert_eq!((found.checksum, layout.server, layout.known, layout.tail()), (None, Server::MySql, 40, 0));
        assert_eq!(layout.length(160), Err(Malformed));
    }

    #[test]
    fn nonsense_is_refused() {
        let mut layout = Layout::default();
        let good = event(&[0; KINDS], 1);
        for cut in 0..98 {
            assert!(read(&mut Cursor::new(&good[..cut], 0), &mut layout).is_err(), "{cut}");
        }
        let mut old = good.clone();
        old[0] = 3;
        assert_eq!(read(&mut Cursor::new(&old, 0), &mut layout), Err(Problem::Version(3)));
        let mut lengths = [0; KINDS];
        lengths[1] = 12;
        assert_eq!(read(&mut Cursor::new(&event(&lengths, 1), 0), &mut layout), Err(Problem::Malformed));
    }
}
