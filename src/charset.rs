//! Character sets and collations of both families, and escaping.
//!
//! Pure data and pure functions; touches nothing else. The table of collations is `charset/table.rs`, made by
//! `charset/make_table.py` from running servers. What the client libraries know beyond it (default collations, the
//! fields of `MY_CHARSET_INFO` and `MARIADB_CHARSET_INFO`) is the table in this file, as observed on libmysqlclient
//! 9.7 and Connector/C 3.3.

pub mod escape;
mod multibyte;
mod table;

use std::ffi::CStr;

use crate::options::Family;

pub use multibyte::Scheme;

/// One character set.
#[derive(Debug)]
pub struct Charset {
    name: &'static CStr,
    mysql_default: u16,
    mariadb_default: u16,
    mysql_state: u32,
    comment: &'static CStr,
    /// Fewest bytes of a character.
    pub mbminlen: u8,
    /// Most bytes of a character.
    pub mbmaxlen: u8,
    /// `MARIADB_CHARSET_INFO.codepage`: Windows code page, 0 = none.
    pub codepage: u32,
    encoding: &'static CStr,
    /// How its bytes form characters.
    pub scheme: Scheme,
}

impl Charset {
    /// As in `SET NAMES`, for instance `utf8mb4`.
    pub fn name(&self) -> &'static str {
        self.name.to_str().unwrap_or_default()
    }

    /// The name for C.
    pub fn c_name(&self) -> &'static CStr {
        self.name
    }

    /// The collation that a client of this family means by the name alone: `utf8mb4` is 255 in MySQL, 45 in MariaDB.
    pub fn default_collation(&self, family: Family) -> Collation {
        let id = match family {
            Family::MySql => self.mysql_default,
            Family::MariaDb => self.mariadb_default,
        };
        // Every default is in the table: see the tests.
        by_id(u32::from(id)).unwrap_or(Collation { row: &table::COLLATIONS[0] })
    }

    /// `MY_CHARSET_INFO.state` as libmysqlclient shows it for the default collation; Connector/C shows 0.
    pub fn mysql_state(&self) -> u32 {
        self.mysql_state
    }

    /// `MY_CHARSET_INFO.comment` of libmysqlclient; Connector/C shows NULL.
    pub fn comment(&self) -> &'static CStr {
        self.comment
    }

    /// `MARIADB_CHARSET_INFO.encoding`: its name for iconv, empty if it has none.
    pub fn encoding(&self) -> &'static CStr {
        self.encoding
    }
}

/// One collation.
#[derive(Clone, Copy, Debug)]
pub struct Collation {
    row: &'static Row,
}

/// A row of the generated table.
#[derive(Debug)]
struct Row {
    id: u16,
    /// Offset in [`table::NAMES`].
    name: u16,
    /// Index in [`CHARSETS`].
    charset: u8,
}

impl Row {
    const fn new(id: u16, charset: u8, name: u16) -> Row {
        Row { id, name, charset }
    }

    fn name(&self) -> &'static CStr {
        CStr::from_bytes_until_nul(&table::NAMES.as_bytes()[usize::from(self.name)..]).unwrap_or_default()
    }
}

impl Collation {
    /// Its number in handshakes and column definitions.
    pub fn id(self) -> u16 {
        self.row.id
    }

    /// Its place among all collations, below [`COLLATION_COUNT`].
    pub fn index(self) -> usize {
        // It is a row of the table.
        table::COLLATIONS.binary_search_by_key(&self.row.id, |row| row.id).unwrap_or_default()
    }

    /// Its name for C; five collations are called otherwise in MariaDB.
    pub fn c_name(self, family: Family) -> &'static CStr {
        if family == Family::MariaDb
            && let Ok(index) = table::MARIADB_NAMES.binary_search_by_key(&self.row.id, |row| row.id)
        {
            return table::MARIADB_NAMES[index].name();
        }
        self.row.name()
    }

    /// Its name.
    pub fn name(self, family: Family) -> &'static str {
        self.c_name(family).to_str().unwrap_or_default()
    }

    /// The character set that it orders.
    pub fn charset(self) -> &'static Charset {
        &CHARSETS[usize::from(self.row.charset)]
    }

    /// Is it the collation of the `binary` pseudo character set?
    pub fn is_binary(self) -> bool {
        self.row.id == 63
    }
}

/// How many collations there are.
pub const COLLATION_COUNT: usize = table::COLLATIONS.len();

/// The character set with this name, any case; `utf8` is `utf8mb3` as in both client libraries.
pub fn by_name(name: &str) -> Option<&'static Charset> {
    let name = if name.eq_ignore_ascii_case("utf8") { "utf8mb3" } else { name };
    CHARSETS.iter().find(|charset| charset.c_name().to_bytes().eq_ignore_ascii_case(name.as_bytes()))
}

