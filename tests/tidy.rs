//! Reads the sources and holds the crate's rules that no compiler checks: which module may use which, where `unsafe` may
//! stand, how long a file may be, that the list of exports is sorted.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// Module, and the modules of the crate that it may use. `a::b` allows only that part of a module.
const ARROWS: &[(&str, &[&str])] = &[
    (
        "abi",
        &[
            "session",
            "result",
            "error",
            "charset",
            "options",
            "option_file",
            "env",
            "log",
            "statistics",
            "conn::driver",
        ],
    ),
    ("session", &["route", "cluster", "conn", "result", "error", "charset", "options", "env", "log", "statistics"]),
    // The random source is an argument.
    ("route", &["cluster", "error", "charset", "options", "env::Random"]),
    ("cluster", &["error", "options", "env", "log", "charset"]),
    ("conn", &["wire", "result", "error", "charset", "options", "env", "log"]),
    ("wire", &["result", "error", "charset", "options"]),
    ("result", &["error"]),
    ("charset", &["error", "options::Family"]),
    ("option_file", &["error", "options"]),
    ("options", &["error"]),
    ("error", &["options"]),
    ("env", &["error"]),
    ("log", &["error", "env"]),
    ("statistics", &[]),
    // The command line tool.
    ("main", &["*"]),
    ("cli", &["*"]),
];

/// Single files that may use more than their module: file, what, why.
const MORE: &[(&str, &str, &str)] = &[
    ("abi/cluster.rs", "route", "mysqlnd_ms_query_is_select and mysqlnd_ms_match_wild ask without a handle"),
    ("abi/user_filter.rs", "cluster", "the program's own filters are behind a trait of cluster"),
    ("abi/environment.rs", "cluster::Clusters", "makes the process's clusters, for sessions"),
];

/// Module, and words that must not occur in its code.
const BANNED: &[(&str, &[&str])] = &[
    ("session", &["libc::", "*mut ", "*const ", "serde_json"]),
    (
        "route",
        &[
            "std::net",
            "std::time",
            "std::fs",
            "std::thread",
            "Mutex<",
            "RwLock<",
            "OnceLock<",
            "LazyLock<",
            "sync::atomic",
            "static mut ",
            "thread_local!",
            "socket2",
            "rustix",
            "libc::",
        ],
    ),
    ("cluster", &["TcpStream", "UnixStream", "socket2"]),
    ("wire", &["std::net", "std::time", "std::thread", "socket2", "rustix", "libc::"]),
    ("result", &["std::net", "std::time", "std::thread", "libc::"]),
    ("error", &["std::net", "std::time", "std::thread", "libc::"]),
    ("charset", &["std::net", "std::time", "std::thread", "libc::"]),
];

/// Where `unsafe` may stand.
const UNSAFE: &[&str] = &["abi/", "result/arena.rs"];

const MAX_LINES: usize = 700;

/// Longer files, all of whose items have the same form.
const LONG: &[(&str, &str)] = &[("charset/table.rs", "one row per collation")];

struct Source {
    /// Below `src`.
    path: String,
    text: String,
    /// The text without comments, strings and the tests at its end; line by line as in the file.
    code: String,
}

impl Source {
    /// A module's tests in a file of their own.
    fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs")
    }
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(source(&root, path));
            }
        }
    }
    assert!(found.len() > 20, "the sources are found");
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn source(root: &Path, path: PathBuf) -> Source {
    let text = fs::read_to_string(&path).unwrap();
    let mut code = blank(&text);
    if let Some(tests) = code.find("#[cfg(test)]\nmod tests {") {
        code.truncate(tests);
    }
    Source { path: path.strip_prefix(root).unwrap().to_str().unwrap().to_owned(), text, code }
}

