//! Which nodes may answer the next read, and what has to be asked of the one that is chosen: the promise of
//! [`super::promise`] applied to what is known of the nodes.
//!
//! Tells `route` which nodes are fresh and decides nothing by itself. No I/O here; the questions are put by
//! [`super::question`].

use std::time::Duration;

use crate::cluster::config::quality::{Level, Scope};
use crate::cluster::config::{Discover, PLACEHOLDER};
use crate::cluster::gtid::Position;
use crate::cluster::progress::PAUSE;
use crate::cluster::topology::{NodeId, NodeSet, Role};
use crate::conn;
use crate::route::decide::{Freshness, Reason};

use super::executed;
use super::promise::{Ask, Demand, Doubt, Peer, Question};
use super::routed::Router;
use super::tables::Needed;

impl Router {
    /// Which nodes may answer the next read. `asked`: the level that a hint names, and its limit for a lag. `ask`: whether
    /// and how a node may be asked for it.
    pub(super) fn freshness(&mut self, asked: Option<(Level, Option<Duration>)>, ask: Ask) -> Freshness {
        self.promise.demands_nothing();
        let (level, max_lag) = match asked {
            Some((level, max_lag)) => (Some(level), max_lag),
            None => (self.promise.level, self.promise.max_lag),
        };
        match (level, max_lag) {
            (Some(Level::Strong), _) => {
                if ask != Ask::Nothing && self.section.recovery.discover != Discover::File {
                    self.promise.demand = Demand::Proof;
                }
                return Freshness::Source(Reason::Strong);
            }
            (Some(Level::Eventual), None) => return Freshness::Any,
            (Some(Level::Eventual), Some(limit)) => {
                if ask != Ask::Nothing {
                    self.promise.demand = Demand::Recent(limit);
                }
                return self.recent(limit, ask);
            }
            (Some(Level::Session) | None, _) => {}
        }
        match self.promise.scope {
            Scope::Handle => {}
            Scope::Process => self.take_over_writes_of_process(),
            Scope::Host => {
                self.share_writes();
                let Some(losses) = self.section.board.listen(&self.section, self.now) else {
                    return Freshness::Source(Reason::PositionUnknown);
                };
                if losses != self.promise.losses {
                    self.promise.losses = losses;
                    self.promise.doubt();
                }
                self.take_over_writes_of_process();
                if !self.section.progress.knows(&self.promise.account) && !self.promise.met_no_gtids() {
                    // The board is new, or it was destroyed: what was written before is not on it.
                    self.promise.doubt();
                }
            }
        }
        let promise = &self.promise;
        if promise.version == 0 && promise.doubt == Doubt::None {
            return match level {
                Some(_) if promise.met_no_gtids() => Freshness::Source(Reason::WithoutGtids),
                None if promise.by_rule && self.used_source && self.sources_track_nothing() => {
                    Freshness::Source(Reason::SourceOnWrite)
                }
                _ => Freshness::Any,
            };
        }
        if promise.doubt != Doubt::None {
            self.promise.demand = if ask == Ask::Nothing { Demand::Nothing } else { Demand::Position };
            return Freshness::Source(Reason::PositionUnknown);
        }
        if self.promise.needed() == &Needed::Nothing {
            // Of what was written the read sees nothing.
            return Freshness::Any;
        }
        let fresh = self.fresh_nodes();
        let replicas = self.section.replicas_now();
        if fresh == replicas && self.promise.needed() == &Needed::Everything {
            self.promise.all_have = self.promise.version;
        }
        if ask == Ask::Nothing || fresh == replicas || (ask == Ask::Before && !fresh.is_empty()) {
            return self.only(fresh, ask);
        }
        // The others are asked ahead of their first read after a write, so that they take their share of the reads. They
        // are not waited for while another one is known to be good.
        let waits = fresh.is_empty();
        let now = self.now;
        let worth_asking = |id: &NodeId| {
            let rests = self
                .promise
                .peers
                .get(id.index())
                .is_some_and(|peer| (!waits || self.promise.named.is_some()) && peer.ask_after > now);
            !rests && self.section.progress.is_worth_waiting_for(*id, now)
        };
        let asked: NodeSet = replicas.minus(fresh).iter().filter(worth_asking).collect();
        if asked.is_empty() {
            return self.only(fresh, ask);
        }
        self.promise.demand = Demand::Fresh { waits };
        Freshness::Replicas(fresh.or(asked))
    }

