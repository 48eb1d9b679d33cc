//! Tcl's TDBC opens the client library itself, by name, so that LD_PRELOAD says nothing to it: our folder of libraries
//! with the originals' names is ahead in its search path. Every statement is prepared on the server.

use crate::running::finish;
use crate::stage::{PASSWORD, Run, Stage, on_both};
use std::process::Command;

on_both!("tdbc", play);

fn play(stage: &Stage) {
    stage.sql("CREATE TABLE stock (id INT PRIMARY KEY, name VARCHAR(40), amount INT)");
    let fill = || {
        stage.sql("TRUNCATE TABLE stock");
        let rows: Vec<String> = (1..=12).map(|n| format!("({n}, 'thing {n}', {n}0)")).collect();
        stage.sql(&format!("INSERT INTO stock VALUES {}", rows.join(",")));
    };
    let seen = stage.compare(fill, |run| {
        finish(program(run), "tdbc").0 + &stage.rows("SELECT id FROM stock WHERE id > 100 ORDER BY id")
    });
    assert!(seen.made.contains("rolled back 1 no more\n") && seen.made.ends_with("101\n102\n103\n"), "{}", seen.made);
    seen.read("SELECT name, amount FROM stock", 12);
    seen.written("INSERT INTO stock", 4);
}

fn program(run: &Run) -> Command {
    let at = run.stage.cluster.endpoint(0);
    let mut command = run.by_name("usr/bin/tclsh8.6");
    command.env("TCLLIBPATH", run.stage.unpacked("usr/lib/tcltk")).arg(run.fill("prepared.tcl", &[]));
    command.args([&at.host, &at.port.to_string(), &run.stage.user, PASSWORD, &run.stage.database]);
    command
}
