//! Escaping for SQL string literals, byte for byte as the originals do it.
//!
//! Blocks without anything special are found 64 bytes at a time and copied in runs; UTF-8 is validated in large pieces, after
//! which its bytes above 0x7f need no further look. Nothing is written beyond the result and the NUL behind it, so that
//! a caller's buffer that is just large enough stays enough.

use wide::u8x16;

use super::multibyte::{HEAD, LOOK, TAIL};
use super::{Charset, Scheme};
use crate::options::Family;

/// Escapes with backslashes: NUL, newline, carriage return, backslash, both quotes and Ctrl-Z.
///
/// Writes the result and a NUL behind it into `to` and returns the result's length; `2 * from.len() + 1` bytes always
/// suffice. `None` when `to` is too short: the original then returns `(unsigned long)-1`.
///
/// A byte that seems to begin a character of several bytes and does not gets a backslash too: see
/// [`Scheme::needs_guard`].
pub fn backslashes(to: &mut [u8], from: &[u8], charset: &Charset, family: Family) -> Option<usize> {
    let mut out = Out { to, len: 0 };
    match charset.scheme {
        Scheme::Single | Scheme::Ucs2 | Scheme::Utf16 | Scheme::Utf32 => single(&mut out, from)?,
        // Never guarded, and no byte of a character is special: see [`Scheme::needs_guard`].
        Scheme::Utf8mb3 | Scheme::Utf8mb4 if family == Family::MariaDb => single(&mut out, from)?,
        scheme @ (Scheme::Utf8mb3 | Scheme::Utf8mb4) => utf8(&mut out, from, scheme)?,
        scheme => several(&mut out, from, from.len(), scheme, family).map(|_| ())?,
    }
    out.end()
}

/// Doubles the quote, for servers with NO_BACKSLASH_ESCAPES and for identifiers. Otherwise as [`backslashes`].
pub fn doubled(to: &mut [u8], from: &[u8], charset: &Charset, family: Family, quote: u8) -> Option<usize> {
    let mut out = Out { to, len: 0 };
    let scheme = charset.scheme;
    let (mut start, mut at) = (0, 0);
    while let Some(&byte) = from.get(at) {
        if byte == quote {
            out.copy(&from[start..=at])?;
            start = at;
            at += 1;
        } else if byte < 0x80 {
            at += 1;
        } else {
            at += scheme.valid(&from[at..], family).max(1);
        }
    }
    out.copy(&from[start..])?;
    out.end()
}

/// Bytes that are characters by themselves, or whose characters need no look.
fn single(out: &mut Out<'_>, from: &[u8]) -> Option<()> {
    // What is copied in one go when a special byte is met: [start, at).
    let (mut start, mut at) = (0, 0);
    while let Some(block) = from.get(at..).and_then(|rest| rest.first_chunk::<BLOCK>()) {
        if may_be_special(block) {
            let mut mask = specials(block);
            while mask != 0 {
                let index = at + mask.trailing_zeros() as usize;
                mask &= mask - 1;
                let letter = escaped(from[index]);
                if letter != 0 {
                    out.copy_and_escape(&from[start..index], letter)?;
                    start = index + 1;
                }
            }
        }
        at += BLOCK;
    }
    for index in at..from.len() {
        let letter = escaped(from[index]);
        if letter != 0 {
            out.copy_and_escape(&from[start..index], letter)?;
            start = index + 1;
        }
    }
    out.copy(&from[start..])
}

/// UTF-8 of libmysqlclient: valid pieces have no byte above 0x7f that needs a look.
fn utf8(out: &mut Out<'_>, from: &[u8], scheme: Scheme) -> Option<()> {
    /// Validated at once: large enough for the vector code, small enough to stay in the nearest cache.
    const PIECE: usize = 8192;
    /// How far the bytes behind a bad one are looked at singly; doubled with each, up to [`PIECE`], so that what is no
    /// text (blobs) is not validated over and over.
    const SINGLY: usize = 64;
    let mut rest = from;
    let mut singly = SINGLY;
    while !rest.is_empty() {
        let piece = if rest.len() > PIECE { whole_characters(&rest[..PIECE]) } else { rest };
        let good = utf8_prefix(piece, scheme);
        single(out, &rest[..good])?;
        rest = &rest[good..];
        if good == piece.len() {
            singly = SINGLY;
        } else {
            let done = several(out, rest, singly, scheme, Family::MySql)?;
            rest = &rest[done..];
            singly = (singly * 2).min(PIECE);
        }
    }
    Some(())
}

/// The piece without a character at its end that may go on behind it.
fn whole_characters(piece: &[u8]) -> &[u8] {
    let tail = piece.iter().rev().take(4).position(|byte| byte & 0xc0 != 0x80);
    match tail {
        Some(tail) if piece[piece.len() - tail - 1] >= 0xc0 => &piece[..piece.len() - tail - 1],
        _ => piece,
    }
}

/// The valid characters at the start.
fn utf8_prefix(piece: &[u8], scheme: Scheme) -> usize {
    let good = match simdutf8::basic::from_utf8(piece) {
        Ok(_) => piece.len(),
        Err(_) => simdutf8::compat::from_utf8(piece).map_or_else(|error| error.valid_up_to(), str::len),
    };
    // Characters of four bytes are valid UTF-8 and not utf8mb3.
    if scheme == Scheme::Utf8mb3 && piece[..good].iter().fold(0, |most, byte| most.max(*byte)) >= 0xf0 {
        return piece.iter().position(|byte| *byte >= 0xf0).unwrap_or(good);
    }
    good
}

