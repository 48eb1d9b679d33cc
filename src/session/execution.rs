//! What an execution of a prepared statement sends, for a connection that takes attributes and for one that does not.
//!
//! Parameters come encoded; here is what stands around them. No I/O but the one send; no choice of nodes.

use crate::conn::{Command, Connection, statement};
use crate::error::{Error, cr};
use crate::options::Family;

use super::Session;
use super::prepared::{Executed, Instance, Prepared};

/// `PARAMETER_COUNT_AVAILABLE`: the number of parameters comes with an execution.
const PARAMETER_COUNT: u8 = 8;
/// COM_STMT_BULK_EXECUTE: the types of the parameters come with it.
const BULK_SENDS_TYPES: u16 = 128;

/// What an execution sends besides the statement's id.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    /// `CURSOR_TYPE_*`.
    pub flags: u8,
    /// The parameters, for servers that take no attributes.
    pub parameters: Parameters<'a>,
    /// Parameters and attributes together, types with names, for servers that take them; None = as `parameters`.
    pub named: Option<Parameters<'a>>,
    /// The types changed since the execution before.
    pub new_types: bool,
    /// MariaDB's array binding: COM_STMT_BULK_EXECUTE, which has no NULL map.
    pub bulk: bool,
}

/// Encoded parameters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parameters<'a> {
    /// How many they are.
    pub count: usize,
    /// One bit per parameter; set = NULL.
    pub nulls: &'a [u8],
    /// Types, two bytes each; where there are names, each behind its type, with its length.
    pub types: &'a [u8],
    /// The values that are not NULL and were not sent as long data.
    pub values: &'a [u8],
}

impl Request<'_> {
    fn command(&self) -> Command {
        if self.bulk { Command::StmtBulkExecute } else { Command::StmtExecute }
    }

    /// Whether the types have to go with this execution.
    fn sends_types(&self, instance: Instance) -> bool {
        self.new_types || !instance.knows_types
    }

    /// What goes to a connection, with and without attributes.
    fn parameters(&self, attributes: bool) -> &Parameters<'_> {
        match &self.named {
            Some(named) if attributes => named,
            _ => &self.parameters,
        }
    }

    /// The command's argument, for one connection.
    fn parts<'s>(&'s self, instance: Instance, head: &'s mut Head) -> [&'s [u8]; 5] {
        let attributes = head.attributes;
        let parameters = self.parameters(attributes);
        let types = self.sends_types(instance);
        head.fill(self, instance, types, parameters.count);
        if !self.bulk && parameters.count == 0 {
            return [&head.bytes[..head.length], &[], &[], &[], &[]];
        }
        let flag: &[u8] = match (self.bulk, types) {
            (true, _) => &[],
            (false, true) => &[1],
            (false, false) => &[0],
        };
        let types = if types { parameters.types } else { &[] };
        [&head.bytes[..head.length], parameters.nulls, flag, types, parameters.values]
    }

    pub(super) async fn send(&self, connection: &mut Connection, instance: Instance) -> Result<(), Error> {
        let mut head = Head::new(connection);
        connection.send(self.command(), &self.parts(instance, &mut head)).await
    }

    /// The same into the send buffer, in front of something else.
    pub(super) fn queue(&self, connection: &mut Connection, instance: Instance) {
        let mut head = Head::new(connection);
        connection.queue(self.command(), &self.parts(instance, &mut head));
    }

    #[inline]
    pub(super) fn send_at_once(&self, connection: &mut Connection, instance: Instance) -> bool {
        let mut head = Head::new(connection);
        connection.send_at_once(self.command(), &self.parts(instance, &mut head))
    }

    #[cold]
    pub(super) async fn send_rest(&self, connection: &mut Connection, instance: Instance) -> Result<(), Error> {
        let mut head = Head::new(connection);
        connection.send_rest(self.command(), &self.parts(instance, &mut head)).await
    }
}

/// The first bytes of an execution: id, flags, iterations, and where attributes were agreed on the number of parameters.
struct Head {
    bytes: [u8; 18],
    length: usize,
    attributes: bool,
}

impl Head {
    #[inline]
    fn new(connection: &Connection) -> Head {
        Head { bytes: [0; 18], length: 0, attributes: connection.takes_attributes() }
    }

    fn fill(&mut self, request: &Request<'_>, instance: Instance, types: bool, count: usize) {
        let with_count = self.attributes && count > 0 && !request.bulk;
        let flags = request.flags | if with_count { PARAMETER_COUNT } else { 0 };
        let head = statement::execute(instance.id, flags);
        self.bytes[..head.len()].copy_from_slice(&head);
        self.length = head.len();
        if request.bulk {
            let types: u16 = if types { BULK_SENDS_TYPES } else { 0 };
            self.bytes[4..6].copy_from_slice(&types.to_le_bytes());
            self.length = 6;
        } else if with_count {
            self.length += statement::put_count(&mut self.bytes[head.len()..], count);
        }
    }
}

impl Session {
    /// Checks that an execution may be sent now.
    ///
    /// Errors: 2014.
    #[inline]
    pub(super) fn begin_execution(&mut self, prepared: &mut Prepared) -> Result<(), Error> {
        self.begin_at_once().inspect_err(|error| {
            prepared.broke_off = false;
            if self.forgets_types(error) {
                prepared.types_are_known(0);
            }
        })
    }

    /// The same as [`Session::executed_for_cursor`] of an execution itself.
    pub(super) async fn executed_with_cursor(&mut self, prepared: &mut Prepared) -> Result<Executed, Error> {
        let executed = self.executed_for_cursor().await;
        prepared.broke_off = executed.is_err();
        executed
    }

    /// What one has brought that asked for a cursor.
    pub(super) async fn executed_for_cursor(&mut self) -> Result<Executed, Error> {
        let mut executed = self.executed();
        if !executed.shape.is_nothing() {
            executed.rows = self.look_for_cursor(&mut executed.status_before_rows).await?;
        }
        Ok(executed)
    }

    /// Connector/C, on an execution that was out of order: the types of the parameters count as sent, so that the next one
    /// goes without them. A routed handle sends them.
    pub fn forgets_types(&self, error: &Error) -> bool {
        self.options.family == Family::MariaDb && self.router.is_none() && error.code == cr::COMMANDS_OUT_OF_SYNC
    }
}
