//! The key `filters`: which filters there are, what each may say, and which chains can work.
//!
//! Filters of several narrow the candidates, a single one chooses and ends the chain. Source of the rules: the reference
//! of mysqlnd_ms, 2.7; where this is stricter `docs/config.md` says so.

use std::path::PathBuf;

use super::json::{Json, Value};
use super::problem::Position;
use super::quality;
use super::reader::{Object, Reader};
use super::{Section, join};
use crate::cluster::balance::Weights;
use crate::cluster::topology::{NodeId, NodeSet, Role};

/// One entry of the key `filters`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilterSpec {
    /// A comment in front of the statement names a group of nodes.
    NodeGroups(Vec<NodeGroup>),
    /// The tables of the statement decide.
    Table(Vec<TableRule>),
    /// A function of the program narrows.
    UserMulti(Callback),
    /// A function of the program chooses.
    User(Callback),
    /// Any node, by weight if the section has weights; with `sticky` the first choice is kept.
    Random {
        /// Keep the choice.
        sticky: bool,
    },
    /// One after the other, by weight if the section has weights.
    RoundRobin,
    /// The one with fewest unanswered statements of this process.
    LeastInFlight,
    /// The quicker one of two drawn at random.
    Fastest,
}

impl FilterSpec {
    /// Its name in the file.
    pub fn name(&self) -> &'static str {
        match self {
            FilterSpec::NodeGroups(_) => "node_groups",
            FilterSpec::Table(_) => "table",
            FilterSpec::UserMulti(_) => "user_multi",
            FilterSpec::User(_) => "user",
            FilterSpec::Random { .. } => "random",
            FilterSpec::RoundRobin => "roundrobin",
            FilterSpec::LeastInFlight => "least_in_flight",
            FilterSpec::Fastest => "fastest",
        }
    }

    /// It chooses one node, and ends the chain.
    pub fn is_single(&self) -> bool {
        !matches!(self, FilterSpec::NodeGroups(_) | FilterSpec::Table(_) | FilterSpec::UserMulti(_))
    }
}

/// A group of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeGroup {
    /// The text of the comment that asks for it, byte for byte.
    pub name: String,
    /// Its nodes, of both kinds.
    pub nodes: NodeSet,
}

/// Where the tables are whose names fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRule {
    /// Fits `schema.table`: see [`crate::route::wild`].
    pub mask: String,
    /// The nodes that have them, of both kinds.
    pub nodes: NodeSet,
}

/// Where a function of the program is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callback {
    /// Registered by this name with `mysqlnd_ms_set_user_filter`.
    Named(String),
    /// A symbol of a library.
    InLibrary {
        /// Its file.
        library: PathBuf,
        /// The function's name.
        symbol: String,
    },
}

const NAMES: &str = "filters: random, roundrobin, least_in_flight, fastest, user; in front of them node_groups, table, \
                     user_multi";

