//! Session state that follows a handle from node to node: schema, character set, variables, role, autocommit,
//! multi-statements.
//!
//! A record, not a log. Every part has a version; each connection remembers which version of each part it has, so
//! that what is missing on a node is a comparison of numbers. No I/O, no SQL parsing: others tell what changed.

pub(super) mod literal;
pub(super) mod variables;

use crate::conn::Command;

use variables::{Kept, Setting, Variables};

/// The parts of the record. What cannot be replayed (temporary tables, locks, variables of unknown value) is not here: it
/// binds the handle to its node instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The default schema.
    Schema,
    /// Client, connection and result character sets, and the collation.
    Charset,
    /// System and user variables of known values.
    Variables,
    /// autocommit on or off.
    Autocommit,
    /// SET ROLE.
    Role,
    /// `CLIENT_MULTI_STATEMENTS` as switched by the program.
    MultiStatements,
}

/// Versions of the parts; the record's own, or those that a connection has been brought to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Versions([u32; 6]);

impl Versions {
    fn of(&mut self, part: Part) -> &mut u32 {
        &mut self.0[part as usize]
    }
}

/// What the program wants of every connection.
#[derive(Clone, Debug, Default)]
pub struct Carry {
    versions: Versions,
    schema: Option<Vec<u8>>,
    /// The default schema was dropped: there is none any more.
    schema_is_gone: bool,
    charset: Option<Vec<u8>>,
    variables: Variables,
    autocommit: Option<bool>,
    role: Option<Vec<u8>>,
    multi_statements: Option<bool>,
    /// The isolation level among the variables is SERIALIZABLE.
    serializable: bool,
    /// `completion_type` among the variables is RELEASE.
    releases: bool,
    /// Transactions are READ ONLY unless they say otherwise.
    read_only: bool,
}

/// One command that brings a connection up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The first part that it sets.
    pub part: Part,
    /// The command.
    pub command: Command,
    /// Its argument.
    pub argument: Vec<u8>,
}

/// Variables that set another one besides: what the record had for that is no more.
const SETS_ANOTHER: [(&[u8], &[u8]); 5] = [
    (b"character_set_connection", b"collation_connection"),
    (b"collation_connection", b"character_set_connection"),
    (b"character_set_server", b"collation_server"),
    (b"collation_server", b"character_set_server"),
    (b"max_join_size", b"sql_big_selects"),
];

/// Goes on with a list of assignments.
fn add(list: &mut Vec<u8>, more: &[u8]) {
    if !list.is_empty() && !more.is_empty() {
        list.push(b',');
    }
    list.extend_from_slice(more);
}

/// What SET NAMES sets besides.
const SET_BY_NAMES: [&[u8]; 4] =
    [b"character_set_client", b"character_set_connection", b"character_set_results", b"collation_connection"];

impl Carry {
    /// The versions of a connection that was just opened: the schema went with the handshake, the rest is missing.
    pub fn fresh(&self) -> Versions {
        let mut versions = Versions::default();
        *versions.of(Part::Schema) = self.versions.0[Part::Schema as usize];
        versions
    }

    /// The default schema, if the program has chosen one.
    pub fn schema(&self) -> Option<&[u8]> {
        self.schema.as_deref()
    }

    /// The statement that sets the character set, if the program has chosen one since it connected.
    pub fn charset(&self) -> Option<&[u8]> {
        self.charset.as_deref()
    }

    /// Counts the changes of the schema.
    pub fn schema_version(&self) -> u32 {
        self.versions.0[Part::Schema as usize]
    }

    /// False after the program has switched autocommit off.
    pub fn autocommit(&self) -> bool {
        self.autocommit != Some(false)
    }

    /// Whether the program has switched multi-statements on or off; None = as it connected.
    pub fn multi_statements(&self) -> Option<bool> {
        self.multi_statements
    }

    /// A new connection got its multi-statements with the handshake.
    pub fn has_multi_statements(&self, versions: &mut Versions) {
        *versions.of(Part::MultiStatements) = self.versions.0[Part::MultiStatements as usize];
    }

    /// The default schema changed; `on`: the connection where it changed has it already.
    pub fn set_schema(&mut self, schema: Option<Vec<u8>>, on: Option<&mut Versions>) {
        if self.schema != schema || on.is_none() {
            self.schema = schema;
            self.schema_is_gone = false;
            self.changed(Part::Schema, on);
        } else if let Some(versions) = on {
            *versions.of(Part::Schema) = *self.versions.of(Part::Schema);
        }
    }

