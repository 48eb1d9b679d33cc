//! The wall around every exported function: [`entry!`] keeps panics from crossing into C, writes the failure value at
//! the entry, and puts client errors where the program looks for them.
//!
//! In the good case the wall costs a landing pad and one load. Touches the error fields of `MYSQL` and `MYSQL_STMT`,
//! nothing else of them.
#![allow(unsafe_code)]

use crate::abi::family::Abi;
use crate::abi::handle::Handle;
use std::any::Any;
use std::ffi::{c_char, c_uint};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

/// Writes an exported function.
///
/// ```text
/// entry! {
///     /// Asks the server whether it is there. (Then returns, errors and `# Safety`, as everywhere.)
///     fn mysql_ping<A>(mysql: *mut A::Mysql) -> c_int;
///     handle mysql, fails 1, {
///         ...                                   // value of the return type; `return` leaves the entry
///     }
/// }
/// ```
///
/// After the signature:
/// * `handle m`: `m` is a `MYSQL*`; NULL returns the failure value at once; a panic sets error 2000 in it and calls
///   [`lost`], and the failure value is returned.
/// * `statement s`: the same for a `MYSQL_STMT*`.
/// * `optional m`: `m` is a `MYSQL*` as for `handle`, but NULL reaches the body.
/// * `result r`: NULL returns the failure value; a panic returns it, too.
/// * `plain`: no pointer is checked; a panic returns the failure value.
///
/// Then `fails VALUE` (an expression of the return type, `()` for a function without a result) and the body.
/// The body is safe code; what it does with pointers it does in `unsafe` blocks of its own.
macro_rules! entry {
    (@check $p:ident $fails:expr) => {
        if $p.is_null() {
            #[allow(clippy::unused_unit)]
            return $fails;
        }
    };
    (@check optional $p:ident $fails:expr) => {};
    (@check handle $p:ident $fails:expr) => { $crate::abi::entry::entry!(@check $p $fails) };
    (@check statement $p:ident $fails:expr) => { $crate::abi::entry::entry!(@check $p $fails) };
    (@check result $p:ident $fails:expr) => { $crate::abi::entry::entry!(@check $p $fails) };
    (@blame $a:ident $name:ident handle $p:ident) => { $crate::abi::entry::Blame::<$a>::Handle($p) };
    (@blame $a:ident $name:ident optional $p:ident) => {
        if $p.is_null() { $crate::abi::entry::Blame::<$a>::Nobody } else { $crate::abi::entry::Blame::<$a>::Handle($p) }
    };
    (@blame $a:ident $name:ident statement $p:ident) => { $crate::abi::entry::Blame::<$a>::Statement($p) };
    (@blame $a:ident $name:ident result $p:ident) => { $crate::abi::entry::Blame::<$a>::Nobody };

    ($(#[$doc:meta])* fn $name:ident<$a:ident>($($arg:ident: $type:ty),* $(,)?) $(-> $ret:ty)?;
     plain, fails $fails:expr, $body:block) => {
        $(#[$doc])*
        pub unsafe extern "C" fn $name<$a: $crate::abi::family::Abi>($($arg: $type),*) $(-> $ret)? {
            $crate::abi::entry::wall::<$a, _>(
                stringify!($name), $crate::abi::entry::Blame::Nobody, || $fails, || $(-> $ret)? { $body })
        }
    };
    ($(#[$doc:meta])* fn $name:ident<$a:ident>($($arg:ident: $type:ty),* $(,)?) $(-> $ret:ty)?;
     $kind:ident $p:ident, fails $fails:expr, $body:block) => {
        $(#[$doc])*
        pub unsafe extern "C" fn $name<$a: $crate::abi::family::Abi>($($arg: $type),*) $(-> $ret)? {
            $crate::abi::entry::entry!(@check $kind $p $fails);
            $crate::abi::entry::wall::<$a, _>(
                stringify!($name),
                $crate::abi::entry::entry!(@blame $a $name $kind $p),
                || $fails,
                || $(-> $ret)? { $body })
        }
    };
}
pub(crate) use entry;

/// Where a panic's error goes.
#[derive(Clone, Copy)]
pub enum Blame<A: Abi> {
    /// Into this handle, which is lost.
    Handle(*mut A::Mysql),
    /// Into this statement and its handle.
    Statement(*mut A::Stmt),
    /// There is no place for it.
    Nobody,
}

/// Runs an entry's body; a panic becomes error 2000 and the failure value.
#[inline(always)]
pub fn wall<A: Abi, R>(name: &'static str, blame: Blame<A>, fails: impl FnOnce() -> R, body: impl FnOnce() -> R) -> R {
    quiet();
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => value,
        Err(payload) => {
            caught::<A>(name, blame, payload);
            fails()
        }
    }
}

#[cold]
#[inline(never)]
fn caught<A: Abi>(name: &'static str, blame: Blame<A>, payload: Box<dyn Any + Send>) {
    let message = format!("{name}: internal error: {}", text_of(payload.as_ref()));
    // A payload whose drop panics would tear down the wall after all.
    std::mem::forget(payload);
    // The handle's own clean-up may panic again: it is what broke.
    let _ = catch_unwind(AssertUnwindSafe(|| match blame {
        Blame::Handle(mysql) => lost::<A>(mysql, message.as_bytes()),
        Blame::Statement(stmt) => {
            set_stmt_error::<A>(stmt, CR_UNKNOWN_ERROR, b"HY000", message.as_bytes());
            // SAFETY: the entry's caller promises a valid statement, checked against NULL by `entry!`.
            let mysql = unsafe { *A::stmt_mysql(stmt) };
            if !mysql.is_null() {
                lost::<A>(mysql, message.as_bytes());
            }
        }
        Blame::Nobody => {}
    }));
}

/// Ends a handle whose entry panicked: error 2000 with the panic's text, and its connections are closed without a byte,
/// since nobody knows what state they are in. The handle stays the program's: it may be closed, or connected again.
fn lost<A: Abi>(mysql: *mut A::Mysql, message: &[u8]) {
    // The text first: what follows may panic again.
    set_error::<A>(mysql, CR_UNKNOWN_ERROR, b"HY000", message);
    // SAFETY: the entry's caller promises a valid handle.
    unsafe { crate::abi::step::cancel::<A>(mysql) };
    // SAFETY: the entry's caller promises a valid handle; the borrow of the call that panicked has ended.
    if let Some(handle) = unsafe { Handle::<A>::lend(mysql) } {
        handle.session.abandon(true);
    }
}

const CR_UNKNOWN_ERROR: u32 = crate::abi::family::errors::mysql::CR_UNKNOWN_ERROR;

/// Puts an error into a handle's public fields; the text is cut to the family's size and NUL-ended.
///
/// `mysql` must not be NULL and must be a valid handle, which the entry's caller promises.
pub fn set_error<A: Abi>(mysql: *mut A::Mysql, code: u32, sqlstate: &[u8; 5], message: &[u8]) {
    debug_assert!(!mysql.is_null());
    // SAFETY: the caller passes a valid handle.
    unsafe { *A::last_errno(mysql) = code as c_uint };
    put_text(A::last_error(mysql).cast(), A::ERROR_SIZE, message);
    put_text(A::sqlstate(mysql).cast(), 6, sqlstate);
}

/// Clears a handle's error: number 0, empty text, `00000`.
///
/// `mysql` must not be NULL and must be a valid handle, which the entry's caller promises.
#[inline]
pub fn clear_error<A: Abi>(mysql: *mut A::Mysql) {
    debug_assert!(!mysql.is_null());
    // SAFETY: the caller passes a valid handle.
    unsafe { *A::last_errno(mysql) = 0 };
    // SAFETY: as above; the first byte of the text.
    unsafe { *A::last_error(mysql).cast::<c_char>() = 0 };
    // SAFETY: as above.
    unsafe { A::sqlstate(mysql).write(NO_ERROR) };
}

/// SQLSTATE of success, NUL-ended.
const NO_ERROR: [c_char; 6] = [b'0' as c_char, b'0' as c_char, b'0' as c_char, b'0' as c_char, b'0' as c_char, 0];

/// Puts an error into a statement's public fields.
///
/// `stmt` must not be NULL and must be a valid statement, which the entry's caller promises.
pub fn set_stmt_error<A: Abi>(stmt: *mut A::Stmt, code: u32, sqlstate: &[u8; 5], message: &[u8]) {
    debug_assert!(!stmt.is_null());
    // SAFETY: the caller passes a valid statement.
    unsafe { *A::stmt_last_errno(stmt) = code as c_uint };
    put_text(A::stmt_last_error(stmt), A::ERROR_SIZE, message);
    put_text(A::stmt_sqlstate(stmt).cast(), 6, sqlstate);
}

/// Copies at most `size - 1` bytes and ends them with NUL. `place` is a public field of `size` bytes.
fn put_text(place: *mut c_char, size: usize, text: &[u8]) {
    let length = text.len().min(size - 1);
    // SAFETY: the field has `size` bytes, `length` is less; `text` is ours, the field is the caller's: no overlap.
    unsafe { std::ptr::copy_nonoverlapping(text.as_ptr().cast::<c_char>(), place, length) };
    // SAFETY: as above.
    unsafe { *place.add(length) = 0 };
}

/// Who is told of a panic's text. `log` is meant to be put here; nothing is by default.
static LISTENER: std::sync::OnceLock<fn(&str)> = std::sync::OnceLock::new();

/// Sets the function that is told the text and place of a panic inside an entry; only the first call counts.
pub fn on_panic(listener: fn(&str)) {
    let _ = LISTENER.set(listener);
}

static QUIET: AtomicBool = AtomicBool::new(false);

/// Installs the quiet panic hook, once: the host's stderr is not ours. One load when it is installed.
#[inline(always)]
fn quiet() {
    if !QUIET.load(Ordering::Relaxed) {
        install();
    }
}

#[cold]
#[inline(never)]
fn install() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // In the shared library every panic is inside an entry. In a Rust program that links the crate (the tests, the
        // command line tool) the program's own report stays.
        let previous = inside_the_program().then(std::panic::take_hook);
        std::panic::set_hook(Box::new(move |info| {
            if let Some(listener) = LISTENER.get() {
                listener(&info.to_string());
            }
            if let Some(previous) = &previous {
                previous(info);
            }
        }));
    });
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether this code is part of the main program, not of a shared library.
fn inside_the_program() -> bool {
    // SAFETY: getauxval has no preconditions.
    let program = unsafe { libc::getauxval(libc::AT_ENTRY) } as usize;
    base_of(program).is_some() && base_of(program) == base_of(install as *const () as usize)
}

fn base_of(address: usize) -> Option<usize> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: dladdr takes any address and fills `info` when it returns non-zero.
    let found = unsafe { libc::dladdr(address as *const libc::c_void, info.as_mut_ptr()) };
    // SAFETY: all bytes zero, the initial state, is a valid Dl_info, too.
    let info = unsafe { info.assume_init() };
    (found != 0).then_some(info.dli_fbase as usize)
}

