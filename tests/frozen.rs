//! Servers that say nothing any more, and connections that are dead when a transaction is to be ended on them. No limit of
//! time in these tests is reached when all is well: a wait for it would hang them.
#![allow(clippy::unwrap_used)]

#[path = "routed/lab.rs"]
mod lab;

use std::time::Duration;

use harness::{Cluster, How, Proxy, Spec, families, shared};
use lab::{Address, Handle, Shop, addresses};
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::env::{Clock, SystemClock};
use mysqlclient_ms::error::Error;
use mysqlclient_ms::options::Family as Library;
use mysqlclient_ms::result::BinaryRows;
use mysqlclient_ms::session::{Parameters, Prepared, Request, Session};

const LONG: &str = r#""timeouts": {"connect": 2000, "read": 86400000}"#;

#[test]
fn a_question_that_a_frozen_replica_does_not_answer_does_not_hold_the_read_behind_it() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 1)).unwrap();
        let schema = lab::database(&cluster, "frozen", &[lab::TABLE]);
        for (keys, before) in [
            // Has it what was written?
            ("", ""),
            // How late is it?
            (r#""consistency": {"level": "eventual", "max_lag_ms": 60000}, "lag": {"refresh_ms": 20}"#, ""),
            // Behind state that it lacks.
            ("", "SET @a = 5"),
        ] {
            let keys = if keys.is_empty() { LONG.to_owned() } else { format!("{LONG}, {keys}") };
            let mut handle = Shop::new(&addresses(&cluster), &keys).connect(Some(&schema));
            handle.ok("INSERT INTO t (v) VALUES ('before')");
            while {
                handle.ok("SELECT COUNT(*) FROM t");
                handle.node()
            } != 1
            {
                cluster.wait_in_step().unwrap();
            }
            handle.ok("INSERT INTO t (v) VALUES ('after')");
            if !before.is_empty() {
                handle.ok(before);
            }
            cluster.freeze(1).unwrap();
            std::thread::sleep(Duration::from_millis(100));
            handle.ok("SELECT COUNT(*) FROM t WHERE v = 'after'");
            assert_eq!(handle.node(), 0, "{family}, {keys}: {}", handle.decision());
            cluster.thaw(1).unwrap();
        }
    }
}

/// The cluster's nodes behind a proxy each.
fn behind_proxies(cluster: &Cluster) -> (Vec<Proxy>, Vec<Address>) {
    let proxies: Vec<Proxy> =
        addresses(cluster).iter().map(|(host, port)| Proxy::start(&format!("{host}:{port}")).unwrap()).collect();
    let addresses = proxies.iter().map(|proxy| (proxy.host(), proxy.port())).collect();
    (proxies, addresses)
}

/// What reached the node behind a proxy: connections, and bytes.
fn heard(proxy: &Proxy) -> (u64, u64) {
    let stats = proxy.stats();
    (stats.connections, stats.bytes_up)
}

/// Executes a prepared read.
fn execute(handle: &mut Handle, prepared: &mut Prepared) {
    let request = Request { parameters: Parameters::default(), ..Request::default() };
    block_on(handle.session.execute(prepared, &request)).unwrap();
    block_on(handle.session.store_statement_rows(&[], &mut BinaryRows::default())).unwrap();
}

/// Of everything that a program does, something.
fn work(handle: &mut Handle, schema: &str, prepared: &mut Prepared) {
    for round in 0..3 {
        for sql in [
            "INSERT INTO t (v) VALUES ('x')",
            "SELECT COUNT(*) FROM t",
            &format!("SET @a = {round}"),
            "SELECT @a, COUNT(*) FROM t",
            "BEGIN",
            "INSERT INTO t (v) VALUES ('y')",
            "SELECT COUNT(*) FROM t",
            "COMMIT",
            "START TRANSACTION READ ONLY",
            "SELECT COUNT(*) FROM t",
            "COMMIT",
        ] {
            handle.ok(sql);
        }
        handle.send("SELECT COUNT(*) FROM t");
        block_on(handle.session.select_db(schema.as_bytes())).unwrap();
        execute(handle, prepared);
        handle.ok("SELECT COUNT(*) FROM t");
        block_on(handle.session.ping()).unwrap();
    }
}

/// How a handle finds out: what its program sets before connecting, whether it has the connection already, and its statements.
type Finds<'a> = (&'a str, fn(&mut Session), bool, &'a [&'a str]);

