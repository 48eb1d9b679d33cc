//! One socket to one server: connect, send a command, read its head, read rows.
//!
//! Knows nothing of nodes, configuration or the meaning of SQL. Network code is `async fn`, written once; see
//! [`driver`] for who drives it.

mod attributes;
mod auth;
mod channel;
mod collation;
mod compressed;
pub mod driver;
mod encrypted_key;
mod head;
mod login;
mod placeholder;
mod rows;
mod socket;
pub mod srv;
mod tls;
mod tls_config;
mod tls_sessions;
mod transport;
mod watched;
mod x509;

use std::os::fd::{IntoRawFd, RawFd};
use std::path::PathBuf;

use zeroize::Zeroize;

use crate::error::Error;
use crate::options::Options;
use crate::result::{BinaryRows, Builder, Columns, StoredRows, StreamRow};
use crate::wire::err;
use channel::{Channel, Packet};

pub use crate::wire::binlog;
pub use crate::wire::ok::{End, OkPacket};
pub use crate::wire::statement::{self, PrepareOk};
pub use attributes::{MARIADB_VERSION, MYSQL_VERSION};
pub use head::{ExecutionHead, SeenHead};
pub use placeholder::Placeholder;
pub use socket::is_connect_error;
pub use tls_sessions::is_session as is_tls_session;

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
    /// The TLS session is one that the program had kept of another connection.
    pub tls_resumed: bool,
    /// TLS version when TLS is on.
    pub tls_version: Option<TlsVersion>,
    /// `mysql_get_host_info`: "127.0.0.1 via TCP/IP", "Localhost via UNIX socket".
    pub host_info: Vec<u8>,
}

impl Server {
    /// It leaves the columns of an execution out for clients that ask for that, when they are those told before.
    pub fn may_leave_columns_out(&self) -> bool {
        self.capabilities & crate::wire::capabilities::MARIADB_CACHE_METADATA != 0
    }
}

/// How far a connect came.
#[derive(Debug, Default)]
pub struct Attempt {
    /// What the server said of itself; None: it did not.
    pub server: Option<Server>,
    /// What the init commands have brought; None: there are none, or it did not come to them.
    pub init: Option<LastReply>,
}

/// What is left of replies that nobody asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct LastReply {
    /// Columns; 0: no result.
    pub columns: u32,
    /// `SERVER_STATUS_*`.
    pub status: u16,
    /// How many warnings.
    pub warnings: u16,
}

/// A version of TLS; its number is the one that Connector/C gives it.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsVersion {
    Tls12 = 3,
    Tls13 = 4,
}

impl TlsVersion {
    /// As OpenSSL spells it.
    pub fn c_name(self) -> &'static std::ffi::CStr {
        match self {
            TlsVersion::Tls12 => c"TLSv1.2",
            TlsVersion::Tls13 => c"TLSv1.3",
        }
    }
}

/// Command bytes, named as on the protocol pages.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Command {
    Sleep = 0,
    Quit = 1,
    InitDb = 2,
    Query = 3,
    FieldList = 4,
    CreateDb = 5,
    DropDb = 6,
    Refresh = 7,
    Shutdown = 8,
    Statistics = 9,
    ProcessInfo = 10,
    Connect = 11,
    ProcessKill = 12,
    Debug = 13,
    Ping = 14,
    Time = 15,
    DelayedInsert = 16,
    ChangeUser = 17,
    BinlogDump = 18,
    TableDump = 19,
    ConnectOut = 20,
    RegisterReplica = 21,
    StmtPrepare = 22,
    StmtExecute = 23,
    StmtSendLongData = 24,
    StmtClose = 25,
    StmtReset = 26,
    SetOption = 27,
    StmtFetch = 28,
    Daemon = 29,
    BinlogDumpGtid = 30,
    ResetConnection = 31,
    Clone = 32,
    SubscribeGroupReplication = 33,
    StmtBulkExecute = 0xFA,
}

