//! Text to dates and times: the parsers of both families. Pure functions.

use super::number::{is_space, mariadb_digits32};
use super::time::{Moment, in_range, kind};

/// What a parser of the MySQL family made of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// None: the text is no time at all, and only `time_type` is to be written ([`kind::NONE`]).
    pub moment: Option<Moment>,
    /// There was something to warn of.
    pub warning: bool,
}

impl Parsed {
    fn nothing(warning: bool) -> Parsed {
        Parsed { moment: None, warning }
    }

    fn error() -> Parsed {
        Parsed { moment: Some(Moment::zero(kind::ERROR)), warning: true }
    }
}

fn digit(text: &[u8], at: usize) -> Option<u64> {
    text.get(at).filter(|byte| byte.is_ascii_digit()).map(|byte| u64::from(byte - b'0'))
}

fn skip_space(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(|&byte| is_space(byte)) {
        at += 1;
    }
    at
}

fn only_space(text: &[u8]) -> bool {
    text.iter().all(|&byte| is_space(byte))
}

/// `+hh:mm` or `-hh:mm` up to 14 hours, then blanks only: seconds.
fn displacement(text: &[u8]) -> Option<i32> {
    let sign = match text.first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let two = |at: usize| Some((digit(text, at)? * 10 + digit(text, at + 1)?) as i32);
    let (hours, minutes) = (two(1)?, two(4)?);
    let seconds = hours * 3600 + minutes * 60;
    let fine =
        text[3] == b':' && minutes < 60 && seconds <= 14 * 3600 && (sign > 0 || seconds > 0) && only_space(&text[6..]);
    fine.then_some(sign * seconds)
}

/// The parts of a date and time in the order in which they stand: year to second, then microseconds.
#[derive(Default)]
struct Parts {
    values: [u64; 8],
    widths: [usize; 8],
    count: usize,
}

/// A text as a date, or a date and time (of one of those two at least when `both`), as the MySQL family reads it.
pub fn mysql_datetime(text: &[u8], both: bool) -> Parsed {
    const MICROS: usize = 6;
    let start = skip_space(text, 0);
    if digit(text, start).is_none() {
        return Parsed::nothing(true);
    }
    let text = &text[start..];
    let run = text.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'T').count();
    let packed = run == text.len() || text[run] == b'.';
    let mut year_width = if packed { if matches!(run, 4 | 8 | 14..) { 4 } else { 2 } } else { 4 };
    let mut width = year_width;
    let (mut at, mut end) = (0, 0);
    let mut parts = Parts::default();
    let (mut delimiter, mut space, mut zone) = (false, false, None);
    let mut i = 0;
    while i < 7 && digit(text, at).is_some() {
        let begin = at;
        let to_delimiter = !packed && i != MICROS;
        let mut value = 0u64;
        while let Some(next) = digit(text, at) {
            value = value.saturating_mul(10).saturating_add(next);
            at += 1;
            if !to_delimiter {
                width -= 1;
                if width == 0 {
                    break;
                }
            }
        }
        if value > 999_999 {
            return Parsed::nothing(true);
        }
        parts.values[i] = value;
        parts.widths[i] = at - begin;
        width = 2;
        end = at;
        let Some(&next) = text.get(at) else {
            i += 1;
            break;
        };
        if i == 2 && next == b'T' {
            at += 1;
            i += 1;
            continue;
        }
        if i == 5 && next == b'.' {
            at += 1;
            end = at;
            width = 6;
            i += 1;
            continue;
        }
        if i == 5 && next.is_ascii_digit() {
            i += 1;
            break;
        }
        if (i == 5 || i == MICROS) && matches!(next, b'+' | b'-') {
            zone = displacement(&text[at..]);
            if zone.is_none() {
                return Parsed::nothing(true);
            }
            at = text.len();
            end = at;
        }
        if i == 5 {
            i += 1;
            continue;
        }
        while let Some(&byte) = text.get(at).filter(|byte| byte.is_ascii_punctuation() || is_space(**byte)) {
            if is_space(byte) {
                if i != 2 && i != MICROS {
                    return Parsed::nothing(true);
                }
                space = true;
            }
            at += 1;
            delimiter = true;
        }
        if i == MICROS {
            i += 1;
        }
        end = at;
        i += 1;
    }
    parts.count = i;
    if delimiter && !space && both {
        return Parsed::nothing(true);
    }
    if !packed {
        year_width = parts.widths[0];
    }
    finish_datetime(&parts, year_width, zone, &text[end..])
}

