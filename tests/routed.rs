//! Routed handles on real clusters of both families: where statements go, what follows them, what is never lost.
//!
//! Where a statement ran is told by the servers' general logs or by the number of the node's connection; round trips by a
//! counting proxy.
#![allow(clippy::unwrap_used)]

#[path = "routed/lab.rs"]
mod lab;

use harness::{Cluster, Family, How, Proxy, Spec, families, shared};
use lab::{Shop, addresses};
use mysqlclient_ms::conn::driver::{Step, block_on, step};

const ROUND_ROBIN: &str = r#""filters": {"roundrobin": []}"#;

/// A database of the test's own on the shared cluster, on all nodes.
fn database(cluster: &Cluster, name: &str) -> String {
    lab::database(cluster, name, &[lab::TABLE])
}

#[test]
fn reads_go_to_the_replicas_in_turn_and_writes_to_the_source() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "split");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("INSERT INTO t (v) VALUES ('a')");
        assert_eq!(handle.node(), 0, "{family}");
        let read = |handle: &mut lab::Handle| {
            handle.ok("SELECT COUNT(*) FROM t");
            handle.node()
        };
        let nodes: Vec<usize> = (0..4).map(|_| read(&mut handle)).collect();
        assert!(nodes == [1, 2, 1, 2] || nodes == [2, 1, 2, 1], "{family}: {nodes:?}");
        handle.ok("UPDATE t SET v = 'b'");
        assert_eq!(handle.node(), 0, "{family}");
        for (sql, node) in [
            ("/*ms=master*/ SELECT COUNT(*) FROM t", 0),
            ("SELECT id FROM t FOR UPDATE", 0),
            ("(SELECT id FROM t LOCK IN SHARE MODE)", 0),
            ("/*ms=slave*/ DELETE FROM t WHERE id = -1", 0),
        ] {
            handle.ok(sql);
            assert_eq!(handle.node(), node, "{family}: {sql}");
        }
    }
}

#[test]
fn what_the_servers_logged_is_what_was_decided() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "logged");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let marks: Vec<_> = cluster.nodes().map(|n| cluster.log_mark(n).unwrap()).collect();
        let mut handle = shop.connect(Some(&schema));
        for number in 0..10 {
            handle.ok(&format!("INSERT INTO t (v) VALUES ('logged {number}')"));
            handle.ok(&format!("SELECT /* logged read {number} */ COUNT(*) FROM t"));
        }
        let mut reads = 0;
        for n in cluster.nodes() {
            let log = cluster.general_log_since(n, &marks[n]).unwrap();
            let ours = |word: &str| log.iter().filter(|entry| entry.argument.contains(word)).count();
            if n == cluster.primary() {
                assert_eq!(ours("INSERT INTO t (v) VALUES ('logged"), 10, "{family}");
                assert_eq!(ours("logged read"), 0, "{family}");
            } else {
                assert_eq!(ours("INSERT INTO t (v) VALUES ('logged"), 0, "{family}");
                assert_eq!(ours("logged read"), 5, "{family}");
                reads += ours("logged read");
            }
        }
        assert_eq!(reads, 10, "{family}");
    }
}

#[test]
fn a_transaction_stays_on_the_source_from_its_first_statement_to_its_end() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "transaction");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        for (begin, end) in [
            ("BEGIN", "COMMIT"),
            ("START TRANSACTION", "ROLLBACK"),
            ("begin work", "CREATE TABLE IF NOT EXISTS u (a INT)"),
        ] {
            handle.ok(begin);
            for sql in ["SELECT COUNT(*) FROM t", "INSERT INTO t (v) VALUES ('x')", "SELECT v FROM t"] {
                handle.ok(sql);
                assert_eq!(handle.node(), 0, "{family}: {begin}: {sql}");
            }
            handle.ok(end);
            assert_eq!(handle.node(), 0, "{family}: {end}");
            handle.ok("SELECT COUNT(*) FROM t");
            assert_ne!(handle.node(), 0, "{family}: after {end}");
        }
        // By API calls.
        block_on(handle.session.autocommit(false)).unwrap();
        handle.ok("SELECT COUNT(*) FROM t");
        assert_eq!(handle.node(), 0, "{family}: autocommit off");
        block_on(handle.session.commit()).unwrap();
        handle.ok("SELECT COUNT(*) FROM t");
        assert_eq!(handle.node(), 0, "{family}: autocommit is still off");
        block_on(handle.session.rollback()).unwrap();
        block_on(handle.session.autocommit(true)).unwrap();
        handle.ok("SELECT COUNT(*) FROM t");
        assert_ne!(handle.node(), 0, "{family}: autocommit on again");
    }
}

