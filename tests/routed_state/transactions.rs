//! Transactions: predicted from the text, corrected by the servers' flags.

use harness::{Cluster, Family, Spec, families, shared};
use mysqlclient_ms::conn::driver::block_on;

use super::{ROUND_ROBIN, database};
use crate::lab::{Handle, Shop, addresses};

fn is_free(handle: &mut Handle) -> bool {
    handle.ok("SELECT COUNT(*) FROM t");
    handle.node() != 0
}

#[test]
fn read_only_transactions_go_to_one_replica_with_everything_in_them() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "read_only");
        cluster.sql(0, &format!("INSERT INTO {schema}.t (v) VALUES ('a')")).unwrap();
        cluster.wait_in_step().unwrap();
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        for begin in ["START TRANSACTION READ ONLY", "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"] {
            handle.ok(begin);
            let node = handle.node();
            assert_ne!(node, 0, "{family}: {}", handle.decision());
            for sql in ["SELECT COUNT(*) FROM t", "SELECT v FROM t FOR SHARE", "SET @in_it = 5", "SELECT @in_it FROM t"]
            {
                // MariaDB does not know FOR SHARE.
                if family == Family::MySql || !sql.contains("SHARE") {
                    handle.ok(sql);
                    assert_eq!(handle.node(), node, "{family}: {sql}");
                }
            }
            let code = handle.code("INSERT INTO t (v) VALUES ('b')");
            assert!(matches!(code, 1792 | 1290), "{family}: the program's own mistake: {code}");
            handle.ok("COMMIT");
            assert_eq!(handle.node(), node, "{family}");
            handle.ok("INSERT INTO t (v) VALUES ('b')");
            assert_eq!(handle.node(), 0, "{family}: afterwards writes go to the source");
            assert_eq!(handle.value("/*ms=master*/ SELECT @in_it FROM DUAL"), "5", "{family}: and state follows");
        }
        // One that writes ends it, as on one server; on the replica nothing stays open.
        handle.ok("START TRANSACTION READ ONLY");
        let replica = handle.node();
        assert_ne!(replica, 0, "{family}");
        let id = handle.session.thread_id();
        handle.ok("BEGIN");
        assert_eq!(handle.node(), 0, "{family}: {}", handle.decision());
        handle.ok("INSERT INTO t (v) VALUES ('c')");
        handle.ok("COMMIT");
        let open = format!("SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_mysql_thread_id = {id}");
        assert_eq!(cluster.sql(replica, &open).unwrap().scalar(), "0", "{family}");
        // The session may say so for all of them.
        handle.ok("SET SESSION TRANSACTION READ ONLY");
        handle.ok("BEGIN");
        assert_ne!(handle.node(), 0, "{family}: {}", handle.decision());
        handle.ok("COMMIT");
        handle.ok("START TRANSACTION READ WRITE");
        assert_eq!(handle.node(), 0, "{family}");
        handle.ok("COMMIT");
        handle.ok("SET SESSION TRANSACTION READ WRITE");
        handle.ok("BEGIN");
        assert_eq!(handle.node(), 0, "{family}");
        handle.ok("COMMIT");
        // And the other way round it stays where it is.
        handle.ok("BEGIN");
        handle.ok("START TRANSACTION READ ONLY");
        assert_eq!(handle.node(), 0, "{family}");
        handle.ok("COMMIT");
        assert!(is_free(&mut handle), "{family}");
    }
}

#[test]
fn state_made_in_a_read_only_transaction_stays_on_its_replica_and_says_so() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "read_only_state");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("START TRANSACTION READ ONLY");
        let node = handle.node();
        handle.ok("SET @z = (SELECT COUNT(*) FROM t)");
        handle.ok("COMMIT");
        handle.ok("SELECT @z FROM DUAL");
        assert_eq!(handle.node(), node, "{family}");
        assert_eq!(handle.code("INSERT INTO t (v) VALUES ('a')"), 1290, "{family}: never without that value");
        handle.ok("SET @z = 0");
        handle.ok("INSERT INTO t (v) VALUES ('a')");
        assert_eq!(handle.node(), 0, "{family}");
    }
}

