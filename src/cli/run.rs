//! `run PROGRAM`: the environment that makes an unchanged program use the library, then the program in our place.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use lexopt::prelude::*;
use mysqlclient_ms::cluster::config::Config;

use super::Failure;

const LIBRARY: &str = "libmysqlclient_ms.so";

/// Our own failures, as in `env` and `timeout`.
const CANNOT_START: u8 = 125;

/// Does not come back if the program could be started.
pub(super) fn run(mut arguments: lexopt::Parser) -> Result<u8, Failure> {
    let (mut config, mut library, mut log) = (None::<PathBuf>, None::<PathBuf>, None::<OsString>);
    let program = loop {
        match arguments.next()? {
            Some(Long("config")) => config = Some(arguments.value()?.into()),
            Some(Long("library")) => library = Some(arguments.value()?.into()),
            Some(Long("log")) => log = Some(arguments.value()?),
            Some(Value(program)) => break program,
            Some(other) => return Err(other.unexpected().into()),
            None => return Err(Failure::new(2, "run: expected a program")),
        }
    };
    let rest: Vec<OsString> = arguments.raw_args()?.collect();

    let library = match library {
        Some(path) => absolute(&path)?,
        None => find_library()?,
    };
    if library.as_os_str().as_bytes().iter().any(|byte| matches!(byte, b' ' | b':')) {
        let text = format!("run: the loader cannot preload {}: blank or colon in the path", library.display());
        return Err(Failure::new(CANNOT_START, text));
    }
    let mut command = Command::new(&program);
    command.args(rest);
    match config {
        Some(path) => {
            let path = absolute(&path)?;
            Config::load(&path, true).map_err(|problem| Failure::new(CANNOT_START, format!("run: {problem}")))?;
            command.env("MYSQLND_MS_CONFIG_FILE", path);
        }
        None if env::var_os("MYSQLND_MS_CONFIG_FILE").is_none() && env::var_os("MYSQLND_MS_INI").is_none() => {
            let text = "run: no configuration: give --config FILE or set MYSQLND_MS_CONFIG_FILE";
            return Err(Failure::new(CANNOT_START, text));
        }
        None => {}
    }
    if let Some(log) = log {
        command.env("MYSQLND_MS_LOG", log);
    }
    command.env("MYSQLND_MS_ENABLE", "1");
    command.env("LD_PRELOAD", in_front(library.as_os_str(), env::var_os("LD_PRELOAD")));
    // With a folder of the originals' names beside the library, programs that load theirs by dlopen find ours.
    if let Some(folder) = library.parent().and_then(find_sonames) {
        command.env("LD_LIBRARY_PATH", in_front(folder.as_os_str(), env::var_os("LD_LIBRARY_PATH")));
    }
    let error = command.exec();
    let code = if error.kind() == ErrorKind::NotFound { 127 } else { 126 };
    Err(Failure::new(code, format!("run: cannot run {}: {error}", program.display())))
}

pub(super) fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    path.canonicalize().map_err(|error| Failure::new(CANNOT_START, format!("run: {}: {error}", path.display())))
}

/// Beside this program (a build folder), or where `make install` puts it.
pub(super) fn find_library() -> Result<PathBuf, Failure> {
    let program = env::current_exe().map_err(|error| Failure::new(CANNOT_START, format!("run: {error}")))?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    let places = [folder.join(LIBRARY), folder.join("../lib").join(LIBRARY), folder.join("../lib64").join(LIBRARY)];
    places.iter().find_map(|place| place.canonicalize().ok()).ok_or_else(|| {
        let text = format!("run: {LIBRARY} is neither in {} nor in ../lib; give --library FILE", folder.display());
        Failure::new(CANNOT_START, text)
    })
}

/// The folder of the originals' names: as `make install` calls it, and as it is called in the build folder, where the
/// tool has the first name.
pub(super) fn find_sonames(beside: &Path) -> Option<PathBuf> {
    ["mysqlclient-ms", "sonames"]
        .iter()
        .map(|name| beside.join(name))
        .find(|folder| folder.join("libmariadb.so.3").exists())
}

/// `first:rest`, without an empty part, which would mean the current folder.
fn in_front(first: &OsStr, rest: Option<OsString>) -> OsString {
    let mut all = first.to_owned();
    if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
        all.push(":");
        all.push(rest);
    }
    all
}
