//! Asking several nodes something about themselves, all at once and within a time limit.
//!
//! On the handle's own connections, which are opened for it where there is none; knows nothing of what the answers are for.
//! Only between statements: a handle that has an open result asks nobody, and the node of its transaction, or of state that
//! lives on one node, is left alone.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use crate::cluster::topology::{NodeId, NodeSet};
use crate::conn::driver::side_by_side;
use crate::conn::{Command, Connection, Head, Server};
use crate::error::{Error, Origin};
use crate::log;
use crate::result::{Columns, StoredRows};

use super::arm::SetUp;
use super::open::Opening;
use super::turns::Turns;
use super::{Phase, Session};

/// The statements that a server of this kind is asked.
pub(super) type Questions<'a> = &'a dyn Fn(&Server) -> Vec<Cow<'static, str>>;

/// A result: the answer to one statement.
#[derive(Debug)]
pub(super) struct Table {
    columns: Columns,
    rows: StoredRows,
}

impl Table {
    /// A value of the first row by its place; None for NULL, and where there is none.
    pub(super) fn first(&mut self, column: usize) -> Option<Vec<u8>> {
        if column < self.columns.len() && !self.rows.is_empty() { self.rows.value(0, column) } else { None }
    }

    /// From a result that was read elsewhere.
    pub(super) fn new(columns: Columns, rows: StoredRows) -> Self {
        Table { columns, rows }
    }

    /// How many rows.
    pub(super) fn len(&self) -> u64 {
        self.rows.len()
    }

    /// A value of a row by the column's name, in any case.
    pub(super) fn of_row(&mut self, row: u64, name: &str) -> Option<Vec<u8>> {
        let column = self.column(name)?;
        if row < self.rows.len() { self.rows.value(row, column) } else { None }
    }

    /// Whether there is a column of this name, in any case.
    pub(super) fn has(&self, name: &str) -> bool {
        self.column(name).is_some()
    }

    /// A value of the first row by the column's name, in any case.
    pub(super) fn named(&mut self, name: &str) -> Option<Vec<u8>> {
        self.of_row(0, name)
    }

    fn column(&self, name: &str) -> Option<usize> {
        let is = |column: &usize| {
            self.columns.name(*column).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
        };
        (0..self.columns.len()).find(is)
    }
}

/// What one node said.
#[derive(Debug)]
pub(super) enum Answer {
    /// A result for each statement; None for one that it refused, or that has no result.
    Told(Vec<Option<Table>>),
    /// It could not be reached, or the connection broke.
    Failed(Error),
    /// Nothing until the time was over.
    Silent,
}

/// One node's part of a probe, and what came of it.
struct Asked {
    opened: Option<SetUp>,
    connection: Option<Connection>,
    answer: Result<Vec<Option<Table>>, Error>,
}

impl Session {
    /// Asks nodes, all of them at once: one round trip for those that are open (and no proxies). An open connection that does not answer in
    /// time is closed; a connect that takes longer is given up, and not remembered as a failure.
    pub(super) async fn probe(
        &mut self,
        nodes: NodeSet,
        questions: Questions<'_>,
        limit: Duration,
    ) -> Vec<(NodeId, Answer)> {
        let Some(router) = self.router.as_deref() else { return Vec::new() };
        if self.phase != Phase::Ready || self.more_results() {
            return Vec::new();
        }
        let busy = [router.bound.node(), router.next_transaction, router.transaction_node];
        let ids: Vec<NodeId> =
            nodes.iter().filter(|id| id.index() < self.nodes.len() && !busy.contains(&Some(id.index()))).collect();
        let mut parts = Vec::with_capacity(ids.len());
        for id in &ids {
            let connection = self.nodes[id.index()].lend();
            let opening = if connection.is_none() { self.opening(id.index()).ok() } else { None };
            parts.push(ask(connection, opening, questions, self.nodes[id.index()].pipelines));
        }
        let deadline = Instant::now() + limit;
        let found = side_by_side(parts, deadline).await;
        ids.into_iter().zip(found).map(|(id, asked)| (id, self.answered(id.index(), asked, limit))).collect()
    }

    /// Takes the connection back.
    fn answered(&mut self, index: usize, asked: Option<Asked>, limit: Duration) -> Answer {
        let Some(Asked { opened, connection, answer }) = asked else {
            self.nodes[index].give_back(None);
            let log = log::get();
            if log.is_on(log::Level::Decision)
                && let Some(router) = self.router.as_deref()
            {
                let text = format!("node {} said nothing within {} ms", router.label(index), limit.as_millis());
                log.message(log::Level::Decision, router.handle_number, &text);
            }
            return Answer::Silent;
        };
        match (opened, connection, answer) {
            (Some(found), Some(connection), answer) => {
                if let Err(error) = self.opened(index, Ok((connection, found))) {
                    return Answer::Failed(error);
                }
                self.nodes[index].drop_if_broken();
                answer.map_or_else(Answer::Failed, Answer::Told)
            }
            (None, Some(connection), answer) => {
                self.nodes[index].give_back(Some(connection));
                self.nodes[index].drop_if_broken();
                answer.map_or_else(Answer::Failed, Answer::Told)
            }
            // It was not open, and could not be opened.
            (_, None, Err(error)) => {
                let _ = self.opened(index, Err(error.clone()));
                Answer::Failed(error)
            }
            (_, None, Ok(_)) => Answer::Silent,
        }
    }
}

/// Opens the connection if need be and asks, in one packet where the node takes that.
async fn ask(
    mut connection: Option<Connection>,
    opening: Option<Opening>,
    questions: Questions<'_>,
    pipelines: bool,
) -> Asked {
    let mut opened = None;
    if let Some(opening) = opening {
        match opening.connect().await {
            Ok((new, found)) => (connection, opened) = (Some(new), Some(found)),
            Err(error) => return Asked { opened: None, connection: None, answer: Err(error) },
        }
    }
    let Some(mut connection) = connection else {
        return Asked { opened: None, connection: None, answer: Ok(Vec::new()) };
    };
    let texts = questions(connection.server());
    let answer = ask_open(&mut connection, &texts, pipelines).await;
    Asked { opened, connection: Some(connection), answer }
}

async fn ask_open(
    connection: &mut Connection,
    texts: &[Cow<'static, str>],
    pipelines: bool,
) -> Result<Vec<Option<Table>>, Error> {
    let commands: Vec<_> = texts.iter().map(|text| (Command::Query, text.as_bytes())).collect();
    let mut turns = Turns::begin(connection, &commands, pipelines).await?;
    let mut tables = Vec::with_capacity(texts.len());
    for _ in texts {
        tables.push(match connection.read_head().await {
            Ok(Head::ResultSet(columns)) => {
                let (rows, _) = connection.store_rows(columns.len()).await?;
                Some(Table { columns, rows })
            }
            Ok(Head::Ok(_)) => None,
            Ok(Head::LocalInfile(_)) => return Err(connection.malformed()),
            Err(error) if error.origin == Origin::Server && !connection.is_broken() => None,
            Err(error) => return Err(error),
        });
        turns.next(connection).await?;
    }
    Ok(tables)
}
