//! PowerDNS: pdnsutil makes a zone, the server answers questions about it. Both prepare their statements.

use crate::running::{finish, free_port};
use crate::stage::{Stage, on_both};
use std::net::UdpSocket;
use std::time::Duration;

on_both!("pdns", play);

fn play(stage: &Stage) {
    let schema =
        std::fs::read_to_string(stage.unpacked("usr/share/pdns-backend-mysql/schema/schema.mysql.sql")).unwrap();
    let ready = || {
        stage.empty();
        stage.sql(&schema);
    };
    let seen = stage.compare(ready, |run| {
        let port = free_port();
        let config = run.fill("pdns.conf", &[("DNS", &port.to_string())]);
        let config = format!("--config-dir={}", config.parent().unwrap().display());
        let mut made = String::new();
        for order in [
            "create-zone example.org ns1.example.org",
            "add-record example.org www A 3600 192.0.2.7",
            "add-record example.org www A 3600 192.0.2.8",
            "add-record example.org @ MX 3600 10\u{a0}mail.example.org",
            "add-record example.org gone A 60 192.0.2.9",
            "delete-rrset example.org gone A",
            "check-zone example.org",
            "list-zone example.org",
        ] {
            let mut command = run.program("usr/bin/pdnsutil");
            command.arg(&config).args(order.split(' ').map(|word| word.replace('\u{a0}', " ")));
            made += &finish(command, order).0;
            // The next one is another program, which was promised nothing.
            stage.cluster.wait_in_step().unwrap();
        }
        let mut command = run.program("usr/sbin/pdns_server");
        command.arg(&config);
        let mut server = run.start(command);
        let log = stage.file("output");
        server.until("listening", || std::fs::read_to_string(&log).unwrap().contains("backend thread").then_some(()));
        for (name, kind) in [("www", 1), ("gone", 1), ("www", 28)] {
            made += &format!("{name} {kind}: {:?}\n", ask(port, name, kind));
        }
        made
    });
    assert!(seen.made.contains("www.example.org\t3600\tIN\tA\t192.0.2.8\n"), "{}", seen.made);
    assert!(seen.made.contains("Checked 5 records of 'example.org', 0 errors"), "{}", seen.made);
    assert!(seen.made.contains("www 1: (0, 2)\ngone 1: (3, 0)\nwww 28: (0, 0)\n"), "{}", seen.made);
    // A zone's own reads follow its writes, in a transaction or as a promise: what the server asks is free.
    let [one, two] = seen.on_replicas("FROM records WHERE disabled=0");
    assert!(one + two >= 3, "questions are answered from replicas: {one} and {two}");
    assert!(seen.on_source("insert into records") >= 5, "records are written to the source");
    assert_eq!(seen.on_replicas("insert into"), [0, 0]);
}

/// What the server says of `name` in the zone: its status and how many records it answers with.
fn ask(port: u16, name: &str, kind: u16) -> (u8, u16) {
    let mut question = vec![0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    for label in [name, "example", "org", ""] {
        question.push(label.len() as u8);
        question.extend_from_slice(label.as_bytes());
    }
    question.extend_from_slice(&[kind.to_be_bytes(), 1_u16.to_be_bytes()].concat());
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    socket.send_to(&question, ("127.0.0.1", port)).unwrap();
    let mut answer = [0; 512];
    let length = socket.recv(&mut answer).unwrap();
    assert!(length >= 12 && answer[..2] == [0, 7], "an answer to the question");
    (answer[3] & 15, u16::from_be_bytes([answer[6], answer[7]]))
}
