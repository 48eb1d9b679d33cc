use super::*;
use crate::charset::by_name;

fn unhex(text: &str) -> Vec<u8> {
    if text == "." {
        return Vec::new();
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex")).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Lines of `CHARSET MODE INPUT OUTPUT`, written by the original.
fn compare(recorded: &str, family: Family) {
    let mut seen = 0;
    let mut wrong = Vec::new();
    for line in recorded.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<_> = line.split(' ').collect();
        let charset = by_name(fields[0]).expect("known");
        let (from, expected) = (unhex(fields[2]), unhex(fields[3]));
        let mut to = vec![0xee; 2 * from.len() + 1];
        let length = match fields[1] {
            "s" => backslashes(&mut to, &from, charset, family),
            "q" => doubled(&mut to, &from, charset, family, b'\''),
            "`" => doubled(&mut to, &from, charset, family, b'`'),
            _ => backslashes(&mut to, &from, charset, family),
        };
        let got = length.map(|length| to[..length].to_vec());
        if got.as_ref() != Some(&expected) || length.is_some_and(|length| to[length] != 0) {
            wrong.push(format!("{line}: {}", hex(&got.unwrap_or_default())));
        }
        seen += 1;
    }
    assert!(seen > 1000, "{seen}");
    assert!(wrong.is_empty(), "{} of {seen} differ:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

#[test]
fn equals_libmysqlclient() {
    compare(include_str!("../../../tests/data/escape_mysql.tsv"), Family::MySql);
}

#[test]
fn equals_connector_c() {
    compare(include_str!("../../../tests/data/escape_mariadb.tsv"), Family::MariaDb);
}

/// The rules without any haste.
fn slowly(from: &[u8], charset: &Charset, family: Family) -> Vec<u8> {
    let mut to = Vec::new();
    let mut rest = from;
    while let Some(&first) = rest.first() {
        let valid = charset.scheme.valid(rest, family);
        let taken = valid.max(1);
        if valid == 0 {
            let letter = escaped(first);
            if letter != 0 {
                to.extend([b'\\', letter]);
            } else {
                if charset.scheme.needs_guard(rest, family) {
                    to.push(b'\\');
                }
                to.push(first);
            }
        } else {
            to.extend(&rest[..valid]);
        }
        rest = &rest[taken..];
    }
    to
}

fn check_against_slow(from: &[u8]) {
    for charset in crate::charset::all() {
        for family in [Family::MySql, Family::MariaDb] {
            let mut to = vec![0xee; 2 * from.len() + 1];
            let length = backslashes(&mut to, from, charset, family).expect("fits");
            let expected = slowly(from, charset, family);
            assert!(to[..length] == expected, "{} {family:?} {}: {}", charset.name(), hex(from), hex(&to[..length]));
            assert_eq!(to[length], 0);
            assert!(to[length + 1..].iter().all(|byte| *byte == 0xee), "written beyond the end");
            // Just enough room is enough; a byte less is not.
            let mut tight = vec![0; length + 1];
            assert_eq!(backslashes(&mut tight, from, charset, family), Some(length));
            assert_eq!(backslashes(&mut tight[..length], from, charset, family), None);
        }
    }
}

#[test]
fn blocks_and_pieces_change_nothing() {
    // A text of all kinds of characters, cut at every place around the block and piece sizes.
    let words = "plain text 'quoted' \u{e9}\u{e9} \u{6f22}\u{5b57} \u{1f600} \"x\" #&\t\\ ".repeat(400);
    let bytes = words.as_bytes();
    for length in (0..140).chain(8185..8200).chain(16380..16390) {
        check_against_slow(&bytes[..length]);
        check_against_slow(&bytes[1..=length]);
    }
    let mut broken = bytes[..9000].to_vec();
    for at in [0, 63, 64, 100, 4000, 8190, 8191, 8192, 8193] {
        broken[at] = 0xf0;
        check_against_slow(&broken);
    }
    check_against_slow(&[0xc3; 10_000]);
    check_against_slow(&[0x5c; 10_000]);
}

#[test]
fn no_room_is_an_error_and_nothing_is_written_behind() {
    let utf8 = by_name("utf8mb4").expect("there");
    assert_eq!(backslashes(&mut [], b"", utf8, Family::MySql), None);
    assert_eq!(backslashes(&mut [9], b"", utf8, Family::MySql), Some(0));
    assert_eq!(doubled(&mut [0; 4], b"a'b", utf8, Family::MySql, b'\''), None);
    assert_eq!(doubled(&mut [0; 5], b"a'b", utf8, Family::MySql, b'\''), Some(4));
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_escaped_by_the_rules(
        bytes in proptest::collection::vec(
            proptest::prop_oneof![
                proptest::prelude::any::<u8>(),
                proptest::sample::select(b"\0\n\r\x1a\"'\\\x80\xa1\xc2\xe0\xed\xf0\x8e\x8f@0 a".to_vec()),
            ],
            0..300,
        ),
    ) {
        check_against_slow(&bytes);
    }

    /// What the rules let out is closed: no unescaped quote, no backslash that swallows the closing quote.
    #[test]
    fn the_result_is_one_literal(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        let latin1 = by_name("latin1").expect("there");
        let mut to = vec![0; 2 * bytes.len() + 1];
        let length = backslashes(&mut to, &bytes, latin1, Family::MySql).expect("fits");
        let mut escaped = false;
        for byte in &to[..length] {
            proptest::prop_assert!(escaped || !matches!(*byte, b'\'' | b'"' | 0 | b'\n' | b'\r' | 0x1a));
            escaped = !escaped && *byte == b'\\';
        }
        proptest::prop_assert!(!escaped);
    }
}
