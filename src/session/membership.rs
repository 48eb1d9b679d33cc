//! What the members of a MySQL group or a Galera cluster are asked about themselves, and what their answers mean.
//!
//! Texts and their meaning only; [`super::discover`] asks, [`crate::cluster::roles`] judges.

use std::borrow::Cow;

use crate::cluster::roles::Said;
use crate::conn::Server;
use crate::error::{Error, Origin};

use super::probe::Table;

/// What a member of a MySQL group is asked: its state, its role, and whether it sees a majority of the group.
pub(super) fn questions_of_group(_: &Server) -> Vec<Cow<'static, str>> {
    vec![
        "SELECT m.MEMBER_STATE,m.MEMBER_ROLE,(SELECT SUM(MEMBER_STATE<>'UNREACHABLE')*2>COUNT(*) FROM \
       performance_schema.replication_group_members) FROM performance_schema.replication_group_members m \
       WHERE m.MEMBER_ID=@@server_uuid"
            .into(),
    ]
}

/// What a node of a Galera cluster is asked. A node that executes nothing else answers both; the last name is Percona's.
pub(super) fn questions_of_galera(_: &Server) -> Vec<Cow<'static, str>> {
    vec![
        "SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_local_state','wsrep_cluster_status','wsrep_ready')".into(),
        "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('wsrep_on','wsrep_reject_queries','read_only','pxc_maint_mode')"
            .into(),
    ]
}

/// What a member's state, role and view of its group mean. A member without a majority may be the primary of the past.
pub(super) fn said_by_member(state: Option<Vec<u8>>, role: Option<Vec<u8>>, majority: Option<Vec<u8>>) -> Said {
    match (state.as_deref(), role.as_deref(), majority.as_deref()) {
        (Some(b"ONLINE"), Some(b"PRIMARY"), Some(b"1")) => Said::Writable,
        (Some(b"ONLINE"), Some(b"SECONDARY"), Some(b"1")) => Said::ReadOnly,
        _ => Said::Out,
    }
}

/// What the answers of a node of a Galera cluster mean.
pub(super) fn said_by_node(status: Option<&mut Table>, variables: Option<&mut Table>) -> Said {
    let (Some(status), Some(variables)) = (status, variables) else { return Said::Silent };
    let pairs = |table: &mut Table| -> Vec<(Vec<u8>, Vec<u8>)> {
        (0..table.len())
            .filter_map(|row| Some((table.of_row(row, "Variable_name")?, table.of_row(row, "Value")?)))
            .collect()
    };
    state_of_node(&pairs(status), &pairs(variables))
}

/// A node works when it is part of the primary component, in step with it (Synced: not a donor, not joining, not
/// desynchronized by hand), takes statements, and nobody has set it to maintenance. One whose replication is not on at all is
/// no part of anything.
fn state_of_node(status: &[(Vec<u8>, Vec<u8>)], variables: &[(Vec<u8>, Vec<u8>)]) -> Said {
    const SYNCED: &[u8] = b"4";
    let value = |list: &[(Vec<u8>, Vec<u8>)], name: &str| {
        list.iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes()))
            .map(|(_, value)| value.to_ascii_uppercase())
    };
    let on = |value: Option<Vec<u8>>| matches!(value.as_deref(), Some(b"ON" | b"1"));
    let quiet = |value: Option<Vec<u8>>, word: &[u8]| value.is_none_or(|value| value == word);
    let works = value(status, "wsrep_local_state").as_deref() == Some(SYNCED)
        && value(status, "wsrep_cluster_status").as_deref() == Some(b"PRIMARY")
        && on(value(status, "wsrep_ready"))
        && quiet(value(variables, "wsrep_reject_queries"), b"NONE")
        && quiet(value(variables, "pxc_maint_mode"), b"DISABLED")
        && value(variables, "wsrep_on").is_none_or(|value| on(Some(value)));
    match (works, value(variables, "read_only")) {
        (false, _) => Said::Out,
        (true, read_only) if read_only.as_deref() == Some(b"OFF") => Said::Writable,
        (true, _) => Said::ReadOnly,
    }
}

