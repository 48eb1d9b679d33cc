//! What a statement will have done to the session once it succeeds, with the texts copied out of it.
//!
//! `route` gives effects as places in the statement's text; the reply may come when that text is gone. No I/O.

use crate::route::lexer::{Kind, Lexer, Token};
use crate::route::{
    Access, Bind, Effect, Isolation, LexContext, Release, Scope, Span, Statement, TableRef, TransactionControl, Value,
};

use super::bound::Change;
use super::carry::literal::{self, Repeatable};
use super::carry::variables;

/// One effect to be taken over when the statement has succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pending {
    /// USE.
    Schema(Vec<u8>),
    /// SET NAMES, SET CHARACTER SET: the statement that has the same effect on another node, and the client's
    /// character set if it is named.
    Charset(Vec<u8>, Option<Vec<u8>>),
    /// SET autocommit.
    Autocommit(bool),
    /// SET ROLE: the whole statement.
    Role(Vec<u8>),
    /// SET of a system variable of the session.
    System {
        /// As [`variables::system_key`] calls it.
        key: Vec<u8>,
        /// As it was written.
        name: Vec<u8>,
        /// What is known of its value.
        value: Given,
    },
    /// SET of a user variable, or an assignment to one.
    User {
        /// As [`variables::user_key`] calls it.
        key: Vec<u8>,
        /// As [`variables::user_name`] writes it.
        name: Vec<u8>,
        /// What is known of its value.
        value: Given,
    },
    /// SET SESSION TRANSACTION.
    SessionTransaction(Option<Isolation>, Option<Access>),
    /// SET TRANSACTION: for the next one, which has to begin here.
    NextTransaction,
    /// What servers report of variables holds for this statement only.
    ForStatement,
    /// State of this node, or its end.
    Bound(Change),
    /// The server closes the connection (COMMIT RELEASE).
    Closes,
}

/// The value that a SET gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// This one.
    Known(Repeatable),
    /// The server's default.
    Default,
    /// Only the server knows, or we cannot write it down.
    Unknown,
}

/// Copies the effects out of the text; empty, without an allocation, for nearly every statement. `schema` is the default
/// schema.
pub(super) fn pending(statement: &Statement, sql: &[u8], context: &LexContext, schema: &[u8]) -> Vec<Pending> {
    let mut found = Vec::new();
    let reader = Reader { statement, sql, context, schema };
    for effect in &statement.effects {
        reader.add(effect, &mut found);
    }
    if statement.needs.set_var_hint {
        found.push(Pending::ForStatement);
    }
    found
}

struct Reader<'a> {
    statement: &'a Statement,
    sql: &'a [u8],
    context: &'a LexContext,
    schema: &'a [u8],
}

