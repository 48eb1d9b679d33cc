//! A cluster: its nodes as processes and folders. What they replicate is in `replication.rs`.

use crate::error::{Context, Error, Result};
use crate::family::{Family, Tools, non_empty};
use crate::galera::Group;
use crate::general_log::{self, LogEntry, LogMark};
use crate::process::{self, lock};
use crate::rootsql::{self, Rows};
use crate::template::{self, PATIENCE};
use crate::tls::{self, TlsFiles};
use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What cluster to start.
#[derive(Debug, Clone)]
pub struct Spec {
    /// Which servers.
    pub family: Family,
    /// How many replicas the primary has (0: a single server).
    pub replicas: usize,
    /// Whether each server writes down every command it receives ([`Cluster::general_log`]). Default true.
    pub general_log: bool,
    /// More options for every server, such as `--max-connections=50`; they come last, so they win.
    pub server_args: Vec<String>,
    /// The address that every server listens on. Default 127.0.0.1.
    pub bind: String,
    /// Whether the primary acknowledges a write only when a replica has received it, however long that takes. Default false.
    pub semi_sync: bool,
    /// The cluster's folder, made by [`Cluster::start`] and removed in the end. Default: one of its own in
    /// `$CLUSTER_DIR` or the temporary directory. At most 80 bytes, for the sockets in it.
    pub folder: Option<PathBuf>,
    /// Other programs than the family's.
    pub tools: Option<Tools>,
    /// The library with which the servers replicate to each other, each of them taking writes ([`Spec::galera`]).
    pub(crate) galera: Option<PathBuf>,
}

impl Spec {
    /// One primary of `family` and `replicas` replicas, the general log on.
    pub fn new(family: Family, replicas: usize) -> Self {
        Spec {
            family,
            replicas,
            general_log: true,
            server_args: Vec::new(),
            bind: "127.0.0.1".into(),
            semi_sync: false,
            folder: None,
            tools: None,
            galera: None,
        }
    }

    /// Adds one option for every server.
    pub fn server_arg(mut self, arg: &str) -> Self {
        self.server_args.push(arg.into());
        self
    }

    /// Switches the general log on or off.
    pub fn general_log(mut self, on: bool) -> Self {
        self.general_log = on;
        self
    }

    /// Switches semi-synchronous replication on or off.
    pub fn semi_sync(mut self, on: bool) -> Self {
        self.semi_sync = on;
        self
    }
}

/// Where a node is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The address.
    pub host: String,
    /// The TCP port; the same for the node's whole life.
    pub port: u16,
    /// The Unix socket, where root needs no password.
    pub socket: PathBuf,
    /// The node's number + 1, and 100 more for each time that it was rebuilt.
    pub server_id: u32,
}

/// What a node's process is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeState {
    /// It runs.
    Up,
    /// It is stopped by [`Cluster::freeze`].
    Frozen,
    /// It does not run.
    Dead,
}

struct Node {
    folder: PathBuf,
    port: u16,
    child: Option<Child>,
    frozen: bool,
    /// It is started without a port: only root reaches it.
    closed: bool,
    /// Further options, which come last.
    options: Vec<String>,
    /// Another one after each [`Cluster::rebuild`]: a server does not take from its source what its own number has written.
    server_id: u32,
}

/// A primary and its replicas. Dropping it ends the servers and removes the folder.
///
/// Nodes are numbered from 0; node 0 starts as the primary. All methods may be used from several threads; those that
/// steer one node exclude each other. What is asked for has been checked to be so when a method returns.
pub struct Cluster {
    spec: Spec,
    tools: Tools,
    folder: PathBuf,
    tls: TlsFiles,
    nodes: Vec<Mutex<Node>>,
    primary: AtomicUsize,
    /// The servers replicate to each other.
    pub(crate) group: Option<Group>,
    /// The first of the group runs.
    founded: AtomicBool,
    /// Held locked as long as this process owns the folder.
    _owner: File,
}

