//! TLS to real servers: a server without it, a server that dies under it, the client's own certificate. Which authority and
//! which name of the host lets whom in, in both families' words, is compared with the originals in `c_programs`.
#![allow(clippy::unwrap_used)]

use harness::{APP_PASSWORD, APP_USER, Cluster, Spec, families, shared};
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::conn::{Command, Connection, Endpoint, Head, Target};
use mysqlclient_ms::error::{Error, Origin, Sent};
use mysqlclient_ms::options::{Family, Options, TlsMode};

const FAMILIES: [Family; 2] = [Family::MySql, Family::MariaDb];
const MODES: [TlsMode; 5] =
    [TlsMode::Disabled, TlsMode::Preferred, TlsMode::Required, TlsMode::VerifyCa, TlsMode::VerifyIdentity];

fn target(cluster: &Cluster, user: &str, password: &str) -> Target {
    let endpoint = cluster.endpoint(cluster.primary());
    Target {
        endpoint: Endpoint::Tcp { host: endpoint.host, port: endpoint.port },
        user: user.into(),
        password: password.into(),
        database: Some(b"test".to_vec()),
        client_flags: 0,
    }
}

fn options(family: Family, mode: TlsMode) -> Options {
    let mut options = Options::new(family);
    options.tls.mode = mode;
    options.get_server_public_key = true;
    options
}

fn open(target: &Target, options: &Options) -> Result<Connection, Error> {
    block_on(Connection::open(target, options))
}

fn query(connection: &mut Connection, sql: &str) -> Result<Option<Vec<u8>>, Error> {
    block_on(async {
        connection.send(Command::Query, &[sql.as_bytes()]).await?;
        match connection.read_head().await? {
            Head::ResultSet(columns) => {
                let (mut rows, _) = connection.store_rows(columns.len()).await?;
                Ok(rows.value(0, columns.len() - 1))
            }
            Head::Ok(_) | Head::LocalInfile(_) => Ok(None),
        }
    })
}

/// What the server says of this connection's TLS.
fn cipher(connection: &mut Connection) -> String {
    String::from_utf8(query(connection, "SHOW STATUS LIKE 'Ssl_cipher'").unwrap().unwrap_or_default()).unwrap()
}

#[test]
fn a_server_without_tls_is_taken_or_refused_as_the_mode_says() {
    for servers in families() {
        let off = match servers {
            harness::Family::MariaDb => "--skip-ssl",
            harness::Family::MySql => "--tls-version=",
        };
        let cluster = Cluster::start(Spec::new(servers, 0).general_log(false).server_arg(off)).unwrap();
        for family in FAMILIES {
            for mode in MODES {
                let mut options = options(family, mode);
                options.tls.ca = Some(cluster.tls().ca.clone());
                let opened = open(&target(&cluster, APP_USER, APP_PASSWORD), &options);
                if mode <= TlsMode::Preferred {
                    let mut connection = opened.unwrap_or_else(|error| panic!("{family:?} {mode:?}: {error}"));
                    assert_eq!(connection.server().tls_cipher, None);
                    assert_eq!(cipher(&mut connection), "");
                } else {
                    let error = opened.unwrap_err();
                    assert_eq!((error.code, error.origin, error.sent), (2026, Origin::Client, Sent::No));
                    let text = String::from_utf8(error.message).unwrap();
                    assert!(text.contains("SSL is required") && text.contains("support it"), "{text}");
                }
            }
        }
    }
}

#[test]
fn an_authority_that_is_named_is_verified_against_in_every_mode() {
    for servers in families() {
        let cluster = shared(servers);
        for family in FAMILIES {
            for mode in MODES {
                let mut options = options(family, mode);
                options.tls.ca = Some(cluster.tls().other_ca.clone());
                let opened = open(&target(cluster, APP_USER, APP_PASSWORD), &options);
                assert_eq!(opened.is_ok(), mode == TlsMode::Disabled, "{family:?} {mode:?}");
                if let Err(error) = opened {
                    assert_eq!((error.code, error.origin, error.sent), (2026, Origin::Client, Sent::No));
                }
                options.tls.ca = None;
                options.tls.capath = cluster.tls().other_ca.parent().map(std::path::Path::to_owned);
                let mut connection = open(&target(cluster, APP_USER, APP_PASSWORD), &options)
                    .unwrap_or_else(|error| panic!("{family:?} {mode:?}, a folder with the right one: {error}"));
                assert_eq!(cipher(&mut connection).is_empty(), mode == TlsMode::Disabled);
            }
        }
    }
}

