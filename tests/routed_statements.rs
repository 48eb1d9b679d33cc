//! Prepared statements of routed handles on real clusters of both families: one for the program, prepared on each node
//! where it runs; rows, cursors and long data from the right node.
//!
//! Where a statement ran is told by the servers' general logs and `@@server_id`; round trips by a counting proxy.
#![allow(clippy::unwrap_used)]

#[path = "routed/lab.rs"]
mod lab;

use harness::{Cluster, Proxy, families, shared};
use lab::{Handle, Shop, addresses};
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::error::Error;
use mysqlclient_ms::result::{BinaryRows, Values, Width};
use mysqlclient_ms::session::{Executed, Parameters, Prepared, Request, RowsAre, Shape};

const ROUND_ROBIN: &str = r#""filters": {"roundrobin": []}"#;

/// A database of the test's own, with a table of ten rows, on all nodes.
fn database(cluster: &Cluster, name: &str) -> String {
    let rows: Vec<String> = (1..=10).map(|n| format!("({n}, 'v{n}')")).collect();
    let table = "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v LONGTEXT) ENGINE=InnoDB";
    lab::database(cluster, name, &[table, &format!("INSERT INTO t VALUES {}", rows.join(","))])
}

fn prepare(handle: &mut Handle, sql: &str) -> Prepared {
    let mut prepared = Prepared::default();
    block_on(handle.session.prepare(&mut prepared, sql.as_bytes())).unwrap_or_else(|error| panic!("{sql}: {error}"));
    prepared
}

/// Executes with parameters that are texts.
fn execute(handle: &mut Handle, prepared: &mut Prepared, texts: &[&str]) -> Result<Executed, Error> {
    let mut values = Vec::new();
    for text in texts {
        values.push(u8::try_from(text.len()).unwrap());
        values.extend_from_slice(text.as_bytes());
    }
    let types = [253, 0].repeat(texts.len());
    let nulls = vec![0; texts.len().div_ceil(8)];
    let named = [253, 0, 0].repeat(texts.len());
    let parameters = Parameters { count: texts.len(), nulls: &nulls, types: &types, values: &values };
    let request = Request { parameters, named: Some(Parameters { types: &named, ..parameters }), ..Request::default() };
    block_on(handle.session.execute(prepared, &request))
}

/// The first column of all rows, as bytes of the protocol.
fn first_values(handle: &mut Handle, executed: Executed) -> Vec<Vec<u8>> {
    let Shape::New(columns) = executed.shape else { panic!("no columns: {executed:?}") };
    let width = Width::of(columns.iter().next().unwrap().column_type);
    let mut rows = BinaryRows::default();
    block_on(handle.session.store_statement_rows(&[], &mut rows)).unwrap();
    values_of(&rows, columns.len(), width)
}

fn values_of(rows: &BinaryRows, columns: usize, width: Width) -> Vec<Vec<u8>> {
    (0..rows.len())
        .map(|number| {
            let mut values = Values::new(rows.row(number).unwrap(), columns).unwrap();
            values.value(width).unwrap().unwrap_or(b"NULL").to_vec()
        })
        .collect()
}

/// The one value of an execution that must succeed, a text.
fn text(handle: &mut Handle, prepared: &mut Prepared, texts: &[&str]) -> String {
    let executed = execute(handle, prepared, texts).unwrap();
    String::from_utf8(first_values(handle, executed).remove(0)).unwrap()
}

