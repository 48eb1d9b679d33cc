//! Connecting: from the arguments of `mysql_real_connect` and the options to a target; reconnecting; closing.

use std::path::PathBuf;

use zeroize::Zeroize;

use crate::charset::{self, Collation};
use crate::conn::{Attempt, Command, Connection, Endpoint, Head, Server, Target};
use crate::error::{Error, cr};
use crate::options::{Family, Options, Protocol, TlsMode};

use super::carry::Carry;
use super::nodes::Node;
use super::{Phase, Session};

/// `SERVER_STATUS_AUTOCOMMIT`.
pub(super) const AUTOCOMMIT: u16 = 2;

/// The arguments of `mysql_real_connect`; None = NULL, 0 = "the default port".
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ConnectArgs {
    /// Host name, address, or the name of a section.
    pub host: Option<Vec<u8>>,
    /// Account.
    pub user: Option<Vec<u8>>,
    /// Password.
    pub password: Option<Vec<u8>>,
    /// Schema.
    pub database: Option<Vec<u8>>,
    /// TCP port.
    pub port: u16,
    /// Unix socket.
    pub socket: Option<Vec<u8>>,
    /// `CLIENT_*`.
    pub flags: u64,
}

/// The defaults that the process's environment gives, read by the caller.
#[derive(Clone, Default)]
pub struct Environment {
    /// `MYSQL_PWD`.
    pub password: Option<Vec<u8>>,
    /// `MYSQL_TCP_PORT`, else what the services database says, else 3306.
    pub port: u16,
    /// `MYSQL_UNIX_PORT`, else the family's default path.
    pub socket: PathBuf,
    /// The name of the user who runs the program.
    pub login: Vec<u8>,
}

/// Errors that mean "nobody answers there": the next host of a list is tried.
fn found_nobody(code: u32) -> bool {
    matches!(
        code,
        cr::SOCKET_CREATE_ERROR | cr::CONNECTION_ERROR | cr::CONN_HOST_ERROR | cr::IPSOCK_ERROR | cr::UNKNOWN_HOST
    )
}

/// A port as C reads it: the digits at the beginning, 0 without one.
fn number(text: &[u8]) -> u16 {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |port: u16, digit| port.wrapping_mul(10).wrapping_add(u16::from(digit - b'0')))
}

fn nonempty(value: &Option<Vec<u8>>) -> Option<&Vec<u8>> {
    value.as_ref().filter(|value| !value.is_empty())
}

impl ConnectArgs {
    /// Fills what the program left out from the option file and the environment.
    pub(super) fn complete(mut self, options: &Options, environment: &Environment) -> Self {
        let defaults = &options.defaults;
        if nonempty(&self.host).is_none() {
            self.host = defaults.host.as_ref().map(|host| host.clone().into_bytes());
        }
        if nonempty(&self.user).is_none() {
            self.user = Some(defaults.user.clone().unwrap_or_else(|| environment.login.clone()));
        }
        if self.password.is_none() {
            self.password = defaults.password.clone().or_else(|| environment.password.clone());
        }
        if nonempty(&self.database).is_none() {
            self.database = defaults.database.clone();
        }
        if self.port == 0 {
            self.port = defaults.port.unwrap_or(environment.port);
        }
        if nonempty(&self.socket).is_none() {
            use std::os::unix::ffi::OsStrExt;
            self.socket = defaults.socket.as_ref().map(|path| path.as_os_str().as_bytes().to_vec());
        }
        self
    }

    /// The same call once per host of a list, which Connector/C takes as in `a:3306,[::1]:3307,b`; without a comma it
    /// is one, and a colon belongs to the name.
    fn candidates(self, family: Family, default_port: u16) -> Vec<Self> {
        let list = match nonempty(&self.host) {
            Some(list) if family == Family::MariaDb && list.contains(&b',') => list.clone(),
            _ => return vec![self],
        };
        let hosts = list.split(|byte| *byte == b',').filter(|entry| !entry.is_empty());
        hosts
            .map(|entry| {
                let (host, rest) = match entry.iter().position(|byte| *byte == b']') {
                    Some(end) => (&entry[1..end.max(1)], &entry[end + 1..]),
                    None => {
                        let end = entry.iter().position(|byte| *byte == b':').unwrap_or(entry.len());
                        entry.split_at(end)
                    }
                };
                let port = rest.iter().position(|byte| *byte == b':').map(|colon| number(&rest[colon + 1..]));
                let port = port.unwrap_or(if self.port == 0 { default_port } else { self.port });
                ConnectArgs { host: Some(host.to_vec()), port, ..self.clone() }
            })
            .collect()
    }

