//! The routed half of a handle: its section, what it remembers for deciding, and connecting to a section.
//!
//! How one statement finds its node is in [`super::steer`]; this file keeps the state and the calls around it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use zeroize::Zeroize;

use crate::cluster::Clusters;
use crate::cluster::balance::Ticket;
use crate::cluster::config::{Call, FilterSpec, Section, Snapshot, Store, Strategy};
use crate::cluster::health::Health;
use crate::cluster::topology::{Endpoint as ClusterEndpoint, NodeId, NodeSet};
use crate::cluster::user_filter::UserFilters;
use crate::conn::{Command, Endpoint, Placeholder, Target};
use crate::env::{Clock, SystemClock, SystemRandom};
use crate::error::{Error, cr};
use crate::log;
use crate::route::cache::{DEFAULT_LIMIT_BYTES, StatementCache};
use crate::route::decide::{self, Decision};
use crate::route::transaction::Tracker;
use crate::route::{ClassifyConfig, LexContext, Server, ServerFamily};

use super::arm::{Shown, Way};
use super::awaited::Awaited;
use super::bound::Bound;
use super::carry::{Part, variables::Setting};
use super::connect::{ConnectArgs, Environment};
use super::effects::{self, Pending};
use super::nodes::Node;
use super::promise::Promise;
use super::recover::Rerun;
use super::steer::{holder_of, unknown_thread};
use super::tally::Pooled;
use super::{Phase, Session};

/// Tells the handles of a process apart in the log.
static NEXT_HANDLE: AtomicU64 = AtomicU64::new(1);

/// Why a routed handle answers 2006 until the program acknowledges the loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    /// The connection broke inside a transaction: ROLLBACK acknowledges it.
    Transaction,
    /// The connection had temporary tables, locks or variables: a reset acknowledges it.
    Bound,
}

/// What a routed handle knows besides its connections.
pub struct Router {
    /// The configuration that the handle goes by.
    pub(super) snapshot: Arc<Snapshot>,
    /// Where a newer one would come from.
    pub(super) origin: Origin,
    pub(super) section: Arc<Section>,
    pub(super) chain: decide::Router,
    pub(super) random: SystemRandom,
    pub(super) cache: StatementCache,
    pub(super) classify: ClassifyConfig,
    pub(super) context: LexContext,
    /// The context changed since the last statement was classified.
    pub(super) context_changed: bool,
    pub(super) tracker: Tracker,
    pub(super) no_split: bool,
    /// State that lives on one node.
    pub(super) bound: Bound,
    /// Where SET TRANSACTION was sent for the next transaction, which has to begin there.
    pub(super) next_transaction: Option<usize>,
    /// Replicas that refused the handle's state, when it had changed so often.
    pub(super) excluded: NodeSet,
    pub(super) excluded_at: u32,
    /// The parts of the record that go ahead of the read whose reply is awaited.
    pub(super) prelude: Vec<Part>,
    /// The part that a node has just refused.
    pub(super) refused: Option<Part>,
    /// The replica whose READ ONLY transaction ends because another begins elsewhere.
    pub(super) leaves: Option<usize>,
    pub(super) transaction_node: Option<usize>,
    pub(super) last_write: Option<usize>,
    /// The version of the record's variables in front of it.
    pub(super) written_at: u32,
    pub(super) used_source: bool,
    pub(super) lost: Option<Loss>,
    /// What reads are promised to see.
    pub(super) promise: Promise,
    /// What the program sees of the servers' reports of changes.
    pub(super) shown: Shown,
    /// Effects of the statement whose reply is awaited.
    pub(super) pending: Vec<Pending>,
    /// What that statement is.
    pub(super) awaited: Awaited,
    /// Neither of the two says anything: it is a plain read.
    pub(super) awaits_plain_read: bool,
    /// The server's error for the statement that failed last; 0 for any other failure.
    pub(super) failure: u32,
    /// sql_mode of new connections; "0" if nodes differ, None if none was opened.
    server_mode: Option<Vec<u8>>,
    /// The last decision, and the texts it is told with.
    pub(super) decision: Option<(Decision, &'static str, &'static str)>,
    decision_text: Vec<u8>,
    placeholder: Option<Placeholder>,
    pub(super) known_version: Option<Vec<u8>>,
    pub(super) handle_number: u64,
    /// The statement that is not answered to its end.
    pub(super) in_flight: Option<Ticket>,
    /// The filters choose by the time that answers take.
    pub(super) measures: bool,
    /// When the present statement began.
    pub(super) now: Duration,
    /// Nodes that refused this handle.
    pub(super) health: Health,
    /// The read whose reply is awaited, as far as it may be sent again.
    pub(super) rerun: Rerun,
    /// The last decision failed because there is no source.
    pub(super) no_source: bool,
    /// When the connects of the present statement have to be done.
    pub(super) connects_until: Option<Duration>,
    /// `mysql_real_connect` is opening all nodes.
    pub(super) connecting: bool,
    /// The handle's share of the process's gauges.
    pub(super) pooled: Pooled,
}

