//! Any bytes at all: no decoder panics, hangs or takes more memory than it was given.

use proptest::prelude::*;

use super::{auth, column, err, greeting, ok, row};
use crate::options::Family;
use crate::result::{Definition, NONE};

proptest! {
    #[test]
    fn decoders_take_any_bytes(bytes: Vec<u8>, flags: u64, columns in 0usize..9) {
        let _ = greeting::parse(&bytes);
        let _ = err::parse(&bytes);
        let _ = auth::parse_switch(&bytes);
        for extended in [false, true] {
            let mut own = [&bytes[..], &[0]].concat();
            let mut found = Definition::default();
            if column::decode(&mut own, 0, extended, extended, &mut found).is_ok() {
                let there = [found.extended, found.default].into_iter().filter(|place| *place != NONE);
                for (start, length) in found.strings.into_iter().chain(there) {
                    prop_assert!(start as usize + length as usize <= bytes.len());
                    prop_assert_eq!(own[(start + length) as usize], 0);
                }
            }
        }
        if let Ok(found) = ok::parse(&bytes, flags, Family::MySql) {
            prop_assert!(found.info.len() + found.session_changes.len() <= bytes.len());
        }
        if ok::is_end(&bytes, flags) {
            let _ = ok::parse_end(&bytes, flags);
        }
        let mut longest = vec![0; columns];
        if row::scan(&bytes, &mut longest).is_ok() {
            prop_assert!(longest.iter().all(|length| *length as usize <= bytes.len()));
            let canonical = row::canonical(&bytes, columns).expect("checked");
            prop_assert_eq!(row::scan(&canonical, &mut vec![0; columns]), Ok(row::Form::Canonical));
        }
    }

    #[test]
    fn a_greeting_with_any_byte_changed_is_still_read_safely(at: prop::sample::Index, byte: u8) {
        for captured in [greeting::tests::MARIADB, greeting::tests::MYSQL] {
            let mut bytes = captured.to_vec();
            bytes[at.index(captured.len())] = byte;
            let _ = greeting::parse(&bytes);
        }
    }
}
