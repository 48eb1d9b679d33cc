//! The compressed protocol: between packets and the socket lies a stream of frames, each a header of seven bytes (length
//! on the wire, number, length unpacked) and a payload, packed by zlib or zstd or as it is.
//!
//! Frames and packets know nothing of each other: a frame may hold many packets or a part of one. Frames are numbered as
//! packets are without compression, from 0 at each command. The numbers of the packets inside mean nothing, servers and
//! the original clients do not look at them; they are written over with ascending ones, so that what reads packets
//! needs no exception. Must not touch the meaning of packets, nor the login, which is never compressed.
//!
//! <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_compression.html>

use std::time::Instant;

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use zstd::bulk::{Compressor, Decompressor};

use super::transport::{Failure, Transport};

/// Bytes of a frame's header.
const HEADER: usize = 7;
/// The most that one frame holds, packed or not.
const MOST: usize = 0xFF_FFFF;
/// Less than this is not worth packing.
const LEAST: usize = 50;
/// What zlib is asked for by both originals.
const ZLIB_LEVEL: u32 = 6;
/// So much is read ahead, bytes.
const ROOM: usize = 16 << 10;
/// While a large frame arrives, room is made for so much of it at first.
const FIRST_ROOM: usize = 128 << 10;

/// How frames are packed.
enum Codec {
    Zlib(Box<(Compress, Decompress)>),
    Zstd(Box<(Compressor<'static>, Decompressor<'static>)>),
}

/// See the module.
pub(super) struct Compressed {
    /// In the clear or through TLS.
    inner: Box<Transport>,
    codec: Codec,
    /// Of the next frame to be sent.
    number: u8,
    /// What is sent next begins with a command, whose reply counts from 1.
    fresh: bool,
    /// Frames that wait to be sent.
    out: Vec<u8>,
    /// Bytes of frames that have arrived, from `start` on not yet unpacked.
    raw: Vec<u8>,
    start: usize,
    /// Unpacked bytes, from `at` on not yet read.
    plain: Vec<u8>,
    at: usize,
    packets: Packets,
}

impl std::fmt::Debug for Compressed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let codec = if matches!(self.codec, Codec::Zlib(_)) { "zlib" } else { "zstd" };
        f.debug_struct("Compressed").field("inner", &self.inner).field("codec", &codec).finish_non_exhaustive()
    }
}

impl Compressed {
    /// Compression over a transport that has logged in: by zlib, or by zstd of a level from 1 to 22. None: zstd could
    /// not be set up, for want of memory.
    pub(super) fn new(inner: Transport, zstd: Option<u8>) -> Option<Compressed> {
        let codec = match zstd {
            None => Codec::Zlib(Box::new((Compress::new(Compression::new(ZLIB_LEVEL), true), Decompress::new(true)))),
            Some(level) => Codec::Zstd(Box::new((Compressor::new(i32::from(level)).ok()?, Decompressor::new().ok()?))),
        };
        Some(Compressed {
            inner: Box::new(inner),
            codec,
            number: 0,
            fresh: false,
            out: Vec::new(),
            raw: Vec::new(),
            start: 0,
            plain: Vec::new(),
            at: 0,
            packets: Packets::default(),
        })
    }

    pub(super) fn inner(&self) -> &Transport {
        &self.inner
    }

    pub(super) fn into_inner(self) -> Transport {
        *self.inner
    }

    /// Nothing can be read without the socket.
    pub(super) fn is_drained(&self) -> bool {
        self.at == self.plain.len() && self.start == self.raw.len() && self.inner.is_drained()
    }

    /// Whoever reads packets expects this number next, having sent some itself.
    #[cold]
    pub(super) fn count_on(&mut self, number: u8) {
        self.packets.next = number;
    }

    /// A command begins: frames count from 0. What the queue holds of commands before it is packed by itself, since
    /// servers expect no two commands in one frame.
    #[cold]
    pub(super) fn begin(&mut self, queue: &mut Vec<u8>) {
        self.pack(queue);
        queue.clear();
        self.number = 0;
        self.fresh = true;
    }

    /// As [`Transport::recv`].
    pub(super) async fn recv(&mut self, buffer: &mut Vec<u8>, deadline: Option<Instant>) -> Result<usize, Failure> {
        loop {
            let ready = &self.plain[self.at..];
            if !ready.is_empty() {
                let count = ready.len().min(buffer.capacity() - buffer.len());
                buffer.extend_from_slice(&ready[..count]);
                self.at += count;
                return Ok(count);
            }
            if !self.unpack()? {
                self.inner.recv_uncompressed(&mut self.raw, deadline).await?;
            }
        }
    }

