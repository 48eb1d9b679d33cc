//! One socket to one server: connect, send a command, read its head, read rows.
//!
//! Knows nothing of nodes, configuration or the meaning of SQL. Network code is `async fn`, written once; see
//! [`driver`] for who drives it.

pub mod driver;

use std::os::fd::RawFd;
use std::path::PathBuf;

use crate::error::Error;
use crate::options::Options;
use crate::result::{Columns, StoredRows, StreamRow};

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// Host name or address literal (IPv6 without brackets) and port.
    Tcp {
        /// Name or address.
        host: String,
        /// 1 to 65535.
        port: u16,
    },
    /// Unix domain socket.
    Unix(PathBuf),
}

/// One server and the account to use there.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    /// Where.
    pub endpoint: Endpoint,
    /// Account name.
    pub user: Vec<u8>,
    /// Password, empty for none. Wiped when dropped.
    pub password: Vec<u8>,
    /// Initial schema.
    pub database: Option<Vec<u8>>,
    /// The flags argument of `mysql_real_connect` (`CLIENT_*`).
    pub client_flags: u64,
}

/// What a server said of itself in its greeting, and what was agreed on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// Version text as `mysql_get_server_info` shows it (MariaDB's `5.5.5-` prefix removed).
    pub version: Vec<u8>,
    /// MariaDB by its greeting.
    pub is_mariadb: bool,
    /// Connection id.
    pub thread_id: u64,
    /// The server's capability flags; MariaDB's extended ones in the upper half.
    pub capabilities: u64,
    /// The flags in use on this connection: what `MYSQL.client_flag` shows.
    pub client_flag: u64,
    /// The server's default collation, from the greeting.
    pub server_language: u32,
    /// TLS cipher name in OpenSSL's spelling when TLS is on.
    pub tls_cipher: Option<String>,
    /// `mysql_get_host_info`: "127.0.0.1 via TCP/IP", "Localhost via UNIX socket".
    pub host_info: Vec<u8>,
}

/// Command bytes, named as on the protocol pages.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Command {
    Quit = 1,
    InitDb = 2,
    Query = 3,
    FieldList = 4,
    Refresh = 7,
    Statistics = 9,
    ProcessKill = 12,
    Debug = 13,
    Ping = 14,
    ChangeUser = 17,
    StmtPrepare = 22,
    StmtExecute = 23,
    StmtSendLongData = 24,
    StmtClose = 25,
    StmtReset = 26,
    SetOption = 27,
    StmtFetch = 28,
    ResetConnection = 31,
}

/// An OK packet (or an OK in the place of an EOF).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OkPacket {
    /// Rows changed, or found with CLIENT_FOUND_ROWS.
    pub affected_rows: u64,
    /// First generated id.
    pub last_insert_id: u64,
    /// `SERVER_STATUS_*`.
    pub status: u16,
    /// Number of warnings.
    pub warnings: u16,
    /// Human-readable text; empty (no allocation) for most.
    pub info: Vec<u8>,
    /// Raw session state changes: entries of type, length, data; empty (no allocation) for most.
    pub session_changes: Vec<u8>,
}

/// The first part of a reply to a query.
#[derive(Debug)]
pub enum Head {
    /// No rows.
    Ok(OkPacket),
    /// Rows follow; all column definitions have been read, and the EOF after them where there is one.
    ResultSet(Columns),
    /// The server asks for a file: LOAD DATA LOCAL.
    LocalInfile(Vec<u8>),
}

/// How rows ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// `SERVER_STATUS_*`; bit 8 = more results follow.
    pub status: u16,
    /// Number of warnings.
    pub warnings: u16,
}

/// One connection. Dropping it closes the socket without a word; [`Connection::quit`] says goodbye first.
#[derive(Debug)]
pub struct Connection {
    server: Server,
}

impl Connection {
    /// Connects, negotiates TLS, authenticates, sets the character set, runs the init commands.
    ///
    /// Errors: 2002, 2003, 2005, 2012, 2013, 2026, 2059, 2061 with the family's text, or the server's own.
    pub async fn open(_target: &Target, _options: &Options) -> Result<Connection, Error> {
        unimplemented!()
    }

    /// What the server said of itself.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// The socket, for programs that poll it.
    pub fn fd(&self) -> RawFd {
        unimplemented!()
    }

    /// A failed read or write has made this connection useless.
    pub fn is_broken(&self) -> bool {
        unimplemented!()
    }

    /// No reply byte of this connection waits in our buffers, TLS plaintext included.
    pub fn is_drained(&self) -> bool {
        unimplemented!()
    }

    /// Puts a command into the send buffer, to leave with the next [`Connection::send`] (the prelude rule).
    pub fn queue(&mut self, _command: Command, _argument: &[&[u8]]) {
        unimplemented!()
    }

    /// Sends a command, behind what was queued, in one system call if it fits the socket's buffer.
    /// `argument` is the concatenation of the parts; 16 MiB and more is split into packets.
    ///
    /// Errors: 2006 with [`crate::error::Sent::No`] when no byte left; 2020 when larger than allowed; 2013.
    pub async fn send(&mut self, _command: Command, _argument: &[&[u8]]) -> Result<(), Error> {
        unimplemented!()
    }

    /// Reads the head of the next reply. A server's error packet is `Err` with `Sent::Yes`.
    pub async fn read_head(&mut self) -> Result<Head, Error> {
        unimplemented!()
    }

    /// Reads all text rows of the result set whose head was read.
    pub async fn store_rows(&mut self, _column_count: usize) -> Result<(StoredRows, End), Error> {
        unimplemented!()
    }

    /// Reads one text row into `row`; `Some(end)` when there is none left.
    pub async fn next_row(&mut self, _row: &mut StreamRow) -> Result<Option<End>, Error> {
        unimplemented!()
    }

    /// Reads and throws away the rest of the present result set.
    pub async fn skip_rows(&mut self) -> Result<End, Error> {
        unimplemented!()
    }

    /// Answers [`Head::LocalInfile`]: one chunk of the file; an empty one ends it, then [`Connection::read_head`].
    pub async fn send_file_chunk(&mut self, _chunk: &[u8]) -> Result<(), Error> {
        unimplemented!()
    }

    /// Reads a reply that is one bare packet (COM_STATISTICS).
    pub async fn read_text(&mut self) -> Result<Vec<u8>, Error> {
        unimplemented!()
    }

    /// Changes the time limits of the following waits.
    pub fn set_timeouts(
        &mut self,
        _read: Option<std::time::Duration>,
        _write: Option<std::time::Duration>,
    ) {
        unimplemented!()
    }

    /// COM_QUIT (and TLS close_notify), then the socket is closed. Never waits, never raises SIGPIPE.
    pub fn quit(self) {
        unimplemented!()
    }

    /// Closes the descriptor without a byte on the wire: a forked child, or a descriptor that the program closed.
    /// With `close_fd` false the descriptor is left alone, because the program has closed it itself.
    pub fn abandon(self, _close_fd: bool) {
        unimplemented!()
    }
}