/// Where a handle's configuration came from, to see whether there is a newer one.
pub(super) struct Origin {
    pub(super) store: Arc<Store>,
    pub(super) functions: &'static dyn UserFilters,
    pub(super) environment: Environment,
}

impl Router {
    /// The section's server version as far as this process knows it.
    pub fn known_version(&self) -> Option<&[u8]> {
        self.known_version.as_deref()
    }

    /// Nodes whose failure is remembered.
    pub(super) fn failed(&self) -> NodeSet {
        if !self.section.failover.remember_failed {
            return NodeSet::EMPTY;
        }
        self.section.health.failed_nodes(self.now).or(self.health.failed_nodes(self.now))
    }
}

impl Session {
    /// `mysql_real_connect` of a process with a configuration: to the section that the call names or fits, else to
    /// the one server that it names.
    ///
    /// Errors: 2000 for a section that is refused, or none where one is demanded; else those of a connect.
    pub async fn connect(
        &mut self,
        args: ConnectArgs,
        environment: &Environment,
        clusters: &Clusters,
    ) -> Result<(), Error> {
        self.check_unconnected()?;
        let snapshot = clusters.snapshot(SystemClock.now());
        if let Some(snapshot) = &snapshot {
            tell_problems(snapshot);
        }
        let completed = args.clone().complete(&self.options, environment);
        let section = snapshot.as_ref().and_then(|snapshot| section_of(&completed, snapshot));
        match (section, &snapshot, clusters.store()) {
            (Some(section), Some(snapshot), Some(store)) => {
                if let Some(text) = &clusters.directives.refused {
                    return Err(Error::client(cr::UNKNOWN_ERROR, text.clone()));
                }
                let snapshot = Arc::clone(snapshot);
                let no_split = clusters.directives.disable_rw_split;
                let origin = Origin {
                    store: Arc::clone(store),
                    functions: clusters.functions(),
                    environment: environment.clone(),
                };
                self.connect_routed(completed, origin, section, snapshot, no_split).await
            }
            _ => {
                let host = completed.host.as_deref().map(String::from_utf8_lossy);
                match clusters.refusal(snapshot.as_deref(), host.as_deref().unwrap_or("localhost")) {
                    Some(error) => Err(error),
                    None => self.connect_plain(args, environment).await,
                }
            }
        }
    }

