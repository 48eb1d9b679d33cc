//! One application handle: runs statements, reads their results, keeps its connections and what they must know.
//!
//! The only place where routing meets I/O. A plain handle has one node; a routed one asks `route` where each
//! statement goes. Never touches pointers, packet bytes or JSON.
//!
//! One statement, top to bottom: [`Session::run`] = [`Session::send_query`] (phase, route, prelude, send) then
//! [`Session::read_query_result`] (head, observe); rows by [`Session::store_result`] or [`Session::use_result`].

mod arm;
mod awaited;
mod bound;
mod calls;
mod carry;
mod connect;
mod decision;
mod discover;
mod effects;
mod executed;
mod execution;
mod fresh;
mod holders;
mod infile;
mod injection;
mod kept;
mod lag;
mod learn;
mod membership;
mod nodes;
mod observe;
mod open;
mod phase;
mod prelude;
mod prepared;
mod probe;
mod promise;
mod published;
mod quality;
mod query;
mod question;
mod reading;
mod recover;
mod reload;
mod results;
mod routed;
mod seen;
mod shared;
mod statement_rows;
mod steer;
mod tables;
mod tally;
mod tracking;
mod turns;
mod usual;

pub use crate::conn::Server;
pub use crate::conn::binlog;
pub use crate::conn::is_tls_session;
pub use crate::conn::srv;
pub use crate::conn::statement::put_count;
pub use connect::{ConnectArgs, Environment};
pub use execution::{Parameters, Request};
pub use infile::{DefaultLocalFiles, LocalFile, LocalFiles};
pub use phase::Phase;
pub use prepared::{Executed, Prepared, RowsAre, Shape};
pub use quality::Refused;
pub use routed::Router;
pub use tally::{ServerEntry, asked as count_asked};
pub use tracking::{SessionChange, TrackType};

use std::os::fd::RawFd;

use crate::charset::Collation;
use crate::conn::Connection;
use crate::options::{Family, Options};
use crate::result::Columns;

use carry::Carry;
use injection::Injected;
use nodes::Node;
use promise::Question;
use steer::Manner;

/// `SERVER_MORE_RESULTS_EXISTS`.
const MORE_RESULTS: u16 = 8;

/// What the last call did: the values behind `mysql_affected_rows`, `mysql_insert_id` and their kin.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Rows changed; all ones after an error or before a result is stored.
    pub affected_rows: u64,
    /// First generated id of the last statement that answered with OK.
    pub insert_id: u64,
    /// Warnings of the last statement.
    pub warnings: u32,
    /// `SERVER_STATUS_*` of the last reply.
    pub status: u16,
    /// Columns of the last result; 0 for statements without one.
    pub field_count: u32,
    /// `mysql_info`; empty = NULL.
    pub info: Vec<u8>,
}

impl Default for Outcome {
    fn default() -> Self {
        Outcome { affected_rows: !0, insert_id: 0, warnings: 0, status: 0, field_count: 0, info: Vec::new() }
    }
}

/// One application handle.
pub struct Session {
    options: Options,
    args: ConnectArgs,
    nodes: Vec<Node>,
    /// Counts how often the nodes got other numbers.
    numbering: u32,
    /// The node used last; its connection answers for the handle.
    at: Option<usize>,
    router: Option<Box<Router>>,
    carry: Carry,
    phase: Phase,
    charset: Collation,
    /// The name that `mysql_set_character_set` put into the options, and what the program had said there before.
    charset_override: Option<(String, Option<String>)>,
    outcome: Outcome,
    pending: Option<Columns>,
    /// There are columns of a result that is not one of texts, or was thrown away: Connector/C then refuses to store it.
    leftover: bool,
    changes: Vec<u8>,
    changes_count: u32,
    /// Replies to pipelined preludes that come before the statement's own.
    prelude_replies: usize,
    /// The last of them, but for that to a question, is to `on_commit`.
    injected: Option<Injected>,
    /// The last of them answers this question.
    question: Option<Question>,
    /// What went ahead of the last read failed on a replica: the read may be sent again, in this manner.
    again: Option<Manner>,
    /// Attributes of the statement that is run next, encoded; empty for most.
    attributes: Vec<u8>,
    local_files: Box<dyn LocalFiles>,
    /// What the server of the last connect had said of itself, if it failed.
    greeted: Option<Box<Server>>,
    connected: bool,
}

