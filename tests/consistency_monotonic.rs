//! Reads that do not go back in time, and reads that have to be answered by who is the source now, on real clusters of both
//! families.
#![allow(clippy::unwrap_used)]

#[path = "routed/lab.rs"]
mod lab;

use harness::{Cluster, Family, Proxy, Spec, families};
use lab::{Address, Handle, Shop, addresses};
use mysqlclient_ms::cluster::config::quality::Level;
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::options::Family as Library;
use mysqlclient_ms::session::{Parameters, Prepared, Request};

const TABLE: &[&str] = &["CREATE TABLE t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB", "INSERT INTO t VALUES (1, 0)"];

/// A source and two replicas, of which the second is stopped at 0 when the first has 1.
fn apart(family: Family, name: &str) -> (Cluster, String) {
    let cluster = Cluster::start(Spec::new(family, 2)).unwrap();
    let schema = lab::database(&cluster, name, TABLE);
    cluster.stop_applier(2).unwrap();
    cluster.sql(0, &format!("UPDATE {schema}.t SET v = 1")).unwrap();
    cluster.wait_replica(1).unwrap();
    (cluster, schema)
}

fn keys(consistency: &str) -> String {
    format!(r#""filters": {{"roundrobin": []}}, "consistency": {{"level": "session", "wait_ms": 20{consistency}}}"#)
}

/// How often a value read is smaller than one read before.
fn steps_back(values: &[String]) -> usize {
    values.windows(2).filter(|pair| pair[1] < pair[0]).count()
}

#[test]
fn reads_do_not_go_back_in_time_when_asked_not_to() {
    for family in families() {
        for library in [Library::MySql, Library::MariaDb] {
            let (cluster, schema) = apart(family, "forward");
            let values = |consistency: &str| {
                let shop = Shop::new(&addresses(&cluster), &keys(consistency));
                let mut handle = shop.connect_as(library, Some(&schema), |_| ()).unwrap();
                (0..8).map(|_| handle.value("SELECT v FROM t")).collect::<Vec<_>>()
            };
            assert!(steps_back(&values("")) > 0, "{family}: without the promise, or the test proves nothing");
            let promised = values(r#", "monotonic": true"#);
            assert_eq!(steps_back(&promised), 0, "{family} {library:?}: {promised:?}");
            assert_eq!(promised[7], "1", "{family}");
        }
    }
}

#[test]
fn every_way_of_reading_counts() {
    for family in families() {
        let (cluster, schema) = apart(family, "ways");
        let shop = Shop::new(&addresses(&cluster), &keys(r#", "monotonic": true"#));
        let sql = "SELECT v FROM t";
        type Way<'a> = (&'a str, &'a dyn Fn(&mut Handle));
        let ways: [Way<'_>; 6] = [
            ("stored", &|handle| drop(handle.ok(sql))),
            ("streamed", &|handle| assert_eq!(handle.stream(sql), 1)),
            ("sent", &|handle| drop(handle.send(sql))),
            ("from the source", &|handle| drop(handle.ok(&format!("/*ms=master*/ {sql}")))),
            ("in a transaction", &|handle| {
                for statement in ["START TRANSACTION READ ONLY", sql, "COMMIT"] {
                    handle.ok(statement);
                }
            }),
            ("executed", &|handle| {
                let mut prepared = Prepared::default();
                block_on(handle.session.prepare(&mut prepared, sql.as_bytes())).unwrap();
                let request = Request { parameters: Parameters::default(), ..Request::default() };
                block_on(handle.session.execute(&mut prepared, &request)).unwrap();
                let mut rows = mysqlclient_ms::result::BinaryRows::default();
                block_on(handle.session.store_statement_rows(&[], &mut rows)).unwrap();
            }),
        ];
        for (name, read) in ways {
            for first in 0..3 {
                let mut handle = shop.connect(Some(&schema));
                // The filter's turns begin somewhere: each way is the first read on each replica.
                (0..first).for_each(|_| drop(handle.value("/*ms=slave*/ SELECT 1")));
                read(&mut handle);
                let saw_one = handle.node() != 2;
                let after: Vec<String> = (0..4).map(|_| handle.value(sql)).collect();
                assert!(!saw_one || after.iter().all(|value| value == "1"), "{family} {name}: {after:?}");
                assert_eq!(steps_back(&after), 0, "{family} {name}: {after:?}");
            }
        }
    }
}

#[test]
fn the_scope_and_tokens_count_for_what_was_seen() {
    for family in families() {
        let (cluster, schema) = apart(family, "scopes");
        let shop = Shop::new(&addresses(&cluster), &keys(r#", "monotonic": true, "scope": "process""#));
        let (mut one, mut other) = (shop.connect(Some(&schema)), shop.connect(Some(&schema)));
        while one.value("SELECT v FROM t") != "1" {}
        for _ in 0..4 {
            assert_eq!(other.value("SELECT v FROM t"), "1", "{family}: {}", other.decision());
        }
        let token = one.session.token().unwrap();
        let alone = Shop::new(&addresses(&cluster), &keys(""));
        let mut third = alone.connect(Some(&schema));
        third.session.set_token(token.as_bytes()).unwrap();
        for _ in 0..4 {
            assert_eq!(third.value("SELECT v FROM t"), "1", "{family}: {}", third.decision());
        }
        let by_attribute = |session: &mut mysqlclient_ms::session::Session| {
            session.options().attributes.push((b"ms.monotonic".to_vec(), b"1".to_vec()));
        };
        let mut fourth = alone.try_connect(Some(&schema), by_attribute).unwrap();
        let values: Vec<String> = (0..8).map(|_| fourth.value("SELECT v FROM t")).collect();
        assert_eq!(steps_back(&values), 0, "{family}: {values:?}");
    }
}

#[test]
fn what_a_handle_in_doubt_saw_counts_for_the_others() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 2)).unwrap();
        let schema = lab::database(&cluster, "doubt", TABLE);
        for scope in ["process", "host"] {
            cluster.sql(0, &format!("UPDATE {schema}.t SET v = 1")).unwrap();
            cluster.wait_in_step().unwrap();
            [1, 2].iter().for_each(|node| cluster.stop_applier(*node).unwrap());
            cluster.sql(0, &format!("UPDATE {schema}.t SET v = 2")).unwrap();
            let shop = Shop::new(&addresses(&cluster), &keys(&format!(r#", "monotonic": true, "scope": "{scope}""#)));
            let mut one = shop.connect(Some(&schema));
            // The source takes its connection away: whether something was written is not known, and the source is asked.
            one.ok("START TRANSACTION");
            one.ok("UPDATE t SET v = 3");
            one.run("KILL CONNECTION_ID()").unwrap_err();
            one.run("ROLLBACK").unwrap_err();
            assert_eq!(one.value("SELECT v FROM t"), "2", "{family} {scope}: {}", one.decision());
            assert_eq!(one.node(), 0, "{family} {scope}: {}", one.decision());
            let elsewhere = shop.elsewhere();
            let mut other = match scope {
                "host" => Shop::connect_to(&elsewhere, Library::MySql, Some(&schema), |_| ()).unwrap(),
                _ => shop.connect(Some(&schema)),
            };
            for _ in 0..4 {
                assert_eq!(other.value("SELECT v FROM t"), "2", "{family} {scope}: {}", other.decision());
            }
            [1, 2].iter().for_each(|node| cluster.start_applier(*node).unwrap());
        }
    }
}

#[test]
fn what_was_seen_is_asked_without_a_round_trip() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 1)).unwrap();
        let schema = lab::database(&cluster, "seen_trips", TABLE);
        let proxies: Vec<Proxy> =
            addresses(&cluster).iter().map(|(host, port)| Proxy::start(&format!("{host}:{port}")).unwrap()).collect();
        let through: Vec<Address> = proxies.iter().map(|proxy| (proxy.host(), proxy.port())).collect();
        let shop = Shop::new(&through, r#""consistency": {"level": "session", "monotonic": true, "wait_ms": 5000}"#);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("UPDATE t SET v = 1");
        handle.ok("SELECT v FROM t");
        for value in 2..10 {
            proxies.iter().for_each(Proxy::reset_stats);
            handle.ok(&format!("UPDATE t SET v = {value}"));
            assert_eq!(handle.value("SELECT v FROM t"), value.to_string(), "{family}");
            let trips = (proxies[0].stats().round_trips, proxies[1].stats().round_trips);
            assert_eq!(trips, (1, 1), "{family}");
        }
    }
}

#[test]
fn a_read_only_transaction_waits_before_its_snapshot() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 1)).unwrap();
        let schema = lab::database(&cluster, "snapshot", TABLE);
        let shop = Shop::new(&addresses(&cluster), r#""consistency": {"level": "session", "wait_ms": 20000}"#);
        for begin in ["START TRANSACTION READ ONLY", "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"] {
            let mut handle = shop.connect(Some(&schema));
            handle.ok("SELECT v FROM t");
            cluster.delay_applier(1, 1).unwrap();
            let value = handle.value("/*ms=master*/ SELECT v + 1 FROM t");
            handle.ok(&format!("UPDATE t SET v = {value}"));
            handle.ok(begin);
            assert_eq!(handle.node(), 1, "{family}: the replica is waited for: {}", handle.decision());
            assert_eq!(handle.value("SELECT v FROM t"), value, "{family}: {begin}");
            assert_eq!(handle.node(), 1, "{family}");
            handle.ok("COMMIT");
            cluster.delay_applier(1, 0).unwrap();
        }
        // One that does not get there has no part in it.
        let hasty = Shop::new(&addresses(&cluster), r#""consistency": {"level": "session", "wait_ms": 20}"#);
        let mut handle = hasty.connect(Some(&schema));
        cluster.stop_applier(1).unwrap();
        handle.ok("UPDATE t SET v = 100");
        handle.ok("START TRANSACTION READ ONLY");
        assert_eq!(handle.value("SELECT v FROM t"), "100", "{family}");
        assert_eq!(handle.node(), 0, "{family}: {}", handle.decision());
        handle.ok("COMMIT");
        // With autocommit off the first read begins it.
        let mut handle = hasty.connect(Some(&schema));
        handle.ok("UPDATE t SET v = 101");
        let token = handle.session.token().unwrap();
        let mut handle = hasty.connect(Some(&schema));
        handle.session.set_token(token.as_bytes()).unwrap();
        handle.ok("SET SESSION TRANSACTION READ ONLY");
        handle.ok("SET autocommit = 0");
        for _ in 0..2 {
            assert_eq!(handle.value("SELECT v FROM t"), "101", "{family}: {}", handle.decision());
            handle.ok("COMMIT");
        }
    }
}

