//! Entries that make, use and end a connection.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_ulong};
use std::pin::pin;
use std::ptr;

use crate::conn::driver::{block_on, block_on_pinned};
use crate::error::{Error, cr};
use crate::options::Family;
use crate::session::{ConnectArgs, Environment, Session};

use super::convert::c_bytes;
use super::entry::entry;
use super::environment;
use super::family::Abi;
use super::handle::{Handle, call};

entry! {
    /// Prepares a handle in the caller's memory, or in memory of its own for NULL.
    ///
    /// Returns: the handle; NULL when out of memory.
    ///
    /// # Safety
    /// `mysql` is NULL or a writable buffer of the size of the family's `MYSQL`; what lies there is not looked at.
    fn mysql_init<F>(mysql: *mut F::Mysql) -> *mut F::Mysql;
    plain, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        unsafe { Handle::<F>::init(mysql) }
    }
}

entry! {
    /// Ends the connections and the handle. In a forked child, and after the program has stored -1 in `net.fd`,
    /// sockets are closed without a byte.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_close<F>(mysql: *mut F::Mysql);
    handle mysql, fails (), {
        // SAFETY: the caller's promise.
        unsafe { Handle::<F>::close(mysql) };
    }
}

entry! {
    /// Connects. A host (or, by the section's `match` rules, another argument) that names a section of the
    /// configuration makes a routed handle, which is lazy unless the section says otherwise.
    ///
    /// Units: port 0 to 65535, 0 = default; flags `CLIENT_*`. Returns: `mysql`; NULL on an error.
    /// Errors: 2002, 2003, 2005, 2012, 2013, 2019, 2026, 2047, 2058, 2059, 2061; 2000 for a configuration that is
    /// refused; the server's.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; the texts are NULL or NUL-ended strings.
    fn mysql_real_connect<F>(
        mysql: *mut F::Mysql, host: *const c_char, user: *const c_char, passwd: *const c_char, db: *const c_char,
        port: c_uint, unix_socket: *const c_char, client_flag: c_ulong,
    ) -> *mut F::Mysql;
    handle mysql, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        let args = unsafe { connect_args(host, user, passwd, db, port, unix_socket, client_flag) };
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return ptr::null_mut() };
        // SAFETY: lent through `mysql`.
        let dial = unsafe { Dial::new(mysql, handle, args) };
        let result = dial.block(&mut handle.session);
        connected(handle, mysql, result)
    }
}

/// The arguments of a connect call.
///
/// # Safety
/// The texts are NULL or NUL-ended strings.
pub(super) unsafe fn connect_args(
    host: *const c_char,
    user: *const c_char,
    passwd: *const c_char,
    db: *const c_char,
    port: c_uint,
    unix_socket: *const c_char,
    client_flag: c_ulong,
) -> ConnectArgs {
    // SAFETY: the caller's promise.
    let owned = |text: *const c_char| unsafe { c_bytes(text) }.map(<[u8]>::to_vec);
    ConnectArgs {
        host: owned(host),
        user: owned(user),
        password: owned(passwd),
        database: owned(db),
        port: u16::try_from(port).unwrap_or(0),
        socket: owned(unix_socket),
        flags: client_flag,
    }
}

/// All that a connect call needs, gathered before the first packet.
pub(super) struct Dial {
    args: ConnectArgs,
    defaults: Environment,
    /// Why not to connect at all.
    refused: Result<(), Error>,
}

impl Dial {
    /// Reads what the program wrote into its `MYSQL` and the option files it asked for.
    ///
    /// # Safety
    /// `mysql` has lent `handle`.
    pub unsafe fn new<F: Abi>(mysql: *mut F::Mysql, handle: &mut Handle<F>, mut args: ConnectArgs) -> Self {
        // SAFETY: the caller's promise.
        unsafe { super::options::honour_fields::<F>(mysql, handle) };
        handle.session.options().program = super::plugin::program_of::<F>(mysql);
        handle.settings.connects(F::FAMILY, args.flags);
        if F::FAMILY == Family::MySql {
            handle.session.options().client_flags |= args.flags;
        }
        let defaults = environment::connect_defaults(F::FAMILY);
        let refused = check_flags(F::FAMILY, args.flags)
            .and_then(|()| super::options::read_connection_string(handle, &mut args))
            .and_then(|()| super::options::read_option_files(handle));
        Dial { args, defaults, refused }
    }

    /// Connects, waiting.
    fn block(self, session: &mut Session) -> Result<(), Error> {
        self.refused?;
        match environment::clusters() {
            Some(clusters) => block_on_pinned(pin!(session.connect(self.args, &self.defaults, clusters))),
            None => block_on_pinned(pin!(session.connect_plain(self.args, &self.defaults))),
        }
    }

