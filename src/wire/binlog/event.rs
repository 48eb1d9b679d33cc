//! One event, whole: its header, and what is in it.

use super::dump::{SEMI_SYNC, SEMI_SYNC_WANTED};
use super::format::{self, Format, Layout};
use super::packed::unpack;
use super::rows::{self, Rows};
use super::table::{self, TableMap};
use super::{CHECKSUM, Cursor, HEADER, Header, Malformed, Span, decimal, kind};

/// QUERY, also compressed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Query {
    pub thread_id: u32,
    /// Time that it took.
    pub seconds: u32,
    pub schema: Span,
    pub error: u16,
    /// What of the session's state matters to it.
    pub status: Span,
    pub statement: Text,
}

/// A text in the event, or made from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// As it stands there.
    Here(Span),
    /// Unpacked, or a number written out.
    Made(Vec<u8>),
}

impl Default for Text {
    fn default() -> Self {
        Text::Here(0..0)
    }
}

/// EXECUTE_LOAD_QUERY.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ExecuteLoad {
    pub thread_id: u32,
    pub seconds: u32,
    pub schema: Span,
    pub error: u16,
    pub file: u32,
    /// Where the file's name stands in the statement.
    pub name: (u32, u32),
    pub duplicates: u8,
    pub status: Span,
    pub statement: Span,
}

/// USER_VAR.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct UserVariable {
    pub name: Span,
    pub is_null: bool,
    /// 0 text, 1 DOUBLE, 2 whole, 4 DECIMAL.
    pub kind: u8,
    pub collation: u32,
    pub value: Text,
    pub flags: u8,
}

/// GTID of MariaDB.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Gtid {
    pub sequence: u64,
    pub domain: u32,
    pub flags: u8,
    pub commit_id: u64,
    pub format: u32,
    /// Lengths of the two parts of an XA transaction's id.
    pub lengths: (u8, u8),
    pub xid: Span,
}

/// What an event says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Body {
    /// Its kind is not known, and whoever does not know it may leave it out.
    Ignored,
    /// Nothing is looked at.
    Unknown,
    Stop,
    Heartbeat {
        file_name: Span,
    },
    BeginLoad {
        file: u32,
        data: usize,
    },
    Encryption {
        scheme: u8,
        key_version: u32,
        nonce: [u8; 12],
    },
    ExecuteLoad(ExecuteLoad),
    Checkpoint {
        file_name: Span,
    },
    Format(Format),
    Query(Query),
    TableMap(Box<TableMap>),
    Random {
        seeds: (u64, u64),
    },
    IntVariable {
        kind: u8,
        value: u64,
    },
    UserVariable(UserVariable),
    Annotation {
        statement: Span,
    },
    Rotate {
        position: u64,
        file_name: Span,
        checksum: Option<u32>,
    },
    Xid {
        transaction: u64,
    },
    XaPrepare {
        one_phase: u8,
        format: u32,
        lengths: (u32, u32),
        xid: Span,
    },
    PreviousGtids {
        content: Span,
    },
    GtidLog {
        flag: u8,
        source: [u8; 16],
        sequence: u64,
    },
    Gtid(Gtid),
    GtidList {
        gtids: Vec<(u32, u32, u64)>,
    },
    Rows(Rows),
    /// Rows in a form that no server writes: what their kind says.
    UnreadRows(Rows),
}

/// Why an event cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It is not the protocol.
    Malformed,
    /// Its log is of this older version.
    Version(u16),
    /// It cannot be unpacked.
    NotPacked,
    /// Its kind is not known, and it may not be left out.
    UnknownKind(u8),
    /// The checksum that it has, and the one that it should have.
    Checksum(u32, u32),
}

impl From<Malformed> for Problem {
    fn from(_: Malformed) -> Self {
        Problem::Malformed
    }
}

impl From<format::Problem> for Problem {
    fn from(problem: format::Problem) -> Self {
        match problem {
            format::Problem::Malformed => Problem::Malformed,
            format::Problem::Version(version) => Problem::Version(version),
        }
    }
}

impl From<rows::Problem> for Problem {
    fn from(problem: rows::Problem) -> Self {
        match problem {
            rows::Problem::Malformed => Problem::Malformed,
            rows::Problem::NotPacked => Problem::NotPacked,
        }
    }
}

