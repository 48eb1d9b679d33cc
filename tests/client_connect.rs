//! Connections to real servers of both families, below the C API.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use harness::{APP_PASSWORD, APP_USER, Cluster, families, shared};
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::conn::{Command, Connection, Endpoint, Head, Target};
use mysqlclient_ms::error::{Error, Sent};
use mysqlclient_ms::options::{Family, Options, TlsMode};
use mysqlclient_ms::result::StreamRow;

const FAMILIES: [Family; 2] = [Family::MySql, Family::MariaDb];

fn tcp(cluster: &Cluster, host: &str) -> Target {
    let endpoint = cluster.endpoint(cluster.primary());
    target(Endpoint::Tcp { host: host.to_owned(), port: endpoint.port })
}

fn unix(cluster: &Cluster) -> Target {
    target(Endpoint::Unix(cluster.endpoint(cluster.primary()).socket))
}

fn target(endpoint: Endpoint) -> Target {
    Target {
        endpoint,
        user: APP_USER.into(),
        password: APP_PASSWORD.into(),
        database: Some(b"test".to_vec()),
        client_flags: 0,
    }
}

/// Options that log in anywhere in the clear.
fn plain(family: Family) -> Options {
    let mut options = Options::new(family);
    options.tls.mode = TlsMode::Disabled;
    options.get_server_public_key = true;
    options
}

type Rows = Vec<Vec<Option<Vec<u8>>>>;

fn query(connection: &mut Connection, sql: &[u8]) -> Result<Rows, Error> {
    block_on(async {
        connection.send(Command::Query, &[sql]).await?;
        match connection.read_head().await? {
            Head::Ok(_) => Ok(Vec::new()),
            Head::LocalInfile(name) => panic!("asked for {name:?}"),
            Head::ResultSet(columns) => {
                let (mut rows, _) = connection.store_rows(columns.len()).await?;
                let width = 0..columns.len();
                Ok((0..rows.len()).map(|row| width.clone().map(|column| rows.value(row, column)).collect()).collect())
            }
        }
    })
}

fn one(connection: &mut Connection, sql: &str) -> String {
    let rows = query(connection, sql.as_bytes()).unwrap();
    String::from_utf8(rows[0][0].clone().unwrap()).unwrap()
}

#[test]
fn both_families_log_in_over_every_transport() {
    for servers in families() {
        let cluster = shared(servers);
        for family in FAMILIES {
            for target in [unix(cluster), tcp(cluster, "127.0.0.1"), tcp(cluster, "localhost")] {
                let mut connection = block_on(Connection::open(&target, &plain(family))).unwrap();
                assert_eq!(one(&mut connection, "SELECT DATABASE()"), "test");
                assert_eq!(one(&mut connection, "SELECT CONNECTION_ID()"), connection.server().thread_id.to_string());
                assert!(connection.is_drained() && !connection.is_broken());
                connection.quit();
            }
        }
    }
}

#[test]
fn tls_is_verified_as_far_as_asked() {
    for servers in families() {
        let cluster = shared(servers);
        for family in FAMILIES {
            for (mode, host, works) in [
                (TlsMode::Required, "127.0.0.1", true),
                (TlsMode::VerifyCa, "127.1", true),
                (TlsMode::VerifyIdentity, "127.0.0.1", true),
                (TlsMode::VerifyIdentity, "localhost", true),
                (TlsMode::VerifyIdentity, "127.1", false),
            ] {
                let mut options = Options::new(family);
                options.tls.mode = mode;
                options.tls.ca = Some(cluster.tls().ca.clone());
                match block_on(Connection::open(&tcp(cluster, host), &options)) {
                    Ok(mut connection) => {
                        assert!(works, "{family:?} {mode:?} {host}");
                        let cipher = connection.server().tls_cipher.clone().unwrap();
                        let shown = query(&mut connection, b"SHOW STATUS LIKE 'Ssl_cipher'").unwrap();
                        assert_eq!(shown[0][1].as_deref(), Some(cipher.as_bytes()));
                        connection.quit();
                    }
                    Err(error) => assert!(!works && error.code == 2026, "{family:?} {mode:?} {host}: {error}"),
                }
            }
        }
    }
}

#[test]
fn sixteen_mebibytes_and_more_go_both_ways() {
    for servers in families() {
        let cluster = harness::Cluster::start(
            harness::Spec::new(servers, 0).general_log(false).server_arg("--max-allowed-packet=64M"),
        )
        .unwrap();
        for tls in [false, true] {
            let mut options = plain(Family::MySql);
            let mut at = unix(&cluster);
            if tls {
                options.tls.mode = TlsMode::Required;
                at = tcp(&cluster, "127.0.0.1");
            }
            let mut connection = block_on(Connection::open(&at, &options)).unwrap();
            // 9 bytes of text around the value; the command byte makes packets of exactly the largest size and around it.
            for length in [0xFF_FFFF - 11, 0xFF_FFFF - 10, 0xFF_FFFF - 9, 0xFF_FFFF, 0x1FF_FFFF - 10] {
                let sql = [&b"SELECT '"[..], &vec![b'v'; length], b"'"].concat();
                let rows = query(&mut connection, &sql).unwrap();
                assert_eq!(rows[0][0].as_ref().map(Vec::len), Some(length));
                assert!(rows[0][0].as_ref().unwrap().iter().all(|byte| *byte == b'v'));
            }
            assert_eq!(one(&mut connection, "SELECT 'still here'"), "still here");
        }
    }
}

