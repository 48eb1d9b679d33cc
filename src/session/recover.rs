//! What is done about a statement that failed when its reply was read: sent again where that is safe, else the error goes to
//! the program.
//!
//! Nothing that may have been executed is sent twice, but for reads: one whose connection broke off before the program saw
//! anything of its result runs once more, on another replica. What a server refused to execute is refused, not executed.

use std::time::Duration;

use crate::cluster::config::Discover;
use crate::cluster::roles::Said;
use crate::cluster::topology::NodeId;
use crate::conn::driver::{cancels, pause};
use crate::conn::{Connection, Head};
use crate::env::{Clock, SystemClock};
use crate::error::{Error, Origin, Sent};
use crate::result::{Builder, Columns, StoredRows};
use crate::route::{Class, Statement};

use super::awaited::Awaited;
use super::discover::{Search, may_take_no_writes, takes_no_writes};
use super::membership::{is_not_prepared, waited_in_vain};
use super::routed::Loss;
use super::steer::{Manner, What};
use super::{Phase, Session};

/// The longest statement that is kept for its result to be read again elsewhere, bytes.
const LONGEST_KEPT: usize = 64 << 10;
/// A connection that was not used for so long is looked at before it is used.
const IDLE: Duration = Duration::from_secs(1);
/// Errors by which a server says that it executes nothing now: shutting down, and not part of its Galera cluster.
const NOT_NOW: [u32; 2] = [1053, 1047];
/// Errors with which a server rolls the whole transaction back: repeating the last statement alone would lose the others.
const ROLLED_BACK: [u32; 3] = [1213, 1614, 1020];

/// The plain read that was sent last, as far as it may be sent again.
#[derive(Debug, Default)]
pub(super) struct Rerun {
    /// Its text; empty: it may not.
    text: Vec<u8>,
    /// How many calls the process's programs had broken off then.
    cancels: u32,
    /// The connection broke off by itself: no limit of time, no protocol error.
    broke_off: bool,
}

impl Rerun {
    /// A statement has left.
    #[inline(always)]
    pub(super) fn keep(&mut self, sql: &[u8], statement: &Statement, allowed: bool) {
        self.text.clear();
        if allowed && statement.single && sql.len() <= LONGEST_KEPT {
            self.text.extend_from_slice(sql);
            self.cancels = cancels();
        }
    }

    /// The program has seen something of the result.
    #[inline]
    pub(super) fn forget(&mut self) {
        self.text.clear();
    }

    /// How the connection fared, before it is dropped.
    pub(super) fn note(&mut self, connection: Option<&Connection>) {
        self.broke_off = connection.is_some_and(Connection::broke_off);
    }

    fn may_follow(&self, error: &Error) -> bool {
        let refused = error.origin == Origin::Server && NOT_NOW.contains(&error.code);
        !self.text.is_empty() && (refused || (self.broke_off && self.cancels == cancels()))
    }
}

/// What was already done about one statement.
#[derive(Default)]
pub(super) struct Tries {
    reran: bool,
    again: u32,
    repeats: u16,
    search: Search,
    /// An ending without a transaction was sent again.
    ended: bool,
    /// The servers were asked whether an error means that the source is none any more.
    asked: bool,
}

impl Session {
    /// The reply to a statement of a routed handle was an error: the reply to the same statement after what could be done
    /// about it.
    #[cold]
    pub(super) async fn recover(&mut self, sql: &[u8], error: Error, what: &mut What<'_>) -> Result<(), Error> {
        let mut tries = Tries::default();
        let mut error = error;
        while let Some(manner) = self.remedy(&error, &mut tries).await {
            let answer = match self.send_routed_as(sql, manner, what).await {
                Ok(_) => self.read_reply().await,
                Err(error) => Err(error),
            };
            match answer {
                Ok(()) => return Ok(()),
                // What the other replica says is no answer to what the program asked.
                Err(_) if manner == Manner::Elsewhere => break,
                Err(next) => error = next,
            }
        }
        Err(error)
    }