    /// Connects to a section: without a word to any server when it is lazy, else to all of its nodes.
    async fn connect_routed(
        &mut self,
        args: ConnectArgs,
        origin: Origin,
        section: Arc<Section>,
        snapshot: Arc<Snapshot>,
        no_split: bool,
    ) -> Result<(), Error> {
        if let Some(problem) = &section.refused {
            return Err(problem.to_error());
        }
        let chain = make_chain(&section, origin.functions)?;
        if self.options.charset.is_none() {
            self.options.charset.clone_from(&section.server_charset);
        }
        self.charset = self.wanted_charset()?;
        self.outcome = super::Outcome { affected_rows: 0, status: STATUS_AUTOCOMMIT, ..Default::default() };
        self.carry = super::carry::Carry::default();
        self.carry.set_schema(args.database.clone().filter(|name| !name.is_empty()), None);
        self.nodes = section.nodes.iter().map(|node| self.node_of(node, &args, &origin.environment)).collect();
        let context = LexContext {
            sql_mode_known: false,
            multi_statements: args.flags & CLIENT_MULTI_STATEMENTS != 0,
            charset: crate::route::Charset::by_name(self.charset.charset().name().as_bytes()),
            ..LexContext::default()
        };
        self.follow_init_commands(&context);
        if section.board.is_due(SystemClock.now()) {
            section.board.exchange(&section, SystemClock.now());
        }
        let facts = section.facts.get();
        let by_name = args.host.as_deref() == Some(section.name.as_bytes());
        self.router = Some(Box::new(Router {
            chain,
            random: SystemRandom::new(),
            cache: StatementCache::new(DEFAULT_LIMIT_BYTES),
            classify: ClassifyConfig { hint_word: section.hints.word.clone(), ..ClassifyConfig::default() },
            context,
            context_changed: false,
            tracker: Tracker::new(),
            no_split,
            bound: Bound::default(),
            next_transaction: None,
            excluded: NodeSet::EMPTY,
            excluded_at: 0,
            prelude: Vec::new(),
            refused: None,
            leaves: None,
            awaited: Awaited::default(),
            awaits_plain_read: false,
            failure: 0,
            server_mode: None,
            transaction_node: None,
            last_write: None,
            written_at: 0,
            used_source: false,
            lost: None,
            promise: Promise::new(
                &section.consistency,
                !by_name && Way::of(&section) != Way::ReadsWait,
                args.user.as_deref().unwrap_or_default(),
                section.nodes.len(),
            ),
            shown: Shown::default(),
            pending: Vec::new(),
            decision: None,
            decision_text: Vec::new(),
            placeholder: Placeholder::new(),
            known_version: facts.map(|facts| facts.version.clone()),
            handle_number: NEXT_HANDLE.fetch_add(1, Ordering::Relaxed),
            in_flight: None,
            measures: measures(&section),
            now: SystemClock.now(),
            health: Health::new(section.nodes.len()),
            rerun: Rerun::default(),
            no_source: false,
            connects_until: None,
            connecting: !section.lazy_connections,
            pooled: Pooled::of(&section),
            snapshot,
            origin,
            section: Arc::clone(&section),
        }));
        if let Err(error) = self.follow_attributes() {
            self.close();
            return Err(error);
        }
        self.args = args;
        self.at = None;
        self.phase = Phase::Ready;
        self.connected = true;
        if !section.lazy_connections {
            let sources_first =
                section.sources_now().iter().chain(section.replicas_now().minus(section.sources_now()).iter());
            for node in sources_first.collect::<Vec<_>>() {
                if let Err(error) = self.open_node(node.index()).await {
                    self.close();
                    return Err(error);
                }
            }
            self.at = section.sources_now().at_or_after(0).map(NodeId::index);
            if let Some(router) = self.router.as_deref_mut() {
                router.connecting = false;
            }
        }
        Ok(())
    }

    /// Takes over what the init commands set of the state that follows to every node.
    fn follow_init_commands(&mut self, context: &LexContext) {
        for sql in &self.options.init_commands {
            let statement = crate::route::classify(sql, context, &ClassifyConfig::default());
            for effect in effects::pending(&statement, sql, context, &[]) {
                if let Pending::Autocommit(enabled) = effect {
                    self.carry.set_autocommit(enabled, None);
                }
            }
        }
    }

    /// A configured node, with what it leaves out taken from the connect call.
    pub(super) fn node_of(
        &self,
        node: &crate::cluster::topology::Node,
        args: &ConnectArgs,
        environment: &Environment,
    ) -> Node {
        use std::os::unix::ffi::OsStrExt;
        let socket = match &args.socket {
            Some(path) if !path.is_empty() => std::path::Path::new(std::ffi::OsStr::from_bytes(path)).to_owned(),
            _ => environment.socket.clone(),
        };
        let endpoint = match node.endpoint(args.port, &socket) {
            ClusterEndpoint::Tcp { host, port } => Endpoint::Tcp { host, port },
            ClusterEndpoint::Unix(path) => Endpoint::Unix(path),
        };
        let password = node.password.as_ref().map(|secret| secret.reveal().to_vec());
        let target = Target {
            endpoint,
            user: node.user.clone().or_else(|| args.user.clone()).unwrap_or_default(),
            password: password.or_else(|| args.password.clone()).unwrap_or_default(),
            database: node.database.clone(),
            client_flags: node.connect_flags.unwrap_or(args.flags),
        };
        let mut found = Node::new(target, Some(node.tls.clone()));
        found.pipelines = node.pipelining;
        found
    }

    /// Gives the nodes that have no account of their own the handle's.
    pub(super) fn retarget(&mut self) {
        let Some(router) = self.router.as_deref() else { return };
        for (node, configured) in self.nodes.iter_mut().zip(&router.section.nodes) {
            if configured.user.is_none() {
                node.target.user = self.args.user.clone().unwrap_or_default();
            }
            if configured.password.is_none() {
                node.target.password.zeroize();
                node.target.password = self.args.password.clone().unwrap_or_default();
            }
        }
    }