impl Cluster {
    /// Starts the servers and returns when a write on the primary has been seen on every replica.
    ///
    /// # Errors
    /// In words, with the end of the server's error log.
    pub fn start(spec: Spec) -> Result<Cluster> {
        let tools = match &spec.tools {
            Some(tools) => tools.clone(),
            None => spec.family.tools()?,
        };
        let template = template::data(spec.family, &tools)?;
        let (folder, owner) = make_folder(spec.folder.as_deref())?;
        process::remember_folder(&folder);
        fs::create_dir(folder.join("tls"))?;
        let tls = tls::make(&folder.join("tls"))?;
        let nodes = (0..=spec.replicas)
            .map(|n| folder.join(format!("n{n}")))
            .zip(1..)
            .map(|(folder, server_id)| {
                let options = Vec::new();
                Node { folder, port: 0, child: None, frozen: false, closed: false, options, server_id }
            })
            .map(Mutex::new)
            .collect();
        // from here on Drop cleans up, also when one of the next steps fails
        let group = Group::new(&spec, &folder)?;
        let (primary, founded) = (AtomicUsize::new(0), AtomicBool::new(false));
        let cluster = Cluster { spec, tools, folder, tls, nodes, primary, group, founded, _owner: owner };
        let make = |n: usize| {
            let mut node = lock(&cluster.nodes[n]);
            // not with its parents: when those are gone, this process is ending
            fs::create_dir(&node.folder)?;
            fs::create_dir(node.folder.join("tmp"))?;
            template::copy_folder(&template, &node.folder.join("data"))?;
            cluster.first_start(n, &mut node)
        };
        if cluster.group.is_some() {
            // One joins after the other.
            for n in cluster.nodes() {
                make(n)?;
                cluster.wait_synced(n)?;
                cluster.founded.store(true, Ordering::SeqCst);
            }
            cluster.verify()?;
            return Ok(cluster);
        }
        cluster.on_each(cluster.nodes(), make)?;
        cluster.on_each(1..=cluster.spec.replicas, |n| {
            cluster.follow(n, 0, false)?;
            cluster.wait_replicating(n)
        })?;
        cluster.verify()?;
        Ok(cluster)
    }

    /// Runs `job` for each node at the same time and returns the first error.
    pub(crate) fn on_each(
        &self,
        nodes: impl IntoIterator<Item = usize>,
        job: impl Fn(usize) -> Result<()> + Sync,
    ) -> Result<()> {
        std::thread::scope(|scope| {
            let threads: Vec<_> = nodes
                .into_iter()
                .map(|n| {
                    (
                        n,
                        scope.spawn({
                            let job = &job;
                            move || job(n)
                        }),
                    )
                })
                .collect();
            let mut result = Ok(());
            for (n, thread) in threads {
                let ended = thread.join().unwrap_or_else(|_| Err(Error("panicked".into())));
                if result.is_ok() {
                    result = ended.context(|| format!("node {n}"));
                }
            }
            result
        })
    }

    /// The numbers of all nodes.
    pub fn nodes(&self) -> std::ops::Range<usize> {
        0..self.nodes.len()
    }

    /// The number of the present primary.
    pub fn primary(&self) -> usize {
        self.primary.load(Ordering::SeqCst)
    }

    pub(crate) fn set_primary(&self, n: usize) {
        self.primary.store(n, Ordering::SeqCst);
    }

    pub(crate) fn is_semi_sync(&self) -> bool {
        self.spec.semi_sync
    }

    /// Which servers this cluster is made of.
    pub fn family(&self) -> Family {
        self.spec.family
    }

    /// The family's programs.
    pub fn tools(&self) -> &Tools {
        &self.tools
    }

    /// The cluster's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The certificates.
    pub fn tls(&self) -> &TlsFiles {
        &self.tls
    }

    /// Where node `n` is reached.
    pub fn endpoint(&self, n: usize) -> Endpoint {
        let node = lock(&self.nodes[n]);
        Endpoint {
            host: self.spec.bind.clone(),
            port: node.port,
            socket: node.folder.join("s.sock"),
            server_id: node.server_id,
        }
    }

    /// The public key that node `n` offers for passwords sent by RSA (MySQL only; no such file on MariaDB).
    pub fn rsa_public_key(&self, n: usize) -> PathBuf {
        lock(&self.nodes[n]).folder.join("data/public_key.pem")
    }

    /// The pid of node `n`'s server, if it runs.
    pub fn pid(&self, n: usize) -> Option<u32> {
        let mut node = lock(&self.nodes[n]);
        let child = node.child.as_mut()?;
        matches!(child.try_wait(), Ok(None)).then(|| child.id())
    }

    /// What node `n`'s process is doing.
    pub fn state(&self, n: usize) -> NodeState {
        if self.pid(n).is_none() {
            NodeState::Dead
        } else if lock(&self.nodes[n]).frozen {
            NodeState::Frozen
        } else {
            NodeState::Up
        }
    }