impl Reader<'_> {
    fn add(&self, effect: &Effect, found: &mut Vec<Pending>) {
        let sql = self.sql;
        match effect {
            Effect::Use(schema) => found.push(Pending::Schema(schema.name(sql).into_owned())),
            Effect::SetNames { charset: Some(charset), collation } => {
                let mut set = [b"SET NAMES ", charset.of(sql)].concat();
                if let Some(collation) = collation {
                    set.extend_from_slice(b" COLLATE ");
                    set.extend_from_slice(collation.of(sql));
                }
                found.push(Pending::Charset(set, Some(charset.name(sql).into_owned())));
            }
            Effect::SetNames { charset: None, collation } => {
                let mut set = b"SET NAMES DEFAULT".to_vec();
                // MariaDB takes that.
                if let Some(collation) = collation {
                    set.extend_from_slice(b" COLLATE ");
                    set.extend_from_slice(collation.of(sql));
                }
                found.push(Pending::Charset(set, None));
            }
            Effect::SetCharacterSet(Some(charset)) => {
                let set = [b"SET CHARACTER SET ", charset.of(sql)].concat();
                found.push(Pending::Charset(set, Some(charset.name(sql).into_owned())));
            }
            Effect::SetCharacterSet(None) => {
                found.push(Pending::Charset(b"SET CHARACTER SET DEFAULT".to_vec(), None));
            }
            Effect::SetAutocommit(enabled) => found.push(Pending::Autocommit(*enabled)),
            Effect::SetRole(role) => found.push(self.role(*role)),
            Effect::SetSessionVariable { name, value } => found.push(self.system(*name, value)),
            Effect::SetUserVariable { name, value } => {
                let plain = name.name(sql);
                let (key, name) = (variables::user_key(&plain), variables::user_name(&plain));
                let value = self.given(value, literal::user);
                found.push(Pending::User { key, name, value });
            }
            Effect::SetTransaction { scope: Scope::Session, isolation, access } => {
                found.push(Pending::SessionTransaction(*isolation, *access));
            }
            Effect::SetTransaction { scope: Scope::Next, .. } => found.push(Pending::NextTransaction),
            Effect::SetTransaction { scope: Scope::Global, .. } => {}
            Effect::ForStatement => found.push(Pending::ForStatement),
            Effect::Transaction(
                TransactionControl::Commit { release: Some(true), .. }
                | TransactionControl::Rollback { release: Some(true), .. },
            ) => found.push(Pending::Closes),
            Effect::RenamesTable => found.push(Pending::Bound(Change::RenamesTable)),
            Effect::DropTable { table, .. } => found.push(Pending::Bound(Change::DropTable(self.table(table)))),
            Effect::Bind(bind) => found.extend(self.begins(bind).map(Pending::Bound)),
            Effect::Release(release) => found.extend(self.ends(release).map(Pending::Bound)),
            Effect::SetGlobal(_)
            | Effect::Transaction(_)
            | Effect::ImplicitCommit
            | Effect::CalcFoundRows
            | Effect::SetsInsertId => {}
        }
    }

    fn given(&self, value: &Value, read: fn(&[u8], &LexContext) -> Option<Repeatable>) -> Given {
        match value {
            Value::Literal(span) => read(span.of(self.sql), self.context).map_or(Given::Unknown, Given::Known),
            Value::Default => Given::Default,
            Value::Unknown => Given::Unknown,
        }
    }

    fn system(&self, name: Span, value: &Value) -> Pending {
        let name = name.name(self.sql).into_owned();
        match variables::system_key(&name) {
            Some(key) => Pending::System { key, name, value: self.given(value, literal::system) },
            None => Pending::Bound(Change::Other("a session variable is set here")),
        }
    }

    /// The statement that sets the same role elsewhere, if it reads alike under every sql_mode.
    fn role(&self, role: Span) -> Pending {
        let text = role.of(self.sql);
        if text.is_ascii() && !text.iter().any(|byte| matches!(byte, b'"' | b'\\' | b'*' | b'#')) {
            Pending::Role([b"SET ROLE ", text].concat())
        } else {
            Pending::Bound(Change::Other("a role is set here"))
        }
    }

    fn table(&self, table: &TableRef) -> super::bound::TableName {
        let schema = table.schema.map_or_else(|| self.schema.to_vec(), |schema| schema.name(self.sql).into_owned());
        (schema, table.name.name(self.sql).into_owned())
    }

    fn begins(&self, bind: &Bind) -> Option<Change> {
        Some(match bind {
            Bind::TempTable(table) => Change::TempTable(self.table(table)),
            Bind::LockTables => Change::LockTables,
            Bind::FlushTablesWithReadLock => Change::FlushWithLock,
            Bind::Backup => Change::Other("a backup lock is held here"),
            Bind::GetLock => Change::GetLock(self.lock_name(b"GET_LOCK")),
            Bind::Handler => Change::OpenHandler,
            Bind::SqlPrepare => Change::Prepare(self.prepared_name()),
            Bind::Xa => Change::BeginXa,
            Bind::Session => Change::Other("a resource group is set here"),
            Bind::UnknownFunction => return None,
            Bind::Unknown => Change::Other("a procedure may have changed the session here"),
        })
    }

    fn ends(&self, release: &Release) -> Option<Change> {
        Some(match release {
            Release::Tables => Change::UnlockTables,
            Release::Backup => return None,
            // The function may be called for some rows only, or not at all.
            Release::AllLocks if !self.is_call_of(b"RELEASE_ALL_LOCKS") => return None,
            Release::AllLocks => Change::ReleaseAllLocks,
            Release::OneLock => Change::ReleaseLock(self.lock_name(b"RELEASE_LOCK")?),
            Release::Handler => Change::CloseHandler,
            Release::SqlPrepare => Change::Deallocate(self.prepared_name()?),
            Release::Xa => Change::EndXa,
        })
    }

    /// The first tokens of a text that is one statement; empty otherwise.
    fn tokens(&self) -> Vec<Token> {
        if !self.statement.single {
            return Vec::new();
        }
        let mut lexer = Lexer::new(self.sql, self.context);
        let mut tokens = Vec::new();
        while tokens.len() < 12 {
            let token = lexer.next_token();
            tokens.push(token);
            if matches!(token.kind, Kind::End | Kind::Bad) {
                break;
            }
        }
        tokens
    }

    fn is_word(&self, token: Option<&Token>, word: &[u8]) -> bool {
        token.is_some_and(|token| token.kind == Kind::Word && text(token, self.sql).eq_ignore_ascii_case(word))
    }

    /// The name of the lock in `SELECT GET_LOCK('name', ...)`, in small letters, if the statement is that and no more: then
    /// the function is called exactly once.
    fn lock_name(&self, function: &[u8]) -> Option<Vec<u8>> {
        let tokens = self.tokens();
        let name = tokens.get(3).filter(|token| token.kind == Kind::String)?;
        let closes = match tokens.get(4..)? {
            [close, ..] if close.kind == Kind::Close => 5,
            [comma, number, close, ..]
                if comma.kind == Kind::Comma && number.kind == Kind::Number && close.kind == Kind::Close =>
            {
                7
            }
            [comma, minus, number, close, ..]
                if comma.kind == Kind::Comma
                    && minus.kind == Kind::Operator
                    && number.kind == Kind::Number
                    && close.kind == Kind::Close =>
            {
                8
            }
            _ => return None,
        };
        if !self.calls(&tokens, function, closes) {
            return None;
        }
        let name = literal::user(text(name, self.sql), self.context)?;
        Some(name.plain.to_ascii_lowercase())
    }

    /// `SELECT function()` and no more.
    fn is_call_of(&self, function: &[u8]) -> bool {
        let tokens = self.tokens();
        tokens.get(3).is_some_and(|token| token.kind == Kind::Close) && self.calls(&tokens, function, 4)
    }

    /// The tokens are `SELECT | DO function (`, then, from `rest` on, nothing but a name for the column.
    fn calls(&self, tokens: &[Token], function: &[u8], rest: usize) -> bool {
        let verb = self.is_word(tokens.first(), b"SELECT") || self.is_word(tokens.first(), b"DO");
        let opens = tokens.get(2).is_some_and(|token| token.kind == Kind::Open);
        let mut rest = tokens.get(rest..).unwrap_or_default();
        if let [word, tail @ ..] = rest
            && self.is_word(Some(word), b"AS")
        {
            rest = tail;
        }
        if let [name, tail @ ..] = rest
            && matches!(name.kind, Kind::Word | Kind::Quoted | Kind::String)
        {
            rest = tail;
        }
        let ends = match rest {
            [end] => end.kind == Kind::End,
            [semicolon, end] => semicolon.kind == Kind::Semicolon && end.kind == Kind::End,
            _ => false,
        };
        verb && opens && self.is_word(tokens.get(1), function) && ends
    }

    /// The name in `PREPARE name FROM` and `DEALLOCATE PREPARE name`, in small letters.
    fn prepared_name(&self) -> Option<Vec<u8>> {
        let tokens = self.tokens();
        let at = if self.is_word(tokens.first(), b"PREPARE") { 1 } else { 2 };
        let token = tokens.get(at).filter(|token| matches!(token.kind, Kind::Word | Kind::Quoted))?;
        Some(Span { start: token.start, end: token.end }.name(self.sql).to_ascii_lowercase())
    }
}

