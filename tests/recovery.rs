//! What becomes of statements when nodes fail, on real clusters of both families that are broken for it: the answer is
//! right, or an error that says that nothing was executed (2006, or the server's), or one that says that nobody knows (2013).
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "routed/group.rs"]
mod group;
#[path = "routed/lab.rs"]
mod lab;

use std::time::{Duration, Instant};

use harness::proxy::Direction;
use harness::{Cluster, Family, How, Proxy, Spec, families, shared};
use lab::{Address, Handle, Shop, addresses};
use mysqlclient_ms::conn::driver::{block_on, note_cancel};
use mysqlclient_ms::result::BinaryRows;
use mysqlclient_ms::session::{Parameters, Prepared, Request, RowsAre};

const ROUND_ROBIN: &str = r#""filters": {"roundrobin": []}"#;

/// A database of the test's own, with a table `t` of so many rows.
fn database(cluster: &Cluster, name: &str, rows: usize) -> String {
    let table = "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(200)) ENGINE=InnoDB";
    let values: Vec<String> = (1..=rows).map(|row| format!("({row}, REPEAT('x', 100))")).collect();
    let insert = format!("INSERT INTO t VALUES {}", values.join(", "));
    let statements = [table, &insert];
    lab::database(cluster, name, if rows > 0 { &statements } else { &statements[..1] })
}

fn count(cluster: &Cluster, node: usize, table: &str) -> String {
    cluster.sql(node, &format!("SELECT COUNT(*) FROM {table}")).unwrap().scalar().to_owned()
}

/// The cluster's nodes behind a proxy each.
fn behind_proxies(cluster: &Cluster) -> (Vec<Proxy>, Vec<Address>) {
    let proxies: Vec<Proxy> =
        addresses(cluster).iter().map(|(host, port)| Proxy::start(&format!("{host}:{port}")).unwrap()).collect();
    let addresses = proxies.iter().map(|proxy| (proxy.host(), proxy.port())).collect();
    (proxies, addresses)
}

/// A handle whose connections to both replicas are open, and whose next read goes to the first of them.
fn warmed(shop: &Shop, schema: &str) -> Handle {
    let mut handle = shop.connect(Some(schema));
    (0..2).for_each(|_| drop(handle.ok("SELECT COUNT(*) FROM t")));
    while handle.node() != 2 {
        handle.ok("SELECT COUNT(*) FROM t");
    }
    handle
}

#[test]
fn a_read_that_broke_off_runs_once_more_on_another_replica_and_never_on_the_source() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "rerun", 500);
        let (proxies, addresses) = behind_proxies(cluster);
        let shop = Shop::new(&addresses, ROUND_ROBIN);
        for how in [How::Fin, How::Rst] {
            // In the head of the reply, and among the rows, which the program has not seen when it stores them.
            for bytes in [0, 1, 20, 5_000, 40_000] {
                let mut handle = warmed(&shop, &schema);
                proxies[1].cut_after(Direction::Down, bytes, how);
                let rows = handle.ok("SELECT id, v FROM t ORDER BY id");
                proxies[1].pass().unwrap();
                assert_eq!((rows.len(), handle.node()), (500, 2), "{family}: {how:?} after {bytes}");
                assert_eq!(rows[499][0], "500");
            }
        }
        // Everywhere: once, and no more.
        let mut handle = warmed(&shop, &schema);
        proxies.iter().for_each(|proxy| proxy.cut_after(Direction::Down, 0, How::Fin));
        assert_eq!(handle.code("SELECT id, v FROM t"), 2013, "{family}");
        assert_eq!(proxies[0].stats().connections, 0, "{family}: the source was asked");
        proxies.iter().for_each(|proxy| proxy.pass().unwrap());
        assert_eq!(handle.value("SELECT COUNT(*) FROM t"), "500");
        // The program has seen rows: it hears of it.
        let mut handle = warmed(&shop, &schema);
        proxies[1].cut_after(Direction::Down, 5_000, How::Fin);
        block_on(handle.session.run(b"SELECT id, v FROM t")).unwrap();
        let columns = handle.session.use_result().unwrap().unwrap();
        let mut row = mysqlclient_ms::result::StreamRow::new(columns.len());
        let mut read = Ok(true);
        while read.as_ref().is_ok_and(|more| *more) {
            read = block_on(handle.session.next_row(&mut row));
        }
        assert_eq!(read.unwrap_err().code, 2013, "{family}");
        proxies[1].pass().unwrap();
        // A read in a transaction is part of it.
        let mut handle = warmed(&shop, &schema);
        handle.ok("START TRANSACTION READ ONLY");
        handle.ok("SELECT COUNT(*) FROM t");
        let node = handle.node();
        proxies[node].cut_after(Direction::Down, 0, How::Fin);
        assert_eq!(handle.code("SELECT COUNT(*) FROM t"), 2013, "{family}");
        proxies[node].pass().unwrap();
        assert_eq!(handle.code("SELECT COUNT(*) FROM t"), 2006, "{family}");
        handle.ok("ROLLBACK");
        handle.ok("SELECT COUNT(*) FROM t");
    }
}

