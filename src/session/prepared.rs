//! Prepared statements: one for the program, prepared on each node where it runs.
//!
//! A plain handle has one node; there a statement lives and dies with its connection, as with the originals. A routed
//! handle keeps the text and prepares it again wherever it is executed first. Values and types of parameters come
//! encoded; rows leave as they came. Never touches pointers.

mod home;

use std::sync::Arc;

use crate::conn::{Command, Connection, ExecutionHead, Head, PrepareOk, SeenHead, statement};
use crate::error::{Error, Origin, Sent};
use crate::options::Family;
use crate::result::{BinaryRows, Columns};
use crate::route::Statement;
use crate::route::decide::Decision;

use super::execution::Request;
use super::kept::Kept;
use super::nodes::Node;
use super::reading::Reading;
use super::recover::Tries;
use super::steer::{Manner, What};
use super::{Phase, Session};

/// `SERVER_STATUS_CURSOR_EXISTS`.
const CURSOR_EXISTS: u16 = 1 << 6;

/// The server's error for a statement that it does not know.
const UNKNOWN_STATEMENT: u32 = 1243;

/// A statement as the program knows it.
#[derive(Debug, Default)]
pub struct Prepared {
    sql: Arc<[u8]>,
    /// Where it is prepared; nearly always one or two nodes.
    instances: Vec<Instance>,
    /// Where it was executed last, or where its long data went: its cursor and long data are there.
    home: Option<usize>,
    /// What the server read the text under.
    reading: Reading,
    /// What we read it under, on a routed handle: read otherwise now, nothing is proven of it.
    lexing: Lexing,
    /// The id that a server gave last.
    last_id: u32,
    /// Long data was sent for the next execution, which has to follow it there.
    committed: Option<Decision>,
    /// The handle's numbering of nodes that all of this goes by.
    numbering: u32,
    /// The last execution, if it is a read that may run again.
    pub(super) kept: Kept,
    /// The head of the last execution's reply, on a handle that does not route.
    seen: SeenHead,
    /// Its reply began with columns, and an error came behind them: of executions that ask for a cursor.
    pub(super) broke_off: bool,
}

/// ANSI_QUOTES, NO_BACKSLASH_ESCAPES, ORACLE.
type Lexing = [bool; 3];

/// A statement on one connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instance {
    node: usize,
    /// The connection's.
    era: u64,
    pub(super) id: u32,
    /// The server knows the types of the parameters.
    pub(super) knows_types: bool,
}

/// How an execution went.
#[derive(Debug)]
pub struct Executed {
    /// The result's columns.
    pub shape: Shape,
    /// Where the rows are.
    pub rows: RowsAre,
    /// `SERVER_STATUS_*` before rows were read that had to be: what libmysqlclient's statement shows.
    pub status_before_rows: Option<u16>,
}

/// The columns that an execution has brought.
#[derive(Debug)]
pub enum Shape {
    /// None: a statement without a result.
    Nothing,
    /// The same as the execution before, to the byte.
    Same,
    /// These.
    New(Columns),
}

impl Shape {
    /// There is no result.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Shape::Nothing)
    }
}

/// Where the rows of an execution are.
#[derive(Debug)]
pub enum RowsAre {
    /// There is no result.
    Nowhere,
    /// They wait in the connection.
    Waiting,
    /// In a cursor of the server.
    InCursor,
    /// Here: a cursor was asked for, and the server sent the rows instead.
    Here(Box<BinaryRows>),
}

impl Prepared {
    /// The server's id on the connection used last; 0 before the statement is prepared.
    pub fn id(&self) -> u32 {
        let home = self.instances.iter().find(|instance| Some(instance.node) == self.home);
        home.or(self.instances.last()).map_or(0, |instance| instance.id)
    }

    #[inline]
    fn on(&self, node: usize, era: Option<u64>) -> Option<Instance> {
        self.instances.iter().find(|instance| instance.node == node && Some(instance.era) == era).copied()
    }

    /// The last execution's error came behind the columns of its result.
    pub fn broke_off(&self) -> bool {
        self.broke_off
    }

    /// The program sees other columns than those of the last execution.
    pub fn forget_shape(&mut self) {
        self.seen.forget();
    }

    /// Its text.
    pub(super) fn text(&self) -> Arc<[u8]> {
        Arc::clone(&self.sql)
    }

