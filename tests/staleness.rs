//! Do reads see what was written, as promised, while replicas are paused, delayed, frozen, killed and promoted at random?
//!
//! Unchanged programs in C, Perl and Python, preloaded, write counters and read them back: by the same handle, by another
//! handle of the process, by another process of the host, and by a token ([`tests/staleness`](staleness)). A read that shows less
//! than was acknowledged, or more than was ever written, is a violation. Reads of what others write are followed, too: by one
//! handle ("forward") and by several under the scope host ("onward"); one that shows less than the one before is a violation. In the same run the guarantee is switched off, and
//! the programs have to find violations: otherwise they would prove nothing.
//!
//! `STALENESS_TIME` (seconds for each family, default 10) and `STALENESS_SEED`; `make consistency` runs it until 100,000 reads.
//! `STALENESS_LOG`: a folder for the programs' decision logs.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use harness::{Cluster, Family, Spec, families, library};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Workers of each language.
const EACH: usize = 2;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/staleness").join(name)
}

fn c_worker(folder: &Path) -> PathBuf {
    let program = folder.join("worker");
    let flags = Command::new("mariadb_config").args(["--include", "--libs"]).output().unwrap();
    let flags = String::from_utf8(flags.stdout).unwrap();
    let built = Command::new("cc")
        .args(["-O1", "-Wall", "-Werror", "-o"])
        .arg(&program)
        .arg(source("worker.c"))
        .args(flags.split_whitespace())
        .arg("-ldl")
        .status();
    assert!(built.unwrap().success());
    program
}

/// Sections over the same nodes: one for each scope, and two whose reads do not go back in time.
fn configuration(cluster: &Cluster, promised: bool) -> String {
    let node = |n: usize| {
        let at = cluster.endpoint(n);
        format!(r#"{{"host": "{}", "port": {}}}"#, at.host, at.port)
    };
    let section = |name: &str| {
        let level = if promised { "session" } else { "eventual" };
        let (scope, monotonic) = match name {
            "forward" => ("handle", promised),
            "onward" => ("host", promised),
            scope => (scope, false),
        };
        format!(
            r#""{name}": {{"master": {{"n0": {}}}, "slave": {{"n1": {}, "n2": {}}},
                "discover": "read_only", "probe_ms": 1000, "wait_for_primary_ms": 10000,
                "failover": {{"strategy": "loop_before_master", "remember_failed": true}},
                "timeouts": {{"connect": 2000, "read": 10000, "write": 10000}}, "filters": {{"roundrobin": []}},
                "consistency": {{"level": "{level}", "scope": "{scope}", "wait_ms": 50, "monotonic": {monotonic}}}}}"#,
            node(0),
            node(1),
            node(2)
        )
    };
    format!("{{{}}}", ["handle", "process", "host", "forward", "onward"].map(section).join(","))
}

/// Where a program logs its decisions, if that is wanted.
fn log_of(id: usize) -> Option<(&'static str, PathBuf)> {
    let folder = std::env::var_os("STALENESS_LOG")?;
    Some(("MYSQLND_MS_LOG", Path::new(&folder).join(format!("{id}.log"))))
}

