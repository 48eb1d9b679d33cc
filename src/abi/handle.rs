//! `MYSQL*` and the session behind it: found, lent for one call, and its public fields published.
//!
//! `MYSQL` may be the caller's memory and is often copied, zeroed or reused. All Rust state hangs from one private
//! pointer in it, put there by `mysql_init`, removed by `mysql_close`. Public fields are copies written after each
//! call; the few that clients write are honoured when the handle is lent. No I/O of its own, no SQL.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr;

use crate::error::{Error, Origin, cr};
use crate::options::Family;
use crate::session::{Server, Session};

use super::entry::{clear_error, set_error};
use super::family::Abi;
use super::family::constants::client_flag;
use super::fork;
use super::memory::Result as CResult;
use super::options::Settings;
use super::step::{self, Steps};
use super::stmt::Statement;

/// Where [`Handle::magic`] is, in words.
const MAGIC_WORD: usize = size_of::<OptionsFront>() / size_of::<u64>();
const _: () = assert!(std::mem::offset_of!(Handle<super::family::MySql>, magic) == MAGIC_WORD * size_of::<u64>());
const _: () = assert!(std::mem::offset_of!(Handle<super::family::MariaDb>, magic) == MAGIC_WORD * size_of::<u64>());

/// What a lent pointer must carry before anything behind it is believed, by family.
const fn magic(family: Family) -> u64 {
    match family {
        Family::MySql => 0x6d73_716c_6d73_4831,
        Family::MariaDb => 0x6d73_716c_6d73_4d31,
    }
}

/// What stands in its place while an operation is pending: [`Handle::lend`] then finds no handle, and so no entry touches
/// what the operation works on.
const fn busy(family: Family) -> u64 {
    !magic(family)
}

/// Capabilities that every server since 5.5 has: what a lazy handle shows until it knows better. Drivers look for
/// CLIENT_PROTOCOL_41 and CLIENT_TRANSACTIONS.
const PLACEHOLDER_CAPABILITIES: u64 = 0x807f_f7ff;

/// Flags of a handle that compresses.
const COMPRESSION: u64 = client_flag::CLIENT_COMPRESS | client_flag::CLIENT_ZSTD_COMPRESSION_ALGORITHM;

/// NUL-ended texts that public fields point to.
#[derive(Default)]
struct Texts {
    host: Option<Vec<u8>>,
    user: Option<Vec<u8>>,
    password: Option<Vec<u8>>,
    socket: Option<Vec<u8>>,
    schema: Option<Vec<u8>>,
    server_version: Option<Vec<u8>>,
    host_info: Option<Vec<u8>>,
    info: Vec<u8>,
}

/// What the public fields show of the connection; compared before they are written again.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Identity {
    connected: bool,
    node: Option<usize>,
    thread_id: u64,
    fd: c_int,
    schema_version: u32,
    charset: u16,
}

/// The beginning of Connector/C's `struct st_mysql_options_extension`, of which its own tests read the last field.
/// All else stays zero.
#[repr(C)]
#[derive(Debug, Default)]
pub(super) struct OptionsFront {
    unused: [usize; 15],
    /// Bytes that the program's connection attributes take in the login packet.
    pub connect_attrs_len: usize,
}

/// Connector/C's `struct st_mariadb_extension` behind `MYSQL.extension`, of which programs read one field.
#[repr(C)]
#[derive(Debug, Default)]
pub(super) struct Extension {
    unused: [usize; 14],
    /// The upper half of a MariaDB server's capabilities.
    mariadb_server_capabilities: c_ulong,
    unused_end: usize,
}

/// Everything of ours behind one `MYSQL`; `magic` tells the family.
#[repr(C)]
pub(super) struct Handle<F: Abi> {
    /// What programs built with Connector/C's private headers look for behind `options.extension`.
    pub front: OptionsFront,
    magic: u64,
    /// The handle's life: statements, results, connections.
    pub session: Session,
    /// Options as the program gave them, for `mysql_get_option`.
    pub settings: Settings,
    /// Operations of the non-blocking calls.
    pub steps: Steps<F>,
    /// The unbuffered result being fetched.
    pub streaming: *mut CResult<F>,
    /// Unbuffered results whose rows another call has thrown away, and which the program has not asked for since.
    pub cancelled: Vec<*mut CResult<F>>,
    /// Where `mysql_session_track_get_next` stands, per type.
    pub track: [usize; 6],
    /// The prepared statements that were made on this handle and not closed.
    pub statements: Vec<*mut F::Stmt>,
    /// What the program bound to the next statement.
    pub attributes: Option<Box<super::attributes::Attributes>>,
    /// Memory for [`super::info`]'s texts.
    pub answer: Vec<u8>,
    owned: bool,
    generation: u64,
    texts: Texts,
    shown: Identity,
    /// The session's stamp when `shown` was compared last.
    stamp: Option<(u64, u32, u32)>,
    status: c_uint,
    extension: Extension,
}

