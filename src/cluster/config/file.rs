//! Reads a file that decides where passwords are sent, after a look at who can write it.
//!
//! The rule: a plain file, owned by the user whom the process runs as or by root, not writable by group or others.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Largest file that is read, bytes. A section takes about one kilobyte.
const MAX_SIZE: u64 = 16 << 20;

/// What tells one state of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// The file's present state; `None` when it cannot be looked at.
    pub(super) fn of(path: &Path) -> Option<Stamp> {
        std::fs::metadata(path).ok().map(|meta| Stamp::from(&meta))
    }

    /// True when the file was written so shortly before `now` that a further write may not show in its times.
    pub(super) fn is_fresh(&self, now: SystemTime) -> bool {
        let modified = Duration::new(self.modified.0.max(0) as u64, self.modified.1.max(0) as u32);
        let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        now.saturating_sub(modified) < Duration::from_secs(1)
    }
}

impl From<&std::fs::Metadata> for Stamp {
    fn from(meta: &std::fs::Metadata) -> Stamp {
        Stamp {
            device: meta.dev(),
            inode: meta.ino(),
            size: meta.size(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        }
    }
}

/// A file's bytes and what was seen of it.
pub(super) struct Guarded {
    pub(super) bytes: Vec<u8>,
    pub(super) stamp: Stamp,
    /// Anybody on the machine may read it.
    pub(super) world_readable: bool,
}

/// Why a file was not read, and what to do about it.
pub(super) struct Refused {
    pub(super) text: String,
    pub(super) remedy: String,
}

impl Refused {
    fn new(text: impl Into<String>, remedy: impl Into<String>) -> Self {
        Refused { text: text.into(), remedy: remedy.into() }
    }
}

/// Reads the file, or says why not.
pub(super) fn read(path: &Path) -> Result<Guarded, Refused> {
    read_as(path, rustix::process::geteuid().as_raw())
}

/// Judges the file without reading it.
pub(super) fn check(path: &Path) -> Result<(), Refused> {
    open_as(path, rustix::process::geteuid().as_raw()).map(|_| ())
}

fn read_as(path: &Path, user: u32) -> Result<Guarded, Refused> {
    let (file, meta) = open_as(path, user)?;
    if meta.size() > MAX_SIZE {
        return Err(Refused::new(format!("is larger than {} MiB", MAX_SIZE >> 20), ""));
    }
    let bytes = contents(file).map_err(|error| Refused::new(format!("cannot be read: {error}"), ""))?;
    Ok(Guarded { bytes, stamp: Stamp::from(&meta), world_readable: meta.mode() & 0o004 != 0 })
}

/// Opens a file that nobody but the user and root can write.
fn open_as(path: &Path, user: u32) -> Result<(File, std::fs::Metadata), Refused> {
    // Without O_NONBLOCK a FIFO would hold the program up for ever.
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path);
    let file =
        file.map_err(|error| Refused::new(format!("cannot be opened: {error}"), "check the path and its rights"))?;
    let meta = file.metadata().map_err(|error| Refused::new(format!("cannot be looked at: {error}"), ""))?;
    if !meta.is_file() {
        return Err(Refused::new("is not a plain file", "name a file"));
    }
    if meta.uid() != 0 && meta.uid() != user {
        let text = format!("belongs to user {}, who could redirect passwords", meta.uid());
        return Err(Refused::new(text, format!("chown it to root or to user {user}")));
    }
    if meta.mode() & 0o022 != 0 {
        let text =
            format!("can be written by others (mode {:04o}), who could redirect passwords", meta.mode() & 0o7777);
        return Err(Refused::new(text, format!("chmod go-w {}", path.display())));
    }
    Ok((file, meta))
}

fn contents(file: File) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MAX_SIZE).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn refusal(path: &Path, user: u32) -> String {
        read_as(path, user).err().expect("refused").text
    }

    #[test]
    fn only_the_user_and_root_may_write_it() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("a.json");
        std::fs::write(&path, "{}").expect("written");
        let me = std::fs::metadata(&path).expect("there").uid();
        let mode = |bits| std::fs::set_permissions(&path, PermissionsExt::from_mode(bits)).expect("chmod");
        for good in [0o600, 0o640, 0o644, 0o444] {
            mode(good);
            let read = read_as(&path, me).ok().expect("read");
            assert_eq!((read.bytes.as_slice(), read.world_readable), (b"{}".as_slice(), good & 4 != 0));
        }
        for bad in [0o660, 0o620, 0o602, 0o666] {
            mode(bad);
            assert!(refusal(&path, me).contains("written by others"));
        }
        mode(0o600);
        if me != 0 {
            assert!(refusal(&path, me + 1).contains("belongs to"));
        } else {
            std::os::unix::fs::chown(&path, Some(4711), None).expect("chown");
            assert!(refusal(&path, 0).contains("belongs to user 4711"));
            assert!(read_as(&path, 4711).is_ok());
        }
    }

    #[test]
    fn other_things_are_refused_without_waiting() {
        let folder = tempfile::tempdir().expect("folder");
        assert!(refusal(folder.path(), 0).contains("plain file"));
        assert!(refusal(&folder.path().join("none"), 0).contains("cannot be opened"));
        let fifo = folder.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().expect("run").success());
        assert!(refusal(&fifo, 0).contains("plain file"));
    }
}
