//! Which nodes failed, why, and until when that is remembered.
//!
//! Two of these exist for a routed handle: its own, and one that all handles of the process share (it hangs on the
//! [`super::config::Section`]). Time comes from the caller. No locks: a fork at any moment leaves it usable.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use super::topology::{NodeId, NodeSet};

/// How long a failure is remembered. The plugin remembered it for the life of a handle, which for a long-running
/// program means for ever; half a minute bounds the cost of a dead node and lets a repaired one come back.
pub const REMEMBERED: Duration = Duration::from_secs(30);

/// How long the one who tries a failed node again keeps the others away from it, unless it hears of the node before.
pub const TRIAL: Duration = Duration::from_secs(10);

/// What is remembered of a failed node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The error number of the failed attempt.
    pub code: u32,
    /// When the node is tried again, on the clock of [`crate::env::Clock`].
    pub until: Duration,
}

#[derive(Debug, Default)]
struct Slot {
    /// Milliseconds; 0 = well.
    until: AtomicU64,
    code: AtomicU32,
    /// When the first of these was set, milliseconds; 0 = never.
    changed: AtomicU64,
}

/// The failures of one section's nodes.
#[derive(Debug, Default)]
pub struct Health {
    slots: Box<[Slot]>,
    /// False until the first failure, so that a look at a healthy section costs one load.
    any: AtomicU32,
}

impl Health {
    /// All nodes well.
    pub fn new(nodes: usize) -> Self {
        Health { slots: (0..nodes).map(|_| Slot::default()).collect(), any: AtomicU32::new(0) }
    }

    /// Remembers a failure from `now` on, for [`REMEMBERED`].
    pub fn failed(&self, node: NodeId, code: u32, now: Duration) {
        if let Some(slot) = self.slots.get(node.index()) {
            slot.code.store(code, Ordering::Relaxed);
            slot.changed.store((now.as_millis() as u64).max(1), Ordering::Relaxed);
            slot.until.store(((now + REMEMBERED).as_millis() as u64).max(1), Ordering::Release);
            self.any.store(1, Ordering::Release);
        }
    }

    /// Forgets the node's failure: it answered. True if there was one.
    pub fn well(&self, node: NodeId, now: Duration) -> bool {
        if self.any.load(Ordering::Acquire) != 0
            && let Some(slot) = self.slots.get(node.index())
            && slot.until.swap(0, Ordering::AcqRel) != 0
        {
            slot.changed.store((now.as_millis() as u64).max(1), Ordering::Relaxed);
            return true;
        }
        false
    }

    /// For the board: until when the node counts as failed (0 = it does not), why, and when that was found out, all in
    /// milliseconds; None if nothing ever happened to it.
    pub(super) fn told(&self, node: NodeId) -> Option<(u64, u32, u64)> {
        let slot = self.slots.get(node.index())?;
        let changed = slot.changed.load(Ordering::Acquire);
        let (until, code) = (slot.until.load(Ordering::Acquire), slot.code.load(Ordering::Relaxed));
        (changed != 0).then_some((until, code, changed))
    }

    /// From the board, likewise: what is newer counts.
    pub(super) fn hear(&self, node: NodeId, (until, code, changed): (u64, u32, u64)) {
        let Some(slot) = self.slots.get(node.index()) else { return };
        // Whatever the board says, a failure is not remembered for longer than from then on.
        let until = until.min(changed.saturating_add(REMEMBERED.as_millis() as u64));
        if changed > slot.changed.load(Ordering::Acquire) {
            slot.code.store(code, Ordering::Relaxed);
            slot.changed.store(changed, Ordering::Relaxed);
            slot.until.store(until, Ordering::Release);
            if until != 0 {
                self.any.store(1, Ordering::Release);
            }
        }
    }

    /// The node is about to be connected to. After the end of a remembered failure that is a trial by one: for the others the
    /// node stays failed until it is over. True if such a trial begins.
    pub fn try_again(&self, node: NodeId, now: Duration) -> bool {
        let Some(slot) = self.slots.get(node.index()) else { return false };
        let until = slot.until.load(Ordering::Acquire);
        let now_ms = now.as_millis() as u64;
        if until == 0 || until > now_ms {
            return false;
        }
        let trial = (now + TRIAL).as_millis() as u64;
        let first = slot.until.compare_exchange(until, trial, Ordering::AcqRel, Ordering::Acquire).is_ok();
        if first {
            slot.changed.store(now_ms.max(1), Ordering::Relaxed);
            self.any.store(1, Ordering::Release);
        }
        first
    }

    /// No failure is remembered. (False for a while after the last one.)
    #[inline]
    pub fn all_well(&self) -> bool {
        self.any.load(Ordering::Acquire) == 0
    }

    /// The node's failure, if it is still remembered.
    pub fn failure(&self, node: NodeId, now: Duration) -> Option<Failure> {
        let slot = self.slots.get(node.index())?;
        let until = Duration::from_millis(slot.until.load(Ordering::Acquire));
        (until > now).then(|| Failure { code: slot.code.load(Ordering::Relaxed), until })
    }