#[test]
fn a_strong_read_is_not_answered_by_a_former_source() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 1)).unwrap();
        let schema = lab::database(&cluster, "strong", TABLE);
        let keys = r#""discover": "read_only", "probe_ms": 2000, "consistency": "eventual", "board_dir": """#;
        let shop = Shop::new(&addresses(&cluster), keys);
        let mut handle = shop.connect(Some(&schema));
        assert_eq!(handle.value("/*ms=strong*/ SELECT v FROM t"), "0", "{family}");
        assert_eq!(handle.node(), 0, "{family}");
        // Nobody tells this process of the promotion; what is written to the new source does not get to the old one.
        cluster.promote(1).unwrap();
        cluster.stop_applier(0).unwrap();
        cluster.sql(1, &format!("UPDATE {schema}.t SET v = 7")).unwrap();
        assert_eq!(handle.value("/*ms=strong*/ SELECT v FROM t"), "7", "{family}: {}", handle.decision());
        assert_eq!(handle.node(), 1, "{family}");
        let mut prepared = Prepared::default();
        block_on(handle.session.prepare(&mut prepared, b"/*ms=strong*/ SELECT v FROM t")).unwrap();
        assert_eq!(handle.send("/*ms=strong*/ SELECT v FROM t")[0][0], "7", "{family}");
    }
}

