//! Session tracking that a routed handle switches on, for itself, on each of its connections; and what of the answers
//! the program is shown.
//!
//! Plain handles arm nothing: not a byte. A routed one sends its arming in the packet that asks a new connection for its
//! sql_mode, or with the command that resets it, so that it costs no round trip. Best effort: a server that refuses is
//! used without ([`Armed`] says what there is). Knows nothing of what the answers are used for.
//!
//! For those who build on it: after [`set_up`] each OK packet of a committing statement carries its GTID on servers that
//! have them; [`gtid`] takes it out of [`super::Session`]'s raw changes. Of the last reply only, so it has to be looked
//! at when the reply came (`observe_routed`).

use crate::conn::{Command, Connection, Head, OkPacket};
use crate::error::{Error, Origin};

use crate::cluster::config::quality::Level;
use crate::cluster::config::{Discover, Section};

use super::tracking::{Changes, SessionChange, TrackType};
use super::turns::Turns;

/// The variable that holds the list of variables.
const ITSELF: &[u8] = b"session_track_system_variables";

/// `CLIENT_SESSION_TRACK`.
const SESSION_TRACK: u64 = 1 << 23;

/// How a connection tells the GTID of what it committed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Gtids {
    /// It does not.
    #[default]
    Untold,
    /// MySQL, `session_track_gtids=OWN_GTID`: `uuid:number`, type 3. Empty if the server has `gtid_mode=OFF`.
    Own,
    /// MariaDB, the variable `last_gtid`: `domain-server-number`.
    LastGtid,
}

/// What is tracked on a connection for the handle's own sake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Armed {
    /// Changes of session variables: all of them on MariaDB, those of [`mysql_variables`] on MySQL.
    pub variables: bool,
    /// GTIDs.
    pub gtids: Gtids,
}

/// What the handle's section means to do with GTIDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// They tell which node has what was written.
    Gtids,
    /// They tell nothing, each node of a Galera cluster counts its own. Reads wait themselves for what all others have
    /// written (`wsrep_sync_wait`).
    ReadsWait,
    /// They tell nothing, and no read waits.
    Nothing,
}

impl Way {
    pub fn of(section: &Section) -> Way {
        match (section.recovery.discover, section.consistency.level) {
            (Discover::Galera, Some(Level::Eventual)) => Way::Nothing,
            (Discover::Galera, _) => Way::ReadsWait,
            _ => Way::Gtids,
        }
    }
}

/// What a new connection said of itself.
#[derive(Debug, Default)]
pub(super) struct SetUp {
    /// `@@sql_mode`; "0" if it did not say.
    pub sql_mode: Vec<u8>,
    /// `@@session_track_system_variables` before we changed it: what the program would see changes of.
    pub tracked: Option<Vec<u8>>,
    /// What was switched on.
    pub armed: Armed,
    /// Which server this is, and where it stands in its cluster's history.
    pub peer: Peer,
}

/// A server as a member of its cluster.
#[derive(Debug, Default)]
pub(super) struct Peer {
    /// `@@server_uuid`; on MariaDB `@@server_id`. Empty if it did not say.
    pub identity: Vec<u8>,
    /// It gives its commits GTIDs: `gtid_mode` is on; on MariaDB it writes a binary log.
    pub has_gtids: bool,
    /// `@@gtid_executed`, `@@gtid_current_pos`.
    pub executed: Vec<u8>,
    /// Reads wait there themselves for what was written elsewhere.
    pub reads_wait: bool,
    /// `@@read_only` is on; None if it did not say.
    pub read_only: Option<bool>,
}

/// The session variables that MySQL is asked to report. Not `*`: that would bring `statement_id` with every reply, and a
/// name that the server does not know would leave a warning that the program can see.
fn mysql_variables(version: &[u8]) -> String {
    let old = version.starts_with(b"5.");
    let (isolation, read_only) =
        if old { ("tx_isolation", "tx_read_only") } else { ("transaction_isolation", "transaction_read_only") };
    format!(
        "autocommit,auto_increment_increment,auto_increment_offset,big_tables,character_set_client,\
         character_set_connection,character_set_results,collation_connection,completion_type,default_storage_engine,\
         default_week_format,div_precision_increment,foreign_key_checks,group_concat_max_len,innodb_lock_wait_timeout,\
         interactive_timeout,lc_messages,lc_time_names,lock_wait_timeout,max_execution_time,max_sort_length,\
         net_read_timeout,net_write_timeout,optimizer_switch,session_track_gtids,session_track_system_variables,\
         sql_auto_is_null,sql_big_selects,sql_buffer_result,sql_mode,sql_notes,sql_quote_show_create,sql_safe_updates,\
         sql_select_limit,sql_warnings,time_zone,{isolation},{read_only},unique_checks,wait_timeout"
    )
}