#[test]
fn a_prepared_read_runs_once_more_too() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "rerun_prepared", 3);
        let (proxies, addresses) = behind_proxies(cluster);
        let shop = Shop::new(&addresses, ROUND_ROBIN);
        let mut handle = warmed(&shop, &schema);
        let mut prepared = Prepared::default();
        block_on(handle.session.prepare(&mut prepared, b"SELECT id FROM t ORDER BY id")).unwrap();
        let mut run = |handle: &mut Handle| {
            let executed = block_on(handle.session.execute(&mut prepared, &Request::default())).unwrap();
            assert!(matches!(executed.rows, RowsAre::Waiting));
            let mut rows = BinaryRows::default();
            block_on(handle.session.store_rows_of(&mut prepared, &mut rows)).unwrap();
            rows.len()
        };
        while handle.node() != 2 {
            assert_eq!(run(&mut handle), 3);
        }
        proxies[1].cut_after(Direction::Down, 0, How::Fin);
        assert_eq!((run(&mut handle), handle.node()), (3, 2), "{family}");
        proxies[1].pass().unwrap();
        // Among the rows, with a parameter.
        let schema = database(cluster, "rerun_rows", 500);
        let mut handle = warmed(&shop, &schema);
        let mut prepared = Prepared::default();
        block_on(handle.session.prepare(&mut prepared, b"SELECT id, v FROM t WHERE id <= ? ORDER BY id")).unwrap();
        let parameters = Parameters { count: 1, nulls: &[0], types: &[8, 0], values: &[0xF4, 1, 0, 0, 0, 0, 0, 0] };
        for bytes in [200, 20_000] {
            let mut node = 0;
            while node != 2 {
                handle.ok("SELECT COUNT(*) FROM t");
                node = handle.node();
            }
            let named = [8, 0, 0];
            let request = Request {
                parameters,
                named: Some(Parameters { types: &named, ..parameters }),
                new_types: true,
                ..Request::default()
            };
            proxies[1].cut_after(Direction::Down, bytes, How::Rst);
            block_on(handle.session.execute(&mut prepared, &request)).unwrap();
            let mut rows = BinaryRows::default();
            block_on(handle.session.store_rows_of(&mut prepared, &mut rows)).unwrap();
            proxies[1].pass().unwrap();
            assert_eq!((rows.len(), handle.node()), (500, 2), "{family}: after {bytes}");
            assert_eq!(rows.row(499).unwrap()[2..6], [0xF4, 1, 0, 0]);
        }
    }
}

#[test]
fn a_read_whose_reply_the_program_fetches_itself_runs_once_more_too() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "rerun_sent", 30);
        let (proxies, addresses) = behind_proxies(cluster);
        let shop = Shop::new(&addresses, ROUND_ROBIN);
        let mut handle = warmed(&shop, &schema);
        proxies[1].cut_after(Direction::Down, 0, How::Fin);
        assert_eq!((handle.send("SELECT id FROM t").len(), handle.node()), (30, 2), "{family}");
        proxies[1].pass().unwrap();
    }
}

