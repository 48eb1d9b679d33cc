//! `MYSQL_STMT` and what hangs from it: buffers that the program bound, the rows being fetched, where the statement stands.
//!
//! One statement, top to bottom: [`run`] (prepare, bind, execute), [`fetch`] (bind, store, fetch, seek), [`end`] (next
//! result, free, reset, close); [`info`] has attributes, counts and texts, [`bulk`] MariaDB's arrays. Conversions are [`super::bind`]'s, the protocol [`crate::session`]'s. The two originals
//! differ in which call they allow when; where they do, the code asks for the family.

#![allow(unsafe_code)]

mod bulk;
pub(super) mod encoded;
mod end;
mod fetch;
mod info;
mod run;
mod seek;

pub use end::*;
pub use fetch::*;
pub use info::*;
pub use run::*;
pub use seek::*;

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr;
use std::sync::Arc;

use crate::error::Error;
use crate::options::Family;
use crate::result::{BinaryRows, Columns, Width};
use crate::session::{Executed, Phase, Prepared, RowsAre, Shape};

use super::bind::{ColumnType, How, fixed_display_length, mariadb_knows};
use super::entry::set_stmt_error;
use super::family::{Abi, Bind};
use super::handle::Handle;
use super::memory::Fields;
use encoded::Encoded;

/// `MYSQL_NO_DATA`.
const NO_DATA: c_int = 100;
/// `MYSQL_DATA_TRUNCATED`.
const DATA_TRUNCATED: c_int = 101;

/// Where a statement stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// Nothing is prepared.
    New,
    /// Prepared, not executed since.
    Prepared,
    /// Executed, without a result.
    Executed,
    /// Executed; nobody has asked for the rows yet.
    Waiting,
    /// The rows are stored, or will be fetched one at a time.
    Ready,
    /// A row was fetched.
    Fetching,
    /// There are no more rows.
    Done,
}

impl State {
    /// `MYSQL_STMT.state`.
    fn number(self, family: Family) -> c_uint {
        match (family, self) {
            (Family::MariaDb, state) => state as c_uint,
            (Family::MySql, State::New) => 1,
            (Family::MySql, State::Prepared | State::Done) => 2,
            (Family::MySql, State::Executed | State::Waiting | State::Ready) => 3,
            (Family::MySql, State::Fetching) => 4,
        }
    }
}

/// Where the rows are.
enum Rows {
    /// There is no result.
    None,
    /// All were fetched.
    Ended,
    /// In the connection.
    Waiting,
    /// Here; the number of the one that is fetched next.
    Stored(BinaryRows, u64),
    /// The same, which nobody can fetch before a seek: libmysqlclient after a reset.
    Parked(BinaryRows, u64),
    /// In the server's cursor, some of them here.
    Cursor(BinaryRows, u64),
}

/// The row fetched last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Current {
    /// There is none.
    None,
    /// In `row`.
    Copied,
    /// The stored one with this number.
    Stored(u64),
}

/// A statement: the public struct first, so that its address is the public pointer; our part behind it.
#[repr(C)]
pub(super) struct Statement<F: Abi> {
    public: F::Stmt,
    /// The handle whose list has this, whatever the program writes into `MYSQL_STMT.mysql`; NULL when none has.
    home: *mut Handle<F>,
    prepared: Prepared,
    state: State,
    /// `MYSQL_STMT.params`: programs write into them.
    params: Vec<Bind>,
    /// How many of them are the statement's; the rest are attributes.
    own_parameters: usize,
    /// Their names, as they go to a server that takes them: each with its length.
    names: Vec<Vec<u8>>,
    /// `MYSQL_STMT.bind`: programs write into them.
    results: Vec<Bind>,
    fields: Option<Arc<Fields>>,
    types: Vec<ColumnType>,
    widths: Vec<Width>,
    /// How each column is delivered; empty when that has to be chosen (again).
    cells: Vec<Cell>,
    rows: Rows,
    row: Vec<u8>,
    current: Current,
    /// The types of the parameters are new to every server.
    new_types: bool,
    /// The parameters' bytes.
    encoded: Encoded,
    /// Somebody else had the rows thrown away (2050).
    cancelled: bool,
    /// Rows fetched so far of a result that is not stored.
    fetched: u64,
    /// The cursor has sent its last row.
    last_row_sent: bool,
    bulk: Bulk,
}