    /// Where a plain handle connects to.
    ///
    /// Errors: 2047 for a protocol that leads nowhere.
    pub(super) fn endpoint(&self, options: &Options, environment: &Environment) -> Result<Endpoint, Error> {
        let host = nonempty(&self.host).map(|host| String::from_utf8_lossy(host).into_owned());
        let local = host.as_deref().is_none_or(|host| host == "localhost");
        match options.protocol {
            Protocol::Default | Protocol::Socket if local => {
                use std::os::unix::ffi::OsStringExt;
                let path = match nonempty(&self.socket) {
                    Some(path) => PathBuf::from(std::ffi::OsString::from_vec(path.clone())),
                    None => environment.socket.clone(),
                };
                Ok(Endpoint::Unix(path))
            }
            // Connector/C takes the socket only for a local host and TCP for any other.
            Protocol::Socket if options.family == Family::MariaDb => {
                Ok(Endpoint::Tcp { host: host.unwrap_or_default(), port: self.port })
            }
            Protocol::Default | Protocol::Tcp => {
                Ok(Endpoint::Tcp { host: host.unwrap_or_else(|| "localhost".to_owned()), port: self.port })
            }
            Protocol::Socket | Protocol::Pipe | Protocol::Memory => Err(Error::unknown_protocol()),
        }
    }
}

impl Session {
    /// `mysql_real_connect` to one server.
    ///
    /// Errors: 2058 when the handle is connected; those of [`Connection::open`].
    pub async fn connect_plain(&mut self, args: ConnectArgs, environment: &Environment) -> Result<(), Error> {
        self.check_unconnected()?;
        let asked_port = if args.port == 0 { self.options.defaults.port.unwrap_or(0) } else { args.port };
        let args = args.complete(&self.options, environment);
        let charset = self.wanted_charset()?;
        self.outcome = super::Outcome { affected_rows: 0, ..super::Outcome::default() };
        let mut candidates = args.candidates(self.options.family, environment.port).into_iter();
        let (args, mut node, connection, init) = loop {
            let Some(args) = candidates.next() else { return Err(Error::gone(self.options.family)) };
            let target = Target {
                endpoint: args.endpoint(&self.options, environment)?,
                user: args.user.clone().unwrap_or_default(),
                password: args.password.clone().unwrap_or_default(),
                database: nonempty(&args.database).cloned(),
                client_flags: args.flags | self.options.client_flags,
            };
            let node = Node::new(target, None);
            let mut attempt = Attempt::default();
            let opened = Connection::attempt(&node.target, &self.options, &mut attempt).await;
            if self.options.family == Family::MySql {
                self.settle_protocol(&node.target.endpoint, opened.as_ref().err());
            }
            match opened {
                Ok(connection) => break (args, node, connection, attempt.init),
                Err(error) if found_nobody(error.code) && candidates.len() > 0 => {}
                Err(error) => {
                    if attempt.init.is_some() {
                        self.outcome.affected_rows = !0;
                    }
                    if attempt.server.is_some() {
                        self.charset = charset;
                    }
                    self.greeted = attempt.server.map(Box::new);
                    return Err(error);
                }
            }
        };
        self.outcome.status = connection.login_ok().status;
        self.outcome.warnings = u32::from(connection.login_ok().warnings);
        self.outcome.affected_rows = 0;
        if let Some(init) = init {
            self.outcome.affected_rows = !0;
            self.outcome.field_count = init.columns;
            self.outcome.status = init.status;
            // Connector/C does not count those of rows that it throws away.
            let counts = self.options.family == Family::MySql || init.columns == 0;
            self.outcome.warnings = if counts { u32::from(init.warnings) } else { 0 };
        }
        self.changes.clone_from(&connection.login_ok().session_changes);
        self.changes_count = self.changes_count.wrapping_add(1);
        self.carry = Carry::default();
        self.carry.set_schema(node.target.database.clone(), None);
        node.connected(connection, self.carry.fresh());
        self.args = args;
        self.show_endpoint(&node.target.endpoint, asked_port);
        self.nodes = vec![node];
        self.at = Some(0);
        self.charset = charset;
        self.phase = Phase::Ready;
        self.connected = true;
        Ok(())
    }