/// A NUL-ended copy.
fn ended(text: &[u8]) -> Vec<u8> {
    let mut copy = Vec::with_capacity(text.len() + 1);
    copy.extend_from_slice(text);
    copy.push(0);
    copy
}

fn pointer(text: &Option<Vec<u8>>) -> *mut c_char {
    text.as_ref().map_or(ptr::null_mut(), |text| text.as_ptr().cast_mut().cast())
}

impl<F: Abi> Handle<F> {
    /// `mysql_init`: a new handle in the caller's memory, or in memory of ours for NULL.
    ///
    /// # Safety
    /// `mysql` is NULL or a writable buffer of `size_of::<F::Mysql>()` bytes; what lies there is not looked at.
    pub unsafe fn init(mysql: *mut F::Mysql) -> *mut F::Mysql {
        let owned = mysql.is_null();
        let place = if owned {
            // SAFETY: the layout of F::Mysql is not zero-sized.
            unsafe { std::alloc::alloc_zeroed(std::alloc::Layout::new::<F::Mysql>()).cast::<F::Mysql>() }
        } else {
            mysql
        };
        if place.is_null() {
            return place;
        }
        // SAFETY: writable by the caller's promise, or just allocated.
        unsafe { ptr::write_bytes(place.cast::<u8>(), 0, size_of::<F::Mysql>()) };
        let handle = Box::new(Handle::<F> {
            front: OptionsFront::default(),
            extension: Extension::default(),
            magic: magic(F::FAMILY),
            session: Session::new(F::FAMILY),
            settings: Settings::default(),
            steps: Steps::default(),
            streaming: ptr::null_mut(),
            cancelled: Vec::new(),
            track: [0; 6],
            statements: Vec::new(),
            attributes: None,
            answer: Vec::new(),
            owned,
            generation: fork::generation(),
            texts: Texts::default(),
            shown: Identity::default(),
            stamp: None,
            status: 0,
        });
        // SAFETY: accessors give addresses inside `place`, which is writable.
        unsafe {
            let handle = Box::into_raw(handle);
            F::handle_slot(place).write(handle.cast::<c_void>());
            if let Some(extension) = F::extension(place) {
                extension.write((&raw mut (*handle).extension).cast::<c_void>());
            }
            if let Some(charset) = F::charset(place) {
                charset.write(super::charset_info::of((*handle).session.charset()));
            }
            super::methods::publish::<F>(place);
            F::fd(place).write(-1);
            F::free_me(place).write(c_char::from(owned));
            F::affected_rows(place).write(0);
            if let Some(metadata) = F::resultset_metadata(place) {
                metadata.write(1);
            }
            super::options::publish_defaults::<F>(place);
        }
        clear_error::<F>(place);
        place
    }

    /// The handle behind a pointer, for the length of one call; None for NULL, zeroed or closed memory, and, with error
    /// 2014, while an operation is pending on it.
    ///
    /// # Safety
    /// `mysql` is NULL or points to a readable and writable `F::Mysql` whose private pointer is ours or NULL.
    /// No other borrow of the same handle is alive.
    pub unsafe fn lend<'a>(mysql: *mut F::Mysql) -> Option<&'a mut Handle<F>> {
        // SAFETY: the caller's promise.
        let (slot, mark) = unsafe { Self::look(mysql) }?;
        if mark != magic(F::FAMILY) {
            // SAFETY: the caller's promise.
            return unsafe { Self::refuse(mysql) };
        }
        // SAFETY: a pointer that is not NULL was put there by `init`; nobody else borrows it now, no operation either.
        let handle = unsafe { &mut *slot };
        // SAFETY: as above.
        unsafe { handle.honour(mysql) };
        Some(handle)
    }

    /// # Safety
    /// As for [`Handle::lend`].
    #[cold]
    unsafe fn refuse<'a>(mysql: *mut F::Mysql) -> Option<&'a mut Handle<F>> {
        // SAFETY: the caller's promise.
        unsafe { step::refuse::<F>(mysql) };
        None
    }

