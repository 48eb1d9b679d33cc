//! The prelude rule: a node gets the session state that it lacks ahead of the statement; pipelined in front of a proven
//! read, awaited in front of anything else. And what is done with a node that refuses it.

use crate::cluster::topology::{NodeId, Role};
use crate::conn::{Command, Head};
use crate::error::{Error, Origin, Sent};
use crate::log;
use crate::route::{Class, Effect, Statement};

use super::Session;
use super::carry::{Part, Step};
use super::question::Behind;
use super::routed::Router;
use super::steer::Manner;

impl Session {
    /// Opens the node if need be, and sends it the session state that it lacks (the prelude rule): ahead of a proven
    /// read in one packet; ahead of anything else, and where the node takes no two commands at a time, its reply is awaited
    /// first.
    pub(super) async fn make_ready(
        &mut self,
        index: usize,
        statement: &Statement,
        manner: Manner,
    ) -> Result<(), Error> {
        (self.injected, self.question) = (None, None);
        if self.carry.is_spoilt(&self.nodes[index].versions)
            && let Some(connection) = self.nodes[index].take()
        {
            connection.quit();
        }
        if self.nodes[index].connection().is_none() {
            self.open_node(index).await?;
        }
        if let Some(left) = self.router.as_deref_mut().and_then(|router| router.leaves.take()) {
            self.leave(left).await;
        }
        if changes_tracking(statement) {
            self.show_tracking(index).await?;
        }
        if self.carry.is_current(&self.nodes[index].versions) {
            return Ok(());
        }
        if !(manner == Manner::Pipelined && statement.class == Class::Read && self.nodes[index].pipelines) {
            return self.bring_up_to_date(index).await;
        }
        let steps = self.missing(index);
        let node = &mut self.nodes[index];
        if let Some(connection) = node.connection_mut() {
            for step in &steps {
                connection.queue(step.command, &[&step.argument]);
            }
            self.prelude_replies = steps.len();
            self.carry.caught_up(&mut node.versions);
        }
        if let Some(router) = self.router.as_deref_mut() {
            router.prelude = steps.iter().map(|step| step.part).collect();
        }
        Ok(())
    }

    /// In front of `SET session_track_system_variables = ...`: the variable says what the program would find without us, since
    /// programs append to it. Afterwards ours is switched on again ([`Session::observe_routed`]).
    #[cold]
    async fn show_tracking(&mut self, index: usize) -> Result<(), Error> {
        let Some(statement) = self.router.as_deref().and_then(|router| router.shown.setting()) else { return Ok(()) };
        let family = self.options.family;
        let Some(connection) = self.nodes[index].connection_mut() else { return Err(Error::gone(family)) };
        connection.send(Command::Query, &[&statement]).await?;
        match connection.read_head().await {
            Err(error) if error.origin != Origin::Server => Err(error.sent(Sent::No)),
            _ => Ok(()),
        }
    }

    /// Sends the state that a connection lacks and waits for each reply.
    ///
    /// Errors: the server's for a state that it refuses, with nothing of the statement sent; the connection is closed,
    /// since its state is not known any more.
    pub(super) async fn bring_up_to_date(&mut self, index: usize) -> Result<(), Error> {
        let steps = self.missing(index);
        let family = self.options.family;
        let mut failure = None;
        for step in &steps {
            let Some(connection) = self.nodes[index].connection_mut() else { return Err(Error::gone(family)) };
            let reply = match connection.send(step.command, &[&step.argument]).await {
                Ok(()) => connection.read_head().await,
                Err(error) => Err(error),
            };
            match reply {
                Ok(Head::Ok(_)) => {}
                Ok(_) => failure = Some(Error::malformed(family)),
                Err(error) => failure = Some(error),
            }
            if let Some(error) = &failure {
                if error.origin == Origin::Server
                    && let Some(router) = self.router.as_deref_mut()
                {
                    router.refused = Some(step.part);
                }
                break;
            }
        }
        match failure {
            None => {
                self.carry.caught_up(&mut self.nodes[index].versions);
                Ok(())
            }
            Some(error) => {
                self.remember_silence(index, &error);
                if let Some(connection) = self.nodes[index].take() {
                    connection.quit();
                }
                Err(error.sent(Sent::No))
            }
        }
    }

