//! Our own entries: what a program may ask about its cluster. Each serves handles of both families.
//!
//! `include/mysqlclient_ms.h` is made from this file.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr;

use crate::conn::driver::block_on;
use crate::error::{Error, cr};
use crate::route;
use crate::session::{Refused, ServerEntry, Session, count_asked};
use crate::statistics;

use super::convert::c_bytes;
use super::entry::{Blame, wall};
use super::family::{Abi, MariaDb, MySql};
use super::handle::{Handle, family_of};
use crate::options::Family;

/// The handle's session, whichever family the handle is of.
///
/// # Safety
/// `mysql` is NULL or a valid handle of either family; no other borrow of it is alive.
unsafe fn session<'a>(mysql: *mut c_void) -> Option<&'a mut Session> {
    // SAFETY: the caller's promise.
    unsafe {
        match family_of(mysql)? {
            Family::MySql => Handle::<MySql>::lend(mysql.cast()).map(|handle| &mut handle.session),
            Family::MariaDb => Handle::<MariaDb>::lend(mysql.cast()).map(|handle| &mut handle.session),
        }
    }
}

/// Runs an entry of ours behind the panic wall; no handle is blamed.
fn own<R>(name: &'static str, fails: R, work: impl FnOnce() -> R) -> R
where
    R: Copy,
{
    wall::<MySql, R>(name, Blame::Nobody, || fails, work)
}

/// The version of this library as a number: major * 10000 + minor * 100 + patch.
pub const MYSQLND_MS_VERSION_ID: c_int = 100;
/// What `mysqlnd_ms_query_is_select` returns for a master.
pub const MYSQLND_MS_QUERY_USE_MASTER: c_int = 0;
/// What `mysqlnd_ms_query_is_select` returns for a slave.
pub const MYSQLND_MS_QUERY_USE_SLAVE: c_int = 1;
/// What `mysqlnd_ms_query_is_select` returns for the server used last.
pub const MYSQLND_MS_QUERY_USE_LAST_USED: c_int = 2;

/// The connection that a handle used last.
///
/// Texts are NUL-ended and valid until the handle's next call.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MysqlndMsConnection {
    /// "tcp" or "unix"; "" before the first connection.
    pub scheme: *const c_char,
    /// As `mysql_get_host_info` says; "" before the first connection.
    pub host_info: *const c_char,
    /// Host name or address; "localhost" for a socket.
    pub host: *const c_char,
    /// TCP port; 0 for a socket.
    pub port: c_uint,
    /// Path of the socket; "" for TCP.
    pub socket_or_pipe: *const c_char,
    /// Connection id on that server; 0 before the first connection.
    pub thread_id: c_ulong,
    /// As `mysql_info`; "" for none.
    pub last_message: *const c_char,
    /// As `mysql_errno`.
    pub error_no: c_uint,
    /// As `mysql_error`.
    pub error: *const c_char,
    /// As `mysql_sqlstate`.
    pub sqlstate: *const c_char,
}

/// Tells which connection the handle used last.
///
/// Source: mysqlnd_ms_get_last_used_connection of PECL mysqlnd_ms. On a handle that is not routed: its one connection.
/// Returns: 0; 1 for NULL or a handle that is not ours.
///
/// # Safety
/// `mysql` is NULL or a valid handle (`MYSQL *` of either family); `connection` is NULL or writable.
pub unsafe extern "C" fn mysqlnd_ms_get_last_used_connection(
    mysql: *mut c_void,
    connection: *mut MysqlndMsConnection,
) -> c_int {
    own("mysqlnd_ms_get_last_used_connection", 1, || {
        if connection.is_null() {
            return 1;
        }
        // SAFETY: the caller's promise.
        let told = unsafe {
            match family_of(mysql) {
                Some(Family::MySql) => describe::<MySql>(mysql.cast()),
                Some(Family::MariaDb) => describe::<MariaDb>(mysql.cast()),
                None => None,
            }
        };
        let Some(told) = told else { return 1 };
        // SAFETY: the caller's promise.
        unsafe { connection.write_unaligned(told) };
        0
    })
}

