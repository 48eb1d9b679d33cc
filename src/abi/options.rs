//! Entries that set and read options. The families number them differently from 14 on and point to other types.
//!
//! One row per option in [`mysql_row`] and [`mariadb_row`]: number -> [`Opt`] and the type behind the argument. What an
//! option does is in [`apply`].

#![allow(unsafe_code)]

use std::ffi::{OsStr, c_char, c_int, c_uint, c_ulong, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

use crate::error::{Error, cr};
use crate::option_file;
use crate::options::{Family, Options, Protocol, TlsMode};

use super::convert::c_bytes;
use super::entry::{clear_error, entry, set_error};
use super::family::Abi;
use super::family::options::{mariadb, mysql};
use super::handle::Handle;

/// An option by its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opt {
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
    MultiStatements,
    /// Accepted by the original and without effect there: other transports, other systems.
    Nothing,
}

/// What the argument points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
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
}

type Row = (Opt, Kind);

fn mysql_row(number: c_uint) -> Option<Row> {
    Some(match number {
        mysql::MYSQL_OPT_CONNECT_TIMEOUT => (Opt::ConnectTimeout, Kind::Number),
        mysql::MYSQL_OPT_COMPRESS => (Opt::Compress, Kind::None),
        mysql::MYSQL_OPT_NAMED_PIPE | mysql::MYSQL_OPT_USE_RESULT => (Opt::Nothing, Kind::None),
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
        mariadb::MYSQL_OPT_NAMED_PIPE
        | mariadb::MYSQL_OPT_USE_RESULT
        | mariadb::MYSQL_OPT_USE_REMOTE_CONNECTION
        | mariadb::MYSQL_OPT_USE_EMBEDDED_CONNECTION
        | mariadb::MYSQL_OPT_GUESS_CONNECTION
        | mariadb::MYSQL_SET_CLIENT_IP
        | mariadb::MYSQL_SECURE_AUTH
        | mariadb::MYSQL_SHARED_MEMORY_BASE_NAME => (Opt::Nothing, Kind::None),
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
        mariadb::MARIADB_OPT_FOUND_ROWS => (Opt::FoundRows, Kind::Flag),
        mariadb::MARIADB_OPT_MULTI_STATEMENTS => (Opt::MultiStatements, Kind::Flag),
        mariadb::MARIADB_OPT_MULTI_RESULTS | mariadb::MARIADB_OPT_INTERACTIVE => (Opt::Nothing, Kind::None),
        _ => return None,
    })
}

fn row(family: Family, number: c_uint) -> Option<Row> {
    match family {
        Family::MySql => mysql_row(number),
        Family::MariaDb => mariadb_row(number),
    }
}

/// A checked argument.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    None,
    Number(u64),
    Flag(bool),
    /// NUL-ended, for the getter.
    Text(Option<Vec<u8>>),
    Pair(Vec<u8>, Vec<u8>),
}

/// Options as the program gave them: what the getter answers.
#[derive(Debug, Default)]
pub(super) struct Settings {
    given: Vec<(Opt, Value)>,
    /// Files and groups wait for the connect, as in the originals.
    default_file: Option<Vec<u8>>,
    default_group: Option<Vec<u8>>,
}

impl Settings {
    fn put(&mut self, opt: Opt, value: Value) {
        match self.given.iter_mut().find(|(known, _)| *known == opt) {
            Some((_, place)) => *place = value,
            None => self.given.push((opt, value)),
        }
    }

    fn get(&self, opt: Opt) -> Option<&Value> {
        self.given.iter().find(|(known, _)| *known == opt).map(|(_, value)| value)
    }
}

fn seconds(value: u64) -> Option<Duration> {
    (value != 0).then(|| Duration::from_secs(value))
}

fn path(text: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(text))
}

