//! Programs of ours in Perl, Python and Ruby, which mark their statements (README.md), and sysbench: where did each
//! statement run?
//!
//! `MS_SYSBENCH_SECONDS` (default 4) is the length of one sysbench run; the Makefile has a target that takes 60.

use crate::logs::{asks, listed, marks, seen, set_up};
use crate::running::{configure, finish, plain, routed};
use harness::{Cluster, Family, LogEntry, LogMark, Spec};
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many connections each program opens one after the other.
const HANDLES: &str = "6";

/// A cluster with the tables the programs use, on every node.
struct Shop {
    cluster: Cluster,
    config: PathBuf,
}

impl Shop {
    fn open(family: Family) -> Shop {
        let cluster = Cluster::start(Spec::new(family, 2)).unwrap();
        cluster.sql(0, "CREATE TABLE test.real_read (id INT PRIMARY KEY, v VARCHAR(40)) ENGINE=InnoDB").unwrap();
        cluster
            .sql(
                0,
                "CREATE TABLE test.real_write (id INT AUTO_INCREMENT PRIMARY KEY, tag VARCHAR(20), n INT, KEY (tag)) \
                 ENGINE=InnoDB",
            )
            .unwrap();
        let rows: Vec<String> = (1..=100).map(|id| format!("({id}, 'value {id} \u{20ac}')")).collect();
        cluster.sql(0, &format!("INSERT INTO test.real_read VALUES {}", rows.join(","))).unwrap();
        cluster.wait_in_step().unwrap();
        let config = configure(&cluster, cluster.folder());
        Shop { cluster, config }
    }

    fn routed(&self, program: &str) -> Command {
        routed(program, &self.config)
    }

    fn marks(&self) -> Vec<LogMark> {
        marks(&self.cluster)
    }

    fn seen(&self, marks: &[LogMark]) -> Vec<Vec<LogEntry>> {
        seen(&self.cluster, harness::APP_USER, marks)
    }
}

fn script(mut command: Command, name: &str, cluster: &Cluster) -> Command {
    let at = cluster.endpoint(0);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real_programs").join(name));
    command.args([
        &at.host,
        &at.port.to_string(),
        harness::APP_USER,
        harness::APP_PASSWORD,
        harness::DATABASE,
        HANDLES,
    ]);
    command
}

fn marked<'a>(entries: &'a [LogEntry], mark: &str) -> Vec<&'a LogEntry> {
    let end = format!("/* {mark} */");
    entries.iter().filter(|entry| entry.command == "Query" && entry.argument.trim_end().ends_with(&end)).collect()
}

/// The number behind `key=` in a program's last line.
fn count(out: &str, key: &str) -> usize {
    let last = out.lines().last().unwrap();
    let found = last.split(' ').find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
    found.unwrap_or_else(|| panic!("no {key} in {last:?}")).parse().unwrap()
}

