//! Values of program options as libmysqlclient reads them: switches, numbers with suffixes and limits, names of a list.
//!
//! Pure: text in, value out; what is to be said goes to a [`Tell`]. Must not touch the program's memory.

use super::tell::{Level, Tell, general};

/// The type of an integer option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integer {
    /// 32 bits, signed.
    Int,
    /// 32 bits, unsigned.
    Uint,
    /// 64 bits, signed: `GET_LONG` and `GET_LL`.
    Long,
    /// 64 bits, unsigned: `GET_ULONG` and `GET_ULL`.
    Ulong,
}

impl Integer {
    fn signed(self) -> bool {
        matches!(self, Integer::Int | Integer::Long)
    }

    fn most(self) -> u64 {
        match self {
            Integer::Int => i32::MAX as u64,
            Integer::Uint => u64::from(u32::MAX),
            Integer::Long => i64::MAX as u64,
            Integer::Ulong => u64::MAX,
        }
    }
}

/// What a number must be.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// The option's name, for messages.
    pub name: &'a [u8],
    /// Its type.
    pub integer: Integer,
    /// Smallest value; of an unsigned type the same bits.
    pub min: i64,
    /// Largest value, 0 for none.
    pub max: u64,
    /// Values are cut to multiples of it; 0 and 1 for any.
    pub block: i64,
}

/// The value is none; the option cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It is not one of the option's values.
    Invalid,
    /// It begins several names of the list.
    Ambiguous,
    /// It is no number.
    NoNumber,
}

/// A switch: true, on, 1, false, off, 0 in any case of letters.
pub fn switch(text: &[u8]) -> Option<bool> {
    let is = |words: [&str; 3]| words.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()));
    match () {
        () if is(["true", "on", "1"]) => Some(true),
        () if is(["false", "off", "0"]) => Some(false),
        () => None,
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | 9..=13)
}

/// What `strtoll` and `strtoull` find: the sign, the digits' value, and what follows. Without digits nothing is taken.
fn leading_number(text: &[u8]) -> (bool, u128, &[u8]) {
    let start = text.iter().take_while(|b| is_space(**b)).count();
    let (negative, signs) = match text.get(start) {
        Some(b'-') => (true, 1),
        Some(b'+') => (false, 1),
        _ => (false, 0),
    };
    let digits = &text[start + signs..];
    let count = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    if count == 0 {
        return (false, 0, text);
    }
    let more = |value: u128, digit: &u8| value.saturating_mul(10).saturating_add(u128::from(digit - b'0'));
    (negative, digits[..count].iter().fold(0, more), &digits[count..])
}

/// A number with an optional K, M, G, T, P or E behind it; what follows the letter is not looked at. The bits of a signed
/// value, or the text of what is wrong.
fn suffixed(text: &[u8], signed: bool, name: &[u8]) -> Result<u64, Vec<u8>> {
    let (negative, magnitude, rest) = leading_number(text);
    let largest = match (signed, negative) {
        (false, _) => u128::from(u64::MAX),
        (true, false) => i64::MAX as u128,
        (true, true) => 1 << 63,
    };
    let sign = |magnitude: u64| if negative { magnitude.wrapping_neg() } else { magnitude };
    let too_large = || {
        let kind: &[u8] = if signed { b"integer" } else { b"unsigned integer" };
        [b"Incorrect ", kind, b" value: '", text, b"'."].concat()
    };
    let Ok(value) = u64::try_from(magnitude.min(largest + 1)) else { return Err(too_large()) };
    if magnitude > largest {
        return Err(too_large());
    }
    let Some(&suffix) = rest.first() else { return Ok(sign(value)) };
    // The smallest number has no positive twin.
    if signed && negative && magnitude == largest {
        return Err(too_large());
    }
    let shift = match suffix.to_ascii_lowercase() {
        b'k' => 10,
        b'm' => 20,
        b'g' => 30,
        b't' => 40,
        b'p' => 50,
        b'e' => 60,
        _ => {
            let parts = [b"Unknown suffix '", &rest[..1], b"' used for variable '", name, b"' (value '", text, b"')."];
            return Err(parts.concat());
        }
    };
    let shifted = u128::from(value) << shift;
    if shifted > largest { Err(too_large()) } else { Ok(sign(shifted as u64)) }
}

