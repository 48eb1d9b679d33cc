//! Entries that bind buffers to columns and fetch rows into them.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_ulong};
use std::pin::pin;
use std::ptr;

use crate::conn::driver::block_on_pinned;
use crate::error::{Error, cr};
use crate::options::Family;
use crate::result::{BinaryRows, NotARow, Values, Width};

use super::super::bind;
use super::super::entry::{clear_error, entry};
use super::super::family::{Abi, Bind};
use super::super::handle::Handle;
use super::{Cell, Current, DATA_TRUNCATED, NO_DATA, Rows, State, Statement, copy_binds, is_busy};
use crate::session::Phase;

/// `MYSQL_DATA_MALFORMED`: a column of a type that Connector/C does not know.
const DATA_MALFORMED: c_int = 102;

/// `MYSQL_STMT.bind_result_done`: results are bound.
const BOUND: c_char = 1;
/// The same of libmysqlclient: and the handle reports truncation.
const REPORTS_TRUNCATION: c_char = 2;

/// `SERVER_STATUS_CURSOR_EXISTS`.
const CURSOR_EXISTS: c_uint = 1 << 6;

/// `SERVER_STATUS_LAST_ROW_SENT`: the cursor has nothing more.
const LAST_ROW_SENT: u16 = 1 << 7;

entry! {
    /// Binds the program's buffers to the result's columns, for [`mysql_stmt_fetch`].
    ///
    /// Returns: 0; 1 on an error. Errors: 2030 not prepared; 2052 no result; 2036 a type that cannot be bound.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement; `bind` a readable array of as many bindings as there are columns, whose
    /// buffers stay until the last row was fetched.
    fn mysql_stmt_bind_result<F>(stmt: *mut F::Stmt, bind: *mut Bind) -> c_char;
    statement stmt, fails 1, {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return 1 };
        let count = ours.field_count();
        if ours.state < State::Prepared && (F::FAMILY == Family::MariaDb || count == 0) {
            ours.refuse(cr::NO_PREPARE_STMT);
            return 1;
        }
        if count == 0 || ours.is_undescribed() {
            ours.refuse(cr::NO_STMT_METADATA);
            return 1;
        }
        if bind.is_null() {
            return 1;
        }
        let first = ours.results.as_mut_ptr();
        // SAFETY: the caller's promise.
        unsafe { copy_binds(first, bind, count) };
        ours.forget_fetches();
        for number in 0..count {
            let Some(kind) = ours.types.get(number).copied() else { break };
            // SAFETY: below the number of bindings.
            let prepared = unsafe { bind::prepare_result::<F>(first.add(number), &kind, number as u32) };
            if let Err(refused) = prepared {
                ours.fail(&refused.error(F::FAMILY));
                return 1;
            }
            if let Some(length) = bind::fixed_display_length::<F>(&kind)
                && let Some(field) = ours.fields.as_ref().and_then(|fields| fields.at(number))
            {
                // SAFETY: a field of the statement's.
                unsafe { (*field).max_length = length as c_ulong };
            }
        }
        // SAFETY: inside the public struct, which holds NULL or a valid handle.
        unsafe {
            let mysql = F::stmt_mysql(stmt).read();
            let reports = F::FAMILY == Family::MySql
                && !mysql.is_null()
                && F::opt_report_data_truncation(mysql).read() != 0;
            F::stmt_bind_result_done(stmt).write(if reports { BOUND | REPORTS_TRUNCATION } else { BOUND });
        }
        if F::FAMILY == Family::MariaDb {
            ours.clear_error();
        }
        0
    }
}

entry! {
    /// Reads all rows into memory, so that the handle is free for other statements.
    ///
    /// Returns: 0; above 0 on an error. Errors: 2013, 2014 there is no result that waits; 2008; the server's.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn mysql_stmt_store_result<F>(stmt: *mut F::Stmt) -> c_int;
    statement stmt, fails 1, {
        // SAFETY: the caller's promise.
        block_on_pinned(pin!(unsafe { store_result::<F>(stmt) }))
    }
}

