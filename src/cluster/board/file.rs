//! The board's file: where it is, who may have made it, reading a state and replacing it under a lock.
//!
//! Opened anew for every look: a program that closes descriptors it does not know, as daemons do, finds none of ours; and a
//! file that somebody cut, emptied or removed is a damaged or a blank board, never a page fault, as it would be if it were
//! mapped. Nothing here waits.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Error, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, OFlags};
use sha2::{Digest, Sha256};

use super::record::{self, HEADER, Head, Record, SIZE};

/// Read at once: most boards are not larger.
const FIRST: usize = 4096;

/// A state of the board.
#[derive(Debug)]
pub(super) enum State {
    /// The one that is known.
    Same,
    /// Another one.
    Other(u64, Box<Record>),
    /// Nobody has written yet.
    Blank,
    /// No board, or half of one.
    Damaged,
}

/// Where boards are looked for, best first: `wanted` alone if it is given, else the user's folder for what lives as long as
/// the session, else one in the machine's memory.
pub(super) fn folders(wanted: Option<&Path>, runtime_dir: Option<&Path>) -> Vec<PathBuf> {
    if let Some(wanted) = wanted {
        return vec![wanted.to_owned()];
    }
    let user = rustix::process::geteuid().as_raw();
    let own = runtime_dir.filter(|path| path.is_absolute()).map(|path| path.join("mysqlclient-ms"));
    own.into_iter().chain([PathBuf::from(format!("/dev/shm/mysqlclient-ms-{user}"))]).collect()
}

/// The file's name: for people the section's, for machines also the configuration file's.
pub(super) fn name(configuration: &Path, section: &str) -> String {
    use std::os::unix::ffi::OsStrExt;
    let mut hash = Sha256::new();
    hash.update(configuration.as_os_str().as_bytes());
    hash.update([0]);
    hash.update(section.as_bytes());
    let digest: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let plain: String = section.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(32).collect();
    format!("{plain}-{digest}.board")
}

/// Opens the board, and with `make` makes it if there is none.
///
/// Errors: the folder or the file is somebody else's, or open to others; no space; and those of the system.
pub(super) fn open(folder: &Path, name: &str, make: bool) -> Result<File, Error> {
    let path = folder.join(name);
    let open = |create: bool| {
        let flags = (OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK).bits();
        OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(create)
            .mode(0o600)
            .custom_flags(flags.cast_signed())
            .open(&path)
    };
    match check_folder(folder, false).and_then(|()| open(false)) {
        Ok(file) => check(&file).map(|()| file),
        Err(error) if make && error.kind() == ErrorKind::NotFound => {
            check_folder(folder, true)?;
            let file = match open(true) {
                Ok(file) => file,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => open(false)?,
                Err(error) => return Err(error),
            };
            check(&file)?;
            // File systems that cannot do it may cut a state short when they are full: it is then damaged.
            match rustix::fs::fallocate(&file, FallocateFlags::empty(), 0, SIZE as u64) {
                Err(error) if error == rustix::io::Errno::NOSPC || error == rustix::io::Errno::DQUOT => {
                    let _ = std::fs::remove_file(&path);
                    Err(error.into())
                }
                _ => Ok(file),
            }
        }
        Err(error) => Err(error),
    }
}

fn refused(why: &str) -> Error {
    Error::new(ErrorKind::PermissionDenied, why)
}

fn check(file: &File) -> Result<(), Error> {
    let meta = file.metadata()?;
    let own = meta.uid() == rustix::process::geteuid().as_raw() && meta.nlink() == 1;
    if !(own && meta.is_file() && meta.mode() & 0o077 == 0) {
        return Err(refused("the file is not this user's alone (mode 0600, one name)"));
    }
    Ok(())
}

/// The folder has to be nobody else's.
fn check_folder(folder: &Path, make: bool) -> Result<(), Error> {
    if make
        && let Err(error) = DirBuilder::new().mode(0o700).create(folder)
        && error.kind() != ErrorKind::AlreadyExists
    {
        return Err(error);
    }
    let meta = std::fs::symlink_metadata(folder)?;
    if !meta.is_dir() || meta.uid() != rustix::process::geteuid().as_raw() || meta.mode() & 0o022 != 0 {
        return Err(refused("the folder is not this user's, or others may write to it (mode 0700)"));
    }
    Ok(())
}

/// Reads the state; `known` is the number of the one that the caller has.
pub(super) fn read(file: &File, known: Option<u64>) -> Result<State, Error> {
    let mut bytes = vec![0; FIRST];
    let mut got = read_at(file, &mut bytes, 0)?;
    let Head::State { number, length, checksum } = record::head(&bytes[..got]) else {
        return Ok(if record::head(&bytes[..got]) == Head::Blank { State::Blank } else { State::Damaged });
    };
    if known == Some(number) {
        return Ok(State::Same);
    }
    if HEADER + length > FIRST {
        bytes.resize(HEADER + length, 0);
        got += read_at(file, &mut bytes[FIRST..], FIRST as u64)?;
    }
    let body = bytes[..got].get(HEADER..HEADER + length).and_then(|body| record::body(body, number, checksum));
    Ok(body.map_or(State::Damaged, |body| State::Other(number, Box::new(body))))
}

