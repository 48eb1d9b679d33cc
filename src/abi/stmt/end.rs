//! Entries that go on to the next result, free it, reset and end a statement.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_ulong};
use std::pin::pin;
use std::ptr;

use crate::conn::driver::block_on_pinned;
use crate::error::Error;
use crate::options::Family;

use super::super::entry::{clear_error, entry, set_error, set_stmt_error};
use super::super::family::Abi;
use super::super::handle::Handle;
use super::{Current, Rows, State, Statement, is_busy};

entry! {
    /// Goes on to the next result of a procedure.
    ///
    /// Returns: 0 = there is one; -1 = no more; above 0 = an error. Errors: 2014; the server's.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn mysql_stmt_next_result<F>(stmt: *mut F::Stmt) -> c_int;
    statement stmt, fails 1, {
        // SAFETY: the caller's promise.
        block_on_pinned(pin!(unsafe { next_result::<F>(stmt) }))
    }
}

/// [`mysql_stmt_next_result`].
///
/// # Safety
/// `stmt` is a valid statement.
pub(in crate::abi) async unsafe fn next_result<F: Abi>(stmt: *mut F::Stmt) -> c_int {
    // SAFETY: the caller's promise.
    let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return 1 };
    // SAFETY: the caller's promise.
    let Some((mysql, handle)) = (unsafe { ours.handle() }) else {
        if F::FAMILY == Family::MariaDb {
            ours.fail(&ours.why_no_handle());
        }
        return 1;
    };
    match F::FAMILY {
        Family::MySql => {
            if let number @ 1.. = ours.errno() {
                return number as c_int;
            }
            if handle.session.more_results() {
                let _ = ours.reset_rows(handle).await;
            }
        }
        Family::MariaDb => {
            if ours.state < State::Executed {
                // SAFETY: a valid handle.
                unsafe { ours.out_of_sync(mysql) };
                return 1;
            }
            if !handle.session.more_results() {
                return -1;
            }
            if ours.state > State::Executed && ours.state < State::Done {
                let _ = ours.throw_rows_away(handle).await;
            }
        }
    }
    let flags = ours.cursor_flags();
    match handle.session.next_statement_result(flags != 0).await {
        Ok(None) => {
            // SAFETY: lent through `mysql`.
            unsafe { handle.publish(mysql) };
            if F::FAMILY == Family::MySql {
                // The handle's error, which is none.
                set_stmt_error::<F>(stmt, 0, b"00000", b"");
            }
            -1
        }
        Ok(Some(mut executed)) => {
            // libmysqlclient's statement keeps what its execution brought.
            if F::FAMILY == Family::MariaDb {
                ours.take_outcome(handle);
            }
            executed.status_before_rows = None;
            // SAFETY: lent through `mysql`.
            unsafe { handle.publish(mysql) };
            ours.forget_columns();
            if executed.shape.is_nothing() {
                ours.set_columns(crate::result::ColumnsBuilder::default().finish());
            }
            // SAFETY: inside the public struct.
            unsafe { F::stmt_bind_result_done(stmt).write(0) };
            ours.take_executed(executed)
        }
        Err(error) => {
            if F::FAMILY == Family::MariaDb {
                ours.set_state(State::Done);
                ours.rows = Rows::Ended;
            }
            // SAFETY: lent through `mysql`.
            unsafe { ours.answer_failure(mysql, handle, error) };
            1
        }
    }
}

entry! {
    /// Frees the result: stored rows, or those that wait.
    ///
    /// Returns: 0; 1 on an error. Errors, of the MariaDB family only: 2013 without a handle, 2014 while another
    /// statement's rows wait.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn mysql_stmt_free_result<F>(stmt: *mut F::Stmt) -> c_char;
    statement stmt, fails 1, {
        // SAFETY: the caller's promise.
        block_on_pinned(pin!(unsafe { free_result::<F>(stmt) }))
    }
}

