//! Reading options back.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::time::Duration;

use crate::abi::convert::{c_bytes, put};
use crate::abi::entry::set_error;
use crate::abi::family::Abi;
use crate::abi::family::constants::client_flag;
use crate::abi::handle::Handle;
use crate::abi::misc;
use crate::error::Error;
use crate::options::{Family, Options, TlsMode};

use super::table::{Kind, Opt, row};
use super::{Bare, Settings, Value};

/// Options that the family's original sets and does not read.
fn is_hidden(opt: Opt, family: Family) -> bool {
    let mariadb = matches!(
        opt,
        Opt::ClearTextPlugin
            | Opt::AttributesReset
            | Opt::AttributeAdd
            | Opt::AttributeDelete
            | Opt::Host
            | Opt::User
            | Opt::Password
            | Opt::Schema
            | Opt::Port
            | Opt::Socket
            | Opt::FoundRows
            | Opt::MultiResults
            | Opt::MultiStatements
            | Opt::Interactive
            | Opt::ProxyHeader
            | Opt::RestrictedAuth
            | Opt::RegisterReplica
            | Opt::StatusCallback
            | Opt::Nothing
    );
    let mysql = matches!(
        opt,
        Opt::InitCommand
            | Opt::AttributesReset
            | Opt::AttributeAdd
            | Opt::AttributeDelete
            | Opt::CompressionAlgorithms
            | Opt::ZstdLevel
            | Opt::FactorPassword
    );
    if family == Family::MySql { mysql } else { mariadb }
}

/// # Safety
/// As [`super::mysql_get_optionv`].
pub(super) unsafe fn get<F: Abi>(mysql: *mut F::Mysql, option: c_uint, places: [*mut c_void; 3]) -> c_int {
    let mariadb = F::FAMILY == Family::MariaDb;
    // SAFETY: the caller's promise.
    let mut handle = unsafe { Handle::<F>::lend(mysql) };
    let known = row(F::FAMILY, option).filter(|(opt, _)| !is_hidden(*opt, F::FAMILY));
    let Some((opt, kind)) = known else {
        if mariadb && handle.is_some() {
            let error = Error::not_implemented(F::FAMILY);
            set_error::<F>(mysql, error.code, &error.sqlstate, &error.message);
        }
        return 1;
    };
    let several = matches!(opt, Opt::InitCommand | Opt::AttributesAll | Opt::UserData);
    if places[0].is_null() && !several {
        return 1;
    }
    if handle.is_none() && !matches!(opt, Opt::MaxAllowedPacket | Opt::NetBufferLength) {
        return 1;
    }
    if let Some(handle) = &handle
        && several
    {
        // SAFETY: the caller's promise.
        return unsafe { get_several(&handle.settings, opt, places) };
    }
    let charset = handle.as_ref().map(|handle| handle.session.charset().charset().c_name());
    let connected = handle.as_ref().is_some_and(|handle| handle.session.was_connected());
    let defaults = Options { max_allowed_packet: misc::max_allowed_packet() as u64, ..Options::new(F::FAMILY) };
    let options = match &mut handle {
        Some(handle) => &*handle.session.options(),
        None => &defaults,
    };
    let mut number = number(options, opt);
    let tls = options.tls.mode;
    let flags = client_flag::CLIENT_COMPRESS | client_flag::CLIENT_ZSTD_COMPRESSION_ALGORITHM;
    let compressed = options.client_flags & flags != 0;
    let given = handle.as_ref().and_then(|handle| handle.settings.get(opt));
    if let (Some(handle), None, Family::MySql) = (&handle, given, F::FAMILY) {
        match (opt, handle.settings.bare) {
            (Opt::RetryCount, Bare::Wholly) => number = 1,
            (Opt::TlsMode, Bare::Wholly | Bare::Partly) if tls == TlsMode::Preferred => number = 0,
            _ => {}
        }
    }
    let arg = places[0];
    // SAFETY: the caller's promise.
    unsafe {
        match kind {
            Kind::Number => {
                let number = match given {
                    Some(Value::Number(given)) if has_no_effect(opt) => *given,
                    _ => number,
                };
                put(arg.cast(), number as c_uint);
            }
            Kind::Long => put(arg.cast(), number as c_ulong),
            Kind::Flag => put(arg.cast(), c_char::from(number != 0 || matches!(given, Some(Value::Flag(true))))),
            Kind::Text => {
                let text = match (given, charset) {
                    // Connector/C tells the handle's present character set, and no folder of them.
                    (_, Some(name)) if mariadb && opt == Opt::CharsetName => name.as_ptr(),
                    _ if mariadb && opt == Opt::CharsetDir => std::ptr::null(),
                    (Some(Value::Text(Some(text))), _) => text.as_ptr().cast::<c_char>(),
                    // libmysqlclient writes its own into the options when it connects.
                    _ if opt == Opt::CharsetName && connected => c"utf8mb4".as_ptr(),
                    _ => std::ptr::null(),
                };
                put(arg.cast(), text);
            }
            Kind::Pointers => {
                let pointer = match given {
                    Some(Value::Pointers(pointer, _)) => *pointer,
                    _ => std::ptr::null(),
                };
                put(arg.cast(), pointer);
            }
            Kind::None if opt == Opt::Compress => {
                put(arg.cast(), c_char::from(compressed));
            }
            // Set by being named.
            Kind::None if matches!(opt, Opt::NamedPipe | Opt::NonBlock) => {
                put(arg.cast(), c_char::from(given.is_some()));
            }
            Kind::None | Kind::Pair | Kind::Factor | Kind::TextNumber | Kind::Bytes | Kind::Named => return 1,
        }
    }
    0
}

