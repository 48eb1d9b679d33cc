//! SELECT and its kin, and the expressions of every other statement: what is called, locked, assigned, and which
//! tables are named.
//!
//! Not a grammar: a pass with a small frame per parenthesis, enough to tell a function call from everything else that
//! can stand in front of `(`, and a table's name from a column's.

use super::classify::{Scan, span};
use super::context::ServerFamily;
use super::effects::{Bind, Effect, Release};
use super::keywords::Kw;
use super::lexer::{Kind, Token};
use super::statement::Class;
use super::tables::{self, VariableKind};
use super::words::{CONSTRUCTOR, LAST_USED, LAST_WRITE, LOCK_FUNCTION, PURE, SEQUENCE, SYNTAX, TIGHT};

/// What the pass is made over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// SELECT, VALUES, TABLE, WITH, or one of them in parentheses.
    Query,
    /// Expressions: DO, SHOW ... WHERE.
    Expression,
    /// INSERT, UPDATE, DELETE, REPLACE: the class is settled, the rest is not.
    Change,
    /// LOAD DATA: user variables in the column list are assigned.
    Load,
}

/// The reason of INSERT, REPLACE, UPDATE and DELETE.
pub const CHANGES_DATA: &str = "changes data";

/// Deeper nesting is not followed: the statement stays on the source. Servers refuse it long before.
const MAX_DEPTH: usize = 96;

/// Arguments of a function.
const ARGUMENTS: u16 = 1;
/// SELECT has been seen here.
const SELECTED: u16 = 2;
/// In a FROM clause: a comma is followed by a table.
const FROM_CLAUSE: u16 = 4;
/// A table's name is next.
const EXPECT_TABLE: u16 = 8;
/// The expected table may be followed by a list of its columns (INSERT INTO t (a, b)).
const TARGET: u16 = 16;
/// Nothing seen yet, and only a query may stand here.
const START: u16 = 32;

// Where in `WITH name (columns) AS (body), ...` a frame is; none of them: outside.
/// A name is next.
const CTE_NAME: u16 = 64;
/// Behind the name.
const CTE_NAMED: u16 = 128;
/// Behind AS.
const CTE_AS: u16 = 256;
/// Behind the body.
const CTE_BODY: u16 = 512;
/// In MariaDB's CYCLE columns RESTRICT.
const CTE_CYCLE: u16 = 1024;
const CTE: u16 = CTE_NAME | CTE_NAMED | CTE_AS | CTE_BODY | CTE_CYCLE;

/// What is known of the parenthesis that the pass is in: the constants above.
#[derive(Clone, Copy)]
struct Frame {
    flags: u16,
}

impl Frame {
    fn cte(self) -> u16 {
        self.flags & CTE
    }

    fn set_cte(&mut self, cte: u16) {
        self.flags = self.flags & !CTE | cte;
    }
}

const FRESH: Frame = Frame { flags: 0 };

/// What the token before tells.
#[derive(Clone, Copy)]
struct Before {
    kind: Kind,
    kw: Kw,
}

struct Walk {
    frame: Frame,
    outer: [Frame; MAX_DEPTH],
    depth: usize,
    before: Before,
    /// The next `(` opens a function's arguments.
    call: bool,
    /// ... of LAST_INSERT_ID.
    insert_id: Option<Token>,
    /// Behind INTO of a SELECT: variables are assigned.
    into: bool,
}