    /// The server dropped the default schema, and has none now. No command does that to another connection.
    pub fn lose_schema(&mut self, on: Option<&mut Versions>) {
        if self.schema.take().is_some() {
            self.schema_is_gone = true;
            self.changed(Part::Schema, on);
        }
    }

    /// There is no default schema, although the program had chosen one.
    pub fn schema_is_gone(&self) -> bool {
        self.schema_is_gone
    }

    /// A connection at `versions` has a default schema that is gone: only a new one has none.
    #[inline]
    pub fn is_spoilt(&self, versions: &Versions) -> bool {
        self.schema_is_gone && self.versions.0[Part::Schema as usize] != versions.0[Part::Schema as usize]
    }

    /// The statement changes nothing. (What SET CHARACTER SET does depends on the schema.)
    pub fn charset_is(&self, statement: &[u8]) -> bool {
        self.charset.as_deref() == Some(statement)
            && statement.starts_with(b"SET NAMES ")
            && SET_BY_NAMES.iter().all(|name| self.variables.get(name).is_none())
    }

    /// The character set changed; `names` is what follows `SET NAMES`, or a whole `SET CHARACTER SET` statement's
    /// equivalent, ready to be sent.
    pub fn set_charset(&mut self, statement: Vec<u8>, on: Option<&mut Versions>) {
        let same = self.charset_is(&statement);
        self.charset = Some(statement);
        for name in SET_BY_NAMES {
            self.variables.forget(name);
        }
        self.differs(Part::Charset, !same, on);
    }

    /// A variable has a value; `key` as [`variables::system_key`] and [`variables::user_key`] make them, `name` as it is
    /// written. False if it cannot be kept: then it is on `on`'s connection only.
    pub fn set_variable(&mut self, key: &[u8], name: Vec<u8>, setting: Setting, on: Option<&mut Versions>) -> bool {
        let since = self.versions.0[Part::Variables as usize] + 1;
        if SETS_ANOTHER.iter().any(|(name, other)| key == *name && self.variables.get(other).is_some()) {
            // The same value again takes the other one back.
            self.variables.forget(key);
        }
        match self.variables.set(key, name, setting, since) {
            Kept::Same => true,
            Kept::No => false,
            Kept::New => {
                // A connection that lacked others still does.
                let on = on.filter(|versions| versions.0[Part::Variables as usize] == since - 1);
                for (name, other) in SETS_ANOTHER {
                    if key == name {
                        self.variables.forget(other);
                    }
                }
                self.changed(Part::Variables, on);
                self.look_inside();
                true
            }
        }
    }

    /// A variable's value is known on its node only.
    pub fn forget_variable(&mut self, key: &[u8]) {
        self.variables.forget(key);
        self.look_inside();
    }

    /// A variable's value, if it is part of the record.
    pub fn variable(&self, key: &[u8]) -> Option<&Setting> {
        self.variables.get(key)
    }

    /// The version of the variables that brought this one its value, if it is part of the record.
    pub fn variable_since(&self, key: &[u8]) -> Option<u32> {
        self.variables.since(key)
    }

    /// Counts the changes of variables.
    pub fn variables_version(&self) -> u32 {
        self.versions.0[Part::Variables as usize]
    }

    /// User variables that are strings of the connection's character set: a change of that makes them unknown.
    pub fn user_strings(&self) -> Vec<Vec<u8>> {
        self.variables.user_strings().map(<[u8]>::to_vec).collect()
    }

    /// The session's isolation level is SERIALIZABLE.
    #[inline]
    pub fn is_serializable(&self) -> bool {
        self.serializable
    }

    /// COMMIT and ROLLBACK end the connection (`completion_type`).
    #[inline]
    pub fn releases(&self) -> bool {
        self.releases
    }

    /// Transactions are READ ONLY unless they say otherwise (`SET SESSION TRANSACTION READ ONLY`).
    #[inline]
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    fn look_inside(&mut self) {
        self.read_only = matches!(self.variables.get(b"transaction_read_only"),
            Some(Setting::Value(value)) if value.plain == b"1" || value.plain.eq_ignore_ascii_case(b"ON"));
        self.releases = matches!(self.variables.get(b"completion_type"),
            Some(Setting::Value(value)) if value.plain == b"2" || value.plain.eq_ignore_ascii_case(b"RELEASE"));
        self.serializable = matches!(self.variables.get(b"transaction_isolation"),
            Some(Setting::Value(value)) if value.plain.eq_ignore_ascii_case(b"SERIALIZABLE"));
    }

