//! A method of the program's own at work: the exchange as it sees it.
//!
//! Its functions are called as in the originals: what it reads first is what the server sent for it; if that was meant for
//! another method, or nothing was sent, an empty answer asks the server to begin. They may wait, also inside a step of a
//! non-blocking call, unless they have a form for those.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::opening::Opening;
use crate::conn::channel::Channel;
use crate::conn::driver::{block_on, stepping, waiting};
use crate::conn::transport::Failure;
use crate::error::{Error, Sent, cr};
use crate::options::Family;
use crate::options::methods::{self, Account, CR_ERROR, CR_OK, Line, Method, Verdict};
use crate::wire::err;

/// What one run needs.
pub(super) struct Exchange<'a, 'b> {
    pub(super) channel: &'a mut Channel,
    /// Not sent yet.
    pub(super) opening: &'a mut Option<Opening<'b>>,
    /// The method's name.
    pub(super) name: &'a [u8],
    /// What the server sent for it, not read yet.
    pub(super) cached: Option<Vec<u8>>,
    pub(super) is_unix: bool,
    pub(super) is_tls: bool,
    reads: usize,
    /// The packet read last, as it came, and a NUL.
    packet: Vec<u8>,
    error: Option<Error>,
}

/// How a run ended, if not with an error.
pub(super) enum Ended {
    /// The server's answer is still to be read.
    Done,
    /// The method has read it.
    Read(Vec<u8>),
}

impl<'a, 'b> Exchange<'a, 'b> {
    pub(super) fn new(
        channel: &'a mut Channel,
        opening: &'a mut Option<Opening<'b>>,
        name: &'a [u8],
        cached: Option<Vec<u8>>,
        is_unix: bool,
        is_tls: bool,
    ) -> Self {
        Exchange { channel, opening, name, cached, is_unix, is_tls, reads: 0, packet: Vec::new(), error: None }
    }

    /// Runs a method to its end.
    ///
    /// Errors: the server's, the method's, 2000 when it says nothing.
    pub(super) async fn run(mut self, method: &dyn Method, account: Account, follows: bool) -> Result<Ended, Error> {
        let mut run = method.begin(account);
        let verdict = if stepping() && run.can_step() {
            std::future::poll_fn(|_| run.step(&mut self)).await
        } else {
            waiting(|| run.run(&mut self))
        };
        self.judge(verdict, follows)
    }

    /// What the library makes of the method's number. `follows`: a request for another method ends this one well.
    fn judge(mut self, verdict: Verdict, follows: bool) -> Result<Ended, Error> {
        let family = self.channel.family;
        let read = methods::Exchange::last(&self).to_vec();
        match verdict.code {
            CR_OK => Ok(Ended::Done),
            code if code < CR_OK => Ok(Ended::Read(read)),
            _ if follows && read.first() == Some(&0xFE) => Ok(Ended::Read(read)),
            CR_ERROR => Err(match (verdict.error, self.error.take()) {
                (Some(left), Some(own)) if left.code == own.code => own,
                (Some(error), _) | (None, Some(error)) => error.sent(Sent::No),
                (None, None) => Error::unknown_method(family),
            }),
            code => Err(Error::by_number(family, code.unsigned_abs())),
        }
    }

    /// What was cached, or None: a packet is to be read, for which the server may have to be asked first.
    fn begin(&mut self) -> Result<bool, ()> {
        if let Some(cached) = self.cached.take() {
            self.packet = cached;
            self.packet.push(0);
            self.reads += 1;
            return Ok(true);
        }
        if self.reads == 0 && !methods::Exchange::write(self, &[]) {
            return Err(());
        }
        Ok(false)
    }

    /// Keeps a packet, and says what of it is the method's.
    fn keep(&mut self, packet: Result<Vec<u8>, Error>) -> Option<std::ops::Range<usize>> {
        let family = self.channel.family;
        let packet = match packet {
            Ok(packet) if packet.is_empty() && family == Family::MySql => Err(self.channel.fail(Failure::Closed)),
            Ok(packet) if err::is_err(&packet) => Err(crate::conn::login::server_error(family, &packet)),
            packet => packet,
        };
        match packet {
            Ok(mut packet) => {
                packet.push(0);
                self.packet = packet;
            }
            Err(error) => {
                self.error = Some(error.sent(Sent::No));
                return None;
            }
        }
        let length = self.packet.len() - 1;
        match self.packet[0] {
            0xFE if length > 0 => return None,
            // The server's mark in front of what might be taken for an error or a request.
            1 if length > 0 => {
                self.reads += 1;
                return Some(1..length);
            }
            _ => self.reads += 1,
        }
        Some(0..length)
    }

    /// The next packet, if it can be had without waiting in a step.
    fn poll_packet(&mut self) -> Poll<Result<Vec<u8>, Error>> {
        let mut context = Context::from_waker(Waker::noop());
        loop {
            if let Some(packet) = self.channel.packet_here() {
                return Poll::Ready(Ok(self.channel.bytes(&packet).to_vec()));
            }
            match self.channel.peek() {
                // Out of order or too large: the ordinary way tells how.
                Some((length, sequence)) if sequence != self.channel.sequence || length >= self.channel.ceiling => {
                    return Poll::Ready(waiting(|| block_on(self.channel.packet())).map(|packet| self.copy(&packet)));
                }
                _ => {}
            }
            match pin!(self.channel.fill()).poll(&mut context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
            }
        }
    }

    fn copy(&self, packet: &crate::conn::channel::Packet) -> Vec<u8> {
        self.channel.bytes(packet).to_vec()
    }
}

impl methods::Exchange for Exchange<'_, '_> {
    fn read(&mut self) -> Option<&[u8]> {
        let range = match self.begin() {
            Ok(true) => 0..self.packet.len() - 1,
            Ok(false) => {
                let packet = waiting(|| block_on(self.channel.packet())).map(|packet| self.copy(&packet));
                self.keep(packet)?
            }
            Err(()) => return None,
        };
        Some(&self.packet[range])
    }

    fn try_read(&mut self) -> Poll<Option<&[u8]>> {
        let range = match self.begin() {
            Ok(true) => 0..self.packet.len() - 1,
            Ok(false) => match self.poll_packet() {
                Poll::Pending => {
                    // The request has left; only the answer is still to come.
                    self.reads = self.reads.max(1);
                    return Poll::Pending;
                }
                Poll::Ready(packet) => match self.keep(packet) {
                    Some(range) => range,
                    None => return Poll::Ready(None),
                },
            },
            Err(()) => return Poll::Ready(None),
        };
        Poll::Ready(Some(&self.packet[range]))
    }

    fn write(&mut self, packet: &[u8]) -> bool {
        let opening = self.opening.take();
        let (channel, name) = (&mut *self.channel, self.name);
        let sent = waiting(|| match opening {
            Some(opening) => block_on(opening.send(channel, name, packet)),
            None => {
                channel.queue_packet(packet);
                block_on(channel.flush())
            }
        });
        if let Err(error) = sent {
            let errno = self.channel.failure.as_ref().map_or(0, Failure::errno);
            self.error = Some(match error.code {
                cr::SERVER_GONE_ERROR | cr::SERVER_LOST => {
                    Error::lost_at(self.channel.family, "sending authentication information", errno)
                }
                _ => error,
            });
            return false;
        }
        true
    }

    fn last(&self) -> &[u8] {
        self.packet.strip_suffix(&[0]).unwrap_or_default()
    }

    fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    fn line(&self) -> Line {
        Line { fd: self.channel.transport.raw_fd(), is_unix: self.is_unix, is_tls: self.is_tls }
    }
}
