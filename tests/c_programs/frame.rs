//! How a program is compiled, run with the original and with ours, and what they print compared.

use super::under;
pub(super) use harness::library;
use harness::{Cluster, Family, Spec, control};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, OnceLock};

/// The C interface a program is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Abi {
    MariaDb,
    MySql,
}

/// The MySQL family's headers, library and loader, when they are on this machine.
pub(super) fn prefix() -> Option<PathBuf> {
    let prefix = harness::family::mysql_prefix();
    prefix.join("root/usr/include/mysql/mysql.h").is_file().then(|| prefix.canonicalize().unwrap())
}

pub(super) fn abis() -> Vec<Abi> {
    if prefix().is_some() {
        return vec![Abi::MariaDb, Abi::MySql];
    }
    assert!(std::env::var_os("CI").is_none_or(|ci| ci.is_empty()), "the MySQL headers are not there");
    eprintln!("c_programs: the MySQL headers are not there: its interface is left out");
    vec![Abi::MariaDb]
}

/// The interface of programs on what only libmysqlclient has.
pub(super) fn mysql_only() -> Vec<Abi> {
    abis().into_iter().filter(|abi| *abi == Abi::MySql).collect()
}

/// A single server of `family`, started by the first who asks, for all tests of this file.
pub(super) fn server(family: Family) -> &'static Cluster {
    static SERVERS: [OnceLock<Cluster>; 2] = [OnceLock::new(), OnceLock::new()];
    SERVERS[usize::from(family == Family::MySql)]
        .get_or_init(|| Cluster::start(Spec::new(family, 0).general_log(false)).unwrap())
}

/// The same of a server that takes packets of 1 MiB at most.
pub(super) fn narrow_server(family: Family) -> &'static Cluster {
    static SERVERS: [OnceLock<Cluster>; 2] = [OnceLock::new(), OnceLock::new()];
    SERVERS[usize::from(family == Family::MySql)].get_or_init(|| {
        let spec = Spec::new(family, 0).general_log(false).server_arg("--max_allowed_packet=1M");
        Cluster::start(spec).unwrap()
    })
}

/// The same of a server that takes packets larger than the protocol's.
pub(super) fn wide_server(family: Family) -> &'static Cluster {
    static SERVERS: [OnceLock<Cluster>; 2] = [OnceLock::new(), OnceLock::new()];
    SERVERS[usize::from(family == Family::MySql)].get_or_init(|| {
        let spec = Spec::new(family, 0).general_log(false).server_arg("--max_allowed_packet=64M");
        let spec = spec.server_arg("--local_infile=1");
        Cluster::start(spec).unwrap()
    })
}

/// The same of a server whose binary log nobody else writes to.
pub(super) fn logging_server(family: Family) -> &'static Cluster {
    static SERVERS: [OnceLock<Cluster>; 2] = [OnceLock::new(), OnceLock::new()];
    SERVERS[usize::from(family == Family::MySql)]
        .get_or_init(|| Cluster::start(Spec::new(family, 0).general_log(false)).unwrap())
}

/// Compiles a program once per interface; every warning is an error.
pub(super) fn compiled(program: &str, abi: Abi) -> PathBuf {
    static DONE: Mutex<Option<HashMap<String, PathBuf>>> = Mutex::new(None);
    let mut done = DONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let done = done.get_or_insert_with(HashMap::new);
    let key = format!("{program}-{abi:?}{}", under::suffix());
    if let Some(file) = done.get(&key) {
        return file.clone();
    }
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("c_tests");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(&key);
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-rdynamic", "-o"]).arg(&out);
    cc.arg(sources.join(format!("{program}.c"))).args(under::flags());
    match abi {
        Abi::MariaDb => {
            let flags = Command::new("mariadb_config").arg("--cflags").output().unwrap();
            cc.args(String::from_utf8(flags.stdout).unwrap().split_whitespace());
            cc.arg("-lmariadb");
        }
        Abi::MySql => {
            let root = prefix().unwrap().join("root/usr");
            cc.arg("-I").arg(root.join("include")).arg("-I").arg(root.join("include/mysql"));
            cc.arg("-L").arg(root.join("lib/x86_64-linux-gnu"));
            cc.args(["-l:libmysqlclient.so.24", "-Wl,--allow-shlib-undefined"]);
        }
    }
    let output = cc.output().unwrap();
    assert!(output.status.success(), "compiling {key}:\n{}", String::from_utf8_lossy(&output.stderr));
    done.insert(key, out.clone());
    out
}

/// The command that runs `program`, with `preload` if any: the MySQL interface needs the prefix's own loader.
pub(super) fn command(program: &str, abi: Abi, preload: Option<&Path>) -> Command {
    let file = compiled(program, abi);
    let mut command = match abi {
        _ if under::tool().is_some() && preload.is_some() => {
            under::command(under::tool().unwrap(), &file, preload.unwrap())
        }
        Abi::MariaDb => {
            let mut command = Command::new(file);
            if let Some(library) = preload {
                command.env("LD_PRELOAD", library);
            }
            command
        }
        Abi::MySql => {
            let root = prefix().unwrap().join("root/usr");
            let libraries = root.join("lib/x86_64-linux-gnu");
            let path = format!("{}:{}", libraries.display(), root.join("lib/mysql/private").display());
            let mut command = Command::new(libraries.join("ld-linux-x86-64.so.2"));
            if let Some(library) = preload {
                command.arg("--preload").arg(library);
            }
            command.arg("--library-path").arg(path).arg(file);
            command
        }
    };
    plain_environment(&mut command, abi);
    command
}

