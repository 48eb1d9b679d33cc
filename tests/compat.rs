//! `docs/compat.md` is made from `exports.list`: this test compares, and rewrites the file when `UPDATE=1` is set:
//! `UPDATE=1 cargo test --test compat`.
#![allow(clippy::unwrap_used)]

use mysqlclient_ms::abi::list::{self, Export, Side, State};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &str) -> String {
    fs::read_to_string(root(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Packages of Debian 12 that import a function, and the best known of them.
fn users() -> BTreeMap<String, (u32, String)> {
    let text = read("tests/data/users.tsv");
    let lines = text.lines().filter(|l| !l.starts_with('#'));
    lines
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            (
                columns[0].to_owned(),
                (columns[1].parse().unwrap(), columns[2].to_owned()),
            )
        })
        .collect()
}

fn state(side: &Option<Side>) -> &'static str {
    side.as_ref().map_or("-", |s| s.state.word())
}

fn count(exports: &[&Export], side: fn(&Export) -> &Option<Side>) -> String {
    let of = |state| {
        exports
            .iter()
            .filter(|e| side(e).as_ref().is_some_and(|s| s.state == state))
            .count()
    };
    format!(
        "{} done, {} partial, {} stub",
        of(State::Done),
        of(State::Partial),
        of(State::Stub)
    )
}

fn document() -> String {
    let exports = list::parse(&read("src/abi/exports.list")).unwrap();
    let exports: Vec<&Export> = exports.iter().filter(|e| !e.is_version()).collect();
    let users = users();
    let mut text = String::new();
    let _ = writeln!(text, "# What works\n");
    let _ = writeln!(
        text,
        "Made from `src/abi/exports.list` by `UPDATE=1 cargo test --test compat`; do not edit.\n"
    );
    let _ = writeln!(
        text,
        "Every symbol of libmysqlclient.so.21, libmysqlclient.so.24 and libmariadb.so.3 is exported under each of its\n\
         version nodes. *done*: behaves as the original; *partial*: but for the note; *stub*: returns the failure value and\n\
         sets error 2000, \"NAME is not supported yet by mysqlclient-ms\"; `-`: that library has no such name. *Users*: how\n\
         many of 49 packages of Debian 12 import it, and the best known of them.\n"
    );
    let _ = writeln!(text, "* libmysqlclient: {}", count(&exports, |e| &e.mysql));
    let _ = writeln!(
        text,
        "* MariaDB Connector/C: {}\n",
        count(&exports, |e| &e.mariadb)
    );
    let _ = writeln!(
        text,
        "| Symbol | libmysqlclient | Connector/C | Users | Note |\n|---|---|---|---|---|"
    );
    for export in exports {
        let users =
            users
                .get(&export.name)
                .map_or(String::new(), |(n, known)| match known.as_str() {
                    "" => n.to_string(),
                    known => format!("{n}: {known}"),
                });
        let [mysql, mariadb] = [state(&export.mysql), state(&export.mariadb)];
        let _ = writeln!(
            text,
            "| `{}` | {mysql} | {mariadb} | {users} | {} |",
            export.name, export.note
        );
    }
    text
}

#[test]
fn compat_md_is_up_to_date() {
    let wanted = document();
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(root("docs")).unwrap();
        fs::write(root("docs/compat.md"), wanted).unwrap();
        return;
    }
    assert!(
        read("docs/compat.md") == wanted,
        "docs/compat.md is old: run UPDATE=1 cargo test --test compat"
    );
}