    /// libmysqlclient keeps to the way of a connect that found a server behind a Unix socket, where there is nothing to gain
    /// from TLS.
    fn settle_protocol(&mut self, endpoint: &Endpoint, error: Option<&Error>) {
        if matches!(endpoint, Endpoint::Unix(_)) && error.is_none_or(|error| !found_nobody(error.code)) {
            self.options.protocol = Protocol::Socket;
            if self.options.tls.mode == TlsMode::Preferred {
                self.options.tls.mode = TlsMode::Disabled;
            }
        }
    }

    /// What the server of a connect that failed had said of itself, once.
    pub fn take_greeted(&mut self) -> Option<Box<Server>> {
        self.greeted.take()
    }

    /// Both originals show of a Unix socket the port that was asked for and a host, of TCP no socket.
    fn show_endpoint(&mut self, endpoint: &Endpoint, asked_port: u16) {
        match endpoint {
            Endpoint::Tcp { host, .. } => {
                self.args.socket = None;
                if nonempty(&self.args.host).is_none() {
                    self.args.host = Some(host.as_bytes().to_vec());
                }
            }
            Endpoint::Unix(path) => {
                use std::os::unix::ffi::OsStrExt;
                self.args.port = asked_port;
                self.args.host = Some(b"localhost".to_vec());
                self.args.socket = Some(path.as_os_str().as_bytes().to_vec());
            }
        }
    }

    /// `mysql_change_user`: another account on the same connection, which forgets its session state; NULL texts are
    /// empty ones. Routed: every connection is closed and opened with the new account when it is next needed; the
    /// source at once, if any node was open, so that a refused account is told. Nodes with an account of their own in
    /// the configuration keep it.
    ///
    /// Errors: the server's, with the old account still the handle's; 2006, 2013, 2014, 2019; those of a login.
    pub async fn change_user(&mut self, user: &[u8], password: &[u8], database: Option<&[u8]>) -> Result<(), Error> {
        let asked = self.charset_option();
        let before = std::mem::replace(&mut self.options.charset, asked);
        let changed = match self.wanted_charset() {
            Ok(charset) => self.change_account(user, password, database).await.map(|()| charset),
            Err(error) => Err(error),
        };
        match changed {
            Ok(charset) => {
                self.charset_override = None;
                self.follow_charset(charset);
                Ok(())
            }
            Err(error) => {
                self.options.charset = before;
                Err(error)
            }
        }
    }

    async fn change_account(&mut self, user: &[u8], password: &[u8], database: Option<&[u8]>) -> Result<(), Error> {
        let columns = self.outcome.field_count;
        self.begin().await?;
        // As the originals: it is no statement.
        self.outcome.field_count = columns;
        let database = database.filter(|name| !name.is_empty()).map(<[u8]>::to_vec);
        if self.router.is_some() {
            self.change_user_routed(user, password, database).await
        } else {
            self.change_user_plain(user, password, database).await
        }
    }