/// # Safety
/// `mysql` is a valid handle of this family.
unsafe fn describe<F: Abi>(mysql: *mut F::Mysql) -> Option<MysqlndMsConnection> {
    // SAFETY: the caller's promise.
    let handle = unsafe { Handle::<F>::lend(mysql) }?;
    let used = handle.session.last_used();
    let (host, socket) = (used.host.into_bytes(), used.socket);
    handle.answer = [host.as_slice(), &[0], &socket, &[0]].concat();
    let start: *const c_char = handle.answer.as_ptr().cast();
    let or_empty = |text: *const c_char| if text.is_null() { c"".as_ptr() } else { text };
    // SAFETY: offsets inside `answer`; public fields of a valid handle.
    unsafe {
        Some(MysqlndMsConnection {
            scheme: used.scheme.as_ptr(),
            host_info: or_empty(F::host_info(mysql).read()),
            host: start,
            port: c_uint::from(used.port),
            socket_or_pipe: start.add(host.len() + 1),
            thread_id: F::thread_id(mysql).read(),
            last_message: or_empty(F::info(mysql).read()),
            error_no: F::last_errno(mysql).read(),
            error: F::last_error(mysql).cast_const().cast(),
            sqlstate: F::sqlstate(mysql).cast_const().cast(),
        })
    }
}

/// Tells where a routed handle's last statement went and why: "node=... role=... class=... reason=...".
///
/// Returns: the text, valid until the handle's next call; NULL on a handle that is not routed, or before its first
/// statement.
///
/// # Safety
/// `mysql` is NULL or a valid handle (`MYSQL *` of either family).
pub unsafe extern "C" fn mysqlnd_ms_get_last_decision(mysql: *mut c_void) -> *const c_char {
    own("mysqlnd_ms_get_last_decision", ptr::null(), || {
        // SAFETY: the caller's promise.
        let text = unsafe { session(mysql) }.and_then(Session::last_decision);
        text.map_or(ptr::null(), |text| text.as_ptr().cast())
    })
}

/// Classifies a statement without running it.
///
/// Source: mysqlnd_ms_query_is_select of PECL mysqlnd_ms. Returns: 0 = a master (everything that is not proven to be a
/// plain read; NULL; the hint ms=master), 1 = a slave, 2 = the server used last. The counters of guesses and hints move, as
/// for a statement that is run.
///
/// # Safety
/// `query` is NULL or a NUL-ended string.
pub unsafe extern "C" fn mysqlnd_ms_query_is_select(query: *const c_char) -> c_int {
    own("mysqlnd_ms_query_is_select", 0, || {
        // SAFETY: the caller's promise.
        let sql = unsafe { c_bytes(query) }.unwrap_or_default();
        let no_split = super::environment::clusters().is_some_and(|clusters| clusters.directives.disable_rw_split);
        let (context, config) = (route::LexContext::default(), route::ClassifyConfig::default());
        if statistics::is_on() {
            count_asked(&route::classify(sql, &context, &config), no_split);
        }
        route::query_is_select(sql, &context, &config, no_split)
    })
}

/// Tests a text against a pattern: `%` = any characters, `_` = one character, a backslash takes the next one as it is.
///
/// Source: mysqlnd_ms_match_wild of PECL mysqlnd_ms, without its fault that the first `%` ended the test. Returns: 1 if
/// it fits, else 0 (also for NULL).
///
/// # Safety
/// `text` and `pattern` are NULL or NUL-ended strings.
pub unsafe extern "C" fn mysqlnd_ms_match_wild(text: *const c_char, pattern: *const c_char) -> c_int {
    own("mysqlnd_ms_match_wild", 0, || {
        // SAFETY: the caller's promise.
        match unsafe { (c_bytes(text), c_bytes(pattern)) } {
            (Some(text), Some(pattern)) => c_int::from(route::wild::match_wild(text, pattern)),
            _ => 0,
        }
    })
}

/// The level of `mysqlnd_ms_set_qos`: reads go to a master.
pub const MYSQLND_MS_QOS_CONSISTENCY_STRONG: c_int = 0;
/// The level of `mysqlnd_ms_set_qos`: reads see what the session has written.
pub const MYSQLND_MS_QOS_CONSISTENCY_SESSION: c_int = 1;
/// The level of `mysqlnd_ms_set_qos`: reads are promised nothing.
pub const MYSQLND_MS_QOS_CONSISTENCY_EVENTUAL: c_int = 2;
/// The option of `mysqlnd_ms_set_qos`: none; `value` is not looked at.
pub const MYSQLND_MS_QOS_OPTION_NONE: c_int = 0;
/// The option of `mysqlnd_ms_set_qos`, with session consistency: a GTID, GTID set or position that reads are to see.
pub const MYSQLND_MS_QOS_OPTION_GTID: c_int = 1;
/// The option of `mysqlnd_ms_set_qos`, with eventual consistency: how old an answer may be, in whole seconds from 0 on.
pub const MYSQLND_MS_QOS_OPTION_AGE: c_int = 2;
/// The option of `mysqlnd_ms_set_qos`, with eventual consistency: the lifetime of cached answers. Not served yet.
pub const MYSQLND_MS_QOS_OPTION_CACHE: c_int = 3;

