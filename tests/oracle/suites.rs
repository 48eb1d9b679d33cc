//! Where the servers' test suites are, and which of their scripts are run.

use harness::Family;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Folders of scripts that one connection to one server can run. The others test replication, clusters, plugins, tools.
const MARIADB: &[&str] = &[
    "main",
    "suite/archive",
    "suite/compat/oracle/t",
    "suite/csv",
    "suite/engines/funcs/t",
    "suite/engines/iuds/t",
    "suite/funcs_1/t",
    "suite/gcol/t",
    "suite/heap",
    "suite/innodb/t",
    "suite/innodb_fts/t",
    "suite/innodb_gis/t",
    "suite/jp/t",
    "suite/json/t",
    "suite/maria",
    "suite/merge",
    "suite/optimizer_unfiltered/t",
    "suite/parts/t",
    "suite/period/t",
    "suite/roles",
    "suite/sql_sequence",
    "suite/stress/t",
    "suite/sys_vars/t",
    "suite/sysschema/t",
    "suite/unit",
    "suite/vcol/t",
    "suite/versioning/t",
    "plugin/type_inet/type_inet",
    "plugin/type_uuid/type_uuid",
];
const MYSQL: &[&str] = &[
    "t",
    "suite/collations/t",
    "suite/engines/funcs/t",
    "suite/engines/iuds/t",
    "suite/funcs_1/t",
    "suite/funcs_2/t",
    "suite/gcol/t",
    "suite/gis/t",
    "suite/innodb/t",
    "suite/innodb_fts/t",
    "suite/innodb_gis/t",
    "suite/interactive_utilities/t",
    "suite/jp/t",
    "suite/json/t",
    "suite/large_tests/t",
    "suite/opt_trace/t",
    "suite/parts/t",
    "suite/special/t",
    "suite/stress/t",
    "suite/sys_vars/t",
    "suite/sysschema/t",
];

/// Scripts that are left out, by a part of their names: they need hours, gigabytes, or servers of their own.
const NOT: &[&str] = &[
    "/rpl_",
    "big",
    "large_tests",
    "mysqldump",
    "mysqlbinlog",
    "mysqladmin",
    "mysqlcheck",
    "mysqlslap",
    "mysqlpump",
    "mysqlshow",
    "mysql_upgrade",
    "mysql_client_test",
    "shutdown",
    "restart",
    "crash",
    "upgrade",
    "wl6711",
    "percona_",
    "innodb_stress",
    "bootstrap",
];

/// One script.
pub struct Script {
    /// Its name inside of the suites.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

fn home() -> PathBuf {
    match std::env::var_os("CACHE").filter(|value| !value.is_empty()) {
        Some(cache) => Path::new(&cache).join("oracle"),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join(".cache/oracle"),
    }
}

/// Where the family's suites are; None if they are not there, which with CI in the environment is a failure.
fn folder(family: Family) -> Option<PathBuf> {
    let folder = home().join(family.name());
    if !folder.join("complete").exists() {
        let missing = format!("{} is not there (tests/oracle/get-suites.sh brings it)", folder.display());
        assert!(std::env::var_os("CI").is_none_or(|value| value.is_empty()), "{missing}");
        eprintln!("oracle: {family} is left out: {missing}");
        return None;
    }
    Some(folder)
}

/// All scripts of the family's, by name, those too that nothing here can run.
pub fn every(family: Family) -> Option<Vec<Script>> {
    let home = folder(family)?;
    let (mut folders, mut found) = (vec![home.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "test") {
                let name = path.strip_prefix(&home).unwrap_or(&path).to_string_lossy().into_owned();
                found.push(Script { name, path });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Some(found)
}

/// The family's scripts that are run, by name; None if the suites are not there.
pub fn scripts(family: Family) -> Option<Vec<Script>> {
    let folder = folder(family)?;
    let only = std::env::var("ORACLE_ONLY").unwrap_or_default();
    let parts = if family == Family::MariaDb { MARIADB } else { MYSQL };
    let mut found = Vec::new();
    for part in parts {
        for entry in std::fs::read_dir(folder.join(part)).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = format!("{part}/{}", entry.file_name().to_string_lossy());
            let chosen = name.ends_with(".test") && name.contains(&only) && !NOT.iter().any(|not| name.contains(not));
            if chosen {
                found.push(Script { name, path });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(!found.is_empty(), "no script in {}", folder.display());
    Some(found)
}

/// A sample takes none that are longer: a few have thousands of ALTER TABLE.
pub const SAMPLE_BYTES: u64 = 24_000;

/// So many of them, in an order of the seed's; unless all are wanted, none that is longer than `longest`.
pub fn draw(mut scripts: Vec<Script>, count: usize, seed: u64, longest: u64) -> Vec<Script> {
    if count < scripts.len() {
        scripts.retain(|script| std::fs::metadata(&script.path).is_ok_and(|data| data.len() <= longest));
    }
    scripts.sort_by_cached_key(|script| {
        let mut hasher = DefaultHasher::new();
        (seed, &script.name).hash(&mut hasher);
        hasher.finish()
    });
    scripts.truncate(count);
    scripts
}
