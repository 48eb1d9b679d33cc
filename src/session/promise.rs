//! What a handle's reads are promised to see, and what has to be asked of a server for that.
//!
//! The handle keeps the position of its own writes, learnt from the replies to them, and for each node the last of
//! these positions that the node is known to have. A read goes to a node that has it; else the question whether it has
//! is sent ahead of the read, in the same packet ([`super::question`]); if the answer is no, the source is asked.
//! Here is what is kept for that, and what replies change of it; which nodes are fresh is in [`super::fresh`]. No I/O here.

use std::time::Duration;

use crate::cluster::config::quality::{Consistency, Level, OnTimeout, Scope};
use crate::cluster::gtid::{Position, token};
use crate::cluster::progress::PAUSE;
use crate::cluster::topology::{NodeId, NodeSet, Role};
use crate::error::{Error, cr};
use crate::log;

use super::arm;
use super::routed::Router;
use super::tables::{Needed, TableWrites};

/// A question that is sent ahead of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Has this replica what the handle wrote up to this version?
    Reached {
        /// The version of the handle's position.
        version: u64,
        /// It may take its time; otherwise another replica is known to have it.
        waits: bool,
    },
    /// Has this replica what the read that was decided on last needs of it? `waits` as above.
    ReachedPart {
        /// It may take its time.
        waits: bool,
    },
    /// What are these tables?
    Tables,
    /// Does this node take writes, as a source does?
    TakesWrites,
    /// By the configuration's own statement: has this replica the GTID that the program named?
    Checked,
    /// What has this source executed?
    Executed,
    /// Does this source show what reads have seen up to this version? A replica may show it a moment before.
    Shown {
        /// The version of the handle's position.
        version: u64,
    },
    /// How late is this replica, when so late is too late?
    Lag(Duration),
}

/// Whether a question can be put to a node for the sake of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// No.
    Nothing,
    /// It has to be answered before the read is sent.
    Before,
    /// It goes ahead of the read in the same packet.
    Ahead,
}

/// What the last decision needs of the node that it chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Demand {
    /// Nothing.
    #[default]
    Nothing,
    /// A replica has to have the handle's writes; if `waits`, none is known to have them.
    Fresh {
        /// As in [`Question::Reached`].
        waits: bool,
    },
    /// A source is to tell its position.
    Position,
    /// No replica is known to be good: a source answers, and may have to prove that it is one, or to show what was seen.
    OfSource,
    /// A source is to prove that it is still one.
    Proof,
    /// A replica has to be no later than this.
    Recent(Duration),
}

/// How far the position is to be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Doubt {
    /// All of it.
    #[default]
    None,
    /// It may hold what no server has any more: a replica did not get there in time, or the source is another one.
    MayBeLost,
    /// Something may have been written that is not in it.
    MayBeMore,
}

/// What is known of the server behind one node.
#[derive(Clone, Debug, Default)]
pub(super) struct Peer {
    /// Which server it is.
    pub(super) identity: Box<[u8]>,
    /// Its replies carry the GTIDs of writes; None before the first connection.
    pub(super) tracks: Option<bool>,
    /// The last version of the handle's position that it is known to have.
    pub(super) has: u64,
    /// It passed the check for the GTID of this number.
    pub(super) checked: u64,
    /// It was too late when it was looked at last: it comes back when it is well below the limit.
    pub(super) late: bool,
    /// Its lag is asked for ahead of the next read: this handle has the right to.
    pub(super) asked_for_lag: bool,
    /// It answers by SHOW REPLICA STATUS only.
    pub(super) by_status: bool,
    /// It did not have it when it was asked without waiting: not asked again before then.
    pub(super) ask_after: Duration,
}

/// The promise to one handle, and what is known of keeping it.
#[derive(Debug)]
pub(super) struct Promise {
    pub(super) level: Option<Level>,
    pub(super) scope: Scope,
    /// Under eventual: replicas that are later are not read from.
    pub(super) max_lag: Option<Duration>,
    /// The last read was to see no older data than some limit.
    pub(super) recent: bool,
    /// Replicas whose lag has to be asked for before the read is decided on again.
    pub(super) unmeasured: NodeSet,
    /// The program has chosen its level or scope: a changed configuration does not take that away.
    chosen: bool,
    pub(super) wait: Duration,
    pub(super) on_timeout: OnTimeout,
    /// A `match` rule brought the handle here: its program knows nothing of replicas.
    pub(super) by_rule: bool,
    pub(super) account: Box<[u8]>,
    pub(super) peers: Box<[Peer]>,
    /// What was written.
    pub(super) position: Option<Position>,
    /// Counts the changes of `position`; 0 = nothing was written.
    pub(super) version: u64,
    /// Whether `position` can be relied on.
    pub(super) doubt: Doubt,
    /// The node of the last write.
    writer: Option<usize>,
    /// The last GTID that came, as text.
    last_gtid: Vec<u8>,
    /// One came since the statement was sent.
    gtid_came: bool,
    /// A GTID of the program's own that reads are to see (`check_for_gtid`), and its number.
    pub(super) named: Option<(Box<[u8]>, u64)>,
    /// The process's writes that are in `position`.
    pub(super) process_version: u64,
    /// The board's losses that are known.
    pub(super) losses: u32,
    /// Some of `position` was written by others: who is the source now may not be known here.
    pub(super) foreign: bool,
    /// The version for which the servers were asked who is the source, because the one that was thought to be lacked it.
    pub(super) asked_roles: u64,
    pub(super) demand: Demand,
    /// The version of `position` that all replicas are known to have; 0 = none.
    pub(super) all_have: u64,
    /// Reads do not go back in time.
    pub(super) monotonic: bool,
    /// `position` by table, where that is kept.
    pub(super) tables: Option<Box<TableWrites>>,
}

