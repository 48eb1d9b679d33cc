//! What a handle learns from replies: schema and character set from session tracking, transactions from the flags.

use super::Session;
use super::arm;
use super::tracking::{Changes, SessionChange, TrackType};
use crate::charset;

impl Session {
    /// Session changes of the last OK packet, in order: see [`Changes`]. A routed handle leaves out what only its own
    /// tracking brought.
    pub fn session_changes(&self) -> Vec<SessionChange<'_>> {
        let changes = Changes::new(&self.changes);
        match self.router.as_deref() {
            None => changes.collect(),
            Some(router) => router.shown.filter(changes),
        }
    }

    /// The GTID that the last reply of a routed handle brought: `uuid:number` or `domain-server-number`; None when nothing
    /// was committed, or the server tells none.
    pub fn gtid_of_last_reply(&self) -> Option<&[u8]> {
        self.router.as_ref().and_then(|_| arm::gtid(&self.changes))
    }

    /// How often a routed handle's servers said something else of transaction and autocommit than the text of the statement
    /// had let expect; 0 on a plain handle.
    pub fn transaction_disagreements(&self) -> u64 {
        self.router.as_deref().map_or(0, |router| router.tracker.disagreements())
    }

    /// Counts the packets that carried session changes.
    pub fn changes_count(&self) -> u32 {
        self.changes_count
    }

    /// Follows the schema and the client character set that a server reports.
    pub(super) fn learn_from_changes(&mut self) {
        if self.changes.is_empty() {
            return;
        }
        self.changes_count = self.changes_count.wrapping_add(1);
        let raw = std::mem::take(&mut self.changes);
        let mut changes = Changes::new(&raw);
        while let Some((kind, text)) = changes.next() {
            match kind {
                TrackType::Schema => {
                    let versions = self.at.map(|at| &mut self.nodes[at].versions);
                    match text {
                        [] => self.carry.lose_schema(versions),
                        name => self.carry.set_schema(Some(name.to_vec()), versions),
                    }
                }
                TrackType::SystemVariables => {
                    let value = changes.next();
                    if text == b"character_set_client"
                        && let Some((_, value)) = value
                        && let Some(found) = std::str::from_utf8(value).ok().and_then(charset::by_name)
                        && found.name() != self.charset.charset().name()
                    {
                        self.follow_charset(found.default_collation(self.options.family));
                    }
                }
                _ => {}
            }
        }
        self.learn_gtid_from(&raw);
        self.changes = raw;
    }

    /// Follows the position that a server reports, on a handle that routes.
    fn learn_gtid_from(&mut self, changes: &[u8]) {
        let mariadb = self.server().is_some_and(|server| server.is_mariadb);
        if let (Some(at), Some(router)) = (self.at, self.router.as_deref_mut())
            && let Some(gtid) = arm::gtid(changes)
        {
            router.learn_gtid(at, gtid, mariadb);
        }
    }

    /// A statement, or the last row of its result, came without an error.
    pub(super) fn observe_success(&mut self) {
        if self.router.is_some() {
            self.observe_routed();
        }
    }

    /// A statement failed.
    pub(super) fn observe_failure(&mut self) {
        if self.router.is_some() {
            self.observe_routed_failure();
        }
    }
}
