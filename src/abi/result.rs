//! Entries on results: store, use, fetch, seek, columns.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_uint, c_ulong, c_void};
use std::pin::pin;
use std::ptr;

use crate::conn::driver::block_on_pinned;
use crate::error::Error;
use crate::result::{Columns, StoredRows};

use super::entry::entry;
use super::family::{Abi, Field, Row};
use super::handle::Handle;
use super::memory::{self, Result, Rows};
use super::step::{self, Call, Progress};

entry! {
    /// Reads all rows of the waiting result into memory.
    ///
    /// Returns: the result, or NULL: no result (`mysql_field_count` is 0) or an error.
    /// Errors: 2014, 2008, 2013, the server's.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_store_result<F>(mysql: *mut F::Mysql) -> *mut F::Res;
    handle mysql, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return ptr::null_mut() };
        let mut rows = StoredRows::default();
        let columns = block_on_pinned(pin!(handle.session.store_result(&mut rows)));
        match published(handle, mysql, columns) {
            Some(columns) => Result::<F>::stored(columns, rows),
            None => ptr::null_mut(),
        }
    }
}

/// Begins `mysql_store_result` without waiting.
///
/// # Safety
/// `mysql` is NULL or a valid handle.
pub(super) unsafe fn read_rows<F: Abi>(mysql: *mut F::Mysql) -> Progress<*mut F::Res> {
    // SAFETY: the caller's promise.
    unsafe {
        step::start(
            mysql,
            Call::StoreResult,
            |session| async move {
                let mut rows = StoredRows::default();
                let columns = session.store_result(&mut rows).await;
                (columns, rows)
            },
            |handle: &mut Handle<F>, mysql, (columns, rows)| {
                published(handle, mysql, columns).map_or(ptr::null_mut(), |columns| Result::<F>::stored(columns, rows))
            },
        )
    }
}

/// Publishes what `mysql_store_result` read; the columns if there is a result. `mysql` has lent `handle`.
#[inline(always)]
fn published<F: Abi>(
    handle: &mut Handle<F>,
    mysql: *mut F::Mysql,
    columns: std::result::Result<Option<Columns>, Error>,
) -> Option<Columns> {
    match columns {
        Ok(Some(columns)) => {
            if handle.session.is_routed() {
                // SAFETY: lent through `mysql`.
                unsafe { handle.publish_quietly(mysql) };
            } else {
                // SAFETY: lent through `mysql`.
                unsafe { handle.publish_outcome(mysql) };
            }
            Some(columns)
        }
        Ok(None) => None,
        Err(error) => {
            // SAFETY: lent through `mysql`.
            unsafe { handle.answer(mysql, Err(error)) };
            None
        }
    }
}

entry! {
    /// Gives the waiting result's columns; its rows are read one at a time by [`mysql_fetch_row`].
    ///
    /// Returns: the result or NULL, as [`mysql_store_result`].
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_use_result<F>(mysql: *mut F::Mysql) -> *mut F::Res;
    handle mysql, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return ptr::null_mut() };
        match handle.session.use_result() {
            Ok(Some(columns)) => {
                let result = Result::<F>::streaming(columns, mysql);
                handle.streaming = result.cast();
                // SAFETY: lent through `mysql`.
                unsafe { handle.publish_quietly(mysql) };
                result
            }
            Ok(None) => ptr::null_mut(),
            Err(error) => {
                // SAFETY: lent through `mysql`.
                unsafe { handle.answer(mysql, Err(error)) };
                ptr::null_mut()
            }
        }
    }
}

entry! {
    /// Frees a result; what an unbuffered one still has is read and thrown away.
    ///
    /// # Safety
    /// `result` is NULL or a valid result, which is not used afterwards.
    fn mysql_free_result<F>(result: *mut F::Res);
    result result, fails (), {
        // SAFETY: the caller's promise.
        unsafe { Result::<F>::free(result) };
    }
}

