//! What a statement is whose reply is awaited, as far as the reply needs it. Read off its classification; no I/O, no state.

use crate::route::{Access, CALLS, Class, Effect, Statement, TransactionControl};

/// The statement is the beginning of a transaction and nothing else; how that one may access data, if written.
pub(super) fn begins(statement: &Statement) -> Option<Option<Access>> {
    match statement.effects[..] {
        [Effect::Transaction(TransactionControl::Begin { access, .. })] if statement.single => Some(access),
        _ => None,
    }
}

/// The statement is a ROLLBACK and nothing else.
pub(super) fn is_rollback(statement: &Statement) -> bool {
    matches!(statement.effects[..], [Effect::Transaction(TransactionControl::Rollback { .. })]) && statement.single
}

/// The statement uses up what SET TRANSACTION said for the next transaction: it is one, begins one, or ends one. `SELECT 1`
/// does not (measured on both families).
fn is_transaction(statement: &Statement) -> bool {
    let control = statement.effects.iter().any(|effect| {
        matches!(
            effect,
            Effect::ImplicitCommit
                | Effect::Transaction(
                    TransactionControl::Begin { .. }
                        | TransactionControl::Commit { .. }
                        | TransactionControl::Rollback { .. }
                )
        )
    });
    let creates = statement.effects.iter().any(|effect| matches!(effect, Effect::Bind(_) | Effect::DropTable { .. }));
    control || (!statement.needs.tables.is_empty() && !creates)
}

/// What the statement is whose reply is awaited, as far as the reply needs it; all false for a plain read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Awaited {
    /// The text holds several.
    pub several: bool,
    /// It may change data.
    pub writes: bool,
    /// It is a SELECT that is no plain read, for its locks mostly: what it writes, if anything, no read looks for.
    pub only_locks: bool,
    /// It sets what LAST_INSERT_ID() says.
    pub sets_insert_id: bool,
    /// It is COMMIT or ROLLBACK, without a word on RELEASE.
    pub ends: bool,
    /// It is ROLLBACK.
    pub rolls_back: bool,
    /// It switches autocommit, and nothing else.
    pub sets_autocommit: bool,
    /// A transaction was open when it was sent.
    pub inside: bool,
    /// It begins a transaction.
    pub begins: bool,
    /// It runs what is not in its text: CALL, EXECUTE.
    pub calls: bool,
    /// It uses up what SET TRANSACTION said for the next transaction.
    pub uses_next: bool,
}

impl Awaited {
    pub(super) fn of(statement: &Statement, next_is_set: bool) -> Self {
        Awaited {
            several: !statement.single,
            writes: matches!(statement.class, Class::Write | Class::Unknown),
            only_locks: statement.class == Class::Write && statement.is_select,
            sets_insert_id: statement.effects.contains(&Effect::SetsInsertId),
            ends: matches!(
                statement.effects[..],
                [Effect::Transaction(
                    TransactionControl::Commit { release: None, .. }
                        | TransactionControl::Rollback { release: None, .. }
                )]
            ),
            rolls_back: is_rollback(statement),
            sets_autocommit: matches!(statement.effects[..], [Effect::SetAutocommit(_)]),
            inside: false,
            begins: begins(statement).is_some(),
            calls: statement.class == Class::Unknown && CALLS.contains(&statement.reason.text),
            uses_next: next_is_set && is_transaction(statement),
        }
    }
}
