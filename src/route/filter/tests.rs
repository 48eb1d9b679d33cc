//! Whole chains: configuration and statements in, nodes out.

use std::path::Path;
use std::sync::{Arc, Mutex};

use super::Asked;
use crate::cluster::config::{Config, Section};
use crate::cluster::topology::{NodeId, NodeSet};
use crate::cluster::user_filter::{Question, UserFilter, UserFilters};
use crate::env::fixed::Script;
use crate::env::{Random, SystemRandom};
use crate::route::decide::{Freshness, Router, Situation, Wanted};
use crate::route::{Class, ClassifyConfig, LexContext, classify};

/// Sources m1, m2 (node0, node1) and replicas s1 to s3 (node2 to node4).
fn section(keys: &str) -> Section {
    section_of(
        r#""master": {"m1": {"host": "a"}, "m2": {"host": "b"}},
           "slave": {"s1": {"host": "c"}, "s2": {"host": "d"}, "s3": {"host": "e"}}"#,
        keys,
    )
}

fn section_of(nodes: &str, keys: &str) -> Section {
    let text = format!(r#"{{"shop": {{{nodes}, {keys}}}}}"#);
    let mut loaded = Config::parse(&text, Path::new("a.json"), true).expect("JSON");
    let section = loaded.config.take_first();
    assert_eq!(section.refused, None);
    section
}

fn id(index: usize) -> NodeId {
    NodeId::new(index).expect("small")
}

fn set(nodes: &[usize]) -> NodeSet {
    nodes.iter().map(|index| id(*index)).collect()
}

/// A handle that runs statements in the schema `shop`.
struct Handle<'s> {
    section: &'s Section,
    router: Router,
    random: Box<dyn Random>,
    failed: NodeSet,
    freshness: Freshness,
    now_ms: u64,
}

impl<'s> Handle<'s> {
    fn new(section: &'s Section) -> Self {
        Handle::with(section, Router::new(section), Box::new(Script::new(&[0])))
    }

    fn with(section: &'s Section, router: Router, random: Box<dyn Random>) -> Self {
        Handle { section, router, random, failed: NodeSet::EMPTY, freshness: Freshness::Any, now_ms: 0 }
    }

    /// `node fallbacks`, or why not.
    fn run(&mut self, sql: &str) -> String {
        let sql = sql.as_bytes();
        let statement = classify(sql, &LexContext::default(), &ClassifyConfig::default());
        let wanted = if statement.class == Class::Read { Wanted::AnyReplica } else { Wanted::Source };
        let situation = Situation {
            failed: self.failed,
            freshness: self.freshness,
            asked: Some(Asked { sql, statement: &statement, schema: b"shop" }),
            now_ms: self.now_ms,
            last_used: Some(id(3)),
            ..Situation::new(wanted)
        };
        match self.router.decide(self.section, &situation, &mut *self.random) {
            Ok(decision) => {
                let nodes = std::iter::once(decision.node).chain(self.router.fallbacks());
                nodes.map(|node| node.index().to_string()).collect::<Vec<_>>().join(" ")
            }
            Err(refusal) => refusal.text().to_owned(),
        }
    }

    fn runs(&mut self, count: usize, sql: &str) -> String {
        (0..count).map(|_| self.run(sql)).collect::<Vec<_>>().join(" ")
    }
}

const READ: &str = "SELECT 1";
const WRITE: &str = "DELETE FROM t";

