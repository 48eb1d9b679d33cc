//! What processes tell each other by the board: real processes, real servers; and what happens to the board itself.
//!
//! A process of a test is this program again, with `BOARD_JOB` set: see [`job`].
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "routed/lab.rs"]
mod lab;

use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use harness::{Cluster, Family, Proxy, Spec, families};
use lab::{Shop, addresses};
use mysqlclient_ms::cluster::Clusters;
use mysqlclient_ms::cluster::config::Section;
use mysqlclient_ms::cluster::lag::Lag;
use mysqlclient_ms::cluster::roles::Verdict;
use mysqlclient_ms::cluster::topology::{NodeId, NodeSet};
use mysqlclient_ms::env::{Clock, Random, SystemClock, SystemRandom};
use mysqlclient_ms::options::Family as Library;

fn section(clusters: &Clusters) -> Arc<Section> {
    Arc::clone(clusters.snapshot(SystemClock.now()).unwrap().config.section("shop").unwrap())
}

fn board(shop: &Shop) -> PathBuf {
    let section = section(&shop.elsewhere());
    section.board.exchange(&section, SystemClock.now());
    section.board.path().unwrap()
}

fn start(shop: &Shop, job: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "job", "--nocapture", "--quiet"])
        .envs(Shop::environment(&shop.file))
        .env("BOARD_JOB", job)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What a process printed behind its mark; panics if it failed.
fn end(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text.lines().find_map(|line| line.split_once("job: ")).map(|(_, said)| said.to_owned()).unwrap_or_default()
}

/// What a process does that [`start`] started; without `BOARD_JOB` nothing.
#[test]
fn job() {
    let Ok(job) = std::env::var("BOARD_JOB") else { return };
    let clusters = Clusters::new(std::env::vars_os(), false);
    let connect = || Shop::connect_to(&clusters, Library::MySql, Some("test_board"), |_| ()).unwrap();
    match job.as_str() {
        "hammer" => hammer(&section(&clusters)),
        "read" => {
            let mut handle = connect();
            let value = handle.value("SELECT v FROM t WHERE id = 1");
            println!("job: {value} from node {}", handle.node());
        }
        other => {
            let mut handle = connect();
            handle.ok(other);
            println!("job: done on node {}", handle.node());
        }
    }
}

/// Tells and hears whatever there is, as fast as it can, for a second.
fn hammer(section: &Section) {
    let mut random = SystemRandom::new();
    let until = Instant::now() + Duration::from_secs(1);
    let mut rounds = 0;
    while Instant::now() < until {
        let now = SystemClock.now();
        let node = NodeId::new(1 + random.below(2)).unwrap();
        match random.below(4) {
            0 => section.health.failed(node, 2003, now),
            1 => drop(section.health.well(node, now)),
            2 => drop(section.balance.next(
                mysqlclient_ms::cluster::topology::Role::Replica,
                section.replicas,
                section.replicas,
            )),
            _ => drop(section.board.claim(section, node, now, Duration::from_millis(10))),
        }
        section.board.exchange(section, now);
        assert_eq!(section.sources_now().iter().map(NodeId::index).collect::<Vec<_>>(), [0]);
        rounds += 1;
    }
    assert!(rounds > 0);
    println!("job: {rounds} rounds");
}

/// A cluster with a table, and a configuration for it.
fn cluster(family: Family, replicas: usize) -> Cluster {
    let cluster = Cluster::start(Spec::new(family, replicas)).unwrap();
    cluster.sql(0, "CREATE DATABASE test_board").unwrap();
    cluster.sql(0, "CREATE TABLE test_board.t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB").unwrap();
    cluster.sql(0, "INSERT INTO test_board.t VALUES (1, 0)").unwrap();
    cluster.wait_in_step().unwrap();
    cluster
}

