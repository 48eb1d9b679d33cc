//! Which nodes take writes and which take reads, when that was learned from the servers and not from the file.
//!
//! One of these hangs on the [`super::config::Section`]: what one handle learns, all handles of the process go by with
//! their next statement. No locks: a look at a section where nothing was learned is one load. What the servers said is
//! judged here; who asks them is `session`.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use super::topology::{NodeId, NodeSet};

/// A set that is read and replaced without a lock. Of more than 64 nodes a reader may see the halves of two states, each
/// of which was true of its nodes.
#[derive(Debug, Default)]
struct SharedSet([AtomicU64; 2]);

impl SharedSet {
    fn get(&self) -> NodeSet {
        NodeSet::from_words(self.0.each_ref().map(|word| word.load(Ordering::Acquire)))
    }

    fn set(&self, nodes: NodeSet) {
        for (word, value) in self.0.iter().zip(nodes.words()) {
            word.store(value, Ordering::Release);
        }
    }
}

/// The learned roles of one section.
#[derive(Debug, Default)]
pub struct Roles {
    /// 0 = nothing was learned: the file says who is what. Else counts the changes.
    version: AtomicU32,
    sources: SharedSet,
    replicas: SharedSet,
    /// Nodes that did not say what they are, and that nobody uses until they do.
    missing: SharedSet,
    /// When the servers may be asked again, milliseconds on the caller's clock.
    ask_after: AtomicU64,
    /// When they were asked last.
    asked_at: AtomicU64,
    /// 1 while a handle is asking; it may have gone, so nobody waits for this alone.
    asking: AtomicU32,
    /// How often they have answered.
    rounds: AtomicU32,
    /// Another process has learned something else: the servers are to be asked.
    hinted: AtomicU32,
    /// When it was first looked whether they are to be asked again; 0 = not yet.
    first_look: AtomicU64,
    /// Nodes that did not answer when all were asked last, and when that was.
    silent: SharedSet,
    silent_since: AtomicU64,
}

/// What a server says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// It takes no writes.
    ReadOnly,
    /// It takes writes and follows no other server.
    Writable,
    /// It takes writes, and follows another server.
    Follows,
    /// Nothing in time.
    Silent,
    /// It cannot be reached.
    Gone,
    /// It is no working member of its group.
    Out,
}

/// What the servers' words mean together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The nodes that take writes.
    pub sources: NodeSet,
    /// The nodes that take reads.
    pub replicas: NodeSet,
    /// Nodes that are neither until they say what they are.
    pub missing: NodeSet,
    /// Several say that they take writes, and only one may.
    pub torn: bool,
}

/// Judges. `before`: sources and replicas until now. With `multi_master` all writable nodes are sources; without it two of
/// them are as good as none, because what is written to one is not on the other.
pub fn judge(said: &[(NodeId, Said)], before: (NodeSet, NodeSet), multi_master: bool) -> Verdict {
    let (sources, replicas) = before;
    let those = |wanted: &[Said]| -> NodeSet {
        said.iter().filter(|(_, said)| wanted.contains(said)).map(|(node, _)| *node).collect()
    };
    let writable = if multi_master { those(&[Said::Writable, Said::Follows]) } else { those(&[Said::Writable]) };
    let reads = those(&[Said::ReadOnly, Said::Follows]).minus(writable);
    let unknown = those(&[Said::Silent, Said::Gone]);
    let out = those(&[Said::Out]);
    if !multi_master && writable.len() > 1 {
        let replicas = reads.or(unknown.and(replicas));
        return Verdict { sources: NodeSet::EMPTY, replicas, missing: unknown.or(out).minus(replicas), torn: true };
    }
    if writable.is_empty() {
        // Nobody takes writes: the sources until now give the errors that say why.
        let replicas = reads.minus(sources).or(unknown.and(replicas));
        return Verdict { sources, replicas, missing: out.minus(sources), torn: false };
    }
    // With several sources one that says nothing may be well; the only one is another now.
    let sources = if multi_master { writable.or(those(&[Said::Silent]).and(sources)) } else { writable };
    let replicas = reads.or(unknown.and(replicas)).minus(sources);
    Verdict { sources, replicas, missing: unknown.or(out).minus(replicas).minus(sources), torn: false }
}

