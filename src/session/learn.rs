//! What the reply to a routed handle's statement changes in the record, in what is bound, and in the transaction.
//!
//! The text was the prediction, what the server reports is the truth: session tracking wins over a literal, the status
//! flags win over both. Nothing is sent from here.

use crate::cluster::topology::NodeId;
use crate::conn::Connection;
use crate::log;
use crate::route::{Access, Charset, Isolation};

use super::arm;
use super::awaited::Awaited;
use super::bound::Change;
use super::carry::literal::{self, Repeatable};
use super::carry::variables::{self, Setting};
use super::effects::{Given, Pending};
use super::routed::{Loss, Router};
use super::tracking::{Changes, TrackType};
use super::{MORE_RESULTS, Phase, Session};

/// `SERVER_STATUS_AUTOCOMMIT`.
const AUTOCOMMIT: u16 = 2;
/// `SERVER_SESSION_STATE_CHANGED`.
const STATE_CHANGED: u16 = 1 << 14;

/// Variables of one node, one statement or one transaction, and those whose results are asked for on their node: repeating
/// them elsewhere would be wrong. Setting one keeps the
/// handle on its node until it is set to DEFAULT.
const LOCAL: [&[u8]; 20] = [
    b"gtid_domain_id",
    b"gtid_next",
    b"gtid_seq_no",
    b"identity",
    b"insert_id",
    b"last_insert_id",
    b"optimizer_trace",
    b"profiling",
    b"profiling_history_size",
    b"proxy_user",
    b"pseudo_slave_mode",
    b"pseudo_replica_mode",
    b"pseudo_thread_id",
    b"rand_seed1",
    b"rand_seed2",
    b"server_id",
    b"skip_replication",
    b"sql_log_bin",
    b"sql_log_off",
    b"wsrep_on",
];

/// What servers report and is no setting of the program's: positions, what follows from the schema, and `timestamp`, whose
/// report behind `SET timestamp=DEFAULT` is the old value (measured on both families).
fn is_no_setting(name: &[u8]) -> bool {
    LOCAL.contains(&name)
        || [
            &b"last_gtid"[..],
            b"timestamp",
            b"statement_id",
            b"character_set_database",
            b"collation_database",
            b"session_track_system_variables",
            b"session_track_gtids",
        ]
        .contains(&name)
        || name == b"autocommit"
}

/// What SET NAMES sets.
fn is_set_by_names(key: &[u8]) -> bool {
    [&b"character_set_client"[..], b"character_set_connection", b"character_set_results", b"collation_connection"]
        .contains(&key)
}

/// A variable that the last reply reported, under the record's name for it.
fn reported<'a>(changes: &'a [u8], key: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let mut changes = Changes::new(changes);
    while let Some((kind, name)) = changes.next() {
        if kind == TrackType::SystemVariables {
            let (_, value) = changes.next()?;
            if variables::system_key(name).is_some_and(|found| found == key) {
                return Some((name, value));
            }
        }
    }
    None
}

impl Session {
    /// A statement succeeded, or the last row of its result came.
    pub(super) fn observe_routed(&mut self) {
        let Some(at) = self.at else { return };
        let status = self.outcome.status;
        let last = status & MORE_RESULTS == 0;
        let Some(router) = self.router.as_deref_mut() else { return };
        let mut closes = false;
        if !router.awaits_plain_read || status & STATE_CHANGED != 0 {
            closes = self.observe_effects(at, last);
        }
        if self.phase == Phase::Ready {
            if last && let Some(router) = self.router.as_deref_mut() {
                router.in_flight = None;
            }
            self.follow_flags(at, status);
            if closes && last {
                self.server_closes(at);
            }
        }
    }