/// Reads the chain into the section, whose nodes are there already. Empty stays empty.
pub(super) fn read(reader: &mut Reader<'_>, json: &Json<'_>, path: &str, section: &mut Section) {
    let mut chain: Vec<FilterSpec> = Vec::new();
    let mut last = None;
    for (name, path, at, options) in entries(reader, json, path) {
        let lower = name.to_ascii_lowercase();
        let options = Options { json: options, path: &path, at };
        let filter = match lower.as_str() {
            "random" => {
                let object = options.optional(reader, &["sticky", "weights", "weight"]);
                let sticky = object.as_ref().and_then(|object| {
                    let json = object.get("sticky")?;
                    reader.flag(json, &object.path_of("sticky"))
                });
                weights(reader, object.as_ref(), section);
                Some(FilterSpec::Random { sticky: sticky.unwrap_or(false) })
            }
            "roundrobin" => {
                let object = options.optional(reader, &["weights", "weight"]);
                weights(reader, object.as_ref(), section);
                Some(FilterSpec::RoundRobin)
            }
            "least_in_flight" => {
                options.optional(reader, &[]);
                Some(FilterSpec::LeastInFlight)
            }
            "fastest" => {
                options.optional(reader, &[]);
                Some(FilterSpec::Fastest)
            }
            "user" => Some(FilterSpec::User(callback(reader, &options))),
            "user_multi" => Some(FilterSpec::UserMulti(callback(reader, &options))),
            "node_groups" => Some(FilterSpec::NodeGroups(node_groups(reader, &options, section))),
            "table" => Some(FilterSpec::Table(table(reader, &options, section))),
            "quality_of_service" => {
                if let Some((level, limit)) = quality::filter(reader, options.json, &path) {
                    section.consistency.level = Some(level);
                    section.consistency.max_lag = limit;
                }
                continue;
            }
            "" => {
                reader.wrong(at, &path, "unknown filter: its name is empty", NAMES);
                None
            }
            _ => {
                reader.wrong(at, &path, format!("unknown filter {name:?}"), NAMES);
                None
            }
        };
        if let Some(first) = chain.iter().find(|filter| filter.is_single()) {
            let text = format!("`{lower}` never runs: `{}` in front of it already chooses one node", first.name());
            reader.wrong(at, &path, text, "keep one of them, or put it in front");
        }
        last = Some((at, path));
        chain.extend(filter);
    }
    if let (Some(filter), Some((at, path))) = (chain.last(), last)
        && !chain.iter().any(FilterSpec::is_single)
    {
        let text = format!("`{}` is the last filter, and does not choose one node", filter.name());
        reader.wrong(at, &path, text, r#"put "random" or "roundrobin" behind it"#);
    }
    section.filters = chain;
}

/// Name, path, place and options of each.
type Entry<'j, 'a> = (String, String, Position, Option<&'j Json<'a>>);

fn entries<'j, 'a>(reader: &mut Reader<'_>, json: &'j Json<'a>, path: &str) -> Vec<Entry<'j, 'a>> {
    let mut entries: Vec<Entry<'j, 'a>> = Vec::new();
    match &json.value {
        Value::Object(_) => {
            let Some(object) = reader.object(json, path) else {
                return Vec::new();
            };
            for member in &object.members {
                entries.push((member.name.clone(), object.path_of(&member.name), member.at, Some(&member.json)));
            }
        }
        Value::List(list) => {
            for (i, json) in list.iter().enumerate() {
                let path = format!("{path}[{i}]");
                match &json.value {
                    Value::Text(name) => entries.push((name.clone(), path, json.at, None)),
                    _ => {
                        let text = format!("unknown filter: expected a name, found {}", json.describe());
                        reader.wrong(json.at, &path, text, r#"write "filters": {"NAME": {...}}"#);
                    }
                }
            }
        }
        _ => {
            reader.wrong(json.at, path, format!("expected an object of filters, found {}", json.describe()), "");
        }
    }
    entries
}

/// What stands behind a filter's name.
struct Options<'j, 'a, 'p> {
    json: Option<&'j Json<'a>>,
    path: &'p str,
    at: Position,
}

impl<'j, 'a> Options<'j, 'a, '_> {
    /// Like the plugin, takes anything that is not an object as "no options".
    fn optional(&self, reader: &mut Reader<'_>, served: &[&str]) -> Option<Object<'j, 'a>> {
        let json = self.json?;
        match &json.value {
            Value::Object(_) => {
                let object = reader.object(json, self.path)?;
                reader.keys(&object, served, &[]);
                Some(object)
            }
            Value::List(list) if list.is_empty() => None,
            Value::Null => None,
            _ => {
                let text = format!("{} is no object of options, ignored", json.describe());
                reader.note(json.at, self.path, text, "write {}");
                None
            }
        }
    }

    /// Options without which the filter can do nothing.
    fn required(&self, reader: &mut Reader<'_>, what: &str) -> Option<Object<'j, 'a>> {
        match self.json.map(|json| (json, &json.value)) {
            Some((json, Value::Object(_))) => reader.object(json, self.path),
            Some((json, _)) => {
                reader.wrong(json.at, self.path, format!("expected {what}, found {}", json.describe()), "");
                None
            }
            None => {
                reader.wrong(self.at, self.path, format!("expected {what}"), "");
                None
            }
        }
    }
}

