//! Option files as libmysqlclient reads them for programs: groups, options as arguments, `!include`.
//!
//! Beside `option_file`, which reads the same files for handles: here options keep the spelling they have, mistakes are said,
//! and every file may fail the call. Must not touch the program's memory.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::Sources;
use super::login;
use crate::abi::getopt::tell::{Level, Tell};
use crate::option_file::{unescape, without_comment};

/// How deep files may include each other.
const DEPTH: usize = 10;

// What kind of file an option is from: `enum_variable_source`.
const GLOBAL: u32 = 2;
const SERVER: u32 = 3;
const EXPLICIT: u32 = 4;
const EXTRA: u32 = 5;
const USER: u32 = 6;
const LOGIN: u32 = 7;

/// A file is wrong, or a required one is missing; it was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failed;

/// The arguments that tell which files are read. They stand in front of all others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Given {
    /// How many arguments these are.
    pub used: usize,
    /// `--defaults-file=`
    pub file: Option<Vec<u8>>,
    /// `--defaults-extra-file=`
    pub extra: Option<Vec<u8>>,
    /// `--defaults-group-suffix=`
    pub suffix: Option<Vec<u8>>,
    /// `--login-path=`
    pub login_path: Option<Vec<u8>>,
    /// `--no-login-paths`
    pub no_login_paths: bool,
}

impl Given {
    /// Takes them from the program's arguments, of which the first is its name.
    pub fn read(arguments: &[&[u8]]) -> Given {
        let mut given = Given::default();
        let no_defaults = arguments.get(1) == Some(&&b"--no-defaults"[..]);
        for argument in arguments.iter().skip(1) {
            let value = |name: &str| argument.strip_prefix(name.as_bytes()).map(<[u8]>::to_vec);
            let first = |present: &Option<Vec<u8>>, name| if present.is_none() { value(name) } else { None };
            if given.used == 0 && value("--no-defaults").is_some() {
            } else if let (false, Some(file)) = (no_defaults, first(&given.file, "--defaults-file=")) {
                given.file = Some(file);
            } else if let (false, Some(file)) = (no_defaults, first(&given.extra, "--defaults-extra-file=")) {
                given.extra = Some(file);
            } else if let Some(suffix) = first(&given.suffix, "--defaults-group-suffix=") {
                given.suffix = Some(suffix);
            } else if given.login_path.is_none() && value("--no-login-paths").is_some() {
                given.no_login_paths = true;
            } else if let (false, Some(path)) = (given.no_login_paths, first(&given.login_path, "--login-path=")) {
                given.login_path = Some(path);
            } else {
                break;
            }
            given.used += 1;
        }
        // Out of its place it does only this.
        let mut rest = arguments.iter().skip(1 + given.used);
        if !no_defaults && rest.any(|argument| argument.starts_with(b"--no-defaults")) {
            given.no_login_paths = false;
        }
        given
    }
}

/// The folders that are searched, in order; the empty one stands for the extra file.
pub(super) fn folders(mysql_home: Option<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut folders: Vec<Vec<u8>> = Vec::new();
    let home = mysql_home.map(|home| {
        let mut home = home;
        if !home.is_empty() {
            home.push(b'/');
        }
        clean(&home)
    });
    let all = [Some(b"/etc/".to_vec()), Some(b"/etc/mysql/".to_vec()), home, Some(Vec::new()), Some(b"~/".to_vec())];
    for folder in all.into_iter().flatten() {
        // A folder that is named again is searched later.
        folders.retain(|known| *known != folder);
        folders.push(folder);
    }
    folders
}

/// A path without `//`, `/./` and `/x/../`.
fn clean(path: &[u8]) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = Vec::new();
    let all: Vec<&[u8]> = path.split(|b| *b == b'/').collect();
    let last = all.len() - 1;
    for (place, part) in all.into_iter().enumerate() {
        let inside = place > 0 && place < last;
        if inside && (part.is_empty() || part == b".") {
            continue;
        }
        let parent =
            parts.last().is_some_and(|parent| !parent.is_empty() && ![&b".."[..], b".", b"~"].contains(parent));
        if inside && part == b".." && parent {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join(&b'/')
}

/// A path as files are opened by it: cleaned, `~` replaced.
fn unpacked(path: &[u8], home: &[u8]) -> Vec<u8> {
    let path = clean(path);
    match path.strip_prefix(b"~/") {
        Some(rest) if !home.is_empty() => clean(&[home, b"/", rest].concat()),
        _ => path,
    }
}

/// The same, from the present folder if it is relative.
pub(super) fn absolute(path: &[u8], home: &[u8]) -> Vec<u8> {
    if path.starts_with(b"/") || path.starts_with(b"~/") {
        return unpacked(path, home);
    }
    let present = std::env::current_dir().unwrap_or_default();
    unpacked(&[present.as_os_str().as_bytes(), b"/", path].concat(), home)
}

/// What the files have said so far.
pub(super) struct Files<'a> {
    /// `--name` and `--name=value`, in order.
    pub options: Vec<Vec<u8>>,
    groups: Vec<Vec<u8>>,
    home: &'a [u8],
    tell: &'a mut dyn Tell,
    sources: &'a mut Sources,
    /// The kinds of known files.
    kinds: HashMap<Vec<u8>, u32>,
}

