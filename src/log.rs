//! The diagnostics log: off by default, one line per decision or message, never on the program's own streams unless
//! their path was asked for.
//!
//! The file is opened, written to once and closed for every line: daemons close descriptors that they do not know and
//! get the same numbers for their own files, forked children write with their own process id, and a rotated file is
//! followed. Passwords never get here; statements that may hold one are not shown.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

/// How much is written; each level includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What failed: refused connects, caught panics.
    Error,
    /// What the administrator should know: unknown keys, failed nodes, overruled hints.
    Warning,
    /// Every decision.
    Decision,
    /// Connections opened and closed, state replayed.
    Debug,
}

impl Level {
    const ALL: [(&'static str, Level); 4] =
        [("error", Level::Error), ("warning", Level::Warning), ("decision", Level::Decision), ("debug", Level::Debug)];

    fn name(self) -> &'static str {
        Level::ALL.iter().find(|(_, level)| *level == self).map_or("", |(name, _)| name)
    }
}

/// The value of `MYSQLND_MS_LOG`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogSpec {
    /// Default: [`Level::Decision`].
    pub level: Level,
    /// Made with mode 0600 if it does not exist.
    pub file: PathBuf,
}

impl LogSpec {
    /// `FILE` or `LEVEL:FILE`; empty means no log. A word that is no level belongs to the file's name.
    pub fn parse(value: &OsStr) -> Option<LogSpec> {
        let bytes = value.as_bytes();
        let colon = bytes.iter().position(|byte| *byte == b':');
        let leveled = colon.and_then(|at| {
            let (_, level) = Level::ALL.iter().find(|(name, _)| bytes[..at].eq_ignore_ascii_case(name.as_bytes()))?;
            Some((*level, &bytes[at + 1..]))
        });
        let (level, file) = leveled.unwrap_or((Level::Decision, bytes));
        (!file.is_empty()).then(|| LogSpec { level, file: Path::new(OsStr::from_bytes(file)).to_owned() })
    }
}

/// What a decision line says.
#[derive(Clone, Copy, Debug)]
pub struct DecisionLine<'a> {
    /// Tells this handle from the others of the process.
    pub handle: u64,
    /// [`crate::cluster::topology::Node::label`].
    pub node: &'a str,
    /// `source` or `replica`.
    pub role: &'a str,
    /// Why.
    pub reason: &'a str,
    /// The statement as the program sent it.
    pub sql: &'a [u8],
}

/// A log, possibly switched off.
#[derive(Clone, Debug, Default)]
pub struct Log(Option<LogSpec>);

static LOG: OnceLock<Log> = OnceLock::new();

/// Switches the process's log on; only the first call counts.
pub fn init(spec: Option<LogSpec>) {
    LOG.get_or_init(|| Log(spec));
}

/// The process's log; off until [`init`] was called.
pub fn get() -> &'static Log {
    static OFF: Log = Log(None);
    LOG.get().unwrap_or(&OFF)
}

impl Log {
    /// For this file.
    pub fn new(spec: Option<LogSpec>) -> Self {
        Log(spec)
    }

    /// Is anything of this level written? Ask before building a line.
    pub fn is_on(&self, level: Level) -> bool {
        self.0.as_ref().is_some_and(|spec| level <= spec.level)
    }

    /// Writes `time pid handle node=... role=... reason=... sql=...`, separated by tabs.
    pub fn decision(&self, line: &DecisionLine<'_>) {
        if !self.is_on(Level::Decision) {
            return;
        }
        let mut text = head(line.handle);
        text.extend_from_slice(b"\tnode=");
        escape(&mut text, line.node.as_bytes(), usize::MAX);
        text.extend_from_slice(b"\trole=");
        escape(&mut text, line.role.as_bytes(), usize::MAX);
        text.extend_from_slice(b"\treason=");
        escape(&mut text, line.reason.as_bytes(), usize::MAX);
        text.extend_from_slice(b"\tsql=");
        if may_hold_password(line.sql) {
            text.extend_from_slice(b"(not shown: may hold a password)");
        } else {
            escape(&mut text, line.sql, SHOWN_SQL);
        }
        self.write(text);
    }

    /// Writes `time pid handle LEVEL text`, separated by tabs. `handle` 0 = none.
    pub fn message(&self, level: Level, handle: u64, message: &str) {
        if !self.is_on(level) {
            return;
        }
        let mut text = head(handle);
        text.push(b'\t');
        text.extend_from_slice(level.name().as_bytes());
        text.push(b'\t');
        escape(&mut text, message.as_bytes(), usize::MAX);
        self.write(text);
    }

    /// One line in one system call. A log that cannot be written is no reason to disturb the program.
    fn write(&self, mut line: Vec<u8>) {
        let Some(spec) = &self.0 else { return };
        line.push(b'\n');
        // O_NONBLOCK: a FIFO without a reader must not hold the program up.
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
            .open(&spec.file);
        if let Ok(mut file) = file {
            let _ = file.write(&line);
        }
    }
}

/// Bytes of a statement that are shown.
const SHOWN_SQL: usize = 256;

/// Time (seconds since 1970, microseconds behind the point), process, handle.
fn head(handle: u64) -> Vec<u8> {
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{}.{:06}\t{}\t{handle}", time.as_secs(), time.subsec_micros(), std::process::id()).into_bytes()
}

