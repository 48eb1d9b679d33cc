//! What may stand in a replica's general log: judged by the words of the statement alone, by rules of its own. It must not use
//! the library under test, whose judgement is what is looked at.

use std::collections::HashSet;

/// Functions whose call changes or asks for something that lives on one server: locks, sequences, positions of replication.
/// (FOUND_ROWS, ROW_COUNT, CONNECTION_ID ask about the connection used last, which may be a replica's.)
const BOUND: &[&str] = &[
    "GET_LOCK",
    "RELEASE_LOCK",
    "RELEASE_ALL_LOCKS",
    "IS_FREE_LOCK",
    "IS_USED_LOCK",
    "NEXTVAL",
    "SETVAL",
    "LASTVAL",
    "LAST_INSERT_ID",
    "SLEEP",
    "BENCHMARK",
    "MASTER_POS_WAIT",
    "SOURCE_POS_WAIT",
    "LOAD_FILE",
];

/// A statement cut into words, with strings, comments and quoted names made harmless.
struct Words(Vec<String>);

impl Words {
    /// Words and numbers in capitals, every other character alone; `'` stands for a string, a quoted name has a `` ` `` in
    /// front. Code in comments is code.
    fn of(sql: &str) -> Words {
        let text: Vec<char> = sql.chars().collect();
        let (mut words, mut at) = (Vec::new(), 0);
        while at < text.len() {
            let next = text.get(at + 1).copied().unwrap_or(' ');
            match text[at] {
                space if space.is_whitespace() => at += 1,
                '/' if next == '*' => {
                    let code = text.get(at + 2) == Some(&'!') || text[at + 2..].starts_with(&['M', '!']);
                    if code {
                        at += if text[at + 2] == '!' { 3 } else { 4 };
                        while text.get(at).is_some_and(char::is_ascii_digit) {
                            at += 1;
                        }
                    } else {
                        at += 2;
                        while at < text.len() && !text[at..].starts_with(&['*', '/']) {
                            at += 1;
                        }
                        at += 2;
                    }
                }
                '*' if next == '/' => at += 2,
                '#' => at = line_end(&text, at),
                '-' if next == '-'
                    && text.get(at + 2).is_none_or(|third| third.is_whitespace() || third.is_control()) =>
                {
                    at = line_end(&text, at);
                }
                quote @ ('\'' | '"' | '`') => {
                    let start = at + 1;
                    at = start;
                    while at < text.len() && text[at] != quote {
                        at += if text[at] == '\\' && quote != '`' { 2 } else { 1 };
                    }
                    let end = at.min(text.len());
                    words.push(if quote == '`' {
                        format!("`{}", text[start..end].iter().collect::<String>().to_uppercase())
                    } else {
                        "'".to_owned()
                    });
                    at += 1;
                }
                first if first.is_alphanumeric() || first == '_' || first == '$' => {
                    let start = at;
                    while text.get(at).is_some_and(|more| more.is_alphanumeric() || *more == '_' || *more == '$') {
                        at += 1;
                    }
                    words.push(text[start..at].iter().collect::<String>().to_uppercase());
                }
                other => {
                    words.push(other.to_string());
                    at += 1;
                }
            }
        }
        Words(words)
    }

    fn get(&self, at: usize) -> &str {
        self.0.get(at).map_or("", String::as_str)
    }

    /// Whether the call here makes a geometry: MariaDB asks for a stored function when the number of arguments is another.
    fn constructs(&self, at: usize) -> bool {
        let several = ["LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON", "GEOMETRYCOLLECTION"];
        let (mut depth, mut commas) = (0, 0);
        for word in &self.0[at + 1..] {
            match word.as_str() {
                "(" => depth += 1,
                ")" if depth == 1 => break,
                ")" => depth -= 1,
                "," if depth == 1 => commas += 1,
                _ => {}
            }
        }
        self.get(at) == "POINT" && commas == 1 || several.contains(&self.get(at)) && self.get(at + 2) != ")"
    }

    fn has(&self, phrase: &[&str]) -> bool {
        self.0.windows(phrase.len()).any(|words| words.iter().zip(phrase).all(|(word, wanted)| word == wanted))
    }
}

fn line_end(text: &[char], from: usize) -> usize {
    text[from..].iter().position(|character| *character == '\n').map_or(text.len(), |length| from + length + 1)
}

/// Why a statement must not be on a replica, None if it may; `functions` are the names of stored functions, in capitals,
/// with a `` ` `` in front where a call without quotes and without a schema is the server's own grammar (`POINT(1, 1)`).
pub fn fault(sql: &str, functions: &HashSet<String>) -> Option<String> {
    fault_of(&Words::of(sql), functions)
}

