//! Operations that a program drives itself: begun by `*_start` or `*_nonblocking`, taken on step by step, ended by the
//! tail that the blocking call has, too.
//!
//! One mechanism for both families. An operation is a boxed future that borrows the handle's session. While it is
//! pending the handle's mark is another one ([`Handle::lend`] finds nothing and sets error 2014), so that nobody but
//! this file touches what the future borrows. Nothing here waits, knows a function by its name or looks into results.

#![allow(unsafe_code)]

use std::any::TypeId;
use std::ffi::{c_char, c_int, c_uint};
use std::future::Future;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::ptr;
use std::time::{Duration, Instant};

use crate::charset::Collation;
use crate::conn::driver::{self, Interest, Stage, Step, Wait, block_on_pinned};
use crate::error::Error;
use crate::session::Session;

use super::entry::set_error;
use super::family::Abi;
use super::family::constants::wait::{MYSQL_WAIT_READ, MYSQL_WAIT_TIMEOUT, MYSQL_WAIT_WRITE};
use super::handle::Handle;
use super::stmt::Statement;

/// Which call an operation belongs to, where another call may follow it up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    Connect,
    SendQuery,
    Query,
    StoreResult,
    NextResult,
    FetchRow,
    FreeResult,
    ResetConnection,
    Other,
}

/// What an operation leaves when it has ended: publishes the outcome and writes the call's result to the place.
type Ending<F> = Box<dyn FnOnce(&mut Handle<F>, *mut <F as Abi>::Mysql, *mut u8)>;

/// One operation that waits.
struct Pending<F: Abi> {
    call: Call,
    /// The type of the call's result.
    result: TypeId,
    future: Pin<Box<dyn Future<Output = Ending<F>>>>,
    waits: Vec<Wait>,
    stage: Option<Stage>,
    /// The statement that it works on; NULL if it is the handle's own.
    statement: *mut F::Stmt,
    /// It lends the handle itself, in its first step, and publishes its outcome.
    whole: bool,
    /// The character set, and whether the server takes backslashes for themselves: programs escape meanwhile.
    reading: (Collation, bool),
}

/// The part of a handle that the non-blocking calls need.
pub(super) struct Steps<F: Abi> {
    pending: Option<Box<Pending<F>>>,
    /// `mysql_get_timeout_value_ms`.
    timeout: c_uint,
    /// A statement was sent by `mysql_send_query_nonblocking` and its reply is `mysql_real_query_nonblocking`'s to read.
    pub sent: bool,
}

impl<F: Abi> Default for Steps<F> {
    fn default() -> Self {
        Steps { pending: None, timeout: 0, sent: false }
    }
}

/// How far a call came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress<T> {
    /// It has ended.
    Done(T),
    /// It waits; a set of `MYSQL_WAIT_*`.
    Waiting(c_int),
    /// There is no such operation, or another one is pending; the error is set.
    Refused,
}

impl<T> Progress<T> {
    /// What a `_start` or `_cont` function returns: 0 with the result in its place, or what is waited for.
    ///
    /// # Safety
    /// `place` is NULL or a writable `T`.
    pub unsafe fn answer(self, place: *mut T, fails: T) -> c_int {
        let value = match self {
            Progress::Waiting(mask) => return mask,
            Progress::Done(value) => value,
            Progress::Refused => fails,
        };
        // SAFETY: the caller's promise.
        unsafe { super::convert::put(place, value) };
        0
    }
}

/// Begins an operation and takes its first step. `work` makes the future, `tail` is what the blocking call does with
/// its outcome.
///
/// # Safety
/// `mysql` is NULL or a valid handle. What `tail` uses besides its arguments outlives the operation.
pub(super) unsafe fn start<F, T, W, O>(
    mysql: *mut F::Mysql,
    call: Call,
    work: impl FnOnce(&'static mut Session) -> W,
    tail: impl FnOnce(&mut Handle<F>, *mut F::Mysql, O) -> T + 'static,
) -> Progress<T>
where
    F: Abi,
    T: 'static,
    W: Future<Output = O> + 'static,
    O: 'static,
{
    // SAFETY: the caller's promise.
    let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return Progress::Refused };
    let slot: *mut Handle<F> = handle;
    // SAFETY: `slot` comes from a lent handle; boxed, it stays where it is. The borrow ends with the future, which is
    // dropped before the handle; meanwhile the mark keeps everybody else away.
    let session: &'static mut Session = unsafe { &mut *ptr::addr_of_mut!((*slot).session) };
    let reading = (session.charset(), session.no_backslash_escapes());
    let work = work(session);
    let future = async move {
        let outcome = work.await;
        let ending: Ending<F> = Box::new(move |handle, mysql, place| {
            let result = tail(handle, mysql, outcome);
            // SAFETY: `advance` gives a place of the result's type, which it has checked.
            unsafe { place.cast::<T>().write(result) };
        });
        ending
    };
    let pending = Pending {
        call,
        result: TypeId::of::<T>(),
        future: Box::pin(future),
        waits: Vec::new(),
        stage: Some(Stage::Connecting),
        statement: ptr::null_mut(),
        whole: false,
        reading,
    };
    // SAFETY: as above; the lent handle is not used any more.
    unsafe { advance(mysql, slot, Box::new(pending), None) }
}