#[test]
fn streamed_rows_are_the_stored_ones() {
    for servers in families() {
        let cluster = shared(servers);
        let mut connection = block_on(Connection::open(&unix(cluster), &plain(Family::MariaDb))).unwrap();
        let sql = "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 900) \
                   SELECT n, REPEAT('x', n * (n % 7) * (n % 3)), NULL, IF(n = 450, REPEAT('y', 300000), 'end') FROM s";
        let stored = query(&mut connection, sql.as_bytes()).unwrap();
        assert_eq!(stored.len(), 900);
        let mut streamed = Vec::new();
        block_on(async {
            connection.send(Command::Query, &[sql.as_bytes()]).await.unwrap();
            let Head::ResultSet(columns) = connection.read_head().await.unwrap() else { panic!("no rows") };
            let mut row = StreamRow::new(columns.len());
            while connection.next_row(&mut row).await.unwrap().is_none() {
                streamed.push((0..columns.len()).map(|column| row.value(column)).collect::<Vec<_>>());
            }
        });
        assert!(stored == streamed);
    }
}

#[test]
fn queued_commands_leave_together_and_are_answered_in_turn() {
    for servers in families() {
        let cluster = shared(servers);
        let mut connection = block_on(Connection::open(&unix(cluster), &plain(Family::MySql))).unwrap();
        connection.queue(Command::Query, &[b"SET @a = 41"]);
        connection.queue(Command::Query, &[b"SELEKT"]);
        block_on(async {
            connection.send(Command::Query, &[b"SELECT @a", b" + 1"]).await.unwrap();
            assert!(matches!(connection.read_head().await, Ok(Head::Ok(_))));
            let error = connection.read_head().await.unwrap_err();
            assert_eq!((error.code, error.sent), (1064, Sent::Yes));
            let Head::ResultSet(columns) = connection.read_head().await.unwrap() else { panic!("no rows") };
            let (mut rows, _) = connection.store_rows(columns.len()).await.unwrap();
            assert_eq!(rows.value(0, 0).as_deref(), Some(&b"42"[..]));
        });
        assert!(connection.is_drained());
    }
}

#[test]
fn refusals_carry_the_servers_words() {
    for servers in families() {
        let cluster = shared(servers);
        let mut wrong = unix(cluster);
        wrong.password = b"wrong".to_vec();
        let error = block_on(Connection::open(&wrong, &plain(Family::MySql))).unwrap_err();
        assert_eq!((error.code, &error.sqlstate), (1045, b"28000"));
        let mut missing = unix(cluster);
        missing.database = Some(b"no_such_schema".to_vec());
        let error = block_on(Connection::open(&missing, &plain(Family::MariaDb))).unwrap_err();
        assert!(matches!(error.code, 1044 | 1049), "{error}");
        let mut options = plain(Family::MySql);
        options.init_commands = vec![b"SET @b = 5".to_vec(), b"SELEKT".to_vec()];
        assert_eq!(block_on(Connection::open(&unix(cluster), &options)).unwrap_err().code, 1064);
        options.init_commands.pop();
        let mut connection = block_on(Connection::open(&unix(cluster), &options)).unwrap();
        assert_eq!(one(&mut connection, "SELECT @b"), "5");
    }
}

#[test]
fn a_dead_or_slow_server_is_told_apart() {
    for servers in families() {
        let cluster = shared(servers);
        for family in FAMILIES {
            let mut options = plain(family);
            options.read_timeout = Some(Duration::from_millis(300));
            let mut connection = block_on(Connection::open(&unix(cluster), &options)).unwrap();
            let error = query(&mut connection, b"SELECT SLEEP(30)").unwrap_err();
            assert_eq!((error.code, error.sent), (2013, Sent::Maybe));
            assert!(connection.is_broken());
            let error = query(&mut connection, b"SELECT 1").unwrap_err();
            assert_eq!((error.code, error.sent), (2006, Sent::No));

            let mut killed = block_on(Connection::open(&unix(cluster), &plain(family))).unwrap();
            cluster.sql(cluster.primary(), &format!("KILL {}", killed.server().thread_id)).unwrap();
            let error = query(&mut killed, b"SELECT 1").unwrap_err();
            // MySQL says a last word before it closes.
            assert!(matches!(error.code, 2006 | 2013 | 1053 | 1317 | 4031), "{error}");
        }
    }
}

#[test]
fn collations_beyond_a_byte_are_set() {
    for servers in families() {
        let cluster = shared(servers);
        let (family, collation) = match servers {
            harness::Family::MySql => (Family::MySql, "utf8mb4_ja_0900_as_cs"),
            harness::Family::MariaDb => (Family::MariaDb, "utf8mb4_uca1400_ai_ci"),
        };
        let mut options = plain(family);
        options.collation = Some(collation.to_owned());
        let mut connection = block_on(Connection::open(&unix(cluster), &options)).unwrap();
        let shown = one(&mut connection, "SELECT @@collation_connection");
        assert!(shown == collation, "{shown}");
    }
}

/// Debian's Connector/C takes the option and sends nothing, so there is nobody to compare with.
#[test]
fn a_header_for_proxies_goes_in_front_of_everything() {
    use std::io::Read;
    let header = b"PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n";
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let mut got = vec![0; header.len()];
        listener.accept().unwrap().0.read_exact(&mut got).unwrap();
        got
    });
    let mut options = plain(Family::MariaDb);
    options.proxy_header = Some(header.to_vec());
    let target = target(Endpoint::Tcp { host: "127.0.0.1".to_owned(), port });
    let error = block_on(Connection::open(&target, &options)).unwrap_err();
    assert_eq!(error.code, 2013, "the server has read it and hung up: {error}");
    assert_eq!(server.join().unwrap(), header);
}