    /// It was executed on this node.
    pub(super) fn moved_to(&mut self, node: Option<usize>) {
        self.home = node;
        if let Some(node) = node {
            self.types_are_known(node);
        }
    }

    /// What a program asks for that has not prepared anything: the server will refuse it.
    fn unprepared(&self) -> Option<Instance> {
        let unknown = Instance { node: 0, era: 0, id: self.last_id, knows_types: false };
        self.instances.is_empty().then_some(unknown)
    }

    /// The program says that its statement has another id than the server gave: so does its next execution.
    pub fn claim_id(&mut self, id: u32) {
        for instance in &mut self.instances {
            instance.id = id;
        }
        self.last_id = id;
    }

    fn forget(&mut self, node: usize) {
        self.instances.retain(|instance| instance.node != node);
    }

    pub(super) fn types_are_known(&mut self, node: usize) {
        for instance in &mut self.instances {
            instance.knows_types = instance.node == node;
        }
    }
}

impl Session {
    /// `mysql_stmt_prepare`. Routed: on the node that would execute the statement now. `prepared` is a new one.
    ///
    /// Errors: as for a statement.
    pub async fn prepare(&mut self, prepared: &mut Prepared, sql: &[u8]) -> Result<(PrepareOk, Columns), Error> {
        let columns = self.outcome.field_count;
        self.begin().await?;
        prepared.sql = sql.into();
        prepared.numbering = self.numbering;
        prepared.reading = self.reading_of(sql);
        let described = if self.router.is_some() {
            let mut described = None;
            let mut tries = Tries::default();
            loop {
                let what = &mut What::Prepare(prepared, &mut described);
                match self.send_routed_as(sql, Manner::Preparing, what).await {
                    Err(error) if Box::pin(self.may_prepare_again(&error, &mut tries)).await => {}
                    sent => {
                        sent?;
                        break;
                    }
                }
            }
            match described {
                Some(described) => described,
                None => return Err(Error::gone(self.options.family)),
            }
        } else {
            self.send_plain(Command::StmtPrepare, &[sql]).await?;
            self.at = Some(0);
            if self.options.family == Family::MySql {
                // Whatever the answer is.
                self.outcome.field_count = 0;
                self.outcome.warnings = 0;
            }
            self.read_prepared(prepared, 0).await?
        };
        prepared.lexing = self.lexing();
        self.outcome.warnings = u32::from(described.0.warnings);
        match self.options.family {
            Family::MySql => {
                self.outcome.field_count = 0;
                if !described.1.is_empty() {
                    self.conclude_transaction();
                }
            }
            Family::MariaDb => {
                self.outcome.field_count = columns;
                if (described.0.parameters > 0 || !described.1.is_empty())
                    && let Some(end) = self.connection().and_then(Connection::columns_end)
                {
                    self.outcome.status = end.status;
                }
            }
        }
        Ok(described)
    }

    /// How texts are read now.
    fn lexing(&self) -> Lexing {
        self.router.as_deref().map_or([false; 3], |router| {
            [router.context.ansi_quotes, self.no_backslash_escapes(), router.context.oracle_mode]
        })
    }

    /// Reads the reply to COM_STMT_PREPARE.
    async fn read_prepared(&mut self, prepared: &mut Prepared, node: usize) -> Result<(PrepareOk, Columns), Error> {
        match self.current()?.read_prepared().await {
            Ok(described) => {
                prepared.forget(node);
                if let Some(era) = self.nodes[node].era() {
                    let id = described.0.id;
                    prepared.last_id = id;
                    prepared.instances.push(Instance { node, era, id, knows_types: false });
                }
                Ok(described)
            }
            Err(error) => {
                self.failed();
                Err(error)
            }
        }
    }

    /// Makes sure that the statement is prepared on an open node. The server's reply, if it had to be asked.
    ///
    /// Errors: the server's refusal; a broken connection, of which nothing was executed.
    pub(super) async fn prepare_on(
        &mut self,
        prepared: &mut Prepared,
        node: usize,
    ) -> Result<Option<(PrepareOk, Columns)>, Error> {
        self.renumber(prepared);
        if prepared.on(node, self.nodes[node].era()).is_some() {
            return Ok(None);
        }
        let (now, then) = (self.reading_of(&prepared.sql), prepared.reading.clone());
        if now == then || self.router.is_none() {
            return self.ask_to_prepare(prepared, node).await.map(Some).map_err(not_executed);
        }
        self.read_under(node, &now, &then).await.map_err(not_executed)?;
        let described = self.ask_to_prepare(prepared, node).await;
        let back = self.read_under(node, &then, &now).await;
        let described = described.map_err(not_executed)?;
        back.map_err(not_executed)?;
        Ok(Some(described))
    }

