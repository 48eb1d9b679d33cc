//! `mysql_real_connect_dns_srv`: connects to one of the hosts that the name service tells for a service.
//!
//! The system's resolver is asked, which is looked for when it is needed. It waits, as the originals'.

#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_uchar, c_uint, c_ulong, c_void};
use std::ptr;

use crate::env::SystemRandom;
use crate::session::srv::{self, Service};

use super::connect::mysql_real_connect;
use super::entry::{entry, set_error};
use super::family::constants::client_flag::CLIENT_REMEMBER_OPTIONS;
use super::family::errors::mysql::CR_DNS_SRV_LOOKUP_FAILED;

const CLASS_IN: c_int = 1;
const TYPE_SRV: c_int = 33;
/// Bytes of an answer, at most.
const ANSWER: usize = 64 << 10;

/// `NO_RECOVERY`: there is no resolver, or it says nonsense.
const NO_RECOVERY: c_int = 3;

type Search = unsafe extern "C" fn(*const c_char, c_int, c_int, *mut c_uchar, c_int) -> c_int;
type ErrorPlace = unsafe extern "C" fn() -> *mut c_int;

/// Asks the system's resolver; the error is an `h_errno`.
///
/// # Safety
/// `name` is a NUL-ended string.
unsafe fn look_up(name: *const c_char) -> Result<Vec<Service>, c_int> {
    // SAFETY: a name; the library is the system's and stays.
    let resolver = unsafe { libc::dlopen(c"libresolv.so.2".as_ptr(), libc::RTLD_LAZY) };
    if resolver.is_null() {
        return Err(NO_RECOVERY);
    }
    let find = |name: &std::ffi::CStr| {
        // SAFETY: what dlopen gave, and a name.
        unsafe { libc::dlsym(resolver, name.as_ptr()) }
    };
    let mut search = find(c"res_search");
    if search.is_null() {
        // As systems before 2021 call it.
        search = find(c"__res_search");
    }
    let place = find(c"__h_errno_location");
    if search.is_null() || place.is_null() {
        return Err(NO_RECOVERY);
    }
    // SAFETY: the functions' types, from the system's headers.
    let (search, place) = unsafe {
        (std::mem::transmute::<*mut c_void, Search>(search), std::mem::transmute::<*mut c_void, ErrorPlace>(place))
    };
    let mut answer = vec![0; ANSWER];
    // SAFETY: the caller's promise; a buffer of so many bytes.
    let length = unsafe { search(name, CLASS_IN, TYPE_SRV, answer.as_mut_ptr(), ANSWER as c_int) };
    let Ok(length) = usize::try_from(length) else {
        // SAFETY: the calling thread's.
        return Err(unsafe { place().read() });
    };
    srv::parse(&answer[..length.min(ANSWER)]).map_err(|_| NO_RECOVERY)
}

entry! {
    /// Connects to the hosts of a service, one after the other, until one takes the connection (MySQL family).
    ///
    /// Routing: each host is an argument as in `mysql_real_connect`. Source: MySQL manual, RFC 2782. Returns: `mysql`; NULL
    /// on an error. Errors: 2070; those of the last host.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; `service` is NULL or, as the other texts, a NUL-ended string.
    fn mysql_real_connect_dns_srv<F>(
        mysql: *mut F::Mysql, service: *const c_char, user: *const c_char, passwd: *const c_char, db: *const c_char,
        client_flag: c_ulong,
    ) -> *mut F::Mysql;
    handle mysql, fails ptr::null_mut(), {
        let service = if service.is_null() { c"".as_ptr() } else { service };
        // SAFETY: the caller's promise.
        let services = match unsafe { look_up(service) } {
            Ok(services) => services,
            Err(code) => {
                let text = format!("DNS SRV lookup failed with error : {code}");
                set_error::<F>(mysql, CR_DNS_SRV_LOOKUP_FAILED, b"HY000", text.as_bytes());
                return ptr::null_mut();
            }
        };
        for Service { host, port, .. } in srv::order(services, &mut SystemRandom::new()) {
            let Ok(host) = CString::new(host) else { continue };
            let flags = client_flag | CLIENT_REMEMBER_OPTIONS as c_ulong;
            let port = c_uint::from(port);
            // SAFETY: the caller's promise.
            let connected = unsafe {
                mysql_real_connect::<F>(mysql, host.as_ptr(), user, passwd, db, port, ptr::null(), flags)
            };
            if !connected.is_null() {
                return connected;
            }
        }
        ptr::null_mut()
    }
}
