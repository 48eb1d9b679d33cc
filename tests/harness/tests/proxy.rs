//! Every promise of [`harness::Proxy`], against a server of a few lines.
#![allow(clippy::unwrap_used)]

use harness::proxy::{Direction, Stats};
use harness::{How, Proxy};
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// A server that greets with `hello` and then answers each byte with two; returns its address.
fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                // whatever fails here, the client's side asserts
                let _ = stream.write_all(b"hello");
                let mut byte = [0];
                while matches!(stream.read(&mut byte), Ok(1)) {
                    if stream.write_all(&[byte[0]; 2]).is_err() {
                        break;
                    }
                }
            });
        }
    });
    address
}

fn connect(proxy: &Proxy) -> TcpStream {
    let stream = TcpStream::connect(proxy.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream
}

fn read(stream: &mut TcpStream, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    stream.read_exact(&mut bytes).unwrap();
    bytes
}

#[test]
fn bytes_and_changes_of_direction_are_counted() {
    let proxy = Proxy::start(&server()).unwrap();
    proxy.capture(true);
    let mut one = connect(&proxy);
    assert_eq!(read(&mut one, 5), b"hello");
    for _ in 0..3 {
        one.write_all(b"x").unwrap();
        assert_eq!(read(&mut one, 2), b"xx");
    }
    assert_eq!(proxy.stats(), Stats { connections: 1, bytes_up: 3, bytes_down: 11, round_trips: 3 });
    // two bytes at once are one change of direction, whatever the server answers
    one.write_all(b"yz").unwrap();
    assert_eq!(read(&mut one, 4), b"yyzz");
    assert_eq!(proxy.stats().round_trips, 4);
    assert_eq!(proxy.open_connections(), 1);
    proxy.reset_stats();
    assert_eq!(proxy.stats(), Stats::default());
    let captured = proxy.captured();
    assert_eq!((&captured[0].up[..], &captured[0].down[..]), (&b"xxxyz"[..], &b"helloxxxxxxyyzz"[..]));
}

#[test]
fn connections_are_cut_where_ordered_and_as_ordered() {
    for how in [How::Rst, How::Fin] {
        let proxy = Proxy::start(&server()).unwrap();
        let mut present = connect(&proxy);
        read(&mut present, 5);
        proxy.cut_after(Direction::Down, 3, how);
        present.write_all(b"ab").unwrap();
        assert_eq!(read(&mut present, 3), b"aab", "{how:?}");
        assert_end(&mut present, how);
        // a new one, from its first byte
        let mut new = connect(&proxy);
        assert_eq!(read(&mut new, 3), b"hel");
        assert_end(&mut new, how);

        proxy.pass().unwrap();
        let mut up = connect(&proxy);
        read(&mut up, 5);
        proxy.cut_after(Direction::Up, 0, how);
        up.write_all(b"c").unwrap();
        assert_end(&mut up, how);

        proxy.pass().unwrap();
        let mut last = connect(&proxy);
        read(&mut last, 5);
        proxy.end_all(how);
        assert_end(&mut last, how);
    }
}

fn assert_end(stream: &mut TcpStream, how: How) {
    let end = stream.read(&mut [0; 16]);
    match how {
        How::Rst => assert_eq!(end.unwrap_err().kind(), ErrorKind::ConnectionReset),
        How::Fin => assert_eq!(end.unwrap(), 0),
    }
}

#[test]
fn refusing_rejecting_and_listening_again() {
    let proxy = Proxy::start(&server()).unwrap();
    let mut present = connect(&proxy);
    read(&mut present, 5);
    proxy.refuse();
    assert_eq!(TcpStream::connect(proxy.address()).unwrap_err().kind(), ErrorKind::ConnectionRefused);
    present.write_all(b"p").unwrap();
    assert_eq!(read(&mut present, 2), b"pp", "present connections stay");
    proxy.pass().unwrap();
    read(&mut connect(&proxy), 5);
    proxy.reject();
    let mut rejected = connect(&proxy);
    assert_end(&mut rejected, How::Rst);
}

#[test]
fn a_black_hole_holds_everything_until_it_is_gone() {
    let proxy = Proxy::start(&server()).unwrap();
    let mut present = connect(&proxy);
    read(&mut present, 5);
    proxy.black_hole();
    let mut new = connect(&proxy);
    present.write_all(b"b").unwrap();
    for stream in [&mut present, &mut new] {
        stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        assert_eq!(stream.read(&mut [0; 8]).unwrap_err().kind(), ErrorKind::WouldBlock);
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    }
    proxy.pass().unwrap();
    assert_eq!(read(&mut present, 2), b"bb");
    assert_eq!(read(&mut new, 5), b"hello");
}

#[test]
fn delaying_and_trickling_lose_nothing() {
    let proxy = Proxy::start(&server()).unwrap();
    let mut stream = connect(&proxy);
    read(&mut stream, 5);
    proxy.delay(Duration::from_millis(20));
    stream.write_all(b"d").unwrap();
    assert_eq!(read(&mut stream, 2), b"dd");
    // one that never comes through
    proxy.delay(Duration::from_secs(3600));
    let mut late = connect(&proxy);
    late.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    assert_eq!(late.read(&mut [0; 8]).unwrap_err().kind(), ErrorKind::WouldBlock);
    proxy.pass().unwrap();
    proxy.trickle(1, Duration::from_millis(1));
    let sent: Vec<u8> = (0..200).collect();
    stream.write_all(&sent).unwrap();
    let doubled: Vec<u8> = sent.iter().flat_map(|byte| [*byte; 2]).collect();
    assert_eq!(read(&mut stream, 400), doubled);
}

#[test]
fn a_dead_target_resets_and_another_target_serves() {
    let dead = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let proxy = Proxy::start_on("127.0.0.2", &dead).unwrap();
    assert_eq!(proxy.host(), "127.0.0.2");
    assert_end(&mut connect(&proxy), How::Rst);
    proxy.set_target(&server());
    assert_eq!(read(&mut connect(&proxy), 5), b"hello");
}

#[test]
fn dropping_a_proxy_ends_its_connections() {
    let proxy = Proxy::start(&server()).unwrap();
    let mut stream = connect(&proxy);
    read(&mut stream, 5);
    proxy.black_hole();
    let mut held = connect(&proxy);
    drop(proxy);
    assert_end(&mut stream, How::Rst);
    assert_end(&mut held, How::Rst);
}
