//! `explain SQL`: what the library would do with a statement, step by step, without asking any server.

use std::io::Write;
use std::path::PathBuf;

use lexopt::prelude::*;
use mysqlclient_ms::abi::user_filter;
use mysqlclient_ms::cluster::config::quality::Level;
use mysqlclient_ms::cluster::config::{Config, Section, Severity};
use mysqlclient_ms::cluster::topology::{NodeId, NodeSet, NodeState};
use mysqlclient_ms::env::SystemRandom;
use mysqlclient_ms::route::candidates::Candidates;
use mysqlclient_ms::route::decide::{Freshness, Reason, Router, Situation, Wanted};
use mysqlclient_ms::route::filter::Asked;
use mysqlclient_ms::route::{Class, ClassifyConfig, DefaultSchema, Hint, LexContext, Server, Statement, classify};

use super::Failure;

const STATES: &str = "in_transaction, read_only, used_source, no_split, multi_master, and with a node's name or number \
                      transaction=, pinned=, last_used=, last_write=, failed=";

/// What `--state` says.
#[derive(Default)]
struct State {
    in_transaction: bool,
    read_only: bool,
    used_source: bool,
    no_split: bool,
    multi_master: bool,
    /// Words with a node.
    nodes: Vec<(String, String)>,
}

impl State {
    fn add(&mut self, words: &str) -> Result<(), Failure> {
        for word in words.split(',').filter(|word| !word.is_empty()) {
            match (word, word.split_once('=')) {
                ("in_transaction", _) => self.in_transaction = true,
                ("read_only", _) => (self.in_transaction, self.read_only) = (true, true),
                ("used_source", _) => self.used_source = true,
                ("no_split", _) => self.no_split = true,
                ("multi_master", _) => self.multi_master = true,
                (_, Some((key @ ("transaction" | "pinned" | "last_used" | "last_write" | "failed"), node))) => {
                    self.nodes.push((key.to_owned(), node.to_owned()));
                }
                _ => return Err(Failure::new(2, format!("explain: unknown state {word:?}; states: {STATES}"))),
            }
        }
        Ok(())
    }

    fn situation<'a>(&self, section: &Section, wanted: Wanted, hinted: bool) -> Result<Situation<'a>, Failure> {
        let mut situation = Situation {
            hinted,
            in_transaction: self.in_transaction,
            read_only: self.read_only,
            used_source: self.used_source,
            no_split: self.no_split,
            ..Situation::new(wanted)
        };
        for (key, name) in &self.nodes {
            let node = Some(node(section, name)?);
            match key.as_str() {
                "transaction" => (situation.in_transaction, situation.transaction_node) = (true, node),
                "pinned" => situation.pinned = node,
                "last_used" => situation.last_used = node,
                "last_write" => situation.last_write = node,
                _ => situation.failed = situation.failed.or(node.into_iter().collect()),
            }
        }
        Ok(situation)
    }
}

/// By name, as the log calls it, or by number in the order of the file, masters first, from 0.
fn node(section: &Section, name: &str) -> Result<NodeId, Failure> {
    let by_number = name.parse().ok().and_then(|index: usize| section.nodes.get(index));
    let found = section.nodes.iter().find(|node| node.label() == name).or(by_number);
    found.map(|node| node.id).ok_or_else(|| {
        let names: Vec<String> = section.nodes.iter().map(|node| node.label()).collect();
        Failure::new(2, format!("explain: no node is called {name:?}; nodes: {}", names.join(", ")))
    })
}

