//! Reading rows: stored, unbuffered, one result after another.

use crate::conn::{End, Head};
use crate::error::Error;
use crate::options::Family;
use crate::result::{Builder, Columns, StoredRows, StreamRow};

use super::{Phase, Session};

/// `SERVER_PS_OUT_PARAMS`: the rows are the OUT parameters of a procedure.
const OUT_PARAMETERS: u16 = 1 << 12;
/// `SERVER_SESSION_STATE_CHANGED`.
const SESSION_STATE_CHANGED: u16 = 1 << 14;

impl Session {
    /// `mysql_store_result`: all rows of the waiting result go to `stored`; its columns, or None if there is none.
    ///
    /// Errors: 2014 when no result waits although the last statement has one; 2008; 2013; the server's own.
    pub async fn store_result(&mut self, stored: &mut StoredRows) -> Result<Option<Columns>, Error> {
        let Some(columns) = self.take_pending()? else { return Ok(None) };
        let mut rows = Builder::default();
        let end = match self.current().and_then(|connection| connection.rows_at_once(columns.len(), &mut rows)) {
            Ok(Some(end)) => Ok(end),
            Ok(None) => self.rest_of_rows(&mut rows).await,
            Err(error) => Err(error),
        };
        let end = end.and_then(|end| self.current()?.finish_rows(&mut rows, stored).map(|()| end));
        match end {
            Ok(end) => {
                // All that it had is in `stored` now: nothing to be looked at and freed.
                debug_assert!(rows.is_spent());
                std::mem::forget(rows);
                self.outcome.affected_rows = stored.len();
                self.end_of_rows(end);
                if self.has_unsettled() {
                    self.settle().await;
                }
                Ok(Some(columns))
            }
            Err(error) => {
                self.leftover = true;
                self.failed();
                if self.router.is_some()
                    && let Some(columns) = Box::pin(self.store_elsewhere(&error, &columns, stored)).await
                {
                    return Ok(Some(columns));
                }
                Err(error)
            }
        }
    }

    async fn rest_of_rows(&mut self, rows: &mut Builder) -> Result<End, Error> {
        self.current()?.rest_of_rows(rows).await
    }

    /// `mysql_use_result`: the columns of the waiting result, whose rows [`Session::next_row`] fetches.
    pub fn use_result(&mut self) -> Result<Option<Columns>, Error> {
        let columns = self.take_pending()?;
        if columns.is_some() {
            self.phase = Phase::Streaming;
            self.forget_rerun();
        }
        Ok(columns)
    }

    fn take_pending(&mut self) -> Result<Option<Columns>, Error> {
        if self.pending.is_none() {
            // libmysqlclient knows the last statement's result as taken, Connector/C one that it cannot take.
            let taken = match self.options.family {
                Family::MySql => self.outcome.field_count != 0,
                Family::MariaDb => self.leftover,
            };
            return if taken { Err(Error::out_of_sync()) } else { Ok(None) };
        }
        if self.phase != Phase::HasResult {
            return Err(Error::out_of_sync());
        }
        self.phase = Phase::Ready;
        Ok(self.pending.take())
    }

    /// [`Session::next_row`] for a row that is here, which is true of nearly all. False: nothing has been done.
    #[inline]
    pub fn next_row_at_once(&mut self, row: &mut StreamRow) -> bool {
        self.phase == Phase::Streaming && self.current().is_ok_and(|connection| connection.next_row_at_once(row))
    }

    /// Whether the next row, or what comes in its place, is here: then fetching it does not wait.
    pub fn row_is_here(&mut self) -> bool {
        self.current().is_ok_and(|connection| connection.packet_is_here())
    }

