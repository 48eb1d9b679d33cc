//! Calls that are no statements, on handles whose nodes are open, closed, or not yet opened: what is remembered, what a
//! partial failure leaves behind, what the information calls tell.

use harness::{Cluster, Spec, families, shared};
use mysqlclient_ms::conn::driver::block_on;

use super::following::everywhere;
use super::{ROUND_ROBIN, database};
use crate::lab::{Handle, Shop, addresses};

/// Opens every node of a handle and gives their thread ids.
fn open_all(handle: &mut Handle) -> Vec<u64> {
    let mut ids = vec![(0, 0); 0];
    handle.ok("/*ms=master*/ SELECT 1");
    ids.push((handle.node(), handle.session.thread_id()));
    for _ in 0..2 {
        handle.ok("SELECT 1");
        ids.push((handle.node(), handle.session.thread_id()));
    }
    ids.sort_unstable();
    assert_eq!(ids.iter().map(|(node, _)| *node).collect::<Vec<_>>(), [0, 1, 2]);
    ids.into_iter().map(|(_, id)| id).collect()
}

#[test]
fn a_fresh_handle_answers_every_question_without_an_error() {
    for family in families() {
        let cluster = shared(family);
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some("test"));
        assert_eq!(handle.session.thread_id(), 0, "{family}");
        let outcome = handle.session.outcome().clone();
        assert_eq!((outcome.insert_id, outcome.field_count, outcome.warnings), (0, 0, 0), "{family}");
        assert!(outcome.info.is_empty(), "{family}");
        assert!(!handle.session.more_results(), "{family}");
        assert!(!block_on(handle.session.next_result()).unwrap(), "{family}");
        block_on(handle.session.commit()).unwrap();
        block_on(handle.session.rollback()).unwrap();
        block_on(handle.session.autocommit(false)).unwrap();
        block_on(handle.session.autocommit(true)).unwrap();
        assert_eq!(handle.session.thread_id(), 0, "{family}: not a word to any server");
        assert_eq!(block_on(handle.session.kill(1)).unwrap_err().code, 1094, "{family}: and not to the wrong one");
        block_on(handle.session.know_server()).unwrap();
        assert!(handle.session.server_version().is_some() && handle.session.host_info().is_some(), "{family}");
        assert_eq!(handle.node(), 0, "{family}: the source is asked");
        for call in ["ping", "stat"] {
            let mut handle = shop.connect(Some("test"));
            match call {
                "ping" => block_on(handle.session.ping()).unwrap(),
                _ => assert!(!block_on(handle.session.statistics()).unwrap().is_empty()),
            }
            assert_eq!(handle.node(), 0, "{family}: {call}");
        }
    }
}

#[test]
fn what_is_called_before_a_node_is_open_holds_when_it_is_opened() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "before");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(None);
        block_on(handle.session.select_db(schema.as_bytes())).unwrap();
        block_on(handle.session.set_character_set(b"latin1")).unwrap();
        block_on(handle.session.set_multi_statements(true)).unwrap();
        for on in [false, true, false, true, false] {
            block_on(handle.session.autocommit(on)).unwrap();
        }
        assert_eq!(handle.session.thread_id(), 0, "{family}: nothing is open");
        handle.ok("SET time_zone = '+02:00'");
        assert_eq!(handle.value("SELECT @@autocommit"), "0", "{family}: the last one counts");
        block_on(handle.session.autocommit(true)).unwrap();
        assert_eq!(everywhere(&mut handle, "DATABASE()"), [&schema[..]; 3], "{family}");
        assert_eq!(everywhere(&mut handle, "@@character_set_client"), ["latin1"; 3], "{family}");
        for _ in 0..2 {
            block_on(handle.session.run(b"SELECT 1; SELECT 2")).unwrap();
            assert_ne!(handle.node(), 0, "{family}: several reads are a replica's");
            block_on(handle.session.store_result(&mut Default::default())).unwrap();
            assert!(block_on(handle.session.next_result()).unwrap(), "{family}: all results come from one node");
            block_on(handle.session.store_result(&mut Default::default())).unwrap();
        }
        block_on(handle.session.set_multi_statements(false)).unwrap();
        for _ in 0..2 {
            assert_eq!(handle.code("SELECT 1; SELECT 2"), 1064, "{family}");
        }
    }
}

