//! What a section tells the board, and what it believes of it.
//!
//! Of two words on the same thing the newer one counts. Roles are believed only after the servers have been asked
//! ([`super::super::roles::Roles::hint`]); positions belong to a server, not to a name.

use std::collections::BTreeMap;
use std::time::Duration;

use super::record::{self, Failure, InFlight, Lag, Record, Roles, Written};
use crate::cluster::config::{Discover, FilterSpec, Section};
use crate::cluster::gtid::Position;
use crate::cluster::topology::{NodeId, NodeSet};

/// Statements of a process that has not been heard of for so long do not count.
const SILENT: Duration = Duration::from_secs(2);

impl Section {
    /// Takes over what is newer there.
    pub(super) fn hear(&self, record: &Record, now: Duration) {
        for (id, key) in self.board_keys() {
            let Some(node) = record.nodes.get(key) else { continue };
            if let Some(Failure { until, code, at }) = node.failure {
                self.health.hear(id, (until, code, at));
            }
            if !node.version.is_empty() {
                self.facts.learn(node.version.as_bytes(), node.mariadb);
            }
            if !node.server.is_empty() {
                let executed = Position::parse(node.executed.as_bytes(), node.mariadb).ok();
                self.progress.hear(id, node.server.as_bytes(), node.since, executed.filter(|it| !it.is_empty()));
            }
            self.balance.hear_latency(id, node.latency);
            if let Some(Lag { at, ms, stopped }) = node.lag {
                self.lag.hear(id, at, ms, stopped);
            }
            self.lag.hear_asked(id, node.asked_until);
        }
        if self.progress.is_shared() {
            for (account, written) in &record.written {
                if let Ok(position) = Position::parse_any(written.position.as_bytes()) {
                    self.progress.hear_written(account.as_bytes(), &position, written.since);
                }
            }
        }
        if let Some(roles) = &record.roles
            && self.recovery.discover != Discover::File
        {
            let set = |names: &[String]| -> NodeSet {
                self.board_keys().filter(|(_, key)| names.iter().any(|name| name == key)).map(|(id, _)| id).collect()
            };
            let same = (set(&roles.sources), set(&roles.replicas)) == (self.sources_now(), self.replicas_now());
            self.roles.hint(Duration::from_millis(roles.at), same);
        }
        if self.shares_load() {
            let own = std::process::id();
            let now = now.as_millis() as u64;
            for (id, key) in self.board_keys() {
                let others = record.in_flight.iter().filter(|(process, load)| {
                    **process != own && now.saturating_sub(load.at) < SILENT.as_millis() as u64
                });
                let sum: u32 =
                    others.filter_map(|(_, load)| load.nodes.get(key)).fold(0, |sum, n| sum.saturating_add(*n));
                self.balance.hear_in_flight(id, sum);
            }
        }
    }

    /// Puts what is newer here into the record.
    pub(super) fn tell(&self, record: &mut Record, now: Duration) {
        for (id, key) in self.board_keys() {
            let mut node = record.nodes.get(key).cloned().unwrap_or_default();
            if let Some((until, code, at)) = self.health.told(id)
                && node.failure.is_none_or(|failure| failure.at < at)
            {
                node.failure = Some(Failure { until, code, at });
            }
            if let Some(told) = self.progress.told(id) {
                node.version = self
                    .facts
                    .get()
                    .map(|known| String::from_utf8_lossy(&known.version).into_owned())
                    .unwrap_or_default();
                node.mariadb = self.facts.get().is_some_and(|known| known.is_mariadb);
                node.server = String::from_utf8_lossy(&told.server).into_owned();
                node.since = told.since;
                node.executed = record::position(told.executed.as_ref().map(Position::to_text).unwrap_or_default());
            }
            if self.measures_latency() {
                node.latency = self.balance.newest_latency(id, node.latency);
            }
            if let Some((at, ms, stopped)) = self.lag.told(id)
                && node.lag.is_none_or(|lag| lag.at < at)
            {
                node.lag = Some(Lag { at, ms, stopped });
            }
            node.asked_until = node.asked_until.max(self.lag.asked_until(id));
            if node != record::Node::default() {
                record.nodes.insert(key.to_owned(), node);
            }
        }
        if self.progress.is_shared() {
            self.progress.tell_written(|account, position, since| {
                let written = Written { position: position.to_text(), since };
                record.written.insert(String::from_utf8_lossy(account).into_owned(), written);
            });
        }
        if let Some(at) = self.roles.told()
            && record.roles.as_ref().is_none_or(|roles| roles.at < at)
        {
            let names = |nodes: NodeSet| -> Vec<String> {
                self.board_keys().filter(|(id, _)| nodes.contains(*id)).map(|(_, key)| key.to_owned()).collect()
            };
            record.roles = Some(Roles { at, sources: names(self.sources_now()), replicas: names(self.replicas_now()) });
        }
        if self.shares_load() {
            let now = now.as_millis() as u64;
            record.in_flight.retain(|_, load| now.saturating_sub(load.at) < SILENT.as_millis() as u64);
            let counts = self.board_keys().map(|(id, key)| (key.to_owned(), self.balance.own_in_flight(id)));
            let nodes: BTreeMap<String, u32> = counts.filter(|(_, count)| *count != 0).collect();
            if nodes.is_empty() {
                record.in_flight.remove(&std::process::id());
            } else {
                record.in_flight.insert(std::process::id(), InFlight { at: now, nodes });
            }
        }
    }

    /// The nodes, and where each of them listens.
    fn board_keys(&self) -> impl Iterator<Item = (NodeId, &str)> {
        self.nodes.iter().zip(&self.board_keys).map(|(node, key)| (node.id, key.as_str()))
    }

    /// The choice goes by the statements on their way.
    fn shares_load(&self) -> bool {
        self.filters.iter().any(|filter| matches!(filter, FilterSpec::LeastInFlight | FilterSpec::Fastest))
    }

    fn measures_latency(&self) -> bool {
        self.filters.contains(&FilterSpec::Fastest)
    }
}
