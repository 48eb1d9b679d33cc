//! The classifier: a full token pass over a text, giving a [`Statement`].
//!
//! **Rule:** a statement is a read only if every token of it is understood and none of them can change, lock or wait
//! for anything. What is not understood stays on the source. Pure: no I/O, no clock, no state between calls.

use std::collections::HashSet;

use memchr::memchr;

use super::context::LexContext;
use super::effects::{Bind, Effect, Value};
use super::hint::{self, Hint};
use super::keywords::Kw;
use super::lexer::{Kind, Lexer, Token};
use super::statement::{Class, Needs, Reason, Span, Statement, TableRef};
use super::tables;

/// What the configuration adds.
#[derive(Clone, Debug)]
pub struct ClassifyConfig {
    /// Functions known to change nothing, in small letters: `name` (any schema's, when called without one) or
    /// `schema.name` (when called so).
    pub pure_functions: HashSet<Vec<u8>>,
    /// A longer text is never believed to be a read. Bytes; default 1 MiB.
    pub max_read_bytes: usize,
    /// Hints have this word and a colon in front of them; empty = none.
    pub hint_word: String,
}

impl Default for ClassifyConfig {
    fn default() -> Self {
        ClassifyConfig { pure_functions: HashSet::new(), max_read_bytes: 1 << 20, hint_word: String::new() }
    }
}

/// Classifies a text.
///
/// Any bytes are accepted. Cost: proportional to the length; no allocation but for the lists in the result.
pub fn classify(sql: &[u8], context: &LexContext, config: &ClassifyConfig) -> Statement {
    if context.sql_mode_known || (memchr(b'"', sql).is_none() && memchr(b'\\', sql).is_none()) {
        return one_reading(sql, context, config);
    }
    let mut result: Option<Statement> = None;
    for (ansi_quotes, no_backslash_escapes) in [(false, false), (false, true), (true, false), (true, true)] {
        let context = LexContext { ansi_quotes, no_backslash_escapes, ..*context };
        let reading = one_reading(sql, &context, config);
        match &mut result {
            None => result = Some(reading),
            Some(first) if *first == reading => {}
            Some(first) => {
                let text = "means something else under another sql_mode";
                first.class = Class::Unknown;
                first.reason = Reason { text, at: None };
                for effect in reading.effects {
                    if !first.effects.contains(&effect) {
                        first.effects.push(effect);
                    }
                }
                first.effects.push(Effect::Bind(Bind::Unknown));
                first.single &= reading.single;
            }
        }
    }
    result.unwrap_or_else(|| one_reading(sql, context, config))
}

/// `mysqlnd_ms_query_is_select`: 0 source, 1 replica, 2 the node used last.
///
/// A hint wins; `ms=slave` counts only in front of a proven read. Without a hint: 1 for a proven read, 2 for what asks
/// about the connection used last, else 0. With `disable_rw_split` 1 becomes 0. Source: the reference 3.2 and 4.2,
/// with our classifier in the place of its first-word rule.
pub fn query_is_select(sql: &[u8], context: &LexContext, config: &ClassifyConfig, disable_rw_split: bool) -> i32 {
    let statement = classify(sql, context, config);
    let target = match (statement.hint, statement.class) {
        (Some(Hint::Source), _) => 0,
        (Some(Hint::LastUsed), _) => 2,
        (_, Class::Read) => 1,
        (Some(Hint::Replica), _) => 0,
        (_, Class::LastUsed) => 2,
        _ => 0,
    };
    if disable_rw_split && target == 1 { 0 } else { target }
}

