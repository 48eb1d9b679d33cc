//! A cluster or a proxy under orders that come as lines through a Unix socket: what the program `cluster` is made of.
//!
//! One connection carries one order; the answer's first line is `ok` or `error`, the rest is text for the caller.

use crate::cluster::{Cluster, NodeState};
use crate::error::{Context, Error, Result};
use crate::proxy::{Direction, How, Proxy};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

/// What a node is called in orders.
fn number(text: Option<&str>) -> Result<usize> {
    let text = text.ok_or_else(|| Error("a number is missing".into()))?;
    text.parse().map_err(|_| Error(format!("'{text}' is no number")))
}

fn node(cluster: &Cluster, text: Option<&str>) -> Result<usize> {
    let n = number(text)?;
    if cluster.nodes().contains(&n) { Ok(n) } else { Err(Error(format!("there is no node {n}"))) }
}

/// The environment that tells a program where everything is (see `cluster --help`).
pub fn environment(cluster: &Cluster) -> Vec<(String, String)> {
    let text = |path: &Path| path.display().to_string();
    let tls = cluster.tls();
    let mut all: Vec<(String, String)> = vec![
        ("MS_FAMILY".into(), cluster.family().to_string()),
        ("MS_DIR".into(), text(cluster.folder())),
        ("MS_NODES".into(), cluster.nodes().len().to_string()),
        ("MS_PRIMARY".into(), cluster.primary().to_string()),
        ("MS_CA".into(), text(&tls.ca)),
        ("MS_OTHER_CA".into(), text(&tls.other_ca)),
        ("MS_CLIENT_CERT".into(), text(&tls.client_cert)),
        ("MS_CLIENT_KEY".into(), text(&tls.client_key)),
        ("MS_USER".into(), crate::APP_USER.into()),
        ("MS_PASSWORD".into(), crate::APP_PASSWORD.into()),
        ("MS_ADMIN_USER".into(), crate::ADMIN_USER.into()),
        ("MS_ADMIN_PASSWORD".into(), crate::ADMIN_PASSWORD.into()),
        ("MS_DB".into(), crate::DATABASE.into()),
    ];
    for n in cluster.nodes() {
        let endpoint = cluster.endpoint(n);
        for (name, value) in [
            ("HOST", endpoint.host),
            ("PORT", endpoint.port.to_string()),
            ("SOCKET", text(&endpoint.socket)),
            ("SERVER_ID", endpoint.server_id.to_string()),
            ("LOG", text(&cluster.general_log_path(n))),
        ] {
            all.push((format!("MS_NODE{n}_{name}"), value));
        }
    }
    if let Some(prefix) = &cluster.tools().prefix {
        all.push(("MYSQL_PREFIX".into(), text(prefix)));
    }
    all
}

/// Carries out one order on `cluster`; the answer is text for the caller.
///
/// # Errors
/// In words, also for orders that are not known.
pub fn order_cluster(cluster: &Cluster, order: &str) -> Result<String> {
    let (verb, rest) = order.split_once(' ').unwrap_or((order, ""));
    let mut words = rest.split_whitespace();
    let done = |result: Result<()>| result.map(|()| String::new());
    let mut nth = || node(cluster, words.next());
    match verb {
        "stop-applier" => done(cluster.stop_applier(nth()?)),
        "start-applier" => done(cluster.start_applier(nth()?)),
        "delay-applier" => {
            let n = nth()?;
            let seconds = number(words.next())?;
            done(cluster.delay_applier(n, seconds as u32))
        }
        "kill" => done(cluster.kill(nth()?)),
        "stop" => done(cluster.stop(nth()?)),
        "freeze" => done(cluster.freeze(nth()?)),
        "thaw" => done(cluster.thaw(nth()?)),
        "restart" => done(cluster.restart(nth()?)),
        "rebuild" => {
            let (which, prepare) = rest.split_once(' ').unwrap_or((rest, ""));
            done(cluster.rebuild(node(cluster, Some(which))?, prepare))
        }
        "promote" => done(cluster.promote(nth()?)),
        "wait" => done(cluster.wait_in_step()),
        "primary" => Ok(format!("{}\n", cluster.primary())),
        "received" => Ok(format!("{}\n", cluster.received(nth()?)?)),
        "position" => Ok(format!("{}\n", cluster.position(nth()?)?)),
        "state" => {
            let lines = cluster.nodes().map(|n| {
                let state = match cluster.state(n) {
                    NodeState::Up => "up",
                    NodeState::Frozen => "frozen",
                    NodeState::Dead => "dead",
                };
                let role = if n == cluster.primary() { "primary" } else { "replica" };
                format!("{n} {role} {state}\n")
            });
            Ok(lines.collect())
        }
        "log" => {
            let lines = cluster.general_log(nth()?)?.into_iter().map(|entry| {
                let argument = entry.argument.replace('\\', "\\\\").replace('\n', "\\n");
                format!("{}\t{}\t{}\t{argument}\n", entry.thread_id, entry.user, entry.command)
            });
            Ok(lines.collect())
        }
        "sql" => {
            let (which, text) = rest.split_once(' ').unwrap_or((rest, ""));
            let rows = cluster.sql(node(cluster, Some(which))?, text)?;
            let lines = rows.rows.iter().map(|row| {
                let cells: Vec<&str> = row.iter().map(|cell| cell.as_deref().unwrap_or("NULL")).collect();
                format!("{}\n", cells.join("\t"))
            });
            Ok(lines.collect())
        }
        "env" => {
            let lines = environment(cluster).into_iter().map(|(name, value)| {
                let value = value.replace('\'', "'\\''");
                format!("export {name}='{value}'\n")
            });
            Ok(lines.collect())
        }
        _ => Err(Error(format!("no order '{verb}'"))),
    }
}

