use std::time::Duration;

use super::*;
use crate::cluster::topology::Endpoint;
use crate::options::TlsMode;

#[path = "tests/filters.rs"]
mod filters;

const NODES: &str = r#""master": {"m": {"host": "192.0.2.1"}}, "slave": {"s": {"host": "192.0.2.2"}}"#;

fn ids(nodes: NodeSet) -> Vec<usize> {
    nodes.iter().map(NodeId::index).collect()
}

fn parse(text: &str) -> Loaded {
    Config::parse(text, Path::new("shop.json"), true).expect("JSON")
}

/// The mistakes of a text as `line:column path: text`.
fn problems(text: &str) -> Vec<String> {
    parse(text)
        .problems
        .iter()
        .map(|problem| {
            let at = problem.position.expect("a place");
            format!("{}:{} {}: {}", at.line, at.column, problem.path, problem.text)
        })
        .collect()
}

/// The mistakes of one key's value in a section that is otherwise right, without their places.
fn complaints(keys: &str) -> Vec<String> {
    let text = format!(r#"{{"shop": {{{NODES}, {keys}}}}}"#);
    parse(&text).problems.iter().map(|problem| format!("{}: {}", problem.path, problem.text)).collect()
}

fn section(keys: &str) -> Section {
    let mut loaded = parse(&format!(r#"{{"shop": {{{NODES}, {keys}}}}}"#));
    assert_eq!(loaded.problems, []);
    loaded.config.take_first()
}

/// The first node of `shop`, with these keys besides its host.
fn node(keys: &str) -> (Node, Vec<String>) {
    let text =
        format!(r#"{{"shop": {{"master": {{"m": {{"host": "h", {keys}}}}}, "slave": {{"r": {{"host": "x"}}}}}}}}"#);
    let mut loaded = parse(&text);
    let problems = loaded.problems.iter().map(|problem| format!("{}: {}", problem.path, problem.text)).collect();
    (loaded.config.take_first().nodes[0].clone(), problems)
}

#[test]
fn a_plain_section_has_the_safe_defaults() {
    let mut loaded = parse(&format!(r#"{{"shop": {{{NODES}}}}}"#));
    assert_eq!(loaded.problems, []);
    let section = loaded.config.take_first();
    assert_eq!(section.name, "shop");
    assert!(section.lazy_connections && !section.source_on_write && section.refused.is_none());
    assert_eq!(section.trx_stickiness, Stickiness::On);
    assert_eq!(section.failover, Failover::default());
    assert_eq!(section.filters, [FilterSpec::Random { sticky: true }]);
    assert_eq!((section.sources.len(), section.replicas.len()), (1, 1));
    let source = section.node(section.sources.nth(0).expect("one")).expect("there");
    assert_eq!((source.name.as_str(), source.host.as_str()), ("m", "192.0.2.1"));
    assert_eq!(source.endpoint(3306, Path::new("/s")), Endpoint::Tcp { host: "192.0.2.1".into(), port: 3306 });
}

#[test]
fn nodes_may_be_named_listed_or_single() {
    for nodes in [r#"{"a": {"host": "h1"}, "b": {"host": "h2"}}"#, r#"[{"host": "h1"}, {"host": "h2"}]"#] {
        let mut loaded = parse(&format!(r#"{{"shop": {{"master": {nodes}, "slave": {{"host": "h3"}}}}}}"#));
        assert_eq!(loaded.problems, []);
        let section = loaded.config.take_first();
        let hosts: Vec<_> = section.nodes.iter().map(|node| node.host.as_str()).collect();
        assert_eq!(hosts, ["h1", "h2", "h3"]);
        assert_eq!((section.sources.len(), section.replicas.len()), (2, 1));
    }
    let two_of_a_kind = r#"{"shop": {"master": [{"host": "h"}], "slave": [{"host": "r"}, {"host": "r"}]}}"#;
    assert_eq!(parse(two_of_a_kind).config.take_first().replicas.len(), 2);
}

#[test]
fn node_keys_are_read_leniently() {
    let (node, problems) = node(
        r#""port": "3307", "user": 42, "password": 4.5, "db": "d", "connect_flags": true, "socket": null,
           "ssl_mode": "VERIFY-CA", "tls_version": "TLSv1.3""#,
    );
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!((node.port, node.user.as_deref()), (Some(3307), Some(b"42".as_slice())));
    assert_eq!(node.password.expect("one").reveal(), b"4.5");
    assert_eq!((node.connect_flags, node.socket), (Some(1), None));
    assert_eq!((node.tls.mode, node.tls.version.as_deref()), (Some(TlsMode::VerifyCa), Some("TLSv1.3")));
    for (written, port) in [("3307.9", Some(3307)), ("0", None), ("\" 99 \"", Some(99)), ("3.3e3", Some(3300))] {
        let (node, problems) = self::node(&format!(r#""port": {written}"#));
        assert_eq!((node.port, problems), (port, vec![]), "{written}");
    }
}

#[test]
fn wrong_node_keys_are_refused() {
    let path = "shop.master.m";
    for (keys, expected) in [
        (r#""port": -1"#, "port: expected a port from 0 to 65535, found -1"),
        (r#""port": 65536"#, "port: expected a port from 0 to 65535, found 65536"),
        (r#""port": "abc""#, "port: expected a port from 0 to 65535, found \"abc\""),
        (r#""port": []"#, "port: expected a port from 0 to 65535, found a list"),
        (r#""socket": ["/a"]"#, "socket: expected a string, found a list"),
        (r#""password": {}"#, "password: expected a string, found an object"),
        (r#""user": []"#, "user: expected a string, found a list"),
        (r#""db": "a\u0000b""#, "db: expected a string without a NUL character"),
        (r#""connect_flags": -1"#, "connect_flags: expected flags (CLIENT_*) from 0 to 4294967295, found -1"),
        (r#""connect_flags": [1]"#, "connect_flags: expected flags (CLIENT_*) from 0 to 4294967295, found a list"),
        (
            r#""ssl_mode": "on""#,
            "ssl_mode: expected one of disabled, preferred, required, verify_ca, verify_identity, found \"on\"",
        ),
        (r#""pipelining": []"#, "pipelining: expected true or false, found a list"),
        (r#""password_file": """#, "password_file: expected a path, found an empty string"),
    ] {
        let text =
            format!(r#"{{"shop": {{"master": {{"m": {{"host": "h", {keys}}}}}, "slave": {{"r": {{"host": "x"}}}}}}}}"#);
        let mut loaded = parse(&text);
        assert_eq!(loaded.problems.len(), 1, "{keys}: {:?}", loaded.problems);
        let problem = &loaded.problems[0];
        assert_eq!(format!("{}: {}", problem.path, problem.text), format!("{path}.{expected}"));
        let refused = loaded.config.take_first().refused.expect("refused");
        let error = refused.to_error();
        assert_eq!((error.code, error.sqlstate), (2000, *b"HY000"));
        let message = String::from_utf8(error.message).expect("text");
        assert!(message.starts_with("mysqlclient-ms: shop.json:1:"), "{message}");
    }
}

#[test]
fn every_mistake_is_reported_with_its_place() {
    let text = r#"{
  "shop": {
    "master": {"m": {"port": 70000}},
    "slaves": {},
    "lazy_connections": [],
    "server_charset": "klingon",
    "failover": {"strategy": "random", "max_retries": -1, "zap": 1}
  },
  "blog": 7
}"#;
    assert_eq!(
        problems(text),
        [
            "2:11 shop: expected the key `slave`",
            "3:21 shop.master.m: expected the key `host`",
            "3:30 shop.master.m.port: expected a port from 0 to 65535, found 70000",
            "4:5 shop.slaves: unknown key `slaves`, ignored",
            "5:25 shop.lazy_connections: expected true or false, found a list",
            "6:23 shop.server_charset: expected a character set of MySQL or MariaDB, found \"klingon\"",
            "7:30 shop.failover.strategy: expected one of disabled, master, loop_before_master, found \"random\"",
            "7:55 shop.failover.max_retries: expected a number of candidates from 0 to 65535, found -1",
            "7:59 shop.failover.zap: unknown key `zap`, ignored",
            "9:11 blog: expected an object, found 7",
        ]
    );
    let config = parse(text).config;
    assert!(config.sections().iter().all(|section| section.refused.is_some()));
}

#[test]
fn unknown_keys_change_nothing() {
    let text = format!(r#"{{"shop": {{{NODES}, "_comment": "hello", "filters": {{"random": {{"zap": 1}}}}}}}}"#);
    let mut loaded = parse(&text);
    assert_eq!(loaded.problems.len(), 2);
    assert!(loaded.problems.iter().all(|problem| problem.severity == Severity::Note));
    assert_eq!(loaded.config.take_first().refused, None);
}

#[test]
fn keys_that_are_not_served_yet_refuse_connects_by_name() {
    for key in ["fabric", "xa", "pick"] {
        let text = format!(r#"{{"shop": {{{NODES}, "{key}": {{}}}}}}"#);
        let refused = parse(&text).config.take_first().refused.expect("refused");
        assert_eq!(refused.text, format!("`{key}` is not served yet by this version"));
    }
}

#[test]
fn pipelining_is_switched_off_for_a_node_or_for_all_that_do_not_say_otherwise() {
    let nodes = |master: &str, slave: &str, keys: &str| {
        let text = format!(
            r#"{{"shop": {{"master": {{"m": {{"host": "h"{master}}}}}, "slave": {{"r": {{"host": "x"{slave}}}}}{keys}}}}}"#
        );
        let section = parse(&text).config.take_first();
        assert_eq!(section.refused, None, "{text}");
        section.nodes.iter().map(|node| node.pipelining).collect::<Vec<_>>()
    };
    assert_eq!(nodes("", "", ""), [true, true]);
    assert_eq!(nodes("", r#", "pipelining": false"#, ""), [true, false]);
    assert_eq!(nodes("", "", r#", "pipelining": false"#), [false, false]);
    assert_eq!(nodes(r#", "pipelining": true"#, "", r#", "pipelining": 0"#), [true, false]);
    assert_eq!(complaints(r#""pipelining": {}"#), ["shop.pipelining: expected true or false, found an object"]);
}

#[test]
fn lag_hints_and_the_board_are_configured() {
    let section = |keys: &str| parse(&format!(r#"{{"shop": {{{NODES}, {keys}}}}}"#)).config.take_first();
    let plain = section(r#""lazy_connections": true"#);
    assert_eq!((plain.lag_settings.refresh.as_millis(), plain.lag_settings.heartbeat), (1000, None));
    assert!(!plain.hints.arguments && plain.board_dir.is_none());
    let all = section(
        r#""lag": {"refresh_ms": 200, "heartbeat": "percona.heartbeat"}, "hints": {"arguments": true}, "board_dir": "b""#,
    );
    assert_eq!(all.refused, None);
    assert_eq!(all.lag_settings.refresh.as_millis(), 200);
    assert_eq!(all.lag_settings.heartbeat.as_deref(), Some("`percona`.`heartbeat`"));
    assert!(all.hints.arguments && all.board_dir.is_some_and(|folder| folder.ends_with("b")));
    assert_eq!(section(r#""board_dir": """#).board_dir.as_deref(), Some(Path::new("")));
    assert_eq!(complaints(r#""lag": {"heartbeat": "t"}"#), [r#"shop.lag.heartbeat: expected schema.table, found "t""#]);
}

#[test]
fn a_level_is_a_word_an_object_or_the_plugins_filter() {
    use quality::{Level, OnTimeout, Scope};
    let consistency = |keys: &str| {
        let section = parse(&format!(r#"{{"shop": {{{NODES}, {keys}}}}}"#)).config.take_first();
        assert_eq!(section.refused, None, "{keys}");
        section.consistency
    };
    assert_eq!(consistency(r#""lazy_connections": true"#), quality::Consistency::default());
    assert_eq!(consistency(r#""consistency": "Eventual""#).level, Some(Level::Eventual));
    let all = consistency(
        r#""consistency": {"level": "session", "scope": "process", "wait_ms": "50", "on_timeout": "master"}"#,
    );
    assert_eq!((all.level, all.scope), (Some(Level::Session), Scope::Process));
    assert_eq!((all.wait.as_millis(), all.on_timeout), (50, OnTimeout::Source));
    let filter = |options: &str| format!(r#""filters": {{"Quality_of_service": {options}, "random": {{}}}}"#);
    assert_eq!(consistency(&filter(r#"{"strong_consistency": 1}"#)).level, Some(Level::Strong));
    assert_eq!(consistency(&filter(r#"{"session_consistency": true}"#)).level, Some(Level::Session));
    assert_eq!(consistency(&filter(r#"{"eventual_consistency": {}}"#)).level, Some(Level::Eventual));

    let path = "shop.filters.Quality_of_service";
    assert_eq!(complaints(&filter("{}")), [format!("{path}: expected a consistency level")]);
    for (first, second) in
        [("strong", "session"), ("strong", "eventual"), ("session", "eventual"), ("eventual", "strong")]
    {
        let both = filter(&format!(r#"{{"{first}_consistency": 1, "{second}_consistency": 1}}"#));
        let (kept, other) = if first == "eventual" { (second, first) } else { (first, second) };
        let text = format!("{path}.{other}_consistency: clashes with `{kept}_consistency`");
        assert_eq!(complaints(&both), [text]);
    }
    let text = format!("{path}.eventual_consistency.cache: `cache` is not served yet by this version");
    assert_eq!(complaints(&filter(r#"{"eventual_consistency": {"cache": 5}}"#)), [text]);
    let aged = consistency(&filter(r#"{"eventual_consistency": {"age": 5}}"#));
    assert_eq!((aged.level, aged.max_lag.map(|lag| lag.as_millis())), (Some(Level::Eventual), Some(5999)));
    let lag = consistency(r#""consistency": {"level": "eventual", "max_lag_ms": 250}"#).max_lag;
    assert_eq!(lag.map(|lag| lag.as_millis()), Some(250));
    let tables = |value: &str| consistency(&format!(r#""consistency": {{"tables": {value}}}"#)).tables;
    assert_eq!((tables("true"), tables("false")), (Some(Duration::from_secs(60)), None));
    assert_eq!(tables(r#"{"keep_ms": 500}"#), Some(Duration::from_millis(500)));
    assert!(consistency(r#""consistency": {"monotonic": true}"#).monotonic);
    assert_eq!(
        complaints(r#""consistency": {"level": "eventual", "monotonic": true}"#),
        ["shop.consistency.monotonic: does not go with the level eventual"]
    );
    assert_eq!(
        complaints(r#""consistency": {"tables": {"keep_ms": 1}}"#),
        ["shop.consistency.tables.keep_ms: expected milliseconds from 100 to 3600000, found 1"]
    );
    assert_eq!(
        complaints(r#""consistency": {"max_lag_ms": 250}"#),
        ["shop.consistency.max_lag_ms: goes with the level eventual"]
    );
    assert_eq!(
        complaints(&filter(r#"{"eventual_consistency": {"age": -1}}"#)),
        [format!("{path}.eventual_consistency.age: expected seconds from 0 to 31536000, found -1")]
    );
    assert_eq!(
        complaints(r#""consistency": {"wait_ms": 60001}"#),
        ["shop.consistency.wait_ms: expected milliseconds from 0 to 60000, found 60001"]
    );
}

#[test]
fn truth_is_spelt_as_in_the_plugin() {
    for (written, expected) in [
        ("true", true),
        ("1", true),
        ("\"\"", true),
        ("\"banana\"", true),
        ("false", false),
        ("0", false),
        ("0.0", false),
        ("\"0\"", false),
        ("\"OFF\"", false),
        ("\"aus\"", false),
        ("null", true),
    ] {
        assert_eq!(section(&format!(r#""lazy_connections": {written}"#)).lazy_connections, expected, "{written}");
    }
}

#[test]
fn failover_has_three_spellings() {
    let strategy = |written: &str| section(&format!(r#""failover": {written}"#)).failover;
    let source = Failover { strategy: Strategy::Source, ..Failover::default() };
    for written in [r#""master""#, r#"["Master"]"#, r#"{"strategy": "MASTER"}"#] {
        assert_eq!(strategy(written), source, "{written}");
    }
    let looped = strategy(r#"{"strategy": "loop_before_master", "remember_failed": "1"}"#);
    assert_eq!(looped, Failover { strategy: Strategy::LoopBeforeSource, max_retries: 0, remember_failed: true });
    assert_eq!(strategy(r#"{"strategy": "master", "max_retries": "3"}"#).max_retries, 3);
    for wrong in ["-1", "65536", "[]"] {
        let complaint = complaints(&format!(r#""failover": {{"max_retries": {wrong}}}"#));
        assert!(complaint[0].contains("expected a number of candidates from 0 to 65535"), "{complaint:?}");
    }
    assert_eq!(strategy("{}"), Failover::default());
    assert_eq!(complaints(r#""failover": ["master", "disabled"]"#), ["shop.failover[1]: expected one strategy"]);
}

#[test]
fn filters_form_a_chain_with_one_choice_at_its_end() {
    let filters = |written: &str| section(&format!(r#""filters": {written}"#)).filters;
    let implicit = [FilterSpec::Random { sticky: true }];
    for written in ["{}", "[]", "null"] {
        assert_eq!(filters(written), implicit, "{written}");
    }
    assert_eq!(filters(r#"{"Random": {}}"#), [FilterSpec::Random { sticky: false }]);
    assert_eq!(filters(r#"{"random": {"sticky": ""}}"#), [FilterSpec::Random { sticky: true }]);
    assert_eq!(filters(r#"["RoundRobin"]"#), [FilterSpec::RoundRobin]);
    assert_eq!(filters(r#"{"roundrobin": []}"#), [FilterSpec::RoundRobin]);
    for (written, expected) in [
        (r#"{"zap": {}}"#, "shop.filters.zap: unknown filter \"zap\""),
        (r#"{"": {}}"#, "shop.filters[\"\"]: unknown filter: its name is empty"),
        (r#"[7]"#, "shop.filters[0]: unknown filter: expected a name, found 7"),
        (r#"[{"random": {}}]"#, "shop.filters[0]: unknown filter: expected a name, found an object"),
        (r#""random""#, "shop.filters: expected an object of filters, found \"random\""),
        (
            r#"{"random": {}, "roundrobin": {}}"#,
            "shop.filters.roundrobin: `roundrobin` never runs: `random` in front of it already chooses one node",
        ),
        (
            r#"{"user": {"callback": "f"}, "roundrobin": {}}"#,
            "shop.filters.roundrobin: `roundrobin` never runs: `user` in front of it already chooses one node",
        ),
        (
            r#"{"node_groups": {"g": {"master": ["m"]}}}"#,
            "shop.filters.node_groups: `node_groups` is the last filter, and does not choose one node",
        ),
        (
            r#"{"random": {}, "user_multi": {"callback": "f"}}"#,
            "shop.filters.user_multi: `user_multi` never runs: `random` in front of it already chooses one node",
        ),
    ] {
        assert_eq!(complaints(&format!(r#""filters": {written}"#)), [expected]);
    }
    let chain =
        filters(r#"{"node_groups": {}, "table": {"rules": {}}, "user_multi": {"callback": "f"}, "fastest": {}}"#);
    let names: Vec<_> = chain.iter().map(FilterSpec::name).collect();
    assert_eq!(names, ["node_groups", "table", "user_multi", "fastest"]);
    // The same key twice keeps the last, as in PHP.
    let text = format!(r#"{{"shop": {{{NODES}, "filters": {{"random": {{}}, "random": {{"sticky": 1}}}}}}}}"#);
    assert_eq!(parse(&text).config.take_first().filters, [FilterSpec::Random { sticky: true }]);
}

#[test]
fn nodes_have_a_state_and_a_zone() {
    let text = r#"{"shop": {"master": {"m1": {"host": "a"}, "m2": {"host": "b", "state": "drain"}},
                            "slave": {"s1": {"host": "c", "zone": "east"}, "s2": {"host": "d", "state": "OFF"},
                                      "s3": {"host": "e", "zone": "west", "state": "on"}}, "zone": "west"}}"#;
    let mut loaded = parse(text);
    assert_eq!(loaded.problems, []);
    let shop = loaded.config.take_first();
    assert_eq!((ids(shop.sources), ids(shop.replicas), ids(shop.local)), (vec![0], vec![2, 4], vec![4]));
    assert_eq!(shop.role_of(shop.nodes[3].id), Role::Replica);
    assert_eq!(shop.nodes[1].state, NodeState::Drain);
    let tiers = shop.tiers(shop.replicas).map(ids);
    assert_eq!(tiers, [vec![4], vec![2], vec![]]);
    let (_, problems) = node(r#""state": "standby""#);
    assert_eq!(problems, ["shop.master.m.state: expected one of on, drain, off, found \"standby\""]);
    assert_eq!(complaints(r#""zone": "mars""#), ["shop.zone: no node is in the zone \"mars\": it prefers nothing"]);
    // Only the first source is used without multi_master, whatever its state.
    let text = r#"{"shop": {"master": [{"host": "a", "state": "off"}, {"host": "b"}], "slave": [{"host": "c"}]}}"#;
    let mut loaded = Config::parse(text, Path::new("a.json"), false).expect("JSON");
    assert_eq!(loaded.problems[0].text, "no source: every write fails with 2000");
    assert!(loaded.config.take_first().sources.is_empty());
}

#[test]
fn sections_are_found_by_name_and_by_rules() {
    let text = format!(
        r#"{{
        "byname": {{{NODES}}},
        "byuser": {{{NODES}, "match": {{"user": "app"}}}},
        "byhost": {{{NODES}, "match": [{{"host": "db.example", "port": 3307}}, {{"socket": "/run/my.sock"}}]}},
        "later": {{{NODES}, "match": {{"user": "app", "database": "x"}}}},
        "local": {{{NODES}, "match": {{"host": "localhost", "database": "shop", "port": "3306"}}}}
    }}"#
    );
    let loaded = parse(&text);
    assert_eq!(loaded.problems, []);
    let find = |call: Call<'_>| loaded.config.find(&call).map(|section| section.name.as_str());
    let host = |host| Call { host: Some(host), ..Call::default() };
    assert_eq!(find(host("byname")), Some("byname"));
    assert_eq!(find(host("ByName")), None);
    assert_eq!(find(Call { user: Some("app"), ..host("byname") }), Some("byname"));
    assert_eq!(find(Call { user: Some("app"), database: Some("x"), ..host("anything") }), Some("byuser"));
    assert_eq!(find(host("db.example")), None);
    assert_eq!(find(Call { port: 3307, ..host("db.example") }), Some("byhost"));
    assert_eq!(find(Call { socket: Some("/run/my.sock"), ..Call::default() }), Some("byhost"));
    for local in [None, Some(""), Some("localhost")] {
        let call = Call { host: local, database: Some("shop"), ..Call::default() };
        assert_eq!(find(call), Some("local"));
        assert_eq!(find(Call { port: 3307, ..call }), None);
    }
    assert_eq!(find(Call::default()), None);
}

#[test]
fn rules_that_fit_everything_are_refused() {
    let expected = "expected at least one of host, port, socket, user, database";
    assert_eq!(complaints(r#""match": {}"#), [format!("shop.match: {expected}")]);
    assert_eq!(
        complaints(r#""match": [{"user": "a"}, {"usr": "b"}]"#),
        [format!("shop.match[1]: {expected}"), "shop.match[1].usr: unknown key `usr`, ignored".into()]
    );
    assert_eq!(complaints(r#""match": {"port": 0}"#), ["shop.match.port: expected a port from 1 to 65535, found 0"]);
}

#[test]
fn the_last_of_repeated_keys_wins_and_is_noted() {
    let text = format!(r#"{{"shop": {{{NODES}}}, "shop": {{{NODES}, "master_on_write": 0, "master_on_write": 1}}}}"#);
    let mut loaded = parse(&text);
    assert_eq!(loaded.problems.len(), 2);
    assert!(loaded.problems[0].text.contains("appears twice"));
    assert_eq!(loaded.config.sections().len(), 1);
    assert!(loaded.config.take_first().source_on_write);
}

#[test]
fn tls_keys_of_the_section_hold_where_a_node_says_nothing() {
    let mut loaded = Config::parse(
        r#"{"shop": {"master": [{"host": "a"}], "slave": [{"host": "b", "ssl_ca": "own.pem", "ssl_mode": "disabled"}],
            "ssl_ca": "/abs/ca.pem", "ssl_mode": "verify_identity", "ssl_cipher": "X"}}"#,
        Path::new("/etc/ms/a.json"),
        true,
    )
    .expect("JSON");
    let nodes = loaded.config.take_first().nodes;
    assert_eq!(nodes[0].tls.ca, Some("/abs/ca.pem".into()));
    assert_eq!(nodes[0].tls.mode, Some(TlsMode::VerifyIdentity));
    assert_eq!(nodes[1].tls.ca, Some("/etc/ms/own.pem".into()));
    assert_eq!((nodes[1].tls.mode, nodes[1].tls.cipher.as_deref()), (Some(TlsMode::Disabled), Some("X")));
    assert!(loaded.problems.iter().all(|problem| problem.text.ends_with("does not exist")));
}

#[test]
fn surprising_settings_are_mentioned() {
    assert_eq!(
        complaints(r#""trx_stickiness": "disabled""#),
        ["shop.trx_stickiness: reads inside a transaction may leave its node"]
    );
    let lonely = r#"{"shop": {"master": [{"host": "localhost", "port": 3307}], "slave": []}}"#;
    assert_eq!(
        problems(lonely),
        [
            "1:52 shop.master[0].port: has no effect: `localhost` is reached through its Unix socket",
            "1:69 shop.slave: no replica, and failover is disabled: every plain read fails with 2000",
        ]
    );
    assert_eq!(parse(lonely).config.take_first().refused, None);
    let (_, problems) = node(r#""socket": "/run/a.sock""#);
    assert_eq!(problems, ["shop.master.m.socket: has no effect: h is reached by TCP"]);
    let (_, problems) = node(r#""port": "3307abc""#);
    assert_eq!(problems, ["shop.master.m.port: the text behind the number in \"3307abc\" is ignored"]);
}

#[test]
fn a_client_cannot_use_wide_character_sets() {
    assert_eq!(complaints(r#""server_charset": "utf16""#), ["shop.server_charset: utf16 cannot be used by clients"]);
    assert_eq!(section(r#""server_charset": "GBK""#).server_charset.as_deref(), Some("gbk"));
    assert_eq!(complaints(r#""server_charset": """#).len(), 1);
}

#[test]
fn too_many_nodes_are_refused() {
    let many: Vec<_> = (0..130).map(|n| format!(r#"{{"host": "h{n}"}}"#)).collect();
    let text = format!(r#"{{"shop": {{"master": [{{"host": "m"}}], "slave": [{}]}}}}"#, many.join(","));
    let mut loaded = parse(&text);
    assert_eq!(loaded.problems.len(), 1);
    assert_eq!(loaded.problems[0].path, "shop.slave[127]");
    assert!(loaded.config.take_first().refused.is_some());
}

#[test]
fn files_that_cannot_be_used_say_why() {
    let fails = |text: &str| Config::parse(text, Path::new("a.json"), true).expect_err("refused").to_string();
    assert_eq!(fails(""), "a.json: is empty (put an empty object into it: {})");
    assert_eq!(fails(" \n"), "a.json: is empty (put an empty object into it: {})");
    assert!(fails("{\n  \"a\": ").starts_with("a.json:2:7: is not valid JSON: "), "{}", fails("{\n  \"a\": "));
    assert!(fails("[]").starts_with("a.json:1:1: expected an object of sections, found a list"));
    let empty = parse("{}");
    assert!(empty.config.sections().is_empty() && empty.problems.is_empty());
    assert!(parse("\u{feff}{}").problems.is_empty());
}

#[test]
fn a_file_is_loaded_with_its_passwords() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("shop.json");
    let mode = |path: &Path, bits| std::fs::set_permissions(path, PermissionsExt::from_mode(bits)).expect("chmod");
    std::fs::write(
        &path,
        r#"{"shop": {"master": [{"host": "a", "password_file": "secret"}], "slave": [{"host": "b", "password": "x"}]}}"#,
    )
    .expect("written");
    mode(&path, 0o644);
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "geheim\r\nrest").expect("written");
    mode(&secret, 0o600);
    let mut loaded = Config::load(&path, false).expect("loaded");
    assert_eq!(loaded.problems.len(), 1);
    assert!(loaded.problems[0].to_string().contains("can be read by everybody and holds passwords"));
    assert_eq!(loaded.files().count(), 2);
    assert_eq!(loaded.config.take_first().nodes[0].password.as_ref().expect("one").reveal(), b"geheim");

    mode(&path, 0o600);
    mode(&secret, 0o666);
    let mut loaded = Config::load(&path, false).expect("loaded");
    let refused = loaded.config.take_first().refused.expect("refused");
    assert!(refused.text.contains("secret can be written by others"), "{}", refused.text);
    mode(&path, 0o666);
    let problem = Config::load(&path, false).expect_err("refused");
    assert_eq!(problem.severity, Severity::File);
    assert!(problem.text.contains("can be written by others (mode 0666)"), "{}", problem.text);
    std::fs::write(&path, b"{\"a\": \"\xff\"}").expect("written");
    mode(&path, 0o600);
    assert!(Config::load(&path, false).expect_err("refused").text.contains("not UTF-8"));
}

proptest::proptest! {
    /// Any bytes: an answer without a panic, and every mistake has its place within the text.
    #[test]
    fn any_text_is_answered(text in r#"[{}\[\],:"a-z0-9 \n\\ü.-]{0,200}"#) {
        if let Ok(loaded) = Config::parse(&text, Path::new("a.json"), true) {
            for problem in loaded.problems {
                let at = problem.position.expect("a place");
                proptest::prop_assert!(at.line as usize <= text.lines().count().max(1));
            }
        }
    }

    /// A section made of known keys with arbitrary values is read or refused, never worse.
    #[test]
    fn any_value_is_answered(
        key in proptest::sample::select(vec![
            "master", "slave", "server_charset", "lazy_connections", "failover", "master_on_write", "trx_stickiness",
            "filters", "match", "ssl_mode", "ssl_ca",
        ]),
        value in proptest::sample::select(vec![
            "null", "true", "-1", "1e400", "99999999999999999999999", "\"\"", "\"on\"", "[]", "[[]]", "[null]", "{}",
            "{\"\": {}}", "{\"host\": {}}", "{\"host\": []}", "{\"a\": {\"host\": \"h\", \"port\": 1e999}}",
        ]),
    ) {
        let text = format!("{{\"s\": {{{NODES}, \"{key}\": {value}}}}}");
        let loaded = parse(&text);
        let refuses = loaded.problems.iter().any(|problem| problem.severity == Severity::Section);
        proptest::prop_assert_eq!(loaded.config.sections()[0].refused.is_some(), refuses);
    }
}