/// Sets what the handle's following reads are promised to see.
///
/// Source: mysqlnd_ms_set_qos of PECL mysqlnd_ms. Where the servers have GTIDs, session consistency, which is the default,
/// lets replicas answer, after they have what was written; a level set here replaces that of the configuration.
/// Returns: 0; 1 and error 2000 on the handle, with the reason, for a handle that does not route, an unknown level or
/// option, an option that does not go with the level, a value that is missing, no GTID or no age, and inside a transaction that
/// has its node. 1 for NULL or a handle that is not ours.
///
/// # Safety
/// `mysql` is NULL or a valid handle (`MYSQL *` of either family); `value` is NULL or a NUL-ended string.
pub unsafe extern "C" fn mysqlnd_ms_set_qos(
    mysql: *mut c_void,
    level: c_int,
    option: c_int,
    value: *const c_char,
) -> c_int {
    own("mysqlnd_ms_set_qos", 1, || {
        // SAFETY: the caller's promise.
        let value = unsafe { c_bytes(value) };
        // SAFETY: the caller's promise.
        unsafe { ask(mysql, |session| session.set_quality_by_number(level, option, value).map_err(Refused::to_error)) }
    })
}

/// Tells the newest GTID: by the configuration's `fetch_last_gtid`, asked on the node used last, where that is configured;
/// else the GTID of the handle's last write as the server wrote it: `uuid:21` (MySQL), `0-1-19` (MariaDB).
///
/// Source: mysqlnd_ms_get_last_gtid of PECL mysqlnd_ms. Returns: the text, valid until the handle's next call; NULL before
/// the first write, and where the servers tell no GTIDs; NULL with an error on the handle: 2000 on one that does not route,
/// the server's if `fetch_last_gtid` fails.
///
/// # Safety
/// `mysql` is NULL or a valid handle (`MYSQL *` of either family).
pub unsafe extern "C" fn mysqlnd_ms_get_last_gtid(mysql: *mut c_void) -> *const c_char {
    own("mysqlnd_ms_get_last_gtid", ptr::null(), || {
        let mut gtid = None;
        // SAFETY: the caller's promise.
        let failed = unsafe { ask(mysql, |session| block_on(session.fetch_last_gtid()).map(|found| gtid = found)) };
        if failed != 0 {
            return ptr::null();
        }
        // SAFETY: the caller's promise.
        unsafe { text(mysql, |_| gtid) }
    })
}

/// One counter.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MysqlndMsStat {
    /// Its name; never freed.
    pub name: *const c_char,
    /// Its value.
    pub value: u64,
}

/// Tells what this process has counted since its start, under the 46 names of mysqlnd_ms; behind them come those of
/// this library's own: `stale_reads`. Counters of what it does not have (Fabric, XA state stores) stay 0. `pool_*_total` and
/// `pool_*_active` are gauges: the nodes of the handles that are connected now.
///
/// Source: mysqlnd_ms_get_stats of PECL mysqlnd_ms. `stats` gets the first `most` of them. Returns: how many there are; 0
/// while `mysqlnd_ms.enable` is off. They count only with `mysqlnd_ms.collect_statistics`.
///
/// # Safety
/// `stats` is NULL or has room for `most` counters.
pub unsafe extern "C" fn mysqlnd_ms_get_stats(stats: *mut MysqlndMsStat, most: usize) -> usize {
    own("mysqlnd_ms_get_stats", 0, || {
        if super::environment::clusters().is_none() {
            return 0;
        }
        for (index, name) in statistics::NAMES.iter().enumerate().take(if stats.is_null() { 0 } else { most }) {
            let stat = MysqlndMsStat { name: name.as_ptr(), value: statistics::value(index) };
            // SAFETY: within the caller's room.
            unsafe { stats.add(index).write(stat) };
        }
        statistics::NAMES.len()
    })
}

