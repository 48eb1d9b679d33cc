//! Blocks that C reads: `MYSQL_RES` with its `MYSQL_FIELD` array; rows lead into memory of [`crate::result`].
//!
//! One maker and one free: [`Result::stored`], [`Result::streaming`], [`Result::metadata`]; [`Result::free`].

#![allow(unsafe_code)]

mod cancelled;

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::pin::pin;
use std::ptr;
use std::sync::Arc;

use crate::conn::driver::block_on_pinned;
use crate::error::Error;
use crate::options::Family;
use crate::result::{Column, Columns, ColumnsBuilder, StoredRows, StreamRow};
use crate::session::{Phase, Session};

use super::family::constants::field_type;
use super::family::{Abi, Field, Row};
use super::handle::Handle;
use super::step::{self, Call, Progress};

/// Where the rows come from.
pub(super) enum Rows {
    /// `mysql_store_result`; the number of the row that is fetched next.
    Stored(StoredRows, u64),
    /// `mysql_use_result`.
    Streaming(StreamRow),
    /// Columns only.
    None,
}

/// A result: the public struct first, so that its address is the public pointer; our part behind it.
#[repr(C)]
pub(super) struct Result<F: Abi> {
    public: F::Res,
    fields: Box<[Field]>,
    /// Keeps the memory that `fields` points into.
    _columns: Columns,
    /// The rows.
    pub rows: Rows,
    max_lengths_known: bool,
    /// The fields, where they are a statement's.
    shared: Option<Arc<Fields>>,
    /// The handle whose rows are streamed; NULL when all were read or the handle is closed.
    pub owner: *mut F::Mysql,
    /// Another call has thrown the rows away, and the owner's list has this.
    cancelled: bool,
}

/// Columns as C sees them, shared by a prepared statement and the results that describe it: what one writes into them
/// (`max_length`), the others show.
pub(super) struct Fields {
    first: *mut Field,
    /// Fields behind `first`: none when the server has not described the columns.
    made: usize,
    count: usize,
    /// Keeps the memory that the fields point into.
    _columns: Columns,
}

// SAFETY: plain data, freed once, by whoever drops it last. Programs that use a statement in one thread and a result that
// describes it in another have to take turns, as with the originals, where both are one array, too.
unsafe impl Send for Fields {}
// SAFETY: as above.
unsafe impl Sync for Fields {}

impl Fields {
    /// For these columns.
    pub fn new(columns: Columns, family: Family) -> Arc<Fields> {
        let fields = described_fields(&columns, family);
        let (made, count) = (fields.len(), columns.len());
        Arc::new(Fields { first: Box::into_raw(fields).cast(), made, count, _columns: columns })
    }

    /// The first of them; NULL if there is none, or they are not described.
    pub fn first(&self) -> *mut Field {
        if self.made == 0 { ptr::null_mut() } else { self.first }
    }

    /// Types and names are known.
    pub fn is_described(&self) -> bool {
        self.made == self.count
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.count
    }

    /// The field with this number; None beyond the last.
    #[inline]
    pub fn at(&self, number: usize) -> Option<*mut Field> {
        (number < self.made).then(|| self.first.wrapping_add(number))
    }

    /// Takes over types, lengths and flags from as many columns; their names stay.
    pub fn follow(&self, columns: &Columns, family: Family) {
        if !columns.is_described() {
            return;
        }
        for (number, column) in columns.iter().enumerate() {
            let Some(place) = self.at(number) else { break };
            let number = if is_number(c_uint::from(column.column_type), column.length, family) { NUM_FLAG } else { 0 };
            // SAFETY: inside the block, which lives as long as `self`; programs are not in another call on it now.
            let field = unsafe { &mut *place };
            field.r#type = c_uint::from(column.column_type);
            field.length = c_ulong::from(column.length);
            field.flags = column.flags | number;
            field.decimals = c_uint::from(column.decimals);
            field.charsetnr = column.charset;
        }
    }
}

impl Drop for Fields {
    fn drop(&mut self) {
        // SAFETY: made by `Box::into_raw` in `new` with this length.
        drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(self.first, self.made)) });
    }
}

