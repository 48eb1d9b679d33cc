//! The command line tool, run as a program.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

fn tool() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mysqlclient-ms"));
    for variable in ["MYSQLND_MS_CONFIG_FILE", "MYSQLND_MS_INI", "MYSQLND_MS_LOG", "LD_PRELOAD", "LD_LIBRARY_PATH"] {
        command.env_remove(variable);
    }
    command
}

fn out(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn run(arguments: &[&str]) -> (i32, String, String) {
    out(&tool().args(arguments).output().unwrap())
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    path.to_str().unwrap().to_owned()
}

const GOOD: &str = r#"{"shop": {"master": [{"host": "a"}], "slave": [{"host": "b"}]}}"#;

#[test]
fn version_and_help() {
    let version = format!("mysqlclient-ms {}\n", env!("CARGO_PKG_VERSION"));
    for spelling in ["version", "--version", "-V"] {
        assert_eq!(run(&[spelling]), (0, version.clone(), String::new()));
    }
    let (code, help, _) = run(&["--help"]);
    assert_eq!(code, 0);
    for word in ["run", "check", "explain", "version", "--config"] {
        assert!(help.contains(word), "{word}");
    }
}

#[test]
fn wrong_usage_is_2_with_a_word_on_stderr() {
    for arguments in
        [&[][..], &["zap"], &["check"], &["run"], &["explain"], &["run", "--zap"], &["version", "x"], &["--zap"]]
    {
        let (code, stdout, stderr) = run(arguments);
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(stderr.starts_with("mysqlclient-ms: "), "{stderr}");
    }
}

#[test]
fn check_prints_every_mistake_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let good = write(folder.path(), "good.json", GOOD);
    assert_eq!(run(&["check", &good]), (0, format!("{good}: good: section shop\n"), String::new()));

    let bad = write(
        folder.path(),
        "bad.json",
        "{\n  \"shop\": {\"master\": [{\"host\": \"a\", \"port\": -1}],\n    \"slaves\": [],\n    \"xa\": {}}\n}\n",
    );
    let (code, stdout, stderr) = run(&["check", &good, &bad]);
    assert_eq!((code, stderr.as_str()), (1, ""));
    let expected = [
        format!("{good}: good: section shop"),
        format!("{bad}:2:11: error: shop: expected the key `slave` (it may be empty: {{}})"),
        format!("{bad}:2:45: error: shop.master[0].port: expected a port from 0 to 65535, found -1"),
        format!("{bad}:3:5: note: shop.slaves: unknown key `slaves`, ignored (keys here: "),
        format!("{bad}:4:5: error: shop.xa: `xa` is not served yet by this version (remove the key)"),
    ];
    let lines: Vec<_> = stdout.lines().collect();
    assert_eq!(lines.len(), expected.len(), "{stdout}");
    for (line, expected) in lines.iter().zip(&expected) {
        assert!(line.starts_with(expected), "{line}");
    }

    let broken = write(folder.path(), "broken.json", "{\n");
    let (code, stdout, _) = run(&["check", &broken]);
    assert_eq!(code, 1);
    assert!(stdout.starts_with(&format!("{broken}:2:0: error: is not valid JSON: ")), "{stdout}");
    let (code, stdout, _) = run(&["check", "/nonexistent.json"]);
    assert_eq!(code, 1);
    assert!(stdout.starts_with("/nonexistent.json: error: cannot be opened"), "{stdout}");
}

const CHAIN: &str = r#"{"shop": {
    "master": {"m": {"host": "a"}, "n": {"host": "b"}},
    "slave": {"s1": {"host": "c"}, "s2": {"host": "d"}, "s3": {"host": "e", "state": "drain"}},
    "failover": {"strategy": "loop_before_master", "max_retries": 1},
    "filters": {"node_groups": {"REPORT": {"master": ["m"], "slave": ["s2", "s3"]}},
                "table": {"rules": {"log.%": {"master": ["m"], "slave": ["s1"]}, "%": {"master": ["m"], "slave": ["s1", "s2"]}}},
                "roundrobin": {}}}, "other": {"master": [{"host": "a"}], "slave": [], "xa": {}}}"#;