impl Promise {
    /// For a handle of a section with so many nodes.
    pub(super) fn new(consistency: &Consistency, by_rule: bool, account: &[u8], nodes: usize) -> Self {
        Promise {
            level: consistency.level,
            scope: consistency.scope,
            max_lag: consistency.max_lag,
            recent: false,
            unmeasured: NodeSet::EMPTY,
            chosen: false,
            wait: consistency.wait,
            on_timeout: consistency.on_timeout,
            by_rule,
            account: account.into(),
            peers: vec![Peer::default(); nodes].into(),
            position: None,
            version: 0,
            doubt: Doubt::None,
            writer: None,
            last_gtid: Vec::new(),
            gtid_came: false,
            named: None,
            process_version: 0,
            losses: 0,
            foreign: false,
            asked_roles: 0,
            demand: Demand::Nothing,
            all_have: 0,
            monotonic: consistency.monotonic,
            tables: consistency.tables.map(|keep| Box::new(TableWrites::new(keep, None))),
        }
    }

    /// The program chooses another level.
    pub(super) fn set_level(&mut self, level: Level, max_lag: Option<Duration>) {
        (self.level, self.max_lag) = (Some(level), max_lag);
        self.chosen = true;
    }

    /// The program chooses whether its reads may go back in time.
    pub(super) fn set_monotonic(&mut self, monotonic: bool) {
        self.monotonic = monotonic;
        self.chosen = true;
    }

    /// The program chooses whose writes are seen.
    pub(super) fn set_scope(&mut self, scope: Scope) {
        self.scope = scope;
        self.chosen = true;
    }

    /// The handle takes a changed configuration; `now_at` tells where a node of before is now.
    pub(super) fn follow(&mut self, consistency: &Consistency, nodes: usize, now_at: &dyn Fn(usize) -> Option<usize>) {
        if !self.chosen {
            (self.level, self.scope, self.max_lag) = (consistency.level, consistency.scope, consistency.max_lag);
            self.monotonic = consistency.monotonic;
        }
        (self.wait, self.on_timeout) = (consistency.wait, consistency.on_timeout);
        self.tables = match (consistency.tables, self.tables.take()) {
            (Some(keep), Some(tables)) => Some(Box::new(tables.kept_for(keep))),
            (Some(keep), None) => Some(Box::new(TableWrites::new(keep, self.position.as_ref()))),
            (None, _) => None,
        };
        let mut peers: Box<[Peer]> = vec![Peer::default(); nodes].into();
        for (index, peer) in std::mem::take(&mut self.peers).into_iter().enumerate() {
            if let Some(place) = now_at(index).and_then(|place| peers.get_mut(place)) {
                *place = peer;
            }
        }
        self.peers = peers;
        self.all_have = 0;
        let writer = self.writer.and_then(now_at);
        if self.writer.is_some() && writer.is_none() {
            // The next source has to be compared with what was written.
            self.doubt = self.doubt.max(Doubt::MayBeLost);
        }
        self.writer = writer;
    }

    /// How long a replica may take to get to what a read needs.
    pub(super) fn wait(&self) -> Duration {
        self.wait
    }

    /// The last GTID that a reply carried; empty before the first.
    pub(super) fn last_gtid(&self) -> &[u8] {
        &self.last_gtid
    }

    /// What the handle's reads are to see; None before the first write.
    pub(super) fn position(&self) -> Option<&Position> {
        self.position.as_ref()
    }

    /// The handle's reads are to see this, too.
    pub(super) fn require(&mut self, position: &Position) {
        let merged = self.position.as_mut().is_some_and(|known| known.merge(position).is_ok());
        if !merged {
            self.position = Some(position.clone());
        }
        if let Some(position) = &mut self.position {
            position.bound();
        }
        self.version += 1;
    }

