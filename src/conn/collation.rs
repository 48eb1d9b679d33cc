//! Which collation a login asks for, and the statement that follows when its number does not fit into the login's one byte.

use crate::charset::{self, Collation};
use crate::error::Error;
use crate::options::{Family, Options};

/// The collation of a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ForLogin {
    /// The byte in the login.
    pub(super) in_login: u8,
    /// `SET NAMES`, when the byte does not say it all.
    pub(super) statement: Option<String>,
}

/// Where each original looks for character sets that are not compiled in; a part of its error text.
const fn charsets_path(family: Family) -> &'static str {
    match family {
        Family::MySql => "/usr/share/mysql/charsets/",
        Family::MariaDb => "compiled_in",
    }
}

/// The collation for a login under these options: that of [`Options::collation`], else the default of
/// [`Options::charset`], else of utf8mb4.
///
/// Errors: 2019 for a name that the family does not know.
pub(super) fn for_login(options: &Options) -> Result<ForLogin, Error> {
    let family = options.family;
    let unknown = |name: &str| Error::charset(family, name, charsets_path(family));
    let name = options.charset.as_deref().unwrap_or("utf8mb4");
    let charset = charset::by_name(name).ok_or_else(|| unknown(name))?;
    let Some(wanted) = options.collation.as_deref() else {
        return Ok(with(charset.default_collation(family), None));
    };
    let collation = charset::collation_by_name(wanted, family).ok_or_else(|| unknown(wanted))?;
    if collation.id() < 256 {
        return Ok(with(collation, None));
    }
    let charset = collation.charset();
    let statement = format!("SET NAMES {} COLLATE {}", charset.name(), collation.name(family));
    Ok(with(charset.default_collation(family), Some(statement)))
}

fn with(collation: Collation, statement: Option<String>) -> ForLogin {
    ForLogin { in_login: collation.id() as u8, statement }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(family: Family, charset: Option<&str>, collation: Option<&str>) -> Options {
        Options { charset: charset.map(str::to_owned), collation: collation.map(str::to_owned), ..Options::new(family) }
    }

    #[test]
    fn each_family_has_its_own_utf8mb4() {
        let mysql = for_login(&options(Family::MySql, None, None)).expect("known");
        assert_eq!(mysql, ForLogin { in_login: 255, statement: None });
        let mariadb = for_login(&options(Family::MariaDb, Some("UTF8MB4"), None)).expect("known");
        assert_eq!(mariadb, ForLogin { in_login: 45, statement: None });
    }

    #[test]
    fn a_collation_is_no_character_set() {
        let error = for_login(&options(Family::MySql, Some("utf8mb4_bin"), None)).expect_err("unknown");
        let text = "Can't initialize character set utf8mb4_bin (path: /usr/share/mysql/charsets/)";
        assert_eq!((error.code, &error.message[..], &error.sqlstate), (2019, text.as_bytes(), b"HY000"));
        let error = for_login(&options(Family::MariaDb, Some("x"), None)).expect_err("unknown");
        let text = "Can't initialize character set x (path: compiled_in)";
        assert_eq!((error.code, &error.message[..], &error.sqlstate), (2019, text.as_bytes(), b"00000"));
    }

    #[test]
    fn a_number_above_255_is_set_by_a_statement() {
        let found = for_login(&options(Family::MySql, None, Some("utf8mb4_ja_0900_as_cs"))).expect("known");
        let statement = "SET NAMES utf8mb4 COLLATE utf8mb4_ja_0900_as_cs".to_owned();
        assert_eq!(found, ForLogin { in_login: 255, statement: Some(statement) });
        let found = for_login(&options(Family::MySql, None, Some("utf8mb4_bin"))).expect("known");
        assert_eq!(found, ForLogin { in_login: 46, statement: None });
    }
}
