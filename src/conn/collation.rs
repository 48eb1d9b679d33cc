//! Which collation a login asks for, and the statement that follows when its number does not fit into the login's one byte.

use crate::error::Error;
use crate::options::{Family, Options};
use crate::wire::greeting::Greeting;

/// The collation of a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ForLogin {
    /// The byte in the login.
    pub(super) in_login: u8,
    /// `SET NAMES`, when the byte does not say it all.
    pub(super) statement: Option<String>,
}

/// Character sets a client can use, and the id of the default collation of each: the same in MySQL 9.7 and MariaDB 10.11 but
/// for utf8mb4.
const DEFAULTS: &[(&str, u16)] = &[
    ("armscii8", 32),
    ("ascii", 11),
    ("big5", 1),
    ("binary", 63),
    ("cp1250", 26),
    ("cp1251", 51),
    ("cp1256", 57),
    ("cp1257", 59),
    ("cp850", 4),
    ("cp852", 40),
    ("cp866", 36),
    ("cp932", 95),
    ("dec8", 3),
    ("eucjpms", 97),
    ("euckr", 19),
    ("gb18030", 248),
    ("gb2312", 24),
    ("gbk", 28),
    ("geostd8", 92),
    ("greek", 25),
    ("hebrew", 16),
    ("hp8", 6),
    ("keybcs2", 37),
    ("koi8r", 7),
    ("koi8u", 22),
    ("latin1", 8),
    ("latin2", 9),
    ("latin5", 30),
    ("latin7", 41),
    ("macce", 38),
    ("macroman", 39),
    ("sjis", 13),
    ("swe7", 10),
    ("tis620", 18),
    ("ujis", 12),
    ("utf8", 33),
    ("utf8mb3", 33),
];

/// Collation id of a character set by name, as the family's client takes it.
fn default_collation(family: Family, charset: &str) -> Option<u16> {
    if charset.eq_ignore_ascii_case("utf8mb4") {
        return Some(if family == Family::MySql { 255 } else { 45 });
    }
    DEFAULTS.iter().find(|(name, _)| name.eq_ignore_ascii_case(charset)).map(|(_, id)| *id)
}

/// The collation for a login under these options. An explicit collation name or a number above 255 is set afterwards.
///
/// Errors: 2019 for a name that the family does not know.
pub(super) fn for_login(options: &Options, _greeting: &Greeting) -> Result<ForLogin, Error> {
    let family = options.family;
    let charset = options.charset.as_deref().unwrap_or("utf8mb4");
    if let Some(id) = default_collation(family, charset) {
        return Ok(ForLogin { in_login: id as u8, statement: None });
    }
    // A collation: its character set is the word before the first underscore.
    let (set, _) = charset.split_once('_').unwrap_or((charset, ""));
    let is_word = charset.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    match default_collation(family, set) {
        Some(id) if is_word => {
            Ok(ForLogin { in_login: id as u8, statement: Some(format!("SET NAMES {set} COLLATE {charset}")) })
        }
        _ => Err(Error::charset(family, charset, "")),
    }
}
