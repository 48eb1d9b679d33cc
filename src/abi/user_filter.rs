//! The program's own filters: those that it registered by name, and those that the configuration names by library and
//! symbol. Behind the trait of [`crate::cluster::user_filter`] they are safe code for everybody else.
//!
//! Nothing here locks: a statement that looks for a filter never waits for a thread that registers one. A library stays
//! loaded. Its file is under the same rule of ownership as the configuration: it runs in the program.

#![allow(unsafe_code)]

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, LazyLock};

use arc_swap::ArcSwap;

use crate::cluster::config::check_guarded;
use crate::cluster::user_filter::{Question, UserFilter, UserFilters};

use super::cluster::{MysqlndMsFilter, MysqlndMsFilterCall, MysqlndMsNode};

type Filter = unsafe extern "C-unwind" fn(call: *const MysqlndMsFilterCall, data: *mut c_void) -> c_int;

/// A function of the program with its argument.
#[derive(Debug)]
struct Function {
    filter: Filter,
    data: *mut c_void,
}

// SAFETY: who registers a function promises that any thread may call it with its data.
unsafe impl Send for Function {}
// SAFETY: as above; also several at once.
unsafe impl Sync for Function {}

/// Functions by what they are known by; read without a lock.
type Known<Key> = LazyLock<ArcSwap<HashMap<Key, Arc<Function>>>>;

/// The functions of this process.
#[derive(Debug)]
struct Registry {
    named: Known<String>,
    loaded: Known<(Box<Path>, String)>,
}

static REGISTRY: Registry =
    Registry { named: LazyLock::new(ArcSwap::default), loaded: LazyLock::new(ArcSwap::default) };

/// For [`crate::cluster::Clusters::with_functions`].
pub fn functions() -> &'static dyn UserFilters {
    &REGISTRY
}

/// Registers, replaces or takes away.
pub(super) fn register(name: &str, filter: MysqlndMsFilter, data: *mut c_void) {
    let function = filter.map(|filter| Arc::new(Function { filter, data }));
    REGISTRY.named.rcu(|map| {
        let mut map = HashMap::clone(map);
        match &function {
            Some(function) => map.insert(name.to_owned(), Arc::clone(function)),
            None => map.remove(name),
        };
        map
    });
}

impl UserFilters for Registry {
    fn named(&self, name: &str) -> Option<Arc<dyn UserFilter>> {
        let function = self.named.load().get(name).cloned()?;
        Some(function)
    }

    fn load(&self, library: &Path, symbol: &str) -> Result<Arc<dyn UserFilter>, String> {
        let key = (Box::from(library), symbol.to_owned());
        if let Some(function) = self.loaded.load().get(&key) {
            let function: Arc<dyn UserFilter> = Arc::clone(function) as _;
            return Ok(function);
        }
        let function = Arc::new(Function { filter: find(library, symbol)?, data: std::ptr::null_mut() });
        self.loaded.rcu(|map| {
            let mut map = HashMap::clone(map);
            map.insert(key.clone(), Arc::clone(&function));
            map
        });
        Ok(function)
    }
}

/// The symbol of a library that is loaded for it.
fn find(library: &Path, symbol: &str) -> Result<Filter, String> {
    let name = library.display();
    check_guarded(library).map_err(|why| format!("{name} {why}"))?;
    // With a path that has no slash the loader would look elsewhere.
    let path = library.canonicalize().map_err(|error| format!("{name}: {error}"))?;
    let path = CString::new(path.as_os_str().as_bytes()).map_err(|_| format!("{name}: NUL in the path"))?;
    let symbol_name = CString::new(symbol).map_err(|_| format!("{name}: NUL in the symbol's name"))?;
    // SAFETY: a NUL-ended path. What the library does when it is loaded is its owner's, who owns the configuration.
    let loaded = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if loaded.is_null() {
        return Err(format!("{name} cannot be loaded: {}", loader_error()));
    }
    // SAFETY: a handle of dlopen, a NUL-ended name.
    let found = unsafe { libc::dlsym(loaded, symbol_name.as_ptr()) };
    if found.is_null() {
        return Err(format!("{name} has no symbol {symbol}"));
    }
    // SAFETY: the configuration says that this symbol is a function of this type.
    Ok(unsafe { std::mem::transmute::<*mut c_void, Filter>(found) })
}