/// Checks the parts and what is left of the text behind them.
fn finish_datetime(parts: &Parts, year_width: usize, zone: Option<i32>, rest: &[u8]) -> Parsed {
    let value = |i: usize| parts.values[i] as u32;
    let not_zero = parts.values.iter().any(|&value| value != 0);
    let mut moment = Moment {
        year: value(0),
        month: value(1),
        day: value(2),
        hour: value(3),
        minute: value(4),
        second: value(5),
        micros: parts.values[6] * 10u64.pow(6 - parts.widths[6].min(6) as u32),
        kind: if parts.count <= 3 {
            kind::DATE
        } else if zone.is_some() {
            kind::DATETIME_TZ
        } else {
            kind::DATETIME
        },
        displacement: zone.unwrap_or(0),
        ..Moment::default()
    };
    if year_width == 2 && not_zero {
        moment.year += if moment.year < 70 { 2000 } else { 1900 };
    }
    if parts.count < 3 || !in_range(&moment) {
        return Parsed::error();
    }
    let mut rest = rest;
    if parts.widths[6] == 6 {
        let more = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        rest = &rest[more..];
    }
    Parsed { moment: Some(moment), warning: !only_space(rest) }
}

/// A text as a time span, as the MySQL family reads it: `[-] [days] hh:mm:ss.f`, `hh:mm`, `hhmmss`, or a whole date and
/// time.
pub fn mysql_time(text: &[u8]) -> Parsed {
    let mut at = skip_space(text, 0);
    let negative = text.get(at) == Some(&b'-');
    at += usize::from(negative);
    let text = &text[at..];
    if text.is_empty() {
        return Parsed::nothing(false);
    }
    if text.len() >= 12 {
        let whole = mysql_datetime(text, true);
        if whole.moment.is_some() {
            return whole;
        }
    }
    let number = |at: &mut usize| {
        let mut value = 0u64;
        while let Some(next) = digit(text, *at) {
            value = value.wrapping_mul(10).wrapping_add(next);
            *at += 1;
        }
        value
    };
    let mut at = 0;
    let first = number(&mut at);
    if first > u64::from(u32::MAX) {
        return Parsed::nothing(false);
    }
    let end_of_days = at;
    at = skip_space(text, at);
    let left = text.len() - at;
    // Days, hours, minutes, seconds.
    let mut parts = [0u64; 4];
    let mut next = 4;
    if left > 1 && at != end_of_days && digit(text, at).is_some() {
        parts[0] = first;
        next = 1;
    } else if left > 1 && text[at] == b':' && digit(text, at + 1).is_some() {
        parts[1] = first;
        next = 2;
        at += 1;
    } else {
        parts = [0, first / 10000, first / 100 % 100, first % 100];
    }
    while next < 4 {
        parts[next] = number(&mut at);
        next += 1;
        if next == 4 || text.len() - at < 2 || text[at] != b':' || digit(text, at + 1).is_none() {
            break;
        }
        at += 1;
    }
    let mut micros = 0;
    if text.get(at) == Some(&b'.') {
        let digits = text[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 {
            for i in 1..=6 {
                micros = micros * 10 + digit(text, at + i).filter(|_| i <= digits).unwrap_or(0);
            }
            at += 1 + digits;
        } else if text.len() - at == 1 {
            at += 1;
        }
    }
    // As `%g` writes large numbers.
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'-' | b'+')));
        if digit(text, at + 1 + sign).is_some() {
            return Parsed::nothing(false);
        }
    }
    if parts.iter().any(|&part| part > u64::from(u32::MAX)) {
        return Parsed::nothing(false);
    }
    let mut moment = Moment {
        hour: (parts[1] as u32).wrapping_add((parts[0] as u32).wrapping_mul(24)),
        minute: parts[2] as u32,
        second: parts[3] as u32,
        micros,
        negative: negative.into(),
        kind: kind::TIME,
        ..Moment::default()
    };
    if moment.minute > 59 || moment.second > 59 {
        return Parsed::error();
    }
    let mut warning = false;
    if moment.hour > 838 || (moment.hour == 838 && (moment.minute, moment.second) == (59, 59) && micros > 0) {
        (moment.hour, moment.minute, moment.second, moment.micros) = (838, 59, 59, 0);
        warning = true;
    }
    if (moment.hour, moment.minute, moment.second, moment.micros) == (0, 0, 0, 0) {
        moment.negative = 0;
    }
    if !only_space(&text[at..]) {
        warning = true;
        if at == 0 {
            moment.kind = kind::NONE;
        }
    }
    Parsed { moment: Some(moment), warning }
}