#[test]
fn autocommit_switched_off_before_anything_is_open_is_not_forgotten() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "autocommit");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        block_on(handle.session.autocommit(false)).unwrap();
        assert_eq!(handle.session.outcome().status & 2, 0, "the status bit follows");
        handle.ok("INSERT INTO t (v) VALUES ('not committed')");
        assert_eq!(handle.value("SELECT @@autocommit"), "0", "{family}");
        block_on(handle.session.rollback()).unwrap();
        assert_eq!(handle.value("SELECT COUNT(*) FROM t"), "0", "{family}");
    }
}

#[test]
fn no_row_is_written_into_another_schema_when_the_wanted_one_is_missing() {
    // The prelude rule: in front of anything but a read the reply to the schema's change is awaited. Pipelined, the
    // INSERT would be executed in the schema that the connection had before.
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 1)).unwrap();
        for statement in
            ["CREATE DATABASE test_wanted", "CREATE TABLE test_wanted.t (v INT)", "CREATE TABLE test.t (v INT)"]
        {
            cluster.sql(0, statement).unwrap();
        }
        cluster.wait_in_step().unwrap();
        let shop = Shop::new(&addresses(&cluster), "");
        let mut handle = shop.connect(Some("test"));
        handle.ok("INSERT INTO t VALUES (1)");
        handle.ok("SELECT COUNT(*) FROM t");
        assert_eq!(handle.node(), 1, "{family}");
        // Only the replica is open to be asked; then the source loses the schema behind the handle's back.
        let mut handle = shop.connect(Some("test"));
        handle.ok("SELECT COUNT(*) FROM t");
        block_on(handle.session.select_db(b"test_wanted")).unwrap();
        assert_eq!(handle.node(), 1, "{family}: the open node is asked");
        cluster.sql(0, "SET sql_log_bin = 0; DROP DATABASE test_wanted").unwrap();
        assert_eq!(handle.code("INSERT INTO t VALUES (2)"), 1049, "{family}");
        let rows = cluster.sql(0, "SELECT COUNT(*) FROM test.t").unwrap();
        assert_eq!(rows.scalar(), "1", "{family}: no row was written");
        block_on(handle.session.select_db(b"test")).unwrap();
        handle.ok("INSERT INTO t VALUES (3)");
    }
}

#[test]
fn state_goes_ahead_of_a_read_in_one_round_trip_and_of_a_write_in_two() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "prelude");
        let at = addresses(cluster);
        let proxies: Vec<Proxy> =
            at.iter().take(2).map(|(host, port)| Proxy::start(&format!("{host}:{port}")).unwrap()).collect();
        let through: Vec<_> = proxies.iter().map(|proxy| (proxy.host(), proxy.port())).collect();
        let shop = Shop::new(&through, "");
        let mut handle = shop.connect(Some(&schema));
        handle.ok("INSERT INTO t (v) VALUES ('a')");
        handle.ok("SELECT COUNT(*) FROM t");
        let trips = |handle: &mut lab::Handle, sql: &str| {
            for proxy in &proxies {
                proxy.reset_stats();
            }
            handle.ok(sql);
            (proxies[0].stats().round_trips, proxies[1].stats().round_trips)
        };
        assert_eq!(trips(&mut handle, "SELECT COUNT(*) FROM t"), (0, 1), "{family}: a read");
        assert_eq!(trips(&mut handle, "INSERT INTO t (v) VALUES ('b')"), (1, 0), "{family}: a write");
        // The source is asked first: it knows the new state, the replica does not.
        block_on(handle.session.set_character_set(b"latin1")).unwrap();
        assert_eq!(trips(&mut handle, "SELECT COUNT(*) FROM t"), (0, 1), "{family}: charset and read together");
        cluster.wait_in_step().unwrap();
        assert_eq!(handle.value("SELECT COUNT(*) FROM t WHERE @@character_set_client = 'latin1'"), "2", "{family}");
        // A handle whose source does not know the state yet: charset first, then the write.
        let mut late = shop.connect(Some(&schema));
        late.ok("SELECT COUNT(*) FROM t");
        block_on(late.session.set_character_set(b"latin1")).unwrap();
        assert_eq!(late.node(), 1, "{family}: the open node is asked");
        late.ok("SELECT COUNT(*) FROM t");
        let latin1 = |session: &mut mysqlclient_ms::session::Session| session.options().charset = Some("latin1".into());
        let mut other = shop.try_connect(Some(&schema), latin1).unwrap();
        let to_open_and_write = trips(&mut other, "INSERT INTO t (v) VALUES ('c')").0;
        assert_eq!(trips(&mut late, "INSERT INTO t (v) VALUES ('c')").0, to_open_and_write + 1, "{family}");
        assert_eq!(trips(&mut handle, "INSERT INTO t (v) VALUES ('d')"), (1, 0), "{family}: nothing is missing");
    }
}

