//! Option files (`my.cnf`): which are read, what they may say, and what each key means in each family.
//!
//! Rules as observed on libmysqlclient 9.7 and Connector/C 3.3:
//!
//! * Files without a named one: `/etc/my.cnf`, `/etc/mysql/my.cnf`, `my.cnf` in `$MYSQL_HOME` (MariaDB family:
//!   `$MARIADB_HOME` first), `.my.cnf` in the home folder. A named file is read alone. A missing file is no error.
//! * Groups: `[client]`, in the MariaDB family also `[client-server]` and `[client-mariadb]`, and the named group. Of a key
//!   said twice the last one counts, whatever the group. MySQL compares group names without case.
//! * `_` and `-` are the same in keys. Values may be quoted; `\s \n \t \r \b \\ \" \'` are replaced; a `#` begins a comment at the
//!   start of a line and, in the MySQL family, in an unquoted value.
//! * Keys that are not known say nothing. In the MySQL family a line that is no option makes all files say nothing.
//! * The originals write complaints on standard error; this library never does.

mod connection;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Error, cr};
use crate::options::{Family, Options, Protocol, TlsMode};

/// How deep files may include each other.
const DEPTH: usize = 10;

/// Largest file that is read, bytes.
const LARGEST: u64 = 1 << 20;

/// One option of a group that counts; None for a key without a value.
type Entry = (String, Option<Vec<u8>>);

/// The text is no option file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAnOptionFile {
    /// Line, from 1.
    pub line: usize,
}

/// Reads `file`, or the family's default files, and takes over what the groups that count say.
///
/// As in the originals a file that cannot be read or understood is no error: it says nothing.
pub fn apply(options: &mut Options, file: Option<&Path>, group: Option<&str>) -> Result<(), Error> {
    let files = match file {
        Some(file) => vec![file.to_owned()],
        None => default_files(options.family),
    };
    let mut entries = Vec::new();
    for file in files {
        if read(&file, options.family, group, DEPTH, &mut entries).is_err() && options.family == Family::MySql {
            return Ok(());
        }
    }
    for (key, value) in entries {
        if key == "connection" && options.family == Family::MariaDb {
            // As for the original a mistake in it is none of the file's.
            let _ = apply_connection_string(options, value.as_deref().unwrap_or_default());
        } else if value.is_some() || options.family == Family::MySql {
            // Connector/C keeps the line's end in a key without a value, and so knows none.
            set(options, &key, value.as_deref());
        }
    }
    Ok(())
}

/// Takes over what a connection string of the MariaDB family says: `host=a;port=3306;password={p;w}`, with the keys of
/// an option file.
///
/// Errors: 5011 with the offset of a mistake; what stands before it counts.
pub fn apply_connection_string(options: &mut Options, text: &[u8]) -> Result<(), Error> {
    let (pairs, mistake) = connection::parse(text);
    for (key, value) in pairs {
        let key = String::from_utf8_lossy(&key).replace('_', "-");
        // A string inside a string is not looked at.
        if !key.eq_ignore_ascii_case("connection") {
            set(options, &key, value.as_deref());
        }
    }
    match mistake {
        None => Ok(()),
        Some(offset) => {
            let message = format!("Parse error in connection string (offset {offset})");
            Err(Error::client(cr::CONNSTR_PARSE_ERROR, message))
        }
    }
}

fn default_files(family: Family) -> Vec<PathBuf> {
    let mut files = vec![PathBuf::from("/etc/my.cnf"), PathBuf::from("/etc/mysql/my.cnf")];
    let homes: &[&str] = match family {
        Family::MySql => &["MYSQL_HOME"],
        Family::MariaDb => &["MARIADB_HOME", "MYSQL_HOME"],
    };
    if let Some(home) = homes.iter().find_map(std::env::var_os) {
        files.push(Path::new(&home).join("my.cnf"));
    }
    if let Some(home) = std::env::var_os("HOME") {
        files.push(Path::new(&home).join(".my.cnf"));
    }
    files
}

