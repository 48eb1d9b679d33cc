//! Session state that follows a handle from node to node: schema, character set, autocommit, multi-statements.
//!
//! A record, not a log. Every part has a version; each connection remembers which version of each part it has, so
//! that what is missing on a node is a comparison of numbers. No I/O, no SQL parsing: others tell what changed.

use crate::conn::Command;

/// The parts of the record. What cannot be replayed (temporary tables, locks, variables) is not here: it binds the
/// handle to its node instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The default schema.
    Schema,
    /// Client, connection and result character sets, and the collation.
    Charset,
    /// autocommit on or off.
    Autocommit,
    /// `CLIENT_MULTI_STATEMENTS` as switched by the program.
    MultiStatements,
}

const PARTS: [Part; 4] = [Part::Schema, Part::MultiStatements, Part::Charset, Part::Autocommit];

/// Versions of the four parts; the record's own, or those that a connection has been brought to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Versions([u32; 4]);

impl Versions {
    fn of(&mut self, part: Part) -> &mut u32 {
        &mut self.0[part as usize]
    }
}

/// What the program wants of every connection.
#[derive(Debug, Default)]
pub struct Carry {
    versions: Versions,
    schema: Option<Vec<u8>>,
    charset: Option<Vec<u8>>,
    autocommit: Option<bool>,
    multi_statements: Option<bool>,
}

/// One command that brings a connection up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The part that it sets.
    pub part: Part,
    /// The command.
    pub command: Command,
    /// Its argument.
    pub argument: Vec<u8>,
}

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
            self.changed(Part::Schema, on);
        } else if let Some(versions) = on {
            *versions.of(Part::Schema) = *self.versions.of(Part::Schema);
        }
    }

    /// The character set changed; `names` is what follows `SET NAMES`, or a whole `SET CHARACTER SET` statement's
    /// equivalent, ready to be sent.
    pub fn set_charset(&mut self, statement: Vec<u8>, on: Option<&mut Versions>) {
        self.charset = Some(statement);
        self.changed(Part::Charset, on);
    }

    /// autocommit changed.
    pub fn set_autocommit(&mut self, enabled: bool, on: Option<&mut Versions>) {
        self.autocommit = Some(enabled);
        self.changed(Part::Autocommit, on);
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
        self.autocommit = None;
        self.multi_statements = None;
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

    /// The commands that a connection at `versions` lacks, in the order in which they must run.
    pub fn missing(&self, versions: &Versions) -> Vec<Step> {
        let mut steps = Vec::new();
        for part in PARTS {
            if self.versions.0[part as usize] == versions.0[part as usize] {
                continue;
            }
            let (command, argument) = match part {
                Part::Schema => match &self.schema {
                    Some(schema) => (Command::InitDb, schema.clone()),
                    None => continue,
                },
                Part::Charset => match &self.charset {
                    Some(statement) => (Command::Query, statement.clone()),
                    None => continue,
                },
                Part::Autocommit => match self.autocommit {
                    Some(true) => (Command::Query, b"SET autocommit=1".to_vec()),
                    Some(false) => (Command::Query, b"SET autocommit=0".to_vec()),
                    None => continue,
                },
                Part::MultiStatements => match self.multi_statements {
                    Some(enabled) => (Command::SetOption, vec![u8::from(!enabled), 0]),
                    None => continue,
                },
            };
            steps.push(Step { part, command, argument });
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
            carry.missing(&there),
            [Step { part: Part::Schema, command: Command::InitDb, argument: b"shop".to_vec() }]
        );
    }

    #[test]
    fn a_new_connection_has_the_schema_from_its_handshake_and_lacks_the_rest() {
        let mut carry = Carry::default();
        carry.set_schema(Some(b"shop".to_vec()), None);
        carry.set_charset(b"SET NAMES latin1".to_vec(), None);
        carry.set_autocommit(false, None);
        let missing: Vec<Vec<u8>> = carry.missing(&carry.fresh()).into_iter().map(|step| step.argument).collect();
        assert_eq!(missing, [b"SET NAMES latin1".to_vec(), b"SET autocommit=0".to_vec()]);
    }

    #[test]
    fn the_schema_is_set_before_the_rest() {
        let mut carry = Carry::default();
        let versions = carry.fresh();
        carry.set_autocommit(true, None);
        carry.set_multi_statements(true, None);
        carry.set_schema(Some(b"a".to_vec()), None);
        let parts: Vec<Part> = carry.missing(&versions).iter().map(|step| step.part).collect();
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
