//! TLS settings as rustls takes them: which CAs, which client certificate, how much is verified.

use std::path::PathBuf;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme, SupportedCipherSuite,
};

use super::tls_sessions::{self, Offered, Resumable};
use super::{encrypted_key, x509};
use crate::options::{Family, Options, TlsMode};

/// Debian's bundle of CAs, which Connector/C trusts when the program names none.
const SYSTEM_CAS: &str = "/etc/ssl/certs/ca-certificates.crt";

/// Verification was asked for and there is nothing to verify with.
const NO_CA: &str = "CA certificate is required if ssl-mode is VERIFY_CA or VERIFY_IDENTITY";

/// The client's own certificate or its key cannot be used.
const NO_CERTIFICATE: &str = "Unable to get certificate";
const NO_KEY: &str = "Unable to get private key";

/// A file of revocation lists has none.
const NO_CRL: &str = "SSL_CTX_set_default_verify_paths failed";

/// No cipher of a list is known.
const NO_CIPHER: &str = "Failed to set ciphers to use";

/// What a session was made under: it is resumed under the same only, since resuming verifies nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    /// How much was verified, against which host; None = nothing.
    verified: Option<(TlsMode, String)>,
    ca: Option<PathBuf>,
    capath: Option<PathBuf>,
    crl: Option<PathBuf>,
    crlpath: Option<PathBuf>,
    cert: Option<PathBuf>,
    key: Option<PathBuf>,
    version: Option<String>,
    ciphersuites: Option<String>,
    server_name: Option<String>,
}

impl Settings {
    fn of(options: &Options, mode: TlsMode, host: &str) -> Settings {
        let tls = &options.tls;
        let named = tls.ca.is_some() || tls.capath.is_some();
        Settings {
            verified: (named || mode >= TlsMode::VerifyCa).then(|| (mode, host.to_owned())),
            ca: tls.ca.clone(),
            capath: tls.capath.clone(),
            crl: tls.crl.clone(),
            crlpath: tls.crlpath.clone(),
            cert: tls.cert.clone(),
            key: tls.key.clone(),
            version: tls.version.clone(),
            ciphersuites: tls.ciphersuites.clone(),
            server_name: tls.server_name.clone(),
        }
    }
}

/// The settings of a connection, with the session to be resumed, if the program named one, and the place where the
/// server's offers to resume this one go. The error is the text behind "SSL connection error: ".
pub(super) fn build(options: &Options, mode: TlsMode, host: &str) -> Result<Resumable, String> {
    let settings = Settings::of(options, mode, host);
    if let Some(known) = options.tls.session.as_deref().and_then(|text| tls_sessions::find(text, &settings)) {
        return Ok(known);
    }
    let mut config = fresh(options, mode, host)?;
    let offered = Arc::new(Offered::default());
    // Connector/C has no way to resume a session.
    config.resumption = match options.family {
        Family::MySql => Resumption::store(offered.clone()),
        Family::MariaDb => Resumption::disabled(),
    };
    Ok(Resumable { settings, config: Arc::new(config), offered })
}

fn fresh(options: &Options, mode: TlsMode, host: &str) -> Result<ClientConfig, String> {
    let mut provider = rustls::crypto::ring::default_provider();
    if let Some(list) = &options.tls.ciphersuites {
        choose_suites(&mut provider, list)?;
    }
    let provider = Arc::new(provider);
    let versions = versions(options.tls.version.as_deref(), options.family)?;
    // In both originals a CA that is named is verified against, whatever the mode.
    let named = options.tls.ca.is_some() || options.tls.capath.is_some();
    let mode = if named { mode.max(TlsMode::VerifyCa) } else { mode };
    let trusted = if mode >= TlsMode::VerifyCa { trusted(options)? } else { Vec::new() };
    if mode >= TlsMode::VerifyCa && trusted.is_empty() && options.family == Family::MySql {
        return Err(NO_CA.to_owned());
    }
    let revoked = revocation_lists(options)?;
    let verifier = Verifier::new(mode, host, trusted, revoked, &provider)?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&versions)
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let mut config = match (&options.tls.cert, &options.tls.key) {
        (None, None) => builder.with_no_client_auth(),
        (cert, key) => {
            // One file may hold both.
            let cert = cert.as_ref().or(key.as_ref()).ok_or("no certificate")?;
            let key = key.as_ref().unwrap_or(cert);
            let chain: Result<Vec<_>, _> = CertificateDer::pem_file_iter(cert).map_err(|_| NO_CERTIFICATE)?.collect();
            let chain = chain.map_err(|_| NO_CERTIFICATE)?;
            if chain.is_empty() {
                return Err(NO_CERTIFICATE.to_owned());
            }
            let key = match &options.tls.passphrase {
                Some(passphrase) => {
                    PrivateKeyDer::from_pem_file(key).ok().or_else(|| encrypted_key::read(key, passphrase))
                }
                None => PrivateKeyDer::from_pem_file(key).ok(),
            };
            let key = key.ok_or(NO_KEY)?;
            // Also a key of another certificate, as in the original.
            builder.with_client_auth_cert(chain, key).map_err(|_| NO_KEY)?
        }
    };
    // Neither original sends the name unless told to.
    config.enable_sni = options.tls.server_name.is_some();
    Ok(config)
}

