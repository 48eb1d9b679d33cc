//! Filters: each narrows the candidates or picks one of them. Policies only; they never connect, rewrite or report.
//!
//! What a filter remembers (a sticky choice) belongs to one handle; what handles share hangs on the section. Chance and
//! time are arguments.

mod fastest;
mod least_in_flight;
mod node_groups;
mod random;
mod round_robin;
mod table;
mod user;

use std::borrow::Cow;

use super::candidates::Candidates;
use super::statement::Statement;
use crate::cluster::config::{FilterSpec, Section};
use crate::cluster::topology::{NodeId, NodeSet, Role};
use crate::cluster::user_filter::UserFilters;
use crate::env::Random;

pub use user::{BY_PROGRAM, FilterProblem};

/// What a filter looks at besides the candidates.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The section, with what the handles of the process share.
    pub section: &'a Section,
    /// The kind of node that the statement goes to.
    pub role: Role,
    /// Nodes whose failure is still remembered.
    pub failed: NodeSet,
    /// `failover.remember_failed`: leave failed nodes out. A sticky choice leaves them out in any case.
    pub skip_failed: bool,
    /// The statement.
    pub asked: Option<Asked<'a>>,
    /// Inside a transaction, or autocommit is off.
    pub in_transaction: bool,
    /// The node used last.
    pub last_used: Option<NodeId>,
    /// Milliseconds on the clock of the caller.
    pub now_ms: u64,
}

/// The statement that a node is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Its text.
    pub sql: &'a [u8],
    /// What the classifier found in it.
    pub statement: &'a Statement,
    /// The schema of tables without one; empty if there is none.
    pub schema: &'a [u8],
}

/// Why there is no node, in words.
pub type Refused = Cow<'static, str>;

/// A filter's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Go on with these.
    Narrow(Candidates),
    /// This one.
    Pick(Picked),
    /// None of them.
    Refuse(Refused),
}

/// A node, and where the search goes on if it cannot be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picked {
    /// The node.
    pub node: NodeId,
    /// The number from which further candidates of the same kind are tried, in a cycle.
    pub next: usize,
    /// For the reason: the filter's words.
    pub how: &'static str,
    /// The filter says the same of these candidates again as long as no node is failed.
    pub kept: bool,
}

/// One policy of one handle.
pub trait Filter: std::fmt::Debug + Send {
    /// Judges the candidates.
    fn apply(&mut self, view: &View<'_>, candidates: Candidates, random: &mut dyn Random) -> Verdict;
}

/// A filter with the name that the file gives it.
#[derive(Debug)]
struct Named {
    name: &'static str,
    filter: Box<dyn Filter>,
}

/// The filters of a handle, in the order of the file.
#[derive(Debug)]
pub struct Chain {
    /// Those that narrow.
    narrowing: Vec<Named>,
    /// The one that chooses. The configuration saw to it that there is one.
    choosing: Named,
    /// A function of the program chooses, among both kinds of nodes.
    is_users: bool,
    /// What each filter left, when somebody asked for it.
    trace: Option<Vec<(&'static str, Candidates)>>,
}

impl Chain {
    /// The chain that a section describes. `functions` are the program's own filters.
    ///
    /// Errors: a function of a library that cannot be loaded.
    pub fn new(section: &Section, functions: &'static dyn UserFilters) -> Result<Self, FilterProblem> {
        let mut narrowing = Vec::new();
        let mut choosing = None;
        for spec in &section.filters {
            let filter: Box<dyn Filter> = match spec {
                FilterSpec::NodeGroups(groups) => Box::new(node_groups::NodeGroups::new(groups)),
                FilterSpec::Table(rules) => Box::new(table::Table::new(rules)),
                FilterSpec::User(callback) | FilterSpec::UserMulti(callback) => {
                    Box::new(user::User::new(section, callback, spec.is_single(), functions)?)
                }
                FilterSpec::Random { sticky } => Box::new(random::RandomFilter::new(*sticky)),
                FilterSpec::RoundRobin => Box::new(round_robin::RoundRobin),
                FilterSpec::LeastInFlight => Box::new(least_in_flight::LeastInFlight),
                FilterSpec::Fastest => Box::new(fastest::Fastest),
            };
            let named = Named { name: spec.name(), filter };
            if spec.is_single() {
                choosing.get_or_insert((named, matches!(spec, FilterSpec::User(_))));
            } else {
                narrowing.push(named);
            }
        }
        let (choosing, is_users) = choosing
            .unwrap_or_else(|| (Named { name: "random", filter: Box::new(random::RandomFilter::new(true)) }, false));
        Ok(Chain { narrowing, choosing, is_users, trace: None })
    }

