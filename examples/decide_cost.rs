//! Decides about one statement, for an instruction counter:
//!
//! ```text
//! cargo build --release --example decide_cost
//! valgrind --tool=callgrind --toggle-collect='decide_cost::decide' target/release/examples/decide_cost roundrobin
//! ```
//!
//! The argument names a chain of the table below; each decision finds its statement's class in the cache, asks whether the
//! configuration changed, and runs the chain: `ROUNDS` times. The instructions of the program are divided by that.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use mysqlclient_ms::cluster::config::{Config, Section, Store};
use mysqlclient_ms::cluster::user_filter::NoFilters;
use mysqlclient_ms::env::{Clock, SystemClock, SystemRandom};
use mysqlclient_ms::route::cache::StatementCache;
use mysqlclient_ms::route::decide::{Router, Situation, Wanted};
use mysqlclient_ms::route::filter::Asked;
use mysqlclient_ms::route::{ClassifyConfig, LexContext};

const ROUNDS: usize = 1000;

const CHAINS: &[(&str, &str)] = &[
    ("sticky", r#""filters": {}"#),
    ("random", r#""filters": {"random": {}}"#),
    ("weighted", r#""filters": {"random": {"weights": {"m": 1, "s1": 1, "s2": 2, "s3": 3}}}"#),
    ("roundrobin", r#""filters": {"roundrobin": {}}"#),
    ("turns", r#""filters": {"roundrobin": {"weights": {"m": 1, "s1": 1, "s2": 2, "s3": 3}}}"#),
    ("least_in_flight", r#""filters": {"least_in_flight": {}}"#),
    ("fastest", r#""filters": {"fastest": {}}"#),
    ("groups", r#""filters": {"node_groups": {"A": {"master": ["m"], "slave": ["s1"]}}, "roundrobin": {}}"#),
    (
        "table",
        r#""filters": {"table": {"rules": {"log.%": {"master": ["m"]}, "shop.%": {"master": ["m"], "slave": ["s2", "s3"]}}},
                       "roundrobin": {}}"#,
    ),
];

const SQL: &[u8] = b"SELECT p.id, p.title, p.slug, u.name AS author FROM posts p JOIN users u ON u.id = p.author_id \
     WHERE p.status = 'published' AND p.created_at < '2024-05-01 10:00:00' ORDER BY p.created_at DESC LIMIT 20";

struct Handle<'s> {
    section: &'s Section,
    store: &'s Store,
    router: Router,
    cache: StatementCache,
    random: SystemRandom,
    context: LexContext,
    classify: ClassifyConfig,
}

#[inline(never)]
fn decide(handle: &mut Handle<'_>, held: &mysqlclient_ms::cluster::config::Snapshot) -> usize {
    let now = SystemClock.now();
    let changed = handle.store.may_have_changed(held, now);
    let statement = handle.cache.classify(black_box(SQL), &handle.context, &handle.classify);
    let (wanted, hinted) = Wanted::by(&statement, false);
    let situation = Situation {
        hinted,
        asked: Some(Asked { sql: SQL, statement: &statement, schema: b"shop" }),
        now_ms: now.as_millis() as u64,
        ..Situation::new(wanted)
    };
    let decision = handle.router.decide(handle.section, &situation, &mut handle.random);
    let Ok(decision) = black_box(decision) else { return 0 };
    drop(handle.section.balance.sent(decision.node, Some(now)));
    decision.node.index() + usize::from(changed)
}

fn main() {
    let name = std::env::args().nth(1).unwrap_or_else(|| "roundrobin".into());
    let Some((_, keys)) = CHAINS.iter().find(|(chain, _)| *chain == name) else {
        println!("no such chain");
        return;
    };
    let nodes =
        r#""master": {"m": {"host": "a"}}, "slave": {"s1": {"host": "b"}, "s2": {"host": "c"}, "s3": {"host": "d"}}"#;
    let text = format!(r#"{{"shop": {{{nodes}, {keys}}}}}"#);
    let loaded = Config::parse(&text, Path::new("shop.json"), false).expect("JSON");
    let section = loaded.config.section("shop").expect("there");
    let store = Store::new("/nonexistent/shop.json", false);
    let held = store.current(Duration::from_secs(1_000_000));
    let router = Router::with_functions(section, &NoFilters).expect("no library");
    let mut handle = Handle {
        section,
        store: &store,
        router,
        cache: StatementCache::default(),
        random: SystemRandom::new(),
        context: LexContext::default(),
        classify: ClassifyConfig::default(),
    };
    let mut sum = 0;
    for _ in 0..ROUNDS {
        sum += decide(&mut handle, &held);
    }
    println!("{name}: {sum}");
}