#[test]
fn calls_on_open_nodes_hold_on_all_of_them_and_failed_ones_on_none() {
    for family in families() {
        let cluster = shared(family);
        let (one, two) = (database(cluster, "open_one"), database(cluster, "open_two"));
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&one));
        let ids = open_all(&mut handle);
        block_on(handle.session.select_db(two.as_bytes())).unwrap();
        block_on(handle.session.set_character_set(b"latin2")).unwrap();
        handle.ok("SET @call = 5");
        let check = |handle: &mut Handle, when: &str| {
            assert_eq!(everywhere(handle, "DATABASE()"), [&two[..]; 3], "{family}: {when}");
            assert_eq!(everywhere(handle, "@@character_set_client"), ["latin2"; 3], "{family}: {when}");
            assert_eq!(everywhere(handle, "@call"), ["5"; 3], "{family}: {when}");
            assert_eq!(
                everywhere(handle, "CURRENT_USER()"),
                vec![format!("{}@%", harness::APP_USER); 3],
                "{family}: {when}"
            );
        };
        check(&mut handle, "set");
        assert!(block_on(handle.session.select_db(b"test_state_nosuch")).is_err(), "{family}");
        check(&mut handle, "behind a wrong schema");
        assert_eq!(block_on(handle.session.set_character_set(b"nosuch")).unwrap_err().code, 2019, "{family}");
        assert_eq!(handle.session.charset().charset().name(), "latin2", "{family}");
        check(&mut handle, "behind a wrong character set");
        assert!(matches!(handle.code("USE test_state_nosuch"), 1044 | 1049), "{family}");
        check(&mut handle, "behind a wrong USE");
        let error = block_on(handle.session.change_user(b"app", b"wrong", Some(one.as_bytes()))).unwrap_err();
        assert_eq!(error.code, 1045, "{family}");
        check(&mut handle, "behind a refused account");
        block_on(handle.session.change_user(
            harness::ADMIN_USER.as_bytes(),
            harness::ADMIN_PASSWORD.as_bytes(),
            Some(one.as_bytes()),
        ))
        .unwrap();
        assert_eq!(
            everywhere(&mut handle, "CURRENT_USER()"),
            vec![format!("{}@%", harness::ADMIN_USER); 3],
            "{family}"
        );
        assert_eq!(everywhere(&mut handle, "DATABASE()"), [&one[..]; 3], "{family}");
        assert_eq!(everywhere(&mut handle, "@call"), ["NULL"; 3], "{family}: another session");
        let others = open_all(&mut handle);
        assert!(ids.iter().zip(&others).all(|(before, after)| before != after), "{family}: new connections");
    }
}

#[test]
fn a_refused_account_does_not_hide_what_was_lost_with_the_connections() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "refused");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("CREATE TEMPORARY TABLE a (x INT)");
        block_on(handle.session.change_user(b"app", b"wrong", Some(schema.as_bytes()))).unwrap_err();
        assert_eq!(handle.code("SELECT COUNT(*) FROM t"), 2006, "{family}");
        block_on(handle.session.reset_connection()).unwrap();
        handle.ok("BEGIN");
        handle.ok("INSERT INTO t (v) VALUES ('a')");
        block_on(handle.session.change_user(b"app", b"wrong", Some(schema.as_bytes()))).unwrap_err();
        assert_eq!(handle.code("INSERT INTO t (v) VALUES ('outside')"), 2006, "{family}");
        handle.ok("ROLLBACK");
        assert_eq!(handle.value("/*ms=master*/ SELECT COUNT(*) FROM t"), "0", "{family}");
    }
}

#[test]
fn with_a_killed_node_calls_hold_on_the_others_and_on_its_next_connection() {
    for family in families() {
        let cluster = shared(family);
        let (one, two) = (database(cluster, "killed_one"), database(cluster, "killed_two"));
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&one));
        let ids = open_all(&mut handle);
        cluster.sql(1, &format!("KILL {}", ids[1])).unwrap();
        block_on(handle.session.select_db(two.as_bytes())).unwrap();
        block_on(handle.session.set_character_set(b"latin2")).unwrap();
        block_on(handle.session.autocommit(false)).unwrap();
        block_on(handle.session.autocommit(true)).unwrap();
        // At most one error on the dead connection; after it a new one, with everything.
        for _ in 0..4 {
            match handle.run("SELECT CONCAT(DATABASE(), @@character_set_client) FROM DUAL") {
                Ok(rows) => assert_eq!(rows[0][0], format!("{two}latin2"), "{family}: node {}", handle.node()),
                Err(error) => assert!(matches!(error.code, 2006 | 2013 | 4031 | 1927), "{family}: {error}"),
            }
        }
        assert_eq!(everywhere(&mut handle, "DATABASE()"), [&two[..]; 3], "{family}");
        assert_eq!(everywhere(&mut handle, "@@character_set_client"), ["latin2"; 3], "{family}");
    }
}