    async fn ask_to_prepare(&mut self, prepared: &mut Prepared, node: usize) -> Result<(PrepareOk, Columns), Error> {
        let sql = Arc::clone(&prepared.sql);
        let family = self.options.family;
        let Some(connection) = self.nodes[node].connection_mut() else { return Err(Error::gone(family)) };
        connection.send(Command::StmtPrepare, &[&sql]).await?;
        if self.prelude_replies > 0 {
            self.read_prelude_replies().await?;
        }
        self.read_prepared(prepared, node).await
    }

    /// Sends an execution to a node on which the statement is prepared.
    pub(super) async fn send_execution(
        &mut self,
        prepared: &mut Prepared,
        request: &Request<'_>,
        node: usize,
        asks_behind: bool,
    ) -> Result<(), Error> {
        let family = self.options.family;
        let Some(instance) = prepared.on(node, self.nodes[node].era()) else { return Err(Error::gone(family)) };
        let Some(connection) = self.nodes[node].connection_mut() else { return Err(Error::gone(family)) };
        if asks_behind {
            request.queue(connection, instance);
            return self.send_behind(node).await;
        }
        request.send(connection, instance).await
    }

    /// A plain handle's statement that the server does not know counts as prepared from now on: it is lost with the
    /// connection.
    pub fn take_for_prepared(&self, prepared: &mut Prepared) {
        if self.router.is_none()
            && prepared.instances.is_empty()
            && let Some(era) = self.nodes.first().and_then(Node::era)
        {
            prepared.instances.push(Instance { node: 0, era, id: prepared.last_id, knows_types: false });
        }
    }

    /// A plain handle's statement is gone with the connection on which it was prepared.
    pub fn has_lost(&self, prepared: &Prepared) -> bool {
        self.router.is_none()
            && !prepared.instances.is_empty()
            && self.nodes.first().is_none_or(|node| prepared.on(0, node.era()).is_none())
    }

    /// `mysql_stmt_execute`.
    ///
    /// Errors: 2006 not executed, 2013 unknown, 2014 out of order; the server's own.
    pub async fn execute(&mut self, prepared: &mut Prepared, request: &Request<'_>) -> Result<Executed, Error> {
        if self.phase == Phase::Abandoned {
            self.skip_abandoned_rows().await;
        }
        if self.has_unsettled() {
            self.settle().await;
        }
        self.begin_execution(prepared)?;
        let answer = if self.router.is_some() {
            self.execute_routed(prepared, request).await
        } else {
            let family = self.options.family;
            self.at = Some(0);
            let instance = self.nodes.first().and_then(|node| prepared.on(0, node.era())).or(prepared.unprepared());
            let connection = self.current()?;
            let Some(instance) = instance else { return Err(Error::lost(family)) };
            if !request.send_at_once(connection, instance) {
                let sent = request.send_rest(connection, instance).await;
                sent.inspect_err(|_| self.after_failure())?;
            }
            let connection = self.current()?;
            let head = if request.flags == 0 {
                connection.execution_head_at_once(&mut prepared.seen)
            } else {
                prepared.seen.forget();
                connection.head_at_once().map(ExecutionHead::New)
            };
            match head {
                Some(ExecutionHead::Seen(columns)) => {
                    self.take_columns(columns);
                    Ok(())
                }
                Some(ExecutionHead::New(head @ (Ok(Head::Ok(_) | Head::ResultSet(_)) | Err(_)))) => {
                    self.take_head(head)
                }
                Some(ExecutionHead::New(Ok(Head::LocalInfile(name)))) => self.read_reply_for_file(&name).await,
                None => {
                    prepared.seen.forget();
                    self.read_reply().await
                }
            }
        };
        if let Some(at) = self.at
            && answer.as_ref().err().is_none_or(|error| error.origin == Origin::Server)
        {
            prepared.home = Some(at);
            prepared.types_are_known(at);
        }
        answer.inspect_err(|_| prepared.broke_off = false)?;
        prepared.kept.clear();
        if self.phase == Phase::HasResult
            && self.may_be_read_again()
            && let Some(columns) = &self.pending
        {
            prepared.kept.fill(request, columns);
        }
        if request.flags == 0 { Ok(self.executed()) } else { self.executed_with_cursor(prepared).await }
    }