    /// What a statement did that is more than a plain read. True if the server closes the connection now.
    fn observe_effects(&mut self, at: usize, last: bool) -> bool {
        let Some(router) = self.router.as_deref_mut() else { return false };
        let pending = if last { std::mem::take(&mut router.pending) } else { Vec::new() };
        let awaited = router.awaited;
        if awaited.uses_next {
            router.next_transaction = None;
        }
        if awaited.writes || awaited.sets_insert_id {
            router.last_write = Some(at);
            router.written_at = self.carry.variables_version();
        }
        if awaited.writes {
            let tells = awaited.only_locks
                || self.outcome.field_count == 0
                || self.nodes[at].connection().is_some_and(Connection::deprecates_eof);
            self.nodes[at].due |= router.note_written(at, tells);
            router.note_tables_changed();
        }
        if awaited.begins && router.bound.has_locked_tables() {
            router.bound.apply(Change::BeginTransaction, at);
        }
        let mut closes = awaited.ends && self.carry.releases();
        if !pending.is_empty() || self.outcome.status & STATE_CHANGED != 0 {
            closes |= self.learn(at, &pending);
        }
        closes
    }

    /// Takes over what the statement did and what the server reports. True if the server closes the connection now.
    fn learn(&mut self, at: usize, pending: &[Pending]) -> bool {
        let told = self.outcome.status & STATE_CHANGED != 0 && !pending.contains(&Pending::ForStatement);
        let raw = if told { std::mem::take(&mut self.changes) } else { Vec::new() };
        let mut closes = false;
        let mut names = false;
        for effect in pending {
            match effect {
                Pending::Schema(schema) => {
                    self.carry.set_schema(Some(schema.clone()), Some(&mut self.nodes[at].versions));
                }
                Pending::Charset(statement, name) => {
                    names = true;
                    self.charset_changes(statement.clone(), Some(at));
                    if let Some(router) = self.router.as_deref_mut() {
                        router.context.charset = name.as_deref().map_or(Charset::Unknown, Charset::by_name);
                    }
                }
                Pending::Autocommit(enabled) => self.autocommit_is(at, *enabled),
                Pending::Role(statement) => {
                    self.carry.set_role(statement.clone(), Some(&mut self.nodes[at].versions));
                }
                Pending::System { key, name, value } => self.system_variable(at, key, name, value, &raw),
                Pending::User { key, name, value } => self.user_variable(at, key, name, value),
                Pending::SessionTransaction(isolation, access) => {
                    self.session_transaction(at, *isolation, *access, &raw);
                }
                Pending::NextTransaction => {
                    if let Some(router) = self.router.as_deref_mut() {
                        router.next_transaction = Some(at);
                    }
                }
                Pending::Bound(change) => self.bind(at, change.clone()),
                Pending::Closes => closes = true,
                Pending::ForStatement => {}
            }
        }
        if told {
            self.hidden_changes(at, pending, names, &raw);
            self.changes = raw;
        }
        closes
    }

    /// Variables that a server reports although the text did not name them: a procedure set them.
    fn hidden_changes(&mut self, at: usize, pending: &[Pending], names: bool, raw: &[u8]) {
        let mut changes = Changes::new(raw);
        while let Some((kind, name)) = changes.next() {
            if kind != TrackType::SystemVariables {
                continue;
            }
            if changes.next().is_none() {
                return;
            }
            if is_no_setting(name) {
                continue;
            }
            let Some(key) = variables::system_key(name) else { continue };
            let named = pending.iter().any(|effect| match effect {
                Pending::System { key: known, .. } => *known == key,
                Pending::SessionTransaction(..) => key.starts_with(b"transaction_"),
                _ => false,
            });
            let follows = names && is_set_by_names(&key);
            if !named && !follows {
                self.system_variable(at, &key, name, &Given::Unknown, raw);
            }
        }
    }

    fn bind(&mut self, at: usize, change: Change) {
        if let Some(router) = self.router.as_deref_mut() {
            router.bound.apply(change, at);
        }
    }

