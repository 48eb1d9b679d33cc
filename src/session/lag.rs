//! Reads from replicas that are not too late, and the hints that carry a value.
//!
//! Whether a replica is good is a comparison with its last measurement, which all processes of the host share
//! ([`crate::cluster::lag`], [`crate::cluster::board`]). A measurement that is old is made again by one of them: ahead of its
//! next read from that replica, in the same packet; or, for replicas that are not read from because they are late, all at
//! once and within `probe_ms`, before a read.

use std::borrow::Cow;
use std::time::Duration;

use crate::cluster::lag::Lag;
use crate::cluster::topology::{NodeId, NodeSet, NodeState};
use crate::conn::{Head, Server};
use crate::env::{Clock, SystemClock};
use crate::error::{Error, Origin, Sent, cr};
use crate::log;
use crate::route::Class;
use crate::route::decide::{Freshness, Reason, Wanted};

use super::Session;
use super::discover::replication_status;
use super::probe::{Answer, Table};
use super::promise::Ask;
use super::question::Behind;
use super::routed::Router;
use super::steer::Manner;

/// Shortest time between two measurements of a node.
const SHORTEST: Duration = Duration::from_millis(20);
/// A node that did not answer is left alone for so many times the usual time.
const AFTER_SILENCE: u32 = 10;

/// Replication as MySQL's tables show it, with the times of the source's commits: receivers and appliers that do not run,
/// channels, the age of what is being applied, of what is being handed to the workers, and of what a delay that was asked for
/// holds back, whether anything is waiting, the age of what was applied last.
const BY_TABLES: &str = "SELECT \
    (SELECT COUNT(*) FROM performance_schema.replication_connection_status WHERE SERVICE_STATE<>'ON')+\
    (SELECT COUNT(*) FROM performance_schema.replication_applier_status WHERE SERVICE_STATE<>'ON') AS stopped,\
    (SELECT COUNT(*) FROM performance_schema.replication_connection_status) AS channels,\
    (SELECT TIMESTAMPDIFF(MICROSECOND,MIN(APPLYING_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP),NOW(6)) FROM \
    performance_schema.replication_applier_status_by_worker WHERE APPLYING_TRANSACTION<>'') AS applying,\
    (SELECT TIMESTAMPDIFF(MICROSECOND,MIN(PROCESSING_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP),NOW(6)) FROM \
    performance_schema.replication_applier_status_by_coordinator WHERE PROCESSING_TRANSACTION<>'') AS handing_out,\
    (SELECT MAX(DESIRED_DELAY-REMAINING_DELAY+1)*1000000 FROM performance_schema.replication_applier_configuration \
    JOIN performance_schema.replication_applier_status USING (CHANNEL_NAME)) AS held_back,\
    (SELECT SUM(GTID_SUBSET(RECEIVED_TRANSACTION_SET,@@GLOBAL.gtid_executed)=0) FROM \
    performance_schema.replication_connection_status) AS waiting,\
    (SELECT TIMESTAMPDIFF(MICROSECOND,MAX(LAST_APPLIED_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP),NOW(6)) FROM \
    performance_schema.replication_applier_status_by_worker WHERE LAST_APPLIED_TRANSACTION<>'') AS applied";

/// Whether a server has these tables with those times.
fn has_tables(server: &Server) -> bool {
    !server.is_mariadb && !server.version.starts_with(b"5.")
}

/// What an answer says of the lag.
fn lag_of(table: &mut Table) -> Lag {
    fn number(value: Option<Vec<u8>>) -> Option<i64> {
        std::str::from_utf8(&value?).ok()?.parse().ok()
    }
    let behind = |micros: i64| Lag::Behind(Duration::from_micros(micros.max(0).cast_unsigned()));
    if table.has("lag_us") {
        return number(table.named("lag_us")).map_or(Lag::Unknown, behind);
    }
    if table.has("applying") {
        let open = [number(table.named("applying")), number(table.named("handing_out"))].into_iter().flatten().max();
        return match (number(table.named("stopped")), number(table.named("channels")), open) {
            (Some(0), Some(1..), Some(applying)) => behind(applying),
            (Some(0), Some(1..), None) if number(table.named("waiting")) == Some(0) => behind(0),
            // Something is between the workers: what came before it is applied.
            (Some(0), Some(1..), None) => {
                let since = number(table.named("held_back")).or_else(|| number(table.named("applied")));
                since.map_or(Lag::Unknown, behind)
            }
            (Some(_), Some(_), _) => Lag::Stopped,
            _ => Lag::Unknown,
        };
    }
    let mut most = Lag::Stopped;
    for row in 0..table.len() {
        let seconds =
            ["Seconds_Behind_Source", "Seconds_Behind_Master"].into_iter().find_map(|name| table.of_row(row, name));
        let Some(seconds) = number(seconds) else { return Lag::Stopped };
        let seconds = behind(seconds.saturating_mul(1_000_000));
        most = match (most, seconds) {
            (Lag::Behind(one), Lag::Behind(other)) => Lag::Behind(one.max(other)),
            _ => seconds,
        };
    }
    most
}

