//! What a program may set before it connects, checked: the common form of `mysql_options` of both families.
//!
//! Option *numbers* belong to `abi`; this file has no numbers, no pointers and no defaults of its own beyond
//! [`Options::new`], which differ between the families.

pub mod methods;

use std::path::PathBuf;
use std::time::Duration;

use zeroize::Zeroize;

/// Whose program it is: which library it was built for. Decides defaults, texts and what the server is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// libmysqlclient (`.so.21`, `.so.24`).
    MySql,
    /// MariaDB Connector/C (`libmariadb.so.3`).
    MariaDb,
}

/// How much TLS is wanted. `Verify*` imply [`TlsMode::Required`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TlsMode {
    /// Never.
    Disabled,
    /// If the server offers it; not verified.
    Preferred,
    /// Or the connect fails with 2026; not verified.
    Required,
    /// The certificate must come from a known CA.
    VerifyCa,
    /// The certificate must also name the host.
    VerifyIdentity,
}

/// TLS settings of one handle or node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsOptions {
    /// See [`TlsMode`]. MySQL family: Preferred; MariaDB family: Disabled.
    pub mode: TlsMode,
    /// PEM file of trusted CAs.
    pub ca: Option<PathBuf>,
    /// Folder of trusted CAs.
    pub capath: Option<PathBuf>,
    /// PEM file of revocation lists; when it or the folder is named, every certificate of a chain needs one.
    pub crl: Option<PathBuf>,
    /// Folder of revocation lists, by OpenSSL's names (`9d66eef0.r0`).
    pub crlpath: Option<PathBuf>,
    /// PEM file with the client's certificate.
    pub cert: Option<PathBuf>,
    /// PEM file with the client's key.
    pub key: Option<PathBuf>,
    /// Cipher list in the original's words; stored, passed on where rustls has a meaning for it.
    pub cipher: Option<String>,
    /// TLS 1.3 cipher suites, separated by colons, in OpenSSL's words (`TLS_AES_256_GCM_SHA384`); None = all.
    pub ciphersuites: Option<String>,
    /// A session to resume, as the text that the library gave out for it; of no effect when it is not known.
    pub session: Option<Vec<u8>>,
    /// Protocol versions in the original's words (`TLSv1.2,TLSv1.3`).
    pub version: Option<String>,
    /// SHA-1 of the server's certificate in hexadecimal digits, with colons or without; it must be that one.
    pub fingerprint: Option<String>,
    /// File with one such fingerprint a line, of which it must be one.
    pub fingerprint_list: Option<PathBuf>,
    /// Name to tell the server in the TLS greeting; None = none is told.
    pub server_name: Option<String>,
    /// Pass phrase of the client's key.
    pub passphrase: Option<String>,
}

impl TlsOptions {
    /// No list of protocol versions was given, or one of those in it is spoken.
    pub fn names_a_version(&self) -> bool {
        let spoken = |word: &str| ["tlsv1.2", "tlsv1.3"].iter().any(|name| word.trim().eq_ignore_ascii_case(name));
        self.version.as_deref().is_none_or(|list| list.split(',').any(spoken))
    }
}

/// `MYSQL_OPT_PROTOCOL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Socket for `localhost` or no host, else TCP.
    Default,
    /// Always TCP.
    Tcp,
    /// Always the Unix socket.
    Socket,
    /// Windows only: refused as the originals refuse it.
    Pipe,
    /// Windows only.
    Memory,
}

/// Compression of the MySQL family: `zlib`, `zstd` and `uncompressed`, one of which must be the server's, too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compression {
    /// The list as the program gave it.
    pub algorithms: Option<Vec<u8>>,
    /// Level of zstd, 1 to 22; 0 for the default, 3. Servers refuse others.
    pub zstd_level: u32,
}

impl Compression {
    /// The longest list, bytes.
    const LONGEST: usize = 98;

    fn names(&self) -> impl Iterator<Item = &[u8]> {
        // Nothing follows the last comma.
        let list = self.algorithms.as_deref().unwrap_or_default();
        let list = list.strip_suffix(b",").unwrap_or(list);
        list.split(|byte| *byte == b',').filter(move |_| !list.is_empty())
    }

    /// The list, of which the first three count, has this name.
    pub fn has(&self, name: &str) -> bool {
        self.names().take(3).any(|known| known.eq_ignore_ascii_case(name.as_bytes()))
    }

