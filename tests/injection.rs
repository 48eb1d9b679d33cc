//! Client-side GTIDs on real clusters of both families: a counter table that `on_commit` advances, `fetch_last_gtid` reads
//! and `check_for_gtid` looks for on replicas.
#![allow(clippy::unwrap_used)]

#[path = "routed/lab.rs"]
mod lab;

use harness::{Cluster, Family, Proxy, Spec, families};
use lab::{Handle, Shop, addresses};
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::session::{Parameters, Prepared, Request};

const SESSION: i32 = 1;
const GTID: i32 = 1;

/// The counter's statements, as the manual of mysqlnd_ms has them, in words of our own.
fn keys(more: &str) -> String {
    format!(
        r#""global_transaction_id_injection": {{
            "on_commit": "UPDATE test_own.counter SET id = id + 1",
            "fetch_last_gtid": "SELECT MAX(id) FROM test_own.counter",
            "check_for_gtid": "SELECT id FROM test_own.counter WHERE id >= #GTID"{more}}},
          "consistency": "eventual""#
    )
}

fn cluster(family: Family) -> Cluster {
    let cluster = Cluster::start(Spec::new(family, 1)).unwrap();
    cluster.sql(0, "CREATE DATABASE test_own").unwrap();
    for statement in [
        "CREATE TABLE test_own.counter (id BIGINT NOT NULL) ENGINE=InnoDB",
        "INSERT INTO test_own.counter VALUES (0)",
        "CREATE TABLE test_own.t (id INT AUTO_INCREMENT PRIMARY KEY, v INT) ENGINE=InnoDB",
    ] {
        cluster.sql(0, statement).unwrap();
    }
    cluster.wait_in_step().unwrap();
    cluster
}

/// The counter as the source has it.
fn count(cluster: &Cluster) -> u64 {
    cluster.sql(cluster.primary(), "SELECT id FROM test_own.counter").unwrap().scalar().parse().unwrap()
}

/// How far the counter moves while something is run.
fn moved(cluster: &Cluster, work: impl FnOnce()) -> u64 {
    let before = count(cluster);
    work();
    count(cluster) - before
}

fn last_gtid(handle: &mut Handle) -> Option<String> {
    let gtid = block_on(handle.session.fetch_last_gtid()).unwrap();
    gtid.map(|gtid| String::from_utf8(gtid).unwrap())
}

#[test]
fn the_counter_moves_with_what_commits_on_a_source_and_with_nothing_else() {
    for family in families() {
        let cluster = cluster(family);
        for more in ["", r#", "report_error": true"#] {
            let shop = Shop::new(&addresses(&cluster), &keys(more));
            let mut handle = shop.connect(Some("test_own"));
            let mut run =
                |statements: &[&str]| moved(&cluster, || statements.iter().for_each(|sql| drop(handle.ok(sql))));
            assert_eq!(run(&["INSERT INTO t (v) VALUES (1)"]), 1, "{family}: an autocommit write");
            assert_eq!(run(&["SELECT COUNT(*) FROM t"]), 0, "{family}: a read on a replica");
            assert_eq!(run(&["/*ms=master*/ SELECT COUNT(*) FROM t"]), 1, "{family}: a read sent to the source");
            assert_eq!(run(&["COMMIT"]), 0, "{family}: a commit of nothing");
            assert_eq!(run(&["BEGIN", "INSERT INTO t (v) VALUES (2)", "INSERT INTO t (v) VALUES (3)"]), 0, "{family}");
            assert_eq!(run(&["COMMIT"]), 1, "{family}: a commit");
            assert_eq!(run(&["BEGIN", "INSERT INTO t (v) VALUES (4)", "ROLLBACK"]), 0, "{family}: a rollback");
            assert_eq!(
                run(&["BEGIN", "INSERT INTO t (v) VALUES (5)", "BEGIN", "ROLLBACK"]),
                1,
                "{family}: BEGIN commits"
            );
            assert_eq!(
                run(&["SET autocommit = 0", "INSERT INTO t (v) VALUES (6)", "SET autocommit = 1"]),
                1,
                "{family}"
            );
            assert_eq!(
                run(&["BEGIN", "INSERT INTO t (v) VALUES (7)", "CREATE TABLE IF NOT EXISTS u (id INT)"]),
                1,
                "{family}: DDL commits"
            );
            let moved_by_api = moved(&cluster, || {
                block_on(handle.session.autocommit(false)).unwrap();
                handle.ok("INSERT INTO t (v) VALUES (8)");
                block_on(handle.session.commit()).unwrap();
                block_on(handle.session.autocommit(true)).unwrap();
            });
            assert_eq!(moved_by_api, 1, "{family}: mysql_commit");
            let failed = moved(&cluster, || assert_eq!(handle.code("INSERT INTO t (id) VALUES (1)"), 1062));
            assert_eq!(failed, 1, "{family}: the statement's own failure comes after");
            let sent = moved(&cluster, || drop(handle.send("INSERT INTO t (v) VALUES (9)")));
            assert_eq!(sent, 1, "{family}: mysql_send_query");
            let mut prepared = Prepared::default();
            block_on(handle.session.prepare(&mut prepared, b"INSERT INTO t (v) VALUES (10)")).unwrap();
            for _ in 0..2 {
                let executed = moved(&cluster, || {
                    let request = Request { parameters: Parameters::default(), ..Request::default() };
                    block_on(handle.session.execute(&mut prepared, &request)).unwrap();
                });
                assert_eq!(executed, 1, "{family}: an execution");
            }
            assert_eq!(last_gtid(&mut handle), Some(count(&cluster).to_string()), "{family}");
        }
    }
}

