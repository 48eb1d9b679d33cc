//! Server plugins of our own (`server_auth.c`), compiled for a test that needs a server with odd ways to log in.

use crate::error::{Context, Error, Result};
use crate::family::Family;
use std::path::Path;
use std::process::Command;

/// The server option that loads them from the plugin folder.
pub const LOAD: &str = "--plugin-load-add=lab_auth.so";

/// Compiles them into `folder`, which is made: to be named to a server with `--plugin-dir`.
///
/// # Errors
/// The compiler's words.
pub fn make(family: Family, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).context(|| format!("making {}", folder.display()))?;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/server_auth.c");
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]);
    if family == Family::MariaDb {
        cc.arg("-DLAB_MARIADB");
    }
    let output = cc.arg("-o").arg(folder.join("lab_auth.so")).arg(source).output()?;
    if !output.status.success() {
        return Err(Error(format!("compiling server_auth.c: {}", String::from_utf8_lossy(&output.stderr))));
    }
    Ok(())
}