/// A configuration whose servers nobody connects to.
fn without_servers() -> Shop {
    let nobody: Vec<_> = (1..4).map(|port| ("127.0.0.1".to_owned(), port)).collect();
    Shop::new(&nobody, r#""filters": {"roundrobin": []}"#)
}

#[test]
fn a_hundred_processes_garbage_and_sudden_death_leave_a_usable_board() {
    let shop = without_servers();
    let path = board(&shop);
    let mut random = SystemRandom::new();
    let mut processes: Vec<Child> = (0..100).map(|_| start(&shop, "hammer")).collect();
    let until = Instant::now() + Duration::from_secs(3);
    let (mut killed, mut spoilt) = (0, 0);
    while Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
        if random.below(2) == 0 && killed < 30 {
            // The first ones are there the longest.
            let mut victim = processes.remove(random.below(processes.len()));
            victim.kill().unwrap();
            victim.wait().unwrap();
            killed += 1;
        }
        let Ok(file) = std::fs::File::options().write(true).open(&path) else { continue };
        spoilt += 1;
        match random.below(4) {
            0 => file.write_all_at(&random.next().to_le_bytes(), random.below(600) as u64).unwrap(),
            1 => file.set_len(random.below(2000) as u64).unwrap(),
            2 => file.set_len(0).unwrap(),
            _ => std::fs::remove_file(&path).unwrap(),
        }
    }
    assert!(killed > 0 && spoilt > 0);
    for process in processes {
        assert!(end(process).ends_with("rounds"));
    }
    // What one says now, another hears.
    let (one, other) = (section(&shop.elsewhere()), section(&shop.elsewhere()));
    let node = NodeId::new(1).unwrap();
    one.health.failed(node, 2003, SystemClock.now());
    assert!(one.board.publish(&one, SystemClock.now()));
    assert!(other.board.listen(&other, SystemClock.now()).is_some());
    assert!(other.health.failed_nodes(SystemClock.now()).contains(node));
}