fn string(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// Gives an option its effect; false: the value is out of its range.
fn apply(options: &mut Options, settings: &mut Settings, opt: Opt, value: &Value) -> bool {
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
        Opt::TlsCapath => options.tls.capath = text.map(path),
        Opt::TlsCipher => options.tls.cipher = text.map(string),
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
            if name.is_empty() {
                return false;
            }
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
        Opt::NetBufferLength => options.net_buffer_length = number,
        Opt::Host => options.defaults.host = text.map(string),
        Opt::User => options.defaults.user = text.map(<[u8]>::to_vec),
        Opt::Password => options.defaults.password = text.map(<[u8]>::to_vec),
        Opt::Schema => options.defaults.database = text.map(<[u8]>::to_vec),
        Opt::Port => options.defaults.port = u16::try_from(number).ok(),
        Opt::Socket => options.defaults.socket = text.map(path),
        Opt::FoundRows => options.set_client_flag(super::family::constants::client_flag::CLIENT_FOUND_ROWS, flag),
        Opt::MultiStatements => {
            options.set_client_flag(super::family::constants::client_flag::CLIENT_MULTI_STATEMENTS, flag);
        }
        Opt::Compress | Opt::CharsetDir | Opt::PluginDir | Opt::ExpiredPasswords | Opt::RetryCount | Opt::Nothing => {}
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
        Opt::TlsKey | Opt::TlsCert | Opt::TlsCa | Opt::TlsCapath | Opt::TlsCipher | Opt::TlsEnforce | Opt::TlsVerify
    ) {
        return;
    }
    let tls = &options.tls;
    let files =
        tls.key.is_some() || tls.cert.is_some() || tls.ca.is_some() || tls.capath.is_some() || tls.cipher.is_some();
    options.tls.mode = if given(Opt::TlsVerify) {
        TlsMode::VerifyIdentity
    } else if files || given(Opt::TlsEnforce) {
        TlsMode::Required
    } else {
        TlsMode::Disabled
    };
}

/// Reads an argument.
///
/// # Safety
/// `arg` and `second` point to what the option's kind says, or are NULL.
unsafe fn value(kind: Kind, arg: *const c_void, second: *const c_void) -> Value {
    // SAFETY: the caller's promise; clients do not align all of these.
    unsafe {
        match kind {
            Kind::None => Value::None,
            Kind::Number if arg.is_null() => Value::Number(1),
            Kind::Number => Value::Number(u64::from(arg.cast::<c_uint>().read_unaligned())),
            Kind::Long if arg.is_null() => Value::Number(0),
            Kind::Long => Value::Number(arg.cast::<c_ulong>().read_unaligned()),
            Kind::Flag => Value::Flag(!arg.is_null() && arg.cast::<c_char>().read() != 0),
            Kind::Text => Value::Text(c_bytes(arg.cast()).map(|text| [text, &[0]].concat())),
            Kind::Pair => Value::Pair(
                c_bytes(arg.cast()).unwrap_or_default().to_vec(),
                c_bytes(second.cast()).unwrap_or_default().to_vec(),
            ),
        }
    }
}

/// Sets one option.
///
/// # Safety
/// `mysql` is NULL or a valid handle; the arguments are what the option asks for.
unsafe fn set<F: Abi>(mysql: *mut F::Mysql, number: c_uint, arg: *const c_void, second: *const c_void) -> c_int {
    // SAFETY: the caller's promise.
    let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return 1 };
    let Some((opt, kind)) = row(F::FAMILY, number) else {
        if F::FAMILY == Family::MariaDb {
            let error = Error::not_implemented(F::FAMILY);
            set_error::<F>(mysql, error.code, &error.sqlstate, &error.message);
        }
        return refusal(F::FAMILY);
    };
    // SAFETY: the caller's promise.
    let value = unsafe { value(kind, arg, second) };
    if !apply(handle.session.options(), &mut handle.settings, opt, &value) {
        if opt == Opt::AttributeAdd {
            let (code, text): (u32, &[u8]) = match &value {
                Value::Pair(name, _) if name.is_empty() => (cr::INVALID_PARAMETER_NO, b"Invalid parameter number"),
                _ => (cr::DUPLICATE_CONNECTION_ATTR, b"There is an attribute with the same name already"),
            };
            set_error::<F>(mysql, code, b"HY000", text);
        }
        return 1;
    }
    handle.settings.put(opt, value);
    // SAFETY: lent through `mysql`.
    unsafe { publish_options::<F>(mysql, handle) };
    0
}

/// What the originals return for a number that they do not know.
fn refusal(family: Family) -> c_int {
    match family {
        Family::MySql => 1,
        Family::MariaDb => -1,
    }
}

