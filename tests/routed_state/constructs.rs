//! The constructs that routers get wrong, one test each, and the users' reports on them: where each goes, on real servers
//! of both families. What each text is by itself is in tests/classify.rs.

use harness::{Cluster, Family, families, shared};
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::result::BinaryRows;

use super::following::everywhere;
use super::{ROUND_ROBIN, database};
use crate::lab::{Handle, Shop, addresses};

/// Where a statement has to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum To {
    Source,
    Replica,
    /// The node of the statement before.
    Last,
}

use To::{Last, Replica, Source};

struct Lab {
    family: Family,
    cluster: &'static Cluster,
    shop: Shop,
    schema: String,
    handle: Handle,
}

impl Lab {
    /// Runs the rows on one handle; results are read to their ends.
    fn check(&mut self, rows: &[(To, &str)]) {
        for (to, sql) in rows {
            let last = self.handle.session.node();
            block_on(self.handle.session.run(sql.as_bytes()))
                .unwrap_or_else(|error| panic!("{}: {sql}: {error}", self.family));
            while {
                block_on(self.handle.session.store_result(&mut Default::default())).unwrap();
                block_on(self.handle.session.next_result()).unwrap()
            } {}
            let right = match to {
                Source => self.handle.node() == 0,
                Replica => self.handle.node() != 0,
                Last => Some(self.handle.node()) == last,
            };
            assert!(right, "{}: {sql}: not {to:?}: {}", self.family, self.handle.decision());
        }
    }

    /// The same for statements of one family.
    fn check_on(&mut self, family: Family, rows: &[(To, &str)]) {
        if self.family == family {
            self.check(rows);
        }
    }

    fn fresh(&mut self) {
        self.handle = self.shop.connect(Some(&self.schema));
    }

    fn on_source(&self, sql: &str) {
        self.cluster.sql(0, &sql.replace("SCHEMA", &self.schema)).unwrap();
    }

    fn in_step(&self) {
        self.cluster.wait_in_step().unwrap();
    }
}

/// Runs a test on both families, with a schema of its own that holds `t (id, v)` with the rows a and b.
fn on_both(name: &str, test: impl Fn(&mut Lab)) {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, name);
        cluster.sql(0, &format!("INSERT INTO {schema}.t (v) VALUES ('a'), ('b')")).unwrap();
        cluster.wait_in_step().unwrap();
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let handle = shop.connect(Some(&schema));
        test(&mut Lab { family, cluster, shop, schema, handle });
    }
}

#[test]
fn construct_locking_reads() {
    on_both("c_locking", |lab| {
        lab.check(&[
            (Source, "SELECT v FROM t FOR UPDATE"),
            (Source, "SELECT v FROM t\nFOR\nUPDATE;"),
            (Source, "SELECT v FROM t LOCK IN SHARE MODE"),
            (Source, "(SELECT v FROM t LOCK IN SHARE MODE)"),
            (Source, "SELECT v FROM t FOR UPDATE SKIP LOCKED"),
            (Source, "SELECT v FROM t FOR UPDATE NOWAIT"),
            (Source, "(SELECT v FROM t) UNION (SELECT v FROM t FOR UPDATE)"),
            (Source, "WITH c AS (SELECT v FROM t FOR UPDATE) SELECT * FROM c"),
            (Source, "SELECT (SELECT v FROM t LIMIT 1 FOR UPDATE)"),
            (Replica, "SELECT 'FOR UPDATE' AS `for update` FROM t -- FOR UPDATE"),
        ]);
        lab.check_on(
            Family::MySql,
            &[(Source, "SELECT v FROM t FOR SHARE"), (Source, "SELECT v FROM t FOR UPDATE OF t")],
        );
        lab.check(&[(Source, "SELECT v INTO @v FROM t LIMIT 1")]);
    });
}

