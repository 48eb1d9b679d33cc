//! Filters and balancing on real clusters of both families: weights, stand-by, groups, tables, the program's own filters,
//! what is in flight, how quick nodes are; and a configuration that changes while handles are in use.
#![allow(clippy::unwrap_used, dead_code)]

#[path = "routed/lab.rs"]
mod lab;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use harness::{Cluster, How, Proxy, families, library, shared};
use lab::{Address, Handle, Shop, addresses};
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::session::{Prepared, Request};

const ROUND_ROBIN: &str = r#""filters": {"roundrobin": []}"#;
const READ: &str = "SELECT COUNT(*) FROM t";

/// A database of the test's own on the shared cluster, on all nodes.
fn database(cluster: &Cluster, name: &str) -> String {
    lab::database(cluster, name, &[lab::TABLE, "CREATE TABLE u (v INT)"])
}

/// A configuration whose reads are promised nothing: where they go depends on the filters alone.
fn text(addresses: &[Address], node_keys: &[&str], keys: &str) -> String {
    Shop::text(addresses, node_keys, &format!(r#"{keys}, "consistency": "eventual""#))
}

fn shop_of(addresses: &[Address], keys: &str) -> Shop {
    Shop::of(&text(addresses, &[], keys))
}

/// Which node ran it.
fn node_of(handle: &mut Handle, sql: &str) -> usize {
    handle.ok(sql);
    handle.node()
}

fn nodes_of(handle: &mut Handle, count: usize, sql: &str) -> Vec<usize> {
    (0..count).map(|_| node_of(handle, sql)).collect()
}

#[test]
fn programs_with_one_statement_per_handle_take_turns_by_weight() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "turns");
        let one_statement = |shop: &Shop| node_of(&mut shop.connect(Some(&schema)), READ);
        let shop = shop_of(&addresses(cluster), ROUND_ROBIN);
        let nodes: Vec<_> = (0..4).map(|_| one_statement(&shop)).collect();
        assert_eq!(nodes, [1, 2, 1, 2], "{family}");
        let weights = r#""filters": {"roundrobin": {"weights": {"source": 1, "r1": 3, "r2": 1}}}"#;
        let shop = shop_of(&addresses(cluster), weights);
        let nodes: Vec<_> = (0..8).map(|_| one_statement(&shop)).collect();
        assert_eq!(nodes, [1, 1, 2, 1, 1, 1, 2, 1], "{family}");
    }
}

#[test]
fn a_stand_by_replica_is_used_when_the_other_cannot_be_reached() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "standby");
        let mut at = addresses(cluster);
        let proxy = Proxy::start(&format!("{}:{}", at[1].0, at[1].1)).unwrap();
        at[1] = (proxy.host(), proxy.port());
        let keys = r#""filters": {"random": {"weight": {"source": 1, "r1": 1, "r2": 0}}},
                      "failover": {"strategy": "loop_before_master", "remember_failed": true}"#;
        let shop = shop_of(&at, keys);
        let mut handle = shop.connect(Some(&schema));
        assert_eq!(nodes_of(&mut handle, 12, READ), [1; 12], "{family}");
        proxy.refuse();
        proxy.end_all(How::Fin);
        for _ in 0..5 {
            let mut handle = shop.connect(Some(&schema));
            assert_eq!(nodes_of(&mut handle, 3, READ), [2; 3], "{family}");
        }
    }
}

#[test]
fn one_further_candidate_is_not_two() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "retries");
        let at = addresses(cluster);
        let nowhere = ("127.0.0.1".to_owned(), 1);
        // The source, two that are dead, one that is well.
        let nodes = [at[0].clone(), nowhere.clone(), nowhere, at[1].clone()];
        let keys = |most: u32| {
            format!(r#"{ROUND_ROBIN}, "failover": {{"strategy": "loop_before_master", "max_retries": {most}}}"#)
        };
        let shop = shop_of(&nodes, &keys(1));
        let mut handle = shop.connect(Some(&schema));
        // First 1, then 2; then 2, then 3; then 3.
        assert!([2002, 2003].contains(&handle.code(READ)), "{family}");
        assert_eq!(node_of(&mut handle, READ), 3, "{family}");
        assert_eq!(node_of(&mut handle, READ), 3, "{family}");
        assert!([2002, 2003].contains(&handle.code(READ)), "{family}");
        let shop = shop_of(&nodes, &keys(0));
        assert_eq!(nodes_of(&mut shop.connect(Some(&schema)), 4, READ), [3; 4], "{family}");
    }
}

