//! Processes and folders that must not outlive this process, whatever happens to it.
//!
//! Three nets under each other: owners kill and remove what they started (`Drop`); an exit handler and a signal thread do
//! it for what has no owner left (statics, SIGINT, SIGTERM); the kernel kills the children when this process is gone.
//! Only processes started here, by their pid, are ever touched.

use crate::error::Result;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, MutexGuard, Once, OnceLock, PoisonError};
use std::time::{Duration, Instant};

#[derive(Default)]
struct Registry {
    pids: Vec<u32>,
    folders: Vec<PathBuf>,
}

/// Set when everything is being ended: nothing is started any more.
static ENDING: AtomicBool = AtomicBool::new(false);

static REGISTRY: Mutex<Registry> = Mutex::new(Registry { pids: Vec::new(), folders: Vec::new() });

type SignalHandler = Box<dyn Fn(i32) + Send>;
static ON_SIGNAL: Mutex<Option<SignalHandler>> = Mutex::new(None);

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `handler` instead of "clean up and die" when SIGINT or SIGTERM arrives.
pub fn on_signal(handler: impl Fn(i32) + Send + 'static) {
    *lock(&ON_SIGNAL) = Some(Box::new(handler));
    install_nets();
}

/// Starts `command` as a child that the kernel kills when this process ends.
///
/// The child is in a session of its own: a terminal's Ctrl-C reaches this process only, which then decides.
///
/// # Errors
/// What the system says when the program cannot be started.
pub fn spawn(mut command: Command) -> Result<Child> {
    install_nets();
    let parent = std::process::id();
    // SAFETY: between fork and exec the closure makes three system calls that allocate nothing.
    unsafe {
        command.pre_exec(move || {
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
            rustix::process::setsid()?;
            // a parent that died before the first call would never be noticed
            if rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get()) != Some(parent as i32) {
                return Err(std::io::Error::from_raw_os_error(libc::ESRCH));
            }
            Ok(())
        });
    }
    // The kernel's promise is about the thread that forked, and a test's thread ends with its test: one thread that lives
    // as long as the process does all the forking.
    let (answer, child) = channel();
    let job: Job = Box::new(move || {
        // locked over both steps: who ends everything finds the child or prevents it
        let mut registry = lock(&REGISTRY);
        let child = if ENDING.load(Ordering::SeqCst) {
            Err(std::io::Error::other("this process is ending"))
        } else {
            command.spawn()
        };
        if let Ok(child) = &child {
            registry.pids.push(child.id());
        }
        drop(registry);
        // the asker waits for this; if it is gone, the kernel's net remains
        let _ = answer.send(child);
    });
    if lock(spawner()).send(job).is_err() {
        return Err(crate::Error("the thread that starts processes is gone".into()));
    }
    match child.recv() {
        Ok(child) => Ok(child?),
        Err(_) => Err(crate::Error("the thread that starts processes ended".into())),
    }
}

type Job = Box<dyn FnOnce() + Send>;

fn spawner() -> &'static Mutex<Sender<Job>> {
    static SPAWNER: OnceLock<Mutex<Sender<Job>>> = OnceLock::new();
    SPAWNER.get_or_init(|| {
        let (sender, jobs) = channel::<Job>();
        std::thread::spawn(move || {
            for job in jobs {
                job();
            }
        });
        Mutex::new(sender)
    })
}

/// Ends `child`: SIGTERM and `grace` to follow it, then SIGKILL. Returns when it is gone.
pub fn end(child: &mut Child, grace: Duration) {
    let pid = child.id();
    if !grace.is_zero() && send(child, libc::SIGTERM) {
        let deadline = Instant::now() + grace;
        while Instant::now() < deadline {
            if !matches!(child.try_wait(), Ok(None)) {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    // both do nothing to a child that was waited for
    let _ = child.kill();
    let _ = child.wait();
    lock(&REGISTRY).pids.retain(|known| *known != pid);
}

/// Sends `signal` to `child` if it still runs; false when it has ended.
pub fn send(child: &mut Child, signal: i32) -> bool {
    if !matches!(child.try_wait(), Ok(None)) {
        return false;
    }
    // SAFETY: kill takes two integers; the pid is our child's, not yet waited for, so it is nobody else's.
    unsafe { libc::kill(child.id() as i32, signal) == 0 }
}

/// Whether every thread of a process that was sent SIGSTOP stands still; also when there is none left.
pub(crate) fn stands_still(pid: u32) -> bool {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return true };
    threads.flatten().all(|thread| {
        let line = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        // Behind the program's name, which may hold anything.
        let state = line.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
        matches!(state, None | Some('T' | 'Z' | 'X'))
    })
}

/// Has `folder` removed when this process ends, unless [`forget_folder`] comes first.
pub(crate) fn remember_folder(folder: &Path) {
    install_nets();
    lock(&REGISTRY).folders.push(folder.to_path_buf());
}

/// Takes `folder` off the list of [`remember_folder`].
pub(crate) fn forget_folder(folder: &Path) {
    lock(&REGISTRY).folders.retain(|known| known != folder);
}

/// Kills every registered process, waits for their end, removes every registered folder.
pub fn clean_up() {
    ENDING.store(true, Ordering::SeqCst);
    let registry = std::mem::take(&mut *lock(&REGISTRY));
    for pid in &registry.pids {
        // SAFETY: kill takes two integers; a registered pid is a child that was not waited for.
        unsafe { libc::kill(*pid as i32, libc::SIGKILL) };
    }
    let deadline = Instant::now() + Duration::from_secs(5);
    while registry.pids.iter().any(|pid| runs(*pid)) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    if crate::family::non_empty("CLUSTER_KEEP").is_none() {
        for folder in &registry.folders {
            // a thread may still be writing there; what cannot be removed now is swept by the next start
            for _ in 0..5 {
                if std::fs::remove_dir_all(folder).is_ok() || !folder.exists() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

/// Whether `pid` is a process that has not ended (a zombie has).
fn runs(pid: u32) -> bool {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X'])),
        Err(_) => false,
    }
}

extern "C" fn at_exit() {
    clean_up();
}

fn install_nets() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: at_exit is a plain function without arguments that lives as long as the process.
        unsafe { libc::atexit(at_exit) };
        let signals = [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP];
        match signal_hook::iterator::Signals::new(signals) {
            Ok(mut signals) => {
                std::thread::spawn(move || {
                    for signal in signals.forever() {
                        if let Some(handler) = &*lock(&ON_SIGNAL) {
                            handler(signal);
                            continue;
                        }
                        clean_up();
                        // ends this process the way the signal would have
                        let _ = signal_hook::low_level::emulate_default_handler(signal);
                    }
                });
            }
            Err(error) => eprintln!("harness: no clean-up on signals: {error}"),
        }
    });
}