/// Nothing from outside decides what a program does.
pub(super) fn plain_environment(command: &mut Command, abi: Abi) {
    if abi == Abi::MySql {
        command.env("LIBMYSQL_PLUGIN_DIR", prefix().unwrap().join("root/usr/lib/mysql/plugin"));
    }
    for name in ["MYSQL_PWD", "MYSQL_TCP_PORT", "MYSQL_UNIX_PORT", "MYSQL_HOST", "LANG", "LC_ALL"] {
        command.env_remove(name);
    }
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("MYSQLND_MS_") {
            command.env_remove(name);
        }
    }
    // Where there is no name service, nobody has to wait for it long.
    command.env("RES_OPTIONS", "timeout:1 attempts:1");
    command.stdin(Stdio::null());
}

pub(super) fn run(mut command: Command, cluster: &Cluster) -> Output {
    command.envs(control::environment(cluster)).output().unwrap()
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a program with ours must print, given what it printed with the original, and where it does not.
pub(super) fn judge(original: &str, ours: &str) -> Vec<String> {
    let careless = |line: &&str| line.starts_with('~');
    let compared = |text: &'_ str| text.lines().filter(|line| !line.starts_with('~')).map(str::to_owned).collect();
    let (theirs, mine): (Vec<String>, Vec<String>) = (compared(original), compared(ours));
    let allowed = ours.lines().filter(careless).filter(|line| line.contains(" rc=0 "));
    let mut wrong: Vec<String> = allowed.map(|line| format!("ours must refuse this: {line}")).collect();
    let mut section = "";
    for n in 0..theirs.len().max(mine.len()) {
        let a = theirs.get(n).map_or("(nothing)", String::as_str);
        let b = mine.get(n).map_or("(nothing)", String::as_str);
        if a.starts_with("== ") {
            section = a;
        }
        let good = match a.split_once(": died by signal") {
            Some((what, _)) => b == format!("{what}: lived, exit 0"),
            None => a == b,
        };
        if !good {
            wrong.push(format!("{section}\n    original: {a}\n    ours:     {b}"));
        }
    }
    wrong
}

/// The two outputs as `diff` shows them: lost lines must not make all that follow look wrong.
pub(super) fn diff(original: &str, ours: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let name = format!("{:?}", std::thread::current().id());
    let (a, b) = (folder.join(format!("original {name}")), folder.join(format!("ours {name}")));
    std::fs::write(&a, original).unwrap();
    std::fs::write(&b, ours).unwrap();
    let output = Command::new("diff").arg(&a).arg(&b).output().unwrap();
    text(&output.stdout).lines().take(120).map(|line| format!("  {line}\n")).collect()
}

/// Runs `program` everywhere with both libraries and compares.
pub(super) fn same(program: &str) {
    same_on(program, server, &abis());
}

/// The same on servers of another kind, or for some interfaces only.
pub(super) fn same_on(program: &str, server: fn(Family) -> &'static Cluster, abis: &[Abi]) {
    for family in harness::families() {
        same_with(program, server(family), abis, &[]);
    }
}

/// The same on one server, with more in the environment.
pub(super) fn same_with(program: &str, cluster: &Cluster, abis: &[Abi], environment: &[(&str, &Path)]) {
    let (library, family) = (library(), cluster.family());
    let mut report = String::new();
    for &abi in abis {
        let what = format!("{program}, interface {abi:?}, server {family}");
        let with = |preload| {
            let mut command = command(program, abi, preload);
            command.envs(environment.iter().copied());
            run(command, cluster)
        };
        let original = with(None);
        assert!(
            original.status.success(),
            "{what}: with the original: {}\n{}{}",
            original.status,
            text(&original.stdout),
            text(&original.stderr)
        );
        let printed = text(&original.stdout);
        assert!(printed.ends_with("\nend\n"), "{what}: the original did not come to its end");
        if std::env::var_os("MS_ORIGINALS_ONLY").is_some() {
            assert_eq!(printed, text(&with(None).stdout), "{what}: the original is not the same twice");
            continue;
        }
        let ours = with(Some(&library));
        let wrong = judge(&printed, &text(&ours.stdout));
        if !wrong.is_empty() {
            let _ = writeln!(report, "{what}: first, {}\n{}", wrong[0], diff(&printed, &text(&ours.stdout)));
        }
        if !ours.status.success() {
            let _ = writeln!(report, "{what}: with ours: {}", ours.status);
        }
        if !ours.stderr.is_empty() {
            let _ = writeln!(report, "{what}: ours wrote to standard error:\n{}", text(&ours.stderr));
        }
    }
    assert!(report.is_empty(), "\n{report}");
}