#[test]
fn a_full_file_system_or_a_foreign_folder_means_no_board() {
    let shop = without_servers();
    let folder = tempfile::tempdir().unwrap();
    let full = folder.path().join("full");
    std::fs::create_dir(&full).unwrap();
    let mount = |arguments: &[&str]| Command::new("mount").args(arguments).output().is_ok_and(|it| it.status.success());
    // Eight kilobytes are less than a board.
    let mounted = mount(&["-t", "tmpfs", "-o", "size=8k,mode=0700", "tmpfs", full.to_str().unwrap()]);
    let text = std::fs::read_to_string(&shop.file).unwrap();
    let with = |folder: &Path| {
        let shop =
            Shop::of(&text.replace(r#""filters""#, &format!(r#""board_dir": "{}", "filters""#, folder.display())));
        let one = section(&shop.clusters);
        one.health.failed(NodeId::new(1).unwrap(), 2003, SystemClock.now());
        one.board.exchange(&one, SystemClock.now());
        let other = section(&shop.elsewhere());
        let heard = other.board.listen(&other, SystemClock.now()).is_some();
        (one.board.publish(&one, SystemClock.now()), heard)
    };
    if mounted {
        assert_eq!(with(&full), (false, false));
        assert!(Command::new("umount").arg(&full).status().unwrap().success());
    } else {
        eprintln!("no tmpfs can be mounted here: a full file system was not tried");
    }
    assert_eq!(with(Path::new("/proc/nowhere")), (false, false));
    assert_eq!(with(&folder.path().join("fresh")), (true, true));
}

#[test]
fn status_shows_what_is_on_the_board() {
    let shop = without_servers();
    let status = |format: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_mysqlclient-ms"))
            .args(["status", "--config", shop.file.to_str().unwrap()])
            .args(format)
            .envs(Shop::environment(&shop.file))
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(status(&[]).ends_with("board: none\n"));
    let section = section(&shop.clusters);
    section.health.failed(NodeId::new(1).unwrap(), 2003, SystemClock.now());
    section.lag.measured(NodeId::new(2).unwrap(), Lag::Behind(Duration::from_millis(40)), SystemClock.now());
    section.board.exchange(&section, SystemClock.now());
    let told = status(&[]);
    let path = section.board.path().unwrap();
    assert!(told.contains(&format!("board: {}\n  r1: failed with 2003, left alone for ", path.display())), "{told}");
    assert!(told.contains("\n  r2: lag 40 ms ("), "{told}");
    let json: serde_json::Value = serde_json::from_str(&status(&["--json"])).unwrap();
    let nodes = &json[0]["board"]["nodes"];
    assert_eq!((&nodes[1]["failed_errno"], &nodes[2]["lag_ms"]), (&2003.into(), &40.into()), "{json}");
}

#[test]
fn programs_with_one_statement_rotate() {
    for family in families() {
        let cluster = cluster(family, 2);
        let shop = Shop::new(&addresses(&cluster), r#""filters": {"roundrobin": []}"#);
        let said: Vec<String> = (0..6).map(|_| end(start(&shop, "read"))).collect();
        let expected: Vec<String> = (0..6).map(|turn| format!("0 from node {}", 1 + turn % 2)).collect();
        assert_eq!(said, expected, "{family}");
    }
}

#[test]
fn a_dead_replica_is_found_by_one_process_for_all() {
    for family in families() {
        let cluster = cluster(family, 2);
        let mut at = addresses(&cluster);
        let proxy = Proxy::start(&format!("{}:{}", at[1].0, at[1].1)).unwrap();
        at[1] = (proxy.host(), proxy.port());
        let keys =
            r#""failover": {"strategy": "loop_before_master", "remember_failed": true}, "filters": {"roundrobin": []}"#;
        let shop = Shop::new(&at, keys);
        proxy.reject();
        assert_eq!(end(start(&shop, "read")), "0 from node 2", "{family}");
        proxy.pass().unwrap();
        proxy.reset_stats();
        for _ in 0..4 {
            assert_eq!(end(start(&shop, "read")), "0 from node 2", "{family}");
        }
        assert_eq!(proxy.stats().connections, 0, "{family}: nobody else has tried it");
    }
}

#[test]
fn the_host_scope_shows_the_writes_of_other_processes() {
    for family in families() {
        let cluster = cluster(family, 1);
        let shop = Shop::new(&addresses(&cluster), r#""consistency": {"scope": "host", "wait_ms": 50}"#);
        let mut handle = shop.connect(Some("test_board"));
        assert_eq!(handle.value("SELECT v FROM t"), "0");
        assert_eq!(handle.node(), 0, "{family}: what was written before the board was made, the source knows");
        assert_eq!(handle.value("SELECT v FROM t"), "0");
        assert_eq!(handle.node(), 1, "{family}: {}", handle.decision());
        cluster.stop_applier(1).unwrap();
        for value in 1..6 {
            assert_eq!(end(start(&shop, &format!("UPDATE t SET v = {value}"))), "done on node 0", "{family}");
            assert_eq!(handle.value("SELECT v FROM t"), value.to_string(), "{family}");
            assert_eq!(end(start(&shop, "read")), format!("{value} from node 0"), "{family}");
        }
        // Whoever destroys the board destroys no promise of those who knew it.
        end(start(&shop, "UPDATE t SET v = 100"));
        std::fs::File::options().write(true).open(board(&shop)).unwrap().write_all_at(&[7; 100], 0).unwrap();
        assert_eq!(handle.value("SELECT v FROM t"), "100", "{family}");
        cluster.start_applier(1).unwrap();
        cluster.wait_in_step().unwrap();
        std::thread::sleep(mysqlclient_ms::cluster::progress::PAUSE);
        assert_eq!(handle.value("SELECT v FROM t"), "100", "{family}: the source, where the loss is noticed");
        assert_eq!(handle.value("SELECT v FROM t"), "100", "{family}");
        assert_eq!(handle.node(), 1, "{family}: {}", handle.decision());
    }
}

#[test]
fn a_former_source_does_not_answer_for_what_others_wrote_to_the_new_one() {
    for family in families() {
        let cluster = cluster(family, 1);
        let keys = r#""consistency": {"scope": "host", "wait_ms": 20}, "discover": "read_only", "probe_ms": 2000"#;
        let shop = Shop::new(&addresses(&cluster), keys);
        let mut handle = shop.connect(Some("test_board"));
        handle.ok("UPDATE t SET v = 1");
        cluster.wait_in_step().unwrap();
        assert_eq!(handle.value("SELECT v FROM t"), "1");
        cluster.promote(1).unwrap();
        cluster.stop_applier(0).unwrap();
        // This handle has heard of no promotion; the other process finds it out, and writes.
        assert_eq!(end(start(&shop, "UPDATE t SET v = 2")), "done on node 1", "{family}");
        assert_eq!(handle.value("SELECT v FROM t"), "2", "{family}: {}", handle.decision());
        assert_eq!(handle.node(), 1, "{family}");
    }
}

#[test]
fn without_a_board_the_host_scope_reads_from_the_source() {
    for family in families() {
        let cluster = cluster(family, 1);
        let shop = Shop::new(&addresses(&cluster), r#""consistency": {"scope": "host"}, "board_dir": """#);
        let mut handle = shop.connect(Some("test_board"));
        end(start(&shop, "UPDATE t SET v = 1"));
        assert_eq!(handle.value("SELECT v FROM t"), "1");
        assert_eq!(handle.node(), 0, "{family}: {}", handle.decision());
    }
}

#[test]
fn a_board_that_lies_about_roles_moves_no_write() {
    for family in families() {
        let cluster = cluster(family, 2);
        let shop = Shop::new(&addresses(&cluster), r#""discover": "read_only""#);
        let mut handle = shop.connect(Some("test_board"));
        handle.ok("UPDATE t SET v = 1");
        let liar = section(&shop.elsewhere());
        let set = |nodes: &[usize]| -> NodeSet { nodes.iter().filter_map(|node| NodeId::new(*node)).collect() };
        assert!(liar.roles.begin(SystemClock.now(), Duration::from_secs(1)));
        liar.roles.learn(&Verdict { sources: set(&[1]), replicas: set(&[0, 2]), missing: NodeSet::EMPTY, torn: false });
        liar.roles.done(SystemClock.now());
        liar.board.exchange(&liar, SystemClock.now());
        std::thread::sleep(Duration::from_millis(150));
        for value in 2..6 {
            handle.ok(&format!("UPDATE t SET v = {value}"));
            assert_eq!(handle.node(), 0, "{family}");
        }
        let mut other = Shop::connect_to(&shop.elsewhere(), Library::MySql, Some("test_board"), |_| ()).unwrap();
        other.ok("UPDATE t SET v = 7");
        assert_eq!(other.node(), 0, "{family}");
    }
}

#[test]
fn a_promotion_that_one_process_learned_is_a_reason_for_the_others_to_ask() {
    for family in families() {
        let cluster = cluster(family, 2);
        let shop = Shop::new(&addresses(&cluster), r#""discover": "read_only", "probe_ms": 1000"#);
        let (mut one, other) = (shop.connect(Some("test_board")), shop.elsewhere());
        let mut other = Shop::connect_to(&other, Library::MySql, Some("test_board"), |_| ()).unwrap();
        one.ok("UPDATE t SET v = 1");
        other.ok("UPDATE t SET v = 2");
        cluster.promote(1).unwrap();
        one.ok("UPDATE t SET v = 3");
        assert_eq!(one.node(), 1, "{family}");
        std::thread::sleep(Duration::from_millis(150));
        // Not even a read goes by the old roles.
        other.ok("/*ms=master*/ SELECT v FROM t");
        assert_eq!(other.node(), 1, "{family}: {}", other.decision());
    }
}