fn read(
    file: &Path,
    family: Family,
    group: Option<&str>,
    depth: usize,
    entries: &mut Vec<Entry>,
) -> Result<(), NotAnOptionFile> {
    use std::os::unix::fs::PermissionsExt;
    let Ok(about) = std::fs::metadata(file) else { return Ok(()) };
    // MySQL does not believe a file that anybody may write to.
    let anybody = family == Family::MySql && about.permissions().mode() & 0o002 != 0;
    if !about.is_file() || about.len() > LARGEST || anybody {
        return Ok(());
    }
    let Ok(text) = std::fs::read(file) else { return Ok(()) };
    parse(&text, family, group, entries, &mut |what, path, entries| {
        let Some(depth) = depth.checked_sub(1) else { return Ok(()) };
        match what {
            Include::File => read(path, family, group, depth, entries),
            Include::Folder => {
                for file in folder(path) {
                    read(&file, family, group, depth, entries)?;
                }
                Ok(())
            }
        }
    })
}

/// The option files of a folder, by name.
fn folder(path: &Path) -> Vec<PathBuf> {
    let Ok(found) = std::fs::read_dir(path) else { return Vec::new() };
    let is_option_file = |path: &PathBuf| path.extension().is_some_and(|end| end == "cnf" || end == "ini");
    let mut files: Vec<PathBuf> = found.flatten().map(|entry| entry.path()).filter(is_option_file).collect();
    files.sort();
    files
}

/// What `!include` and `!includedir` lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Include {
    File,
    Folder,
}

/// Appends the options of other files.
type Includer<'a> = dyn FnMut(Include, &Path, &mut Vec<Entry>) -> Result<(), NotAnOptionFile> + 'a;

/// Appends the options of the groups that count. `include` is asked to append those of other files.
fn parse(
    text: &[u8],
    family: Family,
    group: Option<&str>,
    entries: &mut Vec<Entry>,
    include: &mut Includer<'_>,
) -> Result<(), NotAnOptionFile> {
    // None before the first group; whether the present one counts.
    let mut counts: Option<bool> = None;
    for (index, line) in text.split(|&b| b == b'\n').enumerate() {
        let wrong = NotAnOptionFile { line: index + 1 };
        let line = line.trim_ascii();
        match line.first() {
            None | Some(b'#' | b';') => {}
            Some(b'!') => {
                use std::os::unix::ffi::OsStrExt;
                let (what, path) = if let Some(path) = line.strip_prefix(b"!includedir") {
                    (Include::Folder, path)
                } else if let Some(path) = line.strip_prefix(b"!include") {
                    (Include::File, path)
                } else {
                    continue;
                };
                let path = std::ffi::OsStr::from_bytes(path.trim_ascii());
                include(what, Path::new(path), entries)?;
            }
            Some(b'[') => {
                let Some(end) = line.iter().position(|&b| b == b']') else {
                    if family == Family::MySql {
                        return Err(wrong);
                    }
                    counts = Some(false);
                    continue;
                };
                counts = Some(group_counts(line[1..end].trim_ascii(), family, group));
            }
            Some(_) if counts.is_none() && family == Family::MySql => return Err(wrong),
            Some(_) if counts == Some(true) => entries.extend(entry(line, family)),
            Some(_) => {}
        }
    }
    Ok(())
}

fn group_counts(name: &[u8], family: Family, group: Option<&str>) -> bool {
    let same = |wanted: &str| match family {
        Family::MySql => name.eq_ignore_ascii_case(wanted.as_bytes()),
        Family::MariaDb => name == wanted.as_bytes(),
    };
    let common: &[&str] = match family {
        Family::MySql => &["client"],
        Family::MariaDb => &["client", "client-server", "client-mariadb"],
    };
    common.iter().any(|wanted| same(wanted)) || group.is_some_and(|group| !group.is_empty() && same(group))
}

fn entry(line: &[u8], family: Family) -> Option<Entry> {
    let (key, value) = match line.iter().position(|&b| b == b'=') {
        Some(at) => (&line[..at], Some(line[at + 1..].trim_ascii())),
        None => (line, None),
    };
    let key = String::from_utf8(key.trim_ascii().to_ascii_lowercase()).ok()?.replace('_', "-");
    Some((key, value.map(|value| unescape(unquote(value, family)))))
}

