//! FreeRADIUS lets a user in and keeps another out, by its tables, and writes down both and the session that follows.

use crate::fetched::library_path;
use crate::running::{free_port, plain};
use crate::stage::{Run, Stage, on_both};
use std::io::Write;
use std::process::Stdio;

on_both!("freeradius", play);

fn play(stage: &Stage) {
    let schema = "etc/freeradius/3.0/mods-config/sql/main/mysql/schema.sql";
    let schema = std::fs::read_to_string(stage.unpacked(schema)).unwrap();
    let ready = || {
        stage.empty();
        stage.sql(&schema);
        stage.sql(
            "INSERT INTO radcheck (username, attribute, op, value) VALUES ('ann', 'Cleartext-Password', ':=', 'open sesame');
             INSERT INTO radreply (username, attribute, op, value) VALUES ('ann', 'Framed-IP-Address', ':=', '192.0.2.99');
             INSERT INTO radusergroup (username, groupname, priority) VALUES ('ann', 'staff', 1);
             INSERT INTO radgroupreply (groupname, attribute, op, value) VALUES ('staff', 'Reply-Message', ':=', 'Good day')",
        );
    };
    // Its statements have the time in them.
    let alike = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "#");
    let seen = stage.compare_alike(alike, ready, |run| {
        let (auth, acct) = (free_port().to_string(), free_port().to_string());
        let config = run.fill("radiusd.conf", &[("AUTH", &auth), ("ACCT", &acct)]);
        let mut command = run.by_name("usr/sbin/freeradius");
        command.args(["-fxx", "-l", "stdout", "-d"]).arg(config.parent().unwrap());
        command.arg("-D").arg(stage.unpacked("usr/share/freeradius"));
        let mut server = run.start(command);
        let log = stage.file("output");
        server.until("ready", || {
            let said = std::fs::read(&log).unwrap();
            String::from_utf8_lossy(&said).contains("Ready to process requests").then_some(())
        });
        let mut made = String::new();
        for (port, verb, attributes) in [
            (&auth, "auth", "User-Name=ann,User-Password=\"open sesame\""),
            (&auth, "auth", "User-Name=ann,User-Password=wrong"),
            (&auth, "auth", "User-Name=\"o'hara\",User-Password=wrong"),
            (&acct, "acct", "User-Name=ann,Acct-Status-Type=Start,Acct-Session-Id=s1,NAS-IP-Address=192.0.2.1"),
            (
                &acct,
                "acct",
                "User-Name=ann,Acct-Status-Type=Stop,Acct-Session-Id=s1,NAS-IP-Address=192.0.2.1,Acct-Session-Time=60",
            ),
        ] {
            made += &ask(run, port, verb, attributes);
        }
        made + &stage.rows("SELECT username, pass, reply FROM radpostauth ORDER BY id")
            + &stage.rows("SELECT acctsessionid, username, acctstoptime IS NOT NULL FROM radacct")
    });
    assert!(seen.made.contains("Framed-IP-Address = 192.0.2.99") && seen.made.contains("Good day"), "{}", seen.made);
    assert!(seen.made.contains("ann\topen sesame\tAccess-Accept\nann\twrong\tAccess-Reject\n"), "{}", seen.made);
    assert!(seen.made.ends_with("s1\tann\t1\n"), "{}", seen.made);
    seen.read("FROM radcheck", 3);
    seen.written("INSERT INTO radpostauth", 3);
    seen.written("INSERT INTO radacct", 1);
    assert_eq!(seen.on_replicas("UPDATE"), [0, 0]);
}

/// What radclient prints of the answer, without the ports.
fn ask(run: &Run, port: &str, verb: &str, attributes: &str) -> String {
    let mut command = plain(run.stage.unpacked("usr/bin/radclient"));
    command.env("LD_LIBRARY_PATH", library_path(&run.stage.unpacked("")));
    command.arg("-x").arg("-D").arg(run.stage.unpacked("usr/share/freeradius"));
    command.args(["-t", "60", "-r", "1", &format!("127.0.0.1:{port}"), verb, "testing123"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(attributes.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let answer = text.split_once("Received ").unwrap_or_else(|| panic!("{attributes}: {output:?}")).1;
    let mut lines = answer.lines();
    let head = lines.next().unwrap_or_default().split(' ').next().unwrap_or_default();
    let kept: Vec<&str> = lines.filter(|line| line.contains(" = ") && !line.contains("Authenticator")).collect();
    format!("{head} {}\n", kept.join(" "))
}
