//! Commands whose replies are read one after the other: sent in one packet, or each behind the reply to the one before, where the
//! node is a proxy that takes only one at a time (`"pipelining": false`).

use crate::conn::{Command, Connection};
use crate::error::Error;

/// Commands on their way, and those that have to wait.
pub(super) struct Turns<'a> {
    waiting: std::slice::Iter<'a, (Command, &'a [u8])>,
}

impl<'a> Turns<'a> {
    /// Sends all of them, or only the first.
    ///
    /// Errors: a broken connection.
    pub async fn begin(
        connection: &mut Connection,
        commands: &'a [(Command, &'a [u8])],
        pipelines: bool,
    ) -> Result<Self, Error> {
        let (now, waiting) = commands.split_at(if pipelines { commands.len() } else { commands.len().min(1) });
        if let Some(((command, argument), ahead)) = now.split_last() {
            for (command, argument) in ahead {
                connection.queue(*command, &[argument]);
            }
            connection.send(*command, &[argument]).await?;
        }
        Ok(Turns { waiting: waiting.iter() })
    }

    /// A reply has been read to its end: sends the next command unless that has left.
    ///
    /// Errors: a broken connection.
    pub async fn next(&mut self, connection: &mut Connection) -> Result<(), Error> {
        match self.waiting.next() {
            Some((command, argument)) => connection.send(*command, &[argument]).await,
            None => Ok(()),
        }
    }
}
