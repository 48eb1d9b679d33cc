//! The order of decision: pinned node, open transaction, hint, class, filter chain, failover order.
//!
//! A decision is a value with its reason. Nothing here connects, waits or allocates; what happened before comes in as a
//! [`Situation`], what comes out is for `session` to carry out.

use std::fmt;

use super::candidates::Candidates;
use super::filter::{Chain, Picked, View};
use crate::cluster::config::{Section, Stickiness, Strategy};
use crate::cluster::topology::{NodeId, NodeSet, Role};
use crate::env::Random;
use crate::error::{Error, cr};

/// Where a statement may go, as its class and hints say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A node that takes writes: everything that is not proven to be a plain read, and the hint `ms=master`.
    Source,
    /// A proven read: a node that takes reads.
    AnyReplica,
    /// The node used last: the hint `ms=last_used`, `FOUND_ROWS()`, `SHOW WARNINGS`.
    LastUsed,
    /// The node of the last write: `LAST_INSERT_ID()`.
    LastWrite,
    /// This node and no other: the `COMMIT` of a transaction, a prepared statement's cursor.
    Node(NodeId),
}

/// Which nodes may answer a read, as far as the promise goes that it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// All.
    Any,
    /// These replicas; a source if none of them is left.
    Replicas(NodeSet),
    /// Sources only, for this reason.
    Source(Reason),
}

/// Everything a decision depends on, besides the section.
#[derive(Clone, Copy, Debug)]
pub struct Situation {
    /// What the statement wants.
    pub wanted: Wanted,
    /// A hint said so. Hinted reads go to replicas even after a write (`master_on_write`).
    pub hinted: bool,
    /// The node that holds an unread result, a temporary table, a lock, an unknown variable of this handle.
    pub pinned: Option<NodeId>,
    /// Inside a transaction, or autocommit is off.
    pub in_transaction: bool,
    /// The transaction was begun as READ ONLY.
    pub read_only: bool,
    /// Where the transaction's first statement ran; `None` before it.
    pub transaction_node: Option<NodeId>,
    /// The node used last.
    pub last_used: Option<NodeId>,
    /// The node of the last write.
    pub last_write: Option<NodeId>,
    /// A statement was sent to a source before: what `master_on_write` looks at.
    pub used_source: bool,
    /// The promise to reads. It holds against hints, too.
    pub freshness: Freshness,
    /// Nodes whose failure is still remembered, by the handle or by the process.
    pub failed: NodeSet,
    /// `mysqlnd_ms.disable_rw_split`.
    pub no_split: bool,
}

impl Situation {
    /// A handle that did nothing yet.
    pub fn new(wanted: Wanted) -> Self {
        Situation {
            wanted,
            hinted: false,
            pinned: None,
            in_transaction: false,
            read_only: false,
            transaction_node: None,
            last_used: None,
            last_write: None,
            used_source: false,
            freshness: Freshness::Any,
            failed: NodeSet::EMPTY,
            no_split: false,
        }
    }
}

impl Situation {
    /// The replicas that may answer a read; why a source has to, otherwise.
    fn fresh(&self, section: &Section) -> Result<NodeSet, Reason> {
        match self.freshness {
            Freshness::Any => Ok(section.replicas),
            Freshness::Source(reason) => Err(reason),
            Freshness::Replicas(fresh) => {
                let fresh = fresh.and(section.replicas);
                if fresh.is_empty() && !section.replicas.is_empty() { Err(Reason::NoneFresh) } else { Ok(fresh) }
            }
        }
    }
}

/// Why the node was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// State of the handle lives there.
    Pinned,
    /// The statement belongs to this node.
    Named,
    /// The open transaction runs there.
    Transaction,
    /// First statement of a transaction.
    TransactionStart,
    /// First statement of a READ ONLY transaction.
    ReadOnlyTransactionStart,
    /// A hint asked for a source.
    HintedSource,
    /// A hint asked for a replica.
    HintedReplica,
    /// A hint or the statement asked for the node used last.
    LastUsed,
    /// The statement asks about the last write.
    LastWrite,
    /// It asks about an earlier statement, and there was none.
    NothingUsed,
    /// Not proven to be a plain read.
    Write,
    /// A proven read.
    Read,
    /// A read after a write, under `master_on_write`.
    SourceOnWrite,
    /// `mysqlnd_ms.disable_rw_split`.
    NoSplit,
    /// Strong consistency.
    Strong,
    /// Session consistency, and the servers have no GTIDs.
    WithoutGtids,
    /// What the session wrote has no GTID that is known.
    PositionUnknown,
    /// No replica is known to have what the session wrote.
    NoneFresh,
    /// A read, and there is no replica, or all of them are failed.
    NoReplica,
}

