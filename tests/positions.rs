//! Positions: our sets of GTIDs beside the server's own functions, and what is known of a node that is set up anew.
#![allow(clippy::unwrap_used)]

#[path = "routed/lab.rs"]
mod lab;

use harness::{Cluster, Family, Spec, families};
use lab::{Shop, addresses};
use mysqlclient_ms::cluster::gtid::GtidSet;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

const UUIDS: [&str; 3] = [
    "3e11fa47-71ca-11e1-9e33-c80aa9429562",
    "4e11fa47-71ca-11e1-9e33-c80aa9429562",
    "AE11FA47-71CA-11E1-9E33-C80AA9429562",
];

/// A set as somebody may write it: origins and intervals in any order, overlapping, with tags, blanks and line ends.
fn random_set(random: &mut SmallRng) -> String {
    let parts = (0..random.random_range(0..4)).map(|_| {
        let mut part = UUIDS[random.random_range(0..UUIDS.len())].to_owned();
        if random.random_range(0..4) == 0 {
            part += [":shop", ":Blue_1"][random.random_range(0..2)];
        }
        for _ in 0..random.random_range(1..5) {
            let first = random.random_range(1..40);
            part += &match random.random_range(0..3) {
                0 => format!(":{first}"),
                _ => format!(":{first}-{}", first + random.random_range(0..12)),
            };
        }
        part
    });
    let parts: Vec<String> = parts.collect();
    parts.join([",", ", ", ",\n"][random.random_range(0..3)])
}

#[test]
fn sets_of_gtids_are_what_the_server_takes_them_for() {
    if !families().contains(&Family::MySql) {
        return;
    }
    let cluster = harness::shared(Family::MySql);
    let seed = u64::from(std::process::id());
    let mut random = SmallRng::seed_from_u64(seed);
    let pairs: Vec<(String, String)> = (0..400).map(|_| (random_set(&mut random), random_set(&mut random))).collect();
    let set = |text: &str| GtidSet::parse(text.as_bytes()).unwrap_or_else(|_| panic!("seed {seed}: {text}"));
    for some in pairs.chunks(50) {
        let questions: Vec<String> = some
            .iter()
            .map(|(a, b)| {
                format!("SELECT GTID_SUBSET('{a}','{b}'), GTID_SUBTRACT('{a}','{b}'), GTID_SUBTRACT('{a}','')")
            })
            .collect();
        let rows = cluster.sql(0, &questions.join(" UNION ALL ")).unwrap().rows;
        assert_eq!(rows.len(), some.len());
        for ((a, b), row) in some.iter().zip(rows) {
            let (ours, other) = (set(a), set(b));
            let value = |column: usize| row[column].clone().unwrap_or_default();
            assert_eq!(other.is_superset(&ours), value(0) == "1", "seed {seed}: {a} in {b}");
            assert_eq!(ours.minus(&other), set(&value(1)), "seed {seed}: {a} without {b}");
            assert_eq!(ours, set(&value(2)), "seed {seed}: {a}");
            let mut union = ours.clone();
            union.union(&other);
            assert!(union.is_superset(&ours) && union.is_superset(&other), "seed {seed}: {a} and {b}");
            assert_eq!(set(&union.to_string()), union, "seed {seed}");
            // The server reads what we write.
            assert_eq!(union.minus(&ours).minus(&other), GtidSet::default(), "seed {seed}");
        }
        let written: Vec<String> = some
            .iter()
            .map(|(a, b)| {
                let mut union = set(a);
                union.union(&set(b));
                format!("SELECT GTID_SUBSET('{a}','{union}') AND GTID_SUBSET('{b}','{union}')")
            })
            .collect();
        for row in cluster.sql(0, &written.join(" UNION ALL ")).unwrap().rows {
            assert_eq!(row[0].as_deref(), Some("1"), "seed {seed}");
        }
    }
}

#[test]
fn what_was_known_of_a_node_does_not_count_for_the_one_that_is_set_up_in_its_place() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 1)).unwrap();
        let table = "CREATE TABLE t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB";
        let schema = lab::database(&cluster, "anew", &[table, "INSERT INTO t VALUES (1, 0)"]);
        let shop = Shop::new(&addresses(&cluster), r#""consistency": {"wait_ms": 50}"#);
        let (mut one, mut other) = (shop.connect(Some(&schema)), shop.connect(Some(&schema)));
        one.ok("UPDATE t SET v = 1");
        cluster.wait_in_step().unwrap();
        assert_eq!(one.value("SELECT v FROM t"), "1", "{family}");
        assert_eq!(one.node(), 1, "{family}: known to have it: {}", one.decision());
        other.session.set_token(one.session.token().unwrap().as_bytes()).unwrap();
        // Another server in its place, which has nothing of what was written.
        cluster.rebuild(1, "").unwrap();
        let forget = match family {
            Family::MariaDb => "STOP SLAVE; RESET MASTER; SET GLOBAL gtid_slave_pos = ''",
            Family::MySql => {
                "STOP REPLICA; SET GLOBAL super_read_only = 0; RESET REPLICA ALL; RESET BINARY LOGS AND GTIDS"
            }
        };
        cluster.sql(1, forget).unwrap();
        cluster.sql(1, &format!("SET sql_log_bin = 0; UPDATE {schema}.t SET v = 0")).unwrap();
        for (handle, name) in [(&mut one, "the one that knew"), (&mut other, "another")] {
            assert_eq!(handle.value("SELECT v FROM t"), "1", "{family}: {name}: {}", handle.decision());
            assert_eq!(handle.node(), 0, "{family}: {name}");
        }
    }
}
