//! `table`: the tables of a statement leave the nodes that have them.
//!
//! For each table the first rule whose mask fits `schema.table` says which nodes have it; a statement goes where all of its
//! tables are. A table that no rule fits is nowhere. A statement of unknown tables that may change something goes only where
//! every rule's tables are: it might belong anywhere.

use std::borrow::Cow;

use super::{Asked, Filter, Refused, Verdict, View};
use crate::cluster::config::TableRule;
use crate::cluster::topology::NodeSet;
use crate::env::Random;
use crate::route::candidates::Candidates;
use crate::route::statement::{Class, TableRef};
use crate::route::wild::match_wild;

/// See the module's text.
#[derive(Debug)]
pub struct Table {
    rules: Vec<TableRule>,
    /// `schema.table` of the one that is looked for; kept for its memory.
    name: Vec<u8>,
}

impl Table {
    /// For these rules.
    pub fn new(rules: &[TableRule]) -> Self {
        Table { rules: rules.to_vec(), name: Vec::new() }
    }

    fn nodes_of(&mut self, table: &TableRef, asked: &Asked<'_>) -> Result<NodeSet, Refused> {
        let name = table.name.name(asked.sql);
        let schema = table.schema.map_or(Cow::Borrowed(asked.schema), |schema| schema.name(asked.sql));
        self.name.clear();
        self.name.extend_from_slice(&schema);
        self.name.push(b'.');
        self.name.extend_from_slice(&name);
        if let Some(rule) = self.rules.iter().find(|rule| match_wild(&self.name, rule.mask.as_bytes())) {
            return Ok(rule.nodes);
        }
        let (schema, name) = (String::from_utf8_lossy(&schema), String::from_utf8_lossy(&name));
        Err(format!("no rule of the filter `table` fits {schema}.{name}").into())
    }

    fn nodes(&mut self, asked: &Asked<'_>) -> Result<Option<NodeSet>, Refused> {
        let statement = asked.statement;
        let mut nodes: Option<NodeSet> = None;
        for table in statement.needs.tables.iter().filter(|table| !statement.needs.is_derived(table, asked.sql)) {
            let of_table = self.nodes_of(table, asked)?;
            nodes = Some(nodes.map_or(of_table, |nodes| nodes.and(of_table)));
            if nodes.is_some_and(NodeSet::is_empty) {
                return Err("no node has all tables of the statement".into());
            }
        }
        // Not all of its tables may have been found, or none.
        let may_be_anywhere = statement.class == Class::Unknown || statement.class == Class::Write && nodes.is_none();
        if may_be_anywhere {
            let everywhere = self.rules.iter().map(|rule| rule.nodes).reduce(NodeSet::and);
            nodes = match (nodes, everywhere) {
                (Some(nodes), Some(everywhere)) => Some(nodes.and(everywhere)),
                (nodes, everywhere) => nodes.or(everywhere),
            };
        }
        Ok(nodes)
    }
}

impl Filter for Table {
    fn apply(&mut self, view: &View<'_>, candidates: Candidates, _random: &mut dyn Random) -> Verdict {
        let nodes = match view.asked.map(|asked| self.nodes(&asked)) {
            Some(Ok(Some(nodes))) => nodes,
            Some(Err(why)) => return Verdict::Refuse(why),
            Some(Ok(None)) | None => return Verdict::Narrow(candidates),
        };
        let narrowed = candidates.and(nodes);
        if narrowed.sources.is_empty() && narrowed.replicas.is_empty() {
            return Verdict::Refuse("no node has the statement's tables, or they are not known".into());
        }
        Verdict::Narrow(narrowed)
    }
}