impl Reason {
    /// In words, for the log and for people.
    pub fn text(self) -> &'static str {
        match self {
            Reason::Pinned => "session state lives on this node",
            Reason::Named => "the statement belongs to this node",
            Reason::Transaction => "open transaction",
            Reason::TransactionStart => "first statement of a transaction",
            Reason::ReadOnlyTransactionStart => "first statement of a read-only transaction",
            Reason::HintedSource => "hint for a source",
            Reason::HintedReplica => "hint for a replica",
            Reason::LastUsed => "node used last",
            Reason::LastWrite => "node of the last write",
            Reason::NothingUsed => "asks about an earlier statement, and there was none",
            Reason::Write => "not a plain read",
            Reason::Read => "plain read",
            Reason::SourceOnWrite => "read after a write (master_on_write)",
            Reason::NoSplit => "read/write splitting is off (disable_rw_split)",
            Reason::Strong => "strong consistency",
            Reason::WithoutGtids => "session consistency, and the servers have no GTIDs",
            Reason::PositionUnknown => "the position of the session's last write is not known",
            Reason::NoneFresh => "no replica is known to have what the session wrote",
            Reason::NoReplica => "read without a usable replica",
        }
    }
}

/// The nodes to try, in order, when the chosen one cannot be connected to. Made without memory of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fallbacks {
    replicas: NodeSet,
    sources: NodeSet,
    next: usize,
}

impl Iterator for Fallbacks {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let set = if self.replicas.is_empty() { &mut self.sources } else { &mut self.replicas };
        let node = set.at_or_after(self.next)?;
        *set = set.without(node);
        self.next = node.index() + 1;
        Some(node)
    }
}

/// Which node, why, and what else could be tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The node.
    pub node: NodeId,
    /// What the node is used as. A source that stands in for a replica is a source.
    pub role: Role,
    /// Why.
    pub reason: Reason,
    /// The filter's words, when one chose; else empty.
    pub how: &'static str,
    /// Tried in this order if the node cannot be connected to; empty when failover is disabled or must not happen.
    pub fallbacks: Fallbacks,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason.text())?;
        if !self.how.is_empty() {
            write!(f, "; {}", self.how)?;
        }
        Ok(())
    }
}

/// Why there is no node: reaches the program as 2000. The handle stays usable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The hint `ms=last_used` before any statement.
    NothingUsed,
    /// A read, no replica, and failover is disabled.
    NoReplica,
    /// The section has no source.
    NoSource,
    /// A filter left nothing.
    Filtered(&'static str),
}

impl Refusal {
    /// The text.
    pub fn text(self) -> &'static str {
        match self {
            Refusal::NothingUsed => "the hint ms=last_used came before any statement",
            Refusal::NoReplica => "no replica for a read, and failover is disabled",
            Refusal::NoSource => "the section has no source",
            Refusal::Filtered(text) => text,
        }
    }

    /// The error that the program sees.
    pub fn to_error(self) -> Error {
        Error::client(cr::UNKNOWN_ERROR, format!("mysqlclient-ms: no node for this statement: {}", self.text()))
    }
}

/// The routing memory of one handle: its filter chain.
#[derive(Debug)]
pub struct Router {
    chain: Chain,
}

impl Router {
    /// For a handle of this section. A handle that takes a new configuration takes a new router.
    pub fn new(section: &Section) -> Self {
        Router { chain: Chain::new(&section.filters) }
    }

