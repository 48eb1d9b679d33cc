//! The nodes of a section as plain data: who they are, where they listen, with which account.
//!
//! Knows neither JSON nor sockets; `session` turns a [`Node`] and the program's connect call into a target.

use std::fmt;
use std::path::{Path, PathBuf};

use zeroize::Zeroize;

use crate::options::{TlsMode, TlsOptions};

/// Most nodes that one section may have: [`NodeSet`] is one machine word pair.
pub const MAX_NODES: usize = 128;

/// A node's number within its section: sources first, then replicas, each in the order of the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u8);

impl NodeId {
    /// The node at this place; `None` from [`MAX_NODES`] on.
    pub fn new(index: usize) -> Option<Self> {
        (index < MAX_NODES).then_some(NodeId(index as u8))
    }

    /// Its place in [`super::config::Section::nodes`].
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node{}", self.0)
    }
}

/// A set of nodes of one section; copying it costs nothing.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct NodeSet(u128);

impl NodeSet {
    /// No node.
    pub const EMPTY: NodeSet = NodeSet(0);

    /// The set as two words, for [`super::roles`].
    pub(super) fn words(self) -> [u64; 2] {
        [self.0 as u64, (self.0 >> 64) as u64]
    }

    /// The set of [`NodeSet::words`].
    pub(super) fn from_words([low, high]: [u64; 2]) -> NodeSet {
        NodeSet(u128::from(low) | u128::from(high) << 64)
    }

    /// The set without this node.
    pub fn without(self, node: NodeId) -> NodeSet {
        NodeSet(self.0 & !(1 << node.0))
    }

    /// The set with this node.
    pub fn with(self, node: NodeId) -> NodeSet {
        NodeSet(self.0 | (1 << node.0))
    }

    /// Nodes of this set that are not in the other.
    pub fn minus(self, other: NodeSet) -> NodeSet {
        NodeSet(self.0 & !other.0)
    }

    /// Nodes of both sets.
    pub fn and(self, other: NodeSet) -> NodeSet {
        NodeSet(self.0 & other.0)
    }

    /// Nodes of either set.
    pub fn or(self, other: NodeSet) -> NodeSet {
        NodeSet(self.0 | other.0)
    }

    /// Is it in?
    pub fn contains(self, node: NodeId) -> bool {
        self.0 >> node.0 & 1 == 1
    }

    /// Is it empty?
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Number of nodes.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The `n`-th node in order, counted from 0.
    pub fn nth(self, n: usize) -> Option<NodeId> {
        self.iter().nth(n)
    }

    /// The first node with a number of at least `start`, else the first of all: one step of a cycle.
    pub fn at_or_after(self, start: usize) -> Option<NodeId> {
        let later = if start >= MAX_NODES { 0 } else { self.0 >> start << start };
        let bits = if later != 0 { later } else { self.0 };
        (bits != 0).then(|| NodeId(bits.trailing_zeros() as u8))
    }

    /// A small number that tells most sets of a section apart; `seed` stirs it.
    pub(crate) fn fold(self, seed: usize) -> usize {
        let bits = self.0 as u64 ^ (self.0 >> 64) as u64;
        (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(20) as usize).wrapping_add(seed.wrapping_mul(7))
    }

    /// All nodes in order.
    pub fn iter(self) -> impl Iterator<Item = NodeId> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            (left != 0).then(|| {
                let node = NodeId(left.trailing_zeros() as u8);
                left &= left - 1;
                node
            })
        })
    }
}

impl FromIterator<NodeId> for NodeSet {
    fn from_iter<I: IntoIterator<Item = NodeId>>(nodes: I) -> Self {
        nodes.into_iter().fold(NodeSet::EMPTY, NodeSet::with)
    }
}

impl fmt::Debug for NodeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// What a node is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Takes writes.
    Source,
    /// Takes reads.
    Replica,
}

impl Role {
    /// `source` or `replica`.
    pub fn name(self) -> &'static str {
        match self {
            Role::Source => "source",
            Role::Replica => "replica",
        }
    }
}

