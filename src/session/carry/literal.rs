//! Values of SET as they can be repeated on another connection: texts that every server reads alike, whatever sql_mode
//! and character set the connection has at that moment. No I/O; what cannot be written so is refused.

use crate::route::{Charset, LexContext};

/// A longer value is not kept: the variable stays on its node.
const LONGEST: usize = 4096;

/// A value that can be sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeatable {
    /// As it stands behind the `=`.
    pub text: Vec<u8>,
    /// What it is, without quotes, for what we have to understand ourselves.
    pub plain: Vec<u8>,
    /// A string, whose character set and collation are the connection's.
    pub is_string: bool,
}

/// Words that are functions: the value they give is only known where they ran.
const FUNCTIONS: [&str; 10] = [
    "CURRENT_DATE",
    "CURRENT_ROLE",
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "CURRENT_USER",
    "LOCALTIME",
    "LOCALTIMESTAMP",
    "UTC_DATE",
    "UTC_TIME",
    "UTC_TIMESTAMP",
];

/// The literal of a SET of a system variable: a number, a string, or a bare word.
pub fn system(literal: &[u8], context: &LexContext) -> Option<Repeatable> {
    let is_word = literal.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let begins = literal.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    if is_word && begins {
        let function = FUNCTIONS.iter().any(|name| literal.eq_ignore_ascii_case(name.as_bytes()));
        return (!function && literal.len() <= LONGEST).then(|| bare(literal));
    }
    string_or_number(literal, context)
}

/// The literal of a SET of a user variable: bare words but TRUE, FALSE and NULL are names of columns or functions.
pub fn user(literal: &[u8], context: &LexContext) -> Option<Repeatable> {
    if [&b"TRUE"[..], b"FALSE", b"NULL"].iter().any(|word| literal.eq_ignore_ascii_case(word)) {
        return Some(bare(literal));
    }
    if literal == br"\N" {
        return Some(bare(b"NULL"));
    }
    string_or_number(literal, context)
}

/// A value that the server reported.
pub fn reported(value: &[u8]) -> Option<Repeatable> {
    if value.len() > LONGEST || !value.iter().all(|byte| (b' '..0x7f).contains(byte) && *byte != b'\\') {
        return None;
    }
    let digits = value.strip_prefix(b"-").unwrap_or(value);
    let is_number = digits.first().is_some_and(u8::is_ascii_digit)
        && digits.last().is_some_and(u8::is_ascii_digit)
        && digits.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
        && digits.iter().filter(|byte| **byte == b'.').count() <= 1;
    Some(if is_number { bare(value) } else { quoted(value) })
}

fn bare(text: &[u8]) -> Repeatable {
    Repeatable { text: text.to_vec(), plain: text.to_vec(), is_string: false }
}

fn string_or_number(literal: &[u8], context: &LexContext) -> Option<Repeatable> {
    match literal {
        [quote @ (b'\'' | b'"'), inner @ .., last] if quote == last => string(inner, *quote, context),
        // x'41', b'01'.
        [b'x' | b'X' | b'b' | b'B', b'\'', inner @ .., b'\''] if inner.iter().all(u8::is_ascii_hexdigit) => {
            (literal.len() <= LONGEST).then(|| bare(literal))
        }
        [b'0'..=b'9' | b'.' | b'-' | b'+', ..] => {
            let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+' | b' ');
            (literal.len() <= LONGEST && literal.iter().all(plain) && !literal.windows(2).any(|two| two == b"--"))
                .then(|| bare(literal))
        }
        _ => None,
    }
}

/// The inside of a string, as the handle's sql_mode reads it.
fn string(inner: &[u8], quote: u8, context: &LexContext) -> Option<Repeatable> {
    let one_way = context.sql_mode_known || (quote == b'\'' && !inner.contains(&b'\\'));
    let readable = inner.is_ascii() || matches!(context.charset, Charset::Utf8 | Charset::Single | Charset::EucHigh);
    if !one_way || !readable || (quote == b'"' && context.ansi_quotes) || inner.len() > LONGEST {
        return None;
    }
    let mut value = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte == b'\\' && !context.no_backslash_escapes {
            value.push(match bytes.next()? {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                b'b' => 8,
                // \0 and \Z are no text, \% and \_ keep their backslash.
                b'0' | b'Z' | b'%' | b'_' => return None,
                other => other,
            });
        } else {
            if byte == quote {
                bytes.next();
            }
            value.push(byte);
        }
    }
    // A backslash is read differently under another sql_mode.
    (!value.contains(&b'\\') && !value.contains(&0)).then(|| quoted(&value))
}

