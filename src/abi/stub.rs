//! What an exported function does that is not done yet: the failure value, and error 2000 naming the function in the
//! handle or the statement. Never aborts.
//!
//! Results are one machine word, of which a C caller reads as many bits as the function's type has.
#![allow(unsafe_code)]

use crate::abi::entry::{set_error, set_stmt_error};
use crate::abi::family::Abi;
use crate::abi::family::errors::mysql::CR_UNKNOWN_ERROR;

/// `entry_stub!(name, FIRST, FAILS)`: the words of `exports.list`.
#[allow(unused_macros)]
macro_rules! entry_stub {
    // What a stub returns.
    (@value 0) => { 0usize };
    (@value 1) => { 1usize };
    (@value -1) => { usize::MAX };
    (@value 2) => { 2usize };
    (@value null) => { 0usize };
    (@value void) => { 0usize };
    (@value empty) => { c"".as_ptr() as usize };

    ($name:ident, mysql, $($fails:tt)+) => {
        pub unsafe extern "C" fn $name<A: $crate::abi::family::Abi>(first: *mut A::Mysql) -> usize {
            $crate::abi::stub::refuse_handle::<A>(first, stringify!($name));
            entry_stub!(@value $($fails)+)
        }
    };
    ($name:ident, stmt, $($fails:tt)+) => {
        pub unsafe extern "C" fn $name<A: $crate::abi::family::Abi>(first: *mut A::Stmt) -> usize {
            $crate::abi::stub::refuse_statement::<A>(first, stringify!($name));
            entry_stub!(@value $($fails)+)
        }
    };
    ($name:ident, res, $($fails:tt)+) => {
        pub unsafe extern "C" fn $name<A: $crate::abi::family::Abi>(first: *mut A::Res) -> usize {
            $crate::abi::stub::refuse_result::<A>(first, stringify!($name));
            entry_stub!(@value $($fails)+)
        }
    };
    ($name:ident, none, $($fails:tt)+) => {
        pub unsafe extern "C" fn $name<A: $crate::abi::family::Abi>() -> usize {
            entry_stub!(@value $($fails)+)
        }
    };
    // Serves both families: there is no telling where the error fields are.
    ($name:ident, any, $($fails:tt)+) => {
        pub unsafe extern "C" fn $name() -> usize {
            entry_stub!(@value $($fails)+)
        }
    };
    // The first argument points to the result; the function itself returns 0: there is nothing to wait for.
    ($name:ident, $ret:ident $kind:ident, $($fails:tt)+) => {
        pub unsafe extern "C" fn $name<A: $crate::abi::family::Abi>(
            ret: *mut std::ffi::c_void,
            first: *mut entry_stub!(@type $kind A),
        ) -> usize {
            $crate::abi::stub::$ret(ret, entry_stub!(@value $($fails)+));
            entry_stub!(@refuse $kind A first $name);
            0
        }
    };
    (@type mysql $a:ident) => { $a::Mysql };
    (@type stmt $a:ident) => { $a::Stmt };
    (@type res $a:ident) => { $a::Res };
    (@refuse mysql $a:ident $first:ident $name:ident) => {
        $crate::abi::stub::refuse_handle::<$a>($first, stringify!($name))
    };
    (@refuse stmt $a:ident $first:ident $name:ident) => {
        $crate::abi::stub::refuse_statement::<$a>($first, stringify!($name))
    };
    (@refuse res $a:ident $first:ident $name:ident) => {
        $crate::abi::stub::refuse_result::<$a>($first, stringify!($name))
    };
}
pub(crate) use entry_stub;

fn message(name: &str) -> String {
    format!("{name} is not supported yet by mysqlclient-ms")
}

/// Error 2000 in a handle; NULL is left alone.
pub fn refuse_handle<A: Abi>(mysql: *mut A::Mysql, name: &str) {
    if !mysql.is_null() {
        set_error::<A>(mysql, CR_UNKNOWN_ERROR, b"HY000", message(name).as_bytes());
    }
}

