//! What must be known to read a text the way the servers will read it: sql_mode, versions, character set.
//!
//! Plain values, filled in by the session; knows nothing of where they come from.

/// Which server family reads the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ServerFamily {
    /// MySQL and its kin (Percona Server).
    MySql,
    /// MariaDB.
    MariaDb,
    /// Not known yet, or nodes of both families: a statement is a read only if it is one for both.
    Unknown,
}

/// Family and range of versions of all nodes that a statement may go to.
///
/// Versions are numbers as in `MYSQL_VERSION_ID`: 80036 for 8.0.36, 101113 for 10.11.13.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Server {
    /// The family.
    pub family: ServerFamily,
    /// The oldest node's version.
    pub min: u32,
    /// The newest node's version.
    pub max: u32,
}

impl Server {
    /// Nothing known: only what holds for every supported server of both families is believed.
    pub const UNKNOWN: Server = Server { family: ServerFamily::Unknown, min: 0, max: u32::MAX };

    /// MySQL, all nodes of one version.
    pub const fn mysql(version: u32) -> Server {
        Server { family: ServerFamily::MySql, min: version, max: version }
    }

    /// MariaDB, all nodes of one version.
    pub const fn mariadb(version: u32) -> Server {
        Server { family: ServerFamily::MariaDb, min: version, max: version }
    }

    /// From the version text of a greeting: `9.7.4`, `8.0.36-28-log`, `10.11.13-MariaDB-1`. A text that does not
    /// start with three numbers gives [`Server::UNKNOWN`].
    pub fn from_version(text: &[u8], is_mariadb: bool) -> Server {
        let mut parts = [0u32; 3];
        let mut at = 0;
        for part in &mut parts {
            let start = at;
            while at < text.len() && at - start < 4 && text[at].is_ascii_digit() {
                *part = *part * 10 + u32::from(text[at] - b'0');
                at += 1;
            }
            if at == start {
                return Server::UNKNOWN;
            }
            if text.get(at) == Some(&b'.') {
                at += 1;
            }
        }
        let version = parts[0] * 10_000 + parts[1] * 100 + parts[2];
        if is_mariadb { Server::mariadb(version) } else { Server::mysql(version) }
    }