fn fault_of(words: &Words, functions: &HashSet<String>) -> Option<String> {
    let first = words.0.iter().find(|word| *word != "(").map_or("", String::as_str);
    match first {
        "SELECT" | "WITH" | "TABLE" | "VALUES" | "SHOW" | "DESC" | "DESCRIBE" | "EXPLAIN" | "HELP" | "USE" | "DO" => {}
        "CHECKSUM" => return None,
        // MariaDB's own: carries the query out
        "ANALYZE" if words.get(1) != "TABLE" && !["NO_WRITE_TO_BINLOG", "LOCAL"].contains(&words.get(1)) => {}
        // MariaDB's own: settings for one statement
        "SET" if words.get(1) == "STATEMENT" && words.get(2) != "=" => {
            let Some(inner) = words.0.iter().position(|word| word == "FOR") else { return Some("no FOR".to_owned()) };
            return fault_of(&Words(words.0[inner + 1..].to_vec()), functions);
        }
        "SET" => return fault_of_set(words),
        // a transaction that only reads, and its end
        "START" if words.has(&["READ", "ONLY"]) => return None,
        "COMMIT" | "ROLLBACK" | "BEGIN" | "SAVEPOINT" | "RELEASE" => return None,
        other => return Some(format!("{other} is no read")),
    }
    // the handle's own questions are whole statements
    let question = ["WAIT_FOR_EXECUTED_GTID_SET", "MASTER_GTID_WAIT"].contains(&words.get(1));
    if first == "SELECT" && question {
        return None;
    }
    for phrase in [
        &["INTO"][..],
        &["FOR", "UPDATE"],
        &["FOR", "SHARE"],
        &["LOCK", "IN", "SHARE"],
        &[":", "="],
        &["NEXT", "VALUE", "FOR"],
        &["PREVIOUS", "VALUE", "FOR"],
    ] {
        if first != "SHOW" && words.has(phrase) {
            return Some(phrase.join(" "));
        }
    }
    let explained = ["DESC", "DESCRIBE", "EXPLAIN", "ANALYZE"].contains(&first);
    for (at, word) in words.0.iter().enumerate() {
        let before = if at == 0 { "" } else { words.get(at - 1) };
        if explained
            && word == "ANALYZE"
            && ["INSERT", "UPDATE", "DELETE", "REPLACE"].iter().any(|verb| words.has(&[verb]))
        {
            return Some("it is carried out".to_owned());
        }
        if words.get(at + 1) != "(" {
            continue;
        }
        let name = word.trim_start_matches('`');
        let quoted = word.starts_with('`') || before == ".";
        let stored = functions.contains(name) && (quoted || !words.constructs(at))
            || quoted && functions.contains(&format!("`{name}"));
        if before == "." || before == "AS" && name.is_empty() {
            // a name with a schema is a stored function wherever a call may stand; lists of columns are none
            if stored {
                return Some(format!("the stored function {name}"));
            }
        } else if BOUND.contains(&name) || stored && before != "AS" {
            return Some(format!("{name}()"));
        }
    }
    None
}

/// The words of a statement, in capitals, names without their quotes.
pub fn words(sql: &str) -> impl Iterator<Item = String> {
    Words::of(sql).0.into_iter().map(|word| word.trim_start_matches('`').to_owned())
}

/// Whether a statement asks for rows and nothing else: what should be spread over the replicas.
pub fn is_query(sql: &str) -> bool {
    let words = Words::of(sql);
    let first = words.0.iter().find(|word| *word != "(").map_or("", String::as_str);
    ["SELECT", "WITH", "TABLE", "VALUES"].contains(&first) && fault(sql, &HashSet::new()).is_none()
}

/// A setting of the session follows to replicas; one of the server does not.
fn fault_of_set(words: &Words) -> Option<String> {
    if words.get(1) == "PASSWORD" {
        return Some("SET PASSWORD".to_owned());
    }
    ["GLOBAL", "PERSIST", "PERSIST_ONLY"].into_iter().find(|word| words.has(&[word])).map(|word| format!("SET {word}"))
}

#[test]
fn the_judge_knows_reads_from_the_rest() {
    let functions = HashSet::from(["F".to_owned(), "LINESTRING".to_owned(), "POINT".to_owned(), "`POLYGON".to_owned()]);
    for sql in [
        "SELECT 'INSERT INTO t', `update` FROM t -- FOR UPDATE",
        "(SELECT 1) UNION SELECT 2",
        "WITH q AS (SELECT 1) SELECT * FROM q",
        "SHOW CREATE TABLE t",
        "SET @a = 1, SESSION sql_mode = ''",
        "START TRANSACTION READ ONLY",
        "SELECT WAIT_FOR_EXECUTED_GTID_SET('x', 0.2)",
        "EXPLAIN UPDATE t SET a = 1",
        "ANALYZE FORMAT=JSON SELECT 1",
        "DO 1",
        "CHECKSUM TABLE t",
        "SELECT f FROM t",
        "SELECT LINESTRING(POINT(1, (SELECT 2)), POINT(3, 4)), POLYGON(1)",
        "--\u{1f}a comment\nSELECT 1",
        "SET STATEMENT old_passwords = 1 FOR SELECT PASSWORD('a')",
    ] {
        assert_eq!(fault(sql, &functions), None, "{sql}");
    }
    for sql in [
        "INSERT INTO t VALUES (1)",
        "SELECT * FROM t FOR UPDATE",
        "SELECT 1 INTO @a",
        "SELECT @a := 1",
        "SELECT f(1)",
        "SELECT test.`f`(1)",
        "SELECT `point`(1, 1)",
        "SELECT test.`polygon`(1)",
        "SELECT POINT(1)",
        "SELECT LINESTRING()",
        "SET STATEMENT max_statement_time = 1 FOR INSERT INTO t VALUES (1)",
        "SET PASSWORD = 'a'",
        "SELECT get_lock('a', 1)",
        "SELECT /*!50000 get_lock*/ ('a', 1)",
        "SELECT NEXT VALUE FOR s",
        "SET GLOBAL read_only = 0",
        "START TRANSACTION",
        "EXPLAIN ANALYZE DELETE FROM t",
        "ANALYZE TABLE t",
        "ANALYZE UPDATE t SET a = 1",
        "DO RELEASE_LOCK('a')",
        "CALL p()",
        "",
    ] {
        assert!(fault(sql, &functions).is_some(), "{sql}");
    }
}
