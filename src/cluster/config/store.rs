//! The configuration of the process: loaded once, loaded again when its files changed, looked at at most once a second.
//!
//! No locks: a handle keeps its [`Snapshot`] and pays one comparison per statement to learn that nothing changed.
//! A fork at any moment leaves it usable. Time comes from the caller.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwapOption;

use super::file::Stamp;
use super::node::Watched;
use super::problem::{Problem, Severity};
use super::{Config, Loaded};

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// One state of the configuration.
#[derive(Debug)]
pub struct Snapshot {
    /// The sections.
    pub config: Arc<Config>,
    /// The mistakes of the newest state of the file. One of [`Severity::File`] says that the file cannot be used: then
    /// `config` is the last good one, or empty if there was none.
    pub problems: Vec<Problem>,
    /// Counts the states from 1.
    pub generation: u64,
    watched: Vec<Watched>,
    /// A file was written so shortly before it was read that a second write may not show: read again at the next look.
    fresh: bool,
}

impl Snapshot {
    /// Why the file as a whole cannot be used.
    pub fn file_problem(&self) -> Option<&Problem> {
        self.problems.iter().find(|problem| problem.severity == Severity::File)
    }
}

/// Keeps the newest [`Snapshot`] of one file.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    multi_master: bool,
    /// Where boards live by default.
    runtime_dir: Option<PathBuf>,
    newest: ArcSwapOption<Snapshot>,
    /// Of the newest.
    generation: AtomicU64,
    /// When the files are looked at again, milliseconds.
    next_look: AtomicU64,
}

impl Store {
    /// For this file; nothing is read yet.
    pub fn new(path: impl Into<PathBuf>, multi_master: bool) -> Self {
        Store {
            path: path.into(),
            multi_master,
            runtime_dir: None,
            newest: ArcSwapOption::empty(),
            generation: AtomicU64::new(0),
            next_look: AtomicU64::new(0),
        }
    }

