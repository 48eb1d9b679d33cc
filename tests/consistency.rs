//! Reads that see what the session wrote, on real clusters of both families, with appliers that are stopped, delayed and
//! promoted; round trips are counted by a proxy.
#![allow(clippy::unwrap_used)]

#[path = "routed/lab.rs"]
mod lab;

use std::time::Duration;

use harness::{Cluster, Family, Proxy, Spec, families};
use lab::{Handle, Shop, addresses};
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::session::Refused;
use mysqlclient_ms::statistics;

const STRONG: i32 = 0;
const SESSION: i32 = 1;
const EVENTUAL: i32 = 2;
const NO_OPTION: i32 = 0;
const GTID: i32 = 1;

/// A cluster of the test's own, with a table to write to.
fn cluster(family: Family, replicas: usize) -> Cluster {
    let cluster = Cluster::start(Spec::new(family, replicas)).unwrap();
    cluster.sql(0, "CREATE DATABASE test_seen").unwrap();
    cluster.sql(0, "CREATE TABLE test_seen.t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB").unwrap();
    cluster.sql(0, "INSERT INTO test_seen.t VALUES (1, 0)").unwrap();
    cluster.wait_in_step().unwrap();
    cluster
}

fn write(handle: &mut Handle, value: u32) {
    handle.ok(&format!("UPDATE t SET v = {value} WHERE id = 1"));
}

fn read(handle: &mut Handle) -> String {
    handle.value("SELECT v FROM t WHERE id = 1")
}