/// Character sets whose characters may hold bytes that look special. Stops at the first character at or behind `limit`
/// and says where that is.
fn several(out: &mut Out<'_>, from: &[u8], limit: usize, scheme: Scheme, family: Family) -> Option<usize> {
    let limit = limit.min(from.len());
    let kinds = scheme.kinds(family);
    let kind = |at: usize| from.get(at).map_or(0, |byte| kinds[usize::from(*byte)]);
    let (mut start, mut at) = (0, 0);
    while at < limit {
        // Plain ASCII is skipped by blocks.
        while let Some(block) = from[at..limit].first_chunk::<BLOCK>() {
            if !is_plain(block) {
                break;
            }
            at += BLOCK;
        }
        let end = (at + BLOCK).min(limit);
        while at < end {
            let first = kind(at);
            if first & (HEAD | LOOK) == 0 {
                at += 1;
                continue;
            }
            if first & HEAD != 0 && kind(at + 1) & TAIL != 0 {
                at += 2;
                continue;
            }
            let byte = from[at];
            let letter = if byte < 0x80 {
                escaped(byte)
            } else {
                let valid = scheme.valid(&from[at..], family);
                if valid > 0 {
                    at += valid;
                    continue;
                }
                if scheme.needs_guard(&from[at..], family) { byte } else { 0 }
            };
            if letter != 0 {
                out.copy_and_escape(&from[start..at], letter)?;
                start = at + 1;
            }
            at += 1;
        }
    }
    out.copy(&from[start..at])?;
    Some(at)
}

/// Bytes that are looked at together.
const BLOCK: usize = 64;

/// Quarters of a block as vectors.
#[inline(always)]
fn vectors(block: &[u8; BLOCK]) -> [u8x16; 4] {
    let quarter = |n: usize| {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&block[16 * n..16 * n + 16]);
        u8x16::from(bytes)
    };
    [quarter(0), quarter(1), quarter(2), quarter(3)]
}

/// Zero where a byte may need a backslash. Cheaper than the exact question: zero for other control characters up to 0x1f,
/// for `#` and for `&` as well.
#[inline(always)]
fn suspects(bytes: u8x16) -> u8x16 {
    // What is up to 0x1a becomes 0; both quotes, 8 and 13, differ from it in three bits only.
    let control_or_quote = bytes.saturating_sub(u8x16::splat(0x1a)) & u8x16::splat(!0b1101);
    control_or_quote.min(bytes ^ u8x16::splat(b'\\'))
}

/// One bit for each zero.
#[inline(always)]
fn zeros(bytes: u8x16) -> u64 {
    u64::from(bytes.simd_eq(u8x16::splat(0)).to_bitmask())
}

/// False for blocks without a byte that needs a backslash.
#[inline(always)]
fn may_be_special(block: &[u8; BLOCK]) -> bool {
    let [a, b, c, d] = vectors(block).map(suspects);
    zeros(a.min(b).min(c.min(d))) != 0
}

/// True for blocks of ASCII without a suspect.
#[inline(always)]
fn is_plain(block: &[u8; BLOCK]) -> bool {
    let [a, b, c, d] = vectors(block);
    // The bit mask is made of highest bits: those of bytes above 0x7f.
    (a | b | c | d).to_bitmask() == 0 && !may_be_special(block)
}

/// One bit for each suspect of the block.
#[inline(always)]
fn specials(block: &[u8; BLOCK]) -> u64 {
    let [a, b, c, d] = vectors(block).map(|bytes| zeros(suspects(bytes)));
    a | b << 16 | c << 32 | d << 48
}

/// The letter behind the backslash; 0 for a byte that needs none.
#[inline]
fn escaped(byte: u8) -> u8 {
    LETTERS[usize::from(byte)]
}

static LETTERS: [u8; 256] = {
    let mut letters = [0; 256];
    letters[0] = b'0';
    letters[b'\n' as usize] = b'n';
    letters[b'\r' as usize] = b'r';
    letters[0x1a] = b'Z';
    letters[b'"' as usize] = b'"';
    letters[b'\'' as usize] = b'\'';
    letters[b'\\' as usize] = b'\\';
    letters
};

/// The caller's buffer; the last byte is kept for the NUL.
struct Out<'a> {
    to: &'a mut [u8],
    len: usize,
}

impl Out<'_> {
    #[inline]
    fn copy(&mut self, bytes: &[u8]) -> Option<()> {
        let end = self.len + bytes.len();
        self.to.get_mut(self.len..end)?.copy_from_slice(bytes);
        self.len = end;
        Some(())
    }

    /// The bytes, a backslash, and the letter behind it.
    #[inline]
    fn copy_and_escape(&mut self, bytes: &[u8], letter: u8) -> Option<()> {
        let end = self.len + bytes.len();
        let to = self.to.get_mut(self.len..end + 2)?;
        let (run, escape) = to.split_at_mut(bytes.len());
        run.copy_from_slice(bytes);
        escape.copy_from_slice(&[b'\\', letter]);
        self.len = end + 2;
        Some(())
    }

    fn end(self) -> Option<usize> {
        *self.to.get_mut(self.len)? = 0;
        Some(self.len)
    }
}

#[cfg(test)]
#[path = "escape/tests.rs"]
mod tests;
