//! TLS sessions that can be resumed: what a server offers on a connection, and those that a program asked to keep, for the
//! process.
//!
//! A program that keeps one is given a text that names it, in the form of OpenSSL's session files. What a session holds
//! stays here: rustls does not let it out. A session goes with the settings it was made under and is never used under
//! others, since whoever resumes verifies nothing.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use rand::TryRng;
use rand::rngs::SysRng;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, NamedGroup};

use super::tls_config::Settings;

/// Tickets of one session; servers send one or two.
const TICKETS: usize = 8;

/// Sessions that are kept; the oldest goes when there are more.
const KEPT: usize = 256;

const BEGIN: &str = "-----BEGIN SSL SESSION PARAMETERS-----";
const END: &str = "-----END SSL SESSION PARAMETERS-----";

/// What one connection's server offered, and the connections that resumed it.
#[derive(Debug, Default)]
pub(super) struct Offered(Mutex<Offers>);

#[derive(Debug, Default)]
struct Offers {
    /// Used any number of times.
    tls12: Option<Tls12ClientSessionValue>,
    /// Each is used once; a resumed connection brings others.
    tls13: VecDeque<Tls13ClientSessionValue>,
    group: Option<NamedGroup>,
}

impl Offered {
    fn with<T>(&self, look: impl FnOnce(&mut Offers) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_empty(&self) -> bool {
        self.with(|offers| offers.tls12.is_none() && offers.tls13.is_empty())
    }
}

/// The server's name does not matter: a store belongs to one server.
impl ClientSessionStore for Offered {
    fn set_kx_hint(&self, _: ServerName<'static>, group: NamedGroup) {
        self.with(|offers| offers.group = Some(group));
    }

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        self.with(|offers| offers.group)
    }

    fn set_tls12_session(&self, _: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.with(|offers| offers.tls12 = Some(value));
    }

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.with(|offers| offers.tls12.clone())
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {
        self.with(|offers| offers.tls12 = None);
    }

    fn insert_tls13_ticket(&self, _: ServerName<'static>, value: Tls13ClientSessionValue) {
        self.with(|offers| {
            offers.tls13.truncate(TICKETS - 1);
            offers.tls13.push_front(value);
        });
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.with(|offers| offers.tls13.pop_front())
    }
}

/// A session that may be kept: the settings it was made under, and what the server offered.
#[derive(Clone, Debug)]
pub(super) struct Resumable {
    pub(super) settings: Settings,
    pub(super) config: Arc<ClientConfig>,
    pub(super) offered: Arc<Offered>,
}

struct Kept {
    name: String,
    session: Resumable,
}

/// The kept sessions of the process, the newest last.
static SESSIONS: Mutex<VecDeque<Kept>> = Mutex::new(VecDeque::new());

/// Keeps a session: the text that names it. None if the server has offered nothing to resume it by.
pub(super) fn keep(session: &Resumable) -> Option<String> {
    if session.offered.is_empty() {
        return None;
    }
    let mut kept = SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let name = match kept.iter().find(|kept| Arc::ptr_eq(&kept.session.offered, &session.offered)) {
        Some(known) => known.name.clone(),
        None => {
            let mut random = [0; 32];
            SysRng.try_fill_bytes(&mut random).ok()?;
            let name: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
            if kept.len() == KEPT {
                kept.pop_front();
            }
            kept.push_back(Kept { name: name.clone(), session: session.clone() });
            name
        }
    };
    Some(format!("{BEGIN}\n{name}\n{END}\n"))
}

/// The session that a text names, if it is kept and was made under these settings.
pub(super) fn find(text: &[u8], settings: &Settings) -> Option<Resumable> {
    let name = name_in(text)?;
    let kept = SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let found = kept.iter().find(|kept| kept.name == name && kept.session.settings == *settings)?;
    Some(found.session.clone())
}

/// The text has the form of those that [`keep`] makes.
pub fn is_session(text: &[u8]) -> bool {
    name_in(text).is_some_and(|name| name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn name_in(text: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(text).ok()?;
    text.trim().strip_prefix(BEGIN)?.strip_suffix(END).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_form_of_a_session_or_not() {
        let name = "0f".repeat(32);
        assert!(is_session(format!("{BEGIN}\n{name}\n{END}\n").as_bytes()));
        assert!(is_session(format!("{BEGIN}\n{name}\n{END}").as_bytes()), "as after a trip through a file");
        for wrong in [String::new(), name.clone(), format!("{BEGIN}\n{END}\n"), format!("{BEGIN}\nMIGB{name}\n{END}\n")]
        {
            assert!(!is_session(wrong.as_bytes()), "{wrong}");
        }
        assert!(!is_session(b"\xff"));
    }
}
