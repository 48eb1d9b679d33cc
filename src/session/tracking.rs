//! Session state changes of the last OK packet, as `mysql_session_track_get_first` and `_next` hand them out.
//!
//! Reads the raw entries that `conn` delivers: type, length, data. Any bytes are safe; a malformed rest is ignored.

/// `enum_session_state_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TrackType {
    SystemVariables = 0,
    Schema = 1,
    StateChange = 2,
    Gtids = 3,
    TransactionCharacteristics = 4,
    TransactionState = 5,
}

impl TrackType {
    /// From the number on the wire.
    pub fn from_number(number: u32) -> Option<Self> {
        Some(match number {
            0 => TrackType::SystemVariables,
            1 => TrackType::Schema,
            2 => TrackType::StateChange,
            3 => TrackType::Gtids,
            4 => TrackType::TransactionCharacteristics,
            5 => TrackType::TransactionState,
            _ => return None,
        })
    }
}

/// One string of one change: a variable's name, then its value; a schema; a state.
pub type SessionChange<'a> = (TrackType, &'a [u8]);

fn length_encoded<'a>(data: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (&first, rest) = data.split_first()?;
    let (width, base) = match first {
        0..=250 => (0, u64::from(first)),
        252 => (2, 0),
        253 => (3, 0),
        254 => (8, 0),
        _ => return None,
    };
    let mut length = base;
    for (index, &byte) in rest.get(..width)?.iter().enumerate() {
        length |= u64::from(byte) << (8 * index);
    }
    let rest = rest.get(width..)?;
    let length = usize::try_from(length).ok()?;
    let value = rest.get(..length)?;
    *data = rest.get(length..)?;
    Some(value)
}

/// The strings of all changes in the order of the packet; variables give two strings each. Nothing is copied.
#[derive(Clone, Debug)]
pub struct Changes<'a> {
    raw: &'a [u8],
    /// What is left of the variables' entry.
    variables: &'a [u8],
    /// The value of the variable whose name was given last.
    value: Option<&'a [u8]>,
}

impl<'a> Changes<'a> {
    /// Of raw entries.
    pub fn new(raw: &'a [u8]) -> Self {
        Changes { raw, variables: &[], value: None }
    }
}

impl<'a> Iterator for Changes<'a> {
    type Item = SessionChange<'a>;

    fn next(&mut self) -> Option<SessionChange<'a>> {
        if let Some(value) = self.value.take() {
            return Some((TrackType::SystemVariables, value));
        }
        loop {
            if let (Some(name), Some(value)) =
                (length_encoded(&mut self.variables), length_encoded(&mut self.variables))
            {
                self.value = Some(value);
                return Some((TrackType::SystemVariables, name));
            }
            self.variables = &[];
            let (&number, rest) = self.raw.split_first()?;
            self.raw = rest;
            let Some(mut entry) = length_encoded(&mut self.raw) else {
                self.raw = &[];
                return None;
            };
            let Some(kind) = TrackType::from_number(u32::from(number)) else { continue };
            let text = match kind {
                TrackType::SystemVariables => {
                    self.variables = entry;
                    None
                }
                // "1" or "0", the only entry without an inner length.
                TrackType::StateChange => Some(entry),
                // One byte of encoding specification, then the set.
                TrackType::Gtids => entry.split_first().and_then(|(_, mut set)| length_encoded(&mut set)),
                TrackType::Schema | TrackType::TransactionCharacteristics | TrackType::TransactionState => {
                    length_encoded(&mut entry)
                }
            };
            if let Some(text) = text {
                return Some((kind, text));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(raw: &[u8]) -> Vec<SessionChange<'_>> {
        Changes::new(raw).collect()
    }

    #[test]
    fn variables_come_as_name_and_value() {
        let raw = b"\x00\x11\x09last_gtid\x060-1-19";
        assert_eq!(
            changes(raw),
            [(TrackType::SystemVariables, &b"last_gtid"[..]), (TrackType::SystemVariables, &b"0-1-19"[..])]
        );
    }

    #[test]
    fn a_schema_and_a_gtid_in_one_packet() {
        let raw = b"\x01\x05\x04shop\x03\x06\x00\x04u:21";
        assert_eq!(changes(raw), [(TrackType::Schema, &b"shop"[..]), (TrackType::Gtids, &b"u:21"[..])]);
    }

    #[test]
    fn every_prefix_of_a_packet_is_read_without_a_panic() {
        let raw =
            b"\x00\x11\x09last_gtid\x060-1-19\x01\x05\x04shop\xff\x01\x00\x03\xfe\xff\xff\xff\xff\xff\xff\xff\xff";
        for length in 0..=raw.len() {
            changes(&raw[..length]);
        }
    }
}
