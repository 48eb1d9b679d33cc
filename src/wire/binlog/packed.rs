//! Compressed parts of events (`log_bin_compress`): a byte that says how long the length is, the length, and zlib's bytes.

use flate2::{Decompress, FlushDecompress, Status};

/// The largest text or set of rows that is unpacked, bytes.
const LARGEST: usize = 0xFF_FFFF;

/// Why it was not unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPacked;

/// Unpacks. What stands behind zlib's end is not looked at.
pub fn unpack(bytes: &[u8]) -> Result<Vec<u8>, NotPacked> {
    let (first, rest) = bytes.split_first().ok_or(NotPacked)?;
    // The only method that there is.
    if first & 0xE0 != 0x80 {
        return Err(NotPacked);
    }
    let size = usize::from(first & 7);
    let (length, packed) = rest.split_at_checked(size).ok_or(NotPacked)?;
    if size > 4 {
        return Err(NotPacked);
    }
    let length = length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
    if length == 0 || length > LARGEST {
        return Err(NotPacked);
    }
    let mut plain = Vec::new();
    plain.try_reserve_exact(length).map_err(|_| NotPacked)?;
    match Decompress::new(true).decompress_vec(packed, &mut plain, FlushDecompress::Finish) {
        Ok(Status::StreamEnd) if plain.len() == length => Ok(plain),
        _ => Err(NotPacked),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compress, Compression, FlushCompress};

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len() + 100);
        let mut zlib = Compress::new(Compression::default(), true);
        assert!(matches!(zlib.compress_vec(text, &mut out, FlushCompress::Finish), Ok(Status::StreamEnd)));
        [&[0x82][..], &(text.len() as u16).to_be_bytes(), &out].concat()
    }

    #[test]
    fn what_was_packed_comes_back() {
        let text = b"INSERT INTO t VALUES (1)".repeat(40);
        let mut bytes = packed(&text);
        assert_eq!(unpack(&bytes), Ok(text.clone()));
        bytes.extend_from_slice(b"sum!");
        assert_eq!(unpack(&bytes), Ok(text));
    }

    #[test]
    fn nonsense_is_refused() {
        let good = packed(b"abcabcabc");
        for cut in 0..good.len() {
            assert_eq!(unpack(&good[..cut]), Err(NotPacked), "{cut}");
        }
        for wrong in [&b"\x02\0\x09"[..], b"\x87\0\0\0\0\0\0\x09", b"\x81\0", b"\x84\xff\0\0\0"] {
            assert_eq!(unpack(wrong), Err(NotPacked));
        }
        let mut short = good.clone();
        short[2] -= 1;
        assert_eq!(unpack(&short), Err(NotPacked), "more than promised");
    }
}