/// Judges the nodes of a Galera cluster, all of which take writes. So that writers do not get in each other's way all
/// processes take the same one of those that work: a source of the file, else the first in the file's order, of those that
/// stand by the last. The others take reads. `file`: the sources of the file; `before`: sources and replicas until now.
pub fn judge_galera(said: &[(NodeId, Said)], file: NodeSet, standby: NodeSet, before: (NodeSet, NodeSet)) -> Verdict {
    let those = |wanted: &[Said]| -> NodeSet {
        said.iter().filter(|(_, said)| wanted.contains(said)).map(|(node, _)| *node).collect()
    };
    let writable = those(&[Said::Writable, Said::Follows]);
    let works = writable.or(those(&[Said::ReadOnly]));
    let all: NodeSet = said.iter().map(|(node, _)| *node).collect();
    let first = |nodes: NodeSet| nodes.at_or_after(0).into_iter().collect::<NodeSet>();
    let choices = [writable.and(file), first(writable.minus(standby)), first(writable), before.0];
    let sources = choices.into_iter().find(|nodes| !nodes.is_empty()).unwrap_or(NodeSet::EMPTY);
    let replicas = works.minus(sources);
    Verdict { sources, replicas, missing: all.minus(works).minus(sources), torn: false }
}

impl Roles {
    /// The learned sources and replicas; None while the file says who is what.
    #[inline]
    pub fn learned(&self) -> Option<(NodeSet, NodeSet)> {
        if self.version.load(Ordering::Acquire) == 0 {
            return None;
        }
        Some((self.sources.get(), self.replicas.get()))
    }

    /// Nodes that nobody uses until they say what they are.
    pub fn missing(&self) -> NodeSet {
        if self.version.load(Ordering::Acquire) == 0 { NodeSet::EMPTY } else { self.missing.get() }
    }

    /// Counts the changes; 0 = nothing was learned.
    pub fn version(&self) -> u32 {
        self.version.load(Ordering::Acquire)
    }

    /// All handles go by this from now on. True if it is something new.
    pub fn learn(&self, verdict: &Verdict) -> bool {
        let same = self.learned() == Some((verdict.sources, verdict.replicas));
        self.missing.set(verdict.missing);
        if !same {
            // The new source first: a write that finds two gets an error of the old one, one that finds none fails.
            self.sources.set(verdict.sources);
            self.replicas.set(verdict.replicas);
            let _ = self
                .version
                .fetch_update(Ordering::AcqRel, Ordering::Acquire, |version| Some(version.wrapping_add(1).max(1)));
        }
        !same
    }

    /// Begins to ask the servers, for the whole process: false while another handle does, and while its answers are fresh.
    /// `limit`: after that the right to ask is anybody's again, even if the asker has gone.
    pub fn begin(&self, now: Duration, limit: Duration) -> bool {
        let now_ms = now.as_millis() as u64;
        let after = self.ask_after.load(Ordering::Acquire);
        let next = now_ms + limit.as_millis() as u64;
        let first = now_ms >= after
            && self.ask_after.compare_exchange(after, next, Ordering::AcqRel, Ordering::Acquire).is_ok();
        if first {
            self.asked_at.store(now_ms, Ordering::Release);
            self.asking.store(1, Ordering::Release);
        }
        first
    }

    /// The answers are there; they are good until `fresh_until`.
    pub fn done(&self, fresh_until: Duration) {
        self.hinted.store(0, Ordering::Release);
        self.rounds.fetch_add(1, Ordering::AcqRel);
        self.asking.store(0, Ordering::Release);
        self.ask_after.store(fresh_until.as_millis() as u64, Ordering::Release);
    }