/// [`mysql_stmt_free_result`].
///
/// # Safety
/// `stmt` is a valid statement.
pub(in crate::abi) async unsafe fn free_result<F: Abi>(stmt: *mut F::Stmt) -> c_char {
    // SAFETY: the caller's promise.
    let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return 1 };
    // SAFETY: the caller's promise.
    let found = unsafe { ours.handle() };
    let Some((mysql, handle)) = found else {
        if F::FAMILY == Family::MariaDb {
            ours.fail(&ours.why_no_handle());
            return 1;
        }
        if ours.state > State::New {
            ours.drop_rows();
            ours.clear_error();
            ours.set_state(State::Prepared);
        }
        return 0;
    };
    for bind in &mut ours.params {
        bind.long_data_used = 0;
    }
    match F::FAMILY {
        Family::MySql => {
            if ours.state > State::New {
                let _ = ours.reset_rows(handle).await;
                ours.clear_error();
            }
            // SAFETY: lent through `mysql`.
            unsafe { handle.publish_quietly(mysql) };
        }
        Family::MariaDb => {
            if ours.state <= State::Waiting && ours.others_wait(handle) {
                ours.fail(&Error::out_of_sync());
                return 1;
            }
            clear_error::<F>(mysql);
            ours.clear_error();
            if let Rows::Stored(rows, next) = &ours.rows {
                // As many as there were, where all were fetched.
                ours.fetched = if *next >= rows.len() { rows.len() } else { 0 };
                ours.set_state(State::Done);
            }
            if ours.state == State::Waiting && !is_busy(handle) {
                // As Connector/C: the rows that nobody asked for are asked for, and are not there any more.
                let error = Error::out_of_sync();
                set_error::<F>(mysql, error.code, &error.sqlstate, &error.message);
                ours.set_state(State::Fetching);
            } else {
                let _ = ours.throw_rows_away(handle).await;
                if ours.state > State::Executed {
                    ours.set_state(State::Done);
                }
            }
            ours.drop_rows();
            // SAFETY: lent through `mysql`.
            unsafe { handle.publish_quietly(mysql) };
        }
    }
    0
}

impl<F: Abi> Statement<F> {
    /// Connector/C: rows that are stored are gone, but not their number.
    pub(super) fn forget_stored_rows(&mut self) {
        if let Rows::Stored(rows, _) | Rows::Cursor(rows, _) = &self.rows {
            self.fetched = rows.len();
        }
        self.rows = Rows::None;
    }

    /// No rows are here any more.
    fn drop_rows(&mut self) {
        self.current = Current::None;
        self.rows = match (F::FAMILY, &self.rows) {
            (Family::MariaDb, Rows::Stored(..) | Rows::Waiting | Rows::Cursor(..) | Rows::Ended) => Rows::Ended,
            _ => Rows::None,
        };
    }
}

entry! {
    /// Frees the result and makes the server forget long data and close the cursor; bindings stay.
    ///
    /// Returns: 0; 1 on an error. Errors: 2006, 2013, 2014; the server's.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn mysql_stmt_reset<F>(stmt: *mut F::Stmt) -> c_char;
    statement stmt, fails 1, {
        // SAFETY: the caller's promise.
        block_on_pinned(pin!(unsafe { reset::<F>(stmt) }))
    }
}