const FINDS: [Finds<'static>; 3] = [
    (
        "by connecting",
        |session| session.options().connect_timeout = Some(Duration::from_secs(1)),
        false,
        &["SELECT COUNT(*) FROM t"],
    ),
    ("by a question ahead of a read", |_| (), true, &["INSERT INTO t (v) VALUES ('z')", "SELECT COUNT(*) FROM t"]),
    (
        "by state that is awaited",
        |session| session.options().read_timeout = Some(Duration::from_secs(1)),
        true,
        &["SET @a = 1", "START TRANSACTION READ ONLY", "COMMIT"],
    ),
];

#[test]
fn a_node_that_one_handle_has_found_frozen_is_touched_by_nobody_and_nobody_waits_for_it() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 2)).unwrap();
        let schema = lab::database(&cluster, "frozen", &[lab::TABLE]);
        let (proxies, addresses) = behind_proxies(&cluster);
        let keys = format!(
            r#"{LONG}, "filters": {{"roundrobin": []}}, "discover": "read_only",
               "failover": {{"strategy": "loop_before_master", "remember_failed": true}}"#
        )
        .replace(r#""connect": 2000"#, r#""connect": 86400000"#);
        for (how, set, open, statements) in FINDS {
            let shop = Shop::new(&addresses, &keys);
            let elsewhere = shop.elsewhere();
            let connect = |here: bool, set: fn(&mut Session)| {
                let clusters = if here { &shop.clusters } else { &elsewhere };
                Shop::connect_to(clusters, Library::MySql, Some(&schema), set).unwrap()
            };
            let warm = |handle: &mut Handle| {
                let mut seen = [false; 3];
                while !(seen[1] && seen[2]) {
                    handle.ok("SELECT COUNT(*) FROM t");
                    seen[handle.node()] = true;
                }
            };
            let prepared = |handle: &mut Handle| {
                let mut prepared = Prepared::default();
                block_on(handle.session.prepare(&mut prepared, b"SELECT COUNT(*) FROM t")).unwrap();
                prepared
            };
            let mut finder = connect(true, set);
            if open {
                warm(&mut finder);
            }
            // With open connections to the node, and statements that are prepared there.
            let mut others: Vec<(Handle, Prepared)> = [true, false]
                .map(|here| {
                    let mut handle = connect(here, |_| ());
                    warm(&mut handle);
                    let mut prepared = prepared(&mut handle);
                    (0..4).for_each(|_| execute(&mut handle, &mut prepared));
                    (handle, prepared)
                })
                .into();
            cluster.freeze(1).unwrap();
            let before = heard(&proxies[1]);
            while heard(&proxies[1]) == before {
                for sql in statements {
                    finder.ok(sql);
                    assert_ne!(finder.node(), 1, "{family}, {how}: {sql}: {}", finder.decision());
                }
            }
            let found = heard(&proxies[1]);
            {
                let snapshot = elsewhere.snapshot(SystemClock.now()).unwrap();
                let section = snapshot.config.section("shop").unwrap();
                section.board.exchange(section, SystemClock.now());
            }
            for here in [true, false] {
                let mut handle = connect(here, |_| ());
                let prepared = prepared(&mut handle);
                others.push((handle, prepared));
            }
            for (handle, prepared) in &mut others {
                work(handle, &schema, prepared);
            }
            for sql in statements.repeat(3) {
                finder.ok(sql);
            }
            assert_eq!(heard(&proxies[1]), found, "{family}, {how}");
            cluster.thaw(1).unwrap();
        }
    }
}

/// A call that ends a transaction, or would if there was one.
type Call = fn(&mut Handle) -> Result<(), Error>;

