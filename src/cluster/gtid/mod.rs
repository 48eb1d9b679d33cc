//! Global transaction ids: what a session has written, what a node is known to have executed.
//!
//! Plain values of both server families: read, merged, compared, written. No I/O, no clock. Texts come from servers and
//! from programs' tokens: any bytes are safe, and what cannot be read is an error, never a guess.

pub mod mariadb;
pub mod mysql;
pub mod token;

pub use mariadb::DomainPosition;
pub use mysql::GtidSet;

/// A place in a cluster's history: a set of transactions that a reader wants to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    /// MySQL: the transactions themselves.
    MySql(GtidSet),
    /// MariaDB: the last transaction of each domain.
    MariaDb(DomainPosition),
}

/// Why two positions, or a text, do not make one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// The text is no position of this family.
    Malformed,
    /// One is of MySQL, the other of MariaDB.
    OtherFamily,
}

impl Position {
    /// An empty position of MariaDB or of MySQL.
    pub fn empty(mariadb: bool) -> Self {
        if mariadb { Position::MariaDb(DomainPosition::default()) } else { Position::MySql(GtidSet::default()) }
    }

    /// Reads a position of the given family.
    pub fn parse(text: &[u8], mariadb: bool) -> Result<Self, Unfit> {
        Ok(if mariadb {
            Position::MariaDb(DomainPosition::parse(text)?)
        } else {
            Position::MySql(GtidSet::parse(text)?)
        })
    }

    /// Reads a position of either family: one of MySQL names servers by UUID, which holds a fifth dash no later than
    /// the 24th character; one of MariaDB is numbers.
    pub fn parse_any(text: &[u8]) -> Result<Self, Unfit> {
        Position::parse(text, true).or_else(|_| Position::parse(text, false))
    }

    /// True for a position of MariaDB.
    pub fn is_mariadb(&self) -> bool {
        matches!(self, Position::MariaDb(_))
    }

    /// No transaction at all.
    pub fn is_empty(&self) -> bool {
        match self {
            Position::MySql(set) => set.is_empty(),
            Position::MariaDb(position) => position.is_empty(),
        }
    }

    /// Adds the transactions of another position.
    pub fn merge(&mut self, other: &Position) -> Result<(), Unfit> {
        match (self, other) {
            (Position::MySql(set), Position::MySql(other)) => set.union(other),
            (Position::MariaDb(position), Position::MariaDb(other)) => position.union(other),
            _ => return Err(Unfit::OtherFamily),
        }
        Ok(())
    }

    /// Whether a node that has executed `self` has executed all of `other`. MariaDB compares numbers within a domain:
    /// on a lineage that was given up they are as large, which [`DomainPosition::has_fallen_behind`] finds out.
    pub fn covers(&self, other: &Position) -> bool {
        match (self, other) {
            (Position::MySql(set), Position::MySql(other)) => set.is_superset(other),
            (Position::MariaDb(position), Position::MariaDb(other)) => position.covers(other),
            _ => other.is_empty(),
        }
    }

    /// Whether `other` names no transaction that `self` does not stand for, by the servers that wrote them: on MariaDB
    /// another server's transaction is another one, whatever its number.
    pub fn holds(&self, other: &Position) -> bool {
        match (self, other) {
            (Position::MariaDb(position), Position::MariaDb(other)) => other.gtids().iter().all(|wanted| {
                let known = position.of(wanted.domain);
                known.is_some_and(|known| known.server == wanted.server && known.sequence >= wanted.sequence)
            }),
            _ => self.covers(other),
        }
    }

    /// The position as its servers write it.
    pub fn to_text(&self) -> String {
        match self {
            Position::MySql(set) => set.to_string(),
            Position::MariaDb(position) => position.to_string(),
        }
    }

    /// With all transactions that have lower numbers of the same origins. (A position of MariaDB means that anyway.)
    pub fn with_earlier(&self) -> Position {
        match self {
            Position::MySql(set) => Position::MySql(set.with_earlier()),
            Position::MariaDb(position) => Position::MariaDb(position.clone()),
        }
    }

    /// Bounds the position's size; a node reaches it no earlier than before.
    pub fn bound(&mut self) {
        if let Position::MySql(set) = self {
            set.widen(mysql::MOST_INTERVALS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_told_apart_and_not_mixed() {
        let mariadb = Position::parse_any(b"0-1-19").expect("read");
        let mysql = Position::parse_any(b"3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5").expect("read");
        assert!(mariadb.is_mariadb() && !mysql.is_mariadb());
        assert_eq!(mariadb.clone().merge(&mysql), Err(Unfit::OtherFamily));
        assert!(!mariadb.covers(&mysql) && !mysql.covers(&mariadb));
        assert_eq!(Position::parse_any(b"nonsense"), Err(Unfit::Malformed));
    }
}
