//! Entries that make, prepare and execute a statement.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_ulong};
use std::pin::pin;
use std::ptr;

use crate::conn::driver::block_on_pinned;
use crate::error::{Error, Origin, Sent, cr};
use crate::options::Family;

use super::super::bind;
use super::super::convert::{c_bytes, slice};
use super::super::entry::{clear_error, entry};
use super::super::family::constants::client_flag::CLIENT_QUERY_ATTRIBUTES;
use super::super::family::{Abi, Bind};
use super::super::handle::Handle;
use super::{Rows, State, Statement, copy_binds, empty_bind, encoded, is_busy, long};

/// `CURSOR_TYPE_READ_ONLY`, the only flag that `STMT_ATTR_CURSOR_TYPE` takes.
const CURSOR_TYPE_READ_ONLY: c_ulong = 1;

entry! {
    /// Makes a statement on a handle, with nothing prepared.
    ///
    /// Returns: the statement, to be ended by [`mysql_stmt_close`]; NULL when out of memory.
    ///
    /// # Safety
    /// `mysql` is NULL or a valid handle.
    fn mysql_stmt_init<F>(mysql: *mut F::Mysql) -> *mut F::Stmt;
    handle mysql, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        match unsafe { Handle::<F>::lend(mysql) } {
            // SAFETY: lent through `mysql`.
            Some(handle) => unsafe { Statement::make(mysql, handle) },
            None => ptr::null_mut(),
        }
    }
}

entry! {
    /// Prepares a statement of `length` bytes (the MariaDB family: -1 = up to its NUL).
    ///
    /// Routing: on the node that would run it now; on others when it is first executed there. Returns: 0; 1 on an error.
    /// Errors: 2006, 2013, 2014; the server's.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement; `query` a readable buffer of `length` bytes.
    fn mysql_stmt_prepare<F>(stmt: *mut F::Stmt, query: *const c_char, length: c_ulong) -> c_int;
    statement stmt, fails 1, {
        // SAFETY: the caller's promise.
        let sql = unsafe { text(query, length, F::FAMILY) };
        // SAFETY: the caller's promise.
        block_on_pinned(pin!(unsafe { prepare::<F>(stmt, sql) }))
    }
}

/// A statement's text.
///
/// # Safety
/// `query` is a readable buffer of `length` bytes, or NUL-ended where `length` is -1 and the family takes that.
pub(in crate::abi) unsafe fn text<'a>(query: *const c_char, length: c_ulong, family: Family) -> &'a [u8] {
    if length == c_ulong::MAX && family == Family::MariaDb {
        // SAFETY: the caller's promise.
        return unsafe { c_bytes(query) }.unwrap_or_default();
    }
    // SAFETY: the caller's promise.
    unsafe { slice(query, length) }
}

/// [`mysql_stmt_prepare`].
///
/// # Safety
/// `stmt` is a valid statement.
pub(in crate::abi) async unsafe fn prepare<F: Abi>(stmt: *mut F::Stmt, sql: &[u8]) -> c_int {
    // SAFETY: the caller's promise.
    let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return 1 };
    // SAFETY: the caller's promise.
    let Some((mysql, handle)) = (unsafe { ours.handle_or_lost() }) else { return 1 };
    match F::FAMILY {
        // SAFETY: inside the public struct. The state stays, as in the original.
        Family::MySql => unsafe {
            F::stmt_last_errno(stmt).write(0);
            F::stmt_last_error(stmt).write(0);
        },
        Family::MariaDb => {
            ours.clear_error();
            clear_error::<F>(mysql);
            handle.session.forget_affected_rows();
            // SAFETY: inside the public struct.
            unsafe { F::stmt_affected_rows(stmt).write(u64::MAX) };
        }
    }
    if ours.state > State::New {
        // SAFETY: lent above.
        if let Err(error) = unsafe { ours.unprepare(handle).await } {
            // SAFETY: lent through `mysql`.
            unsafe { ours.answer_failure(mysql, handle, error) };
            return 1;
        }
    }
    match handle.session.prepare(&mut ours.prepared, sql).await {
        Ok((described, columns)) => {
            let count = usize::from(described.parameters);
            ours.set_columns(columns);
            if ours.bulk.prebound == 0 {
                ours.set_parameter_count(count);
            } else if ours.param_count() != count && count != 0 {
                ours.refuse(cr::INVALID_PARAMETER_NO);
                return 1;
            }
            ours.new_types = true;
            ours.set_state(State::Prepared);
            // SAFETY: inside the public struct; lent through `mysql`.
            unsafe {
                F::stmt_id(stmt).write(c_ulong::from(ours.prepared.id()));
                handle.publish(mysql);
            }
            ours.set_warnings(u32::from(described.warnings));
            0
        }
        Err(error) => {
            ours.set_state(State::New);
            // SAFETY: lent through `mysql`.
            unsafe { ours.answer_failure(mysql, handle, error) };
            1
        }
    }
}

