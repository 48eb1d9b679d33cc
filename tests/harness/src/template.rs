//! Initialised data directories, made once for each server version and copied for each node.
//!
//! A template already has the accounts and the database, made without a binary log: its copies start with an empty GTID
//! position, so a replica can follow a primary at once.

use crate::error::{Context, Error, Result};
use crate::family::{Family, Tools, non_empty};
use crate::{ADMIN_PASSWORD, ADMIN_USER, APP_PASSWORD, APP_USER, DATABASE, REPL_PASSWORD, REPL_USER};
use crate::{process, rootsql};
use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Counts up when what a template contains changes.
const LAYOUT: u32 = 1;

/// How long a server may take to initialise or to answer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// The folder of all templates: `$CLUSTER_TEMPLATES`, else a folder of this user in the temporary directory.
fn home() -> PathBuf {
    match non_empty("CLUSTER_TEMPLATES") {
        Some(folder) => folder.into(),
        None => std::env::temp_dir().join(format!("ms-cluster-templates-{}", user_id())),
    }
}

pub(crate) fn user_id() -> u32 {
    rustix::process::getuid().as_raw()
}

/// `--user=root` for root, who has to say that he means it.
pub(crate) fn user_args() -> Vec<String> {
    if user_id() == 0 { vec!["--user=root".into()] } else { Vec::new() }
}

/// The data directory of the template for these tools; makes it when it is not there. Safe in parallel.
pub(crate) fn data(family: Family, tools: &Tools) -> Result<PathBuf> {
    let mut key = DefaultHasher::new();
    (LAYOUT, tools.version()?, &tools.server, accounts(family)).hash(&mut key);
    let home = home();
    fs::create_dir_all(&home).context(|| format!("making {}", home.display()))?;
    let folder = home.join(format!("{family}-{:016x}", key.finish()));
    let lock = File::create(folder.with_extension("lock"))?;
    lock.lock()?;
    if folder.join("data").is_dir() {
        return Ok(folder.join("data"));
    }
    let building = folder.with_extension("new");
    match fs::remove_dir_all(&building) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    fs::create_dir_all(building.join("tmp"))?;
    build(family, tools, &building).map_err(|error| with_log(error, &building.join("error.log")))?;
    fs::rename(&building, &folder)?;
    Ok(folder.join("data"))
}

fn build(family: Family, tools: &Tools, folder: &Path) -> Result<()> {
    let data = folder.join("data");
    let mut init = Command::new(tools.installer.as_ref().unwrap_or(&tools.server));
    init.arg("--no-defaults").args(user_args()).arg(format!("--datadir={}", data.display()));
    match family {
        Family::MariaDb => init.args([
            "--skip-test-db",
            "--auth-root-authentication-method=normal",
            "--innodb-log-file-size=8M",
            "--innodb-doublewrite=0",
        ]),
        Family::MySql => init.args([
            "--initialize-insecure",
            "--skip-log-bin",
            "--mysqlx=OFF",
            "--innodb-redo-log-capacity=64M",
            "--innodb-flush-log-at-trx-commit=0",
            "--innodb-doublewrite=0",
            "--innodb-use-native-aio=OFF",
        ]),
    };
    run_logged(init, &folder.join("error.log"))?;

    let socket = folder.join("s.sock");
    let mut server = Command::new(&tools.server);
    server.arg("--no-defaults").args(user_args()).args([
        format!("--datadir={}", data.display()),
        format!("--socket={}", socket.display()),
        format!("--pid-file={}", folder.join("server.pid").display()),
        format!("--tmpdir={}", folder.join("tmp").display()),
        format!("--log-error={}", folder.join("error.log").display()),
    ]);
    server.args(["--skip-networking", "--skip-log-bin", "--secure-file-priv=", "--innodb-use-native-aio=OFF"]);
    match family {
        Family::MariaDb => server.args(["--innodb-log-file-size=8M", "--innodb-doublewrite=0"]),
        Family::MySql => server.args(["--mysqlx=OFF", "--performance-schema=OFF", "--innodb-redo-log-capacity=64M"]),
    };
    server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = process::spawn(server)?;
    let filled = wait_until_answers(&socket, &mut child).and_then(|()| {
        if family == Family::MariaDb {
            drop_other_accounts(&socket)?;
        }
        rootsql::query(&socket, &accounts(family), PATIENCE)
    });
    // a clean end: copies of the files of a dead server would have to recover first
    process::end(&mut child, if filled.is_ok() { PATIENCE } else { Duration::ZERO });
    filled?;
    // servers with one identity would not replicate
    let _ = fs::remove_file(data.join("auto.cnf"));
    Ok(())
}

