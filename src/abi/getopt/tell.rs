//! What MySQL's option parsing says on standard error, through the program's own C streams: the program asked for it by
//! calling `handle_options` or `my_load_defaults`. Nothing else of the library may print.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_double, c_int};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The call fails.
    Error,
    /// It goes on.
    Warning,
    /// Said without a level.
    Plain,
}

/// Where messages go: standard error, or a list in tests.
pub trait Tell {
    /// Says one message: what `text` says, without its level and without an end of line.
    fn tell(&mut self, level: Level, text: &[u8]);
}

/// Longest message with its level in front, bytes; the rest is cut.
const LONGEST: usize = 1023;

unsafe extern "C" {
    static stdout: *mut libc::FILE;
    static stderr: *mut libc::FILE;
}

/// The program's standard error.
pub struct Stderr;

impl Tell for Stderr {
    fn tell(&mut self, level: Level, text: &[u8]) {
        let mut line = match level {
            Level::Error => b"[ERROR] ".to_vec(),
            Level::Warning => b"[Warning] ".to_vec(),
            Level::Plain => Vec::new(),
        };
        line.extend_from_slice(text);
        line.truncate(LONGEST);
        line.push(b'\n');
        // SAFETY: the C library's streams are there as long as the process.
        let (out, err) = unsafe { (stdout, stderr) };
        put(out, b"");
        put(err, &line);
    }
}

/// Writes to the program's standard output, as the original does for `--print-defaults`.
pub fn print(text: &[u8]) {
    // SAFETY: as above.
    put(unsafe { stdout }, text);
}

/// Writes `text` up to a NUL, and everything that the stream has buffered.
fn put(stream: *mut libc::FILE, text: &[u8]) {
    let text = CString::new(text.split(|&b| b == 0).next().unwrap_or_default()).unwrap_or_default();
    // SAFETY: a NUL-ended string and an open stream.
    unsafe { libc::fputs(text.as_ptr(), stream) };
    // SAFETY: an open stream.
    unsafe { libc::fflush(stream) };
}

/// A number as `%g` of C writes it.
pub fn general(value: f64) -> String {
    let mut text = [0u8; 64];
    // SAFETY: the buffer's size is told; one double is passed for the one `%g`.
    let length: c_int = unsafe {
        libc::snprintf(text.as_mut_ptr().cast::<c_char>(), text.len(), c"%g".as_ptr(), c_double::from(value))
    };
    String::from_utf8_lossy(&text[..length.clamp(0, 63) as usize]).into_owned()
}
