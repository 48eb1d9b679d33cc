//! Reads that do not go back in time (`consistency.monotonic`): behind each read its node is asked how far it is, in the same
//! packet, and later reads have to see that.
//!
//! What a node says behind a read is an upper bound of what the read saw: all that it had executed, and what was about to
//! become visible. It is read where the result has been read to its end, so that it costs no round trip. Where nothing may be
//! outstanding behind the statement (`mysql_send_query`, cursors), and behind what is no simple read, it is asked there: one
//! round trip more. If the answer is lost with its connection, what was seen is not known, and a source answers next.

use crate::cluster::config::quality::Scope;
use crate::cluster::gtid::Position;
use crate::cluster::topology::NodeId;
use crate::conn::{Command, Connection, Head};
use crate::error::{Error, Origin};
use crate::route::{Class, Statement};

use super::routed::Router;
use super::steer::Manner;
use super::{Phase, Session};

/// On MySQL what is being committed stands in `gtid_owned` until it is in `gtid_executed`, and is visible a moment before: asked
/// in this order, nothing slips through between the two.
const OF_MYSQL: &str = "SELECT @@GLOBAL.gtid_owned,@@GLOBAL.gtid_executed";
/// On MariaDB it is in the binary log before it is visible.
const OF_MARIADB: &str = "SELECT @@GLOBAL.gtid_binlog_pos,@@GLOBAL.gtid_current_pos";

fn text(connection: &Connection) -> &'static [u8] {
    if connection.server().is_mariadb { OF_MARIADB.as_bytes() } else { OF_MYSQL.as_bytes() }
}

/// `gtid_owned` is a GTID set in which each number is followed by `#` and its thread: the set.
pub(super) fn owned(value: &[u8]) -> Vec<u8> {
    let mut set = Vec::with_capacity(value.len());
    let mut thread = false;
    for byte in value {
        thread = *byte == b'#' || thread && byte.is_ascii_digit();
        if !thread {
            set.push(*byte);
        }
    }
    set
}

impl Session {
    /// Whether the handle's reads are not to go back in time.
    #[inline]
    pub(super) fn is_monotonic(&self) -> bool {
        self.router.as_deref().is_some_and(|router| router.promise.monotonic)
    }

    /// Whether the question goes behind this statement in the same packet. (If it does not and should, it is asked later.)
    pub(super) fn asks_behind(&mut self, node: usize, statement: &Statement, manner: Manner, cursor: bool) -> bool {
        let Some(router) = self.router.as_deref_mut().filter(|router| router.promise.monotonic) else { return false };
        if !router.promise.tracks(node) {
            return false;
        }
        let reads = statement.class == Class::Read || (statement.class == Class::Write && statement.is_select);
        let pipelines = self.nodes[node].pipelines;
        if reads && statement.single && manner != Manner::Alone && pipelines && !cursor && self.attributes.is_empty() {
            return true;
        }
        let may_read = reads || !statement.single || statement.class == Class::Unknown;
        self.nodes[node].due |= may_read;
        false
    }

    /// Sends the question behind what is queued.
    pub(super) async fn send_behind(&mut self, node: usize) -> Result<(), Error> {
        let family = self.options.family;
        let Some(connection) = self.nodes[node].connection_mut() else { return Err(Error::gone(family)) };
        let question = text(connection);
        connection.send(Command::Query, &[question]).await?;
        self.nodes[node].owes = true;
        Ok(())
    }

    /// Whether some node has been asked, or is to be asked, what was seen there.
    #[inline]
    pub(super) fn has_unsettled(&self) -> bool {
        let asks = |router: &Router| router.promise.monotonic || router.promise.scope != Scope::Handle;
        self.router.as_deref().is_some_and(asks) && self.nodes.iter().any(|node| node.owes || node.due)
    }

