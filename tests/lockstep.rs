//! Layer "lockstep": `c_tests/lockstep` makes the same random calls in the original of a family and in ours, loaded into
//! one process, and compares everything that can be observed of each call (see its `lockstep.h`).
//!
//! By default a fixed list of episodes, short and long, so that a change elsewhere cannot find an old difference. With
//! LOCKSTEP_SECONDS set, that long per pair of library and server, beginning with LOCKSTEP_SEED (else the clock's), in
//! episodes of LOCKSTEP_CALLS calls: `make lockstep`.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use harness::{Cluster, Family, Spec, control, library};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// Episodes of the run in `make test`: first seed, how many, calls of each. Short ones and long ones, of those that go without a
/// difference that is known (docs/quirks.md, "Lockstep").
fn episodes(family: Family) -> &'static [[u64; 3]] {
    match family {
        Family::MariaDb => &[[1, 25, 60], [301, 1, 400], [304, 1, 400], [306, 1, 400], [308, 1, 400]],
        Family::MySql => &[[17, 17, 300], [301, 2, 1000], [304, 5, 1000]],
    }
}

/// The compiled oracle of one family, and how it is started.
struct Oracle {
    family: Family,
    program: PathBuf,
    sonames: PathBuf,
}

fn prefix() -> PathBuf {
    harness::family::mysql_prefix().join("root/usr")
}

impl Oracle {
    fn new(family: Family) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lockstep");
        let sonames = out.join("sonames");
        std::fs::create_dir_all(&sonames).unwrap();
        let folder = library().parent().unwrap().to_path_buf();
        let built =
            Command::new("sh").arg(root.join("src/abi/soname/build.sh")).arg(folder).arg(&sonames).output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let program = out.join(format!("lockstep-{family}"));
        let mut cc = Command::new("cc");
        cc.args(["-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program);
        for file in ["main", "trace", "sql", "handle_ops", "result_ops", "stmt_ops"] {
            cc.arg(root.join(format!("c_tests/lockstep/{file}.c")));
        }
        match family {
            Family::MariaDb => {
                let flags = Command::new("mariadb_config").arg("--cflags").output().unwrap();
                cc.args(String::from_utf8(flags.stdout).unwrap().split_whitespace());
            }
            Family::MySql => {
                cc.arg("-I").arg(prefix().join("include")).arg("-I").arg(prefix().join("include/mysql"));
            }
        }
        let compiled = cc.arg("-ldl").output().unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        Oracle { family, program, sonames }
    }

    fn command(&self) -> Command {
        match self.family {
            Family::MariaDb => {
                let mut command = Command::new(&self.program);
                command.arg("libmariadb.so.3").arg(self.sonames.join("libmariadb.so.3"));
                command
            }
            Family::MySql => {
                let libraries = prefix().join("lib/x86_64-linux-gnu");
                let path = format!("{}:{}", libraries.display(), prefix().join("lib/mysql/private").display());
                let mut command = Command::new(libraries.join("ld-linux-x86-64.so.2"));
                command.arg("--library-path").arg(path).arg(&self.program);
                command.arg(libraries.join("libmysqlclient.so.24")).arg(self.sonames.join("libmysqlclient.so.24"));
                command.env("LIBMYSQL_PLUGIN_DIR", prefix().join("lib/mysql/plugin"));
                command
            }
        }
    }
}

#[test]
fn random_calls_are_the_originals() {
    let setting = |name: &str| std::env::var(name).ok();
    for family in harness::families() {
        let cluster = Cluster::start(Spec::new(family, 0).general_log(false)).unwrap();
        let oracle = Oracle::new(family);
        let run = |arguments: &[String]| {
            let mut command = oracle.command();
            command.envs(control::environment(&cluster)).args(["--without", "cut"]).args(arguments);
            // cargo's would find a library that was built at another time.
            command.env_remove("LD_LIBRARY_PATH");
            let output = command.output().unwrap();
            let printed = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success() && printed.ends_with(": no difference\n"),
                "{family}: {}\n{printed}{}",
                output.status,
                String::from_utf8_lossy(&output.stderr)
            );
            eprint!("{family}: {printed}");
        };
        let arguments = |list: &[(&str, String)]| -> Vec<String> {
            list.iter().flat_map(|(name, value)| [(*name).to_owned(), value.clone()]).collect()
        };
        match setting("LOCKSTEP_SECONDS") {
            Some(seconds) => {
                let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs().to_string();
                let calls = setting("LOCKSTEP_CALLS").unwrap_or_else(|| "1000".to_owned());
                let seed = setting("LOCKSTEP_SEED").unwrap_or(clock);
                run(&arguments(&[("--seconds", seconds), ("--calls", calls), ("--seed", seed)]));
            }
            None => {
                for [seed, count, calls] in episodes(family) {
                    let numbers = [("--seed", seed), ("--episodes", count), ("--calls", calls)];
                    run(&arguments(&numbers.map(|(name, number)| (name, number.to_string()))));
                }
            }
        }
    }
}
