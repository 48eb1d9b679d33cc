//! Positions by table (`consistency.tables`): a read waits for the writes to the tables that it names, if these are all that
//! it can see.
//!
//! A write counts for the tables of its text if each of them is known to have no triggers, else for everything; a read needs
//! what counts for everything, and what counts for its own tables if each of them is known to hold its own rows only. What
//! tables are is asked of a source, ahead of the next statement that goes there anyway ([`super::question`]), outside of
//! transactions; until then nothing is narrowed. What was written longer ago than the end time counts for everything.

use std::borrow::Cow;
use std::time::Duration;

use crate::cluster::gtid::Position;
use crate::cluster::tables::{Nature, TableName, Tables};
use crate::conn;
use crate::route::{CHANGES_DATA, Class, Effect, Statement};

use super::routed::Router;

/// Most tables whose writes are told apart.
const MOST_WRITTEN: usize = 64;
/// Most tables of one transaction.
const MOST_OPEN: usize = 32;
/// Most tables that are waiting to be asked about.
const MOST_WISHES: usize = 16;
/// Most of them in one question.
const MOST_ASKED: usize = 4;

/// What the statements changed whose commit has not been heard of.
#[derive(Debug, Default, PartialEq, Eq)]
enum Open {
    #[default]
    Nothing,
    These(Vec<TableName>),
    Everything,
}

/// What a read has to see.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Needed {
    /// All that was written.
    #[default]
    Everything,
    /// Nothing of it.
    Nothing,
    /// This part of it.
    Part(Position),
}

#[derive(Debug)]
struct Written {
    table: TableName,
    position: Position,
    /// When it was written last.
    at: Duration,
}

/// The writes of a handle, by table.
#[derive(Debug)]
pub(super) struct TableWrites {
    keep: Duration,
    /// What every read has to see.
    common: Option<Position>,
    written: Vec<Written>,
    open: Open,
    /// The statement that is being run may change what tables are.
    may_change: bool,
    wishes: Vec<TableName>,
    /// The statement that was decided on last may have the question ahead of it.
    asks: bool,
    era: u64,
    needed: Needed,
}

fn add(sum: &mut Option<Position>, position: &Position) {
    let merged = sum.as_mut().is_some_and(|known| known.merge(position).is_ok());
    if !merged {
        *sum = Some(position.clone());
    }
    if let Some(sum) = sum {
        sum.bound();
    }
}

impl TableWrites {
    /// `position`: what was written before.
    pub(super) fn new(keep: Duration, position: Option<&Position>) -> Self {
        TableWrites {
            keep,
            common: position.cloned(),
            written: Vec::new(),
            open: Open::Nothing,
            may_change: false,
            wishes: Vec::new(),
            asks: false,
            era: 0,
            needed: Needed::Everything,
        }
    }

    /// The same with another end time.
    pub(super) fn kept_for(mut self, keep: Duration) -> Self {
        self.keep = keep;
        self
    }

    /// Every read has to see this, too.
    pub(super) fn add_common(&mut self, position: &Position) {
        add(&mut self.common, position);
    }

    /// Reads have to see this, and what was known by table is void.
    pub(super) fn replace(&mut self, position: Option<&Position>) {
        self.common = position.cloned();
        self.written.clear();
        self.open = Open::Everything;
    }

    /// What the last read needs.
    pub(super) fn needed(&self) -> &Needed {
        &self.needed
    }

    fn touch(&mut self, tables: Option<Vec<TableName>>) {
        let Some(tables) = tables else { return self.open = Open::Everything };
        match &mut self.open {
            Open::Everything => {}
            Open::Nothing => self.open = Open::These(tables),
            Open::These(known) => {
                known.extend(tables);
                if known.len() > MOST_OPEN {
                    self.open = Open::Everything;
                }
            }
        }
    }

