//! What one program needs on a cluster that it shares with others: an account and a database of its own, a folder for its
//! files; and the comparison of its work with the original library and with ours.

use crate::fetched;
use crate::logs::{asks, listed, marks, seen, set_up};
use crate::running::{Daemon, configure, finish, plain};
use harness::{Cluster, Family, LogEntry, library};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The password of every program's account.
pub const PASSWORD: &str = "Secret-9";

/// A test of one program, `$name`, on each family: `$play` is given a [`Stage`].
macro_rules! on_both {
    ($name:literal, $play:path) => {
        #[test]
        fn mariadb() {
            $crate::stage::play(harness::Family::MariaDb, $name, $play);
        }

        #[test]
        fn mysql() {
            $crate::stage::play(harness::Family::MySql, $name, $play);
        }
    };
}
pub(crate) use on_both;

/// Runs `play` on a stage for the program `name`; says that it was left out where that cannot be.
pub fn play(family: Family, name: &'static str, play: fn(&Stage)) {
    if !harness::families().contains(&family) {
        return;
    }
    if let Some(root) = fetched::root() {
        play(&Stage::open(family, name, root));
    }
}

/// A program's part of the cluster.
pub struct Stage {
    /// The source is node 0.
    pub cluster: &'static Cluster,
    /// The program's name: its folder beside this file, the end of its account's and its database's name.
    pub name: &'static str,
    /// Its account; the password is [`PASSWORD`].
    pub user: String,
    /// Its database, in which the account may do everything.
    pub database: String,
    folder: tempfile::TempDir,
    config: PathBuf,
    root: PathBuf,
}

impl Stage {
    fn open(family: Family, name: &'static str, root: PathBuf) -> Stage {
        let cluster = harness::shared(family);
        let (user, database) = (format!("p_{name}"), format!("test_{name}"));
        let folder = tempfile::Builder::new().prefix("ms-").tempdir().unwrap();
        // A program that runs as root may read its files as somebody else.
        std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let config = configure(cluster, folder.path());
        let stage = Stage { cluster, name, user, database, folder, config, root };
        let (user, database) = (&stage.user, &stage.database);
        cluster
            .sql(
                0,
                &format!(
                    "CREATE DATABASE {database} CHARACTER SET utf8mb4;
                     CREATE USER '{user}'@'%' IDENTIFIED BY '{PASSWORD}';
                     GRANT ALL PRIVILEGES ON {database}.* TO '{user}'@'%'"
                ),
            )
            .unwrap();
        stage
    }

    /// Makes the database anew, without tables.
    pub fn empty(&self) {
        let name = &self.database;
        self.cluster.sql(0, &format!("DROP DATABASE {name}; CREATE DATABASE {name} CHARACTER SET utf8mb4")).unwrap();
    }

    /// Runs statements as root on the source, in the program's database; the last result.
    pub fn sql(&self, text: &str) -> harness::Rows {
        self.cluster.sql(0, &format!("USE {}; {text}", self.database)).unwrap()
    }

    /// All rows of a statement's result on the source, a row a line, tabs between the values.
    pub fn rows(&self, text: &str) -> String {
        let text_of = |value: &Option<String>| value.clone().unwrap_or_else(|| "NULL".into());
        let rows = self.sql(text).rows;
        rows.iter().map(|row| row.iter().map(text_of).collect::<Vec<_>>().join("\t") + "\n").collect()
    }

