//! `status`: asks every node of a configuration how it is. Connects to each by itself, past all routing.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lexopt::prelude::*;
use mysqlclient_ms::cluster::Clusters;
use mysqlclient_ms::cluster::config::{Config, Section};
use mysqlclient_ms::cluster::lag::Lag;
use mysqlclient_ms::cluster::topology::{Endpoint, Node, NodeState};
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::env::{Clock, SystemClock};
use mysqlclient_ms::error::Error;
use mysqlclient_ms::options::{Family, Protocol};
use mysqlclient_ms::result::StoredRows;
use mysqlclient_ms::session::{ConnectArgs, Environment, Session};
use serde_json::{Value as Json, json};
use zeroize::Zeroizing;

use super::Failure;

/// How long a node may take to be connected to, and for each of its answers.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where servers listen when nothing else is said.
const SOCKET: &str = "/run/mysqld/mysqld.sock";

/// Errors that mean that the account may not ask.
const NOT_ALLOWED: [u32; 3] = [1044, 1142, 1227];

/// The account for nodes that have none of their own.
#[derive(Default)]
struct Account {
    user: Option<Vec<u8>>,
    password: Option<Zeroizing<Vec<u8>>>,
}

/// What a node says of itself. None: it says nothing, or is not allowed to.
#[derive(Default)]
struct Health {
    version: Option<String>,
    read_only: Option<bool>,
    super_read_only: Option<bool>,
    /// For each replication channel: its threads run.
    io_running: Option<bool>,
    sql_running: Option<bool>,
    /// Seconds; of the slowest channel.
    lag: Option<u64>,
    /// It replicates from nobody.
    no_source: bool,
    gtid: Option<String>,
    uptime: Option<u64>,
    /// What could not be asked, and why.
    remarks: Vec<String>,
}

/// One node and how it is.
struct Line {
    name: String,
    role: &'static str,
    state: &'static str,
    address: String,
    health: Result<Health, Error>,
}

/// Prints a table of each section's nodes. 0 if all of them answered; 1 if not.
pub(super) fn status(mut arguments: lexopt::Parser, out: &mut dyn Write) -> Result<u8, Failure> {
    let (mut file, mut wanted, mut as_json) = (None::<PathBuf>, None::<String>, false);
    let mut account = Account { password: std::env::var_os("MYSQL_PWD").map(secret), ..Account::default() };
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("config") => file = Some(arguments.value()?.into()),
            Long("section") => wanted = Some(arguments.value()?.string()?),
            Long("user") => account.user = Some(arguments.value()?.as_bytes().to_vec()),
            Long("password-file") => account.password = Some(first_line(Path::new(&arguments.value()?))?),
            Long("json") => as_json = true,
            other => return Err(other.unexpected().into()),
        }
    }
    let file = file.or_else(|| std::env::var_os("MYSQLND_MS_CONFIG_FILE").map(PathBuf::from));
    let file = file
        .ok_or_else(|| Failure::new(2, "status: no configuration: give --config FILE or set MYSQLND_MS_CONFIG_FILE"))?;
    let mut loaded = Config::load(&file, true).map_err(|problem| Failure::new(1, format!("status: {problem}")))?;
    loaded.config.find_boards(&file, std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).as_deref());
    let sections = loaded.config.sections().iter().filter(|one| wanted.as_ref().is_none_or(|name| one.name == *name));
    let sections: Vec<&Section> = sections.map(AsRef::as_ref).collect();
    if let (Some(name), []) = (&wanted, &sections[..]) {
        let names: Vec<&str> = loaded.config.sections().iter().map(|section| section.name.as_str()).collect();
        return Err(Failure::new(2, format!("status: no section {name}; sections: {}", names.join(", "))));
    }
    let (mut code, mut objects) = (0, Vec::new());
    for section in sections {
        if let Some(problem) = &section.refused {
            code = 1;
            if as_json {
                objects.push(json!({"section": section.name, "error": problem.to_string()}));
            } else {
                writeln!(out, "section {}: connects fail: {problem}", section.name)?;
            }
            continue;
        }
        let lines = ask_all(section, &account);
        if lines.iter().any(|line| line.health.is_err()) {
            code = 1;
        }
        if as_json {
            let nodes: Vec<Json> = lines.iter().map(to_json).collect();
            objects.push(json!({"section": section.name, "nodes": nodes, "board": board_json(section)}));
        } else {
            table(out, &section.name, &lines)?;
            tell_board(out, section)?;
        }
    }
    if as_json {
        writeln!(out, "{:#}", Json::Array(objects))?;
    }
    Ok(code)
}

