//! Client-side GTIDs on MySQL 5.6, which tells no positions with its replies: without GTIDs of its own by a counter table, with
//! them by the statements that only fetch and check; and the same two statements on servers that do tell.
#![allow(clippy::unwrap_used)]

#[path = "routed/lab.rs"]
mod lab;

use harness::old::{self, OldPair};
use harness::{Cluster, Family, Spec, families};
use lab::{Handle, Shop, addresses};
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::log::{self, LogSpec};
use mysqlclient_ms::options::Family as Library;
use mysqlclient_ms::session::{Parameters, Prepared, Request};

const SESSION: i32 = 1;
const GTID: i32 = 1;

fn counter(more: &str) -> String {
    format!(
        r#""global_transaction_id_injection": {{
            "on_commit": "UPDATE test_own.counter SET id = id + 1",
            "fetch_last_gtid": "SELECT MAX(id) FROM test_own.counter",
            "check_for_gtid": "SELECT id FROM test_own.counter WHERE id >= #GTID"{more}}}"#
    )
}

fn pair(gtids: bool) -> OldPair {
    let pair = OldPair::start(gtids).unwrap();
    for statement in [
        "CREATE DATABASE test_own",
        "CREATE TABLE test_own.counter (id BIGINT NOT NULL) ENGINE=InnoDB",
        "INSERT INTO test_own.counter VALUES (0)",
        "CREATE TABLE test_own.t (id INT AUTO_INCREMENT PRIMARY KEY, v INT) ENGINE=InnoDB",
    ] {
        pair.sql(0, statement).unwrap();
    }
    pair.wait_in_step().unwrap();
    pair
}

fn shop(pair: &OldPair, keys: &str) -> Shop {
    Shop::new(&[pair.address(0), pair.address(1)], keys)
}

fn count(pair: &OldPair) -> u64 {
    pair.sql(0, "SELECT id FROM test_own.counter").unwrap().scalar().parse().unwrap()
}

fn last_gtid(handle: &mut Handle) -> String {
    String::from_utf8(block_on(handle.session.fetch_last_gtid()).unwrap().unwrap()).unwrap()
}

#[test]
fn the_counter_moves_with_what_commits() {
    if !old::is_here() {
        return;
    }
    let pair = pair(false);
    for library in [Library::MySql, Library::MariaDb] {
        for more in ["", r#", "report_error": true"#] {
            let shop = shop(&pair, &counter(more));
            let mut handle = shop.connect_as(library, Some("test_own"), |_| ()).unwrap();
            let mut moved = |statements: &[&str]| {
                let before = count(&pair);
                statements.iter().for_each(|sql| drop(handle.ok(sql)));
                count(&pair) - before
            };
            let case = format!("{library:?} {more}");
            assert_eq!(moved(&["INSERT INTO t (v) VALUES (1)"]), 1, "{case}");
            assert_eq!(moved(&["SELECT COUNT(*) FROM t", "COMMIT"]), 0, "{case}");
            assert_eq!(moved(&["BEGIN", "INSERT INTO t (v) VALUES (2)", "UPDATE t SET v = 3", "COMMIT"]), 1, "{case}");
            assert_eq!(moved(&["BEGIN", "INSERT INTO t (v) VALUES (2)", "ROLLBACK"]), 0, "{case}");
            assert_eq!(moved(&["BEGIN", "INSERT INTO t (v) VALUES (4)", "BEGIN", "ROLLBACK"]), 1, "{case}: implicit");
            assert_eq!(moved(&["BEGIN", "INSERT INTO t (v) VALUES (5)", "TRUNCATE TABLE t"]), 1, "{case}: DDL");
            assert_eq!(
                moved(&["SET autocommit = 0", "INSERT INTO t (v) VALUES (6)", "SET autocommit = 1"]),
                1,
                "{case}"
            );
            let before = count(&pair);
            block_on(handle.session.autocommit(false)).unwrap();
            handle.ok("INSERT INTO t (v) VALUES (7)");
            block_on(handle.session.commit()).unwrap();
            block_on(handle.session.autocommit(true)).unwrap();
            assert_eq!(count(&pair) - before, 1, "{case}: by the API");
            let mut prepared = Prepared::default();
            block_on(handle.session.prepare(&mut prepared, b"INSERT INTO t (v) VALUES (8)")).unwrap();
            let before = count(&pair);
            for _ in 0..2 {
                let request = Request { parameters: Parameters::default(), ..Request::default() };
                block_on(handle.session.execute(&mut prepared, &request)).unwrap();
            }
            assert_eq!(count(&pair) - before, 2, "{case}: executions");
            assert_eq!(last_gtid(&mut handle), count(&pair).to_string(), "{case}");
        }
    }
}