#[test]
fn no_read_runs_again_after_a_limit_of_time_a_kill_a_cancel_or_by_wish() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "no_rerun", 300);
        let (proxies, addresses) = behind_proxies(cluster);
        let off = Shop::new(&addresses, &format!(r#"{ROUND_ROBIN}, "retry_reads": 0"#));
        let mut handle = warmed(&off, &schema);
        proxies[1].cut_after(Direction::Down, 0, How::Fin);
        assert_eq!((handle.code("SELECT COUNT(*) FROM t"), handle.node()), (2013, 1), "{family}");
        proxies[1].pass().unwrap();
        // A limit of time.
        let limited = Shop::new(&addresses, &format!(r#"{ROUND_ROBIN}, "timeouts": {{"read": 1500}}"#));
        let mut handle = warmed(&limited, &schema);
        proxies[1].black_hole();
        assert_eq!((handle.code("SELECT COUNT(*) FROM t"), handle.node()), (2013, 1), "{family}");
        proxies[1].pass().unwrap();
        // The program broke the call off from another thread.
        let shop = Shop::new(&addresses, ROUND_ROBIN);
        let long = "SELECT COUNT(*) FROM t a, t b, t c, t d WHERE a.v < CONCAT(b.v, c.v, d.v)";
        let mut handle = warmed(&shop, &schema);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(300));
                note_cancel();
                proxies[1].end_all(How::Fin);
            });
            assert_eq!((handle.code(long), handle.node()), (2013, 1), "{family}");
        });
        // KILL QUERY.
        let mut handle = warmed(&shop, &schema);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let running = format!(
                    "SELECT id FROM information_schema.processlist WHERE db = '{schema}' AND info LIKE 'SELECT COUNT(*) \
                     FROM t a%' AND info NOT LIKE '%processlist%'"
                );
                loop {
                    for row in &cluster.sql(1, &running).unwrap().rows {
                        let _ = cluster.sql(1, &format!("KILL QUERY {}", row[0].clone().unwrap()));
                    }
                    std::thread::sleep(Duration::from_millis(100));
                    if cluster.sql(1, &running).unwrap().rows.is_empty() {
                        break;
                    }
                }
            });
            std::thread::sleep(Duration::from_millis(1));
            let code = handle.code(long);
            // MySQL knows which statement was killed; MariaDB ends some with the connection.
            assert!(matches!(code, 1317 | 1028) && handle.node() == 1, "{family}: {code}");
        });
    }
}

#[test]
fn a_write_that_broke_off_is_reported_and_never_sent_again() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "unknown", 0);
        let (proxies, addresses) = behind_proxies(cluster);
        let shop =
            Shop::new(&addresses, r#""failover": "loop_before_master", "discover": "read_only", "probe_ms": 3000"#);
        for (direction, bytes) in [(Direction::Up, 0), (Direction::Up, 10), (Direction::Down, 0), (Direction::Down, 3)]
        {
            for how in [How::Fin, How::Rst] {
                cluster.sql(0, &format!("DELETE FROM {schema}.t")).unwrap();
                let mut handle = shop.connect(Some(&schema));
                handle.ok("INSERT INTO t (v) VALUES ('first')");
                proxies[0].cut_after(direction, bytes, how);
                let code = handle.code("INSERT INTO t (v) VALUES ('second')");
                proxies[0].pass().unwrap();
                assert!(matches!(code, 2006 | 2013), "{family}: {direction:?} {bytes} {how:?}: {code}");
                let found: usize = count(cluster, 0, &format!("{schema}.t WHERE v = 'second'")).parse().unwrap();
                assert!(found <= usize::from(code == 2013), "{family}: {code}, {found} rows");
                handle.ok("INSERT INTO t (v) VALUES ('third')");
                assert_eq!(count(cluster, 0, &format!("{schema}.t WHERE v = 'third'")), "1");
            }
        }
    }
}