#[test]
fn stickiness_disabled_master_and_on() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "stickiness");
        let in_transaction = |word: &str, begin: &str| {
            let keys = format!(r#"{ROUND_ROBIN}, "trx_stickiness": "{word}""#);
            let shop = Shop::new(&addresses(cluster), &keys);
            let mut handle = shop.connect(Some(&schema));
            handle.ok(begin);
            let first = handle.node();
            let found = [first, if is_free(&mut handle) { 1 } else { 0 }];
            handle.ok("ROLLBACK");
            found.map(|node| node != 0)
        };
        for (word, read_write, read_only) in [
            ("on", [false, false], [true, true]),
            ("master", [false, false], [false, false]),
            ("disabled", [false, true], [false, true]),
        ] {
            assert_eq!(in_transaction(word, "BEGIN"), read_write, "{family}: {word}");
            assert_eq!(in_transaction(word, "START TRANSACTION READ ONLY"), read_only, "{family}: {word}");
        }
    }
}

#[test]
fn set_transaction_goes_with_the_next_transaction_and_no_further() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "next");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        cluster.sql(0, &format!("INSERT INTO {schema}.t (v) VALUES ('a')")).unwrap();
        cluster.wait_in_step().unwrap();
        let level = |handle: &mut Handle| {
            // Only an open transaction shows its level.
            handle.ok("SELECT COUNT(*) FROM t FOR UPDATE");
            // The servers look at their transactions at most ten times a second.
            std::thread::sleep(std::time::Duration::from_millis(200));
            let id = handle.session.thread_id();
            let sql = format!(
                "SELECT trx_isolation_level FROM information_schema.innodb_trx WHERE trx_mysql_thread_id = {id}"
            );
            cluster.sql(0, &sql).unwrap().scalar().to_owned()
        };
        handle.ok("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
        assert_eq!(handle.node(), 0, "{family}");
        handle.ok("SET @between = 1");
        handle.ok("SELECT 1 FROM DUAL");
        handle.ok("BEGIN");
        assert_eq!(handle.node(), 0, "{family}");
        assert_eq!(level(&mut handle), "READ COMMITTED", "{family}");
        handle.ok("COMMIT");
        assert!(is_free(&mut handle), "{family}: consumed");
        handle.ok("BEGIN");
        assert_eq!(level(&mut handle), "REPEATABLE READ", "{family}: for one only");
        handle.ok("COMMIT");
        // A statement on its own is a transaction too: it goes to the same node, and uses it up.
        handle.ok("SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED");
        handle.ok("SELECT COUNT(*) FROM t");
        assert_eq!(handle.node(), 0, "{family}: {}", handle.decision());
        assert!(is_free(&mut handle), "{family}");
        // READ ONLY.
        handle.ok("SET TRANSACTION READ ONLY");
        handle.ok("BEGIN");
        assert_eq!(handle.code("INSERT INTO t (v) VALUES ('b')"), 1792, "{family}");
        handle.ok("COMMIT");
        handle.ok("BEGIN");
        handle.ok("INSERT INTO t (v) VALUES ('b')");
        handle.ok("COMMIT");
        // Lost with its connection, which the program is told.
        handle.ok("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
        cluster.sql(0, &format!("KILL {}", handle.session.thread_id())).unwrap();
        let code = handle.code("BEGIN");
        assert!(matches!(code, 2006 | 2013 | 4031 | 1927), "{family}: {code}");
        handle.ok("ROLLBACK");
        handle.ok("BEGIN");
        handle.ok("COMMIT");
    }
}

#[test]
fn serializable_reads_go_to_the_source() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "serializable");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        let name = if family == Family::MySql { "transaction_isolation" } else { "tx_isolation" };
        for set in ["SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE", &format!("SET {name} = 'serializable'")] {
            handle.ok(set);
            assert!(!is_free(&mut handle), "{family}: {set}");
            handle.ok("START TRANSACTION READ ONLY");
            assert_eq!(handle.node(), 0, "{family}: {set}");
            handle.ok("COMMIT");
            handle.ok("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
            assert!(is_free(&mut handle), "{family}: {set}");
        }
    }
}