    /// The same for a statement whose reply the program asks for by itself (`mysql_read_query_result`): of these only plain
    /// reads are kept.
    #[cold]
    pub(super) async fn recover_sent(&mut self, error: Error) -> Result<(), Error> {
        let text = self.router.as_deref_mut().map(|router| std::mem::take(&mut router.rerun.text)).unwrap_or_default();
        if text.is_empty() {
            let said = if takes_no_writes(&error, false) {
                Some(Said::ReadOnly)
            } else if self.left_its_cluster(&error) {
                Some(Said::Out)
            } else {
                None
            };
            if let Some(told) = self.at.zip(said) {
                // For the next one.
                self.learn_roles(Some(told)).await;
            }
            return Err(error);
        }
        if let Some(router) = self.router.as_deref_mut() {
            router.rerun.text.clone_from(&text);
        }
        self.recover(&text, error, &mut What::Text).await
    }

    /// A statement could not be prepared, of which nothing is executed by that: whether it may be prepared again.
    #[cold]
    pub(super) async fn may_prepare_again(&mut self, error: &Error, tries: &mut Tries) -> bool {
        if self.is_transient(error, tries.repeats) {
            tries.repeats += 1;
            self.pause_before_repeating().await;
            return true;
        }
        if !self.was_refused_before_it_was_sent(error) {
            return false;
        }
        if self.left_its_cluster(error) {
            return self.remedy_of_membership(error, tries).await.is_some();
        }
        self.remedy_of_roles(error, tries).await.is_some()
    }

    /// A server refused to prepare a statement: nothing of it is executed, and what was sent before it is over.
    #[cold]
    pub(super) fn was_refused_before_it_was_sent(&mut self, error: &Error) -> bool {
        let refused = error.origin == Origin::Server && error.sent == Sent::Yes;
        if refused && let Some(router) = self.router.as_deref_mut() {
            router.rerun.forget();
            router.awaited = Awaited::default();
        }
        refused
    }

    /// How the statement may be sent again; None: the error is the program's.
    async fn remedy(&mut self, error: &Error, tries: &mut Tries) -> Option<Manner> {
        if let Some(manner) = self.again.take() {
            tries.again += 1;
            return (tries.again <= 2).then_some(manner);
        }
        if let Some(manner) = self.remedy_of_endings(tries) {
            return Some(manner);
        }
        if self.left_its_cluster(error) {
            return self.remedy_of_membership(error, tries).await;
        }
        if !tries.reran && self.may_rerun(error) {
            tries.reran = true;
            return Some(Manner::Elsewhere);
        }
        if self.is_transient(error, tries.repeats) {
            tries.repeats += 1;
            self.pause_before_repeating().await;
            return Some(Manner::Again);
        }
        if self.writes_after_all(error) && tries.again == 0 {
            tries.again += 1;
            return Some(Manner::OnSource);
        }
        self.remedy_of_roles(error, tries).await
    }

    /// A replica refused to execute what was taken for a plain read: a view that calls a function which writes looks like any
    /// table.
    fn writes_after_all(&self, error: &Error) -> bool {
        let Some(router) = self.router.as_deref() else { return false };
        let from_replica =
            self.at.and_then(NodeId::new).is_some_and(|node| !router.section.sources_now().contains(node));
        from_replica
            && takes_no_writes(error, true)
            && router.decision.is_some_and(|(_, class, _)| class == Class::Read.as_str())
            && !router.tracker.in_transaction()
            && self.carry.autocommit()
            && self.prelude_replies == 0
            && self.may_move()
    }

    /// The connection broke off behind COMMIT, ROLLBACK or a switch of autocommit. Where no transaction was open they do the
    /// same on another connection, however often; a transaction that was to be rolled back is.
    fn remedy_of_endings(&mut self, tries: &mut Tries) -> Option<Manner> {
        let router = self.router.as_deref_mut()?;
        let Awaited { ends, rolls_back, sets_autocommit, inside, several, .. } = router.awaited;
        if !router.rerun.broke_off || several || router.bound.node().is_some() || router.lost == Some(Loss::Bound) {
            return None;
        }
        if rolls_back && inside {
            router.forget_transaction();
            return None;
        }
        let harmless = (ends || rolls_back || sets_autocommit) && !inside && router.next_transaction.is_none();
        if !harmless || std::mem::replace(&mut tries.ended, true) {
            return None;
        }
        router.forget_transaction();
        Some(Manner::Awaited)
    }

    /// A node of a Galera cluster executed nothing, because it is not in step with the others or not one of them now.
    fn left_its_cluster(&self, error: &Error) -> bool {
        let galera = self.router.as_deref().is_some_and(|router| router.section.recovery.discover == Discover::Galera);
        galera && (is_not_prepared(error) || (self.may_be_read_again() && waited_in_vain(error)))
    }