entry! {
    /// The next row: an array of NUL-ended values, NULL for NULL.
    ///
    /// Returns: the row, valid until the result is freed (buffered) or the next row is fetched (unbuffered); NULL at the
    /// end or, unbuffered, after an error.
    ///
    /// # Safety
    /// `result` is NULL or a valid result.
    fn mysql_fetch_row<F>(result: *mut F::Res) -> Row;
    result result, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        match unsafe { Result::<F>::lend(result) } {
            // SAFETY: the caller's promise.
            Some(ours) => unsafe { ours.fetch() },
            None => ptr::null_mut(),
        }
    }
}

entry! {
    /// Lengths in bytes of the current row's values, without the NUL.
    ///
    /// Returns: the array, valid until the next row is fetched; NULL if there is no current row.
    ///
    /// # Safety
    /// `result` is NULL or a valid result.
    fn mysql_fetch_lengths<F>(result: *mut F::Res) -> *mut c_ulong;
    result result, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        if unsafe { !Result::<F>::is_ours(result) } {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe {
            if F::res_current_row(result).read().is_null() { ptr::null_mut() } else { F::res_lengths(result).read() }
        }
    }
}

entry! {
    /// Makes row `number` (from 0) of a buffered result the next one.
    ///
    /// # Safety
    /// `result` is NULL or a valid result.
    fn mysql_data_seek<F>(result: *mut F::Res, number: u64);
    result result, fails (), {
        // SAFETY: the caller's promise.
        if let Some(ours) = unsafe { Result::<F>::lend(result) } {
            if let Rows::Stored(rows, next) = &mut ours.rows {
                *next = number.min(rows.len());
            }
            // SAFETY: the caller's promise.
            unsafe { F::res_current_row(result).write(ptr::null_mut()) };
        }
    }
}

entry! {
    /// Makes the row of a `MYSQL_ROW_OFFSET` the next one. Returns the former position.
    ///
    /// # Safety
    /// `result` is NULL or a valid result; `offset` is from [`mysql_row_tell`] or this function on the same result.
    fn mysql_row_seek<F>(result: *mut F::Res, offset: *mut c_void) -> *mut c_void;
    result result, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Result::<F>::lend(result) }) else { return ptr::null_mut() };
        let Rows::Stored(rows, next) = &mut ours.rows else { return ptr::null_mut() };
        let former = memory::row_token(*next, rows.len());
        *next = memory::token_row(offset, rows.len());
        // SAFETY: the caller's promise.
        unsafe { F::res_current_row(result).write(ptr::null_mut()) };
        former
    }
}

entry! {
    /// The position of the next row, for [`mysql_row_seek`].
    ///
    /// # Safety
    /// `result` is NULL or a valid result.
    fn mysql_row_tell<F>(result: *mut F::Res) -> *mut c_void;
    result result, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Result::<F>::lend(result) }) else { return ptr::null_mut() };
        match &ours.rows {
            Rows::Stored(rows, next) => memory::row_token(*next, rows.len()),
            Rows::Streaming(_) | Rows::None => ptr::null_mut(),
        }
    }
}

entry! {
    /// Number of rows; of an unbuffered result, those fetched so far.
    ///
    /// # Safety
    /// `result` is NULL or a valid result.
    fn mysql_num_rows<F>(result: *mut F::Res) -> u64;
    result result, fails 0, {
        // SAFETY: the caller's promise.
        if unsafe { !Result::<F>::is_ours(result) } {
            return 0;
        }
        // SAFETY: the caller's promise.
        unsafe { F::res_row_count(result).read() }
    }
}

entry! {
    /// Number of columns.
    ///
    /// # Safety
    /// `result` is NULL or a valid result.
    fn mysql_num_fields<F>(result: *mut F::Res) -> c_uint;
    result result, fails 0, {
        // SAFETY: the caller's promise.
        if unsafe { !Result::<F>::is_ours(result) } {
            return 0;
        }
        // SAFETY: the caller's promise.
        unsafe { F::res_field_count(result).read() }
    }
}

