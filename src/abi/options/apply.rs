//! What an option does to the handle's [`Options`].

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

use crate::abi::family::constants::client_flag;
use crate::abi::misc;
use crate::options::{Family, Options, Protocol, TlsMode};

use super::table::Opt;
use super::{Settings, Value};

pub(super) fn seconds(value: u64) -> Option<Duration> {
    (value != 0).then(|| Duration::from_secs(value))
}

pub(super) fn path(text: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(text))
}

pub(super) fn string(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// Gives an option its effect; false: the value is out of its range.
pub(super) fn apply(options: &mut Options, settings: &mut Settings, opt: Opt, value: &Value) -> bool {
    let number = if let Value::Number(number) = value { *number } else { 0 };
    let flag = matches!(value, Value::Flag(true)) || number != 0;
    let text = match value {
        Value::Text(Some(text)) => Some(text.strip_suffix(&[0]).unwrap_or(text)),
        _ => None,
    };
    match opt {
        Opt::ConnectTimeout => options.connect_timeout = seconds(number),
        Opt::ReadTimeout => options.read_timeout = seconds(number),
        Opt::WriteTimeout => options.write_timeout = seconds(number),
        Opt::InitCommand => options.init_commands.extend(text.map(<[u8]>::to_vec)),
        Opt::ReadDefaultFile => settings.default_file = text.map(<[u8]>::to_vec),
        Opt::ReadDefaultGroup => settings.default_group = Some(text.unwrap_or_default().to_vec()),
        Opt::CharsetName => options.charset = text.map(string),
        Opt::LocalInfile => options.local_infile = number != 0,
        Opt::Protocol => {
            options.protocol = match number {
                0 => Protocol::Default,
                1 => Protocol::Tcp,
                2 => Protocol::Socket,
                3 => Protocol::Pipe,
                4 => Protocol::Memory,
                _ => return false,
            }
        }
        Opt::ReportDataTruncation => options.report_data_truncation = flag,
        Opt::Reconnect => options.reconnect = flag,
        Opt::DefaultAuth => options.default_auth = text.map(string),
        Opt::Bind => options.bind = text.map(string),
        Opt::TlsKey => options.tls.key = text.map(path),
        Opt::TlsCert => options.tls.cert = text.map(path),
        Opt::TlsCa => options.tls.ca = text.map(path),
        Opt::TlsCrl => options.tls.crl = text.map(path),
        Opt::TlsCrlPath => options.tls.crlpath = text.map(path),
        Opt::TlsCapath => options.tls.capath = text.map(path),
        Opt::TlsCipher => options.tls.cipher = text.map(string),
        Opt::TlsCiphersuites => options.tls.ciphersuites = text.map(string),
        Opt::TlsSessionData => options.tls.session = text.map(<[u8]>::to_vec),
        Opt::TlsVersion => {
            options.tls.version = text.map(string);
            // libmysqlclient says so now and again at connect; Connector/C takes any text.
            return options.family == Family::MariaDb || options.tls.names_a_version();
        }
        Opt::TlsMode => {
            options.tls.mode = match number {
                1 => TlsMode::Disabled,
                2 => TlsMode::Preferred,
                3 => TlsMode::Required,
                4 => TlsMode::VerifyCa,
                5 => TlsMode::VerifyIdentity,
                _ => return false,
            }
        }
        Opt::TlsEnforce | Opt::TlsVerify => {}
        Opt::AttributesReset => options.attributes.clear(),
        Opt::AttributeAdd => {
            let Value::Pair(name, content) = value else { return false };
            match options.attributes.iter_mut().find(|(known, _)| known == name) {
                // Connector/C takes a name twice.
                Some((_, known)) if options.family == Family::MariaDb => known.clone_from(content),
                Some(_) => return false,
                None => options.attributes.push((name.clone(), content.clone())),
            }
        }
        Opt::AttributeDelete => options.attributes.retain(|(name, _)| Some(name.as_slice()) != text),
        Opt::ServerPublicKey => options.server_public_key = text.map(path),
        Opt::GetServerPublicKey => options.get_server_public_key = flag,
        Opt::ClearTextPlugin => options.cleartext_plugin = flag,
        Opt::MaxAllowedPacket => options.max_allowed_packet = number,
        // Of the process, whatever the handle.
        Opt::NetBufferLength => misc::set_net_buffer_length(number),
        Opt::Host => options.defaults.host = text.map(string),
        Opt::User => options.defaults.user = text.map(<[u8]>::to_vec),
        Opt::Password => options.defaults.password = text.map(<[u8]>::to_vec),
        Opt::Schema => options.defaults.database = text.map(<[u8]>::to_vec),
        Opt::Port => options.defaults.port = u16::try_from(number).ok(),
        Opt::Socket => options.defaults.socket = text.map(path),
        // Connector/C does not look at the argument of these four: they can be switched on only.
        Opt::FoundRows => options.set_client_flag(client_flag::CLIENT_FOUND_ROWS, true),
        Opt::Interactive => options.set_client_flag(client_flag::CLIENT_INTERACTIVE, true),
        Opt::MultiResults => options.set_client_flag(client_flag::CLIENT_MULTI_RESULTS, true),
        Opt::MultiStatements => {
            options.set_client_flag(client_flag::CLIENT_MULTI_STATEMENTS | client_flag::CLIENT_MULTI_RESULTS, true);
        }
        Opt::ExpiredPasswords => {
            options.set_client_flag(client_flag::CLIENT_CAN_HANDLE_EXPIRED_PASSWORDS, flag);
        }
        Opt::OptionalMetadata => {
            options.set_client_flag(client_flag::CLIENT_OPTIONAL_RESULTSET_METADATA, flag);
        }
        Opt::SkipReadResponse => options.skip_reply = flag,
        Opt::TlsServerName => options.tls.server_name = text.map(string),
        Opt::RestrictedAuth => options.restricted_auth = text.map(string),
        // Bytes, of which a last NUL is one.
        Opt::ProxyHeader => {
            let Value::Text(header) = value else { return false };
            options.proxy_header.clone_from(header);
        }
        // No folder, as the original takes an empty one.
        Opt::LocalDir => options.local_dir = text.filter(|text| !text.is_empty()).map(path),
        Opt::TlsFingerprint => options.tls.fingerprint = text.map(string),
        Opt::TlsFingerprintList => options.tls.fingerprint_list = text.map(path),
        Opt::UserData => {
            let Value::Named(name, data) = value else { return false };
            settings.user_data.retain(|(known, _)| known != name);
            settings.user_data.push((name.clone(), *data));
        }
        Opt::StatusCallback => {
            let Value::Pointers(callback, data) = *value else { return false };
            settings.status_callback.set(callback, data);
        }
        Opt::Compress => options.set_client_flag(client_flag::CLIENT_COMPRESS, true),
        Opt::CompressionAlgorithms => {
            options.compression.algorithms = text.map(<[u8]>::to_vec);
            let (zlib, zstd) = (options.compression.has("zlib"), options.compression.has("zstd"));
            options.set_client_flag(client_flag::CLIENT_COMPRESS, zlib);
            options.set_client_flag(client_flag::CLIENT_ZSTD_COMPRESSION_ALGORITHM, zstd);
        }
        // The server takes one byte of it, and refuses what is out of range.
        Opt::ZstdLevel => options.compression.zstd_level = number as u32,
        Opt::PluginDir => options.plugin_dir = text.map(path),
        Opt::CharsetDir
        | Opt::RetryCount
        | Opt::SecureAuth
        | Opt::NamedPipe
        | Opt::TlsFips
        | Opt::ReadOnly
        | Opt::NonBlock
        | Opt::ProgressCallback
        | Opt::RegisterReplica
        | Opt::Nothing => {}
        // Read by nobody: never set.
        Opt::AttributesAll => return false,
        Opt::TlsPassphrase => options.tls.passphrase = text.map(string),
        Opt::FactorPassword => {
            let Value::Numbered(password, factor) = value else { return false };
            let place = factor.checked_sub(1).and_then(|index| options.factor_passwords.0.get_mut(index as usize));
            let Some(place) = place else { return false };
            *place = Some(password.strip_suffix(&[0]).unwrap_or(password).to_vec());
        }
        Opt::TlsCipherStrength | Opt::ConnectionHandler | Opt::IoWait => {
            return false;
        }
    }
    if options.family == Family::MariaDb {
        follow_mariadb_tls(options, settings, opt, flag);
    }
    true
}

/// Connector/C has no modes: a key, certificate, CA or cipher, or the "enforce" flag, asks for TLS; "verify" makes
/// it strict.
fn follow_mariadb_tls(options: &mut Options, settings: &Settings, opt: Opt, flag: bool) {
    let given = |wanted: Opt| {
        if opt == wanted { flag } else { matches!(settings.get(wanted), Some(Value::Flag(true))) }
    };
    if !matches!(
        opt,
        Opt::TlsKey
            | Opt::TlsCert
            | Opt::TlsCa
            | Opt::TlsCapath
            | Opt::TlsCipher
            | Opt::TlsEnforce
            | Opt::TlsVerify
            | Opt::TlsFingerprint
            | Opt::TlsFingerprintList
    ) {
        return;
    }
    let tls = &options.tls;
    let files = tls.fingerprint.is_some()
        || tls.fingerprint_list.is_some()
        || tls.key.is_some()
        || tls.cert.is_some()
        || tls.ca.is_some()
        || tls.capath.is_some()
        || tls.cipher.is_some();
    options.tls.mode = if given(Opt::TlsVerify) {
        TlsMode::VerifyIdentity
    } else if files || given(Opt::TlsEnforce) {
        TlsMode::Required
    } else {
        TlsMode::Disabled
    };
}
