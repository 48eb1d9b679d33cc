//! Finding the source when the file's is none any more: asking all nodes what they are, for all handles of the process, and
//! waiting for a source where the configuration allows that.
//!
//! What the answers mean is judged in [`crate::cluster::roles`]. Only outside of transactions; a statement that has a node
//! that takes it comes nowhere near this file.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::cluster::config::{Discover, Section};
use crate::cluster::roles::{Said, judge, judge_galera};
use crate::cluster::topology::{NodeId, NodeSet};
use crate::conn::Server;
use crate::conn::driver::pause;
use crate::env::{Clock, SystemClock};
use crate::error::{Error, Origin};
use crate::log;

use super::Session;
use super::membership::{questions_of_galera, questions_of_group, said_by_member, said_by_node};
use super::probe::{Answer, Questions, Table};

/// Between two looks for a source, by one statement and by all of the process.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Answers that are not older are good for every handle.
const FRESH: Duration = Duration::from_millis(20);
/// Between two looks for nodes that did not say what they are.
const MISSING_EVERY: Duration = Duration::from_secs(5);
/// Between two looks at nodes that leave without a word ([`Discover::follows_states`]), by all of the host.
const STATES_EVERY: Duration = Duration::from_secs(1);

/// Statements of this process that wait for a source.
static WAITING: AtomicU32 = AtomicU32::new(0);

/// One of them.
#[derive(Debug)]
struct Ticket;

impl Ticket {
    /// None if so many wait already.
    fn take(most: u32) -> Option<Ticket> {
        let one_more = |waiting: u32| (waiting < most).then_some(waiting + 1);
        WAITING.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more).ok().map(|_| Ticket)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        WAITING.fetch_sub(1, Ordering::AcqRel);
    }
}

/// How one statement's search for a source goes.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// Sources that did not take it since the last look.
    tried: NodeSet,
    asked: bool,
    /// When it began to wait.
    since: Option<Duration>,
    ticket: Option<Ticket>,
    /// How often it was sent to a server that refused it because it is read only.
    refusals: u32,
}

/// What a server is asked.
fn questions(server: &Server) -> Vec<Cow<'static, str>> {
    // From some value on InnoDB only reads.
    let own = if server.is_mariadb {
        "SELECT @@GLOBAL.read_only,@@GLOBAL.innodb_read_only,@@GLOBAL.innodb_force_recovery>4"
    } else {
        "SELECT @@GLOBAL.read_only,@@GLOBAL.innodb_read_only,@@GLOBAL.innodb_force_recovery>3"
    };
    vec![own.into(), replication_status(server).into()]
}

/// How a server shows what it replicates.
pub(super) fn replication_status(server: &Server) -> &'static str {
    if server.is_mariadb {
        "SHOW ALL SLAVES STATUS"
    } else if server.version.starts_with(b"5.") || server.version.starts_with(b"8.0.") {
        "SHOW SLAVE STATUS"
    } else {
        "SHOW REPLICA STATUS"
    }
}

/// A variable that is on, as MySQL and every MariaDB show it.
fn is_on(value: &[u8]) -> bool {
    value != b"0" && !value.eq_ignore_ascii_case(b"OFF")
}

/// A row of the status of a replica: some thread of it runs, or tries to.
fn follows(status: &mut Table) -> bool {
    let runs = |value: Option<Vec<u8>>| value.is_some_and(|value| !value.is_empty() && value != b"No");
    ["Replica_IO_Running", "Replica_SQL_Running", "Slave_IO_Running", "Slave_SQL_Running"]
        .into_iter()
        .any(|name| runs(status.named(name)))
}