/// One reading under one sql_mode.
fn one_reading(sql: &[u8], context: &LexContext, config: &ClassifyConfig) -> Statement {
    let (hint, start) = hint::leading(sql, config.hint_word.as_bytes());
    if sql.len() >= u32::MAX as usize {
        let reason = Reason { text: "too long", at: None };
        let effects = vec![Effect::Bind(Bind::Unknown)];
        let hint = hint.map(|(hint, _)| hint);
        return Statement {
            class: Class::Unknown,
            reason,
            hint,
            effects,
            needs: Needs::default(),
            single: false,
            is_select: false,
        };
    }
    let mut scan = Scan::new(sql, start, context, config);
    let is_select = scan.now.kw == Kw::Select;
    let mut single = true;
    scan.statement();
    let (mut class, mut reason) = (scan.class, scan.reason);
    while scan.now.kind == Kind::Semicolon {
        scan.advance();
        if scan.now.kind == Kind::End {
            break;
        }
        single = false;
        scan.class = Class::Read;
        scan.reason = PLAIN_READ;
        scan.statement();
        let all_reads = rank(class) <= rank(Class::LastWrite) && rank(scan.class) <= rank(Class::LastWrite);
        if rank(scan.class) > rank(class) {
            (class, reason) = (scan.class, scan.reason);
        }
        if !all_reads && class != Class::Unknown {
            class = Class::Write;
        }
    }
    if let Some(trouble) = scan.lexer.trouble() {
        let at = Span { start: trouble.at, end: sql.len() as u32 };
        if rank(class) < rank(Class::Unknown) {
            class = Class::Unknown;
            reason = Reason { text: trouble.what, at: Some(at) };
        }
        scan.effects.push(Effect::Bind(Bind::Unknown));
    }
    if rank(class) < rank(Class::Unknown) {
        let doubt = if sql.len() > config.max_read_bytes {
            Some("longer than a read may be")
        } else if context.oracle_mode {
            Some("sql_mode ORACLE")
        } else if memchr(0, sql).is_some() {
            Some("NUL byte in the text")
        } else {
            None
        };
        if let Some(text) = doubt {
            class = Class::Unknown;
            reason = Reason { text, at: None };
        }
    }
    if let Some((start, end)) = scan.lexer.optimizer_hint() {
        let text = Span { start, end };
        scan.needs.set_var_hint = text.of(sql).windows(7).any(|window| window.eq_ignore_ascii_case(b"SET_VAR"));
    }
    Statement {
        class,
        reason,
        hint: hint.map(|(hint, _)| hint),
        effects: scan.effects,
        needs: scan.needs,
        single,
        is_select,
    }
}

pub(super) const PLAIN_READ: Reason = Reason { text: "plain read", at: None };

/// Order of strength: the strongest thing found decides.
pub(super) fn rank(class: Class) -> u8 {
    match class {
        Class::Read => 0,
        Class::LastUsed => 1,
        Class::LastWrite => 2,
        Class::Unknown => 3,
        Class::Session => 4,
        Class::Transaction => 5,
        Class::Write => 6,
    }
}

/// The pass over one text: two tokens in view, and what has been found.
pub(super) struct Scan<'a> {
    pub lexer: Lexer<'a>,
    pub context: &'a LexContext,
    pub config: &'a ClassifyConfig,
    /// The token to look at.
    pub now: Token,
    /// The one behind it.
    pub ahead: Token,
    pub class: Class,
    pub reason: Reason,
    pub effects: Vec<Effect>,
    pub needs: Needs,
}

impl<'a> Scan<'a> {
    fn new(sql: &'a [u8], start: usize, context: &'a LexContext, config: &'a ClassifyConfig) -> Self {
        let mut lexer = Lexer::new(sql, context);
        lexer.skip_to(start);
        let mut scan = Scan {
            lexer,
            context,
            config,
            now: Token::NOTHING,
            ahead: Token::NOTHING,
            class: Class::Read,
            reason: PLAIN_READ,
            effects: Vec::new(),
            needs: Needs::default(),
        };
        scan.advance();
        scan.advance();
        scan
    }

    #[inline(never)]
    pub fn advance(&mut self) {
        self.step();
    }

    /// [`Scan::advance`], for the one loop where it counts.
    #[inline(always)]
    pub fn step(&mut self) {
        self.now = self.ahead;
        self.ahead = self.lexer.next_token();
    }

