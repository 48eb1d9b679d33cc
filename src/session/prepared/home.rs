//! Where a statement's cursor and long data are, also after a changed configuration gave the nodes other numbers.
//!
//! Connections are known by their eras; nothing is sent from here.

use crate::cluster::topology::NodeId;
use crate::error::{Error, Sent};
use crate::session::Session;
use crate::session::nodes::Node;

use super::{Instance, Prepared};

impl Session {
    /// After the nodes got other numbers: connections are known by their eras. What was on one that is closed is lost.
    #[inline]
    pub(in crate::session) fn renumber(&self, prepared: &mut Prepared) {
        if prepared.numbering != self.numbering {
            self.renumber_for_sure(prepared);
        }
    }

    #[cold]
    fn renumber_for_sure(&self, prepared: &mut Prepared) {
        let home = prepared.home.and_then(|home| prepared.instances.iter().find(|instance| instance.node == home));
        let home = home.map(|instance| instance.era);
        let place = |era: u64| self.nodes.iter().position(|node| node.era() == Some(era));
        prepared.instances.retain_mut(|instance| match place(instance.era) {
            Some(node) => {
                instance.node = node;
                true
            }
            None => false,
        });
        prepared.home = home.and_then(place);
        if let (Some(decision), Some(node)) = (&mut prepared.committed, prepared.home.and_then(NodeId::new)) {
            decision.node = node;
        }
        prepared.numbering = self.numbering;
    }

    /// Goes to the node where the statement's cursor or state is.
    pub(super) fn at_home(&mut self, prepared: &Prepared) -> Result<Instance, Error> {
        if prepared.numbering != self.numbering {
            return self.at_home_by_era(prepared);
        }
        let node = prepared.home.unwrap_or(0);
        let era = self.nodes.get(node).and_then(Node::era);
        let mut instance = prepared.on(node, era);
        if self.router.is_none() {
            instance = instance.or(prepared.unprepared());
        }
        let instance = instance.ok_or_else(|| Error::lost(self.options.family).sent(Sent::No))?;
        self.at = Some(node);
        Ok(instance)
    }

    /// The same before the statement has learned of the nodes' new numbers.
    #[cold]
    fn at_home_by_era(&mut self, prepared: &Prepared) -> Result<Instance, Error> {
        let found = prepared.instances.iter().find(|instance| Some(instance.node) == prepared.home).copied();
        let node = found.and_then(|found| self.nodes.iter().position(|node| node.era() == Some(found.era)));
        match (found, node) {
            (Some(instance), Some(node)) => {
                self.at = Some(node);
                Ok(Instance { node, ..instance })
            }
            _ => Err(Error::lost(self.options.family).sent(Sent::No)),
        }
    }
}
