//! TLS over a connected socket, by rustls.

use std::io::{BufRead, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Instant;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};
use sha1::{Digest, Sha1};

use super::TlsVersion;
use super::channel::Channel;
use super::tls_config;
use super::tls_sessions::Resumable;
use super::transport::{self, Failure, Transport};
use super::watched::Socket;
use crate::error::Error;
use crate::options::{Family, Options, TlsMode};

/// Bytes read from the socket at once; a TLS record and a bit.
const RAW: usize = 17 * 1024;

/// A socket and the TLS session over it.
pub(super) struct Tls {
    fd: Socket,
    session: ClientConnection,
    /// Ciphertext on its way in; kept to be used again.
    incoming: Vec<u8>,
    /// How much of it the session has seen.
    start: usize,
    /// Ciphertext on its way out.
    outgoing: Vec<u8>,
    /// Plaintext that the session holds.
    plain: usize,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls").field("fd", &self.fd).finish_non_exhaustive()
    }
}

impl Tls {
    /// Shakes hands with the server.
    pub(super) async fn connect(
        fd: Socket,
        config: Arc<ClientConfig>,
        name: ServerName<'static>,
        deadline: Option<Instant>,
    ) -> Result<Tls, Failure> {
        let session = ClientConnection::new(config, name).map_err(|error| Failure::Tls(error.to_string()))?;
        let mut tls = Tls { fd, session, incoming: Vec::with_capacity(RAW), start: 0, outgoing: Vec::new(), plain: 0 };
        while tls.session.is_handshaking() {
            tls.flush(deadline).await.map_err(|(_, failure)| failure)?;
            if tls.session.is_handshaking() && tls.session.wants_read() {
                tls.receive(deadline).await?;
            }
        }
        tls.flush(deadline).await.map_err(|(_, failure)| failure)?;
        Ok(tls)
    }