impl<F: Abi> Statement<F> {
    /// In front of a second prepare: the first statement is given up.
    ///
    /// # Safety
    /// `handle` is the statement's.
    async unsafe fn unprepare(&mut self, handle: &mut Handle<F>) -> Result<(), Error> {
        let stmt = self.public();
        match F::FAMILY {
            Family::MySql => self.reset_rows(handle).await?,
            Family::MariaDb => {
                if self.others_wait(handle) {
                    return Err(Error::out_of_sync());
                }
                self.flush(handle).await;
                self.forget_stored_rows();
            }
        }
        self.set_columns(crate::result::ColumnsBuilder::default().finish());
        if self.bulk.prebound == 0 {
            // Parameters that were bound ahead are for the statement that comes.
            self.set_parameter_count(0);
            // SAFETY: inside the public struct.
            unsafe { F::stmt_bind_param_done(stmt).write(0) };
        }
        self.set_state(State::New);
        handle.session.close_statement(&mut self.prepared).await
    }

    fn set_parameter_count(&mut self, count: usize) {
        self.params = vec![empty_bind(); count];
        self.own_parameters = count;
        self.names.clear();
        let (stmt, first) = (self.public(), self.params.as_mut_ptr());
        // SAFETY: inside the public struct.
        unsafe {
            F::stmt_params(stmt).write(first);
            F::stmt_param_count(stmt).write(count as c_uint);
        }
    }

    /// The flags of an execution.
    pub(super) fn cursor_flags(&mut self) -> u8 {
        let stmt = self.public();
        // SAFETY: inside the public struct.
        let flags = unsafe { F::stmt_flags(stmt).read() };
        u8::from(flags & CURSOR_TYPE_READ_ONLY != 0)
    }
}

entry! {
    /// Binds the program's buffers to the placeholders; [`mysql_stmt_execute`] reads them each time.
    ///
    /// Returns: 0; 1 on an error. Errors: 2030 not prepared; 2036 a type that cannot be bound.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement; `bind` NULL or a readable array of as many bindings as there are placeholders,
    /// whose buffers stay until the statement was executed for the last time.
    fn mysql_stmt_bind_param<F>(stmt: *mut F::Stmt, bind: *mut Bind) -> c_char;
    statement stmt, fails 1, {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return 1 };
        if F::FAMILY == Family::MariaDb {
            // SAFETY: the caller's promise.
            if unsafe { ours.handle_or_lost() }.is_none() {
                return 1;
            }
            if ours.bulk.prebound > 0 && (ours.state < State::Prepared || ours.state >= State::Executed) {
                if ours.params.len() != ours.bulk.prebound as usize {
                    ours.set_parameter_count(ours.bulk.prebound as usize);
                }
            } else if ours.state < State::Prepared {
                ours.refuse(cr::NO_PREPARE_STMT);
                return 1;
            }
        }
        let count = ours.param_count();
        // SAFETY: the caller's promise.
        unsafe { ours.bind_parameters(bind, count, ptr::null()) }
    }
}

