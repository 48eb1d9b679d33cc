//! The non-blocking calls of the MariaDB family: `*_start` begins an operation, `*_cont` goes on with it.
//!
//! Both return 0 when it has ended, its result behind the first argument, or what to wait for on `mysql_get_socket`: a
//! set of `MYSQL_WAIT_*`. The program's `ready_status` counts for `MYSQL_WAIT_TIMEOUT` only: that the time of
//! `mysql_get_timeout_value_ms` is over. As in Connector/C, which continuation is called does not matter as long as its
//! result has the same type, and a continuation of nothing is error 2014.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_ulong};
use std::ptr;

use crate::error::cr;
use crate::session::Session;

use super::connect::{connect_args, status_line};
use super::convert::{c_bytes, put, slice};
use super::entry::{entry, set_error};
use super::family::constants::client_flag::CLIENT_REMEMBER_OPTIONS;
use super::family::{Abi, Row};
use super::handle::Handle;
use super::memory::Result;
use super::nonblocking::start_connect;
use super::query::{columns_of_table, next_answer};
use super::result::read_rows;
use super::step::{self, Call, Progress, false_or_true, zero_or_one};

/// Writes a call's failure value; the value of the function that failed.
pub(super) fn failed<T>(place: *mut T, value: T) -> c_int {
    // SAFETY: NULL, or the place that the program gave for the result.
    unsafe { put(place, value) };
    0
}

/// Whether the program has asked for non-blocking calls; error 2000 if not. Connector/C crashes then.
///
/// # Safety
/// `mysql` is NULL or a valid handle.
pub(super) unsafe fn is_asked_for<F: Abi>(mysql: *mut F::Mysql) -> bool {
    // SAFETY: the caller's promise.
    let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return false };
    let asked = handle.settings.is_nonblocking();
    if !asked {
        let text = b"mysqlclient-ms: set MYSQL_OPT_NONBLOCK before you use a _start function";
        set_error::<F>(mysql, cr::UNKNOWN_ERROR, b"HY000", text);
    }
    asked
}

