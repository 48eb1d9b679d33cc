//! Rows off the wire, of text and of the binary protocol: the loops that have to be fast.
//!
//! Rows of a stored result are received into the memory in which they stay; nothing is copied but what had arrived
//! together with the head of the result.

use std::ffi::c_ulong;

use super::channel::{Channel, INBOX};
use super::login::server_error;
use super::{End, Packet};
use crate::error::Error;
use crate::options::Family;
use crate::result::{Builder, LARGE_HEADER, OutOfMemory, StreamRow};
use crate::wire::{Malformed, capabilities, err, frame, ok, row};

/// A row from this size on gets a block of its own.
const LARGE_ROW: usize = 64 << 10;

/// What ended a run over the packets that lie one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// The next packet is not all there; so many bytes of it are wanted, its header included.
    Incomplete(usize),
    /// The next packet, of so many bytes, is no row.
    NoRow(usize),
    /// The next row, of so many bytes, has lengths that are not in their shortest form.
    Loose(usize),
    /// The next packet breaks the protocol.
    Malformed,
    /// The next packet has another packet's number.
    OutOfOrder,
    /// No memory.
    OutOfMemory,
}

/// How rows are checked while they are stored.
pub(super) trait Form {
    /// Checks one row; raises `longest` where the form has that.
    fn check(payload: &[u8], longest: &mut [c_ulong]) -> Result<row::Form, Malformed>;
}

/// Text rows: to their last byte, since C gets pointers into them.
pub(super) struct Text;

impl Form for Text {
    #[inline(always)]
    fn check(payload: &[u8], longest: &mut [c_ulong]) -> Result<row::Form, Malformed> {
        row::scan(payload, longest)
    }
}

/// Rows of prepared statements: by their first byte. Values are checked when they are taken out.
pub(super) struct Binary;

impl Form for Binary {
    #[inline(always)]
    fn check(payload: &[u8], _: &mut [c_ulong]) -> Result<row::Form, Malformed> {
        if payload.first() == Some(&0) { Ok(row::Form::Canonical) } else { Err(Malformed) }
    }
}

/// Takes the rows that are here; their end, if that is here, too.
#[inline]
pub(super) fn begin<F: Form>(
    channel: &mut Channel,
    flags: u64,
    columns: usize,
    rows: &mut Builder,
) -> Result<Option<End>, Error> {
    if rows.start(columns).and_then(|()| take_inbox(channel, rows)).is_err() {
        return Err(channel.out_of_memory());
    }
    match run::<F>(&mut channel.sequence, flags, channel.ceiling, rows) {
        Stop::NoRow(length) => no_row(channel, flags, rows, length).map(Some),
        // `store` meets it again.
        _ => Ok(None),
    }
}

/// Reads all rows of a result set that [`begin`] has not found.
pub(super) async fn store<F: Form>(channel: &mut Channel, flags: u64, rows: &mut Builder) -> Result<End, Error> {
    loop {
        match run::<F>(&mut channel.sequence, flags, channel.ceiling, rows) {
            Stop::Incomplete(want) if want < LARGE_ROW => {
                if rows.make_room(want).is_err() {
                    return Err(channel.out_of_memory());
                }
                channel.fill_other(rows.buffer()).await?;
            }
            Stop::Incomplete(_) => large::<F>(channel, rows).await?,
            Stop::NoRow(length) => return no_row(channel, flags, rows, length),
            Stop::Loose(length) => {
                let Ok(canonical) = row::canonical(&rows.tail()[frame::HEADER..length], rows.columns()) else {
                    return Err(channel.malformed());
                };
                let mut block = vec![0; LARGE_HEADER];
                block.extend_from_slice(&canonical);
                channel.sequence = channel.sequence.wrapping_add(1);
                // What follows goes to a new block, behind this one.
                if rows.skip(length).and_then(|()| rows.adopt(block)).is_err() {
                    return Err(channel.out_of_memory());
                }
            }
            Stop::Malformed => return Err(channel.malformed()),
            Stop::OutOfOrder => return Err(channel.out_of_order()),
            Stop::OutOfMemory => return Err(channel.out_of_memory()),
        }
    }
}

/// Hands over what has arrived: a well-filled receive buffer as it is, a few bytes as a copy.
fn take_inbox(channel: &mut Channel, rows: &mut Builder) -> Result<(), OutOfMemory> {
    let arrived = channel.inbox.len() - channel.start;
    if arrived < INBOX / 2 || channel.inbox.capacity() > 2 * INBOX {
        rows.start_with_copy(channel.buffered())?;
    } else {
        let mut fresh = Vec::new();
        fresh.try_reserve_exact(INBOX)?;
        let inbox = std::mem::replace(&mut channel.inbox, fresh);
        rows.start_with(inbox, channel.start)?;
    }
    channel.inbox.clear();
    channel.start = 0;
    Ok(())
}