fn calls() -> [(&'static str, Call); 6] {
    [
        ("mysql_commit", |handle| block_on(handle.session.commit())),
        ("mysql_rollback", |handle| block_on(handle.session.rollback())),
        ("mysql_autocommit(1)", |handle| block_on(handle.session.autocommit(true))),
        ("COMMIT", |handle| handle.run("COMMIT").map(drop)),
        ("ROLLBACK", |handle| handle.run("ROLLBACK").map(drop)),
        ("SET autocommit=1", |handle| handle.run("SET autocommit = 1").map(drop)),
    ]
}

#[test]
fn ending_a_transaction_on_a_dead_connection_says_what_became_of_it() {
    for family in families() {
        let cluster = shared(family);
        let schema = lab::database(cluster, "dead", &[lab::TABLE]);
        let (proxies, addresses) = behind_proxies(cluster);
        let shop = Shop::new(&addresses, LONG);
        let mut serial = 0;
        for (name, call) in calls() {
            for autocommit in [true, false] {
                for how in [How::Fin, How::Rst] {
                    serial += 1;
                    let value = format!("v{serial}");
                    let what = format!("{family}: {name}, autocommit {autocommit}, {how:?}");
                    let rows = || {
                        let text = format!("SELECT COUNT(*) FROM {schema}.t WHERE v = '{value}'");
                        cluster.sql(0, &text).unwrap().scalar().to_owned()
                    };
                    // Nothing is open: nothing can be lost, whatever was sent.
                    let mut handle = shop.connect(Some(&schema));
                    block_on(handle.session.autocommit(autocommit)).unwrap();
                    handle.ok("INSERT INTO t (v) VALUES ('x')");
                    handle.ok("COMMIT");
                    proxies[0].end_all(how);
                    call(&mut handle).unwrap_or_else(|error| panic!("{what}, nothing open: {error}"));
                    handle.ok(&format!("INSERT INTO t (v) VALUES ('{value}')"));
                    handle.ok("COMMIT");
                    assert_eq!(rows(), "1", "{what}");

                    // Something is: it is gone with the connection, and only what may have committed is unknown.
                    cluster.sql(0, &format!("DELETE FROM {schema}.t")).unwrap();
                    let mut handle = shop.connect(Some(&schema));
                    block_on(handle.session.autocommit(autocommit)).unwrap();
                    if autocommit {
                        handle.ok("BEGIN");
                    }
                    handle.ok(&format!("INSERT INTO t (v) VALUES ('{value}')"));
                    proxies[0].end_all(how);
                    let rollback = name.to_lowercase().contains("rollback");
                    match call(&mut handle) {
                        Ok(()) => assert!(rollback, "{what}: nothing was committed"),
                        Err(error) => assert!(matches!(error.code, 2006 | 2013), "{what}: {error}"),
                    }
                    assert_eq!(rows(), "0", "{what}: the server was not reached");
                    if !rollback {
                        // The program has to say that it knows.
                        assert_eq!(handle.code("INSERT INTO t (v) VALUES ('x')"), 2006, "{what}");
                        handle.ok("ROLLBACK");
                    }
                    handle.ok(&format!("INSERT INTO t (v) VALUES ('{value}')"));
                    handle.ok("COMMIT");
                    assert_eq!(rows(), "1", "{what}: afterwards");
                }
            }
        }
    }
}

#[test]
fn a_transaction_whose_end_breaks_off_is_unknown_and_never_ended_twice() {
    use harness::proxy::Direction;
    for family in families() {
        // No other test's statements in its log.
        let cluster = Cluster::start(Spec::new(family, 1)).unwrap();
        let schema = lab::database(&cluster, "end", &[lab::TABLE]);
        let (proxies, addresses) = behind_proxies(&cluster);
        let shop = Shop::new(&addresses, LONG);
        for (name, call) in calls().into_iter().filter(|(name, _)| !name.to_lowercase().contains("rollback")) {
            for bytes in [0, 3] {
                cluster.sql(0, &format!("DELETE FROM {schema}.t")).unwrap();
                let mut handle = shop.connect(Some(&schema));
                // Switching autocommit on commits where it was off.
                if name.contains("autocommit") {
                    block_on(handle.session.autocommit(false)).unwrap();
                } else {
                    handle.ok("BEGIN");
                }
                handle.ok("INSERT INTO t (v) VALUES ('once')");
                let mark = cluster.log_mark(0).unwrap();
                // The server commits, and the reply is lost.
                proxies[0].cut_after(Direction::Down, bytes, How::Fin);
                assert_eq!(call(&mut handle).unwrap_err().code, 2013, "{family}: {name}");
                proxies[0].pass().unwrap();
                let found = || cluster.sql(0, &format!("SELECT COUNT(*) FROM {schema}.t")).unwrap().scalar().to_owned();
                while found() != "1" {
                    std::thread::sleep(std::time::Duration::from_millis(10));
                }
                let _ = handle.run("ROLLBACK");
                handle.ok("SELECT COUNT(*) FROM t");
                let ends = |text: &str| {
                    let text = text.to_lowercase();
                    text.starts_with("commit") || text.replace(' ', "").contains("autocommit=1")
                };
                let log = cluster.general_log_since(0, &mark).unwrap();
                let sent = log.iter().filter(|entry| entry.command == "Query" && ends(&entry.argument)).count();
                assert_eq!(sent, 1, "{family}: {name}: {log:?}");
            }
        }
    }
}
