//! What a section does about failures behind a connect: `retry_reads`, `discover`, `probe_ms`, `wait_for_primary_ms`,
//! `transient_error`, and the time limits of its nodes.

use std::time::Duration;

use super::json::{Json, Value};
use super::reader::{Object, Reader};

/// Where the roles of the nodes come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Discover {
    /// The file.
    #[default]
    File,
    /// `read_only` of the servers, as soon as one of them contradicts the file, or cannot be reached.
    ReadOnly,
    /// The roles and states of a MySQL group, then.
    Group,
    /// The states of the nodes of a Galera cluster.
    Galera,
}

impl Discover {
    /// Nodes leave and come back without a word to their clients: they are asked again and again.
    pub fn follows_states(self) -> bool {
        matches!(self, Discover::Group | Discover::Galera)
    }
}

/// The key `transient_error`: errors after which the same command is repeated on the same connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transient {
    /// The servers' numbers, 1 to 9999.
    pub codes: Vec<u32>,
    /// How often a command is repeated. Default 1.
    pub most: u16,
    /// Between two attempts. Default 100 ms.
    pub pause: Duration,
}

/// The key `timeouts` of a section or node: limits where the program has set none. None = no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timeouts {
    /// For connect and login together.
    pub connect: Option<Duration>,
    /// For each wait for bytes of the server.
    pub read: Option<Duration>,
    /// For each wait until bytes can be written.
    pub write: Option<Duration>,
}

impl Timeouts {
    /// These where they say something, `section` elsewhere.
    pub(super) fn or(self, section: Timeouts) -> Timeouts {
        Timeouts {
            connect: self.connect.or(section.connect),
            read: self.read.or(section.read),
            write: self.write.or(section.write),
        }
    }

    /// Sets the limits that the program has not set.
    pub fn apply(&self, options: &mut crate::options::Options) {
        options.connect_timeout = options.connect_timeout.or(self.connect);
        options.read_timeout = options.read_timeout.or(self.read);
        options.write_timeout = options.write_timeout.or(self.write);
    }
}

/// The keys about recovery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovery {
    /// `retry_reads`: a read whose connection broke before the program saw anything of its result runs once more, on another
    /// replica. Default true.
    pub retry_reads: bool,
    /// `discover`.
    pub discover: Discover,
    /// `probe_ms`: how long the servers may take to tell their roles, all together. Default 50 ms.
    pub probe: Duration,
    /// `wait_for_primary_ms`: how long a statement for a source waits for there to be one. Default 0.
    pub wait: Duration,
    /// `wait_for_primary_max`: how many statements of the process may wait at a time. Default 100.
    pub wait_most: u32,
    /// `transient_error`.
    pub transient: Option<Transient>,
    /// `connect_budget_ms`: for all connects of one statement together.
    pub budget: Option<Duration>,
}

impl Default for Recovery {
    fn default() -> Self {
        Recovery {
            retry_reads: true,
            discover: Discover::File,
            probe: Duration::from_millis(50),
            wait: Duration::ZERO,
            wait_most: 100,
            transient: None,
            budget: None,
        }
    }
}

/// The section keys of this file.
pub(super) const KEYS: &[&str] = &[
    "retry_reads",
    "discover",
    "probe_ms",
    "wait_for_primary_ms",
    "wait_for_primary_max",
    "transient_error",
    "connect_budget_ms",
];

/// A limit in milliseconds; 0 = none.
fn limit(reader: &mut Reader<'_>, object: &Object<'_, '_>, key: &str) -> Option<Duration> {
    millis(reader, object, key, 86_400_000).filter(|time| !time.is_zero())
}

fn millis(reader: &mut Reader<'_>, object: &Object<'_, '_>, key: &str, most: u64) -> Option<Duration> {
    let json = object.get(key)?;
    reader.number(json, &object.path_of(key), "milliseconds", 0..=most).map(Duration::from_millis)
}

