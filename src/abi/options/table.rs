//! Which option each family's number means, and what type its argument has.
//!
//! Numbers only; what an option does is in [`super::apply`].

use std::ffi::c_uint;

use crate::abi::family::options::{mariadb, mysql};
use crate::options::Family;

/// An option by its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::abi) enum Opt {
    ConnectTimeout,
    ReadTimeout,
    WriteTimeout,
    Compress,
    InitCommand,
    ReadDefaultFile,
    ReadDefaultGroup,
    CharsetDir,
    CharsetName,
    LocalInfile,
    Protocol,
    ReportDataTruncation,
    Reconnect,
    PluginDir,
    DefaultAuth,
    Bind,
    TlsKey,
    TlsCert,
    TlsCa,
    TlsCapath,
    TlsCipher,
    TlsVersion,
    TlsMode,
    TlsEnforce,
    TlsVerify,
    AttributesReset,
    AttributeAdd,
    AttributeDelete,
    ServerPublicKey,
    GetServerPublicKey,
    ClearTextPlugin,
    ExpiredPasswords,
    MaxAllowedPacket,
    NetBufferLength,
    RetryCount,
    Host,
    User,
    Password,
    Schema,
    Port,
    Socket,
    FoundRows,
    MultiResults,
    MultiStatements,
    Interactive,
    SecureAuth,
    NamedPipe,
    TlsCrl,
    TlsCrlPath,
    TlsCiphersuites,
    TlsFips,
    TlsSessionData,
    TlsServerName,
    TlsFingerprint,
    TlsFingerprintList,
    TlsPassphrase,
    TlsCipherStrength,
    CompressionAlgorithms,
    ZstdLevel,
    OptionalMetadata,
    LocalDir,
    FactorPassword,
    ReadOnly,
    UserData,
    AttributesAll,
    ConnectionHandler,
    ProxyHeader,
    SkipReadResponse,
    RestrictedAuth,
    RegisterReplica,
    StatusCallback,
    ProgressCallback,
    IoWait,
    NonBlock,
    /// Accepted by the original and without effect there: other transports, other systems.
    Nothing,
}

/// What the argument points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing; the argument is not looked at.
    None,
    /// `unsigned int`; NULL for those options that allow it means 1.
    Number,
    /// `unsigned long` (`size_t`).
    Long,
    /// `bool` or `my_bool`.
    Flag,
    /// NUL-ended string or NULL.
    Text,
    /// Two NUL-ended strings (`mysql_options4`).
    Pair,
    /// `unsigned int`, then a NUL-ended string (`mysql_options4`).
    Factor,
    /// A NUL-ended string, then an `unsigned int` or `size_t` by value (`mysql_optionsv`).
    TextNumber,
    /// Bytes, then their number by value as `size_t` (`mysql_optionsv`).
    Bytes,
    /// Two pointers that are kept as they are (`mysql_optionsv`).
    Pointers,
    /// A NUL-ended string, then a pointer that is kept as it is (`mysql_optionsv`).
    Named,
}

pub(super) type Row = (Opt, Kind);

