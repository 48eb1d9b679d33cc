//! `handle_options`: MySQL's own programs read their arguments with it, and libmysqlclient exports it for them.
//!
//! No public header declares it. The layouts below are those of libmysqlclient.so.21 and .24 on 64 bits. Options are
//! described by the program; this writes their variables and calls the program back. What it has to say it says on standard
//! error, as the original. Must not touch handles.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use super::convert::c_bytes;
use super::entry::entry;
use super::load_defaults::source_of;
use tell::{Level, Stderr, Tell};
use value::{Integer, Limits, Wrong};

pub(super) mod tell;
pub(super) mod value;

/// Where an option's value has come from.
#[repr(C)]
struct ArgSource {
    path: [c_char; 512],
    source: c_uint,
}

/// A list of names, ended by NULL.
#[repr(C)]
struct TypeLib {
    count: usize,
    name: *const c_char,
    names: *const *const c_char,
    lengths: *const c_uint,
}

/// One option of the program; a list of them ends with one without a name.
#[repr(C)]
pub struct MyOption {
    name: *const c_char,
    id: c_int,
    comment: *const c_char,
    value: *mut c_void,
    u_max_value: *mut c_void,
    typelib: *const TypeLib,
    var_type: c_ulong,
    arg_type: c_uint,
    def_value: i64,
    min_value: i64,
    max_value: u64,
    arg_source: *mut ArgSource,
    block_size: c_long,
    app_type: *mut c_void,
}

const _: () = assert!(size_of::<MyOption>() == 112);

/// `my_get_one_option`: told of an option that was given; anything but 0 stops.
pub type OneOption = Option<unsafe extern "C" fn(c_int, *const MyOption, *mut c_char) -> bool>;

const GET_BOOL: c_ulong = 2;
const GET_INT: c_ulong = 3;
const GET_UINT: c_ulong = 4;
const GET_LONG: c_ulong = 5;
const GET_ULONG: c_ulong = 6;
const GET_LL: c_ulong = 7;
const GET_ULL: c_ulong = 8;
const GET_STR: c_ulong = 9;
const GET_STR_ALLOC: c_ulong = 10;
const GET_DISABLED: c_ulong = 11;
const GET_ENUM: c_ulong = 12;
const GET_SET: c_ulong = 13;
const GET_DOUBLE: c_ulong = 14;
const GET_FLAGSET: c_ulong = 15;
const GET_PASSWORD: c_ulong = 16;
/// The program would have to have named a function for the address, which no exported function does.
const GET_ASK_ADDR: c_ulong = 128;
const GET_TYPE_MASK: c_ulong = 127;

const NO_ARG: c_uint = 0;
const OPT_ARG: c_uint = 1;
const REQUIRED_ARG: c_uint = 2;

// What handle_options returns.
const EXIT_UNSPECIFIED_ERROR: c_int = 1;
const EXIT_UNKNOWN_OPTION: c_int = 2;
const EXIT_AMBIGUOUS_OPTION: c_int = 3;
const EXIT_NO_ARGUMENT_ALLOWED: c_int = 4;
const EXIT_ARGUMENT_REQUIRED: c_int = 5;
const EXIT_UNKNOWN_VARIABLE: c_int = 7;
const EXIT_OUT_OF_MEMORY: c_int = 8;
const EXIT_UNKNOWN_SUFFIX: c_int = 9;
const EXIT_NO_PTR_TO_VARIABLE: c_int = 10;
const EXIT_OPTION_DISABLED: c_int = 12;
const EXIT_ARGUMENT_INVALID: c_int = 13;

/// What the program is told of switches that are on and off. It may compare addresses, not write.
static ENABLED: [u8; 2] = *b"1\0";
static DISABLED: [u8; 2] = *b"0\0";

fn enabled() -> *mut c_char {
    ENABLED.as_ptr().cast::<c_char>().cast_mut()
}

fn disabled() -> *mut c_char {
    DISABLED.as_ptr().cast::<c_char>().cast_mut()
}

/// The variables of a structured option keep their bare name.
const KEY_CACHE: [&str; 4] =
    ["key_buffer_size", "key_cache_block_size", "key_cache_division_limit", "key_cache_age_threshold"];

/// A message with texts of the program in it.
macro_rules! say {
    ($level:ident, $($part:expr),+) => { Stderr.tell(Level::$level, &[$(&$part[..]),+].concat()) };
}

