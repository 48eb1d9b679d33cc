//! Reads a server's general log: what it was really asked, by whom, in which order.

use crate::error::{Context, Result};
use std::collections::HashMap;
use std::path::Path;

/// One command that a server received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// The connection's thread id on that server.
    pub thread_id: u64,
    /// Who that connection belongs to (empty if the log does not say).
    pub user: String,
    /// The kind of command in the server's words: `Connect`, `Query`, `Init DB`, `Prepare`, `Execute`, `Quit`, …
    pub command: String,
    /// The statement or the details; several lines where the statement had them.
    pub argument: String,
}

/// A place in a general log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LogMark(u64);

/// The server's words for commands: a line is the head of an entry only with one of these in it, so that the lines of a
/// statement are not taken for entries.
const COMMANDS: &[&str] = &[
    "Sleep",
    "Quit",
    "Init DB",
    "Query",
    "Field List",
    "Create DB",
    "Drop DB",
    "Refresh",
    "Shutdown",
    "Statistics",
    "Processlist",
    "Connect",
    "Kill",
    "Debug",
    "Ping",
    "Time",
    "Delayed insert",
    "Change user",
    "Binlog Dump",
    "Binlog Dump GTID",
    "Table Dump",
    "Connect Out",
    "Register Slave",
    "Register Replica",
    "Prepare",
    "Execute",
    "Long Data",
    "Close stmt",
    "Reset stmt",
    "Set option",
    "Fetch",
    "Daemon",
    "Bulk_execute",
    "Reset connection",
    "Reset Connection",
    "clone",
    "Error",
];

pub(crate) fn mark(file: &Path) -> Result<LogMark> {
    let length = std::fs::metadata(file).context(|| format!("reading {}", file.display()))?.len();
    Ok(LogMark(length))
}

/// All entries of the log after `mark`. Who a connection belongs to is also taken from before it.
pub(crate) fn read(file: &Path, mark: &LogMark) -> Result<Vec<LogEntry>> {
    let bytes = std::fs::read(file).context(|| format!("reading {}", file.display()))?;
    Ok(parse(&bytes, mark.0))
}

fn parse(bytes: &[u8], from: u64) -> Vec<LogEntry> {
    let mut entries: Vec<LogEntry> = Vec::new();
    let mut users: HashMap<u64, String> = HashMap::new();
    let mut offset = 0;
    let mut wanted = false;
    let mut banner = false;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let after = offset >= from;
        offset += line.len() as u64;
        let text = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line));
        if let Some((thread_id, command, argument)) = head(&text) {
            banner = false;
            if command == "Connect" {
                // "root@localhost on test using Socket", or "Access denied for user 'x'@'y' …"
                let user = argument.split('@').next().unwrap_or_default();
                let user = user.rsplit_once('\'').map_or(user, |(_, name)| name);
                users.insert(thread_id, user.to_string());
            }
            wanted = after;
            if wanted {
                entries.push(LogEntry {
                    thread_id,
                    user: users.get(&thread_id).cloned().unwrap_or_default(),
                    command: command.to_string(),
                    argument: argument.to_string(),
                });
            }
        } else if banner || (text.contains(", Version: ") && text.ends_with("started with:")) {
            // three lines that a server writes when it opens the log; its thread ids start again
            banner = true;
            users.clear();
        } else if let (true, Some(entry)) = (wanted, entries.last_mut()) {
            entry.argument.push('\n');
            entry.argument.push_str(&text);
        }
    }
    entries
}

/// Time (or a tab where it is that of the line before), a tab, the thread id, a space, the command, a tab, the argument.
fn head(line: &str) -> Option<(u64, &str, &str)> {
    let (time, rest) = line.split_once('\t')?;
    let known_time = time.is_empty() || {
        let iso = time.len() >= 20 && time.as_bytes()[10] == b'T';
        let short = time.len() == 15 && time.as_bytes()[6] == b' ';
        (iso || short) && time.starts_with(|first: char| first.is_ascii_digit())
    };
    if !known_time {
        return None;
    }
    let rest = rest.trim_start_matches(['\t', ' ']);
    let digits = rest.find(|character: char| !character.is_ascii_digit())?;
    let thread_id = rest[..digits].parse().ok()?;
    let (command, argument) = rest[digits..].strip_prefix(' ')?.split_once('\t')?;
    COMMANDS.contains(&command).then_some((thread_id, command, argument))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(thread_id: u64, user: &str, command: &str, argument: &str) -> LogEntry {
        LogEntry { thread_id, user: user.into(), command: command.into(), argument: argument.into() }
    }

    #[test]
    fn both_forms_of_time_and_statements_of_several_lines_are_read() {
        let log = "/usr/sbin/mariadbd, Version: 10.11 (Debian). started with:\n\
                   Tcp port: 3306  Unix socket: /s\n\
                   Time\t\t    Id Command\tArgument\n\
                   261130 14:20:00\t     3 Connect\tapp@localhost on test using TCP/IP\n\
                   \t\t     3 Query\tSELECT 1,\n\t\t  2\n\
                   \t\t     3 Init DB\ttest\n\
                   2026-11-30T14:20:00.123456Z\t   12 Query\tSELECT '\tQuery'\n\
                   261130 14:20:01\t     3 Quit\t\n";
        let read = parse(log.as_bytes(), 0);
        assert_eq!(
            read,
            vec![
                entry(3, "app", "Connect", "app@localhost on test using TCP/IP"),
                entry(3, "app", "Query", "SELECT 1,\n\t\t  2"),
                entry(3, "app", "Init DB", "test"),
                entry(12, "", "Query", "SELECT '\tQuery'"),
                entry(3, "app", "Quit", ""),
            ]
        );
    }

    #[test]
    fn a_mark_leaves_out_what_was_before_it_but_knows_the_users() {
        let before = "261130 14:20:00\t     3 Connect\tapp@localhost on test using TCP/IP\n";
        let log = format!("{before}\t\t     3 Query\tSELECT 1\n");
        assert_eq!(parse(log.as_bytes(), before.len() as u64), vec![entry(3, "app", "Query", "SELECT 1")]);
    }
}