    /// Takes the answers that have been asked for, and asks where that is due; nothing while a result is being read.
    #[cold]
    pub(super) async fn settle(&mut self) {
        if self.phase != Phase::Ready || self.more_results() {
            return;
        }
        for index in 0..self.nodes.len() {
            let (owes, due) = {
                let node = &mut self.nodes[index];
                (std::mem::take(&mut node.owes), std::mem::take(&mut node.due))
            };
            if !owes && !due {
                continue;
            }
            let answer = match self.nodes[index].connection_mut() {
                Some(connection) => ask(connection, owes).await,
                None => Err(Error::gone(self.options.family)),
            };
            self.take_seen(index, answer);
        }
    }

    fn take_seen(&mut self, index: usize, answer: Result<[Vec<u8>; 2], Error>) {
        let mariadb = self.nodes[index].connection().is_some_and(|connection| connection.server().is_mariadb);
        let broke = answer.as_ref().is_err_and(|error| error.origin != Origin::Server);
        let Some(router) = self.router.as_deref_mut() else { return };
        match answer {
            Ok([upper, executed]) => router.saw(index, &upper, &executed, mariadb),
            Err(_) => router.promise.doubt(),
        }
        if broke {
            drop(self.nodes[index].take());
            self.note_loss();
        }
    }
}

/// The answer to the question, which is asked first unless it was.
async fn ask(connection: &mut Connection, asked: bool) -> Result<[Vec<u8>; 2], Error> {
    if !asked {
        let question = text(connection);
        connection.send(Command::Query, &[question]).await?;
    }
    match connection.read_head().await? {
        Head::ResultSet(columns) => {
            let (mut rows, _) = connection.store_rows(columns.len()).await?;
            let count = if rows.is_empty() { 0 } else { columns.len() };
            let mut value =
                |column| if column < count { rows.value(0, column).unwrap_or_default() } else { Vec::new() };
            Ok([value(0), value(1)])
        }
        _ => Err(connection.malformed()),
    }
}

impl Router {
    /// Reads on this node have seen no more than this.
    fn saw(&mut self, node: usize, upper: &[u8], executed: &[u8], mariadb: bool) {
        let upper = if mariadb { upper.to_vec() } else { owned(upper) };
        let parsed = (Position::parse(executed, mariadb), Position::parse(&upper, mariadb));
        let (Ok(executed), upper) = parsed else { return self.promise.doubt() };
        let mut seen = executed.clone();
        if let Ok(upper) = &upper {
            let _ = seen.merge(upper);
        }
        let Some(id) = NodeId::new(node) else { return };
        let Some(identity) = self.promise.peers.get(node).map(|peer| peer.identity.clone()) else { return };
        if !executed.is_empty() {
            self.section.progress.reached(id, &identity, &executed);
        }
        if seen.is_empty() {
            return;
        }
        if self.promise.position.as_ref().is_some_and(|known| known.covers(&seen)) {
            // That this handle knows of it does not mean that the others do.
            return self.share_seen(&seen);
        }
        let had = self.promise.version == 0
            || self.promise.peers.get(node).is_some_and(|peer| peer.has == self.promise.version)
            || self.promise.position.as_ref().is_some_and(|known| executed.covers(known));
        if let Some(tables) = self.promise.tables.as_deref_mut() {
            tables.add_common(&seen);
        }
        self.promise.require(&seen);
        let version = self.promise.version;
        if had && let Some(peer) = self.promise.peers.get_mut(node) {
            // What it is about to execute it will show to the next read, or it was not seen.
            peer.has = version;
        }
        self.share_seen(&seen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_being_committed_is_part_of_what_was_seen() {
        assert_eq!(owned(b""), b"");
        assert_eq!(owned(b"3e11fa47-71ca-11e1-9e33-c80aa9429562:7#31"), b"3e11fa47-71ca-11e1-9e33-c80aa9429562:7");
        assert_eq!(owned(b"u:7#31:9#2,\nv:8#4"), b"u:7:9,\nv:8");
    }
}
