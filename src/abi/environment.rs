//! What the process was started with: the directives and the configuration, and the defaults of a connect call.
//!
//! The only place that reads environment variables. In a set-user-id program ours are ignored.

#![allow(unsafe_code)]

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::cluster::Clusters;
use crate::log;
use crate::options::Family;
use crate::session::Environment;

/// The process's clusters; None while `mysqlnd_ms.enable` is off.
pub(super) fn clusters() -> Option<&'static Clusters> {
    static CLUSTERS: OnceLock<Clusters> = OnceLock::new();
    let clusters = CLUSTERS.get_or_init(|| {
        let clusters = Clusters::new(std::env::vars_os(), is_secure()).with_functions(super::user_filter::functions());
        log::init(clusters.directives.log.clone());
        crate::statistics::collect(clusters.directives.collect_statistics);
        super::entry::on_panic(|text| log::get().message(log::Level::Error, 0, text));
        for remark in &clusters.remarks {
            log::get().message(log::Level::Warning, 0, &remark.to_string());
        }
        clusters
    });
    clusters.is_enabled().then_some(clusters)
}

/// A set-user-id program, or one with more capabilities than its caller.
fn is_secure() -> bool {
    // SAFETY: getauxval has no preconditions.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// What a connect call takes from the environment where the program says nothing.
pub(super) fn connect_defaults(family: Family) -> Environment {
    let bytes = |name: &str| std::env::var_os(name).map(OsStringExt::into_vec);
    let port = std::env::var("MYSQL_TCP_PORT").ok().and_then(|port| port.trim().parse().ok()).unwrap_or(0);
    let default_socket = match family {
        Family::MySql => "/var/run/mysqld/mysqld.sock",
        Family::MariaDb => "/run/mysqld/mysqld.sock",
    };
    let socket = bytes("MYSQL_UNIX_PORT").or_else(|| match family {
        Family::MySql => None,
        // Connector/C's own name for it counts after the common one.
        Family::MariaDb => bytes("MARIADB_UNIX_PORT"),
    });
    let path = |path| PathBuf::from(OsString::from_vec(path));
    Environment {
        password: bytes("MYSQL_PWD"),
        port: if port == 0 { 3306 } else { port },
        socket: socket.map_or_else(|| default_socket.into(), path),
        login: login(),
    }
}

/// Who runs the program, as the originals find out: root by number, else the environment.
fn login() -> Vec<u8> {
    // SAFETY: geteuid has no preconditions.
    if unsafe { libc::geteuid() } == 0 {
        return b"root".to_vec();
    }
    let named = ["USER", "LOGNAME", "LOGIN"].iter().find_map(std::env::var_os);
    named.map_or_else(|| b"UNKNOWN_USER".to_vec(), OsStringExt::into_vec)
}