    /// Makes sure that some node is open, and current, for a call that is no statement: the node used last, else
    /// the source in failover order.
    pub(super) async fn open_for_call(&mut self) -> Result<(), Error> {
        self.check_lost()?;
        let at = self.at.filter(|at| self.nodes[*at].connection().is_some());
        let at = match at {
            Some(at) => at,
            None => self.open_some_source().await?,
        };
        self.at = Some(at);
        self.bring_up_to_date(at).await
    }

    /// Opens the first source that can be reached, or with failover any node.
    async fn open_some_source(&mut self) -> Result<usize, Error> {
        let Some(router) = self.router.as_deref() else { return Err(Error::gone(self.options.family)) };
        let section = Arc::clone(&router.section);
        let failover = section.failover.strategy != Strategy::Disabled;
        let others = section.replicas_now().minus(section.sources_now());
        let mut failure = None;
        for node in section.sources_now().iter().chain(others.iter().filter(|_| failover)).collect::<Vec<_>>() {
            let index = node.index();
            if self.nodes[index].connection().is_some() {
                return Ok(index);
            }
            match self.open_node(index).await {
                Ok(()) => return Ok(index),
                Err(error) => {
                    failure.get_or_insert(error);
                    if !failover {
                        break;
                    }
                }
            }
        }
        Err(failure.unwrap_or_else(|| decide::Refusal::NoSource.to_error()))
    }

    /// `mysql_get_server_info` and its kin on a handle that does not know its server: connects.
    pub async fn know_server(&mut self) -> Result<(), Error> {
        if self.router.is_none() || self.server().is_some() {
            return if self.server().is_some() { Ok(()) } else { Err(Error::gone(self.options.family)) };
        }
        self.open_for_call().await
    }

    /// `mysql_kill` on a routed handle: to the node of the one connection of the process that has the id.
    ///
    /// Errors: 1094 when connections of no node or of several have it; those of a connect.
    pub(super) async fn kill_routed(&mut self, thread_id: u64) -> Result<(), Error> {
        match holder_of(&self.nodes, thread_id) {
            Ok(Some(node)) => {
                self.begin().await?;
                let index = node.index();
                if self.nodes[index].connection().is_none() {
                    self.open_node(index).await?;
                }
                let statement = format!("KILL {thread_id}");
                self.at = Some(index);
                self.current()?.send(Command::Query, &[statement.as_bytes()]).await?;
                self.read_reply().await
            }
            found => {
                if let Some(router) = &self.router {
                    let text = format!("KILL {thread_id}: not the id of exactly one connection of this process");
                    log::get().message(log::Level::Warning, router.handle_number, &text);
                }
                found.and(Err(unknown_thread(thread_id)))
            }
        }
    }

    /// The placeholder that a lazy handle shows as its descriptor.
    pub(super) fn placeholder_fd(&self) -> Option<std::os::fd::RawFd> {
        self.router.as_ref().and_then(|router| router.placeholder.as_ref()).map(Placeholder::fd)
    }

    /// `mysqlnd_ms_get_last_decision`: NUL-ended text, valid until the next call; None on a plain handle or before the
    /// first statement.
    pub fn last_decision(&mut self) -> Option<&[u8]> {
        let router = self.router.as_deref_mut()?;
        let (decision, class, reason) = router.decision?;
        let node = router.label(decision.node.index());
        let why = router.reason(&decision, reason);
        let text = format!("node={node} role={} class={class} reason={why}\0", decision.role.name());
        router.decision_text = text.into_bytes();
        Some(&router.decision_text)
    }
}

/// Where the handle's last statement ran.
pub struct LastUsed {
    /// "tcp", "unix" or "".
    pub scheme: &'static std::ffi::CStr,
    /// Host; "localhost" for a socket.
    pub host: String,
    /// Port; 0 for a socket.
    pub port: u16,
    /// Path; empty for TCP.
    pub socket: Vec<u8>,
}

impl Session {
    /// The connection used last.
    pub fn last_used(&self) -> LastUsed {
        use std::os::unix::ffi::OsStrExt;
        let endpoint = self.at.map(|at| &self.nodes[at].target.endpoint);
        match endpoint {
            None => LastUsed { scheme: c"", host: String::new(), port: 0, socket: Vec::new() },
            Some(Endpoint::Tcp { host, port }) => {
                LastUsed { scheme: c"tcp", host: host.clone(), port: *port, socket: Vec::new() }
            }
            Some(Endpoint::Unix(path)) => LastUsed {
                scheme: c"unix",
                host: "localhost".to_owned(),
                port: 0,
                socket: path.as_os_str().as_bytes().to_vec(),
            },
        }
    }
}

