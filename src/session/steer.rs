//! How one statement of a routed handle finds its node: classify, decide, open, bring up to date, send.
//!
//! The loop over candidates is the only loop: it goes on only while no byte of the statement has left. Nothing that may
//! have been executed is sent twice.

use std::sync::Arc;

use crate::cluster::config::Stickiness;
use crate::cluster::topology::{NodeId, Role};
use crate::conn::{Command, Endpoint, PrepareOk};
use crate::error::{Error, Origin, Sent, cr};
use crate::log::{self, DecisionLine};
use crate::result::Columns;
use crate::route::decide::{self, Decision, Fallbacks};
use crate::route::{Class, Effect, Hint, Server, Statement, TransactionControl};
use crate::statistics;

use super::awaited::{Awaited, is_rollback};
use super::carry::Part;
use super::discover::Search;
use super::effects;
use super::execution::Request;
use super::nodes::Node;
use super::prelude::{changes_tracking, refuses_state};
use super::prepared::Prepared;
use super::routed::{Loss, Router};
use super::{Session, published, tally};

/// How a statement is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// State that the node lacks may go ahead of a proven read in the same packet.
    Pipelined,
    /// Nothing but the statement's own reply is outstanding afterwards.
    Awaited,
    /// As [`Manner::Awaited`]; what a replica has to be asked ahead of the read is asked and answered before.
    Alone,
    /// As [`Manner::Awaited`]; and nothing is read yet: what the node has does not matter.
    Preparing,
    /// As [`Manner::Awaited`], on the source: a replica refused the state that the statement relies on.
    OnSource,
    /// As [`Manner::Awaited`], on another replica than the node used last, and nowhere else.
    Elsewhere,
    /// As [`Manner::Awaited`], on the node used last.
    Again,
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

/// The node of the one connection of this process that a KILL means; None if there is none.
///
/// Errors: 1094 when several nodes gave the same id.
pub(super) fn holder_of(nodes: &[Node], thread: u64) -> Result<Option<NodeId>, Error> {
    let place = |server: &Endpoint| nodes.iter().position(|node| node.target.endpoint == *server);
    match published::servers_of(thread, |server| place(server).is_some())[..] {
        [] => Ok(None),
        [ref server] => Ok(place(server).and_then(NodeId::new)),
        _ => Err(unknown_thread(thread)),
    }
}