    /// Reads the replies to a pipelined prelude. If one failed, the statement's own reply is read and thrown away, and
    /// the connection is closed: the error is the prelude's, and the statement, a read, may be sent elsewhere.
    pub(super) async fn read_prelude_replies(&mut self) -> Result<(), Error> {
        let (injected, question) = (self.injected.take(), self.question.take());
        let ahead = usize::from(injected.is_some()) + usize::from(question.is_some());
        let count = std::mem::take(&mut self.prelude_replies) - ahead;
        let family = self.options.family;
        if let Some(question) = question {
            self.limit_answer(question);
        }
        let mut failure: Option<Error> = None;
        let mut refused = None;
        for index in 0..count {
            let part = self.router.as_deref().and_then(|router| router.prelude.get(index).copied());
            let connection = self.current()?;
            let head = match part {
                Some(Part::MultiStatements) => connection.read_head_of_option().await,
                _ => connection.read_head().await,
            };
            match head {
                Ok(Head::Ok(_)) => {}
                Ok(_) => return Err(self.fail_prelude(Error::malformed(family), None)),
                Err(error) => {
                    let fatal = self.current()?.is_broken();
                    if failure.is_none() && error.origin == Origin::Server {
                        refused = part;
                    }
                    failure.get_or_insert(error);
                    if fatal {
                        break;
                    }
                }
            }
        }
        if failure.is_none()
            && let Some(injected) = injected
            && self.read_injected(injected).await.is_err()
            && self.current()?.is_broken()
        {
            // Nothing is known of the statement behind it, which has been sent.
            self.failed();
            return Err(Error::lost(family).sent(Sent::Yes));
        }
        match (failure, question) {
            (None, None) => Ok(()),
            (None, Some(question)) => self.read_answer(question, Behind::Read).await,
            (Some(error), _) => Err(self.fail_prelude(error, refused)),
        }
    }

    pub(super) fn fail_prelude(&mut self, error: Error, refused: Option<Part>) -> Error {
        if self.current().is_ok_and(|connection| connection.broke_off()) {
            // The read behind it may have run: it is not sent to a source.
            self.failed();
            return error;
        }
        if let Some(at) = self.at {
            self.remember_silence(at, &error);
            if let Some(connection) = self.nodes[at].take() {
                connection.quit();
            }
        }
        self.failed();
        let is_replica = |router: &Router| {
            self.at.and_then(NodeId::new).is_some_and(|node| router.section.role_of(node) == Role::Replica)
        };
        let on_replica = self.router.as_deref().is_some_and(is_replica);
        self.again = on_replica.then_some(Manner::OnSource);
        if on_replica
            && refused.is_some_and(|part| part != Part::Schema)
            && let Some(at) = self.at
            && self.exclude(at, &error)
        {
            // Another replica may take the state.
            self.again = Some(Manner::Awaited);
        }
        error.sent(Sent::No)
    }

    /// What a node lacks of the record. A replica whose reads are no part of a transaction is not told of autocommit.
    fn missing(&self, index: usize) -> Vec<Step> {
        self.carry.missing(&self.nodes[index].versions, !self.reads_are_detached(index))
    }

    /// Takes a node out for this handle, until its state is another one: it refused that. False for a source, which is
    /// what decides.
    pub(super) fn exclude(&mut self, index: usize, error: &Error) -> bool {
        let changes = self.carry.changes();
        let Some(router) = self.router.as_deref_mut() else { return false };
        let Some(node) = NodeId::new(index).filter(|node| router.section.role_of(*node) == Role::Replica) else {
            return false;
        };
        router.excluded = router.excluded.with(node);
        router.excluded_at = changes;
        let text =
            format!("node {} is not used by this handle any more: it refuses its state: {error}", router.label(index));
        log::get().message(log::Level::Warning, router.handle_number, &text);
        true
    }

    /// Ends a READ ONLY transaction on a replica, because one begins that belongs elsewhere: on one server BEGIN would have
    /// ended it. A connection that does not answer is closed, which ends it too.
    async fn leave(&mut self, index: usize) {
        let node = &mut self.nodes[index];
        let Some(connection) = node.connection_mut() else { return };
        let answer = match connection.send(Command::Query, &[b"COMMIT"]).await {
            Ok(()) => connection.read_head().await,
            Err(error) => Err(error),
        };
        if !matches!(answer, Ok(Head::Ok(_)))
            && let Some(connection) = node.take()
        {
            connection.quit();
        }
        if let Some(router) = self.router.as_deref_mut() {
            router.forget_transaction();
        }
    }
}

/// The statement sets the list of variables that are tracked. Its text says no more than that it is a SET: the effects are
/// compared by length first, which no other statement pays for.
pub(super) fn changes_tracking(statement: &Statement) -> bool {
    const LENGTH: u32 = b"session_track_system_variables".len() as u32;
    statement.class == Class::Session
        && statement.effects.iter().any(|effect| {
            matches!(effect, Effect::SetSessionVariable { name, .. }
                if (LENGTH..=LENGTH + 2).contains(&(name.end - name.start)))
        })
}

/// A server that does not have (or not yet, or not for this account) what the session's state names: schema, character
/// set, collation.
pub(super) fn refuses_state(error: &Error) -> bool {
    const BAD_DB: u32 = 1049;
    const DB_ACCESS_DENIED: u32 = 1044;
    const UNKNOWN_CHARACTER_SET: u32 = 1115;
    const UNKNOWN_COLLATION: u32 = 1273;
    error.origin == Origin::Server
        && matches!(error.code, BAD_DB | DB_ACCESS_DENIED | UNKNOWN_CHARACTER_SET | UNKNOWN_COLLATION)
}
