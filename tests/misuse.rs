//! Layer "misuse": every exported function that takes a handle is called with every kind of wrong one, by `c_tests/misuse`,
//! each call in a process of its own.
//!
//! Where the original of the family lives through the call, ours answers as it does, or, on memory that is no handle (any
//! more), with the failure value that `src/abi/exports.list` gives it. Where the original dies, ours lives. What differs
//! nevertheless is in [`DIFFERS`] with its reason. A function without a row in the program's tables fails the test.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use harness::{Cluster, Family, Spec, control, library};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Functions without a handle.
const WITHOUT_HANDLE: &[&str] = &[
    "get_tty_password",
    "handle_options",
    "ma_pvio_register_callback",
    "mariadb_convert_string",
    "mariadb_field_attr",
    "mariadb_get_charset_by_name",
    "mariadb_get_charset_by_nr",
    "my_load_defaults",
    "my_make_scrambled_password",
    "mysql_debug",
    "mysql_embedded",
    "mysql_escape_string",
    "mysql_get_charset_by_name",
    "mysql_get_charset_by_nr",
    "mysql_get_client_info",
    "mysql_get_client_info_with_version_update",
    "mysql_get_client_version",
    "mysql_get_parameters",
    "mysql_hex_string",
    "mysql_init",
    "mysql_net_field_length",
    "mysql_plugin_get_option",
    "mysql_plugin_options",
    "mysql_reset_server_public_key",
    "mysql_server_end",
    "mysql_server_init",
    "mysql_thread_end",
    "mysql_thread_init",
    "mysql_thread_safe",
    "mysqlnd_ms_get_stats",
    "mysqlnd_ms_match_wild",
    "mysqlnd_ms_query_is_select",
    "mysqlnd_ms_set_user_filter",
];

/// On a handle of another library that has the same layout, these read the public fields, which mean the same there; on
/// one that is being connected, what is known so far.
const READERS: &[&str] = &[
    "mariadb_connection",
    "mariadb_get_info",
    "mariadb_get_infov",
    "mysql_affected_rows",
    "mysql_character_set_name",
    "mysql_errno",
    "mysql_error",
    "mysql_field_count",
    "mysql_get_character_set_info",
    "mysql_get_connect_nonblocking_stage",
    "mysql_get_host_info",
    "mysql_get_proto_info",
    "mysql_get_server_info",
    "mysql_get_server_version",
    "mysql_get_socket",
    "mysql_info",
    "mysql_insert_id",
    "mysql_real_escape_string",
    "mysql_real_escape_string_quote",
    "mysql_sqlstate",
    "mysql_stmt_affected_rows",
    "mysql_stmt_sqlstate",
    "mysql_thread_id",
    "mysql_warning_count",
];

/// Where ours answers otherwise: family, state, function, why.
const DIFFERS: &[(&str, &str, &str, &str)] = &[
    ("mysql", "null", "mysql_info", "tells of a tracing that we do not have"),
    (
        "mysql",
        "refused",
        "mysql_get_server_info_with_version_update",
        "2013, as for a handle that never tried to connect",
    ),
    ("mysql", "killed", "mysql_read_query_result", "2014 without a look at the socket: nothing was sent"),
    ("mariadb", "killed", "mysql_read_query_result", "2014 without a look at the socket: nothing was sent"),
    ("mysql", "unread", "mysql_read_query_result", "2014: the original takes a row for an answer"),
    ("mariadb", "unread", "mysql_read_query_result", "2014: the original takes a row for an answer"),
    ("mariadb", "killed-statement", "mysql_stmt_prepare", "2006, as without a statement before it: no 5014"),
    ("mariadb", "killed-statement", "mariadb_stmt_execute_direct", "the same"),
    ("mysql", "closed-unbuffered", "mysql_eof", "1, so that a loop ends"),
    ("mariadb", "closed-unbuffered", "mysql_eof", "1, so that a loop ends"),
];

