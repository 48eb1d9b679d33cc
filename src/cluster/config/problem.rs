//! A mistake in a configuration file: where it is, what was expected, what to do.

use std::fmt;
use std::path::PathBuf;

use crate::error::{Error, cr};

/// What a mistake costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Said by `check` and in the log; nothing changes. Unknown keys, values that have no effect.
    Note,
    /// Connects to this section fail with 2000: a wrong value, or a key that is known and not served yet.
    Section,
    /// No section of the file can be used: not readable, not JSON, not safe.
    File,
}

/// A line and column, both counted from 1; columns in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What it costs.
    pub severity: Severity,
    /// The file.
    pub file: PathBuf,
    /// Where in the file; `None` when it concerns the file as a whole.
    pub position: Option<Position>,
    /// The member in question, as `shop.slave.r1.port`; list entries as `[0]`. Empty for the whole file.
    pub path: String,
    /// What is wrong and what was expected.
    pub text: String,
    /// What to do about it; may be empty.
    pub remedy: String,
}

impl Problem {
    /// The error that a connect fails with.
    pub fn to_error(&self) -> Error {
        Error::client(cr::UNKNOWN_ERROR, format!("mysqlclient-ms: {self}"))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(at) = self.position {
            write!(f, ":{}:{}", at.line, at.column)?;
        }
        if !self.path.is_empty() {
            write!(f, ": {}", self.path)?;
        }
        write!(f, ": {}", self.text)?;
        if !self.remedy.is_empty() {
            write!(f, " ({})", self.remedy)?;
        }
        Ok(())
    }
}