    /// This was committed.
    pub(super) fn wrote(&mut self, position: &Position, known: &Tables, now: Duration) {
        let quiet = |table: &TableName| known.of(table, now).is_some_and(|nature| nature.quiet);
        let Open::These(tables) = &self.open else { return self.add_common(position) };
        if tables.is_empty() || !tables.iter().all(quiet) {
            return self.add_common(position);
        }
        for table in tables {
            match self.written.iter_mut().find(|written| written.table.may_be(table)) {
                Some(written) => {
                    let mut sum = Some(written.position.clone());
                    add(&mut sum, position);
                    written.position = sum.unwrap_or_else(|| position.clone());
                    written.at = now;
                }
                None => self.written.push(Written { table: table.clone(), position: position.clone(), at: now }),
            }
        }
        while self.written.len() > MOST_WRITTEN {
            let oldest = self.written.remove(0);
            add(&mut self.common, &oldest.position);
        }
    }

    /// What was written too long ago counts for everything.
    fn forget_old(&mut self, now: Duration) {
        let (keep, common) = (self.keep, &mut self.common);
        self.written.retain(|written| {
            let kept = now.saturating_sub(written.at) < keep;
            if !kept {
                add(common, &written.position);
            }
            kept
        });
    }

    fn wish(&mut self, table: &TableName) {
        if self.wishes.len() < MOST_WISHES && !self.wishes.contains(table) {
            self.wishes.push(table.clone());
        }
    }

    /// Works out what a read of these tables needs; None: they are not known.
    fn need(&mut self, tables: Option<Vec<TableName>>, known: &Tables, now: Duration) {
        self.forget_old(now);
        self.needed = Needed::Everything;
        let Some(tables) = tables else { return };
        let mut alone = true;
        for table in &tables {
            match known.of(table, now) {
                Some(nature) => alone &= nature.alone,
                None => {
                    alone = false;
                    self.wish(table);
                }
            }
        }
        if !alone {
            return;
        }
        let mut sum = self.common.clone().filter(|_| !tables.is_empty());
        for written in &self.written {
            if tables.iter().any(|table| written.table.may_be(table)) {
                add(&mut sum, &written.position);
            }
        }
        self.needed = sum.map_or(Needed::Nothing, Needed::Part);
    }

    /// The tables that a source is asked about, if that is to be done now.
    fn asked(&self) -> &[TableName] {
        if self.asks { &self.wishes[..self.wishes.len().min(MOST_ASKED)] } else { &[] }
    }
}

/// The full names of a statement's tables; None if one of them cannot be told.
fn names_of(statement: &Statement, sql: &[u8], schema: &[u8]) -> Option<Vec<TableName>> {
    let tables = statement.needs.tables.iter().filter(|table| !statement.needs.is_derived(table, sql));
    tables
        .map(|table| {
            let schema = table.schema.map_or(Cow::Borrowed(schema), |schema| schema.name(sql));
            TableName::new(&schema, &table.name.name(sql))
        })
        .collect()
}

/// A statement that changes the tables in its text and, as far as the text says, nothing else.
fn changes_its_tables(statement: &Statement) -> bool {
    statement.class == Class::Write
        && statement.single
        && statement.reason.text == CHANGES_DATA
        && statement.effects.iter().all(|effect| matches!(effect, Effect::SetsInsertId))
}

/// A statement that writes nothing, whatever it calls.
fn writes_nothing(statement: &Statement) -> bool {
    let ends = |effect: &Effect| matches!(effect, Effect::Transaction(_) | Effect::SetAutocommit(_) | Effect::Use(_));
    match statement.class {
        Class::Read | Class::LastUsed | Class::LastWrite => statement.single,
        Class::Transaction | Class::Session => {
            statement.single && !statement.effects.is_empty() && statement.effects.iter().all(ends)
        }
        Class::Write | Class::Unknown => false,
    }
}