/// Memory that is no handle, or none of ours, or one that something is going on with: the failure value will do.
fn is_dead(state: &str) -> bool {
    ["null", "closed", "disconnected", "zeroed", "opening"].contains(&state)
        || ["zeroed-", "foreign", "other-"].iter().any(|start| state.starts_with(start))
}

/// What a function returns that fails, in the program's words.
struct Failure(HashMap<String, (String, String)>);

impl Failure {
    fn read() -> Self {
        let list = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/abi/exports.list")).unwrap();
        let rows = list.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        Failure(
            rows.map(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                (words[0].to_owned(), (words[6].to_owned(), words[7].to_owned()))
            })
            .collect(),
        )
    }

    fn is(&self, function: &str, value: &str) -> bool {
        let (first, fails) = &self.0[function];
        let pointed = first.starts_with("ret");
        match fails.as_str() {
            "void" => value == "void",
            "null" if pointed => value == "ended, returned 0",
            "1" | "-1" if pointed => value == "ended, returned something",
            _ if function.ends_with("_start") || function.ends_with("_cont") => value == "ended",
            "empty" => value == "''" || value == "'00000'",
            "-1" if value == "4294967295" => true, // Connector/C's packet_error
            "1" | "-1" | "2" => value == "fails" || value == fails,
            other => value == other,
        }
    }
}

/// The program, its command without and with our library.
struct Program {
    family: Family,
    file: PathBuf,
    original: PathBuf,
}

fn prefix() -> PathBuf {
    harness::family::mysql_prefix().join("root/usr")
}

impl Program {
    fn new(family: Family) -> Self {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("c_tests/misuse");
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("misuse-{family}"));
        let mut cc = Command::new("cc");
        cc.args(["-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-rdynamic", "-o"]).arg(&file);
        cc.arg(sources.join("misuse.c")).arg(sources.join("calls.c"));
        let original = match family {
            Family::MariaDb => {
                let flags = Command::new("mariadb_config").arg("--cflags").output().unwrap();
                cc.args(String::from_utf8(flags.stdout).unwrap().split_whitespace());
                cc.arg("-lmariadb");
                PathBuf::from("libmariadb.so.3")
            }
            Family::MySql => {
                let root = prefix();
                let libraries = root.join("lib/x86_64-linux-gnu");
                cc.arg("-I").arg(root.join("include")).arg("-I").arg(root.join("include/mysql"));
                cc.arg("-L").arg(&libraries).args(["-l:libmysqlclient.so.24", "-Wl,--allow-shlib-undefined"]);
                libraries.join("libmysqlclient.so.24")
            }
        };
        let compiled = cc.output().unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        Program { family, file, original }
    }

    fn command(&self, ours: bool) -> Command {
        let library = library();
        let mut command = match self.family {
            Family::MariaDb => {
                let mut command = Command::new(&self.file);
                if ours {
                    command.env("LD_PRELOAD", &library);
                }
                command
            }
            Family::MySql => {
                let libraries = prefix().join("lib/x86_64-linux-gnu");
                let path = format!("{}:{}", libraries.display(), prefix().join("lib/mysql/private").display());
                let mut command = Command::new(libraries.join("ld-linux-x86-64.so.2"));
                if ours {
                    command.arg("--preload").arg(&library);
                }
                command.arg("--library-path").arg(path).arg(&self.file);
                command.env("LIBMYSQL_PLUGIN_DIR", prefix().join("lib/mysql/plugin"));
                command
            }
        };
        if ours {
            command.arg(&self.original);
        }
        // What is freed is overwritten, so that who uses it is found out on every run.
        command.env("MALLOC_PERTURB_", "165").env("GLIBC_TUNABLES", "glibc.malloc.perturb=165");
        command.env("RES_OPTIONS", "timeout:1 attempts:1").stdin(Stdio::null());
        command
    }

    /// What came of each call, by state and function.
    fn run(&self, ours: bool, cluster: &Cluster) -> Vec<((String, String), String)> {
        let output = self.command(ours).envs(control::environment(cluster)).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && text.ends_with("\nend\n"), "{}\n{text}\n{errors}", output.status);
        assert!(!ours || errors.is_empty(), "ours wrote to standard error:\n{errors}");
        let calls = text.lines().filter_map(|line| {
            let (call, value) = line.split_once(": ")?;
            let (state, function) = call.split_once(' ')?;
            Some(((state.to_owned(), function.to_owned()), value.to_owned()))
        });
        calls.collect()
    }
}