    /// Without an algorithm of the list there must be no connection.
    pub fn required(&self) -> bool {
        self.algorithms.is_some() && !self.has("uncompressed")
    }

    /// The list names something else, or too much.
    pub fn is_wrong(&self) -> bool {
        let known =
            |name: &[u8]| ["zlib", "zstd", "uncompressed"].iter().any(|n| name.eq_ignore_ascii_case(n.as_bytes()));
        let Some(list) = self.algorithms.as_ref().filter(|list| !list.is_empty()) else { return false };
        list.len() > Self::LONGEST || self.names().count() > 3 || !self.names().all(known)
    }

    /// The level of zstd, as the one byte that the server is told.
    pub fn level(&self) -> u8 {
        if self.zstd_level == 0 { 3 } else { self.zstd_level as u8 }
    }
}

/// Everything that `mysql_options` and option files can say, in checked form.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Which library the program was built for.
    pub family: Family,
    /// Time for connect and handshake together; None = no limit.
    pub connect_timeout: Option<Duration>,
    /// Time for each wait for bytes.
    pub read_timeout: Option<Duration>,
    /// Time for each wait until bytes can be written.
    pub write_timeout: Option<Duration>,
    /// `MYSQL_SET_CHARSET_NAME`; None = the family's default.
    pub charset: Option<String>,
    /// A collation instead of the character set's default; no program can set it, a configuration can.
    pub collation: Option<String>,
    /// `MYSQL_INIT_COMMAND`, in order.
    pub init_commands: Vec<Vec<u8>>,
    /// Connection attributes that the program added, in order (`mysql_options4`).
    pub attributes: Vec<(Vec<u8>, Vec<u8>)>,
    /// TLS.
    pub tls: TlsOptions,
    /// `MYSQL_OPT_LOCAL_INFILE`.
    pub local_infile: bool,
    /// `MYSQL_OPT_LOAD_DATA_LOCAL_DIR`: files of this folder are sent even while [`Options::local_infile`] is off.
    pub local_dir: Option<PathBuf>,
    /// `MYSQL_OPT_GET_SERVER_PUBLIC_KEY`.
    pub get_server_public_key: bool,
    /// `MYSQL_SERVER_PUBLIC_KEY`: PEM file.
    pub server_public_key: Option<PathBuf>,
    /// `MYSQL_DEFAULT_AUTH`.
    pub default_auth: Option<String>,
    /// `MYSQL_ENABLE_CLEARTEXT_PLUGIN`.
    pub cleartext_plugin: bool,
    /// `MYSQL_PLUGIN_DIR`: where the originals would look for methods that they do not have; nothing is loaded from there.
    pub plugin_dir: Option<PathBuf>,
    /// The authentication methods that the program has registered.
    pub program: methods::Program,
    /// `MYSQL_OPT_USER_PASSWORD`: passwords of the factors, the first one first.
    pub factor_passwords: FactorPasswords,
    /// `CLIENT_*` that options switch on, besides the flags of the connect call.
    pub client_flags: u64,
    /// What `MYSQL_OPT_COMPRESSION_ALGORITHMS` and `MYSQL_OPT_ZSTD_COMPRESSION_LEVEL` say beyond `CLIENT_*` flags.
    pub compression: Compression,
    /// `MYSQL_OPT_PROTOCOL`.
    pub protocol: Protocol,
    /// `MYSQL_OPT_BIND`.
    pub bind: Option<String>,
    /// `MYSQL_OPT_MAX_ALLOWED_PACKET`, bytes: the largest packet that is accepted; 0 = the process's default.
    pub max_allowed_packet: u64,
    /// That default, bytes: what programs set without a handle.
    pub default_max_packet: u64,
    /// `MYSQL_OPT_RECONNECT`.
    pub reconnect: bool,
    /// `MYSQL_REPORT_DATA_TRUNCATION`.
    pub report_data_truncation: bool,
    /// `MARIADB_OPT_PROXY_HEADER`: bytes to send in front of everything else.
    pub proxy_header: Option<Vec<u8>>,
    /// `MARIADB_OPT_RESTRICTED_AUTH`: names of the authentication methods that may be used; None = all.
    pub restricted_auth: Option<String>,
    /// `MARIADB_OPT_SKIP_READ_RESPONSE`: statements are sent only; the program asks for the head of the reply by itself.
    pub skip_reply: bool,
    /// User, password, database, host, port, socket from an option file; connect arguments win.
    pub defaults: Defaults,
}

