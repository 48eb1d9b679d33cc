//! How far replicas are behind their source, and who is asking them.
//!
//! A measurement ages: a node that was so late when it was asked is by now at most that and the time since then late. No
//! locks; time comes from the caller. What servers are asked, and what their answers mean, is in `session`.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::topology::NodeId;

/// What a node said of its lag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lag {
    /// So late.
    Behind(Duration),
    /// Its replication does not run.
    Stopped,
    /// It does not say: the account may not ask, or the server has no answer.
    Unknown,
}

/// How long an asker keeps the others from asking, unless the answer comes before.
pub const CLAIM: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
struct Slot {
    /// When it was asked, milliseconds; 0 = never.
    at: AtomicU64,
    /// Milliseconds; [`STOPPED`], [`UNKNOWN`].
    lag: AtomicU64,
    asked_until: AtomicU64,
}

const STOPPED: u64 = u64::MAX;
const UNKNOWN: u64 = u64::MAX - 1;

/// The lags of a section's nodes.
#[derive(Debug, Default)]
pub struct Lags(Box<[Slot]>);

impl Lags {
    /// Nothing known of so many nodes.
    pub fn new(nodes: usize) -> Self {
        Lags((0..nodes).map(|_| Slot::default()).collect())
    }

    fn slot(&self, node: NodeId) -> Option<&Slot> {
        self.0.get(node.index())
    }

    /// The node has answered.
    pub fn measured(&self, node: NodeId, lag: Lag, now: Duration) {
        let Some(slot) = self.slot(node) else { return };
        let value = match lag {
            Lag::Behind(lag) => (lag.as_millis() as u64).min(u64::from(u32::MAX)),
            Lag::Stopped => STOPPED,
            Lag::Unknown => UNKNOWN,
        };
        slot.lag.store(value, Ordering::Relaxed);
        slot.at.store((now.as_millis() as u64).max(1), Ordering::Release);
    }

    /// What it said last, and when; None if it was never asked.
    pub fn last(&self, node: NodeId) -> Option<(Lag, Duration)> {
        let slot = self.slot(node)?;
        let at = slot.at.load(Ordering::Acquire);
        let lag = match slot.lag.load(Ordering::Relaxed) {
            STOPPED => Lag::Stopped,
            UNKNOWN => Lag::Unknown,
            ms => Lag::Behind(Duration::from_millis(ms)),
        };
        (at != 0).then_some((lag, Duration::from_millis(at)))
    }

    /// The node is no later than this now; None if that is not known.
    pub fn at_most(&self, node: NodeId, now: Duration) -> Option<Duration> {
        match self.last(node)? {
            (Lag::Behind(lag), at) => Some(lag + now.saturating_sub(at)),
            _ => None,
        }
    }

    /// Whether the node has to be asked: its last answer is older than `refresh`, and nobody is asking it.
    pub fn is_due(&self, node: NodeId, now: Duration, refresh: Duration) -> bool {
        let Some(slot) = self.slot(node) else { return false };
        let at = Duration::from_millis(slot.at.load(Ordering::Acquire));
        let asked_until = Duration::from_millis(slot.asked_until.load(Ordering::Acquire));
        // A claim ends with its answer.
        (at.is_zero() || now >= at + refresh) && (now >= asked_until || at + CLAIM >= asked_until)
    }

