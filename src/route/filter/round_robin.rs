//! `roundrobin`: one node after the other, in the order of the file.

use super::{Filter, Memory, Picked, Verdict, View, usable};
use crate::env::Random;
use crate::route::candidates::Candidates;

/// Starts with the first node of each list, as in the plugin; the position belongs to the handle.
#[derive(Debug, Default)]
pub struct RoundRobinFilter {
    /// The number from which the next node is looked for.
    memory: Memory<usize>,
}

impl Filter for RoundRobinFilter {
    fn apply(&mut self, view: &View, candidates: Candidates, _random: &mut dyn Random) -> Verdict {
        let list = candidates.of(view.role);
        let position = self.memory.slot(view.role, list);
        match usable(view, list).at_or_after(*position) {
            Some(node) => {
                *position = node.index() + 1;
                Verdict::Pick(Picked { node, next: node.index() + 1, how: "round robin" })
            }
            None => Verdict::Refuse("no candidate is left"),
        }
    }
}
