//! Client plugins: those that the program registers, and the heads of the methods that are compiled in. None is loaded
//! from a file.
//!
//! Who uses them for a login is [`run`]; here is who finds them.

#![allow(unsafe_code)]

mod builtin;
mod registry;
mod run;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;

use crate::error::cr;
use crate::options::Family;
use crate::options::methods::Program;

use super::convert::c_bytes;
use super::entry::{clear_error, entry, set_error};
use super::family::{Abi, mysql};
use super::handle::Handle;
use run::OfHandle;
pub(super) use run::Stage;

/// `MYSQL_CLIENT_AUTHENTICATION_PLUGIN`.
const AUTHENTICATION: c_int = 2;

/// The methods of the program, for the handle at `mysql`, which stays where it is.
pub(super) fn program_of<A: Abi>(mysql: *mut A::Mysql) -> Program {
    Program(Some(OfHandle::<A>::of(mysql)))
}

/// Kinds of plugins, and the oldest interface of each that is taken.
fn kinds(family: Family) -> &'static [(c_int, u32)] {
    match family {
        // Authentication, protocol trace, telemetry.
        Family::MySql => &[(AUTHENTICATION, 0x0200), (3, 0x0200), (4, 0x0200)],
        // Authentication, transport, protocol trace, remote files, connection.
        Family::MariaDb => &[(AUTHENTICATION, 0x0100), (101, 0x0100), (102, 0x0100), (100, 0x0100), (103, 0x0100)],
    }
}

/// Error 2059 in the family's words.
fn refuse<A: Abi>(mysql: *mut A::Mysql, name: &[u8], reason: &[u8]) -> *mut A::ClientPlugin {
    let text = match A::FAMILY {
        Family::MySql => [b"Authentication plugin '", name, b"' cannot be loaded: ", reason].concat(),
        Family::MariaDb => [b"Plugin ", name, b" could not be loaded: ", reason].concat(),
    };
    if !mysql.is_null() {
        set_error::<A>(mysql, cr::AUTH_PLUGIN_CANNOT_LOAD, b"HY000", &text);
    }
    null_mut()
}

/// The plugin of this name that is there, the program's or a compiled-in one.
fn known<A: Abi>(name: &[u8], kind: c_int) -> Option<*mut A::ClientPlugin> {
    let of_program = registry::find(A::FAMILY, kind, name).map(|plugin| plugin.cast());
    of_program.or_else(|| if kind == AUTHENTICATION { builtin::there::<A>(name) } else { None })
}

/// What loading the file of a plugin comes to: a compiled-in method that the original has in a file, else error 2059.
///
/// # Safety
/// `mysql` is a valid handle.
unsafe fn load<A: Abi>(mysql: *mut A::Mysql, name: &[u8], kind: c_int) -> *mut A::ClientPlugin {
    if kind >= 0 && known::<A>(name, kind).is_some() {
        return refuse::<A>(mysql, name, b"it is already loaded");
    }
    if (kind < 0 || kind == AUTHENTICATION)
        && let Some(plugin) = builtin::load::<A>(name)
    {
        if !mysql.is_null() {
            clear_error::<A>(mysql);
        }
        return plugin;
    }
    // SAFETY: the caller's promise.
    let Some(handle) = (unsafe { Handle::<A>::lend(mysql) }) else { return null_mut() };
    let reason = handle.session.options().no_plugin(&String::from_utf8_lossy(name));
    refuse::<A>(mysql, name, reason.as_bytes())
}