/// A node of a Galera cluster refused to execute, because it is not part of the cluster now, or rejects all statements. The
/// number is also that of commands that no server knows.
pub(super) fn is_not_prepared(error: &Error) -> bool {
    const UNKNOWN_COMMAND: u32 = 1047;
    error.origin == Origin::Server
        && error.code == UNKNOWN_COMMAND
        && memchr::memmem::find(&error.message, b"WSREP").is_some()
}

/// A read gave up waiting for its node to be in step with the others (`wsrep_sync_wait`).
pub(super) fn waited_in_vain(error: &Error) -> bool {
    const LOCK_WAIT_TIMEOUT: u32 = 1205;
    error.origin == Origin::Server && error.code == LOCK_WAIT_TIMEOUT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_counts_when_it_works_and_sees_a_majority() {
        for (state, role, majority, expected) in [
            ("ONLINE", "PRIMARY", "1", Said::Writable),
            ("ONLINE", "SECONDARY", "1", Said::ReadOnly),
            ("ONLINE", "PRIMARY", "0", Said::Out),
            ("RECOVERING", "SECONDARY", "1", Said::Out),
            ("ERROR", "", "1", Said::Out),
            ("OFFLINE", "", "0", Said::Out),
        ] {
            let bytes = |text: &str| Some(text.as_bytes().to_vec());
            assert_eq!(said_by_member(bytes(state), bytes(role), bytes(majority)), expected, "{state} {role}");
        }
        assert_eq!(said_by_member(None, None, None), Said::Out);
    }

    #[test]
    fn a_node_of_galera_counts_when_it_is_synced_and_takes_statements() {
        let list = |text: &str| -> Vec<(Vec<u8>, Vec<u8>)> {
            text.split_whitespace()
                .filter_map(|pair| pair.split_once('='))
                .map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec()))
                .collect()
        };
        let well = "wsrep_local_state=4 wsrep_cluster_status=Primary wsrep_ready=ON";
        let open = "wsrep_on=ON wsrep_reject_queries=NONE read_only=OFF";
        for (status, variables, expected) in [
            (well, open, Said::Writable),
            (well, "read_only=OFF pxc_maint_mode=DISABLED", Said::Writable),
            (well, "wsrep_reject_queries=NONE read_only=ON", Said::ReadOnly),
            (well, "wsrep_reject_queries=NONE read_only=NO_LOCK", Said::ReadOnly),
            (well, "wsrep_reject_queries=ALL read_only=OFF", Said::Out),
            (well, "read_only=OFF pxc_maint_mode=SHUTDOWN", Said::Out),
            (well, "wsrep_on=OFF read_only=OFF", Said::Out),
            ("wsrep_local_state=2 wsrep_cluster_status=Primary wsrep_ready=ON", open, Said::Out),
            ("wsrep_local_state=4 wsrep_cluster_status=non-Primary wsrep_ready=ON", open, Said::Out),
            ("wsrep_local_state=4 wsrep_cluster_status=Primary wsrep_ready=OFF", open, Said::Out),
            // A server that has no Galera.
            ("", "read_only=OFF", Said::Out),
        ] {
            assert_eq!(state_of_node(&list(status), &list(variables)), expected, "{status}, {variables}");
        }
        assert_eq!(said_by_node(None, None), Said::Silent);
    }

    #[test]
    fn only_galera_s_own_words_count() {
        let error = |code, text: &str| Error { origin: Origin::Server, ..Error::client(code, text) };
        assert!(is_not_prepared(&error(1047, "WSREP has not yet prepared node for application use")));
        assert!(!is_not_prepared(&error(1047, "Unknown command")) && !is_not_prepared(&error(1064, "WSREP")));
    }
}