fn mysql_row(number: c_uint) -> Option<Row> {
    Some(match number {
        mysql::MYSQL_OPT_CONNECT_TIMEOUT => (Opt::ConnectTimeout, Kind::Number),
        mysql::MYSQL_OPT_COMPRESS => (Opt::Compress, Kind::None),
        mysql::MYSQL_OPT_NAMED_PIPE => (Opt::Nothing, Kind::None),
        mysql::MYSQL_OPT_SSL_CRL => (Opt::TlsCrl, Kind::Text),
        mysql::MYSQL_OPT_SSL_CRLPATH => (Opt::TlsCrlPath, Kind::Text),
        mysql::MYSQL_OPT_TLS_CIPHERSUITES => (Opt::TlsCiphersuites, Kind::Text),
        mysql::MYSQL_OPT_SSL_FIPS_MODE => (Opt::TlsFips, Kind::Number),
        mysql::MYSQL_OPT_SSL_SESSION_DATA => (Opt::TlsSessionData, Kind::Text),
        mysql::MYSQL_OPT_TLS_SNI_SERVERNAME => (Opt::TlsServerName, Kind::Text),
        mysql::MYSQL_OPT_COMPRESSION_ALGORITHMS => (Opt::CompressionAlgorithms, Kind::Text),
        mysql::MYSQL_OPT_ZSTD_COMPRESSION_LEVEL => (Opt::ZstdLevel, Kind::Number),
        mysql::MYSQL_OPT_OPTIONAL_RESULTSET_METADATA => (Opt::OptionalMetadata, Kind::Flag),
        mysql::MYSQL_OPT_LOAD_DATA_LOCAL_DIR => (Opt::LocalDir, Kind::Text),
        mysql::MYSQL_OPT_USER_PASSWORD => (Opt::FactorPassword, Kind::Factor),
        mysql::MYSQL_INIT_COMMAND => (Opt::InitCommand, Kind::Text),
        mysql::MYSQL_READ_DEFAULT_FILE => (Opt::ReadDefaultFile, Kind::Text),
        mysql::MYSQL_READ_DEFAULT_GROUP => (Opt::ReadDefaultGroup, Kind::Text),
        mysql::MYSQL_SET_CHARSET_DIR => (Opt::CharsetDir, Kind::Text),
        mysql::MYSQL_SET_CHARSET_NAME => (Opt::CharsetName, Kind::Text),
        mysql::MYSQL_OPT_LOCAL_INFILE => (Opt::LocalInfile, Kind::Number),
        mysql::MYSQL_OPT_PROTOCOL => (Opt::Protocol, Kind::Number),
        mysql::MYSQL_SHARED_MEMORY_BASE_NAME => (Opt::Nothing, Kind::Text),
        mysql::MYSQL_OPT_READ_TIMEOUT => (Opt::ReadTimeout, Kind::Number),
        mysql::MYSQL_OPT_WRITE_TIMEOUT => (Opt::WriteTimeout, Kind::Number),
        mysql::MYSQL_REPORT_DATA_TRUNCATION => (Opt::ReportDataTruncation, Kind::Flag),
        mysql::MYSQL_OPT_RECONNECT => (Opt::Reconnect, Kind::Flag),
        mysql::MYSQL_PLUGIN_DIR => (Opt::PluginDir, Kind::Text),
        mysql::MYSQL_DEFAULT_AUTH => (Opt::DefaultAuth, Kind::Text),
        mysql::MYSQL_OPT_BIND => (Opt::Bind, Kind::Text),
        mysql::MYSQL_OPT_SSL_KEY => (Opt::TlsKey, Kind::Text),
        mysql::MYSQL_OPT_SSL_CERT => (Opt::TlsCert, Kind::Text),
        mysql::MYSQL_OPT_SSL_CA => (Opt::TlsCa, Kind::Text),
        mysql::MYSQL_OPT_SSL_CAPATH => (Opt::TlsCapath, Kind::Text),
        mysql::MYSQL_OPT_SSL_CIPHER => (Opt::TlsCipher, Kind::Text),
        mysql::MYSQL_OPT_CONNECT_ATTR_RESET => (Opt::AttributesReset, Kind::None),
        mysql::MYSQL_OPT_CONNECT_ATTR_ADD => (Opt::AttributeAdd, Kind::Pair),
        mysql::MYSQL_OPT_CONNECT_ATTR_DELETE => (Opt::AttributeDelete, Kind::Text),
        mysql::MYSQL_SERVER_PUBLIC_KEY => (Opt::ServerPublicKey, Kind::Text),
        mysql::MYSQL_ENABLE_CLEARTEXT_PLUGIN => (Opt::ClearTextPlugin, Kind::Flag),
        mysql::MYSQL_OPT_CAN_HANDLE_EXPIRED_PASSWORDS => (Opt::ExpiredPasswords, Kind::Flag),
        mysql::MYSQL_OPT_MAX_ALLOWED_PACKET => (Opt::MaxAllowedPacket, Kind::Long),
        mysql::MYSQL_OPT_NET_BUFFER_LENGTH => (Opt::NetBufferLength, Kind::Long),
        mysql::MYSQL_OPT_TLS_VERSION => (Opt::TlsVersion, Kind::Text),
        mysql::MYSQL_OPT_SSL_MODE => (Opt::TlsMode, Kind::Number),
        mysql::MYSQL_OPT_GET_SERVER_PUBLIC_KEY => (Opt::GetServerPublicKey, Kind::Flag),
        mysql::MYSQL_OPT_RETRY_COUNT => (Opt::RetryCount, Kind::Number),
        _ => return None,
    })
}

