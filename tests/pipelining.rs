//! Nodes that are proxies which take one command at a time: `"pipelining": false`. Whatever goes ahead of a statement there is
//! awaited before the statement is sent; what is counted are commands and round trips, by a proxy of our own.
#![allow(clippy::unwrap_used)]

#[path = "routed/lab.rs"]
mod lab;

use harness::{Cluster, Family, Proxy, Spec, families};
use lab::{Address, Handle, Shop, addresses};
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::result::BinaryRows;
use mysqlclient_ms::session::{Parameters, Prepared, Request};

const OFF: &str = r#""pipelining": false"#;

/// A source and a replica, each behind a proxy that keeps what it carries; a schema with tables.
struct Lab {
    cluster: Cluster,
    schema: String,
    proxies: Vec<Proxy>,
    through: Vec<Address>,
}

impl Lab {
    fn new(family: Family) -> Lab {
        let cluster = Cluster::start(Spec::new(family, 1)).unwrap();
        let counter = "CREATE TABLE counter (id INT) ENGINE=InnoDB; INSERT INTO counter VALUES (0)";
        let schema = lab::database(&cluster, "pipelining", &[lab::TABLE, counter]);
        let start = |(host, port): Address| Proxy::start(&format!("{host}:{port}")).unwrap();
        let proxies: Vec<Proxy> = addresses(&cluster).into_iter().map(start).collect();
        let through = proxies.iter().map(|proxy| (proxy.host(), proxy.port())).collect();
        Lab { cluster, schema, proxies, through }
    }

    /// Round trips to source and replica.
    fn trips(&self, work: impl FnOnce()) -> (u64, u64) {
        self.proxies.iter().for_each(Proxy::reset_stats);
        work();
        (self.proxies[0].stats().round_trips, self.proxies[1].stats().round_trips)
    }
}

/// What a client sent that has a reply, whole packets one after the other.
fn answered(up: &[u8]) -> u64 {
    const HAVE_NO_REPLY: [u8; 3] = [1, 24, 25];
    let (mut at, mut count) = (0, 0);
    while let Some([a, b, c, sequence]) = up.get(at..at + 4) {
        let body = up.get(at + 4).copied();
        count += u64::from(*sequence != 0 || !body.is_some_and(|byte| HAVE_NO_REPLY.contains(&byte)));
        at += 4 + usize::from(*a) + (usize::from(*b) << 8) + (usize::from(*c) << 16);
    }
    count
}

/// What the program sends, in all ways.
fn work(handle: &mut Handle, schema: &str) {
    let mut prepared = Prepared::default();
    block_on(handle.session.prepare(&mut prepared, b"SELECT COUNT(*) FROM t")).unwrap();
    for round in 0..3 {
        for sql in [
            "INSERT INTO t (v) VALUES ('x')",
            "SELECT COUNT(*) FROM t",
            &format!("SET @a = {round}, SESSION sort_buffer_size = {}", 262_144 + round * 4096),
            "SELECT @a, COUNT(*) FROM t",
            "INSERT INTO t (v) VALUES (@a)",
            "START TRANSACTION READ ONLY",
            "SELECT COUNT(*) FROM t",
            "COMMIT",
            "BEGIN",
            "UPDATE t SET v = 'y' WHERE id = 1",
            "COMMIT",
        ] {
            handle.ok(sql);
        }
        execute(handle, &mut prepared);
        handle.send("SELECT COUNT(*) FROM t");
        block_on(handle.session.select_db(schema.as_bytes())).unwrap();
        handle.ok("SELECT COUNT(*) FROM t");
        block_on(handle.session.reset_connection()).unwrap();
        block_on(handle.session.select_db(schema.as_bytes())).unwrap();
        block_on(handle.session.prepare(&mut prepared, b"SELECT COUNT(*) FROM t")).unwrap();
    }
}

fn execute(handle: &mut Handle, prepared: &mut Prepared) {
    let request = Request { parameters: Parameters::default(), ..Request::default() };
    block_on(handle.session.execute(prepared, &request)).unwrap();
    block_on(handle.session.store_statement_rows(&[], &mut BinaryRows::default())).unwrap();
}

