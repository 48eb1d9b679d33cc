//! What a statement does to the session or the transaction if it succeeds. Data only; the session keeps the record and
//! [`super::transaction`] the transaction.

use super::statement::{Span, TableRef};

/// Which value a SET gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number, string, or bare word (`ON`, `utf8mb4`), with its sign: may be repeated on another node as it stands.
    Literal(Span),
    /// `DEFAULT`.
    Default,
    /// The result of an expression: only the node that executed it knows.
    Unknown,
}

/// Reach of a SET.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The next transaction only (SET TRANSACTION without a scope).
    Next,
    /// The session.
    Session,
    /// All later sessions, one node: GLOBAL, PERSIST, PERSIST_ONLY.
    Global,
}

/// Isolation level.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    ReadUncommitted,
    ReadCommitted,
    RepeatableRead,
    Serializable,
}

/// Access mode.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    ReadWrite,
    ReadOnly,
}

/// Transaction control by text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionControl {
    /// BEGIN, START TRANSACTION. Ends an open transaction.
    Begin {
        /// READ ONLY or READ WRITE, if written.
        access: Option<Access>,
        /// WITH CONSISTENT SNAPSHOT.
        snapshot: bool,
    },
    /// COMMIT. `chain` and `release` are None when not written: then `completion_type` decides.
    Commit {
        /// AND CHAIN: true, AND NO CHAIN: false.
        chain: Option<bool>,
        /// RELEASE: true (the server closes the connection), NO RELEASE: false.
        release: Option<bool>,
    },
    /// ROLLBACK of all.
    Rollback {
        /// As for commit.
        chain: Option<bool>,
        /// As for commit.
        release: Option<bool>,
    },
    /// SAVEPOINT name. Opens no transaction by itself.
    Savepoint,
    /// ROLLBACK TO name: the transaction stays.
    RollbackTo,
    /// RELEASE SAVEPOINT name.
    ReleaseSavepoint,
}

/// State that lives on one node and is not replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bind {
    /// CREATE TEMPORARY TABLE (or SEQUENCE).
    TempTable(TableRef),
    /// LOCK TABLES.
    LockTables,
    /// LOCK INSTANCE, BACKUP LOCK / STAGE.
    Backup,
    /// FLUSH TABLES ... WITH READ LOCK / FOR EXPORT.
    FlushTablesWithReadLock,
    /// GET_LOCK(): user-level locks are counted by the server; RELEASE_ALL_LOCKS() ends them.
    GetLock,
    /// HANDLER ... OPEN.
    Handler,
    /// PREPARE name FROM ...
    SqlPrepare,
    /// XA START.
    Xa,
    /// SET RESOURCE GROUP.
    Session,
    /// An unknown function was called: what it did to the session (user variables) is not known. Few functions do.
    UnknownFunction,
    /// CALL, EXECUTE, a compound statement, a text that cannot be read: anything may have happened to the session.
    Unknown,
}

/// The end of a [`Bind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// UNLOCK TABLES: ends FLUSH TABLES WITH READ LOCK too.
    Tables,
    /// UNLOCK INSTANCE, BACKUP UNLOCK / STAGE END.
    Backup,
    /// RELEASE_ALL_LOCKS().
    AllLocks,
    /// One RELEASE_LOCK().
    OneLock,
    /// HANDLER ... CLOSE.
    Handler,
    /// DEALLOCATE PREPARE / DROP PREPARE.
    SqlPrepare,
    /// XA COMMIT, XA ROLLBACK.
    Xa,
}

/// One effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// USE schema.
    Use(Span),
    /// SET NAMES; None: DEFAULT.
    SetNames {
        /// Character set, quoted or not.
        charset: Option<Span>,
        /// COLLATE.
        collation: Option<Span>,
    },
    /// SET CHARACTER SET; None: DEFAULT.
    SetCharacterSet(Option<Span>),
    /// SET autocommit with a value that is known.
    SetAutocommit(bool),
    /// SET TRANSACTION and SET SESSION / GLOBAL TRANSACTION.
    SetTransaction {
        /// For how long.
        scope: Scope,
        /// ISOLATION LEVEL, if written.
        isolation: Option<Isolation>,
        /// READ ONLY / READ WRITE, if written.
        access: Option<Access>,
    },
    /// SET ROLE; what follows that word.
    SetRole(Span),
    /// MariaDB's SET STATEMENT ... FOR: what a server reports of variables holds for this statement only.
    ForStatement,
    /// SET of any other session variable. One whose value is known may follow to other nodes; the others bind.
    SetSessionVariable {
        /// Without scope and `@@`; may be quoted.
        name: Span,
        /// Value.
        value: Value,
    },
    /// SET GLOBAL / PERSIST of anything: no effect on the session.
    SetGlobal(Span),
    /// SET @name, SELECT @name := ..., SELECT ... INTO @name. As for session variables.
    SetUserVariable {
        /// With its `@`.
        name: Span,
        /// Value.
        value: Value,
    },
    /// Transaction control.
    Transaction(TransactionControl),
    /// Commits what is open before it runs (and, for DDL, after).
    ImplicitCommit,
    /// State on one node begins.
    Bind(Bind),
    /// And ends.
    Release(Release),
    /// DROP [TEMPORARY] TABLE: ends a temporary table of that name.
    DropTable {
        /// Which.
        table: TableRef,
        /// TEMPORARY was written: no commit.
        temporary: bool,
    },
    /// ALTER or RENAME that may give a temporary table another name.
    RenamesTable,
    /// INSERT, REPLACE, LOAD DATA, LAST_INSERT_ID(expr): what LAST_INSERT_ID() will say may change.
    SetsInsertId,
    /// SELECT SQL_CALC_FOUND_ROWS: FOUND_ROWS() will be asked for.
    CalcFoundRows,
}

impl Effect {
    /// Whether the handle may have to stay on the node that executed it, until something undoes it. Charset, schema, role
    /// and autocommit follow to other nodes and do not bind; variables do not as far as their values are known.
    pub fn binds(&self) -> bool {
        match self {
            Effect::Bind(Bind::UnknownFunction) => false,
            Effect::Bind(_) | Effect::SetSessionVariable { .. } | Effect::SetUserVariable { .. } => true,
            Effect::SetTransaction { scope, .. } => *scope != Scope::Global,
            _ => false,
        }
    }
}
