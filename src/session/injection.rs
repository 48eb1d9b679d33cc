//! Client-side GTIDs: the statement `on_commit` ahead of what commits, and reading the counter back.
//!
//! Source: mysqlnd_ms, 4.9 of its reference. In front of an autocommit statement on a source, of a commit, and of what
//! commits by itself inside a transaction; nothing on replicas. With `report_error` its reply is awaited, and a failure is
//! the statement's; without, it goes in the same packet and a failure is only counted.

use crate::cluster::topology::{NodeId, Role};
use crate::conn::{Command, Head};
use crate::error::{Error, Sent};
use crate::result::StoredRows;
use crate::route::{Class, Effect, Statement, TransactionControl};
use crate::statistics::{self, Counter};

use super::Session;
use super::awaited::begins;
use super::quality::Refused;
use super::steer::Manner;

/// Why `on_commit` runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Injected {
    /// The statement commits itself.
    Autocommit,
    /// It is the commit of a transaction.
    Commit,
    /// It ends a transaction by the way.
    Implicit,
}

impl Injected {
    fn count(self, success: bool) {
        statistics::count(match (self, success) {
            (Injected::Autocommit, true) => Counter::GtidAutocommitSuccess,
            (Injected::Autocommit, false) => Counter::GtidAutocommitFailure,
            (Injected::Commit, true) => Counter::GtidCommitSuccess,
            (Injected::Commit, false) => Counter::GtidCommitFailure,
            (Injected::Implicit, true) => Counter::GtidImplicitSuccess,
            (Injected::Implicit, false) => Counter::GtidImplicitFailure,
        });
    }
}

impl Session {
    /// Whether `on_commit` has to run on this node ahead of the statement.
    #[inline]
    pub(super) fn injects(&self, node: usize, statement: &Statement) -> Option<Injected> {
        let router = self.router.as_deref()?;
        router.section.injection.as_ref()?.on_commit.as_ref()?;
        self.injects_here(node, statement)
    }

    #[cold]
    fn injects_here(&self, node: usize, statement: &Statement) -> Option<Injected> {
        let router = self.router.as_deref()?;
        if router.section.role_of(NodeId::new(node)?) != Role::Source {
            return None;
        }
        let has = |wanted: &dyn Fn(&Effect) -> bool| statement.effects.iter().any(wanted);
        let commits = has(&|effect| matches!(effect, Effect::Transaction(TransactionControl::Commit { .. })));
        let by_the_way = has(&|effect| matches!(effect, Effect::ImplicitCommit | Effect::SetAutocommit(true)));
        if router.transaction_node.is_some() && router.tracker.in_transaction() {
            let implicit = by_the_way || (begins(statement).is_some() && router.tracker.is_open());
            return if commits { Some(Injected::Commit) } else { implicit.then_some(Injected::Implicit) };
        }
        if !self.carry.autocommit() || router.tracker.in_transaction() {
            return has(&|effect| matches!(effect, Effect::ImplicitCommit)).then_some(Injected::Implicit);
        }
        matches!(statement.class, Class::Write | Class::Unknown | Class::Read).then_some(Injected::Autocommit)
    }

    /// Runs `on_commit` ahead of the statement, or queues it.
    ///
    /// Errors: with `report_error` its failure; the statement has not been sent.
    pub(super) async fn inject(&mut self, node: usize, statement: &Statement, manner: Manner) -> Result<(), Error> {
        let Some(injected) = self.injects(node, statement) else { return Ok(()) };
        let Some(router) = self.router.as_deref() else { return Ok(()) };
        let section = std::sync::Arc::clone(&router.section);
        let Some(injection) = &section.injection else { return Ok(()) };
        let Some(sql) = &injection.on_commit else { return Ok(()) };
        let family = self.options.family;
        let pipelines = self.nodes[node].pipelines;
        let Some(connection) = self.nodes[node].connection_mut() else { return Err(Error::gone(family)) };
        if !injection.report_error && manner == Manner::Pipelined && pipelines {
            connection.queue(Command::Query, &[sql]);
            self.injected = Some(injected);
            self.prelude_replies += 1;
            return Ok(());
        }
        let reply = match connection.send(Command::Query, &[sql]).await {
            Ok(()) => self.read_injected(injected).await,
            Err(error) => Err(error),
        };
        match reply {
            // The program's statement has not left; but it is not tried elsewhere.
            Err(error) if injection.report_error || self.current()?.is_broken() => Err(error.sent(Sent::Yes)),
            _ => Ok(()),
        }
    }

    /// Reads the reply to `on_commit`, with rows if it has any, and counts how it went.
    ///
    /// Errors: the server's; a broken connection.
    pub(super) async fn read_injected(&mut self, injected: Injected) -> Result<(), Error> {
        let mut answer = self.read_one_injected().await;
        while let Ok(more) = answer {
            if !more {
                break;
            }
            answer = self.read_one_injected().await;
        }
        injected.count(answer.is_ok());
        answer.map(|_| ())
    }

    /// One result of `on_commit`; true if another one follows.
    async fn read_one_injected(&mut self) -> Result<bool, Error> {
        const MORE_RESULTS: u16 = 8;
        let connection = self.current()?;
        let status = match connection.read_head().await? {
            Head::Ok(ok) => ok.status,
            Head::ResultSet(_) => connection.skip_rows().await?.status,
            Head::LocalInfile(_) => return Err(connection.malformed()),
        };
        Ok(status & MORE_RESULTS != 0)
    }

    /// `mysqlnd_ms_get_last_gtid`: by `fetch_last_gtid` on the node used last where that is configured; else the GTID that
    /// came with the reply to the last write.
    ///
    /// Errors: those of a statement.
    pub async fn fetch_last_gtid(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let Some(router) = self.router.as_deref() else { return Err(Refused::NotRouted.to_error()) };
        let fetch = router.section.injection.as_ref().and_then(|injection| injection.fetch.clone());
        let Some(fetch) = fetch else { return Ok(self.last_gtid().map(<[u8]>::to_vec)) };
        if self.at.is_none() {
            return Ok(None);
        }
        self.begin().await?;
        let sent = self.current()?.send(Command::Query, &[&fetch]).await;
        sent.inspect_err(|_| self.after_failure())?;
        self.read_reply().await?;
        let mut rows = StoredRows::default();
        if self.store_result(&mut rows).await?.is_none() || rows.is_empty() {
            return Ok(None);
        }
        Ok(rows.value(0, 0))
    }
}