#[test]
fn round_robin_goes_on_over_all_handles_of_the_process() {
    let shop = section(r#""filters": {"roundrobin": {}}"#);
    let one_statement = |sql| Handle::new(&shop).run(sql);
    let nodes: Vec<_> = (0..4).map(|_| one_statement(READ)).collect();
    assert_eq!(nodes, ["2", "3", "4", "2"]);
    assert_eq!([one_statement(WRITE), one_statement(WRITE), one_statement(READ)], ["0", "1", "3"]);
}

#[test]
fn weighted_round_robin_keeps_the_ratio_for_each_kind() {
    let weights = r#"{"m1": 2, "m2": 1, "s1": 4, "s2": 1, "s3": 0}"#;
    let shop = section(&format!(r#""filters": {{"roundrobin": {{"weights": {weights}}}}}"#));
    let mut handle = Handle::new(&shop);
    assert_eq!(handle.runs(10, READ), "2 2 3 2 2 2 2 3 2 2");
    assert_eq!(handle.runs(6, WRITE), "0 1 0 0 1 0");
}

#[test]
fn weighted_random_follows_the_weights_and_draws_once_when_sticky() {
    let weights = r#""weights": {"m1": 1, "m2": 3, "s1": 1, "s2": 2, "s3": 0}"#;
    let shop = section(&format!(r#""filters": {{"random": {{{weights}}}}}"#));
    let mut handle = Handle::with(&shop, Router::new(&shop), Box::new(SystemRandom::new()));
    let mut seen = [0; 5];
    for _ in 0..6000 {
        seen[handle.run(READ).parse::<usize>().expect("a node")] += 1;
        seen[handle.run(WRITE).parse::<usize>().expect("a node")] += 1;
    }
    assert!((1300..1700).contains(&seen[0]) && (4300..4700).contains(&seen[1]), "{seen:?}");
    assert!((1800..2200).contains(&seen[2]) && (3800..4200).contains(&seen[3]) && seen[4] == 0, "{seen:?}");

    let shop = section(&format!(r#""filters": {{"random": {{"sticky": 1, {weights}}}}}"#));
    for draw in 0..4 {
        let mut handle = Handle::with(&shop, Router::new(&shop), Box::new(Script::new(&[draw])));
        let first = handle.run(READ);
        // Of 1 : 2 the draws 0, 1, 2 and again 0.
        assert_eq!(first, ["2", "3", "3", "2"][draw]);
        assert!((0..50).all(|_| handle.run(READ) == first));
    }
}

#[test]
fn a_node_of_weight_0_is_used_when_no_other_is_left() {
    let weights = r#"{"m1": 1, "m2": 0, "s1": 1, "s2": 0, "s3": 0}"#;
    for filter in ["random", "roundrobin"] {
        let keys =
            |failover: &str| format!(r#""filters": {{"{filter}": {{"weights": {weights}}}}}, "failover": {failover}"#);
        let shop = section(&keys(r#"{"strategy": "loop_before_master", "remember_failed": true}"#));
        let mut handle = Handle::new(&shop);
        // In the order of failover they come last of their kind, too.
        assert_eq!(handle.run(READ), "2 3 4 0 1", "{filter}");
        assert_eq!(handle.run(WRITE), "0 1", "{filter}");
        handle.failed = set(&[0, 2]);
        assert!(["3", "4"].contains(&handle.run(READ).split(' ').next().expect("one")), "{filter}");
        assert_eq!(handle.run(WRITE), "1 0", "{filter}");
        handle.failed = NodeSet::EMPTY;
        assert!(handle.runs(5, READ).starts_with("2 "), "{filter}");
        // Without failover they do not stand in.
        let shop = section(&keys(r#""disabled""#));
        assert_eq!(Handle::new(&shop).runs(5, READ), "2 2 2 2 2", "{filter}");
    }
    // All that are left in the file stand by.
    let nodes =
        r#""master": {"m": {"host": "a"}}, "slave": {"s1": {"host": "b", "state": "drain"}, "s2": {"host": "c"}}"#;
    let shop = section_of(nodes, r#""filters": {"roundrobin": {"weights": {"m": 1, "s1": 1, "s2": 0}}}"#);
    assert_eq!(Handle::new(&shop).run(READ), "2");
}

#[test]
fn max_retries_bounds_the_candidates_of_one_statement() {
    let keys = |most: &str| {
        format!(r#""filters": {{"roundrobin": {{}}}}, "failover": {{"strategy": "loop_before_master"{most}}}"#)
    };
    let all = section(&keys(""));
    assert_eq!(Handle::new(&all).run(READ), "2 3 4 0 1");
    let none = section(&keys(r#", "max_retries": 0"#));
    assert_eq!(Handle::new(&none).run(READ), "2 3 4 0 1");
    let one = section(&keys(r#", "max_retries": 1"#));
    let mut handle = Handle::new(&one);
    assert_eq!([handle.run(READ), handle.run(READ), handle.run(WRITE)], ["2 3", "3 4", "0 1"]);
    let four = section(&keys(r#", "max_retries": 3"#));
    assert_eq!(Handle::new(&four).run(READ), "2 3 4 0");
}

#[test]
fn nodes_of_the_own_zone_are_preferred_and_the_others_are_left() {
    let nodes = r#""master": {"m1": {"host": "a", "zone": "x"}, "m2": {"host": "b", "zone": "y"}},
        "slave": {"s1": {"host": "c", "zone": "x"}, "s2": {"host": "d", "zone": "y"}, "s3": {"host": "e", "zone": "y"}}"#;
    let failover = r#""failover": {"strategy": "loop_before_master", "remember_failed": true}"#;
    for filter in ["random", "roundrobin", "least_in_flight", "fastest"] {
        let shop = section_of(nodes, &format!(r#""zone": "y", "filters": {{"{filter}": {{}}}}, {failover}"#));
        let mut handle = Handle::new(&shop);
        for _ in 0..4 {
            let order = handle.run(READ);
            assert!(["3 4 2 1 0", "4 3 2 1 0"].contains(&order.as_str()), "{filter}: {order}");
        }
        assert_eq!(handle.run(WRITE), "1 0", "{filter}");
        handle.failed = set(&[3, 4, 1]);
        assert_eq!(handle.run(READ), "2 0", "{filter}");
        assert_eq!(handle.run(WRITE), "0 1", "{filter}");
    }
    // A sticky choice comes home.
    let shop = section_of(nodes, &format!(r#""zone": "x", "filters": {{"random": {{"sticky": 1}}}}, {failover}"#));
    let mut handle = Handle::new(&shop);
    handle.failed = set(&[2]);
    assert!(handle.run(READ).starts_with('3'));
    handle.failed = NodeSet::EMPTY;
    assert!(handle.run(READ).starts_with('2'));
}

#[test]
fn drained_nodes_get_nothing_new() {
    let nodes = r#""master": {"m": {"host": "a"}}, "slave": {"s1": {"host": "b", "state": "drain"},
                   "s2": {"host": "c"}, "s3": {"host": "d", "state": "off"}}"#;
    let shop = section_of(nodes, r#""filters": {"roundrobin": {}}, "failover": "loop_before_master""#);
    let mut handle = Handle::new(&shop);
    assert_eq!([handle.run(READ), handle.run(READ)], ["2 0", "2 0"]);
    // What is there goes on.
    let pinned = Situation { pinned: Some(id(1)), ..Situation::new(Wanted::AnyReplica) };
    let decision = handle.router.decide(&shop, &pinned, &mut *handle.random).expect("one");
    assert_eq!((decision.node, decision.role), (id(1), crate::cluster::topology::Role::Replica));
}

#[test]
fn the_node_with_fewest_statements_is_chosen() {
    let shop = section(r#""filters": {"least_in_flight": {}}"#);
    let mut handle = Handle::with(&shop, Router::new(&shop), Box::new(SystemRandom::new()));
    let mut tickets = Vec::new();
    for round in 1..=20 {
        for _ in 0..3 {
            let node = id(handle.run(READ).parse().expect("a node"));
            tickets.push(shop.balance.sent(node, None));
        }
        assert_eq!([2, 3, 4].map(|node| shop.balance.in_flight(id(node))), [round; 3]);
    }
    // Idle ones are equally likely.
    tickets.clear();
    let mut seen = [0; 5];
    for _ in 0..3000 {
        seen[handle.run(READ).parse::<usize>().expect("a node")] += 1;
    }
    assert!(seen[2..].iter().all(|count| (800..1200).contains(count)), "{seen:?}");
}

#[test]
fn of_two_drawn_nodes_the_quicker_one_is_chosen() {
    use std::time::Duration;
    let shop = section(r#""filters": {"fastest": {}}"#);
    for (node, took) in [(2, 9000), (3, 100), (4, 300)] {
        let mut ticket = shop.balance.sent(id(node), Some(Duration::ZERO)).expect("a node");
        ticket.answered(|| Duration::from_micros(took));
    }
    let mut handle = Handle::with(&shop, Router::new(&shop), Box::new(SystemRandom::new()));
    let mut seen = [0; 5];
    for _ in 0..3000 {
        seen[handle.run(READ).parse::<usize>().expect("a node")] += 1;
    }
    // The slowest loses against both, the quickest wins against both.
    assert!(seen[2] == 0 && (1800..2200).contains(&seen[3]) && (800..1200).contains(&seen[4]), "{seen:?}");
    // What is on its way counts: four of 100 are more than one of 300.
    let tickets: Vec<_> = (0..4).map(|_| shop.balance.sent(id(3), None)).collect();
    let nodes: std::collections::HashSet<_> = (0..50).map(|_| handle.run(READ)).collect();
    assert!(nodes.contains("4") && nodes.contains("3"), "{nodes:?}");
    let mut beaten = Handle::with(&shop, Router::new(&shop), Box::new(Script::new(&[1, 1])));
    assert_eq!(beaten.run(READ), "4");
    drop(tickets);
    // A slow node that was left alone gets another chance.
    handle.now_ms = 1_000_000;
    let nodes: std::collections::HashSet<_> = (0..100).map(|_| handle.run(READ)).collect();
    assert_eq!(nodes.len(), 3);
}

#[test]
fn a_comment_chooses_a_group() {
    let shop = section(
        r#""filters": {"node_groups": {"A": {"master": ["m2"], "slave": ["s2"]}, "only": {"master": ["m1"]},
                                        "b\u0000\nx": {"master": ["m1"], "slave": ["s3"]},
                                        "c\nx": {"master": ["m1"], "slave": ["s3"]}}, "roundrobin": {}}"#,
    );
    let mut handle = Handle::new(&shop);
    for (sql, nodes) in [
        ("/*A*/ SELECT 1", "3"),
        ("/*A*/ DELETE FROM t", "1"),
        ("/*x*/ # no hint\n/*A*/SELECT 1", "3"),
        ("#A\nSELECT 1", "3"),
        // Not proven to be a read: a text with NUL is the source's.
        ("/*b\0\nx*/SELECT 1", "0"),
        ("/*c\nx*/SELECT 1", "4"),
        // The last one counts.
        ("/*A*//*c\nx*/SELECT 1", "4"),
        // Blanks count, case counts, and only comments in front.
        ("/* A*/SELECT 1", "2"),
        ("/*a*/SELECT 1", "3"),
        ("SELECT 1 /*A*/", "4"),
        ("/*only*/ SELECT 1", "no replica for a read, and failover is disabled"),
        ("/*only*/ DELETE FROM t", "0"),
    ] {
        assert_eq!(handle.run(sql), nodes, "{sql:?}");
    }
    let shop =
        section(r#""filters": {"node_groups": {"only": {"master": ["m2"]}}, "roundrobin": {}}, "failover": "master""#);
    assert_eq!(Handle::new(&shop).run("/*only*/ SELECT 1"), "1");
}

#[test]
fn a_source_answers_when_no_replica_of_a_group_is_fresh() {
    for failover in ["disabled", "master"] {
        let shop = section(&format!(
            r#""filters": {{"node_groups": {{"A": {{"master": ["m2"], "slave": ["s1", "s2"]}}}}, "roundrobin": {{}}}},
               "failover": "{failover}""#
        ));
        let mut handle = Handle::new(&shop);
        handle.freshness = Freshness::Replicas(set(&[3, 4]));
        assert!(handle.run("/*A*/ SELECT 1").starts_with('3'), "{failover}");
        handle.freshness = Freshness::Replicas(set(&[4]));
        assert_eq!(handle.run("/*A*/ SELECT 1"), "1", "{failover}");
        assert!(handle.run("SELECT 1").starts_with('4'), "{failover}");
    }
}

#[test]
fn tables_choose_the_nodes_that_have_them() {
    let shop = section(
        r#""filters": {"table": {"rules": {
            "shop.orders": {"master": ["m1"], "slave": ["s1"]},
            "shop.%": {"master": ["m1"], "slave": ["s1", "s2"]},
            "log.%": {"master": ["m2"], "slave": ["s3"]}}}, "random": {}}"#,
    );
    let mut handle = Handle::new(&shop);
    let nowhere = |table: &str| format!("no rule of the filter `table` fits {table}");
    for (sql, expected) in [
        ("SELECT * FROM orders", "2".to_owned()),
        ("SELECT * FROM `orders` AS o", "2".into()),
        ("SELECT * FROM shop.orders, items", "2".into()),
        ("SELECT * FROM log.`hits`", "4".into()),
        ("SELECT * FROM `log`.hits WHERE a IN (SELECT b FROM log.c)", "4".into()),
        ("INSERT INTO log.hits VALUES (1)", "1".into()),
        ("INSERT INTO items VALUES (1)", "0".into()),
        ("UPDATE orders SET a = 1", "0".into()),
        ("SELECT * FROM items JOIN log.hits", "no node has all tables of the statement".into()),
        ("SELECT * FROM other.t", nowhere("other.t")),
        ("SELECT * FROM other.orders", nowhere("other.orders")),
        // Without tables all nodes are right.
        ("SELECT 1", "2".into()),
        ("SELECT 1 FROM DUAL", "2".into()),
        ("SET @a = 1", "0".into()),
        ("BEGIN", "0".into()),
        // A common table expression is no table.
        ("WITH c AS (SELECT * FROM log.hits) SELECT * FROM c", "4".into()),
        ("WITH RECURSIVE `c` AS (SELECT 1 UNION SELECT * FROM C) SELECT * FROM c JOIN log.hits", "4".into()),
        // What it touches is not known, and the rules differ.
        ("CALL p()", "no node has the statement's tables, or they are not known".into()),
        ("GIBBERISH INTO t", "no node has the statement's tables, or they are not known".into()),
        ("/*ms=master*/ SELECT * FROM log.hits", "4".into()),
    ] {
        assert_eq!(handle.run(sql), expected, "{sql:?}");
    }
    // One source for all: what is not known runs there.
    let shop = section(
        r#""filters": {"table": {"rules": {"a.%": {"master": ["m2"], "slave": ["s1"]}, "%": {"master": ["m2"]}}},
                       "random": {}}"#,
    );
    let mut handle = Handle::new(&shop);
    assert_eq!([handle.run("CALL p()"), handle.run("INSERT INTO x.y VALUES (1)")], ["1", "1"]);
    // A rule without replicas.
    assert_eq!(handle.run("SELECT * FROM x.y"), "no replica for a read, and failover is disabled");
    // A mask that fits nothing, and rules for two sources.
    let shop = section(r#""filters": {"table": {"rules": {"7": {"master": ["m1"]}}}, "random": {}}"#);
    assert_eq!(Handle::new(&shop).run("SELECT * FROM t"), nowhere("shop.t"));
    let shop = section(r#""filters": {"table": {"rules": {"%": {"master": ["m1", "m2"]}}}, "roundrobin": {}}"#);
    assert_eq!(Handle::new(&shop).runs(3, "INSERT INTO t VALUES (1)"), "0 1 0");
    let shop = section(r#""filters": {"table": {"rules": {}}, "random": {}}"#);
    assert_eq!(Handle::new(&shop).run("SELECT * FROM t"), nowhere("shop.t"));
    assert_eq!(Handle::new(&shop).run("CALL p()"), "0");
}

/// A function of the program: what it says, and what it was asked.
#[derive(Debug, Default)]
struct Program {
    answers: Mutex<Vec<Result<i32, &'static str>>>,
    select: Mutex<Vec<usize>>,
    asked: Mutex<String>,
}

impl UserFilter for Program {
    fn ask(&self, question: &Question<'_>, selected: &mut [u8]) -> Result<i32, &'static str> {
        let names: Vec<_> = question.offers.iter().map(|offer| offer.name.to_str().expect("UTF-8")).collect();
        let uri = question.offers.first().map_or("", |offer| offer.uri.to_str().expect("UTF-8"));
        *self.asked.lock().expect("lock") = format!(
            "{} {} {} {uri} {:?} {} {}",
            question.section.to_str().expect("UTF-8"),
            names.join(","),
            question.sources,
            question.last_used,
            question.in_transaction,
            question.is_read
        );
        for index in self.select.lock().expect("lock").iter() {
            selected[*index] = 1;
        }
        self.answers.lock().expect("lock").pop().unwrap_or(Ok(0))
    }
}

#[derive(Debug)]
struct Functions(Arc<Program>);

impl UserFilters for Functions {
    fn named(&self, name: &str) -> Option<Arc<dyn UserFilter>> {
        (name == "pick").then(|| Arc::clone(&self.0) as _)
    }

    fn load(&self, library: &Path, symbol: &str) -> Result<Arc<dyn UserFilter>, String> {
        if symbol == "pick" { Ok(Arc::clone(&self.0) as _) } else { Err(format!("{} has none", library.display())) }
    }
}

/// The functions live as long as the process, as they do behind C.
fn program() -> (Arc<Program>, &'static Functions) {
    let program = Arc::new(Program::default());
    (Arc::clone(&program), Box::leak(Box::new(Functions(program))))
}

#[test]
fn the_program_chooses_one_node() {
    let (program, functions) = program();
    for callback in [r#"{"callback": "pick"}"#, r#"{"library": "lib.so", "symbol": "pick"}"#] {
        let shop = section(&format!(r#""filters": {{"user": {callback}}}, "failover": "loop_before_master""#));
        let router = Router::with_functions(&shop, functions).expect("loads");
        let mut handle = Handle::with(&shop, router, Box::new(Script::new(&[0])));
        let mut answer = |answer, sql| {
            program.answers.lock().expect("lock").push(answer);
            handle.run(sql)
        };
        assert_eq!(answer(Ok(4), READ), "4", "no failover from it");
        assert_eq!(*program.asked.lock().expect("lock"), "shop m1,m2,s1,s2,s3 2 tcp://a Some(3) false true");
        assert_eq!(answer(Ok(1), READ), "1");
        assert_eq!(answer(Ok(1), WRITE), "1");
        assert_eq!(
            answer(Ok(2), WRITE),
            "the program's filter chose a replica for a statement that a source has to run"
        );
        assert_eq!(answer(Ok(5), READ), "the program's filter returned 5 for a choice among 5 nodes");
        assert_eq!(answer(Ok(-1), READ), "the program's filter returned -1 for a choice among 5 nodes");
        assert_eq!(answer(Err("broke"), READ), "broke");
        assert_eq!(answer(Ok(3), READ), "3", "the next statement asks again");
    }
    let shop = section(r#""filters": {"user": {"callback": "zap"}}"#);
    let router = Router::with_functions(&shop, functions).expect("loads");
    let mut handle = Handle::with(&shop, router, Box::new(Script::new(&[0])));
    assert_eq!(handle.run(READ), "the program has registered no filter \"zap\"");
    let shop = section(r#""filters": {"user": {"library": "lib.so", "symbol": "zap"}}"#);
    assert_eq!(Router::with_functions(&shop, functions).expect_err("refused"), "lib.so has none");
}

#[test]
fn the_program_narrows_the_candidates() {
    let (program, functions) = program();
    let shop = section(r#""filters": {"user_multi": {"callback": "pick"}, "roundrobin": {}}"#);
    let router = Router::with_functions(&shop, functions).expect("loads");
    let mut handle = Handle::with(&shop, router, Box::new(Script::new(&[0])));
    let mut select = |nodes: &[usize], count, sql| {
        *program.select.lock().expect("lock") = nodes.to_vec();
        handle.runs(count, sql)
    };
    assert_eq!(select(&[1, 2, 4], 4, READ), "2 4 2 4");
    assert_eq!(select(&[1, 2, 4], 2, WRITE), "1 1");
    assert_eq!(select(&[4, 2, 1], 1, READ), "2", "the order is the file's");
    assert_eq!(select(&[3, 3], 2, READ), "3 3");
    assert_eq!(select(&[0, 1], 1, READ), "no replica for a read, and failover is disabled");
    assert_eq!(select(&[2], 1, WRITE), "the section has no source");
    assert_eq!(select(&[], 1, READ), "no replica for a read, and failover is disabled");
    program.answers.lock().expect("lock").push(Ok(1));
    assert_eq!(select(&[0, 2], 1, READ), "the program's filter failed: it returned 1");
    program.answers.lock().expect("lock").push(Err("broke"));
    assert_eq!(select(&[0, 2], 1, READ), "broke");
    assert_eq!(select(&[0, 2], 1, READ), "2");
}

#[test]
fn a_sticky_choice_is_kept_for_each_list() {
    let shop = section(
        r#""filters": {"node_groups": {"A": {"master": ["m1"], "slave": ["s1", "s2"]},
                                        "B": {"master": ["m1"], "slave": ["s2", "s3"]}}, "random": {"sticky": 1}}"#,
    );
    let mut handle = Handle::with(&shop, Router::new(&shop), Box::new(Script::new(&[1, 0, 2])));
    let all = ["/*A*/SELECT 1", "/*B*/SELECT 1", "SELECT 1"];
    let first = all.map(|sql| handle.run(sql));
    for _ in 0..20 {
        assert_eq!(all.map(|sql| handle.run(sql)), first);
    }
    assert_eq!(first, ["3", "3", "4"]);
}

#[test]
fn what_each_filter_left_can_be_told() {
    let shop = section(
        r#""filters": {"node_groups": {"A": {"master": ["m1"], "slave": ["s1", "s2"]}},
                       "table": {"rules": {"%.t": {"master": ["m1"], "slave": ["s2"]}}}, "roundrobin": {}}"#,
    );
    let mut handle = Handle::new(&shop);
    handle.router.chain().start_trace();
    assert_eq!(handle.run("/*A*/SELECT * FROM t"), "3");
    let (left, last) = handle.router.chain().trace();
    let left: Vec<_> = left.iter().map(|(name, left)| (*name, left.sources, left.replicas)).collect();
    assert_eq!(left, [("node_groups", set(&[0]), set(&[2, 3])), ("table", set(&[0]), set(&[3]))]);
    assert_eq!(last, "roundrobin");
}
