//! SQL bytes to tokens, read as the servers' own lexers read them under the handle's sql_mode, version and charset.
//!
//! Any bytes are accepted; what cannot be read in exactly one way ends in one [`Kind::Bad`] token. Nothing is
//! allocated. Knows words, not grammar.
//!
//! Sources: the manuals of both families ("Literal Values", "Schema Object Names", "Comments"), and behaviour
//! compared on MySQL 9.7 and MariaDB 10.11.

use memchr::{memchr2, memmem};

use super::context::{Charset, LexContext, ServerFamily};
use super::eight::{plain_prefix, prefix_without};
use super::keywords::Kw;
use super::words::{self, Word};

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// End of the text.
    End,
    /// Unquoted identifier or keyword.
    Word,
    /// Identifier in backquotes, or in double quotes with ANSI_QUOTES. The span holds the quotes.
    Quoted,
    /// String, also `N'..'`, `x'..'`, `b'..'`. The span holds the quotes.
    String,
    /// Number, also `0x..` and `0b..`, and `\N`.
    Number,
    /// `?`
    Param,
    /// `@name`, `@'name'`; the span holds the `@`.
    UserVar,
    /// `@@name`, `@@scope.name`; the span holds both `@`.
    SysVar,
    /// `:=`
    Assign,
    /// `(`
    Open,
    /// `)`
    Close,
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// `.`
    Dot,
    /// `=`
    Equal,
    /// Any other operator character.
    Operator,
    /// From here on the text cannot be read, or not in one way only; see [`Lexer::trouble`].
    Bad,
}

/// One token.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// Kind.
    pub kind: Kind,
    /// For [`Kind::Word`]; [`Word::NONE`] otherwise, and for names directly behind a dot, which are never keywords.
    pub word: Word,
    /// Its keyword, [`Kw::None`] if it has no part in the grammar.
    pub kw: Kw,
    /// First byte.
    pub start: u32,
    /// Behind the last byte.
    pub end: u32,
}

impl Token {
    pub(super) const NOTHING: Token = Token { kind: Kind::End, word: Word::NONE, kw: Kw::None, start: 0, end: 0 };
}

const IDENT: u8 = 1;
const SPACE: u8 = 2;
const DIGIT: u8 = 4;
const HIGH: u8 = 8;
/// May begin a comment, or end one that is code.
const COMMENT: u8 = 16;
/// Begins a word.
const LETTER: u8 = 32;
/// Makes a special string of a quote behind it: `x'..'`, `b'..'`, `n'..'`.
const QUOTABLE: u8 = 64;

static BYTES: [u8; 256] = {
    let mut table = [0u8; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        table[i] = match b {
            b'0'..=b'9' => IDENT | DIGIT,
            b'x' | b'X' | b'b' | b'B' | b'n' | b'N' => IDENT | LETTER | QUOTABLE,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => IDENT | LETTER,
            b'$' => IDENT,
            b' ' | 9..=13 => SPACE,
            0x80..=0xff => HIGH,
            b'/' | b'-' | b'#' | b'*' => COMMENT,
            _ => 0,
        };
        i += 1;
    }
    table
};

#[inline(always)]
fn class(byte: u8) -> u8 {
    BYTES[usize::from(byte)]
}

/// Why a text cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// In words.
    pub what: &'static str,
    /// Where.
    pub at: u32,
}

/// The lexer. The text must be shorter than 4 GiB.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    context: &'a LexContext,
    /// Inside of `/*! ... */` whose contents count as code.
    in_code_comment: bool,
    /// Where a name would stand directly behind a dot.
    after_dot: usize,
    trouble: Option<Trouble>,
    optimizer_hint: Option<(u32, u32)>,
}

impl<'a> Lexer<'a> {
    /// At the start of a text.
    pub fn new(text: &'a [u8], context: &'a LexContext) -> Self {
        Lexer {
            text,
            at: 0,
            context,
            in_code_comment: false,
            after_dot: usize::MAX,
            trouble: None,
            optimizer_hint: None,
        }
    }

    /// Starts behind `at` bytes that have been looked at already.
    pub(super) fn skip_to(&mut self, at: usize) {
        self.at = at;
    }

    /// The text.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// What made the last token [`Kind::Bad`].
    pub fn trouble(&self) -> Option<Trouble> {
        self.trouble
    }