    /// Connects.
    pub async fn run(self, session: &mut Session) -> Result<(), Error> {
        self.refused?;
        match environment::clusters() {
            Some(clusters) => session.connect(self.args, &self.defaults, clusters).await,
            None => session.connect_plain(self.args, &self.defaults).await,
        }
    }
}

/// Publishes how a connect ended. `mysql` has lent `handle`.
pub(super) fn connected<F: Abi>(
    handle: &mut Handle<F>,
    mysql: *mut F::Mysql,
    result: Result<(), Error>,
) -> *mut F::Mysql {
    handle.settings.status_callback.start(&handle.session);
    // What files and strings said shows, too.
    // SAFETY: lent through `mysql`.
    unsafe { super::options::publish_options::<F>(mysql, handle) };
    // A call that was wrong in itself is not a connect that failed.
    let failed =
        result.as_ref().is_err_and(|error| !matches!(error.code, cr::ALREADY_CONNECTED | cr::INVALID_CLIENT_FLAG));
    // libmysqlclient leaves the state of an error of before where it is.
    // SAFETY: lent through `mysql`.
    let state = unsafe { F::sqlstate(mysql).read() };
    let keeps = F::FAMILY == Family::MySql && !handle.session.is_routed();
    // SAFETY: lent through `mysql`.
    let answer = unsafe { handle.answer(mysql, result) };
    if answer == 0 && keeps {
        // SAFETY: lent through `mysql`.
        unsafe { F::sqlstate(mysql).write(state) };
    }
    if failed {
        match handle.session.take_greeted() {
            // SAFETY: lent through `mysql`.
            Some(server) => unsafe { handle.publish_greeting(mysql, &server) },
            // SAFETY: inside the public struct.
            None if F::FAMILY == Family::MySql => unsafe { F::client_flag(mysql).write(0) },
            None => {}
        }
        if !handle.settings.remembers() {
            // SAFETY: lent through `mysql`.
            unsafe { super::options::forget::<F>(mysql, handle) };
        }
    }
    if answer == 0 { mysql } else { ptr::null_mut() }
}

/// Connector/C refuses flags that it does not let programs set.
fn check_flags(family: Family, flags: c_ulong) -> std::result::Result<(), Error> {
    /// All but those that change the protocol behind the library's back.
    const ALLOWED: u64 = 0xE4FF_FFFF;
    if family == Family::MySql || flags & !ALLOWED == 0 {
        return Ok(());
    }
    let text = format!("Invalid client flags ({flags}) specified. Supported flags: {ALLOWED}");
    Err(Error::client(cr::INVALID_CLIENT_FLAG, text))
}

entry! {
    /// Logs in again with another account; the session's state is forgotten. NULL texts are empty ones.
    ///
    /// Routing: every connection is closed and opened again with the new account when it is needed. Returns: 0; 1 on an
    /// error, with the old account still the handle's. Errors: the server's, 2006, 2013, 2014, 2019, 2059, 2061.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; the texts are NULL or NUL-ended strings.
    fn mysql_change_user<F>(
        mysql: *mut F::Mysql, user: *const c_char, passwd: *const c_char, db: *const c_char,
    ) -> c_char;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        let text = |text: *const c_char| unsafe { c_bytes(text) };
        let (user, password) = (text(user).unwrap_or_default(), text(passwd).unwrap_or_default());
        let database = text(db);
        // SAFETY: the caller's promise.
        let failed = unsafe {
            call::<F>(mysql, |session| {
                session.options().program = super::plugin::program_of::<F>(mysql);
                block_on(session.change_user(user, password, database))
            })
        };
        // Whether it went well or not: a server that refuses has forgotten them, too.
        // SAFETY: the caller's promise.
        if let Some(handle) = unsafe { Handle::<F>::lend(mysql) } {
            handle.detach_statements("mysql_change_user");
        }
        failed as c_char
    }
}

entry! {
    /// Asks the server whether it is there; reconnects if the program has asked for that.
    ///
    /// Routing: the node used last, else the source. Returns: 0; 1 on an error. Errors: 2006, 2013, 2014.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_ping<F>(mysql: *mut F::Mysql) -> c_int;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { call::<F>(mysql, |session| block_on(session.ping())) }
    }
}

entry! {
    /// Makes `db` the default schema, on every node.
    ///
    /// Returns: 0; 1 on an error. Errors: 1049, 1044; 2006, 2013, 2014.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `db` a NUL-ended string.
    fn mysql_select_db<F>(mysql: *mut F::Mysql, db: *const c_char) -> c_int;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        let schema = unsafe { c_bytes(db) }.unwrap_or_default();
        // SAFETY: the caller's promise.
        unsafe { call::<F>(mysql, |session| block_on(session.select_db(schema))) }
    }
}

