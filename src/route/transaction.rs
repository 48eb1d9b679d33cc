//! What is known of the handle's transaction: predicted from API calls and text, corrected by the status flags of every
//! reply. Pure; the session tells it what is sent and what came back.
//!
//! For routing, autocommit off counts as a transaction: the next statement opens one although no flag says so yet.

use super::effects::{Access, Bind, Effect, Scope, TransactionControl};
use super::statement::Statement;

/// SERVER_STATUS_IN_TRANS: a transaction is open.
pub const IN_TRANS: u16 = 1;
/// SERVER_STATUS_AUTOCOMMIT: autocommit is on.
pub const AUTOCOMMIT: u16 = 2;
/// SERVER_MORE_RESULTS_EXISTS: not the last result of its command.
pub const MORE_RESULTS: u16 = 8;
/// SERVER_STATUS_IN_TRANS_READONLY: the open transaction is READ ONLY.
pub const IN_TRANS_READONLY: u16 = 0x2000;

/// What prediction and server said, when they differed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// Predicted: (transaction open, autocommit on).
    pub predicted: (bool, bool),
    /// As the server says.
    pub actual: (bool, bool),
}

/// Prediction for the statement on its way. None: cannot be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Prediction {
    open: Option<bool>,
    autocommit: Option<bool>,
    /// What must be assumed if the command fails in the middle: parts of it may have been executed.
    open_if_failed: bool,
    off_if_failed: bool,
    access: Option<Access>,
}

/// What is expected of the reply to the statement on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// No statement is on its way.
    Nothing,
    /// It leaves everything as it is: the usual read.
    Same,
    /// It may change something.
    Change(Prediction),
}

/// The tracker of one handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tracker {
    open: bool,
    autocommit: bool,
    read_only: bool,
    /// SET TRANSACTION READ ONLY / READ WRITE for the next transaction.
    next_access: Option<Access>,
    expected: Expected,
    disagreements: u64,
    last: Option<Disagreement>,
}

impl Default for Tracker {
    fn default() -> Self {
        Tracker::new()
    }
}

impl Tracker {
    /// A fresh connection: no transaction, autocommit on (a server that starts with it off says so in its first OK).
    pub fn new() -> Self {
        Tracker {
            open: false,
            autocommit: true,
            read_only: false,
            next_access: None,
            expected: Expected::Nothing,
            disagreements: 0,
            last: None,
        }
    }

    /// Whether the next statement belongs to a transaction: one is open, or autocommit is off.
    pub fn in_transaction(&self) -> bool {
        self.open || !self.autocommit
    }

    /// Whether a transaction is known to be open.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whether autocommit is on.
    pub fn autocommit(&self) -> bool {
        self.autocommit
    }

    /// The open transaction is READ ONLY.
    pub fn is_read_only(&self) -> bool {
        self.open && self.read_only
    }

    /// How often the server's flags contradicted the prediction.
    pub fn disagreements(&self) -> u64 {
        self.disagreements
    }

    /// The last contradiction, for the log.
    pub fn last_disagreement(&self) -> Option<Disagreement> {
        self.last
    }

    /// `mysql_autocommit` on a handle that has no connection yet: remembered.
    pub fn set_autocommit_unsent(&mut self, on: bool) {
        self.autocommit = on;
    }

    /// The connection of the transaction is gone, or was reset: the server has rolled back. autocommit as the session
    /// will set it on the next connection.
    pub fn lost(&mut self) {
        self.open = false;
        self.read_only = false;
        self.next_access = None;
        self.expected = Expected::Nothing;
    }

    /// Whether the statement opens a transaction by itself: it must go where the transaction will live.
    pub fn begins(statement: &Statement) -> bool {
        statement.effects.iter().any(|effect| {
            matches!(
                effect,
                Effect::Transaction(TransactionControl::Begin { .. })
                    | Effect::SetAutocommit(false)
                    | Effect::Bind(Bind::Xa)
            )
        })
    }

    /// The statement is about to be sent.
    #[inline]
    pub fn before(&mut self, statement: &Statement) {
        if statement.effects.is_empty() && statement.single && (self.open || self.autocommit) {
            self.expected = Expected::Same;
        } else {
            self.predict(&statement.effects, statement.single);
        }
    }

    /// A command with these effects is about to be sent (`mysql_commit` is COMMIT, and so on).
    pub fn before_effects(&mut self, effects: &[Effect]) {
        self.predict(effects, true);
    }

