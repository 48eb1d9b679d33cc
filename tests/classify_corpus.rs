//! Statements as applications send them, and what must hold for all of them whatever their dress: comments, blanks,
//! letter case, parentheses and a CTE around a statement never move it from the source to a replica; any bytes are
//! taken without panic; the lexer leaves nothing out. Pure code; no server.
#![allow(clippy::unwrap_used, missing_docs)]

use mysqlclient_ms::route::lexer::{Kind, Lexer, Token};
use mysqlclient_ms::route::{Charset, Class, ClassifyConfig, DefaultSchema, LexContext, Server, Statement, classify};
use proptest::prelude::*;
use proptest::sample::select;

const READS: &str = include_str!("data/classify/reads.sql");
const NOT_READS: &str = include_str!("data/classify/not_reads.sql");

fn lines(file: &'static str) -> Vec<&'static str> {
    file.lines().filter(|line| !line.is_empty() && !line.starts_with("--")).collect()
}

fn servers() -> [Server; 2] {
    [Server::mysql(90_704), Server::mariadb(110_800)]
}

fn context(server: Server) -> LexContext {
    LexContext { server, multi_statements: true, ..LexContext::default() }
}

/// The lines that can be read to their end: a comment put into a string is part of the string.
fn readable(file: &'static str) -> Vec<&'static str> {
    let context = context(servers()[0]);
    let bad = |sql: &str| tokens(sql.as_bytes(), &context).iter().any(|token| token.kind == Kind::Bad);
    lines(file).into_iter().filter(|line| !bad(line)).collect()
}

fn run(sql: &[u8], context: &LexContext) -> Statement {
    classify(sql, context, &ClassifyConfig::default())
}

#[test]
fn ordinary_reads_are_reads() {
    let mut lost = Vec::new();
    for sql in lines(READS) {
        for server in servers() {
            let statement = run(sql.as_bytes(), &context(server));
            if statement.class != Class::Read {
                lost.push(format!("{server:?}: {:?} {sql}", statement.reason));
            }
        }
    }
    // Comments alone are no statement; one line of the file is such, on purpose.
    lost.retain(|line| !line.contains("empty statement"));
    // MySQL knows no `q EXCEPT ALL` before 8.0.31 and so on; the servers here know all of the file.
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

#[test]
fn everything_else_is_not() {
    for sql in lines(NOT_READS) {
        for server in servers() {
            let statement = run(sql.as_bytes(), &context(server));
            assert_ne!(statement.class, Class::Read, "{server:?} {sql}");
        }
    }
}

#[test]
fn an_unknown_server_is_read_as_the_strictest() {
    for sql in lines(NOT_READS).into_iter().chain(lines(READS)) {
        let unknown = run(sql.as_bytes(), &context(Server::UNKNOWN)).class;
        if unknown == Class::Read {
            for server in servers() {
                assert_eq!(run(sql.as_bytes(), &context(server)).class, Class::Read, "{server:?} {sql}");
            }
        }
    }
}

fn tokens(sql: &[u8], context: &LexContext) -> Vec<Token> {
    let mut lexer = Lexer::new(sql, context);
    let mut list = Vec::new();
    loop {
        let token = lexer.next_token();
        let end = token.kind == Kind::End;
        list.push(token);
        if end {
            return list;
        }
        assert!(list.len() <= sql.len() + 1, "every token takes a byte");
    }
}

/// What may stand between two tokens besides nothing.
const BETWEEN: &[&str] = &[" ", "\n", "\t\r\n", "/**/", "/* FOR UPDATE */", "/*'*/", "-- x'y\n", "#`\n", " /*+ x */ "];

/// The statement with something between its tokens and letters of words in another case.
fn dress(sql: &str, between: &[(usize, &str)], flips: &[usize]) -> String {
    let context = context(Server::mysql(90_704));
    let list = tokens(sql.as_bytes(), &context);
    let mut text = sql.as_bytes().to_vec();
    for flip in flips {
        let token = list[flip % list.len()];
        if token.kind == Kind::Word {
            for byte in &mut text[token.start as usize..token.end as usize] {
                *byte = if *flip % 2 == 0 { byte.to_ascii_lowercase() } else { byte.to_ascii_uppercase() };
            }
        }
    }
    let mut cuts: Vec<(usize, &str)> =
        between.iter().map(|(at, what)| (list[at % list.len()].start as usize, *what)).collect();
    cuts.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    for (at, what) in cuts {
        text.splice(at..at, what.bytes());
    }
    String::from_utf8(text).unwrap()
}

fn contexts() -> impl Strategy<Value = LexContext> {
    (
        any::<[bool; 6]>(),
        select(vec![
            Server::mysql(50_740),
            Server::mysql(80_036),
            Server::mysql(90_704),
            Server { min: 80_036, max: 90_704, ..Server::mysql(80_036) },
            Server::mariadb(101_113),
            Server::mariadb(110_800),
            Server::UNKNOWN,
        ]),
        select(vec!["utf8mb4", "latin1", "gbk", "sjis", "big5", "gb18030", "euckr", "ujis", "what"]),
        select(vec![DefaultSchema::Ordinary, DefaultSchema::Information, DefaultSchema::PerServer]),
    )
        .prop_map(|(flags, server, charset, schema)| LexContext {
            ansi_quotes: flags[0],
            no_backslash_escapes: flags[1],
            ignore_space: flags[2],
            oracle_mode: flags[3],
            sql_mode_known: flags[4],
            multi_statements: flags[5],
            server,
            charset: Charset::by_name(charset.as_bytes()),
            schema,
        })
}

/// Bytes that look like SQL: pieces that mean something to a lexer, in any order.
fn soup() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&'static [u8]> = vec![
        b"'",
        b"\"",
        b"`",
        b"\\",
        b"/*",
        b"*/",
        b"/*!",
        b"/*!50000",
        b"/*M!100100 ",
        b"--",
        b"-- ",
        b"#",
        b"\n",
        b" ",
        b"(",
        b")",
        b";",
        b",",
        b".",
        b"@",
        b"@@",
        b":=",
        b"=",
        b"1",
        b"1.",
        b"1e",
        b"0x",
        b"0b",
        b"x'",
        b"n'",
        b"_utf8",
        b"$",
        b"\xbf",
        b"\x5c",
        b"\xc3\xa4",
        b"\xf0\x9f\x98\x80",
        b"\0",
        b"SELECT",
        b"FROM",
        b"FOR",
        b"UPDATE",
        b"INTO",
        b"WITH",
        b"AS",
        b"SET",
        b"NAMES",
        b"SHOW",
        b"CREATE",
        b"EXPLAIN",
        b"BEGIN",
        b"f",
        b"COUNT",
        b"t",
        b"\\N",
        b"{",
        b"}",
        b"?",
        b"CAST",
        b"TRANSACTION",
        b"GLOBAL",
        b"autocommit",
        b"LAST_INSERT_ID",
        b"GET_LOCK",
        b"KILL",
        b"XA",
    ];
    proptest::collection::vec(select(pieces), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn dress_never_makes_a_read(
        sql in select(readable(NOT_READS)),
        between in proptest::collection::vec((any::<usize>(), select(BETWEEN)), 0..8),
        flips in proptest::collection::vec(any::<usize>(), 0..8),
    ) {
        let dressed = dress(sql, &between, &flips);
        for server in servers() {
            prop_assert_ne!(run(dressed.as_bytes(), &context(server)).class, Class::Read, "{}", dressed);
        }
    }

    #[test]
    fn wrapping_never_makes_a_read(sql in select(readable(NOT_READS)), wrapper in 0..9, depth in 1..4usize) {
        // Verbs that are no reserved words are names of tables in a derived table.
        let reserved = ["SELECT", "(", "WITH", "INSERT", "UPDATE", "DELETE", "CALL", "CREATE", "DROP", "ALTER", "GRANT"];
        prop_assume!(wrapper != 4 || reserved.iter().any(|word| sql.starts_with(word)));
        let mut text = sql.trim_end_matches(';').to_owned();
        for _ in 0..depth {
            text = match wrapper {
                0 => format!("({text})"),
                1 => format!("WITH w AS (SELECT 1) {text}"),
                2 => format!("WITH w AS ({text}) SELECT * FROM w"),
                3 => format!("WITH RECURSIVE w (a, b) AS ({text}), x AS (SELECT 2) SELECT * FROM w, x"),
                4 => format!("SELECT * FROM ({text}) AS w"),
                5 => format!("SELECT 1 WHERE EXISTS ({text})"),
                6 => format!("({text}) UNION (SELECT 1)"),
                7 => format!("SELECT 1; {text}"),
                _ => format!("{text}; SELECT 1"),
            };
        }
        for server in servers() {
            prop_assert_ne!(run(text.as_bytes(), &context(server)).class, Class::Read, "{}", text);
        }
    }

    #[test]
    fn blanks_and_comments_keep_a_read_or_send_it_to_the_source(
        sql in select(lines(READS)),
        between in proptest::collection::vec((any::<usize>(), select(BETWEEN)), 0..6),
    ) {
        let dressed = dress(sql, &between, &[]);
        let class = run(dressed.as_bytes(), &context(Server::mysql(90_704))).class;
        // A blank between a built-in function and its parenthesis makes it another function: Unknown is right then; a
        // blank behind a dot makes a keyword of a name.
        prop_assert!(matches!(class, Class::Read | Class::Unknown | Class::Write), "{:?} {}", class, dressed);
    }

    #[test]
    fn any_bytes_are_taken(sql in proptest::collection::vec(any::<u8>(), 0..300), context in contexts()) {
        run(&sql, &context);
    }

    #[test]
    fn any_soup_is_taken(sql in soup(), context in contexts()) {
        run(&sql, &context);
    }

    #[test]
    fn any_part_of_a_statement_is_taken(
        sql in select(lines(READS)), from in any::<usize>(), to in any::<usize>(), context in contexts()
    ) {
        let bytes = sql.as_bytes();
        let from = from % (bytes.len() + 1);
        let to = from + to % (bytes.len() - from + 1);
        run(&bytes[from..to], &context);
    }

    #[test]
    fn spans_cover_the_input(sql in soup(), context in contexts()) {
        let mut behind = 0usize;
        for token in tokens(&sql, &context) {
            let (start, end) = (token.start as usize, token.end as usize);
            prop_assert!(behind <= start && start <= end && end <= sql.len());
            prop_assert!(end > start || matches!(token.kind, Kind::End | Kind::Bad));
            let gap = sql[behind..start].trim_ascii();
            let comment = gap.is_empty()
                || gap.starts_with(b"/*") || gap.starts_with(b"--") || gap.starts_with(b"#") || gap.starts_with(b"*/")
                || gap.starts_with(b"\x0b");
            prop_assert!(comment, "left out: {:?}", String::from_utf8_lossy(gap));
            behind = end;
        }
        prop_assert_eq!(behind, sql.len());
    }

    #[test]
    fn positions_lie_in_the_text(sql in soup(), context in contexts()) {
        let statement = run(&sql, &context);
        let length = sql.len() as u32;
        let inside = |span: mysqlclient_ms::route::Span| span.start <= span.end && span.end <= length;
        prop_assert!(statement.reason.at.is_none_or(inside));
        prop_assert!(statement.needs.tables.iter().all(|t| inside(t.name) && t.schema.is_none_or(inside)));
        prop_assert!(statement.needs.user_variables.iter().all(|v| inside(*v)));
        prop_assert!(statement.needs.system_variables.iter().all(|v| inside(*v)));
    }

    #[test]
    fn doubt_about_the_sql_mode_never_makes_a_read(sql in soup(), context in contexts()) {
        let doubt = LexContext { sql_mode_known: false, ..context };
        if run(&sql, &doubt).class == Class::Read {
            for (ansi_quotes, no_backslash_escapes) in [(false, false), (false, true), (true, false), (true, true)] {
                let known = LexContext { ansi_quotes, no_backslash_escapes, sql_mode_known: true, ..context };
                prop_assert_eq!(run(&sql, &known).class, Class::Read);
            }
        }
    }
}
