//! DECIMAL values of rows: nine digits in four bytes, highest first, negative ones with every bit turned.

use super::{Cursor, Malformed};

/// Digits in a whole word.
const WORD: usize = 9;
/// Bytes of so many digits.
const BYTES: [usize; WORD + 1] = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4];

/// Takes a value off, as text. `precision` and `scale` are numbers of digits: all, and those behind the point.
pub fn read(cursor: &mut Cursor<'_>, precision: u8, scale: u8) -> Result<String, Malformed> {
    if !(1..=65).contains(&precision) || scale > 30 || scale > precision {
        return Err(Malformed);
    }
    let (whole, fraction) = (usize::from(precision - scale), usize::from(scale));
    let size = |digits: usize| digits / WORD * 4 + BYTES[digits % WORD];
    let bytes = cursor.take(size(whole) + size(fraction))?;
    let first = *bytes.first().ok_or(Malformed)?;
    let negative = first & 0x80 == 0;
    let turned: Vec<u8> = bytes.iter().map(|byte| if negative { !byte } else { *byte }).collect();
    let mut words = turned;
    if let Some(first) = words.first_mut() {
        *first ^= 0x80;
    }
    let mut words = Cursor::new(&words, 0);
    let mut digits = String::with_capacity(usize::from(precision) + 3);
    // Before the point the word that is not whole comes first, behind it last.
    let mut put = |count: usize| -> Result<(), Malformed> {
        if count > 0 {
            let number = words.number_from_the_top(BYTES[count])?;
            let text = format!("{number:0count$}");
            if text.len() > count {
                return Err(Malformed);
            }
            digits.push_str(&text);
        }
        Ok(())
    };
    put(whole % WORD)?;
    for _ in 0..whole / WORD {
        put(WORD)?;
    }
    for _ in 0..fraction / WORD {
        put(WORD)?;
    }
    put(fraction % WORD)?;
    let (whole, fraction) = digits.split_at(whole);
    // As Connector/C: no digit where there is none.
    let whole = match whole.trim_start_matches('0') {
        "" if fraction.is_empty() => "0",
        whole => whole,
    };
    let sign = if negative { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    Ok(format!("{sign}{whole}{point}{fraction}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], precision: u8, scale: u8) -> Result<String, Malformed> {
        read(&mut Cursor::new(bytes, 0), precision, scale)
    }

    #[test]
    fn digits_are_those_that_the_server_wrote() {
        // 1234567890.1234 and its negative as DECIMAL(14,4), from the servers' own description.
        assert_eq!(text(&[0x81, 0x0D, 0xFB, 0x38, 0xD2, 0x04, 0xD2], 14, 4).as_deref(), Ok("1234567890.1234"));
        assert_eq!(text(&[0x7E, 0xF2, 0x04, 0xC7, 0x2D, 0xFB, 0x2D], 14, 4).as_deref(), Ok("-1234567890.1234"));
        assert_eq!(text(&[0x80, 0x00, 0x00], 5, 2).as_deref(), Ok(".00"));
        assert_eq!(text(&[0x80, 0x0C, 0x22], 5, 2).as_deref(), Ok("12.34"));
        assert_eq!(text(&[0x80], 1, 0).as_deref(), Ok("0"));
        assert_eq!(text(&[0x87], 1, 1).as_deref(), Ok(".7"));
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(text(&[0x80, 0x00], 5, 2), Err(Malformed));
        assert_eq!(text(&[0xFF, 0xFF], 1, 2), Err(Malformed));
        assert_eq!(text(&[0xFF; 40], 66, 0), Err(Malformed));
        assert_eq!(text(&[0xFF; 4], 9, 0), Err(Malformed), "more than nine digits");
    }
}
