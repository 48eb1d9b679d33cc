//! What the nodes of a cluster are to each other: who follows whom, how far, and who is the primary.

use crate::cluster::{Cluster, NodeState};
use crate::error::{Error, Result};
use crate::family::Family;
use crate::rootsql::Rows;
use crate::template::PATIENCE;
use crate::{REPL_PASSWORD, REPL_USER};
use std::time::{Duration, Instant};

/// How long a replica may take to catch up: one that is made anew has the whole binary log to apply, on a machine that may be busy.
const CATCH_UP_SECONDS: u64 = 240;

impl Cluster {
    /// Stops the thread of replica `n` that applies what it received: from now on it falls behind without bound.
    ///
    /// # Errors
    /// When node `n` is the primary, or does not do it.
    pub fn stop_applier(&self, n: usize) -> Result<()> {
        self.must_be_replica(n)?;
        self.sql(n, &format!("STOP {} SQL_THREAD", self.family().replica()))?;
        self.wait_applier(n, "No")
    }

    /// Lets replica `n` apply again.
    ///
    /// # Errors
    /// When node `n` is the primary, or does not do it.
    pub fn start_applier(&self, n: usize) -> Result<()> {
        self.must_be_replica(n)?;
        self.sql(n, &format!("START {} SQL_THREAD", self.family().replica()))?;
        self.wait_applier(n, "Yes")
    }

    /// Has replica `n` apply everything `seconds` late (0: no longer).
    ///
    /// # Errors
    /// When node `n` is the primary, or does not do it.
    pub fn delay_applier(&self, n: usize, seconds: u32) -> Result<()> {
        self.must_be_replica(n)?;
        let text = match self.family() {
            Family::MariaDb => {
                format!("STOP SLAVE; CHANGE MASTER TO MASTER_DELAY={seconds}; START SLAVE")
            }
            Family::MySql => {
                format!("STOP REPLICA SQL_THREAD; CHANGE REPLICATION SOURCE TO SOURCE_DELAY={seconds}; START REPLICA")
            }
        };
        self.sql(n, &text)?;
        self.wait_replicating(n)?;
        match self.replica_status(n)?.get("SQL_Delay") {
            Some(delay) if delay == seconds.to_string() => Ok(()),
            delay => Err(Error(format!("the delay of node {n} is {delay:?} and not {seconds}"))),
        }
    }

    /// Waits until every replica that is up has applied all that the primary has now.
    ///
    /// # Errors
    /// When one has not after minutes (because its applier is stopped, say).
    pub fn wait_in_step(&self) -> Result<()> {
        if self.group.is_some() {
            return self.on_each(self.replicas_up(), |n| self.wait_group_applied(n));
        }
        let position = self.position(self.primary())?;
        self.on_each(self.replicas_up(), |n| self.wait_applied(n, &position))
    }

    /// Waits until replica `n` has applied all that the primary has now.
    ///
    /// # Errors
    /// When it has not after minutes.
    pub fn wait_replica(&self, n: usize) -> Result<()> {
        self.wait_applied(n, &self.position(self.primary())?)
    }

    /// The GTID position of node `n`: `gtid_current_pos` of MariaDB, `gtid_executed` of MySQL.
    ///
    /// # Errors
    /// The server's.
    pub fn position(&self, n: usize) -> Result<String> {
        let text = match self.family() {
            Family::MariaDb => "SELECT @@GLOBAL.gtid_current_pos",
            Family::MySql => "SELECT REPLACE(@@GLOBAL.gtid_executed, '\\n', '')",
        };
        Ok(self.sql(n, text)?.scalar().to_string())
    }

    /// The GTID position up to which replica `n` has received transactions, applied or not. Empty when it has received none
    /// since it started.
    ///
    /// # Errors
    /// The server's.
    pub fn received(&self, n: usize) -> Result<String> {
        let status = self.replica_status(n)?;
        let received = match self.family() {
            Family::MariaDb => status.get("Gtid_IO_Pos"),
            Family::MySql => status.get("Retrieved_Gtid_Set"),
        };
        Ok(received.unwrap_or_default().replace('\n', ""))
    }

    /// The row of `SHOW REPLICA STATUS` of node `n` (no row on a primary), under the family's own column names.
    ///
    /// # Errors
    /// The server's.
    pub fn replica_status(&self, n: usize) -> Result<Rows> {
        self.sql(n, &format!("SHOW {} STATUS", self.family().replica()))
    }

