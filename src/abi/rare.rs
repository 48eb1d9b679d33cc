//! Entries that hardly a program calls: shutting a server down, packets and lengths by hand, TLS sessions, a password
//! from the terminal.

#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_uchar, c_uint, c_ulong, c_void};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::ptr;

use crate::conn::driver::block_on;
use crate::options::Family;
use crate::session::is_tls_session;

use super::convert::{c_bytes, put};
use super::entry::{entry, set_error};
use super::handle::{Handle, call};

/// `CR_CANT_GET_SESSION_DATA`.
const CANT_GET_SESSION_DATA: u32 = 2073;

entry! {
    /// Shuts the server down. libmysqlclient does it by a statement, on old servers and in the MariaDB family by a command.
    ///
    /// Routing: the node used last, else the source. Returns: 0; 1 on an error. Errors: 1227 without the privilege, 1047 for
    /// a command that the server has no more; 2006, 2013, 2014.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_shutdown<F>(mysql: *mut F::Mysql, level: c_uint) -> c_int;
    handle mysql, fails 1, {
        /// MySQL 5.7.9, the first with the statement.
        const STATEMENT: c_ulong = 50_709;
        // SAFETY: the caller's promise.
        let version = unsafe { c_bytes(F::server_version(mysql).read()) }.map_or(0, super::info::version_number);
        let by_statement = F::FAMILY == Family::MySql && version >= STATEMENT;
        let level = if F::FAMILY == Family::MySql { Vec::new() } else { vec![level as u8] };
        // SAFETY: the caller's promise.
        unsafe { call::<F>(mysql, |session| block_on(session.shutdown(by_statement, &level))) }
    }
}

entry! {
    /// The server's version text with its update, by asking the server (MySQL family).
    ///
    /// Source: libmysqlclient 9.7. Returns: the text, valid until the next call of this kind; NULL on an error.
    /// Errors: 1305 from servers that do not know.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_get_server_info_with_version_update<F>(mysql: *mut F::Mysql) -> *const c_char;
    handle mysql, fails ptr::null(), {
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return ptr::null() };
        if handle.session.is_connected() && handle.session.phase().check_free(false).is_err() {
            // No error, as in the original.
            return ptr::null();
        }
        let mut text = Vec::new();
        let result = block_on(handle.session.first_value(b"SELECT VERSION_WITH_UPDATE()")).map(|value| text = value);
        text.push(0);
        handle.answer = text;
        // SAFETY: lent through `mysql`.
        if unsafe { handle.answer(mysql, result) } == 0 { handle.answer.as_ptr().cast() } else { ptr::null() }
    }
}

/// Connector/C's `packet_error`: an `unsigned int`.
const PACKET_ERROR: c_ulong = u32::MAX as c_ulong;

entry! {
    /// A text that names the handle's TLS session, for `MYSQL_OPT_SSL_SESSION_DATA` of others in this process (MySQL family).
    ///
    /// Source: MySQL manual. Returns: the text, NUL-ended, to be given back by [`mysql_free_ssl_session_data`], and its
    /// length without the NUL; NULL on an error and, as in the original without one, for another ticket than 0.
    /// Errors: 2073.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `length` is NULL or writable.
    fn mysql_get_ssl_session_data<F>(mysql: *mut F::Mysql, ticket: c_uint, length: *mut c_uint) -> *mut c_void;
    handle mysql, fails ptr::null_mut(), {
        if ticket != 0 {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return ptr::null_mut() };
        let why = match handle.session.server() {
            None => "Not connected",
            Some(server) if server.tls_cipher.is_none() => "Not a TLS connection",
            Some(_) => "session returned not resumable",
        };
        let Some(text) = handle.session.keep_tls_session() else {
            let text = format!("Can't get session data: {why}");
            set_error::<F>(mysql, CANT_GET_SESSION_DATA, b"HY000", text.as_bytes());
            return ptr::null_mut();
        };
        // SAFETY: any size will do.
        let copy = unsafe { libc::malloc(text.len() + 1) }.cast::<u8>();
        if copy.is_null() {
            return ptr::null_mut();
        }
        // SAFETY: two blocks of at least so many bytes, one of them new.
        unsafe { ptr::copy_nonoverlapping(text.as_ptr(), copy, text.len()) };
        // SAFETY: the last byte of the new block.
        unsafe { copy.add(text.len()).write(0) };
        // SAFETY: the caller's promise.
        unsafe { put(length, text.len() as c_uint) };
        copy.cast()
    }
}

entry! {
    /// Gives the memory of session data back. The session itself can still be resumed by a copy of the text.
    ///
    /// Source: MySQL manual. Returns: 0; 1 for what is no session data, which is given back, too.
    ///
    /// # Safety
    /// `data` is NULL or from [`mysql_get_ssl_session_data`] and is not used afterwards.
    fn mysql_free_ssl_session_data<F>(_mysql: *mut F::Mysql, data: *mut c_void) -> c_char;
    plain, fails 1, {
        // SAFETY: the caller's promise.
        let good = unsafe { c_bytes(data.cast_const().cast()) }.is_some_and(is_tls_session);
        // SAFETY: the caller's promise.
        unsafe { libc::free(data) };
        c_char::from(!good)
    }
}