    /// The last `/*+ ... */` seen, with its marks.
    pub fn optimizer_hint(&self) -> Option<(u32, u32)> {
        self.optimizer_hint
    }

    #[inline(always)]
    fn peek(&self, ahead: usize) -> u8 {
        // NUL stands for the end: a NUL in the text has been refused before anything is read.
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    #[cold]
    fn bad(&mut self, what: &'static str, at: usize) -> Token {
        if self.trouble.is_none() {
            self.trouble = Some(Trouble { what, at: at as u32 });
        }
        let start = at.min(self.text.len()) as u32;
        self.at = self.text.len();
        Token { kind: Kind::Bad, start, end: self.text.len() as u32, ..Token::NOTHING }
    }

    /// The next token. After [`Kind::Bad`] only [`Kind::End`] follows.
    #[inline(always)]
    pub fn next_token(&mut self) -> Token {
        let (byte, class) = match self.skip_blanks() {
            Ok(found) => found,
            Err(what) => {
                let at = self.at;
                return self.bad(what, at);
            }
        };
        let start = self.at;
        let after_dot = self.after_dot == start;
        let mut word = (Word::NONE, Kw::None);
        let kind = if class & LETTER != 0 {
            let special = class & QUOTABLE != 0 && self.peek(1) == b'\'' && !after_dot;
            if special {
                self.at += 1;
                self.quoted(b'\'', Kind::String)
            } else {
                self.word(after_dot, &mut word)
            }
        } else {
            self.other(byte, after_dot, &mut word)
        };
        match kind {
            Ok(kind) => {
                let (word, kw) = word;
                Token { kind, word, kw, start: start as u32, end: self.at as u32 }
            }
            Err("") => self.end(),
            Err(what) => self.bad(what, start),
        }
    }

    /// The end of the text.
    #[cold]
    fn end(&mut self) -> Token {
        let start = self.text.len();
        if self.in_code_comment && self.trouble.is_none() {
            self.in_code_comment = false;
            return self.bad("executable comment without end", start);
        }
        Token { start: start as u32, end: start as u32, ..Token::NOTHING }
    }

    /// Everything that does not begin with a letter. The end of the text gives the empty reason.
    #[inline(always)]
    fn other(&mut self, byte: u8, after_dot: bool, word: &mut (Word, Kw)) -> Result<Kind, &'static str> {
        let start = self.at;
        match byte {
            b'0'..=b'9' => {
                if after_dot {
                    return self.word(true, word);
                }
                // Plain integers at once.
                let mut at = start + 1;
                while let Some(b'0'..=b'9') = self.text.get(at) {
                    at += 1;
                }
                let next = self.text.get(at).copied().unwrap_or(0);
                if class(next) & (IDENT | HIGH) != 0 || next == b'.' {
                    return self.number(word);
                }
                self.at = at;
                Ok(Kind::Number)
            }
            b'(' => self.single(Kind::Open),
            b')' => self.single(Kind::Close),
            b',' => self.single(Kind::Comma),
            b'=' => self.single(Kind::Equal),
            b'\'' => self.quoted(b'\'', Kind::String),
            b'`' => self.quoted(b'`', Kind::Quoted),
            b'"' => {
                let kind = if self.context.ansi_quotes { Kind::Quoted } else { Kind::String };
                self.quoted(b'"', kind)
            }
            b'.' => {
                if self.peek(1).is_ascii_digit() && !self.behind_identifier(start) {
                    self.at += 1;
                    self.fraction()
                } else {
                    self.after_dot = start + 1;
                    self.single(Kind::Dot)
                }
            }
            b';' => self.single(Kind::Semicolon),
            b'?' => self.single(Kind::Param),
            b'@' => self.variable(),
            b':' => {
                if self.peek(1) == b'=' {
                    self.at += 2;
                    Ok(Kind::Assign)
                } else {
                    self.single(Kind::Operator)
                }
            }
            b'\\' => {
                if self.peek(1) == b'N' {
                    self.at += 2;
                    Ok(Kind::Number)
                } else {
                    Err("backslash outside of quotes")
                }
            }
            b'*' | b'<' | b'>' | b'!' | b'+' | b'-' | b'/' | b'%' | b'&' | b'|' | b'^' | b'~' | b'{' | b'}' => {
                self.single(Kind::Operator)
            }
            b'$' => Err("identifier that starts with a dollar sign"),
            0x80..=0xff => self.word(after_dot, word),
            0 if start == self.text.len() => Err(""),
            _ => Err("character without a meaning"),
        }
    }