#[test]
fn a_comment_sends_statements_to_a_group_of_nodes() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "groups");
        let keys =
            r#""filters": {"node_groups": {"REPORT": {"master": ["source"], "slave": ["r2"]}}, "roundrobin": []}"#;
        let shop = shop_of(&addresses(cluster), keys);
        let marks: Vec<_> = cluster.nodes().map(|n| cluster.log_mark(n).unwrap()).collect();
        let mut handle = shop.connect(Some(&schema));
        for _ in 0..3 {
            handle.ok("/*REPORT*/ SELECT 'in the group' FROM t");
            assert_eq!(handle.node(), 2, "{family}");
        }
        assert_eq!(node_of(&mut handle, "/*REPORT*/ INSERT INTO t (v) VALUES ('x')"), 0, "{family}");
        let mut all = nodes_of(&mut handle, 2, "/*report*/ SELECT 1");
        all.sort_unstable();
        assert_eq!(all, [1, 2], "{family}: no such group");
        // In a transaction a group changes nothing.
        handle.ok("BEGIN");
        handle.ok("INSERT INTO t (v) VALUES ('y')");
        assert_eq!(node_of(&mut handle, "/*REPORT*/ SELECT COUNT(*) FROM t"), 0, "{family}");
        handle.ok("COMMIT");
        for n in cluster.nodes() {
            let log = cluster.general_log_since(n, &marks[n]).unwrap();
            let ours = log.iter().filter(|entry| entry.argument.contains("in the group")).count();
            assert_eq!(ours, if n == 2 { 3 } else { 0 }, "{family}: node {n}");
        }
    }
}

#[test]
fn tables_send_statements_to_the_nodes_that_have_them() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "tables");
        let keys = format!(
            r#""filters": {{"table": {{"rules": {{"{schema}.t": {{"master": ["source"], "slave": ["r1"]}},
                                                  "{schema}.%": {{"master": ["source"], "slave": ["r2"]}}}}}},
                            "random": {{}}}}"#
        );
        let shop = shop_of(&addresses(cluster), &keys);
        let mut handle = shop.connect(Some(&schema));
        for (sql, node) in [
            (READ.to_owned(), 1),
            (format!("SELECT * FROM {schema}.t"), 1),
            ("SELECT * FROM u".to_owned(), 2),
            (format!("SELECT 1 FROM `{schema}`.`u` WHERE v IN (SELECT v FROM u)"), 2),
            ("INSERT INTO u VALUES (1)".to_owned(), 0),
            ("WITH c AS (SELECT v FROM u) SELECT * FROM c".to_owned(), 2),
        ] {
            assert_eq!(node_of(&mut handle, &sql), node, "{family}: {sql}");
        }
        for sql in ["SELECT * FROM t, u", "SELECT * FROM nowhere.t"] {
            assert_eq!(handle.code(sql), 2000, "{family}: {sql}");
        }
        assert_eq!(node_of(&mut handle, READ), 1, "{family}: the handle stays usable");
        block_on(handle.session.select_db(b"test")).unwrap();
        assert_eq!(handle.code(READ), 2000, "{family}: the schema counts");
    }
}

#[test]
fn reads_avoid_a_node_that_is_busy_with_this_program() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "busy");
        let shop = shop_of(&addresses(cluster), r#""filters": {"least_in_flight": {}}"#);
        let mut busy = shop.connect(Some(&schema));
        let mut other = shop.connect(Some(&schema));
        for round in 0..4 {
            // Its rows are not read.
            block_on(busy.session.run(b"SELECT 1 UNION SELECT 2")).unwrap();
            let node = busy.node();
            assert_eq!(nodes_of(&mut other, 5, READ), [3 - node; 5], "{family}: {round}");
            busy.session.use_result().unwrap();
            assert_eq!(nodes_of(&mut other, 2, READ), [3 - node; 2], "{family}: {round}");
            block_on(busy.session.skip_rows()).unwrap();
        }
        // A handle that goes away takes its statement with it, and so does an error.
        block_on(busy.session.run(b"SELECT 1")).unwrap();
        drop(busy);
        other.code("SELECT nothing FROM t");
        let mut seen = nodes_of(&mut other, 40, READ);
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, [1, 2], "{family}: both are idle");
    }
}

