//! A log that is read from a file: its events one by one, each as long as its header says.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::ffi::OsStrExt;

use crate::session::binlog::{HEADER, MAGIC};

/// The largest event that is read, bytes.
const LARGEST: usize = 0xFF_FFFF;

/// Why there is no log.
#[derive(Debug)]
pub(super) enum Problem {
    /// It cannot be opened.
    Missing(io::Error),
    /// It cannot be read.
    Unread(i32),
    /// It is something else.
    NoLog,
}

/// A file whose first bytes were read.
#[derive(Debug)]
pub(super) struct LogFile(BufReader<File>);

impl LogFile {
    /// Opens a log.
    pub fn open(name: &[u8]) -> Result<LogFile, Problem> {
        let file = File::open(OsStr::from_bytes(name)).map_err(Problem::Missing)?;
        let mut file = BufReader::new(file);
        let mut magic = MAGIC.map(|_| 0);
        let read = file.read_exact(&mut magic);
        read.map_err(|error| Problem::Unread(error.raw_os_error().unwrap_or_default()))?;
        if magic == MAGIC { Ok(LogFile(file)) } else { Err(Problem::NoLog) }
    }

    /// The next event; None at the end. The error says what is wrong.
    pub fn next(&mut self) -> Result<Option<Vec<u8>>, &'static str> {
        let mut event = Vec::with_capacity(HEADER);
        let read = self.0.by_ref().take(HEADER as u64).read_to_end(&mut event);
        match read {
            Ok(0) => return Ok(None),
            Ok(HEADER) => {}
            _ => return Err("Can't read event header"),
        }
        let length = event.get(9..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u32::from_le_bytes(*bytes));
        let length = length as usize;
        if !(HEADER + 1..=LARGEST).contains(&length) {
            return Err("Sanity check failed: Malformed event length");
        }
        let read = self.0.by_ref().take((length - HEADER) as u64).read_to_end(&mut event);
        match read {
            Ok(_) if event.len() == length => Ok(Some(event)),
            _ => Err("Error while reading post header"),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::io::Write;

    fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    fn open(file: &tempfile::NamedTempFile) -> Result<LogFile, Problem> {
        LogFile::open(file.path().as_os_str().as_bytes())
    }

    #[test]
    fn events_are_as_long_as_they_say() {
        let event = |length: u8| [&[0; 9][..], &[length, 0, 0, 0], &[0; 6], &[7; 2]].concat();
        let whole = [&MAGIC[..], &event(21), &event(21), &event(40)].concat();
        let kept = file(&whole);
        let mut log = open(&kept).unwrap();
        assert_eq!(log.next(), Ok(Some(event(21))));
        assert_eq!(log.next(), Ok(Some(event(21))));
        assert_eq!(log.next(), Err("Error while reading post header"));
        assert_eq!(log.next(), Ok(None));
        let kept = file(&[&MAGIC[..], &event(19)].concat());
        assert_eq!(open(&kept).unwrap().next(), Err("Sanity check failed: Malformed event length"));
        let kept = file(&[&MAGIC[..], &[0; 5]].concat());
        assert_eq!(open(&kept).unwrap().next(), Err("Can't read event header"));
    }

    #[test]
    fn other_files_are_no_logs() {
        assert!(matches!(open(&file(b"\xfebiX")), Err(Problem::NoLog)));
        assert!(matches!(open(&file(b"\xfebi")), Err(Problem::Unread(_))));
        assert!(matches!(LogFile::open(b"/nowhere/at/all"), Err(Problem::Missing(_))));
    }
}
