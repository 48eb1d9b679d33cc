//! Array binding of the MariaDB family: one execution for many rows of parameters.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_uint, c_void};

use crate::error::{Error, cr};

use super::super::bind;
use super::super::family::{Abi, Bind};
use super::Statement;

/// `ps_param_callback`: fills in the bindings of one row; not 0 = it cannot.
type ParameterCallback = unsafe extern "C" fn(*mut c_void, *mut Bind, c_uint) -> c_char;

impl<F: Abi> Statement<F> {
    /// The program's function for the parameters of a row.
    fn parameter_callback(&self) -> Option<ParameterCallback> {
        // SAFETY: the program gave a function of this type, or NULL, which is None.
        unsafe { std::mem::transmute::<usize, Option<ParameterCallback>>(self.bulk.on_parameter) }
    }

    /// Puts the bytes of all rows together.
    ///
    /// # Safety
    /// The arrays that the program bound are still there.
    pub(super) unsafe fn encode_bulk(&mut self) -> Result<(), Error> {
        let count = self.params.len();
        if count == 0 {
            return Err(Error::client(
                cr::BULK_WITHOUT_PARAMETERS,
                "Bulk operation without parameters is not supported",
            ));
        }
        self.encoded.clear(count, count);
        self.encoded.types.clear();
        let first = self.params.as_mut_ptr();
        let callback = self.parameter_callback();
        for row in 0..self.bulk.array_size {
            if let Some(callback) = callback {
                // SAFETY: the program's function, with what it was promised.
                if unsafe { callback(self.bulk.user_data as *mut c_void, first, row) } != 0 {
                    let text = "Error while retrieving parameter from callback function";
                    return Err(Error::client(cr::ERR_STMT_PARAM_CALLBACK, text));
                }
            }
            if row == 0 {
                for number in 0..count {
                    // SAFETY: below the number of bindings.
                    let kind = bind::wire_type(unsafe { &*first.add(number) });
                    self.encoded.types.extend_from_slice(&kind.to_le_bytes());
                }
            }
            let (at, size) = if callback.is_some() { (0, 0) } else { (row as usize, self.bulk.row_size) };
            // SAFETY: below the number of bindings; the caller's promise.
            let skipped = (0..count).any(
                |number| unsafe { bind::bulk_indicator(&*first.add(number), at, size) } == bind::INDICATOR_IGNORE_ROW,
            );
            if skipped {
                continue;
            }
            for number in 0..count {
                // SAFETY: below the number of bindings.
                let bind = unsafe { &*first.add(number) };
                let appended = if callback.is_some() {
                    // SAFETY: the program has just filled the binding in.
                    unsafe { bind::append_called_parameter(bind, &mut self.encoded.values) }
                } else {
                    // SAFETY: the caller's promise.
                    unsafe { bind::append_bulk_parameter(bind, at, size, &mut self.encoded.values) }
                };
                appended.map_err(|refused| refused.error(F::FAMILY))?;
            }
        }
        Ok(())
    }
}
