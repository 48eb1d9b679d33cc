//! Layer "C programs": each program of `c_tests` is compiled against the real headers of a family, run with that family's
//! original library and with ours preloaded, against a server of each family; what they print must be the same.
//!
//! The original always runs live beside ours: nothing is compared with committed output. Ours must never write to
//! standard error. Two kinds of line are not compared but judged (see `c_tests/lab.h`): `~` lines, where ours must refuse
//! what the original lets pass, and "died by signal", where the original kills the program and ours must not.
#![allow(clippy::unwrap_used, clippy::print_stderr, clippy::print_stdout)]

use harness::{Cluster, Family, Proxy, Spec, control};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, OnceLock};

#[path = "c_programs/logins.rs"]
mod logins;
#[path = "c_programs/pam.rs"]
mod pam;
#[path = "c_programs/unbuffered.rs"]
mod unbuffered;
#[path = "c_programs/under.rs"]
mod under;

/// The C interface a program is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Abi {
    MariaDb,
    MySql,
}

/// The MySQL family's headers, library and loader, when they are on this machine.
fn prefix() -> Option<PathBuf> {
    let prefix = harness::family::mysql_prefix();
    prefix.join("root/usr/include/mysql/mysql.h").is_file().then(|| prefix.canonicalize().unwrap())
}

fn abis() -> Vec<Abi> {
    if prefix().is_some() {
        return vec![Abi::MariaDb, Abi::MySql];
    }
    assert!(std::env::var_os("CI").is_none_or(|ci| ci.is_empty()), "the MySQL headers are not there");
    eprintln!("c_programs: the MySQL headers are not there: its interface is left out");
    vec![Abi::MariaDb]
}

/// The interface of programs on what only libmysqlclient has.
fn mysql_only() -> Vec<Abi> {
    abis().into_iter().filter(|abi| *abi == Abi::MySql).collect()
}

/// Our library, as built beside this test.
fn library() -> PathBuf {
    if let Some(named) = std::env::var_os("MS_LIBRARY") {
        return PathBuf::from(named).canonicalize().unwrap();
    }
    let test = std::env::current_exe().unwrap();
    let file = test.parent().unwrap().join("libmysqlclient_ms.so");
    assert!(file.is_file(), "{} is not there", file.display());
    file
}

/// A single server of `family`, started by the first who asks, for all tests of this file.
fn server(family: Family) -> &'static Cluster {
    static SERVERS: [OnceLock<Cluster>; 2] = [OnceLock::new(), OnceLock::new()];
    SERVERS[usize::from(family == Family::MySql)]
        .get_or_init(|| Cluster::start(Spec::new(family, 0).general_log(false)).unwrap())
}

/// The same of a server that takes packets of 1 MiB at most.
fn narrow_server(family: Family) -> &'static Cluster {
    static SERVERS: [OnceLock<Cluster>; 2] = [OnceLock::new(), OnceLock::new()];
    SERVERS[usize::from(family == Family::MySql)].get_or_init(|| {
        let spec = Spec::new(family, 0).general_log(false).server_arg("--max_allowed_packet=1M");
        Cluster::start(spec).unwrap()
    })
}

/// The same of a server that takes packets larger than the protocol's.
fn wide_server(family: Family) -> &'static Cluster {
    static SERVERS: [OnceLock<Cluster>; 2] = [OnceLock::new(), OnceLock::new()];
    SERVERS[usize::from(family == Family::MySql)].get_or_init(|| {
        let spec = Spec::new(family, 0).general_log(false).server_arg("--max_allowed_packet=64M");
        let spec = spec.server_arg("--local_infile=1");
        Cluster::start(spec).unwrap()
    })
}

/// The same of a server whose binary log nobody else writes to.
fn logging_server(family: Family) -> &'static Cluster {
    static SERVERS: [OnceLock<Cluster>; 2] = [OnceLock::new(), OnceLock::new()];
    SERVERS[usize::from(family == Family::MySql)]
        .get_or_init(|| Cluster::start(Spec::new(family, 0).general_log(false)).unwrap())
}