#[test]
fn reads_prefer_the_node_that_answers_sooner() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "quick");
        let mut at = addresses(cluster);
        let proxy = Proxy::start(&format!("{}:{}", at[1].0, at[1].1)).unwrap();
        at[1] = (proxy.host(), proxy.port());
        let shop = shop_of(&at, r#""filters": {"fastest": {}}"#);
        let mut handle = shop.connect(Some(&schema));
        // Both are asked before both are known: who is not known counts as quick.
        let mut seen = Vec::new();
        while !(seen.contains(&1) && seen.contains(&2)) {
            seen.push(node_of(&mut handle, READ));
            assert!(seen.len() < 1000, "{family}: {seen:?}");
        }
        proxy.delay(Duration::from_millis(60));
        // The first visit to the slow one is its last for a while.
        let nodes = nodes_of(&mut handle, 30, READ);
        let slow = nodes.iter().filter(|node| **node == 1).count();
        assert!(slow <= 2, "{family}: {nodes:?}");
    }
}

#[test]
fn the_configuration_changes_while_threads_run_statements() {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "threads");
        let at = addresses(cluster);
        let with = |state: &str| text(&at, &["", &format!(r#""state": "{state}""#)], ROUND_ROBIN);
        let shop = Shop::of(&with("on"));
        let (stop, seen) = (AtomicBool::new(false), [const { AtomicUsize::new(0) }; 3]);
        /// However the test ends, its threads do.
        struct Stop<'a>(&'a AtomicBool);
        impl Drop for Stop<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        std::thread::scope(|scope| {
            let _stop = Stop(&stop);
            for thread in 0..4 {
                let mut handle = shop.connect(Some(&schema));
                let (stop, seen) = (&stop, &seen);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let node = node_of(&mut handle, READ);
                        assert_ne!(node, 0, "{family}: a read is a replica's");
                        seen[node].fetch_add(1, Ordering::Relaxed);
                        if thread == 0 {
                            handle.ok("BEGIN");
                            handle.ok("INSERT INTO t (v) VALUES ('x')");
                            assert_eq!(handle.node(), 0, "{family}");
                            handle.ok("COMMIT");
                        }
                    }
                });
            }
            let mut watcher = shop.connect(Some(&schema));
            for (state, nodes) in [("drain", 1), ("on", 2), ("off", 1), ("on", 2)] {
                shop.rewrite(&with(state));
                until(&mut watcher, state, |watcher| {
                    let mut nodes_seen = nodes_of(watcher, 20, READ);
                    nodes_seen.sort_unstable();
                    nodes_seen.dedup();
                    nodes_seen.len() == nodes
                });
            }
        });
        assert!(seen[1].load(Ordering::Relaxed) > 0 && seen[2].load(Ordering::Relaxed) > 0, "{family}: {seen:?}");
    }
}

