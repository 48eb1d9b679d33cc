//! The keys of recovery and the time limits, read from texts.

use std::path::Path;

use super::super::{Config, Loaded, Section};
use super::*;

const NODES: &str = r#""master": {"m": {"host": "192.0.2.1"}}, "slave": {"s": {"host": "192.0.2.2"}}"#;

fn parse(text: &str) -> Loaded {
    Config::parse(text, Path::new("shop.json"), true).expect("JSON")
}

fn section(keys: &str) -> Section {
    let mut loaded = parse(&format!(r#"{{"shop": {{{NODES}, {keys}}}}}"#));
    assert_eq!(loaded.problems, []);
    loaded.config.take_first()
}

fn complaints(keys: &str) -> Vec<String> {
    let text = format!(r#"{{"shop": {{{NODES}, {keys}}}}}"#);
    parse(&text).problems.iter().map(|problem| format!("{}: {}", problem.path, problem.text)).collect()
}

#[test]
fn recovery_is_configured() {
    let plain = section("\"zone\": null").recovery;
    assert_eq!(plain, Recovery::default());
    assert!(plain.retry_reads && plain.discover == Discover::File && plain.transient.is_none());
    let set = section(
        r#""retry_reads": 0, "discover": "read_only", "probe_ms": 20, "wait_for_primary_ms": 3000,
           "wait_for_primary_max": 7, "connect_budget_ms": 900,
           "transient_error": {"mysql_error_codes": [1297, "1205"], "max_retries": 3, "usleep_retry": 5}"#,
    )
    .recovery;
    let millis = std::time::Duration::from_millis;
    assert_eq!(
        set,
        Recovery {
            retry_reads: false,
            discover: Discover::ReadOnly,
            probe: millis(20),
            wait: millis(3000),
            wait_most: 7,
            transient: Some(Transient { codes: vec![1297, 1205], most: 3, pause: millis(5) }),
            budget: Some(millis(900)),
        }
    );
    let short = section(r#""transient_error": {"mysql_error_codes": [1205]}"#).recovery.transient;
    assert_eq!(short, Some(Transient { codes: vec![1205], most: 1, pause: millis(100) }));
    for (keys, expected) in [
        (
            r#""transient_error": {"mysql_error_codes": 1205}"#,
            "transient_error.mysql_error_codes: expected a list of error numbers, found 1205",
        ),
        (
            r#""transient_error": {"mysql_error_codes": [10000]}"#,
            "transient_error.mysql_error_codes[0]: expected an error number from 0 to 9999, found 10000",
        ),
        (
            r#""transient_error": {"max_retries": -1}"#,
            "transient_error.max_retries: expected a number of repeats from 0 to 65535, found -1",
        ),
        (
            r#""transient_error": {"usleep_retry": 30000001}"#,
            "transient_error.usleep_retry: expected milliseconds from 0 to 30000000, found 30000001",
        ),
        (
            r#""discover": "fabric""#,
            "discover: expected one of config, read_only, group_replication, galera, found \"fabric\"",
        ),
        (r#""probe_ms": 0"#, "probe_ms: expected milliseconds from 1 to 60000, found 0"),
        (r#""timeouts": 3"#, "timeouts: expected an object, found 3"),
    ] {
        assert_eq!(complaints(keys), [format!("shop.{expected}")]);
    }
    let loaded =
        parse(&format!(r#"{{"shop": {{{NODES}, "transient_error": {{"mysql_error_codes": [1205, 0, 1213]}}}}}}"#));
    assert_eq!(loaded.config.sections()[0].recovery.transient.as_ref().map(|t| t.codes.clone()), Some(vec![1205]));
}

#[test]
fn time_limits_of_a_node_go_over_those_of_the_section_and_under_the_programs() {
    let text = r#"{"shop": {"timeouts": {"connect": 1000, "read": 2000, "write": 0},
        "master": {"m": {"host": "h", "timeouts": {"connect": 300}}}, "slave": {"s": {"host": "x"}}}}"#;
    let mut loaded = parse(text);
    assert_eq!(loaded.problems, []);
    let section = loaded.config.take_first();
    let millis = std::time::Duration::from_millis;
    let of = |connect: u64| Timeouts { connect: Some(millis(connect)), read: Some(millis(2000)), write: None };
    assert_eq!((section.nodes[0].timeouts, section.nodes[1].timeouts), (of(300), of(1000)));
    let mut options = crate::options::Options::new(crate::options::Family::MySql);
    options.read_timeout = Some(millis(7));
    section.nodes[0].timeouts.apply(&mut options);
    assert_eq!(
        (options.connect_timeout, options.read_timeout, options.write_timeout),
        (Some(millis(300)), Some(millis(7)), None)
    );
}
