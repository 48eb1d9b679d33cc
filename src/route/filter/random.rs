//! `random`: any node, all equally likely or by weight; with `sticky` the first choice is kept.

use super::{Filter, Memory, NOTHING_LEFT, Picked, Verdict, View, usable};
use crate::cluster::balance::Weights;
use crate::cluster::config::Strategy;
use crate::cluster::topology::{NodeId, NodeSet};
use crate::env::Random;
use crate::route::candidates::Candidates;

/// See the module's text.
#[derive(Debug)]
pub struct RandomFilter {
    sticky: bool,
    memory: Memory<Choice>,
}

/// What a sticky filter keeps for one list of candidates.
#[derive(Debug, Default)]
struct Choice {
    /// The first choice: used whenever it is well.
    first: Option<Drawn>,
    /// Where reads go while it is not.
    instead: Option<Drawn>,
}

#[derive(Clone, Copy, Debug)]
struct Drawn {
    node: NodeId,
    next: usize,
}

impl RandomFilter {
    /// A filter that has not chosen yet.
    pub fn new(sticky: bool) -> Self {
        RandomFilter { sticky, memory: Memory::default() }
    }
}

impl Filter for RandomFilter {
    fn apply(&mut self, view: &View<'_>, candidates: Candidates, random: &mut dyn Random) -> Verdict {
        let list = candidates.of(view.role);
        let weights = view.section.weights.as_ref();
        // Where the search goes on is drawn only if it may go on.
        let goes_on = view.section.failover.strategy != Strategy::Disabled;
        let mut draw = |usable: NodeSet| draw(usable, list, weights, goes_on, random);
        if !self.sticky {
            let how = if weights.is_some() { "random by weight" } else { "random" };
            return match draw(usable(view, list, view.skip_failed)) {
                Some(Drawn { node, next }) => Verdict::Pick(Picked { node, next, how, kept: false }),
                None => NOTHING_LEFT,
            };
        }
        let choice = self.memory.slot(view.role, list);
        let usable = usable(view, list, true);
        let still = |drawn: &Option<Drawn>| drawn.filter(|drawn| usable.contains(drawn.node));
        let mut kept = false;
        let (drawn, how) = match still(&choice.first) {
            Some(first) => {
                choice.instead = None;
                kept = true;
                (Some(first), "sticky")
            }
            None if choice.first.is_none() => {
                choice.first = draw(usable);
                (choice.first, "sticky, first choice")
            }
            None => {
                choice.instead = still(&choice.instead).or_else(|| draw(usable));
                (choice.instead, "sticky, while the first choice is failed")
            }
        };
        match drawn {
            Some(Drawn { node, next }) => Verdict::Pick(Picked { node, next, how, kept }),
            None => NOTHING_LEFT,
        }
    }
}

/// Draws the node, and the place where the search goes on if it is dead: without a drawn place, all the load of a dead
/// node would fall on its neighbour. None for an empty list.
fn draw(
    usable: NodeSet,
    list: NodeSet,
    weights: Option<&Weights>,
    goes_on: bool,
    random: &mut dyn Random,
) -> Option<Drawn> {
    let node = pick(usable, weights, random)?;
    let next = if goes_on { pick(list.without(node), weights, random) } else { None };
    Some(Drawn { node, next: next.map_or(0, NodeId::index) })
}

fn pick(set: NodeSet, weights: Option<&Weights>, random: &mut dyn Random) -> Option<NodeId> {
    if set.len() < 2 {
        return set.at_or_after(0);
    }
    let sum = weights.map_or(0, |weights| weights.sum(set));
    match weights {
        Some(weights) if sum > 0 => {
            let mut left = random.below(sum);
            set.iter().find(|node| {
                let weight = usize::from(weights.of(*node));
                let found = left < weight;
                left = left.saturating_sub(weight);
                found
            })
        }
        // None has weight: those that stand by are equal.
        _ => set.nth(random.below(set.len())),
    }
}
