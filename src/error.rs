//! The one error type of the crate: a number, an SQLSTATE, a text, and whether the server may have seen the command.
//!
//! Knows the client error numbers (`CR_*`) and their texts in both families. Touches nothing else.

use std::fmt;

/// Five bytes as in the SQL standard, `HY000` when nothing more precise is known.
pub type SqlState = [u8; 5];

/// SQLSTATE of nearly every client error.
pub const HY000: SqlState = *b"HY000";

/// Whether bytes of the failed command may have reached the server: the base of every decision to retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sent {
    /// No byte of the command left this process: it was not executed.
    No,
    /// Some bytes left: the outcome is unknown.
    Maybe,
    /// The server answered with an error packet: it received the command and refused it.
    Yes,
}

/// Who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// This library (a `CR_*` number, 2000 and up).
    Client,
    /// A server's error packet; number and text are passed on untouched.
    Server,
}

/// A failure as the program will see it through `mysql_errno`, `mysql_sqlstate` and `mysql_error`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Error number: `CR_*` for [`Origin::Client`], the server's for [`Origin::Server`].
    pub code: u32,
    /// Five bytes.
    pub sqlstate: SqlState,
    /// The text; bytes, because a server sends it in the connection's character set.
    pub message: Vec<u8>,
    /// Client or server.
    pub origin: Origin,
    /// Whether the command may have been executed.
    pub sent: Sent,
}

impl Error {
    /// A client error with a text of its own; [`Sent::No`].
    pub fn client(code: u32, message: impl Into<Vec<u8>>) -> Self {
        Error {
            code,
            sqlstate: HY000,
            message: message.into(),
            origin: Origin::Client,
            sent: Sent::No,
        }
    }

    /// The same error, with what is known about the command's fate.
    pub fn sent(mut self, sent: Sent) -> Self {
        self.sent = sent;
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ({}): {}",
            self.code,
            String::from_utf8_lossy(&self.sqlstate),
            String::from_utf8_lossy(&self.message)
        )
    }
}

impl std::error::Error for Error {}
