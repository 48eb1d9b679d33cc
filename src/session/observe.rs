//! What a handle learns from replies: schema and character set from session tracking, transactions from the flags.

use super::Session;
use super::tracking::{self, SessionChange, TrackType};
use crate::charset;

impl Session {
    /// Session changes of the last OK packet, in order: see [`tracking::changes`].
    pub fn session_changes(&self) -> Vec<SessionChange<'_>> {
        tracking::changes(&self.changes)
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
        let changes = tracking::changes(&raw);
        let mut index = 0;
        while let Some(&(kind, text)) = changes.get(index) {
            match kind {
                TrackType::Schema => {
                    let versions = self.at.map(|at| &mut self.nodes[at].versions);
                    self.carry.set_schema((!text.is_empty()).then(|| text.to_vec()), versions);
                }
                TrackType::SystemVariables => {
                    index += 1;
                    if text == b"character_set_client"
                        && let Some(&(_, value)) = changes.get(index)
                        && let Some(found) = std::str::from_utf8(value).ok().and_then(charset::by_name)
                        && found.name() != self.charset.charset().name()
                    {
                        self.follow_charset(found.default_collation(self.options.family));
                    }
                }
                _ => {}
            }
            index += 1;
        }
        self.changes = raw;
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