    /// Decides where a statement runs.
    pub fn decide(
        &mut self,
        section: &Section,
        situation: &Situation,
        random: &mut dyn Random,
    ) -> Result<Decision, Refusal> {
        let fixed = |node: NodeId, reason: Reason| {
            // A node that takes writes is used as a source, whatever the statement is.
            let role = if section.replicas.contains(node) { Role::Replica } else { Role::Source };
            Ok(Decision { node, role, reason, how: "", fallbacks: Fallbacks::default() })
        };
        if let Some(node) = situation.pinned {
            return fixed(node, Reason::Pinned);
        }
        if let Wanted::Node(node) = situation.wanted {
            return fixed(node, Reason::Named);
        }
        if situation.in_transaction && section.trx_stickiness != Stickiness::Disabled {
            // No failover here: a transaction that has its node lives and dies with it.
            if let Some(node) = situation.transaction_node {
                return fixed(node, Reason::Transaction);
            }
            let reads = section.trx_stickiness == Stickiness::On
                && situation.read_only
                && !situation.no_split
                && !section.replicas.is_empty()
                && !(section.source_on_write && situation.used_source);
            let (role, reason) = match situation.fresh(section) {
                _ if !reads => (Role::Source, Reason::TransactionStart),
                Err(reason) => (Role::Source, reason),
                Ok(_) => (Role::Replica, Reason::ReadOnlyTransactionStart),
            };
            return self.pick(section, situation, role, reason, random);
        }
        let (role, reason) = match situation.wanted {
            Wanted::Node(node) => return fixed(node, Reason::Named),
            Wanted::LastUsed => match situation.last_used {
                Some(node) => return fixed(node, Reason::LastUsed),
                None if situation.hinted => return Err(Refusal::NothingUsed),
                None => (Role::Source, Reason::NothingUsed),
            },
            Wanted::LastWrite => match situation.last_write {
                Some(node) => return fixed(node, Reason::LastWrite),
                None => (Role::Source, Reason::NothingUsed),
            },
            Wanted::Source if situation.hinted => (Role::Source, Reason::HintedSource),
            Wanted::Source => (Role::Source, Reason::Write),
            Wanted::AnyReplica if situation.no_split => (Role::Source, Reason::NoSplit),
            Wanted::AnyReplica => match situation.fresh(section) {
                Err(reason) => (Role::Source, reason),
                Ok(_) if situation.hinted => (Role::Replica, Reason::HintedReplica),
                Ok(_) if section.source_on_write && situation.used_source => (Role::Source, Reason::SourceOnWrite),
                Ok(_) => (Role::Replica, Reason::Read),
            },
        };
        self.pick(section, situation, role, reason, random)
    }

    /// Lets the chain choose among the nodes of one kind, and works out what is tried after it.
    fn pick(
        &mut self,
        section: &Section,
        situation: &Situation,
        role: Role,
        reason: Reason,
        random: &mut dyn Random,
    ) -> Result<Decision, Refusal> {
        let failover = section.failover;
        let replicas = situation.fresh(section).unwrap_or(section.replicas);
        let candidates = Candidates { sources: section.sources, replicas };
        let failed = situation.failed;
        let (role, reason) = if role == Role::Replica {
            let none = candidates.replicas.is_empty();
            let none_well = failover.remember_failed && candidates.replicas.minus(failed).is_empty();
            match failover.strategy {
                Strategy::Disabled if none => return Err(Refusal::NoReplica),
                Strategy::Disabled => (role, reason),
                _ if (none || none_well) && !candidates.sources.is_empty() => (Role::Source, Reason::NoReplica),
                _ if none => return Err(Refusal::NoSource),
                _ => (role, reason),
            }
        } else {
            (role, reason)
        };
        if role == Role::Source && candidates.sources.is_empty() {
            return Err(Refusal::NoSource);
        }
        let view = View { role, failed, skip_failed: failover.remember_failed };
        let Picked { node, next, how } = self.chain.pick(&view, candidates, random).map_err(Refusal::Filtered)?;
        // Failed nodes are tried last, and only if nothing else is left of their kind.
        let well_first = |set: NodeSet| {
            let well = if failover.remember_failed { set.minus(failed) } else { set };
            if well.is_empty() { set } else { well }
        };
        let fallbacks = match (failover.strategy, role) {
            (Strategy::Disabled, _) | (Strategy::Source, Role::Source) => Fallbacks::default(),
            (Strategy::Source, Role::Replica) => {
                let source = well_first(candidates.sources).at_or_after(0);
                Fallbacks { sources: source.into_iter().collect(), ..Fallbacks::default() }
            }
            (Strategy::LoopBeforeSource, Role::Source) => {
                Fallbacks { sources: well_first(candidates.sources.without(node)), next, ..Fallbacks::default() }
            }
            (Strategy::LoopBeforeSource, Role::Replica) => {
                let others = candidates.replicas.without(node);
                let others = if failover.remember_failed { others.minus(failed) } else { others };
                Fallbacks { replicas: others, sources: well_first(candidates.sources), next }
            }
        };
        Ok(Decision { node, role, reason, how, fallbacks })
    }
}

#[cfg(test)]
#[path = "decide/tests.rs"]
mod tests;