    /// Some handle is asking.
    pub fn is_being_asked(&self) -> bool {
        self.asking.load(Ordering::Acquire) != 0
    }

    /// How often the servers have answered.
    pub fn rounds(&self) -> u32 {
        self.rounds.load(Ordering::Acquire)
    }

    /// The servers were asked, and that is longer ago.
    pub fn is_older_than(&self, now: Duration, age: Duration) -> bool {
        let asked = Duration::from_millis(self.asked_at.load(Ordering::Acquire));
        now.saturating_sub(asked) > age
    }

    /// The servers were asked longer ago than that. The first look counts as asking: the file is good for a while.
    pub fn is_due(&self, now: Duration, every: Duration) -> bool {
        let now_ms = now.as_millis() as u64;
        let first = match self.first_look.load(Ordering::Relaxed) {
            0 => {
                self.first_look.store(now_ms.max(1), Ordering::Relaxed);
                return false;
            }
            first => first,
        };
        let last = first.max(self.asked_at.load(Ordering::Acquire));
        now_ms.saturating_sub(last) > every.as_millis() as u64
    }

    /// Nodes that did not answer when they were asked, less long ago than that: they are not waited for so soon again.
    pub fn silent_within(&self, now: Duration, time: Duration) -> NodeSet {
        let since = self.silent_since.load(Ordering::Acquire);
        let recent = (now.as_millis() as u64).saturating_sub(since) < time.as_millis() as u64;
        if since != 0 && recent { self.silent.get() } else { NodeSet::EMPTY }
    }

    /// All nodes were asked, and these did not answer.
    pub fn note_silent(&self, now: Duration, silent: NodeSet) {
        self.silent.set(silent);
        self.silent_since.store((now.as_millis() as u64).max(1), Ordering::Release);
    }

    /// Another process has asked the servers then. `same`: and has learned what is known here. Else nothing is believed: this
    /// process asks, too, before its next statement that is free to move.
    pub(super) fn hint(&self, at: Duration, same: bool) {
        let at = at.as_millis() as u64;
        let known = self.asked_at.load(Ordering::Acquire);
        if at <= known {
            return;
        }
        self.asked_at.store(at, Ordering::Release);
        if !same {
            self.hinted.store(1, Ordering::Release);
        }
    }

    /// Another process has learned something else.
    #[inline]
    pub fn is_hinted(&self) -> bool {
        self.hinted.load(Ordering::Acquire) != 0
    }

    /// For the board: when the servers were asked last, milliseconds; None while nothing was learned from them.
    pub(super) fn told(&self) -> Option<u64> {
        (self.version() != 0 && !self.is_hinted()).then(|| self.asked_at.load(Ordering::Acquire))
    }