/// Functions of the family that take a handle and were not called.
fn missing(family: Family, ours: &HashMap<(String, String), String>) -> Vec<String> {
    let list = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/abi/exports.list")).unwrap();
    let mut wrong = Vec::new();
    for line in list.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let nodes = if family == Family::MySql { words[1] } else { words[3] };
        let (name, first) = (words[0], words[6]);
        if nodes == "-" || ["data", "version"].contains(&first) {
            continue;
        }
        let called = ours.keys().any(|(_, function)| function == name);
        if called == WITHOUT_HANDLE.contains(&name) {
            wrong.push(format!("{name}: {}", if called { "has a handle after all" } else { "has no row" }));
        }
    }
    wrong
}

fn misused(family: Family) {
    if !harness::families().contains(&family) {
        return;
    }
    let cluster = Cluster::start(Spec::new(family, 0).general_log(false)).unwrap();
    let program = Program::new(family);
    let theirs: HashMap<_, _> = program.run(false, &cluster).into_iter().collect();
    let made = program.run(true, &cluster);
    let ours: HashMap<_, _> = made.iter().cloned().collect();
    let failure = Failure::read();
    let name = family.to_string();
    let mut report = String::new();
    for line in missing(family, &ours) {
        let _ = writeln!(report, "{line}");
    }
    for key in theirs.keys().filter(|key| !ours.contains_key(*key)) {
        let _ = writeln!(report, "{} {}: not called with ours", key.0, key.1);
    }
    for (key @ (state, function), value) in &made {
        let original = theirs.get(key).filter(|value| !value.starts_with("died"));
        let alone = value.split(" errno=").next().unwrap_or_default();
        let lived = !value.starts_with("died") && !value.starts_with("exit");
        // The state of the same kind of handle with this name.
        let sort = |name: &str| {
            state
                .rsplit_once('-')
                .filter(|(_, of)| *of != "family")
                .map_or(name.to_owned(), |(_, of)| format!("{name}-{of}"))
        };
        let as_if = |other: &str| theirs.get(&(other.to_owned(), function.clone())) == Some(value);
        let own = function.starts_with("mysqlnd_ms_");
        let good = lived
            && match original {
                Some(original) if original == value => true,
                Some(_) if !is_dead(state) || state.starts_with("null") => false,
                None if !is_dead(state) && !state.starts_with("null-") => true,
                // Both families' handles are theirs.
                None if own && state == "other-family" => true,
                None if (state.starts_with("foreign") || state == "opening")
                    && READERS.contains(&function.as_str()) =>
                {
                    true
                }
                None if [&sort("zeroed"), &sort("null")].iter().any(|other| as_if(other)) => true,
                _ => failure.is(function, alone),
            };
        let listed =
            DIFFERS.iter().any(|(whose, where_, what, _)| (*whose, *where_, *what) == (&*name, state, function));
        if good == listed {
            let original = theirs.get(key).map_or("(not made)", String::as_str);
            let why = if listed { "is listed in DIFFERS and does not" } else { "differs" };
            let _ = writeln!(report, "{state} {function} {why}\n    original: {original}\n    ours:     {value}");
        }
    }
    assert!(report.is_empty(), "{family}:\n{report}");
}

#[test]
fn connector_c_s_functions_survive_wrong_handles() {
    misused(Family::MariaDb);
}

#[test]
fn libmysqlclient_s_functions_survive_wrong_handles() {
    misused(Family::MySql);
}