/// The statements that arm a connection.
fn arming(connection: &Connection) -> Vec<String> {
    let server = connection.server();
    if server.client_flag & server.capabilities & SESSION_TRACK == 0 {
        return Vec::new();
    }
    if server.is_mariadb {
        return vec!["SET SESSION session_track_system_variables='*'".to_owned()];
    }
    let variables = mysql_variables(&server.version);
    vec![
        format!("SET SESSION session_track_system_variables='{variables}'"),
        // On its own: it may be refused, the other not with it.
        "SET SESSION session_track_gtids=OWN_GTID".to_owned(),
    ]
}

/// The same; the first of them in a cluster where reads wait makes them do so.
fn arming_for(connection: &Connection, way: Way) -> Vec<String> {
    let mut arming = arming(connection);
    if way == Way::ReadsWait && !arming.is_empty() {
        arming.insert(0, "SET SESSION wsrep_sync_wait=1".to_owned());
    }
    arming
}

/// A command and those that arm behind it.
fn commands<'a>(first: (Command, &'a [u8]), arming: &'a [String]) -> Vec<(Command, &'a [u8])> {
    std::iter::once(first).chain(arming.iter().map(|text| (Command::Query, text.as_bytes()))).collect()
}

/// Asks a new connection for its sql_mode and arms it: one send, one round trip where the node `pipelines`.
///
/// Errors: a broken connection. A server's refusal is none: what it would have told is then not known.
pub(super) async fn set_up(connection: &mut Connection, way: Way, pipelines: bool) -> Result<SetUp, Error> {
    let arming = arming_for(connection, way);
    let mut found = SetUp { sql_mode: b"0".to_vec(), ..SetUp::default() };
    if arming.is_empty() {
        connection.send(Command::Query, &[b"SELECT @@sql_mode"]).await?;
        if let Some([mode]) = first_row(connection).await? {
            found.sql_mode = mode;
        }
        return Ok(found);
    }
    let question = if connection.server().is_mariadb { ABOUT_MARIADB } else { ABOUT_MYSQL };
    let commands = commands((Command::Query, question.as_bytes()), &arming);
    let mut turns = Turns::begin(connection, &commands, pipelines).await?;
    if let Some([mode, tracked, identity, gtids, executed, read_only]) = first_row(connection).await? {
        found.sql_mode = mode;
        found.tracked = Some(tracked);
        // ON_PERMISSIVE gives a GTID to some transactions only; `log_bin` is 1.
        let has_gtids = gtids == b"ON" || gtids == b"1";
        let read_only = (!read_only.is_empty()).then(|| read_only != b"0" && !read_only.eq_ignore_ascii_case(b"OFF"));
        found.peer = Peer { identity, has_gtids, executed, reads_wait: way == Way::ReadsWait, read_only };
    }
    found.armed = armed(connection, &mut turns, arming.len(), way).await?;
    found.peer.has_gtids &= found.armed.gtids != Gtids::Untold;
    Ok(found)
}

/// What a new connection is asked. Servers that take [`SESSION_TRACK`] (MySQL 5.7, MariaDB 10.2) know all of it.
const ABOUT_MYSQL: &str = "SELECT @@sql_mode,@@session_track_system_variables,@@server_uuid,@@GLOBAL.gtid_mode,@@GLOBAL.gtid_executed,@@GLOBAL.read_only";
/// The same for MariaDB.
const ABOUT_MARIADB: &str = "SELECT @@sql_mode,@@session_track_system_variables,@@server_id,@@log_bin,@@GLOBAL.gtid_current_pos,@@GLOBAL.read_only";

