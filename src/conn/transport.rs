//! Bytes in and out of one socket, in the clear or through TLS, compressed or not. Every send carries MSG_NOSIGNAL.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::task::Poll;
use std::time::Instant;

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};

use super::compressed::Compressed;
use super::driver::{self, Interest, Outcome};
use super::tls::Tls;
use super::watched::Socket;

/// Why bytes could not be moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The deadline has passed.
    TimedOut,
    /// The other side has closed.
    Closed,
    /// The system says so.
    Io(Errno),
    /// TLS broke; the text says how.
    Tls(String),
    /// The server's certificate is not to be trusted; OpenSSL's words for why.
    Untrusted(&'static str),
    /// The server's certificate is another host's.
    WrongName,
}

impl Failure {
    /// The number for "system error: %d" in the originals' texts.
    pub(super) fn errno(&self) -> i32 {
        match self {
            Failure::TimedOut => Errno::TIMEDOUT.raw_os_error(),
            Failure::Closed | Failure::Tls(_) | Failure::Untrusted(_) | Failure::WrongName => 0,
            Failure::Io(errno) => errno.raw_os_error(),
        }
    }
}

/// A connected socket.
#[derive(Debug)]
pub(super) enum Transport {
    /// In the clear.
    Plain(Socket),
    /// Through TLS.
    Tls(Box<Tls>),
    /// Compressed, over one of the others.
    Compressed(Box<Compressed>),
}

