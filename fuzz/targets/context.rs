//! The first bytes of an input choose the context in which the rest is read.

use mysqlclient_ms::route::{Charset, DefaultSchema, LexContext, Server};

/// Context and statement.
pub fn split(data: &[u8]) -> Option<(LexContext, &[u8])> {
    let (&[flags, servers], sql) = data.split_first_chunk::<2>()?;
    let bit = |n: u8| flags >> n & 1 == 1;
    let server = match servers & 7 {
        0 => Server::mysql(50_740),
        1 => Server::mysql(80_036),
        2 => Server {
            min: 80_036,
            max: 90_704,
            ..Server::mysql(80_036)
        },
        3 => Server::mariadb(101_119),
        4 => Server::mariadb(110_800),
        5 => Server::UNKNOWN,
        _ => Server::mysql(90_704),
    };
    let charset = match servers >> 3 & 15 {
        0 => "latin1",
        1 => "gbk",
        2 => "sjis",
        3 => "big5",
        4 => "gb18030",
        5 => "euckr",
        6 => "ujis",
        7 => "unheard_of",
        _ => "utf8mb4",
    };
    let schema = match flags >> 6 {
        1 => DefaultSchema::Information,
        2 => DefaultSchema::PerServer,
        _ => DefaultSchema::Ordinary,
    };
    let context = LexContext {
        ansi_quotes: bit(0),
        no_backslash_escapes: bit(1),
        ignore_space: bit(2),
        oracle_mode: bit(3),
        sql_mode_known: !bit(4),
        multi_statements: bit(5),
        server,
        charset: Charset::by_name(charset.as_bytes()),
        schema,
    };
    Some((context, sql))
}