/// A password: never shown, wiped when dropped.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Takes the bytes over.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Secret(bytes.into())
    }

    /// The password itself; may be empty.
    pub fn reveal(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// TLS settings of a section or node; what is `None` is left as the program set it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsSettings {
    /// `ssl_mode`.
    pub mode: Option<TlsMode>,
    /// `ssl_ca`: PEM file.
    pub ca: Option<PathBuf>,
    /// `ssl_capath`: folder.
    pub capath: Option<PathBuf>,
    /// `ssl_cert`: PEM file.
    pub cert: Option<PathBuf>,
    /// `ssl_key`: PEM file.
    pub key: Option<PathBuf>,
    /// `ssl_cipher`.
    pub cipher: Option<String>,
    /// `tls_version`.
    pub version: Option<String>,
}

impl TlsSettings {
    /// Puts these settings over `options`. The program's own wish for more is kept: a file that says `preferred`
    /// does not switch off a verification that the program asked for.
    pub fn apply(&self, options: &mut TlsOptions) {
        fn set<T: Clone>(to: &mut Option<T>, from: &Option<T>) {
            if from.is_some() {
                to.clone_from(from);
            }
        }
        if let Some(mode) = self.mode {
            options.mode = if options.mode >= TlsMode::Required { options.mode.max(mode) } else { mode };
        }
        set(&mut options.ca, &self.ca);
        set(&mut options.capath, &self.capath);
        set(&mut options.cert, &self.cert);
        set(&mut options.key, &self.key);
        set(&mut options.cipher, &self.cipher);
        set(&mut options.version, &self.version);
    }

    /// These settings where they say something, `section` elsewhere.
    pub(crate) fn or(self, section: &TlsSettings) -> TlsSettings {
        TlsSettings {
            mode: self.mode.or(section.mode),
            ca: self.ca.or_else(|| section.ca.clone()),
            capath: self.capath.or_else(|| section.capath.clone()),
            cert: self.cert.or_else(|| section.cert.clone()),
            key: self.key.or_else(|| section.key.clone()),
            cipher: self.cipher.or_else(|| section.cipher.clone()),
            version: self.version.or_else(|| section.version.clone()),
        }
    }
}

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// Host name or address literal, and port.
    Tcp {
        /// Name or address.
        host: String,
        /// 1 to 65535.
        port: u16,
    },
    /// Unix domain socket.
    Unix(PathBuf),
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Endpoint::Tcp { host, port } => write!(f, "{host}:{port}"),
            Endpoint::Unix(path) => write!(f, "{}", path.display()),
        }
    }
}

/// The key `state` of a node: what it is used for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeState {
    /// Everything.
    #[default]
    On,
    /// Nothing new: transactions and state that are on it go on.
    Drain,
    /// Nothing.
    Off,
}

/// One configured server. What is `None` comes from the program's connect call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its number in the section.
    pub id: NodeId,
    /// Source or replica, as the file says.
    pub role: Role,
    /// The member name in the file; empty for nodes of a list.
    pub name: String,
    /// Host name or address, never empty.
    pub host: String,
    /// TCP port, 1 to 65535.
    pub port: Option<u16>,
    /// Unix socket; used when `host` is `localhost`.
    pub socket: Option<PathBuf>,
    /// Account.
    pub user: Option<Vec<u8>>,
    /// Password, from `password` or the first line of `password_file`.
    pub password: Option<Secret>,
    /// Initial schema.
    pub database: Option<Vec<u8>>,
    /// The flags argument of `mysql_real_connect`.
    pub connect_flags: Option<u64>,
    /// The node's TLS settings over the section's.
    pub tls: TlsSettings,
    /// Where it stands: see [`super::config::Section::zone`].
    pub zone: Option<String>,
    /// What it is used for.
    pub state: NodeState,
    /// The node's time limits over the section's.
    pub timeouts: super::config::Timeouts,
    /// Its share of the statements, if the nodes say so and not the filter; 0 = it stands by.
    pub weight: Option<u16>,
    /// Commands may be sent there ahead of the reply to the one before.
    pub pipelining: bool,
}

