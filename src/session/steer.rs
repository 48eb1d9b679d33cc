//! How one statement of a routed handle finds its node: classify, decide, open, bring up to date, send.
//!
//! The loop over candidates is the only loop: it goes on only while no byte of the statement has left. Nothing that may
//! have been executed is sent twice.

use std::sync::Arc;

use crate::cluster::config::Stickiness;
use crate::cluster::topology::{NodeId, Role};
use crate::conn::{Command, Connection, Head, PrepareOk};
use crate::error::{Error, Origin, Sent, cr};
use crate::log::{self, DecisionLine};
use crate::result::Columns;
use crate::route::decide::{Decision, Situation, Wanted};
use crate::route::filter::Asked;
use crate::route::{Class, Hint, Server, Statement};

use super::effects::{self, Pending};
use super::execution::Request;
use super::prepared::Prepared;
use super::routed::{Loss, Router};
use super::{Phase, Session};

/// How a statement is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// State that the node lacks may go ahead of a proven read in the same packet.
    Pipelined,
    /// Nothing but the statement's own reply is outstanding afterwards.
    Awaited,
    /// As [`Manner::Awaited`]; and nothing is read yet: what the node has does not matter.
    Preparing,
    /// As [`Manner::Awaited`], on the source: a replica refused the state that the statement relies on.
    OnSource,
}

/// What is sent to a node that is ready for it.
pub(super) enum What<'a> {
    /// The statement's text.
    Text,
    /// Its text, to be prepared if the node does not have it prepared; what the server said of it.
    Prepare(&'a mut Prepared, &'a mut Option<(PrepareOk, Columns)>),
    /// An execution, behind preparing it if need be.
    Execute(&'a mut Prepared, &'a Request<'a>),
}

/// What [`Session::send_routed_at_once`] left to do.
pub(super) enum Rest {
    /// Nothing: the statement has left.
    Nothing,
    /// The rest of the bytes are to be sent.
    Sending(Arc<Statement>, Decision),
    /// The node has to be opened, or brought up to date.
    Carrying(Arc<Statement>, Decision),
    /// Everything.
    All,
}

/// What a statement asks of the decision.
fn wanted(statement: &Statement, manner: Manner) -> (Wanted, bool) {
    if statement.class == Class::Read && manner == Manner::OnSource {
        return (Wanted::Source, false);
    }
    Wanted::by(statement)
}

impl Session {
    /// Sends a statement to the node that it belongs to.
    ///
    /// Errors: 2000 when there is no node; 2006 when what the handle relied on is lost; those of a connect.
    pub(super) async fn send_routed(&mut self, sql: &[u8], manner: Manner) -> Result<(), Error> {
        self.send_routed_as(sql, manner, &mut What::Text).await.map(|_| ())
    }

    /// The same for what is done with a prepared statement. Where it went.
    pub(super) async fn send_routed_as(
        &mut self,
        sql: &[u8],
        manner: Manner,
        what: &mut What<'_>,
    ) -> Result<Decision, Error> {
        if self.must_ask_first(sql) {
            // If no node answers, the statement's own connect says so.
            let _ = self.open_for_call().await;
        }
        let (statement, decision) = self.destination(sql, manner)?;
        self.carry_out(sql, manner, statement, decision, what).await
    }

    /// Where a statement goes now; None when a server has to be asked first what its text means.
    pub(super) fn destination_now(&mut self, sql: &[u8]) -> Result<Option<(Arc<Statement>, Decision)>, Error> {
        if self.must_ask_first(sql) {
            return Ok(None);
        }
        self.destination(sql, Manner::Pipelined).map(Some)
    }

    /// The usual case of [`Session::send_routed`] without a state machine: the node is open, lacks nothing, and takes
    /// the statement in one piece. Otherwise what is left to do.
    pub(super) fn send_routed_at_once(&mut self, sql: &[u8]) -> Result<Rest, Error> {
        if self.must_ask_first(sql) {
            return Ok(Rest::All);
        }
        let (statement, decision) = self.destination(sql, Manner::Pipelined)?;
        let index = decision.node.index();
        let current = self.carry.is_current(&self.nodes[index].versions) && self.asks_nothing(index);
        self.attach_attributes(index);
        match self.nodes[index].connection_mut() {
            Some(connection) if current => {
                if connection.send_at_once(Command::Query, &[sql]) {
                    self.at = Some(index);
                    if let Some(router) = self.router.as_deref_mut() {
                        router.sent(&statement, sql, decision);
                    }
                    Ok(Rest::Nothing)
                } else {
                    Ok(Rest::Sending(statement, decision))
                }
            }
            _ => Ok(Rest::Carrying(statement, decision)),
        }
    }

