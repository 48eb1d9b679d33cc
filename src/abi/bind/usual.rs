//! The conversions that nearly all rows are made of, for a loop over rows to hold in itself: no call for a number, one of
//! memcpy for a string. Which of them, or which function instead, is chosen once per binding and column.
#![allow(unsafe_code)]

use super::{ColumnType, Fetch, buffer, direct, mysql, result::fetch_function, types::*};
use crate::abi::family::{Abi, Bind};
use crate::options::Family;

/// How the values of one column get into their buffer.
#[derive(Clone, Copy, Debug)]
pub enum How {
    /// [`direct::long`].
    Long,
    /// [`direct::longlong`].
    Longlong,
    /// [`direct::double`].
    Double,
    /// [`direct::text`].
    Text,
    /// [`direct::bytes`].
    Bytes,
    /// By this function.
    By(Fetch),
}

impl How {
    /// The conversion of [`fetch_function`].
    pub fn of<F: Abi>(bind: &Bind, column: &ColumnType) -> How {
        let fetch = fetch_function::<F>(bind, column);
        let buffer_type = buffer::kind_of(bind);
        let same = match F::FAMILY {
            Family::MariaDb => !super::result::is_skipped(bind) && buffer_type == column.column_type,
            Family::MySql => mysql::is_same(buffer_type, column.column_type),
        };
        match (buffer_type, F::FAMILY) {
            _ if !same => How::By(fetch),
            (LONG | INT24, _) => How::Long,
            (LONGLONG, _) => How::Longlong,
            (DOUBLE, _) => How::Double,
            (VAR_STRING | STRING, Family::MySql) => How::Text,
            (TINY_BLOB | MEDIUM_BLOB | LONG_BLOB | BLOB, Family::MySql) => How::Bytes,
            _ => How::By(fetch),
        }
    }

    /// Converts one value; true if its error flag is set then.
    ///
    /// # Safety
    /// As [`Fetch`].
    #[inline(always)]
    pub unsafe fn convert<F: Abi>(self, bind: &mut Bind, column: &ColumnType, value: &[u8]) -> bool {
        // SAFETY: the caller's promise; the same binding and column as when it was chosen.
        unsafe {
            match self {
                How::Long => direct::long_and_tell::<F>(bind, column, value),
                How::Longlong => direct::longlong_and_tell::<F>(bind, column, value),
                How::Double => {
                    direct::double::<F>(bind, column, value);
                    F::FAMILY == Family::MariaDb && bind.error.read() != 0
                }
                How::Text => buffer::copy_and_tell(bind, value, true),
                How::Bytes => buffer::copy_and_tell(bind, value, false),
                How::By(fetch) => {
                    if F::FAMILY == Family::MySql {
                        bind.error.write(0);
                    }
                    fetch(bind, column, value);
                    bind.error.read() != 0
                }
            }
        }
    }
}