entry! {
    /// Looks a client plugin up: one that the program registered, or an authentication method that is compiled in.
    ///
    /// Source: manuals of both. Returns: its head; else NULL. Errors: 2059.
    /// # Safety
    /// `mysql`: valid handle; `name`: NUL-ended string or NULL.
    fn mysql_client_find_plugin<A>(mysql: *mut A::Mysql, name: *const c_char, kind: c_int) -> *mut A::ClientPlugin;
    optional mysql, fails null_mut(), {
        // SAFETY: the program promises a NUL-ended string.
        let name = unsafe { c_bytes(name) }.unwrap_or_default();
        match known::<A>(name, kind) {
            Some(plugin) => plugin,
            // SAFETY: the program's promise.
            None => unsafe { load::<A>(mysql, name, kind) },
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

/// `init` of a plugin: where to write why it does not want to, the room there, the number of arguments, and those.
type Init = unsafe extern "C" fn(*mut c_char, usize, c_int, *mut c_void) -> c_int;

/// Room for the text of `init`, bytes.
const ROOM: usize = 1024;

/// Calls a plugin's `init`, without arguments; its text if it does not want to.
///
/// # Safety
/// `head` is a plugin's head.
unsafe fn initialise(head: &mysql::ClientPlugin) -> Result<(), Vec<u8>> {
    let Some(init) = head.init else { return Ok(()) };
    // SAFETY: the field of a plugin's head that holds such a function.
    let init = unsafe { std::mem::transmute::<unsafe extern "C" fn(), Init>(init) };
    let mut text = [0u8; ROOM];
    // A `va_list` without arguments: nothing of it is to be read.
    let mut arguments = [0u64; 4];
    // SAFETY: the program's function, with a buffer of the size that it is told.
    if unsafe { init(text.as_mut_ptr().cast(), ROOM, 0, arguments.as_mut_ptr().cast()) } == 0 {
        return Ok(());
    }
    Err(text.split(|byte| *byte == 0).next().unwrap_or_default().to_vec())
}

/// What speaks against a plugin.
fn judge(family: Family, head: &mysql::ClientPlugin) -> Result<(), Vec<u8>> {
    let Some((_, version)) = kinds(family).iter().find(|(kind, _)| *kind == head.r#type) else {
        return Err(b"Unknown client plugin type".to_vec());
    };
    if head.interface_version < *version || head.interface_version >> 8 > version >> 8 {
        return Err(b"Incompatible client plugin interface".to_vec());
    }
    // SAFETY: the program's plugin.
    unsafe { initialise(head) }
}

entry! {
    /// Adds a plugin of the program's, for all its handles. It stays until the library is ended.
    ///
    /// Source: manuals of both. Returns: the plugin; NULL on an error, which is 2059. Of a name that is there already:
    /// NULL in the MySQL family, the one that is there in the MariaDB family.
    /// # Safety
    /// `mysql`: valid handle; `plugin`: NULL or a plugin of its kind, which stays where it is, as do its functions.
    fn mysql_client_register_plugin<A>(mysql: *mut A::Mysql, plugin: *mut A::ClientPlugin) -> *mut A::ClientPlugin;
    optional mysql, fails null_mut(), {
        if plugin.is_null() {
            return refuse::<A>(mysql, b"", b"Unknown client plugin type");
        }
        // SAFETY: the program's plugin; the fields that are read lie at the same place in both families.
        let head = unsafe { &*plugin.cast::<mysql::ClientPlugin>() };
        // SAFETY: as above: a NUL-ended string.
        let name = unsafe { CStr::from_ptr(head.name) }.to_bytes();
        let mut there = None;
        let added = registry::add(A::FAMILY, head.r#type, plugin.cast(), || {
            there = known::<A>(name, head.r#type);
            match there {
                Some(_) => Err(b"it is already loaded".to_vec()),
                None => judge(A::FAMILY, head),
            }
        });
        match (added, there) {
            (Ok(()), _) => {
                if A::FAMILY == Family::MySql && !mysql.is_null() {
                    clear_error::<A>(mysql);
                }
                plugin
            }
            (Err(_), Some(there)) if A::FAMILY == Family::MariaDb => there,
            (Err(reason), _) => refuse::<A>(mysql, name, &reason),
        }
    }
}

/// Ends the use of the program's plugins: `deinit` of each is called, and they are forgotten.
pub(super) fn end<A: Abi>() {
    type Deinit = unsafe extern "C" fn() -> c_int;
    builtin::end::<A>();
    for plugin in registry::take(A::FAMILY) {
        // SAFETY: registered plugins stay where they are.
        let deinit = unsafe { (*plugin.cast::<mysql::ClientPlugin>()).deinit };
        if let Some(deinit) = deinit {
            // SAFETY: the field of a plugin's head that holds such a function.
            let deinit = unsafe { std::mem::transmute::<unsafe extern "C" fn(), Deinit>(deinit) };
            // SAFETY: the program's function.
            unsafe { deinit() };
        }
    }
}

entry! {
    /// Loads a plugin from a file. None is ever loaded: what the originals have in files and this library has is given out.
    ///
    /// Source: manuals of both; C-variadic, the arguments are for the plugin. Returns: the plugin, or NULL. Errors: 2059 in
    /// the handle.
    /// # Safety
    /// `mysql`: valid handle; `name`: NUL-ended string or NULL.
    fn mysql_load_plugin<A>(mysql: *mut A::Mysql, name: *const c_char, kind: c_int, _argc: c_int) -> *mut A::ClientPlugin;
    handle mysql, fails null_mut(), {
        // SAFETY: the program's promise.
        unsafe { load::<A>(mysql, c_bytes(name).unwrap_or_default(), kind) }
    }
}

entry! {
    /// The same with a `va_list`.
    ///
    /// Source: manuals of both. Returns: the plugin, or NULL. Errors: 2059 in the handle.
    /// # Safety
    /// `mysql`: valid handle; `name`: NUL-ended string or NULL.
    fn mysql_load_plugin_v<A>(
        mysql: *mut A::Mysql, name: *const c_char, kind: c_int, _argc: c_int, _args: *mut c_void,
    ) -> *mut A::ClientPlugin;
    handle mysql, fails null_mut(), {
        // SAFETY: the program's promise.
        unsafe { load::<A>(mysql, c_bytes(name).unwrap_or_default(), kind) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::family::MySql;
    use std::ptr;

    #[test]
    fn plugins_fail_with_2059() {
        // SAFETY: NULL asks for memory of ours.
        let handle = unsafe { Handle::<MySql>::init(ptr::null_mut()) };
        // SAFETY: a valid handle, a NUL-ended string.
        let plugin = unsafe { mysql_client_find_plugin::<MySql>(handle, c"dialog".as_ptr(), 2) };
        assert!(plugin.is_null());
        // SAFETY: as above.
        assert_eq!(unsafe { *MySql::last_errno(handle) }, 2059);
        // SAFETY: as above; not used after this.
        unsafe { Handle::<MySql>::close(handle) };
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
