//! Logging in to real servers: the methods of authentication, what travels in the clear, and another account on the same
//! connection. What the originals do in the same places is compared in `c_programs`.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use harness::{ADMIN_PASSWORD, ADMIN_USER, Cluster, Proxy, Spec, families, shared};
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::conn::{Command, Connection, Endpoint, Head, Target};
use mysqlclient_ms::error::{Error, Origin, Sent};
use mysqlclient_ms::options::{Family, Options, TlsMode};
use mysqlclient_ms::session::{ConnectArgs, Environment, Session};

#[path = "routed/lab.rs"]
mod lab;
use lab::{Shop, addresses};

const FAMILIES: [Family; 2] = [Family::MySql, Family::MariaDb];

/// A name of this test's own, an account on the shared cluster, gone with the value.
struct Account<'a> {
    cluster: &'a Cluster,
    name: &'static str,
}

impl<'a> Account<'a> {
    fn new(cluster: &'a Cluster, name: &'static str, how: &str) -> Self {
        let account = Account { cluster, name };
        account.root(&format!("DROP USER IF EXISTS {name}@'%'"));
        account.root(&format!("CREATE USER {name}@'%' {how}"));
        account.root(&format!("GRANT ALL ON test.* TO {name}@'%'"));
        account
    }

    fn root(&self, sql: &str) {
        self.cluster.sql(self.cluster.primary(), sql).unwrap();
    }

    fn over(&self, endpoint: Endpoint, password: &str) -> Target {
        Target {
            endpoint,
            user: self.name.into(),
            password: password.into(),
            database: Some(b"test".to_vec()),
            client_flags: 0,
        }
    }
}

impl Drop for Account<'_> {
    fn drop(&mut self) {
        let _ = self.cluster.sql(self.cluster.primary(), &format!("DROP USER IF EXISTS {}@'%'", self.name));
    }
}

fn tcp(cluster: &Cluster) -> Endpoint {
    let endpoint = cluster.endpoint(cluster.primary());
    Endpoint::Tcp { host: endpoint.host, port: endpoint.port }
}

fn unix(cluster: &Cluster) -> Endpoint {
    Endpoint::Unix(cluster.endpoint(cluster.primary()).socket)
}

/// Options without TLS, and without the right to ask for the server's key.
fn clear(family: Family) -> Options {
    let mut options = Options::new(family);
    options.tls.mode = TlsMode::Disabled;
    options
}

fn open(target: &Target, options: &Options) -> Result<Connection, Error> {
    block_on(Connection::open(target, options))
}

fn one(connection: &mut Connection, sql: &str) -> String {
    block_on(async {
        connection.send(Command::Query, &[sql.as_bytes()]).await.unwrap();
        let Head::ResultSet(columns) = connection.read_head().await.unwrap() else { panic!("{sql}: no rows") };
        let (mut rows, _) = connection.store_rows(columns.len()).await.unwrap();
        rows.value(0, 0).map_or_else(|| "NULL".to_owned(), |value| String::from_utf8(value).unwrap())
    })
}

fn who(connection: &mut Connection) -> String {
    one(connection, "SELECT CURRENT_USER()")
}

fn contains(bytes: &[u8], what: &[u8]) -> bool {
    bytes.windows(what.len()).any(|window| window == what)
}

/// Shared clusters of this file are used by one test of caching_sha2_password at a time: its cache is the server's.
fn alone() -> std::sync::MutexGuard<'static, ()> {
    static ONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn mysql() -> Option<&'static Cluster> {
    families().contains(&harness::Family::MySql).then(|| shared(harness::Family::MySql))
}