/// Makes the two functions of a call from its arguments behind `ret` and `mysql`, its result, and the operation.
macro_rules! call {
    ($(#[$doc:meta])* $start:ident, $cont:ident<$f:ident>(
        $mysql:ident $(, $arg:ident: $type:ty)* $(,)?) -> $result:ty, fails $fails:expr, $begin:expr) => {
        entry! {
            $(#[$doc])*
            ///
            /// # Safety
            /// As for the blocking call, whose arguments are copied; `ret` is a writable place for its result.
            fn $start<$f>(ret: *mut $result, $mysql: *mut $f::Mysql, $($arg: $type),*) -> c_int;
            handle $mysql, fails failed(ret, $fails), {
                // SAFETY: the caller's promise.
                if unsafe { !is_asked_for::<$f>($mysql) } {
                    return failed(ret, $fails);
                }
                let progress: Progress<$result> = $begin;
                // SAFETY: the caller's promise.
                unsafe { progress.answer(ret, $fails) }
            }
        }

        entry! {
            /// Goes on with it.
            ///
            /// # Safety
            /// `mysql` is NULL or a valid handle; `ret` is a writable place for the result.
            fn $cont<$f>(ret: *mut $result, $mysql: *mut $f::Mysql, ready_status: c_int) -> c_int;
            handle $mysql, fails failed(ret, $fails), {
                // SAFETY: the caller's promise.
                unsafe { step::resume::<$f, $result>($mysql, ready_status).answer(ret, $fails) }
            }
        }
    };
}

/// Begins a call that returns 0 or 1, as `int`.
///
/// # Safety
/// `mysql` is a valid handle.
unsafe fn int<F: Abi, W>(mysql: *mut F::Mysql, work: impl FnOnce(&'static mut Session) -> W) -> Progress<c_int>
where
    W: Future<Output = std::result::Result<(), crate::error::Error>> + 'static,
{
    // SAFETY: the caller's promise.
    unsafe { step::start(mysql, Call::Other, work, zero_or_one::<F>) }
}

/// Begins a call that returns false or true, as `my_bool`.
///
/// # Safety
/// `mysql` is a valid handle.
unsafe fn bool<F: Abi, W>(mysql: *mut F::Mysql, work: impl FnOnce(&'static mut Session) -> W) -> Progress<c_char>
where
    W: Future<Output = std::result::Result<(), crate::error::Error>> + 'static,
{
    // SAFETY: the caller's promise.
    unsafe { step::start(mysql, Call::Other, work, false_or_true::<F>) }
}

/// A copy of a text; NULL is the empty one.
///
/// # Safety
/// `text` is NULL or a NUL-ended string.
unsafe fn copy(text: *const c_char) -> Vec<u8> {
    // SAFETY: the caller's promise.
    unsafe { c_bytes(text) }.unwrap_or_default().to_vec()
}

call! {
    /// Begins `mysql_real_connect`. Only the name service is waited for.
    mysql_real_connect_start, mysql_real_connect_cont<F>(
        mysql, host: *const c_char, user: *const c_char, passwd: *const c_char, db: *const c_char, port: c_uint,
        unix_socket: *const c_char, client_flag: c_ulong,
    ) -> *mut F::Mysql, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        let args = unsafe { connect_args(host, user, passwd, db, port, unix_socket, client_flag | CLIENT_REMEMBER_OPTIONS) };
        // SAFETY: the caller's promise.
        unsafe { start_connect::<F>(mysql, args) }
    }
}

call! {
    /// Begins `mysql_query`.
    mysql_query_start, mysql_query_cont<F>(mysql, query: *const c_char) -> c_int, fails 1, {
        // SAFETY: the caller's promise.
        let sql = unsafe { copy(query) };
        // SAFETY: the caller's promise.
        unsafe { int::<F, _>(mysql, |session| async move { session.run(&sql).await }) }
    }
}

call! {
    /// Begins `mysql_real_query`.
    mysql_real_query_start, mysql_real_query_cont<F>(
        mysql, query: *const c_char, length: c_ulong,
    ) -> c_int, fails 1, {
        // SAFETY: the caller's promise.
        let sql = unsafe { slice(query, length) }.to_vec();
        // SAFETY: the caller's promise.
        unsafe { int::<F, _>(mysql, |session| async move { session.run(&sql).await }) }
    }
}

call! {
    /// Begins `mysql_send_query`.
    mysql_send_query_start, mysql_send_query_cont<F>(
        mysql, query: *const c_char, length: c_ulong,
    ) -> c_int, fails 1, {
        // SAFETY: the caller's promise.
        let sql = unsafe { slice(query, length) }.to_vec();
        // SAFETY: the caller's promise.
        unsafe { int::<F, _>(mysql, |session| async move { session.send_query(&sql).await }) }
    }
}

call! {
    /// Begins `mysql_read_query_result`.
    mysql_read_query_result_start, mysql_read_query_result_cont<F>(mysql) -> c_char, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { bool::<F, _>(mysql, |session| session.read_query_result()) }
    }
}

call! {
    /// Begins `mysql_store_result`.
    mysql_store_result_start, mysql_store_result_cont<F>(mysql) -> *mut F::Res, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        unsafe { read_rows::<F>(mysql) }
    }
}

call! {
    /// Begins `mysql_next_result`.
    mysql_next_result_start, mysql_next_result_cont<F>(mysql) -> c_int, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { step::start(mysql, Call::NextResult, |session| session.next_result(), next_answer::<F>) }
    }
}

call! {
    /// Begins `mysql_select_db`.
    mysql_select_db_start, mysql_select_db_cont<F>(mysql, db: *const c_char) -> c_int, fails 1, {
        // SAFETY: the caller's promise.
        let schema = unsafe { copy(db) };
        // SAFETY: the caller's promise.
        unsafe { int::<F, _>(mysql, |session| async move { session.select_db(&schema).await }) }
    }
}

call! {
    /// Begins `mysql_set_character_set`.
    mysql_set_character_set_start, mysql_set_character_set_cont<F>(mysql, name: *const c_char) -> c_int, fails 1, {
        // SAFETY: the caller's promise.
        let name = unsafe { copy(name) };
        // SAFETY: the caller's promise.
        unsafe { int::<F, _>(mysql, |session| async move { session.set_character_set(&name).await }) }
    }
}

call! {
    /// Begins `mysql_change_user`.
    mysql_change_user_start, mysql_change_user_cont<F>(
        mysql, user: *const c_char, passwd: *const c_char, db: *const c_char,
    ) -> c_char, fails 1, {
        // SAFETY: the caller's promise.
        let (user, password) = unsafe { (copy(user), zeroize::Zeroizing::new(copy(passwd))) };
        // SAFETY: the caller's promise.
        let database = unsafe { c_bytes(db) }.map(<[u8]>::to_vec);
        // SAFETY: the caller's promise.
        unsafe {
            bool::<F, _>(mysql, |session| async move {
                session.options().program = super::plugin::program_of::<F>(mysql);
                session.change_user(&user, &password, database.as_deref()).await
            })
        }
    }
}

call! {
    /// Begins `mysql_ping`.
    mysql_ping_start, mysql_ping_cont<F>(mysql) -> c_int, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { int::<F, _>(mysql, |session| session.ping()) }
    }
}

