//! Entries that move about in stored rows. No I/O, no conversion.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr;

use crate::options::Family;

use super::super::entry::entry;
use super::super::family::Abi;
use super::super::memory::{row_token, token_row};
use super::{Current, Rows, State, Statement};

entry! {
    /// Makes row `number` (from 0) of a stored result the next one.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn mysql_stmt_data_seek<F>(stmt: *mut F::Stmt, number: u64);
    statement stmt, fails (), {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return };
        ours.take_up_parked_rows();
        if let Rows::Stored(rows, next) = &mut ours.rows {
            *next = number.min(rows.len());
            ours.current = Current::None;
            match F::FAMILY {
                Family::MySql if number < rows.len() => ours.set_state(State::Ready),
                Family::MySql => {}
                Family::MariaDb => ours.set_state(State::Fetching),
            }
        } else if F::FAMILY == Family::MariaDb {
            ours.set_state(State::Fetching);
        }
    }
}

entry! {
    /// Makes the row of a `MYSQL_ROW_OFFSET` the next one. Returns the former position.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement; `offset` is from [`mysql_stmt_row_tell`] or this function on the same result.
    fn mysql_stmt_row_seek<F>(stmt: *mut F::Stmt, offset: *mut c_void) -> *mut c_void;
    statement stmt, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return ptr::null_mut() };
        ours.take_up_parked_rows();
        let Rows::Stored(rows, next) = &mut ours.rows else { return ptr::null_mut() };
        let former = row_token(*next, rows.len());
        *next = token_row(offset, rows.len());
        let to_a_row = *next < rows.len();
        match F::FAMILY {
            Family::MySql if to_a_row => ours.set_state(State::Ready),
            Family::MariaDb if ours.state == State::Done => ours.set_state(State::Ready),
            _ => {}
        }
        former
    }
}

entry! {
    /// The position of the next row, for [`mysql_stmt_row_seek`].
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn mysql_stmt_row_tell<F>(stmt: *mut F::Stmt) -> *mut c_void;
    statement stmt, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return ptr::null_mut() };
        match &ours.rows {
            Rows::Stored(rows, next) | Rows::Parked(rows, next) => row_token(*next, rows.len()),
            _ => ptr::null_mut(),
        }
    }
}

impl<F: Abi> Statement<F> {
    /// libmysqlclient: a reset leaves stored rows, which a seek makes readable again.
    fn take_up_parked_rows(&mut self) {
        if matches!(self.rows, Rows::Parked(..))
            && let Rows::Parked(rows, next) = std::mem::replace(&mut self.rows, Rows::None)
        {
            self.rows = Rows::Stored(rows, next);
        }
    }
}
