//! libmysqlclient's `mysql_binlog_*`: the events of a server as they come.

#![allow(unsafe_code)]

use std::ffi::{c_int, c_uchar, c_ulong};
use std::ptr;

use crate::abi::convert::{c_bytes, slice};
use crate::abi::entry::entry;
use crate::abi::family::Abi;
use crate::abi::family::mysql::Rpl;
use crate::abi::handle::Handle;
use crate::abi::methods;
use crate::session::binlog::{dump, kind};

use super::next_packet;

/// `MYSQL_RPL_GTID`: from where the GTIDs say, not from a position.
const BY_GTID: u32 = 1 << 16;
/// `MYSQL_RPL_SKIP_HEARTBEAT`.
const SKIP_HEARTBEAT: u32 = 1 << 17;
const COM_BINLOG_DUMP: c_int = 18;
const COM_BINLOG_DUMP_GTID: c_int = 30;

/// The program's function that writes its set of GTIDs.
type WriteGtids = unsafe extern "C" fn(*mut Rpl, *mut c_uchar);

entry! {
    /// Asks a server for its binary log (MySQL family). Events come by [`mysql_binlog_fetch`].
    ///
    /// Of `flags` the lower 16 bits go to the server. Routing: plain handles only, others get 2054.
    /// Source: MySQL manual. Returns: 0; -1 on an error. Errors: 2013, 2014.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `rpl` is NULL or a valid `MYSQL_RPL`: `file_name` is NULL, has `file_name_length`
    /// bytes or, where that is 0, is NUL-ended; `gtid_set_arg` has `gtid_set_encoded_size` bytes unless `fix_gtid_set`
    /// writes as many to where it is told.
    fn mysql_binlog_open<F>(mysql: *mut F::Mysql, rpl: *mut Rpl) -> c_int;
    handle mysql, fails -1, {
        if rpl.is_null() {
            return -1;
        }
        // SAFETY: the caller's promise; the program's function may change the struct, so no reference is kept.
        let mut ask = unsafe { *rpl };
        // SAFETY: the caller's promise.
        let name: &[u8] = unsafe {
            if ask.file_name.is_null() {
                ask.file_name = c"".as_ptr();
                ask.file_name_length = 0;
            }
            match ask.file_name_length {
                0 => c_bytes(ask.file_name).unwrap_or_default(),
                length => slice(ask.file_name, length as c_ulong),
            }
        };
        ask.file_name_length = name.len();
        // SAFETY: the caller's promise.
        unsafe { rpl.write(ask) };
        let flags = ask.flags as u16;
        if ask.flags & BY_GTID == 0 {
            let argument = dump::dump(ask.start_position, flags, ask.server_id, name);
            // SAFETY: the caller's promise.
            return unsafe { send::<F>(mysql, COM_BINLOG_DUMP, &argument) };
        }
        let size = ask.gtid_set_encoded_size;
        let mut gtids = Vec::new();
        match ask.fix_gtid_set {
            _ if size == 0 => {}
            Some(write) => {
                gtids.resize(size, 0);
                // SAFETY: the field's type in C.
                let write = unsafe { std::mem::transmute::<unsafe extern "C" fn(), WriteGtids>(write) };
                // SAFETY: the caller's promise; the buffer has as many bytes as the program said.
                unsafe { write(rpl, gtids.as_mut_ptr()) };
            }
            // SAFETY: the caller's promise.
            None => gtids.extend_from_slice(unsafe { slice(ask.gtid_set_arg.cast(), size as c_ulong) }),
        }
        let argument = dump::dump_gtid(ask.start_position, flags, ask.server_id, name, &gtids);
        // SAFETY: the caller's promise.
        unsafe { send::<F>(mysql, COM_BINLOG_DUMP_GTID, &argument) }
    }
}

/// # Safety
/// `mysql` is a valid handle.
unsafe fn send<F: Abi>(mysql: *mut F::Mysql, command: c_int, argument: &[u8]) -> c_int {
    // SAFETY: the caller's promise.
    -unsafe { methods::send_command::<F>(mysql, command, argument, false) }
}

entry! {
    /// The next event, with the byte in front of it, in `buffer`, valid until the next call; `size` 0 at the end.
    ///
    /// Source: MySQL manual. Returns: 0; -1 on an error. Errors: the server's (1236), 2013.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `rpl` is NULL or a valid `MYSQL_RPL`.
    fn mysql_binlog_fetch<F>(mysql: *mut F::Mysql, rpl: *mut Rpl) -> c_int;
    handle mysql, fails -1, {
        if rpl.is_null() {
            return -1;
        }
        loop {
            // SAFETY: the caller's promise.
            let length = unsafe { next_packet::<F>(mysql) };
            if length == c_ulong::MAX || length == 0 {
                return -1;
            }
            // SAFETY: where the call above has left the packet.
            let packet = unsafe { slice(F::read_pos(mysql).read().cast_const().cast(), length) };
            if length < 8 && packet.first() == Some(&0xFE) {
                // SAFETY: the caller's promise.
                unsafe { (*rpl).size = 0 };
                return 0;
            }
            // SAFETY: the caller's promise.
            let skips = unsafe { (*rpl).flags } & SKIP_HEARTBEAT != 0;
            if skips && matches!(packet.get(5), Some(&(kind::HEARTBEAT | kind::HEARTBEAT_V2))) {
                continue;
            }
            // SAFETY: the caller's promise.
            unsafe {
                (*rpl).buffer = packet.as_ptr();
                (*rpl).size = length;
            }
            return 0;
        }
    }
}

entry! {
    /// Ends the stream, and the connection with it.
    ///
    /// Source: MySQL manual. Returns: nothing.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `rpl` is NULL or a valid `MYSQL_RPL`.
    fn mysql_binlog_close<F>(mysql: *mut F::Mysql, rpl: *mut Rpl);
    handle mysql, fails (), {
        // SAFETY: the caller's promise.
        if let Some(handle) = unsafe { Handle::<F>::lend(mysql) } {
            handle.session.abandon(true);
            // SAFETY: lent through `mysql`. An error of before stays.
            unsafe { handle.publish_quietly(mysql) };
        }
        if !rpl.is_null() {
            // SAFETY: the caller's promise.
            unsafe {
                (*rpl).buffer = ptr::null();
                (*rpl).size = 0;
            }
        }
    }
}
