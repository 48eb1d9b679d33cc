//! What a prepared statement's text was read under, and bringing a connection to read another so for a moment.

use crate::conn::Command;
use crate::error::Error;

use super::Session;
use super::carry::variables::Setting;
use super::results::expect_ok;

/// What a statement's text means depends on these when it is prepared, not when it is executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    schema: Option<Vec<u8>>,
    /// The statement that sets the character set; None for texts in ASCII.
    charset: Option<Vec<u8>>,
    /// The statement that sets the sql_mode, on a routed handle.
    mode: Option<Vec<u8>>,
}

impl Session {
    /// What a text is read under now.
    pub(super) fn reading_of(&self, sql: &[u8]) -> Reading {
        let charset = || match self.carry.charset() {
            Some(statement) => statement.to_vec(),
            None => [b"SET NAMES ", self.charset.charset().name().as_bytes()].concat(),
        };
        let mode = || match self.carry.variable(b"sql_mode") {
            Some(Setting::Value(value)) => [b"SET sql_mode=", &value.text[..]].concat(),
            Some(Setting::Default) | None => b"SET sql_mode=DEFAULT".to_vec(),
        };
        Reading {
            schema: self.carry.schema().map(<[u8]>::to_vec),
            charset: (!sql.is_ascii()).then(charset),
            mode: self.router.is_some().then(mode),
        }
    }

    /// Brings a connection from one reading to another, behind what is queued for it.
    pub(super) async fn read_under(&mut self, node: usize, from: &Reading, to: &Reading) -> Result<(), Error> {
        let family = self.options.family;
        let schema = to.schema.as_ref().filter(|_| from.schema != to.schema);
        let charset = to.charset.as_ref().filter(|_| from.charset != to.charset);
        let mode = to.mode.as_ref().filter(|_| from.mode != to.mode);
        let steps = [(Command::InitDb, schema), (Command::Query, charset), (Command::Query, mode)];
        for (command, argument) in steps.into_iter().filter_map(|(command, step)| Some((command, step?))) {
            let Some(connection) = self.nodes[node].connection_mut() else { return Err(Error::gone(family)) };
            connection.send(command, &[argument]).await?;
            if self.prelude_replies > 0 {
                self.read_prelude_replies().await?;
            }
            let Some(connection) = self.nodes[node].connection_mut() else { return Err(Error::gone(family)) };
            expect_ok(connection.read_head().await?, family)?;
        }
        Ok(())
    }
}
