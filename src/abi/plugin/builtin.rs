//! The authentication methods that are compiled in, as programs see them: heads of plugins, and functions that do the
//! methods' work for a program's own plugin that asks them to.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::ptr::{self, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

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

const fn mysql_method(name: &'static CStr, version: [c_uint; 3], about: &'static CStr) -> Method<mysql::ClientPlugin> {
    method(mysql::ClientPlugin {
        r#type: AUTHENTICATION,
        interface_version: 0x0200,
        name: name.as_ptr().cast_mut(),
        author: AUTHOR.as_ptr(),
        desc: about.as_ptr(),
        version,
        license: LICENSE.as_ptr(),
        mysql_api: null_mut(),
        init: None,
        deinit: None,
        options: None,
        get_options: None,
    })
}

const fn mariadb_method(
    name: &'static CStr,
    version: [c_uint; 3],
    about: &'static CStr,
) -> Method<mariadb::ClientPlugin> {
    method(mariadb::ClientPlugin {
        r#type: AUTHENTICATION,
        interface_version: 0x0100,
        name: name.as_ptr().cast_mut(),
        author: AUTHOR.as_ptr(),
        desc: about.as_ptr(),
        version,
        license: LICENSE.as_ptr(),
        mysql_api: null_mut(),
        init: None,
        deinit: None,
        options: None,
    })
}

// The versions of the originals' plugins of these names.
static MYSQL: Methods<4, mysql::ClientPlugin> = Methods([
    mysql_method(c"caching_sha2_password", [1, 0, 0], c"SHA-256 with a cache"),
    mysql_method(c"sha256_password", [1, 0, 0], c"SHA-256"),
    mysql_method(c"mysql_clear_password", [0, 1, 0], c"The password in the clear"),
    mysql_method(c"mysql_native_password", [0, 1, 0], c"SHA-1"),
]);

static MARIADB: Methods<7, mariadb::ClientPlugin> = Methods([
    mariadb_method(c"mysql_native_password", [1, 0, 0], c"SHA-1"),
    mariadb_method(c"caching_sha2_password", [0, 1, 0], c"SHA-256 with a cache"),
    mariadb_method(c"sha256_password", [0, 1, 0], c"SHA-256"),
    mariadb_method(c"mysql_clear_password", [0, 1, 0], c"The password in the clear"),
    mariadb_method(c"dialog", [0, 1, 0], c"Questions and answers"),
    mariadb_method(c"client_ed25519", [0, 1, 0], c"A signature with Ed25519"),
    mariadb_method(c"parsec", [0, 1, 1], c"A signature with Ed25519 and a derived key"),
]);

/// How many of each table the original has without a file: those that no program can register by that name.
const RESIDENT: (usize, usize) = (3, 1);

/// Which of the others a program has looked for: the original has loaded their files then. By family and place.
static LOADED: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];

/// The place of a compiled-in method, and its head.
fn place<A: Abi>(name: &[u8]) -> Option<(usize, *mut A::ClientPlugin)> {
    let is_it = |found: *mut c_char| {
        // SAFETY: a constant of the tables above.
        unsafe { CStr::from_ptr(found) }.to_bytes() == name
    };
    match A::FAMILY {
        Family::MySql => {
            let at = MYSQL.0.iter().position(|method| is_it(method.head.name))?;
            Some((at, ptr::from_ref(&MYSQL.0[at]).cast_mut().cast()))
        }
        Family::MariaDb => {
            let at = MARIADB.0.iter().position(|method| is_it(method.head.name))?;
            Some((at, ptr::from_ref(&MARIADB.0[at]).cast_mut().cast()))
        }
    }
}

fn loaded(family: Family) -> (&'static AtomicU32, usize) {
    match family {
        Family::MySql => (&LOADED[0], RESIDENT.0),
        Family::MariaDb => (&LOADED[1], RESIDENT.1),
    }
}

/// The compiled-in method of this name, if the original has it by now.
pub(super) fn there<A: Abi>(name: &[u8]) -> Option<*mut A::ClientPlugin> {
    let (at, plugin) = place::<A>(name)?;
    let (loaded, resident) = loaded(A::FAMILY);
    (at < resident || loaded.load(Ordering::Relaxed) & 1 << at != 0).then_some(plugin)
}

/// The compiled-in method of this name, which the original has from now on.
pub(super) fn load<A: Abi>(name: &[u8]) -> Option<*mut A::ClientPlugin> {
    let (at, plugin) = place::<A>(name)?;
    loaded(A::FAMILY).0.fetch_or(1 << at, Ordering::Relaxed);
    Some(plugin)
}

/// The library has ended: files are to be loaded anew.
pub(super) fn end<A: Abi>() {
    loaded(A::FAMILY).0.store(0, Ordering::Relaxed);
}
