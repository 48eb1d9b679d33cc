//! A classified statement: class, reason, hint, effects, and what it needs. Plain data without references to the text;
//! positions are [`Span`]s into it.

use std::borrow::Cow;

use smallvec::SmallVec;

use super::effects::Effect;
use super::hint::Hint;

/// Byte positions in the statement's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// Behind the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes; empty if the text is not the one that was classified.
    pub fn of(self, text: &[u8]) -> &[u8] {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// An identifier without its quotes, doubled quotes halved; user variables without their `@`.
    pub fn name(self, text: &[u8]) -> Cow<'_, [u8]> {
        let mut bytes = self.of(text);
        while let Some(rest) = bytes.strip_prefix(b"@") {
            bytes = rest;
        }
        match bytes {
            [quote @ (b'`' | b'"' | b'\''), inner @ .., last] if quote == last => {
                if !inner.contains(quote) {
                    return Cow::Borrowed(inner);
                }
                let mut out = Vec::with_capacity(inner.len());
                let mut skip = false;
                for &byte in inner {
                    skip = byte == *quote && !skip;
                    if !skip {
                        out.push(byte);
                    }
                }
                Cow::Owned(out)
            }
            _ => Cow::Borrowed(bytes),
        }
    }
}

/// Where a statement may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Proven to be a plain read: any node.
    Read,
    /// Asks about the connection used last, or about one server: the node used last, else the source.
    LastUsed,
    /// `LAST_INSERT_ID()`, `@@identity`: the node of the handle's last write, else the source.
    LastWrite,
    /// Changes data, or does something else that only the source may do.
    Write,
    /// BEGIN, COMMIT and their kin; what exactly is in [`Effect::Transaction`].
    Transaction,
    /// SET, USE and the like: changes what the session is.
    Session,
    /// Not proven to be anything: the source.
    Unknown,
}

impl Class {
    /// For logs and `explain`.
    pub fn as_str(self) -> &'static str {
        match self {
            Class::Read => "read",
            Class::LastUsed => "last used",
            Class::LastWrite => "last write",
            Class::Write => "write",
            Class::Transaction => "transaction",
            Class::Session => "session",
            Class::Unknown => "unknown",
        }
    }
}

/// Why, and which words of the text say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// In words, for people.
    pub text: &'static str,
    /// The place, if there is one.
    pub at: Option<Span>,
}

/// A table's name as it stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableRef {
    /// Schema, if written.
    pub schema: Option<Span>,
    /// Name; may be that of a common table expression.
    pub name: Span,
}

/// What must be there for the statement to give the right answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Names at table positions, in order, repeated as in the text; most statements have one or two.
    pub tables: SmallVec<[TableRef; 2]>,
    /// Names of common table expressions, in order.
    pub derived: Vec<Span>,
    /// User variables read (or read and written), with their `@`.
    pub user_variables: Vec<Span>,
    /// System variables read, with their `@@`.
    pub system_variables: Vec<Span>,
    /// FOR UPDATE, FOR SHARE, LOCK IN SHARE MODE anywhere.
    pub locking: bool,
    /// KILL's connection id, if it is a number.
    pub kill: Option<u64>,
    /// A `/*+ SET_VAR(...) */` hint is there.
    pub set_var_hint: bool,
}

impl Needs {
    /// Whether a name at a table position is that of a common table expression.
    pub fn is_derived(&self, table: &TableRef, text: &[u8]) -> bool {
        table.schema.is_none()
            && self.derived.iter().any(|derived| derived.name(text).eq_ignore_ascii_case(&table.name.name(text)))
    }
}

/// What the classifier found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Where it may go.
    pub class: Class,
    /// Why.
    pub reason: Reason,
    /// A hint in front, whatever the class.
    pub hint: Option<Hint>,
    /// What it does to session and transaction if it succeeds, in order.
    pub effects: Vec<Effect>,
    /// What it needs.
    pub needs: Needs,
    /// One statement only (or none).
    pub single: bool,
    /// The first word is SELECT: what mysqlnd_ms calls a read.
    pub is_select: bool,
}
