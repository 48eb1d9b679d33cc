//! The Mumble server, on Qt's driver QMYSQL: it makes its tables and sets a password, with prepared statements.

use crate::running::free_port;
use crate::stage::{Stage, on_both};

on_both!("mumble", play);

fn play(stage: &Stage) {
    // Salts, hashes and how often it hashes: by chance, and by the speed of the machine.
    let alike = |text: &str| text.replace(|c: char| c.is_ascii_hexdigit(), "");
    let seen = stage.compare_alike(
        alike,
        || stage.empty(),
        |run| {
            let config = run.fill("murmur.ini", &[("VOICE", &free_port().to_string())]);
            let mut command = run.program("usr/sbin/murmurd");
            command.env("QT_PLUGIN_PATH", stage.unpacked("usr/lib/x86_64-linux-gnu/qt5/plugins"));
            command.arg("-ini").arg(config).args(["-fg", "-supw", "open sesame"]);
            let output = command.output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
            assert!(said.contains("Superuser password set on server 1"), "{} {said}", output.status);
            stage.rows("SELECT server_id, user_id, name, LENGTH(pw), LENGTH(salt) FROM m_users")
                + &stage.rows("SHOW TABLES")
        },
    );
    assert!(seen.made.starts_with("1\t0\tSuperUser\t96\t16\nm_acl\n"), "{}", seen.made);
    assert!(seen.on_source("CREATE TABLE") > 10, "the tables are made on the source");
    assert!(
        seen.on_source("REPLACE INTO") + seen.on_source("INSERT INTO") + seen.on_source("UPDATE") > 0,
        "and filled"
    );
}