    /// As [`Handle::lend`], without an error.
    ///
    /// # Safety
    /// As for [`Handle::lend`].
    pub unsafe fn lend_quietly<'a>(mysql: *mut F::Mysql) -> Option<&'a mut Handle<F>> {
        // SAFETY: the caller's promise.
        let (_, mark) = unsafe { Self::look(mysql) }?;
        // SAFETY: the caller's promise.
        if mark == magic(F::FAMILY) { unsafe { Self::lend(mysql) } } else { None }
    }

    /// The place of a handle on which an operation is pending. Not to be made a reference of.
    ///
    /// # Safety
    /// As for [`Handle::lend`].
    pub unsafe fn pending(mysql: *mut F::Mysql) -> Option<*mut Handle<F>> {
        // SAFETY: the caller's promise.
        unsafe { Self::look(mysql) }.and_then(|(slot, mark)| (mark == busy(F::FAMILY)).then_some(slot))
    }

    /// What the private pointer leads to, and the mark there.
    ///
    /// # Safety
    /// As for [`Handle::lend`].
    #[inline]
    unsafe fn look(mysql: *mut F::Mysql) -> Option<(*mut Handle<F>, u64)> {
        if mysql.is_null() {
            return None;
        }
        // SAFETY: readable by the caller's promise.
        let slot = unsafe { F::handle_slot(mysql).read() }.cast::<Handle<F>>();
        if slot.is_null() || !slot.is_aligned() {
            return None;
        }
        // SAFETY: inside the handle; no reference to the rest is made.
        Some((slot, unsafe { ptr::addr_of!((*slot).magic).read() }))
    }

    /// Whether this is a handle of ours made by the other family's `mysql_init`: its public fields lie elsewhere.
    ///
    /// # Safety
    /// As for [`Handle::lend`].
    #[inline]
    pub unsafe fn is_others(mysql: *mut F::Mysql) -> bool {
        let other = match F::FAMILY {
            Family::MySql => Family::MariaDb,
            Family::MariaDb => Family::MySql,
        };
        // SAFETY: the caller's promise.
        unsafe { Self::look(mysql) }.is_some_and(|(_, mark)| mark == magic(other) || mark == busy(other))
    }

    /// Marks the handle as lendable or not.
    ///
    /// # Safety
    /// `slot` is what [`Handle::pending`] gave, or comes from a lent handle that is not used any more.
    pub unsafe fn set_pending(slot: *mut Handle<F>, pending: bool) {
        let mark = if pending { busy(F::FAMILY) } else { magic(F::FAMILY) };
        // SAFETY: the caller's promise.
        unsafe { ptr::addr_of_mut!((*slot).magic).write(mark) };
    }

    /// Whether the pending operation's connection is still this process's: not after a fork, nor when the program has
    /// closed the descriptor itself (it writes -1).
    ///
    /// # Safety
    /// `slot` is what [`Handle::pending`] gave for `mysql`.
    pub unsafe fn owns_pending(slot: *mut Handle<F>, mysql: *mut F::Mysql) -> bool {
        // SAFETY: the caller's promise.
        let generation = unsafe { ptr::addr_of!((*slot).generation).read() };
        // SAFETY: the caller's promise.
        let fd = unsafe { F::fd(mysql).read() };
        generation == fork::generation() && fd != -1
    }

    /// Shows the descriptor of the connection used last again, in place of that of a pending operation.
    ///
    /// # Safety
    /// As for [`Handle::answer`].
    pub unsafe fn show_own_descriptor(&self, mysql: *mut F::Mysql) {
        // SAFETY: the caller's promise.
        unsafe { F::fd(mysql).write(self.shown.fd) };
    }

    /// Takes over what the client wrote into its `MYSQL`, and notices a fork.
    ///
    /// # Safety
    /// As for [`Handle::lend`].
    unsafe fn honour(&mut self, mysql: *mut F::Mysql) {
        // SAFETY: readable by the caller's promise.
        let (fd, status) = unsafe { (F::fd(mysql).read(), F::status(mysql).read()) };
        // A client that writes -1 has closed the descriptor itself; it may be somebody else's by now.
        let closed = fd == -1 && self.shown.fd != -1 && self.shown.connected;
        let generation = fork::generation();
        if closed || self.generation != generation {
            self.generation = generation;
            self.session.abandon(!closed);
        }
        if status == 0 && self.status != 0 {
            self.session.give_up_rows();
            self.status = 0;
        }
    }

