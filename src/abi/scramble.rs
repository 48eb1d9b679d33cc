//! `my_make_scrambled_password`: a password as the server keeps it for `sha256_password`, SHA-crypt with SHA-256.
//!
//! The algorithm is Ulrich Drepper's public specification, with MySQL's salt of 20 characters. Must not touch handles.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_ulong};

use rand::TryRng;
use rand::rngs::SysRng;
use sha2::{Digest, Sha256};
use zeroize::{Zeroize, Zeroizing};

use super::convert::slice;
use super::entry::entry;

/// Characters of the salt.
const SALT: usize = 20;
const ROUNDS: usize = 5000;

entry! {
    /// Scrambles a password with a new salt: `$5$`, 20 characters of salt, `$`, 43 digits (MySQL family).
    ///
    /// Units: bytes. Source: libmysqlclient 9.7, which exports it for MySQL's own programs; no header. Returns: nothing; the
    /// text, NUL-ended.
    ///
    /// # Safety
    /// `to`: writable buffer of 79 bytes; `password`: readable buffer of `length` bytes.
    fn my_make_scrambled_password<A>(to: *mut c_char, password: *const c_char, length: c_ulong);
    plain, fails (), {
        if to.is_null() {
            return;
        }
        let mut salt = [0u8; SALT];
        if SysRng.try_fill_bytes(&mut salt).is_err() {
            return;
        }
        // The server takes the text for UTF-8, and `$` for the end of the salt.
        let salt = salt.map(|byte| match byte & 0x7f {
            0 => 1,
            b'$' => b'%',
            byte => byte,
        });
        // SAFETY: the caller's promise.
        let text = scrambled(unsafe { slice(password, length) }, &salt);
        // SAFETY: 67 bytes and NUL, in a buffer of 79.
        unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), to.cast::<u8>(), text.len()) };
        // SAFETY: as above.
        unsafe { to.add(text.len()).write(0) };
    }
}

/// `bytes`, again and again up to `length`.
fn stretched(bytes: &[u8], length: usize) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(bytes.iter().copied().cycle().take(length).collect())
}

fn scrambled(password: &[u8], salt: &[u8]) -> Vec<u8> {
    let other = Sha256::new().chain_update(password).chain_update(salt).chain_update(password).finalize();
    let mut first = Sha256::new().chain_update(password).chain_update(salt);
    first.update(&stretched(&other, password.len())[..]);
    let mut bits = password.len();
    while bits > 0 {
        if bits & 1 != 0 {
            first.update(other)
        } else {
            first.update(password)
        }
        bits >>= 1;
    }
    let mut digest: [u8; 32] = first.finalize().into();

    let mut many = Sha256::new();
    for _ in 0..password.len() {
        many.update(password);
    }
    let p = stretched(&many.finalize(), password.len());
    let mut many = Sha256::new();
    for _ in 0..16 + usize::from(digest[0]) {
        many.update(salt);
    }
    let s = stretched(&many.finalize(), salt.len());

    for round in 0..ROUNDS {
        let mut next = Sha256::new();
        let odd = round & 1 != 0;
        next.update(if odd { &p[..] } else { &digest });
        if round % 3 != 0 {
            next.update(&s[..]);
        }
        if round % 7 != 0 {
            next.update(&p[..]);
        }
        next.update(if odd { &digest } else { &p[..] });
        digest = next.finalize().into();
    }

    let mut text = [b"$5$", salt, b"$"].concat();
    for third in 0..10 {
        // The three bytes of a group are ten apart, and who comes first goes round.
        let at = |place: usize| u32::from(digest[third + 10 * ((place + 2 * third) % 3)]);
        digits(&mut text, at(0) << 16 | at(1) << 8 | at(2), 4);
    }
    digits(&mut text, u32::from(digest[31]) << 8 | u32::from(digest[30]), 3);
    digest.zeroize();
    text
}

/// `count` digits of base 64, the lowest first.
fn digits(text: &mut Vec<u8>, mut bits: u32, count: usize) {
    const DIGITS: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for _ in 0..count {
        text.push(DIGITS[(bits & 63) as usize]);
        bits >>= 6;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_scrambled_as_by_openssl() {
        let text = scrambled(b"Hello world!", b"saltstring");
        assert_eq!(text, b"$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5");
    }

    #[test]
    fn passwords_are_scrambled_as_by_libmysqlclient() {
        let salt = b"Ri3dW~7QDF5f.-<lGz#]";
        let text = scrambled(b"a password that is longer than thirty-two bytes", salt);
        assert_eq!(text, b"$5$Ri3dW~7QDF5f.-<lGz#]$JTuhuI.DNxHm0VlS.clV7B5YKCK8EpPLf4vhvpAw0YC");
    }
}