entry! {
    /// Whether the handle's TLS session is one that the program named by `MYSQL_OPT_SSL_SESSION_DATA` (MySQL family).
    ///
    /// Source: MySQL manual. Returns: 1 or 0.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_get_ssl_session_reused<F>(mysql: *mut F::Mysql) -> c_char;
    handle mysql, fails 0, {
        // SAFETY: the caller's promise.
        let handle = unsafe { Handle::<F>::lend(mysql) };
        c_char::from(handle.and_then(|handle| handle.session.server().map(|server| server.tls_resumed)).unwrap_or(false))
    }
}

entry! {
    /// Reads the next packet of the connection, which `net.read_pos` then points to (MariaDB family).
    ///
    /// Units: bytes. Source: Connector/C 3.3. Returns: the packet's length; 2^32 - 1 on an error.
    /// Errors: the server's, 2013.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_net_read_packet<F>(mysql: *mut F::Mysql) -> c_ulong;
    handle mysql, fails PACKET_ERROR, {
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return PACKET_ERROR };
        let mut packet = Vec::new();
        let result = block_on(handle.session.read_packet()).map(|read| packet = read);
        let length = packet.len() as c_ulong;
        packet.push(0);
        handle.answer = packet;
        // SAFETY: the caller's promise.
        unsafe { F::read_pos(mysql).write(handle.answer.as_mut_ptr()) };
        // SAFETY: lent through `mysql`.
        if unsafe { handle.answer(mysql, result) } == 0 { length } else { PACKET_ERROR }
    }
}

entry! {
    /// Takes a length from a packet and moves the pointer behind it (MariaDB family).
    ///
    /// Source: Connector/C 3.3. Returns: the length, cut to 32 bits where it has eight bytes; all ones for NULL.
    ///
    /// # Safety
    /// `packet` points to a pointer to as many readable bytes as the first of them says: 1, 3, 4 or 9.
    fn mysql_net_field_length<A>(packet: *mut *mut c_uchar) -> c_ulong;
    plain, fails 0, {
        if packet.is_null() {
            return 0;
        }
        // SAFETY: the caller's promise.
        let start = unsafe { packet.read() };
        if start.is_null() {
            return 0;
        }
        // SAFETY: the caller's promise.
        let first = unsafe { start.read() };
        let width = match first {
            0..=251 => 0,
            252 => 2,
            253 => 3,
            _ => 8,
        };
        // SAFETY: so many bytes follow.
        unsafe { packet.write(start.add(1 + width)) };
        if width == 0 {
            return if first == 251 { c_ulong::MAX } else { c_ulong::from(first) };
        }
        // SAFETY: as above. Of eight bytes Connector/C takes four.
        let bytes = unsafe { std::slice::from_raw_parts(start.add(1), width.min(4)) };
        bytes.iter().rev().fold(0, |length, byte| length << 8 | c_ulong::from(*byte))
    }
}

/// The terminal without echo, for as long as this lives.
pub(super) struct Silent {
    fd: c_int,
    before: libc::termios,
}

impl Silent {
    pub(super) fn new(fd: c_int) -> Option<Self> {
        // SAFETY: all bytes zero is a valid value.
        let mut before: libc::termios = unsafe { std::mem::zeroed() };
        // SAFETY: fills `before` if `fd` is a terminal.
        if unsafe { libc::tcgetattr(fd, &raw mut before) } != 0 {
            return None;
        }
        let mut silent = before;
        silent.c_lflag &= !libc::ECHO;
        // SAFETY: settings of the same terminal.
        unsafe { libc::tcsetattr(fd, libc::TCSADRAIN, &raw const silent) };
        Some(Silent { fd, before })
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        // SAFETY: what the terminal had before.
        unsafe { libc::tcsetattr(self.fd, libc::TCSADRAIN, &raw const self.before) };
    }
}

entry! {
    /// Asks for a password on the process's terminal, without echo (MySQL family).
    ///
    /// Source: libmysqlclient 9.7, which exports it for its own programs. Returns: the line without its end, to be given to
    /// `free`; NULL without a terminal.
    ///
    /// # Safety
    /// `message` is NULL, for "Enter password: ", or a NUL-ended string.
    fn get_tty_password<A>(message: *const c_char) -> *mut c_char;
    plain, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        let message = unsafe { c_bytes(message) }.unwrap_or(b"Enter password: ");
        let terminal = std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty");
        let Ok(mut terminal) = terminal else { return ptr::null_mut() };
        let silent = Silent::new(terminal.as_raw_fd());
        let _ = terminal.write_all(message);
        let mut line = Vec::new();
        let read = BufReader::new(&terminal).read_until(b'\n', &mut line);
        drop(silent);
        let _ = terminal.write_all(b"\n");
        if read.is_err() {
            return ptr::null_mut();
        }
        line.retain(|byte| !matches!(byte, 0 | b'\n' | b'\r'));
        let line = zeroize::Zeroizing::new(line);
        let Ok(text) = CString::new(line.as_slice()) else { return ptr::null_mut() };
        // SAFETY: a NUL-ended string is copied.
        unsafe { libc::strdup(text.as_ptr()) }
    }
}