#[test]
fn a_session_reads_its_writes_from_a_replica_without_a_further_round_trip() {
    for family in families() {
        let cluster = cluster(family, 1);
        let at = addresses(&cluster);
        let proxies: Vec<Proxy> =
            at.iter().map(|(host, port)| Proxy::start(&format!("{host}:{port}")).unwrap()).collect();
        let through: Vec<_> = proxies.iter().map(|proxy| (proxy.host(), proxy.port())).collect();
        let shop = Shop::new(&through, r#""consistency": {"wait_ms": 5000}"#);
        let mut handle = shop.connect(Some("test_seen"));
        write(&mut handle, 1);
        assert_eq!(read(&mut handle), "1", "{family}");
        let trips = |handle: &mut Handle, sql: &str| {
            proxies.iter().for_each(Proxy::reset_stats);
            let value = handle.ok(sql);
            let trips = (proxies[0].stats().round_trips, proxies[1].stats().round_trips);
            (trips, value.first().map(|row| row[0].clone()))
        };
        for value in 2..30 {
            assert_eq!(trips(&mut handle, &format!("UPDATE t SET v = {value}")), ((1, 0), None), "{family}");
            let seen = trips(&mut handle, "SELECT v FROM t");
            assert_eq!(seen, ((0, 1), Some(value.to_string())), "{family}: the wait and the read together");
            let again = trips(&mut handle, "SELECT v FROM t");
            assert_eq!(again, ((0, 1), Some(value.to_string())), "{family}: the read alone");
        }
    }
}

#[test]
fn a_replica_that_does_not_get_there_in_time_is_not_believed() {
    for family in families() {
        let cluster = cluster(family, 2);
        let shop = Shop::new(&addresses(&cluster), r#""consistency": {"wait_ms": 100}"#);
        let mut handle = shop.connect(Some("test_seen"));
        assert_eq!(read(&mut handle), "0");
        assert_ne!(handle.node(), 0, "{family}: nothing was written, a replica answers");
        cluster.stop_applier(1).unwrap();
        cluster.stop_applier(2).unwrap();
        for value in 1..20 {
            write(&mut handle, value);
            assert_eq!(read(&mut handle), value.to_string(), "{family}");
            assert_eq!(handle.node(), 0, "{family}");
        }
        cluster.start_applier(1).unwrap();
        cluster.start_applier(2).unwrap();
        cluster.wait_in_step().unwrap();
        // After the pause a replica is asked again.
        std::thread::sleep(mysqlclient_ms::cluster::progress::PAUSE);
        assert_eq!(read(&mut handle), "19", "{family}");
        assert_ne!(handle.node(), 0, "{family}: {}", handle.decision());
    }
}

#[test]
fn without_the_promise_the_same_reads_are_stale() {
    for family in families() {
        let cluster = cluster(family, 1);
        let shop = Shop::new(&addresses(&cluster), r#""consistency": "eventual""#);
        let mut handle = shop.connect(Some("test_seen"));
        cluster.stop_applier(1).unwrap();
        write(&mut handle, 7);
        assert_eq!(read(&mut handle), "0", "{family}");
        assert_eq!(handle.value("/*ms=strong*/ SELECT v FROM t"), "7", "{family}");
        assert_eq!(handle.node(), 0);
        assert_eq!(handle.value("/*ms=session*/ SELECT v FROM t"), "7", "{family}: positions are kept all the time");
        assert_eq!(handle.value("/*ms=eventual*/ SELECT v FROM t"), "0", "{family}");
        handle.session.set_quality_by_number(SESSION, NO_OPTION, None).unwrap();
        assert_eq!(read(&mut handle), "7", "{family}");
        handle.session.set_quality_by_number(STRONG, NO_OPTION, None).unwrap();
        assert_eq!(handle.value("/*ms=slave*/ SELECT v FROM t"), "7", "{family}: a hint does not break the promise");
        handle.session.set_quality_by_number(EVENTUAL, NO_OPTION, None).unwrap();
        assert_eq!(read(&mut handle), "0", "{family}");
    }
}

#[test]
fn the_configuration_decides_what_a_late_replica_costs() {
    for family in families() {
        let cluster = cluster(family, 1);
        cluster.stop_applier(1).unwrap();
        let error = Shop::new(&addresses(&cluster), r#""consistency": {"wait_ms": 50, "on_timeout": "error"}"#);
        let mut handle = error.connect(Some("test_seen"));
        write(&mut handle, 1);
        assert_eq!(handle.code("SELECT v FROM t"), 2000, "{family}");
        assert_eq!(handle.value("/*ms=master*/ SELECT v FROM t"), "1", "{family}: the handle goes on");
        let stale = Shop::new(&addresses(&cluster), r#""consistency": {"wait_ms": 50, "on_timeout": "stale"}"#);
        let mut handle = stale.connect(Some("test_seen"));
        write(&mut handle, 2);
        let counted = || statistics::value(statistics::Counter::StaleReads as usize);
        statistics::collect(true);
        let before = counted();
        assert_eq!(read(&mut handle), "0", "{family}");
        assert_eq!(counted() - before, 1, "{family}: no other test of this program reads what is stale so");
        let at_once = Shop::new(&addresses(&cluster), r#""consistency": {"wait_ms": 0}"#);
        let mut handle = at_once.connect(Some("test_seen"));
        write(&mut handle, 3);
        assert_eq!(read(&mut handle), "3", "{family}");
        assert_eq!(handle.node(), 0);
        cluster.start_applier(1).unwrap();
        cluster.wait_in_step().unwrap();
        std::thread::sleep(mysqlclient_ms::cluster::progress::PAUSE);
        assert_eq!(read(&mut handle), "3", "{family}");
        assert_eq!(handle.node(), 1, "{family}");
    }
}

#[test]
fn a_transaction_counts_with_its_commit_and_ddl_and_procedures_count() {
    for family in families() {
        let cluster = cluster(family, 1);
        let body = "CREATE PROCEDURE test_seen.put(x INT) UPDATE t SET v = x WHERE id = 1";
        cluster.sql(0, body).unwrap();
        cluster.wait_in_step().unwrap();
        cluster.delay_applier(1, 1).unwrap();
        let shop = Shop::new(&addresses(&cluster), r#""consistency": {"wait_ms": 0}"#);
        let mut handle = shop.connect(Some("test_seen"));
        for (value, statements) in [
            (1, &["BEGIN", "UPDATE t SET v = 1", "COMMIT"][..]),
            (2, &["SET autocommit = 0", "UPDATE t SET v = 2", "COMMIT", "SET autocommit = 1"]),
            (3, &["START TRANSACTION", "UPDATE t SET v = 3", "CREATE TABLE IF NOT EXISTS other (id INT)"]),
            (4, &["UPDATE t SET v = 4"]),
        ] {
            for statement in statements {
                handle.ok(statement);
            }
            assert_eq!(read(&mut handle), value.to_string(), "{family}: {statements:?}");
            assert_eq!(handle.node(), 0, "{family}: {statements:?}");
        }
        let mut called = shop.connect(Some("test_seen"));
        block_on(called.session.run(b"CALL put(5)")).unwrap();
        while block_on(called.session.next_result()).unwrap() {}
        assert!(called.session.last_gtid().is_some(), "{family}");
    }
}

#[test]
fn rows_that_come_from_a_write_are_seen_too() {
    use mysqlclient_ms::options::Family as Library;
    for (library, waits) in [(Library::MySql, 1), (Library::MariaDb, 0)] {
        let Some(family) = families().into_iter().find(|family| *family == Family::MariaDb) else { return };
        let cluster = cluster(family, 1);
        let shop = Shop::new(&addresses(&cluster), r#""consistency": {"wait_ms": 5000}"#);
        let mut handle = shop.connect_as(library, Some("test_seen"), |_| ()).unwrap();
        read(&mut handle);
        cluster.delay_applier(1, 1).unwrap();
        assert_eq!(handle.value("INSERT INTO t VALUES (2, 22) RETURNING v"), "22");
        // To libmysqlclient's programs the end of these rows brings the GTID, and the replica is waited for. To Connector/C's
        // it cannot: the source is asked for its position together with the read.
        assert_eq!(handle.value("SELECT v FROM t WHERE id = 2"), "22");
        assert_eq!(handle.node(), waits, "{library:?}: {}", handle.decision());
        assert_eq!(handle.value("SELECT v FROM t WHERE id = 2"), "22");
        assert_eq!(handle.node(), 1, "{library:?}: {}", handle.decision());
    }
}

#[test]
fn rows_that_come_from_a_write_are_seen_by_the_others_of_the_scope() {
    use mysqlclient_ms::options::Family as Library;
    let Some(family) = families().into_iter().find(|family| *family == Family::MariaDb) else { return };
    let cluster = cluster(family, 1);
    for scope in ["process", "host"] {
        for library in [Library::MySql, Library::MariaDb] {
            let shop =
                Shop::new(&addresses(&cluster), &format!(r#""consistency": {{"scope": "{scope}", "wait_ms": 20}}"#));
            let elsewhere = shop.elsewhere();
            let mut writer = shop.connect_as(library, Some("test_seen"), |_| ()).unwrap();
            let mut reader = match scope {
                "host" => Shop::connect_to(&elsewhere, library, Some("test_seen"), |_| ()).unwrap(),
                _ => shop.connect_as(library, Some("test_seen"), |_| ()).unwrap(),
            };
            writer.ok("REPLACE INTO t VALUES (3, 1)");
            cluster.wait_in_step().unwrap();
            reader.ok("SELECT v FROM t WHERE id = 3");
            cluster.stop_applier(1).unwrap();
            assert_eq!(writer.value("REPLACE INTO t VALUES (3, 2) RETURNING v"), "2");
            let seen = reader.value("SELECT v FROM t WHERE id = 3");
            assert_eq!(seen, "2", "{scope} {library:?}: {}", reader.decision());
            cluster.start_applier(1).unwrap();
        }
    }
}

#[test]
fn send_query_asks_a_replica_before_and_leaves_only_its_own_reply_outstanding() {
    for family in families() {
        let cluster = cluster(family, 1);
        let at = addresses(&cluster);
        let proxy = Proxy::start(&format!("{}:{}", at[1].0, at[1].1)).unwrap();
        let shop = Shop::new(&[at[0].clone(), (proxy.host(), proxy.port())], r#""consistency": {"wait_ms": 5000}"#);
        let mut handle = shop.connect(Some("test_seen"));
        assert_eq!(read(&mut handle), "0", "{family}");
        write(&mut handle, 4);
        for round_trips in [2, 1] {
            proxy.reset_stats();
            assert_eq!(handle.send("SELECT v FROM t")[0][0], "4", "{family}");
            assert_eq!(handle.node(), 1, "{family}: {}", handle.decision());
            assert_eq!(proxy.stats().round_trips, round_trips, "{family}");
        }
        cluster.stop_applier(1).unwrap();
        let impatient = Shop::new(&at, r#""consistency": {"wait_ms": 50}"#);
        let mut handle = impatient.connect(Some("test_seen"));
        write(&mut handle, 5);
        assert_eq!(handle.send("SELECT v FROM t")[0][0], "5", "{family}");
        assert_eq!(handle.node(), 0, "{family}: the replica does not have it");
    }
}

#[test]
fn a_connection_that_was_closed_meanwhile_does_not_fail_the_question_before_a_read() {
    for family in families() {
        let cluster = cluster(family, 1);
        let shop = Shop::new(&addresses(&cluster), r#""consistency": {"wait_ms": 5000}"#);
        let mut handle = shop.connect(Some("test_seen"));
        assert_eq!(read(&mut handle), "0", "{family}");
        assert_eq!(handle.node(), 1, "{family}");
        let id = handle.session.thread_id();
        write(&mut handle, 8);
        cluster.sql(1, &format!("KILL {id}")).unwrap();
        assert_eq!(handle.send("SELECT v FROM t")[0][0], "8", "{family}");
    }
}

#[test]
fn what_one_handle_found_out_another_one_knows() {
    for family in families() {
        let cluster = cluster(family, 1);
        let shop = Shop::new(&addresses(&cluster), r#""consistency": {"wait_ms": 5000}"#);
        let (mut one, mut other) = (shop.connect(Some("test_seen")), shop.connect(Some("test_seen")));
        write(&mut one, 4);
        write(&mut other, 5);
        assert_eq!(read(&mut other), "5", "{family}");
        if family == Family::MariaDb {
            // Positions of MariaDB are ordered: the later one covers the earlier one.
            assert_eq!(one.send("SELECT v FROM t")[0][0], "5", "{family}");
            assert_eq!(one.node(), 1, "{family}");
        }
    }
}

#[test]
fn a_token_carries_the_promise_to_another_handle() {
    for family in families() {
        let cluster = cluster(family, 1);
        let shop = Shop::new(&addresses(&cluster), r#""consistency": {"wait_ms": 50}"#);
        let mut writer = shop.connect(Some("test_seen"));
        assert_eq!((writer.session.token(), writer.session.last_gtid()), (None, None), "{family}");
        cluster.stop_applier(1).unwrap();
        write(&mut writer, 9);
        let token = writer.session.token().unwrap();
        let gtid = writer.session.last_gtid().unwrap().to_vec();
        let mut reader = shop.connect(Some("test_seen"));
        assert_eq!(read(&mut reader), "0", "{family}: another handle is promised nothing");
        reader.session.set_token(token.as_bytes()).unwrap();
        assert_eq!(read(&mut reader), "9", "{family}");
        let mut by_gtid = shop.connect(Some("test_seen"));
        by_gtid.session.set_quality_by_number(SESSION, GTID, Some(&gtid)).unwrap();
        assert_eq!(read(&mut by_gtid), "9", "{family}");
        let attribute = |name: &'static str, value: Vec<u8>| {
            move |session: &mut mysqlclient_ms::session::Session| {
                session.options().attributes.push((name.into(), value));
            }
        };
        let mut by_attribute = shop.try_connect(Some("test_seen"), attribute("ms.gtid", token.into_bytes())).unwrap();
        assert_eq!(read(&mut by_attribute), "9", "{family}");
        let mut strong = shop.try_connect(Some("test_seen"), attribute("ms.qos", b"strong".to_vec())).unwrap();
        assert_eq!(read(&mut strong), "9", "{family}");
        let wrong = shop.try_connect(Some("test_seen"), attribute("ms.qos", b"best".to_vec())).err().unwrap();
        assert_eq!(wrong.code, 2000, "{family}");
        assert!(String::from_utf8_lossy(&wrong.message).contains("'best'"), "{family}");
        assert_eq!(reader.session.set_token(b"nonsense"), Err(Refused::Malformed), "{family}");
    }
}

#[test]
fn a_token_of_another_cluster_costs_one_wait_and_then_nothing() {
    for family in families() {
        let cluster = cluster(family, 1);
        let shop = Shop::new(&addresses(&cluster), r#""consistency": {"wait_ms": 50}"#);
        let foreign: &[u8] = match family {
            Family::MariaDb => b"77-88-99",
            Family::MySql => b"aaaaaaaa-71ca-11e1-9e33-c80aa9429562:1-5",
        };
        let mut handle = shop.connect(Some("test_seen"));
        handle.session.set_quality_by_number(SESSION, GTID, Some(foreign)).unwrap();
        assert_eq!(read(&mut handle), "0", "{family}");
        assert_eq!(handle.node(), 0, "{family}: no replica has it");
        std::thread::sleep(mysqlclient_ms::cluster::progress::PAUSE);
        assert_eq!(read(&mut handle), "0", "{family}");
        assert_eq!(handle.node(), 1, "{family}: it is not waited for again: {}", handle.decision());
    }
}

#[test]
fn the_process_scope_shows_the_writes_of_other_handles() {
    for family in families() {
        let cluster = cluster(family, 1);
        let shop = Shop::new(&addresses(&cluster), r#""consistency": {"scope": "process", "wait_ms": 50}"#);
        let (mut one, mut other) = (shop.connect(Some("test_seen")), shop.connect(Some("test_seen")));
        assert_eq!(read(&mut other), "0", "{family}");
        cluster.stop_applier(1).unwrap();
        write(&mut one, 6);
        assert_eq!(read(&mut other), "6", "{family}");
    }
}

#[test]
fn levels_and_options_that_make_no_sense_are_refused() {
    for family in families() {
        let cluster = cluster(family, 1);
        let shop = Shop::new(&addresses(&cluster), "");
        let mut handle = shop.connect(Some("test_seen"));
        let mut set = |level, option, value: Option<&[u8]>| handle.session.set_quality_by_number(level, option, value);
        assert_eq!(set(3, 0, None), Err(Refused::Level));
        assert_eq!(set(SESSION, 4, None), Err(Refused::Option));
        assert_eq!(set(STRONG, GTID, Some(b"0-1-1")), Err(Refused::Clash));
        assert_eq!(set(EVENTUAL, GTID, Some(b"0-1-1")), Err(Refused::Clash));
        assert_eq!(set(SESSION, GTID, None), Err(Refused::NoValue));
        assert_eq!(set(SESSION, GTID, Some(b"")), Err(Refused::NoValue));
        assert_eq!(set(SESSION, GTID, Some(b"Array")), Err(Refused::Malformed));
        assert_eq!(set(EVENTUAL, 2, Some(b"-1")), Err(Refused::Age));
        assert_eq!(set(EVENTUAL, 2, Some(b"soon")), Err(Refused::Age));
        for (age_or_cache, value) in [(2, b"5"), (3, b"5")] {
            assert_eq!(set(EVENTUAL, age_or_cache, None), Err(Refused::NoValue));
            let served = if age_or_cache == 2 { Ok(()) } else { Err(Refused::NotServed) };
            assert_eq!(set(EVENTUAL, age_or_cache, Some(value)), served);
            assert_eq!(set(SESSION, age_or_cache, Some(value)), Err(Refused::Clash));
        }
        let plain = mysqlclient_ms::session::Session::new(mysqlclient_ms::options::Family::MySql);
        assert_eq!({ plain }.set_quality_by_number(STRONG, NO_OPTION, None), Err(Refused::NotRouted));
        handle.ok("BEGIN");
        write(&mut handle, 1);
        assert_eq!(handle.session.set_quality_by_number(STRONG, 0, None), Err(Refused::InTransaction), "{family}");
        handle.ok("COMMIT");
        assert_eq!(handle.session.set_quality_by_number(STRONG, 0, None), Ok(()), "{family}");
    }
}

#[test]
fn transactions_that_a_failover_lost_are_not_waited_for() {
    for family in families() {
        let cluster = cluster(family, 2);
        let shop = Shop::new(&addresses(&cluster), r#""consistency": {"wait_ms": 50}"#);
        let mut handle = shop.connect(Some("test_seen"));
        write(&mut handle, 1);
        cluster.wait_in_step().unwrap();
        let stop = if family == Family::MariaDb { "STOP SLAVE" } else { "STOP REPLICA" };
        cluster.sql(1, stop).unwrap();
        cluster.sql(2, stop).unwrap();
        write(&mut handle, 2);
        let token = handle.session.token().unwrap();
        cluster.kill(0).unwrap();
        cluster.promote(1).unwrap();
        // The same program against the new source, as after a change of the configuration.
        let at = addresses(&cluster);
        let after = Shop::new(&[at[1].clone(), at[2].clone()], r#""consistency": {"wait_ms": 50}"#);
        let mut handle = after.connect(Some("test_seen"));
        handle.session.set_token(token.as_bytes()).unwrap();
        write(&mut handle, 3);
        assert_eq!(read(&mut handle), "3", "{family}");
        let deadline = std::time::Instant::now() + Duration::from_secs(20);
        while handle.node() == 0 {
            assert!(std::time::Instant::now() < deadline, "{family}: the replica is waited for without end");
            std::thread::sleep(Duration::from_millis(100));
            assert_eq!(read(&mut handle), "3", "{family}");
        }
    }
}

/// Lets the replica, whose applier stands still, apply up to this GTID and no further.
fn apply_until(cluster: &Cluster, family: Family, gtid: &str) {
    let start = match family {
        Family::MySql => format!("START REPLICA SQL_THREAD UNTIL SQL_AFTER_GTIDS = '{gtid}'"),
        // It is the source that stops there, so that its events have to be fetched anew.
        Family::MariaDb => format!("STOP SLAVE; START SLAVE UNTIL master_gtid_pos = '{gtid}'"),
    };
    cluster.sql(1, &start).unwrap();
}

#[test]
fn of_several_statements_in_one_text_the_last_one_is_waited_for() {
    use mysqlclient_ms::options::Family as Library;
    const TEXT: &[u8] = b"INSERT INTO t VALUES (2, 0); INSERT INTO t VALUES (3, 0)";
    const ROWS: &str = "SELECT COUNT(*) FROM t WHERE id > 1";
    for family in families() {
        for library in [Library::MySql, Library::MariaDb] {
            let cluster = cluster(family, 1);
            let at = addresses(&cluster);
            let connect = |keys: &str| {
                let mut handle = Shop::new(&at, keys).connect_as(library, Some("test_seen"), |_| ()).unwrap();
                block_on(handle.session.set_multi_statements(true)).unwrap();
                handle
            };
            let gtid =
                |handle: &Handle| String::from_utf8(handle.session.gtid_of_last_reply().unwrap().to_vec()).unwrap();
            let mut handle = connect(r#""consistency": {"wait_ms": 0}"#);
            cluster.stop_applier(1).unwrap();
            block_on(handle.session.run(TEXT)).unwrap();
            let first = gtid(&handle);
            assert!(block_on(handle.session.next_result()).unwrap(), "{family}");
            let last = gtid(&handle);
            assert!(!block_on(handle.session.next_result()).unwrap(), "{family}");
            assert_ne!(first, last, "{family}");
            assert_eq!(handle.session.last_gtid(), Some(last.as_bytes()), "{family}, {library:?}");
            apply_until(&cluster, family, &first);
            let deadline = std::time::Instant::now() + Duration::from_secs(60);
            while cluster.sql(1, "SELECT COUNT(*) FROM test_seen.t WHERE id > 1").unwrap().scalar() != "1" {
                assert!(std::time::Instant::now() < deadline, "{family}: the replica does not get to {first}");
                std::thread::sleep(Duration::from_millis(20));
            }
            assert_eq!(handle.value(ROWS), "2", "{family}, {library:?}");
            assert_eq!(handle.node(), 0, "{family}: the replica has the first one only: {}", handle.decision());
            match family {
                Family::MySql => cluster.sql(1, "STOP REPLICA SQL_THREAD; START REPLICA SQL_THREAD").unwrap(),
                Family::MariaDb => cluster.sql(1, "STOP SLAVE; START SLAVE").unwrap(),
            };
            // Another handle waits for all of what it wrote.
            let mut patient = connect(r#""consistency": {"wait_ms": 60000}"#);
            block_on(patient.session.run(b"DELETE FROM t WHERE id = 2; DELETE FROM t WHERE id = 3")).unwrap();
            while block_on(patient.session.next_result()).unwrap() {}
            assert_eq!(patient.value(ROWS), "0", "{family}, {library:?}");
            assert_eq!(patient.node(), 1, "{family}: {}", patient.decision());
        }
    }
}
