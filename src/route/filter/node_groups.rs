//! `node_groups`: a comment in front of the statement that is the name of a group leaves the nodes of that group.

use super::{Filter, Verdict, View};
use crate::cluster::config::NodeGroup;
use crate::env::Random;
use crate::route::candidates::Candidates;
use crate::route::hint;

/// Compares byte by byte, blanks included. Of several comments that name a group the last one counts, as with hints;
/// without one all nodes stay.
#[derive(Debug)]
pub struct NodeGroups {
    groups: Vec<NodeGroup>,
}

impl NodeGroups {
    /// For these groups.
    pub fn new(groups: &[NodeGroup]) -> Self {
        NodeGroups { groups: groups.to_vec() }
    }
}

impl Filter for NodeGroups {
    fn apply(&mut self, view: &View<'_>, candidates: Candidates, _random: &mut dyn Random) -> Verdict {
        // Nearly every statement begins with its first word.
        if view.asked.is_none_or(|asked| asked.sql.first().is_some_and(u8::is_ascii_alphabetic)) {
            return Verdict::Narrow(candidates);
        }
        let named = |comment: &[u8]| self.groups.iter().find(|group| group.name.as_bytes() == comment);
        let comments = view.asked.map(|asked| hint::comments(asked.sql)).into_iter().flatten();
        Verdict::Narrow(match comments.filter_map(named).last() {
            Some(group) => candidates.and(group.nodes),
            None => candidates,
        })
    }
}
