//! The configuration file: JSON in, a checked [`Config`] out. The only place that knows the file's own words.
//!
//! Touches no sockets and no SQL. Every mistake is reported with its file, line and path, not only the first; what a
//! mistake costs is its [`Severity`]. The keys are described in `docs/config.md`.

mod file;
mod filters;
mod injection;
mod json;
mod node;
mod problem;
pub mod quality;
mod reader;
mod recovery;
mod section;
mod store;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use filters::{Callback, FilterSpec, NodeGroup, TableRule};
pub use injection::{Injection, PLACEHOLDER};
pub use problem::{Position, Problem, Severity};
pub(crate) use reader::is_true;
pub use recovery::{Discover, Recovery, Timeouts, Transient};
pub use store::{Snapshot, Store};

use super::balance::{Balance, Weights};
use super::board::Board;
use super::facts::Facts;
use super::health::Health;
use super::lag::Lags;
use super::progress::Progress;
use super::roles::Roles;
use super::tables::Tables;
use super::topology::{Node, NodeId, NodeSet, NodeState, Role};
use json::Value;
use reader::{Reader, join};

/// All sections of one file. Never changes; a changed file makes a new one.
#[derive(Debug, Default)]
pub struct Config {
    sections: Vec<Arc<Section>>,
    by_name: HashMap<String, usize>,
    /// True when some section has `match` rules: otherwise a connect call needs only the look at its host.
    has_rules: bool,
}

/// What a file gave: its sections, and every mistake found on the way, in the order of the file.
#[derive(Debug)]
pub struct Loaded {
    /// The sections, those with mistakes too: they refuse connects.
    pub config: Config,
    /// All mistakes of [`Severity::Note`] and [`Severity::Section`].
    pub problems: Vec<Problem>,
    /// The files that were read, and how they looked.
    watched: Vec<node::Watched>,
}

/// The arguments of a connect call, as far as rules look at them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Call<'a> {
    /// Host argument; `None` and empty mean `localhost`.
    pub host: Option<&'a str>,
    /// Port, 0 = the default 3306.
    pub port: u16,
    /// Socket argument.
    pub socket: Option<&'a str>,
    /// Account.
    pub user: Option<&'a str>,
    /// Schema.
    pub database: Option<&'a str>,
}

/// One `match` rule: every part that is given must be equal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchRule {
    /// Equal to the host argument; `localhost` also fits a missing host.
    pub host: Option<String>,
    /// Equal to the port argument; 3306 also fits 0.
    pub port: Option<u16>,
    /// Equal to the socket argument.
    pub socket: Option<String>,
    /// Equal to the account name.
    pub user: Option<String>,
    /// Equal to the schema argument.
    pub database: Option<String>,
}

impl MatchRule {
    /// Does the connect call fit?
    pub fn fits(&self, call: &Call<'_>) -> bool {
        let host = call.host.filter(|host| !host.is_empty()).unwrap_or("localhost");
        let port = if call.port == 0 { 3306 } else { call.port };
        let same = |rule: &Option<String>, given: Option<&str>| rule.as_deref().is_none_or(|rule| given == Some(rule));
        same(&self.host, Some(host))
            && self.port.is_none_or(|rule| rule == port)
            && same(&self.socket, call.socket)
            && same(&self.user, call.user)
            && same(&self.database, call.database)
    }
}

/// What is done when a node cannot be connected to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// The error goes to the program.
    #[default]
    Disabled,
    /// A read goes to a source; a write fails.
    Source,
    /// A read tries the other replicas, then the sources; a write tries the other sources.
    LoopBeforeSource,
}

/// The key `failover`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Failover {
    /// What is tried next.
    pub strategy: Strategy,
    /// How many further candidates are tried for one statement; 0 = all of them.
    pub max_retries: u16,
    /// Leave failed nodes out of the choice for [`super::health::REMEMBERED`].
    pub remember_failed: bool,
}