/// Appends at most `limit` bytes of `bytes`, with tabs, line ends and whatever is not printable UTF-8 escaped.
fn escape(to: &mut Vec<u8>, bytes: &[u8], limit: usize) {
    let cut = bytes.len() > limit;
    let mut rest = &bytes[..bytes.len().min(limit)];
    while !rest.is_empty() {
        let (valid, bad) = match std::str::from_utf8(rest) {
            Ok(text) => (text, 0),
            // A character cut in two by the limit is left out.
            Err(error) if error.error_len().is_none() && cut => (valid_part(rest, &error), rest.len()),
            Err(error) => (valid_part(rest, &error), error.error_len().unwrap_or(rest.len() - error.valid_up_to())),
        };
        for character in valid.chars() {
            match character {
                '\t' => to.extend_from_slice(b"\\t"),
                '\n' => to.extend_from_slice(b"\\n"),
                '\r' => to.extend_from_slice(b"\\r"),
                '\\' => to.extend_from_slice(b"\\\\"),
                c if c.is_control() => to.extend_from_slice(c.escape_unicode().to_string().as_bytes()),
                c => to.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        let after = (valid.len() + bad).min(rest.len());
        if !(cut && bad == rest.len()) {
            for byte in &rest[valid.len()..after] {
                to.extend_from_slice(format!("\\x{byte:02x}").as_bytes());
            }
        }
        rest = &rest[after..];
    }
    if cut {
        to.extend_from_slice("…".as_bytes());
    }
}

fn valid_part<'a>(bytes: &'a [u8], error: &std::str::Utf8Error) -> &'a str {
    std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
}

/// True for texts in which a password may stand: account statements, `CHANGE REPLICATION SOURCE`, `CREATE SERVER`, and
/// the functions `PASSWORD()` and `AES_ENCRYPT()`'s family by name.
fn may_hold_password(sql: &[u8]) -> bool {
    const WORDS: [&[u8]; 4] = [b"identified", b"password", b"_encrypt(", b"_decrypt("];
    WORDS.iter().any(|word| sql.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(value: &str) -> Option<(Level, String)> {
        LogSpec::parse(OsStr::new(value)).map(|spec| (spec.level, spec.file.display().to_string()))
    }

    #[test]
    fn the_value_is_a_file_with_or_without_a_level() {
        assert_eq!(spec(""), None);
        assert_eq!(spec("debug:"), None);
        assert_eq!(spec("/var/log/a"), Some((Level::Decision, "/var/log/a".into())));
        assert_eq!(spec("WARNING:/a:b"), Some((Level::Warning, "/a:b".into())));
        assert_eq!(spec("loud:/a"), Some((Level::Decision, "loud:/a".into())));
    }

    fn log_at(level: Level) -> (tempfile::TempDir, PathBuf, Log) {
        let folder = tempfile::tempdir().expect("folder");
        let file = folder.path().join("log");
        let log = Log::new(Some(LogSpec { level, file: file.clone() }));
        (folder, file, log)
    }

    fn decide(log: &Log, sql: &[u8]) {
        log.decision(&DecisionLine { handle: 7, node: "r1", role: "replica", reason: "read", sql });
    }

    #[test]
    fn decisions_are_one_line_with_tabs() {
        let (_folder, file, log) = log_at(Level::Decision);
        decide(&log, b"SELECT\t'a\\b\n\xff'");
        let text = std::fs::read_to_string(&file).expect("written");
        let fields: Vec<_> = text.strip_suffix('\n').expect("line end").split('\t').collect();
        assert_eq!(fields[1], std::process::id().to_string());
        let expected = ["7", "node=r1", "role=replica", "reason=read", "sql=SELECT\\t'a\\\\b\\n\\xff'"];
        assert_eq!(fields[2..], expected);
        use std::os::unix::fs::MetadataExt;
        assert_eq!(std::fs::metadata(&file).expect("there").mode() & 0o777, 0o600);
    }

    #[test]
    fn long_statements_are_cut_between_characters() {
        let (_folder, file, log) = log_at(Level::Debug);
        decide(&log, format!("{}é rest", "x".repeat(SHOWN_SQL - 1)).as_bytes());
        let text = std::fs::read_to_string(&file).expect("written");
        assert!(text.ends_with(&format!("sql={}…\n", "x".repeat(SHOWN_SQL - 1))), "{text}");
    }

    #[test]
    fn passwords_are_not_shown() {
        let (_folder, file, log) = log_at(Level::Decision);
        for sql in
            ["CREATE USER a IDENTIFIED BY 'geheim'", "set password = 'geheim'", "SELECT aes_encrypt('geheim', 1)"]
        {
            decide(&log, sql.as_bytes());
        }
        let text = std::fs::read_to_string(&file).expect("written");
        assert_eq!(text.lines().count(), 3);
        assert!(!text.contains("geheim"));
    }

    #[test]
    fn levels_hold() {
        let (_folder, file, log) = log_at(Level::Warning);
        decide(&log, b"SELECT 1");
        log.message(Level::Debug, 1, "no");
        log.message(Level::Warning, 0, "node\tdb1 failed");
        let text = std::fs::read_to_string(&file).expect("written");
        assert!(text.ends_with("\t0\twarning\tnode\\tdb1 failed\n") && text.lines().count() == 1, "{text}");
        assert!(!Log::default().is_on(Level::Error));
    }

    #[test]
    fn a_log_that_cannot_be_written_disturbs_nobody() {
        let log = Log::new(LogSpec::parse(OsStr::new("/nonexistent/log")));
        decide(&log, b"SELECT 1");
        let folder = tempfile::tempdir().expect("folder");
        let fifo = folder.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().expect("run").success());
        decide(&Log::new(LogSpec::parse(fifo.as_os_str())), b"SELECT 1");
    }
}
