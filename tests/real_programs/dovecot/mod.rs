//! Dovecot checks passwords, looks users up and lists them, with passdb and userdb in a table.

use crate::running::account;
use crate::stage::{Run, Stage, on_both};
use std::process::Command;

on_both!("dovecot", play);

fn play(stage: &Stage) {
    stage.sql(
        "CREATE TABLE mailboxes (login VARCHAR(50) PRIMARY KEY, password VARCHAR(100), active INT, home VARCHAR(50), uid INT, gid INT);
         INSERT INTO mailboxes VALUES
           ('ann', TO_BASE64(UNHEX(SHA2('open sesame', 256))), 1, '/home/ann', 1001, 1001),
           ('bob', TO_BASE64(UNHEX(SHA2('open sesame', 256))), 0, '/home/bob', 1002, 1002),
           ('cees', NULL, 1, '/home/cees', 1003, 1003)",
    );
    let (user, group) = account();
    let seen = stage.compare(
        || (),
        |run| {
            let folder = stage.file("run");
            let _ = std::fs::remove_dir_all(&folder);
            std::fs::create_dir(&folder).unwrap();
            run.fill("sql.conf", &[]);
            run.fill("dovecot.conf", &[("ACCOUNT", &user), ("GROUP", &group)]);
            let mut command = program(run, "usr/sbin/dovecot");
            command.arg("-F");
            let mut server = run.start(command);
            let log = stage.file("output");
            server.until("listening", || {
                let said = std::fs::read_to_string(&log).unwrap();
                (said.contains("starting up") && folder.join("auth-client").exists()).then_some(())
            });
            let mut made = String::new();
            for words in [
                ["auth", "test", "ann", "open sesame"].as_slice(),
                &["auth", "test", "ann", "wrong"],
                &["auth", "test", "bob", "open sesame"],
                &["auth", "test", "o'hara", "open sesame"],
                &["user", "ann"],
                &["user", "nobody"],
                &["user", "*"],
            ] {
                let mut command = program(run, "usr/bin/doveadm");
                let output = command.args(words).output().unwrap();
                made += &format!("{words:?}: {:?}\n{}", output.status.code(), String::from_utf8_lossy(&output.stdout));
            }
            made
        },
    );
    let good = seen.made.matches("auth succeeded").count();
    let bad = seen.made.matches("auth failed").count();
    assert_eq!((good, bad), (1, 3), "{}", seen.made);
    assert!(seen.made.contains("home\t/home/ann") && seen.made.ends_with("ann\nbob\ncees\n"), "{}", seen.made);
    // A name with a character that no name has is not looked up.
    seen.read("AS user, password FROM mailboxes", 3);
    seen.read_there("SELECT home, uid, gid FROM mailboxes");
    seen.read_there("FROM mailboxes ORDER BY login");
}

/// Its programs start each other, and load drivers, where Debian has them.
fn program(run: &Run, path: &str) -> Command {
    let stage = run.stage;
    let paths = [
        (stage.unpacked("usr/lib/dovecot"), "/usr/lib/dovecot"),
        (stage.unpacked("usr/bin/doveconf"), "/usr/bin/doveconf"),
    ];
    let mut command = run.program_with_paths(path, &paths);
    command.arg("-c").arg(stage.file("dovecot.conf"));
    command
}
