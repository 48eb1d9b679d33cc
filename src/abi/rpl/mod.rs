//! Reading binary logs: Connector/C's `mariadb_rpl_*`, from a server or a file, and libmysqlclient's `mysql_binlog_*`.
//!
//! A server's log is read on a plain handle, whose connection is nothing else until the stream ends. What events mean is
//! in [`crate::session::binlog`]; here they become C structs, in memory that belongs to the event.

#![allow(unsafe_code)]

mod binlog;
mod event;
mod extract;
mod file;
mod stream;

use std::ffi::{c_char, c_int, c_ulong, c_void};

use crate::conn::driver::block_on;

use super::convert::slice;
use super::entry::entry;
use super::handle::{Handle, call};

pub use binlog::{mysql_binlog_close, mysql_binlog_fetch, mysql_binlog_open};
pub use event::{mariadb_free_rpl_event, mariadb_rpl_fetch};
pub use extract::mariadb_rpl_extract_rows;
pub use stream::{
    mariadb_rpl_close, mariadb_rpl_errno, mariadb_rpl_error, mariadb_rpl_get_optionsv, mariadb_rpl_init_ex,
    mariadb_rpl_open, mariadb_rpl_optionsv,
};

entry! {
    /// Runs a statement of ours and writes the first value of its first row; empty for none.
    ///
    /// Returns: 0; 1 on an error, which the handle has.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `sql` a readable buffer of `length` bytes, `value` a `Vec<u8>` of ours.
    fn first_value<F>(mysql: *mut F::Mysql, sql: *const c_char, length: c_ulong, value: *mut c_void) -> c_int;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        let (sql, value) = unsafe { (slice(sql, length), &mut *value.cast::<Vec<u8>>()) };
        // SAFETY: the caller's promise.
        unsafe {
            call::<F>(mysql, |session| {
                *value = block_on(session.first_value(sql))?;
                Ok(())
            })
        }
    }
}

entry! {
    /// Reads the next packet of a stream, which `net.read_pos` then points to; an error of before stays.
    ///
    /// Returns: the packet's length; all ones on an error, which the handle has.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn next_packet<F>(mysql: *mut F::Mysql) -> c_ulong;
    handle mysql, fails c_ulong::MAX, {
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return c_ulong::MAX };
        match block_on(handle.session.read_packet()) {
            Ok(packet) => {
                let length = packet.len() as c_ulong;
                handle.answer = packet;
                // SAFETY: lent through `mysql`.
                unsafe {
                    F::read_pos(mysql).write(handle.answer.as_mut_ptr());
                    handle.publish_quietly(mysql);
                }
                length
            }
            Err(error) => {
                // SAFETY: lent through `mysql`.
                unsafe { handle.answer(mysql, Err(error)) };
                c_ulong::MAX
            }
        }
    }
}

entry! {
    /// Sends a packet that is no command: an acknowledgement. Returns: 0; 1 on an error.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `packet` a readable buffer of `length` bytes.
    fn acknowledge<F>(mysql: *mut F::Mysql, packet: *const c_char, length: c_ulong) -> c_int;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        let packet = unsafe { slice(packet, length) };
        // SAFETY: the caller's promise.
        unsafe { call::<F>(mysql, |session| block_on(session.send_packet(packet))) }
    }
}
