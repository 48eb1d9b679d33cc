//! The head of a reply: an OK packet, an error, the request for a file, or the columns of the rows that follow.
//!
//! Nearly always all of it comes with one read; [`at_once`] takes it then, without a state machine. Never looks at rows.

use super::channel::{Channel, Packet};
use super::{Head, LastReply, login, rows, transport};
use crate::error::Error;
use crate::result::{Columns, ColumnsBuilder};
use crate::wire::ok::{End, OkPacket};
use crate::wire::statement::PrepareOk;
use crate::wire::{capabilities, column, err, ok, reader::Reader};

/// What the first packet of a reply says.
enum Start {
    /// All there is.
    Whole(Head),
    /// So many columns follow, at least one.
    Columns(u64),
}

/// As [`read`], if all of the head is here or comes with one simple read. None = nothing is consumed.
#[inline]
pub(super) fn at_once(channel: &mut Channel, flags: u64) -> Option<Result<Head, Error>> {
    channel.columns_end = None;
    let packet = channel.first_at_once()?;
    let mark = channel.mark(&packet);
    let count = match start(channel, &packet, flags) {
        Ok(Start::Whole(head)) => return Some(Ok(head)),
        Ok(Start::Columns(count)) => count,
        Err(error) => return Some(Err(error)),
    };
    let columns = columns_at_once(channel, flags, count);
    if matches!(columns, Ok(None)) {
        channel.rewind(mark);
    }
    columns.transpose().map(|columns| columns.map(Head::ResultSet))
}

/// The head that the last execution of a prepared statement had, as it came: the next one nearly always has the same, and
/// nothing of it need be decoded again.
#[derive(Debug, Default)]
pub struct SeenHead {
    /// All its packets; empty if there is none.
    bytes: Vec<u8>,
    columns: u32,
}

impl SeenHead {
    /// A longer one is not worth keeping.
    const LONGEST: usize = 16 << 10;

    /// What was learned from it is not so any more.
    pub fn forget(&mut self) {
        self.bytes.clear();
    }
}

/// What [`of_execution_at_once`] found.
pub enum ExecutionHead {
    /// The one seen before, of so many columns.
    Seen(u32),
    /// Another.
    New(Result<Head, Error>),
}

/// As [`at_once`], for an execution whose head may be the one `seen` before; keeps it there if it is another.
#[inline]
pub(super) fn of_execution_at_once(channel: &mut Channel, flags: u64, seen: &mut SeenHead) -> Option<ExecutionHead> {
    let (_, sequence) = channel.header_at_once()?;
    if !seen.bytes.is_empty() && channel.buffered().starts_with(&seen.bytes) {
        channel.columns_end = None;
        // The first packet, and one per column.
        channel.consume_packets(seen.bytes.len(), sequence.wrapping_add(1).wrapping_add(seen.columns as u8));
        return Some(ExecutionHead::Seen(seen.columns));
    }
    seen.bytes.clear();
    let from = channel.position();
    let head = at_once(channel, flags)?;
    if let Ok(Head::ResultSet(columns)) = &head
        && flags & capabilities::DEPRECATE_EOF != 0
        && columns.is_described()
    {
        let bytes = channel.consumed_since(from);
        if bytes.len() <= SeenHead::LONGEST {
            seen.bytes.extend_from_slice(bytes);
            seen.columns = columns.len() as u32;
        }
    }
    Some(ExecutionHead::New(head))
}

/// The columns, if all of them are here.
#[inline]
fn columns_at_once(channel: &mut Channel, flags: u64, count: u64) -> Result<Option<Columns>, Error> {
    let Ok(mut builder) = ColumnsBuilder::new(count) else {
        return Err(channel.out_of_memory());
    };
    let extended = flags & capabilities::MARIADB_EXTENDED_METADATA != 0;
    for _ in 0..count {
        let Some(packet) = channel.packet_here() else { return Ok(None) };
        add_column(channel, &packet, &mut builder, extended, false)?;
    }
    if flags & capabilities::DEPRECATE_EOF == 0 {
        let Some(packet) = channel.packet_here() else { return Ok(None) };
        check_end(channel, &packet, flags)?;
    }
    Ok(Some(builder.finish()))
}

/// Reads the head of a reply.
pub(super) async fn read(channel: &mut Channel, flags: u64) -> Result<Head, Error> {
    channel.columns_end = None;
    let packet = channel.first_packet().await?;
    match start(channel, &packet, flags)? {
        Start::Whole(head) => Ok(head),
        Start::Columns(count) => read_columns(channel, flags, count).await.map(Head::ResultSet),
    }
}

#[inline]
fn start(channel: &mut Channel, packet: &Packet, flags: u64) -> Result<Start, Error> {
    match channel.bytes(packet) {
        // One length of one byte: most result sets.
        &[count @ 1..=250] => Ok(Start::Columns(u64::from(count))),
        _ => start_slowly(channel, packet, flags),
    }
}

