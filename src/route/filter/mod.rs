//! Filters: each narrows the candidates or picks one of them. Policies only; they never connect, rewrite or report.
//!
//! What a filter remembers (a sticky choice, a position) belongs to one handle. Chance is an argument.

mod random;
mod round_robin;

use super::candidates::Candidates;
use crate::cluster::config::FilterSpec;
use crate::cluster::topology::{NodeId, NodeSet, Role};
use crate::env::Random;

pub use random::RandomFilter;
pub use round_robin::RoundRobinFilter;

/// What a filter looks at besides the candidates.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The kind of node that the statement goes to.
    pub role: Role,
    /// Nodes whose failure is still remembered.
    pub failed: NodeSet,
    /// `failover.remember_failed`: leave failed nodes out. A sticky choice leaves them out in any case.
    pub skip_failed: bool,
}

/// A filter's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Go on with these.
    Narrow(Candidates),
    /// This one.
    Pick(Picked),
    /// None of them.
    Refuse(&'static str),
}

/// A node, and where the search goes on if it cannot be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picked {
    /// The node.
    pub node: NodeId,
    /// The number from which further candidates of the same kind are tried, in a cycle.
    pub next: usize,
    /// For the reason: the filter's words.
    pub how: &'static str,
}

/// One policy of one handle.
pub trait Filter: std::fmt::Debug + Send {
    /// Judges the candidates.
    fn apply(&mut self, view: &View, candidates: Candidates, random: &mut dyn Random) -> Verdict;
}

/// The filters of a handle, in the order of the file. The last one picks: the configuration saw to that.
#[derive(Debug)]
pub struct Chain {
    filters: Vec<Box<dyn Filter>>,
}

impl Chain {
    /// The chain that a section describes.
    pub fn new(specs: &[FilterSpec]) -> Self {
        let filter = |spec: &FilterSpec| -> Box<dyn Filter> {
            match spec {
                FilterSpec::Random { sticky } => Box::new(RandomFilter::new(*sticky)),
                FilterSpec::RoundRobin => Box::new(RoundRobinFilter::default()),
            }
        };
        Chain { filters: specs.iter().map(filter).collect() }
    }

    /// Runs the filters until one picks. `Err` says in words why there is no node.
    pub fn pick(
        &mut self,
        view: &View,
        mut candidates: Candidates,
        random: &mut dyn Random,
    ) -> Result<Picked, &'static str> {
        for filter in &mut self.filters {
            match filter.apply(view, candidates, random) {
                Verdict::Narrow(narrowed) => candidates = narrowed,
                Verdict::Pick(picked) => return Ok(picked),
                Verdict::Refuse(why) => return Err(why),
            }
        }
        Err("nothing selected by the last filter")
    }
}

/// The nodes among which a single filter chooses: those not known to have failed, if that leaves any.
fn usable(view: &View, all: NodeSet) -> NodeSet {
    let well = all.minus(view.failed);
    if view.skip_failed && !well.is_empty() { well } else { all }
}

/// What a filter remembers for each list of candidates: another list (another group, say) has another memory.
#[derive(Debug)]
struct Memory<T> {
    slots: Vec<((Role, NodeSet), T)>,
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Memory { slots: Vec::new() }
    }
}

impl<T: Default> Memory<T> {
    /// More lists than a program uses; the oldest is forgotten.
    const LISTS: usize = 16;

    fn slot(&mut self, role: Role, list: NodeSet) -> &mut T {
        let key = (role, list);
        let index = match self.slots.iter().position(|(known, _)| *known == key) {
            Some(index) => index,
            None => {
                if self.slots.len() == Self::LISTS {
                    self.slots.remove(0);
                }
                self.slots.push((key, T::default()));
                self.slots.len() - 1
            }
        };
        &mut self.slots[index].1
    }
}