fn text_of(payload: &(dyn Any + Send)) -> &str {
    if let Some(text) = payload.downcast_ref::<&'static str>() {
        text
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text
    } else {
        "panic"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::family::{MariaDb, MySql, mariadb, mysql};
    use std::ffi::{CStr, c_int};

    entry! {
        /// Panics with a long text.
        /// # Safety
        /// A valid handle or NULL.
        fn breaks<A>(mysql: *mut A::Mysql) -> c_int;
        handle mysql, fails -7, { panic!("{}", "x".repeat(1000)) }
    }

    entry! {
        /// Returns early.
        /// # Safety
        /// None.
        fn works<A>(value: c_int) -> c_int;
        plain, fails 1, {
            if value == 3 {
                return 30;
            }
            value
        }
    }

    fn zeroed<T>() -> Box<T> {
        // SAFETY: the layouts hold integers, raw pointers and optional functions only.
        Box::new(unsafe { std::mem::zeroed() })
    }

    #[test]
    fn a_panic_becomes_error_2000_in_both_families() {
        let mut handle = zeroed::<mysql::Mysql>();
        // SAFETY: a valid handle.
        assert_eq!(unsafe { breaks::<MySql>(&mut *handle) }, -7);
        assert_eq!(handle.net.last_errno, 2000);
        assert_eq!(handle.net.sqlstate, [b'H' as c_char, b'Y' as c_char, 48, 48, 48, 0]);
        assert_eq!(handle.net.last_error[511], 0, "cut and ended");
        assert_eq!(handle.net.last_error[510], b'x' as c_char);

        let mut handle = zeroed::<mariadb::Mysql>();
        // SAFETY: a valid handle.
        assert_eq!(unsafe { breaks::<MariaDb>(&mut *handle) }, -7);
        assert_eq!(handle.net.last_errno, 2000);
        // SAFETY: NUL-ended by set_error.
        let text = unsafe { CStr::from_ptr(handle.net.last_error.as_ptr()) };
        assert!(text.to_bytes().starts_with(b"breaks: internal error: xxx"));
        assert_eq!(text.count_bytes(), 511);
    }

    #[test]
    fn a_handle_that_panicked_can_be_closed() {
        // SAFETY: NULL asks for memory of ours.
        let mysql = unsafe { Handle::<MariaDb>::init(std::ptr::null_mut()) };
        // SAFETY: a valid handle.
        assert_eq!(unsafe { breaks::<MariaDb>(mysql) }, -7);
        // SAFETY: as above.
        assert_eq!(unsafe { *MariaDb::last_errno(mysql) }, 2000);
        // SAFETY: as above; not used after this.
        unsafe { Handle::<MariaDb>::close(mysql) };
    }

    #[test]
    fn null_handles_fail_and_return_leaves_the_entry() {
        // SAFETY: NULL is allowed.
        assert_eq!(unsafe { breaks::<MySql>(std::ptr::null_mut()) }, -7);
        // SAFETY: no pointer.
        assert_eq!(unsafe { works::<MySql>(3) }, 30);
        // SAFETY: no pointer.
        assert_eq!(unsafe { works::<MariaDb>(4) }, 4);
    }
}