    /// Takes over what was learned of an earlier configuration's nodes; `was` tells where a node was there.
    pub(super) fn adopt(&self, earlier: &Roles, nodes: usize, was: impl Fn(usize) -> Option<NodeId>) {
        let Some((sources, replicas)) = earlier.learned() else { return };
        let missing = earlier.missing();
        let known = sources.or(replicas).or(missing);
        let ids = || (0..nodes).filter_map(NodeId::new);
        let all_known = ids().all(|id| was(id.index()).is_some_and(|old| known.contains(old)));
        if !all_known {
            // What a new node is, its server has to say.
            return;
        }
        let moved = |set: NodeSet| -> NodeSet {
            ids().filter(|id| was(id.index()).is_some_and(|old| set.contains(old))).collect()
        };
        self.learn(&Verdict {
            sources: moved(sources),
            replicas: moved(replicas),
            missing: moved(missing),
            torn: false,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(nodes: &[usize]) -> NodeSet {
        nodes.iter().filter_map(|node| NodeId::new(*node)).collect()
    }

    fn judged(said: &[Said], multi_master: bool) -> (Vec<usize>, Vec<usize>, Vec<usize>, bool) {
        let said: Vec<_> = said.iter().enumerate().map(|(i, s)| (NodeId::new(i).expect("small"), *s)).collect();
        let verdict = judge(&said, (set(&[0]), set(&[1, 2])), multi_master);
        let list = |set: NodeSet| set.iter().map(NodeId::index).collect::<Vec<_>>();
        (list(verdict.sources), list(verdict.replicas), list(verdict.missing), verdict.torn)
    }

    #[test]
    fn the_one_writable_node_is_the_source() {
        use Said::{Follows, Gone, Out, ReadOnly, Silent, Writable};
        for (said, expected) in [
            ([Writable, ReadOnly, ReadOnly], (vec![0], vec![1, 2], vec![], false)),
            ([ReadOnly, Writable, ReadOnly], (vec![1], vec![0, 2], vec![], false)),
            // A dead or frozen source is used again when it says that it is a replica.
            ([Gone, Writable, ReadOnly], (vec![1], vec![2], vec![0], false)),
            ([Silent, ReadOnly, Writable], (vec![2], vec![1], vec![0], false)),
            // Replicas that nobody made read only.
            ([Writable, Follows, Follows], (vec![0], vec![1, 2], vec![], false)),
            ([Gone, Follows, Follows], (vec![0], vec![1, 2], vec![], false)),
            // A replica that says nothing may be well.
            ([ReadOnly, Writable, Silent], (vec![1], vec![0, 2], vec![], false)),
            // Nobody: the old source's errors say why.
            ([ReadOnly, ReadOnly, ReadOnly], (vec![0], vec![1, 2], vec![], false)),
            ([Gone, ReadOnly, Gone], (vec![0], vec![1, 2], vec![], false)),
            // Members of a group that do not work.
            ([Out, Writable, Out], (vec![1], vec![], vec![0, 2], false)),
            ([Out, ReadOnly, Out], (vec![0], vec![1], vec![2], false)),
            // Two are none.
            ([Writable, Writable, ReadOnly], (vec![], vec![2], vec![], true)),
            ([Silent, Writable, Writable], (vec![], vec![], vec![0], true)),
        ] {
            assert_eq!(judged(&said, false), expected, "{said:?}");
        }
    }

    #[test]
    fn with_several_sources_all_writable_nodes_are() {
        use Said::{Follows, Gone, ReadOnly, Silent, Writable};
        for (said, expected) in [
            ([Writable, Writable, ReadOnly], (vec![0, 1], vec![2], vec![], false)),
            ([Follows, Follows, ReadOnly], (vec![0, 1], vec![2], vec![], false)),
            ([Silent, Writable, ReadOnly], (vec![0, 1], vec![2], vec![], false)),
            ([Gone, Writable, ReadOnly], (vec![1], vec![2], vec![0], false)),
        ] {
            assert_eq!(judged(&said, true), expected, "{said:?}");
        }
    }

    #[test]
    fn of_the_nodes_of_a_galera_cluster_all_processes_choose_the_same_writer() {
        use Said::{Gone, Out, ReadOnly, Silent, Writable};
        for (said, expected) in [
            ([Writable, Writable, Writable], (vec![0], vec![1, 2], vec![])),
            ([Out, Writable, Writable], (vec![1], vec![2], vec![0])),
            ([Gone, Out, Writable], (vec![2], vec![], vec![0, 1])),
            ([Silent, Writable, Out], (vec![1], vec![], vec![0, 2])),
            ([ReadOnly, Writable, Writable], (vec![1], vec![0, 2], vec![])),
            ([Writable, Gone, Writable], (vec![0], vec![2], vec![1])),
            // Nobody: the errors of the source until now say why.
            ([Out, Out, Silent], (vec![0], vec![], vec![1, 2])),
        ] {
            let said: Vec<_> = said.iter().enumerate().map(|(i, s)| (NodeId::new(i).expect("small"), *s)).collect();
            let verdict = judge_galera(&said, set(&[0]), NodeSet::EMPTY, (set(&[0]), set(&[1, 2])));
            let list = |set: NodeSet| set.iter().map(NodeId::index).collect::<Vec<_>>();
            assert_eq!((list(verdict.sources), list(verdict.replicas), list(verdict.missing)), expected, "{said:?}");
        }
        let all: Vec<_> = (0..3).filter_map(NodeId::new).map(|node| (node, Writable)).collect();
        let verdict = judge_galera(&all, set(&[0, 1]), NodeSet::EMPTY, (set(&[0]), set(&[])));
        assert_eq!(verdict.sources, set(&[0, 1]), "several masters");
        let verdict = judge_galera(&all[1..], set(&[0]), set(&[1]), (set(&[0]), set(&[])));
        assert_eq!(verdict.sources, set(&[2]), "the other one stands by");
    }

    #[test]
    fn servers_are_asked_again_after_a_while_and_the_silent_ones_later() {
        let roles = Roles::default();
        let (second, at) = (Duration::from_secs(1), Duration::from_secs);
        assert!(!roles.is_due(at(10), second) && !roles.is_due(at(11), second) && roles.is_due(at(12), second));
        assert!(roles.begin(at(12), second));
        roles.done(at(12));
        roles.note_silent(at(12), set(&[1]));
        assert!(!roles.is_due(at(13), second) && roles.is_due(at(14), second));
        assert_eq!(roles.silent_within(at(14), at(5)), set(&[1]));
        assert_eq!(roles.silent_within(at(17), at(5)), NodeSet::EMPTY);
    }

    #[test]
    fn what_was_learned_holds_for_all_and_one_asks_at_a_time() {
        let roles = Roles::default();
        assert_eq!((roles.learned(), roles.version()), (None, 0));
        let verdict = Verdict { sources: set(&[1]), replicas: set(&[0, 127]), missing: set(&[2]), torn: false };
        assert!(roles.learn(&verdict) && !roles.learn(&verdict));
        assert_eq!(roles.learned(), Some((set(&[1]), set(&[0, 127]))));
        assert_eq!((roles.missing(), roles.version()), (set(&[2]), 1));
        let (now, limit, fresh) = (Duration::from_secs(1), Duration::from_millis(50), Duration::from_millis(20));
        assert!(roles.begin(now, limit) && !roles.begin(now, limit) && roles.is_being_asked());
        roles.done(now + fresh);
        assert!(!roles.is_being_asked() && !roles.begin(now, limit) && roles.rounds() == 1);
        assert!(roles.begin(now + fresh, limit));
        // Its asker has gone without an answer.
        assert!(roles.begin(now + fresh + limit, limit));
        assert!(!roles.is_older_than(now + limit, Duration::from_secs(5)));
        assert!(roles.is_older_than(now + Duration::from_secs(6), Duration::from_secs(5)));
    }

    #[test]
    fn what_another_process_learned_is_a_reason_to_ask() {
        let roles = Roles::default();
        assert_eq!((roles.is_hinted(), roles.told()), (false, None));
        roles.hint(Duration::from_secs(2), false);
        assert!(roles.is_hinted());
        roles.done(Duration::from_secs(3));
        assert!(!roles.is_hinted());
        roles.hint(Duration::from_secs(2), false);
        roles.hint(Duration::from_secs(3), true);
        assert!(!roles.is_hinted(), "known, or the same");
        assert_eq!(roles.learned(), None, "nothing is believed");
    }

    #[test]
    fn a_changed_configuration_goes_on_from_what_was_learned_of_its_nodes() {
        let before = Roles::default();
        before.learn(&Verdict { sources: set(&[1]), replicas: set(&[0]), missing: set(&[2]), torn: false });
        let turned = |index: usize| NodeId::new(2 - index);
        let after = Roles::default();
        after.adopt(&before, 3, turned);
        assert_eq!(after.learned(), Some((set(&[1]), set(&[2]))));
        assert_eq!(after.missing(), set(&[0]));
        let with_a_new_one = Roles::default();
        with_a_new_one.adopt(&before, 4, |index| if index < 3 { NodeId::new(index) } else { None });
        assert_eq!(with_a_new_one.learned(), None);
    }
}