/// What the server says of an id that it does not know.
pub(super) fn unknown_thread(thread: u64) -> Error {
    Error::client(1094, format!("Unknown thread id: {thread}"))
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
        self.follow_configuration();
        if self.is_to_ask_for_roles() {
            self.follow_roles().await;
        }
        let (mut search, mut measured) = (Search::default(), false);
        let (statement, decision) = loop {
            match self.destination_slowly(sql, manner) {
                Err(_) if self.lacks_source() && self.look_for_source(&mut search, None, None).await => {}
                Ok(_) if !measured && self.lacks_lags() => {
                    measured = true;
                    self.measure_lags().await;
                }
                found => break found?,
            }
        };
        self.carry_out(sql, manner, statement, decision, what).await
    }

    /// Where a statement goes now; None when a server has to be asked first what its text means.
    pub(super) fn destination_now(&mut self, sql: &[u8]) -> Result<Option<(Arc<Statement>, Decision)>, Error> {
        self.follow_configuration();
        if self.must_ask_first(sql) || self.is_to_ask_for_roles() {
            return Ok(None);
        }
        let found = match self.destination_slowly(sql, Manner::Pipelined) {
            Err(_) if self.lacks_source() => return Ok(None),
            found => found?,
        };
        let leaves = self.router.as_deref().is_some_and(|router| router.leaves.is_some());
        Ok((!leaves && !self.lacks_lags()).then_some(found))
    }

    /// The usual case of [`Session::send_routed`] without a state machine: the node is open, lacks nothing, and takes
    /// the statement in one piece. Otherwise what is left to do.
    pub(super) fn send_routed_at_once(&mut self, sql: &[u8]) -> Result<Rest, Error> {
        if self.must_ask_first(sql) {
            return Ok(Rest::All);
        }
        let (statement, decision) = match self.destination(sql, Manner::Pipelined) {
            Err(_) if self.lacks_source() => return Ok(Rest::All),
            found => found?,
        };
        if self.lacks_lags() || self.is_to_ask_for_roles() {
            return Ok(Rest::All);
        }
        let index = decision.node.index();
        self.notice_idle_end(index);
        let leaves = self.router.as_deref().is_some_and(|router| router.leaves.is_some());
        let current = self.carry.is_current(&self.nodes[index].versions)
            && self.asks_nothing(index)
            && !self.is_monotonic()
            && self.injects(index, &statement).is_none()
            && !leaves
            && !(statement.class == Class::Session && changes_tracking(&statement));
        self.attach_attributes(index);
        match self.nodes[index].connection_mut() {
            Some(connection) if current => {
                if connection.send_at_once(Command::Query, &[sql]) {
                    self.at = Some(index);
                    if let Some(router) = self.router.as_deref_mut() {
                        router.sent(&statement, sql, decision, self.carry.schema().unwrap_or_default());
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
                        self.note_sent(&statement, sql, decision);
                        return Ok(());
                    }
                    Err(error) => {
                        self.after_failed_send(index, error).inspect_err(|_| self.acknowledge_by(&statement))?;
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
    #[inline(always)]
    pub(super) fn checked_statement(&mut self, sql: &[u8]) -> Result<Arc<Statement>, Error> {
        let statement = self.classified(sql)?;
        self.check_loss_for(&statement)?;
        if let Some(hint) = statement.hint {
            self.check_hint(hint)?;
        }
        Ok(statement)
    }

    /// Errors: 2000 for a hint that is not served, not allowed here, or has no value.
    fn check_hint(&self, hint: Hint) -> Result<(), Error> {
        let allowed = self.router.as_deref().is_some_and(|router| router.section.hints.arguments);
        let name = hint.name();
        let text = match hint {
            Hint::NotServed(_) => {
                format!("mysqlclient-ms: the hint {name} is not served yet; remove it from the statement")
            }
            _ if hint.has_argument() && !allowed => format!(
                "mysqlclient-ms: the hint {name} carries a value, which this section does not allow; give it \
                 \"hints\": {{\"arguments\": true}}"
            ),
            Hint::Malformed(_) => format!("mysqlclient-ms: the hint {name} has no usable value"),
            _ => return Ok(()),
        };
        Err(Error::client(cr::UNKNOWN_ERROR, text))
    }

    /// What the statement is and where it goes.
    #[inline(always)]
    fn destination(&mut self, sql: &[u8], manner: Manner) -> Result<(Arc<Statement>, Decision), Error> {
        self.follow_configuration();
        let statement = self.checked_statement(sql)?;
        self.warn_of_hint(&statement);
        if statistics::is_on() {
            tally::asked(&statement, self.router.as_deref().is_some_and(|router| router.no_split));
        }
        let decision = self.decide(sql, &statement, manner)?;
        Ok((statement, decision))
    }

    /// [`Session::destination`], once for everybody but the usual case.
    #[inline(never)]
    fn destination_slowly(&mut self, sql: &[u8], manner: Manner) -> Result<(Arc<Statement>, Decision), Error> {
        self.destination(sql, manner)
    }

    /// A statement has left for its node.
    pub(super) fn note_sent(&mut self, statement: &Statement, sql: &[u8], decision: Decision) {
        if let Some(router) = self.router.as_deref_mut() {
            router.sent(statement, sql, decision, self.carry.schema().unwrap_or_default());
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
        let mut fallbacks = self.fallbacks(manner);
        let mut node = decision.node;
        let mut reopened = false;
        let mut checked = false;
        let mut doubted = false;
        let mut search = Search::default();
        if let Some(router) = self.router.as_deref_mut() {
            router.refused = None;
            router.connects_until = router.section.recovery.budget.map(|budget| router.now + budget);
        }
        loop {
            let index = node.index();
            let was_open = self.nodes[index].connection().is_some();
            let knew = self.knows_tracking();
            let mut sent = if was_open { Ok(()) } else { self.open_node(index).await };
            if sent.is_ok() && !was_open && !checked && self.may_move() && !matches!(what, What::Prepare(..)) {
                checked = true;
                if self.check_roles_of_new(index).await {
                    (decision, fallbacks, node) = self.decide_again(sql, &statement, manner)?;
                    continue;
                }
            }
            if sent.is_ok() && (self.reads_differently(sql, &statement) || (!knew && self.is_without_gtids())) {
                // The new node has another version or sql_mode than those that were known; or it is the first to tell
                // that there are no GTIDs, and they are needed.
                statement = self.classified(sql)?;
                (decision, fallbacks, node) = self.decide_again(sql, &statement, manner)?;
                continue;
            }
            if sent.is_ok() && !was_open && !doubted && statement.class == Class::Read && self.is_doubtful(index) {
                doubted = true;
                (decision, fallbacks, node) = self.decide_again(sql, &statement, manner)?;
                continue;
            }
            if sent.is_ok() && self.nodes[index].owes {
                // From a read whose reply was thrown away.
                self.settle().await;
                sent = if self.nodes[index].connection().is_some() { Ok(()) } else { self.open_node(index).await };
            }
            if sent.is_ok() {
                sent = self.make_ready(index, &statement, manner).await;
            }
            // A transaction's snapshot is made by its first statement: what it has to see is waited for before.
            let asks_first = matches!(manner, Manner::Alone | Manner::Awaited)
                || decision.reason == decide::Reason::ReadOnlyTransactionStart
                || !self.nodes[index].pipelines;
            let asked = sent.is_ok() && asks_first && !self.asks_nothing(index);
            if asked {
                self.at = Some(index);
                sent = self.ask_before(index).await;
                if sent.is_err()
                    && let Some(other) = self.again.take()
                {
                    manner = other;
                    (decision, fallbacks, node) = self.decide_again(sql, &statement, manner)?;
                    continue;
                }
            }
            if sent.is_ok() {
                self.at = Some(index);
                sent = self.send_what(index, sql, &statement, (manner, asked), what).await;
            }
            match sent {
                Ok(()) => break,
                // A statement that is too large is so for every node.
                Err(error) if error.sent == Sent::No && error.code != cr::NET_PACKET_TOO_LARGE => {
                    self.prelude_replies = 0;
                    self.nodes[index].drop_if_broken();
                    if !self.may_move() {
                        let error = self.lose(error);
                        self.acknowledge_by(&statement);
                        return Err(error);
                    }
                    let refused = self.router.as_deref_mut().and_then(|router| router.refused.take());
                    let movable =
                        statement.class == Class::Read || decision.reason == decide::Reason::ReadOnlyTransactionStart;
                    let free = !matches!(manner, Manner::OnSource | Manner::Elsewhere);
                    if movable && free && (refused.is_some() || refuses_state(&error)) {
                        if refused.is_some_and(|part| part != Part::Schema) && self.exclude(index, &error) {
                            // Another replica may take it.
                        } else {
                            // A replica that lacks the schema lags; the source decides whether it exists.
                            manner = Manner::OnSource;
                        }
                        (decision, fallbacks, node) = self.decide_again(sql, &statement, manner)?;
                        continue;
                    }
                    if was_open && !reopened && self.nodes[index].connection().is_none() {
                        // An idle connection that the server closed says nothing about the node.
                        reopened = true;
                        continue;
                    }
                    if manner != Manner::OnSource && self.gives_up_on_late(index) {
                        manner = Manner::Awaited;
                        (decision, fallbacks, node) = self.decide_again(sql, &statement, manner)?;
                        continue;
                    }
                    let next = if self.has_time_to_connect() { fallbacks.next() } else { None };
                    match next {
                        Some(next) => node = next,
                        None if decision.role == Role::Source
                            && error.origin == Origin::Client
                            && !matches!(manner, Manner::Elsewhere | Manner::Again)
                            && self.look_for_source(&mut search, Some(index), None).await =>
                        {
                            reopened = false;
                            if let Some(router) = self.router.as_deref_mut() {
                                router.connects_until =
                                    router.section.recovery.budget.map(|budget| router.now + budget);
                            }
                            (decision, fallbacks, node) = self.decide_again(sql, &statement, manner)?;
                        }
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
        if let Some(router) = self.router.as_deref_mut() {
            router.connects_until = None;
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

    /// See [`Router::is_doubtful`]. What a transaction reads was settled when it began.
    fn is_doubtful(&self, index: usize) -> bool {
        self.may_move() && self.router.as_deref().is_some_and(|router| router.is_doubtful(index))
    }

    /// Something that the decision depends on has changed: the node now, and what is tried behind it.
    fn decide_again(
        &mut self,
        sql: &[u8],
        statement: &Statement,
        manner: Manner,
    ) -> Result<(Decision, Fallbacks, NodeId), Error> {
        let decision = self.decide(sql, statement, manner)?;
        Ok((decision, self.fallbacks(manner), decision.node))
    }

    /// Sends to a node that is open and up to date. `asked`: what it had to be asked has been answered.
    async fn send_what(
        &mut self,
        index: usize,
        sql: &[u8],
        statement: &Statement,
        (manner, asked): (Manner, bool),
        what: &mut What<'_>,
    ) -> Result<(), Error> {
        match what {
            What::Text => {
                self.inject(index, statement, manner).await?;
                if !asked {
                    self.ask(index);
                }
                self.attach_attributes(index);
                if self.asks_behind(index, statement, manner, false) {
                    self.current()?.queue(Command::Query, &[sql]);
                    return self.send_behind(index).await;
                }
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
                self.inject(index, statement, manner).await?;
                if !asked {
                    self.ask(index);
                }
                let behind = self.asks_behind(index, statement, manner, request.flags != 0);
                self.send_execution(prepared, request, index, behind).await
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
    #[inline(always)]
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

    /// Tells the log of a hint that was not followed.
    #[inline]
    fn warn_of_hint(&self, statement: &Statement) {
        if statement.hint == Some(Hint::Replica)
            && statement.class != Class::Read
            && let Some(router) = self.router.as_deref()
            && !router.section.hints.force
        {
            let text = format!("the hint ms=slave was not followed: {}", statement.reason.text);
            log::get().message(log::Level::Warning, router.handle_number, &text);
        }
    }

    /// What is tried behind the node decided on last.
    pub(super) fn fallbacks(&self, manner: Manner) -> Fallbacks {
        let Some(router) = self.router.as_deref() else { return Fallbacks::NONE };
        let fallbacks = router.chain.fallbacks();
        if manner == Manner::Elsewhere { fallbacks.within(router.section.replicas_now()) } else { fallbacks }
    }

    /// The error, after [`Session::note_loss`].
    fn lose(&mut self, error: Error) -> Error {
        self.note_loss();
        error
    }

    /// A ROLLBACK that could not be sent is no less an acknowledgement that its transaction is lost.
    #[cold]
    fn acknowledge_by(&mut self, statement: &Statement) {
        if is_rollback(statement)
            && let Some(router) = self.router.as_deref_mut()
            && router.lost == Some(Loss::Transaction)
        {
            router.forget_transaction();
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
        let Some(router) = self.router.as_deref_mut() else { return Ok(()) };
        let rollback = statement
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Transaction(TransactionControl::Rollback { .. })));
        if router.lost == Some(Loss::Transaction) && rollback {
            router.next_transaction = None;
            router.forget_transaction();
        }
        self.check_lost()
    }
}

impl Router {
    /// A statement has left for its node.
    #[inline(always)]
    fn sent(&mut self, statement: &Statement, sql: &[u8], decision: Decision, schema: &[u8]) {
        self.promise.sent();
        if self.promise.tables.is_some() {
            self.note_tables(statement, sql, schema);
        }
        let read = statement.class == Class::Read && statement.effects.is_empty();
        if read && !statement.needs.set_var_hint && self.next_transaction.is_none() {
            if !self.awaits_plain_read {
                self.pending.clear();
                self.awaited = Awaited::default();
                self.awaits_plain_read = true;
            }
        } else {
            self.pending = effects::pending(statement, sql, &self.context, schema);
            self.awaited = Awaited::of(statement, self.next_transaction.is_some());
            self.awaited.inside = self.tracker.is_open();
            self.awaits_plain_read = false;
        }
        let alone = !self.tracker.in_transaction() && self.bound.node().is_none();
        self.rerun.keep(sql, statement, read && alone && self.section.recovery.retry_reads);
        self.in_flight = self.section.balance.sent(decision.node, self.measures.then_some(self.now));
        if statistics::is_on() {
            self.tally_sent(&decision);
        }
        self.used_source |= decision.role == Role::Source;
        self.tracker.before(statement);
        let detached = self.section.replicas_until_write && decision.role == Role::Replica && !self.tracker.is_open();
        if self.tracker.in_transaction() && self.section.trx_stickiness != Stickiness::Disabled && !detached {
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
            Role::Source => self.section.sources_now(),
            Role::Replica => self.section.replicas_now(),
        };
        let why = match decision.reason {
            Reason::Read | Reason::Write => statement.to_owned(),
            Reason::Pinned if self.bound.why().is_some() => {
                format!("{}: {statement}", self.bound.why().unwrap_or_default())
            }
            other => format!("{}: {statement}", other.text()),
        };
        if decision.how.is_empty() || nodes.len() < 2 { why } else { format!("{why}; {}", decision.how) }
    }

    /// Keeps, takes or lets go of the transaction's node after a reply.
    pub(super) fn follow_transaction(&mut self, at: usize) {
        if self.tracker.is_open() {
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

/// `SERVER_STATUS_NO_BACKSLASH_ESCAPES`.
const NO_BACKSLASH_ESCAPES: u16 = 0x200;