impl Transport {
    fn fd(&self) -> BorrowedFd<'_> {
        match self {
            Transport::Plain(fd) => fd.as_fd(),
            Transport::Tls(tls) => tls.fd(),
            Transport::Compressed(compressed) => compressed.inner().fd(),
        }
    }

    pub(super) fn raw_fd(&self) -> RawFd {
        self.fd().as_raw_fd()
    }

    /// True when nothing can be read without the socket: always in the clear, else no plaintext is left over.
    pub(super) fn is_drained(&self) -> bool {
        match self {
            Transport::Plain(_) => true,
            Transport::Tls(tls) => tls.is_drained(),
            Transport::Compressed(compressed) => compressed.is_drained(),
        }
    }

    /// Appends at least one byte to `buffer`, which has room, and at most as many as its capacity takes.
    #[inline]
    pub(super) async fn recv(&mut self, buffer: &mut Vec<u8>, deadline: Option<Instant>) -> Result<usize, Failure> {
        match self {
            Transport::Plain(fd) => {
                let before = buffer.len();
                let result = recv(fd.as_fd(), buffer, deadline).await;
                fd.saw(false, result.is_ok().then(|| &buffer[before..]));
                result
            }
            Transport::Tls(tls) => {
                let before = buffer.len();
                let result = tls.recv(buffer, deadline).await;
                tls.socket().saw(false, result.is_ok().then(|| &buffer[before..]));
                result
            }
            Transport::Compressed(compressed) => compressed.recv(buffer, deadline).await,
        }
    }

    /// [`Transport::recv`] for what lies under compression.
    pub(super) async fn recv_uncompressed(
        &mut self,
        buffer: &mut Vec<u8>,
        deadline: Option<Instant>,
    ) -> Result<usize, Failure> {
        match self {
            Transport::Plain(fd) => {
                let before = buffer.len();
                let result = recv(fd.as_fd(), buffer, deadline).await;
                fd.saw(false, result.is_ok().then(|| &buffer[before..]));
                result
            }
            Transport::Tls(tls) => {
                let before = buffer.len();
                let result = tls.recv(buffer, deadline).await;
                tls.socket().saw(false, result.is_ok().then(|| &buffer[before..]));
                result
            }
            // Never twice.
            Transport::Compressed(_) => Err(Failure::Closed),
        }
    }

    /// [`Transport::send`] for what lies under compression.
    pub(super) async fn send_uncompressed(
        &mut self,
        bytes: &[u8],
        deadline: Option<Instant>,
    ) -> Result<(), (usize, Failure)> {
        match self {
            Transport::Plain(fd) => {
                let result = send(fd.as_fd(), bytes, deadline).await;
                fd.saw(true, result.is_ok().then_some(bytes));
                result
            }
            Transport::Tls(tls) => {
                let result = tls.send(bytes, deadline).await;
                tls.socket().saw(true, result.is_ok().then_some(bytes));
                result
            }
            Transport::Compressed(_) => Err((0, Failure::Closed)),
        }
    }

    /// Packets of ours come between those that are received; the next one has this number.
    #[inline]
    pub(super) fn count_on(&mut self, number: u8) {
        if let Transport::Compressed(compressed) = self {
            compressed.count_on(number);
        }
    }

    /// A command begins, behind what is queued.
    #[inline]
    pub(super) fn begin(&mut self, queue: &mut Vec<u8>) {
        if let Transport::Compressed(compressed) = self {
            compressed.begin(queue);
        }
    }

    /// Writes all of `bytes`. On failure tells how many bytes the system had taken.
    #[inline]
    pub(super) async fn send(&mut self, bytes: &[u8], deadline: Option<Instant>) -> Result<(), (usize, Failure)> {
        match self {
            Transport::Plain(fd) => {
                let result = send(fd.as_fd(), bytes, deadline).await;
                fd.saw(true, result.is_ok().then_some(bytes));
                result
            }
            Transport::Tls(tls) => {
                let result = tls.send(bytes, deadline).await;
                tls.socket().saw(true, result.is_ok().then_some(bytes));
                result
            }
            Transport::Compressed(compressed) => compressed.send(bytes, deadline).await,
        }
    }

    /// Hands bytes to the system without waiting: how many it took. 0 also for whatever goes wrong, which
    /// [`Transport::send`] finds out, and always through TLS and compressed.
    #[inline]
    pub(super) fn send_at_once(&mut self, bytes: &[u8]) -> usize {
        match self {
            Transport::Plain(fd) => {
                let sent =
                    rustix::net::send(&*fd, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT).unwrap_or_default();
                if sent > 0 {
                    fd.saw(true, bytes.get(..sent));
                }
                sent
            }
            Transport::Tls(_) | Transport::Compressed(_) => 0,
        }
    }

    /// The one system call of a blocking read without a time limit: how many bytes were appended. 0 also for whatever
    /// goes wrong, which [`Transport::recv`] finds out, inside a step, and always through TLS.
    #[inline]
    pub(super) fn recv_at_once(&mut self, buffer: &mut Vec<u8>) -> usize {
        match self {
            Transport::Plain(fd) if !driver::stepping() => {
                let before = buffer.len();
                let read = rustix::net::recv(&*fd, rustix::buffer::spare_capacity(buffer), RecvFlags::empty());
                let count = read.map_or(0, |(count, _)| count);
                if count > 0 {
                    fd.saw(false, buffer.get(before..));
                }
                count
            }
            Transport::Plain(_) | Transport::Tls(_) | Transport::Compressed(_) => 0,
        }
    }

    /// The other side has closed and no byte of it is left in the socket. Never waits.
    pub(super) fn has_ended(&self) -> bool {
        let mut byte = [0];
        match rustix::net::recv(self.fd(), &mut byte, RecvFlags::PEEK | RecvFlags::DONTWAIT) {
            Ok((count, _)) => count == 0,
            Err(errno) => !matches!(errno, Errno::AGAIN | Errno::INTR),
        }
    }

    /// The other side has closed, or said something although nothing was asked. (Through TLS that may be a ticket.)
    pub(super) fn is_spent(&self) -> bool {
        let mut byte = [0];
        match self {
            Transport::Plain(fd) => !matches!(
                rustix::net::recv(fd, &mut byte, RecvFlags::PEEK | RecvFlags::DONTWAIT),
                Err(Errno::AGAIN | Errno::INTR)
            ),
            Transport::Tls(_) | Transport::Compressed(_) => self.has_ended(),
        }
    }

    /// Writes what can be written without waiting; for a farewell that nobody waits for.
    pub(super) fn send_and_forget(&mut self, bytes: &[u8]) {
        match self {
            Transport::Plain(fd) => {
                let _ = rustix::net::send(&*fd, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
                fd.saw(true, Some(bytes));
            }
            Transport::Tls(tls) => {
                tls.send_and_forget(bytes);
                tls.socket().saw(true, Some(bytes));
            }
            Transport::Compressed(compressed) => compressed.send_and_forget(bytes),
        }
    }

    /// Gives the descriptor back.
    pub(super) fn into_fd(self) -> OwnedFd {
        match self {
            Transport::Plain(fd) => fd.into_fd(),
            Transport::Tls(tls) => tls.into_fd(),
            Transport::Compressed(compressed) => compressed.into_inner().into_fd(),
        }
    }
}