#[test]
fn executions_with_results_are_counted_and_out_of_order_ones_are_not() {
    for family in families() {
        let cluster = cluster(family);
        cluster.sql(0, "CREATE PROCEDURE test_own.twice() BEGIN SELECT 1; SELECT 2; END").unwrap();
        for more in ["", r#", "report_error": true"#] {
            let shop = Shop::new(&addresses(&cluster), &keys(more));
            let mut handle = shop.connect(Some("test_own"));
            let mut prepared = Prepared::default();
            block_on(handle.session.prepare(&mut prepared, b"/*ms=master*/ SELECT id FROM counter")).unwrap();
            let request = || Request { parameters: Parameters::default(), ..Request::default() };
            let stored = moved(&cluster, || {
                block_on(handle.session.execute(&mut prepared, &request())).unwrap();
                let mut rows = mysqlclient_ms::result::BinaryRows::default();
                block_on(handle.session.store_statement_rows(&[], &mut rows)).unwrap();
            });
            assert_eq!(stored, 1, "{family} {more}: stored");
            let streamed = moved(&cluster, || {
                block_on(handle.session.execute(&mut prepared, &request())).unwrap();
                // Its rows are not read yet: nothing else may run, and nothing is injected for it.
                let refused = moved(&cluster, || {
                    let error = block_on(handle.session.run(b"INSERT INTO t (v) VALUES (1)")).unwrap_err();
                    assert_eq!(error.code, 2014, "{family} {more}");
                });
                assert_eq!(refused, 0, "{family} {more}");
                let mut row = Vec::new();
                while block_on(handle.session.next_statement_row(&mut row)).unwrap() {}
            });
            assert_eq!(streamed, 1, "{family} {more}: one by one");
            let called = moved(&cluster, || {
                block_on(handle.session.run(b"CALL twice()")).unwrap();
                loop {
                    let mut rows = mysqlclient_ms::result::StoredRows::default();
                    block_on(handle.session.store_result(&mut rows)).unwrap();
                    if !block_on(handle.session.next_result()).unwrap() {
                        break;
                    }
                }
            });
            assert_eq!(called, 1, "{family} {more}: a procedure with several results");
        }
    }
}

#[test]
fn without_report_error_the_injection_costs_no_round_trip() {
    for family in families() {
        let cluster = cluster(family);
        let at = addresses(&cluster);
        let proxy = Proxy::start(&format!("{}:{}", at[0].0, at[0].1)).unwrap();
        let through = [(proxy.host(), proxy.port()), at[1].clone()];
        for (more, round_trips) in [("", 1), (r#", "report_error": true"#, 2)] {
            let shop = Shop::new(&through, &keys(more));
            let mut handle = shop.connect(Some("test_own"));
            handle.ok("INSERT INTO t (v) VALUES (1)");
            proxy.reset_stats();
            handle.ok("INSERT INTO t (v) VALUES (2)");
            assert_eq!(proxy.stats().round_trips, round_trips, "{family}: {more}");
        }
    }
}

#[test]
fn a_failing_injection_is_the_programs_error_only_with_report_error() {
    for family in families() {
        let cluster = cluster(family);
        let keys = |report: bool| {
            format!(
                r#""global_transaction_id_injection": {{"on_commit": "UPDATE test_own.missing SET id = id + 1",
                    "report_errors": {report}}}"#
            )
        };
        let silent = Shop::new(&addresses(&cluster), &keys(false));
        let mut handle = silent.connect(Some("test_own"));
        handle.ok("INSERT INTO t (v) VALUES (1)");
        assert_eq!(handle.code("INSERT INTO t (id) VALUES (1)"), 1062, "{family}: later errors are its own");
        let loud = Shop::new(&addresses(&cluster), &keys(true));
        let mut handle = loud.connect(Some("test_own"));
        assert_eq!(handle.code("INSERT INTO t (v) VALUES (2)"), 1146, "{family}");
        handle.ok("BEGIN");
        assert_eq!(handle.value("SELECT COUNT(*) FROM t"), "1", "{family}: the statement was not sent");
        handle.ok("INSERT INTO t (v) VALUES (3)");
        assert_eq!(handle.code("COMMIT"), 1146, "{family}");
        // The transaction is open as before, and the server keeps the name of the missing table locked until its end.
        handle.ok("ROLLBACK");
        let mut silent = silent.connect(Some("test_own"));
        silent.ok("BEGIN");
        silent.ok("INSERT INTO t (v) VALUES (4)");
        silent.ok("COMMIT");
        cluster.sql(0, "SET lock_wait_timeout = 5; CREATE TABLE test_own.missing (id INT)").unwrap();
        handle.ok("BEGIN");
        assert_eq!(handle.value("SELECT COUNT(*) FROM t"), "2", "{family}: rolled back");
        handle.ok("ROLLBACK");
    }
}