    /// The range that covers both; of two families, [`ServerFamily::Unknown`].
    pub fn union(self, other: Server) -> Server {
        if self.family != other.family {
            return Server::UNKNOWN;
        }
        Server { family: self.family, min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// How the bytes of the text group into characters: `character_set_client`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Charset {
    /// utf8mb3, utf8mb4.
    Utf8,
    /// One byte per character, ASCII below 0x80 (latin1, cp1251, binary, ascii ...).
    Single,
    /// GBK: the second byte may be `\` or a backquote.
    Gbk,
    /// GB18030: as GBK, and four-byte characters with digits inside.
    Gb18030,
    /// Big5.
    Big5,
    /// Shift JIS and cp932.
    Sjis,
    /// EUC-KR as the servers know it (trail bytes may be letters).
    EucKr,
    /// EUC-JP, GB 2312: trail bytes are all above 0x80.
    EucHigh,
    /// Not known: a byte above 0x7f makes the text unreadable to us, outside of plain positions.
    Unknown,
}

impl Charset {
    /// By the server's name of the character set, in any letter case.
    pub fn by_name(name: &[u8]) -> Charset {
        const NAMES: &[(&str, Charset)] = &[
            ("utf8mb4", Charset::Utf8),
            ("utf8mb3", Charset::Utf8),
            ("utf8", Charset::Utf8),
            ("gbk", Charset::Gbk),
            ("gb18030", Charset::Gb18030),
            ("big5", Charset::Big5),
            ("sjis", Charset::Sjis),
            ("cp932", Charset::Sjis),
            ("euckr", Charset::EucKr),
            ("eucjpms", Charset::EucHigh),
            ("ujis", Charset::EucHigh),
            ("gb2312", Charset::EucHigh),
            ("ascii", Charset::Single),
            ("armscii8", Charset::Single),
            ("binary", Charset::Single),
            ("cp1250", Charset::Single),
            ("cp1251", Charset::Single),
            ("cp1256", Charset::Single),
            ("cp1257", Charset::Single),
            ("cp850", Charset::Single),
            ("cp852", Charset::Single),
            ("cp866", Charset::Single),
            ("dec8", Charset::Single),
            ("geostd8", Charset::Single),
            ("greek", Charset::Single),
            ("hebrew", Charset::Single),
            ("hp8", Charset::Single),
            ("keybcs2", Charset::Single),
            ("koi8r", Charset::Single),
            ("koi8u", Charset::Single),
            ("latin1", Charset::Single),
            ("latin2", Charset::Single),
            ("latin5", Charset::Single),
            ("latin7", Charset::Single),
            ("macce", Charset::Single),
            ("macroman", Charset::Single),
            ("tis620", Charset::Single),
        ];
        for (known, charset) in NAMES {
            if name.eq_ignore_ascii_case(known.as_bytes()) {
                return *charset;
            }
        }
        // swe7 has no backslash of its own; ucs2, utf16, utf32 cannot be a client character set.
        Charset::Unknown
    }

    /// Length of the multi-byte character at the start of `bytes` (2 to 4); 1 if there is none.
    pub(super) fn char_len(self, bytes: &[u8]) -> usize {
        let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
        let (a, b) = (at(0), at(1));
        let two = match self {
            Charset::Gbk => (0x81..=0xfe).contains(&a) && matches!(b, 0x40..=0x7e | 0x80..=0xfe),
            Charset::Gb18030 => {
                if (0x81..=0xfe).contains(&a)
                    && b.is_ascii_digit()
                    && (0x81..=0xfe).contains(&at(2))
                    && at(3).is_ascii_digit()
                {
                    return 4;
                }
                (0x81..=0xfe).contains(&a) && matches!(b, 0x40..=0x7e | 0x80..=0xfe)
            }
            Charset::Big5 => (0xa1..=0xf9).contains(&a) && matches!(b, 0x40..=0x7e | 0xa1..=0xfe),
            Charset::Sjis => matches!(a, 0x81..=0x9f | 0xe0..=0xfc) && matches!(b, 0x40..=0x7e | 0x80..=0xfc),
            Charset::EucKr => (0x81..=0xfe).contains(&a) && matches!(b, 0x41..=0x5a | 0x61..=0x7a | 0x81..=0xfe),
            _ => false,
        };
        if two { 2 } else { 1 }
    }

    /// Whether a byte above 0x7f can be followed by an ASCII byte that belongs to it.
    pub(super) fn has_ascii_trail(self) -> bool {
        matches!(
            self,
            Charset::Gbk | Charset::Gb18030 | Charset::Big5 | Charset::Sjis | Charset::EucKr | Charset::Unknown
        )
    }
}

/// What the handle's current schema is, for names without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DefaultSchema {
    /// A schema of the program's own, or none.
    #[default]
    Ordinary,
    /// `information_schema`.
    Information,
    /// `performance_schema`, `mysql` or `sys`: contents differ from server to server.
    PerServer,
}

impl DefaultSchema {
    /// By name, in any letter case.
    pub fn by_name(name: &[u8]) -> DefaultSchema {
        if name.eq_ignore_ascii_case(b"information_schema") {
            DefaultSchema::Information
        } else if [&b"performance_schema"[..], b"mysql", b"sys"].iter().any(|n| name.eq_ignore_ascii_case(n)) {
            DefaultSchema::PerServer
        } else {
            DefaultSchema::Ordinary
        }
    }
}

/// Everything that the meaning of a text depends on besides the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LexContext {
    /// sql_mode ANSI_QUOTES: `"x"` is an identifier.
    pub ansi_quotes: bool,
    /// sql_mode NO_BACKSLASH_ESCAPES: a backslash in a string is a backslash.
    pub no_backslash_escapes: bool,
    /// sql_mode IGNORE_SPACE: `COUNT (*)` is the built-in function. When false or unknown it is not believed to be.
    pub ignore_space: bool,
    /// MariaDB's sql_mode ORACLE: another grammar, in which we prove nothing.
    pub oracle_mode: bool,
    /// False if the sql_mode is not known for sure (after CALL, or before the first answer): then a text is read with
    /// all combinations of the first two switches, and must mean the same in all.
    pub sql_mode_known: bool,
    /// Which servers will read it.
    pub server: Server,
    /// CLIENT_MULTI_STATEMENTS is on for the handle.
    pub multi_statements: bool,
    /// `character_set_client`.
    pub charset: Charset,
    /// The current schema's kind.
    pub schema: DefaultSchema,
}

impl Default for LexContext {
    /// A fresh connection with the servers' default sql_mode and utf8mb4, to servers of which nothing is known.
    fn default() -> Self {
        LexContext {
            ansi_quotes: false,
            no_backslash_escapes: false,
            ignore_space: false,
            oracle_mode: false,
            sql_mode_known: true,
            server: Server::UNKNOWN,
            multi_statements: false,
            charset: Charset::Utf8,
            schema: DefaultSchema::Ordinary,
        }
    }
}

impl LexContext {
    /// Takes over an sql_mode value as the server spells it (`ANSI_QUOTES,STRICT_TRANS_TABLES`), combination modes
    /// included. A number or an unknown form leaves `sql_mode_known` false.
    pub fn set_sql_mode(&mut self, value: &[u8]) {
        self.ansi_quotes = false;
        self.no_backslash_escapes = false;
        self.ignore_space = false;
        self.oracle_mode = false;
        self.sql_mode_known = true;
        for mode in value.split(|&b| b == b',') {
            let mode = mode.trim_ascii();
            let is = |name: &str| mode.eq_ignore_ascii_case(name.as_bytes());
            if mode.first().is_some_and(u8::is_ascii_digit) {
                self.sql_mode_known = false;
            } else if is("ANSI_QUOTES") {
                self.ansi_quotes = true;
            } else if is("NO_BACKSLASH_ESCAPES") {
                self.no_backslash_escapes = true;
            } else if is("IGNORE_SPACE") {
                self.ignore_space = true;
            } else if is("ANSI") || is("DB2") || is("MAXDB") || is("MSSQL") || is("POSTGRESQL") {
                self.ansi_quotes = true;
                self.ignore_space = true;
            } else if is("ORACLE") {
                self.ansi_quotes = true;
                self.ignore_space = true;
                self.oracle_mode = true;
            }
        }
    }
}
