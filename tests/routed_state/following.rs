//! The record: what a program sets once is there on every node, at the price that the prelude rule names.

use harness::{Cluster, Family, Proxy, Spec, families, shared};
use mysqlclient_ms::conn::driver::block_on;

use super::{ROUND_ROBIN, database};
use crate::lab::{Handle, Shop, addresses};

/// The value of an expression on the source and on both replicas.
pub fn everywhere(handle: &mut Handle, expression: &str) -> Vec<String> {
    let mut found = vec![(0, handle.value(&format!("/*ms=master*/ SELECT {expression} FROM DUAL")))];
    assert_eq!(handle.node(), 0, "{expression}");
    for _ in 0..2 {
        let value = handle.value(&format!("SELECT {expression} FROM DUAL"));
        found.push((handle.node(), value));
    }
    found.sort();
    let nodes: Vec<usize> = found.iter().map(|(node, _)| *node).collect();
    assert_eq!(nodes, [0, 1, 2], "{expression}: {}", handle.decision());
    found.into_iter().map(|(_, value)| value).collect()
}

#[test]
fn every_session_variable_with_a_known_value_is_there_on_every_node() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "following");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        let isolation = if family == Family::MySql { "@@transaction_isolation" } else { "@@tx_isolation" };
        let read_only = if family == Family::MySql { "@@transaction_read_only" } else { "@@tx_read_only" };
        for (set, expression, value) in [
            ("SET time_zone = '+03:00'", "@@time_zone", "+03:00"),
            ("SET SESSION sql_mode = 'ANSI_QUOTES,NO_ZERO_DATE'", "@@sql_mode", "ANSI_QUOTES,NO_ZERO_DATE"),
            ("SET @@session.group_concat_max_len = 2048", "@@group_concat_max_len", "2048"),
            ("SET LOCAL sql_safe_updates = ON", "@@sql_safe_updates", "1"),
            ("SET lc_time_names = 'de_DE', div_precision_increment = 6", "@@lc_time_names", "de_DE"),
            ("SELECT 1 FROM DUAL", "1 / 3", "0.333333"),
            ("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY", isolation, "READ-COMMITTED"),
            ("SELECT 1 FROM DUAL", read_only, "1"),
            ("SET SESSION TRANSACTION READ WRITE", read_only, "0"),
            ("SET NAMES latin1", "@@character_set_client", "latin1"),
            ("SET character_set_results = NULL", "@@character_set_results IS NULL", "1"),
            ("SET NAMES utf8mb4 COLLATE utf8mb4_bin", "@@collation_connection", "utf8mb4_bin"),
            ("SELECT 1 FROM DUAL", "@@character_set_results", "utf8mb4"),
            ("SET @x = 41, @`a b` = 'it''s', @n = NULL", "@x + 1", "42"),
            ("SELECT 1 FROM DUAL", "@`a b`", "it's"),
            ("SELECT 1 FROM DUAL", "@n", "NULL"),
            ("SET @X = 5", "@x", "5"),
            ("SET @u = 'Grün'", "HEX(@u)", "4772C3BC6E"),
            ("SET TIMESTAMP = 86400", "UNIX_TIMESTAMP()", "86400"),
            ("SET time_zone = DEFAULT", "@@time_zone", "SYSTEM"),
        ] {
            handle.ok(set);
            assert_eq!(everywhere(&mut handle, expression), [value; 3], "{family}: {set}");
        }
        handle.ok("SET TIMESTAMP = DEFAULT");
        assert_eq!(everywhere(&mut handle, "UNIX_TIMESTAMP() > 86400"), ["1"; 3], "{family}");
        // And is forgotten with the session.
        block_on(handle.session.reset_connection()).unwrap();
        assert_eq!(everywhere(&mut handle, "@x"), ["NULL"; 3], "{family}");
        assert_ne!(everywhere(&mut handle, "@@group_concat_max_len"), ["2048"; 3], "{family}");
        assert_ne!(everywhere(&mut handle, "@@sql_mode"), ["ANSI_QUOTES,NO_ZERO_DATE"; 3], "{family}");
    }
}

