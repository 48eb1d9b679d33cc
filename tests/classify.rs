//! The table of right answers, construct by construct: a statement, and the class it must have.
//!
//! Both families' newest servers read every row, unless the row says otherwise. Pure code; no server.
#![allow(clippy::unwrap_used, missing_docs)]

use mysqlclient_ms::cluster::config::quality::Level;
use mysqlclient_ms::route::{
    Access, Bind, Class, ClassifyConfig, Effect, Hint, Isolation, LexContext, Release, Scope, Server, Span, Statement,
    TransactionControl, Value, classify,
};

const MYSQL: Server = Server::mysql(90_704);
const MARIADB: Server = Server::mariadb(110_800);

fn context(server: Server) -> LexContext {
    LexContext { server, multi_statements: true, ..LexContext::default() }
}

fn run(sql: &str, server: Server) -> Statement {
    classify(sql.as_bytes(), &context(server), &ClassifyConfig::default())
}

#[track_caller]
fn on(server: Server, rows: &[(Class, &str)]) {
    for (class, sql) in rows {
        let statement = run(sql, server);
        assert_eq!(statement.class, *class, "{sql}\n  on {server:?}: {:?}", statement.reason);
    }
}

#[track_caller]
fn check(rows: &[(Class, &str)]) {
    on(MYSQL, rows);
    on(MARIADB, rows);
}

use Class::{LastUsed, LastWrite, Read, Session, Transaction, Unknown, Write};

#[test]
fn locking_reads_stay_on_the_source() {
    let locks = [
        "FOR UPDATE",
        "FOR SHARE",
        "LOCK IN SHARE MODE",
        "for update nowait",
        "FOR UPDATE SKIP LOCKED",
        "FOR SHARE OF t NOWAIT",
        "FOR UPDATE OF t SKIP LOCKED",
        "\nFOR\nUPDATE\n",
        "FOR/* */UPDATE -- x",
        "FOR UPDATE;",
    ];
    for lock in locks {
        for select in [
            format!("SELECT * FROM t {lock}"),
            format!("(SELECT * FROM t {lock})"),
            format!("(SELECT * FROM t) UNION (SELECT * FROM u {lock})"),
            format!("SELECT * FROM (SELECT * FROM t {lock}) AS d"),
            format!("SELECT * FROM t WHERE id IN (SELECT id FROM u {lock})"),
            format!("WITH c AS (SELECT 1) SELECT * FROM c {lock}"),
            format!("WITH c AS (SELECT * FROM t {lock}) SELECT * FROM c"),
            format!("SELECT (SELECT a FROM t {lock})"),
        ] {
            let select = select.replace(";)", ")");
            check(&[(Write, &select)]);
            assert!(run(&select, MYSQL).needs.locking, "{select}");
        }
    }
    check(&[
        (Write, "SELECT a INTO @v FROM t"),
        (Write, "SELECT a FROM t INTO @v"),
        (Write, "SELECT a FROM t LIMIT 1 INTO @v, @w"),
        (Write, "SELECT * FROM t INTO OUTFILE '/tmp/x'"),
        (Write, "SELECT a INTO DUMPFILE '/tmp/x' FROM t"),
        (Write, "SELECT * FROM t PROCEDURE ANALYSE(10, 2000)"),
    ]);
}

#[test]
fn user_variables() {
    check(&[(Read, "SELECT @a"), (Read, "SELECT * FROM t WHERE id = @id"), (Read, "SELECT @`a b`, @'c', @a.b$c")]);
    let statement = run("SELECT @a, @'b' FROM t", MYSQL);
    assert_eq!(statement.needs.user_variables.len(), 2);
    check(&[
        (Write, "SELECT @a := @a + 1"),
        (Write, "SELECT * FROM t WHERE (@n := @n + 1) < 3"),
        (Write, "SELECT @a:=1"),
        (Write, "SELECT @a /* */ := 1"),
    ]);
    let statement = run("SELECT @a := @a + 1", MYSQL);
    assert!(matches!(statement.effects[..], [Effect::SetUserVariable { value: Value::Unknown, .. }]));
    assert!(statement.effects[0].binds());
}

#[test]
fn last_insert_id_follows_the_last_write() {
    check(&[
        (LastWrite, "SELECT LAST_INSERT_ID()"),
        (LastWrite, "select last_insert_id ( )"),
        (LastWrite, "SELECT LAST_INSERT_ID() FROM DUAL LIMIT 1"),
        (LastWrite, "SELECT * FROM t WHERE id = LAST_INSERT_ID() + 1"),
        (LastWrite, "SELECT @@identity"),
        (LastWrite, "SELECT @@last_insert_id"),
        (LastWrite, "SELECT @@session.identity"),
        (Write, "SELECT LAST_INSERT_ID(5)"),
        (Write, "UPDATE seq SET id = LAST_INSERT_ID(id + 1)"),
        (LastUsed, "SELECT ROW_COUNT()"),
    ]);
    assert!(run("SELECT LAST_INSERT_ID(5)", MYSQL).effects.contains(&Effect::SetsInsertId));
}

#[test]
fn user_level_locks_bind() {
    check(&[
        (Write, "SELECT GET_LOCK('a', 10)"),
        (Write, "SELECT RELEASE_LOCK('a')"),
        (Write, "SELECT IS_FREE_LOCK('a')"),
        (Write, "SELECT IS_USED_LOCK('a')"),
        (Write, "SELECT RELEASE_ALL_LOCKS()"),
        (Write, "DO GET_LOCK('a', 10)"),
        (Write, "SELECT * FROM t WHERE get_lock ('a', 1)"),
    ]);
    assert_eq!(run("DO GET_LOCK('a', 1)", MYSQL).effects, [Effect::Bind(Bind::GetLock)]);
    assert_eq!(run("DO RELEASE_ALL_LOCKS()", MYSQL).effects, [Effect::Release(Release::AllLocks)]);
    assert_eq!(run("DO RELEASE_LOCK('a')", MYSQL).effects, [Effect::Release(Release::OneLock)]);
}