    /// Goes on where [`Session::send_routed_at_once`] stopped.
    #[cold]
    pub(super) async fn send_routed_rest(&mut self, sql: &[u8], rest: Rest) -> Result<(), Error> {
        let (statement, decision) = match rest {
            Rest::Nothing => return Ok(()),
            Rest::All => return self.send_routed(sql, Manner::Pipelined).await,
            Rest::Carrying(statement, decision) => (statement, decision),
            Rest::Sending(statement, decision) => {
                let index = decision.node.index();
                self.at = Some(index);
                match self.current()?.send_rest(Command::Query, &[sql]).await {
                    Ok(()) => {
                        if let Some(router) = self.router.as_deref_mut() {
                            router.sent(&statement, sql, decision);
                        }
                        return Ok(());
                    }
                    Err(error) => {
                        self.after_failed_send(index, error)?;
                        (statement, decision)
                    }
                }
            }
        };
        self.carry_out(sql, Manner::Pipelined, statement, decision, &mut What::Text).await.map(|_| ())
    }

    /// A send failed on an open connection. Ok as in the loop below: no byte left, so the statement may be sent on a
    /// new one.
    #[cold]
    pub(super) fn after_failed_send(&mut self, index: usize, error: Error) -> Result<(), Error> {
        self.nodes[index].drop_if_broken();
        if error.sent != Sent::No || error.code == cr::NET_PACKET_TOO_LARGE || !self.may_move() {
            return Err(self.lose(error));
        }
        Ok(())
    }

    /// What the statement is, unless it may not be run now.
    pub(super) fn checked_statement(&mut self, sql: &[u8]) -> Result<Arc<Statement>, Error> {
        let statement = self.classified(sql)?;
        self.check_loss_for(&statement)?;
        if let Some(Hint::NotServed(name)) = statement.hint {
            let text = format!("mysqlclient-ms: the hint {name} is not served yet; remove it from the statement");
            return Err(Error::client(cr::UNKNOWN_ERROR, text));
        }
        Ok(statement)
    }

    /// What the statement is and where it goes.
    fn destination(&mut self, sql: &[u8], manner: Manner) -> Result<(Arc<Statement>, Decision), Error> {
        self.follow_configuration();
        let statement = self.checked_statement(sql)?;
        self.warn_of_hint(&statement);
        let decision = self.decide(sql, &statement, manner)?;
        Ok((statement, decision))
    }

    /// A statement has left for its node.
    pub(super) fn note_sent(&mut self, statement: &Statement, sql: &[u8], decision: Decision) {
        if let Some(router) = self.router.as_deref_mut() {
            router.sent(statement, sql, decision);
        }
    }