#[test]
fn savepoints_chains_and_hidden_ends() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "ends");
        cluster.sql(0, &format!("CREATE PROCEDURE {schema}.commits() COMMIT")).unwrap();
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        // (statements, in a transaction behind them).
        for (statements, inside) in [
            (&["BEGIN", "INSERT INTO t (v) VALUES ('a')", "SAVEPOINT s", "ROLLBACK TO s"][..], true),
            (&["RELEASE SAVEPOINT s"], true),
            (&["COMMIT AND CHAIN"], true),
            (&["ROLLBACK AND CHAIN"], true),
            (&["ROLLBACK AND NO CHAIN"], false),
            (&["SET completion_type = 'CHAIN'", "BEGIN", "COMMIT"], true),
            (&["SET completion_type = 0", "COMMIT"], false),
            (&["SAVEPOINT outside"], false),
        ] {
            for sql in statements {
                handle.ok(sql);
            }
            assert_eq!(is_free(&mut handle), !inside, "{family}: {statements:?}: {}", handle.decision());
        }
        let counted = handle.session.transaction_disagreements();
        assert_eq!(counted, 1, "{family}: completion_type is in no text");
        // Hidden in a prepared text: the flags tell. (The prepared name binds, so the decision is looked at.)
        handle.ok("BEGIN");
        handle.ok("PREPARE c FROM 'COMMIT'");
        handle.ok("EXECUTE c");
        assert_eq!(handle.session.outcome().status & 1, 0, "{family}");
        handle.ok("DEALLOCATE PREPARE c");
        block_on(handle.session.reset_connection()).unwrap();
        // In a procedure.
        handle.ok("BEGIN");
        handle.ok("INSERT INTO t (v) VALUES ('a')");
        handle.ok("CALL commits()");
        handle.ok("SELECT COUNT(*) FROM t");
        assert!(!handle.decision().contains("open transaction"), "{family}: {}", handle.decision());
        assert_eq!(handle.session.transaction_disagreements(), counted, "{family}: nothing was expected of them");
    }
}