#[test]
fn a_gtid_of_the_programs_own_is_looked_for_on_replicas() {
    for family in families() {
        let cluster = cluster(family);
        let shop = Shop::new(&addresses(&cluster), &keys(""));
        let mut writer = shop.connect(Some("test_own"));
        let mut reader = shop.connect(Some("test_own"));
        writer.ok("INSERT INTO t (v) VALUES (1)");
        let gtid = last_gtid(&mut writer).unwrap();
        cluster.wait_in_step().unwrap();
        reader.session.set_quality_by_number(SESSION, GTID, Some(gtid.as_bytes())).unwrap();
        assert_eq!(reader.value("SELECT COUNT(*) FROM t"), "1", "{family}");
        assert_eq!(reader.node(), 1, "{family}: the replica has it");
        cluster.stop_applier(1).unwrap();
        writer.ok("INSERT INTO t (v) VALUES (2)");
        let gtid = last_gtid(&mut writer).unwrap();
        reader.session.set_quality_by_number(SESSION, GTID, Some(gtid.as_bytes())).unwrap();
        assert_eq!(reader.value("SELECT COUNT(*) FROM t"), "2", "{family}");
        assert_eq!(reader.node(), 0, "{family}: the replica does not have it");

        let patient = Shop::new(&addresses(&cluster), &keys(r#", "wait_for_gtid_timeout": 10"#));
        let mut reader = patient.connect(Some("test_own"));
        reader.session.set_quality_by_number(SESSION, GTID, Some(gtid.as_bytes())).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_millis(300));
                cluster.start_applier(1).unwrap();
            });
            assert_eq!(reader.value("SELECT COUNT(*) FROM t"), "2", "{family}");
        });
        assert_eq!(reader.node(), 1, "{family}: it got there in time: {}", reader.decision());
    }
}

#[test]
fn a_check_that_cannot_succeed_means_the_source_and_no_error() {
    for family in families() {
        let cluster = cluster(family);
        for check in [
            "SELECT 1 FROM nowhere WHERE #GTID",
            "SELECT 1",
            "SELECT NULL WHERE #GTID",
            "\\n SELECT 0 * #GTID",
            "SELECT 1 WHERE '#GTID' = '8'",
        ] {
            let keys = format!(
                r#""global_transaction_id_injection": {{"check_for_gtid": "{check}"}}, "consistency": "eventual""#
            );
            let shop = Shop::new(&addresses(&cluster), &keys);
            let mut handle = shop.connect(Some("test_own"));
            handle.session.set_quality_by_number(SESSION, GTID, Some(b"7")).unwrap();
            assert_eq!(handle.value("SELECT COUNT(*) FROM t"), "0", "{family}: {check}");
            assert_eq!(handle.node(), 0, "{family}: {check}");
        }
    }
}

#[test]
fn fetch_last_gtid_says_why_it_cannot() {
    let plain = mysqlclient_ms::session::Session::new(mysqlclient_ms::options::Family::MySql);
    assert_eq!(block_on({ plain }.fetch_last_gtid()).unwrap_err().code, 2000, "a handle that does not route");
    for family in families() {
        let cluster = cluster(family);
        let shop = Shop::new(
            &addresses(&cluster),
            r#""global_transaction_id_injection": {"fetch_last_gtid": "SELECT nothing"}, "consistency": "eventual""#,
        );
        let mut handle = shop.connect(Some("test_own"));
        assert_eq!(last_gtid(&mut handle), None, "{family}: nothing was run yet");
        for sql in ["SELECT COUNT(*) FROM t", "INSERT INTO t (v) VALUES (1)"] {
            handle.ok(sql);
            assert_eq!(block_on(handle.session.fetch_last_gtid()).unwrap_err().code, 1054, "{family}: after {sql}");
        }
        assert_eq!(handle.value("SELECT COUNT(*) FROM t WHERE id < 0"), "0", "{family}: the handle goes on");
    }
}

#[test]
fn a_statement_that_is_a_list_refuses_the_connect() {
    for key in ["on_commit", "fetch_last_gtid", "check_for_gtid"] {
        let keys = format!(r#""global_transaction_id_injection": {{"{key}": ["SELECT 1"]}}"#);
        let nobody = [("127.0.0.1".to_owned(), 1), ("127.0.0.1".to_owned(), 1)];
        let error = Shop::new(&nobody, &keys).try_connect(None, |_| ()).err().unwrap();
        assert_eq!(error.code, 2000, "{key}");
        assert!(String::from_utf8_lossy(&error.message).contains("must be a string"), "{key}");
    }
}
