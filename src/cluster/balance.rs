//! What all handles of a process share for balancing: round robin positions, statements in flight, latencies.
//!
//! One of these hangs on every [`super::config::Section`]; a changed configuration takes over what it knows. Plain
//! atomics: no locks, so that a fork at any moment leaves it usable (the child counts on with what other threads of its
//! parent had on their way at that moment). Time comes from the caller. What other processes have, the
//! [`super::board`] brings here.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use super::topology::{NodeId, NodeSet, Role};

/// Lists of candidates with a position of their own; more than that share, which does no harm.
const CURSORS: usize = 16;

/// After this long without a statement half of a node's latency is forgotten: a node that was slow gets another chance.
const HALF_LIFE_MS: u32 = 5_000;

/// The state of balancing among the nodes of one section.
#[derive(Debug)]
pub struct Balance {
    turns: Arc<Turns>,
    loads: Box<[Arc<Load>]>,
}

/// Where round robin stands.
#[derive(Debug)]
struct Turns {
    /// The next node of each list; [`UNTOUCHED`] before the first turn.
    cursors: [AtomicUsize; CURSORS],
    /// The turn at which this process begins.
    begin: AtomicU64,
    /// Turns that were taken since, and those of them that other processes know of.
    taken: AtomicU64,
    told: AtomicU64,
    /// Weights have had a turn.
    weighted: AtomicBool,
}

const UNTOUCHED: usize = usize::MAX;

impl Default for Turns {
    fn default() -> Self {
        Turns {
            cursors: std::array::from_fn(|_| AtomicUsize::new(UNTOUCHED)),
            begin: AtomicU64::new(0),
            taken: AtomicU64::new(0),
            told: AtomicU64::new(0),
            weighted: AtomicBool::new(false),
        }
    }
}

/// One node's.
#[derive(Debug, Default)]
struct Load {
    /// What smooth weighted round robin owes the node.
    credit: AtomicI64,
    in_flight: AtomicU32,
    /// Of other processes, when they were last heard of.
    elsewhere: AtomicU32,
    /// Upper half: when the last answer came, milliseconds; lower half: the average, microseconds, 0 = unknown.
    latency: AtomicU64,
    statements: AtomicU64,
    connects: AtomicU64,
    failures: AtomicU64,
}

/// What is counted of one node, by all handles of the process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Statements that were sent.
    pub statements: u64,
    /// Connections that were opened.
    pub connects: u64,
    /// Connections that could not be opened.
    pub failures: u64,
}

/// A statement on its way: counted until this is dropped.
#[derive(Debug)]
pub struct Ticket {
    load: Arc<Load>,
    started: Option<Duration>,
}

impl Default for Balance {
    fn default() -> Self {
        Balance::new(0)
    }
}

impl Balance {
    /// For this many nodes, all idle.
    pub fn new(nodes: usize) -> Self {
        Balance { turns: Arc::default(), loads: (0..nodes).map(|_| Arc::default()).collect() }
    }

    /// The next of `usable` in turn, among the handles of the process that choose from `list`; `None` if it is empty.
    /// The first is the first of the list.
    pub fn next(&self, role: Role, list: NodeSet, usable: NodeSet) -> Option<NodeId> {
        let cursor = &self.turns.cursors[list.fold(role as usize) % CURSORS];
        let mut at = cursor.load(Ordering::Relaxed);
        self.turns.taken.fetch_add(1, Ordering::Relaxed);
        // Threads that take a turn at the same moment get different nodes.
        loop {
            let from = if at == UNTOUCHED { self.first_of(list)? } else { at };
            let node = usable.at_or_after(from)?;
            match cursor.compare_exchange_weak(at, node.index() + 1, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(node),
                Err(now) => at = now,
            }
        }
    }

    /// Where a list begins in this process.
    fn first_of(&self, list: NodeSet) -> Option<usize> {
        let turn = self.turns.begin.load(Ordering::Relaxed) % (list.len().max(1) as u64);
        list.nth(turn as usize).map(NodeId::index)
    }