/// Carries out one order on `proxy`; the answer is text for the caller.
///
/// # Errors
/// In words, also for orders that are not known.
pub fn order_proxy(proxy: &Proxy, order: &str) -> Result<String> {
    let mut words = order.split_whitespace();
    let verb = words.next().unwrap_or_default();
    let milliseconds = |text: Option<&str>| Ok::<_, Error>(Duration::from_millis(number(text)? as u64));
    let how = |text: Option<&str>| match text {
        None | Some("rst") => Ok(How::Rst),
        Some("fin") => Ok(How::Fin),
        Some(other) => Err(Error(format!("'{other}' is neither rst nor fin"))),
    };
    match verb {
        "pass" => proxy.pass()?,
        "delay" => proxy.delay(milliseconds(words.next())?),
        "trickle" => {
            let bytes = number(words.next())?;
            proxy.trickle(bytes, milliseconds(words.next().or(Some("0")))?);
        }
        "cut-up" | "cut-down" => {
            let direction = if verb == "cut-up" { Direction::Up } else { Direction::Down };
            let bytes = number(words.next())?;
            proxy.cut_after(direction, bytes as u64, how(words.next())?);
        }
        "refuse" => proxy.refuse(),
        "reject" => proxy.reject(),
        "black-hole" => proxy.black_hole(),
        "end-all" => proxy.end_all(how(words.next())?),
        "target" => proxy.set_target(words.next().ok_or_else(|| Error("HOST:PORT is missing".into()))?),
        "reset-stats" => proxy.reset_stats(),
        "stats" => {
            let stats = proxy.stats();
            return Ok(format!(
                "connections={} open={} bytes_up={} bytes_down={} round_trips={}\n",
                stats.connections,
                proxy.open_connections(),
                stats.bytes_up,
                stats.bytes_down,
                stats.round_trips
            ));
        }
        _ => return Err(Error(format!("no order '{verb}'"))),
    }
    Ok(String::new())
}

/// Makes the socket that orders come through; from now on callers are held until [`serve`] takes them.
///
/// # Errors
/// When the socket cannot be made.
pub fn listen(socket: &Path) -> Result<UnixListener> {
    UnixListener::bind(socket).context(|| format!("listening at {}", socket.display()))
}

/// Takes orders until one is `down`.
pub fn serve(listener: &UnixListener, orders: impl Fn(&str) -> Result<String> + Sync) {
    std::thread::scope(|scope| {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let mut order = String::new();
            if BufReader::new(&stream).read_line(&mut order).is_err() {
                continue;
            }
            let order = unescape(order.trim_end_matches('\n'));
            if order == "down" {
                let _ = stream.write_all(b"ok\n");
                break;
            }
            let orders = &orders;
            scope.spawn(move || {
                let answer = match orders(&order) {
                    Ok(text) => format!("ok\n{text}"),
                    Err(error) => format!("error\n{error}\n"),
                };
                // a caller that went away gets no answer
                let _ = stream.write_all(answer.as_bytes());
            });
        }
    });
}

/// Sends one order to `socket` and returns the answer's text.
///
/// # Errors
/// The answer, when it is an error; or nobody listens.
pub fn send(socket: &Path, order: &str) -> Result<String> {
    let mut stream = UnixStream::connect(socket).context(|| format!("connecting to {}", socket.display()))?;
    stream.write_all(format!("{}\n", order.replace('\\', "\\\\").replace('\n', "\\n")).as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    match answer.split_once('\n') {
        Some(("ok", text)) => Ok(text.to_string()),
        Some(("error", text)) => Err(Error(text.trim_end().to_string())),
        _ => Err(Error("it ended before it answered".into())),
    }
}

fn unescape(line: &str) -> String {
    let mut text = String::new();
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => text.push(if characters.next() == Some('n') { '\n' } else { '\\' }),
            other => text.push(other),
        }
    }
    text
}