/// The key `weight` of nodes: all of them have it, or none. The same as `weights` of the filter that chooses.
pub(super) fn weights_of_nodes(reader: &mut Reader<'_>, object: &Object<'_, '_>, section: &mut Section) {
    if section.nodes.iter().all(|node| node.weight.is_none()) {
        return;
    }
    if let Some(node) = section.nodes.iter().find(|node| node.weight.is_none()) {
        let text = format!("the node {} has no weight: give all nodes one, or none", node.label());
        reader.wrong(object.at, &object.path, text, "");
        return;
    }
    weigh(section, section.nodes.iter().filter_map(|node| node.weight).collect());
}

fn weigh(section: &mut Section, weights: Vec<u16>) {
    section.standby =
        weights.iter().enumerate().filter(|(_, w)| **w == 0).filter_map(|(i, _)| NodeId::new(i)).collect();
    section.weights = Some(Weights::new(weights));
}

/// `weights`: a number for every node of the section.
fn weights(reader: &mut Reader<'_>, options: Option<&Object<'_, '_>>, section: &mut Section) {
    let Some(options) = options else { return };
    let (json, key) = match (options.get("weights"), options.get("weight")) {
        (Some(_), Some(second)) => {
            reader.wrong(second.at, &options.path_of("weight"), "a second list of weights", "keep one of them");
            return;
        }
        (Some(json), None) => (json, "weights"),
        (None, Some(json)) => (json, "weight"),
        (None, None) => return,
    };
    let Some(object) = reader.object(json, &options.path_of(key)) else { return };
    if object.members.is_empty() {
        return;
    }
    if section.nodes.iter().any(|node| node.weight.is_some()) {
        reader.wrong(
            json.at,
            &options.path_of(key),
            "a second list of weights: nodes have a `weight`",
            "keep one of them",
        );
        return;
    }
    let before = reader.problems.len();
    let mut found: Vec<Option<u16>> = vec![None; section.nodes.len()];
    for member in &object.members {
        let path = object.path_of(&member.name);
        let mut named = section.nodes.iter().filter(|node| !node.name.is_empty() && node.name == member.name);
        match (named.next(), named.next()) {
            (Some(node), None) => {
                let weight = reader.number(&member.json, &path, "a weight", 0..=65535);
                found[node.id.index()] = weight.and_then(|weight| u16::try_from(weight).ok());
            }
            (Some(_), Some(_)) => reader.wrong(member.at, &path, "two nodes have this name", "rename one of them"),
            (None, _) => {
                reader.wrong(member.at, &path, format!("no node is called {:?}", member.name), names(section, None));
            }
        }
    }
    if reader.problems.len() > before {
        return;
    }
    if let Some(node) = section.nodes.iter().find(|node| found[node.id.index()].is_none()) {
        let text = format!("the node {} has no weight: give all nodes one, or none", node.label());
        let remedy = if node.name.is_empty() { "give it a name: nodes of a list have none" } else { "" };
        reader.wrong(object.at, &object.path, text, remedy);
        return;
    }
    weigh(section, found.into_iter().flatten().collect());
}

/// `callback`, or `library` and `symbol`.
fn callback(reader: &mut Reader<'_>, options: &Options<'_, '_, '_>) -> Callback {
    let nothing = Callback::Named(String::new());
    let expected = r#"expected {"callback": NAME} or {"library": FILE, "symbol": NAME}"#;
    let Some(object) = options.required(reader, "the key `callback`, or `library` and `symbol`") else {
        return nothing;
    };
    reader.keys(&object, &["callback", "library", "symbol"], &[]);
    let text =
        |reader: &mut Reader<'_>, key: &str| object.get(key).and_then(|json| reader.c_text(json, &object.path_of(key)));
    match (object.get("callback"), object.get("library"), object.get("symbol")) {
        (Some(json), None, None) => match text(reader, "callback") {
            Some(name) if name.is_empty() => {
                reader.wrong(json.at, &object.path_of("callback"), "expected a name, found an empty string", "");
                nothing
            }
            name => name.map_or(nothing, Callback::Named),
        },
        (None, Some(json), Some(_)) => {
            let library = reader.path(json, &object.path_of("library"));
            match (library, text(reader, "symbol")) {
                (Some(library), Some(symbol)) => Callback::InLibrary { library, symbol },
                _ => nothing,
            }
        }
        _ => {
            reader.wrong(object.at, &object.path, expected, "");
            nothing
        }
    }
}