    /// This process begins with that turn, counted over all processes.
    pub(super) fn begin_at(&self, turn: u64) {
        let turns = &self.turns;
        turns.begin.store(turn, Ordering::Relaxed);
        turns.taken.store(0, Ordering::Relaxed);
        turns.told.store(0, Ordering::Relaxed);
        turns.weighted.store(false, Ordering::Relaxed);
        turns.cursors.iter().for_each(|cursor| cursor.store(UNTOUCHED, Ordering::Relaxed));
    }

    /// Turns that other processes do not know of. `first`: one more, which this process is going to take: most programs that
    /// are short have no later moment to tell of it.
    pub(super) fn untold_turns(&self, first: bool) -> u64 {
        let taken = self.turns.taken.load(Ordering::Relaxed).max(u64::from(first));
        taken.saturating_sub(self.turns.told.load(Ordering::Relaxed))
    }

    /// Other processes know of them now.
    pub(super) fn turns_are_told(&self, first: bool) {
        self.turns.told.fetch_add(self.untold_turns(first), Ordering::Relaxed);
    }

    /// The next of `usable` by smooth weighted round robin: every node gains its weight, the one with most gives the
    /// sum back. The ratio holds in every window. `None` if it is empty or all its weights are 0.
    pub fn next_weighted(&self, usable: NodeSet, weights: &Weights) -> Option<NodeId> {
        /// Turns that are gone through to begin where the other processes are.
        const MOST: usize = 1000;
        if !self.turns.weighted.swap(true, Ordering::Relaxed) {
            let sum = weights.sum(usable).max(1) as u64;
            let turns = self.turns.begin.load(Ordering::Relaxed) % sum;
            for _ in 0..(turns as usize).min(MOST) {
                self.take_weighted(usable, weights);
            }
        }
        self.turns.taken.fetch_add(1, Ordering::Relaxed);
        self.take_weighted(usable, weights)
    }

    fn take_weighted(&self, usable: NodeSet, weights: &Weights) -> Option<NodeId> {
        let mut best: Option<(i64, &Load, NodeId)> = None;
        let mut sum = 0;
        for node in usable.iter() {
            let (weight, Some(load)) = (i64::from(weights.of(node)), self.load(node)) else { continue };
            if weight == 0 {
                continue;
            }
            sum += weight;
            let credit = load.credit.fetch_add(weight, Ordering::Relaxed) + weight;
            if best.is_none_or(|(most, ..)| credit > most) {
                best = Some((credit, load, node));
            }
        }
        let (_, load, node) = best?;
        load.credit.fetch_sub(sum, Ordering::Relaxed);
        Some(node)
    }

    /// Statements that the node has not answered to the end: of this process, and of others as far as they are known.
    pub fn in_flight(&self, node: NodeId) -> u32 {
        let sum =
            |load: &Load| load.in_flight.load(Ordering::Relaxed).saturating_add(load.elsewhere.load(Ordering::Relaxed));
        self.load(node).map_or(0, sum)
    }

    /// For the board: those of this process.
    pub(super) fn own_in_flight(&self, node: NodeId) -> u32 {
        self.load(node).map_or(0, |load| load.in_flight.load(Ordering::Relaxed))
    }

    /// From the board: those of other processes.
    pub(super) fn hear_in_flight(&self, node: NodeId, count: u32) {
        if let Some(load) = self.load(node) {
            load.elsewhere.store(count, Ordering::Relaxed);
        }
    }

    /// From the board: a latency and its time, as they are kept here.
    pub(super) fn hear_latency(&self, node: NodeId, stamped: u64) {
        if let Some(load) = self.load(node) {
            let own = load.latency.load(Ordering::Relaxed);
            load.latency.store(newer(own, stamped), Ordering::Relaxed);
        }
    }

    /// For the board: the newer one of its and ours.
    pub(super) fn newest_latency(&self, node: NodeId, stamped: u64) -> u64 {
        self.load(node).map_or(stamped, |load| newer(load.latency.load(Ordering::Relaxed), stamped))
    }

    /// The node's average latency, microseconds, halved for every [`HALF_LIFE_MS`] since it last answered; 0 if it is
    /// not known (any more).
    pub fn latency_us(&self, node: NodeId, now_ms: u64) -> u32 {
        self.load(node).map_or(0, |load| aged(load.latency.load(Ordering::Relaxed), now_ms))
    }

