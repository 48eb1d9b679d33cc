//! Packets over one socket: a receive buffer, a send buffer, sequence numbers and time limits.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::Command;
use super::transport::{Failure, Transport};
use crate::error::{Error, Sent};
use crate::options::Family;
use crate::wire::ok::End;
use crate::wire::{err, frame};

/// Receive buffer, bytes. Only a packet that is no row and does not fit makes it grow.
pub(super) const INBOX: usize = 16 << 10;
/// While a large payload arrives, room is made for so much of it at first.
const FIRST_ROOM: usize = 128 << 10;
/// Commands up to this size are copied behind each other and sent at once.
const COPIED: usize = 64 << 10;

/// A statement without attributes: none of them, in one set.
pub(super) const NO_ATTRIBUTES: [u8; 2] = [0, 1];

/// A packet's payload, where it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Packet {
    /// In the receive buffer; until the next read.
    Here(Range<usize>),
    /// Joined from several packets.
    Joined,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) transport: Transport,
    pub(super) family: Family,
    /// Received bytes.
    pub(super) inbox: Vec<u8>,
    /// The first of them that is not yet consumed.
    pub(super) start: usize,
    joined: Vec<u8>,
    outbox: Vec<u8>,
    /// So many bytes of the send buffer have left.
    gone: usize,
    /// Sequence number of the next packet in either direction.
    pub(super) sequence: u8,
    pub(super) read_timeout: Option<Duration>,
    pub(super) write_timeout: Option<Duration>,
    /// For connect and handshake together; None afterwards.
    pub(super) deadline: Option<Instant>,
    /// The largest payload that is taken, bytes.
    pub(super) limit: u64,
    /// Payloads of this size and more are not taken in passing: they go on in another packet, or are over the limit.
    pub(super) ceiling: usize,
    pub(super) broken: bool,
    /// The reply that comes next is a statement's.
    pub(super) statement: bool,
    /// A command has left in part: nothing else may follow its bytes.
    pub(super) sending: bool,
    /// Session changes that came with the end of the rows read last.
    pub(super) changes: Vec<u8>,
    /// The packet behind the columns read last, where the protocol has one.
    pub(super) columns_end: Option<End>,
    /// What stands in front of a statement's text where attributes were agreed on: at least [`NO_ATTRIBUTES`].
    pub(super) attributes: Vec<u8>,
    /// The command sent last was put into the send buffer whole.
    queued: bool,
    /// While connecting: what the last failure was, for the text of the error.
    pub(super) failure: Option<Failure>,
}

impl Channel {
    pub(super) fn new(transport: Transport, family: Family, limit: u64) -> Channel {
        Channel {
            transport,
            family,
            inbox: Vec::with_capacity(INBOX),
            start: 0,
            joined: Vec::new(),
            outbox: Vec::new(),
            gone: 0,
            sequence: 0,
            read_timeout: None,
            write_timeout: None,
            deadline: None,
            limit,
            ceiling: usize::try_from(limit.saturating_add(1)).unwrap_or(usize::MAX).min(frame::MAX_PAYLOAD),
            broken: false,
            statement: false,
            sending: false,
            changes: Vec::new(),
            columns_end: None,
            attributes: Vec::new(),
            queued: false,
            failure: None,
        }
    }

    /// True when no received byte waits here.
    pub(super) fn is_drained(&self) -> bool {
        self.start == self.inbox.len() && self.transport.is_drained()
    }