/// Reads the keys of a section.
pub(super) fn read(reader: &mut Reader<'_>, object: &Object<'_, '_>) -> Recovery {
    let mut recovery = Recovery::default();
    if let Some(json) = object.get("retry_reads") {
        recovery.retry_reads = reader.flag(json, &object.path_of("retry_reads")).unwrap_or(recovery.retry_reads);
    }
    if let Some(json) = object.get("discover") {
        const WORDS: &[(&str, Discover)] = &[
            ("config", Discover::File),
            ("read_only", Discover::ReadOnly),
            ("group_replication", Discover::Group),
            ("galera", Discover::Galera),
        ];
        recovery.discover = reader.word(json, &object.path_of("discover"), WORDS).unwrap_or_default();
    }
    if let Some(json) = object.get("probe_ms") {
        let number = reader.number(json, &object.path_of("probe_ms"), "milliseconds", 1..=60_000);
        recovery.probe = number.map_or(recovery.probe, Duration::from_millis);
    }
    recovery.wait = millis(reader, object, "wait_for_primary_ms", 3_600_000).unwrap_or_default();
    if let Some(json) = object.get("wait_for_primary_max") {
        let number = reader.number(json, &object.path_of("wait_for_primary_max"), "a number of statements", 0..=65535);
        recovery.wait_most = number.and_then(|number| u32::try_from(number).ok()).unwrap_or(recovery.wait_most);
    }
    recovery.transient =
        object.get("transient_error").and_then(|json| transient(reader, json, &object.path_of("transient_error")));
    recovery.budget = limit(reader, object, "connect_budget_ms");
    recovery
}

/// Reads the key `timeouts` of a section or node.
pub(super) fn timeouts(reader: &mut Reader<'_>, object: &Object<'_, '_>) -> Timeouts {
    let Some(json) = object.get("timeouts") else { return Timeouts::default() };
    let Some(object) = reader.object(json, &object.path_of("timeouts")) else { return Timeouts::default() };
    reader.keys(&object, &["connect", "read", "write"], &[]);
    Timeouts {
        connect: limit(reader, &object, "connect"),
        read: limit(reader, &object, "read"),
        write: limit(reader, &object, "write"),
    }
}

fn transient(reader: &mut Reader<'_>, json: &Json<'_>, path: &str) -> Option<Transient> {
    let object = reader.object(json, path)?;
    reader.keys(&object, &["mysql_error_codes", "max_retries", "usleep_retry"], &[]);
    let mut transient = Transient { codes: Vec::new(), most: 1, pause: Duration::from_millis(100) };
    let codes = object.path_of("mysql_error_codes");
    match object.get("mysql_error_codes").map(|json| (json, &json.value)) {
        Some((_, Value::List(list))) => {
            for (place, json) in list.iter().enumerate() {
                let code = reader.number(json, &format!("{codes}[{place}]"), "an error number", 0..=9999);
                match code.and_then(|code| u32::try_from(code).ok()) {
                    // As in the plugin: a 0 ends the list.
                    Some(0) => {
                        reader.note(json.at, &format!("{codes}[{place}]"), "0 ends the list", "");
                        break;
                    }
                    Some(code) => transient.codes.push(code),
                    None => {}
                }
            }
        }
        Some((json, _)) => {
            let text = format!("expected a list of error numbers, found {}", json.describe());
            reader.wrong(json.at, &codes, text, "as in [1205, 1213]");
        }
        None => {}
    }
    if let Some(json) = object.get("max_retries") {
        let number = reader.number(json, &object.path_of("max_retries"), "a number of repeats", 0..=65535);
        transient.most = number.and_then(|number| u16::try_from(number).ok()).unwrap_or(transient.most);
    }
    transient.pause = millis(reader, &object, "usleep_retry", 30_000_000).unwrap_or(transient.pause);
    (!transient.codes.is_empty() && transient.most > 0).then_some(transient)
}

#[cfg(test)]
#[path = "recovery/tests.rs"]
mod tests;