/// Begins the call of a statement: `work` is all of it, from lending the handle to the entry's value.
///
/// # Safety
/// `stmt` is a valid statement of `mysql`, a valid handle. What `work` uses outlives the operation.
pub(super) unsafe fn start_statement<F: Abi, T: 'static>(
    mysql: *mut F::Mysql,
    stmt: *mut F::Stmt,
    work: impl Future<Output = T> + 'static,
) -> Progress<T> {
    // SAFETY: the caller's promise.
    let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return Progress::Refused };
    let reading = (handle.session.charset(), handle.session.no_backslash_escapes());
    let slot: *mut Handle<F> = handle;
    let future = async move {
        let result = work.await;
        // SAFETY: `advance` gives a place of the result's type, which it has checked.
        let ending: Ending<F> = Box::new(move |_, _, place| unsafe { place.cast::<T>().write(result) });
        ending
    };
    let pending = Pending {
        call: Call::Other,
        result: TypeId::of::<T>(),
        future: Box::pin(future),
        waits: Vec::new(),
        stage: None,
        statement: stmt,
        whole: true,
        reading,
    };
    // SAFETY: the lent handle is not used any more: the operation lends it again.
    unsafe { advance(mysql, slot, Box::new(pending), None) }
}

/// Takes the pending operation a step further, whatever call began it, as long as its result has the type `T`;
/// `ready` is a set of `MYSQL_WAIT_*`.
///
/// # Safety
/// `mysql` is NULL or a valid handle.
pub(super) unsafe fn resume<F: Abi, T: 'static>(mysql: *mut F::Mysql, ready: c_int) -> Progress<T> {
    // SAFETY: the caller's promise.
    let (slot, pending) = match unsafe { take::<F>(mysql, |pending| pending.result == TypeId::of::<T>()) } {
        Taken::Pending(slot, pending) => (slot, pending),
        Taken::Lost => return Progress::Refused,
        Taken::Nothing => {
            if !mysql.is_null() {
                out_of_sync::<F>(mysql);
            }
            return Progress::Refused;
        }
    };
    let expired = pending.waits.first().copied().filter(|_| ready & MYSQL_WAIT_TIMEOUT != 0);
    // SAFETY: the caller's promise; the pending operation is this handle's.
    unsafe { advance(mysql, slot, pending, expired) }
}

/// Takes the pending operation a step further if `call` began it; None: it did not, and nothing has been done.
///
/// # Safety
/// `mysql` is NULL or a valid handle.
pub(super) unsafe fn again<F: Abi, T: 'static>(mysql: *mut F::Mysql, call: Call) -> Option<Progress<T>> {
    // SAFETY: the caller's promise.
    match unsafe { take::<F>(mysql, |pending| pending.call == call && pending.result == TypeId::of::<T>()) } {
        // SAFETY: the caller's promise; the pending operation is this handle's.
        Taken::Pending(slot, pending) => Some(unsafe { advance(mysql, slot, pending, None) }),
        Taken::Lost => Some(Progress::Refused),
        Taken::Nothing => None,
    }
}

/// Runs a pending operation of `call` to its end, waiting for it.
///
/// # Safety
/// `mysql` is NULL or a valid handle.
#[cold]
pub(super) unsafe fn complete<F: Abi, T: 'static>(mysql: *mut F::Mysql, call: Call) -> Option<T> {
    // SAFETY: the caller's promise.
    let taken = unsafe { take::<F>(mysql, |pending| pending.call == call && pending.result == TypeId::of::<T>()) };
    let Taken::Pending(slot, mut pending) = taken else { return None };
    // SAFETY: the caller's promise.
    unsafe { hand_over(slot, &pending) };
    let ending = block_on_pinned(Pin::new(&mut pending.future));
    drop(pending);
    // SAFETY: the caller's promise; the future is gone, and with it the borrow of the session.
    Some(unsafe { end(mysql, slot, ending) })
}