impl<'a> Files<'a> {
    /// `groups` count, and each with the suffix behind it.
    pub fn new(
        groups: Vec<Vec<u8>>,
        suffix: Option<&[u8]>,
        home: &'a [u8],
        tell: &'a mut dyn Tell,
        sources: &'a mut Sources,
    ) -> Self {
        let suffixed = |suffix: &[u8]| groups.iter().map(|group| [group, suffix].concat()).collect::<Vec<_>>();
        let more = suffix.map(suffixed).unwrap_or_default();
        let groups = groups.into_iter().chain(more).collect();
        Files { options: Vec::new(), groups, home, tell, sources, kinds: HashMap::new() }
    }

    /// Says what kinds of files there are; options of others have no source.
    pub fn know(&mut self, mysql_home: Option<Vec<u8>>, extra: Option<&[u8]>, named: Option<&[u8]>) {
        let mut know = |path: Vec<u8>, kind| self.kinds.insert(path, kind);
        if let Some(mut home) = mysql_home.filter(|home| !home.is_empty()) {
            if !home.ends_with(b"/") {
                home.push(b'/');
            }
            know([&home[..], b"my.cnf"].concat(), SERVER);
        }
        know(b"/etc/my.cnf".to_vec(), GLOBAL);
        know(b"/etc/mysql/my.cnf".to_vec(), GLOBAL);
        know(unpacked(b"~/.my.cnf", self.home), USER);
        know(unpacked(b"~/.mylogin.cnf", self.home), LOGIN);
        if let Some(extra) = extra {
            know(extra.to_vec(), EXTRA);
        }
        if let Some(named) = named {
            know(named.to_vec(), EXPLICIT);
        }
    }

    /// Reads a file of one of the folders, or without one the file by its path, if there is one.
    pub fn search(&mut self, folder: Option<&[u8]>, file: &[u8]) -> Result<(), Failed> {
        let base = file.rsplit(|b| *b == b'/').next().unwrap_or_default();
        let path = match folder {
            None => file.to_vec(),
            Some(folder) => {
                let hidden: &[u8] = if folder.starts_with(b"~") { b"." } else { b"" };
                let end: &[u8] = if base.contains(&b'.') { b"" } else { b".cnf" };
                [folder, hidden, file, end].concat()
            }
        };
        self.file(&path, 0, false).map(|_| ())
    }

    /// Reads a file that has to be there.
    pub fn required(&mut self, path: &[u8]) -> Result<(), Failed> {
        if self.file(path, 0, false)? {
            return Ok(());
        }
        self.tell.tell(Level::Error, &[b"Failed to open required defaults file: ", path].concat());
        Err(Failed)
    }

    /// Reads the login file, if there is one: the groups, and the login path with and without the suffix.
    pub fn login(&mut self, path: &[u8], login_path: Option<&[u8]>, suffix: Option<&[u8]>) -> Result<(), Failed> {
        if let Some(login_path) = login_path {
            self.groups.push(login_path.to_vec());
            self.groups.extend(suffix.map(|suffix| [login_path, suffix].concat()));
        }
        let path = unpacked(path, self.home);
        let Ok(about) = std::fs::metadata(Path::new(OsStr::from_bytes(&path))) else { return Ok(()) };
        if about.is_file() && about.permissions().mode() & 0o177 != 0 {
            let text = [&path[..], b" should be readable/writable only by current user."].concat();
            self.tell.tell(Level::Warning, &text);
            return Ok(());
        }
        let Ok(bytes) = std::fs::read(Path::new(OsStr::from_bytes(&path))) else { return Ok(()) };
        let lines = login::lines(&bytes);
        self.lines(&path, lines.iter().map(Vec::as_slice), DEPTH, true)
    }

