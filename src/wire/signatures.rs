//! Answers of MariaDB's methods that sign with Ed25519: `client_ed25519` and `parsec`. Pure computation; randomness is an
//! argument.

use std::num::NonZeroU32;

use mysql_common::auth::plugins::client_ed25519::ClientEd25519;
use mysql_common::auth::plugins::{ChallengeResponsePlugin, Context};
use ring::pbkdf2;
use ring::signature::Ed25519KeyPair;
use zeroize::Zeroizing;

use super::Malformed;

/// Length of the challenges, bytes.
pub const NONCE: usize = 32;

struct Password<'a>(&'a [u8]);

impl Context for Password<'_> {
    fn pass(&self) -> &[u8] {
        self.0
    }

    fn is_ipc_transport(&self) -> bool {
        false
    }

    fn is_tls_transport(&self) -> bool {
        false
    }

    fn scramble(&self) -> &[u8] {
        &[]
    }

    fn server_key_pem(&self) -> Option<&[u8]> {
        None
    }
}

/// Answer of `client_ed25519`: the signature of the challenge with a key that is the password's SHA-512.
pub fn ed25519(challenge: &[u8], password: &[u8]) -> Result<Vec<u8>, Malformed> {
    let answer = ClientEd25519::default().run(Password(password), challenge).map_err(|_| Malformed)?;
    answer.data().map(<[u8]>::to_vec).ok_or(Malformed)
}

/// What `parsec` derives its key by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Salt<'a> {
    /// PBKDF2 with SHA-512; the only one there is.
    pub algorithm: u8,
    /// Of 1024 rounds, doubled so many times; 0 to 3.
    pub rounds: u8,
    /// The salt.
    pub salt: &'a [u8],
}

/// Decodes the server's second packet: `P`, rounds, 18 bytes of salt.
pub fn parse_salt(packet: &[u8]) -> Result<Salt<'_>, Malformed> {
    const SALT: usize = 18;
    match packet {
        [algorithm, rounds, salt @ ..] if salt.len() == SALT => {
            Ok(Salt { algorithm: *algorithm, rounds: *rounds, salt })
        }
        _ => Err(Malformed),
    }
}

/// Answer of `parsec`: the client's own challenge, and the signature of the server's and this one.
///
/// <https://mariadb.com/docs/server/reference/plugins/authentication-plugins/authentication-plugin-parsec>
pub fn parsec(server: &[u8], client: [u8; NONCE], salt: Salt<'_>, password: &[u8]) -> Result<Vec<u8>, Malformed> {
    if salt.algorithm != b'P' || salt.rounds > 3 {
        return Err(Malformed);
    }
    let rounds = NonZeroU32::new(1024 << salt.rounds).ok_or(Malformed)?;
    let mut seed = Zeroizing::new([0; 32]);
    pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA512, rounds, salt.salt, password, &mut seed[..]);
    let key = Ed25519KeyPair::from_seed_unchecked(&seed[..]).map_err(|_| Malformed)?;
    let signature = key.sign(&[server, &client].concat());
    Ok([&client, signature.as_ref()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parsec_signs_both_challenges_with_the_derived_key() {
        let salt = parse_salt(b"P\x00123456789012345678").expect("a salt");
        assert_eq!(salt, Salt { algorithm: b'P', rounds: 0, salt: b"123456789012345678" });
        let answer = parsec(&[1; 32], [2; 32], salt, b"secret").expect("an answer");
        assert_eq!(answer.len(), 96);
        assert_eq!(answer[..32], [2; 32]);
        let mut seed = [0; 32];
        let rounds = NonZeroU32::new(1024).expect("not zero");
        pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA512, rounds, salt.salt, b"secret", &mut seed);
        let key = Ed25519KeyPair::from_seed_unchecked(&seed).expect("a key");
        let public = ring::signature::KeyPair::public_key(&key).as_ref().to_vec();
        let verified = ring::signature::UnparsedPublicKey::new(&ring::signature::ED25519, public)
            .verify(&[[1; 32], [2; 32]].concat(), &answer[32..]);
        assert!(verified.is_ok());
        assert!(parsec(&[1; 32], [2; 32], Salt { rounds: 4, ..salt }, b"secret").is_err());
        assert!(parsec(&[1; 32], [2; 32], Salt { algorithm: b'Q', ..salt }, b"secret").is_err());
        assert_eq!(parse_salt(b"P\x001234567890123456"), Err(Malformed));
    }

    #[test]
    fn ed25519_takes_challenges_of_32_bytes() {
        assert_eq!(ed25519(&[7; 32], b"secret").map(|answer| answer.len()), Ok(64));
        assert_eq!(ed25519(&[7; 31], b"secret"), Err(Malformed));
    }
}
