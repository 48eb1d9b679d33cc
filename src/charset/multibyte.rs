//! How the bytes of each character set form characters, as far as escaping asks.
//!
//! The ranges are those that libmysqlclient 9.7 and Connector/C 3.3 show by their behaviour; `tests/data/escape_*.tsv`
//! holds what they answered.

use crate::options::Family;

/// A way of forming characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// One byte each.
    Single,
    /// UTF-8 up to three bytes.
    Utf8mb3,
    /// UTF-8 up to four bytes.
    Utf8mb4,
    /// Two bytes.
    Big5,
    /// Two bytes: sjis and cp932.
    Sjis,
    /// Two bytes.
    Gbk,
    /// Two bytes.
    Gb2312,
    /// Two bytes.
    EucKr,
    /// Two or three bytes.
    Ujis,
    /// Two or three bytes.
    EucJpMs,
    /// Two or four bytes.
    Gb18030,
    /// Two bytes for every character: no client may use it.
    Ucs2,
    /// Two or four bytes: no client may use it. Also utf16le, whose lengths Connector/C judges by the same byte.
    Utf16,
    /// Four bytes: no client may use it.
    Utf32,
}

/// With a [`TAIL`] behind it a character of two bytes.
pub(super) const HEAD: u8 = 1;
/// See [`HEAD`].
pub(super) const TAIL: u8 = 2;
/// Not to be copied without a closer look: special characters, and bytes above 0x7f.
pub(super) const LOOK: u8 = 4;

const fn kinds(heads: &[(u8, u8)], tails: &[(u8, u8)]) -> [u8; 256] {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let special = matches!(byte as u8, 0 | b'\n' | b'\r' | 0x1a | b'"' | b'\'' | b'\\');
        kinds[byte] = if special || byte >= 0x80 { LOOK } else { 0 };
        byte += 1;
    }
    let mut range = 0;
    while range < heads.len() + tails.len() {
        let ((first, last), kind) =
            if range < heads.len() { (heads[range], HEAD) } else { (tails[range - heads.len()], TAIL) };
        let mut byte = first as usize;
        while byte <= last as usize {
            kinds[byte] |= kind;
            byte += 1;
        }
        range += 1;
    }
    kinds
}

static BIG5: [u8; 256] = kinds(&[(0xa1, 0xf9)], &[(0x40, 0x7e), (0xa1, 0xfe)]);
static SJIS: [u8; 256] = kinds(&[(0x81, 0x9f), (0xe0, 0xfc)], &[(0x40, 0x7e), (0x80, 0xfc)]);
static GBK: [u8; 256] = kinds(&[(0x81, 0xfe)], &[(0x40, 0x7e), (0x80, 0xfe)]);
static GB2312: [u8; 256] = kinds(&[(0xa1, 0xf7)], &[(0xa1, 0xfe)]);
static EUC_KR: [u8; 256] = kinds(&[(0x81, 0xfe)], &[(0x41, 0x5a), (0x61, 0x7a), (0x81, 0xfe)]);
static EUC_JP: [u8; 256] = kinds(&[(0xa1, 0xfe)], &[(0xa1, 0xfe)]);
static ALL_LOOK: [u8; 256] = kinds(&[], &[]);

impl Scheme {
    /// May a client use it?
    pub fn fits_clients(self) -> bool {
        !matches!(self, Scheme::Ucs2 | Scheme::Utf16 | Scheme::Utf32)
    }

    /// Length of the well-formed character of several bytes at the start; 0 if there is none. The families differ in
    /// Korean and in the three-byte characters of eucjpms.
    pub fn valid(self, bytes: &[u8], family: Family) -> usize {
        let at = |index: usize| bytes.get(index).copied().unwrap_or(0);
        let (first, second) = (at(0), at(1));
        if first < 0x80 {
            return 0;
        }
        let mariadb = family == Family::MariaDb;
        let pair = |good: bool| if good { 2 } else { 0 };
        match self {
            Scheme::Single | Scheme::Ucs2 | Scheme::Utf16 | Scheme::Utf32 => 0,
            Scheme::Utf8mb3 | Scheme::Utf8mb4 => self.valid_utf8(bytes),
            Scheme::Big5 => pair(matches!(first, 0xa1..=0xf9) && matches!(second, 0x40..=0x7e | 0xa1..=0xfe)),
            Scheme::Sjis => {
                pair(matches!(first, 0x81..=0x9f | 0xe0..=0xfc) && matches!(second, 0x40..=0x7e | 0x80..=0xfc))
            }
            Scheme::Gbk => pair(matches!(first, 0x81..=0xfe) && matches!(second, 0x40..=0x7e | 0x80..=0xfe)),
            Scheme::Gb2312 => pair(matches!(first, 0xa1..=0xf7) && matches!(second, 0xa1..=0xfe)),
            Scheme::EucKr if mariadb => pair(matches!(second, 0xa1..=0xfe)),
            Scheme::EucKr => {
                pair(matches!(first, 0x81..=0xfe) && matches!(second, 0x41..=0x5a | 0x61..=0x7a | 0x81..=0xfe))
            }
            Scheme::Ujis | Scheme::EucJpMs => match first {
                0x8e => pair(matches!(second, 0xa1..=0xdf)),
                0x8f if matches!((second, at(2)), (0xa1..=0xfe, 0xa1..=0xfe)) => {
                    // Connector/C takes the third byte for the beginning of the next character.
                    if self == Scheme::EucJpMs && mariadb { 2 } else { 3 }
                }
                0xa1..=0xfe => pair(matches!(second, 0xa1..=0xfe)),
                _ => 0,
            },
            Scheme::Gb18030 => match (first, second) {
                (0x81..=0xfe, 0x40..=0x7e | 0x80..=0xfe) => 2,
                (0x81..=0xfe, 0x30..=0x39) if matches!((at(2), at(3)), (0x81..=0xfe, 0x30..=0x39)) => 4,
                _ => 0,
            },
        }
    }