#[test]
fn a_connection_that_the_server_closed_while_it_lay_idle_costs_no_statement() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "idle", 0);
        let (proxies, addresses) = behind_proxies(cluster);
        let shop = Shop::new(&addresses, r#""retry_reads": 0"#);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("INSERT INTO t (v) VALUES ('a')");
        handle.ok("SELECT COUNT(*) FROM t");
        std::thread::sleep(Duration::from_millis(1100));
        proxies.iter().for_each(|proxy| proxy.end_all(How::Fin));
        std::thread::sleep(Duration::from_millis(50));
        handle.ok("INSERT INTO t (v) VALUES ('b')");
        handle.ok("SELECT COUNT(*) FROM t");
        assert_eq!(count(cluster, 0, &format!("{schema}.t")), "2", "{family}");
    }
}

#[test]
fn transient_errors_are_repeated_on_the_same_connection_and_then_reported() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "transient", 0);
        for statement in [
            "CREATE TABLE p (id INT PRIMARY KEY) ENGINE=InnoDB",
            "CREATE TABLE c (id INT, FOREIGN KEY (id) REFERENCES p(id)) ENGINE=InnoDB",
        ] {
            cluster
                .sql(
                    0,
                    &statement
                        .replace("TABLE ", &format!("TABLE {schema}."))
                        .replace("REFERENCES ", &format!("REFERENCES {schema}.")),
                )
                .unwrap();
        }
        cluster.wait_in_step().unwrap();
        let (proxies, addresses) = behind_proxies(cluster);
        let keys =
            r#""transient_error": {"mysql_error_codes": [1452, 1049, 1045], "max_retries": 2, "usleep_retry": 1}"#;
        let shop = Shop::new(&addresses, keys);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("INSERT INTO p VALUES (1)");
        let trips = |proxies: &[Proxy]| proxies[0].stats().round_trips;
        proxies[0].reset_stats();
        assert_eq!(handle.code("INSERT INTO c VALUES (2)"), 1452, "{family}");
        assert_eq!(trips(&proxies), 3, "{family}: twice more");
        handle.ok("BEGIN");
        proxies[0].reset_stats();
        assert_eq!(handle.code("INSERT INTO c VALUES (2)"), 1452, "{family}");
        assert_eq!(trips(&proxies), 3, "{family}: in a transaction, too");
        handle.ok("ROLLBACK");
        proxies[0].reset_stats();
        assert_eq!(block_on(handle.session.select_db(b"test_no_such_schema")).unwrap_err().code, 1049, "{family}");
        assert_eq!(trips(&proxies), 3, "{family}: calls, too");
        let mut prepared = Prepared::default();
        block_on(handle.session.prepare(&mut prepared, b"INSERT INTO c VALUES (3)")).unwrap();
        proxies[0].reset_stats();
        assert_eq!(block_on(handle.session.execute(&mut prepared, &Request::default())).unwrap_err().code, 1452);
        assert_eq!(trips(&proxies), 3, "{family}: prepared statements, too");
        let account = |handle: &mut Handle, password: &str| {
            block_on(handle.session.change_user(harness::APP_USER.as_bytes(), password.as_bytes(), None))
        };
        proxies[0].reset_stats();
        assert_eq!(account(&mut handle, "wrong").unwrap_err().code, 1045, "{family}");
        assert_eq!(proxies[0].stats().connections, 3, "{family}: another account, too");
        handle.ok(&format!("USE {schema}"));
        // Others are not.
        proxies[0].reset_stats();
        assert_eq!(handle.code("INSERT INTO p VALUES (1)"), 1062, "{family}");
        assert_eq!(trips(&proxies), 1);
        // A parent that comes in time.
        std::thread::scope(|scope| {
            let patient = Shop::new(
                &addresses,
                r#""transient_error": {"mysql_error_codes": [1452], "max_retries": 200, "usleep_retry": 20}"#,
            );
            let mut handle = patient.connect(Some(&schema));
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(200));
                cluster.sql(0, &format!("INSERT INTO {schema}.p VALUES (7)")).unwrap();
            });
            handle.ok("INSERT INTO c VALUES (7)");
        });
    }
}

