//! `MARIADB_RPL_EVENT`: one event as C sees it, in memory of its own.
//!
//! What was received stays as it came; strings point into it, without a NUL. Whatever else an event needs, the rows taken
//! out of it, too, hangs from it and goes with it.

#![allow(unsafe_code)]

use std::any::Any;
use std::ffi::{c_char, c_uint, c_ulong};
use std::ptr;

use crate::abi::convert::slice;
use crate::abi::entry::entry;
use crate::abi::family::rpl::{self as c, Rpl, Text};
use crate::abi::family::{Abi, MariaDb, errors};
use crate::session::binlog::event::{self, Body, Event, Problem, Text as Content};
use crate::session::binlog::rows::Rows;
use crate::session::binlog::table::TableMap;
use crate::session::binlog::{Span, dump};

use super::stream::Stream;
use super::{acknowledge, next_packet};

const MAGIC: u64 = 0x6d73_716c_6d73_4531;

/// The public struct first, so that its address is the public pointer; our part behind it.
#[repr(C)]
pub(super) struct OwnEvent {
    pub public: c::Event,
    magic: u64,
    /// What was received.
    raw: Vec<u8>,
    /// What `public` points to besides.
    blocks: Vec<Box<dyn Any>>,
}

impl OwnEvent {
    fn new() -> Box<OwnEvent> {
        // SAFETY: all bytes zero is a valid value (see `family::layout`).
        let public = unsafe { std::mem::zeroed() };
        Box::new(OwnEvent { public, magic: MAGIC, raw: Vec::new(), blocks: Vec::new() })
    }

    /// Our part of it.
    ///
    /// # Safety
    /// `event` is NULL or was made here and not freed; no other borrow of it is alive.
    pub unsafe fn lend<'a>(event: *mut c::Event) -> Option<&'a mut OwnEvent> {
        if event.is_null() {
            return None;
        }
        // SAFETY: the caller's promise.
        let ours = unsafe { &mut *event.cast::<OwnEvent>() };
        (ours.magic == MAGIC).then_some(ours)
    }