    fn until(&self, timeout: Option<Duration>) -> Option<Instant> {
        if timeout.is_none() {
            return self.deadline;
        }
        let own = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        match (own, self.deadline) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// The connection is useless from now on.
    #[cold]
    pub(super) fn fail(&mut self, failure: Failure) -> Error {
        self.broken = true;
        self.failure = Some(failure);
        Error::lost(self.family)
    }

    /// What arrived is not the protocol.
    #[cold]
    pub(super) fn malformed(&mut self) -> Error {
        self.broken = true;
        Error::malformed(self.family)
    }

    /// A packet's number is not the next one. libmysqlclient calls that a lost connection.
    #[cold]
    pub(super) fn out_of_order(&mut self) -> Error {
        match self.family {
            Family::MySql => self.fail(Failure::Closed),
            Family::MariaDb => self.malformed(),
        }
    }

    /// No memory: the connection cannot go on, because it does not know what it would have read.
    #[cold]
    pub(super) fn out_of_memory(&mut self) -> Error {
        self.broken = true;
        Error::out_of_memory(self.family).sent(Sent::Maybe)
    }

    /// A packet larger than allowed.
    #[cold]
    pub(super) fn too_large(&mut self) -> Error {
        self.broken = true;
        match self.family {
            Family::MySql => Error::packet_too_large(self.family).sent(Sent::Maybe),
            // Connector/C gives its reason to nobody.
            Family::MariaDb => Error::lost(self.family),
        }
    }

    // ---- receiving

    /// Bytes received and not yet consumed.
    #[inline]
    pub(super) fn buffered(&self) -> &[u8] {
        &self.inbox[self.start..]
    }

    /// The header of the next packet, if it has arrived: length and sequence number.
    #[inline]
    pub(super) fn peek(&self) -> Option<(usize, u8)> {
        self.buffered().first_chunk().map(|header| frame::parse(*header))
    }

    /// One read from the socket behind what is there.
    pub(super) async fn fill(&mut self) -> Result<(), Error> {
        if self.start == self.inbox.len() {
            self.start = 0;
            self.inbox.clear();
        }
        if self.inbox.len() == self.inbox.capacity() {
            self.make_room()?;
        }
        let deadline = self.until(self.read_timeout);
        match self.transport.recv(&mut self.inbox, deadline).await {
            Ok(_) => Ok(()),
            Err(failure) => Err(self.fail(failure)),
        }
    }

    /// As [`Channel::fill`] where that is one system call that may wait for ever; false = nothing has been done.
    #[inline]
    fn fill_at_once(&mut self) -> bool {
        if self.read_timeout.is_some() || self.deadline.is_some() {
            return false;
        }
        if self.start == self.inbox.len() {
            self.start = 0;
            self.inbox.clear();
        }
        self.inbox.len() < self.inbox.capacity() && self.transport.recv_at_once(&mut self.inbox) > 0
    }

    /// One read from the socket to the end of `buffer`, which has room.
    pub(super) async fn fill_other(&mut self, buffer: &mut Vec<u8>) -> Result<(), Error> {
        let deadline = self.until(self.read_timeout);
        match self.transport.recv(buffer, deadline).await {
            Ok(_) => Ok(()),
            Err(failure) => Err(self.fail(failure)),
        }
    }

    #[cold]
    fn make_room(&mut self) -> Result<(), Error> {
        if self.start > 0 {
            self.inbox.drain(..self.start);
            self.start = 0;
        } else if self.inbox.try_reserve_exact(self.inbox.len().max(INBOX)).is_err() {
            return Err(self.out_of_memory());
        }
        Ok(())
    }

    /// Puts received bytes back in front of what is still to come. The receive buffer is empty.
    pub(super) fn give_back(&mut self, bytes: &[u8]) -> Result<(), Error> {
        debug_assert!(self.start == self.inbox.len());
        self.start = 0;
        self.inbox.clear();
        if self.inbox.try_reserve(bytes.len().max(INBOX)).is_err() {
            return Err(self.out_of_memory());
        }
        self.inbox.extend_from_slice(bytes);
        Ok(())
    }

    /// Waits until so many bytes are there. The buffer grows only as bytes arrive.
    async fn need(&mut self, count: usize) -> Result<(), Error> {
        while self.inbox.len() - self.start < count {
            self.fill().await?;
        }
        Ok(())
    }

    /// The next header: length and sequence number, checked. The header is consumed.
    async fn header(&mut self) -> Result<usize, Error> {
        self.need(frame::HEADER).await?;
        let Some((length, sequence)) = self.peek() else {
            return Err(self.malformed());
        };
        if sequence != self.sequence {
            return Err(self.out_of_order());
        }
        self.sequence = sequence.wrapping_add(1);
        self.start += frame::HEADER;
        Ok(length)
    }

    /// As [`Channel::first_packet`] if it is here, or comes whole with one simple read; None = nothing is consumed.
    #[inline]
    pub(super) fn first_at_once(&mut self) -> Option<Packet> {
        self.sequence = self.header_at_once()?.1;
        self.packet_here()
    }

    /// The first packet of a reply may have any sequence number; those after it count on.
    pub(super) async fn first_packet(&mut self) -> Result<Packet, Error> {
        while self.peek().is_none() {
            self.fill().await?;
        }
        if let Some((_, sequence)) = self.peek() {
            self.sequence = sequence;
        }
        match self.packet_here() {
            Some(packet) => Ok(packet),
            None => self.packet_slowly().await,
        }
    }

    /// As [`Channel::peek`], behind one simple read if nothing is here.
    #[inline(always)]
    pub(super) fn header_at_once(&mut self) -> Option<(usize, u8)> {
        if self.peek().is_none() && !self.fill_at_once() {
            return None;
        }
        self.peek()
    }

    /// The place in the receive buffer of what comes next.
    pub(super) fn position(&self) -> usize {
        self.start
    }

    /// What was consumed since [`Channel::position`] told this, without a read from the socket in between.
    pub(super) fn consumed_since(&self, position: usize) -> &[u8] {
        self.inbox.get(position..self.start).unwrap_or_default()
    }

    /// Whole packets of so many bytes, headers included, are done with; `next` is the number of the one behind them.
    #[inline]
    pub(super) fn consume_packets(&mut self, length: usize, next: u8) {
        self.start += length;
        self.sequence = next;
    }

    /// Where a packet in the receive buffer begins, to come back to it by [`Channel::rewind`].
    #[inline]
    pub(super) fn mark(&self, packet: &Packet) -> usize {
        match packet {
            Packet::Here(range) => range.start - frame::HEADER,
            Packet::Joined => self.start,
        }
    }

    /// Takes up again at a mark behind which nothing was read from the socket.
    pub(super) fn rewind(&mut self, mark: usize) {
        self.start = mark;
    }

    /// The next packet, if it has arrived whole.
    #[inline]
    pub(super) fn packet_here(&mut self) -> Option<Packet> {
        let length = self.peek_packet()?.len();
        let from = self.start + frame::HEADER;
        self.consume(length);
        Some(Packet::Here(from..from + length))
    }

    /// The payload of the next packet, if it has arrived whole; it is left where it is.
    #[inline]
    pub(super) fn peek_packet(&self) -> Option<&[u8]> {
        let (header, rest) = self.buffered().split_first_chunk()?;
        let (length, sequence) = frame::parse(*header);
        if sequence != self.sequence || length >= self.ceiling {
            return None;
        }
        rest.get(..length)
    }

    /// The packet of so many bytes that [`Channel::peek_packet`] has shown is done with.
    #[inline]
    pub(super) fn consume(&mut self, length: usize) {
        self.sequence = self.sequence.wrapping_add(1);
        self.start += frame::HEADER + length;
    }

    /// The next packet, whole.
    #[inline]
    pub(super) async fn packet(&mut self) -> Result<Packet, Error> {
        match self.packet_here() {
            Some(packet) => Ok(packet),
            None => self.packet_slowly().await,
        }
    }

    #[cold]
    async fn packet_slowly(&mut self) -> Result<Packet, Error> {
        let length = self.header().await?;
        if length as u64 > self.limit {
            return Err(self.too_large());
        }
        if length < frame::MAX_PAYLOAD {
            self.need(length).await?;
            let from = self.start;
            self.start += length;
            return Ok(Packet::Here(from..from + length));
        }
        let mut joined = std::mem::take(&mut self.joined);
        joined.clear();
        let result = self.join(length, &mut joined).await;
        self.joined = joined;
        result.map(|()| Packet::Joined)
    }

    /// Appends the payload of a packet whose header, with `length`, was consumed, and of those that continue it.
    /// What has arrived is copied, the rest read to its place.
    async fn join(&mut self, mut length: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        let mut total = 0u64;
        loop {
            total += length as u64;
            if total > self.limit {
                return Err(self.too_large());
            }
            self.take(length, out).await?;
            if length < frame::MAX_PAYLOAD {
                return Ok(());
            }
            length = self.header().await?;
        }
    }

    /// Waits for the next header; true if its packet does not fit the receive buffer.
    pub(super) async fn next_is_large(&mut self) -> Result<bool, Error> {
        self.need(frame::HEADER).await?;
        Ok(self.peek().is_some_and(|(length, _)| length + frame::HEADER > INBOX))
    }

    /// Throws the next packet away, without keeping it.
    pub(super) async fn discard(&mut self) -> Result<(), Error> {
        loop {
            let length = self.header().await?;
            let mut left = length;
            while left > 0 {
                if self.start == self.inbox.len() {
                    self.fill().await?;
                }
                let now = left.min(self.inbox.len() - self.start);
                self.start += now;
                left -= now;
            }
            if length < frame::MAX_PAYLOAD {
                return Ok(());
            }
        }
    }

    /// The next packet, however large, to the end of `out`.
    pub(super) async fn large(&mut self, out: &mut Vec<u8>) -> Result<(), Error> {
        let length = self.header().await?;
        self.join(length, out).await
    }

    /// Moves `length` bytes to the end of `out`: what has arrived is copied, the rest read to its place.
    async fn take(&mut self, length: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        let here = length.min(self.inbox.len() - self.start);
        let total = out.len() + length;
        if out.try_reserve(here).is_err() {
            return Err(self.out_of_memory());
        }
        out.extend_from_slice(&self.inbox[self.start..self.start + here]);
        self.start += here;
        while out.len() < total {
            if out.len() == out.capacity() {
                // Grows with what has arrived, never with what was only promised. A last byte is left for a NUL.
                let more = out.len().max(FIRST_ROOM).min(total - out.len());
                if out.try_reserve_exact(more + 1).is_err() {
                    return Err(self.out_of_memory());
                }
            }
            self.fill_other(out).await?;
        }
        if out.len() > total {
            // The beginning of the next packet.
            let rest = out.split_off(total);
            self.give_back(&rest)?;
        }
        Ok(())
    }

    /// The bytes of a packet.
    #[inline]
    pub(super) fn bytes(&self, packet: &Packet) -> &[u8] {
        match packet {
            Packet::Here(range) => &self.inbox[range.clone()],
            Packet::Joined => &self.joined,
        }
    }

    // ---- sending

    /// The attributes of the statement that is sent next, as they stand in front of its text.
    pub(super) fn attach(&mut self, attributes: &[u8]) {
        if !self.attributes.is_empty() {
            self.attributes.clear();
            self.attributes.extend_from_slice(attributes);
        }
    }

    /// Length of a command: its byte, its attributes and its argument.
    #[inline]
    fn length_of(&self, command: Command, argument: &[&[u8]]) -> usize {
        let attributes = if command == Command::Query { self.attributes.len() } else { 0 };
        1 + attributes + argument.iter().map(|part| part.len()).sum::<usize>()
    }

    /// Starts a command: its packets are numbered from 0.
    pub(super) fn queue(&mut self, command: Command, argument: &[&[u8]]) {
        let length = self.length_of(command, argument);
        self.queue_measured(command, argument, length);
    }

    /// [`Channel::queue`] for a command whose length is known.
    #[inline]
    fn queue_measured(&mut self, command: Command, argument: &[&[u8]], length: usize) {
        self.statement = command == Command::Query;
        self.transport.begin(&mut self.outbox);
        if length < frame::MAX_PAYLOAD {
            let [a, b, c, d] = frame::header(length, 0);
            let [none, one] = NO_ATTRIBUTES;
            // In one piece, as nearly always.
            let head = [a, b, c, d, command as u8, none, one];
            match (self.statement, self.attributes.len()) {
                (true, 2) => self.outbox.extend_from_slice(&head),
                (true, _) => {
                    self.outbox.extend_from_slice(&head[..frame::HEADER + 1]);
                    self.outbox.extend_from_slice(&self.attributes);
                }
                (false, _) => self.outbox.extend_from_slice(&head[..frame::HEADER + 1]),
            }
            for part in argument {
                self.outbox.extend_from_slice(part);
            }
            self.sequence = 1;
        } else {
            let mut payload = Vec::with_capacity(length);
            payload.push(command as u8);
            if self.statement {
                payload.extend_from_slice(&self.attributes);
            }
            for part in argument {
                payload.extend_from_slice(part);
            }
            self.sequence = frame::put(&mut self.outbox, &payload, 0);
        }
    }

    /// Queues a packet that continues the present exchange.
    pub(super) fn queue_packet(&mut self, payload: &[u8]) {
        self.sequence = frame::put(&mut self.outbox, payload, self.sequence);
        self.transport.count_on(self.sequence);
    }

    /// Sends what is queued.
    pub(super) async fn flush(&mut self) -> Result<(), Error> {
        let (outbox, gone) = (std::mem::take(&mut self.outbox), std::mem::take(&mut self.gone));
        let result = self.write(&outbox[gone..], gone).await;
        self.outbox = outbox;
        self.outbox.clear();
        result
    }

    /// Sends a command behind what is queued, if the system takes all of it at once. False: [`Channel::send_rest`] has
    /// to do what is left.
    #[inline]
    pub(super) fn send_at_once(&mut self, command: Command, argument: &[&[u8]]) -> bool {
        let length = self.length_of(command, argument);
        self.queued = !self.broken && length <= COPIED;
        if !self.queued {
            return false;
        }
        self.queue_measured(command, argument, length);
        self.gone = self.transport.send_at_once(&self.outbox);
        if self.gone < self.outbox.len() {
            return false;
        }
        self.gone = 0;
        self.outbox.clear();
        true
    }

    /// Sends a command behind what is queued.
    pub(super) async fn send(&mut self, command: Command, argument: &[&[u8]]) -> Result<(), Error> {
        if self.send_at_once(command, argument) { Ok(()) } else { self.send_rest(command, argument).await }
    }

    /// Goes on after [`Channel::send_at_once`], which was given the same command and said no.
    pub(super) async fn send_rest(&mut self, command: Command, argument: &[&[u8]]) -> Result<(), Error> {
        if self.queued {
            return self.flush().await;
        }
        let length = self.length_of(command, argument);
        self.send_large(command, argument, length).await
    }

    /// Sends a large command from where it lies; only the bytes around packet headers are copied.
    async fn send_large(&mut self, command: Command, argument: &[&[u8]], length: usize) -> Result<(), Error> {
        let mut outbox = std::mem::take(&mut self.outbox);
        let result = self.send_parts(&mut outbox, command, argument, length).await;
        self.outbox = outbox;
        self.outbox.clear();
        result
    }

    async fn send_parts(
        &mut self,
        outbox: &mut Vec<u8>,
        command: Command,
        argument: &[&[u8]],
        mut left: usize,
    ) -> Result<(), Error> {
        self.statement = command == Command::Query;
        self.transport.begin(outbox);
        let attributes = if self.statement { self.attributes.clone() } else { Vec::new() };
        let (mut parts, mut part) = (argument.iter(), attributes.as_slice());
        let mut gone = 0;
        self.sequence = 0;
        loop {
            let packet = left.min(frame::MAX_PAYLOAD);
            outbox.extend_from_slice(&frame::header(packet, self.sequence));
            let mut room = packet;
            if self.sequence == 0 && gone == 0 {
                outbox.push(command as u8);
                room -= 1;
            }
            self.sequence = self.sequence.wrapping_add(1);
            while room > 0 {
                if part.is_empty() {
                    let Some(next) = parts.next() else { break };
                    part = next;
                    continue;
                }
                let (now, later) = part.split_at(part.len().min(room));
                let (head, tail) = now.split_at(now.len().min(INBOX));
                outbox.extend_from_slice(head);
                self.write(outbox, gone).await?;
                gone += outbox.len();
                outbox.clear();
                self.write(tail, gone).await?;
                gone += tail.len();
                room -= now.len();
                part = later;
            }
            left -= packet;
            if packet < frame::MAX_PAYLOAD {
                break;
            }
        }
        // The header of an empty last packet.
        self.write(outbox, gone).await
    }

    /// Sends bytes, `before` of the same command having gone already.
    #[inline]
    async fn write(&mut self, bytes: &[u8], before: usize) -> Result<(), Error> {
        if self.broken {
            return Err(Error::gone(self.family));
        }
        let deadline = self.until(self.write_timeout);
        self.sending = true;
        match self.transport.send(bytes, deadline).await {
            Ok(()) => {
                self.sending = false;
                Ok(())
            }
            Err((count, failure)) => Err(self.cannot_send(before + count, failure).await),
        }
    }

    /// A write failed. A server that refuses a command, or has ended the session, says why before it closes: that is
    /// the error, where libmysqlclient looks for it. (Connector/C does not look.)
    #[cold]
    async fn cannot_send(&mut self, gone: usize, failure: Failure) -> Error {
        let looks = self.family == Family::MySql && failure != Failure::TimedOut;
        let word = if looks { self.last_word().await } else { None };
        let error = self.cannot_write(gone, failure);
        match word {
            // Of a command that did not leave it says nothing.
            Some(word) if gone == 0 => word.sent(Sent::No),
            Some(word) => word,
            None => error,
        }
    }

    /// The error packet that a server has left on a connection that it closed.
    async fn last_word(&mut self) -> Option<Error> {
        /// As in the original. The other side has closed: only a broken network makes this wait.
        const LIMIT: Duration = Duration::from_secs(1);
        let deadline = std::mem::replace(&mut self.deadline, Instant::now().checked_add(LIMIT));
        let packet = self.first_packet().await;
        self.deadline = deadline;
        let packet = packet.ok()?;
        let bytes = self.bytes(&packet);
        err::is_err(bytes).then(|| super::login::server_error(self.family, bytes))
    }

    #[cold]
    fn cannot_write(&mut self, gone: usize, failure: Failure) -> Error {
        self.broken = true;
        self.failure = Some(failure);
        // A command of which the last byte did not leave is not executed; those queued before it may be.
        Error::gone(self.family).sent(if gone == 0 { Sent::No } else { Sent::Maybe })
    }
}
