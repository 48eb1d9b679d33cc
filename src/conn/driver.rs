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

/// How far an attempt to connect has come, as far as a program can see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The socket is being connected.
    Connecting,
    /// The server's greeting is awaited.
    Greeting,
    /// TLS is being set up.
    Tls,
    /// A method's own exchange is going on.
    Exchange,
    /// The verdict on the login is awaited.
    Verdict,
    /// The server asked for another method.
    Switched,
    /// Statements of the set-up run.
    Commands,
}

thread_local! {
    /// True inside [`step`]: leaves must not wait.
    static STEPPING: Cell<bool> = const { Cell::new(false) };
    /// What the leaves of the present poll wait for.
    static WAITS: RefCell<Vec<Wait>> = const { RefCell::new(Vec::new()) };
    /// The wait of the step before whose deadline has passed, as the program says.
    static EXPIRED: Cell<Option<Wait>> = const { Cell::new(None) };
    /// The stage that the present poll has reached, if it is a connect.
    static STAGE: Cell<Option<Stage>> = const { Cell::new(None) };
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

/// Takes an operation as far as it goes without waiting. `expired` is a wait of the step before whose deadline counts
/// as passed whatever the clock says.
pub fn step<F: Future + ?Sized>(operation: Pin<&mut F>, expired: Option<Wait>) -> Step<F::Output> {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            STEPPING.set(self.0);
            EXPIRED.set(None);
        }
    }
    let _restore = Restore(STEPPING.replace(true));
    EXPIRED.set(expired);
    STAGE.set(None);
    WAITS.with_borrow_mut(Vec::clear);
    match operation.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Step::Done(output),
        Poll::Pending => Step::Waiting(WAITS.take()),
    }
}

/// The stage of connecting that the last [`step`] of this thread reached; None: it has not moved on.
pub fn last_stage() -> Option<Stage> {
    STAGE.take()
}

/// Tells who looks at a pending connect how far it is.
pub(super) fn reached(stage: Stage) {
    STAGE.set(Some(stage));
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

/// [`wait`] for tests of other modules, however it ends.
#[cfg(test)]
pub async fn wait_for(fd: &impl std::os::fd::AsFd, interest: Interest, deadline: Option<Instant>) {
    let _ = wait(fd.as_fd(), interest, deadline).await;
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
        let left = match deadline {
            Some(_) if step && EXPIRED.get() == Some(Wait { fd: fd.as_raw_fd(), interest, deadline }) => {
                Some(Duration::ZERO)
            }
            _ => deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())),
        };
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
