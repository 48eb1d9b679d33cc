//! The authentication exchange after the login packet.
//!
//! Every method is compiled in. The password leaves in the clear only over TLS or a Unix socket, or encrypted with the
//! server's RSA key where the method has that.

use mysql_common::crypto::rsa::{GetRandom, Pkcs1OaepPadding, PublicKey};
use zeroize::Zeroizing;

use super::Target;
use super::channel::{Channel, Packet};
use super::driver::{Stage, reached};
use super::login::{read_file, server_error};
use super::transport::Failure;
use crate::error::{Error, Origin, Sent, cr};
use crate::options::{Family, Options};
use crate::wire::ok::{self, OkPacket};
use crate::wire::{auth as answers, capabilities as cap, err};

pub(super) const NATIVE: &[u8] = b"mysql_native_password";
pub(super) const CACHING_SHA2: &[u8] = b"caching_sha2_password";
const SHA256: &[u8] = b"sha256_password";
const CLEAR: &[u8] = b"mysql_clear_password";
const OLD: &[u8] = b"mysql_old_password";

/// caching_sha2_password: the server knew the password.
const FAST_OK: u8 = 3;
/// caching_sha2_password: the server wants the password itself.
const FULL: u8 = 4;
/// Request for the server's RSA key, by method.
const CACHING_SHA2_ASK_KEY: u8 = 2;
const SHA256_ASK_KEY: u8 = 1;

/// Smallest and largest RSA modulus taken from a server, bits.
const KEY_BITS: std::ops::RangeInclusive<u64> = 1024..=16384;

/// State of one exchange.
pub(super) struct Exchange<'a> {
    target: &'a Target,
    options: &'a Options,
    method: Vec<u8>,
    challenge: Vec<u8>,
    flags: u64,
    /// TLS or a Unix socket: nobody listens.
    secure: bool,
}

/// What an exchange begins with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start<'a> {
    /// The method that the server announced; empty for none.
    pub(super) offered: &'a [u8],
    /// The server's challenge.
    pub(super) challenge: &'a [u8],
    /// The capabilities agreed on.
    pub(super) flags: u64,
    /// TLS or a Unix socket: nobody listens.
    pub(super) secure: bool,
}

