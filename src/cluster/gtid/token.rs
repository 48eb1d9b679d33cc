//! Positions as tokens: short texts that a program carries from one request to the next, in a cookie for instance.
//!
//! Opaque to programs: letters, digits, `-` and `_` only. A checksum finds what was cut or changed on the way; it keeps no
//! secret and proves no origin. What a token can do at worst is to make reads wait, within the bounds of the configuration.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::{Position, Unfit};

/// The format's version and the family, in the first byte.
const MYSQL: u8 = b'1';
const MARIADB: u8 = b'2';

/// Longest token that is read.
const LONGEST: usize = 16 << 10;

/// Writes a position as a token.
pub fn write(position: &Position) -> String {
    let mut bytes = vec![if position.is_mariadb() { MARIADB } else { MYSQL }];
    bytes.extend_from_slice(position.to_text().as_bytes());
    let check = crc32fast::hash(&bytes).to_le_bytes();
    bytes.extend_from_slice(&check);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads a token.
pub fn read(token: &[u8]) -> Result<Position, Unfit> {
    if token.len() > LONGEST {
        return Err(Unfit::Malformed);
    }
    let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|_| Unfit::Malformed)?;
    let (signed, check) = bytes.split_last_chunk::<4>().ok_or(Unfit::Malformed)?;
    if crc32fast::hash(signed).to_le_bytes() != *check {
        return Err(Unfit::Malformed);
    }
    match signed.split_first() {
        Some((&MYSQL, text)) => Position::parse(text, false),
        Some((&MARIADB, text)) => Position::parse(text, true),
        _ => Err(Unfit::Malformed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_brings_its_position_back_and_nothing_else() {
        for text in ["0-1-19,1-2-5", "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5:blue:7"] {
            let position = Position::parse_any(text.as_bytes()).expect("read");
            let token = write(&position);
            assert!(token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{token}");
            assert_eq!(read(token.as_bytes()).as_ref(), Ok(&position));
            assert_eq!(read(&token.as_bytes()[..token.len() - 1]), Err(Unfit::Malformed));
            let mut changed = token.into_bytes();
            changed[3] ^= 1;
            assert_eq!(read(&changed), Err(Unfit::Malformed));
        }
        for nonsense in [&b""[..], b"=", b"AAAA", b"\xff\xfe"] {
            assert_eq!(read(nonsense), Err(Unfit::Malformed));
        }
    }
}