/// A server of a handle's section.
///
/// Texts are NUL-ended and valid until the handle's next call.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MysqlndMsServer {
    /// Its name in the configuration; "" if it has none.
    pub name_from_config: *const c_char,
    /// Host name or address; "localhost" for a socket.
    pub hostname: *const c_char,
    /// The account that the handle uses there.
    pub user: *const c_char,
    /// TCP port; 0 for a socket.
    pub port: c_uint,
    /// Path of the socket; "" for TCP.
    pub socket: *const c_char,
    /// The handle's connection id there; 0 while it is not connected.
    pub thread_id: c_ulong,
    /// 0 = listed under master, 1 = under slave.
    pub is_slave: c_int,
}

/// What is counted of a server by all handles of the process.
///
/// Texts are NUL-ended and valid until the handle's next call.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MysqlndMsNodeStat {
    /// Its name in the configuration; "" if it has none.
    pub name_from_config: *const c_char,
    /// Host name or address; "localhost" for a socket.
    pub hostname: *const c_char,
    /// TCP port; 0 for a socket.
    pub port: c_uint,
    /// Path of the socket; "" for TCP.
    pub socket: *const c_char,
    /// 0 = listed under master, 1 = under slave.
    pub is_slave: c_int,
    /// Statements that were not answered to the end at this moment; told also without `mysqlnd_ms.collect_statistics`.
    pub in_flight: c_uint,
    /// Statements that were sent there.
    pub statements: u64,
    /// Connections that were opened.
    pub connects: u64,
    /// Connections that could not be opened.
    pub failures: u64,
}

/// Lists the servers of the handle's section, masters first.
///
/// Source: mysqlnd_ms_dump_servers of PECL mysqlnd_ms. `servers` gets the first `most` of them. Returns: how many there
/// are; 0 and error 2000 on the handle for one that does not route; 0 for NULL or a handle that is not ours.
///
/// # Safety
/// `mysql` is NULL or a valid handle (`MYSQL *` of either family); `servers` is NULL or has room for `most` servers.
pub unsafe extern "C" fn mysqlnd_ms_dump_servers(
    mysql: *mut c_void,
    servers: *mut MysqlndMsServer,
    most: usize,
) -> usize {
    own("mysqlnd_ms_dump_servers", 0, || {
        let told = |entry: &ServerEntry, text: &[*const c_char; 4]| MysqlndMsServer {
            name_from_config: text[0],
            hostname: text[1],
            user: text[2],
            port: c_uint::from(entry.port),
            socket: text[3],
            thread_id: entry.thread_id as c_ulong,
            is_slave: c_int::from(entry.is_replica),
        };
        // SAFETY: the caller's promise.
        unsafe { list_servers(mysql, servers, most, told) }
    })
}

/// Tells what this process has counted of each server of the handle's section, masters first: an addition of ours to
/// `mysqlnd_ms_get_stats`. A changed configuration keeps the numbers of servers that stay.
///
/// `stats` gets the first `most` of them. Returns: as mysqlnd_ms_dump_servers. Numbers but `in_flight` count only with
/// `mysqlnd_ms.collect_statistics`.
///
/// # Safety
/// `mysql` is NULL or a valid handle (`MYSQL *` of either family); `stats` is NULL or has room for `most` entries.
pub unsafe extern "C" fn mysqlnd_ms_get_node_stats(
    mysql: *mut c_void,
    stats: *mut MysqlndMsNodeStat,
    most: usize,
) -> usize {
    own("mysqlnd_ms_get_node_stats", 0, || {
        let told = |entry: &ServerEntry, text: &[*const c_char; 4]| MysqlndMsNodeStat {
            name_from_config: text[0],
            hostname: text[1],
            port: c_uint::from(entry.port),
            socket: text[3],
            is_slave: c_int::from(entry.is_replica),
            in_flight: entry.in_flight,
            statements: entry.counts.statements,
            connects: entry.counts.connects,
            failures: entry.counts.failures,
        };
        // SAFETY: the caller's promise.
        unsafe { list_servers(mysql, stats, most, told) }
    })
}

