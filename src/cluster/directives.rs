//! The `mysqlnd_ms.*` directives: from an ini file or text (`MYSQLND_MS_INI`) and from the environment, which wins.
//!
//! Reads no environment itself: the caller hands the variables in, and says whether the process is set-user-id, in
//! which case all of them are ignored. Each directive is described in `docs/config.md`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use configparser::ini::{Ini, IniDefault};

use super::config::is_true;
use crate::log::LogSpec;

/// The variable that names the ini file, or holds its text.
pub const INI_VARIABLE: &str = "MYSQLND_MS_INI";

const PREFIX: &str = "mysqlnd_ms.";
const VARIABLE_PREFIX: &str = "MYSQLND_MS_";

/// The directives, checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// `mysqlnd_ms.enable`: without it the library is an ordinary client. Default false.
    pub enable: bool,
    /// `mysqlnd_ms.force_config_usage`: refuse connects that no section is meant for, with 2000. Default false.
    pub force_config_usage: bool,
    /// `mysqlnd_ms.config_file`: the JSON file.
    pub config_file: Option<PathBuf>,
    /// `mysqlnd_ms.collect_statistics`. Default false.
    pub collect_statistics: bool,
    /// `mysqlnd_ms.multi_master`: use all sources of a section, not only the first. Default false.
    pub multi_master: bool,
    /// `mysqlnd_ms.disable_rw_split`: everything goes to sources. Default false.
    pub disable_rw_split: bool,
    /// `mysqlnd_ms.log`: where decisions are written.
    pub log: Option<LogSpec>,
    /// `XDG_RUNTIME_DIR`, where the board lives unless the section's `board_dir` says otherwise.
    pub runtime_dir: Option<PathBuf>,
    /// Set when a directive is known and not served yet: every routed connect fails with 2000 and this text.
    pub refused: Option<String>,
}

/// Something to say about a directive, in the log only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// `MYSQLND_MS_X`, or the ini file's name and the directive.
    pub origin: String,
    /// What is wrong and what to do.
    pub text: String,
}

impl std::fmt::Display for Remark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.origin, self.text)
    }
}

impl Directives {
    /// Reads the directives out of environment variables (`std::env::vars_os()`). With `secure` (a set-user-id
    /// program, or one with more capabilities than its caller) everything keeps its default.
    pub fn read(variables: impl IntoIterator<Item = (OsString, OsString)>, secure: bool) -> (Directives, Vec<Remark>) {
        let mut directives = Directives::default();
        let mut remarks = Vec::new();
        if secure {
            return (directives, remarks);
        }
        let mut ours: BTreeMap<String, OsString> = BTreeMap::new();
        for (name, value) in variables {
            if name == "XDG_RUNTIME_DIR" && !value.is_empty() {
                directives.runtime_dir = Some(PathBuf::from(value));
            } else if let Some(name) = name.to_str().and_then(|name| name.strip_prefix(VARIABLE_PREFIX)) {
                ours.insert(name.to_owned(), value);
            }
        }
        if let Some(source) = ours.remove("INI") {
            read_ini(source, &mut directives, &mut remarks);
        }
        for (name, value) in ours {
            let origin = format!("{VARIABLE_PREFIX}{name}");
            directives.set(&name.to_ascii_lowercase(), value, origin, &mut remarks);
        }
        (directives, remarks)
    }

    fn set(&mut self, name: &str, value: OsString, origin: String, remarks: &mut Vec<Remark>) {
        let on = || is_true(&value.to_string_lossy());
        match name {
            "enable" => self.enable = on(),
            "force_config_usage" => self.force_config_usage = on(),
            "collect_statistics" => self.collect_statistics = on(),
            "multi_master" => self.multi_master = on(),
            "disable_rw_split" => self.disable_rw_split = on(),
            "config_file" => self.config_file = (!value.is_empty()).then(|| PathBuf::from(value)),
            "log" => self.log = LogSpec::parse(&value),
            "config_dir" | "master_on" | "inject_on" if value.is_empty() => {}
            "config_dir" | "master_on" | "inject_on" => {
                let text = format!("the directive {PREFIX}{name} is not served yet by this version; remove it");
                self.refused.get_or_insert_with(|| format!("{origin}: {text}"));
                remarks.push(Remark { origin, text });
            }
            "ini_file" => {
                let text = format!("unknown directive, ignored: since version 1.4 it is called {PREFIX}config_file");
                remarks.push(Remark { origin, text });
            }
            _ => remarks.push(Remark { origin, text: "unknown directive, ignored".into() }),
        }
    }
}