    /// The same for what others have written.
    pub(super) fn require_foreign(&mut self, position: &Position) {
        self.foreign = true;
        if let Some(tables) = &mut self.tables {
            tables.add_common(position);
        }
        self.require(position);
    }

    /// What the read that was decided on last has to see.
    pub(super) fn needed(&self) -> &Needed {
        match &self.tables {
            Some(tables) if self.named.is_none() => tables.needed(),
            _ => &Needed::Everything,
        }
    }

    /// What a replica is asked for.
    pub(super) fn wanted(&self, question: Question) -> Option<&Position> {
        match (question, self.needed()) {
            (Question::ReachedPart { .. }, Needed::Part(part)) => Some(part),
            _ => self.position.as_ref(),
        }
    }

    /// The position is another one now, of which nothing is known by table.
    pub(super) fn tables_are_unknown(&mut self) {
        if let Some(tables) = &mut self.tables {
            tables.replace(self.position.as_ref());
        }
    }

    /// The handle's reads are to see this GTID, which only the configuration's statement can look for.
    pub(super) fn require_named(&mut self, gtid: &[u8]) {
        let number = self.named.as_ref().map_or(1, |(_, number)| number + 1);
        self.named = Some((gtid.into(), number));
        self.version += 1;
    }

    /// The GTID that the program named.
    pub(super) fn named(&self) -> Option<&[u8]> {
        self.named.as_ref().map(|(gtid, _)| &**gtid)
    }

    /// No server that was met gives GTIDs, and one was; or the one that was written to does not, whatever replicas do (one
    /// that is newer than its source).
    pub(super) fn met_no_gtids(&self) -> bool {
        let writer = self.writer.and_then(|writer| self.peers.get(writer));
        let untold = writer.is_some_and(|writer| writer.tracks == Some(false));
        self.knows_tracking() && (untold || !self.peers.iter().any(|peer| peer.tracks == Some(true)))
    }

    /// True once a connection has told whether the servers have GTIDs.
    pub(super) fn knows_tracking(&self) -> bool {
        self.peers.iter().any(|peer| peer.tracks.is_some())
    }

    /// Session consistency was asked for, and no server that was met gives GTIDs.
    pub(super) fn is_without_gtids(&self) -> bool {
        self.level == Some(Level::Session) && self.met_no_gtids()
    }

    /// What was not heard of may have been written.
    pub(super) fn doubt(&mut self) {
        self.doubt = Doubt::MayBeMore;
    }

    /// Every replica keeps what is promised, without being asked. May say no where it is so.
    #[inline]
    pub(super) fn is_kept_by_all(&self, used_source: bool) -> bool {
        let followed = match self.level {
            Some(Level::Eventual) => return self.max_lag.is_none(),
            Some(Level::Strong) => return false,
            Some(Level::Session) | None => {
                self.scope == Scope::Handle && self.doubt == Doubt::None && !(self.monotonic && self.version != 0)
            }
        };
        let kept = match self.version {
            0 => !(self.is_without_gtids() || self.level.is_none() && self.by_rule && used_source),
            version => version == self.all_have,
        };
        followed && kept
    }

    /// Nothing has to be asked ahead of the statement that is sent next.
    #[inline]
    pub(super) fn demands_nothing(&mut self) {
        self.demand = Demand::Nothing;
        self.recent = false;
        self.unmeasured = NodeSet::EMPTY;
    }

    /// The limit of the last decision, if its node may be asked how late it is.
    pub(super) fn limit_to_ask(&self) -> Option<Duration> {
        if let Demand::Recent(limit) = self.demand { Some(limit) } else { None }
    }

    /// For a read that names what it has to see: the handle's reads see it from now on.
    ///
    /// Errors: 2000 if it is no token, GTID or GTID set.
    pub(super) fn require_for_read(&mut self, token: &[u8]) -> Result<(), Error> {
        let position = token::read(token).or_else(|_| Position::parse_any(token)).map_err(|_| {
            let text = String::from_utf8_lossy(token);
            Error::client(cr::UNKNOWN_ERROR, format!("mysqlclient-ms: hint ms=gtid:{text}: no token, GTID or GTID set"))
        })?;
        if self.position.as_ref().is_none_or(|known| !known.covers(&position)) {
            self.require_foreign(&position);
        }
        Ok(())
    }

    /// A statement has left.
    #[inline]
    pub(super) fn sent(&mut self) {
        self.gtid_came = false;
    }

    /// Whether the node's replies carry the GTIDs of writes.
    pub(super) fn tracks(&self, node: usize) -> bool {
        self.peers.get(node).is_some_and(|peer| peer.tracks == Some(true))
    }
}

