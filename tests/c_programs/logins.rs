//! Ways to log in: plugins of the program's own, dialogues, several factors, methods that sign, revoked certificates.

use super::{Abi, abis, mysql_only, same, same_on, same_with};
use harness::{Cluster, Family, Spec, family, server_plugin};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

fn mariadb_only() -> Vec<Abi> {
    vec![Abi::MariaDb]
}

/// A single server of `family` with the plugins of `server_auth.c`.
fn plugin_server(family: Family) -> &'static Cluster {
    static SERVERS: [OnceLock<Cluster>; 2] = [OnceLock::new(), OnceLock::new()];
    SERVERS[usize::from(family == Family::MySql)].get_or_init(|| Cluster::start(plugin_spec(family, 0)).unwrap())
}

/// Servers with those plugins.
fn plugin_spec(family: Family, replicas: usize) -> Spec {
    static MADE: [OnceLock<PathBuf>; 2] = [OnceLock::new(), OnceLock::new()];
    let folder = MADE[usize::from(family == Family::MySql)].get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("plugins-{family}"));
        server_plugin::make(family, &folder).unwrap();
        folder
    });
    let spec = Spec::new(family, replicas).general_log(false).server_arg(server_plugin::LOAD);
    let spec = spec.server_arg(&format!("--plugin-dir={}", folder.display()));
    if family == Family::MariaDb { spec.server_arg("--plugin-maturity=unknown") } else { spec }
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
    same_on("dialog_terminal", plugin_server, &mariadb_only());
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

/// Ours only: each connection of a routed handle logs in by the program's plugin.
#[test]
fn plugins_of_the_program_serve_routed_handles() {
    if std::env::var_os("MS_ORIGINALS_ONLY").is_some() {
        return;
    }
    let expected = "\
connect
    lab_talk for lab_user, port known 1
  /*ms=slave*/server 2
    lab_talk for lab_user, port known 1
  /*ms=master*/server 1
  /*ms=slave*/server 2
user lab_user, password secret
    lab_clear for lab_second
change user: 0
    lab_clear for lab_second
  /*ms=slave*/server 2
  /*ms=master*/server 1
user lab_second
    lab_talk for lab_user, port known 1
wrong: 1
  error                            errno=1045 state=28000 text=Access denied for user 'lab_user'@'127.0.0.1' (using password: NO)
    lab_clear for lab_second
  /*ms=slave*/server 2
user lab_second
talks 3, clears 3

end
";
    let library = super::library();
    for family in harness::families() {
        let cluster = Cluster::start(plugin_spec(family, 1)).unwrap();
        let words = if family == Family::MariaDb { ("VIA", "USING") } else { ("WITH", "AS") };
        for (name, plugin) in [("lab_user", "lab_talk"), ("lab_second", "lab_clear")] {
            let sql = format!("CREATE USER {name}@'%' IDENTIFIED {} {plugin} {} 'secret'", words.0, words.1);
            cluster.sql(cluster.primary(), &sql).unwrap();
        }
        cluster.wait_in_step().unwrap();
        let node = |n: usize| {
            let endpoint = cluster.endpoint(n);
            format!(r#"{{"host": "{}", "port": {}}}"#, endpoint.host, endpoint.port)
        };
        let text = format!(r#"{{"shop": {{"master": {{"source": {}}}, "slave": {{"r1": {}}}}}}}"#, node(0), node(1));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shop.json");
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        for abi in abis() {
            let mut command = super::command("plugins_routed", abi, Some(&library));
            command.env("MYSQLND_MS_ENABLE", "1").env("MYSQLND_MS_CONFIG_FILE", &file);
            let output = super::run(command, &cluster);
            assert_eq!(super::text(&output.stdout), expected, "{family}, {abi:?}");
            assert_eq!(super::text(&output.stderr), "", "{family}, {abi:?}");
        }
    }
}