/// The value without its quotes and, in the MySQL family, without a comment behind it.
fn unquote(value: &[u8], family: Family) -> &[u8] {
    let is_quote = |byte: &u8| matches!(byte, b'\'' | b'"');
    match family {
        Family::MySql => match without_comment(value) {
            [first, inside @ .., last] if is_quote(first) && first == last => inside,
            value => value,
        },
        // Any quote at the end will do.
        Family::MariaDb => match value {
            [first, inside @ .., last] if is_quote(first) && is_quote(last) => inside,
            [first, inside @ ..] if is_quote(first) => inside,
            value => value,
        },
    }
}

/// What stands in front of a `#` that is not inside quotes.
pub(crate) fn without_comment(value: &[u8]) -> &[u8] {
    let (mut quote, mut escaped) = (None, false);
    for (at, &byte) in value.iter().enumerate() {
        match byte {
            b'\'' | b'"' if !escaped => match quote {
                None => quote = Some(byte),
                Some(open) if open == byte => quote = None,
                Some(_) => {}
            },
            b'#' if quote.is_none() => return value[..at].trim_ascii_end(),
            _ => {}
        }
        escaped = quote.is_some() && byte == b'\\' && !escaped;
    }
    value
}

/// The value with what its backslashes stand for.
pub(crate) fn unescape(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    let mut bytes = value.iter();
    while let Some(&byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b's') => out.push(b' '),
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(b'r') => out.push(b'\r'),
            Some(b'b') => out.push(8),
            Some(&quote @ (b'"' | b'\'')) => out.push(quote),
            Some(b'\\') | None => out.push(b'\\'),
            Some(&other) => out.extend([b'\\', other]),
        }
    }
    out
}

/// Takes one option over. Keys that are not known, and values that are none, say nothing.
fn set(options: &mut Options, key: &str, value: Option<&[u8]>) {
    let key = if options.family == Family::MariaDb { unaliased(key) } else { key };
    let text = || value.and_then(|value| String::from_utf8(value.to_vec()).ok());
    let path = || text().map(PathBuf::from);
    let seconds = || number(value).map(Duration::from_secs);
    let mysql = options.family == Family::MySql;
    // Connector/C asks for a number, and switches these on whatever it is.
    let switch = if mysql { value.is_none_or(|value| number(Some(value)) != Some(0)) } else { number(value) > Some(0) };
    let named = switch || !mysql;
    match key {
        "port" => {
            if let Some(port) = number(value).and_then(|port| u16::try_from(port).ok()).filter(|port| *port != 0) {
                options.defaults.port = Some(port);
            }
        }
        "socket" if value.is_some() => options.defaults.socket = path(),
        "password" if value.is_some() => options.defaults.password = value.map(<[u8]>::to_vec),
        "user" if value.is_some() => options.defaults.user = value.map(<[u8]>::to_vec),
        "host" if value.is_some() => options.defaults.host = text(),
        "database" if value.is_some() => options.defaults.database = value.map(<[u8]>::to_vec),
        "timeout" | "connect-timeout" => options.connect_timeout = seconds().filter(|time| !time.is_zero()),
        "init-command" => options.init_commands.extend(value.map(<[u8]>::to_vec)),
        "default-character-set" if value.is_some() => options.charset = text(),
        "compress" => options.set_client_flag(1 << 5, named),
        "return-found-rows" => options.set_client_flag(1 << 1, named),
        "interactive-timeout" => options.set_client_flag(1 << 10, named),
        "multi-results" => options.set_client_flag(1 << 17, named),
        "multi-statements" | "multi-queries" => options.set_client_flag(1 << 16 | 1 << 17, named),
        "local-infile" => options.local_infile = switch,
        "disable-local-infile" => options.local_infile = false,
        "max-allowed-packet" => {
            if let Some(size) = number(value).filter(|size| *size != 0) {
                options.max_allowed_packet = size;
            }
        }
        "report-data-truncation" => options.report_data_truncation = switch,
        "reconnect" if !mysql => options.reconnect = switch,
        "protocol" if mysql => {
            if let Some(protocol) = text().and_then(|word| protocol(&word)) {
                options.protocol = protocol;
            }
        }
        "default-auth" => options.default_auth = text(),
        "enable-cleartext-plugin" if mysql => options.cleartext_plugin = switch,
        "bind-address" => options.bind = text(),
        "ssl-key" => options.tls.key = path(),
        "ssl-cert" => options.tls.cert = path(),
        "ssl-ca" => options.tls.ca = path(),
        "ssl-capath" => options.tls.capath = path(),
        "ssl-cipher" => options.tls.cipher = text(),
        "tls-version" => options.tls.version = text(),
        "server-public-key" if !mysql => options.server_public_key = path(),
        "server-public-key-path" if mysql => options.server_public_key = path(),
        "get-server-public-key" if mysql => options.get_server_public_key = switch,
        "ssl-mode" if mysql => {
            if let Some(mode) = text().and_then(|word| tls_mode(&word)) {
                options.tls.mode = mode;
            }
        }
        "ssl-fp" if !mysql => {
            options.tls.fingerprint = text();
            options.tls.mode = options.tls.mode.max(TlsMode::Required);
        }
        "ssl-fp-list" if !mysql => {
            options.tls.fingerprint_list = path();
            options.tls.mode = options.tls.mode.max(TlsMode::Required);
        }
        "restricted-auth" if !mysql => options.restricted_auth = text(),
        "ssl-crl" => options.tls.crl = path(),
        "ssl-crlpath" => options.tls.crlpath = path(),
        "ssl-passphrase" if !mysql => options.tls.passphrase = text(),
        "ssl-enforce" if !mysql && switch => options.tls.mode = options.tls.mode.max(TlsMode::Required),
        "ssl-verify-server-cert" if !mysql && switch => options.tls.mode = TlsMode::VerifyIdentity,
        _ => {}
    }
}