#[test]
fn caching_sha2_is_fast_only_after_a_full_login() {
    let _alone = alone();
    let Some(cluster) = mysql() else { return };
    let account = Account::new(cluster, "login_sha2", "IDENTIFIED WITH caching_sha2_password BY 'a secret'");
    let target = account.over(tcp(cluster), "a secret");
    // Without TLS and without a key only the fast way is open, so it shows which way the server takes.
    let options = clear(Family::MySql);
    let refusal =
        "Authentication plugin 'caching_sha2_password' reported error: Authentication requires secure connection.";
    let mut tls = Options::new(Family::MySql);
    tls.tls.mode = TlsMode::Required;
    let mut asking = clear(Family::MySql);
    asking.get_server_public_key = true;
    let mut given = clear(Family::MySql);
    given.server_public_key = Some(cluster.rsa_public_key(cluster.primary()));
    let socket = account.over(unix(cluster), "a secret");
    for (what, target, full) in [
        ("TLS", &target, &tls),
        ("the key asked for", &target, &asking),
        ("the key given", &target, &given),
        ("a Unix socket", &socket, &options),
    ] {
        account.root("FLUSH PRIVILEGES");
        let error = open(&target_of(&account, cluster), &options).unwrap_err();
        assert_eq!((error.code, &error.message[..]), (2061, refusal.as_bytes()), "before {what}");
        assert_eq!((error.origin, error.sent), (Origin::Client, Sent::No));
        let mut connection = open(target, full).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(who(&mut connection), "login_sha2@%");
        connection.quit();
        let mut fast = open(&target_of(&account, cluster), &options).unwrap_or_else(|error| panic!("fast: {error}"));
        assert_eq!(who(&mut fast), "login_sha2@%", "after {what}");
    }
    // A wrong password is refused by the server on each way, and does not fill its cache.
    account.root("FLUSH PRIVILEGES");
    for (target, options) in [
        (account.over(tcp(cluster), "another"), &tls),
        (account.over(tcp(cluster), "another"), &asking),
        (account.over(tcp(cluster), "another"), &given),
        (account.over(unix(cluster), "another"), &options),
    ] {
        let error = open(&target, options).unwrap_err();
        assert_eq!((error.code, &error.sqlstate, error.origin), (1045, b"28000", Origin::Server));
    }
    assert_eq!(open(&target_of(&account, cluster), &options).unwrap_err().code, 2061);
}

fn target_of(account: &Account<'_>, cluster: &Cluster) -> Target {
    account.over(tcp(cluster), "a secret")
}

#[test]
fn a_key_that_is_none_is_never_encrypted_with() {
    let _alone = alone();
    let Some(cluster) = mysql() else { return };
    let account = Account::new(cluster, "login_key", "IDENTIFIED WITH caching_sha2_password BY 'a secret'");
    let target = account.over(tcp(cluster), "a secret");
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let certificate = std::fs::read_to_string(&cluster.tls().ca).unwrap();
    for path in [
        folder.path().join("missing.pem"),
        file("empty.pem", ""),
        file("text.pem", "not a key\n"),
        file("certificate.pem", &certificate),
        file("cut.pem", "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0B\n-----END PUBLIC KEY-----\n"),
    ] {
        account.root("FLUSH PRIVILEGES");
        let mut options = clear(Family::MySql);
        options.server_public_key = Some(path.clone());
        let error = open(&target, &options).unwrap_err();
        assert_eq!(error.code, 2061, "{}: {error}", path.display());
    }
}

#[test]
fn the_password_is_never_on_the_wire_in_the_clear() {
    let _alone = alone();
    const PASSWORD: &str = "in-the-clear-never";
    for servers in families() {
        let cluster = shared(servers);
        let account = Account::new(cluster, "login_wire", &format!("IDENTIFIED BY '{PASSWORD}'"));
        let primary = cluster.endpoint(cluster.primary());
        for family in FAMILIES {
            for mode in [TlsMode::Disabled, TlsMode::Required] {
                let proxy = Proxy::start(&format!("{}:{}", primary.host, primary.port)).unwrap();
                proxy.capture(true);
                account.root("FLUSH PRIVILEGES");
                let mut options = clear(family);
                options.tls.mode = mode;
                options.get_server_public_key = true;
                let endpoint = Endpoint::Tcp { host: proxy.host(), port: proxy.port() };
                let mut connection = open(&account.over(endpoint, PASSWORD), &options).unwrap();
                assert_eq!(who(&mut connection), "login_wire@%");
                let bytes: Vec<u8> = proxy.captured().iter().flat_map(|part| part.up.clone()).collect();
                assert!(contains(&bytes, b"login_wire") == (mode == TlsMode::Disabled), "{family:?} {mode:?}");
                assert!(!contains(&bytes, PASSWORD.as_bytes()), "{family:?} {mode:?}");
            }
        }
    }
}