    /// These replicas may answer; if there is none, or none of them can be reached, a source.
    fn only(&mut self, fresh: NodeSet, ask: Ask) -> Freshness {
        if ask != Ask::Nothing {
            self.promise.demand = Demand::OfSource;
        }
        if fresh.is_empty() { Freshness::Source(Reason::NoneFresh) } else { Freshness::Replicas(fresh) }
    }

    /// What a source is asked that answers because no replica is known to be good. Where others have written, or reads have
    /// seen more than the handle wrote, it has to prove that it is the source: they may know of another one.
    fn question_to_source(&self, node: usize) -> Option<Question> {
        let promise = &self.promise;
        if promise.peers.get(node).is_none_or(|peer| peer.has == promise.version) {
            return None;
        }
        let discovers = self.section.recovery.discover != Discover::File;
        let mariadb = promise.position.as_ref().is_some_and(Position::is_mariadb);
        if discovers && (promise.foreign || (promise.monotonic && mariadb)) {
            Some(Question::Executed)
        } else if promise.monotonic && !mariadb {
            // It may not yet show what a replica has shown. (A server of MariaDB cannot be asked that.)
            Some(Question::Shown { version: promise.version })
        } else {
            None
        }
    }

    /// The next statement is no read: nothing is asked for it.
    pub(super) fn no_freshness(&mut self) -> Freshness {
        self.promise.demands_nothing();
        Freshness::Any
    }

    /// Sources that were connected to, none of which tells GTIDs.
    fn sources_track_nothing(&self) -> bool {
        self.section
            .sources_now()
            .iter()
            .all(|id| self.promise.peers.get(id.index()).is_none_or(|peer| peer.tracks != Some(true)))
    }

    /// Replicas that have what the handle wrote and are not known to have failed.
    fn fresh_nodes(&mut self) -> NodeSet {
        let promise = &mut self.promise;
        let version = promise.version;
        let has = |peer: Option<&Peer>| peer.is_some_and(|peer| peer.has == version);
        let replicas = self.section.replicas_now();
        let fresh: NodeSet = replicas.iter().filter(|id| has(promise.peers.get(id.index()))).collect();
        if let Needed::Part(part) = promise.needed() {
            let enough = |id: &NodeId| fresh.contains(*id) || self.section.progress.covers(*id, part);
            return replicas.iter().filter(enough).collect();
        }
        if !fresh.is_empty() {
            return fresh;
        }
        // Another handle may have found out; not about what the program named.
        if promise.named.is_some() {
            return NodeSet::EMPTY;
        }
        let Some(position) = &promise.position else { return NodeSet::EMPTY };
        let found: NodeSet = replicas.iter().filter(|id| self.section.progress.covers(*id, position)).collect();
        for id in found.iter() {
            if let Some(peer) = promise.peers.get_mut(id.index()) {
                peer.has = version;
            }
        }
        found
    }

    /// The last decision took every node to have what reads are promised to see, but this one, which was opened since, may be
    /// another server than the one that was known to, or have lost it.
    pub(super) fn is_doubtful(&self, node: usize) -> bool {
        let promise = &self.promise;
        matches!(promise.demand, Demand::Nothing | Demand::OfSource)
            && promise.version != 0
            && promise.level != Some(Level::Eventual)
            && promise.peers.get(node).is_none_or(|peer| peer.has != promise.version)
            && NodeId::new(node).is_some_and(|id| self.section.role_of(id) == Role::Replica)
    }

    /// Whether a question has to go ahead of the statement that the last decision was about, on this node.
    #[inline(always)]
    pub(super) fn question(&self, node: usize) -> Option<Question> {
        match self.promise.demand {
            Demand::Nothing if self.promise.tables.is_none() => None,
            _ => self.question_of_promise(node),
        }
    }

