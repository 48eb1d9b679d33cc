//! What the handles of a process, or of a host, tell each other of what was written and seen, under the scopes `process` and
//! `host`. Kept in [`crate::cluster::progress`], carried between processes by the board; no other I/O.

use crate::cluster::config::quality::Scope;
use crate::cluster::gtid::Position;

use super::routed::Router;

impl Router {
    /// The processes of the host tell each other what they write.
    pub(super) fn share_writes(&self) {
        if !self.section.progress.is_shared() {
            self.section.progress.share();
            self.section.board.forget();
        }
    }

    /// What others have written is to be seen by the next read.
    pub(super) fn take_over_writes_of_process(&mut self) {
        let version = self.section.progress.written_version();
        if version == self.promise.process_version {
            return;
        }
        self.promise.process_version = version;
        if let Some(written) = self.section.progress.written(&self.promise.account)
            && self.promise.position.as_ref().is_none_or(|position| !position.covers(&written))
        {
            self.promise.require_foreign(&written);
        }
    }

    /// A source has acknowledged this; the others know before the program does.
    pub(super) fn share_write(&self, new: Position) {
        let (progress, account) = (&self.section.progress, &self.promise.account);
        match self.promise.scope {
            Scope::Handle => {}
            Scope::Process => progress.wrote(account, &new, self.now),
            Scope::Host => {
                self.share_writes();
                // Where nothing is known of what others wrote, all that this source numbered before counts, too.
                let all = if progress.knows(account) { new } else { new.with_earlier() };
                progress.wrote(account, &all, self.now);
                self.publish(&all);
            }
        }
    }

    /// A read of this handle may have seen this: those of the others are not to go back behind it.
    pub(super) fn share_seen(&self, seen: &Position) {
        let (progress, account) = (&self.section.progress, &self.promise.account);
        if self.promise.scope == Scope::Handle || progress.has_written(account, seen) {
            return;
        }
        if self.promise.scope == Scope::Host {
            self.share_writes();
        }
        progress.saw(account, seen);
        if self.promise.scope == Scope::Host {
            self.publish(seen);
        }
    }

    /// Puts on the board that this was written. What was found to be lost meanwhile, and was heard first, may have taken it
    /// away with it.
    fn publish(&self, written: &Position) {
        const TRIES: usize = 3;
        for _ in 0..TRIES {
            self.section.board.publish(&self.section, self.now);
            if self.section.progress.has_written(&self.promise.account, written) {
                return;
            }
            self.section.progress.saw(&self.promise.account, written);
        }
    }
}
