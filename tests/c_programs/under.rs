//! The C programs under a tool that watches memory: `C_PROGRAMS_UNDER=valgrind` or `=asan` (`make sanitize`). Only the
//! runs with our library are watched; what the tool finds goes to standard error, where these programs must write nothing.
//!
//! Both interfaces are then run by the system's own loader against the soname folder, without any original: a tool sees
//! one C library, and nobody else's mistakes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use harness::Family;

/// What watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// memcheck: wrong reads and writes, use of what was never written, memory that nobody can free any more.
    Valgrind,
    /// AddressSanitizer: `MS_LIBRARY` names a library that was built with it, the programs are built with the C compiler's.
    Asan,
}

/// The tool that this run was asked to use.
pub fn tool() -> Option<Tool> {
    let name = std::env::var("C_PROGRAMS_UNDER").ok()?;
    match name.as_str() {
        "" => None,
        "valgrind" => Some(Tool::Valgrind),
        "asan" => Some(Tool::Asan),
        other => panic!("C_PROGRAMS_UNDER={other}: valgrind or asan"),
    }
}

/// What the C compiler is told besides.
pub fn flags() -> &'static [&'static str] {
    match tool() {
        Some(Tool::Asan) => &["-fsanitize=address", "-fno-omit-frame-pointer"],
        _ => &[],
    }
}

/// A name for what was compiled for a tool.
pub fn suffix() -> &'static str {
    match tool() {
        Some(Tool::Asan) => "-asan",
        _ => "",
    }
}

/// The folder in which `library` has the originals' names.
fn sonames(library: &Path) -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("sonames{}", suffix()));
        std::fs::create_dir_all(&folder).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/abi/soname/build.sh");
        let built = Command::new("sh").arg(script).arg(library.parent().unwrap()).arg(&folder).output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        folder
    })
}

/// The command that runs the program `file` with `library`, watched.
pub fn command(tool: Tool, file: &Path, library: &Path) -> Command {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c_programs");
    let mut command = match tool {
        Tool::Valgrind => {
            let mut command = Command::new("valgrind");
            command.args(["--quiet", "--error-exitcode=99", "--child-silent-after-fork=yes", "--num-callers=30"]);
            command.args(["--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"]);
            command.arg(format!("--suppressions={}", folder.join("valgrind.supp").display())).arg(file);
            command
        }
        Tool::Asan => {
            let mut command = Command::new(file);
            command.env("ASAN_OPTIONS", "exitcode=99:detect_leaks=1:abort_on_error=0");
            let list = folder.join("lsan.supp");
            command.env("LSAN_OPTIONS", format!("suppressions={}:print_suppressions=0", list.display()));
            command
        }
    };
    command.env("LD_LIBRARY_PATH", sonames(library));
    command
}

/// Programs that every run of the tests watches by valgrind.
const SAMPLE: &[&str] = &["results", "stmt_functions", "handle"];

#[test]
fn a_sample_of_programs_is_clean_under_valgrind() {
    if tool().is_some() {
        return;
    }
    let library = super::library();
    for program in SAMPLE {
        for abi in super::abis() {
            let family = if abi == super::Abi::MariaDb { Family::MariaDb } else { Family::MySql };
            if !harness::families().contains(&family) {
                continue;
            }
            let cluster = super::server(family);
            let original = super::run(super::command(program, abi, None), cluster);
            let mut watched = command(Tool::Valgrind, &super::compiled(program, abi), &library);
            super::plain_environment(&mut watched, abi);
            let watched = super::run(watched, cluster);
            let errors = super::text(&watched.stderr);
            assert!(watched.status.success() && errors.is_empty(), "{program}, {abi:?}: {}\n{errors}", watched.status);
            let wrong = super::judge(&super::text(&original.stdout), &super::text(&watched.stdout));
            assert!(wrong.is_empty(), "{program}, {abi:?}, under valgrind: {wrong:#?}");
        }
    }
}