impl Command {
    const ALL: [Command; 35] = [
        Command::Sleep,
        Command::Quit,
        Command::InitDb,
        Command::Query,
        Command::FieldList,
        Command::CreateDb,
        Command::DropDb,
        Command::Refresh,
        Command::Shutdown,
        Command::Statistics,
        Command::ProcessInfo,
        Command::Connect,
        Command::ProcessKill,
        Command::Debug,
        Command::Ping,
        Command::Time,
        Command::DelayedInsert,
        Command::ChangeUser,
        Command::BinlogDump,
        Command::TableDump,
        Command::ConnectOut,
        Command::RegisterReplica,
        Command::StmtPrepare,
        Command::StmtExecute,
        Command::StmtSendLongData,
        Command::StmtClose,
        Command::StmtReset,
        Command::SetOption,
        Command::StmtFetch,
        Command::Daemon,
        Command::BinlogDumpGtid,
        Command::ResetConnection,
        Command::Clone,
        Command::SubscribeGroupReplication,
        Command::StmtBulkExecute,
    ];

    /// The command of this number.
    pub fn of(number: u8) -> Option<Command> {
        Self::ALL.into_iter().find(|command| *command as u8 == number)
    }

    /// No server answers it.
    pub fn has_no_reply(self) -> bool {
        matches!(self, Command::Quit | Command::StmtSendLongData | Command::StmtClose)
    }
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

impl Drop for Target {
    fn drop(&mut self) {
        self.password.zeroize();
    }
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Target")
            .field("endpoint", &self.endpoint)
            .field("user", &String::from_utf8_lossy(&self.user))
            .field("password", &"…")
            .field("database", &self.database.as_deref().map(String::from_utf8_lossy))
            .field("client_flags", &self.client_flags)
            .finish()
    }
}

/// One connection. Dropping it closes the socket without a word; [`Connection::quit`] says goodbye first.
#[derive(Debug)]
pub struct Connection {
    channel: Channel,
    server: Server,
    /// The capabilities agreed on.
    flags: u64,
    login: OkPacket,
    memory: login::Memory,
    resumable: Option<tls_sessions::Resumable>,
}

impl Connection {
    /// Connects, negotiates TLS, authenticates, sets the character set, runs the init commands.
    ///
    /// Errors: 2002, 2003, 2005, 2012, 2013, 2026, 2059, 2061 with the family's text, or the server's own.
    pub async fn open(target: &Target, options: &Options) -> Result<Connection, Error> {
        Self::attempt(target, options, &mut Attempt::default()).await
    }

    /// The same; `attempt` becomes how far it came, which the originals show although it failed.
    pub async fn attempt(target: &Target, options: &Options, attempt: &mut Attempt) -> Result<Connection, Error> {
        let login::LoggedIn { channel, server, flags, ok, memory, resumable } =
            login::open(target, options, attempt).await?;
        Ok(Connection { channel, server, flags, login: ok, memory, resumable })
    }

    /// Logs in again on the same connection (COM_CHANGE_USER): with the account, password and schema of `target` and
    /// the character set of `options`. The server forgets the session's state; init commands are not run again.
    ///
    /// Errors: the server's refusal, after which the connection may be alive or not, as the server likes; 2006, 2013;
    /// those of a login's authentication.
    pub async fn change_user(&mut self, target: &Target, options: &Options) -> Result<(), Error> {
        let (server, memory) = (&self.server, &mut self.memory);
        self.login = login::change_user(&mut self.channel, server, self.flags, memory, target, options).await?;
        Ok(())
    }

    /// What the server said of itself.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Keeps the TLS session for the process: the text by which [`crate::options::TlsOptions::session`] names it. None if
    /// there is no TLS, or the server has offered nothing to resume it by.
    pub fn keep_tls_session(&self) -> Option<String> {
        self.resumable.as_ref().and_then(tls_sessions::keep)
    }

    /// The OK packet that ended the login: the first status flags.
    pub fn login_ok(&self) -> &OkPacket {
        &self.login
    }