    /// Runs one or more statements on node `n` as root and returns the last result set.
    ///
    /// # Errors
    /// The server's error, number first.
    pub fn sql(&self, n: usize, text: &str) -> Result<Rows> {
        // Other threads may have something to do with the node meanwhile.
        let socket = lock(&self.nodes[n]).socket();
        rootsql::query(&socket, text, PATIENCE).context(|| format!("node {n}, {:.200}", text.trim()))
    }

    /// Kills node `n` (SIGKILL); returns when it is gone.
    ///
    /// # Errors
    /// None at present; a dead node stays dead.
    pub fn kill(&self, n: usize) -> Result<()> {
        lock(&self.nodes[n]).halt(Duration::ZERO);
        Ok(())
    }

    /// Ends node `n` in an orderly way (SIGTERM; a server that takes long over it is killed).
    ///
    /// # Errors
    /// None at present; a dead node stays dead.
    pub fn stop(&self, n: usize) -> Result<()> {
        // a MySQL primary waits up to ten seconds for its replicas' threads
        let grace = match self.family() {
            Family::MariaDb => Duration::from_secs(20),
            Family::MySql => Duration::from_secs(3),
        };
        lock(&self.nodes[n]).halt(grace);
        Ok(())
    }

    /// Stops node `n`'s process where it is (SIGSTOP) and waits until it stands still: it accepts connections and never
    /// answers.
    ///
    /// # Errors
    /// When the node is dead, or does not come to a stop.
    pub fn freeze(&self, n: usize) -> Result<()> {
        let mut node = lock(&self.nodes[n]);
        node.signal(libc::SIGSTOP, true).context(|| format!("freezing node {n}"))?;
        let pid = node.child.as_ref().map_or(0, Child::id);
        let until = Instant::now() + PATIENCE;
        while !process::stands_still(pid) {
            if Instant::now() > until {
                return Err(Error(format!("node {n} does not come to a stop")));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Lets a frozen node go on and waits until it answers.
    ///
    /// # Errors
    /// When the node is dead or does not answer.
    pub fn thaw(&self, n: usize) -> Result<()> {
        lock(&self.nodes[n]).signal(libc::SIGCONT, false).context(|| format!("thawing node {n}"))?;
        self.sql(n, "SELECT 1").map(drop)
    }

    /// Starts node `n`; ends it first, in an orderly way, if it runs. It keeps its port.
    ///
    /// A replica (also a former primary, when another node was promoted meanwhile) follows the present primary again if
    /// that is up.
    ///
    /// # Errors
    /// In words, with the end of the server's error log.
    pub fn restart(&self, n: usize) -> Result<()> {
        self.stop(n)?;
        {
            let mut node = lock(&self.nodes[n]);
            self.spawn(n, &mut node)?;
        }
        self.rejoin(n)
    }

    /// Starts node `n` with further options (these alone; none of an earlier call stay); ends it first, in an orderly way.
    /// It does not follow anybody when it comes up, whatever it did before.
    ///
    /// # Errors
    /// In words, with the end of the server's error log.
    pub fn restart_alone(&self, n: usize, options: &[&str]) -> Result<()> {
        self.stop(n)?;
        let mut node = lock(&self.nodes[n]);
        let alone = if self.family() == Family::MySql { "--skip-replica-start" } else { "--skip-slave-start" };
        node.options = options.iter().chain(&[alone]).map(|option| option.to_string()).collect();
        self.spawn(n, &mut node)
    }

    /// Makes node `n` anew as a replica of the present primary, for one that has transactions which the others lack: from an
    /// empty data directory, by all that the primary's binary log has. It is reachable when it has caught up. `prepare` is
    /// run on it before that, outside of the binary log.
    ///
    /// # Errors
    /// When the node is the primary, or as [`Cluster::restart`].
    pub fn rebuild(&self, n: usize, prepare: &str) -> Result<()> {
        if n == self.primary() {
            return Err(Error(format!("node {n} is the primary")));
        }
        let template = template::data(self.family(), &self.tools)?;
        {
            let mut node = lock(&self.nodes[n]);
            node.halt(Duration::ZERO);
            fs::remove_dir_all(node.folder.join("data"))?;
            template::copy_folder(&template, &node.folder.join("data"))?;
            node.server_id += 100;
            node.closed = true;
            let started = self.spawn(n, &mut node);
            node.closed = false;
            started?;
        }
        self.rejoin(n)?;
        self.wait_replica(n)?;
        if !prepare.is_empty() {
            // the restart makes it read-only again
            let on = if self.family() == Family::MySql { "SET GLOBAL super_read_only=OFF;" } else { "" };
            self.sql(n, &format!("{on} SET sql_log_bin=0; {prepare}"))?;
        }
        self.restart(n)
    }

    /// The file of node `n`'s general log.
    pub fn general_log_path(&self, n: usize) -> PathBuf {
        lock(&self.nodes[n]).folder.join("general.log")
    }

    /// The file of node `n`'s error log.
    pub fn error_log_path(&self, n: usize) -> PathBuf {
        lock(&self.nodes[n]).folder.join("error.log")
    }

    /// Every command that node `n` received since it first started, in order; the harness's own (root's) and those of
    /// replication are left out.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn general_log(&self, n: usize) -> Result<Vec<LogEntry>> {
        self.general_log_since(n, &LogMark::default())
    }

    /// The present end of node `n`'s general log, for [`Cluster::general_log_since`].
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn log_mark(&self, n: usize) -> Result<LogMark> {
        general_log::mark(&self.general_log_path(n))
    }

    /// As [`Cluster::general_log`], but only what came after `mark`.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn general_log_since(&self, n: usize, mark: &LogMark) -> Result<Vec<LogEntry>> {
        let mut entries = general_log::read(&self.general_log_path(n), mark)?;
        // the threads that apply replication never connected: nobody's
        entries.retain(|entry| !["", "root", crate::REPL_USER].contains(&entry.user.as_str()));
        Ok(entries)
    }

    // ---------------------------------------------------------------- processes

    /// Starts node `n` for the first time: picks its port, and another one if somebody was faster.
    fn first_start(&self, n: usize, node: &mut Node) -> Result<()> {
        let mut tries = 5;
        loop {
            node.port = free_port(&self.spec.bind)?;
            match self.spawn(n, node) {
                Err(error) if tries > 0 && error.0.contains("ddress already in use") => tries -= 1,
                other => return other,
            }
        }
    }

    fn spawn(&self, n: usize, node: &mut Node) -> Result<()> {
        let mut command = Command::new(&self.tools.server);
        command.arg("--no-defaults").args(template::user_args()).args(self.server_options(n, node));
        if let Some(group) = &self.group {
            command.env("PATH", group.path());
        }
        let log = File::options().create(true).append(true).open(node.folder.join("stdout.log"))?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let _ = fs::remove_file(node.socket());
        node.frozen = false;
        let mut child = process::spawn(command)?;
        let up = template::wait_until_answers(&node.socket(), &mut child);
        node.child = Some(child);
        up.map_err(|error| {
            node.halt(Duration::ZERO);
            template::with_log(error, &node.folder.join("error.log"))
        })
    }

    fn server_options(&self, n: usize, node: &Node) -> Vec<String> {
        let path = |name: &str| node.folder.join(name).display().to_string();
        let mut options = vec![
            format!("--datadir={}", path("data")),
            format!("--socket={}", path("s.sock")),
            format!("--pid-file={}", path("server.pid")),
            format!("--tmpdir={}", path("tmp")),
            format!("--log-error={}", path("error.log")),
            format!("--port={}", node.port),
            format!("--bind-address={}", self.spec.bind),
            format!("--server-id={}", node.server_id),
            format!("--report-host={}", self.spec.bind),
            format!("--report-port={}", node.port),
            format!("--ssl-ca={}", self.tls.ca.display()),
            format!("--ssl-cert={}", self.tls.server_cert.display()),
            format!("--ssl-key={}", self.tls.server_key.display()),
        ];
        let mut add = |list: &[&str]| options.extend(list.iter().map(|option| option.to_string()));
        add(&[
            "--skip-name-resolve",
            "--log-bin=bin",
            "--relay-log=relay",
            "--binlog-format=ROW",
            "--sync-binlog=0",
            "--innodb-flush-log-at-trx-commit=2",
            "--innodb-doublewrite=0",
            "--innodb-use-native-aio=OFF",
            "--innodb-buffer-pool-size=32M",
            "--innodb-autoextend-increment=8",
            "--max-connections=300",
            "--max-allowed-packet=64M",
            "--local-infile=1",
            "--secure-file-priv=",
            "--performance-schema=OFF",
        ]);
        match self.family() {
            Family::MariaDb => add(&[
                "--log-slave-updates",
                "--gtid-strict-mode=ON",
                "--gtid-domain-id=0",
                "--innodb-log-file-size=8M",
                "--aria-pagecache-buffer-size=8M",
                "--key-buffer-size=1M",
                "--slave-net-timeout=10",
            ]),
            Family::MySql => add(&[
                "--gtid-mode=ON",
                "--enforce-gtid-consistency=ON",
                "--mysqlx=OFF",
                "--innodb-redo-log-capacity=16M",
                "--replica-net-timeout=10",
                "--relay-log-recovery=ON",
            ]),
        }
        if let Some(group) = &self.group {
            options.extend(group.options(n, !self.founded.load(Ordering::SeqCst)));
        } else if n != self.primary() {
            let mut add = |list: &[&str]| options.extend(list.iter().map(|option| option.to_string()));
            add(&[match self.family() {
                Family::MariaDb => "--read-only=ON",
                Family::MySql => "--super-read-only=ON",
            }]);
        }
        let mut add = |list: &[&str]| options.extend(list.iter().map(|option| option.to_string()));
        if self.spec.semi_sync {
            add(self.semi_sync_options(n == self.primary()));
        }
        if node.closed {
            add(&["--skip-networking"]);
        }
        if self.spec.general_log {
            add(&["--general-log=1", "--log-output=FILE"]);
            options.push(format!("--general-log-file={}", path("general.log")));
        }
        options.extend(self.spec.server_args.iter().chain(&node.options).cloned());
        options
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for node in &self.nodes {
            lock(node).halt(Duration::ZERO);
        }
        process::forget_folder(&self.folder);
        if non_empty("CLUSTER_KEEP").is_some() {
            eprintln!("harness: {} is kept", self.folder.display());
        } else if let Err(error) = fs::remove_dir_all(&self.folder)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            eprintln!("harness: {} is left: {error}", self.folder.display());
        }
    }
}

