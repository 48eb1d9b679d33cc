//! Nodes of a Galera cluster that leave it and come back while programs run: three servers of MariaDB with Debian's
//! library, the sections say `"discover": "galera"`.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

#[path = "routed/lab.rs"]
mod lab;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use harness::{Cluster, Spec};
use lab::{Handle, Shop, addresses};
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::session::{Prepared, Request};

const KEYS: &str = r#""filters": {"roundrobin": []}, "discover": "galera", "probe_ms": 3000,
    "failover": {"strategy": "loop_before_master", "remember_failed": true}, "timeouts": {"connect": 3000, "read": 20000}"#;

/// Three nodes; None on a developer's machine without Galera.
fn cluster() -> Option<Cluster> {
    match Spec::galera(3) {
        Ok(spec) => Some(Cluster::start(spec).unwrap()),
        Err(error) if std::env::var_os("CI").is_some_and(|ci| !ci.is_empty()) => panic!("{error}"),
        Err(error) => {
            eprintln!("left out: {error}");
            None
        }
    }
}

fn set(cluster: &Cluster, node: usize, setting: &str) {
    cluster.sql(node, &format!("SET GLOBAL {setting}")).unwrap();
}

/// Writes and reads it back; the nodes that did.
fn write_and_read(handle: &mut Handle, value: &str) -> (usize, usize) {
    let insert = format!("INSERT INTO t (v) VALUES ('{value}')");
    // 1180: a node that was frozen finds out with a commit that the others went on without it. Nothing of it was executed, which
    // the count below proves.
    while let Err(error) = handle.run(&insert) {
        assert_eq!(error.code, 1180, "{value}: {error}");
        std::thread::sleep(Duration::from_millis(100));
    }
    let writer = handle.node();
    let id = handle.value("SELECT LAST_INSERT_ID()");
    let found = handle.value(&format!("SELECT COUNT(*) FROM t WHERE v = '{value}' AND id = {id}"));
    assert_eq!(found, "1", "{value}, written on {writer}, read on {}", handle.node());
    (writer, handle.node())
}

/// The nodes that four reads use.
fn readers(handle: &mut Handle) -> BTreeSet<usize> {
    (0..4)
        .map(|_| {
            handle.ok("SELECT COUNT(*) FROM t");
            handle.node()
        })
        .collect()
}