    /// The caller is going to ask; false if somebody else is.
    pub fn claim(&self, node: NodeId, now: Duration) -> bool {
        let Some(slot) = self.slot(node) else { return false };
        let until = slot.asked_until.load(Ordering::Acquire);
        let next = (now + CLAIM).as_millis() as u64;
        self.is_due(node, now, Duration::ZERO)
            && slot.asked_until.compare_exchange(until, next, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// For the board: when it was asked, milliseconds of lag, whether replication is stopped.
    pub(super) fn told(&self, node: NodeId) -> Option<(u64, Option<u32>, bool)> {
        let (lag, at) = self.last(node)?;
        let ms = if let Lag::Behind(lag) = lag { u32::try_from(lag.as_millis()).ok() } else { None };
        Some((at.as_millis() as u64, ms, lag == Lag::Stopped))
    }

    /// From the board, likewise.
    pub(super) fn hear(&self, node: NodeId, at: u64, ms: Option<u32>, stopped: bool) {
        let Some(slot) = self.slot(node) else { return };
        if at > slot.at.load(Ordering::Acquire) {
            let lag = match ms {
                Some(ms) => Lag::Behind(Duration::from_millis(u64::from(ms))),
                None if stopped => Lag::Stopped,
                None => Lag::Unknown,
            };
            self.measured(node, lag, Duration::from_millis(at));
        }
    }

    /// Until when somebody is asking.
    pub(super) fn asked_until(&self, node: NodeId) -> u64 {
        self.slot(node).map_or(0, |slot| slot.asked_until.load(Ordering::Acquire))
    }

    /// Another process is asking.
    pub(super) fn hear_asked(&self, node: NodeId, until: u64) {
        if let Some(slot) = self.slot(node) {
            slot.asked_until.fetch_max(until, Ordering::AcqRel);
        }
    }

    /// Takes over what `other` knows about a node of an earlier configuration.
    pub(super) fn adopt(&self, node: NodeId, other: &Lags, other_node: NodeId) {
        if let Some((at, ms, stopped)) = other.told(other_node) {
            self.hear(node, at, ms, stopped);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(index: usize) -> NodeId {
        NodeId::new(index).expect("small")
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_measurement_ages() {
        let lags = Lags::new(2);
        assert_eq!((lags.last(id(0)), lags.at_most(id(0), SECOND)), (None, None));
        lags.measured(id(0), Lag::Behind(3 * SECOND), 10 * SECOND);
        assert_eq!(lags.at_most(id(0), 10 * SECOND), Some(3 * SECOND));
        assert_eq!(lags.at_most(id(0), 12 * SECOND), Some(5 * SECOND));
        lags.measured(id(0), Lag::Stopped, 13 * SECOND);
        assert_eq!((lags.at_most(id(0), 13 * SECOND), lags.last(id(0))), (None, Some((Lag::Stopped, 13 * SECOND))));
    }

    #[test]
    fn one_asks_at_a_time_and_not_too_often() {
        let lags = Lags::new(1);
        let now = 100 * SECOND;
        assert!(lags.is_due(id(0), now, SECOND) && lags.claim(id(0), now));
        assert!(!lags.is_due(id(0), now, SECOND) && !lags.claim(id(0), now));
        lags.measured(id(0), Lag::Behind(SECOND), now + SECOND / 100);
        assert!(!lags.is_due(id(0), now + SECOND / 2, SECOND));
        assert!(lags.is_due(id(0), now + SECOND / 2, SECOND / 4), "the claim has ended with the answer");
        let later = now + 2 * SECOND;
        assert!(lags.is_due(id(0), later, SECOND));
        // An asker that never came back.
        assert!(lags.claim(id(0), later) && !lags.is_due(id(0), later, SECOND));
        assert!(lags.is_due(id(0), later + CLAIM, SECOND));
    }

    #[test]
    fn what_others_measured_counts_if_it_is_newer() {
        let (one, other) = (Lags::new(1), Lags::new(1));
        one.measured(id(0), Lag::Behind(SECOND), 5 * SECOND);
        let (at, ms, stopped) = one.told(id(0)).expect("measured");
        other.measured(id(0), Lag::Unknown, 6 * SECOND);
        other.hear(id(0), at, ms, stopped);
        assert_eq!(other.last(id(0)).map(|last| last.0), Some(Lag::Unknown));
        other.hear(id(0), 7000, None, true);
        assert_eq!(other.last(id(0)), Some((Lag::Stopped, 7 * SECOND)));
        other.hear_asked(id(0), 9500);
        assert!(!other.is_due(id(0), 9 * SECOND, SECOND) && other.is_due(id(0), 10 * SECOND, SECOND));
    }
}