    /// Brings a statement to the node that was decided on, or to the next one that can be reached.
    pub(super) async fn carry_out(
        &mut self,
        sql: &[u8],
        mut manner: Manner,
        mut statement: Arc<Statement>,
        mut decision: Decision,
        what: &mut What<'_>,
    ) -> Result<Decision, Error> {
        let mut fallbacks = decision.fallbacks;
        let mut node = decision.node;
        let mut reopened = false;
        loop {
            let index = node.index();
            let was_open = self.nodes[index].connection().is_some();
            let knew = self.knows_tracking();
            let mut sent = self.make_ready(index, &statement, manner).await;
            if sent.is_ok() && (self.reads_differently(sql, &statement) || (!knew && self.is_without_gtids())) {
                // The new node has another version or sql_mode than those that were known; or it is the first to tell
                // that there are no GTIDs, and they are needed.
                statement = self.classified(sql)?;
                decision = self.decide(sql, &statement, manner)?;
                fallbacks = decision.fallbacks;
                node = decision.node;
                continue;
            }
            if sent.is_ok() {
                self.at = Some(index);
                sent = self.send_what(index, sql, what).await;
            }
            match sent {
                Ok(()) => break,
                // A statement that is too large is so for every node.
                Err(error) if error.sent == Sent::No && error.code != cr::NET_PACKET_TOO_LARGE => {
                    self.prelude_replies = 0;
                    self.nodes[index].drop_if_broken();
                    if !self.may_move() {
                        return Err(self.lose(error));
                    }
                    if statement.class == Class::Read && manner != Manner::OnSource && refuses_state(&error) {
                        // A replica that lacks the schema lags; the source decides whether it exists.
                        manner = Manner::OnSource;
                        decision = self.decide(sql, &statement, manner)?;
                        fallbacks = decision.fallbacks;
                        node = decision.node;
                        continue;
                    }
                    if was_open && !reopened && self.nodes[index].connection().is_none() {
                        // An idle connection that the server closed says nothing about the node.
                        reopened = true;
                        continue;
                    }
                    match fallbacks.next() {
                        Some(next) => node = next,
                        None => return Err(error),
                    }
                }
                Err(error) => {
                    self.nodes[index].drop_if_broken();
                    self.doubt_after(&statement);
                    return Err(self.lose(error));
                }
            }
        }
        if node != decision.node
            && let Some(router) = self.router.as_deref()
        {
            decision.role = router.section.role_of(node);
            decision.node = node;
        }
        if !matches!(what, What::Prepare(..)) {
            self.note_sent(&statement, sql, decision);
        }
        Ok(decision)
    }

    /// Sends to a node that is open and up to date.
    async fn send_what(&mut self, index: usize, sql: &[u8], what: &mut What<'_>) -> Result<(), Error> {
        match what {
            What::Text => {
                self.ask(index);
                self.attach_attributes(index);
                self.current()?.send(Command::Query, &[sql]).await
            }
            What::Prepare(prepared, described) => {
                if let Some(reply) = self.prepare_on(prepared, index).await? {
                    **described = Some(reply);
                }
                Ok(())
            }
            What::Execute(prepared, request) => {
                self.prepare_on(prepared, index).await?;
                self.ask(index);
                self.send_execution(prepared, request, index).await
            }
        }
    }

    /// A text whose meaning depends on an sql_mode that is not known yet makes the handle ask the source first.
    fn must_ask_first(&self, sql: &[u8]) -> bool {
        let unknown = self
            .router
            .as_deref()
            .is_some_and(|router| !router.context.sql_mode_known && router.context.server == Server::UNKNOWN);
        unknown && self.no_node_is_open() && sql.iter().any(|byte| matches!(byte, b'"' | b'\\'))
    }

    /// The statement, from the cache if its text was seen before.
    fn classified(&mut self, sql: &[u8]) -> Result<Arc<Statement>, Error> {
        let Some(router) = self.router.as_deref_mut() else { return Err(Error::gone(self.options.family)) };
        router.context.no_backslash_escapes = self.outcome.status & NO_BACKSLASH_ESCAPES != 0;
        let schema = self.carry.schema().unwrap_or_default();
        router.context.schema = crate::route::DefaultSchema::by_name(schema);
        Ok(router.cache.classify(sql, &router.context, &router.classify))
    }

    /// Whether what was learned while the node was opened changes what the statement is.
    fn reads_differently(&mut self, sql: &[u8], statement: &Arc<Statement>) -> bool {
        let Some(router) = self.router.as_deref_mut() else { return false };
        if !router.context_changed {
            return false;
        }
        router.context_changed = false;
        router.cache.classify(sql, &router.context, &router.classify).class != statement.class
    }

