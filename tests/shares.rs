//! How many reads replicas serve under session consistency when they are some 50 ms late, and what that costs: ours beside the
//! two ways of mysqlnd_ms, in one run. Prints a table for each family (`make shares` runs it longer).
//!
//! The link of the replicas to their source goes through a proxy that holds back everything for 50 ms. Four programs write
//! a row of their own and read it twenty times, 5 ms apart; every read has to show the write. Round trips are counted by
//! proxies in front of the servers, without those of the writes.
//!
//! `SHARES_TIME`: seconds for each way, default 2.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "routed/lab.rs"]
mod lab;

use std::sync::Barrier;
use std::time::{Duration, Instant};

use harness::{Cluster, Family, Proxy, Spec, families};
use lab::{Address, Handle, Shop};
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::options::{Family as Library, TlsMode};
use mysqlclient_ms::session::{ConnectArgs, Environment, Session};

const WORKERS: usize = 4;
const READS: usize = 20;
const BETWEEN: Duration = Duration::from_millis(5);
const LATE: Duration = Duration::from_millis(50);

/// What a program does.
trait Program {
    fn write(&mut self, sql: &str);
    /// The value, and the node that gave it.
    fn read(&mut self, sql: &str) -> (String, usize);
}

impl Program for Handle {
    fn write(&mut self, sql: &str) {
        self.ok(sql);
    }

    fn read(&mut self, sql: &str) -> (String, usize) {
        let value = self.value(sql);
        (value, self.node())
    }
}

/// The plugin's check: each replica is asked for each read by the statement `check_for_gtid`, one after the other.
struct Checking {
    nodes: Vec<Handle>,
    family: Family,
    gtid: String,
    turn: usize,
}

impl Checking {
    fn new(at: &[Address], schema: &str, family: Family) -> Self {
        let connect = |(host, port): &Address| {
            let mut session = Session::new(Library::MySql);
            session.options().tls.mode = TlsMode::Disabled;
            session.options().get_server_public_key = true;
            let args = ConnectArgs {
                host: Some(host.clone().into_bytes()),
                port: *port,
                user: Some(harness::APP_USER.into()),
                password: Some(harness::APP_PASSWORD.into()),
                database: Some(schema.as_bytes().to_vec()),
                ..ConnectArgs::default()
            };
            block_on(session.connect_plain(args, &Environment::default())).unwrap();
            Handle { session }
        };
        Checking { nodes: at.iter().map(connect).collect(), family, gtid: String::new(), turn: 0 }
    }
}

impl Program for Checking {
    fn write(&mut self, sql: &str) {
        self.nodes[0].ok(sql);
        self.gtid = self.nodes[0].value(match self.family {
            Family::MySql => "SELECT @@GLOBAL.gtid_executed",
            Family::MariaDb => "SELECT @@GLOBAL.gtid_binlog_pos",
        });
    }

    fn read(&mut self, sql: &str) -> (String, usize) {
        let check = match self.family {
            Family::MySql => format!("SELECT GTID_SUBSET('{}', @@GLOBAL.gtid_executed)", self.gtid),
            Family::MariaDb => format!("SELECT MASTER_GTID_WAIT('{}', 0) = 0", self.gtid),
        };
        let replicas = 1..self.nodes.len();
        let good: Vec<usize> = replicas.filter(|node| self.nodes[*node].value(&check) == "1").collect();
        self.turn += 1;
        let node = if good.is_empty() { 0 } else { good[self.turn % good.len()] };
        (self.nodes[node].value(sql), node)
    }
}

#[derive(Debug)]
struct Measured {
    way: &'static str,
    reads: usize,
    on_replicas: usize,
    per_second: f64,
    round_trips: f64,
}

impl Measured {
    fn share(&self) -> f64 {
        100.0 * self.on_replicas as f64 / self.reads as f64
    }
}

fn measure(
    way: &'static str,
    proxies: &[Proxy],
    time: Duration,
    writes_cost: u64,
    make: &(dyn Fn() -> Box<dyn Program> + Sync),
) -> Measured {
    let (ready, go) = (Barrier::new(WORKERS + 1), Barrier::new(WORKERS + 1));
    let trips = || proxies.iter().map(|proxy| proxy.stats().round_trips).sum::<u64>();
    std::thread::scope(|scope| {
        let work = |worker: usize| {
            let (ready, go) = (&ready, &go);
            move || {
                let mut program = make();
                let read = format!("SELECT v FROM t WHERE id = {worker}");
                let mut value = 0;
                let (mut reads, mut on_replicas, mut writes) = (0, 0, 0u64);
                let mut cycle = |program: &mut Box<dyn Program>, counts: bool| {
                    value += 1;
                    program.write(&format!("UPDATE t SET v = {value} WHERE id = {worker}"));
                    for _ in 0..READS {
                        let (seen, node) = program.read(&read);
                        assert_eq!(seen, value.to_string(), "{way}: a read on node {node}");
                        if counts {
                            reads += 1;
                            on_replicas += usize::from(node != 0);
                        }
                        std::thread::sleep(BETWEEN);
                    }
                    writes += u64::from(counts);
                };
                // Opens all connections that it will have.
                (0..3).for_each(|_| cycle(&mut program, false));
                ready.wait();
                go.wait();
                let until = Instant::now() + time;
                while Instant::now() < until {
                    cycle(&mut program, true);
                }
                (reads, on_replicas, writes)
            }
        };
        let workers: Vec<_> = (0..WORKERS).map(|worker| scope.spawn(work(worker))).collect();
        ready.wait();
        let (before, began) = (trips(), Instant::now());
        go.wait();
        let (mut reads, mut on_replicas, mut writes) = (0, 0, 0);
        for worker in workers {
            let (more, on, written) = worker.join().unwrap();
            (reads, on_replicas, writes) = (reads + more, on_replicas + on, writes + written);
        }
        let spent = began.elapsed().as_secs_f64();
        let round_trips = (trips() - before) as f64 - (writes * writes_cost) as f64;
        Measured { way, reads, on_replicas, per_second: reads as f64 / spent, round_trips: round_trips / reads as f64 }
    })
}

