//! The usual decision, short: a plain read of a handle of which there is nothing else to know goes where the last one went.
//!
//! Says exactly what the whole decision would say, or nothing; builds without `release` compare the two for every statement.
//! Knows no rule of its own: what is named here is what the rules in [`crate::route::decide`] look at.

use crate::route::decide::Decision;
use crate::route::{Class, Statement};

use super::Session;
use super::steer::Manner;

impl Session {
    /// Where the statement goes; None if that is not clear at one look.
    #[inline(always)]
    pub(super) fn decide_at_once(&mut self, statement: &Statement, manner: Manner) -> Option<Decision> {
        let router = self.router.as_deref_mut()?;
        let plain = statement.class == Class::Read
            && statement.hint.is_none()
            && statement.needs.user_variables.is_empty()
            && manner == Manner::Pipelined;
        let free = !router.tracker.in_transaction()
            && router.transaction_node.is_none()
            && router.next_transaction.is_none()
            && router.bound.node().is_none()
            && self.carry.autocommit()
            && !self.carry.is_serializable();
        let spread = !router.no_split
            && router.excluded.is_empty()
            && !(router.section.source_on_write && router.used_source)
            && router.section.health.all_well()
            && router.health.all_well()
            && router.section.roles.version() == 0;
        if !(plain && free && spread && router.promise.is_kept_by_all(router.used_source)) {
            return None;
        }
        router.leaves = None;
        router.no_source = false;
        router.promise.demands_nothing();
        router.chain.settled_read()
    }
}