/// [`mysql_stmt_store_result`].
///
/// # Safety
/// `stmt` is a valid statement.
pub(in crate::abi) async unsafe fn store_result<F: Abi>(stmt: *mut F::Stmt) -> c_int {
    // SAFETY: the caller's promise.
    let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return 1 };
    // SAFETY: the caller's promise.
    let Some((mysql, handle)) = (unsafe { ours.handle_or_lost() }) else { return 1 };
    if ours.field_count() == 0 {
        return 0;
    }
    if F::FAMILY == Family::MariaDb && ours.errno() != 0 {
        return 1;
    }
    if ours.state < State::Executed || (F::FAMILY == Family::MySql && ours.state == State::Done) {
        // SAFETY: a valid handle.
        unsafe { ours.out_of_sync(mysql) };
        return 1;
    }
    if ours.errno() != 0 {
        return 1;
    }
    // SAFETY: inside the public struct.
    let has_cursor = unsafe { F::stmt_server_status(stmt).read() } & CURSOR_EXISTS != 0;
    let in_cursor = match &ours.rows {
        Rows::Cursor(..) if !is_busy(handle) => true,
        // libmysqlclient asks the cursor again, as long as the statement says that there is one.
        Rows::Stored(..) | Rows::Parked(..) if F::FAMILY == Family::MySql && !is_busy(handle) && has_cursor => true,
        Rows::Waiting if !ours.cancelled => false,
        _ => {
            // SAFETY: a valid handle.
            unsafe { ours.out_of_sync(mysql) };
            return 1;
        }
    };
    // They are stored where they stay.
    ours.rows = Rows::Stored(BinaryRows::default(), 0);
    let Rows::Stored(rows, _) = &mut ours.rows else { return 1 };
    let stored = if in_cursor {
        handle.session.fetch_cursor(&ours.prepared, u32::MAX, rows).await
    } else if ours.fetched == 0 && handle.session.is_routed() {
        handle.session.store_rows_of(&mut ours.prepared, rows).await
    } else {
        handle.session.store_statement_rows(&[], rows).await
    };
    let count = rows.len();
    match stored {
        Ok(()) => {
            // SAFETY: inside the public struct.
            if unsafe { F::stmt_update_max_length(stmt).read() } != 0 {
                ours.measure();
            }
            match F::FAMILY {
                // What is left behind rows that were fetched one at a time: that one was fetched stays true.
                Family::MySql if ours.state == State::Fetching => {}
                Family::MariaDb if count == 0 => ours.set_state(State::Done),
                Family::MySql | Family::MariaDb => ours.set_state(State::Ready),
            }
            ours.current = Current::None;
            if in_cursor {
                // To ask the cursor is a command.
                clear_error::<F>(mysql);
            }
            // SAFETY: inside the public struct; lent through `mysql`.
            unsafe {
                F::stmt_affected_rows(stmt).write(count);
                handle.publish_quietly(mysql);
            }
            0
        }
        Err(error) => {
            // A fetch of libmysqlclient then looks for the rows in the connection, and says 2014.
            ours.rows = if F::FAMILY == Family::MySql && !in_cursor { Rows::Waiting } else { Rows::None };
            // SAFETY: lent through `mysql`.
            unsafe { ours.answer_failure(mysql, handle, error) };
            1
        }
    }
}

impl<F: Abi> Statement<F> {
    /// `STMT_ATTR_UPDATE_MAX_LENGTH`: the longest value of each column, for `MYSQL_FIELD.max_length`.
    fn measure(&self) {
        let (Rows::Stored(rows, _), Some(fields)) = (&self.rows, &self.fields) else { return };
        self.tell_fixed_lengths();
        for number in 0..rows.len() {
            let Some(Ok(mut values)) = rows.row(number).map(|row| Values::new(row, self.widths.len())) else {
                continue;
            };
            for (column, (width, kind)) in self.widths.iter().zip(&self.types).enumerate() {
                let Ok(value) = values.value(*width) else { break };
                let (Some(value), Some(field)) = (value, fields.at(column)) else { continue };
                let length = bind::display_length::<F>(kind, value) as c_ulong;
                // SAFETY: a field of the statement's.
                unsafe { (*field).max_length = (*field).max_length.max(length) };
            }
        }
    }
}

