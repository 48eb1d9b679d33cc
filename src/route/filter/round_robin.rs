//! `roundrobin`: one node after the other, in the order of the file, or by smooth weighted turns.

use super::{Filter, NOTHING_LEFT, Picked, Verdict, View, usable};
use crate::env::Random;
use crate::route::candidates::Candidates;

/// Starts with the first node of each list, as in the plugin; the position belongs to all handles of the process, so that
/// programs with one statement per handle take turns, too.
#[derive(Debug)]
pub struct RoundRobin;

impl Filter for RoundRobin {
    fn apply(&mut self, view: &View<'_>, candidates: Candidates, _random: &mut dyn Random) -> Verdict {
        let list = candidates.of(view.role);
        let usable = usable(view, list, view.skip_failed);
        let balance = &view.section.balance;
        let weighted = view.section.weights.as_ref().and_then(|weights| balance.next_weighted(usable, weights));
        let (node, how) = match weighted {
            Some(node) => (Some(node), "round robin by weight"),
            None => (balance.next(view.role, list, usable), "round robin"),
        };
        match node {
            Some(node) => Verdict::Pick(Picked { node, next: node.index() + 1, how, kept: false }),
            None => NOTHING_LEFT,
        }
    }
}