    /// As [`Transport::send`].
    pub(super) async fn send(&mut self, bytes: &[u8], deadline: Option<Instant>) -> Result<(), (usize, Failure)> {
        self.pack(bytes);
        // Not before: what waits in the queue may wait there while a result is read.
        if std::mem::take(&mut self.fresh) {
            self.packets.next = 1;
        }
        let mut out = std::mem::take(&mut self.out);
        let result = self.inner.send_uncompressed(&out, deadline).await;
        out.clear();
        if out.capacity() <= 2 * FIRST_ROOM {
            self.out = out;
        }
        result
    }

    /// As [`Transport::send_and_forget`], a command of its own.
    pub(super) fn send_and_forget(&mut self, bytes: &[u8]) {
        self.number = 0;
        self.pack(bytes);
        self.inner.send_and_forget(&self.out);
    }

    // ---- packing

    /// Appends bytes to what waits, as frames.
    fn pack(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(MOST) {
            let head = self.out.len();
            self.out.extend_from_slice(&[0; HEADER]);
            let packed = part.len() >= LEAST && self.pack_part(part);
            if !packed {
                self.out.truncate(head + HEADER);
                self.out.extend_from_slice(part);
            }
            let length = self.out.len() - head - HEADER;
            let [a, b, c, ..] = length.to_le_bytes();
            let [x, y, z, ..] = if packed { part.len() } else { 0 }.to_le_bytes();
            self.out[head..head + HEADER].copy_from_slice(&[a, b, c, self.number, x, y, z]);
            self.number = self.number.wrapping_add(1);
        }
    }

    /// Appends a part, packed; false when that does not make it smaller.
    fn pack_part(&mut self, part: &[u8]) -> bool {
        let before = self.out.len();
        match &mut self.codec {
            Codec::Zlib(codec) => {
                self.out.reserve(part.len());
                codec.0.reset();
                let done = codec.0.compress_vec(part, &mut self.out, FlushCompress::Finish);
                matches!(done, Ok(Status::StreamEnd)) && self.out.len() - before < part.len()
            }
            Codec::Zstd(codec) => match codec.0.compress(part) {
                Ok(packed) if packed.len() < part.len() => {
                    self.out.extend_from_slice(&packed);
                    true
                }
                _ => false,
            },
        }
    }

    /// Unpacks the next frame; false: it has not arrived whole, and there is room for more of it.
    fn unpack(&mut self) -> Result<bool, Failure> {
        let arrived = &self.raw[self.start..];
        let mut want = HEADER;
        if let Some((&[a, b, c, number, x, y, z], rest)) = arrived.split_first_chunk::<HEADER>() {
            let length = u32::from_le_bytes([a, b, c, 0]) as usize;
            let unpacked = u32::from_le_bytes([x, y, z, 0]) as usize;
            if let Some(payload) = rest.get(..length) {
                self.plain.clear();
                self.at = 0;
                if unpacked == 0 {
                    self.plain.extend_from_slice(payload);
                } else {
                    unpack_part(&mut self.codec, payload, unpacked, &mut self.plain)?;
                }
                self.packets.number(&mut self.plain);
                self.number = number.wrapping_add(1);
                self.start += HEADER + length;
                if self.start == self.raw.len() {
                    self.raw.clear();
                    self.start = 0;
                    if self.raw.capacity() > 2 * FIRST_ROOM {
                        self.raw = Vec::new();
                    }
                }
                return Ok(true);
            }
            want += length;
        }
        self.raw.drain(..self.start);
        self.start = 0;
        if self.raw.len() == self.raw.capacity() {
            // Grows with what has arrived, never with what was only promised.
            let more = (want - self.raw.len()).min(self.raw.len().max(FIRST_ROOM)).max(ROOM);
            self.raw.try_reserve_exact(more).map_err(|_| Failure::Closed)?;
        }
        Ok(false)
    }
}

/// A payload of which so many bytes must come. What is broken ends the connection, as for the originals.
fn unpack_part(codec: &mut Codec, payload: &[u8], length: usize, plain: &mut Vec<u8>) -> Result<(), Failure> {
    plain.try_reserve_exact(length).map_err(|_| Failure::Closed)?;
    let good = match codec {
        Codec::Zlib(codec) => {
            codec.1.reset(true);
            matches!(codec.1.decompress_vec(payload, plain, FlushDecompress::Finish), Ok(Status::StreamEnd))
        }
        Codec::Zstd(codec) => codec.1.decompress_to_buffer(payload, plain).is_ok(),
    };
    if good && plain.len() == length { Ok(()) } else { Err(Failure::Closed) }
}

/// Where packets begin in the stream of unpacked bytes.
#[derive(Debug, Default)]
struct Packets {
    /// Bytes of the present payload that are still to come.
    left: usize,
    /// The header that has arrived in part: its bytes, and how many.
    header: [u8; 3],
    have: usize,
    /// Of the next packet.
    next: u8,
}