entry! {
    /// 1 when all rows were read from the server: always for a buffered result.
    ///
    /// # Safety
    /// `result` is NULL or a valid result.
    fn mysql_eof<F>(result: *mut F::Res) -> c_char;
    result result, fails 1, {
        // SAFETY: the caller's promise.
        if unsafe { !Result::<F>::is_ours(result) } {
            return 1;
        }
        // SAFETY: the caller's promise.
        unsafe { F::res_eof(result).read() }
    }
}

entry! {
    /// The next column, or NULL after the last.
    ///
    /// # Safety
    /// `result` is NULL or a valid result.
    fn mysql_fetch_field<F>(result: *mut F::Res) -> *mut Field;
    result result, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Result::<F>::lend(result) }) else { return ptr::null_mut() };
        ours.know_max_lengths();
        let place = F::res_current_field(result);
        // SAFETY: inside the public struct.
        let index = unsafe { place.read() };
        let Some(field) = ours.fields().get_mut(index as usize) else { return ptr::null_mut() };
        // SAFETY: inside the public struct.
        unsafe { place.write(index + 1) };
        field
    }
}

entry! {
    /// The column with this number (from 0), or NULL.
    ///
    /// # Safety
    /// `result` is NULL or a valid result.
    fn mysql_fetch_field_direct<F>(result: *mut F::Res, number: c_uint) -> *mut Field;
    result result, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Result::<F>::lend(result) }) else { return ptr::null_mut() };
        ours.know_max_lengths();
        ours.fields().get_mut(number as usize).map_or(ptr::null_mut(), ptr::from_mut)
    }
}

entry! {
    /// All columns as an array; NULL when the server has not described them.
    ///
    /// # Safety
    /// `result` is NULL or a valid result.
    fn mysql_fetch_fields<F>(result: *mut F::Res) -> *mut Field;
    result result, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Result::<F>::lend(result) }) else { return ptr::null_mut() };
        ours.know_max_lengths();
        // SAFETY: inside the public struct.
        unsafe { F::res_fields(result).read() }
    }
}

entry! {
    /// Makes column `number` the next one for [`mysql_fetch_field`]. Returns the former number.
    ///
    /// # Safety
    /// `result` is NULL or a valid result.
    fn mysql_field_seek<F>(result: *mut F::Res, number: c_uint) -> c_uint;
    result result, fails 0, {
        // SAFETY: the caller's promise.
        if unsafe { !Result::<F>::is_ours(result) } {
            return 0;
        }
        // SAFETY: the caller's promise.
        unsafe { F::res_current_field(result).replace(number) }
    }
}

entry! {
    /// Number of the next column for [`mysql_fetch_field`].
    ///
    /// # Safety
    /// `result` is NULL or a valid result.
    fn mysql_field_tell<F>(result: *mut F::Res) -> c_uint;
    result result, fails 0, {
        // SAFETY: the caller's promise.
        if unsafe { !Result::<F>::is_ours(result) } {
            return 0;
        }
        // SAFETY: the caller's promise.
        unsafe { F::res_current_field(result).read() }
    }
}

entry! {
    /// Whether the server has described the columns of a result: 1, or 0 where the program allowed it to leave that out
    /// (`MYSQL_OPT_OPTIONAL_RESULTSET_METADATA`) and told it to (`SET resultset_metadata = NONE`).
    ///
    /// # Safety
    /// `result` is NULL or a valid result.
    fn mysql_result_metadata<F>(result: *mut F::Res) -> c_uint;
    result result, fails 0, {
        // SAFETY: the caller's promise.
        if unsafe { !Result::<F>::is_ours(result) } {
            return 0;
        }
        // SAFETY: the caller's promise.
        F::res_metadata(result).map_or(1, |place| unsafe { place.read() })
    }
}
