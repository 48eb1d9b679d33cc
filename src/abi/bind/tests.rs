//! The conversions against what the originals printed: `originals/*.txt` are parts of the output of
//! `c_tests/stmt_convert.c` (with `MS_SPEC` set) with each original. `MS_CONVERT_MARIADB` and `MS_CONVERT_MYSQL` name
//! whole outputs to go through instead.
#![allow(clippy::unwrap_used, unsafe_code)]

use super::*;
use crate::abi::family::{Abi, MariaDb, MySql};
use std::fmt::Write as _;

const ROOM: usize = 1024;
const FRONT: usize = 16;

/// One buffer and its binding, as in the C program.
struct Target {
    bind: Bind,
    length: u64,
    null: i8,
    error: i8,
    room: [u8; ROOM],
}

fn target(buffer_type: u32, unsigned: bool, size: u64) -> Box<Target> {
    // SAFETY: integers and pointers only.
    let bind: Bind = unsafe { std::mem::zeroed() };
    let mut target = Box::new(Target { bind, length: 0xEEEE, null: 1, error: 1, room: [0xEE; ROOM] });
    target.bind.buffer_type = buffer_type;
    target.bind.is_unsigned = unsigned.into();
    target.bind.buffer = target.room[FRONT..].as_mut_ptr().cast();
    target.bind.buffer_length = size;
    target.bind.length = &mut target.length;
    target.bind.is_null = &mut target.null;
    target.bind.error = &mut target.error;
    target
}

const TYPES: &[(&str, u32)] = &[
    ("tiny", 1),
    ("short", 2),
    ("long", 3),
    ("int24", 9),
    ("longlong", 8),
    ("year", 13),
    ("float", 4),
    ("double", 5),
    ("time", 11),
    ("date", 10),
    ("datetime", 12),
    ("timestamp", 7),
    ("newdate", 14),
    ("string", 254),
    ("var_string", 253),
    ("blob", 252),
    ("tiny_blob", 249),
    ("medium_blob", 250),
    ("long_blob", 251),
    ("decimal", 0),
    ("newdecimal", 246),
    ("bit", 16),
    ("json", 245),
    ("geometry", 255),
    ("enum", 247),
    ("set", 248),
    ("varchar", 15),
    ("null", 6),
    ("vector", 242),
    ("invalid", 243),
    ("timestamp2", 17),
    ("type99", 99),
];

fn outcome(target: &Target, rc: i32) -> String {
    let mut text =
        format!("rc={rc} null={} error={} length={} data=", target.null, i32::from(target.error != 0), target.length);
    let mut from = FRONT;
    if let Some(front) = target.room[..FRONT].iter().position(|&byte| byte != 0xEE) {
        from = front;
        text += "(in front!)";
    }
    let end = target.room.iter().rposition(|&byte| byte != 0xEE).map_or(from, |last| last + 1).max(from);
    let number = |at: usize| u32::from_le_bytes(*target.room[FRONT + at..].first_chunk().unwrap());
    if matches!(target.bind.buffer_type, 7 | 10 | 11 | 12) && end - from > 24 {
        let micros = u64::from_le_bytes(*target.room[FRONT + 24..].first_chunk().unwrap());
        let _ = write!(
            text,
            "{}-{}-{} {}:{}:{}.{micros} neg={} type={}",
            number(0),
            number(4),
            number(8),
            number(12),
            number(16),
            number(20),
            target.room[FRONT + 32],
            number(36) as i32
        );
        if number(36) == 3 {
            let _ = write!(text, " zone={}", number(40) as i32);
        }
        return text;
    }
    target.room[from..end].iter().for_each(|byte| {
        let _ = write!(text, "{byte:02X}");
    });
    text
}

fn word<T: std::str::FromStr>(line: &str, name: &str) -> T {
    let at = line.find(&format!("{name}=")).unwrap_or_else(|| panic!("{name} in {line}"));
    let rest = &line[at + name.len() + 1..];
    rest[..rest.find(' ').unwrap_or(rest.len())].parse().ok().unwrap()
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
}

fn type_named(name: &str) -> u32 {
    TYPES.iter().find(|(known, _)| *known == name).unwrap().1
}