/// In front of messages that name the program: the library has never known its name, and C writes that so.
const NOBODY: &[u8] = b"(null): ";

entry! {
    /// Reads the program's arguments: sets the variables of its options and leaves the other arguments in `argv`, behind
    /// which it puts NULL. `argv` is moved past the program's name, `argc` counts what is left (MySQL family).
    ///
    /// Long options may be written with `-` or `_`, and with `skip-`, `disable-`, `enable-`, `maximum-` and `loose-` in
    /// front; `--` ends them. Numbers may end with K, M, G, T, P or E.
    ///
    /// Source: libmysqlclient 9.7, which exports it for MySQL's own programs; no header. Returns: 0; 1 when the program's
    /// function refused, 2 or 7 for an unknown option or variable, 3 to 13 for what is wrong with a value, as the original.
    /// Errors: said on standard error.
    ///
    /// # Safety
    /// `argc` and `argv` are writable, `*argv` has `*argc` NUL-ended strings and NULL; `options` ends with one without a
    /// name; each has a variable of its type, or none; the variable of a `GET_STR_ALLOC` is NULL or was set here.
    fn handle_options<A>(
        argc: *mut c_int, argv: *mut *mut *mut c_char, options: *const MyOption, callback: OneOption,
    ) -> c_int;
    plain, fails EXIT_UNSPECIFIED_ERROR, {
        if argc.is_null() || argv.is_null() || options.is_null() {
            return EXIT_UNSPECIFIED_ERROR;
        }
        // SAFETY: the caller's promise.
        let (count, first) = unsafe { (argc.read(), argv.read()) };
        if count < 1 || first.is_null() {
            return EXIT_UNSPECIFIED_ERROR;
        }
        // The first is the program's name.
        let words = first.wrapping_add(1);
        // SAFETY: the caller's promise.
        let given = unsafe { std::slice::from_raw_parts(words, count as usize - 1) }.to_vec();
        let mut length = 0;
        // SAFETY: up to the one without a name.
        while unsafe { !(*options.add(length)).name.is_null() } {
            length += 1;
        }
        // SAFETY: as counted; the program does not change them meanwhile.
        let options = unsafe { std::slice::from_raw_parts(options, length) };
        let mut reader = Reader { options, callback, words, kept: 0, left: count - 1 };
        let result = reader.read(&given);
        // SAFETY: the caller's promise.
        unsafe { argv.write(words) };
        // SAFETY: as above.
        unsafe { argc.write(reader.left) };
        result.err().unwrap_or(0)
    }
}

/// A long option as it was found.
struct Found<'a> {
    option: &'a MyOption,
    /// Behind the prefixes, with its argument.
    text: &'a [u8],
    argument: *mut c_char,
    maximum: bool,
    loose: bool,
}

struct Reader<'a> {
    options: &'a [MyOption],
    callback: OneOption,
    /// The program's arguments, whose beginning is overwritten with what is kept.
    words: *mut *mut c_char,
    kept: usize,
    left: c_int,
}

/// The rest of a word from `text` on, which ends at its NUL.
fn pointer(text: &[u8]) -> *mut c_char {
    text.as_ptr().cast::<c_char>().cast_mut()
}

impl<'a> Reader<'a> {
    fn read(&mut self, given: &[*mut c_char]) -> Result<(), c_int> {
        for option in self.options {
            preset(option);
        }
        let mut ended = false;
        let mut at = 0;
        while let Some(&word) = given.get(at) {
            // SAFETY: NUL-ended strings, which live as long as the program.
            let text: &'a [u8] = unsafe { c_bytes(word) }.unwrap_or_default();
            match text {
                [b'-', _, ..] if ended => self.keep(word),
                b"--" => {
                    ended = true;
                    self.left -= 1;
                }
                [b'-', b'-', name @ ..] => self.long(name, given, &mut at)?,
                [b'-', letters @ ..] if !letters.is_empty() => self.short(letters, given, &mut at)?,
                _ => self.keep(word),
            }
            at += 1;
        }
        self.put(ptr::null_mut());
        Ok(())
    }

    fn keep(&mut self, word: *mut c_char) {
        self.put(word);
        self.kept += 1;
    }

    fn put(&mut self, word: *mut c_char) {
        // SAFETY: never more words than there were, and NULL behind them.
        unsafe { self.words.add(self.kept).write(word) };
    }

