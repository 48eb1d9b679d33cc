//! SHOW by kind, EXPLAIN, DESCRIBE, ANALYZE, HELP, CHECKSUM TABLE. Pure.

use super::classify::{Scan, span};
use super::effects::{Bind, Effect};
use super::keywords::Kw;
use super::lexer::{Kind, Token};
use super::query::Mode;
use super::statement::{Class, TableRef};

impl Scan<'_> {
    /// At SHOW: what is shown decides, not the word.
    pub(super) fn show(&mut self) {
        self.advance();
        while matches!(self.kw(), Kw::Full | Kw::Extended | Kw::Global | Kw::Session | Kw::Local | Kw::Storage) {
            self.advance();
        }
        let what = self.now;
        match self.kw() {
            // What the schema and the accounts are: the same on every node.
            Kw::Tables
            | Kw::Databases
            | Kw::Schemas
            | Kw::Triggers
            | Kw::Events
            | Kw::Privileges
            | Kw::Collation
            | Kw::Charset
            | Kw::Grants => self.advance(),
            Kw::Columns | Kw::Fields | Kw::Index | Kw::Indexes | Kw::Keys => {
                self.advance();
                if matches!(self.kw(), Kw::From | Kw::In) {
                    self.advance();
                    return self.show_of_table();
                }
                return self.unknown("unknown form of SHOW");
            }
            Kw::Character | Kw::Char if self.ahead.kw == Kw::Set => {
                self.advance();
                self.advance();
            }
            Kw::Create => return self.show_create(),
            Kw::Table if self.ahead.kw == Kw::Status => {
                self.advance();
                self.advance();
            }
            Kw::Procedure | Kw::Function | Kw::Package => {
                self.advance();
                self.eat(Kw::Body);
                if !matches!(self.kw(), Kw::Status | Kw::Code) {
                    return self.unknown("unknown form of SHOW");
                }
                self.advance();
                if self.at_name() && !matches!(self.kw(), Kw::Like | Kw::Where) {
                    self.table();
                }
            }
            // The connection's last statement.
            Kw::Warnings | Kw::Errors => {
                self.raise(Class::LastUsed, "diagnostics of the last statement", what);
                return self.skip_statement();
            }
            // One server or one connection.
            Kw::Variables | Kw::Status => {
                self.raise(Class::LastUsed, "variables of one connection", what);
                self.advance();
            }
            Kw::Processlist
            | Kw::Profile
            | Kw::Profiles
            | Kw::Engine
            | Kw::Engines
            | Kw::Plugins
            | Kw::Master
            | Kw::Slave
            | Kw::Replica
            | Kw::Replicas
            | Kw::Slaves
            | Kw::Binary
            | Kw::Binlog
            | Kw::Relaylog
            | Kw::Open
            | Kw::Mutex
            | Kw::Explain
            | Kw::Analyze
            | Kw::Authors
            | Kw::Contributors
            | Kw::Locales
            | Kw::All => {
                self.raise(Class::LastUsed, "one server's own", what);
                return self.skip_statement();
            }
            // SHOW COUNT(*) WARNINGS
            _ if self.ahead.kind == Kind::Open && span(what).of(self.text()).eq_ignore_ascii_case(b"count") => {
                self.raise(Class::LastUsed, "diagnostics of the last statement", what);
                return self.skip_statement();
            }
            _ => return self.unknown("unknown kind of SHOW"),
        }
        // [FROM schema] [LIKE 'pattern' | WHERE expression]
        if matches!(self.kw(), Kw::From | Kw::In) {
            self.advance();
            if !self.at_name() {
                return self.unknown("unknown form of SHOW");
            }
            self.advance();
        }
        self.show_tail(what);
    }

    /// SHOW COLUMNS FROM table [FROM schema] [LIKE ... | WHERE ...]
    fn show_of_table(&mut self) {
        let at = self.now;
        let (class, reason) = (self.class, self.reason);
        if self.table().is_none() {
            return self.unknown("unknown form of SHOW");
        }
        if matches!(self.kw(), Kw::From | Kw::In) {
            self.advance();
            if !self.at_name() {
                return self.unknown("unknown form of SHOW");
            }
            let schema = span(self.now);
            if let Some(table) = self.needs.tables.last_mut() {
                table.schema = Some(schema);
            }
            self.advance();
        }
        // The shape of a table is the same on all nodes, whatever its rows are.
        (self.class, self.reason) = (class, reason);
        self.show_tail(at);
    }

    /// LIKE or WHERE, or the end. WHERE may call functions, so it is looked through.
    fn show_tail(&mut self, what: Token) {
        match self.kw() {
            Kw::Like => {
                self.advance();
                self.advance();
                if !self.at_end() {
                    self.unknown("unknown form of SHOW");
                }
            }
            Kw::Where => self.query(Mode::Expression),
            // SHOW GRANTS FOR user
            Kw::For if what.kw == Kw::Grants => self.skip_statement(),
            _ if self.at_end() => {}
            _ => self.unknown("unknown form of SHOW"),
        }
    }

    /// At CREATE, behind SHOW: every kind of object is schema.
    fn show_create(&mut self) {
        self.advance();
        let is_table = matches!(self.kw(), Kw::Table | Kw::View | Kw::Sequence);
        self.advance();
        if is_table {
            let (class, reason) = (self.class, self.reason);
            if self.table().is_none() {
                return self.unknown("unknown form of SHOW");
            }
            (self.class, self.reason) = (class, reason);
        }
        self.skip_statement();
    }

    /// At EXPLAIN, DESCRIBE or DESC.
    pub(super) fn explain(&mut self) {
        let verb = self.now;
        self.advance();
        let mut executes = false;
        loop {
            match self.kw() {
                Kw::Extended | Kw::Partitions if matches!(self.ahead.kind, Kind::Word | Kind::Open) => {
                    self.advance();
                }
                Kw::Analyze => {
                    executes = true;
                    self.advance();
                }
                Kw::Format if self.ahead.kind == Kind::Equal => {
                    self.advance();
                    self.advance();
                    self.advance();
                }
                Kw::Into if self.ahead.kind == Kind::UserVar => {
                    self.advance();
                    self.user_variable(true);
                    self.advance();
                }
                Kw::For => {
                    self.advance();
                    if self.eat(Kw::Connection) {
                        self.raise(Class::LastUsed, "one server's own", verb);
                        return self.skip_statement();
                    }
                    // FOR SCHEMA name, FOR DATABASE name
                    self.advance();
                    self.advance();
                }
                _ => break,
            }
        }
        match self.kw() {
            Kw::Select | Kw::With | Kw::Values | Kw::Insert | Kw::Replace | Kw::Update | Kw::Delete => {}
            Kw::Table if matches!(self.ahead.kind, Kind::Word | Kind::Quoted) => {}
            _ if self.now.kind == Kind::Open => {}
            _ => return self.describe(),
        }
        let before = self.effects.len();
        self.inner_statement();
        if !executes {
            // Nothing is inserted or counted; variables may be set where subqueries are evaluated early.
            let mut index = 0;
            self.effects.retain(|effect| {
                index += 1;
                index <= before
                    || matches!(effect, Effect::SetUserVariable { .. } | Effect::Bind(_) | Effect::Release(_))
            });
        }
    }

    /// DESCRIBE table [column | 'pattern']
    fn describe(&mut self) {
        let (class, reason) = (self.class, self.reason);
        if self.table().is_none() {
            return self.unknown("unknown form of EXPLAIN");
        }
        (self.class, self.reason) = (class, reason);
        if matches!(self.now.kind, Kind::Word | Kind::Quoted | Kind::String) {
            self.advance();
        }
        if !self.at_end() {
            self.unknown("unknown form of EXPLAIN");
        }
    }

    /// At ANALYZE: of a table (a change), or MariaDB's ANALYZE statement, which executes it.
    pub(super) fn analyze(&mut self) {
        let verb = self.now;
        self.advance();
        if self.eat(Kw::Format) {
            self.advance();
            self.advance();
        }
        match self.kw() {
            Kw::Select | Kw::With | Kw::Values | Kw::Insert | Kw::Replace | Kw::Update | Kw::Delete => {
                self.inner_statement();
            }
            _ if self.now.kind == Kind::Open => self.inner_statement(),
            _ => {
                self.raise(Class::Write, "administration", verb);
                self.effects.push(Effect::ImplicitCommit);
                self.skip_statement();
            }
        }
    }

    /// At HELP.
    pub(super) fn help(&mut self) {
        self.advance();
        self.advance();
    }

    /// At CHECKSUM TABLE a, b [QUICK | EXTENDED]
    pub(super) fn checksum(&mut self) {
        self.advance();
        if !(self.eat(Kw::Table) || self.eat(Kw::Tables)) {
            return self.unknown("unknown form of CHECKSUM");
        }
        self.table_list();
        if matches!(self.kw(), Kw::Quick | Kw::Extended) {
            self.advance();
        }
    }

    /// `a, b.c, d`
    pub(super) fn table_list(&mut self) -> Vec<TableRef> {
        let mut list = Vec::new();
        while let Some(table) = self.table() {
            list.push(table);
            if self.now.kind != Kind::Comma {
                return list;
            }
            self.advance();
        }
        self.effects.push(Effect::Bind(Bind::Unknown));
        let at = self.now;
        self.raise(Class::Unknown, "list of tables without a name", at);
        list
    }
}