/// Statements that end a transaction, and some that do not, as both families' servers say.
#[test]
fn implicit_commits_are_predicted_as_the_servers_make_them() {
    let both = [
        "CREATE TABLE ic (a INT)",
        "ALTER TABLE ic ADD b INT",
        "CREATE INDEX i ON ic (a)",
        "DROP INDEX i ON ic",
        "CREATE VIEW icv AS SELECT 1 AS a",
        "DROP VIEW icv",
        "RENAME TABLE ic TO ic2",
        "TRUNCATE ic2",
        "DROP TABLE ic2",
        "CREATE USER ic_u",
        "GRANT SELECT ON test.* TO ic_u",
        "REVOKE SELECT ON test.* FROM ic_u",
        "RENAME USER ic_u TO ic_v",
        "DROP USER ic_v",
        "CREATE ROLE ic_r",
        "DROP ROLE ic_r",
        "ANALYZE TABLE t",
        "OPTIMIZE TABLE t",
        "CHECK TABLE t",
        "REPAIR TABLE t",
        "CHECKSUM TABLE t",
        "CACHE INDEX t IN default",
        "LOAD INDEX INTO CACHE t",
        "FLUSH TABLES",
        "FLUSH PRIVILEGES",
        "FLUSH STATUS",
        "LOCK TABLES t READ",
        "UNLOCK TABLES",
        "BEGIN",
        "START TRANSACTION",
        "CREATE PROCEDURE icp() SELECT 1",
        "DROP PROCEDURE icp",
        "CREATE FUNCTION icf() RETURNS INT DETERMINISTIC RETURN 1",
        "DROP FUNCTION icf",
        "CREATE TRIGGER ict BEFORE INSERT ON t FOR EACH ROW SET @a = 1",
        "DROP TRIGGER ict",
        "CREATE EVENT ice ON SCHEDULE EVERY 1 DAY DO SELECT 1",
        "ALTER EVENT ice DISABLE",
        "DROP EVENT ice",
        "CREATE TEMPORARY TABLE tt (a INT)",
        "ALTER TABLE tt ADD b INT",
        "DROP TABLE tt",
        "CREATE TEMPORARY TABLE tt (a INT)",
        "DROP TEMPORARY TABLE tt",
        "SET autocommit = 1",
        "SET @a = 1",
        "SHOW TABLES",
        "DO 1",
        "HANDLER t OPEN",
        "HANDLER t CLOSE",
        "SAVEPOINT s",
        "PREPARE s FROM 'COMMIT'",
        "DEALLOCATE PREPARE s",
        "SELECT GET_LOCK('ic', 1)",
        "SELECT RELEASE_ALL_LOCKS()",
        "INSERT INTO t (v) VALUES ('x')",
        "SET SESSION TRANSACTION READ WRITE",
        "COMMIT AND CHAIN",
        "ROLLBACK AND CHAIN",
        "SET ROLE NONE",
        "PURGE BINARY LOGS BEFORE '2000-01-01'",
        "DROP TABLE IF EXISTS nosuch",
        "EXPLAIN SELECT 1",
    ];
    let mariadb = [
        "CREATE SEQUENCE icq",
        "ALTER SEQUENCE icq INCREMENT 2",
        "SELECT NEXT VALUE FOR icq",
        "SELECT SETVAL(icq, 5)",
        "DROP SEQUENCE icq",
        "BACKUP STAGE START",
        "BACKUP STAGE END",
        "BACKUP LOCK t",
        "BACKUP UNLOCK",
        "CREATE TEMPORARY SEQUENCE tq",
        "DROP TEMPORARY SEQUENCE tq",
        "CREATE OR REPLACE TEMPORARY TABLE tt (a INT)",
        "RENAME TABLE tt TO tt9",
        "DROP TABLE tt9",
        "SET DEFAULT ROLE NONE",
        "SET STATEMENT sort_buffer_size = 100000 FOR SELECT 1",
    ];
    let mysql = [
        "LOCK INSTANCE FOR BACKUP",
        "UNLOCK INSTANCE",
        "RESET PERSIST",
        "FLUSH OPTIMIZER_COSTS",
        "CREATE RESOURCE GROUP ic_rg TYPE = USER",
        "DROP RESOURCE GROUP ic_rg",
        "ALTER USER app REQUIRE NONE",
    ];
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 1)).unwrap();
        let schema = database(&cluster, "implicit");
        cluster
            .sql(0, &format!("GRANT ALL PRIVILEGES ON *.* TO '{}'@'%' WITH GRANT OPTION", harness::APP_USER))
            .unwrap();
        let shop = Shop::new(&addresses(&cluster), "");
        let mut handle = shop.connect(Some(&schema));
        let own: &[&str] = if family == Family::MySql { &mysql } else { &mariadb };
        for sql in both.iter().chain(own) {
            // Tables that are locked stay so until they are unlocked, without a BEGIN, which would unlock them.
            if !["UNLOCK TABLES", "BACKUP STAGE END", "BACKUP UNLOCK"].contains(sql) {
                handle.ok("COMMIT");
                handle.ok("BEGIN");
                handle.ok("INSERT INTO t (v) VALUES ('open')");
            }
            let before = handle.session.transaction_disagreements();
            block_on(handle.session.run(sql.as_bytes())).unwrap_or_else(|error| panic!("{family}: {sql}: {error}"));
            block_on(handle.session.store_result(&mut Default::default())).unwrap();
            // The flags in a row's end are those before an implicit commit: the next reply has the truth.
            handle.ok("DO 1");
            assert_eq!(handle.session.transaction_disagreements(), before, "{family}: {sql}");
        }
    }
}