fn secret(text: OsString) -> Zeroizing<Vec<u8>> {
    use std::os::unix::ffi::OsStringExt;
    Zeroizing::new(text.into_vec())
}

fn first_line(file: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let text = fs::read(file).map_err(|error| Failure::new(2, format!("status: {}: {error}", file.display())))?;
    let text = Zeroizing::new(text);
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(Zeroizing::new(line.strip_suffix(b"\r").unwrap_or(line).to_vec()))
}

/// All nodes at the same time: those that do not answer do not add up.
fn ask_all(section: &Section, account: &Account) -> Vec<Line> {
    std::thread::scope(|scope| {
        let asked: Vec<_> = section.nodes.iter().map(|node| (node, scope.spawn(move || ask(node, account)))).collect();
        let line = |(node, asked): (&Node, std::thread::ScopedJoinHandle<'_, Result<Health, Error>>)| Line {
            name: node.label(),
            role: node.role.name(),
            state: match node.state {
                NodeState::On => "on",
                NodeState::Drain => "drain",
                NodeState::Off => "off",
            },
            address: node.endpoint(3306, Path::new(SOCKET)).to_string(),
            health: asked
                .join()
                .unwrap_or_else(|_| Err(Error::client(2000, "mysqlclient-ms: asking failed".to_owned()))),
        };
        asked.into_iter().map(line).collect()
    })
}

fn ask(node: &Node, account: &Account) -> Result<Health, Error> {
    let mut session = Session::new(Family::MySql);
    let options = session.options();
    options.connect_timeout = Some(PATIENCE);
    options.read_timeout = Some(PATIENCE);
    options.write_timeout = Some(PATIENCE);
    options.get_server_public_key = true;
    node.tls.apply(&mut options.tls);
    let mut args = ConnectArgs {
        user: node.user.clone().or_else(|| account.user.clone()),
        password: match &node.password {
            Some(password) => Some(password.reveal().to_vec()),
            None => account.password.as_ref().map(|password| password.to_vec()),
        },
        ..ConnectArgs::default()
    };
    match node.endpoint(3306, Path::new(SOCKET)) {
        Endpoint::Tcp { host, port } => {
            options.protocol = Protocol::Tcp;
            (args.host, args.port) = (Some(host.into_bytes()), port);
        }
        Endpoint::Unix(path) => {
            options.protocol = Protocol::Socket;
            args.socket = Some(path.as_os_str().as_bytes().to_vec());
        }
    }
    let login = ["USER", "LOGNAME"].iter().find_map(std::env::var_os).unwrap_or_default();
    let environment = Environment {
        port: 3306,
        socket: SOCKET.into(),
        login: OsStr::as_bytes(&login).to_vec(),
        ..Environment::default()
    };
    block_on(session.connect(args, &environment, &Clusters::new([], false)))?;
    let health = tell(&mut session);
    session.close();
    health
}

/// Names and values of a result's rows.
type Rows = Vec<Vec<(String, Option<String>)>>;

fn rows(session: &mut Session, sql: &str) -> Result<Rows, Error> {
    block_on(session.run(sql.as_bytes()))?;
    let mut stored = StoredRows::default();
    let Some(columns) = block_on(session.store_result(&mut stored))? else { return Ok(Vec::new()) };
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok((0..stored.len())
        .map(|row| {
            (0..columns.len())
                .map(|column| (columns.name(column).map(text).unwrap_or_default(), stored.value(row, column).map(text)))
                .collect()
        })
        .collect())
}