#[test]
fn state_that_is_not_replayed_keeps_the_handle_on_its_node() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "bound");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        for (create, read, answer) in [
            ("CREATE TEMPORARY TABLE mine AS SELECT 7 AS a", "SELECT a FROM mine", "7"),
            ("SET @x = 40 + 1", "SELECT @x + 1", "42"),
            ("SELECT @y := 5", "SELECT @y", "5"),
            ("SELECT GET_LOCK('routed', 1)", "SELECT IS_USED_LOCK('routed') = CONNECTION_ID()", "1"),
            ("PREPARE s FROM 'SELECT 11'", "EXECUTE s", "11"),
        ] {
            let mut handle = shop.connect(Some(&schema));
            handle.ok(create);
            assert_eq!(handle.node(), 0, "{family}: {create}");
            assert_eq!(handle.value(read), answer, "{family}: {read}");
            handle.ok("SELECT COUNT(*) FROM t");
            assert_eq!(handle.node(), 0, "{family}: after {create}: {}", handle.decision());
            block_on(handle.session.reset_connection()).unwrap();
            handle.ok("SELECT COUNT(*) FROM t");
            assert_ne!(handle.node(), 0, "{family}: after a reset");
        }
    }
}

#[test]
fn losing_the_node_of_a_transaction_is_an_error_until_the_program_rolls_back() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "lost");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("BEGIN");
        handle.ok("INSERT INTO t (v) VALUES ('lost')");
        let id = handle.session.thread_id();
        cluster.sql(0, &format!("KILL {id}")).unwrap();
        let code = handle.code("INSERT INTO t (v) VALUES ('also lost')");
        assert!(matches!(code, 2006 | 2013 | 4031 | 1927), "{family}: {code}");
        // Without this the next INSERT would be committed on its own.
        assert_eq!(handle.code("INSERT INTO t (v) VALUES ('outside')"), 2006, "{family}");
        assert_eq!(handle.code("SELECT COUNT(*) FROM t"), 2006, "{family}");
        handle.ok("ROLLBACK");
        assert_eq!(handle.value("/*ms=master*/ SELECT COUNT(*) FROM t"), "0", "{family}");
        handle.ok("INSERT INTO t (v) VALUES ('inside')");
    }
}

#[test]
fn an_idle_connection_that_the_server_closed_costs_an_autocommit_handle_nothing_more_than_its_error() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "idle");
        let shop = Shop::new(&addresses(cluster), "");
        let mut handle = shop.connect(Some(&schema));
        handle.ok("INSERT INTO t (v) VALUES ('a')");
        let id = handle.session.thread_id();
        cluster.sql(0, &format!("KILL {id}")).unwrap();
        // The kill may be seen before the statement is sent (then it is sent anew) or after (then it is an error).
        if let Err(error) = handle.run("INSERT INTO t (v) VALUES ('b')") {
            assert!(matches!(error.code, 2006 | 2013 | 4031 | 1927), "{family}: {error}");
        }
        handle.ok("INSERT INTO t (v) VALUES ('c')");
        assert_ne!(handle.session.thread_id(), id, "{family}");
    }
}