/// Runs writes until they are made on `node`, as the servers' states are looked at once a second only. Each of them succeeds.
fn writes_come_to(handle: &mut Handle, node: usize) {
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut tries = 0;
    while write_and_read(handle, &format!("to {node}, {tries}, {}", handle.session.thread_id())).0 != node {
        tries += 1;
        assert!(Instant::now() < deadline, "no write came to {node}: {}", handle.decision());
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// The same for reads: exactly these nodes answer them.
fn reads_come_to(handle: &mut Handle, nodes: &[usize]) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !readers(handle).iter().eq(nodes) {
        assert!(Instant::now() < deadline, "reads do not come to {nodes:?}: {}", handle.decision());
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn rows(cluster: &Cluster, node: usize, value: &str) -> String {
    let text = format!("SET SESSION wsrep_sync_wait=1; SELECT COUNT(*) FROM test_states.t WHERE v = '{value}'");
    cluster.sql(node, &text).unwrap().scalar().to_owned()
}

#[test]
fn nodes_that_are_not_synced_or_reject_statements_get_none() {
    let Some(cluster) = cluster() else { return };
    let schema = lab::database(&cluster, "states", &[lab::TABLE]);
    let shop = Shop::new(&addresses(&cluster), KEYS);
    let mut handle = shop.connect(Some(&schema));
    let mut other =
        Shop::connect_to(&shop.elsewhere(), mysqlclient_ms::options::Family::MariaDb, Some(&schema), |_| ()).unwrap();
    // One node takes the writes, the others answer the reads, and have what was written.
    for round in 0..20 {
        let (writer, reader) = write_and_read(&mut handle, &format!("round {round}"));
        assert!(writer == 0 && reader != 0, "{}", handle.decision());
        assert_eq!(other.value(&format!("SELECT COUNT(*) FROM t WHERE v = 'round {round}'")), "1", "another process");
    }
    assert_eq!(handle.value("SELECT @@wsrep_sync_wait"), "1");

    // Taken out of step by hand: a reader, then the writer. All processes choose the same one.
    set(&cluster, 1, "wsrep_desync=ON");
    reads_come_to(&mut handle, &[2]);
    set(&cluster, 1, "wsrep_desync=OFF");
    reads_come_to(&mut handle, &[1, 2]);
    set(&cluster, 0, "wsrep_desync=ON");
    writes_come_to(&mut handle, 1);
    writes_come_to(&mut other, 1);
    reads_come_to(&mut handle, &[2]);
    set(&cluster, 0, "wsrep_desync=OFF");
    writes_come_to(&mut handle, 0);
    writes_come_to(&mut other, 0);
    reads_come_to(&mut handle, &[1, 2]);

    // A reader rejects statements: no read is lost.
    set(&cluster, 2, "wsrep_reject_queries=ALL");
    for _ in 0..4 {
        assert_eq!((handle.ok("SELECT COUNT(*) FROM t").len(), handle.node()), (1, 1));
    }
    set(&cluster, 2, "wsrep_reject_queries=NONE");
    reads_come_to(&mut handle, &[1, 2]);

    // The writer does: nothing was executed, so everything goes to the next one at once.
    let mut prepared = Prepared::default();
    block_on(handle.session.prepare(&mut prepared, b"INSERT INTO t (v) VALUES ('prepared')")).unwrap();
    set(&cluster, 0, "wsrep_reject_queries=ALL");
    handle.ok("INSERT INTO t (v) VALUES ('rejected')");
    assert_eq!((handle.node(), rows(&cluster, 1, "rejected").as_str()), (1, "1"), "{}", handle.decision());
    set(&cluster, 0, "wsrep_reject_queries=NONE");
    writes_come_to(&mut handle, 0);
    set(&cluster, 0, "wsrep_reject_queries=ALL");
    block_on(handle.session.execute(&mut prepared, &Request::default())).unwrap();
    let mut fresh = Prepared::default();
    block_on(other.session.prepare(&mut fresh, b"INSERT INTO t (v) VALUES ('fresh')")).unwrap();
    block_on(other.session.execute(&mut fresh, &Request::default())).unwrap();
    assert_eq!((other.node(), rows(&cluster, 1, "fresh").as_str()), (1, "1"), "{}", other.decision());
    assert_eq!((handle.node(), rows(&cluster, 1, "prepared").as_str()), (1, "1"), "{}", handle.decision());
    set(&cluster, 0, "wsrep_reject_queries=NONE");
    writes_come_to(&mut handle, 0);
    set(&cluster, 0, "wsrep_reject_queries=ALL");
    handle.ok("BEGIN");
    assert_eq!(handle.node(), 1, "{}", handle.decision());
    handle.ok("INSERT INTO t (v) VALUES ('begun')");
    handle.ok("COMMIT");
    assert_eq!(rows(&cluster, 2, "begun"), "1");
    set(&cluster, 0, "wsrep_reject_queries=NONE");
    writes_come_to(&mut handle, 0);

    // Inside a transaction it is the program's to know; the next one runs elsewhere.
    handle.ok("BEGIN");
    handle.ok("INSERT INTO t (v) VALUES ('inside')");
    set(&cluster, 0, "wsrep_reject_queries=ALL");
    assert_eq!((handle.code("INSERT INTO t (v) VALUES ('inside')"), handle.node()), (1047, 0));
    assert_eq!(handle.code("COMMIT"), 1047, "on the transaction's node");
    let _ = handle.run("ROLLBACK");
    set(&cluster, 0, "wsrep_reject_queries=NONE");
    handle.ok("ROLLBACK");
    writes_come_to(&mut handle, 0);
    assert_eq!(rows(&cluster, 1, "inside"), "0");

    // State that lives on the node holds the handle there, in step or not.
    handle.ok("CREATE TEMPORARY TABLE here (id INT)");
    set(&cluster, 0, "wsrep_desync=ON");
    std::thread::sleep(Duration::from_millis(1200));
    assert_eq!((handle.ok("SELECT * FROM here").len(), handle.node()), (0, 0));
    writes_come_to(&mut other, 1);
    handle.ok("DROP TEMPORARY TABLE here");
    writes_come_to(&mut handle, 1);
    set(&cluster, 0, "wsrep_desync=OFF");

    // All of them reject: the server's own error.
    cluster.nodes().for_each(|node| set(&cluster, node, "wsrep_reject_queries=ALL"));
    assert_eq!(handle.code("SELECT COUNT(*) FROM t"), 1047);
    assert_eq!(handle.code("INSERT INTO t (v) VALUES ('nobody')"), 1047);
    cluster.nodes().for_each(|node| set(&cluster, node, "wsrep_reject_queries=NONE"));
    writes_come_to(&mut handle, 0);
    assert_eq!(rows(&cluster, 0, "nobody"), "0");
}

#[test]
fn nodes_that_die_freeze_or_lose_their_cluster_are_replaced() {
    let Some(cluster) = cluster() else { return };
    let schema = lab::database(&cluster, "states", &[lab::TABLE]);
    let shop = Shop::new(&addresses(&cluster), &KEYS.replace("20000", "30000"));
    let mut handle = shop.connect(Some(&schema));
    assert_eq!(write_and_read(&mut handle, "first").0, 0);

    // The writer is killed: what was on its way is told of, nothing else.
    cluster.kill(0).unwrap();
    if let Err(error) = handle.run("INSERT INTO t (v) VALUES ('killed')") {
        assert!(matches!(error.code, 2006 | 2013), "{error}");
    }
    assert_eq!(write_and_read(&mut handle, "after").0, 1, "{}", handle.decision());
    reads_come_to(&mut handle, &[2]);
    assert!(matches!(rows(&cluster, 1, "killed").as_str(), "0" | "1"));
    cluster.restart(0).unwrap();
    writes_come_to(&mut handle, 0);
    reads_come_to(&mut handle, &[1, 2]);

    // It freezes: the statement whose time is over is told of, and the others have taken over.
    cluster.freeze(0).unwrap();
    // On a busy machine it may answer one more before the last of its threads has stopped.
    if let Err(error) = handle.run("INSERT INTO t (v) VALUES ('frozen')") {
        assert_eq!(error.code, 2013, "{error}");
    }
    // The group has given it up.
    while cluster.wsrep(1, "wsrep_cluster_size").unwrap() != "2" {
        std::thread::sleep(Duration::from_millis(50));
    }
    writes_come_to(&mut handle, 1);
    cluster.thaw(0).unwrap();
    writes_come_to(&mut handle, 0);

    // The last one without the others is no cluster: it says so, and executes nothing.
    cluster.kill(1).unwrap();
    cluster.kill(2).unwrap();
    while cluster.wsrep(0, "wsrep_cluster_status").unwrap() != "non-Primary" {
        std::thread::sleep(Duration::from_millis(50));
    }
    let code = handle.code("SELECT COUNT(*) FROM t");
    assert!(matches!(code, 1047 | 2002 | 2003 | 2006 | 2013), "{code}");
    assert_eq!((handle.code("INSERT INTO t (v) VALUES ('alone')"), handle.node()), (1047, 0));
    // Somebody decides that it is the cluster.
    set(&cluster, 0, "wsrep_provider_options='pc.bootstrap=1'");
    while cluster.wsrep(0, "wsrep_ready").unwrap() != "ON" {
        std::thread::sleep(Duration::from_millis(50));
    }
    handle.ok("INSERT INTO t (v) VALUES ('alone again')");
    cluster.restart(1).unwrap();
    reads_come_to(&mut handle, &[1]);
    assert_eq!((rows(&cluster, 1, "alone"), rows(&cluster, 1, "alone again")), ("0".into(), "1".into()));
}
