//! Running a statement: phase, route, prelude, send; then its head.
//!
//! `recovery` of connect attempts is the loop in `routed`; here everything is a straight line.

use crate::conn::{Command, Connection, Head, OkPacket};
use crate::error::{Error, Origin, Sent, cr};
use crate::options::Family;

use super::steer::{Manner, Rest, What};
use super::{Phase, Session, infile};

impl Session {
    /// `mysql_real_query`: sends a statement and reads the head of its reply.
    ///
    /// Errors: 2014 out of order; 2006 not executed; 2013 unknown; the server's own.
    pub async fn run(&mut self, sql: &[u8]) -> Result<(), Error> {
        if self.options.skip_reply {
            return self.send_query(sql).await;
        }
        if self.phase == Phase::Abandoned {
            self.skip_abandoned_rows().await;
        }
        if self.has_unsettled() {
            self.settle().await;
        }
        self.forget_before_looking();
        self.begin_at_once()?;
        if self.router.is_some() {
            match self.send_routed_at_once(sql)? {
                Rest::Nothing => {}
                rest => {
                    self.send_routed_rest(sql, rest).await?;
                    return match self.read_reply().await {
                        Err(error) => Box::pin(self.recover(sql, error, &mut What::Text)).await,
                        answer => answer,
                    };
                }
            }
        } else if !self.sent_at_once(Command::Query, &[sql]) {
            self.send_rest(Command::Query, &[sql]).await?;
        }
        let answer = match self.current()?.head_at_once() {
            Some(head @ (Ok(Head::Ok(_) | Head::ResultSet(_)) | Err(_))) => self.take_head(head),
            Some(Ok(Head::LocalInfile(name))) => self.read_reply_for_file(&name).await,
            None => self.read_reply().await,
        };
        match answer {
            Err(error) if self.router.is_some() => Box::pin(self.recover(sql, error, &mut What::Text)).await,
            answer => answer,
        }
    }

    /// What a text statement forgets of the last one before it looks whether it is its turn: Connector/C the columns,
    /// libmysqlclient what was tracked.
    #[inline]
    pub(super) fn forget_before_looking(&mut self) {
        match self.options.family {
            Family::MariaDb if self.phase != Phase::HasResult => {
                self.outcome.field_count = 0;
                self.outcome.info.clear();
                self.leftover = false;
            }
            Family::MariaDb => {}
            Family::MySql => self.changes.clear(),
        }
    }

    /// `mysql_send_query`: as [`Session::run`], without waiting for the reply. Nothing but the statement's reply is
    /// outstanding when it returns, because programs poll the socket for it.
    pub async fn send_query(&mut self, sql: &[u8]) -> Result<(), Error> {
        if self.options.family == Family::MySql {
            self.changes.clear();
        }
        self.begin().await?;
        match self.router {
            None => self.send_plain(Command::Query, &[sql]).await?,
            Some(_) => {
                self.send_routed(sql, Manner::Alone).await?;
                self.forget_time();
            }
        }
        self.phase = Phase::AwaitingReply;
        Ok(())
    }

    /// `mysql_read_query_result`: the head of the reply to [`Session::send_query`].
    pub async fn read_query_result(&mut self) -> Result<(), Error> {
        if self.phase != Phase::AwaitingReply {
            let nowhere = self.router.is_none() && self.connection().is_none();
            return Err(if nowhere { Error::lost(self.options.family) } else { Error::out_of_sync() });
        }
        self.phase = Phase::Ready;
        match self.read_reply().await {
            Err(error) if self.router.is_some() => Box::pin(self.recover_sent(error)).await,
            answer => answer,
        }
    }

    /// In front of every command: refuses it out of order, forgets what the last one did.
    #[inline]
    pub(super) async fn begin(&mut self) -> Result<(), Error> {
        if self.phase == Phase::Abandoned {
            self.skip_abandoned_rows().await;
        }
        if self.has_unsettled() {
            self.settle().await;
        }
        self.begin_at_once()
    }

    /// [`Session::begin`] without abandoned rows.
    #[inline]
    pub(super) fn begin_at_once(&mut self) -> Result<(), Error> {
        if self.is_connected() {
            self.phase.check_free(self.more_results())?;
        }
        if self.pending.is_some() {
            self.pending = None;
        }
        if self.router.is_none() && !self.options.reconnect && self.plain_connection().is_none() {
            // Without a connection nothing begins.
            return Ok(());
        }
        // The number of columns, of warnings and what was tracked stay until a reply brings others.
        self.outcome.affected_rows = !0;
        self.outcome.info.clear();
        Ok(())
    }