impl Node {
    fn socket(&self) -> PathBuf {
        self.folder.join("s.sock")
    }

    fn halt(&mut self, grace: Duration) {
        if let Some(mut child) = self.child.take() {
            if self.frozen {
                process::send(&mut child, libc::SIGCONT);
            }
            process::end(&mut child, grace);
        }
        self.frozen = false;
    }

    fn signal(&mut self, signal: i32, frozen: bool) -> Result<()> {
        if !self.child.as_mut().is_some_and(|child| process::send(child, signal)) {
            return Err(Error("the node is dead".into()));
        }
        self.frozen = frozen;
        Ok(())
    }
}

/// A port on `host` that nobody listens on now.
///
/// Below the range that outgoing connections get theirs from: while a node is down, no client may take its port.
pub(crate) fn free_port(host: &str) -> Result<u16> {
    use std::hash::{BuildHasher, RandomState};
    let ceiling = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range")
        .ok()
        .and_then(|range| range.split_whitespace().next()?.parse::<u16>().ok())
        .filter(|low| *low > 12_000)
        .unwrap_or(32_768);
    let mut last = None;
    for attempt in 0..200u32 {
        let random = RandomState::new().hash_one(attempt);
        let port = 10_000 + (random % u64::from(ceiling - 10_000)) as u16;
        match TcpListener::bind((host, port)) {
            Ok(_) => return Ok(port),
            Err(error) => last = Some(error),
        }
    }
    Err(Error(format!("no free port on {host}: {}", last.map(|error| error.to_string()).unwrap_or_default())))
}

