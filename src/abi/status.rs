//! `MARIADB_OPT_STATUS_CALLBACK`: telling a program of a changed server status and of session changes.
//!
//! The callback is the program's C function. It is called when a call of ours has finished and before that returns; it
//! may read the handle's fields, not use the handle.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_uint, c_void};

use crate::session::{Session, TrackType};

use super::family::mariadb::ConstString;

/// `enum enum_mariadb_status_info`.
const STATUS_TYPE: c_uint = 0;
const SESSION_TRACK_TYPE: c_uint = 1;

/// Passed on behind the type: the status, or the kind of change and its one or two strings.
type Callback = unsafe extern "C" fn(*mut c_void, c_uint, ...);

/// The program's function and its data, and what it was told last.
#[derive(Debug, Default)]
pub(super) struct StatusCallback {
    function: Option<Callback>,
    data: *mut c_void,
    status: u16,
    changes: u32,
}

impl StatusCallback {
    /// Takes the option's two arguments: what is NULL stays as it is; with both NULL nobody is told any more.
    pub fn set(&mut self, function: *const c_void, data: *const c_void) {
        if function.is_null() && data.is_null() {
            (self.function, self.data) = (None, std::ptr::null_mut());
        }
        if !function.is_null() {
            // SAFETY: the program promises a function of this type in the option's argument.
            self.function = Some(unsafe { std::mem::transmute::<*const c_void, Callback>(function) });
        }
        if !data.is_null() {
            self.data = data.cast_mut();
        }
    }

    /// There is somebody to tell, who then gets the session changes instead of `mysql_session_track_get_first`.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.function.is_some()
    }

    /// Takes the present state for told: a login tells nothing.
    pub fn start(&mut self, session: &Session) {
        self.status = session.outcome().status;
        self.changes = session.changes_count();
    }

    /// Tells what has changed since the last time.
    #[cold]
    pub fn tell(&mut self, session: &Session) {
        let Some(function) = self.function else { return };
        let status = session.outcome().status;
        if status != self.status {
            self.status = status;
            // SAFETY: the program's function, with what the interface says comes with this type.
            unsafe { function(self.data, STATUS_TYPE, c_uint::from(status)) };
        }
        if session.changes_count() == self.changes {
            return;
        }
        self.changes = session.changes_count();
        let string = |text: &[u8]| ConstString { str: text.as_ptr().cast::<c_char>(), length: text.len() };
        let mut changes = session.session_changes().into_iter();
        while let Some((kind, text)) = changes.next() {
            let first = string(text);
            let number = kind as c_uint;
            if kind == TrackType::SystemVariables {
                let Some((_, value)) = changes.next() else { return };
                let second = string(value);
                // SAFETY: as above: a variable's name and value.
                unsafe { function(self.data, SESSION_TRACK_TYPE, number, &raw const first, &raw const second) };
            } else {
                // SAFETY: as above: one string.
                unsafe { function(self.data, SESSION_TRACK_TYPE, number, &raw const first) };
            }
        }
    }
}