/// An integer, limited as the option says, as bits. `lower` is shown the number before the limits, if it is one.
///
/// As the original the value is limited, and may be said to be, although the text was wrong; then it is 0.
pub fn integer(
    text: &[u8],
    limits: &Limits<'_>,
    lower: &mut dyn FnMut(u64),
    tell: &mut dyn Tell,
) -> (u64, Result<(), Wrong>) {
    let signed = limits.integer.signed();
    let negative = text.iter().find(|b| !is_space(**b)) == Some(&b'-');
    let (number, result) = if !signed && negative {
        adjusted(tell, limits.name, "value", &String::from_utf8_lossy(text), &(limits.min as u64).to_string());
        (limits.min as u64, Ok(()))
    } else {
        match suffixed(text, signed, limits.name) {
            Ok(number) => (number, Ok(())),
            Err(message) => {
                tell.tell(Level::Error, &message);
                (0, Err(Wrong::NoNumber))
            }
        }
    };
    if result.is_ok() {
        lower(number);
    }
    (limited(number, limits, tell), result)
}

fn adjusted(tell: &mut dyn Tell, name: &[u8], what: &str, old: &str, new: &str) {
    let rest = format!("': {what} {old} adjusted to {new}.");
    tell.tell(Level::Warning, &[b"option '", name, rest.as_bytes()].concat());
}

/// A number within the option's limits; says so when it had to be changed for them.
pub fn limited(number: u64, limits: &Limits<'_>, tell: &mut dyn Tell) -> u64 {
    let (most, block) = (limits.integer.most(), limits.block as u64);
    let mut said = false;
    if limits.integer.signed() {
        let old = number as i64;
        let mut new = old;
        if new > 0 && new as u64 > limits.max && limits.max != 0 {
            (new, said) = (limits.max as i64, true);
        }
        if new > most as i64 {
            (new, said) = (most as i64, true);
        }
        // Unsigned, as the original reckons: negative numbers have to be multiples of a power of two.
        let block = if block == 0 { 1 } else { block };
        new = ((new as u64 / block).wrapping_mul(block)) as i64;
        if new < limits.min {
            said |= old < limits.min;
            new = limits.min;
        }
        if said {
            adjusted(tell, limits.name, "signed value", &old.to_string(), &new.to_string());
        }
        return new as u64;
    }
    let mut new = number;
    for most in [limits.max, most] {
        if new > most && most != 0 {
            (new, said) = (most, true);
        }
    }
    if limits.block > 1 {
        new = new / block * block;
    }
    if new < limits.min as u64 {
        said |= number < limits.min as u64;
        new = limits.min as u64;
    }
    if said {
        adjusted(tell, limits.name, "unsigned value", &number.to_string(), &new.to_string());
    }
    new
}

/// A decimal number within limits, whose bits are in the option; `lower` as in [`integer`].
pub fn double(
    text: &[u8],
    (name, min, max): (&[u8], f64, f64),
    lower: &mut dyn FnMut(f64),
    tell: &mut dyn Tell,
) -> (f64, Result<(), Wrong>) {
    let text = &text[text.iter().take_while(|b| is_space(**b)).count()..];
    // Rust knows more spellings: inf, nan.
    let plain = text.iter().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
    let number = std::str::from_utf8(text).ok().filter(|_| plain).and_then(|text| text.parse::<f64>().ok());
    let Some(old) = number.filter(|number| number.is_finite()) else {
        tell.tell(Level::Error, &[b"Invalid decimal value for option '", name, b"'."].concat());
        return (0.0, Err(Wrong::NoNumber));
    };
    lower(old);
    let (mut new, mut said) = (old, false);
    if max != 0.0 && new > max {
        (new, said) = (max, true);
    }
    if new < min {
        (new, said) = (min, true);
    }
    if said {
        adjusted(tell, name, "value", &general(old), &general(new));
    }
    (new, Ok(()))
}

/// The place in `names` of the name that `text` is, or that it alone begins. With `list` the name ends at `,` or `=`, and
/// the last one only may be shortened.
fn find(text: &[u8], names: &[&[u8]], list: bool) -> Result<Option<usize>, Wrong> {
    let ends = |byte: u8| list && matches!(byte, b',' | b'=');
    let (mut found, mut count) = (0, 0);
    for (place, name) in names.iter().enumerate() {
        let same = |(a, b): &(&u8, &u8)| !ends(**a) && a.eq_ignore_ascii_case(b);
        let length = text.iter().zip(name.iter()).take_while(same).count();
        let mut rest = &text[length..];
        if length == name.len() {
            rest = &rest[rest.iter().take_while(|b| **b == b' ').count()..];
            if rest.first().is_none_or(|byte| ends(*byte)) {
                return Ok(Some(place));
            }
        }
        if rest.is_empty() {
            (found, count) = (place, count + 1);
        }
    }
    match count {
        0 => Ok(None),
        _ if text.is_empty() => Ok(None),
        1 => Ok(Some(found)),
        _ => Err(Wrong::Ambiguous),
    }
}

