//! Layer "C programs": each program of `c_tests` is compiled against the real headers of a family, run with that family's
//! original library and with ours preloaded, against a server of each family; what they print must be the same.
//!
//! The original always runs live beside ours: nothing is compared with committed output. Ours must never write to
//! standard error. Two kinds of line are not compared but judged (see `c_tests/lab.h`): `~` lines, where ours must refuse
//! what the original lets pass, and "died by signal", where the original kills the program and ours must not.
#![allow(clippy::unwrap_used, clippy::print_stderr, clippy::print_stdout)]

use harness::{Cluster, Proxy, Spec, control};
use std::fmt::Write as _;
use std::path::Path;

mod frame;
mod logins;
mod pam;
mod unbuffered;
mod under;

use frame::*;

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

/// What random calls have found (see `lockstep.rs`), by name.
#[test]
fn what_a_call_leaves_for_the_next_is_the_originals() {
    same("leftovers");
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