    fn predict(&mut self, effects: &[Effect], single: bool) {
        let mut next = Prediction {
            open: if self.open {
                Some(true)
            } else if self.autocommit {
                Some(false)
            } else {
                None
            },
            autocommit: Some(self.autocommit),
            open_if_failed: self.open,
            off_if_failed: !self.autocommit,
            access: None,
        };
        for effect in effects {
            match effect {
                Effect::Transaction(TransactionControl::Begin { access, .. }) => {
                    next.open = Some(true);
                    next.open_if_failed |= !single;
                    next.access = access.or(self.next_access);
                }
                Effect::Transaction(
                    TransactionControl::Commit { chain, .. } | TransactionControl::Rollback { chain, .. },
                ) => {
                    next.open = Some(*chain == Some(true));
                }
                Effect::ImplicitCommit => next.open = Some(false),
                Effect::SetAutocommit(on) => {
                    if *on && next.autocommit == Some(false) {
                        // Commits what is open. A BEGIN under autocommit on is left alone.
                        next.open = Some(false);
                    } else if !*on && next.open == Some(false) {
                        next.open = None;
                    }
                    next.autocommit = Some(*on);
                    next.off_if_failed |= !*on && !single;
                }
                Effect::SetTransaction { scope: Scope::Next, access: Some(access), .. } => {
                    self.next_access = Some(*access);
                }
                Effect::Bind(Bind::Unknown | Bind::UnknownFunction | Bind::Xa) | Effect::Release(_) => {
                    next.open = None;
                    if matches!(effect, Effect::Bind(Bind::Unknown)) {
                        next.autocommit = None;
                    }
                }
                _ => {}
            }
        }
        self.expected = Expected::Change(next);
    }

    /// A reply's status flags: OK, EOF, or the end of a result. Called for each result of a command; the last one
    /// (without [`MORE_RESULTS`]) is compared with the prediction: false if they differ.
    #[inline(always)]
    pub fn after(&mut self, status: u16) -> bool {
        let open = status & IN_TRANS != 0;
        let autocommit = status & AUTOCOMMIT != 0;
        self.read_only = status & IN_TRANS_READONLY != 0;
        if self.expected == Expected::Same && (open, autocommit) == (self.open, self.autocommit) {
            self.expected = Expected::Nothing;
            return true;
        }
        self.after_change(status)
    }

    /// [`Tracker::after`], when something changes or may change.
    fn after_change(&mut self, status: u16) -> bool {
        let open = status & IN_TRANS != 0;
        let autocommit = status & AUTOCOMMIT != 0;
        let (was_open, had_autocommit) = (self.open, self.autocommit);
        self.open = open;
        self.autocommit = autocommit;
        if status & MORE_RESULTS != 0 {
            return true;
        }
        let (expected, access) = match std::mem::replace(&mut self.expected, Expected::Nothing) {
            Expected::Nothing => return true,
            Expected::Same => ((was_open, had_autocommit), None),
            Expected::Change(prediction) => {
                let expected = (prediction.open.unwrap_or(open), prediction.autocommit.unwrap_or(autocommit));
                (expected, prediction.access)
            }
        };
        if access == Some(Access::ReadOnly) && open {
            // Servers before the flag existed (MariaDB before 10.1) say nothing.
            self.read_only = true;
        }
        if open && (!was_open || access.is_some()) || (was_open && !open) {
            self.next_access = None;
        }
        if expected != (open, autocommit) {
            self.disagreements += 1;
            self.last = Some(Disagreement { predicted: expected, actual: (open, autocommit) });
            return false;
        }
        true
    }

