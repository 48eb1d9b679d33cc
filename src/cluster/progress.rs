//! How far each node of a section is known to have come, and what the process's handles have written.
//!
//! Lower bounds: a node has executed at least this. Kept per server, not per name: another server under the same name
//! starts from nothing. No locks, so that a fork at any moment leaves it usable. Time comes from the caller.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwapOption;

use super::gtid::Position;
use super::topology::NodeId;

/// How long a node that did not get as far as a read needed is not waited for again.
pub const PAUSE: Duration = Duration::from_secs(1);

/// What is known of one server.
#[derive(Debug)]
struct Known {
    /// `server_uuid`, or `server_uid` and `server_id`.
    server: Box<[u8]>,
    /// When it was found to be another server, or to have lost something, milliseconds; what was said before then is void.
    since: u64,
    executed: Option<Position>,
}

/// What the board is told of one server.
pub(super) struct Told {
    pub server: Box<[u8]>,
    pub since: u64,
    pub executed: Option<Position>,
}

#[derive(Debug, Default)]
struct Slot {
    known: ArcSwapOption<Known>,
    /// Milliseconds; no waiting before then.
    behind_until: AtomicU64,
    /// It told no GTIDs when it was met last.
    silent: AtomicBool,
}

/// What all handles under one account have written.
#[derive(Debug)]
struct Written {
    account: Box<[u8]>,
    position: Position,
    /// When some of it was found to be lost, milliseconds: what was told before then is void.
    since: u64,
    /// What was written when that was found: any more that was told before then is not void, it is only not judged.
    judged: Option<Position>,
}

/// See the module's text.
#[derive(Debug, Default)]
pub struct Progress {
    slots: Box<[Slot]>,
    written: ArcSwapOption<Vec<Written>>,
    /// Changes with `written`: 0 while nothing was written.
    written_version: AtomicU64,
    /// Some handle's reads see what all processes of the host wrote.
    shared: AtomicBool,
}

/// Most accounts that writes are kept for; a program uses one or two.
const MOST_ACCOUNTS: usize = 16;

impl Progress {
    /// Nothing known of so many nodes.
    pub fn new(nodes: usize) -> Self {
        Progress { slots: (0..nodes).map(|_| Slot::default()).collect(), ..Progress::default() }
    }

    fn slot(&self, node: NodeId) -> Option<&Slot> {
        self.slots.get(node.index())
    }

    /// A connection to the node was made, and this server was found there, this far. What was known of another server is
    /// dropped, and so is what this one has lost (it was set up anew, or came back from a backup).
    pub fn met(&self, node: NodeId, server: &[u8], executed: &Position, now: Duration) {
        let Some(slot) = self.slot(node) else { return };
        slot.known.rcu(|known| {
            let same = known.as_ref().filter(|known| *known.server == *server);
            let lost = same
                .and_then(|known| known.executed.as_ref())
                .is_some_and(|known| executed.is_empty() || !executed.covers(known));
            let since = match (known, same) {
                (None, _) => 0,
                (_, Some(same)) if !lost => same.since,
                _ => now.as_millis() as u64,
            };
            let executed = (!executed.is_empty()).then(|| executed.clone());
            Some(Arc::new(Known { server: server.into(), since, executed }))
        });
        slot.behind_until.store(0, Ordering::Relaxed);
    }

    /// A connection to the node was made, and its server tells GTIDs or does not. True if it does not, and that is news to
    /// the process.
    pub fn is_newly_silent(&self, node: NodeId, tells: bool) -> bool {
        let Some(slot) = self.slot(node) else { return false };
        let knew = slot.silent.swap(!tells, Ordering::Relaxed);
        !tells && !knew
    }

    /// For the board: what is known of the node's server.
    pub(super) fn told(&self, node: NodeId) -> Option<Told> {
        let known = self.slot(node)?.known.load();
        let known = known.as_ref()?;
        Some(Told { server: known.server.clone(), since: known.since, executed: known.executed.clone() })
    }