/// Writes, hands the GTID to another handle, and looks where that reads.
fn session_consistency(pair: &OldPair, keys: &dyn Fn(&str) -> String, case: &str) {
    let at_once = shop(pair, &keys(""));
    let mut writer = at_once.connect(Some("test_own"));
    let mut reader = at_once.connect(Some("test_own"));
    let mut rows: u64 = writer.value("/*ms=master*/ SELECT COUNT(*) FROM t").parse().unwrap();
    let mut write = |writer: &mut Handle, reader: &mut Handle| {
        writer.ok("INSERT INTO t (v) VALUES (1)");
        rows += 1;
        let gtid = last_gtid(writer);
        reader.session.set_quality_by_number(SESSION, GTID, Some(gtid.as_bytes())).unwrap();
        rows.to_string()
    };
    let wanted = write(&mut writer, &mut reader);
    pair.wait_in_step().unwrap();
    assert_eq!(reader.value("SELECT COUNT(*) FROM t"), wanted, "{case}");
    assert_eq!(reader.node(), 1, "{case}: the replica has it: {}", reader.decision());
    pair.stop_applier().unwrap();
    let wanted = write(&mut writer, &mut reader);
    assert_eq!(reader.value("SELECT COUNT(*) FROM t"), wanted, "{case}");
    assert_eq!(reader.node(), 0, "{case}: the replica does not have it");
    let patient = shop(pair, &keys(r#", "wait_for_gtid_timeout": 20"#));
    let mut reader = patient.connect(Some("test_own"));
    let wanted = write(&mut writer, &mut reader);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(300));
            pair.start_applier().unwrap();
        });
        assert_eq!(reader.value("SELECT COUNT(*) FROM t"), wanted, "{case}");
    });
    assert_eq!(reader.node(), 1, "{case}: it got there in time: {}", reader.decision());
}

#[test]
fn a_counter_finds_the_replicas_that_have_a_write() {
    if old::is_here() {
        session_consistency(&pair(false), &counter, "5.6 without GTIDs");
    }
}

#[test]
fn with_gtids_of_its_own_only_fetch_and_check_are_needed() {
    if !old::is_here() {
        return;
    }
    let keys = |more: &str| {
        format!(
            r#""global_transaction_id_injection": {{
                "fetch_last_gtid": "SELECT @@GLOBAL.GTID_EXECUTED",
                "check_for_gtid": "SELECT GTID_SUBSET('#GTID', @@GLOBAL.GTID_EXECUTED)"{more}}}"#
        )
    };
    let pair = pair(true);
    session_consistency(&pair, &keys, "5.6 with GTIDs");
    assert_eq!(count(&pair), 0, "nothing is injected");
}

#[test]
fn without_positions_session_consistency_reads_from_the_source() {
    if !old::is_here() {
        return;
    }
    let pair = pair(true);
    let session = shop(&pair, r#""consistency": "session""#);
    let mut handle = session.connect(Some("test_own"));
    handle.ok("INSERT INTO t (v) VALUES (1)");
    assert_eq!(handle.value("SELECT COUNT(*) FROM t"), "1");
    assert_eq!(handle.node(), 0, "{}", handle.decision());
    let unsaid = shop(&pair, "");
    let mut handle = unsaid.connect(Some("test_own"));
    handle.ok("INSERT INTO t (v) VALUES (2)");
    handle.ok("SELECT COUNT(*) FROM t");
    assert_eq!(handle.node(), 1, "nothing was promised: {}", handle.decision());
}

#[test]
fn that_a_source_tells_no_gtids_is_said_once_and_the_source_is_read_from() {
    if !old::is_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log");
    // The log of the whole test program: lines are told apart by the names of nodes.
    log::init(Some(LogSpec { level: log::Level::Warning, file: file.clone() }));
    let said = |node: &str| {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        text.lines().filter(|line| line.contains(&format!("node {node} tells no GTIDs"))).count()
    };
    let section = |source: &str, nodes: [(String, u16); 2], keys: &str| {
        let [(host, port), (replica, replica_port)] = nodes;
        Shop::of(&format!(
            r#"{{"shop": {{"master": {{"{source}": {{"host": "{host}", "port": {port}}}}},
                "slave": {{"r1": {{"host": "{replica}", "port": {replica_port}}}}}{keys}}}}}"#
        ))
    };
    const SESSION_LEVEL: &str = r#", "consistency": "session""#;
    let pair = pair(false);
    let mute = section("mute", [pair.address(0), pair.address(1)], SESSION_LEVEL);
    assert_eq!(said("mute"), 0);
    for library in [Library::MySql, Library::MariaDb, Library::MySql] {
        let mut handle = mute.connect_as(library, Some("test_own"), |_| ()).unwrap();
        handle.ok("INSERT INTO t (v) VALUES (1)");
        handle.ok("SELECT COUNT(*) FROM t");
        assert_eq!(handle.node(), 0, "{}", handle.decision());
        assert_eq!(said("mute"), 1, "once for the process");
    }
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 1)).unwrap();
        let schema = lab::database(&cluster, "own", &["CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v INT)"]);
        let at = addresses(&cluster);
        let tells = section("telling", [at[0].clone(), at[1].clone()], SESSION_LEVEL);
        for _ in 0..2 {
            tells.connect(Some(&schema)).ok("INSERT INTO t (v) VALUES (1)");
        }
        assert_eq!(said("telling"), 0, "{family}");
        // Behind an old source a server that tells them: what counts is who is written to.
        let source = format!("behind_{family}");
        let newer = section(&source, [pair.address(0), at[1].clone()], SESSION_LEVEL);
        let mut handle = newer.connect(Some(&schema));
        handle.ok("SELECT COUNT(*) FROM t");
        assert_eq!(handle.node(), 1, "{family}: nothing was written: {}", handle.decision());
        handle.ok("INSERT INTO t (v) VALUES (1)");
        handle.ok("SELECT COUNT(*) FROM t");
        assert_eq!(handle.node(), 0, "{family}: {}", handle.decision());
        assert_eq!(said(&source), 1, "{family}");
    }
}

