//! The table of right answers, construct by construct: a statement, and the class it must have.
//!
//! Both families' newest servers read every row, unless the row says otherwise. Pure code; no server.
#![allow(clippy::unwrap_used, missing_docs)]

use mysqlclient_ms::route::{
    Access, Bind, Class, ClassifyConfig, Effect, Hint, Isolation, LexContext, Release, Scope, Server, Statement,
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
