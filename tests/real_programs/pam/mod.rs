//! pam_mysql under pamtester: any program that asks PAM checks passwords in a table.

use crate::stage::{Stage, on_both};
use std::io::Write;
use std::process::Stdio;

on_both!("pam", play);

fn play(stage: &Stage) {
    stage.sql("CREATE TABLE accounts (login VARCHAR(50) PRIMARY KEY, password VARCHAR(200))");
    let ready = || {
        stage.sql("REPLACE INTO accounts VALUES ('ann', SHA2('open sesame', 256)), ('o''hara', SHA2('shamrock', 256))");
    };
    let seen = stage.compare(ready, |run| {
        let services = stage.file("pam.d");
        std::fs::create_dir_all(&services).unwrap();
        run.fill("pam_mysql.conf", &[]);
        std::fs::copy(run.fill("shop", &[]), services.join("shop")).unwrap();
        let mut made = String::new();
        for (user, password) in [("ann", "open sesame"), ("ann", "wrong"), ("o'hara", "shamrock"), ("nobody", "")] {
            let mut command = run.program_with_paths("usr/bin/pamtester", &[(services.clone(), "/etc/pam.d")]);
            command.args(["shop", user, "authenticate", "acct_mgmt"]);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().unwrap();
            writeln!(child.stdin.take().unwrap(), "{password}").unwrap();
            let output = child.wait_with_output().unwrap();
            made += &format!("{user}: {} {}", output.status, String::from_utf8_lossy(&output.stdout));
        }
        made
    });
    let good = seen.made.matches("successfully authenticated").count();
    assert_eq!((good, seen.made.matches("exit status: 0").count()), (2, 2), "{}", seen.made);
    seen.read_there("FROM accounts");
}