/// Leaves of the suites of TLS 1.3 those that the list names, in its order; none, for an empty one.
fn choose_suites(provider: &mut CryptoProvider, list: &str) -> Result<(), String> {
    let names: Vec<&str> = list.split(':').map(str::trim).filter(|name| !name.is_empty()).collect();
    let (known, others): (Vec<_>, Vec<_>) =
        provider.cipher_suites.drain(..).partition(|suite| matches!(suite, SupportedCipherSuite::Tls13(_)));
    let called = |suite: &SupportedCipherSuite, wanted: &str| {
        let name = suite.suite().as_str().and_then(|name| name.strip_prefix("TLS13_"));
        name.is_some() && wanted.strip_prefix("TLS_") == name
    };
    let chosen = names.iter().filter_map(|name| known.iter().find(|suite| called(suite, name)).copied());
    provider.cipher_suites.extend(chosen);
    if provider.cipher_suites.is_empty() && !names.is_empty() {
        return Err(NO_CIPHER.to_owned());
    }
    provider.cipher_suites.extend(others);
    Ok(())
}

fn versions(list: Option<&str>, family: Family) -> Result<Vec<&'static rustls::SupportedProtocolVersion>, String> {
    let all = vec![&rustls::version::TLS13, &rustls::version::TLS12];
    let Some(list) = list else {
        return Ok(all);
    };
    let mut versions = Vec::new();
    for word in list.split(',').map(str::trim) {
        match word.to_ascii_lowercase().as_str() {
            "tlsv1.3" => versions.push(&rustls::version::TLS13),
            "tlsv1.2" => versions.push(&rustls::version::TLS12),
            _ => {}
        }
    }
    match family {
        // Connector/C looks for the names that it knows and takes no name for no wish.
        Family::MariaDb if versions.is_empty() && !asks_for_old(list) => Ok(all),
        _ if versions.is_empty() => Err("TLS version is invalid".to_owned()),
        _ => Ok(versions),
    }
}

/// A list that names nothing but versions which are spoken no more: falling back to others is not what it asks for.
fn asks_for_old(list: &str) -> bool {
    let list = list.to_ascii_lowercase();
    ["tlsv1.0", "tlsv1.1", "sslv3"].iter().any(|name| list.contains(name))
}

fn trusted(options: &Options) -> Result<Vec<CertificateDer<'static>>, String> {
    const BAD: &str = "SSL_CTX_set_default_verify_paths failed";
    let mut all = Vec::new();
    if let Some(ca) = &options.tls.ca {
        let found: Result<Vec<_>, _> = CertificateDer::pem_file_iter(ca).map_err(|_| BAD)?.collect();
        all.extend(found.map_err(|_| BAD)?);
        if all.is_empty() {
            return Err(BAD.to_owned());
        }
    }
    if let Some(folder) = &options.tls.capath {
        for entry in std::fs::read_dir(folder).map_err(|_| BAD)?.flatten() {
            if let Ok(certificates) = CertificateDer::pem_file_iter(entry.path()) {
                all.extend(certificates.flatten());
            }
        }
    }
    if options.family == Family::MariaDb && options.tls.ca.is_none() && options.tls.capath.is_none() {
        // The system's.
        all.extend(CertificateDer::pem_file_iter(SYSTEM_CAS).into_iter().flatten().flatten());
    }
    Ok(all)
}

