//! `cluster`: real clusters and the proxy for shell and Python. See `cluster --help`.

use harness::{Cluster, Error, Family, Proxy, Result, Spec, control, process};
use lexopt::prelude::*;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

const HELP: &str = "\
cluster - throw-away replication clusters of real servers

  cluster run [OPTIONS] -- COMMAND [ARGS]   start a cluster, run COMMAND, end everything; exits as COMMAND does
  cluster up DIR [OPTIONS]                  start a cluster in DIR (made by this), print 'ready', stay until
                                            'cluster ctl DIR down', SIGINT or SIGTERM
  cluster ctl DIR ORDER...                  steer a cluster (of up, or of run: DIR is $MS_DIR)
  cluster proxy --target HOST:PORT --control SOCKET
                                            a proxy: prints its HOST:PORT, stays until the order 'down'
  cluster proxy-ctl SOCKET ORDER...         steer a proxy

options:  --family mariadb|mysql (default mariadb)   --replicas N (default 2)   --general-log (default off)
          --semi-sync (default off)   --opt OPTION (one more option for every server, repeatable)

orders of ctl:   stop-applier N | start-applier N | delay-applier N SECONDS | kill N | stop N | freeze N | thaw N |
                 restart N | rebuild N [TEXT] | promote N | wait | state | primary | position N |
                 received N | sql N TEXT | log N | env | down
orders of proxy: pass | delay MS | trickle BYTES [PAUSE_MS] | cut-up BYTES [rst|fin] | cut-down BYTES [rst|fin] |
                 refuse | reject | black-hole | end-all [rst|fin] | target HOST:PORT | stats | reset-stats | down

environment of COMMAND (and 'ctl DIR env'):
  MS_FAMILY MS_DIR MS_NODES MS_PRIMARY MS_USER MS_PASSWORD MS_ADMIN_USER MS_ADMIN_PASSWORD MS_DB
  MS_CA MS_OTHER_CA MS_CLIENT_CERT MS_CLIENT_KEY
  MS_NODE0_HOST MS_NODE0_PORT MS_NODE0_SOCKET MS_NODE0_SERVER_ID MS_NODE0_LOG, MS_NODE1_..., MYSQL_PREFIX (mysql)
  MS_CTL (of COMMAND only: this program, for 'ctl')

environment that this reads: MYSQL_PREFIX, CACHE (where MySQL is), CLUSTER_TEMPLATES (where initialised data is kept),
  CLUSTER_DIR (where clusters live), CLUSTER_KEEP (not empty: folders are left to look at)
";

/// The name of the control socket in a cluster's folder.
const CONTROL: &str = "control";

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let verb = args.next().unwrap_or_default();
    let rest: Vec<OsString> = args.collect();
    let result = match verb.to_str() {
        Some("run") => run(rest),
        Some("up") => up(rest),
        Some("ctl") => ctl(rest, |folder| folder.join(CONTROL)),
        Some("proxy") => proxy(rest),
        Some("proxy-ctl") => ctl(rest, Path::to_path_buf),
        Some("--help" | "-h") => {
            print!("{HELP}");
            Ok(0)
        }
        _ => Err(Error(format!("what to do?\n\n{HELP}"))),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("cluster: {error}");
            ExitCode::from(125)
        }
    }
}

struct Options {
    spec: Spec,
    /// What stands before `--`.
    free: Vec<OsString>,
    /// What stands after it.
    command: Vec<OsString>,
}

fn usage(error: lexopt::Error) -> Error {
    Error(format!("{error} (see cluster --help)"))
}

fn options(mut args: Vec<OsString>) -> Result<Options> {
    let command = match args.iter().position(|arg| arg == "--") {
        Some(at) => args.split_off(at).split_off(1),
        None => Vec::new(),
    };
    let mut parser = lexopt::Parser::from_args(args);
    let mut spec = Spec::new(Family::MariaDb, 2).general_log(false);
    let mut free = Vec::new();
    while let Some(arg) = parser.next().map_err(usage)? {
        match arg {
            Long("family") => spec.family = parser.value().map_err(usage)?.to_string_lossy().parse()?,
            Long("replicas") => spec.replicas = parser.value().and_then(|value| value.parse()).map_err(usage)?,
            Long("semi-sync") => spec.semi_sync = true,
            Long("general-log") => spec.general_log = true,
            Long("opt") => spec.server_args.push(parser.value().map_err(usage)?.to_string_lossy().into_owned()),
            Value(value) => free.push(value),
            other => return Err(usage(other.unexpected())),
        }
    }
    Ok(Options { spec, free, command })
}