#[test]
fn limits_of_time_come_from_the_configuration_and_all_connects_of_a_statement_share_one() {
    let family = Family::MySql;
    let cluster = shared(family);
    let schema = database(cluster, "limits", 0);
    let (proxies, addresses) = behind_proxies(cluster);
    proxies[1].black_hole();
    proxies[2].black_hole();
    let keys = r#""failover": "loop_before_master", "timeouts": {"connect": 300}"#;
    let mut handle = Shop::new(&addresses, keys).connect(Some(&schema));
    assert_eq!((handle.ok("SELECT COUNT(*) FROM t").len(), handle.node()), (1, 0));
    // No time is left for the second.
    let keys = r#""failover": "loop_before_master", "connect_budget_ms": 300"#;
    let mut handle = Shop::new(&addresses, keys).connect(Some(&schema));
    assert!(matches!(handle.code("SELECT COUNT(*) FROM t"), 2003 | 2013));
    // What the program says goes first.
    let keys = r#""failover": "loop_before_master", "timeouts": {"connect": 86400000}"#;
    let set = |session: &mut mysqlclient_ms::session::Session| {
        session.options().connect_timeout = Some(Duration::from_millis(300));
    };
    let shop = Shop::new(&addresses, keys);
    let mut handle = shop.try_connect(Some(&schema), set).unwrap();
    assert_eq!((handle.ok("SELECT COUNT(*) FROM t").len(), handle.node()), (1, 0));
}

/// A read that saw the write of the same handle.
fn write_and_read(handle: &mut Handle, value: &str) {
    handle.ok(&format!("INSERT INTO t (v) VALUES ('{value}')"));
    assert_eq!(handle.value(&format!("SELECT COUNT(*) FROM t WHERE v = '{value}'")), "1");
}