#[test]
fn explain_tells_every_step() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "shop.json", CHAIN);
    let explain = |arguments: &[&str]| {
        let (code, stdout, stderr) = run(&[&["explain", "--config", &file, "--section", "shop"], arguments].concat());
        assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
        stdout
    };
    let told = explain(&["--schema", "shop", "/*REPORT*/ SELECT COUNT(*) FROM `orders`, shop.items"]);
    assert_eq!(
        told,
        "class: read\nreason: plain read\nhint: none\ntables: orders, shop.items\n\
         consistency: default: reads see the handle's writes where the servers have GTIDs\n\
         candidates: sources m; replicas s1, s2\nleft out: s3 (state drain)\n\
         after node_groups: sources m; replicas s2\nafter table: sources m; replicas s2\nchosen by: roundrobin\n\
         decision: s2 (replica): plain read; round robin\nif it cannot be reached: m\n"
    );
    for (arguments, expected) in [
        (
            &["SELECT a FROM log.t FOR UPDATE"][..],
            &["class: write\n", "(at \"FOR\")", "decision: m (source): not a plain read"][..],
        ),
        (
            &["/*ms=master*/ SELECT 1"],
            &["hint: ms=master\n", "tables: none\n", "decision: m (source): hint for a source"],
        ),
        (
            &["/*REPORT*/ SELECT * FROM log.t"],
            &["after table: sources m; replicas none\n", "m (source): read without a usable replica"],
        ),
        (&["SELECT * FROM log.a, b"], &["decision: s1 (replica)", "if it cannot be reached: m\n"]),
        (&["/*ms=strong*/ SELECT 1"][..], &["consistency: strong", "decision: m (source): "][..]),
        (&["--state", "in_transaction", "SELECT 1"], &["decision: m (source): first statement of a transaction"]),
        (&["--state", "transaction=s2", "SELECT 1"], &["decision: s2 (replica): open transaction\n"]),
        (
            &["--state", "read_only", "SELECT 1"],
            &["decision: s1 (replica): first statement of a read-only transaction"],
        ),
        (
            &["--state", "pinned=s3,failed=s1", "SELECT 1"],
            &["decision: s3 (replica): session state lives on this node\n"],
        ),
        (&["--state", "last_write=1", "SELECT LAST_INSERT_ID()"], &["decision: n (source): node of the last write\n"]),
        (
            &["--state", "multi_master", "CALL p()"],
            &["candidates: sources m, n;", "after table: sources m; replicas s1\n"],
        ),
        (
            &["/*ms=last_used*/ SELECT 1"],
            &["decision: none: error 2000: the hint ms=last_used came before any statement"],
        ),
    ] {
        let told = explain(arguments);
        for expected in expected {
            assert!(told.contains(expected), "{arguments:?}: {expected:?} in\n{told}");
        }
    }
}

#[test]
fn explain_says_why_it_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "shop.json", CHAIN);
    for (arguments, code, expected) in [
        (&["--config", &file, "SELECT 1"][..], 2, "--section: shop, other"),
        (&["--config", &file, "--section", "other", "SELECT 1"], 1, "connects to section other fail:"),
        (&["--config", &file, "--section", "shop"], 2, "expected a statement"),
        (&["--config", &file, "--section", "shop", "--state", "zap", "SELECT 1"], 2, "unknown state \"zap\""),
        (&["--config", &file, "--section", "shop", "--state", "pinned=zap", "SELECT 1"], 2, "nodes: m, n, s1, s2, s3"),
        (&["--config", "/nonexistent.json", "SELECT 1"], 1, "/nonexistent.json: cannot be opened"),
        (&["SELECT 1"], 2, "no configuration"),
    ] {
        let (found, stdout, stderr) = run(&[&["explain"], arguments].concat());
        assert_eq!((found, stdout.as_str()), (code, ""), "{arguments:?}");
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
    }
}