impl Session {
    /// A handle that is not connected.
    pub fn new(family: Family) -> Self {
        Session {
            options: Options::new(family),
            args: ConnectArgs::default(),
            nodes: Vec::new(),
            numbering: 0,
            at: None,
            router: None,
            carry: Carry::default(),
            phase: Phase::Ready,
            charset: connect::unconnected_charset(family),
            charset_override: None,
            outcome: Outcome { affected_rows: 0, ..Outcome::default() },
            pending: None,
            leftover: false,
            changes: Vec::new(),
            changes_count: 0,
            prelude_replies: 0,
            injected: None,
            question: None,
            again: None,
            attributes: Vec::new(),
            local_files: Box::new(DefaultLocalFiles(family)),
            greeted: None,
            connected: false,
        }
    }

    /// The options, to be read or changed.
    pub fn options(&mut self) -> &mut Options {
        &mut self.options
    }

    /// Which library the program was built for.
    pub fn family(&self) -> Family {
        self.options.family
    }

    /// The attributes of the statement that is run next, encoded as on the wire (number, number of sets, NULL map, types
    /// with names, values). Servers that take none are not told.
    pub fn set_attributes(&mut self, attributes: Vec<u8>) {
        self.attributes = attributes;
    }

    /// That statement was sent, or was not: the next one has no attributes.
    pub fn forget_attributes(&mut self) {
        if !self.attributes.is_empty() {
            self.attributes.clear();
            for connection in self.nodes.iter_mut().filter_map(Node::connection_mut) {
                connection.attach(None);
            }
        }
    }

    /// Gives a node's connection the attributes of the statement that it is about to get.
    #[inline]
    fn attach_attributes(&mut self, node: usize) {
        if !self.attributes.is_empty()
            && let Some(connection) = self.nodes.get_mut(node).and_then(Node::connection_mut)
        {
            connection.attach(Some(&self.attributes));
        }
    }

    /// What the last call did.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// `mysql_insert_id` as a program may have written it into its `MYSQL`.
    pub fn set_insert_id(&mut self, insert_id: u64) {
        self.outcome.insert_id = insert_id;
    }

    /// Connector/C forgets how many rows were changed before it looks whether a statement may be prepared.
    pub fn forget_affected_rows(&mut self) {
        self.outcome.affected_rows = !0;
    }

    /// Where the handle stands.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The program wrote 0 into `MYSQL.status`: it gives the waiting rows up. They are read and thrown away in
    /// front of the next command, so that its reply is not mistaken.
    pub fn give_up_rows(&mut self) {
        if matches!(self.phase, Phase::HasResult | Phase::Streaming) {
            self.pending = None;
            self.phase = Phase::Abandoned;
        }
    }

    /// True while `mysql_next_result` has something to read.
    pub fn more_results(&self) -> bool {
        self.outcome.status & MORE_RESULTS != 0
    }

    /// The handle was connected and not closed; a lazy one counts as connected.
    pub fn is_connected(&self) -> bool {
        self.connected && (self.router.is_some() || self.connection().is_some())
    }

    /// The handle was connected and not closed, whatever has become of the connection.
    pub fn was_connected(&self) -> bool {
        self.connected
    }

    /// Whether there is a connection to send on. One that the plain handle's server has closed is marked as broken, so that
    /// nothing is sent on it.
    pub fn notice_end(&mut self) -> bool {
        let connected = self.is_connected();
        if self.router.is_none()
            && let Some(connection) = self.nodes.first_mut().and_then(Node::connection_mut)
        {
            connection.notice_end();
        }
        connected
    }

    /// True for a handle that routes its statements.
    pub fn is_routed(&self) -> bool {
        self.router.is_some()
    }

    /// The connection used last.
    fn connection(&self) -> Option<&Connection> {
        self.at.and_then(|at| self.nodes.get(at)?.connection())
    }

    /// What the server of the connection used last said of itself.
    pub fn server(&self) -> Option<&Server> {
        self.connection().map(Connection::server)
    }

    /// Keeps the TLS session of the connection used last: the text that names it. None if it cannot be resumed.
    pub fn keep_tls_session(&self) -> Option<String> {
        self.connection().and_then(Connection::keep_tls_session)
    }