#[test]
fn a_promoted_replica_takes_the_writes_of_running_programs() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 2)).unwrap();
        let schema = database(&cluster, "promoted", 0);
        let addresses = addresses(&cluster);
        let keys = |discover: &str| {
            format!(
                r#"{ROUND_ROBIN}, "failover": "loop_before_master", "timeouts": {{"connect": 500, "read": 20000}}, "probe_ms": 1000{discover}"#
            )
        };
        let by_file = Shop::new(&addresses, &keys(""));
        let shop = Shop::new(&addresses, &keys(r#", "discover": "read_only""#));
        let mut old = by_file.connect(Some(&schema));
        let mut idle = shop.connect(Some(&schema));
        let mut handle = shop.connect(Some(&schema));
        write_and_read(&mut old, "before");
        write_and_read(&mut idle, "before, too");
        write_and_read(&mut handle, "also before");
        let mut prepared = Prepared::default();
        block_on(handle.session.prepare(&mut prepared, b"INSERT INTO t (v) VALUES ('prepared')")).unwrap();

        // A planned change: the old source is read only now.
        cluster.promote(1).unwrap();
        assert_eq!((old.code("INSERT INTO t (v) VALUES ('x')"), old.node()), (1290, 0), "{family}: the file says so");
        block_on(handle.session.execute(&mut prepared, &Request::default())).unwrap();
        assert_eq!(handle.node(), 1, "{family}: {}", handle.decision());
        write_and_read(&mut handle, "planned");
        assert_eq!(count(&cluster, 1, &format!("{schema}.t WHERE v = 'prepared'")), "1", "{family}");
        // Others know without asking; a new handle begins its transaction at the right place.
        write_and_read(&mut idle, "idle");
        let mut new = shop.connect(Some(&schema));
        new.ok("BEGIN");
        assert_eq!(new.node(), 1, "{family}");
        new.ok("INSERT INTO t (v) VALUES ('new')");
        new.ok("COMMIT");
        // So does another process, whose file says what was true before.
        let other = Shop::new(&addresses, &keys(r#", "discover": "read_only""#));
        let mut other = other.connect(Some(&schema));
        other.ok("BEGIN");
        assert_eq!(other.node(), 1, "{family}");
        other.ok("ROLLBACK");
        cluster.wait_in_step().unwrap();
        let mut nodes: Vec<usize> = (0..4)
            .map(|_| {
                handle.ok("/*ms=eventual*/ SELECT COUNT(*) FROM t");
                handle.node()
            })
            .collect();
        nodes.sort_unstable();
        assert_eq!(nodes, [0, 0, 2, 2], "{family}: the old source takes reads");

        // Not inside a transaction: there the error is the program's, and ROLLBACK ends it.
        handle.ok("BEGIN");
        handle.ok("INSERT INTO t (v) VALUES ('lost')");
        cluster.kill(1).unwrap();
        let code = handle.code("INSERT INTO t (v) VALUES ('lost')");
        assert!(matches!(code, 2006 | 2013), "{family}: {code}");
        assert_eq!(handle.code("INSERT INTO t (v) VALUES ('lost')"), 2006, "{family}");
        // It acknowledges the loss, although no source is there to be told.
        let _ = handle.run("ROLLBACK");
        // Nobody is there: the error of the source.
        let code = handle.code("INSERT INTO t (v) VALUES ('nobody')");
        assert!(matches!(code, 2002 | 2003), "{family}: {code}");
        assert_eq!(handle.ok("/*ms=eventual*/ SELECT COUNT(*) FROM t").len(), 1);
        // An unplanned one, timed from the instant at which the server says that it takes writes.
        let (mut first, mut failures) = (None, 0);
        let writable = std::thread::scope(|scope| {
            let watch = scope.spawn(|| {
                while cluster.sql(2, "SELECT @@GLOBAL.read_only").unwrap().scalar() != "0" {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Instant::now()
            });
            scope.spawn(|| cluster.promote(2).unwrap());
            while first.is_none() {
                match handle.run("INSERT INTO t (v) VALUES ('unplanned')") {
                    Ok(_) => first = Some(Instant::now()),
                    Err(error) => {
                        assert!(matches!(error.code, 2002 | 2003 | 1290), "{family}: {error}");
                        failures += 1;
                    }
                }
            }
            watch.join().unwrap()
        });
        println!(
            "{family}: the first write {:?} after the new source was writable, {failures} refused before",
            first.unwrap().saturating_duration_since(writable)
        );
        assert_eq!((handle.node(), count(&cluster, 2, &format!("{schema}.t WHERE v = 'unplanned'"))), (2, "1".into()));
        assert_eq!(count(&cluster, 2, &format!("{schema}.t WHERE v = 'lost'")), "0", "{family}");

        // The source that was killed comes back as a replica, and is used again.
        cluster.restart(1).unwrap();
        cluster.wait_in_step().unwrap();
        write_and_read(&mut handle, "back");
    }
}

#[test]
fn two_writable_nodes_count_as_none_and_a_replica_that_is_not_read_only_counts_as_replica() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 2)).unwrap();
        let schema = database(&cluster, "torn", 0);
        let shop = Shop::new(
            &addresses(&cluster),
            r#""discover": "read_only", "probe_ms": 1000, "timeouts": {"connect": 500}"#,
        );
        let read_only = |node: usize, on: u8| {
            cluster.sql(node, &format!("SET GLOBAL read_only = {on}")).unwrap();
        };
        let mut handle = shop.connect(Some(&schema));
        handle.ok("INSERT INTO t (v) VALUES ('a')");
        // Writable, but it follows.
        read_only(1, 0);
        read_only(0, 1);
        assert_eq!((handle.code("INSERT INTO t (v) VALUES ('x')"), handle.node()), (1290, 0), "{family}");
        // Two that follow nobody.
        let stop = if family == Family::MySql { "STOP REPLICA" } else { "STOP ALL SLAVES" };
        read_only(2, 0);
        for node in [1, 2] {
            cluster.sql(node, stop).unwrap();
        }
        std::thread::sleep(Duration::from_millis(50));
        let code = handle.code("INSERT INTO t (v) VALUES ('x')");
        assert!(matches!(code, 1290 | 2000), "{family}: {code}");
        assert_eq!(handle.code("INSERT INTO t (v) VALUES ('x')"), 2000, "{family}");
        for node in [0, 1, 2] {
            assert_eq!(count(&cluster, node, &format!("{schema}.t WHERE v = 'x'")), "0", "{family}");
        }
        read_only(2, 1);
        std::thread::sleep(Duration::from_millis(50));
        handle.ok("INSERT INTO t (v) VALUES ('b')");
        assert_eq!(handle.node(), 1, "{family}");
    }
}