#[test]
fn questions_about_the_last_statement_go_where_it_ran() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "last");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("INSERT INTO t (v) VALUES ('a')");
        let id = handle.session.outcome().insert_id;
        assert_ne!(id, 0);
        handle.ok("SELECT COUNT(*) FROM t");
        assert_ne!(handle.node(), 0, "{family}");
        assert_eq!(handle.value("SELECT LAST_INSERT_ID()"), id.to_string(), "{family}");
        assert_eq!(handle.node(), 0, "{family}");
        handle.ok("INSERT INTO t (v) VALUES ('b'), ('c')");
        cluster.wait_in_step().unwrap();
        handle.ok("SELECT SQL_CALC_FOUND_ROWS id FROM t LIMIT 1");
        let node = handle.node();
        assert_ne!(node, 0, "{family}");
        assert_eq!(handle.value("SELECT FOUND_ROWS()"), "3", "{family}");
        assert_eq!(handle.node(), node, "{family}");
        handle.ok("SELECT 1/0 FROM t");
        let node = handle.node();
        let warnings = handle.ok("SHOW WARNINGS");
        assert_eq!(handle.node(), node, "{family}");
        assert_eq!(warnings.len(), handle_warnings(&warnings), "{family}");
        assert_eq!(
            handle.session.thread_id(),
            handle.value("SELECT CONNECTION_ID()").parse::<u64>().unwrap(),
            "{family}"
        );
    }
}

/// Every row of SHOW WARNINGS is one on a division.
fn handle_warnings(rows: &[Vec<String>]) -> usize {
    rows.iter().filter(|row| row[1] == "1365").count()
}

#[test]
fn a_lazy_handle_connects_without_a_network_and_knows_its_character_set() {
    // Nobody listens on port 1.
    let nowhere = vec![("127.0.0.1".to_owned(), 1), ("127.0.0.1".to_owned(), 1)];
    let shop = Shop::new(&nowhere, r#""server_charset": "gbk""#);
    let mut handle = shop.connect(None);
    assert_eq!(handle.session.charset().charset().name(), "gbk");
    assert!(handle.session.fd().is_some_and(|fd| fd >= 0), "a placeholder");
    assert_eq!(handle.session.thread_id(), 0);
    assert_eq!(handle.code("INSERT INTO t VALUES (1)"), 2003);
    assert_eq!(handle.code("SELECT 1 FROM t"), 2003);
}

#[test]
fn every_new_connection_is_set_to_the_server_charset() {
    for family in families() {
        let cluster = shared(family);
        let shop = Shop::new(&addresses(cluster), r#""server_charset": "latin2", "filters": {"roundrobin": []}"#);
        let mut handle = shop.connect(Some("test"));
        for _ in 0..3 {
            handle.ok(
                "SELECT 1 FROM DUAL WHERE @@character_set_client = 'latin2' AND @@character_set_connection = 'latin2'",
            );
            assert_eq!(handle.session.outcome().affected_rows, 1, "{family}: node {}", handle.node());
            handle.ok("SELECT 1");
        }
    }
}

#[test]
fn failover_of_connects_follows_the_strategy() {
    for family in families() {
        let cluster = shared(family);
        let mut at = addresses(cluster);
        let dead = Proxy::start(&format!("{}:{}", at[1].0, at[1].1)).unwrap();
        dead.refuse();
        at[1] = (dead.host(), dead.port());
        let both_dead = [at[0].clone(), at[1].clone()];

        let shop = Shop::new(&at, ROUND_ROBIN);
        let mut handle = shop.connect(Some("test"));
        let codes: Vec<u32> =
            (0..2).map(|_| handle.run("SELECT 1 FROM DUAL").err().map_or(0, |error| error.code)).collect();
        assert!(codes == [0, 2003] || codes == [2003, 0], "{family}: disabled: {codes:?}");

        let shop = Shop::new(&at, r#""filters": {"roundrobin": []}, "failover": {"strategy": "loop_before_master"}"#);
        let mut handle = shop.connect(Some("test"));
        for _ in 0..3 {
            handle.ok("SELECT 1 FROM DUAL");
            assert_eq!(handle.node(), 2, "{family}: loop_before_master takes the other replica");
        }

        let shop = Shop::new(&both_dead, r#""failover": {"strategy": "master"}"#);
        let mut handle = shop.connect(Some("test"));
        handle.ok("SELECT 1 FROM DUAL");
        assert_eq!(handle.node(), 0, "{family}: master");

        // With remember_failed the dead node is asked once.
        let shop = Shop::new(&both_dead, r#""failover": {"strategy": "master", "remember_failed": true}"#);
        let mut handle = shop.connect(Some("test"));
        handle.ok("SELECT 1 FROM DUAL");
        dead.pass().unwrap();
        handle.ok("SELECT 1 FROM DUAL");
        assert_eq!(handle.node(), 0, "{family}: the failure is remembered");
    }
}

#[test]
fn a_read_whose_state_a_replica_refuses_goes_to_the_source() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 1)).unwrap();
        cluster.sql(0, "CREATE TABLE test.t (v INT)").unwrap();
        cluster.wait_in_step().unwrap();
        let shop = Shop::new(&addresses(&cluster), "");
        let mut handle = shop.connect(Some("test"));
        handle.ok("SELECT COUNT(*) FROM t");
        handle.ok("CREATE TABLE IF NOT EXISTS t (v INT)");
        cluster.stop_applier(1).unwrap();
        cluster.sql(0, "CREATE DATABASE test_late").unwrap();
        cluster.sql(0, "CREATE TABLE test_late.t (v INT)").unwrap();
        handle.ok("INSERT INTO t VALUES (1)");
        block_on(handle.session.select_db(b"test_late")).unwrap();
        assert_eq!(handle.node(), 0, "{family}");
        assert_eq!(handle.value("SELECT COUNT(*) FROM t"), "0", "{family}: the replica has no such schema yet");
        assert_eq!(handle.node(), 0, "{family}");
        cluster.start_applier(1).unwrap();
    }
}

#[test]
fn send_query_reaches_the_same_nodes_and_leaves_only_its_own_reply_outstanding() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "send");
        let shop = Shop::new(&addresses(cluster), &format!(r#"{ROUND_ROBIN}, "consistency": {{"wait_ms": 5000}}"#));
        let mut handle = shop.connect(Some(&schema));
        handle.send("INSERT INTO t (v) VALUES ('a')");
        assert_eq!(handle.node(), 0, "{family}");
        handle.send("SELECT COUNT(*) FROM t");
        assert_ne!(handle.node(), 0, "{family}");
        block_on(handle.session.set_character_set(b"latin1")).unwrap();
        handle.send("SELECT COUNT(*) FROM t");
        assert_ne!(handle.node(), 0, "{family}");
        assert_eq!(handle.stream("SELECT 1 UNION ALL SELECT 2"), 2, "{family}");
    }
}

