//! Reads one section: everything but its nodes' own keys.

use super::json::{Json, Value};
use super::node::{self, OfSection, Watched};
use super::problem::{Problem, Severity};
use super::reader::{Object, Reader, join};
use super::{Failover, MatchRule, Section, Stickiness, Strategy, filters, injection, quality, recovery};
use crate::charset;
use crate::cluster::topology::Role;

/// Section keys that are served.
const SERVED: &[&str] = &[
    "master",
    "slave",
    "server_charset",
    "lazy_connections",
    "failover",
    "master_on_write",
    "trx_stickiness",
    "autocommit_off_reads",
    "filters",
    "consistency",
    "lag",
    "hints",
    "global_transaction_id_injection",
    "zone",
    "board_dir",
    "timeouts",
    "pipelining",
    "match",
    "ssl_mode",
    "ssl_ca",
    "ssl_capath",
    "ssl_cert",
    "ssl_key",
    "ssl_cipher",
    "tls_version",
];

/// Section keys of the plugin, of its fork and of this library's design that are not served yet.
const LATER: &[&str] = &["fabric", "xa", "pick"];

/// Reads the section called `name`. Mistakes are in the reader; with one of them the section refuses connects.
pub(super) fn read(
    reader: &mut Reader<'_>,
    name: &str,
    json: &Json<'_>,
    multi_master: bool,
    watched: &mut Vec<Watched>,
) -> Section {
    let before = reader.problems.len();
    let mut section = Section::empty(name);
    if let Some(object) = reader.object(json, &join("", name)) {
        read_members(reader, &object, &mut section, multi_master, watched);
    }
    let refused = |problem: &&Problem| problem.severity == Severity::Section;
    section.refused = reader.problems[before..].iter().find(refused).cloned();
    section
}