fn start(spec: Spec) -> Result<Cluster> {
    let (family, replicas, began) = (spec.family, spec.replicas, Instant::now());
    let cluster = Cluster::start(spec)?;
    eprintln!(
        "cluster: {family}, a primary and {replicas} replicas are ready after {} ms",
        began.elapsed().as_millis()
    );
    Ok(cluster)
}

/// Takes orders for `cluster` in a thread that ends with the process.
fn take_orders(cluster: &Arc<Cluster>) -> Result<()> {
    let listener = control::listen(&cluster.folder().join(CONTROL))?;
    let cluster = Arc::downgrade(cluster);
    std::thread::spawn(move || {
        control::serve(&listener, |order| match cluster.upgrade() {
            Some(cluster) => control::order_cluster(&cluster, order),
            None => Err(Error("the cluster is ending".into())),
        });
    });
    Ok(())
}

fn run(args: Vec<OsString>) -> Result<u8> {
    let options = options(args)?;
    let Some((program, arguments)) = options.command.split_first() else {
        return Err(Error("run needs -- COMMAND".into()));
    };
    if let Some(stray) = options.free.first() {
        return Err(Error(format!("'{}' before --", stray.to_string_lossy())));
    }
    let cluster = Arc::new(start(options.spec)?);
    take_orders(&cluster)?;
    // a signal ends the command; its end ends the cluster
    static SIGNAL: AtomicI32 = AtomicI32::new(0);
    process::on_signal(|signal| SIGNAL.store(signal, Ordering::SeqCst));
    let mut child = Command::new(program)
        .args(arguments)
        .envs(control::environment(&cluster))
        .env("MS_CTL", std::env::current_exe()?)
        .spawn()
        .map_err(|error| Error(format!("{}: {error}", program.to_string_lossy())))?;
    let mut deadline = None;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if SIGNAL.load(Ordering::SeqCst) != 0 {
            match deadline {
                None => {
                    process::send(&mut child, libc::SIGTERM);
                    deadline = Some(Instant::now() + Duration::from_secs(10));
                }
                Some(deadline) if Instant::now() > deadline => child.kill()?,
                Some(_) => {}
            }
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    drop(cluster);
    use std::os::unix::process::ExitStatusExt;
    let signal = SIGNAL.load(Ordering::SeqCst);
    Ok(match (signal, status.code()) {
        (0, Some(code)) => code as u8,
        (0, None) => 128 + status.signal().unwrap_or(0) as u8,
        (signal, _) => 128 + signal as u8,
    })
}

fn up(args: Vec<OsString>) -> Result<u8> {
    let mut options = options(args)?;
    match &options.free[..] {
        [folder] => options.spec.folder = Some(PathBuf::from(folder)),
        _ => return Err(Error("up needs one DIR".into())),
    }
    let cluster = start(options.spec)?;
    let listener = control::listen(&cluster.folder().join(CONTROL))?;
    println!("ready");
    control::serve(&listener, |order| control::order_cluster(&cluster, order));
    Ok(0)
}

fn ctl(args: Vec<OsString>, socket: impl Fn(&Path) -> PathBuf) -> Result<u8> {
    let Some((place, order)) = args.split_first() else {
        return Err(Error("whom to give the order?".into()));
    };
    let words: Vec<_> = order.iter().map(|word| word.to_string_lossy()).collect();
    print!("{}", control::send(&socket(Path::new(place)), &words.join(" "))?);
    Ok(0)
}

fn proxy(args: Vec<OsString>) -> Result<u8> {
    let mut parser = lexopt::Parser::from_args(args);
    let (mut target, mut socket) = (None, None);
    while let Some(arg) = parser.next().map_err(usage)? {
        match arg {
            Long("target") => target = Some(parser.value().map_err(usage)?.to_string_lossy().into_owned()),
            Long("control") => socket = Some(PathBuf::from(parser.value().map_err(usage)?)),
            other => return Err(usage(other.unexpected())),
        }
    }
    let (Some(target), Some(socket)) = (target, socket) else {
        return Err(Error("proxy needs --target and --control".into()));
    };
    let proxy = Proxy::start(&target)?;
    let listener = control::listen(&socket)?;
    let ours = socket.clone();
    process::on_signal(move |signal| {
        let _ = std::fs::remove_file(&ours);
        std::process::exit(128 + signal);
    });
    println!("{}", proxy.address());
    control::serve(&listener, |order| control::order_proxy(&proxy, order));
    std::fs::remove_file(&socket)?;
    Ok(0)
}