/// Runs reads until the handle has taken the new configuration, which it may look for once a second.
fn until(handle: &mut Handle, what: &str, mut done: impl FnMut(&mut Handle) -> bool) {
    for _ in 0..600 {
        if done(handle) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{what}: not within 12 seconds: {}", handle.decision());
}

#[test]
fn a_node_is_drained_switched_off_and_taken_back_while_a_handle_is_in_use() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "drain");
        let at = addresses(cluster);
        let with = |states: [&str; 3]| {
            let states = states.map(|state| format!(r#""state": "{state}""#));
            text(&at, &[&states[0], &states[1], &states[2]], ROUND_ROBIN)
        };
        let shop = Shop::of(&with(["on"; 3]));
        let mut handle = shop.connect(Some(&schema));
        let mut pinned = shop.connect(Some(&schema));
        let mut open = shop.connect(Some(&schema));
        assert_eq!(nodes_of(&mut handle, 2, READ).iter().sum::<usize>(), 3, "{family}");
        let write = "INSERT INTO t (v) VALUES ('x')";
        handle.ok(write);
        open.ok("BEGIN");
        open.ok(write);
        pinned.ok("SELECT GET_LOCK('drain', 1)");
        assert_eq!((open.node(), pinned.node()), (0, 0), "{family}");

        // The source and the first replica get nothing new.
        shop.rewrite(&with(["drain", "drain", "on"]));
        until(&mut handle, "drained", |handle| nodes_of(handle, 3, READ) == [2; 3]);
        let thread = handle.session.thread_id();
        assert_eq!(handle.code(write), 2000, "{family}: no source");
        for _ in 0..3 {
            assert_eq!(node_of(&mut open, write), 0, "{family}: its transaction goes on");
            assert_eq!(node_of(&mut pinned, READ), 0, "{family}: its state goes on");
        }
        open.ok("COMMIT");
        assert_eq!(open.code(write), 2000, "{family}: and then no more");
        assert_eq!(nodes_of(&mut open, 3, READ), [2; 3], "{family}");

        shop.rewrite(&with(["on", "off", "on"]));
        let connections = || -> usize {
            let sql = format!("SELECT COUNT(*) FROM information_schema.processlist WHERE db = '{schema}'");
            cluster.sql(1, &sql).unwrap().scalar().parse().unwrap()
        };
        assert_eq!(connections(), 1, "{family}: a drained node's connection is there yet");
        until(&mut handle, "off", |handle| {
            node_of(handle, READ);
            connections() == 0
        });
        assert_eq!(handle.session.thread_id(), thread, "{family}: the other connection is the same");
        assert_eq!(node_of(&mut handle, write), 0, "{family}");

        shop.rewrite(&with(["on"; 3]));
        until(&mut handle, "back", |handle| node_of(handle, READ) == 1);
        assert_eq!(handle.value("SELECT DATABASE()"), schema, "{family}: its state came along");
        pinned.ok("SELECT RELEASE_ALL_LOCKS()");
    }
}

#[test]
fn a_handle_follows_a_changed_configuration_with_its_state_and_its_statements() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "reload");
        cluster.sql(0, &format!("INSERT INTO {schema}.t (v) VALUES ('one'), ('two'), ('three')")).unwrap();
        cluster.wait_in_step().unwrap();
        let at = addresses(cluster);
        let shop = Shop::of(&text(&at[..2], &[], ROUND_ROBIN));
        let mut handle = shop.connect(Some(&schema));
        block_on(handle.session.set_character_set(b"latin1")).unwrap();
        let mut prepared = Prepared::default();
        block_on(handle.session.prepare(&mut prepared, b"SELECT v FROM t ORDER BY id")).unwrap();
        let execute = |handle: &mut Handle, prepared: &mut Prepared| {
            let executed = block_on(handle.session.execute(prepared, &Request::default())).unwrap();
            assert!(!executed.shape.is_nothing());
            let mut rows = mysqlclient_ms::result::BinaryRows::default();
            block_on(handle.session.store_statement_rows(&[], &mut rows)).unwrap();
            (rows.len(), handle.node())
        };
        assert_eq!(execute(&mut handle, &mut prepared), (3, 1), "{family}");
        let thread = handle.session.thread_id();

        // Another replica in front of it: its number changes, its connection stays.
        let moved = [at[0].clone(), at[2].clone(), at[1].clone()];
        shop.rewrite(&text(&moved, &[], ROUND_ROBIN));
        until(&mut handle, "moved", |handle| handle.ok(READ).len() == 1 && handle.node() == 2);
        assert_eq!(handle.session.thread_id(), thread, "{family}: the same connection");
        let mut seen = [execute(&mut handle, &mut prepared), execute(&mut handle, &mut prepared)];
        seen.sort_unstable();
        assert_eq!(seen, [(3, 1), (3, 2)], "{family}: prepared where it was not, used where it was");
        let state = "SELECT COUNT(*) FROM t WHERE DATABASE() = '{}' AND @@character_set_client = 'latin1'";
        for _ in 0..2 {
            assert_eq!(handle.value(&state.replace("{}", &schema)), "3", "{family}: node {}", handle.node());
        }

        // A broken file and one without the section change nothing.
        for broken in ["{ half", "{}", r#"{"shop": {"master": [], "slave": [], "xa": {}}}"#] {
            shop.rewrite(broken);
            for _ in 0..15 {
                std::thread::sleep(Duration::from_millis(100));
                assert!([1, 2].contains(&node_of(&mut handle, READ)), "{family}: {broken}");
            }
        }
        // Nor does anything within a transaction.
        handle.ok("BEGIN");
        handle.ok("INSERT INTO t (v) VALUES ('four')");
        shop.rewrite(&text(&[at[1].clone(), at[2].clone()], &[], ROUND_ROBIN));
        for _ in 0..15 {
            std::thread::sleep(Duration::from_millis(100));
            assert_eq!(handle.value(READ), "4", "{family}");
        }
        handle.ok("ROLLBACK");
        shop.rewrite(&text(&[at[0].clone(), at[2].clone()], &[], ROUND_ROBIN));
        until(&mut handle, "shrunk", |handle| nodes_of(handle, 2, READ) == [1; 2]);
        assert_eq!(execute(&mut handle, &mut prepared), (3, 1), "{family}");
        block_on(handle.session.close_statement(&mut prepared)).unwrap();
        handle.ok("INSERT INTO t (v) VALUES ('five')");
        assert_eq!(handle.node(), 0, "{family}");
    }
}