    pub fn text(&self) -> &'a [u8] {
        self.lexer.text()
    }

    pub fn kw(&self) -> Kw {
        self.now.kw
    }

    /// Takes the keyword if it is there.
    pub fn eat(&mut self, kw: Kw) -> bool {
        let found = self.kw() == kw;
        if found {
            self.advance();
        }
        found
    }

    /// The statement is over: end of text, a semicolon, or unreadable.
    pub fn at_end(&self) -> bool {
        matches!(self.now.kind, Kind::End | Kind::Semicolon | Kind::Bad)
    }

    /// The token can be a name.
    pub fn at_name(&self) -> bool {
        matches!(self.now.kind, Kind::Word | Kind::Quoted)
    }

    /// Something that makes the statement at least `class`; the first of the strongest is the reason.
    pub fn raise(&mut self, class: Class, text: &'static str, at: Token) {
        if rank(class) > rank(self.class) {
            self.class = class;
            self.reason = Reason { text, at: Some(span(at)) };
        }
    }

    /// A form that we do not know: nothing is believed of the rest of the text.
    pub fn unknown(&mut self, text: &'static str) {
        let at = self.now;
        self.raise(Class::Unknown, text, at);
        self.effects.push(Effect::Bind(Bind::Unknown));
        self.skip_all();
    }

    /// To the end of the text, over semicolons.
    pub fn skip_all(&mut self) {
        while !matches!(self.now.kind, Kind::End | Kind::Bad) {
            self.advance();
        }
    }

    /// To the end of the statement, noting user variables on the way.
    pub fn skip_statement(&mut self) {
        while !self.at_end() {
            if self.now.kind == Kind::UserVar {
                self.user_variable(false);
            }
            self.advance();
        }
    }

    /// At a user variable: read, or assigned by `:=` or, with `assigned`, by its place.
    pub fn user_variable(&mut self, assigned: bool) {
        let at = self.now;
        if assigned || self.ahead.kind == Kind::Assign {
            self.raise(Class::Write, "sets a user variable", at);
            self.effects.push(Effect::SetUserVariable { name: span(at), value: Value::Unknown });
        } else {
            self.needs.user_variables.push(span(at));
        }
    }

    /// Takes `name` or `schema.name`, notes it as a table of the statement, and whether its contents are one
    /// server's own. None if there is no name.
    pub fn table(&mut self) -> Option<TableRef> {
        if !self.at_name() {
            return None;
        }
        let first = self.now;
        self.advance();
        let mut table = TableRef { schema: None, name: span(first) };
        if self.now.kind == Kind::Dot {
            self.advance();
            if !self.at_name() {
                return None;
            }
            table = TableRef { schema: Some(span(first)), name: span(self.now) };
            self.advance();
        }
        self.needs.tables.push(table);
        if tables::is_per_server(self.text(), &table, self.context.schema) {
            self.raise(Class::LastUsed, "table of one server's own", first);
        }
        Some(table)
    }

    /// One statement, to its end.
    fn statement(&mut self) {
        let at = self.now;
        if at.kind == Kind::Open {
            return self.query(super::query::Mode::Query);
        }
        if at.kind != Kind::Word {
            match at.kind {
                Kind::End | Kind::Semicolon => self.raise(Class::Unknown, "empty statement", at),
                Kind::Bad => {}
                _ => self.unknown("not a statement"),
            }
            return;
        }
        use super::query::Mode;
        match at.kw {
            Kw::Select | Kw::With | Kw::Values | Kw::Table => self.query(Mode::Query),
            Kw::Do => {
                self.advance();
                self.query(Mode::Expression);
            }
            Kw::Show => self.show(),
            Kw::Explain | Kw::Describe | Kw::Desc => self.explain(),
            Kw::Analyze => self.analyze(),
            Kw::Help => self.help(),
            Kw::Checksum => self.checksum(),
            Kw::Insert | Kw::Replace | Kw::Update | Kw::Delete => self.change(),
            Kw::Set => self.set(),
            _ => self.control(),
        }
        if !self.at_end() {
            self.unknown("words behind the end of the statement");
        }
    }

    /// The explainable statement behind EXPLAIN or ANALYZE, and behind SET STATEMENT ... FOR.
    pub fn inner_statement(&mut self) {
        use super::query::Mode;
        match self.kw() {
            Kw::Select | Kw::With | Kw::Values | Kw::Table => self.query(Mode::Query),
            Kw::Insert | Kw::Replace | Kw::Update | Kw::Delete => self.change(),
            _ if self.now.kind == Kind::Open => self.query(Mode::Query),
            _ => self.unknown("not a statement that can be here"),
        }
    }
}

/// A token's place.
pub(super) fn span(token: Token) -> Span {
    Span { start: token.start, end: token.end }
}
