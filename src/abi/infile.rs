//! LOAD DATA LOCAL from a program's own functions instead of a file.

#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_uint, c_void};

use crate::options::Family;
use crate::session::{DefaultLocalFiles, LocalFile, LocalFiles};

use super::entry::entry;
use super::family::{Abi, Function};
use super::handle::Handle;

/// Opens what is called `name`: 0, and a pointer for the other three; others = it has failed.
type Init = unsafe extern "C" fn(*mut *mut c_void, *const c_char, *mut c_void) -> c_int;
/// Fills a buffer: bytes written, 0 at the end, below 0 = it has failed.
type Read = unsafe extern "C" fn(*mut c_void, *mut c_char, c_uint) -> c_int;
/// Closes; called once for every call of the first, failed ones too.
type End = unsafe extern "C" fn(*mut c_void);
/// Writes the text of what has failed, returns its number.
type Failure = unsafe extern "C" fn(*mut c_void, *mut c_char, c_uint) -> c_int;

/// The program's functions and its data.
#[derive(Clone, Copy)]
struct Functions {
    init: Init,
    read: Read,
    end: End,
    failure: Failure,
    data: *mut c_void,
    family: Family,
}

// SAFETY: the program promises that its functions may be called by whoever uses the handle.
unsafe impl Send for Functions {}

/// What the first function opened; closed when dropped.
struct Opened {
    functions: Functions,
    pointer: *mut c_void,
}

impl Opened {
    /// Asks the program what has failed.
    fn failure(&self) -> (u32, Vec<u8>) {
        /// Room for the text in both originals, the NUL included.
        const ROOM: usize = 512;
        let mut text = [0u8; ROOM];
        let place = text.as_mut_ptr().cast::<c_char>();
        // SAFETY: the program's function, with the pointer that it made and a buffer of the size that it is told.
        let number = unsafe { (self.functions.failure)(self.pointer, place, (ROOM - 1) as c_uint) };
        let length = text.iter().position(|byte| *byte == 0).unwrap_or(ROOM);
        (number as u32, text[..length].to_vec())
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: the program's function, with the pointer that it made, once.
        unsafe { (self.functions.end)(self.pointer) };
    }
}

impl LocalFiles for Functions {
    fn open(&mut self, name: &[u8]) -> Result<Box<dyn LocalFile>, (u32, Vec<u8>)> {
        // As in C a name ends at its first NUL.
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        let name = CString::new(name).unwrap_or_default();
        let mut opened = Opened { functions: *self, pointer: std::ptr::null_mut() };
        // SAFETY: the program's function, with a place for its pointer, a NUL-ended name and the program's own data.
        if unsafe { (self.init)(&raw mut opened.pointer, name.as_ptr(), self.data) } != 0 {
            return Err(opened.failure());
        }
        Ok(Box::new(opened))
    }
}

impl LocalFile for Opened {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, (u32, Vec<u8>)> {
        let room = c_uint::try_from(buffer.len()).unwrap_or(c_uint::MAX);
        // SAFETY: the program's function, with the pointer that it made and a buffer of the size that it is told.
        let count = unsafe { (self.functions.read)(self.pointer, buffer.as_mut_ptr().cast(), room) };
        // More than fits would be the program's mistake.
        usize::try_from(count).map(|count| count.min(buffer.len())).map_err(|_| self.failure())
    }

    fn chunk(&self) -> usize {
        // As the originals ask for.
        match self.functions.family {
            Family::MySql => 8192,
            Family::MariaDb => 4096,
        }
    }
}

/// A function as the public fields show it.
fn shown<T: Copy>(function: Option<T>) -> Function {
    const { assert!(size_of::<Option<T>>() == size_of::<Function>()) };
    // SAFETY: both are a pointer to a function or NULL.
    unsafe { std::mem::transmute_copy(&function) }
}

/// Shows the functions in the public fields.
///
/// # Safety
/// `mysql` points to a writable `F::Mysql`.
unsafe fn show<F: Abi>(mysql: *mut F::Mysql, functions: [Function; 4], data: *mut c_void) {
    let place = F::opt_local_infile(mysql);
    // SAFETY: four functions and a pointer lie here one behind the other.
    unsafe {
        for (index, function) in functions.into_iter().enumerate() {
            place.add(index).write(function);
        }
        place.add(4).cast::<*mut c_void>().write(data);
    }
}

entry! {
    /// Makes LOAD DATA LOCAL take its data from the program's functions. It must be allowed all the same. If one of
    /// the four is missing, files are read as without a handler.
    ///
    /// Source: manuals of both. Returns: nothing.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle; the functions are NULL or of the types that the manuals say, and may be called
    /// with `data` for as long as the handle lives.
    fn mysql_set_local_infile_handler<F>(
        mysql: *mut F::Mysql, init: Option<Init>, read: Option<Read>, end: Option<End>, failure: Option<Failure>,
        data: *mut c_void,
    );
    handle mysql, fails (), {
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return };
        match (init, read, end, failure) {
            (Some(init), Some(read), Some(end), Some(failure)) => {
                let functions = Functions { init, read, end, failure, data, family: F::FAMILY };
                handle.session.set_local_files(Box::new(functions));
            }
            _ => handle.session.set_local_files(Box::new(DefaultLocalFiles(F::FAMILY))),
        }
        // SAFETY: lent through `mysql`.
        unsafe { show::<F>(mysql, [shown(init), shown(read), shown(end), shown(failure)], data) };
    }
}

entry! {
    /// Makes LOAD DATA LOCAL read files again.
    ///
    /// Source: manuals of both. Returns: nothing.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_set_local_infile_default<F>(mysql: *mut F::Mysql);
    handle mysql, fails (), {
        // SAFETY: the caller's promise.
        let Some(handle) = (unsafe { Handle::<F>::lend(mysql) }) else { return };
        handle.session.set_local_files(Box::new(DefaultLocalFiles(F::FAMILY)));
        // SAFETY: lent through `mysql`.
        unsafe { show::<F>(mysql, [None; 4], std::ptr::null_mut()) };
    }
}