/// Columns as C sees them; none of those that the server has not described.
#[inline]
fn described_fields(columns: &Columns, family: Family) -> Box<[Field]> {
    if !columns.is_described() {
        return Box::default();
    }
    columns.iter().map(|column| field(&column, family)).collect()
}

/// A column as C sees it.
#[inline]
fn field(column: &Column, family: Family) -> Field {
    let text = |(start, _): (*const c_char, u32)| start.cast_mut();
    let kind = c_uint::from(column.column_type);
    let number = if is_number(kind, column.length, family) { NUM_FLAG } else { 0 };
    Field {
        name: text(column.name),
        org_name: text(column.org_name),
        table: text(column.table),
        org_table: text(column.org_table),
        db: text(column.schema),
        catalog: text(column.catalog),
        def: text(column.default),
        length: c_ulong::from(column.length),
        max_length: 0,
        name_length: column.name.1,
        org_name_length: column.org_name.1,
        table_length: column.table.1,
        org_table_length: column.org_table.1,
        db_length: column.schema.1,
        catalog_length: column.catalog.1,
        // Connector/C leaves the length out.
        def_length: if family == Family::MariaDb { 0 } else { column.default.1 },
        flags: column.flags | number,
        decimals: c_uint::from(column.decimals),
        charsetnr: column.charset,
        r#type: kind,
        extension: match column.extended {
            (start, _) if start.is_null() => ptr::null_mut(),
            (start, length) => {
                // SAFETY: so many bytes of the column's definition, which outlives this call.
                super::field_attr::extension(unsafe { std::slice::from_raw_parts(start.cast(), length as usize) })
            }
        },
    }
}

/// `NUM_FLAG`, which the clients add to the server's flags.
const NUM_FLAG: c_uint = 32768;

/// Which types the originals flag as numbers: they differ for timestamps and decimals.
fn is_number(kind: c_uint, length: u32, family: Family) -> bool {
    use field_type::{MYSQL_TYPE_INT24, MYSQL_TYPE_NEWDECIMAL, MYSQL_TYPE_TIMESTAMP, MYSQL_TYPE_YEAR};
    match family {
        Family::MySql => {
            (kind <= MYSQL_TYPE_INT24 && kind != MYSQL_TYPE_TIMESTAMP)
                || kind == MYSQL_TYPE_YEAR
                || kind == MYSQL_TYPE_NEWDECIMAL
        }
        Family::MariaDb => {
            (kind <= MYSQL_TYPE_INT24 && (kind != MYSQL_TYPE_TIMESTAMP || length == 14 || length == 8))
                || kind == MYSQL_TYPE_YEAR
                || kind == MYSQL_TYPE_NEWDECIMAL
        }
    }
}

impl<F: Abi> Result<F> {
    fn make(columns: Columns, rows: Rows, owner: *mut F::Mysql) -> *mut F::Res {
        let mut fields = described_fields(&columns, F::FAMILY);
        let count = columns.len() as c_uint;
        let described = columns.is_described();
        let first = if described { fields.as_mut_ptr() } else { ptr::null_mut() };
        let stored = match &rows {
            Rows::Stored(stored, _) => Some(stored.len()),
            Rows::Streaming(_) | Rows::None => None,
        };
        let result = Box::new(Result::<F> {
            // SAFETY: all bytes zero is a valid value of the families' structs (see `family::layout`).
            public: unsafe { std::mem::zeroed() },
            fields,
            _columns: columns,
            rows,
            max_lengths_known: false,
            shared: None,
            owner,
            cancelled: false,
        });
        let result = Box::into_raw(result);
        let public: *mut F::Res = result.cast();
        // SAFETY: accessors give addresses inside the block made above.
        unsafe {
            F::res_mark(public).write(Self::mark(public));
            F::res_fields(public).write(first);
            F::res_field_count(public).write(count);
            F::res_handle(public).write(owner);
            F::res_eof(public).write(c_char::from(stored.is_some()));
            if let Some(rows) = stored {
                F::res_row_count(public).write(rows);
                F::res_data(public).write(result.cast());
            }
            if let Some(metadata) = F::res_metadata(public) {
                metadata.write(c_uint::from(described));
            }
        }
        public
    }