#[test]
fn prepared_reads_go_to_the_replicas_in_turn_and_prepared_writes_to_the_source() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "ps_split");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let marks: Vec<_> = cluster.nodes().map(|n| cluster.log_mark(n).unwrap()).collect();
        let mut handle = shop.connect(Some(&schema));
        let mut read = prepare(&mut handle, "SELECT v FROM t WHERE id = ? /* split */");
        let mut write = prepare(&mut handle, "INSERT INTO t (v) VALUES (?)");
        let mut nodes = Vec::new();
        for number in 1..=6 {
            assert_eq!(text(&mut handle, &mut read, &[&number.to_string()]), format!("v{number}"), "{family}");
            nodes.push(handle.node());
            execute(&mut handle, &mut write, &["written"]).unwrap();
            assert_eq!(handle.node(), 0, "{family}");
            assert_eq!(handle.session.outcome().affected_rows, 1, "{family}");
        }
        assert!(nodes == [1, 2, 1, 2, 1, 2] || nodes == [2, 1, 2, 1, 2, 1], "{family}: {nodes:?}");
        block_on(handle.session.close_statement(&mut read)).unwrap();
        block_on(handle.session.close_statement(&mut write)).unwrap();
        handle.ok("/*ms=master*/ SELECT 1");
        for n in cluster.nodes() {
            let log = cluster.general_log_since(n, &marks[n]).unwrap();
            let count = |command: &str, word: &str| {
                log.iter().filter(|entry| entry.command == command && entry.argument.contains(word)).count()
            };
            let is_source = n == cluster.primary();
            assert_eq!(count("Prepare", "split"), usize::from(!is_source), "{family}: prepared once on {n}");
            assert_eq!(count("Execute", "split"), if is_source { 0 } else { 3 }, "{family}");
            assert_eq!(count("Execute", "INSERT INTO t (v) VALUES ('written')"), if is_source { 6 } else { 0 });
        }
    }
}

#[test]
fn a_prepared_read_inside_a_transaction_sees_what_the_transaction_wrote() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "ps_transaction");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        let mut read = prepare(&mut handle, "SELECT CAST(COUNT(*) AS CHAR) FROM t WHERE v = ?");
        let mut write = prepare(&mut handle, "INSERT INTO t (v) VALUES (?)");
        assert_eq!(text(&mut handle, &mut read, &["mine"]), "0", "{family}");
        assert_ne!(handle.node(), 0, "{family}");
        handle.ok("BEGIN");
        execute(&mut handle, &mut write, &["mine"]).unwrap();
        assert_eq!(text(&mut handle, &mut read, &["mine"]), "1", "{family}");
        assert_eq!(handle.node(), 0, "{family}: the transaction's node");
        handle.ok("ROLLBACK");
        assert_eq!(text(&mut handle, &mut read, &["mine"]), "0", "{family}");
        assert_ne!(handle.node(), 0, "{family}: after the transaction");
    }
}

#[test]
fn preparing_and_executing_cost_one_round_trip_each_and_the_first_execution_elsewhere_one_more() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "ps_trips");
        let at = addresses(cluster);
        let proxies: Vec<Proxy> =
            at.iter().map(|(host, port)| Proxy::start(&format!("{host}:{port}")).unwrap()).collect();
        let through: Vec<_> = proxies.iter().map(|proxy| (proxy.host(), proxy.port())).collect();
        let shop = Shop::new(&through, ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        for _ in 0..2 {
            handle.ok("SELECT 1 FROM t LIMIT 1");
        }
        handle.ok("DO 1");
        let trips = || {
            let all: u64 = proxies.iter().map(|proxy| proxy.stats().round_trips).sum();
            proxies.iter().for_each(Proxy::reset_stats);
            all
        };
        trips();
        let mut read = prepare(&mut handle, "SELECT v FROM t WHERE id = ?");
        assert_eq!(trips(), 1, "{family}: prepare");
        let counts: Vec<u64> = (0..6)
            .map(|_| {
                text(&mut handle, &mut read, &["3"]);
                trips()
            })
            .collect();
        assert_eq!(counts.iter().sum::<u64>(), 7, "{family}: one prepare on the other replica: {counts:?}");
        assert_eq!(counts[2..], [1, 1, 1, 1], "{family}");
    }
}

#[test]
fn a_statement_survives_the_connection_on_which_it_was_prepared() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "ps_survives");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        let mut write = prepare(&mut handle, "INSERT INTO t (v) VALUES (?)");
        execute(&mut handle, &mut write, &["before"]).unwrap();
        let id = handle.session.thread_id();
        cluster.sql(0, &format!("KILL {id}")).unwrap();
        let gone = format!("SELECT COUNT(*) FROM information_schema.processlist WHERE id = {id}");
        while cluster.sql(0, &gone).unwrap().scalar() != "0" {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        // An error that says not executed, or success; never twice, never lost in silence.
        let first = execute(&mut handle, &mut write, &["after"]);
        if first.is_err() {
            execute(&mut handle, &mut write, &["after"]).unwrap();
        }
        let count = cluster.sql(0, &format!("SELECT COUNT(*) FROM {schema}.t WHERE v = 'after'")).unwrap();
        assert_eq!(count.scalar(), "1", "{family}");
    }
}