    /// From the board: another process found this server there, this far.
    pub(super) fn hear(&self, node: NodeId, server: &[u8], since: u64, executed: Option<Position>) {
        let Some(slot) = self.slot(node) else { return };
        slot.known.rcu(|known| {
            let older = known.as_ref().is_none_or(|known| known.since < since);
            let same = known.as_ref().filter(|known| known.since == since && *known.server == *server);
            match (same, known) {
                (Some(same), _) => {
                    let mut both = same.executed.clone();
                    match (&mut both, &executed) {
                        (Some(both), Some(executed)) => drop(both.merge(executed)),
                        (None, Some(executed)) => both = Some(executed.clone()),
                        (_, None) => {}
                    }
                    Some(Arc::new(Known { server: server.into(), since, executed: both }))
                }
                (None, known) if !older => known.clone(),
                _ => Some(Arc::new(Known { server: server.into(), since, executed: executed.clone() })),
            }
        });
    }

    /// The server has executed all of this.
    pub fn reached(&self, node: NodeId, server: &[u8], position: &Position) {
        let Some(slot) = self.slot(node) else { return };
        slot.known.rcu(|known| {
            let known = known.as_ref().filter(|known| *known.server == *server);
            let since = known.map_or(0, |known| known.since);
            let executed = match known.and_then(|known| known.executed.clone()) {
                Some(mut executed) => match executed.merge(position) {
                    Ok(()) => executed,
                    Err(_) => position.clone(),
                },
                None => position.clone(),
            };
            Some(Arc::new(Known { server: server.into(), since, executed: Some(executed) }))
        });
        slot.behind_until.store(0, Ordering::Relaxed);
    }

    /// Whether the node is known to have executed all of this.
    pub fn covers(&self, node: NodeId, position: &Position) -> bool {
        let known = |slot: &Slot| {
            let known = slot.known.load();
            known.as_ref().and_then(|known| known.executed.as_ref()).is_some_and(|executed| executed.covers(position))
        };
        self.slot(node).is_some_and(known)
    }

    /// The node did not get as far as a read needed: for [`PAUSE`] nobody waits for it.
    pub fn fell_behind(&self, node: NodeId, now: Duration) {
        if let Some(slot) = self.slot(node) {
            slot.behind_until.store((now + PAUSE).as_millis() as u64, Ordering::Relaxed);
        }
    }

    /// Whether waiting for the node makes sense.
    pub fn is_worth_waiting_for(&self, node: NodeId, now: Duration) -> bool {
        self.slot(node).is_some_and(|slot| slot.behind_until.load(Ordering::Relaxed) <= now.as_millis() as u64)
    }

    /// A handle under this account has written: a source has acknowledged this. What was written before and this source
    /// cannot have had is lost.
    pub fn wrote(&self, account: &[u8], position: &Position, now: Duration) {
        let fallen = |known: &Position| match (known, position) {
            (Position::MariaDb(known), Position::MariaDb(new)) if known.has_fallen_behind(new).is_some() => {
                let mut left = known.clone();
                left.replace(new);
                Some(Position::MariaDb(left))
            }
            _ => None,
        };
        match self.look(account, |known| fallen(&known.position).map(|left| (known.position.clone(), left))) {
            Some(Some((judged, left))) => self.lost(account, &judged, &left, now),
            _ => self.saw(account, position),
        }
    }

    /// A handle under this account has seen this, and others are to see it, too.
    pub fn saw(&self, account: &[u8], position: &Position) {
        self.add_written(account, position, 0);
    }

    /// Whether anything is known of what was written under this account.
    pub fn knows(&self, account: &[u8]) -> bool {
        self.look(account, |_| ()).is_some()
    }