/// The key `trx_stickiness`: what happens to statements inside a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stickiness {
    /// They are routed as if there were none. The plugin's default, and dangerous.
    Disabled,
    /// All of them run on one source.
    Source,
    /// All of them run on one node: a replica if the transaction is read only, else a source.
    #[default]
    On,
}

/// The key `hints`: which comments in front of statements count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// Those that carry a value are followed. Default false.
    pub arguments: bool,
    /// `ms=slave` is followed in front of any statement, as the plugin does. Default false: of proven reads only.
    pub force: bool,
    /// Hints have this word and a colon in front of them, and others are plain comments. Empty = no word.
    pub word: String,
}

/// One cluster.
#[derive(Debug)]
pub struct Section {
    /// Its name: the host argument that selects it.
    pub name: String,
    /// All nodes; a [`NodeId`] is an index here. With `multi_master` off, sources after the first are here and in
    /// no other list.
    pub nodes: Vec<Node>,
    /// Nodes that take writes as the file says, but for those whose state is not `on`. See [`Section::sources_now`].
    pub sources: NodeSet,
    /// Nodes that take reads as the file says, but for those whose state is not `on`. See [`Section::replicas_now`].
    pub replicas: NodeSet,
    /// Nodes used only when no other is left: those of weight 0.
    pub standby: NodeSet,
    /// Where this program runs: nodes of the same zone are preferred.
    pub zone: Option<String>,
    /// The nodes of that zone; all if there is none.
    pub local: NodeSet,
    /// All sources are used, not only the first.
    pub multi_master: bool,
    /// The share of each node, if the filter that chooses has weights.
    pub weights: Option<Weights>,
    /// Character set for escaping before a connection exists, and of every new connection.
    pub server_charset: Option<String>,
    /// Connect to a node when it is first needed; otherwise to all in `mysql_real_connect`. Default true.
    pub lazy_connections: bool,
    /// Default: disabled.
    pub failover: Failover,
    /// Default: on.
    pub trx_stickiness: Stickiness,
    /// After a write, reads without a hint go to a source, for the life of the handle. Default false.
    pub source_on_write: bool,
    /// `global_transaction_id_injection`.
    pub injection: Option<Injection>,
    /// What reads are promised to see.
    pub consistency: quality::Consistency,
    /// `lag`: how it is measured.
    pub lag_settings: quality::LagSettings,
    /// The key `hints`.
    pub hints: Hints,
    /// `autocommit_off_reads`: with autocommit off, plain reads go to replicas until something is written.
    pub replicas_until_write: bool,
    /// What is done about failures.
    pub recovery: Recovery,
    /// Never empty: without `filters` it is a sticky `random`.
    pub filters: Vec<FilterSpec>,
    /// Connect calls that select this section besides its name.
    pub rules: Vec<MatchRule>,
    /// Why connects to this section fail with 2000.
    pub refused: Option<Problem>,
    /// What all handles of this process know about its nodes.
    pub health: Arc<Health>,
    /// What they know about its servers.
    pub facts: Facts,
    /// How far its nodes have come, and what the process has written.
    pub progress: Arc<Progress>,
    /// What they share for balancing.
    pub balance: Balance,
    /// What the servers said of their roles.
    pub roles: Roles,
    /// How late its replicas are.
    pub lag: Arc<Lags>,
    /// What is known of its tables.
    pub tables: Tables,
    /// `board_dir`: where processes tell each other of all this.
    pub board_dir: Option<PathBuf>,
    /// The file there.
    pub board: Board,
    /// How the board calls the nodes.
    pub(super) board_keys: Vec<String>,
}

