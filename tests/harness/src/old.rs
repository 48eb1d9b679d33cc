//! A source and a replica of MySQL 5.6, which has no session tracking: what client-side GTIDs were made for.
//!
//! Not a [`crate::Cluster`]: this server speaks another dialect throughout, has no TLS that anybody would use and a data
//! directory that comes ready made.

use crate::error::{Context, Error, Result};
use crate::family::prefix_of;
use crate::rootsql::{self, Rows};
use crate::template::{self, PATIENCE};
use crate::{APP_PASSWORD, APP_USER, REPL_PASSWORD, REPL_USER, process};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

struct Node {
    folder: PathBuf,
    port: u16,
    child: Child,
}

/// Two servers, node 0 the source. Dropping it ends them and removes their folder.
pub struct OldPair {
    folder: PathBuf,
    /// Held locked as long as this process owns the folder.
    _owner: std::fs::File,
    nodes: Vec<Node>,
}

/// Whether `get-mysql56.sh` has brought the server; with CI set it must have.
///
/// # Panics
/// With `CI` in the environment (not empty), when it is not there: CI fails, it does not skip.
pub fn is_here() -> bool {
    let here = prefix().join("complete").exists();
    if !here && crate::family::non_empty("CI").is_some() {
        panic!("no MySQL 5.6 in {} (tests/harness/get-mysql56.sh brings it)", prefix().display());
    }
    if !here {
        eprintln!("harness: tests of MySQL 5.6 are left out: tests/harness/get-mysql56.sh brings it");
    }
    here
}

fn prefix() -> PathBuf {
    prefix_of("MYSQL56_PREFIX", "mysql56")
}

impl OldPair {
    /// Starts both, the replica following; `gtids`: with the servers' own GTIDs.
    ///
    /// # Errors
    /// In words, with the end of the server's error log.
    pub fn start(gtids: bool) -> Result<OldPair> {
        let (folder, owner) = crate::cluster::make_folder(None)?;
        process::remember_folder(&folder);
        let mut pair = OldPair { folder, _owner: owner, nodes: Vec::new() };
        for n in 0..2 {
            let node = start_node(&pair.folder.join(format!("n{n}")), n, gtids)?;
            pair.nodes.push(node);
        }
        for n in 0..2 {
            // Made on each by itself: positions begin behind it.
            pair.sql(n, &accounts())?;
            pair.sql(n, "RESET MASTER")?;
        }
        let source = format!(
            "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={}, MASTER_USER='{REPL_USER}', \
             MASTER_PASSWORD='{REPL_PASSWORD}', MASTER_CONNECT_RETRY=1{}",
            pair.nodes[0].port,
            if gtids { ", MASTER_AUTO_POSITION=1" } else { "" }
        );
        pair.sql(1, &format!("{source}; START SLAVE; SET GLOBAL read_only=1"))?;
        pair.sql(0, "CREATE DATABASE test")?;
        pair.wait_in_step()?;
        Ok(pair)
    }

    /// Host and port of a node.
    pub fn address(&self, n: usize) -> (String, u16) {
        ("127.0.0.1".to_owned(), self.nodes[n].port)
    }

    /// Runs statements as root.
    ///
    /// # Errors
    /// The server's.
    pub fn sql(&self, n: usize, text: &str) -> Result<Rows> {
        rootsql::query(&self.nodes[n].folder.join("s.sock"), text, PATIENCE).context(|| format!("node {n}: {text}"))
    }

    /// Stops what applies on the replica.
    ///
    /// # Errors
    /// The server's.
    pub fn stop_applier(&self) -> Result<()> {
        self.sql(1, "STOP SLAVE SQL_THREAD").map(drop)
    }

    /// Lets it go on.
    ///
    /// # Errors
    /// The server's.
    pub fn start_applier(&self) -> Result<()> {
        self.sql(1, "START SLAVE SQL_THREAD").map(drop)
    }

    /// Waits until the replica has what the source has.
    ///
    /// # Errors
    /// When it has not after a minute.
    pub fn wait_in_step(&self) -> Result<()> {
        let status = self.sql(0, "SHOW MASTER STATUS")?;
        let (file, at) = (status.get("File").unwrap_or_default(), status.get("Position").unwrap_or_default());
        let waited = self.sql(1, &format!("SELECT MASTER_POS_WAIT('{file}', {at}, 60)"))?;
        match waited.scalar().parse::<i64>() {
            Ok(events) if events >= 0 => Ok(()),
            _ => Err(Error(format!("the replica does not get to {file} {at}: {}", waited.scalar()))),
        }
    }
}

fn start_node(folder: &Path, n: usize, gtids: bool) -> Result<Node> {
    std::fs::create_dir(folder)?;
    std::fs::create_dir(folder.join("tmp"))?;
    template::copy_folder(&prefix().join("data"), &folder.join("data"))?;
    let port = crate::cluster::free_port("127.0.0.1")?;
    let path = |name: &str| folder.join(name).display().to_string();
    let mut command = Command::new(prefix().join("bin/mysqld"));
    command.arg("--no-defaults").args(template::user_args()).args([
        format!("--datadir={}", path("data")),
        format!("--socket={}", path("s.sock")),
        format!("--pid-file={}", path("server.pid")),
        format!("--tmpdir={}", path("tmp")),
        format!("--log-error={}", path("error.log")),
        format!("--port={port}"),
        format!("--server-id={}", n + 1),
    ]);
    command.args([
        "--bind-address=127.0.0.1",
        "--skip-name-resolve",
        "--log-bin=bin",
        "--relay-log=relay",
        "--binlog-format=ROW",
        "--log-slave-updates",
        "--sync-binlog=0",
        "--innodb-flush-log-at-trx-commit=2",
        "--innodb-log-file-size=8M",
        "--innodb-buffer-pool-size=32M",
        "--innodb-use-native-aio=OFF",
        "--performance-schema=OFF",
        "--explicit-defaults-for-timestamp",
        "--slave-net-timeout=10",
    ]);
    if gtids {
        command.args(["--gtid-mode=ON", "--enforce-gtid-consistency"]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = process::spawn(command)?;
    match template::wait_until_answers(&folder.join("s.sock"), &mut child) {
        Ok(()) => Ok(Node { folder: folder.to_owned(), port, child }),
        Err(error) => {
            process::end(&mut child, Duration::ZERO);
            Err(template::with_log(error, &folder.join("error.log")))
        }
    }
}

fn accounts() -> String {
    format!(
        "DELETE FROM mysql.user WHERE User <> 'root' OR Host <> 'localhost'; FLUSH PRIVILEGES;
         CREATE USER '{REPL_USER}'@'%' IDENTIFIED BY '{REPL_PASSWORD}';
         GRANT REPLICATION SLAVE ON *.* TO '{REPL_USER}'@'%';
         CREATE USER '{APP_USER}'@'%' IDENTIFIED BY '{APP_PASSWORD}';
         GRANT ALL PRIVILEGES ON `test`.* TO '{APP_USER}'@'%';
         GRANT ALL PRIVILEGES ON `test\\_%`.* TO '{APP_USER}'@'%'"
    )
}

impl Drop for OldPair {
    fn drop(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(1);
        for node in &mut self.nodes {
            process::end(&mut node.child, deadline.saturating_duration_since(Instant::now()));
        }
        process::forget_folder(&self.folder);
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