    /// The socket, for programs that poll it.
    pub fn fd(&self) -> RawFd {
        self.channel.transport.raw_fd()
    }

    /// A failed read or write has made this connection useless.
    pub fn is_broken(&self) -> bool {
        self.channel.broken
    }

    /// It is broken because the other side, or the network, ended it: not by a limit of time or a protocol error.
    pub fn broke_off(&self) -> bool {
        self.channel.broken
            && matches!(self.channel.failure, Some(transport::Failure::Closed | transport::Failure::Io(_)))
    }

    /// Nothing is outstanding, and the server has closed the connection or is about to: it has said something unasked. Never
    /// waits.
    pub fn is_spent(&self) -> bool {
        self.channel.is_drained() && self.channel.transport.is_spent()
    }

    /// The server has closed the connection and nothing of it is left to be read. Never waits.
    pub fn has_ended(&self) -> bool {
        self.channel.is_drained() && self.channel.transport.has_ended()
    }

    /// Marks the connection as broken if the server has closed it.
    pub fn notice_end(&mut self) {
        if self.has_ended() {
            self.channel.broken = true;
        }
    }

    /// No reply byte of this connection waits in our buffers, TLS plaintext included.
    pub fn is_drained(&self) -> bool {
        self.channel.is_drained()
    }

    /// Puts a command into the send buffer, to leave with the next [`Connection::send`] (the prelude rule).
    pub fn queue(&mut self, command: Command, argument: &[&[u8]]) {
        self.channel.queue(command, argument);
    }

    /// The attributes of the next statement that is sent (COM_QUERY), encoded; None = none, as it is at first. Ignored
    /// where the server does not take attributes.
    pub fn attach(&mut self, attributes: Option<&[u8]>) {
        self.channel.attach(attributes.unwrap_or(&channel::NO_ATTRIBUTES));
    }

    /// The server takes attributes with statements, and names with the parameters of prepared ones.
    #[inline]
    pub fn takes_attributes(&self) -> bool {
        self.flags & crate::wire::capabilities::QUERY_ATTRIBUTES != 0
    }

    /// Sends a command, behind what was queued, in one system call if it fits the socket's buffer.
    /// `argument` is the concatenation of the parts; 16 MiB and more is split into packets.
    ///
    /// Errors: 2006, with [`crate::error::Sent::No`] when no byte left; 2020 when larger than allowed.
    pub async fn send(&mut self, command: Command, argument: &[&[u8]]) -> Result<(), Error> {
        self.channel.send(command, argument).await
    }

    /// The first half of [`Connection::send`], which is nearly always all of it: true when the system took the command
    /// without waiting. False: [`Connection::send_rest`] has to follow, with the same command.
    #[inline]
    pub fn send_at_once(&mut self, command: Command, argument: &[&[u8]]) -> bool {
        self.channel.send_at_once(command, argument)
    }

    /// The second half of [`Connection::send`].
    #[cold]
    pub async fn send_rest(&mut self, command: Command, argument: &[&[u8]]) -> Result<(), Error> {
        self.channel.send_rest(command, argument).await
    }

    /// Reads the head of the next reply. A server's error packet is `Err` with `Sent::Yes`.
    pub async fn read_head(&mut self) -> Result<Head, Error> {
        match self.head_at_once() {
            Some(head) => head,
            None => self.head_slowly().await,
        }
    }

    /// [`Connection::read_head`] for COM_SET_OPTION, behind which a statement was sent already.
    pub async fn read_head_of_option(&mut self) -> Result<Head, Error> {
        let statement = std::mem::replace(&mut self.channel.statement, false);
        let head = self.read_head().await;
        self.channel.statement = statement;
        head
    }

    /// [`Connection::read_head`] for a head that is here, or comes whole with one simple read. None: nothing has been
    /// consumed, and [`Connection::head_slowly`] has to read it.
    #[inline]
    pub fn head_at_once(&mut self) -> Option<Result<Head, Error>> {
        head::at_once(&mut self.channel, self.flags)
    }