/// The collation with this number.
pub fn by_id(id: u32) -> Option<Collation> {
    let id = u16::try_from(id).ok()?;
    let index = table::COLLATIONS.binary_search_by_key(&id, |row| row.id).ok()?;
    Some(Collation { row: &table::COLLATIONS[index] })
}

/// The collation with this name, any case.
pub fn collation_by_name(name: &str, family: Family) -> Option<Collation> {
    let same = |collation: &Collation| collation.name(family).eq_ignore_ascii_case(name);
    table::COLLATIONS.iter().map(|row| Collation { row }).find(same)
}

/// All character sets, in the order of their default collations in MariaDB.
pub fn all() -> &'static [Charset] {
    &CHARSETS
}

macro_rules! charsets {
    ($($id:ident = $index:literal: ($name:literal, $mysql:literal, $mariadb:literal, $state:literal, $comment:literal,
        $min:literal, $max:literal, $codepage:literal, $encoding:literal, $scheme:ident),)*) => {
        $(const $id: u8 = $index;)*

        static CHARSETS: [Charset; [$($index),*].len()] = [$(Charset {
            name: $name,
            mysql_default: $mysql,
            mariadb_default: $mariadb,
            mysql_state: $state,
            comment: $comment,
            mbminlen: $min,
            mbmaxlen: $max,
            codepage: $codepage,
            encoding: $encoding,
            scheme: Scheme::$scheme,
        }),*];
    };
}

