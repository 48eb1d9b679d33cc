//! Two sections with the same board stand for two processes; `tests/board.rs` has real ones.

use std::os::unix::fs::FileExt;

use super::*;
use crate::cluster::config::Config;
use crate::cluster::gtid::Position;
use crate::cluster::lag::Lag;
use crate::cluster::roles::Verdict;
use crate::cluster::topology::{NodeId, NodeSet, Role};

fn id(index: usize) -> NodeId {
    NodeId::new(index).expect("small")
}

fn set(nodes: &[usize]) -> NodeSet {
    nodes.iter().map(|index| id(*index)).collect()
}

fn position(text: &str) -> Position {
    Position::parse_any(text.as_bytes()).expect("position")
}

/// A section of one source and two replicas whose board is in that folder.
fn process(folder: &Path, keys: &str) -> Section {
    let text = format!(
        r#"{{"shop": {{"master": [{{"host": "a"}}], "slave": [{{"host": "b"}}, {{"host": "c"}}], {keys}
           "filters": {{"roundrobin": []}}}}}}"#
    );
    let mut section = Config::parse(&text, Path::new("/a.json"), false).expect("parsed").config.take_first();
    assert!(section.refused.is_none(), "{:?}", section.refused);
    section.board = Board::new(Path::new("/a.json"), "shop", Some(folder), None);
    section
}

fn pass(section: &Section, now: Duration) {
    section.board.exchange(section, now);
}

const NOW: Duration = Duration::from_secs(1000);

fn turn(section: &Section) -> usize {
    section.balance.next(Role::Replica, section.replicas, section.replicas).expect("a node").index()
}

#[test]
fn a_failure_is_known_to_others_and_so_is_its_end() {
    let folder = tempfile::tempdir().expect("folder");
    let (one, other) = (process(folder.path(), ""), process(folder.path(), ""));
    one.health.failed(id(1), 2003, NOW);
    pass(&one, NOW);
    pass(&other, NOW);
    assert_eq!(other.health.failed_nodes(NOW), set(&[1]));
    let later = NOW + Duration::from_secs(1);
    assert!(other.health.well(id(1), later));
    pass(&other, later);
    assert!(!one.health.failed_nodes(later).is_empty());
    pass(&one, later);
    assert!(one.health.failed_nodes(later).is_empty());
}

#[test]
fn programs_with_one_statement_take_turns() {
    let folder = tempfile::tempdir().expect("folder");
    let turns: Vec<usize> = (0..6)
        .map(|_| {
            let section = process(folder.path(), "");
            pass(&section, NOW);
            turn(&section)
        })
        .collect();
    assert_eq!(turns, [1, 2, 1, 2, 1, 2]);
    // One with many tells of them later.
    let long = process(folder.path(), "");
    pass(&long, NOW);
    assert_eq!((0..3).map(|_| turn(&long)).collect::<Vec<_>>(), [1, 2, 1]);
    pass(&long, NOW + EVERY);
    let next = process(folder.path(), "");
    pass(&next, NOW);
    assert_eq!(turn(&next), 2);
}

#[test]
fn what_was_written_is_known_where_it_is_shared() {
    let folder = tempfile::tempdir().expect("folder");
    let (one, other) = (process(folder.path(), ""), process(folder.path(), ""));
    other.progress.share();
    one.progress.wrote(b"shop", &position("0-1-3"), NOW);
    assert!(one.board.publish(&one, NOW));
    assert!(other.board.listen(&other, NOW).is_some());
    assert_eq!(other.progress.written(b"shop"), None, "the writer does not share");
    one.progress.share();
    one.board.forget();
    assert!(one.board.publish(&one, NOW));
    assert_eq!(other.board.listen(&other, NOW), Some(0));
    assert_eq!(other.progress.written(b"shop"), Some(position("0-1-3")));
}

#[test]
fn positions_lags_and_versions_are_known_to_others() {
    let folder = tempfile::tempdir().expect("folder");
    let (one, other) = (process(folder.path(), ""), process(folder.path(), ""));
    one.facts.learn(b"10.11.19-MariaDB", true);
    one.progress.met(id(2), b"17", &position("0-1-4"), NOW);
    one.lag.measured(id(2), Lag::Behind(Duration::from_millis(40)), NOW);
    assert!(one.lag.claim(id(1), NOW));
    pass(&one, NOW);
    pass(&other, NOW);
    assert_eq!(other.facts.get().map(|known| known.version.clone()), Some(b"10.11.19-MariaDB".to_vec()));
    assert!(other.progress.covers(id(2), &position("0-1-4")));
    assert_eq!(other.lag.at_most(id(2), NOW), Some(Duration::from_millis(40)));
    assert!(!other.lag.claim(id(1), NOW), "one process is asking");
}

#[test]
fn one_process_asks_a_node_for_its_lag() {
    let folder = tempfile::tempdir().expect("folder");
    let (one, other) = (process(folder.path(), ""), process(folder.path(), ""));
    let refresh = Duration::from_millis(500);
    pass(&one, NOW);
    pass(&other, NOW);
    assert!(one.board.claim(&one, id(1), NOW, refresh) && !other.board.claim(&other, id(1), NOW, refresh));
    assert!(other.board.claim(&other, id(2), NOW, refresh) && !one.board.claim(&one, id(2), NOW, refresh));
    one.lag.measured(id(1), Lag::Behind(Duration::ZERO), NOW);
    pass(&one, NOW);
    assert!(!other.board.claim(&other, id(1), NOW + refresh / 2, refresh));
    assert_eq!(other.lag.at_most(id(1), NOW), Some(Duration::ZERO));
    assert!(other.board.claim(&other, id(1), NOW + refresh, refresh));
    // Without a board each asks for itself.
    let alone = process(Path::new(""), "");
    assert!(alone.board.claim(&alone, id(1), NOW, refresh) && !alone.board.claim(&alone, id(1), NOW, refresh));
}

