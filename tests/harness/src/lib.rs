//! Real servers for tests: a primary and its replicas, of either family, on loopback, in seconds.
//!
//! What is here, outermost first:
//!
//! * [`Cluster`]: start it with a [`Spec`], steer it (appliers, death, freeze, promotion), ask what each server saw.
//! * [`Proxy`]: a TCP proxy that counts round trips and bytes and misbehaves on demand.
//! * [`Family`]: where the servers' programs are and which words they use.
//! * [`control`]: the same things for shell and Python, through the program `cluster`.
//!
//! Nothing outlives the process that started it: servers die with it whatever happens, folders are removed when it ends
//! (also by a panic, SIGINT or SIGTERM) or, after a SIGKILL, by the next one that starts a cluster.
//!
//! This crate must not use the library under test: it speaks to its servers by its own few lines of protocol, as root,
//! through their Unix sockets.

use std::path::PathBuf;

pub mod cluster;
pub mod control;
pub mod error;
pub mod family;
mod galera;
pub mod general_log;
pub mod old;
pub mod process;
pub mod proxy;
mod replication;
pub mod rootsql;
pub mod server_plugin;
mod template;
pub mod tls;

pub use cluster::{Cluster, Endpoint, NodeState, Spec};
pub use error::{Error, Result};
pub use family::{Family, families};
pub use general_log::{LogEntry, LogMark};
pub use proxy::{How, Proxy};
pub use rootsql::Rows;

/// The account that tests log in with: rights on `test` and on every database `test_…`, and to watch replication.
pub const APP_USER: &str = "app";
/// The password of [`APP_USER`].
pub const APP_PASSWORD: &str = "apppw";
/// The account with every right.
pub const ADMIN_USER: &str = "admin";
/// The password of [`ADMIN_USER`].
pub const ADMIN_PASSWORD: &str = "adminpw";
/// The account that the replicas receive with.
pub const REPL_USER: &str = "repl";
/// The password of [`REPL_USER`].
pub const REPL_PASSWORD: &str = "replpw";
/// The database that every cluster has (utf8mb4).
pub const DATABASE: &str = "test";

/// The file of the library under test: `$MS_LIBRARY`, else as cargo built it beside the test program that asks.
///
/// # Panics
/// When it is not there.
pub fn library() -> PathBuf {
    let file = match std::env::var_os("MS_LIBRARY") {
        Some(named) => PathBuf::from(named),
        None => std::env::current_exe().unwrap_or_default().with_file_name("libmysqlclient_ms.so"),
    };
    file.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// A primary with two replicas of `family` that all tests of one test program may use; started by the first who asks.
///
/// It lives to the end of the process. Tests that stop, kill or promote nodes start a cluster of their own instead;
/// tests that share it use databases of their own (`test_SOMETHING`).
///
/// # Panics
/// When the cluster cannot be started.
pub fn shared(family: Family) -> &'static Cluster {
    use std::sync::OnceLock;
    static MARIADB: OnceLock<Cluster> = OnceLock::new();
    static MYSQL: OnceLock<Cluster> = OnceLock::new();
    let cell = match family {
        Family::MariaDb => &MARIADB,
        Family::MySql => &MYSQL,
    };
    cell.get_or_init(|| match Cluster::start(Spec::new(family, 2)) {
        Ok(cluster) => cluster,
        Err(error) => panic!("the shared {family} cluster does not start: {error}"),
    })
}
