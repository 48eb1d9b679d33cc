//! `MARIADB_RPL`: which log is read, from where, and how.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr;

use crate::abi::convert::{c_bytes, put, slice};
use crate::abi::entry::{entry, set_error};
use crate::abi::family::rpl::Rpl;
use crate::abi::family::{Abi, MariaDb, errors, mariadb};
use crate::abi::handle::Handle;
use crate::abi::methods;
use crate::session::binlog::dump;
use crate::session::binlog::event::Manner;
use crate::session::binlog::format::Layout;

use super::file::{LogFile, Problem};
use super::first_value;

/// `MARIADB_RPL_VERSION`, the only one that was ever asked for.
const VERSION: c_uint = 2;
const COM_BINLOG_DUMP: c_int = 18;
const COM_REGISTER_SLAVE: c_int = 21;
/// `MARIADB_RPL_BINLOG_DUMP_NON_BLOCK`.
const NON_BLOCK: u16 = 1;

/// The public struct first, so that its address is the public pointer; our part behind it.
#[repr(C)]
pub(super) struct Stream {
    pub public: Rpl,
    pub layout: Layout,
    pub file: Option<LogFile>,
}

impl Stream {
    /// What a stream of ours has in `fp`, the original's file: its own address, and an odd one, so that nobody else's has
    /// it.
    fn mark(rpl: *mut Rpl) -> *mut c_void {
        rpl.cast::<c_void>().wrapping_byte_add(1)
    }

    /// Our part of it.
    ///
    /// # Safety
    /// `rpl` is NULL or was made by [`mariadb_rpl_init_ex`] and not closed; no other borrow of it is alive.
    pub unsafe fn lend<'a>(rpl: *mut Rpl) -> Option<&'a mut Stream> {
        if rpl.is_null() {
            return None;
        }
        // SAFETY: the caller's promise; nothing behind the public struct is looked at.
        let mark = unsafe { ptr::addr_of!((*rpl).fp).read() };
        // SAFETY: made here and not closed.
        (mark == Self::mark(rpl)).then(|| unsafe { &mut *rpl.cast::<Stream>() })
    }

    /// How its events are read.
    pub fn manner(&self) -> Manner {
        Manner {
            stream: !self.public.mysql.is_null(),
            semi_sync: self.public.is_semi_sync != 0,
            artificial_checksum: self.public.artificial_checksum != 0,
            verify: self.public.verify_checksum != 0,
            unpack: self.public.uncompress != 0,
        }
    }

    /// Shows what the first event of a log has said.
    pub fn show_layout(&mut self) {
        let (public, layout) = (&mut self.public, &self.layout);
        public.fd_header_len = layout.header;
        public.use_checksum = layout.checksum;
        public.post_header_len = layout.lengths;
        public.num_post_header_lengths = layout.known;
        public.server_type = layout.server as c_uint;
    }

    /// Puts an error into it, and into its handle.
    pub fn fail(&mut self, code: c_uint, text: &str) {
        let public = &mut self.public;
        public.error_no = code;
        let bytes = text.as_bytes();
        let bytes = &bytes[..bytes.len().min(public.error_msg.len() - 1)];
        public.error_msg = [0; 512];
        for (place, byte) in public.error_msg.iter_mut().zip(bytes) {
            *place = *byte as c_char;
        }
        if !public.mysql.is_null() {
            set_error::<MariaDb>(public.mysql, code, b"HY000", bytes);
        }
    }

    /// 5021, with the file and the position that were asked for.
    pub fn fail_in_log(&mut self, detail: &str) {
        let text = match self.file_name() {
            [] => format!("Binary log error: (No file context available). Details: {detail}"),
            _ => format!("Binary log error ({}): {detail}.", self.place()),
        };
        self.fail(errors::mariadb::CR_BINLOG_ERROR, &text);
    }

    /// File and position, for texts of errors.
    pub fn place(&self) -> String {
        format!("File: {} start_pos={}", String::from_utf8_lossy(self.file_name()), self.public.start_position)
    }

    /// Takes over the error of its handle.
    fn fail_as_handle(&mut self) {
        let mysql = self.public.mysql;
        // SAFETY: the handle is valid as long as the stream is used.
        let (code, text) = unsafe {
            let text = c_bytes(MariaDb::last_error(mysql).cast_const().cast()).unwrap_or_default();
            (MariaDb::last_errno(mysql).read(), String::from_utf8_lossy(text).into_owned())
        };
        self.fail(code, &text);
    }