    /// A file of the program's own folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Where an unpacked package put `path`.
    pub fn unpacked(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Lets the program work with the original library and with ours, `ready` ahead of each, and holds that
    /// * what it makes of it, `work`'s value, is the same,
    /// * with the original everything is on the source,
    /// * it sends the same statements, wherever they run,
    /// * the replicas get nothing but reads.
    ///
    /// The run with ours.
    pub fn compare(&self, ready: impl Fn(), work: impl Fn(&Run) -> String) -> Seen {
        self.compare_alike(str::to_string, ready, work)
    }

    /// The same for a program whose statements have changing parts: texts that `alike` makes equal are.
    pub fn compare_alike(
        &self,
        alike: impl Fn(&str) -> String,
        ready: impl Fn(),
        work: impl Fn(&Run) -> String,
    ) -> Seen {
        let what = format!("{} on {}", self.name, self.cluster.family());
        let once = |routed: bool| {
            ready();
            self.cluster.wait_in_step().unwrap();
            let from = marks(self.cluster);
            let made = work(&Run { stage: self, routed });
            Seen { made, nodes: seen(self.cluster, &self.user, &from) }
        };
        let alone = once(false);
        assert!(alone.nodes[1].is_empty() && alone.nodes[2].is_empty(), "{what}, alone: only the source is used");
        let texts = |seen: &Seen| {
            let mut texts: Vec<String> = seen.own().map(|entry| alike(&entry.argument)).collect();
            texts.sort();
            texts
        };
        assert!(!texts(&alone).is_empty(), "{what}, alone: it sends statements; {:?}", alone.made);
        let seen = once(true);
        assert_eq!(seen.made, alone.made, "{what}: the same comes of it with the library");
        let (with_ours, mut twice) = (texts(&seen), Vec::new());
        let mut left = texts(&alone);
        for text in with_ours {
            match left.binary_search(&text) {
                Ok(at) => drop(left.remove(at)),
                Err(_) => twice.push(text),
            }
        }
        assert!(left.is_empty(), "{what}: not sent with the library: {left:#?}; only with it: {twice:#?}");
        // A read that a question ahead of it sent back is in the log of the replica, too.
        let asked = texts(&alone);
        let again = |text: &String| text.starts_with("SELECT") && asked.binary_search(text).is_ok();
        assert!(
            twice.len() <= seen.questions() && twice.iter().all(again),
            "{what}: sent with the library only: {twice:#?}"
        );
        let read = |entry: &LogEntry| {
            let text = entry.argument.trim_start().to_ascii_uppercase();
            set_up(entry)
                || ["SELECT", "SHOW", "DESCRIBE"].iter().any(|verb| text.starts_with(verb))
                || ["Close stmt", "Reset stmt", "Field List"].contains(&entry.command.as_str())
        };
        for n in [1, 2] {
            let strange: Vec<&LogEntry> = seen.nodes[n].iter().filter(|entry| !read(entry)).collect();
            assert!(strange.is_empty(), "{what}: replica {n} got more than reads:{}", listed(&strange));
        }
        let on: Vec<usize> = (0..3).map(|n| seen.nodes[n].iter().filter(|entry| own(entry)).count()).collect();
        eprintln!("{what}: statements on source, replicas: {on:?}");
        seen
    }
}

/// One run of a program.
pub struct Seen {
    /// What came of its work.
    pub made: String,
    /// Its account's entries on each node.
    nodes: Vec<Vec<LogEntry>>,
}

/// Whether the program executed it: not a setting, not what our connections do on their own.
fn own(entry: &LogEntry) -> bool {
    matches!(entry.command.as_str(), "Query" | "Execute") && !set_up(entry)
}

impl Seen {
    fn own(&self) -> impl Iterator<Item = &LogEntry> {
        self.nodes.iter().flatten().filter(|entry| own(entry))
    }

    fn count(&self, n: usize, has: &str) -> usize {
        self.nodes[n].iter().filter(|entry| own(entry) && entry.argument.contains(has)).count()
    }

    /// How many statements with `has` in their text ran on the source.
    pub fn on_source(&self, has: &str) -> usize {
        self.count(0, has)
    }

    /// How many ran on each replica.
    pub fn on_replicas(&self, has: &str) -> [usize; 2] {
        [self.count(1, has), self.count(2, has)]
    }

    /// Holds that `count` statements with `has` in their text ran, and all of them on the source.
    pub fn written(&self, has: &str, count: usize) {
        assert_eq!(self.on_source(has), count, "{has:?} on the source:{}", self.listed(0));
        assert_eq!(self.on_replicas(has), [0, 0], "{has:?} on the replicas");
    }

    /// Holds that statements with `has` in their text ran, and all of them on replicas.
    pub fn read_there(&self, has: &str) {
        let (on, source) = (self.on_replicas(has), self.on_source(has));
        assert!(source == 0 && on[0] + on[1] > 0, "{has:?}: source {source}, replicas {on:?}");
    }

    /// How many questions went ahead of reads on replicas.
    fn questions(&self) -> usize {
        self.nodes[1..].iter().flatten().filter(|entry| asks(&entry.argument.to_ascii_uppercase())).count()
    }