    /// `mysql_close`: ends the connections and the handle; memory of the caller stays the caller's.
    ///
    /// # Safety
    /// As for [`Handle::lend`]; after it the pointer is used by `mysql_init` only (or for reading public fields).
    pub unsafe fn close(mysql: *mut F::Mysql) {
        // SAFETY: the caller's promise.
        unsafe { step::cancel::<F>(mysql) };
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Self::lend(mysql) }) else { return };
        handle.session.close();
        handle.detach_statements("mysql_close");
        // SAFETY: `streaming` is NULL or a live result of this handle.
        unsafe { handle.release_streaming() };
        for cancelled in std::mem::take(&mut handle.cancelled) {
            // SAFETY: results leave the list when they are freed.
            unsafe {
                match F::FAMILY {
                    Family::MySql => CResult::orphan(cancelled),
                    Family::MariaDb => CResult::disown(cancelled),
                }
            }
        }
        handle.magic = 0;
        let (owned, connected) = (handle.owned, handle.shown.connected);
        let raw: *mut Handle<F> = handle;
        // SAFETY: made by `Box::into_raw` in `init`, closed only here.
        drop(unsafe { Box::from_raw(raw) });
        // SAFETY: writable by the caller's promise.
        unsafe {
            if connected {
                F::affected_rows(mysql).write(!0);
            }
            F::handle_slot(mysql).write(ptr::null_mut());
            F::fd(mysql).write(-1);
            F::vio(mysql).write(ptr::null_mut());
            for text in [F::host(mysql), F::user(mysql), F::passwd(mysql), F::unix_socket(mysql), F::db(mysql)] {
                text.write(ptr::null_mut());
            }
            for text in [F::server_version(mysql), F::host_info(mysql), F::info(mysql)] {
                text.write(ptr::null_mut());
            }
        }
        if owned {
            // SAFETY: allocated in `init` with this layout.
            unsafe { std::alloc::dealloc(mysql.cast(), std::alloc::Layout::new::<F::Mysql>()) };
        }
    }

    /// A call has ended all prepared statements: the server forgot them.
    pub fn detach_statements(&mut self, function: &str) {
        for statement in std::mem::take(&mut self.statements) {
            // SAFETY: statements leave the list when they are closed.
            unsafe { Statement::<F>::detach(statement, function) };
        }
    }

    /// The unbuffered result that is being fetched no longer belongs to a live handle.
    ///
    /// # Safety
    /// `streaming` is NULL or a live result.
    pub unsafe fn release_streaming(&mut self) {
        if !self.streaming.is_null() {
            // SAFETY: the caller's promise.
            unsafe { CResult::orphan(self.streaming) };
            self.streaming = ptr::null_mut();
        }
    }

    /// Another call has thrown away the rows of the unbuffered result that is being fetched. libmysqlclient says so when
    /// they are asked for; Connector/C's result gives no rows, without being at its end.
    ///
    /// # Safety
    /// As for [`Handle::release_streaming`].
    pub unsafe fn cancel_streaming(&mut self) {
        if !self.streaming.is_null() {
            // SAFETY: the caller's promise.
            unsafe { CResult::cancel(self.streaming) };
            self.cancelled.push(self.streaming);
            self.streaming = ptr::null_mut();
        }
    }

    /// Publishes how a call ended and turns it into 0 or 1.
    ///
    /// # Safety
    /// As for [`Handle::lend`], with the pointer that lent this handle.
    pub unsafe fn answer(&mut self, mysql: *mut F::Mysql, result: Result<(), Error>) -> c_int {
        match result {
            Ok(()) => {
                // SAFETY: the caller's promise.
                unsafe { self.publish(mysql) };
                0
            }
            Err(error) => {
                let error = self.shown_error(error);
                // SAFETY: the caller's promise.
                unsafe { self.answer_as_it_is(mysql, Err(error)) }
            }
        }
    }

    /// As [`Handle::answer`], where a connection that is gone is 2006 in both families.
    ///
    /// # Safety
    /// As for [`Handle::answer`].
    pub unsafe fn answer_as_it_is(&mut self, mysql: *mut F::Mysql, result: Result<(), Error>) -> c_int {
        // SAFETY: the caller's promise.
        unsafe { self.publish(mysql) };
        match result {
            Ok(()) => 0,
            Err(error) => {
                set_error::<F>(mysql, error.code, &error.sqlstate, &error.message);
                1
            }
        }
    }

    /// An error as the program is told it.
    pub fn shown_error(&self, error: Error) -> Error {
        if F::FAMILY == Family::MySql && !self.session.is_routed() { as_mysql(error) } else { error }
    }

    /// Writes the public fields; the error fields are cleared.
    ///
    /// # Safety
    /// As for [`Handle::answer`].
    pub unsafe fn publish(&mut self, mysql: *mut F::Mysql) {
        clear_error::<F>(mysql);
        // SAFETY: the caller's promise.
        unsafe { self.publish_quietly(mysql) };
    }

    /// Writes the public fields but leaves an error where it is (`mysql_free_result`).
    ///
    /// # Safety
    /// As for [`Handle::answer`].
    pub unsafe fn publish_quietly(&mut self, mysql: *mut F::Mysql) {
        // SAFETY: the caller's promise.
        unsafe { self.publish_outcome(mysql) };
        let stamp = self.session.stamp();
        if stamp.is_none() || stamp != self.stamp {
            self.stamp = stamp;
            // SAFETY: the caller's promise.
            unsafe { self.publish_who(mysql) };
        }
        if self.settings.status_callback.is_set() {
            self.settings.status_callback.tell(&self.session);
        }
    }

    /// Writes the fields that show the connection, where they have changed.
    ///
    /// # Safety
    /// As for [`Handle::answer`].
    unsafe fn publish_who(&mut self, mysql: *mut F::Mysql) {
        let identity = Identity {
            connected: self.session.is_connected(),
            node: self.session.node(),
            thread_id: self.session.thread_id(),
            fd: self.session.fd().unwrap_or(-1),
            schema_version: self.session.schema_version(),
            charset: self.session.charset().id(),
        };
        if identity != self.shown {
            // SAFETY: the caller's promise.
            unsafe { self.publish_identity(mysql, identity) };
        }
    }

    /// Writes the public fields that say how a statement ended: all that rows can change on a handle that does not route.
    ///
    /// # Safety
    /// As for [`Handle::answer`].
    #[inline]
    pub unsafe fn publish_outcome(&mut self, mysql: *mut F::Mysql) {
        let outcome = self.session.outcome();
        let info = if outcome.info.is_empty() {
            ptr::null_mut()
        } else {
            self.texts.info.clear();
            self.texts.info.extend_from_slice(&outcome.info);
            self.texts.info.push(0);
            self.texts.info.as_mut_ptr().cast()
        };
        self.status = self.session.phase().public_status(F::FAMILY);
        // SAFETY: accessors give addresses inside `mysql`, which is writable.
        unsafe {
            F::affected_rows(mysql).write(outcome.affected_rows);
            F::insert_id(mysql).write(outcome.insert_id);
            F::warning_count(mysql).write(outcome.warnings);
            F::server_status(mysql).write(c_uint::from(outcome.status));
            F::field_count(mysql).write(outcome.field_count);
            F::info(mysql).write(info);
            F::status(mysql).write(self.status);
        }
        if let (Some(place), Some(columns)) = (F::resultset_metadata(mysql), self.session.pending_columns()) {
            // SAFETY: as above.
            unsafe { place.write(c_uint::from(columns.is_described())) };
        }
    }

    /// Writes the fields that change only with the connection or the schema.
    ///
    /// # Safety
    /// As for [`Handle::answer`].
    unsafe fn publish_identity(&mut self, mysql: *mut F::Mysql, identity: Identity) {
        self.shown = identity;
        let session = &self.session;
        let texts = &mut self.texts;
        texts.schema = session.schema().map(ended);
        if identity.connected {
            let args = session.connect_args();
            texts.host = session.host_text().map(ended);
            texts.user = args.user.as_deref().map(ended);
            texts.password = args.password.as_deref().map(ended);
            texts.socket = session.socket_text().map(ended);
            texts.server_version = session.server_version().map(ended).or_else(|| Some(ended(b"")));
            texts.host_info = session.host_info().map(ended).or_else(|| Some(ended(b"")));
        }
        let (capabilities, client_flag, language) = match session.server() {
            Some(server) => (server.capabilities, server.client_flag, server.server_language),
            None if identity.connected => (PLACEHOLDER_CAPABILITIES, PLACEHOLDER_CAPABILITIES, 0),
            None => (0, 0, 0),
        };
        self.extension.mariadb_server_capabilities = session.server().map_or(0, |server| server.capabilities >> 32);
        // SAFETY: accessors give addresses inside `mysql`, which is writable.
        unsafe {
            if let Some(charset) = F::charset(mysql) {
                charset.write(super::charset_info::of(session.charset()));
            }
            F::db(mysql).write(pointer(&texts.schema));
            F::fd(mysql).write(identity.fd);
            F::vio(mysql).write(if identity.connected { mysql.cast() } else { ptr::null_mut() });
            // The id of a connection that is lost stays.
            if identity.thread_id != 0 {
                F::thread_id(mysql).write(identity.thread_id as c_ulong);
            }
            if identity.connected {
                F::host(mysql).write(pointer(&texts.host));
                F::user(mysql).write(pointer(&texts.user));
                F::passwd(mysql).write(pointer(&texts.password));
                F::unix_socket(mysql).write(pointer(&texts.socket));
                F::server_version(mysql).write(pointer(&texts.server_version));
                F::host_info(mysql).write(pointer(&texts.host_info));
                F::port(mysql).write(c_uint::from(session.port()));
                F::max_packet_size(mysql).write(session.max_packet() as c_ulong);
                F::protocol_version(mysql).write(10);
                F::server_capabilities(mysql).write(shown_capabilities(F::FAMILY, capabilities));
                F::client_flag(mysql).write(client_flag as c_ulong);
                F::net_compress(mysql)
                    .write(c_char::from(client_flag & COMPRESSION != 0 && session.server().is_some()));
                F::server_language(mysql).write(shown_language(F::FAMILY, language));
            }
        }
    }
}