entry! {
    /// Binds the program's buffers to the placeholders, and further ones to attributes of the statement: `count` in all,
    /// attributes behind the placeholders, each with its name (NULL or "" = none). A server that takes no attributes does
    /// not get them.
    ///
    /// Returns: 0; 1 on an error. Errors: as [`mysql_stmt_bind_param`].
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement; `bind` and `names` NULL or readable arrays of `count` elements; the names are
    /// NULL or NUL-ended strings; the buffers stay until the statement was executed for the last time.
    fn mysql_stmt_bind_named_param<F>(
        stmt: *mut F::Stmt, bind: *mut Bind, count: c_uint, names: *const *const c_char,
    ) -> c_char;
    statement stmt, fails 1, {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return 1 };
        // SAFETY: the caller's promise.
        unsafe { ours.bind_parameters(bind, count as usize, names) }
    }
}

impl<F: Abi> Statement<F> {
    /// Takes the program's bindings over.
    ///
    /// # Safety
    /// As for [`mysql_stmt_bind_named_param`].
    unsafe fn bind_parameters(&mut self, bind: *mut Bind, count: usize, names: *const *const c_char) -> c_char {
        if F::FAMILY == Family::MySql && (count == 0 || bind.is_null()) {
            if self.state < State::Prepared {
                self.refuse(cr::NO_PREPARE_STMT);
                return 1;
            }
            return 0;
        }
        if F::FAMILY == Family::MySql && self.state < State::Prepared && self.own_parameters == 0 {
            self.refuse(cr::NO_PREPARE_STMT);
            return 1;
        }
        if count > self.params.len() || self.params.len() > self.own_parameters {
            self.params = vec![empty_bind(); count.max(self.own_parameters)];
            let (stmt, first) = (self.public(), self.params.as_mut_ptr());
            // SAFETY: inside the public struct.
            unsafe { F::stmt_params(stmt).write(first) };
        }
        self.names.clear();
        let first = self.params.as_mut_ptr();
        // SAFETY: the caller's promise.
        unsafe { copy_binds(first, bind, count) };
        for number in 0..(if bind.is_null() { 0 } else { count }) {
            // SAFETY: below the number of bindings.
            let prepared = unsafe { bind::prepare_parameter::<F>(first.add(number), number as u32) };
            if let Err(refused) = prepared {
                // The MariaDB family executes with what it has, if it was bound before.
                self.new_types |= F::FAMILY == Family::MariaDb;
                self.fail(&refused.error(F::FAMILY));
                return 1;
            }
            if !names.is_null() {
                // SAFETY: the caller's promise.
                let name = unsafe { c_bytes(*names.add(number)) }.unwrap_or_default();
                self.names.push(encoded::counted(name));
            }
        }
        self.new_types = true;
        let stmt = self.public();
        // SAFETY: inside the public struct.
        unsafe { F::stmt_bind_param_done(stmt).write(1) };
        if F::FAMILY == Family::MariaDb {
            self.clear_error();
        }
        0
    }
}

entry! {
    /// Sends a piece of a parameter's value ahead of the execution, for values that do not fit memory.
    ///
    /// Routing: the first piece decides on which node the execution runs. Returns: 0; 1 on an error.
    /// Errors: 2030, 2034 no such parameter, 2035 not a text or blob; 2006, 2014.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement; `data` a readable buffer of `length` bytes.
    fn mysql_stmt_send_long_data<F>(
        stmt: *mut F::Stmt, number: c_uint, data: *const c_char, length: c_ulong,
    ) -> c_char;
    statement stmt, fails 1, {
        // SAFETY: the caller's promise.
        block_on_pinned(pin!(unsafe { send_long_data::<F>(stmt, number, slice(data, length)) }))
    }
}