    /// Whether this is among what was written under this account.
    pub fn has_written(&self, account: &[u8], position: &Position) -> bool {
        self.look(account, |known| known.position.covers(position)).unwrap_or(false)
    }

    fn look<T>(&self, account: &[u8], at: impl FnOnce(&Written) -> T) -> Option<T> {
        let all = self.written.load();
        all.as_ref()?.iter().find(|written| *written.account == *account).map(at)
    }

    fn add_written(&self, account: &[u8], position: &Position, since: u64) {
        self.written.rcu(|all| {
            let mut all: Vec<Written> =
                all.as_deref().map(|all| all.iter().map(Written::copy).collect()).unwrap_or_default();
            match all.iter_mut().find(|written| *written.account == *account) {
                Some(written) => {
                    if written.position.merge(position).is_err() {
                        written.position = position.clone();
                    }
                    written.position.bound();
                }
                None => {
                    if all.len() == MOST_ACCOUNTS {
                        all.remove(0);
                    }
                    all.push(Written { account: account.into(), position: position.clone(), since, judged: None });
                }
            }
            Some(Arc::new(all))
        });
        self.written_version.fetch_add(1, Ordering::Release);
    }

    /// From now on the processes of the host tell each other what they write.
    pub fn share(&self) {
        self.shared.store(true, Ordering::Release);
    }

    /// Whether they do.
    pub fn is_shared(&self) -> bool {
        self.shared.load(Ordering::Acquire)
    }

    /// From the board: handles of another process have written under this account.
    pub(super) fn hear_written(&self, account: &[u8], position: &Position, since: u64) {
        let known = self.look(account, |one| {
            // Told before something was found to be lost, and not known then: it may well be there.
            let unjudged = one.judged.as_ref().is_none_or(|judged| !judged.holds(position));
            (one.since, !one.position.covers(position), unjudged)
        });
        match known {
            None => self.add_written(account, position, since),
            Some((own, news, unjudged)) if news && (own == since || own > since && unjudged) => {
                self.add_written(account, position, since);
            }
            Some((own, ..)) if own < since => {
                self.replace_written(account, since, |_| (position.clone(), None));
            }
            _ => {}
        }
    }

    /// For the board: what was written, by account.
    pub(super) fn tell_written(&self, mut tell: impl FnMut(&[u8], &Position, u64)) {
        for written in self.written.load().iter().flat_map(|all| all.iter()) {
            tell(&written.account, &written.position, written.since);
        }
    }

    /// Of what was written under this account, `judged`, some is lost with its source: no more than `left` is asked for any
    /// more. If others have written since it was judged, nothing is dropped: the next that misses it judges anew.
    pub fn lost(&self, account: &[u8], judged: &Position, left: &Position, now: Duration) {
        self.replace_written(account, now.as_millis() as u64, |known| {
            let mut position = left.clone();
            if let Some(known) = known.filter(|known| !judged.holds(known)) {
                let _ = position.merge(known);
                position.bound();
            }
            (position, Some(judged.clone()))
        });
    }

    /// `made` makes the position, and what was judged for it, of what was known.
    fn replace_written(
        &self,
        account: &[u8],
        since: u64,
        made: impl Fn(Option<&Position>) -> (Position, Option<Position>),
    ) {
        self.written.rcu(|all| {
            let copies = all.as_deref().map(|all| all.iter().map(Written::copy));
            let (own, mut all): (Vec<Written>, Vec<Written>) =
                copies.into_iter().flatten().partition(|one| *one.account == *account);
            let (position, judged) = made(own.first().map(|one| &one.position));
            all.push(Written { account: account.into(), position, since, judged });
            Some(Arc::new(all))
        });
        self.written_version.fetch_add(1, Ordering::Release);
    }

    /// Changes whenever a handle of the process has written.
    pub fn written_version(&self) -> u64 {
        self.written_version.load(Ordering::Acquire)
    }