/// Drops a pending operation where it stands. What its connection owes is lost with it.
///
/// # Safety
/// `mysql` is NULL or a valid handle.
pub(super) unsafe fn cancel<F: Abi>(mysql: *mut F::Mysql) {
    // SAFETY: the caller's promise.
    let Some(slot) = (unsafe { Handle::<F>::pending(mysql) }) else { return };
    // SAFETY: the caller's promise; only this part of the handle is borrowed.
    let pending = unsafe { (*ptr::addr_of_mut!((*slot).steps.pending)).take() };
    if let Some(pending) = &pending {
        // SAFETY: NULL or the operation's statement, which is live as long as the operation.
        unsafe { Statement::<F>::set_pending(pending.statement, false) };
    }
    // SAFETY: the caller's promise.
    let owns = unsafe { Handle::owns_pending(slot, mysql) };
    match pending {
        // The program has closed the descriptor of a connection that is being made; it may be somebody else's by now.
        Some(pending) if !owns && pending.call == Call::Connect => std::mem::forget(pending),
        pending => drop(pending),
    }
    // SAFETY: the future is gone, and with it the borrow of the session.
    unsafe { Handle::set_pending(slot, false) };
}

/// Whether an operation of `call` is pending.
///
/// # Safety
/// `mysql` is NULL or points to a `MYSQL` whose private pointer is ours or NULL.
pub(super) unsafe fn is_pending<F: Abi>(mysql: *mut F::Mysql, call: Call) -> bool {
    // SAFETY: the caller's promise.
    let Some(slot) = (unsafe { Handle::<F>::pending(mysql) }) else { return false };
    // SAFETY: only this part of the handle is borrowed, and not for long.
    unsafe { (*ptr::addr_of!((*slot).steps.pending)).as_deref() }.is_some_and(|pending| pending.call == call)
}

/// Whether any operation is pending.
///
/// # Safety
/// `mysql` is NULL or points to a `MYSQL` whose private pointer is ours or NULL.
pub(super) unsafe fn is_busy<F: Abi>(mysql: *mut F::Mysql) -> bool {
    // SAFETY: the caller's promise.
    unsafe { Handle::<F>::pending(mysql) }.is_some()
}

/// Error 2014 in a handle on which an operation is pending; other pointers are left alone.
///
/// # Safety
/// `mysql` is NULL or points to a `MYSQL` whose private pointer is ours or NULL.
#[cold]
#[inline(never)]
pub(super) unsafe fn refuse<F: Abi>(mysql: *mut F::Mysql) {
    // SAFETY: the caller's promise.
    if unsafe { Handle::<F>::pending(mysql) }.is_some() {
        out_of_sync::<F>(mysql);
    }
}

fn out_of_sync<F: Abi>(mysql: *mut F::Mysql) {
    let error = Error::out_of_sync();
    set_error::<F>(mysql, error.code, &error.sqlstate, &error.message);
}

/// What was found on a handle.
enum Taken<F: Abi> {
    /// The operation that was wanted, out of its handle.
    Pending(*mut Handle<F>, Box<Pending<F>>),
    /// It was there, but its connection is another process's, or closed by the program. The error is set.
    Lost,
    /// There is none, or another one.
    Nothing,
}

/// Takes a pending operation out of its handle if it is `wanted`.
///
/// # Safety
/// `mysql` is NULL or a valid handle.
unsafe fn take<F: Abi>(mysql: *mut F::Mysql, wanted: impl FnOnce(&Pending<F>) -> bool) -> Taken<F> {
    // SAFETY: the caller's promise.
    let Some(slot) = (unsafe { Handle::<F>::pending(mysql) }) else { return Taken::Nothing };
    // SAFETY: only this part of the handle is borrowed, and not for long.
    let place = unsafe { &mut *ptr::addr_of_mut!((*slot).steps.pending) };
    if !place.as_deref().is_some_and(wanted) {
        return Taken::Nothing;
    }
    // SAFETY: the caller's promise.
    if unsafe { Handle::owns_pending(slot, mysql) } {
        return place.take().map_or(Taken::Nothing, |pending| Taken::Pending(slot, pending));
    }
    // SAFETY: the caller's promise.
    unsafe { cancel::<F>(mysql) };
    // Lending notices the loss and drops the connections.
    // SAFETY: the caller's promise.
    if let Some(handle) = unsafe { Handle::<F>::lend(mysql) } {
        // SAFETY: lent through `mysql`.
        unsafe { handle.answer(mysql, Err(Error::lost(F::FAMILY))) };
    }
    Taken::Lost
}