entry! {
    /// Fetches the next row into the bound buffers.
    ///
    /// Returns: 0; 100 (`MYSQL_NO_DATA`) at the end; 101 (`MYSQL_DATA_TRUNCATED`) when a value did not fit its buffer and
    /// `MYSQL_REPORT_DATA_TRUNCATION` is on; 1 on an error. Errors: 2013, 2014, 2050 another call threw the rows away, 2053
    /// there is no result; the server's.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement; what it has bound is still there.
    fn mysql_stmt_fetch<F>(stmt: *mut F::Stmt) -> c_int;
    statement stmt, fails 1, {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return 1 };
        // SAFETY: the caller's promise.
        if let Some(fetched) = unsafe { ours.fetch_at_once() } {
            return fetched;
        }
        // SAFETY: the caller's promise.
        block_on_pinned(pin!(unsafe { fetch::<F>(stmt) }))
    }
}

/// Whether the next row is here: then [`mysql_stmt_fetch`] does not wait for it.
///
/// # Safety
/// `stmt` is NULL or a valid statement.
pub(in crate::abi) unsafe fn row_is_here<F: Abi>(stmt: *mut F::Stmt) -> bool {
    // SAFETY: the caller's promise.
    let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return false };
    match ours.rows {
        Rows::Stored(..) => true,
        Rows::Waiting if !ours.cancelled => {
            // SAFETY: inside the public struct, which holds NULL or a valid handle.
            unsafe { Handle::<F>::lend_quietly(F::stmt_mysql(stmt).read()) }
                .is_some_and(|handle| handle.session.row_is_here())
        }
        _ => false,
    }
}

/// [`mysql_stmt_fetch`].
///
/// # Safety
/// `stmt` is a valid statement; what it has bound is still there.
pub(in crate::abi) async unsafe fn fetch<F: Abi>(stmt: *mut F::Stmt) -> c_int {
    // SAFETY: the caller's promise.
    let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return 1 };
    if let Some(answer) = ours.nothing_to_fetch() {
        return answer;
    }
    // SAFETY: the caller's promise.
    let found = unsafe { ours.next_row().await };
    match found {
        Ok(true) => {
            // SAFETY: the caller's promise.
            unsafe { ours.deliver_slowly() }
        }
        Ok(false) => {
            ours.current = Current::None;
            if !matches!(ours.rows, Rows::Stored(..)) {
                ours.rows = Rows::Ended;
            }
            ours.set_state(State::Done);
            NO_DATA
        }
        Err(failed) => {
            ours.current = Current::None;
            ours.rows = if F::FAMILY == Family::MySql { Rows::None } else { Rows::Ended };
            ours.set_state(State::Done);
            failed
        }
    }
}

impl<F: Abi> Statement<F> {
    /// A stored row, or one that has arrived: nearly every fetch. None = not so.
    ///
    /// # Safety
    /// What the program has bound is still there.
    #[inline]
    unsafe fn fetch_at_once(&mut self) -> Option<c_int> {
        match &mut self.rows {
            Rows::Stored(rows, next) if *next < rows.len() && self.state != State::Done => {
                self.current = Current::Stored(*next);
                *next += 1;
            }
            Rows::Waiting if self.state >= State::Waiting && !self.cancelled => {
                let stmt: *mut F::Stmt = ptr::from_mut(self).cast();
                // SAFETY: inside the public struct, which holds NULL or a valid handle.
                let handle = unsafe { Handle::<F>::lend(F::stmt_mysql(stmt).read()) }?;
                if !handle.session.next_statement_row_at_once(&mut self.row) {
                    return None;
                }
                self.current = Current::Copied;
                self.fetched += 1;
            }
            _ => return None,
        }
        // SAFETY: the caller's promise.
        Some(unsafe { self.deliver() })
    }