fn read_at(file: &File, into: &mut [u8], from: u64) -> Result<usize, Error> {
    let mut got = 0;
    while got < into.len() {
        match file.read_at(&mut into[got..], from + got as u64) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}

/// Replaces the state. The caller has the lock.
pub(super) fn replace(file: &File, record: &Record, number: u64) -> Result<(), Error> {
    let bytes = record::write(record, number).ok_or_else(|| Error::from(ErrorKind::FileTooLarge))?;
    file.write_all_at(&bytes, 0)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn record(turns: u64) -> Record {
        Record { turns, ..Record::default() }
    }

    fn turns(state: State) -> Option<u64> {
        if let State::Other(_, record) = state { Some(record.turns) } else { None }
    }

    #[test]
    fn a_state_is_read_by_others_and_only_when_it_is_new() {
        let folder = tempfile::tempdir().expect("folder");
        let folder = folder.path().join("made");
        let file = open(&folder, "a.board", true).expect("made");
        assert!(matches!(read(&file, None).expect("read"), State::Blank));
        replace(&file, &record(5), 1).expect("written");
        let other = open(&folder, "a.board", true).expect("opened");
        assert_eq!(turns(read(&other, None).expect("read")), Some(5));
        assert!(matches!(read(&other, Some(1)).expect("read"), State::Same));
        let mut long = record(6);
        let written = record::Written { position: "0-1-4".repeat(10), since: 0 };
        long.written = (0..100).map(|number| (format!("account{number}"), written.clone())).collect();
        replace(&file, &long, 2).expect("written");
        assert_eq!(turns(read(&other, Some(1)).expect("read")), Some(6));
    }

    #[test]
    fn a_file_that_was_cut_or_overwritten_is_damaged_or_blank() {
        let folder = tempfile::tempdir().expect("folder");
        let file = open(folder.path(), "a.board", true).expect("made");
        replace(&file, &record(5), 1).expect("written");
        for size in [10, HEADER as u64, HEADER as u64 + 3] {
            file.set_len(size).expect("cut");
            assert!(matches!(read(&file, None).expect("read"), State::Damaged), "{size}");
        }
        file.set_len(0).expect("emptied");
        assert!(matches!(read(&file, None).expect("read"), State::Blank));
        replace(&file, &record(5), 1).expect("written again");
        assert_eq!(turns(read(&file, None).expect("read")), Some(5));
        file.write_all_at(b"garbage garbage garbage garbage", 0).expect("overwritten");
        assert!(matches!(read(&file, None).expect("read"), State::Damaged));
    }

    #[test]
    fn nobody_elses_folder_or_file_is_used() {
        let folder = tempfile::tempdir().expect("folder");
        let open_to_all = folder.path().join("open");
        std::fs::create_dir(&open_to_all).expect("made");
        std::fs::set_permissions(&open_to_all, PermissionsExt::from_mode(0o777)).expect("chmod");
        assert_eq!(open(&open_to_all, "a", true).expect_err("refused").kind(), ErrorKind::PermissionDenied);
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        open(&real, "a", true).expect("made");
        symlink(&real, &link).expect("link");
        assert_eq!(open(&link, "b", true).expect_err("refused").kind(), ErrorKind::PermissionDenied);
        symlink(real.join("a"), real.join("c")).expect("link");
        assert!(open(&real, "c", true).is_err());
        std::fs::set_permissions(real.join("a"), PermissionsExt::from_mode(0o644)).expect("chmod");
        assert_eq!(open(&real, "a", true).expect_err("refused").kind(), ErrorKind::PermissionDenied);
    }

    #[test]
    fn folders_are_the_configured_one_or_the_users() {
        let names = |wanted, runtime| {
            folders(wanted, runtime).iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        let shm = format!("/dev/shm/mysqlclient-ms-{}", rustix::process::geteuid().as_raw());
        assert_eq!(names(Some(Path::new("/srv/b")), Some(Path::new("/run/user/1"))), ["/srv/b"]);
        assert_eq!(names(None, Some(Path::new("/run/user/1"))), ["/run/user/1/mysqlclient-ms", &shm]);
        assert_eq!(names(None, Some(Path::new("relative"))), [shm]);
    }

    #[test]
    fn a_name_tells_the_section_and_differs_by_configuration() {
        let one = name(Path::new("/etc/a.json"), "shop/../x");
        assert!(one.starts_with("shopx-") && one.ends_with(".board"), "{one}");
        assert_ne!(one, name(Path::new("/etc/b.json"), "shop/../x"));
    }
}