    /// Runs the filters that narrow.
    pub fn narrow(
        &mut self,
        view: &View<'_>,
        mut candidates: Candidates,
        random: &mut dyn Random,
    ) -> Result<Candidates, Refused> {
        for named in &mut self.narrowing {
            match named.filter.apply(view, candidates, random) {
                Verdict::Narrow(narrowed) => candidates = narrowed,
                Verdict::Pick(_) => {}
                Verdict::Refuse(why) => return Err(why),
            }
            if let Some(trace) = &mut self.trace {
                trace.push((named.name, candidates));
            }
        }
        Ok(candidates)
    }

    /// Lets the last filter choose.
    pub fn choose(
        &mut self,
        view: &View<'_>,
        candidates: Candidates,
        random: &mut dyn Random,
    ) -> Result<Picked, Refused> {
        match self.choosing.filter.apply(view, candidates, random) {
            Verdict::Pick(picked) => Ok(picked),
            Verdict::Refuse(why) => Err(why),
            Verdict::Narrow(_) => Err("nothing selected by the last filter".into()),
        }
    }

    /// Whether a function of the program chooses: it is offered both kinds of nodes, and there is no failover from what
    /// it chose.
    pub fn is_users(&self) -> bool {
        self.is_users
    }

    /// A filter narrows what the one that chooses is offered.
    pub fn narrows(&self) -> bool {
        !self.narrowing.is_empty()
    }

    /// From now on [`Chain::trace`] tells what each filter left.
    pub fn start_trace(&mut self) {
        self.trace = Some(Vec::new());
    }

    /// Name and candidates after each filter that narrowed, since [`Chain::start_trace`]; then the name of the one that
    /// chooses.
    pub fn trace(&self) -> (&[(&'static str, Candidates)], &'static str) {
        (self.trace.as_deref().unwrap_or_default(), self.choosing.name)
    }
}

/// The nodes among which a single filter chooses: of those that are well, or of all if none is, the most preferred.
fn usable(view: &View<'_>, list: NodeSet, skip_failed: bool) -> NodeSet {
    let tiers = view.section.tiers(list);
    let first = |failed: NodeSet| tiers.iter().map(|tier| tier.minus(failed)).find(|tier| !tier.is_empty());
    let well = if skip_failed { first(view.failed) } else { None };
    well.or_else(|| first(NodeSet::EMPTY)).unwrap_or_default()
}

/// What every single filter says to an empty list.
const NOTHING_LEFT: Verdict = Verdict::Refuse(Cow::Borrowed("no candidate is left"));

/// What a filter remembers for each list of candidates: another list (another group, say) has another memory.
#[derive(Debug)]
struct Memory<T> {
    slots: Vec<((Role, NodeSet), T)>,
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Memory { slots: Vec::new() }
    }
}

impl<T: Default> Memory<T> {
    /// More lists than a program uses; the oldest is forgotten.
    const LISTS: usize = 16;

    fn slot(&mut self, role: Role, list: NodeSet) -> &mut T {
        let key = (role, list);
        let index = match self.slots.iter().position(|(known, _)| *known == key) {
            Some(index) => index,
            None => {
                if self.slots.len() == Self::LISTS {
                    self.slots.remove(0);
                }
                self.slots.push((key, T::default()));
                self.slots.len() - 1
            }
        };
        &mut self.slots[index].1
    }
}

#[cfg(test)]
mod tests;