fn node_groups(reader: &mut Reader<'_>, options: &Options<'_, '_, '_>, section: &Section) -> Vec<NodeGroup> {
    let mut groups = Vec::new();
    let Some(object) = options.required(reader, "an object of groups") else { return groups };
    for member in &object.members {
        let path = join(&object.path, &member.name);
        let Some(group) = reader.object(&member.json, &path) else { continue };
        reader.keys(&group, &["master", "slave"], &[]);
        let sources = node_names(reader, &group, "master", Role::Source, section);
        let replicas = node_names(reader, &group, "slave", Role::Replica, section);
        let used = section.nodes.iter().filter(|node| node.role == Role::Source);
        let used: NodeSet = used.take(if section.multi_master { usize::MAX } else { 1 }).map(|node| node.id).collect();
        if group.get("master").is_none() || sources == Some(NodeSet::EMPTY) {
            reader.wrong(group.at, &path, "the group has no master", "");
        } else if sources.is_some_and(|sources| sources.and(used).is_empty()) {
            let text = "the group has no master that is used: without multi_master that is only the first";
            reader.wrong(group.at, &path, text, "set mysqlnd_ms.multi_master, or name the first");
        }
        let nodes = sources.unwrap_or_default().or(replicas.unwrap_or_default());
        groups.push(NodeGroup { name: member.name.clone(), nodes });
    }
    groups
}

fn table(reader: &mut Reader<'_>, options: &Options<'_, '_, '_>, section: &Section) -> Vec<TableRule> {
    let mut rules = Vec::new();
    let Some(object) = options.required(reader, "the key `rules`") else { return rules };
    reader.keys(&object, &["rules"], &[]);
    let Some(json) = object.get("rules") else {
        reader.wrong(object.at, &object.path, "expected the key `rules`", r#"as in {"rules": {"shop.%": {...}}}"#);
        return rules;
    };
    // An empty list is PHP's way of writing an empty object.
    if matches!(&json.value, Value::List(list) if list.is_empty()) {
        return rules;
    }
    let Some(object) = reader.object(json, &object.path_of("rules")) else { return rules };
    for member in &object.members {
        let path = join(&object.path, &member.name);
        if member.name.is_empty() {
            reader.wrong(member.at, &path, "the mask is empty", r#"write "%" for every table"#);
            continue;
        }
        let Some(rule) = reader.object(&member.json, &path) else { continue };
        reader.keys(&rule, &["master", "slave"], &[]);
        let sources = node_names(reader, &rule, "master", Role::Source, section).unwrap_or_default();
        let replicas = node_names(reader, &rule, "slave", Role::Replica, section).unwrap_or_default();
        rules.push(TableRule { mask: member.name.clone(), nodes: sources.or(replicas) });
    }
    rules
}

/// The nodes that a list names; `None` if one of them is not there. A missing list is an empty one.
fn node_names(
    reader: &mut Reader<'_>,
    object: &Object<'_, '_>,
    key: &str,
    role: Role,
    section: &Section,
) -> Option<NodeSet> {
    let Some(json) = object.get(key) else { return Some(NodeSet::EMPTY) };
    let path = object.path_of(key);
    let entries: Vec<&Json<'_>> = match &json.value {
        Value::List(list) => list.iter().collect(),
        Value::Object(members) => members.iter().map(|member| &member.json).collect(),
        _ => vec![json],
    };
    let mut found = Some(NodeSet::EMPTY);
    for json in entries {
        let name = reader.text(json, &path);
        let node = name.as_ref().and_then(|name| {
            section.nodes.iter().find(|node| node.role == role && !node.name.is_empty() && node.name == *name)
        });
        match (node, name) {
            (Some(node), _) => found = found.map(|set| set.with(node.id)),
            (None, Some(name)) => {
                reader.wrong(json.at, &path, format!("unknown {key} {name:?}"), names(section, Some(role)));
                found = None;
            }
            (None, None) => found = None,
        }
    }
    found
}

/// The names that could have been meant.
fn names(section: &Section, role: Option<Role>) -> String {
    let names: Vec<&str> = section
        .nodes
        .iter()
        .filter(|node| role.is_none_or(|role| node.role == role) && !node.name.is_empty())
        .map(|node| node.name.as_str())
        .collect();
    if names.is_empty() { "no node has a name".into() } else { format!("nodes: {}", names.join(", ")) }
}
