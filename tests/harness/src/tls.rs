//! The test cluster's certificates: an authority of its own, a server's and a client's certificate, and a stranger's.

use crate::error::{Context, Result};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    SanType, date_time_ymd,
};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};

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
}

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

/// Makes all files in `folder`, which must exist.
pub(crate) fn make(folder: &Path) -> Result<TlsFiles> {
    let files = TlsFiles {
        ca: folder.join("ca.pem"),
        server_cert: folder.join("server-cert.pem"),
        server_key: folder.join("server-key.pem"),
        client_cert: folder.join("client-cert.pem"),
        client_key: folder.join("client-key.pem"),
        other_ca: folder.join("other-ca.pem"),
    };
    let fail = || "making the test certificates".to_string();
    let (ca_pem, ca) = authority("harness test CA").context(fail)?;
    std::fs::write(&files.ca, ca_pem)?;
    std::fs::write(&files.other_ca, authority("harness other CA").context(fail)?.0)?;

    let mut server = params("localhost");
    server.subject_alt_names = vec![
        SanType::DnsName("localhost".try_into().context(fail)?),
        SanType::IpAddress(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        SanType::IpAddress(IpAddr::V6(Ipv6Addr::LOCALHOST)),
    ];
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
    Ok(files)
}