/// Lets the replicas follow through the proxy.
fn follow_late(cluster: &Cluster, link: &Proxy) {
    let (host, port) = (link.host(), link.port());
    let (user, password) = (harness::REPL_USER, harness::REPL_PASSWORD);
    for node in 1..cluster.nodes().end {
        let text = match cluster.family() {
            Family::MariaDb => format!(
                "STOP SLAVE; CHANGE MASTER TO MASTER_HOST='{host}', MASTER_PORT={port}, MASTER_USER='{user}', \
                 MASTER_PASSWORD='{password}', MASTER_USE_GTID=slave_pos; START SLAVE"
            ),
            Family::MySql => format!(
                "STOP REPLICA; CHANGE REPLICATION SOURCE TO SOURCE_HOST='{host}', SOURCE_PORT={port}, \
                 SOURCE_USER='{user}', SOURCE_PASSWORD='{password}', SOURCE_AUTO_POSITION=1, \
                 GET_SOURCE_PUBLIC_KEY=1; START REPLICA"
            ),
        };
        cluster.sql(node, &text).unwrap();
    }
    cluster.sql(0, "CREATE DATABASE test_late").unwrap();
    cluster.wait_in_step().unwrap();
    link.delay(LATE);
}

#[test]
fn replicas_serve_reads_of_what_was_just_written() {
    let time = std::env::var("SHARES_TIME").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    let time = Duration::from_secs(time);
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 2).general_log(false)).unwrap();
        let rows: Vec<String> = (0..WORKERS).map(|worker| format!("({worker}, 0)")).collect();
        let insert = format!("INSERT INTO t VALUES {}", rows.join(","));
        let schema = lab::database(&cluster, "shares", &["CREATE TABLE t (id INT PRIMARY KEY, v INT)", &insert]);
        let proxies: Vec<Proxy> = lab::addresses(&cluster)
            .iter()
            .map(|(host, port)| Proxy::start(&format!("{host}:{port}")).unwrap())
            .collect();
        let at: Vec<Address> = proxies.iter().map(|proxy| (proxy.host(), proxy.port())).collect();
        let source = cluster.endpoint(0);
        let link = Proxy::start(&format!("{}:{}", source.host, source.port)).unwrap();
        follow_late(&cluster, &link);

        let routed = |way, keys: &str| {
            let shop = Shop::new(&at, keys);
            measure(way, &proxies, time, 1, &|| Box::new(shop.connect(Some(&schema))))
        };
        let ours = routed("session consistency", r#""consistency": "session", "filters": {"roundrobin": []}"#);
        let at_once = routed(
            "the same, not waiting",
            r#""consistency": {"level": "session", "wait_ms": 0}, "filters": {"roundrobin": []}"#,
        );
        let rule = routed(
            "the plugin's rule",
            r#""consistency": "eventual", "master_on_write": true, "filters": {"roundrobin": []}"#,
        );
        let check = measure("the plugin's check", &proxies, time, 2, &|| Box::new(Checking::new(&at, &schema, family)));

        println!("{family}, replicas {} ms late:", LATE.as_millis());
        println!("  {:<24}{:>8}{:>14}{:>10}{:>18}", "way", "reads", "on replicas", "reads/s", "round trips/read");
        for one in [&ours, &at_once, &rule, &check] {
            println!(
                "  {:<24}{:>8}{:>12.1} %{:>10.0}{:>18.2}",
                one.way,
                one.reads,
                one.share(),
                one.per_second,
                one.round_trips
            );
        }
        assert!(ours.on_replicas > rule.on_replicas, "{family}: {ours:?} {rule:?}");
        assert_eq!(rule.on_replicas, 0, "{family}");
        assert!(ours.round_trips < check.round_trips, "{family}: {ours:?} {check:?}");
        assert!(at_once.round_trips < check.round_trips, "{family}: {at_once:?} {check:?}");
    }
}