    /// Keeps a list until the event is freed or used again: the address of its first element, NULL for an empty one.
    pub fn keep<T: 'static>(&mut self, list: Vec<T>) -> *mut T {
        if list.is_empty() {
            return ptr::null_mut();
        }
        let mut list = Box::new(list);
        let first = list.as_mut_ptr();
        self.blocks.push(list);
        first
    }

    /// A string in what was received; NULL for an empty one.
    fn text(&mut self, place: &Span) -> Text {
        match self.raw.get_mut(place.clone()) {
            Some(bytes) if !bytes.is_empty() => Text { str: bytes.as_mut_ptr().cast(), length: bytes.len() },
            _ => Text { str: ptr::null_mut(), length: 0 },
        }
    }

    /// A string that was made.
    pub fn made(&mut self, bytes: Vec<u8>) -> Text {
        let length = bytes.len();
        Text { str: self.keep(bytes).cast::<c_char>(), length }
    }

    fn content(&mut self, content: &Content) -> Text {
        match content {
            Content::Here(place) => self.text(place),
            Content::Made(bytes) => self.made(bytes.clone()),
        }
    }

    fn optional(&mut self, place: &Option<Span>) -> Text {
        self.text(place.as_ref().unwrap_or(&(0..0)))
    }

    fn bytes(&mut self, place: &Span) -> *mut u8 {
        self.raw.get_mut(place.clone()).map_or(ptr::null_mut(), <[u8]>::as_mut_ptr)
    }

    /// Writes the part that each kind has for itself.
    fn put<T: Copy>(&mut self, part: T) {
        const { assert!(size_of::<T>() <= size_of::<[u64; 30]>() && align_of::<T>() <= align_of::<u64>()) };
        let place: *mut [u64; 30] = &mut self.public.event;
        // SAFETY: large enough and aligned, see above; any of the parts may stand there.
        unsafe { place.cast::<T>().write(part) };
    }

    /// The part that an event of this kind has.
    ///
    /// # Safety
    /// The kind of the event is that of `T`.
    pub unsafe fn part<T: Copy>(&self) -> T {
        let place: *const [u64; 30] = &self.public.event;
        // SAFETY: the caller's promise; aligned as u64.
        unsafe { place.cast::<T>().read() }
    }

    /// Begins anew with what was received.
    fn take(&mut self, raw: Vec<u8>, rpl: *mut Rpl) {
        // SAFETY: all bytes zero is a valid value (see `family::layout`).
        self.public = unsafe { std::mem::zeroed() };
        self.blocks.clear();
        self.raw = raw;
        self.public.rpl = rpl;
        self.public.raw_data = self.raw.as_mut_ptr();
        self.public.raw_data_size = self.raw.len();
    }

    fn show(&mut self, event: Event) {
        let (public, header) = (&mut self.public, &event.header);
        public.ok = event.ok as c_char;
        public.raw_data_ofs = event.start;
        public.event_type = c_uint::from(header.kind);
        public.timestamp = header.timestamp;
        public.server_id = header.server_id;
        public.event_length = header.length;
        public.next_event_pos = header.next_position;
        public.flags = header.flags;
        public.checksum = event.checksum;
        public.is_semi_sync = u8::from(event.semi_sync.is_some());
        public.semi_sync_flags = event.semi_sync.unwrap_or_default();
        self.show_body(event.body);
    }

    fn show_body(&mut self, body: Body) {
        match body {
            Body::Ignored | Body::Unknown | Body::Stop => {}
            Body::Heartbeat { file_name } => {
                let text = Text { str: self.bytes(&file_name).cast(), length: file_name.len() };
                self.put(c::OneText { text });
            }
            Body::Checkpoint { file_name: place }
            | Body::Annotation { statement: place }
            | Body::PreviousGtids { content: place } => {
                let text = self.text(&place);
                self.put(c::OneText { text });
            }
            Body::BeginLoad { file, data } => {
                let data = self.bytes(&(data..self.raw.len()));
                self.put(c::BeginLoad { file_id: file, data });
            }
            Body::Encryption { scheme, key_version, nonce } => self.put(c::Encryption { scheme, key_version, nonce }),
            Body::ExecuteLoad(load) => {
                let part = c::ExecuteLoad {
                    thread_id: load.thread_id,
                    execution_time: load.seconds,
                    schema: self.text(&load.schema),
                    error_code: load.error,
                    file_id: load.file,
                    ofs1: load.name.0,
                    ofs2: load.name.1,
                    duplicate_flag: load.duplicates,
                    status_vars: self.text(&load.status),
                    statement: self.text(&load.statement),
                };
                self.put(part);
            }
            Body::Format(format) => {
                // The version is cut so that it ends.
                if let Some(last) = self.raw.get_mut(format.server_version.end - 1) {
                    *last = 0;
                }
                let part = c::FormatDescription {
                    format: format.version,
                    server_version: self.bytes(&format.server_version).cast(),
                    timestamp: format.timestamp,
                    header_len: format.header,
                    post_header_lengths: self.text(&format.lengths),
                };
                self.put(part);
            }
            Body::Query(query) => {
                let part = c::Query {
                    thread_id: query.thread_id,
                    seconds: query.seconds,
                    database: self.text(&query.schema),
                    errornr: u32::from(query.error),
                    status: self.text(&query.status),
                    statement: self.content(&query.statement),
                };
                self.put(part);
            }
            Body::TableMap(table) => self.show_table(&table),
            Body::Random { seeds } => self.put(c::Random { first_seed: seeds.0, second_seed: seeds.1 }),
            Body::IntVariable { kind, value } => self.put(c::IntVariable { value, r#type: kind }),
            Body::UserVariable(variable) => {
                let part = c::UserVariable {
                    name: self.text(&variable.name),
                    is_null: u8::from(variable.is_null),
                    r#type: variable.kind,
                    charset_nr: variable.collation,
                    value: self.content(&variable.value),
                    flags: variable.flags,
                };
                self.put(part);
            }
            Body::Rotate { position, file_name, .. } => {
                let filename = self.text(&file_name);
                self.put(c::Rotate { position, filename });
            }
            Body::Xid { transaction } => self.put(c::Xid { transaction_nr: transaction }),
            Body::XaPrepare { one_phase, format, lengths, xid } => {
                let xid = self.text(&xid);
                let (gtrid_len, bqual_len) = lengths;
                self.put(c::XaPrepare { one_phase, format_id: format, gtrid_len, bqual_len, xid });
            }
            Body::GtidLog { flag, source, sequence } => {
                self.put(c::GtidLog { commit_flag: flag, source_id: source, sequence_nr: sequence });
            }
            Body::Gtid(gtid) => {
                let part = c::GtidEvent {
                    sequence_nr: gtid.sequence,
                    domain_id: gtid.domain,
                    flags: gtid.flags,
                    commit_id: gtid.commit_id,
                    format_id: gtid.format,
                    gtrid_len: gtid.lengths.0,
                    bqual_len: gtid.lengths.1,
                    xid: self.text(&gtid.xid),
                };
                self.put(part);
            }
            Body::GtidList { gtids } => {
                let list: Vec<c::Gtid> = gtids
                    .into_iter()
                    .map(|(domain_id, server_id, sequence_nr)| c::Gtid { domain_id, server_id, sequence_nr })
                    .collect();
                let gtid_cnt = list.len() as u32;
                let gtid = self.keep(list);
                self.put(c::GtidList { gtid_cnt, gtid });
            }
            Body::Rows(rows) | Body::UnreadRows(rows) => self.show_rows(rows),
        }
    }

    fn show_table(&mut self, table: &TableMap) {
        let more = &table.more;
        let part = c::TableMap {
            table_id: table.id,
            database: self.text(&table.schema),
            table: self.text(&table.table),
            column_count: table.columns,
            column_types: self.text(&table.types),
            metadata: self.text(&table.metadata),
            null_indicator: self.bytes(&table.nullable),
            signed_indicator: more.signedness.as_ref().map_or(ptr::null_mut(), |place| self.bytes(place)),
            column_names: self.optional(&more.names),
            geometry_types: self.optional(&more.geometry_types),
            default_charset: u32::from(more.default_charset),
            column_charsets: self.optional(&more.charsets),
            simple_primary_keys: self.optional(&more.primary_key),
            prefixed_primary_keys: self.optional(&more.prefixed_primary_key),
            set_values: self.optional(&more.set_values),
            enum_values: self.optional(&more.enum_values),
            enum_set_default_charset: more.enum_set_default_charset,
            enum_set_column_charsets: self.optional(&more.enum_set_charsets),
        };
        self.put(part);
    }

    fn show_rows(&mut self, rows: Rows) {
        // Programs may change the rows, not what was received: a copy, as in the original.
        let data = match rows.compressed {
            true => rows.unpacked,
            false => self.raw.get(rows.data).unwrap_or_default().to_vec(),
        };
        let (row_data_size, present) = (data.len(), rows.present);
        let part = c::Rows {
            r#type: rows.what,
            table_id: rows.table,
            flags: rows.flags,
            column_count: rows.columns,
            column_bitmap: if rows.columns == 0 { ptr::null_mut() } else { self.bytes(&present) },
            column_update_bitmap: rows.present_after.map_or(ptr::null_mut(), |place| self.bytes(&place)),
            null_bitmap: ptr::null_mut(),
            row_data_size,
            row_data: self.keep(data).cast(),
            extra_data_size: rows.extra,
            extra_data: ptr::null_mut(),
            compressed: u8::from(rows.compressed),
            row_count: 0,
        };
        self.put(part);
    }
}

/// What the next event is made of; None: there is none, and errors are told.
///
/// # Safety
/// The stream's handle is NULL or valid.
unsafe fn receive(stream: &mut Stream) -> Option<Vec<u8>> {
    let mysql = stream.public.mysql;
    if mysql.is_null() {
        return match stream.file.as_mut()?.next() {
            Ok(event) => event,
            Err(what) => {
                stream.fail_in_log(what);
                None
            }
        };
    }
    // SAFETY: the caller's promise.
    let length = unsafe { next_packet::<MariaDb>(mysql) };
    if length == c_ulong::MAX || length == 0 {
        return None;
    }
    // SAFETY: where the call above has left the packet.
    let packet = unsafe { slice(MariaDb::read_pos(mysql).read().cast_const().cast(), length) };
    let ended = length < 9 && packet.first() == Some(&0xFE);
    (!ended).then(|| packet.to_vec())
}

/// Tells why an event cannot be had.
fn tell(stream: &mut Stream, problem: Problem) {
    let place = stream.place();
    match problem {
        Problem::Malformed => stream.fail_in_log("Malformed packet"),
        Problem::Version(version) => stream.fail(
            errors::mariadb::CR_ERR_UNSUPPORTED_BINLOG_FORMAT,
            &format!("Binary log protocol error ({place}): Log format {version} not supported."),
        ),
        Problem::NotPacked => stream
            .fail(errors::mariadb::CR_ERR_BINLOG_UNCOMPRESS, &format!("Error while uncompressing packet ({place}).")),
        Problem::UnknownKind(kind) => stream.fail(
            errors::mariadb::CR_UNKNOWN_BINLOG_EVENT,
            &format!("Binary log error ({place}): Unknown event type ({kind}) with flag 'not_ignorable'."),
        ),
        Problem::Checksum(found, right) => stream.fail(
            errors::mariadb::CR_ERR_CHECKSUM_VERIFICATION_ERROR,
            &format!(
                "Checksum verification failed ({place}). Reported checksum is {found:x}, while calculated checksum is \
                 {right:x}."
            ),
        ),
    }
}

/// Reads an event into `own`; false: there is none.
///
/// # Safety
/// The stream's handle is NULL or valid.
unsafe fn fetch(stream: &mut Stream, own: &mut OwnEvent) -> bool {
    // SAFETY: the caller's promise.
    let Some(raw) = (unsafe { receive(stream) }) else { return false };
    let rpl: *mut Rpl = ptr::from_mut(stream).cast();
    own.take(raw, rpl);
    if stream.file.is_some() && stream.public.encrypted != 0 {
        // Nobody has the key: as it is in the file.
        return true;
    }
    let manner = stream.manner();
    let event = match event::read(&own.raw, &mut stream.layout, manner) {
        Ok(event) => event,
        Err(problem) => {
            tell(stream, problem);
            return false;
        }
    };
    match &event.body {
        Body::Format(_) => stream.show_layout(),
        Body::Rotate { file_name, .. } | Body::Checkpoint { file_name } => {
            stream.set_file_name(own.raw.get(file_name.clone()).unwrap_or_default());
        }
        Body::Encryption { nonce, .. } => {
            stream.public.encrypted = 1;
            stream.public.nonce = nonce.map(|byte| byte as c_char);
        }
        Body::TableMap(table) if table.unknown => stream.fail_in_log("Unknown/unsupported event type"),
        _ => {}
    }
    if event.wants_acknowledgement() {
        let packet = dump::acknowledgement(u64::from(event.header.next_position), stream.file_name());
        // SAFETY: the caller's promise.
        let failed =
            unsafe { acknowledge::<MariaDb>(stream.public.mysql, packet.as_ptr().cast(), packet.len() as c_ulong) };
        if failed != 0 {
            stream.fail(errors::mysql::CR_CONNECTION_ERROR, "Can't acknowledge the event");
        }
    }
    own.show(event);
    true
}

entry! {
    /// The next event of a stream; an event of before is used again and given back (Connector/C).
    ///
    /// An event that a source of semi-synchronous replication waits for is acknowledged. Source: Connector/C 3.3.20.
    /// Returns: the event, to be given back by [`mariadb_free_rpl_event`]; NULL at the end and on an error, with the event of
    /// before freed. Errors: 5017 to 5021 of the stream; the server's (1236), 2013 of its handle.
    ///
    /// # Safety
    /// `rpl` is NULL or a stream of ours, its handle valid; `event` is NULL or from this function, not freed since.
    fn mariadb_rpl_fetch<F>(rpl: *mut Rpl, event: *mut c::Event) -> *mut c::Event;
    plain, fails ptr::null_mut(), {
        // SAFETY: the caller's promise.
        let Some(stream) = (unsafe { Stream::lend(rpl) }) else { return ptr::null_mut() };
        if stream.public.mysql.is_null() && stream.file.is_none() {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promise; made by `Box::into_raw` below.
        let mut own = match unsafe { OwnEvent::lend(event) } {
            // SAFETY: as above.
            Some(known) => unsafe { Box::from_raw(ptr::from_mut(known)) },
            None => OwnEvent::new(),
        };
        // SAFETY: the caller's promise.
        if unsafe { fetch(stream, &mut own) } { Box::into_raw(own).cast() } else { ptr::null_mut() }
    }
}

entry! {
    /// Gives an event back, with all that points into it.
    ///
    /// # Safety
    /// `event` is NULL or from [`mariadb_rpl_fetch`]; it is not used afterwards.
    fn mariadb_free_rpl_event<F>(event: *mut c::Event);
    plain, fails (), {
        // SAFETY: the caller's promise.
        let Some(own) = (unsafe { OwnEvent::lend(event) }) else { return };
        own.magic = 0;
        // SAFETY: made by `Box::into_raw`.
        drop(unsafe { Box::from_raw(ptr::from_mut(own)) });
    }
}