/// One step.
///
/// # Safety
/// `mysql` is a valid handle, `slot` what is behind it, and `pending` its operation, with a result of type `T`.
unsafe fn advance<F: Abi, T: 'static>(
    mysql: *mut F::Mysql,
    slot: *mut Handle<F>,
    mut pending: Box<Pending<F>>,
    expired: Option<Wait>,
) -> Progress<T> {
    // SAFETY: the caller's promise.
    unsafe { hand_over(slot, &pending) };
    let step = driver::step(pending.future.as_mut(), expired);
    pending.stage = driver::last_stage().or(pending.stage);
    match step {
        Step::Done(ending) => {
            drop(pending);
            // SAFETY: the caller's promise; the future is gone, and with it the borrow of the session.
            Progress::Done(unsafe { end(mysql, slot, ending) })
        }
        Step::Waiting(waits) => {
            pending.waits = waits;
            // SAFETY: the caller's promise.
            Progress::Waiting(unsafe { suspend(mysql, slot, pending) })
        }
    }
}

/// Lets an operation have what it works on.
///
/// # Safety
/// `slot` is what is behind the handle of `pending`, its operation.
unsafe fn hand_over<F: Abi>(slot: *mut Handle<F>, pending: &Pending<F>) {
    // One that has borrowed the session keeps the handle from calls that the program makes from within (its file
    // handler); one that lends the handle itself must find it.
    // SAFETY: the caller's promise.
    unsafe { Handle::set_pending(slot, !pending.whole) };
    // SAFETY: NULL or the operation's statement, which is live as long as the operation.
    unsafe { Statement::<F>::set_pending(pending.statement, false) };
}

/// Ends an operation whose future is gone.
///
/// # Safety
/// As for [`advance`].
unsafe fn end<F: Abi, T: 'static>(mysql: *mut F::Mysql, slot: *mut Handle<F>, ending: Ending<F>) -> T {
    // SAFETY: the caller's promise.
    unsafe { Handle::set_pending(slot, false) };
    // SAFETY: the caller's promise; nothing else borrows the handle now.
    let handle = unsafe { &mut *slot };
    // SAFETY: the caller's promise.
    unsafe { handle.show_own_descriptor(mysql) };
    let mut result = MaybeUninit::<T>::uninit();
    ending(handle, mysql, result.as_mut_ptr().cast());
    // SAFETY: the ending has written it, or not returned.
    unsafe { result.assume_init() }
}

/// Keeps an operation that waits, and shows for what: the set of `MYSQL_WAIT_*`.
///
/// # Safety
/// As for [`advance`].
unsafe fn suspend<F: Abi>(mysql: *mut F::Mysql, slot: *mut Handle<F>, pending: Box<Pending<F>>) -> c_int {
    let mut mask = 0;
    let mut deadline: Option<Instant> = None;
    for wait in &pending.waits {
        mask |= match wait.interest {
            Interest::Read => MYSQL_WAIT_READ,
            Interest::Write => MYSQL_WAIT_WRITE,
        };
        deadline = [deadline, wait.deadline].into_iter().flatten().min();
    }
    if let Some(wait) = pending.waits.first() {
        // SAFETY: the caller's promise.
        unsafe { F::fd(mysql).write(wait.fd) };
    }
    if let Some(deadline) = deadline {
        mask |= MYSQL_WAIT_TIMEOUT;
        let left = milliseconds(deadline.saturating_duration_since(Instant::now()));
        // SAFETY: the caller's promise; only this part of the handle is touched.
        unsafe { ptr::addr_of_mut!((*slot).steps.timeout).write(left) };
    }
    // SAFETY: NULL or the operation's statement, which is live as long as the operation.
    unsafe { Statement::<F>::set_pending(pending.statement, true) };
    // SAFETY: the caller's promise. A reference to the handle that the operation holds is not used while it waits.
    unsafe { Handle::set_pending(slot, true) };
    // SAFETY: as above.
    unsafe { *ptr::addr_of_mut!((*slot).steps.pending) = Some(pending) };
    mask
}

