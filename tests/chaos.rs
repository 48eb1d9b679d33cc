//! Unchanged programs in Perl, Python and C on real clusters whose nodes are killed, frozen, restarted and promoted at random:
//! see `chaos/README.md`. Each family runs with semi-synchronous replication (no acknowledged write may be lost) and with
//! asynchronous (lost ones are named).
//!
//! `CHAOS_TIME` is the length of all four runs together, in seconds (default 60; `make chaos`: 600); `CHAOS_SEED` repeats a schedule.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use harness::{Cluster, Family, Spec, control, families, library};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

fn worker(chaos: &Path) -> PathBuf {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("chaos-worker");
    let flags = Command::new("mariadb_config").arg("--cflags").output().unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&out).arg(chaos.join("worker.c"));
    cc.args(String::from_utf8(flags.stdout).unwrap().split_whitespace()).arg("-lmariadb");
    let output = cc.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    out
}

/// Runs `run.py` on a cluster of its own; what it said.
fn run(family: Family, semi_sync: bool, time: f64, more: &[&str]) -> String {
    let spec = Spec::new(family, 2).general_log(false).semi_sync(semi_sync);
    let cluster = Arc::new(Cluster::start(spec).unwrap());
    let listener = control::listen(&cluster.folder().join("control")).unwrap();
    let orders = Arc::downgrade(&cluster);
    std::thread::spawn(move || {
        control::serve(&listener, |order| match orders.upgrade() {
            Some(cluster) => control::order_cluster(&cluster, order),
            None => Err(harness::Error("the cluster is ending".into())),
        });
    });
    let chaos = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/chaos");
    let mut command = Command::new("/usr/bin/python3");
    command.arg(chaos.join("run.py")).arg("--library").arg(library()).arg("--worker").arg(worker(&chaos));
    command.args(["--time", &time.to_string()]).envs(control::environment(&cluster));
    command.args(semi_sync.then_some("--semi-sync")).args(more);
    if let Ok(seed) = std::env::var("CHAOS_SEED") {
        command.args(["--seed", &seed]);
    }
    for name in ["LD_PRELOAD", "MYSQLND_MS_ENABLE", "MYSQLND_MS_CONFIG_FILE", "MYSQLND_MS_INI", "MYSQL_PWD"] {
        command.env_remove(name);
    }
    let output = command.output().unwrap();
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    println!("{said}");
    assert!(output.status.success(), "{family}: {}\n{said}\n{errors}", output.status);
    said.into_owned()
}

#[test]
fn programs_survive_what_happens_to_nodes_and_know_what_became_of_their_writes() {
    let time = std::env::var("CHAOS_TIME").map_or(60.0, |text| text.parse().expect("CHAOS_TIME is a number")) / 4.0;
    for family in families() {
        for semi_sync in [true, false] {
            run(family, semi_sync, time, &[]);
        }
    }
}

#[test]
fn the_writes_that_no_replica_had_are_named_when_their_primary_dies() {
    for family in families() {
        let said = run(family, false, 2.0, &["--lose"]);
        assert!(said.contains("ok     exactly the writes that no replica had are named as lost"), "{said}");
        assert!(said.contains("lost: worker "), "{said}");
    }
}

#[test]
fn the_checker_finds_what_it_is_there_for() {
    let chaos = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/chaos/try_check.py");
    let output = Command::new("/usr/bin/python3").arg("-B").arg(chaos).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.trim_end().ends_with(" found"), "{said}");
}
