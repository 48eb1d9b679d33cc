//! State that lives on one node: the handle stays there until it is provably gone, and losing the node is an error.

use harness::{Cluster, Family, Spec, families, shared};
use mysqlclient_ms::conn::driver::block_on;

use super::{ROUND_ROBIN, database};
use crate::lab::{Handle, Shop, addresses};

/// Whether a plain read goes to a replica now.
fn is_free(handle: &mut Handle) -> bool {
    handle.ok("SELECT COUNT(*) FROM t");
    handle.node() != 0
}

#[test]
fn each_kind_of_bound_state_holds_the_handle_until_it_is_provably_gone() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "kinds");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let rows: &[(&[&str], &[&str])] = &[
            (&["CREATE TEMPORARY TABLE a (x INT)"], &["DROP TEMPORARY TABLE a"]),
            (
                &["CREATE TEMPORARY TABLE a AS SELECT 1 AS x", "CREATE TEMPORARY TABLE b (y INT)"],
                &["DROP TABLE b", "DROP TABLE IF EXISTS a"],
            ),
            (&["SELECT GET_LOCK('state_a', 1)"], &["SELECT RELEASE_LOCK('STATE_A')"]),
            (
                &["SELECT GET_LOCK('state_a', 1)", "DO GET_LOCK('state_b', 1)", "SELECT GET_LOCK('state_a', 1)"],
                &["DO RELEASE_LOCK('state_b')", "SELECT RELEASE_LOCK('state_a')", "SELECT RELEASE_LOCK('state_a')"],
            ),
            (
                &["SELECT GET_LOCK(CONCAT('state_', 'c'), 1)"],
                &["SELECT RELEASE_LOCK('state_c')", "SELECT RELEASE_ALL_LOCKS()"],
            ),
            (&["HANDLER t OPEN", "HANDLER t OPEN AS other"], &["HANDLER other CLOSE", "HANDLER t CLOSE"]),
            (&["PREPARE s FROM 'SELECT 1'", "PREPARE s FROM 'SELECT 2'"], &["DEALLOCATE PREPARE S"]),
            (&["SET @x = 1 + 1"], &["SET @x = 2"]),
            (&["SELECT @x := 5", "SELECT 6 INTO @y"], &["SET @x = 5", "SET @y = NULL"]),
            (&["XA START 'state'", "XA END 'state'"], &["XA ROLLBACK 'state'"]),
            (&["LOCK TABLES t READ"], &["UNLOCK TABLES"]),
            (&["LOCK TABLES t READ"], &["BEGIN", "COMMIT"]),
        ];
        for (begin, end) in rows {
            let mut handle = shop.connect(Some(&schema));
            assert!(is_free(&mut handle), "{family}");
            for sql in *begin {
                handle.ok(sql);
                assert_eq!(handle.node(), 0, "{family}: {sql}");
            }
            let (last, first) = end.split_last().unwrap();
            let check = |handle: &mut Handle, behind: &str| {
                // In an XA transaction that has ended nothing may be read.
                if !begin[0].starts_with("XA") {
                    assert!(!is_free(handle), "{family}: {begin:?}, behind {behind}");
                }
            };
            check(&mut handle, "the beginning");
            for sql in first {
                handle.ok(sql);
                check(&mut handle, sql);
            }
            handle.ok(last);
            assert!(is_free(&mut handle), "{family}: {begin:?} {end:?}: {}", handle.decision());
        }
    }
}

#[test]
fn a_global_read_lock_binds_until_it_is_unlocked() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 1)).unwrap();
        cluster.sql(0, "CREATE TABLE test.t (v INT)").unwrap();
        cluster.sql(0, &format!("GRANT RELOAD ON *.* TO '{}'@'%'", harness::APP_USER)).unwrap();
        cluster.wait_in_step().unwrap();
        let shop = Shop::new(&addresses(&cluster), "");
        let mut handle = shop.connect(Some("test"));
        handle.ok("FLUSH TABLES WITH READ LOCK");
        assert!(!is_free(&mut handle), "{family}");
        assert!(handle.decision().contains("tables are locked here"), "{family}: {}", handle.decision());
        handle.ok("UNLOCK TABLES");
        assert!(is_free(&mut handle), "{family}");
    }
}