/// How one column of a row gets into the buffer that is bound to it.
struct Cell {
    how: How,
    width: Width,
    kind: ColumnType,
}

/// Attributes of the MariaDB family.
#[derive(Default)]
struct Bulk {
    array_size: c_uint,
    row_size: usize,
    /// `STMT_ATTR_PREBIND_PARAMS`: parameters bound before the statement is prepared.
    prebound: c_uint,
    /// The bulk's `STMT_ATTR_CB_*` functions and their argument.
    user_data: usize,
    on_parameter: usize,
    on_result: usize,
}

impl<F: Abi> Statement<F> {
    /// `mysql_stmt_init`.
    ///
    /// # Safety
    /// `mysql` is a valid handle, lent as `handle`.
    unsafe fn make(mysql: *mut F::Mysql, handle: &mut Handle<F>) -> *mut F::Stmt {
        let statement = Box::new(Statement::<F> {
            // SAFETY: all bytes zero is a valid value of the families' structs (see `family::layout`).
            public: unsafe { std::mem::zeroed() },
            home: handle,
            prepared: Prepared::default(),
            state: State::New,
            params: Vec::new(),
            own_parameters: 0,
            names: Vec::new(),
            results: Vec::new(),
            fields: None,
            types: Vec::new(),
            widths: Vec::new(),
            cells: Vec::new(),
            rows: Rows::None,
            row: Vec::new(),
            current: Current::None,
            new_types: false,
            encoded: Encoded::default(),
            cancelled: false,
            fetched: 0,
            last_row_sent: false,
            bulk: Bulk::default(),
        });
        let stmt: *mut F::Stmt = Box::into_raw(statement).cast();
        // SAFETY: accessors give addresses inside the block made above.
        unsafe {
            F::stmt_mark(stmt).write(Self::mark(stmt));
            F::stmt_mysql(stmt).write(mysql);
            F::stmt_prefetch_rows(stmt).write(1);
            F::stmt_sqlstate(stmt).write([b'0' as c_char, 48, 48, 48, 48, 0]);
            F::stmt_state(stmt).write(State::New.number(F::FAMILY));
        }
        handle.statements.push(stmt);
        stmt
    }

    /// What a statement of ours has where the originals keep their memory: its own address, and an odd one, so that
    /// neither a copy of it nor a statement of anybody else has it.
    #[inline]
    fn mark(stmt: *mut F::Stmt) -> *mut c_void {
        let family = match F::FAMILY {
            Family::MySql => 1,
            Family::MariaDb => 3,
        };
        stmt.cast::<c_void>().wrapping_byte_add(family)
    }

    /// What stands in its place while a non-blocking call waits.
    #[inline]
    fn pending_mark(stmt: *mut F::Stmt) -> *mut c_void {
        Self::mark(stmt).wrapping_byte_add(4)
    }

    /// Our part of a statement; None for NULL and statements that are not ours. Looks at nothing behind the public struct
    /// before it knows.
    ///
    /// # Safety
    /// `stmt` is NULL or points to a readable `MYSQL_STMT`; no other borrow of it is alive.
    #[inline]
    unsafe fn lend<'a>(stmt: *mut F::Stmt) -> Option<&'a mut Statement<F>> {
        if stmt.is_null() {
            return None;
        }
        // SAFETY: the caller's promise.
        let mark = unsafe { F::stmt_mark(stmt).read() };
        if mark != Self::mark(stmt) {
            // SAFETY: the caller's promise.
            unsafe { Self::refuse_pending(stmt, mark) };
            return None;
        }
        // SAFETY: made here and not closed.
        Some(unsafe { &mut *stmt.cast::<Statement<F>>() })
    }

    /// 2014 in a statement on which a call is pending.
    ///
    /// # Safety
    /// As for [`Statement::lend`], with what was found there.
    #[cold]
    unsafe fn refuse_pending(stmt: *mut F::Stmt, mark: *mut c_void) {
        if mark == Self::pending_mark(stmt) {
            let error = Error::out_of_sync();
            set_stmt_error::<F>(stmt, error.code, &error.sqlstate, &error.message);
        }
    }

    /// Marks a statement as lendable or not, for the time that a non-blocking call of it waits.
    ///
    /// # Safety
    /// `stmt` is NULL or a live statement of ours.
    pub(super) unsafe fn set_pending(stmt: *mut F::Stmt, pending: bool) {
        if !stmt.is_null() {
            let mark = if pending { Self::pending_mark(stmt) } else { Self::mark(stmt) };
            // SAFETY: the caller's promise.
            unsafe { F::stmt_mark(stmt).write(mark) };
        }
    }

