//! The order of decision, up to the point where candidates are asked for: pinned node, open transaction, hint, class.
//!
//! Pure: a statement and the handle's situation in, a wish with its reason out. Which node fulfils the wish is the
//! business of the filters.

use super::hint::Hint;
use super::statement::{Class, Statement};

/// What must be known of the handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Situation {
    /// The handle is bound to a node: open result, temporary table, lock, handler, XA, unknown state. Why, in words.
    pub bound: Option<&'static str>,
    /// [`super::transaction::Tracker::in_transaction`].
    pub in_transaction: bool,
    /// `mysqlnd_ms.disable_rw_split`: reads go to the source too.
    pub disable_rw_split: bool,
    /// `master_on_write` is on and the handle has written.
    pub stays_on_source: bool,
    /// `hints.force`: a replica hint is believed whatever the statement is (the plugin's rule).
    pub force_hints: bool,
}

/// Which kind of node the statement is to go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The node that the handle is bound to.
    Bound,
    /// The transaction's node; the source if it has none yet.
    Transaction,
    /// The node used last; the source if there is none.
    LastUsed,
    /// As [`Wish::LastUsed`], but asked for by a hint: an error (2000) if no node was used yet.
    LastUsedByHint,
    /// The node of the last write; the source if there is none.
    LastWrite,
    /// The source.
    Source,
    /// A replica, as the filters choose.
    Replica,
}

/// A wish and how it came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Where to.
    pub wish: Wish,
    /// Which step decided: "bound", "transaction", "hint", "class", "master_on_write", "disable_rw_split".
    pub step: &'static str,
    /// Why, in words.
    pub reason: &'static str,
    /// A hint that was not followed, to be logged.
    pub hint_ignored: bool,
}

