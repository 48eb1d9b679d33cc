//! Reads the dynamic symbols of a shared object with their versions, and finds the files that the tests look at.
#![allow(dead_code, clippy::unwrap_used, clippy::print_stderr)]

use object::elf::{SHN_ABS, SHT_DYNSYM, STT_FUNC, STT_OBJECT};
use object::read::elf::{ElfFile64, FileHeader as _, Sym as _};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// One exported symbol under one version node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Symbol {
    pub name: String,
    /// Version node; empty for a symbol without a version.
    pub node: String,
    /// `@@`
    pub default: bool,
    /// `function`, `object` or `version`
    pub kind: &'static str,
    /// Of objects; else 0.
    pub size: u64,
}

/// Every defined dynamic symbol.
pub fn exports(path: &Path) -> BTreeSet<Symbol> {
    let bytes = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let file = ElfFile64::<object::Endianness>::parse(&*bytes).unwrap();
    let (endian, data) = (file.endian(), file.data());
    let sections = file.elf_header().sections(endian, data).unwrap();
    let symbols = sections.symbols(endian, data, SHT_DYNSYM).unwrap();
    let versions = sections.versions(endian, data).unwrap();
    let mut found = BTreeSet::new();
    for (index, symbol) in symbols.enumerate() {
        if symbol.is_undefined(endian) || symbol.st_bind() == object::elf::STB_LOCAL {
            continue;
        }
        let name = String::from_utf8(symbol.name(endian, symbols.strings()).unwrap().to_vec()).unwrap();
        let (mut node, mut default) = (String::new(), true);
        if let Some(versions) = &versions {
            let at = versions.version_index(endian, index);
            default = !at.is_hidden();
            if let Some(version) = versions.version(at.into()).unwrap() {
                node = String::from_utf8(version.name().to_vec()).unwrap();
            }
        }
        let kind = if symbol.st_shndx(endian) == SHN_ABS {
            "version"
        } else if symbol.st_type() == STT_FUNC {
            "function"
        } else if symbol.st_type() == STT_OBJECT {
            "object"
        } else {
            "other"
        };
        let size = if kind == "object" { symbol.st_size(endian) } else { 0 };
        found.insert(Symbol { name, node, default, kind, size });
    }
    found
}

/// The version nodes in the order of their definition, without the base.
pub fn nodes(path: &Path) -> Vec<String> {
    let bytes = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let file = ElfFile64::<object::Endianness>::parse(&*bytes).unwrap();
    let (endian, data) = (file.endian(), file.data());
    let sections = file.elf_header().sections(endian, data).unwrap();
    let (definitions, strings) = sections.gnu_verdef(endian, data).unwrap().expect("has version definitions");
    let strings = sections.strings(endian, data, strings).unwrap();
    let mut names = Vec::new();
    let mut definitions = definitions;
    while let Some((definition, mut names_of)) = definitions.next().unwrap() {
        let name = names_of.next().unwrap().expect("a definition has a name");
        if definition.vd_flags.get(endian) & object::elf::VER_FLG_BASE == object::elf::VersionFlags(0) {
            names.push(String::from_utf8(name.name(endian, strings).unwrap().to_vec()).unwrap());
        }
    }
    names
}

/// The library as cargo built it for this very test run: beside the test's own program.
pub fn library() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    let path = program.parent().unwrap().join("libmysqlclient_ms.so");
    assert!(path.is_file(), "{} is missing: the crate is built as cdylib, too", path.display());
    path
}

/// A library of the system's by its file name, in the folders of Debian and of others.
pub fn system_library(name: &str) -> Option<PathBuf> {
    let arch = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    [arch.as_str(), "/usr/lib64", "/usr/lib"].iter().map(|d| Path::new(d).join(name)).find(|p| p.exists())
}

/// Where MySQL is, with its headers and its C library: what `tests/harness/get-mysql.sh` fills. None, with a word on
/// stderr, on a machine without; in CI that is a failure.
pub fn mysql_prefix() -> Option<PathBuf> {
    let prefix = harness::family::mysql_prefix();
    if prefix.is_dir() {
        return Some(prefix);
    }
    assert!(!in_ci(), "there is no MySQL in {}", prefix.display());
    eprintln!("no MySQL in {}: left out", prefix.display());
    None
}

/// `CI` is set and not empty: what cannot be tested is a failure.
pub fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|ci| !ci.is_empty())
}

/// A file of that name somewhere below `folder`.
pub fn find_below(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).ok()?.flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|t| t.is_dir()) {
                folders.push(path);
            } else if entry.file_name() == name {
                return Some(path);
            }
        }
    }
    None
}
