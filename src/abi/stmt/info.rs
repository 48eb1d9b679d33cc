//! Entries that tell what is known of a statement, and set how it behaves. No I/O.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr;
use std::sync::Arc;

use crate::error::Error;
use crate::options::Family;

use super::super::convert::put;
use super::super::entry::entry;
use super::super::family::Field;
use super::super::family::constants::stmt_attr as attr;
use super::super::memory::Result;
use super::{Rows, State, Statement, long};

entry! {
    /// Number of the statement's last error; 0 = none.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn mysql_stmt_errno<F>(stmt: *mut F::Stmt) -> c_uint;
    statement stmt, fails 0, {
        // SAFETY: the caller's promise.
        unsafe { F::stmt_last_errno(stmt).read() }
    }
}

entry! {
    /// Text of the statement's last error, "" = none. Never NULL.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn mysql_stmt_error<F>(stmt: *mut F::Stmt) -> *const c_char;
    statement stmt, fails c"".as_ptr(), {
        F::stmt_last_error(stmt).cast_const()
    }
}

entry! {
    /// SQLSTATE of the statement's last error, "00000" = none. Never NULL.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn mysql_stmt_sqlstate<F>(stmt: *mut F::Stmt) -> *const c_char;
    statement stmt, fails c"".as_ptr(), {
        F::stmt_sqlstate(stmt).cast_const().cast()
    }
}

entry! {
    /// Rows changed by the last execution; after [`super::mysql_stmt_store_result`] the number of rows.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn mysql_stmt_affected_rows<F>(stmt: *mut F::Stmt) -> u64;
    statement stmt, fails u64::MAX, {
        // SAFETY: the caller's promise.
        unsafe { F::stmt_affected_rows(stmt).read() }
    }
}

entry! {
    /// First id that the last execution generated.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn mysql_stmt_insert_id<F>(stmt: *mut F::Stmt) -> u64;
    statement stmt, fails 0, {
        // SAFETY: the caller's promise.
        unsafe { F::stmt_insert_id(stmt).read() }
    }
}

entry! {
    /// Number of rows of a stored result; of one that is fetched through a cursor, those that are here.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn mysql_stmt_num_rows<F>(stmt: *mut F::Stmt) -> u64;
    statement stmt, fails 0, {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return 0 };
        match &ours.rows {
            Rows::Stored(rows, _) | Rows::Parked(rows, _) | Rows::Cursor(rows, _) => rows.len(),
            // Only Connector/C counts rows that are not stored.
            Rows::None | Rows::Ended | Rows::Waiting if F::FAMILY == Family::MariaDb => ours.fetched,
            Rows::None | Rows::Ended | Rows::Waiting => 0,
        }
    }
}

entry! {
    /// Number of columns; 0 = no result.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn mysql_stmt_field_count<F>(stmt: *mut F::Stmt) -> c_uint;
    statement stmt, fails 0, {
        // SAFETY: the caller's promise.
        unsafe { F::stmt_field_count(stmt).read() }
    }
}

entry! {
    /// Number of placeholders.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn mysql_stmt_param_count<F>(stmt: *mut F::Stmt) -> c_ulong;
    statement stmt, fails 0, {
        // SAFETY: the caller's promise.
        unsafe { long(F::stmt_param_count(stmt).read() as usize) }
    }
}

entry! {
    /// What is known of the placeholders: nothing, as with the originals. Returns: NULL.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn mysql_stmt_param_metadata<F>(stmt: *mut F::Stmt) -> *mut F::Res;
    statement stmt, fails ptr::null_mut(), {
        let _ = stmt;
        ptr::null_mut()
    }
}

entry! {
    /// The columns, as a result without rows, to be freed by `mysql_free_result`.
    ///
    /// Returns: NULL for a statement without a result.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn mysql_stmt_result_metadata<F>(stmt: *mut F::Stmt) -> *mut F::Res;
    statement stmt, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return ptr::null_mut() };
        match &ours.fields {
            Some(fields) if ours.field_count() > 0 => Result::<F>::description(Arc::clone(fields)),
            _ => ptr::null_mut(),
        }
    }
}

entry! {
    /// The columns as an array that belongs to the statement; NULL without a result.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn mariadb_stmt_fetch_fields<F>(stmt: *mut F::Stmt) -> *mut Field;
    statement stmt, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        unsafe { F::stmt_fields(stmt).read() }
    }
}

entry! {
    /// Warnings of the last execution.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn mysql_stmt_warning_count<F>(stmt: *mut F::Stmt) -> c_int;
    statement stmt, fails 0, {
        // SAFETY: inside the public struct.
        F::stmt_warnings(stmt).map_or(0, |place| unsafe { place.read() as c_int })
    }
}

entry! {
    /// Whether the procedure has further results. Returns: 1 or 0.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement.
    fn mysql_stmt_more_results<F>(stmt: *mut F::Stmt) -> c_char;
    statement stmt, fails 0, {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return 0 };
        // SAFETY: the caller's promise.
        unsafe { ours.handle() }.map_or(0, |(_, handle)| c_char::from(handle.session.more_results()))
    }
}

