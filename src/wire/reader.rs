//! Checked reads from a packet: the only way in which the decoders of [`crate::wire`] touch bytes.

use super::Malformed;

/// A cursor over the bytes of one packet. No read goes beyond the end.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Starts at the first byte.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { all: bytes, at: 0 }
    }

    /// Starts behind the first `at` bytes.
    #[inline]
    pub fn from(bytes: &'a [u8], at: usize) -> Self {
        Reader { all: bytes, at }
    }

    /// Number of bytes read so far.
    #[inline]
    pub fn position(&self) -> usize {
        self.at
    }

    /// All that is left, without reading it.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.all.get(self.at..).unwrap_or_default()
    }

    /// True at the end.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.rest().is_empty()
    }

    /// The next `count` bytes.
    #[inline]
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let end = self.at.checked_add(count).ok_or(Malformed)?;
        let bytes = self.all.get(self.at..end).ok_or(Malformed)?;
        self.at = end;
        Ok(bytes)
    }

    /// The next `N` bytes.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let bytes = self.rest().first_chunk().ok_or(Malformed)?;
        self.at += N;
        Ok(*bytes)
    }

    /// One byte.
    #[inline]
    pub fn u8(&mut self) -> Result<u8, Malformed> {
        let byte = *self.all.get(self.at).ok_or(Malformed)?;
        self.at += 1;
        Ok(byte)
    }

    /// Two bytes, little-endian, as are all numbers of the protocol.
    #[inline]
    pub fn u16(&mut self) -> Result<u16, Malformed> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    /// Three bytes.
    pub fn u24(&mut self) -> Result<u32, Malformed> {
        let [a, b, c] = self.array()?;
        Ok(u32::from_le_bytes([a, b, c, 0]))
    }

    /// Four bytes.
    pub fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Eight bytes.
    pub fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A length-encoded integer. The markers of NULL (0xFB) and of an error (0xFF) are not integers.
    #[inline]
    pub fn lenenc(&mut self) -> Result<u64, Malformed> {
        match self.u8()? {
            first @ 0..=250 => Ok(u64::from(first)),
            252 => Ok(u64::from(self.u16()?)),
            253 => Ok(u64::from(self.u24()?)),
            254 => self.u64(),
            _ => Err(Malformed),
        }
    }

    /// A string with its length in front.
    #[inline]
    pub fn lenenc_bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let length = usize::try_from(self.lenenc()?).map_err(|_| Malformed)?;
        self.bytes(length)
    }

    /// A string up to a NUL, which is read too and not returned.
    pub fn nul_string(&mut self) -> Result<&'a [u8], Malformed> {
        let rest = self.rest();
        let length = rest.iter().position(|&b| b == 0).ok_or(Malformed)?;
        let (string, _) = rest.split_at_checked(length).ok_or(Malformed)?;
        self.at += length + 1;
        Ok(string)
    }

    /// A string up to a NUL or, where some servers leave the NUL out, up to the end.
    pub fn nul_string_or_rest(&mut self) -> &'a [u8] {
        match self.nul_string() {
            Ok(string) => string,
            Err(Malformed) => {
                let rest = self.rest();
                self.at = self.all.len();
                rest
            }
        }
    }
}

/// Appends a length-encoded integer.
pub fn put_lenenc(out: &mut Vec<u8>, value: u64) {
    let bytes = value.to_le_bytes();
    match value {
        0..=250 => out.push(bytes[0]),
        251..=0xFFFF => {
            out.push(252);
            out.extend_from_slice(&bytes[..2]);
        }
        0x1_0000..=0xFF_FFFF => {
            out.push(253);
            out.extend_from_slice(&bytes[..3]);
        }
        _ => {
            out.push(254);
            out.extend_from_slice(&bytes);
        }
    }
}

/// Appends a string with its length in front.
pub fn put_lenenc_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_lenenc(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Number of bytes that the shortest form of a length takes.
#[inline]
pub fn lenenc_size(value: u64) -> usize {
    match value {
        0..=250 => 1,
        251..=0xFFFF => 3,
        0x1_0000..=0xFF_FFFF => 4,
        _ => 9,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_go_round_in_their_shortest_form() {
        for value in [0, 1, 250, 251, 252, 0xFFFF, 0x1_0000, 0xFF_FFFF, 0x100_0000, u64::MAX] {
            let mut out = Vec::new();
            put_lenenc(&mut out, value);
            assert_eq!(out.len(), lenenc_size(value));
            let mut reader = Reader::new(&out);
            assert_eq!(reader.lenenc(), Ok(value));
            assert!(reader.is_empty());
            for cut in 0..out.len() {
                assert_eq!(Reader::new(&out[..cut]).lenenc(), Err(Malformed));
            }
        }
    }

    #[test]
    fn markers_are_no_lengths() {
        assert_eq!(Reader::new(&[251, 0, 0]).lenenc(), Err(Malformed));
        assert_eq!(Reader::new(&[255, 0, 0]).lenenc(), Err(Malformed));
    }

    #[test]
    fn a_length_beyond_the_end_is_refused() {
        assert_eq!(Reader::new(&[5, b'a']).lenenc_bytes(), Err(Malformed));
        assert_eq!(Reader::new(&[254, 255, 255, 255, 255, 255, 255, 255, 255]).lenenc_bytes(), Err(Malformed));
    }

    #[test]
    fn strings_end_at_nul() {
        let mut reader = Reader::new(b"ab\0cd");
        assert_eq!(reader.nul_string(), Ok(&b"ab"[..]));
        assert_eq!(reader.nul_string(), Err(Malformed));
        assert_eq!(reader.nul_string_or_rest(), b"cd");
        assert!(reader.is_empty());
    }
}
