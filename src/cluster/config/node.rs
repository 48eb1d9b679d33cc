//! Reads the nodes of a section and the TLS keys that nodes and sections share.

use std::path::PathBuf;

use super::file::{self, Stamp};
use super::json::{Json, Value};
use super::reader::{Object, Reader};
use super::recovery::{self, Timeouts};
use crate::cluster::topology::{MAX_NODES, Node, NodeId, NodeState, Role, Secret, TlsSettings};
use crate::options::TlsMode;

/// Node keys that are served.
const SERVED: &[&str] = &[
    "host",
    "port",
    "socket",
    "user",
    "password",
    "password_file",
    "db",
    "connect_flags",
    "ssl_mode",
    "ssl_ca",
    "ssl_capath",
    "ssl_cert",
    "ssl_key",
    "ssl_cipher",
    "tls_version",
    "zone",
    "state",
    "timeouts",
    "weight",
    "pipelining",
];

const STATES: &[(&str, NodeState)] = &[("on", NodeState::On), ("drain", NodeState::Drain), ("off", NodeState::Off)];

/// What holds for a node that does not say otherwise.
#[derive(Clone, Copy)]
pub(super) struct OfSection<'a> {
    pub(super) tls: &'a TlsSettings,
    pub(super) timeouts: Timeouts,
    pub(super) pipelining: bool,
}

/// A file besides the configuration that decided something, and how it looked then.
pub(super) type Watched = (PathBuf, Option<Stamp>);