    /// A buffered result.
    pub fn stored(columns: Columns, rows: StoredRows) -> *mut F::Res {
        Self::make(columns, Rows::Stored(rows, 0), ptr::null_mut())
    }

    /// An unbuffered result of `owner`.
    pub fn streaming(columns: Columns, owner: *mut F::Mysql) -> *mut F::Res {
        let row = StreamRow::new(columns.len());
        Self::make(columns, Rows::Streaming(row), owner)
    }

    /// Columns without rows (`mysql_list_fields`).
    pub fn metadata(columns: Columns) -> *mut F::Res {
        let public = Self::make(columns, Rows::None, ptr::null_mut());
        // SAFETY: made above.
        unsafe {
            F::res_eof(public).write(1);
            if let Some(metadata) = F::res_metadata(public) {
                // As the original, which does not say here that they are described.
                metadata.write(0);
            }
        }
        public
    }

    /// A statement's columns without rows (`mysql_stmt_result_metadata`).
    pub fn description(fields: Arc<Fields>) -> *mut F::Res {
        let public = Self::metadata(ColumnsBuilder::default().finish());
        let (first, count, described) = (fields.first(), fields.len() as c_uint, fields.is_described());
        // SAFETY: made above.
        unsafe {
            F::res_fields(public).write(first);
            F::res_field_count(public).write(count);
            if let Some(metadata) = F::res_metadata(public) {
                metadata.write(c_uint::from(described));
            }
            (*public.cast::<Result<F>>()).shared = Some(fields);
        }
        public
    }

    /// What a result of ours has where the originals keep their memory: its own address, and an odd one, so that neither a
    /// copy of it nor a result of anybody else has it.
    #[inline]
    fn mark(result: *mut F::Res) -> *mut c_void {
        result.cast::<c_void>().wrapping_byte_add(1)
    }

    /// Whether this is a live result of ours and of this family. Looks at nothing behind the public struct.
    ///
    /// # Safety
    /// `result` is NULL or points to a readable `MYSQL_RES`, anybody's.
    #[inline]
    pub unsafe fn is_ours(result: *mut F::Res) -> bool {
        // SAFETY: the caller's promise.
        !result.is_null() && unsafe { F::res_mark(result).read() } == Self::mark(result)
    }

    /// Our part of a result; None for NULL and results that are not ours.
    ///
    /// # Safety
    /// `result` is NULL or points to a readable `MYSQL_RES`; no other borrow of it is alive.
    #[inline]
    pub unsafe fn lend<'a>(result: *mut F::Res) -> Option<&'a mut Result<F>> {
        // SAFETY: the caller's promise.
        if unsafe { !Self::is_ours(result) } {
            return None;
        }
        // SAFETY: made here and not freed.
        Some(unsafe { &mut *result.cast::<Result<F>>() })
    }

    /// The handle is closed or dropped the connection: no row can be fetched any more.
    ///
    /// # Safety
    /// `result` is a live result of ours.
    pub unsafe fn orphan(result: *mut Result<F>) {
        // SAFETY: the caller's promise.
        let ours = unsafe { &mut *result };
        ours.owner = ptr::null_mut();
        // SAFETY: the public part is the block's beginning.
        unsafe {
            let public: *mut F::Res = result.cast();
            F::res_handle(public).write(ptr::null_mut());
            F::res_eof(public).write(1);
        }
    }

    /// The row that `mysql_fetch_row` gives next; NULL at the end.
    ///
    /// # Safety
    /// As for [`Result::lend`].
    #[inline]
    pub unsafe fn fetch(&mut self) -> Row {
        let public: *mut F::Res = ptr::from_mut(self).cast();
        let row = match &mut self.rows {
            Rows::Stored(rows, next) => {
                let row = rows.row(*next);
                *next += u64::from(row.is_some());
                row.map_or((ptr::null_mut(), ptr::null_mut()), |row| (row.values, row.lengths))
            }
            Rows::Streaming(_) | Rows::None => {
                // SAFETY: the caller's promise.
                return unsafe { self.fetch_streamed() };
            }
        };
        // SAFETY: the public part is the block's beginning.
        unsafe {
            F::res_current_row(public).write(row.0);
            F::res_lengths(public).write(row.1);
        }
        row.0
    }

