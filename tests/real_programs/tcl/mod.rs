//! Tcl with mysqltcl: its ways to read, a transaction that is rolled back and one that is kept, what the columns are.

use crate::running::finish;
use crate::stage::{PASSWORD, Stage, on_both};

on_both!("tcl", play);

fn play(stage: &Stage) {
    stage.sql("CREATE TABLE stock (id INT PRIMARY KEY, name VARCHAR(40), amount INT)");
    let fill = || {
        stage.sql("TRUNCATE TABLE stock");
        let rows: Vec<String> = (1..=12).map(|n| format!("({n}, 'thing {n}', {n}0)")).collect();
        stage.sql(&format!("INSERT INTO stock VALUES {}", rows.join(",")));
    };
    let seen = stage.compare(fill, |run| {
        let at = stage.cluster.endpoint(0);
        let mut command = run.program("usr/bin/tclsh8.6");
        command.env("TCLLIBPATH", stage.unpacked("usr/lib/tcltk/x86_64-linux-gnu"));
        command.arg(run.fill("stock.tcl", &[]));
        command.args([&at.host, &at.port.to_string(), &stage.user, PASSWORD, &stage.database]);
        finish(command, "tcl").0 + &stage.rows("SELECT amount FROM stock WHERE id IN (3, 4)")
    });
    assert!(seen.made.contains("inside 25\n") && seen.made.ends_with("30\n39\n"), "{}", seen.made);
    assert!(seen.made.contains("row 2 it's \u{20ac} 20\n"), "{}", seen.made);
    seen.read("SELECT amount FROM stock WHERE id = ", 12);
    seen.written("UPDATE stock", 3);
}
