//! The program `cluster`: what it tells its command, what it obeys, and that it leaves nothing behind.
#![allow(clippy::unwrap_used)]

use harness::{control, families};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn cluster() -> Command {
    Command::new(env!("CARGO_BIN_EXE_cluster"))
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A folder for one test, not yet there.
fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("ms-program-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn wait_gone(folder: &Path) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while folder.exists() {
        assert!(Instant::now() < deadline, "{} is still there", folder.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn run_gives_its_command_the_servers_and_exits_as_it_does() {
    for family in families() {
        let script = "set -e
            test $MS_NODES = 2; test -S $MS_NODE1_SOCKET; test -s $MS_CA; test -n \"$MS_NODE1_PORT\"
            $CLUSTER ctl $MS_DIR sql 0 'CREATE TABLE test.r (i INT)'
            $CLUSTER ctl $MS_DIR wait
            $CLUSTER ctl $MS_DIR sql 1 'SELECT COUNT(*), @@server_id FROM test.r'
            $CLUSTER ctl $MS_DIR kill 1
            $CLUSTER ctl $MS_DIR state
            echo dir=$MS_DIR; exit 7";
        let output = cluster()
            .args(["run", "--family", family.name(), "--replicas", "1", "--", "sh", "-c", script])
            .env("CLUSTER", env!("CARGO_BIN_EXE_cluster"))
            .output()
            .unwrap();
        let said = text(&output);
        assert_eq!(output.status.code(), Some(7), "{said}");
        assert!(said.contains("0\t2\n0 primary up\n1 replica dead\n"), "{said}");
        let folder = said.lines().find_map(|line| line.strip_prefix("dir=")).unwrap();
        assert!(!Path::new(folder).exists());
    }
}

#[test]
fn a_signal_ends_the_command_the_servers_and_the_folder() {
    for signal in [libc::SIGTERM, libc::SIGINT] {
        let mut child = cluster()
            .args(["run", "--replicas", "1", "--", "sh", "-c", "echo $MS_DIR; exec sleep 1000"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut folder = String::new();
        lines.read_line(&mut folder).unwrap();
        let servers = servers_of(folder.trim());
        assert_eq!(servers.len(), 2, "{folder}");
        kill(&child, signal);
        assert_eq!(child.wait().unwrap().code(), Some(128 + signal));
        assert_eq!(lines.read_to_end(&mut Vec::new()).unwrap(), 0, "the command has ended too");
        wait_gone(Path::new(folder.trim()));
        assert!(servers.iter().all(|pid| !Path::new(&format!("/proc/{pid}")).exists()));
    }
}

#[test]
fn servers_die_with_a_killed_program_and_the_next_start_sweeps_its_folder() {
    let base = scratch("killed");
    std::fs::create_dir(&base).unwrap();
    let run = |script: &str| {
        let mut command = cluster();
        command.args(["run", "--replicas", "0", "--", "sh", "-c", script]).env("CLUSTER_DIR", &base);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        command
    };
    let mut child = run("echo $MS_DIR; exec sleep 1").spawn().unwrap();
    let mut folder = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut folder).unwrap();
    let folder = PathBuf::from(folder.trim());
    let servers = servers_of(&folder.display().to_string());
    kill(&child, libc::SIGKILL);
    child.wait().unwrap();
    for pid in servers {
        wait_gone(Path::new(&format!("/proc/{pid}")));
    }
    assert!(folder.exists());
    assert!(run("true").status().unwrap().success());
    assert!(!folder.exists());
    std::fs::remove_dir_all(base).unwrap();
}

#[test]
fn up_obeys_until_down() {
    let folder = scratch("up");
    let mut child = cluster()
        .args(["up", &folder.display().to_string(), "--replicas", "1", "--general-log"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut ready = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    assert_eq!(ready, "ready\n");
    let ctl = |order: &[&str]| {
        let output = cluster().arg("ctl").arg(&folder).args(order).output().unwrap();
        (output.status.success(), text(&output))
    };
    assert_eq!(ctl(&["promote", "1"]), (true, String::new()));
    assert_eq!(ctl(&["state"]), (true, "0 replica up\n1 primary up\n".into()));
    assert_eq!(ctl(&["sql", "1", "SELECT 1;\nSELECT 'a', NULL"]), (true, "a\tNULL\n".into()));
    let (known, said) = ctl(&["freeze", "2"]);
    assert!(!known && said.contains("there is no node 2"), "{said}");
    let (known, said) = ctl(&["dance"]);
    assert!(!known && said.contains("no order 'dance'"), "{said}");
    let (_, environment) = ctl(&["env"]);
    assert!(environment.contains("export MS_PRIMARY='1'\n"), "{environment}");
    assert!(ctl(&["down"]).0);
    assert!(child.wait().unwrap().success());
    assert!(!folder.exists());
}

#[test]
fn the_proxy_takes_orders() {
    let socket = scratch("proxy");
    let mut child = cluster()
        .args(["proxy", "--target", "127.0.0.1:1", "--control", &socket.display().to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut address = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
    // port 1 is not served: the proxy passes that on as a reset
    let mut stream = std::net::TcpStream::connect(address.trim()).unwrap();
    assert!(stream.read(&mut [0; 1]).is_err());
    let stats = control::send(&socket, "stats").unwrap();
    assert!(stats.starts_with("connections=1 "), "{stats}");
    for order in ["delay 5", "trickle 3", "cut-down 10 fin", "black-hole", "refuse", "pass", "end-all"] {
        assert_eq!(control::send(&socket, order).unwrap(), "", "{order}");
    }
    assert!(control::send(&socket, "cut-up 1 gently").is_err());
    let down = cluster().arg("proxy-ctl").arg(&socket).arg("down").status().unwrap();
    assert!(down.success());
    assert!(child.wait().unwrap().success());
    assert!(!socket.exists());
}

fn kill(child: &Child, signal: i32) {
    // SAFETY: kill takes two integers; the pid is our child's, not yet waited for.
    assert_eq!(unsafe { libc::kill(child.id() as i32, signal) }, 0);
}

/// The pids of the processes whose command line names `folder` in an option of a server.
fn servers_of(folder: &str) -> Vec<u32> {
    let mark = format!("--datadir={folder}/");
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&line).contains(&mark) {
            found.push(pid);
        }
    }
    found
}