/// Runs a script without and with the library; same output, and the logs as they must be.
fn judge_script(shop: &Shop, interpreter: &str, name: &str) {
    let family = shop.cluster.family();
    let what = format!("{name} on {family}");
    shop.cluster.sql(0, "TRUNCATE TABLE test.real_write").unwrap();
    let marks = shop.marks();
    let (alone, alone_err) = finish(script(plain(interpreter), name, &shop.cluster), &what);
    let (reads, writes, steps) = (count(&alone, "reads"), count(&alone, "writes"), count(&alone, "transactions"));
    let seen = shop.seen(&marks);
    assert_eq!(marked(&seen[0], "r").len(), reads, "{what}, alone: its marks reach the log");
    assert!(seen[1].is_empty() && seen[2].is_empty(), "{what}, alone: only the primary is used");
    if std::env::var_os("MS_ORIGINALS_ONLY").is_some() {
        return;
    }
    shop.cluster.sql(0, "TRUNCATE TABLE test.real_write").unwrap();
    shop.cluster.wait_in_step().unwrap();
    let marks = shop.marks();
    let (out, err) = finish(script(shop.routed(interpreter), name, &shop.cluster), &what);
    assert_eq!(out, alone, "{what}: the program shows the same with the library");
    assert_eq!(err, alone_err, "{what}: nothing is written to its standard error");
    let seen = shop.seen(&marks);
    for (mark, sent) in [("w", writes), ("t", steps)] {
        assert_eq!(marked(&seen[0], mark).len(), sent, "{what}: every /* {mark} */ is on the primary, once");
    }
    let on: Vec<usize> = seen.iter().map(|entries| marked(entries, "r").len()).collect();
    // A read that met a replica which is not yet as far as the session's writes is asked once more elsewhere.
    let asked = |entries: &Vec<LogEntry>| entries.iter().filter(|e| asks(&e.argument.to_ascii_uppercase())).count();
    let questions: usize = seen.iter().map(asked).sum();
    let total = on.iter().sum::<usize>();
    assert!((reads..=reads + questions).contains(&total), "{what}: {reads} reads, {questions} questions: {on:?}");
    assert!((on[1] + on[2]) * 20 >= reads * 19, "{what}: at least 95 % of {reads} reads are on replicas: {on:?}");
    assert!(on[1] > reads / 5 && on[2] > reads / 5, "{what}: reads are spread over both replicas: {on:?}");
    for n in [1, 2] {
        let strange: Vec<&LogEntry> = seen[n]
            .iter()
            .filter(|entry| !set_up(entry) && !marked(std::slice::from_ref(entry), "r").contains(entry))
            .collect();
        assert!(strange.is_empty(), "{what}: replica {n} got more than plain reads:{}", listed(&strange));
    }
    eprintln!(
        "{what}: {writes} writes and {steps} steps of transactions on the primary, reads on primary, replicas: {on:?}"
    );
}

/// How one run of sysbench speaks to the server.
#[derive(Clone, Copy)]
struct Mode {
    /// Every statement for itself, not in transactions.
    skip_trx: bool,
    /// Statements that the server has prepared, as sysbench does by default.
    prepared: bool,
}

fn sysbench(mut command: Command, cluster: &Cluster, verb: &str, mode: Mode) -> Command {
    let at = cluster.endpoint(0);
    let seconds = std::env::var("MS_SYSBENCH_SECONDS").unwrap_or_else(|_| "4".into());
    command.arg("oltp_read_write");
    for (name, value) in [
        ("db-driver", "mysql"),
        ("db-ps-mode", if mode.prepared { "auto" } else { "disable" }),
        ("mysql-host", &at.host),
        ("mysql-port", &at.port.to_string()),
        ("mysql-user", harness::APP_USER),
        ("mysql-password", harness::APP_PASSWORD),
        ("mysql-db", harness::DATABASE),
        ("tables", "2"),
        ("table-size", "10000"),
        ("threads", "4"),
        ("time", &seconds),
        // Without transactions two threads may put back the same deleted row (1062).
        ("mysql-ignore-errors", "1062,1213,1020,1205"),
        // enough to see, and a log that can be read
        ("rate", "100"),
        ("skip-trx", if mode.skip_trx { "on" } else { "off" }),
    ] {
        command.arg(format!("--{name}={value}"));
    }
    command.arg(verb);
    command
}

fn is_read(entry: &LogEntry) -> bool {
    let text = entry.argument.trim_start().to_ascii_uppercase();
    matches!(entry.command.as_str(), "Query" | "Execute") && text.starts_with("SELECT") && !set_up(entry)
}

/// Numbers of sysbench's report: reads, writes, others.
fn performed(out: &str) -> [usize; 3] {
    ["read:", "write:", "other:"].map(|key| {
        let line = out.lines().find(|line| line.trim_start().starts_with(key));
        line.unwrap_or_else(|| panic!("no {key} in\n{out}")).split_whitespace().last().unwrap().parse().unwrap()
    })
}

/// What comes with a prepared read: it is prepared where it would run now, ahead of the transaction that executes it.
fn beside_reads(entry: &LogEntry) -> bool {
    let read = entry.argument.trim_start().to_ascii_uppercase().starts_with("SELECT");
    entry.command == "Close stmt" || entry.command == "Prepare" && read
}