impl Router {
    /// How old a measurement may be under this limit.
    fn refresh(&self, limit: Duration) -> Duration {
        self.section.lag_settings.refresh.min(limit / 2).max(SHORTEST)
    }

    /// The replicas that are no later than `limit`.
    pub(super) fn recent(&mut self, limit: Duration, ask: Ask) -> Freshness {
        let (now, refresh) = (self.now, self.refresh(limit));
        let lags = &self.section.lag;
        let (mut good, mut unmeasured) = (NodeSet::EMPTY, NodeSet::EMPTY);
        for id in self.section.replicas_now().iter() {
            let Some(peer) = self.promise.peers.get_mut(id.index()) else { continue };
            let most = if peer.late { limit / 5 * 4 } else { limit };
            let at_most = lags.at_most(id, now);
            if at_most.is_some_and(|lag| lag <= most) {
                peer.late = false;
                good = good.with(id);
                continue;
            }
            peer.late |= at_most.is_some();
            let silent = lags.last(id).is_some_and(|(lag, _)| lag == Lag::Unknown);
            if lags.is_due(id, now, if silent { refresh * AFTER_SILENCE } else { refresh }) {
                unmeasured = unmeasured.with(id);
            }
        }
        self.promise.recent = true;
        if ask != Ask::Nothing {
            self.promise.unmeasured = unmeasured.minus(self.failed());
        }
        if good.is_empty() { Freshness::Source(Reason::AllLate) } else { Freshness::Replicas(good) }
    }

    /// The read goes to this replica: if its measurement is old, and nobody else makes it again, the question goes ahead.
    pub(super) fn claim_lag_of(&mut self, node: NodeId) {
        let Some(limit) = self.promise.limit_to_ask() else { return };
        let refresh = self.refresh(limit);
        if self.section.replicas_now().contains(node)
            && self.section.lag.is_due(node, self.now, refresh)
            && self.section.board.claim(&self.section, node, self.now, refresh)
            && let Some(peer) = self.promise.peers.get_mut(node.index())
        {
            peer.asked_for_lag = true;
        }
    }

    /// The statement that asks a node for its lag.
    pub(super) fn lag_question(&self, node: usize, server: &Server) -> Cow<'static, str> {
        if let Some(table) = &self.section.lag_settings.heartbeat {
            return format!("SELECT TIMESTAMPDIFF(MICROSECOND,MAX(ts),UTC_TIMESTAMP(6)) AS lag_us FROM {table}").into();
        }
        let by_status = self.promise.peers.get(node).is_some_and(|peer| peer.by_status);
        if has_tables(server) && !by_status { BY_TABLES.into() } else { replication_status(server).into() }
    }

    /// What a node said of its lag.
    fn note_lag(&mut self, node: NodeId, lag: Lag) {
        let before = self.section.lag.last(node).map(|last| last.0);
        self.section.lag.measured(node, lag, SystemClock.now());
        if let Some(peer) = self.promise.peers.get_mut(node.index()) {
            peer.asked_for_lag = false;
        }
        self.section.board.soon();
        if std::mem::discriminant(&lag)
            != before.as_ref().map_or(std::mem::discriminant(&Lag::Stopped), std::mem::discriminant)
        {
            let label = self.label(node.index());
            let text = match lag {
                Lag::Behind(lag) => format!("node {label} is {} ms behind", lag.as_millis()),
                Lag::Stopped => format!("node {label} does not replicate"),
                Lag::Unknown => format!("node {label} does not say how late it is"),
            };
            log::get().message(log::Level::Decision, self.handle_number, &text);
        }
    }

    /// The node that `ms=node:NAME` names. None: the hint is not followed, because only a source may run the statement.
    ///
    /// Errors: 2000 if there is no such node, or it is not in use.
    pub(super) fn named_node(&self, name: &[u8], class: Class) -> Result<Option<Wanted>, Error> {
        let name = String::from_utf8_lossy(name);
        let refused =
            |text: &str| Error::client(cr::UNKNOWN_ERROR, format!("mysqlclient-ms: hint ms=node:{name}: {text}"));
        let node = self.section.nodes.iter().find(|node| node.label() == name);
        let node = node.ok_or_else(|| refused("the section has no node of this name"))?;
        if node.state == NodeState::Off {
            return Err(refused("the node's state is off"));
        }
        let takes = match class {
            Class::Read => true,
            Class::Write | Class::Unknown => self.section.sources_now().contains(node.id),
            _ => false,
        };
        if !takes {
            let text = format!("the hint ms=node:{name} was not followed: the statement is no plain read");
            log::get().message(log::Level::Warning, self.handle_number, &text);
        }
        Ok(takes.then_some(Wanted::Node(node.id)))
    }
}

