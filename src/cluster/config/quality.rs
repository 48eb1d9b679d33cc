//! What a section promises its reads: the filter `quality_of_service` and the key `consistency`.

use std::time::Duration;

use super::json::{Json, Value};
use super::reader::Reader;

/// What a read is promised to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Everything that was committed: sources only.
    Strong,
    /// Everything that the session wrote itself; see [`Scope`].
    Session,
    /// Nothing.
    Eventual,
}

impl Level {
    /// Its name in hints and in the file.
    pub fn name(self) -> &'static str {
        match self {
            Level::Strong => "strong",
            Level::Session => "session",
            Level::Eventual => "eventual",
        }
    }
}

/// Whose writes a read under [`Level::Session`] sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Those of its own handle.
    #[default]
    Handle,
    /// Those of all handles of the process that use the section under the same account.
    Process,
    /// Those of all processes of the system's user that do; see [`crate::cluster::board`].
    Host,
}

/// What is done when a replica does not get as far as a read needs within [`Consistency::wait`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnTimeout {
    /// The read runs on a source.
    #[default]
    Source,
    /// The read fails with 2000.
    Error,
    /// The read's answer is taken as it is, and counted.
    Stale,
}

/// The key `consistency`, and the level of `quality_of_service`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consistency {
    /// None: session where the servers have GTIDs; where they have none, eventual, and for connects that a `match` rule
    /// brought here as with `master_on_write`.
    pub level: Option<Level>,
    /// Default: handle.
    pub scope: Scope,
    /// How long a replica may wait for what a read needs. Default 200 ms; 0 asks without waiting.
    pub wait: Duration,
    /// Default: the source.
    pub on_timeout: OnTimeout,
    /// Under [`Level::Eventual`]: replicas that are later are not read from. None = any.
    pub max_lag: Option<Duration>,
    /// A read waits for the writes to its own tables only. What is known of tables, and of writes by table, is kept for so long.
    /// None = a read waits for all writes.
    pub tables: Option<Duration>,
    /// Reads do not go back in time.
    pub monotonic: bool,
}

impl Default for Consistency {
    fn default() -> Self {
        Consistency {
            level: None,
            scope: Scope::default(),
            wait: Duration::from_millis(200),
            on_timeout: OnTimeout::default(),
            max_lag: None,
            tables: None,
            monotonic: false,
        }
    }
}

/// The words of levels, for the file and for connect attributes.
pub const LEVELS: &[(&str, Level)] =
    &[("strong", Level::Strong), ("session", Level::Session), ("eventual", Level::Eventual)];

/// The words of scopes, likewise.
pub const SCOPES: &[(&str, Scope)] = &[("handle", Scope::Handle), ("process", Scope::Process), ("host", Scope::Host)];

const ON_TIMEOUT: &[(&str, OnTimeout)] = &[
    ("primary", OnTimeout::Source),
    ("master", OnTimeout::Source),
    ("error", OnTimeout::Error),
    ("stale", OnTimeout::Stale),
];

/// Reads the key `consistency`: an object, or the level alone.
pub(super) fn read(reader: &mut Reader<'_>, json: &Json<'_>, path: &str) -> Consistency {
    let mut consistency = Consistency::default();
    if let Value::Text(_) = json.value {
        consistency.level = reader.word(json, path, LEVELS);
        return consistency;
    }
    let Some(object) = reader.object(json, path) else { return consistency };
    reader.keys(&object, &["level", "scope", "wait_ms", "on_timeout", "max_lag_ms", "tables", "monotonic"], &[]);
    if let Some(json) = object.get("level") {
        consistency.level = reader.word(json, &object.path_of("level"), LEVELS);
    }
    if let Some(json) = object.get("scope") {
        consistency.scope = reader.word(json, &object.path_of("scope"), SCOPES).unwrap_or_default();
    }
    if let Some(json) = object.get("wait_ms")
        && let Some(wait) = reader.number(json, &object.path_of("wait_ms"), "milliseconds", 0..=60_000)
    {
        consistency.wait = Duration::from_millis(wait);
    }
    if let Some(json) = object.get("on_timeout") {
        consistency.on_timeout = reader.word(json, &object.path_of("on_timeout"), ON_TIMEOUT).unwrap_or_default();
    }
    if let Some(json) = object.get("max_lag_ms") {
        let path = object.path_of("max_lag_ms");
        let limit = reader.number(json, &path, "milliseconds", 1..=MOST_LAG_MS);
        consistency.max_lag = limit.map(Duration::from_millis);
        if consistency.level != Some(Level::Eventual) {
            reader.wrong(json.at, &path, "goes with the level eventual", "the others promise more");
        }
    }
    if let Some(json) = object.get("tables") {
        consistency.tables = tables(reader, json, &object.path_of("tables"));
    }
    if let Some(json) = object.get("monotonic") {
        let path = object.path_of("monotonic");
        consistency.monotonic = reader.flag(json, &path).unwrap_or_default();
        if consistency.monotonic && consistency.level == Some(Level::Eventual) {
            reader.wrong(json.at, &path, "does not go with the level eventual", "use the level session");
        }
    }
    consistency
}