/// Writes what `told` makes of each server into the caller's room. The texts, kept with the handle: name, host, user,
/// socket.
///
/// # Safety
/// `mysql` is NULL or a valid handle of either family; `room` is NULL or has room for `most`.
unsafe fn list_servers<T>(
    mysql: *mut c_void,
    room: *mut T,
    most: usize,
    told: impl Fn(&ServerEntry, &[*const c_char; 4]) -> T,
) -> usize {
    let mut entries = Vec::new();
    let mut places = Vec::new();
    let keep = |session: &mut Session| {
        entries = session.servers();
        let mut texts = Vec::new();
        for entry in &entries {
            places.push([entry.name.as_bytes(), entry.host.as_bytes(), &entry.user, &entry.socket].map(|text| {
                let start = texts.len();
                texts.extend_from_slice(text);
                texts.push(0);
                start
            }));
        }
        Some(texts)
    };
    // SAFETY: the caller's promise.
    let texts = unsafe { text(mysql, keep) };
    if entries.is_empty() {
        // SAFETY: the caller's promise.
        unsafe {
            ask(mysql, |_| Err(Error::client(cr::UNKNOWN_ERROR, "mysqlclient-ms: the handle is not routed".to_owned())))
        };
        return 0;
    }
    for (index, (entry, places)) in entries.iter().zip(&places).enumerate().take(if room.is_null() { 0 } else { most })
    {
        let entry = told(entry, &places.map(|place| texts.wrapping_add(place)));
        // SAFETY: within the caller's room.
        unsafe { room.add(index).write(entry) };
    }
    entries.len()
}

/// Tells what the handle's reads are to see, as a token: a short opaque text of letters, digits, `-` and `_`, fit for a
/// cookie. Given to another handle of the same cluster, in the next web request for instance, by
/// `mysqlnd_ms_set_token`, it lets its reads see everything that was written here.
///
/// Returns: the token, valid until the handle's next call; NULL on a handle that does not route, before its first write,
/// and where the servers tell no GTIDs.
///
/// # Safety
/// `mysql` is NULL or a valid handle (`MYSQL *` of either family).
pub unsafe extern "C" fn mysqlnd_ms_get_token(mysql: *mut c_void) -> *const c_char {
    own("mysqlnd_ms_get_token", ptr::null(), || {
        // SAFETY: the caller's promise.
        unsafe { text(mysql, |session| session.token().map(String::into_bytes)) }
    })
}

/// Lets the handle's following reads see what the handle saw that gave the token.
///
/// A token of another cluster, or from before a failover that lost transactions, costs a read at most
/// `consistency.wait_ms` once; then a master is asked, and the log tells of it. Returns: 0; 1 and error 2000 on the
/// handle, with the reason, for a handle that does not route, a text that is no token, and inside a transaction that has
/// its node. 1 for NULL or a handle that is not ours.
///
/// # Safety
/// `mysql` is NULL or a valid handle (`MYSQL *` of either family); `token` is NULL or a NUL-ended string.
pub unsafe extern "C" fn mysqlnd_ms_set_token(mysql: *mut c_void, token: *const c_char) -> c_int {
    own("mysqlnd_ms_set_token", 1, || {
        // SAFETY: the caller's promise.
        let token = unsafe { c_bytes(token) }.unwrap_or_default();
        // SAFETY: the caller's promise.
        unsafe { ask(mysql, |session| session.set_token(token).map_err(Refused::to_error)) }
    })
}

/// Runs a wish on the handle's session; a refusal becomes the handle's error. 0 or 1.
///
/// # Safety
/// `mysql` is NULL or a valid handle of either family.
unsafe fn ask(mysql: *mut c_void, wish: impl FnOnce(&mut Session) -> Result<(), Error>) -> c_int {
    /// # Safety
    /// `mysql` is a valid handle of this family.
    unsafe fn on<F: Abi>(mysql: *mut F::Mysql, wish: impl FnOnce(&mut Session) -> Result<(), Error>) -> c_int {
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return 1 };
        let result = wish(&mut handle.session);
        // SAFETY: lent through `mysql`.
        unsafe { handle.answer(mysql, result) }
    }
    // SAFETY: the caller's promise; the family is the handle's.
    unsafe {
        match family_of(mysql) {
            Some(Family::MySql) => on::<MySql>(mysql.cast(), wish),
            Some(Family::MariaDb) => on::<MariaDb>(mysql.cast(), wish),
            None => 1,
        }
    }
}

