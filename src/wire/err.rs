//! The error packet: `FF`, number, and from protocol 4.1 on `#` and five bytes of SQLSTATE, then the text.
//!
//! Before the handshake (1040 too many connections, 1129 host blocked, 1130 host not allowed) servers leave the SQLSTATE out.

use super::{Malformed, reader::Reader};
use crate::error::{HY000, SqlState};

/// An error as the server spelled it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrPacket<'a> {
    /// Error number.
    pub code: u16,
    /// None where the server gave none.
    pub sqlstate: Option<SqlState>,
    /// Text, to the end of the packet.
    pub message: &'a [u8],
}

/// True for a packet that is an error. A text row never begins so.
#[inline]
pub fn is_err(packet: &[u8]) -> bool {
    packet.first() == Some(&0xFF)
}

/// Decodes an error packet, its first byte included.
pub fn parse(packet: &[u8]) -> Result<ErrPacket<'_>, Malformed> {
    let mut reader = Reader::new(packet);
    if reader.u8()? != 0xFF {
        return Err(Malformed);
    }
    let code = reader.u16()?;
    let rest = reader.rest();
    let (sqlstate, message) = match rest {
        [b'#', a, b, c, d, e, message @ ..] => (Some([*a, *b, *c, *d, *e]), message),
        _ => (None, rest),
    };
    Ok(ErrPacket { code, sqlstate, message })
}

impl ErrPacket<'_> {
    /// SQLSTATE, or `HY000` where the server gave none.
    pub fn sqlstate_or_general(&self) -> SqlState {
        self.sqlstate.unwrap_or(HY000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlstate_may_be_absent() {
        let early = parse(b"\xff\x10\x04Too many connections").expect("an error packet");
        assert_eq!(early, ErrPacket { code: 1040, sqlstate: None, message: b"Too many connections" });
        assert_eq!(&early.sqlstate_or_general(), b"HY000");
        let error = parse(b"\xff\x28\x04#42000You have").expect("an error packet");
        assert_eq!(error, ErrPacket { code: 1064, sqlstate: Some(*b"42000"), message: b"You have" });
        let short = parse(b"\xff\x28\x04#4200").expect("an error packet");
        assert_eq!((short.sqlstate, short.message), (None, &b"#4200"[..]));
    }

    #[test]
    fn shorter_than_a_number_is_refused() {
        for bytes in [&b""[..], b"\xff", b"\xff\x01", b"\x00\x01\x02"] {
            assert_eq!(parse(bytes), Err(Malformed));
        }
    }
}
