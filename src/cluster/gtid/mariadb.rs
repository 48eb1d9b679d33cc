//! MariaDB's positions: the last transaction of each replication domain, `domain-server-sequence`.

use std::fmt;

use super::Unfit;

/// One transaction: `0-1-19`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gtid {
    /// Replication domain.
    pub domain: u32,
    /// `server_id` of the server that executed it first.
    pub server: u32,
    /// Number within the domain.
    pub sequence: u64,
}

impl fmt::Display for Gtid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.domain, self.server, self.sequence)
    }
}

/// The last transaction of each domain, ordered by domain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DomainPosition(Vec<Gtid>);

/// Most transactions that a list is read with: a text from outside does not decide how much memory is taken.
const MOST_READ: usize = 1024;

/// Reads transactions with commas between them, as in `gtid_binlog_state`, which has one for each server and domain.
pub fn parse_list(text: &[u8]) -> Result<Vec<Gtid>, Unfit> {
    let text = text.trim_ascii();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let parts = text.split(|byte| *byte == b',').take(MOST_READ + 1);
    let list: Vec<Gtid> =
        parts.map(|part| parse_one(part.trim_ascii())).collect::<Option<_>>().ok_or(Unfit::Malformed)?;
    if list.len() > MOST_READ { Err(Unfit::Malformed) } else { Ok(list) }
}

impl DomainPosition {
    /// Reads `0-1-19,1-2-5`. Empty text: no transaction.
    pub fn parse(text: &[u8]) -> Result<Self, Unfit> {
        let mut position = DomainPosition::default();
        for gtid in parse_list(text)? {
            position.advance(gtid);
        }
        Ok(position)
    }

    /// No transaction.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The transactions, one per domain.
    pub fn gtids(&self) -> &[Gtid] {
        &self.0
    }

    /// Takes over the later transaction of its domain.
    fn advance(&mut self, gtid: Gtid) {
        match self.0.binary_search_by_key(&gtid.domain, |known| known.domain) {
            Ok(at) if self.0[at].sequence < gtid.sequence => self.0[at] = gtid,
            Ok(_) => {}
            Err(at) => self.0.insert(at, gtid),
        }
    }

    /// Adds the transactions of another position.
    pub fn union(&mut self, other: &DomainPosition) {
        for gtid in &other.0 {
            self.advance(*gtid);
        }
    }

    /// Every domain of `other` has come as far here.
    pub fn covers(&self, other: &DomainPosition) -> bool {
        other.0.iter().all(|wanted| self.of(wanted.domain).is_some_and(|known| known.sequence >= wanted.sequence))
    }

    /// The last transaction of a domain.
    pub fn of(&self, domain: u32) -> Option<Gtid> {
        self.0.binary_search_by_key(&domain, |known| known.domain).ok().map(|at| self.0[at])
    }

    /// The transaction of `self` that a server which has just executed `newer` cannot have had: another server wrote
    /// it, with a number that is not below the new one. Its source is gone, and what it had not sent is lost.
    pub fn has_fallen_behind(&self, newer: &DomainPosition) -> Option<Gtid> {
        newer
            .0
            .iter()
            .find_map(|new| self.of(new.domain).filter(|old| old.server != new.server && old.sequence >= new.sequence))
    }

    /// Replaces the domains that `newer` names, whatever was known of them.
    pub fn replace(&mut self, newer: &DomainPosition) {
        for gtid in &newer.0 {
            match self.0.binary_search_by_key(&gtid.domain, |known| known.domain) {
                Ok(at) => self.0[at] = *gtid,
                Err(at) => self.0.insert(at, *gtid),
            }
        }
    }
}

impl fmt::Display for DomainPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, gtid) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            gtid.fmt(f)?;
        }
        Ok(())
    }
}

fn parse_one(text: &[u8]) -> Option<Gtid> {
    let mut numbers = text.split(|byte| *byte == b'-').map(number);
    let (domain, server, sequence) = (numbers.next()??, numbers.next()??, numbers.next()??);
    if numbers.next().is_some() {
        return None;
    }
    Some(Gtid { domain: u32::try_from(domain).ok()?, server: u32::try_from(server).ok()?, sequence })
}

fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 20 || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(text: &str) -> DomainPosition {
        DomainPosition::parse(text.as_bytes()).expect(text)
    }

    #[test]
    fn the_later_transaction_of_each_domain_counts() {
        let mut all = position("1-2-5, 0-1-19");
        assert_eq!(all.to_string(), "0-1-19,1-2-5");
        all.union(&position("0-3-20,7-1-1"));
        all.union(&position("0-1-4"));
        assert_eq!(all.to_string(), "0-3-20,1-2-5,7-1-1");
        assert!(all.covers(&position("0-1-20,1-9-5")));
        assert!(!all.covers(&position("0-1-21")) && !all.covers(&position("2-1-1")));
        assert!(all.covers(&DomainPosition::default()));
    }

    #[test]
    fn a_new_source_that_is_not_as_far_has_lost_transactions() {
        let written = position("0-1-25");
        assert_eq!(written.has_fallen_behind(&position("0-2-21")).map(|gtid| gtid.to_string()), Some("0-1-25".into()));
        assert_eq!(written.has_fallen_behind(&position("0-2-26")), None);
        assert_eq!(written.has_fallen_behind(&position("0-1-26")), None);
        assert_eq!(written.has_fallen_behind(&position("1-2-1")), None);
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["0-1", "0-1-2-3", "a-1-2", "0-1-", "4294967296-1-1", "0-1-18446744073709551616", ",", "0--1-1"] {
            assert_eq!(DomainPosition::parse(text.as_bytes()), Err(Unfit::Malformed), "{text}");
        }
        assert!(DomainPosition::parse(b" ").expect("empty").is_empty());
    }
}
