//! The authentication methods that are compiled in, as programs see them: heads of plugins, and functions that do the
//! methods' work for a program's own plugin that asks them to.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::ptr::{self, null_mut};

use crate::abi::family::{Abi, Function, mariadb, mysql};
use crate::options::Family;

use super::AUTHENTICATION;

/// A compiled-in authentication method as programs see it: the family's head, and the functions behind it.
#[repr(C)]
struct Method<Head> {
    head: Head,
    authenticate: Function,
    more: [Function; 2],
}

/// Never written.
struct Methods<const N: usize, Head>([Method<Head>; N]);
// SAFETY: pointers to constants and functions.
unsafe impl<const N: usize, Head> Sync for Methods<N, Head> {}

/// In the place of a method's function: `CR_ERROR`.
unsafe extern "C" fn refused() -> c_int {
    0
}

const AUTHOR: &CStr = c"mysqlclient-ms";
const LICENSE: &CStr = c"MIT OR Apache-2.0";

const fn method<Head>(head: Head) -> Method<Head> {
    // SAFETY: only a program would call it, as the function that it is.
    let refused = unsafe { std::mem::transmute::<unsafe extern "C" fn() -> c_int, unsafe extern "C" fn()>(refused) };
    Method { head, authenticate: Some(refused), more: [None, None] }
}

const fn mysql_method(name: &'static CStr, about: &'static CStr) -> Method<mysql::ClientPlugin> {
    method(mysql::ClientPlugin {
        r#type: AUTHENTICATION,
        interface_version: 0x0200,
        name: name.as_ptr().cast_mut(),
        author: AUTHOR.as_ptr(),
        desc: about.as_ptr(),
        version: [1, 0, 0],
        license: LICENSE.as_ptr(),
        mysql_api: null_mut(),
        init: None,
        deinit: None,
        options: None,
        get_options: None,
    })
}

const fn mariadb_method(name: &'static CStr, about: &'static CStr) -> Method<mariadb::ClientPlugin> {
    method(mariadb::ClientPlugin {
        r#type: AUTHENTICATION,
        interface_version: 0x0100,
        name: name.as_ptr().cast_mut(),
        author: AUTHOR.as_ptr(),
        desc: about.as_ptr(),
        version: [1, 0, 0],
        license: LICENSE.as_ptr(),
        mysql_api: null_mut(),
        init: None,
        deinit: None,
        options: None,
    })
}

static MYSQL: Methods<3, mysql::ClientPlugin> = Methods([
    mysql_method(c"caching_sha2_password", c"SHA-256 with a cache"),
    mysql_method(c"sha256_password", c"SHA-256"),
    mysql_method(c"mysql_clear_password", c"The password in the clear"),
]);

static MARIADB: Methods<4, mariadb::ClientPlugin> = Methods([
    mariadb_method(c"mysql_native_password", c"SHA-1"),
    mariadb_method(c"caching_sha2_password", c"SHA-256 with a cache"),
    mariadb_method(c"sha256_password", c"SHA-256"),
    mariadb_method(c"mysql_clear_password", c"The password in the clear"),
]);

/// The compiled-in method of this name.
pub(super) fn find<A: Abi>(name: &[u8]) -> Option<*mut A::ClientPlugin> {
    let is_it = |found: *mut c_char| {
        // SAFETY: a constant of the tables above.
        unsafe { CStr::from_ptr(found) }.to_bytes() == name
    };
    match A::FAMILY {
        Family::MySql => {
            MYSQL.0.iter().find(|method| is_it(method.head.name)).map(|method| ptr::from_ref(method).cast_mut().cast())
        }
        Family::MariaDb => MARIADB
            .0
            .iter()
            .find(|method| is_it(method.head.name))
            .map(|method| ptr::from_ref(method).cast_mut().cast()),
    }
}