    /// `mysql_fetch_row` of an unbuffered result: false at its end.
    pub async fn next_row(&mut self, row: &mut StreamRow) -> Result<bool, Error> {
        if self.phase != Phase::Streaming {
            return Err(Error::out_of_sync());
        }
        let read = match self.current() {
            Ok(connection) => connection.next_row(row).await,
            Err(error) => Err(error),
        };
        match read {
            Ok(None) => Ok(true),
            Ok(Some(end)) => {
                self.end_of_rows(end);
                if self.has_unsettled() {
                    self.settle().await;
                }
                Ok(false)
            }
            Err(error) => {
                self.failed();
                Err(error)
            }
        }
    }

    /// Reads and throws away what an unbuffered result still has (`mysql_free_result`).
    pub async fn skip_rows(&mut self) -> Result<(), Error> {
        if self.phase != Phase::Streaming {
            return Ok(());
        }
        let skipped = match self.current() {
            Ok(connection) => connection.skip_rows().await,
            Err(error) => Err(error),
        };
        match skipped {
            Ok(mut end) => {
                if self.options.family == Family::MariaDb && self.router.is_none() {
                    // Connector/C does not look into the end of rows that it throws away.
                    end.status = self.outcome.status;
                    end.warnings = u16::try_from(self.outcome.warnings).unwrap_or(u16::MAX);
                }
                self.end_of_rows(end);
                Ok(())
            }
            Err(error) => {
                self.failed();
                Err(error)
            }
        }
    }

    /// Reads away the rows that [`Session::give_up_rows`] was told of; further results stay.
    pub async fn skip_given_up_rows(&mut self) -> Result<(), Error> {
        if self.phase != Phase::Abandoned {
            return Ok(());
        }
        self.phase = Phase::Streaming;
        self.skip_rows().await
    }

    /// Rows and further results that the program gave up, by writing into its `MYSQL` or by a reset.
    pub(super) async fn skip_abandoned_rows(&mut self) {
        self.pending = None;
        let mut skipped = Ok(());
        if self.phase != Phase::Ready {
            self.phase = Phase::Streaming;
            skipped = self.skip_rows().await;
        }
        while skipped.is_ok() && self.more_results() {
            skipped = match self.next_result().await {
                Ok(_) if self.phase == Phase::HasResult => {
                    self.pending = None;
                    self.phase = Phase::Streaming;
                    self.skip_rows().await
                }
                Ok(_) => Ok(()),
                Err(error) => Err(error),
            };
        }
        self.phase = Phase::Ready;
    }

    pub(super) fn end_of_rows(&mut self, mut end: End) {
        if self.outcome.status & OUT_PARAMETERS != 0 {
            // Not the last result, whatever their end says.
            end.status |= super::MORE_RESULTS;
            if self.options.family == Family::MySql {
                end.status |= OUT_PARAMETERS;
            }
        }
        self.phase = Phase::Ready;
        self.outcome.status = end.status;
        self.outcome.warnings = u32::from(end.warnings);
        if end.status & SESSION_STATE_CHANGED != 0
            && let Ok(connection) = self.current()
        {
            self.changes = connection.take_session_changes();
            self.learn_from_changes();
        } else if !self.changes.is_empty() && self.options.family == Family::MySql {
            // It is a reply as any other that says what has changed.
            self.changes.clear();
        }
        self.observe_success();
    }

    /// `mysql_next_result`: reads the head of the next result; false if there is none.
    ///
    /// Errors: 2014 while rows of this one are unread; otherwise as for a statement.
    pub async fn next_result(&mut self) -> Result<bool, Error> {
        if self.phase != Phase::Ready {
            return Err(Error::out_of_sync());
        }
        self.outcome.affected_rows = !0;
        if !self.more_results() {
            return Ok(false);
        }
        self.forget_rerun();
        self.read_reply().await?;
        Ok(true)
    }
}

/// A reply that must be OK: a command that has no rows.
pub(super) fn expect_ok(head: Head, family: Family) -> Result<crate::conn::OkPacket, Error> {
    match head {
        Head::Ok(ok) => Ok(ok),
        Head::ResultSet(_) | Head::LocalInfile(_) => Err(Error::malformed(family)),
    }
}