/// Reads the ini source: a text if it contains a newline or `=`, else the path of a file.
fn read_ini(source: OsString, directives: &mut Directives, remarks: &mut Vec<Remark>) {
    let bytes = source.into_vec();
    let (text, name) = if bytes.iter().any(|byte| matches!(byte, b'\n' | b'=')) {
        (bytes, INI_VARIABLE.to_owned())
    } else if bytes.is_empty() {
        return;
    } else {
        let path = PathBuf::from(OsString::from_vec(bytes));
        match super::config::read_guarded(&path) {
            Ok(text) => (text, path.display().to_string()),
            Err(text) => {
                remarks.push(Remark { origin: path.display().to_string(), text });
                return;
            }
        }
    };
    let mut format = IniDefault::default();
    format.delimiters = vec!['='];
    format.comment_symbols = vec![';', '#'];
    format.case_sensitive = true;
    format.enable_inline_comments = false;
    let text = String::from_utf8_lossy(&text);
    let sections = match Ini::new_from_defaults(format).read(text.into_owned()) {
        Ok(sections) => sections,
        Err(error) => {
            remarks.push(Remark { origin: name, text: format!("is no ini file, ignored: {error}") });
            return;
        }
    };
    // Sections have no meaning, as in PHP. Names in order, so that messages do not depend on chance.
    let mut entries: Vec<(String, String)> =
        sections.into_values().flatten().map(|(key, value)| (key, value.unwrap_or_default())).collect();
    entries.sort();
    for (key, value) in entries {
        // Other extensions' directives may stand in the same file.
        if let Some(directive) = key.strip_prefix(PREFIX) {
            directives.set(directive, unquoted(&value).into(), format!("{name}: {key}"), remarks);
        }
    }
}

/// The value without the quotes around it, or without a comment behind it.
fn unquoted(value: &str) -> String {
    let value = value.trim();
    if let Some(rest) = value.strip_prefix('"')
        && let Some(end) = rest.find('"')
    {
        return rest[..end].to_owned();
    }
    value.split(';').next().unwrap_or_default().trim_end().to_owned()
}

impl Directives {
    /// The JSON file, if the library is switched on and one is named.
    pub fn active_config_file(&self) -> Option<&Path> {
        self.config_file.as_deref().filter(|_| self.enable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Level;

    fn read(variables: &[(&str, &str)]) -> (Directives, Vec<String>) {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into()));
        let (directives, remarks) = Directives::read(variables, false);
        (directives, remarks.iter().map(Remark::to_string).collect())
    }

    #[test]
    fn everything_is_off_by_default() {
        let (directives, remarks) = read(&[("PATH", "/bin"), ("MYSQL_PWD", "x")]);
        assert_eq!(directives, Directives::default());
        assert!(!directives.enable && remarks.is_empty());
    }

    #[test]
    fn the_environment_sets_each_directive() {
        let (directives, remarks) = read(&[
            ("MYSQLND_MS_ENABLE", "1"),
            ("MYSQLND_MS_FORCE_CONFIG_USAGE", "yes"),
            ("MYSQLND_MS_CONFIG_FILE", "/etc/a.json"),
            ("MYSQLND_MS_COLLECT_STATISTICS", "on"),
            ("MYSQLND_MS_MULTI_MASTER", "true"),
            ("MYSQLND_MS_DISABLE_RW_SPLIT", "1"),
            ("MYSQLND_MS_LOG", "debug:/tmp/a.log"),
            ("XDG_RUNTIME_DIR", "/run/user/1"),
        ]);
        let expected = Directives {
            enable: true,
            force_config_usage: true,
            config_file: Some("/etc/a.json".into()),
            collect_statistics: true,
            multi_master: true,
            disable_rw_split: true,
            log: Some(LogSpec { level: Level::Debug, file: "/tmp/a.log".into() }),
            runtime_dir: Some("/run/user/1".into()),
            refused: None,
        };
        assert_eq!((directives, remarks), (expected, vec![]));
    }