fn start(command: &mut Command, config: &Path, id: usize, seconds: u64) -> Child {
    command
        .args([&id.to_string(), &seconds.to_string(), harness::APP_USER, harness::APP_PASSWORD, "test_stale"])
        .env("LD_PRELOAD", library())
        .env("MYSQLND_MS_ENABLE", "1")
        .env("MYSQLND_MS_CONFIG_FILE", config)
        .env("XDG_RUNTIME_DIR", config.parent().unwrap())
        .envs(log_of(id))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What happens to the replicas meanwhile. Nothing that was acknowledged gets lost: a promotion waits for it.
fn disturb(cluster: &Cluster, random: &mut SmallRng, gently: bool, over: &AtomicBool) -> Vec<String> {
    let mut done = Vec::new();
    let pause = |random: &mut SmallRng, from: u64, to: u64| {
        let until = Instant::now() + Duration::from_millis(random.random_range(from..to));
        while Instant::now() < until && !over.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    while !over.load(Ordering::Relaxed) {
        let replicas: Vec<usize> = cluster.nodes().filter(|n| *n != cluster.primary()).collect();
        let node = replicas[random.random_range(0..replicas.len())];
        let what = random.random_range(0..if gently { 2 } else { 5 });
        done.push(format!("{} of {node}", ["pause", "delay", "freeze", "kill", "promotion"][what]));
        match what {
            0 => {
                cluster.stop_applier(node).unwrap();
                pause(random, 100, 600);
                cluster.start_applier(node).unwrap();
            }
            1 => {
                cluster.delay_applier(node, 1).unwrap();
                pause(random, 500, 1500);
                cluster.delay_applier(node, 0).unwrap();
            }
            2 => {
                cluster.freeze(node).unwrap();
                pause(random, 100, 400);
                cluster.thaw(node).unwrap();
            }
            3 => {
                cluster.kill(node).unwrap();
                pause(random, 50, 300);
                cluster.restart(node).unwrap();
            }
            _ => {
                cluster.wait_in_step().unwrap();
                cluster.promote(node).unwrap();
            }
        }
        pause(random, 50, 300);
    }
    done
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    reads: u64,
    violations: u64,
    errors: u64,
}

/// Lets the programs run; what they counted, by way of reading, and their words on violations.
fn run(
    cluster: &Cluster,
    seconds: u64,
    seed: u64,
    promised: bool,
    first: usize,
) -> (BTreeMap<String, Count>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("cluster.json");
    std::fs::write(&config, configuration(cluster, promised)).unwrap();
    std::fs::set_permissions(&config, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let worker = c_worker(folder.path());
    let mut children = Vec::new();
    for id in first..first + EACH {
        let mut python = Command::new("/usr/bin/python3");
        children.push(start(python.arg(source("worker.py")), &config, id * 3, seconds));
        let mut perl = Command::new("/usr/bin/perl");
        children.push(start(perl.arg(source("worker.pl")), &config, id * 3 + 1, seconds));
        children.push(start(&mut Command::new(&worker), &config, id * 3 + 2, seconds));
    }
    let over = AtomicBool::new(false);
    let mut random = SmallRng::seed_from_u64(seed);
    let (outputs, done) = std::thread::scope(|scope| {
        let disturbing = scope.spawn(|| disturb(cluster, &mut random, !promised, &over));
        let outputs: Vec<_> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
        over.store(true, Ordering::Relaxed);
        (outputs, disturbing.join().unwrap())
    });
    let (mut counts, mut words) = (BTreeMap::<String, Count>::new(), Vec::new());
    for output in outputs {
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{:?} {text}{}", output.status, String::from_utf8_lossy(&output.stderr));
        for line in text.lines() {
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["way", way, reads, violations, errors] => {
                    let count = counts.entry(way.to_owned()).or_default();
                    count.reads += reads.parse::<u64>().unwrap();
                    count.violations += violations.parse::<u64>().unwrap();
                    count.errors += errors.parse::<u64>().unwrap();
                }
                ["note", ..] => println!("{line}"),
                _ => words.push(line.to_owned()),
            }
        }
    }
    println!("disturbed by: {}", done.join(", "));
    (counts, words)
}

fn cluster(family: Family) -> Cluster {
    let cluster = Cluster::start(Spec::new(family, 2).general_log(true)).unwrap();
    cluster.sql(0, "CREATE DATABASE test_stale").unwrap();
    cluster.sql(0, "CREATE TABLE test_stale.seen (id INT PRIMARY KEY, n BIGINT NOT NULL) ENGINE=InnoDB").unwrap();
    let rows: Vec<String> = (0..700).map(|id| format!("({id}, 0)")).collect();
    cluster.sql(0, &format!("INSERT INTO test_stale.seen VALUES {}", rows.join(","))).unwrap();
    cluster.wait_in_step().unwrap();
    cluster
}

#[test]
fn every_promised_read_shows_what_was_written() {
    let seconds = number("STALENESS_TIME", 10);
    let wanted = number("STALENESS_READS", 0);
    let seed = number("STALENESS_SEED", u64::from(std::process::id()));
    println!("STALENESS_SEED={seed}");
    for family in families() {
        let cluster = cluster(family);
        // Switched off: the same programs find what is stale.
        let (counts, words) = run(&cluster, 5, seed, false, 0);
        let violations: u64 = counts.values().map(|count| count.violations).sum();
        println!("{family}, nothing promised: {counts:?}; for instance {:?}", words.first());
        assert!(violations > 0, "{family}: nothing was stale without a promise: the run proves nothing");
        for way in ["forward", "onward"] {
            assert!(counts[way].violations > 0, "{family}: no read went back in time without a promise: {counts:?}");
        }
        cluster.wait_in_step().unwrap();

        let (mut total, mut round) = (BTreeMap::<String, Count>::new(), 1);
        loop {
            let first = 4 + (round % 8) as usize * EACH;
            cluster.sql(cluster.primary(), "UPDATE test_stale.seen SET n = 0").unwrap();
            cluster.wait_in_step().unwrap();
            let marks: Vec<_> = cluster.nodes().map(|n| cluster.log_mark(n).unwrap()).collect();
            let (counts, words) = run(&cluster, seconds, seed.wrapping_add(round), true, first);
            println!("{family}, promised: {counts:?}");
            let reads: Vec<usize> = cluster
                .nodes()
                .map(|n| {
                    let entries = cluster.general_log_since(n, &marks[n]).unwrap();
                    entries.iter().filter(|entry| entry.argument.starts_with("SELECT n FROM seen")).count()
                })
                .collect();
            println!("{family}: reads by node {reads:?}, the source is now {}", cluster.primary());
            assert_eq!(words, Vec::<String>::new(), "{family} STALENESS_SEED={seed} round {round}");
            for (way, count) in counts {
                assert!(count.reads > 0, "{family} {way}: {count:?}");
                assert_eq!(count.violations, 0, "{family} {way}: {count:?}");
                let sum = total.entry(way).or_default();
                sum.reads += count.reads;
                sum.errors += count.errors;
            }
            round += 1;
            if total.values().map(|count| count.reads).sum::<u64>() >= wanted {
                break;
            }
        }
        let reads: u64 = total.values().map(|count| count.reads).sum();
        println!("{family}: {reads} promised reads without a violation: {total:?}");
        assert_eq!(total.len(), 6, "{family}: {total:?}");
    }
}