/// The same text with comments and the contents of strings and characters as spaces.
fn blank(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut i = 0;
    let wipe = |out: &mut Vec<u8>, from: usize, to: usize| {
        for byte in &mut out[from..to] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    };
    while i < bytes.len() {
        let rest = &bytes[i..];
        let word_before = i > 0 && (bytes[i - 1].is_ascii_alphanumeric() || bytes[i - 1] == b'_');
        if rest.starts_with(b"//") {
            let end = rest.iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| i + n);
            wipe(&mut out, i, end);
            i = end;
        } else if rest.starts_with(b"/*") {
            let end = text[i..].find("*/").map_or(bytes.len(), |n| i + n + 2);
            wipe(&mut out, i, end);
            i = end;
        } else if !word_before && raw_string(rest).is_some() {
            let hashes = raw_string(rest).unwrap();
            let start = i + rest.iter().position(|b| *b == b'"').unwrap() + 1;
            let close = format!("\"{}", "#".repeat(hashes));
            let end = text[start..].find(&close).map_or(bytes.len(), |n| start + n);
            wipe(&mut out, start, end);
            i = (end + close.len()).min(bytes.len());
        } else if rest[0] == b'"' {
            let mut end = i + 1;
            while end < bytes.len() && bytes[end] != b'"' {
                end += if bytes[end] == b'\\' { 2 } else { 1 };
            }
            wipe(&mut out, i + 1, end.min(bytes.len()));
            i = end + 1;
        } else if rest[0] == b'\'' {
            // A character, or a lifetime.
            let escaped = rest.len() > 1 && rest[1] == b'\\';
            let end =
                if escaped { rest.iter().skip(3).position(|b| *b == b'\'').map(|n| n + 3) } else { char_end(rest) };
            match end {
                Some(end) => {
                    wipe(&mut out, i + 1, i + end);
                    i += end + 1;
                }
                None => i += 1,
            }
        } else {
            i += 1;
        }
    }
    String::from_utf8(out).unwrap()
}

/// Hashes of a raw string that starts here, also with `b` or `c` in front.
fn raw_string(rest: &[u8]) -> Option<usize> {
    let rest = rest.strip_prefix(b"b").or(rest.strip_prefix(b"c")).unwrap_or(rest);
    let rest = rest.strip_prefix(b"r")?;
    let hashes = rest.iter().take_while(|b| **b == b'#').count();
    (rest.get(hashes) == Some(&b'"')).then_some(hashes)
}

/// Where the quote is that ends a plain character: after one, at most four bytes.
fn char_end(rest: &[u8]) -> Option<usize> {
    let end = rest.iter().skip(2).take(4).position(|b| *b == b'\'')? + 2;
    std::str::from_utf8(&rest[1..end]).ok().filter(|s| s.chars().count() == 1).map(|_| end)
}

/// `abi` of `abi/entry.rs` and of `abi.rs`.
fn module(path: &str) -> &str {
    path.split(['/', '.']).next().unwrap()
}

/// Every `crate::a::b` in the code, also out of `use crate::{a::b, c}`, with its line.
fn uses(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        if code[..at].ends_with('$') {
            continue; // in a macro: the path of a helper of the macro's own module
        }
        let line = code[..at].matches('\n').count() + 1;
        let rest = &code[at + "crate::".len()..];
        if let Some(list) = rest.strip_prefix('{') {
            let mut depth = 1;
            let mut item = String::new();
            for c in list.chars() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                if depth == 0 || (depth == 1 && c == ',') {
                    found.push((line, std::mem::take(&mut item).trim().to_owned()));
                    if depth == 0 {
                        break;
                    }
                } else {
                    item.push(c);
                }
            }
        } else {
            let path: String = rest.chars().take_while(|c| c.is_alphanumeric() || "_:".contains(*c)).collect();
            found.push((line, path));
        }
    }
    found.retain(|(_, path)| !path.is_empty());
    found
}

/// Whether a path is `what` or below it.
fn within(path: &str, what: &str) -> bool {
    path == what || path.starts_with(&format!("{what}::"))
}

