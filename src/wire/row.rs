//! A text row: for each column a length and so many bytes, or `FB` for NULL.

use std::ffi::c_ulong;

use super::{Malformed, reader::Reader};

/// First byte of a NULL value.
pub const NULL: u8 = 0xFB;

/// Whether every length of a row has its shortest form, as real servers write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Yes: lengths can be found again from the ends of the values.
    Canonical,
    /// No: [`canonical`] makes it so.
    Loose,
}

/// Checks a row of `longest.len()` columns to its last byte and raises `longest` to the lengths of its values.
#[inline]
pub fn scan(row: &[u8], longest: &mut [c_ulong]) -> Result<Form, Malformed> {
    let mut form = Form::Canonical;
    let mut at = 0;
    for longest in longest.iter_mut() {
        let &first = row.get(at).ok_or(Malformed)?;
        if first < NULL {
            // May lead beyond the end, which the next column or the end of the loop finds.
            at += 1 + usize::from(first);
            if *longest < c_ulong::from(first) {
                *longest = c_ulong::from(first);
            }
        } else if first == NULL {
            at += 1;
        } else {
            let (length, after, shortest) = long(row, at)?;
            at = after;
            *longest = (*longest).max(length as c_ulong);
            if !shortest {
                form = Form::Loose;
            }
        }
    }
    if at == row.len() { Ok(form) } else { Err(Malformed) }
}

/// The row ends within the length of a value.
#[cold]
pub fn length_is_cut(row: &[u8]) -> bool {
    let mut reader = Reader::new(row);
    while !reader.is_empty() {
        if reader.rest().first() == Some(&NULL) {
            let _ = reader.u8();
        } else {
            let mut length = reader;
            if length.lenenc().is_err() {
                return true;
            }
            if reader.lenenc_bytes().is_err() {
                return false;
            }
        }
    }
    false
}

/// A value at `at` whose length takes more than one byte: its length, where it ends, whether the form is the shortest.
#[cold]
fn long(row: &[u8], at: usize) -> Result<(usize, usize, bool), Malformed> {
    let mut reader = Reader::new(row.get(at..).ok_or(Malformed)?);
    let length = reader.lenenc()?;
    let shortest = reader.position() == super::reader::lenenc_size(length);
    let length = usize::try_from(length).map_err(|_| Malformed)?;
    reader.bytes(length)?;
    Ok((length, at + reader.position(), shortest))
}

/// The same row with every length in its shortest form. `row` has passed [`scan`].
pub fn canonical(row: &[u8], columns: usize) -> Result<Vec<u8>, Malformed> {
    let mut reader = Reader::new(row);
    let mut out = Vec::with_capacity(row.len());
    for _ in 0..columns {
        if reader.rest().first() == Some(&NULL) {
            reader.u8()?;
            out.push(NULL);
        } else {
            super::reader::put_lenenc_bytes(&mut out, reader.lenenc_bytes()?);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_checked_and_the_longest_kept() {
        let mut longest = [0, 5, 0];
        assert_eq!(scan(b"\x01a\x02bc\xfb", &mut longest), Ok(Form::Canonical));
        assert_eq!(longest, [1, 5, 0]);
        for bad in [&b"\x01a\x02bc"[..], b"\x01a\x02b", b"\x01a\x02bc\xfbx", b"", b"\x01a\xff\xfb", b"\xfc\x01"] {
            assert_eq!(scan(bad, &mut [0; 3]), Err(Malformed), "{bad:?}");
        }
    }

    #[test]
    fn loose_lengths_are_made_canonical() {
        let loose = b"\xfc\x01\x00a\xfb\xfe\x02\x00\x00\x00\x00\x00\x00\x00bc";
        assert_eq!(scan(loose, &mut [0; 3]), Ok(Form::Loose));
        assert_eq!(canonical(loose, 3), Ok(b"\x01a\xfb\x02bc".to_vec()));
    }
}