impl Scan<'_> {
    /// INSERT, REPLACE, UPDATE, DELETE.
    pub(super) fn change(&mut self) {
        let at = self.now;
        self.raise(Class::Write, CHANGES_DATA, at);
        if matches!(self.kw(), Kw::Insert | Kw::Replace) {
            self.effects.push(Effect::SetsInsertId);
        }
        self.query(Mode::Change);
    }

    /// From the present token to the end of the statement.
    pub(super) fn query(&mut self, mode: Mode) {
        let mut walk = Walk {
            frame: FRESH,
            outer: [FRESH; MAX_DEPTH],
            depth: 0,
            before: Before { kind: Kind::End, kw: Kw::None },
            call: false,
            insert_id: None,
            into: false,
        };
        if mode == Mode::Query {
            walk.frame.flags = START;
        }
        if mode == Mode::Change {
            // The verb: its table follows, perhaps behind modifiers.
            walk.frame.flags = match self.kw() {
                Kw::Update => EXPECT_TABLE | FROM_CLAUSE,
                Kw::Delete => SELECTED,
                _ => EXPECT_TABLE | TARGET,
            };
            self.advance();
        }
        loop {
            if walk.frame.flags & (START | CTE_BODY | EXPECT_TABLE) != 0 {
                self.something_begins(&mut walk);
            }
            match self.now.kind {
                Kind::Word | Kind::Quoted => self.walk_name(&mut walk, mode),
                Kind::Open => self.walk_open(&mut walk),
                Kind::Close => {
                    if walk.depth == 0 {
                        return self.unknown("parenthesis without beginning");
                    }
                    if walk.frame.cte() != 0 {
                        self.raise(Class::Unknown, "not a query", self.now);
                    }
                    walk.depth -= 1;
                    walk.frame = walk.outer[walk.depth];
                }
                Kind::Comma => {
                    if walk.frame.flags & FROM_CLAUSE != 0 {
                        walk.frame.flags |= EXPECT_TABLE;
                    }
                    if walk.frame.cte() == CTE_BODY {
                        walk.frame.set_cte(CTE_NAME);
                    }
                }
                Kind::UserVar => self.user_variable(walk.into || mode == Mode::Load),
                Kind::SysVar => {
                    let token = self.now;
                    self.needs.system_variables.push(span(token));
                    match tables::variable_kind(span(token).of(self.text())) {
                        VariableKind::Record => {}
                        VariableKind::LastWrite => self.raise(Class::LastWrite, "asks for the last insert", token),
                        VariableKind::LastUsed => self.raise(Class::LastUsed, "variable of one connection", token),
                    }
                }
                Kind::Assign => self.raise(Class::Write, "assignment", self.now),
                Kind::Operator => {
                    // `{oj t LEFT OUTER JOIN ...}`, `{fn NOW()}`: the word behind the brace is not a name.
                    if self.text()[self.now.start as usize] == b'{' && self.ahead.kind == Kind::Word {
                        self.advance();
                    }
                }
                Kind::End | Kind::Bad => break,
                Kind::Semicolon => break,
                Kind::String | Kind::Number | Kind::Param | Kind::Dot | Kind::Equal => {}
            }
            walk.before = Before { kind: self.now.kind, kw: self.now.kw };
            self.step();
        }
        if walk.frame.flags & (START | CTE) != 0 {
            let at = self.now;
            self.raise(Class::Unknown, "not a query", at);
        }
        if walk.depth != 0 && self.now.kind != Kind::Bad {
            let at = self.now;
            self.raise(Class::Unknown, "parenthesis without end", at);
        }
    }

    #[inline(never)]
    fn something_begins(&mut self, walk: &mut Walk) {
        if walk.frame.flags & (START | CTE_BODY) != 0 {
            self.query_begins(walk);
        }
        if walk.frame.flags & EXPECT_TABLE != 0 && !matches!(self.now.kind, Kind::Word | Kind::Quoted) {
            self.table_begins(walk);
        }
    }

    /// Here only a query may begin: at the start, in the parentheses of a common table expression and behind them.
    fn query_begins(&mut self, walk: &mut Walk) {
        let token = self.now;
        match (token.kind, token.kw) {
            (Kind::Open, _) => return,
            (_, Kw::Select | Kw::With | Kw::Values | Kw::Table) => {}
            (Kind::Comma, _) | (_, Kw::Cycle) if walk.frame.cte() == CTE_BODY => return,
            (Kind::Bad, _) => {}
            _ => self.raise(Class::Unknown, "not a query", token),
        }
        walk.frame.flags &= !START;
        if walk.frame.cte() == CTE_BODY {
            walk.frame.set_cte(0);
        }
    }

    /// A table's name is expected, and this is no name.
    fn table_begins(&mut self, walk: &mut Walk) {
        let token = self.now;
        // `{oj ...}` is skipped by one word, and the table still expected.
        let brace = token.kind == Kind::Operator && span(token).of(self.text()) == b"{";
        if token.kind != Kind::Open && token.kind != Kind::Bad && !brace {
            walk.frame.flags &= !EXPECT_TABLE;
            self.raise(Class::Unknown, "no table where one is expected", token);
        }
    }

    fn walk_open(&mut self, walk: &mut Walk) {
        let opener = self.now;
        let mut inner = FRESH;
        if std::mem::take(&mut walk.call) {
            inner.flags = ARGUMENTS;
            if let Some(function) = walk.insert_id.take() {
                if self.ahead.kind == Kind::Close {
                    self.raise(Class::LastWrite, "asks for the last insert", function);
                } else {
                    self.raise(Class::Write, "sets the last insert id", function);
                    self.effects.push(Effect::SetsInsertId);
                }
            }
        } else if walk.frame.flags & EXPECT_TABLE != 0 {
            inner.flags = FROM_CLAUSE | EXPECT_TABLE;
        }
        let query = walk.frame.flags & START != 0
            || matches!(walk.frame.cte(), CTE_AS | CTE_BODY)
            || walk.before.kw == Kw::Exists;
        if query {
            inner.flags = START;
            walk.frame.flags &= !START;
        }
        walk.frame.set_cte(match walk.frame.cte() {
            CTE_AS => CTE_BODY,
            // The main query stands in parentheses; what follows it is no list of tables any more.
            CTE_BODY => 0,
            cte => cte,
        });
        walk.frame.flags &= !EXPECT_TABLE;
        if walk.depth == MAX_DEPTH {
            self.raise(Class::Unknown, "nested too deep", opener);
            self.effects.push(Effect::Bind(Bind::Unknown));
            // Stay at the limit: closing ones are counted against it, which can only end in "unknown" again.
            return;
        }
        walk.outer[walk.depth] = walk.frame;
        walk.depth += 1;
        walk.frame = inner;
    }

    /// At a word or a quoted name.
    fn walk_name(&mut self, walk: &mut Walk, mode: Mode) {
        let token = self.now;
        let kw = token.kw;
        if walk.frame.flags & (EXPECT_TABLE | CTE) != 0 {
            if walk.frame.flags & EXPECT_TABLE != 0 && self.walk_table(walk, kw, mode) {
                return;
            }
            match walk.frame.cte() {
                CTE_NAME => {
                    if kw != Kw::Recursive {
                        self.needs.derived.push(span(token));
                        walk.frame.set_cte(CTE_NAMED);
                    }
                    return;
                }
                CTE_BODY if kw == Kw::Cycle => walk.frame.set_cte(CTE_CYCLE),
                CTE_CYCLE if kw == Kw::Restrict => walk.frame.set_cte(CTE_BODY),
                _ => {}
            }
        }
        if self.ahead.kind == Kind::Open {
            self.walk_call(walk);
        }
        if kw == Kw::None {
            return;
        }
        let flags = &mut walk.frame.flags;
        match kw {
            Kw::Select => {
                let inside = *flags & CTE != 0;
                *flags = SELECTED;
                walk.into = false;
                if inside {
                    self.raise(Class::Unknown, "not a query", token);
                }
            }
            Kw::From => {
                walk.into = false;
                if *flags & (ARGUMENTS | SELECTED) != ARGUMENTS {
                    *flags |= FROM_CLAUSE | EXPECT_TABLE;
                }
            }
            // USE INDEX FOR ORDER BY (...) does not end the FROM clause.
            Kw::Order | Kw::Group | Kw::Join if walk.before.kw == Kw::For => {}
            Kw::Join | Kw::StraightJoin if *flags & FROM_CLAUSE != 0 => *flags |= EXPECT_TABLE,
            Kw::Where
            | Kw::Group
            | Kw::Having
            | Kw::Order
            | Kw::Limit
            | Kw::Window
            | Kw::Union
            | Kw::Except
            | Kw::Intersect
            | Kw::Set
            | Kw::Qualify => *flags &= !(FROM_CLAUSE | EXPECT_TABLE),
            Kw::As if *flags & CTE == CTE_NAMED => walk.frame.set_cte(CTE_AS),
            Kw::With if !matches!(self.ahead.kw, Kw::Rollup | Kw::Query | Kw::Ties) => walk.frame.set_cte(CTE_NAME),
            Kw::Table if matches!(self.ahead.kind, Kind::Word | Kind::Quoted) => *flags |= EXPECT_TABLE,
            Kw::SqlCalcFoundRows => self.effects.push(Effect::CalcFoundRows),
            Kw::Into => match mode {
                Mode::Query | Mode::Expression => {
                    self.raise(Class::Write, "SELECT ... INTO", token);
                    walk.into = true;
                }
                Mode::Change | Mode::Load => *flags |= EXPECT_TABLE | TARGET,
            },
            Kw::For => self.walk_for(walk, token),
            Kw::Lock => {
                self.needs.locking = true;
                self.raise(Class::Write, "locking read", token);
            }
            Kw::Update | Kw::Delete => self.raise(Class::Write, "changes data", token),
            Kw::Insert | Kw::Replace if self.ahead.kind != Kind::Open => {
                self.raise(Class::Write, "changes data", token);
            }
            Kw::Procedure => self.raise(Class::Write, "PROCEDURE", token),
            Kw::Next | Kw::Previous if self.ahead.kw == Kw::Value => {
                self.raise(Class::Write, "sequence", token);
            }
            _ if mode != Mode::Load && begins_other_statement(kw) => {
                // Reserved words that no query holds.
                self.raise(Class::Unknown, "statement inside of a query", token);
            }
            _ => {}
        }
    }

    fn walk_for(&mut self, walk: &Walk, token: Token) {
        match self.ahead.kw {
            Kw::Update | Kw::Share => {
                self.needs.locking = true;
                self.raise(Class::Write, "locking read", token);
            }
            // Index hints, rows of another time, JSON_TABLE's row numbers.
            Kw::Join | Kw::Order | Kw::Group | Kw::SystemTime | Kw::Ordinality => {}
            // SUBSTRING(a FROM 1 FOR 2)
            _ if walk.frame.flags & (ARGUMENTS | SELECTED) == ARGUMENTS => {}
            _ => self.raise(Class::Unknown, "unknown FOR clause", token),
        }
    }

    /// A table's name is expected and here is a word. False if it is not a name but the start of something else.
    fn walk_table(&mut self, walk: &mut Walk, kw: Kw, mode: Mode) -> bool {
        match kw {
            Kw::Select | Kw::With | Kw::Values => {
                walk.frame.flags &= !(EXPECT_TABLE | FROM_CLAUSE);
                return false;
            }
            Kw::Update | Kw::Delete | Kw::Insert | Kw::Replace | Kw::Lock | Kw::For | Kw::Procedure => return false,
            _ if begins_other_statement(kw) => return false,
            Kw::Lateral if self.ahead.kind == Kind::Open => return true,
            // Between a changing verb and its table.
            Kw::LowPriority | Kw::HighPriority | Kw::Delayed | Kw::Ignore | Kw::Into
                if mode == Mode::Change && self.ahead.kind != Kind::Dot =>
            {
                return true;
            }
            Kw::Table if mode == Mode::Load => return true,
            // In any other place it is the name of a stored function to MariaDB.
            Kw::JsonTable if self.ahead.kind == Kind::Open => {
                walk.frame.flags &= !EXPECT_TABLE;
                walk.call = self.now.word.row().is_some_and(|row| row.known_to(self.context.server));
                return walk.call;
            }
            Kw::Dual if self.ahead.kind != Kind::Dot => {
                walk.frame.flags &= !EXPECT_TABLE;
                return true;
            }
            _ => {}
        }
        let first = self.now;
        let target = walk.frame.flags & TARGET != 0;
        walk.frame.flags &= !(EXPECT_TABLE | TARGET);
        // `table` goes one token beyond the name; this pass wants to stand on its last token.
        if self.ahead.kind == Kind::Dot {
            self.advance();
            let dot = self.now;
            if !matches!(self.ahead.kind, Kind::Word | Kind::Quoted) {
                self.now = dot;
                return true;
            }
            self.advance();
        }
        let name = self.now;
        let schema = (name.start != first.start).then(|| span(first));
        let table = super::statement::TableRef { schema, name: span(name) };
        self.needs.tables.push(table);
        if tables::is_per_server(self.text(), &table, self.context.schema) {
            self.raise(Class::LastUsed, "table of one server's own", first);
        }
        if self.ahead.kind == Kind::Open && !target {
            self.unknown_call(name, schema.is_some());
            walk.call = true;
        }
        true
    }

    /// A name in front of `(`.
    fn walk_call(&mut self, walk: &mut Walk) {
        let token = self.now;
        let list_of_columns = walk.before.kind == Kind::Close || walk.before.kw == Kw::As;
        if walk.before.kind == Kind::Dot {
            walk.call = true;
            return self.unknown_call(token, true);
        }
        if walk.frame.cte() == CTE_NAMED || list_of_columns {
            // Columns of a derived table or of a common table expression; the type in CAST(... AS CHAR(10)).
            if walk.frame.cte() != CTE_NAMED || token.kw != Kw::As {
                return;
            }
        }
        let row = token.word.row().filter(|row| row.known_to(self.context.server));
        let flags = row.map_or(0, |row| row.flags);
        if flags & SYNTAX != 0 {
            walk.call = flags & PURE != 0;
            return;
        }
        walk.call = true;
        if flags & PURE != 0 && (flags & TIGHT == 0 || self.ahead.start == token.end || self.context.ignore_space) {
            return;
        }
        if flags & LAST_USED != 0 {
            return self.raise(Class::LastUsed, "function of one connection", token);
        }
        if flags & LAST_WRITE != 0 {
            walk.insert_id = Some(token);
            return;
        }
        if flags & LOCK_FUNCTION != 0 {
            match token.kw {
                Kw::GetLock => self.effects.push(Effect::Bind(Bind::GetLock)),
                Kw::ReleaseLock => self.effects.push(Effect::Release(Release::OneLock)),
                Kw::ReleaseAllLocks => self.effects.push(Effect::Release(Release::AllLocks)),
                _ => {}
            }
            return self.raise(Class::Write, "user-level lock", token);
        }
        if flags & SEQUENCE != 0 {
            return self.raise(Class::Write, "sequence", token);
        }
        if flags & CONSTRUCTOR != 0 && self.constructs(token) {
            return;
        }
        self.unknown_call(token, false);
    }

    /// At the name of a geometry's constructor: whether every server takes it for that.
    #[cold]
    fn constructs(&self, name: Token) -> bool {
        if self.context.server.family == ServerFamily::MySql {
            return true;
        }
        let (mut lexer, mut depth, mut arguments) = (self.lexer.clone(), 0, 0);
        loop {
            let kind = lexer.next_token().kind;
            match kind {
                Kind::Close if depth == 0 => break,
                Kind::End | Kind::Bad | Kind::Semicolon => return false,
                _ => arguments += u32::from(arguments == 0 || (depth == 0 && kind == Kind::Comma)),
            }
            match kind {
                Kind::Open => depth += 1,
                Kind::Close => depth -= 1,
                _ => {}
            }
        }
        let point = name.end - name.start == 5;
        if point { arguments == 2 } else { arguments > 0 }
    }

    /// A function that is not on our lists: unless the configuration knows it, it may do anything.
    #[cold]
    fn unknown_call(&mut self, name: Token, dotted: bool) {
        if !self.config.pure_functions.is_empty() && self.configured_pure(name, dotted) {
            return;
        }
        self.raise(Class::Unknown, "function that may do anything", name);
        if !self.effects.contains(&Effect::Bind(Bind::UnknownFunction)) {
            self.effects.push(Effect::Bind(Bind::UnknownFunction));
        }
    }

    /// Whether the configuration vouches for the function.
    fn configured_pure(&self, name: Token, dotted: bool) -> bool {
        let mut full = Vec::new();
        if dotted {
            let Some(schema) = self.schema_before(name) else {
                return false;
            };
            full.extend_from_slice(&schema);
            full.push(b'.');
        }
        full.extend_from_slice(&span(name).name(self.text()));
        full.make_ascii_lowercase();
        self.config.pure_functions.contains(&full)
    }

    /// The schema in `schema.name`, read backwards from the name; None without a dot directly in front.
    fn schema_before(&self, name: Token) -> Option<Vec<u8>> {
        let text = &self.text()[..name.start as usize];
        let text = text.strip_suffix(b".")?;
        if let Some(inner) = text.strip_suffix(b"`") {
            let start = memchr::memrchr(b'`', inner)?;
            return Some(inner[start + 1..].to_vec());
        }
        let length = text.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$')).count();
        (length > 0).then(|| text[text.len() - length..].to_vec())
    }
}

/// Reserved words that begin statements which no query holds.
fn begins_other_statement(kw: Kw) -> bool {
    matches!(
        kw,
        Kw::Alter
            | Kw::Analyze
            | Kw::Call
            | Kw::Create
            | Kw::Describe
            | Kw::Drop
            | Kw::Explain
            | Kw::Grant
            | Kw::Kill
            | Kw::Load
            | Kw::Optimize
            | Kw::Purge
            | Kw::Release
            | Kw::Rename
            | Kw::Resignal
            | Kw::Revoke
            | Kw::Show
            | Kw::Signal
            | Kw::Unlock
    )
}
