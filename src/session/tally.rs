//! What a routed handle adds to the counters of the process and of its section's nodes, and what it tells of those nodes.
//!
//! Called on the statement path only while statistics are collected.

use crate::cluster::balance::Counts;
use crate::cluster::config::{Section, Stickiness};
use crate::cluster::topology::{NodeId, Role};
use crate::conn::Endpoint;
use crate::route::decide::{Decision, Reason};
use crate::route::filter::BY_PROGRAM;
use crate::route::{Class, Hint, Statement};
use crate::statistics::{self, Counter};

use super::Session;
use super::routed::Router;

/// A statement was classified: its hint counts, or without one what it is. Also of statements that are only asked about.
#[cold]
pub fn asked(statement: &Statement, no_split: bool) {
    statistics::count(match statement.hint {
        Some(Hint::Source) => Counter::UseMasterSqlHint,
        Some(Hint::Replica) => Counter::UseSlaveSqlHint,
        Some(Hint::LastUsed) => Counter::UseLastUsedSqlHint,
        _ if statement.class == Class::Read && !no_split => Counter::UseSlaveGuess,
        _ => Counter::UseMasterGuess,
    });
}

impl Router {
    /// A statement has left for its node.
    #[cold]
    pub(super) fn tally_sent(&self, decision: &Decision) {
        self.section.balance.count_statement(decision.node);
        let transaction = matches!(decision.reason, Reason::Transaction | Reason::TransactionStart);
        if transaction && self.section.trx_stickiness == Stickiness::Source {
            statistics::count(Counter::TrxMasterForced);
        }
        statistics::count(match (decision.how == BY_PROGRAM, decision.role) {
            (true, Role::Source) => Counter::UseMasterCallback,
            (true, Role::Replica) => Counter::UseSlaveCallback,
            (false, Role::Source) => Counter::UseMaster,
            (false, Role::Replica) => Counter::UseSlave,
        });
    }

    /// A node was connected to, or could not be.
    pub(super) fn tally_connect(&self, index: usize, success: bool) {
        let Some(node) = NodeId::new(index).filter(|_| statistics::is_on()) else { return };
        self.section.balance.count_connect(node, success);
        statistics::count(match (self.connecting, self.section.role_of(node), success) {
            (true, Role::Source, true) => Counter::NonLazyMasterSuccess,
            (true, Role::Source, false) => Counter::NonLazyMasterFailure,
            (true, Role::Replica, true) => Counter::NonLazySlaveSuccess,
            (true, Role::Replica, false) => Counter::NonLazySlaveFailure,
            (false, Role::Source, true) => Counter::LazyMasterSuccess,
            (false, Role::Source, false) => Counter::LazyMasterFailure,
            (false, Role::Replica, true) => Counter::LazySlaveSuccess,
            (false, Role::Replica, false) => Counter::LazySlaveFailure,
        });
    }
}

/// What one handle adds to the gauges of the process, until it is dropped.
#[derive(Debug)]
pub(super) struct Pooled([(Counter, u64); 4]);

impl Pooled {
    /// Of a handle of this section.
    pub fn of(section: &Section) -> Pooled {
        let of_role = |role| section.nodes.iter().filter(|node| node.role == role).count();
        let counted = [
            (Counter::PoolMastersTotal, of_role(Role::Source)),
            (Counter::PoolSlavesTotal, of_role(Role::Replica)),
            (Counter::PoolMastersActive, section.sources.len()),
            (Counter::PoolSlavesActive, section.replicas.len()),
        ];
        let counted = counted.map(|(counter, number)| (counter, if statistics::is_on() { number as u64 } else { 0 }));
        for (counter, number) in counted {
            statistics::add(counter, number);
        }
        Pooled(counted)
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        for (counter, number) in self.0 {
            statistics::take(counter, number);
        }
    }
}

/// One node of a handle's section, as `mysqlnd_ms_dump_servers` and `mysqlnd_ms_get_node_stats` tell of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerEntry {
    /// Its name in the configuration; empty if it has none.
    pub name: String,
    /// Host name or address as the handle connects to it; "localhost" for a socket.
    pub host: String,
    /// The account.
    pub user: Vec<u8>,
    /// TCP port; 0 for a socket.
    pub port: u16,
    /// Path; empty for TCP.
    pub socket: Vec<u8>,
    /// The handle's connection id there; 0 when it is not connected.
    pub thread_id: u64,
    /// The configuration lists it as a replica.
    pub is_replica: bool,
    /// What all handles of the process have counted of it.
    pub counts: Counts,
    /// Their statements that it has not answered to the end.
    pub in_flight: u32,
}

impl Session {
    /// The nodes of a routed handle, the sources first; none on a plain handle.
    pub fn servers(&self) -> Vec<ServerEntry> {
        use std::os::unix::ffi::OsStrExt;
        let Some(router) = self.router.as_deref() else { return Vec::new() };
        let entry = |(node, configured): (&super::nodes::Node, &crate::cluster::topology::Node)| {
            let (host, port, socket) = match &node.target.endpoint {
                Endpoint::Tcp { host, port } => (host.clone(), *port, Vec::new()),
                Endpoint::Unix(path) => ("localhost".to_owned(), 0, path.as_os_str().as_bytes().to_vec()),
            };
            ServerEntry {
                name: configured.name.clone(),
                host,
                user: node.target.user.clone(),
                port,
                socket,
                thread_id: node.connection().map_or(0, |connection| connection.server().thread_id),
                is_replica: configured.role == Role::Replica,
                counts: router.section.balance.counts(configured.id),
                in_flight: router.section.balance.in_flight(configured.id),
            }
        };
        self.nodes.iter().zip(&router.section.nodes).map(entry).collect()
    }
}