    /// What an execution has brought that asked for no cursor.
    #[inline]
    pub(super) fn executed(&mut self) -> Executed {
        if self.phase != Phase::HasResult {
            return Executed { shape: Shape::Nothing, rows: RowsAre::Nowhere, status_before_rows: None };
        }
        self.phase = Phase::StatementRows;
        self.leftover = true;
        let shape = self.pending.take().map_or(Shape::Same, Shape::New);
        Executed { shape, rows: RowsAre::Waiting, status_before_rows: None }
    }

    /// Sends an execution to the node that the statement belongs to, preparing it there if need be, and reads the head
    /// of its reply. A server that does not know the statement any more, or wants it prepared anew, is asked once more:
    /// it has not executed it.
    async fn execute_routed(&mut self, prepared: &mut Prepared, request: &Request<'_>) -> Result<(), Error> {
        let sql = Arc::clone(&prepared.sql);
        if sql.is_empty() {
            return Err(not_prepared());
        }
        self.renumber(prepared);
        if let Some(decision) = prepared.committed.take() {
            return self.execute_where_data_is(prepared, request, &sql, decision).await;
        }
        if let Err(error) = self.send_execution_to_its_node(prepared, request, &sql).await {
            if !self.was_refused_before_it_was_sent(&error) {
                return Err(error);
            }
            return Box::pin(self.recover(&sql, error, &mut What::Execute(prepared, request))).await;
        }
        let mut answer = self.read_reply().await;
        if let (Err(error), Some(at)) = (&answer, self.at)
            && wants_preparing(error)
        {
            prepared.forget(at);
            self.send_routed_as(&sql, Manner::Awaited, &mut What::Execute(prepared, request)).await?;
            answer = self.read_reply().await;
        }
        match answer {
            Err(error) => Box::pin(self.recover(&sql, error, &mut What::Execute(prepared, request))).await,
            answer => answer,
        }
    }

    /// Without a state machine in the usual case: the node is open, lacks nothing, has the statement, and takes the
    /// command in one piece.
    async fn send_execution_to_its_node(
        &mut self,
        prepared: &mut Prepared,
        request: &Request<'_>,
        sql: &[u8],
    ) -> Result<(), Error> {
        if prepared.lexing != self.lexing() {
            let what = &mut What::Execute(prepared, request);
            return self.send_routed_as(sql, Manner::OnSource, what).await.map(|_| ());
        }
        let Some((statement, decision)) = self.destination_now(sql)? else {
            let what = &mut What::Execute(prepared, request);
            return self.send_routed_as(sql, Manner::Pipelined, what).await.map(|_| ());
        };
        self.renumber(prepared);
        let index = decision.node.index();
        self.notice_idle_end(index);
        let current = self.carry.is_current(&self.nodes[index].versions)
            && self.asks_nothing(index)
            && !self.is_monotonic()
            && self.injects(index, &statement).is_none();
        let node = &mut self.nodes[index];
        let instance = prepared.on(index, node.era()).filter(|_| current);
        if let (Some(instance), Some(connection)) = (instance, node.connection_mut()) {
            let mut sent = Ok(());
            if !request.send_at_once(connection, instance) {
                sent = request.send_rest(connection, instance).await;
            }
            self.at = Some(index);
            match sent {
                Ok(()) => {
                    self.note_sent(&statement, sql, decision);
                    return Ok(());
                }
                Err(error) => self.after_failed_send(index, error)?,
            }
        }
        let what = &mut What::Execute(prepared, request);
        self.carry_out(sql, Manner::Pipelined, statement, decision, what).await.map(|_| ())
    }

