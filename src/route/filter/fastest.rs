//! `fastest`: of two nodes drawn at random the one whose answers come sooner.
//!
//! Two random choices keep the load spread where the single fastest would draw all of it; statements on their way count as
//! if each took the average. A node that has not answered for a while counts as quick again, so that it gets a chance.

use super::{Filter, NOTHING_LEFT, Picked, Verdict, View, usable};
use crate::cluster::topology::NodeId;
use crate::env::Random;
use crate::route::candidates::Candidates;

/// See the module's text.
#[derive(Debug)]
pub struct Fastest;

impl Filter for Fastest {
    fn apply(&mut self, view: &View<'_>, candidates: Candidates, random: &mut dyn Random) -> Verdict {
        let usable = usable(view, candidates.of(view.role), view.skip_failed);
        let (Some(one), how) = (usable.nth(random.below(usable.len())), "fastest of two") else {
            return NOTHING_LEFT;
        };
        let others = usable.without(one);
        let other = others.nth(random.below(others.len()));
        let balance = &view.section.balance;
        let cost =
            |node: NodeId| u64::from(balance.latency_us(node, view.now_ms)) * (u64::from(balance.in_flight(node)) + 1);
        let node = other.filter(|other| cost(*other) < cost(one)).unwrap_or(one);
        Verdict::Pick(Picked { node, next: node.index() + 1, how, kept: false })
    }
}
