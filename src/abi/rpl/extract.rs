//! The rows of an event as C structs, a list that hangs from the event.

#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint, c_ulong};
use std::ptr;

use crate::abi::convert::slice;
use crate::abi::entry::entry;
use crate::abi::family::mariadb::Time;
use crate::abi::family::rpl::{self as c, Rpl};
use crate::session::binlog::kind;
use crate::session::binlog::values::{self, Cell, Moment, Value};

use super::event::OwnEvent;
use super::stream::Stream;

/// Columns that are believed.
const MOST_COLUMNS: u32 = 0x8_0000;

fn is_rows(event: c_uint) -> bool {
    u8::try_from(event).is_ok_and(|event| {
        matches!(
            event,
            kind::WRITE_ROWS_V1..=kind::DELETE_ROWS_V1
                | kind::WRITE_ROWS..=kind::DELETE_ROWS
                | kind::WRITE_ROWS_COMPRESSED_V1..=kind::DELETE_ROWS_COMPRESSED_V1
        )
    })
}

entry! {
    /// The values of an event's rows, by the types that the TABLE_MAP in front of it gives (Connector/C).
    ///
    /// Rows that were changed come in pairs, before and after. Source: Connector/C 3.3.20. Returns: the first row, valid
    /// until `row_event` is freed or used again; NULL on an error. Errors: 5021.
    ///
    /// # Safety
    /// `rpl` is NULL or a stream of ours; the events are NULL or from `mariadb_rpl_fetch`, not freed since.
    fn mariadb_rpl_extract_rows<F>(rpl: *mut Rpl, table: *mut c::Event, rows: *mut c::Event) -> *mut c::Row;
    plain, fails ptr::null_mut(), {
        // SAFETY: the caller's promise; two events of the same address are refused below, by their kinds.
        let (Some(stream), false) = (unsafe { Stream::lend(rpl) }, table == rows) else { return ptr::null_mut() };
        // SAFETY: as above.
        let (Some(table), Some(rows)) = (unsafe { (OwnEvent::lend(table), OwnEvent::lend(rows)) }) else {
            return ptr::null_mut();
        };
        match extract(table, rows) {
            Ok(first) => first,
            Err(what) => {
                stream.fail_in_log(what);
                ptr::null_mut()
            }
        }
    }
}

fn extract(table: &OwnEvent, rows: &mut OwnEvent) -> Result<*mut c::Row, &'static str> {
    if table.public.event_type != c_uint::from(kind::TABLE_MAP) || !is_rows(rows.public.event_type) {
        return Err("Event with wrong event type passed.");
    }
    // SAFETY: events of these kinds.
    let (map, part) = unsafe { (table.part::<c::TableMap>(), rows.part::<c::Rows>()) };
    if map.table_id != part.table_id {
        return Err("table_id in table_map event differs.");
    }
    if part.row_data_size == 0 || part.row_data.is_null() {
        return Err("Row event has no data.");
    }
    if map.column_count == 0 || map.column_count > MOST_COLUMNS {
        return Err("Sanity check failed: Invalid column count");
    }
    // SAFETY: where the events' own parts lead: memory of the events.
    let (types, metadata, data) = unsafe {
        (
            slice(map.column_types.str, map.column_types.length as c_ulong),
            slice(map.metadata.str, map.metadata.length as c_ulong),
            slice(part.row_data.cast_const().cast(), part.row_data_size as c_ulong),
        )
    };
    let found = values::rows(types, metadata, data).map_err(|_| "Malformed row data packet stream.")?;
    let mut list: Vec<c::Row> = Vec::with_capacity(found.len());
    for cells in found {
        let columns: Vec<c::Value> = cells.into_iter().map(|cell| value(rows, cell)).collect();
        let column_count = columns.len() as u32;
        list.push(c::Row { column_count, columns: rows.keep(columns), next: ptr::null_mut() });
    }
    let count = list.len();
    let first = rows.keep(list);
    for number in 1..count {
        let next = first.wrapping_add(number);
        // SAFETY: inside the list that was just kept.
        unsafe { (*first.wrapping_add(number - 1)).next = next };
    }
    Ok(first)
}

fn value(event: &mut OwnEvent, cell: Cell) -> c::Value {
    let mut shown = c::Value { field_type: c_uint::from(cell.kind), is_null: 0, is_signed: 0, val: [0; 5] };
    match cell.value {
        Value::Null => shown.is_null = 1,
        Value::Number(number) => shown.val[0] = number,
        Value::Single(number) => shown.val[0] = u64::from(number.to_bits()),
        Value::Double(number) => shown.val[0] = number.to_bits(),
        Value::Timestamp(second, fraction) => shown.val[0] = u64::from(fraction) << 32 | u64::from(second),
        Value::Text(bytes) => {
            let text = event.made(bytes);
            shown.val[0] = text.str.expose_provenance() as u64;
            shown.val[1] = text.length as u64;
        }
        Value::Moment(moment) => {
            const { assert!(size_of::<Time>() == size_of::<[u64; 5]>() && align_of::<Time>() == align_of::<u64>()) };
            let place: *mut [u64; 5] = &mut shown.val;
            // SAFETY: of the same size and alignment, see above.
            unsafe { place.cast::<Time>().write(time(&moment)) };
        }
    }
    shown
}

fn time(moment: &Moment) -> Time {
    // SAFETY: all bytes zero is a valid value (see `family::layout`).
    let mut time: Time = unsafe { std::mem::zeroed() };
    time.year = moment.year;
    time.month = moment.month;
    time.day = moment.day;
    time.hour = moment.hour;
    time.minute = moment.minute;
    time.second = moment.second;
    time.second_part = moment.fraction as c_ulong;
    time.neg = moment.negative.into();
    time.time_type = (moment.kind as c_int).cast_unsigned();
    time
}
