//! What the classifier believes of the servers, asked of real ones of both families: which functions are built in, when a
//! comment is code, where strings and names end.
#![allow(clippy::unwrap_used)]

use harness::{Cluster, Family, families, shared};
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::conn::{Command, Connection, Endpoint, Head, Target};
use mysqlclient_ms::options::Options;
use mysqlclient_ms::route::context::Charset;
use mysqlclient_ms::route::functions::FUNCTIONS;
use mysqlclient_ms::route::lexer::{Kind, Lexer};
use mysqlclient_ms::route::words::{CONSTRUCTOR, LAST_USED, PURE, Row};
use mysqlclient_ms::route::{LexContext, Server};

fn server(cluster: &Cluster, family: Family) -> Server {
    let version = cluster.sql(cluster.primary(), "SELECT VERSION()").unwrap();
    Server::from_version(version.scalar().as_bytes(), family == Family::MariaDb)
}

/// "No such function": 1305, or 1630 with a remark about blanks.
fn is_missing(answer: &str) -> bool {
    answer.contains("1305: ") || answer.contains("1630: ")
}

#[test]
fn every_listed_function_is_built_in() {
    for family in families() {
        let cluster = shared(family);
        let server = server(cluster, family);
        let missing = |row: &Row, arguments: &str| {
            let answer = cluster.sql(cluster.primary(), &format!("SELECT {}({arguments})", row.name));
            answer.is_err_and(|error| is_missing(&error.to_string()))
        };
        let mut asked = 0;
        let mut wrong = Vec::new();
        for row in FUNCTIONS.iter().filter(|row| row.flags & (PURE | CONSTRUCTOR | LAST_USED) != 0) {
            if row.known_to(server) {
                asked += 1;
                // Whatever the number of arguments is: a server must not go on to stored functions of the name.
                let numbers: &[&str] =
                    if row.flags & CONSTRUCTOR == 0 { &["", "1", "1, 2", "1, 2, 3"] } else { &["1, 2"] };
                if numbers.iter().any(|arguments| missing(row, arguments)) {
                    wrong.push(row.name);
                }
            }
        }
        assert!(wrong.is_empty(), "{family} {server:?}: not built in: {wrong:?}");
        assert!(asked > 300, "{family}: only {asked} functions are believed to be there");
    }
}

#[test]
fn comments_are_code_when_the_server_says_so() {
    for family in families() {
        let cluster = shared(family);
        let server = server(cluster, family);
        let context = LexContext { server, ..LexContext::default() };
        let mut marks: Vec<String> = ["!", "! ", "!40000", "!50000 ", "!50699", "!50700", "!50799", "!80000", "!90600"]
            .iter()
            .chain(&["!99999", "!100000", "!100100", "!120000", "!999999", "M!", "M!50700 ", "M!100100", "M!999999"])
            .map(|mark| (*mark).to_owned())
            .collect();
        for version in [server.min - 1, server.min, server.min + 1] {
            marks.push(format!("!{version}"));
            marks.push(format!("!{version:06} "));
            marks.push(format!("M!{version:06} "));
        }
        for mark in marks {
            let sql = format!("SELECT 1 /*{mark}+ 1 */");
            let mut lexer = Lexer::new(sql.as_bytes(), &context);
            let mut numbers = 0;
            let readable = loop {
                match lexer.next_token().kind {
                    Kind::Number => numbers += 1,
                    Kind::End => break true,
                    Kind::Bad => break false,
                    _ => {}
                }
            };
            if readable {
                let answer = cluster.sql(cluster.primary(), &sql).unwrap();
                assert_eq!(answer.scalar(), numbers.to_string(), "{family} {server:?}: {sql}");
            }
        }
    }
}

/// Number of values of a SELECT list as we read it.
fn values(sql: &str, context: &LexContext) -> usize {
    let mut lexer = Lexer::new(sql.as_bytes(), context);
    let (mut depth, mut count) = (0i32, 1);
    loop {
        match lexer.next_token().kind {
            Kind::Open => depth += 1,
            Kind::Close => depth -= 1,
            Kind::Comma if depth == 0 => count += 1,
            Kind::End => return count,
            Kind::Bad => panic!("not readable: {sql}: {:?}", lexer.trouble()),
            _ => {}
        }
    }
}