    /// Reads a file; false if there is none. With `report` that is said.
    fn file(&mut self, path: &[u8], depth: usize, report: bool) -> Result<bool, Failed> {
        let path = unpacked(path, self.home);
        let place = Path::new(OsStr::from_bytes(&path));
        let mut missing = |error: std::io::Error, what: &str| {
            if report {
                self.tell.tell(Level::Plain, system_error(what, &path, &error).as_slice());
            }
            Ok(false)
        };
        let about = match std::fs::metadata(place) {
            Ok(about) => about,
            Err(error) => return missing(error, "Can't get stat of"),
        };
        if about.is_file() && about.permissions().mode() & 0o002 != 0 {
            let text = [b"World-writable config file '", &path[..], b"' is ignored."].concat();
            self.tell.tell(Level::Warning, &text);
            return Ok(true);
        }
        let text = match std::fs::read(place) {
            Ok(text) => text,
            Err(_) if about.is_dir() => Vec::new(),
            Err(error) => return missing(error, "Can't open file:"),
        };
        self.lines(&path, text.split_inclusive(|b| *b == b'\n'), depth, false)?;
        Ok(true)
    }

    fn lines<'l>(
        &mut self,
        path: &[u8],
        lines: impl Iterator<Item = &'l [u8]>,
        depth: usize,
        login: bool,
    ) -> Result<(), Failed> {
        // None before the first group; whether the present one counts.
        let mut counts = None;
        for (index, line) in lines.enumerate() {
            let at = [b" in config file ", path, b" at line ", (index + 1).to_string().as_bytes(), b"."].concat();
            let line = trim_start(line);
            match line.first() {
                None | Some(b'#' | b';') => {}
                Some(b'!') => self.directive(line, path, index + 1, depth)?,
                Some(b'[') => {
                    let Some(end) = line.iter().position(|b| *b == b']') else {
                        return self.failed(&[b"Wrong group definition", &at[..]].concat());
                    };
                    let name = trim_end(&line[1..end]);
                    counts = Some(self.groups.iter().any(|group| group.eq_ignore_ascii_case(name)));
                }
                Some(_) => match counts {
                    None => return self.failed(&[b"Found option without preceding group", &at[..]].concat()),
                    Some(true) => {
                        let option = option(if login { line } else { without_comment(line) });
                        self.note(&option, path);
                        self.options.push(option);
                    }
                    Some(false) => {}
                },
            }
        }
        Ok(())
    }

    fn failed<T>(&mut self, text: &[u8]) -> Result<T, Failed> {
        self.tell.tell(Level::Error, text);
        Err(Failed)
    }

    /// A line that begins with `!`.
    fn directive(&mut self, line: &[u8], path: &[u8], number: usize, depth: usize) -> Result<(), Failed> {
        let number = number.to_string();
        if depth >= DEPTH {
            let line = trim_end(&line[..line.len() - 1]);
            let why = b"' directive as maximum include recursion level was reached in file ";
            let text = [b"Skipping '", line, why, path, b" at line ", number.as_bytes(), b"."].concat();
            self.tell.tell(Level::Warning, &text);
            return Ok(());
        }
        let words = trim_start(&line[1..]);
        for keyword in ["includedir", "include"] {
            let Some(rest) = words.strip_prefix(keyword.as_bytes()) else { continue };
            if !rest.first().is_some_and(|b| is_space(*b)) {
                continue;
            }
            let target = trim_end(without_comment(trim_start(rest)));
            if target.is_empty() {
                let at = [b" in config file ", path, b" at line ", number.as_bytes(), b"."].concat();
                let text = [b"Wrong '!", keyword.as_bytes(), b"' directive", &at[..]].concat();
                return self.failed(&text);
            }
            let stopped =
                [b"Stopped processing the '", keyword.as_bytes(), b"' directive in file ", path, b" at line "];
            let stopped = [&stopped.concat()[..], number.as_bytes(), b"."].concat();
            let files = if keyword == "include" {
                vec![target.to_vec()]
            } else {
                match option_files(target) {
                    Ok(files) => files,
                    Err(error) => {
                        self.tell.tell(Level::Plain, &system_error("Can't read dir of", target, &error));
                        return self.failed(&stopped);
                    }
                }
            };
            for file in files {
                if let Some(kind) = self.kinds.get(path).copied() {
                    self.kinds.insert(clean(&file), kind);
                }
                // What is wrong there ends the file, not the call.
                if self.file(&file, depth + 1, true) != Ok(true) {
                    self.tell.tell(Level::Error, &stopped);
                }
            }
            return Ok(());
        }
        Ok(())
    }

    /// Remembers where an option has come from.
    fn note(&mut self, option: &[u8], path: &[u8]) {
        const OWN_NAMES: [&[u8]; 6] = [
            b"skip_name_resolve",
            b"skip_networking",
            b"skip_show_database",
            b"skip_external_locking",
            b"skip_slave_start",
            b"skip_replica_start",
        ];
        let Some(kind) = self.kinds.get(path).copied() else { return };
        let name = option.split(|b| *b == b'=').next().unwrap_or_default();
        let name: Vec<u8> = name.iter().skip(2).map(|b| if *b == b'-' { b'_' } else { *b }).collect();
        let mut name = name.as_slice();
        for prefix in ["loose_", "disable_", "enable_", "maximum_", "skip_"] {
            if !OWN_NAMES.contains(&name) {
                name = name.strip_prefix(prefix.as_bytes()).unwrap_or(name);
            }
        }
        self.sources.insert(name.to_vec(), (path.to_vec(), kind));
    }
}