#[test]
fn a_value_that_only_the_server_knows_is_learned_from_its_report() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "learned");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("SET sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES')");
        assert_eq!(everywhere(&mut handle, "FIND_IN_SET('ANSI_QUOTES', @@sql_mode) > 0"), ["1"; 3], "{family}");
        handle.ok("SET time_zone = CONCAT('+0', 4, ':00')");
        assert_eq!(everywhere(&mut handle, "@@time_zone"), ["+04:00"; 3], "{family}");
        // The mode is known to the reader of texts: this is a column, which a string is not.
        handle.ok("INSERT INTO t (v) VALUES ('a')");
        cluster.wait_in_step().unwrap();
        assert_eq!(handle.value("SELECT \"v\" FROM t"), "a", "{family}");
        assert_ne!(handle.node(), 0, "{family}: {}", handle.decision());
        // A procedure's SET is followed too, as far as what it did is known at all.
        let mut handle = shop.connect(Some(&schema));
        cluster.sql(0, &format!("CREATE PROCEDURE {schema}.sets() SET SESSION group_concat_max_len = 3000")).unwrap();
        handle.ok("CALL sets()");
        assert_eq!(handle.value("SELECT @@group_concat_max_len FROM DUAL"), "3000", "{family}");
        assert_eq!(handle.node(), 0, "{family}: a procedure binds");
    }
}

#[test]
fn state_costs_no_round_trip_ahead_of_a_read_one_ahead_of_anything_else_and_none_when_nothing_differs() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "trips");
        let at = addresses(cluster);
        let proxies: Vec<Proxy> =
            at.iter().take(2).map(|(host, port)| Proxy::start(&format!("{host}:{port}")).unwrap()).collect();
        let through: Vec<_> = proxies.iter().map(|proxy| (proxy.host(), proxy.port())).collect();
        let shop = Shop::new(&through, ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("INSERT INTO t (v) VALUES ('a')");
        handle.ok("SELECT COUNT(*) FROM t");
        let trips = |handle: &mut Handle, sql: &str| {
            for proxy in &proxies {
                proxy.reset_stats();
            }
            handle.ok(sql);
            let stats = [proxies[0].stats(), proxies[1].stats()];
            (stats[0].round_trips, stats[1].round_trips, stats[1].bytes_up)
        };
        let (_, _, unchanged) = trips(&mut handle, "SELECT COUNT(*) FROM t");
        let set = trips(&mut handle, "SET time_zone = '+03:00', @x = 7, NAMES latin1, sql_safe_updates = 1");
        assert_eq!((set.0, set.1), (1, 0), "{family}: SET runs once, on the source");
        let with_state = trips(&mut handle, "SELECT COUNT(*) FROM t");
        assert_eq!((with_state.0, with_state.1), (0, 1), "{family}: all of it with the read");
        assert!(with_state.2 > unchanged, "{family}");
        let again = trips(&mut handle, "SELECT COUNT(*) FROM t");
        assert_eq!(again, (0, 1, unchanged), "{family}: not a byte more");
        assert_eq!(trips(&mut handle, "INSERT INTO t (v) VALUES ('b')").0, 1, "{family}: a switch of nodes");
        assert_eq!(trips(&mut handle, "SELECT COUNT(*) FROM t"), (0, 1, unchanged), "{family}: and back");
        handle.ok("SET time_zone = '+03:00'");
        assert_eq!(trips(&mut handle, "SELECT COUNT(*) FROM t"), (0, 1, unchanged), "{family}: the same value again");
        // Ahead of a statement that is no read the reply is awaited: a READ ONLY transaction on the replica.
        handle.ok("SET @x = 8");
        assert_eq!(trips(&mut handle, "START TRANSACTION READ ONLY").1, 2, "{family}");
        assert_eq!(handle.value("SELECT @x"), "8", "{family}");
        handle.ok("COMMIT");
        assert_eq!(trips(&mut handle, "START TRANSACTION READ ONLY").1, 1, "{family}: nothing differs");
        handle.ok("COMMIT");
    }
}

