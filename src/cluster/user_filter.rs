//! Filters that the program brings: what they are asked, and where they are found. No code of them is here.
//!
//! `abi` holds the functions of C programs behind these traits; `route` asks them.

use std::ffi::{CStr, CString};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Who is offered to a filter.
#[derive(Debug)]
pub struct Offer {
    /// The node's name in the file; empty if it has none.
    pub name: CString,
    /// Where it listens: see [`super::topology::Node::uri`].
    pub uri: CString,
    /// Not a source.
    pub is_replica: bool,
}

/// What a filter is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The section's name.
    pub section: &'a CStr,
    /// The statement, as the program wrote it.
    pub sql: &'a [u8],
    /// The nodes that are left: sources first, each kind in the order of the file.
    pub offers: &'a [&'a Offer],
    /// How many of them are sources.
    pub sources: usize,
    /// Which of them was used last.
    pub last_used: Option<usize>,
    /// Inside a transaction, or autocommit is off.
    pub in_transaction: bool,
    /// A replica may run it: it is proven to be a plain read, and nothing else demands a source.
    pub is_read: bool,
}

/// A function of the program.
pub trait UserFilter: fmt::Debug + Send + Sync {
    /// Asks it. `selected` has one byte per offer, all 0. Its number, or why there is none.
    fn ask(&self, question: &Question<'_>, selected: &mut [u8]) -> Result<i32, &'static str>;
}

/// The functions of the process.
pub trait UserFilters: fmt::Debug + Send + Sync {
    /// The one that the program registered by this name, as of now.
    fn named(&self, name: &str) -> Option<Arc<dyn UserFilter>>;

    /// The one that is `symbol` in a library, which is loaded if need be. The error says why not.
    fn load(&self, library: &Path, symbol: &str) -> Result<Arc<dyn UserFilter>, String>;
}

/// A process that has none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFilters;

impl UserFilters for NoFilters {
    fn named(&self, _name: &str) -> Option<Arc<dyn UserFilter>> {
        None
    }

    fn load(&self, library: &Path, _symbol: &str) -> Result<Arc<dyn UserFilter>, String> {
        Err(format!("{} cannot be loaded here", library.display()))
    }
}
