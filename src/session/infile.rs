//! Where the bytes of LOAD DATA LOCAL come from: a file of this machine, or the program's own handler.

use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::options::Family;

/// One opened source.
pub trait LocalFile {
    /// Fills `buffer` and says how many bytes were written; 0 at the end. `Err`: number and text for the handle.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, (u32, Vec<u8>)>;

    /// Size of the buffer, bytes.
    fn chunk(&self) -> usize {
        64 << 10
    }
}

/// Opens what a server asks for.
pub trait LocalFiles: Send {
    /// `name` is the server's word, to be trusted only as far as the program enabled it. `Err`: number and text.
    fn open(&mut self, name: &[u8]) -> Result<Box<dyn LocalFile>, (u32, Vec<u8>)>;
}

/// The default handler: the file of that name.
pub struct DefaultLocalFiles(pub Family);

/// What libmysqlclient reports for a file that cannot be read (`EE_READ`); a file that cannot be opened gives the
/// system's own number in both families.
const EE_READ: u32 = 2;

struct DefaultFile {
    family: Family,
    file: File,
    name: Vec<u8>,
}

/// The system's text for an error, without its number.
fn system_text(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

fn not_opened(family: Family, name: &[u8], error: &std::io::Error) -> (u32, Vec<u8>) {
    let number = error.raw_os_error().unwrap_or(0);
    let name = String::from_utf8_lossy(name);
    let text = match family {
        Family::MySql => format!("File '{name}' not found (OS errno {number} - {})", system_text(error)),
        Family::MariaDb => format!("File '{name}' not found (Errcode: {number})"),
    };
    (number.unsigned_abs(), text.into_bytes())
}

fn not_read(name: &[u8], error: &std::io::Error) -> (u32, Vec<u8>) {
    let number = error.raw_os_error().unwrap_or(0);
    let name = String::from_utf8_lossy(name);
    (EE_READ, format!("Error reading file '{name}' (OS errno {number} - {})", system_text(error)).into_bytes())
}

/// Whether a file is inside a folder, whose path has no links and no detours.
pub(super) fn is_inside(name: &[u8], folder: &Path) -> bool {
    let path = Path::new(std::ffi::OsStr::from_bytes(name));
    std::fs::canonicalize(path).is_ok_and(|path| path.starts_with(folder))
}

impl LocalFiles for DefaultLocalFiles {
    fn open(&mut self, name: &[u8]) -> Result<Box<dyn LocalFile>, (u32, Vec<u8>)> {
        let path = Path::new(std::ffi::OsStr::from_bytes(name));
        match File::open(path) {
            Ok(file) => Ok(Box::new(DefaultFile { family: self.0, file, name: name.to_vec() })),
            Err(error) => Err(not_opened(self.0, name, &error)),
        }
    }
}

impl LocalFile for DefaultFile {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, (u32, Vec<u8>)> {
        loop {
            match self.file.read(buffer) {
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                // Connector/C takes a file that it cannot read for an empty one.
                Err(_) if self.family == Family::MariaDb => return Ok(0),
                Err(error) => return Err(not_read(&self.name, &error)),
            }
        }
    }
}