fn read_members(
    reader: &mut Reader<'_>,
    object: &Object<'_, '_>,
    section: &mut Section,
    multi_master: bool,
    watched: &mut Vec<Watched>,
) {
    let before = reader.problems.len();
    reader.keys(object, &[SERVED, recovery::KEYS].concat(), LATER);
    let tls = node::read_tls(reader, object);
    let timeouts = recovery::timeouts(reader, object);
    let pipelining = object.get("pipelining").and_then(|json| reader.flag(json, &object.path_of("pipelining")));
    let of_section = OfSection { tls: &tls, timeouts, pipelining: pipelining.unwrap_or(true) };
    let mut nodes = Vec::new();
    for (key, role) in [("master", Role::Source), ("slave", Role::Replica)] {
        match object.get(key) {
            Some(json) => node::read_list(reader, json, &object.path_of(key), role, of_section, &mut nodes, watched),
            None => {
                let remedy = if role == Role::Replica { "it may be empty: {}" } else { "" };
                reader.wrong(object.at, &object.path, format!("expected the key `{key}`"), remedy);
            }
        }
    }
    section.zone = object.get("zone").and_then(|json| reader.text(json, &object.path_of("zone")));
    section.set_nodes(nodes, multi_master);
    section.board_dir = object.get("board_dir").and_then(|json| board_dir(reader, json, &object.path_of("board_dir")));

    if let Some(json) = object.get("server_charset") {
        let path = object.path_of("server_charset");
        let name = reader.text(json, &path);
        match name.as_deref().map(charset::by_name) {
            Some(Some(charset)) if charset.scheme.fits_clients() => {
                section.server_charset = Some(charset.name().to_owned());
            }
            Some(Some(charset)) => {
                let text = format!("{} cannot be used by clients", charset.name());
                reader.wrong(json.at, &path, text, "for instance utf8mb4");
            }
            Some(None) => {
                let text = format!("expected a character set of MySQL or MariaDB, found {}", json.describe());
                reader.wrong(json.at, &path, text, "for instance utf8mb4");
            }
            None => {}
        }
    }
    let mut flag = |key: &str, default: bool| {
        object.get(key).and_then(|json| reader.flag(json, &object.path_of(key))).unwrap_or(default)
    };
    section.lazy_connections = flag("lazy_connections", true);
    section.source_on_write = flag("master_on_write", false);
    if let Some(json) = object.get("trx_stickiness") {
        const WORDS: &[(&str, Stickiness)] =
            &[("disabled", Stickiness::Disabled), ("master", Stickiness::Source), ("on", Stickiness::On)];
        if let Some(value) = reader.word(json, &object.path_of("trx_stickiness"), WORDS) {
            section.trx_stickiness = value;
        }
    }
    if let Some(json) = object.get("autocommit_off_reads") {
        const WORDS: &[(&str, bool)] = &[("primary", false), ("replica_until_write", true)];
        if let Some(value) = reader.word(json, &object.path_of("autocommit_off_reads"), WORDS) {
            section.replicas_until_write = value;
        }
    }
    if let Some(json) = object.get("failover") {
        section.failover = failover(reader, json, &object.path_of("failover"));
    }
    section.recovery = recovery::read(reader, object);
    if let Some(json) = object.get("consistency") {
        section.consistency = quality::read(reader, json, &object.path_of("consistency"));
    }
    if let Some(json) = object.get("lag") {
        section.lag_settings = quality::lag(reader, json, &object.path_of("lag"));
    }
    if let Some(json) = object.get("hints")
        && let Some(hints) = reader.object(json, &object.path_of("hints"))
    {
        reader.keys(&hints, &["arguments", "force", "word"], &[]);
        let flag = |reader: &mut Reader<'_>, key: &str| {
            hints.get(key).and_then(|json| reader.flag(json, &hints.path_of(key))).unwrap_or(false)
        };
        section.hints.arguments = flag(reader, "arguments");
        section.hints.force = flag(reader, "force");
        if let Some(json) = hints.get("word") {
            section.hints.word = word(reader, json, &hints.path_of("word"));
        }
    }
    if let Some(json) = object.get("global_transaction_id_injection") {
        section.injection = injection::read(reader, json, &object.path_of("global_transaction_id_injection"));
    }
    filters::weights_of_nodes(reader, object, section);
    if let Some(json) = object.get("filters") {
        filters::read(reader, json, &object.path_of("filters"), section);
    }
    if let Some(json) = object.get("match") {
        section.rules = rules(reader, json, &object.path_of("match"));
    }
    if reader.problems[before..].iter().all(|problem| problem.severity == Severity::Note) {
        advise(reader, object, section);
    }
}

/// The word that hints need: of letters, digits, `-` and `_`, so that it can stand in every kind of comment.
fn word(reader: &mut Reader<'_>, json: &Json<'_>, path: &str) -> String {
    let Some(word) = reader.text(json, path) else { return String::new() };
    if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')) {
        return word;
    }
    let text = format!("expected letters, digits, - and _, found {}", json.describe());
    reader.wrong(json.at, path, text, "hints are written as /*WORD:ms=master*/");
    String::new()
}