    /// Tells the program of an option.
    fn told(&self, option: &MyOption, argument: *mut c_char, code: c_int) -> Result<(), c_int> {
        let Some(callback) = self.callback else { return Ok(()) };
        // SAFETY: the program's function, with its own option.
        if unsafe { callback(option.id, option, argument) } { Err(code) } else { Ok(()) }
    }

    fn long(&mut self, text: &'a [u8], given: &[*mut c_char], at: &mut usize) -> Result<(), c_int> {
        let Some(found) = self.find(text)? else {
            self.left -= 1;
            return Ok(());
        };
        let option = found.option;
        let kind = option.var_type & GET_TYPE_MASK;
        if kind == GET_DISABLED {
            let level = if found.loose { Level::Warning } else { Level::Error };
            Stderr.tell(level, &[NOBODY, b"Option '", found.text, b"' was used, but is disabled."].concat());
            if !found.loose {
                return Err(EXIT_OPTION_DISABLED);
            }
            self.left -= 1;
            return Ok(());
        }
        let mut argument = found.argument;
        if option.arg_type == NO_ARG {
            if kind == GET_BOOL {
                return self.switch(option, argument);
            }
            if !argument.is_null() {
                say!(Error, NOBODY, b"option '--", name(option), b"' cannot take an argument.");
                return Err(EXIT_NO_ARGUMENT_ALLOWED);
            }
        } else if option.arg_type == REQUIRED_ARG && argument.is_null() {
            *at += 1;
            argument = given.get(*at).copied().unwrap_or(ptr::null_mut());
            if argument.is_null() {
                say!(Error, NOBODY, b"option '--", name(option), b"' requires an argument.");
                return Err(EXIT_ARGUMENT_REQUIRED);
            }
            self.left -= 1;
        }
        if option.var_type == GET_PASSWORD && !argument.is_null() {
            warn_of_password();
        }
        set(option, address(option), argument, found.maximum)?;
        self.told(option, argument, EXIT_UNSPECIFIED_ERROR)?;
        self.left -= 1;
        Ok(())
    }

    /// A switch without an argument, which takes one all the same.
    fn switch(&mut self, option: &MyOption, argument: *mut c_char) -> Result<(), c_int> {
        self.left -= 1;
        // SAFETY: NULL or a NUL-ended string.
        let on = match unsafe { c_bytes(argument) } {
            None => true,
            Some(text) => match value::switch(text) {
                Some(on) => on,
                None => {
                    let name = name(option);
                    say!(Warning, NOBODY, b"ignoring option '--", name, b"' due to invalid value '", text, b"'.");
                    return Ok(());
                }
            },
        };
        store(address(option), on);
        self.told(option, if on { enabled() } else { disabled() }, EXIT_ARGUMENT_INVALID)?;
        note_source(option);
        Ok(())
    }

    /// The option that a word without its `--` names; None for one that may be missing.
    fn find(&self, text: &'a [u8]) -> Result<Option<Found<'a>>, c_int> {
        const PREFIXES: [&[u8]; 5] = [b"skip", b"disable", b"enable", b"maximum", b"loose"];
        let place = |byte, from: usize| text[from..].iter().position(|b| *b == byte).map_or(text.len(), |at| at + from);
        let (dot, equals, space) = (place(b'.', text.len().min(1)), place(b'=', 0), place(b' ', 0));
        let mut whole = text;
        if equals > dot && space > dot {
            let variable = &text[dot + 1..place(b'=', dot + 1)];
            if KEY_CACHE.iter().any(|name| variable.eq_ignore_ascii_case(name.as_bytes())) {
                whole = &text[dot + 1..];
            }
        }
        let equals = whole.iter().position(|b| *b == b'=');
        let given = equals.map(|at| &whole[at + 1..]);
        let mut argument = given.map_or(ptr::null_mut(), pointer);
        let mut wanted = &whole[..equals.unwrap_or(whole.len())];
        let (mut maximum, mut loose) = (false, false);
        let mut option = self.named(wanted);
        while option.is_none() {
            let parts = PREFIXES.iter().find_map(|prefix| match wanted.strip_prefix(*prefix) {
                Some([b'-' | b'_', rest @ ..]) => Some((*prefix, rest)),
                _ => None,
            });
            let Some((prefix, rest)) = parts else { break };
            wanted = rest;
            loose |= prefix == b"loose";
            option = self.named(wanted);
            if option.is_some() {
                // Off, and off again, is on.
                let off = given == Some(b"0");
                match prefix {
                    b"skip" | b"disable" => argument = if off { enabled() } else { disabled() },
                    b"enable" => argument = if off { disabled() } else { enabled() },
                    b"maximum" => maximum = true,
                    _ => {}
                }
            }
        }
        if let Some(option) = option {
            let text = &text[wanted.as_ptr().addr() - text.as_ptr().addr()..];
            return Ok(Some(Found { option, text, argument, maximum, loose }));
        }
        let level = if loose { Level::Warning } else { Level::Error };
        let (what, code): (&[u8], _) = match equals {
            Some(_) => (b"unknown variable '", EXIT_UNKNOWN_VARIABLE),
            None => (b"unknown option '--", EXIT_UNKNOWN_OPTION),
        };
        Stderr.tell(level, &[what, text, b"'."].concat());
        if loose { Ok(None) } else { Err(code) }
    }

    /// The option of this name, in which `-` and `_` are the same.
    fn named(&self, wanted: &[u8]) -> Option<&'a MyOption> {
        let plain = |byte: &u8| if *byte == b'-' { b'_' } else { *byte };
        self.options.iter().find(|option| name(option).iter().map(plain).eq(wanted.iter().map(plain)))
    }