fn mariadb_row(number: c_uint) -> Option<Row> {
    Some(match number {
        mariadb::MYSQL_OPT_CONNECT_TIMEOUT => (Opt::ConnectTimeout, Kind::Number),
        mariadb::MYSQL_OPT_COMPRESS => (Opt::Compress, Kind::None),
        mariadb::MYSQL_OPT_NAMED_PIPE => (Opt::NamedPipe, Kind::None),
        mariadb::MYSQL_SECURE_AUTH => (Opt::SecureAuth, Kind::Flag),
        mariadb::MARIADB_OPT_DEBUG => (Opt::Nothing, Kind::None),
        mariadb::MYSQL_INIT_COMMAND => (Opt::InitCommand, Kind::Text),
        mariadb::MYSQL_READ_DEFAULT_FILE => (Opt::ReadDefaultFile, Kind::Text),
        mariadb::MYSQL_READ_DEFAULT_GROUP => (Opt::ReadDefaultGroup, Kind::Text),
        mariadb::MYSQL_SET_CHARSET_DIR => (Opt::CharsetDir, Kind::Text),
        mariadb::MYSQL_SET_CHARSET_NAME => (Opt::CharsetName, Kind::Text),
        mariadb::MYSQL_OPT_LOCAL_INFILE => (Opt::LocalInfile, Kind::Number),
        mariadb::MYSQL_OPT_PROTOCOL => (Opt::Protocol, Kind::Number),
        mariadb::MYSQL_OPT_READ_TIMEOUT => (Opt::ReadTimeout, Kind::Number),
        mariadb::MYSQL_OPT_WRITE_TIMEOUT => (Opt::WriteTimeout, Kind::Number),
        mariadb::MYSQL_REPORT_DATA_TRUNCATION => (Opt::ReportDataTruncation, Kind::Flag),
        mariadb::MYSQL_OPT_RECONNECT => (Opt::Reconnect, Kind::Flag),
        mariadb::MYSQL_OPT_SSL_VERIFY_SERVER_CERT => (Opt::TlsVerify, Kind::Flag),
        mariadb::MYSQL_PLUGIN_DIR => (Opt::PluginDir, Kind::Text),
        mariadb::MYSQL_DEFAULT_AUTH => (Opt::DefaultAuth, Kind::Text),
        mariadb::MYSQL_OPT_BIND => (Opt::Bind, Kind::Text),
        mariadb::MYSQL_OPT_SSL_KEY => (Opt::TlsKey, Kind::Text),
        mariadb::MYSQL_OPT_SSL_CERT => (Opt::TlsCert, Kind::Text),
        mariadb::MYSQL_OPT_SSL_CA => (Opt::TlsCa, Kind::Text),
        mariadb::MYSQL_OPT_SSL_CAPATH => (Opt::TlsCapath, Kind::Text),
        mariadb::MYSQL_OPT_SSL_CIPHER => (Opt::TlsCipher, Kind::Text),
        mariadb::MYSQL_OPT_CONNECT_ATTR_RESET => (Opt::AttributesReset, Kind::None),
        mariadb::MYSQL_OPT_CONNECT_ATTR_ADD => (Opt::AttributeAdd, Kind::Pair),
        mariadb::MYSQL_OPT_CONNECT_ATTR_DELETE => (Opt::AttributeDelete, Kind::Text),
        mariadb::MYSQL_SERVER_PUBLIC_KEY => (Opt::ServerPublicKey, Kind::Text),
        mariadb::MYSQL_ENABLE_CLEARTEXT_PLUGIN => (Opt::ClearTextPlugin, Kind::Flag),
        mariadb::MYSQL_OPT_CAN_HANDLE_EXPIRED_PASSWORDS => (Opt::ExpiredPasswords, Kind::Flag),
        mariadb::MYSQL_OPT_SSL_ENFORCE => (Opt::TlsEnforce, Kind::Flag),
        mariadb::MYSQL_OPT_MAX_ALLOWED_PACKET => (Opt::MaxAllowedPacket, Kind::Long),
        mariadb::MYSQL_OPT_NET_BUFFER_LENGTH => (Opt::NetBufferLength, Kind::Long),
        mariadb::MYSQL_OPT_TLS_VERSION | mariadb::MARIADB_OPT_TLS_VERSION => (Opt::TlsVersion, Kind::Text),
        mariadb::MARIADB_OPT_HOST => (Opt::Host, Kind::Text),
        mariadb::MARIADB_OPT_USER => (Opt::User, Kind::Text),
        mariadb::MARIADB_OPT_PASSWORD => (Opt::Password, Kind::Text),
        mariadb::MARIADB_OPT_SCHEMA => (Opt::Schema, Kind::Text),
        mariadb::MARIADB_OPT_PORT => (Opt::Port, Kind::Number),
        mariadb::MARIADB_OPT_UNIXSOCKET => (Opt::Socket, Kind::Text),
        mariadb::MARIADB_OPT_FOUND_ROWS => (Opt::FoundRows, Kind::None),
        mariadb::MARIADB_OPT_MULTI_RESULTS => (Opt::MultiResults, Kind::None),
        mariadb::MARIADB_OPT_MULTI_STATEMENTS => (Opt::MultiStatements, Kind::None),
        mariadb::MARIADB_OPT_INTERACTIVE => (Opt::Interactive, Kind::None),
        mariadb::MYSQL_OPT_SSL_CRL => (Opt::TlsCrl, Kind::Text),
        mariadb::MYSQL_OPT_SSL_CRLPATH => (Opt::TlsCrlPath, Kind::Text),
        mariadb::MARIADB_OPT_SSL_FP | mariadb::MARIADB_OPT_TLS_PEER_FP => (Opt::TlsFingerprint, Kind::Text),
        mariadb::MARIADB_OPT_SSL_FP_LIST | mariadb::MARIADB_OPT_TLS_PEER_FP_LIST => {
            (Opt::TlsFingerprintList, Kind::Text)
        }
        mariadb::MARIADB_OPT_TLS_PASSPHRASE => (Opt::TlsPassphrase, Kind::Text),
        mariadb::MARIADB_OPT_TLS_CIPHER_STRENGTH => (Opt::TlsCipherStrength, Kind::Number),
        mariadb::MARIADB_OPT_CONNECTION_READ_ONLY => (Opt::ReadOnly, Kind::Flag),
        mariadb::MYSQL_OPT_CONNECT_ATTRS => (Opt::AttributesAll, Kind::None),
        mariadb::MARIADB_OPT_USERDATA => (Opt::UserData, Kind::Named),
        mariadb::MARIADB_OPT_CONNECTION_HANDLER => (Opt::ConnectionHandler, Kind::Text),
        mariadb::MARIADB_OPT_PROXY_HEADER => (Opt::ProxyHeader, Kind::Bytes),
        mariadb::MARIADB_OPT_SKIP_READ_RESPONSE => (Opt::SkipReadResponse, Kind::Flag),
        mariadb::MARIADB_OPT_RESTRICTED_AUTH => (Opt::RestrictedAuth, Kind::Text),
        mariadb::MARIADB_OPT_RPL_REGISTER_REPLICA => (Opt::RegisterReplica, Kind::TextNumber),
        mariadb::MARIADB_OPT_STATUS_CALLBACK => (Opt::StatusCallback, Kind::Pointers),
        mariadb::MYSQL_PROGRESS_CALLBACK => (Opt::ProgressCallback, Kind::Pointers),
        mariadb::MARIADB_OPT_IO_WAIT => (Opt::IoWait, Kind::Pointers),
        mariadb::MYSQL_OPT_NONBLOCK => (Opt::NonBlock, Kind::None),
        _ => return None,
    })
}

pub(super) fn row(family: Family, number: c_uint) -> Option<Row> {
    match family {
        Family::MySql => mysql_row(number),
        Family::MariaDb => mariadb_row(number),
    }
}