/// Numbers that are kept for the getter only.
fn has_no_effect(opt: Opt) -> bool {
    matches!(opt, Opt::RetryCount | Opt::TlsFips | Opt::TlsCipherStrength)
}

/// The present value of an option that is a number or a flag.
fn number(options: &Options, opt: Opt) -> u64 {
    let time = |limit: Option<Duration>| limit.map_or(0, |limit| limit.as_secs());
    let has = |flag: u64| u64::from(options.client_flags & flag != 0);
    match opt {
        Opt::ConnectTimeout => time(options.connect_timeout),
        Opt::ReadTimeout => time(options.read_timeout),
        Opt::WriteTimeout => time(options.write_timeout),
        Opt::LocalInfile => u64::from(options.local_infile),
        Opt::Protocol => options.protocol as u64,
        Opt::ReportDataTruncation => u64::from(options.report_data_truncation),
        Opt::Reconnect => u64::from(options.reconnect),
        Opt::TlsMode => options.tls.mode as u64 + 1,
        // Besides the flag itself.
        Opt::TlsEnforce => u64::from(options.tls.fingerprint.is_some() || options.tls.fingerprint_list.is_some()),
        Opt::GetServerPublicKey => u64::from(options.get_server_public_key),
        Opt::ClearTextPlugin => u64::from(options.cleartext_plugin),
        Opt::OptionalMetadata => has(client_flag::CLIENT_OPTIONAL_RESULTSET_METADATA),
        Opt::ExpiredPasswords => has(client_flag::CLIENT_CAN_HANDLE_EXPIRED_PASSWORDS),
        Opt::MaxAllowedPacket => options.max_allowed_packet,
        Opt::NetBufferLength => misc::net_buffer_length() as u64,
        _ => 0,
    }
}

/// Options with several values (MariaDB family).
///
/// # Safety
/// As [`super::mysql_get_optionv`].
unsafe fn get_several(settings: &Settings, opt: Opt, places: [*mut c_void; 3]) -> c_int {
    // SAFETY: the caller's promise, for every pointer that is looked at.
    unsafe {
        match opt {
            Opt::InitCommand => {
                let array = &settings.init_array;
                put(places[0].cast(), if array.is_empty() { std::ptr::null() } else { array.as_ptr() });
                put(places[1].cast(), array.len() as c_uint);
            }
            Opt::AttributesAll => {
                if places[2].is_null() {
                    return 1;
                }
                put(places[2].cast(), settings.attributes.len() as c_uint);
                let array = |place: *mut c_void| {
                    let place = place.cast::<*mut *const c_char>();
                    if place.is_null() { std::ptr::null_mut() } else { place.read_unaligned() }
                };
                let (names, contents) = (array(places[0]), array(places[1]));
                for (index, (name, content)) in settings.attributes.iter().enumerate() {
                    for (array, text) in [(names, name), (contents, content)] {
                        if !array.is_null() {
                            array.add(index).write(text.as_ptr().cast());
                        }
                    }
                }
            }
            _ => {
                let name = c_bytes(places[0].cast_const().cast());
                let found = settings.user_data.iter().find(|(known, _)| Some(known.as_slice()) == name);
                put(places[1].cast(), found.map_or(std::ptr::null_mut(), |(_, data)| *data));
            }
        }
    }
    0
}