/// A text as a time, a date, or both, as Connector/C reads it. Wrong ones are all zero with [`kind::ERROR`].
pub fn mariadb_moment(text: &[u8]) -> Moment {
    mariadb_parse(text).unwrap_or(Moment::zero(kind::ERROR))
}

fn mariadb_parse(text: &[u8]) -> Option<Moment> {
    let text = &text[skip_space(text, 0)..];
    let blanks = text.iter().rev().take_while(|&&byte| is_space(byte)).count();
    let text = &text[..text.len() - blanks];
    if text.len() < 5 {
        return None;
    }
    if text[0] == b'-' {
        let mut found = mariadb_clock(&text[1..])?;
        found.negative = 1;
        return Some(found);
    }
    let first = text[1..].iter().find(|byte| matches!(byte, b'-' | b':'));
    if first == Some(&b':') {
        return mariadb_clock(text);
    }
    let (year, count, fine) = mariadb_digits32(text);
    let mut at = count;
    if !fine || year > 9999 || text.get(at) != Some(&b'-') {
        return None;
    }
    let year = if at == 2 { year + if year >= 70 { 1900 } else { 2000 } } else { year };
    at += 1;
    let (month, count, fine) = mariadb_digits32(&text[at..]);
    at += count;
    if !fine || month > 12 || text.get(at) != Some(&b'-') {
        return None;
    }
    at += 1;
    let (day, count, fine) = mariadb_digits32(&text[at..]);
    at += count;
    if !fine || day > 31 {
        return None;
    }
    let date = Moment { year, month, day, kind: kind::DATE, ..Moment::default() };
    if text.get(at) != Some(&b' ') {
        return Some(date);
    }
    let clock = mariadb_clock(&text[at + 1..])?;
    if clock.hour > 23 {
        return None;
    }
    Some(Moment { year, month, day, kind: kind::DATETIME, ..clock })
}

/// `hours:minutes:seconds[.fraction]`; what follows is ignored.
fn mariadb_clock(text: &[u8]) -> Option<Moment> {
    let (hour, mut at, fine) = mariadb_digits32(text);
    if !fine || hour > 838 || text.get(at) != Some(&b':') {
        return None;
    }
    at += 1;
    let (minute, count, fine) = mariadb_digits32(&text[at..]);
    at += count;
    if !fine || minute > 59 || text.get(at) != Some(&b':') {
        return None;
    }
    at += 1;
    let (second, count, fine) = mariadb_digits32(&text[at..]);
    at += count;
    if !fine || second > 59 {
        return None;
    }
    let mut micros = 0;
    if text.get(at) == Some(&b'.') {
        let fraction = &text[at + 1..text.len().min(at + 7)];
        let (value, _, fine) = mariadb_digits32(fraction);
        // By the number of characters, digits or not.
        micros = u64::from(value) * if fine { 10u64.pow(6 - fraction.len() as u32) } else { 1 };
    }
    Some(Moment { hour, minute, second, micros, kind: kind::TIME, ..Moment::default() })
}