/// The installer also makes root for this host's names, and nobody.
fn drop_other_accounts(socket: &Path) -> Result<()> {
    let others = rootsql::query(
        socket,
        "SELECT CONCAT(QUOTE(user), '@', QUOTE(host)) FROM mysql.global_priv \
         WHERE (user = 'root' AND host <> 'localhost') OR user = ''",
        PATIENCE,
    )?;
    for account in others.rows.iter().filter_map(|row| row.first()?.as_deref()) {
        rootsql::query(socket, &format!("DROP USER {account}"), PATIENCE)?;
    }
    Ok(())
}

fn accounts(family: Family) -> String {
    let watch = match family {
        Family::MariaDb => "BINLOG MONITOR, SLAVE MONITOR, REPLICATION MASTER ADMIN, PROCESS",
        Family::MySql => "REPLICATION CLIENT, REPLICATION SLAVE, PROCESS",
    };
    format!(
        "CREATE DATABASE IF NOT EXISTS {DATABASE} CHARACTER SET utf8mb4;
         CREATE USER '{REPL_USER}'@'%' IDENTIFIED BY '{REPL_PASSWORD}';
         GRANT REPLICATION SLAVE ON *.* TO '{REPL_USER}'@'%';
         CREATE USER '{APP_USER}'@'%' IDENTIFIED BY '{APP_PASSWORD}';
         GRANT ALL PRIVILEGES ON `{DATABASE}`.* TO '{APP_USER}'@'%';
         GRANT ALL PRIVILEGES ON `{DATABASE}\\_%`.* TO '{APP_USER}'@'%';
         GRANT {watch} ON *.* TO '{APP_USER}'@'%';
         CREATE USER '{ADMIN_USER}'@'%' IDENTIFIED BY '{ADMIN_PASSWORD}';
         GRANT ALL PRIVILEGES ON *.* TO '{ADMIN_USER}'@'%' WITH GRANT OPTION;"
    )
}

/// Waits until the server behind `socket` answers SQL.
pub(crate) fn wait_until_answers(socket: &Path, child: &mut std::process::Child) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let last = match rootsql::query(socket, "SELECT 1", Duration::from_secs(5)) {
            Ok(_) => return Ok(()),
            Err(error) => error,
        };
        if let Some(status) = child.try_wait()? {
            return Err(Error(format!("the server ended while starting ({status})")));
        }
        if Instant::now() > deadline {
            return Err(Error(format!("the server does not answer after {} s: {last}", PATIENCE.as_secs())));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn run_logged(mut command: Command, log: &Path) -> Result<()> {
    let out = File::create(log)?;
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(out);
    let mut child = process::spawn(command)?;
    let status = child.wait()?;
    process::end(&mut child, Duration::ZERO);
    if status.success() { Ok(()) } else { Err(Error(format!("{program} failed ({status})"))) }
}

/// `error` with the last lines of the server's log.
pub(crate) fn with_log(error: Error, log: &Path) -> Error {
    let text = fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains("[Note]") && !line.contains("[System]")).collect();
    let tail = lines[lines.len().saturating_sub(6)..].join("\n  ");
    if tail.is_empty() { error } else { Error(format!("{error}\n  {tail}")) }
}

/// Copies the folder `from` to `to`, which must not exist.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
