//! collectd reads how a server is: its plugin mysql, once, into files. What it asks is the source's to answer.

use crate::stage::{Stage, on_both};

on_both!("collectd", play);

fn play(stage: &Stage) {
    stage.sql(&format!("GRANT PROCESS ON *.* TO '{}'@'%'", stage.user));
    let seen = stage.compare(
        || drop(std::fs::remove_dir_all(stage.file("csv"))),
        |run| {
            let mut command = run.program("usr/sbin/collectd");
            command.arg("-C").arg(run.fill("collectd.conf", &[])).arg("-f");
            let mut daemon = run.start(command);
            // What comes of the last answers; a reading is once an hour.
            let folder = stage.file("csv/shop/mysql-shop");
            daemon.until("values", || {
                let files =
                    std::fs::read_dir(&folder).ok()?.map(|file| file.unwrap().file_name().into_string().unwrap());
                let files: Vec<String> = files.collect();
                let has = |name: &str| files.iter().any(|file| file.starts_with(name));
                (files.len() > 60 && has("gauge-innodb_activity_count") && has("threads-running")).then_some(())
            });
            let said = daemon.said();
            // What it says of the connection, without the time.
            let own = said.lines().filter(|line| line.contains("mysql plugin"));
            own.map(|line| line.split_once("] ").unwrap_or_default().1.to_string() + "\n").collect()
        },
    );
    assert!(seen.made.starts_with("mysql plugin: Successfully connected to database test_collectd"), "{}", seen.made);
    assert!(seen.on_source("SHOW GLOBAL STATUS") + seen.on_source("SHOW STATUS") > 0, "what it asks");
}