    /// [`Connection::head_at_once`] for an execution, whose head may be known by its bytes.
    #[inline]
    pub fn execution_head_at_once(&mut self, seen: &mut SeenHead) -> Option<ExecutionHead> {
        head::of_execution_at_once(&mut self.channel, self.flags, seen)
    }

    /// [`Connection::read_head`], as often as it takes.
    #[cold]
    pub async fn head_slowly(&mut self) -> Result<Head, Error> {
        head::read(&mut self.channel, self.flags).await
    }

    /// Reads all text rows of the result set whose head was read.
    pub async fn store_rows(&mut self, column_count: usize) -> Result<(StoredRows, End), Error> {
        let mut rows = Builder::default();
        let end = match self.rows_at_once(column_count, &mut rows)? {
            Some(end) => end,
            None => self.rest_of_rows(&mut rows).await?,
        };
        let mut stored = StoredRows::default();
        self.finish_rows(&mut rows, &mut stored)?;
        Ok((stored, end))
    }

    /// The first part of [`Connection::store_rows`]: collects the rows that are here; their end, if that is here too.
    #[inline]
    pub fn rows_at_once(&mut self, column_count: usize, rows: &mut Builder) -> Result<Option<End>, Error> {
        rows::begin::<rows::Text>(&mut self.channel, self.flags, column_count, rows)
    }

    /// The second part of [`Connection::store_rows`], if the first has not found the end.
    #[cold]
    pub async fn rest_of_rows(&mut self, rows: &mut Builder) -> Result<End, Error> {
        rows::store::<rows::Text>(&mut self.channel, self.flags, rows).await
    }

    /// The last part of [`Connection::store_rows`].
    #[inline]
    pub fn finish_rows(&mut self, rows: &mut Builder, stored: &mut StoredRows) -> Result<(), Error> {
        rows.finish(stored).map_err(|_| self.channel.out_of_memory())
    }

    /// The next packet has arrived whole.
    pub fn packet_is_here(&self) -> bool {
        self.channel.peek_packet().is_some()
    }

    /// [`Connection::next_row`] for a row that is here. False: nothing has been consumed.
    #[inline]
    pub fn next_row_at_once(&mut self, row: &mut StreamRow) -> bool {
        rows::next_at_once(&mut self.channel, row)
    }

    /// Reads one text row into `row`; `Some(end)` when there is none left.
    pub async fn next_row(&mut self, row: &mut StreamRow) -> Result<Option<End>, Error> {
        rows::next(&mut self.channel, self.flags, row).await
    }

    /// Reads the reply to COM_STMT_PREPARE.
    pub async fn read_prepared(&mut self) -> Result<(PrepareOk, Columns), Error> {
        head::read_prepared(&mut self.channel, self.flags).await
    }

    /// What the packet behind the columns of the head read last says; None with CLIENT_DEPRECATE_EOF, which has none.
    pub fn columns_end(&self) -> Option<End> {
        self.channel.columns_end
    }

    /// [`Connection::rows_at_once`] for rows of a prepared statement.
    #[inline]
    pub fn binary_rows_at_once(&mut self, rows: &mut Builder) -> Result<Option<End>, Error> {
        rows::begin::<rows::Binary>(&mut self.channel, self.flags, 0, rows)
    }

    /// [`Connection::rest_of_rows`] for rows of a prepared statement.
    #[cold]
    pub async fn rest_of_binary_rows(&mut self, rows: &mut Builder) -> Result<End, Error> {
        rows::store::<rows::Binary>(&mut self.channel, self.flags, rows).await
    }

    /// [`Connection::finish_rows`] for rows of a prepared statement.
    #[inline]
    pub fn finish_binary_rows(&mut self, rows: &mut Builder, stored: &mut BinaryRows) -> Result<(), Error> {
        rows.finish_binary(stored).map_err(|_| self.channel.out_of_memory())
    }

    /// [`Connection::next_binary_row`] for a row that is here. False: nothing has been consumed.
    #[inline]
    pub fn next_binary_row_at_once(&mut self, row: &mut Vec<u8>) -> bool {
        rows::next_binary_at_once(&mut self.channel, row)
    }

