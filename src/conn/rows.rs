//! Text rows off the wire: the loops that have to be fast.

use super::channel::Channel;
use super::login::server_error;
use super::{End, Packet};
use crate::error::Error;
use crate::result::{Builder, LARGE_HEADER, StoredRows, StreamRow};
use crate::wire::{err, frame, ok, row};

/// What ended a run over the packets in the receive buffer.
enum Stop {
    /// The next packet is not all there.
    Incomplete,
    /// The next packet is no row, or is not to be copied with the others.
    Special,
    /// The next packet breaks the protocol.
    Malformed,
    /// No memory.
    OutOfMemory,
}

/// Reads all rows of a result set.
pub(super) async fn store(channel: &mut Channel, flags: u64, columns: usize) -> Result<(StoredRows, End), Error> {
    let Ok(mut rows) = Builder::new(columns) else {
        return Err(channel.out_of_memory());
    };
    loop {
        match take_run(channel, flags, &mut rows) {
            Stop::Malformed => return Err(channel.malformed()),
            Stop::OutOfMemory => return Err(channel.out_of_memory()),
            Stop::Special => {
                if let Some(end) = special(channel, flags, &mut rows).await? {
                    return match rows.finish() {
                        Ok(rows) => Ok((rows, end)),
                        Err(_) => Err(channel.out_of_memory()),
                    };
                }
            }
            Stop::Incomplete => match channel.peek() {
                // Larger than the buffer: it goes to a block of its own.
                Some((length, _)) if length + frame::HEADER > channel.inbox.len() => {
                    special(channel, flags, &mut rows).await?;
                }
                _ => {
                    channel.fill().await?;
                    channel.widen()?;
                }
            },
        }
    }
}

/// Takes over the whole rows that lie in the receive buffer, with one copy.
fn take_run(channel: &mut Channel, flags: u64, rows: &mut Builder) -> Stop {
    let (start, end) = (channel.start, channel.end);
    let run = &mut channel.inbox[start..end];
    if rows.reserve(run.len()).is_err() {
        return Stop::OutOfMemory;
    }
    let mut at = 0;
    let mut sequence = channel.sequence;
    let stop = loop {
        let Some((header, rest)) = run[at..].split_first_chunk_mut::<{ frame::HEADER }>() else {
            break Stop::Incomplete;
        };
        let (length, number) = frame::parse(*header);
        let Some(payload) = rest.get(..length) else {
            break Stop::Incomplete;
        };
        if number != sequence {
            break Stop::Malformed;
        }
        if length == frame::MAX_PAYLOAD || err::is_err(payload) || ok::is_end(payload, flags) {
            break Stop::Special;
        }
        match row::scan(payload, rows.longest()) {
            Ok(row::Form::Canonical) => {}
            Ok(row::Form::Loose) => break Stop::Special,
            Err(_) => break Stop::Malformed,
        }
        Builder::prepare(header);
        if rows.row_at(at + frame::HEADER).is_err() {
            break Stop::OutOfMemory;
        }
        sequence = sequence.wrapping_add(1);
        at += frame::HEADER + length;
    };
    rows.append(&run[..at]);
    channel.start += at;
    channel.sequence = sequence;
    stop
}

/// Takes the next packet by itself: the end, an error, or a row that needs a block of its own.
async fn special(channel: &mut Channel, flags: u64, rows: &mut Builder) -> Result<Option<End>, Error> {
    if channel.next_is_large().await? {
        let mut block = vec![0; LARGE_HEADER];
        channel.large(&mut block).await?;
        add_by_itself(channel, rows, block)?;
        return Ok(None);
    }
    let packet = channel.packet().await?;
    if let Some(end) = ending(channel, &packet, flags)? {
        return Ok(Some(end));
    }
    let mut block = vec![0; LARGE_HEADER];
    block.extend_from_slice(channel.bytes(&packet));
    add_by_itself(channel, rows, block)?;
    Ok(None)
}

fn add_by_itself(channel: &mut Channel, rows: &mut Builder, mut block: Vec<u8>) -> Result<(), Error> {
    let columns = rows.longest().len();
    match row::scan(&block[LARGE_HEADER..], rows.longest()) {
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
    rows.adopt(block).map_err(|_| channel.out_of_memory())
}

/// The end of the rows, if that is what the packet is.
#[inline]
fn ending(channel: &mut Channel, packet: &Packet, flags: u64) -> Result<Option<End>, Error> {
    let bytes = channel.bytes(packet);
    match bytes.first() {
        Some(0xFF) => Err(server_error(channel, packet)),
        Some(0xFE) if ok::is_end(bytes, flags) => match ok::parse_end(bytes, flags) {
            Ok(end) => Ok(Some(end)),
            Err(_) => Err(channel.malformed()),
        },
        _ => Ok(None),
    }
}

/// Reads one row.
#[inline]
pub(super) async fn next(channel: &mut Channel, flags: u64, row: &mut StreamRow) -> Result<Option<End>, Error> {
    if channel.next_is_large().await? {
        return next_large(channel, row).await.map(|()| None);
    }
    let packet = channel.packet().await?;
    if let Some(end) = ending(channel, &packet, flags)? {
        return Ok(Some(end));
    }
    match row.load(channel.bytes(&packet)) {
        Ok(Ok(())) => Ok(None),
        Ok(Err(_)) => Err(channel.malformed()),
        Err(_) => Err(channel.out_of_memory()),
    }
}

#[cold]
async fn next_large(channel: &mut Channel, row: &mut StreamRow) -> Result<(), Error> {
    let mut block = Vec::new();
    channel.large(&mut block).await?;
    match row.adopt(block) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err(channel.malformed()),
        Err(_) => Err(channel.out_of_memory()),
    }
}

/// Reads and drops rows up to the end of the result set.
pub(super) async fn skip(channel: &mut Channel, flags: u64) -> Result<End, Error> {
    loop {
        if channel.next_is_large().await? {
            channel.discard().await?;
            continue;
        }
        let packet = channel.packet().await?;
        if let Some(end) = ending(channel, &packet, flags)? {
            return Ok(end);
        }
    }
}