entry! {
    /// Forgets the session state of the connection, on every node: variables, temporary tables, locks, transaction.
    ///
    /// Returns: 0; 1 on an error.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_reset_connection<F>(mysql: *mut F::Mysql) -> c_int;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        let failed = unsafe { call::<F>(mysql, |session| block_on(session.reset_connection())) };
        // SAFETY: the caller's promise.
        if let Some(handle) = unsafe { Handle::<F>::lend(mysql) }
            && failed == 0
        {
            handle.detach_statements("mysql_reset_connection");
        }
        failed
    }
}

entry! {
    /// Switches multi-statements: 0 on, 1 off; on every node.
    ///
    /// Returns: 0; 1 on an error. Errors: 1047 for an unknown number.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_set_server_option<F>(mysql: *mut F::Mysql, option: c_uint) -> c_int;
    handle mysql, fails 1, {
        let number = u16::try_from(option).unwrap_or(u16::MAX);
        // SAFETY: the caller's promise.
        unsafe { call::<F>(mysql, |session| block_on(session.set_server_option(number))) }
    }
}

entry! {
    /// The server's one-line status.
    ///
    /// Returns: the text, valid until the next call of this kind; on an error the error's text, as the originals.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_stat<F>(mysql: *mut F::Mysql) -> *const c_char;
    handle mysql, fails ptr::null(), {
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return ptr::null() };
        let result = block_on(handle.session.statistics());
        status_line(handle, mysql, result)
    }
}

/// Publishes what `mysql_stat` read. `mysql` has lent `handle`.
pub(super) fn status_line<F: Abi>(
    handle: &mut Handle<F>,
    mysql: *mut F::Mysql,
    result: Result<Vec<u8>, Error>,
) -> *const c_char {
    let mut answer = Vec::new();
    let result = result.map(|text| answer = text);
    answer.push(0);
    handle.answer = answer;
    // SAFETY: lent through `mysql`.
    if unsafe { handle.answer(mysql, result) } == 0 {
        handle.answer.as_ptr().cast()
    } else {
        F::last_error(mysql).cast_const().cast()
    }
}

entry! {
    /// Flushes what the bits of `options` (`REFRESH_*`) name. Returns: 0; 1 on an error.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_refresh<F>(mysql: *mut F::Mysql, options: c_uint) -> c_int;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { call::<F>(mysql, |session| block_on(session.refresh(options as u8))) }
    }
}

entry! {
    /// Makes the server write debug information to its log. Returns: 0; 1 on an error.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_dump_debug_info<F>(mysql: *mut F::Mysql) -> c_int;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { call::<F>(mysql, |session| block_on(session.dump_debug_info())) }
    }
}

entry! {
    /// Ends the server's connection with this id.
    ///
    /// Routing: only if exactly one connection of this handle has the id, to its node. Returns: 0; 1 on an error.
    /// Errors: 1094.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_kill<F>(mysql: *mut F::Mysql, thread_id: c_ulong) -> c_int;
    handle mysql, fails 1, {
        if F::FAMILY == Family::MySql && u32::try_from(thread_id).is_err() {
            // As the original: no connection has such an id, and the handle says nothing of it.
            return cr::INVALID_CONN_HANDLE as c_int;
        }
        // SAFETY: the caller's promise.
        unsafe { call::<F>(mysql, |session| block_on(session.kill(thread_id))) }
    }
}

entry! {
    /// Opens the connection again, if the program has asked for reconnecting (`MYSQL_OPT_RECONNECT`).
    ///
    /// Routing: such a handle opens its connections by itself: 2006. Returns: 0; 1 on an error. Errors: 2006 when it was
    /// not asked for, inside a transaction, and on a handle that never connected; those of a connect.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mariadb_reconnect<F>(mysql: *mut F::Mysql) -> c_char;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { call::<F>(mysql, |session| block_on(session.reconnect_now())) as c_char }
    }
}

entry! {
    /// Breaks the connection off, so that a call which waits on it in another thread fails. The only entry that may be
    /// called while another thread is inside one with the same handle.
    ///
    /// Routing: the connection that the last finished call used. Returns: -1, as Connector/C does, whatever happened;
    /// 1 when there is no connection.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; nobody closes it meanwhile.
    fn mariadb_cancel<F>(mysql: *mut F::Mysql) -> c_int;
    handle mysql, fails 1, {
        // The handle is not lent: only public fields that the other thread writes when its call is over.
        // SAFETY: the caller's promise.
        let (connected, fd) = unsafe { (!F::vio(mysql).read_volatile().is_null(), F::fd(mysql).read_volatile()) };
        if !connected || fd < 0 {
            return 1;
        }
        crate::conn::driver::note_cancel();
        // SAFETY: any number may be shut down; the system says if it is no socket.
        unsafe { libc::shutdown(fd, libc::SHUT_RDWR) };
        -1
    }
}