#[test]
fn information_is_that_of_the_node_used_last() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "information");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        let ids = open_all(&mut handle);
        handle.ok("INSERT INTO t (v) VALUES ('a'), ('b')");
        cluster.wait_in_step().unwrap();
        assert_eq!((handle.session.outcome().affected_rows, handle.session.outcome().insert_id), (2, 1), "{family}");
        assert_eq!(handle.session.outcome().info, b"Records: 2  Duplicates: 0  Warnings: 0", "{family}");
        handle.ok("SELECT id, v, 1 FROM t");
        let node = handle.node();
        assert_ne!(node, 0, "{family}");
        assert_eq!(handle.session.outcome().affected_rows, 2, "{family}");
        assert_eq!(handle.session.thread_id(), ids[node], "{family}");
        let endpoint = cluster.endpoint(node);
        assert_eq!(handle.session.last_used().port, endpoint.port, "{family}");
        block_on(handle.session.ping()).unwrap();
        assert_eq!(handle.node(), node, "{family}: the node used last");
        block_on(handle.session.statistics()).unwrap();
        assert_eq!(handle.node(), node, "{family}");
        // Errors are those of the node that failed; a later success clears nothing of the others.
        assert_eq!(handle.code("SELECT nosuch FROM t"), 1054, "{family}");
        handle.ok("SELECT 1/0 FROM DUAL");
        let node = handle.node();
        let warnings = handle.session.outcome().warnings;
        assert_eq!(handle.ok("SHOW WARNINGS").len() as u32, warnings, "{family}");
        assert_eq!(handle.node(), node, "{family}");
    }
}

#[test]
fn kill_reaches_the_one_connection_that_it_means() {
    for family in families() {
        // Ids overlap between nodes only by chance; on a cluster of its own they are made to.
        let cluster = Cluster::start(Spec::new(family, 2)).unwrap();
        cluster.sql(0, "CREATE TABLE test.t (v INT)").unwrap();
        cluster.wait_in_step().unwrap();
        let shop = Shop::new(&addresses(&cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some("test"));
        let mut ids = open_all(&mut handle);
        for _ in 0..400 {
            // Other connections push a node's counter on until no two of ours are alike.
            if ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2] {
                break;
            }
            for (node, count) in [(1, 1), (2, 2)] {
                for _ in 0..count {
                    cluster.sql(node, "SELECT 1").unwrap();
                }
            }
            handle = shop.connect(Some("test"));
            ids = open_all(&mut handle);
        }
        // By the call, and by SQL, on a replica: the source's connection is not touched.
        let error = handle.run(&format!("KILL QUERY {}", ids[1])).err();
        assert!(error.as_ref().is_none_or(|error| error.code == 1317), "{family}: {error:?}");
        assert_eq!(handle.node(), 1, "{family}: {}", handle.decision());
        let error = handle.run(&format!("KILL {}", ids[2])).err();
        assert!(error.as_ref().is_none_or(|error| matches!(error.code, 1317 | 2013 | 1927)), "{family}: {error:?}");
        assert_eq!(handle.node(), 2, "{family}");
        handle.ok("/*ms=master*/ SELECT 1");
        assert_eq!(handle.session.thread_id(), ids[0], "{family}: still the same");
        for _ in 0..3 {
            let _ = handle.run("SELECT COUNT(*) FROM t");
        }
        let again = open_all(&mut handle);
        assert_eq!((again[0], again[1]), (ids[0], ids[1]), "{family}");
        assert_ne!(again[2], ids[2], "{family}");
        // Another handle's, by the call: what programs do whose statements take too long.
        let mut other = shop.connect(Some("test"));
        other.ok("/*ms=master*/ SELECT 1");
        let busy = other.session.thread_id();
        if busy != again[1] && busy != again[2] {
            block_on(handle.session.kill(busy)).unwrap();
            assert_eq!(handle.node(), 0, "{family}");
            assert!(other.run("INSERT INTO t VALUES (0)").is_err() || other.session.thread_id() != busy, "{family}");
            handle.ok("DELETE FROM t");
            other.session.close();
            assert_eq!(block_on(handle.session.kill(busy)).unwrap_err().code, 1094, "{family}: it is gone");
        } else {
            // Two servers gave the id: nobody is killed by mistake.
            assert_eq!(handle.code(&format!("KILL QUERY {busy}")), 1094, "{family}");
            other.session.close();
        }
        // Inside of a transaction elsewhere, too.
        handle.ok("BEGIN");
        handle.ok("INSERT INTO t VALUES (1)");
        if again[1] != again[0] && again[1] != again[2] {
            let error = handle.run(&format!("KILL QUERY {}", again[1])).err();
            assert!(error.as_ref().is_none_or(|error| error.code == 1317), "{family}: {error:?}");
            assert_eq!(handle.node(), 1, "{family}");
        }
        handle.ok("INSERT INTO t VALUES (2)");
        assert_eq!(handle.node(), 0, "{family}");
        handle.ok("COMMIT");
        assert_eq!(handle.value("/*ms=master*/ SELECT COUNT(*) FROM t"), "2", "{family}");
    }
}
