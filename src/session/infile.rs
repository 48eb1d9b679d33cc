//! Where the bytes of LOAD DATA LOCAL come from: a file of this machine, or the program's own handler.

use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// One opened source.
pub trait LocalFile {
    /// Fills `buffer` and says how many bytes were written; 0 at the end. `Err`: number and text for the handle.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, (u32, Vec<u8>)>;
}

/// Opens what a server asks for.
pub trait LocalFiles: Send {
    /// `name` is the server's word, to be trusted only as far as the program enabled it. `Err`: number and text.
    fn open(&mut self, name: &[u8]) -> Result<Box<dyn LocalFile>, (u32, Vec<u8>)>;
}

/// The default handler: the file of that name.
pub struct DefaultLocalFiles;

/// `EE_FILENOTFOUND`, the number that both originals report for a file that cannot be opened.
const EE_FILENOTFOUND: u32 = 29;
/// `EE_READ`.
const EE_READ: u32 = 2;

struct DefaultFile {
    file: File,
    name: Vec<u8>,
}

fn failure(code: u32, what: &str, name: &[u8], error: &std::io::Error) -> (u32, Vec<u8>) {
    let number = error.raw_os_error().unwrap_or(0);
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let name = String::from_utf8_lossy(name);
    (code, format!("{what} '{name}' (OS errno {number} - {text})").into_bytes())
}

impl LocalFiles for DefaultLocalFiles {
    fn open(&mut self, name: &[u8]) -> Result<Box<dyn LocalFile>, (u32, Vec<u8>)> {
        let path = Path::new(std::ffi::OsStr::from_bytes(name));
        match File::open(path) {
            Ok(file) => Ok(Box::new(DefaultFile { file, name: name.to_vec() })),
            Err(error) => Err(failure(EE_FILENOTFOUND, "File not found:", name, &error)),
        }
    }
}

impl LocalFile for DefaultFile {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, (u32, Vec<u8>)> {
        loop {
            match self.file.read(buffer) {
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failure(EE_READ, "Error reading file", &self.name, &error)),
            }
        }
    }
}
