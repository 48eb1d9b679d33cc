//! Drives one `async` operation: a blocking call runs it to its end, a non-blocking one takes a step.
//!
//! There is no runtime. An operation under [`block_on`] that has to wait waits inside its own poll, so that a blocking read is
//! one `recv(2)` and nothing else. Under [`step`] nothing waits: what would block says for what (descriptor, events,
//! deadline) and the operation stays pending. Both share every line of the code that does the work.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU32, Ordering};
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
    /// Inside [`side_by_side`] of a blocking call: what its operations wait for. Its own descriptors, since nothing tells how
    /// long theirs live.
    static JOINED: RefCell<Option<Vec<Joined>>> = const { RefCell::new(None) };
    /// The stage that the present poll has reached, if it is a connect.
    static STAGE: Cell<Option<Stage>> = const { Cell::new(None) };
}

/// Calls that programs have broken off from other threads.
static CANCELS: AtomicU32 = AtomicU32::new(0);

/// A program is about to break a call off by shutting its socket down: what the call does then is not repeated.
pub fn note_cancel() {
    CANCELS.fetch_add(1, Ordering::AcqRel);
}

/// Counts them.
#[inline]
pub fn cancels() -> u32 {
    CANCELS.load(Ordering::Relaxed)
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

/// Runs what has to wait even inside a step: functions of the program that take part in a login and know no steps.
pub(super) fn waiting<T>(work: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            STEPPING.set(self.0);
        }
    }
    let _restore = Restore(STEPPING.replace(false));
    work()
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
fn register(fd: BorrowedFd<'_>, interest: Interest, deadline: Option<Instant>) -> Result<(), Errno> {
    use std::os::fd::AsRawFd;
    let joined = JOINED.with_borrow_mut(|joined| match joined {
        Some(joined) => {
            let fd = rustix::io::fcntl_dupfd_cloexec(fd, 0)?;
            joined.push(Joined { fd, interest, deadline });
            Ok(true)
        }
        None => Ok(false),
    });
    if !joined? {
        WAITS.with_borrow_mut(|waits| waits.push(Wait { fd: fd.as_raw_fd(), interest, deadline }));
    }
    Ok(())
}

/// A wait of one of several operations.
struct Joined {
    fd: OwnedFd,
    interest: Interest,
    deadline: Option<Instant>,
}

/// Runs operations side by side on the calling thread, until all have ended or the time is over. None for those that had not
/// ended: they are dropped where they stand.
pub async fn side_by_side<F: Future>(
    operations: impl IntoIterator<Item = F>,
    deadline: Instant,
) -> Vec<Option<F::Output>> {
    let mut running: Vec<Option<Pin<Box<F>>>> = operations.into_iter().map(|one| Some(Box::pin(one))).collect();
    let mut done: Vec<Option<F::Output>> = running.iter().map(|_| None).collect();
    std::future::poll_fn(move |context| {
        let step = stepping();
        loop {
            let first_wait = WAITS.with_borrow(Vec::len);
            let stage = STAGE.get();
            let waits = poll_each(&mut running, &mut done, context, step);
            STAGE.set(stage);
            if running.iter().all(Option::is_none) || Instant::now() >= deadline {
                if step {
                    WAITS.with_borrow_mut(|all| all.truncate(first_wait));
                }
                return Poll::Ready(std::mem::take(&mut done));
            }
            if step {
                // The caller of the step waits no longer than all of them may.
                WAITS.with_borrow_mut(|all| {
                    for wait in &mut all[first_wait..] {
                        wait.deadline = Some(wait.deadline.map_or(deadline, |own| own.min(deadline)));
                    }
                });
                return Poll::Pending;
            }
            wait_for_any(&waits, deadline);
        }
    })
    .await
}

/// One poll of each operation that has not ended.
fn poll_each<F: Future>(
    running: &mut [Option<Pin<Box<F>>>],
    done: &mut [Option<F::Output>],
    context: &mut Context<'_>,
    step: bool,
) -> Vec<Joined> {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            STEPPING.set(self.0);
            if !self.0 {
                JOINED.set(None);
            }
        }
    }
    let _restore = Restore(STEPPING.replace(true));
    if !step {
        JOINED.set(Some(Vec::new()));
    }
    for (operation, output) in running.iter_mut().zip(done) {
        if let Some(one) = operation
            && let Poll::Ready(result) = one.as_mut().poll(context)
        {
            *output = Some(result);
            *operation = None;
        }
    }
    JOINED.take().unwrap_or_default()
}

