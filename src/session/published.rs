//! The ids of this process's routed connections, so that a KILL finds the server that it means: ids are each server's own, and
//! two servers give the same ones.
//!
//! Looked at by KILL, changed when a connection opens or closes; no statement else comes here. No I/O. A forked child may
//! find the list locked for good: then it is empty, nobody waits.

use std::sync::{Mutex, MutexGuard, TryLockError};

use crate::conn::Endpoint;

static CONNECTIONS: Mutex<Vec<(u64, Endpoint)>> = Mutex::new(Vec::new());

/// The list, if it is to be had without waiting for long.
fn list() -> Option<MutexGuard<'static, Vec<(u64, Endpoint)>>> {
    for _ in 0..1000 {
        match CONNECTIONS.try_lock() {
            Ok(list) => return Some(list),
            Err(TryLockError::Poisoned(list)) => return Some(list.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    None
}

/// A connection is in the list as long as this lives.
#[derive(Debug)]
pub(super) struct Published(u64, Endpoint);

impl Published {
    /// Puts a connection in.
    pub fn new(thread_id: u64, endpoint: &Endpoint) -> Self {
        if let Some(mut list) = list() {
            list.push((thread_id, endpoint.clone()));
        }
        Published(thread_id, endpoint.clone())
    }
}

impl Drop for Published {
    fn drop(&mut self) {
        if let Some(mut list) = list()
            && let Some(at) = list.iter().position(|(id, endpoint)| *id == self.0 && *endpoint == self.1)
        {
            list.swap_remove(at);
        }
    }
}

/// The servers, among those that `is_ours` names, of all connections with this id; each once.
pub(super) fn servers_of(thread_id: u64, is_ours: impl Fn(&Endpoint) -> bool) -> Vec<Endpoint> {
    let mut found: Vec<Endpoint> = Vec::new();
    for (id, endpoint) in list().iter().flat_map(|list| list.iter()) {
        if *id == thread_id && is_ours(endpoint) && !found.contains(endpoint) {
            found.push(endpoint.clone());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(port: u16) -> Endpoint {
        Endpoint::Tcp { host: "published.test".to_owned(), port }
    }

    #[test]
    fn a_connection_is_listed_while_it_lives() {
        let id = 1 << 60;
        let ours = |endpoint: &Endpoint| matches!(endpoint, Endpoint::Tcp { host, .. } if host == "published.test");
        let one = Published::new(id, &at(1));
        let same = Published::new(id, &at(1));
        let two = Published::new(id, &at(2));
        assert_eq!(servers_of(id, ours), [at(1), at(2)]);
        assert_eq!(servers_of(id, |endpoint| *endpoint == at(2)), [at(2)]);
        assert_eq!(servers_of(id + 1, ours), []);
        drop(two);
        drop(one);
        assert_eq!(servers_of(id, ours), [at(1)]);
        drop(same);
        assert_eq!(servers_of(id, ours), []);
    }
}