/// Whole milliseconds, rounded up: who sleeps so long has let the deadline pass.
fn milliseconds(left: Duration) -> c_uint {
    c_uint::try_from(left.as_nanos().div_ceil(1_000_000)).unwrap_or(c_uint::MAX)
}

/// `mysql_get_timeout_value_ms`: the time limit of the last wait that had one, as it was then.
///
/// # Safety
/// `mysql` is NULL or points to a `MYSQL` whose private pointer is ours or NULL.
pub(super) unsafe fn timeout<F: Abi>(mysql: *mut F::Mysql) -> c_uint {
    // SAFETY: the caller's promise.
    match unsafe { Handle::<F>::pending(mysql) } {
        // SAFETY: only this part of the handle is read.
        Some(slot) => unsafe { ptr::addr_of!((*slot).steps.timeout).read() },
        // SAFETY: the caller's promise.
        None => unsafe { Handle::<F>::lend_quietly(mysql) }.map_or(0, |handle| handle.steps.timeout),
    }
}

/// The stage of a pending connect.
///
/// # Safety
/// `mysql` is NULL or points to a `MYSQL` whose private pointer is ours or NULL.
pub(super) unsafe fn connect_stage<F: Abi>(mysql: *mut F::Mysql) -> Option<Stage> {
    // SAFETY: the caller's promise.
    let slot = unsafe { Handle::<F>::pending(mysql) }?;
    // SAFETY: only this part of the handle is borrowed, and not for long.
    let pending = unsafe { (*ptr::addr_of!((*slot).steps.pending)).as_deref() }?;
    if pending.call == Call::Connect { pending.stage } else { None }
}

/// The character set of a handle, and whether its server takes backslashes for themselves; also while an operation is
/// pending on it.
///
/// # Safety
/// `mysql` is NULL or points to a `MYSQL` whose private pointer is ours or NULL.
#[inline]
pub(super) unsafe fn reading<F: Abi>(mysql: *mut F::Mysql) -> Option<(Collation, bool)> {
    // SAFETY: the caller's promise.
    if let Some(handle) = unsafe { Handle::<F>::lend_quietly(mysql) } {
        return Some((handle.session.charset(), handle.session.no_backslash_escapes()));
    }
    // SAFETY: the caller's promise.
    unsafe { reading_meanwhile::<F>(mysql) }
}

/// # Safety
/// As for [`reading`].
#[cold]
unsafe fn reading_meanwhile<F: Abi>(mysql: *mut F::Mysql) -> Option<(Collation, bool)> {
    // SAFETY: the caller's promise.
    let slot = unsafe { Handle::<F>::pending(mysql) }?;
    // SAFETY: only this part of the handle is borrowed, and not for long.
    unsafe { (*ptr::addr_of!((*slot).steps.pending)).as_deref() }.map(|pending| pending.reading)
}

/// The tail of calls that return 0 or 1.
pub(super) fn zero_or_one<F: Abi>(handle: &mut Handle<F>, mysql: *mut F::Mysql, result: Result<(), Error>) -> c_int {
    // SAFETY: a tail is called with the pointer that lent the handle.
    unsafe { handle.answer(mysql, result) }
}

