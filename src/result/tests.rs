//! Rows through the builder and out again, the way C reads them.

use proptest::prelude::*;

use super::{Builder, LARGE_HEADER, StoredRows, StreamRow};

type Row = Vec<Option<Vec<u8>>>;

fn put_length(out: &mut Vec<u8>, length: usize) {
    match length {
        0..=250 => out.push(length as u8),
        251..=0xFFFF => {
            out.push(252);
            out.extend((length as u16).to_le_bytes());
        }
        _ => {
            out.push(253);
            out.extend(&(length as u32).to_le_bytes()[..3]);
        }
    }
}

fn payload(row: &Row) -> Vec<u8> {
    let mut out = Vec::new();
    for value in row {
        match value {
            None => out.push(0xFB),
            Some(value) => {
                put_length(&mut out, value.len());
                out.extend(value);
            }
        }
    }
    out
}

/// Stores rows as the connection does, received in pieces of `piece` bytes; rows of `large` bytes and more by themselves.
fn store(rows: &[Row], columns: usize, piece: usize, large: usize) -> StoredRows {
    let mut builder = Builder::default();
    builder.start(columns).expect("memory");
    for row in rows {
        let payload = payload(row);
        if payload.len() >= large {
            let mut block = vec![0; LARGE_HEADER];
            block.extend(&payload);
            builder.adopt(block).expect("memory");
            continue;
        }
        let mut packet = (payload.len() as u32).to_le_bytes().to_vec();
        packet.extend(&payload);
        builder.make_room(packet.len()).expect("memory");
        for part in packet.chunks(piece) {
            builder.make_room(part.len() + builder.tail().len()).expect("memory");
            builder.buffer().extend(part);
        }
        let parts = builder.parts();
        for (longest, value) in parts.longest.iter_mut().zip(row) {
            *longest = (*longest).max(value.as_ref().map_or(0, Vec::len) as std::ffi::c_ulong);
        }
        let header = parts.tail.first_chunk_mut().expect("a header");
        Builder::prepare(header);
        parts.words.push(parts.base + 4).expect("memory");
        builder.advance(packet.len());
    }
    let mut stored = StoredRows::default();
    builder.finish(&mut stored).expect("memory");
    stored
}

fn fetched(stored: &mut StoredRows, number: u64, columns: usize) -> Row {
    (0..columns).map(|column| stored.value(number, column)).collect()
}

fn any_row(columns: usize) -> impl Strategy<Value = Row> {
    let value = prop_oneof![
        1 => Just(None),
        4 => prop::collection::vec(any::<u8>(), 0..40).prop_map(Some),
        1 => (240usize..300).prop_map(|length| Some(vec![b'x'; length])),
    ];
    prop::collection::vec(value, columns)
}

proptest! {
    #[test]
    fn rows_come_back_in_any_order_and_again(
        rows in (1usize..7).prop_flat_map(|columns| prop::collection::vec(any_row(columns), 0..600)),
        piece in 1usize..200,
        order: Vec<prop::sample::Index>,
    ) {
        let columns = rows.first().map_or(1, Vec::len);
        let mut stored = store(&rows, columns, piece, 500);
        prop_assert_eq!(stored.len(), rows.len() as u64);
        for index in order {
            if !rows.is_empty() {
                let number = index.index(rows.len());
                prop_assert_eq!(&fetched(&mut stored, number as u64, columns), &rows[number]);
            }
        }
        for _ in 0..2 {
            for (number, row) in rows.iter().enumerate() {
                prop_assert_eq!(&fetched(&mut stored, number as u64, columns), row);
            }
        }
        prop_assert!(stored.row(rows.len() as u64).is_none());
    }

    #[test]
    fn a_streamed_row_takes_any_bytes(bytes: Vec<u8>, columns in 0usize..9) {
        let mut row = StreamRow::new(columns);
        let sound = row.load(&bytes).expect("memory").is_ok();
        let shown: usize = (0..columns).filter_map(|column| row.value(column)).map(|value| value.len()).sum();
        prop_assert!(shown <= bytes.len());
        prop_assert!(sound || shown == 0);
    }
}

#[test]
fn values_end_with_nul_and_rows_stay_where_they_are() {
    let rows: Vec<Row> = (0..1000).map(|n| vec![Some(n.to_string().into_bytes()), None, Some(vec![b'v'; n])]).collect();
    let mut stored = store(&rows, 3, 64, usize::MAX);
    let first = stored.row(0).expect("a row");
    for (number, row) in rows.iter().enumerate() {
        let pointers = stored.row(number as u64).expect("a row");
        assert!(!pointers.values.is_null());
        assert_eq!(&fetched(&mut stored, number as u64, 3), row);
    }
    assert_eq!(stored.row(0).expect("a row").values, first.values);
    assert_eq!((stored.max_length(0), stored.max_length(1), stored.max_length(2)), (3, 0, 999));
}

#[test]
fn a_result_without_rows_has_none() {
    let mut stored = StoredRows::empty(3).expect("memory");
    assert!(stored.is_empty());
    assert!(stored.row(0).is_none());
    assert_eq!(stored.max_lengths(), [0, 0, 0]);
}
