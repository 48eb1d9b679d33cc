//! The plugins that the program has registered, by family. Looked up without a lock.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_void};
use std::sync::{LazyLock, Mutex, PoisonError};

use arc_swap::ArcSwap;

use crate::abi::family::mysql;
use crate::options::Family;

/// A plugin: its head is the same in both families up to the last function.
#[derive(Clone, Copy, Debug)]
struct Known {
    family: Family,
    kind: c_int,
    plugin: *mut c_void,
}

// SAFETY: who registers a plugin promises that any thread may use it.
unsafe impl Send for Known {}
// SAFETY: as above.
unsafe impl Sync for Known {}

static KNOWN: LazyLock<ArcSwap<Vec<Known>>> = LazyLock::new(ArcSwap::default);

/// Whoever adds one, and whoever ends the library.
static ADDING: Mutex<()> = Mutex::new(());

/// The name of a plugin.
///
/// # Safety
/// `plugin` is a plugin's head.
unsafe fn name<'a>(plugin: *mut c_void) -> &'a [u8] {
    // SAFETY: the caller's promise.
    let name = unsafe { (*plugin.cast::<mysql::ClientPlugin>()).name };
    // SAFETY: a plugin's name is a NUL-ended string that lives as long as it.
    if name.is_null() { &[] } else { unsafe { CStr::from_ptr(name) }.to_bytes() }
}

/// The one that was registered under this name.
pub(super) fn find(family: Family, kind: c_int, wanted: &[u8]) -> Option<*mut c_void> {
    let known = KNOWN.load();
    // SAFETY: registered plugins stay where they are.
    let is_it = |one: &&Known| one.family == family && one.kind == kind && unsafe { name(one.plugin) } == wanted;
    known.iter().rev().find(is_it).map(|one| one.plugin)
}

/// Adds one, if `check` has nothing against it; its text otherwise. One at a time.
pub(super) fn add(
    family: Family,
    kind: c_int,
    plugin: *mut c_void,
    check: impl FnOnce() -> Result<(), Vec<u8>>,
) -> Result<(), Vec<u8>> {
    let _one_at_a_time = ADDING.lock().unwrap_or_else(PoisonError::into_inner);
    check()?;
    let mut known = Vec::clone(&KNOWN.load());
    known.push(Known { family, kind, plugin });
    KNOWN.store(known.into());
    Ok(())
}

/// Forgets those of a family and gives them back, the newest of each kind first.
pub(super) fn take(family: Family) -> Vec<*mut c_void> {
    let _one_at_a_time = ADDING.lock().unwrap_or_else(PoisonError::into_inner);
    let known = KNOWN.load_full();
    let (mine, others): (Vec<Known>, Vec<Known>) = known.iter().partition(|one| one.family == family);
    KNOWN.store(others.into());
    let mut mine: Vec<&Known> = mine.iter().rev().collect();
    mine.sort_by_key(|one| one.kind);
    mine.into_iter().map(|one| one.plugin).collect()
}