    /// With the user's folder for what lives as long as the session.
    pub fn with_runtime_dir(self, runtime_dir: Option<PathBuf>) -> Self {
        Store { runtime_dir, ..self }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The present state, after a look at the files if the last one is a second ago.
    pub fn current(&self, now: Duration) -> Arc<Snapshot> {
        let newest = self.newest.load_full();
        let look = self.is_time_to_look(now);
        match newest {
            Some(snapshot) if !look || !snapshot.has_changed() => snapshot,
            earlier => self.read(earlier),
        }
    }

    /// Whether a newer state than `held` may exist: one load and comparison when it is not time to look.
    /// Meant for the start of a statement outside a transaction; when true, ask [`Store::current`].
    pub fn may_have_changed(&self, held: &Snapshot, now: Duration) -> bool {
        now.as_millis() as u64 >= self.next_look.load(Ordering::Relaxed)
            || self.generation.load(Ordering::Acquire) != held.generation
    }

    /// True for one caller per second: the others go on with what there is.
    fn is_time_to_look(&self, now: Duration) -> bool {
        let now_ms = now.as_millis() as u64;
        let next = self.next_look.load(Ordering::Relaxed);
        let after = (now + LOOK_EVERY).as_millis() as u64;
        now_ms >= next && self.next_look.compare_exchange(next, after, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    fn read(&self, earlier: Option<Arc<Snapshot>>) -> Arc<Snapshot> {
        let generation = earlier.as_ref().map_or(1, |earlier| earlier.generation + 1);
        let stamp_before = Stamp::of(&self.path);
        let snapshot = match Config::load(&self.path, self.multi_master) {
            Ok(Loaded { mut config, problems, watched }) => {
                config.find_boards(&self.path, self.runtime_dir.as_deref());
                if let Some(earlier) = &earlier {
                    config.adopt(&earlier.config);
                }
                let time = SystemTime::now();
                let fresh = watched.iter().any(|(_, stamp)| stamp.is_some_and(|stamp| stamp.is_fresh(time)));
                Snapshot { config: Arc::new(config), problems, generation, watched, fresh }
            }
            // A file that an editor is half way through writing must not take the sections away from a running program.
            Err(problem) => Snapshot {
                config: earlier.map(|earlier| earlier.config.clone()).unwrap_or_default(),
                problems: vec![problem],
                generation,
                watched: vec![(self.path.clone(), stamp_before)],
                fresh: stamp_before.is_some_and(|stamp| stamp.is_fresh(SystemTime::now())),
            },
        };
        let snapshot = Arc::new(snapshot);
        self.newest.store(Some(snapshot.clone()));
        self.generation.fetch_max(generation, Ordering::Release);
        snapshot
    }
}

impl Snapshot {
    fn has_changed(&self) -> bool {
        self.fresh || self.watched.iter().any(|(path, stamp)| Stamp::of(path) != *stamp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(name: &str) -> String {
        format!(r#"{{"{name}": {{"master": [{{"host": "a"}}], "slave": [{{"host": "b"}}]}}}}"#)
    }

    /// A file in a folder of its own, with a time of change in the past so that it does not count as fresh.
    struct Fixture {
        _folder: tempfile::TempDir,
        path: PathBuf,
        age: u64,
    }

    impl Fixture {
        fn new(text: &str) -> Self {
            let folder = tempfile::tempdir().expect("folder");
            let path = folder.path().join("a.json");
            let mut fixture = Fixture { _folder: folder, path, age: 1000 };
            fixture.write(text);
            fixture
        }

        fn write(&mut self, text: &str) {
            std::fs::write(&self.path, text).expect("written");
            self.age -= 10;
            let time = SystemTime::now() - Duration::from_secs(self.age);
            let file = std::fs::File::options().write(true).open(&self.path).expect("open");
            file.set_modified(time).expect("time");
        }
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_change_is_seen_after_a_second_and_not_before() {
        let mut fixture = Fixture::new(&section("one"));
        let store = Store::new(&fixture.path, false);
        let first = store.current(seconds(10));
        assert!(first.config.section("one").is_some());
        fixture.write(&section("two"));
        assert!(!store.may_have_changed(&first, Duration::from_millis(10_999)));
        assert!(Arc::ptr_eq(&first, &store.current(Duration::from_millis(10_999))));
        assert!(store.may_have_changed(&first, seconds(11)));
        let second = store.current(seconds(11));
        assert!(second.config.section("one").is_none() && second.config.section("two").is_some());
        // Another handle learns of it without a look of its own.
        assert!(store.may_have_changed(&first, Duration::from_millis(11_001)));
        assert!(!store.may_have_changed(&second, Duration::from_millis(11_001)));
        assert!(Arc::ptr_eq(&second, &store.current(seconds(20))));
    }

    #[test]
    fn a_broken_file_keeps_the_last_good_sections() {
        let mut fixture = Fixture::new(&section("one"));
        let store = Store::new(&fixture.path, false);
        store.current(seconds(0));
        fixture.write("{ half");
        let broken = store.current(seconds(1));
        assert!(broken.file_problem().is_some() && broken.config.section("one").is_some());
        std::fs::remove_file(&fixture.path).expect("removed");
        let gone = store.current(seconds(2));
        assert!(gone.file_problem().expect("problem").text.contains("cannot be opened"));
        assert!(gone.config.section("one").is_some());
        fixture.write(&section("two"));
        let well = store.current(seconds(3));
        assert!(well.file_problem().is_none() && well.config.section("two").is_some());
    }

    #[test]
    fn a_missing_file_is_an_empty_configuration_with_a_reason() {
        let store = Store::new("/nonexistent/a.json", false);
        let snapshot = store.current(seconds(0));
        assert!(snapshot.config.sections().is_empty());
        assert!(snapshot.file_problem().is_some());
        assert!(Arc::ptr_eq(&snapshot, &store.current(seconds(5))));
    }

    #[test]
    fn failures_survive_a_reload() {
        let mut fixture = Fixture::new(&section("one"));
        let store = Store::new(&fixture.path, false);
        let first = store.current(seconds(0));
        let old = first.config.section("one").expect("there");
        let replica = old.replicas.nth(0).expect("one");
        old.health.failed(replica, 2003, seconds(1));
        fixture.write(r#"{"one": {"master": [{"host": "c"}], "slave": [{"host": "x"}, {"host": "b"}]}}"#);
        let second = store.current(seconds(2));
        let new = second.config.section("one").expect("there");
        assert_eq!(new.health.failed_nodes(seconds(2)), new.replicas.nth(1).into_iter().collect());
    }

    #[test]
    fn a_section_that_says_the_same_stays_the_same() {
        let mut fixture = Fixture::new(&section("one"));
        let store = Store::new(&fixture.path, false);
        let first = store.current(seconds(0));
        fixture.write(&format!("{}   ", section("one")));
        let second = store.current(seconds(1));
        assert!(!Arc::ptr_eq(&first, &second));
        let one = |snapshot: &Snapshot| Arc::clone(snapshot.config.section("one").expect("there"));
        assert!(Arc::ptr_eq(&one(&first), &one(&second)));
        // A node more: what is known of the others is kept.
        let old = one(&first);
        let replicas = old.replicas;
        let role = crate::cluster::topology::Role::Replica;
        let node = replicas.nth(0).expect("one");
        let _ticket = old.balance.sent(node, None);
        old.balance.next(role, replicas, replicas);
        fixture.write(r#"{"one": {"master": [{"host": "a"}], "slave": [{"host": "x"}, {"host": "b"}]}}"#);
        let new = one(&store.current(seconds(2)));
        let there = new.replicas.nth(1).expect("two");
        assert_eq!((new.balance.in_flight(there), new.balance.in_flight(node)), (1, 0));
    }

    #[test]
    fn a_changed_password_file_counts_as_a_change() {
        let mut fixture =
            Fixture::new(r#"{"one": {"master": [{"host": "a", "password_file": "secret"}], "slave": []}}"#);
        let secret = fixture.path.with_file_name("secret");
        std::fs::write(&secret, "old\n").expect("written");
        let file = std::fs::File::options().write(true).open(&secret).expect("open");
        file.set_modified(SystemTime::now() - seconds(100)).expect("time");
        let store = Store::new(&fixture.path, false);
        let password = |snapshot: &Snapshot| {
            let node = &snapshot.config.section("one").expect("there").nodes[0];
            node.password.clone().expect("one").reveal().to_vec()
        };
        assert_eq!(password(&store.current(seconds(0))), b"old");
        std::fs::write(&secret, "new\n").expect("written");
        assert_eq!(password(&store.current(seconds(1))), b"new");
        fixture.write("{}");
        assert!(store.current(seconds(2)).config.sections().is_empty());
    }
}