    /// Letters behind one `-`.
    fn short(&mut self, letters: &'a [u8], given: &[*mut c_char], at: &mut usize) -> Result<(), c_int> {
        let mut argument = ptr::null_mut();
        for (place, letter) in letters.iter().enumerate() {
            let (mut found, mut rest_used) = (false, false);
            for option in self.options {
                if option.id == 0 || option.id != c_int::from(*letter) {
                    continue;
                }
                found = true;
                let kind = option.var_type & GET_TYPE_MASK;
                if kind == GET_DISABLED {
                    say!(Error, NOBODY, b"Option '-", [*letter], b"' was used, but is disabled.");
                    return Err(EXIT_OPTION_DISABLED);
                }
                if kind == GET_BOOL && option.arg_type == NO_ARG {
                    store(option.value, true);
                    self.told(option, argument, EXIT_UNSPECIFIED_ERROR)?;
                    continue;
                }
                if matches!(option.arg_type, OPT_ARG | REQUIRED_ARG) {
                    let rest = &letters[place + 1..];
                    if !rest.is_empty() {
                        argument = pointer(rest);
                        rest_used = true;
                        if option.var_type == GET_PASSWORD {
                            warn_of_password();
                        }
                    } else if option.arg_type == OPT_ARG {
                        if option.var_type == GET_BOOL {
                            store(option.value, true);
                        }
                        self.told(option, argument, EXIT_UNSPECIFIED_ERROR)?;
                        continue;
                    } else {
                        *at += 1;
                        argument = given.get(*at).copied().unwrap_or(ptr::null_mut());
                        if argument.is_null() {
                            say!(Error, NOBODY, b"option '-", [*letter], b"' requires an argument.");
                            return Err(EXIT_ARGUMENT_REQUIRED);
                        }
                        self.left -= 1;
                    }
                }
                set(option, option.value, argument, false)?;
                self.told(option, argument, EXIT_UNSPECIFIED_ERROR)?;
                break;
            }
            if !found {
                say!(Error, NOBODY, b"unknown option '-", [*letter], b"'.");
                return Err(EXIT_UNKNOWN_OPTION);
            }
            if rest_used {
                break;
            }
        }
        self.left -= 1;
        Ok(())
    }
}

fn name(option: &MyOption) -> &[u8] {
    // SAFETY: an option in the list has a name.
    unsafe { c_bytes(option.name) }.unwrap_or_default()
}

/// The option's variable; NULL for none.
fn address(option: &MyOption) -> *mut c_void {
    if option.var_type & GET_ASK_ADDR == 0 { option.value } else { ptr::null_mut() }
}

/// Writes a variable; NULL is left alone.
fn store<T>(place: *mut c_void, value: T) {
    // SAFETY: the program's variable of the option's type, or NULL.
    unsafe { super::convert::put(place.cast::<T>(), value) };
}

/// The largest value is written only to make a smaller one of the present one.
fn lower<T: Copy + PartialOrd>(place: *mut c_void, value: T) {
    let place = place.cast::<T>();
    // SAFETY: the program's variable of the option's type, or NULL.
    if !place.is_null() && unsafe { place.read_unaligned() } > value {
        // SAFETY: as above.
        unsafe { place.write_unaligned(value) };
    }
}