/// Goes through the output; the number of values compared.
fn replay<F: Abi>(spec: &str) -> usize {
    let mut compared = 0;
    let mut wrong = String::new();
    let (mut section, mut block) = ("", "");
    let mut column = ColumnType::default();
    let mut value: Option<Vec<u8>> = None;
    let mut whole: Option<Box<Target>> = None;
    let mut stored = target(254, false, 0);
    let mut prepared = false;
    let mut lines = spec.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("== ") {
            section = line;
            continue;
        }
        if let Some(facts) = line.strip_prefix("@column ") {
            column = ColumnType::new(
                word(facts, "type"),
                word(facts, "flags"),
                word::<u64>(facts, "length") as u32,
                word(facts, "decimals"),
                word(facts, "charset"),
            );
            continue;
        }
        if let Some(sent) = line.strip_prefix("@value ") {
            value = sent.strip_prefix('=').map(unhex);
            continue;
        }
        let (mine, theirs) = if let Some(head) = line.strip_prefix(" pieces, ") {
            block = line;
            whole = None;
            stored = target(254, false, 0);
            prepared = false;
            let _ = head;
            continue;
        } else if line.starts_with("  at ") || line.starts_with("  bare ") {
            let head = block.strip_prefix(" pieces, ").unwrap();
            let (what, size) = head.split_once(':').unwrap().0.rsplit_once(' ').unwrap();
            let unsigned = what.ends_with(" unsigned");
            let mut to = target(type_named(what.trim_end_matches(" unsigned")), unsigned, size.parse().unwrap());
            if !prepared {
                // SAFETY: a binding that stays.
                unsafe { prepare_result::<F>(&mut stored.bind, &column, 0) }.unwrap();
                prepared = true;
                if let Some(value) = &value {
                    // SAFETY: as above.
                    unsafe { How::of::<F>(&stored.bind, &column).convert::<F>(&mut stored.bind, &column, value) };
                }
            }
            let bare = line.starts_with("  bare ");
            let offset = if bare { 0 } else { line[5..].split(' ').next().unwrap().parse().unwrap() };
            if bare {
                to.bind.length = std::ptr::null_mut();
                to.bind.is_null = std::ptr::null_mut();
                to.bind.error = std::ptr::null_mut();
            }
            match &value {
                Some(value) => {
                    // SAFETY: as above.
                    unsafe { prepare_column::<F>(&mut to.bind, &mut stored.bind, offset) };
                    // SAFETY: as above.
                    unsafe { column_function::<F>(&to.bind, &column)(&mut to.bind, &column, value) };
                }
                // SAFETY: as above.
                None => unsafe { null_column::<F>(&mut to.bind) },
            }
            let shown = outcome(&to, 0);
            if bare {
                (format!("  bare {shown}"), line)
            } else {
                (format!("  at {offset} size={} {shown}", to.bind.buffer_length), line)
            }
        } else if let Some((what, bound)) = line.strip_prefix(' ').and_then(|line| line.split_once(": length bound=")) {
            block = line;
            let (what, size) = what.rsplit_once(' ').unwrap();
            let unsigned = what.ends_with(" unsigned");
            let mut to = target(type_named(what.trim_end_matches(" unsigned")), unsigned, size.parse().unwrap());
            if let Some(facts) = lines.peek().and_then(|line| line.strip_prefix("@column ")) {
                column.column_type = word(facts, "type");
            }
            // SAFETY: as above.
            unsafe { prepare_result::<F>(&mut to.bind, &column, 0) }.unwrap();
            let mine = format!("{}: length bound={}", line.split(':').next().unwrap(), to.length);
            let _ = bound;
            whole = Some(to);
            (mine, line)
        } else if let Some(to) = whole.as_mut().filter(|_| line.starts_with("  ") && line.contains(" rc=")) {
            to.room = [0xEE; ROOM];
            to.null = 1;
            to.error = 1;
            let mut rc = 0;
            match &value {
                _ if F::FAMILY == Family::MariaDb && !mariadb_knows(column.column_type) => rc = 102,
                Some(value) => {
                    to.null = 0;
                    // SAFETY: as above.
                    unsafe { How::of::<F>(&to.bind, &column).convert::<F>(&mut to.bind, &column, value) };
                    rc = if to.error != 0 { 101 } else { 0 };
                }
                // SAFETY: as above.
                None => unsafe { fetch_null::<F>(&mut to.bind) },
            }
            let row = line.trim_start().split(' ').next().unwrap();
            (format!("  {row} {}", outcome(to, rc)), line)
        } else if let Some((what, _)) = line.strip_prefix(' ').and_then(|line| line.split_once(": errno=2036")) {
            let mut to = target(type_named(what.trim_end_matches(" unsigned")), false, 1);
            if F::FAMILY == Family::MySql {
                let tail = line.rsplit_once("type: ").unwrap().1;
                column.column_type = tail[..tail.find(' ').unwrap()].parse().unwrap();
            }
            // SAFETY: as above.
            let refused = unsafe { prepare_result::<F>(&mut to.bind, &column, 0) };
            let mine = match refused {
                Err(refused) if F::FAMILY == Family::MySql => {
                    let error = refused.error(Family::MySql);
                    format!(" {what}: errno={} state=HY000 {}", error.code, String::from_utf8_lossy(&error.message))
                }
                Err(_) => line.to_owned(),
                Ok(()) => "taken".to_owned(),
            };
            (mine, line)
        } else {
            continue;
        };
        compared += 1;
        if mine != theirs && wrong.len() < 60_000 {
            let sent = value.as_ref().map(|value| String::from_utf8_lossy(value).into_owned());
            let _ =
                writeln!(wrong, "{section} |{block}| {sent:?} {column:?}\n   original {theirs}\n   ours     {mine}");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    compared
}

/// The lines of a family: those that are kept here, or a file named in the environment.
fn lines(variable: &str, kept: &str) -> String {
    match std::env::var_os(variable) {
        Some(file) => std::fs::read_to_string(file).unwrap(),
        None => kept.to_owned(),
    }
}

#[test]
fn mariadb_values_are_the_originals() {
    assert!(replay::<MariaDb>(&lines("MS_CONVERT_MARIADB", include_str!("originals/mariadb.txt"))) > 100);
}

#[test]
fn mysql_values_are_the_originals() {
    assert!(replay::<MySql>(&lines("MS_CONVERT_MYSQL", include_str!("originals/mysql.txt"))) > 100);
}

#[test]
fn a_time_brings_nothing_of_ours_between_its_fields() {
    use super::time::{Moment, kind};
    let moment = Moment { year: 2026, micros: 5, negative: 1, ..Moment::zero(kind::DATETIME) };
    let mut place = [0xaa_u8; 48];
    // SAFETY: the place has the size of the larger family's struct.
    unsafe { moment.store::<crate::abi::family::MySql>(place.as_mut_ptr()) };
    assert_eq!((place[32], &place[33..36], place[36]), (1, &[0; 3][..], kind::DATETIME as u8));
    assert_eq!(place[44..], [0xaa; 4], "behind the last field");
}
