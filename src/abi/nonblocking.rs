//! The non-blocking calls of the MySQL family: each is called again until it no longer says "not ready".
//!
//! A call that finds its own operation pending goes on with it, whatever its arguments; any other call is refused with
//! 2014. The program waits for `MYSQL.net.fd`, or not at all.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_ulong};
use std::ptr;

use crate::conn::driver::Stage;
use crate::error::Error;
use crate::session::{ConnectArgs, Phase};

use super::attributes::attach;
use super::connect::{Dial, connect_args, connected};
use super::convert::{put, slice};
use super::entry::{entry, set_error};
use super::family::constants::client_flag::CLIENT_QUERY_ATTRIBUTES;
use super::family::constants::{connect_stage, net_async};
use super::family::{Abi, Row};
use super::handle::Handle;
use super::memory::Result;
use super::query::next_answer;
use super::result::read_rows;
use super::step::{self, Call, Progress, zero_or_one};

const COMPLETE: c_int = net_async::NET_ASYNC_COMPLETE as c_int;
const NOT_READY: c_int = net_async::NET_ASYNC_NOT_READY as c_int;
const ERROR: c_int = net_async::NET_ASYNC_ERROR as c_int;
const NO_MORE_RESULTS: c_int = net_async::NET_ASYNC_COMPLETE_NO_MORE_RESULTS as c_int;

/// The status of a call that ends with 0 or an error.
fn status(progress: Progress<c_int>) -> c_int {
    match progress {
        Progress::Done(0) => COMPLETE,
        Progress::Waiting(_) => NOT_READY,
        Progress::Done(_) | Progress::Refused => ERROR,
    }
}

entry! {
    /// `mysql_real_connect` without waiting, but for the name service.
    ///
    /// Returns: 0 connected, 1 not ready, 2 an error. Errors: those of `mysql_real_connect`.
    ///
    /// # Safety
    /// As for `mysql_real_connect`; the texts are only read by the first call.
    fn mysql_real_connect_nonblocking<F>(
        mysql: *mut F::Mysql, host: *const c_char, user: *const c_char, passwd: *const c_char, db: *const c_char,
        port: c_uint, unix_socket: *const c_char, client_flag: c_ulong,
    ) -> c_int;
    handle mysql, fails ERROR, {
        // SAFETY: the caller's promise.
        let progress = unsafe { step::again::<F, _>(mysql, Call::Connect) }.unwrap_or_else(|| {
            // SAFETY: the caller's promise.
            let args = unsafe { connect_args(host, user, passwd, db, port, unix_socket, client_flag) };
            // SAFETY: the caller's promise.
            unsafe { start_connect::<F>(mysql, args) }
        });
        match progress {
            Progress::Done(connected) if !connected.is_null() => COMPLETE,
            Progress::Waiting(_) => NOT_READY,
            Progress::Done(_) | Progress::Refused => ERROR,
        }
    }
}

/// Begins to connect.
///
/// # Safety
/// `mysql` is a valid handle.
pub(super) unsafe fn start_connect<F: Abi>(mysql: *mut F::Mysql, args: ConnectArgs) -> Progress<*mut F::Mysql> {
    // SAFETY: the caller's promise.
    let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return Progress::Refused };
    // SAFETY: lent through `mysql`.
    let dial = unsafe { Dial::new(mysql, handle, args) };
    // SAFETY: the caller's promise.
    unsafe { step::start(mysql, Call::Connect, |session| dial.run(session), connected::<F>) }
}

entry! {
    /// How far `mysql_real_connect_nonblocking` is: a `CONNECT_STAGE_*`; 23 once connected, 1 when nothing has begun,
    /// 0 for NULL.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_get_connect_nonblocking_stage<F>(mysql: *mut F::Mysql) -> c_uint;
    handle mysql, fails connect_stage::CONNECT_STAGE_INVALID, {
        // SAFETY: the caller's promise.
        match unsafe { step::connect_stage::<F>(mysql) } {
            Some(stage) => match stage {
                Stage::Connecting => connect_stage::CONNECT_STAGE_NET_WAIT_CONNECT,
                Stage::Greeting => connect_stage::CONNECT_STAGE_READ_GREETING,
                Stage::Tls => connect_stage::CONNECT_STAGE_ESTABLISH_SSL,
                Stage::Exchange => connect_stage::CONNECT_STAGE_AUTH_RUN_FIRST_AUTHENTICATE_USER,
                Stage::Verdict => connect_stage::CONNECT_STAGE_AUTH_READ_CHANGE_USER_RESULT,
                Stage::Switched => connect_stage::CONNECT_STAGE_AUTH_RUN_SECOND_AUTHENTICATE_USER,
                Stage::Commands => connect_stage::CONNECT_STAGE_SEND_ONE_INIT_COMMAND,
            },
            // SAFETY: the caller's promise.
            None if unsafe { Handle::<F>::lend_quietly(mysql).is_none() || F::vio(mysql).read().is_null() } => {
                connect_stage::CONNECT_STAGE_NOT_STARTED
            }
            None => connect_stage::CONNECT_STAGE_COMPLETE,
        }
    }
}

