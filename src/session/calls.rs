//! Calls that are not statements: ping, schema, character set, transactions by API, reset, and the old commands.
//!
//! On a routed handle what sets state is remembered for every node, opened or not; the rest goes to one node.

use crate::charset;
use crate::conn::Command;
use crate::error::Error;
use crate::options::Family;
use crate::result::{Columns, StoredRows};
use crate::statistics::{self, Counter};

use super::arm;
use super::connect::charset_dir;
use super::results::expect_ok;
use super::{Phase, Session};

impl Session {
    /// Sends a command to the plain handle's server or, routed, to the node used last (else the source).
    pub(super) async fn send_command(&mut self, command: Command, argument: &[&[u8]]) -> Result<(), Error> {
        if self.router.is_none() {
            return self.send_plain(command, argument).await;
        }
        self.open_for_call().await?;
        let sent = self.current()?.send(command, argument).await;
        sent.inspect_err(|_| self.after_failure())
    }

    /// A command whose reply is OK or an error.
    async fn command(&mut self, command: Command, argument: &[&[u8]]) -> Result<(), Error> {
        let family = self.options.family;
        if command == Command::Query {
            self.forget_before_looking();
        }
        let columns = self.outcome.field_count;
        let before = self.outcome.clone();
        let changes_before = self.changes.clone();
        self.begin().await?;
        let reply = match self.command_head(command, argument).await {
            Ok(head) => expect_ok(head, family),
            Err(error) => Err(error),
        };
        match reply {
            Ok(ok) => {
                let changes = self.changes_count;
                self.take_ok(ok);
                // Connector/C does not look into the OK of its simple commands, libmysqlclient not into what looks like an EOF.
                let unread = match family {
                    Family::MariaDb => !matches!(command, Command::Query | Command::ResetConnection),
                    Family::MySql => matches!(command, Command::SetOption | Command::Debug),
                };
                if family == Family::MariaDb && command == Command::ResetConnection {
                    self.outcome.warnings = before.warnings;
                    self.outcome.status = before.status;
                    self.changes.clone_from(&changes_before);
                    self.changes_count = changes;
                }
                if family == Family::MySql && command != Command::Query {
                    // It is no statement.
                    self.outcome.field_count = columns;
                }
                if unread {
                    self.outcome.affected_rows = !0;
                    self.outcome.insert_id = before.insert_id;
                    if family == Family::MariaDb {
                        self.outcome.status = before.status;
                    }
                    if family == Family::MariaDb {
                        self.outcome.warnings = before.warnings;
                    }
                    self.outcome.field_count = columns;
                    self.outcome.info.clear();
                    self.changes.clear();
                    if family == Family::MariaDb {
                        self.changes = changes_before;
                    }
                    self.changes_count = changes;
                }
                Ok(())
            }
            Err(error) => {
                self.failed();
                if command != Command::Query && self.connection().is_some() {
                    self.outcome.field_count = columns;
                }
                Err(error)
            }
        }
    }

    /// `mysql_shutdown`: by a statement, or by a command with `level` behind it.
    pub async fn shutdown(&mut self, by_statement: bool, level: &[u8]) -> Result<(), Error> {
        if by_statement { self.run(b"shutdown").await } else { self.command(Command::Shutdown, &[level]).await }
    }

    /// The first value of the first row of a statement's result; empty for NULL or no row.
    pub async fn first_value(&mut self, statement: &[u8]) -> Result<Vec<u8>, Error> {
        self.run(statement).await?;
        let mut stored = StoredRows::default();
        self.store_result(&mut stored).await?;
        Ok(if stored.is_empty() { Vec::new() } else { stored.value(0, 0).unwrap_or_default() })
    }

    /// The next packet of the connection, raw.
    ///
    /// Errors: the server's, if it is an error packet; 2013.
    pub async fn read_packet(&mut self) -> Result<Vec<u8>, Error> {
        if self.router.is_none() && self.connection().is_none() {
            return Err(Error::lost(self.options.family));
        }
        let read = self.current()?.read_text().await;
        read.inspect_err(|_| self.after_failure())
    }

    /// Sends a packet that is no command, in the middle of what the server sends (an acknowledgement).
    pub async fn send_packet(&mut self, packet: &[u8]) -> Result<(), Error> {
        let sent = self.current()?.send_bare(packet).await;
        sent.inspect_err(|_| self.after_failure())
    }

