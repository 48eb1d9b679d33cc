//! The words that mean something to the classifier, and how they are found: one hash, one probe in the usual case.
//!
//! The rows are in [`super::functions`] and [`super::keywords`]; the index over them is made at compile time.

use super::context::{Server, ServerFamily};
use super::functions::FUNCTIONS;
use super::keywords::{KEYWORDS, Kw};

/// A version that no server has: not in this family.
pub const NEVER: u32 = u32::MAX;

/// A built-in function that computes something from its arguments and changes nothing.
pub const PURE: u16 = 1;
/// Only with `(` directly behind the name, unless sql_mode has IGNORE_SPACE: with a blank between, the server looks
/// for a stored function of that name.
pub const TIGHT: u16 = 2;
/// Grammar, not a function: may stand in front of `(`.
pub const SYNTAX: u16 = 4;
/// A function whose answer belongs to the connection used last (`FOUND_ROWS()`) or to one server (`UUID_SHORT()`).
pub const LAST_USED: u16 = 8;
/// `LAST_INSERT_ID`.
pub const LAST_WRITE: u16 = 16;
/// User-level locks.
pub const LOCK_FUNCTION: u16 = 32;
/// Sequences: changes state on the source.
pub const SEQUENCE: u16 = 64;
/// Gone from MySQL 9.6 on (moved into a component): there a stored function may have the name.
pub const GONE_96: u16 = 128;
/// A geometry's constructor. Given a number of arguments that it does not take, MariaDB calls the stored function of that
/// name; MySQL has none of them for a name without quotes.
pub const CONSTRUCTOR: u16 = 256;

/// One word.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// In capitals.
    pub name: &'static str,
    /// Which keyword, if the classifier asks for it by name.
    pub kw: Kw,
    /// See the constants of this module.
    pub flags: u16,
    /// First MySQL version in which the word has this meaning; 0: all that we support; [`NEVER`]: none.
    pub mysql: u32,
    /// First MariaDB version likewise.
    pub mariadb: u32,
}

impl Row {
    /// Whether the word has its meaning on all servers of the range.
    pub fn known_to(&self, server: Server) -> bool {
        match server.family {
            ServerFamily::MySql => self.mysql <= server.min && (self.flags & GONE_96 == 0 || server.max < 90_600),
            ServerFamily::MariaDb => self.mariadb <= server.min,
            ServerFamily::Unknown => self.mysql == 0 && self.mariadb == 0 && self.flags & GONE_96 == 0,
        }
    }
}

/// Index of a word; [`Word::NONE`] for any other identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(pub(super) u16);

impl Word {
    /// Not one of ours.
    pub const NONE: Word = Word(u16::MAX);

    /// The word's row.
    pub fn row(self) -> Option<&'static Row> {
        let index = usize::from(self.0);
        if index < FUNCTIONS.len() { FUNCTIONS.get(index) } else { KEYWORDS.get(index - FUNCTIONS.len()) }
    }
}

const COUNT: usize = FUNCTIONS.len() + KEYWORDS.len();
const SLOTS: usize = 4096;

/// What identifies a word without looking at its text again: its length, and its first and last eight bytes in
/// capitals. Complete for words of up to 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    head: u64,
    tail: u64,
    len: u32,
}

/// Letter case does not matter: this bit is off in capitals, and no two other characters of identifiers differ in it
/// alone.
const CAPITALS: u64 = 0xdfdf_dfdf_dfdf_dfdf;

const fn up_to_eight(text: &[u8], from: usize, len: usize) -> u64 {
    let mut value = 0;
    let mut i = 0;
    while i < len {
        value |= (text[from + i] as u64) << (8 * i);
        i += 1;
    }
    value
}

impl Key {
    /// For the table, made at compile time.
    const fn of_word(text: &[u8]) -> Key {
        let len = text.len();
        let short = if len < 8 { len } else { 8 };
        let (head, tail) = (up_to_eight(text, 0, short), up_to_eight(text, len - short, short));
        Key { head: head & CAPITALS, tail: tail & CAPITALS, len: len as u32 }
    }

