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

    /// The keyword, [`Kw::None`] for functions without a part in the grammar and for unknown words.
    pub fn kw(self) -> Kw {
        KEYWORD_OF.get(usize::from(self.0)).copied().unwrap_or(Kw::None)
    }
}

const COUNT: usize = FUNCTIONS.len() + KEYWORDS.len();
const SLOTS: usize = 4096;
const EMPTY: u16 = u16::MAX;

/// Start value of the running hash.
pub(super) const HASH_START: u32 = 0x811c_9dc5;

/// One step of the hash; letter case does not matter.
#[inline(always)]
pub(super) const fn hash_step(hash: u32, byte: u8) -> u32 {
    (hash ^ (byte & 0xdf) as u32).wrapping_mul(0x0100_0193)
}

const fn slot_of(hash: u32) -> usize {
    ((hash ^ (hash >> 15)) as usize) & (SLOTS - 1)
}

const fn name_of(index: usize) -> &'static [u8] {
    if index < FUNCTIONS.len() {
        FUNCTIONS[index].name.as_bytes()
    } else {
        KEYWORDS[index - FUNCTIONS.len()].name.as_bytes()
    }
}

static KEYWORD_OF: [Kw; COUNT] = {
    let mut table = [Kw::None; COUNT];
    let mut index = 0;
    while index < COUNT {
        table[index] = if index < FUNCTIONS.len() { FUNCTIONS[index].kw } else { KEYWORDS[index - FUNCTIONS.len()].kw };
        index += 1;
    }
    table
};

/// Open addressing: word index and its full hash.
static INDEX: [(u16, u32); SLOTS] = {
    let mut table = [(EMPTY, 0u32); SLOTS];
    let mut index = 0;
    while index < COUNT {
        let name = name_of(index);
        let mut hash = HASH_START;
        let mut i = 0;
        while i < name.len() {
            hash = hash_step(hash, name[i]);
            i += 1;
        }
        let mut slot = slot_of(hash);
        while table[slot].0 != EMPTY {
            slot = (slot + 1) & (SLOTS - 1);
        }
        table[slot] = (index as u16, hash);
        index += 1;
    }
    table
};

/// The word with this text, whose hash has been computed along the way.
pub(super) fn find_hashed(text: &[u8], hash: u32) -> Word {
    let mut slot = slot_of(hash);
    loop {
        let Some(&(index, known)) = INDEX.get(slot) else {
            return Word::NONE;
        };
        if index == EMPTY {
            return Word::NONE;
        }
        if known == hash && text.eq_ignore_ascii_case(name_of(usize::from(index))) {
            return Word(index);
        }
        slot = (slot + 1) & (SLOTS - 1);
    }
}

/// The word with this text, in any letter case.
pub fn find(text: &[u8]) -> Word {
    find_hashed(text, text.iter().fold(HASH_START, |hash, &byte| hash_step(hash, byte)))
}
