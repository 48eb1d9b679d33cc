//! The monitoring plugin check_mysql_query watches a number in a table: its exit status is its answer.

use crate::stage::{Stage, on_both};

on_both!("check_mysql", play);

fn play(stage: &Stage) {
    stage.sql(
        "CREATE TABLE jobs (id INT AUTO_INCREMENT PRIMARY KEY, done INT); INSERT INTO jobs (done) VALUES (0), (0), (1)",
    );
    let seen = stage.compare(
        || (),
        |run| {
            let mut made = String::new();
            for (warn, critical) in [("3", "9"), ("1", "9"), ("0", "1")] {
                let at = stage.cluster.endpoint(0);
                let mut command = run.program("usr/lib/nagios/plugins/check_mysql_query");
                command.args(["-H", &at.host, "-P", &at.port.to_string(), "-u", &stage.user, "-d", &stage.database]);
                command.args(["-p", crate::stage::PASSWORD, "-w", warn, "-c", critical]);
                command.args(["-q", "SELECT COUNT(*) FROM jobs WHERE done = 0"]);
                let output = command.output().unwrap();
                made += &format!(
                    "{} {}{}",
                    output.status.code().unwrap(),
                    String::from_utf8_lossy(&output.stdout),
                    String::from_utf8_lossy(&output.stderr)
                );
            }
            made
        },
    );
    let statuses: Vec<&str> = seen.made.lines().map(|line| &line[..1]).collect();
    assert_eq!(statuses, ["0", "1", "2"], "good, warning, critical: {}", seen.made);
    seen.read("SELECT COUNT(*) FROM jobs", 3);
}