#[test]
fn stored_functions_stay_on_the_source() {
    check(&[
        (Unknown, "SELECT f()"),
        (Unknown, "SELECT f(1) FROM t"),
        (Unknown, "SELECT db.f(1)"),
        (Unknown, "SELECT db.now()"),
        (Unknown, "SELECT `now`()"),
        (Unknown, "SELECT `f`(1)"),
        (Unknown, "SELECT db . f (1)"),
        (Unknown, "SELECT `db`.`f`(1)"),
        (Unknown, "SELECT f /* */ (1)"),
        (Unknown, "SELECT f\n(1)"),
        (Unknown, "SELECT a FROM t WHERE x IN (SELECT f(y) FROM u)"),
        (Unknown, "SELECT a FROM t ORDER BY f(a)"),
        (Unknown, "SELECT a FROM t GROUP BY f(a)"),
        (Unknown, "SELECT a FROM t HAVING f(a) > 1"),
        (Unknown, "SELECT a FROM t JOIN u ON f(t.a) = u.a"),
        (Unknown, "SELECT CASE WHEN f(1) THEN 1 END"),
        (Unknown, "SELECT COUNT (*) FROM t"),
        (Unknown, "SELECT MAX (a) FROM t"),
        (Unknown, "SELECT t.count(*) FROM t"),
        (Unknown, "SELECT LOAD_FILE('/etc/passwd')"),
        (Unknown, "SELECT MASTER_POS_WAIT('a', 1)"),
        (Unknown, "SELECT sys.ps_thread_id(1)"),
        (Unknown, "WITH a AS (SELECT 1 x) (SELECT x FROM a) ORDER BY 1, f(x)"),
        (Unknown, "WITH a AS (SELECT 1 x) TABLE a ORDER BY x, f(x)"),
        (Unknown, "SELECT 1 FROM f(1)"),
        (Unknown, "SHOW TABLES WHERE f(1)"),
        (Unknown, "DO f()"),
    ]);
    let statement = run("SELECT f(1)", MYSQL);
    assert_eq!(statement.effects, [Effect::Bind(Bind::UnknownFunction)]);
    // The configuration may vouch for functions.
    let mut config = ClassifyConfig::default();
    config.pure_functions.insert(b"slug".to_vec());
    config.pure_functions.insert(b"lib.slug".to_vec());
    let with = |sql: &str| classify(sql.as_bytes(), &context(MYSQL), &config).class;
    assert_eq!(with("SELECT Slug('a')"), Read);
    assert_eq!(with("SELECT `slug`('a')"), Read);
    assert_eq!(with("SELECT lib.slug('a')"), Read);
    assert_eq!(with("SELECT `lib`.slug('a')"), Read);
    assert_eq!(with("SELECT other.slug('a')"), Unknown);
    assert_eq!(with("SELECT other . slug('a')"), Unknown);
    assert_eq!(with("SELECT other./* */slug('a')"), Unknown);
    assert_eq!(with("SELECT slugs('a')"), Unknown);
}

#[test]
fn a_constructor_with_other_arguments_is_a_stored_function_to_mariadb() {
    let constructed = [
        "SELECT POINT(1, 2)",
        "SELECT point(f.x, (2 + 3)) FROM f",
        "SELECT ST_AsText(LINESTRING(POINT(1, 2), POINT(ABS(3), MOD(4, 5))))",
        "SELECT POLYGON(LINESTRING(POINT(0, 0), POINT(1, 1), POINT(1, 0), POINT(0, 0)))",
        "SELECT GEOMETRYCOLLECTION(POINT(1, 1)), MULTIPOINT(POINT(1, 1)), MULTILINESTRING(a), MULTIPOLYGON(b, c) FROM t",
    ];
    constructed.iter().for_each(|sql| check(&[(Read, sql)]));
    for call in [
        "POINT()",
        "POINT(1)",
        "point(1, 2, 3)",
        "POINT((1, 2))",
        "POINT(f.x)",
        "POINT(/* 1, 2 */)",
        "LINESTRING()",
        "POLYGON( )",
        "MULTIPOINT()",
        "MULTILINESTRING()",
        "MULTIPOLYGON()",
        "GEOMETRYCOLLECTION()",
        "POINT(POINT(1), 2)",
        "LINESTRING(POINT(1, 2), POINT(1))",
    ] {
        let sql = format!("SELECT {call} FROM f");
        on(MARIADB, &[(Unknown, &sql)]);
        on(Server::UNKNOWN, &[(Unknown, &sql)]);
    }
    check(&[(Unknown, "SELECT `point`(1, 2)"), (Unknown, "SELECT d.point(1)"), (Unknown, "SELECT POINT(1, 2")]);
}

#[test]
fn json_table_outside_of_from_is_a_stored_function() {
    check(&[
        (Read, "SELECT * FROM JSON_TABLE('[1]', '$[*]' COLUMNS (a INT PATH '$')) AS j"),
        (
            Read,
            "SELECT * FROM t, JSON_TABLE(t.a, '$[*]' COLUMNS (a INT PATH '$', o FOR ORDINALITY)) j WHERE j.a = ABS(1)",
        ),
        (Read, "SELECT * FROM t LEFT JOIN JSON_TABLE(t.a, '$' COLUMNS (a INT PATH '$')) j ON TRUE"),
        (Unknown, "SELECT * FROM JSON_TABLE(f(1), '$' COLUMNS (a INT PATH '$')) j"),
        (Unknown, "SELECT JSON_TABLE(1)"),
        (Unknown, "SELECT * FROM t WHERE a = JSON_TABLE(b, '$')"),
        (Unknown, "SELECT * FROM t ORDER BY JSON_TABLE('[1]', '$')"),
        (Unknown, "DO JSON_TABLE(1)"),
    ]);
    on(Server::mysql(50_740), &[(Unknown, "SELECT * FROM JSON_TABLE('[1]', '$[*]' COLUMNS (a INT PATH '$')) AS j")]);
}

#[test]
fn functions_by_family_and_version() {
    let old = Server::mysql(50_740);
    on(MYSQL, &[(Read, "SELECT UUID_TO_BIN(UUID())"), (Unknown, "SELECT JSON_DETAILED(a) FROM t")]);
    on(MARIADB, &[(Unknown, "SELECT UUID_TO_BIN(UUID())"), (Read, "SELECT JSON_DETAILED(a) FROM t")]);
    on(old, &[(Unknown, "SELECT UUID_TO_BIN(UUID())"), (Read, "SELECT JSON_EXTRACT(a, '$') FROM t")]);
    on(old, &[(Unknown, "SELECT RANK() OVER (ORDER BY a) FROM t"), (Unknown, "SELECT over(1)")]);
    on(Server::UNKNOWN, &[(Unknown, "SELECT UUID_TO_BIN(UUID())"), (Read, "SELECT CONCAT(a, b), NOW() FROM t")]);
    // MySQL 9.6 moved these into a component: without it, the name is free for a stored function.
    on(MYSQL, &[(Unknown, "SELECT MD5('a')")]);
    on(Server::mysql(90_500), &[(Read, "SELECT MD5('a'), SHA1('b')")]);
    on(MARIADB, &[(Read, "SELECT MD5('a'), SHA1('b')")]);
    let spaced = LexContext { ignore_space: true, ..context(MYSQL) };
    assert_eq!(classify(b"SELECT COUNT (*) FROM t", &spaced, &ClassifyConfig::default()).class, Read);
}