impl Router {
    /// A connection to a node was opened, and this server found there.
    pub(super) fn met_server(&mut self, node: usize, found: &arm::Peer, mariadb: bool) {
        let (Some(id), Some(peer)) = (NodeId::new(node), self.promise.peers.get_mut(node)) else { return };
        self.promise.all_have = 0;
        // Where reads wait themselves, GTIDs are not missed.
        let tracks = (!found.reads_wait).then_some(found.has_gtids);
        *peer = Peer { identity: found.identity.as_slice().into(), tracks, ..Peer::default() };
        if let Ok(executed) = Position::parse(&found.executed, mariadb) {
            self.section.progress.met(id, &found.identity, &executed, self.now);
        }
        let is_source = self.section.role_of(id) == Role::Source;
        if let Some(tells) = tracks.filter(|_| is_source)
            && self.section.progress.is_newly_silent(id, tells)
        {
            let text = format!(
                "node {} tells no GTIDs (gtid_mode or the binary log is off, or tracking was refused): session \
                 consistency sends reads to the source",
                self.label(node)
            );
            log::get().message(log::Level::Warning, self.handle_number, &text);
        }
    }

    /// A reply carried the GTID of what was committed.
    pub(super) fn learn_gtid(&mut self, node: usize, text: &[u8], mariadb: bool) {
        let is_source = NodeId::new(node).is_some_and(|id| self.section.role_of(id) == Role::Source);
        if !is_source {
            return;
        }
        self.promise.gtid_came = true;
        let new = match Position::parse(text, mariadb) {
            Ok(new) if !new.is_empty() => new,
            Ok(_) => return,
            Err(_) => return self.promise.doubt(),
        };
        self.promise.last_gtid.clear();
        self.promise.last_gtid.extend_from_slice(text);
        if let (Some(Position::MariaDb(known)), Position::MariaDb(newer)) = (&mut self.promise.position, &new)
            && let Some(lost) = known.has_fallen_behind(newer)
        {
            known.replace(newer);
            self.promise.tables_are_unknown();
            self.tell_lost(&lost.to_string());
        }
        self.promise.require(&new);
        if let Some(tables) = self.promise.tables.as_deref_mut() {
            tables.wrote(&new, &self.section.tables, self.now);
        }
        self.share_write(new);
    }

    /// A statement that may write has succeeded on a node. `tells`: its reply would have carried a GTID; the old
    /// end-of-rows packet carries none. True if the node is to be asked for it before the program knows, because others are to
    /// see it, too.
    pub(super) fn note_written(&mut self, node: usize, tells: bool) -> bool {
        let tracks = self.promise.tracks(node);
        let untold = tracks && !tells && !self.promise.gtid_came;
        let is_shared = self.promise.scope != Scope::Handle;
        if untold && !is_shared {
            self.promise.doubt();
        }
        if tracks && self.promise.writer.is_some_and(|writer| writer != node) {
            // Another source: does it have what the first one was given?
            self.promise.doubt = self.promise.doubt.max(Doubt::MayBeLost);
        }
        self.promise.writer = Some(node);
        untold && is_shared
    }

    /// A node answered [`Question::Reached`] with yes.
    pub(super) fn has_reached(&mut self, node: usize, version: u64) {
        let (Some(id), Some(peer)) = (NodeId::new(node), self.promise.peers.get_mut(node)) else { return };
        peer.has = version;
        if version == self.promise.version
            && let Some(position) = &self.promise.position
        {
            self.section.progress.reached(id, &peer.identity, position);
        }
    }

    /// The source does not show what reads have seen: does it have it at all?
    pub(super) fn is_not_shown(&mut self, version: u64) {
        if version == self.promise.version {
            self.promise.doubt = self.promise.doubt.max(Doubt::MayBeLost);
        }
    }

    /// A node answered [`Question::ReachedPart`] with yes.
    pub(super) fn has_reached_part(&mut self, node: usize) {
        if let (Some(id), Some(peer), Needed::Part(part)) =
            (NodeId::new(node), self.promise.peers.get(node), self.promise.needed())
        {
            self.section.progress.reached(id, &peer.identity, part);
        }
    }

    /// A node answered [`Question::Reached`] with no. `waits`: after the time that it had.
    pub(super) fn has_not_reached(&mut self, node: usize, version: u64, waits: bool) {
        let (Some(id), Some(peer)) = (NodeId::new(node), self.promise.peers.get_mut(node)) else { return };
        let now = self.now;
        if !waits {
            peer.ask_after = now + PAUSE;
            return;
        }
        self.section.progress.fell_behind(id, now);
        if version == self.promise.version {
            // The source is asked next; does it have it at all?
            self.promise.doubt = self.promise.doubt.max(Doubt::MayBeLost);
        }
        let text = format!(
            "node {} did not get to {} within {} ms",
            self.label(node),
            self.promise.position.as_ref().map(Position::to_text).unwrap_or_default(),
            self.promise.wait.as_millis()
        );
        log::get().message(log::Level::Decision, self.handle_number, &text);
    }
}
