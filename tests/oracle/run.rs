//! Runs scripts on a cluster by a routed handle, beside a plain handle on a server of its own, and looks at the replicas.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::time::Duration;

use harness::{Cluster, Family, NodeState, Spec};
use mysqlclient_ms::cluster::Clusters;
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::error::{Error, Origin};
use mysqlclient_ms::options::{self, TlsMode};
use mysqlclient_ms::result::StoredRows;
use mysqlclient_ms::session::{ConnectArgs, Environment, Session};

use crate::suites::Script;
use crate::{Report, judge, refused, script};

const USER: &str = "oracle";
const PASSWORD: &str = "oraclepw";

/// Everything that works on data, and nothing that works on servers.
const RIGHTS: &str = "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, REFERENCES, INDEX, ALTER, CREATE TEMPORARY TABLES, \
    LOCK TABLES, EXECUTE, CREATE VIEW, SHOW VIEW, CREATE ROUTINE, ALTER ROUTINE, EVENT, TRIGGER, SHOW DATABASES, PROCESS, \
    CREATE USER";

/// `SERVER_STATUS_IN_TRANS`.
const IN_TRANSACTION: u16 = 1;

/// How long one statement may take. None of the plain ones comes near it.
const LIMIT: Duration = Duration::from_secs(10);

/// An answer with these words in the statement belongs to one server or one moment.
const OF_ONE_SERVER: &[&str] = &[
    "INFORMATION_SCHEMA",
    "PERFORMANCE_SCHEMA",
    "SYS.",
    "MYSQL.",
    "SHOW",
    "EXPLAIN",
    "DESC",
    "UUID",
    "RAND",
    "CONNECTION_ID",
    "PROCESSLIST",
    "SERVER_ID",
    "SERVER_UUID",
    "HOSTNAME",
    "DATADIR",
    "GTID",
    "SOCKET",
    "PORT",
    "PID_FILE",
    "LOG_",
    "TMPDIR",
    "SYS_GUID",
    "PSEUDO_THREAD",
    "OPTIMIZER_TRACE",
    "LAST_QUERY_COST",
    "SYSDATE",
    "NOW(6)",
    "TIMESTAMP(6)",
    "READ_ONLY",
    "FORMAT_BYTES",
    "STATEMENT_DIGEST",
    "RANDOM_BYTES",
    "ENCRYPT",
];

/// With these words a statement writes another value each time.
const OF_ONE_MOMENT: &[&str] =
    &["RAND(", "RAND (", "UUID(", "UUID_SHORT(", "RANDOM_BYTES(", "SYS_GUID(", "CONNECTION_ID("];

/// The cluster and the single server.
struct Servers {
    cluster: Cluster,
    alone: Cluster,
    clusters: Clusters,
    _folder: tempfile::TempDir,
}

pub struct Oracle {
    family: Family,
    servers: Servers,
    report: Report,
    /// Plain reads of the present handle that state kept on the source.
    kept: u32,
    /// What [`made_inside`] found in this script.
    made_inside: HashSet<String>,
    /// The two sides have gone different ways in this script, because one of them was too slow: no answer is compared.
    astray: bool,
}

/// After so many reads that state keeps on the source the script goes on with new handles, on both sides: what keeps a handle
/// on its node is seldom taken away by a test, and the rest of its reads would say nothing about replicas.
const PATIENCE: u32 = 8;

/// One statement's answer: its results' rows, sorted, or the number of its error.
#[derive(PartialEq, Eq, Debug)]
enum Answer {
    Rows(Vec<Vec<String>>),
    Failed(u32),
}