/// [`mysql_stmt_send_long_data`].
///
/// # Safety
/// `stmt` is a valid statement.
pub(in crate::abi) async unsafe fn send_long_data<F: Abi>(stmt: *mut F::Stmt, number: c_uint, data: &[u8]) -> c_char {
    // SAFETY: the caller's promise.
    let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return 1 };
    if F::FAMILY == Family::MySql && number as usize >= ours.params.len() {
        ours.refuse(cr::INVALID_PARAMETER_NO);
        return 1;
    }
    // SAFETY: the caller's promise.
    let Some((mysql, handle)) = (unsafe { ours.handle_or_lost() }) else { return 1 };
    if F::FAMILY == Family::MariaDb {
        clear_error::<F>(mysql);
        ours.clear_error();
        if ours.state < State::Prepared || ours.params.is_empty() {
            ours.refuse(cr::NO_PREPARE_STMT);
            return 1;
        }
    }
    let Some(bind) = ours.params.get_mut(number as usize) else {
        ours.refuse(cr::INVALID_PARAMETER_NO);
        return 1;
    };
    if F::FAMILY == Family::MySql && !takes_long_data(bind.buffer_type) {
        let text =
            format!("Can't send long data for non-string/non-binary data types (parameter: {})", bind.param_number);
        ours.fail(&Error::client(cr::INVALID_BUFFER_USE, text));
        return 1;
    }
    if data.is_empty() && bind.long_data_used != 0 {
        return 0;
    }
    bind.long_data_used = 1;
    if F::FAMILY == Family::MySql && (is_busy(handle) || handle.session.more_results()) {
        // Told the statement only.
        clear_error::<F>(mysql);
        ours.fail(&Error::out_of_sync());
        return 1;
    }
    match handle.session.send_long_data(&mut ours.prepared, number as u16, data).await {
        Ok(()) => {
            // SAFETY: lent through `mysql`.
            unsafe { handle.publish_quietly(mysql) };
            0
        }
        Err(error) => {
            // SAFETY: lent through `mysql`.
            unsafe { ours.answer_failure(mysql, handle, error) };
            1
        }
    }
}

/// Types whose values libmysqlclient lets a program send in pieces.
fn takes_long_data(buffer_type: c_uint) -> bool {
    // Blobs, texts, JSON and vectors.
    matches!(buffer_type, 242 | 245 | 249..=252 | 253 | 254 | 15)
}

entry! {
    /// Executes the statement with the values that the program's buffers hold now.
    ///
    /// Rows that still wait from the execution before are thrown away. Returns: 0; 1 on an error.
    /// Errors: 2006 not executed, 2013 unknown, 2014 out of order, 2031 parameters are not bound, 2057 the number of
    /// columns changed; the server's.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement; what it has bound is still there.
    fn mysql_stmt_execute<F>(stmt: *mut F::Stmt) -> c_int;
    statement stmt, fails 1, {
        // SAFETY: the caller's promise.
        block_on_pinned(pin!(unsafe { execute::<F>(stmt) }))
    }
}