/// The position of everything that a node has.
fn position(cluster: &Cluster, node: usize) -> String {
    let variable = if cluster.family() == Family::MySql { "gtid_executed" } else { "gtid_current_pos" };
    cluster.sql(node, &format!("SELECT @@GLOBAL.{variable}")).unwrap().scalar().to_owned()
}

#[test]
fn between_two_sources_the_one_before_does_not_say_what_is_lost() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 2)).unwrap();
        let schema = lab::database(&cluster, "between", TABLE);
        let keys = r#""discover": "read_only", "probe_ms": 2000, "failover": {"strategy": "loop_before_master"},
                      "filters": {"roundrobin": []}, "consistency": {"level": "session", "wait_ms": 20}"#;
        let shop = Shop::new(&addresses(&cluster), keys);
        let mut handle = shop.connect(Some(&schema));
        (0..4).for_each(|_| drop(handle.ok("SELECT v FROM t")));
        handle.ok("/*ms=master*/ SELECT v FROM t");
        // The process does not hear of the promotion. The new source is about to give way to the next one, and takes no
        // writes any more; the one before and the other replica are behind.
        cluster.promote(2).unwrap();
        cluster.wait_in_step().unwrap();
        [0, 1].iter().for_each(|node| cluster.stop_applier(*node).unwrap());
        cluster.sql(2, &format!("UPDATE {schema}.t SET v = 7")).unwrap();
        let gtid = position(&cluster, 2);
        cluster.sql(2, "SET GLOBAL read_only = 1").unwrap();
        handle.session.set_quality(Level::Session, Some(gtid.as_bytes())).unwrap();
        for _ in 0..4 {
            assert_eq!(handle.value("SELECT v FROM t"), "7", "{family}: {}", handle.decision());
            assert_eq!(handle.node(), 2, "{family}: {}", handle.decision());
        }
        // Nobody has it whom one could ask: no old data for new.
        let mut other = shop.connect(Some(&schema));
        (0..4).for_each(|_| drop(other.ok("/*ms=eventual*/ SELECT v FROM t")));
        other.session.set_quality(Level::Session, Some(gtid.as_bytes())).unwrap();
        cluster.kill(2).unwrap();
        for _ in 0..4 {
            let answer = other.run("SELECT v FROM t");
            let decision = other.decision();
            let error = answer.expect_err(&decision);
            assert!(matches!(error.code, 2006 | 2013), "{family}: {error} {decision}");
        }
        // A node that takes writes decides.
        [0, 1].iter().for_each(|node| cluster.sql(*node, stop_following(family)).map(drop).unwrap());
        cluster.sql(1, "SET GLOBAL read_only = 0").unwrap();
        std::thread::sleep(mysqlclient_ms::cluster::progress::PAUSE);
        assert_eq!(other.value("SELECT v FROM t"), "0", "{family}: {}", other.decision());
        assert_eq!(other.node(), 1, "{family}: {}", other.decision());
    }
}

