//! The test cluster's certificates: an authority of its own, a server's and a client's certificate, and a stranger's.

use crate::error::{Context, Result};
use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyIdMethod, KeyPair, KeyUsagePurpose, RevokedCertParams, SanType, SerialNumber, date_time_ymd,
};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Paths of PEM files in the cluster's folder.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The authority that signed the other certificates.
    pub ca: PathBuf,
    /// The servers' certificate: good for `localhost`, 127.0.0.1 and ::1, and for nothing else (127.0.0.2 is a wrong name).
    pub server_cert: PathBuf,
    /// Its key.
    pub server_key: PathBuf,
    /// A certificate for clients.
    pub client_cert: PathBuf,
    /// Its key.
    pub client_key: PathBuf,
    /// An authority that signed none of these: to verify against it must fail.
    pub other_ca: PathBuf,
    /// The authority's revocation list: nothing is revoked.
    pub crl: PathBuf,
    /// Another one: the servers' certificate is revoked.
    pub crl_revoked: PathBuf,
    /// The first one, which has expired.
    pub crl_expired: PathBuf,
    /// The other authority's list.
    pub crl_other: PathBuf,
    /// The client's key under the pass phrase [`PASSPHRASE`].
    pub encrypted_key: PathBuf,
}

/// What [`TlsFiles::encrypted_key`] is read with.
pub const PASSPHRASE: &str = "open sesame";

fn params(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(2049, 12, 31);
    params
}

fn authority(name: &str) -> std::result::Result<(String, Issuer<'static, KeyPair>), rcgen::Error> {
    let mut params = params(name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let key = KeyPair::generate()?;
    let pem = params.self_signed(&key)?.pem();
    Ok((pem, Issuer::new(params, key)))
}

/// Of the servers' certificate.
const SERVER_SERIAL: &[u8] = &[0x12, 0x34, 0x56];

fn revocation_list(
    issuer: &Issuer<'static, KeyPair>,
    revoked: bool,
    until: i32,
) -> std::result::Result<String, rcgen::Error> {
    let server = RevokedCertParams {
        serial_number: SerialNumber::from(SERVER_SERIAL.to_vec()),
        revocation_time: date_time_ymd(2020, 6, 1),
        reason_code: None,
        invalidity_date: None,
    };
    let stranger = RevokedCertParams { serial_number: SerialNumber::from(vec![7]), ..server.clone() };
    let list = CertificateRevocationListParams {
        this_update: date_time_ymd(2020, 1, 1),
        next_update: date_time_ymd(until, 1, 1),
        crl_number: SerialNumber::from(vec![1]),
        issuing_distribution_point: None,
        revoked_certs: if revoked { vec![stranger, server] } else { vec![stranger] },
        key_identifier_method: KeyIdMethod::Sha256,
    };
    list.signed_by(issuer)?.pem()
}

/// Makes all files in `folder`, which must exist.
pub(crate) fn make(folder: &Path) -> Result<TlsFiles> {
    let files = TlsFiles {
        ca: folder.join("ca.pem"),
        server_cert: folder.join("server-cert.pem"),
        server_key: folder.join("server-key.pem"),
        client_cert: folder.join("client-cert.pem"),
        client_key: folder.join("client-key.pem"),
        other_ca: folder.join("other-ca.pem"),
        crl: folder.join("crl.pem"),
        crl_revoked: folder.join("crl-revoked.pem"),
        crl_expired: folder.join("crl-expired.pem"),
        crl_other: folder.join("crl-other.pem"),
        encrypted_key: folder.join("client-key-encrypted.pem"),
    };
    let fail = || "making the test certificates".to_string();
    let (ca_pem, ca) = authority("harness test CA").context(fail)?;
    std::fs::write(&files.ca, ca_pem)?;
    let (other_pem, other) = authority("harness other CA").context(fail)?;
    std::fs::write(&files.other_ca, other_pem)?;
    for (file, issuer, revoked, until) in [
        (&files.crl, &ca, false, 2049),
        (&files.crl_revoked, &ca, true, 2049),
        (&files.crl_expired, &ca, false, 2021),
        (&files.crl_other, &other, false, 2049),
    ] {
        std::fs::write(file, revocation_list(issuer, revoked, until).context(fail)?)?;
    }

    let mut server = params("localhost");
    server.subject_alt_names = vec![
        SanType::DnsName("localhost".try_into().context(fail)?),
        SanType::IpAddress(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        SanType::IpAddress(IpAddr::V6(Ipv6Addr::LOCALHOST)),
    ];
    server.serial_number = Some(SerialNumber::from(SERVER_SERIAL.to_vec()));
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let mut client = params("client");
    client.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    for (params, cert, key_file) in
        [(server, &files.server_cert, &files.server_key), (client, &files.client_cert, &files.client_key)]
    {
        let key = KeyPair::generate().context(fail)?;
        std::fs::write(cert, params.signed_by(&key, &ca).context(fail)?.pem())?;
        std::fs::write(key_file, key.serialize_pem())?;
    }
    // Where there is no OpenSSL program there is no such key, and the tests of it fail.
    let mut openssl = Command::new("openssl");
    openssl.args(["pkcs8", "-topk8", "-v2", "aes-256-cbc", "-passout"]).arg(format!("pass:{PASSPHRASE}"));
    openssl.arg("-in").arg(&files.client_key).arg("-out").arg(&files.encrypted_key).stderr(Stdio::null());
    let _ = openssl.status();
    Ok(files)
}