    async fn change_user_plain(
        &mut self,
        user: &[u8],
        password: &[u8],
        database: Option<Vec<u8>>,
    ) -> Result<(), Error> {
        let gone = Error::gone(self.options.family);
        let has_ended = self.connection().is_none_or(Connection::has_ended);
        if self.options.reconnect && has_ended && self.may_reconnect() {
            self.reconnect().await?;
        }
        let Some(node) = self.nodes.first_mut() else { return Err(gone) };
        let mut target = node.target.clone();
        target.user = user.to_vec();
        target.password.zeroize();
        target.password = password.to_vec();
        target.database.clone_from(&database);
        let changed = match node.connection_mut() {
            Some(connection) => connection.change_user(&target, &self.options).await,
            None => Err(gone),
        };
        if let Err(error) = changed {
            self.failed();
            return Err(error);
        }
        node.target = target;
        self.remember_account(user, password);
        self.carry.reset();
        self.carry.set_schema(database, None);
        if let Some(node) = self.nodes.first_mut() {
            node.versions = self.carry.fresh();
            node.forget_statements();
            if let Some(connection) = node.connection() {
                let ok = connection.login_ok();
                self.outcome.status = ok.status;
                self.outcome.warnings = u32::from(ok.warnings);
                self.changes.clone_from(&ok.session_changes);
                self.changes_count = self.changes_count.wrapping_add(1);
            }
        }
        self.outcome.affected_rows = 0;
        self.outcome.insert_id = 0;
        Ok(())
    }

    async fn change_user_routed(
        &mut self,
        user: &[u8],
        password: &[u8],
        database: Option<Vec<u8>>,
    ) -> Result<(), Error> {
        let was_open = !self.no_node_is_open();
        let before = (self.args.clone(), self.carry.clone(), self.what_would_be_lost());
        for node in &mut self.nodes {
            if let Some(connection) = node.take() {
                connection.quit();
            }
        }
        self.at = None;
        self.prelude_replies = 0;
        self.carry.reset();
        self.observe_reset();
        self.remember_account(user, password);
        self.carry.set_schema(database, None);
        self.retarget();
        let mut opened = if was_open { self.open_for_call().await } else { Ok(()) };
        let mut repeats = 0;
        while opened.as_ref().is_err_and(|error| self.wants_repeating(error, repeats)) {
            repeats += 1;
            self.pause_before_repeating().await;
            opened = self.open_for_call().await;
        }
        if let Err(error) = opened {
            // The old account with its state goes on; what lived on the connections that were closed is lost.
            self.args = before.0;
            self.carry = before.1;
            self.retarget();
            self.observe_loss(before.2);
            return Err(error);
        }
        self.outcome = super::Outcome { affected_rows: 0, status: AUTOCOMMIT, ..super::Outcome::default() };
        Ok(())
    }

    /// The account that the program asked for last.
    fn remember_account(&mut self, user: &[u8], password: &[u8]) {
        self.args.user = Some(user.to_vec());
        if let Some(old) = &mut self.args.password {
            old.zeroize();
        }
        self.args.password = Some(password.to_vec());
    }

    pub(super) fn check_unconnected(&self) -> Result<(), Error> {
        if self.is_connected() {
            let text = match self.options.family {
                Family::MySql => "This handle is already connected. Use a separate handle for each connection.",
                Family::MariaDb => "Can't connect twice. Already connected",
            };
            return Err(Error::client(cr::ALREADY_CONNECTED, text));
        }
        Ok(())
    }

    /// The character set that the options name, else the family's default.
    ///
    /// Errors: 2019.
    pub(super) fn wanted_charset(&self) -> Result<Collation, Error> {
        let family = self.options.family;
        match self.options.charset.as_deref() {
            None => Ok(default_charset(family)),
            Some(name) if family == Family::MySql && charset::by_name(name).is_some_and(|set| set.mbminlen > 1) => {
                Err(Error::client_charset(name))
            }
            Some(name) => charset::by_name(name).map(|charset| charset.default_collation(family)).ok_or_else(|| {
                let mut error = Error::charset(family, name, charset_dir(family));
                if family == Family::MariaDb {
                    // Connector/C forgets the state here, and only here.
                    error.sqlstate = *b"00000";
                }
                error
            }),
        }
    }