/// Shows in the public struct what clients read there.
///
/// # Safety
/// `mysql` is the pointer that lent `handle`.
unsafe fn publish_options<F: Abi>(mysql: *mut F::Mysql, handle: &mut Handle<F>) {
    let text = |opt: Opt| match handle.settings.get(opt) {
        Some(Value::Text(Some(text))) => text.as_ptr().cast_mut().cast::<c_char>(),
        _ => std::ptr::null_mut(),
    };
    let texts = [
        (F::opt_ssl_key(mysql), text(Opt::TlsKey)),
        (F::opt_ssl_cert(mysql), text(Opt::TlsCert)),
        (F::opt_ssl_ca(mysql), text(Opt::TlsCa)),
        (F::opt_ssl_capath(mysql), text(Opt::TlsCapath)),
        (F::opt_ssl_cipher(mysql), text(Opt::TlsCipher)),
        (F::opt_charset_name(mysql), text(Opt::CharsetName)),
    ];
    let options = handle.session.options();
    let time = |limit: Option<Duration>| limit.map_or(0, |limit| limit.as_secs() as c_uint);
    // SAFETY: accessors give addresses inside `mysql`, which is writable.
    unsafe {
        for (place, pointer) in texts {
            place.write(pointer);
        }
        F::opt_connect_timeout(mysql).write(time(options.connect_timeout));
        F::opt_read_timeout(mysql).write(time(options.read_timeout));
        F::opt_write_timeout(mysql).write(time(options.write_timeout));
        F::opt_report_data_truncation(mysql).write(c_char::from(options.report_data_truncation));
        for place in [F::reconnect(mysql), F::opt_reconnect(mysql)].into_iter().flatten() {
            place.write(c_char::from(options.reconnect));
        }
        if let Some(place) = F::opt_use_ssl(mysql) {
            place.write(c_char::from(options.tls.mode > TlsMode::Preferred));
        }
    }
}

/// The public option fields of a new handle.
///
/// # Safety
/// `mysql` points to a writable `F::Mysql`.
pub(super) unsafe fn publish_defaults<F: Abi>(mysql: *mut F::Mysql) {
    // SAFETY: the caller's promise.
    unsafe { F::opt_report_data_truncation(mysql).write(1) };
}

/// Takes over the option fields that clients write without a call, before connecting.
///
/// # Safety
/// `mysql` is the pointer that lent `handle`.
pub(super) unsafe fn honour_fields<F: Abi>(mysql: *mut F::Mysql, handle: &mut Handle<F>) {
    let options = handle.session.options();
    // SAFETY: accessors give addresses inside `mysql`.
    unsafe {
        options.connect_timeout = seconds(u64::from(F::opt_connect_timeout(mysql).read()));
        if let Some(place) = F::reconnect(mysql) {
            options.reconnect = place.read() != 0;
        }
    }
}

/// Reads the option files that the program asked for, at connect.
///
/// Errors: those of [`option_file::apply`].
pub(super) fn read_option_files<F: Abi>(handle: &mut Handle<F>) -> Result<(), Error> {
    let settings = &mut handle.settings;
    if settings.default_file.is_none() && settings.default_group.is_none() {
        return Ok(());
    }
    let file = settings.default_file.take();
    let group = settings.default_group.take();
    let file = file.as_deref().map(path);
    let group = group.as_deref().map(string);
    option_file::apply(handle.session.options(), file.as_deref(), group.as_deref())
}

entry! {
    /// Sets an option; most only matter before connecting.
    ///
    /// Units and types: by the option, see the manuals. Returns: 0; other values for an unknown option or a bad value.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `arg` points to what the option asks for.
    fn mysql_options<F>(mysql: *mut F::Mysql, option: c_uint, arg: *const c_void) -> c_int;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { set::<F>(mysql, option, arg, std::ptr::null()) }
    }
}

entry! {
    /// Sets an option of two arguments: a connection attribute's name and value.
    ///
    /// Returns: 0; 1 for a name that is there already, an empty name, or another option.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; the arguments are NUL-ended strings.
    fn mysql_options4<F>(mysql: *mut F::Mysql, option: c_uint, name: *const c_void, content: *const c_void) -> c_int;
    handle mysql, fails 1, {
        if !matches!(row(F::FAMILY, option), Some((Opt::AttributeAdd, _))) {
            return 1;
        }
        // SAFETY: the caller's promise.
        unsafe { set::<F>(mysql, option, name, content) }
    }
}

entry! {
    /// Variadic form of [`mysql_options`]; two words of arguments are looked at.
    ///
    /// # Safety
    /// As [`mysql_options4`].
    fn mysql_optionsv<F>(mysql: *mut F::Mysql, option: c_uint, arg: *const c_void, second: *const c_void) -> c_int;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { set::<F>(mysql, option, arg, second) }
    }
}

entry! {
    /// Reads an option back.
    ///
    /// Returns: 0 and the value in `arg`; 1 for an option that cannot be read.
    ///
    /// # Safety
    /// `mysql` is NULL (for the two packet sizes only) or a valid handle; `arg` is writable for the option's type.
    fn mysql_get_option<F>(mysql: *mut F::Mysql, option: c_uint, arg: *mut c_void) -> c_int;
    plain, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { get::<F>(mysql, option, arg) }
    }
}

entry! {
    /// Variadic form of [`mysql_get_option`].
    ///
    /// # Safety
    /// As [`mysql_get_option`].
    fn mysql_get_optionv<F>(mysql: *mut F::Mysql, option: c_uint, arg: *mut c_void) -> c_int;
    plain, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { get::<F>(mysql, option, arg) }
    }
}