/// `COM_RESET_CONNECTION`, which switches the tracking off, and arming again behind it: one round trip.
///
/// Errors: the server's refusal of the reset; a broken connection.
pub(super) async fn reset(connection: &mut Connection, way: Way, pipelines: bool) -> Result<(OkPacket, Armed), Error> {
    let arming = arming_for(connection, way);
    let commands = commands((Command::ResetConnection, &[]), &arming);
    let mut turns = Turns::begin(connection, &commands, pipelines).await?;
    let reset = connection.read_head().await;
    if reset.is_err() && connection.is_broken() {
        return Err(reset.err().unwrap_or_else(|| connection.malformed()));
    }
    let armed = armed(connection, &mut turns, arming.len(), way).await?;
    match reset? {
        Head::Ok(ok) => Ok((ok, armed)),
        _ => Err(connection.malformed()),
    }
}

/// Reads the replies to `count` statements of [`arming_for`].
async fn armed(connection: &mut Connection, turns: &mut Turns<'_>, mut count: usize, way: Way) -> Result<Armed, Error> {
    let is_mariadb = connection.server().is_mariadb;
    let mut armed = Armed::default();
    if way == Way::ReadsWait && count > 0 {
        turns.next(connection).await?;
        is_ok(connection.read_head().await)?;
        count -= 1;
    }
    for index in 0..count {
        turns.next(connection).await?;
        let taken = is_ok(connection.read_head().await)?;
        match index {
            0 => armed.variables = taken,
            _ if taken => armed.gtids = Gtids::Own,
            _ => {}
        }
    }
    if is_mariadb && armed.variables {
        armed.gtids = Gtids::LastGtid;
    }
    if way != Way::Gtids {
        armed.gtids = Gtids::Untold;
    }
    Ok(armed)
}

/// A server's error is "no"; anything else is an error.
fn is_ok(reply: Result<Head, Error>) -> Result<bool, Error> {
    match reply {
        Ok(_) => Ok(true),
        Err(error) if error.origin == Origin::Server => Ok(false),
        Err(error) => Err(error),
    }
}

/// The first values of a one-row result; None if the server refused.
async fn first_row<const N: usize>(connection: &mut Connection) -> Result<Option<[Vec<u8>; N]>, Error> {
    match connection.read_head().await {
        Ok(Head::ResultSet(columns)) => {
            let (mut rows, _) = connection.store_rows(columns.len()).await?;
            let value =
                |column| if column < columns.len() { rows.value(0, column).unwrap_or_default() } else { Vec::new() };
            Ok(Some(std::array::from_fn(value)))
        }
        other => is_ok(other).map(|_| None),
    }
}

/// The GTID that a reply's raw changes carry, if any: `uuid:number` (MySQL, under `ALL_GTIDS` a set) or
/// `domain-server-number` (MariaDB, where it may be several, separated by commas).
pub(super) fn gtid(changes: &[u8]) -> Option<&[u8]> {
    let mut changes = Changes::new(changes);
    while let Some((kind, text)) = changes.next() {
        match kind {
            TrackType::Gtids => return Some(text),
            TrackType::SystemVariables => {
                let value = changes.next().map(|(_, value)| value);
                if text == b"last_gtid" && value.is_some_and(|value| !value.is_empty()) {
                    return value;
                }
            }
            _ => {}
        }
    }
    None
}

/// What of the changes the program asked for: the server's default until it sets the variables of tracking itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    /// Names as in `session_track_system_variables`; `*` = all; None = not known yet, nothing.
    pub variables: Option<Vec<u8>>,
    /// GTIDs.
    pub gtids: bool,
    /// The program set them: servers' defaults do not count any more.
    pub asked: bool,
    /// The servers' default.
    pub servers: Option<Vec<u8>>,
}

/// The list that a connection has to track where the program asked for `list` and we for ours; None if we ask for none.
pub(super) fn variables(connection: &Connection, list: &[u8]) -> Option<Vec<u8>> {
    let server = connection.server();
    if arming(connection).is_empty() {
        return None;
    }
    let quotable = list.iter().all(|byte| (byte.is_ascii_graphic() || *byte == b' ') && !matches!(byte, b'\'' | b'\\'));
    if server.is_mariadb || list == b"*" || !quotable {
        return Some(b"*".to_vec());
    }
    let mut union = mysql_variables(&server.version);
    for name in String::from_utf8_lossy(list).split(',').map(str::trim).filter(|name| !name.is_empty()) {
        // The server refuses what is there twice, when it reports it.
        if !union.split(',').any(|known| known.eq_ignore_ascii_case(name)) {
            union.push(',');
            union.push_str(name);
        }
    }
    Some(union.into_bytes())
}

