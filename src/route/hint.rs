//! Routing hints: comments in front of a statement (`/*ms=master*/`, `# ms=slave`, `-- ms=last_used`).
//!
//! The one place in `route` that knows the outside spelling of source and replica. Parses only; what a hint does is
//! decided by the session.

use memchr::{memchr, memmem};

use super::statement::Span;
use crate::cluster::config::quality::Level;

/// What a comment asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// `ms=master`
    Source,
    /// `ms=slave`
    Replica,
    /// `ms=last_used`
    LastUsed,
    /// `ms=strong`, `ms=session`, `ms=eventual`: what this read is promised to see.
    Level(Level),
    /// A hint of the reference or of the design that is not served yet: its name.
    NotServed(&'static str),
}

impl Hint {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Hint::Source => "ms=master",
            Hint::Replica => "ms=slave",
            Hint::LastUsed => "ms=last_used",
            Hint::Level(Level::Strong) => "ms=strong",
            Hint::Level(Level::Session) => "ms=session",
            Hint::Level(Level::Eventual) => "ms=eventual",
            Hint::NotServed(name) => name,
        }
    }
}

/// The hint in front of a statement and where the statement's own text begins (behind all leading plain comments).
///
/// Rules, from the reference 4.2: leading comments only; any letter case; blanks before and after; the last hint
/// wins; other comments are skipped and do not disturb. An executable comment is code and ends the search, as does a
/// comment without end.
pub(super) fn leading(text: &[u8]) -> (Option<(Hint, Span)>, usize) {
    let mut hint = None;
    let mut comments = Comments { text, at: 0 };
    while let Some(body) = comments.next_span() {
        if let Some(found) = parse(body.of(text)) {
            hint = Some((found, body));
        }
    }
    (hint, comments.at)
}

/// The texts of the comments in front of a statement, in order.
pub(super) fn comments(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut comments = Comments { text, at: 0 };
    std::iter::from_fn(move || comments.next_span().map(|body| body.of(text)))
}

/// Walks over what stands in front of a statement.
struct Comments<'t> {
    text: &'t [u8],
    /// Where the next comment or the statement's own text begins.
    at: usize,
}

impl Comments<'_> {
    fn next_span(&mut self) -> Option<Span> {
        let text = self.text;
        while text.get(self.at).is_some_and(|b| matches!(b, b' ' | 9..=13)) {
            self.at += 1;
        }
        let at = self.at;
        let rest = text.get(at..).unwrap_or_default();
        let (body, end) = if rest.starts_with(b"/*") {
            let code = matches!(rest.get(2), Some(b'!'))
                || matches!((rest.get(2), rest.get(3)), (Some(b'M' | b'm'), Some(b'!')));
            match memmem::find(rest.get(2..).unwrap_or_default(), b"*/") {
                Some(length) if !code => (at + 2..at + 2 + length, at + length + 4),
                _ => return None,
            }
        } else {
            let mark = if rest.starts_with(b"#") {
                1
            } else if rest.starts_with(b"--") && rest.get(2).is_none_or(|b| *b <= b' ' || *b == 0x7f) {
                2
            } else {
                return None;
            };
            let length = memchr(b'\n', rest).unwrap_or(rest.len());
            (at + mark.min(length)..at + length, at + (length + 1).min(rest.len()))
        };
        self.at = end;
        Some(Span { start: body.start as u32, end: body.end as u32 })
    }
}

/// A comment's text as a hint.
pub(super) fn parse(comment: &[u8]) -> Option<Hint> {
    let text = comment.trim_ascii();
    // Cheap refusal: nearly every comment is not a hint.
    if text.len() < 4 || !text[..3].eq_ignore_ascii_case(b"ms=") {
        return None;
    }
    let value = &text[3..];
    let is = |name: &str| value.eq_ignore_ascii_case(name.as_bytes());
    let starts = |name: &str| value.len() >= name.len() && value[..name.len()].eq_ignore_ascii_case(name.as_bytes());
    Some(if is("master") {
        Hint::Source
    } else if is("slave") {
        Hint::Replica
    } else if is("last_used") {
        Hint::LastUsed
    } else if is("all") {
        Hint::NotServed("ms=all")
    } else if is("strong") {
        Hint::Level(Level::Strong)
    } else if is("session") {
        Hint::Level(Level::Session)
    } else if is("eventual") {
        Hint::Level(Level::Eventual)
    } else if starts("node:") {
        Hint::NotServed("ms=node")
    } else if starts("max_lag:") {
        Hint::NotServed("ms=max_lag")
    } else if starts("gtid:") {
        Hint::NotServed("ms=gtid")
    } else {
        return None;
    })
}