/// Notes the whole rows among the received bytes.
#[inline]
fn run<F: Form>(sequence: &mut u8, flags: u64, ceiling: usize, rows: &mut Builder) -> Stop {
    let parts = rows.parts();
    let mut at = 0;
    let mut number = *sequence;
    let stop = loop {
        let Some((header, rest)) = parts.tail[at..].split_first_chunk_mut::<{ frame::HEADER }>() else {
            break Stop::Incomplete(frame::HEADER);
        };
        let (length, found) = frame::parse(*header);
        let Some(payload) = rest.get(..length) else {
            break Stop::Incomplete(frame::HEADER + length);
        };
        if found != number {
            break Stop::OutOfOrder;
        }
        if length >= ceiling {
            break Stop::Incomplete(usize::MAX);
        }
        if let Some(0xFE | 0xFF) = payload.first()
            && (err::is_err(payload) || ok::is_end(payload, flags))
        {
            break Stop::NoRow(frame::HEADER + length);
        }
        match F::check(payload, parts.longest) {
            Ok(row::Form::Canonical) => {}
            Ok(row::Form::Loose) => break Stop::Loose(frame::HEADER + length),
            Err(_) => break Stop::Malformed,
        }
        Builder::prepare(header);
        if parts.words.push(parts.base + at + frame::HEADER).is_err() {
            break Stop::OutOfMemory;
        }
        number = number.wrapping_add(1);
        at += frame::HEADER + length;
    };
    *sequence = number;
    rows.advance(at);
    stop
}

/// The next packet, of so many bytes, is the end of the rows, or an error. What was received behind it belongs to the
/// next reply.
fn no_row(channel: &mut Channel, flags: u64, rows: &Builder, length: usize) -> Result<End, Error> {
    let Some((packet, rest)) = rows.tail().split_at_checked(length) else { return Err(channel.malformed()) };
    if !rest.is_empty() {
        channel.give_back(rest)?;
    }
    channel.sequence = channel.sequence.wrapping_add(1);
    let packet = &packet[frame::HEADER..];
    if err::is_err(packet) {
        return Err(server_error(channel.family, packet));
    }
    match decode_end(packet, flags) {
        Ok((end, changes)) => {
            channel.changes = changes;
            Ok(end)
        }
        Err(_) => Err(channel.malformed()),
    }
}

/// The end of rows, and what it says of the session: raw changes, empty (no allocation) for most.
#[inline]
fn decode_end(packet: &[u8], flags: u64) -> Result<(End, Vec<u8>), Malformed> {
    let end = ok::parse_end(packet, flags)?;
    let changed = end.status & ok::SESSION_STATE_CHANGED != 0 && flags & capabilities::DEPRECATE_EOF != 0;
    // The family matters to a text only.
    let changes = if changed { ok::parse(packet, flags, Family::MariaDb)?.session_changes } else { Vec::new() };
    Ok((end, changes))
}

/// The next packet is a row that gets a block of its own.
async fn large<F: Form>(channel: &mut Channel, rows: &mut Builder) -> Result<(), Error> {
    channel.give_back(rows.tail())?;
    rows.drop_tail();
    let mut block = vec![0; LARGE_HEADER];
    channel.large(&mut block).await?;
    let columns = rows.columns();
    match F::check(&block[LARGE_HEADER..], rows.parts().longest) {
        Ok(row::Form::Canonical) => {}
        Ok(row::Form::Loose) => {
            let Ok(canonical) = row::canonical(&block[LARGE_HEADER..], columns) else {
                return Err(channel.malformed());
            };
            block.truncate(LARGE_HEADER);
            block.extend_from_slice(&canonical);
        }
        Err(_) => return Err(channel.malformed()),
    }
    if rows.adopt(block).is_err() {
        return Err(channel.out_of_memory());
    }
    // What arrived behind it.
    if rows.start_with_copy(channel.buffered()).is_err() {
        return Err(channel.out_of_memory());
    }
    channel.inbox.clear();
    channel.start = 0;
    Ok(())
}

/// The end of the rows, if that is what the packet is.
#[inline]
fn ending(channel: &mut Channel, packet: &Packet, flags: u64) -> Result<Option<End>, Error> {
    let bytes = channel.bytes(packet);
    match bytes.first() {
        Some(0xFF) => Err(server_error(channel.family, bytes)),
        Some(0xFE) if ok::is_end(bytes, flags) => match decode_end(bytes, flags) {
            Ok((end, changes)) => {
                channel.changes = changes;
                Ok(Some(end))
            }
            Err(_) => Err(channel.malformed()),
        },
        _ => Ok(None),
    }
}