    /// A command by its number, as programs send it around the API. Without `reads` its reply is left for
    /// [`Session::read_query_result`] or [`Session::read_packet`]; with it, the packet of a reply that only the program can
    /// read is the result, and it is empty for others.
    ///
    /// Errors: 2054 for a number that is no command and, on routed handles, for commands that are no simple ones.
    pub async fn raw_command(&mut self, number: u8, argument: &[u8], reads: bool) -> Result<Vec<u8>, Error> {
        let Some(command) = Command::of(number) else { return Err(Error::not_implemented(self.options.family)) };
        let simple = matches!(
            command,
            Command::InitDb
                | Command::Query
                | Command::Refresh
                | Command::ProcessKill
                | Command::Debug
                | Command::Ping
                | Command::SetOption
                | Command::ResetConnection
        );
        if !simple && self.router.is_some() {
            return Err(Error::not_implemented(self.options.family));
        }
        match command {
            Command::Query if reads => self.run(argument).await.map(|()| Vec::new()),
            Command::Query => self.send_query(argument).await.map(|()| Vec::new()),
            _ if simple && reads => self.command(command, &[argument]).await.map(|()| Vec::new()),
            _ => {
                self.begin().await?;
                self.send_command(command, &[argument]).await?;
                if self.router.is_none() {
                    self.at = Some(0);
                }
                if command.has_no_reply() {
                    return Ok(Vec::new());
                }
                if reads {
                    return self.read_packet().await;
                }
                self.phase = Phase::AwaitingReply;
                Ok(Vec::new())
            }
        }
    }

    /// `mysql_ping`. Routed: the node used last, else the source, which is opened.
    pub async fn ping(&mut self) -> Result<(), Error> {
        self.command_again(Command::Ping).await
    }

    /// A command that Connector/C repeats, for the sake of reconnecting, when it failed and that is asked for.
    async fn command_again(&mut self, command: Command) -> Result<(), Error> {
        let first = self.command(command, &[]).await;
        if first.is_err() && self.router.is_none() && self.options.reconnect && self.options.family == Family::MariaDb {
            return self.command(command, &[]).await;
        }
        first
    }

    /// `mysql_select_db`. Routed: the source is asked if it is open (a replica may not have a new schema yet), else an
    /// open node, so that a wrong name is told at once; with none open it is remembered and told by the first statement.
    pub async fn select_db(&mut self, schema: &[u8]) -> Result<(), Error> {
        if self.router.is_some() && self.no_node_is_open() {
            self.begin().await?;
            self.carry.set_schema(Some(schema.to_vec()), None);
            self.outcome.affected_rows = 0;
            return Ok(());
        }
        self.prefer_source();
        self.command(Command::InitDb, &[schema]).await?;
        let versions = self.at.map(|at| &mut self.nodes[at].versions);
        self.carry.set_schema(Some(schema.to_vec()), versions);
        Ok(())
    }

    /// `mysql_set_server_option`: multi-statements on or off.
    pub async fn set_multi_statements(&mut self, enabled: bool) -> Result<(), Error> {
        if self.router.is_some() && self.no_node_is_open() {
            self.begin().await?;
            self.carry.set_multi_statements(enabled, None);
            self.read_multi_statements(enabled);
            self.outcome.affected_rows = 0;
            return Ok(());
        }
        self.command(Command::SetOption, &[&[u8::from(!enabled), 0]]).await?;
        let versions = self.at.map(|at| &mut self.nodes[at].versions);
        self.carry.set_multi_statements(enabled, versions);
        self.read_multi_statements(enabled);
        Ok(())
    }

    /// `mysql_set_server_option` with a number that is no known option: the server's answer decides.
    pub async fn set_server_option(&mut self, number: u16) -> Result<(), Error> {
        match number {
            0 => self.set_multi_statements(true).await,
            1 => self.set_multi_statements(false).await,
            other => self.command(Command::SetOption, &[&other.to_le_bytes()]).await,
        }
    }