/// [`mysql_stmt_execute`].
///
/// # Safety
/// `stmt` is a valid statement; what it has bound is still there.
pub(in crate::abi) async unsafe fn execute<F: Abi>(stmt: *mut F::Stmt) -> c_int {
    // SAFETY: the caller's promise.
    let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return 1 };
    // SAFETY: the caller's promise.
    let Some((mysql, handle)) = (unsafe { ours.handle() }) else {
        // libmysqlclient has said it when the handle went.
        let why = ours.why_no_handle();
        if F::FAMILY == Family::MariaDb || why.code == cr::COMMANDS_OUT_OF_SYNC {
            ours.fail(&why);
        }
        return 1;
    };
    // SAFETY: lent through `mysql`.
    if !unsafe { ours.make_ready(mysql, handle).await } {
        return 1;
    }
    ours.honour_id(handle);
    // Without a connection libmysqlclient fails before there is anything that it could take over.
    let alive = F::FAMILY == Family::MariaDb || handle.session.is_connected();
    let flags = ours.cursor_flags();
    let bulk = ours.bulk.array_size > 0;
    // SAFETY: the caller's promise.
    let encoded = unsafe { if bulk { ours.encode_bulk() } else { ours.encode() } };
    if let Err(error) = encoded {
        ours.fail(&error);
        return 1;
    }
    let request = ours.encoded.request(flags, ours.new_types, bulk);
    let executed = handle.session.execute(&mut ours.prepared, &request).await;
    // A server that refuses an execution has read the types all the same; for the session that has counted them as known
    // when it refused (`Session::execute`) they are.
    ours.new_types &=
        executed.as_ref().is_err_and(|error| error.origin == Origin::Client && !handle.session.forgets_types(error));
    let refused = executed.as_ref().is_err_and(|error| error.sent == Sent::No);
    let keeps = match F::FAMILY {
        Family::MariaDb => refused,
        // An error behind the columns, which an execution for a cursor reads, leaves the statement as it was.
        Family::MySql => flags != 0 && executed.is_err() && ours.prepared.broke_off(),
    };
    if alive && !keeps {
        ours.take_outcome(handle);
    }
    match executed {
        Ok(executed) => {
            // SAFETY: inside the public struct; lent through `mysql`.
            unsafe {
                F::stmt_id(stmt).write(c_ulong::from(ours.prepared.id()));
                handle.publish(mysql);
            }
            if handle.session.more_results() && F::FAMILY == Family::MariaDb && !executed.shape.is_nothing() {
                // As Connector/C: the columns of a procedure's results are made anew.
                ours.forget_columns();
            }
            if F::FAMILY == Family::MariaDb && !executed.shape.is_nothing() && !handle.session.may_leave_columns_out() {
                ours.forget_lengths();
            }
            match (F::FAMILY, ours.take_executed(executed)) {
                // libmysqlclient leaves the error of a statement that was not prepared where it is, and says so again.
                (Family::MySql, 0) => c_int::from(ours.errno() != 0),
                (_, taken) => taken,
            }
        }
        Err(error) => {
            if F::FAMILY == Family::MariaDb && error.sent != Sent::No {
                ours.set_state(State::Prepared);
            }
            // SAFETY: lent through `mysql`.
            unsafe { ours.answer_failure(mysql, handle, error) };
            1
        }
    }
}

impl<F: Abi> Statement<F> {
    /// The id that the program has written into its statement, of a plain handle.
    fn honour_id(&mut self, handle: &Handle<F>) {
        let stmt = self.public();
        // SAFETY: inside the public struct.
        let id = unsafe { F::stmt_id(stmt).read() } as u32;
        if id != self.prepared.id() && !handle.session.is_routed() && self.state > State::New {
            self.prepared.claim_id(id);
        }
    }

    /// In front of an execution: what the one before left is thrown away. False: refused, and said why.
    ///
    /// # Safety
    /// `handle` was lent through `mysql`.
    async unsafe fn make_ready(&mut self, mysql: *mut F::Mysql, handle: &mut Handle<F>) -> bool {
        let stmt = self.public();
        // SAFETY: inside the public struct.
        let bound = unsafe { F::stmt_bind_param_done(stmt).read() } != 0;
        let unbound = self.own_parameters > 0 && !bound;
        match F::FAMILY {
            Family::MySql => {
                let _ = self.reset_rows(handle).await;
                if self.state > State::New {
                    self.clear_error();
                }
                if unbound {
                    self.refuse(cr::PARAMS_NOT_BOUND);
                    return false;
                }
                // As in the original, only the statement says so where it puts parameters or attributes together.
                let attributes =
                    handle.session.server().is_some_and(|server| server.capabilities & CLIENT_QUERY_ATTRIBUTES != 0);
                let busy = is_busy(handle) || handle.session.more_results();
                if busy && (attributes || self.own_parameters > 0) {
                    // SAFETY: lent through `mysql`.
                    unsafe { handle.publish_quietly(mysql) };
                    self.fail(&Error::out_of_sync());
                    return false;
                }
            }
            Family::MariaDb => {
                if self.state < State::Prepared {
                    // SAFETY: a valid handle.
                    unsafe { self.out_of_sync(mysql) };
                    return false;
                }
                if unbound {
                    self.refuse(cr::PARAMS_NOT_BOUND);
                    return false;
                }
                let in_result = self.state >= State::Waiting && self.state < State::Done;
                if in_result && !matches!(self.rows, Rows::Stored(..)) {
                    if matches!(self.rows, Rows::Waiting) && is_busy(handle) {
                        self.skip_all(handle).await;
                    }
                    self.set_state(State::Prepared);
                }
                self.rows = Rows::None;
                self.fetched = 0;
            }
        }
        true
    }

