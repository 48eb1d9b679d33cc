//! Client plugins. No plugin is ever loaded: every authentication method is compiled in, and programs that look one up are
//! told that it is there.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{self, null_mut};

use super::convert::c_bytes;
use super::entry::{entry, set_error};
use super::family::errors::mysql::CR_AUTH_PLUGIN_CANNOT_LOAD;
use super::family::{Abi, Function, mariadb, mysql};
use crate::options::Family;

/// `MYSQL_CLIENT_AUTHENTICATION_PLUGIN`.
const AUTHENTICATION: c_int = 2;

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
fn compiled_in<A: Abi>(name: &[u8]) -> Option<*mut A::ClientPlugin> {
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

/// Error 2059 in the family's words.
fn no_plugin<A: Abi>(mysql: *mut A::Mysql, name: *const c_char) -> *mut A::ClientPlugin {
    // SAFETY: the program promises a NUL-ended string.
    let name = String::from_utf8_lossy(unsafe { c_bytes(name) }.unwrap_or_default());
    let text = match A::FAMILY {
        Family::MySql => format!("Authentication plugin '{name}' cannot be loaded: mysqlclient-ms has no plugin files"),
        Family::MariaDb => {
            format!("Plugin {name} could not be loaded: mysqlclient-ms has no plugin files")
        }
    };
    set_error::<A>(mysql, CR_AUTH_PLUGIN_CANNOT_LOAD, b"HY000", text.as_bytes());
    null_mut()
}

entry! {
    /// Looks a client plugin up: an authentication method that is compiled in.
    ///
    /// Source: manuals of both. Returns: its head, a constant whose functions are not to be called; else NULL. Errors: 2059.
    /// # Safety
    /// `mysql`: valid handle; `name`: NUL-ended string or NULL.
    fn mysql_client_find_plugin<A>(mysql: *mut A::Mysql, name: *const c_char, kind: c_int) -> *mut A::ClientPlugin;
    handle mysql, fails null_mut(), {
        // SAFETY: the program promises a NUL-ended string.
        let found = unsafe { c_bytes(name) }.filter(|_| kind == AUTHENTICATION).and_then(compiled_in::<A>);
        match found {
            Some(method) => method,
            None => no_plugin::<A>(mysql, name),
        }
    }
}

entry! {
    /// Sets an option of a plugin. Those that are compiled in have none.
    ///
    /// Source: MySQL manual. Returns: what the plugin's own function returns; 1 without one.
    /// # Safety
    /// `plugin`: NULL or a plugin's head; the others are for the plugin.
    fn mysql_plugin_options<A>(plugin: *mut mysql::ClientPlugin, option: *const c_char, value: *const c_void) -> c_int;
    plain, fails 1, {
        type Set = unsafe extern "C" fn(*const c_char, *const c_void) -> c_int;
        // SAFETY: the program promises a plugin's head.
        let Some(set) = (unsafe { plugin.as_ref() }).and_then(|plugin| plugin.options) else { return 1 };
        // SAFETY: the field of a plugin's head that holds such a function.
        let set = unsafe { std::mem::transmute::<unsafe extern "C" fn(), Set>(set) };
        // SAFETY: the program's own plugin and arguments.
        unsafe { set(option, value) }
    }
}

entry! {
    /// Reads an option of a plugin. Those that are compiled in have none.
    ///
    /// Source: MySQL manual. Returns: what the plugin's own function returns; 1 without one.
    /// # Safety
    /// `plugin`: NULL or a plugin's head; the others are for the plugin.
    fn mysql_plugin_get_option<A>(plugin: *mut mysql::ClientPlugin, option: *const c_char, value: *mut c_void) -> c_int;
    plain, fails 1, {
        type Get = unsafe extern "C" fn(*const c_char, *mut c_void) -> c_int;
        // SAFETY: the program promises a plugin's head.
        let Some(get) = (unsafe { plugin.as_ref() }).and_then(|plugin| plugin.get_options) else { return 1 };
        // SAFETY: the field of a plugin's head that holds such a function.
        let get = unsafe { std::mem::transmute::<unsafe extern "C" fn(), Get>(get) };
        // SAFETY: the program's own plugin and arguments.
        unsafe { get(option, value) }
    }
}

entry! {
    /// Adds a plugin of the program's. There is no plugin interface.
    ///
    /// Source: manuals of both. Returns: NULL. Errors: 2059 in the handle.
    /// # Safety
    /// `mysql`: valid handle; `plugin`: NULL or a plugin's head, whose name is a NUL-ended string.
    fn mysql_client_register_plugin<A>(mysql: *mut A::Mysql, plugin: *mut A::ClientPlugin) -> *mut A::ClientPlugin;
    handle mysql, fails null_mut(), {
        let name = if plugin.is_null() {
            std::ptr::null()
        } else {
            // SAFETY: the name is at the same place in both families, in a struct that the program promises.
            unsafe { *A::plugin_name(plugin) }
        };
        no_plugin::<A>(mysql, name)
    }
}

entry! {
    /// Loads a plugin from a file. None is ever loaded.
    ///
    /// Source: manuals of both; C-variadic, the arguments are for the plugin. Returns: NULL. Errors: 2059 in the handle.
    /// # Safety
    /// `mysql`: valid handle; `name`: NUL-ended string or NULL.
    fn mysql_load_plugin<A>(mysql: *mut A::Mysql, name: *const c_char, _kind: c_int, _argc: c_int) -> *mut A::ClientPlugin;
    handle mysql, fails null_mut(), { no_plugin::<A>(mysql, name) }
}

entry! {
    /// The same with a `va_list`.
    ///
    /// Source: manuals of both. Returns: NULL. Errors: 2059 in the handle.
    /// # Safety
    /// `mysql`: valid handle; `name`: NUL-ended string or NULL.
    fn mysql_load_plugin_v<A>(
        mysql: *mut A::Mysql, name: *const c_char, _kind: c_int, _argc: c_int, _args: *mut c_void,
    ) -> *mut A::ClientPlugin;
    handle mysql, fails null_mut(), { no_plugin::<A>(mysql, name) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::family::MySql;

    #[test]
    fn plugins_fail_with_2059() {
        // SAFETY: all bytes zero is a valid handle.
        let mut handle: Box<mysql::Mysql> = Box::new(unsafe { std::mem::zeroed() });
        // SAFETY: a valid handle, a NUL-ended string.
        let plugin = unsafe { mysql_client_find_plugin::<MySql>(&mut *handle, c"dialog".as_ptr(), 2) };
        assert!(plugin.is_null());
        assert_eq!(handle.net.last_errno, 2059);
    }

    #[test]
    fn compiled_in_methods_are_found() {
        // SAFETY: all bytes zero is a valid handle.
        let mut handle: Box<mysql::Mysql> = Box::new(unsafe { std::mem::zeroed() });
        // SAFETY: a valid handle, a NUL-ended string.
        let plugin = unsafe { mysql_client_find_plugin::<MySql>(&mut *handle, c"sha256_password".as_ptr(), 2) };
        // SAFETY: a constant.
        assert_eq!(unsafe { (*plugin).interface_version }, 0x0200);
        // SAFETY: a constant; the rest is not read.
        assert_eq!(unsafe { mysql_plugin_options::<MySql>(plugin, ptr::null(), ptr::null()) }, 1);
    }
}
