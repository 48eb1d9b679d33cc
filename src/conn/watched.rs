//! The socket of a connection, which functions of the program may watch: they are shown what is read and written, before
//! TLS and after compression. Costs one load and one branch while nobody watches.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use crate::options::methods::{Program, is_watched};

/// See the module.
#[derive(Debug)]
pub(super) struct Socket {
    fd: OwnedFd,
    program: Program,
}

impl Socket {
    pub(super) fn new(fd: OwnedFd, program: Program) -> Self {
        Socket { fd, program }
    }

    pub(super) fn into_fd(self) -> OwnedFd {
        self.fd
    }

    /// These bytes were read or written; None: it failed.
    #[inline]
    pub(super) fn saw(&self, sent: bool, bytes: Option<&[u8]>) {
        if is_watched() {
            self.tell(sent, bytes);
        }
    }

    #[cold]
    fn tell(&self, sent: bool, bytes: Option<&[u8]>) {
        if let Some(program) = &self.program.0 {
            program.saw(sent, bytes);
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

#[cfg(test)]
impl From<std::os::unix::net::UnixStream> for Socket {
    fn from(stream: std::os::unix::net::UnixStream) -> Self {
        Socket::new(stream.into(), Program::default())
    }
}