/// Connector/C's other names for the same things.
fn unaliased(key: &str) -> &str {
    match key {
        "db" => "database",
        "servername" => "host",
        "passwd" => "password",
        "tls-fp" => "ssl-fp",
        "tls-fplist" | "ssl-fplist" => "ssl-fp-list",
        "tls-key" => "ssl-key",
        "tls-cert" => "ssl-cert",
        "tls-ca" => "ssl-ca",
        "tls-capath" => "ssl-capath",
        "tls-crl" => "ssl-crl",
        "tls-crlpath" => "ssl-crlpath",
        "tls-cipher" => "ssl-cipher",
        "tls-passphrase" => "ssl-passphrase",
        "tls-enforce" => "ssl-enforce",
        "tls-verify-peer" => "ssl-verify-server-cert",
        other => other,
    }
}

fn protocol(word: &str) -> Option<Protocol> {
    Some(match word.to_ascii_lowercase().as_str() {
        "tcp" => Protocol::Tcp,
        "socket" => Protocol::Socket,
        "pipe" => Protocol::Pipe,
        "memory" => Protocol::Memory,
        "default" => Protocol::Default,
        _ => return None,
    })
}

fn tls_mode(word: &str) -> Option<TlsMode> {
    Some(match word.to_ascii_uppercase().as_str() {
        "DISABLED" => TlsMode::Disabled,
        "PREFERRED" => TlsMode::Preferred,
        "REQUIRED" => TlsMode::Required,
        "VERIFY_CA" => TlsMode::VerifyCa,
        "VERIFY_IDENTITY" => TlsMode::VerifyIdentity,
        _ => return None,
    })
}