#[test]
fn a_second_statement_before_the_rows_are_read_is_out_of_sync_whatever_node_is_idle() {
    for family in families() {
        let cluster = shared(family);
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some("test"));
        block_on(handle.session.run(b"SELECT 1")).unwrap();
        let error = block_on(handle.session.run(b"SELECT 2")).unwrap_err();
        assert_eq!(error.code, 2014, "{family}");
        assert!(handle.session.use_result().unwrap().is_some());
        block_on(handle.session.skip_rows()).unwrap();
        handle.ok("SELECT 2");
    }
}

#[test]
fn a_key_that_is_not_served_yet_refuses_the_connect_and_names_itself() {
    let nowhere = vec![("127.0.0.1".to_owned(), 1), ("127.0.0.1".to_owned(), 1)];
    let shop = Shop::new(&nowhere, r#""xa": {}"#);
    let error = shop.try_connect(None, |_| ()).err().unwrap();
    assert_eq!(error.code, 2000);
    let text = String::from_utf8_lossy(&error.message).into_owned();
    assert!(text.contains("xa") && text.contains("shop.json"), "{text}");
}

#[test]
fn killing_a_connection_of_the_handle_needs_an_id_that_only_one_of_them_has() {
    let family = Family::MariaDb;
    let cluster = shared(family);
    let shop = Shop::new(&addresses(cluster), "");
    let mut handle = shop.connect(Some("test"));
    handle.ok("SELECT 1");
    handle.ok("DO 1");
    let error = block_on(handle.session.kill(4_000_000_000)).unwrap_err();
    assert_eq!(error.code, 1094);
}

#[test]
fn every_connection_of_a_closed_handle_is_gone() {
    for family in families() {
        let cluster = shared(family);
        let (host, port) = addresses(cluster)[0].clone();
        let proxy = Proxy::start(&format!("{host}:{port}")).unwrap();
        let shop = Shop::new(&[(proxy.host(), proxy.port()), (proxy.host(), proxy.port())], "");
        let mut handle = shop.connect(Some("test"));
        handle.ok("SELECT 1");
        handle.ok("/*ms=master*/ SELECT 1");
        assert_eq!(proxy.open_connections(), 2, "{family}");
        handle.session.close();
        for _ in 0..200 {
            if proxy.open_connections() == 0 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert_eq!(proxy.open_connections(), 0, "{family}");
        proxy.end_all(How::Fin);
    }
}

#[test]
fn a_forked_childs_copy_opens_connections_of_its_own_but_not_in_the_middle_of_a_transaction() {
    // What a child's handle does when it notices the fork is `abandon`; c_tests/fork.c forks for real.
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "forked");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("INSERT INTO t (v) VALUES ('parent')");
        let parents = handle.session.thread_id();
        handle.session.abandon(true);
        handle.ok("INSERT INTO t (v) VALUES ('child')");
        assert_ne!(handle.session.thread_id(), parents, "{family}");
        handle.ok("BEGIN");
        handle.ok("INSERT INTO t (v) VALUES ('open')");
        handle.session.abandon(true);
        assert_eq!(handle.code("INSERT INTO t (v) VALUES ('outside')"), 2006, "{family}");
        handle.ok("ROLLBACK");
        assert_eq!(handle.value("/*ms=master*/ SELECT COUNT(*) FROM t"), "2", "{family}");
    }
}