    /// What a fetch answers when there is nothing to be fetched; None = there may be.
    fn nothing_to_fetch(&mut self) -> Option<c_int> {
        match F::FAMILY {
            Family::MySql => match self.rows {
                Rows::None | Rows::Parked(..) => {
                    self.refuse(cr::NO_RESULT_SET);
                    // Whether it is or not: as the original.
                    if self.state == State::New {
                        let stmt = self.public();
                        // SAFETY: inside the public struct, which holds NULL or a valid handle.
                        if let Some(handle) = unsafe { Handle::<F>::lend_quietly(F::stmt_mysql(stmt).read()) } {
                            handle.session.take_for_prepared(&mut self.prepared);
                        }
                    }
                    self.set_state(State::Prepared);
                    Some(1)
                }
                Rows::Ended => {
                    self.set_state(State::Done);
                    Some(NO_DATA)
                }
                _ => None,
            },
            Family::MariaDb => {
                if self.state <= State::Executed || self.field_count() == 0 {
                    self.fail(&Error::out_of_sync());
                    return Some(1);
                }
                (self.state == State::Done || matches!(self.rows, Rows::Ended | Rows::None)).then(|| {
                    self.set_state(State::Done);
                    NO_DATA
                })
            }
        }
    }

    /// Goes on to the next row; false at the end. Errors are published; theirs is the entry's value.
    ///
    /// # Safety
    /// As for [`Statement::handle`].
    async unsafe fn next_row(&mut self) -> Result<bool, c_int> {
        if let Rows::Stored(rows, next) | Rows::Cursor(rows, next) = &mut self.rows
            && *next < rows.len()
        {
            self.current = Current::Stored(*next);
            *next += 1;
            return Ok(true);
        }
        if matches!(self.rows, Rows::Stored(..)) {
            return Ok(false);
        }
        // SAFETY: the caller's promise.
        let Some((mysql, handle)) = (unsafe { self.handle() }) else {
            if self.errno() == 0 {
                self.fail(&self.why_no_handle());
            }
            return Err(1);
        };
        let read = match &self.rows {
            Rows::Cursor(..) => {
                if self.last_row_sent {
                    return Ok(false);
                }
                if F::FAMILY == Family::MySql && (is_busy(handle) || handle.session.more_results()) {
                    // Told the statement only.
                    clear_error::<F>(mysql);
                    self.fail(&Error::out_of_sync());
                    return Err(1);
                }
                let stmt = self.public();
                // SAFETY: inside the public struct.
                let count = unsafe { F::stmt_prefetch_rows(stmt).read() };
                let count = u32::try_from(count).unwrap_or(u32::MAX);
                let mut rows = BinaryRows::default();
                handle.session.fetch_cursor(&self.prepared, count, &mut rows).await.map(|()| {
                    self.last_row_sent = handle.session.outcome().status & LAST_ROW_SENT != 0;
                    let any = !rows.is_empty();
                    self.rows = Rows::Cursor(rows, u64::from(any));
                    self.current = if any { Current::Stored(0) } else { Current::None };
                    any
                })
            }
            _ if self.cancelled => {
                self.refuse(cr::FETCH_CANCELED);
                return Err(1);
            }
            _ if F::FAMILY == Family::MySql && handle.session.phase() != Phase::StatementRows => {
                // Told the statement only.
                self.fail(&Error::out_of_sync());
                return Err(1);
            }
            _ => handle.session.next_statement_row(&mut self.row).await.inspect(|any| {
                self.current = if *any { Current::Copied } else { Current::None };
                self.fetched += u64::from(*any);
            }),
        };
        match read {
            Ok(any) => {
                if !any || matches!(self.rows, Rows::Cursor(..)) {
                    if matches!(self.rows, Rows::Cursor(..)) {
                        // To ask the cursor is a command.
                        clear_error::<F>(mysql);
                    }
                    // SAFETY: lent through `mysql`.
                    unsafe { handle.publish_quietly(mysql) };
                    if F::FAMILY == Family::MariaDb || matches!(self.rows, Rows::Cursor(..)) {
                        let stmt = self.public();
                        // SAFETY: inside the public struct.
                        unsafe { F::stmt_server_status(stmt).write(c_uint::from(handle.session.outcome().status)) };
                    }
                }
                Ok(any)
            }
            Err(error) => {
                // Connector/C tells the handle alone of what breaks off rows that come without a cursor.
                if F::FAMILY == Family::MariaDb && !matches!(self.rows, Rows::Cursor(..)) {
                    let error = handle.shown_error(error);
                    // SAFETY: lent through `mysql`.
                    unsafe { handle.answer(mysql, Err(error)) };
                } else {
                    // SAFETY: lent through `mysql`.
                    unsafe { self.answer_failure(mysql, handle, error) };
                }
                Err(1)
            }
        }
    }