#[test]
fn a_clients_certificate_opens_what_demands_it() {
    for servers in families() {
        let cluster = shared(servers);
        let root = |sql: &str| cluster.sql(cluster.primary(), sql).map(drop);
        root("DROP USER IF EXISTS tls_x509@'%'").unwrap();
        root("CREATE USER tls_x509@'%' IDENTIFIED BY 'pw' REQUIRE X509").unwrap();
        root("GRANT ALL ON test.* TO tls_x509@'%'").unwrap();
        let target = target(cluster, "tls_x509", "pw");
        for family in FAMILIES {
            for version in [None, Some("TLSv1.2"), Some("TLSv1.3")] {
                let mut options = options(family, TlsMode::VerifyIdentity);
                options.tls.ca = Some(cluster.tls().ca.clone());
                options.tls.version = version.map(str::to_owned);
                let error = open(&target, &options).unwrap_err();
                assert_eq!((error.code, error.origin), (1045, Origin::Server), "{error}");
                options.tls.cert = Some(cluster.tls().client_cert.clone());
                options.tls.key = Some(cluster.tls().client_key.clone());
                let mut connection = open(&target, &options).unwrap();
                let shown = cipher(&mut connection);
                assert_eq!(connection.server().tls_cipher.as_deref(), Some(&shown[..]));
                let version_shown = query(&mut connection, "SHOW STATUS LIKE 'Ssl_version'").unwrap().unwrap();
                assert_eq!(version_shown, version.unwrap_or("TLSv1.3").as_bytes());
                options.tls.key = Some(cluster.tls().server_key.clone());
                assert_eq!(open(&target, &options).unwrap_err().code, 2026, "a key of another certificate");
            }
        }
        root("DROP USER tls_x509@'%'").unwrap();
    }
}

#[test]
fn a_server_that_dies_under_tls_is_lost_then_gone() {
    for servers in families() {
        let cluster = Cluster::start(Spec::new(servers, 0).general_log(false)).unwrap();
        for family in FAMILIES {
            let opened =
                || open(&target(&cluster, APP_USER, APP_PASSWORD), &options(family, TlsMode::Required)).unwrap();
            let (mut idle, mut waiting) = (opened(), opened());
            block_on(waiting.send(Command::Query, &[b"SELECT SLEEP(60)"])).unwrap();
            cluster.kill(0).unwrap();
            let error = block_on(waiting.read_head()).unwrap_err();
            assert_eq!((error.code, error.sent), (2013, Sent::Maybe), "{error}");
            let error = query(&mut idle, "SELECT 1").unwrap_err();
            assert!(matches!((error.code, error.sent), (2013, Sent::Maybe) | (2006, _)), "{error}");
            for connection in [&mut idle, &mut waiting] {
                assert!(connection.is_broken());
                let error = query(connection, "SELECT 1").unwrap_err();
                assert_eq!((error.code, error.sent), (2006, Sent::No), "{error}");
            }
            idle.quit();
            waiting.quit();
            cluster.restart(0).unwrap();
        }
    }
}

#[test]
fn large_packets_pass_both_ways_under_tls() {
    const MIB16: usize = 16 << 20;
    for servers in families() {
        let cluster = shared(servers);
        cluster.sql(cluster.primary(), "SET GLOBAL max_allowed_packet = 67108864").unwrap();
        for family in FAMILIES {
            for mode in [TlsMode::Disabled, TlsMode::Required] {
                let mut connection = open(&target(cluster, APP_USER, APP_PASSWORD), &options(family, mode)).unwrap();
                for size in [MIB16 - 2, MIB16 - 1, MIB16, MIB16 + 1] {
                    // The command's byte counts.
                    let mut sql = b"SELECT LENGTH('".to_vec();
                    sql.resize(size - 1 - 2, b'x');
                    sql.extend_from_slice(b"')");
                    let length = query(&mut connection, std::str::from_utf8(&sql).unwrap()).unwrap().unwrap();
                    assert_eq!(length, (size - 18).to_string().into_bytes(), "{family:?} {mode:?} {size}");
                    // A length of four bytes leads the value.
                    let value = query(&mut connection, &format!("SELECT REPEAT('y', {})", size - 4)).unwrap().unwrap();
                    assert!(value.len() == size - 4 && value.iter().all(|&byte| byte == b'y'), "{mode:?} {size}");
                }
            }
        }
    }
}