    /// # Safety
    /// As for [`Result::fetch`].
    unsafe fn fetch_streamed(&mut self) -> Row {
        let owner = self.owner;
        let public: *mut F::Res = ptr::from_mut(self).cast();
        if self.cancelled && F::FAMILY == Family::MariaDb {
            return ptr::null_mut();
        }
        if self.cancelled {
            // SAFETY: the owner is live, see `cancel`.
            unsafe { self.say_cancelled() };
            return ptr::null_mut();
        }
        let Rows::Streaming(row) = &mut self.rows else { return ptr::null_mut() };
        // SAFETY: the owner is NULL or live: `mysql_close` orphans its results.
        let Some(handle) = (unsafe { Handle::<F>::lend(owner) }) else { return ptr::null_mut() };
        if F::FAMILY == Family::MariaDb && handle.session.phase() != Phase::Streaming {
            return ptr::null_mut();
        }
        let read = if handle.session.next_row_at_once(row) {
            Ok(true)
        } else {
            block_on_pinned(pin!(handle.session.next_row(row)))
        };
        // SAFETY: the caller's promise; the handle was lent through `owner`.
        unsafe { Self::fetched(public, row, handle, owner, read) }
    }

    /// Publishes what was read of the unbuffered result `public`.
    ///
    /// # Safety
    /// As for [`Result::fetch`]; `row` is the result's, and `owner` has lent `handle`.
    #[inline(always)]
    unsafe fn fetched(
        public: *mut F::Res,
        row: &mut StreamRow,
        handle: &mut Handle<F>,
        owner: *mut F::Mysql,
        read: std::result::Result<bool, Error>,
    ) -> Row {
        let values = match read {
            Ok(true) => {
                let pointers = row.pointers();
                // SAFETY: the public part is the block's beginning.
                unsafe {
                    *F::res_row_count(public) += 1;
                    F::res_lengths(public).write(pointers.lengths);
                }
                pointers.values
            }
            Ok(false) => {
                // SAFETY: the caller's promise; the handle was lent through `owner`.
                unsafe {
                    handle.release_streaming();
                    // An error of before stays, as in the originals.
                    handle.publish_quietly(owner);
                }
                ptr::null_mut()
            }
            Err(error) => {
                // SAFETY: as above.
                unsafe {
                    handle.release_streaming();
                    handle.answer(owner, Err(error));
                }
                ptr::null_mut()
            }
        };
        // The lengths are those of the last row even behind it, as in the originals.
        if !values.is_null() {
            // SAFETY: the public part is the block's beginning.
            unsafe { F::res_current_row(public).write(values) };
        }
        values
    }