    /// Sends a command on the only connection of a plain handle; reconnects first if the program asked for that and
    /// no byte left.
    pub(super) async fn send_plain(&mut self, command: Command, argument: &[&[u8]]) -> Result<(), Error> {
        if self.sent_at_once(command, argument) { Ok(()) } else { self.send_rest(command, argument).await }
    }

    /// The first half of [`Session::send_plain`], which is nearly always all of it.
    #[inline]
    fn sent_at_once(&mut self, command: Command, argument: &[&[u8]]) -> bool {
        self.attach_attributes(0);
        !self.looks_before_sending()
            && self.plain_connection().is_some_and(|connection| connection.send_at_once(command, argument))
    }

    /// The second half of [`Session::send_plain`].
    #[cold]
    async fn send_rest(&mut self, command: Command, argument: &[&[u8]]) -> Result<(), Error> {
        let looks = self.looks_before_sending();
        let gone = Err(Error::gone(self.options.family));
        let sent = match self.plain_connection() {
            Some(connection) if looks && connection.has_ended() => gone,
            Some(connection) if looks => connection.send(command, argument).await,
            Some(connection) => connection.send_rest(command, argument).await,
            None => gone,
        };
        match sent {
            Err(error) if error.sent == Sent::No && self.may_reconnect() => {
                self.reconnect().await?;
                self.attach_attributes(0);
                match self.plain_connection() {
                    Some(connection) => connection.send(command, argument).await,
                    None => Err(error),
                }
            }
            other => other,
        }
        .inspect_err(|_| self.after_failure())
    }

    /// The originals, when they may reconnect, look first whether the server has hung up.
    #[inline]
    fn looks_before_sending(&self) -> bool {
        self.options.reconnect
    }

    pub(super) fn plain_connection(&mut self) -> Option<&mut Connection> {
        self.nodes.first_mut().and_then(|node| node.connection_mut())
    }

    /// The connection used last, to go on with what it owes.
    pub(super) fn current(&mut self) -> Result<&mut Connection, Error> {
        let family = self.options.family;
        self.at.and_then(|at| self.nodes.get_mut(at)?.connection_mut()).ok_or_else(|| Error::gone(family))
    }

    /// Reads replies to a pipelined prelude, then the head that the program waits for, and learns from it.
    pub(super) async fn read_reply(&mut self) -> Result<(), Error> {
        if self.prelude_replies > 0 {
            self.read_prelude_replies().await?;
        }
        let head = match self.current()?.head_at_once() {
            Some(head) => head,
            None => self.current()?.head_slowly().await,
        };
        match head {
            Ok(Head::LocalInfile(name)) => self.read_reply_for_file(&name).await,
            head => self.take_head(head),
        }
    }

    /// libmysqlclient concludes from a result without autocommit that a transaction is open, until the server says whether it
    /// is. Routed handles go by what servers say.
    #[inline]
    pub(super) fn conclude_transaction(&mut self) {
        /// `SERVER_STATUS_IN_TRANS`.
        const IN_TRANSACTION: u16 = 1;
        if self.router.is_none()
            && self.options.family == Family::MySql
            && self.outcome.status & super::connect::AUTOCOMMIT == 0
        {
            self.outcome.status |= IN_TRANSACTION;
        }
    }

    /// The server asks for a file: the reply that follows it is the statement's.
    #[cold]
    pub(super) async fn read_reply_for_file(&mut self, name: &[u8]) -> Result<(), Error> {
        let head = self.send_local_file(name).await;
        self.take_head(head)
    }

    /// Learns from the head of a reply.
    #[inline]
    pub(super) fn take_head(&mut self, head: Result<Head, Error>) -> Result<(), Error> {
        if self.router.is_some() {
            self.note_answered();
        }
        match head {
            Ok(Head::Ok(ok)) => {
                self.leftover = false;
                self.take_ok(ok);
                self.observe_success();
                Ok(())
            }
            Ok(Head::ResultSet(columns)) => {
                self.take_columns(u32::try_from(columns.len()).unwrap_or(u32::MAX));
                self.pending = Some(columns);
                Ok(())
            }
            Ok(Head::LocalInfile(_)) => Err(Error::malformed(self.options.family)),
            Err(error) => {
                if let Some(router) = self.router.as_deref_mut() {
                    router.failure = if error.origin == Origin::Server { error.code } else { 0 };
                }
                self.failed();
                Err(error)
            }
        }
    }