    /// The name of the log; empty for the first.
    pub fn file_name(&self) -> &[u8] {
        // SAFETY: NULL, or ours with as many bytes.
        unsafe { slice(self.public.filename, c_ulong::from(self.public.filename_length)) }
    }

    /// Another log goes on.
    pub fn set_file_name(&mut self, name: &[u8]) {
        // SAFETY: NULL, or made by `copied`.
        unsafe { libc::free(self.public.filename.cast()) };
        self.public.filename = copied(name);
        self.public.filename_length = if self.public.filename.is_null() { 0 } else { name.len() as u32 };
    }
}

/// A copy in memory of C's, NUL-ended; NULL when there is no memory, or nothing to copy.
fn copied(text: &[u8]) -> *mut c_char {
    if text.is_empty() {
        return ptr::null_mut();
    }
    // SAFETY: any size will do.
    let copy = unsafe { libc::malloc(text.len() + 1) }.cast::<c_char>();
    if !copy.is_null() {
        // SAFETY: two blocks of at least so many bytes, one of them new.
        unsafe { ptr::copy_nonoverlapping(text.as_ptr().cast(), copy, text.len()) };
        // SAFETY: the last byte of the new block.
        unsafe { copy.add(text.len()).write(0) };
    }
    copy
}

/// Runs a statement of ours on the stream's handle.
///
/// # Safety
/// `mysql` is a valid handle.
unsafe fn ask(mysql: *mut mariadb::Mysql, sql: &str) -> Result<Vec<u8>, ()> {
    let mut value = Vec::<u8>::new();
    let place: *mut Vec<u8> = &mut value;
    // SAFETY: the caller's promise.
    let failed = unsafe { first_value::<MariaDb>(mysql, sql.as_ptr().cast(), sql.len() as c_ulong, place.cast()) };
    if failed == 0 { Ok(value) } else { Err(()) }
}

entry! {
    /// Makes a stream, to be read from the server of a handle, or from a file for NULL (Connector/C).
    ///
    /// The server is asked for `binlog_checksum`. Source: Connector/C 3.3.20. Returns: the stream, to be given back by
    /// [`mariadb_rpl_close`]; NULL for another version than 2. Errors: 5008.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle that is not closed before the stream.
    fn mariadb_rpl_init_ex<F>(mysql: *mut mariadb::Mysql, version: c_uint) -> *mut Rpl;
    plain, fails ptr::null_mut(), {
        if version != VERSION {
            if !mysql.is_null() {
                let text =
                    format!("Unsupported version {version}. Supported versions are in the range {VERSION} - {VERSION}");
                set_error::<MariaDb>(mysql, errors::mariadb::CR_VERSION_MISMATCH, b"HY000", text.as_bytes());
            }
            return ptr::null_mut();
        }
        let mut stream = Box::new(Stream {
            // SAFETY: all bytes zero is a valid value (see `family::layout`).
            public: unsafe { std::mem::zeroed() },
            layout: Layout::default(),
            file: None,
        });
        stream.public.version = version;
        stream.public.mysql = mysql;
        if !mysql.is_null() {
            // SAFETY: the caller's promise.
            let checksum = unsafe { ask(mysql, "select @@binlog_checksum") };
            stream.public.artificial_checksum = u8::from(checksum.is_ok_and(|value| value == b"CRC32"));
            // SAFETY: the caller's promise.
            if let Some((host, port)) = unsafe { Handle::<MariaDb>::lend(mysql) }.and_then(|h| h.settings.replica()) {
                stream.public.host = copied(host);
                stream.public.port = port;
            }
        }
        let rpl: *mut Rpl = Box::into_raw(stream).cast();
        // SAFETY: made above.
        unsafe { ptr::addr_of_mut!((*rpl).fp).write(Stream::mark(rpl)) };
        rpl
    }
}

