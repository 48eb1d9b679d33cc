//! Floating-point numbers as text, as both originals write them: as few digits as give the number back, never more than
//! asked for, in the shorter of plain and exponent notation.
//!
//! Pure functions over a buffer of the caller's; nothing is allocated.

use std::fmt::Write as _;

/// Longest text of [`fixed`]: 309 digits, a sign, a point and 31 decimals; and one byte for those who end it.
pub const MAX_TEXT: usize = 352;

/// A buffer on the stack that text is written to; what does not fit is dropped.
pub struct Text {
    bytes: [u8; MAX_TEXT],
    length: usize,
    limit: usize,
}

impl Text {
    /// Empty, for at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Text { bytes: [0; MAX_TEXT], length: 0, limit: limit.min(MAX_TEXT) }
    }

    /// What was written.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Appends one byte.
    pub fn push(&mut self, byte: u8) {
        if self.length < self.limit {
            self.bytes[self.length] = byte;
            self.length += 1;
        }
    }

    /// Appends `byte` so many times.
    fn fill(&mut self, byte: u8, times: usize) {
        for _ in 0..times {
            self.push(byte);
        }
    }

    /// Puts zeros in front until there are `width` bytes; `width` is at most [`MAX_TEXT`].
    pub fn pad_zeros(&mut self, width: usize) {
        let width = width.min(MAX_TEXT);
        if self.length < width {
            let missing = width - self.length;
            self.bytes.copy_within(..self.length, missing);
            self.bytes[..missing].fill(b'0');
            self.length = width;
        }
    }
}

impl std::fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        text.bytes().for_each(|byte| self.push(byte));
        Ok(())
    }
}

/// Decimal digits of a number without sign: `0.d1d2d3… * 10^point`, no zeros at the end. No digits: rounded to zero.
struct Digits {
    digits: [u8; 800],
    count: usize,
    point: i32,
}

impl Digits {
    /// From the text of `{:e}`.
    fn from_exponent(x: f64, precision: Option<usize>) -> Digits {
        struct Sink {
            bytes: [u8; 820],
            length: usize,
        }
        impl std::fmt::Write for Sink {
            fn write_str(&mut self, text: &str) -> std::fmt::Result {
                let end = (self.length + text.len()).min(self.bytes.len());
                self.bytes[self.length..end].copy_from_slice(&text.as_bytes()[..end - self.length]);
                self.length = end;
                Ok(())
            }
        }
        let mut sink = Sink { bytes: [0; 820], length: 0 };
        let _ = match precision {
            None => write!(sink, "{x:e}"),
            Some(precision) => write!(sink, "{x:.precision$e}"),
        };
        let text = &sink.bytes[..sink.length];
        let e = text.iter().position(|&byte| byte == b'e').unwrap_or(text.len());
        let mut exponent = 0i32;
        let mut negative = false;
        for &byte in text.get(e + 1..).unwrap_or_default() {
            match byte {
                b'-' => negative = true,
                _ => exponent = exponent * 10 + i32::from(byte - b'0'),
            }
        }
        let exponent = if negative { -exponent } else { exponent };
        let mut found = Digits { digits: [0; 800], count: 0, point: exponent + 1 };
        for &byte in text[..e].iter().filter(|byte| byte.is_ascii_digit()) {
            found.digits[found.count] = byte;
            found.count += 1;
        }
        found.strip();
        found
    }

    /// The fewest digits that give `x` back; of two such texts just as far from it, the one whose last digit is even.
    fn shortest(x: f64) -> Digits {
        let found = Digits::from_exponent(x, None);
        if found.count < 15 {
            return found; // an even one further down has fewer digits
        }
        let nearest = Digits::from_exponent(x, Some(found.count - 1));
        if nearest.digits() == found.digits() && nearest.point == found.point {
            return found;
        }
        let mut text = Text::new(MAX_TEXT);
        text.push(b'.');
        nearest.digits().iter().for_each(|&digit| text.push(digit));
        let _ = write!(text, "e{}", nearest.point);
        let back = std::str::from_utf8(text.bytes()).ok().and_then(|text| text.parse().ok());
        if back == Some(x) { nearest } else { found }
    }