    /// So many columns came, whose rows follow.
    #[inline]
    pub(super) fn take_columns(&mut self, count: u32) {
        self.outcome.field_count = count;
        // Of the result before this one.
        self.outcome.info.clear();
        self.outcome.warnings = 0;
        if let Some(end) = self.connection().and_then(Connection::columns_end) {
            self.outcome.status = end.status;
            self.outcome.warnings = u32::from(end.warnings);
        } else {
            self.conclude_transaction();
        }
        self.leftover = false;
        self.phase = Phase::HasResult;
    }

    /// A reply was an error, or did not come.
    pub(super) fn failed(&mut self) {
        self.phase = Phase::Ready;
        self.pending = None;
        if self.router.is_some() {
            // A plain handle's call began with it.
            self.outcome.affected_rows = !0;
        }
        self.outcome.status &= !super::MORE_RESULTS;
        if let Some(at) = self.at
            && let Some(router) = self.router.as_deref_mut()
        {
            router.rerun.note(self.nodes[at].connection());
        }
        self.after_failure();
        self.observe_failure();
    }

    /// Drops a connection that the failure made useless.
    pub(super) fn after_failure(&mut self) {
        if let Some(node) = self.at.and_then(|at| self.nodes.get_mut(at))
            && node.drop_if_broken()
        {
            self.phase = Phase::Ready;
            self.outcome.status &= !super::MORE_RESULTS;
            self.prelude_replies = 0;
            if self.router.is_none() {
                self.forget_statement();
            }
        }
    }

    /// The originals forget the last statement with its connection.
    fn forget_statement(&mut self) {
        self.pending = None;
        self.leftover = false;
        self.outcome.field_count = 0;
        self.outcome.info.clear();
        if self.options.family == Family::MySql {
            self.outcome.warnings = 0;
        }
    }

    /// Takes over what an OK packet says.
    pub(super) fn take_ok(&mut self, ok: OkPacket) {
        self.outcome.affected_rows = ok.affected_rows;
        self.outcome.insert_id = ok.last_insert_id;
        self.outcome.status = ok.status;
        self.outcome.warnings = u32::from(ok.warnings);
        self.outcome.info = ok.info;
        self.outcome.field_count = 0;
        self.changes = ok.session_changes;
        self.learn_from_changes();
    }

    /// The file that a server asks for may be sent to it.
    fn may_send_file(&self, name: &[u8]) -> bool {
        /// `CLIENT_LOCAL_FILES`: the other way to allow it.
        const LOCAL_FILES: u64 = 1 << 7;
        self.options.local_infile
            || self.args.flags & LOCAL_FILES != 0
            || self.options.local_dir.as_deref().is_some_and(|folder| infile::is_inside(name, folder))
    }

    /// Answers a server that asks for a file; reads the reply that follows.
    async fn send_local_file(&mut self, name: &[u8]) -> Result<Head, Error> {
        let family = self.options.family;
        let mut failure = None;
        let mut reading = false;
        if self.may_send_file(name) {
            match self.local_files.open(name) {
                Ok(mut file) => {
                    let mut buffer = vec![0; file.chunk()];
                    loop {
                        match file.read(&mut buffer) {
                            Ok(0) => break,
                            Ok(count) => {
                                let chunk = buffer.get(..count).unwrap_or(&buffer);
                                self.current()?.send_file_chunk(chunk).await?;
                            }
                            Err(error) => {
                                (failure, reading) = (Some(error), true);
                                break;
                            }
                        }
                    }
                }
                Err(error) => failure = Some(error),
            }
        } else {
            failure = Some(match family {
                Family::MySql => (
                    cr::LOAD_DATA_LOCAL_INFILE_REJECTED,
                    b"LOAD DATA LOCAL INFILE file request rejected due to restrictions on access.".to_vec(),
                ),
                Family::MariaDb => (cr::UNKNOWN_ERROR, b"Load data local infile forbidden".to_vec()),
            });
        }
        let connection = self.current()?;
        connection.send_file_chunk(&[]).await?;
        let reply = connection.read_head().await;
        match failure {
            None => reply,
            Some((code, message)) => {
                reply?;
                let mut error = Error::client(code, message).sent(Sent::Yes);
                if reading && family == Family::MySql {
                    // libmysqlclient sets no state here.
                    error.sqlstate = *b"00000";
                }
                Err(error)
            }
        }
    }
}
