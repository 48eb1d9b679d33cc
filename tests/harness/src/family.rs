//! The two server families: where their programs are, and the words in which they differ.

use crate::error::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which servers a cluster is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// `mariadbd` of this machine (Debian package mariadb-server-core).
    MariaDb,
    /// `mysqld` of the prefix that `tests/harness/get-mysql.sh` fills: `$MYSQL_PREFIX`, else `$CACHE/mysql`, else
    /// `.cache/mysql` of the repository.
    MySql,
}

impl std::fmt::Display for Family {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Family {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "mariadb" => Ok(Family::MariaDb),
            "mysql" => Ok(Family::MySql),
            _ => Err(Error(format!("no family '{text}': mariadb or mysql"))),
        }
    }
}

impl Family {
    /// Both, MariaDB first.
    pub const ALL: [Family; 2] = [Family::MariaDb, Family::MySql];

    /// `mariadb` or `mysql`.
    pub fn name(self) -> &'static str {
        match self {
            Family::MariaDb => "mariadb",
            Family::MySql => "mysql",
        }
    }

    /// `REPLICA` where the family speaks of replicas; MariaDB 10.11 reports with the older word.
    pub(crate) fn replica(self) -> &'static str {
        match self {
            Family::MariaDb => "SLAVE",
            Family::MySql => "REPLICA",
        }
    }

    /// Finds the family's programs.
    ///
    /// # Errors
    /// Names the Debian package or the script that brings what is missing.
    pub fn tools(self) -> Result<Tools> {
        match self {
            Family::MariaDb => {
                let lacks =
                    |program: &str| Error(format!("no {program} on this machine (Debian package mariadb-server-core)"));
                Ok(Tools {
                    server: find("mariadbd").ok_or_else(|| lacks("mariadbd"))?,
                    installer: Some(find("mariadb-install-db").ok_or_else(|| lacks("mariadb-install-db"))?),
                    prefix: None,
                })
            }
            Family::MySql => {
                let prefix = mysql_prefix();
                let server = prefix.join("bin/mysqld");
                if !server.exists() {
                    return Err(Error(format!(
                        "no MySQL server in {} (tests/harness/get-mysql.sh brings it)",
                        prefix.display()
                    )));
                }
                Ok(Tools { server, installer: None, prefix: Some(prefix) })
            }
        }
    }
}

/// The programs of one family.
#[derive(Debug, Clone)]
pub struct Tools {
    /// The server.
    pub server: PathBuf,
    /// What makes a data directory, when that is not the server itself.
    pub installer: Option<PathBuf>,
    /// The folder that MySQL lives in: `bin/run PROGRAM` starts a program with its C library.
    pub prefix: Option<PathBuf>,
}

impl Tools {
    /// What the server says of itself; also the proof that it runs.
    ///
    /// # Errors
    /// When it does not run.
    pub fn version(&self) -> Result<String> {
        let out = Command::new(&self.server).args(["--no-defaults", "--version"]).output()?;
        if !out.status.success() {
            let said = String::from_utf8_lossy(&out.stderr).into_owned();
            return Err(Error(format!("{} does not run: {said}", self.server.display())));
        }
        Ok(String::from_utf8_lossy(&out.stdout).trim().to_string())
    }
}

/// The newer MariaDB that `get-mariadb.sh` brings: in `$MARIADB_PREFIX`, else `$CACHE/mariadb`, else `.cache/mariadb` in the
/// repository.
///
/// # Errors
/// Names the script when it is not there.
pub fn newer_mariadb() -> Result<Tools> {
    let prefix = prefix_of("MARIADB_PREFIX", "mariadb");
    let server = prefix.join("bin/mariadbd");
    if !server.exists() {
        return Err(Error(format!(
            "no MariaDB server in {} (tests/harness/get-mariadb.sh brings it)",
            prefix.display()
        )));
    }
    Ok(Tools { server, installer: Some(prefix.join("bin/mariadb-install-db")), prefix: None })
}

/// Where MySQL is or would be: `$MYSQL_PREFIX`, else `$CACHE/mysql`, else `.cache/mysql` in the repository.
pub fn mysql_prefix() -> PathBuf {
    prefix_of("MYSQL_PREFIX", "mysql")
}

pub(crate) fn prefix_of(variable: &str, folder: &str) -> PathBuf {
    if let Some(prefix) = non_empty(variable) {
        return prefix.into();
    }
    match non_empty("CACHE") {
        Some(cache) => Path::new(&cache).join(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache").join(folder),
    }
}

/// The families that tests run on: both.
///
/// Where one is missing on a developer's machine it is left out, with a word on standard error.
///
/// # Panics
/// With `CI` in the environment (not empty), when a family's server is not there: CI fails, it does not skip.
pub fn families() -> Vec<Family> {
    let mut found = Vec::new();
    for family in Family::ALL {
        match family.tools().and_then(|tools| tools.version()) {
            Ok(_) => found.push(family),
            Err(error) if non_empty("CI").is_some() => {
                panic!("family {family} cannot run: {error}")
            }
            Err(error) => eprintln!("harness: tests of family {family} are left out: {error}"),
        }
    }
    found
}

pub(crate) fn non_empty(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// `name` in `PATH`, or where Debian puts servers although a user's `PATH` lacks it.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/sbin"), PathBuf::from("/usr/bin")])
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}