/// Mentions settings that are legal and surprising.
fn advise(reader: &mut Reader<'_>, object: &Object<'_, '_>, section: &Section) {
    let place = |key: &str| object.get(key).map(|json| json.at);
    if let (true, Some(at)) = (section.sources.is_empty(), place("master")) {
        let remedy = if section.nodes.iter().any(|node| node.role == Role::Source) {
            "the state of the source that is used is not `on`"
        } else {
            "name one node"
        };
        reader.note(at, &object.path_of("master"), "no source: every write fails with 2000", remedy);
    }
    if let (true, Some(at)) = (section.hints.force, place("hints")) {
        let text = "ms=slave sends writes to replicas";
        reader.note(at, &object.path_of("hints"), text, "leave `force` out");
    }
    if let (Some(zone), Some(at)) = (&section.zone, place("zone"))
        && section.local.is_empty()
    {
        let text = format!("no node is in the zone {zone:?}: it prefers nothing");
        reader.note(at, &object.path_of("zone"), text, r#"give nodes a "zone""#);
    }
    if let (true, Strategy::Disabled, Some(at)) =
        (section.replicas.is_empty(), section.failover.strategy, place("slave"))
        && !section.sources.is_empty()
    {
        let text = "no replica, and failover is disabled: every plain read fails with 2000";
        reader.note(at, &object.path_of("slave"), text, r#"set "failover": "master", or name a replica"#);
    }
    if let (Stickiness::Disabled, Some(at)) = (section.trx_stickiness, place("trx_stickiness")) {
        let text = "reads inside a transaction may leave its node";
        reader.note(at, &object.path_of("trx_stickiness"), text, "remove the key: the default is `on`");
    }
}

/// A folder, or an empty text for no board at all.
fn board_dir(reader: &mut Reader<'_>, json: &Json<'_>, path: &str) -> Option<std::path::PathBuf> {
    match &json.value {
        Value::Text(text) if text.is_empty() => Some(std::path::PathBuf::new()),
        _ => reader.path(json, path),
    }
}

const STRATEGIES: &[(&str, Strategy)] = &[
    ("disabled", Strategy::Disabled),
    ("master", Strategy::Source),
    ("loop_before_master", Strategy::LoopBeforeSource),
];

fn failover(reader: &mut Reader<'_>, json: &Json<'_>, path: &str) -> Failover {
    let mut failover = Failover::default();
    let strategy = match &json.value {
        // The spelling before 1.4: a word, or a list with one word.
        Value::Text(_) => Some((json, path.to_owned())),
        Value::List(list) if list.is_empty() => None,
        Value::List(list) => {
            if let Some(second) = list.get(1) {
                reader.wrong(second.at, &format!("{path}[1]"), "expected one strategy", "");
            }
            list.first().map(|json| (json, format!("{path}[0]")))
        }
        _ => {
            let Some(object) = reader.object(json, path) else {
                return failover;
            };
            reader.keys(&object, &["strategy", "max_retries", "remember_failed"], &[]);
            if let Some(json) = object.get("max_retries") {
                let number = reader.number(json, &object.path_of("max_retries"), "a number of candidates", 0..=65535);
                failover.max_retries = number.and_then(|number| u16::try_from(number).ok()).unwrap_or(0);
            }
            if let Some(json) = object.get("remember_failed") {
                failover.remember_failed =
                    reader.flag(json, &object.path_of("remember_failed")).unwrap_or(failover.remember_failed);
            }
            object.get("strategy").map(|json| (json, object.path_of("strategy")))
        }
    };
    if let Some((json, path)) = strategy {
        failover.strategy = reader.word(json, &path, STRATEGIES).unwrap_or(failover.strategy);
    }
    failover
}

const RULE_KEYS: &[&str] = &["host", "port", "socket", "user", "database"];

fn rules(reader: &mut Reader<'_>, json: &Json<'_>, path: &str) -> Vec<MatchRule> {
    let entries: Vec<(&Json<'_>, String)> = match &json.value {
        Value::List(list) => list.iter().enumerate().map(|(i, json)| (json, format!("{path}[{i}]"))).collect(),
        _ => vec![(json, path.to_owned())],
    };
    let mut rules = Vec::new();
    for (json, path) in entries {
        let Some(object) = reader.object(json, &path) else {
            continue;
        };
        reader.keys(&object, RULE_KEYS, &[]);
        let text = |reader: &mut Reader<'_>, key: &str| {
            object.get(key).and_then(|json| reader.c_text(json, &object.path_of(key)))
        };
        let rule = MatchRule {
            host: text(reader, "host"),
            port: object
                .get("port")
                .and_then(|json| reader.number(json, &object.path_of("port"), "a port", 1..=65535))
                .and_then(|port| u16::try_from(port).ok()),
            socket: text(reader, "socket"),
            user: text(reader, "user"),
            database: text(reader, "database"),
        };
        if RULE_KEYS.iter().all(|key| object.get(key).is_none()) {
            let text = "expected at least one of host, port, socket, user, database";
            reader.wrong(object.at, &path, text, "a rule without them would fit every connect call");
        } else if rule != MatchRule::default() {
            rules.push(rule);
        }
    }
    rules
}