impl Node {
    /// Where the node listens: its socket when the host is `localhost`, else host and port, as in the originals.
    /// `port` and `socket` are what holds for a node that says nothing: the connect call's, else the defaults.
    pub fn endpoint(&self, port: u16, socket: &Path) -> Endpoint {
        if self.host == "localhost" {
            Endpoint::Unix(self.socket.clone().unwrap_or_else(|| socket.to_owned()))
        } else {
            Endpoint::Tcp { host: self.host.clone(), port: self.port.unwrap_or(port) }
        }
    }

    /// Where the node listens, as a URI: `tcp://host:port` or `unix:///path`; what comes from the connect call is left
    /// out.
    pub fn uri(&self) -> String {
        match (&self.socket, self.port) {
            (socket, _) if self.host == "localhost" => {
                format!("unix://{}", socket.as_deref().unwrap_or(Path::new("")).display())
            }
            (_, port) => {
                let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
                port.map_or_else(|| format!("tcp://{host}"), |port| format!("tcp://{host}:{port}"))
            }
        }
    }

    /// The same server by the same account: a connection to one is a connection to the other.
    pub fn is_same_server(&self, other: &Node) -> bool {
        (&self.host, self.port, &self.socket) == (&other.host, other.port, &other.socket)
    }

    /// How the log calls it: its name, else where it listens.
    pub fn label(&self) -> String {
        if !self.name.is_empty() {
            return self.name.clone();
        }
        match (&self.socket, self.port) {
            (Some(socket), _) if self.host == "localhost" => socket.display().to_string(),
            (_, Some(port)) => format!("{}:{port}", self.host),
            (_, None) => self.host.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(index: usize) -> NodeId {
        NodeId::new(index).expect("small")
    }

    #[test]
    fn sets_cycle_in_order() {
        let set: NodeSet = [id(1), id(5), id(127)].into_iter().collect();
        assert_eq!(set.len(), 3);
        assert_eq!(set.at_or_after(0), Some(id(1)));
        assert_eq!(set.at_or_after(2), Some(id(5)));
        assert_eq!(set.at_or_after(6), Some(id(127)));
        assert_eq!(set.at_or_after(128), Some(id(1)));
        assert_eq!(set.nth(2), Some(id(127)));
        assert_eq!(set.nth(3), None);
        assert_eq!(NodeSet::EMPTY.at_or_after(0), None);
        assert!(set.without(id(5)).minus(set).is_empty());
        assert_eq!(NodeId::new(128), None);
    }

    #[test]
    fn localhost_means_the_socket() {
        let mut node = Node {
            id: id(0),
            role: Role::Source,
            name: String::new(),
            host: "localhost".into(),
            port: Some(3307),
            socket: None,
            user: None,
            password: Some(Secret::new("geheim")),
            database: None,
            connect_flags: None,
            tls: TlsSettings::default(),
            zone: None,
            state: NodeState::On,
            timeouts: Default::default(),
            weight: None,
            pipelining: true,
        };
        let socket = Path::new("/run/a.sock");
        assert_eq!(node.endpoint(3306, socket), Endpoint::Unix(socket.into()));
        node.socket = Some("/run/b.sock".into());
        assert_eq!(node.endpoint(3306, socket), Endpoint::Unix("/run/b.sock".into()));
        assert_eq!(node.label(), "/run/b.sock");
        node.host = "::1".into();
        assert_eq!(node.endpoint(3306, socket).to_string(), "[::1]:3307");
        node.port = None;
        assert_eq!(node.endpoint(3306, socket).to_string(), "[::1]:3306");
        assert!(!format!("{node:?}").contains("geheim"));
    }

    #[test]
    fn a_file_does_not_weaken_verification() {
        let mut options = crate::options::Options::new(crate::options::Family::MySql).tls;
        let preferred = TlsSettings { mode: Some(TlsMode::Preferred), ..TlsSettings::default() };
        options.mode = TlsMode::VerifyCa;
        preferred.apply(&mut options);
        assert_eq!(options.mode, TlsMode::VerifyCa);
        options.mode = TlsMode::Preferred;
        TlsSettings { mode: Some(TlsMode::Disabled), ..TlsSettings::default() }.apply(&mut options);
        assert_eq!(options.mode, TlsMode::Disabled);
    }
}
