//! The authentication exchange after the login packet.
//!
//! Methods are compiled in, or the program's own, which win. The password leaves in the clear only over TLS or a Unix socket, or encrypted with the
//! server's RSA key where the method has that.

mod opening;
mod program;

use std::sync::Arc;

use mysql_common::crypto::rsa::{GetRandom, Pkcs1OaepPadding, PublicKey};
use zeroize::Zeroizing;

use super::channel::Channel;
use super::driver::{Stage, reached, waiting};
use super::login::{read_file, server_error};
use super::transport::Failure;
use super::{Endpoint, Server, Target};
use crate::error::{Error, Origin, Sent, cr};
use crate::options::methods::{Account, Method};
use crate::options::{Family, Options};
use crate::wire::ok::{self, OkPacket};
use crate::wire::{auth as answers, capabilities as cap, err, signatures};
pub(super) use opening::Opening;

pub(super) const NATIVE: &[u8] = b"mysql_native_password";
pub(super) const CACHING_SHA2: &[u8] = b"caching_sha2_password";
const SHA256: &[u8] = b"sha256_password";
const CLEAR: &[u8] = b"mysql_clear_password";
const ED25519: &[u8] = b"client_ed25519";
const PARSEC: &[u8] = b"parsec";
const DIALOG: &[u8] = b"dialog";
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
    /// Not sent yet.
    opening: Option<Opening<'a>>,
    method: Vec<u8>,
    /// The program's own one of that name.
    program: Option<Arc<dyn Method>>,
    challenge: Vec<u8>,
    /// What the server sent for the method, exactly.
    data: Option<Vec<u8>>,
    flags: u64,
    /// TLS or a Unix socket: nobody listens.
    secure: bool,
    server: &'a Server,
    /// It is COM_CHANGE_USER.
    is_command: bool,
    /// Which factor is being proven, from 0.
    factor: usize,
    /// `dialog`: the first question has not come.
    unasked: bool,
    /// A method that signs waits for what to sign.
    signing: bool,
    /// `parsec`: the first half of it.
    scramble: Option<Vec<u8>>,
}

/// What an exchange begins with.
pub(super) struct Start<'a> {
    /// What the first answer travels in.
    pub(super) opening: Opening<'a>,
    /// The method that the server announced; empty for none.
    pub(super) offered: &'a [u8],
    /// The server's challenge.
    pub(super) challenge: &'a [u8],
    /// The capabilities agreed on.
    pub(super) flags: u64,
    /// TLS or a Unix socket: nobody listens.
    pub(super) secure: bool,
    /// What the server said of itself.
    pub(super) server: &'a Server,
}