#[test]
fn init_commands_that_write_run_on_the_source_only() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "init");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let set = |session: &mut mysqlclient_ms::session::Session| {
            session.options().init_commands =
                vec![b"INSERT INTO t (v) VALUES ('init')".to_vec(), b"SET time_zone = '+05:00'".to_vec()];
        };
        let mut handle = shop.try_connect(Some(&schema), set).unwrap();
        for _ in 0..2 {
            handle.ok("SELECT 1 FROM DUAL WHERE @@time_zone = '+05:00'");
            assert_eq!(handle.session.outcome().affected_rows, 1, "{family}: node {}", handle.node());
            handle.ok("SELECT COUNT(*) FROM t");
            assert_ne!(handle.node(), 0, "{family}");
        }
        assert_eq!(handle.value("/*ms=master*/ SELECT COUNT(*) FROM t"), "1", "{family}");
    }
}

#[test]
fn a_step_waits_for_no_node_whatever_it_is_doing() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 2).general_log(false)).unwrap();
        let shop = Shop::new(&addresses(&cluster), ROUND_ROBIN);
        let mut handle = shop.connect(None);
        cluster.freeze(1).unwrap();
        cluster.freeze(2).unwrap();
        {
            // The node's system takes the connection, the server says nothing.
            let mut read = std::pin::pin!(handle.session.run(b"SELECT 5"));
            for _ in 0..3 {
                let Step::Waiting(waits) = step(read.as_mut(), None) else { panic!("{family}: a frozen node answers") };
                assert!(waits.iter().all(|wait| wait.fd > 2 && wait.deadline.is_none()), "{family}: {waits:?}");
            }
            cluster.thaw(1).unwrap();
            cluster.thaw(2).unwrap();
            finish(read.as_mut()).unwrap();
        }
        assert!([1, 2].contains(&handle.node()), "{family}: a read is a replica's");
        {
            let mut rows = mysqlclient_ms::result::StoredRows::default();
            finish(std::pin::pin!(handle.session.store_result(&mut rows)).as_mut()).unwrap();
            assert_eq!(rows.len(), 1);
        }
        // A write, whose node has to be opened; then everything is open and one node is frozen in the middle.
        finish(std::pin::pin!(handle.session.run(b"CREATE TABLE test.step (a INT)")).as_mut()).unwrap();
        assert_eq!(handle.node(), 0, "{family}: a write is the source's");
        cluster.freeze(0).unwrap();
        {
            let mut write = std::pin::pin!(handle.session.run(b"INSERT INTO test.step VALUES (1)"));
            assert!(matches!(step(write.as_mut(), None), Step::Waiting(_)), "{family}");
            cluster.thaw(0).unwrap();
            finish(write.as_mut()).unwrap();
        }
        assert_eq!(handle.session.outcome().affected_rows, 1, "{family}");
    }
}

