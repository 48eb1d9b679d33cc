//! What a statement will have done to the session once it succeeds, with the texts copied out of it.
//!
//! `route` gives effects as places in the statement's text; the reply may come when that text is gone.

use crate::route::{Effect, Statement, TransactionControl};

use super::carry::{Carry, Versions};

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
    /// The handle stays on the node, for this reason.
    Bind(&'static str),
    /// LAST_INSERT_ID() will be asked for here.
    InsertId,
    /// The server closes the connection (COMMIT RELEASE).
    Closes,
}

/// Copies the effects out of the text; empty, without an allocation, for nearly every statement.
pub(super) fn pending(statement: &Statement, sql: &[u8]) -> Vec<Pending> {
    let mut found = Vec::new();
    for effect in &statement.effects {
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
            Effect::SetNames { charset: None, .. } => {
                found.push(Pending::Charset(b"SET NAMES DEFAULT".to_vec(), None));
            }
            Effect::SetCharacterSet(Some(charset)) => {
                let set = [b"SET CHARACTER SET ", charset.of(sql)].concat();
                found.push(Pending::Charset(set, Some(charset.name(sql).into_owned())));
            }
            Effect::SetCharacterSet(None) => {
                found.push(Pending::Charset(b"SET CHARACTER SET DEFAULT".to_vec(), None));
            }
            Effect::SetAutocommit(enabled) => found.push(Pending::Autocommit(*enabled)),
            Effect::SetsInsertId => found.push(Pending::InsertId),
            Effect::Transaction(
                TransactionControl::Commit { release: Some(true), .. }
                | TransactionControl::Rollback { release: Some(true), .. },
            ) => found.push(Pending::Closes),
            other => {
                if let Some(what) = binding(other) {
                    found.push(Pending::Bind(what));
                }
            }
        }
    }
    found
}

/// What of an effect stays on one node, in words; None if nothing does.
fn binding(effect: &Effect) -> Option<&'static str> {
    use crate::route::Bind;
    if !effect.binds() {
        return None;
    }
    Some(match effect {
        Effect::Bind(Bind::TempTable(_)) => "a temporary table is here",
        Effect::Bind(Bind::LockTables | Bind::FlushTablesWithReadLock) => "tables are locked here",
        Effect::Bind(Bind::GetLock) => "a lock of GET_LOCK is held here",
        Effect::Bind(Bind::Handler) => "a HANDLER is open here",
        Effect::Bind(Bind::SqlPrepare) => "a statement is prepared here",
        Effect::Bind(Bind::Xa) => "an XA transaction is here",
        Effect::Bind(Bind::Session) => "a role or resource group is set here",
        Effect::Bind(_) => "a procedure may have changed the session here",
        Effect::SetSessionVariable { .. } => "a session variable is set here",
        Effect::SetUserVariable { .. } => "a user variable is set here",
        _ => "session state is here",
    })
}

/// Takes the parts that follow to other nodes over into the record.
pub(super) fn record(effect: &Pending, carry: &mut Carry, versions: &mut Versions) {
    match effect {
        Pending::Schema(schema) => carry.set_schema(Some(schema.clone()), Some(versions)),
        Pending::Charset(statement, _) => carry.set_charset(statement.clone(), Some(versions)),
        Pending::Autocommit(enabled) => carry.set_autocommit(*enabled, Some(versions)),
        Pending::Bind(_) | Pending::InsertId | Pending::Closes => {}
    }
}