impl Router {
    /// Ahead of the decision on a statement: what it needs, and what has to be known of its tables. `may_ask`: a question may go
    /// ahead of it.
    pub(super) fn look_at_tables(&mut self, statement: &Statement, sql: &[u8], schema: &[u8], may_ask: bool) {
        let transaction = self.tracker.in_transaction();
        let may_ask = may_ask && !transaction;
        let kept = self.promise.version != 0 && self.promise.is_kept_by_all(self.used_source);
        let Some(tables) = self.promise.tables.as_deref_mut() else { return };
        tables.needed = Needed::Everything;
        if statement.class == Class::Read {
            tables.asks = may_ask && !kept;
            let names = names_of(statement, sql, schema).filter(|_| statement.single);
            tables.need(names, &self.section.tables, self.now);
            return;
        }
        tables.asks = may_ask;
        if changes_its_tables(statement) {
            for table in names_of(statement, sql, schema).unwrap_or_default() {
                if self.section.tables.of(&table, self.now).is_none() {
                    tables.wish(&table);
                }
            }
        }
    }

    /// A statement has left. Ahead of what the transaction learns of it.
    pub(super) fn note_tables(&mut self, statement: &Statement, sql: &[u8], schema: &[u8]) {
        let begins_anew = !self.tracker.in_transaction() || self.awaited.ends;
        let Some(tables) = self.promise.tables.as_deref_mut() else { return };
        if begins_anew {
            tables.open = Open::Nothing;
        }
        tables.may_change = false;
        if writes_nothing(statement) {
            return;
        }
        if changes_its_tables(statement) {
            tables.touch(names_of(statement, sql, schema));
            return;
        }
        tables.open = Open::Everything;
        tables.may_change = !statement.is_select && statement.class != Class::Session;
        if tables.may_change {
            self.section.tables.forget();
        }
    }

    /// A statement that may have changed tables has been answered.
    pub(super) fn note_tables_changed(&self) {
        if self.promise.tables.as_deref().is_some_and(|tables| tables.may_change) {
            self.section.tables.forget();
        }
    }

    /// Whether a question about tables goes ahead of the statement that was decided on last, if that goes to a source.
    pub(super) fn asks_about_tables(&self) -> bool {
        self.promise.tables.as_deref().is_some_and(|tables| !tables.asked().is_empty())
    }

    /// That question is being asked.
    pub(super) fn is_asking_about_tables(&mut self) {
        if let Some(tables) = self.promise.tables.as_deref_mut() {
            tables.era = self.section.tables.era();
        }
    }

    /// Its text: one row with one value for each table.
    pub(super) fn table_question(&self, server: &conn::Server) -> String {
        let tables = self.promise.tables.as_deref().map_or(&[][..], TableWrites::asked);
        let parts: Vec<String> = tables.iter().map(|table| question(table, server)).collect();
        format!("SELECT {}", parts.join(","))
    }

    /// The answer. What a server does not say counts as known: that a read of such a table sees everything.
    pub(super) fn answered_tables(&mut self, values: &[Vec<u8>]) {
        let Some(tables) = self.promise.tables.as_deref_mut() else { return };
        let count = tables.asked().len();
        let answers: Vec<(TableName, Nature)> = tables
            .wishes
            .drain(..count)
            .enumerate()
            .map(|(index, table)| (table, values.get(index).map_or_else(Nature::default, |value| nature(value))))
            .collect();
        self.section.tables.learn(&answers, tables.era, self.now + tables.keep);
    }
}