    /// `mysql_set_character_set`: the server is told by SET NAMES, escaping follows.
    ///
    /// Errors: 2019 for a name that the client does not know; 1115 for one that the server does not know.
    pub async fn set_character_set(&mut self, name: &[u8]) -> Result<(), Error> {
        let text = String::from_utf8_lossy(name);
        let Some(charset) = charset::by_name(&text) else {
            let mut error = Error::charset(self.options.family, &text, charset_dir(self.options.family));
            error.sqlstate = crate::error::HY000;
            return Err(error);
        };
        if self.options.family == Family::MariaDb && !self.is_connected() {
            return Err(Error::gone(self.options.family));
        }
        // Without a connection, or with one that is gone, libmysqlclient remembers it for the next one.
        let remembers = self.options.family == Family::MySql && self.router.is_none() && self.connection().is_none();
        if self.options.family == Family::MariaDb && !self.connected {
            return Err(Error::gone(self.options.family));
        }
        if remembers && charset.mbminlen > 1 {
            self.options.charset = Some(text.clone().into_owned());
            self.follow_charset(charset.default_collation(self.options.family));
            return Err(Error::client_charset(&text));
        }
        if self.connected && !remembers {
            let statement = [b"SET NAMES ", name].concat();
            if self.router.is_some() && self.no_node_is_open() {
                self.begin().await?;
                self.carry.set_charset(statement, None);
                self.outcome.affected_rows = 0;
            } else {
                self.prefer_source();
                self.run_without_result(&statement).await?;
                self.charset_changes(statement, self.at);
            }
        }
        self.follow_charset(charset.default_collation(self.options.family));
        let name = text.into_owned();
        self.charset_override = Some((name.clone(), self.charset_option()));
        self.options.charset = Some(name);
        Ok(())
    }

    /// A statement of ours on the node of [`Session::send_command`], answered by OK.
    async fn run_without_result(&mut self, statement: &[u8]) -> Result<(), Error> {
        self.command(Command::Query, &[statement]).await
    }

    /// `mysql_autocommit`. Routed with an unopened source: remembered.
    pub async fn autocommit(&mut self, enabled: bool) -> Result<(), Error> {
        if self.router.is_some() {
            statistics::count(if enabled { Counter::TrxAutocommitOn } else { Counter::TrxAutocommitOff });
        }
        if self.router.is_some() && self.nothing_to_end() {
            self.begin().await?;
            self.carry.set_autocommit(enabled, None);
            self.set_autocommit_status(enabled);
            self.outcome.affected_rows = 0;
            return Ok(());
        }
        self.run(match (self.options.family, enabled) {
            (Family::MySql, true) => b"set autocommit=1",
            (Family::MySql, false) => b"set autocommit=0",
            (Family::MariaDb, true) => b"SET autocommit=1",
            (Family::MariaDb, false) => b"SET autocommit=0",
        })
        .await
    }

    /// `mysql_commit`. Routed with nothing open to commit: success without a word to any server.
    pub async fn commit(&mut self) -> Result<(), Error> {
        // As the originals write it: general logs show no difference.
        self.end_transaction(if self.options.family == Family::MySql { b"commit" } else { b"COMMIT" }).await
    }

    /// `mysql_rollback`, as [`Session::commit`].
    pub async fn rollback(&mut self) -> Result<(), Error> {
        self.end_transaction(if self.options.family == Family::MySql { b"rollback" } else { b"ROLLBACK" }).await
    }

    async fn end_transaction(&mut self, statement: &[u8]) -> Result<(), Error> {
        if self.router.is_some() && self.nothing_to_end() {
            self.begin().await?;
            self.outcome.affected_rows = 0;
            return Ok(());
        }
        self.run(statement).await
    }

    /// `mysql_reset_connection`: every open connection forgets its session state; so do we. Unread results are read
    /// away for Connector/C's programs; libmysqlclient's get 2014.
    pub async fn reset_connection(&mut self) -> Result<(), Error> {
        if self.options.family == Family::MariaDb {
            match self.phase {
                Phase::AwaitingReply => {}
                _ if !self.is_connected() => {}
                _ => self.skip_abandoned_rows().await,
            }
        }
        if self.router.is_none() {
            self.command_again(Command::ResetConnection).await?;
            self.nodes.iter_mut().for_each(super::nodes::Node::forget_statements);
        } else {
            self.begin().await?;
            self.reset_every_node().await?;
        }
        self.carry.reset();
        self.observe_reset();
        self.phase = Phase::Ready;
        self.outcome.affected_rows = !0;
        if self.options.family == Family::MySql {
            self.outcome.field_count = 0;
            self.outcome.warnings = 0;
        }
        self.outcome.insert_id = 0;
        self.outcome.info.clear();
        Ok(())
    }

    /// `mysql_stat`: the server's status line.
    pub async fn statistics(&mut self) -> Result<Vec<u8>, Error> {
        self.begin().await?;
        self.send_command(Command::Statistics, &[]).await?;
        if self.router.is_none() && self.connection().is_none() {
            return Err(Error::lost(self.options.family));
        }
        let read = self.current()?.read_text().await;
        read.inspect_err(|_| self.failed())
    }

