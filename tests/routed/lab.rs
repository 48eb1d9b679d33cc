//! What the tests of routed handles share: a configuration for a cluster, and a handle that speaks in texts.

// Each test program uses a part of it.
#![allow(dead_code)]

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use harness::Cluster;
use mysqlclient_ms::cluster::Clusters;
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::error::Error;
use mysqlclient_ms::options::{Family, TlsMode};
use mysqlclient_ms::result::{StoredRows, StreamRow};
use mysqlclient_ms::session::{ConnectArgs, Environment, Session};

/// The table of most tests.
pub const TABLE: &str = "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(40)) ENGINE=InnoDB";

/// A database of the test's own, on all nodes, made by these statements; its name.
pub fn database(cluster: &Cluster, name: &str, statements: &[&str]) -> String {
    let name = format!("test_{name}");
    let run = |text: String| cluster.sql(cluster.primary(), &text).unwrap();
    run(format!("DROP DATABASE IF EXISTS {name}"));
    run(format!("CREATE DATABASE {name} CHARACTER SET utf8mb4"));
    for statement in statements {
        run(format!("USE {name}; {statement}"));
    }
    cluster.wait_in_step().unwrap();
    name
}

/// A configuration file with one section, `shop`; removed with it.
pub struct Shop {
    _folder: tempfile::TempDir,
    pub file: PathBuf,
    pub clusters: Clusters,
}

/// Where a node of the configuration listens.
pub type Address = (String, u16);

/// The addresses of a cluster's nodes.
pub fn addresses(cluster: &Cluster) -> Vec<Address> {
    cluster.nodes().map(|n| cluster.endpoint(n)).map(|endpoint| (endpoint.host, endpoint.port)).collect()
}

impl Shop {
    /// The first address is the source, the others are replicas; `keys` are further keys of the section.
    pub fn new(addresses: &[Address], keys: &str) -> Shop {
        Shop::of(&Shop::text(addresses, &[], keys))
    }

