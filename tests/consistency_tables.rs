//! Reads that wait for the writes to their own tables only, on real clusters of both families: what narrows, and that views,
//! triggers, foreign keys, functions and everything that is not understood widen.
//!
//! The applier is stopped: a read that the replica answers needed nothing of what was written.
#![allow(clippy::unwrap_used)]

#[path = "routed/lab.rs"]
mod lab;

use harness::{Cluster, Family, Proxy, Spec, families};
use lab::{Address, Handle, Shop, addresses};
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::session::{Parameters, Prepared, Request};

/// Nodes as [`Handle::node`] tells them.
const SOURCE: usize = 0;
const REPLICA: usize = 1;

const KEYS: &str = r#""consistency": {"level": "session", "tables": true, "wait_ms": 20}"#;

const TABLES: &[&str] = &[
    "CREATE TABLE a (id INT PRIMARY KEY AUTO_INCREMENT, v INT) ENGINE=InnoDB",
    "CREATE TABLE b (id INT PRIMARY KEY AUTO_INCREMENT, v INT) ENGINE=InnoDB",
    "CREATE TABLE parent (id INT PRIMARY KEY AUTO_INCREMENT, v INT) ENGINE=InnoDB",
    "CREATE TABLE child (id INT PRIMARY KEY AUTO_INCREMENT, parent INT, \
     FOREIGN KEY (parent) REFERENCES parent (id) ON DELETE CASCADE) ENGINE=InnoDB",
    "CREATE TABLE strict (id INT PRIMARY KEY AUTO_INCREMENT, parent INT, \
     FOREIGN KEY (parent) REFERENCES parent (id)) ENGINE=InnoDB",
    "CREATE TABLE watched (id INT PRIMARY KEY AUTO_INCREMENT, v INT) ENGINE=InnoDB",
    "CREATE TABLE journal (id INT PRIMARY KEY AUTO_INCREMENT, v INT) ENGINE=InnoDB",
    "CREATE TRIGGER watching AFTER INSERT ON watched FOR EACH ROW INSERT INTO journal (v) VALUES (NEW.v)",
    "CREATE VIEW view_of_a AS SELECT v FROM a",
    "CREATE VIEW plain_view AS SELECT id, v FROM b",
    "CREATE FUNCTION noted(x INT) RETURNS INT DETERMINISTIC MODIFIES SQL DATA BEGIN INSERT INTO b (v) VALUES (x); RETURN x; END",
    "CREATE PROCEDURE put(x INT) INSERT INTO a (v) VALUES (x)",
];

/// One source, one replica whose applier is stopped once the tables are there.
fn cluster(family: Family, name: &str) -> (Cluster, String) {
    let more = if family == Family::MySql {
        "--log-bin-trust-function-creators=1"
    } else {
        "--log-bin-trust-function-creators"
    };
    let cluster = Cluster::start(Spec::new(family, 1).server_arg(more)).unwrap();
    let schema = lab::database(&cluster, name, TABLES);
    cluster.stop_applier(1).unwrap();
    (cluster, schema)
}

/// Lets the process learn what all the tables are: reads make them known as wanted, statements on the source ask.
fn learn(shop: &Shop, schema: &str) {
    let mut handle = shop.connect(Some(schema));
    let all = ["a", "b", "parent", "child", "strict", "watched", "journal", "view_of_a", "plain_view"];
    handle.ok("INSERT INTO a (v) VALUES (0)");
    for table in all {
        handle.ok(&format!("SELECT COUNT(*) FROM {table}"));
        handle.ok("INSERT INTO a (v) VALUES (0)");
    }
}

/// Where a new handle's read goes after these statements.
fn read_after(shop: &Shop, schema: &str, statements: &[&str], read: &str) -> usize {
    let mut handle = shop.connect(Some(schema));
    for statement in statements {
        handle.ok(statement);
    }
    handle.ok(read);
    handle.node()
}

