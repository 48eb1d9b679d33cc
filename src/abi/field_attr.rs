//! MariaDB's extended metadata of columns: `mariadb_field_attr`, and what `MYSQL_FIELD.extension` leads to.
//!
//! There are few different ones (a geometry's kind, "json", "inet6"), so each is kept once, for ever.

#![allow(unsafe_code)]

use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::{LazyLock, Mutex, PoisonError};

use super::convert::put;
use super::entry::entry;
use super::family::Field;
use super::family::mariadb::ConstString;

/// Names of the attributes: `MARIADB_FIELD_ATTR_DATA_TYPE_NAME`, `MARIADB_FIELD_ATTR_FORMAT_NAME`.
const ATTRIBUTES: usize = 2;

/// As in Connector/C: one string per attribute, NULL where there is none.
type Attributes = [ConstString; ATTRIBUTES];

/// Never changed once it is there.
struct Kept(Attributes);
// SAFETY: pointers to memory that is never freed nor written.
unsafe impl Sync for Kept {}
// SAFETY: as above.
unsafe impl Send for Kept {}

/// So many different ones are kept; a server that makes up more is not remembered.
const MOST: usize = 4096;

/// The attributes in a column's raw metadata, as `MYSQL_FIELD.extension` shows them; NULL if there are none.
#[cold]
pub(super) fn extension(raw: &[u8]) -> *mut c_void {
    static KEPT: LazyLock<Mutex<HashMap<Vec<u8>, &'static Kept>>> = LazyLock::new(Mutex::default);
    if raw.is_empty() {
        return ptr::null_mut();
    }
    let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = match all.get(raw) {
        Some(kept) => *kept,
        None if all.len() >= MOST => return ptr::null_mut(),
        None => {
            let kept: &'static Kept = Box::leak(Box::new(Kept(parse(raw))));
            all.insert(raw.to_vec(), kept);
            kept
        }
    };
    ptr::from_ref(&kept.0).cast_mut().cast()
}

/// Entries of type (a byte), length (a byte), data; a cut one ends them.
fn parse(mut raw: &[u8]) -> Attributes {
    let mut attributes = [ConstString { str: ptr::null(), length: 0 }; ATTRIBUTES];
    while let [kind, length, rest @ ..] = raw {
        let Some((data, rest)) = rest.split_at_checked(usize::from(*length)) else { break };
        if let Some(place) = attributes.get_mut(usize::from(*kind)) {
            let text: &'static [u8] = Box::leak([data, &[0]].concat().into_boxed_slice());
            *place = ConstString { str: text.as_ptr().cast::<c_char>(), length: data.len() };
        }
        raw = rest;
    }
    attributes
}

entry! {
    /// One of MariaDB's extended attributes of a column: 0 the name of its type, 1 the name of its format.
    ///
    /// Source: Connector/C 3.3. Returns: 0, and the text or NULL; 1 for a column that has none or an unknown number.
    ///
    /// # Safety
    /// `attribute` is writable; `field` is NULL or a column of a valid result.
    fn mariadb_field_attr<A>(attribute: *mut ConstString, field: *const Field, number: c_uint) -> c_int;
    plain, fails 1, {
        // SAFETY: the caller's promise.
        let attributes = if field.is_null() { ptr::null() } else { unsafe { (*field).extension }.cast::<Attributes>() };
        let nothing = ConstString { str: ptr::null(), length: 0 };
        let found = if attributes.is_null() {
            None
        } else {
            // SAFETY: made by `extension`, as everything that a column of ours leads to.
            unsafe { (*attributes).get(number as usize) }
        };
        // SAFETY: the caller's promise.
        unsafe { put(attribute, *found.unwrap_or(&nothing)) };
        c_int::from(found.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_found_by_number_and_kept_once() {
        let raw = b"\x00\x04json\x07\x01x\x01\x03abc";
        let first = extension(raw);
        assert_eq!(first, extension(raw));
        // SAFETY: made above.
        let attributes = unsafe { &*first.cast::<Attributes>() };
        assert_eq!(attributes.map(|text| text.length), [4, 3]);
        assert!(extension(b"").is_null());
        assert_eq!(parse(b"\x00\x20cut").map(|text| text.length), [0, 0]);
    }
}