    pub(super) fn session(&self) -> &ClientConnection {
        &self.session
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    pub(super) fn socket(&self) -> &Socket {
        &self.fd
    }

    pub(super) fn into_fd(self) -> OwnedFd {
        self.fd.into_fd()
    }

    pub(super) fn is_drained(&self) -> bool {
        self.start == self.incoming.len() && self.plain == 0
    }

    /// Feeds the session with ciphertext, what is left of the last read or else one read from the socket. Not all of
    /// it at once: the session refuses more while its plaintext is not taken out.
    async fn receive(&mut self, deadline: Option<Instant>) -> Result<(), Failure> {
        if self.start == self.incoming.len() {
            self.start = 0;
            self.incoming.clear();
            transport::recv(self.fd.as_fd(), &mut self.incoming, deadline).await?;
        }
        let mut rest = &self.incoming[self.start..];
        let taken = self.session.read_tls(&mut rest).map_err(|error| Failure::Tls(error.to_string()))?;
        if taken == 0 {
            return Err(Failure::Closed);
        }
        self.start += taken;
        match self.session.process_new_packets() {
            Ok(state) => {
                self.plain = state.plaintext_bytes_to_read();
                Ok(())
            }
            Err(error) => {
                // The alert that tells the server why.
                self.outgoing.clear();
                let _ = self.session.write_tls(&mut self.outgoing);
                let flags = rustix::net::SendFlags::NOSIGNAL | rustix::net::SendFlags::DONTWAIT;
                let _ = rustix::net::send(&self.fd, &self.outgoing, flags);
                Err(failure(&error))
            }
        }
    }

    /// Writes what the session wants written.
    async fn flush(&mut self, deadline: Option<Instant>) -> Result<(), (usize, Failure)> {
        while self.session.wants_write() {
            self.outgoing.clear();
            self.session.write_tls(&mut self.outgoing).map_err(|error| (0, Failure::Tls(error.to_string())))?;
            transport::send(self.fd.as_fd(), &self.outgoing, deadline).await?;
        }
        Ok(())
    }

    pub(super) async fn recv(&mut self, buffer: &mut Vec<u8>, deadline: Option<Instant>) -> Result<usize, Failure> {
        loop {
            let mut reader = self.session.reader();
            match reader.fill_buf() {
                Ok([]) => return Err(Failure::Closed),
                Ok(bytes) => {
                    let count = bytes.len().min(buffer.capacity() - buffer.len());
                    buffer.extend_from_slice(&bytes[..count]);
                    reader.consume(count);
                    self.plain = self.plain.saturating_sub(count);
                    return Ok(count);
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => self.receive(deadline).await?,
                Err(_) => return Err(Failure::Closed),
            }
        }
    }

    pub(super) async fn send(&mut self, mut bytes: &[u8], deadline: Option<Instant>) -> Result<(), (usize, Failure)> {
        let mut gone = 0;
        while !bytes.is_empty() {
            let count = self.session.writer().write(bytes).map_err(|error| (gone, Failure::Tls(error.to_string())))?;
            bytes = &bytes[count..];
            self.flush(deadline).await.map_err(|(sent, failure)| (gone + sent, failure))?;
            gone += count;
        }
        Ok(())
    }

    pub(super) fn send_and_forget(&mut self, bytes: &[u8]) {
        let _ = self.session.writer().write(bytes);
        self.session.send_close_notify();
        self.outgoing.clear();
        while self.session.wants_write() {
            if self.session.write_tls(&mut self.outgoing).is_err() {
                break;
            }
        }
        let flags = rustix::net::SendFlags::NOSIGNAL | rustix::net::SendFlags::DONTWAIT;
        let _ = rustix::net::send(&self.fd, &self.outgoing, flags);
    }
}

/// Puts TLS over a channel of which no byte has been received beyond the greeting; with the session, for others to resume.
pub(super) async fn start(
    mut channel: Channel,
    host: &str,
    mode: TlsMode,
    options: &Options,
) -> Result<(Channel, Resumable), Error> {
    let family = options.family;
    let resumable = tls_config::build(options, mode, host).map_err(|detail| Error::tls(family, &detail))?;
    // Bytes that came in the clear behind the greeting would be taken for the server's later.
    if !channel.buffered().is_empty() {
        return Err(Error::tls(family, "unexpected data before the TLS handshake"));
    }
    // A name that no certificate can carry is none that rustls takes; the verifier knows.
    let told = options.tls.server_name.as_deref().unwrap_or(host);
    let name = ServerName::try_from(told.to_owned())
        .or_else(|_| ServerName::try_from("invalid"))
        .map_err(|_| Error::handshake())?;
    let deadline = channel.deadline;
    let Transport::Plain(fd) = channel.transport else {
        return Err(Error::handshake());
    };
    match Tls::connect(fd, resumable.config.clone(), name, deadline).await {
        Ok(tls) => {
            check_fingerprint(&tls, options)?;
            channel.transport = Transport::Tls(Box::new(tls));
            Ok((channel, resumable))
        }
        Err(failure) => Err(Error::tls(family, &describe(&failure, family))),
    }
}

/// The server's certificate is the one, or one of those, that the program has named by fingerprint.
fn check_fingerprint(tls: &Tls, options: &Options) -> Result<(), Error> {
    let wanted = &options.tls;
    if wanted.fingerprint.is_none() && wanted.fingerprint_list.is_none() {
        return Ok(());
    }
    let certificate = tls.session().peer_certificates().and_then(|chain| chain.first());
    let digest = certificate.map(Sha1::digest);
    let is_it = |text: &str| digest.as_ref().is_some_and(|digest| is_fingerprint(text, digest));
    let good = match (&wanted.fingerprint, &wanted.fingerprint_list) {
        (Some(one), _) => is_it(one),
        (None, Some(list)) => std::fs::read_to_string(list).is_ok_and(|list| list.lines().any(is_it)),
        (None, None) => true,
    };
    if good {
        return Ok(());
    }
    Err(Error::tls(options.family, "Fingerprint verification of server certificate failed"))
}

/// Forty hexadecimal digits, or twenty pairs between colons.
fn is_fingerprint(text: &str, digest: &[u8]) -> bool {
    let digits: Vec<&str> = match text.contains(':') {
        true => text.split(':').collect(),
        false if text.is_ascii() => (0..text.len()).step_by(2).map(|at| &text[at..(at + 2).min(text.len())]).collect(),
        false => return false,
    };
    digits.len() == digest.len()
        && digits.iter().zip(digest).all(|(digits, byte)| {
            digits.len() == 2
                && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
                && u8::from_str_radix(digits, 16) == Ok(*byte)
        })
}

/// What rustls says, in OpenSSL's words where both find the same.
fn failure(error: &rustls::Error) -> Failure {
    use rustls::CertificateError::{
        BadSignature, Expired, ExpiredContext, ExpiredRevocationList, ExpiredRevocationListContext, NotValidForName,
        NotValidForNameContext, NotValidYet, NotValidYetContext, Revoked, UnknownIssuer, UnknownRevocationStatus,
    };
    match error {
        rustls::Error::InvalidCertificate(problem) => match problem {
            NotValidForName | NotValidForNameContext { .. } => Failure::WrongName,
            UnknownIssuer | BadSignature => Failure::Untrusted("self-signed certificate in certificate chain"),
            Expired | ExpiredContext { .. } => Failure::Untrusted("certificate has expired"),
            NotValidYet | NotValidYetContext { .. } => Failure::Untrusted("certificate is not yet valid"),
            Revoked => Failure::Untrusted("certificate revoked"),
            UnknownRevocationStatus => Failure::Untrusted("unable to get certificate CRL"),
            ExpiredRevocationList | ExpiredRevocationListContext { .. } => Failure::Untrusted("CRL has expired"),
            _ => Failure::Tls(error.to_string()),
        },
        _ => Failure::Tls(error.to_string()),
    }
}

fn describe(failure: &Failure, family: Family) -> String {
    match failure {
        Failure::Untrusted(why) => match family {
            Family::MySql => "error:0A000086:SSL routines::certificate verify failed".to_owned(),
            Family::MariaDb => (*why).to_owned(),
        },
        Failure::WrongName => match family {
            Family::MySql => "error:0A000086:SSL routines::certificate verify failed".to_owned(),
            Family::MariaDb => "Validation of SSL server certificate failed".to_owned(),
        },
        Failure::Tls(text) => text.clone(),
        Failure::TimedOut => "Connection timed out".to_owned(),
        Failure::Closed => "Server closed the connection".to_owned(),
        Failure::Io(errno) => std::io::Error::from(*errno).to_string(),
    }
}

/// 2026: TLS is required and the server does not have it.
pub(super) fn not_offered(family: Family) -> Error {
    Error::tls(
        family,
        match family {
            Family::MySql => "SSL is required but the server doesn't support it",
            Family::MariaDb => "SSL is required, but the server does not support it",
        },
    )
}

/// The cipher of a channel with TLS, in OpenSSL's spelling.
pub(super) fn cipher_of(channel: &Channel) -> Option<String> {
    let Transport::Tls(tls) = &channel.transport else {
        return None;
    };
    let suite = tls.session().negotiated_cipher_suite()?.suite();
    Some(openssl_name(suite.as_str()?))
}

/// The TLS session of a channel was resumed.
pub(super) fn is_resumed(channel: &Channel) -> bool {
    let Transport::Tls(tls) = &channel.transport else {
        return false;
    };
    tls.session().handshake_kind() == Some(rustls::HandshakeKind::Resumed)
}

/// The version of TLS that a channel speaks.
pub(super) fn version_of(channel: &Channel) -> Option<TlsVersion> {
    let Transport::Tls(tls) = &channel.transport else {
        return None;
    };
    match tls.session().protocol_version()? {
        rustls::ProtocolVersion::TLSv1_2 => Some(TlsVersion::Tls12),
        rustls::ProtocolVersion::TLSv1_3 => Some(TlsVersion::Tls13),
        _ => None,
    }
}

/// `TLS13_AES_256_GCM_SHA384` and `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256` as OpenSSL writes them.
fn openssl_name(name: &str) -> String {
    if let Some(rest) = name.strip_prefix("TLS13_") {
        return format!("TLS_{rest}");
    }
    let name = name.strip_prefix("TLS_").unwrap_or(name).replace("_WITH_", "_");
    let name = name.replace("AES_128", "AES128").replace("AES_256", "AES256");
    let name = name.strip_suffix("POLY1305_SHA256").map(|head| format!("{head}POLY1305")).unwrap_or(name);
    name.replace('_', "-")
}