    /// Holds that `count` statements with `has` in their text ran, all of them on replicas but for those that a question
    /// ahead of them sent to the source, and that from four on both replicas had some.
    pub fn read(&self, has: &str, count: usize) {
        let ([one, two], source, questions) = (self.on_replicas(has), self.on_source(has), self.questions());
        let what = format!("{has:?}: source {source}, replicas {one} and {two}, {questions} questions");
        assert!((count..=count + source).contains(&(source + one + two)), "{what}, {count} were sent");
        assert!(source <= questions, "{what}: on replicas");
        assert!(count < 4 || source > 0 || one > 0 && two > 0, "{what}: spread over both replicas");
    }

    fn listed(&self, n: usize) -> String {
        listed(&self.nodes[n].iter().filter(|entry| own(entry)).collect::<Vec<_>>())
    }
}

/// One of the two runs of a comparison.
pub struct Run<'a> {
    /// Where.
    pub stage: &'a Stage,
    /// With our library and routing?
    pub routed: bool,
}

impl Run<'_> {
    /// An unpacked program, `usr/bin/…`.
    pub fn program(&self, path: &str) -> Command {
        self.dress(plain(self.stage.root.join(path)))
    }

    /// The same for a program that preloading does not reach, as it looks the client library's functions up in the file
    /// that it opened: our folder of libraries with the originals' names is ahead in its search path.
    pub fn by_name(&self, path: &str) -> Command {
        let mut command = self.program(path);
        if self.routed {
            let libraries = fetched::library_path(&self.stage.root);
            command.env_remove("LD_PRELOAD");
            command.env("LD_LIBRARY_PATH", format!("{}:{libraries}", sonames(self.stage).display()));
        }
        command
    }

    /// The same for a program with compiled-in paths: it sees files of ours (left) at places of the system (right).
    pub fn program_with_paths(&self, path: &str, paths: &[(PathBuf, &str)]) -> Command {
        let mut command = fetched::with_paths(&self.stage.root, paths);
        command.arg(self.stage.root.join(path));
        self.dress(command)
    }

    fn dress(&self, mut command: Command) -> Command {
        command.env("LD_LIBRARY_PATH", fetched::library_path(&self.stage.root)).env("LC_ALL", "C.UTF-8");
        command.env("HOME", self.stage.folder.path()).current_dir(self.stage.folder.path());
        if self.routed {
            command.env("LD_PRELOAD", library()).env("MYSQLND_MS_ENABLE", "1");
            command.env("MYSQLND_MS_CONFIG_FILE", &self.stage.config);
        }
        command
    }

    /// Puts a file of the program's folder beside this one where the program can read it, the words
    /// `@HOST@`, `@PORT@`, `@USER@`, `@PASSWORD@`, `@DATABASE@`, `@FOLDER@`, `@ROOT@` and those of `more` replaced.
    pub fn fill(&self, name: &str, more: &[(&str, &str)]) -> PathBuf {
        let stage = self.stage;
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real_programs").join(stage.name).join(name);
        let mut text = std::fs::read_to_string(&from).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
        let at = stage.cluster.endpoint(0);
        let (port, folder, root) =
            (at.port.to_string(), stage.folder.path().display().to_string(), stage.root.display().to_string());
        let known: [(&str, &str); 7] = [
            ("HOST", &at.host),
            ("PORT", &port),
            ("USER", &stage.user),
            ("PASSWORD", PASSWORD),
            ("DATABASE", &stage.database),
            ("FOLDER", &folder),
            ("ROOT", &root),
        ];
        for (word, value) in known.iter().chain(more) {
            text = text.replace(&format!("@{word}@"), value);
        }
        let file = stage.file(name);
        std::fs::write(&file, text).unwrap();
        file
    }

    /// Starts a program that stays, its output in a file.
    pub fn start(&self, command: Command) -> Daemon {
        Daemon::start(command, self.stage.file("output"))
    }
}

/// The folder with libmariadb.so.3, made by the script that `make install` uses.
fn sonames(stage: &Stage) -> PathBuf {
    let folder = stage.file("sonames");
    if !folder.exists() {
        let mut command = Command::new("sh");
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/abi/soname/build.sh"));
        command.arg(library().parent().unwrap()).arg(&folder);
        finish(command, "src/abi/soname/build.sh");
        // A link of this name comes with libmariadb-dev; some look for it first.
        std::os::unix::fs::symlink("libmariadb.so.3", folder.join("libmariadbclient.so")).unwrap();
    }
    folder
}