/// What a server is asked about one table: its kind and engine, its triggers, the foreign keys by which writes to other tables
/// change it, and whether this account is shown all of that (the servers show triggers to those only who may make them).
/// Constants throughout: with them MariaDB opens the one table, not all.
fn question(table: &TableName, server: &conn::Server) -> String {
    let schema = String::from_utf8_lossy(&table.schema);
    let name = String::from_utf8_lossy(&table.name);
    let mine = "GRANTEE=CONCAT('''',REPLACE(CURRENT_USER(),'@','''@'''),'''') AND PRIVILEGE_TYPE='TRIGGER'";
    // There privileges on all schemas may have exceptions.
    let exceptions = !server.is_mariadb && !server.version.starts_with(b"5.");
    let global = if exceptions { " AND @@GLOBAL.partial_revokes=0" } else { "" };
    format!(
        "CONCAT_WS('/',\
         (SELECT IF(COUNT(*)=1,CONCAT(MAX(TABLE_TYPE),'/',IFNULL(MAX(ENGINE),'')),'/') FROM information_schema.TABLES \
         WHERE TABLE_SCHEMA='{schema}' AND TABLE_NAME='{name}'),\
         (SELECT COUNT(*) FROM information_schema.TRIGGERS \
         WHERE EVENT_OBJECT_SCHEMA='{schema}' AND EVENT_OBJECT_TABLE='{name}'),\
         (SELECT COUNT(*) FROM information_schema.REFERENTIAL_CONSTRAINTS \
         WHERE CONSTRAINT_SCHEMA='{schema}' AND TABLE_NAME='{name}' \
         AND NOT(UPDATE_RULE IN('RESTRICT','NO ACTION') AND DELETE_RULE IN('RESTRICT','NO ACTION'))),\
         (SELECT COUNT(*) FROM information_schema.USER_PRIVILEGES WHERE {mine}{global})\
         +(SELECT COUNT(*) FROM information_schema.SCHEMA_PRIVILEGES WHERE {mine} AND '{schema}' LIKE TABLE_SCHEMA))"
    )
}

