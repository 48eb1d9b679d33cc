//! What is promised with Group Replication and with semi-synchronous replication, and what is not: an acknowledged write is on
//! another server, which does not mean that a read finds it there.
#![allow(clippy::unwrap_used)]

#[path = "routed/group.rs"]
mod group;
#[path = "routed/lab.rs"]
mod lab;

use std::time::Duration;

use harness::{Cluster, Family, Spec, families};
use lab::{Shop, addresses};
use mysqlclient_ms::cluster::progress::PAUSE;
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::options::{Family as Library, TlsMode};
use mysqlclient_ms::session::{ConnectArgs, Environment, Session};

const TABLE: &str = "CREATE TABLE t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB";

/// A session of the administrator's on one node, which keeps what is applied there out of the table until it ends.
fn hold_up(cluster: &Cluster, node: usize, table: &str) -> Session {
    let at = cluster.endpoint(node);
    let mut session = Session::new(Library::MySql);
    session.options().tls.mode = TlsMode::Disabled;
    session.options().get_server_public_key = true;
    let args = ConnectArgs {
        host: Some(at.host.into_bytes()),
        port: at.port,
        user: Some(harness::ADMIN_USER.into()),
        password: Some(harness::ADMIN_PASSWORD.into()),
        ..ConnectArgs::default()
    };
    block_on(session.connect_plain(args, &Environment::default())).unwrap();
    block_on(session.run(format!("LOCK TABLES {table} READ").as_bytes())).unwrap();
    session
}

#[test]
fn in_a_group_a_session_sees_its_writes_and_keeps_them_when_the_primary_dies() {
    if !families().contains(&Family::MySql) {
        return;
    }
    let cluster = Cluster::start(Spec::new(Family::MySql, 2)).unwrap();
    let schema = lab::database(&cluster, "group_seen", &[TABLE, "INSERT INTO t VALUES (1, 0)"]);
    let app = harness::APP_USER;
    cluster.sql(0, &format!("GRANT SELECT ON performance_schema.* TO '{app}'@'%'")).unwrap();
    cluster.wait_in_step().unwrap();
    group::form(&cluster);
    let keys = r#""discover": "group_replication", "probe_ms": 2000, "timeouts": {"connect": 1000, "read": 60000},
                  "failover": "loop_before_master", "wait_for_primary_ms": 60000,
                  "consistency": {"level": "session", "wait_ms": 100}"#;
    let shop = Shop::new(&addresses(&cluster), keys);
    let mut handle = shop.connect(Some(&schema));
    handle.ok("UPDATE t SET v = 1");
    let until = std::time::Instant::now() + Duration::from_secs(30);
    while handle.value("SELECT v FROM t") != "1" || handle.node() == 0 {
        assert!(std::time::Instant::now() < until, "no secondary answers: {}", handle.decision());
        std::thread::sleep(Duration::from_millis(50));
    }
    // Acknowledged and certified by the group, not applied on the secondaries.
    let held: Vec<Session> = [1, 2].iter().map(|node| hold_up(&cluster, *node, &format!("{schema}.t"))).collect();
    handle.ok("UPDATE t SET v = 2");
    assert_eq!(handle.value("/*ms=eventual*/ SELECT v FROM t"), "1", "what is not promised: {}", handle.decision());
    assert_eq!(handle.value("SELECT v FROM t"), "2");
    assert_eq!(handle.node(), 0, "{}", handle.decision());
    assert_eq!(handle.value("/*ms=strong*/ SELECT v FROM t"), "2");
    let token = handle.session.token().unwrap();
    // The primary dies: what it acknowledged is on the others, and seen once it is applied.
    cluster.kill(0).unwrap();
    drop(held);
    assert_eq!(handle.value("SELECT v FROM t"), "2", "{}", handle.decision());
    if let Err(error) = handle.run("UPDATE t SET v = v + 1") {
        assert!(matches!(error.code, 2006 | 2013), "{error}");
        handle.ok("UPDATE t SET v = v + 1");
    }
    assert_ne!(handle.node(), 0);
    assert!(handle.value("SELECT v FROM t").parse::<u32>().unwrap() >= 3);
    // A token from before the election is one of the same group: nothing of it is lost.
    let mut other = shop.connect(Some(&schema));
    other.session.set_token(token.as_bytes()).unwrap();
    assert!(other.value("SELECT v FROM t").parse::<u32>().unwrap() >= 2, "{}", other.decision());
}

