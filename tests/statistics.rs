//! The counters, the list of servers and the counters of each server, seen by a C program on real clusters of both
//! families. A program of its own: counters are the process's.
#![allow(clippy::unwrap_used, dead_code)]

mod elf;
#[path = "routed/lab.rs"]
mod lab;

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::{families, shared};
use lab::{Address, Shop, addresses};

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// `c_tests/statistics.c`, built for Connector/C.
fn program(folder: &Path) -> PathBuf {
    let program = folder.join("statistics");
    let mut cc = Command::new("cc");
    cc.args(["-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(root("c_tests/statistics.c"));
    cc.arg("-I").arg(root("include")).arg("-lmariadb");
    let output = cc.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

fn run(program: &Path, shop: &Shop, switches: &[(&str, &str)]) -> String {
    let output = Command::new(program)
        .args([harness::APP_USER, harness::APP_PASSWORD])
        .env("LD_PRELOAD", elf::library())
        .env("MYSQLND_MS_CONFIG_FILE", &shop.file)
        .envs(switches.iter().copied())
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{told}\n{:?}", output.stderr);
    told
}

/// A port of this address where nobody listens.
fn nobody(host: &str) -> Address {
    let listener = std::net::TcpListener::bind((host, 0)).unwrap();
    (host.to_owned(), listener.local_addr().unwrap().port())
}

/// One source and one replica, `r1`, in sections of these names with these keys.
fn sections(at: &[Address], dead: &Address, wanted: &[(&str, bool, &str)]) -> Shop {
    let body = |is_dead: bool, keys: &str| {
        let nodes = [at[0].clone(), if is_dead { dead.clone() } else { at[1].clone() }];
        let keys = format!(r#"{keys}, "consistency": "eventual", "ssl_mode": "disabled""#);
        Shop::text(&nodes, &[], &keys).strip_prefix(r#"{"shop": "#).unwrap().strip_suffix('}').unwrap().to_owned()
    };
    let bodies: Vec<String> =
        wanted.iter().map(|(name, is_dead, keys)| format!(r#""{name}": {}"#, body(*is_dead, keys))).collect();
    Shop::of(&format!("{{{}}}", bodies.join(", ")))
}

const WANTED: &[(&str, bool, &str)] = &[
    ("lazy", false, r#""filters": {"roundrobin": []}"#),
    ("eager", false, r#""lazy_connections": 0"#),
    ("eager_dead", true, r#""lazy_connections": 0"#),
    ("lazy_dead", true, r#""failover": "master""#),
    ("sticky", false, r#""trx_stickiness": "master""#),
    ("user", false, r#""filters": {"user": {"callback": "mine"}}"#),
    ("counter", false, r#""global_transaction_id_injection": {"on_commit": "DO 1"}"#),
    ("bad_counter", false, r#""global_transaction_id_injection": {"on_commit": "DO nothing"}"#),
];

#[test]
fn every_counter_moves_when_the_reference_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let program = program(folder.path());
    for family in families() {
        let cluster = shared(family);
        let at = addresses(cluster);
        let shop = sections(&at, &nobody(&at[0].0), WANTED);
        let told = run(&program, &shop, &[("MYSQLND_MS_ENABLE", "1"), ("MYSQLND_MS_COLLECT_STATISTICS", "1")]);
        assert_eq!(told, EXPECTED, "{family}");
    }
}

const EXPECTED: &str = "\
47 counters
connect lazy: pool_masters_total+1 pool_slaves_total+1 pool_masters_active+1 pool_slaves_active+1
server source: slave=0 host=1 account=1 port=1 socket=\"\" connected=0 used_last=1
server r1: slave=1 host=1 account=1 port=1 socket=\"\" connected=0 used_last=1
SELECT 1: use_slave+1 use_slave_guess+1 lazy_connections_slave_success+1
SELECT 2 FOR UPDATE: use_master+1 use_master_guess+1 lazy_connections_master_success+1
/*ms=master*/ SELECT 3: use_master+1 use_master_sql_hint+1
/*ms=slave*/ SELECT 4: use_slave+1 use_slave_sql_hint+1
/*ms=last_used*/ SELECT 5: use_slave+1 use_last_used_sql_hint+1
server source: slave=0 host=1 account=1 port=1 socket=\"\" connected=1 used_last=0
server r1: slave=1 host=1 account=1 port=1 socket=\"\" connected=1 used_last=1
room for 1 of 2: 0
autocommit off: use_master+1 use_master_guess+1 trx_autocommit_off+1
autocommit on: use_master+1 use_master_guess+1 trx_autocommit_on+1
is select: 1: use_slave_guess+1
is select: 0: use_master_sql_hint+1
SELECT 6: use_slave+1 use_slave_guess+1
node source: slave=0 statements=4 connects=1 failures=0 in_flight=0
node r1: slave=1 statements=4 connects=1 failures=0 in_flight=1
close: pool_masters_total-1 pool_slaves_total-1 pool_masters_active-1 pool_slaves_active-1
connect eager: non_lazy_connections_slave_success+1 non_lazy_connections_master_success+1 pool_masters_total+1 pool_slaves_total+1 pool_masters_active+1 pool_slaves_active+1
close: pool_masters_total-1 pool_slaves_total-1 pool_masters_active-1 pool_slaves_active-1
connect eager_dead: failed
connect eager_dead: non_lazy_connections_slave_failure+1 non_lazy_connections_master_success+1
connect lazy_dead: pool_masters_total+1 pool_slaves_total+1 pool_masters_active+1 pool_slaves_active+1
SELECT 7: use_master+1 use_slave_guess+1 lazy_connections_slave_failure+1 lazy_connections_master_success+1
node source: slave=0 statements=1 connects=1 failures=0 in_flight=0
node r1: slave=1 statements=0 connects=0 failures=1 in_flight=0
close: pool_masters_total-1 pool_slaves_total-1 pool_masters_active-1 pool_slaves_active-1
connect sticky: pool_masters_total+1 pool_slaves_total+1 pool_masters_active+1 pool_slaves_active+1
SELECT 8: use_slave+1 use_slave_guess+1 lazy_connections_slave_success+1
BEGIN: use_master+1 use_master_guess+1 lazy_connections_master_success+1
SELECT 9: use_master+1 use_slave_guess+1 trx_master_forced+1
/*ms=slave*/ SELECT 10: use_master+1 use_slave_sql_hint+1 trx_master_forced+1
COMMIT: use_master+1 use_master_guess+1 trx_master_forced+1
SELECT 11: use_slave+1 use_slave_guess+1
close: pool_masters_total-1 pool_slaves_total-1 pool_masters_active-1 pool_slaves_active-1
connect user: pool_masters_total+1 pool_slaves_total+1 pool_masters_active+1 pool_slaves_active+1
SELECT 12: use_slave_guess+1 use_slave_callback+1 lazy_connections_slave_success+1
SELECT 13 FOR UPDATE: use_master_guess+1 use_master_callback+1 lazy_connections_master_success+1
close: pool_masters_total-1 pool_slaves_total-1 pool_masters_active-1 pool_slaves_active-1
connect counter: pool_masters_total+1 pool_slaves_total+1 pool_masters_active+1 pool_slaves_active+1
SELECT 14 FOR UPDATE: use_master+1 use_master_guess+1 lazy_connections_master_success+1 gtid_autocommit_injections_success+1
BEGIN: use_master+1 use_master_guess+1
SELECT 15 FOR UPDATE: use_master+1 use_master_guess+1
COMMIT: use_master+1 use_master_guess+1 gtid_commit_injections_success+1
BEGIN: use_master+1 use_master_guess+1
SELECT 16 FOR UPDATE: use_master+1 use_master_guess+1
BEGIN: use_master+1 use_master_guess+1 gtid_implicit_commit_injections_success+1
ROLLBACK: use_master+1 use_master_guess+1
close: pool_masters_total-1 pool_slaves_total-1 pool_masters_active-1 pool_slaves_active-1
connect bad_counter: pool_masters_total+1 pool_slaves_total+1 pool_masters_active+1 pool_slaves_active+1
SELECT 17 FOR UPDATE: use_master+1 use_master_guess+1 lazy_connections_master_success+1 gtid_autocommit_injections_failure+1
BEGIN: use_master+1 use_master_guess+1
SELECT 18 FOR UPDATE: use_master+1 use_master_guess+1
COMMIT: use_master+1 use_master_guess+1 gtid_commit_injections_failure+1
close: pool_masters_total-1 pool_slaves_total-1 pool_masters_active-1 pool_slaves_active-1
not connected: 0, error 2000
not connected: 0, error 2000
no handle: 0 0
at exit: 47 counters
";

#[test]
fn nothing_moves_while_counting_is_off_and_nothing_is_told_while_the_library_is() {
    let folder = tempfile::tempdir().unwrap();
    let program = program(folder.path());
    let cluster = shared(families()[0]);
    let at = addresses(cluster);
    let shop = sections(&at, &nobody(&at[0].0), WANTED);
    let told = run(&program, &shop, &[("MYSQLND_MS_ENABLE", "1")]);
    let steps: Vec<&str> = told.lines().filter(|line| !line.starts_with("is select")).collect();
    assert!(steps.contains(&"47 counters") && steps.contains(&"at exit: 47 counters"), "{told}");
    assert!(steps.contains(&"SELECT 2 FOR UPDATE:") && steps.contains(&"connect eager:"), "{told}");
    assert!(!told.contains("use_") && !told.contains("pool_"), "{told}");
    assert!(told.contains("node source: slave=0 statements=0 connects=0 failures=0 in_flight=0\n"), "{told}");
    assert!(told.contains("node r1: slave=1 statements=0 connects=0 failures=0 in_flight=1\n"), "{told}");
    let told = run(&program, &shop, &[]);
    assert!(told.starts_with("0 counters\n") && told.ends_with("at exit: 0 counters\n"), "{told}");
    assert!(told.contains("connect lazy: failed\n"), "the library is an ordinary client: {told}");
}