/// Passwords by factor. Wiped when dropped; not shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct FactorPasswords(pub [Option<Vec<u8>>; 3]);

impl std::fmt::Debug for FactorPasswords {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|password| password.as_ref().map(|_| "…"))).finish()
    }
}

impl Drop for FactorPasswords {
    fn drop(&mut self) {
        self.0.iter_mut().flatten().for_each(|password| password.zeroize());
    }
}

/// What an option file (`MYSQL_READ_DEFAULT_FILE`, `MYSQL_READ_DEFAULT_GROUP`) says about whom to connect to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defaults {
    /// `host`.
    pub host: Option<String>,
    /// `user`.
    pub user: Option<Vec<u8>>,
    /// `password`.
    pub password: Option<Vec<u8>>,
    /// `database`.
    pub database: Option<Vec<u8>>,
    /// `port`.
    pub port: Option<u16>,
    /// `socket`.
    pub socket: Option<PathBuf>,
}

impl Options {
    /// The defaults of a family's `mysql_init`.
    pub fn new(family: Family) -> Self {
        let mysql = family == Family::MySql;
        Options {
            family,
            connect_timeout: None,
            read_timeout: None,
            write_timeout: None,
            charset: None,
            collation: None,
            init_commands: Vec::new(),
            attributes: Vec::new(),
            tls: TlsOptions {
                mode: if mysql { TlsMode::Preferred } else { TlsMode::Disabled },
                ca: None,
                capath: None,
                crl: None,
                crlpath: None,
                cert: None,
                key: None,
                cipher: None,
                ciphersuites: None,
                session: None,
                version: None,
                fingerprint: None,
                fingerprint_list: None,
                server_name: None,
                passphrase: None,
            },
            local_infile: false,
            local_dir: None,
            get_server_public_key: false,
            server_public_key: None,
            default_auth: None,
            cleartext_plugin: false,
            plugin_dir: None,
            program: methods::Program::default(),
            factor_passwords: FactorPasswords::default(),
            client_flags: 0,
            compression: Compression::default(),
            protocol: Protocol::Default,
            bind: None,
            max_allowed_packet: 0,
            default_max_packet: 1 << 30,
            reconnect: false,
            report_data_truncation: true,
            proxy_header: None,
            restricted_auth: None,
            skip_reply: false,
            defaults: Defaults::default(),
        }
    }

    /// The largest packet that a connection accepts, bytes.
    pub fn max_packet(&self) -> u64 {
        if self.max_allowed_packet == 0 { self.default_max_packet } else { self.max_allowed_packet }
    }

    /// Why a client plugin cannot be had: in the system's words that there is no file of it where the original would look,
    /// or that this library loads none.
    pub fn no_plugin(&self, name: &str) -> String {
        let (variable, default) = match self.family {
            Family::MySql => ("LIBMYSQL_PLUGIN_DIR", "/usr/lib/mysql/plugin"),
            Family::MariaDb => ("MARIADB_PLUGIN_DIR", MARIADB_PLUGINS),
        };
        let folder = match &self.plugin_dir {
            Some(folder) => folder.to_string_lossy().into_owned(),
            None => std::env::var(variable).unwrap_or_else(|_| default.to_owned()),
        };
        let file = format!("{folder}/{name}.so");
        match std::fs::metadata(&file) {
            Ok(_) => format!("{file}: mysqlclient-ms loads no plugins from files"),
            Err(_) => format!("{file}: cannot open shared object file: No such file or directory"),
        }
    }

    /// Switches a `CLIENT_*` flag.
    pub fn set_client_flag(&mut self, flag: u64, enabled: bool) {
        if enabled {
            self.client_flags |= flag;
        } else {
            self.client_flags &= !flag;
        }
    }
}

/// Where Debian's Connector/C looks for plugins.
#[cfg(target_arch = "x86_64")]
const MARIADB_PLUGINS: &str = "/usr/lib/x86_64-linux-gnu/libmariadb3/plugin";
#[cfg(not(target_arch = "x86_64"))]
const MARIADB_PLUGINS: &str = "/usr/lib/mysql/plugin";
