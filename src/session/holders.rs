//! Who has what reads are promised to see, while no node takes writes: between the end of one source and the beginning of
//! the next the node that was the source may be behind, and must not decide what is lost.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use crate::cluster::gtid::Position;
use crate::cluster::topology::NodeId;
use crate::conn::Server;
use crate::error::Error;

use super::Session;
use super::discover::Search;
use super::executed;
use super::probe::Answer;
use super::promise::Doubt;
use super::routed::Router;
use super::steer::Manner;

/// What one node has: its number, its position, and whether that holds all of the handle's.
type Holder = (usize, Position, bool);

impl Session {
    /// A source lacks what was written, or says that it is none: who is to answer the read instead.
    ///
    /// Errors: 2006 if no node takes writes within `wait_for_primary_ms`, and none is known to have it.
    #[cold]
    pub(super) async fn find_better_source(&mut self) -> Result<Manner, Error> {
        if self.learn_roles(None).await {
            return Ok(self.roles_are_known());
        }
        if self.find_holders().await {
            return Ok(Manner::Awaited);
        }
        if self.look_for_source(&mut Search::of_asked(), None, None).await {
            return Ok(self.roles_are_known());
        }
        Err(Error::gone(self.options.family))
    }

    fn roles_are_known(&mut self) -> Manner {
        if let Some(router) = self.router.as_deref_mut() {
            router.promise.asked_roles = router.promise.version;
        }
        Manner::OnSource
    }

    /// Asks all nodes, in one round trip, what they have executed. True if one has all that was written, and no less than any
    /// other.
    async fn find_holders(&mut self) -> bool {
        let Some(section) = self.router.as_deref().map(|router| Arc::clone(&router.section)) else { return false };
        let questions = |server: &Server| -> Vec<Cow<'static, str>> {
            vec![if server.is_mariadb { executed::OF_MARIADB } else { executed::OF_MYSQL }.into()]
        };
        let limit = section.recovery.probe.max(Duration::from_millis(1));
        let answers = self.probe(section.discovered(), &questions, limit).await;
        let Some(router) = self.router.as_deref_mut() else { return false };
        let mut holders: Vec<Holder> = Vec::new();
        for (node, answer) in answers {
            let Answer::Told(mut tables) = answer else { continue };
            let Some(Some(table)) = tables.first_mut() else { continue };
            let mariadb = self.nodes[node.index()].connection().is_some_and(|open| open.server().is_mariadb);
            let (executed, all) = (table.first(0).unwrap_or_default(), table.first(1).unwrap_or_default());
            if let Ok(executed) = Position::parse(&executed, mariadb) {
                let has_all = router.holds_position(&executed, &all);
                holders.push((node.index(), executed, has_all));
            }
        }
        router.learn_holders(&holders)
    }
}

impl Router {
    /// Takes over which nodes have everything.
    fn learn_holders(&mut self, holders: &[Holder]) -> bool {
        let furthest =
            |(_, executed, has_all): &&Holder| *has_all && holders.iter().all(|(_, others, _)| executed.covers(others));
        let Some((_, executed, _)) = holders.iter().find(furthest) else { return false };
        if self.promise.doubt == Doubt::MayBeMore {
            // What it may be is no more than anybody has.
            self.promise.require(executed);
        }
        self.promise.doubt = Doubt::None;
        let version = self.promise.version;
        for (node, position, has_all) in holders {
            if *has_all
                && position.covers(executed)
                && let (Some(id), Some(peer)) = (NodeId::new(*node), self.promise.peers.get_mut(*node))
            {
                peer.has = version;
                self.section.progress.reached(id, &peer.identity, position);
            }
        }
        true
    }
}