#[test]
fn construct_user_variable_read_and_report_27() {
    on_both("c_variable", |lab| {
        lab.check(&[(Source, "SET @known = 7"), (Replica, "SELECT @known FROM t")]);
        assert_eq!(everywhere(&mut lab.handle, "@known"), ["7"; 3]);
        lab.check(&[(Source, "SET @unknown = @known + (SELECT COUNT(*) FROM t)"), (Source, "SELECT @unknown FROM t")]);
        assert_eq!(lab.handle.value("SELECT @unknown"), "9");
    });
}

#[test]
fn construct_assignment_in_a_select() {
    on_both("c_assignment", |lab| {
        lab.check(&[(Source, "SELECT @a := COALESCE(@a, 0) + 1"), (Source, "SELECT @a := @a + 1 FROM t")]);
        assert_eq!(lab.handle.value("SELECT @a"), "3");
        lab.check(&[(Source, "SELECT COUNT(*) FROM t"), (Source, "SET @a = 0"), (Replica, "SELECT COUNT(*) FROM t")]);
    });
}

#[test]
fn construct_questions_about_the_last_write() {
    on_both("c_last_write", |lab| {
        lab.check(&[
            (Source, "INSERT INTO t (v) VALUES ('c')"),
            (Replica, "SELECT COUNT(*) FROM t"),
            (Source, "SELECT LAST_INSERT_ID()"),
            (Replica, "SELECT COUNT(*) FROM t"),
            (Source, "SELECT @@identity + 0 FROM DUAL LIMIT 1"),
            (Source, "UPDATE t SET v = 'd' WHERE id = 3"),
            (Last, "SELECT ROW_COUNT()"),
            (Replica, "SELECT id FROM t"),
            (Last, "SELECT ROW_COUNT()"),
        ]);
        lab.handle.ok("INSERT INTO t (v) VALUES ('e')");
        let id = lab.handle.session.outcome().insert_id.to_string();
        lab.handle.ok("SELECT COUNT(*) FROM t");
        assert_eq!(lab.handle.value("SELECT LAST_INSERT_ID()"), id);
    });
}

#[test]
fn construct_user_level_locks() {
    on_both("c_locks", |lab| {
        lab.check(&[
            (Source, "SELECT GET_LOCK('c_locks', 1)"),
            (Source, "SELECT IS_FREE_LOCK('c_locks'), COUNT(*) FROM t"),
            (Source, "SELECT IS_USED_LOCK('c_locks')"),
            (Source, "SELECT RELEASE_LOCK('c_locks')"),
            (Replica, "SELECT COUNT(*) FROM t"),
            (Source, "SELECT IS_FREE_LOCK('c_locks')"),
            (Source, "DO GET_LOCK(CONCAT('c_', 'locks'), 1)"),
            (Source, "SELECT COUNT(*) FROM t"),
            (Source, "SELECT RELEASE_ALL_LOCKS()"),
            (Replica, "SELECT COUNT(*) FROM t"),
        ]);
    });
}

#[test]
fn construct_stored_functions_and_report_31() {
    on_both("c_functions", |lab| {
        lab.on_source("CREATE TABLE SCHEMA.u (v INT)");
        lab.on_source("CREATE FUNCTION SCHEMA.writes() RETURNS INT DETERMINISTIC MODIFIES SQL DATA BEGIN INSERT INTO SCHEMA.u VALUES (1); RETURN 1; END");
        lab.on_source("CREATE PROCEDURE SCHEMA.writes() MODIFIES SQL DATA INSERT INTO SCHEMA.t (v) VALUES ('p')");
        lab.in_step();
        lab.check(&[
            (Source, "SELECT writes()"),
            (Source, "SELECT COUNT(*) FROM t WHERE writes() = 1 AND id < 0"),
            (Source, "WITH c AS (SELECT writes() AS a) SELECT a FROM c"),
            (Replica, "SELECT UPPER(v), COUNT(*), NOW() FROM t GROUP BY v"),
            (Source, "CALL writes()"),
        ]);
    });
}