#[test]
fn state_is_set_once_per_node_and_in_one_statement() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "once");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        let marks: Vec<_> = cluster.nodes().map(|n| cluster.log_mark(n).unwrap()).collect();
        handle.ok("SET @once = 4711");
        handle.ok("SET time_zone = '+01:00'");
        handle.ok("SET NAMES latin1");
        for _ in 0..6 {
            handle.ok("SELECT @once FROM t");
        }
        for n in cluster.nodes() {
            let log = cluster.general_log_since(n, &marks[n]).unwrap();
            let ours: Vec<&str> =
                log.iter().map(|entry| &entry.argument[..]).filter(|text| text.contains("4711")).collect();
            assert_eq!(ours.len(), 1, "{family}: node {n}: {ours:?}");
            if n != 0 {
                assert!(ours[0].contains("time_zone") && ours[0].contains("latin1"), "{family}: {ours:?}");
            }
        }
    }
}

#[test]
fn a_role_follows() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "role");
        let any = if family == Family::MySql { "'@'%" } else { "" };
        for statement in [
            format!("DROP ROLE IF EXISTS 'state_reader{any}'"),
            format!("CREATE ROLE 'state_reader{any}'"),
            format!("GRANT SELECT ON {schema}.* TO 'state_reader{any}'"),
            format!("GRANT 'state_reader{any}' TO '{}'@'%'", harness::APP_USER),
        ] {
            cluster.sql(0, &statement).unwrap();
        }
        cluster.wait_in_step().unwrap();
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("SELECT 1 FROM t");
        handle.ok("SET ROLE state_reader");
        let mut seen = Vec::new();
        for _ in 0..2 {
            let role = handle.value("SELECT CURRENT_ROLE() FROM DUAL");
            assert!(role.contains("state_reader"), "{family}: {role}");
            seen.push(handle.node());
        }
        handle.ok("SELECT 1 FROM t");
        assert_ne!(handle.node(), 0, "{family}: a role does not bind");
        handle.ok("SET ROLE NONE");
        for _ in 0..3 {
            handle.ok("SELECT 1 FROM t");
            assert_ne!(handle.node(), 0, "{family}");
        }
    }
}

#[test]
fn a_node_that_refuses_the_state_is_taken_out_for_this_handle() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 2)).unwrap();
        cluster.sql(0, "CREATE TABLE test.t (v INT)").unwrap();
        cluster.wait_in_step().unwrap();
        let shop = Shop::new(&addresses(&cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some("test"));
        // A time zone by name that only the source and the second replica know.
        if family == Family::MySql {
            cluster.sql(2, "SET GLOBAL super_read_only = 0").unwrap();
        }
        for node in [0, 2] {
            cluster
                .sql(
                    node,
                    "SET sql_log_bin = 0; INSERT INTO mysql.time_zone (Time_zone_id, Use_leap_seconds) VALUES (77, 'N'); \
                     INSERT INTO mysql.time_zone_name (Name, Time_zone_id) VALUES ('Test/State', 77); \
                     INSERT INTO mysql.time_zone_transition_type \
                     (Time_zone_id, Transition_type_id, `Offset`, Is_DST, Abbreviation) VALUES (77, 0, 3600, 0, 'TST')",
                )
                .unwrap();
        }
        if family == Family::MySql {
            cluster.sql(2, "SET GLOBAL super_read_only = 1").unwrap();
        }
        for _ in 0..2 {
            handle.ok("SELECT COUNT(*) FROM t");
        }
        handle.ok("SET time_zone = 'Test/State'");
        for _ in 0..4 {
            assert_eq!(
                handle.value("SELECT @@time_zone FROM t RIGHT JOIN (SELECT 1 AS a) AS b ON 1"),
                "Test/State",
                "{family}"
            );
            assert_eq!(handle.node(), 2, "{family}: {}", handle.decision());
        }
        // Another state is another question.
        handle.ok("SET time_zone = '+00:00'");
        let mut nodes: Vec<usize> = (0..2)
            .map(|_| {
                handle.ok("SELECT COUNT(*) FROM t");
                handle.node()
            })
            .collect();
        nodes.sort_unstable();
        assert_eq!(nodes, [1, 2], "{family}");
        // A handle whose read comes first: nobody is open.
        let mut fresh = shop.connect(Some("test"));
        fresh.ok("SET time_zone = 'Test/State'");
        for _ in 0..4 {
            fresh.ok("SELECT COUNT(*) FROM t");
            assert_eq!(fresh.node(), 2, "{family}");
        }
        // Without the second replica the source reads.
        let two = &addresses(&cluster)[..2];
        let shop = Shop::new(two, r#""failover": {"strategy": "disabled"}"#);
        let mut handle = shop.connect(Some("test"));
        handle.ok("SET time_zone = 'Test/State'");
        for _ in 0..2 {
            handle.ok("SELECT COUNT(*) FROM t");
            assert_eq!(handle.node(), 0, "{family}");
        }
    }
}