/// How events are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// They come from a server, with a byte in front of each.
    pub stream: bool,
    /// The server waits for acknowledgements.
    pub semi_sync: bool,
    /// The server's logs have checksums: those that it makes up for the stream have them, too.
    pub artificial_checksum: bool,
    /// Checksums are compared.
    pub verify: bool,
    /// Compressed statements are unpacked.
    pub unpack: bool,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The byte in front of it; 0 in a file.
    pub ok: u8,
    /// Where the header begins.
    pub start: usize,
    /// What a source that waits for acknowledgements says of it.
    pub semi_sync: Option<u8>,
    /// Its header.
    pub header: Header,
    /// Its checksum; 0 = none.
    pub checksum: u32,
    /// What it says.
    pub body: Body,
}

impl Event {
    /// The source waits for its acknowledgement.
    pub fn wants_acknowledgement(&self) -> bool {
        self.semi_sync == Some(SEMI_SYNC_WANTED)
    }
}

/// Reads one event; `layout` learns from the first of a log.
pub fn read(bytes: &[u8], layout: &mut Layout, manner: Manner) -> Result<Event, Problem> {
    let mut cursor = Cursor::new(bytes, 0);
    let (mut ok, mut semi_sync) = (0, None);
    if manner.stream {
        ok = cursor.u8()?;
        let mut ahead = cursor;
        if manner.semi_sync && ahead.u8()? == SEMI_SYNC {
            semi_sync = Some(ahead.u8()?);
            cursor = ahead;
        }
    }
    let start = cursor.position();
    let mut header = Header::read(&mut cursor)?;
    if header.kind >= kind::END {
        header.kind = kind::UNKNOWN;
    }
    let event = |checksum, body| Event { ok, start, semi_sync, header, checksum, body };
    let body = match body(&mut cursor, &header, start, layout, manner)? {
        body @ (Body::Unknown | Body::Ignored | Body::UnreadRows(_)) => return Ok(event(0, body)),
        body => body,
    };
    let checksum = match &body {
        Body::Format(format) => format.checksum.unwrap_or_default(),
        Body::Rotate { checksum, .. } => checksum.unwrap_or_default(),
        _ => 0,
    };
    if layout.tail() == 0 || checksum != 0 {
        return Ok(event(checksum, body));
    }
    let end = bytes.len().checked_sub(CHECKSUM).filter(|end| *end >= start).ok_or(Malformed)?;
    let found = Cursor::new(bytes, end).u32()?;
    let right = crc(bytes.get(start..end).ok_or(Malformed)?);
    if manner.verify && found != 0 && found != right {
        return Err(Problem::Checksum(found, right));
    }
    Ok(event(found, body))
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// What is left of the event when `from` is where its payload began: its length says.
fn rest(cursor: &Cursor<'_>, header: &Header, from: usize, tail: usize) -> Result<usize, Malformed> {
    let used = cursor.position() - from + tail + HEADER;
    (header.length as usize).checked_sub(used).ok_or(Malformed)
}

fn body(
    cursor: &mut Cursor<'_>,
    header: &Header,
    start: usize,
    layout: &mut Layout,
    manner: Manner,
) -> Result<Body, Problem> {
    let second = layout.length(header.kind)?;
    let tail = layout.tail();
    let from = cursor.position();
    // Behind the second header.
    let payload = |cursor: &mut Cursor<'_>| {
        cursor.needs(second)?;
        cursor.go_to(from + second)
    };
    Ok(match header.kind {
        kind::UNKNOWN | kind::REPLICA => Body::Unknown,
        kind::STOP => {
            payload(cursor)?;
            Body::Stop
        }
        kind::HEARTBEAT => {
            payload(cursor)?;
            let length = cursor.left_before(tail)?;
            Body::Heartbeat { file_name: cursor.span(length)? }
        }
        kind::BEGIN_LOAD_QUERY => {
            if second < 4 {
                return Err(Problem::Malformed);
            }
            let file = cursor.u32()?;
            payload(cursor)?;
            let data = cursor.position();
            let length = cursor.left_before(tail)?;
            if !cursor.take(length)?.contains(&0) {
                return Err(Problem::Malformed);
            }
            Body::BeginLoad { file, data }
        }
        kind::START_ENCRYPTION => {
            Body::Encryption { scheme: cursor.u8()?, key_version: cursor.u32()?, nonce: cursor.array()? }
        }
        kind::EXECUTE_LOAD_QUERY => {
            if second < 26 {
                return Err(Problem::Malformed);
            }
            let mut load = ExecuteLoad { thread_id: cursor.u32()?, seconds: cursor.u32()?, ..ExecuteLoad::default() };
            let schema = usize::from(cursor.u8()?);
            load.error = cursor.u16()?;
            let status = usize::from(cursor.u16()?);
            load.file = cursor.u32()?;
            load.name = (cursor.u32()?, cursor.u32()?);
            load.duplicates = cursor.u8()?;
            payload(cursor)?;
            load.status = cursor.span(status)?;
            load.schema = cursor.span(schema)?;
            cursor.u8()?;
            load.statement = cursor.span(rest(cursor, header, from, tail)?)?;
            Body::ExecuteLoad(load)
        }
        kind::BINLOG_CHECKPOINT => {
            if second < 4 {
                return Err(Problem::Malformed);
            }
            let length = cursor.u32()? as usize;
            payload(cursor)?;
            if length > rest(cursor, header, from, tail)? {
                return Err(Problem::Malformed);
            }
            Body::Checkpoint { file_name: cursor.span(length)? }
        }
        kind::FORMAT_DESCRIPTION => Body::Format(format::read(cursor, layout)?),
        kind::QUERY | kind::QUERY_COMPRESSED => {
            let mut query = Query { thread_id: cursor.u32()?, seconds: cursor.u32()?, ..Query::default() };
            let schema = usize::from(cursor.u8()?);
            query.error = cursor.u16()?;
            let status = usize::from(cursor.u16()?);
            payload(cursor)?;
            query.status = cursor.span(status)?;
            query.schema = cursor.span(schema)?;
            cursor.u8()?;
            let length = rest(cursor, header, from, tail)?;
            query.statement = if header.kind == kind::QUERY_COMPRESSED && manner.unpack {
                Text::Made(unpack(cursor.take(length)?).map_err(|_| Problem::NotPacked)?)
            } else {
                Text::Here(cursor.span(length)?)
            };
            Body::Query(query)
        }
        kind::TABLE_MAP => Body::TableMap(Box::new(table::read(cursor, second, tail)?)),
        kind::RANDOM => {
            payload(cursor)?;
            Body::Random { seeds: (cursor.u64()?, cursor.u64()?) }
        }
        kind::INT_VARIABLE => {
            payload(cursor)?;
            Body::IntVariable { kind: cursor.u8()?, value: cursor.u64()? }
        }
        kind::USER_VARIABLE => {
            payload(cursor)?;
            Body::UserVariable(user_variable(cursor, tail)?)
        }
        kind::ANNOTATE_ROWS => {
            payload(cursor)?;
            let length = cursor.left_before(tail)?;
            Body::Annotation { statement: cursor.span(length)? }
        }
        kind::ROTATE => {
            payload(cursor)?;
            rotate(cursor, header, start, tail, manner, second)?
        }
        kind::XID => {
            payload(cursor)?;
            Body::Xid { transaction: cursor.u64()? }
        }
        kind::XA_PREPARE => {
            payload(cursor)?;
            let (one_phase, format) = (cursor.u8()?, cursor.u32()?);
            let lengths = (cursor.u32()?, cursor.u32()?);
            let length = (lengths.0 as usize).checked_add(lengths.1 as usize).ok_or(Malformed)?;
            Body::XaPrepare { one_phase, format, lengths, xid: cursor.span(length)? }
        }
        kind::PREVIOUS_GTIDS => {
            payload(cursor)?;
            let length = cursor.left_before(tail)?;
            Body::PreviousGtids { content: cursor.span(length)? }
        }
        kind::GTID_LOG | kind::ANONYMOUS_GTID_LOG => {
            cursor.needs(second)?;
            let body = if second >= 42 {
                Body::GtidLog { flag: cursor.u8()?, source: cursor.array()?, sequence: cursor.u64()? }
            } else if second >= 19 {
                let mut gtid = Gtid { sequence: cursor.u64()?, domain: cursor.u32()?, ..Gtid::default() };
                gtid.flags = cursor.u8()?;
                // The rest of the nineteen bytes, and two that may be another's.
                gtid.commit_id = if gtid.flags & 2 == 0 { 0 } else { cursor.u64()? };
                Body::Gtid(gtid)
            } else {
                return Err(Problem::Malformed);
            };
            cursor.go_to(from + second)?;
            cursor.left_before(tail)?;
            body
        }
        kind::GTID => {
            cursor.needs(second)?;
            let mut gtid = Gtid { sequence: cursor.u64()?, domain: cursor.u32()?, ..Gtid::default() };
            gtid.flags = cursor.u8()?;
            if gtid.flags & 2 != 0 {
                gtid.commit_id = cursor.u64()?;
            } else {
                gtid.format = cursor.u32()?;
                gtid.lengths = (cursor.u8()?, cursor.u8()?);
                gtid.xid = cursor.span(usize::from(gtid.lengths.0) + usize::from(gtid.lengths.1))?;
            }
            Body::Gtid(gtid)
        }
        kind::GTID_LIST => {
            let count = cursor.u32()?;
            payload(cursor)?;
            // The upper bits are flags; so large a list is refused.
            let bytes = (count as usize).checked_mul(16).ok_or(Malformed)?;
            cursor.needs(bytes)?;
            let mut gtids = Vec::with_capacity(count as usize);
            for _ in 0..count {
                gtids.push((cursor.u32()?, cursor.u32()?, cursor.u64()?));
            }
            Body::GtidList { gtids }
        }
        kind::WRITE_ROWS_COMPRESSED..=kind::DELETE_ROWS_COMPRESSED => Body::UnreadRows(rows::unread(header.kind)),
        kind::WRITE_ROWS_V1..=kind::DELETE_ROWS_V1
        | kind::WRITE_ROWS..=kind::DELETE_ROWS
        | kind::WRITE_ROWS_COMPRESSED_V1..=kind::DELETE_ROWS_COMPRESSED_V1 => {
            Body::Rows(rows::read(cursor, header.kind, second, tail)?)
        }
        _ if header.flags & kind::IGNORABLE_FLAG != 0 => Body::Ignored,
        unknown => return Err(Problem::UnknownKind(unknown)),
    })
}