    fn system_variable(&mut self, at: usize, key: &[u8], name: &[u8], value: &Given, raw: &[u8]) {
        if key == b"autocommit" {
            return self.autocommit_is(at, self.outcome.status & AUTOCOMMIT != 0);
        }
        if key.starts_with(b"session_track_") && self.tracking_changed(at, key, value, raw) {
            return;
        }
        if LOCAL.contains(&key) {
            let on = matches!(value, Given::Known(value) if key == b"sql_log_bin"
                && (value.plain == b"1" || value.plain.eq_ignore_ascii_case(b"ON")));
            let known = *value == Given::Default || on;
            let key = key.to_vec();
            return self.bind(at, if known { Change::Known(key) } else { Change::Unknown(key) });
        }
        let report = reported(raw, key).filter(|(name, value)| !value.is_empty() && !is_no_setting(name));
        let truth = report.and_then(|(name, value)| Some((name, literal::reported(value)?)));
        let (name, setting) = match (truth, value) {
            (Some((name, value)), _) => (name, Some(Setting::Value(value))),
            // Only a part of the value was given, the rest stayed.
            (None, Given::Known(_)) if key == b"optimizer_switch" => (name, None),
            (None, Given::Known(value)) => (name, Some(Setting::Value(value.clone()))),
            (None, Given::Default) => (name, Some(Setting::Default)),
            (None, Given::Unknown) => (name, None),
        };
        if let Some(router) = self.router.as_deref_mut() {
            let plain: Option<&[u8]> = match &setting {
                Some(Setting::Value(value)) => Some(&value.plain),
                _ => None,
            };
            match key {
                // A number is a mode that is not known.
                b"sql_mode" => router.context.set_sql_mode(plain.unwrap_or(b"0")),
                b"character_set_client" => router.context.charset = plain.map_or(Charset::Unknown, Charset::by_name),
                _ => {}
            }
        }
        if matches!(key, b"character_set_connection" | b"collation_connection") {
            self.strings_are_unknown(at);
        }
        let versions = &mut self.nodes[at].versions;
        let kept = match setting {
            Some(setting) => self.carry.set_variable(key, name.to_vec(), setting, Some(versions)),
            None => false,
        };
        self.kept_or_bound(at, key, kept);
    }

    fn user_variable(&mut self, at: usize, key: &[u8], name: &[u8], value: &Given) {
        let kept = match value {
            Given::Known(value) => {
                let versions = &mut self.nodes[at].versions;
                self.carry.set_variable(key, name.to_vec(), Setting::Value(value.clone()), Some(versions))
            }
            Given::Default | Given::Unknown => false,
        };
        self.kept_or_bound(at, key, kept);
    }

    fn kept_or_bound(&mut self, at: usize, key: &[u8], kept: bool) {
        if kept {
            self.bind(at, Change::Known(key.to_vec()));
        } else {
            self.carry.forget_variable(key);
            self.bind(at, Change::Unknown(key.to_vec()));
        }
    }

    fn session_transaction(&mut self, at: usize, isolation: Option<Isolation>, access: Option<Access>, raw: &[u8]) {
        let old = self.nodes[at].connection().is_none_or(|connection| {
            let server = connection.server();
            server.is_mariadb || server.version.starts_with(b"5.")
        });
        let known = |text: &str, is_string: bool| {
            let quoted = if is_string { format!("'{text}'") } else { text.to_owned() };
            Given::Known(Repeatable { text: quoted.into_bytes(), plain: text.as_bytes().to_vec(), is_string })
        };
        if let Some(level) = isolation {
            let name: &[u8] = if old { b"tx_isolation" } else { b"transaction_isolation" };
            let level = match level {
                Isolation::ReadUncommitted => "READ-UNCOMMITTED",
                Isolation::ReadCommitted => "READ-COMMITTED",
                Isolation::RepeatableRead => "REPEATABLE-READ",
                Isolation::Serializable => "SERIALIZABLE",
            };
            self.system_variable(at, b"transaction_isolation", name, &known(level, true), raw);
        }
        if let Some(access) = access {
            let name: &[u8] = if old { b"tx_read_only" } else { b"transaction_read_only" };
            let value = if access == Access::ReadOnly { "1" } else { "0" };
            self.system_variable(at, b"transaction_read_only", name, &known(value, false), raw);
        }
    }

