//! Entries that set and read options. The families number them differently from 14 on and point to other types.
//!
//! Numbers and argument types are in [`table`], what an option does is in [`apply`](mod@apply).

#![allow(unsafe_code)]

mod apply;
mod read;
mod table;

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use crate::error::{Error, cr};
use crate::option_file;
use crate::options::{Family, Options, Protocol, TlsMode};
use crate::session::ConnectArgs;

use super::convert::{c_bytes, slice};
use super::entry::{entry, set_error};
use super::family::Abi;
use super::family::constants::client_flag;
use super::handle::Handle;
use super::misc;
use super::status::StatusCallback;
use apply::{apply, path, seconds, string};
use table::{Kind, Opt, row};

/// A checked argument.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    None,
    Number(u64),
    Flag(bool),
    /// NUL-ended, for the getter.
    Text(Option<Vec<u8>>),
    Pair(Vec<u8>, Vec<u8>),
    /// Passed on as they are.
    Pointers(*const c_void, *const c_void),
    /// A name, and the program's data of that name.
    Named(Vec<u8>, *mut c_void),
    /// A NUL-ended text and a number.
    Numbered(Vec<u8>, u32),
}

/// Options as the program gave them: what the getter answers.
#[derive(Debug, Default)]
pub(super) struct Settings {
    given: Vec<(Opt, Value)>,
    /// Files and groups wait for the connect, as in the originals.
    default_file: Option<Vec<u8>>,
    default_group: Option<Vec<u8>>,
    /// NUL-ended, and the array of pointers that the getter shows.
    init_commands: Vec<Vec<u8>>,
    init_array: Vec<*const c_char>,
    /// The program's own data by name (`MARIADB_OPT_USERDATA`).
    user_data: Vec<(Vec<u8>, *mut c_void)>,
    /// `MARIADB_OPT_STATUS_CALLBACK`.
    pub status_callback: StatusCallback,
    /// Connection attributes as the getter shows them, NUL-ended.
    attributes: Vec<(Vec<u8>, Vec<u8>)>,
    /// The connect that is under way keeps the options if it fails (`CLIENT_REMEMBER_OPTIONS`).
    remembers: bool,
    /// What libmysqlclient tells of options after a connect that failed.
    bare: Bare,
}

/// Options of libmysqlclient that a failed connect has wiped out are not as new ones are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Bare {
    /// They are as new ones.
    #[default]
    Not,
    /// Nothing was set and nothing connected since.
    Wholly,
    /// The newer ones are there again, without their defaults.
    Partly,
}

impl Settings {
    fn put(&mut self, opt: Opt, value: Value) {
        match self.given.iter_mut().find(|(known, _)| *known == opt) {
            Some((_, place)) => *place = value,
            None => self.given.push((opt, value)),
        }
    }

    /// Whether a connection attribute has a name (Connector/C: also a value), and fits into 64 KiB with the others.
    fn attribute_fits(&self, value: &Value, family: Family) -> bool {
        let Value::Pair(name, content) = value else { return false };
        let size = |text: &[u8]| text.len() + length_size(text.len());
        let total = self.attributes_size() + size(name) + size(content);
        !name.is_empty() && (family == Family::MySql || !content.is_empty()) && total <= 0xFFFF
    }

    /// Bytes that the program's connection attributes take in the login packet.
    fn attributes_size(&self) -> usize {
        let size = |text: &Vec<u8>| text.len() - 1 + length_size(text.len() - 1);
        self.attributes.iter().map(|(name, content)| size(name) + size(content)).sum()
    }

    /// Keeps what the getter shows of options that add up.
    fn note(&mut self, opt: Opt, value: &Value) {
        let ended = |text: &[u8]| [text, &[0]].concat();
        match (opt, value) {
            (Opt::InitCommand, Value::Text(Some(text))) => {
                self.init_commands.push(text.clone());
                self.init_array = self.init_commands.iter().map(|text| text.as_ptr().cast()).collect();
            }
            (Opt::AttributeAdd, Value::Pair(name, content)) => {
                self.attributes.retain(|(known, _)| known.strip_suffix(&[0]) != Some(name));
                self.attributes.push((ended(name), ended(content)));
            }
            (Opt::AttributeDelete, Value::Text(Some(text))) => self.attributes.retain(|(known, _)| known != text),
            (Opt::AttributesReset, _) => self.attributes.clear(),
            _ => {}
        }
    }

