//! A source that takes no writes any more, in each of the ways in which real servers say so: 1290 with a text about
//! read-only, 1792 in a transaction that the program did not make read-only, 1836, and
//! what storage that only reads makes servers say, 1015 and 1036. Each starts a look at all nodes, and what the
//! server refused runs on the new source.
#![allow(clippy::unwrap_used)]

#[path = "routed/lab.rs"]
mod lab;

use harness::{Cluster, Family, Spec, families};
use lab::{Handle, Shop, addresses};
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::session::{Prepared, Request};

const KEYS: &str = r#""discover": "read_only", "probe_ms": 3000, "timeouts": {"connect": 3000, "read": 20000},
    "consistency": "eventual""#;

/// A way in which node 0, which was the source, refuses writes, and the number that it says.
struct Way {
    name: &'static str,
    demote: fn(&Cluster),
    code: u32,
}

fn make_writable(cluster: &Cluster, node: usize) {
    if cluster.family() == Family::MySql {
        cluster.sql(node, "SET GLOBAL super_read_only = OFF").unwrap();
    }
    cluster.sql(node, "SET GLOBAL read_only = OFF").unwrap();
}

/// New connections begin with transactions that are read-only.
fn transactions_only_read(cluster: &Cluster) {
    make_writable(cluster, 0);
    let name = if cluster.family() == Family::MySql { "transaction_read_only" } else { "tx_read_only" };
    cluster.sql(0, &format!("SET GLOBAL {name} = ON")).unwrap();
}

fn read_only(cluster: &Cluster) {
    make_writable(cluster, 0);
    cluster.sql(0, "SET GLOBAL read_only = ON").unwrap();
}

/// The server says that it takes writes, its storage does not.
fn restart_with(cluster: &Cluster, option: &str) {
    cluster.restart_alone(0, &[option, "--loose-super-read-only=OFF", "--read-only=OFF"]).unwrap();
}

fn storage_is_read_only(cluster: &Cluster) {
    restart_with(cluster, "--innodb-read-only");
}

fn storage_only_reads(cluster: &Cluster) {
    let value = if cluster.family() == Family::MySql { 4 } else { 5 };
    restart_with(cluster, &format!("--innodb-force-recovery={value}"));
}

fn ways(family: Family) -> Vec<Way> {
    let mut ways = vec![
        Way { name: "promoted", demote: |_| (), code: 1290 },
        Way { name: "read_only", demote: read_only, code: 1290 },
        Way { name: "transactions", demote: transactions_only_read, code: 1792 },
    ];
    let (recovery, engine) = if family == Family::MySql { (1036, 1015) } else { (1836, 1036) };
    ways.push(Way { name: "innodb_force_recovery", demote: storage_only_reads, code: recovery });
    ways.push(Way { name: "innodb_read_only", demote: storage_is_read_only, code: engine });
    ways
}

fn count(cluster: &Cluster, node: usize, value: &str) -> String {
    let text = format!("SELECT COUNT(*) FROM test_demoted.t WHERE v = '{value}'");
    cluster.sql(node, &text).unwrap().scalar().to_owned()
}

fn insert(value: &str) -> String {
    format!("INSERT INTO t (v) VALUES ('{value}')")
}

#[test]
fn what_a_demoted_source_refuses_runs_on_the_new_one() {
    for family in families() {
        for Way { name, demote, code } in ways(family) {
            let cluster = Cluster::start(Spec::new(family, 1)).unwrap();
            let schema = lab::database(&cluster, "demoted", &[lab::TABLE]);
            let connect = |keys: &str| Shop::new(&addresses(&cluster), keys).connect(Some(&schema));
            cluster.promote(1).unwrap();
            demote(&cluster);
            let found = |handle: &mut Handle, value: &str| {
                assert_eq!(handle.node(), 1, "{family}, {name}, {value}: {}", handle.decision());
                let counts: Vec<String> = [0, 1].map(|node| count(&cluster, node, value)).into();
                assert_eq!(counts[1], "1", "{family}, {name}, {value}");
            };
            // By the file: the server's error, which is what this test is about.
            let mut by_file = connect(r#""consistency": "eventual""#);
            assert_eq!((by_file.code(&insert("file")), by_file.node()), (code, 0), "{family}, {name}");

            let mut handle = connect(KEYS);
            handle.ok(&insert("text"));
            found(&mut handle, "text");
            handle.ok("SELECT COUNT(*) FROM t");
            assert_eq!(handle.node(), 0, "{family}, {name}: it still answers reads");

            let mut handle = connect(KEYS);
            let mut prepared = Prepared::default();
            block_on(handle.session.prepare(&mut prepared, insert("prepared").as_bytes())).unwrap();
            block_on(handle.session.execute(&mut prepared, &Request::default())).unwrap();
            found(&mut handle, "prepared");

            // Inside of a transaction, and where the reply is fetched by the program, it is the program's to know; the next one
            // goes to the right place. A connection that says of itself that it is read-only is found out before that.
            let mut handle = connect(KEYS);
            handle.ok("BEGIN");
            match handle.run(&insert("inside")) {
                Ok(_) => assert_eq!(handle.node(), 1, "{family}, {name}"),
                Err(error) => assert_eq!((error.code, handle.node()), (code, 0), "{family}, {name}"),
            }
            handle.ok("ROLLBACK");
            handle.ok(&insert("behind"));
            found(&mut handle, "behind");

            let mut handle = connect(KEYS);
            block_on(handle.session.send_query(insert("sent").as_bytes())).unwrap();
            if let Err(error) = block_on(handle.session.read_query_result()) {
                assert_eq!((error.code, handle.node()), (code, 0), "{family}, {name}");
                handle.ok(&insert("sent"));
            }
            found(&mut handle, "sent");
            // A read-only transaction of the program's own says nothing about the server.
            let mut handle = connect(KEYS);
            handle.ok(&insert("last"));
            handle.ok("START TRANSACTION READ ONLY");
            let own = handle.code(&insert("own"));
            assert!(matches!(own, 1792 | 1290), "{family}, {name}: {own}");
            handle.ok("ROLLBACK");
            handle.ok(&insert("own"));
            found(&mut handle, "own");
        }
    }
}