    /// The statement runs on another node, reads and writes, unless it is part of what that node has; all handles know from
    /// now on.
    async fn remedy_of_membership(&mut self, error: &Error, tries: &mut Tries) -> Option<Manner> {
        let at = self.at?;
        let router = self.router.as_deref()?;
        let inside = router.tracker.in_transaction() || !self.carry.autocommit() || router.awaited.calls;
        let said = is_not_prepared(error).then_some(Said::Out);
        if inside || !self.may_move() || self.prelude_replies > 0 || tries.search.is_vain() {
            self.learn_roles(said.map(|said| (at, said))).await;
            return None;
        }
        if self.may_be_read_again() {
            if std::mem::replace(&mut tries.reran, true) {
                return None;
            }
            self.learn_roles(said.map(|said| (at, said))).await;
            return Some(Manner::Awaited);
        }
        self.look_for_source(&mut tries.search, Some(at), said).await.then_some(Manner::Awaited)
    }

    /// The servers' roles are not what they were.
    async fn remedy_of_roles(&mut self, error: &Error, tries: &mut Tries) -> Option<Manner> {
        let at = self.at?;
        let router = self.router.as_deref()?;
        let from_source = NodeId::new(at).is_some_and(|node| router.section.sources_now().contains(node));
        let asked_for = router.tracker.is_read_only() || self.carry.variable(b"transaction_read_only").is_some();
        if takes_no_writes(error, asked_for) {
            let inside = router.tracker.in_transaction() || !self.carry.autocommit() || router.awaited.calls;
            if inside || !self.may_move() || self.prelude_replies > 0 || tries.search.is_vain() {
                // For the next one.
                self.learn_roles(Some((at, Said::ReadOnly))).await;
                return None;
            }
            return self
                .look_for_source(&mut tries.search, Some(at), Some(Said::ReadOnly))
                .await
                .then_some(Manner::Awaited);
        }
        let section = std::sync::Arc::clone(&router.section);
        if from_source && may_take_no_writes(error) {
            let inside = router.tracker.in_transaction() || !self.carry.autocommit() || router.awaited.calls;
            let free = !inside && self.may_move() && self.prelude_replies == 0;
            let first = !std::mem::replace(&mut tries.asked, true);
            self.learn_roles(None).await;
            let moved = NodeId::new(at).is_some_and(|node| !section.sources_now().contains(node));
            return (first && free && moved).then_some(Manner::Awaited);
        }
        if from_source && router.rerun.broke_off {
            // Whether the statement was executed is not known; the next one is to know where the source is.
            self.learn_roles(None).await;
        }
        None
    }

    /// The program sees rows, or another result: nothing is sent again.
    #[inline]
    pub(super) fn forget_rerun(&mut self) {
        if let Some(router) = self.router.as_deref_mut() {
            router.rerun.forget();
        }
    }

    /// A read may run once more elsewhere: it is no part of a transaction, and nothing of the handle was lost.
    pub(super) fn may_rerun(&self, error: &Error) -> bool {
        self.router.as_deref().is_some_and(|router| {
            router.rerun.may_follow(error)
                && router.lost.is_none()
                && router.bound.node().is_none()
                && !router.tracker.in_transaction()
                && self.carry.autocommit()
        })
    }

    /// The read that was sent last is kept.
    #[inline]
    pub(super) fn may_be_read_again(&self) -> bool {
        self.router.as_deref().is_some_and(|router| !router.rerun.text.is_empty())
    }

    /// The configuration wants commands repeated that failed so (`transient_error`).
    pub(super) fn wants_repeating(&self, error: &Error, repeats: u16) -> bool {
        let transient = self.router.as_deref().and_then(|router| router.section.recovery.transient.as_ref());
        error.origin == Origin::Server
            && transient.is_some_and(|transient| repeats < transient.most && transient.codes.contains(&error.code))
    }

    /// The same for a command on the connection used last.
    pub(super) fn is_transient(&self, error: &Error, repeats: u16) -> bool {
        let Some(router) = self.router.as_deref() else { return false };
        self.wants_repeating(error, repeats)
            && router.lost.is_none()
            && self.connection().is_some()
            && !(router.tracker.in_transaction() && ROLLED_BACK.contains(&error.code))
    }

