//! The execution of a prepared read as it was sent, kept so that its rows can be read elsewhere if they break off while they
//! are stored ([`super::recover`]). Its memory is used again; no I/O but the reading of the rows.

use crate::error::Error;
use crate::result::{BinaryRows, Columns};

use super::execution::{Parameters, Request};
use super::prepared::Prepared;
use super::steer::{Manner, What};
use super::{Phase, Session};

#[derive(Debug, Default)]
struct Values {
    count: usize,
    nulls: Vec<u8>,
    types: Vec<u8>,
    values: Vec<u8>,
}

impl Values {
    fn fill(&mut self, from: &Parameters<'_>) {
        self.count = from.count;
        for (to, from) in
            [(&mut self.nulls, from.nulls), (&mut self.types, from.types), (&mut self.values, from.values)]
        {
            to.clear();
            to.extend_from_slice(from);
        }
    }

    fn parameters(&self) -> Parameters<'_> {
        Parameters { count: self.count, nulls: &self.nulls, types: &self.types, values: &self.values }
    }
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// There is one.
    filled: bool,
    plain: Values,
    named: Option<Values>,
    /// What the program was told of the result's columns.
    kinds: Vec<[u8; 3]>,
}

/// What decides how a row is read: each column's type and the first flags.
fn kinds(columns: &Columns) -> impl Iterator<Item = [u8; 3]> + '_ {
    columns.iter().map(|column| {
        let [low, high, ..] = column.flags.to_le_bytes();
        [column.column_type, low, high]
    })
}

impl Kept {
    /// The last execution cannot be sent again.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.filled = false;
    }

    /// Keeps an execution and what its result looks like.
    pub(super) fn fill(&mut self, request: &Request<'_>, columns: &Columns) {
        self.filled = request.flags == 0 && !request.bulk;
        if !self.filled {
            return;
        }
        self.plain.fill(&request.parameters);
        match &request.named {
            Some(named) => self.named.get_or_insert_default().fill(named),
            None => self.named = None,
        }
        self.kinds.clear();
        self.kinds.extend(kinds(columns));
    }

    fn request(&self) -> Request<'_> {
        Request {
            flags: 0,
            parameters: self.plain.parameters(),
            named: self.named.as_ref().map(Values::parameters),
            new_types: true,
            bulk: false,
        }
    }
}

impl Session {
    /// `mysql_stmt_store_result`: all rows of an execution of which none was read yet. Routed: a read whose rows break off is
    /// read once more, on another replica.
    ///
    /// Errors: those of [`Session::store_statement_rows`].
    pub async fn store_rows_of(&mut self, prepared: &mut Prepared, stored: &mut BinaryRows) -> Result<(), Error> {
        match self.store_statement_rows(&[], stored).await {
            Err(error) if self.router.is_some() => {
                Box::pin(self.store_rows_elsewhere(prepared, &error, stored)).await.ok_or(error)
            }
            stored => stored,
        }
    }

    async fn store_rows_elsewhere(
        &mut self,
        prepared: &mut Prepared,
        error: &Error,
        stored: &mut BinaryRows,
    ) -> Option<()> {
        let kept = std::mem::take(&mut prepared.kept);
        if !kept.filled || !self.may_rerun(error) {
            return None;
        }
        let sql = prepared.text();
        let request = kept.request();
        let what = &mut What::Execute(prepared, &request);
        self.send_routed_as(&sql, Manner::Elsewhere, what).await.ok()?;
        self.read_reply().await.ok()?;
        let columns = self.pending.take();
        let same = columns.is_some_and(|columns| kinds(&columns).eq(kept.kinds.iter().copied()));
        if self.phase != Phase::HasResult || !same {
            self.drop_unwanted_result();
            return None;
        }
        self.phase = Phase::StatementRows;
        self.forget_rerun();
        prepared.moved_to(self.at);
        *stored = BinaryRows::default();
        self.store_statement_rows(&[], stored).await.ok()
    }
}
