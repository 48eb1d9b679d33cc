//! The key `global_transaction_id_injection`: the program's own transaction counter, for servers without GTIDs.

use std::time::Duration;

use super::json::{Json, Value};
use super::reader::{Object, Reader};

/// What stands for the GTID in [`Injection::check`].
pub const PLACEHOLDER: &[u8] = b"#GTID";

/// The statements of a client-side GTID.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Injection {
    /// Advances the counter, on a source, in front of what commits.
    pub on_commit: Option<Vec<u8>>,
    /// Tells the newest GTID: the first column of the first row.
    pub fetch: Option<Vec<u8>>,
    /// Asked on a replica, with [`PLACEHOLDER`] replaced: it has the GTID if a row comes back whose first column is neither
    /// NULL nor 0.
    pub check: Option<Vec<u8>>,
    /// A failed `on_commit` fails the program's call. Default false.
    pub report_error: bool,
    /// How long a replica that does not have a GTID is asked again. Default 0.
    pub wait: Duration,
}

/// Reads the key.
pub(super) fn read(reader: &mut Reader<'_>, json: &Json<'_>, path: &str) -> Option<Injection> {
    let object = reader.object(json, path)?;
    reader.keys(
        &object,
        &["on_commit", "fetch_last_gtid", "check_for_gtid", "report_error", "report_errors", "wait_for_gtid_timeout"],
        &["type", "on_connect"],
    );
    let injection = Injection {
        on_commit: statement(reader, &object, "on_commit"),
        fetch: statement(reader, &object, "fetch_last_gtid"),
        check: statement(reader, &object, "check_for_gtid"),
        report_error: ["report_errors", "report_error"].iter().fold(false, |before, key| {
            object.get(key).and_then(|json| reader.flag(json, &object.path_of(key))).unwrap_or(before)
        }),
        wait: object
            .get("wait_for_gtid_timeout")
            .and_then(|json| reader.number(json, &object.path_of("wait_for_gtid_timeout"), "seconds", 0..=65535))
            .map_or(Duration::ZERO, Duration::from_secs),
    };
    if let (Some(check), Some(json)) = (&injection.check, object.get("check_for_gtid"))
        && memchr::memmem::find(check, PLACEHOLDER).is_none()
    {
        let text = "has no #GTID in it: no replica ever qualifies";
        reader.note(json.at, &object.path_of("check_for_gtid"), text, "put #GTID where the GTID belongs");
    }
    Some(injection)
}

/// A statement; lists and objects are refused in the words of mysqlnd_ms.
fn statement(reader: &mut Reader<'_>, object: &Object<'_, '_>, key: &str) -> Option<Vec<u8>> {
    let json = object.get(key)?;
    if matches!(json.value, Value::List(_) | Value::Object(_)) {
        reader.wrong(json.at, &object.path_of(key), "must be a string", "write one SQL statement");
        return None;
    }
    reader.text(json, &object.path_of(key)).map(String::into_bytes).filter(|text| !text.is_empty())
}