fn stop_following(family: Family) -> &'static str {
    if family == Family::MySql { "STOP REPLICA" } else { "STOP ALL SLAVES" }
}

#[test]
fn who_begins_behind_a_destroyed_board_sees_what_was_written_before() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 1)).unwrap();
        let schema = lab::database(&cluster, "anew", TABLE);
        let shop = Shop::new(&addresses(&cluster), r#""consistency": {"scope": "host", "wait_ms": 20}"#);
        let mut old = shop.connect(Some(&schema));
        old.ok("UPDATE t SET v = 1");
        cluster.wait_in_step().unwrap();
        cluster.stop_applier(1).unwrap();
        old.ok("UPDATE t SET v = 2");
        let folder = shop.file.parent().unwrap().join("mysqlclient-ms");
        let destroy = || {
            std::fs::read_dir(&folder).unwrap().flatten().for_each(|file| std::fs::remove_file(file.path()).unwrap())
        };
        destroy();
        let begun = shop.elsewhere();
        let mut new = Shop::connect_to(&begun, Library::MySql, Some(&schema), |_| ()).unwrap();
        assert_eq!(new.value("SELECT v FROM t"), "2", "{family}: {}", new.decision());
        // Also when it writes first: another one that begins then sees both.
        destroy();
        let begun = shop.elsewhere();
        let mut writer = Shop::connect_to(&begun, Library::MySql, Some(&schema), |_| ()).unwrap();
        writer.ok("INSERT INTO t VALUES (9, 9)");
        let next = shop.elsewhere();
        let mut new = Shop::connect_to(&next, Library::MySql, Some(&schema), |_| ()).unwrap();
        assert_eq!(new.value("SELECT v FROM t WHERE id = 1"), "2", "{family}: {}", new.decision());
        // Where it is known, replicas answer again.
        cluster.start_applier(1).unwrap();
        cluster.wait_in_step().unwrap();
        std::thread::sleep(mysqlclient_ms::cluster::progress::PAUSE);
        new.ok("SELECT v FROM t");
        let next = shop.elsewhere();
        let mut last = Shop::connect_to(&next, Library::MySql, Some(&schema), |_| ()).unwrap();
        assert_eq!(last.value("SELECT v FROM t WHERE id = 1"), "2", "{family}");
        assert_eq!(last.node(), 1, "{family}: {}", last.decision());
    }
}