    /// The command failed with a server's error, which carries no flags: what may be open is taken to be open until the
    /// next reply tells. A failed COMMIT or DDL leaves the handle in the transaction as far as routing goes.
    pub fn after_error(&mut self) {
        if let Expected::Change(prediction) = std::mem::replace(&mut self.expected, Expected::Nothing) {
            self.open |= prediction.open_if_failed;
            self.autocommit &= !prediction.off_if_failed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::{ClassifyConfig, LexContext, Server, classify};

    fn statement(sql: &str) -> Statement {
        let context = LexContext { server: Server::mysql(90_704), multi_statements: true, ..LexContext::default() };
        classify(sql.as_bytes(), &context, &ClassifyConfig::default())
    }

    /// Runs statements; each with the flags of its reply, and whether the next one is in a transaction.
    #[track_caller]
    fn check(rows: &[(&str, u16, bool)]) -> Tracker {
        let mut tracker = Tracker::new();
        for (sql, status, inside) in rows {
            tracker.before(&statement(sql));
            tracker.after(*status);
            assert_eq!(tracker.in_transaction(), *inside, "behind {sql}");
        }
        assert_eq!(tracker.disagreements(), 0, "{:?}", tracker.last_disagreement());
        tracker
    }

    const ON: u16 = AUTOCOMMIT;
    const OPEN: u16 = AUTOCOMMIT | IN_TRANS;

    #[test]
    fn begin_to_commit() {
        check(&[
            ("SELECT 1", ON, false),
            ("BEGIN", OPEN, true),
            ("SELECT 1", OPEN, true),
            ("SAVEPOINT a", OPEN, true),
            ("ROLLBACK TO SAVEPOINT a", OPEN, true),
            ("RELEASE SAVEPOINT a", OPEN, true),
            ("COMMIT", ON, false),
            ("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ WRITE", OPEN, true),
            ("COMMIT AND CHAIN", OPEN, true),
            ("ROLLBACK AND NO CHAIN", ON, false),
            ("BEGIN", OPEN, true),
            ("BEGIN", OPEN, true),
            ("ROLLBACK WORK", ON, false),
        ]);
    }

    #[test]
    fn implicit_commits() {
        for ddl in [
            "CREATE TABLE t (a INT)",
            "DROP TABLE t",
            "ALTER TABLE t ADD b INT",
            "TRUNCATE t",
            "RENAME TABLE a TO b",
            "GRANT SELECT ON t TO u",
            "CREATE USER u",
            "SET PASSWORD = 'x'",
            "ANALYZE TABLE t",
            "OPTIMIZE TABLE t",
            "FLUSH TABLES",
            "LOCK TABLES t READ",
            "CREATE INDEX i ON t (a)",
            "INSTALL PLUGIN p SONAME 'p.so'",
            "LOAD INDEX INTO CACHE t",
        ] {
            check(&[("BEGIN", OPEN, true), (ddl, ON, false)]);
        }
        for other in ["CREATE TEMPORARY TABLE t (a INT)", "DROP TEMPORARY TABLE t", "INSERT INTO t VALUES (1)"] {
            check(&[("BEGIN", OPEN, true), (other, OPEN, true)]);
        }
    }

    #[test]
    fn autocommit_off_is_a_transaction() {
        check(&[
            ("SET autocommit = 0", 0, true),
            ("SELECT 1", 0, true),
            ("SELECT * FROM t", IN_TRANS, true),
            ("COMMIT", 0, true),
            ("SELECT * FROM t", IN_TRANS, true),
            ("SET autocommit = 1", ON, false),
            ("SET SESSION autocommit = OFF", 0, true),
            ("CREATE TABLE t (a INT)", 0, true),
            ("SET @@autocommit = ON", ON, false),
            ("BEGIN", OPEN, true),
            ("SET autocommit = 1", OPEN, true),
            ("COMMIT", ON, false),
        ]);
    }

    #[test]
    fn the_flags_win_and_contradictions_are_counted() {
        let mut tracker = Tracker::new();
        tracker.before(&statement("SELECT 1"));
        tracker.after(OPEN);
        assert!(tracker.in_transaction());
        assert_eq!(tracker.disagreements(), 1);
        assert_eq!(tracker.last_disagreement(), Some(Disagreement { predicted: (false, true), actual: (true, true) }));
        // A procedure may do anything without being a contradiction.
        tracker.before(&statement("CALL p()"));
        tracker.after(0);
        assert_eq!(tracker.disagreements(), 1);
        assert!(tracker.in_transaction(), "autocommit was switched off inside");
    }

    #[test]
    fn several_results_only_the_last_is_compared() {
        let mut tracker = Tracker::new();
        tracker.before(&statement("BEGIN; INSERT INTO t VALUES (1); COMMIT"));
        tracker.after(OPEN | MORE_RESULTS);
        assert!(tracker.in_transaction());
        tracker.after(OPEN | MORE_RESULTS);
        tracker.after(ON);
        assert!(!tracker.in_transaction());
        assert_eq!(tracker.disagreements(), 0);
    }

    #[test]
    fn an_error_leaves_what_may_be_open_open() {
        let mut tracker = Tracker::new();
        tracker.before(&statement("SELECT 1 FROM missing"));
        tracker.after_error();
        assert!(!tracker.in_transaction());
        tracker.before(&statement("BEGIN; SELECT 1 FROM missing"));
        tracker.after_error();
        assert!(tracker.in_transaction(), "BEGIN was executed before the error");
        tracker.before(&statement("COMMIT"));
        tracker.after_error();
        assert!(tracker.in_transaction(), "until a reply says otherwise");
        tracker.before(&statement("SELECT 1"));
        tracker.after(ON);
        assert!(!tracker.in_transaction());
        tracker.before(&statement("SET autocommit = 0; nonsense"));
        tracker.after_error();
        assert!(tracker.in_transaction());
    }

    #[test]
    fn read_only_transactions() {
        let mut tracker = check(&[("START TRANSACTION READ ONLY", OPEN | IN_TRANS_READONLY, true)]);
        assert!(tracker.is_read_only());
        tracker.before(&statement("COMMIT"));
        tracker.after(ON);
        assert!(!tracker.is_read_only());
        // One-shot characteristics, on a server without the flag.
        let tracker = check(&[("SET TRANSACTION READ ONLY", ON, false), ("BEGIN", OPEN, true)]);
        assert!(tracker.is_read_only());
        let tracker = check(&[
            ("SET TRANSACTION READ ONLY", ON, false),
            ("BEGIN", OPEN, true),
            ("COMMIT", ON, false),
            ("BEGIN", OPEN, true),
        ]);
        assert!(!tracker.is_read_only(), "for one transaction only");
    }

    #[test]
    fn statements_that_begin() {
        for sql in ["BEGIN", "START TRANSACTION", "SET autocommit=0", "XA START 'a'"] {
            assert!(Tracker::begins(&statement(sql)), "{sql}");
        }
        for sql in ["SELECT 1", "COMMIT", "SET autocommit=1", "INSERT INTO t VALUES (1)"] {
            assert!(!Tracker::begins(&statement(sql)), "{sql}");
        }
    }

    #[test]
    fn a_lost_connection_has_no_transaction() {
        let mut tracker = check(&[("BEGIN", OPEN, true)]);
        tracker.lost();
        assert!(!tracker.in_transaction());
    }
}
