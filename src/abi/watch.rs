//! Functions of the program that watch what connections read and write (Connector/C).

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};
use std::sync::LazyLock;

use arc_swap::ArcSwap;

use crate::options::Family;
use crate::options::methods::set_watched;

use super::entry::entry;
use super::family::{Abi, MariaDb};
use super::handle::Handle;

/// 0 or 1 for read or sent, the handle, the bytes and how many: the largest number if it failed.
type Watcher = unsafe extern "C" fn(c_int, *mut <MariaDb as Abi>::Mysql, *const u8, usize);

/// Of the process, the newest first.
static WATCHERS: LazyLock<ArcSwap<Vec<Watcher>>> = LazyLock::new(ArcSwap::default);

entry! {
    /// Adds or takes away a function that is shown what the process's handles read from servers and write to them: in the
    /// clear where there is TLS, compressed where there is compression. It must not use the handle.
    ///
    /// Source: Connector/C. Returns: 0; 1 without a function.
    /// # Safety
    /// The function may be called by any thread that uses a handle, until it is taken away.
    fn ma_pvio_register_callback<A>(register: c_char, watcher: Option<Watcher>) -> c_int;
    plain, fails 1, {
        let Some(watcher) = watcher else { return 1 };
        WATCHERS.rcu(|known| {
            let mut all = Vec::clone(known);
            if register != 0 {
                all.insert(0, watcher);
            } else if let Some(at) = all.iter().position(|one| std::ptr::fn_addr_eq(*one, watcher)) {
                all.remove(at);
            }
            all
        });
        set_watched(!WATCHERS.load().is_empty());
        0
    }
}

/// Shows the functions of the program what a connection of its handle has read or sent; None: it failed.
pub(super) fn tell<F: Abi>(mysql: *mut F::Mysql, sent: bool, bytes: Option<&[u8]>) {
    if F::FAMILY != Family::MariaDb {
        return;
    }
    // SAFETY: the handle of a connection that reads or writes.
    let slot = unsafe { F::handle_slot(mysql).read() }.cast::<Handle<F>>();
    // SAFETY: as above.
    let was_pending = slot.is_null() || unsafe { Handle::<F>::pending(mysql) }.is_some();
    if !was_pending {
        // SAFETY: as above: what the functions call finds no handle.
        unsafe { Handle::set_pending(slot, true) };
    }
    let (start, length) = bytes.map_or((std::ptr::dangling(), usize::MAX), |bytes| (bytes.as_ptr(), bytes.len()));
    for watcher in WATCHERS.load().iter() {
        // SAFETY: the program's function, with its own handle and bytes that stay where they are until it returns.
        unsafe { watcher(c_int::from(sent), mysql.cast(), start, length) };
    }
    if !was_pending {
        // SAFETY: as above.
        unsafe { Handle::set_pending(slot, false) };
    }
}