    /// The program set a variable of session tracking: it sees what it asked for, and our own is switched on again in front
    /// of the next statement. False for those that are variables like any other.
    fn tracking_changed(&mut self, at: usize, key: &[u8], value: &Given, raw: &[u8]) -> bool {
        let Some(router) = self.router.as_deref_mut() else { return false };
        let given = match (value, reported(raw, key)) {
            (Given::Known(value), _) => Some(value.plain.clone()),
            (_, Some((_, value))) => Some(router.shown.without_ours(value)),
            _ => None,
        };
        let (name, wanted): (&[u8], Option<Vec<u8>>) = match key {
            b"session_track_system_variables" => {
                // Not known: it is shown all.
                let list = match value {
                    Given::Default => router.shown.servers.clone().unwrap_or_default(),
                    _ => given.unwrap_or_else(|| b"*".to_vec()),
                };
                let wanted = self.nodes[at].connection().and_then(|connection| arm::variables(connection, &list));
                router.shown.variables = Some(list);
                router.shown.asked = true;
                (b"session_track_system_variables", wanted)
            }
            b"session_track_gtids" => {
                let off = match (value, &given) {
                    (Given::Default, _) => true,
                    (_, Some(value)) => value == b"0" || value.eq_ignore_ascii_case(b"OFF"),
                    _ => false,
                };
                router.shown.gtids = !off;
                (b"session_track_gtids", off.then(|| b"OWN_GTID".to_vec()))
            }
            _ => return false,
        };
        let Some(wanted) = wanted else { return key != b"session_track_gtids" };
        // On no connection yet: this one, too, is armed by what goes ahead of the next statement.
        let text = [b"'", &wanted[..], b"'"].concat();
        let setting = Setting::Value(Repeatable { text, plain: wanted, is_string: true });
        self.carry.forget_variable(key);
        self.carry.set_variable(key, name.to_vec(), setting, None);
        true
    }

    fn autocommit_is(&mut self, at: usize, enabled: bool) {
        self.carry.set_autocommit(enabled, Some(&mut self.nodes[at].versions));
    }

    /// The character set of the session changes; `at`: by a statement on this node.
    pub(super) fn charset_changes(&mut self, statement: Vec<u8>, at: Option<usize>) {
        if !self.carry.charset_is(&statement)
            && let Some(at) = at
        {
            self.strings_are_unknown(at);
        }
        let versions = at.map(|at| &mut self.nodes[at].versions);
        self.carry.set_charset(statement, versions);
    }

    /// User variables that are strings keep the character set and collation that they were set under; sent again they
    /// would get the present ones.
    fn strings_are_unknown(&mut self, at: usize) {
        for key in self.carry.user_strings() {
            self.kept_or_bound(at, &key, false);
        }
    }

    /// Transaction and autocommit as the server says.
    #[inline(always)]
    fn follow_flags(&mut self, at: usize, status: u16) {
        let detached = self.is_detached(at, status);
        let Some(router) = self.router.as_deref_mut() else { return };
        if detached {
            // A read beside the transaction: on its node autocommit is on, for the program it is off.
            self.outcome.status &= !AUTOCOMMIT;
            return;
        }
        let agreed = router.tracker.after(status);
        router.follow_transaction(at);
        if !agreed {
            router.tell_disagreement();
        }
    }

    /// The reply is that of a read on a replica which is told nothing of autocommit (`autocommit_off_reads`).
    fn is_detached(&self, at: usize, status: u16) -> bool {
        !self.carry.autocommit() && status & AUTOCOMMIT != 0 && self.reads_are_detached(at)
    }

    /// A replica that is told nothing of autocommit.
    pub(super) fn reads_are_detached(&self, index: usize) -> bool {
        self.router.as_deref().is_some_and(|router| {
            router.section.replicas_until_write
                && NodeId::new(index).is_some_and(|node| !router.section.sources_now().contains(node))
        })
    }

    /// The server closes the connection behind its OK (COMMIT RELEASE): nothing more is sent on it.
    fn server_closes(&mut self, at: usize) {
        if let Some(connection) = self.nodes[at].take() {
            connection.quit();
        }
        self.note_loss();
    }

