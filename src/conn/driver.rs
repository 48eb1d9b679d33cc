//! Drives one `async` operation: a blocking call runs it to its end, a non-blocking one takes a step.
//!
//! There is no runtime. An operation under [`block_on`] that has to wait waits inside its own poll, so that a blocking read is
//! one `recv(2)` and nothing else. Under [`step`] nothing waits: what would block says for what (descriptor, events,
//! deadline) and the operation stays pending. Both share every line of the code that does the work.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::os::fd::{BorrowedFd, RawFd};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

/// Which way bytes are to flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// Until there is something to read, or the other side is gone.
    Read,
    /// Until something can be written.
    Write,
}

/// What a pending operation waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The socket.
    pub fd: RawFd,
    /// The direction.
    pub interest: Interest,
    /// When the operation gives up; None = never.
    pub deadline: Option<Instant>,
}

thread_local! {
    /// True inside [`step`]: leaves must not wait.
    static STEPPING: Cell<bool> = const { Cell::new(false) };
    /// What the leaves of the present poll wait for.
    static WAITS: RefCell<Vec<Wait>> = const { RefCell::new(Vec::new()) };
}

/// Runs an operation to its end on the calling thread. Costs nothing but the operation itself: no allocation, no waker.
#[inline]
pub fn block_on<F: Future>(operation: F) -> F::Output {
    block_on_pinned(pin!(operation))
}

/// The same for an operation that lies where it was made: large ones are not moved for it.
#[inline]
pub fn block_on_pinned<F: Future>(mut operation: Pin<&mut F>) -> F::Output {
    let mut context = Context::from_waker(Waker::noop());
    loop {
        // Leaves wait inside their poll, so the first poll is nearly always the last.
        if let Poll::Ready(output) = operation.as_mut().poll(&mut context) {
            return output;
        }
        std::thread::yield_now();
    }
}

/// The state of an operation after one step.
#[derive(Debug)]
pub enum Step<T> {
    /// It has ended.
    Done(T),
    /// It waits for any of these.
    Waiting(Vec<Wait>),
}

/// Takes an operation as far as it goes without waiting.
pub fn step<F: Future>(operation: Pin<&mut F>) -> Step<F::Output> {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            STEPPING.set(self.0);
        }
    }
    let _restore = Restore(STEPPING.replace(true));
    WAITS.with_borrow_mut(Vec::clear);
    match operation.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Step::Done(output),
        Poll::Pending => Step::Waiting(WAITS.take()),
    }
}

/// Whether the present operation must not wait.
#[inline]
pub(super) fn stepping() -> bool {
    STEPPING.get()
}

/// Tells the driver of the present step what is waited for.
pub(super) fn register(wait: Wait) {
    WAITS.with_borrow_mut(|waits| waits.push(wait));
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The socket is ready, or broken; the next call tells.
    Ready,
    /// The deadline has passed.
    TimedOut,
}

/// Waits for a socket, by `poll(2)` or as a pending step.
pub(super) async fn wait(fd: BorrowedFd<'_>, interest: Interest, deadline: Option<Instant>) -> Result<Outcome, Errno> {
    std::future::poll_fn(|_| wait_now(fd, interest, deadline)).await
}

/// One poll of [`wait`].
pub(super) fn wait_now(
    fd: BorrowedFd<'_>,
    interest: Interest,
    deadline: Option<Instant>,
) -> Poll<Result<Outcome, Errno>> {
    use std::os::fd::AsRawFd;
    let step = stepping();
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let timeout = if step { Some(Duration::ZERO) } else { left };
        match poll(fd, interest, timeout) {
            Ok(true) => return Poll::Ready(Ok(Outcome::Ready)),
            Ok(false) if left == Some(Duration::ZERO) => return Poll::Ready(Ok(Outcome::TimedOut)),
            Ok(false) if step => {
                register(Wait { fd: fd.as_raw_fd(), interest, deadline });
                return Poll::Pending;
            }
            Ok(false) | Err(Errno::INTR) => {}
            Err(error) => return Poll::Ready(Err(error)),
        }
    }
}

fn poll(fd: BorrowedFd<'_>, interest: Interest, timeout: Option<Duration>) -> Result<bool, Errno> {
    let flags = match interest {
        Interest::Read => PollFlags::IN,
        Interest::Write => PollFlags::OUT,
    };
    let timeout = timeout.map(|t| Timespec {
        tv_sec: i64::try_from(t.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(t.subsec_nanos()),
    });
    Ok(rustix::event::poll(&mut [PollFd::from_borrowed_fd(fd, flags)], timeout.as_ref())? > 0)
}
