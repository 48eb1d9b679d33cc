//! lighttpd finds the folder of each virtual host in a table.

use crate::running::free_port;
use crate::stage::{Stage, on_both};
use std::io::{Read, Write};
use std::net::TcpStream;

on_both!("lighttpd", play);

fn play(stage: &Stage) {
    for name in ["default", "one", "two"] {
        std::fs::create_dir(stage.file(name)).unwrap();
        std::fs::write(stage.file(name).join("index.txt"), format!("this is {name}\n")).unwrap();
    }
    stage.sql("CREATE TABLE domains (domain VARCHAR(50) PRIMARY KEY, docroot VARCHAR(200))");
    for name in ["one", "two"] {
        let folder = stage.file(name);
        stage.sql(&format!("INSERT INTO domains VALUES ('{name}.example', '{}')", folder.display()));
    }
    let hosts = ["one.example", "two.example", "three.example", "two.example", "one.example", "one.example"];
    let seen = stage.compare(
        || (),
        |run| {
            let port = free_port();
            let config = run.fill("lighttpd.conf", &[("WEB", &port.to_string())]);
            let mut command = run.program("usr/sbin/lighttpd");
            command.arg("-D").arg("-f").arg(config).arg("-m").arg(stage.unpacked("usr/lib/lighttpd"));
            let mut server = run.start(command);
            server.until("listening", || TcpStream::connect(("127.0.0.1", port)).ok());
            hosts.map(|host| get(port, host)).concat()
        },
    );
    let served = ["one", "two", "default", "two", "one", "one"].map(|name| format!("this is {name}\n"));
    assert_eq!(seen.made, served.concat());
    seen.read("SELECT docroot FROM domains", hosts.len());
}

/// The body of /index.txt of one host.
fn get(port: u16, host: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(stream, "GET /index.txt HTTP/1.0\r\nHost: {host}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.0 200 "), "{host}: {answer}");
    answer.split_once("\r\n\r\n").unwrap().1.into()
}