    /// All nodes whose failure is still remembered.
    pub fn failed_nodes(&self, now: Duration) -> NodeSet {
        if self.any.load(Ordering::Acquire) == 0 {
            return NodeSet::EMPTY;
        }
        let failed: NodeSet =
            (0..self.slots.len()).filter_map(NodeId::new).filter(|node| self.failure(*node, now).is_some()).collect();
        if failed.is_empty() {
            // Another thread may store a failure between the look and this line; it stores `any` after its slot,
            // and what is lost at worst is the memory of one failure.
            self.any.store(0, Ordering::Release);
        }
        failed
    }

    /// Takes over what `other` knows about a node of an earlier configuration.
    pub(crate) fn adopt(&self, node: NodeId, other: &Health, other_node: NodeId) {
        let Some(from) = other.slots.get(other_node.index()) else {
            return;
        };
        let Some(to) = self.slots.get(node.index()) else {
            return;
        };
        let until = from.until.load(Ordering::Acquire);
        if until != 0 {
            to.changed.store(from.changed.load(Ordering::Relaxed), Ordering::Relaxed);
            to.code.store(from.code.load(Ordering::Relaxed), Ordering::Relaxed);
            to.until.store(until, Ordering::Release);
            self.any.store(1, Ordering::Release);
        }
    }
}

/// True for errors that say "this server cannot be reached by anybody": only these are told to the whole process.
/// A refused account (1045, 1049, ...) concerns the handle that used it, because accounts come from connect calls too.
pub fn concerns_everybody(code: u32) -> bool {
    // 2002, 2003: no connection; 2005: unknown host; 2012, 2013: lost in the handshake; 1040: too many connections;
    // 1053: shutting down; 1129: host blocked.
    matches!(code, 2002 | 2003 | 2005 | 2012 | 2013 | 1040 | 1053 | 1129)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(index: usize) -> NodeId {
        NodeId::new(index).expect("small")
    }

    #[test]
    fn a_failure_ends_by_time_or_by_an_answer() {
        let health = Health::new(3);
        let now = Duration::ZERO;
        assert!(health.failed_nodes(now).is_empty());
        health.failed(id(1), 2003, now);
        health.failed(id(2), 2002, now);
        assert_eq!(health.failure(id(1), now), Some(Failure { code: 2003, until: REMEMBERED }));
        assert_eq!(health.failed_nodes(now), [id(1), id(2)].into_iter().collect());
        health.well(id(2), Duration::ZERO);
        assert_eq!(health.failed_nodes(now), [id(1)].into_iter().collect());
        assert_eq!(health.failure(id(1), REMEMBERED), None);
        assert!(health.failed_nodes(REMEMBERED).is_empty());
        health.failed(id(0), 2003, REMEMBERED);
        assert_eq!(health.failed_nodes(REMEMBERED), [id(0)].into_iter().collect());
    }

    #[test]
    fn a_failed_node_is_tried_by_one() {
        let health = Health::new(2);
        health.failed(id(0), 2003, Duration::ZERO);
        health.try_again(id(0), Duration::ZERO);
        health.try_again(id(1), Duration::ZERO);
        assert!(health.failed_nodes(REMEMBERED).is_empty());
        health.try_again(id(0), REMEMBERED);
        assert_eq!(health.failed_nodes(REMEMBERED), [id(0)].into_iter().collect());
        // It has ended without a word.
        assert!(health.failed_nodes(REMEMBERED + TRIAL).is_empty());
        health.try_again(id(0), REMEMBERED + TRIAL);
        health.well(id(0), Duration::ZERO);
        assert!(health.failed_nodes(REMEMBERED + TRIAL).is_empty());
        health.try_again(id(0), REMEMBERED + TRIAL);
        assert!(health.failed_nodes(REMEMBERED + TRIAL).is_empty());
    }

    #[test]
    fn what_others_found_out_counts_if_it_is_newer() {
        let (one, other) = (Health::new(1), Health::new(1));
        let at = |seconds| Duration::from_secs(seconds);
        one.failed(id(0), 2003, at(5));
        other.hear(id(0), one.told(id(0)).expect("it failed"));
        assert_eq!(other.failure(id(0), at(6)), Some(Failure { code: 2003, until: at(5) + REMEMBERED }));
        assert!(other.well(id(0), at(7)) && !other.well(id(0), at(8)));
        other.hear(id(0), one.told(id(0)).expect("it failed"));
        assert!(other.failed_nodes(at(8)).is_empty(), "the older word does not count");
        one.hear(id(0), other.told(id(0)).expect("it is well"));
        assert!(one.failed_nodes(at(8)).is_empty());
        one.hear(id(0), (u64::MAX, 2003, 9000));
        assert!(one.failed_nodes(at(9) + REMEMBERED).is_empty(), "not for longer than a failure is remembered");
    }

    #[test]
    fn unknown_nodes_are_well() {
        let health = Health::new(1);
        health.failed(id(7), 2003, Duration::ZERO);
        assert_eq!(health.failure(id(7), Duration::ZERO), None);
    }

    #[test]
    fn accounts_do_not_condemn_a_node_for_all() {
        assert!(concerns_everybody(2003));
        assert!(!concerns_everybody(1045));
    }
}