#[test]
fn a_character_set_keeps_strings_of_user_variables_on_their_node() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "strings");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("SET NAMES utf8mb4");
        handle.ok("SET @s = 'Grün', @n = 5");
        assert_eq!(everywhere(&mut handle, "HEX(@s)"), ["4772C3BC6E"; 3], "{family}");
        handle.ok("SET NAMES latin1");
        // Set again under latin1 it would be other characters, of another collation.
        assert_eq!(handle.value("SELECT CONCAT(HEX(@s), CHARSET(@s)) FROM DUAL"), "4772C3BC6Eutf8mb4", "{family}");
        assert_eq!(handle.node(), 0, "{family}: bound");
        handle.ok("SET @s = 'plain'");
        assert_eq!(everywhere(&mut handle, "@s"), ["plain"; 3], "{family}: known again");
        assert_eq!(everywhere(&mut handle, "@n"), ["5"; 3], "{family}");
    }
}

/// What a session looks like, as far as it can be asked.
const LOOKS: [&str; 14] = [
    "@@time_zone",
    "@@sql_mode",
    "@@group_concat_max_len",
    "@@character_set_client",
    "IFNULL(@@character_set_results, '-')",
    "@@character_set_connection",
    "@@collation_connection",
    "@@sql_safe_updates",
    "1 / 3",
    "DATE_FORMAT('2026-11-30', '%M')",
    "CONCAT_WS(' ', HEX(@x), CHARSET(@x), COLLATION(@x))",
    "CONCAT_WS(' ', HEX(@y), CHARSET(@y))",
    "HEX(@z)",
    "DATABASE()",
];

#[test]
fn any_sequence_of_settings_looks_everywhere_as_on_one_connection() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "sequence");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let isolation = if family == Family::MySql { "@@transaction_isolation" } else { "@@tx_isolation" };
        let use_schema = format!("USE {schema}");
        let settings = [
            "SET time_zone = '+03:00'",
            "SET time_zone = DEFAULT",
            "SET time_zone = CONCAT('+0', 1 + 1, ':00')",
            "SET NAMES latin1",
            "SET NAMES utf8mb4",
            "SET NAMES utf8mb4 COLLATE utf8mb4_bin, @y = 9",
            "SET CHARACTER SET latin1",
            "SET character_set_results = NULL",
            "SET character_set_results = utf8mb4",
            "SET collation_connection = utf8mb4_unicode_ci",
            "SET character_set_connection = latin1",
            "SET sql_mode = 'ANSI_QUOTES'",
            "SET sql_mode = ''",
            "SET sql_mode = CONCAT(@@sql_mode, ',NO_BACKSLASH_ESCAPES')",
            "SET sql_mode = DEFAULT",
            "SET @x = 'a', @y = 5",
            "SET @x = 'Grün'",
            "SET @x = @y",
            "SELECT @y := COALESCE(@y, 0) + 1",
            "SET @y = NULL",
            "SET @z = 'it''s', @`Y` = -1.50",
            "SET @x = 0x41, @z = 'back\\slash'",
            "SET group_concat_max_len = 2048, @y = 7",
            "SET SESSION group_concat_max_len = DEFAULT",
            "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
            "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
            "USE test",
            &use_schema,
            "SET lc_time_names = 'de_DE'",
            "SET lc_time_names = DEFAULT",
            "SET sql_safe_updates = 1, div_precision_increment = 6",
            "SET @@sql_safe_updates = 0",
            "SET autocommit = 0",
            "SET autocommit = 1",
            "COMMIT",
        ];
        let mut reached = [0; 3];
        for seed in 1..=12_u64 {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut draw = |count: usize| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state % count as u64) as usize
            };
            let mut routed = shop.connect(Some(&schema));
            // Everything on one node: the same library without choice.
            let one = Shop::new(&addresses(cluster)[..1], r#""failover": {"strategy": "master"}"#);
            let mut alone = one.connect(Some(&schema));
            let mut done = Vec::new();
            for _ in 0..40 {
                let sql = settings[draw(settings.len())];
                let (a, b) = (alone.run(sql), routed.run(sql));
                assert_eq!(a.is_ok(), b.is_ok(), "{family}, seed {seed}: {sql} behind {done:?}: {a:?} {b:?}");
                done.push(sql);
                if draw(3) == 0 {
                    for look in LOOKS.iter().chain([&isolation]) {
                        let question = format!("SELECT {look} FROM DUAL");
                        let (a, b) = (alone.value(&question), routed.value(&question));
                        reached[routed.node()] += 1;
                        assert_eq!(a, b, "{family}, seed {seed}, node {}: {look} behind {done:?}", routed.node());
                    }
                }
            }
        }
        assert!(reached.iter().all(|count| *count > 100), "{family}: {reached:?}");
    }
}