    /// The role changed; a whole statement, ready to be sent.
    pub fn set_role(&mut self, statement: Vec<u8>, on: Option<&mut Versions>) {
        let same = self.role.as_ref() == Some(&statement);
        self.role = Some(statement);
        self.differs(Part::Role, !same, on);
    }

    /// autocommit changed.
    pub fn set_autocommit(&mut self, enabled: bool, on: Option<&mut Versions>) {
        let same = self.autocommit == Some(enabled);
        self.autocommit = Some(enabled);
        self.differs(Part::Autocommit, !same, on);
    }

    /// Multi-statements were switched.
    pub fn set_multi_statements(&mut self, enabled: bool, on: Option<&mut Versions>) {
        self.multi_statements = Some(enabled);
        self.changed(Part::MultiStatements, on);
    }

    /// `mysql_reset_connection`: the server forgot everything but the schema's handshake value and the charset
    /// of the connect; so does the record. Every open connection was reset with it.
    pub fn reset(&mut self) {
        self.charset = None;
        self.variables.clear();
        self.serializable = false;
        self.releases = false;
        self.read_only = false;
        self.autocommit = None;
        self.role = None;
        self.multi_statements = None;
    }

    /// A part was set, to another value or to the one it had: then other connections lack nothing.
    fn differs(&mut self, part: Part, differs: bool, on: Option<&mut Versions>) {
        if differs {
            self.changed(part, on);
        } else if let Some(versions) = on {
            *versions.of(part) = *self.versions.of(part);
        }
    }

    fn changed(&mut self, part: Part, on: Option<&mut Versions>) {
        let version = self.versions.of(part);
        *version += 1;
        if let Some(versions) = on {
            *versions.of(part) = *version;
        }
    }

    /// True if a connection at `versions` needs nothing.
    pub fn is_current(&self, versions: &Versions) -> bool {
        self.versions == *versions
    }

    /// Counts all changes of the record.
    pub fn changes(&self) -> u32 {
        self.versions.0.iter().fold(0, |sum, version| sum.wrapping_add(*version))
    }

    /// The commands that a connection at `versions` lacks, in the order in which they must run. Character set, variables
    /// and autocommit are one list of assignments; strings are apart if they have to be read under what it sets.
    /// Without `autocommit` the connection is not told of that.
    pub fn missing(&self, versions: &Versions, autocommit: bool) -> Vec<Step> {
        let lacks = |part: Part| self.versions.0[part as usize] != versions.0[part as usize];
        let mut steps = Vec::new();
        if lacks(Part::Schema)
            && let Some(schema) = &self.schema
        {
            steps.push(Step { part: Part::Schema, command: Command::InitDb, argument: schema.clone() });
        }
        if lacks(Part::MultiStatements)
            && let Some(enabled) = self.multi_statements
        {
            let argument = vec![u8::from(!enabled), 0];
            steps.push(Step { part: Part::MultiStatements, command: Command::SetOption, argument });
        }
        let charset = self.charset.as_ref().filter(|_| lacks(Part::Charset));
        let at = versions.0[Part::Variables as usize];
        let variables::Missing { mut others, strings, sets_charset } =
            if lacks(Part::Variables) { self.variables.missing(at) } else { variables::Missing::default() };
        let part = if others.is_empty() { Part::Autocommit } else { Part::Variables };
        if autocommit
            && lacks(Part::Autocommit)
            && let Some(enabled) = self.autocommit
        {
            add(&mut others, if enabled { b"autocommit=1" } else { b"autocommit=0" });
        }
        // A string has the character set and collation that are in force when its statement is read.
        let apart = charset.is_some() || sets_charset;
        if !apart {
            add(&mut others, &strings);
        }
        let query = |part: Part, argument: Vec<u8>| Step { part, command: Command::Query, argument };
        let mut list = charset.cloned().unwrap_or_default();
        if charset.is_none() && !others.is_empty() {
            list.extend_from_slice(b"SET ");
            list.extend_from_slice(&others);
        } else {
            add(&mut list, &others);
        }
        if !list.is_empty() {
            let part = match (charset, strings.is_empty()) {
                (Some(_), _) => Part::Charset,
                (None, false) if !apart => Part::Variables,
                _ => part,
            };
            steps.push(query(part, list));
        }
        if apart && !strings.is_empty() {
            steps.push(query(Part::Variables, [b"SET ", &strings[..]].concat()));
        }
        if lacks(Part::Role)
            && let Some(role) = &self.role
        {
            steps.push(query(Part::Role, role.clone()));
        }
        steps
    }