entry! {
    /// Reads an attribute: `STMT_ATTR_UPDATE_MAX_LENGTH` (a byte), `_CURSOR_TYPE`, `_PREFETCH_ROWS` (`unsigned long`); the
    /// MariaDB family also `_PREBIND_PARAMS`, `_ARRAY_SIZE`, `_STATE` (`unsigned int`), `_ROW_SIZE` (`size_t`),
    /// `_CB_USER_DATA` (a pointer).
    ///
    /// Returns: 0; 1 for another attribute.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement; `value` a writable place of the attribute's type.
    fn mysql_stmt_attr_get<F>(stmt: *mut F::Stmt, attribute: c_uint, value: *mut c_void) -> c_char;
    statement stmt, fails 1, {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return 1 };
        // SAFETY: the caller's promise; the fields are inside the public struct.
        unsafe {
            match (F::FAMILY, attribute) {
                (_, attr::STMT_ATTR_UPDATE_MAX_LENGTH) => {
                    put(value.cast::<c_char>(), F::stmt_update_max_length(stmt).read());
                }
                (_, attr::STMT_ATTR_CURSOR_TYPE) => put(value.cast::<c_ulong>(), F::stmt_flags(stmt).read()),
                (_, attr::STMT_ATTR_PREFETCH_ROWS) => put(value.cast::<c_ulong>(), F::stmt_prefetch_rows(stmt).read()),
                (Family::MariaDb, attr::STMT_ATTR_PREBIND_PARAMS) => put(value.cast::<c_uint>(), ours.bulk.prebound),
                (Family::MariaDb, attr::STMT_ATTR_ARRAY_SIZE) => put(value.cast::<c_uint>(), ours.bulk.array_size),
                (Family::MariaDb, attr::STMT_ATTR_ROW_SIZE) => put(value.cast::<usize>(), ours.bulk.row_size),
                (Family::MariaDb, attr::STMT_ATTR_STATE) => put(value.cast::<c_uint>(), F::stmt_state(stmt).read()),
                (Family::MariaDb, attr::STMT_ATTR_CB_USER_DATA) => put(value.cast::<usize>(), ours.bulk.user_data),
                _ => return 1,
            }
        }
        0
    }
}

entry! {
    /// Sets an attribute, of the types of [`mysql_stmt_attr_get`]; the MariaDB family's `_CB_*` take the pointer itself.
    ///
    /// Ranges: `_CURSOR_TYPE` 0 (none) or 1 (read only); `_PREFETCH_ROWS` from 1 (MariaDB: 0 = as it is, and 1 is written to `value`).
    /// Returns: 0; 1 on an error. Errors: 2054 for what is not served.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement; `value` NULL or a readable place of the attribute's type, for `_PREFETCH_ROWS` of
    /// the MariaDB family a writable one.
    fn mysql_stmt_attr_set<F>(stmt: *mut F::Stmt, attribute: c_uint, value: *const c_void) -> c_char;
    statement stmt, fails 1, {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return 1 };
        // SAFETY: the caller's promise.
        let number = || unsafe { value.cast::<c_ulong>().as_ref() }.copied();
        match (F::FAMILY, attribute) {
            (_, attr::STMT_ATTR_UPDATE_MAX_LENGTH) => {
                // SAFETY: the caller's promise.
                let wanted = unsafe { value.cast::<c_char>().as_ref() }.copied().unwrap_or(0);
                // SAFETY: inside the public struct.
                unsafe { F::stmt_update_max_length(stmt).write(wanted) };
            }
            (_, attr::STMT_ATTR_CURSOR_TYPE) if number().unwrap_or(0) <= 1 => {
                // SAFETY: inside the public struct.
                unsafe { F::stmt_flags(stmt).write(number().unwrap_or(0)) };
            }
            (_, attr::STMT_ATTR_PREFETCH_ROWS) => {
                let Some(rows) = number() else { return 1 };
                if rows == 0 && F::FAMILY == Family::MariaDb {
                    // As Connector/C: the program's number becomes 1, the statement's stays.
                    // SAFETY: the caller's promise, of a variable of the program's.
                    unsafe { value.cast::<c_ulong>().cast_mut().write(1) };
                } else {
                    // SAFETY: inside the public struct.
                    unsafe { F::stmt_prefetch_rows(stmt).write(rows) };
                }
            }
            // SAFETY: the caller's promise.
            (Family::MariaDb, other) if unsafe { ours.set_bulk_attribute(other, value) } => {}
            _ => {
                ours.fail(&Error::not_implemented(F::FAMILY));
                return 1;
            }
        }
        0
    }
}

impl<F: super::Abi> Statement<F> {
    /// The MariaDB family's attributes; false for others.
    ///
    /// # Safety
    /// `value` is NULL or a readable place of the attribute's type.
    unsafe fn set_bulk_attribute(&mut self, attribute: c_uint, value: *const c_void) -> bool {
        // SAFETY: the caller's promise.
        let number = || unsafe { value.cast::<c_uint>().as_ref() }.copied().unwrap_or(0);
        match attribute {
            attr::STMT_ATTR_PREBIND_PARAMS => {
                self.bulk.prebound = number();
                let (count, stmt) = (self.bulk.prebound, self.public());
                if self.state == State::New {
                    self.params.clear();
                }
                // SAFETY: inside the public struct.
                unsafe { F::stmt_param_count(stmt).write(count) };
            }
            attr::STMT_ATTR_ARRAY_SIZE => self.bulk.array_size = number(),
            attr::STMT_ATTR_ROW_SIZE => {
                // SAFETY: the caller's promise.
                self.bulk.row_size = unsafe { value.cast::<usize>().as_ref() }.copied().unwrap_or(0);
            }
            attr::STMT_ATTR_CB_USER_DATA => self.bulk.user_data = value.addr(),
            attr::STMT_ATTR_CB_PARAM => self.bulk.on_parameter = value.addr(),
            attr::STMT_ATTR_CB_RESULT => self.bulk.on_result = value.addr(),
            _ => return false,
        }
        true
    }
}