    fn get(&self, opt: Opt) -> Option<&Value> {
        self.given.iter().find(|(known, _)| *known == opt).map(|(_, value)| value)
    }

    /// Name and port under which the program's binary log streams register (`MARIADB_OPT_RPL_REGISTER_REPLICA`).
    pub fn replica(&self) -> Option<(&[u8], u32)> {
        match self.get(Opt::RegisterReplica) {
            Some(Value::Numbered(host, port)) => Some((host.strip_suffix(&[0]).unwrap_or(host), *port & 0xFFFF)),
            _ => None,
        }
    }

    /// A connect begins. libmysqlclient adds its flags to the options.
    pub fn connects(&mut self, family: Family, flags: u64) {
        let before = self.remembers && family == Family::MySql;
        self.remembers = before || flags & client_flag::CLIENT_REMEMBER_OPTIONS != 0;
        if self.bare == Bare::Wholly {
            self.bare = Bare::Partly;
        }
    }

    /// Whether options outlive the failure of the connect that is under way.
    pub fn remembers(&self) -> bool {
        self.remembers
    }

    /// Whether the program has asked for the `_start` functions.
    pub fn is_nonblocking(&self) -> bool {
        self.get(Opt::NonBlock).is_some()
    }
}

/// Bytes of a length in front of a text, as the login packet has them.
fn length_size(length: usize) -> usize {
    match length {
        0..=250 => 1,
        251..=0xFFFF => 3,
        _ => 4,
    }
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
            Kind::Factor => {
                let number = if arg.is_null() { 0 } else { arg.cast::<c_uint>().read_unaligned() };
                Value::Numbered([c_bytes(second.cast()).unwrap_or_default(), &[0]].concat(), number)
            }
            Kind::TextNumber => {
                Value::Numbered([c_bytes(arg.cast()).unwrap_or_default(), &[0]].concat(), second.addr() as u32)
            }
            Kind::Bytes if arg.is_null() || second.is_null() => Value::Text(None),
            Kind::Bytes => Value::Text(Some(slice(arg.cast(), second.addr() as c_ulong).to_vec())),
            Kind::Pointers => Value::Pointers(arg, second),
            Kind::Named if arg.is_null() || second.is_null() => Value::None,
            Kind::Named => Value::Named(c_bytes(arg.cast()).unwrap_or_default().to_vec(), second.cast_mut()),
        }
    }
}

/// Sets one option.
///
/// # Safety
/// `mysql` is NULL or a valid handle; the arguments are what the option asks for.
unsafe fn set<F: Abi>(mysql: *mut F::Mysql, number: c_uint, arg: *const c_void, second: *const c_void) -> c_int {
    if mysql.is_null() {
        // SAFETY: the caller's promise.
        return unsafe { set_default(F::FAMILY, number, arg) };
    }
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
    let value = match canonical_folder(opt, value) {
        Ok(value) => value,
        Err(message) => {
            set_error::<F>(mysql, cr::LOAD_DATA_LOCAL_INFILE_REALPATH_FAIL, b"HY000", message.as_bytes());
            return 1;
        }
    };
    let settings = &mut handle.settings;
    if opt == Opt::AttributeAdd && !settings.attribute_fits(&value, F::FAMILY) {
        set_error::<F>(mysql, cr::INVALID_PARAMETER_NO, b"HY000", b"Invalid parameter number");
        return 1;
    }
    if !apply(handle.session.options(), settings, opt, &value) {
        let (code, text): (u32, &[u8]) = match opt {
            Opt::AttributeAdd => (cr::DUPLICATE_CONNECTION_ATTR, b"There is an attribute with the same name already"),
            Opt::UserData => (cr::INVALID_PARAMETER_NO, b"Invalid parameter number"),
            Opt::FactorPassword => (
                cr::INVALID_FACTOR_NO,
                b"Invalid first argument for MYSQL_OPT_USER_PASSWORD option. Valid value should be between 1 and 3 \
                  inclusive.",
            ),
            // As the original: no error is told.
            Opt::TlsVersion | Opt::Protocol | Opt::TlsMode => return 1,
            _ => {
                let error = Error::not_implemented(F::FAMILY);
                set_error::<F>(mysql, error.code, &error.sqlstate, &error.message);
                return 1;
            }
        };
        set_error::<F>(mysql, code, b"HY000", text);
        return 1;
    }
    settings.note(opt, &value);
    if F::FAMILY == Family::MySql && number == super::family::options::mysql::MYSQL_OPT_NAMED_PIPE {
        handle.session.options().protocol = Protocol::Pipe;
    }
    if settings.bare == Bare::Wholly && is_newer(opt) {
        settings.bare = Bare::Partly;
    }
    handle.front.connect_attrs_len = settings.attributes_size();
    if opt != Opt::FactorPassword {
        handle.settings.put(opt, value);
    }
    // SAFETY: lent through `mysql`.
    unsafe { publish_options::<F>(mysql, handle) };
    0
}

