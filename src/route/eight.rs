//! Eight bytes of a text looked at in one step, for the lexer's two inner loops. Plain arithmetic on little-endian numbers.

const EACH: u64 = 0x0101_0101_0101_0101;
const TOP: u64 = 0x80 * EACH;

/// How many of eight bytes, from the lowest, are ASCII letters, digits or `_`.
#[inline(always)]
pub(super) fn plain_prefix(eight: u64) -> usize {
    // Without the top bit, sums cannot reach into the next byte; a sum's top bit says "at least".
    let low = eight & !TOP;
    let small = low | (0x20 * EACH);
    let letter = (small + (0x80 - b'a' as u64) * EACH) & !(small + (0x80 - b'z' as u64 - 1) * EACH);
    let digit = (low + (0x80 - b'0' as u64) * EACH) & !(low + (0x80 - b'9' as u64 - 1) * EACH);
    let underscore = !((low ^ (b'_' as u64 * EACH)) + 0x7f * EACH);
    let other = !((letter | digit | underscore) & !eight) & TOP;
    (other.trailing_zeros() / 8) as usize
}

/// How many of eight bytes, from the lowest, are neither `a` nor `b`.
#[inline(always)]
pub(super) fn prefix_without(eight: u64, a: u8, b: u8) -> usize {
    // The lowest byte that is zero is found exactly; bytes above it may be wrong.
    let zero = |value: u64| value.wrapping_sub(EACH) & !value & TOP;
    let found = zero(eight ^ (u64::from(a) * EACH)) | zero(eight ^ (u64::from(b) * EACH));
    (found.trailing_zeros() / 8) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bytes_at_once_are_the_table() {
        for byte in 0..=255u8 {
            let plain = byte.is_ascii_alphanumeric() || byte == b'_';
            for at in 0..8 {
                let mut eight = *b"aZ_09zA_";
                eight[at] = byte;
                let expected = if plain { 8 } else { at };
                assert_eq!(plain_prefix(u64::from_le_bytes(eight)), expected, "{byte:#x} at {at}");
                for (a, b) in [(b'\'', b'\\'), (b'`', b'`'), (byte, b'"')] {
                    let expected = eight.iter().position(|x| *x == a || *x == b).unwrap_or(8);
                    assert_eq!(prefix_without(u64::from_le_bytes(eight), a, b), expected, "{byte:#x} at {at}");
                }
            }
        }
    }
}