/// [`mysql_stmt_reset`].
///
/// # Safety
/// `stmt` is a valid statement.
pub(in crate::abi) async unsafe fn reset<F: Abi>(stmt: *mut F::Stmt) -> c_char {
    // SAFETY: the caller's promise.
    let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return 1 };
    // SAFETY: inside the public struct.
    let id = unsafe { F::stmt_id(stmt).read() };
    if F::FAMILY == Family::MariaDb && (id == 0 || id == c_ulong::MAX) {
        return 0;
    }
    // SAFETY: the caller's promise.
    let Some((mysql, handle)) = (unsafe { ours.handle_or_lost() }) else { return 1 };
    if ours.state == State::New {
        if F::FAMILY == Family::MySql || handle.session.is_routed() {
            return 0;
        }
        // Connector/C asks the server to reset the statement that was not prepared, and takes it for prepared afterwards.
        handle.session.take_for_prepared(&mut ours.prepared);
        ours.set_state(State::Prepared);
    }
    if F::FAMILY == Family::MariaDb && ours.others_wait(handle) {
        ours.fail(&Error::out_of_sync());
        return 1;
    }
    for bind in &mut ours.params {
        bind.long_data_used = 0;
    }
    match F::FAMILY {
        Family::MySql => {
            let _ = ours.throw_rows_away(handle).await;
            ours.rows = match std::mem::replace(&mut ours.rows, Rows::None) {
                Rows::Stored(rows, next) | Rows::Parked(rows, next) => Rows::Parked(rows, next),
                _ => Rows::None,
            };
        }
        Family::MariaDb => {
            clear_error::<F>(mysql);
            ours.clear_error();
            ours.flush(handle).await;
            ours.forget_stored_rows();
        }
    }
    ours.current = Current::None;
    match handle.session.reset_statement(&mut ours.prepared).await {
        Ok(()) => {
            ours.clear_error();
            ours.set_state(State::Prepared);
            if F::FAMILY == Family::MariaDb {
                ours.take_outcome(handle);
            }
            // SAFETY: lent through `mysql`.
            unsafe { handle.publish(mysql) };
            0
        }
        Err(error) => {
            if F::FAMILY == Family::MySql {
                ours.set_state(State::New);
            }
            // SAFETY: lent through `mysql`.
            unsafe { ours.answer_failure(mysql, handle, error) };
            1
        }
    }
}

entry! {
    /// Ends a statement, here and on every server. Rows that wait are thrown away.
    ///
    /// Returns: 0; 1 on an error, which the handle has; the statement is gone all the same, but for the MariaDB family
    /// while another statement's rows wait (2014).
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement, which is not used afterwards.
    fn mysql_stmt_close<F>(stmt: *mut F::Stmt) -> c_char;
    statement stmt, fails 1, {
        // SAFETY: the caller's promise.
        block_on_pinned(pin!(unsafe { close::<F>(stmt) }))
    }
}

/// [`mysql_stmt_close`].
///
/// # Safety
/// `stmt` is a valid statement, which is not used afterwards.
pub(in crate::abi) async unsafe fn close<F: Abi>(stmt: *mut F::Stmt) -> c_char {
    // SAFETY: the caller's promise.
    let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return 1 };
    let mut failed = 0;
    // SAFETY: the caller's promise.
    if let Some((mysql, handle)) = unsafe { ours.handle() } {
        if F::FAMILY == Family::MariaDb && ours.others_wait(handle) {
            ours.fail(&Error::out_of_sync());
            return 1;
        }
        clear_error::<F>(mysql);
        handle.statements.retain(|other| !ptr::eq(*other, stmt));
        ours.home = ptr::null_mut();
        let mut closed = Ok(());
        if ours.state > State::New {
            if is_busy(handle) || (matches!(F::FAMILY, Family::MariaDb) && ours.state > State::Executed) {
                ours.cancel_others(handle);
                // SAFETY: `streaming` is NULL or a live result of this handle.
                unsafe { handle.cancel_streaming() };
                ours.skip_all(handle).await;
            }
            closed = handle.session.close_statement(&mut ours.prepared).await;
        }
        failed = c_char::from(closed.is_err());
        // SAFETY: lent through `mysql`.
        unsafe { handle.answer(mysql, closed) };
    }
    if !ours.home.is_null() {
        // The program has cut it off from its handle (`MYSQL_STMT.mysql`), whose list still has it.
        // SAFETY: a handle that ends takes itself out; only the list is borrowed, and nobody else does now.
        let list = unsafe { &mut *ptr::addr_of_mut!((*ours.home).statements) };
        list.retain(|other| !ptr::eq(*other, stmt));
    }
    // SAFETY: the public part is the block's beginning.
    unsafe { F::stmt_mark(ptr::from_mut(ours).cast()).write(ptr::null_mut()) };
    // SAFETY: made by `Box::into_raw` in `Statement::make`, closed only here.
    drop(unsafe { Box::from_raw(ptr::from_mut(ours)) });
    failed
}

