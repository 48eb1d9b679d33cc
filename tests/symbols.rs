//! The built library exports what `exports.list` says, which is what the original libraries export: every name under
//! every node, with the right default, and nothing else but `mysqlnd_ms_*` under our own node.
#![allow(clippy::unwrap_used)]

mod elf;

use elf::Symbol;
use mysqlclient_ms::abi::list::{self, Export};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const ORIGINALS: [&str; 3] = [
    "libmariadb.so.3",
    "libmysqlclient.so.21",
    "libmysqlclient.so.24",
];

fn exports() -> Vec<Export> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/abi/exports.list");
    list::parse(&fs::read_to_string(path).unwrap()).unwrap()
}

fn kind(export: &Export) -> (&'static str, u64) {
    match export.first.as_str() {
        "data" => ("object", export.fails.parse().unwrap()),
        "version" => ("version", 0),
        _ => ("function", 0),
    }
}

/// What the list promises of the built file.
fn promised() -> BTreeSet<Symbol> {
    let mut all = BTreeSet::new();
    for export in exports() {
        let (kind, size) = kind(&export);
        for node in export.nodes() {
            let default = node == export.default_node();
            all.insert(Symbol {
                name: export.name.clone(),
                node: node.to_owned(),
                default,
                kind,
                size,
            });
        }
    }
    all
}

/// The originals' symbols as committed: library and symbol.
fn committed(library: &str) -> BTreeSet<Symbol> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/original-symbols.tsv");
    let text = fs::read_to_string(path).unwrap();
    let mut all = BTreeSet::new();
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [of, name, node, default, kind, size] = columns[..] else {
            panic!("{line}")
        };
        if of != library {
            continue;
        }
        let kind = ["function", "object", "version"]
            .into_iter()
            .find(|k| *k == kind)
            .unwrap();
        let size = if size == "-" {
            0
        } else {
            size.parse().unwrap()
        };
        all.insert(Symbol {
            name: name.to_owned(),
            node: node.to_owned(),
            default: default == "yes",
            kind,
            size,
        });
    }
    assert!(!all.is_empty(), "{library} is in the table");
    all
}

fn same(what: &str, got: &BTreeSet<Symbol>, wanted: &BTreeSet<Symbol>) {
    let missing: Vec<_> = wanted.difference(got).collect();
    let extra: Vec<_> = got.difference(wanted).collect();
    assert!(
        missing.is_empty() && extra.is_empty(),
        "{what}\nmissing: {missing:#?}\ntoo many: {extra:#?}"
    );
}

#[test]
fn the_built_file_exports_exactly_the_list() {
    same(
        "libmysqlclient_ms.so against exports.list",
        &elf::exports(&elf::library()),
        &promised(),
    );
}

#[test]
fn the_list_has_every_symbol_of_the_originals_under_every_node() {
    let promised = promised();
    for library in ORIGINALS {
        for wanted in committed(library) {
            let found = promised
                .iter()
                .find(|s| s.name == wanted.name && s.node == wanted.node);
            let found =
                found.unwrap_or_else(|| panic!("{}@{} of {library}", wanted.name, wanted.node));
            assert_eq!(
                (found.kind, found.size),
                (wanted.kind, wanted.size),
                "{}",
                wanted.name
            );
        }
    }
}

#[test]
fn the_list_has_nothing_else_but_our_own_functions() {
    let originals: BTreeSet<(String, String)> = ORIGINALS
        .iter()
        .flat_map(|l| committed(l))
        .map(|s| (s.name, s.node))
        .collect();
    for symbol in promised() {
        if symbol.node == list::OWN_NODE {
            assert!(
                symbol.name.starts_with("mysqlnd_ms_") || symbol.kind == "version",
                "{}",
                symbol.name
            );
        } else {
            assert!(
                originals.contains(&(symbol.name.clone(), symbol.node.clone())),
                "{symbol:?}"
            );
        }
    }
}

/// One library has one default per name. Within Connector/C's nodes it is the original's where MySQL lacks the name;
/// where MySQL has it, the newest libmysqlclient's. The soname folder gives every ABI its own defaults.
#[test]
fn defaults_are_those_of_libmysqlclient_24_and_else_of_connector_c() {
    let mysql = committed("libmysqlclient.so.24");
    let mariadb = committed("libmariadb.so.3");
    for symbol in promised()
        .iter()
        .filter(|s| s.node != list::OWN_NODE && s.default)
    {
        let of_mysql = mysql.iter().any(|s| s.name == symbol.name);
        let of_mariadb = mariadb.iter().find(|s| s.name == symbol.name && s.default);
        let wanted = match (of_mysql, of_mariadb) {
            (true, _) => "libmysqlclient_24.0",
            (false, Some(original)) => &original.node,
            (false, None) => "libmysqlclient_21.0",
        };
        assert_eq!(symbol.node, wanted, "{}", symbol.name);
    }
}

/// A reference without a version gets the first node's symbol, see `list::NODES`.
#[test]
fn the_first_node_is_connector_cs() {
    let nodes = elf::nodes(&elf::library());
    let wanted: Vec<&str> = list::NODES.iter().map(|(_, full)| *full).collect();
    assert_eq!(nodes[..wanted.len()], wanted[..]);
    assert_eq!(nodes[0], "libmysqlclient_18");
}

/// The committed table against the libraries of this machine, when they are there. 3.4 and 3.3 have the same names.
#[test]
fn the_committed_table_is_that_of_the_installed_originals() {
    let mut compared = 0;
    if let Some(path) = elf::system_library("libmariadb.so.3") {
        same(
            "libmariadb.so.3",
            &elf::exports(&path),
            &committed("libmariadb.so.3"),
        );
        compared += 1;
    }
    if let Some(prefix) = elf::mysql_prefix() {
        let path = elf::find_below(&prefix, "libmysqlclient.so.24")
            .expect("MYSQL_PREFIX has libmysqlclient.so.24");
        same(
            "libmysqlclient.so.24",
            &elf::exports(&path),
            &committed("libmysqlclient.so.24"),
        );
        compared += 1;
    }
    assert!(
        compared > 0 || std::env::var_os("CI").is_none(),
        "in CI at least one original must be there"
    );
}