    fn strip(&mut self) {
        while self.count > 1 && self.digits[self.count - 1] == b'0' {
            self.count -= 1;
        }
    }

    /// At most `most` digits (at least one): `x` rounded to so many, or the shortest that give `x` back. (The two differ
    /// up to 14 digits only for the smallest numbers, which do not have so many: the originals then round.)
    fn of(x: f64, most: i32) -> Digits {
        let most = most.max(1) as usize;
        let shortest = Digits::shortest(x);
        if most > 14 {
            return if shortest.count <= most { shortest } else { Digits::from_exponent(x, Some(most - 1)) };
        }
        // A whole number just between two texts, of which the even one ends with zeros: the originals keep them.
        let halfway = shortest.count == most + 1 && shortest.digits[most] == b'5';
        if halfway && shortest.digits[most - 1] == b'0' && x < 1e15 && x.trunc() == x {
            let mut even = shortest;
            even.count = most;
            return even;
        }
        Digits::from_exponent(x, Some(most - 1))
    }

    /// At most `decimals` digits behind the point.
    fn with_decimals(x: f64, decimals: i32) -> Digits {
        let shortest = Digits::shortest(x);
        let behind = shortest.count as i32 - shortest.point;
        if behind <= decimals {
            return shortest;
        }
        let keep = shortest.point + decimals;
        if keep > 0 {
            return Digits::from_exponent(x, Some(keep as usize - 1));
        }
        // One digit in the last place, or none: zero stays zero digits.
        let none = Digits { digits: [0; 800], count: 0, point: -decimals };
        if keep < 0 {
            return none;
        }
        // The number is 0.d1d2… of the last place: halves are rounded to the even 0.
        let first = shortest.digits[0];
        let above = first > b'5' || (first == b'5' && Digits::from_exponent(x, Some(790)).count > 1);
        if above {
            let mut one = none;
            one.digits[0] = b'1';
            one.count = 1;
            one.point = 1 - decimals;
            return one;
        }
        none
    }

    fn digits(&self) -> &[u8] {
        &self.digits[..self.count]
    }
}

/// Text with exactly `decimals` digits behind the point. Infinite numbers and those that are none: `0`.
pub fn fixed(x: f64, decimals: u32) -> Text {
    let mut out = Text::new(MAX_TEXT);
    if !x.is_finite() {
        out.push(b'0');
        return out;
    }
    let found = Digits::with_decimals(x.abs(), decimals as i32);
    let (digits, point) = (found.digits(), found.point);
    if x.is_sign_negative() {
        out.push(b'-');
    }
    if point <= 0 {
        out.push(b'0');
        out.push(b'.');
        out.fill(b'0', -point as usize);
    }
    let count = digits.len() as i32;
    for (i, &digit) in (1..).zip(digits) {
        out.push(digit);
        if i == point && i < count {
            out.push(b'.');
        }
    }
    out.fill(b'0', (point - count).max(0) as usize);
    if decimals > 0 {
        if count <= point {
            out.push(b'.');
        }
        out.fill(b'0', (decimals as i32 - (count - point).max(0)).max(0) as usize);
    }
    out
}

/// Digits that a `float` keeps for certain.
const FLOAT_DIGITS: i32 = 6;
/// Digits that a `double` keeps for certain: numbers further than that from the point are written with an exponent.
const DOUBLE_DIGITS: i32 = 15;

