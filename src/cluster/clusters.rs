//! What one process knows of all clusters: the directives and the configuration file behind them.
//!
//! Reads no environment itself: the caller hands the variables in.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use super::config::{Snapshot, Store};
use super::directives::{Directives, Remark};
use super::user_filter::{NoFilters, UserFilters};
use crate::error::{Error, cr};

/// The directives, and the configuration that they name.
#[derive(Debug)]
pub struct Clusters {
    /// The directives.
    pub directives: Directives,
    /// What was wrong with them, for the log.
    pub remarks: Vec<Remark>,
    store: Option<Arc<Store>>,
    functions: &'static dyn UserFilters,
}

impl Clusters {
    /// From environment variables; with `secure` (a set-user-id program) nothing is read and routing is off.
    pub fn new(variables: impl IntoIterator<Item = (OsString, OsString)>, secure: bool) -> Self {
        let (directives, remarks) = Directives::read(variables, secure);
        let store = directives.active_config_file().map(|file| {
            let store = Store::new(file, directives.multi_master);
            Arc::new(store.with_runtime_dir(directives.runtime_dir.clone()))
        });
        Clusters { directives, remarks, store, functions: &NoFilters }
    }

    /// With the program's own filters.
    pub fn with_functions(mut self, functions: &'static dyn UserFilters) -> Self {
        self.functions = functions;
        self
    }

    /// The program's own filters.
    pub fn functions(&self) -> &'static dyn UserFilters {
        self.functions
    }

    /// Where the configuration comes from.
    pub fn store(&self) -> Option<&Arc<Store>> {
        self.store.as_ref()
    }

    /// Whether connects are looked up in the configuration at all.
    pub fn is_enabled(&self) -> bool {
        self.directives.enable
    }

    /// The present configuration; None if none is named.
    pub fn snapshot(&self, now: Duration) -> Option<Arc<Snapshot>> {
        self.store.as_ref().map(|store| store.current(now))
    }

    /// The error of a connect that no section is meant for, where the directives demand one.
    ///
    /// 2000, naming the file's problem if the file cannot be used.
    pub fn refusal(&self, snapshot: Option<&Snapshot>, host: &str) -> Option<Error> {
        if let Some(text) = &self.directives.refused {
            return Some(Error::client(cr::UNKNOWN_ERROR, text.clone()));
        }
        if !self.directives.force_config_usage {
            return None;
        }
        let text = match snapshot.and_then(Snapshot::file_problem) {
            Some(problem) => return Some(problem.to_error()),
            None if snapshot.is_none() => {
                "mysqlnd_ms.force_config_usage is on, but mysqlnd_ms.config_file names no file".to_owned()
            }
            None => format!(
                "mysqlnd_ms.force_config_usage is on, and no section of the configuration is meant for host '{host}'"
            ),
        };
        Some(Error::client(cr::UNKNOWN_ERROR, text))
    }
}
