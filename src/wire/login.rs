//! The client's answer to the greeting: the SSL request and the handshake response.
//!
//! <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_handshake_response.html>

use super::{capabilities, reader};

/// What both messages begin with.
#[derive(Clone, Copy, Debug)]
pub struct Prefix {
    /// Agreed flags; the upper half goes to MariaDB only.
    pub capabilities: u64,
    /// The largest packet that the client takes.
    pub max_packet: u32,
    /// Low byte of the collation id.
    pub collation: u8,
}

/// The handshake response.
#[derive(Clone, Copy, Debug)]
pub struct Login<'a> {
    /// The beginning.
    pub prefix: Prefix,
    /// Account name.
    pub user: &'a [u8],
    /// Answer to the challenge.
    pub answer: &'a [u8],
    /// Initial schema; sent when CONNECT_WITH_DB is set.
    pub database: &'a [u8],
    /// Method that made the answer; sent when PLUGIN_AUTH is set.
    pub method: &'a [u8],
    /// Attributes in order; sent when CONNECT_ATTRS is set.
    pub attributes: &'a [(Vec<u8>, Vec<u8>)],
    /// Level of zstd, 1 to 22; sent when ZSTD_COMPRESSION is set.
    pub zstd_level: u8,
}

/// What COM_CHANGE_USER says.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_change_user.html>
#[derive(Clone, Copy, Debug)]
pub struct ChangeUser<'a> {
    /// Agreed flags of the connection.
    pub capabilities: u64,
    /// Account name.
    pub user: &'a [u8],
    /// Answer to the last challenge; at most 255 bytes of it are sent.
    pub answer: &'a [u8],
    /// Schema; empty for none.
    pub database: &'a [u8],
    /// Collation id.
    pub collation: u16,
    /// Method that made the answer; sent when PLUGIN_AUTH is set.
    pub method: &'a [u8],
    /// Attributes in order; sent when CONNECT_ATTRS is set.
    pub attributes: &'a [(Vec<u8>, Vec<u8>)],
}

/// Appends the argument of COM_CHANGE_USER.
pub fn put_change_user(out: &mut Vec<u8>, change: &ChangeUser<'_>) {
    put_nul(out, change.user);
    put_short(out, change.answer);
    put_nul(out, change.database);
    out.extend_from_slice(&change.collation.to_le_bytes());
    if change.capabilities & capabilities::PLUGIN_AUTH != 0 {
        put_nul(out, change.method);
    }
    if change.capabilities & capabilities::CONNECT_ATTRS != 0 {
        put_attributes(out, change.attributes);
    }
}

/// Appends the payload of an SSL request: the first 32 bytes of the response.
pub fn put_prefix(out: &mut Vec<u8>, prefix: &Prefix) {
    out.extend_from_slice(&(prefix.capabilities as u32).to_le_bytes());
    out.extend_from_slice(&prefix.max_packet.to_le_bytes());
    out.push(prefix.collation);
    out.extend_from_slice(&[0; 19]);
    out.extend_from_slice(&((prefix.capabilities >> 32) as u32).to_le_bytes());
}

/// Appends the payload of a handshake response.
pub fn put(out: &mut Vec<u8>, login: &Login<'_>) {
    let flags = login.prefix.capabilities;
    put_prefix(out, &login.prefix);
    put_nul(out, login.user);
    if flags & capabilities::PLUGIN_AUTH_LENENC_CLIENT_DATA != 0 {
        reader::put_lenenc_bytes(out, login.answer);
    } else {
        put_short(out, login.answer);
    }
    if flags & capabilities::CONNECT_WITH_DB != 0 {
        put_nul(out, login.database);
    }
    if flags & capabilities::PLUGIN_AUTH != 0 {
        put_nul(out, login.method);
    }
    if flags & capabilities::CONNECT_ATTRS != 0 {
        put_attributes(out, login.attributes);
    }
    if flags & capabilities::ZSTD_COMPRESSION != 0 {
        out.push(login.zstd_level);
    }
}

/// Appends at most 255 bytes behind their count in one byte.
fn put_short(out: &mut Vec<u8>, bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(255)];
    out.push(bytes.len() as u8);
    out.extend_from_slice(bytes);
}

fn put_attributes(out: &mut Vec<u8>, attributes: &[(Vec<u8>, Vec<u8>)]) {
    let size = |bytes: &[u8]| reader::lenenc_size(bytes.len() as u64) + bytes.len();
    let total: usize = attributes.iter().map(|(key, value)| size(key) + size(value)).sum();
    reader::put_lenenc(out, total as u64);
    for (key, value) in attributes {
        reader::put_lenenc_bytes(out, key);
        reader::put_lenenc_bytes(out, value);
    }
}

/// Appends a string and a NUL; a NUL inside would end it early, so the string is cut there.
pub fn put_nul(out: &mut Vec<u8>, string: &[u8]) {
    let end = string.iter().position(|&b| b == 0).unwrap_or(string.len());
    out.extend_from_slice(&string[..end]);
    out.push(0);
}