impl<F: Abi> Handle<F> {
    /// Writes what a connect that failed leaves of its server, as in the originals.
    ///
    /// # Safety
    /// As for [`Handle::answer`].
    pub unsafe fn publish_greeting(&mut self, mysql: *mut F::Mysql, server: &Server) {
        // SAFETY: accessors give addresses inside `mysql`, which is writable.
        unsafe {
            F::thread_id(mysql).write(server.thread_id as c_ulong);
            F::protocol_version(mysql).write(10);
            F::server_capabilities(mysql).write(shown_capabilities(F::FAMILY, server.capabilities));
            F::client_flag(mysql).write(server.client_flag as c_ulong);
            F::server_language(mysql).write(shown_language(F::FAMILY, server.server_language));
        }
    }
}

/// `MYSQL.server_capabilities`: the lower 32 bits. libmysqlclient puts them together in an int, whose sign goes on above.
fn shown_capabilities(family: Family, capabilities: u64) -> c_ulong {
    match family {
        Family::MySql => capabilities as u32 as i32 as c_ulong,
        Family::MariaDb => capabilities as u32 as c_ulong,
    }
}

/// `MYSQL.server_language`: the greeting's byte, which libmysqlclient takes for a signed one.
fn shown_language(family: Family, language: c_uint) -> c_uint {
    match family {
        Family::MySql => language as u8 as i8 as c_uint,
        Family::MariaDb => language,
    }
}