#[test]
fn what_goes_ahead_of_a_statement_is_awaited_on_a_node_that_does_not_pipeline() {
    for family in families() {
        let lab = Lab::new(family);
        let injection =
            r#""global_transaction_id_injection": {"on_commit": "UPDATE test_pipelining.counter SET id = id + 1"}"#;
        for (node, keys, ahead) in [("", "", 0), (OFF, "", 1), ("", OFF, 1)] {
            // The replica alone, or all nodes.
            let keys = [keys, r#""consistency": {"wait_ms": 5000}"#].map(str::to_owned);
            let keys: Vec<String> = keys.into_iter().filter(|keys| !keys.is_empty()).collect();
            let what = format!("{family}: {node} {keys:?}");
            let shop = Shop::of(&Shop::text(&lab.through, &["", node], &keys.join(", ")));
            let mut handle = shop.connect(Some(&lab.schema));
            let mut prepared = Prepared::default();
            let sql = "SELECT COUNT(*) FROM t";
            block_on(handle.session.prepare(&mut prepared, sql.as_bytes())).unwrap();
            handle.ok("INSERT INTO t (v) VALUES ('a')");
            handle.ok(sql);
            execute(&mut handle, &mut prepared);
            assert_eq!(handle.node(), 1, "{what}");
            assert_eq!(lab.trips(|| drop(handle.ok(sql))), (0, 1), "{what}: nothing ahead");
            // State.
            handle.ok("SET @a = 1");
            assert_eq!(lab.trips(|| drop(handle.ok("SELECT @a, v FROM t"))), (0, 1 + ahead), "{what}: text");
            handle.ok("SET @a = 2");
            assert_eq!(lab.trips(|| execute(&mut handle, &mut prepared)), (0, 1 + ahead), "{what}: prepared");
            // The wait for what was written.
            handle.ok("INSERT INTO t (v) VALUES ('b')");
            assert_eq!(lab.trips(|| drop(handle.ok(sql))), (0, 1 + ahead), "{what}: text behind a write");
            handle.ok("INSERT INTO t (v) VALUES ('c')");
            assert_eq!(lab.trips(|| execute(&mut handle, &mut prepared)), (0, 1 + ahead), "{what}: behind a write");
            assert_eq!(handle.node(), 1, "{what}");
        }
        // Ahead of a write.
        for (keys, ahead) in [("", 0), (OFF, 1)] {
            let keys = if keys.is_empty() { injection.to_owned() } else { format!("{injection}, {keys}") };
            let shop = Shop::new(&lab.through, &keys);
            let mut handle = shop.connect(Some(&lab.schema));
            let sql = "INSERT INTO t (v) VALUES ('d')";
            let mut prepared = Prepared::default();
            block_on(handle.session.prepare(&mut prepared, sql.as_bytes())).unwrap();
            handle.ok(sql);
            assert_eq!(lab.trips(|| drop(handle.ok(sql))), (1 + ahead, 0), "{family}: {keys}");
            let request = Request { parameters: Parameters::default(), ..Request::default() };
            let mut run = || drop(block_on(handle.session.execute(&mut prepared, &request)).unwrap());
            run();
            assert_eq!(lab.trips(run), (1 + ahead, 0), "{family}: {keys}");
        }
    }
}

#[test]
fn a_node_that_does_not_pipeline_gets_every_command_alone() {
    for family in families() {
        let lab = Lab::new(family);
        let app = harness::APP_USER;
        lab.cluster.sql(0, &format!("GRANT SELECT ON performance_schema.* TO '{app}'@'%'")).unwrap();
        lab.cluster.wait_in_step().unwrap();
        for keys in [
            r#""consistency": {"wait_ms": 5000}"#,
            r#""consistency": {"wait_ms": 5000, "monotonic": true}"#,
            r#""consistency": {"wait_ms": 5000, "tables": true}"#,
            r#""consistency": {"level": "eventual", "max_lag_ms": 60000}, "lag": {"refresh_ms": 20}"#,
            r#""consistency": "strong", "discover": "read_only""#,
            r#""consistency": {"scope": "process", "wait_ms": 5000}, "discover": "read_only""#,
            r#""global_transaction_id_injection": {"on_commit": "UPDATE test_pipelining.counter SET id = id + 1"}"#,
        ] {
            for off in [true, false] {
                lab.proxies.iter().for_each(|proxy| proxy.capture(true));
                lab.proxies.iter().for_each(Proxy::reset_stats);
                let all = if off { format!("{OFF}, {keys}") } else { keys.to_owned() };
                let shop = Shop::new(&lab.through, &all);
                let (mut one, mut two) = (shop.connect(Some(&lab.schema)), shop.connect(Some(&lab.schema)));
                work(&mut one, &lab.schema);
                work(&mut two, &lab.schema);
                // All nodes are asked at once what they are.
                lab.cluster.sql(0, "SET GLOBAL read_only = ON").unwrap();
                let _ = one.run("INSERT INTO t (v) VALUES ('z')");
                lab.cluster.sql(0, "SET GLOBAL read_only = OFF").unwrap();
                let counted: Vec<(u64, u64)> = lab
                    .proxies
                    .iter()
                    .map(|proxy| {
                        let commands = proxy.captured().iter().map(|connection| answered(&connection.up)).sum();
                        (commands, proxy.stats().round_trips)
                    })
                    .collect();
                let alone = counted.iter().all(|(commands, round_trips)| commands == round_trips);
                assert_eq!(alone, off, "{family}: {all}: commands and round trips {counted:?}");
            }
        }
    }
}