    /// Executes where the long data went, and nowhere else.
    async fn execute_where_data_is(
        &mut self,
        prepared: &mut Prepared,
        request: &Request<'_>,
        sql: &[u8],
        decision: Decision,
    ) -> Result<(), Error> {
        let node = decision.node.index();
        let statement: Arc<Statement> = self.checked_statement(sql)?;
        if prepared.home != Some(node) || prepared.on(node, self.nodes[node].era()).is_none() {
            return Err(Error::lost(self.options.family).sent(Sent::No));
        }
        self.bring_up_to_date(node).await?;
        self.at = Some(node);
        self.inject(node, &statement, Manner::Awaited).await.inspect_err(|_| self.after_failure())?;
        let behind = self.asks_behind(node, &statement, Manner::Awaited, request.flags != 0);
        let sent = self.send_execution(prepared, request, node, behind).await;
        sent.inspect_err(|_| self.after_failure())?;
        self.note_sent(&statement, sql, decision);
        self.read_reply().await
    }

    /// Finds out where the rows are of an execution that asked for a cursor.
    pub(super) async fn look_for_cursor(&mut self, status: &mut Option<u16>) -> Result<RowsAre, Error> {
        let mut rows = Box::<BinaryRows>::default();
        if !self.current()?.deprecates_eof() {
            if self.outcome.status & CURSOR_EXISTS != 0 {
                self.phase = Phase::Ready;
                self.observe_success();
                return Ok(RowsAre::InCursor);
            }
            if self.more_results() {
                return Ok(RowsAre::Waiting);
            }
            *status = Some(self.outcome.status);
            self.store_statement_rows(&[], &mut rows).await?;
            return Ok(RowsAre::Here(rows));
        }
        let mut first = Vec::new();
        match self.read_statement_row(&mut first).await? {
            None => {
                *status = Some(self.outcome.status);
                self.store_statement_rows(&first, &mut rows).await?;
            }
            Some(end) if end.status & CURSOR_EXISTS != 0 => return Ok(RowsAre::InCursor),
            Some(_) => {}
        }
        Ok(RowsAre::Here(rows))
    }

    /// Up to `count` rows of the statement's cursor go to `stored`; `u32::MAX` = all that are left.
    ///
    /// Errors: 2014 out of order; the server's own; 2013 when the cursor's connection is gone.
    pub async fn fetch_cursor(
        &mut self,
        prepared: &Prepared,
        count: u32,
        stored: &mut BinaryRows,
    ) -> Result<(), Error> {
        self.begin().await?;
        let instance = self.at_home(prepared)?;
        let command = statement::fetch(instance.id, count);
        let sent = self.current()?.send(Command::StmtFetch, &[&command]).await;
        sent.inspect_err(|_| self.after_failure())?;
        self.phase = Phase::StatementRows;
        self.store_statement_rows(&[], stored).await?;
        if count != u32::MAX {
            self.outcome.affected_rows = !0;
        }
        Ok(())
    }

    /// Throws the rows away that wait; with `all` those of further results, too.
    pub async fn skip_statement_rows(&mut self, all: bool) -> Result<(), Error> {
        let columns = self.outcome.field_count;
        let skipped = self.skip_rows_and_results(all).await;
        if self.options.family == Family::MySql && self.connection().is_some() {
            // Nobody looks at those of the results that go.
            self.outcome.field_count = columns;
        }
        skipped
    }

    async fn skip_rows_and_results(&mut self, all: bool) -> Result<(), Error> {
        loop {
            if matches!(self.phase, Phase::StatementRows | Phase::Streaming | Phase::HasResult) {
                self.leftover |= self.pending.is_some();
                self.pending = None;
                self.phase = Phase::Streaming;
                self.skip_rows().await?;
            }
            if !all || !self.more_results() {
                return Ok(());
            }
            self.read_reply().await?;
            if self.options.family == Family::MySql && self.router.is_none() && self.phase == Phase::Ready {
                // A result without rows is the last one for libmysqlclient, whatever its status says.
                return Ok(());
            }
        }
    }

    /// `mysql_stmt_next_result`: the head of the statement's next result. None: there is none.
    pub async fn next_statement_result(&mut self, wants_cursor: bool) -> Result<Option<Executed>, Error> {
        if !self.next_result().await? {
            return Ok(None);
        }
        let executed = if wants_cursor { self.executed_for_cursor().await? } else { self.executed() };
        Ok(Some(executed))
    }

