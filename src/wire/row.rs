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
    let mut rest = row;
    let mut form = Form::Canonical;
    for longest in longest.iter_mut() {
        let (&first, tail) = rest.split_first().ok_or(Malformed)?;
        if first < NULL {
            let length = usize::from(first);
            rest = tail.get(length..).ok_or(Malformed)?;
            *longest = (*longest).max(c_ulong::from(first));
        } else if first == NULL {
            rest = tail;
        } else {
            let (length, after, shortest) = long(rest)?;
            rest = after;
            *longest = (*longest).max(length as c_ulong);
            if !shortest {
                form = Form::Loose;
            }
        }
    }
    if rest.is_empty() { Ok(form) } else { Err(Malformed) }
}

/// A value whose length takes more than one byte: its length, what follows it, whether the form is the shortest.
#[cold]
fn long(bytes: &[u8]) -> Result<(usize, &[u8], bool), Malformed> {
    let mut reader = Reader::new(bytes);
    let length = reader.lenenc()?;
    let shortest = reader.position() == super::reader::lenenc_size(length);
    let length = usize::try_from(length).map_err(|_| Malformed)?;
    reader.bytes(length)?;
    Ok((length, reader.rest(), shortest))
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