fn tell(session: &mut Session) -> Result<Health, Error> {
    let is_mariadb = session.server().is_some_and(|server| server.is_mariadb);
    let mut health = Health::default();
    let position = if is_mariadb { "@@global.gtid_current_pos" } else { "@@global.gtid_executed" };
    let first = rows(session, "SELECT @@version, @@global.read_only")?;
    let value =
        |rows: &Rows, column: usize| rows.first().and_then(|row| row.get(column)).and_then(|(_, value)| value.clone());
    let on = |text: String| text == "1" || text.eq_ignore_ascii_case("on");
    health.version = value(&first, 0);
    // MariaDB from 12 on has words for it; every one but off refuses writes.
    health.read_only = value(&first, 1).map(|text| !(text == "0" || text.eq_ignore_ascii_case("off")));
    if !is_mariadb {
        health.super_read_only = optional(session, "SELECT @@global.super_read_only", &mut health.remarks)?
            .and_then(|rows| value(&rows, 0))
            .map(on);
    }
    health.gtid = optional(session, &format!("SELECT {position}"), &mut health.remarks)?
        .and_then(|rows| value(&rows, 0))
        .map(|text| text.replace('\n', ""));
    health.uptime = optional(session, "SHOW GLOBAL STATUS LIKE 'Uptime'", &mut health.remarks)?
        .and_then(|rows| value(&rows, 1))
        .and_then(|text| text.parse().ok());
    let questions: &[&str] =
        if is_mariadb { &["SHOW ALL SLAVES STATUS"] } else { &["SHOW REPLICA STATUS", "SHOW SLAVE STATUS"] };
    for question in questions {
        match rows(session, question) {
            Ok(channels) => {
                replication(&mut health, &channels);
                break;
            }
            // Servers before 8.0.22 do not know the first.
            Err(error) if error.code == 1064 && !is_mariadb => {}
            Err(error) if NOT_ALLOWED.contains(&error.code) => {
                health.remarks.push(format!("replication: {error}"));
                break;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(health)
}

/// Rows of what the server may not have or the account not see.
fn optional(session: &mut Session, sql: &str, remarks: &mut Vec<String>) -> Result<Option<Rows>, Error> {
    match rows(session, sql) {
        Ok(rows) => Ok(Some(rows)),
        Err(error) if error.code == 1193 => Ok(None),
        Err(error) if NOT_ALLOWED.contains(&error.code) => {
            remarks.push(error.to_string());
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn replication(health: &mut Health, channels: &Rows) {
    health.no_source = channels.is_empty();
    for channel in channels {
        let value = |names: [&str; 2]| {
            let found = channel.iter().find(|(name, _)| names.iter().any(|one| name.eq_ignore_ascii_case(one)));
            found.and_then(|(_, value)| value.as_deref())
        };
        let runs = |before: Option<bool>, word: Option<&str>| Some(before.unwrap_or(true) && word == Some("Yes"));
        health.io_running = runs(health.io_running, value(["Replica_IO_Running", "Slave_IO_Running"]));
        health.sql_running = runs(health.sql_running, value(["Replica_SQL_Running", "Slave_SQL_Running"]));
        let lag = value(["Seconds_Behind_Source", "Seconds_Behind_Master"]).and_then(|text| text.parse().ok());
        health.lag = health.lag.max(lag);
        for names in [["Last_IO_Error"; 2], ["Last_SQL_Error"; 2]] {
            if let Some(text) = value(names).filter(|text| !text.is_empty()) {
                health.remarks.push(format!("{}: {text}", names[0]));
            }
        }
    }
}

/// What the processes of this user know of a node, by the board.
struct Known {
    name: String,
    /// Error number, and for how much longer it counts.
    failed: Option<(u32, Duration)>,
    /// Milliseconds; None if the node does not replicate or does not say. And how old that is.
    lag: Option<(Option<u128>, Duration)>,
    in_flight: u32,
}

/// The board's file and what is on it; None if there is none.
fn board_of(section: &Section) -> Option<(PathBuf, Vec<Known>)> {
    let now = SystemClock.now();
    let path = section.board.peek(section, now)?;
    let known = |node: &Node| Known {
        name: node.label(),
        failed: section.health.failure(node.id, now).map(|failure| (failure.code, failure.until.saturating_sub(now))),
        lag: section.lag.last(node.id).map(|(lag, at)| {
            let behind = if let Lag::Behind(lag) = lag { Some(lag.as_millis()) } else { None };
            (behind, now.saturating_sub(at))
        }),
        in_flight: section.balance.in_flight(node.id),
    };
    Some((path, section.nodes.iter().map(known).collect()))
}

fn board_json(section: &Section) -> Json {
    let Some((path, nodes)) = board_of(section) else { return Json::Null };
    let node = |known: &Known| {
        json!({
            "node": known.name,
            "failed_errno": known.failed.map(|(code, _)| code),
            "failed_for_ms": known.failed.map(|(_, left)| left.as_millis() as u64),
            "lag_ms": known.lag.and_then(|(lag, _)| lag).map(|lag| lag as u64),
            "lag_age_ms": known.lag.map(|(_, age)| age.as_millis() as u64),
            "in_flight": known.in_flight,
        })
    };
    json!({"file": path.display().to_string(), "nodes": nodes.iter().map(node).collect::<Vec<_>>()})
}

fn tell_board(out: &mut dyn Write, section: &Section) -> std::io::Result<()> {
    let Some((path, nodes)) = board_of(section) else { return writeln!(out, "board: none") };
    writeln!(out, "board: {}", path.display())?;
    for known in nodes {
        let failed =
            known.failed.map(|(code, left)| format!("failed with {code}, left alone for {:.1} s", left.as_secs_f64()));
        let lag = known.lag.map(|(lag, age)| {
            let lag = lag.map_or_else(|| "no lag is known".to_owned(), |lag| format!("lag {lag} ms"));
            format!("{lag} ({:.1} s ago)", age.as_secs_f64())
        });
        let in_flight = (known.in_flight > 0).then(|| format!("{} statements in flight", known.in_flight));
        let words: Vec<String> = [failed, lag, in_flight].into_iter().flatten().collect();
        if !words.is_empty() {
            writeln!(out, "  {}: {}", known.name, words.join("; "))?;
        }
    }
    Ok(())
}

fn to_json(line: &Line) -> Json {
    let mut object = json!({
        "node": line.name, "role": line.role, "state": line.state, "address": line.address,
        "reachable": line.health.is_ok(),
    });
    let more = match &line.health {
        Ok(health) => json!({
            "version": health.version, "read_only": health.read_only, "super_read_only": health.super_read_only,
            "replicates": !health.no_source,
            "io_running": health.io_running, "sql_running": health.sql_running, "lag_seconds": health.lag,
            "gtid": health.gtid, "uptime_seconds": health.uptime, "remarks": health.remarks,
        }),
        Err(error) => json!({"errno": error.code, "error": error.to_string()}),
    };
    if let (Json::Object(object), Json::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    object
}

const HEAD: [&str; 10] =
    ["node", "role", "address", "reachable", "version", "read_only", "replication", "lag", "uptime", "gtid"];

fn table(out: &mut dyn Write, section: &str, lines: &[Line]) -> std::io::Result<()> {
    writeln!(out, "section {section}")?;
    let rows: Vec<[String; HEAD.len()]> = lines.iter().map(cells).collect();
    let mut widths = HEAD.map(str::len);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    for row in std::iter::once(&HEAD.map(str::to_owned)).chain(&rows) {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        writeln!(out, "{}", cells.join("  ").trim_end())?;
    }
    for line in lines {
        match &line.health {
            Ok(health) => {
                for remark in &health.remarks {
                    writeln!(out, "{}: {remark}", line.name)?;
                }
            }
            Err(error) => writeln!(out, "{}: {error}", line.name)?,
        }
    }
    Ok(())
}

fn cells(line: &Line) -> [String; HEAD.len()] {
    let role = if line.state == "on" { line.role.to_owned() } else { format!("{} ({})", line.role, line.state) };
    let dash = || "-".to_owned();
    let start = [line.name.clone(), role, line.address.clone()];
    let rest = match &line.health {
        Err(error) => [format!("error {}", error.code), dash(), dash(), dash(), dash(), dash(), dash()],
        Ok(health) => {
            let threads = match (health.io_running, health.sql_running) {
                (Some(true), Some(true)) => "running".to_owned(),
                (Some(io), Some(sql)) => {
                    let word = |runs| if runs { "running" } else { "stopped" };
                    format!("io {}, sql {}", word(io), word(sql))
                }
                _ if health.no_source => "none".to_owned(),
                _ => dash(),
            };
            let read_only = match (health.read_only, health.super_read_only) {
                (_, Some(true)) => "super".to_owned(),
                (Some(true), _) => "yes".to_owned(),
                (Some(false), _) => "no".to_owned(),
                (None, _) => dash(),
            };
            [
                "yes".to_owned(),
                health.version.clone().unwrap_or_else(dash),
                read_only,
                threads,
                health.lag.map_or_else(dash, |seconds| format!("{seconds} s")),
                health.uptime.map_or_else(dash, |seconds| format!("{seconds} s")),
                health.gtid.clone().filter(|gtid| !gtid.is_empty()).unwrap_or_else(dash),
            ]
        }
    };
    let mut all = start.into_iter().chain(rest);
    std::array::from_fn(|_| all.next().unwrap_or_default())
}
