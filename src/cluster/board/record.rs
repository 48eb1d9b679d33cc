//! What a board says, as a value and as bytes.
//!
//! Bytes from the file are anything until they are proven to be a board: a header with the length and a checksum, then
//! JSON. Numbers of milliseconds are on the machine's monotonic clock, which all of its processes share.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Begins every board. The last byte counts the forms: another form is another board.
const MAGIC: &[u8; 8] = b"msboard1";

/// Bytes in front of the JSON: magic, number of the state, length, checksum.
pub(super) const HEADER: usize = 24;

/// Largest board, bytes; the file has this size from the beginning, so that a full file system cannot cut a state short.
pub(super) const SIZE: usize = 16 * 1024;

/// Longest position that is written down, bytes; a node whose position is longer is asked instead.
const LONGEST_POSITION: usize = 1024;

/// What all processes of a user know of one section.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Record {
    /// Which run of the machine the times belong to.
    pub boot: String,
    /// How many turns of round robin were taken.
    pub turns: u64,
    /// What the servers said of their roles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<Roles>,
    /// By where they listen.
    pub nodes: BTreeMap<String, Node>,
    /// By account.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub written: BTreeMap<String, Written>,
    /// Statements on their way, by process.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub in_flight: BTreeMap<u32, InFlight>,
}

/// See [`crate::cluster::roles`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Roles {
    /// When they were asked.
    pub at: u64,
    pub sources: Vec<String>,
    pub replicas: Vec<String>,
}

/// What handles under one account have written, for reads of scope host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Written {
    pub position: String,
    /// When some of it was found to be lost.
    pub since: u64,
}

/// One node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Node {
    /// Version text; empty if nobody has connected.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    pub mariadb: bool,
    /// Which server it is; empty if unknown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub server: String,
    /// When it was found to be that server, or to have lost something.
    pub since: u64,
    /// What it has executed at least.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub executed: String,
    /// Its last failure, or the end of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// As in [`crate::cluster::balance`].
    #[serde(skip_serializing_if = "is_zero")]
    pub latency: u64,
    /// Its lag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lag: Option<Lag>,
    /// Until then somebody is asking it for its lag.
    #[serde(skip_serializing_if = "is_zero")]
    pub asked_until: u64,
}

/// See [`crate::cluster::health`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Failure {
    /// 0 = it is well again.
    pub until: u64,
    pub code: u32,
    /// When that was found out.
    pub at: u64,
}

/// See [`crate::cluster::lag`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Lag {
    pub at: u64,
    /// None = it does not replicate, or does not say.
    pub ms: Option<u32>,
    /// It said that it does not replicate.
    pub stopped: bool,
}

/// One process's statements on their way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct InFlight {
    pub at: u64,
    pub nodes: BTreeMap<String, u32>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What bytes at the beginning of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// Nobody has written yet.
    Blank,
    /// A state of so many bytes.
    State { number: u64, length: usize, checksum: u32 },
    /// Something else.
    Damaged,
}

/// Reads a header.
pub(super) fn head(bytes: &[u8]) -> Head {
    let Some((header, _)) = bytes.split_first_chunk::<HEADER>() else {
        return if bytes.iter().all(|byte| *byte == 0) { Head::Blank } else { Head::Damaged };
    };
    if header.iter().all(|byte| *byte == 0) {
        return Head::Blank;
    }
    let (magic, rest) = header.split_at(MAGIC.len());
    let word = |at: usize| rest.get(at..at + 4).and_then(|four| four.try_into().ok()).map_or(0, u32::from_le_bytes);
    let number = u64::from(word(0)) | u64::from(word(4)) << 32;
    let length = word(8) as usize;
    if magic != MAGIC || length > SIZE - HEADER {
        return Head::Damaged;
    }
    Head::State { number, length, checksum: word(12) }
}

/// Reads what follows a header. None if it is damaged.
pub(super) fn body(bytes: &[u8], number: u64, checksum: u32) -> Option<Record> {
    if sum(number, bytes) != checksum {
        return None;
    }
    serde_json::from_slice(bytes).ok()
}

/// The record as the file's bytes. None if it is too large for a board, whatever is left out.
pub(super) fn write(record: &Record, number: u64) -> Option<Vec<u8>> {
    let mut json = serde_json::to_vec(record).ok()?;
    if json.len() > SIZE - HEADER {
        let mut smaller = record.clone();
        smaller.nodes.values_mut().for_each(|node| node.executed.clear());
        smaller.in_flight.clear();
        json = serde_json::to_vec(&smaller).ok()?;
    }
    if json.len() > SIZE - HEADER {
        return None;
    }
    let mut bytes = Vec::with_capacity(HEADER + json.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&number.to_le_bytes());
    bytes.extend_from_slice(&u32::try_from(json.len()).ok()?.to_le_bytes());
    bytes.extend_from_slice(&sum(number, &json).to_le_bytes());
    bytes.extend_from_slice(&json);
    Some(bytes)
}

/// A position, if it is not too long.
pub(super) fn position(text: String) -> String {
    if text.len() > LONGEST_POSITION { String::new() } else { text }
}

fn sum(number: u64, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&number.to_le_bytes());
    hasher.update(bytes);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let node = Node { version: "9.7.4".into(), server: "a".into(), executed: "0-1-4".into(), ..Node::default() };
        Record { boot: "b".into(), turns: 7, nodes: [("db:3306".to_owned(), node)].into(), ..Record::default() }
    }

    fn read(bytes: &[u8]) -> Option<(u64, Record)> {
        let Head::State { number, length, checksum } = head(bytes) else { return None };
        Some((number, body(bytes.get(HEADER..HEADER + length)?, number, checksum)?))
    }

    #[test]
    fn what_was_written_is_read() {
        let bytes = write(&record(), 3).expect("small");
        assert_eq!(read(&bytes), Some((3, record())));
        assert_eq!(head(&[0; HEADER]), Head::Blank);
        assert_eq!(head(&[]), Head::Blank);
    }

    #[test]
    fn every_damaged_byte_is_noticed() {
        let bytes = write(&record(), 3).expect("small");
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x20;
            assert_eq!(read(&damaged), None, "byte {at}");
            assert_eq!(read(&bytes[..at]), None, "cut at {at}");
        }
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let mut large = record();
        for number in 0..100 {
            let node = Node { executed: "x".repeat(4000), ..Node::default() };
            large.nodes.insert(format!("db{number}"), node);
        }
        let bytes = write(&large, 1).expect("without positions it fits");
        let (_, read) = read(&bytes).expect("read");
        assert_eq!((read.nodes.len(), read.turns), (101, 7));
        assert!(read.nodes.values().all(|node| node.executed.is_empty()));
        assert_eq!(position("x".repeat(5000)), "");
    }
}