call! {
    /// Begins `mysql_reset_connection`.
    mysql_reset_connection_start, mysql_reset_connection_cont<F>(mysql) -> c_int, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { int::<F, _>(mysql, |session| session.reset_connection()) }
    }
}

call! {
    /// Begins `mysql_autocommit`.
    mysql_autocommit_start, mysql_autocommit_cont<F>(mysql, mode: c_char) -> c_char, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { bool::<F, _>(mysql, |session| session.autocommit(mode != 0)) }
    }
}

call! {
    /// Begins `mysql_commit`.
    mysql_commit_start, mysql_commit_cont<F>(mysql) -> c_char, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { bool::<F, _>(mysql, |session| session.commit()) }
    }
}

call! {
    /// Begins `mysql_rollback`.
    mysql_rollback_start, mysql_rollback_cont<F>(mysql) -> c_char, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { bool::<F, _>(mysql, |session| session.rollback()) }
    }
}

call! {
    /// Begins `mysql_set_server_option`.
    mysql_set_server_option_start, mysql_set_server_option_cont<F>(mysql, option: c_uint) -> c_int, fails 1, {
        let number = u16::try_from(option).unwrap_or(u16::MAX);
        // SAFETY: the caller's promise.
        unsafe { int::<F, _>(mysql, |session| session.set_server_option(number)) }
    }
}

call! {
    /// Begins `mysql_refresh`.
    mysql_refresh_start, mysql_refresh_cont<F>(mysql, options: c_uint) -> c_int, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { int::<F, _>(mysql, |session| session.refresh(options as u8)) }
    }
}

call! {
    /// Begins `mysql_dump_debug_info`.
    mysql_dump_debug_info_start, mysql_dump_debug_info_cont<F>(mysql) -> c_int, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { int::<F, _>(mysql, |session| session.dump_debug_info()) }
    }
}

call! {
    /// Begins `mysql_shutdown`.
    mysql_shutdown_start, mysql_shutdown_cont<F>(mysql, level: c_uint) -> c_int, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { int::<F, _>(mysql, |session| async move { session.shutdown(false, &[level as u8]).await }) }
    }
}

call! {
    /// Begins `mysql_kill`.
    mysql_kill_start, mysql_kill_cont<F>(mysql, thread_id: c_ulong) -> c_int, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { int::<F, _>(mysql, |session| session.kill(thread_id)) }
    }
}

call! {
    /// Begins `mysql_stat`.
    mysql_stat_start, mysql_stat_cont<F>(mysql) -> *const c_char, fails ptr::null(), {
        // SAFETY: the caller's promise.
        unsafe { step::start(mysql, Call::Other, |session| session.statistics(), status_line::<F>) }
    }
}

