//! SET in all its forms. Pure; gives effects, keeps no record.

use super::classify::{Scan, span};
use super::effects::{Access, Bind, Effect, Isolation, Scope, Value};
use super::keywords::Kw;
use super::lexer::{Kind, Token};
use super::statement::{Class, Reason, Span};
use super::words::{LOCK_FUNCTION, PURE, SYNTAX};

impl Scan<'_> {
    /// At SET.
    pub(super) fn set(&mut self) {
        let verb = self.now;
        self.advance();
        match self.kw() {
            Kw::Password => {
                self.raise(Class::Write, "SET PASSWORD", verb);
                self.effects.push(Effect::ImplicitCommit);
                return self.skip_statement();
            }
            Kw::Default if self.ahead.kw == Kw::Role => {
                self.raise(Class::Write, "SET DEFAULT ROLE", verb);
                self.effects.push(Effect::ImplicitCommit);
                return self.skip_statement();
            }
            Kw::Role if self.ahead.kind != Kind::Equal => {
                self.raise(Class::Session, "SET ROLE", verb);
                let (start, mut end) = (self.ahead.start, self.ahead.end);
                self.advance();
                while !self.at_end() {
                    end = self.now.end;
                    self.advance();
                }
                self.effects.push(Effect::SetRole(Span { start, end }));
                return;
            }
            Kw::Resource if self.ahead.kind != Kind::Equal => {
                self.raise(Class::Session, "SET RESOURCE GROUP", verb);
                self.effects.push(Effect::Bind(Bind::Session));
                return self.skip_statement();
            }
            Kw::Statement if self.ahead.kind == Kind::Word => return self.set_statement(verb),
            _ => {}
        }
        self.raise(Class::Session, "SET", verb);
        let mut scope = Scope::Session;
        loop {
            if !self.assignment(&mut scope) {
                return self.unknown("unknown form of SET");
            }
            if self.now.kind != Kind::Comma {
                return;
            }
            self.advance();
        }
    }

    /// One part of a list of assignments. A scope word holds for the later parts too, until the next one: `SET GLOBAL a
    /// = 1, b = 2` sets both globally (measured on both families).
    fn assignment(&mut self, scope: &mut Scope) -> bool {
        let mut written = false;
        if self.ahead.kind != Kind::Equal && self.ahead.kind != Kind::Assign && self.ahead.kind != Kind::Dot {
            match self.kw() {
                Kw::Global | Kw::Persist | Kw::PersistOnly => {
                    *scope = Scope::Global;
                    written = true;
                    self.advance();
                }
                Kw::Session | Kw::Local => {
                    *scope = Scope::Session;
                    written = true;
                    self.advance();
                }
                _ => {}
            }
        }
        let first = self.now;
        match first.kind {
            Kind::UserVar => {
                self.advance();
                if !self.equals() {
                    return false;
                }
                let value = self.value();
                self.effects.push(Effect::SetUserVariable { name: span(first), value });
                true
            }
            Kind::SysVar => {
                let (name, scope) = self.system_name(first);
                self.advance();
                self.equals() && self.variable(name, scope)
            }
            Kind::Word | Kind::Quoted => {
                if !matches!(self.ahead.kind, Kind::Equal | Kind::Assign | Kind::Dot) {
                    match self.kw() {
                        Kw::Names if !written => return self.names(),
                        Kw::Charset if !written => {
                            self.advance();
                            return self.character_set();
                        }
                        Kw::Character | Kw::Char if !written && self.ahead.kw == Kw::Set => {
                            self.advance();
                            self.advance();
                            return self.character_set();
                        }
                        Kw::Transaction => {
                            let scope = if written { *scope } else { Scope::Next };
                            return self.transaction(scope);
                        }
                        _ => return false,
                    }
                }
                self.advance();
                let mut name = span(first);
                if self.now.kind == Kind::Dot {
                    // A component of a structured variable (hot_cache.key_buffer_size) is global only.
                    self.advance();
                    if !self.at_name() {
                        return false;
                    }
                    name.end = self.now.end;
                    self.advance();
                }
                self.equals() && self.variable(name, *scope)
            }
            _ => false,
        }
    }

    /// `=` or `:=`
    fn equals(&mut self) -> bool {
        let found = matches!(self.now.kind, Kind::Equal | Kind::Assign);
        self.advance();
        found
    }

    /// The name in `@@session.name`, and its scope.
    fn system_name(&self, token: Token) -> (Span, Scope) {
        let mut scope = Scope::Session;
        let mut name = Span { start: token.start + 2, end: token.end };
        let text = name.of(self.text());
        if let Some(dot) = memchr::memchr(b'.', text) {
            let prefix = &text[..dot];
            let is = |word: &str| prefix.eq_ignore_ascii_case(word.as_bytes());
            if is("global") || is("persist") || is("persist_only") {
                scope = Scope::Global;
                name.start += dot as u32 + 1;
            } else if is("session") || is("local") {
                name.start += dot as u32 + 1;
            }
        }
        (name, scope)
    }

    /// The value of a system variable, and what setting it means.
    fn variable(&mut self, name: Span, scope: Scope) -> bool {
        let value = self.value();
        if scope == Scope::Global {
            self.effects.push(Effect::SetGlobal(name));
            self.class = Class::Write;
            self.reason = Reason { text: "SET GLOBAL", at: Some(name) };
            return true;
        }
        if name.name(self.text()).eq_ignore_ascii_case(b"autocommit")
            && let Value::Literal(literal) = value
        {
            let text = literal.name(self.text());
            let is = |word: &[u8]| text.eq_ignore_ascii_case(word);
            if is(b"1") || is(b"on") || is(b"true") {
                self.effects.push(Effect::SetAutocommit(true));
                return true;
            }
            if is(b"0") || is(b"off") || is(b"false") {
                self.effects.push(Effect::SetAutocommit(false));
                return true;
            }
        }
        self.effects.push(Effect::SetSessionVariable { name, value });
        true
    }

    /// A value up to the next comma. Expressions are looked through as in a query.
    fn value(&mut self) -> Value {
        let start = self.now;
        let signed = start.kind == Kind::Operator && matches!(self.text()[start.start as usize], b'-' | b'+');
        let literal = if signed { self.ahead } else { start };
        let simple = match literal.kind {
            Kind::Number => true,
            Kind::String => !signed,
            // ON, OFF, TRUE, utf8mb4, READ-COMMITTED is a string on the servers.
            Kind::Word => !signed,
            _ => false,
        };
        if simple {
            let last = if signed {
                self.advance();
                self.now
            } else {
                start
            };
            if matches!(self.ahead.kind, Kind::Comma | Kind::End | Kind::Semicolon) {
                self.advance();
                if start.kind == Kind::Word && start.kw == Kw::Default {
                    return Value::Default;
                }
                return Value::Literal(Span { start: start.start, end: last.end });
            }
        }
        self.expression();
        Value::Unknown
    }

    /// Passes over one expression, to a comma outside of parentheses.
    fn expression(&mut self) {
        let (class, reason) = (self.class, self.reason);
        let mut depth = 0usize;
        while !self.at_end() {
            match self.now.kind {
                Kind::Open => depth += 1,
                Kind::Close => depth = depth.saturating_sub(1),
                Kind::Comma if depth == 0 => break,
                Kind::UserVar => self.user_variable(false),
                Kind::Word | Kind::Quoted if self.ahead.kind == Kind::Open => self.called_in_set(),
                _ => {}
            }
            self.advance();
        }
        // What is called may be anything: SET runs on the source anyway, and stays a SET.
        self.class = class;
        self.reason = reason;
    }

    /// NAMES charset [COLLATE collation] | NAMES DEFAULT
    fn names(&mut self) -> bool {
        self.advance();
        let Some(charset) = self.charset_name() else {
            return false;
        };
        let mut collation = None;
        if self.eat(Kw::Collate) {
            let Some(name) = self.charset_name() else {
                return false;
            };
            collation = name;
        }
        self.effects.push(Effect::SetNames { charset, collation });
        matches!(self.now.kind, Kind::Comma | Kind::End | Kind::Semicolon)
    }

    fn character_set(&mut self) -> bool {
        let Some(charset) = self.charset_name() else {
            return false;
        };
        self.effects.push(Effect::SetCharacterSet(charset));
        matches!(self.now.kind, Kind::Comma | Kind::End | Kind::Semicolon)
    }

    /// A character set's or collation's name; `Some(None)` for DEFAULT.
    fn charset_name(&mut self) -> Option<Option<Span>> {
        let token = self.now;
        let name = match token.kind {
            Kind::Word if token.kw == Kw::Default => None,
            Kind::Word | Kind::Quoted | Kind::String => Some(span(token)),
            _ => return None,
        };
        self.advance();
        Some(name)
    }

    /// TRANSACTION characteristic [, characteristic]
    fn transaction(&mut self, scope: Scope) -> bool {
        let verb = self.now;
        self.advance();
        let (mut isolation, mut access) = (None, None);
        loop {
            if self.eat(Kw::Isolation) {
                if !self.eat(Kw::Level) {
                    return false;
                }
                let Some(level) = self.isolation_level() else {
                    return false;
                };
                isolation = Some(level);
            } else if self.eat(Kw::Read) {
                access = Some(if self.eat(Kw::Only) {
                    Access::ReadOnly
                } else if self.eat(Kw::Write) {
                    Access::ReadWrite
                } else {
                    return false;
                });
            } else {
                return false;
            }
            if self.now.kind != Kind::Comma {
                break;
            }
            self.advance();
        }
        if scope == Scope::Global {
            self.class = Class::Write;
            self.reason = Reason { text: "SET GLOBAL", at: Some(span(verb)) };
        }
        self.effects.push(Effect::SetTransaction { scope, isolation, access });
        self.at_end()
    }

    fn isolation_level(&mut self) -> Option<Isolation> {
        if self.eat(Kw::Serializable) {
            Some(Isolation::Serializable)
        } else if self.eat(Kw::Repeatable) {
            self.eat(Kw::Read).then_some(Isolation::RepeatableRead)
        } else if self.eat(Kw::Read) {
            if self.eat(Kw::Committed) {
                Some(Isolation::ReadCommitted)
            } else {
                self.eat(Kw::Uncommitted).then_some(Isolation::ReadUncommitted)
            }
        } else {
            None
        }
    }

    /// MariaDB: SET STATEMENT name = value, ... FOR statement. The values hold for that statement only.
    fn set_statement(&mut self, verb: Token) {
        self.advance();
        self.effects.push(Effect::ForStatement);
        loop {
            let name = self.now;
            if !self.at_name() {
                return self.unknown("unknown form of SET STATEMENT");
            }
            self.advance();
            if !self.equals() {
                return self.unknown("unknown form of SET STATEMENT");
            }
            let value = self.now;
            if matches!(value.kind, Kind::Number | Kind::String | Kind::Word) {
                self.advance();
            } else {
                return self.unknown("value of SET STATEMENT");
            }
            if span(name).name(self.text()).eq_ignore_ascii_case(b"sql_mode") {
                self.raise(Class::Write, "another sql_mode for the statement", verb);
            }
            if self.now.kind == Kind::Comma {
                self.advance();
            } else if self.eat(Kw::For) {
                break;
            } else {
                return self.unknown("unknown form of SET STATEMENT");
            }
        }
        self.inner_statement();
    }

    /// A name in front of `(` inside of a value: locks and unknown functions leave their mark.
    fn called_in_set(&mut self) {
        let row = self.now.word.row().filter(|row| row.known_to(self.context.server));
        let flags = row.map_or(0, |row| row.flags);
        if flags & LOCK_FUNCTION != 0 {
            if self.kw() == Kw::GetLock {
                self.effects.push(Effect::Bind(Bind::GetLock));
            }
        } else if flags & (PURE | SYNTAX) == 0 {
            self.effects.push(Effect::Bind(Bind::UnknownFunction));
        }
    }
}
