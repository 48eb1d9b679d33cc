//! The order of decision: pinned node, open transaction, hint, class, filter chain, failover order.
//!
//! A decision is a value with its reason. Nothing here connects or waits, and nothing is allocated for a decision; what happened before comes in as a
//! [`Situation`], what comes out is for `session` to carry out.

use std::fmt;

use super::candidates::Candidates;
use super::filter::{Asked, Chain, FilterProblem, Picked, Refused, View};
use super::hint::Hint;
use super::statement::{Class, Statement};
use crate::cluster::config::{Section, Stickiness, Strategy};
use crate::cluster::topology::{NodeId, NodeSet, Role};
use crate::cluster::user_filter::UserFilters;
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

impl Wanted {
    /// What a statement asks for, and whether a hint says so. `force`: `ms=slave` counts in front of any statement.
    pub fn by(statement: &Statement, force: bool) -> (Wanted, bool) {
        match (statement.hint, statement.class) {
            (Some(Hint::Source), _) => (Wanted::Source, true),
            (Some(Hint::LastUsed), _) => (Wanted::LastUsed, true),
            (Some(Hint::Replica), class) if force || class == Class::Read => (Wanted::AnyReplica, true),
            (_, Class::Read) => (Wanted::AnyReplica, false),
            (_, Class::LastUsed) => (Wanted::LastUsed, false),
            (_, Class::LastWrite) => (Wanted::LastWrite, false),
            (_, Class::Write | Class::Transaction | Class::Session | Class::Unknown) => (Wanted::Source, false),
        }
    }
}

/// Everything a decision depends on, besides the section.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
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
    /// The statement, for filters that look at it.
    pub asked: Option<Asked<'a>>,
    /// Milliseconds on the caller's clock, for filters that look at it.
    pub now_ms: u64,
    /// The session's isolation level is SERIALIZABLE: reads belong to a source.
    pub serializable: bool,
    /// Replicas that cannot have the handle's session state.
    pub excluded: NodeSet,
}

impl Situation<'_> {
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
            asked: None,
            now_ms: 0,
            serializable: false,
            excluded: NodeSet::EMPTY,
        }
    }
}

impl Situation<'_> {
    /// The replicas that may answer a read; why a source has to, otherwise.
    fn fresh(&self, section: &Section) -> Result<NodeSet, Reason> {
        if self.serializable {
            return Err(Reason::Serializable);
        }
        let all = section.replicas_now().minus(self.excluded);
        if all.is_empty() && !section.replicas_now().is_empty() {
            return Err(Reason::NoReplica);
        }
        match self.freshness {
            Freshness::Any => Ok(all),
            Freshness::Source(reason) => Err(reason),
            Freshness::Replicas(fresh) => {
                let fresh = fresh.and(all);
                if fresh.is_empty() && !section.replicas_now().is_empty() { Err(Reason::NoneFresh) } else { Ok(fresh) }
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
    /// No replica is known to be as little behind as the read asks for.
    AllLate,
    /// A hint names the node.
    HintedNode,
    /// A read under SERIALIZABLE.
    Serializable,
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
            Reason::AllLate => "no replica is known to be so little behind",
            Reason::HintedNode => "hint for this node",
            Reason::Serializable => "read at isolation level SERIALIZABLE",
            Reason::NoReplica => "read without a usable replica",
        }
    }
}

/// The nodes to try, in order, when the chosen one cannot be connected to. Made without memory of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fallbacks {
    /// One after the other, each in a cycle.
    sets: [NodeSet; 6],
    next: usize,
    /// How many may still be tried.
    left: u16,
}

impl Fallbacks {
    /// None.
    pub const NONE: Fallbacks = Fallbacks { sets: [NodeSet::EMPTY; 6], next: 0, left: 0 };

    /// First some, then others, each by preference; `most` 0 = all of them.
    fn new(first: [NodeSet; 3], then: [NodeSet; 3], next: usize, most: u16) -> Self {
        let [a, b, c] = first;
        let [d, e, f] = then;
        Fallbacks { sets: [a, b, c, d, e, f], next, left: if most == 0 { u16::MAX } else { most } }
    }