/// Compiles a program once per interface; every warning is an error.
fn compiled(program: &str, abi: Abi) -> PathBuf {
    static DONE: Mutex<Option<HashMap<String, PathBuf>>> = Mutex::new(None);
    let mut done = DONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let done = done.get_or_insert_with(HashMap::new);
    let key = format!("{program}-{abi:?}{}", under::suffix());
    if let Some(file) = done.get(&key) {
        return file.clone();
    }
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("c_tests");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(&key);
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-rdynamic", "-o"]).arg(&out);
    cc.arg(sources.join(format!("{program}.c"))).args(under::flags());
    match abi {
        Abi::MariaDb => {
            let flags = Command::new("mariadb_config").arg("--cflags").output().unwrap();
            cc.args(String::from_utf8(flags.stdout).unwrap().split_whitespace());
            cc.arg("-lmariadb");
        }
        Abi::MySql => {
            let root = prefix().unwrap().join("root/usr");
            cc.arg("-I").arg(root.join("include")).arg("-I").arg(root.join("include/mysql"));
            cc.arg("-L").arg(root.join("lib/x86_64-linux-gnu"));
            cc.args(["-l:libmysqlclient.so.24", "-Wl,--allow-shlib-undefined"]);
        }
    }
    let output = cc.output().unwrap();
    assert!(output.status.success(), "compiling {key}:\n{}", String::from_utf8_lossy(&output.stderr));
    done.insert(key, out.clone());
    out
}

/// The command that runs `program`, with `preload` if any: the MySQL interface needs the prefix's own loader.
fn command(program: &str, abi: Abi, preload: Option<&Path>) -> Command {
    let file = compiled(program, abi);
    let mut command = match abi {
        _ if under::tool().is_some() && preload.is_some() => {
            under::command(under::tool().unwrap(), &file, preload.unwrap())
        }
        Abi::MariaDb => {
            let mut command = Command::new(file);
            if let Some(library) = preload {
                command.env("LD_PRELOAD", library);
            }
            command
        }
        Abi::MySql => {
            let root = prefix().unwrap().join("root/usr");
            let libraries = root.join("lib/x86_64-linux-gnu");
            let path = format!("{}:{}", libraries.display(), root.join("lib/mysql/private").display());
            let mut command = Command::new(libraries.join("ld-linux-x86-64.so.2"));
            if let Some(library) = preload {
                command.arg("--preload").arg(library);
            }
            command.arg("--library-path").arg(path).arg(file);
            command
        }
    };
    plain_environment(&mut command, abi);
    command
}

/// Nothing from outside decides what a program does.
fn plain_environment(command: &mut Command, abi: Abi) {
    if abi == Abi::MySql {
        command.env("LIBMYSQL_PLUGIN_DIR", prefix().unwrap().join("root/usr/lib/mysql/plugin"));
    }
    for name in ["MYSQL_PWD", "MYSQL_TCP_PORT", "MYSQL_UNIX_PORT", "MYSQL_HOST", "LANG", "LC_ALL"] {
        command.env_remove(name);
    }
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("MYSQLND_MS_") {
            command.env_remove(name);
        }
    }
    // Where there is no name service, nobody has to wait for it long.
    command.env("RES_OPTIONS", "timeout:1 attempts:1");
    command.stdin(Stdio::null());
}