/// The revocation lists that the program has named; None: it has named none, and nothing is looked up.
fn revocation_lists(options: &Options) -> Result<Option<Vec<CertificateRevocationListDer<'static>>>, String> {
    let tls = &options.tls;
    if tls.crl.is_none() && tls.crlpath.is_none() {
        return Ok(None);
    }
    let mut all = Vec::new();
    if let Some(file) = &tls.crl {
        let found: Result<Vec<_>, _> = CertificateRevocationListDer::pem_file_iter(file).map_err(|_| NO_CRL)?.collect();
        all.extend(found.map_err(|_| NO_CRL)?);
        // OpenSSL takes a file of certificates, too; it proves nothing.
        if all.is_empty() && CertificateDer::pem_file_iter(file).map_err(|_| NO_CRL)?.flatten().next().is_none() {
            return Err(NO_CRL.to_owned());
        }
    }
    for entry in tls.crlpath.iter().flat_map(std::fs::read_dir).flatten().flatten() {
        let path = entry.path();
        let is_list = path.extension().and_then(|end| end.to_str()).and_then(|end| end.strip_prefix('r'));
        if is_list.is_some_and(|number| number.parse::<u32>().is_ok()) {
            all.extend(CertificateRevocationListDer::pem_file_iter(path).into_iter().flatten().flatten());
        }
    }
    Ok(Some(all))
}

/// Verifies as much as the mode asks for; always that the server holds its certificate's key.
#[derive(Debug)]
struct Verifier {
    mode: TlsMode,
    /// The host as the program named it.
    host: String,
    trusted: Vec<CertificateDer<'static>>,
    chain: Chain,
    algorithms: WebPkiSupportedAlgorithms,
}

/// What a server's chain of certificates has to be.
#[derive(Debug)]
enum Chain {
    /// Anything.
    Any,
    /// From one of the trusted, and not revoked.
    Proven(Arc<WebPkiServerVerifier>),
    /// Not revoked, and there is no list that could say so.
    Unproven,
}

impl Verifier {
    fn new(
        mode: TlsMode,
        host: &str,
        trusted: Vec<CertificateDer<'static>>,
        revoked: Option<Vec<CertificateRevocationListDer<'static>>>,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Verifier, String> {
        let algorithms = provider.signature_verification_algorithms;
        if mode < TlsMode::VerifyCa {
            return Ok(Verifier { mode, host: host.to_owned(), trusted, chain: Chain::Any, algorithms });
        }
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(trusted.iter().cloned());
        if roots.is_empty() {
            return Err("self-signed certificate in certificate chain".to_owned());
        }
        let mut builder = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone());
        if let Some(lists) = revoked {
            if lists.is_empty() {
                // Nothing can be proven not to be revoked.
                return Ok(Verifier { mode, host: host.to_owned(), trusted, chain: Chain::Unproven, algorithms });
            }
            builder = builder.with_crls(lists).enforce_revocation_expiration();
        }
        let chain = builder.build().map_err(|error| error.to_string())?;
        Ok(Verifier { mode, host: host.to_owned(), trusted, chain: Chain::Proven(chain), algorithms })
    }
}

impl Verifier {
    /// The common name is the host's and there are no alternative names: as OpenSSL takes it.
    fn is_named_the_old_way(&self, certificate: &[u8]) -> bool {
        x509::names(certificate).is_some_and(|names| {
            !names.has_alt_names && names.common_name.is_some_and(|name| x509::matches(&name, &self.host))
        })
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let chain = match &self.chain {
            Chain::Any => return Ok(ServerCertVerified::assertion()),
            Chain::Unproven => return Err(CertificateError::UnknownRevocationStatus.into()),
            Chain::Proven(chain) => chain,
        };
        let result = match chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // A certificate that is its own CA and is trusted as it is. Its time is looked at before this.
            Err(error @ rustls::Error::InvalidCertificate(CertificateError::Other(_)))
                if self.trusted.iter().any(|trusted| trusted == end_entity) =>
            {
                match ParsedCertificate::try_from(end_entity) {
                    Ok(parsed) => verify_server_name(&parsed, server_name).map(|()| ServerCertVerified::assertion()),
                    Err(_) => Err(error),
                }
            }
            result => result,
        };
        let result = match ServerName::try_from(self.host.as_str()) {
            Ok(_) => result,
            // No certificate can carry such a name among its alternative names.
            Err(_) => result.and(Err(rustls::Error::InvalidCertificate(CertificateError::NotValidForName))),
        };
        match result {
            // The chain is looked at first: only the name is wrong.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.mode == TlsMode::VerifyCa || self.is_named_the_old_way(end_entity) => {
                Ok(ServerCertVerified::assertion())
            }
            result => result,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, dss, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