fn start_slowly(channel: &mut Channel, packet: &Packet, flags: u64) -> Result<Start, Error> {
    match channel.bytes(packet) {
        // As the originals.
        [] => Err(channel.fail(transport::Failure::Closed)),
        bytes @ [0, ..] => match ok::parse(bytes, flags, channel.family) {
            Ok(ok) => Ok(Start::Whole(Head::Ok(ok))),
            Err(_) => Err(channel.malformed()),
        },
        bytes @ [0xFF, ..] => Err(login::server_error(channel.family, bytes)),
        [0xFB, name @ ..] => Ok(Start::Whole(Head::LocalInfile(name.to_vec()))),
        // Rows end, of which none were announced.
        [0xFE, ..] if channel.statement => Err(channel.fail(transport::Failure::Closed)),
        // COM_SET_OPTION is answered by an EOF packet.
        bytes if ok::is_end(bytes, flags) => match ok::parse_end(bytes, flags) {
            Ok(End { status, warnings }) => {
                Ok(Start::Whole(Head::Ok(OkPacket { status, warnings, ..OkPacket::default() })))
            }
            Err(_) => Err(channel.malformed()),
        },
        bytes => {
            let mut reader = Reader::new(bytes);
            let optional = flags & capabilities::OPTIONAL_RESULTSET_METADATA != 0;
            match (reader.lenenc(), if optional { reader.u8() } else { Ok(1) }) {
                (Ok(count), Ok(1)) if count > 0 => Ok(Start::Columns(count)),
                (Ok(count @ 1..=0xFFFF), Ok(0)) => {
                    Ok(Start::Whole(Head::ResultSet(Columns::undescribed(count as u16))))
                }
                _ => Err(channel.malformed()),
            }
        }
    }
}

async fn read_columns(channel: &mut Channel, flags: u64, count: u64) -> Result<Columns, Error> {
    let Ok(mut builder) = ColumnsBuilder::new(count) else {
        return Err(channel.out_of_memory());
    };
    let extended = flags & capabilities::MARIADB_EXTENDED_METADATA != 0;
    for _ in 0..count {
        let packet = channel.packet().await?;
        add_column(channel, &packet, &mut builder, extended, false)?;
    }
    if flags & capabilities::DEPRECATE_EOF == 0 {
        let packet = channel.packet().await?;
        check_end(channel, &packet, flags)?;
    }
    Ok(builder.finish())
}

/// The packet behind the columns must be their end.
fn check_end(channel: &mut Channel, packet: &Packet, flags: u64) -> Result<(), Error> {
    let bytes = channel.bytes(packet);
    match ok::parse_end(bytes, flags) {
        Ok(end) if ok::is_end(bytes, flags) => {
            channel.columns_end = Some(end);
            Ok(())
        }
        _ => Err(unexpected(channel, packet)),
    }
}

/// Reads the reply to COM_STMT_PREPARE: what it says of the statement, and the columns of its result.
pub(super) async fn read_prepared(channel: &mut Channel, flags: u64) -> Result<(PrepareOk, Columns), Error> {
    let packet = channel.first_packet().await?;
    let Ok(prepared) = PrepareOk::parse(channel.bytes(&packet), flags) else {
        return Err(unexpected(channel, &packet));
    };
    if prepared.parameters > 0 && prepared.described {
        // No server says anything of a parameter that is worth keeping, and no original passes it on.
        read_columns(channel, flags, u64::from(prepared.parameters)).await?;
    }
    let columns = match prepared.columns {
        0 => ColumnsBuilder::default().finish(),
        count if !prepared.described => Columns::undescribed(count),
        count => read_columns(channel, flags, u64::from(count)).await?,
    };
    Ok((prepared, columns))
}

/// Reads the column definitions that answer COM_FIELD_LIST.
pub(super) async fn read_field_list(channel: &mut Channel, flags: u64) -> Result<(Columns, End), Error> {
    let Ok(mut builder) = ColumnsBuilder::new(0) else {
        return Err(channel.out_of_memory());
    };
    let extended = flags & capabilities::MARIADB_EXTENDED_METADATA != 0;
    let mut packet = channel.first_packet().await?;
    loop {
        let bytes = channel.bytes(&packet);
        if bytes.is_empty() {
            return Err(channel.fail(transport::Failure::Closed));
        }
        if ok::is_end(bytes, flags) {
            let Ok(end) = ok::parse_end(bytes, flags) else {
                return Err(channel.malformed());
            };
            return Ok((builder.finish(), end));
        }
        if err::is_err(bytes) {
            return Err(login::server_error(channel.family, bytes));
        }
        add_column(channel, &packet, &mut builder, extended, true)?;
        packet = channel.packet().await?;
    }
}

#[inline]
fn add_column(
    channel: &mut Channel,
    packet: &Packet,
    builder: &mut ColumnsBuilder,
    extended: bool,
    field_list: bool,
) -> Result<(), Error> {
    let bytes = channel.bytes(packet);
    let added =
        builder.push(bytes, |own, base, definition| column::decode(own, base, extended, field_list, definition));
    match added {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err(unexpected(channel, packet)),
        Err(_) => Err(channel.out_of_memory()),
    }
}

/// A packet in the wrong place: an error of the server, or nonsense.
#[cold]
fn unexpected(channel: &mut Channel, packet: &Packet) -> Error {
    let bytes = channel.bytes(packet);
    if err::is_err(bytes) { login::server_error(channel.family, bytes) } else { channel.malformed() }
}

/// Reads all results of one command and throws them away; an error of the server is the result. `last` becomes what the last
/// one that came said.
pub(super) async fn drain_reply(channel: &mut Channel, flags: u64, last: &mut LastReply) -> Result<(), Error> {
    /// `SERVER_MORE_RESULTS_EXISTS`.
    const MORE: u16 = 8;
    loop {
        let (status, warnings) = match read(channel, flags).await? {
            Head::Ok(ok) => {
                last.columns = 0;
                (ok.status, ok.warnings)
            }
            Head::ResultSet(described) => {
                last.columns = u32::try_from(described.len()).unwrap_or(u32::MAX);
                let end = rows::skip(channel, flags).await?;
                (end.status, end.warnings)
            }
            Head::LocalInfile(_) => {
                // Nobody asked for a file here: an empty one.
                channel.queue_packet(&[]);
                channel.flush().await?;
                (MORE, 0)
            }
        };
        (last.status, last.warnings) = (status, warnings);
        if status & MORE == 0 {
            return Ok(());
        }
    }
}