    /// A configuration: nodes `source`, `r1`, `r2`, ... with further keys for each, and further keys of the section.
    #[allow(dead_code)]
    pub fn text(addresses: &[Address], node_keys: &[&str], keys: &str) -> String {
        let node = |i: usize| {
            let (host, port) = &addresses[i];
            let further = node_keys.get(i).filter(|keys| !keys.is_empty()).map_or(String::new(), |k| format!(", {k}"));
            format!(r#"{{"host": "{host}", "port": {port}{further}}}"#)
        };
        let replicas: Vec<String> = (1..addresses.len()).map(|i| format!(r#""r{i}": {}"#, node(i))).collect();
        let comma = if keys.is_empty() { "" } else { ", " };
        format!(
            r#"{{"shop": {{"master": {{"source": {}}}, "slave": {{{}}}{comma}{keys}}}}}"#,
            node(0),
            replicas.join(", ")
        )
    }

    /// With this configuration.
    pub fn of(text: &str) -> Shop {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shop.json");
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true).mode(0o600).open(&file).unwrap().write_all(text.as_bytes()).unwrap();
        let variable = |name: &str, value: &std::path::Path| (OsString::from(name), value.as_os_str().to_owned());
        let clusters = Shop::environment(&file).map(|(name, value)| variable(name, value.as_ref()));
        Shop { _folder: folder, clusters: Clusters::new(clusters, false), file }
    }

    /// The environment of a program that uses the configuration: what it tells other processes stays with the file.
    pub fn environment(file: &std::path::Path) -> [(&'static str, OsString); 3] {
        [
            ("MYSQLND_MS_ENABLE", "1".into()),
            ("MYSQLND_MS_CONFIG_FILE", file.into()),
            ("XDG_RUNTIME_DIR", file.parent().unwrap().into()),
        ]
    }

    /// As another process of the same user sees it.
    pub fn elsewhere(&self) -> Clusters {
        let environment = Shop::environment(&self.file);
        Clusters::new(environment.map(|(name, value)| (OsString::from(name), value)), false)
    }

    /// Puts another configuration in the place of this one, as a careful administrator does: by renaming.
    #[allow(dead_code)]
    pub fn rewrite(&self, text: &str) {
        let new = self.file.with_extension("new");
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true).mode(0o600).open(&new).unwrap().write_all(text.as_bytes()).unwrap();
        std::fs::rename(&new, &self.file).unwrap();
    }

    /// A handle of the section, with its default schema.
    pub fn connect(&self, schema: Option<&str>) -> Handle {
        self.try_connect(schema, |_| ()).unwrap()
    }

    /// The same, with options set before connecting.
    pub fn try_connect(&self, schema: Option<&str>, set: impl FnOnce(&mut Session)) -> Result<Handle, Error> {
        self.connect_as(Family::MySql, schema, set)
    }

    /// The same for a program of either library.
    pub fn connect_as(
        &self,
        library: Family,
        schema: Option<&str>,
        set: impl FnOnce(&mut Session),
    ) -> Result<Handle, Error> {
        Shop::connect_to(&self.clusters, library, schema, set)
    }

    /// The same with any state of the configuration.
    pub fn connect_to(
        clusters: &Clusters,
        library: Family,
        schema: Option<&str>,
        set: impl FnOnce(&mut Session),
    ) -> Result<Handle, Error> {
        let mut session = Session::new(library);
        // In the clear: how many flights a TLS handshake takes depends on when the server sends its tickets.
        session.options().tls.mode = TlsMode::Disabled;
        session.options().get_server_public_key = true;
        set(&mut session);
        let args = ConnectArgs {
            host: Some(b"shop".to_vec()),
            user: Some(harness::APP_USER.into()),
            password: Some(harness::APP_PASSWORD.into()),
            database: schema.map(|schema| schema.as_bytes().to_vec()),
            ..ConnectArgs::default()
        };
        block_on(session.connect(args, &Environment::default(), clusters))?;
        Ok(Handle { session })
    }
}

/// A routed handle.
pub struct Handle {
    pub session: Session,
}

impl Handle {
    /// Runs a statement; its rows with values as text, `NULL` for NULL.
    pub fn run(&mut self, sql: &str) -> Result<Vec<Vec<String>>, Error> {
        block_on(self.session.run(sql.as_bytes()))?;
        self.rows()
    }

    fn rows(&mut self) -> Result<Vec<Vec<String>>, Error> {
        let mut rows = StoredRows::default();
        let Some(columns) = block_on(self.session.store_result(&mut rows))? else { return Ok(Vec::new()) };
        let text = |value: Option<Vec<u8>>| {
            value.map_or_else(|| "NULL".to_owned(), |value| String::from_utf8_lossy(&value).into_owned())
        };
        Ok((0..rows.len())
            .map(|row| (0..columns.len()).map(|column| text(rows.value(row, column))).collect())
            .collect())
    }

    /// Runs a statement that must succeed.
    pub fn ok(&mut self, sql: &str) -> Vec<Vec<String>> {
        self.run(sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// The one value of a statement that must succeed.
    pub fn value(&mut self, sql: &str) -> String {
        self.ok(sql)[0][0].clone()
    }

    /// The number of the error of a statement that must fail.
    pub fn code(&mut self, sql: &str) -> u32 {
        self.run(sql).err().unwrap_or_else(|| panic!("{sql} did not fail")).code
    }

    /// The same, through `mysql_send_query`.
    pub fn send(&mut self, sql: &str) -> Vec<Vec<String>> {
        block_on(self.session.send_query(sql.as_bytes())).unwrap();
        block_on(self.session.read_query_result()).unwrap();
        self.rows().unwrap()
    }

    /// Runs a statement and fetches its rows one at a time; how many there were.
    pub fn stream(&mut self, sql: &str) -> u64 {
        block_on(self.session.run(sql.as_bytes())).unwrap();
        let columns = self.session.use_result().unwrap().unwrap();
        let mut row = StreamRow::new(columns.len());
        let mut count = 0;
        while block_on(self.session.next_row(&mut row)).unwrap() {
            count += 1;
        }
        count
    }

    /// Number of the node that ran the last statement: 0 is the source.
    pub fn node(&self) -> usize {
        self.session.node().unwrap()
    }

    /// Our own words on the last decision.
    pub fn decision(&mut self) -> String {
        String::from_utf8_lossy(self.session.last_decision().unwrap()).into_owned()
    }
}