fn warn_of_password() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        say!(Warning, b"Using a password on the command line interface can be insecure.");
    }
}

fn limits(option: &MyOption) -> Limits<'_> {
    let integer = match option.var_type & GET_TYPE_MASK {
        GET_INT => Integer::Int,
        GET_UINT => Integer::Uint,
        GET_ULONG | GET_ULL => Integer::Ulong,
        _ => Integer::Long,
    };
    Limits { name: name(option), integer, min: option.min_value, max: option.max_value, block: option.block_size }
}

/// Sets an option's variables to what they are when it is not given.
fn preset(option: &MyOption) {
    // The largest first: the program may have one variable for both.
    init(option, option.u_max_value, option.max_value as i64);
    init(option, address(option), option.def_value);
}

fn init(option: &MyOption, place: *mut c_void, value: i64) {
    if place.is_null() {
        return;
    }
    let limited = |value: i64| value::limited(value as u64, &limits(option), &mut Stderr);
    match option.var_type & GET_TYPE_MASK {
        GET_BOOL => store(place, value != 0),
        GET_INT => store(place, limited(i64::from(value as i32)) as i32),
        GET_UINT => store(place, limited(i64::from(value as u32)) as u32),
        GET_LONG | GET_ULONG | GET_LL | GET_ULL => store(place, limited(value)),
        GET_ENUM | GET_SET | GET_FLAGSET | GET_DOUBLE => store(place, value),
        GET_STR | GET_PASSWORD if value != 0 => store(place, value),
        GET_STR_ALLOC if value != 0 => {
            let text = ptr::with_exposed_provenance::<c_char>(value as usize);
            // SAFETY: the program's default is a NUL-ended string.
            let _ = copy_into(place, unsafe { c_bytes(text) }.unwrap_or_default());
        }
        _ => {}
    }
}

/// Sets an option's variable, or with `maximum` its limit, to an argument; NULL is a switch that is on.
fn set(option: &MyOption, place: *mut c_void, argument: *mut c_char, maximum: bool) -> Result<(), c_int> {
    let argument = if argument.is_null() { enabled() } else { argument };
    // SAFETY: a NUL-ended string.
    let text = unsafe { c_bytes(argument) }.unwrap_or_default();
    let kind = option.var_type & GET_TYPE_MASK;
    if text.is_empty() && matches!(kind, GET_INT..=GET_ULL | GET_DOUBLE | GET_ENUM) {
        say!(Error, NOBODY, b"Empty value for '", name(option), b"' specified.");
        return Err(EXIT_ARGUMENT_REQUIRED);
    }
    if !place.is_null() {
        let place = if maximum { option.u_max_value } else { place };
        if place.is_null() {
            say!(Error, NOBODY, b"Maximum value of '", name(option), b"' cannot be set.");
            return Err(EXIT_NO_PTR_TO_VARIABLE);
        }
        if let Err(code) = assign(option, kind, place, argument, maximum) {
            say!(Error, NOBODY, b"Error while setting value '", text, b"' to '", name(option), b"'.");
            return Err(code);
        }
    }
    note_source(option);
    Ok(())
}