/// The tail of calls that send a statement; `connected`: there was a connection before it. Here, unlike in its blocking
/// calls, libmysqlclient knows 2006: from a connection that it finds closed before it sends, and, but for servers with
/// query attributes, from one that is gone.
fn statement_ended<F: Abi>(
    handle: &mut Handle<F>,
    mysql: *mut F::Mysql,
    (connected, result): (bool, std::result::Result<(), Error>),
) -> c_int {
    // SAFETY: inside the public struct of the handle that a tail is called with.
    let capabilities = unsafe { F::server_capabilities(mysql).read() };
    if connected || capabilities & CLIENT_QUERY_ATTRIBUTES == 0 {
        // SAFETY: a tail is called with the pointer that lent the handle.
        unsafe { handle.answer_as_it_is(mysql, result) }
    } else {
        zero_or_one(handle, mysql, result)
    }
}

/// Goes on with sending a statement, or begins it.
///
/// # Safety
/// `mysql` is a valid handle; `query` a readable buffer of `length` bytes.
unsafe fn send<F: Abi>(mysql: *mut F::Mysql, query: *const c_char, length: c_ulong) -> Progress<c_int> {
    // SAFETY: the caller's promise.
    unsafe { step::again::<F, _>(mysql, Call::SendQuery) }.unwrap_or_else(|| {
        // SAFETY: the caller's promise.
        let sql = unsafe { slice(query, length) }.to_vec();
        // SAFETY: the caller's promise. What cannot be encoded is left out.
        let _ = unsafe { Handle::<F>::lend(mysql) }.map(|handle| unsafe { attach(handle) });
        // SAFETY: the caller's promise.
        unsafe {
            step::start::<F, _, _, _>(
                mysql,
                Call::SendQuery,
                |session| async move {
                    let connected = session.notice_end();
                    (connected, session.send_query(&sql).await)
                },
                |handle, mysql, outcome| {
                    handle.steps.sent = outcome.1.is_ok();
                    statement_ended(handle, mysql, outcome)
                },
            )
        }
    })
}

entry! {
    /// `mysql_send_query` without waiting: 0 sent, 1 not ready, 2 an error. The reply is read by
    /// `mysql_read_query_result`, or without waiting by [`mysql_real_query_nonblocking`].
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `query` a readable buffer of `length` bytes, only read by the first call.
    fn mysql_send_query_nonblocking<F>(mysql: *mut F::Mysql, query: *const c_char, length: c_ulong) -> c_int;
    handle mysql, fails ERROR, {
        // SAFETY: the caller's promise.
        status(unsafe { send::<F>(mysql, query, length) })
    }
}

entry! {
    /// `mysql_real_query` without waiting: 0 the head of the reply was read, 1 not ready, 2 an error.
    ///
    /// After [`mysql_send_query_nonblocking`] it goes on with that statement: the rest of it is sent, its reply read.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `query` a readable buffer of `length` bytes, only read by the first call.
    fn mysql_real_query_nonblocking<F>(mysql: *mut F::Mysql, query: *const c_char, length: c_ulong) -> c_int;
    handle mysql, fails ERROR, {
        // SAFETY: the caller's promise.
        if let Some(progress) = unsafe { step::again::<F, _>(mysql, Call::Query) } {
            return status(progress);
        }
        // SAFETY: the caller's promise.
        match unsafe { step::again::<F, c_int>(mysql, Call::SendQuery) } {
            Some(Progress::Done(0)) | None => {}
            Some(progress) => return status(progress),
        }
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return ERROR };
        if std::mem::take(&mut handle.steps.sent) && handle.session.phase() == Phase::AwaitingReply {
            // SAFETY: the caller's promise.
            return status(unsafe {
                step::start(mysql, Call::Query, |session| session.read_query_result(), zero_or_one::<F>)
            });
        }
        // SAFETY: the caller's promise.
        let sql = unsafe { slice(query, length) }.to_vec();
        // SAFETY: the caller's promise. What cannot be encoded is left out.
        let _ = unsafe { attach(handle) };
        // SAFETY: the caller's promise.
        status(unsafe {
            step::start(
                mysql,
                Call::Query,
                |session| async move {
                    let connected = session.notice_end();
                    (connected, session.run(&sql).await)
                },
                statement_ended::<F>,
            )
        })
    }
}

