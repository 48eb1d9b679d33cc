//! `random`: any node, all equally likely; with `sticky` the first choice is kept.

use super::{Filter, Memory, Picked, Verdict, View, usable};
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
    fn apply(&mut self, view: &View, candidates: Candidates, random: &mut dyn Random) -> Verdict {
        let list = candidates.of(view.role);
        if list.is_empty() {
            return Verdict::Refuse("no candidate is left");
        }
        if !self.sticky {
            let Drawn { node, next } = draw(usable(view, list), list, random);
            return Verdict::Pick(Picked { node, next, how: "random" });
        }
        let choice = self.memory.slot(view.role, list);
        let well = list.minus(view.failed);
        let usable = if well.is_empty() { list } else { well };
        let still = |drawn: &Option<Drawn>| drawn.filter(|drawn| usable.contains(drawn.node));
        let (Drawn { node, next }, how) = match still(&choice.first) {
            Some(first) => {
                choice.instead = None;
                (first, "sticky")
            }
            None if choice.first.is_none() => {
                let first = draw(usable, list, random);
                choice.first = Some(first);
                (first, "sticky, first choice")
            }
            None => {
                let instead = still(&choice.instead).unwrap_or_else(|| draw(usable, list, random));
                choice.instead = Some(instead);
                (instead, "sticky, while the first choice is failed")
            }
        };
        Verdict::Pick(Picked { node, next, how })
    }
}

/// Draws the node, and the place where the search goes on if it is dead: without a drawn place, all the load of a dead
/// node would fall on its neighbour.
fn draw(usable: NodeSet, list: NodeSet, random: &mut dyn Random) -> Drawn {
    let pick = |set: NodeSet, random: &mut dyn Random| match set.len() {
        0 | 1 => set.at_or_after(0),
        count => set.nth(random.below(count)),
    };
    let node = pick(usable, random).or_else(|| list.at_or_after(0));
    let Some(node) = node else { unreachable!("the list is not empty") };
    let next = pick(list.without(node), random).map_or(0, NodeId::index);
    Drawn { node, next }
}