#[test]
fn a_session_reads_its_writes_whatever_the_filters_leave() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "fresh");
        let keys = r#""filters": {"node_groups": {"A": {"master": ["source"], "slave": ["r1"]},
                                                   "B": {"master": ["source"], "slave": ["r2"]}}, "roundrobin": []}"#;
        let shop = Shop::new(&addresses(cluster), keys);
        let mut handle = shop.connect(Some(&schema));
        for round in 1..=20 {
            handle.ok("INSERT INTO t (v) VALUES ('x')");
            for group in ["A", "B", "none"] {
                let count = handle.value(&format!("/*{group}*/ SELECT COUNT(*) FROM t"));
                assert_eq!(count, round.to_string(), "{family}: {group}: {}", handle.decision());
            }
        }
    }
}

/// Long data went to a node that is no longer there: its statement says so, and is not executed without it.
#[test]
fn long_data_that_went_with_a_node_is_an_error() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "longdata");
        let at = addresses(cluster);
        let shop = Shop::of(&text(&at[..2], &[], ROUND_ROBIN));
        let mut handle = shop.connect(Some(&schema));
        let mut prepared = Prepared::default();
        block_on(handle.session.prepare(&mut prepared, b"SELECT ?")).unwrap();
        block_on(handle.session.send_long_data(&mut prepared, 0, b"long")).unwrap();
        assert_eq!(handle.node(), 1, "{family}");
        shop.rewrite(&text(&[at[0].clone(), at[2].clone()], &[], ROUND_ROBIN));
        until(&mut handle, "moved", |handle| {
            handle.ok(READ);
            handle.session.last_used().port == at[2].1
        });
        let parameters = mysqlclient_ms::session::Parameters { count: 1, nulls: &[0], types: &[253, 0], values: &[] };
        let request = Request { parameters, new_types: true, ..Request::default() };
        let error = block_on(handle.session.execute(&mut prepared, &request)).unwrap_err();
        assert_eq!(error.code, 2013, "{family}: {error}");
        block_on(handle.session.reset_statement(&mut prepared)).unwrap();
        assert_eq!(node_of(&mut handle, READ), 1, "{family}");
    }
}

