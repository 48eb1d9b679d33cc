//! Reads that may be old, but not too old: replicas are left out while they are late, on real clusters of both families.
//!
//! A process of a test is this program again, with `LAG_JOB` set: see [`job`].
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "routed/lab.rs"]
mod lab;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use harness::{Cluster, Family, Proxy, Spec, families};
use lab::{Handle, Shop, addresses};
use mysqlclient_ms::cluster::Clusters;
use mysqlclient_ms::options::Family as Library;

const EVENTUAL: i32 = 2;
const AGE: i32 = 2;

fn cluster(family: Family, replicas: usize) -> Cluster {
    let cluster = Cluster::start(Spec::new(family, replicas).general_log(true)).unwrap();
    cluster.sql(0, "CREATE DATABASE test_lag").unwrap();
    cluster.sql(0, "CREATE TABLE test_lag.t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB").unwrap();
    cluster.sql(0, "INSERT INTO test_lag.t VALUES (1, 0)").unwrap();
    if family == Family::MySql {
        cluster.sql(0, "GRANT SELECT ON performance_schema.* TO app@'%'").unwrap();
    }
    cluster.wait_in_step().unwrap();
    cluster
}

/// A section whose reads are no older than two seconds, with a short time between measurements.
const LIMITED: &str =
    r#""consistency": {"level": "eventual", "max_lag_ms": 2000}, "lag": {"refresh_ms": 100}, "probe_ms": 2000"#;

/// Longer than that time.
fn pause() {
    std::thread::sleep(Duration::from_millis(150));
}