/// How long what is known of tables is kept, if nothing is said.
const KEEP_TABLES: Duration = Duration::from_secs(60);

/// Reads `tables`: a boolean, or an object with an end time.
fn tables(reader: &mut Reader<'_>, json: &Json<'_>, path: &str) -> Option<Duration> {
    if let Value::Object(_) = json.value {
        let object = reader.object(json, path)?;
        reader.keys(&object, &["keep_ms"], &[]);
        let Some(json) = object.get("keep_ms") else { return Some(KEEP_TABLES) };
        let keep = reader.number(json, &object.path_of("keep_ms"), "milliseconds", 100..=3_600_000);
        return keep.map(Duration::from_millis);
    }
    reader.flag(json, path).unwrap_or_default().then_some(KEEP_TABLES)
}

/// Largest limit of a lag, milliseconds: a year.
pub const MOST_LAG_MS: u64 = 31_536_000_000;

/// The limit that an age in whole seconds means. Servers tell whole seconds, cut: one that tells `age` is in.
pub fn limit_of_age(seconds: u64) -> Duration {
    Duration::from_millis((seconds * 1000 + 999).min(MOST_LAG_MS))
}

/// The key `lag`: how it is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LagSettings {
    /// A measurement that is older is made again, by one process of the host. Default 1 s.
    pub refresh: Duration,
    /// A table whose column `ts` holds the time (UTC) that a program writes there on the source again and again, as
    /// pt-heartbeat does with `--utc`: `schema.table`, ready to be put into a statement.
    pub heartbeat: Option<String>,
}

impl Default for LagSettings {
    fn default() -> Self {
        LagSettings { refresh: Duration::from_secs(1), heartbeat: None }
    }
}

/// Reads the key `lag`.
pub(super) fn lag(reader: &mut Reader<'_>, json: &Json<'_>, path: &str) -> LagSettings {
    let mut lag = LagSettings::default();
    let Some(object) = reader.object(json, path) else { return lag };
    reader.keys(&object, &["refresh_ms", "heartbeat"], &[]);
    if let Some(json) = object.get("refresh_ms")
        && let Some(refresh) = reader.number(json, &object.path_of("refresh_ms"), "milliseconds", 20..=3_600_000)
    {
        lag.refresh = Duration::from_millis(refresh);
    }
    if let Some(json) = object.get("heartbeat") {
        let path = object.path_of("heartbeat");
        if let Some(text) = reader.text(json, &path) {
            let parts: Vec<&str> = text.split('.').collect();
            if let [schema, table] = parts[..]
                && !schema.is_empty()
                && !table.is_empty()
                && !text.contains(['`', '\0'])
            {
                lag.heartbeat = Some(format!("`{schema}`.`{table}`"));
            } else {
                let found = format!("expected schema.table, found {}", json.describe());
                reader.wrong(json.at, &path, found, "for instance percona.heartbeat");
            }
        }
    }
    lag
}

/// Reads the options of the filter `quality_of_service`: exactly one level, and the age that goes with eventual.
pub(super) fn filter(
    reader: &mut Reader<'_>,
    json: Option<&Json<'_>>,
    path: &str,
) -> Option<(Level, Option<Duration>)> {
    const KEYS: &[(&str, Level)] = &[
        ("strong_consistency", Level::Strong),
        ("session_consistency", Level::Session),
        ("eventual_consistency", Level::Eventual),
    ];
    let object = json.and_then(|json| reader.object(json, path))?;
    let names: Vec<&str> = KEYS.iter().map(|(name, _)| *name).collect();
    reader.keys(&object, &names, &[]);
    let mut chosen = KEYS.iter().filter_map(|(name, level)| Some((*name, *level, object.get(name)?)));
    let first = chosen.next();
    let second = chosen.next();
    let remedy = "one of strong_consistency, session_consistency, eventual_consistency";
    match (first, second) {
        (Some((first, ..)), Some((second, _, json))) => {
            reader.wrong(json.at, &object.path_of(second), format!("clashes with `{first}`"), "keep one of them");
            None
        }
        (None, _) => {
            reader.wrong(object.at, path, "expected a consistency level", remedy);
            None
        }
        (Some((name, level, json)), None) => {
            let mut limit = None;
            if let Value::Object(_) = json.value
                && let Some(options) = reader.object(json, &object.path_of(name))
            {
                let (served, later): (&[&str], &[&str]) =
                    if level == Level::Eventual { (&["age"], &["cache"]) } else { (&[], &[]) };
                reader.keys(&options, served, later);
                if let Some(json) = options.get("age").filter(|_| level == Level::Eventual) {
                    let age = reader.number(json, &options.path_of("age"), "seconds", 0..=MOST_LAG_MS / 1000);
                    limit = age.map(limit_of_age);
                }
            }
            Some((level, limit))
        }
    }
}