    /// Those of them that are in the set.
    pub fn within(self, set: NodeSet) -> Self {
        Fallbacks { sets: self.sets.map(|nodes| nodes.and(set)), ..self }
    }
}

impl Iterator for Fallbacks {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        self.left = self.left.checked_sub(1)?;
        let set = self.sets.iter_mut().find(|set| !set.is_empty())?;
        let node = set.at_or_after(self.next)?;
        *set = set.without(node);
        self.next = node.index() + 1;
        Some(node)
    }
}

/// Which node, and why.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The hint `ms=last_used` before any statement.
    NothingUsed,
    /// A read, no replica, and failover is disabled.
    NoReplica,
    /// The section has no source.
    NoSource,
    /// A filter says so.
    Filtered(Refused),
    /// The program's filter chose a replica for a statement that a replica may not run.
    ReplicaForWrite,
}

impl Refusal {
    /// The text.
    pub fn text(&self) -> &str {
        match self {
            Refusal::NothingUsed => "the hint ms=last_used came before any statement",
            Refusal::NoReplica => "no replica for a read, and failover is disabled",
            Refusal::NoSource => "the section has no source",
            Refusal::Filtered(text) => text,
            Refusal::ReplicaForWrite => "the program's filter chose a replica for a statement that a source has to run",
        }
    }

    /// The error that the program sees.
    pub fn to_error(&self) -> Error {
        Error::client(cr::UNKNOWN_ERROR, format!("mysqlclient-ms: no node for this statement: {}", self.text()))
    }
}

/// The routing memory of one handle: its filter chain.
#[derive(Debug)]
pub struct Router {
    chain: Chain,
    fallbacks: Fallbacks,
    /// Where a plain read goes, and what is tried next, as long as no node is failed and any replica may answer it.
    settled: Option<(Decision, Fallbacks)>,
    /// The last decision was [`Router::settled_read`].
    was_settled: bool,
}

impl Router {
    /// For tests: in a program without filters of its own.
    #[cfg(test)]
    pub fn new(section: &Section) -> Self {
        static NONE: crate::cluster::user_filter::NoFilters = crate::cluster::user_filter::NoFilters;
        Router::with_functions(section, &NONE).expect("no library")
    }

    /// For a handle of this section. A handle that takes a new configuration takes a new router.
    ///
    /// Errors: the chain needs a function that cannot be loaded.
    pub fn with_functions(section: &Section, functions: &'static dyn UserFilters) -> Result<Self, FilterProblem> {
        let chain = Chain::new(section, functions)?;
        Ok(Router { chain, fallbacks: Fallbacks::NONE, settled: None, was_settled: false })
    }

    /// What is tried if the node decided on last cannot be connected to, in this order; empty when failover is disabled or
    /// must not happen. (Apart from the decision, which is moved about for every statement.)
    pub fn fallbacks(&self) -> Fallbacks {
        match &self.settled {
            Some((_, fallbacks)) if self.was_settled => *fallbacks,
            _ => self.fallbacks,
        }
    }

    /// What [`Router::decide`] would say to a read without a hint, outside of transactions, that any replica may answer,
    /// while no node is failed; None if it has to be asked, because the filters do not keep to what they chose last.
    #[inline]
    pub fn settled_read(&mut self) -> Option<Decision> {
        let (decision, _) = self.settled.as_ref()?;
        self.was_settled = true;
        Some(*decision)
    }

    /// The filter chain.
    pub fn chain(&mut self) -> &mut Chain {
        &mut self.chain
    }