/// Error 2000 in a statement; NULL is left alone.
pub fn refuse_statement<A: Abi>(stmt: *mut A::Stmt, name: &str) {
    if !stmt.is_null() {
        set_stmt_error::<A>(stmt, CR_UNKNOWN_ERROR, b"HY000", message(name).as_bytes());
    }
}

/// Error 2000 in the handle that an unbuffered result still belongs to; else there is no place for it.
pub fn refuse_result<A: Abi>(result: *mut A::Res, name: &str) {
    if !result.is_null() {
        // SAFETY: the program passes a valid result, not NULL.
        let mysql = unsafe { *A::res_handle(result) };
        refuse_handle::<A>(mysql, name);
    }
}

/// Writes the failure value of a `_start` or `_cont` function with a `my_bool` result.
pub fn ret8(place: *mut std::ffi::c_void, value: usize) {
    if !place.is_null() {
        // SAFETY: the program passes a pointer to a my_bool.
        unsafe { *place.cast::<u8>() = value as u8 };
    }
}

/// The same with an `int` result.
pub fn ret32(place: *mut std::ffi::c_void, value: usize) {
    if !place.is_null() {
        // SAFETY: the program passes a pointer to an int.
        unsafe { *place.cast::<u32>() = value as u32 };
    }
}

/// The same with a pointer as result.
pub fn ret64(place: *mut std::ffi::c_void, value: usize) {
    if !place.is_null() {
        // SAFETY: the program passes a pointer to a pointer.
        unsafe { *place.cast::<usize>() = value };
    }
}

#[cfg(test)]
mod tests {
    use crate::abi::family::{MariaDb, MySql, mariadb, mysql};
    use std::ffi::{CStr, c_int, c_void};

    entry_stub!(first_mysql, mysql, -1);
    entry_stub!(first_stmt, stmt, 1);
    entry_stub!(first_result, res, null);
    entry_stub!(start, ret32 mysql, 1);

    fn zeroed<T>() -> Box<T> {
        // SAFETY: the layouts hold integers, raw pointers and optional functions only.
        Box::new(unsafe { std::mem::zeroed() })
    }

    #[test]
    fn stubs_fail_with_the_functions_name() {
        let mut handle = zeroed::<mysql::Mysql>();
        // SAFETY: a valid handle.
        assert_eq!(unsafe { first_mysql::<MySql>(&mut *handle) }, usize::MAX);
        assert_eq!(handle.net.last_errno, 2000);
        // SAFETY: NUL-ended by the stub.
        let text = unsafe { CStr::from_ptr(handle.net.last_error.as_ptr()) };
        assert_eq!(text.to_bytes(), b"first_mysql is not supported yet by mysqlclient-ms");

        let mut statement = zeroed::<mariadb::Stmt>();
        // SAFETY: a valid statement.
        assert_eq!(unsafe { first_stmt::<MariaDb>(&mut *statement) }, 1);
        assert_eq!(statement.last_errno, 2000);
    }

    #[test]
    fn a_result_blames_its_handle() {
        let mut handle = zeroed::<mariadb::Mysql>();
        let mut result = zeroed::<mariadb::Res>();
        // SAFETY: a valid result without a handle.
        assert_eq!(unsafe { first_result::<MariaDb>(&mut *result) }, 0);
        result.handle = &mut *handle;
        // SAFETY: a valid result.
        assert_eq!(unsafe { first_result::<MariaDb>(&mut *result) }, 0);
        assert_eq!(handle.net.last_errno, 2000);
    }

    #[test]
    fn a_start_function_is_finished_at_once_and_has_failed() {
        let mut handle = zeroed::<mariadb::Mysql>();
        let mut value: [c_int; 2] = [5, 6];
        let place = (&raw mut value).cast::<c_void>();
        // SAFETY: a valid handle and a place for the result.
        assert_eq!(unsafe { start::<MariaDb>(place, &mut *handle) }, 0);
        assert_eq!(value, [1, 6], "an int is written, no more");
        assert_eq!(handle.net.last_errno, 2000);
        // SAFETY: NULL is left alone.
        assert_eq!(unsafe { start::<MariaDb>(std::ptr::null_mut(), std::ptr::null_mut()) }, 0);
    }
}