/// Prints class, reason, hint, tables, the candidates after each filter and the decision. 1 if the section cannot be
/// used.
pub(super) fn explain(mut arguments: lexopt::Parser, out: &mut dyn Write) -> Result<u8, Failure> {
    let (mut file, mut section, mut schema, mut server) =
        (None::<PathBuf>, None::<String>, String::new(), None::<String>);
    let (mut state, mut sql) = (State::default(), None::<String>);
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("config") => file = Some(arguments.value()?.into()),
            Long("section") => section = Some(arguments.value()?.string()?),
            Long("schema") => schema = arguments.value()?.string()?,
            Long("server") => server = Some(arguments.value()?.string()?),
            Long("state") => state.add(&arguments.value()?.string()?)?,
            Value(text) if sql.is_none() => sql = Some(text.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let sql = sql.ok_or_else(|| Failure::new(2, "explain: expected a statement"))?;
    let file = file.or_else(|| std::env::var_os("MYSQLND_MS_CONFIG_FILE").map(PathBuf::from)).ok_or_else(|| {
        Failure::new(2, "explain: no configuration: give --config FILE or set MYSQLND_MS_CONFIG_FILE")
    })?;
    let loaded =
        Config::load(&file, state.multi_master).map_err(|problem| Failure::new(1, format!("explain: {problem}")))?;
    let section = match (&section, loaded.config.sections()) {
        (Some(name), _) => loaded.config.section(name),
        (None, [only]) => Some(only),
        (None, _) => None,
    };
    let section = section.ok_or_else(|| {
        let names: Vec<&str> = loaded.config.sections().iter().map(|section| section.name.as_str()).collect();
        Failure::new(2, format!("explain: name one of the sections with --section: {}", names.join(", ")))
    })?;
    if let Some(problem) = &section.refused {
        debug_assert!(problem.severity == Severity::Section);
        return Err(Failure::new(1, format!("explain: connects to section {} fail: {problem}", section.name)));
    }
    let context = LexContext {
        server: server.map_or(Server::UNKNOWN, |text| {
            Server::from_version(text.as_bytes(), text.to_ascii_lowercase().contains("mariadb"))
        }),
        schema: DefaultSchema::by_name(schema.as_bytes()),
        ..LexContext::default()
    };
    let sql = sql.as_bytes();
    let config = ClassifyConfig { hint_word: section.hints.word.clone(), ..ClassifyConfig::default() };
    let statement = classify(sql, &context, &config);
    let (wanted, hinted) = Wanted::by(&statement, section.hints.force);
    let mut situation = state.situation(section, wanted, hinted)?;
    let level = match statement.hint {
        Some(Hint::Level(level)) => Some(level),
        Some(Hint::MaxLag(_)) => Some(Level::Eventual),
        Some(Hint::Gtid(_)) => Some(Level::Session),
        _ => section.consistency.level,
    };
    if level == Some(Level::Strong) && statement.class == Class::Read {
        situation.freshness = Freshness::Source(Reason::Strong);
    }
    tell_statement(out, &statement, sql)?;
    let consistency = match level {
        None => "default: reads see the handle's writes where the servers have GTIDs",
        Some(Level::Session) => "session: after a write only replicas that have it, else a source",
        Some(Level::Strong) => "strong: reads go to a source",
        Some(Level::Eventual) => "eventual",
    };
    writeln!(out, "consistency: {consistency}")?;
    situation.asked = Some(Asked { sql, statement: &statement, schema: schema.as_bytes() });
    decide(out, section, &situation)?;
    Ok(0)
}

/// What the text says.
fn tell_statement(out: &mut dyn Write, statement: &Statement, sql: &[u8]) -> std::io::Result<()> {
    writeln!(out, "class: {}", statement.class.as_str())?;
    write!(out, "reason: {}", statement.reason.text)?;
    if let Some(at) = statement.reason.at {
        write!(out, " (at {:?})", String::from_utf8_lossy(at.of(sql)))?;
    }
    writeln!(out)?;
    let hint = statement.hint.map_or("none", |hint| hint.name());
    writeln!(out, "hint: {hint}")?;
    let mut tables: Vec<String> = Vec::new();
    for table in statement.needs.tables.iter().filter(|table| !statement.needs.is_derived(table, sql)) {
        let text = |span: mysqlclient_ms::route::Span| String::from_utf8_lossy(&span.name(sql)).into_owned();
        let schema = table.schema.map_or_else(String::new, |schema| text(schema) + ".");
        let name = schema + &text(table.name);
        if !tables.contains(&name) {
            tables.push(name);
        }
    }
    writeln!(out, "tables: {}", if tables.is_empty() { "none".into() } else { tables.join(", ") })
}

/// What the chain makes of it.
fn decide(out: &mut dyn Write, section: &Section, situation: &Situation<'_>) -> Result<(), Failure> {
    let label = |node: NodeId| section.node(node).map_or_else(String::new, |node| node.label());
    let list = |nodes: NodeSet| {
        let names: Vec<String> = nodes.iter().map(label).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let candidates = |candidates: &Candidates| {
        format!("sources {}; replicas {}", list(candidates.sources), list(candidates.replicas))
    };
    let all = Candidates { sources: section.sources, replicas: section.replicas };
    writeln!(out, "candidates: {}", candidates(&all))?;
    for node in section.nodes.iter().filter(|node| node.state != NodeState::On) {
        let state = if node.state == NodeState::Drain { "drain" } else { "off" };
        writeln!(out, "left out: {} (state {state})", node.label())?;
    }
    let mut router = Router::with_functions(section, user_filter::functions())
        .map_err(|problem| Failure::new(1, format!("explain: {problem}")))?;
    router.chain().start_trace();
    let decided = router.decide(section, situation, &mut SystemRandom::new());
    let (trace, chooses) = router.chain().trace();
    for (name, left) in trace {
        writeln!(out, "after {name}: {}", candidates(left))?;
    }
    match decided {
        Ok(decision) => {
            if !decision.how.is_empty() {
                writeln!(out, "chosen by: {chooses}")?;
            }
            writeln!(out, "decision: {} ({}): {decision}", label(decision.node), decision.role.name())?;
            let next: Vec<String> = router.fallbacks().map(label).collect();
            if !next.is_empty() {
                writeln!(out, "if it cannot be reached: {}", next.join(", "))?;
            }
        }
        Err(refusal) => writeln!(out, "decision: none: error 2000: {}", refusal.text())?,
    }
    Ok(())
}
