//! The method `dialog` (PAM): who answers the server's questions. The program's own function if it has one, by the names
//! that Connector/C looks for; else whoever sits at standard input and output.

#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int};
use std::os::fd::AsRawFd;

use crate::options::methods::Ask;

use super::family::Abi;
use super::plugin::Stage;
use super::rare::Silent;

/// Room for an answer with its NUL, bytes; what the program's function is told.
const ROOM: usize = 1024;

/// `mysql_authentication_dialog_ask`: the handle, 1 for a question or 2 for a secret, the question, a buffer and its size.
/// Returns the answer, in the buffer or elsewhere, or NULL.
type Function<F> =
    unsafe extern "C" fn(*mut <F as Abi>::Mysql, c_int, *const c_char, *mut c_char, c_int) -> *mut c_char;

/// The program's function; None if it has none.
fn function<F: Abi>() -> Option<Function<F>> {
    [c"mariadb_auth_dialog", c"mysql_authentication_dialog_ask"].into_iter().find_map(|name| {
        // SAFETY: a NUL-ended name, looked up in the program and its libraries.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        // SAFETY: a program that exports this name means this function; NULL is None.
        unsafe { std::mem::transmute::<*mut libc::c_void, Option<Function<F>>>(found) }
    })
}

/// Answers the questions of one login.
pub(super) struct Asker<F: Abi>(Stage<F>);

impl<F: Abi> Asker<F> {
    pub(super) fn new(stage: Stage<F>) -> Self {
        Asker(stage)
    }
}

impl<F: Abi> Ask for Asker<F> {
    fn ask(&mut self, question: &[u8], is_secret: bool) -> Option<Vec<u8>> {
        let question = CString::new(question.split(|byte| *byte == 0).next().unwrap_or_default()).ok()?;
        let mut buffer = zeroize::Zeroizing::new([0u8; ROOM]);
        let place = buffer.as_mut_ptr().cast::<c_char>();
        let Some(function) = function::<F>() else { return ask_at_terminal(&question, is_secret) };
        let kind = if is_secret { 2 } else { 1 };
        let room = ROOM as c_int;
        // SAFETY: the program's function, with its own handle and a buffer of the size that it is told.
        let (answer, _) = self.0.play(None, |mysql| unsafe { function(mysql, kind, question.as_ptr(), place, room) });
        if answer.is_null() {
            return None;
        }
        // SAFETY: the function's answer is a NUL-ended string.
        Some(unsafe { CStr::from_ptr(answer) }.to_bytes().to_vec())
    }
}

/// Asks as Connector/C does: by the program's standard streams, the answer to a secret question not shown.
fn ask_at_terminal(question: &CStr, is_secret: bool) -> Option<Vec<u8>> {
    unsafe extern "C" {
        static stdin: *mut libc::FILE;
        static stdout: *mut libc::FILE;
    }
    // SAFETY: the program's stream and a NUL-ended string; as the original, behind what the program has printed.
    unsafe { libc::fputs(question.as_ptr(), stdout) };
    if is_secret {
        // SAFETY: the program's stream.
        unsafe { libc::fflush(stdout) };
    }
    let silent = is_secret.then(|| Silent::new(std::io::stdin().as_raw_fd()));
    let mut line = zeroize::Zeroizing::new([0u8; ROOM]);
    // SAFETY: the program's stream, a buffer of this size.
    let read = unsafe { libc::fgets(line.as_mut_ptr().cast(), (ROOM - 1) as c_int, stdin) };
    drop(silent);
    if read.is_null() {
        return Some(Vec::new());
    }
    let answer = line.split(|byte| *byte == 0).next().unwrap_or_default();
    Some(answer.strip_suffix(b"\n").unwrap_or(answer).to_vec())
}
