//! What is known of tables: which of them hold their own rows only, and change by statements that name them only.
//!
//! For table-level consistency (`consistency.tables`). Shared by the handles of a process, and trusted until an end time,
//! because others may change a table. No locks, so that a fork at any moment leaves it usable; time comes from the caller.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwapOption;

/// A table by its full name, spelled as in a statement. Only names of letters, digits, `_` and `$` of ASCII: they mean the same
/// in every character set and need no quotes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TableName {
    /// Its schema.
    pub schema: Box<[u8]>,
    /// Its own name.
    pub name: Box<[u8]>,
}

impl TableName {
    /// None for names with other characters, and without a schema.
    pub fn new(schema: &[u8], name: &[u8]) -> Option<Self> {
        let plain = |text: &[u8]| {
            !text.is_empty() && text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))
        };
        (plain(schema) && plain(name)).then(|| TableName { schema: schema.into(), name: name.into() })
    }

    /// Whether the two may be the same table: on some servers case does not count.
    pub fn may_be(&self, other: &TableName) -> bool {
        self.name.eq_ignore_ascii_case(&other.name) && self.schema.eq_ignore_ascii_case(&other.schema)
    }
}

/// What a table is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nature {
    /// A read of it sees what was written to it, and nothing else: a base table of an ordinary engine, without a foreign key
    /// that lets writes to another table change it.
    pub alone: bool,
    /// A write to it writes to no other table by a trigger.
    pub quiet: bool,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    nature: Nature,
    /// Not trusted from then on.
    until: Duration,
}

/// Most tables that are remembered: then all are forgotten.
const MOST: usize = 512;

/// See the module's text.
#[derive(Debug, Default)]
pub struct Tables {
    known: ArcSwapOption<HashMap<TableName, Known>>,
    /// Counts how often all was forgotten.
    era: AtomicU64,
}

impl Tables {
    /// What the table is; None if that has to be asked.
    pub fn of(&self, table: &TableName, now: Duration) -> Option<Nature> {
        let known = self.known.load();
        known.as_ref()?.get(table).filter(|known| now < known.until).map(|known| known.nature)
    }

    /// Changes when all is forgotten: what was asked before then does not count.
    pub fn era(&self) -> u64 {
        self.era.load(Ordering::Acquire)
    }

    /// A server answered a question that was asked in this era.
    pub fn learn(&self, answers: &[(TableName, Nature)], era: u64, until: Duration) {
        self.known.rcu(|known| {
            let mut all = known.as_deref().filter(|all| all.len() < MOST).cloned().unwrap_or_default();
            for (table, nature) in answers {
                all.insert(table.clone(), Known { nature: *nature, until });
            }
            // In here, because a change of tables may come in between.
            if self.era() == era { Some(Arc::new(all)) } else { known.clone() }
        });
        if self.era() != era {
            self.known.store(None);
        }
    }

    /// Some statement may have changed tables, views or triggers.
    pub fn forget(&self) {
        self.era.fetch_add(1, Ordering::AcqRel);
        self.known.store(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Nature = Nature { alone: true, quiet: true };

    fn table(name: &str) -> TableName {
        TableName::new(b"shop", name.as_bytes()).expect("plain")
    }

    #[test]
    fn names_that_need_quotes_are_none() {
        for (schema, name) in
            [("", "t"), ("shop", ""), ("shop", "a b"), ("sh'op", "t"), ("shop", "\u{e4}"), ("s\\", "t")]
        {
            assert_eq!(TableName::new(schema.as_bytes(), name.as_bytes()), None, "{schema}.{name}");
        }
        assert!(table("Carts").may_be(&table("carts")) && !table("carts").may_be(&table("cart")));
    }

    #[test]
    fn what_is_known_ends() {
        let tables = Tables::default();
        let now = Duration::from_secs(5);
        assert_eq!(tables.of(&table("a"), now), None);
        tables.learn(&[(table("a"), PLAIN), (table("b"), Nature::default())], tables.era(), 2 * now);
        assert_eq!(tables.of(&table("a"), now), Some(PLAIN));
        assert_eq!(tables.of(&table("b"), now), Some(Nature::default()));
        assert_eq!(tables.of(&table("A"), now), None, "another spelling may be another table");
        assert_eq!(tables.of(&table("a"), 2 * now), None);
    }

    #[test]
    fn an_answer_from_before_a_change_of_tables_does_not_count() {
        let tables = Tables::default();
        let (era, now) = (tables.era(), Duration::from_secs(5));
        tables.learn(&[(table("a"), PLAIN)], era, 2 * now);
        tables.forget();
        assert_eq!(tables.of(&table("a"), now), None);
        tables.learn(&[(table("a"), PLAIN)], era, 2 * now);
        assert_eq!(tables.of(&table("a"), now), None);
        tables.learn(&[(table("a"), PLAIN)], tables.era(), 2 * now);
        assert_eq!(tables.of(&table("a"), now), Some(PLAIN));
    }

    #[test]
    fn memory_is_bounded() {
        let tables = Tables::default();
        for number in 0..3 * MOST {
            tables.learn(&[(table(&format!("t{number}")), PLAIN)], tables.era(), Duration::MAX);
        }
        assert!(tables.known.load().as_ref().is_some_and(|all| all.len() <= MOST));
    }
}