    /// `mysql_refresh`; `what` is a set of `REFRESH_*`. Routed: the source.
    pub async fn refresh(&mut self, what: u8) -> Result<(), Error> {
        if self.options.family == Family::MariaDb {
            return self.command(Command::Refresh, &[&[what]]).await;
        }
        // As libmysqlclient 9: servers do not know the command any more.
        let flushed: Vec<&str> = [(1, "PRIVILEGES"), (2, "LOGS"), (16, "STATUS")]
            .into_iter()
            .filter_map(|(bit, word)| (what & bit != 0).then_some(word))
            .collect();
        if !flushed.is_empty() {
            let statement = format!("FLUSH {}", flushed.join(","));
            self.run_without_result(statement.as_bytes()).await?;
        }
        for (bit, statement) in [(4, "FLUSH TABLES"), (64, "RESET REPLICA"), (128, "RESET BINARY LOGS AND GTIDS")] {
            if what & bit != 0 {
                self.run_without_result(statement.as_bytes()).await?;
            }
        }
        Ok(())
    }

    /// `mysql_dump_debug_info`.
    pub async fn dump_debug_info(&mut self) -> Result<(), Error> {
        self.command(Command::Debug, &[]).await
    }

    /// `mysql_kill` on a plain handle. Routed: only if exactly one of the handle's connections has the id.
    pub async fn kill(&mut self, thread_id: u64) -> Result<(), Error> {
        if self.router.is_some() {
            return self.kill_routed(thread_id).await;
        }
        let statement = format!("KILL {thread_id}");
        self.run_without_result(statement.as_bytes()).await
    }

    /// `mysql_list_fields`: the columns of a table, with their default values.
    pub async fn list_fields(&mut self, table: &[u8], wild: &[u8]) -> Result<Columns, Error> {
        if self.options.family == Family::MySql {
            // It forgets the last statement before it looks whether it is the next one's turn.
            self.outcome.field_count = 0;
            self.outcome.info.clear();
            self.outcome.warnings = 0;
        }
        self.begin().await?;
        self.send_command(Command::FieldList, &[table, &[0], wild]).await?;
        let read = self.current()?.read_field_list().await;
        match read {
            Ok((columns, end)) => {
                self.outcome.status = end.status;
                self.outcome.warnings = u32::from(end.warnings);
                match self.options.family {
                    Family::MySql => {
                        self.outcome.field_count = u32::try_from(columns.len()).unwrap_or(u32::MAX);
                        self.changes.clear();
                    }
                    Family::MariaDb => {
                        self.outcome.field_count = 0;
                        self.leftover = false;
                    }
                }
                Ok(columns)
            }
            Err(error) => {
                self.failed();
                Err(error)
            }
        }
    }

    /// Sends COM_RESET_CONNECTION to every open connection of a routed handle; one that fails is closed, and opened
    /// afresh when it is needed, which has the same effect.
    async fn reset_every_node(&mut self) -> Result<(), Error> {
        let Some(router) = self.router.as_deref() else { return Ok(()) };
        let way = arm::Way::of(&router.section);
        for node in &mut self.nodes {
            let pipelines = node.pipelines;
            let Some(connection) = node.connection_mut() else { continue };
            match arm::reset(connection, way, pipelines).await {
                Ok((ok, armed)) => {
                    self.outcome.status = ok.status;
                    node.armed = armed;
                    node.forget_statements();
                }
                Err(_) => drop(node.take()),
            }
        }
        Ok(())
    }

    /// Texts may hold several statements from now on, or not any more.
    fn read_multi_statements(&mut self, enabled: bool) {
        if let Some(router) = self.router.as_deref_mut() {
            router.context.multi_statements = enabled;
        }
    }

    /// No transaction of this handle is open on any node, and its source has not been reached: an API call that ends or
    /// switches transactions has nothing to do.
    pub(super) fn nothing_to_end(&self) -> bool {
        self.router.as_deref().is_some_and(|router| {
            let idle = router.transaction_node.is_none() && router.lost.is_none() && router.bound.node().is_none();
            idle && router.section.sources_now().iter().all(|node| self.nodes[node.index()].connection().is_none())
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

    /// Makes an open source the node of the next call, unless the handle has to stay where it is.
    fn prefer_source(&mut self) {
        let Some(router) = self.router.as_deref() else { return };
        if router.bound.node().is_some() || router.transaction_node.is_some() {
            return;
        }
        let open = |node: &crate::cluster::topology::NodeId| self.nodes[node.index()].connection().is_some();
        if let Some(source) = router.section.sources_now().iter().find(open) {
            self.at = Some(source.index());
        }
    }

    pub(super) fn no_node_is_open(&self) -> bool {
        self.nodes.iter().all(|node| node.connection().is_none())
    }
}
