//! Exim expands strings with look-ups in tables, quoting what it looks for.

use crate::running::finish;
use crate::stage::{Stage, on_both};

on_both!("exim", play);

fn play(stage: &Stage) {
    stage.sql(
        "CREATE TABLE routes (domain VARCHAR(100) PRIMARY KEY, host VARCHAR(100), port INT);
         INSERT INTO routes VALUES ('example.org', 'mx.example.org', 25), ('o''hara.example', 'irish.example.org', 2525),
           ('back\\\\slash', 'windows.example.org', 26), ('nothing.example', NULL, NULL)",
    );
    let domains = ["example.org", "o'hara.example", "back\\slash", "nothing.example", "unknown.example", "example.org"];
    let seen = stage.compare(
        || (),
        |run| {
            let config = run.fill("exim.conf", &[]);
            // It looks its own account up by name, whoever it runs as.
            let users = stage.file("passwd");
            let known = std::fs::read_to_string("/etc/passwd").unwrap();
            std::fs::write(&users, known + "Debian-exim:x:65533:65533::/nonexistent:/usr/sbin/nologin\n").unwrap();
            let groups = stage.file("group");
            let known = std::fs::read_to_string("/etc/group").unwrap();
            std::fs::write(&groups, known + "Debian-exim:x:65533:\n").unwrap();
            let mut command =
                run.program_with_paths("usr/sbin/exim4", &[(users, "/etc/passwd"), (groups, "/etc/group")]);
            command.arg("-C").arg(config).arg("-be");
            for domain in domains {
                let domain = domain.replace('\\', "\\\\");
                command.arg(format!(
                    "${{lookup mysql{{SELECT host, port FROM routes WHERE domain='${{quote_mysql:{domain}}}'}}{{$value}}{{none}}}}"
                ));
            }
            finish(command, "exim").0
        },
    );
    let expected = [
        "host=mx.example.org port=25",
        "host=irish.example.org port=2525",
        "host=windows.example.org port=26",
        "host=\"\" port=\"\"",
        "none",
        "host=mx.example.org port=25",
    ];
    assert_eq!(seen.made.lines().map(str::trim).collect::<Vec<_>>(), expected);
    // What it asked a moment ago it knows.
    seen.read("SELECT host, port FROM routes", expected.len() - 1);
}