    fn decide(&mut self, sql: &[u8], statement: &Statement, manner: Manner) -> Result<Decision, Error> {
        let at = self.at;
        let Some(router) = self.router.as_deref_mut() else { return Err(Error::gone(self.options.family)) };
        let (wanted, hinted) = wanted(statement, manner);
        let stays = router.bound.is_some() || router.transaction_node.is_some();
        let freshness = match (statement.hint, statement.class) {
            _ if manner == Manner::Preparing || stays => router.no_freshness(),
            (hint, Class::Read) => {
                let level = if let Some(Hint::Level(level)) = hint { Some(level) } else { None };
                router.freshness(level, manner != Manner::Awaited)
            }
            // A read-only transaction may start on a replica.
            (_, Class::Transaction) => router.freshness(None, false),
            _ => router.no_freshness(),
        };
        let id = |index: Option<usize>| index.and_then(NodeId::new);
        let in_transaction = router.tracker.in_transaction() || !self.carry.autocommit();
        let situation = Situation {
            wanted,
            hinted,
            pinned: id(router.bound.map(|(index, _)| index)),
            in_transaction,
            read_only: router.tracker.is_read_only(),
            transaction_node: id(router.transaction_node),
            last_used: id(at),
            last_write: id(router.last_write),
            used_source: router.used_source,
            freshness,
            failed: router.failed(),
            no_split: router.no_split,
            asked: Some(Asked { sql, statement, schema: self.carry.schema().unwrap_or_default() }),
            now_ms: router.now.as_millis() as u64,
        };
        router.chain.decide(&router.section, &situation, &mut router.random).map_err(|refusal| refusal.to_error())
    }

    /// Opens the node if need be, and sends it the session state that it lacks (the prelude rule): ahead of a proven
    /// read in one packet; ahead of anything else its reply is awaited first.
    async fn make_ready(&mut self, index: usize, statement: &Statement, manner: Manner) -> Result<(), Error> {
        self.question = None;
        if self.nodes[index].connection().is_none() {
            self.open_node(index).await?;
        }
        if self.carry.is_current(&self.nodes[index].versions) {
            return Ok(());
        }
        if !(manner == Manner::Pipelined && statement.class == Class::Read) {
            return self.bring_up_to_date(index).await;
        }
        let steps = self.carry.missing(&self.nodes[index].versions);
        let node = &mut self.nodes[index];
        if let Some(connection) = node.connection_mut() {
            for step in &steps {
                connection.queue(step.command, &[&step.argument]);
            }
            self.prelude_replies = steps.len();
            self.carry.caught_up(&mut node.versions);
        }
        Ok(())
    }

    /// Sends the state that a connection lacks and waits for each reply.
    ///
    /// Errors: the server's for a state that it refuses, with nothing of the statement sent; the connection is closed,
    /// since its state is not known any more.
    pub(super) async fn bring_up_to_date(&mut self, index: usize) -> Result<(), Error> {
        let steps = self.carry.missing(&self.nodes[index].versions);
        let family = self.options.family;
        let mut failure = None;
        for step in &steps {
            let Some(connection) = self.nodes[index].connection_mut() else { return Err(Error::gone(family)) };
            let reply = match connection.send(step.command, &[&step.argument]).await {
                Ok(()) => connection.read_head().await,
                Err(error) => Err(error),
            };
            match reply {
                Ok(Head::Ok(_)) => {}
                Ok(_) => failure = Some(Error::malformed(family)),
                Err(error) => failure = Some(error),
            }
            if failure.is_some() {
                break;
            }
        }
        let node = &mut self.nodes[index];
        match failure {
            None => {
                self.carry.caught_up(&mut node.versions);
                Ok(())
            }
            Some(error) => {
                if let Some(connection) = node.take() {
                    connection.quit();
                }
                Err(error.sent(Sent::No))
            }
        }
    }

    /// Reads the replies to a pipelined prelude. If one failed, the statement's own reply is read and thrown away, and
    /// the connection is closed: the error is the prelude's, and the statement, a read, may be sent elsewhere.
    pub(super) async fn read_prelude_replies(&mut self) -> Result<(), Error> {
        let question = self.question.take();
        let count = std::mem::take(&mut self.prelude_replies) - usize::from(question.is_some());
        let family = self.options.family;
        let mut failure: Option<Error> = None;
        for _ in 0..count {
            match self.current()?.read_head().await {
                Ok(Head::Ok(_)) => {}
                Ok(_) => return Err(self.fail_prelude(Error::malformed(family))),
                Err(error) => {
                    let fatal = self.current()?.is_broken();
                    failure.get_or_insert(error);
                    if fatal {
                        break;
                    }
                }
            }
        }
        match (failure, question) {
            (None, None) => Ok(()),
            (None, Some(question)) => self.read_answer(question).await,
            (Some(error), _) => Err(self.fail_prelude(error)),
        }
    }