#[test]
fn with_semi_synchronous_replication_an_acknowledged_write_survives_and_is_waited_for() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 2).semi_sync(true)).unwrap();
        let schema = lab::database(&cluster, "semi", &[TABLE, "INSERT INTO t VALUES (1, 0)"]);
        let keys = r#""discover": "read_only", "probe_ms": 2000, "wait_for_primary_ms": 30000,
                      "failover": {"strategy": "loop_before_master", "remember_failed": true},
                      "timeouts": {"connect": 2000, "read": 30000},
                      "consistency": {"level": "session", "wait_ms": 100}"#;
        let shop = Shop::new(&addresses(&cluster), keys);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("UPDATE t SET v = 1");
        cluster.wait_in_step().unwrap();
        assert_eq!(handle.value("SELECT v FROM t"), "1", "{family}");
        let word = if family == Family::MySql { "REPLICA" } else { "SLAVE" };
        cluster.sql(2, &format!("STOP {word} IO_THREAD")).unwrap();
        cluster.stop_applier(1).unwrap();
        // Received by the first replica, or it would not have been acknowledged; not applied.
        handle.ok("UPDATE t SET v = 2");
        assert_eq!(handle.value("/*ms=eventual*/ SELECT v FROM t"), "1", "{family}: what is not promised");
        assert_eq!(handle.value("SELECT v FROM t"), "2", "{family}");
        assert_eq!(handle.node(), 0, "{family}: {}", handle.decision());
        cluster.kill(0).unwrap();
        cluster.promote(1).unwrap();
        std::thread::sleep(PAUSE);
        assert_eq!(handle.value("SELECT v FROM t"), "2", "{family}: {}", handle.decision());
        assert_ne!(handle.node(), 0, "{family}");
    }
}

/// A source shows a transaction when enough replicas have it; a replica shows it when it has applied it, which may be before.
#[test]
fn reads_do_not_go_back_to_a_source_that_does_not_show_yet_what_a_replica_showed() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 1).semi_sync(true)).unwrap();
        let schema = lab::database(&cluster, "shown", &[TABLE, "INSERT INTO t VALUES (1, 0)"]);
        cluster.wait_in_step().unwrap();
        let keys = r#""consistency": {"level": "session", "monotonic": true, "wait_ms": 10000}"#;
        let mut handle = Shop::new(&addresses(&cluster), keys).connect(Some(&schema));
        assert_eq!(handle.value("SELECT v FROM t"), "0", "{family}");
        // The replica reads on, and acknowledges nothing: the source waits for that, and the transaction is not visible there.
        let role = if family == Family::MySql { ("source", "replica") } else { ("master", "slave") };
        let word = if family == Family::MySql { "REPLICA" } else { "SLAVE" };
        cluster.sql(1, &format!("SET GLOBAL rpl_semi_sync_{}_enabled = 0", role.1)).unwrap();
        let sending = || {
            let newest = "SELECT COALESCE(MAX(id), 0) FROM information_schema.processlist
                          WHERE command LIKE 'Binlog Dump%' AND state LIKE '%has sent all%'";
            cluster.sql(0, newest).unwrap().scalar().parse::<u64>().unwrap()
        };
        let before = sending();
        cluster.sql(1, &format!("STOP {word} IO_THREAD")).unwrap();
        cluster.sql(1, &format!("START {word} IO_THREAD")).unwrap();
        while sending() <= before {}
        cluster.sql(0, &format!("SET GLOBAL rpl_semi_sync_{}_wait_no_{} = 1", role.0, role.1)).unwrap();
        std::thread::scope(|scope| {
            let writing = scope.spawn(|| cluster.sql(0, &format!("UPDATE {schema}.t SET v = 1")).unwrap());
            while handle.value("/*ms=slave*/ SELECT v FROM t") == "0" {}
            assert_eq!(handle.node(), 1, "{family}");
            let here = cluster.sql(0, &format!("SELECT v FROM {schema}.t")).unwrap();
            assert_eq!(here.scalar(), "0", "{family}: the source shows it, the test proves nothing");
            assert!(!writing.is_finished());
            cluster.kill(1).unwrap();
            handle.run("SELECT v FROM t").unwrap_err();
            let release = || {
                let asking =
                    "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT IF(WAIT_FOR%'";
                while family == Family::MySql && cluster.sql(0, asking).unwrap().scalar() == "0" {}
                cluster.sql(0, &format!("SET GLOBAL rpl_semi_sync_{}_enabled = 0", role.0)).unwrap();
            };
            let releasing = (family == Family::MySql).then(|| scope.spawn(release));
            let value = handle.value("SELECT v FROM t");
            assert_eq!(handle.node(), 0, "{family}: {}", handle.decision());
            // A server of MariaDB cannot be asked: docs/quirks.md, "Consistency".
            let expected = if family == Family::MySql { "1" } else { "0" };
            assert_eq!(value, expected, "{family}: {}", handle.decision());
            match releasing {
                Some(releasing) => releasing.join().unwrap(),
                None => release(),
            }
            writing.join().unwrap();
        });
    }
}