#[test]
fn nodes_of_the_own_zone_are_preferred() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "zone");
        let mut at = addresses(cluster);
        let proxy = Proxy::start(&format!("{}:{}", at[2].0, at[2].1)).unwrap();
        at[2] = (proxy.host(), proxy.port());
        let keys = format!(
            r#"{ROUND_ROBIN}, "zone": "near", "failover": {{"strategy": "loop_before_master", "remember_failed": true}}"#
        );
        let shop = Shop::of(&text(&at, &["", r#""zone": "far""#, r#""zone": "near""#], &keys));
        let mut handle = shop.connect(Some(&schema));
        assert_eq!(nodes_of(&mut handle, 6, READ), [2; 6], "{family}");
        proxy.refuse();
        proxy.end_all(How::Fin);
        let mut handle = shop.connect(Some(&schema));
        assert_eq!(nodes_of(&mut handle, 3, READ), [1; 3], "{family}");
    }
}

fn compile(out: &Path, arguments: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-o"]).arg(out);
    cc.arg(root.join("c_tests/user_filter.c"));
    let flags = Command::new("mariadb_config").arg("--cflags").output().unwrap();
    cc.args(String::from_utf8(flags.stdout).unwrap().split_whitespace());
    // Ours last: mysql.h is the family's own.
    cc.arg("-idirafter").arg(root.join("include")).args(arguments);
    let output = cc.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn functions_of_a_c_program_choose_and_narrow() {
    let folder = tempfile::tempdir().unwrap();
    let (program, filters) = (folder.path().join("user_filter"), folder.path().join("filters.so"));
    compile(&program, &["-lmariadb"]);
    compile(&filters, &["-DLIBRARY", "-shared", "-fPIC"]);
    for family in families() {
        let cluster = shared(family);
        let at = addresses(cluster);
        let body = |filters: &str| {
            let file = text(&at, &[], &format!(r#""filters": {{{filters}}}, "ssl_mode": "disabled""#));
            file.strip_prefix(r#"{"shop": "#).unwrap().strip_suffix('}').unwrap().to_owned()
        };
        let library_at = |file: &Path| format!(r#""user": {{"library": "{}", "symbol": "pick_last"}}"#, file.display());
        let sections = [
            ("single", r#""user": {"callback": "mine"}"#.to_owned()),
            ("multi", r#""user_multi": {"callback": "several"}, "roundrobin": {}"#.to_owned()),
            ("library", library_at(&filters)),
            ("missing", library_at(&folder.path().join("none.so"))),
        ];
        let bodies: Vec<String> =
            sections.iter().map(|(name, filters)| format!(r#""{name}": {}"#, body(filters))).collect();
        let shop = Shop::of(&format!("{{{}}}", bodies.join(", ")));
        let output = Command::new(&program)
            .args([harness::APP_USER, harness::APP_PASSWORD])
            .env("LD_PRELOAD", library())
            .env("MYSQLND_MS_ENABLE", "1")
            .env("MYSQLND_MS_CONFIG_FILE", &shop.file)
            .output()
            .unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{family}: {told}\n{:?}", output.stderr);
        let error = |sql: &str, why: &str| {
            format!("{sql}: error 2000 HY000: mysqlclient-ms: no node for this statement: {why}\n")
        };
        let wrong = |answer: i32| {
            error("SELECT 6", &format!("the program's filter returned {answer} for a choice among 3 nodes"))
        };
        let asked = |sql: &str, last: i32, transaction: u8, read: u8| {
            format!(
                "asked: section=single query={sql} last_used={last} in_transaction={transaction} is_read={read} masters=1\n  \
                 source tcp:// slave=0\n  r1 tcp:// slave=1\n  r2 tcp:// slave=1\n"
            )
        };
        let unregistered = |sql: &str| error(sql, "the program has registered no filter \"mine\"");
        let expected = [
            unregistered("SELECT 1"),
            "register: 0\n".into(),
            asked("SELECT 2", -1, 0, 1),
            "SELECT 2: node=r1 role=replica\nSELECT 3: node=r2 role=replica\nSELECT 4 FOR UPDATE: node=source role=source\n".into(),
            "SELECT 5: node=source role=source\n".into(),
            wrong(3),
            wrong(99),
            wrong(-1),
            error("SELECT 7 FOR UPDATE", "the program's filter chose a replica for a statement that a source has to run"),
            "SELECT 8: node=r1 role=replica\n".into(),
            asked("BEGIN", 1, 0, 0),
            "BEGIN: node=source role=source\nSELECT 9: node=source role=source\nCOMMIT: node=source role=source\n"
                .into(),
            "take away: 0\n".into(),
            unregistered("SELECT 10"),
            "SELECT 11: node=source role=source\njumped out\nSELECT 13: node=r2 role=replica\n".into(),
            "without a name: 1 1\n".into(),
            "SELECT 1: node=r2 role=replica\nSELECT 2: node=r2 role=replica\nSELECT 3 FOR UPDATE: node=source role=source\n".into(),
            "SELECT 4: node=r1 role=replica\nSELECT 5: node=r2 role=replica\n".into(),
            error("SELECT 6 FOR UPDATE", "the section has no source"),
            error("SELECT 7", "no replica for a read, and failover is disabled"),
            error("SELECT 8", "the program's filter failed: it returned 1"),
            "SELECT 9 FOR UPDATE: node=source role=source\n".into(),
            "SELECT 1: node=r2 role=replica\nSELECT 2 FOR UPDATE: node=source role=source\n".into(),
        ]
        .concat();
        let (start, end) = told.split_at(told.find("connect missing").unwrap_or(told.len()));
        assert_eq!(start, expected, "{family}");
        assert!(end.starts_with("connect missing: error 2000: ") && end.contains("none.so cannot be opened"), "{end}");
    }
}
