//! Statements of the suites that are not run, with the reason for each kind: they would end or break the servers or the
//! accounts of the run, or wait for somebody who does not come. What the account of the run may not do is not here: it is
//! sent, refused by the server, and judged by where it went.

/// The statement's words in capitals contain this, and so it is left out, for this reason.
const WORDS: &[(&str, &str)] = &[
    ("SHUTDOWN", "ends a server"),
    ("RESTART", "ends a server"),
    ("KILL ", "ends connections"),
    ("INSTALL ", "changes the server's own code"),
    ("UNINSTALL ", "changes the server's own code"),
    (" SONAME", "changes the server's own code"),
    ("CHANGE MASTER", "replication belongs to the run"),
    ("CHANGE REPLICATION", "replication belongs to the run"),
    ("START SLAVE", "replication belongs to the run"),
    ("STOP SLAVE", "replication belongs to the run"),
    ("START REPLICA", "replication belongs to the run"),
    ("STOP REPLICA", "replication belongs to the run"),
    ("START GROUP_REPLICATION", "replication belongs to the run"),
    ("STOP GROUP_REPLICATION", "replication belongs to the run"),
    ("START ALL SLAVES", "replication belongs to the run"),
    ("STOP ALL SLAVES", "replication belongs to the run"),
    ("RESET ", "replication belongs to the run"),
    ("PURGE ", "replication belongs to the run"),
    ("BINLOG ", "replication belongs to the run"),
    ("CLONE ", "changes the whole server"),
    ("WITH READ LOCK", "stops the replication that the run needs"),
    ("LOCK INSTANCE", "stops the replication that the run needs"),
    ("BACKUP ", "stops the replication that the run needs"),
    ("LOAD DATA", "reads files of the test suite"),
    ("LOAD XML", "reads files of the test suite"),
    ("SLEEP(", "waits"),
    ("SLEEP (", "waits"),
    ("BENCHMARK(", "waits"),
    ("POS_WAIT", "waits"),
    ("GTID_WAIT", "waits"),
    ("WAIT_FOR_EXECUTED_GTID_SET", "waits"),
    ("WAIT_UNTIL_SQL_THREAD", "waits"),
    ("MYSQL.", "changes the server's own tables"),
    ("USE MYSQL", "changes the server's own tables"),
    ("SET PASSWORD", "may change the run's account"),
    ("CURRENT_USER", "may change the run's account"),
    ("USER()", "may change the run's account"),
    ("OR REPLACE USER", "may change an account of the run"),
    ("'ROOT'", "may change an account of the run"),
    ("ROOT@", "may change an account of the run"),
    ("GTID_NEXT", "replication belongs to the run"),
    ("WSREP", "replication belongs to the run"),
    ("DEBUG_SYNC", "waits"),
];

/// Kinds that only count when the statement does not merely read.
const READS_MAY: &[&str] = &[
    "KILL ",
    "RESET ",
    "PURGE ",
    "BACKUP ",
    "CLONE ",
    "RESTART",
    "SHUTDOWN",
    "BINLOG ",
    "MYSQL.",
    "CURRENT_USER",
    "USER()",
    "'ROOT'",
    "ROOT@",
    "WSREP",
    "INSTALL ",
    "UNINSTALL ",
    "GTID_NEXT",
];

/// Why a statement is not run, if so.
pub fn reason(sql: &[u8]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(sql).to_ascii_uppercase();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let reads =
        ["SELECT", "(", "SHOW", "DESC", "EXPLAIN", "WITH", "TABLE", "VALUES"].iter().any(|word| text.starts_with(word));
    WORDS.iter().find(|(word, _)| text.contains(word) && !(reads && READS_MAY.contains(word))).map(|(_, why)| *why)
}

#[test]
fn what_would_break_the_run_is_left_out_and_reads_about_it_are_not() {
    for sql in ["shutdown", "KILL 5", "SET  PASSWORD = ''", "SELECT SLEEP(5)", "DELETE FROM mysql.user", "RESET MASTER"]
    {
        assert!(reason(sql.as_bytes()).is_some(), "{sql}");
    }
    for sql in ["SELECT * FROM mysql.user", "SELECT @@global.x", "SHOW BINLOG EVENTS", "INSERT INTO t VALUES (1)"] {
        assert!(reason(sql.as_bytes()).is_none(), "{sql}");
    }
}