#[test]
fn roles_are_a_reason_to_ask_and_not_believed() {
    let folder = tempfile::tempdir().expect("folder");
    let keys = r#""discover": "read_only","#;
    let (one, other) = (process(folder.path(), keys), process(folder.path(), keys));
    assert!(one.roles.begin(NOW, EVERY));
    one.roles.learn(&Verdict { sources: set(&[1]), replicas: set(&[0, 2]), missing: NodeSet::EMPTY, torn: false });
    one.roles.done(NOW);
    pass(&one, NOW);
    pass(&other, NOW);
    assert!(other.roles.is_hinted());
    assert_eq!(other.sources_now(), set(&[0]));
    let believes_the_file = process(folder.path(), "");
    pass(&believes_the_file, NOW);
    assert!(!believes_the_file.roles.is_hinted());
}

#[test]
fn statements_of_other_processes_count() {
    let folder = tempfile::tempdir().expect("folder");
    let section = || {
        let mut section = process(folder.path(), "");
        section.filters = vec![crate::cluster::config::FilterSpec::LeastInFlight];
        section
    };
    let (one, other) = (section(), section());
    let _ticket = one.balance.sent(id(1), None);
    pass(&one, NOW);
    // The same process: told under the same number, which is not heard.
    pass(&other, NOW);
    assert_eq!(other.balance.in_flight(id(1)), 0);
    let path = one.board.path().expect("used");
    let text = String::from_utf8_lossy(&std::fs::read(path).expect("read")).into_owned();
    assert!(text.contains(&format!("\"in_flight\":{{\"{}\":", std::process::id())), "{text}");
}

#[test]
fn garbage_is_replaced_and_what_may_be_lost_is_counted() {
    let folder = tempfile::tempdir().expect("folder");
    let (one, other) = (process(folder.path(), ""), process(folder.path(), ""));
    one.health.failed(id(1), 2003, NOW);
    pass(&one, NOW);
    assert_eq!(other.board.listen(&other, NOW), Some(0));
    let path = one.board.path().expect("used");
    let file = File::options().read(true).write(true).open(&path).expect("opened");
    for round in 1..3 {
        match round {
            1 => file.write_all_at(&[0xff; 300], 0).expect("overwritten"),
            _ => file.set_len(0).expect("emptied"),
        }
        assert_eq!(other.board.listen(&other, NOW), Some(round), "round {round}");
        pass(&one, NOW);
        assert_eq!(other.board.listen(&other, NOW), Some(round), "round {round}");
        assert_eq!(other.health.failed_nodes(NOW), set(&[1]));
    }
    // Cut behind a state that is known: only a newcomer misses something.
    file.set_len(100).expect("cut");
    let newcomer = process(folder.path(), "");
    assert_eq!((other.board.listen(&other, NOW), newcomer.board.listen(&newcomer, NOW)), (Some(2), Some(1)));
    pass(&newcomer, NOW);
    pass(&one, NOW);
    pass(&newcomer, NOW);
    assert_eq!(newcomer.health.failed_nodes(NOW), set(&[1]));
    std::fs::remove_file(&path).expect("removed");
    pass(&one, NOW);
    pass(&other, NOW);
    assert_eq!(other.health.failed_nodes(NOW), set(&[1]));
}

#[test]
fn without_a_board_everything_is_per_process() {
    let section = process(Path::new(""), "");
    assert!(section.board.is_due(NOW));
    pass(&section, NOW);
    assert!(!section.board.is_due(NOW + Duration::from_secs(3600)));
    assert_eq!((section.board.listen(&section, NOW), section.board.path()), (None, None));
    assert!(!section.board.publish(&section, NOW));
    let unusable = process(Path::new("/proc/mysqlclient-ms"), "");
    pass(&unusable, NOW);
    assert!(!unusable.board.is_due(NOW + EVERY) && unusable.board.is_due(NOW + AFTER_FAILURE));
    assert_eq!(unusable.board.listen(&unusable, NOW), None);
}

#[test]
fn a_locked_board_is_read_and_written_a_little_later() {
    let folder = tempfile::tempdir().expect("folder");
    let (one, other) = (process(folder.path(), ""), process(folder.path(), ""));
    pass(&one, NOW);
    let locked = File::open(one.board.path().expect("used")).expect("opened");
    locked.lock().expect("locked");
    one.health.failed(id(1), 2003, NOW);
    pass(&one, NOW);
    assert!(one.board.is_due(NOW + SOON));
    assert!(other.board.listen(&other, NOW).is_some());
    assert!(other.health.failed_nodes(NOW).is_empty());
    drop(locked);
    pass(&one, NOW + SOON);
    assert!(other.board.listen(&other, NOW).is_some());
    assert_eq!(other.health.failed_nodes(NOW), set(&[1]));
}

#[test]
fn another_run_of_the_machine_has_another_clock() {
    let folder = tempfile::tempdir().expect("folder");
    let one = process(folder.path(), "");
    pass(&one, NOW);
    let mut record = Record { boot: "another".into(), ..Record::default() };
    let failure = record::Failure { until: u64::MAX, code: 2003, at: u64::MAX - 1 };
    record.nodes.insert("b:3306".into(), record::Node { failure: Some(failure), ..record::Node::default() });
    let path = one.board.path().expect("used");
    file::replace(&File::options().write(true).open(path).expect("opened"), &record, 7).expect("written");
    let other = process(folder.path(), "");
    pass(&other, NOW);
    assert!(other.health.failed_nodes(NOW).is_empty());
    pass(&one, NOW);
    assert!(one.health.failed_nodes(NOW).is_empty());
}