/// As [`next`] for a row that is here and sound. False: nothing is consumed.
#[inline]
pub(super) fn next_at_once(channel: &mut Channel, row: &mut StreamRow) -> bool {
    match channel.peek_packet() {
        // What begins so may be an end, an error or nothing good.
        None | Some([] | [0xFE | 0xFF, ..]) => false,
        Some(packet) => {
            let length = packet.len();
            let loaded = row.load(packet) == Ok(Ok(()));
            if loaded {
                channel.consume(length);
            }
            loaded
        }
    }
}

/// Reads one row.
pub(super) async fn next(channel: &mut Channel, flags: u64, row: &mut StreamRow) -> Result<Option<End>, Error> {
    // The row is nearly always there.
    if let Some(packet) = channel.packet_here() {
        return match ending(channel, &packet, flags)? {
            None => load(channel, &packet, row),
            end => Ok(end),
        };
    }
    next_slowly(channel, flags, row).await
}

#[inline]
fn load(channel: &mut Channel, packet: &Packet, row: &mut StreamRow) -> Result<Option<End>, Error> {
    match row.load(channel.bytes(packet)) {
        Ok(Ok(())) => Ok(None),
        Ok(Err(_)) => {
            let cut = row::length_is_cut(channel.bytes(packet));
            Err(bad_row(channel, cut))
        }
        Err(_) => Err(channel.out_of_memory()),
    }
}

/// A row of an unbuffered result that is none: Connector/C says less of it than of one that it stores, libmysqlclient of
/// one that ends within a length.
#[cold]
fn bad_row(channel: &mut Channel, cut: bool) -> Error {
    let malformed = channel.malformed();
    match channel.family {
        Family::MariaDb => Error::bad_row(),
        Family::MySql if cut => Error::nondescript(channel.family).sent(malformed.sent),
        Family::MySql => malformed,
    }
}

async fn next_slowly(channel: &mut Channel, flags: u64, row: &mut StreamRow) -> Result<Option<End>, Error> {
    if channel.next_is_large().await? {
        let mut block = Vec::new();
        channel.large(&mut block).await?;
        return match row.adopt(block) {
            Ok(Ok(())) => Ok(None),
            Ok(Err(_)) => Err(bad_row(channel, false)),
            Err(_) => Err(channel.out_of_memory()),
        };
    }
    let packet = channel.packet().await?;
    match ending(channel, &packet, flags)? {
        Some(end) => Ok(Some(end)),
        None => load(channel, &packet, row),
    }
}

/// As [`next_binary`] for a row that is here. False: nothing is consumed.
#[inline]
pub(super) fn next_binary_at_once(channel: &mut Channel, row: &mut Vec<u8>) -> bool {
    let Some(packet @ [0, ..]) = channel.peek_packet() else { return false };
    let length = packet.len();
    row.clear();
    if row.try_reserve(length).is_err() {
        return false;
    }
    row.extend_from_slice(packet);
    channel.consume(length);
    true
}

/// Reads one row of a prepared statement, its first byte included.
pub(super) async fn next_binary(channel: &mut Channel, flags: u64, row: &mut Vec<u8>) -> Result<Option<End>, Error> {
    row.clear();
    if channel.next_is_large().await? {
        channel.large(row).await?;
    } else {
        let packet = channel.packet().await?;
        if let Some(end) = ending(channel, &packet, flags)? {
            return Ok(Some(end));
        }
        let bytes = channel.bytes(&packet);
        if row.try_reserve(bytes.len()).is_err() {
            return Err(channel.out_of_memory());
        }
        row.extend_from_slice(bytes);
    }
    if row.first() == Some(&0) { Ok(None) } else { Err(channel.malformed()) }
}

/// Reads and drops rows up to the end of the result set.
pub(super) async fn skip(channel: &mut Channel, flags: u64) -> Result<End, Error> {
    loop {
        if let Some(end) = skip_some(channel, flags, u64::MAX).await? {
            return Ok(end);
        }
    }
}

/// Reads and drops rows, at most `most` of them; the end of the result set, if it came.
pub(super) async fn skip_some(channel: &mut Channel, flags: u64, most: u64) -> Result<Option<End>, Error> {
    for _ in 0..most {
        if channel.next_is_large().await? {
            channel.discard().await?;
            continue;
        }
        let packet = channel.packet().await?;
        if let Some(end) = ending(channel, &packet, flags)? {
            return Ok(Some(end));
        }
    }
    Ok(None)
}