impl<'a> Exchange<'a> {
    pub(super) fn new(target: &'a Target, options: &'a Options, start: Start<'_>) -> Exchange<'a> {
        let Start { offered, challenge, flags, secure } = start;
        let wanted = options.default_auth.as_deref().map(str::as_bytes);
        let offered = if offered.is_empty() { NATIVE } else { offered };
        let method = match wanted {
            Some(wanted) if is_known(wanted) => wanted,
            _ if is_known(offered) => offered,
            // The server will ask to switch if that is not the account's.
            _ => NATIVE,
        };
        Exchange { target, options, method: method.to_vec(), challenge: challenge.to_vec(), flags, secure }
    }

    /// Name of the method that made the last answer.
    pub(super) fn method(&self) -> &[u8] {
        &self.method
    }

    /// The challenge that the server sent last.
    pub(super) fn into_challenge(self) -> Vec<u8> {
        self.challenge
    }

    fn family(&self) -> Family {
        self.options.family
    }

    fn method_name(&self) -> String {
        String::from_utf8_lossy(&self.method).into_owned()
    }

    /// The answer to the greeting's challenge.
    pub(super) fn first_answer(&self) -> Result<Vec<u8>, Error> {
        self.answer(true)
    }

    fn answer(&self, first: bool) -> Result<Vec<u8>, Error> {
        let method = String::from_utf8_lossy(&self.method);
        if self.options.restricted_auth.as_ref().is_some_and(|allowed| !allowed.contains(&*method)) {
            return Err(Error::method_not_allowed(&method));
        }
        let password = &self.target.password[..];
        let malformed = |_| Error::malformed(self.family());
        match &self.method[..] {
            NATIVE => answers::native(&self.challenge, password).map_err(malformed),
            CACHING_SHA2 if password.is_empty() => Ok(self.empty_password()),
            CACHING_SHA2 => answers::caching_sha2(&self.challenge, password).map_err(malformed),
            SHA256 if password.is_empty() => Ok(vec![0]),
            SHA256 if self.is_over_tls() => Ok(self.clear_password()),
            SHA256 => Ok(vec![SHA256_ASK_KEY]),
            CLEAR => {
                if self.options.cleartext_plugin || self.family() == Family::MariaDb {
                    // Without the password: most servers then ask for the account's own method.
                    if !self.secure && first && self.family() == Family::MariaDb {
                        return Ok(Vec::new());
                    }
                    if !self.secure {
                        return Err(Error::auth(
                            self.family(),
                            "mysql_clear_password",
                            "Authentication requires SSL encryption",
                        ));
                    }
                    Ok(self.clear_password())
                } else if first {
                    Ok(Vec::new())
                } else {
                    Err(Error::auth_plugin(self.family(), "mysql_clear_password", "plugin not enabled"))
                }
            }
            _ => Ok(Vec::new()),
        }
    }

    fn empty_password(&self) -> Vec<u8> {
        match self.family() {
            Family::MySql => vec![0],
            Family::MariaDb => Vec::new(),
        }
    }

    fn clear_password(&self) -> Vec<u8> {
        let mut password = Vec::with_capacity(self.target.password.len() + 1);
        password.extend_from_slice(&self.target.password);
        password.push(0);
        password
    }

    fn is_over_tls(&self) -> bool {
        self.flags & cap::SSL != 0
    }

    /// Goes on until the server says OK, or an error.
    pub(super) async fn run(&mut self, channel: &mut Channel) -> Result<OkPacket, Error> {
        let mut switches = 0;
        let mut first = true;
        loop {
            let packet = match self.read(channel).await {
                // The originals name the stage here, and only here.
                Err(error) if first && error.code == cr::SERVER_LOST => return Err(no_verdict(channel, error)),
                other => other?,
            };
            first = false;
            match channel.bytes(&packet).first() {
                Some(0) => {
                    return ok::parse(channel.bytes(&packet), self.flags, self.family())
                        .map_err(|_| self.malformed(channel));
                }
                Some(0xFE) if switches < 4 => {
                    switches += 1;
                    self.switch(channel, &packet).await?;
                }
                Some(1) => self.more_data(channel, &packet).await?,
                _ => return Err(self.senseless(channel)),
            }
        }
    }

    /// An answer of no known kind.
    fn senseless(&self, channel: &mut Channel) -> Error {
        match self.family() {
            Family::MariaDb => {
                channel.malformed();
                Error::senseless_login()
            }
            // Of what a method meets, the original says less than of what it meets itself.
            Family::MySql if self.method == CACHING_SHA2 && !self.target.password.is_empty() => {
                Error::unknown(self.family())
            }
            Family::MySql => self.malformed(channel),
        }
    }

    fn malformed(&self, channel: &mut Channel) -> Error {
        channel.malformed().sent(Sent::No)
    }

    async fn read(&self, channel: &mut Channel) -> Result<Packet, Error> {
        let packet = channel.packet().await.map_err(|error| error.sent(Sent::No))?;
        let bytes = channel.bytes(&packet);
        if bytes.is_empty() {
            return Err(channel.fail(Failure::Closed).sent(Sent::No));
        }
        if err::is_err(bytes) {
            return Err(server_error(self.family(), bytes));
        }
        Ok(packet)
    }

    async fn send(&self, channel: &mut Channel, payload: &[u8]) -> Result<(), Error> {
        channel.queue_packet(payload);
        channel.flush().await.map_err(|_| Error::lost(self.family()).sent(Sent::No))
    }

    async fn switch(&mut self, channel: &mut Channel, packet: &Packet) -> Result<(), Error> {
        let bytes = channel.bytes(packet);
        let Some(switch) = answers::parse_switch(bytes).ok().filter(|_| bytes.len() > 1) else {
            return Err(match self.family() {
                Family::MySql => self.malformed(channel),
                Family::MariaDb => {
                    let error = channel.fail(Failure::Closed).sent(Sent::No);
                    no_verdict(channel, error)
                }
            });
        };
        let method = switch.method;
        if method == OLD {
            // The method from before 4.1 is not spoken any more.
            return Err(self.malformed(channel));
        }
        if !is_known(method) {
            let name = String::from_utf8_lossy(method).into_owned();
            return Err(auth_plugin_missing(self.family(), &name));
        }
        reached(Stage::Switched);
        self.method = method.to_vec();
        self.challenge = switch.challenge.to_vec();
        let answer = Zeroizing::new(self.answer(false)?);
        self.send(channel, &answer).await
    }

    async fn more_data(&mut self, channel: &mut Channel, packet: &Packet) -> Result<(), Error> {
        let data = &channel.bytes(packet)[1..];
        match (&self.method[..], data) {
            (CACHING_SHA2, [FAST_OK]) => Ok(()),
            (CACHING_SHA2, [FULL]) => self.full(channel, CACHING_SHA2_ASK_KEY).await,
            // The key that we asked for with the first answer.
            (SHA256, key) if !self.is_over_tls() && !self.target.password.is_empty() => {
                let key = key.to_vec();
                let encrypted = self.encrypt(&key)?;
                self.send(channel, &encrypted).await
            }
            _ => Err(self.senseless(channel)),
        }
    }

    /// The server wants the password itself.
    async fn full(&mut self, channel: &mut Channel, ask_key: u8) -> Result<(), Error> {
        if self.secure {
            let password = Zeroizing::new(self.clear_password());
            return self.send(channel, &password).await;
        }
        let key = match &self.options.server_public_key {
            Some(path) => read_file(path).ok(),
            None => None,
        };
        let key = match key {
            Some(key) => key,
            None if self.options.get_server_public_key || self.family() == Family::MariaDb => {
                self.send(channel, &[ask_key]).await?;
                let packet = match self.read(channel).await {
                    Err(error) if error.origin == Origin::Server && self.family() == Family::MariaDb => {
                        return Err(Error::auth(self.family(), "", "Couldn't read RSA public key from server"));
                    }
                    packet => packet?,
                };
                match channel.bytes(&packet) {
                    [1, key @ ..] => key.to_vec(),
                    _ => return Err(self.malformed(channel)),
                }
            }
            None => {
                return Err(Error::auth(
                    self.family(),
                    &self.method_name(),
                    "Authentication requires secure connection.",
                ));
            }
        };
        let encrypted = self.encrypt(&key)?;
        self.send(channel, &encrypted).await
    }

    /// The password and its NUL, mixed with the challenge and encrypted with the server's key.
    fn encrypt(&self, pem: &[u8]) -> Result<Vec<u8>, Error> {
        let refused = || Error::auth(self.family(), &self.method_name(), "Authentication requires secure connection.");
        let key = rsa_key(pem).ok_or_else(refused)?;
        let challenge = self.challenge.get(..answers::CHALLENGE).ok_or_else(refused)?;
        let mut password = Zeroizing::new(self.clear_password());
        for (byte, salt) in password.iter_mut().zip(challenge.iter().cycle()) {
            *byte ^= salt;
        }
        // OAEP with SHA-1 takes 42 bytes of the modulus.
        if password.len() + 42 > key.num_octets() {
            return Err(refused());
        }
        key.encrypt_block(&password[..], Pkcs1OaepPadding::new(GetRandom)).map_err(|_| refused())
    }
}

/// A connection that broke while the answer to the login packet was awaited.
fn no_verdict(channel: &Channel, error: Error) -> Error {
    match &channel.failure {
        Some(failure) => Error::lost_at(channel.family, "reading authorization packet", failure.errno()),
        None => error,
    }
}

/// A public key in PEM; None for anything that is not one, or not one to compute with.
fn rsa_key(pem: &[u8]) -> Option<PublicKey> {
    let text = std::str::from_utf8(pem).ok()?;
    let parsed = std::panic::catch_unwind(|| PublicKey::from_pem(text.trim_end_matches('\0')).ok());
    let key = parsed.ok().flatten()?;
    let sound =
        KEY_BITS.contains(&key.modulus().bits()) && key.modulus().bit(0) && (2..=64).contains(&key.exponent().bits());
    sound.then_some(key)
}

/// 2059, with the path at which the original would have looked.
fn auth_plugin_missing(family: Family, name: &str) -> Error {
    let (variable, default) = match family {
        Family::MySql => ("LIBMYSQL_PLUGIN_DIR", "/usr/lib/mysql/plugin"),
        Family::MariaDb => ("MARIADB_PLUGIN_DIR", MARIADB_PLUGINS),
    };
    let folder = std::env::var(variable).unwrap_or_else(|_| default.to_owned());
    let detail = format!("{folder}/{name}.so: cannot open shared object file: No such file or directory");
    Error::auth_plugin(family, name, &detail)
}

/// Where Debian's Connector/C looks for plugins.
#[cfg(target_arch = "x86_64")]
const MARIADB_PLUGINS: &str = "/usr/lib/x86_64-linux-gnu/libmariadb3/plugin";
#[cfg(not(target_arch = "x86_64"))]
const MARIADB_PLUGINS: &str = "/usr/lib/mysql/plugin";

fn is_known(method: &[u8]) -> bool {
    matches!(method, NATIVE | CACHING_SHA2 | SHA256 | CLEAR)
}