impl Shown {
    /// A server told its default.
    pub fn learn(&mut self, tracked: Option<Vec<u8>>) {
        if tracked.is_none() {
            return;
        }
        if !self.asked {
            self.variables.clone_from(&tracked);
        }
        self.servers = tracked;
    }

    /// What the program asked for by an expression, which the server reported as `list`: it has our own name in it where the
    /// program appended to what [`Shown::setting`] had set.
    pub fn without_ours(&self, list: &[u8]) -> Vec<u8> {
        let names: Vec<&[u8]> = list
            .split(|byte| *byte == b',')
            .map(<[u8]>::trim_ascii)
            .filter(|name| self.shows_variable(ITSELF) || !name.eq_ignore_ascii_case(ITSELF))
            .collect();
        names.join(&b',')
    }

    /// The statement that makes the variable what the program would find without us, and lets the server report what the
    /// program makes of it; None if that is not known.
    pub fn setting(&self) -> Option<Vec<u8>> {
        let list = self.variables.as_ref()?;
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b',' | b' ' | b'*');
        if !list.iter().all(plain) {
            return None;
        }
        let mut names: Vec<&[u8]> = vec![list];
        if !self.shows_variable(ITSELF) {
            names.push(ITSELF);
        }
        names.retain(|name| !name.is_empty());
        Some([b"SET SESSION session_track_system_variables='", &names.join(&b',')[..], b"'"].concat())
    }

    /// The session was reset.
    pub fn reset(&mut self) {
        self.variables.clone_from(&self.servers);
        self.gtids = false;
        self.asked = false;
    }

    fn shows_variable(&self, name: &[u8]) -> bool {
        let Some(list) = &self.variables else { return false };
        list.split(|byte| *byte == b',')
            .map(<[u8]>::trim_ascii)
            .any(|one| one == b"*" || one.eq_ignore_ascii_case(name))
    }

    /// The changes without those that only we asked for.
    pub fn filter<'a>(&self, changes: Changes<'a>) -> Vec<SessionChange<'a>> {
        let mut found = Vec::new();
        let mut changes = changes;
        while let Some((kind, text)) = changes.next() {
            match kind {
                TrackType::SystemVariables => {
                    let Some(value) = changes.next() else { break };
                    if self.shows_variable(text) {
                        found.extend([(kind, text), value]);
                    }
                }
                TrackType::Gtids if !self.gtids => {}
                _ => found.push((kind, text)),
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: &[u8] =
        b"\x00\x11\x09last_gtid\x060-1-19\x00\x0e\x09time_zone\x03UTC\x01\x05\x04shop\x03\x06\x00\x04u:21";

    #[test]
    fn what_only_we_asked_for_is_not_shown() {
        let mut shown = Shown::default();
        shown.learn(Some(b"autocommit, TIME_ZONE".to_vec()));
        let seen = shown.filter(Changes::new(RAW));
        assert_eq!(
            seen,
            [
                (TrackType::SystemVariables, &b"time_zone"[..]),
                (TrackType::SystemVariables, &b"UTC"[..]),
                (TrackType::Schema, &b"shop"[..])
            ]
        );
        let all = Shown { variables: Some(b"*".to_vec()), gtids: true, asked: true, servers: None };
        assert_eq!(all.filter(Changes::new(RAW)), Changes::new(RAW).collect::<Vec<_>>());
    }

    #[test]
    fn what_the_program_set_outlasts_the_servers_defaults() {
        let mut shown = Shown { variables: Some(b"sql_mode".to_vec()), gtids: false, asked: true, servers: None };
        shown.learn(Some(b"autocommit".to_vec()));
        assert_eq!(shown.variables.as_deref(), Some(&b"sql_mode"[..]));
    }

    #[test]
    fn gtids_of_both_families_are_found() {
        assert_eq!(gtid(RAW), Some(&b"0-1-19"[..]));
        assert_eq!(gtid(b"\x01\x05\x04shop\x03\x06\x00\x04u:21"), Some(&b"u:21"[..]));
        assert_eq!(gtid(b"\x00\x0b\x09last_gtid\x00"), None);
        assert_eq!(gtid(b""), None);
    }

    #[test]
    fn the_list_for_mysql_holds_no_star_and_the_names_of_its_version() {
        let new = mysql_variables(b"9.7.4");
        assert!(!new.contains('*') && !new.contains(' ') && new.contains(",transaction_isolation,"));
        assert!(mysql_variables(b"5.7.44").contains(",tx_isolation,"));
    }
}
