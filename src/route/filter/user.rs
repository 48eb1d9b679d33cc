//! `user` and `user_multi`: a function of the program chooses, or narrows.
//!
//! The function sees the nodes that are left, sources first; its number is checked. A wrong one, or a function that is not
//! there, is an error of the statement; the next one asks again.

use std::ffi::CString;
use std::sync::Arc;

use super::{Filter, Picked, Refused, Verdict, View};
use crate::cluster::config::{Callback, Section};
use crate::cluster::topology::{Node, NodeId, NodeSet, Role};
use crate::cluster::user_filter::{Offer, Question, UserFilter, UserFilters};
use crate::env::Random;
use crate::route::candidates::Candidates;

/// Why a chain cannot be made, in words.
pub type FilterProblem = String;

/// See the module's text.
#[derive(Debug)]
pub struct User {
    section: CString,
    /// One for each node of the section.
    offers: Vec<Offer>,
    function: Function,
    is_single: bool,
}

#[derive(Debug)]
enum Function {
    /// Looked up each time: the program may register another one, or none.
    Named(String, &'static dyn UserFilters),
    Loaded(Arc<dyn UserFilter>),
}

fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

impl User {
    /// For the nodes of this section. Errors: the library cannot be loaded.
    pub fn new(
        section: &Section,
        callback: &Callback,
        is_single: bool,
        functions: &'static dyn UserFilters,
    ) -> Result<Self, FilterProblem> {
        let function = match callback {
            Callback::Named(name) => Function::Named(name.clone(), functions),
            Callback::InLibrary { library, symbol } => Function::Loaded(functions.load(library, symbol)?),
        };
        let offer = |node: &Node| Offer {
            name: c_text(&node.name),
            uri: c_text(&node.uri()),
            is_replica: node.role == Role::Replica,
        };
        let offers = section.nodes.iter().map(offer).collect();
        Ok(User { section: c_text(&section.name), offers, function, is_single })
    }

    /// The nodes in the order in which they are offered, and what the function says to them.
    fn ask(&self, view: &View<'_>, candidates: Candidates) -> Result<(Vec<NodeId>, Vec<u8>, i32), Refused> {
        let nodes: Vec<NodeId> = candidates.sources.iter().chain(candidates.replicas.iter()).collect();
        let offers: Vec<&Offer> = nodes.iter().filter_map(|node| self.offers.get(node.index())).collect();
        let last_used = view.last_used.and_then(|last| nodes.iter().position(|node| *node == last));
        let asked = view.asked.as_ref();
        let question = Question {
            section: &self.section,
            sql: asked.map_or(&[], |asked| asked.sql),
            offers: &offers,
            sources: candidates.sources.len(),
            last_used,
            in_transaction: view.in_transaction,
            is_read: view.role == Role::Replica,
        };
        let mut selected = vec![0; offers.len()];
        let answer = match &self.function {
            Function::Loaded(function) => function.ask(&question, &mut selected),
            Function::Named(name, functions) => match functions.named(name) {
                Some(function) => function.ask(&question, &mut selected),
                None => return Err(format!("the program has registered no filter {name:?}").into()),
            },
        }?;
        Ok((nodes, selected, answer))
    }
}

/// The filter's words, by which others see that the program chose.
pub const BY_PROGRAM: &str = "chosen by the program";

impl Filter for User {
    fn apply(&mut self, view: &View<'_>, candidates: Candidates, _random: &mut dyn Random) -> Verdict {
        let (nodes, selected, answer) = match self.ask(view, candidates) {
            Ok(answered) => answered,
            Err(why) => return Verdict::Refuse(why),
        };
        if self.is_single {
            let node = usize::try_from(answer).ok().and_then(|index| nodes.get(index));
            return match node {
                Some(node) => Verdict::Pick(Picked { node: *node, next: 0, how: BY_PROGRAM, kept: false }),
                None => Verdict::Refuse(
                    format!("the program's filter returned {answer} for a choice among {} nodes", nodes.len()).into(),
                ),
            };
        }
        if answer != 0 {
            return Verdict::Refuse(format!("the program's filter failed: it returned {answer}").into());
        }
        let kept: NodeSet =
            nodes.iter().zip(&selected).filter(|(_, kept)| **kept != 0).map(|(node, _)| *node).collect();
        Verdict::Narrow(candidates.and(kept))
    }
}