    /// Copies the current row into the bound buffers. The entry's value.
    ///
    /// # Safety
    /// What the program has bound is still there.
    #[inline(always)]
    unsafe fn deliver(&mut self) -> c_int {
        if self.state != State::Fetching {
            self.set_state(State::Fetching);
        }
        let stmt = self.public();
        if F::FAMILY == Family::MariaDb {
            if self.errno() != 0 {
                self.clear_error();
            }
            // SAFETY: inside the public struct, which holds NULL or a valid handle.
            unsafe {
                let mysql = F::stmt_mysql(stmt).read();
                if !mysql.is_null() && F::last_errno(mysql).read() != 0 {
                    clear_error::<F>(mysql);
                }
            }
        }
        // SAFETY: inside the public struct.
        let bound = unsafe { F::stmt_bind_result_done(stmt).read() } != 0;
        if !bound {
            return self.unbound();
        }
        if self.cells.len() != self.widths.len() {
            self.choose_fetches();
        }
        let row = row_at(self.current, &self.rows, &self.row);
        let Ok(mut values) = Values::new(row, self.widths.len()) else { return self.malformed() };
        let first = self.results.as_mut_ptr();
        // SAFETY: as many bindings as columns; the caller's promise.
        let delivered = unsafe {
            if values.has_null() {
                deliver_values::<F>(&self.cells, first, |width| values.value(width))
            } else {
                deliver_values::<F>(&self.cells, first, |width| values.value_that_is_there(width).map(Some))
            }
        };
        match delivered {
            Err(NotARow) => self.malformed(),
            Ok(_) if self.cells.len() != self.widths.len() => DATA_MALFORMED,
            Ok(true) => self.truncated(),
            Ok(false) => 0,
        }
    }

    /// [`Statement::deliver`], for a row that had to be waited for.
    ///
    /// # Safety
    /// As there.
    #[inline(never)]
    unsafe fn deliver_slowly(&mut self) -> c_int {
        // SAFETY: the caller's promise.
        unsafe { self.deliver() }
    }

    /// 101, if the program wants to know.
    #[cold]
    fn truncated(&mut self) -> c_int {
        let stmt = self.public();
        // SAFETY: the public struct holds NULL or a valid handle.
        let handle = unsafe { Handle::<F>::lend(F::stmt_mysql(stmt).read()) };
        let wanted = handle.is_none_or(|handle| handle.session.options().report_data_truncation);
        if wanted { DATA_TRUNCATED } else { 0 }
    }

    /// No buffers are bound: the MariaDB family tells the values' lengths, the other nothing.
    fn unbound(&mut self) -> c_int {
        if F::FAMILY == Family::MySql {
            return 0;
        }
        let row = row_at(self.current, &self.rows, &self.row);
        let first = self.results.as_mut_ptr();
        let Ok(mut values) = Values::new(row, self.widths.len()) else { return self.malformed() };
        for (number, width) in self.widths.iter().enumerate() {
            // SAFETY: as many bindings as columns.
            let bind = unsafe { &mut *first.add(number) };
            let Ok(value) = values.value(*width) else { return self.malformed() };
            if bind.is_null.is_null() {
                bind.is_null = &raw mut bind.is_null_value;
            }
            if bind.length.is_null() {
                bind.length = &raw mut bind.length_value;
            }
            let length = value.map_or(0, <[u8]>::len) as c_ulong;
            // SAFETY: set above, or the program's.
            unsafe { bind.is_null.write(c_char::from(value.is_none())) };
            if value.is_some() {
                bind.length_value = length;
                // SAFETY: set above, or the program's.
                unsafe { bind.length.write(length) };
            }
            bind.row_ptr = value.map_or(ptr::null_mut(), |value| value.as_ptr().cast_mut());
        }
        0
    }

    /// The row is not what the protocol says. Its connection may be sound, but the server is not to be trusted.
    #[cold]
    fn malformed(&mut self) -> c_int {
        self.fail(&Error::malformed(F::FAMILY));
        self.current = Current::None;
        1
    }
}

