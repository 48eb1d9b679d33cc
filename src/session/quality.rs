//! What a program says of the service that its reads need: levels, GTIDs, tokens; by calls and by connect attributes.
//!
//! No I/O: what is said here counts from the next statement.

use crate::cluster::config::Stickiness;
use crate::cluster::config::quality::{self, LEVELS, Level, SCOPES};
use crate::cluster::gtid::{Position, token};
use crate::error::{Error, cr};
use crate::log;

use super::Session;
use super::promise::Promise;

/// Why a wish is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The handle does not route.
    NotRouted,
    /// A transaction has its node.
    InTransaction,
    /// The text is no GTID or token.
    Malformed,
    /// No level has this number.
    Level,
    /// No option has this number.
    Option,
    /// The option does not go with the level.
    Clash,
    /// The age is no number, or negative.
    Age,
    /// The option needs a value.
    NoValue,
    /// Known, and not served by this version.
    NotServed,
}

impl Refused {
    /// As the handle's error.
    pub fn to_error(self) -> Error {
        Error::client(cr::UNKNOWN_ERROR, format!("mysqlclient-ms: {}", self.text()))
    }

    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Refused::NotRouted => "the handle does not route: it was not connected to a section of the configuration",
            Refused::InTransaction => "a transaction is open, and it has its node: set the level before it or after it",
            Refused::Level => "the level is none of strong (0), session (1), eventual (2)",
            Refused::Option => "the option is none of none (0), GTID (1), age (2), cache (3)",
            Refused::Clash => {
                "the option does not go with the level: a GTID goes with session, age and cache with eventual"
            }
            Refused::NoValue => "the option needs a value",
            Refused::Age => "the age is no whole number of seconds from 0 on",
            Refused::NotServed => "the option cache is not served by this version",
            Refused::Malformed => "the text is no GTID, GTID set or token of MySQL or MariaDB",
        }
    }
}

impl Session {
    /// `mysqlnd_ms_set_qos` by the numbers of its constants.
    pub fn set_quality_by_number(&mut self, level: i32, option: i32, value: Option<&[u8]>) -> Result<(), Refused> {
        let level = match level {
            0 => Level::Strong,
            1 => Level::Session,
            2 => Level::Eventual,
            _ => return Err(Refused::Level),
        };
        let value = value.filter(|value| !value.is_empty());
        match (option, level) {
            (0, _) => self.set_quality(level, None),
            (1, Level::Session) => self.set_quality(level, Some(value.ok_or(Refused::NoValue)?)),
            (2, Level::Eventual) => {
                let age =
                    std::str::from_utf8(value.ok_or(Refused::NoValue)?).ok().and_then(|age| age.trim().parse().ok());
                let limit = quality::limit_of_age(age.ok_or(Refused::Age)?);
                self.promise_to_change()?.set_level(level, Some(limit));
                Ok(())
            }
            (3, Level::Eventual) => Err(if value.is_none() { Refused::NoValue } else { Refused::NotServed }),
            (1..=3, _) => Err(Refused::Clash),
            _ => Err(Refused::Option),
        }
    }

    /// `mysqlnd_ms_set_qos`: the level of the following reads; with `gtid` they see that, too. A GTID of the servers is
    /// looked for by their own means; any other, and any where the servers tell none, by `check_for_gtid`.
    pub fn set_quality(&mut self, level: Level, gtid: Option<&[u8]>) -> Result<(), Refused> {
        let checks = self
            .router
            .as_deref()
            .is_some_and(|router| router.section.injection.as_ref().is_some_and(|injection| injection.check.is_some()));
        // A handle that has met no server goes by what others of the process met.
        let told =
            |version: &[u8], mariadb: bool| mariadb || !version.starts_with(b"5.") || version.starts_with(b"5.7");
        let facts = self.router.as_deref().and_then(|router| router.section.facts.get());
        let tells = facts.is_some_and(|facts| told(&facts.version, facts.is_mariadb));
        let promise = self.promise_to_change()?;
        let by_check = checks && if promise.knows_tracking() { promise.met_no_gtids() } else { !tells };
        if let Some(gtid) = gtid {
            match Position::parse_any(gtid) {
                Ok(position) if !by_check => promise.require_foreign(&position),
                _ if checks => promise.require_named(gtid),
                Ok(position) => promise.require_foreign(&position),
                Err(_) => return Err(Refused::Malformed),
            }
        }
        promise.set_level(level, None);
        Ok(())
    }