fn run(mut command: Command, cluster: &Cluster) -> Output {
    command.envs(control::environment(cluster)).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a program with ours must print, given what it printed with the original, and where it does not.
fn judge(original: &str, ours: &str) -> Vec<String> {
    let careless = |line: &&str| line.starts_with('~');
    let compared = |text: &'_ str| text.lines().filter(|line| !line.starts_with('~')).map(str::to_owned).collect();
    let (theirs, mine): (Vec<String>, Vec<String>) = (compared(original), compared(ours));
    let allowed = ours.lines().filter(careless).filter(|line| line.contains(" rc=0 "));
    let mut wrong: Vec<String> = allowed.map(|line| format!("ours must refuse this: {line}")).collect();
    let mut section = "";
    for n in 0..theirs.len().max(mine.len()) {
        let a = theirs.get(n).map_or("(nothing)", String::as_str);
        let b = mine.get(n).map_or("(nothing)", String::as_str);
        if a.starts_with("== ") {
            section = a;
        }
        let good = match a.split_once(": died by signal") {
            Some((what, _)) => b == format!("{what}: lived, exit 0"),
            None => a == b,
        };
        if !good {
            wrong.push(format!("{section}\n    original: {a}\n    ours:     {b}"));
        }
    }
    wrong
}

/// The two outputs as `diff` shows them: lost lines must not make all that follow look wrong.
fn diff(original: &str, ours: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let name = format!("{:?}", std::thread::current().id());
    let (a, b) = (folder.join(format!("original {name}")), folder.join(format!("ours {name}")));
    std::fs::write(&a, original).unwrap();
    std::fs::write(&b, ours).unwrap();
    let output = Command::new("diff").arg(&a).arg(&b).output().unwrap();
    text(&output.stdout).lines().take(120).map(|line| format!("  {line}\n")).collect()
}

/// Runs `program` everywhere with both libraries and compares.
fn same(program: &str) {
    same_on(program, server, &abis());
}

/// The same on servers of another kind, or for some interfaces only.
fn same_on(program: &str, server: fn(Family) -> &'static Cluster, abis: &[Abi]) {
    for family in harness::families() {
        same_with(program, server(family), abis, &[]);
    }
}

/// The same on one server, with more in the environment.
fn same_with(program: &str, cluster: &Cluster, abis: &[Abi], environment: &[(&str, &Path)]) {
    let (library, family) = (library(), cluster.family());
    let mut report = String::new();
    for &abi in abis {
        let what = format!("{program}, interface {abi:?}, server {family}");
        let with = |preload| {
            let mut command = command(program, abi, preload);
            command.envs(environment.iter().copied());
            run(command, cluster)
        };
        let original = with(None);
        assert!(
            original.status.success(),
            "{what}: with the original: {}\n{}{}",
            original.status,
            text(&original.stdout),
            text(&original.stderr)
        );
        let printed = text(&original.stdout);
        assert!(printed.ends_with("\nend\n"), "{what}: the original did not come to its end");
        if std::env::var_os("MS_ORIGINALS_ONLY").is_some() {
            assert_eq!(printed, text(&with(None).stdout), "{what}: the original is not the same twice");
            continue;
        }
        let ours = with(Some(&library));
        let wrong = judge(&printed, &text(&ours.stdout));
        if !wrong.is_empty() {
            let _ = writeln!(report, "{what}: first, {}\n{}", wrong[0], diff(&printed, &text(&ours.stdout)));
        }
        if !ours.status.success() {
            let _ = writeln!(report, "{what}: with ours: {}", ours.status);
        }
        if !ours.stderr.is_empty() {
            let _ = writeln!(report, "{what}: ours wrote to standard error:\n{}", text(&ours.stderr));
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

/// The loader must bind the programs' calls to our file, else all of this compares the original with itself.
#[test]
fn preloading_takes_effect_for_both_interfaces() {
    if under::tool().is_some() {
        return;
    }
    let library = library();
    for abi in abis() {
        let mut command = command("handle", abi, Some(&library));
        command.envs([("LD_DEBUG", "bindings"), ("LD_BIND_NOW", "1")]);
        let output = run(command, server(harness::families()[0]));
        let log = text(&output.stderr);
        let wanted = format!("to {} [0]: normal symbol `mysql_real_connect'", library.display());
        assert!(log.contains(&wanted), "{abi:?}: mysql_real_connect was not bound to {}", library.display());
    }
}

#[test]
fn errors_are_the_originals() {
    same("errors");
}

#[test]
fn logins_are_the_originals() {
    same("auth");
}

#[test]
fn the_environment_counts_as_for_the_originals() {
    same("environment");
}

#[test]
fn changed_users_are_the_originals() {
    same("change_user");
}

#[test]
fn tls_is_the_originals() {
    same("tls");
}

/// libmysqlclient's only.
#[test]
fn tls_sessions_are_the_originals() {
    same_on("tls_session", server, &mysql_only());
}

/// libmysqlclient's only.
#[test]
fn results_without_metadata_are_the_originals() {
    same_on("metadata", server, &mysql_only());
}

/// One after the other: each begins the servers' logs anew.
#[test]
fn binary_logs_are_the_originals() {
    for abi in abis() {
        let program = match abi {
            Abi::MariaDb => "binlog_mariadb",
            Abi::MySql => "binlog_mysql",
        };
        same_on(program, logging_server, &[abi]);
    }
}

/// Ours only: what Connector/C 3.3.20 gets wrong. A server's log is the same from its file.
#[test]
fn binary_logs_are_read_from_files() {
    if std::env::var_os("MS_ORIGINALS_ONLY").is_some() {
        return;
    }
    for family in harness::families() {
        let cluster = Cluster::start(Spec::new(family, 0).general_log(false)).unwrap();
        let mut command = command("binlog_mariadb", Abi::MariaDb, Some(&library()));
        command.arg("file");
        let output = run(command, &cluster);
        let printed = text(&output.stdout);
        assert!(output.status.success() && printed.ends_with("\nend\n"), "{family}: {}\n{printed}", output.status);
        let lines =
            ["3 1", "247 2", "254 fixed", "246 -12.50", "11 -0-0-0 1:2:3.450000, kind 2", "behind them 0, errno 0"];
        for line in lines {
            assert!(printed.lines().any(|printed| printed.trim() == line), "{family}: not there: {line}\n{printed}");
        }
        assert!(printed.contains("differ 0, enough 1"), "{family}:\n{printed}");
    }
}

/// libmysqlclient's only.
#[test]
fn services_are_looked_up_as_by_the_original() {
    same_on("dns_srv", server, &mysql_only());
}

#[test]
fn results_are_the_originals() {
    same("results");
}

#[test]
fn attributes_are_the_originals() {
    same("attributes");
}

#[test]
fn statements_are_the_originals() {
    same("statements");
}

#[test]
fn statements_whose_results_change_are_the_originals() {
    same("stmt_shapes");
}

#[test]
fn statement_values_are_the_originals() {
    same("stmt_convert");
}

#[test]
fn random_statement_values_are_the_originals() {
    same("stmt_random");
}

#[test]
fn the_table_of_conversions_is_the_originals() {
    same("stmt_functions");
}

#[test]
fn statement_parameters_are_the_originals() {
    same("stmt_params");
}

#[test]
fn sessions_are_the_originals() {
    same("session");
}

#[test]
fn program_options_are_the_originals() {
    same("program_options");
}

#[test]
fn handles_and_options_are_the_originals() {
    same("handle");
}

#[test]
fn malformed_packets_are_the_originals() {
    same("malformed");
}

#[test]
fn local_infile_handlers_are_the_originals() {
    same("infile_handler");
}

#[test]
fn connection_strings_are_the_originals() {
    same("connect_string");
}

#[test]
fn values_and_character_sets_are_the_originals() {
    same("values");
}

#[test]
fn every_option_is_the_originals() {
    same("options");
}

#[test]
fn rare_calls_are_the_originals() {
    same("rare");
}

#[test]
fn options_of_the_transport_are_the_originals() {
    same("transport");
}

#[test]
fn reconnecting_is_the_originals() {
    same("reconnect");
}

#[test]
fn statements_too_large_for_the_server_are_the_originals() {
    same_on("large", narrow_server, &abis());
}

#[test]
fn compression_is_the_originals() {
    same_on("compression", wide_server, &abis());
}

#[test]
fn no_signal_kills_the_program() {
    same("signals");
}

#[test]
fn local_files_are_the_originals_but_off_by_default() {
    same("infile");
}

#[test]
fn a_forked_child_leaves_the_parent_alone() {
    same("fork");
}

/// Ours only: not a byte of the child on the wire, whatever it does with what it inherited.
#[test]
fn a_forked_child_sends_no_byte() {
    if std::env::var_os("MS_ORIGINALS_ONLY").is_some() {
        return;
    }
    let library = library();
    let mut report = String::new();
    for family in harness::families() {
        let cluster = server(family);
        let primary = cluster.endpoint(0);
        let proxy = Proxy::start(&format!("{}:{}", primary.host, primary.port)).unwrap();
        let socket = cluster.folder().join(format!("proxy-{}", std::process::id()));
        let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| control::serve(&listener, |order| control::order_proxy(&proxy, order)));
            for abi in abis() {
                let mut command = command("fork", abi, Some(&library));
                command.arg("wire").envs(control::environment(cluster));
                command.env("MS_NODE0_HOST", proxy.host()).env("MS_NODE0_PORT", proxy.port().to_string());
                command.env("MS_PROXY_CONTROL", &socket);
                let output = command.output().unwrap();
                let printed = text(&output.stdout);
                let bad: Vec<&str> = printed.lines().filter(|line| line.starts_with("BAD")).collect();
                let good = printed.lines().filter(|line| line.starts_with("ok: ")).count();
                if !bad.is_empty() || good != 70 || !output.stderr.is_empty() || !output.status.success() {
                    let _ = writeln!(
                        report,
                        "fork, interface {abi:?}, server {family}: {good} of 70 good, {}\n{}\n{}",
                        output.status,
                        bad.join("\n"),
                        text(&output.stderr)
                    );
                }
            }
            control::send(&socket, "down").unwrap();
        });
    }
    assert!(report.is_empty(), "\n{report}");
}

/// The programs on non-blocking calls, each for the interface that has them.
fn nonblocking() -> Vec<(&'static str, Abi)> {
    abis()
        .into_iter()
        .map(|abi| match abi {
            Abi::MariaDb => ("nonblocking_mariadb", abi),
            Abi::MySql => ("nonblocking_mysql", abi),
        })
        .collect()
}

#[test]
fn non_blocking_calls_are_the_originals() {
    for (program, abi) in nonblocking() {
        same_on(program, server, &[abi]);
    }
}

/// Ours only: nothing moves between client and server but on the program's word, so a call that waits by itself waits
/// for ever, and the program's alarm ends it. Then what the originals leave undefined.
#[test]
fn no_non_blocking_call_waits() {
    if std::env::var_os("MS_ORIGINALS_ONLY").is_some() {
        return;
    }
    let library = library();
    let mut report = String::new();
    for family in harness::families() {
        for (program, abi) in nonblocking() {
            let mut command = command(program, abi, Some(&library));
            command.arg("lockstep");
            let output = run(command, server(family));
            let printed = text(&output.stdout);
            let good = printed.ends_with("\nend\n")
                && printed.matches("waited to read: often, to write: yes").count() == 2
                && printed.matches("TLS as asked for: 1").count() == 2;
            if !good || !output.stderr.is_empty() || !output.status.success() {
                let _ = writeln!(
                    report,
                    "{program}, server {family}: {}\n{printed}\n{}",
                    output.status,
                    text(&output.stderr)
                );
            }
            // What is refused while a call is pending, and what is not.
            for line in lockstep_lines(abi) {
                if !printed.lines().any(|printed| printed.split_whitespace().eq(line.split_whitespace())) {
                    let _ = writeln!(report, "{program}, server {family}: not there: {line}\n{printed}");
                }
            }
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

/// What must be said of calls for which there is no original to compare with.
fn lockstep_lines(abi: Abi) -> &'static [&'static str] {
    match abi {
        Abi::MariaDb => &[
            "query rc=1 errno=2014 state=HY000 text=Commands out of sync; you can't run this command now",
            "ping_start rc=1 errno=2014 state=HY000 text=Commands out of sync; you can't run this command now",
            "commit_cont rc=1 errno=2014 state=HY000 text=Commands out of sync; you can't run this command now",
            "escaped 4 a\\'b",
            "query_cont rc=0 errno=0 state=00000 text=",
            "fetch_row waits for 1, free_result for 1",
            "an orphan: row 0, lengths 0, fetch_row_start 0",
            "the child's query_cont rc=1 errno=2013 state=HY000 text=Lost connection to server during query",
            "the parent's query_cont rc=0 errno=0 state=00000 text=",
            "the parent's value 0",
            "1 1 1 1 1 1",
        ],
        Abi::MySql => &[
            "blocking query 1 errno=2014 state=HY000 text=Commands out of sync; you can't run this command now",
            "next_result 2 errno=2014 state=HY000 text=Commands out of sync; you can't run this command now",
            "result 0, escaped 4 a\\'b, charset utf8mb4",
            "value 5",
            "next_result 1, more 1, store_result 0, result 0, errno 0",
            "the last one 0",
            "value 6",
            "fetch_row 1",
            "stage 5, socket 1",
            "after its time limit: 2, errno 2013",
        ],
    }
}

/// Two hundred handles in one loop with a server that answers one byte at a time.
#[test]
fn non_blocking_calls_take_every_byte_as_it_comes() {
    let library = library();
    let mut report = String::new();
    for family in harness::families() {
        let cluster = server(family);
        let primary = cluster.endpoint(0);
        let proxy = Proxy::start(&format!("{}:{}", primary.host, primary.port)).unwrap();
        proxy.trickle(1, std::time::Duration::ZERO);
        for (program, abi) in nonblocking() {
            let printed = [None, Some(library.as_path())].map(|library| {
                let mut command = command(program, abi, library);
                command.arg("trickle").envs(control::environment(cluster));
                command.env("MS_NODE0_HOST", proxy.host()).env("MS_NODE0_PORT", proxy.port().to_string());
                let output = command.output().unwrap();
                assert!(output.status.success(), "{program}, server {family}: {}", output.status);
                text(&output.stdout)
            });
            let wrong = judge(&printed[0], &printed[1]);
            if !wrong.is_empty() || !printed[1].contains("200 handles, 0 say otherwise, most waited") {
                let _ = writeln!(report, "{program}, server {family}:\n{}", diff(&printed[0], &printed[1]));
            }
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

/// Statements of ten handles in one loop, each marked with where it belongs; the servers' logs tell where it was.
#[test]
fn non_blocking_statements_reach_the_right_server() {
    let library = library();
    for family in harness::families() {
        let cluster = Cluster::start(Spec::new(family, 2)).unwrap();
        cluster.sql(0, "CREATE TABLE test.nb_read (id INT PRIMARY KEY, v VARCHAR(40)) ENGINE=InnoDB").unwrap();
        let rows: Vec<String> = (1..=100).map(|id| format!("({id}, 'value {id}')")).collect();
        cluster.sql(0, &format!("INSERT INTO test.nb_read VALUES {}", rows.join(","))).unwrap();
        cluster.wait_in_step().unwrap();
        let config = cluster.folder().join("nonblocking.json");
        write_private(&config, &routing(&cluster));
        for (program, abi) in nonblocking() {
            let what = format!("{program}, server {family}");
            let mut alone = command(program, abi, None);
            alone.arg("routed");
            let alone = run(alone, &cluster);
            assert!(alone.status.success(), "{what}: with the original: {}", alone.status);
            let marks: Vec<_> = cluster.nodes().map(|n| cluster.log_mark(n).unwrap()).collect();
            let mut ours = command(program, abi, Some(&library));
            ours.arg("routed").env("MYSQLND_MS_ENABLE", "1").env("MYSQLND_MS_CONFIG_FILE", &config);
            let ours = run(ours, &cluster);
            assert!(ours.status.success(), "{what}: {}\n{}", ours.status, text(&ours.stderr));
            assert_eq!(text(&ours.stdout), text(&alone.stdout), "{what}");
            let on = |n: usize, mark: &str| {
                let end = format!("/* {mark} */");
                let log = cluster.general_log_since(n, &marks[n]).unwrap();
                log.iter().filter(|entry| entry.command == "Query" && entry.argument.trim_end().ends_with(&end)).count()
            };
            let (writes, steps): (Vec<usize>, Vec<usize>) = (0..3).map(|n| (on(n, "w"), on(n, "t"))).unzip();
            assert_eq!((writes, steps), (vec![60, 0, 0], vec![120, 0, 0]), "{what}: writes and transactions");
            let reads: Vec<usize> = (0..3).map(|n| on(n, "r")).collect();
            // A read that met a replica which is not yet as far as the handle's writes is asked again elsewhere.
            assert!(reads.iter().sum::<usize>() >= 180, "{what}: every read ran: {reads:?}");
            assert!(
                (reads[1] + reads[2]) * 20 >= 180 * 19,
                "{what}: at least 95 % of the reads on replicas: {reads:?}"
            );
            assert!(reads[1] > 36 && reads[2] > 36, "{what}: reads are spread over both replicas: {reads:?}");
        }
    }
}

/// A routed handle has no connection before its first statement; programs that ask for the server must not notice.
#[test]
fn a_handle_without_a_connection_yet_answers_as_the_originals() {
    let library = library();
    for family in harness::families() {
        let cluster = Cluster::start(Spec::new(family, 2).general_log(false)).unwrap();
        let config = cluster.folder().join("lazy.json");
        write_private(&config, &routing(&cluster));
        for abi in abis() {
            let alone = run(command("lazy", abi, None), &cluster);
            assert!(alone.status.success(), "{abi:?}, server {family}: with the original: {}", alone.status);
            let mut ours = command("lazy", abi, Some(&library));
            ours.env("MYSQLND_MS_ENABLE", "1").env("MYSQLND_MS_CONFIG_FILE", &config);
            let ours = run(ours, &cluster);
            assert!(ours.status.success(), "{abi:?}, server {family}: {}\n{}", ours.status, text(&ours.stderr));
            assert_eq!(text(&ours.stdout), text(&alone.stdout), "{abi:?}, server {family}");
        }
    }
}

/// One section, reached by the port that the program connects to anyway.
fn routing(cluster: &Cluster) -> String {
    let node = |n: usize| {
        let at = cluster.endpoint(n);
        format!(r#"{{"host": "{}", "port": {}}}"#, at.host, at.port)
    };
    let at = cluster.endpoint(0);
    format!(
        r#"{{"shop": {{
            "master": {{"source": {}}},
            "slave": {{"r1": {}, "r2": {}}},
            "match": {{"host": "{}", "port": {}}},
            "filters": {{"roundrobin": []}},
            "master_on_write": false
        }}}}"#,
        node(0),
        node(1),
        node(2),
        at.host,
        at.port
    )
}

fn write_private(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}