/// Reads `master` or `slave` and appends to `nodes`.
pub(super) fn read_list(
    reader: &mut Reader<'_>,
    json: &Json<'_>,
    path: &str,
    role: Role,
    of_section: OfSection<'_>,
    nodes: &mut Vec<Node>,
    watched: &mut Vec<Watched>,
) {
    let mut entries: Vec<(String, String, &Json<'_>)> = Vec::new();
    match &json.value {
        Value::List(list) => {
            entries.extend(list.iter().enumerate().map(|(i, json)| (String::new(), format!("{path}[{i}]"), json)));
        }
        Value::Object(_) => {
            let Some(object) = reader.object(json, path) else {
                return;
            };
            let named = object.members.iter().any(|member| matches!(member.json.value, Value::Object(_)));
            if object.members.is_empty() || named {
                for member in &object.members {
                    entries.push((member.name.clone(), object.path_of(&member.name), &member.json));
                }
            } else {
                entries.push((String::new(), path.to_owned(), json));
            }
        }
        _ => {
            let text = format!("expected an object or a list of nodes, found {}", json.describe());
            reader.wrong(json.at, path, text, r#"as in {"db1": {"host": "192.0.2.1"}}"#);
        }
    }
    for (name, path, json) in entries {
        let Some(object) = reader.object(json, &path) else {
            continue;
        };
        let Some(id) = NodeId::new(nodes.len()) else {
            reader.wrong(json.at, &path, format!("a section has at most {MAX_NODES} nodes"), "");
            return;
        };
        if let Some(node) = read(reader, &object, id, role, name, of_section, watched) {
            nodes.push(node);
        }
    }
}

fn read(
    reader: &mut Reader<'_>,
    object: &Object<'_, '_>,
    id: NodeId,
    role: Role,
    name: String,
    of_section: OfSection<'_>,
    watched: &mut Vec<Watched>,
) -> Option<Node> {
    reader.keys(object, SERVED, &[]);
    let host = match object.get("host") {
        Some(json) => reader.c_text(json, &object.path_of("host")),
        None => {
            reader.wrong(object.at, &object.path, "expected the key `host`", "");
            None
        }
    };
    if host.as_deref() == Some("") {
        reader.wrong(object.at, &object.path_of("host"), "expected a host name or address, found an empty string", "");
    }
    let port = object
        .get("port")
        .and_then(|json| reader.number(json, &object.path_of("port"), "a port", 0..=65535))
        .and_then(|port| u16::try_from(port).ok())
        .filter(|port| *port != 0);
    let text =
        |reader: &mut Reader<'_>, key: &str| object.get(key).and_then(|json| reader.c_text(json, &object.path_of(key)));
    let socket = text(reader, "socket").filter(|socket| !socket.is_empty());
    let user = text(reader, "user").map(String::into_bytes);
    let password = text(reader, "password").map(Secret::new);
    let database = text(reader, "db").map(String::into_bytes);
    let connect_flags = object.get("connect_flags").and_then(|json| {
        reader.number(json, &object.path_of("connect_flags"), "flags (CLIENT_*)", 0..=u64::from(u32::MAX))
    });
    let from_file = object.get("password_file").and_then(|json| password_file(reader, object, json, watched));
    if let (true, Some(json)) = (password.is_some(), object.get("password_file")) {
        reader.wrong(json.at, &object.path_of("password_file"), "expected either `password` or `password_file`", "");
    }
    let tls = read_tls(reader, object);
    let timeouts = recovery::timeouts(reader, object);
    let zone = text(reader, "zone");
    let weight = object
        .get("weight")
        .and_then(|json| reader.number(json, &object.path_of("weight"), "a weight", 0..=65535))
        .and_then(|weight| u16::try_from(weight).ok());
    let pipelining = object.get("pipelining").and_then(|json| reader.flag(json, &object.path_of("pipelining")));
    let state = object.get("state").and_then(|json| reader.word(json, &object.path_of("state"), STATES));
    let host = host.filter(|host| !host.is_empty())?;
    if host == "localhost" {
        if let (Some(_), Some(json)) = (port, object.get("port")) {
            let text = "has no effect: `localhost` is reached through its Unix socket";
            reader.note(json.at, &object.path_of("port"), text, "write 127.0.0.1 for TCP");
        }
    } else if let (Some(_), Some(json)) = (&socket, object.get("socket")) {
        let text = format!("has no effect: {host} is reached by TCP");
        reader.note(json.at, &object.path_of("socket"), text, "write localhost for the Unix socket");
    }
    Some(Node {
        id,
        role,
        name,
        host,
        port,
        socket: socket.map(PathBuf::from),
        user,
        password: password.or(from_file),
        database,
        connect_flags,
        tls: tls.or(of_section.tls),
        zone,
        state: state.unwrap_or_default(),
        timeouts: timeouts.or(of_section.timeouts),
        weight,
        pipelining: pipelining.unwrap_or(of_section.pipelining),
    })
}

/// The first line of the named file, under the same rule of ownership as the configuration file.
fn password_file(
    reader: &mut Reader<'_>,
    object: &Object<'_, '_>,
    json: &Json<'_>,
    watched: &mut Vec<Watched>,
) -> Option<Secret> {
    let key_path = object.path_of("password_file");
    let path = reader.path(json, &key_path)?;
    watched.push((path.clone(), Stamp::of(&path)));
    match file::read(&path) {
        Ok(mut guarded) => {
            if guarded.world_readable {
                let remedy = format!("chmod o-r {}", path.display());
                reader.note(json.at, &key_path, format!("{} can be read by everybody", path.display()), remedy);
            }
            let line = guarded.bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let secret = Secret::new(line.strip_suffix(b"\r").unwrap_or(line));
            zeroize::Zeroize::zeroize(&mut guarded.bytes);
            if secret.reveal().contains(&0) {
                reader.wrong(json.at, &key_path, format!("{} holds a NUL byte", path.display()), "");
                return None;
            }
            Some(secret)
        }
        Err(refused) => {
            reader.wrong(json.at, &key_path, format!("{} {}", path.display(), refused.text), refused.remedy);
            None
        }
    }
}

/// The TLS keys of a section or node.
pub(super) fn read_tls(reader: &mut Reader<'_>, object: &Object<'_, '_>) -> TlsSettings {
    const MODES: &[(&str, TlsMode)] = &[
        ("disabled", TlsMode::Disabled),
        ("preferred", TlsMode::Preferred),
        ("required", TlsMode::Required),
        ("verify_ca", TlsMode::VerifyCa),
        ("verify_identity", TlsMode::VerifyIdentity),
    ];
    let mut file = |key: &str| {
        let json = object.get(key)?;
        let key_path = object.path_of(key);
        let path = reader.path(json, &key_path)?;
        if !path.exists() {
            reader.note(json.at, &key_path, format!("{} does not exist", path.display()), "");
        }
        Some(path)
    };
    let (ca, capath) = (file("ssl_ca"), file("ssl_capath"));
    let (cert, key) = (file("ssl_cert"), file("ssl_key"));
    let mut text = |key: &str| object.get(key).and_then(|json| reader.c_text(json, &object.path_of(key)));
    let (cipher, version) = (text("ssl_cipher"), text("tls_version"));
    let mode = object.get("ssl_mode").and_then(|json| reader.word(json, &object.path_of("ssl_mode"), MODES));
    TlsSettings { mode, ca, capath, cert, key, cipher, version }
}