/// Text of at most `width` bytes with as many digits as fit; `float`: six digits at most. When not even one fits, the
/// text is cut. Infinite numbers and those that are none: `0`.
pub fn general(x: f64, float: bool, width: i32) -> Text {
    let mut out = Text::new(width.max(0) as usize);
    if !x.is_finite() {
        let mut zero = Text::new(1);
        zero.push(b'0');
        return zero;
    }
    let mut width = if x < 0.0 { width - 1 } else { width };
    let (value, negative) = (x.abs(), x.is_sign_negative());
    let found = Digits::of(value, if float { width.min(FLOAT_DIGITS) } else { width });
    let (count, point) = (found.count as i32, found.point);
    let exponent_digits = 1 + i32::from(point >= 101 || point <= -99) + i32::from(point >= 11 || point <= -9);
    let plain_length = match point {
        ..=0 => count - point + 2,
        _ if point < count => count + 1,
        _ => point,
    };
    let fits = plain_length <= width;
    // In plain notation not one digit would be left, in exponent notation there is room.
    let must_have_exponent = point <= 0 && width <= 2 - point && width >= 3 + exponent_digits;
    let plain_is_better = point <= width && (point >= -1 || point == -2 && (count > 1 || !must_have_exponent));
    let close_to_point = point > -DOUBLE_DIGITS && (point <= DOUBLE_DIGITS || count > point);
    if if fits { close_to_point } else { plain_is_better && !must_have_exponent } {
        plain(value, negative, found, width, &mut out);
        return out;
    }
    let exponent_negative = point < 1;
    if exponent_negative {
        width -= 1;
    }
    width -= 1 + exponent_digits + i32::from(count > 1);
    let found = if width.max(0) < count { Digits::of(value, width.max(0)) } else { found };
    if negative {
        out.push(b'-');
    }
    out.push(found.digits()[0]);
    if found.count > 1 {
        out.push(b'.');
        found.digits()[1..].iter().for_each(|&digit| out.push(digit));
    }
    out.push(b'e');
    if exponent_negative {
        out.push(b'-');
    }
    let exponent = (found.point - 1).unsigned_abs();
    let _ = write!(out, "{exponent}");
    out
}

/// The number in plain notation, cut to `width` by rounding.
fn plain(value: f64, negative: bool, mut found: Digits, mut width: i32, out: &mut Text) {
    let point = found.point;
    width -= i32::from(point < found.count as i32) + if point <= 0 { 1 - point } else { 0 };
    if width < found.count as i32 {
        found = Digits::with_decimals(value, width.max(point) - point);
    }
    let (digits, point) = (found.digits(), found.point);
    let count = digits.len() as i32;
    if count == 0 {
        // Even where there is no room for it.
        out.limit = out.limit.max(out.length + 1);
        out.push(b'0');
        return;
    }
    if negative {
        out.push(b'-');
    }
    if point <= 0 {
        out.push(b'0');
        out.push(b'.');
        out.fill(b'0', -point as usize);
    }
    for (i, &digit) in (1..).zip(digits) {
        out.push(digit);
        if i == point && i < count {
            out.push(b'.');
        }
    }
    out.fill(b'0', (point - count).max(0) as usize);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_texts_as_near_the_even_one_is_written() {
        let whole = 1038154131137797.0;
        assert_eq!(general(whole + 0.25, false, 299).bytes(), b"1038154131137797.2");
        assert_eq!(general(whole + 0.75, false, 299).bytes(), b"1038154131137797.8");
    }

    #[test]
    fn no_width_is_exceeded_and_nothing_panics() {
        let values =
            [0.0, -0.0, 5e-324, 1e-5, 0.1, 9.5, 99999.5, 123456789.123, 1e15, 1e16, 1.5e300, f64::MAX, f64::NAN];
        for value in values.into_iter().flat_map(|value| [value, -value]) {
            for width in -1..30 {
                let text = general(value, width % 2 == 0, width);
                assert!(text.bytes().len() <= width.max(1) as usize, "{value} in {width}");
            }
            for decimals in 0..31 {
                assert!(fixed(value, decimals).bytes().len() < MAX_TEXT);
            }
        }
    }
}
