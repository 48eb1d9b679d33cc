//! A handle takes a new configuration, between its transactions; and what it tells the process of its statements.
//!
//! A look costs a load and a comparison per statement, and no lock. Connections to nodes that are the same server by the
//! same account are kept, the others closed; the record of the session's state stays, so that new nodes get it. What
//! cannot be used leaves the old configuration in force, and says so in the log.

use std::sync::Arc;

use crate::cluster::config::Snapshot;
use crate::cluster::health::Health;
use crate::cluster::topology::{NodeSet, NodeState};
use crate::env::{Clock, SystemClock};
use crate::log;

use super::Session;
use super::nodes::Node;
use super::phase::Phase;
use super::routed::{make_chain, measures, section_of, tell_problems};
use super::tally::Pooled;

impl Session {
    /// In front of every statement of a routed handle: a newer configuration is taken, unless something of the handle is
    /// open.
    pub(super) fn follow_configuration(&mut self) {
        let Some(router) = self.router.as_deref_mut() else { return };
        router.now = SystemClock.now();
        if router.origin.store.may_have_changed(&router.snapshot, router.now) {
            self.look_for_configuration();
        }
        if let Some(router) = self.router.as_deref()
            && router.section.board.is_due(router.now)
        {
            router.section.board.exchange(&router.section, router.now);
        }
    }

    #[cold]
    fn look_for_configuration(&mut self) {
        let Some(router) = self.router.as_deref() else { return };
        let open = router.tracker.in_transaction()
            || router.bound.node().is_some()
            || router.next_transaction.is_some()
            || router.lost.is_some()
            || router.transaction_node.is_some()
            || self.phase != Phase::Ready
            || self.more_results();
        if open {
            return;
        }
        let snapshot = router.origin.store.current(router.now);
        if Arc::ptr_eq(&snapshot, &router.snapshot) {
            return;
        }
        tell_problems(&snapshot);
        if let Err(why) = self.take_configuration(&snapshot)
            && let Some(router) = self.router.as_deref()
        {
            let text = format!("the old configuration stays in force for this handle: {why}");
            log::get().message(log::Level::Warning, router.handle_number, &text);
        }
        if let Some(router) = self.router.as_deref_mut() {
            // Also when it could not be taken: what is wrong was said, the next change is looked at again.
            router.snapshot = snapshot;
        }
    }

    /// Goes over to the section that the handle's connect call would find now.
    fn take_configuration(&mut self, snapshot: &Snapshot) -> Result<(), String> {
        let Some(router) = self.router.as_deref() else { return Ok(()) };
        let Some(section) = section_of(&self.args, snapshot) else {
            return Err(format!("it has no section for what was the section {}", router.section.name));
        };
        if Arc::ptr_eq(&section, &router.section) {
            return Ok(());
        }
        if let Some(problem) = &section.refused {
            return Err(problem.to_string());
        }
        let chain = make_chain(&section, router.origin.functions).map_err(|error| error.to_string())?;
        let mut nodes: Vec<Node> =
            section.nodes.iter().map(|node| self.node_of(node, &self.args, &router.origin.environment)).collect();
        let off: Vec<bool> = section.nodes.iter().map(|node| node.state == NodeState::Off).collect();
        let now_at = self.move_connections(&mut nodes, &off);
        self.nodes = nodes;
        self.numbering = self.numbering.wrapping_add(1);
        self.at = self.at.and_then(&now_at);
        if let Some(router) = self.router.as_deref_mut() {
            router.last_write = router.last_write.and_then(&now_at);
            // Its words are told with the names of the section's nodes.
            router.decision = None;
            router.excluded = NodeSet::EMPTY;
            router.health = Health::new(section.nodes.len());
            router.promise.follow(&section.consistency, section.nodes.len(), &now_at);
            router.chain = chain;
            router.measures = measures(&section);
            if router.classify.hint_word != section.hints.word {
                router.classify.hint_word.clone_from(&section.hints.word);
                router.cache.clear();
            }
            router.pooled = Pooled::of(&section);
            router.section = section;
            let text = format!("goes by the changed configuration of section {}", router.section.name);
            log::get().message(log::Level::Decision, router.handle_number, &text);
        }
        Ok(())
    }

    /// Moves open connections to nodes that are the same, unless those are off; closes the others. Where a node of before
    /// is now.
    fn move_connections(&mut self, nodes: &mut [Node], off: &[bool]) -> impl Fn(usize) -> Option<usize> + use<> {
        let mut moved: Vec<Option<usize>> = Vec::with_capacity(self.nodes.len());
        let mut free: Vec<bool> = off.iter().map(|off| !off).collect();
        for old in &mut self.nodes {
            let place = nodes.iter().zip(&free).position(|(new, free)| *free && new.is_same(old));
            moved.push(place);
            match place {
                Some(place) => {
                    free[place] = false;
                    nodes[place].take_over(old);
                }
                None => {
                    if let Some(connection) = old.take() {
                        connection.quit();
                    }
                }
            }
        }
        move |index| moved.get(index).copied().flatten()
    }

    /// The first of a reply came.
    #[inline]
    pub(super) fn note_answered(&mut self) {
        if let Some(ticket) = self.router.as_deref_mut().and_then(|router| router.in_flight.as_mut()) {
            ticket.answered(|| SystemClock.now());
        }
    }

    /// The program decides when the reply is read: the time until then says nothing of the node.
    pub(super) fn forget_time(&mut self) {
        if let Some(ticket) = self.router.as_deref_mut().and_then(|router| router.in_flight.as_mut()) {
            ticket.forget_time();
        }
    }
}