#[test]
fn a_missing_counter_table_leaves_no_lock_behind() {
    if !old::is_here() {
        return;
    }
    let pair = pair(false);
    let other = |text: &str| pair.sql(0, &format!("SET lock_wait_timeout = 2; {text}")).map(drop);
    for report in [false, true] {
        let keys = format!(
            r#""global_transaction_id_injection": {{"on_commit": "UPDATE test_own.missing SET id = id + 1",
                "report_error": {report}}}"#
        );
        let shop = shop(&pair, &keys);
        let mut handle = shop.connect(Some("test_own"));
        for statements in [
            &["INSERT INTO t (v) VALUES (1)"][..],
            &["BEGIN", "INSERT INTO t (v) VALUES (2)", "COMMIT"],
            &["BEGIN", "INSERT INTO t (v) VALUES (3)", "BEGIN"],
            &["BEGIN", "INSERT INTO t (v) VALUES (4)", "CREATE TABLE IF NOT EXISTS test_own.u (id INT)"],
        ] {
            let (last, first) = statements.split_last().unwrap();
            first.iter().for_each(|sql| drop(handle.ok(sql)));
            match report {
                true => assert_eq!(handle.code(last), 1146, "{statements:?}"),
                false => drop(handle.ok(last)),
            }
            if statements.len() > 1 && (report || last == &"BEGIN") {
                // Where the failure is the program's, it has to end its transaction, as in mysqlnd_ms.
                handle.ok("ROLLBACK");
            }
            other("CREATE TABLE test_own.missing (id INT); DROP TABLE test_own.missing")
                .unwrap_or_else(|error| panic!("{report} {statements:?}: {error}"));
        }
    }
}

#[test]
fn the_same_two_statements_serve_servers_that_tell_positions() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 1)).unwrap();
        let schema = lab::database(&cluster, "fetched", &["CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v INT)"]);
        let (fetch, check) = match family {
            Family::MySql => ("@@GLOBAL.gtid_executed", "SELECT GTID_SUBSET('#GTID', @@GLOBAL.gtid_executed)"),
            Family::MariaDb => ("@@GLOBAL.gtid_binlog_pos", "SELECT MASTER_GTID_WAIT('#GTID', 0) = 0"),
        };
        let keys = format!(
            r#""consistency": {{"wait_ms": 20}}, "global_transaction_id_injection":
                {{"fetch_last_gtid": "SELECT {fetch}", "check_for_gtid": "{check}"}}"#
        );
        let shop = Shop::new(&addresses(&cluster), &keys);
        let (mut writer, mut reader) = (shop.connect(Some(&schema)), shop.connect(Some(&schema)));
        writer.ok("INSERT INTO t (v) VALUES (1)");
        let gtid = last_gtid(&mut writer);
        cluster.wait_in_step().unwrap();
        reader.session.set_quality_by_number(SESSION, GTID, Some(gtid.as_bytes())).unwrap();
        assert_eq!(reader.value("SELECT COUNT(*) FROM t"), "1", "{family}");
        assert_eq!(reader.node(), 1, "{family}: {}", reader.decision());
        cluster.stop_applier(1).unwrap();
        writer.ok("INSERT INTO t (v) VALUES (2)");
        let gtid = last_gtid(&mut writer);
        reader.session.set_quality_by_number(SESSION, GTID, Some(gtid.as_bytes())).unwrap();
        assert_eq!(reader.value("SELECT COUNT(*) FROM t"), "2", "{family}");
        assert_eq!(reader.node(), 0, "{family}: {}", reader.decision());
    }
}
