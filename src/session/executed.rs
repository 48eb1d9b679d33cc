//! What a source says of its position, and what that means for the position of a handle: it is known again, something is
//! lost, or the source is none any more.

use crate::cluster::config::Discover;
use crate::cluster::config::quality::Scope;
use crate::cluster::gtid::{Position, mariadb};
use crate::cluster::topology::NodeId;
use crate::log;

use super::promise::Doubt;
use super::routed::Router;

impl Router {
    /// A source answered [`super::promise::Question::Executed`] with these values: the position is known again, and what the source does
    /// not have is lost. False: it may be no source any more, and the servers have to be asked first.
    pub(super) fn answered_executed(&mut self, node: usize, values: &[Vec<u8>], mariadb: bool) -> bool {
        let text = |index: usize| values.get(index).map_or(&[][..], Vec::as_slice);
        self.promise.demands_nothing();
        let Ok(mut executed) = Position::parse(text(0), mariadb) else { return true };
        let lost = self.promise.position.as_ref().and_then(|written| lost(written, &executed, text(1)));
        let discovers = self.section.recovery.discover != Discover::File;
        if lost.is_some() && discovers && self.promise.asked_roles != self.promise.version {
            self.promise.asked_roles = self.promise.version;
            self.promise.doubt = self.promise.doubt.max(Doubt::MayBeLost);
            return false;
        }
        let doubt = std::mem::take(&mut self.promise.doubt);
        match &lost {
            Some(lost) => {
                self.tell_lost(lost);
                self.section.progress.lost(&self.promise.account, &executed, self.now);
            }
            None if doubt != Doubt::MayBeMore => {
                let version = self.promise.version;
                if let (Some(id), Some(peer)) = (NodeId::new(node), self.promise.peers.get_mut(node)) {
                    peer.has = version;
                    self.section.progress.reached(id, &peer.identity, &executed);
                }
                return true;
            }
            None => {}
        }
        // The version never goes back: what nodes were known to have belongs to earlier ones.
        self.promise.version += 1;
        if executed.is_empty() {
            // Nothing is left to be seen, so every node has it.
            let version = self.promise.version;
            self.promise.position = None;
            self.promise.peers.iter_mut().for_each(|peer| peer.has = version);
        } else {
            executed.bound();
            self.promise.position = Some(executed);
        }
        self.promise.tables_are_unknown();
        self.tell_baseline();
        true
    }

    /// For processes that begin later, where the board has nothing yet of what this account wrote.
    fn tell_baseline(&self) {
        if self.promise.scope == Scope::Host
            && let Some(position) = &self.promise.position
            && self.section.progress.written(&self.promise.account).is_none()
        {
            self.share_writes();
            self.section.progress.wrote(&self.promise.account, position);
            self.section.board.publish(&self.section, self.now);
        }
    }

    pub(super) fn tell_lost(&self, lost: &str) {
        let text = format!(
            "transactions of this session are lost: {lost} was acknowledged by a source that is gone, and the present one \
             does not have it; reads do not wait for it"
        );
        log::get().message(log::Level::Warning, self.handle_number, &text);
    }
}

/// What a server of MariaDB has executed, and the last transactions of every server that it knows of.
pub(super) const OF_MARIADB: &str = "SELECT @@GLOBAL.gtid_current_pos,CONCAT_WS(',',NULLIF(@@GLOBAL.gtid_binlog_state,''),NULLIF(@@GLOBAL.gtid_slave_pos,''))";

/// What was written and is not among what a source has executed. `all`: on MariaDB, the last transactions of every server
/// in every domain.
fn lost(written: &Position, executed: &Position, all: &[u8]) -> Option<String> {
    match (written, executed) {
        (Position::MySql(written), Position::MySql(executed)) => {
            let lost = written.minus(executed);
            (!lost.is_empty()).then(|| lost.to_string())
        }
        (Position::MariaDb(written), Position::MariaDb(_)) => {
            let all = mariadb::parse_list(all).unwrap_or_default();
            let has = |wanted: &mariadb::Gtid| {
                let reaches = |known: &mariadb::Gtid| {
                    (known.domain, known.server) == (wanted.domain, wanted.server) && known.sequence >= wanted.sequence
                };
                all.iter().any(reaches)
            };
            written.gtids().iter().find(|gtid| !has(gtid)).map(ToString::to_string)
        }
        _ => Some(written.to_text()),
    }
}