    /// The statement's public pointer.
    #[inline]
    fn public(&mut self) -> *mut F::Stmt {
        ptr::from_mut(self).cast()
    }

    /// The handle, as long as the statement has one; programs write NULL to cut it off.
    ///
    /// # Safety
    /// `MYSQL_STMT.mysql` is NULL or a valid handle, of which no other borrow is alive.
    #[inline]
    unsafe fn handle<'a>(&mut self) -> Option<(*mut F::Mysql, &'a mut Handle<F>)> {
        let stmt = self.public();
        // SAFETY: inside the public struct.
        let mysql = unsafe { F::stmt_mysql(stmt).read() };
        // SAFETY: the caller's promise.
        let handle = unsafe { Handle::<F>::lend(mysql) }?;
        if handle.session.has_lost(&self.prepared) && !self.survives_loss(handle) {
            return None;
        }
        Some((mysql, handle))
    }

    /// The connection on which the statement was prepared is gone. libmysqlclient cuts the statement off; Connector/C
    /// does not look, and calls it new once the handle is connected again.
    #[cold]
    fn survives_loss(&mut self, handle: &mut Handle<F>) -> bool {
        match F::FAMILY {
            Family::MySql => {
                let stmt = self.public();
                handle.statements.retain(|other| *other != stmt);
                self.home = ptr::null_mut();
                self.cut_off(&Error::lost(F::FAMILY));
                false
            }
            Family::MariaDb => {
                if handle.session.is_connected() {
                    self.prepared = Prepared::default();
                    self.set_state(State::New);
                    self.fail(&Error::lost(F::FAMILY));
                }
                true
            }
        }
    }

    /// The same for calls that answer 2013 when there is no handle any more.
    ///
    /// # Safety
    /// As for [`Statement::handle`].
    #[inline]
    unsafe fn handle_or_lost<'a>(&mut self) -> Option<(*mut F::Mysql, &'a mut Handle<F>)> {
        // SAFETY: the caller's promise.
        let found = unsafe { self.handle() };
        if found.is_none() {
            self.fail(&self.why_no_handle());
        }
        found
    }

    /// What a call says that has found no handle: 2013, or 2014 while a non-blocking call of the handle waits.
    fn why_no_handle(&self) -> Error {
        let stmt: *const F::Stmt = ptr::from_ref(self).cast();
        // SAFETY: the public struct holds NULL or a valid handle.
        let waits = unsafe { Handle::<F>::pending(F::stmt_mysql(stmt.cast_mut()).read()) }.is_some();
        if waits { Error::out_of_sync() } else { Error::lost(F::FAMILY) }
    }

    /// The statement has no handle any more, and says why.
    fn cut_off(&mut self, why: &Error) {
        let stmt = self.public();
        // SAFETY: inside the public struct.
        unsafe { F::stmt_mysql(stmt).write(ptr::null_mut()) };
        self.fail(why);
    }

    /// A call on the handle has ended the statement.
    ///
    /// # Safety
    /// `stmt` is a live statement of ours.
    pub unsafe fn detach(stmt: *mut F::Stmt, function: &str) {
        // SAFETY: the caller's promise.
        if let Some(ours) = unsafe { Self::lend(stmt) } {
            // libmysqlclient ends the connection first, which ends what is prepared on it.
            ours.home = ptr::null_mut();
            let lost = F::FAMILY == Family::MySql && function == "mysql_close" && ours.state > State::New;
            let closed = || Error::statement_closed(F::FAMILY, function);
            ours.cut_off(&if lost { Error::lost(F::FAMILY) } else { closed() });
        }
    }

    /// Puts an error into the statement.
    fn fail(&mut self, error: &Error) {
        let stmt = self.public();
        set_stmt_error::<F>(stmt, error.code, &error.sqlstate, &error.message);
    }

    /// The same for a misuse that is known by its number.
    fn refuse(&mut self, code: u32) {
        self.fail(&Error::statement(F::FAMILY, code));
    }

    /// 2014, which Connector/C tells the handle, too.
    ///
    /// # Safety
    /// `mysql` is a valid handle.
    unsafe fn out_of_sync(&mut self, mysql: *mut F::Mysql) {
        let error = Error::out_of_sync();
        if F::FAMILY == Family::MariaDb {
            super::entry::set_error::<F>(mysql, error.code, &error.sqlstate, &error.message);
        }
        self.fail(&error);
    }

    /// Publishes a failed call in the handle and the statement.
    ///
    /// # Safety
    /// As for [`Handle::answer`].
    unsafe fn answer_failure(&mut self, mysql: *mut F::Mysql, handle: &mut Handle<F>, error: Error) {
        let error = handle.shown_error(error);
        self.fail(&error);
        // SAFETY: the caller's promise.
        unsafe { handle.answer(mysql, Err(error)) };
    }

    /// No error. libmysqlclient leaves a state without a number where it is.
    fn clear_error(&mut self) {
        let stmt = self.public();
        if F::FAMILY == Family::MariaDb || self.errno() != 0 {
            set_stmt_error::<F>(stmt, 0, b"00000", b"");
        }
    }

    /// Number of the statement's error; 0 = none.
    fn errno(&mut self) -> c_uint {
        let stmt = self.public();
        // SAFETY: inside the public struct.
        unsafe { F::stmt_last_errno(stmt).read() }
    }

    fn set_state(&mut self, state: State) {
        self.state = state;
        let stmt = self.public();
        // SAFETY: inside the public struct.
        unsafe { F::stmt_state(stmt).write(state.number(F::FAMILY)) };
    }

    fn field_count(&self) -> usize {
        self.types.len()
    }

    /// Number of placeholders.
    fn param_count(&self) -> usize {
        self.own_parameters
    }

    /// Copies what the session says of the last reply.
    fn take_outcome(&mut self, handle: &Handle<F>) {
        let outcome = handle.session.outcome();
        let stmt = self.public();
        // SAFETY: inside the public struct.
        unsafe {
            F::stmt_affected_rows(stmt).write(outcome.affected_rows);
            F::stmt_insert_id(stmt).write(outcome.insert_id);
            F::stmt_server_status(stmt).write(c_uint::from(outcome.status));
        }
        self.set_warnings(outcome.warnings);
    }

    fn set_warnings(&mut self, count: u32) {
        if let Some(place) = F::stmt_warnings(self.public()) {
            // SAFETY: inside the public struct.
            unsafe { place.write(count) };
        }
    }

    /// New columns: of a prepared statement, or of a result that did not say before it was executed that it has any.
    fn set_columns(&mut self, columns: Columns) {
        self.prepared.forget_shape();
        self.types = columns.iter().map(|column| type_of(&column)).collect();
        self.widths = self.types.iter().map(|kind| Width::of(kind.column_type)).collect();
        self.results = vec![empty_bind(); self.types.len()];
        self.forget_fetches();
        let fields = Fields::new(columns, F::FAMILY);
        let stmt = self.public();
        let bind = self.results.as_mut_ptr();
        // SAFETY: inside the public struct.
        unsafe {
            F::stmt_fields(stmt).write(fields.first());
            F::stmt_bind(stmt).write(bind);
            F::stmt_field_count(stmt).write(fields.len() as c_uint);
            F::stmt_bind_result_done(stmt).write(0);
        }
        self.fields = Some(fields);
    }

    /// The server has told how many columns there are, not of which types: values cannot be taken out of the rows.
    fn is_undescribed(&self) -> bool {
        self.fields.as_ref().is_some_and(|fields| !fields.is_described())
    }

    /// The same columns, perhaps of other types: as with every execution.
    fn follow_columns(&mut self, columns: &Columns) {
        if !columns.is_described() {
            return;
        }
        let mut changed = false;
        for (kind, column) in self.types.iter_mut().zip(columns.iter()) {
            let new = type_of(&column);
            changed |= *kind != new;
            *kind = new;
        }
        if changed {
            self.widths = self.types.iter().map(|kind| Width::of(kind.column_type)).collect();
            self.forget_fetches();
            if let Some(fields) = &self.fields {
                fields.follow(columns, F::FAMILY);
            }
            // SAFETY: inside the public struct.
            if F::FAMILY == Family::MySql && unsafe { F::stmt_bind_result_done(self.public()).read() } != 0 {
                self.tell_fixed_lengths();
            }
        }
    }

    /// The longest texts of the columns whose types have one, as `MYSQL_FIELD.max_length`.
    fn tell_fixed_lengths(&self) {
        let Some(fields) = &self.fields else { return };
        for (number, kind) in self.types.iter().enumerate() {
            if let (Some(field), Some(length)) = (fields.at(number), fixed_display_length::<F>(kind)) {
                // SAFETY: a field of the statement's.
                unsafe { (*field).max_length = long(length) };
            }
        }
    }

    /// Connector/C takes `MYSQL_FIELD.max_length` over from the columns that come with an execution, which have none.
    fn forget_lengths(&self) {
        let Some(fields) = &self.fields else { return };
        for field in (0..self.types.len()).filter_map(|number| fields.at(number)) {
            // SAFETY: a field of the statement's.
            unsafe { (*field).max_length = 0 };
        }
    }

    fn forget_fetches(&mut self) {
        self.cells.clear();
    }

    /// Chooses the conversion of every column.
    #[cold]
    fn choose_fetches(&mut self) {
        self.cells.clear();
        for (bind, kind) in self.results.iter().zip(&self.types) {
            if F::FAMILY == Family::MariaDb && !mariadb_knows(kind.column_type) {
                // A fetch ends here, with MYSQL_DATA_MALFORMED.
                break;
            }
            let how = How::of::<F>(bind, kind);
            self.cells.push(Cell { how, width: Width::of(kind.column_type), kind: *kind });
        }
    }

    /// What an execution, or the next result, has brought. The value of the entry.
    fn take_executed(&mut self, executed: Executed) -> c_int {
        self.current = Current::None;
        self.last_row_sent = false;
        self.fetched = 0;
        if let (Family::MySql, Some(status)) = (F::FAMILY, executed.status_before_rows) {
            let stmt = self.public();
            // SAFETY: inside the public struct.
            unsafe { F::stmt_server_status(stmt).write(c_uint::from(status)) };
        }
        if F::FAMILY == Family::MariaDb {
            self.clear_error();
        }
        if executed.shape.is_nothing() {
            self.rows = Rows::None;
            self.set_state(State::Executed);
            return 0;
        }
        self.cancelled = false;
        self.rows = match executed.rows {
            RowsAre::Nowhere => Rows::None,
            RowsAre::Waiting => Rows::Waiting,
            RowsAre::InCursor => {
                if let Some(place) = F::stmt_cursor_exists(self.public()) {
                    // SAFETY: inside the public struct.
                    unsafe { place.write(1) };
                }
                Rows::Cursor(BinaryRows::default(), 0)
            }
            RowsAre::Here(rows) if rows.is_empty() && F::FAMILY == Family::MySql => Rows::Ended,
            RowsAre::Here(rows) => Rows::Stored(*rows, 0),
        };
        self.set_state(if matches!(self.rows, Rows::Stored(..)) { State::Ready } else { State::Waiting });
        let Shape::New(columns) = executed.shape else { return 0 };
        if self.field_count() == 0 || columns.len() == self.field_count() && self.is_undescribed() {
            self.set_columns(columns);
        } else if columns.len() == self.field_count() {
            self.follow_columns(&columns);
        } else {
            self.prepared.forget_shape();
            self.refuse(crate::error::cr::NEW_STMT_METADATA);
            return 1;
        }
        0
    }
}

/// Rows or further results of the handle wait.
fn is_busy<F: Abi>(handle: &Handle<F>) -> bool {
    matches!(handle.session.phase(), Phase::HasResult | Phase::Streaming | Phase::StatementRows)
}

fn type_of(column: &crate::result::Column) -> ColumnType {
    ColumnType::new(column.column_type, column.flags, column.length, column.decimals, column.charset)
}

/// A binding of which nothing is set.
fn empty_bind() -> Bind {
    // SAFETY: all bytes zero is a valid value: integers, raw pointers and optional functions.
    unsafe { std::mem::zeroed() }
}

/// As many bindings as there are parameters, copied from the program's.
///
/// # Safety
/// `from` is a readable array of `count` bindings.
unsafe fn copy_binds(to: *mut Bind, from: *const Bind, count: usize) {
    if count != 0 && !from.is_null() && !ptr::eq(from, to) {
        // SAFETY: the caller's promise; `to` is ours and has as many.
        unsafe { ptr::copy(from, to, count) };
    }
}

/// `unsigned long` of the public interface.
fn long(count: usize) -> c_ulong {
    count as c_ulong
}
