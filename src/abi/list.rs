//! Reads `exports.list`: the one table of what the library exports.
//!
//! Pure code over text, shared by `build.rs` (which includes this file), the tests and the generators of documents.
//! Must not use anything else of the crate.

/// How far a symbol is done, in one family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Works as the original's.
    Done,
    /// Works, but for what the row's note says.
    Partial,
    /// Exported; fails through the normal error path.
    Stub,
}

impl State {
    /// The word in the list.
    pub fn word(self) -> &'static str {
        match self {
            State::Done => "done",
            State::Partial => "partial",
            State::Stub => "stub",
        }
    }
}

/// One family's view of a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Version nodes in full, the family's default first.
    pub nodes: Vec<&'static str>,
    /// How far it is done.
    pub state: State,
}

/// One symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The symbol.
    pub name: String,
    /// libmysqlclient's side.
    pub mysql: Option<Side>,
    /// Connector/C's side.
    pub mariadb: Option<Side>,
    /// Module below `crate::abi` that has, or will have, the entry.
    pub module: String,
    /// What the first argument is (see the list's head), or `data` or `version`.
    pub first: String,
    /// Failure value of a stub; size in bytes of a data object.
    pub fails: String,
    /// Free text.
    pub note: String,
}

/// The node of our own functions.
pub const OWN_NODE: &str = "mysqlclient_ms_1";

/// Short and full names of the version nodes, in the order of the version script. The first node also answers
/// references that carry no version: such programs were linked to a library built without versions, which
/// libmysqlclient 8.0 and newer never is, but Connector/C (own builds, old packages) is.
pub const NODES: [(&str, &str); 7] = [
    ("18", "libmysqlclient_18"),
    ("c18", "libmariadbclient_18"),
    ("3", "libmariadb_3"),
    ("3.3.5", "libmariadb_3_3_5"),
    ("21", "libmysqlclient_21.0"),
    ("24", "libmysqlclient_24.0"),
    ("ms", OWN_NODE),
];

impl Export {
    /// Whether it is an object, not a function.
    pub fn is_data(&self) -> bool {
        self.first == "data"
    }

    /// Whether it is a version node's own symbol: absolute, value 0, asked for by nobody.
    pub fn is_version(&self) -> bool {
        self.first == "version"
    }

    /// Whether it is one of our own functions, which serve both families with one entry.
    pub fn is_own(&self) -> bool {
        self.mysql.as_ref().is_some_and(|s| s.nodes == [OWN_NODE])
    }

    /// The node that a reference without a version gets (`@@`): that of the newest libmysqlclient if it has the name,
    /// else Connector/C's default.
    pub fn default_node(&self) -> &'static str {
        match (&self.mysql, &self.mariadb) {
            (Some(side), _) => side.nodes[side.nodes.len() - 1],
            (None, Some(side)) => side.nodes[0],
            (None, None) => OWN_NODE,
        }
    }

    /// Every node, each once.
    pub fn nodes(&self) -> Vec<&'static str> {
        let mut all = Vec::new();
        for side in [&self.mysql, &self.mariadb].into_iter().flatten() {
            for node in &side.nodes {
                if !all.contains(node) {
                    all.push(*node);
                }
            }
        }
        all
    }
}

/// Reads the list.
///
/// # Errors
/// The line's number and what is wrong with it.
pub fn parse(text: &str) -> Result<Vec<Export>, String> {
    let mut exports: Vec<Export> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        let export =
            parse_line(line).map_err(|e| format!("exports.list line {}: {e}", index + 1))?;
        if exports.last().is_some_and(|last| last.name >= export.name) {
            return Err(format!(
                "exports.list line {}: {} is out of order or there twice",
                index + 1,
                export.name
            ));
        }
        exports.push(export);
    }
    Ok(exports)
}

fn parse_line(line: &str) -> Result<Export, String> {
    let (columns, note) = line.split_once(';').unwrap_or((line, ""));
    let columns: Vec<&str> = columns.split_whitespace().collect();
    let [
        name,
        mysql,
        mysql_state,
        mariadb,
        mariadb_state,
        module,
        first,
        fails,
    ] = columns[..]
    else {
        return Err(format!("{} columns instead of 8", columns.len()));
    };
    let export = Export {
        name: name.to_owned(),
        mysql: side(mysql, mysql_state)?,
        mariadb: side(mariadb, mariadb_state)?,
        module: module.to_owned(),
        first: first.to_owned(),
        fails: fails.to_owned(),
        note: note.trim().to_owned(),
    };
    if export.mysql.is_none() && export.mariadb.is_none() {
        return Err(format!("{name} has no node"));
    }
    let (result, handle) = first.split_once('+').unwrap_or(("", first));
    if !matches!(result, "" | "ret8" | "ret32" | "ret64") {
        return Err(format!("unknown result kind {result:?}"));
    }
    match handle {
        "version" if fails == "0" => {}
        "data" if fails.parse::<u32>().is_ok() => {}
        "mysql" | "stmt" | "res" | "none" | "any" => failure(fails)?,
        _ => return Err(format!("unknown first argument {first:?}")),
    }
    Ok(export)
}

fn failure(word: &str) -> Result<(), String> {
    match word {
        "0" | "1" | "-1" | "2" | "null" | "empty" | "void" => Ok(()),
        _ => Err(format!("unknown failure value {word:?}")),
    }
}

fn side(nodes: &str, state: &str) -> Result<Option<Side>, String> {
    if nodes == "-" && state == "-" {
        return Ok(None);
    }
    let state = match state {
        "done" => State::Done,
        "partial" => State::Partial,
        "stub" => State::Stub,
        _ => return Err(format!("unknown state {state:?}")),
    };
    let nodes = nodes
        .split(',')
        .map(|short| {
            let found = NODES.iter().find(|(name, _)| *name == short);
            found
                .map(|(_, full)| *full)
                .ok_or_else(|| format!("unknown node {short:?}"))
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Some(Side { nodes, state }))
}