fn start(family: Family) -> Servers {
    let spec = |replicas| {
        let mut spec = Spec::new(family, replicas)
            // nobody cuts the power: tests of ALTER TABLE would wait for the disk most of the time
            .server_arg("--innodb-flush-method=nosync")
            .server_arg("--innodb-lock-wait-timeout=2")
            .server_arg("--lock-wait-timeout=3")
            .server_arg("--log-bin-trust-function-creators=1")
            .server_arg("--event-scheduler=OFF")
            .server_arg("--max-allowed-packet=16M");
        spec = match family {
            Family::MariaDb => spec.server_arg("--max-statement-time=5").server_arg("--read-only=OFF"),
            Family::MySql => spec
                .server_arg("--max-execution-time=5000")
                .server_arg("--super-read-only=OFF")
                .server_arg("--read-only=OFF"),
        };
        spec
    };
    let cluster = Cluster::start(spec(2)).unwrap();
    let alone = Cluster::start(spec(0).general_log(false)).unwrap();
    for at in [&cluster, &alone] {
        at.sql(0, &format!("CREATE USER '{USER}'@'%' IDENTIFIED BY '{PASSWORD}'")).unwrap();
        at.sql(0, &format!("GRANT {RIGHTS} ON *.* TO '{USER}'@'%' WITH GRANT OPTION")).unwrap();
        at.wait_in_step().unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("oracle.json");
    let node = |n: usize| {
        let at = cluster.endpoint(n);
        format!(r#"{{"host": "{}", "port": {}}}"#, at.host, at.port)
    };
    let text = format!(
        r#"{{"oracle": {{"master": {{"source": {}}}, "slave": {{"r1": {}, "r2": {}}}, "filters": {{"roundrobin": {{}}}},
            "consistency": {{"level": "session", "wait_ms": 5000}}}}}}"#,
        node(0),
        node(1),
        node(2)
    );
    let mut open = File::options();
    open.write(true).create_new(true).mode(0o600).open(&file).unwrap().write_all(text.as_bytes()).unwrap();
    let variable = |name: &str, value: &std::ffi::OsStr| (OsString::from(name), value.to_owned());
    let clusters = Clusters::new(
        [variable("MYSQLND_MS_ENABLE", "1".as_ref()), variable("MYSQLND_MS_CONFIG_FILE", file.as_os_str())],
        false,
    );
    Servers { cluster, alone, clusters, _folder: folder }
}

impl Servers {
    /// The databases and accounts of the last script are gone on both, the database `test` is new.
    fn clean(&self, family: Family) -> harness::Result<()> {
        for at in [&self.cluster, &self.alone] {
            for row in at.sql(0, "XA RECOVER")?.rows {
                let word = |column: usize| row[column].clone().unwrap_or_default();
                let _ = at.sql(0, &format!("XA ROLLBACK '{}'", word(3)));
            }
            let databases = at.sql(
                0,
                "SELECT schema_name FROM information_schema.schemata WHERE schema_name NOT IN \
                 ('mysql', 'sys', 'information_schema', 'performance_schema', 'harness_check')",
            )?;
            for name in databases.rows.iter().filter_map(|row| row[0].clone()) {
                at.sql(0, &format!("DROP DATABASE `{}`", name.replace('`', "``")))?;
            }
            let kept = format!("'root', 'app', 'admin', 'repl', '{USER}', 'mariadb.sys', 'PUBLIC'");
            let accounts = at.sql(
                0,
                &format!(
                    "SELECT CONCAT(QUOTE(user), IF(host = '', '', CONCAT('@', QUOTE(host)))), host FROM mysql.user WHERE \
                     user NOT IN ({kept}) AND user NOT LIKE 'mysql.%'"
                ),
            )?;
            for row in &accounts.rows {
                let role = family == Family::MariaDb && row[1].as_deref() == Some("");
                let word = if role { "ROLE" } else { "USER" };
                at.sql(0, &format!("DROP {word} {}", row[0].clone().unwrap_or_default()))?;
            }
            at.sql(0, "CREATE DATABASE test CHARACTER SET utf8mb4")?;
            at.wait_in_step()?;
        }
        Ok(())
    }

    fn routed(&self) -> Result<Session, Error> {
        self.open(Some("oracle"))
    }

    fn plain(&self) -> Result<Session, Error> {
        self.open(None)
    }