entry! {
    /// Registers as a replica, if a host was set, and asks for the log; or opens the file.
    ///
    /// Routing: plain handles only. Source: Connector/C 3.3.20. Returns: 0; another value on an error.
    /// Errors: the server's, 2006, 2013, 2014; 5004, 5005, 5022.
    ///
    /// # Safety
    /// `rpl` is NULL or a stream of ours, its handle valid.
    fn mariadb_rpl_open<F>(rpl: *mut Rpl) -> c_int;
    plain, fails 1, {
        // SAFETY: the caller's promise.
        let Some(stream) = (unsafe { Stream::lend(rpl) }) else { return 1 };
        stream.public.error_no = 0;
        stream.public.error_msg = [0; 512];
        if stream.public.mysql.is_null() {
            return open_file(stream);
        }
        // SAFETY: the caller's promise.
        match unsafe { ask_server(stream) } {
            Ok(()) => 0,
            Err(()) => {
                stream.fail_as_handle();
                1
            }
        }
    }
}

fn open_file(stream: &mut Stream) -> c_int {
    stream.public.is_semi_sync = 0;
    let name = String::from_utf8_lossy(stream.file_name()).into_owned();
    match LogFile::open(stream.file_name()) {
        Ok(file) => {
            stream.file = Some(file);
            0
        }
        Err(Problem::Missing(error)) => {
            let code = error.raw_os_error().unwrap_or(libc::ENOENT);
            let text = format!("File '{name}' not found (Errcode: {code})");
            stream.fail(errors::mariadb::CR_FILE_NOT_FOUND, &text);
            code
        }
        Err(Problem::Unread(code)) => {
            stream.fail(errors::mariadb::CR_FILE_READ, &format!("Error reading file '{name}' (Errcode: {code})"));
            if code == 0 { 1 } else { code }
        }
        Err(Problem::NoLog) => {
            stream.fail(errors::mariadb::CR_BINLOG_INVALID_FILE, &format!("File '{name}' is not a binary log file"));
            1
        }
    }
}

/// # Safety
/// The stream's handle is valid.
unsafe fn ask_server(stream: &mut Stream) -> Result<(), ()> {
    let mysql = stream.public.mysql;
    let send = |command: c_int, argument: &[u8], reads: bool| {
        // SAFETY: the caller's promise.
        match unsafe { methods::send_command::<MariaDb>(mysql, command, argument, reads) } {
            0 => Ok(()),
            _ => Err(()),
        }
    };
    // SAFETY: NULL or ours.
    if let Some(host) = unsafe { c_bytes(stream.public.host) } {
        let argument = dump::register(stream.public.server_id, host, stream.public.port as u16);
        send(COM_REGISTER_SLAVE, &argument, true)?;
    }
    if stream.public.is_semi_sync != 0 {
        // SAFETY: the caller's promise.
        unsafe { ask(mysql, "SET @rpl_semi_sync_slave=1") }?;
    } else {
        // SAFETY: the caller's promise.
        let on = unsafe { ask(mysql, "SELECT @rpl_semi_sync_slave=1") }?;
        stream.public.is_semi_sync = u8::from(on.first() == Some(&b'1'));
    }
    let public = &stream.public;
    // A server that is to stop at the end of its log wants to be told who asks.
    let anybody = public.flags & NON_BLOCK != 0 && public.server_id == 0;
    let server_id = if anybody { 1 } else { public.server_id };
    let argument = dump::dump(public.start_position, public.flags, server_id, stream.file_name());
    send(COM_BINLOG_DUMP, &argument, false)
}

entry! {
    /// Gives a stream back. Its handle stays, with the stream on its connection: it can only be closed.
    ///
    /// Source: Connector/C 3.3.20. Returns: nothing.
    ///
    /// # Safety
    /// `rpl` is NULL or a stream of ours, which is not used afterwards.
    fn mariadb_rpl_close<F>(rpl: *mut Rpl);
    plain, fails (), {
        // SAFETY: the caller's promise.
        let Some(stream) = (unsafe { Stream::lend(rpl) }) else { return };
        stream.public.fp = ptr::null_mut();
        // SAFETY: NULL, or made by `copied`.
        unsafe {
            libc::free(stream.public.filename.cast());
            libc::free(stream.public.host.cast());
        }
        // SAFETY: made by `Box::into_raw`, freed only here.
        drop(unsafe { Box::from_raw(ptr::from_mut(stream)) });
    }
}

entry! {
    /// Number of the stream's last error of its own; 0 = none. Errors of the server are its handle's.
    ///
    /// # Safety
    /// `rpl` is NULL or a stream of ours.
    fn mariadb_rpl_errno<F>(rpl: *mut Rpl) -> c_uint;
    plain, fails 0, {
        // SAFETY: the caller's promise.
        unsafe { Stream::lend(rpl) }.map_or(0, |stream| stream.public.error_no)
    }
}

