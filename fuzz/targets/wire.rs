//! Any bytes from a server: no decoder panics, hangs, or takes more memory than what has arrived.
#![no_main]

use std::ffi::c_ulong;

use libfuzzer_sys::fuzz_target;
use mysqlclient_ms::options::Family;
use mysqlclient_ms::result::{Definition, StreamRow};
use mysqlclient_ms::wire::{auth, column, err, greeting, ok, row};

fuzz_target!(|data: &[u8]| {
    let Some((&choice, packet)) = data.split_first() else { return };
    let flags = [0, 1 << 24, (1 << 24) | (1 << 23), u64::MAX][usize::from(choice >> 6)];
    match choice & 7 {
        0 => drop(greeting::parse(packet)),
        1 => drop(auth::parse_switch(packet)),
        2 => {
            if let Ok(ok) = ok::parse(packet, flags, Family::MySql) {
                assert!(ok.info.len() + ok.session_changes.len() <= packet.len());
            }
        }
        3 => drop(ok::parse_end(packet, flags)),
        4 => {
            if let Ok(error) = err::parse(packet) {
                let state = error.sqlstate_or_general();
                assert_eq!(state.len(), 5);
            }
        }
        5 => {
            let mut own = [packet, &[0]].concat();
            drop(column::decode(&mut own, 0, flags & 1 != 0, flags & 2 != 0, &mut Definition::default()));
        }
        6 => {
            let columns = usize::from(choice >> 3 & 7) + 1;
            let mut longest: Vec<c_ulong> = vec![0; columns];
            if row::scan(packet, &mut longest).is_ok() {
                assert!(longest.iter().all(|length| *length as usize <= packet.len()));
                let canonical = row::canonical(packet, columns).expect("a row that was scanned");
                assert!(canonical.len() <= packet.len());
            }
        }
        _ => {
            let columns = usize::from(choice >> 3 & 7) + 1;
            let mut row = StreamRow::new(columns);
            if let Ok(Ok(())) = row.load(packet) {
                for index in 0..columns {
                    assert!(row.value(index).is_none_or(|value| value.len() <= packet.len()));
                }
            }
        }
    }
});