    pub(super) async fn pause_before_repeating(&self) {
        let transient = self.router.as_deref().and_then(|router| router.section.recovery.transient.as_ref());
        crate::statistics::count(crate::statistics::Counter::TransientErrorRetries);
        if let Some(length) = transient.map(|transient| transient.pause) {
            pause(length).await;
        }
    }

    /// The rows of a read broke off while they were stored: the program has seen the columns and no row. The same read on
    /// another replica, if it has the same columns; None: it could not be read there either.
    #[cold]
    pub(super) async fn store_elsewhere(
        &mut self,
        error: &Error,
        columns: &Columns,
        stored: &mut StoredRows,
    ) -> Option<Columns> {
        if !self.may_rerun(error) {
            return None;
        }
        let router = self.router.as_deref_mut()?;
        let text = std::mem::take(&mut router.rerun.text);
        self.send_routed(&text, Manner::Elsewhere).await.ok()?;
        self.read_reply().await.ok()?;
        let found = self.pending.take();
        let same = found.as_ref().is_some_and(|found| found.is_like(columns));
        if self.phase != Phase::HasResult || !same {
            self.drop_unwanted_result();
            return None;
        }
        self.phase = Phase::Ready;
        let mut rows = Builder::default();
        let read = match self.current() {
            Ok(connection) => match connection.rows_at_once(columns.len(), &mut rows) {
                Ok(Some(end)) => Ok(end),
                Ok(None) => connection.rest_of_rows(&mut rows).await,
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        };
        let read = read.and_then(|end| self.current()?.finish_rows(&mut rows, stored).map(|()| end));
        match read {
            Ok(end) => {
                self.outcome.affected_rows = stored.len();
                self.end_of_rows(end);
                found
            }
            Err(_) => {
                self.failed();
                None
            }
        }
    }

    /// False while the handle's transaction or state lives on one node: then a failure is the program's to know.
    pub(super) fn may_move(&self) -> bool {
        self.router.as_deref().is_some_and(|router| {
            let pinned = router.bound.node().is_some() || router.next_transaction.is_some();
            let inside = router.tracker.in_transaction() && router.transaction_node.is_some();
            !pinned && !inside
        })
    }

    /// The last decision failed because there is no source, and one may come.
    pub(super) fn lacks_source(&self) -> bool {
        self.router.as_deref().is_some_and(|router| {
            let recovery = &router.section.recovery;
            router.no_source && (recovery.discover != Discover::File || !recovery.wait.is_zero())
        })
    }

    /// The connects of this statement may go on (`connect_budget_ms`).
    pub(super) fn has_time_to_connect(&self) -> bool {
        self.router.as_deref().is_none_or(|router| router.connects_until.is_none_or(|until| SystemClock.now() < until))
    }

    /// A connection that lay idle for a while may have been closed by its server: it is looked at before it is used, so that
    /// the statement goes to a new one.
    #[inline]
    pub(super) fn notice_idle_end(&mut self, index: usize) {
        let Some(router) = self.router.as_deref() else { return };
        let now = router.now;
        if now.saturating_sub(std::mem::replace(&mut self.nodes[index].used, now)) >= IDLE {
            self.drop_if_spent(index);
        }
    }

    #[cold]
    fn drop_if_spent(&mut self, index: usize) {
        if self.may_move()
            && self.nodes[index].connection().is_some_and(Connection::is_spent)
            && let Some(connection) = self.nodes[index].take()
        {
            connection.abandon(true);
        }
    }

    /// Another result than the one that the program was told of.
    pub(super) fn drop_unwanted_result(&mut self) {
        if let Some(at) = self.at
            && let Some(connection) = self.nodes[at].take()
        {
            connection.quit();
        }
        self.failed();
    }

    /// A command of the API, and not a statement, is repeated as the configuration wants; its head.
    pub(super) async fn command_head(
        &mut self,
        command: crate::conn::Command,
        argument: &[&[u8]],
    ) -> Result<Head, Error> {
        let mut repeats = 0;
        loop {
            self.send_command(command, argument).await?;
            match self.current()?.read_head().await {
                Err(error) if self.is_transient(&error, repeats) => {
                    repeats += 1;
                    self.pause_before_repeating().await;
                }
                head => return head,
            }
        }
    }
}
