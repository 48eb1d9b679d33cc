//! What the processes of one user tell each other of a section: failures, roles, turns, positions, lag, load.
//!
//! A small file ([`file`]) that every process reads and rewrites, at most ten times a second and at once when something
//! happened that others have to know. The statement path looks at this process's own atomics; this module carries what is
//! newer from one to the other ([`share`]). Nothing depends on it: without a board everything works per process, and what
//! it says is a hint wherever a wrong word could do harm. No locks that a fork could leave held, nothing that waits, and
//! no memory that the file shares with the process.

mod file;
mod record;
mod share;

use std::fs::File;
use std::io::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwapOption;

use super::config::Section;
use super::topology::NodeId;
use crate::env::{Random, SystemRandom};
use crate::log;
use file::State;
use record::Record;

/// How often a process that executes statements looks at the board.
const EVERY: Duration = Duration::from_millis(100);
/// When another process is writing just now.
const SOON: Duration = Duration::from_millis(5);
/// After a failure of the file system.
const AFTER_FAILURE: Duration = Duration::from_secs(5);
/// How long [`Board::publish`] tries to get the lock.
const PATIENCE: Duration = Duration::from_millis(50);

/// The section's board, as one process sees it.
#[derive(Debug, Default)]
pub struct Board {
    /// None: everything is per process.
    place: Option<Place>,
    /// Milliseconds: no look before then.
    next: AtomicU64,
    /// The process that is at it; 0 = nobody. A child of a fork is another one.
    busy: AtomicU32,
    /// The process that has looked last: in a child of a fork another one.
    seen_by: AtomicU32,
    /// The last state, and its number.
    last: ArcSwapOption<(u64, Record)>,
    /// How often a state was found damaged, or gone, so that something may be missing on the next one.
    losses: AtomicU32,
    /// The file could not be used when it was looked at last.
    unusable: AtomicBool,
    /// What is wrong was said.
    told: AtomicBool,
}

#[derive(Debug)]
struct Place {
    folders: Vec<PathBuf>,
    name: String,
    /// The folder that could be used.
    folder: OnceLock<PathBuf>,
}

/// How urgent it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// It is time to.
    Regular,
    /// Others have to know before the caller goes on.
    Told,
    /// The newest state, and nothing to say.
    Heard,
    /// The right to ask a node for its lag.
    Claim(NodeId, Duration),
}

impl Board {
    /// For a section of a configuration file. `wanted`: the key `board_dir`, empty = no board; `runtime_dir`: the environment's
    /// folder for what lives as long as the user's session.
    pub fn new(configuration: &Path, section: &str, wanted: Option<&Path>, runtime_dir: Option<&Path>) -> Self {
        if wanted.is_some_and(|wanted| wanted.as_os_str().is_empty()) {
            return Board::default();
        }
        let folders = file::folders(wanted, runtime_dir);
        let place = Place { folders, name: file::name(configuration, section), folder: OnceLock::new() };
        Board { place: Some(place), ..Board::default() }
    }

    /// The file, once a process has used it.
    pub fn path(&self) -> Option<PathBuf> {
        let place = self.place.as_ref()?;
        Some(place.folder.get()?.join(&place.name))
    }

    /// Whether it is time for [`Board::exchange`]: one load and a comparison.
    #[inline]
    pub fn is_due(&self, now: Duration) -> bool {
        now.as_millis() as u64 >= self.next.load(Ordering::Relaxed)
    }

    /// The next statement of any handle is to tell the others what has changed.
    pub fn soon(&self) {
        self.next.store(0, Ordering::Relaxed);
    }

    /// Hears what others know, and tells what they do not.
    #[cold]
    pub fn exchange(&self, section: &Section, now: Duration) {
        self.meet(section, now, Need::Regular);
    }