    /// `mysql_stmt_send_long_data`: a piece of a parameter's value. There is no reply. Routed: the first piece decides
    /// where the next execution runs.
    pub async fn send_long_data(&mut self, prepared: &mut Prepared, parameter: u16, data: &[u8]) -> Result<(), Error> {
        self.begin().await?;
        self.renumber(prepared);
        if prepared.committed.is_some() && prepared.home.is_none() {
            return Err(Error::lost(self.options.family).sent(Sent::No));
        }
        let node = match (&self.router, prepared.committed) {
            (None, _) => 0,
            (Some(_), Some(decision)) => decision.node.index(),
            (Some(_), None) => {
                let sql = Arc::clone(&prepared.sql);
                let mut unused = None;
                let what = &mut What::Prepare(prepared, &mut unused);
                let decision = self.send_routed_as(&sql, Manner::Awaited, what).await?;
                prepared.committed = Some(decision);
                decision.node.index()
            }
        };
        prepared.home = Some(node);
        let instance = self.at_home(prepared)?;
        let head = statement::long_data(instance.id, parameter);
        let sent = self.current()?.send(Command::StmtSendLongData, &[&head, data]).await;
        sent.inspect_err(|_| self.after_failure())
    }

    /// `mysql_stmt_reset`: the server forgets long data and closes the cursor, on the node that has them.
    pub async fn reset_statement(&mut self, prepared: &mut Prepared) -> Result<(), Error> {
        self.begin().await?;
        self.renumber(prepared);
        prepared.committed = None;
        if self.router.is_some() && prepared.home.is_none_or(|node| prepared.on(node, self.nodes[node].era()).is_none())
        {
            return Ok(());
        }
        let instance = self.at_home(prepared)?;
        let sent = self.current()?.send(Command::StmtReset, &[&instance.id.to_le_bytes()]).await;
        sent.inspect_err(|_| self.after_failure())?;
        let before = self.outcome.clone();
        let changes = std::mem::take(&mut self.changes);
        self.read_reply().await?;
        // It is no statement.
        self.outcome.field_count = before.field_count;
        if self.options.family == Family::MariaDb {
            // Connector/C does not look into the OK of its simple commands.
            self.changes = changes;
            self.outcome.affected_rows = !0;
            self.outcome.insert_id = before.insert_id;
            self.outcome.status = before.status;
            self.outcome.warnings = before.warnings;
        }
        Ok(())
    }

    /// `mysql_stmt_close`, and what a second `mysql_stmt_prepare` does first: every connection forgets the statement.
    /// There is no reply.
    ///
    /// Errors: 2014 while rows wait.
    pub async fn close_statement(&mut self, prepared: &mut Prepared) -> Result<(), Error> {
        self.phase.check_free(self.more_results())?;
        if self.router.is_none() && self.plain_connection().is_some() {
            // It is a command as any other.
            self.outcome.affected_rows = !0;
            self.outcome.info.clear();
        }
        self.renumber(prepared);
        let mut failure = None;
        for instance in std::mem::take(&mut prepared.instances) {
            let Some(node) = self.nodes.get_mut(instance.node) else { continue };
            if node.era() != Some(instance.era) {
                continue;
            }
            if let Some(connection) = node.connection_mut()
                && let Err(error) = connection.send(Command::StmtClose, &[&instance.id.to_le_bytes()]).await
            {
                failure = Some(error);
                node.drop_if_broken();
            }
        }
        *prepared = Prepared { last_id: prepared.last_id, ..Prepared::default() };
        match failure {
            Some(error) if self.router.is_none() => {
                self.after_failure();
                Err(error)
            }
            _ => Ok(()),
        }
    }
}

/// A connection that broke while a statement was being prepared: nothing was executed.
fn not_executed(error: Error) -> Error {
    if error.origin == Origin::Client { error.sent(Sent::No) } else { error }
}

/// What a server says of a statement that it does not know, for a routed handle that would not know which to ask.
fn not_prepared() -> Error {
    let text = "Unknown prepared statement handler (0) given to mysqld_stmt_execute";
    Error { origin: Origin::Server, ..Error::client(UNKNOWN_STATEMENT, text) }
}

/// The server refused to execute a statement that it wants to be prepared again: 1243 it does not know it, 1615 its
/// tables changed.
fn wants_preparing(error: &Error) -> bool {
    const NEEDS_REPREPARE: u32 = 1615;
    error.origin == Origin::Server && matches!(error.code, UNKNOWN_STATEMENT | NEEDS_REPREPARE)
}