    #[inline(always)]
    fn single(&mut self, kind: Kind) -> Result<Kind, &'static str> {
        self.at += 1;
        Ok(kind)
    }

    /// Whether the byte before `start` can end an identifier: `t.1a` is a name behind a dot, ` .1` is a number.
    fn behind_identifier(&self, start: usize) -> bool {
        start > 0 && (class(self.text[start - 1]) & (IDENT | HIGH) != 0 || matches!(self.text[start - 1], b'`' | b'"'))
    }

    /// Over blanks and comments; enters and leaves executable comments. The byte behind them, and its class.
    #[inline(always)]
    fn skip_blanks(&mut self) -> Result<(u8, u8), &'static str> {
        loop {
            // A NUL in the place of the end: `other` looks again.
            let byte = self.text.get(self.at).copied().unwrap_or(0);
            let class = class(byte);
            if class & (SPACE | COMMENT) == 0 {
                return Ok((byte, class));
            }
            if class & SPACE != 0 {
                self.at += 1;
            } else if !self.comment(byte)? {
                return Ok((byte, class));
            }
        }
    }

    /// At a character that can begin or end a comment. True if it did.
    fn comment(&mut self, byte: u8) -> Result<bool, &'static str> {
        match byte {
            b'/' if self.peek(1) == b'*' => self.block_comment()?,
            b'-' if self.peek(1) == b'-' => {
                let third = self.peek(2);
                if third > b' ' && third != 0x7f {
                    return Ok(false);
                }
                self.line_comment()?;
            }
            b'#' => self.line_comment()?,
            b'*' if self.in_code_comment && self.peek(1) == b'/' => {
                self.in_code_comment = false;
                self.at += 2;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn line_comment(&mut self) -> Result<(), &'static str> {
        let rest = &self.text[self.at..];
        // The servers end it at a NUL too.
        match memchr2(b'\n', 0, rest) {
            Some(n) if rest[n] == 0 => return Err("NUL byte in a comment"),
            Some(n) => self.at += n + 1,
            None => self.at = self.text.len(),
        }
        Ok(())
    }

    /// At `/*`.
    #[inline(never)]
    fn block_comment(&mut self) -> Result<(), &'static str> {
        if self.in_code_comment {
            return Err("comment inside of an executable comment");
        }
        let maria = matches!(self.peek(2), b'M' | b'm') && self.peek(3) == b'!';
        if self.peek(2) == b'!' || maria {
            if maria && self.peek(2) == b'm' {
                return Err("executable comment with a small m");
            }
            return self.code_comment(maria);
        }
        let body = self.at + 2;
        let Some(length) = memmem::find(&self.text[body..], b"*/") else {
            return Err("comment without end");
        };
        if self.peek(2) == b'+' {
            self.optimizer_hint = Some((self.at as u32, (body + length + 2) as u32));
        }
        self.at = body + length + 2;
        Ok(())
    }

    /// At `/*!` or `/*M!`: its contents are code, a comment, or, if the nodes disagree, trouble.
    fn code_comment(&mut self, maria: bool) -> Result<(), &'static str> {
        let mut at = self.at + if maria { 4 } else { 3 };
        let first = at;
        let mut version = 0u32;
        while at - first < 7 && self.text.get(at).is_some_and(u8::is_ascii_digit) {
            version = version * 10 + u32::from(self.text[at] - b'0');
            at += 1;
        }
        let digits = at - first;
        let server = self.context.server;
        let executed = match (server.family, digits) {
            (_, 1..=4 | 7) => return Err("executable comment with a strange version"),
            (ServerFamily::Unknown, 0) if !maria => true,
            (ServerFamily::Unknown, _) => {
                return Err("executable comment, and the servers are not known");
            }
            (ServerFamily::MySql, _) if maria => false,
            // Six digits are a version only to newer servers, and only with a blank behind them (measured on 9.7); to
            // others the sixth is code.
            (ServerFamily::MySql, 6)
                if server.min < 90_000 || class(self.text.get(at).copied().unwrap_or(0)) & SPACE == 0 =>
            {
                return Err("executable comment with a version of six digits");
            }
            (ServerFamily::MariaDb, 5 | 6) if !maria && (50_700..=99_999).contains(&version) => false,
            (_, 0) => true,
            _ if version <= server.min => true,
            _ if version > server.max => false,
            _ => return Err("executable comment for some of the nodes only"),
        };
        if executed {
            self.in_code_comment = true;
            self.at = at;
            return Ok(());
        }
        let Some(length) = memmem::find(&self.text[at..], b"*/") else {
            return Err("comment without end");
        };
        if memmem::find(&self.text[at..at + length], b"/*").is_some() {
            return Err("comment inside of an executable comment");
        }
        self.at = at + length + 2;
        Ok(())
    }

    #[inline(always)]
    fn word(&mut self, after_dot: bool, word: &mut (Word, Kw)) -> Result<Kind, &'static str> {
        let start = self.at;
        if let Some(eight) = self.text[start..].first_chunk::<8>() {
            let eight = u64::from_le_bytes(*eight);
            let len = plain_prefix(eight);
            if len < 8 {
                let next = (eight >> (8 * len)) as u8;
                if next != b'$' && next < 0x80 {
                    self.at = start + len;
                    if !after_dot {
                        *word = words::find_short(eight & ((1 << (8 * len)) - 1), len);
                    }
                    return Ok(Kind::Word);
                }
            }
        }
        self.long_word(after_dot, word)
    }

    /// Any identifier without quotes.
    #[inline(never)]
    fn long_word(&mut self, after_dot: bool, word: &mut (Word, Kw)) -> Result<Kind, &'static str> {
        let start = self.at;
        let mut at = start;
        while let Some(&byte) = self.text.get(at) {
            let class = class(byte);
            if class & IDENT == 0 {
                if class & HIGH != 0 {
                    return self.high_word(start);
                }
                break;
            }
            at += 1;
        }
        self.at = at;
        if !after_dot {
            *word = words::find(&self.text[start..at]);
        }
        Ok(Kind::Word)
    }

    /// An identifier with bytes above 0x7f.
    #[cold]
    fn high_word(&mut self, start: usize) -> Result<Kind, &'static str> {
        while self.text.get(self.at).is_some_and(|b| class(*b) & (IDENT | HIGH) != 0) {
            self.at += 1;
        }
        if self.is_certain_name(start, self.at) {
            return Ok(Kind::Word);
        }
        Err("bytes outside of quotes that the character set does not explain")
    }

    /// Only valid UTF-8 of the basic plane is certain to be one name to all servers.
    fn is_certain_name(&self, start: usize, end: usize) -> bool {
        let text = &self.text[start..end];
        self.context.charset == Charset::Utf8 && std::str::from_utf8(text).is_ok() && text.iter().all(|b| *b < 0xf0)
    }

    /// Number, or an identifier that starts with a digit.
    fn number(&mut self, word: &mut (Word, Kw)) -> Result<Kind, &'static str> {
        let start = self.at;
        let rest = &self.text[start..];
        if rest[0] == b'0' && rest.len() > 2 && matches!(rest[1], b'x' | b'b') {
            let digit = |b: &u8| {
                if rest[1] == b'x' { b.is_ascii_hexdigit() } else { matches!(b, b'0' | b'1') }
            };
            let length = rest[2..].iter().take_while(|b| digit(b)).count();
            if length > 0 && rest.get(2 + length).is_none_or(|b| class(*b) & (IDENT | HIGH) == 0) {
                self.at = start + 2 + length;
                return Ok(Kind::Number);
            }
            return self.word(true, word);
        }
        self.digits();
        let next = self.peek(0);
        if next == b'.' {
            self.at += 1;
            return self.fraction();
        }
        if class(next) & (IDENT | HIGH) == 0 {
            return Ok(Kind::Number);
        }
        if matches!(next, b'e' | b'E') {
            let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
            if self.peek(1 + sign).is_ascii_digit() {
                self.at += 1 + sign;
                self.digits();
                return Ok(Kind::Number);
            }
            if sign == 1 {
                return Err("number without exponent");
            }
        }
        self.at = start;
        self.word(true, word)
    }

    #[inline]
    fn digits(&mut self) {
        while self.peek(0).is_ascii_digit() {
            self.at += 1;
        }
    }

    /// Behind the point of a number.
    fn fraction(&mut self) -> Result<Kind, &'static str> {
        self.digits();
        if matches!(self.peek(0), b'e' | b'E') {
            let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
            if !self.peek(1 + sign).is_ascii_digit() {
                return Err("number without exponent");
            }
            self.at += 1 + sign;
            self.digits();
        }
        Ok(Kind::Number)
    }

    /// At an opening quote; to behind the closing one. Doubled quotes stay inside.
    #[inline(always)]
    fn quoted(&mut self, quote: u8, kind: Kind) -> Result<Kind, &'static str> {
        let start = self.at;
        // In a name nothing escapes; a quote stands for "no such byte" there.
        let escape = if kind == Kind::String && !self.context.no_backslash_escapes { b'\\' } else { quote };
        if self.context.charset.has_ascii_trail() {
            return self.quoted_multibyte(quote, escape, kind);
        }
        let mut at = start + 1;
        loop {
            // Most are short; the long ones are memchr's.
            let near = at + 32;
            let mut found = false;
            while at < near && !found {
                let Some(eight) = self.text.get(at..).and_then(<[u8]>::first_chunk::<8>) else { break };
                let length = prefix_without(u64::from_le_bytes(*eight), quote, escape);
                found = length < 8;
                at += length;
            }
            if !found {
                let rest = self.text.get(at..).unwrap_or_default();
                let Some(length) = memchr2(quote, escape, rest) else {
                    return Err("quote without end");
                };
                at += length;
            }
            if self.text[at] == quote && self.text.get(at + 1) != Some(&quote) {
                break;
            }
            at += 2;
        }
        self.at = at + 1;
        if kind == Kind::Quoted && !self.text[start..at].is_ascii() && !self.is_certain_name(start + 1, at) {
            return Err("quoted name that the character set does not explain");
        }
        Ok(kind)
    }

    /// As [`Lexer::quoted`], where the second byte of a character may look like a quote or a backslash.
    #[inline(never)]
    fn quoted_multibyte(&mut self, quote: u8, escape: u8, kind: Kind) -> Result<Kind, &'static str> {
        let start = self.at;
        let mut at = start + 1;
        loop {
            let Some(&byte) = self.text.get(at) else {
                return Err("quote without end");
            };
            if byte == quote {
                if self.text.get(at + 1) != Some(&quote) {
                    break;
                }
                at += 2;
            } else if byte == escape {
                at += 2;
            } else if byte >= 0x80 {
                if self.context.charset == Charset::Unknown && self.text.get(at + 1).is_some_and(u8::is_ascii) {
                    return Err("quoted text in an unknown character set");
                }
                at += self.context.charset.char_len(&self.text[at..]);
            } else {
                at += 1;
            }
        }
        self.at = at + 1;
        if kind == Kind::Quoted && !self.text[start..at].is_ascii() {
            return Err("quoted name that the character set does not explain");
        }
        Ok(kind)
    }

    /// At `@`.
    fn variable(&mut self) -> Result<Kind, &'static str> {
        self.at += 1;
        if self.peek(0) == b'@' {
            self.at += 1;
            loop {
                if self.peek(0) == b'`' {
                    self.quoted(b'`', Kind::Quoted)?;
                } else {
                    let start = self.at;
                    while class(self.peek(0)) & IDENT != 0 {
                        self.at += 1;
                    }
                    if self.at == start || class(self.peek(0)) & HIGH != 0 {
                        return Err("system variable without a name");
                    }
                }
                if self.peek(0) != b'.' {
                    return Ok(Kind::SysVar);
                }
                self.at += 1;
            }
        }
        match self.peek(0) {
            quote @ (b'\'' | b'"' | b'`') => {
                let name = quote == b'`' || (quote == b'"' && self.context.ansi_quotes);
                self.quoted(quote, if name { Kind::Quoted } else { Kind::String })?;
            }
            _ => {
                let start = self.at;
                while class(self.peek(0)) & IDENT != 0 || self.peek(0) == b'.' {
                    self.at += 1;
                }
                if self.at == start || class(self.peek(0)) & HIGH != 0 {
                    return Err("user variable without a name");
                }
            }
        }
        Ok(Kind::UserVar)
    }
}