/// # Safety
/// As [`mysql_get_option`].
unsafe fn get<F: Abi>(mysql: *mut F::Mysql, option: c_uint, arg: *mut c_void) -> c_int {
    let Some((opt, mut kind)) = row(F::FAMILY, option) else { return 1 };
    let mariadb = F::FAMILY == Family::MariaDb;
    if arg.is_null() || mariadb && matches!(opt, Opt::ClearTextPlugin | Opt::Host | Opt::User) {
        // Connector/C cannot read these back.
        return 1;
    }
    if opt == Opt::Compress {
        kind = Kind::Flag;
    }
    let defaults = Options::new(F::FAMILY);
    // SAFETY: the caller's promise.
    let mut handle = unsafe { Handle::<F>::lend(mysql) };
    if handle.is_none() && !matches!(opt, Opt::MaxAllowedPacket | Opt::NetBufferLength) {
        return 1;
    }
    if !mysql.is_null() && handle.is_some() {
        // A getter leaves no old error behind.
        clear_error::<F>(mysql);
    }
    let charset = handle.as_ref().map(|handle| handle.session.charset().charset().c_name());
    // A handle shows 0 until its limit is set; without a handle it is the process's default.
    let unlimited = handle.as_ref().is_some_and(|handle| handle.settings.get(opt).is_none());
    let options = match &mut handle {
        Some(handle) => handle.session.options(),
        None => &mut { defaults },
    };
    let time = |limit: Option<Duration>| limit.map_or(0, |limit| limit.as_secs());
    let number = match opt {
        Opt::ConnectTimeout => time(options.connect_timeout),
        Opt::ReadTimeout => time(options.read_timeout),
        Opt::WriteTimeout => time(options.write_timeout),
        Opt::LocalInfile => u64::from(options.local_infile),
        Opt::Protocol => options.protocol as u64,
        Opt::ReportDataTruncation => u64::from(options.report_data_truncation),
        Opt::Reconnect => u64::from(options.reconnect),
        Opt::TlsMode => options.tls.mode as u64 + 1,
        Opt::GetServerPublicKey => u64::from(options.get_server_public_key),
        Opt::ClearTextPlugin => u64::from(options.cleartext_plugin),
        Opt::MaxAllowedPacket if unlimited => 0,
        Opt::MaxAllowedPacket => options.max_allowed_packet,
        Opt::NetBufferLength => options.net_buffer_length,
        Opt::Port => u64::from(options.defaults.port.unwrap_or(0)),
        _ => 0,
    };
    let given = handle.as_ref().and_then(|handle| handle.settings.get(opt));
    // SAFETY: the caller's promise.
    unsafe {
        match kind {
            Kind::Number => arg.cast::<c_uint>().write_unaligned(number as c_uint),
            Kind::Long => arg.cast::<c_ulong>().write_unaligned(number),
            Kind::Flag => {
                let flag = number != 0 || matches!(given, Some(Value::Flag(true)));
                arg.cast::<c_char>().write(c_char::from(flag));
            }
            Kind::Text => {
                let text = match (given, charset) {
                    // Connector/C tells the handle's present character set.
                    (_, Some(name)) if mariadb && opt == Opt::CharsetName => name.as_ptr(),
                    (Some(Value::Text(Some(text))), _) => text.as_ptr().cast::<c_char>(),
                    _ => std::ptr::null(),
                };
                arg.cast::<*const c_char>().write_unaligned(text);
            }
            Kind::None | Kind::Pair => return 1,
        }
    }
    0
}

entry! {
    /// Sets the five TLS files at once; NULL = none. Returns: 0.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; the texts are NULL or NUL-ended strings.
    fn mysql_ssl_set<F>(
        mysql: *mut F::Mysql, key: *const c_char, cert: *const c_char, ca: *const c_char, capath: *const c_char,
        cipher: *const c_char,
    ) -> c_int;
    handle mysql, fails 1, {
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return 1 };
        for (opt, text) in [
            (Opt::TlsKey, key),
            (Opt::TlsCert, cert),
            (Opt::TlsCa, ca),
            (Opt::TlsCapath, capath),
            (Opt::TlsCipher, cipher),
        ] {
            // SAFETY: the caller's promise.
            let value = unsafe { value(Kind::Text, text.cast(), std::ptr::null()) };
            apply(handle.session.options(), &mut handle.settings, opt, &value);
            handle.settings.put(opt, value);
        }
        // SAFETY: lent through `mysql`.
        unsafe { publish_options::<F>(mysql, handle) };
        0
    }
}