    fn open(&self, section: Option<&str>) -> Result<Session, Error> {
        let mut session = Session::new(options::Family::MySql);
        session.options().tls.mode = TlsMode::Disabled;
        session.options().get_server_public_key = true;
        session.options().read_timeout = Some(LIMIT);
        session.options().write_timeout = Some(LIMIT);
        let at = self.alone.endpoint(0);
        let args = ConnectArgs {
            host: Some(section.unwrap_or(&at.host).into()),
            port: if section.is_some() { 0 } else { at.port },
            user: Some(USER.into()),
            password: Some(PASSWORD.into()),
            database: Some("test".into()),
            ..ConnectArgs::default()
        };
        block_on(session.connect(args, &Environment::default(), &self.clusters))?;
        Ok(session)
    }

    /// Of these names those that no function of the server itself has: a call without a schema means that one. What is a word
    /// of the grammar (`POINT`) is called by its quoted name only, and has a `` ` `` in front.
    fn stored(&self, names: HashSet<String>) -> HashSet<String> {
        let of = |name: String| {
            let error = self.alone.sql(0, &format!("SELECT {name}()")).err()?.to_string();
            if error.contains("1064: ") {
                return Some(format!("`{name}"));
            }
            ["1305: ", "1630: ", "1046: "].iter().any(|code| error.contains(code)).then_some(name)
        };
        names.into_iter().filter_map(of).collect()
    }

    /// Ends what a statement that took too long has left on the servers.
    fn end_connections(&self) {
        for at in [&self.cluster, &self.alone] {
            for n in at.nodes() {
                let list = format!("SELECT id FROM information_schema.processlist WHERE user = '{USER}'");
                for row in at.sql(n, &list).map(|rows| rows.rows).unwrap_or_default() {
                    let _ = at.sql(n, &format!("KILL {}", row[0].clone().unwrap_or_default()));
                }
            }
        }
    }

    fn all_up(&self) -> bool {
        let up = |at: &Cluster| at.nodes().all(|n| at.state(n) == NodeState::Up);
        up(&self.cluster) && up(&self.alone)
    }

    /// Why a replica applies nothing any more.
    fn stopped(&self, n: usize) -> Option<String> {
        let status = self.cluster.replica_status(n).unwrap();
        status.get("Last_SQL_Error").filter(|text| !text.is_empty()).map(str::to_owned)
    }

    /// Transactions that a replica has made itself.
    fn own_transactions(&self, family: Family, n: usize) -> String {
        let text = match family {
            Family::MariaDb => format!(
                "SELECT COALESCE(REGEXP_SUBSTR(@@GLOBAL.gtid_binlog_state, '[0-9]+-{}-[0-9]+'), '')",
                self.cluster.endpoint(n).server_id
            ),
            Family::MySql => {
                "SELECT COALESCE(REGEXP_SUBSTR(@@GLOBAL.gtid_executed, CONCAT(@@GLOBAL.server_uuid, ':[0-9:-]+')), '')"
                    .to_owned()
            }
        };
        self.cluster.sql(n, &text).unwrap().scalar().to_owned()
    }

    /// Transactions of the handle's that hold locks or have changed rows on a replica.
    fn locks(&self, n: usize) -> String {
        let text = format!(
            "SELECT COUNT(*) FROM information_schema.innodb_trx JOIN information_schema.processlist ON \
             id = trx_mysql_thread_id WHERE user = '{USER}' AND (trx_rows_locked > 0 OR trx_rows_modified > 0)"
        );
        self.cluster.sql(n, &text).unwrap().scalar().to_owned()
    }
}

fn run(session: &mut Session, sql: &[u8]) -> Result<Answer, Error> {
    match results(session, sql) {
        Ok(rows) => Ok(Answer::Rows(rows)),
        Err(error) if error.origin == Origin::Server => Ok(Answer::Failed(error.code)),
        Err(error) if error.code < 2006 => Ok(Answer::Failed(error.code)),
        Err(error) => Err(error),
    }
}

