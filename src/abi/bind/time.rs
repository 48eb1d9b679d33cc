//! `MYSQL_TIME`: from the binary protocol, to text and to numbers, and in the program's memory. Pure but for
//! [`Moment::store`] and [`Moment::load`].
#![allow(unsafe_code)]

use super::float::Text;
use super::types::*;
use crate::abi::family::{Abi, MySql, mariadb, mysql};
use crate::options::Family;
use std::fmt::Write as _;
use std::mem::offset_of;

/// `enum enum_mysql_timestamp_type`.
pub mod kind {
    /// No time at all.
    pub const NONE: i32 = -2;
    /// Wrong values; all fields are zero.
    pub const ERROR: i32 = -1;
    /// A date.
    pub const DATE: i32 = 0;
    /// A date and a time of day.
    pub const DATETIME: i32 = 1;
    /// A time span.
    pub const TIME: i32 = 2;
    /// A date and a time of day with a time zone; MySQL family only.
    pub const DATETIME_TZ: i32 = 3;
}

/// What `MYSQL_TIME` has, in both families.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    pub year: u32,
    pub month: u32,
    pub day: u32,
    pub hour: u32,
    pub minute: u32,
    pub second: u32,
    /// Microseconds.
    pub micros: u64,
    pub negative: u8,
    /// One of [`kind`].
    pub kind: i32,
    /// Seconds east of Greenwich; MySQL family only.
    pub displacement: i32,
}

impl Moment {
    /// All fields zero.
    pub fn zero(kind: i32) -> Moment {
        Moment { kind, ..Moment::default() }
    }

    /// Writes the program's `MYSQL_TIME`: 40 bytes in the MariaDB family, 48 in the MySQL family.
    ///
    /// # Safety
    /// `place` is a writable `MYSQL_TIME` of the family, perhaps not aligned.
    pub unsafe fn store<F: Abi>(&self, place: *mut u8) {
        // SAFETY: the first 40 bytes are the same in both families, and the caller promises the place.
        unsafe { self.store_common(place) };
        if F::FAMILY == Family::MySql {
            let zone = MySql::time_zone_displacement(place.cast()).map_or(std::ptr::null_mut(), |zone| zone);
            // SAFETY: inside the 48 bytes of this family.
            unsafe { zone.write_unaligned(self.displacement) };
        }
    }

    /// As [`store`](Self::store), but leaves what lies behind the first 40 bytes alone in both families.
    ///
    /// # Safety
    /// As there.
    pub unsafe fn store_common(&self, place: *mut u8) {
        // As bytes: what lies between the fields is the program's, and gets nothing of ours but zeros.
        let mut bytes = [0; size_of::<mariadb::Time>()];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        put(offset_of!(mariadb::Time, year), &self.year.to_ne_bytes());
        put(offset_of!(mariadb::Time, month), &self.month.to_ne_bytes());
        put(offset_of!(mariadb::Time, day), &self.day.to_ne_bytes());
        put(offset_of!(mariadb::Time, hour), &self.hour.to_ne_bytes());
        put(offset_of!(mariadb::Time, minute), &self.minute.to_ne_bytes());
        put(offset_of!(mariadb::Time, second), &self.second.to_ne_bytes());
        put(offset_of!(mariadb::Time, second_part), &self.micros.to_ne_bytes());
        put(offset_of!(mariadb::Time, neg), &self.negative.to_ne_bytes());
        put(offset_of!(mariadb::Time, time_type), &self.kind.to_ne_bytes());
        // SAFETY: the caller promises the place.
        unsafe { place.cast::<[u8; size_of::<mariadb::Time>()]>().write_unaligned(bytes) };
    }

    /// Writes `time_type` only.
    ///
    /// # Safety
    /// As for [`store`](Self::store).
    pub unsafe fn store_kind(place: *mut u8, kind: i32) {
        let to = place.wrapping_add(offset_of!(mysql::Time, time_type));
        // SAFETY: inside the struct, whose offset is the same in both families.
        unsafe { to.cast::<i32>().write_unaligned(kind) };
    }

    /// `YYYYMMDDhhmmss`, `YYYYMMDD` or `hhmmss`; 0 for what is no time.
    pub fn as_number(&self) -> u64 {
        let date = u64::from(self.year) * 10000 + u64::from(self.month) * 100 + u64::from(self.day);
        let time = u64::from(self.hour) * 10000 + u64::from(self.minute) * 100 + u64::from(self.second);
        match self.kind {
            kind::DATE => date,
            kind::DATETIME => date * 1_000_000 + time,
            kind::TIME => time,
            _ => 0,
        }
    }

    /// `YYYY-MM-DD`.
    pub fn write_date(&self, out: &mut Text) {
        let _ = write!(out, "{:04}-{:02}-{:02}", self.year, self.month, self.day);
    }

    /// `hh:mm:ss`, without a sign.
    pub fn write_clock(&self, out: &mut Text) {
        let _ = write!(out, "{:02}:{:02}:{:02}", self.hour, self.minute, self.second);
    }

    /// The point and so many digits of the second, cut; nothing for none or more than six.
    pub fn write_fraction(&self, decimals: u8, out: &mut Text) {
        if (1..=6).contains(&decimals) {
            let cut = 10u64.pow(6 - u32::from(decimals));
            let _ = write!(out, ".{:0width$}", self.micros / cut, width = usize::from(decimals));
        }
    }
}

