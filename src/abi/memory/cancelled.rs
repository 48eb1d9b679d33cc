//! Unbuffered results whose rows another call has thrown away. No memory of its own.

#![allow(unsafe_code)]

use std::ptr;

use crate::abi::family::Abi;
use crate::abi::handle::Handle;
use crate::error::Error;

use super::Result;

impl<F: Abi> Result<F> {
    /// The handle of a cancelled result is closed.
    ///
    /// # Safety
    /// `result` is a live result of ours.
    pub unsafe fn disown(result: *mut Result<F>) {
        // SAFETY: the caller's promise.
        unsafe {
            (*result).owner = ptr::null_mut();
            F::res_handle(result.cast()).write(ptr::null_mut());
        }
    }

    /// Another call has thrown away the rows that this result streams: fetching the next one says so (2050), once.
    ///
    /// # Safety
    /// `result` is a live result that streams; its owner's [`Handle::cancelled`] has it from now on.
    pub unsafe fn cancel(result: *mut Result<F>) {
        // SAFETY: the caller's promise.
        unsafe {
            (*result).cancelled = true;
            if let Some(cancelled) = F::res_cancelled(result.cast()) {
                cancelled.write(1);
            }
        }
    }

    /// What fetching a row of a cancelled result does.
    ///
    /// # Safety
    /// The owner is a live handle, of which no borrow is alive.
    #[cold]
    pub(super) unsafe fn say_cancelled(&mut self) {
        let owner = self.owner;
        let result: *mut Result<F> = self;
        // SAFETY: the caller's promise.
        unsafe {
            Self::forget_cancelled(result);
            Self::orphan(result);
            let error = Error::statement(F::FAMILY, crate::error::cr::FETCH_CANCELED);
            crate::abi::entry::set_error::<F>(owner, error.code, &error.sqlstate, &error.message);
        }
    }

    /// Takes a cancelled result from its owner's list.
    ///
    /// # Safety
    /// `result` is a live result; its owner is NULL or a live handle, of which no borrow is alive.
    pub(super) unsafe fn forget_cancelled(result: *mut Result<F>) {
        // SAFETY: the caller's promise.
        unsafe {
            if (*result).cancelled
                && let Some(handle) = Handle::<F>::lend_quietly((*result).owner)
            {
                handle.cancelled.retain(|other| !ptr::eq(*other, result));
                (*result).cancelled = false;
            }
        }
    }
}