/// libmysqlclient calls a connection that is gone already lost, too. Routed handles tell the difference: 2006 was not
/// executed, 2013 is unknown.
fn as_mysql(error: Error) -> Error {
    if error.code == cr::SERVER_GONE_ERROR && error.origin == Origin::Client {
        return Error::lost(Family::MySql).sent(error.sent);
    }
    error
}

/// Lends the handle to one session call and publishes how it ended: 0 or 1.
///
/// # Safety
/// As for [`Handle::lend`].
#[inline]
pub(super) unsafe fn call<F: Abi>(mysql: *mut F::Mysql, work: impl FnOnce(&mut Session) -> Result<(), Error>) -> c_int {
    // SAFETY: the caller's promise.
    let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return 1 };
    let result = work(&mut handle.session);
    // SAFETY: lent through `mysql`.
    unsafe { handle.answer(mysql, result) }
}

/// The family of a handle; None for NULL, zeroed or closed memory.
///
/// # Safety
/// `mysql` is NULL or points to a `MYSQL` of either family whose private pointer is ours or NULL.
pub(super) unsafe fn family_of(mysql: *mut c_void) -> Option<Family> {
    if mysql.is_null() {
        return None;
    }
    // SAFETY: the slot is at the same place in both families; readable by the caller's promise.
    let slot = unsafe { super::family::any_handle_slot(mysql).read() }.cast::<u64>();
    if slot.is_null() || !slot.is_aligned() {
        return None;
    }
    // SAFETY: the word after the front, at the same place in both families.
    let found = unsafe { slot.add(MAGIC_WORD).read() };
    [Family::MySql, Family::MariaDb].into_iter().find(|family| [magic(*family), busy(*family)].contains(&found))
}
