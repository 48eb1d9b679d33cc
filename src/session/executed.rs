//! What a source says of its position, and what that means for the position of a handle: it is known again, something is
//! lost, or the source is none any more.

use crate::cluster::config::Discover;
use crate::cluster::config::quality::Scope;
use crate::cluster::gtid::{GtidSet, Position, mariadb};
use crate::cluster::topology::NodeId;
use crate::log;

use super::promise::Doubt;
use super::routed::Router;
use super::seen::owned;

impl Router {
    /// A source answered [`super::promise::Question::Executed`] with these values: the position is known again, and what the source does
    /// not have is lost. False: it may be no source any more, and the servers have to be asked first.
    pub(super) fn answered_executed(&mut self, node: usize, values: &[Vec<u8>], mariadb: bool) -> bool {
        let text = |index: usize| values.get(index).map_or(&[][..], Vec::as_slice);
        self.promise.demands_nothing();
        let Ok(mut executed) = Position::parse(text(0), mariadb) else { return true };
        let lost = self.promise.position.as_ref().and_then(|written| lost(written, &executed, text(1)));
        let has_all = lost.is_none() && self.promise.position.as_ref().is_none_or(|written| executed.covers(written));
        let read_only = text(2) == b"1" || text(2).eq_ignore_ascii_case(b"ON");
        let asked_roles = self.promise.asked_roles == self.promise.version;
        let proven = self.section.recovery.discover == Discover::File || asked_roles && !read_only;
        let in_doubt = self.promise.doubt == Doubt::MayBeMore && read_only;
        if !proven && (lost.is_some() || in_doubt) {
            self.promise.doubt = self.promise.doubt.max(Doubt::MayBeLost);
            return false;
        }
        if lost.is_none() && !has_all && !mariadb {
            // It is about to have the rest; that took longer than a read waits. It is asked again.
            self.promise.doubt = self.promise.doubt.max(Doubt::MayBeLost);
            return true;
        }
        let doubt = std::mem::take(&mut self.promise.doubt);
        match &lost {
            Some(lost) => {
                self.tell_lost(lost);
                if self.promise.scope != Scope::Handle
                    && let Some(written) = &self.promise.position
                {
                    self.section.progress.lost(&self.promise.account, written, &executed, self.now);
                }
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
        // Also for processes that begin later, where the board has nothing yet of what this account wrote.
        if let Some(position) = &self.promise.position {
            self.share_seen(position);
        }
        true
    }

    /// Whether a node that has executed this has all of the position. `all`: as in [`lost`].
    pub(super) fn holds_position(&self, executed: &Position, all: &[u8]) -> bool {
        self.promise.position.as_ref().is_none_or(|written| lost(written, executed, all).is_none())
    }

    pub(super) fn tell_lost(&self, lost: &str) {
        let text = format!(
            "transactions of this session are lost: {lost} was acknowledged by a source that is gone, and the present one \
             does not have it; reads do not wait for it"
        );
        log::get().message(log::Level::Warning, self.handle_number, &text);
    }
}

/// What a server of MySQL has executed, and what it is about to.
pub(super) const OF_MYSQL: &str = "SELECT @@GLOBAL.gtid_executed,@@GLOBAL.gtid_owned,@@GLOBAL.read_only";

/// The same, once it shows what reads have seen: `seen`, and what replicas may have got of it and show before itself. It has
/// so many seconds for that.
pub(super) fn of_mysql_when_shown(seen: &str, seconds: f64, version: &[u8]) -> String {
    let set = if version.starts_with(b"5.") {
        // It has no function for that.
        format!("'{seen}'")
    } else {
        format!("CONCAT_WS(',',NULLIF(REGEXP_REPLACE(@@GLOBAL.gtid_owned,'#[0-9]+',''),''),NULLIF('{seen}',''))")
    };
    let wait = format!("WAIT_FOR_EXECUTED_GTID_SET({set},{seconds})");
    format!(
        "SELECT IF({wait} IS NULL,@@GLOBAL.gtid_executed,@@GLOBAL.gtid_executed),@@GLOBAL.gtid_owned,@@GLOBAL.read_only"
    )
}

/// What a server of MariaDB has executed, and the last transactions of every server that it knows of.
pub(super) const OF_MARIADB: &str = "SELECT @@GLOBAL.gtid_current_pos,CONCAT_WS(',',NULLIF(@@GLOBAL.gtid_binlog_state,''),NULLIF(@@GLOBAL.gtid_slave_pos,'')),@@GLOBAL.read_only";

/// What was written and is not among what a source has executed. `all`: on MariaDB, the last transactions of every server
/// in every domain; on MySQL, what it is about to execute.
fn lost(written: &Position, executed: &Position, all: &[u8]) -> Option<String> {
    match (written, executed) {
        (Position::MySql(written), Position::MySql(executed)) => {
            let pending = GtidSet::parse(&owned(all)).unwrap_or_default();
            let lost = written.minus(executed).minus(&pending);
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
