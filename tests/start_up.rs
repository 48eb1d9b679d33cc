//! What a process finds when it starts: directives, a configuration that is good, broken, empty or missing, and what
//! connects make of it.
#![allow(clippy::unwrap_used, dead_code)]

#[path = "routed/lab.rs"]
mod lab;

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use harness::{families, shared};
use lab::{Shop, addresses};
use mysqlclient_ms::cluster::Clusters;
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::error::Error;
use mysqlclient_ms::options::Family;
use mysqlclient_ms::session::{ConnectArgs, Environment, Session};

/// No server has this name.
const SECTION: &str = "shop.invalid";

fn clusters(file: &Path, force: &str) -> Clusters {
    let variable = |name: &str, value: OsString| (OsString::from(name), value);
    Clusters::new(
        [
            variable("MYSQLND_MS_ENABLE", "1".into()),
            variable("MYSQLND_MS_CONFIG_FILE", file.into()),
            variable("MYSQLND_MS_FORCE_CONFIG_USAGE", force.into()),
        ],
        false,
    )
}

fn connect(clusters: &Clusters, host: &str) -> Result<(), Error> {
    let mut session = Session::new(Family::MySql);
    let args = ConnectArgs { host: Some(host.into()), user: Some(b"u".to_vec()), ..ConnectArgs::default() };
    block_on(session.connect(args, &Environment { port: 1, ..Environment::default() }, clusters))
}

fn write(folder: &Path, text: &str) -> std::path::PathBuf {
    let file = folder.join("ms.json");
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    file
}

#[test]
fn without_a_section_a_connect_is_an_ordinary_one_unless_a_section_is_demanded() {
    let folder = tempfile::tempdir().unwrap();
    let good = format!(r#"{{"{SECTION}": {{"master": {{"m": {{"host": "127.0.0.1"}}}}, "slave": {{}}}}}}"#);
    for (text, told) in [
        (None, Some("cannot be opened")),
        (Some("no JSON"), Some("ms.json")),
        (Some(""), Some("ms.json")),
        (Some("{}"), None),
        (Some(good.replace(SECTION, "other").as_str()), None),
    ] {
        let file = match text {
            Some(text) => write(folder.path(), text),
            None => folder.path().join("missing.json"),
        };
        for no in ["aus", "false", "off", "0"] {
            let clusters = clusters(&file, no);
            let problem = clusters.snapshot(std::time::Duration::ZERO).unwrap().file_problem().map(ToString::to_string);
            assert_eq!(problem.is_some(), told.is_some(), "{text:?}: {problem:?}");
            assert_eq!(connect(&clusters, SECTION).unwrap_err().code, 2005, "{text:?}: an unknown host");
        }
        for yes in ["1", "on", "banana"] {
            for host in [SECTION, "127.0.0.1"] {
                let error = connect(&clusters(&file, yes), host).unwrap_err();
                assert_eq!((error.code, error.sqlstate), (2000, *b"HY000"), "{text:?}");
                let message = String::from_utf8_lossy(&error.message).into_owned();
                assert!(message.contains(told.unwrap_or("force_config_usage")), "{text:?}: {message}");
            }
        }
    }
    let file = write(folder.path(), &good);
    assert_eq!(connect(&clusters(&file, "1"), SECTION), Ok(()), "lazy: no server is asked");
    assert_eq!(connect(&clusters(&file, "1"), "127.0.0.1").unwrap_err().code, 2000);
    assert_eq!(connect(&clusters(&file, "0"), "127.0.0.1").unwrap_err().code, 2003, "an ordinary connect");
}

#[test]
fn processes_read_the_configuration_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), r#"{"shop": {"master": [{"host": "a"}], "slave": []}}"#);
    let explain = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mysqlclient-ms"));
        command.args(["explain", "--config"]).arg(&file).arg("INSERT INTO t VALUES (1)");
        command.stdout(std::process::Stdio::piped()).spawn().unwrap()
    };
    let running: Vec<_> = (0..8).map(|_| explain()).collect();
    for one in running {
        let output = one.wait_with_output().unwrap();
        assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains("decision: a (source)"));
    }
}

#[test]
fn each_node_has_its_own_flags_and_account() {
    const FOUND_ROWS: &str = r#""connect_flags": 2"#;
    for family in families() {
        let cluster = shared(family);
        let at = addresses(cluster);
        for sql in [
            "DROP DATABASE IF EXISTS test_flags",
            "CREATE DATABASE test_flags",
            "CREATE TABLE test_flags.t (v INT)",
            "INSERT INTO test_flags.t VALUES (1)",
        ] {
            cluster.sql(cluster.primary(), sql).unwrap();
        }
        cluster.wait_in_step().unwrap();
        for (flags, affected) in [("", 0), (FOUND_ROWS, 1)] {
            let shop = Shop::of(&Shop::text(&at, &[flags], ""));
            let mut handle = shop.connect(Some("test_flags"));
            handle.ok("UPDATE t SET v = 1");
            assert_eq!(handle.session.outcome().affected_rows, affected, "{family}: {flags}");
        }
        let stranger = r#""user": "nobody", "password": "x""#;
        let shop = Shop::of(&Shop::text(&at, &["", stranger, stranger], r#""consistency": "eventual""#));
        let mut handle = shop.connect(Some("test_flags"));
        assert_eq!(handle.code("SELECT v FROM t"), 1045, "{family}: the replica's account");
        handle.ok("UPDATE t SET v = 2");
    }
}
