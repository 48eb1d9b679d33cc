//! Messages of the authentication exchange, and the answers to challenges that are pure computation.

use mysql_common::auth::plugins::{caching_sha2_password::scramble_sha256, mysql_native_password::scramble_native};

use super::{Malformed, reader::Reader};

/// The server wants another method: `FE`, its name, its challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch<'a> {
    /// Method name.
    pub method: &'a [u8],
    /// Challenge without the NUL at its end.
    pub challenge: &'a [u8],
    /// The same as it was sent.
    pub data: &'a [u8],
}

/// Decodes a switch request or a request for the next factor (`02`), its first byte included. A bare `FE` asks for the method from before 4.1: an empty name.
pub fn parse_switch(packet: &[u8]) -> Result<Switch<'_>, Malformed> {
    let mut reader = Reader::new(packet);
    if !matches!(reader.u8()?, 0xFE | 2) {
        return Err(Malformed);
    }
    if reader.is_empty() {
        return Ok(Switch { method: b"", challenge: b"", data: b"" });
    }
    let method = reader.nul_string()?;
    let rest = reader.rest();
    Ok(Switch { method, challenge: rest.strip_suffix(b"\0").unwrap_or(rest), data: rest })
}

/// Length of the challenge of the methods below.
pub const CHALLENGE: usize = 20;

/// Answer of `mysql_native_password`; empty for an empty password.
pub fn native(challenge: &[u8], password: &[u8]) -> Result<Vec<u8>, Malformed> {
    let challenge = challenge.get(..CHALLENGE).ok_or(Malformed)?;
    Ok(scramble_native(challenge, password).map(|answer| answer.to_vec()).unwrap_or_default())
}

/// First answer of `caching_sha2_password`; empty for an empty password.
pub fn caching_sha2(challenge: &[u8], password: &[u8]) -> Result<Vec<u8>, Malformed> {
    let challenge: &[u8; CHALLENGE] = challenge.get(..CHALLENGE).and_then(|c| c.try_into().ok()).ok_or(Malformed)?;
    Ok(scramble_sha256(challenge, password).map(|answer| answer.to_vec()).unwrap_or_default())
}