#[test]
fn writes_wait_for_a_source_as_long_as_the_configuration_allows() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 1)).unwrap();
        let schema = database(&cluster, "waits", 0);
        let keys = |most: u32, wait: u32| {
            format!(
                r#""discover": "read_only", "probe_ms": 500, "timeouts": {{"connect": 500}}, "wait_for_primary_ms": {wait}, "wait_for_primary_max": {most}"#
            )
        };
        let patient = Shop::new(&addresses(&cluster), &keys(10, 60_000));
        let hasty = Shop::new(&addresses(&cluster), &keys(10, 200));
        let crowded = Shop::new(&addresses(&cluster), &keys(0, 60_000));
        let mut handles: Vec<Handle> = (0..2).map(|_| patient.connect(Some(&schema))).collect();
        handles.iter_mut().for_each(|handle| drop(handle.ok("INSERT INTO t (v) VALUES ('a')")));
        cluster.sql(0, "SET GLOBAL read_only = 1").unwrap();
        let mut handle = hasty.connect(Some(&schema));
        assert_eq!(handle.code("INSERT INTO t (v) VALUES ('x')"), 1290, "{family}: refused");
        assert_eq!(crowded.connect(Some(&schema)).code("INSERT INTO t (v) VALUES ('x')"), 1290, "{family}: too many");
        cluster.kill(0).unwrap();
        let code = handle.code("INSERT INTO t (v) VALUES ('x')");
        assert!(matches!(code, 2002 | 2003 | 2006 | 2013), "{family}: {code}");
        let [first, second] = &mut handles[..] else { unreachable!() };
        std::thread::scope(|scope| {
            // Its connection broke: it may be told so once.
            for handle in [first, second] {
                scope.spawn(move || {
                    if let Err(error) = handle.run("INSERT INTO t (v) VALUES ('b')") {
                        assert!(matches!(error.code, 2006 | 2013), "{error}");
                        handle.ok("INSERT INTO t (v) VALUES ('b')");
                    }
                    assert_eq!(handle.node(), 1);
                });
            }
            std::thread::sleep(Duration::from_millis(500));
            cluster.promote(1).unwrap();
        });
        assert_eq!(count(&cluster, 1, &format!("{schema}.t WHERE v IN ('b', 'x')")), "2", "{family}");
    }
}