    /// The same at once, for what others have to know before the caller goes on. False if that did not succeed.
    #[cold]
    pub fn publish(&self, section: &Section, now: Duration) -> bool {
        let tries = PATIENCE.as_millis() / 2;
        for _ in 0..tries {
            if self.meet(section, now, Need::Told) {
                return true;
            }
            if self.place.is_none() {
                return false;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        self.complain("is locked by another process", now);
        false
    }

    /// Hears the newest. How often so far what others had told may have been lost; None if nothing can be heard.
    pub fn listen(&self, section: &Section, now: Duration) -> Option<u32> {
        /// Another thread of this process may be at it.
        const TRIES: u32 = 100;
        for _ in 0..TRIES {
            if self.meet(section, now, Need::Heard) {
                return Some(self.losses.load(Ordering::Acquire));
            }
            if self.place.is_none() || self.unusable.load(Ordering::Acquire) {
                return None;
            }
            std::thread::yield_now();
        }
        None
    }

    /// The caller is going to ask a node for its lag; false if its last answer is not older than `refresh`, or somebody else
    /// is asking.
    pub fn claim(&self, section: &Section, node: NodeId, now: Duration, refresh: Duration) -> bool {
        if self.place.is_none() || self.unusable.load(Ordering::Acquire) {
            return section.lag.is_due(node, now, refresh) && section.lag.claim(node, now);
        }
        self.meet(section, now, Need::Claim(node, refresh))
    }

    /// Hears what there is without leaving a trace: for tools. The file; None if there is none.
    pub fn peek(&self, section: &Section, now: Duration) -> Option<PathBuf> {
        let place = self.place.as_ref()?;
        let (path, file) = place.folders.iter().find_map(|folder| {
            file::open(folder, &place.name, false).ok().map(|file| (folder.join(&place.name), file))
        })?;
        self.hear(&file, section, now, false).ok()?;
        Some(path)
    }

    /// The next look takes over everything, known or not.
    pub fn forget(&self) {
        self.last.store(None);
        self.soon();
    }

    fn meet(&self, section: &Section, now: Duration, need: Need) -> bool {
        let Some(place) = &self.place else {
            self.next.store(u64::MAX, Ordering::Relaxed);
            return false;
        };
        let own = std::process::id();
        let busy = self.busy.load(Ordering::Acquire);
        if busy == own || self.busy.compare_exchange(busy, own, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // Another thread is at it.
            return false;
        }
        self.next.store((now + EVERY).as_millis() as u64, Ordering::Relaxed);
        let met = place.open().and_then(|file| self.meet_in(&file, section, now, need, own));
        self.busy.store(0, Ordering::Release);
        match met {
            Ok(met) => {
                self.unusable.store(false, Ordering::Release);
                met
            }
            Err(error) => {
                self.unusable.store(true, Ordering::Release);
                self.complain(&error.to_string(), now);
                false
            }
        }
    }

    fn meet_in(&self, file: &File, section: &Section, now: Duration, need: Need, own: u32) -> Result<bool, Error> {
        // Handles of a child begin where the host is, not where their parent was.
        let first = self.seen_by.swap(own, Ordering::AcqRel) != own;
        self.hear(file, section, now, first)?;
        if need == Need::Heard {
            return Ok(true);
        }
        let before = self.last.load_full();
        let claims = if let Need::Claim(node, refresh) = need { Some((node, refresh)) } else { None };
        if claims.is_some_and(|(node, refresh)| !section.lag.is_due(node, now, refresh)) {
            return Ok(false);
        }
        if claims.is_none() && self.next_state(section, before.as_deref(), now, first).is_none() {
            return Ok(true);
        }
        if file.try_lock().is_err() {
            if need == Need::Regular {
                self.next.store((now + SOON).as_millis() as u64, Ordering::Relaxed);
            }
            if first {
                self.seen_by.store(0, Ordering::Release);
            }
            return Ok(false);
        }
        // Closing the file ends the lock, and so does the end of the process.
        self.hear(file, section, now, first)?;
        if let Some((node, refresh)) = claims
            && !(section.lag.is_due(node, now, refresh) && section.lag.claim(node, now))
        {
            return Ok(false);
        }
        let before = self.last.load_full();
        if let Some((number, record)) = self.next_state(section, before.as_deref(), now, first) {
            file::replace(file, &record, number)?;
            section.balance.turns_are_told(first);
            self.last.store(Some(Arc::new((number, record))));
        }
        Ok(true)
    }

    /// Takes over what is new on the file.
    fn hear(&self, file: &File, section: &Section, now: Duration, first: bool) -> Result<(), Error> {
        let known = self.last.load_full();
        match file::read(file, known.as_ref().map(|known| known.0))? {
            State::Other(_, record) if record.boot != boot() => self.last.store(None),
            State::Other(number, record) => {
                section.hear(&record, now);
                if first {
                    section.balance.begin_at(record.turns);
                }
                self.last.store(Some(Arc::new((number, *record))));
            }
            State::Same => {
                if first && let Some(known) = &known {
                    section.balance.begin_at(known.1.turns);
                }
            }
            State::Blank => {
                if known.is_some() {
                    self.losses.fetch_add(1, Ordering::AcqRel);
                }
                self.last.store(None);
            }
            State::Damaged => {
                self.losses.fetch_add(1, Ordering::AcqRel);
                self.last.store(None);
            }
        }
        Ok(())
    }

    /// The state that says what this process knows, too; None if `before` does.
    fn next_state(
        &self,
        section: &Section,
        before: Option<&(u64, Record)>,
        now: Duration,
        first: bool,
    ) -> Option<(u64, Record)> {
        let mut record =
            before.map_or_else(|| Record { boot: boot().to_owned(), ..Record::default() }, |b| b.1.clone());
        section.tell(&mut record, now);
        record.turns = record.turns.wrapping_add(section.balance.untold_turns(first));
        match before {
            Some((_, before)) if *before == record => None,
            // A number that no state had which was there before a damage.
            None => Some((SystemRandom::new().next(), record)),
            Some((number, _)) => Some((number.wrapping_add(1), record)),
        }
    }

    fn complain(&self, what: &str, now: Duration) {
        self.next.store((now + AFTER_FAILURE).as_millis() as u64, Ordering::Relaxed);
        if self.told.swap(true, Ordering::AcqRel) {
            return;
        }
        let text = match self.path() {
            Some(path) => {
                format!("the board {}: {what}; this process goes by what it finds out itself", path.display())
            }
            None => format!("no board: {what}; this process goes by what it finds out itself (see board_dir)"),
        };
        log::get().message(log::Level::Warning, 0, &text);
    }
}

impl Place {
    fn open(&self) -> Result<File, Error> {
        if let Some(folder) = self.folder.get() {
            return file::open(folder, &self.name, true);
        }
        let mut last = Error::from(std::io::ErrorKind::NotFound);
        for folder in &self.folders {
            match file::open(folder, &self.name, true) {
                Ok(file) => {
                    let _ = self.folder.set(folder.clone());
                    return Ok(file);
                }
                Err(error) => last = Error::new(error.kind(), format!("{}: {error}", folder.display())),
            }
        }
        Err(last)
    }
}

/// Tells the runs of the machine apart.
fn boot() -> &'static str {
    static BOOT: OnceLock<String> = OnceLock::new();
    BOOT.get_or_init(|| {
        std::fs::read_to_string("/proc/sys/kernel/random/boot_id").map(|id| id.trim().to_owned()).unwrap_or_default()
    })
}

#[cfg(test)]
#[path = "board/tests.rs"]
mod tests;