#[test]
fn the_program_has_its_own_tracking_and_we_have_ours() {
    use mysqlclient_ms::session::TrackType;
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "tracking");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        let names = |handle: &Handle| -> Vec<String> {
            let texts: Vec<_> = handle.session.session_changes();
            let variables: Vec<_> = texts.iter().filter(|(kind, _)| *kind == TrackType::SystemVariables).collect();
            variables.chunks(2).map(|pair| String::from_utf8_lossy(pair[0].1).into_owned()).collect()
        };
        handle.ok("SET SESSION session_track_system_variables = 'group_concat_max_len'");
        handle.ok("SET SESSION group_concat_max_len = 2048");
        assert_eq!(names(&handle), ["group_concat_max_len"], "{family}: asked for");
        handle.ok("SET time_zone = '+05:00'");
        assert_eq!(names(&handle), [""; 0], "{family}: not any more");
        handle.ok("SET time_zone = CONCAT('+0', 6, ':00')");
        assert_eq!(everywhere(&mut handle, "@@time_zone"), ["+06:00"; 3], "{family}: ours goes on");
        handle.ok("INSERT INTO t (v) VALUES ('a')");
        assert!(handle.session.gtid_of_last_reply().is_some(), "{family}");
        // Programs append to what they find.
        let mut other = shop.connect(Some(&schema));
        other.ok(
            "SET SESSION session_track_system_variables = CONCAT(@@session_track_system_variables, ',group_concat_max_len')",
        );
        other.ok("SET SESSION group_concat_max_len = 2048");
        assert_eq!(names(&other), ["group_concat_max_len"], "{family}: appended");
        other.ok("SET time_zone = '+05:00'");
        assert_eq!(names(&other), ["time_zone"], "{family}: from the servers' list");
        other.ok("SET SESSION div_precision_increment = 5");
        assert_eq!(names(&other), [""; 0], "{family}: in nobody's list");
        if family == Family::MySql {
            let gtids = |handle: &Handle| {
                handle.session.session_changes().iter().filter(|(kind, _)| *kind == TrackType::Gtids).count()
            };
            assert_eq!(gtids(&handle), 0, "not asked for");
            handle.ok("SET SESSION session_track_gtids = OWN_GTID");
            handle.ok("INSERT INTO t (v) VALUES ('a')");
            assert_eq!(gtids(&handle), 1, "asked for");
            handle.ok("SET SESSION session_track_gtids = OFF");
            handle.ok("INSERT INTO t (v) VALUES ('a')");
            assert_eq!(gtids(&handle), 0, "switched off");
            assert!(handle.session.gtid_of_last_reply().is_some(), "ours goes on");
        }
    }
}

#[test]
fn a_collation_beside_the_default_character_set_follows() {
    let cluster = shared(Family::MariaDb);
    let schema = database(cluster, "default_collation");
    let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
    let mut handle = shop.connect(Some(&schema));
    let client = handle.value("SELECT @@character_set_client FROM DUAL");
    let collation = handle.value("SELECT CONCAT(@@character_set_client, '_bin') FROM DUAL");
    if handle.run(&format!("SET NAMES DEFAULT COLLATE {collation}")).is_err() {
        // MariaDB before 10.11.3 has no such thing, nor does the default fit the session's everywhere.
        handle.ok(&format!("SET NAMES {client} COLLATE {collation}"));
    }
    let wanted = handle.value("/*ms=master*/ SELECT @@collation_connection FROM DUAL");
    assert_eq!(everywhere(&mut handle, "@@collation_connection"), [wanted.as_str(); 3]);
}

