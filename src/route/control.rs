//! Transactions, DDL, locks, administration: everything that is neither a query, nor a change of rows, nor SET or SHOW.
//! Pure; the effects are what counts, since all of it runs on the source.

use super::classify::{Scan, span};
use super::context::ServerFamily;
use super::effects::{Access, Bind, Effect, Release, TransactionControl as Control};
use super::keywords::Kw;
use super::lexer::Kind;
use super::query::Mode;
use super::statement::Class;

/// The reasons of statements that run what is not in their text.
pub const CALLS: [&str; 2] = ["CALL", "EXECUTE: the text is not known"];

impl Scan<'_> {
    /// At the first word of a statement that the dispatcher left to us.
    pub(super) fn control(&mut self) {
        let verb = self.now;
        let kw = self.kw();
        self.advance();
        match kw {
            Kw::Begin => self.begin(),
            Kw::Start if self.kw() == Kw::Transaction => self.start_transaction(),
            Kw::Commit => {
                self.eat(Kw::Work);
                let (chain, release) = self.completion();
                self.transaction_control(Control::Commit { chain, release });
            }
            Kw::Rollback => {
                self.eat(Kw::Work);
                if self.eat(Kw::To) {
                    self.eat(Kw::Savepoint);
                    self.advance();
                    return self.transaction_control(Control::RollbackTo);
                }
                let (chain, release) = self.completion();
                self.transaction_control(Control::Rollback { chain, release });
            }
            Kw::Savepoint => {
                self.advance();
                self.transaction_control(Control::Savepoint);
            }
            Kw::Release if self.eat(Kw::Savepoint) => {
                self.advance();
                self.transaction_control(Control::ReleaseSavepoint);
            }
            Kw::Xa => self.xa(),
            Kw::Use => {
                if !self.at_name() {
                    return self.unknown("USE without a name");
                }
                self.raise(Class::Session, "USE", verb);
                self.effects.push(Effect::Use(span(self.now)));
                self.advance();
            }
            Kw::Create => self.create(),
            Kw::Drop => self.drop_object(),
            Kw::Alter
            | Kw::Rename
            | Kw::Truncate
            | Kw::Grant
            | Kw::Revoke
            | Kw::Import
            | Kw::Install
            | Kw::Uninstall
            | Kw::Optimize
            | Kw::Repair
            | Kw::Check
            | Kw::Cache
            | Kw::Change
            | Kw::Start
            | Kw::Stop
            | Kw::Reset => {
                self.raise(Class::Write, "definition or administration", verb);
                if self.commits(kw) {
                    self.effects.push(Effect::ImplicitCommit);
                }
                if kw == Kw::Truncate {
                    self.eat(Kw::Table);
                    self.table();
                }
                if kw == Kw::Rename {
                    self.effects.push(Effect::RenamesTable);
                }
                self.definition_tail(kw == Kw::Alter);
            }
            Kw::Lock => {
                self.raise(Class::Write, "LOCK", verb);
                if self.kw() == Kw::Instance {
                    self.effects.push(Effect::Bind(Bind::Backup));
                } else {
                    self.effects.push(Effect::ImplicitCommit);
                    self.effects.push(Effect::Bind(Bind::LockTables));
                }
                self.skip_statement();
            }
            Kw::Unlock => {
                self.raise(Class::Write, "UNLOCK", verb);
                let instance = self.kw() == Kw::Instance;
                self.effects.push(Effect::Release(if instance { Release::Backup } else { Release::Tables }));
                self.skip_statement();
            }
            Kw::Flush => self.flush(verb),
            Kw::Backup => {
                self.raise(Class::Write, "BACKUP", verb);
                self.effects.push(Effect::ImplicitCommit);
                let end = matches!(self.kw(), Kw::Unlock) || self.ahead.kw == Kw::End;
                self.effects.push(if end { Effect::Release(Release::Backup) } else { Effect::Bind(Bind::Backup) });
                self.skip_statement();
            }
            Kw::Load => {
                self.raise(Class::Write, "LOAD", verb);
                match self.kw() {
                    Kw::Data | Kw::Xml => {
                        self.effects.push(Effect::SetsInsertId);
                        self.query(Mode::Load);
                    }
                    // LOAD INDEX INTO CACHE
                    _ => {
                        if self.commits(Kw::Cache) {
                            self.effects.push(Effect::ImplicitCommit);
                        }
                        self.skip_statement();
                    }
                }
            }
            Kw::Purge | Kw::Shutdown | Kw::Restart | Kw::Clone | Kw::Binlog | Kw::Signal | Kw::Resignal => {
                self.raise(Class::Write, "administration", verb);
                self.skip_statement();
            }
            Kw::Kill => self.kill(verb),
            Kw::Handler => self.handler(verb),
            Kw::Prepare => {
                self.raise(Class::Write, "PREPARE", verb);
                self.effects.push(Effect::Bind(Bind::SqlPrepare));
                self.skip_statement();
            }
            Kw::Deallocate => {
                self.raise(Class::Write, "DEALLOCATE PREPARE", verb);
                self.effects.push(Effect::Release(Release::SqlPrepare));
                self.skip_statement();
            }
            Kw::Execute => {
                self.raise(Class::Unknown, CALLS[1], verb);
                self.effects.push(Effect::Bind(Bind::Unknown));
                self.skip_statement();
            }
            Kw::Call => {
                self.raise(Class::Unknown, CALLS[0], verb);
                self.effects.push(Effect::Bind(Bind::Unknown));
                self.skip_statement();
            }
            Kw::Get => {
                // GET DIAGNOSTICS @a = ...: sets what it names.
                self.raise(Class::Write, "GET DIAGNOSTICS", verb);
                while !self.at_end() {
                    if self.now.kind == Kind::UserVar {
                        self.user_variable(self.ahead.kind == Kind::Equal);
                    }
                    self.advance();
                }
            }
            _ => {
                self.raise(Class::Unknown, "unknown statement", verb);
                self.effects.push(Effect::Bind(Bind::Unknown));
                self.skip_all();
            }
        }
    }

    /// Whether a statement that begins so commits what is open. Measured on MySQL 9.7 and MariaDB 10.11; where they differ
    /// and the server is not known, it is taken to commit.
    fn commits(&self, verb: Kw) -> bool {
        match verb {
            Kw::Cache => self.context.server.family != ServerFamily::MariaDb,
            Kw::Reset => self.kw() != Kw::Persist,
            _ => true,
        }
    }

    fn transaction_control(&mut self, control: Control) {
        if !self.at_end() {
            return self.unknown("unknown form of transaction control");
        }
        let at = self.now;
        self.raise(Class::Transaction, "transaction control", at);
        self.effects.push(Effect::Transaction(control));
    }

    /// Behind BEGIN.
    fn begin(&mut self) {
        self.eat(Kw::Work);
        if !self.at_end() {
            // BEGIN NOT ATOMIC ... END: MariaDB's compound statement.
            return self.unknown("compound statement");
        }
        self.transaction_control(Control::Begin { access: None, snapshot: false });
    }

    /// At TRANSACTION, behind START.
    fn start_transaction(&mut self) {
        self.advance();
        let (mut access, mut snapshot) = (None, false);
        while !self.at_end() {
            if self.eat(Kw::With) {
                if !(self.eat(Kw::Consistent) && self.eat(Kw::Snapshot)) {
                    return self.unknown("unknown form of START TRANSACTION");
                }
                snapshot = true;
            } else if self.eat(Kw::Read) {
                access = Some(if self.eat(Kw::Only) {
                    Access::ReadOnly
                } else if self.eat(Kw::Write) {
                    Access::ReadWrite
                } else {
                    return self.unknown("unknown form of START TRANSACTION");
                });
            } else {
                return self.unknown("unknown form of START TRANSACTION");
            }
            if self.now.kind == Kind::Comma {
                self.advance();
            }
        }
        self.transaction_control(Control::Begin { access, snapshot });
    }

    /// [AND [NO] CHAIN] [[NO] RELEASE]
    fn completion(&mut self) -> (Option<bool>, Option<bool>) {
        let (mut chain, mut release) = (None, None);
        if self.eat(Kw::And) {
            chain = Some(!self.eat(Kw::No));
            if !self.eat(Kw::Chain) {
                return (None, None);
            }
        }
        if matches!(self.kw(), Kw::No | Kw::Release) {
            release = Some(!self.eat(Kw::No));
            self.eat(Kw::Release);
        }
        (chain, release)
    }

    /// Behind XA.
    fn xa(&mut self) {
        let at = self.now;
        match self.kw() {
            Kw::Start | Kw::Begin => self.effects.push(Effect::Bind(Bind::Xa)),
            Kw::Commit | Kw::Rollback => self.effects.push(Effect::Release(Release::Xa)),
            Kw::End | Kw::Prepare | Kw::Recover => {}
            _ => return self.unknown("unknown form of XA"),
        }
        self.raise(Class::Transaction, "XA", at);
        self.skip_statement();
    }

    /// Behind CREATE.
    fn create(&mut self) {
        let at = self.now;
        self.raise(Class::Write, "definition", at);
        if self.kw() == Kw::Or {
            // OR REPLACE
            self.advance();
            self.advance();
        }
        if self.eat(Kw::Temporary) {
            if self.eat(Kw::Sequence) {
                self.effects.push(Effect::ImplicitCommit);
            } else if !self.eat(Kw::Table) {
                return self.unknown("unknown form of CREATE");
            }
            self.if_exists();
            match self.table() {
                Some(table) => self.effects.push(Effect::Bind(Bind::TempTable(table))),
                None => return self.unknown("table without a name"),
            }
            return self.skip_statement();
        }
        self.effects.push(Effect::ImplicitCommit);
        self.definition_tail(true);
    }

    /// [IF [NOT] EXISTS]
    fn if_exists(&mut self) {
        if self.eat(Kw::If) {
            self.eat(Kw::Not);
            self.eat(Kw::Exists);
        }
    }

    /// The rest of a definition. Stored programs hold semicolons: where one may be defined, nothing behind a semicolon
    /// is certain to be a statement of its own.
    fn definition_tail(&mut self, may_have_body: bool) {
        let mut body = false;
        let mut words = 0;
        while !self.at_end() {
            match self.kw() {
                Kw::Procedure | Kw::Function | Kw::Trigger | Kw::Event | Kw::Package | Kw::Library if words < 16 => {
                    body |= may_have_body;
                }
                _ => {}
            }
            if self.now.kind == Kind::UserVar {
                self.user_variable(false);
            }
            if may_have_body && self.kw() == Kw::Rename {
                self.effects.push(Effect::RenamesTable);
            }
            words += 1;
            self.advance();
        }
        if body && self.now.kind == Kind::Semicolon && self.ahead.kind != Kind::End {
            if self.context.multi_statements {
                self.effects.push(Effect::Bind(Bind::Unknown));
            }
            self.skip_all();
        }
    }

    /// Behind DROP.
    fn drop_object(&mut self) {
        let at = self.now;
        self.raise(Class::Write, "definition", at);
        if self.eat(Kw::Prepare) {
            self.effects.push(Effect::Release(Release::SqlPrepare));
            return self.skip_statement();
        }
        let temporary = self.eat(Kw::Temporary);
        if !temporary {
            self.effects.push(Effect::ImplicitCommit);
        }
        if self.eat(Kw::Table) || self.eat(Kw::Tables) || (temporary && self.eat(Kw::Sequence)) {
            self.if_exists();
            for table in self.table_list() {
                self.effects.push(Effect::DropTable { table, temporary });
            }
        }
        self.skip_statement();
    }

    /// Behind FLUSH.
    fn flush(&mut self, verb: super::lexer::Token) {
        self.raise(Class::Write, "FLUSH", verb);
        self.effects.push(Effect::ImplicitCommit);
        while !self.at_end() {
            let pair = (self.kw(), self.ahead.kw);
            let export = span(self.ahead).of(self.text()).eq_ignore_ascii_case(b"export");
            if pair == (Kw::Read, Kw::Lock) || (pair.0 == Kw::For && export) {
                self.effects.push(Effect::Bind(Bind::FlushTablesWithReadLock));
            }
            self.advance();
        }
    }

    /// Behind KILL.
    fn kill(&mut self, verb: super::lexer::Token) {
        self.raise(Class::Write, "KILL", verb);
        while matches!(self.kw(), Kw::Hard | Kw::Soft | Kw::Connection | Kw::Query | Kw::Id) {
            self.advance();
        }
        if self.now.kind == Kind::Number && matches!(self.ahead.kind, Kind::End | Kind::Semicolon) {
            let digits = span(self.now).of(self.text());
            self.needs.kill = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
        }
        self.skip_statement();
    }

    /// Behind HANDLER.
    fn handler(&mut self, verb: super::lexer::Token) {
        self.raise(Class::Write, "HANDLER", verb);
        self.table();
        match self.kw() {
            Kw::Open => self.effects.push(Effect::Bind(Bind::Handler)),
            Kw::Close => self.effects.push(Effect::Release(Release::Handler)),
            _ => {}
        }
        self.skip_statement();
    }
}
