//! The protocol: bytes in, messages out.
//!
//! One message per file. Nothing here does I/O, knows time or sockets, or trusts a length: every read is checked, every
//! decoder takes any bytes and answers with a message or [`Malformed`], and no decoder allocates more than it was given.

pub mod auth;
pub mod binlog;
pub mod capabilities;
pub mod column;
pub mod err;
pub mod frame;
pub mod greeting;
#[cfg(test)]
mod hostile;
pub mod login;
pub mod ok;
pub mod reader;
pub mod row;
pub mod signatures;
pub mod statement;

/// The bytes are not what the protocol says: the client error 2027.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;