// Name; default collation of MySQL, of MariaDB; state and comment of MySQL; length of characters; code page and iconv
// name of MariaDB; scheme.
charsets! {
    BIG5 = 0: (c"big5", 1, 1, 66401, c"Big5 Traditional Chinese", 1, 2, 950, c"BIG5", Big5),
    DEC8 = 1: (c"dec8", 3, 3, 801, c"DEC West European", 1, 1, 0, c"DEC", Single),
    CP850 = 2: (c"cp850", 4, 4, 801, c"DOS West European", 1, 1, 850, c"CP850", Single),
    HP8 = 3: (c"hp8", 6, 6, 801, c"HP West European", 1, 1, 0, c"HP-ROMAN8", Single),
    KOI8R = 4: (c"koi8r", 7, 7, 801, c"KOI8-R Relcom Russian", 1, 1, 20866, c"KOI8R", Single),
    LATIN1 = 5: (c"latin1", 8, 8, 66337, c"cp1252 West European", 1, 1, 1252, c"LATIN1", Single),
    LATIN2 = 6: (c"latin2", 9, 9, 801, c"ISO 8859-2 Central European", 1, 1, 852, c"LATIN2", Single),
    SWE7 = 7: (c"swe7", 10, 10, 8993, c"7bit Swedish", 1, 1, 20107, c"", Single),
    ASCII = 8: (c"ascii", 11, 11, 4897, c"US ASCII", 1, 1, 1252, c"ASCII", Single),
    UJIS = 9: (c"ujis", 12, 12, 66337, c"EUC-JP Japanese", 1, 3, 20932, c"UJIS", Ujis),
    SJIS = 10: (c"sjis", 13, 13, 74593, c"Shift-JIS Japanese", 1, 2, 932, c"SJIS", Sjis),
    HEBREW = 11: (c"hebrew", 16, 16, 801, c"ISO 8859-8 Hebrew", 1, 1, 1255, c"HEBREW", Single),
    TIS620 = 12: (c"tis620", 18, 18, 66401, c"TIS620 Thai", 1, 1, 874, c"TIS620", Single),
    EUCKR = 13: (c"euckr", 19, 19, 66337, c"EUC-KR Korean", 1, 2, 51949, c"EUCKR", EucKr),
    KOI8U = 14: (c"koi8u", 22, 22, 801, c"KOI8-U Ukrainian", 1, 1, 21866, c"KOI8U", Single),
    GB2312 = 15: (c"gb2312", 24, 24, 66337, c"GB2312 Simplified Chinese", 1, 2, 936, c"GB2312", Gb2312),
    GREEK = 16: (c"greek", 25, 25, 801, c"ISO 8859-7 Greek", 1, 1, 28597, c"GREEK", Single),
    CP1250 = 17: (c"cp1250", 26, 26, 801, c"Windows Central European", 1, 1, 1250, c"CP1250", Single),
    GBK = 18: (c"gbk", 28, 28, 66401, c"GBK Simplified Chinese", 1, 2, 936, c"GBK", Gbk),
    LATIN5 = 19: (c"latin5", 30, 30, 801, c"ISO 8859-9 Turkish", 1, 1, 1254, c"LATIN5", Single),
    ARMSCII8 = 20: (c"armscii8", 32, 32, 801, c"ARMSCII-8 Armenian", 1, 1, 0, c"ARMSCII-8", Single),
    UTF8MB3 = 21: (c"utf8mb3", 33, 33, 66529, c"UTF-8 Unicode", 1, 3, 65001, c"UTF-8", Utf8mb3),
    UCS2 = 22: (c"ucs2", 35, 35, 74721, c"UCS-2 Unicode", 2, 2, 1200, c"UCS-2BE", Ucs2),
    CP866 = 23: (c"cp866", 36, 36, 801, c"DOS Russian", 1, 1, 866, c"CP866", Single),
    KEYBCS2 = 24: (c"keybcs2", 37, 37, 801, c"DOS Kamenicky Czech-Slovak", 1, 1, 0, c"", Single),
    MACCE = 25: (c"macce", 38, 38, 801, c"Mac Central European", 1, 1, 10029, c"CP1282", Single),
    MACROMAN = 26: (c"macroman", 39, 39, 801, c"Mac West European", 1, 1, 10000, c"MACINTOSH", Single),
    CP852 = 27: (c"cp852", 40, 40, 801, c"DOS Central European", 1, 1, 852, c"CP852", Single),
    LATIN7 = 28: (c"latin7", 41, 41, 801, c"ISO 8859-13 Baltic", 1, 1, 28603, c"LATIN7", Single),
    UTF8MB4 = 29: (c"utf8mb4", 255, 45, 82913, c"UTF-8 Unicode", 1, 4, 65001, c"UTF-8", Utf8mb4),
    CP1251 = 30: (c"cp1251", 51, 51, 801, c"Windows Cyrillic", 1, 1, 1251, c"CP1251", Single),
    UTF16 = 31: (c"utf16", 54, 54, 74721, c"UTF-16 Unicode", 2, 4, 0, c"UTF16", Utf16),
    UTF16LE = 32: (c"utf16le", 56, 56, 74721, c"UTF-16LE Unicode", 2, 4, 1200, c"UTF16LE", Utf16),
    CP1256 = 33: (c"cp1256", 57, 57, 801, c"Windows Arabic", 1, 1, 1256, c"CP1256", Single),
    CP1257 = 34: (c"cp1257", 59, 59, 801, c"Windows Baltic", 1, 1, 1257, c"CP1257", Single),
    UTF32 = 35: (c"utf32", 60, 60, 91105, c"UTF-32 Unicode", 4, 4, 0, c"UTF32", Utf32),
    BINARY = 36: (c"binary", 63, 63, 66353, c"Binary pseudo charset", 1, 1, 0, c"ASCII", Single),
    GEOSTD8 = 37: (c"geostd8", 92, 92, 801, c"GEOSTD8 Georgian", 1, 1, 0, c"GEORGIAN-PS", Single),
    CP932 = 38: (c"cp932", 95, 95, 66401, c"SJIS for Windows Japanese", 1, 2, 932, c"CP932", Sjis),
    EUCJPMS = 39: (c"eucjpms", 97, 97, 66337, c"UJIS for Windows Japanese", 1, 3, 932, c"EUC-JP-MS", EucJpMs),
    GB18030 = 40: (c"gb18030", 248, 248, 66401, c"China National Standard GB18030", 1, 4, 54936, c"GB18030", Gb18030),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_whole() {
        assert!(table::COLLATIONS.is_sorted_by(|a, b| a.id < b.id));
        assert!(table::MARIADB_NAMES.is_sorted_by(|a, b| a.id < b.id));
        for (index, charset) in CHARSETS.iter().enumerate() {
            for family in [Family::MySql, Family::MariaDb] {
                let collation = charset.default_collation(family);
                assert!(std::ptr::eq(collation.charset(), charset), "{}", charset.name());
                assert!(collation.name(family).starts_with(charset.name()));
            }
            assert!(std::ptr::eq(by_name(charset.name()).expect("there"), charset));
            assert!(table::COLLATIONS.iter().any(|row| usize::from(row.charset) == index));
        }
        for row in &table::COLLATIONS {
            assert!(row.name().to_bytes().starts_with(Collation { row }.charset().name().as_bytes()));
        }
    }

    #[test]
    fn families_differ_where_the_originals_do() {
        let utf8mb4 = by_name("UTF8MB4").expect("there");
        assert_eq!(utf8mb4.default_collation(Family::MySql).name(Family::MySql), "utf8mb4_0900_ai_ci");
        assert_eq!(utf8mb4.default_collation(Family::MariaDb).id(), 45);
        let croatian = by_id(245).expect("there");
        assert_eq!(croatian.name(Family::MySql), "utf8mb4_croatian_ci");
        assert_eq!(croatian.name(Family::MariaDb), "utf8mb4_croatian_mysql561_ci");
    }

    #[test]
    fn names_and_ids_are_found() {
        assert_eq!(by_name("utf8").expect("there").name(), "utf8mb3");
        assert!(by_name("utf8mb4_bin").is_none() && by_name("").is_none());
        assert_eq!(by_id(2304).expect("there").name(Family::MariaDb), "utf8mb4_uca1400_ai_ci");
        assert_eq!(collation_by_name("Latin1_Bin", Family::MySql).expect("there").id(), 47);
        assert!(by_id(63).expect("there").is_binary());
        assert!(by_id(0).is_none() && by_id(70_000).is_none());
    }
}