impl<F: Abi> Statement<F> {
    /// `reset_stmt_handle` of the MySQL family with stored rows: they are freed, those that wait are thrown away.
    pub(super) async fn reset_rows(&mut self, handle: &mut Handle<F>) -> Result<(), Error> {
        if self.state == State::New {
            return Ok(());
        }
        self.rows = Rows::None;
        self.current = Current::None;
        let mut skipped = Ok(());
        if is_busy(handle) {
            skipped = self.throw_rows_away(handle).await;
        }
        self.set_state(State::Prepared);
        skipped
    }

    /// Throws this result's rows away, or whatever rows wait if there are others.
    async fn throw_rows_away(&mut self, handle: &mut Handle<F>) -> Result<(), Error> {
        if self.state > State::Prepared && self.state != State::Done && self.field_count() > 0 && is_busy(handle) {
            self.cancel_others(handle);
            // SAFETY: `streaming` is NULL or a live result of this handle.
            unsafe { handle.cancel_streaming() };
            // An error among the rows is over with them; the handle shows it until the next command.
            if let Err(error) = handle.session.skip_statement_rows(false).await {
                let stmt = self.public();
                let error = handle.shown_error(error);
                // SAFETY: inside the public struct, which holds the handle.
                let mysql = unsafe { F::stmt_mysql(stmt).read() };
                set_error::<F>(mysql, error.code, &error.sqlstate, &error.message);
            }
        }
        Ok(())
    }

    /// Throws away the rows of this statement and of its further results.
    pub(super) async fn skip_all(&mut self, handle: &mut Handle<F>) {
        if is_busy(handle) || handle.session.more_results() {
            let _ = handle.session.skip_statement_rows(true).await;
        }
    }

    /// Connector/C in front of a reset: whatever rows wait go, and further results if this statement has columns and was
    /// executed. An error of those is the statement's.
    pub(super) async fn flush(&mut self, handle: &mut Handle<F>) {
        let all = self.field_count() > 0 && self.state >= State::Executed;
        if is_busy(handle) || all && handle.session.more_results() {
            self.cancel_others(handle);
            // SAFETY: `streaming` is NULL or a live result of this handle.
            unsafe { handle.cancel_streaming() };
            if let Err(error) = handle.session.skip_statement_rows(all).await {
                self.fail(&error);
            } else if all && handle.session.outcome().field_count == 0 {
                // A procedure's last result, which has no columns, is the statement's now.
                self.set_columns(crate::result::ColumnsBuilder::default().finish());
                self.fetched = 0;
            }
        }
    }

    /// Another statement's rows are thrown away with ours: it will say 2050.
    fn cancel_others(&mut self, handle: &mut Handle<F>) {
        let me = self.public();
        for &other in handle.statements.iter().filter(|other| !ptr::eq(**other, me)) {
            // SAFETY: statements leave the list when they are closed; this one is not ours.
            if let Some(other) = unsafe { Statement::<F>::lend(other) }
                && matches!(other.rows, Rows::Waiting)
            {
                other.cancelled = true;
            }
        }
    }

    /// Another statement has a result that nobody asked for yet (the MariaDB family).
    pub(super) fn others_wait(&mut self, handle: &Handle<F>) -> bool {
        let me = self.public();
        // SAFETY: inside the public struct.
        if unsafe { F::stmt_id(me).read() } == 0 {
            return false;
        }
        handle.statements.iter().filter(|other| !ptr::eq(**other, me)).any(|&other| {
            // SAFETY: statements leave the list when they are closed; this one is not ours.
            unsafe { Statement::<F>::lend(other) }
                .is_some_and(|other| other.state == State::Waiting && matches!(other.rows, Rows::Waiting))
        })
    }
}
