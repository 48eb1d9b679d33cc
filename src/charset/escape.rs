//! Escaping for SQL string literals, byte for byte as the originals do it.
//!
//! Blocks without anything special are found 32 bytes at a time and copied; UTF-8 is validated in large pieces, after
//! which its bytes above 0x7f need no further look. Nothing is written beyond the result and the NUL behind it, so that
//! a caller's buffer that is just large enough stays enough.

use wide::u8x16;

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
    let scheme = charset.scheme;
    let mut rest = from;
    while !rest.is_empty() {
        let plain = plain_prefix(rest, scheme, family);
        escape_plain(&mut out, &rest[..plain])?;
        rest = &rest[plain..];
        // Here stands a byte above 0x7f that a scheme of several bytes has to judge, or nothing.
        while let Some(&first) = rest.first().filter(|first| **first >= 0x80) {
            let valid = scheme.valid(rest, family);
            if valid > 0 {
                out.copy(&rest[..valid])?;
                rest = &rest[valid..];
                if matches!(scheme, Scheme::Utf8mb3 | Scheme::Utf8mb4) {
                    break;
                }
            } else {
                if scheme.needs_guard(rest, family) {
                    out.push(b'\\')?;
                }
                out.push(first)?;
                rest = &rest[1..];
            }
        }
    }
    out.end()
}

/// Doubles the quote, for servers with NO_BACKSLASH_ESCAPES and for identifiers. Otherwise as [`backslashes`].
pub fn doubled(to: &mut [u8], from: &[u8], charset: &Charset, family: Family, quote: u8) -> Option<usize> {
    let mut out = Out { to, len: 0 };
    let scheme = charset.scheme;
    let mut rest = from;
    while let Some(at) = rest.iter().position(|byte| *byte == quote || *byte >= 0x80) {
        out.copy(&rest[..at])?;
        rest = &rest[at..];
        match scheme.valid(rest, family) {
            0 if rest[0] == quote => {
                out.copy(&[quote, quote])?;
                rest = &rest[1..];
            }
            valid => {
                let valid = valid.max(1);
                out.copy(&rest[..valid])?;
                rest = &rest[valid..];
            }
        }
    }
    out.copy(rest)?;
    out.end()
}

/// The bytes at the start in which no byte above 0x7f needs a look.
fn plain_prefix(bytes: &[u8], scheme: Scheme, family: Family) -> usize {
    /// Validated at once: large enough for the vector code, small enough to stay in the nearest cache.
    const PIECE: usize = 8192;
    match scheme {
        Scheme::Single | Scheme::Ucs2 | Scheme::Utf16 | Scheme::Utf32 => bytes.len(),
        // Never guarded, and no byte of a character is special: see [`Scheme::needs_guard`].
        Scheme::Utf8mb3 | Scheme::Utf8mb4 if family == Family::MariaDb => bytes.len(),
        Scheme::Utf8mb4 => utf8_prefix(&bytes[..bytes.len().min(PIECE)]),
        Scheme::Utf8mb3 => {
            let piece = &bytes[..bytes.len().min(PIECE)];
            let three = if has_above(piece, 0xef) {
                piece.iter().position(|byte| *byte >= 0xf0).unwrap_or(piece.len())
            } else {
                piece.len()
            };
            utf8_prefix(&piece[..three])
        }
        _ => ascii_prefix(bytes),
    }
}

fn utf8_prefix(piece: &[u8]) -> usize {
    match simdutf8::compat::from_utf8(piece) {
        Ok(_) => piece.len(),
        Err(error) => error.valid_up_to(),
    }
}

fn has_above(piece: &[u8], limit: u8) -> bool {
    piece.iter().fold(0, |most, byte| most.max(*byte)) > limit
}

fn ascii_prefix(bytes: &[u8]) -> usize {
    let mut at = 0;
    for block in bytes.chunks_exact(32) {
        if !block.is_ascii() {
            break;
        }
        at += 32;
    }
    at + bytes[at..].iter().position(|byte| *byte >= 0x80).unwrap_or(bytes.len() - at)
}

/// Escapes bytes of which those above 0x7f are copied as they are.
fn escape_plain(out: &mut Out<'_>, from: &[u8]) -> Option<()> {
    // Bytes of `from` that are copied in one go when a special one is met: [start, at).
    let mut start = 0;
    let mut at = 0;
    while let Some(block) = from.get(at..at + 32).and_then(|block| <&[u8; 32]>::try_from(block).ok()) {
        let mut mask = specials(block);
        while mask != 0 {
            let special = at + mask.trailing_zeros() as usize;
            out.copy(&from[start..special])?;
            out.copy(&[b'\\', escaped(from[special])])?;
            start = special + 1;
            mask &= mask - 1;
        }
        at += 32;
    }
    for (index, byte) in from.iter().enumerate().skip(at) {
        let escaped = escaped(*byte);
        if escaped != 0 {
            out.copy(&from[start..index])?;
            out.copy(&[b'\\', escaped])?;
            start = index + 1;
        }
    }
    out.copy(&from[start..])
}

/// One bit for each byte of the block that needs a backslash.
fn specials(block: &[u8; 32]) -> u32 {
    let (low, high) = block.split_at(16);
    half(low) | half(high) << 16
}

#[inline(always)]
fn half(bytes: &[u8]) -> u32 {
    let Ok(bytes) = <[u8; 16]>::try_from(bytes) else {
        return 0;
    };
    let block = u8x16::from(bytes);
    let is = |byte: u8| block.simd_eq(u8x16::splat(byte));
    // Below 0x28 stand six of the seven; the seventh is the backslash. Most blocks of text hold neither.
    let any = is(0) | is(b'\n') | is(b'\r') | is(0x1a) | is(b'"') | is(b'\'') | is(b'\\');
    any.to_bitmask()
}

/// The letter behind the backslash; 0 for a byte that needs none.
fn escaped(byte: u8) -> u8 {
    match byte {
        0 => b'0',
        b'\n' => b'n',
        b'\r' => b'r',
        0x1a => b'Z',
        b'"' | b'\'' | b'\\' => byte,
        _ => 0,
    }
}

/// The caller's buffer; the last byte is kept for the NUL.
struct Out<'a> {
    to: &'a mut [u8],
    len: usize,
}

impl Out<'_> {
    #[inline]
    fn push(&mut self, byte: u8) -> Option<()> {
        *self.to.get_mut(self.len)? = byte;
        self.len += 1;
        Some(())
    }

    #[inline]
    fn copy(&mut self, bytes: &[u8]) -> Option<()> {
        let end = self.len + bytes.len();
        self.to.get_mut(self.len..end)?.copy_from_slice(bytes);
        self.len = end;
        Some(())
    }

    fn end(mut self) -> Option<usize> {
        self.push(0)?;
        Some(self.len - 1)
    }
}

#[cfg(test)]
#[path = "escape/tests.rs"]
mod tests;