    /// Reads one row of a prepared statement into `row`; `Some(end)` when there is none left.
    pub async fn next_binary_row(&mut self, row: &mut Vec<u8>) -> Result<Option<End>, Error> {
        rows::next_binary(&mut self.channel, self.flags, row).await
    }

    /// The reply is not what the protocol says: the connection is useless.
    pub fn malformed(&mut self) -> Error {
        self.channel.malformed()
    }

    /// CLIENT_DEPRECATE_EOF was agreed on.
    pub fn deprecates_eof(&self) -> bool {
        self.flags & crate::wire::capabilities::DEPRECATE_EOF != 0
    }

    /// Session state changes that came with the end of the rows read last, raw as in [`OkPacket::session_changes`];
    /// empty (no allocation) for most.
    pub fn take_session_changes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.channel.changes)
    }

    /// Reads and throws away the rest of the present result set.
    pub async fn skip_rows(&mut self) -> Result<End, Error> {
        rows::skip(&mut self.channel, self.flags).await
    }

    /// The same for a small rest: false if it has more than `most` rows, which are left.
    pub async fn skip_few_rows(&mut self, most: u64) -> Result<bool, Error> {
        Ok(rows::skip_some(&mut self.channel, self.flags, most).await?.is_some())
    }

    /// Reads the column definitions that answer COM_FIELD_LIST, up to the packet that ends them.
    pub async fn read_field_list(&mut self) -> Result<(Columns, End), Error> {
        head::read_field_list(&mut self.channel, self.flags).await
    }

    /// Answers [`Head::LocalInfile`]: one chunk of the file; an empty one ends it, then [`Connection::read_head`].
    pub async fn send_file_chunk(&mut self, chunk: &[u8]) -> Result<(), Error> {
        self.channel.queue_packet(chunk);
        self.channel.flush().await
    }

    /// Sends a packet that is no command; its number is 0.
    pub async fn send_bare(&mut self, packet: &[u8]) -> Result<(), Error> {
        self.channel.sequence = 0;
        self.channel.queue_packet(packet);
        self.channel.flush().await
    }

    /// Reads a reply that is one bare packet (COM_STATISTICS).
    pub async fn read_text(&mut self) -> Result<Vec<u8>, Error> {
        let packet = self.channel.first_packet().await?;
        if self.channel.bytes(&packet).is_empty() {
            return Err(self.channel.fail(transport::Failure::Closed));
        }
        if err::is_err(self.channel.bytes(&packet)) {
            return Err(login::server_error(self.channel.family, self.channel.bytes(&packet)));
        }
        Ok(self.channel.bytes(&packet).to_vec())
    }

    /// Changes the time limits of the following waits.
    pub fn set_timeouts(&mut self, read: Option<std::time::Duration>, write: Option<std::time::Duration>) {
        self.channel.read_timeout = read;
        self.channel.write_timeout = write;
    }

    /// What comes has to be there by then, whatever the limit of a single wait is; None: no longer.
    pub fn answer_by(&mut self, deadline: Option<std::time::Instant>) {
        self.channel.deadline = deadline;
    }

    /// COM_QUIT (and TLS close_notify), then the socket is closed; closed only, if a command has left in part, which these
    /// bytes would complete. Never waits, never raises SIGPIPE.
    pub fn quit(mut self) {
        if !self.channel.broken && !self.channel.sending {
            self.channel.transport.send_and_forget(&[1, 0, 0, 0, Command::Quit as u8]);
        }
    }

    /// Closes the descriptor without a byte on the wire: a forked child, or a descriptor that the program closed.
    /// With `close_fd` false the descriptor is left alone, because the program has closed it itself.
    pub fn abandon(self, close_fd: bool) {
        let fd = self.channel.transport.into_fd();
        if !close_fd {
            // The number may belong to something else by now.
            let _ = fd.into_raw_fd();
        }
    }
}
