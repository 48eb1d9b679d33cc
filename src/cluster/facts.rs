//! What this process has learned of a section's servers, for handles that have not connected yet.

use std::sync::OnceLock;

/// The facts of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Version text, as `mysql_get_server_info` shows it.
    pub version: Vec<u8>,
    /// MariaDB by its greeting.
    pub is_mariadb: bool,
}

/// The facts of one section: those of the first server that this process connected to.
#[derive(Debug, Default)]
pub struct Facts(OnceLock<Known>);

impl Facts {
    /// What is known.
    pub fn get(&self) -> Option<&Known> {
        self.0.get()
    }

    /// A connection was made.
    pub fn learn(&self, version: &[u8], is_mariadb: bool) {
        if self.0.get().is_none() {
            let _ = self.0.set(Known { version: version.to_vec(), is_mariadb });
        }
    }
}