fn results(session: &mut Session, sql: &[u8]) -> Result<Vec<Vec<String>>, Error> {
    let mut all = Vec::new();
    block_on(session.run(sql))?;
    loop {
        let mut rows = StoredRows::default();
        if let Some(columns) = block_on(session.store_result(&mut rows))? {
            for row in 0..rows.len() {
                let value = |column| match rows.value(row, column) {
                    Some(value) => String::from_utf8_lossy(&value).into_owned(),
                    None => "NULL".to_owned(),
                };
                all.push((0..columns.len()).map(value).collect());
            }
        }
        if !block_on(session.next_result())? {
            all.sort();
            return Ok(all);
        }
    }
}

/// Names of views that a script makes of its functions and sequences (the default of a column may be one's next value), in
/// capitals: nobody can see from the outside that reading one is a call. Replicas that are read-only refuse what writes, and the source is asked (docs/quirks.md); these here are not.
fn views_of(statements: &[Vec<u8>], functions: &HashSet<String>) -> HashSet<String> {
    let mut names = HashSet::new();
    for sql in statements {
        let text = String::from_utf8_lossy(sql).to_uppercase();
        let words: Vec<&str> =
            text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
        let makes = ["CREATE", "ALTER"].iter().any(|word| words.first() == Some(word));
        let Some(view) = words.iter().position(|word| *word == "VIEW").filter(|_| makes) else { continue };
        let counts = words.iter().any(|word| ["NEXTVAL", "SETVAL", "DEFAULT"].contains(word))
            || words.windows(2).any(|pair| pair == ["NEXT", "VALUE"]);
        if counts || words.iter().any(|word| functions.contains(*word) || names.contains(*word)) {
            let name = words[view + 1..].iter().find(|word| !["IF", "NOT", "EXISTS", "TEST"].contains(word));
            names.extend(name.map(|name| (*name).to_owned()));
        }
    }
    names
}

/// Names of temporary tables that stored programs of a script make, in capitals. Nobody can see from the outside that a write
/// fires a trigger which makes one, and no server reports it (docs/quirks.md): the handle's replicas do not know such a table.
fn made_inside(statements: &[Vec<u8>]) -> HashSet<String> {
    let mut names = HashSet::new();
    for sql in statements {
        let words: Vec<String> = judge::words(&String::from_utf8_lossy(sql)).collect();
        let program =
            ["PROCEDURE", "FUNCTION", "TRIGGER"].iter().any(|kind| words.iter().take(12).any(|word| word == kind));
        if words.first().is_none_or(|word| word != "CREATE") || !program {
            continue;
        }
        for (at, _) in words.windows(2).enumerate().filter(|(_, two)| *two == ["TEMPORARY", "TABLE"]) {
            names
                .extend(words[at + 2..].iter().find(|word| !["IF", "NOT", "EXISTS"].contains(&word.as_str())).cloned());
        }
    }
    names
}

/// Names of stored functions that a script makes, in capitals.
fn functions_of(statements: &[Vec<u8>]) -> HashSet<String> {
    let mut names = HashSet::new();
    for sql in statements {
        let text = String::from_utf8_lossy(sql).to_uppercase();
        let mut words = text.split(|c: char| c.is_whitespace() || "(`.".contains(c)).filter(|word| !word.is_empty());
        if !text.trim_start().starts_with("CREATE") || words.by_ref().take(12).all(|word| word != "FUNCTION") {
            continue;
        }
        let name = words.find(|word| !["IF", "NOT", "EXISTS", "TEST"].contains(word));
        names.extend(name.map(str::to_owned));
    }
    names
}

impl Oracle {
    pub fn start(family: Family) -> Oracle {
        Oracle {
            family,
            servers: start(family),
            report: Report::default(),
            kept: 0,
            made_inside: HashSet::new(),
            astray: false,
        }
    }

    pub fn report(self) -> Report {
        self.report
    }

