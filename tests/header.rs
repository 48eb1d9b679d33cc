//! The headers: `mysql.h` and its parts show libmysqlclient's interface, `mysqlclient_ms.h` is what cbindgen makes of
//! `src/abi/cluster.rs` (`UPDATE=1 cargo test --test header` writes it).
#![allow(clippy::unwrap_used)]

mod elf;

use mysqlclient_ms::abi::list;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("header");
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn compile(compiler: &str, arguments: &[&str]) {
    let output = Command::new(compiler).args(["-Wall", "-Wextra", "-Werror"]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{compiler} {arguments:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// Prototypes, numbers and texts are those of libmysqlclient 9.7.4.
#[test]
fn our_header_has_the_originals_interface() {
    let (include, api) = (root("include"), root("c_tests/api.c"));
    let out = folder().join("api-ours");
    compile("cc", &["-std=c11", "-I", include.to_str().unwrap(), api.to_str().unwrap(), "-o", out.to_str().unwrap()]);
}

/// And the table that says so is right.
#[test]
fn the_original_header_has_it_too() {
    let Some(prefix) = elf::mysql_prefix() else { return };
    let header = elf::find_below(&prefix, "mysql_version.h").expect("MYSQL_PREFIX has mysql_version.h");
    let (include, api) = (header.parent().unwrap(), root("c_tests/api.c"));
    let out = folder().join("api-original");
    let above = include.parent().unwrap();
    compile(
        "cc",
        &[
            "-std=c11",
            "-DWITH_PLUGINS",
            "-isystem",
            include.to_str().unwrap(),
            "-isystem",
            above.to_str().unwrap(),
            api.to_str().unwrap(),
            "-o",
            out.to_str().unwrap(),
        ],
    );
}

/// Every header stands alone, in strict C and in C++.
#[test]
fn headers_stand_alone() {
    let include = root("include");
    for entry in fs::read_dir(&include).unwrap().flatten() {
        let header = entry.file_name().into_string().unwrap();
        for (compiler, standard, suffix) in
            [("cc", "-std=c99", "c"), ("cc", "-std=c17", "c"), ("c++", "-std=c++17", "cc")]
        {
            let source = folder().join(format!("{header}.{suffix}"));
            fs::write(&source, format!("#include <{header}>\nint main(void) {{ return 0; }}\n")).unwrap();
            let source = source.to_str().unwrap().to_owned();
            compile(compiler, &[standard, "-pedantic", "-fsyntax-only", "-I", include.to_str().unwrap(), &source]);
        }
    }
}

/// `mysqld_error.h`: the names and numbers of the original's below 10000 (the rest is for the server's own log).
#[test]
fn mysqld_error_h_has_the_originals_numbers() {
    let ours = root("include/mysqld_error.h");
    let Some(prefix) = elf::mysql_prefix() else { return };
    let theirs = elf::find_below(&prefix, "mysqld_error.h").expect("MYSQL_PREFIX has mysqld_error.h");
    let defines: String = fs::read_to_string(theirs)
        .unwrap()
        .lines()
        .filter(|line| {
            let mut words = line.split_whitespace();
            words.next() == Some("#define") && words.nth(1).is_some_and(|n| n.parse::<u32>().is_ok_and(|n| n < 10_000))
        })
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(defines.lines().count() > 1900);
    let old = fs::read_to_string(&ours).unwrap();
    let (head, end) = (old.find("#define ER_").unwrap(), old.rfind("\n#endif").unwrap());
    let made = format!("{}{}{}", &old[..head], defines, &old[end..]);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&ours, made).unwrap();
        return;
    }
    assert!(old == made, "include/mysqld_error.h is old: run UPDATE=1 cargo test --test header");
}

/// Exported functions that no header of the original declares.
const UNDECLARED: [&str; 3] = ["handle_options", "my_load_defaults", "my_make_scrambled_password"];

#[test]
fn mysql_h_declares_every_exported_function() {
    let header = fs::read_to_string(root("include/mysql.h")).unwrap();
    let exports = list::parse(&fs::read_to_string(root("src/abi/exports.list")).unwrap()).unwrap();
    let mut functions = 0;
    for export in exports.iter().filter(|e| e.mysql.is_some() && !e.is_own() && !e.is_version() && !e.is_data()) {
        let declared = header.contains(&format!(" {}(", export.name)) || header.contains(&format!("*{}(", export.name));
        assert_ne!(declared, UNDECLARED.contains(&export.name.as_str()), "{}", export.name);
        functions += 1;
    }
    assert!(functions > 130);
}

/// `mysqlclient_ms.h`. cbindgen takes functions that rustc exports by name; ours are exported by a jump
/// (`src/abi/exports.rs`), so it is shown a copy of the source in which they are.
#[test]
fn mysqlclient_ms_h_is_up_to_date() {
    let (source, header) = (root("src/abi/cluster.rs"), root("include/mysqlclient_ms.h"));
    if !source.is_file() {
        assert!(!header.is_file(), "mysqlclient_ms.h is made from src/abi/cluster.rs, which is missing");
        return;
    }
    let text = fs::read_to_string(&source).unwrap();
    let text = text.replace(
        "pub unsafe extern \"C\" fn mysqlnd_ms_",
        "#[unsafe(no_mangle)] pub unsafe extern \"C\" fn mysqlnd_ms_",
    );
    let copy = folder().join("cluster.rs");
    fs::write(&copy, text).unwrap();
    let config = cbindgen::Config::from_file(root("cbindgen.toml")).unwrap();
    let bindings = cbindgen::Builder::new().with_config(config).with_src(&copy).generate().unwrap();
    let mut made = Vec::new();
    bindings.write(&mut made);
    let made = String::from_utf8(made).unwrap();
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&header, made).unwrap();
        return;
    }
    let old = "include/mysqlclient_ms.h is old: run UPDATE=1 cargo test --test header";
    assert!(fs::read_to_string(&header).unwrap_or_default() == made, "{old}");
    let version = env!("CARGO_PKG_VERSION");
    let numbers: Vec<u32> = version.split('.').map(|number| number.parse().unwrap()).collect();
    let id = numbers[0] * 10_000 + numbers[1] * 100 + numbers[2];
    assert!(made.contains(&format!("#define MYSQLND_MS_VERSION \"{version}\"\n")), "cbindgen.toml has the version");
    assert!(made.contains(&format!("#define MYSQLND_MS_VERSION_ID {id}\n")), "src/abi/cluster.rs has the version");
    let exports = list::parse(&fs::read_to_string(root("src/abi/exports.list")).unwrap()).unwrap();
    for export in exports.iter().filter(|e| e.is_own() && !e.is_version()) {
        assert!(made.contains(&format!("{}(", export.name)), "{} is declared", export.name);
    }
}