#[test]
fn construct_with_in_front_of_changes() {
    on_both("c_with", |lab| {
        lab.check_on(
            Family::MySql,
            &[
                (Source, "WITH c AS (SELECT 1 AS id) UPDATE t SET v = 'x' WHERE id IN (SELECT id FROM c)"),
                (Source, "WITH c AS (SELECT 1 AS id) DELETE FROM t WHERE id IN (SELECT id FROM c)"),
            ],
        );
        lab.check(&[
            (Source, "INSERT INTO t (v) WITH c AS (SELECT 'x' AS v) SELECT v FROM c"),
            (Replica, "WITH `delete` AS (SELECT v AS `update` FROM t) SELECT `update` FROM `delete`"),
        ]);
    });
}

#[test]
fn construct_show() {
    on_both("c_show", |lab| {
        lab.check(&[
            (Replica, "SHOW TABLES"),
            (Replica, "SHOW CREATE TABLE t"),
            (Replica, "SHOW COLUMNS FROM t"),
            (Source, "INSERT INTO t (v) VALUES ('x')"),
            (Last, "SHOW PROCESSLIST"),
            (Last, "SHOW STATUS LIKE 'Uptime'"),
            (Last, "SHOW WARNINGS"),
            (Last, "SHOW COUNT(*) ERRORS"),
            (Replica, "SELECT 1/0 FROM t"),
            (Last, "SHOW WARNINGS"),
        ]);
    });
}

#[test]
fn construct_call() {
    on_both("c_call", |lab| {
        lab.on_source("CREATE PROCEDURE SCHEMA.p(OUT o INT) BEGIN SET o = 5; SELECT COUNT(*) FROM SCHEMA.t; END");
        lab.in_step();
        lab.check(&[(Source, "CALL p(@o)"), (Source, "SELECT @o FROM t")]);
        assert_eq!(lab.handle.value("SELECT @o"), "5");
        block_on(lab.handle.session.reset_connection()).unwrap();
        lab.check(&[(Replica, "SELECT COUNT(*) FROM t")]);
    });
}

#[test]
fn construct_several_statements_in_one_text() {
    on_both("c_several", |lab| {
        block_on(lab.handle.session.set_multi_statements(true)).unwrap();
        lab.check(&[
            (Replica, "SELECT 1; SELECT COUNT(*) FROM t"),
            (Source, "SELECT 1; INSERT INTO t (v) VALUES ('x')"),
            (Source, "SET @s = 3; SELECT 1"),
        ]);
        assert_eq!(everywhere(&mut lab.handle, "@s"), ["3"; 3]);
        lab.check(&[
            (Source, "BEGIN; INSERT INTO t (v) VALUES ('y')"),
            (Source, "SELECT COUNT(*) FROM t"),
            (Source, "ROLLBACK; SELECT 1"),
            (Replica, "SELECT COUNT(*) FROM t"),
            (Source, "CREATE TEMPORARY TABLE tmp (a INT); SELECT 1"),
            (Source, "SELECT COUNT(*) FROM t"),
            (Source, "DROP TEMPORARY TABLE tmp; SELECT 1"),
            (Replica, "SELECT COUNT(*) FROM t"),
        ]);
    });
}