/// A number as the originals read it: the digits at the beginning.
fn number(value: Option<&[u8]>) -> Option<u64> {
    let value = value?;
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&value[..digits]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str, family: Family, group: Option<&str>) -> Result<Vec<(String, String)>, NotAnOptionFile> {
        let mut found = Vec::new();
        parse(text.as_bytes(), family, group, &mut found, &mut |_, _, _| Ok(()))?;
        let show = |value: Option<Vec<u8>>| value.map_or("-".to_owned(), |v| String::from_utf8_lossy(&v).into_owned());
        Ok(found.into_iter().map(|(key, value)| (key, show(value))).collect())
    }

    fn value(text: &str, family: Family) -> String {
        entries(&format!("[client]\n{text}\n"), family, None).expect("an option file")[0].1.clone()
    }

    #[test]
    fn comments_in_values_belong_to_the_mysql_family() {
        for (text, mysql, mariadb) in [
            ("socket=/tmp/x # c", "/tmp/x", "/tmp/x # c"),
            ("socket=\"/tmp/q # z\"  ", "/tmp/q # z", "/tmp/q # z"),
            ("socket='/tmp/s'", "/tmp/s", "/tmp/s"),
            ("socket=/tmp/a\\sb\\\\d\\x", "/tmp/a b\\d\\x", "/tmp/a b\\d\\x"),
            ("  socket   =   /tmp/sp  ", "/tmp/sp", "/tmp/sp"),
            ("socket=/tmp/e;x", "/tmp/e;x", "/tmp/e;x"),
            ("socket='/tmp/a\\\"b\\'c;#d'", "/tmp/a\"b'c;#d", "/tmp/a\"b'c;#d"),
            ("socket='/tmp/m\"", "'/tmp/m\"", "/tmp/m"),
            ("socket", "-", "-"),
        ] {
            assert_eq!(value(text, Family::MySql), mysql, "{text}");
            assert_eq!(value(text, Family::MariaDb), mariadb, "{text}");
        }
    }

    #[test]
    fn each_family_has_its_groups() {
        let text =
            "[client]\na=1\n[client-server]\nb=2\n[client-mariadb]\nc=3\n[CLIENT]\nd=4\n[mine]\ne=5\n[mysql]\nf=6\n";
        let keys = |family, group| {
            let found = entries(text, family, group).expect("an option file");
            found.into_iter().map(|(key, _)| key).collect::<String>()
        };
        assert_eq!(keys(Family::MySql, None), "ad");
        assert_eq!(keys(Family::MySql, Some("mine")), "ade");
        assert_eq!(keys(Family::MariaDb, Some("")), "abc");
        assert_eq!(keys(Family::MariaDb, Some("mine")), "abce");
    }

    #[test]
    fn a_line_that_is_no_option_matters_to_mysql_only() {
        assert_eq!(entries("a=1\n", Family::MySql, None), Err(NotAnOptionFile { line: 1 }));
        assert_eq!(entries("a=1\n", Family::MariaDb, None), Ok(vec![]));
        assert_eq!(entries("[client]\n[bad\n", Family::MySql, None), Err(NotAnOptionFile { line: 2 }));
        assert_eq!(entries("[client]\n[bad\na=1", Family::MariaDb, None), Ok(vec![]));
    }

    #[test]
    fn options_are_taken_over_and_the_last_one_counts() {
        let folder = std::env::temp_dir().join(format!("option-file-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let (first, second) = (folder.join("first.cnf"), folder.join("second.cnf"));
        std::fs::write(&second, "[client]\nuser=second\nssl_ca=/ca.pem\n").expect("a file");
        let text =
            format!("[client]\nuser=first\nport=abc\npassword='p#w'\n!include {}\nlocal-infile=0\n", second.display());
        std::fs::write(&first, text).expect("a file");
        for family in [Family::MySql, Family::MariaDb] {
            let mut options = Options::new(family);
            options.local_infile = true;
            apply(&mut options, Some(&first), None).expect("never fails");
            assert_eq!(options.defaults.user.as_deref(), Some(&b"second"[..]));
            assert_eq!(options.defaults.password.as_deref(), Some(&b"p#w"[..]));
            assert_eq!((options.defaults.port, options.local_infile), (None, false));
            assert_eq!(options.tls.ca, Some("/ca.pem".into()));
            let untouched = options.clone();
            apply(&mut options, Some(&folder.join("missing.cnf")), Some("x")).expect("never fails");
            assert!(options == untouched);
        }
        std::fs::remove_dir_all(&folder).expect("ours to remove");
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read(text: Vec<u8>) {
            for family in [Family::MySql, Family::MariaDb] {
                let mut found = Vec::new();
                let _ = parse(&text, family, Some("g"), &mut found, &mut |_, _, _| Ok(()));
                let mut options = Options::new(family);
                for (key, value) in found {
                    set(&mut options, &key, value.as_deref());
                }
            }
        }
    }
}
