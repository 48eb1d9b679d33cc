//! Authentication methods that the program brings: what they are told, what they may do, and where they are found. No code
//! of theirs is here: `abi` holds the functions of C programs behind these traits, `conn` runs them.

use std::fmt;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use crate::error::Error;

/// What a method may know of the login that it is part of.
#[derive(Clone, Default)]
pub struct Account {
    /// Account name.
    pub user: Vec<u8>,
    /// Password of the factor that is being proven; empty for none.
    pub password: Vec<u8>,
    /// Initial schema.
    pub database: Option<Vec<u8>>,
    /// Host name or address; None for a Unix socket.
    pub host: Option<Vec<u8>>,
    /// TCP port; 0 for a Unix socket.
    pub port: u16,
    /// Unix socket.
    pub socket: Option<Vec<u8>>,
    /// What the server says of its version.
    pub server_version: Vec<u8>,
    /// `mysql_get_host_info`.
    pub host_info: Vec<u8>,
    /// Connection id.
    pub thread_id: u64,
    /// The server's capabilities.
    pub capabilities: u64,
    /// The capabilities agreed on.
    pub client_flag: u64,
    /// The server's last challenge.
    pub challenge: Vec<u8>,
    /// The socket.
    pub fd: RawFd,
}

impl Drop for Account {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.password);
    }
}

/// The connection as a method may know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The socket.
    pub fd: RawFd,
    /// Unix socket, not TCP.
    pub is_unix: bool,
    /// TLS is on.
    pub is_tls: bool,
}

/// The exchange with the server, as a method may take part in it.
pub trait Exchange {
    /// The next packet, waited for. It stays where it is until the next read, and a NUL lies behind it. None: the method
    /// has to end; [`Exchange::error`] says why, unless the server asks for another method.
    fn read(&mut self) -> Option<&[u8]>;

    /// The same without waiting in a step of a non-blocking call.
    fn try_read(&mut self) -> Poll<Option<&[u8]>>;

    /// Sends a packet, the first one inside the login. False: it could not be sent.
    fn write(&mut self, packet: &[u8]) -> bool;

    /// The packet read last, as it came; a NUL lies behind it.
    fn last(&self) -> &[u8];

    /// What went wrong last.
    fn error(&self) -> Option<&Error>;

    /// The connection.
    fn line(&self) -> Line;
}

/// How a method ended.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The number that it returned: one of the `CR_*` below, or an error's.
    pub code: i32,
    /// The error that it left behind.
    pub error: Option<Error>,
}

/// The method has done its part; the server's answer is still to be read.
pub const CR_OK: i32 = -1;
/// The method has failed; an error's number, or this.
pub const CR_ERROR: i32 = 0;

/// One run of a method.
pub trait Run {
    /// Has a form for non-blocking calls.
    fn can_step(&self) -> bool;

    /// Runs it to its end.
    fn run(&mut self, exchange: &mut dyn Exchange) -> Verdict;

    /// Runs it as far as it goes without waiting.
    fn step(&mut self, exchange: &mut dyn Exchange) -> Poll<Verdict>;
}

/// A method of the program.
pub trait Method: fmt::Debug + Send + Sync {
    /// Its name.
    fn name(&self) -> &[u8];

    /// Begins a login with it.
    fn begin(&self, account: Account) -> Box<dyn Run>;
}

/// The methods that a handle's program has registered.
pub trait Methods: fmt::Debug + Send + Sync {
    /// The one of this name, as of now.
    fn find(&self, name: &[u8]) -> Option<Arc<dyn Method>>;

    /// These bytes were read from a server or sent to it; None: it failed. Called while [`is_watched`].
    fn saw(&self, sent: bool, bytes: Option<&[u8]>);

    /// The program's function that answers the questions of the method `dialog`, if it has one.
    fn dialog(&self, account: Account) -> Box<dyn Ask>;
}

/// Who answers the server's questions.
pub trait Ask {
    /// The answer to a question; None: there is none, and the login fails. `is_secret`: not to be shown while typed.
    fn ask(&mut self, question: &[u8], is_secret: bool) -> Option<Vec<u8>>;
}

/// Functions of the program watch what connections read and write.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// Whether anybody watches.
#[inline]
pub fn is_watched() -> bool {
    WATCHED.load(Ordering::Relaxed)
}

/// Somebody watches, or nobody any more.
pub fn set_watched(watched: bool) {
    WATCHED.store(watched, Ordering::Relaxed);
}

/// [`Methods`] as an option: who has them is not part of what an option says.
#[derive(Clone, Debug, Default)]
pub struct Program(pub Option<Arc<dyn Methods>>);

impl PartialEq for Program {
    fn eq(&self, _other: &Program) -> bool {
        true
    }
}

impl Program {
    /// The program's method of this name.
    pub fn find(&self, name: &[u8]) -> Option<Arc<dyn Method>> {
        self.0.as_ref()?.find(name)
    }
}