    fn question_of_promise(&self, node: usize) -> Option<Question> {
        let promise = &self.promise;
        let is_source = || NodeId::new(node).is_some_and(|id| self.section.role_of(id) == Role::Source);
        match promise.demand {
            Demand::Nothing => (self.asks_about_tables() && is_source()).then_some(Question::Tables),
            Demand::Fresh { waits } => {
                if is_source() {
                    return self.question_to_source(node);
                }
                let peer = promise.peers.get(node)?;
                if peer.has == promise.version {
                    return None;
                }
                if let Needed::Part(part) = promise.needed() {
                    let known = NodeId::new(node).is_some_and(|id| self.section.progress.covers(id, part));
                    return (!known).then_some(Question::ReachedPart { waits });
                }
                match &promise.named {
                    Some((_, number)) if peer.checked != *number => Some(Question::Checked),
                    _ => Some(Question::Reached { version: promise.version, waits }),
                }
            }
            Demand::Position => is_source().then_some(Question::Executed),
            Demand::OfSource => is_source().then(|| self.question_to_source(node)).flatten(),
            Demand::Proof => is_source().then_some(Question::TakesWrites),
            Demand::Recent(limit) => {
                promise.peers.get(node).filter(|peer| peer.asked_for_lag).map(|_| Question::Lag(limit))
            }
        }
    }

    /// The statement that asks.
    pub(super) fn question_text(&self, question: Question, node: usize, server: &conn::Server) -> String {
        let mariadb = server.is_mariadb;
        let wanted = self.promise.wanted(question).map(Position::to_text).unwrap_or_default();
        let wait = match question {
            Question::Reached { waits: true, .. }
            | Question::ReachedPart { waits: true }
            | Question::Shown { .. }
            | Question::Executed => self.promise.wait,
            _ => Duration::ZERO,
        };
        let seconds = wait.as_secs_f64();
        match (question, mariadb) {
            (Question::Reached { .. } | Question::ReachedPart { .. } | Question::Shown { .. }, true) => {
                format!("SELECT MASTER_GTID_WAIT('{wanted}',{seconds})")
            }
            (Question::Checked, _) => self.check_text().unwrap_or_else(|| "SELECT 0".to_owned()),
            // A time of 0 would mean without end.
            (Question::Reached { .. } | Question::ReachedPart { .. } | Question::Shown { .. }, false)
                if wait.is_zero() =>
            {
                format!("SELECT 1-GTID_SUBSET('{wanted}',@@GLOBAL.gtid_executed)")
            }
            (Question::Reached { .. } | Question::ReachedPart { .. } | Question::Shown { .. }, false) => {
                format!("SELECT WAIT_FOR_EXECUTED_GTID_SET('{wanted}',{seconds})")
            }
            (Question::Executed, true) => executed::OF_MARIADB.to_owned(),
            (Question::Executed, false) if self.promise.monotonic && !wait.is_zero() => {
                executed::of_mysql_when_shown(&wanted, seconds, &server.version)
            }
            (Question::Executed, false) => executed::OF_MYSQL.to_owned(),
            (Question::TakesWrites, _) => "SELECT @@GLOBAL.read_only".to_owned(),
            (Question::Tables, _) => self.table_question(server),
            (Question::Lag(_), _) => self.lag_question(node, server).into_owned(),
        }
    }

    /// `check_for_gtid` with the GTID in its place: the first placeholder, without quotes, as in mysqlnd_ms.
    fn check_text(&self) -> Option<String> {
        let check = self.section.injection.as_ref()?.check.as_ref()?;
        let gtid = self.promise.named()?;
        let at = memchr::memmem::find(check, PLACEHOLDER)?;
        let text = [&check[..at], gtid, &check[at + PLACEHOLDER.len()..]].concat();
        Some(String::from_utf8_lossy(&text).into_owned())
    }

    /// A node answered [`Question::Checked`]. False: it passed, and has to be asked for the handle's own writes, too.
    pub(super) fn has_passed(&mut self, node: usize, passed: bool) -> bool {
        let version = self.promise.version;
        let now = self.now;
        let covers = self
            .promise
            .position
            .as_ref()
            .is_none_or(|own| NodeId::new(node).is_some_and(|id| self.section.progress.covers(id, own)));
        let number = self.promise.named.as_ref().map_or(0, |(_, number)| *number);
        let Some(peer) = self.promise.peers.get_mut(node) else { return true };
        if !passed {
            peer.ask_after = now + PAUSE;
            return true;
        }
        peer.checked = number;
        if covers {
            peer.has = version;
        }
        covers
    }

    /// How long `check_for_gtid` is asked again.
    pub(super) fn check_wait(&self) -> Duration {
        self.section.injection.as_ref().map_or(Duration::ZERO, |injection| injection.wait)
    }
}
