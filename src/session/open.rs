//! Opening a node's connection: what it is opened with, the connect itself, and what the handle learns from it.
//!
//! Three steps, because several nodes can be opened side by side ([`super::probe`]): the middle one knows no handle.

use std::time::Duration;

use crate::cluster::health::concerns_everybody;
use crate::cluster::topology::{NodeId, Role};
use crate::conn::{Connection, Target};
use crate::env::{Clock, SystemClock};
use crate::error::{Error, Origin, Sent};
use crate::log;
use crate::options::Options;
use crate::route::{Class, ClassifyConfig, Effect, LexContext, Server};

use super::Session;
use super::arm::{self, SetUp};
use super::nodes::Node;
use super::routed::CLIENT_MULTI_STATEMENTS;

/// What a connect to a node needs.
pub(super) struct Opening {
    target: Target,
    options: Options,
    way: arm::Way,
    pipelines: bool,
}

impl Opening {
    /// Connects, then learns and arms what a routed handle needs.
    ///
    /// Errors: those of a connect.
    pub(super) async fn connect(&self) -> Result<(Connection, SetUp), Error> {
        let mut connection = Connection::open(&self.target, &self.options).await?;
        let found = arm::set_up(&mut connection, self.way, self.pipelines).await?;
        Ok((connection, found))
    }
}

impl Session {
    /// Opens a node's connection: schema and character set with the handshake, then what the lexer must know.
    ///
    /// Errors: those of a connect.
    pub(super) async fn open_node(&mut self, index: usize) -> Result<(), Error> {
        let opening = self.opening(index)?;
        if let (Some(router), Some(id)) = (self.router.as_deref(), NodeId::new(index)) {
            let now = SystemClock.now();
            if router.section.health.try_again(id, now) {
                router.section.board.exchange(&router.section, now);
            }
        }
        let opened = opening.connect().await;
        self.opened(index, opened)
    }

    /// What a connect to a node needs now. Errors: 2006 without such a node.
    pub(super) fn opening(&self, index: usize) -> Result<Opening, Error> {
        let (Some(router), Some(node)) = (self.router.as_deref(), self.nodes.get(index)) else {
            return Err(Error::gone(self.options.family));
        };
        let mut options: Options = self.options.clone();
        options.attributes.retain(|(name, _)| !name.starts_with(b"ms."));
        if let Some(tls) = &node.tls {
            tls.apply(&mut options.tls);
        }
        let id = NodeId::new(index);
        if let Some(configured) = router.section.nodes.get(index) {
            configured.timeouts.apply(&mut options);
        }
        // Nothing is begun behind that time but what does not belong to the statement that had it.
        let left = router.connects_until.map(|until| until.saturating_sub(SystemClock.now()));
        if let Some(left) = left.filter(|left| *left >= Duration::from_millis(1)) {
            options.connect_timeout = Some(options.connect_timeout.map_or(left, |own| own.min(left)));
        }
        if id.is_none_or(|id| router.section.role_of(id) != Role::Source) {
            options.init_commands.retain(|sql| sets_session_state(sql, &router.context));
        }
        let mut target = node.target.clone();
        if let Some(schema) = self.carry.schema() {
            target.database = Some(schema.to_vec());
        } else if self.carry.schema_is_gone() {
            target.database = None;
        }
        if self.carry.multi_statements() == Some(true) {
            target.client_flags |= CLIENT_MULTI_STATEMENTS;
        }
        Ok(Opening { target, options, way: arm::Way::of(&router.section), pipelines: node.pipelines })
    }

    /// Takes a new connection, or remembers the failure.
    ///
    /// Errors: that of the connect.
    pub(super) fn opened(&mut self, index: usize, opened: Result<(Connection, SetUp), Error>) -> Result<(), Error> {
        let Some(router) = self.router.as_deref_mut() else { return Err(Error::gone(self.options.family)) };
        let Some(node) = self.nodes.get_mut(index) else { return Err(Error::gone(self.options.family)) };
        let id = NodeId::new(index);
        router.tally_connect(index, opened.is_ok());
        match opened {
            Ok((connection, found)) => {
                if let Some(id) = id {
                    let now = SystemClock.now();
                    router.health.well(id, now);
                    if router.section.health.well(id, now) {
                        router.section.board.exchange(&router.section, now);
                    }
                }
                let server = connection.server();
                // libmysqlclient keeps the prefix with which MariaDB 10 hides its version from old replicas.
                let version = server.version.strip_prefix(b"5.5.5-").unwrap_or(&server.version);
                let seen = Server::from_version(version, server.is_mariadb);
                let mode = self.carry.variable(b"sql_mode");
                router.learn_server(seen, &found.sql_mode, mode);
                router.shown.learn(found.tracked);
                router.met_server(index, &found.peer, server.is_mariadb);
                router.known_version = Some(server.version.clone());
                router.section.facts.learn(&server.version, server.is_mariadb);
                let mut versions = self.carry.fresh();
                if self.carry.multi_statements() == Some(true) {
                    self.carry.has_multi_statements(&mut versions);
                }
                node.connected(connection, versions);
                node.armed = found.armed;
                node.read_only = found.peer.read_only;
                node.used = SystemClock.now();
                node.publish();
                Ok(())
            }
            Err(error) => {
                self.remember_failure(index, &error);
                Err(error.sent(Sent::No))
            }
        }
    }

    /// A node cannot be used: by this handle, or by anybody.
    fn remember_failure(&self, index: usize, error: &Error) {
        let Some(router) = self.router.as_deref() else { return };
        if let Some(id) = NodeId::new(index) {
            // A refused account is this handle's.
            let all = concerns_everybody(error.code);
            let health = if all { &*router.section.health } else { &router.health };
            let now = SystemClock.now();
            health.failed(id, error.code, now);
            if all {
                // A program with one statement has no later moment to tell the others.
                router.section.board.exchange(&router.section, now);
            }
        }
        log::get().message(
            log::Level::Warning,
            router.handle_number,
            &format!("node {} cannot be used: {error}", router.label(index)),
        );
    }

    /// What goes ahead of a statement was not answered on an open connection. If the time for it was over, nobody else has to
    /// find that out: the node counts as one that cannot be connected to.
    pub(super) fn remember_silence(&self, index: usize, error: &Error) {
        let silent = |connection: &Connection| connection.is_broken() && !connection.broke_off();
        if error.origin == Origin::Client
            && concerns_everybody(error.code)
            && self.nodes.get(index).and_then(Node::connection).is_some_and(silent)
        {
            self.remember_failure(index, error);
        }
    }
}

/// An init command that every node gets; the others are the source's alone.
fn sets_session_state(sql: &[u8], context: &LexContext) -> bool {
    let statement = crate::route::classify(sql, context, &ClassifyConfig::default());
    let global = |effect: &Effect| matches!(effect, Effect::SetGlobal(_));
    statement.class == Class::Session && !statement.effects.iter().any(global)
}