call! {
    /// Begins `mysql_list_fields`.
    mysql_list_fields_start, mysql_list_fields_cont<F>(
        mysql, table: *const c_char, wild: *const c_char,
    ) -> *mut F::Res, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        let (table, wild) = unsafe { (copy(table), copy(wild)) };
        // SAFETY: the caller's promise.
        unsafe {
            step::start(
                mysql,
                Call::Other,
                |session| async move { session.list_fields(&table, &wild).await },
                columns_of_table::<F>,
            )
        }
    }
}

entry! {
    /// Begins `mysql_fetch_row`. A row that is here is given at once.
    ///
    /// # Safety
    /// `result` is NULL or a valid result; `ret` a writable pointer.
    fn mysql_fetch_row_start<F>(ret: *mut Row, result: *mut F::Res) -> c_int;
    result result, fails failed(ret, ptr::null_mut()), {
        // SAFETY: the caller's promise.
        unsafe { Result::<F>::start_fetch(result).answer(ret, ptr::null_mut()) }
    }
}

entry! {
    /// Goes on with it.
    ///
    /// # Safety
    /// As for [`mysql_fetch_row_start`].
    fn mysql_fetch_row_cont<F>(ret: *mut Row, result: *mut F::Res, ready_status: c_int) -> c_int;
    result result, fails failed(ret, ptr::null_mut()), {
        // SAFETY: the caller's promise.
        let Some(owner) = (unsafe { Result::<F>::lend(result) }).map(|ours| ours.owner) else {
            return failed(ret, ptr::null_mut());
        };
        // SAFETY: the caller's promise; the owner is NULL or live.
        unsafe { step::resume::<F, Row>(owner, ready_status).answer(ret, ptr::null_mut()) }
    }
}

entry! {
    /// Begins `mysql_free_result`.
    ///
    /// # Safety
    /// `result` is NULL or a valid result, which is not used after 0.
    fn mysql_free_result_start<F>(result: *mut F::Res) -> c_int;
    result result, fails 0, {
        // SAFETY: the caller's promise.
        unsafe { Result::<F>::start_free(result).answer(ptr::null_mut(), ()) }
    }
}

entry! {
    /// Goes on with it.
    ///
    /// # Safety
    /// As for [`mysql_free_result_start`].
    fn mysql_free_result_cont<F>(result: *mut F::Res, ready_status: c_int) -> c_int;
    result result, fails 0, {
        // SAFETY: the caller's promise.
        unsafe { Result::<F>::resume_free(result, ready_status).answer(ptr::null_mut(), ()) }
    }
}

entry! {
    /// `mysql_close`, which never waits here. Returns: 0.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_close_start<F>(mysql: *mut F::Mysql) -> c_int;
    handle mysql, fails 0, {
        // SAFETY: the caller's promise.
        unsafe { Handle::<F>::close(mysql) };
        0
    }
}

entry! {
    /// Closes a handle that is not closed. Returns: 0.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_close_cont<F>(mysql: *mut F::Mysql, _ready_status: c_int) -> c_int;
    handle mysql, fails 0, {
        // SAFETY: the caller's promise.
        unsafe { Handle::<F>::close(mysql) };
        0
    }
}

entry! {
    /// The time limit of the last wait with `MYSQL_WAIT_TIMEOUT`, in milliseconds from then; 0 before there was one.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_get_timeout_value_ms<F>(mysql: *mut F::Mysql) -> c_uint;
    handle mysql, fails 0, {
        // SAFETY: the caller's promise.
        unsafe { step::timeout::<F>(mysql) }
    }
}

entry! {
    /// The same in seconds, rounded up.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_get_timeout_value<F>(mysql: *mut F::Mysql) -> c_uint;
    handle mysql, fails 0, {
        // SAFETY: the caller's promise.
        unsafe { step::timeout::<F>(mysql) }.div_ceil(1000)
    }
}
