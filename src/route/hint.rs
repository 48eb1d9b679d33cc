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
    /// `ms=max_lag:MS`: a replica that is no later, milliseconds.
    MaxLag(u32),
    /// `ms=node:NAME`: this node; where the name stands in the text.
    Node(Span),
    /// `ms=gtid:TOKEN`: a replica that has this; where the token or GTID stands in the text.
    Gtid(Span),
    /// A hint whose value is none.
    Malformed(&'static str),
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
            Hint::MaxLag(_) => "ms=max_lag",
            Hint::Node(_) => "ms=node",
            Hint::Gtid(_) => "ms=gtid",
            Hint::Malformed(name) | Hint::NotServed(name) => name,
        }
    }

    /// It carries a value: followed only where the configuration says so.
    pub fn has_argument(self) -> bool {
        matches!(self, Hint::MaxLag(_) | Hint::Node(_) | Hint::Gtid(_) | Hint::Malformed(_))
    }
}

/// The hint in front of a statement and where the statement's own text begins (behind all leading plain comments).
///
/// Rules, from the reference 4.2: leading comments only; any letter case; blanks before and after; the last hint
/// wins; other comments are skipped and do not disturb. An executable comment is code and ends the search, as does a
/// comment without end.
///
/// `word`: hints begin with it and a colon, other comments are none; empty = no word.
pub(super) fn leading(text: &[u8], word: &[u8]) -> (Option<(Hint, Span)>, usize) {
    let mut hint = None;
    let mut comments = Comments { text, at: 0 };
    while let Some(body) = comments.next_span() {
        let Some(rest) = behind_word(text, body, word) else { continue };
        if let Some(found) = parse(text, rest) {
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

/// What of a comment may be a hint.
fn behind_word(sql: &[u8], comment: Span, word: &[u8]) -> Option<Span> {
    if word.is_empty() {
        return Some(comment);
    }
    let body = comment.of(sql);
    let rest = body.trim_ascii_start().strip_prefix(word)?.strip_prefix(b":")?;
    Some(Span { start: comment.end - rest.len() as u32, end: comment.end })
}

/// A comment's text as a hint.
fn parse(sql: &[u8], comment: Span) -> Option<Hint> {
    let body = comment.of(sql);
    let text = body.trim_ascii();
    // Cheap refusal: nearly every comment is not a hint.
    if text.len() < 4 || !text[..3].eq_ignore_ascii_case(b"ms=") {
        return None;
    }
    let value = &text[3..];
    let is = |name: &str| value.eq_ignore_ascii_case(name.as_bytes());
    let argument = |name: &str| {
        let fits = value.len() >= name.len() && value[..name.len()].eq_ignore_ascii_case(name.as_bytes());
        fits.then(|| {
            let start = comment.start as usize + (body.len() - body.trim_ascii_start().len()) + 3 + name.len();
            Span { start: start as u32, end: (start + value.len() - name.len()) as u32 }
        })
    };
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
    } else if let Some(name) = argument("node:") {
        if name.of(sql).is_empty() { Hint::Malformed("ms=node") } else { Hint::Node(name) }
    } else if let Some(number) = argument("max_lag:") {
        let number = std::str::from_utf8(number.of(sql)).ok().and_then(|number| number.parse().ok());
        number.map_or(Hint::Malformed("ms=max_lag"), Hint::MaxLag)
    } else if let Some(token) = argument("gtid:") {
        if token.of(sql).is_empty() { Hint::Malformed("ms=gtid") } else { Hint::Gtid(token) }
    } else {
        return None;
    })
}