#[test]
fn a_read_waits_for_the_writes_to_its_own_tables() {
    for family in families() {
        let (cluster, schema) = cluster(family, "own");
        let shop = Shop::new(&addresses(&cluster), KEYS);
        learn(&shop, &schema);
        let at = |statements: &[&str], read: &str| read_after(&shop, &schema, statements, read);
        let write = "INSERT INTO a (v) VALUES (1)";
        let elsewhere = format!("SELECT v FROM {schema}.a");
        let cases: &[(&[&str], &str, usize)] = &[
            (&[write], "SELECT v FROM b", REPLICA),
            (&[write], "SELECT 1", REPLICA),
            (&[write], "SELECT v FROM a", SOURCE),
            (&[write], &elsewhere, SOURCE),
            (&[write], "SELECT b.v FROM b LEFT JOIN a ON a.id = b.id", SOURCE),
            (&[write], "SELECT v FROM b WHERE id IN (SELECT id FROM a)", SOURCE),
            (&[write], "WITH a AS (SELECT v FROM b) SELECT v FROM a", REPLICA),
            (&["UPDATE a SET v = v + 1"], "SELECT v FROM b", REPLICA),
            (&["DELETE FROM a WHERE id = 1"], "SELECT v FROM b", REPLICA),
            (&["REPLACE INTO a VALUES (1, 1)"], "SELECT v FROM b", REPLICA),
            (&["INSERT INTO a (v) SELECT 5 FROM b"], "SELECT v FROM strict JOIN parent USING (id)", REPLICA),
            (&["BEGIN", write, "UPDATE b SET v = 2", "COMMIT"], "SELECT v FROM parent", REPLICA),
            (&["BEGIN", write, "INSERT INTO b (v) VALUES (1)", "COMMIT"], "SELECT v FROM b", SOURCE),
            (&["BEGIN", write, "ROLLBACK", "INSERT INTO b (v) VALUES (1)"], "SELECT v FROM a", REPLICA),
            (&["SET autocommit = 0", write, "SET autocommit = 1"], "SELECT v FROM b", REPLICA),
            (&["SET autocommit = 0", write, "COMMIT", "SET autocommit = 1"], "SELECT v FROM a", SOURCE),
        ];
        for (statements, read, expected) in cases {
            // The foreign key of `strict` makes no difference: no write to another table changes it.
            let read = read.replace("SELECT v FROM strict", "SELECT strict.id FROM strict");
            assert_eq!(at(statements, &read), *expected, "{family}: {statements:?}, {read}");
        }
    }
}

#[test]
fn views_triggers_foreign_keys_functions_and_what_is_not_understood_widen() {
    for family in families() {
        let (cluster, schema) = cluster(family, "wide");
        let shop = Shop::new(&addresses(&cluster), KEYS);
        learn(&shop, &schema);
        let at = |statements: &[&str], read: &str| read_after(&shop, &schema, statements, read);
        for (statements, read) in [
            (&["INSERT INTO a (v) VALUES (1)"][..], "SELECT v FROM view_of_a"),
            (&["INSERT INTO plain_view (v) VALUES (1)"], "SELECT v FROM b"),
            (&["INSERT INTO watched (v) VALUES (1)"], "SELECT v FROM journal"),
            (&["INSERT INTO parent VALUES (7, 1)", "DELETE FROM parent WHERE id = 7"], "SELECT id FROM child"),
            (&["INSERT INTO a (v) VALUES (noted(4))"], "SELECT v FROM b"),
            (&["CALL put(3)"], "SELECT v FROM b"),
            (&["SET @x = noted(5)"], "SELECT v FROM parent"),
            (&["BEGIN", "INSERT INTO a (v) VALUES (1)", "SET @x = noted(5)", "COMMIT"], "SELECT v FROM b"),
            (&["BEGIN", "INSERT INTO a (v) VALUES (1)", "CALL put(6)", "COMMIT"], "SELECT v FROM b"),
            (&["CREATE TABLE IF NOT EXISTS other (id INT)"], "SELECT v FROM b"),
            (
                &["INSERT INTO a (v) VALUES (1)"],
                "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_NAME = 'x'",
            ),
        ] {
            learn(&shop, &schema);
            assert_eq!(at(statements, read), SOURCE, "{family}: {statements:?}, {read}");
        }
        learn(&shop, &schema);
        assert_eq!(at(&["INSERT INTO parent VALUES (9, 1)"], "SELECT v FROM b"), REPLICA, "{family}: still by table");
        let mut several = shop
            .try_connect(Some(&schema), |session| session.options().client_flags |= 1 << 16)
            .unwrap_or_else(|_| shop.connect(Some(&schema)));
        if block_on(several.session.run(b"INSERT INTO a (v) VALUES (1); INSERT INTO b (v) VALUES (2)")).is_ok() {
            while block_on(several.session.next_result()).unwrap() {}
            several.ok("SELECT v FROM parent");
            assert_eq!(several.node(), SOURCE, "{family}: several statements in one text");
        }
    }
}