#[test]
fn a_statement_means_on_every_node_what_it_meant_where_it_was_prepared() {
    for family in families() {
        let cluster = shared(family);
        let (first, second) = (database(cluster, "ps_first"), database(cluster, "ps_second"));
        cluster.sql(0, &format!("UPDATE {second}.t SET v = 'wrong'")).unwrap();
        cluster.wait_in_step().unwrap();
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&first));
        let mut read = prepare(&mut handle, "SELECT v FROM t WHERE id = ?");
        block_on(handle.session.select_db(second.as_bytes())).unwrap();
        let mut nodes = Vec::new();
        for _ in 0..4 {
            assert_eq!(text(&mut handle, &mut read, &["3"]), "v3", "{family}: on node {}", handle.node());
            nodes.push(handle.node());
            assert_eq!(handle.value("/*ms=last_used*/ SELECT DATABASE()"), second, "{family}");
        }
        assert!(nodes.contains(&1) && nodes.contains(&2), "{family}: {nodes:?}");
        // The character set of the text, too: the same bytes are other characters in latin1.
        let mut handle = shop.connect(Some(&first));
        block_on(handle.session.set_character_set(b"utf8mb4")).unwrap();
        let mut read = prepare(&mut handle, "SELECT CAST(CHAR_LENGTH('\u{e4}') + ? AS CHAR) FROM t LIMIT 1");
        block_on(handle.session.set_character_set(b"latin1")).unwrap();
        for _ in 0..4 {
            assert_eq!(text(&mut handle, &mut read, &["0"]), "1", "{family}: on node {}", handle.node());
        }
    }
}

#[test]
fn long_data_and_its_execution_meet_on_one_node() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "ps_long");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        let mut read = prepare(&mut handle, "SELECT CAST(LENGTH(?) AS CHAR) FROM t LIMIT 1");
        for _ in 0..4 {
            for _ in 0..3 {
                block_on(handle.session.send_long_data(&mut read, 0, &[b'x'; 1000])).unwrap();
            }
            let parameters = Parameters { count: 1, nulls: &[0], types: &[252, 0], values: &[] };
            let named = Some(Parameters { types: &[252, 0, 0], ..parameters });
            let request = Request { parameters, named, ..Request::default() };
            let executed = block_on(handle.session.execute(&mut read, &request)).unwrap();
            assert_eq!(first_values(&mut handle, executed), [b"3000".to_vec()], "{family}");
        }
    }
}

#[test]
fn a_cursor_stays_on_its_node_while_other_statements_go_elsewhere() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "ps_cursor");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        let mut cursor = prepare(&mut handle, "SELECT id FROM t ORDER BY id");
        let request = Request { flags: 1, ..Request::default() };
        let executed = block_on(handle.session.execute(&mut cursor, &request)).unwrap();
        assert!(matches!(executed.rows, RowsAre::InCursor), "{family}: {:?}", executed.rows);
        let node = handle.node();
        let mut seen = Vec::new();
        for _ in 0..5 {
            handle.ok("SELECT v FROM t WHERE id = 1");
            handle.ok("UPDATE t SET v = v WHERE id = 1");
            let mut rows = BinaryRows::default();
            block_on(handle.session.fetch_cursor(&cursor, 2, &mut rows)).unwrap();
            assert_eq!(handle.node(), node, "{family}");
            let values = values_of(&rows, 1, Width::Fixed(4));
            seen.extend(values.iter().map(|bytes| i32::from_le_bytes(bytes.as_slice().try_into().unwrap())));
        }
        assert_eq!(seen, (1..=10).collect::<Vec<_>>(), "{family}");
    }
}

#[test]
fn a_reset_handle_has_forgotten_its_statements_on_every_node() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "ps_reset");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        let mut read = prepare(&mut handle, "SELECT v FROM t WHERE id = ?");
        for _ in 0..2 {
            text(&mut handle, &mut read, &["3"]);
        }
        block_on(handle.session.reset_connection()).unwrap();
        // What still has it prepares it anew: no server is asked for an id that it does not know.
        for _ in 0..2 {
            assert_eq!(text(&mut handle, &mut read, &["3"]), "v3", "{family}");
        }
    }
}