impl Section {
    /// A section without nodes, all keys at their defaults.
    pub(crate) fn empty(name: &str) -> Self {
        Section {
            name: name.to_owned(),
            nodes: Vec::new(),
            sources: NodeSet::EMPTY,
            replicas: NodeSet::EMPTY,
            standby: NodeSet::EMPTY,
            zone: None,
            local: NodeSet::EMPTY,
            multi_master: false,
            weights: None,
            server_charset: None,
            lazy_connections: true,
            failover: Failover::default(),
            trx_stickiness: Stickiness::default(),
            source_on_write: false,
            injection: None,
            consistency: quality::Consistency::default(),
            lag_settings: quality::LagSettings::default(),
            hints: Hints::default(),
            replicas_until_write: false,
            recovery: Recovery::default(),
            filters: Vec::new(),
            rules: Vec::new(),
            refused: None,
            health: Arc::default(),
            facts: Facts::default(),
            progress: Arc::default(),
            balance: Balance::default(),
            roles: Roles::default(),
            lag: Arc::default(),
            tables: Tables::default(),
            board_dir: None,
            board: Board::default(),
            board_keys: Vec::new(),
        }
    }

    /// Takes the nodes, and works out what each is used as. Without `multi_master` only the first source is used,
    /// whatever its state.
    fn set_nodes(&mut self, nodes: Vec<Node>, multi_master: bool) {
        let on = |role: Role, most: usize| {
            let of_role = nodes.iter().filter(|node| node.role == role).take(most);
            of_role.filter(|node| node.state == NodeState::On).map(|node| node.id).collect()
        };
        self.sources = on(Role::Source, if multi_master { usize::MAX } else { 1 });
        self.replicas = on(Role::Replica, usize::MAX);
        let near = |node: &&Node| self.zone.is_none() || node.zone == self.zone;
        self.local = nodes.iter().filter(near).map(|node| node.id).collect();
        self.multi_master = multi_master;
        self.health = Arc::new(Health::new(nodes.len()));
        self.progress = Arc::new(Progress::new(nodes.len()));
        self.balance = Balance::new(nodes.len());
        self.lag = Arc::new(Lags::new(nodes.len()));
        self.board_keys = nodes.iter().map(|node| node.endpoint(3306, Path::new("default")).to_string()).collect();
        self.nodes = nodes;
    }

    /// What a node is, whether it is used or not; source for one that is not this section's.
    pub fn role_of(&self, id: NodeId) -> Role {
        match self.roles.learned() {
            Some((sources, _)) if sources.contains(id) => Role::Source,
            Some((_, replicas)) if replicas.contains(id) || self.roles.missing().contains(id) => Role::Replica,
            _ => self.node(id).map_or(Role::Source, |node| node.role),
        }
    }

    /// The nodes that take writes: as the servers say, if they were asked, else [`Section::sources`].
    #[inline]
    pub fn sources_now(&self) -> NodeSet {
        self.roles.learned().map_or(self.sources, |(sources, _)| sources)
    }

    /// The nodes that take reads: as the servers say, if they were asked, else [`Section::replicas`].
    #[inline]
    pub fn replicas_now(&self) -> NodeSet {
        self.roles.learned().map_or(self.replicas, |(_, replicas)| replicas)
    }

    /// The nodes whose roles the servers tell: all that are `on`, those under `master` that the file alone would not use
    /// included.
    pub fn discovered(&self) -> NodeSet {
        self.nodes.iter().filter(|node| node.state == NodeState::On).map(|node| node.id).collect()
    }

    /// Some nodes in the order in which they are preferred: those of the zone, the others, those that stand by.
    pub fn tiers(&self, nodes: NodeSet) -> [NodeSet; 3] {
        let active = nodes.minus(self.standby);
        [active.and(self.local), active.minus(self.local), nodes.and(self.standby)]
    }

    /// The node with this number. The number must be one of this section's.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())
    }
}

