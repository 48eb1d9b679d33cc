//! `my_load_defaults`: what option files say, as arguments in front of the program's own. MySQL's own programs begin with
//! it, and libmysqlclient exports it for them; no public header declares it.
//!
//! What files say is found in [`files`]; this is where arguments come from and go to. The original puts all that it returns
//! on the caller's `MEM_ROOT`; ours is never freed, some hundred bytes per call, and the `MEM_ROOT` is not touched. Must not
//! touch handles.
#![allow(unsafe_code)]

use std::collections::HashMap;
use std::ffi::{CString, OsString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStringExt;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use super::convert::{c_bytes, put};
use super::entry::entry;
use super::getopt::tell::{self, Level, Stderr, Tell};
use files::{Failed, Files, Given};

mod files;
mod login;

/// Which file an option has come from last, and what kind of file that is.
type Sources = HashMap<Vec<u8>, (Vec<u8>, u32)>;

/// The paths of `--defaults-file` and `--defaults-extra-file`.
type Named = (Option<Vec<u8>>, Option<Vec<u8>>);

/// What every later call goes by.
#[derive(Default)]
struct Process {
    /// The named files of the first call, if it has been.
    named: Option<Named>,
    sources: Sources,
}

static PROCESS: Mutex<Option<Process>> = Mutex::new(None);

/// The file that an option of this name was last read from, and its kind.
pub(super) fn source_of(name: &[u8]) -> Option<(Vec<u8>, u32)> {
    let name: Vec<u8> = name.iter().map(|b| if *b == b'-' { b'_' } else { *b }).collect();
    let process = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    process.as_ref()?.sources.get(&name).cloned()
}

fn environment(name: &str) -> Option<Vec<u8>> {
    std::env::var_os(name).map(OsString::into_vec)
}

/// A NUL-ended copy that is never freed.
fn kept(text: &[u8]) -> *mut c_char {
    CString::new(text.split(|b| *b == 0).next().unwrap_or_default()).unwrap_or_default().into_raw()
}

/// Pointers and NULL behind them, never freed.
fn kept_list(mut list: Vec<*mut c_char>) -> *mut *mut c_char {
    list.push(ptr::null_mut());
    Box::leak(list.into_boxed_slice()).as_mut_ptr()
}

entry! {
    /// Puts the options of option files in front of the program's arguments (MySQL family): `argv` becomes a new list of
    /// the program's name, the files' options as `--name=value`, and the other arguments.
    ///
    /// The first arguments may be `--no-defaults`, `--defaults-file=`, `--defaults-extra-file=`,
    /// `--defaults-group-suffix=`, `--login-path=`, `--no-login-paths` and, last, `--print-defaults`, which ends the process.
    /// `MYSQL_HOME`, `MYSQL_GROUP_SUFFIX` and `MYSQL_TEST_LOGIN_FILE` count.
    ///
    /// Source: libmysqlclient 9.7; no header. Returns: 0; 1 when a named file is missing or a file is none.
    /// Errors: said on standard error.
    ///
    /// # Safety
    /// `file` is a NUL-ended string; `groups` is a list of such, ended by NULL; `*argv` has `*argc` NUL-ended strings;
    /// `folders` is NULL or writable. Unlike in the original the memory root is not used.
    fn my_load_defaults<A>(
        file: *const c_char, groups: *const *const c_char, argc: *mut c_int, argv: *mut *mut *mut c_char,
        _root: *mut c_void, folders: *mut *mut *mut c_char,
    ) -> c_int;
    plain, fails 1, {
        if argc.is_null() || argv.is_null() || groups.is_null() {
            return 1;
        }
        // SAFETY: the caller's promise.
        let Some(file) = (unsafe { c_bytes(file) }) else { return 1 };
        // SAFETY: the caller's promise.
        let (count, first) = unsafe { (argc.read(), argv.read()) };
        if count < 1 || first.is_null() {
            return 1;
        }
        // SAFETY: the caller's promise.
        let words = unsafe { std::slice::from_raw_parts(first, count as usize) };
        // SAFETY: the caller's promise.
        let arguments: Vec<&[u8]> = words.iter().map(|word| unsafe { c_bytes(*word) }.unwrap_or_default()).collect();
        let mut wanted = Vec::new();
        // SAFETY: the list ends with NULL.
        while let Some(group) = unsafe { c_bytes(groups.add(wanted.len()).read()) } {
            wanted.push(group.to_vec());
        }

        let given = Given::read(&arguments);
        let no_defaults = arguments.get(1) == Some(&&b"--no-defaults"[..]);
        let dirs = files::folders(environment("MYSQL_HOME"));
        let options = match read(file, wanted, &given, &dirs, no_defaults) {
            Ok(options) => options,
            Err(Failed) => {
                Stderr.tell(Level::Error, b"Fatal error in defaults handling. Program aborted!");
                return 1;
            }
        };

        let mut rest = &words[1 + given.used..];
        let print = rest.first().is_some_and(|_| arguments[1 + given.used] == b"--print-defaults");
        if print {
            rest = &rest[1..];
        }
        if print && !no_defaults {
            let shown = arguments[2 + given.used..].iter().copied();
            print_and_exit(arguments[0], options.iter().map(Vec::as_slice).chain(shown));
        }
        let mut list = vec![words[0]];
        list.extend(options.iter().map(|option| kept(option)));
        list.extend_from_slice(rest);
        // SAFETY: the caller's promise.
        unsafe { argc.write(list.len() as c_int) };
        // SAFETY: the caller's promise.
        unsafe { argv.write(kept_list(list)) };
        if !folders.is_null() {
            let list = kept_list(dirs.iter().map(|dir| kept(dir)).collect());
            // SAFETY: the caller's promise.
            unsafe { put(folders, list) };
        }
        0
    }
}

/// The options that the files say, in their order.
fn read(
    file: &[u8],
    groups: Vec<Vec<u8>>,
    given: &Given,
    dirs: &[Vec<u8>],
    no_defaults: bool,
) -> Result<Vec<Vec<u8>>, Failed> {
    let mut process = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = process.get_or_insert_with(Process::default);
    let home = environment("HOME").unwrap_or_default();
    let (named, extra) = process.named.get_or_insert_with(|| {
        let absolute = |path: &Vec<u8>| files::absolute(path, &home);
        (given.file.as_ref().map(absolute), given.extra.as_ref().map(absolute))
    });
    let suffix = given.suffix.clone().or_else(|| environment("MYSQL_GROUP_SUFFIX"));
    let mut tell = Stderr;
    let mut files = Files::new(groups, suffix.as_deref(), &home, &mut tell, &mut process.sources);
    files.know(environment("MYSQL_HOME"), extra.as_deref(), named.as_deref());
    if file.contains(&b'/') {
        files.search(None, file)?;
    } else if let Some(named) = named {
        files.required(named)?;
    } else if !no_defaults {
        for dir in dirs {
            if !dir.is_empty() {
                files.search(Some(dir), file)?;
            } else if let Some(extra) = extra {
                files.required(extra)?;
            }
        }
    }
    if !given.no_login_paths {
        let test = environment("MYSQL_TEST_LOGIN_FILE");
        let login = test.or_else(|| environment("HOME").map(|home| [&home[..], b"/.mylogin.cnf"].concat()));
        if let Some(login) = login {
            files.login(&login, given.login_path.as_deref(), suffix.as_deref())?;
        }
    }
    Ok(files.options)
}

/// Shows what the program would be started with, and ends the process as the original does.
fn print_and_exit<'a>(program: &[u8], arguments: impl Iterator<Item = &'a [u8]>) -> ! {
    tell::print(&[program, b" would have been started with the following arguments:\n"].concat());
    for argument in arguments {
        let shown = if argument.starts_with(b"--password") { b"--password=*****" } else { argument };
        tell::print(&[shown, b" "].concat());
    }
    tell::print(b"\n");
    // SAFETY: the process may end here: the original does it, too.
    unsafe { libc::exit(0) }
}
