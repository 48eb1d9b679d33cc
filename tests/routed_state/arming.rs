//! Session tracking for the handle's own sake: armed without a round trip, not shown, not on plain handles.

use harness::{Family, Proxy, families, shared};
use mysqlclient_ms::conn::driver::block_on;
use mysqlclient_ms::session::TrackType;

use super::{ROUND_ROBIN, database};
use crate::lab::{Shop, addresses};

/// Names of the variables whose changes the program is shown.
fn shown(handle: &crate::lab::Handle) -> Vec<String> {
    let texts: Vec<String> = handle
        .session
        .session_changes()
        .iter()
        .filter(|(kind, _)| *kind == TrackType::SystemVariables)
        .map(|(_, text)| String::from_utf8_lossy(text).into_owned())
        .collect();
    texts.chunks(2).map(|pair| pair[0].clone()).collect()
}

#[test]
fn every_write_brings_its_gtid_from_the_first_on_and_after_a_reset_and_another_account() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "gtid");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        let gtid = |handle: &crate::lab::Handle| {
            handle.session.gtid_of_last_reply().map(|text| String::from_utf8_lossy(text).into_owned())
        };
        let write = |handle: &mut crate::lab::Handle, when: &str| {
            handle.ok("INSERT INTO t (v) VALUES ('x')");
            let text = gtid(handle).unwrap_or_else(|| panic!("{family}: no GTID {when}"));
            let parts =
                if family == Family::MySql { text.split(':').count() == 2 } else { text.split('-').count() == 3 };
            assert!(parts, "{family}: {text}");
            text
        };
        let first = write(&mut handle, "at first");
        assert_ne!(write(&mut handle, "the second time"), first, "{family}");
        handle.ok("SELECT 1");
        assert_eq!(gtid(&handle), None, "{family}: a read has none");
        handle.ok("BEGIN");
        handle.ok("INSERT INTO t (v) VALUES ('y')");
        assert_eq!(gtid(&handle), None, "{family}: not yet");
        handle.ok("COMMIT");
        assert!(gtid(&handle).is_some(), "{family}: the commit's");
        block_on(handle.session.reset_connection()).unwrap();
        write(&mut handle, "after a reset");
        block_on(handle.session.change_user(
            harness::APP_USER.as_bytes(),
            harness::APP_PASSWORD.as_bytes(),
            Some(schema.as_bytes()),
        ))
        .unwrap();
        write(&mut handle, "after another login");
    }
}

#[test]
fn what_only_we_track_is_not_shown_until_the_program_asks() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "shown");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("INSERT INTO t (v) VALUES ('x')");
        assert_eq!(handle.session.session_changes(), [], "{family}: a write");
        handle.ok("SET SESSION group_concat_max_len = 2048");
        assert_eq!(shown(&handle), [""; 0], "{family}: not on the servers' own list");
        handle.ok("SET time_zone = '+03:00'");
        assert_eq!(shown(&handle), ["time_zone"], "{family}: on the servers' own list");
    }
}

#[test]
fn arming_costs_no_round_trip() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "arming");
        let (host, port) = addresses(cluster)[0].clone();
        let proxy = Proxy::start(&format!("{host}:{port}")).unwrap();
        let shop = Shop::new(&[(proxy.host(), proxy.port())], "");
        let mut handle = shop.connect(Some(&schema));
        // With and without the session's set-up behind the login.
        handle.ok("/*ms=master*/ SELECT 1");
        let routed = proxy.stats().round_trips;
        proxy.reset_stats();
        let mut plain = mysqlclient_ms::session::Session::new(mysqlclient_ms::options::Family::MySql);
        plain.options().tls.mode = mysqlclient_ms::options::TlsMode::Disabled;
        plain.options().get_server_public_key = true;
        let args = mysqlclient_ms::session::ConnectArgs {
            host: Some(proxy.host().into_bytes()),
            port: proxy.port(),
            user: Some(harness::APP_USER.into()),
            password: Some(harness::APP_PASSWORD.into()),
            database: Some(schema.clone().into_bytes()),
            ..Default::default()
        };
        block_on(plain.connect_plain(args, &Default::default())).unwrap();
        block_on(plain.run(b"SELECT 1")).unwrap();
        assert_eq!(routed, proxy.stats().round_trips + 1, "{family}: the question for the sql_mode, as before");
        block_on(plain.store_result(&mut Default::default())).unwrap();
        proxy.reset_stats();
        block_on(handle.session.reset_connection()).unwrap();
        assert_eq!(proxy.stats().round_trips, 1, "{family}: a reset");
    }
}

#[test]
fn a_plain_handle_is_armed_with_nothing() {
    for family in families() {
        let cluster = shared(family);
        let endpoint = cluster.endpoint(0);
        let mut plain = mysqlclient_ms::session::Session::new(mysqlclient_ms::options::Family::MariaDb);
        plain.options().tls.mode = mysqlclient_ms::options::TlsMode::Disabled;
        plain.options().get_server_public_key = true;
        let args = mysqlclient_ms::session::ConnectArgs {
            host: Some(endpoint.host.clone().into_bytes()),
            port: endpoint.port,
            user: Some(harness::APP_USER.into()),
            password: Some(harness::APP_PASSWORD.into()),
            ..Default::default()
        };
        let mark = cluster.log_mark(0).unwrap();
        block_on(plain.connect_plain(args, &Default::default())).unwrap();
        let id = plain.thread_id();
        block_on(plain.run(b"SELECT @@session_track_system_variables")).unwrap();
        let mut rows = mysqlclient_ms::result::StoredRows::default();
        block_on(plain.store_result(&mut rows)).unwrap();
        let value = rows.value(0, 0).unwrap();
        assert!(value != b"*" && !value.windows(8).any(|part| part == b"sql_mode"), "{family}");
        let log = cluster.general_log_since(0, &mark).unwrap();
        let ours: Vec<_> = log.iter().filter(|entry| entry.thread_id == id && entry.command == "Query").collect();
        assert_eq!(ours.len(), 1, "{family}: {ours:?}");
        assert_eq!(plain.gtid_of_last_reply(), None);
    }
}