    /// The program asked for reconnecting and nothing would be lost that it does not know of. In a transaction the
    /// answer is no, once: the error that follows tells the program, and the next command reconnects.
    pub(super) fn may_reconnect(&mut self) -> bool {
        const IN_TRANSACTION: u16 = 1;
        if !self.options.reconnect || self.router.is_some() || !self.connected {
            return false;
        }
        let in_transaction = self.outcome.status & IN_TRANSACTION != 0;
        self.outcome.status &= !IN_TRANSACTION;
        !in_transaction
    }

    /// `mariadb_reconnect`: [`Session::reconnect`] if the program has asked for reconnecting.
    ///
    /// Errors: 2006 without that, in a transaction, or on a handle that never connected; those of a connect.
    pub async fn reconnect_now(&mut self) -> Result<(), Error> {
        if !self.may_reconnect() {
            return Err(Error::gone(self.options.family));
        }
        self.reconnect().await
    }

    /// Opens the plain handle's connection again, to the same server: a new thread id, session state lost, schema and
    /// character set as they were, init commands run again. The old connection ends when the new one is there.
    pub(super) async fn reconnect(&mut self) -> Result<(), Error> {
        let fresh = self.carry.fresh();
        let schema = self.carry.schema().map(<[u8]>::to_vec);
        let Some(node) = self.nodes.first_mut() else {
            return Err(Error::gone(self.options.family));
        };
        node.target.database = schema;
        let mut connection = Connection::open(&node.target, &self.options).await?;
        let charset = self.charset.charset().name();
        connection.send(Command::Query, &[b"SET NAMES ", charset.as_bytes()]).await?;
        let status = match connection.read_head().await? {
            Head::Ok(ok) => ok.status,
            _ => return Err(Error::malformed(self.options.family)),
        };
        if let Some(old) = node.take() {
            old.quit();
        }
        node.connected(connection, fresh);
        self.at = Some(0);
        self.phase = Phase::Ready;
        self.pending = None;
        self.changes.clear();
        self.outcome = super::Outcome { status, ..super::Outcome::default() };
        Ok(())
    }

    /// `mysql_close`: says goodbye to every server; never waits, never fails.
    pub fn close(&mut self) {
        for node in &mut self.nodes {
            if let Some(connection) = node.take() {
                connection.quit();
            }
        }
        self.forget_connections();
    }

    /// A forked child's handle, or one whose descriptor the program closed: sockets are closed without a byte.
    /// `close_fd` false: the descriptor of the connection used last belongs to somebody else by now.
    pub fn abandon(&mut self, close_fd: bool) {
        let at = self.at;
        for (index, node) in self.nodes.iter_mut().enumerate() {
            if let Some(connection) = node.take() {
                connection.abandon(close_fd || at != Some(index));
            }
        }
        self.phase = Phase::Ready;
        self.pending = None;
        self.prelude_replies = 0;
        self.outcome.status &= !super::MORE_RESULTS;
        self.observe_abandoned();
    }

    fn forget_connections(&mut self) {
        self.nodes.clear();
        self.at = None;
        self.router = None;
        self.phase = Phase::Ready;
        self.pending = None;
        self.prelude_replies = 0;
        self.changes.clear();
        self.connected = false;
    }
}

/// The character set of a connection that was told none: utf8mb4, in Connector/C as Debian builds it, too.
pub(super) fn default_charset(family: Family) -> Collation {
    let id = match family {
        Family::MySql => 255,
        Family::MariaDb => 45,
    };
    numbered(family, id)
}

/// The character set of a handle that was never connected, whatever its options say.
pub(super) fn unconnected_charset(family: Family) -> Collation {
    let id = match family {
        Family::MySql => 8,
        Family::MariaDb => 45,
    };
    numbered(family, id)
}

fn numbered(family: Family, id: u32) -> Collation {
    // Both are in the table: see the tests of `charset`.
    charset::by_id(id).unwrap_or_else(|| charset::all()[0].default_collation(family))
}

/// The folder of character sets that error 2019 names, as the Debian builds of the originals have it.
pub(super) fn charset_dir(family: Family) -> &'static str {
    match family {
        Family::MySql => "/usr/share/mysql/charsets/",
        Family::MariaDb => "compiled_in",
    }
}