/// One of `names`, by name, by the beginning of one, or by number from 0. `count` is the list's own.
pub fn one_of(text: &[u8], names: &[&[u8]], count: u64) -> Result<u64, Wrong> {
    if let Some(place) = find(text, names, false)? {
        return Ok(place as u64);
    }
    let (negative, number, rest) = leading_number(text);
    let number = u64::try_from(number).unwrap_or(u64::MAX);
    let number = if negative { number.wrapping_neg() } else { number };
    if rest.is_empty() && number < count { Ok(number) } else { Err(Wrong::Invalid) }
}

/// Some of `names` with commas between, as bits, or the bits as a number.
pub fn some_of(text: &[u8], names: &[&[u8]], count: u64) -> Result<u64, Wrong> {
    if count == 0 {
        return Ok(0);
    }
    let (mut bits, mut rest) = (0u64, text);
    while !rest.is_empty() {
        let Ok(Some(place)) = find(rest, names, true) else {
            let (negative, number, rest) = leading_number(text);
            let number = i64::try_from(number).unwrap_or(i64::MAX);
            let number = if negative { number.wrapping_neg() } else { number } as u64;
            let allowed = 1u64.checked_shl(count as u32 - 1).unwrap_or(u64::MAX);
            return if rest.is_empty() && number >> 1 < allowed { Ok(number) } else { Err(Wrong::Invalid) };
        };
        bits |= 1u64.checked_shl(place as u32).unwrap_or(0);
        let end = rest.iter().position(|b| matches!(b, b',' | b'=')).unwrap_or(rest.len());
        // A separator at the end stays, and is no name.
        rest = &rest[if rest.len() > end + 1 { end + 1 } else { end }..];
    }
    Ok(bits)
}

/// Settings of single flags: `name=on,name=off,name=default`, and once `default`, the last of `names`, for all others.
/// With a mistake what stands before it counts.
pub fn flags(text: &[u8], names: &[&[u8]], count: u64, (now, default): (u64, u64)) -> (u64, Result<(), Wrong>) {
    let mut wanted = Wanted::default();
    let result = wanted.read(text, names, count, default);
    let base = if wanted.defaults { default } else { now };
    ((base | wanted.set) & !wanted.clear, result)
}

#[derive(Default)]
struct Wanted {
    set: u64,
    clear: u64,
    /// All others as they are by default.
    defaults: bool,
}