/// What an answer means.
fn said(discover: Discover, answer: Answer) -> Said {
    match answer {
        Answer::Silent => Said::Silent,
        // A server that refuses the account does not say what it is.
        Answer::Failed(error) if error.origin == Origin::Server => Said::Silent,
        Answer::Failed(_) => Said::Gone,
        Answer::Told(mut tables) => {
            let mut tables = tables.iter_mut();
            if discover == Discover::Galera {
                let mut next = || tables.next().and_then(Option::as_mut);
                return said_by_node(next(), next());
            }
            let Some(Some(first)) = tables.next() else { return Said::Silent };
            if discover == Discover::Group {
                return said_by_member(first.first(0), first.first(1), first.first(2));
            }
            let Some(read_only) = first.first(0) else { return Said::Silent };
            if is_on(&read_only)
                || [1, 2].into_iter().any(|column| first.first(column).is_some_and(|innodb| is_on(&innodb)))
            {
                return Said::ReadOnly;
            }
            let status = tables.next().and_then(Option::as_mut);
            if status.is_some_and(follows) { Said::Follows } else { Said::Writable }
        }
    }
}

/// The server refused to execute because it takes no writes. `read_only`: the program asked for that itself.
pub(super) fn takes_no_writes(error: &Error, read_only: bool) -> bool {
    const OPTION_PREVENTS_STATEMENT: u32 = 1290;
    const CANT_EXECUTE_IN_READ_ONLY_TRANSACTION: u32 = 1792;
    const READ_ONLY_MODE: u32 = 1836;
    /// MySQL with `innodb_read_only`.
    const CANT_LOCK: u32 = 1015;
    let names_read_only = || {
        // The number is that of other options, too.
        let text = error.message.to_ascii_lowercase();
        [&b"read-only"[..], b"read_only"].iter().any(|word| memchr::memmem::find(&text, word).is_some())
    };
    error.origin == Origin::Server
        && match error.code {
            OPTION_PREVENTS_STATEMENT => names_read_only(),
            CANT_EXECUTE_IN_READ_ONLY_TRANSACTION => !read_only,
            READ_ONLY_MODE => true,
            CANT_LOCK => memchr::memmem::find(&error.message, b"errno: 165").is_some(),
            _ => false,
        }
}

/// The server refused to execute because a table is read-only, which all of them are where the storage engine only reads. The
/// server itself has to say whether that is so.
pub(super) fn may_take_no_writes(error: &Error) -> bool {
    const TABLE_IS_READ_ONLY: u32 = 1036;
    error.origin == Origin::Server && error.code == TABLE_IS_READ_ONLY
}

/// What a node has just said contradicts what all handles go by.
fn is_news(section: &Section, node: NodeId, said: Said) -> bool {
    match said {
        Said::ReadOnly => section.sources_now().contains(node),
        Said::Out | Said::Gone | Said::Silent => section.sources_now().or(section.replicas_now()).contains(node),
        Said::Writable | Said::Follows => false,
    }
}

impl Search {
    /// The servers have just been asked.
    pub(super) fn of_asked() -> Self {
        Search { asked: true, ..Search::default() }
    }

    /// Servers have refused it again and again, although they had said that they take writes.
    pub(super) fn is_vain(&self) -> bool {
        self.since.is_none() && self.refusals > 1
    }
}

impl Session {
    fn discovers(&self) -> Option<Arc<Section>> {
        let section = &self.router.as_deref()?.section;
        (section.recovery.discover != Discover::File).then(|| Arc::clone(section))
    }

    /// Asks all nodes what they are, or waits for another handle that is asking. `told`: what one of them has just said.
    /// True if some node is a source by that.
    pub(super) async fn learn_roles(&mut self, told: Option<(usize, Said)>) -> bool {
        self.ask_roles(told, Duration::ZERO).await
    }

    /// Other roles are to be heard of before the statement is decided on: another process has learned some, or nodes that may
    /// leave without a word were not asked for a while.
    #[inline]
    pub(super) fn is_to_ask_for_roles(&self) -> bool {
        self.router.as_deref().is_some_and(|router| {
            let section = &router.section;
            section.roles.is_hinted()
                || (section.recovery.discover.follows_states() && section.roles.is_due(router.now, STATES_EVERY))
        }) && self.may_move()
    }

    /// Asks for what [`Session::is_to_ask_for_roles`] means.
    pub(super) async fn follow_roles(&mut self) {
        self.ask_roles(None, MISSING_EVERY).await;
    }