/// Keeps a text with the handle and gives a pointer to it; NULL for none.
///
/// # Safety
/// `mysql` is NULL or a valid handle of either family.
unsafe fn text(mysql: *mut c_void, of: impl FnOnce(&mut Session) -> Option<Vec<u8>>) -> *const c_char {
    /// # Safety
    /// `mysql` is a valid handle of this family.
    unsafe fn on<F: Abi>(mysql: *mut F::Mysql, of: impl FnOnce(&mut Session) -> Option<Vec<u8>>) -> *const c_char {
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return ptr::null() };
        let Some(mut text) = of(&mut handle.session) else { return ptr::null() };
        text.push(0);
        handle.answer = text;
        handle.answer.as_ptr().cast()
    }
    // SAFETY: the caller's promise; the family is the handle's.
    unsafe {
        match family_of(mysql) {
            Some(Family::MySql) => on::<MySql>(mysql.cast(), of),
            Some(Family::MariaDb) => on::<MariaDb>(mysql.cast(), of),
            None => ptr::null(),
        }
    }
}

/// A node that is offered to a filter of the program.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MysqlndMsNode {
    /// Its name in the configuration; "" if it has none.
    pub name: *const c_char,
    /// Where it listens: "tcp://host:port" or "unix:///path"; what the configuration leaves to the connect call is
    /// missing.
    pub uri: *const c_char,
    /// 0 = listed under master, 1 = under slave.
    pub is_slave: c_int,
}

/// What a filter of the program is asked. Everything in it is valid during the call only.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MysqlndMsFilterCall {
    /// Size of this structure as the library knows it: later versions add to its end.
    pub size: usize,
    /// Name of the section.
    pub section: *const c_char,
    /// The statement; not NUL-ended.
    pub query: *const c_char,
    /// Its length, bytes.
    pub query_length: usize,
    /// The nodes that are left, the masters first.
    pub nodes: *const MysqlndMsNode,
    /// How many they are; may be 0.
    pub node_count: c_uint,
    /// How many of them, from the first on, are masters.
    pub master_count: c_uint,
    /// Which of them this handle used last; -1 = none, or none of them.
    pub last_used: c_int,
    /// 1 = inside a transaction, or autocommit is off.
    pub in_transaction: c_int,
    /// 1 = a slave may run it: it is proven to be a plain read, and nothing else demands a master.
    pub is_read: c_int,
    /// For `user_multi`: node_count bytes, all 0; the filter sets those of the nodes that stay to 1.
    pub selected: *mut u8,
}

/// A filter of the program, for the entries `user` and `user_multi` of a section's `filters`.
///
/// For `user` it returns the number of the chosen node in `nodes`; a slave for a statement that is not `is_read` is
/// refused. For `user_multi` it sets `selected` and returns 0. Any other number fails the statement with error 2000; the
/// handle stays usable, and the next statement asks again.
///
/// It is called by the thread that runs the statement, in front of it: not when a transaction, a result or state of the
/// session already says where the statement goes. It must not use the handle whose statement it is asked about, and it must
/// return: it must not jump or throw out of the call.
pub type MysqlndMsFilter =
    Option<unsafe extern "C-unwind" fn(call: *const MysqlndMsFilterCall, data: *mut c_void) -> c_int>;

/// Registers a filter by the name that the configuration calls it (`"user": {"callback": NAME}`). `data` is handed to it
/// as it is. The same name again replaces it, for handles that are connected too; NULL takes it away.
///
/// Source: mysqlnd_ms_set_user_pick_server and the filters `user` and `user_multi` of PECL mysqlnd_ms. May be called at any
/// time by any thread. Returns: 0; 1 for a name that is NULL or empty.
///
/// # Safety
/// `name` is NULL or a NUL-ended string; `function` may be called with `data` as long as it is registered, and by a
/// statement that has already found it.
pub unsafe extern "C" fn mysqlnd_ms_set_user_filter(
    name: *const c_char,
    function: MysqlndMsFilter,
    data: *mut c_void,
) -> c_int {
    own("mysqlnd_ms_set_user_filter", 1, || {
        // SAFETY: the caller's promise.
        let name = unsafe { c_bytes(name) }.map(String::from_utf8_lossy).unwrap_or_default();
        if name.is_empty() {
            return 1;
        }
        super::user_filter::register(&name, function, data);
        0
    })
}