impl Wanted {
    fn read(&mut self, text: &[u8], names: &[&[u8]], count: u64, default: u64) -> Result<(), Wrong> {
        const STATES: [&[u8]; 3] = [b"off", b"on", b"default"];
        let after = |text: &[u8]| text.iter().position(|b| matches!(b, b',' | b'=')).unwrap_or(text.len());
        let mut rest = text;
        while !text.is_empty() {
            let place = find(rest, names, true).ok().flatten().ok_or(Wrong::Invalid)?;
            rest = &rest[after(rest)..];
            if place as u64 + 1 == count {
                if std::mem::replace(&mut self.defaults, true) {
                    return Err(Wrong::Invalid);
                }
            } else {
                let bit = 1u64.checked_shl(place as u32).unwrap_or(0);
                let twice = (self.set | self.clear) & bit != 0;
                let state = rest.strip_prefix(b"=").filter(|_| !twice).ok_or(Wrong::Invalid)?;
                match find(state, &STATES, true) {
                    Ok(None) => return Err(Wrong::Invalid),
                    Ok(Some(0)) => self.clear |= bit,
                    Ok(Some(1)) => self.set |= bit,
                    // What is ambiguous counts as default, too.
                    Ok(Some(_)) | Err(_) if default & bit != 0 => self.set |= bit,
                    Ok(Some(_)) | Err(_) => self.clear |= bit,
                }
                rest = &state[after(state)..];
            }
            match rest.first() {
                None => break,
                Some(b',') => rest = &rest[1..],
                Some(_) => return Err(Wrong::Invalid),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[derive(Default)]
    struct Heard(Vec<String>);

    impl Tell for Heard {
        fn tell(&mut self, _level: Level, text: &[u8]) {
            self.0.push(String::from_utf8_lossy(text).into_owned());
        }
    }

    fn limits(integer: Integer) -> Limits<'static> {
        Limits { name: b"x", integer, min: 0, max: 0, block: 0 }
    }

    #[test]
    fn suffixes_multiply_and_overflow_is_told() {
        let mut heard = Heard::default();
        let mut read = |text: &str| integer(text.as_bytes(), &limits(Integer::Ulong), &mut |_| {}, &mut heard);
        assert_eq!(read("3k"), (3 << 10, Ok(())));
        assert_eq!(read("15E"), (15 << 60, Ok(())));
        assert_eq!(read("16E"), (0, Err(Wrong::NoNumber)));
        assert_eq!(read("1kB"), (1024, Ok(())), "what follows the letter does not count");
        assert_eq!(read("x"), (0, Err(Wrong::NoNumber)));
        assert_eq!(heard.0[1], "Unknown suffix 'x' used for variable 'x' (value 'x').");
    }

    #[test]
    fn limits_are_applied_and_told() {
        let mut heard = Heard::default();
        let strict = Limits { min: 3, max: 100, block: 10, ..limits(Integer::Uint) };
        assert_eq!(limited(57, &strict, &mut heard), 50, "cutting to a block is not told");
        assert_eq!(limited(9, &strict, &mut heard), 3);
        assert!(heard.0.is_empty());
        assert_eq!(limited(200, &strict, &mut heard), 100);
        assert_eq!(heard.0, ["option 'x': unsigned value 200 adjusted to 100."]);
        let below = Limits { min: -10, ..limits(Integer::Int) };
        assert_eq!(limited(-11i64 as u64, &below, &mut heard) as i64, -10);
        assert_eq!(heard.0[1], "option 'x': signed value -11 adjusted to -10.");
    }

    #[test]
    fn the_smallest_number_is_one_but_has_no_suffix() {
        let mut heard = Heard::default();
        let wide = Limits { min: i64::MIN, ..limits(Integer::Long) };
        let mut read = |text: &str| integer(text.as_bytes(), &wide, &mut |_| {}, &mut heard);
        assert_eq!(read("-9223372036854775808"), (1 << 63, Ok(())));
        assert_eq!(read("-8e"), (1 << 63, Ok(())));
        assert_eq!(read("-9223372036854775808k"), (0, Err(Wrong::NoNumber)));
        assert_eq!(read("9223372036854775808"), (0, Err(Wrong::NoNumber)));
    }

    const COLORS: [&[u8]; 4] = [b"red", b"green", b"greenish", b"blue"];

    #[test]
    fn names_may_be_shortened_and_numbered() {
        assert_eq!(one_of(b"GREEN", &COLORS, 4), Ok(1));
        assert_eq!(one_of(b"gre", &COLORS, 4), Err(Wrong::Ambiguous));
        assert_eq!(one_of(b"b", &COLORS, 4), Ok(3));
        assert_eq!(one_of(b"2", &COLORS, 4), Ok(2));
        assert_eq!(one_of(b"4", &COLORS, 4), Err(Wrong::Invalid));
        assert_eq!(one_of(b"", &[b"a"], 1), Ok(0), "the empty text is the number 0");
        assert_eq!(some_of(b"red,blue", &COLORS, 4), Ok(9));
        assert_eq!(some_of(b"15", &COLORS, 4), Ok(15));
        assert_eq!(some_of(b"16", &COLORS, 4), Err(Wrong::Invalid));
    }

    #[test]
    fn flags_are_set_one_by_one() {
        let names: [&[u8]; 4] = [b"one", b"two", b"three", b"default"];
        assert_eq!(flags(b"one=on,two=off", &names, 4, (2, 0)), (1, Ok(())));
        assert_eq!(flags(b"default,one=on", &names, 4, (2, 4)), (5, Ok(())));
        assert_eq!(flags(b"one=on,one=off", &names, 4, (2, 4)), (3, Err(Wrong::Invalid)));
        assert_eq!(flags(b"", &names, 4, (2, 4)), (2, Ok(())));
    }
}