#[test]
fn the_answer_is_right_whatever_happens_to_the_tables() {
    for family in families() {
        let (cluster, schema) = cluster(family, "changed");
        let shop = Shop::new(&addresses(&cluster), KEYS);
        learn(&shop, &schema);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("INSERT INTO a (v) VALUES (1)");
        handle.ok("SELECT v FROM b");
        assert_eq!(handle.node(), REPLICA, "{family}");
        // The process itself makes a trigger: what it knew of tables is void.
        handle.ok("CREATE TRIGGER new_one AFTER INSERT ON a FOR EACH ROW INSERT INTO b (v) VALUES (NEW.v)");
        let mut other = shop.connect(Some(&schema));
        other.ok("INSERT INTO a (v) VALUES (77)");
        assert_eq!(other.value("SELECT COUNT(*) FROM b WHERE v = 77"), "1", "{family}");
        assert_eq!(other.node(), SOURCE, "{family}: {}", other.decision());
    }
}

#[test]
fn what_was_written_counts_for_everything_after_the_end_time() {
    for family in families() {
        let (cluster, schema) = cluster(family, "ends");
        let keys = r#""consistency": {"level": "session", "tables": {"keep_ms": 1500}, "wait_ms": 0}"#;
        let shop = Shop::new(&addresses(&cluster), keys);
        learn(&shop, &schema);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("INSERT INTO a (v) VALUES (1)");
        std::thread::sleep(std::time::Duration::from_millis(1600));
        handle.ok("SELECT v FROM b");
        assert_eq!(handle.node(), SOURCE, "{family}: {}", handle.decision());
    }
}

#[test]
fn an_account_that_is_not_shown_triggers_waits_for_everything() {
    for family in families() {
        let (cluster, schema) = cluster(family, "unseen");
        cluster
            .sql(0, &format!("CREATE USER poor IDENTIFIED BY 'poorpw'; GRANT SELECT, INSERT ON {schema}.* TO poor"))
            .unwrap();
        cluster
            .sql(1, "SET SESSION sql_log_bin = 0; SET GLOBAL read_only = 0; CREATE USER IF NOT EXISTS poor IDENTIFIED BY 'poorpw'")
            .unwrap();
        cluster.sql(1, &format!("SET SESSION sql_log_bin = 0; GRANT SELECT ON {schema}.* TO poor")).unwrap();
        let poor = r#""user": "poor", "password": "poorpw""#;
        let text = Shop::text(&addresses(&cluster), &[poor, poor], KEYS);
        let shop = Shop::of(&text);
        learn(&shop, &schema);
        // Without the privilege TRIGGER it cannot know that `watched` has one.
        assert_eq!(
            read_after(&shop, &schema, &["INSERT INTO watched (v) VALUES (1)"], "SELECT v FROM journal"),
            SOURCE
        );
        assert_eq!(
            read_after(&shop, &schema, &["INSERT INTO a (v) VALUES (1)"], "SELECT v FROM b"),
            SOURCE,
            "{family}"
        );
    }
}

#[test]
fn nothing_costs_a_further_round_trip() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 1)).unwrap();
        let schema = lab::database(&cluster, "trips", TABLES[..2].as_ref());
        let proxies: Vec<Proxy> =
            addresses(&cluster).iter().map(|(host, port)| Proxy::start(&format!("{host}:{port}")).unwrap()).collect();
        let through: Vec<Address> = proxies.iter().map(|proxy| (proxy.host(), proxy.port())).collect();
        let shop = Shop::new(&through, r#""consistency": {"level": "session", "tables": true, "wait_ms": 5000}"#);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("SELECT 1");
        handle.ok("DELETE FROM a WHERE id < 0");
        let trips = |handle: &mut Handle, sql: &str| {
            proxies.iter().for_each(Proxy::reset_stats);
            handle.ok(sql);
            (proxies[0].stats().round_trips, proxies[1].stats().round_trips)
        };
        for _ in 0..4 {
            assert_eq!(trips(&mut handle, "INSERT INTO a (v) VALUES (1)"), (1, 0), "{family}");
            assert_eq!(trips(&mut handle, "SELECT v FROM b"), (0, 1), "{family}");
            assert_eq!(trips(&mut handle, "SELECT v FROM a"), (0, 1), "{family}");
        }
        let mut prepared = Prepared::default();
        block_on(handle.session.prepare(&mut prepared, b"INSERT INTO a (v) VALUES (10)")).unwrap();
        let request = Request { parameters: Parameters::default(), ..Request::default() };
        block_on(handle.session.execute(&mut prepared, &request)).unwrap();
        cluster.stop_applier(1).unwrap();
        block_on(handle.session.execute(&mut prepared, &request)).unwrap();
        assert_eq!(trips(&mut handle, "SELECT v FROM b"), (0, 1), "{family}: executions count by table, too");
    }
}