/// In quotes that every sql_mode reads alike.
fn quoted(value: &[u8]) -> Repeatable {
    let mut text = Vec::with_capacity(value.len() + 2);
    text.push(b'\'');
    for &byte in value {
        if byte == b'\'' {
            text.push(b'\'');
        }
        text.push(byte);
    }
    text.push(b'\'');
    Repeatable { text, plain: value.to_vec(), is_string: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(found: Option<Repeatable>) -> Option<String> {
        found.map(|found| String::from_utf8_lossy(&found.text).into_owned())
    }

    #[test]
    fn what_can_be_repeated_is_written_for_every_sql_mode() {
        let context = LexContext::default();
        for (literal, expected) in [
            ("1", "1"),
            ("-1.5", "-1.5"),
            ("- 1", "- 1"),
            ("1e-5", "1e-5"),
            ("0x41", "0x41"),
            ("x'41'", "x'41'"),
            ("b'01'", "b'01'"),
            ("'abc'", "'abc'"),
            ("\"it's\"", "'it''s'"),
            ("'it''s'", "'it''s'"),
            (r"'it\'s'", "'it''s'"),
            (r"'a\nb'", "'a\nb'"),
            ("'Müller'", "'Müller'"),
            ("''", "''"),
            ("NULL", "NULL"),
            ("true", "true"),
        ] {
            assert_eq!(text(user(literal.as_bytes(), &context)).as_deref(), Some(expected), "{literal}");
        }
        for (literal, expected) in [("ON", "ON"), ("utf8mb4", "utf8mb4"), ("'ANSI'", "'ANSI'"), ("8", "8")] {
            assert_eq!(text(system(literal.as_bytes(), &context)).as_deref(), Some(expected), "{literal}");
        }
    }

    #[test]
    fn what_only_its_node_knows_is_refused() {
        let context = LexContext::default();
        for literal in ["CURRENT_TIMESTAMP", "ON", "a", r"'a\\b'", r"'\0'", r"'\%'", "N'a'", "1--1", "_utf8'a'", ""] {
            assert_eq!(user(literal.as_bytes(), &context), None, "{literal}");
        }
        assert_eq!(system(b"current_timestamp", &context), None);
        let long = format!("'{}'", "x".repeat(LONGEST + 1));
        assert_eq!(user(long.as_bytes(), &context), None);
        let unknown = LexContext { sql_mode_known: false, ..context };
        assert_eq!(user(br"'a\n'", &unknown), None);
        assert_eq!(user(b"\"a\"", &unknown), None);
        assert!(user(b"'a'", &unknown).is_some());
        let sjis = LexContext { charset: Charset::Sjis, ..context };
        assert_eq!(user(b"'\x83\x5c'", &sjis), None);
        let plain = LexContext { no_backslash_escapes: true, ..context };
        assert_eq!(user(br"'a\n'", &plain), None, "the backslash is read differently elsewhere");
    }

    #[test]
    fn reported_values_are_numbers_or_strings() {
        for (value, expected) in [
            ("28800", Some("28800")),
            ("-1", Some("-1")),
            ("1.5", Some("1.5")),
            ("+03:00", Some("'+03:00'")),
            ("ON", Some("'ON'")),
            ("", Some("''")),
            ("1.2.3", Some("'1.2.3'")),
            ("5-", Some("'5-'")),
            ("it's", Some("'it''s'")),
            ("a\\b", None),
            ("é", None),
        ] {
            assert_eq!(text(reported(value.as_bytes())).as_deref(), expected, "{value}");
        }
    }
}
