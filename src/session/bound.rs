//! State that lives on one node and is not replayed: what there is, by kind, and when it is provably gone.
//!
//! While anything is there the handle stays on its node. Where an end cannot be proven (a lock whose name is not known, a
//! procedure that may have done anything) it lasts until the session is reset. No I/O; others tell what happened.

/// A temporary table: schema and name.
pub(super) type TableName = (Vec<u8>, Vec<u8>);

/// What a statement did to such state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// CREATE TEMPORARY TABLE.
    TempTable(TableName),
    /// DROP TABLE.
    DropTable(TableName),
    /// A temporary table may have another name now.
    RenamesTable,
    /// LOCK TABLES.
    LockTables,
    /// FLUSH TABLES WITH READ LOCK.
    FlushWithLock,
    /// BEGIN: ends LOCK TABLES, and not the other.
    BeginTransaction,
    /// UNLOCK TABLES.
    UnlockTables,
    /// GET_LOCK of this name, at most once; None: of any, any number of times.
    GetLock(Option<Vec<u8>>),
    /// RELEASE_LOCK of this name, once.
    ReleaseLock(Vec<u8>),
    /// RELEASE_ALL_LOCKS().
    ReleaseAllLocks,
    /// HANDLER ... OPEN.
    OpenHandler,
    /// HANDLER ... CLOSE.
    CloseHandler,
    /// PREPARE of this name; None: not known.
    Prepare(Option<Vec<u8>>),
    /// DEALLOCATE PREPARE of this name.
    Deallocate(Vec<u8>),
    /// XA START.
    BeginXa,
    /// XA COMMIT, XA ROLLBACK.
    EndXa,
    /// A variable (by its key) has a value that only this node knows.
    Unknown(Vec<u8>),
    /// It is known again, or not the session's any more.
    Known(Vec<u8>),
    /// Anything else, for good.
    Other(&'static str),
}

/// What there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bound {
    node: usize,
    /// Why the handle is bound, the first reason found; kept up to date, since every statement asks.
    why: Option<&'static str>,
    tables: Vec<TableName>,
    /// A temporary table may be there under a name that is not in the list.
    renamed: bool,
    locked: bool,
    flushed: bool,
    /// Names in small letters, and how often each may be held.
    locks: Vec<(Vec<u8>, u32)>,
    /// Locks of names that are not known.
    unknown_locks: bool,
    handlers: u32,
    prepared: Vec<Vec<u8>>,
    unknown_prepared: bool,
    xa: bool,
    variables: Vec<Vec<u8>>,
    other: Option<&'static str>,
}

impl Bound {
    /// The node that the handle is bound to.
    #[inline]
    pub fn node(&self) -> Option<usize> {
        self.why.map(|_| self.node)
    }