fn loader_error() -> String {
    // SAFETY: dlerror has no preconditions.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "unknown reason".into();
    }
    // SAFETY: a NUL-ended text, valid until this thread calls the loader again.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

impl UserFilter for Function {
    fn ask(&self, question: &Question<'_>, selected: &mut [u8]) -> Result<i32, &'static str> {
        let node = |offer: &&crate::cluster::user_filter::Offer| MysqlndMsNode {
            name: offer.name.as_ptr(),
            uri: offer.uri.as_ptr(),
            is_slave: c_int::from(offer.is_replica),
        };
        let nodes: Vec<MysqlndMsNode> = question.offers.iter().map(node).collect();
        let call = MysqlndMsFilterCall {
            size: size_of::<MysqlndMsFilterCall>(),
            section: question.section.as_ptr(),
            query: question.sql.as_ptr().cast::<c_char>(),
            query_length: question.sql.len(),
            nodes: nodes.as_ptr(),
            node_count: nodes.len() as c_uint,
            master_count: question.sources as c_uint,
            last_used: question.last_used.map_or(-1, |index| index as c_int),
            in_transaction: c_int::from(question.in_transaction),
            is_read: c_int::from(question.is_read),
            selected: selected.as_mut_ptr(),
        };
        let (filter, data) = (self.filter, self.data);
        // SAFETY: the function's promise; the call's pointers live until it returns.
        let answer = catch_unwind(AssertUnwindSafe(|| unsafe { filter(&raw const call, data) }));
        answer.map_err(|payload| {
            // A payload whose drop panics would tear down the wall after all.
            std::mem::forget(payload);
            "the program's filter panicked"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::user_filter::Offer;

    unsafe extern "C-unwind" fn last(call: *const MysqlndMsFilterCall, data: *mut c_void) -> c_int {
        // SAFETY: a valid call.
        let call = unsafe { &*call };
        assert_eq!(call.size, size_of::<MysqlndMsFilterCall>());
        // SAFETY: node_count bytes.
        let selected = unsafe { std::slice::from_raw_parts_mut(call.selected, call.node_count as usize) };
        if let Some(first) = selected.first_mut() {
            *first = 1;
        }
        call.node_count as c_int - 1 + data as usize as c_int
    }

    fn question<'a>(offers: &'a [&'a Offer]) -> Question<'a> {
        Question {
            section: c"shop",
            sql: b"SELECT 1",
            offers,
            sources: 1,
            last_used: None,
            in_transaction: false,
            is_read: true,
        }
    }

    #[test]
    fn a_registered_function_is_asked_until_it_is_taken_away() {
        let offer = |name: &CStr, is_replica| Offer { name: name.into(), uri: c"tcp://h:1".into(), is_replica };
        let (source, replica) = (offer(c"s", false), offer(c"r", true));
        let offers = [&source, &replica];
        assert!(functions().named("unit").is_none());
        register("unit", Some(last), std::ptr::null_mut());
        let mut selected = [0; 2];
        let ask =
            |selected: &mut [u8]| functions().named("unit").expect("registered").ask(&question(&offers), selected);
        assert_eq!(ask(&mut selected), Ok(1));
        assert_eq!(selected, [1, 0]);
        register("unit", Some(last), std::ptr::without_provenance_mut(7));
        assert_eq!(ask(&mut selected), Ok(8));
        register("unit", None, std::ptr::null_mut());
        assert!(functions().named("unit").is_none());
    }

    unsafe extern "C-unwind" fn breaks(_call: *const MysqlndMsFilterCall, _data: *mut c_void) -> c_int {
        panic!("on purpose")
    }

    #[test]
    fn a_panic_of_the_function_is_an_answer() {
        register("breaks", Some(breaks), std::ptr::null_mut());
        let function = functions().named("breaks").expect("registered");
        assert_eq!(function.ask(&question(&[]), &mut []), Err("the program's filter panicked"));
    }

    #[test]
    fn libraries_are_loaded_under_the_rule_of_ownership() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("f.so");
        let why = |path: &Path, symbol: &str| functions().load(path, symbol).expect_err("refused");
        assert!(why(&path, "f").contains("cannot be opened"), "{}", why(&path, "f"));
        std::fs::write(&path, "no library").expect("written");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).expect("chmod");
        assert!(why(&path, "f").contains("can be written by others"), "{}", why(&path, "f"));
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).expect("chmod");
        assert!(why(&path, "f").contains("cannot be loaded: "), "{}", why(&path, "f"));
    }
}