/// The bytes of a temporal value, those that were not sent as zeros.
struct Packed {
    bytes: [u8; 13],
    length: usize,
}

impl Packed {
    fn new(value: &[u8]) -> Packed {
        let length = value.len().min(13);
        let mut bytes = [0; 13];
        bytes[..length].copy_from_slice(&value[..length]);
        Packed { bytes, length }
    }

    fn u16(&self, at: usize) -> u32 {
        u32::from(u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]))
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes([self.bytes[at], self.bytes[at + 1], self.bytes[at + 2], self.bytes[at + 3]])
    }

    fn byte(&self, at: usize) -> u32 {
        u32::from(self.bytes[at])
    }
}

/// A column's value as the MySQL family reads it: the kind of the column, days of a time span as hours.
pub fn mysql_unpack(column_type: u8, value: &[u8]) -> Moment {
    let packed = Packed::new(value);
    if column_type == TIME {
        let days = packed.u32(1);
        return Moment {
            hour: packed.byte(5).wrapping_add(days.wrapping_mul(24)),
            minute: packed.byte(6),
            second: packed.byte(7),
            micros: if packed.length > 8 { i64::from(packed.u32(8) as i32) as u64 } else { 0 },
            negative: packed.bytes[0],
            kind: kind::TIME,
            ..Moment::default()
        };
    }
    let mut found = Moment { year: packed.u16(0), month: packed.byte(2), day: packed.byte(3), ..Moment::default() };
    if column_type == DATE {
        return found;
    }
    found.kind = kind::DATETIME;
    found.hour = packed.byte(4);
    found.minute = packed.byte(5);
    found.second = packed.byte(6);
    if packed.length > 7 {
        found.micros = i64::from(packed.u32(7) as i32) as u64;
    }
    found
}

/// A column's value as Connector/C reads it: the kind depends on what was sent, nothing sent is a date.
pub fn mariadb_unpack(column_type: u8, value: &[u8]) -> Moment {
    let packed = Packed::new(value);
    if packed.length == 0 {
        return Moment::zero(kind::DATE);
    }
    if column_type == TIME {
        let days = packed.u32(1);
        let mut found = Moment { day: days, negative: packed.bytes[0], kind: kind::TIME, ..Moment::default() };
        if packed.length > 4 {
            found.hour = packed.byte(5).wrapping_add(days.wrapping_mul(24));
            found.minute = packed.byte(6);
            found.second = packed.byte(7);
        }
        if packed.length > 8 {
            found.micros = i64::from(packed.u32(8) as i32) as u64;
        }
        return found;
    }
    let mut found = Moment {
        year: (packed.u16(0) as u16 as i16) as u32,
        month: packed.byte(2),
        day: packed.byte(3),
        ..Moment::default()
    };
    if column_type == DATE {
        return found;
    }
    if packed.length > 4 {
        found.hour = packed.byte(4);
        found.minute = packed.byte(5);
        found.second = packed.byte(6);
        found.kind = kind::DATETIME;
    }
    if packed.length > 7 {
        found.micros = i64::from(packed.u32(7) as i32) as u64;
    }
    found
}

/// Whether the MySQL family takes the fields for a date and time of day (a time span for [`kind::TIME`]).
pub fn in_range(moment: &Moment) -> bool {
    moment.year <= 9999
        && moment.month <= 12
        && moment.day <= 31
        && moment.minute <= 59
        && moment.second <= 59
        && moment.micros <= 999_999
        && moment.hour <= if moment.kind == kind::TIME { 838 } else { 23 }
}

/// A number as a date or a date and time, as the MySQL family understands it: `YYMMDD`, `YYYYMMDD`, `YYMMDDhhmmss`,
/// `YYYYMMDDhhmmss`. The flag is set when it is none; what was read until then stays.
pub fn from_number(number: i64) -> (Moment, bool) {
    let none = (Moment::zero(kind::DATE), true);
    let full = |number: i64, kind: i32| {
        let (date, time) = ((number / 1_000_000) as u32, (number % 1_000_000) as u32);
        let found = Moment {
            year: date / 10000,
            month: date / 100 % 100,
            day: date % 100,
            hour: time / 10000,
            minute: time / 100 % 100,
            second: time % 100,
            kind,
            ..Moment::default()
        };
        (found, !in_range(&found))
    };
    match number {
        0 | 10_000_101_000_000..=99_999_999_999_999 => full(number, kind::DATETIME),
        100_000_000_000_000.. => (Moment::zero(kind::DATETIME), true),
        ..101 => none,
        101..=691_231 => full((number + 20_000_000) * 1_000_000, kind::DATE),
        691_232..700_101 => none,
        700_101..=991_231 => full((number + 19_000_000) * 1_000_000, kind::DATE),
        991_232..=99_991_231 => full(number * 1_000_000, kind::DATE),
        99_991_232..101_000_000 => none,
        101_000_000..=691_231_235_959 => full(number + 20_000_000_000_000, kind::DATETIME),
        691_231_235_960..700_101_000_000 => (Moment::zero(kind::DATETIME), true),
        700_101_000_000..=991_231_235_959 => full(number + 19_000_000_000_000, kind::DATETIME),
        _ => full(number, kind::DATETIME),
    }
}
