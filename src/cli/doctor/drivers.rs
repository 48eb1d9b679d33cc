//! Interpreters load their driver at run time: where the usual ones are.

use std::fs;
use std::path::{Path, PathBuf};

/// The interpreter that a program is, by the name of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interpreter {
    Perl,
    Python,
    Ruby,
    Php,
    /// sh and its kin: they start other programs.
    Shell,
}

impl Interpreter {
    pub fn of(program: &Path) -> Option<Interpreter> {
        let name = program.file_name()?.to_string_lossy().into_owned();
        let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
        match name {
            "perl" => Some(Interpreter::Perl),
            "python" => Some(Interpreter::Python),
            "ruby" => Some(Interpreter::Ruby),
            "php" | "php-cgi" | "php-fpm" => Some(Interpreter::Php),
            "sh" | "bash" | "dash" | "ksh" | "zsh" => Some(Interpreter::Shell),
            _ => None,
        }
    }

    /// Roots that are searched, how deep, and what a driver's path looks like: a word of it, and the beginning of its
    /// file's name.
    fn places(self) -> (&'static [&'static str], &'static [(&'static str, &'static str)]) {
        match self {
            Interpreter::Perl => (
                &["/usr/lib", "/usr/local/lib", "/usr/lib64/perl5", "/usr/share/perl5"],
                &[("/auto/DBD/mysql/", "mysql.so"), ("/auto/DBD/MariaDB/", "MariaDB.so")],
            ),
            Interpreter::Python => (
                &["/usr/lib/python3", "/usr/lib64", "/usr/local/lib", "/usr/lib"],
                &[("/MySQLdb/", "_mysql."), ("", "_mysql_connector."), ("/mariadb/", "_mariadb.")],
            ),
            Interpreter::Ruby => {
                (&["/usr/lib", "/usr/lib64/gems", "/var/lib/gems", "/usr/local/lib"], &[("/mysql2/", "mysql2.so")])
            }
            Interpreter::Php => (
                &["/usr/lib/php", "/usr/lib64/php", "/usr/local/lib/php"],
                &[("", "pdo_mysql.so"), ("", "mysqli.so"), ("", "mysqlnd.so")],
            ),
            Interpreter::Shell => (&[], &[]),
        }
    }

    /// The drivers that are installed in the usual places.
    pub fn drivers(self) -> Vec<PathBuf> {
        let (roots, wanted) = self.places();
        let mut found = Vec::new();
        for root in roots {
            look(Path::new(root), 7, wanted, &mut found);
        }
        found.sort();
        found.dedup();
        found
    }
}

/// Links to folders are not followed: drivers are not behind them, and they may lead in a circle.
fn look(folder: &Path, depth: usize, wanted: &[(&str, &str)], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            if depth > 0 {
                look(&path, depth - 1, wanted, found);
            }
            continue;
        }
        let (text, name) = (path.to_string_lossy(), entry.file_name());
        let name = name.to_string_lossy();
        let fits =
            |(word, start): &(&str, &str)| text.contains(word) && name.starts_with(start) && name.ends_with(".so");
        if wanted.iter().any(fits) {
            found.push(path.clone());
        }
    }
}