    /// `rest`: nodes that did not answer, less long ago, are not asked.
    async fn ask_roles(&mut self, told: Option<(usize, Said)>, rest: Duration) -> bool {
        let Some(section) = self.discovers() else { return false };
        let told = told.and_then(|(node, said)| Some((NodeId::new(node)?, said)));
        let limit = section.recovery.probe;
        let round = section.roles.rounds();
        // What another handle is asking now was asked before this server's word.
        let begun = u32::from(section.roles.is_being_asked());
        while !section.roles.begin(SystemClock.now(), limit + LOOK_EVERY) {
            self.wait_for_round(&section, round, limit).await;
            let asked_since = section.roles.rounds().wrapping_sub(round) > begun;
            if asked_since || !told.is_some_and(|(node, said)| is_news(&section, node, said)) {
                return true;
            }
            // The answers that are good for all are older than that word.
            pause(Duration::from_millis(2)).await;
        }
        let all = section.discovered();
        let resting = section.roles.silent_within(SystemClock.now(), rest);
        let asked = told.map_or(all, |(node, _)| all.without(node)).minus(resting);
        let mut words: Vec<(NodeId, Said)> = told.into_iter().collect();
        let discover = section.recovery.discover;
        let questions: Questions<'_> = match discover {
            Discover::Group => &questions_of_group,
            Discover::Galera => &questions_of_galera,
            Discover::File | Discover::ReadOnly => &questions,
        };
        for (node, answer) in self.probe(asked, questions, limit).await {
            words.push((node, said(discover, answer)));
        }
        let before = (section.sources_now(), section.replicas_now());
        if resting.is_empty() {
            let silent = words.iter().filter(|(_, said)| *said == Said::Silent).map(|(node, _)| *node);
            section.roles.note_silent(SystemClock.now(), silent.collect());
        }
        // The nodes that could not be asked now, because the handle's state is there, or that rest.
        let silent = all.minus(words.iter().map(|(node, _)| *node).collect());
        let as_before = |node: NodeId| match discover {
            Discover::Galera if resting.contains(node) => Said::Silent,
            Discover::Galera if before.0.contains(node) => Said::Writable,
            Discover::Galera if before.1.contains(node) => Said::ReadOnly,
            _ => Said::Silent,
        };
        words.extend(silent.iter().map(|node| (node, as_before(node))));
        let verdict = match discover {
            Discover::Galera => judge_galera(&words, section.sources, section.standby, before),
            _ => judge(&words, before, section.multi_master),
        };
        let news = section.roles.learn(&verdict);
        section.roles.done(SystemClock.now() + FRESH);
        section.board.exchange(&section, SystemClock.now());
        if news {
            self.tell_roles(&section, &words, verdict.torn);
        }
        words
            .iter()
            .any(|(node, said)| verdict.sources.contains(*node) && matches!(said, Said::Writable | Said::Follows))
    }

    async fn wait_for_round(&self, section: &Section, round: u32, limit: Duration) {
        let until = SystemClock.now() + limit;
        while section.roles.is_being_asked() && section.roles.rounds() == round && SystemClock.now() < until {
            pause(Duration::from_millis(2)).await;
        }
    }

    fn tell_roles(&self, section: &Section, words: &[(NodeId, Said)], torn: bool) {
        let Some(router) = self.router.as_deref() else { return };
        let names = |set: NodeSet| {
            let names: Vec<String> = set.iter().map(|node| router.label(node.index())).collect();
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        };
        let said: Vec<String> =
            words.iter().map(|(node, said)| format!("{} {said:?}", router.label(node.index()))).collect();
        let torn = if torn { " (several nodes take writes: none is used, see multi_master)" } else { "" };
        let text = format!(
            "the servers' roles: source {}{torn}, replicas {}; by what they say: {}",
            names(section.sources_now()),
            names(section.replicas_now()),
            said.join(", ")
        );
        log::get().message(log::Level::Warning, router.handle_number, &text);
    }

    /// A node that should be a source says on connecting that it is none, or nodes are missing: the servers are asked. True
    /// if the roles are others now.
    pub(super) async fn check_roles_of_new(&mut self, index: usize) -> bool {
        let Some(section) = self.discovers() else { return false };
        let is_source = NodeId::new(index).is_some_and(|node| section.sources_now().contains(node));
        let read_only = self.nodes[index].read_only;
        let missing =
            !section.roles.missing().is_empty() && section.roles.is_older_than(SystemClock.now(), MISSING_EVERY);
        let wrong = is_source && read_only == Some(true);
        if !wrong && !missing {
            return false;
        }
        let before = section.roles.version();
        self.learn_roles(wrong.then_some((index, Said::ReadOnly))).await;
        section.roles.version() != before
    }

    /// No source has taken a statement of which nothing was executed. `tried`: the one that did not; `said`: what it said of
    /// itself, if it refused. True: it may be decided on anew.
    pub(super) async fn look_for_source(
        &mut self,
        search: &mut Search,
        tried: Option<usize>,
        said: Option<Said>,
    ) -> bool {
        let Some(section) = self.router.as_deref().map(|router| Arc::clone(&router.section)) else { return false };
        if let Some(node) = tried.and_then(NodeId::new) {
            search.tried = search.tried.with(node);
        }
        search.refusals += u32::from(said.is_some());
        if !search.asked && section.recovery.discover != Discover::File {
            search.asked = true;
            let told = tried.zip(said);
            self.learn_roles(told).await;
            if !section.sources_now().minus(search.tried).is_empty() {
                return true;
            }
        }
        let hopeless = said.is_some() && section.recovery.discover == Discover::File;
        if section.recovery.wait.is_zero() || hopeless {
            return false;
        }
        let now = SystemClock.now();
        let since = *search.since.get_or_insert(now);
        let left = (since + section.recovery.wait).saturating_sub(now);
        if left.is_zero() {
            return false;
        }
        if search.ticket.is_none() {
            search.ticket = Ticket::take(section.recovery.wait_most);
            if search.ticket.is_none() {
                return false;
            }
        }
        loop {
            let left = (since + section.recovery.wait).saturating_sub(SystemClock.now());
            if left.is_zero() {
                return false;
            }
            pause(LOOK_EVERY.min(left)).await;
            search.tried = NodeSet::EMPTY;
            if section.recovery.discover == Discover::File || self.learn_roles(None).await {
                break;
            }
        }
        search.asked = false;
        if let Some(router) = self.router.as_deref_mut() {
            router.now = SystemClock.now();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(code: u32, text: &str) -> Error {
        Error { origin: Origin::Server, ..Error::client(code, text) }
    }

    #[test]
    fn a_server_that_takes_no_writes_says_so_in_these_words() {
        let mysql = "The MySQL server is running with the --super-read-only option so it cannot execute this statement";
        let mariadb = "The MariaDB server is running with the --read-only option so it cannot execute this statement";
        let other =
            "The MySQL server is running with the --secure-file-priv option so it cannot execute this statement";
        assert!(takes_no_writes(&server(1290, mysql), false) && takes_no_writes(&server(1290, mariadb), true));
        assert!(!takes_no_writes(&server(1290, other), false));
        let transaction = server(1792, "Cannot execute statement in a READ ONLY transaction.");
        assert!(takes_no_writes(&transaction, false) && !takes_no_writes(&transaction, true));
        assert!(takes_no_writes(&server(1836, "Running in read-only mode"), false));
        assert!(takes_no_writes(&server(1015, "Can't lock file (errno: 165 - Table is read only)"), false));
        assert!(!takes_no_writes(&server(1015, "Can't lock file (errno: 11 - busy)"), false));
        assert!(!takes_no_writes(&Error::client(1836, ""), false));
    }

    #[test]
    fn variables_are_read_as_every_server_shows_them() {
        for (value, on) in [("0", false), ("OFF", false), ("1", true), ("ON", true), ("NO_LOCK", true)] {
            assert_eq!(is_on(value.as_bytes()), on, "{value}");
        }
    }

    #[test]
    fn not_too_many_wait() {
        let first = Ticket::take(1);
        assert!(first.is_some() && Ticket::take(1).is_none());
        drop(first);
        assert!(Ticket::take(1).is_some());
        assert!(Ticket::take(0).is_none());
    }
}