    #[test]
    fn booleans_are_spelt_as_in_the_plugin() {
        for no in ["0", "off", "OFF", "false", "aus", "Aus"] {
            assert!(!read(&[("MYSQLND_MS_ENABLE", no)]).0.enable, "{no}");
        }
        for yes in ["1", "on", "true", "ein", "banana", "2", "no"] {
            assert!(read(&[("MYSQLND_MS_ENABLE", yes)]).0.enable, "{yes}");
        }
    }

    #[test]
    fn an_ini_text_is_read_and_the_environment_wins() {
        let ini = "; comment\n[PHP]\nmysqlnd_ms.enable = 1\n# more\nmysqlnd_ms.config_file=\"/etc/a b;c.json\" ; x\n\
                   [other]\nmysqlnd_ms.multi_master=on ; why\nmysqlnd_qc.enable_qc=1\nmysqlnd_ms.disable_rw_split=off";
        let (directives, remarks) = read(&[("MYSQLND_MS_INI", ini), ("MYSQLND_MS_ENABLE", "off")]);
        assert_eq!(remarks, Vec::<String>::new());
        assert!(!directives.enable && directives.multi_master && !directives.disable_rw_split);
        assert_eq!(directives.config_file, Some("/etc/a b;c.json".into()));
        assert_eq!(directives.active_config_file(), None);
        assert!(read(&[("MYSQLND_MS_INI", "mysqlnd_ms.enable=1")]).0.enable);
    }

    #[test]
    fn an_ini_file_is_read_under_the_rule_of_ownership() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("ms.ini");
        std::fs::write(&path, "mysqlnd_ms.enable=1\n").expect("written");
        let name = path.to_str().expect("utf-8");
        assert!(read(&[("MYSQLND_MS_INI", name)]).0.enable);
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).expect("chmod");
        let (directives, remarks) = read(&[("MYSQLND_MS_INI", name)]);
        assert!(!directives.enable && remarks[0].contains("can be written by others"), "{remarks:?}");
        let (_, remarks) = read(&[("MYSQLND_MS_INI", "/nonexistent.ini")]);
        assert!(remarks[0].starts_with("/nonexistent.ini: cannot be opened"), "{remarks:?}");
    }

    #[test]
    fn unknown_directives_are_reported_and_later_ones_refused() {
        let (directives, remarks) = read(&[
            ("MYSQLND_MS_CONFIGFILE", "x"),
            ("MYSQLND_MS_INI", "mysqlnd_ms.ini_file=/a\nmysqlnd_ms.what=1"),
            ("MYSQLND_MS_MASTER_ON", "INSERT"),
        ]);
        assert_eq!(
            remarks,
            [
                "MYSQLND_MS_INI: mysqlnd_ms.ini_file: unknown directive, ignored: since version 1.4 it is called \
                 mysqlnd_ms.config_file",
                "MYSQLND_MS_INI: mysqlnd_ms.what: unknown directive, ignored",
                "MYSQLND_MS_CONFIGFILE: unknown directive, ignored",
                "MYSQLND_MS_MASTER_ON: the directive mysqlnd_ms.master_on is not served yet by this version; remove it",
            ]
        );
        assert!(directives.refused.expect("refused").contains("mysqlnd_ms.master_on"));
    }

    #[test]
    fn set_user_id_programs_ignore_everything() {
        let variables = [("MYSQLND_MS_ENABLE".into(), "1".into()), ("MYSQLND_MS_LOG".into(), "/tmp/x".into())];
        assert_eq!(Directives::read(variables, true), (Directives::default(), vec![]));
    }
}