impl Router {
    /// How the log calls a node.
    pub(super) fn label(&self, index: usize) -> String {
        self.section.nodes.get(index).map_or_else(String::new, crate::cluster::topology::Node::label)
    }

    /// Widens what the lexer assumes of the servers so that it covers one more; a mode that differs from the others'
    /// makes the mode unknown.
    ///
    /// `set`: the mode that the program has set, which goes to the node ahead of every statement; then its own mode does
    /// not count.
    pub(super) fn learn_server(&mut self, seen: Server, mode: &[u8], set: Option<&Setting>) {
        let before = self.context;
        let known = self.server_mode.get_or_insert_with(|| mode.to_vec());
        if *known != mode {
            // What a reset brings back depends on the node.
            *known = b"0".to_vec();
        }
        if matches!(set, Some(Setting::Value(_))) {
            self.context.server = if before.server == Server::UNKNOWN { seen } else { before.server.union(seen) };
            self.context_changed |= self.context != before;
            return;
        }
        let first =
            before.server == Server::UNKNOWN && before.server.family == ServerFamily::Unknown && !before.sql_mode_known;
        self.context.server = if first { seen } else { before.server.union(seen) };
        let mut with_mode = before;
        with_mode.set_sql_mode(mode);
        if first {
            self.context.ansi_quotes = with_mode.ansi_quotes;
            self.context.no_backslash_escapes = with_mode.no_backslash_escapes;
            self.context.ignore_space = with_mode.ignore_space;
            self.context.oracle_mode = with_mode.oracle_mode;
            self.context.sql_mode_known = with_mode.sql_mode_known;
        } else if before.sql_mode_known
            && (before.ansi_quotes, before.no_backslash_escapes, before.oracle_mode)
                != (with_mode.ansi_quotes, with_mode.no_backslash_escapes, with_mode.oracle_mode)
        {
            self.context.sql_mode_known = false;
        } else {
            self.context.ignore_space &= with_mode.ignore_space;
        }
        self.context_changed |= self.context != before;
    }
}

impl Router {
    /// The session was reset: the mode is that of new connections.
    pub(super) fn forget_sql_mode(&mut self) {
        if let Some(mode) = &self.server_mode {
            let mode = mode.clone();
            self.context.set_sql_mode(&mode);
            self.context_changed = true;
        }
    }
}

/// The section that a connect call names or fits.
pub(super) fn section_of(args: &ConnectArgs, snapshot: &Snapshot) -> Option<Arc<Section>> {
    let text = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let (host, socket) = (text(&args.host), text(&args.socket));
    let (user, database) = (text(&args.user), text(&args.database));
    let call = Call {
        host: host.as_deref(),
        port: args.port,
        socket: socket.as_deref(),
        user: user.as_deref(),
        database: database.as_deref(),
    };
    snapshot.config.find(&call).cloned()
}

/// The chain of a section. Errors: 2000 for a function that cannot be loaded.
pub(super) fn make_chain(section: &Section, functions: &'static dyn UserFilters) -> Result<decide::Router, Error> {
    decide::Router::with_functions(section, functions).map_err(|problem| {
        let text = format!("mysqlclient-ms: section {}: a filter cannot be used: {problem}", section.name);
        Error::client(cr::UNKNOWN_ERROR, text)
    })
}

/// Whether the section's filters choose by time.
pub(super) fn measures(section: &Section) -> bool {
    section.filters.contains(&FilterSpec::Fastest)
}

/// Writes a configuration's mistakes into the log, once per state of the file.
pub(super) fn tell_problems(snapshot: &Snapshot) {
    static TOLD: AtomicU64 = AtomicU64::new(0);
    if TOLD.swap(snapshot.generation, Ordering::Relaxed) != snapshot.generation {
        for problem in &snapshot.problems {
            log::get().message(log::Level::Warning, 0, &problem.to_string());
        }
    }
}

/// `CLIENT_MULTI_STATEMENTS`.
pub(super) const CLIENT_MULTI_STATEMENTS: u64 = 1 << 16;
/// `SERVER_STATUS_AUTOCOMMIT`.
const STATUS_AUTOCOMMIT: u16 = 2;
