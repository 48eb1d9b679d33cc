//! Classifications kept by full text, so that a statement seen before costs a hash and a comparison.
//!
//! One cache per session; bounded in bytes; nothing is allocated on a hit. Knows nothing of what it stores beyond its
//! size. Two-way sets without chains: a hostile choice of texts can only push out entries.

use std::hash::Hasher;
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::classify::{ClassifyConfig, classify};
use super::context::LexContext;
use super::effects::Effect;
use super::statement::{Span, Statement, TableRef};

/// Default bound: 64 KiB.
pub const DEFAULT_LIMIT_BYTES: usize = 64 * 1024;

const SETS: usize = 64;

#[derive(Debug)]
struct Entry {
    hash: u64,
    text: Box<[u8]>,
    statement: Arc<Statement>,
}

impl Entry {
    fn bytes(&self) -> usize {
        let s = &self.statement;
        size_of::<Entry>()
            + size_of::<Statement>()
            + self.text.len()
            + s.effects.capacity() * size_of::<Effect>()
            + if s.needs.tables.spilled() { s.needs.tables.capacity() * size_of::<TableRef>() } else { 0 }
            + (s.needs.user_variables.capacity() + s.needs.system_variables.capacity() + s.needs.derived.capacity())
                * size_of::<Span>()
    }
}

/// The cache. Empty ones own no memory.
#[derive(Debug)]
pub struct StatementCache {
    /// Sets of two, the younger first.
    slots: Vec<Option<Entry>>,
    bytes: usize,
    limit: usize,
    hand: usize,
    context: LexContext,
    hits: u64,
    misses: u64,
}

impl Default for StatementCache {
    fn default() -> Self {
        StatementCache::new(DEFAULT_LIMIT_BYTES)
    }
}

impl StatementCache {
    /// A cache for at most `limit` bytes of entries; 0 keeps nothing. A text of more than a quarter of the limit is
    /// not kept.
    pub fn new(limit: usize) -> Self {
        StatementCache {
            slots: Vec::new(),
            bytes: 0,
            limit,
            hand: 0,
            context: LexContext::default(),
            hits: 0,
            misses: 0,
        }
    }

    /// The classification of a text: kept, or made now. Another context empties the cache first; `config` must be the
    /// same from call to call ([`StatementCache::clear`] when it changes).
    pub fn classify(&mut self, sql: &[u8], context: &LexContext, config: &ClassifyConfig) -> Arc<Statement> {
        if self.context != *context {
            self.clear();
            self.context = *context;
        }
        let hash = hash(sql);
        let set = (hash >> 32) as usize % SETS * 2;
        for way in 0..2 {
            if let Some(Some(entry)) = self.slots.get(set + way)
                && entry.hash == hash
                && *entry.text == *sql
            {
                let found = Arc::clone(&entry.statement);
                self.hits += 1;
                if way == 1 {
                    self.slots.swap(set, set + 1);
                }
                return found;
            }
        }
        self.misses += 1;
        let statement = Arc::new(classify(sql, context, config));
        if sql.len() <= self.limit / 4 {
            self.keep(set, Entry { hash, text: sql.into(), statement: Arc::clone(&statement) });
        }
        statement
    }

    fn keep(&mut self, set: usize, entry: Entry) {
        let size = entry.bytes();
        if size > self.limit {
            return;
        }
        if self.slots.is_empty() {
            self.slots.resize_with(SETS * 2, || None);
        }
        // The older of the set goes.
        self.forget(set + 1);
        self.slots.swap(set, set + 1);
        while self.bytes + size > self.limit {
            let victim = self.hand;
            self.hand = (self.hand + 1) % self.slots.len();
            self.forget(victim);
        }
        self.bytes += size;
        self.slots[set] = Some(entry);
    }

    fn forget(&mut self, slot: usize) {
        if let Some(old) = self.slots[slot].take() {
            self.bytes -= old.bytes();
        }
    }

    /// Forgets everything and gives the memory back.
    pub fn clear(&mut self) {
        self.slots = Vec::new();
        self.bytes = 0;
        self.hand = 0;
    }

    /// Bytes held by entries; never above the limit.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Texts found, and texts classified, since the cache was made.
    pub fn hits_and_misses(&self) -> (u64, u64) {
        (self.hits, self.misses)
    }
}

fn hash(text: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::statement::Class;

    fn class(cache: &mut StatementCache, sql: &str) -> Class {
        cache.classify(sql.as_bytes(), &LexContext::default(), &ClassifyConfig::default()).class
    }

    #[test]
    fn second_time_is_a_hit_with_the_same_answer() {
        let mut cache = StatementCache::default();
        assert_eq!(cache.bytes(), 0);
        assert!(cache.slots.capacity() == 0, "an unused cache owns no memory");
        for _ in 0..3 {
            assert_eq!(class(&mut cache, "SELECT 1"), Class::Read);
            assert_eq!(class(&mut cache, "DELETE FROM t"), Class::Write);
        }
        assert_eq!(cache.hits_and_misses(), (4, 2));
    }

    #[test]
    fn another_context_empties_it() {
        let mut cache = StatementCache::default();
        let plain = LexContext::default();
        let ansi = LexContext { ansi_quotes: true, ..plain };
        let config = ClassifyConfig::default();
        let sql = br#"SELECT "f"(1)"#;
        let before = cache.classify(sql, &plain, &config).reason;
        let after = cache.classify(sql, &ansi, &config).reason;
        assert_ne!(before, after);
        assert_eq!(cache.hits_and_misses(), (0, 2));
    }

    #[test]
    fn bytes_stay_below_the_limit() {
        for limit in [0, 100, 3000, 20_000, DEFAULT_LIMIT_BYTES] {
            let mut cache = StatementCache::new(limit);
            for i in 0..3000 {
                let sql = format!("SELECT {i}, '{}' FROM t{i} WHERE @@sql_mode = @v{i}", "x".repeat(i % 500));
                assert_eq!(class(&mut cache, &sql), Class::Read);
                assert!(cache.bytes() <= limit, "{} of {limit}", cache.bytes());
                let real: usize = cache.slots.iter().flatten().map(Entry::bytes).sum();
                assert_eq!(real, cache.bytes());
            }
        }
    }

    #[test]
    fn long_texts_are_not_kept() {
        let mut cache = StatementCache::new(4000);
        let long = format!("SELECT '{}'", "x".repeat(2000));
        class(&mut cache, &long);
        class(&mut cache, &long);
        assert_eq!(cache.hits_and_misses(), (0, 2));
        assert_eq!(cache.bytes(), 0);
    }
}