    /// The GTID of the handle's last write, as the server wrote it; None before it, or where the servers tell none.
    pub fn last_gtid(&self) -> Option<&[u8]> {
        let gtid = self.router.as_deref()?.promise.last_gtid();
        (!gtid.is_empty()).then_some(gtid)
    }

    /// What the handle's reads are to see, for another handle: see [`Session::set_token`]. None before the first write.
    pub fn token(&self) -> Option<String> {
        self.router.as_deref()?.promise.position().map(token::write)
    }

    /// The following reads see what the handle saw that gave the token.
    pub fn set_token(&mut self, token: &[u8]) -> Result<(), Refused> {
        let position = token::read(token).map_err(|_| Refused::Malformed)?;
        self.promise_to_change()?.require_foreign(&position);
        Ok(())
    }

    fn promise_to_change(&mut self) -> Result<&mut Promise, Refused> {
        let router = self.router.as_deref_mut().ok_or(Refused::NotRouted)?;
        let sticky = router.section.trx_stickiness != Stickiness::Disabled;
        if sticky && router.tracker.in_transaction() && router.transaction_node.is_some() {
            return Err(Refused::InTransaction);
        }
        Ok(&mut router.promise)
    }

    /// Takes the wishes out of the connect attributes: `ms.qos`, `ms.scope`, `ms.monotonic`, `ms.gtid`. They are for us: no server sees
    /// them.
    ///
    /// Errors: 2000 for a value that is none.
    pub(super) fn follow_attributes(&mut self) -> Result<(), Error> {
        let Some(router) = self.router.as_deref_mut() else { return Ok(()) };
        let wrong = |name: &str, value: &[u8], expected: &str| {
            let value = String::from_utf8_lossy(value);
            let text = format!("mysqlclient-ms: connect attribute {name}: expected {expected}, found '{value}'");
            Error::client(cr::UNKNOWN_ERROR, text)
        };
        for (name, value) in &self.options.attributes {
            let text = String::from_utf8_lossy(value);
            match name.as_slice() {
                b"ms.qos" => match LEVELS.iter().find(|(word, _)| *word == text) {
                    Some((_, level)) => router.promise.set_level(*level, None),
                    None => return Err(wrong("ms.qos", value, "strong, session or eventual")),
                },
                b"ms.scope" => match SCOPES.iter().find(|(word, _)| *word == text) {
                    Some((_, scope)) => router.promise.set_scope(*scope),
                    None => return Err(wrong("ms.scope", value, "handle, process or host")),
                },
                b"ms.monotonic" => match &*text {
                    "0" | "1" => router.promise.set_monotonic(text == "1"),
                    _ => return Err(wrong("ms.monotonic", value, "0 or 1")),
                },
                b"ms.gtid" => {
                    let position = token::read(value).or_else(|_| Position::parse_any(value));
                    match position {
                        Ok(position) => router.promise.require_foreign(&position),
                        Err(_) => return Err(wrong("ms.gtid", value, "a GTID, a GTID set or a token")),
                    }
                }
                other if other.starts_with(b"ms.") => {
                    let text = format!("unknown connect attribute '{}'", String::from_utf8_lossy(other));
                    log::get().message(log::Level::Warning, router.handle_number, &text);
                }
                _ => {}
            }
        }
        Ok(())
    }
}