fn rotate(
    cursor: &mut Cursor<'_>,
    header: &Header,
    start: usize,
    tail: usize,
    manner: Manner,
    second: usize,
) -> Result<Body, Problem> {
    // The position is the second header, where one is known of.
    if second >= 8 {
        cursor.go_to(cursor.position() - second)?;
    }
    let position = cursor.u64()?;
    let mut length = cursor.left_before(tail)?;
    if length == 0 {
        return Err(Problem::Malformed);
    }
    let mut checksum = None;
    if header.timestamp == 0 && header.flags & kind::ARTIFICIAL_FLAG != 0 && manner.artificial_checksum {
        checksum = Some(crc(cursor.bytes.get(start..).ok_or(Malformed)?));
        length = length.checked_sub(CHECKSUM).ok_or(Malformed)?;
    }
    Ok(Body::Rotate { position, file_name: cursor.span(length)?, checksum })
}

fn user_variable(cursor: &mut Cursor<'_>, tail: usize) -> Result<UserVariable, Problem> {
    let length = cursor.u32()? as usize;
    let mut variable = UserVariable { name: cursor.span(length)?, ..UserVariable::default() };
    variable.is_null = cursor.u8()? != 0;
    if variable.is_null {
        return Ok(variable);
    }
    variable.kind = cursor.u8()?;
    variable.collation = cursor.u32()?;
    let length = cursor.u32()? as usize;
    let place = cursor.span(length)?;
    let mut value = Cursor::new(cursor.bytes, place.start);
    variable.value = match variable.kind {
        1 => Text::Made(fourteen_digits(f64::from_bits(value.u64()?))),
        2 => Text::Made(value.array::<8>()?.to_vec()),
        4 => {
            let (precision, scale) = (value.u8()?, value.u8()?);
            Text::Made(decimal::read(&mut value, precision, scale)?.into_bytes())
        }
        _ => Text::Here(place),
    };
    // Only some have them.
    if cursor.left() > tail {
        variable.flags = cursor.u8()?;
    }
    Ok(variable)
}