fn assign(
    option: &MyOption,
    kind: c_ulong,
    place: *mut c_void,
    argument: *mut c_char,
    maximum: bool,
) -> Result<(), c_int> {
    // SAFETY: a NUL-ended string.
    let text = unsafe { c_bytes(argument) }.unwrap_or_default();
    let invalid = |wrong| if wrong == Wrong::Ambiguous { EXIT_AMBIGUOUS_OPTION } else { EXIT_ARGUMENT_INVALID };
    match kind {
        GET_BOOL => {
            if value::switch(text).is_none() {
                let name = name(option);
                let rest = b"' was not recognized. Set to OFF.";
                say!(Warning, b"option '", name, b"': boolean value '", text, rest);
            }
            store(place, value::switch(text) == Some(true));
        }
        GET_INT..=GET_ULL => {
            let mut lowered = |number: u64| match kind {
                _ if !maximum => {}
                GET_INT => lower(option.value, i32::try_from(number as i64).unwrap_or(i32::MAX)),
                GET_UINT => lower(option.value, u32::try_from(number).unwrap_or(u32::MAX)),
                GET_LONG | GET_LL => lower(option.value, number as i64),
                _ => lower(option.value, number),
            };
            let (number, result) = value::integer(text, &limits(option), &mut lowered, &mut Stderr);
            match kind {
                GET_INT | GET_UINT => store(place, number as u32),
                _ => store(place, number),
            }
            result.map_err(|_| EXIT_UNKNOWN_SUFFIX)?;
        }
        GET_DOUBLE => {
            let bounds = (name(option), f64::from_bits(option.min_value as u64), f64::from_bits(option.max_value));
            let mut lowered = |number: f64| {
                if maximum {
                    lower(option.value, number);
                }
            };
            let (number, result) = value::double(text, bounds, &mut lowered, &mut Stderr);
            store(place, number);
            result.map_err(|_| EXIT_UNKNOWN_SUFFIX)?;
        }
        GET_STR | GET_PASSWORD if argument != enabled() => store(place, argument),
        GET_STR_ALLOC if argument != enabled() => copy_into(place, text)?,
        GET_ENUM => {
            let (names, count) = names(option);
            store(place, value::one_of(text, &names, count).map_err(invalid)?);
        }
        GET_SET => {
            let (names, count) = names(option);
            let bits = value::some_of(text, &names, count);
            store(place, bits.unwrap_or(0));
            bits.map_err(invalid)?;
        }
        GET_FLAGSET => {
            let (names, count) = names(option);
            // SAFETY: the program's variable, a 64-bit number.
            let now = unsafe { place.cast::<u64>().read_unaligned() };
            let (bits, result) = value::flags(text, &names, count, (now, option.def_value as u64));
            store(place, bits);
            result.map_err(invalid)?;
        }
        _ => {}
    }
    Ok(())
}

/// The names that an option's value may be, and how many the program says they are.
fn names(option: &MyOption) -> (Vec<&[u8]>, u64) {
    // SAFETY: NULL or the program's list.
    let Some(list) = (unsafe { option.typelib.as_ref() }) else { return (Vec::new(), 0) };
    let mut names = Vec::new();
    if list.count > 0 && !list.names.is_null() {
        // SAFETY: the list ends with NULL.
        while let Some(name) = unsafe { c_bytes(list.names.add(names.len()).read()) } {
            names.push(name);
        }
    }
    (names, list.count as u64)
}

/// In front of memory that the original allocates for programs: the program may hand it to its own `my_free`.
#[repr(C)]
struct Header {
    key: c_uint,
    magic: c_uint,
    size: usize,
    owner: [usize; 2],
}

const _: () = assert!(size_of::<Header>() == 32);
const MAGIC: c_uint = 1234;

/// Puts a copy of `text` into the variable of a `GET_STR_ALLOC`, whose old text is freed.
fn copy_into(place: *mut c_void, text: &[u8]) -> Result<(), c_int> {
    let place = place.cast::<*mut c_char>();
    // SAFETY: the program's variable.
    let old = unsafe { place.read_unaligned() };
    if !old.is_null() {
        // SAFETY: allocated by this function, with a header in front, or by the original's.
        unsafe { libc::free(old.cast::<Header>().sub(1).cast()) };
    }
    // SAFETY: allocates.
    let block = unsafe { libc::malloc(size_of::<Header>() + text.len() + 1) }.cast::<Header>();
    if block.is_null() {
        // SAFETY: the program's variable.
        unsafe { place.write_unaligned(ptr::null_mut()) };
        return Err(EXIT_OUT_OF_MEMORY);
    }
    // SAFETY: room for the header and the text was allocated.
    unsafe { block.write(Header { key: 0, magic: MAGIC, size: text.len() + 1, owner: [0; 2] }) };
    let copy = block.wrapping_add(1).cast::<u8>();
    // SAFETY: as above.
    unsafe { ptr::copy_nonoverlapping(text.as_ptr(), copy, text.len()) };
    // SAFETY: as above.
    unsafe { copy.add(text.len()).write(0) };
    // SAFETY: the program's variable.
    unsafe { place.write_unaligned(copy.cast()) };
    Ok(())
}

/// Tells the program which option file an option has come from, if it asks and it was one.
fn note_source(option: &MyOption) {
    let place = option.arg_source;
    if place.is_null() {
        return;
    }
    let Some((path, source)) = source_of(name(option)) else { return };
    let length = path.len().min(511);
    // SAFETY: the program's struct; the path fits.
    unsafe { ptr::copy_nonoverlapping(path.as_ptr(), (&raw mut (*place).path).cast::<u8>(), length) };
    // SAFETY: as above.
    unsafe { (&raw mut (*place).source).write(source) };
}
