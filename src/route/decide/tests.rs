use super::*;
use crate::cluster::config::Config;
use crate::env::fixed::Script;
use std::path::Path;

/// Two sources (node0, node1) and three replicas (node2 to node4), unless the keys say otherwise.
fn section(keys: &str) -> Section {
    let nodes = r#""master": {"s1": {"host": "s1"}, "s2": {"host": "s2"}},
                   "slave": {"r1": {"host": "r1"}, "r2": {"host": "r2"}, "r3": {"host": "r3"}}"#;
    section_of(nodes, keys)
}

fn section_of(nodes: &str, keys: &str) -> Section {
    let comma = if keys.is_empty() { "" } else { ", " };
    let text = format!(r#"{{"shop": {{{nodes}{comma}{keys}}}}}"#);
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

/// `node reason | fallbacks`, or the refusal.
fn outcome(section: &Section, router: &mut Router, situation: Situation<'_>, draws: &[usize]) -> String {
    match router.decide(section, &situation, &mut Script::new(draws)) {
        Ok(decision) => {
            let fallbacks: Vec<_> = router.fallbacks().map(|node| node.index().to_string()).collect();
            let separator = if fallbacks.is_empty() { "" } else { " | " };
            format!("{} {:?}{separator}{}", decision.node.index(), decision.reason, fallbacks.join(" "))
        }
        Err(refusal) => format!("{refusal:?}"),
    }
}

fn once(section: &Section, situation: Situation<'_>) -> String {
    section.balance.restart();
    outcome(section, &mut Router::new(section), situation, &[0])
}

fn wants(wanted: Wanted) -> Situation<'static> {
    Situation::new(wanted)
}

const ROUND: &str = r#""filters": {"roundrobin": {}}"#;

#[test]
fn classes_choose_the_kind_of_node() {
    let shop = section(ROUND);
    assert_eq!(once(&shop, wants(Wanted::AnyReplica)), "2 Read");
    assert_eq!(once(&shop, wants(Wanted::Source)), "0 Write");
    assert_eq!(once(&shop, wants(Wanted::LastWrite)), "0 NothingUsed");
    assert_eq!(once(&shop, wants(Wanted::LastUsed)), "0 NothingUsed");
    let used = Situation { last_used: Some(id(3)), last_write: Some(id(1)), ..wants(Wanted::LastUsed) };
    assert_eq!(once(&shop, used), "3 LastUsed");
    assert_eq!(once(&shop, Situation { wanted: Wanted::LastWrite, ..used }), "1 LastWrite");
    assert_eq!(once(&shop, wants(Wanted::Node(id(4)))), "4 Named");
}

#[test]
fn hints_choose_the_kind_of_node() {
    let shop = section(ROUND);
    let hinted = |wanted| Situation { hinted: true, ..wants(wanted) };
    assert_eq!(once(&shop, hinted(Wanted::AnyReplica)), "2 HintedReplica");
    assert_eq!(once(&shop, hinted(Wanted::Source)), "0 HintedSource");
    assert_eq!(once(&shop, hinted(Wanted::LastUsed)), "NothingUsed");
}

#[test]
fn without_splitting_everything_but_last_used_goes_to_a_source() {
    let shop = section(ROUND);
    let no_split = |wanted, hinted| Situation { no_split: true, hinted, last_used: Some(id(3)), ..wants(wanted) };
    assert_eq!(once(&shop, no_split(Wanted::AnyReplica, false)), "0 NoSplit");
    assert_eq!(once(&shop, no_split(Wanted::AnyReplica, true)), "0 NoSplit");
    assert_eq!(once(&shop, no_split(Wanted::LastUsed, true)), "3 LastUsed");
}

#[test]
fn pinned_comes_before_everything() {
    let shop = section(ROUND);
    for wanted in [Wanted::Source, Wanted::AnyReplica, Wanted::LastUsed, Wanted::Node(id(1))] {
        let situation = Situation {
            pinned: Some(id(4)),
            in_transaction: true,
            transaction_node: Some(id(0)),
            hinted: true,
            ..wants(wanted)
        };
        assert_eq!(once(&shop, situation), "4 Pinned");
    }
}

#[test]
fn a_transaction_stays_on_its_node_whatever_a_hint_says() {
    for stickiness in ["", r#""trx_stickiness": "on""#, r#""trx_stickiness": "master""#] {
        let shop = section_of(r#""master": [{"host": "s"}], "slave": [{"host": "r"}]"#, stickiness);
        let inside = |wanted| Situation { in_transaction: true, hinted: true, ..wants(wanted) };
        assert_eq!(once(&shop, inside(Wanted::AnyReplica)), "0 TransactionStart", "{stickiness}");
        let later = Situation { transaction_node: Some(id(0)), ..inside(Wanted::AnyReplica) };
        assert_eq!(once(&shop, later), "0 Transaction");
        assert_eq!(
            once(&shop, Situation { wanted: Wanted::LastUsed, last_used: Some(id(1)), ..later }),
            "0 Transaction"
        );
    }
}

#[test]
fn a_read_only_transaction_may_go_to_a_replica_when_sticky_on() {
    let start = Situation { in_transaction: true, read_only: true, ..wants(Wanted::AnyReplica) };
    let on = section(ROUND);
    assert_eq!(once(&on, start), "2 ReadOnlyTransactionStart");
    assert_eq!(once(&on, Situation { wanted: Wanted::Source, ..start }), "2 ReadOnlyTransactionStart");
    assert_eq!(once(&on, Situation { no_split: true, ..start }), "0 TransactionStart");
    let source = section(&format!(r#"{ROUND}, "trx_stickiness": "master""#));
    assert_eq!(once(&source, start), "0 TransactionStart");
    // The plugin's rule: master_on_write comes behind stickiness and overrules it.
    let on_write = section(&format!(r#"{ROUND}, "master_on_write": 1"#));
    assert_eq!(once(&on_write, start), "2 ReadOnlyTransactionStart");
    assert_eq!(once(&on_write, Situation { used_source: true, ..start }), "0 TransactionStart");
    let alone = section_of(r#""master": [{"host": "s"}], "slave": []"#, "");
    assert_eq!(once(&alone, start), "0 TransactionStart");
}

#[test]
fn stickiness_disabled_restores_the_plugins_rule() {
    let shop = section(&format!(r#"{ROUND}, "trx_stickiness": "disabled""#));
    let inside = Situation { in_transaction: true, transaction_node: Some(id(0)), ..wants(Wanted::AnyReplica) };
    assert_eq!(once(&shop, inside), "2 Read");
}

#[test]
fn after_a_write_reads_without_a_hint_stay_on_sources_under_master_on_write() {
    let shop = section(&format!(r#"{ROUND}, "master_on_write": true"#));
    assert_eq!(once(&shop, wants(Wanted::AnyReplica)), "2 Read");
    let wrote = Situation { used_source: true, last_used: Some(id(3)), ..wants(Wanted::AnyReplica) };
    assert_eq!(once(&shop, wrote), "0 SourceOnWrite");
    assert_eq!(once(&shop, Situation { hinted: true, ..wrote }), "2 HintedReplica");
    assert_eq!(once(&shop, Situation { wanted: Wanted::LastUsed, ..wrote }), "3 LastUsed");
}

#[test]
fn failover_order_follows_the_strategy() {
    let strategy = |strategy: &str| section(&format!(r#"{ROUND}, "failover": {{"strategy": "{strategy}"}}"#));
    let (read, write) = (wants(Wanted::AnyReplica), wants(Wanted::Source));
    assert_eq!(once(&strategy("disabled"), read), "2 Read");
    assert_eq!(once(&strategy("disabled"), write), "0 Write");
    assert_eq!(once(&strategy("master"), read), "2 Read | 0");
    assert_eq!(once(&strategy("master"), write), "0 Write");
    assert_eq!(once(&strategy("loop_before_master"), read), "2 Read | 3 4 0 1");
    assert_eq!(once(&strategy("loop_before_master"), write), "0 Write | 1");
}

#[test]
fn a_transaction_fails_over_only_with_its_first_statement() {
    let shop = section(&format!(r#"{ROUND}, "failover": "loop_before_master""#));
    let start = Situation { in_transaction: true, ..wants(Wanted::Source) };
    assert_eq!(once(&shop, start), "0 TransactionStart | 1");
    assert_eq!(once(&shop, Situation { transaction_node: Some(id(1)), ..start }), "1 Transaction");
}

#[test]
fn remembered_failures_are_left_out_until_nothing_else_is_left() {
    let shop =
        section(&format!(r#"{ROUND}, "failover": {{"strategy": "loop_before_master", "remember_failed": true}}"#));
    let read = |failed: &[usize]| Situation { failed: set(failed), ..wants(Wanted::AnyReplica) };
    assert_eq!(once(&shop, read(&[2])), "3 Read | 4 0 1");
    assert_eq!(once(&shop, read(&[2, 4, 0])), "3 Read | 1");
    assert_eq!(once(&shop, read(&[2, 3, 4])), "0 NoReplica | 1");
    assert_eq!(once(&shop, read(&[0, 1, 2, 3, 4])), "0 NoReplica | 1");
    let write = Situation { failed: set(&[0]), ..wants(Wanted::Source) };
    assert_eq!(once(&shop, write), "1 Write | 0");
    // With failover disabled a failed replica is better than none: the program gets the connect error.
    let disabled = section(&format!(r#"{ROUND}, "failover": {{"remember_failed": true}}"#));
    assert_eq!(once(&disabled, read(&[2, 3, 4])), "2 Read");
    // Without remember_failed each statement tries again.
    let forgetful = section(&format!(r#"{ROUND}, "failover": "loop_before_master""#));
    assert_eq!(once(&forgetful, read(&[2])), "2 Read | 3 4 0 1");
}

#[test]
fn no_replica_is_an_error_unless_failover_allows_the_source() {
    let nodes = r#""master": [{"host": "s"}], "slave": {}"#;
    assert_eq!(once(&section_of(nodes, ""), wants(Wanted::AnyReplica)), "NoReplica");
    for strategy in ["master", "loop_before_master"] {
        let shop = section_of(nodes, &format!(r#""failover": "{strategy}""#));
        assert_eq!(once(&shop, wants(Wanted::AnyReplica)), "0 NoReplica");
    }
    let sourceless = section_of(r#""master": [], "slave": [{"host": "r"}]"#, r#""failover": "master""#);
    assert_eq!(once(&sourceless, wants(Wanted::Source)), "NoSource");
    assert_eq!(once(&sourceless, wants(Wanted::AnyReplica)), "0 Read");
    let error = Refusal::NoReplica.to_error();
    assert_eq!((error.code, error.sqlstate), (2000, *b"HY000"));
}

#[test]
fn round_robin_wraps_and_keeps_a_position_for_each_kind() {
    let shop = section(ROUND);
    let mut router = Router::new(&shop);
    let mut sequence = String::new();
    for wanted in [Wanted::AnyReplica, Wanted::Source, Wanted::AnyReplica, Wanted::AnyReplica, Wanted::Source] {
        sequence += &outcome(&shop, &mut router, wants(wanted), &[0])[..1];
    }
    for _ in 0..2 {
        sequence += &outcome(&shop, &mut router, wants(Wanted::AnyReplica), &[0])[..1];
    }
    assert_eq!(sequence, "2034123");
}

#[test]
fn random_draws_each_time_and_sticky_random_once() {
    let explicit = section(r#""filters": {"random": {}}"#);
    let mut router = Router::new(&explicit);
    let nodes: Vec<_> =
        [0, 1, 2].iter().map(|draw| outcome(&explicit, &mut router, wants(Wanted::AnyReplica), &[*draw])).collect();
    assert_eq!(nodes, ["2 Read", "3 Read", "4 Read"]);

    let implicit = section("");
    let mut router = Router::new(&implicit);
    let mut script = Script::new(&[1]);
    let read = wants(Wanted::AnyReplica);
    let first = router.decide(&implicit, &read, &mut script).expect("one").node;
    let drawn = script.drawn();
    for _ in 0..100 {
        assert_eq!(outcome(&implicit, &mut router, wants(Wanted::Source), &[0]), "0 Write");
        assert_eq!(router.decide(&implicit, &read, &mut script).expect("one").node, first);
    }
    assert_eq!((first, script.drawn()), (id(3), drawn));
}

#[test]
fn a_sticky_choice_moves_when_its_node_fails_and_back_when_it_is_well() {
    let shop = section("");
    let mut router = Router::new(&shop);
    let mut read = |failed: &[usize], draw: usize| {
        let situation = Situation { failed: set(failed), ..wants(Wanted::AnyReplica) };
        outcome(&shop, &mut router, situation, &[draw])
    };
    assert_eq!(read(&[], 1), "3 Read");
    assert_eq!(read(&[3], 1), "4 Read");
    assert_eq!(read(&[3], 0), "4 Read");
    assert_eq!(read(&[3, 4], 0), "2 Read");
    assert_eq!(read(&[2, 3, 4], 0), "3 Read");
    assert_eq!(read(&[], 0), "3 Read");
}

#[test]
fn the_load_of_a_dead_node_is_spread() {
    let shop = section(r#""filters": {"random": {}}, "failover": "loop_before_master""#);
    let second = |draws: &[usize]| {
        let mut router = Router::new(&shop);
        let decision = router.decide(&shop, &wants(Wanted::AnyReplica), &mut Script::new(draws)).expect("one");
        assert_eq!(decision.node, id(3));
        router.fallbacks().map(NodeId::index).collect::<Vec<_>>()
    };
    assert_eq!(second(&[1, 0]), [2, 4, 0, 1]);
    assert_eq!(second(&[1, 1]), [4, 2, 0, 1]);
}

#[test]
fn a_read_settles_while_the_chain_keeps_to_its_choice() {
    let shop = section(r#""filters": {"random": {"sticky": 1}}, "failover": "loop_before_master""#);
    let mut router = Router::new(&shop);
    let decide = |router: &mut Router, failed: &[usize], wanted| {
        let situation = Situation { failed: set(failed), ..wants(wanted) };
        let decision = router.decide(&shop, &situation, &mut Script::new(&[1, 0])).expect("one");
        (decision, router.fallbacks())
    };
    assert_eq!(router.settled_read(), None, "nothing was chosen yet");
    decide(&mut router, &[], Wanted::AnyReplica);
    assert_eq!(router.settled_read(), None, "the words are still those of the first choice");
    let (whole, fallbacks) = decide(&mut router, &[], Wanted::AnyReplica);
    decide(&mut router, &[], Wanted::Source);
    assert_eq!(router.settled_read(), Some(whole), "a write changes nothing");
    assert_eq!(router.fallbacks(), fallbacks);
    decide(&mut router, &[3], Wanted::AnyReplica);
    assert_eq!(router.settled_read(), None, "the choice is failed");
    assert_eq!(decide(&mut router, &[], Wanted::AnyReplica), (whole, fallbacks));
    assert_eq!(router.settled_read(), Some(whole));
}

#[test]
fn a_read_never_settles_where_nodes_take_turns() {
    for filters in [r#""roundrobin": {}"#, r#""random": {"sticky": 0}"#, r#""least_in_flight": {}"#] {
        let shop = section(&format!(r#""filters": {{{filters}}}"#));
        let mut router = Router::new(&shop);
        for _ in 0..3 {
            outcome(&shop, &mut router, wants(Wanted::AnyReplica), &[0]);
            assert_eq!(router.settled_read(), None, "{filters}");
        }
    }
}

#[test]
fn random_reaches_all_nodes_equally() {
    let shop = section(r#""filters": {"random": {"sticky": 0}}"#);
    let mut router = Router::new(&shop);
    let mut random = crate::env::SystemRandom::new();
    let mut seen = [0u32; 5];
    for _ in 0..9000 {
        let node = router.decide(&shop, &wants(Wanted::AnyReplica), &mut random).expect("one").node;
        seen[node.index()] += 1;
    }
    assert_eq!(seen[..2], [0, 0]);
    assert!(seen[2..].iter().all(|count| (2700..3300).contains(count)), "{seen:?}");
}

#[test]
fn only_the_first_source_is_used_without_multi_master() {
    let text = r#"{"shop": {"master": [{"host": "a"}, {"host": "b"}], "slave": [{"host": "c"}],
                            "filters": {"roundrobin": {}}, "failover": "loop_before_master"}}"#;
    let mut loaded = Config::parse(text, Path::new("a.json"), false).expect("JSON");
    let shop = loaded.config.take_first();
    let mut router = Router::new(&shop);
    for _ in 0..3 {
        assert_eq!(outcome(&shop, &mut router, wants(Wanted::Source), &[0]), "0 Write");
    }
    assert_eq!(shop.nodes[2].host, "c");
    assert_eq!(outcome(&shop, &mut router, wants(Wanted::AnyReplica), &[0]), "2 Read | 0");
}

#[test]
fn reasons_are_words() {
    let shop = section("");
    let mut router = Router::new(&shop);
    let decision = router.decide(&shop, &wants(Wanted::AnyReplica), &mut Script::new(&[0])).expect("one");
    assert_eq!(decision.to_string(), "plain read; sticky, first choice");
    assert_eq!(decision.role, Role::Replica);
}

#[test]
fn a_promise_leaves_only_fresh_replicas_and_holds_against_hints() {
    let shop = section(ROUND);
    let fresh = |nodes: &[usize]| Situation { freshness: Freshness::Replicas(set(nodes)), ..wants(Wanted::AnyReplica) };
    let mut router = Router::new(&shop);
    assert_eq!(outcome(&shop, &mut router, fresh(&[3, 4]), &[0]), "3 Read");
    assert_eq!(outcome(&shop, &mut router, fresh(&[3, 4]), &[0]), "4 Read");
    assert_eq!(once(&shop, fresh(&[])), "0 NoneFresh");
    // A source in the set is no replica.
    assert_eq!(once(&shop, fresh(&[0])), "0 NoneFresh");
    let strong = Situation { freshness: Freshness::Source(Reason::Strong), ..wants(Wanted::AnyReplica) };
    assert_eq!(once(&shop, strong), "0 Strong");
    assert_eq!(once(&shop, Situation { hinted: true, ..strong }), "0 Strong");
    assert_eq!(once(&shop, Situation { hinted: true, ..fresh(&[4]) }), "4 HintedReplica");
}

#[test]
fn failover_does_not_leave_the_fresh_replicas_for_stale_ones() {
    let shop = section(r#""filters": {"roundrobin": {}}, "failover": "loop_before_master""#);
    let fresh = Situation { freshness: Freshness::Replicas(set(&[2, 4])), ..wants(Wanted::AnyReplica) };
    assert_eq!(once(&shop, fresh), "2 Read | 4 0 1");
}

#[test]
fn a_read_only_transaction_begins_on_a_fresh_replica_or_on_a_source() {
    let shop = section(ROUND);
    let begins = |freshness| Situation { in_transaction: true, read_only: true, freshness, ..wants(Wanted::Source) };
    assert_eq!(once(&shop, begins(Freshness::Any)), "2 ReadOnlyTransactionStart");
    assert_eq!(once(&shop, begins(Freshness::Replicas(set(&[4])))), "4 ReadOnlyTransactionStart");
    assert_eq!(once(&shop, begins(Freshness::Replicas(NodeSet::EMPTY))), "0 NoneFresh");
}