impl Packets {
    /// Numbers the packets that begin in `bytes`, which continue what came before.
    fn number(&mut self, bytes: &mut [u8]) {
        let mut at = 0;
        while at < bytes.len() {
            if self.left > 0 {
                let now = self.left.min(bytes.len() - at);
                self.left -= now;
                at += now;
            } else if self.have < 3 {
                self.header[self.have] = bytes[at];
                self.have += 1;
                at += 1;
            } else {
                bytes[at] = self.next;
                self.next = self.next.wrapping_add(1);
                let [a, b, c] = self.header;
                self.left = u32::from_le_bytes([a, b, c, 0]) as usize;
                self.have = 0;
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::conn::driver::block_on;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    fn pair(zstd: Option<u8>) -> (Compressed, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (Compressed::new(Transport::Plain(ours.into()), zstd).unwrap(), theirs)
    }

    /// Bytes that can be packed, but not to nothing.
    fn text(length: usize) -> Vec<u8> {
        (0..length).map(|at| (at * at / 7 % 23) as u8).collect()
    }

    /// One packet of `length` bytes after another, all of number 9.
    fn packets(lengths: &[usize]) -> Vec<u8> {
        lengths.iter().fold(Vec::new(), |mut out, length| {
            out.extend_from_slice(&crate::wire::frame::header(*length, 9));
            out.extend(text(*length));
            out
        })
    }

    #[test]
    fn what_one_side_packs_the_other_unpacks() {
        for zstd in [None, Some(1), Some(22)] {
            for length in [0, 1, LEAST - 5, LEAST - 4, LEAST, 0xFFFF, 0x1_0000, MOST - 5, MOST - 4, MOST - 3, MOST] {
                let (mut from, theirs) = pair(zstd);
                let mut to = Compressed::new(Transport::Plain(theirs.into()), zstd).unwrap();
                let sent = packets(&[length, 3]);
                let wanted = sent.clone();
                let sender = std::thread::spawn(move || block_on(from.send(&sent, None)).unwrap());
                let mut got = Vec::new();
                while got.len() < wanted.len() {
                    got.reserve(1 << 16);
                    block_on(to.recv(&mut got, None)).unwrap();
                }
                sender.join().unwrap();
                assert!(to.is_drained());
                assert_eq!((got[3], got[length + 7]), (0, 1), "numbered");
                (got[3], got[length + 7]) = (9, 9);
                assert!(got == wanted, "{zstd:?} {length}");
            }
        }
    }

    #[test]
    fn commands_have_frames_of_their_own_from_number_0() {
        let (mut ours, mut theirs) = pair(None);
        let mut queue = b"first".to_vec();
        ours.number = 7;
        ours.begin(&mut queue);
        assert!(queue.is_empty());
        block_on(ours.send(b"second", None)).unwrap();
        drop(ours);
        let mut got = Vec::new();
        theirs.read_to_end(&mut got).unwrap();
        assert_eq!(got, b"\x05\0\0\x07\0\0\0first\x06\0\0\0\0\0\0second");
    }

    #[test]
    fn what_cannot_be_packed_is_sent_as_it_is() {
        let (mut ours, mut theirs) = pair(None);
        let noise: Vec<u8> = (0..200u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 23) as u8).collect();
        block_on(ours.send(&noise, None)).unwrap();
        drop(ours);
        let mut got = Vec::new();
        theirs.read_to_end(&mut got).unwrap();
        assert_eq!(got[..7], [200, 0, 0, 0, 0, 0, 0]);
        assert_eq!(got[7..], noise);
    }

    #[test]
    fn broken_frames_end_the_connection() {
        let long = {
            let mut frame = vec![4, 0, 0, 0, 9, 0, 0];
            frame.extend([1, 2, 3, 4]);
            frame
        };
        for (zstd, frame) in
            [(None, long.clone()), (Some(3), long), (None, vec![0, 0, 0, 0, 9, 0, 0]), (None, vec![9, 0])]
        {
            let (mut ours, mut theirs) = pair(zstd);
            theirs.write_all(&frame).unwrap();
            drop(theirs);
            let mut buffer = Vec::with_capacity(100);
            assert_eq!(block_on(ours.recv(&mut buffer, None)), Err(Failure::Closed));
        }
    }

    #[test]
    fn a_frame_that_unpacks_to_another_length_is_broken() {
        let (mut from, mut theirs) = pair(None);
        block_on(from.send(&text(100), None)).unwrap();
        drop(from);
        let mut frame = Vec::new();
        theirs.read_to_end(&mut frame).unwrap();
        for wrong in [99, 101] {
            let (mut ours, mut theirs) = pair(None);
            frame[4] = wrong;
            theirs.write_all(&frame).unwrap();
            let mut buffer = Vec::with_capacity(100);
            assert_eq!(block_on(ours.recv(&mut buffer, None)), Err(Failure::Closed));
        }
    }
}
