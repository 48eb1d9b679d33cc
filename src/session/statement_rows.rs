//! Reading the rows of an execution: stored, or one at a time. Where they are is found out in [`super::prepared`].

use crate::conn::End;
use crate::error::Error;
use crate::result::{BinaryRows, Builder, LARGE_HEADER};

use super::{Phase, Session};

impl Session {
    /// `mysql_stmt_store_result`: all rows that wait. `first` is a row that was read before; empty = none was.
    ///
    /// Errors: 2014 when none wait; 2008; 2013; the server's own.
    pub async fn store_statement_rows(&mut self, first: &[u8]) -> Result<BinaryRows, Error> {
        if self.phase != Phase::StatementRows {
            return Err(Error::out_of_sync());
        }
        match self.collect_rows(first).await {
            Ok((rows, end)) => {
                self.outcome.affected_rows = rows.len();
                self.end_of_rows(end);
                Ok(rows)
            }
            Err(error) => {
                self.failed();
                Err(error)
            }
        }
    }

    async fn collect_rows(&mut self, first: &[u8]) -> Result<(BinaryRows, End), Error> {
        let family = self.options.family;
        let mut rows = Builder::default();
        if !first.is_empty() {
            let mut block = vec![0; LARGE_HEADER];
            block.extend_from_slice(first);
            let begun = rows.start(0).and_then(|()| rows.adopt(block));
            begun.map_err(|_| Error::out_of_memory(family))?;
        }
        let connection = self.current()?;
        let end = match connection.binary_rows_at_once(&mut rows)? {
            Some(end) => end,
            None => connection.rest_of_binary_rows(&mut rows).await?,
        };
        Ok((connection.finish_binary_rows(&mut rows)?, end))
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
                Ok(Some(end))
            }
            Err(error) => {
                self.failed();
                Err(error)
            }
        }
    }
}