    pub(super) fn fail_prelude(&mut self, error: Error) -> Error {
        if let Some(at) = self.at
            && let Some(connection) = self.nodes[at].take()
        {
            connection.quit();
        }
        self.failed();
        let is_replica = |router: &Router| {
            self.at.and_then(NodeId::new).is_some_and(|node| router.section.role_of(node) == Role::Replica)
        };
        let on_replica = self.router.as_deref().is_some_and(is_replica);
        self.again = on_replica.then_some(Manner::OnSource);
        error.sent(Sent::No)
    }

    /// Tells the log of a hint that was not followed.
    fn warn_of_hint(&self, statement: &Statement) {
        if statement.hint == Some(Hint::Replica)
            && statement.class != Class::Read
            && let Some(router) = self.router.as_deref()
        {
            let text = format!("the hint ms=slave was not followed: {}", statement.reason.text);
            log::get().message(log::Level::Warning, router.handle_number, &text);
        }
    }

    /// False while the handle's transaction or state lives on one node: then a failure is the program's to know.
    fn may_move(&self) -> bool {
        self.router.as_deref().is_some_and(|router| {
            router.bound.is_none() && !(router.tracker.in_transaction() && router.transaction_node.is_some())
        })
    }

    /// The error, after [`Session::note_loss`].
    fn lose(&mut self, error: Error) -> Error {
        self.note_loss();
        error
    }

    /// Notes what the handle lost with a connection, so that the program cannot go on as if it were there.
    fn note_loss(&mut self) {
        let Some(router) = self.router.as_deref_mut() else { return };
        let open = |index: usize| self.nodes[index].connection().is_some();
        if router.bound.is_some_and(|(index, _)| !open(index)) {
            router.lost = Some(Loss::Bound);
        } else if router.transaction_node.is_some_and(|index| !open(index)) && router.tracker.in_transaction() {
            router.lost = Some(Loss::Transaction);
        }
    }

    /// 2006 while a loss is not acknowledged.
    pub(super) fn check_lost(&self) -> Result<(), Error> {
        match self.router.as_deref().and_then(|router| router.lost) {
            None => Ok(()),
            Some(_) => Err(Error::gone(self.options.family)),
        }
    }

    /// The same for a statement: ROLLBACK acknowledges a lost transaction, without a word to any server.
    fn check_loss_for(&mut self, statement: &Statement) -> Result<(), Error> {
        use crate::route::{Effect, TransactionControl};
        let Some(router) = self.router.as_deref_mut() else { return Ok(()) };
        let rollback = statement
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Transaction(TransactionControl::Rollback { .. })));
        if router.lost == Some(Loss::Transaction) && rollback {
            router.forget_transaction();
        }
        self.check_lost()
    }

    /// A statement succeeded, or the last row of its result came.
    pub(super) fn observe_routed(&mut self) {
        let Some(at) = self.at else { return };
        let status = self.outcome.status;
        let Some(router) = self.router.as_deref_mut() else { return };
        let pending = std::mem::take(&mut router.pending);
        let node = &mut self.nodes[at];
        for effect in &pending {
            effects::record(effect, &mut self.carry, &mut node.versions);
            match effect {
                Pending::Bind(what) => router.bound = Some((at, what)),
                Pending::InsertId => router.last_write = Some(at),
                Pending::Charset(_, Some(name)) => router.context.charset = crate::route::Charset::by_name(name),
                Pending::Charset(_, None) => router.context.charset = crate::route::Charset::Unknown,
                Pending::Schema(_) | Pending::Autocommit(_) | Pending::Closes => {}
            }
        }
        if router.writes {
            router.last_write = Some(at);
            let tells = self.outcome.field_count == 0 || node.connection().is_some_and(Connection::deprecates_eof);
            router.note_written(at, tells);
        }
        if self.phase == Phase::Ready {
            if status & super::MORE_RESULTS == 0 {
                router.in_flight = None;
            }
            router.tracker.after(status);
            router.follow_transaction(at);
        }
    }

    /// A statement failed: what it would have done was not done, but for what the flags say.
    pub(super) fn observe_routed_failure(&mut self) {
        let Some(router) = self.router.as_deref_mut() else { return };
        router.pending.clear();
        let broke = self.at.is_none_or(|at| self.nodes[at].connection().is_none());
        if broke && (router.writes || router.tracker.in_transaction()) {
            router.promise.doubt();
        }
        router.in_flight = None;
        router.tracker.after_error();
        self.note_loss();
    }

    /// `mysql_reset_connection` and the like: nothing is bound, open or lost any more.
    pub(super) fn observe_reset(&mut self) {
        if let Some(router) = self.router.as_deref_mut() {
            router.bound = None;
            router.lost = None;
            router.last_write = None;
            router.forget_transaction();
        }
    }

    /// The handle's connections belong to another process now: what was open there is lost here.
    pub(super) fn observe_abandoned(&mut self) {
        if let Some(router) = self.router.as_deref_mut() {
            router.in_flight = None;
        }
        self.note_loss();
    }

    /// No transaction of this handle is open on any node, and its source has not been reached: an API call that ends or
    /// switches transactions has nothing to do.
    pub(super) fn nothing_to_end(&self) -> bool {
        self.router.as_deref().is_some_and(|router| {
            let idle = router.transaction_node.is_none() && router.lost.is_none() && router.bound.is_none();
            idle && router.section.sources.iter().all(|node| self.nodes[node.index()].connection().is_none())
        })
    }

    /// autocommit was switched without asking a server: the status bits that programs read follow.
    pub(super) fn set_autocommit_status(&mut self, enabled: bool) {
        const AUTOCOMMIT: u16 = 2;
        if enabled {
            self.outcome.status |= AUTOCOMMIT;
        } else {
            self.outcome.status &= !AUTOCOMMIT;
        }
    }
}