    /// Why, in words.
    pub fn why(&self) -> Option<&'static str> {
        self.why
    }

    /// Tables are locked by LOCK TABLES.
    pub fn has_locked_tables(&self) -> bool {
        self.locked
    }

    /// Nothing is there any more: the session was reset.
    pub fn clear(&mut self) {
        *self = Bound::default();
    }

    /// A statement on `node` did this.
    pub fn apply(&mut self, change: Change, node: usize) {
        match change {
            Change::TempTable(table) => {
                if !self.tables.contains(&table) {
                    self.tables.push(table);
                }
            }
            Change::DropTable(table) => self.tables.retain(|known| *known != table),
            Change::RenamesTable => self.renamed |= !self.tables.is_empty(),
            Change::LockTables => self.locked = true,
            Change::FlushWithLock => self.flushed = true,
            Change::BeginTransaction => self.locked = false,
            Change::UnlockTables => (self.locked, self.flushed) = (false, false),
            Change::GetLock(Some(name)) => match self.locks.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => self.locks.push((name, 1)),
            },
            Change::GetLock(None) => self.unknown_locks = true,
            Change::ReleaseLock(name) => {
                // One call takes back one lock of the name, or there was none.
                for (_, count) in self.locks.iter_mut().filter(|(known, _)| *known == name) {
                    *count -= 1;
                }
                self.locks.retain(|(_, count)| *count > 0);
            }
            Change::ReleaseAllLocks => {
                self.locks.clear();
                self.unknown_locks = false;
            }
            Change::OpenHandler => self.handlers += 1,
            Change::CloseHandler => self.handlers = self.handlers.saturating_sub(1),
            Change::Prepare(Some(name)) => {
                if !self.prepared.contains(&name) {
                    self.prepared.push(name);
                }
            }
            Change::Prepare(None) => self.unknown_prepared = true,
            Change::Deallocate(name) => self.prepared.retain(|known| *known != name),
            Change::BeginXa => self.xa = true,
            Change::EndXa => self.xa = false,
            Change::Unknown(key) => {
                if !self.variables.contains(&key) {
                    self.variables.push(key);
                }
            }
            Change::Known(key) => self.variables.retain(|known| *known != key),
            Change::Other(why) => self.other = self.other.or(Some(why)),
        }
        self.node = node;
        self.why = self.reason();
    }

    fn reason(&self) -> Option<&'static str> {
        if self.xa {
            Some("an XA transaction is here")
        } else if !self.tables.is_empty() || self.renamed {
            Some("a temporary table is here")
        } else if self.locked || self.flushed {
            Some("tables are locked here")
        } else if !self.locks.is_empty() || self.unknown_locks {
            Some("a lock of GET_LOCK is held here")
        } else if self.handlers > 0 {
            Some("a HANDLER is open here")
        } else if !self.prepared.is_empty() || self.unknown_prepared {
            Some("a statement is prepared here")
        } else if !self.variables.is_empty() {
            Some("a variable has a value that only this node knows")
        } else {
            self.other
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str) -> TableName {
        (b"shop".to_vec(), name.into())
    }

    fn after(changes: &[Change]) -> Bound {
        let mut bound = Bound::default();
        for change in changes {
            bound.apply(change.clone(), 3);
        }
        bound
    }

    #[test]
    fn each_kind_binds_and_its_end_frees() {
        let lock = || Change::GetLock(Some(b"a".to_vec()));
        let unlock = || Change::ReleaseLock(b"a".to_vec());
        let prepare = |name: &str| Change::Prepare(Some(name.into()));
        let key = || b"@x".to_vec();
        for (begin, end) in [
            (vec![Change::TempTable(table("a"))], vec![Change::DropTable(table("a"))]),
            (
                vec![Change::TempTable(table("a")), Change::TempTable(table("b")), Change::TempTable(table("a"))],
                vec![Change::DropTable(table("b")), Change::DropTable(table("a"))],
            ),
            (vec![Change::LockTables, Change::LockTables], vec![Change::UnlockTables]),
            (vec![Change::LockTables], vec![Change::BeginTransaction]),
            (vec![Change::LockTables, Change::FlushWithLock], vec![Change::BeginTransaction, Change::UnlockTables]),
            (vec![lock()], vec![unlock()]),
            (vec![lock(), lock()], vec![unlock(), unlock()]),
            (vec![lock(), Change::GetLock(None)], vec![Change::ReleaseAllLocks]),
            (vec![Change::OpenHandler, Change::OpenHandler], vec![Change::CloseHandler, Change::CloseHandler]),
            (
                vec![prepare("s"), prepare("s"), prepare("t")],
                vec![Change::Deallocate(b"s".to_vec()), Change::Deallocate(b"t".to_vec())],
            ),
            (vec![Change::BeginXa], vec![Change::EndXa]),
            (vec![Change::Unknown(key()), Change::Unknown(key())], vec![Change::Known(key())]),
        ] {
            let mut bound = after(&begin);
            let (last, first) = end.split_last().expect("an end");
            for change in first {
                bound.apply(change.clone(), 3);
                assert_eq!(bound.node(), Some(3), "{begin:?}: not yet behind {change:?}");
            }
            bound.apply(last.clone(), 3);
            assert_eq!((bound.node(), bound.why()), (None, None), "{begin:?} {end:?}");
        }
    }

    #[test]
    fn what_is_not_proven_to_be_gone_is_there() {
        for changes in [
            vec![Change::TempTable(table("a")), Change::DropTable(table("A"))],
            vec![Change::TempTable(table("a")), Change::RenamesTable, Change::DropTable(table("a"))],
            vec![Change::GetLock(None), Change::ReleaseLock(b"a".to_vec())],
            vec![Change::Prepare(None), Change::Deallocate(b"a".to_vec())],
            vec![Change::Other("a procedure"), Change::UnlockTables, Change::ReleaseAllLocks],
        ] {
            assert_eq!(after(&changes).node(), Some(3), "{changes:?}");
        }
    }

    #[test]
    fn ends_without_a_beginning_are_nothing() {
        let changes = [
            Change::DropTable(table("a")),
            Change::RenamesTable,
            Change::UnlockTables,
            Change::ReleaseLock(b"a".to_vec()),
            Change::CloseHandler,
            Change::Deallocate(b"a".to_vec()),
            Change::EndXa,
            Change::Known(b"@x".to_vec()),
        ];
        assert_eq!(after(&changes).node(), None);
        let mut bound = after(&[Change::Other("x")]);
        bound.clear();
        assert_eq!(bound.node(), None);
    }
}