#[test]
fn run_sets_the_environment_and_becomes_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let config = write(folder.path(), "shop.json", GOOD);
    // Any shared library does: what is tested is the environment. The loader complains about one that is missing.
    let library = write(folder.path(), "libmysqlclient_ms.so", "");
    // As in the build folder: the tool itself has the name that the folder has when installed.
    write(folder.path(), "mysqlclient-ms", "");
    let sonames = folder.path().join("sonames");
    fs::create_dir(&sonames).unwrap();
    fs::write(sonames.join("libmariadb.so.3"), "").unwrap();
    let script = "echo $MYSQLND_MS_ENABLE $MYSQLND_MS_CONFIG_FILE $MYSQLND_MS_LOG $LD_PRELOAD $LD_LIBRARY_PATH; \
                  echo \"$@\"; exit 7";
    let output = tool()
        .current_dir(folder.path())
        .env("LD_LIBRARY_PATH", "/opt/x")
        .args(["run", "--config", "shop.json", "--library", "libmysqlclient_ms.so", "--log", "debug:/tmp/l", "--"])
        .args(["sh", "-c", script, "sh", "--config", "a b"])
        .output()
        .unwrap();
    let (code, stdout, _) = out(&output);
    let expected = format!("1 {config} debug:/tmp/l {library} {}:/opt/x\n--config a b\n", sonames.display());
    assert_eq!((code, stdout), (7, expected));
}

#[test]
fn run_keeps_a_configuration_from_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let library = write(folder.path(), "libmysqlclient_ms.so", "");
    let output = tool()
        .env("MYSQLND_MS_CONFIG_FILE", "/somewhere.json")
        .args(["run", "--library", &library, "sh", "-c", "echo $MYSQLND_MS_CONFIG_FILE$LD_LIBRARY_PATH"])
        .output()
        .unwrap();
    assert_eq!(out(&output).1, "/somewhere.json\n");
}

#[test]
fn run_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let config = write(folder.path(), "shop.json", GOOD);
    let library = write(folder.path(), "libmysqlclient_ms.so", "");
    let fails = |arguments: &[&str]| {
        let (code, stdout, stderr) = run(arguments);
        assert_eq!(stdout, "");
        (code, stderr)
    };
    let (code, text) = fails(&["run", "--library", &library, "true"]);
    assert!(code == 125 && text.contains("no configuration"), "{text}");
    let (code, text) = fails(&["run", "--library", "/nonexistent.so", "--config", &config, "true"]);
    assert!(code == 125 && text.contains("/nonexistent.so"), "{text}");
    let (code, text) = fails(&["run", "--library", &library, "--config", "/nonexistent.json", "true"]);
    assert!(code == 125 && text.contains("/nonexistent.json"), "{text}");
    let broken = write(folder.path(), "broken.json", "[]");
    let (code, text) = fails(&["run", "--library", &library, "--config", &broken, "true"]);
    assert!(code == 125 && text.contains("expected an object of sections"), "{text}");
    let (code, text) = fails(&["run", "--library", &library, "--config", &config, "/nonexistent/program"]);
    assert!(code == 127 && text.contains("/nonexistent/program"), "{text}");
    let (code, text) = fails(&["run", "--library", &library, "--config", &config, &config]);
    assert!(code == 126 && text.contains("shop.json"), "{text}");
    let blank = folder.path().join("a b");
    fs::create_dir(&blank).unwrap();
    let library = write(&blank, "libmysqlclient_ms.so", "");
    let (code, text) = fails(&["run", "--library", &library, "--config", &config, "true"]);
    assert!(code == 125 && text.contains("cannot preload"), "{text}");
}