/// Takes an operation to its end, waiting between the steps only.
fn finish<F: Future>(mut operation: std::pin::Pin<&mut F>) -> F::Output {
    loop {
        match step(operation.as_mut(), None) {
            Step::Done(output) => return output,
            Step::Waiting(waits) => {
                assert!(!waits.is_empty());
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
        }
    }
}

#[test]
fn hints_need_the_word_of_the_configuration_and_may_be_forced() {
    for family in families() {
        let cluster = shared(family);
        let schema = lab::database(cluster, "hint_words", &[lab::TABLE]);
        let word = Shop::new(
            &addresses(cluster),
            r#""hints": {"word": "s3cret", "arguments": true}, "consistency": "eventual""#,
        );
        let mut handle = word.connect(Some(&schema));
        for (sql, source) in [
            ("/*ms=master*/ SELECT COUNT(*) FROM t", false),
            ("/* s3cret:ms=master */ SELECT COUNT(*) FROM t", true),
            ("/*S3CRET:ms=master*/ SELECT COUNT(*) FROM t", false),
            ("/*s3cret: MS=MASTER*/ SELECT COUNT(*) FROM t", true),
            ("-- s3cret:ms=node:source\nSELECT COUNT(*) FROM t", true),
            ("/*s3cret ms=master*/ SELECT COUNT(*) FROM t", false),
        ] {
            handle.ok(sql);
            assert_eq!(handle.node() == 0, source, "{family}: {sql}: {}", handle.decision());
        }
        let forced = Shop::new(&addresses(cluster), r#""hints": {"force": true}"#);
        let mut handle = forced.connect(Some(&schema));
        assert_eq!(handle.code("/*ms=slave*/ INSERT INTO t (v) VALUES ('x')"), 1290, "{family}");
        assert_ne!(handle.node(), 0, "{family}: {}", handle.decision());
        handle.ok("INSERT INTO t (v) VALUES ('x')");
        assert_eq!(handle.node(), 0, "{family}");
        let safe = Shop::new(&addresses(cluster), "");
        let mut handle = safe.connect(Some(&schema));
        handle.ok("/*ms=slave*/ INSERT INTO t (v) VALUES ('x')");
        assert_eq!(handle.node(), 0, "{family}");
    }
}

#[test]
fn a_source_that_refuses_the_account_or_is_dead_leaves_the_replicas_usable() {
    for family in families() {
        let cluster = shared(family);
        let schema = lab::database(cluster, "refused_account", &[lab::TABLE]);
        let at = addresses(cluster);
        let keys = r#""failover": "loop_before_master", "consistency": "eventual""#;
        let shop = Shop::of(&Shop::text(&at, &[r#""password": "wrong""#], keys));
        let mut handle = shop.connect(Some(&schema));
        assert_eq!((handle.code("INSERT INTO t (v) VALUES ('x')"), handle.session.thread_id()), (1045, 0), "{family}");
        for _ in 0..2 {
            handle.ok("SELECT COUNT(*) FROM t");
            assert_ne!(handle.node(), 0, "{family}");
            assert_eq!(handle.code("INSERT INTO t (v) VALUES ('x')"), 1045, "{family}: each time");
        }
        // Nobody is there: the last error, for each statement.
        let proxies: Vec<Proxy> =
            at.iter().map(|(host, port)| Proxy::start(&format!("{host}:{port}")).unwrap()).collect();
        proxies.iter().for_each(Proxy::refuse);
        let dead: Vec<_> = proxies.iter().map(|proxy| (proxy.host(), proxy.port())).collect();
        let mut handle = Shop::new(&dead, keys).connect(Some(&schema));
        for sql in ["SELECT COUNT(*) FROM t", "INSERT INTO t (v) VALUES ('x')", "SELECT COUNT(*) FROM t"] {
            assert_eq!((handle.code(sql), handle.session.thread_id()), (2003, 0), "{family}: {sql}");
        }
        proxies.iter().for_each(|proxy| proxy.pass().unwrap());
        handle.ok("SELECT COUNT(*) FROM t");
    }
}
