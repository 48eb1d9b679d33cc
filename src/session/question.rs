//! Asking a server ahead of a read whether it has what the read is promised to see, and reading its answer.
//!
//! What is asked, and what the answers mean, is in [`super::promise`]; here are the sends and the replies.

use std::time::{Duration, Instant};

use crate::cluster::config::quality::OnTimeout;
use crate::conn::driver::pause;
use crate::conn::{Command, Head};
use crate::env::{Clock, SystemClock};
use crate::error::{Error, Origin, Sent, cr};
use crate::log;
use crate::route::{Class, Statement};
use crate::statistics::{self, Counter};

use super::Session;
use super::discover::Search;
use super::promise::Question;
use super::steer::Manner;

/// What follows a question on its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behind {
    /// The read, whose reply comes next.
    Read,
    /// Nothing.
    Nothing,
}

impl Session {
    /// Whether a statement can go to a node without a question ahead of it.
    #[inline]
    pub(super) fn asks_nothing(&self, node: usize) -> bool {
        self.router.as_deref().is_none_or(|router| router.question(node).is_none())
    }

    /// Whether some connection has told if the servers have GTIDs.
    pub(super) fn knows_tracking(&self) -> bool {
        self.router.as_deref().is_some_and(|router| router.promise.knows_tracking())
    }

    /// Session consistency was asked for, and the servers have no GTIDs.
    pub(super) fn is_without_gtids(&self) -> bool {
        self.router.as_deref().is_some_and(|router| router.promise.is_without_gtids())
    }

    /// A statement was lost on its way: what it wrote is not known.
    pub(super) fn doubt_after(&mut self, statement: &Statement) {
        if statement.class != Class::Read
            && let Some(router) = self.router.as_deref_mut()
        {
            router.promise.doubt();
        }
    }

    /// A replica that says nothing to a question is not waited for as long as a read is: it has as long as the question allows,
    /// and a second or `probe_ms` more. The source has to answer, there is nobody else.
    pub(super) fn limit_answer(&mut self, question: Question) {
        /// For the way there and back, and for a server that is busy.
        const LEAST: Duration = Duration::from_secs(1);
        let Some(router) = self.router.as_deref() else { return };
        let wait = match question {
            Question::Reached { waits: true, .. } | Question::ReachedPart { waits: true } => router.promise.wait(),
            Question::Reached { waits: false, .. } | Question::ReachedPart { waits: false } | Question::Lag(_) => {
                Duration::ZERO
            }
            Question::Checked
            | Question::Executed
            | Question::Shown { .. }
            | Question::TakesWrites
            | Question::Tables => return,
        };
        let limit = Instant::now() + wait + router.section.recovery.probe.max(LEAST);
        if let Ok(connection) = self.current() {
            connection.answer_by(Some(limit));
        }
    }

    /// The question that has to go ahead of a read on this node, if there is one, and its text.
    fn question_to(&self, node: usize) -> Option<(Question, String)> {
        let router = self.router.as_deref()?;
        let question = router.question(node)?;
        let server = self.nodes[node].connection()?.server();
        Some((question, router.question_text(question, node, server)))
    }

    /// Queues the question that has to go ahead of a read on this node, if there is one.
    pub(super) fn ask(&mut self, node: usize) {
        let Some((question, text)) = self.question_to(node) else { return };
        let Some(connection) = self.nodes[node].connection_mut() else { return };
        connection.queue(Command::Query, &[text.as_bytes()]);
        self.begins_to_ask(question);
        self.question = Some(question);
        self.prelude_replies += 1;
    }

    fn begins_to_ask(&mut self, question: Question) {
        if question == Question::Tables
            && let Some(router) = self.router.as_deref_mut()
        {
            router.is_asking_about_tables();
        }
    }

    /// Asks and waits for the answer, with nothing of the statement on its way: for programs that poll the socket for its
    /// reply, and nodes that take one command at a time. One round trip more.
    ///
    /// Errors: as [`Session::read_answer`]; a connection that breaks has got nothing of the read.
    pub(super) async fn ask_before(&mut self, node: usize) -> Result<(), Error> {
        let Some((question, text)) = self.question_to(node) else { return Ok(()) };
        self.begins_to_ask(question);
        self.limit_answer(question);
        let answer = match self.current()?.send(Command::Query, &[text.as_bytes()]).await {
            Ok(()) => self.read_answer(question, Behind::Nothing).await,
            Err(error) => Err(self.fail_prelude(error, None)),
        };
        answer.map_err(|error| if self.nodes[node].connection().is_none() { error.sent(Sent::No) } else { error })
    }