impl Config {
    /// Reads and checks a file. `multi_master` off leaves only the first source of each section in use.
    ///
    /// Errors: a problem of [`Severity::File`]: the file cannot be read, is not safe (see `docs/config.md`), is
    /// empty, is not JSON, or its top level is not an object.
    pub fn load(path: &Path, multi_master: bool) -> Result<Loaded, Problem> {
        let whole = |text: String, remedy: String| Problem {
            severity: Severity::File,
            file: path.to_owned(),
            position: None,
            path: String::new(),
            text,
            remedy,
        };
        let guarded = file::read(path).map_err(|refused| whole(refused.text, refused.remedy))?;
        let text = String::from_utf8(guarded.bytes).map_err(|error| {
            let text = format!("is not UTF-8 (byte {})", error.utf8_error().valid_up_to());
            whole(text, "save it as UTF-8".into())
        })?;
        let mut loaded = Config::parse(&text, path, multi_master)?;
        loaded.watched.insert(0, (path.to_owned(), Some(guarded.stamp)));
        if guarded.world_readable && loaded.config.sections.iter().any(|section| section.has_inline_password(&text)) {
            let mut note = whole("can be read by everybody and holds passwords".into(), String::new());
            note.severity = Severity::Note;
            note.remedy = format!("chmod o-r {}, or use `password_file`", path.display());
            loaded.problems.insert(0, note);
        }
        Ok(loaded)
    }