fn text<'a>(token: &Token, sql: &'a [u8]) -> &'a [u8] {
    Span { start: token.start, end: token.end }.of(sql)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::{ClassifyConfig, Server, classify};

    fn found(sql: &str) -> Vec<Pending> {
        let context = LexContext { server: Server::mysql(90_704), multi_statements: true, ..LexContext::default() };
        let statement = classify(sql.as_bytes(), &context, &ClassifyConfig::default());
        pending(&statement, sql.as_bytes(), &context, b"shop")
    }

    fn bound(sql: &str) -> Vec<Change> {
        let change = |pending| match pending {
            Pending::Bound(change) => Some(change),
            _ => None,
        };
        found(sql).into_iter().filter_map(change).collect()
    }

    #[test]
    fn plain_statements_have_none_and_cost_no_memory() {
        for sql in ["SELECT 1", "UPDATE t SET a = 1", "INSERT INTO t VALUES (1)", "BEGIN", "COMMIT", "SET GLOBAL a = 1"]
        {
            assert_eq!(found(sql).capacity(), 0, "{sql}");
        }
    }

    #[test]
    fn variables_are_known_as_far_as_their_text_says() {
        let known = |text: &str| {
            found(text)
                .into_iter()
                .map(|pending| match pending {
                    Pending::System { key, value, .. } | Pending::User { key, value, .. } => {
                        let value = match value {
                            Given::Known(value) => String::from_utf8(value.text).expect("text"),
                            Given::Default => "default".to_owned(),
                            Given::Unknown => "?".to_owned(),
                        };
                        format!("{}={value}", String::from_utf8(key).expect("text"))
                    }
                    other => format!("{other:?}"),
                })
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            known("SET Time_Zone = '+03:00', @@session.tx_isolation = 'SERIALIZABLE', @X = 1, @`y z` = DEFAULT"),
            "time_zone='+03:00' transaction_isolation='SERIALIZABLE' @x=1 @y z=default"
        );
        assert_eq!(
            known("SET @a = @b + 1, sql_mode = CONCAT(@@sql_mode, ',ANSI'), @c = CURRENT_USER"),
            "@a=? sql_mode=? @c=?"
        );
        assert_eq!(known("SELECT @n := 1"), "@n=?");
        assert_eq!(known("SELECT 1 INTO @i"), "@i=?");
    }

    #[test]
    fn roles_follow_as_written_if_they_read_alike_everywhere() {
        assert_eq!(found("SET ROLE reader"), [Pending::Role(b"SET ROLE reader".to_vec())]);
        assert_eq!(found("SET ROLE ALL EXCEPT 'a', 'b'"), [Pending::Role(b"SET ROLE ALL EXCEPT 'a', 'b'".to_vec())]);
        assert_eq!(bound("SET ROLE \"a\""), [Change::Other("a role is set here")]);
    }

    #[test]
    fn locks_have_a_name_only_where_the_function_is_called_once() {
        let lock = |name: &str| Change::GetLock(Some(name.into()));
        for (sql, expected) in [
            ("SELECT GET_LOCK('A', 10)", lock("a")),
            ("SELECT GET_LOCK('a', -1) AS got;", lock("a")),
            ("DO GET_LOCK('a',0)", lock("a")),
            ("/* c */ select get_lock('a', 1) `x`", lock("a")),
            ("SELECT GET_LOCK('a', 10) FROM t", Change::GetLock(None)),
            ("SELECT GET_LOCK(v, 10) FROM t", Change::GetLock(None)),
            ("SELECT 1, GET_LOCK('a', 10)", Change::GetLock(None)),
            ("SELECT GET_LOCK('a', 10); SELECT 1", Change::GetLock(None)),
            ("SELECT GET_LOCK(?, 10)", Change::GetLock(None)),
            ("SELECT RELEASE_LOCK('a')", Change::ReleaseLock(b"a".to_vec())),
            ("DO RELEASE_LOCK('A')", Change::ReleaseLock(b"a".to_vec())),
            ("SELECT RELEASE_ALL_LOCKS()", Change::ReleaseAllLocks),
        ] {
            assert_eq!(bound(sql), [expected], "{sql}");
        }
        for sql in [
            "SELECT IF(0, RELEASE_LOCK('a'), 0)",
            "SELECT RELEASE_LOCK('a') FROM t",
            "SELECT RELEASE_ALL_LOCKS() FROM t",
        ] {
            assert_eq!(bound(sql), [], "{sql}");
        }
    }

    #[test]
    fn tables_and_prepared_statements_have_names() {
        let table = |schema: &str, name: &str| (schema.as_bytes().to_vec(), name.as_bytes().to_vec());
        assert_eq!(bound("CREATE TEMPORARY TABLE a (b INT)"), [Change::TempTable(table("shop", "a"))]);
        assert_eq!(bound("CREATE TEMPORARY TABLE `x`.`A b` SELECT 1"), [Change::TempTable(table("x", "A b"))]);
        assert_eq!(
            bound("DROP TABLE IF EXISTS a, x.b"),
            [Change::DropTable(table("shop", "a")), Change::DropTable(table("x", "b"))]
        );
        assert_eq!(bound("ALTER TABLE a RENAME TO b"), [Change::RenamesTable]);
        assert_eq!(bound("RENAME TABLE a TO b"), [Change::RenamesTable]);
        assert_eq!(bound("ALTER TABLE a ADD c INT"), []);
        assert_eq!(bound("PREPARE S FROM 'SELECT 1'"), [Change::Prepare(Some(b"s".to_vec()))]);
        assert_eq!(bound("DEALLOCATE PREPARE `s`"), [Change::Deallocate(b"s".to_vec())]);
        assert_eq!(bound("DROP PREPARE s;"), [Change::Deallocate(b"s".to_vec())]);
        assert_eq!(bound("PREPARE s FROM 'SELECT 1'; SELECT 1"), [Change::Prepare(None)]);
        assert_eq!(bound("DEALLOCATE PREPARE s; SELECT 1"), []);
    }

    #[test]
    fn values_for_one_statement_are_not_the_sessions() {
        assert_eq!(found("SELECT /*+ SET_VAR(sort_buffer_size = 100000) */ 1"), [Pending::ForStatement]);
    }
}
