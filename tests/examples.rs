//! The programs of `examples/consistency` do what they say, on real clusters of both families, whether the replica is in
//! step or has stopped.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

#[path = "routed/lab.rs"]
mod lab;

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::{Cluster, Family, Spec, families, library};
use lab::{Shop, addresses};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/consistency").join(name)
}

/// The C example, built with Connector/C's header and linked to our library.
fn c_example(folder: &Path) -> PathBuf {
    let program = folder.join("seen");
    let flags = Command::new("mariadb_config").arg("--include").output().unwrap();
    let flags = String::from_utf8(flags.stdout).unwrap();
    let built = Command::new("cc")
        .args(["-Wall", "-Werror", "-o"])
        .arg(&program)
        .arg(example("seen.c"))
        .args(flags.split_whitespace())
        .arg(format!("-I{}", Path::new(env!("CARGO_MANIFEST_DIR")).join("include").display()))
        .arg(library())
        .status();
    assert!(built.unwrap().success());
    program
}

/// PHP with pdo_mysql as `get-pdo-mysql.py` builds it, which finds our library under the name of Connector/C's: PHP loads
/// extensions in a way that preloading does not reach. None where it was not built; with CI set it must have been.
fn php(folder: &Path) -> Option<Command> {
    let cache = std::env::var_os("CACHE").filter(|cache| !cache.is_empty());
    let cache = cache.map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(".cache"), PathBuf::from);
    let extension = cache.join("pdo_mysql/pdo_mysql.so");
    if !extension.is_file() {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci.is_empty()), "tests/harness/get-pdo-mysql.py was not run");
        eprintln!("the example in PHP is left out: tests/harness/get-pdo-mysql.py builds what it needs");
        return None;
    }
    std::os::unix::fs::symlink(library(), folder.join("libmysqlclient_ms.so")).unwrap();
    let sonames = folder.join("sonames");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/abi/soname/build.sh");
    assert!(Command::new("sh").arg(script).arg(folder).arg(&sonames).status().unwrap().success());
    let own = Command::new("php-config").arg("--extension-dir").output().unwrap();
    let own = String::from_utf8(own.stdout).unwrap();
    let mut command = Command::new("php");
    command.args(["-n", "-d", &format!("extension={}/pdo.so", own.trim())]);
    command.args(["-d", &format!("extension={}", extension.display())]);
    command.env("LD_LIBRARY_PATH", sonames).arg(example("seen.php"));
    Some(command)
}

fn run(command: &mut Command, shop: &Shop, preload: bool) -> Vec<String> {
    if preload {
        command.env("LD_PRELOAD", library());
    }
    let output = command
        .args(["shop", harness::APP_USER, harness::APP_PASSWORD, "test_examples"])
        .envs(Shop::environment(&shop.file))
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {out}{err}");
    out.lines().map(str::to_owned).collect()
}

#[test]
fn programs_in_each_language_see_what_they_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let compiled = c_example(folder.path());
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 1).general_log(true)).unwrap();
        cluster.sql(0, "CREATE DATABASE test_examples").unwrap();
        cluster
            .sql(0, "CREATE TABLE test_examples.seen (k VARCHAR(20) PRIMARY KEY, v VARCHAR(40)) ENGINE=InnoDB")
            .unwrap();
        if family == Family::MySql {
            cluster.sql(0, "GRANT SELECT ON performance_schema.* TO app@'%'").unwrap();
        }
        cluster.wait_in_step().unwrap();
        // The example's own settings, with this cluster's servers.
        let keys = std::fs::read_to_string(example("shop.json")).unwrap();
        let keys: serde_json::Value = serde_json::from_str(&keys).unwrap();
        let shop = Shop::new(&addresses(&cluster), &format!("\"consistency\": {}", keys["shop"]["consistency"]));
        for stopped in [false, true] {
            if stopped {
                cluster.stop_applier(1).unwrap();
                cluster.sql(0, "DELETE FROM test_examples.seen").unwrap();
            }
            let php = tempfile::tempdir().unwrap();
            let commands = [
                ("C", "c", Command::new(&compiled)),
                ("Perl", "perl", Command::new("/usr/bin/perl")),
                ("Python", "python", Command::new("/usr/bin/python3")),
                ("Ruby", "ruby", Command::new("/usr/bin/ruby")),
            ];
            let in_php = self::php(php.path()).map(|command| ("PHP", "php", command));
            for (language, key, mut command) in commands.into_iter().chain(in_php) {
                match language {
                    "Perl" => drop(command.arg(example("seen.pl"))),
                    "Python" => drop(command.arg(example("seen.py"))),
                    "Ruby" => drop(command.arg(example("seen.rb"))),
                    _ => {}
                }
                let marks = [cluster.log_mark(0).unwrap(), cluster.log_mark(1).unwrap()];
                let said = run(&mut command, &shop, language != "PHP");
                let written = format!("written by {language}");
                let mut expected = vec![format!("session: {written}"), format!("strong: {written}")];
                if key == "c" {
                    expected.push(format!("token: {written}"));
                }
                expected.push("report: 1".to_owned());
                assert_eq!(said, expected, "{family} {language}, replica stopped: {stopped}");
                let on = |node: usize| {
                    let entries = cluster.general_log_since(node, &marks[node]).unwrap();
                    entries.iter().filter(|entry| entry.argument.ends_with(&format!("WHERE k = '{key}'"))).count()
                };
                let (source, replica) = (on(0), on(1));
                if stopped {
                    assert!(source >= 2, "{family} {language}: {source} {replica}");
                } else {
                    assert!(
                        source == 1 && replica >= 1,
                        "{family} {language}: only the strong read: {source} {replica}"
                    );
                }
            }
        }
    }
}
