//! mydumper writes a database into files with several threads, from one snapshot; myloader makes another database of them.

use crate::running::finish;
use crate::stage::{PASSWORD, Run, Stage, on_both};
use harness::Family;
use std::process::Command;

on_both!("mydumper", play);

/// More than one INSERT for each table.
const ROWS: usize = 3000;

fn play(stage: &Stage) {
    let copy = format!("{}_copy", stage.database);
    let watch = match stage.cluster.family() {
        Family::MariaDb => "BINLOG MONITOR, REPLICA MONITOR",
        Family::MySql => "REPLICATION CLIENT",
    };
    stage.sql(&format!(
        "GRANT RELOAD, PROCESS, LOCK TABLES, {watch} ON *.* TO '{user}'@'%';
         GRANT ALL PRIVILEGES ON {copy}.* TO '{user}'@'%';
         CREATE TABLE texts (id INT AUTO_INCREMENT PRIMARY KEY, t TEXT, b VARBINARY(40), d DECIMAL(12,4), w DATETIME(6), j JSON);
         CREATE TABLE numbers (a BIGINT UNSIGNED, b DOUBLE, c BIT(9), KEY (a));
         CREATE DEFINER='{user}'@'%' VIEW big AS SELECT id FROM texts WHERE id > 1000",
        user = stage.user
    ));
    for from in (0..ROWS).step_by(500) {
        let texts: Vec<String> = (from..from + 500)
            .map(|n| format!("('it''s \u{20ac} {n}\\\\', UNHEX(LPAD(HEX({n}), 16, '0D0A00')), {n}.0625, '2024-02-29 12:00:00.{n:06}', '[{n}]')"))
            .collect();
        stage.sql(&format!("INSERT INTO texts (t, b, d, w, j) VALUES {}", texts.join(",")));
        let numbers: Vec<String> =
            (from..from + 500).map(|n| format!("({}, {n}e-3, b'{:b}')", u64::MAX - n as u64, n % 512)).collect();
        stage.sql(&format!("INSERT INTO numbers VALUES {}", numbers.join(",")));
    }
    let seen = stage.compare_alike(
        |text| text.to_string(),
        || drop(stage.sql(&format!("DROP DATABASE IF EXISTS {copy}"))),
        |run| {
            let dump = stage.file(if run.routed { "dump-routed" } else { "dump-alone" });
            let mut command = tool(run, "usr/bin/mydumper");
            command.arg("-o").arg(&dump).args(["-B", &stage.database, "--statement-size", "20000"]);
            finish(command, "mydumper");
            let mut command = tool(run, "usr/bin/myloader");
            command.arg("-d").arg(&dump).args(["-B", &copy, "--enable-binlog"]);
            finish(command, "myloader");
            let mut names: Vec<_> = std::fs::read_dir(&dump).unwrap().map(|entry| entry.unwrap().path()).collect();
            names.sort();
            // The file `metadata` says when it was.
            names.retain(|name| name.extension().is_some_and(|end| end == "sql"));
            let texts: Vec<String> = names
                .iter()
                .map(|name| format!("{:?}\n{}", name.file_name().unwrap(), std::fs::read(name).unwrap().escape_ascii()))
                .collect();
            texts.join("\n") + &stage.rows(&format!("CHECKSUM TABLE {copy}.texts, {copy}.numbers")).replace("_copy", "")
        },
    );
    assert!(seen.made.ends_with(&stage.rows("CHECKSUM TABLE texts, numbers")), "the copy is the same");
    assert_eq!(stage.rows(&format!("SELECT COUNT(*) FROM {copy}.big")).trim(), (ROWS - 1000).to_string());
    // Everything is read from the snapshot, which is the source's.
    seen.written("SQL_NO_CACHE", 2);
    assert!(seen.on_source("INSERT INTO `texts`") > 2, "the rows are written to the source");
}

fn tool(run: &Run, path: &str) -> Command {
    let at = run.stage.cluster.endpoint(0);
    let mut command = run.program(path);
    command.args(["-h", &at.host, "-P", &at.port.to_string(), "-u", &run.stage.user, "-p", PASSWORD, "-t", "3"]);
    command
}