#[test]
fn what_is_not_proven_to_be_gone_holds_until_the_session_is_reset() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "unproven");
        cluster.sql(0, &format!("CREATE PROCEDURE {schema}.nothing() SELECT 1")).unwrap();
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        for statements in [
            &["CREATE TEMPORARY TABLE a (x INT)", "ALTER TABLE a RENAME TO b", "DROP TABLE IF EXISTS a"][..],
            &["SELECT GET_LOCK('state_u', 1)", "SELECT IF(0, RELEASE_LOCK('state_u'), 0)"],
            &["CALL nothing()"],
            &["PREPARE s FROM 'SELECT 1'", "EXECUTE s", "DEALLOCATE PREPARE s"],
        ] {
            let mut handle = shop.connect(Some(&schema));
            for sql in statements {
                block_on(handle.session.run(sql.as_bytes())).unwrap();
                while {
                    block_on(handle.session.store_result(&mut Default::default())).unwrap();
                    block_on(handle.session.next_result()).unwrap()
                } {}
            }
            assert!(!is_free(&mut handle), "{family}: {statements:?}");
            block_on(handle.session.reset_connection()).unwrap();
            assert!(is_free(&mut handle), "{family}: {statements:?}");
        }
    }
}

#[test]
fn a_statement_that_failed_binds_only_if_it_may_have_done_something() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "failed");
        cluster
            .sql(0, &format!("CREATE PROCEDURE {schema}.fails() BEGIN SET @hidden = 7; SELECT 1 FROM missing; END"))
            .unwrap();
        cluster.sql(0, &format!("INSERT INTO {schema}.t (v) VALUES ('a'), ('b')")).unwrap();
        cluster.wait_in_step().unwrap();
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        for (sql, binds) in [
            ("CREATE TEMPORARY TABLE a (x NONSENSE)", false),
            ("SET sql_mode = 'NONSENSE', @x = @y", false),
            ("nonsense", false),
            // The same error comes from the inside of procedures.
            ("CALL no_such_procedure()", true),
            ("CALL fails()", true),
            ("SELECT @n := id, (SELECT id FROM t) FROM t", true),
            ("SELECT GET_LOCK('state_f', 1), (SELECT id FROM t)", true),
        ] {
            let mut handle = shop.connect(Some(&schema));
            handle.run(sql).unwrap_err();
            assert_eq!(is_free(&mut handle), !binds, "{family}: {sql}: {}", handle.decision());
        }
        // Several statements in one text, of which the second fails.
        let mut handle = shop.connect(Some(&schema));
        block_on(handle.session.set_multi_statements(true)).unwrap();
        block_on(handle.session.run(b"SET @m = 1; SELECT 1 FROM missing")).unwrap();
        block_on(handle.session.next_result()).unwrap_err();
        assert_eq!(handle.value("SELECT @m FROM DUAL"), "1", "{family}");
        assert_eq!(handle.node(), 0, "{family}");
        // And of which none does.
        let mut handle = shop.connect(Some(&schema));
        block_on(handle.session.set_multi_statements(true)).unwrap();
        block_on(handle.session.run(b"SET @m = 1; SET @m = 2")).unwrap();
        assert!(block_on(handle.session.next_result()).unwrap());
        assert_eq!(handle.value("SELECT @m FROM DUAL"), "2", "{family}");
        assert_ne!(handle.node(), 0, "{family}");
    }
}

#[test]
fn variables_of_one_node_are_not_repeated_elsewhere() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "local");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("SET insert_id = 4711");
        assert!(!is_free(&mut handle), "{family}");
        handle.ok("INSERT INTO t (v) VALUES ('numbered')");
        assert_eq!(handle.session.outcome().insert_id, 4711, "{family}");
        let mut handle = shop.connect(Some(&schema));
        handle.ok("SET rand_seed1 = 5, rand_seed2 = 7");
        assert!(!is_free(&mut handle), "{family}");
    }
}

#[test]
fn losing_the_node_of_bound_state_is_an_error_until_the_session_is_reset() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "bound_lost");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        for create in ["CREATE TEMPORARY TABLE a (x INT)", "SELECT GET_LOCK('state_l', 1)", "SET @x = 1 + 1"] {
            let mut handle = shop.connect(Some(&schema));
            handle.ok(create);
            cluster.sql(0, &format!("KILL {}", handle.session.thread_id())).unwrap();
            let code = handle.code("SELECT COUNT(*) FROM t");
            assert!(matches!(code, 2006 | 2013 | 4031 | 1927), "{family}: {create}: {code}");
            for _ in 0..2 {
                assert_eq!(handle.code("SELECT COUNT(*) FROM t"), 2006, "{family}: {create}");
            }
            assert_eq!(handle.code("ROLLBACK"), 2006, "{family}: {create}: that is no reset");
            block_on(handle.session.reset_connection()).unwrap();
            assert!(is_free(&mut handle), "{family}: {create}");
        }
    }
}