/// Nodes that reads go to, over some of them.
fn readers(handle: &mut Handle) -> Vec<usize> {
    let mut nodes: Vec<usize> = (0..6)
        .map(|_| {
            handle.ok("SELECT v FROM t");
            handle.node()
        })
        .collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

#[test]
fn a_replica_that_does_not_replicate_is_left_out_until_it_does() {
    for family in families() {
        let cluster = cluster(family, 2);
        let shop = Shop::new(&addresses(&cluster), &format!(r#"{LIMITED}, "filters": {{"roundrobin": []}}"#));
        let mut handle = shop.connect(Some("test_lag"));
        assert_eq!(readers(&mut handle), [1, 2], "{family}: {}", handle.decision());
        cluster.stop_applier(1).unwrap();
        pause();
        assert_eq!(readers(&mut handle), [2], "{family}: {}", handle.decision());
        cluster.stop_applier(2).unwrap();
        pause();
        assert_eq!(readers(&mut handle), [0], "{family}: {}", handle.decision());
        assert!(handle.decision().contains("so little behind"), "{}", handle.decision());
        cluster.start_applier(1).unwrap();
        cluster.start_applier(2).unwrap();
        pause();
        readers(&mut handle);
        assert_eq!(readers(&mut handle), [1, 2], "{family}: {}", handle.decision());
    }
}

#[test]
fn a_replica_that_is_late_is_left_out_while_it_is() {
    for family in families() {
        let cluster = cluster(family, 2);
        cluster.delay_applier(1, 6).unwrap();
        let shop = Shop::new(&addresses(&cluster), &format!(r#"{LIMITED}, "filters": {{"roundrobin": []}}"#));
        let mut handle = shop.connect(Some("test_lag"));
        // What waits for its time counts, whatever the appliers do.
        cluster.sql(0, "UPDATE test_lag.t SET v = 1").unwrap();
        let until = Instant::now() + Duration::from_millis(4500);
        std::thread::sleep(Duration::from_millis(2600));
        while Instant::now() < until {
            assert_eq!(readers(&mut handle), [2], "{family}: {}", handle.decision());
            pause();
        }
        handle.session.set_quality_by_number(EVENTUAL, AGE, Some(b"60")).unwrap();
        assert_eq!(readers(&mut handle), [1, 2], "{family}: {}", handle.decision());
        handle.session.set_quality_by_number(EVENTUAL, 0, None).unwrap();
        assert_eq!(readers(&mut handle), [1, 2], "{family}: {}", handle.decision());
    }
}

#[test]
fn a_dead_replica_means_the_source() {
    for family in families() {
        let cluster = cluster(family, 1);
        let shop = Shop::new(&addresses(&cluster), LIMITED);
        let mut handle = shop.connect(Some("test_lag"));
        assert_eq!(readers(&mut handle), [1], "{family}");
        cluster.kill(1).unwrap();
        pause();
        for _ in 0..3 {
            handle.ok("SELECT v FROM t");
            assert_eq!(handle.node(), 0, "{family}: {}", handle.decision());
        }
        let mut newcomer = shop.connect(Some("test_lag"));
        assert_eq!(readers(&mut newcomer), [0], "{family}: {}", newcomer.decision());
    }
}

#[test]
fn measuring_goes_ahead_of_a_read_and_costs_no_round_trip() {
    for family in families() {
        let cluster = cluster(family, 1);
        let at = addresses(&cluster);
        let proxy = Proxy::start(&format!("{}:{}", at[1].0, at[1].1)).unwrap();
        let shop = Shop::new(&[at[0].clone(), (proxy.host(), proxy.port())], LIMITED);
        let mut handle = shop.connect(Some("test_lag"));
        readers(&mut handle);
        for round in 0..5 {
            pause();
            let mark = cluster.log_mark(1).unwrap();
            proxy.reset_stats();
            handle.ok("SELECT v FROM t");
            assert_eq!((handle.node(), proxy.stats().round_trips), (1, 1), "{family} {round}: {}", handle.decision());
            let asked = cluster.general_log_since(1, &mark).unwrap();
            assert_eq!(asked.iter().filter(|entry| is_status(&entry.argument)).count(), 1, "{family}: {asked:?}");
            proxy.reset_stats();
            handle.ok("SELECT v FROM t");
            assert_eq!(proxy.stats().round_trips, 1, "{family}");
        }
    }
}

fn is_status(statement: &str) -> bool {
    statement.starts_with("SHOW ALL SLAVES")
        || statement.starts_with("SHOW REPLICA STATUS")
        || statement.contains("replication_applier_status")
}

#[test]
fn hints_that_carry_a_value_are_followed_where_they_are_allowed() {
    for family in families() {
        let cluster = cluster(family, 2);
        let keys =
            r#""consistency": "eventual", "hints": {"arguments": true}, "lag": {"refresh_ms": 100}, "probe_ms": 2000"#;
        let shop = Shop::new(&addresses(&cluster), keys);
        let mut handle = shop.connect(Some("test_lag"));
        for (name, node) in [("source", 0), ("r1", 1), ("r2", 2), ("r1", 1)] {
            handle.ok(&format!("/*ms=node:{name}*/ SELECT v FROM t"));
            assert_eq!(handle.node(), node, "{family}: {}", handle.decision());
        }
        handle.ok("/*ms=node:r1*/ UPDATE t SET v = 5");
        assert_eq!(handle.node(), 0, "{family}: a write stays a write");
        assert_eq!(handle.code("/*ms=node:r7*/ SELECT 1"), 2000);
        assert_eq!(handle.code("/*ms=max_lag:soon*/ SELECT 1"), 2000);
        handle.ok("BEGIN");
        handle.ok("/*ms=node:r1*/ SELECT v FROM t");
        assert_eq!(handle.node(), 0, "{family}: a transaction has its node");
        handle.ok("COMMIT");
        cluster.wait_in_step().unwrap();
        handle.ok("/*ms=max_lag:2000*/ SELECT v FROM t");
        assert_ne!(handle.node(), 0, "{family}: {}", handle.decision());
        cluster.stop_applier(1).unwrap();
        cluster.stop_applier(2).unwrap();
        pause();
        // One is asked; of the other it is known that it was in step a moment ago.
        handle.ok("/*ms=max_lag:2000*/ SELECT v FROM t");
        handle.ok("/*ms=max_lag:2000*/ SELECT v FROM t");
        assert_eq!(handle.node(), 0, "{family}: {}", handle.decision());
        handle.ok("SELECT v FROM t");
        assert_ne!(handle.node(), 0, "{family}: only that read");
        handle.ok("UPDATE t SET v = 6");
        let token = handle.session.token().unwrap();
        let mut other = shop.connect(Some("test_lag"));
        assert_eq!(other.value(&format!("/*ms=gtid:{token}*/ SELECT v FROM t")), "6", "{family}");
        assert_eq!(other.code("/*ms=gtid:nonsense*/ SELECT 1"), 2000);

        let strict = Shop::new(&addresses(&cluster), "");
        let mut handle = strict.connect(Some("test_lag"));
        for hint in ["node:r1", "max_lag:5", "gtid:0-1-1"] {
            assert_eq!(handle.code(&format!("/*ms={hint}*/ SELECT 1")), 2000, "{family} {hint}");
        }
    }
}

#[test]
fn an_account_that_may_not_ask_reads_from_the_source() {
    for family in families() {
        let cluster = cluster(family, 1);
        cluster.sql(0, "CREATE USER nobody@'%' IDENTIFIED BY 'nobody-pw'").unwrap();
        cluster.sql(0, "GRANT ALL ON test_lag.* TO nobody@'%'").unwrap();
        cluster.wait_in_step().unwrap();
        let at = addresses(&cluster);
        let account = r#""user": "nobody", "password": "nobody-pw""#;
        let nodes = [account, account];
        let shop = Shop::of(&Shop::text(&at, &nodes, LIMITED));
        let mut handle = shop.connect(Some("test_lag"));
        assert_eq!(readers(&mut handle), [0], "{family}: {}", handle.decision());
        // A heartbeat is a table like any other.
        cluster.sql(0, "CREATE TABLE test_lag.heartbeat (ts DATETIME(6))").unwrap();
        cluster.sql(0, "INSERT INTO test_lag.heartbeat VALUES (UTC_TIMESTAMP(6))").unwrap();
        cluster.wait_in_step().unwrap();
        let keys = LIMITED.replace(r#""refresh_ms": 100"#, r#""refresh_ms": 100, "heartbeat": "test_lag.heartbeat""#);
        let shop = Shop::of(&Shop::text(&at, &nodes, &keys));
        let mut handle = shop.connect(Some("test_lag"));
        handle.ok("SELECT v FROM t");
        assert_eq!(handle.node(), 1, "{family}: {}", handle.decision());
        std::thread::sleep(Duration::from_millis(2100));
        assert_eq!(readers(&mut handle), [0], "{family}: the heart has stopped: {}", handle.decision());
    }
}

/// Reads for three seconds, with pauses; prints how many of them a replica answered.
#[test]
fn job() {
    if std::env::var_os("LAG_JOB").is_none() {
        return;
    }
    let clusters = Clusters::new(std::env::vars_os(), false);
    let mut handle = Shop::connect_to(&clusters, Library::MySql, Some("test_lag"), |_| ()).unwrap();
    let until = Instant::now() + Duration::from_secs(3);
    let (mut reads, mut elsewhere) = (0, 0);
    while Instant::now() < until {
        handle.ok("SELECT v FROM t");
        reads += 1;
        elsewhere += u32::from(handle.node() != 0);
        std::thread::sleep(Duration::from_millis(20));
    }
    println!("job: {reads} {elsewhere}");
}

#[test]
fn a_node_is_asked_once_in_each_interval_however_many_processes_read() {
    for family in families() {
        let cluster = cluster(family, 2);
        let keys = r#""consistency": {"level": "eventual", "max_lag_ms": 5000}, "lag": {"refresh_ms": 500}, "probe_ms": 5000,
            "filters": {"roundrobin": []}"#;
        for processes in [1, 10, 100] {
            let shop = Shop::new(&addresses(&cluster), keys);
            let marks: Vec<_> = [1, 2].map(|node| cluster.log_mark(node).unwrap()).into();
            let began = Instant::now();
            let children: Vec<_> = (0..processes)
                .map(|_| {
                    Command::new(std::env::current_exe().unwrap())
                        .args(["--exact", "job", "--nocapture", "--quiet"])
                        .envs(Shop::environment(&shop.file))
                        .env("LAG_JOB", "1")
                        .stdout(Stdio::piped())
                        .spawn()
                        .unwrap()
                })
                .collect();
            let (mut reads, mut elsewhere) = (0, 0);
            for child in children {
                let output = child.wait_with_output().unwrap();
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                assert!(output.status.success(), "{text}");
                let said = text.lines().find_map(|line| line.split_once("job: ")).unwrap().1;
                let mut numbers = said.split(' ').map(|number| number.parse::<u32>().unwrap());
                reads += numbers.next().unwrap();
                elsewhere += numbers.next().unwrap();
            }
            let intervals = began.elapsed().as_millis().div_ceil(500) as usize + 1;
            for (node, mark) in [1, 2].into_iter().zip(&marks) {
                let entries = cluster.general_log_since(node, mark).unwrap();
                let asked = entries.iter().filter(|entry| is_status(&entry.argument)).count();
                println!(
                    "{family}: {processes} processes, {reads} reads, {elsewhere} on replicas, node {node} asked {asked} times in {intervals} intervals"
                );
                assert!(
                    asked <= intervals + intervals / 10,
                    "{family}: {processes} processes asked node {node} {asked} times in {intervals} intervals"
                );
                assert!(asked >= 3, "{family}: {asked}");
            }
            assert!(elsewhere * 10 >= reads * 9, "{family}: {elsewhere} of {reads} reads on replicas");
        }
    }
}