#[test]
fn cte_with_a_changing_main_verb() {
    check(&[
        (Write, "WITH a AS (SELECT 1) UPDATE t SET x = 1"),
        (Write, "WITH a AS (SELECT 1) DELETE FROM t"),
        (Write, "WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a"),
        (Write, "WITH a AS (SELECT 1) REPLACE t SELECT * FROM a"),
        (Write, "WITH RECURSIVE a (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a) DELETE t FROM t JOIN a"),
        (Read, "WITH a AS (SELECT 1) SELECT * FROM a"),
        (Read, "WITH a (x, y) AS (SELECT 1, 2), b (z) AS (SELECT x FROM a) SELECT * FROM a, b"),
        (Read, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT i FROM n"),
        (Read, "WITH a AS (SELECT 1) (SELECT * FROM a)"),
        (Read, "SELECT t.`update`, t.delete FROM t"),
    ]);
}

#[test]
fn show_per_kind() {
    check(&[
        (Read, "SHOW TABLES"),
        (Read, "SHOW FULL TABLES FROM `db` LIKE 'a%'"),
        (Read, "SHOW FULL COLUMNS FROM t FROM db WHERE Field = 'a'"),
        (Read, "SHOW FIELDS IN t"),
        (Read, "SHOW INDEX FROM t"),
        (Read, "SHOW KEYS FROM db.t WHERE Key_name = 'PRIMARY'"),
        (Read, "SHOW DATABASES"),
        (Read, "SHOW CREATE TABLE `t`"),
        (Read, "SHOW CREATE DATABASE IF NOT EXISTS db"),
        (Read, "SHOW TABLE STATUS LIKE 't'"),
        (Read, "SHOW TRIGGERS"),
        (Read, "SHOW CHARACTER SET"),
        (Read, "SHOW COLLATION WHERE Charset = 'utf8mb4'"),
        (Read, "SHOW PROCEDURE STATUS"),
        (Read, "SHOW GRANTS FOR CURRENT_USER()"),
        (LastUsed, "SHOW WARNINGS"),
        (LastUsed, "SHOW ERRORS LIMIT 1"),
        (LastUsed, "SHOW COUNT(*) WARNINGS"),
        (LastUsed, "SHOW COUNT(*) ERRORS"),
        (LastUsed, "SHOW PROCESSLIST"),
        (LastUsed, "SHOW FULL PROCESSLIST"),
        (LastUsed, "SHOW STATUS LIKE 'Threads%'"),
        (LastUsed, "SHOW GLOBAL STATUS"),
        (LastUsed, "SHOW VARIABLES LIKE 'sql_mode'"),
        (LastUsed, "SHOW ENGINE INNODB STATUS"),
        (LastUsed, "SHOW REPLICA STATUS"),
        (LastUsed, "SHOW SLAVE STATUS"),
        (LastUsed, "SHOW MASTER STATUS"),
        (LastUsed, "SHOW BINARY LOGS"),
        (LastUsed, "SHOW BINARY LOG STATUS"),
        (LastUsed, "SHOW OPEN TABLES"),
        (LastUsed, "SHOW PLUGINS"),
        (Unknown, "SHOW SOMETHING NEW"),
    ]);
}

#[test]
fn call_leaves_the_session_unknown() {
    check(&[(Unknown, "CALL p()"), (Unknown, "CALL db.p(1, @out)"), (Unknown, "EXECUTE s USING @a")]);
    assert_eq!(run("CALL p()", MYSQL).effects, [Effect::Bind(Bind::Unknown)]);
    assert!(run("CALL p()", MYSQL).effects[0].binds());
}

#[test]
fn multi_statements() {
    check(&[
        (Read, "SELECT 1; SELECT 2"),
        (Read, "SELECT 1;"),
        (Read, "SELECT 1; -- end"),
        (Write, "SELECT 1; DELETE FROM t"),
        (Write, "DELETE FROM t; SELECT 1"),
        (LastUsed, "SELECT 1; SHOW WARNINGS"),
        (Unknown, "SELECT 1; SELECT f()"),
        (Write, "SELECT 1; SET @a = 1; COMMIT"),
    ]);
    let statement = run("SET @a = 1; BEGIN; INSERT INTO t VALUES (1); COMMIT", MYSQL);
    assert!(!statement.single);
    assert!(matches!(
        statement.effects[..],
        [
            Effect::SetUserVariable { .. },
            Effect::Transaction(TransactionControl::Begin { .. }),
            Effect::SetsInsertId,
            Effect::Transaction(TransactionControl::Commit { .. })
        ]
    ));
    assert!(run("SELECT 1;", MYSQL).single);
}

#[test]
fn set_gives_effects() {
    check(&[
        (Session, "SET NAMES utf8mb4"),
        (Session, "SET NAMES 'utf8mb4' COLLATE 'utf8mb4_bin'"),
        (Session, "SET CHARACTER SET latin1"),
        (Session, "SET autocommit=0"),
        (Session, "SET @a = 1"),
        (Session, "SET @a = (SELECT MAX(id) FROM t)"),
        (Session, "SET SESSION sql_mode = ''"),
        (Session, "SET time_zone = '+00:00', @x = NULL"),
        (Session, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"),
        (Session, "SET SESSION TRANSACTION READ ONLY"),
        (Session, "SET ROLE admin"),
        (Write, "SET GLOBAL max_connections = 10"),
        (Write, "SET @@global.max_connections = 10"),
        (Write, "SET PERSIST max_connections = 10"),
        (Write, "SET PASSWORD = 'x'"),
        (Write, "SET GLOBAL TRANSACTION READ WRITE"),
        (Write, "SET DEFAULT ROLE ALL TO u"),
    ]);
    let effects = |sql: &str| run(sql, MYSQL).effects;
    let named = |sql: &'static str| {
        effects(sql)
            .into_iter()
            .map(|effect| match effect {
                Effect::SetSessionVariable { name, value } => {
                    let value = match value {
                        Value::Literal(span) => String::from_utf8_lossy(span.of(sql.as_bytes())).into_owned(),
                        Value::Default => "(default)".to_owned(),
                        Value::Unknown => "(unknown)".to_owned(),
                    };
                    format!("{}={value}", String::from_utf8_lossy(&name.name(sql.as_bytes())))
                }
                Effect::SetUserVariable { name, value } => {
                    let value = match value {
                        Value::Literal(span) => String::from_utf8_lossy(span.of(sql.as_bytes())).into_owned(),
                        _ => "(unknown)".to_owned(),
                    };
                    format!("@{}={value}", String::from_utf8_lossy(&name.name(sql.as_bytes())))
                }
                Effect::SetGlobal(name) => format!("global {}", String::from_utf8_lossy(name.of(sql.as_bytes()))),
                other => format!("{other:?}"),
            })
            .collect::<Vec<_>>()
            .join(", ")
    };
    assert_eq!(named("SET sql_mode = 'ANSI', @a := -1.5, @`b c` = 'x y'"), "sql_mode='ANSI', @a=-1.5, @b c='x y'");
    assert_eq!(named("SET SESSION time_zone = DEFAULT, x = 1 + 1"), "time_zone=(default), x=(unknown)");
    assert_eq!(named("SET @@session.sql_log_bin = OFF, @@x = 1"), "sql_log_bin=OFF, x=1");
    assert_eq!(named("SET LOCAL a = 1, @@local.b = 2"), "a=1, b=2");
    assert_eq!(named("SET GLOBAL a = 1, b = 2, SESSION c = 3, d = 4"), "global a, global b, c=3, d=4");
    assert_eq!(named("SET @@global.a = 1, b = 2"), "global a, b=2");
    assert_eq!(named("SET @a = NULL, @b = TRUE, @c = x'41', @d = @e"), "@a=NULL, @b=TRUE, @c=x'41', @d=(unknown)");
    assert_eq!(named("SET @a = 1 + 1, @b = CONCAT('a', 'b'), @c = (SELECT 1, 2)").matches("unknown").count(), 3);
    assert_eq!(effects("SET autocommit = 1"), [Effect::SetAutocommit(true)]);
    assert_eq!(effects("SET @@session.autocommit = 'off'"), [Effect::SetAutocommit(false)]);
    assert!(matches!(effects("SET autocommit = @x")[..], [Effect::SetSessionVariable { .. }]));
    assert!(matches!(effects("SET NAMES DEFAULT")[..], [Effect::SetNames { charset: None, collation: None }]));
    assert!(matches!(
        effects("SET NAMES utf8 COLLATE x, autocommit=1")[..],
        [Effect::SetNames { charset: Some(_), collation: Some(_) }, Effect::SetAutocommit(true)]
    ));
    assert!(matches!(effects("SET CHARSET 'x'")[..], [Effect::SetCharacterSet(Some(_))]));
    assert_eq!(
        effects("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"),
        [Effect::SetTransaction {
            scope: Scope::Session,
            isolation: Some(Isolation::RepeatableRead),
            access: Some(Access::ReadOnly)
        }]
    );
    assert_eq!(
        effects("SET TRANSACTION READ WRITE"),
        [Effect::SetTransaction { scope: Scope::Next, isolation: None, access: Some(Access::ReadWrite) }]
    );
    // Charset, schema and autocommit follow to other nodes; everything else binds; GLOBAL neither nor.
    for free in ["SET NAMES utf8", "SET autocommit=0", "USE db", "SET GLOBAL a=1", "SET CHARSET utf8", "SET ROLE x"] {
        assert!(!effects(free).iter().any(Effect::binds), "{free}");
    }
    for binding in [
        "SET @a=1",
        "SET sql_mode=''",
        "SET RESOURCE GROUP x",
        "SET TRANSACTION READ ONLY",
        "SET what ever",
        "SET @a = f()",
    ] {
        assert!(effects(binding).iter().any(Effect::binds), "{binding}");
    }
}

#[test]
fn set_statement_has_the_class_of_its_statement() {
    on(
        MARIADB,
        &[
            (Read, "SET STATEMENT max_statement_time = 1 FOR SELECT * FROM t"),
            (Write, "SET STATEMENT max_statement_time = 1 FOR DELETE FROM t"),
            (Write, "SET STATEMENT sql_mode = 'ANSI_QUOTES' FOR SELECT \"a\" FROM t"),
            (Unknown, "SET STATEMENT x = f() FOR SELECT 1"),
            (Unknown, "SET STATEMENT x = 1 FOR SELECT f()"),
            (Unknown, "SET STATEMENT x = 1 FOR CALL p()"),
        ],
    );
}

#[test]
fn temporary_tables_are_named() {
    let sql = "CREATE TEMPORARY TABLE IF NOT EXISTS db.`a b` (id INT, KEY k (id)) SELECT 1";
    let statement = run(sql, MYSQL);
    assert_eq!(statement.class, Write);
    match statement.effects[..] {
        [Effect::Bind(Bind::TempTable(table))] => {
            assert_eq!(&*table.schema.unwrap().name(sql.as_bytes()), b"db");
            assert_eq!(&*table.name.name(sql.as_bytes()), b"a b");
        }
        ref other => panic!("{other:?}"),
    }
    let sql = "DROP TEMPORARY TABLE IF EXISTS a, b.c";
    let effects = run(sql, MYSQL).effects;
    assert!(matches!(
        effects[..],
        [Effect::DropTable { temporary: true, .. }, Effect::DropTable { temporary: true, .. }]
    ));
    assert!(matches!(
        run("DROP TABLE a", MYSQL).effects[..],
        [Effect::ImplicitCommit, Effect::DropTable { temporary: false, .. }]
    ));
    check(&[
        (Write, "CREATE TABLE t (a INT)"),
        (Write, "CREATE OR REPLACE TEMPORARY TABLE t (a INT)"),
        (Write, "ALTER TABLE t ADD b INT"),
    ]);
    // Readers of it are found by name.
    let sql = "SELECT * FROM x JOIN (SELECT * FROM db.`a b`) d, y AS z LEFT JOIN (u, v) ON u.a = v.a, w WHERE a IN (SELECT 1 FROM s)";
    let names: Vec<_> = run(sql, MYSQL)
        .needs
        .tables
        .iter()
        .map(|table| String::from_utf8_lossy(&table.name.name(sql.as_bytes())).into_owned())
        .collect();
    assert_eq!(names, ["x", "a b", "y", "u", "v", "w", "s"]);
}

#[test]
fn tables_of_changes_are_named() {
    let rows: &[(&str, &[&str])] = &[
        ("INSERT INTO t (a, b) VALUES (1, 2)", &["t"]),
        ("INSERT t VALUES (1)", &["t"]),
        ("INSERT IGNORE INTO db.t SELECT * FROM u", &["t", "u"]),
        ("INSERT INTO `into` SET a = 1 ON DUPLICATE KEY UPDATE b = VALUES(b)", &["into"]),
        ("REPLACE DELAYED t (a) VALUES (1)", &["t"]),
        ("UPDATE LOW_PRIORITY IGNORE t SET a = 1 WHERE b = (SELECT c FROM u)", &["t", "u"]),
        ("UPDATE t, u SET t.a = u.a", &["t", "u"]),
        ("UPDATE t JOIN u USING (id) SET t.a = 1", &["t", "u"]),
        ("DELETE FROM t WHERE a = 1", &["t"]),
        ("DELETE QUICK FROM t ORDER BY a LIMIT 1", &["t"]),
        ("DELETE a FROM t AS a JOIN u ON a.id = u.id", &["t", "u"]),
        ("LOAD DATA LOCAL INFILE 'f' INTO TABLE t (a, @b) SET c = @b", &["t"]),
        ("TRUNCATE TABLE t", &["t"]),
        ("TABLE t", &["t"]),
        (
            "SELECT * FROM t PARTITION (p0, p1) a USE INDEX (i, j) IGNORE KEY FOR ORDER BY (k), u FORCE INDEX FOR JOIN (l)",
            &["t", "u"],
        ),
        ("SELECT * FROM {oj t LEFT OUTER JOIN u ON t.a = u.a}", &["t", "u"]),
        ("SELECT EXTRACT(YEAR FROM d), TRIM(LEADING 'x' FROM a) FROM t", &["t"]),
        ("SHOW COLUMNS FROM t FROM db", &["t"]),
        ("DESCRIBE db.t", &["t"]),
        ("CHECKSUM TABLE t, u", &["t", "u"]),
        ("HANDLER t OPEN", &["t"]),
    ];
    for (sql, expected) in rows {
        let names: Vec<_> = run(sql, MYSQL)
            .needs
            .tables
            .iter()
            .map(|table| String::from_utf8_lossy(&table.name.name(sql.as_bytes())).into_owned())
            .collect();
        assert_eq!(names, *expected, "{sql}");
    }
}

#[test]
fn calc_found_rows_is_remembered() {
    let statement = run("SELECT SQL_CALC_FOUND_ROWS * FROM t LIMIT 10", MYSQL);
    assert_eq!((statement.class, &statement.effects[..]), (Read, &[Effect::CalcFoundRows][..]));
    check(&[(LastUsed, "SELECT FOUND_ROWS()"), (LastUsed, "SELECT found_rows () AS n")]);
}

#[test]
fn comments_that_are_code() {
    check(&[
        (Read, "/*!40001 SELECT */ 1"),
        (Read, "SELECT /*!40001 SQL_NO_CACHE */ * FROM t"),
        (Write, "SELECT 1 /*!40001 FOR UPDATE */"),
        (Write, "/*!40001 DELETE */ /*!40001 FROM t */"),
        (Write, "/*! DELETE FROM t */"),
        (Write, "SELECT 1 /*! INTO @a */"),
        (Write, "SELECT 1 /*!40001 FOR UPDATE"),
        (Unknown, "SELECT 1 /*!40001 + 1"),
        (Unknown, "SELECT 1 /* FOR UPDATE"),
        (Unknown, "SELECT /*!40001 /* x */ 1 */"),
        (Read, "SELECT /* FOR UPDATE */ 1 -- FOR UPDATE\n# FOR UPDATE"),
        (Read, "SELECT 1--1"),
        (Write, "SELECT 1 --\nFOR UPDATE"),
        (Read, "SELECT 1 -- x'\n"),
        (Read, "SELECT /*!999999 f(), */ 1"),
    ]);
    on(
        MYSQL,
        &[
            (Write, "SELECT 1 /*!80000 FOR UPDATE */"),
            (Write, "SELECT 1 /*!090704 FOR UPDATE */"),
            (Read, "SELECT 1 /*!090705 FOR UPDATE */"),
            (Read, "SELECT 1 /*!99999 FOR UPDATE */"),
            (Read, "SELECT 1 /*M! FOR UPDATE */"),
            (Read, "SELECT 1 /*M!100100 FOR UPDATE */"),
        ],
    );
    on(
        MARIADB,
        &[
            (Read, "SELECT 1 /*!80000 FOR UPDATE */"),
            (Read, "SELECT 1 /*!50700 FOR UPDATE */"),
            (Write, "SELECT 1 /*!50699 FOR UPDATE */"),
            (Write, "SELECT 1 /*!100100 FOR UPDATE */"),
            (Write, "SELECT 1 /*M! FOR UPDATE */"),
            (Write, "SELECT 1 /*M!100100 FOR UPDATE */"),
            (Read, "SELECT 1 /*M!120000 FOR UPDATE */"),
        ],
    );
    // Nodes of several versions: code for one, comment for another.
    let mixed = Server { min: 80_036, max: 90_704, ..MYSQL };
    on(
        mixed,
        &[
            (Unknown, "SELECT 1 /*!90000 FOR UPDATE */"),
            (Unknown, "SELECT 1 /*!90000 + 1 */"),
            (Write, "SELECT 1 /*!80000 FOR UPDATE */"),
            (Read, "SELECT 1 /*!99999 FOR UPDATE */"),
        ],
    );
    on(
        Server::UNKNOWN,
        &[
            (Unknown, "SELECT 1 /*!80000 FOR UPDATE */"),
            (Unknown, "SELECT 1 /*M! FOR UPDATE */"),
            (Write, "SELECT 1 /*! FOR UPDATE */"),
        ],
    );
    // Optimizer hints are kept; the one that sets a variable is noted.
    let statement = run("SELECT /*+ SET_VAR(sort_buffer_size = 16M) MAX_EXECUTION_TIME(100) */ * FROM t", MYSQL);
    assert_eq!(statement.class, Read);
    assert!(statement.needs.set_var_hint);
    assert!(!run("SELECT /*+ NO_ICP(t) */ * FROM t", MYSQL).needs.set_var_hint);
}

#[test]
fn explain_follows_its_statement() {
    check(&[
        (Read, "EXPLAIN SELECT * FROM t"),
        (Read, "EXPLAIN FORMAT=JSON SELECT * FROM t"),
        (Read, "EXPLAIN EXTENDED SELECT 1"),
        (Read, "EXPLAIN t"),
        (Read, "DESCRIBE t"),
        (Read, "DESC db.t col"),
        (Read, "DESC t 'a%'"),
        (Read, "EXPLAIN (SELECT 1) UNION (SELECT 2)"),
        (Read, "EXPLAIN ANALYZE SELECT * FROM t"),
        (Write, "EXPLAIN DELETE FROM t"),
        (Write, "EXPLAIN ANALYZE SELECT * FROM t FOR UPDATE"),
        (Unknown, "EXPLAIN ANALYZE SELECT f()"),
        (Unknown, "EXPLAIN SELECT f()"),
        (Write, "EXPLAIN FORMAT=JSON INTO @x SELECT 1"),
        (LastUsed, "EXPLAIN FOR CONNECTION 5"),
        (Unknown, "EXPLAIN"),
    ]);
    on(
        MARIADB,
        &[
            (Read, "ANALYZE SELECT * FROM t"),
            (Read, "ANALYZE FORMAT=JSON SELECT * FROM t"),
            (Write, "ANALYZE DELETE FROM t"),
            (Write, "ANALYZE FORMAT=JSON UPDATE t SET a = 1"),
            (Unknown, "ANALYZE SELECT f()"),
            (Write, "ANALYZE TABLE t"),
        ],
    );
    assert!(run("EXPLAIN INSERT INTO t VALUES (1)", MYSQL).effects.is_empty());
}

#[test]
fn handler_binds() {
    check(&[(Write, "HANDLER t OPEN AS h"), (Write, "HANDLER h READ FIRST"), (Write, "HANDLER h CLOSE")]);
    assert_eq!(run("HANDLER t OPEN", MYSQL).effects, [Effect::Bind(Bind::Handler)]);
    assert_eq!(run("HANDLER t CLOSE", MYSQL).effects, [Effect::Release(Release::Handler)]);
}

#[test]
fn do_values_table() {
    check(&[
        (Read, "DO 1"),
        (Read, "DO SLEEP(0)"),
        (Read, "VALUES ROW(1, 2), ROW(3, 4)"),
        (Read, "TABLE t"),
        (Read, "TABLE t ORDER BY a LIMIT 1"),
        (Write, "TABLE t INTO OUTFILE 'x'"),
        (Write, "DO @a := 1"),
        (Unknown, "DO f()"),
        (Unknown, "VALUES ROW(f(), 2)"),
    ]);
}

#[test]
fn sql_prepare_binds() {
    check(&[
        (Write, "PREPARE s FROM 'SELECT 1'"),
        (Write, "PREPARE s FROM @x"),
        (Unknown, "EXECUTE s"),
        (Unknown, "EXECUTE IMMEDIATE 'DELETE FROM t'"),
        (Write, "DEALLOCATE PREPARE s"),
        (Write, "DROP PREPARE s"),
    ]);
    assert_eq!(run("PREPARE s FROM @x", MYSQL).effects, [Effect::Bind(Bind::SqlPrepare)]);
    assert_eq!(run("PREPARE s FROM @x", MYSQL).needs.user_variables.len(), 1);
    assert_eq!(run("EXECUTE s", MYSQL).effects, [Effect::Bind(Bind::Unknown)]);
    assert_eq!(run("DROP PREPARE s", MYSQL).effects, [Effect::Release(Release::SqlPrepare)]);
}

#[test]
fn xa_binds_from_start_to_end() {
    check(&[
        (Transaction, "XA START 'a'"),
        (Transaction, "XA END 'a'"),
        (Transaction, "XA PREPARE 'a'"),
        (Transaction, "XA COMMIT 'a' ONE PHASE"),
        (Transaction, "XA RECOVER"),
    ]);
    assert_eq!(run("XA BEGIN 'a','b',1", MYSQL).effects, [Effect::Bind(Bind::Xa)]);
    assert_eq!(run("XA ROLLBACK 'a'", MYSQL).effects, [Effect::Release(Release::Xa)]);
}

#[test]
fn kill_tells_its_target() {
    check(&[(Write, "KILL 5"), (Write, "KILL QUERY 5"), (Write, "KILL CONNECTION_ID()")]);
    assert_eq!(run("KILL 5", MYSQL).needs.kill, Some(5));
    assert_eq!(run("kill connection 17;", MYSQL).needs.kill, Some(17));
    assert_eq!(run("KILL HARD QUERY ID 7", MARIADB).needs.kill, Some(7));
    assert_eq!(run("KILL @a", MYSQL).needs.kill, None);
    assert_eq!(run("KILL 1 + 1", MYSQL).needs.kill, None);
}

#[test]
fn system_schemas() {
    check(&[
        (Read, "SELECT * FROM information_schema.tables WHERE table_schema = DATABASE()"),
        (Read, "SELECT * FROM INFORMATION_SCHEMA.`COLUMNS`"),
        (Read, "SELECT * FROM `information_schema`.key_column_usage k JOIN t ON 1"),
        (LastUsed, "SELECT * FROM information_schema.processlist"),
        (LastUsed, "SELECT * FROM information_schema.innodb_metrics"),
        (LastUsed, "SELECT * FROM information_schema.session_variables"),
        (LastUsed, "SELECT * FROM performance_schema.threads"),
        (LastUsed, "SELECT user, host FROM mysql.user"),
        (LastUsed, "SELECT * FROM t, (SELECT * FROM mysql . user) u"),
        (LastUsed, "SELECT * FROM sys.version"),
        (LastUsed, "TABLE mysql.user"),
        (Read, "SELECT mysql.user FROM mysql"),
    ]);
    use mysqlclient_ms::route::DefaultSchema;
    let with = |schema: DefaultSchema, sql: &str| {
        let context = LexContext { schema, ..context(MYSQL) };
        classify(sql.as_bytes(), &context, &ClassifyConfig::default()).class
    };
    assert_eq!(with(DefaultSchema::PerServer, "SELECT * FROM user"), LastUsed);
    assert_eq!(with(DefaultSchema::Information, "SELECT * FROM processlist"), LastUsed);
    assert_eq!(with(DefaultSchema::Information, "SELECT * FROM tables"), Read);
    assert_eq!(with(DefaultSchema::PerServer, "SELECT * FROM app.t"), Read);
    assert_eq!(DefaultSchema::by_name(b"MySQL"), DefaultSchema::PerServer);
}

#[test]
fn sequences_change_state() {
    on(
        MARIADB,
        &[
            (Write, "SELECT NEXT VALUE FOR s"),
            (Write, "SELECT PREVIOUS VALUE FOR s"),
            (Write, "SELECT NEXTVAL(s)"),
            (Write, "SELECT LASTVAL(s)"),
            (Write, "SELECT SETVAL(s, 10)"),
            (Write, "SELECT * FROM t WHERE a = (NEXT\nVALUE FOR db.s)"),
        ],
    );
}

#[test]
fn functions_and_variables_of_one_server() {
    check(&[
        (LastUsed, "SELECT @@server_id"),
        (LastUsed, "SELECT @@hostname"),
        (LastUsed, "SELECT @@global.read_only"),
        (LastUsed, "SELECT @@warning_count, @@error_count"),
        (LastUsed, "SELECT CONNECTION_ID()"),
        (LastUsed, "SELECT UUID_SHORT()"),
        (Read, "SELECT @@sql_mode"),
        (Read, "SELECT @@session.transaction_isolation"),
        (Read, "SELECT @@version_comment LIMIT 1"),
        (Read, "SELECT @@SESSION.auto_increment_increment, @@max_allowed_packet"),
    ]);
    assert_eq!(run("SELECT @@sql_mode, @@server_id", MYSQL).needs.system_variables.len(), 2);
}

#[test]
fn transaction_control() {
    use TransactionControl as Control;
    let rows: &[(&str, Control)] = &[
        ("BEGIN", Control::Begin { access: None, snapshot: false }),
        ("begin work;", Control::Begin { access: None, snapshot: false }),
        ("START TRANSACTION", Control::Begin { access: None, snapshot: false }),
        ("START TRANSACTION READ ONLY", Control::Begin { access: Some(Access::ReadOnly), snapshot: false }),
        (
            "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ WRITE",
            Control::Begin { access: Some(Access::ReadWrite), snapshot: true },
        ),
        ("COMMIT", Control::Commit { chain: None, release: None }),
        ("COMMIT WORK AND CHAIN", Control::Commit { chain: Some(true), release: None }),
        ("COMMIT AND NO CHAIN RELEASE", Control::Commit { chain: Some(false), release: Some(true) }),
        ("ROLLBACK", Control::Rollback { chain: None, release: None }),
        ("ROLLBACK NO RELEASE", Control::Rollback { chain: None, release: Some(false) }),
        ("ROLLBACK TO SAVEPOINT a", Control::RollbackTo),
        ("ROLLBACK WORK TO a", Control::RollbackTo),
        ("SAVEPOINT `a`", Control::Savepoint),
        ("RELEASE SAVEPOINT a", Control::ReleaseSavepoint),
    ];
    for (sql, control) in rows {
        let statement = run(sql, MYSQL);
        assert_eq!(statement.class, Transaction, "{sql}");
        assert_eq!(statement.effects, [Effect::Transaction(*control)], "{sql}");
    }
    check(&[
        (Unknown, "BEGIN NOT ATOMIC SELECT 1; END"),
        (Unknown, "START TRANSACTION NONSENSE"),
        (Unknown, "COMMIT NONSENSE"),
        (Unknown, "COMMIT AND NONSENSE"),
        (Write, "START SLAVE"),
        (Write, "STOP REPLICA"),
    ]);
}

#[test]
fn locks_and_flush_bind() {
    assert_eq!(run("LOCK TABLES t READ", MYSQL).effects, [Effect::ImplicitCommit, Effect::Bind(Bind::LockTables)]);
    assert_eq!(run("UNLOCK TABLES", MYSQL).effects, [Effect::Release(Release::Tables)]);
    for sql in ["FLUSH TABLES WITH READ LOCK", "FLUSH TABLES t, u WITH READ LOCK", "FLUSH LOCAL TABLES t FOR EXPORT"] {
        assert!(run(sql, MYSQL).effects.contains(&Effect::Bind(Bind::FlushTablesWithReadLock)), "{sql}");
    }
    assert!(!run("FLUSH PRIVILEGES", MYSQL).effects.iter().any(Effect::binds));
    assert!(run("LOCK INSTANCE FOR BACKUP", MYSQL).effects.iter().any(Effect::binds));
    assert!(run("BACKUP STAGE START", MARIADB).effects.iter().any(Effect::binds));
    assert_eq!(run("BACKUP STAGE END", MARIADB).effects, [Effect::ImplicitCommit, Effect::Release(Release::Backup)]);
    assert_eq!(run("UNLOCK INSTANCE", MYSQL).effects, [Effect::Release(Release::Backup)]);
}

#[test]
fn stored_programs_hold_semicolons() {
    let sql = "CREATE PROCEDURE p() BEGIN SELECT 1; COMMIT; END";
    let statement =
        classify(sql.as_bytes(), &LexContext { multi_statements: false, ..context(MYSQL) }, &ClassifyConfig::default());
    assert_eq!((statement.class, &statement.effects[..]), (Write, &[Effect::ImplicitCommit][..]));
    let statement =
        run("CREATE DEFINER=`a`@`b` TRIGGER x BEFORE INSERT ON t FOR EACH ROW BEGIN SET @a = 1; END", MYSQL);
    assert!(statement.effects.contains(&Effect::Bind(Bind::Unknown)), "what follows is not certain");
    // A table may have such a word far behind, or as a name.
    let statement = run("CREATE TABLE t (a INT); BEGIN", MYSQL);
    assert!(matches!(statement.effects.last(), Some(Effect::Transaction(_))));
}

#[test]
fn writes() {
    check(&[
        (Write, "INSERT INTO t VALUES (1)"),
        (Write, "insert into t select * from u"),
        (Write, "INSERT INTO t (a) VALUES (f(1))"),
        (Write, "REPLACE INTO t VALUES (1)"),
        (Write, "UPDATE t SET a = 1"),
        (Write, "DELETE FROM t"),
        (Write, "LOAD DATA INFILE 'x' INTO TABLE t"),
        (Write, "TRUNCATE t"),
        (Write, "  \n\t/* a */ -- b\n# c\nINSERT INTO t VALUES (1)"),
        (Write, "INSERT INTO t VALUES (1) RETURNING id"),
        (Write, "GRANT SELECT ON *.* TO u"),
        (Write, "RENAME TABLE a TO b"),
        (Write, "ALTER TABLE a DROP COLUMN b"),
        (Write, "DROP DATABASE x"),
        (Write, "CREATE INDEX i ON t (a)"),
        (Write, "OPTIMIZE TABLE t"),
        (Write, "INSTALL PLUGIN p SONAME 'x'"),
        (Write, "SHUTDOWN"),
        (Write, "BINLOG 'abc'"),
    ]);
    assert_eq!(run("INSERT INTO t VALUES (1)", MYSQL).effects, [Effect::SetsInsertId]);
    assert!(run("UPDATE t SET a = @a", MYSQL).effects.is_empty());
    assert_eq!(run("UPDATE t SET a = @a", MYSQL).needs.user_variables.len(), 1);
    assert_eq!(run("INSERT INTO t SELECT f()", MYSQL).effects.len(), 2);
}

#[test]
fn unreadable_texts_stay_on_the_source() {
    check(&[
        (Unknown, ""),
        (Unknown, "   "),
        (Unknown, ";"),
        (Unknown, "-- only a comment"),
        (Unknown, "SELECT 'abc"),
        (Unknown, "SELECT \"abc"),
        (Unknown, "SELECT `abc"),
        (Unknown, "SELECT 'a\\'"),
        (Unknown, "SELECT 1 /* x"),
        (Unknown, "SELECT (1"),
        (Unknown, "SELECT 1)"),
        (Unknown, "SELECT [1]"),
        (Unknown, "SELECT 1 \0"),
        (Unknown, "SELECT '\0'"),
        (Unknown, "SELECT $a"),
        (Unknown, "SELECT @ a"),
        (Unknown, "SELECT @@"),
        (Unknown, "SELECT 1.e"),
        (Unknown, "nonsense"),
        (Unknown, "123"),
        (Unknown, "IF 1 THEN SELECT 1; END IF"),
        (Unknown, "EXPLAIN nonsense nonsense nonsense"),
    ]);
    let long = format!("SELECT '{}'", "x".repeat(2 << 20));
    check(&[(Unknown, &long)]);
    let deep = format!("SELECT {}1{}", "(".repeat(200), ")".repeat(200));
    check(&[(Unknown, &deep)]);
    let nested = format!("SELECT {}1{}", "(".repeat(90), ")".repeat(90));
    check(&[(Read, &nested)]);
}

#[test]
fn sql_mode_decides_what_quotes_are() {
    let with = |ansi: bool, plain_backslash: bool, known: bool, sql: &str| {
        let context = LexContext {
            ansi_quotes: ansi,
            no_backslash_escapes: plain_backslash,
            sql_mode_known: known,
            ..context(MYSQL)
        };
        classify(sql.as_bytes(), &context, &ClassifyConfig::default()).class
    };
    // A string in one mode, a stored function in the other.
    assert_eq!(with(false, false, true, r#"SELECT "f" (1)"#), Read);
    assert_eq!(with(true, false, true, r#"SELECT "f"(1)"#), Unknown);
    // The quote ends here, or there.
    let trick = r"SELECT 'a\' FOR UPDATE -- '";
    assert_eq!(with(false, false, true, trick), Read);
    assert_eq!(with(false, true, true, trick), Write);
    assert_eq!(with(false, false, false, trick), Unknown);
    assert_eq!(with(false, false, false, "SELECT 'a' FROM t"), Read);
    assert_eq!(with(false, false, false, r#"SELECT "a" FROM t"#), Read);
    assert_eq!(with(false, false, false, r#"SELECT "a", f(1)"#), Unknown);
    let oracle = LexContext { oracle_mode: true, ..context(MARIADB) };
    assert_eq!(classify(b"SELECT 1", &oracle, &ClassifyConfig::default()).class, Unknown);
}

#[test]
fn character_sets_with_ascii_inside() {
    use mysqlclient_ms::route::Charset;
    let with = |charset: &str, sql: &[u8]| {
        let context = LexContext { charset: Charset::by_name(charset.as_bytes()), ..context(MYSQL) };
        classify(sql, &context, &ClassifyConfig::default()).class
    };
    // 0xBF5C is one character in gbk: the quote behind it ends the string. In latin1 and utf8 it is escaped.
    let trick = b"SELECT '\xbf\\' FOR UPDATE -- '";
    assert_eq!(with("gbk", trick), Write);
    assert_eq!(with("latin1", trick), Read);
    assert_eq!(with("utf8mb4", trick), Read);
    assert_eq!(with("unheard_of", trick), Unknown);
    assert_eq!(with("sjis", b"SELECT '\x83\\' FOR UPDATE -- '"), Write);
    assert_eq!(with("big5", b"SELECT '\xa4\\' FOR UPDATE -- '"), Write);
    assert_eq!(with("gb18030", b"SELECT '\x81\x30\x81\x30', 'x' FROM t"), Read);
    assert_eq!(with("utf8mb4", "SELECT 'äöü', `ö`, ö FROM t".as_bytes()), Read);
    assert_eq!(with("utf8mb4", "SELECT '\u{1f600}' FROM t".as_bytes()), Read);
    assert_eq!(with("utf8mb4", "SELECT ö(1) FROM t".as_bytes()), Unknown);
    assert_eq!(with("latin1", b"SELECT f\xa0FROM t"), Unknown);
    assert_eq!(with("utf8mb4", b"SELECT `\xe5`(1)"), Unknown);
}

#[test]
fn hints_in_leading_comments() {
    let rows: &[(&str, Option<Hint>)] = &[
        ("/*ms=master*/ SELECT 1", Some(Hint::Source)),
        ("/* ms=slave */SELECT 1", Some(Hint::Replica)),
        ("/*ms=last_used*/SELECT 1", Some(Hint::LastUsed)),
        ("/*MS=Master*/ SELECT 1", Some(Hint::Source)),
        ("-- ms=slave\nSELECT 1", Some(Hint::Replica)),
        ("# ms=slave\nSELECT 1", Some(Hint::Replica)),
        ("#ms=last_used\nSELECT 1", Some(Hint::LastUsed)),
        ("/*ms=master*//*ms=slave*/ SELECT 1", Some(Hint::Replica)),
        ("/*ms=master*/ /* other */ # another\n SELECT 1", Some(Hint::Source)),
        ("/*other*/ /*ms=master*/ SELECT 1", Some(Hint::Source)),
        ("/*ms=masterx*/ SELECT 1", None),
        ("/*ms=master x*/ SELECT 1", None),
        ("/**/ SELECT 1", None),
        ("/*ms=*/ SELECT 1", None),
        ("SELECT 1 /*ms=master*/", None),
        ("SELECT /*ms=master*/ 1", None),
        ("/*!ms=master*/ SELECT 1", None),
        ("/*ms=strong*/ SELECT 1", Some(Hint::Level(Level::Strong))),
        ("/*ms=session*/ SELECT 1", Some(Hint::Level(Level::Session))),
        ("/*ms=eventual*/ SELECT 1", Some(Hint::Level(Level::Eventual))),
        ("/*ms=node:db2*/ SELECT 1", Some(Hint::Node(Span { start: 10, end: 13 }))),
        ("/*x*/ /*  ms=node:db2 */ SELECT 1", Some(Hint::Node(Span { start: 18, end: 21 }))),
        ("/*ms=node:*/ SELECT 1", Some(Hint::Malformed("ms=node"))),
        ("/*ms=max_lag:100*/ SELECT 1", Some(Hint::MaxLag(100))),
        ("/*ms=max_lag:-1*/ SELECT 1", Some(Hint::Malformed("ms=max_lag"))),
        ("/*ms=max_lag:99999999999*/ SELECT 1", Some(Hint::Malformed("ms=max_lag"))),
        ("-- ms=gtid:0-1-2\nSELECT 1", Some(Hint::Gtid(Span { start: 11, end: 16 }))),
        ("/*ms=master", None),
        ("", None),
    ];
    for (sql, hint) in rows {
        assert_eq!(run(sql, MYSQL).hint, *hint, "{sql}");
    }
    // The class is that of the statement, whatever the hint.
    check(&[(Read, "/*ms=master*/ SELECT 1"), (Write, "/*ms=slave*/ DELETE FROM t")]);
}

#[test]
fn query_is_select_answers() {
    use mysqlclient_ms::route::query_is_select;
    let rows: &[(&str, i32, i32)] = &[
        ("SELECT 1", 1, 0),
        ("sElEcT 1", 1, 0),
        ("INSERT INTO t VALUES (1)", 0, 0),
        ("CREATE TABLE t (a INT)", 0, 0),
        ("DELETE FROM t", 0, 0),
        ("CALL p()", 0, 0),
        ("SELECT /* c */ 1", 1, 0),
        ("/* SELECT */ DELETE FROM t", 0, 0),
        ("/*ms=master*/SELECT 1", 0, 0),
        ("/*ms=slave*/SELECT 1", 1, 0),
        ("/*ms=last_used*/SELECT 1", 2, 2),
        ("/*ms=last_used*/INSERT INTO t VALUES (1)", 2, 2),
        ("SELECT 1 /*ms=master*/", 1, 0),
        ("INSERT INTO t VALUES (1); /*ms=slave*/ SELECT 1", 0, 0),
        ("", 0, 0),
        ("\0", 0, 0),
        ("/* */SELECT 1", 1, 0),
        ("(SELECT 1)", 1, 0),
        // Other than the original, which looks at the first word only.
        ("SELECT 1 FOR UPDATE", 0, 0),
        ("/*ms=slave*/DELETE FROM t", 0, 0),
        ("SHOW WARNINGS", 2, 2),
    ];
    for (sql, split, unsplit) in rows {
        let answer = |disable| query_is_select(sql.as_bytes(), &context(MYSQL), &ClassifyConfig::default(), disable);
        assert_eq!((answer(false), answer(true)), (*split, *unsplit), "{sql}");
    }
}

/// Reports 23 to 32 of the reference, as far as they are about classification.
#[test]
fn reports() {
    // 23-25: autocommit off and BEGIN are seen in the text.
    assert_eq!(run("SET autocommit=0", MYSQL).effects, [Effect::SetAutocommit(false)]);
    // 27: a variable set here and read there.
    assert!(run("SET @v = 1", MYSQL).effects[0].binds());
    assert_eq!(run("SELECT @v", MYSQL).needs.user_variables.len(), 1);
    // 28, 29: SET TIMESTAMP, sql_safe_updates, and names nobody knows are neither lost nor ignored.
    for sql in ["SET TIMESTAMP = 1", "SET sql_safe_updates = 1", "SET insert_id = 5", "SET no_such_name = 1"] {
        assert!(run(sql, MYSQL).effects[0].binds(), "{sql}");
    }
    // 30: prefix, newline, comment, suffix.
    check(&[
        (Write, "SELECT * FROM t\nWHERE a = 1\nFOR\nUPDATE"),
        (Write, "/* c */ REPLACE INTO t VALUES (1)"),
        (Write, "# c\nRENAME TABLE a TO b"),
        (Write, "SELECT * FROM jobs ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED"),
        (Write, "LOAD DATA INFILE 'x' INTO TABLE t"),
        (Unknown, "/* c */ CALL p()"),
    ]);
    // 31: functions, procedures and CTEs that write.
    check(&[(Unknown, "SELECT writes_something(1)"), (Write, "WITH a AS (SELECT 1) DELETE FROM t")]);
}
