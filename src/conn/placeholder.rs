//! The descriptor that a lazy handle shows before it has a connection.
//!
//! Programs poll it and ask for socket options. A UDP socket that is neither bound nor connected stays quiet under
//! poll and answers getsockopt; an unconnected TCP or Unix socket would show POLLHUP.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

/// A socket that leads nowhere.
#[derive(Debug)]
pub struct Placeholder(OwnedFd);

impl Placeholder {
    /// Makes one; None when the process has no descriptor left.
    pub fn new() -> Option<Self> {
        socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None).ok().map(Placeholder)
    }

    /// Its descriptor.
    pub fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}