impl Router {
    /// A statement has left for its node.
    fn sent(&mut self, statement: &Statement, sql: &[u8], decision: Decision) {
        self.promise.sent();
        self.pending = effects::pending(statement, sql);
        self.writes = matches!(statement.class, Class::Write | Class::Unknown);
        self.in_flight = self.section.balance.sent(decision.node, self.measures.then_some(self.now));
        self.used_source |= decision.role == Role::Source;
        self.tracker.before(statement);
        if self.tracker.in_transaction() && self.section.trx_stickiness != Stickiness::Disabled {
            self.transaction_node.get_or_insert(decision.node.index());
        }
        self.decision = Some((decision, statement.class.as_str(), statement.reason.text));
        self.context_changed = false;
        let log = log::get();
        if log.is_on(log::Level::Decision) {
            log.decision(&DecisionLine {
                handle: self.handle_number,
                node: &self.label(decision.node.index()),
                role: decision.role.name(),
                reason: &self.reason(&decision, statement.reason.text),
                sql,
            });
        }
    }

    /// Why, in words: the statement's own reason where the class decided; the filter's words where it had a choice.
    pub(super) fn reason(&self, decision: &Decision, statement: &str) -> String {
        use crate::route::decide::Reason;
        let nodes = match decision.role {
            Role::Source => self.section.sources,
            Role::Replica => self.section.replicas,
        };
        let why = match decision.reason {
            Reason::Read | Reason::Write => statement.to_owned(),
            other => format!("{}: {statement}", other.text()),
        };
        if decision.how.is_empty() || nodes.len() < 2 { why } else { format!("{why}; {}", decision.how) }
    }

    /// Keeps, takes or lets go of the transaction's node after a reply.
    fn follow_transaction(&mut self, at: usize) {
        if self.tracker.in_transaction() {
            self.transaction_node.get_or_insert(at);
        } else {
            self.transaction_node = None;
        }
    }

    /// The transaction is over without a reply of its server.
    pub(super) fn forget_transaction(&mut self) {
        self.tracker.lost();
        self.transaction_node = None;
        if self.lost == Some(Loss::Transaction) {
            self.lost = None;
        }
    }
}

/// A server that does not have (or not yet, or not for this account) what the session's state names: schema, character
/// set, collation.
fn refuses_state(error: &Error) -> bool {
    const BAD_DB: u32 = 1049;
    const DB_ACCESS_DENIED: u32 = 1044;
    const UNKNOWN_CHARACTER_SET: u32 = 1115;
    const UNKNOWN_COLLATION: u32 = 1273;
    error.origin == Origin::Server
        && matches!(error.code, BAD_DB | DB_ACCESS_DENIED | UNKNOWN_CHARACTER_SET | UNKNOWN_COLLATION)
}

/// `SERVER_STATUS_NO_BACKSLASH_ESCAPES`.
const NO_BACKSLASH_ESCAPES: u16 = 0x200;