/// Appends at least one byte from a socket to `buffer`, without growing it.
#[inline]
pub(super) async fn recv(
    fd: BorrowedFd<'_>,
    buffer: &mut Vec<u8>,
    deadline: Option<Instant>,
) -> Result<usize, Failure> {
    std::future::poll_fn(|_| {
        poll_recv(fd, deadline, |flags| {
            rustix::net::recv(fd, rustix::buffer::spare_capacity(buffer), flags).map(|(count, _)| count)
        })
    })
    .await
}

/// One poll of a read. Blocking without a deadline it is one `recv(2)`; with one, `poll(2)` goes first.
#[inline]
fn poll_recv(
    fd: BorrowedFd<'_>,
    deadline: Option<Instant>,
    mut read: impl FnMut(RecvFlags) -> Result<usize, Errno>,
) -> Poll<Result<usize, Failure>> {
    let step = driver::stepping();
    let flags = if step || deadline.is_some() { RecvFlags::DONTWAIT } else { RecvFlags::empty() };
    // A step tries first, since it must not wait anyway; so does a read that may wait for ever.
    let mut wait = deadline.is_some() && !step;
    loop {
        if wait {
            match driver::wait_now(fd, Interest::Read, deadline) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(Outcome::Ready)) => {}
                Poll::Ready(Ok(Outcome::TimedOut)) => return Poll::Ready(Err(Failure::TimedOut)),
                Poll::Ready(Err(errno)) => return Poll::Ready(Err(Failure::Io(errno))),
            }
        }
        match read(flags) {
            Ok(0) => return Poll::Ready(Err(Failure::Closed)),
            Ok(count) => return Poll::Ready(Ok(count)),
            Err(Errno::INTR) => {}
            // The program may have made the descriptor non-blocking.
            Err(Errno::AGAIN) => wait = true,
            Err(errno) => return Poll::Ready(Err(Failure::Io(errno))),
        }
    }
}

/// Writes all of `bytes` to a socket; on failure tells how many bytes had gone.
#[inline]
pub(super) async fn send(fd: BorrowedFd<'_>, bytes: &[u8], deadline: Option<Instant>) -> Result<(), (usize, Failure)> {
    let mut done = 0;
    std::future::poll_fn(|_| {
        let mut flags = SendFlags::NOSIGNAL;
        if deadline.is_some() || driver::stepping() {
            flags |= SendFlags::DONTWAIT;
        }
        while done < bytes.len() {
            match rustix::net::send(fd, &bytes[done..], flags) {
                Ok(count) => done += count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => match driver::wait_now(fd, Interest::Write, deadline) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Ok(Outcome::Ready)) => {}
                    Poll::Ready(Ok(Outcome::TimedOut)) => {
                        return Poll::Ready(Err((done, Failure::TimedOut)));
                    }
                    Poll::Ready(Err(errno)) => return Poll::Ready(Err((done, Failure::Io(errno)))),
                },
                Err(errno) => return Poll::Ready(Err((done, Failure::Io(errno)))),
            }
        }
        Poll::Ready(Ok(()))
    })
    .await
}
