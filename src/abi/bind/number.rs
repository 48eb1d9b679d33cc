//! Text to numbers and numbers to numbers, as the originals' C code does it. Pure functions.

use super::float::Text;
use std::fmt::Write as _;

/// What C's cast of a number out of range, or of none, gives on this machine: the smallest.
pub fn to_i32(x: f64) -> i32 {
    let whole = x.trunc();
    if (-2147483648.0..2147483648.0).contains(&whole) { whole as i32 } else { i32::MIN }
}

/// As [`to_i32`].
pub fn to_i64(x: f64) -> i64 {
    if (-9223372036854775808.0..9223372036854775808.0).contains(&x) { x as i64 } else { i64::MIN }
}

/// As C's compilers do it here: in two halves of the range of [`to_i64`].
pub fn to_u64(x: f64) -> u64 {
    const HALF: f64 = 9223372036854775808.0;
    if x >= HALF { (to_i64(x - HALF) as u64) ^ (1 << 63) } else { to_i64(x) as u64 }
}

/// A whole number as text: digits, and a sign for negative ones.
pub fn whole(value: i64, unsigned: bool) -> Text {
    let mut out = Text::new(super::float::MAX_TEXT);
    let _ = if unsigned { write!(out, "{}", value as u64) } else { write!(out, "{value}") };
    out
}

/// C's `isspace` in the C locale.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Outcome of parsing a whole number in the MySQL family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// Fine and not negative; may be above `i64::MAX`.
    Positive(u64),
    /// Fine, with a minus sign.
    Negative(i64),
    /// Out of range, with what is given instead.
    OutOfRange(i64),
    /// No digits.
    Nothing,
}

/// The MySQL family's parser: blanks, a sign, digits; what follows them is ignored.
pub fn mysql_whole(text: &[u8]) -> Whole {
    let blanks = text.iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
    let mut rest = &text[blanks..];
    let negative = rest.first() == Some(&b'-');
    if negative || rest.first() == Some(&b'+') {
        rest = &rest[1..];
    }
    let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if count == 0 {
        return Whole::Nothing;
    }
    let value =
        rest[..count].iter().try_fold(0u64, |value, digit| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
    match (value, negative) {
        (Some(value), false) => Whole::Positive(value),
        (Some(value), true) if value <= 1 << 63 => Whole::Negative((value as i64).wrapping_neg()),
        (_, false) => Whole::OutOfRange(-1),
        (_, true) => Whole::OutOfRange(i64::MIN),
    }
}

/// The MySQL family's parser of floating-point numbers: blanks, a number; what follows is ignored. The flag is set for
/// numbers that are too large, which become the largest.
pub fn mysql_float(text: &[u8]) -> (f64, bool) {
    let blanks = text.iter().take_while(|&&byte| is_space(byte)).count();
    let text = &text[blanks..];
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let before = digits(at);
    at += before;
    let mut behind = 0;
    if text.get(at) == Some(&b'.') {
        behind = digits(at + 1);
        at += 1 + behind;
    }
    if before + behind == 0 {
        return (0.0, false);
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'-' | b'+')));
        let count = if at + 1 + sign <= text.len() { digits(at + 1 + sign) } else { 0 };
        if count > 0 {
            at += 1 + sign + count;
        }
    }
    let number = std::str::from_utf8(&text[..at]).unwrap_or("0");
    let value: f64 = number.parse().unwrap_or(0.0);
    if value.is_infinite() {
        return (f64::MAX.copysign(value), true);
    }
    (value, false)
}

/// The digits at the front of `text`: their value, their number, and whether all is fine. Out of range: the value of
/// those that fit.
fn mariadb_digits(text: &[u8]) -> (u64, usize, bool) {
    let mut value = 0u64;
    for (i, byte) in text.iter().enumerate() {
        if !byte.is_ascii_digit() {
            return (value, i, i > 0);
        }
        match value.checked_mul(10).and_then(|value| value.checked_add(u64::from(byte - b'0'))) {
            Some(next) => value = next,
            None => return (value, i, false),
        }
    }
    (value, text.len(), !text.is_empty())
}

/// As [`mariadb_digits`], for 32 bits.
pub fn mariadb_digits32(text: &[u8]) -> (u32, usize, bool) {
    let (value, count, fine) = mariadb_digits(text);
    (value as u32, count, fine && value <= u64::from(u32::MAX))
}

/// Connector/C's parser of signed numbers: the value, and whether there was anything wrong with the text.
pub fn mariadb_signed(text: &[u8]) -> (i64, bool) {
    let blanks = text.iter().take_while(|&&byte| is_space(byte)).count();
    let mut rest = &text[blanks..];
    if rest.is_empty() {
        return (0, true);
    }
    let negative = rest[0] == b'-';
    if negative {
        rest = &rest[1..];
    }
    let (value, count, fine) = mariadb_digits(rest);
    let ended = rest[count..].iter().all(|&byte| is_space(byte));
    if !fine {
        return (value as i64, true);
    }
    match (negative, value) {
        (false, 0..=0x7FFF_FFFF_FFFF_FFFF) => (value as i64, !ended),
        (false, _) => (i64::MAX, true),
        (true, 0..=0x8000_0000_0000_0000) => ((value as i64).wrapping_neg(), !ended),
        (true, _) => (i64::MIN, true),
    }
}

/// Connector/C's parser of unsigned numbers.
pub fn mariadb_unsigned(text: &[u8]) -> (u64, bool) {
    let blanks = text.iter().take_while(|&&byte| is_space(byte)).count();
    let rest = &text[blanks..];
    let (value, count, fine) = mariadb_digits(rest);
    let ended = rest[count..].iter().all(|&byte| is_space(byte));
    (value, !fine || !ended)
}