/// Decides. `Err` names a hint that is not served.
pub fn decide(statement: &Statement, situation: &Situation) -> Result<Decision, &'static str> {
    let hint = statement.hint;
    if let Some(Hint::NotServed(name)) = hint {
        return Err(name);
    }
    let decided = |wish, step, reason, hint_ignored| {
        Ok(Decision {
            wish,
            step,
            reason,
            hint_ignored,
        })
    };
    if let Some(reason) = situation.bound {
        return decided(Wish::Bound, "bound", reason, hint.is_some());
    }
    if situation.in_transaction {
        return decided(
            Wish::Transaction,
            "transaction",
            "a transaction is open",
            hint.is_some(),
        );
    }
    match hint {
        Some(Hint::Source) => return decided(Wish::Source, "hint", "ms=master", false),
        Some(Hint::LastUsed) => {
            return decided(Wish::LastUsedByHint, "hint", "ms=last_used", false);
        }
        Some(Hint::Replica) if situation.disable_rw_split => {
            return decided(
                Wish::Source,
                "disable_rw_split",
                "reads are not split off",
                true,
            );
        }
        Some(Hint::Replica) if statement.class == Class::Read || situation.force_hints => {
            return decided(Wish::Replica, "hint", "ms=slave", false);
        }
        _ => {}
    }
    let ignored = hint.is_some();
    let reason = statement.reason.text;
    match statement.class {
        Class::Read if situation.disable_rw_split => decided(
            Wish::Source,
            "disable_rw_split",
            "reads are not split off",
            ignored,
        ),
        Class::Read if situation.stays_on_source => decided(
            Wish::Source,
            "master_on_write",
            "the handle has written",
            ignored,
        ),
        Class::Read => decided(Wish::Replica, "class", reason, ignored),
        Class::LastUsed => decided(Wish::LastUsed, "class", reason, ignored),
        Class::LastWrite => decided(Wish::LastWrite, "class", reason, ignored),
        Class::Write | Class::Transaction | Class::Session | Class::Unknown => {
            decided(Wish::Source, "class", reason, ignored)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::{ClassifyConfig, LexContext, classify};

    fn run(sql: &str, situation: Situation) -> Result<(Wish, &'static str, bool), &'static str> {
        let statement = classify(
            sql.as_bytes(),
            &LexContext::default(),
            &ClassifyConfig::default(),
        );
        decide(&statement, &situation).map(|d| (d.wish, d.step, d.hint_ignored))
    }

    #[test]
    fn the_order() {
        let free = Situation::default();
        let bound = Situation {
            bound: Some("open result"),
            ..free
        };
        let transaction = Situation {
            in_transaction: true,
            ..free
        };
        let both = Situation {
            bound: Some("lock"),
            in_transaction: true,
            ..free
        };
        let no_split = Situation {
            disable_rw_split: true,
            ..free
        };
        let wrote = Situation {
            stays_on_source: true,
            ..free
        };
        let force = Situation {
            force_hints: true,
            ..free
        };
        let rows: &[(&str, Situation, Wish, &str, bool)] = &[
            ("SELECT 1", free, Wish::Replica, "class", false),
            (
                "INSERT INTO t VALUES (1)",
                free,
                Wish::Source,
                "class",
                false,
            ),
            ("BEGIN", free, Wish::Source, "class", false),
            ("SET NAMES utf8", free, Wish::Source, "class", false),
            ("nonsense", free, Wish::Source, "class", false),
            ("SHOW WARNINGS", free, Wish::LastUsed, "class", false),
            (
                "SELECT LAST_INSERT_ID()",
                free,
                Wish::LastWrite,
                "class",
                false,
            ),
            ("SELECT 1", bound, Wish::Bound, "bound", false),
            ("/*ms=slave*/ SELECT 1", bound, Wish::Bound, "bound", true),
            (
                "SELECT 1",
                transaction,
                Wish::Transaction,
                "transaction",
                false,
            ),
            (
                "/*ms=slave*/ SELECT 1",
                transaction,
                Wish::Transaction,
                "transaction",
                true,
            ),
            ("SELECT 1", both, Wish::Bound, "bound", false),
            ("/*ms=master*/ SELECT 1", free, Wish::Source, "hint", false),
            (
                "/*ms=last_used*/ SELECT 1",
                free,
                Wish::LastUsedByHint,
                "hint",
                false,
            ),
            ("/*ms=slave*/ SELECT 1", free, Wish::Replica, "hint", false),
            (
                "/*ms=slave*/ DELETE FROM t",
                free,
                Wish::Source,
                "class",
                true,
            ),
            ("/*ms=slave*/ SELECT f()", free, Wish::Source, "class", true),
            (
                "/*ms=slave*/ DELETE FROM t",
                force,
                Wish::Replica,
                "hint",
                false,
            ),
            (
                "SELECT 1",
                no_split,
                Wish::Source,
                "disable_rw_split",
                false,
            ),
            (
                "/*ms=slave*/ SELECT 1",
                no_split,
                Wish::Source,
                "disable_rw_split",
                true,
            ),
            (
                "/*ms=last_used*/ SELECT 1",
                no_split,
                Wish::LastUsedByHint,
                "hint",
                false,
            ),
            ("SELECT 1", wrote, Wish::Source, "master_on_write", false),
            ("/*ms=slave*/ SELECT 1", wrote, Wish::Replica, "hint", false),
            ("SHOW WARNINGS", wrote, Wish::LastUsed, "class", false),
        ];
        for (sql, situation, wish, step, ignored) in rows {
            assert_eq!(
                run(sql, *situation),
                Ok((*wish, *step, *ignored)),
                "{sql} {situation:?}"
            );
        }
    }

    #[test]
    fn hints_that_are_not_served_are_refused_by_name() {
        for hint in [
            "strong",
            "session",
            "eventual",
            "node:a",
            "max_lag:100",
            "gtid:0-1-2",
        ] {
            let sql = format!("/*ms={hint}*/ SELECT 1");
            let name = hint.split(':').next().map(|name| format!("ms={name}"));
            assert_eq!(
                run(&sql, Situation::default()).map_err(str::to_owned).err(),
                name
            );
        }
    }
}