    /// What handles under this account have written.
    pub fn written(&self, account: &[u8]) -> Option<Position> {
        self.look(account, |written| written.position.clone())
    }

    /// Takes over what `other` knows about a node of an earlier configuration.
    pub(crate) fn adopt(&self, node: NodeId, other: &Progress, other_node: NodeId) {
        if let (Some(to), Some(from)) = (self.slot(node), other.slot(other_node)) {
            to.known.store(from.known.load_full());
            to.behind_until.store(from.behind_until.load(Ordering::Relaxed), Ordering::Relaxed);
            to.silent.store(from.silent.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }

    /// Takes over what the handles of an earlier configuration have written.
    pub(crate) fn adopt_written(&self, other: &Progress) {
        self.shared.store(other.is_shared(), Ordering::Release);
        self.written.store(other.written.load_full());
        self.written_version.store(other.written_version(), Ordering::Release);
    }
}

impl Written {
    fn copy(&self) -> Written {
        Written {
            account: self.account.clone(),
            position: self.position.clone(),
            since: self.since,
            judged: self.judged.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(index: usize) -> NodeId {
        NodeId::new(index).expect("small")
    }

    fn position(text: &str) -> Position {
        Position::parse_any(text.as_bytes()).expect("position")
    }

    const NOW: Duration = Duration::from_secs(9);

    #[test]
    fn what_another_process_found_out_belongs_to_the_same_server() {
        let (one, other) = (Progress::new(1), Progress::new(1));
        let pass = |from: &Progress, to: &Progress| {
            let told = from.told(id(0)).expect("met");
            to.hear(id(0), &told.server, told.since, told.executed);
        };
        one.met(id(0), b"first", &position("0-1-4"), NOW);
        pass(&one, &other);
        assert!(other.covers(id(0), &position("0-1-4")));
        other.reached(id(0), b"first", &position("0-1-8"));
        pass(&other, &one);
        assert!(one.covers(id(0), &position("0-1-8")));
        // It was set up anew: the others hear of it, whatever they knew.
        one.met(id(0), b"second", &position("0-1-2"), NOW);
        pass(&other, &one);
        assert!(!one.covers(id(0), &position("0-1-8")));
        pass(&one, &other);
        assert!(other.covers(id(0), &position("0-1-2")) && !other.covers(id(0), &position("0-1-4")));
        // The same server, from a backup.
        one.met(id(0), b"second", &position("0-1-1"), 2 * NOW);
        pass(&one, &other);
        assert!(!other.covers(id(0), &position("0-1-2")));
    }

    #[test]
    fn what_is_lost_is_not_asked_for() {
        let progress = Progress::new(1);
        progress.wrote(b"shop", &position("0-1-9"), NOW);
        progress.lost(b"shop", &position("0-1-9"), &position("0-1-5"), NOW);
        assert_eq!(progress.written(b"shop"), Some(position("0-1-5")));
        progress.hear_written(b"shop", &position("0-1-9"), 0);
        assert_eq!(progress.written(b"shop"), Some(position("0-1-5")), "from before the loss");
        let other = Progress::new(1);
        other.wrote(b"shop", &position("0-1-9"), NOW);
        progress.tell_written(|account, position, since| other.hear_written(account, position, since));
        assert_eq!(other.written(b"shop"), Some(position("0-1-5")));
        other.wrote(b"shop", &position("0-2-6"), NOW);
        other.tell_written(|account, position, since| progress.hear_written(account, position, since));
        assert_eq!(progress.written(b"shop"), Some(position("0-2-6")));
    }

    #[test]
    fn what_was_written_while_a_loss_was_judged_is_kept() {
        let (one, other) = (Progress::new(1), Progress::new(1));
        let pass = |from: &Progress, to: &Progress| {
            from.tell_written(|account, position, since| to.hear_written(account, position, since));
        };
        for progress in [&one, &other] {
            progress.wrote(b"shop", &position("0-1-9"), NOW);
        }
        // By another handle of the process.
        one.wrote(b"shop", &position("0-2-10"), NOW);
        one.lost(b"shop", &position("0-1-9"), &position("0-2-5"), NOW);
        assert!(one.has_written(b"shop", &position("0-2-10")));
        // By another process, with a number that the lost ones had: told before the loss was told.
        let one = Progress::new(1);
        one.wrote(b"shop", &position("0-1-9"), NOW);
        other.wrote(b"shop", &position("0-2-6"), NOW);
        assert_eq!(other.written(b"shop"), Some(position("0-2-6")), "its source cannot have had 0-1-9");
        one.lost(b"shop", &position("0-1-9"), &position("0-2-5"), 2 * NOW);
        pass(&other, &one);
        assert_eq!(one.written(b"shop"), Some(position("0-2-6")));
        // The loss alone is not undone by those who have not heard of it.
        let late = Progress::new(1);
        late.saw(b"shop", &position("0-1-8"));
        pass(&late, &one);
        assert_eq!(one.written(b"shop"), Some(position("0-2-6")));
        pass(&one, &late);
        assert_eq!(late.written(b"shop"), Some(position("0-2-6")));
    }

    #[test]
    fn a_bound_rises_and_is_dropped_with_its_server() {
        let progress = Progress::new(2);
        progress.met(id(1), b"first", &position("0-1-4"), NOW);
        assert!(progress.covers(id(1), &position("0-1-4")) && !progress.covers(id(1), &position("0-1-5")));
        progress.reached(id(1), b"first", &position("0-1-7"));
        progress.reached(id(1), b"first", &position("0-1-6"));
        assert!(progress.covers(id(1), &position("0-1-7")) && !progress.covers(id(1), &position("0-1-8")));
        assert!(!progress.covers(id(0), &position("0-1-5")));
        progress.met(id(1), b"first", &position("0-1-3"), NOW);
        assert!(!progress.covers(id(1), &position("0-1-7")), "the same server, set up anew");
        progress.met(id(1), b"another", &Position::empty(true), NOW);
        assert!(!progress.covers(id(1), &position("0-1-1")));
    }

    #[test]
    fn a_node_that_is_behind_is_left_alone_for_a_while() {
        let progress = Progress::new(1);
        let now = Duration::from_secs(5);
        assert!(progress.is_worth_waiting_for(id(0), now));
        progress.fell_behind(id(0), now);
        assert!(!progress.is_worth_waiting_for(id(0), now));
        assert!(progress.is_worth_waiting_for(id(0), now + PAUSE));
        progress.fell_behind(id(0), now);
        progress.reached(id(0), b"a", &position("0-1-1"));
        assert!(progress.is_worth_waiting_for(id(0), now));
    }

    #[test]
    fn that_a_node_tells_no_gtids_is_news_once_until_it_tells_them_again() {
        let progress = Progress::new(2);
        let told: Vec<bool> =
            [true, false, false, true, false].map(|tells| progress.is_newly_silent(id(0), tells)).to_vec();
        assert_eq!(told, [false, true, false, false, true]);
        assert!(progress.is_newly_silent(id(1), false), "another node");
        let reloaded = Progress::new(1);
        reloaded.adopt(id(0), &progress, id(1));
        assert!(!reloaded.is_newly_silent(id(0), false), "a changed configuration is no news");
    }

    #[test]
    fn what_was_written_is_kept_by_account() {
        let progress = Progress::new(1);
        assert_eq!((progress.written_version(), progress.written(b"shop")), (0, None));
        progress.wrote(b"shop", &position("0-1-1"), NOW);
        progress.wrote(b"shop", &position("0-1-3"), NOW);
        progress.wrote(b"other", &position("0-1-9"), NOW);
        assert_eq!(progress.written_version(), 3);
        assert_eq!(progress.written(b"shop"), Some(position("0-1-3")));
    }
}