    /// Makes node `n` the primary; every other node that is up follows it.
    ///
    /// It first applies all that the old primary has, or, when that is down, all that it received from it.
    ///
    /// # Errors
    /// When the node is down or cannot catch up.
    pub fn promote(&self, n: usize) -> Result<()> {
        let old = self.primary();
        if n == old {
            return self.make_writable(n);
        }
        let old_is_up = self.state(old) == NodeState::Up;
        if self.replica_status(n)?.get("SQL_Delay").is_some_and(|delay| delay != "0") {
            match self.family() {
                Family::MySql => self.sql(
                    n,
                    "STOP REPLICA SQL_THREAD; CHANGE REPLICATION SOURCE TO SOURCE_DELAY=0; START REPLICA SQL_THREAD",
                )?,
                // MariaDB throws away what it received when it stops receiving: only with the old primary there
                Family::MariaDb if old_is_up => {
                    self.sql(n, "STOP SLAVE; CHANGE MASTER TO MASTER_DELAY=0; START SLAVE")?
                }
                Family::MariaDb => Rows::default(),
            };
        }
        let position = if old_is_up {
            self.make_read_only(old)?;
            self.position(old)?
        } else {
            self.received(n)?
        };
        self.sql(n, &format!("START {} SQL_THREAD", self.family().replica()))?;
        if !position.is_empty() {
            self.wait_applied(n, &position)?;
        }
        let word = self.family().replica();
        self.sql(n, &format!("STOP {word}; RESET {word} ALL"))?;
        self.make_writable(n)?;
        self.set_primary(n);
        self.on_each(self.replicas_up(), |other| {
            self.make_read_only(other)?;
            self.follow(other, n, other == old)?;
            self.wait_replicating(other)
        })?;
        self.verify()
    }

    /// After a start: node `n` takes its place again.
    pub(crate) fn rejoin(&self, n: usize) -> Result<()> {
        if self.group.is_some() {
            return self.wait_synced(n);
        }
        let primary = self.primary();
        if n == primary {
            return self.make_writable(n);
        }
        self.make_read_only(n)?;
        if self.state(primary) != NodeState::Up {
            return Ok(());
        }
        let status = self.replica_status(n)?;
        let port = status.get("Source_Port").or_else(|| status.get("Master_Port")).unwrap_or_default();
        if port != self.endpoint(primary).port.to_string() {
            self.follow(n, primary, status.rows.is_empty())?;
        } else {
            self.sql(n, &format!("START {}", self.family().replica()))?;
        }
        self.wait_replicating(n)
    }

    /// Has node `n` follow node `source` from where it is. `demoted`: it was a primary until now.
    pub(crate) fn follow(&self, n: usize, source: usize, demoted: bool) -> Result<()> {
        let source = self.endpoint(source);
        let (host, port) = (&source.host, source.port);
        let text = match self.family() {
            Family::MariaDb => {
                // what this server wrote itself counts as its position too, or it would ask for it again
                let own = if demoted { "SET GLOBAL gtid_slave_pos=@@GLOBAL.gtid_current_pos;" } else { "" };
                format!(
                    "STOP SLAVE; {own} CHANGE MASTER TO MASTER_HOST='{host}', MASTER_PORT={port}, \
                     MASTER_USER='{REPL_USER}', MASTER_PASSWORD='{REPL_PASSWORD}', MASTER_USE_GTID=slave_pos, \
                     MASTER_CONNECT_RETRY=1, MASTER_HEARTBEAT_PERIOD=1, MASTER_DELAY=0; START SLAVE"
                )
            }
            Family::MySql => format!(
                "STOP REPLICA; CHANGE REPLICATION SOURCE TO SOURCE_HOST='{host}', SOURCE_PORT={port}, \
                 SOURCE_USER='{REPL_USER}', SOURCE_PASSWORD='{REPL_PASSWORD}', SOURCE_AUTO_POSITION=1, \
                 GET_SOURCE_PUBLIC_KEY=1, SOURCE_CONNECT_RETRY=1, SOURCE_RETRY_COUNT=100000, \
                 SOURCE_HEARTBEAT_PERIOD=1, SOURCE_DELAY=0; START REPLICA"
            ),
        };
        self.sql(n, &text).map(drop)
    }

    /// Waits until both threads of replica `n` run.
    pub(crate) fn wait_replicating(&self, n: usize) -> Result<()> {
        self.wait_status(n, |receiver, applier| receiver == "Yes" && applier == "Yes")
    }

    fn wait_applier(&self, n: usize, wanted: &str) -> Result<()> {
        self.wait_status(n, |_, applier| applier == wanted)
    }