    /// The socket of the connection used last; a lazy handle's placeholder before there is one.
    pub fn fd(&self) -> Option<RawFd> {
        self.connection().map(Connection::fd).or_else(|| self.placeholder_fd())
    }

    /// The default schema as far as it is known.
    pub fn schema(&self) -> Option<&[u8]> {
        self.carry.schema()
    }

    /// The character set for escaping.
    pub fn charset(&self) -> Collation {
        self.charset
    }

    /// The character set that the program has asked for by option, whatever `mysql_set_character_set` said since.
    fn charset_option(&self) -> Option<String> {
        match &self.charset_override {
            Some((name, before)) if self.options.charset.as_ref() == Some(name) => before.clone(),
            _ => self.options.charset.clone(),
        }
    }

    /// Escaping and reading of texts follow the client's character set.
    fn follow_charset(&mut self, charset: Collation) {
        self.charset = charset;
        if let Some(router) = self.router.as_deref_mut() {
            router.context.charset = crate::route::Charset::by_name(charset.charset().name().as_bytes());
        }
    }

    /// `SERVER_STATUS_NO_BACKSLASH_ESCAPES` of the last reply.
    pub fn no_backslash_escapes(&self) -> bool {
        self.outcome.status & 0x200 != 0
    }

    /// The node used last.
    pub fn node(&self) -> Option<usize> {
        self.at
    }

    /// Connection id on the node used last; 0 before the first.
    pub fn thread_id(&self) -> u64 {
        self.server().map_or(0, |server| server.thread_id)
    }

    /// The server used last leaves the columns of an execution out for Connector/C, when they are those told before.
    pub fn may_leave_columns_out(&self) -> bool {
        self.server().is_some_and(|server| server.may_leave_columns_out())
    }

    /// Counts the changes of the default schema.
    pub fn schema_version(&self) -> u32 {
        self.carry.schema_version()
    }

    /// Changes whenever anything may have changed that the handle shows besides the last outcome: the connection used last,
    /// the schema, the character set. None while that cannot be told: a handle that routes has no connection.
    #[inline]
    pub fn stamp(&self) -> Option<(u64, u32, u32)> {
        let era = match self.router {
            None => self.nodes.first().and_then(Node::era).unwrap_or(0),
            Some(_) => self.at.and_then(|at| self.nodes.get(at)).and_then(Node::era)?,
        };
        Some((era, self.carry.schema_version(), u32::from(self.charset.id())))
    }

    /// `mysql_get_server_info`: of the node used last, else what is known of the section.
    pub fn server_version(&self) -> Option<&[u8]> {
        match self.server() {
            Some(server) => Some(&server.version),
            None => self.router.as_ref().and_then(|router| router.known_version()),
        }
    }

    /// `mysql_get_host_info` of the node used last.
    pub fn host_info(&self) -> Option<&[u8]> {
        self.server().map(|server| server.host_info.as_slice())
    }

    /// `MYSQL.host`: None for a Unix socket of the MariaDB family.
    pub fn host_text(&self) -> Option<&[u8]> {
        self.args.host.as_deref()
    }

    /// `MYSQL.unix_socket`: None for TCP.
    pub fn socket_text(&self) -> Option<&[u8]> {
        self.args.socket.as_deref()
    }

    /// `MYSQL.port`.
    pub fn port(&self) -> u16 {
        self.args.port
    }

    /// The largest packet that the handle accepts, bytes.
    pub fn max_packet(&self) -> u64 {
        self.options.max_packet()
    }

    /// The arguments of the connect call.
    pub fn connect_args(&self) -> &ConnectArgs {
        &self.args
    }

    /// Columns of the result that waits to be stored or used.
    pub fn pending_columns(&self) -> Option<&Columns> {
        self.pending.as_ref()
    }

    /// Who opens the file of LOAD DATA LOCAL.
    pub fn set_local_files(&mut self, files: Box<dyn LocalFiles>) {
        self.local_files = files;
    }
}

#[cfg(test)]
mod tests {
    use super::Session;

    #[test]
    fn a_handle_may_move_between_threads() {
        fn moves<T: Send>() {}
        moves::<Session>();
    }
}