impl<'a> Exchange<'a> {
    /// Errors: 2059 for a method that the program wants and nobody has, in the MySQL family.
    pub(super) fn new(target: &'a Target, options: &'a Options, start: Start<'a>) -> Exchange<'a> {
        let Start { opening, offered, challenge, flags, secure, server } = start;
        let family = options.family;
        let program = &options.program;
        let wanted = options.default_auth.as_deref().map(str::as_bytes);
        let offered = if offered.is_empty() { NATIVE } else { offered };
        let method = match wanted {
            Some(wanted) if is_known(family, wanted) || program.find(wanted).is_some() => wanted,
            // libmysqlclient begins with its own, whatever the server announces.
            _ if family == Family::MariaDb && program.find(offered).is_some() => offered,
            _ if is_known(family, offered) => offered,
            // The server will ask to switch if that is not the account's.
            _ => NATIVE,
        };
        let is_command = opening.is_command();
        let announced = method == offered && !is_command;
        Exchange {
            target,
            options,
            opening: Some(opening),
            method: method.to_vec(),
            program: program.find(method),
            challenge: challenge.to_vec(),
            data: announced.then(|| [challenge, b"\0"].concat()),
            flags,
            secure,
            server,
            is_command,
            factor: 0,
            unasked: true,
            signing: false,
            scramble: None,
        }
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

    /// The password of the factor that is being proven.
    fn password(&self) -> &[u8] {
        match self.options.factor_passwords.0.get(self.factor) {
            // The option wins over the argument of a connect, not over that of `mysql_change_user`.
            Some(Some(password)) if self.factor > 0 || !self.is_command => password,
            _ if self.factor == 0 => &self.target.password,
            _ => &[],
        }
    }

    fn check_allowed(&self) -> Result<(), Error> {
        let method = String::from_utf8_lossy(&self.method);
        if self.options.restricted_auth.as_ref().is_some_and(|allowed| !allowed.contains(&*method)) {
            return Err(Error::method_not_allowed(&method));
        }
        Ok(())
    }

    /// The answer of a method that is compiled in.
    fn answer(&self, first: bool) -> Result<Vec<u8>, Error> {
        let password = self.password();
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
        let mut password = Vec::with_capacity(self.password().len() + 1);
        password.extend_from_slice(self.password());
        password.push(0);
        password
    }

    fn is_over_tls(&self) -> bool {
        self.flags & cap::SSL != 0
    }

    /// Sends the login and goes on until the server says OK, or an error.
    pub(super) async fn run(&mut self, channel: &mut Channel) -> Result<OkPacket, Error> {
        let mut switches = 0;
        let mut first = true;
        let mut read = self.begin(channel, true).await?;
        loop {
            let packet = match read.take() {
                Some(packet) => packet,
                None => match self.read(channel).await {
                    // The originals name the stage here, and only here.
                    Err(error) if first && error.code == cr::SERVER_LOST => return Err(no_verdict(channel, error)),
                    other => other?,
                },
            };
            first = false;
            match packet.first() {
                Some(kind) if self.signing && *kind != 0xFE => {
                    let data = packet.strip_prefix(&[1]).unwrap_or(&packet).to_vec();
                    let answer = self.sign(data)?;
                    self.send(channel, &answer).await?;
                }
                Some(0) => {
                    return ok::parse(&packet, self.flags, self.family()).map_err(|_| self.malformed(channel));
                }
                Some(0xFE) if switches < 4 => {
                    switches += 1;
                    read = self.switch(channel, &packet).await?;
                }
                Some(2) if self.flags & cap::MULTI_FACTOR_AUTHENTICATION != 0 && self.factor < 2 => {
                    self.factor += 1;
                    switches = 0;
                    read = self.switch(channel, &packet).await?;
                }
                Some(1) if self.program.is_none() && self.method != DIALOG => self.more_data(channel, &packet).await?,
                Some(_) if self.program.is_none() && self.method == DIALOG => self.question(channel, &packet).await?,
                _ => return Err(self.senseless(channel)),
            }
        }
    }

    /// Lets the method answer what the server sent for it. A method of the program may read the server's verdict by itself.
    async fn begin(&mut self, channel: &mut Channel, first: bool) -> Result<Option<Vec<u8>>, Error> {
        self.check_allowed()?;
        if let Some(method) = self.program.clone() {
            return self.run_program(channel, &*method, first).await;
        }
        if self.method == DIALOG
            && let Some(question) = self.data.take()
        {
            return self.question(channel, &question).await.map(|()| None);
        }
        if matches!(&self.method[..], ED25519 | PARSEC) {
            self.scramble = None;
            // What the server sent was for another method: an empty answer asks for its challenge.
            let answer = match self.data.take() {
                Some(data) => self.sign(data)?,
                None => Vec::new(),
            };
            self.signing = self.method == PARSEC || answer.is_empty();
            return self.send(channel, &answer).await.map(|()| None);
        }
        let answer = Zeroizing::new(self.answer(first)?);
        self.send(channel, &answer).await?;
        Ok(None)
    }

    /// The answer to what the server sent for a method that signs.
    fn sign(&mut self, data: Vec<u8>) -> Result<Vec<u8>, Error> {
        let family = self.family();
        let refused = |code| Error::by_number(family, code);
        if self.method == ED25519 {
            self.signing = false;
            return signatures::ed25519(&data, self.password()).map_err(|_| refused(cr::SERVER_HANDSHAKE_ERR));
        }
        let Some(scramble) = self.scramble.take() else {
            if data.len() != signatures::NONCE {
                return Err(refused(cr::SERVER_HANDSHAKE_ERR));
            }
            self.scramble = Some(data);
            return Ok(Vec::new());
        };
        self.signing = false;
        let salt = signatures::parse_salt(&data).map_err(|_| refused(cr::SERVER_HANDSHAKE_ERR))?;
        let mut own = [0; signatures::NONCE];
        let filled = ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut own);
        filled.map_err(|_| refused(cr::AUTH_PLUGIN_ERR))?;
        signatures::parsec(&scramble, own, salt, self.password()).map_err(|_| refused(cr::AUTH_PLUGIN_ERR))
    }

    async fn run_program(
        &mut self,
        channel: &mut Channel,
        method: &dyn Method,
        first: bool,
    ) -> Result<Option<Vec<u8>>, Error> {
        let account = self.account(channel);
        let is_unix = matches!(self.target.endpoint, Endpoint::Unix(_));
        let follows = first || self.family() == Family::MariaDb;
        let (data, is_tls) = (self.data.take(), self.is_over_tls());
        let exchange = program::Exchange::new(channel, &mut self.opening, &self.method, data, is_unix, is_tls);
        match exchange.run(method, account, follows).await? {
            program::Ended::Done => Ok(None),
            program::Ended::Read(packet) if packet.is_empty() => Err(self.senseless(channel)),
            program::Ended::Read(packet) => Ok(Some(packet)),
        }
    }

    /// What a function of the program may know of the login.
    fn account(&self, channel: &Channel) -> Account {
        let (host, port, socket) = match &self.target.endpoint {
            Endpoint::Tcp { host, port } => (Some(host.clone().into_bytes()), *port, None),
            Endpoint::Unix(path) => {
                use std::os::unix::ffi::OsStrExt;
                (None, 0, Some(path.as_os_str().as_bytes().to_vec()))
            }
        };
        Account {
            user: self.target.user.clone(),
            password: self.password().to_vec(),
            database: self.target.database.clone(),
            host,
            port,
            socket,
            server_version: self.server.version.clone(),
            host_info: self.server.host_info.clone(),
            thread_id: self.server.thread_id,
            capabilities: self.server.capabilities,
            client_flag: self.flags & 0xFFFF_FFFF,
            challenge: self.challenge.clone(),
            fd: channel.transport.raw_fd(),
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

    async fn read(&self, channel: &mut Channel) -> Result<Vec<u8>, Error> {
        let packet = channel.packet().await.map_err(|error| error.sent(Sent::No))?;
        let bytes = channel.bytes(&packet).to_vec();
        if bytes.is_empty() {
            return Err(channel.fail(Failure::Closed).sent(Sent::No));
        }
        if err::is_err(&bytes) {
            return Err(server_error(self.family(), &bytes));
        }
        Ok(bytes)
    }

    async fn send(&mut self, channel: &mut Channel, payload: &[u8]) -> Result<(), Error> {
        if let Some(opening) = self.opening.take() {
            return opening.send(channel, &self.method, payload).await;
        }
        channel.queue_packet(payload);
        channel.flush().await.map_err(|_| Error::lost(self.family()).sent(Sent::No))
    }

    /// The server asks for another method, or for the next factor.
    async fn switch(&mut self, channel: &mut Channel, bytes: &[u8]) -> Result<Option<Vec<u8>>, Error> {
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
        self.program = self.options.program.find(method);
        if self.program.is_none() && !is_known(self.family(), method) {
            let name = String::from_utf8_lossy(method).into_owned();
            return Err(match self.factor {
                0 => missing(self.options, &name),
                _ => Error::auth_plugin(self.family(), &name, "plugin not available"),
            });
        }
        reached(Stage::Switched);
        self.method = method.to_vec();
        // What COM_CHANGE_USER begins with is the last challenge of this kind.
        if self.program.is_none() && switch.challenge.len() == answers::CHALLENGE {
            self.challenge = switch.challenge.to_vec();
        }
        self.data = Some(switch.data.to_vec());
        self.unasked = true;
        self.signing = false;
        self.begin(channel, false).await
    }

    /// The method `dialog`: a question, whose first byte says of what kind.
    ///
    /// <https://mariadb.com/docs/server/reference/clientserver-protocol/1-connecting/connection#authentication-switch-request>
    async fn question(&mut self, channel: &mut Channel, packet: &[u8]) -> Result<(), Error> {
        /// Without its lowest bit, which says that no other question follows.
        const SECRET: u8 = 2;
        let packet = if packet.len() > 1 { packet.strip_prefix(&[1]).unwrap_or(packet) } else { packet };
        let first = std::mem::replace(&mut self.unasked, false);
        let answer = match packet {
            [] => Some(self.password().to_vec()),
            [kind, ..] if kind >> 1 == SECRET && first && !self.password().is_empty() => Some(self.password().to_vec()),
            [kind, question @ ..] => {
                let is_secret = kind >> 1 == SECRET;
                let account = self.account(channel);
                let program = self.options.program.0.as_ref();
                program.and_then(|program| waiting(|| program.dialog(account).ask(question, is_secret)))
            }
        };
        let Some(mut answer) = answer.map(Zeroizing::new) else { return Err(Error::unknown_method(self.family())) };
        answer.push(0);
        self.send(channel, &answer).await
    }

    async fn more_data(&mut self, channel: &mut Channel, packet: &[u8]) -> Result<(), Error> {
        let data = &packet[1..];
        match (&self.method[..], data) {
            (CACHING_SHA2, [FAST_OK]) => Ok(()),
            (CACHING_SHA2, [FULL]) => self.full(channel, CACHING_SHA2_ASK_KEY).await,
            // The key that we asked for with the first answer.
            (SHA256, key) if !self.is_over_tls() && !self.password().is_empty() => {
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
                match &packet[..] {
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
fn missing(options: &Options, name: &str) -> Error {
    Error::auth_plugin(options.family, name, &options.no_plugin(name))
}

fn is_known(family: Family, method: &[u8]) -> bool {
    match method {
        NATIVE | CACHING_SHA2 | SHA256 | CLEAR => true,
        ED25519 | DIALOG | PARSEC => family == Family::MariaDb,
        _ => false,
    }
}
