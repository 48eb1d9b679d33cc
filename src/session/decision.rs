//! What the rules of [`crate::route::decide`] are told of the handle, and what they say.
//!
//! Nothing is opened or sent from here. The short way for plain reads is in [`super::usual`].

use std::time::Duration;

use crate::cluster::config::quality::Level;
use crate::cluster::topology::{NodeId, NodeSet, Role};
use crate::error::{Error, Sent};
use crate::route::decide::{self, Decision, Situation, Wanted};
use crate::route::filter::Asked;
use crate::route::{Access, Class, Hint, Statement};

use super::Session;
use super::awaited::begins;
use super::carry::variables;
use super::promise::Ask;
use super::steer::{Manner, holder_of};

/// What a statement asks of the decision; `doubtful`: it asks for variables whose values may have changed where the handle
/// wrote last.
fn wanted(statement: &Statement, manner: Manner, doubtful: bool, force: bool) -> (Wanted, bool) {
    if statement.class == Class::Read {
        if manner == Manner::OnSource {
            return (Wanted::Source, false);
        }
        if doubtful {
            return (Wanted::LastWrite, false);
        }
    }
    Wanted::by(statement, force)
}

impl Session {
    /// Where a statement goes, at one look or by all the rules.
    ///
    /// Errors: 2000 when there is no node for it; 1094 for a KILL whose id several nodes gave.
    #[inline(always)]
    pub(super) fn decide(&mut self, sql: &[u8], statement: &Statement, manner: Manner) -> Result<Decision, Error> {
        match self.decide_at_once(statement, manner) {
            Some(decision) => {
                debug_assert!(self.decides_the_same(sql, statement, manner, decision), "{decision:?}");
                Ok(decision)
            }
            None => self.decide_by_rules(sql, statement, manner),
        }
    }

    /// For builds with assertions: the rules say the same, unless a node has failed or changed its role in this moment.
    fn decides_the_same(&mut self, sql: &[u8], statement: &Statement, manner: Manner, decision: Decision) -> bool {
        let short = self.fallbacks(manner);
        let whole = self.decide_by_rules(sql, statement, manner);
        let changed = self
            .router
            .as_deref()
            .is_some_and(|router| !router.section.health.all_well() || router.section.roles.version() != 0);
        changed
            || (whole.is_ok_and(|whole| whole == decision)
                && self.fallbacks(manner) == short
                && self.asks_nothing(decision.node.index()))
    }

    /// A statement asks for a user variable that was not set since the handle wrote: a trigger may have set it, and no server
    /// reports that. Its value is where the write ran.
    fn variables_are_doubtful(&self, sql: &[u8], statement: &Statement) -> bool {
        let variables = &statement.needs.user_variables;
        let Some(router) = self.router.as_deref().filter(|_| !variables.is_empty()) else { return false };
        let since = |name: &[u8]| self.carry.variable_since(&variables::user_key(name));
        router.last_write.is_some()
            && statement.hint.is_none()
            && variables.iter().any(|name| since(&name.name(sql)).is_none_or(|since| since <= router.written_at))
    }

