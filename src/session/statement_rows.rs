//! The rows of a prepared statement that wait in its connection: stored, or one by one.
//!
//! As they came; values are taken out of them by others. Cursors are in [`super::prepared`].

use crate::conn::End;
use crate::error::Error;
use crate::result::{BinaryRows, Builder, LARGE_HEADER};

use super::{Phase, Session};

impl Session {
    /// `mysql_stmt_store_result`: all rows that wait go to `stored`. `first` is a row that was read before; empty = none
    /// was.
    ///
    /// Errors: 2014 when none wait; 2008; 2013; the server's own.
    pub async fn store_statement_rows(&mut self, first: &[u8], stored: &mut BinaryRows) -> Result<(), Error> {
        if self.phase != Phase::StatementRows {
            return Err(Error::out_of_sync());
        }
        let mut rows = Builder::default();
        let end = match self.collect_at_once(first, &mut rows) {
            Ok(Some(end)) => Ok(end),
            Ok(None) => self.collect_rest(&mut rows).await,
            Err(error) => Err(error),
        };
        let end = end.and_then(|end| self.current()?.finish_binary_rows(&mut rows, stored).map(|()| end));
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
                Ok(())
            }
            Err(error) => {
                self.failed();
                Err(error)
            }
        }
    }

    #[inline]
    fn collect_at_once(&mut self, first: &[u8], rows: &mut Builder) -> Result<Option<End>, Error> {
        if !first.is_empty() {
            let mut block = vec![0; LARGE_HEADER];
            block.extend_from_slice(first);
            let begun = rows.start(0).and_then(|()| rows.adopt(block));
            begun.map_err(|_| Error::out_of_memory(self.options.family))?;
        }
        self.current()?.binary_rows_at_once(rows)
    }

    async fn collect_rest(&mut self, rows: &mut Builder) -> Result<End, Error> {
        self.current()?.rest_of_binary_rows(rows).await
    }

    /// [`Session::next_statement_row`] for a row that is here. False: nothing has been done.
    #[inline]
    pub fn next_statement_row_at_once(&mut self, row: &mut Vec<u8>) -> bool {
        self.phase == Phase::StatementRows
            && self.current().is_ok_and(|connection| connection.next_binary_row_at_once(row))
    }

    /// The next row that waits; false at the end.
    pub async fn next_statement_row(&mut self, row: &mut Vec<u8>) -> Result<bool, Error> {
        Ok(self.read_statement_row(row).await?.is_none())
    }

    pub(super) async fn read_statement_row(&mut self, row: &mut Vec<u8>) -> Result<Option<End>, Error> {
        if self.phase != Phase::StatementRows {
            return Err(Error::out_of_sync());
        }
        let read = match self.current() {
            Ok(connection) => connection.next_binary_row(row).await,
            Err(error) => Err(error),
        };
        match read {
            Ok(None) => Ok(None),
            Ok(Some(end)) => {
                self.end_of_rows(end);
                if self.has_unsettled() {
                    self.settle().await;
                }
                Ok(Some(end))
            }
            Err(error) => {
                self.failed();
                Err(error)
            }
        }
    }
}