/// Waits until one of several sockets is ready, or some time is over.
fn wait_for_any(waits: &[Joined], deadline: Instant) {
    let until = waits.iter().filter_map(|wait| wait.deadline).fold(deadline, Instant::min);
    let mut polled: Vec<PollFd<'_>> =
        waits.iter().map(|wait| PollFd::from_borrowed_fd(wait.fd.as_fd(), flags(wait.interest))).collect();
    // However it ends: the next poll of the operations tells what has come.
    let _ = rustix::event::poll(&mut polled, Some(&timespec(until.saturating_duration_since(Instant::now()))));
}

/// Waits for some time, by sleeping or as a pending step.
pub async fn pause(length: Duration) {
    if !stepping() {
        return std::thread::sleep(length);
    }
    use rustix::time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags};
    let once =
        Itimerspec { it_interval: timespec(Duration::ZERO), it_value: timespec(length.max(Duration::from_nanos(1))) };
    let timer = rustix::time::timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC)
        .and_then(|timer| rustix::time::timerfd_settime(&timer, TimerfdTimerFlags::empty(), &once).map(|_| timer));
    match timer {
        Ok(timer) => {
            let _ = wait(timer.as_fd(), Interest::Read, Instant::now().checked_add(length)).await;
        }
        // No descriptor left.
        Err(_) => std::thread::sleep(length),
    }
}

fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX), tv_nsec: i64::from(time.subsec_nanos()) }
}

fn flags(interest: Interest) -> PollFlags {
    match interest {
        Interest::Read => PollFlags::IN,
        Interest::Write => PollFlags::OUT,
    }
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
            Ok(false) if step => match register(fd, interest, deadline) {
                Ok(()) => return Poll::Pending,
                Err(error) => return Poll::Ready(Err(error)),
            },
            Ok(false) | Err(Errno::INTR) => {}
            Err(error) => return Poll::Ready(Err(error)),
        }
    }
}

fn poll(fd: BorrowedFd<'_>, interest: Interest, timeout: Option<Duration>) -> Result<bool, Errno> {
    let timeout = timeout.map(timespec);
    Ok(rustix::event::poll(&mut [PollFd::from_borrowed_fd(fd, flags(interest))], timeout.as_ref())? > 0)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    use super::*;

    fn soon(ms: u64) -> Instant {
        Instant::now() + Duration::from_millis(ms)
    }

    async fn is_told(stream: &UnixStream) -> bool {
        wait(stream.as_fd(), Interest::Read, None).await == Ok(Outcome::Ready)
    }

    #[test]
    fn operations_side_by_side_end_each_by_itself_or_with_the_time() {
        let pairs: Vec<_> = (0..3).map(|_| UnixStream::pair().expect("a pair")).collect();
        (&pairs[0].0).write_all(b"x").expect("sent");
        (&pairs[2].0).write_all(b"x").expect("sent");
        let found = block_on(side_by_side(pairs.iter().map(|(_, there)| is_told(there)), soon(30)));
        assert_eq!(found, [Some(true), None, Some(true)]);
        assert_eq!(
            block_on(side_by_side(pairs[..1].iter().map(|(_, there)| is_told(there)), soon(60_000))),
            [Some(true)]
        );
        assert!(block_on(side_by_side(std::iter::empty::<std::future::Ready<()>>(), soon(60_000))).is_empty());
    }

    #[test]
    fn operations_side_by_side_pend_together_in_a_step() {
        let pairs: Vec<_> = (0..2).map(|_| UnixStream::pair().expect("a pair")).collect();
        let until = soon(60_000);
        let mut both = pin!(side_by_side(pairs.iter().map(|(_, there)| is_told(there)), until));
        let Step::Waiting(waits) = step(both.as_mut(), None) else { panic!("nothing has come") };
        assert_eq!(waits.iter().map(|wait| wait.deadline).collect::<Vec<_>>(), [Some(until), Some(until)]);
        (&pairs[1].0).write_all(b"x").expect("sent");
        let Step::Waiting(waits) = step(both.as_mut(), None) else { panic!("one has not come") };
        assert_eq!(waits.len(), 1);
        (&pairs[0].0).write_all(b"x").expect("sent");
        let Step::Done(found) = step(both.as_mut(), None) else { panic!("both have come") };
        assert_eq!(found, [Some(true), Some(true)]);
    }

    #[test]
    fn a_pause_is_a_wait_in_a_step() {
        let mut pending = pin!(pause(Duration::from_millis(5)));
        let Step::Waiting(waits) = step(pending.as_mut(), None) else { panic!("not yet") };
        assert_eq!(waits.len(), 1);
        std::thread::sleep(Duration::from_millis(10));
        assert!(matches!(step(pending.as_mut(), None), Step::Done(())));
        block_on(pause(Duration::ZERO));
    }
}