#[test]
fn each_way_in_which_a_node_fails_has_its_outcome() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 2)).unwrap();
        let schema = database(&cluster, "ways", 20);
        let keys = format!(
            r#"{ROUND_ROBIN}, "failover": {{"strategy": "loop_before_master", "remember_failed": true}},
               "timeouts": {{"connect": 1000, "read": 1500}}, "discover": "read_only", "probe_ms": 500"#
        );
        let shop = Shop::new(&addresses(&cluster), &keys);
        let read = "SELECT COUNT(*) FROM t WHERE id <= 20";
        // A replica is killed: reads go on.
        let mut handle = warmed(&shop, &schema);
        cluster.kill(1).unwrap();
        for _ in 0..4 {
            assert_eq!((handle.value(read).as_str(), handle.node()), ("20", 2), "{family}: killed");
        }
        // It comes back: a connection of before is noticed, or the read runs once more.
        cluster.restart(1).unwrap();
        (0..4).for_each(|_| assert_eq!(handle.value(read), "20", "{family}: restarted"));
        // It shuts down in order.
        let mut handle = warmed(&shop, &schema);
        cluster.stop(1).unwrap();
        (0..4).for_each(|_| assert_eq!(handle.value(read), "20", "{family}: shut down"));
        cluster.restart(1).unwrap();
        // It is frozen: the read whose time is over is the program's to know; new handles go round it.
        let shop = Shop::new(&addresses(&cluster), &keys);
        let mut handle = warmed(&shop, &schema);
        cluster.freeze(1).unwrap();
        assert_eq!((handle.code(read), handle.node()), (2013, 1), "{family}: frozen");
        let mut new = shop.connect(Some(&schema));
        (0..4).for_each(|_| assert_eq!((new.value(read).as_str(), new.node()), ("20", 2), "{family}: frozen"));
        cluster.thaw(1).unwrap();
        // It takes no more connections.
        let shop = Shop::new(&addresses(&cluster), &keys);
        let most = cluster.sql(1, "SELECT @@GLOBAL.max_connections").unwrap().scalar().to_owned();
        cluster.sql(1, "SET GLOBAL max_connections = 10").unwrap();
        let direct = Shop::new(&[addresses(&cluster)[1].clone()], "");
        let mut held = Vec::new();
        while let Ok(mut one) = direct.try_connect(None, |_| ()) {
            if one.run("SELECT 1 FOR UPDATE").is_err() {
                break;
            }
            held.push(one);
            assert!(held.len() < 100, "{family}: no end of connections");
        }
        let mut new = shop.connect(Some(&schema));
        (0..4).for_each(|_| assert_eq!((new.value(read).as_str(), new.node()), ("20", 2), "{family}: too many"));
        drop(held);
        cluster.sql(1, &format!("SET GLOBAL max_connections = {most}")).unwrap();
        // The source is killed between two statements: the first may be lost, and is not sent again.
        let mut handle = warmed(&shop, &schema);
        handle.ok("INSERT INTO t (v) VALUES ('here')");
        cluster.kill(0).unwrap();
        let code = handle.code("INSERT INTO t (v) VALUES ('gone')");
        assert!(matches!(code, 2006 | 2013 | 2002 | 2003), "{family}: {code}");
        let code = handle.code("INSERT INTO t (v) VALUES ('gone')");
        assert!(matches!(code, 2002 | 2003), "{family}: {code}");
        cluster.restart(0).unwrap();
        handle.ok("INSERT INTO t (v) VALUES ('back')");
        assert_eq!(count(&cluster, 0, &format!("{schema}.t WHERE v = 'gone'")), "0", "{family}");
    }
}

#[test]
fn the_primary_of_a_group_takes_the_writes_of_running_programs() {
    if !families().contains(&Family::MySql) {
        return;
    }
    let cluster = Cluster::start(Spec::new(Family::MySql, 2)).unwrap();
    let schema = database(&cluster, "group", 0);
    let app = harness::APP_USER;
    cluster.sql(0, &format!("GRANT SELECT ON performance_schema.* TO '{app}'@'%'")).unwrap();
    cluster.wait_in_step().unwrap();
    group::form(&cluster);
    let keys = r#""discover": "group_replication", "probe_ms": 2000, "timeouts": {"connect": 1000, "read": 60000},
                  "failover": "loop_before_master", "wait_for_primary_ms": 60000, "consistency": "eventual""#;
    let shop = Shop::new(&addresses(&cluster), keys);
    let mut handle = shop.connect(Some(&schema));
    handle.ok("INSERT INTO t (v) VALUES ('a')");
    assert_eq!(handle.node(), 0);
    // The group gets another primary.
    let uuid = cluster.sql(1, "SELECT @@server_uuid").unwrap().scalar().to_owned();
    cluster.sql(0, &format!("SELECT group_replication_set_as_primary('{uuid}')")).unwrap();
    handle.ok("INSERT INTO t (v) VALUES ('b')");
    assert_eq!(handle.node(), 1, "{}", handle.decision());
    // It dies: the write waits for the next one.
    cluster.kill(1).unwrap();
    if let Err(error) = handle.run("INSERT INTO t (v) VALUES ('c')") {
        assert!(matches!(error.code, 2006 | 2013), "{error}");
        handle.ok("INSERT INTO t (v) VALUES ('c')");
    }
    let node = handle.node();
    assert_ne!(node, 1);
    assert_eq!(count(&cluster, node, &format!("{schema}.t")), "3");
}