#[test]
fn strings_names_and_comments_end_where_the_server_ends_them() {
    const LISTS: &[&str] = &[
        "1, 'a,b', 'c''d,e', 2",
        "'a', \"b,c\", 3",
        "1 -- ,2\n, 3 # ,4\n, 5 /* ,6 */, 7",
        "1 --2, 3",
        "1--1, 2",
        "x'2C', b'101', N'a,b', _utf8mb4'a,b', 0x2C, 0b10",
        "@a, @`b,c`, @'d,e', @f.g$h, @@sql_mode, @@session.sql_mode",
        "1e5, 1.5e-3, .5, 1., 1.e3, 1e+5",
        "'ä,ö', 'ü', '\u{1f600},'",
        "(SELECT 1), COALESCE(1, 2, (3)), 4",
        "1/**/,/*,*/2",
        "1 /*! , 2 */, 3",
        "{d '2024-01-01'}, {fn CONCAT('a', 'b')}",
        "1 AS `a,b``c,d`, 2 AS 'e,f'",
    ];
    /// Readable with backslashes escaping, or as themselves, only.
    const ESCAPED: &[&str] = &["'a\\',b', 1", "'a\\\\', 'b', 2", "'\\\\\\'', 3"];
    const PLAIN: &[&str] = &["'a\\', 'b', 1", "'a\\\\', 'b', 2"];
    const NAMES: &[&str] = &["1 AS \"a,b\"\"c,d\", 2", "3 AS \"e\\\", 4"];
    for family in families() {
        let cluster = shared(family);
        let server = server(cluster, family);
        for (mode, lists) in [
            ("", [LISTS, ESCAPED].concat()),
            ("NO_BACKSLASH_ESCAPES", [&LISTS[..1], PLAIN].concat()),
            ("ANSI_QUOTES", [&LISTS[..1], ESCAPED, NAMES].concat()),
            ("ANSI_QUOTES,NO_BACKSLASH_ESCAPES", [PLAIN, NAMES].concat()),
        ] {
            let mut context = LexContext { server, ..LexContext::default() };
            context.set_sql_mode(mode.as_bytes());
            // NULL to MariaDB and old MySQL, an error to new MySQL.
            let null = (family == Family::MariaDb && !mode.contains("NO_BACKSLASH")).then_some("\\N, 1");
            for list in lists.into_iter().chain(null) {
                let sql = format!("SELECT {list}");
                let answer = cluster.sql(cluster.primary(), &format!("SET sql_mode = '{mode}'; {sql}"));
                let answer = answer.unwrap_or_else(|error| panic!("{family} {mode}: {sql}: {error}"));
                assert_eq!(answer.columns.len(), values(&sql, &context), "{family} {mode}: {sql}: {answer:?}");
            }
        }
    }
}

/// A connection of the administrator in a character set.
fn connection(cluster: &Cluster, charset: &str) -> Connection {
    let endpoint = cluster.endpoint(cluster.primary());
    let target = Target {
        endpoint: Endpoint::Unix(endpoint.socket),
        user: harness::ADMIN_USER.into(),
        password: harness::ADMIN_PASSWORD.into(),
        database: Some(b"test".to_vec()),
        client_flags: 0,
    };
    let mut options = Options::new(mysqlclient_ms::options::Family::MariaDb);
    options.charset = Some(charset.to_owned());
    block_on(Connection::open(&target, &options)).unwrap()
}

/// How many columns the server finds in a text; None if it cannot read it.
fn columns(connection: &mut Connection, text: &[u8]) -> Option<usize> {
    block_on(connection.send(Command::Query, &[text])).unwrap();
    match block_on(connection.read_head()) {
        Ok(Head::ResultSet(columns)) => {
            let count = columns.len();
            block_on(connection.store_rows(count)).unwrap();
            Some(count)
        }
        Ok(other) => panic!("{other:?}"),
        Err(error) => {
            assert!(matches!(error.code, 1064 | 1300 | 3854 | 1366), "{error}");
            None
        }
    }
}

/// The second byte of a character may be a backslash: whether it is one decides where the string ends, and so what is code.
/// Every first byte, behind which a backslash, a quote or another high byte stands, also behind a backslash of its own.
#[test]
fn strings_end_where_the_servers_end_them_in_every_character_set() {
    let sets = ["gbk", "gb18030", "big5", "sjis", "cp932", "euckr", "ujis", "eucjpms", "gb2312", "utf8mb4", "latin1"];
    let mut wrong = Vec::new();
    for family in families() {
        let cluster = shared(family);
        let server = server(cluster, family);
        for charset in sets.into_iter().filter(|set| family == Family::MySql || *set != "gb18030") {
            let mut connection = connection(cluster, charset);
            let context = LexContext { server, charset: Charset::by_name(charset.as_bytes()), ..LexContext::default() };
            for first in 0x80..=0xffu8 {
                for middle in [&[first, b'\\'][..], &[b'\\', first, b'\\'], &[first, first, b'\\'], &[first, b'\'']] {
                    // With an escape the string goes on to the next quote: the comma is in it.
                    let text = [b"SELECT '", middle, b"' , ' '"].concat();
                    let found = columns(&mut connection, &text);
                    let mut lexer = Lexer::new(&text, &context);
                    let mut commas = 0;
                    let ours = loop {
                        match lexer.next_token().kind {
                            Kind::Comma => commas += 1,
                            Kind::End => break Some(commas + 1),
                            Kind::Bad => break None,
                            _ => {}
                        }
                    };
                    if ours != found {
                        wrong.push(format!("{family}, {charset}, {middle:x?}: {ours:?}, the server {found:?}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}