    /// The same, fast.
    #[inline(always)]
    fn of_text(text: &[u8]) -> Key {
        let len = text.len();
        let (head, tail) = if let (Some(first), Some(last)) = (text.first_chunk::<8>(), text.last_chunk::<8>()) {
            (u64::from_le_bytes(*first), u64::from_le_bytes(*last))
        } else if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
            let (first, last) = (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last)));
            let both = first | last << (8 * (len - 4));
            (both, both)
        } else {
            let both = match *text {
                [a] => u64::from(a),
                [a, b] => u64::from(a) | u64::from(b) << 8,
                [a, b, c] => u64::from(a) | u64::from(b) << 8 | u64::from(c) << 16,
                _ => 0,
            };
            (both, both)
        };
        Key { head: head & CAPITALS, tail: tail & CAPITALS, len: len as u32 }
    }

    #[inline(always)]
    const fn slot(self) -> usize {
        let mixed = (self.head ^ self.tail.rotate_left(29) ^ self.len as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 52) as usize % SLOTS
    }
}

#[derive(Clone, Copy)]
struct Slot {
    key: Key,
    word: Word,
    kw: Kw,
}

const FREE: Slot = Slot { key: Key { head: 0, tail: 0, len: 0 }, word: Word::NONE, kw: Kw::None };

const fn row_at(index: usize) -> &'static Row {
    if index < FUNCTIONS.len() { &FUNCTIONS[index] } else { &KEYWORDS[index - FUNCTIONS.len()] }
}

/// Open addressing with linear probing.
static INDEX: [Slot; SLOTS] = {
    let mut table = [FREE; SLOTS];
    let mut index = 0;
    while index < COUNT {
        let row = row_at(index);
        let key = Key::of_word(row.name.as_bytes());
        let mut slot = key.slot();
        while table[slot].key.len != 0 {
            slot = (slot + 1) % SLOTS;
        }
        table[slot] = Slot { key, word: Word(index as u16), kw: row.kw };
        index += 1;
    }
    table
};

/// The word with this text, in any letter case, and its keyword. The text holds only ASCII letters, digits, `_`, `$`.
#[inline]
pub fn find(text: &[u8]) -> (Word, Kw) {
    look_up(Key::of_text(text), text)
}

/// As [`find`], for a text of at most eight bytes, which the caller has at hand as a little-endian number.
#[inline(always)]
pub(super) fn find_short(bytes: u64, len: usize) -> (Word, Kw) {
    // Head and tail of so short a word are all of it, both.
    let bytes = bytes & CAPITALS;
    let mut at = Key { head: bytes, tail: bytes, len: len as u32 }.slot();
    loop {
        let slot = &INDEX[at];
        if slot.key.head == bytes && slot.key.len == len as u32 {
            return (slot.word, slot.kw);
        }
        if slot.key.len == 0 {
            return (Word::NONE, Kw::None);
        }
        at = (at + 1) % SLOTS;
    }
}

#[inline(always)]
fn look_up(key: Key, text: &[u8]) -> (Word, Kw) {
    let mut at = key.slot();
    loop {
        let slot = &INDEX[at];
        if slot.key == key
            && (text.len() <= 16 || text.eq_ignore_ascii_case(row_at(usize::from(slot.word.0)).name.as_bytes()))
        {
            return (slot.word, slot.kw);
        }
        if slot.key.len == 0 {
            return (Word::NONE, Kw::None);
        }
        at = (at + 1) % SLOTS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_in_any_case_and_no_other() {
        for index in 0..COUNT {
            let row = row_at(index);
            for name in [row.name.to_owned(), row.name.to_lowercase()] {
                let (word, kw) = find(name.as_bytes());
                assert_eq!((word, kw), (Word(index as u16), row.kw), "{name}");
                assert_eq!(word.row().map(|row| row.name), Some(row.name));
                for other in [format!("{name}X"), format!("X{name}"), name[1..].to_owned()] {
                    let known = (0..COUNT).any(|i| row_at(i).name.eq_ignore_ascii_case(&other));
                    assert_eq!(find(other.as_bytes()).0 != Word::NONE, known, "{other}");
                }
            }
        }
        assert_eq!(find(b""), (Word::NONE, Kw::None));
        assert_eq!(find(b"VEC_DISTANCE_XUCLIDEAN").0, Word::NONE);
    }

    #[test]
    fn tables_are_sorted_and_without_doubles() {
        assert!(FUNCTIONS.is_sorted_by(|a, b| a.name < b.name));
        assert!(KEYWORDS.is_sorted_by(|a, b| a.name < b.name));
        assert!(KEYWORDS.iter().all(|keyword| { FUNCTIONS.iter().all(|function| function.name != keyword.name) }));
    }
}