/// The tail of calls that return false or true.
pub(super) fn false_or_true<F: Abi>(handle: &mut Handle<F>, mysql: *mut F::Mysql, result: Result<(), Error>) -> c_char {
    zero_or_one(handle, mysql, result) as c_char
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::abi::entry::entry;
    use crate::abi::family::{MariaDb, mariadb};
    use crate::conn::driver::wait_for;
    use crate::error::cr;
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;

    type Mysql = mariadb::Mysql;

    /// A call that waits for a byte, then panics or not.
    async fn waits(stream: UnixStream, panics: bool) -> Result<(), Error> {
        wait_for(&stream, Interest::Read, None).await;
        assert!(!panics, "as asked for");
        Ok(())
    }

    entry! {
        /// Goes on.
        /// # Safety
        /// A valid handle.
        fn goes_on<F>(ret: *mut c_int, mysql: *mut F::Mysql) -> c_int;
        handle mysql, fails -9, {
            // SAFETY: a valid handle.
            unsafe { resume::<F, c_int>(mysql, 0).answer(ret, 1) }
        }
    }

    fn begun(panics: bool) -> (*mut Mysql, UnixStream, c_int) {
        // SAFETY: NULL asks for memory of ours.
        let mysql = unsafe { Handle::<MariaDb>::init(ptr::null_mut()) };
        let (theirs, ours) = UnixStream::pair().unwrap();
        let fd = ours.as_raw_fd();
        let work = |_: &'static mut Session| waits(ours, panics);
        // SAFETY: a valid handle.
        let progress = unsafe { start(mysql, Call::Other, work, zero_or_one::<MariaDb>) };
        assert_eq!(progress, Progress::Waiting(MYSQL_WAIT_READ));
        // SAFETY: as above.
        assert_eq!(unsafe { MariaDb::fd(mysql).read() }, fd, "the socket to wait for is shown");
        (mysql, theirs, fd)
    }

    fn errno(mysql: *mut Mysql) -> u32 {
        // SAFETY: a valid handle.
        unsafe { MariaDb::last_errno(mysql).read() }
    }

    #[test]
    fn nobody_else_has_the_handle_while_a_call_waits() {
        let (mysql, mut theirs, _) = begun(false);
        // SAFETY: a valid handle.
        assert!(unsafe { Handle::<MariaDb>::lend(mysql) }.is_none());
        assert_eq!(errno(mysql), cr::COMMANDS_OUT_OF_SYNC);
        // SAFETY: as above.
        assert!(unsafe { reading::<MariaDb>(mysql) }.is_some());
        // SAFETY: as above.
        assert_eq!(unsafe { resume::<MariaDb, c_char>(mysql, 0) }, Progress::Refused, "a result of another type");
        // SAFETY: as above.
        assert_eq!(unsafe { resume::<MariaDb, c_int>(mysql, 0) }, Progress::Waiting(MYSQL_WAIT_READ));
        std::io::Write::write_all(&mut theirs, b"x").unwrap();
        // SAFETY: as above.
        assert_eq!(unsafe { resume::<MariaDb, c_int>(mysql, 0) }, Progress::Done(0));
        assert_eq!(errno(mysql), 0);
        // SAFETY: as above.
        assert_eq!(unsafe { MariaDb::fd(mysql).read() }, -1, "it is not connected");
        // SAFETY: as above.
        assert!(unsafe { Handle::<MariaDb>::lend(mysql) }.is_some());
        // SAFETY: not used after this.
        unsafe { Handle::<MariaDb>::close(mysql) };
    }

    #[test]
    fn a_panic_in_a_step_ends_the_call_and_the_handle_can_be_closed() {
        let (mysql, mut theirs, _) = begun(true);
        std::io::Write::write_all(&mut theirs, b"x").unwrap();
        let mut ret = 5;
        // SAFETY: a valid handle.
        assert_eq!(unsafe { goes_on::<MariaDb>(&raw mut ret, mysql) }, -9);
        assert_eq!((errno(mysql), ret), (cr::UNKNOWN_ERROR, 5));
        // SAFETY: as above.
        assert!(unsafe { Handle::<MariaDb>::lend(mysql) }.is_some());
        // SAFETY: not used after this.
        unsafe { Handle::<MariaDb>::close(mysql) };
    }

    #[test]
    fn closing_drops_what_waits() {
        let (mysql, mut theirs, _) = begun(false);
        // SAFETY: not used after this.
        unsafe { Handle::<MariaDb>::close(mysql) };
        let mut rest = Vec::new();
        assert_eq!(std::io::Read::read_to_end(&mut theirs, &mut rest).unwrap(), 0, "the other end is closed");
    }

    #[test]
    fn a_call_that_waits_can_be_run_to_its_end() {
        let (mysql, mut theirs, _) = begun(false);
        std::io::Write::write_all(&mut theirs, b"x").unwrap();
        // SAFETY: a valid handle.
        assert_eq!(unsafe { complete::<MariaDb, c_int>(mysql, Call::FetchRow) }, None);
        // SAFETY: as above.
        assert_eq!(unsafe { complete::<MariaDb, c_int>(mysql, Call::Other) }, Some(0));
        // SAFETY: not used after this.
        unsafe { Handle::<MariaDb>::close(mysql) };
    }

    #[test]
    fn milliseconds_are_rounded_up() {
        assert_eq!(milliseconds(Duration::ZERO), 0);
        assert_eq!(milliseconds(Duration::from_nanos(1)), 1);
        assert_eq!(milliseconds(Duration::from_secs(30)), 30_000);
        assert_eq!(milliseconds(Duration::from_secs(u64::MAX)), c_uint::MAX);
    }
}
