//! Starting programs: with or without our library, with the configuration that routes them; to their end, or for a while.

use harness::{Cluster, library};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Writes a cluster's configuration into `folder`; the file. Others may read it, as there is no password in it: a daemon
/// reads it when it first connects, which may be after it became somebody else.
pub fn configure(cluster: &Cluster, folder: &Path) -> PathBuf {
    let config = folder.join("routing.json");
    std::fs::write(&config, routing(cluster)).unwrap();
    std::fs::set_permissions(&config, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    config
}

/// One section, reached by the port that programs connect to anyway. `master_on_write` is off: what is looked at is
/// where each statement goes by itself.
fn routing(cluster: &Cluster) -> String {
    let node = |n: usize| {
        let at = cluster.endpoint(n);
        format!(r#"{{"host": "{}", "port": {}}}"#, at.host, at.port)
    };
    format!(
        r#"{{"shop": {{
            "master": {{"primary": {}}},
            "slave": {{"replica1": {}, "replica2": {}}},
            "match": {{"host": "{}", "port": {}}},
            "filters": {{"roundrobin": []}},
            "master_on_write": false
        }}}}"#,
        node(0),
        node(1),
        node(2),
        cluster.endpoint(0).host,
        cluster.endpoint(0).port
    )
}

/// A command with routing on for connects to the primary's port; the program is told nothing.
pub fn routed(program: impl AsRef<OsStr>, config: &Path) -> Command {
    let mut command = plain(program);
    command.env("LD_PRELOAD", library()).env("MYSQLND_MS_ENABLE", "1").env("MYSQLND_MS_CONFIG_FILE", config);
    command
}

/// A command without our library, whatever the environment of this test says.
pub fn plain(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("MYSQLND_MS_") || name == "MYSQL_PWD" || name == "LD_PRELOAD" {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null());
    command
}

/// Runs a program to its good end; its standard output. With ours, its standard error must stay as it is without.
pub fn finish(mut command: Command, what: &str) -> (String, String) {
    let output = command.output().unwrap_or_else(|error| panic!("{what}: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{what}: {}\n{out}\n{err}", output.status);
    (out.into_owned(), err.into_owned())
}

/// A program that stays until this is dropped; then it ends, with what it has started.
pub struct Daemon {
    child: Child,
    output: PathBuf,
}

impl Daemon {
    /// Starts it in a process group of its own, with its output in a file.
    pub fn start(mut command: Command, output: PathBuf) -> Daemon {
        let file = std::fs::File::create(&output).unwrap();
        command.stdout(file.try_clone().unwrap()).stderr(file);
        let child = harness::process::spawn(command).unwrap();
        Daemon { child, output }
    }

    /// Asks until there is an answer, as long as the program runs.
    ///
    /// # Panics
    /// When it has ended, or does not come to it in a minute; with its output.
    pub fn until<T>(&mut self, what: &str, mut answer: impl FnMut() -> Option<T>) -> T {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            if let Some(answer) = answer() {
                return answer;
            }
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none(), "{what}: the program has ended, {ended:?}:\n{}", self.said());
            assert!(Instant::now() < deadline, "{what}: not in a minute:\n{}", self.said());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// What it has written so far.
    pub fn said(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.output).unwrap()).into_owned()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let group = rustix::process::Pid::from_child(&self.child);
        harness::process::end(&mut self.child, Duration::from_secs(10));
        // What it has started and not ended itself; mostly nothing.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

/// A port that is free for both TCP and UDP on 127.0.0.1.
pub fn free_port() -> u16 {
    loop {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        if std::net::UdpSocket::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// The account and the group that a daemon may run as: nobody's for root, else this process's own.
pub fn account() -> (String, String) {
    if rustix::process::geteuid().is_root() {
        return ("nobody".into(), "nogroup".into());
    }
    let of = |what: &str| {
        let mut command = plain("id");
        command.arg(what);
        finish(command, "id").0.trim().to_string()
    };
    (of("-un"), of("-gn"))
}