entry! {
    /// `mysql_store_result` without waiting: 0 with the result, or NULL, in its place; 1 not ready. An error is NULL, too.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `result` a writable pointer.
    fn mysql_store_result_nonblocking<F>(mysql: *mut F::Mysql, result: *mut *mut F::Res) -> c_int;
    handle mysql, fails ERROR, {
        // SAFETY: the caller's promise.
        unsafe { put(result, ptr::null_mut()) };
        // SAFETY: the caller's promise.
        if unsafe { Handle::<F>::lend_quietly(mysql).is_none() && !step::is_busy::<F>(mysql) } {
            return ERROR;
        }
        // SAFETY: the caller's promise.
        let progress = unsafe { step::again::<F, _>(mysql, Call::StoreResult) }.unwrap_or_else(|| {
            // The head of a result that is on its way is asked for by its own call: behind a statement without a result
            // there is none yet.
            // SAFETY: the caller's promise.
            if unsafe { Handle::<F>::pending(mysql).is_some() && F::field_count(mysql).read() == 0 } {
                return Progress::Done(ptr::null_mut());
            }
            // SAFETY: the caller's promise.
            unsafe { read_rows::<F>(mysql) }
        });
        match progress {
            Progress::Done(stored) => {
                // SAFETY: the caller's promise.
                unsafe { put(result, stored) };
                COMPLETE
            }
            Progress::Waiting(_) => NOT_READY,
            Progress::Refused => COMPLETE,
        }
    }
}

entry! {
    /// `mysql_next_result` without waiting: 0 there is one, 1 not ready, 2 an error, 3 no more.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_next_result_nonblocking<F>(mysql: *mut F::Mysql) -> c_int;
    handle mysql, fails ERROR, {
        // SAFETY: the caller's promise.
        let progress = unsafe { step::again::<F, _>(mysql, Call::NextResult) }.unwrap_or_else(|| {
            // SAFETY: the caller's promise.
            unsafe { step::start(mysql, Call::NextResult, |session| session.next_result(), next_answer::<F>) }
        });
        if progress == Progress::Done(-1) { NO_MORE_RESULTS } else { status(progress) }
    }
}

entry! {
    /// `mysql_fetch_row` without waiting: 0 with the row, or NULL at the end or after an error, in its place; 1 not ready.
    ///
    /// # Safety
    /// `result` is NULL or a valid result; `row` a writable pointer.
    fn mysql_fetch_row_nonblocking<F>(result: *mut F::Res, row: *mut Row) -> c_int;
    result result, fails ERROR, {
        // SAFETY: the caller's promise.
        unsafe { put(row, ptr::null_mut()) };
        // SAFETY: the caller's promise.
        if unsafe { !Result::<F>::is_ours(result) } {
            return ERROR;
        }
        // SAFETY: the caller's promise.
        let owner = unsafe { F::res_handle(result).read() };
        // SAFETY: the caller's promise.
        match unsafe { Result::<F>::start_fetch(result) } {
            Progress::Done(values) => {
                if values.is_null() && !owner.is_null() {
                    // SAFETY: a result's handle is live.
                    unsafe { fetch_failed::<F>(owner) };
                }
                // SAFETY: the caller's promise.
                unsafe { put(row, values) };
                COMPLETE
            }
            Progress::Waiting(_) => NOT_READY,
            Progress::Refused => COMPLETE,
        }
    }
}

/// Whatever went wrong while a row was fetched, libmysqlclient calls it out of sync here. Routed handles tell what it was.
///
/// # Safety
/// `mysql` is a valid handle.
unsafe fn fetch_failed<F: Abi>(mysql: *mut F::Mysql) {
    // SAFETY: the caller's promise.
    let failed = unsafe { F::last_errno(mysql).read() } != 0;
    // SAFETY: the caller's promise.
    if failed && unsafe { Handle::<F>::lend_quietly(mysql) }.is_some_and(|handle| !handle.session.is_routed()) {
        let error = Error::out_of_sync();
        set_error::<F>(mysql, error.code, &error.sqlstate, &error.message);
    }
}

entry! {
    /// `mysql_free_result` without waiting for the rows that are still to come: 0 freed, 1 not ready.
    ///
    /// # Safety
    /// `result` is NULL or a valid result, which is not used after 0.
    fn mysql_free_result_nonblocking<F>(result: *mut F::Res) -> c_int;
    result result, fails COMPLETE, {
        // SAFETY: the caller's promise.
        if unsafe { !Result::<F>::is_ours(result) } {
            return ERROR;
        }
        // SAFETY: the caller's promise.
        match unsafe { Result::<F>::start_free(result) } {
            Progress::Done(()) => COMPLETE,
            Progress::Waiting(_) => NOT_READY,
            Progress::Refused => ERROR,
        }
    }
}

/// The tail of a reset: 2006 from a connection that is gone, unlike the blocking call's.
fn reset<F: Abi>(handle: &mut Handle<F>, mysql: *mut F::Mysql, result: std::result::Result<(), Error>) -> c_int {
    // SAFETY: lent through `mysql`.
    unsafe { handle.answer_as_it_is(mysql, result) }
}

entry! {
    /// `mysql_reset_connection` without waiting: 0 done, 1 not ready, 2 an error.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_reset_connection_nonblocking<F>(mysql: *mut F::Mysql) -> c_int;
    handle mysql, fails ERROR, {
        // SAFETY: the caller's promise.
        status(unsafe { step::again::<F, _>(mysql, Call::ResetConnection) }.unwrap_or_else(|| {
            // SAFETY: the caller's promise.
            unsafe {
                step::start(mysql, Call::ResetConnection, |session| session.reset_connection(), reset::<F>)
            }
        }))
    }
}
