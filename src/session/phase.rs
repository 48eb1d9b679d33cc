//! Where a handle stands between two calls, and which calls that allows.
//!
//! Pure bookkeeping: no I/O, no pointers.

use crate::error::Error;
use crate::options::Family;

/// What the server still owes this handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Nothing.
    Ready,
    /// A statement was sent (`mysql_send_query`); its reply has not been read.
    AwaitingReply,
    /// A result's columns were read; its rows wait for `mysql_store_result` or `mysql_use_result`.
    HasResult,
    /// Rows are being fetched one at a time.
    Streaming,
    /// The rows of a prepared statement wait, to be stored or fetched one at a time.
    StatementRows,
    /// The program gave the rows up by writing 0 into `MYSQL.status`; they are skipped in front of the next command.
    Abandoned,
}

impl Phase {
    /// `MYSQL.status` as programs see it: 0 ready, 1 a result waits, 2 unbuffered reading, 3 (MariaDB: 8) rows of a
    /// prepared statement.
    pub fn public_status(self, family: Family) -> u32 {
        match self {
            Phase::StatementRows => match family {
                Family::MySql => 3,
                Family::MariaDb => 8,
            },
            Phase::Ready | Phase::AwaitingReply | Phase::Abandoned => 0,
            Phase::HasResult => 1,
            Phase::Streaming => 2,
        }
    }

    /// Refuses a new command (2014) while rows or further results are unread.
    pub fn check_free(self, more_results: bool) -> Result<(), Error> {
        if matches!(self, Phase::HasResult | Phase::Streaming | Phase::StatementRows) || more_results {
            return Err(Error::out_of_sync());
        }
        Ok(())
    }
}