#[test]
fn arrows_between_modules_go_down_only() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|s| s.path != "lib.rs" && !s.is_test()) {
        let from = module(&source.path);
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == from) else {
            wrong.push(format!("{}: module {from} has no row in ARROWS", source.path));
            continue;
        };
        for (line, path) in uses(&source.code) {
            let to = path.split("::").next().unwrap();
            let fine = to == from
                || allowed.contains(&"*")
                || allowed.iter().any(|a| within(&path, a))
                || MORE.iter().any(|(file, what, _)| *file == source.path && within(&path, what));
            if !fine {
                wrong.push(format!("{}:{line}: {from} must not use crate::{path}", source.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn modules_touch_nothing_that_is_not_theirs() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|s| !s.is_test()) {
        let from = module(&source.path);
        for word in BANNED.iter().filter(|(name, _)| *name == from).flat_map(|(_, words)| *words) {
            // The one file of `result` that C points into.
            if source.path == "result/arena.rs" {
                continue;
            }
            for (at, _) in source.code.match_indices(word) {
                let before = source.code[..at].chars().next_back().unwrap_or(' ');
                if word.ends_with(' ') && (before.is_alphanumeric() || before == '\'' || before == '_') {
                    continue; // `&'static str`
                }
                let line = source.code[..at].matches('\n').count() + 1;
                wrong.push(format!("{}:{line}: {from} must not touch {word:?}", source.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn unsafe_stands_where_it_may_and_says_why() {
    let mut wrong = Vec::new();
    for source in sources() {
        let may = UNSAFE.iter().any(|p| source.path == *p || (p.ends_with('/') && source.path.starts_with(p)));
        let code = blank(&source.text);
        let lines: Vec<&str> = source.text.lines().collect();
        for (number, line) in code.lines().enumerate() {
            let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            if !words.clone().any(|w| w == "unsafe" || w == "unsafe_code") {
                continue;
            }
            let here = format!("{}:{}", source.path, number + 1);
            if !may && source.path != "lib.rs" {
                wrong.push(format!("{here}: unsafe outside {UNSAFE:?}"));
            }
            let block = line.contains("unsafe {") || line.contains("unsafe impl");
            if block && !explained(&lines, number) {
                wrong.push(format!("{here}: no SAFETY comment"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A `// SAFETY:` comment on the line, or right above the statement that the line belongs to.
fn explained(lines: &[&str], number: usize) -> bool {
    if lines[number].contains("SAFETY:") {
        return true;
    }
    for line in lines[..number].iter().rev().take(12) {
        let line = line.trim();
        if line.contains("SAFETY:") {
            return true;
        }
        // Further lines of the comment, or the beginning of the statement.
        let ends_statement = line.ends_with(';') || line.ends_with('}') || line.is_empty();
        if ends_statement && !line.starts_with("//") {
            return false;
        }
    }
    false
}

#[test]
fn files_are_short_and_say_what_they_are_for() {
    let mut wrong = Vec::new();
    for source in sources() {
        let lines = source.text.lines().count();
        let long = LONG.iter().any(|(path, _)| *path == source.path);
        if long != (lines > MAX_LINES) {
            let word = if long { "is in LONG and need not be" } else { "is too long" };
            wrong.push(format!("{} {word}: {lines} lines", source.path));
        }
        if !source.text.starts_with("//!") && !source.is_test() {
            wrong.push(format!("{} does not begin with what it is for", source.path));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn exports_are_sorted_and_well_formed() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/abi/exports.list")).unwrap();
    let exports = mysqlclient_ms::abi::list::parse(&text).unwrap();
    assert!(exports.is_sorted_by(|a, b| a.name < b.name));
}

#[test]
fn blank_keeps_code_only() {
    let text = "a // unsafe\nb /* unsafe */ \"un\\\"safe\" 'x' '\\'' &'static c r#\"un\"safe\"# d";
    assert_eq!(
        blank(text).split_whitespace().collect::<Vec<_>>(),
        ["a", "b", "\"", "\"", "'", "'", "'", "'", "&'static", "c", "r#\"", "\"#", "d"]
    );
    assert_eq!(uses("use crate::{error::E, wire};\ncrate::log::x()").len(), 3);
}