/// Sets one of the two limits that a process has, too.
///
/// # Safety
/// `arg` points to what the option's kind says, or is NULL.
unsafe fn set_default(family: Family, number: c_uint, arg: *const c_void) -> c_int {
    let Some((opt @ (Opt::MaxAllowedPacket | Opt::NetBufferLength), kind)) = row(family, number) else { return 1 };
    // SAFETY: the caller's promise.
    let Value::Number(bytes) = (unsafe { value(kind, arg, std::ptr::null()) }) else { return 1 };
    match opt {
        Opt::MaxAllowedPacket => misc::set_max_allowed_packet(bytes),
        _ => misc::set_net_buffer_length(bytes),
    }
    0
}

/// The folder of files that may be sent, without links and detours and with a slash at its end; the error's text if
/// there is none. Other options stay as they are.
fn canonical_folder(opt: Opt, value: Value) -> Result<Value, String> {
    let Value::Text(Some(text)) = &value else { return Ok(value) };
    let text = text.strip_suffix(&[0]).unwrap_or(text);
    if opt != Opt::LocalDir {
        return Ok(value);
    }
    if text.is_empty() {
        // An empty name stands for no folder, and is read back as NULL, as in the original.
        return Ok(Value::Text(None));
    }
    let folder = path(text);
    match folder.canonicalize() {
        Ok(folder) => Ok(Value::Text(Some([folder.as_os_str().as_bytes(), b"/\0"].concat()))),
        Err(error) => {
            let number = error.raw_os_error().unwrap_or_default();
            let text = error.to_string();
            let reason = text.split(" (os error").next().unwrap_or_default();
            Err(format!("Determining the real path for '{}' failed with error ({number}): {reason}", folder.display()))
        }
    }
}

