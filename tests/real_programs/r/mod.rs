//! R with DBI and RMySQL: data frames from reads, a transaction that is rolled back and one that is kept, a result in parts.

use crate::running::finish;
use crate::stage::{PASSWORD, Stage, on_both};

on_both!("r", play);

fn play(stage: &Stage) {
    stage.sql(
        "CREATE TABLE sales (region INT, n INT, price DOUBLE, note VARCHAR(20));
         CREATE TABLE summary (region INT, note VARCHAR(20))",
    );
    let rows: Vec<String> = (0..24)
        .map(|n| format!("({}, {n}, {n}.5, {})", n % 8 + 1, if n % 5 == 0 { "NULL" } else { "'sold'" }))
        .collect();
    stage.sql(&format!("INSERT INTO sales VALUES {}", rows.join(",")));
    let seen = stage.compare(
        || drop(stage.sql("TRUNCATE TABLE summary")),
        |run| {
            let at = stage.cluster.endpoint(0);
            let mut command = run.program("usr/lib/R/bin/exec/R");
            let home = stage.unpacked("usr/lib/R");
            command
                .env("R_LIBS", home.join("site-library"))
                .env("R_HOME", home)
                .env("EDITOR", "vi")
                .env("PAGER", "cat");
            command.args(["--vanilla", "--no-echo", "-f"]).arg(run.fill("sales.R", &[]));
            command.args(["--args", &at.host, &at.port.to_string(), &stage.user, PASSWORD, &stage.database]);
            finish(command, "R").0 + &stage.rows("SELECT * FROM summary")
        },
    );
    assert!(seen.made.contains("1 3 24 8.5 1 integer numeric character \n"), "{}", seen.made);
    assert!(seen.made.contains("inside 3 \n") && seen.made.ends_with("9\tkept\n"), "{}", seen.made);
    seen.read("SELECT n, price, note FROM sales", 8);
    seen.written("INSERT INTO summary", 4);
}