    /// Decides where a statement runs.
    pub fn decide(
        &mut self,
        section: &Section,
        situation: &Situation<'_>,
        random: &mut dyn Random,
    ) -> Result<Decision, Refusal> {
        let fixed = |node: NodeId, reason: Reason| {
            // A node that takes writes is used as a source, whatever the statement is.
            Ok(Decision { node, role: section.role_of(node), reason, how: "" })
        };
        self.fallbacks.left = 0;
        self.was_settled = false;
        if let Some(node) = situation.pinned {
            return fixed(node, Reason::Pinned);
        }
        if let Wanted::Node(node) = situation.wanted
            && !situation.hinted
        {
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
                && !section.replicas_now().is_empty()
                && !(section.source_on_write && situation.used_source);
            let (role, reason) = match situation.fresh(section) {
                _ if !reads => (Role::Source, Reason::TransactionStart),
                Err(reason) => (Role::Source, reason),
                Ok(_) => (Role::Replica, Reason::ReadOnlyTransactionStart),
            };
            return self.pick(section, situation, role, reason, random);
        }
        let (role, reason) = match situation.wanted {
            Wanted::Node(node) => {
                return fixed(node, if situation.hinted { Reason::HintedNode } else { Reason::Named });
            }
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
        situation: &Situation<'_>,
        role: Role,
        reason: Reason,
        random: &mut dyn Random,
    ) -> Result<Decision, Refusal> {
        if role == Role::Replica {
            self.settled = None;
        }
        let failover = section.failover;
        let failed = if failover.remember_failed { situation.failed } else { NodeSet::EMPTY };
        let mut view = View {
            section,
            role,
            failed: situation.failed,
            skip_failed: failover.remember_failed,
            asked: situation.asked,
            in_transaction: situation.in_transaction,
            last_used: situation.last_used,
            now_ms: situation.now_ms,
        };
        let all = Candidates { sources: section.sources_now(), replicas: section.replicas_now() };
        let mut candidates = self.chain.narrow(&view, all, random).map_err(Refusal::Filtered)?;
        // Of the replicas that the filters left, those that are fresh. If none of them is, a source has to answer, whatever
        // the strategy: this is no failure.
        let fresh = candidates.replicas.and(situation.fresh(section).unwrap_or(section.replicas_now()));
        let none_fresh = fresh.is_empty() && !candidates.replicas.is_empty();
        candidates.replicas = fresh;
        if self.chain.is_users() {
            let Picked { node, how, .. } = self.chain.choose(&view, candidates, random).map_err(Refusal::Filtered)?;
            let chosen = section.role_of(node);
            if (role, chosen) == (Role::Source, Role::Replica) {
                return Err(Refusal::ReplicaForWrite);
            }
            return Ok(Decision { node, role: chosen, reason, how });
        }
        let (role, reason) = if role == Role::Replica && none_fresh {
            (Role::Source, Reason::NoneFresh)
        } else if role == Role::Replica {
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
        view.role = role;
        let Picked { node, next, how, kept } =
            self.chain.choose(&view, candidates, random).map_err(Refusal::Filtered)?;
        let decision = Decision { node, role, reason, how };
        let settles = kept
            && (role, reason) == (Role::Replica, Reason::Read)
            && situation.failed.is_empty()
            && candidates.replicas == section.replicas
            && !self.chain.narrows();
        if failover.strategy == Strategy::Disabled {
            if settles {
                self.settled = Some((decision, Fallbacks::NONE));
            }
            return Ok(decision);
        }
        // Failed nodes are tried last, and only if nothing else is left of their kind.
        let well_first = |set: NodeSet| {
            let well = set.minus(failed);
            section.tiers(if well.is_empty() { set } else { well })
        };
        let nobody = [NodeSet::EMPTY; 3];
        let most = failover.max_retries;
        self.fallbacks = match (failover.strategy, role) {
            (Strategy::Disabled, _) | (Strategy::Source, Role::Source) => Fallbacks::NONE,
            (Strategy::Source, Role::Replica) => {
                let source = well_first(candidates.sources).iter().find_map(|tier| tier.at_or_after(0));
                Fallbacks::new([source.into_iter().collect(), NodeSet::EMPTY, NodeSet::EMPTY], nobody, 0, most)
            }
            (Strategy::LoopBeforeSource, Role::Source) => {
                Fallbacks::new(well_first(candidates.sources.without(node)), nobody, next, most)
            }
            (Strategy::LoopBeforeSource, Role::Replica) => {
                let others = section.tiers(candidates.replicas.without(node).minus(failed));
                Fallbacks::new(others, well_first(candidates.sources), next, most)
            }
        };
        if settles {
            self.settled = Some((decision, self.fallbacks));
        }
        Ok(decision)
    }
}

#[cfg(test)]
#[path = "decide/tests.rs"]
mod tests;
