//! Conversions between equal types: copies. Both families; each is a few instructions, for whole rows run through them.
#![allow(unsafe_code)]

use super::buffer::{copy_and_tell, place, put, set_error};
use super::time::{Moment, mysql_unpack};
use super::{ColumnType, types};
use crate::abi::family::{Abi, Bind};
use crate::options::Family;

/// Connector/C leaves the size of numbers in the binding.
#[inline(always)]
fn set_size<F: Abi>(bind: &mut Bind, size: usize) {
    if F::FAMILY == Family::MariaDb {
        bind.buffer_length = size as _;
    }
}

/// Defines a conversion of a whole number: a sign that the other side has not is an error.
macro_rules! whole {
    ($($(#[$doc:meta])* $name:ident $told:ident $size:literal $signed:ty;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// As [`Fetch`](super::Fetch).
        pub unsafe fn $name<F: Abi>(bind: &mut Bind, column: &ColumnType, value: &[u8]) {
            // SAFETY: the caller's promise.
            unsafe { $told::<F>(bind, column, value) };
        }

        /// The same; the error flag.
        ///
        /// # Safety
        /// As [`Fetch`](super::Fetch).
        #[inline(always)]
        pub unsafe fn $told<F: Abi>(bind: &mut Bind, column: &ColumnType, value: &[u8]) -> bool {
            let Some(&bytes) = value.first_chunk::<$size>() else { return false };
            let error = ((bind.is_unsigned != 0) != column.unsigned) & (<$signed>::from_le_bytes(bytes) < 0);
            // SAFETY: the flag of a prepared binding.
            unsafe { set_error(bind, error) };
            // SAFETY: a buffer of this type.
            unsafe { put(bind, bytes) };
            set_size::<F>(bind, $size);
            error
        }
    )*};
}

whole! {
    /// `TINY`.
    tiny tiny_and_tell 1 i8;
    /// `SHORT` and `YEAR`.
    short short_and_tell 2 i16;
    /// `LONG` and `INT24`.
    long long_and_tell 4 i32;
    /// `LONGLONG`.
    longlong longlong_and_tell 8 i64;
}

/// `FLOAT`.
///
/// # Safety
/// As [`Fetch`](super::Fetch).
pub unsafe fn float<F: Abi>(bind: &mut Bind, _: &ColumnType, value: &[u8]) {
    let Some(&bytes) = value.first_chunk::<4>() else { return };
    // SAFETY: the flag of a prepared binding.
    unsafe { set_error(bind, false) };
    // SAFETY: a buffer of this type.
    unsafe { put(bind, bytes) };
    set_size::<F>(bind, 4);
}

/// `DOUBLE`. Connector/C does not touch the error flag here.
///
/// # Safety
/// As [`Fetch`](super::Fetch).
#[inline(always)]
pub unsafe fn double<F: Abi>(bind: &mut Bind, _: &ColumnType, value: &[u8]) {
    let Some(&bytes) = value.first_chunk::<8>() else { return };
    if F::FAMILY == Family::MySql {
        // SAFETY: the flag of a prepared binding.
        unsafe { set_error(bind, false) };
    }
    // SAFETY: a buffer of this type.
    unsafe { put(bind, bytes) };
    set_size::<F>(bind, 8);
}

/// The MySQL family's temporal types; a time zone's place is written for what is sent as nothing only.
///
/// # Safety
/// As [`Fetch`](super::Fetch).
pub unsafe fn moment<F: Abi>(bind: &mut Bind, column: &ColumnType, value: &[u8]) {
    // SAFETY: the flag of a prepared binding.
    unsafe { set_error(bind, false) };
    if bind.buffer.is_null() {
        return;
    }
    let moment: Moment = mysql_unpack(column.column_type, value);
    if value.is_empty() {
        // SAFETY: a buffer of this type.
        unsafe { moment.store::<F>(place(bind)) };
    } else {
        // SAFETY: as above.
        unsafe { moment.store_common(place(bind)) };
    }
}

/// The MySQL family's strings: ended by a zero byte where there is room.
///
/// # Safety
/// As [`Fetch`](super::Fetch).
pub unsafe fn text(bind: &mut Bind, _: &ColumnType, value: &[u8]) {
    // SAFETY: the places of a prepared binding, and a buffer of `buffer_length` bytes.
    unsafe { copy_and_tell(bind, value, true) };
}

/// The MySQL family's blobs: not ended.
///
/// # Safety
/// As [`Fetch`](super::Fetch).
pub unsafe fn bytes(bind: &mut Bind, _: &ColumnType, value: &[u8]) {
    // SAFETY: the places of a prepared binding, and a buffer of `buffer_length` bytes.
    unsafe { copy_and_tell(bind, value, false) };
}

/// Leaves everything alone.
///
/// # Safety
/// None is asked for; the signature is [`Fetch`](super::Fetch)'s.
pub unsafe fn nothing(_: &mut Bind, _: &ColumnType, _: &[u8]) {}

/// The conversion without any change for a MySQL family's buffer type; None where it has none.
pub fn of<F: Abi>(buffer_type: u8) -> Option<super::Fetch> {
    use types::*;
    Some(match buffer_type {
        TINY => tiny::<F>,
        SHORT | YEAR => short::<F>,
        LONG | INT24 => long::<F>,
        LONGLONG => longlong::<F>,
        FLOAT => float::<F>,
        DOUBLE => double::<F>,
        TIME | DATE | DATETIME | TIMESTAMP => moment::<F>,
        TINY_BLOB | MEDIUM_BLOB | LONG_BLOB | BLOB | BIT | VECTOR => bytes,
        VAR_STRING | STRING | DECIMAL | NEWDECIMAL | NEWDATE | JSON => text,
        _ => return None,
    })
}