impl Session {
    /// Replicas are not read from because nobody has asked them lately how late they are.
    #[inline]
    pub(super) fn lacks_lags(&self) -> bool {
        self.router.as_deref().is_some_and(|router| !router.promise.unmeasured.is_empty())
    }

    /// Asks them all at once, but for those that another handle or process is asking.
    #[cold]
    pub(super) async fn measure_lags(&mut self) {
        let Some(router) = self.router.as_deref_mut() else { return };
        let wanted = std::mem::take(&mut router.promise.unmeasured);
        let (section, now) = (std::sync::Arc::clone(&router.section), router.now);
        let nodes: NodeSet = wanted.iter().filter(|id| section.board.claim(&section, *id, now, SHORTEST)).collect();
        if nodes.is_empty() {
            return;
        }
        let heartbeat = section.lag_settings.heartbeat.is_some().then(|| router.lag_question(0, &Server::default()));
        let questions = |server: &Server| -> Vec<Cow<'static, str>> {
            match &heartbeat {
                Some(text) => vec![text.clone()],
                None if has_tables(server) => vec![BY_TABLES.into(), replication_status(server).into()],
                None => vec![replication_status(server).into()],
            }
        };
        let answers = self.probe(nodes, &questions, section.recovery.probe).await;
        let Some(router) = self.router.as_deref_mut() else { return };
        router.now = SystemClock.now();
        for (id, answer) in answers {
            let lag = match answer {
                Answer::Told(mut tables) => {
                    let refused = tables.len() > 1 && tables.first().is_some_and(Option::is_none);
                    let lags = tables.iter_mut().flatten().map(lag_of);
                    let lag = lags.fold(Lag::Unknown, |known, lag| if known == Lag::Unknown { lag } else { known });
                    if let Some(peer) = router.promise.peers.get_mut(id.index()) {
                        // The tables may be closed to the account.
                        peer.by_status = refused && lag != Lag::Unknown;
                    }
                    lag
                }
                Answer::Failed(_) | Answer::Silent => Lag::Unknown,
            };
            router.note_lag(id, lag);
        }
    }

    /// Reads the answer to the question for a node's lag; if it is too late, the read behind it is not taken.
    pub(super) async fn read_lag(&mut self, at: usize, limit: Duration, behind: Behind) -> Result<(), Error> {
        let answer = match self.current()?.read_head().await {
            Ok(Head::ResultSet(columns)) => match self.current()?.store_rows(columns.len()).await {
                Ok((rows, _)) => Ok(Some(Table::new(columns, rows))),
                Err(error) => Err(error),
            },
            Ok(Head::Ok(_) | Head::LocalInfile(_)) => Ok(None),
            Err(error) if error.origin == Origin::Server && !self.current()?.is_broken() => Ok(None),
            Err(error) => Err(error),
        };
        if let Ok(connection) = self.current() {
            connection.answer_by(None);
        }
        let lag = match answer {
            Ok(table) => table.map_or(Lag::Unknown, |mut table| lag_of(&mut table)),
            // Nothing behind the question has begun.
            Err(error) => {
                self.remember_silence(at, &error);
                Lag::Unknown
            }
        };
        let broken = self.nodes[at].connection().is_none_or(|connection| connection.is_broken());
        let (Some(router), Some(id)) = (self.router.as_deref_mut(), NodeId::new(at)) else { return Ok(()) };
        router.note_lag(id, lag);
        if matches!(lag, Lag::Behind(lag) if lag <= limit) {
            return Ok(());
        }
        if broken {
            self.nodes[at].drop_if_broken();
        } else {
            self.throw_reply_away(at, behind).await?;
        }
        self.failed();
        self.again = Some(Manner::Awaited);
        Err(Error::gone(self.options.family).sent(Sent::No))
    }

    /// A read that is to see no old data found its replica dead: it counts as one that does not say how late it is. True if
    /// the read may be decided on again.
    pub(super) fn gives_up_on_late(&mut self, index: usize) -> bool {
        let (Some(router), Some(id)) = (self.router.as_deref_mut(), NodeId::new(index)) else { return false };
        let replica = router.promise.recent && router.section.replicas_now().contains(id);
        if replica {
            router.note_lag(id, Lag::Unknown);
            router.now = SystemClock.now();
        }
        replica
    }
}