/// As C's `%.14g` writes it.
fn fourteen_digits(number: f64) -> Vec<u8> {
    const DIGITS: i32 = 14;
    if !number.is_finite() {
        return format!("{number}").to_lowercase().into_bytes();
    }
    let scientific = format!("{number:.*e}", (DIGITS - 1) as usize);
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let short = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    let text = if (-4..DIGITS).contains(&exponent) {
        short(&format!("{number:.*}", (DIGITS - 1 - exponent) as usize))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", short(digits), exponent.abs())
    };
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn with_header(kind: u8, flags: u16, body: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0, 1, 2, 3, 4, kind, 7, 0, 0, 0];
        bytes.extend_from_slice(&((HEADER + body.len()) as u32).to_le_bytes());
        bytes.extend_from_slice(&[0, 1, 0, 0]);
        bytes.extend_from_slice(&flags.to_le_bytes());
        bytes.extend_from_slice(body);
        bytes
    }

    const STREAM: Manner =
        Manner { stream: true, semi_sync: false, artificial_checksum: false, verify: true, unpack: true };

    /// A layout with checksums, as MariaDB's.
    fn layout() -> Layout {
        let mut layout = Layout { known: 172, checksum: 1, ..Layout::default() };
        for (kind, length) in [(2, 13), (4, 8), (17, 4), (18, 26), (19, 8), (161, 4), (162, 19), (163, 4), (165, 13)] {
            layout.lengths[kind - 1] = length;
        }
        for kind in [23, 24, 25, 166, 167, 168] {
            layout.lengths[kind - 1] = 8;
        }
        layout
    }

    fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
        let length = (bytes.len() + 3) as u32;
        bytes[10..14].copy_from_slice(&length.to_le_bytes());
        let sum = crc(&bytes[1..]);
        bytes.extend_from_slice(&sum.to_le_bytes());
        bytes
    }

    #[test]
    fn a_query_is_taken_apart_and_its_checksum_compared() {
        let body = b"\x05\0\0\0\x01\0\0\0\x04\0\0\x02\0STshop\0INSERT";
        let good = with_checksum(with_header(kind::QUERY, 0, body));
        let event = read(&good, &mut layout(), STREAM).expect("an event");
        assert_eq!((event.start, event.header.server_id, event.header.next_position), (1, 7, 256));
        let Body::Query(query) = &event.body else { panic!("{event:?}") };
        let text = |place: &Span| &good[place.clone()];
        assert_eq!((query.thread_id, query.seconds, text(&query.schema)), (5, 1, &b"shop"[..]));
        assert_eq!((text(&query.status), &query.statement), (&b"ST"[..], &Text::Here(40..46)));
        let mut bad = good.clone();
        bad[41] ^= 1;
        assert!(matches!(read(&bad, &mut layout(), STREAM), Err(Problem::Checksum(..))));
        assert!(read(&bad, &mut layout(), Manner { verify: false, ..STREAM }).is_ok());
        for cut in 0..good.len() {
            let _ = read(&good[..cut], &mut layout(), STREAM);
        }
    }

    #[test]
    fn a_source_may_ask_for_an_acknowledgement() {
        let mut bytes = with_checksum(with_header(kind::XID, 0, &[9, 0, 0, 0, 0, 0, 0, 0]));
        bytes.splice(1..1, [SEMI_SYNC, SEMI_SYNC_WANTED]);
        let event = read(&bytes, &mut layout(), Manner { semi_sync: true, ..STREAM }).expect("an event");
        assert!(event.wants_acknowledgement() && event.body == Body::Xid { transaction: 9 });
        assert_eq!(event.start, 3);
        assert!(read(&bytes, &mut layout(), STREAM).is_err(), "nobody said so");
    }

    #[test]
    fn kinds_that_are_not_known() {
        let read =
            |bytes: &[u8]| read(bytes, &mut layout(), Manner { verify: false, ..STREAM }).map(|event| event.body);
        assert_eq!(read(&with_header(39, kind::IGNORABLE_FLAG, b"")), Ok(Body::Ignored));
        assert_eq!(read(&with_header(39, 0, b"")), Err(Problem::UnknownKind(39)));
        assert_eq!(read(&with_header(200, 0, b"")), Ok(Body::Unknown));
    }

    #[test]
    fn numbers_are_written_as_c_writes_them() {
        let text = |number: f64| String::from_utf8(fourteen_digits(number)).unwrap_or_default();
        assert_eq!(text(1.5), "1.5");
        assert_eq!(text(0.1 + 0.2), "0.3");
        assert_eq!(text(1e20), "1e+20");
        assert_eq!(text(-1.25e-7), "-1.25e-07");
        assert_eq!(text(12345678901234.5), "12345678901234");
        assert_eq!(text(0.0), "0");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_safely(bytes: Vec<u8>, kind: u8, stream: bool, known: bool) {
            let manner = Manner { stream, semi_sync: stream, artificial_checksum: true, verify: false, unpack: true };
            let mut layout = if known { layout() } else { Layout::default() };
            let _ = read(&bytes, &mut layout, manner);
            let mut event = with_header(kind, 0, &bytes);
            event[10] = event.len() as u8;
            if let Ok(Event { body: Body::TableMap(table), .. }) = read(&event, &mut layout, STREAM) {
                let _ = super::super::values::rows(&event[table.types], &event[table.metadata], &bytes);
            }
        }
    }
}