#[test]
fn a_commit_that_releases_the_connection_loses_what_was_bound_to_it() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "release");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        for _ in 0..5 {
            handle.ok("BEGIN");
            handle.ok("INSERT INTO t (v) VALUES ('a')");
            handle.ok("COMMIT RELEASE");
            // The server closes behind its OK: the next statement must not run into that.
            handle.ok("INSERT INTO t (v) VALUES ('b')");
        }
        assert_eq!(handle.value("/*ms=master*/ SELECT COUNT(*) FROM t"), "10", "{family}");
        if family == Family::MySql || family == Family::MariaDb {
            handle.ok("SET completion_type = 'RELEASE'");
            for _ in 0..5 {
                handle.ok("BEGIN");
                handle.ok("ROLLBACK");
                handle.ok("INSERT INTO t (v) VALUES ('c')");
            }
            handle.ok("SET completion_type = DEFAULT");
        }
        handle.ok("CREATE TEMPORARY TABLE a (x INT)");
        handle.ok("BEGIN");
        handle.ok("COMMIT RELEASE");
        assert_eq!(handle.code("SELECT COUNT(*) FROM t"), 2006, "{family}: the temporary table is gone");
        block_on(handle.session.reset_connection()).unwrap();
        assert!(is_free(&mut handle), "{family}");
    }
}

#[test]
fn an_xa_transaction_holds_the_handle_and_losing_its_node_is_an_error_until_the_session_is_reset() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "xa_lost");
        let (host, port) = addresses(cluster)[0].clone();
        let proxy = harness::Proxy::start(&format!("{host}:{port}")).unwrap();
        let mut at = addresses(cluster);
        at[0] = (proxy.host(), proxy.port());
        let shop = Shop::new(&at, ROUND_ROBIN);
        let count = |value: &str| {
            let text = format!("SELECT COUNT(*) FROM {schema}.t WHERE v = '{value}'");
            cluster.sql(0, &text).unwrap().scalar().to_owned()
        };
        let reset = |handle: &mut Handle| block_on(handle.session.reset_connection()).unwrap();
        // Open: gone with the connection.
        let mut handle = shop.connect(Some(&schema));
        handle.ok("XA START 'xa_open'");
        handle.ok("INSERT INTO t (v) VALUES ('open')");
        handle.ok("/*ms=slave*/ SELECT COUNT(*) FROM t");
        assert_eq!(handle.node(), 0, "{family}: hints do not leave it");
        proxy.end_all(harness::How::Fin);
        assert!(matches!(handle.code("INSERT INTO t (v) VALUES ('open')"), 2006 | 2013), "{family}");
        for sql in ["SELECT COUNT(*) FROM t", "XA END 'xa_open'", "INSERT INTO t (v) VALUES ('open')"] {
            assert_eq!(handle.code(sql), 2006, "{family}: {sql}");
        }
        reset(&mut handle);
        assert!(is_free(&mut handle), "{family}");
        assert_eq!(count("open"), "0", "{family}");
        // Prepared: the server has it still, and the program finishes it after it has acknowledged the loss.
        let mut handle = shop.connect(Some(&schema));
        for sql in
            ["XA START 'xa_kept'", "INSERT INTO t (v) VALUES ('kept')", "XA END 'xa_kept'", "XA PREPARE 'xa_kept'"]
        {
            handle.ok(sql);
            assert_eq!(handle.node(), 0, "{family}: {sql}");
        }
        proxy.end_all(harness::How::Fin);
        assert!(matches!(handle.code("XA COMMIT 'xa_kept'"), 2006 | 2013), "{family}: never sent twice");
        assert_eq!((handle.code("XA COMMIT 'xa_kept'"), count("kept")), (2006, "0".into()), "{family}");
        reset(&mut handle);
        // The server has to notice first that the connection is gone.
        while handle.run("XA COMMIT 'xa_kept'").is_err() {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        assert_eq!((handle.node(), count("kept")), (0, "1".into()), "{family}");
        assert!(is_free(&mut handle), "{family}");
    }
}