    /// Begins, or goes on with, fetching a row without waiting.
    ///
    /// # Safety
    /// As for [`Result::lend`].
    pub unsafe fn start_fetch(result: *mut F::Res) -> Progress<Row> {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Self::lend(result) }) else { return Progress::Done(ptr::null_mut()) };
        let owner = ours.owner;
        // SAFETY: the owner is NULL or live: `mysql_close` orphans its results.
        let waits = matches!(ours.rows, Rows::Streaming(_))
            && !owner.is_null()
            && unsafe { Handle::<F>::lend_quietly(owner) }.is_none_or(|handle| !handle.session.row_is_here());
        if !waits {
            // By its address: a second place for the compiler to inline it would make the first one longer.
            let fetch: unsafe extern "C" fn(*mut F::Res) -> Row = super::result::mysql_fetch_row::<F>;
            // SAFETY: the caller's promise. The blocking call has nothing to wait for.
            return Progress::Done(unsafe { std::hint::black_box(fetch)(result) });
        }
        // SAFETY: as above.
        if let Some(progress) = unsafe { step::again::<F, _>(owner, Call::FetchRow) } {
            return progress;
        }
        // SAFETY: as above.
        if unsafe { Handle::<F>::pending(owner) }.is_some() {
            // SAFETY: as above.
            unsafe { step::refuse::<F>(owner) };
            return Progress::Refused;
        }
        let Rows::Streaming(row) = &mut ours.rows else { return Progress::Done(ptr::null_mut()) };
        // The row travels with the operation: nobody looks at it meanwhile.
        let mut row = std::mem::replace(row, StreamRow::new(0));
        // SAFETY: the public part is the block's beginning.
        unsafe { F::res_current_row(result).write(ptr::null_mut()) };
        let work = |session: &'static mut Session| async move {
            let read = session.next_row(&mut row).await;
            (row, read)
        };
        let tail = move |handle: &mut Handle<F>, owner, (row, read)| {
            // SAFETY: the result outlives the operation: it is only freed behind it.
            let Some(ours) = (unsafe { Self::lend(result) }) else { return ptr::null_mut() };
            ours.rows = Rows::Streaming(row);
            let Rows::Streaming(row) = &mut ours.rows else { return ptr::null_mut() };
            // SAFETY: the handle was lent through `owner`.
            unsafe { Self::fetched(result, row, handle, owner, read) }
        };
        // SAFETY: as above.
        unsafe { step::start(owner, Call::FetchRow, work, tail) }
    }

    /// Fills `MYSQL_FIELD.max_length` of a buffered result, once, when somebody asks for the columns.
    pub fn know_max_lengths(&mut self) {
        if self.max_lengths_known {
            return;
        }
        self.max_lengths_known = true;
        if let Rows::Stored(rows, _) = &mut self.rows {
            for (field, length) in self.fields.iter_mut().zip(rows.max_lengths()) {
                field.max_length = length;
            }
        }
    }

    /// The columns.
    pub fn fields(&mut self) -> &mut [Field] {
        match &self.shared {
            None => &mut self.fields,
            // SAFETY: the block lives as long as `shared`; no other borrow of it is alive during a call.
            Some(shared) => unsafe { std::slice::from_raw_parts_mut(shared.first, shared.made) },
        }
    }

    /// `mysql_free_result`.
    ///
    /// # Safety
    /// `result` is NULL or a live result of ours; it is not used afterwards.
    pub unsafe fn free(result: *mut F::Res) {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Self::lend(result) }) else { return };
        if !ours.owner.is_null() {
            // SAFETY: the caller's promise.
            unsafe { Self::free_streamed(result, ours.owner) };
            return;
        }
        // SAFETY: the public part is the block's beginning.
        unsafe { F::res_mark(ptr::from_mut(ours).cast()).write(ptr::null_mut()) };
        // SAFETY: made by `Box::into_raw`, freed only here and in `discard`.
        drop(unsafe { Box::from_raw(ptr::from_mut(ours)) });
    }

    /// Frees an unbuffered result, behind what is pending on it.
    ///
    /// # Safety
    /// As for [`Result::free`]; `owner` is its handle.
    #[inline(never)]
    unsafe fn free_streamed(result: *mut F::Res, owner: *mut F::Mysql) {
        // What is pending on a handle whose rows are streamed is the fetch of a row, or the end of them all.
        // SAFETY: the owner is live: `mysql_close` orphans its results.
        unsafe {
            if Handle::<F>::pending(owner).is_some() {
                if step::complete::<F, ()>(owner, Call::FreeResult).is_some() {
                    return;
                }
                step::complete::<F, Row>(owner, Call::FetchRow);
            }
        }
        // SAFETY: as above.
        match unsafe { Self::lend_owner(result) } {
            Some((handle, owner)) => {
                let skipped = block_on_pinned(pin!(handle.session.skip_rows()));
                // SAFETY: lent through `owner`.
                unsafe { Self::freed(handle, owner, result, skipped) };
            }
            // SAFETY: the caller's promise.
            None => unsafe {
                Self::forget_cancelled(result.cast());
                Self::discard(result);
            },
        }
    }

    /// The handle whose rows this result streams.
    ///
    /// # Safety
    /// As for [`Result::free`].
    unsafe fn lend_owner<'a>(result: *mut F::Res) -> Option<(&'a mut Handle<F>, *mut F::Mysql)> {
        // SAFETY: the caller's promise.
        let owner = unsafe { Self::lend(result) }?.owner;
        // SAFETY: the owner is NULL or live.
        let handle = unsafe { Handle::<F>::lend_quietly(owner) }?;
        ptr::eq(handle.streaming.cast(), result).then_some((handle, owner))
    }

    /// Begins, or goes on with, freeing without waiting.
    ///
    /// # Safety
    /// As for [`Result::free`], when it has come to its end.
    pub unsafe fn start_free(result: *mut F::Res) -> Progress<()> {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Self::lend(result) }) else { return Progress::Done(()) };
        let owner = ours.owner;
        // A row that is on its way comes first.
        // SAFETY: the owner is NULL or live.
        match unsafe { step::again::<F, Row>(owner, Call::FetchRow) } {
            Some(Progress::Waiting(mask)) => return Progress::Waiting(mask),
            Some(Progress::Done(_) | Progress::Refused) | None => {}
        }
        // SAFETY: as above.
        if let Some(progress) = unsafe { step::again::<F, _>(owner, Call::FreeResult) } {
            return progress;
        }
        // SAFETY: as above.
        if unsafe { Self::lend_owner(result) }.is_none() {
            // SAFETY: the caller's promise.
            unsafe { Self::discard(result) };
            return Progress::Done(());
        }
        let tail = move |handle: &mut Handle<F>, owner, skipped| {
            // SAFETY: the handle was lent through `owner`; the operation ends with freeing the result.
            unsafe { Self::freed(handle, owner, result, skipped) };
        };
        // SAFETY: as above.
        unsafe { step::start(owner, Call::FreeResult, |session| session.skip_rows(), tail) }
    }

    /// Goes on with freeing, or with the fetch in front of it; a free that has not begun is begun.
    ///
    /// # Safety
    /// As for [`Result::start_free`].
    pub unsafe fn resume_free(result: *mut F::Res, ready: c_int) -> Progress<()> {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Self::lend(result) }) else { return Progress::Done(()) };
        let owner = ours.owner;
        // SAFETY: the owner is NULL or live.
        if unsafe { step::is_pending::<F>(owner, Call::FreeResult) } {
            // SAFETY: as above.
            return unsafe { step::resume::<F, ()>(owner, ready) };
        }
        // SAFETY: as above.
        if unsafe { step::is_pending::<F>(owner, Call::FetchRow) } {
            // SAFETY: as above.
            if let Progress::Waiting(mask) = unsafe { step::resume::<F, Row>(owner, ready) } {
                return Progress::Waiting(mask);
            }
            // SAFETY: the caller's promise.
            return unsafe { Self::start_free(result) };
        }
        // SAFETY: as above.
        unsafe { step::resume::<F, ()>(owner, ready) }
    }

    /// Lets go of an unbuffered result whose rows have been read.
    ///
    /// # Safety
    /// As for [`Result::free`]; `owner` has lent `handle`.
    unsafe fn freed(
        handle: &mut Handle<F>,
        owner: *mut F::Mysql,
        result: *mut F::Res,
        skipped: std::result::Result<(), Error>,
    ) {
        handle.streaming = ptr::null_mut();
        // SAFETY: lent through `owner`.
        unsafe { handle.publish_quietly(owner) };
        if let Err(error) = skipped {
            let error = handle.shown_error(error);
            super::entry::set_error::<F>(owner, error.code, &error.sqlstate, &error.message);
        }
        // SAFETY: the caller's promise.
        unsafe { Self::discard(result) };
    }

    /// Gives the memory back.
    ///
    /// # Safety
    /// `result` is a live result of ours; it is not used afterwards.
    unsafe fn discard(result: *mut F::Res) {
        // SAFETY: the caller's promise.
        let Some(ours) = (unsafe { Self::lend(result) }) else { return };
        // SAFETY: the public part is the block's beginning.
        unsafe { F::res_mark(ptr::from_mut(ours).cast()).write(ptr::null_mut()) };
        // SAFETY: made by `Box::into_raw`, freed only here.
        drop(unsafe { Box::from_raw(ptr::from_mut(ours)) });
    }
}

/// A row's number as `MYSQL_ROW_OFFSET`, which programs only hand back: NULL at the end.
pub(super) fn row_token(number: u64, rows: u64) -> *mut c_void {
    if number >= rows { ptr::null_mut() } else { ptr::without_provenance_mut((number as usize) + 1) }
}

/// The row number of a token.
pub(super) fn token_row(token: *mut c_void, rows: u64) -> u64 {
    match token.addr() {
        0 => rows,
        place => (place as u64 - 1).min(rows),
    }
}
