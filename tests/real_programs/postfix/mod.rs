//! Postfix looks addresses up in a table, as its daemons do: one connection, a statement for every address.

use crate::stage::{Stage, on_both};
use std::io::Write;
use std::process::Stdio;

on_both!("postfix", play);

/// How many addresses are looked up, and how many of them there are.
const ADDRESSES: usize = 24;
const FOUND: usize = 22;

fn play(stage: &Stage) {
    if !rustix::process::geteuid().is_root() {
        eprintln!("left out: Postfix believes its list of table types only when root owns the file");
        return;
    }
    stage.sql(
        "CREATE TABLE aliases (address VARCHAR(100) PRIMARY KEY, destination VARCHAR(200), active INT);
         INSERT INTO aliases VALUES ('o''hara@example.org', 'gr\u{fc}n@example.net', 1), ('gone@example.org', 'x', 0),
           ('list@example.org', 'a@example.net, b@example.net', 1)",
    );
    for n in 0..20 {
        stage.sql(&format!("INSERT INTO aliases VALUES ('user{n}@example.org', 'box{n}@example.net', 1)"));
    }
    let mut asked: String = (0..21).map(|n| format!("user{n}@example.org\n")).collect();
    asked += "o'hara@example.org\ngone@example.org\nlist@example.org\n";
    let seen = stage.compare(
        || (),
        |run| {
            run.fill("main.cf", &[]);
            run.fill("dynamicmaps.cf", &[]);
            let table = run.fill("aliases.cf", &[]);
            let mut command = run.program("usr/sbin/postmap");
            command.arg("-c").arg(table.parent().unwrap()).args(["-q", "-"]).arg(format!("mysql:{}", table.display()));
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().unwrap();
            child.stdin.take().unwrap().write_all(asked.as_bytes()).unwrap();
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        },
    );
    let found: Vec<&str> = seen.made.lines().collect();
    assert_eq!(found.len(), FOUND, "{}", seen.made);
    assert_eq!(found[7], "user7@example.org\tbox7@example.net");
    assert_eq!(
        found[FOUND - 2..],
        ["o'hara@example.org\tgr\u{fc}n@example.net", "list@example.org\ta@example.net, b@example.net"]
    );
    seen.read("SELECT destination FROM aliases", ADDRESSES);
}