/// The bytes of the row fetched last; empty, which is no row, when there is none.
#[inline(always)]
fn row_at<'a>(current: Current, rows: &'a Rows, copied: &'a [u8]) -> &'a [u8] {
    match (current, rows) {
        (Current::Stored(number), Rows::Stored(rows, _) | Rows::Cursor(rows, _)) => {
            rows.row(number).unwrap_or_default()
        }
        (Current::Copied, _) => copied,
        _ => &[],
    }
}

/// Copies values into the bound buffers, column by column. True when one did not fit.
///
/// # Safety
/// `bind` is the first of as many bindings as there are cells, which were prepared; the program's buffers are there.
#[inline(always)]
unsafe fn deliver_values<'a, F: Abi>(
    cells: &[Cell],
    mut bind: *mut Bind,
    mut next: impl FnMut(Width) -> Result<Option<&'a [u8]>, NotARow>,
) -> Result<bool, NotARow> {
    let mut truncated = false;
    for cell in cells {
        let value = next(cell.width)?;
        // SAFETY: the caller's promise.
        let column = unsafe { &mut *bind };
        bind = bind.wrapping_add(1);
        let Some(value) = value else {
            // SAFETY: the binding was prepared.
            unsafe { bind::fetch_null::<F>(column) };
            continue;
        };
        // SAFETY: set when it was bound.
        unsafe { column.is_null.write(0) };
        if F::FAMILY == Family::MariaDb {
            column.row_ptr = value.as_ptr().cast_mut();
        }
        // SAFETY: the binding was prepared, and the caller promises the buffers.
        truncated |= unsafe { cell.how.convert::<F>(column, &cell.kind, value) };
    }
    Ok(truncated)
}

entry! {
    /// Copies a value of the row fetched last to another buffer, from byte `offset` on.
    ///
    /// Returns: 0; 1 on an error. Errors: 2051 no row was fetched; 2034 (MariaDB: 2051) no such column.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement; `bind` a valid binding with its buffer.
    fn mysql_stmt_fetch_column<F>(stmt: *mut F::Stmt, bind: *mut Bind, column: c_uint, offset: c_ulong) -> c_int;
    statement stmt, fails 1, {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return 1 };
        let beyond = column as usize >= ours.field_count();
        if ours.state != State::Fetching || (beyond && F::FAMILY == Family::MariaDb) {
            ours.refuse(cr::NO_DATA);
            return 1;
        }
        if beyond {
            ours.refuse(cr::INVALID_PARAMETER_NO);
            return 1;
        }
        if ours.is_undescribed() {
            ours.refuse(cr::NO_STMT_METADATA);
            return 1;
        }
        // SAFETY: the caller's promise.
        unsafe { ours.fetch_column(bind, column as usize, offset) }
    }
}

impl<F: Abi> Statement<F> {
    /// # Safety
    /// As for [`mysql_stmt_fetch_column`].
    unsafe fn fetch_column(&mut self, bind: *mut Bind, column: usize, offset: c_ulong) -> c_int {
        if bind.is_null() {
            return 1;
        }
        let row = row_at(self.current, &self.rows, &self.row);
        let Ok(mut values) = Values::new(row, self.widths.len()) else { return self.malformed() };
        let mut found = None;
        for width in self.widths.iter().take(column + 1) {
            let Ok(value) = values.value(*width) else { return self.malformed() };
            found = value;
        }
        if F::FAMILY == Family::MariaDb
            && self.types.get(column).is_some_and(|kind| !bind::mariadb_knows(kind.column_type))
        {
            found = None;
        }
        let Some(value) = found else {
            // SAFETY: the caller's promise.
            unsafe { bind::null_column::<F>(bind) };
            return 0;
        };
        let Some(kind) = self.types.get(column).copied() else { return 1 };
        let stored = self.results.as_mut_ptr().wrapping_add(column);
        // SAFETY: the caller's promise; as many bindings as columns.
        unsafe { bind::prepare_column::<F>(bind, stored, offset) };
        // SAFETY: the caller's promise.
        let theirs = unsafe { &mut *bind };
        let convert = bind::column_function::<F>(theirs, &kind);
        // SAFETY: prepared above, and the caller promises the buffer.
        unsafe { convert(theirs, &kind, value) };
        0
    }
}
