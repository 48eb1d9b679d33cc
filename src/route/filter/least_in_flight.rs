//! `least_in_flight`: the node with fewest statements of this process that it has not answered to the end.

use super::{Filter, NOTHING_LEFT, Picked, Verdict, View, usable};
use crate::cluster::topology::NodeId;
use crate::env::Random;
use crate::route::candidates::Candidates;

/// Of several equal ones a random one: an idle process would otherwise always use the first.
#[derive(Debug)]
pub struct LeastInFlight;

impl Filter for LeastInFlight {
    fn apply(&mut self, view: &View<'_>, candidates: Candidates, random: &mut dyn Random) -> Verdict {
        let usable = usable(view, candidates.of(view.role), view.skip_failed);
        let balance = &view.section.balance;
        let mut least: Option<(u32, NodeId)> = None;
        let mut equal = 0;
        for node in usable.iter() {
            let count = balance.in_flight(node);
            match least {
                Some((fewest, _)) if count > fewest => {}
                Some((fewest, _)) if count == fewest => {
                    // The n-th of n equal ones takes the place with a chance of one in n.
                    equal += 1;
                    if random.below(equal) == 0 {
                        least = Some((count, node));
                    }
                }
                _ => {
                    least = Some((count, node));
                    equal = 1;
                }
            }
        }
        match least {
            Some((_, node)) => {
                Verdict::Pick(Picked { node, next: node.index() + 1, how: "least in flight", kept: false })
            }
            None => NOTHING_LEFT,
        }
    }
}