    pub fn run(&mut self, script: &Script) {
        let statements = script::statements(&std::fs::read(&script.path).unwrap());
        if let Err(error) = self.servers.clean(self.family) {
            self.report.remarks.push(format!("{}: new servers, cleaning failed: {error}", script.name));
            self.servers = start(self.family);
        }
        for n in 1..3 {
            File::options().write(true).open(self.servers.cluster.general_log_path(n)).unwrap().set_len(0).unwrap();
        }
        let mut handles = (self.servers.routed().unwrap(), self.servers.plain().unwrap());
        self.kept = 0;
        self.astray = false;
        self.made_inside = made_inside(&statements);
        let functions = self.servers.stored(functions_of(&statements));
        let views = views_of(&statements, &functions);
        let began = std::time::Instant::now();
        for sql in &statements {
            if let Some(why) = refused::reason(sql) {
                *self.report.left_out.entry(why).or_default() += 1;
                continue;
            }
            let schema = handles.0.schema().map(<[u8]>::to_vec);
            let done = self.statement(script, &mut handles, sql);
            let leave = self.kept >= PATIENCE && handles.0.outcome().status & IN_TRANSACTION == 0;
            if done.is_some() && !leave {
                continue;
            }
            self.kept = 0;
            if done.is_none() {
                self.astray = true;
                // one of them took too long, or its server is gone
                if !self.servers.all_up() {
                    break;
                }
                self.servers.end_connections();
            }
            // a new handle is promised nothing of what the old one wrote
            if let Err(error) = self.servers.cluster.wait_in_step() {
                self.report.remarks.push(format!("{}: broken off: {error}", script.name));
                break;
            }
            handles = match (self.servers.routed(), self.servers.plain()) {
                (Ok(routed), Ok(plain)) => (routed, plain),
                // the database is gone, as the script wants it
                _ => break,
            };
            if let Some(schema) = schema {
                // a lazy handle would take any name
                if block_on(handles.1.select_db(&schema)).is_ok() {
                    block_on(handles.0.select_db(&schema)).unwrap();
                }
            }
        }
        if began.elapsed() > Duration::from_secs(20) {
            self.report.remarks.push(format!("{} took {} s", script.name, began.elapsed().as_secs()));
        }
        if self.servers.all_up() {
            self.look(script, &functions, &views);
            drop(handles);
        } else {
            self.report.remarks.push(format!("{}: new servers, one has ended", script.name));
            self.servers = start(self.family);
        }
    }

