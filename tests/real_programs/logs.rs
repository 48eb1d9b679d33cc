//! The servers' general logs: what of an account's entries came from the program, and what from a connection of ours.

use harness::{Cluster, LogEntry, LogMark};

/// Where the logs of a cluster's nodes are now.
pub fn marks(cluster: &Cluster) -> Vec<LogMark> {
    cluster.nodes().map(|n| cluster.log_mark(n).unwrap()).collect()
}

/// What the account `user` did on each node since `marks`.
pub fn seen(cluster: &Cluster, user: &str, marks: &[LogMark]) -> Vec<Vec<LogEntry>> {
    cluster
        .nodes()
        .map(|n| {
            let all = cluster.general_log_since(n, &marks[n]).unwrap();
            all.into_iter().filter(|entry| entry.user == user).collect()
        })
        .collect()
}

/// Whether an entry is what a connection of ours may send on its own account.
pub fn set_up(entry: &LogEntry) -> bool {
    let text = entry.argument.trim_start().to_ascii_uppercase();
    match entry.command.as_str() {
        "Connect" | "Quit" | "Init DB" | "Ping" | "Reset connection" | "Reset Connection" | "Set option" => true,
        "Query" => {
            text.starts_with("SELECT @@SQL_MODE")
                || text.starts_with("SET ") && !text.starts_with("SET @BASKET")
                || asks(&text)
        }
        _ => false,
    }
}

/// The questions that go ahead of reads: has a replica what the session wrote, what has the source executed.
pub fn asks(text: &str) -> bool {
    let questions = [
        "SELECT MASTER_GTID_WAIT(",
        "SELECT WAIT_FOR_EXECUTED_GTID_SET(",
        "SELECT 1-GTID_SUBSET(",
        "SELECT @@GLOBAL.GTID_",
    ];
    questions.iter().any(|question| text.starts_with(question))
}

pub fn listed(entries: &[&LogEntry]) -> String {
    entries.iter().take(20).map(|e| format!("\n    {} {}: {}", e.thread_id, e.command, e.argument)).collect()
}