fn judge_sysbench(shop: &Shop, mode: Mode) {
    let Mode { skip_trx, prepared } = mode;
    let what = format!("sysbench on {}, skip-trx={skip_trx}, prepared={prepared}", shop.cluster.family());
    let originals_only = std::env::var_os("MS_ORIGINALS_ONLY").is_some();
    let marks = shop.marks();
    let runner = if originals_only { plain("sysbench") } else { shop.routed("sysbench") };
    let (out, err) = finish(sysbench(runner, &shop.cluster, "run", mode), &what);
    assert!(err.is_empty(), "{what}: nothing on standard error:\n{err}");
    let [reads, writes, _] = performed(&out);
    assert!(reads > 100 && writes > 30, "{what}: it did something:\n{out}");
    let seen = shop.seen(&marks);
    let on: Vec<usize> = seen.iter().map(|entries| entries.iter().filter(|e| is_read(e)).count()).collect();
    let changes = |entries: &[LogEntry]| {
        let verbs = ["INSERT", "UPDATE", "DELETE"];
        let ran = |e: &&LogEntry| e.command != "Prepare";
        entries.iter().filter(ran).filter(|e| verbs.iter().any(|v| e.argument.trim_start().starts_with(v))).count()
    };
    // A statement that was under way at the end, or that met a deadlock, is in the log only.
    assert!(changes(&seen[0]) >= writes, "{what}: {} of {writes} writes are on the primary", changes(&seen[0]));
    assert!(on.iter().sum::<usize>() >= reads, "{what}: {on:?} of {reads} reads are in the logs");
    if originals_only {
        assert_eq!(on[1] + on[2], 0, "{what}, alone");
        return;
    }
    for n in [1, 2] {
        let strange: Vec<&LogEntry> =
            seen[n].iter().filter(|e| !(set_up(e) || skip_trx && is_read(e) || prepared && beside_reads(e))).collect();
        assert!(strange.is_empty(), "{what}: replica {n} got what it must not:{}", listed(&strange));
    }
    if skip_trx {
        let total: usize = on.iter().sum();
        assert!((on[1] + on[2]) * 100 >= total * 95, "{what}: at least 95 % of the reads are on replicas: {on:?}");
        assert!(on[1] > total / 5 && on[2] > total / 5, "{what}: spread over both replicas: {on:?}");
    }
    eprintln!("{what}: {writes} writes on the primary, reads on primary, replicas: {on:?}");
}

/// All programs on one family, one after the other: two families at once are enough for a small machine.
fn all_on(family: Family) {
    if !harness::families().contains(&family) {
        return;
    }
    let shop = Shop::open(family);
    judge_script(&shop, "perl", "shop.pl");
    // Debian's interpreter: the one that its MySQLdb is for.
    judge_script(&shop, "/usr/bin/python3", "shop.py");
    judge_script(&shop, "ruby", "shop.rb");
    let as_text = Mode { skip_trx: false, prepared: false };
    finish(sysbench(plain("sysbench"), &shop.cluster, "prepare", as_text), "sysbench prepare");
    shop.cluster.wait_in_step().unwrap();
    for prepared in [false, true] {
        judge_sysbench(&shop, Mode { skip_trx: true, prepared });
        judge_sysbench(&shop, Mode { skip_trx: false, prepared });
    }
}

#[test]
fn unchanged_programs_on_mariadb() {
    all_on(Family::MariaDb);
}

#[test]
fn unchanged_programs_on_mysql() {
    all_on(Family::MySql);
}

/// DBD::MariaDB asks for the server's version before it sends anything: a handle that has no connection yet must not say that
/// there is none.
#[test]
fn a_driver_that_asks_for_the_version_first_connects() {
    const PROGRAM: &str = "use DBI; my ($h, $p, $u, $w) = @ARGV; \
        my $d = DBI->connect(\"DBI:MariaDB:database=test;host=$h;port=$p\", $u, $w, {RaiseError => 1, PrintError => 0}); \
        print $d->{mariadb_serverversion}, ' ', $d->selectrow_array('SELECT 7');";
    for family in harness::families() {
        let shop = Shop::open(family);
        let at = shop.cluster.endpoint(0);
        let arguments = [at.host, at.port.to_string(), harness::APP_USER.into(), harness::APP_PASSWORD.into()];
        let said = |mut command: Command| {
            command.args(["-e", PROGRAM]).args(&arguments);
            finish(command, "DBD::MariaDB").0
        };
        assert_eq!(said(shop.routed("perl")), said(plain("perl")), "{family}");
    }
}
