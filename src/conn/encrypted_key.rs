//! Private keys under a pass phrase: PKCS #8 with PBES2 (RFC 8018), which is what OpenSSL writes: PBKDF2 and AES in CBC mode.
//! Reads checked DER, believes nothing.

use std::num::NonZeroU32;
use std::path::Path;

use aes::cipher::{Block, BlockCipherDecrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::pbkdf2;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use zeroize::{Zeroize, Zeroizing};

use super::x509::{OID, SEQUENCE, element, expect};

const BEGIN: &str = "-----BEGIN ENCRYPTED PRIVATE KEY-----";
const END: &str = "-----END ENCRYPTED PRIVATE KEY-----";

const INTEGER: u8 = 0x02;
const OCTETS: u8 = 0x04;

/// 1.2.840.113549.1.5.13
const PBES2: &[u8] = &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0D];
/// 1.2.840.113549.1.5.12
const PBKDF2: &[u8] = &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0C];
/// 1.2.840.113549.2: what follows is the hash of an HMAC.
const HMAC: &[u8] = &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02];
/// 2.16.840.1.101.3.4.1: what follows is a mode of AES.
const AES: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01];

/// The most rounds that are run, since a file could keep a program busy for years.
const MOST_ROUNDS: u32 = 100_000_000;

/// Bytes of a block.
const BLOCK: usize = 16;

/// The key in a PEM file that holds an encrypted one; None if it holds none, or the pass phrase is another.
pub(super) fn read(file: &Path, passphrase: &str) -> Option<PrivateKeyDer<'static>> {
    let text = Zeroizing::new(std::fs::read_to_string(file).ok()?);
    let (_, rest) = text.split_once(BEGIN)?;
    let (body, _) = rest.split_once(END)?;
    let body: String = body.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let mut plain = decrypt(&STANDARD.decode(body).ok()?, passphrase.as_bytes())?;
    // What came out of a wrong pass phrase is hardly ever a key; the parser knows.
    let length = plain.len() - element(&plain)?.2.len();
    plain.truncate(length);
    Some(PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(std::mem::take(&mut *plain))))
}

fn decrypt(der: &[u8], passphrase: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let (info, _) = expect(der, SEQUENCE)?;
    let (algorithm, rest) = expect(info, SEQUENCE)?;
    let (sealed, _) = expect(rest, OCTETS)?;
    let (scheme, rest) = expect(algorithm, OID)?;
    let (parameters, _) = expect(rest, SEQUENCE)?;
    let (derivation, rest) = expect(parameters, SEQUENCE)?;
    let (cipher, _) = expect(rest, SEQUENCE)?;
    let (mode, rest) = expect(cipher, OID)?;
    let (iv, _) = expect(rest, OCTETS)?;
    if scheme != PBES2 {
        return None;
    }
    let size = match mode.strip_prefix(AES)? {
        [2] => 16,
        [22] => 24,
        [42] => 32,
        _ => return None,
    };
    let key = derive(derivation, passphrase, size)?;
    let iv: [u8; BLOCK] = iv.try_into().ok()?;
    match size {
        16 => cbc::<Aes128>(&key, iv, sealed),
        24 => cbc::<Aes192>(&key, iv, sealed),
        _ => cbc::<Aes256>(&key, iv, sealed),
    }
}

fn derive(derivation: &[u8], passphrase: &[u8], size: usize) -> Option<Zeroizing<Vec<u8>>> {
    let (name, rest) = expect(derivation, OID)?;
    let (parameters, _) = expect(rest, SEQUENCE)?;
    if name != PBKDF2 {
        return None;
    }
    let (salt, rest) = expect(parameters, OCTETS)?;
    let (rounds, mut rest) = expect(rest, INTEGER)?;
    if rounds.len() > 5 {
        return None;
    }
    let rounds = rounds.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    let rounds = u32::try_from(rounds).ok().filter(|rounds| *rounds <= MOST_ROUNDS).and_then(NonZeroU32::new)?;
    // The key's length may be told, too.
    if let Some((_, after)) = expect(rest, INTEGER) {
        rest = after;
    }
    let hash = match expect(rest, SEQUENCE) {
        Some((hash, _)) => expect(hash, OID)?.0.strip_prefix(HMAC)?,
        // What is not said is SHA-1.
        None => &[7],
    };
    let hash = match hash {
        [7] => pbkdf2::PBKDF2_HMAC_SHA1,
        [9] => pbkdf2::PBKDF2_HMAC_SHA256,
        [10] => pbkdf2::PBKDF2_HMAC_SHA384,
        [11] => pbkdf2::PBKDF2_HMAC_SHA512,
        _ => return None,
    };
    let mut key = Zeroizing::new(vec![0; size]);
    pbkdf2::derive(hash, rounds, salt, passphrase, &mut key);
    Some(key)
}

/// Deciphers and takes the padding off.
fn cbc<C: KeyInit + BlockCipherDecrypt>(key: &[u8], iv: [u8; BLOCK], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let cipher = C::new_from_slice(key).ok()?;
    let mut plain = Zeroizing::new(Vec::with_capacity(sealed.len()));
    let mut before: &[u8] = &iv;
    for chunk in sealed.chunks(BLOCK) {
        let mut block = Block::<C>::try_from(chunk).ok()?;
        cipher.decrypt_block(&mut block);
        plain.extend(block.iter().zip(before).map(|(byte, other)| byte ^ other));
        block.zeroize();
        before = chunk;
    }
    let padding = usize::from(*plain.last()?);
    let is_padding =
        (1..=BLOCK).contains(&padding) && plain.iter().rev().take(padding).all(|&b| usize::from(b) == padding);
    if !is_padding {
        return None;
    }
    let length = plain.len() - padding;
    plain.truncate(length);
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read(bytes: Vec<u8>) {
            let _ = decrypt(&bytes, b"secret");
        }
    }
}