#[test]
fn the_same_value_again_takes_back_what_was_set_in_between() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "same_again");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        // Asked of the node that the read before it went to.
        let on_replicas = |handle: &mut Handle| {
            [(); 2].map(|()| {
                handle.ok("SELECT 1 FROM DUAL");
                let value = handle.value("SELECT @@sql_big_selects");
                assert_ne!(handle.node(), 0, "{family}: {}", handle.decision());
                value
            })
        };
        for (set, value) in [("max_join_size = 2", "0"), ("sql_big_selects = 1", "1"), ("max_join_size = 2", "0")] {
            handle.ok(&format!("SET {set}"));
            assert_eq!(on_replicas(&mut handle), [value; 2], "{family}: {set}");
        }
    }
}

#[test]
fn a_default_schema_that_was_dropped_is_none_on_every_node() {
    for family in families() {
        let cluster = shared(family);
        database(cluster, "dropped");
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some("test_state_dropped"));
        assert_eq!(everywhere(&mut handle, "DATABASE()"), ["test_state_dropped"; 3], "{family}");
        handle.ok("DROP DATABASE test_state_dropped");
        cluster.wait_in_step().unwrap();
        assert_eq!(everywhere(&mut handle, "DATABASE()"), ["NULL"; 3], "{family}");
        for _ in 0..2 {
            assert_eq!(handle.code("SELECT COUNT(*) FROM t"), 1046, "{family}: no database selected");
        }
        handle.ok("USE test");
        assert_eq!(everywhere(&mut handle, "DATABASE()"), ["test"; 3], "{family}");
    }
}

#[test]
fn variables_that_a_trigger_may_have_set_are_read_where_it_ran() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "trigger");
        let text = format!("CREATE TRIGGER {schema}.tells AFTER INSERT ON {schema}.t FOR EACH ROW SET @told = NEW.v");
        cluster.sql(0, &text).unwrap();
        cluster.wait_in_step().unwrap();
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        handle.ok("SET @told = 'nothing', @other = 7");
        assert_eq!(everywhere(&mut handle, "@told"), ["nothing"; 3], "{family}: nothing was written");
        handle.ok("INSERT INTO t (v) VALUES ('first')");
        for _ in 0..3 {
            assert_eq!(handle.value("SELECT @told FROM DUAL"), "first", "{family}: {}", handle.decision());
        }
        handle.ok("INSERT INTO t (v) VALUES ('second')");
        assert_eq!(handle.value("SELECT @told FROM DUAL"), "second", "{family}");
        // Other reads go on where they went.
        handle.ok("SELECT COUNT(*) FROM t");
        assert_ne!(handle.node(), 0, "{family}: {}", handle.decision());
    }
}

#[test]
fn a_read_that_a_replica_refuses_because_it_writes_after_all_goes_to_the_source() {
    for family in families() {
        let cluster = shared(family);
        let schema = database(cluster, "view_writes");
        let app = format!("'{}'@'%'", harness::APP_USER);
        for text in [
            format!(
                "CREATE DEFINER={app} FUNCTION {schema}.adds() RETURNS INT DETERMINISTIC MODIFIES SQL DATA \
                 BEGIN INSERT INTO t (v) VALUES ('by function'); RETURN 5; END"
            ),
            format!("CREATE DEFINER={app} VIEW {schema}.looks_plain AS SELECT {schema}.adds() AS n"),
        ] {
            cluster.sql(0, &text).unwrap();
        }
        cluster.wait_in_step().unwrap();
        let shop = Shop::new(&addresses(cluster), ROUND_ROBIN);
        let mut handle = shop.connect(Some(&schema));
        for count in 1..4 {
            assert_eq!(handle.value("SELECT n FROM looks_plain"), "5", "{family}");
            assert_eq!(handle.node(), 0, "{family}: {}", handle.decision());
            assert_eq!(handle.value("/*ms=master*/ SELECT COUNT(*) FROM t"), count.to_string(), "{family}: once each");
        }
    }
}
