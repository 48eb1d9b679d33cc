//! The nodes that a statement may still go to: ordered sets of node ids, sources and replicas.
//!
//! Filters narrow it. Plain numbers: copying and narrowing cost a few instructions and no memory.

use crate::cluster::topology::{NodeSet, Role};

/// What is left of a section's nodes. The order is that of the numbers: the order of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// Nodes that take writes.
    pub sources: NodeSet,
    /// Nodes that take reads.
    pub replicas: NodeSet,
}

impl Candidates {
    /// The nodes of one kind.
    pub fn of(&self, role: Role) -> NodeSet {
        match role {
            Role::Source => self.sources,
            Role::Replica => self.replicas,
        }
    }

    /// Those that are in a set.
    pub fn and(&self, nodes: NodeSet) -> Candidates {
        Candidates { sources: self.sources.and(nodes), replicas: self.replicas.and(nodes) }
    }
}