    /// Everything that [`Carry::missing`] named has been done on the connection.
    pub fn caught_up(&self, versions: &mut Versions) {
        *versions = self.versions;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_missing_on_every_connection_but_the_one_that_made_it() {
        let mut carry = Carry::default();
        let (mut here, there) = (carry.fresh(), carry.fresh());
        carry.set_schema(Some(b"shop".to_vec()), Some(&mut here));
        assert!(carry.is_current(&here));
        assert_eq!(
            carry.missing(&there, true),
            [Step { part: Part::Schema, command: Command::InitDb, argument: b"shop".to_vec() }]
        );
    }

    #[test]
    fn a_new_connection_has_the_schema_from_its_handshake_and_lacks_the_rest() {
        let mut carry = Carry::default();
        carry.set_schema(Some(b"shop".to_vec()), None);
        carry.set_charset(b"SET NAMES latin1".to_vec(), None);
        carry.set_autocommit(false, None);
        let missing: Vec<Vec<u8>> = carry.missing(&carry.fresh(), true).into_iter().map(|step| step.argument).collect();
        assert_eq!(missing, [b"SET NAMES latin1,autocommit=0".to_vec()]);
    }

    fn value(text: &str) -> Setting {
        Setting::Value(literal::Repeatable { text: text.into(), plain: text.into(), is_string: false })
    }

    fn string(text: &str) -> Setting {
        Setting::Value(literal::Repeatable { text: text.into(), plain: text.into(), is_string: true })
    }

    fn arguments(carry: &Carry, versions: &Versions) -> Vec<String> {
        let text = |step: Step| String::from_utf8_lossy(&step.argument).into_owned();
        carry.missing(versions, true).into_iter().map(text).collect()
    }

    #[test]
    fn one_list_of_assignments_carries_what_it_can() {
        let mut carry = Carry::default();
        let mut here = carry.fresh();
        assert!(carry.set_variable(b"time_zone", b"time_zone".to_vec(), value("'+03:00'"), Some(&mut here)));
        carry.set_autocommit(false, Some(&mut here));
        assert!(carry.set_variable(b"@x", b"@`x`".to_vec(), value("1"), Some(&mut here)));
        carry.set_role(b"SET ROLE NONE".to_vec(), Some(&mut here));
        assert!(carry.is_current(&here));
        let mut there = carry.fresh();
        assert_eq!(arguments(&carry, &there), ["SET time_zone='+03:00',@`x`=1,autocommit=0", "SET ROLE NONE"]);
        carry.caught_up(&mut there);
        assert!(carry.set_variable(b"@x", b"@`x`".to_vec(), value("2"), Some(&mut here)));
        assert_eq!(arguments(&carry, &there), ["SET @`x`=2"], "only what differs");
        carry.set_charset(b"SET NAMES utf8mb4".to_vec(), Some(&mut here));
        assert_eq!(arguments(&carry, &there), ["SET NAMES utf8mb4,@`x`=2"]);
        assert!(carry.set_variable(b"@s", b"@`s`".to_vec(), string("'a'"), Some(&mut here)));
        assert_eq!(arguments(&carry, &there), ["SET NAMES utf8mb4,@`x`=2", "SET @`s`='a'"], "read under its charset");
        carry.caught_up(&mut there);
        assert!(carry.set_variable(b"@s", b"@`s`".to_vec(), string("'b'"), Some(&mut here)));
        carry.set_autocommit(true, Some(&mut here));
        assert_eq!(arguments(&carry, &there), ["SET autocommit=1,@`s`='b'"]);
        let name = b"collation_connection";
        assert!(carry.set_variable(name, name.to_vec(), value("utf8mb4_bin"), Some(&mut here)));
        assert_eq!(arguments(&carry, &there), ["SET collation_connection=utf8mb4_bin,autocommit=1", "SET @`s`='b'"]);
    }

    #[test]
    fn the_same_value_again_is_no_difference() {
        let mut carry = Carry::default();
        let mut here = carry.fresh();
        carry.set_variable(b"a", b"a".to_vec(), value("1"), Some(&mut here));
        let there = here;
        carry.set_variable(b"a", b"a".to_vec(), value("1"), Some(&mut here));
        assert!(carry.is_current(&there) && carry.is_current(&here));
    }

    #[test]
    fn what_is_set_again_to_what_it_was_costs_other_connections_nothing() {
        let mut carry = Carry::default();
        let mut here = carry.fresh();
        let set = |carry: &mut Carry, on: &mut Versions| {
            carry.set_autocommit(true, Some(on));
            carry.set_charset(b"SET NAMES utf8mb4".to_vec(), Some(on));
            carry.set_role(b"SET ROLE NONE".to_vec(), Some(on));
        };
        set(&mut carry, &mut here);
        let there = here;
        set(&mut carry, &mut here);
        assert!(carry.is_current(&there) && carry.is_current(&here));
        carry.set_variable(b"character_set_results", b"character_set_results".to_vec(), value("NULL"), Some(&mut here));
        set(&mut carry, &mut here);
        assert_eq!(arguments(&carry, &there), ["SET NAMES utf8mb4"], "which undoes the variable");
    }

    #[test]
    fn a_connection_that_lacked_something_still_does() {
        let mut carry = Carry::default();
        let mut late = carry.fresh();
        carry.set_variable(b"a", b"a".to_vec(), value("1"), None);
        carry.set_variable(b"b", b"b".to_vec(), value("2"), Some(&mut late));
        assert_eq!(arguments(&carry, &late), ["SET a=1,b=2"]);
    }

    #[test]
    fn names_wins_over_the_variables_that_it_sets() {
        let mut carry = Carry::default();
        carry.set_variable(b"character_set_results", b"character_set_results".to_vec(), value("NULL"), None);
        carry.set_charset(b"SET NAMES latin1".to_vec(), None);
        assert_eq!(arguments(&carry, &carry.fresh()), ["SET NAMES latin1"]);
        carry.set_variable(b"character_set_results", b"character_set_results".to_vec(), value("NULL"), None);
        assert_eq!(arguments(&carry, &carry.fresh()), ["SET NAMES latin1,character_set_results=NULL"]);
    }

    #[test]
    fn a_variable_that_sets_another_takes_its_place() {
        let mut carry = Carry::default();
        let mut here = carry.fresh();
        let (collation, charset) = (&b"collation_connection"[..], &b"character_set_connection"[..]);
        carry.set_variable(collation, collation.to_vec(), value("utf8mb4_bin"), Some(&mut here));
        carry.set_variable(charset, charset.to_vec(), value("latin1"), Some(&mut here));
        let there = here;
        carry.set_variable(collation, collation.to_vec(), value("utf8mb4_bin"), Some(&mut here));
        assert_eq!(arguments(&carry, &there), ["SET collation_connection=utf8mb4_bin"], "though it had been that");
        assert_eq!(arguments(&carry, &carry.fresh()), ["SET collation_connection=utf8mb4_bin"]);
    }

    #[test]
    fn a_reset_forgets_variables_and_role() {
        let mut carry = Carry::default();
        carry.set_variable(b"a", b"a".to_vec(), value("1"), None);
        carry.set_role(b"SET ROLE x".to_vec(), None);
        carry.set_variable(b"transaction_isolation", b"tx_isolation".to_vec(), value("SERIALIZABLE"), None);
        assert!(carry.is_serializable());
        carry.reset();
        assert!(!carry.is_serializable());
        assert_eq!(arguments(&carry, &carry.fresh()), [""; 0]);
    }

    #[test]
    fn the_schema_is_set_before_the_rest() {
        let mut carry = Carry::default();
        let versions = carry.fresh();
        carry.set_autocommit(true, None);
        carry.set_multi_statements(true, None);
        carry.set_schema(Some(b"a".to_vec()), None);
        let parts: Vec<Part> = carry.missing(&versions, true).iter().map(|step| step.part).collect();
        assert_eq!(parts, [Part::Schema, Part::MultiStatements, Part::Autocommit]);
    }

    #[test]
    fn the_same_schema_again_costs_other_connections_nothing() {
        let mut carry = Carry::default();
        let mut here = carry.fresh();
        carry.set_schema(Some(b"a".to_vec()), Some(&mut here));
        let there = carry.fresh();
        carry.set_schema(Some(b"a".to_vec()), Some(&mut here));
        assert!(carry.is_current(&there));
    }
}
