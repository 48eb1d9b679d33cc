//! Where the programs are that `get-programs.sh` brings, and how one of them is started from there.

use crate::running::plain;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders with the programs' libraries, below `usr/lib`; the same list as in get-programs.sh.
const LIBRARIES: &[&str] = &[
    "x86_64-linux-gnu",
    "",
    "postfix",
    "dovecot",
    "dovecot/modules/old-stats",
    "freeradius",
    "R/lib",
    "x86_64-linux-gnu/blas",
    "x86_64-linux-gnu/lapack",
];

/// The folder that looks like a system's root; none when this machine has no programs.
///
/// # Panics
/// With `CI` in the environment, when they are not there: CI fails, it does not skip.
pub fn root() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let prefix = match (set("PROGRAMS_PREFIX"), set("CACHE")) {
        (Some(prefix), _) => PathBuf::from(prefix),
        (None, Some(cache)) => Path::new(&cache).join("programs"),
        (None, None) => Path::new(env!("CARGO_MANIFEST_DIR")).join(".cache/programs"),
    };
    if prefix.join("complete").exists() {
        return Some(prefix.canonicalize().unwrap().join("root"));
    }
    let lacking = format!("no programs in {} (tests/real_programs/get-programs.sh brings them)", prefix.display());
    assert!(set("CI").is_none(), "{lacking}");
    eprintln!("left out: {lacking}");
    None
}

/// The value of LD_LIBRARY_PATH for the programs below `root`.
pub fn library_path(root: &Path) -> String {
    let folders = LIBRARIES.iter().map(|folder| root.join("usr/lib").join(folder).display().to_string());
    folders.collect::<Vec<_>>().join(":")
}

/// A program that has some paths compiled in: it sees files of ours (left) where it looks for them (right).
/// proot does this without any rights.
pub fn with_paths(root: &Path, paths: &[(PathBuf, &str)]) -> Command {
    let mut command = plain(root.join("usr/bin/proot"));
    // Its shortcut by seccomp is not for every kernel.
    command.env("PROOT_NO_SECCOMP", "1");
    for (ours, theirs) in paths {
        command.arg("-b").arg(format!("{}:{theirs}", ours.display()));
    }
    command
}