#[test]
fn autocommit_off_reads_may_go_to_replicas_until_something_is_written() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "off_reads");
        let keys = format!(r#"{ROUND_ROBIN}, "autocommit_off_reads": "replica_until_write""#);
        let shop = Shop::new(&addresses(cluster), &keys);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("SET autocommit = 0");
        assert!(is_free(&mut handle), "{family}: {}", handle.decision());
        assert_eq!(handle.session.outcome().status & 2, 0, "{family}: for the program autocommit is off");
        // On the replica nothing stays open: the next read sees what was written since.
        cluster.sql(0, &format!("INSERT INTO {schema}.t (v) VALUES ('a')")).unwrap();
        cluster.wait_in_step().unwrap();
        assert_eq!(handle.value("SELECT COUNT(*) FROM t"), "1", "{family}");
        handle.ok("INSERT INTO t (v) VALUES ('b')");
        assert_eq!(handle.node(), 0, "{family}");
        assert!(!is_free(&mut handle), "{family}: a transaction is open");
        assert_eq!(handle.value("SELECT COUNT(*) FROM t"), "2", "{family}: and sees its own row");
        handle.ok("ROLLBACK");
        assert!(is_free(&mut handle), "{family}");
        handle.ok("SELECT id FROM t FOR UPDATE");
        assert_eq!(handle.node(), 0, "{family}: a lock is no plain read");
        assert!(!is_free(&mut handle), "{family}");
        block_on(handle.session.commit()).unwrap();
        assert!(is_free(&mut handle), "{family}");
        assert_eq!(handle.value("/*ms=master*/ SELECT COUNT(*) FROM t"), "1", "{family}: rolled back");
        handle.ok("COMMIT");
        handle.ok("SET autocommit = 1");
        assert!(is_free(&mut handle), "{family}");
        assert_ne!(handle.session.outcome().status & 2, 0, "{family}");
        // By default they do not.
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        block_on(handle.session.autocommit(false)).unwrap();
        assert!(!is_free(&mut handle), "{family}");
    }
}

#[test]
fn an_idle_connection_with_autocommit_off_may_be_lost_between_transactions() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "idle_off");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("SET autocommit = 0");
        handle.ok("INSERT INTO t (v) VALUES ('a')");
        handle.ok("COMMIT");
        cluster.sql(0, &format!("KILL {}", handle.session.thread_id())).unwrap();
        // Seen before the statement is sent, or after: then it is an error, but nothing was lost.
        if let Err(error) = handle.run("INSERT INTO t (v) VALUES ('b')") {
            assert!(matches!(error.code, 2006 | 2013 | 4031 | 1927), "{family}: {error}");
            // What this INSERT may have begun is lost.
            handle.ok("ROLLBACK");
            handle.ok("INSERT INTO t (v) VALUES ('b')");
        }
        assert_eq!(handle.value("SELECT @@autocommit"), "0", "{family}");
        handle.ok("ROLLBACK");
        assert_eq!(handle.value("SELECT COUNT(*) FROM t"), "1", "{family}");
    }
}