/// The option files of a folder, by name.
fn option_files(folder: &[u8]) -> std::io::Result<Vec<Vec<u8>>> {
    let found = std::fs::read_dir(Path::new(OsStr::from_bytes(folder)))?;
    // What follows the first dot of the name.
    let is_option_file = |name: &[u8]| name.iter().position(|b| *b == b'.').is_some_and(|at| &name[at..] == b".cnf");
    let mut names: Vec<Vec<u8>> = found.flatten().map(|entry| entry.file_name().as_bytes().to_vec()).collect();
    names.retain(|name| is_option_file(name));
    names.sort();
    Ok(names.iter().map(|name| clean(&[folder, b"/", name].concat())).collect())
}

/// What the system says of a path, in mysys' words.
fn system_error(what: &str, path: &[u8], error: &std::io::Error) -> Vec<u8> {
    let code = error.raw_os_error().unwrap_or(0);
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    [what.as_bytes(), b" '", path, b"' (OS errno ", code.to_string().as_bytes(), b" - ", text.as_bytes(), b")"].concat()
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | 9..=13)
}

fn trim_start(text: &[u8]) -> &[u8] {
    &text[text.iter().take_while(|b| is_space(**b)).count()..]
}

fn trim_end(text: &[u8]) -> &[u8] {
    &text[..text.len() - text.iter().rev().take_while(|b| is_space(**b)).count()]
}

/// A line as an argument.
fn option(line: &[u8]) -> Vec<u8> {
    let Some(equals) = line.iter().position(|b| *b == b'=') else {
        return [b"--", trim_end(line)].concat();
    };
    let value = trim_end(trim_start(&line[equals + 1..]));
    let value = match value {
        [first @ (b'"' | b'\''), inside @ .., last] if first == last => inside,
        value => value,
    };
    [b"--", trim_end(&line[..equals]), b"=", &unescape(value)[..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_arguments() {
        assert_eq!(option(b"int = 3\n"), b"--int=3");
        assert_eq!(option(b"yes \n"), b"--yes");
        assert_eq!(option(b"a=\"x \\\" y\"\n"), b"--a=x \" y");
        assert_eq!(option(b"a='\n"), b"--a='");
        assert_eq!(option(b"a=x\\\n"), b"--a=x\\");
    }

    #[test]
    fn paths_are_cleaned() {
        assert_eq!(clean(b"/a//b/./c/../d.cnf"), b"/a/b/d.cnf");
        assert_eq!(clean(b"../x"), b"../x");
        assert_eq!(clean(b"a/../../x"), b"../x");
        assert_eq!(unpacked(b"~/.my.cnf", b"/home/me"), b"/home/me/.my.cnf");
    }

    #[test]
    fn folders_that_come_again_are_searched_last() {
        let folders = folders(Some(b"/etc".to_vec()));
        assert_eq!(folders, [&b"/etc/mysql/"[..], b"/etc/", b"", b"~/"]);
    }

    #[test]
    fn the_first_arguments_name_files() {
        let given = Given::read(&[b"p", b"--defaults-file=a", b"--defaults-group-suffix=b", b"x", b"--login-path=y"]);
        assert_eq!((given.used, given.login_path), (2, None));
        let given = Given::read(&[b"p", b"--no-defaults", b"--defaults-file=a"]);
        assert_eq!((given.used, given.file), (1, None));
        assert!(Given::read(&[b"p", b"--no-login-paths"]).no_login_paths);
    }
}