    /// The same for a text; `file` is what messages call it, and what relative paths count from.
    pub fn parse(text: &str, file: &Path, multi_master: bool) -> Result<Loaded, Problem> {
        let whole = |position: Option<Position>, text: String, remedy: &str| Problem {
            severity: Severity::File,
            file: file.to_owned(),
            position,
            path: String::new(),
            text,
            remedy: remedy.to_owned(),
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim().is_empty() {
            return Err(whole(None, "is empty".into(), "put an empty object into it: {}"));
        }
        let json = json::parse(text)
            .map_err(|error| whole(Some(error.at), format!("is not valid JSON: {}", error.reason), ""))?;
        let Value::Object(_) = &json.value else {
            let text = format!("expected an object of sections, found {}", json.describe());
            return Err(whole(Some(json.at), text, r#"as in {"shop": {"master": {...}, "slave": {...}}}"#));
        };
        let mut reader = Reader::new(file);
        let mut watched = Vec::new();
        let mut config = Config::default();
        if let Some(object) = reader.object(&json, "") {
            for member in &object.members {
                let mut section = section::read(&mut reader, &member.name, &member.json, multi_master, &mut watched);
                if section.filters.is_empty() {
                    section.filters.push(FilterSpec::Random { sticky: true });
                }
                if section.name.is_empty() {
                    reader.note(member.at, &join("", ""), "a section without a name is reached by `match` only", "");
                }
                config.add(section);
            }
        }
        let mut problems = reader.problems;
        problems.sort_by_key(|problem| problem.position);
        Ok(Loaded { config, problems, watched })
    }

    fn add(&mut self, section: Section) {
        self.has_rules |= !section.rules.is_empty();
        self.by_name.insert(section.name.clone(), self.sections.len());
        self.sections.push(Arc::new(section));
    }

    /// The section of a connect call: the one named like the host argument, else the first whose rules fit.
    pub fn find(&self, call: &Call<'_>) -> Option<&Arc<Section>> {
        let named = call.host.filter(|host| !host.is_empty()).and_then(|host| self.section(host));
        if named.is_some() || !self.has_rules {
            return named;
        }
        self.sections.iter().find(|section| section.rules.iter().any(|rule| rule.fits(call)))
    }

    /// The section with this name.
    pub fn section(&self, name: &str) -> Option<&Arc<Section>> {
        self.by_name.get(name).map(|index| &self.sections[*index])
    }

    /// All sections in the order of the file.
    pub fn sections(&self) -> &[Arc<Section>] {
        &self.sections
    }

    /// The first section, for tests of other modules.
    #[cfg(test)]
    pub(crate) fn take_first(&mut self) -> Section {
        Arc::into_inner(self.sections.swap_remove(0)).expect("not shared yet")
    }

    /// Gives every section its board. `runtime_dir`: the environment's folder for what lives as long as the user's session.
    pub fn find_boards(&mut self, file: &Path, runtime_dir: Option<&Path>) {
        let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        for section in &mut self.sections {
            if let Some(section) = Arc::get_mut(section) {
                section.board = Board::new(&file, &section.name, section.board_dir.as_deref(), runtime_dir);
            }
        }
    }

    /// Goes on from an earlier configuration: a section that says the same stays the same, of the others what is known
    /// of their nodes is taken over.
    fn adopt(&mut self, earlier: &Config) {
        for section in &mut self.sections {
            let Some(old) = earlier.section(&section.name) else {
                continue;
            };
            if section.says_the_same(old) {
                *section = Arc::clone(old);
            } else if let Some(section) = Arc::get_mut(section) {
                section.adopt(old);
            }
        }
    }
}

/// Judges another file, whose contents run in the program, under the same rule; the error says why not and what to do.
pub(crate) fn check_guarded(path: &Path) -> Result<(), String> {
    file::check(path).map_err(|refused| format!("{} ({})", refused.text, refused.remedy))
}

/// Reads another file that decides where passwords go, under the same rule; the error says why not and what to do.
pub(crate) fn read_guarded(path: &Path) -> Result<Vec<u8>, String> {
    file::read(path).map(|guarded| guarded.bytes).map_err(|refused| format!("{} ({})", refused.text, refused.remedy))
}

impl Section {
    /// Whether a handle would do the same under both.
    fn says_the_same(&self, other: &Section) -> bool {
        let Section {
            name,
            nodes,
            sources,
            replicas,
            standby,
            zone,
            local,
            multi_master,
            weights,
            server_charset,
            lazy_connections,
            failover,
            trx_stickiness,
            source_on_write,
            filters,
            rules,
            refused,
            health: _,
            facts: _,
            balance: _,
            progress: _,
            roles: _,
            lag: _,
            tables: _,
            board: _,
            board_keys: _,
            board_dir,
            recovery,
            consistency,
            lag_settings,
            hints,
            injection,
            replicas_until_write,
        } = self;
        (name, nodes, sources, replicas, standby)
            == (&other.name, &other.nodes, &other.sources, &other.replicas, &other.standby)
            && (zone, local, weights, server_charset)
                == (&other.zone, &other.local, &other.weights, &other.server_charset)
            && (lazy_connections, failover, trx_stickiness)
                == (&other.lazy_connections, &other.failover, &other.trx_stickiness)
            && (source_on_write, filters, rules, refused)
                == (&other.source_on_write, &other.filters, &other.rules, &other.refused)
            && (multi_master, consistency, injection) == (&other.multi_master, &other.consistency, &other.injection)
            && (lag_settings, hints) == (&other.lag_settings, &other.hints)
            && (replicas_until_write, recovery, board_dir)
                == (&other.replicas_until_write, &other.recovery, &other.board_dir)
    }

    /// Takes over what the handles of this process know of nodes that are the same servers.
    fn adopt(&mut self, earlier: &Section) {
        self.progress.adopt_written(&earlier.progress);
        let nodes = &self.nodes;
        let same = |index: usize| {
            let node = nodes.get(index)?;
            earlier.nodes.iter().find(|other| node.is_same_server(other)).map(|other| other.id)
        };
        for node in nodes {
            if let Some(other) = same(node.id.index()) {
                self.health.adopt(node.id, &earlier.health, other);
                self.progress.adopt(node.id, &earlier.progress, other);
                self.lag.adopt(node.id, &earlier.lag, other);
            }
        }
        self.balance.adopt(&earlier.balance, same);
        if self.recovery.discover == earlier.recovery.discover {
            self.roles.adopt(&earlier.roles, nodes.len(), same);
        }
        if let Some(known) = earlier.facts.get() {
            self.facts.learn(&known.version, known.is_mariadb);
        }
    }

    fn has_inline_password(&self, text: &str) -> bool {
        text.contains("\"password\"") && self.nodes.iter().any(|node| node.password.is_some())
    }
}

impl Loaded {
    /// The files that decided this configuration.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.watched.iter().map(|(path, _)| path)
    }
}

#[cfg(test)]
#[path = "config/tests.rs"]
mod tests;
