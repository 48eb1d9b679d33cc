//! ProFTPD lets users in whose accounts are in a table, and counts there how often they came.

use crate::running::{account, free_port};
use crate::stage::{Stage, on_both};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

on_both!("proftpd", play);

fn play(stage: &Stage) {
    let home = stage.file("home");
    std::fs::create_dir(&home).unwrap();
    let (user, group) = account();
    // Without root's rights it can become nobody else.
    let own = [rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw()];
    let [uid, gid] = if own[0] == 0 { [65533, 65533] } else { own };
    stage.sql(&format!(
        "CREATE TABLE accounts (login VARCHAR(50) PRIMARY KEY, password VARCHAR(100), uid INT, gid INT, home VARCHAR(200), logins INT);
         INSERT INTO accounts VALUES ('ann', 'open sesame', {uid}, {gid}, '{}', 0)",
        home.display()
    ));
    let seen = stage.compare(
        || drop(stage.sql("UPDATE accounts SET logins = 0")),
        |run| {
            let port = free_port();
            let words = [("FTP", port.to_string()), ("ACCOUNT", user.clone()), ("GROUP", group.clone())];
            let words: Vec<(&str, &str)> = words.iter().map(|(word, value)| (*word, value.as_str())).collect();
            let config = run.fill("proftpd.conf", &words);
            let mut command = run.program("usr/sbin/proftpd");
            command.arg("-n").arg("-c").arg(config);
            let mut server = run.start(command);
            server.until("listening", || TcpStream::connect(("127.0.0.1", port)).ok());
            let mut made = String::new();
            for orders in [
                ["USER ann", "PASS open sesame", "PWD", "MKD inside", "RMD inside", "QUIT"].as_slice(),
                &["USER ann", "PASS wrong", "QUIT"],
                &["USER o'hara", "PASS wrong", "QUIT"],
            ] {
                made += &talk(port, orders);
            }
            drop(server);
            made.replace(&home.display().to_string(), "HOME") + &stage.rows("SELECT login, logins FROM accounts")
        },
    );
    assert!(seen.made.contains("230 ") && seen.made.contains("257 \"HOME\""), "{}", seen.made);
    assert_eq!(seen.made.matches("530 ").count(), 2, "{}", seen.made);
    assert!(seen.made.ends_with("ann\t1\n"), "{}", seen.made);
    seen.written("UPDATE accounts", 1);
    seen.read_there("SELECT");
}

/// The server's answers, the greeting included.
fn talk(port: u16, orders: &[&str]) -> String {
    let mut stream = BufReader::new(TcpStream::connect(("127.0.0.1", port)).unwrap());
    let mut made = answer(&mut stream);
    for order in orders {
        write!(stream.get_mut(), "{order}\r\n").unwrap();
        made += &answer(&mut stream);
    }
    made
}

/// One answer: lines up to the one with a space behind its number.
fn answer(stream: &mut BufReader<TcpStream>) -> String {
    let mut text = String::new();
    loop {
        let from = text.len();
        assert!(stream.read_line(&mut text).unwrap() > 0, "the connection was closed after {text:?}");
        if text.as_bytes()[from..].get(3) == Some(&b' ') {
            return text;
        }
    }
}
