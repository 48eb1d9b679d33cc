//! The server's first packet: handshake version 10, or an error before it.
//!
//! <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_handshake_v10.html>,
//! and MariaDB's "Connection" page for the extended capabilities.

use super::{Malformed, capabilities, reader::Reader};

/// Prefix that MariaDB 10 puts before its version for the sake of old replicas.
const REPLICATION_PREFIX: &[u8] = b"5.5.5-";

/// Handshake version 10.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// Version text as it came.
    pub raw_version: Vec<u8>,
    /// Version text, MariaDB's `5.5.5-` removed.
    pub version: Vec<u8>,
    /// MariaDB by its version text or by a cleared bit 0.
    pub is_mariadb: bool,
    /// Connection id; 32 bits on the wire.
    pub thread_id: u32,
    /// Flags; MariaDB's extended ones in the upper half.
    pub capabilities: u64,
    /// Low byte of the default collation.
    pub language: u8,
    /// `SERVER_STATUS_*`.
    pub status: u16,
    /// The challenge, without the NUL at its end: 20 bytes from real servers.
    pub scramble: Vec<u8>,
    /// The method that the challenge is for; empty from servers without PLUGIN_AUTH.
    pub method: Vec<u8>,
}

/// What the first packet is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum First {
    /// The greeting.
    Greeting(Greeting),
    /// Another protocol version than 10: its number (255, an error packet, is seen to before).
    OtherVersion(u8),
}

/// Decodes the first packet, which is not an error packet.
pub fn parse(packet: &[u8]) -> Result<First, Malformed> {
    let mut reader = Reader::new(packet);
    let protocol = reader.u8()?;
    if protocol != 10 {
        return Ok(First::OtherVersion(protocol));
    }
    let version = reader.nul_string()?;
    let thread_id = reader.u32()?;
    let mut scramble = reader.bytes(8)?.to_vec();
    reader.u8()?; // filler
    let mut flags = u64::from(reader.u16()?);
    let (mut language, mut status, mut method) = (0, 0, Vec::new());
    if !reader.is_empty() {
        language = reader.u8()?;
        status = reader.u16()?;
        flags |= u64::from(reader.u16()?) << 16;
        let scramble_length = usize::from(reader.u8()?);
        reader.bytes(6)?; // filler
        let extended = u64::from(reader.u32()?);
        if flags & capabilities::LONG_PASSWORD == 0 {
            flags |= extended << 32;
        }
        if flags & (capabilities::SECURE_CONNECTION | capabilities::PLUGIN_AUTH) != 0 {
            // The second part is at least 13 bytes long, the last of them NUL; servers before 5.6 give no length.
            let second = scramble_length.saturating_sub(8).max(13);
            let bytes = reader.bytes(second)?;
            scramble.extend_from_slice(bytes.strip_suffix(b"\0").unwrap_or(bytes));
        }
        if flags & capabilities::PLUGIN_AUTH != 0 {
            // MySQL 5.5.7-9 and 5.6.0-1 leave the NUL out.
            method = reader.nul_string_or_rest().to_vec();
        }
    }
    let stripped = version.strip_prefix(REPLICATION_PREFIX);
    let by_name = version.windows(7).any(|w| w.eq_ignore_ascii_case(b"mariadb"));
    Ok(First::Greeting(Greeting {
        raw_version: version.to_vec(),
        is_mariadb: by_name || (stripped.is_some() && flags & capabilities::LONG_PASSWORD == 0),
        version: match stripped {
            Some(rest) if by_name => rest.to_vec(),
            _ => version.to_vec(),
        },
        thread_id,
        capabilities: flags,
        language,
        status,
        scramble,
        method,
    }))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// MariaDB 10.11.19, captured; bit 0 is clear, so the extended word counts.
    pub(crate) const MARIADB: &[u8] =
        b"\x0a5.5.5-10.11.19-MariaDB-log\x00\x0b\x00\x00\x00abcdefgh\x00\xfe\xff\x08\x02\x00\xff\x81\x15\
        \x00\x00\x00\x00\x00\x00\x1d\x00\x00\x00ijklmnopqrst\x00mysql_native_password\x00";
    /// MySQL 9.7.4, captured.
    pub(crate) const MYSQL: &[u8] = b"\x0a9.7.4-2\x00\x0e\x00\x00\x00abcdefgh\x00\xff\xff\xff\x02\x00\xff\xdf\x15\
        \x00\x00\x00\x00\x00\x00\x00\x00\x00\x00ijklmnopqrst\x00caching_sha2_password\x00";

    fn greeting(bytes: &[u8]) -> Greeting {
        match parse(bytes) {
            Ok(First::Greeting(greeting)) => greeting,
            other => panic!("no greeting: {other:?}"),
        }
    }

    #[test]
    fn mariadb_is_known_by_its_prefix_and_shows_its_extended_flags() {
        let greeting = greeting(MARIADB);
        assert_eq!(greeting.version, b"10.11.19-MariaDB-log");
        assert_eq!(greeting.raw_version, b"5.5.5-10.11.19-MariaDB-log");
        assert!(greeting.is_mariadb);
        assert_eq!(greeting.capabilities, 0x1d_81ff_fffe);
        assert_eq!((greeting.thread_id, greeting.language, greeting.status), (11, 8, 2));
        assert_eq!(greeting.scramble, b"abcdefghijklmnopqrst");
        assert_eq!(greeting.method, b"mysql_native_password");
    }

    #[test]
    fn mysql_has_no_extended_flags() {
        let greeting = greeting(MYSQL);
        assert_eq!((&greeting.version[..], greeting.is_mariadb), (&b"9.7.4-2"[..], false));
        assert_eq!(greeting.capabilities, 0xdfff_ffff);
        assert_eq!(greeting.scramble, b"abcdefghijklmnopqrst");
        assert_eq!(greeting.method, b"caching_sha2_password");
    }

    #[test]
    fn a_greeting_cut_short_is_refused() {
        // From the method's name on old servers may leave bytes out.
        let method = MYSQL.len() - b"caching_sha2_password\0".len();
        for cut in 0..method {
            // A greeting may also end behind the lower half of the flags.
            let lower = MYSQL.len() - 2 - 1 - 2 - 2 - 1 - 10 - 13 - 22 + 2;
            if cut != lower {
                assert_eq!(parse(&MYSQL[..cut]), Err(Malformed), "{cut}");
            }
        }
    }

    #[test]
    fn other_versions_are_told() {
        assert_eq!(parse(b"\x095.0\x00"), Ok(First::OtherVersion(9)));
    }
}