#[test]
fn construct_set_and_reports_28_29_32() {
    on_both("c_set", |lab| {
        let marks: Vec<_> = lab.cluster.nodes().map(|n| lab.cluster.log_mark(n).unwrap()).collect();
        lab.check(&[(Source, "SET sql_safe_updates = 1, @marker_32 = 1"), (Replica, "SELECT COUNT(*) FROM t")]);
        // 29: what was acknowledged was done.
        assert_eq!(everywhere(&mut lab.handle, "@@sql_safe_updates"), ["1"; 3]);
        assert_eq!(lab.handle.code("UPDATE t SET v = 'x'"), 1175);
        assert_eq!(lab.handle.code("SET sql_safe_updates = 'nonsense'"), 1231);
        assert_eq!(lab.handle.code("SET no_such_variable = 1"), 1193);
        assert_eq!(everywhere(&mut lab.handle, "@@sql_safe_updates"), ["1"; 3]);
        // 32: once per node.
        for n in lab.cluster.nodes() {
            let log = lab.cluster.general_log_since(n, &marks[n]).unwrap();
            let ours = log.iter().filter(|entry| entry.argument.contains("marker_32")).count();
            assert_eq!(ours, 1, "{}: node {n}", lab.family);
        }
        // 28: it is this handle's, and goes with a reset.
        lab.check(&[(Source, "SET TIMESTAMP = 86400")]);
        assert_eq!(everywhere(&mut lab.handle, "UNIX_TIMESTAMP()"), ["86400"; 3]);
        let mut other = lab.shop.connect(Some(&lab.schema));
        assert_eq!(everywhere(&mut other, "UNIX_TIMESTAMP() = 86400"), ["0"; 3]);
        block_on(lab.handle.session.reset_connection()).unwrap();
        assert_eq!(everywhere(&mut lab.handle, "UNIX_TIMESTAMP() = 86400"), ["0"; 3]);
        assert_eq!(everywhere(&mut lab.handle, "@@sql_safe_updates"), ["0"; 3]);
        // What is set for one transaction or one server is not repeated.
        let mark = lab.cluster.log_mark(1).unwrap();
        lab.check(&[(Source, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED"), (Source, "BEGIN"), (Source, "COMMIT")]);
        lab.check(&[(Replica, "SELECT COUNT(*) FROM t"), (Replica, "SELECT COUNT(*) FROM t")]);
        let log = lab.cluster.general_log_since(1, &mark).unwrap();
        assert!(log.iter().all(|entry| !entry.argument.contains("ISOLATION")), "{}", lab.family);
    });
}

#[test]
fn construct_temporary_tables() {
    on_both("c_temporary", |lab| {
        lab.check(&[
            (Source, "CREATE TEMPORARY TABLE tmp AS SELECT * FROM t"),
            (Source, "SELECT COUNT(*) FROM tmp"),
            (Source, "SELECT COUNT(*) FROM t"),
            (Source, "INSERT INTO tmp (id, v) VALUES (9, 'x')"),
            (Source, "DROP TABLE tmp"),
            (Replica, "SELECT COUNT(*) FROM t"),
            // One that hides a table of the same name.
            (Source, "CREATE TEMPORARY TABLE t (id INT)"),
            (Source, "SELECT COUNT(*) FROM t"),
            (Source, "DROP TEMPORARY TABLE t"),
            (Replica, "SELECT COUNT(*) FROM t"),
        ]);
    });
}

#[test]
fn construct_found_rows() {
    on_both("c_found", |lab| {
        for _ in 0..3 {
            lab.check(&[(Replica, "SELECT SQL_CALC_FOUND_ROWS id FROM t LIMIT 1"), (Last, "SELECT FOUND_ROWS()")]);
            assert_eq!(lab.handle.value("SELECT FOUND_ROWS()"), "1", "of FOUND_ROWS() itself");
        }
    });
}

#[test]
fn construct_comments_and_hints() {
    on_both("c_comments", |lab| {
        lab.check(&[
            (Source, "SELECT v FROM t /*! FOR UPDATE */"),
            (Replica, "SELECT v FROM t /* FOR UPDATE */"),
            (Replica, "SELECT v FROM t # FOR UPDATE"),
            (Replica, "SELECT v FROM t /*!999999 FOR UPDATE */"),
            (Source, "/* c */ UPDATE t SET v = 'x' WHERE id = -1"),
            (Source, "-- c\n# d\nDELETE FROM t WHERE id = -1"),
        ]);
        lab.check_on(Family::MariaDb, &[(Source, "SELECT v FROM t /*M! FOR UPDATE */")]);
        lab.check_on(
            Family::MySql,
            &[
                (Replica, "SELECT v FROM t /*M! FOR UPDATE */"),
                (Replica, "SELECT /*+ MAX_EXECUTION_TIME(1000) */ v FROM t"),
            ],
        );
        // A value for one statement is not the session's, whatever the server reports of it.
        lab.check_on(Family::MySql, &[(Replica, "SELECT /*+ SET_VAR(sort_buffer_size = 100000) */ v FROM t")]);
        lab.check_on(Family::MariaDb, &[(Replica, "SET STATEMENT group_concat_max_len = 5000 FOR SELECT v FROM t")]);
        lab.check(&[(Replica, "SELECT v FROM t")]);
        assert_eq!(everywhere(&mut lab.handle, "@@group_concat_max_len = 5000"), ["0"; 3]);
    });
}

#[test]
fn construct_explain_and_analyze() {
    on_both("c_explain", |lab| {
        lab.check(&[(Replica, "EXPLAIN SELECT v FROM t"), (Replica, "DESCRIBE t"), (Source, "EXPLAIN DELETE FROM t")]);
        lab.check_on(Family::MySql, &[(Replica, "EXPLAIN ANALYZE SELECT v FROM t")]);
        lab.check_on(
            Family::MariaDb,
            &[(Replica, "ANALYZE SELECT v FROM t"), (Source, "ANALYZE UPDATE t SET v = 'x' WHERE id = -1")],
        );
    });
}

#[test]
fn construct_handler() {
    on_both("c_handler", |lab| {
        lab.check(&[
            (Source, "HANDLER t OPEN AS h"),
            (Source, "HANDLER h READ FIRST"),
            (Source, "SELECT COUNT(*) FROM t"),
            (Source, "HANDLER h CLOSE"),
            (Replica, "SELECT COUNT(*) FROM t"),
        ]);
    });
}

#[test]
fn construct_do_values_table() {
    on_both("c_do", |lab| {
        lab.check(&[(Replica, "DO 1 + 1"), (Source, "DO GET_LOCK('c_do', 1)"), (Source, "DO RELEASE_LOCK('c_do')")]);
        lab.check_on(Family::MySql, &[(Replica, "TABLE t"), (Replica, "VALUES ROW(1), ROW(2)")]);
        lab.check_on(Family::MariaDb, &[(Replica, "VALUES (1), (2)")]);
    });
}

#[test]
fn construct_binary_prepared_statements() {
    use mysqlclient_ms::session::{Prepared, Request};
    on_both("c_binary", |lab| {
        let run = |lab: &mut Lab, prepared: &mut Prepared| {
            let done = block_on(lab.handle.session.execute(prepared, &Request::default())).unwrap();
            if !done.shape.is_nothing() {
                block_on(lab.handle.session.skip_statement_rows(true)).unwrap();
            }
            lab.handle.node()
        };
        let mut read = Prepared::default();
        block_on(lab.handle.session.prepare(&mut read, b"SELECT v, @bin FROM t")).unwrap();
        let mut set = Prepared::default();
        block_on(lab.handle.session.prepare(&mut set, b"SET @bin = 5")).unwrap();
        let mut write = Prepared::default();
        block_on(lab.handle.session.prepare(&mut write, b"INSERT INTO t (v) VALUES ('x')")).unwrap();
        let mut begin_read = vec![run(lab, &mut read), run(lab, &mut read)];
        begin_read.sort_unstable();
        assert_eq!(begin_read, [1, 2], "{}: a read is executed in turn", lab.family);
        assert_eq!(run(lab, &mut set), 0);
        assert_eq!(everywhere(&mut lab.handle, "@bin"), ["5"; 3], "{}: SET by the binary protocol", lab.family);
        assert_eq!(run(lab, &mut write), 0);
        lab.handle.ok("BEGIN");
        assert_eq!(run(lab, &mut read), 0, "{}: in a transaction", lab.family);
        lab.handle.ok("COMMIT");
        assert_eq!(run(lab, &mut read), 0, "{}: a trigger of the INSERT may have set @bin", lab.family);
        // Prepared under one sql_mode, prepared again elsewhere under another: it means what it meant.
        let mut quoted = Prepared::default();
        lab.fresh();
        block_on(lab.handle.session.prepare(&mut quoted, b"SELECT \"v\" FROM t WHERE id = 1")).unwrap();
        lab.handle.ok("SET sql_mode = 'ANSI_QUOTES'");
        for _ in 0..2 {
            let done = block_on(lab.handle.session.execute(&mut quoted, &Request::default())).unwrap();
            assert!(!done.shape.is_nothing());
            let mut rows = BinaryRows::default();
            block_on(lab.handle.session.store_statement_rows(&[], &mut rows)).unwrap();
            assert_eq!(rows.len(), 1);
            let row = rows.row(0).unwrap();
            assert!(row.ends_with(b"\x01v"), "{}: the string, not the column: {row:?}", lab.family);
            assert_eq!(lab.handle.node(), 0, "{}: read otherwise now, nothing is proven of it", lab.family);
        }
        lab.handle.ok("SET sql_mode = ''");
        assert_ne!(run(lab, &mut quoted), 0, "{}: as when it was prepared", lab.family);
    });
}

#[test]
fn construct_sql_prepare() {
    on_both("c_prepare", |lab| {
        lab.check(&[
            (Source, "PREPARE s FROM 'SELECT COUNT(*) FROM t'"),
            (Source, "SELECT COUNT(*) FROM t"),
            (Source, "DEALLOCATE PREPARE s"),
            (Replica, "SELECT COUNT(*) FROM t"),
            (Source, "PREPARE s FROM 'COMMIT'"),
            (Source, "BEGIN"),
            (Source, "EXECUTE s"),
        ]);
        assert_eq!(lab.handle.session.outcome().status & 1, 0, "{}: the hidden COMMIT is seen", lab.family);
        assert_eq!(lab.handle.session.transaction_disagreements(), 0);
    });
}

#[test]
fn construct_xa() {
    on_both("c_xa", |lab| {
        lab.check(&[
            (Source, "XA START 'c_xa'"),
            (Source, "SELECT COUNT(*) FROM t"),
            (Source, "INSERT INTO t (v) VALUES ('x')"),
            (Source, "XA END 'c_xa'"),
            (Source, "XA PREPARE 'c_xa'"),
            (Source, "XA COMMIT 'c_xa'"),
            (Replica, "SELECT COUNT(*) FROM t"),
            (Source, "XA START 'c_xa'"),
            (Source, "XA END 'c_xa'"),
            (Source, "XA ROLLBACK 'c_xa'"),
            (Replica, "SELECT COUNT(*) FROM t"),
        ]);
    });
}

#[test]
fn construct_system_schemas() {
    on_both("c_system", |lab| {
        lab.check(&[
            (Replica, "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()"),
            (Source, "INSERT INTO t (v) VALUES ('x')"),
            (Last, "SELECT COUNT(*) FROM information_schema.processlist"),
            (Replica, "SELECT COUNT(*) FROM t"),
            (Last, "SELECT COUNT(*) FROM information_schema.processlist"),
        ]);
    });
}

#[test]
fn construct_sequences() {
    on_both("c_sequences", |lab| {
        if lab.family == Family::MariaDb {
            lab.on_source("CREATE SEQUENCE SCHEMA.s");
            lab.in_step();
            lab.check(&[
                (Source, "SELECT NEXT VALUE FOR s"),
                (Source, "SELECT NEXTVAL(s)"),
                (Source, "SELECT SETVAL(s, 50)"),
                (Source, "SELECT LASTVAL(s)"),
            ]);
        }
    });
}

#[test]
fn construct_what_differs_from_server_to_server() {
    on_both("c_local", |lab| {
        lab.check(&[
            (Source, "INSERT INTO t (v) VALUES ('x')"),
            (Last, "SELECT @@server_id, @@hostname"),
            (Last, "SELECT CONNECTION_ID()"),
            (Replica, "SELECT COUNT(*) FROM t"),
            (Last, "SELECT @@server_id, CONNECTION_ID()"),
        ]);
    });
}

#[test]
fn reports_23_and_24_with_autocommit_off_the_first_read_opens_the_transaction() {
    on_both("r_23", |lab| {
        lab.check(&[
            (Source, "SET autocommit = 0"),
            (Source, "SELECT COUNT(*) FROM t"),
            (Source, "UPDATE t SET v = 'x'"),
            (Source, "COMMIT"),
            (Source, "SELECT COUNT(*) FROM t"),
            (Source, "ROLLBACK"),
            (Source, "SET autocommit = 1"),
            (Replica, "SELECT COUNT(*) FROM t"),
            // 24: a handle that has been on a replica begins to write.
            (Source, "START TRANSACTION"),
            (Source, "SELECT COUNT(*) FROM t"),
            (Source, "INSERT INTO t (v) VALUES ('y')"),
            (Source, "COMMIT"),
        ]);
    });
}

#[test]
fn reports_25_and_26_a_transaction_is_on_one_node_and_then_splitting_goes_on() {
    on_both("r_25", |lab| {
        for end in ["COMMIT", "ROLLBACK", "CREATE TABLE IF NOT EXISTS other (a INT)"] {
            lab.check(&[
                (Source, "BEGIN"),
                (Source, "SELECT COUNT(*) FROM t"),
                (Source, "INSERT INTO t (v) VALUES ('x')"),
                (Source, "/*ms=slave*/ SELECT COUNT(*) FROM t"),
                (Source, end),
                (Replica, "SELECT COUNT(*) FROM t"),
                (Replica, "SELECT COUNT(*) FROM t"),
            ]);
        }
    });
}

#[test]
fn report_30_texts_that_only_look_like_reads() {
    on_both("r_30", |lab| {
        lab.check(&[
            (Source, "SELECT * FROM t\nWHERE id = 1\nFOR\nUPDATE"),
            (Source, "/* c */ REPLACE INTO t (id, v) VALUES (1, 'x')"),
            (Source, "SELECT id FROM t ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED"),
            (Replica, "  \n\t SELECT v FROM t ;"),
        ]);
    });
}

/// 2.5: state is made on the source, so that a bound handle is never bound to a node that takes no writes.
#[test]
fn statements_that_make_state_run_on_the_source_even_with_a_hint_for_replicas() {
    on_both("c_pins", |lab| {
        for sql in [
            "/*ms=slave*/ CREATE TEMPORARY TABLE tmp (a INT)",
            "/*ms=slave*/ SELECT GET_LOCK('c_pins', 1)",
            "/*ms=slave*/ SET @x = 1 + 1",
            "/*ms=slave*/ PREPARE s FROM 'SELECT 1'",
            "/*ms=slave*/ HANDLER t OPEN",
            "/*ms=slave*/ LOCK TABLES t READ",
        ] {
            lab.fresh();
            lab.check(&[(Replica, "SELECT COUNT(*) FROM t"), (Source, sql), (Source, "SELECT COUNT(*) FROM t")]);
        }
        // A savepoint outside of a transaction, a large statement and a warning hold nothing.
        lab.fresh();
        let large = format!("SELECT COUNT(*), '{}' FROM t", "x".repeat(100_000));
        lab.check(&[
            (Source, "SAVEPOINT s"),
            (Replica, "SELECT 1/0 FROM t"),
            (Replica, &large),
            (Replica, "SELECT COUNT(*) FROM t"),
        ]);
    });
}
