//! The harness's one error: a sentence for the person who reads the test's output.

/// What went wrong, in words, with the tail of the server's log where that helps.
#[derive(Debug, Clone)]
pub struct Error(pub String);

/// The harness's result.
pub type Result<T> = std::result::Result<T, Error>;

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Error(error.to_string())
    }
}

/// Adds what was being done to an error.
pub(crate) trait Context<T> {
    /// Puts `what()` and a colon before the error's text.
    fn context(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: std::fmt::Display> Context<T> for std::result::Result<T, E> {
    fn context(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| Error(format!("{}: {error}", what())))
    }
}
