//! rsyslog writes what comes in at its socket into a table, in transactions.

use crate::stage::{Stage, on_both};
use std::os::unix::net::UnixDatagram;

on_both!("rsyslog", play);

fn play(stage: &Stage) {
    stage.sql("CREATE TABLE messages (id INT AUTO_INCREMENT PRIMARY KEY, tag VARCHAR(30), severity INT, message TEXT)");
    let seen = stage.compare(
        || drop(stage.sql("TRUNCATE TABLE messages")),
        |run| {
            let socket = stage.file("log");
            let _ = std::fs::remove_file(&socket);
            let config = run.fill("rsyslog.conf", &[]);
            let mut command = run.program("usr/sbin/rsyslogd");
            command.arg("-n").arg("-f").arg(config).arg("-i").arg(stage.file("pid"));
            command.arg("-M").arg(stage.unpacked("usr/lib/x86_64-linux-gnu/rsyslog"));
            let mut server = run.start(command);
            let sender = UnixDatagram::unbound().unwrap();
            server.until("listening", || sender.connect(&socket).ok());
            for (n, text) in ["first", "it's the second", "back\\slash", "gr\u{fc}\u{df} 4"].iter().enumerate() {
                sender.send(format!("<{}>Jan  1 00:00:00 shop[7]: {text}", 8 + n).as_bytes()).unwrap();
                // One by one: how many it puts into a transaction is a question of time.
                let count = (n + 1).to_string();
                server.until(text, || (stage.rows("SELECT COUNT(*) FROM messages").trim() == count).then_some(()));
            }
            drop(server);
            stage.rows("SELECT * FROM messages ORDER BY id")
        },
    );
    assert!(seen.made.contains("2\tshop\t1\t it's the second\n3\tshop\t2\t back\\slash\n"), "{}", seen.made);
    seen.written("insert into messages", 4);
}