    /// The next columns are new ones.
    pub(super) fn forget_columns(&mut self) {
        self.types.clear();
        self.widths.clear();
    }
}

entry! {
    /// Prepares and executes a statement whose parameters, if it has any, were bound before
    /// (`STMT_ATTR_PREBIND_PARAMS`).
    ///
    /// Returns: 0; 1 on an error. Errors: as [`mysql_stmt_prepare`] and [`mysql_stmt_execute`]; 2034 for another number
    /// of parameters.
    ///
    /// # Safety
    /// `stmt` is NULL or a valid statement; `query` a readable buffer of `length` bytes, or NUL-ended for a length of -1.
    fn mariadb_stmt_execute_direct<F>(stmt: *mut F::Stmt, query: *const c_char, length: usize) -> c_int;
    statement stmt, fails 1, {
        // SAFETY: the caller's promise.
        let sql = unsafe { text(query, long(length), F::FAMILY) };
        // SAFETY: the caller's promise.
        block_on_pinned(pin!(unsafe { execute_direct::<F>(stmt, sql) }))
    }
}

/// [`mariadb_stmt_execute_direct`].
///
/// # Safety
/// `stmt` is a valid statement; what it has bound is still there.
pub(in crate::abi) async unsafe fn execute_direct<F: Abi>(stmt: *mut F::Stmt, sql: &[u8]) -> c_int {
    // SAFETY: the caller's promise.
    match unsafe { prepare::<F>(stmt, sql).await } {
        // SAFETY: the caller's promise.
        0 => match unsafe { lacks_values::<F>(stmt) } {
            true => 1,
            // SAFETY: the caller's promise.
            false => unsafe { execute::<F>(stmt).await },
        },
        failed => {
            // As the original, which lets the server count the id from the statement that it is about to prepare.
            // SAFETY: inside the public struct.
            unsafe { F::stmt_id(stmt).write(c_ulong::MAX) };
            failed
        }
    }
}

/// The original executes a statement whose placeholders are not bound with nothing at all, which the server refuses: so it
/// is told.
///
/// # Safety
/// `stmt` is a valid statement.
unsafe fn lacks_values<F: Abi>(stmt: *mut F::Stmt) -> bool {
    /// `ER_MALFORMED_PACKET`.
    const MALFORMED: u32 = 1835;
    // SAFETY: the caller's promise.
    let Some(ours) = (unsafe { Statement::<F>::lend(stmt) }) else { return false };
    // SAFETY: inside the public struct.
    if ours.own_parameters == 0 || unsafe { F::stmt_bind_param_done(stmt).read() } != 0 {
        return false;
    }
    // SAFETY: the caller's promise.
    let Some((mysql, handle)) = (unsafe { ours.handle() }) else { return false };
    // With other servers it goes by the usual two steps.
    if !handle.session.server().is_some_and(|server| server.is_mariadb) {
        return false;
    }
    let text = "Malformed communication packet";
    let error = Error { origin: Origin::Server, ..Error::client(MALFORMED, text) };
    // SAFETY: lent through `mysql`.
    unsafe { ours.answer_failure(mysql, handle, error) };
    true
}