    /// Reads the answer to a question. If the read behind it may not be taken, its reply is thrown away.
    ///
    /// Errors: a broken connection; 2000 where the configuration wants it; else one that sends the read to the source.
    pub(super) async fn read_answer(&mut self, question: Question, behind: Behind) -> Result<(), Error> {
        let Some(at) = self.at else { return Err(Error::gone(self.options.family)) };
        let mariadb = self.server().is_some_and(|server| server.is_mariadb);
        if let Question::Lag(limit) = question {
            return self.read_lag(at, limit, behind).await;
        }
        if question == Question::Tables {
            return self.read_tables(at).await;
        }
        let answer = self.first_row_of_reply().await;
        if let Ok(connection) = self.current() {
            connection.answer_by(None);
        }
        let values = match answer {
            Ok(values) => values,
            // A wait that a server refuses, or a position that it does not understand.
            Err(error) if error.origin == Origin::Server && !self.current()?.is_broken() => {
                self.tell_unanswered(at, &error);
                Vec::new()
            }
            Err(error) => {
                if let (Question::Reached { version, .. }, Some(router)) = (question, self.router.as_deref_mut()) {
                    // Nobody waits for it again so soon.
                    router.has_not_reached(at, version, true);
                }
                return Err(self.fail_prelude(error, None));
            }
        };
        let Some(router) = self.router.as_deref_mut() else { return Ok(()) };
        let (version, waits) = match question {
            Question::Executed => {
                if router.answered_executed(at, &values, mariadb) {
                    return Ok(());
                }
                self.throw_reply_away(at, behind).await?;
                self.failed();
                self.again = Some(self.find_better_source().await.map_err(|error| error.sent(Sent::No))?);
                return Err(Error::gone(self.options.family).sent(Sent::No));
            }
            Question::TakesWrites => {
                let is_off = |value: &Vec<u8>| value == b"0" || value.eq_ignore_ascii_case(b"OFF");
                if values.first().is_none_or(is_off) {
                    // What is not said is believed: the section names the source.
                    return Ok(());
                }
                self.throw_reply_away(at, behind).await?;
                self.failed();
                let found =
                    self.learn_roles(None).await || self.look_for_source(&mut Search::of_asked(), None, None).await;
                self.again = found.then_some(Manner::OnSource);
                return Err(Error::gone(self.options.family).sent(Sent::No));
            }
            Question::Shown { version } => {
                if values.first().is_some_and(|value| value == b"0") {
                    router.has_reached(at, version);
                    return Ok(());
                }
                router.is_not_shown(version);
                self.throw_reply_away(at, behind).await?;
                self.failed();
                self.again = Some(Manner::OnSource);
                return Err(Error::gone(self.options.family).sent(Sent::No));
            }
            Question::Checked => return self.read_check(at, &values, behind).await,
            Question::Reached { version, waits } => (version, waits),
            Question::ReachedPart { waits } => (router.promise.version, waits),
            Question::Lag(_) | Question::Tables => return Ok(()),
        };
        if values.first().is_some_and(|value| value == b"0") {
            match question {
                Question::ReachedPart { .. } => router.has_reached_part(at),
                _ => router.has_reached(at, version),
            }
            return Ok(());
        }
        router.has_not_reached(at, version, waits);
        let on_timeout = router.promise.on_timeout;
        if waits && on_timeout == OnTimeout::Stale {
            statistics::count(Counter::StaleReads);
            return Ok(());
        }
        self.throw_reply_away(at, behind).await?;
        self.failed();
        if waits && on_timeout == OnTimeout::Error {
            let text = "mysqlclient-ms: the replica did not get to what this session wrote in time (consistency.wait_ms); \
                        the read was not answered (consistency.on_timeout is error)";
            // Nobody else is to be asked.
            return Err(Error::client(cr::UNKNOWN_ERROR, text).sent(Sent::Yes));
        }
        // Another replica is known to be good, or the source is asked.
        self.again = Some(if waits { Manner::OnSource } else { Manner::Awaited });
        Err(Error::gone(self.options.family).sent(Sent::No))
    }