    fn wait_status(&self, n: usize, good: impl Fn(&str, &str) -> bool) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let status = self.replica_status(n)?;
            let field =
                |new: &str, old: &str| status.get(new).or_else(|| status.get(old)).unwrap_or_default().to_string();
            let receiver = field("Replica_IO_Running", "Slave_IO_Running");
            let applier = field("Replica_SQL_Running", "Slave_SQL_Running");
            if good(&receiver, &applier) {
                return Ok(());
            }
            let why = field("Last_SQL_Error", "Last_SQL_Error");
            if !why.is_empty() || Instant::now() > deadline {
                let io = field("Last_IO_Error", "Last_IO_Error");
                return Err(Error(format!(
                    "replication of node {n}: receiver {receiver}, applier {applier}; {why} {io}"
                )));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn wait_applied(&self, n: usize, position: &str) -> Result<()> {
        let text = match self.family() {
            // Whatever limit the servers have for statements.
            Family::MariaDb => format!(
                "SET STATEMENT max_statement_time=0 FOR SELECT MASTER_GTID_WAIT('{position}', {CATCH_UP_SECONDS})"
            ),
            Family::MySql => {
                format!("SELECT WAIT_FOR_EXECUTED_GTID_SET('{position}', {CATCH_UP_SECONDS})")
            }
        };
        match self.sql(n, &text)?.scalar() {
            "0" => Ok(()),
            answer => Err(Error(format!(
                "node {n} has not applied {position} after {CATCH_UP_SECONDS} s (answer '{answer}')"
            ))),
        }
    }

    /// Proves the replication: a write on the primary is seen on every replica that is up.
    pub(crate) fn verify(&self) -> Result<()> {
        let token = format!("{}-{:?}", std::process::id(), Instant::now());
        let primary = self.primary();
        self.sql(
            primary,
            &format!(
                "CREATE DATABASE IF NOT EXISTS harness_check; \
                 CREATE TABLE IF NOT EXISTS harness_check.t (k INT PRIMARY KEY, v VARCHAR(200)); \
                 REPLACE INTO harness_check.t VALUES (1, '{token}')"
            ),
        )?;
        self.wait_in_step()?;
        for n in self.replicas_up() {
            if self.sql(n, "SELECT v FROM harness_check.t WHERE k=1")?.scalar() != token {
                return Err(Error(format!("node {n} does not have what was written on node {primary}")));
            }
        }
        Ok(())
    }

    fn replicas_up(&self) -> Vec<usize> {
        self.nodes().filter(|n| *n != self.primary() && self.state(*n) == NodeState::Up).collect()
    }

    fn must_be_replica(&self, n: usize) -> Result<()> {
        if n == self.primary() { Err(Error(format!("node {n} is the primary"))) } else { Ok(()) }
    }

    /// A replica must not wait for replicas of its own: only the primary's side depends on the role.
    pub(crate) fn semi_sync_options(&self, primary: bool) -> &'static [&'static str] {
        match (self.family(), primary) {
            (Family::MariaDb, true) => &[
                "--rpl-semi-sync-slave-enabled=ON",
                "--rpl-semi-sync-master-timeout=86400000",
                "--rpl-semi-sync-master-wait-point=AFTER_SYNC",
                "--rpl-semi-sync-master-enabled=ON",
            ],
            (Family::MySql, true) => &[
                "--plugin-load-add=semisync_source.so",
                "--plugin-load-add=semisync_replica.so",
                "--loose-rpl-semi-sync-replica-enabled=ON",
                "--loose-rpl-semi-sync-source-timeout=86400000",
                "--loose-rpl-semi-sync-source-enabled=ON",
            ],
            (_, false) => {
                let all = self.semi_sync_options(true);
                &all[..all.len() - 1]
            }
        }
    }

    /// Whether a node that is `up` waits for acknowledgements, for the statement that changes its role.
    fn semi_sync_words(&self, primary: bool) -> &'static str {
        match (self.is_semi_sync(), self.family(), primary) {
            (false, ..) => "",
            (_, Family::MariaDb, true) => "SET GLOBAL rpl_semi_sync_master_enabled=ON;",
            (_, Family::MariaDb, false) => "; SET GLOBAL rpl_semi_sync_master_enabled=OFF",
            (_, Family::MySql, true) => "SET GLOBAL rpl_semi_sync_source_enabled=ON;",
            (_, Family::MySql, false) => "; SET GLOBAL rpl_semi_sync_source_enabled=OFF",
        }
    }

    /// Returns when no commit is under way any more; only then nobody waits for acknowledgements.
    fn make_read_only(&self, n: usize) -> Result<()> {
        let text = match self.family() {
            Family::MariaDb => "SET GLOBAL read_only=ON",
            Family::MySql => "SET GLOBAL super_read_only=ON",
        };
        self.sql(n, &format!("{text}{}", self.semi_sync_words(false))).map(drop)
    }

    pub(crate) fn make_writable(&self, n: usize) -> Result<()> {
        let text = match self.family() {
            Family::MariaDb => "SET GLOBAL read_only=OFF",
            Family::MySql => "SET GLOBAL super_read_only=OFF; SET GLOBAL read_only=OFF",
        };
        self.sql(n, &format!("{}{text}", self.semi_sync_words(true))).map(drop)
    }
}
