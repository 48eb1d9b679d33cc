//! One node of a handle: whom to connect to, the connection if it is open, and which state that has been given.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::cluster::topology::TlsSettings;
use crate::conn::{Connection, Target};

use super::arm::Armed;
use super::carry::Versions;
use super::published::Published;

/// A node of this handle. Opened on first use.
pub(super) struct Node {
    /// Whom to connect to.
    pub target: Target,
    /// The node's own TLS settings, over the program's options.
    pub tls: Option<TlsSettings>,
    /// Commands may be sent there ahead of the reply to the one before (`pipelining`).
    pub pipelines: bool,
    /// The connection.
    connection: Option<Connection>,
    /// The connection is in the process's list; of routed handles only.
    published: Option<Published>,
    /// The state that the connection has been brought to.
    pub versions: Versions,
    /// What is tracked on the connection for the handle's own sake; nothing on a plain handle.
    pub armed: Armed,
    /// What the server said on connecting of whether it takes writes; None if it was not asked.
    pub read_only: Option<bool>,
    /// When a statement was sent to it last.
    pub used: Duration,
    /// The answer to [`super::seen`]'s question is outstanding.
    pub owes: bool,
    /// That question is to be asked.
    pub due: bool,
    /// Tells this connection, since its last reset, from every other of the process: prepared statements belong to it.
    era: u64,
}

/// The last era given to a connection.
static ERAS: AtomicU64 = AtomicU64::new(0);

fn new_era() -> u64 {
    ERAS.fetch_add(1, Ordering::Relaxed) + 1
}

impl Node {
    /// A node that is not connected.
    pub fn new(target: Target, tls: Option<TlsSettings>) -> Self {
        Node {
            target,
            tls,
            pipelines: true,
            connection: None,
            published: None,
            versions: Versions::default(),
            armed: Armed::default(),
            read_only: None,
            used: Duration::ZERO,
            owes: false,
            due: false,
            era: 0,
        }
    }

    /// The open connection.
    pub fn connection(&self) -> Option<&Connection> {
        self.connection.as_ref()
    }

    /// The open connection.
    pub fn connection_mut(&mut self) -> Option<&mut Connection> {
        self.connection.as_mut()
    }

    /// Puts a new connection in.
    pub fn connected(&mut self, connection: Connection, versions: Versions) -> &mut Connection {
        self.versions = versions;
        self.armed = Armed::default();
        self.published = None;
        self.era = new_era();
        self.owes = false;
        self.connection.insert(connection)
    }

    /// Puts the open connection into the process's list, for KILL.
    pub fn publish(&mut self) {
        self.published =
            self.connection.as_ref().map(|one| Published::new(one.server().thread_id, &self.target.endpoint));
    }

    /// The connection's era; None when there is no connection.
    #[inline]
    pub fn era(&self) -> Option<u64> {
        self.connection.as_ref().map(|_| self.era)
    }

    /// The server has forgotten the connection's prepared statements.
    pub fn forget_statements(&mut self) {
        self.era = new_era();
    }

    /// The same server by the same account, with the same settings: a connection to one is a connection to the other.
    pub fn is_same(&self, other: &Node) -> bool {
        let (one, two) = (&self.target, &other.target);
        (&one.endpoint, &one.user, &one.password, one.client_flags)
            == (&two.endpoint, &two.user, &two.password, two.client_flags)
            && self.tls == other.tls
    }

    /// Goes on with another node's connection.
    pub fn take_over(&mut self, other: &mut Node) {
        self.connection = other.connection.take();
        self.versions = other.versions;
        self.armed = std::mem::take(&mut other.armed);
        self.published = other.published.take();
        (self.read_only, self.used) = (other.read_only, other.used);
        (self.owes, self.due) = (other.owes, other.due);
        self.era = other.era;
    }

    /// Takes the connection out.
    pub fn take(&mut self) -> Option<Connection> {
        self.published = None;
        self.connection.take()
    }

    /// Takes the connection out for [`Node::give_back`].
    pub fn lend(&mut self) -> Option<Connection> {
        self.connection.take()
    }

    /// Puts back what [`Node::lend`] took out; None: it was closed.
    pub fn give_back(&mut self, connection: Option<Connection>) {
        if connection.is_none() {
            self.published = None;
        }
        self.connection = connection;
    }

    /// Drops a connection that a failure has made useless; true if there was one.
    pub fn drop_if_broken(&mut self) -> bool {
        let broken = self.connection.as_ref().is_some_and(Connection::is_broken);
        if broken {
            self.published = None;
            self.connection = None;
        }
        broken
    }
}
