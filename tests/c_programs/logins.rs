//! Ways to log in: plugins of the program's own, dialogues, several factors, methods that sign, revoked certificates.

use super::{Abi, abis, mysql_only, same, same_on, same_with};
use harness::{Cluster, Family, Spec, family, server_plugin};
use std::path::Path;
use std::sync::OnceLock;

fn mariadb_only() -> Vec<Abi> {
    vec![Abi::MariaDb]
}

/// A single server of `family` with the plugins of `server_auth.c`.
fn plugin_server(family: Family) -> &'static Cluster {
    static SERVERS: [OnceLock<Cluster>; 2] = [OnceLock::new(), OnceLock::new()];
    SERVERS[usize::from(family == Family::MySql)].get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("plugins-{family}"));
        server_plugin::make(family, &folder).unwrap();
        let spec = Spec::new(family, 0).general_log(false).server_arg(server_plugin::LOAD);
        let spec = spec.server_arg(&format!("--plugin-dir={}", folder.display()));
        let spec = if family == Family::MariaDb { spec.server_arg("--plugin-maturity=unknown") } else { spec };
        Cluster::start(spec).unwrap()
    })
}

#[test]
fn plugins_of_the_program_are_the_originals() {
    same_on("plugins", plugin_server, &abis());
}

#[test]
fn plugins_of_the_program_in_non_blocking_connects_are_the_originals() {
    same_on("plugins_nonblocking_mysql", plugin_server, &mysql_only());
    same_on("plugins_nonblocking_mariadb", plugin_server, &mariadb_only());
}

/// Connector/C's only.
#[test]
fn dialogues_are_the_originals() {
    same_on("dialog", plugin_server, &mariadb_only());
}

/// libmysqlclient's and MySQL's only.
#[test]
fn factors_are_the_originals() {
    if harness::families().contains(&Family::MySql) {
        same_with("factors", plugin_server(Family::MySql), &mysql_only(), &[]);
    }
}

/// Connector/C's only, with a server that has both methods.
#[test]
fn methods_that_sign_are_the_originals() {
    let tools = match family::newer_mariadb() {
        Ok(tools) => tools,
        Err(error) if std::env::var_os("CI").is_none_or(|ci| ci.is_empty()) => {
            return eprintln!("c_programs: methods that sign are left out: {error}");
        }
        Err(error) => panic!("{error}"),
    };
    // Debian's Connector/C is older than the method, and takes the plugin of a newer one.
    let plugins = tools.server.with_file_name("../root/usr/lib/x86_64-linux-gnu/libmariadb3/plugin");
    let mut spec = Spec::new(Family::MariaDb, 0).general_log(false);
    spec.tools = Some(tools);
    let spec = spec.server_arg("--plugin-load-add=auth_ed25519.so").server_arg("--plugin-load-add=auth_parsec.so");
    let cluster = Cluster::start(spec).unwrap();
    let plugins = plugins.canonicalize().unwrap();
    same_with("signing", &cluster, &mariadb_only(), &[("MARIADB_PLUGIN_DIR", &plugins)]);
}

#[test]
fn revocation_lists_and_pass_phrases_are_the_originals() {
    same("crl");
}

/// Connector/C's only.
#[test]
fn watching_functions_are_the_originals() {
    same_on("watch", super::server, &mariadb_only());
}