    #[inline(never)]
    fn decide_by_rules(&mut self, sql: &[u8], statement: &Statement, manner: Manner) -> Result<Decision, Error> {
        let at = self.at;
        let doubtful = self.variables_are_doubtful(sql, statement);
        let Some(router) = self.router.as_deref_mut() else { return Err(Error::gone(self.options.family)) };
        let force = router.section.hints.force;
        let (mut wanted, mut hinted) = wanted(statement, manner, doubtful, force);
        router.leaves = None;
        router.no_source = false;
        let id = |index: Option<usize>| index.and_then(NodeId::new);
        let mut in_transaction = router.tracker.in_transaction() || !self.carry.autocommit();
        let mut read_only = router.tracker.is_read_only();
        let mut transaction_node = router.transaction_node;
        if statement.class == Class::Read {
            if router.section.replicas_until_write && !self.carry.autocommit() && transaction_node.is_none() {
                // Nothing was written yet: the read is not part of the transaction.
                in_transaction = false;
            }
        } else if let Some(thread) = statement.needs.kill {
            wanted = holder_of(&self.nodes, thread)?.map_or(wanted, Wanted::Node);
        } else if let Some(access) = begins(statement) {
            // The whole transaction goes where its first statement goes.
            let session = if self.carry.is_read_only() { Access::ReadOnly } else { Access::ReadWrite };
            read_only = access.unwrap_or(session) == Access::ReadOnly && manner != Manner::OnSource;
            in_transaction |= read_only;
            router.leaves = transaction_node.filter(|index| {
                // The server ends the open transaction, but not that of a replica in favour of one that writes.
                !read_only && NodeId::new(*index).is_some_and(|node| !router.section.sources_now().contains(node))
            });
            if router.leaves.is_some() {
                transaction_node = None;
            }
        }
        let stays = transaction_node.is_some() || router.bound.node().is_some() || router.next_transaction.is_some();
        if router.promise.tables.is_some() {
            let schema = self.carry.schema().unwrap_or_default();
            let may_ask = manner == Manner::Pipelined && self.carry.autocommit();
            router.look_at_tables(statement, sql, schema, may_ask);
        }
        let freshness = match (statement.hint, statement.class) {
            _ if manner == Manner::Preparing || stays => router.no_freshness(),
            (hint, Class::Read) => {
                let level = match hint {
                    Some(Hint::Level(level)) => Some((level, None)),
                    Some(Hint::MaxLag(ms)) => Some((Level::Eventual, Some(Duration::from_millis(u64::from(ms))))),
                    Some(Hint::Gtid(token)) => {
                        router.promise.require_for_read(token.of(sql))?;
                        Some((Level::Session, None))
                    }
                    _ => None,
                };
                let ask = match manner {
                    Manner::Awaited | Manner::Alone => Ask::Before,
                    _ => Ask::Ahead,
                };
                router.freshness(level, ask)
            }
            // A read-only transaction may start on a replica: asked before, so that the wait is over before its snapshot is made.
            (_, Class::Transaction) => {
                let ask = if read_only && manner != Manner::Awaited { Ask::Before } else { Ask::Nothing };
                router.freshness(None, ask)
            }
            _ => router.no_freshness(),
        };
        if let Some(Hint::Node(name)) = statement.hint
            && !matches!(manner, Manner::OnSource | Manner::Elsewhere)
        {
            (wanted, hinted) =
                router.named_node(name.of(sql), statement.class)?.map_or((wanted, hinted), |it| (it, true));
        }
        if manner == Manner::Again {
            wanted = id(at).map_or(wanted, Wanted::Node);
        }
        let serializable = self.carry.is_serializable();
        if !router.excluded.is_empty() && router.excluded_at != self.carry.changes() {
            // The state is another one now.
            router.excluded = NodeSet::EMPTY;
        }
        let left_out = if manner == Manner::Elsewhere { id(at) } else { None };
        let situation = Situation {
            wanted,
            hinted,
            // A KILL belongs where its connection is, whatever else there is.
            pinned: id(router.bound.node().or(router.next_transaction))
                .filter(|_| hinted || !matches!(wanted, Wanted::Node(_))),
            in_transaction,
            read_only: read_only && !serializable,
            transaction_node: id(transaction_node),
            serializable,
            excluded: left_out.map_or(router.excluded, |node| router.excluded.with(node)),
            last_used: id(at),
            last_write: id(router.last_write),
            used_source: router.used_source,
            freshness,
            failed: router.failed(),
            no_split: router.no_split,
            asked: Some(Asked { sql, statement, schema: self.carry.schema().unwrap_or_default() }),
            now_ms: router.now.as_millis() as u64,
        };
        let decided = router.chain.decide(&router.section, &situation, &mut router.random);
        if let Ok(decision) = &decided {
            router.claim_lag_of(decision.node);
        }
        match decided {
            Ok(decision) if manner == Manner::Elsewhere => {
                let replicas = router.section.replicas_now().minus(situation.excluded);
                if decision.role != Role::Replica || !replicas.contains(decision.node) {
                    return Err(Error::lost(self.options.family).sent(Sent::No));
                }
                Ok(decision)
            }
            Ok(decision) => Ok(decision),
            Err(refusal) => {
                router.no_source = refusal == decide::Refusal::NoSource;
                Err(refusal.to_error())
            }
        }
    }
}