    /// A statement failed: what it would have done was not done, but for what the flags say, and for what it may have
    /// done on its way.
    pub(super) fn observe_routed_failure(&mut self) {
        let at = self.at;
        let Some(router) = self.router.as_deref_mut() else { return };
        let pending = std::mem::take(&mut router.pending);
        let code = std::mem::take(&mut router.failure);
        if let Some(at) = at
            && !pending.is_empty()
            && (router.awaited.calls || !was_refused(code))
        {
            router.may_have_done(at, pending);
        }
        let broke = at.is_none_or(|at| self.nodes[at].connection().is_none());
        if broke && (router.awaited.writes || router.tracker.in_transaction()) {
            router.promise.doubt();
        }
        router.in_flight = None;
        router.tracker.after_error();
        self.note_loss();
    }

    /// `mysql_reset_connection` and the like: nothing is bound, open, excluded or lost any more.
    pub(super) fn observe_reset(&mut self) {
        if let Some(router) = self.router.as_deref_mut() {
            router.bound.clear();
            router.lost = None;
            router.last_write = None;
            router.next_transaction = None;
            router.excluded = crate::cluster::topology::NodeSet::EMPTY;
            router.shown.reset();
            router.forget_transaction();
            router.forget_sql_mode();
        }
    }

    /// The handle's connections belong to another process now: what was open there is lost here.
    pub(super) fn observe_abandoned(&mut self) {
        if let Some(router) = self.router.as_deref_mut() {
            router.in_flight = None;
        }
        self.note_loss();
    }

    /// What goes with the handle's connections, if they are closed now.
    pub(super) fn what_would_be_lost(&self) -> Option<Loss> {
        let router = self.router.as_deref()?;
        if router.lost.is_some() {
            router.lost
        } else if router.bound.node().is_some() {
            Some(Loss::Bound)
        } else if router.next_transaction.is_some() || router.tracker.is_open() {
            Some(Loss::Transaction)
        } else {
            None
        }
    }

    /// It went.
    pub(super) fn observe_loss(&mut self, loss: Option<Loss>) {
        if let Some(router) = self.router.as_deref_mut() {
            router.lost = loss;
        }
    }

    /// Notes what the handle lost with a connection, so that the program cannot go on as if it were there.
    pub(super) fn note_loss(&mut self) {
        let Some(router) = self.router.as_deref_mut() else { return };
        let open = |index: usize| self.nodes[index].connection().is_some();
        if router.bound.node().is_some_and(|index| !open(index)) {
            router.lost = Some(Loss::Bound);
        } else if router.next_transaction.is_some_and(|index| !open(index))
            || (router.transaction_node.is_some_and(|index| !open(index)) && router.tracker.in_transaction())
        {
            router.lost = Some(Loss::Transaction);
        }
    }
}

impl Router {
    /// What a statement that failed may have done before: variables it assigned row by row, locks it took, anything a
    /// procedure did.
    fn may_have_done(&mut self, at: usize, pending: Vec<Pending>) {
        let Awaited { several, writes, .. } = self.awaited;
        for effect in pending {
            match effect {
                Pending::Bound(change @ (Change::GetLock(_) | Change::Unknown(_) | Change::Other(_))) if writes => {
                    self.bound.apply(change, at);
                }
                Pending::User { key, value: Given::Unknown, .. } if writes => {
                    self.bound.apply(Change::Unknown(key), at);
                }
                Pending::Closes | Pending::ForStatement => {}
                _ if several => self.bound.apply(Change::Other("several statements, of which one failed"), at),
                _ => {}
            }
        }
    }

    #[cold]
    fn tell_disagreement(&self) {
        let Some(last) = self.tracker.last_disagreement() else { return };
        let words = |(open, autocommit): (bool, bool)| {
            format!(
                "{}, autocommit {}",
                if open { "in a transaction" } else { "no transaction" },
                if autocommit { "on" } else { "off" }
            )
        };
        let text = format!("expected {}; the server says {}", words(last.predicted), words(last.actual));
        log::get().message(log::Level::Warning, self.handle_number, &text);
    }
}

/// The server refused the statement before it did anything: it cannot read it. (A procedure may meet such a text inside.)
fn was_refused(code: u32) -> bool {
    matches!(code, 1064 | 1065 | 1149 | 1295)
}