entry! {
    /// Text of that error, "" = none. Never NULL.
    ///
    /// # Safety
    /// `rpl` is NULL or a stream of ours.
    fn mariadb_rpl_error<F>(rpl: *mut Rpl) -> *const c_char;
    plain, fails c"".as_ptr(), {
        // SAFETY: the caller's promise.
        unsafe { Stream::lend(rpl) }.map_or(c"".as_ptr(), |stream| stream.public.error_msg.as_ptr())
    }
}

/// `enum mariadb_rpl_option`.
mod option {
    use std::ffi::c_uint;

    pub const FILENAME: c_uint = 0;
    pub const START: c_uint = 1;
    pub const SERVER_ID: c_uint = 2;
    pub const FLAGS: c_uint = 3;
    pub const VERIFY_CHECKSUM: c_uint = 7;
    pub const UNCOMPRESS: c_uint = 8;
    pub const HOST: c_uint = 9;
    pub const PORT: c_uint = 10;
    pub const EXTRACT_VALUES: c_uint = 11;
    pub const SEMI_SYNC: c_uint = 12;
}

entry! {
    /// Sets an option of a stream, variadic in C: a number by value; for the file a name and its length, 0 for a
    /// NUL-ended one; for the host a NUL-ended name.
    ///
    /// Source: Connector/C 3.3.20. Returns: 0; 1 for NULL, -1 for an option that cannot be set.
    ///
    /// # Safety
    /// `rpl` is NULL or a stream of ours; the arguments are what the option asks for.
    fn mariadb_rpl_optionsv<F>(rpl: *mut Rpl, option: c_uint, first: *mut c_void, second: usize) -> c_int;
    plain, fails 1, {
        // SAFETY: the caller's promise.
        let Some(stream) = (unsafe { Stream::lend(rpl) }) else { return 1 };
        let number = first.addr();
        let public = &mut stream.public;
        match option {
            option::FILENAME => {
                // SAFETY: the caller's promise.
                let name = unsafe {
                    match second as u32 {
                        0 => c_bytes(first.cast()).unwrap_or_default(),
                        length => slice(first.cast(), c_ulong::from(length)),
                    }
                };
                stream.set_file_name(name);
            }
            option::START => public.start_position = number as c_ulong,
            option::SERVER_ID => public.server_id = number as u32,
            option::FLAGS => public.flags = number as u16,
            option::VERIFY_CHECKSUM => public.verify_checksum = number as u8,
            option::UNCOMPRESS => public.uncompress = number as u8,
            option::PORT => public.port = number as u32,
            option::HOST => {
                // SAFETY: the caller's promise.
                let host = unsafe { c_bytes(first.cast()) }.unwrap_or_default();
                let former = std::mem::replace(&mut public.host, copied(host));
                // SAFETY: NULL, or made by `copied`.
                unsafe { libc::free(former.cast()) };
            }
            option::EXTRACT_VALUES => public.extract_values = number as u8,
            option::SEMI_SYNC => public.is_semi_sync = number as u8,
            _ => return -1,
        }
        0
    }
}

entry! {
    /// Reads an option of a stream back, variadic in C: a number's place; for the file the places of a pointer and a
    /// length.
    ///
    /// Source: Connector/C 3.3.20. Returns: 0; 1 for NULL and for options that cannot be read.
    ///
    /// # Safety
    /// `rpl` is NULL or a stream of ours; the places are NULL or writable.
    fn mariadb_rpl_get_optionsv<F>(rpl: *mut Rpl, option: c_uint, first: *mut c_void, second: *mut usize) -> c_int;
    plain, fails 1, {
        // SAFETY: the caller's promise.
        let Some(stream) = (unsafe { Stream::lend(rpl) }) else { return 1 };
        let public = &stream.public;
        // SAFETY: the caller's promise.
        unsafe {
            match option {
                option::FILENAME => {
                    put(first.cast(), public.filename.cast_const());
                    put(second, public.filename_length as usize);
                }
                option::SERVER_ID => put(first.cast(), public.server_id),
                option::FLAGS => put(first.cast(), c_uint::from(public.flags)),
                option::START => put(first.cast(), public.start_position),
                option::SEMI_SYNC => put(first.cast(), c_uint::from(public.is_semi_sync)),
                _ => return 1,
            }
        }
        0
    }
}
