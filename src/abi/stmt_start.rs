//! The non-blocking calls of prepared statements (MariaDB family): [`super::start`] for `MYSQL_STMT`.
//!
//! A statement that has no handle any more cannot wait: its calls end at once, as in Connector/C. While one waits, other
//! calls of the statement and the handle are refused with 2014.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_ulong};
use std::future::Future;
use std::pin::pin;

use crate::conn::driver::block_on_pinned;

use super::convert::slice;
use super::entry::{entry, set_stmt_error};
use super::family::Abi;
use super::start::{failed, is_asked_for};
use super::step::{self, Progress};
use super::stmt;

/// Begins a statement's call.
///
/// # Safety
/// `stmt` is a valid statement. What `work` uses outlives the operation.
unsafe fn begin<F: Abi, T: 'static>(stmt: *mut F::Stmt, work: impl Future<Output = T> + 'static) -> Progress<T> {
    // SAFETY: the caller's promise.
    let mysql = unsafe { F::stmt_mysql(stmt).read() };
    if mysql.is_null() {
        return Progress::Done(block_on_pinned(pin!(work)));
    }
    // SAFETY: a statement's handle is live.
    if unsafe { !is_asked_for::<F>(mysql) } {
        // SAFETY: as above.
        unsafe { tell::<F>(stmt, mysql) };
        return Progress::Refused;
    }
    // SAFETY: as above.
    unsafe { step::start_statement::<F, T>(mysql, stmt, work) }
}

/// The handle's error is the statement's, too.
///
/// # Safety
/// `stmt` is a valid statement of `mysql`, a valid handle.
unsafe fn tell<F: Abi>(stmt: *mut F::Stmt, mysql: *mut F::Mysql) {
    // SAFETY: inside the public struct.
    let code = unsafe { F::last_errno(mysql).read() };
    // SAFETY: a NUL-ended public field.
    let text = unsafe { super::convert::c_bytes(F::last_error(mysql).cast_const().cast()) }.unwrap_or_default();
    set_stmt_error::<F>(stmt, code, b"HY000", text);
}

/// Makes the two functions of a call from its arguments behind `ret` and `stmt`, its result, and its work.
macro_rules! call {
    ($(#[$doc:meta])* $start:ident, $cont:ident<$f:ident>(
        $stmt:ident $(, $arg:ident: $type:ty)* $(,)?) -> $result:ty, $work:expr) => {
        entry! {
            $(#[$doc])*
            ///
            /// # Safety
            /// As for the blocking call, whose texts are copied; `ret` is a writable place for its result.
            fn $start<$f>(ret: *mut $result, $stmt: *mut $f::Stmt, $($arg: $type),*) -> c_int;
            statement $stmt, fails failed(ret, 1), {
                let work = $work;
                // SAFETY: the caller's promise.
                unsafe { begin::<$f, $result>($stmt, work).answer(ret, 1) }
            }
        }

        entry! {
            /// Goes on with it.
            ///
            /// # Safety
            /// `stmt` is NULL or a valid statement; `ret` is a writable place for the result.
            fn $cont<$f>(ret: *mut $result, $stmt: *mut $f::Stmt, ready_status: c_int) -> c_int;
            statement $stmt, fails failed(ret, 1), {
                // SAFETY: the caller's promise.
                unsafe { step::resume::<$f, $result>($f::stmt_mysql($stmt).read(), ready_status).answer(ret, 1) }
            }
        }
    };
}

call! {
    /// Begins `mysql_stmt_prepare`.
    mysql_stmt_prepare_start, mysql_stmt_prepare_cont<F>(
        stmt, query: *const c_char, length: c_ulong,
    ) -> c_int, {
        // SAFETY: the caller's promise.
        let sql = unsafe { stmt::text(query, length, F::FAMILY) }.to_vec();
        // SAFETY: the caller's promise.
        async move { unsafe { stmt::prepare::<F>(stmt, &sql).await } }
    }
}

call! {
    /// Begins `mysql_stmt_execute`. What is bound stays until it has ended.
    mysql_stmt_execute_start, mysql_stmt_execute_cont<F>(stmt) -> c_int, {
        // SAFETY: the caller's promise.
        unsafe { stmt::execute::<F>(stmt) }
    }
}

call! {
    /// Begins `mysql_stmt_store_result`.
    mysql_stmt_store_result_start, mysql_stmt_store_result_cont<F>(stmt) -> c_int, {
        // SAFETY: the caller's promise.
        unsafe { stmt::store_result::<F>(stmt) }
    }
}

call! {
    /// Begins `mysql_stmt_next_result`.
    mysql_stmt_next_result_start, mysql_stmt_next_result_cont<F>(stmt) -> c_int, {
        // SAFETY: the caller's promise.
        unsafe { stmt::next_result::<F>(stmt) }
    }
}

call! {
    /// Begins `mysql_stmt_free_result`.
    mysql_stmt_free_result_start, mysql_stmt_free_result_cont<F>(stmt) -> c_char, {
        // SAFETY: the caller's promise.
        unsafe { stmt::free_result::<F>(stmt) }
    }
}

call! {
    /// Begins `mysql_stmt_reset`.
    mysql_stmt_reset_start, mysql_stmt_reset_cont<F>(stmt) -> c_char, {
        // SAFETY: the caller's promise.
        unsafe { stmt::reset::<F>(stmt) }
    }
}

call! {
    /// Begins `mysql_stmt_close`. The statement is not used after 0.
    mysql_stmt_close_start, mysql_stmt_close_cont<F>(stmt) -> c_char, {
        // SAFETY: the caller's promise.
        unsafe { stmt::close::<F>(stmt) }
    }
}

call! {
    /// Begins `mysql_stmt_send_long_data`.
    mysql_stmt_send_long_data_start, mysql_stmt_send_long_data_cont<F>(
        stmt, number: c_uint, data: *const c_char, length: c_ulong,
    ) -> c_char, {
        // SAFETY: the caller's promise.
        let data = unsafe { slice(data, length) }.to_vec();
        // SAFETY: the caller's promise.
        async move { unsafe { stmt::send_long_data::<F>(stmt, number, &data).await } }
    }
}

entry! {
    /// Begins `mysql_stmt_fetch`. A row that is here is fetched at once.
    ///
    /// # Safety
    /// As for `mysql_stmt_fetch`; `ret` is a writable place for its result.
    fn mysql_stmt_fetch_start<F>(ret: *mut c_int, stmt: *mut F::Stmt) -> c_int;
    statement stmt, fails failed(ret, 1), {
        // SAFETY: the caller's promise.
        unsafe {
            if stmt::row_is_here::<F>(stmt) {
                // By its address: a second place for the compiler to inline it would make the first one longer.
                let fetch: unsafe extern "C" fn(*mut F::Stmt) -> c_int = stmt::mysql_stmt_fetch::<F>;
                Progress::Done(std::hint::black_box(fetch)(stmt)).answer(ret, 1)
            } else {
                begin::<F, c_int>(stmt, stmt::fetch::<F>(stmt)).answer(ret, 1)
            }
        }
    }
}

entry! {
    /// Goes on with it.
    ///
    /// # Safety
    /// As for [`mysql_stmt_fetch_start`].
    fn mysql_stmt_fetch_cont<F>(ret: *mut c_int, stmt: *mut F::Stmt, ready_status: c_int) -> c_int;
    statement stmt, fails failed(ret, 1), {
        // SAFETY: the caller's promise.
        unsafe { step::resume::<F, c_int>(F::stmt_mysql(stmt).read(), ready_status).answer(ret, 1) }
    }
}