#[test]
fn any_sequence_of_transactions_and_bound_state_answers_as_one_server_does() {
    for family in families() {
        let cluster = shared(family);
        let (left, right) = (database(cluster, "alone"), database(cluster, "routed"));
        for schema in [&left, &right] {
            for sql in [
                format!("CREATE TABLE {schema}.u (a INT)"),
                format!("CREATE PROCEDURE {schema}.adds() INSERT INTO {schema}.t (v) VALUES ('p')"),
                format!("CREATE PROCEDURE {schema}.ends() COMMIT"),
            ] {
                cluster.sql(0, &sql).unwrap();
            }
        }
        cluster.wait_in_step().unwrap();
        // Reads see what the handle wrote: the answers have to be the same.
        let shop = Shop::new(&addresses(cluster), r#""filters": {"roundrobin": []}"#);
        let one = Shop::new(&addresses(cluster)[..1], r#""failover": {"strategy": "master"}"#);
        let reads = [
            "SELECT COUNT(*) FROM t",
            "SELECT id, v FROM t ORDER BY id DESC LIMIT 3",
            "SELECT MAX(id), MIN(v) FROM t",
            "SELECT @n FROM DUAL",
        ];
        let others = [
            "INSERT INTO t (v) VALUES ('a'), ('b')",
            "INSERT INTO t (v) SELECT CONCAT(v, 'x') FROM t LIMIT 1",
            "UPDATE t SET v = 'c' ORDER BY id LIMIT 2",
            "DELETE FROM t ORDER BY id DESC LIMIT 1",
            "INSERT INTO t (id, v) VALUES (1, 'twice')",
            "SELECT LAST_INSERT_ID()",
            "SELECT COUNT(*) FROM t FOR UPDATE",
            "BEGIN",
            "START TRANSACTION",
            "COMMIT",
            "ROLLBACK",
            "COMMIT AND CHAIN",
            "ROLLBACK AND CHAIN",
            "SAVEPOINT s",
            "ROLLBACK TO s",
            "RELEASE SAVEPOINT s",
            "SET autocommit = 0",
            "SET autocommit = 1",
            "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
            "CREATE TEMPORARY TABLE tmp AS SELECT * FROM t",
            "INSERT INTO tmp VALUES (99, 'tmp')",
            "SELECT COUNT(*) FROM tmp",
            "DROP TEMPORARY TABLE tmp",
            "CREATE TEMPORARY TABLE u (b INT)",
            "SELECT COUNT(*) FROM u",
            "DROP TEMPORARY TABLE u",
            "SELECT GET_LOCK(CONCAT(DATABASE(), '_seq'), 0)",
            "SELECT RELEASE_ALL_LOCKS() >= 0",
            "SELECT @n := COUNT(*) FROM t",
            "SET @n = 5",
            "PREPARE s FROM 'SELECT COUNT(*) FROM t'",
            "EXECUTE s",
            "DEALLOCATE PREPARE s",
            "CREATE TABLE ddl (a INT)",
            "DROP TABLE IF EXISTS ddl",
            "CALL adds()",
            "CALL ends()",
            "XA START 'SCHEMA'",
            "XA END 'SCHEMA'",
            "XA ROLLBACK 'SCHEMA'",
            "START TRANSACTION READ ONLY",
        ];
        let mut on_replicas = 0;
        for seed in 1..=SEQUENCES {
            for schema in [&left, &right] {
                cluster.sql(0, &format!("TRUNCATE {schema}.t; DROP TABLE IF EXISTS {schema}.ddl")).unwrap();
            }
            cluster.wait_in_step().unwrap();
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut draw = |count: usize| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state % count as u64) as usize
            };
            let (mut alone, mut routed) = (one.connect(Some(&left)), shop.connect(Some(&right)));
            let mut done = Vec::new();
            let mut read_only = false;
            for _ in 0..60 {
                // In a READ ONLY transaction, which is on a replica, only reads: errors differ, and state made there stays.
                let sql = match draw(5) {
                    _ if read_only && draw(3) == 0 => ["COMMIT", "ROLLBACK", "BEGIN"][draw(3)],
                    0..3 if !read_only => others[draw(others.len())],
                    _ => reads[draw(reads.len())],
                };
                if sql == "START TRANSACTION READ ONLY" {
                    read_only = true;
                } else if !reads.contains(&sql) {
                    read_only = false;
                }
                let run = |handle: &mut Handle, schema: &str| {
                    let rows = handle.run(&sql.replace("SCHEMA", schema)).map_err(|error| error.code);
                    while matches!(block_on(handle.session.next_result()), Ok(true)) {
                        block_on(handle.session.store_result(&mut Default::default())).unwrap();
                    }
                    rows
                };
                let (a, b) = (run(&mut alone, &left), run(&mut routed, &right));
                on_replicas += usize::from(routed.session.node() != Some(0));
                done.push(sql);
                assert_eq!(
                    a,
                    b,
                    "{family}, seed {seed}, node {:?}: {done:?}: {}",
                    routed.session.node(),
                    routed.decision()
                );
                let flags = |handle: &Handle| handle.session.outcome().status & 3;
                assert_eq!(flags(&alone), flags(&routed), "{family}, seed {seed}: {done:?}");
                if a.is_err() {
                    read_only = false;
                }
            }
        }
        assert!(on_replicas as u64 > SEQUENCES, "{family}: {on_replicas}");
    }
}

/// Enough to meet every statement in many states; more were run when this was written.
const SEQUENCES: u64 = 8;