/// Makes the cluster's folder and takes the lock that says it is in use; sweeps folders that nobody uses any more.
pub(crate) fn make_folder(wanted: Option<&Path>) -> Result<(PathBuf, File)> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let own = |folder: &Path| -> Result<File> {
        fs::create_dir(folder).context(|| format!("making {}", folder.display()))?;
        let owner = File::create(folder.join("owner"))?;
        owner.lock()?;
        Ok(owner)
    };
    if let Some(folder) = wanted {
        let owner = own(folder)?;
        let folder = folder.canonicalize()?;
        if folder.as_os_str().len() > 80 {
            let _ = fs::remove_dir_all(&folder);
            return Err(Error(format!("the path {} is too long for the sockets in it", folder.display())));
        }
        return Ok((folder, owner));
    }
    let base = non_empty("CLUSTER_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let prefix = format!("ms-cluster-{}-", template::user_id());
    let gate = File::create(base.join(format!("{prefix}lock")))?;
    gate.lock()?;
    for entry in fs::read_dir(&base)?.flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) && entry.path().is_dir() {
            let abandoned = match File::open(entry.path().join("owner")) {
                Ok(owner) => owner.try_lock().is_ok(),
                Err(error) => error.kind() == std::io::ErrorKind::NotFound,
            };
            if abandoned && non_empty("CLUSTER_KEEP").is_none() {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
    let count = COUNT.fetch_add(1, Ordering::SeqCst);
    let folder = base.join(format!("{prefix}{}-{count}", std::process::id()));
    let owner = own(&folder)?;
    Ok((folder, owner))
}