    /// Runs one statement on both; None if the handles are of no use any more.
    fn statement(&mut self, script: &Script, handles: &mut (Session, Session), sql: &[u8]) -> Option<()> {
        let (routed, plain) = handles;
        self.report.statements += 1;
        let text = String::from_utf8_lossy(sql).into_owned();
        if std::env::var_os("ORACLE_TRACE").is_some() {
            eprintln!("{}: {text}", script.name);
        }
        let plainly = routed.outcome().status & IN_TRANSACTION == 0 && judge::is_query(&text);
        let mut ours = run(routed, sql);
        let node = routed.node().unwrap_or(0);
        let mut theirs = run(plain, sql);
        if ours.is_ok() && plainly {
            self.report.reads += 1;
            if node > 0 {
                self.report.reads_on_replicas += 1;
            } else {
                let decision = routed.last_decision().map(|text| String::from_utf8_lossy(text).into_owned());
                let why = decision.as_deref().and_then(|text| text.split_once("reason=")).map_or("", |(_, why)| why);
                let why = why.split("sql=").next().unwrap_or_default().trim();
                self.kept += 1;
                *self.report.stayed.entry(why.to_owned()).or_default() += 1;
            }
        }
        let (Ok(_), Ok(_)) = (&ours, &theirs) else { return None };
        let upper = text.to_uppercase();
        // a write, or the default of a column, that gives each side a value of its own
        self.astray |= !judge::is_query(&text) && OF_ONE_MOMENT.iter().any(|word| upper.contains(word));
        // MariaDB's replicas fill a new column from a sequence with other values than their source, or stop
        self.astray |= upper.starts_with("ALTER TABLE") && (upper.contains("NEXT VALUE") || upper.contains("NEXTVAL"));
        if !judge::is_query(&text) && ours.as_ref().ok() != theirs.as_ref().ok() {
            // a lock that one side did not get in time, or a write that says when or where it ran
            let failed = |answer: &Result<Answer, Error>| matches!(answer, Ok(Answer::Failed(_)));
            self.astray |= failed(&ours) != failed(&theirs);
        }
        if node > 0 && !self.astray && !OF_ONE_SERVER.iter().any(|word| upper.contains(word)) {
            self.report.compared += 1;
            if ours != theirs {
                // once more: what changes by itself is not compared
                let before = theirs;
                ours = run(routed, sql);
                theirs = run(plain, sql);
                let (Ok(ours), Ok(theirs), Ok(before)) = (&ours, &theirs, &before) else { return None };
                // a table whose tablespace was discarded: which of these it is depends on how that came about
                let unusable = |answer: &Answer| matches!(answer, Answer::Failed(1030 | 1812 | 1814));
                // one table less than the source has
                let hidden =
                    *ours == Answer::Failed(1146) && judge::words(&text).any(|word| self.made_inside.contains(&word));
                if hidden {
                    let remark = format!("{}: a table that a trigger made is on its node only: {text}", script.name);
                    self.report.remarks.push(remark);
                } else if ours != theirs && before == theirs && !(unusable(ours) && unusable(theirs)) {
                    let (ours, theirs) = (shown(ours), shown(theirs));
                    let fault = format!("{}: {text}\n    a replica says {ours}, a plain handle {theirs}", script.name);
                    self.report.fault(fault);
                }
            }
        }
        Some(())
    }

    /// What the script has left on the replicas.
    fn look(&mut self, script: &Script, functions: &HashSet<String>, views: &HashSet<String>) {
        let servers = &self.servers;
        let mut renew = false;
        let mut calls = 0;
        for n in 1..3 {
            let mut faults = Vec::new();
            let locks = servers.locks(n);
            if locks != "0" {
                faults.push(format!("{locks} transactions with locks or changes"));
            }
            let mut by_view = HashSet::new();
            for entry in servers.cluster.general_log(n).unwrap() {
                if judge::words(&entry.argument).any(|word| views.contains(&word)) {
                    // what a function does is in MariaDB's log, too
                    by_view.insert(entry.thread_id);
                    calls += 1;
                    continue;
                } else if judge::is_query(&entry.argument) {
                    by_view.remove(&entry.thread_id);
                } else if by_view.contains(&entry.thread_id) {
                    continue;
                }
                if entry.user == USER && ["Query", "Prepare", "Execute"].contains(&entry.command.as_str()) {
                    let fault = judge::fault(&entry.argument, functions);
                    faults.extend(fault.map(|why| format!("{} ({why})", entry.argument)));
                }
            }
            let own = servers.own_transactions(self.family, n);
            if !own.is_empty() && calls > 0 {
                renew = true;
            } else if !own.is_empty() {
                renew = true;
                faults.push(format!("transactions of its own: {own}"));
            }
            if let Some(error) = servers.stopped(n) {
                renew = true;
                self.report.remarks.push(format!("{}: new servers, replication stopped: {error:.200}", script.name));
            }
            faults.iter().for_each(|fault| self.report.fault(format!("{}: replica {n}: {fault}", script.name)));
            if renew {
                break;
            }
        }
        if calls > 0 {
            self.report
                .remarks
                .push(format!("{}: {calls} reads of views over stored functions and sequences", script.name));
        }
        if renew {
            self.servers = start(self.family);
        }
    }
}

fn shown(answer: &Answer) -> String {
    let text = match answer {
        Answer::Rows(rows) => format!("{} rows {:?}", rows.len(), rows.iter().take(5).collect::<Vec<_>>()),
        Answer::Failed(code) => format!("error {code}"),
    };
    text.chars().take(300).collect()
}