/// Reads the answer.
fn nature(value: &[u8]) -> Nature {
    /// Engines whose tables hold their own rows.
    const ENGINES: [&[u8]; 4] = [b"InnoDB", b"MyISAM", b"Aria", b"ROCKSDB"];
    let fields: Vec<&[u8]> = value.split(|byte| *byte == b'/').collect();
    let [kind, engine, triggers, keys, shown] = fields[..] else { return Nature::default() };
    let ordinary = matches!(kind, b"BASE TABLE" | b"SYSTEM VERSIONED") && ENGINES.contains(&engine) && shown != b"0";
    Nature { alone: ordinary && keys == b"0", quiet: ordinary && triggers == b"0" }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(100);
    const KEEP: Duration = Duration::from_secs(60);

    fn position(text: &str) -> Position {
        Position::parse_any(text.as_bytes()).expect("position")
    }

    fn table(name: &str) -> TableName {
        TableName::new(b"shop", name.as_bytes()).expect("plain")
    }

    fn known(tables: &[(&str, bool, bool)]) -> Tables {
        let all = Tables::default();
        let answers: Vec<_> =
            tables.iter().map(|(name, alone, quiet)| (table(name), Nature { alone: *alone, quiet: *quiet })).collect();
        all.learn(&answers, all.era(), 10 * NOW);
        all
    }

    fn writes(pairs: &[(&[&str], &str)], known: &Tables) -> TableWrites {
        let mut writes = TableWrites::new(KEEP, None);
        for (tables, at) in pairs {
            writes.open = Open::Nothing;
            writes.touch(Some(tables.iter().map(|name| table(name)).collect()));
            writes.wrote(&position(at), known, NOW);
        }
        writes
    }

    fn needed(writes: &mut TableWrites, tables: &[&str], known: &Tables, now: Duration) -> String {
        writes.need(Some(tables.iter().map(|name| table(name)).collect()), known, now);
        match writes.needed() {
            Needed::Everything => "everything".to_owned(),
            Needed::Nothing => String::new(),
            Needed::Part(position) => position.to_text(),
        }
    }

    #[test]
    fn a_read_needs_what_was_written_to_its_tables() {
        let known = known(&[("a", true, true), ("b", true, true), ("c", true, true)]);
        let mut writes =
            writes(&[(&["a"], "0-1-4"), (&["b"], "0-1-5"), (&["a", "b"], "0-1-6"), (&["b"], "0-1-7")], &known);
        assert_eq!(needed(&mut writes, &["a"], &known, NOW), "0-1-6");
        assert_eq!(needed(&mut writes, &["b", "a"], &known, NOW), "0-1-7");
        assert_eq!(needed(&mut writes, &["c"], &known, NOW), "");
        assert_eq!(needed(&mut writes, &[], &known, NOW), "", "SELECT 1");
        writes.need(None, &known, NOW);
        assert_eq!(writes.needed(), &Needed::Everything);
    }

    #[test]
    fn what_is_not_known_widens() {
        let known =
            known(&[("a", true, true), ("triggers", true, false), ("view", false, true), ("child", false, true)]);
        let mut writes = writes(&[(&["a"], "0-1-4"), (&["triggers"], "0-1-5"), (&["new"], "0-1-6")], &known);
        assert_eq!(needed(&mut writes, &["a"], &known, NOW), "0-1-6", "a trigger may have written to it");
        for table in ["view", "child", "newer"] {
            assert_eq!(needed(&mut writes, &["a", table], &known, NOW), "everything", "{table}");
        }
        assert_eq!(writes.wishes, [table("newer")]);
        writes.asks = true;
        assert_eq!(writes.asked(), [table("newer")]);
    }

    #[test]
    fn what_was_written_long_ago_counts_for_everything() {
        let known = known(&[("a", true, true), ("b", true, true)]);
        let mut writes = writes(&[(&["a"], "0-1-4")], &known);
        assert_eq!(needed(&mut writes, &["b"], &known, NOW), "");
        assert_eq!(needed(&mut writes, &["b"], &known, NOW + KEEP), "0-1-4");
        writes.replace(Some(&position("0-2-9")));
        assert_eq!(needed(&mut writes, &["b"], &known, NOW), "0-2-9");
    }

    #[test]
    fn memory_is_bounded_and_nothing_is_lost_by_that() {
        let names: Vec<String> = (0..2 * MOST_WRITTEN).map(|number| format!("t{number}")).collect();
        let known = known(&names.iter().map(|name| (name.as_str(), true, true)).collect::<Vec<_>>());
        let pairs: Vec<_> =
            names.iter().enumerate().map(|(n, name)| ([name.as_str()], format!("0-1-{}", n + 1))).collect();
        let pairs: Vec<(&[&str], &str)> = pairs.iter().map(|(names, at)| (&names[..], at.as_str())).collect();
        let mut writes = writes(&pairs, &known);
        assert!(writes.written.len() <= MOST_WRITTEN);
        assert_eq!(needed(&mut writes, &["t0"], &known, NOW), format!("0-1-{MOST_WRITTEN}"));
        let many = Some((0..=MOST_OPEN).map(|n| table(&format!("t{n}"))).collect());
        writes.open = Open::These(Vec::new());
        writes.touch(many);
        assert_eq!(writes.open, Open::Everything);
    }

    #[test]
    fn answers_are_read_with_care() {
        let of = |text: &str| (nature(text.as_bytes()).alone, nature(text.as_bytes()).quiet);
        assert_eq!(of("BASE TABLE/InnoDB/0/0/1"), (true, true));
        assert_eq!(of("BASE TABLE/InnoDB/2/0/1"), (true, false));
        assert_eq!(of("BASE TABLE/InnoDB/0/1/2"), (false, true));
        assert_eq!(of("BASE TABLE/InnoDB/0/0/0"), (false, false), "triggers are not shown to this account");
        for other in ["VIEW//0/0/1", "BASE TABLE/MRG_MyISAM/0/0/1", "SEQUENCE/InnoDB/0/0/1", "//0/0/1", "", "/"] {
            assert_eq!(of(other), (false, false), "{other}");
        }
    }
}
