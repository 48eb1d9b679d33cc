//! Lua with LuaSQL: reads by the dozen, a transaction that is rolled back and one that is kept.

use crate::running::finish;
use crate::stage::{PASSWORD, Stage, on_both};

on_both!("lua", play);

fn play(stage: &Stage) {
    stage.sql(
        "CREATE TABLE goods (id INT PRIMARY KEY, name VARCHAR(40), price DECIMAL(8,2), nothing INT);
         CREATE TABLE basket (id INT AUTO_INCREMENT PRIMARY KEY, goods INT, note VARCHAR(40));",
    );
    for n in 1..=12 {
        stage.sql(&format!("INSERT INTO goods VALUES ({n}, 'goods {n}', {n}.25, NULL)"));
    }
    let seen = stage.compare(
        || drop(stage.sql("TRUNCATE TABLE basket")),
        |run| {
            let at = stage.cluster.endpoint(0);
            let mut command = run.program("usr/bin/lua5.4");
            command.env("LUA_CPATH", stage.unpacked("usr/lib/x86_64-linux-gnu/lua/5.4/?.so"));
            command.arg(run.fill("basket.lua", &[]));
            command.args([&at.host, &at.port.to_string(), &stage.user, PASSWORD, &stage.database]);
            finish(command, "lua").0 + &stage.rows("SELECT goods, note FROM basket")
        },
    );
    assert!(seen.made.contains("inside\t4\n") && seen.made.contains("rolled back\t0\n"), "{}", seen.made);
    assert!(
        seen.made.contains("row\t7\tgoods 7\tkept\t7.25\tnil\n") && seen.made.ends_with("7\tkept\n"),
        "{}",
        seen.made
    );
    seen.read("SELECT name FROM goods", 12);
    seen.written("INSERT INTO basket", 5);
    seen.written("SELECT COUNT(*) FROM basket", 2);
}
