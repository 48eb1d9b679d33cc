//! What can be said of the filters and of the weights of nodes.

use super::*;

/// Two sources, two replicas, all with names.
const FOUR: &str = r#""master": {"m1": {"host": "a"}, "m2": {"host": "b"}},
                      "slave": {"s1": {"host": "c"}, "s2": {"host": "d"}}"#;

fn four(keys: &str) -> (Section, Vec<String>) {
    let mut loaded = parse(&format!(r#"{{"shop": {{{FOUR}, {keys}}}}}"#));
    let problems = loaded.problems.iter().map(|problem| format!("{}: {}", problem.path, problem.text)).collect();
    (loaded.config.take_first(), problems)
}

#[test]
fn nodes_may_have_their_weight_themselves() {
    let shop = |nodes: &str, keys: &str| {
        let loaded = parse(&format!(r#"{{"shop": {{{nodes}{keys}}}}}"#));
        let texts: Vec<String> = loaded.problems.iter().map(|problem| problem.text.clone()).collect();
        (loaded.config.section("shop").expect("there").weights.clone(), texts)
    };
    let nodes = |master: &str, slave: &str| {
        format!(r#""master": {{"m": {{"host": "a"{master}}}}}, "slave": {{"s": {{"host": "b"{slave}}}}}"#)
    };
    let (weights, texts) = shop(&nodes(r#", "weight": 3"#, r#", "weight": "0""#), "");
    assert_eq!((weights, texts.len()), (Some(Weights::new([3, 0])), 0));
    for (nodes, keys, expected) in [
        (nodes(r#", "weight": 3"#, ""), "", "the node s has no weight: give all nodes one, or none"),
        (nodes("", r#", "weight": 65536"#), "", "expected a weight from 0 to 65535, found 65536"),
        (
            nodes(r#", "weight": 3"#, r#", "weight": 1"#),
            r#", "filters": {"random": {"weights": {"m": 1, "s": 1}}}"#,
            "a second list of weights: nodes have a `weight`",
        ),
    ] {
        assert_eq!(shop(&nodes, keys).1, [expected]);
    }
}

#[test]
fn hints_may_need_a_word_and_may_force() {
    let hints = |keys: &str| {
        let loaded = parse(&format!(r#"{{"shop": {{{NODES}, "hints": {keys}}}}}"#));
        let texts: Vec<String> = loaded.problems.iter().map(|problem| problem.text.clone()).collect();
        (loaded.config.section("shop").expect("there").hints.clone(), texts)
    };
    let (found, texts) = hints(r#"{"word": "se-cret_7", "force": true, "arguments": 1}"#);
    assert_eq!(found, super::Hints { arguments: true, force: true, word: "se-cret_7".into() });
    assert_eq!(texts, ["ms=slave sends writes to replicas"]);
    assert_eq!(hints("{}").0, super::Hints::default());
    let (_, texts) = hints(r#"{"word": "a*/b"}"#);
    assert_eq!(texts, [r#"expected letters, digits, - and _, found "a*/b""#]);
}

#[test]
fn every_node_has_a_weight_or_none() {
    let weights =
        |filter: &str, key: &str, written: &str| four(&format!(r#""filters": {{"{filter}": {{"{key}": {written}}}}}"#));
    for (filter, key) in [("random", "weights"), ("roundrobin", "weight")] {
        let (shop, problems) = weights(filter, key, r#"{"m1": 1, "m2": "65535", "s1": 0, "s2": 7}"#);
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(shop.weights, Some(Weights::new([1, 65535, 0, 7])));
        assert_eq!(ids(shop.standby), [2]);
    }
    let (shop, problems) = weights("random", "weights", "{}");
    assert_eq!((shop.weights, problems.len()), (None, 0));
    let path = "shop.filters.random.weights";
    for (written, expected) in [
        (r#"{"m1": 1, "m2": 1, "s1": 1, "s3": 1, "s2": 1}"#, format!(r#"{path}.s3: no node is called "s3""#)),
        (r#"{"m1": 1, "m2": 1, "s1": 1}"#, format!("{path}: the node s2 has no weight: give all nodes one, or none")),
        (r#"{"m1": -1, "m2": 1, "s1": 1, "s2": 1}"#, format!("{path}.m1: expected a weight from 0 to 65535, found -1")),
        (
            r#"{"m1": 65536, "m2": 1, "s1": 1, "s2": 1}"#,
            format!("{path}.m1: expected a weight from 0 to 65535, found 65536"),
        ),
        ("3", format!("{path}: expected an object, found 3")),
    ] {
        let (shop, problems) = weights("random", "weights", written);
        assert_eq!(problems, [expected]);
        assert!(shop.refused.is_some());
    }
    let (_, problems) = four(r#""filters": {"random": {"weights": {"m1": 1}, "weight": {"m1": 1}}}"#);
    assert_eq!(problems, ["shop.filters.random.weight: a second list of weights"]);
    // Nodes of a list have no names.
    let nodes = r#""master": [{"host": "a"}], "slave": {"s": {"host": "b"}}"#;
    let mut loaded = parse(&format!(r#"{{"shop": {{{nodes}, "filters": {{"random": {{"weights": {{"s": 1}}}}}}}}}}"#));
    assert!(loaded.config.take_first().refused.expect("refused").text.contains("the node a has no weight"));
    let nodes = r#""master": {"x": {"host": "a"}}, "slave": {"x": {"host": "b"}}"#;
    let mut loaded = parse(&format!(r#"{{"shop": {{{nodes}, "filters": {{"random": {{"weights": {{"x": 1}}}}}}}}}}"#));
    assert_eq!(loaded.config.take_first().refused.expect("refused").text, "two nodes have this name");
}

#[test]
fn groups_name_nodes_and_have_a_master() {
    let groups = |written: &str| four(&format!(r#""filters": {{"node_groups": {written}, "random": {{}}}}"#));
    let (shop, problems) = groups(
        r#"{"A": {"master": ["m1"], "slave": ["s2", "s1"]}, "b\u0000\n": {"master": "m2"}, "": {"master": ["m1"]}}"#,
    );
    assert_eq!(problems, Vec::<String>::new());
    let FilterSpec::NodeGroups(groups_read) = &shop.filters[0] else { panic!("{:?}", shop.filters) };
    let read: Vec<_> = groups_read.iter().map(|group| (group.name.as_str(), ids(group.nodes))).collect();
    assert_eq!(read, [("A", vec![0, 2, 3]), ("b\0\n", vec![1]), ("", vec![0])]);
    let path = "shop.filters.node_groups.A";
    for (written, expected) in [
        (r#"{"A": {"slave": ["s1"]}}"#, format!("{path}: the group has no master")),
        (r#"{"A": {"master": [], "slave": ["s1"]}}"#, format!("{path}: the group has no master")),
        (r#"{"A": {"master": ["s1"]}}"#, format!(r#"{path}.master: unknown master "s1""#)),
        (r#"{"A": {"master": ["m1"], "slave": ["zap"]}}"#, format!(r#"{path}.slave: unknown slave "zap""#)),
        (r#"{"A": 7}"#, format!("{path}: expected an object, found 7")),
        ("7", "shop.filters.node_groups: expected an object of groups, found 7".to_owned()),
    ] {
        assert_eq!(groups(written).1, [expected]);
    }
    let text = format!(
        r#"{{"shop": {{{FOUR}, "filters": {{"node_groups": {{"A": {{"master": ["m2"]}}}}, "random": {{}}}}}}}}"#
    );
    let mut loaded = Config::parse(&text, Path::new("a.json"), false).expect("JSON");
    let refused = loaded.config.take_first().refused.expect("refused");
    assert!(refused.text.contains("without multi_master"), "{}", refused.text);
}

#[test]
fn table_rules_name_nodes_and_have_a_mask() {
    let rules = |written: &str| four(&format!(r#""filters": {{"table": {{"rules": {written}}}, "random": {{}}}}"#));
    let (shop, problems) = rules(r#"{"shop.%": {"master": ["m2"], "slave": ["s1"]}, "%": {"slave": ["s2"]}, "7": {}}"#);
    assert_eq!(problems, Vec::<String>::new());
    let FilterSpec::Table(read) = &shop.filters[0] else { panic!("{:?}", shop.filters) };
    let read: Vec<_> = read.iter().map(|rule| (rule.mask.as_str(), ids(rule.nodes))).collect();
    assert_eq!(read, [("shop.%", vec![1, 2]), ("%", vec![3]), ("7", vec![])]);
    assert_eq!(rules("[]").1, Vec::<String>::new());
    for (written, expected) in [
        (r#"{"": {"master": ["m1"]}}"#, r#"shop.filters.table.rules[""]: the mask is empty"#),
        (r#"{"a": {"master": ["zap"]}}"#, r#"shop.filters.table.rules.a.master: unknown master "zap""#),
        (r#"{"a": {"master": ["s1"]}}"#, r#"shop.filters.table.rules.a.master: unknown master "s1""#),
        (r#"{"a": {"slave": ["m1"]}}"#, r#"shop.filters.table.rules.a.slave: unknown slave "m1""#),
    ] {
        assert_eq!(rules(written).1, [expected]);
    }
    let (_, problems) = four(r#""filters": {"table": {}, "random": {}}"#);
    assert_eq!(problems, ["shop.filters.table: expected the key `rules`"]);
}

#[test]
fn the_programs_filters_are_named_or_in_a_library() {
    let callback = |written: &str| four(&format!(r#""filters": {{"user": {written}}}"#));
    let (shop, problems) = callback(r#"{"callback": "pick"}"#);
    assert_eq!((&shop.filters[..], problems.len()), (&[FilterSpec::User(Callback::Named("pick".into()))][..], 0));
    let (shop, problems) = callback(r#"{"library": "lib.so", "symbol": "pick"}"#);
    let library = Callback::InLibrary { library: "lib.so".into(), symbol: "pick".into() };
    assert_eq!((&shop.filters[..], problems.len()), (&[FilterSpec::User(library)][..], 0));
    let both = r#"shop.filters.user: expected {"callback": NAME} or {"library": FILE, "symbol": NAME}"#;
    for (written, expected) in [
        ("{}", both),
        (r#"{"library": "x"}"#, both),
        (r#"{"callback": "a", "library": "x", "symbol": "y"}"#, both),
        (r#"{"callback": ""}"#, "shop.filters.user.callback: expected a name, found an empty string"),
        (r#"{"callback": []}"#, "shop.filters.user.callback: expected a string, found a list"),
        ("[]", "shop.filters.user: expected the key `callback`, or `library` and `symbol`, found a list"),
    ] {
        let (shop, problems) = callback(written);
        assert_eq!(problems, [expected]);
        assert!(shop.refused.is_some());
    }
    assert_eq!(
        complaints(r#""filters": ["user"]"#),
        ["shop.filters[0]: expected the key `callback`, or `library` and `symbol`"]
    );
}