#[test]
fn the_server_decides_on_the_method() {
    for servers in families() {
        let cluster = shared(servers);
        let empty = Account::new(cluster, "login_empty", "IDENTIFIED BY ''");
        let native = (servers == harness::Family::MariaDb)
            .then(|| Account::new(cluster, "login_native", "IDENTIFIED BY 'a secret'"));
        for family in FAMILIES {
            for method in [None, Some("mysql_native_password"), Some("caching_sha2_password"), Some("sha256_password")]
            {
                let mut options = clear(family);
                options.get_server_public_key = true;
                options.default_auth = method.map(str::to_owned);
                for endpoint in [tcp(cluster), unix(cluster)] {
                    let mut connection = open(&empty.over(endpoint.clone(), ""), &options).unwrap();
                    assert_eq!(who(&mut connection), "login_empty@%", "{method:?}");
                    let error = open(&empty.over(endpoint.clone(), "x"), &options).unwrap_err();
                    assert_eq!((error.code, error.origin), (1045, Origin::Server), "{method:?}: {error}");
                    let Some(native) = &native else { continue };
                    let mut connection = open(&native.over(endpoint.clone(), "a secret"), &options).unwrap();
                    assert_eq!(who(&mut connection), "login_native@%", "{method:?}");
                    let error = open(&native.over(endpoint, "wrong"), &options).unwrap_err();
                    assert_eq!((error.code, &error.sqlstate), (1045, b"28000"), "{method:?}: {error}");
                }
            }
        }
    }
}