/// Options that libmysqlclient keeps apart from those that it had in the beginning.
fn is_newer(opt: Opt) -> bool {
    !matches!(
        opt,
        Opt::ConnectTimeout
            | Opt::ReadTimeout
            | Opt::WriteTimeout
            | Opt::Protocol
            | Opt::InitCommand
            | Opt::CharsetName
            | Opt::Bind
            | Opt::MaxAllowedPacket
            | Opt::ReportDataTruncation
            | Opt::Compress
            | Opt::Nothing
    )
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
pub(super) unsafe fn publish_options<F: Abi>(mysql: *mut F::Mysql, handle: &mut Handle<F>) {
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
        (F::opt_host(mysql), text(Opt::Host)),
        (F::opt_user(mysql), text(Opt::User)),
        (F::opt_password(mysql), text(Opt::Password)),
        (F::opt_unix_socket(mysql), text(Opt::Socket)),
        (F::opt_db(mysql), text(Opt::Schema)),
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

/// A connect failed: the originals forget all options, and not in favour of the defaults. What the non-blocking calls of
/// Connector/C live in keeps its options.
///
/// # Safety
/// `mysql` is the pointer that lent `handle`.
pub(super) unsafe fn forget<F: Abi>(mysql: *mut F::Mysql, handle: &mut Handle<F>) {
    if F::FAMILY == Family::MariaDb && handle.settings.is_nonblocking() {
        return;
    }
    handle.settings = Settings { bare: Bare::Wholly, ..Settings::default() };
    handle.front.connect_attrs_len = 0;
    let options = handle.session.options();
    *options = Options {
        report_data_truncation: false,
        default_max_packet: options.default_max_packet,
        program: std::mem::take(&mut options.program),
        ..Options::new(F::FAMILY)
    };
    // SAFETY: the caller's promise.
    unsafe { publish_options::<F>(mysql, handle) };
}

/// Takes over the option fields that clients write without a call, before connecting.
///
/// # Safety
/// `mysql` is the pointer that lent `handle`.
pub(super) unsafe fn honour_fields<F: Abi>(mysql: *mut F::Mysql, handle: &mut Handle<F>) {
    let options = handle.session.options();
    options.default_max_packet = misc::max_allowed_packet() as u64;
    // SAFETY: accessors give addresses inside `mysql`.
    unsafe {
        options.connect_timeout = seconds(u64::from(F::opt_connect_timeout(mysql).read()));
        if let Some(place) = F::reconnect(mysql) {
            options.reconnect = place.read() != 0;
        }
    }
}

/// Takes a connection string in the place of the host apart (MariaDB family).
///
/// Errors: 5011 with the place of a mistake.
pub(super) fn read_connection_string<F: Abi>(handle: &mut Handle<F>, args: &mut ConnectArgs) -> Result<(), Error> {
    if F::FAMILY == Family::MySql || !args.host.as_ref().is_some_and(|host| host.contains(&b';')) {
        return Ok(());
    }
    let text = args.host.take().unwrap_or_default();
    option_file::apply_connection_string(handle.session.options(), &text)
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
    /// `mysql` is NULL (for the two packet sizes of the process) or a valid handle; `arg` points to what the option asks for.
    fn mysql_options<F>(mysql: *mut F::Mysql, option: c_uint, arg: *const c_void) -> c_int;
    optional mysql, fails 1, {
        let takes_two = matches!(row(F::FAMILY, option), Some((Opt::AttributeAdd | Opt::FactorPassword, _)));
        if F::FAMILY == Family::MySql && takes_two {
            return 1;
        }
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
        let takes_two = matches!(row(F::FAMILY, option), Some((Opt::AttributeAdd | Opt::FactorPassword, _)));
        if F::FAMILY == Family::MySql && !takes_two {
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
    optional mysql, fails 1, {
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
        unsafe { read::get::<F>(mysql, option, [arg, std::ptr::null_mut(), std::ptr::null_mut()]) }
    }
}

entry! {
    /// Variadic form of [`mysql_get_option`]: init commands take an array's and a number's place, connection attributes
    /// two arrays to be filled and a number's place, the program's own data a name and a pointer's place.
    ///
    /// # Safety
    /// As [`mysql_get_option`]; all places are NULL or writable.
    fn mysql_get_optionv<F>(
        mysql: *mut F::Mysql, option: c_uint, arg: *mut c_void, second: *mut c_void, third: *mut c_void,
    ) -> c_int;
    plain, fails 1, {
        // SAFETY: the caller's promise.
        unsafe { read::get::<F>(mysql, option, [arg, second, third]) }
    }
}

entry! {
    /// Sets the five TLS files at once; NULL = none. In the MariaDB family it also asks for TLS, whatever is given.
    /// Returns: 0.
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
        if F::FAMILY == Family::MariaDb {
            let enforced = Value::Flag(true);
            apply(handle.session.options(), &mut handle.settings, Opt::TlsEnforce, &enforced);
            handle.settings.put(Opt::TlsEnforce, enforced);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_folder_of_local_files_is_none_and_a_missing_one_is_refused() {
        let folder = |text: &[u8]| canonical_folder(Opt::LocalDir, Value::Text(Some(text.to_vec())));
        assert!(matches!(folder(b"\0"), Ok(Value::Text(None))));
        assert!(matches!(folder(b"/tmp/.\0"), Ok(Value::Text(Some(text))) if text.ends_with(b"/\0")));
        assert!(folder(b"/nonexistent\0").is_err_and(|text| text.contains("'/nonexistent'")));
    }
}