    /// A statement leaves for the node. With `now` the time until [`Ticket::answered`] is measured.
    pub fn sent(&self, node: NodeId, now: Option<Duration>) -> Option<Ticket> {
        let load = self.loads.get(node.index())?;
        load.in_flight.fetch_add(1, Ordering::Relaxed);
        Some(Ticket { load: Arc::clone(load), started: now })
    }

    /// What was counted of the node so far. [`Balance::sent`] does not count: whoever counts says so by
    /// [`Balance::count_statement`] and [`Balance::count_connect`].
    pub fn counts(&self, node: NodeId) -> Counts {
        self.load(node).map_or(Counts::default(), |load| Counts {
            statements: load.statements.load(Ordering::Relaxed),
            connects: load.connects.load(Ordering::Relaxed),
            failures: load.failures.load(Ordering::Relaxed),
        })
    }

    /// A statement was sent to the node.
    pub fn count_statement(&self, node: NodeId) {
        if let Some(load) = self.load(node) {
            load.statements.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The node was connected to, with or without success.
    pub fn count_connect(&self, node: NodeId, success: bool) {
        if let Some(load) = self.load(node) {
            let counter = if success { &load.connects } else { &load.failures };
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Goes on from an earlier state; `same` says which of its nodes a node is.
    pub(crate) fn adopt(&mut self, earlier: &Balance, same: impl Fn(usize) -> Option<NodeId>) {
        self.turns = Arc::clone(&earlier.turns);
        for (index, load) in self.loads.iter_mut().enumerate() {
            if let Some(old) = same(index).and_then(|node| earlier.loads.get(node.index())) {
                *load = Arc::clone(old);
            }
        }
    }

    /// Round robin begins at the beginning again.
    #[cfg(test)]
    pub(crate) fn restart(&self) {
        self.begin_at(0);
    }

    fn load(&self, node: NodeId) -> Option<&Load> {
        self.loads.get(node.index()).map(|load| &**load)
    }
}

impl Ticket {
    /// The first of the reply has come: the time until now counts for the node. Later calls do nothing.
    pub fn answered(&mut self, now: impl FnOnce() -> Duration) {
        let Some(started) = self.started.take() else { return };
        let now = now();
        let took = u32::try_from(now.saturating_sub(started).as_micros()).unwrap_or(u32::MAX).max(1);
        let before = self.load.latency.load(Ordering::Relaxed) as u32;
        let average = if before == 0 { took } else { before - before / 8 + took / 8 }.max(1);
        // Of two answers at the same moment one may be lost: it is an average.
        let stamped = u64::from(now.as_millis() as u32) << 32 | u64::from(average);
        self.load.latency.store(stamped, Ordering::Relaxed);
    }

    /// The time until the answer will say nothing of the node: the program decides when it is read.
    pub fn forget_time(&mut self) {
        self.started = None;
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.load.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Of two latencies with their times; 0 = none.
fn newer(one: u64, other: u64) -> u64 {
    let later = ((other >> 32) as u32).wrapping_sub((one >> 32) as u32) as i32 > 0;
    if one == 0 || (other != 0 && later) { other } else { one }
}

fn aged(stamped: u64, now_ms: u64) -> u32 {
    // Another thread's answer may have come after this statement began.
    let silent = ((now_ms as u32).wrapping_sub((stamped >> 32) as u32) as i32).max(0) as u32;
    (stamped as u32).checked_shr(silent / HALF_LIFE_MS).unwrap_or(0)
}

/// The weight of every node of a section: its share of the statements. 0 = stand-by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights(Box<[u16]>);

impl Weights {
    /// One for each node, in the order of their numbers.
    pub fn new(weights: impl Into<Box<[u16]>>) -> Self {
        Weights(weights.into())
    }

    /// The node's.
    pub fn of(&self, node: NodeId) -> u16 {
        self.0.get(node.index()).copied().unwrap_or(0)
    }

    /// The sum of the weights of these nodes.
    pub fn sum(&self, nodes: NodeSet) -> usize {
        nodes.iter().map(|node| usize::from(self.of(node))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(index: usize) -> NodeId {
        NodeId::new(index).expect("small")
    }

    fn set(nodes: &[usize]) -> NodeSet {
        nodes.iter().map(|index| id(*index)).collect()
    }

    fn letters(nodes: impl Iterator<Item = Option<NodeId>>) -> String {
        nodes.map(|node| node.map_or('-', |node| (b'A' + node.index() as u8) as char)).collect()
    }

    #[test]
    fn turns_are_taken_in_order_and_kept_for_each_list() {
        let balance = Balance::new(4);
        let (all, some) = (set(&[0, 1, 2]), set(&[1, 2]));
        assert_eq!(letters((0..4).map(|_| balance.next(Role::Replica, all, all))), "ABCA");
        assert_eq!(letters((0..3).map(|_| balance.next(Role::Replica, some, some))), "BCB");
        assert_eq!(letters((0..2).map(|_| balance.next(Role::Replica, all, all))), "BC");
        assert_eq!(letters((0..3).map(|_| balance.next(Role::Replica, all, set(&[0, 2])))), "ACA");
        assert_eq!(balance.next(Role::Source, all, NodeSet::EMPTY), None);
    }

    #[test]
    fn a_process_begins_where_the_others_are() {
        let balance = Balance::new(4);
        let (all, some) = (set(&[0, 1, 2]), set(&[1, 2]));
        balance.begin_at(4);
        assert_eq!(letters((0..3).map(|_| balance.next(Role::Replica, all, all))), "BCA");
        assert_eq!(letters((0..3).map(|_| balance.next(Role::Replica, some, some))), "BCB");
        let weights = Weights::new([2, 1, 0, 0]);
        let in_turn = |turn| {
            balance.begin_at(turn);
            balance.loads.iter().for_each(|load| load.credit.store(0, Ordering::Relaxed));
            letters(std::iter::once(balance.next_weighted(set(&[0, 1]), &weights)))
        };
        assert_eq!((0..6).map(in_turn).collect::<String>(), "ABAABA", "one turn per process, and the ratio holds");
    }

    #[test]
    fn the_first_turn_is_told_before_it_is_taken() {
        let balance = Balance::new(2);
        let both = set(&[0, 1]);
        assert_eq!((balance.untold_turns(false), balance.untold_turns(true)), (0, 1));
        balance.turns_are_told(true);
        balance.next(Role::Replica, both, both);
        assert_eq!(balance.untold_turns(false), 0);
        balance.next(Role::Replica, both, both);
        balance.next(Role::Replica, both, both);
        assert_eq!(balance.untold_turns(false), 2);
        balance.turns_are_told(false);
        assert_eq!(balance.untold_turns(false), 0);
    }

    #[test]
    fn what_other_processes_measured_counts() {
        let balance = Balance::new(1);
        balance.hear_in_flight(id(0), 3);
        let _ticket = balance.sent(id(0), None);
        assert_eq!((balance.in_flight(id(0)), balance.own_in_flight(id(0))), (4, 1));
        let stamped = |ms: u64, us: u64| ms << 32 | us;
        balance.hear_latency(id(0), stamped(10, 500));
        balance.hear_latency(id(0), stamped(9, 900));
        assert_eq!(balance.latency_us(id(0), 10), 500);
        assert_eq!(balance.newest_latency(id(0), stamped(11, 700)), stamped(11, 700));
        assert_eq!(balance.newest_latency(id(0), 0), stamped(10, 500));
    }

    #[test]
    fn threads_share_the_turns_evenly() {
        let balance = Balance::new(4);
        let all = set(&[0, 1, 2, 3]);
        let taken: [AtomicUsize; 4] = Default::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        let node = balance.next(Role::Replica, all, all).expect("one");
                        taken[node.index()].fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(taken.map(AtomicUsize::into_inner), [1000; 4]);
    }

    #[test]
    fn the_ratio_of_weights_holds_in_every_window() {
        let balance = Balance::new(3);
        let both = set(&[0, 1]);
        let weights = Weights::new([4, 1, 0]);
        assert_eq!(letters((0..11).map(|_| balance.next_weighted(both, &weights))), "AABAAAABAAA");
        let balance = Balance::new(3);
        let weights = Weights::new([5, 1, 1]);
        let all = set(&[0, 1, 2]);
        let turns: Vec<_> = (0..70).map(|_| balance.next_weighted(all, &weights).expect("one").index()).collect();
        for window in turns.windows(7) {
            let of = |node| window.iter().filter(|turn| **turn == node).count();
            assert_eq!((of(0), of(1), of(2)), (5, 1, 1), "{turns:?}");
        }
        // A node that is out for a while does not make up for it.
        for _ in 0..100 {
            balance.next_weighted(set(&[1, 2]), &weights);
        }
        let turns = letters((0..14).map(|_| balance.next_weighted(all, &weights)));
        assert_eq!(turns.matches('A').count(), 10, "{turns}");
    }

    #[test]
    fn nodes_without_weight_have_no_turn() {
        let balance = Balance::new(2);
        let weights = Weights::new([0, 3]);
        assert_eq!(letters((0..3).map(|_| balance.next_weighted(set(&[0, 1]), &weights))), "BBB");
        assert_eq!(balance.next_weighted(set(&[0]), &weights), None);
        assert_eq!(weights.sum(set(&[0, 1])), 3);
        assert_eq!(weights.of(id(9)), 0);
    }

    #[test]
    fn statements_are_in_flight_until_their_ticket_is_dropped() {
        let balance = Balance::new(1);
        let one = balance.sent(id(0), None);
        let two = balance.sent(id(0), None);
        assert_eq!(balance.in_flight(id(0)), 2);
        drop(one);
        assert_eq!(balance.in_flight(id(0)), 1);
        drop(two);
        assert_eq!(balance.in_flight(id(0)), 0);
        assert!(balance.sent(id(5), None).is_none() && balance.in_flight(id(5)) == 0);
    }

    #[test]
    fn counts_are_kept_by_a_later_state() {
        let earlier = Balance::new(2);
        earlier.count_statement(id(1));
        earlier.count_statement(id(1));
        earlier.count_connect(id(1), true);
        earlier.count_connect(id(1), false);
        earlier.count_connect(id(7), true);
        let counted = Counts { statements: 2, connects: 1, failures: 1 };
        assert_eq!((earlier.counts(id(0)), earlier.counts(id(1))), (Counts::default(), counted));
        let mut later = Balance::new(3);
        later.adopt(&earlier, |index| (index == 0).then(|| id(1)));
        assert_eq!((later.counts(id(0)), later.counts(id(1))), (counted, Counts::default()));
    }

    #[test]
    fn latency_is_an_average_that_fades() {
        let balance = Balance::new(1);
        let run = |start_ms: u64, took_us: u64| {
            let start = Duration::from_millis(start_ms);
            let mut ticket = balance.sent(id(0), Some(start)).expect("one");
            ticket.answered(|| start + Duration::from_micros(took_us));
            ticket.answered(|| panic!("only the first counts"));
        };
        assert_eq!(balance.latency_us(id(0), 0), 0);
        run(1000, 800);
        assert_eq!(balance.latency_us(id(0), 1000), 800);
        run(1000, 1600);
        assert_eq!(balance.latency_us(id(0), 1001), 900);
        assert_eq!(balance.latency_us(id(0), 6_001), 450);
        assert_eq!(balance.latency_us(id(0), 11_001), 225);
        assert_eq!(balance.latency_us(id(0), 900_000), 0);
        assert_eq!(balance.latency_us(id(0), 500), 900, "an answer of a moment ago");
        let mut ticket = balance.sent(id(0), Some(Duration::from_secs(1))).expect("one");
        ticket.forget_time();
        ticket.answered(|| panic!("not measured"));
    }

    #[test]
    fn a_later_state_goes_on_where_the_earlier_one_was() {
        let earlier = Balance::new(2);
        let all = set(&[0, 1]);
        assert_eq!(earlier.next(Role::Replica, all, all), Some(id(0)));
        let ticket = earlier.sent(id(1), None);
        let mut later = Balance::new(3);
        later.adopt(&earlier, |index| (index == 2).then(|| id(1)));
        assert_eq!(later.next(Role::Replica, all, all), Some(id(1)));
        assert_eq!((later.in_flight(id(2)), later.in_flight(id(1))), (1, 0));
        drop(ticket);
        assert_eq!(later.in_flight(id(2)), 0);
    }
}
