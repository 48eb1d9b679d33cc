//! The `mysql_config` that `make install` writes: its options, what it prints, and a compiler that is called with it.
#![allow(clippy::unwrap_used)]

mod elf;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Writes the script for an installation in `folder`; returns its path.
fn written(folder: &Path) -> PathBuf {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder.join("include")).unwrap();
    let output = Command::new("sh")
        .arg(root("src/abi/soname/mysql_config.sh"))
        .args([folder.join("lib"), folder.join("include"), folder.join("plugin")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let script = folder.join("mysql_config");
    fs::write(&script, output.stdout).unwrap();
    script
}

fn ask(script: &Path, options: &[&str]) -> Output {
    Command::new("sh").arg(script).args(options).output().unwrap()
}

fn lines(output: &Output) -> Vec<String> {
    assert!(output.status.success());
    String::from_utf8(output.stdout.clone()).unwrap().lines().map(str::to_owned).collect()
}

/// The options that a script's own list shows.
fn listed(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .filter_map(|line| {
            let (option, value) = line.trim().split_once(' ')?;
            let variable = !option.starts_with("--") && value.trim_start().starts_with('[');
            match option {
                "--variable=VAR" => None,
                _ if variable => Some(format!("--variable={option}")),
                _ => option.starts_with("--").then(|| option.to_owned()),
            }
        })
        .collect()
}

#[test]
fn answers_one_line_per_option_in_their_order() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("config-answers");
    let (script, at) = (written(&folder), folder.to_str().unwrap());
    let include = format!("-I{at}/include");
    let libs = format!("-L{at}/lib/mysqlclient-ms/link -lmysqlclient -L{at}/lib -lmysqlclient_ms");
    let asked = ["--libs", "--cflags", "--cxxflags", "--include", "--libs_r", "--libs_sys", "--plugindir", "--port"];
    let plugin = format!("{at}/plugin");
    assert_eq!(
        lines(&ask(&script, &asked)),
        [libs.as_str(), include.as_str(), include.as_str(), include.as_str(), libs.as_str(), "", plugin.as_str(), "0"]
    );
    assert_eq!(lines(&ask(&script, &["--socket"])), ["/var/run/mysqld/mysqld.sock"]);
    assert_eq!(lines(&ask(&script, &["--variable=pkgincludedir"])), [format!("{at}/include")]);
    assert_eq!(lines(&ask(&script, &["--variable=pkglibdir"])), [format!("{at}/lib/mysqlclient-ms/link")]);
    assert_eq!(lines(&ask(&script, &["--variable=plugindir"])), [plugin]);
}

#[test]
fn shows_its_options_for_none_and_for_an_unknown_one() {
    let script = written(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("config-usage"));
    for options in [vec![], vec!["--bindir"], vec!["--variable=ldata"], vec!["--version", "--nonsense"]] {
        let output = ask(&script, &options);
        assert_eq!(output.status.code(), Some(1), "{options:?}");
        assert!(listed(&output).len() > 10, "{options:?}");
    }
}

/// Whoever asks the originals' scripts something gets an answer here too.
#[test]
fn knows_the_originals_options() {
    let script = written(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("config-options"));
    let mut originals = Vec::new();
    if let Some(prefix) = elf::mysql_prefix() {
        let theirs = elf::find_below(&prefix, "mysql_config").expect("MYSQL_PREFIX has mysql_config");
        assert_eq!(lines(&ask(&script, &["--version"])), lines(&ask(&theirs, &["--version"])));
        assert_eq!(lines(&ask(&script, &["--port", "--socket"])), lines(&ask(&theirs, &["--port", "--socket"])));
        assert_eq!(ask(&theirs, &[]).status.code(), Some(1));
        originals.extend(listed(&ask(&theirs, &[])));
        assert!(originals.len() > 10);
    }
    if let Ok(output) = Command::new("mariadb_config").output() {
        // These tell of Connector/C itself, of its TLS library and of the embedded server.
        let own = ["--cc_version", "--tlsinfo", "--libmysqld-libs"];
        originals.extend(listed(&output).into_iter().filter(|option| !own.contains(&option.as_str())));
    }
    for option in originals {
        assert_eq!(lines(&ask(&script, &[&option])).len(), 1, "{option}");
    }
}

/// The headers are found with `--cflags`, by their plain names and below `mysql/`, as `make install` places them.
#[test]
fn a_program_compiles_with_its_flags() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("config-compile");
    let script = written(&folder);
    for entry in fs::read_dir(root("include")).unwrap().flatten() {
        fs::copy(entry.path(), folder.join("include").join(entry.file_name())).unwrap();
    }
    std::os::unix::fs::symlink(".", folder.join("include/mysql")).unwrap();
    let source = folder.join("program.c");
    fs::write(
        &source,
        "#include <mysql.h>\n#include <mysql/mysql.h>\n#include <mysql/client_plugin.h>\n#include <mysqld_error.h>\n\
         int main(void) { return mysql_get_client_version() + ER_DUP_ENTRY + (int)sizeof(struct auth_plugin_t); }\n",
    )
    .unwrap();
    let flags = lines(&ask(&script, &["--cflags"])).remove(0);
    let output = Command::new("cc")
        .args(flags.split_whitespace())
        .args(["-Wall", "-Wextra", "-Werror", "-fsyntax-only"])
        .arg(&source)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
