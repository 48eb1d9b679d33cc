//! Attributes of statements: values with names that a program sends beside a statement's text.
//!
//! They are for the next statement only. Where they are put together is [`super::stmt`], which does the same for the
//! attributes of prepared statements.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint};

use crate::error::{Error, cr};
use crate::session::Session;

use super::bind;
use super::convert::c_bytes;
use super::entry::{entry, set_error};
use super::family::{Abi, Bind};
use super::handle::Handle;
use super::stmt::encoded::{Encoded, counted};

/// What the program bound to the next statement.
pub(super) struct Attributes {
    binds: Vec<Bind>,
    names: Vec<Vec<u8>>,
}

entry! {
    /// Binds values to the next statement of `mysql_query` and its kin, each with its name (NULL or "" = none). A server
    /// that takes no attributes does not get them. `count` 0 = none.
    ///
    /// Returns: 0; 1 on an error, and nothing is bound. Errors: 2036 a type that cannot be bound.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `binds` and `names` NULL or readable arrays of `count` elements; the names are
    /// NULL or NUL-ended strings; the buffers stay until the next statement was sent.
    fn mysql_bind_param<F>(
        mysql: *mut F::Mysql, count: c_uint, binds: *const Bind, names: *const *const c_char,
    ) -> c_char;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return 1 };
        handle.attributes = None;
        if count == 0 || binds.is_null() || names.is_null() {
            return 0;
        }
        let mut bound = Attributes { binds: Vec::new(), names: Vec::new() };
        for number in 0..count as usize {
            // SAFETY: the caller's promise.
            bound.binds.push(unsafe { binds.add(number).read() });
            // SAFETY: the caller's promise.
            let name = unsafe { c_bytes(*names.add(number)) }.unwrap_or_default();
            bound.names.push(counted(name));
        }
        for (number, bind) in bound.binds.iter_mut().enumerate() {
            // SAFETY: ours; it stays where it is, since the list does not grow any more.
            if unsafe { bind::prepare_parameter::<F>(bind, number as u32) }.is_err() {
                let text = format!("Using unsupported buffer type: {}  (parameter: {number})", bind.buffer_type);
                set_error::<F>(mysql, cr::UNSUPPORTED_PARAM_TYPE, b"HY000", text.as_bytes());
                return 1;
            }
        }
        handle.attributes = Some(Box::new(bound));
        0
    }
}

/// Gives the session what is bound to the statement that it is about to run.
///
/// # Safety
/// What the program bound is still there.
#[inline]
pub(super) unsafe fn attach<F: Abi>(handle: &mut Handle<F>) -> Result<(), Error> {
    handle.session.forget_attributes();
    if handle.attributes.is_none() {
        return Ok(());
    }
    let Some(bound) = handle.attributes.take() else { return Ok(()) };
    // SAFETY: the caller's promise.
    unsafe { encode::<F>(&mut handle.session, *bound) }
}

/// # Safety
/// What the program bound is still there.
#[cold]
unsafe fn encode<F: Abi>(session: &mut Session, mut bound: Attributes) -> Result<(), Error> {
    let mut encoded = Encoded::default();
    // SAFETY: the caller's promise.
    unsafe { encoded.put::<F>(&mut bound.binds, 0, &bound.names, true) }?;
    session.set_attributes(encoded.attributes());
    Ok(())
}

/// Lends the handle to the session call that sends a program's statement, and publishes how it ended: 0 or 1.
///
/// # Safety
/// As for [`Handle::lend`]; what the program bound is still there.
#[inline]
pub(super) unsafe fn sending<F: Abi>(
    mysql: *mut F::Mysql,
    work: impl FnOnce(&mut Session) -> Result<(), Error>,
) -> c_int {
    // SAFETY: the caller's promise.
    let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return 1 };
    // SAFETY: the caller's promise.
    let result = match unsafe { attach(handle) } {
        Ok(()) => work(&mut handle.session),
        Err(error) => Err(error),
    };
    // SAFETY: lent through `mysql`.
    unsafe { handle.answer(mysql, result) }
}