    fn valid_utf8(self, bytes: &[u8]) -> usize {
        let at = |index: usize| bytes.get(index).copied().unwrap_or(0);
        let tail = |index: usize| at(index) & 0xc0 == 0x80;
        let second = at(1);
        let three = |first: u8| match first {
            0xe0 => second >= 0xa0,
            0xed => second <= 0x9f,
            _ => true,
        };
        let four = |first: u8| match first {
            0xf0 => second >= 0x90,
            0xf4 => second <= 0x8f,
            _ => self == Scheme::Utf8mb4,
        };
        match at(0) {
            0xc2..=0xdf if tail(1) => 2,
            first @ 0xe0..=0xef if tail(1) && tail(2) && three(first) => 3,
            first @ 0xf0..=0xf4 if self == Scheme::Utf8mb4 && tail(1) && tail(2) && tail(3) && four(first) => 4,
            _ => 0,
        }
    }

    /// For each byte what the escaping loop asks first: [`HEAD`], [`TAIL`], [`LOOK`].
    pub(super) fn kinds(self, family: Family) -> &'static [u8; 256] {
        match self {
            Scheme::Big5 => &BIG5,
            Scheme::Sjis => &SJIS,
            Scheme::Gbk | Scheme::Gb18030 => &GBK,
            Scheme::Gb2312 => &GB2312,
            Scheme::EucKr if family == Family::MySql => &EUC_KR,
            Scheme::Ujis | Scheme::EucJpMs => &EUC_JP,
            _ => &ALL_LOOK,
        }
    }

    /// True for a byte that announces a character of several bytes. Where none follows, a backslash is put before it,
    /// so that it cannot swallow the backslash of the next escape. Connector/C leaves UTF-8 and gb18030 alone, whose
    /// following bytes do not count the backslash among them or are not looked at.
    pub fn needs_guard(self, bytes: &[u8], family: Family) -> bool {
        let first = bytes.first().copied().unwrap_or(0);
        match self {
            Scheme::Ucs2 | Scheme::Utf16 | Scheme::Utf32 => false,
            Scheme::Utf8mb3 | Scheme::Utf8mb4 | Scheme::Gb18030 if family == Family::MariaDb => false,
            Scheme::Gb18030 => {
                matches!(first, 0x81..=0xfe) && matches!(bytes.get(1), Some(0x30..=0x39 | 0x40..=0x7e | 0x80..=0xfe))
            }
            Scheme::EucKr if family == Family::MySql => matches!(first, 0x81..=0xfe),
            _ => self.length_by_first_byte(first) > 1,
        }
    }

    /// `MARIADB_CHARSET_INFO.mb_charlen`: the length of a character that begins with this byte, 0 for a byte that
    /// cannot begin one (and for all first bytes of gb18030, whose second byte decides).
    pub fn length_by_first_byte(self, first: u8) -> u32 {
        match (self, first) {
            (Scheme::Utf32, _) | (Scheme::Utf16, 0xd8..=0xdb) => 4,
            (Scheme::Ucs2 | Scheme::Utf16, _) => 2,
            (Scheme::Single, _) | (_, 0..=0x7f) => 1,
            (Scheme::Utf8mb3 | Scheme::Utf8mb4, 0xc2..=0xdf) => 2,
            (Scheme::Utf8mb3 | Scheme::Utf8mb4, 0xe0..=0xef) => 3,
            (Scheme::Utf8mb4, 0xf0..=0xf7) => 4,
            (Scheme::Utf8mb3 | Scheme::Utf8mb4, _) => 0,
            (Scheme::Big5, 0xa1..=0xf9) => 2,
            (Scheme::Sjis, 0x81..=0x9f | 0xe0..=0xfc) => 2,
            (Scheme::Gbk, 0x81..=0xfe) => 2,
            (Scheme::EucKr, 0xa1..=0xfe) => 2,
            (Scheme::Gb2312, 0xa1..=0xf7) => 2,
            (Scheme::Ujis | Scheme::EucJpMs, 0x8e | 0xa1..=0xfe) => 2,
            (Scheme::Ujis | Scheme::EucJpMs, 0x8f) => 3,
            (Scheme::Gb18030, 0x81..=0xfe) => 0,
            _ => 1,
        }
    }
}