#[test]
fn a_full_server_says_so_in_front_of_its_greeting() {
    for servers in families() {
        let spec = Spec::new(servers, 0).general_log(false).server_arg("--max-connections=11");
        let cluster = Cluster::start(spec).unwrap();
        let target = Target {
            endpoint: tcp(&cluster),
            user: harness::APP_USER.into(),
            password: harness::APP_PASSWORD.into(),
            database: None,
            client_flags: 0,
        };
        let mut options = clear(Family::MySql);
        options.get_server_public_key = true;
        let mut held = Vec::new();
        let refused = loop {
            match open(&target, &options) {
                Ok(connection) => held.push(connection),
                Err(error) => break error,
            }
            assert!(held.len() <= 12, "{} connections of 11", held.len());
        };
        assert!(held.len() >= 8, "only {} connections of 11: {refused}", held.len());
        // There is one more for administrators: only they get that far, others are refused after their login.
        assert_eq!((refused.code, &refused.sqlstate, refused.origin), (1040, b"08004", Origin::Server), "{refused}");
        let mut admin = target.clone();
        (admin.user, admin.password) = (ADMIN_USER.into(), ADMIN_PASSWORD.into());
        // The thread of a connection that was refused is counted until it has ended.
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        held.push(loop {
            match open(&admin, &options) {
                Ok(connection) => break connection,
                Err(error) => assert!(std::time::Instant::now() < deadline, "{error}"),
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        });
        let refused = open(&target, &options).unwrap_err();
        assert_eq!((refused.code, &refused.sqlstate, refused.origin), (1040, b"HY000", Origin::Server), "{refused}");
        assert!(refused.message.ends_with(b"Too many connections"), "{refused}");
        // Neither server sends a state there.
        let refused = open(&target, &clear(Family::MariaDb)).unwrap_err();
        assert_eq!(
            (refused.code, &refused.sqlstate, &refused.message[..]),
            (1040, b"HY000", &b"Too many connections"[..])
        );
        let mut careful = Options::new(Family::MariaDb);
        careful.tls.mode = TlsMode::Required;
        let refused = open(&target, &careful).unwrap_err();
        assert_eq!((refused.code, refused.origin, refused.sent), (2002, Origin::Client, Sent::No), "{refused}");
        assert!(refused.message.ends_with(b"cannot be verified: 1040 - Too many connections"), "{refused}");
    }
}

fn args(cluster: &Cluster, user: &str, password: &str) -> ConnectArgs {
    let endpoint = cluster.endpoint(cluster.primary());
    ConnectArgs {
        host: Some(endpoint.host.into_bytes()),
        port: endpoint.port,
        user: Some(user.into()),
        password: Some(password.into()),
        database: Some(b"test".to_vec()),
        ..ConnectArgs::default()
    }
}

fn value(session: &mut Session, sql: &str) -> String {
    block_on(session.run(sql.as_bytes())).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let mut rows = mysqlclient_ms::result::StoredRows::default();
    block_on(session.store_result(&mut rows)).unwrap().unwrap();
    rows.value(0, 0).map_or_else(|| "NULL".to_owned(), |value| String::from_utf8(value).unwrap())
}

#[test]
fn a_changed_user_keeps_the_connection_and_nothing_else() {
    let _alone = alone();
    for servers in families() {
        let cluster = shared(servers);
        let _one = Account::new(cluster, "login_one", "IDENTIFIED BY 'first'");
        let _none = Account::new(cluster, "login_none", "IDENTIFIED BY ''");
        for family in FAMILIES {
            let mut session = Session::new(family);
            session.options().get_server_public_key = true;
            block_on(session.connect_plain(args(cluster, ADMIN_USER, ADMIN_PASSWORD), &Environment::default()))
                .unwrap();
            let id = session.thread_id();
            // A MariaDB server takes its own for a collation that it does not know.
            let charset = value(&mut session, "SELECT @@character_set_client");
            for (user, password, schema) in [
                ("login_one", "first", Some("test")),
                ("login_none", "", None),
                (ADMIN_USER, ADMIN_PASSWORD, Some("test")),
            ] {
                block_on(session.run(b"SET @x = 1")).unwrap();
                block_on(session.autocommit(false)).unwrap();
                block_on(session.set_character_set(b"latin1")).unwrap();
                block_on(session.change_user(user.as_bytes(), password.as_bytes(), schema.map(str::as_bytes))).unwrap();
                assert_eq!(session.thread_id(), id);
                assert_eq!(session.charset().charset().name(), "utf8mb4");
                assert_eq!(value(&mut session, "SELECT CURRENT_USER()"), format!("{user}@%"));
                assert_eq!(value(&mut session, "SELECT DATABASE()"), schema.unwrap_or("NULL"));
                assert_eq!(value(&mut session, "SELECT @x"), "NULL");
                assert_eq!(value(&mut session, "SELECT @@autocommit"), "1");
                assert_eq!(value(&mut session, "SELECT @@character_set_client"), charset);
                assert_eq!(session.schema(), schema.map(str::as_bytes));
            }
            let error = block_on(session.change_user(b"login_one", b"wrong", None)).unwrap_err();
            assert_eq!((error.code, &error.sqlstate, error.origin), (1045, b"28000", Origin::Server));
            assert_eq!(session.connect_args().user.as_deref(), Some(ADMIN_USER.as_bytes()));
        }
    }
}

#[test]
fn a_changed_user_reaches_every_node_of_a_routed_handle() {
    let _alone = alone();
    for servers in families() {
        let cluster = shared(servers);
        let _two = Account::new(cluster, "login_two", "IDENTIFIED BY 'second'");
        cluster.wait_in_step().unwrap();
        let shop = Shop::new(&addresses(cluster), r#""filters": {"roundrobin": []}"#);
        // Lazy, and with every node open.
        for opened in [false, true] {
            let mut handle = shop.connect(Some("test")).unwrap_open(opened);
            block_on(handle.session.change_user(b"login_two", b"second", Some(b"test"))).unwrap();
            let mut nodes = std::collections::BTreeSet::new();
            for _ in 0..4 {
                assert_eq!(handle.value("SELECT CURRENT_USER()"), "login_two@%");
                nodes.insert(handle.node());
                assert_eq!(handle.value("SELECT @bound"), "NULL");
                assert_eq!(handle.value("SELECT DATABASE()"), "test");
            }
            assert!(nodes.len() >= 2 || opened, "{nodes:?}");
            handle.ok("DO GET_LOCK('login_two', 0)");
            assert_eq!(handle.node(), 0);
        }
        // A refused account is told at once when a node was open, and the old one stays the handle's.
        let mut handle = shop.connect(Some("test")).unwrap_open(true);
        let error = block_on(handle.session.change_user(b"login_two", b"wrong", None)).unwrap_err();
        assert_eq!(error.code, 1045, "{error}");
        assert_eq!(handle.value("SELECT CURRENT_USER()"), format!("{}@%", harness::APP_USER));
        assert_eq!(handle.value("SELECT DATABASE()"), "test");
    }
}

trait Opened {
    fn unwrap_open(self, opened: bool) -> Self;
}

impl Opened for lab::Handle {
    /// With a read on each replica, a write and state that binds the handle to the source, if asked for.
    fn unwrap_open(mut self, opened: bool) -> Self {
        if opened {
            self.ok("SELECT 1");
            self.ok("SELECT 2");
            self.ok("SET @bound = 1");
            assert_eq!(self.value("SELECT @bound"), "1");
        }
        self
    }
}