    /// What a source says of tables. Whatever it is, the statement behind it has been sent and its reply comes.
    ///
    /// Errors: a broken connection; nothing is known of that statement then.
    async fn read_tables(&mut self, at: usize) -> Result<(), Error> {
        let values = match self.first_row_of_reply().await {
            Ok(values) => values,
            Err(error) if error.origin == Origin::Server && !self.current()?.is_broken() => {
                self.tell_unanswered(at, &error);
                Vec::new()
            }
            Err(_) => {
                self.failed();
                return Err(Error::lost(self.options.family).sent(Sent::Yes));
            }
        };
        if let Some(router) = self.router.as_deref_mut() {
            router.answered_tables(&values);
        }
        Ok(())
    }

    fn tell_unanswered(&self, at: usize, error: &Error) {
        if let Some(router) = self.router.as_deref() {
            let text = format!("node {} does not say how far it is: {error}", router.label(at));
            log::get().message(log::Level::Warning, router.handle_number, &text);
        }
    }

    /// The answer to `check_for_gtid`: yes if a row came whose first value is neither NULL nor 0. After a no the node is asked
    /// again for `wait_for_gtid_timeout`, with a pause in between.
    async fn read_check(&mut self, at: usize, values: &[Vec<u8>], behind: Behind) -> Result<(), Error> {
        const BETWEEN: Duration = Duration::from_millis(50);
        let mut passed = is_yes(values);
        let Some(router) = self.router.as_deref() else { return Ok(()) };
        let Some(server) = self.server() else { return Ok(()) };
        let (text, wait) = (router.question_text(Question::Checked, at, server), router.check_wait());
        let until = SystemClock.now() + wait;
        if passed && self.router.as_deref_mut().is_some_and(|router| router.has_passed(at, true)) {
            return Ok(());
        }
        self.throw_reply_away(at, behind).await?;
        while !passed && SystemClock.now() < until && self.nodes[at].connection().is_some() {
            pause(BETWEEN).await;
            let answer = match self.current()?.send(Command::Query, &[text.as_bytes()]).await {
                Ok(()) => self.first_row_of_reply().await,
                Err(error) => Err(error),
            };
            match answer {
                Ok(values) => passed = is_yes(&values),
                Err(error) if error.origin == Origin::Server => {}
                Err(error) => return Err(self.fail_prelude(error, None)),
            }
        }
        if let Some(router) = self.router.as_deref_mut() {
            router.has_passed(at, passed);
        }
        self.failed();
        // Known by now to be good, or to be asked for the handle's own writes; or one that is not.
        self.again = Some(if passed { Manner::Pipelined } else { Manner::Awaited });
        Err(Error::gone(self.options.family).sent(Sent::No))
    }

    /// The values of the only row of the reply that comes next.
    async fn first_row_of_reply(&mut self) -> Result<Vec<Vec<u8>>, Error> {
        let connection = self.current()?;
        match connection.read_head().await? {
            Head::ResultSet(columns) => {
                let (mut rows, _) = connection.store_rows(columns.len()).await?;
                let count = if rows.is_empty() { 0 } else { columns.len() };
                Ok((0..count).map(|column| rows.value(0, column).unwrap_or_default()).collect())
            }
            Head::Ok(_) | Head::LocalInfile(_) => Ok(Vec::new()),
        }
    }

    /// Reads the rest of a reply that nobody wants; a large one ends with its connection.
    pub(super) async fn throw_reply_away(&mut self, at: usize, behind: Behind) -> Result<(), Error> {
        /// Rows from which closing and connecting anew is cheaper.
        const MOST_ROWS: u64 = 1000;
        if behind == Behind::Nothing {
            return Ok(());
        }
        let connection = self.current()?;
        match connection.read_head().await {
            Ok(Head::ResultSet(_)) => {
                if let Ok(true) = connection.skip_few_rows(MOST_ROWS).await {
                    return Ok(());
                }
            }
            Ok(Head::Ok(_)) => return Ok(()),
            Err(error) if error.origin == Origin::Server => return Ok(()),
            Ok(Head::LocalInfile(_)) | Err(_) => {}
        }
        if let Some(connection) = self.nodes[at].take() {
            connection.quit();
        }
        Ok(())
    }
}

/// What a check's row says.
fn is_yes(values: &[Vec<u8>]) -> bool {
    values.first().is_some_and(|value| !value.is_empty() && value != b"0")
}
