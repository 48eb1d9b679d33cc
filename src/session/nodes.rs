//! One node of a handle: whom to connect to, the connection if it is open, and which state that has been given.

use crate::cluster::topology::TlsSettings;
use crate::conn::{Connection, Target};

use super::carry::Versions;

/// A node of this handle. Opened on first use.
pub(super) struct Node {
    /// Whom to connect to.
    pub target: Target,
    /// The node's own TLS settings, over the program's options.
    pub tls: Option<TlsSettings>,
    /// The connection.
    connection: Option<Connection>,
    /// The state that the connection has been brought to.
    pub versions: Versions,
}

impl Node {
    /// A node that is not connected.
    pub fn new(target: Target, tls: Option<TlsSettings>) -> Self {
        Node { target, tls, connection: None, versions: Versions::default() }
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
        self.connection.insert(connection)
    }

    /// Takes the connection out.
    pub fn take(&mut self) -> Option<Connection> {
        self.connection.take()
    }

    /// Drops a connection that a failure has made useless; true if there was one.
    pub fn drop_if_broken(&mut self) -> bool {
        let broken = self.connection.as_ref().is_some_and(Connection::is_broken);
        if broken {
            self.connection = None;
        }
        broken
    }
}
