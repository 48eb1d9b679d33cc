//! The lenient conversions of the plugin's files, and the list of mistakes that grows while a file is read.
//!
//! Rules: booleans count as integers; numbers may be written as strings; `null` is the same as leaving the key out;
//! `0`, `off`, `false` and `aus` (any case) are false and everything else is true.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use super::json::{Json, Member, Value};
use super::problem::{Position, Problem, Severity};

/// Collects mistakes of one file.
pub(super) struct Reader<'f> {
    pub(super) file: &'f Path,
    pub(super) problems: Vec<Problem>,
}

/// An object whose repeated members are resolved: the last one wins, as in PHP.
pub(super) struct Object<'j, 'a> {
    pub(super) path: String,
    pub(super) at: Position,
    pub(super) members: Vec<&'j Member<'a>>,
}

impl<'j, 'a> Object<'j, 'a> {
    /// The member's value; `None` when it is missing or null.
    pub(super) fn get(&self, name: &str) -> Option<&'j Json<'a>> {
        let member = self.members.iter().find(|member| member.name == name)?;
        (!matches!(member.json.value, Value::Null)).then_some(&member.json)
    }

    /// The path of one of its members.
    pub(super) fn path_of(&self, name: &str) -> String {
        join(&self.path, name)
    }
}

/// `path.name`, with brackets around names that would be hard to read.
pub(super) fn join(path: &str, name: &str) -> String {
    let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    match (path.is_empty(), plain) {
        (true, true) => name.to_owned(),
        (false, true) => format!("{path}.{name}"),
        (_, false) => format!("{path}[{name:?}]"),
    }
}

impl<'f> Reader<'f> {
    pub(super) fn new(file: &'f Path) -> Self {
        Reader { file, problems: Vec::new() }
    }

    fn report(&mut self, severity: Severity, at: Position, path: &str, text: String, remedy: String) {
        let file = self.file.to_owned();
        self.problems.push(Problem { severity, file, position: Some(at), path: path.to_owned(), text, remedy });
    }

    /// A mistake that only `check` and the log mention.
    pub(super) fn note(&mut self, at: Position, path: &str, text: impl Into<String>, remedy: impl Into<String>) {
        self.report(Severity::Note, at, path, text.into(), remedy.into());
    }

    /// A mistake that makes connects to its section fail.
    pub(super) fn wrong(&mut self, at: Position, path: &str, text: impl Into<String>, remedy: impl Into<String>) {
        self.report(Severity::Section, at, path, text.into(), remedy.into());
    }

    fn unexpected(&mut self, json: &Json<'_>, path: &str, expected: &str) {
        self.wrong(json.at, path, format!("expected {expected}, found {}", json.describe()), "");
    }

    /// A key that the plugin or this library's design knows and that is not served yet.
    pub(super) fn not_served(&mut self, at: Position, path: &str, key: &str) {
        let text = format!("`{key}` is not served yet by this version");
        self.wrong(at, path, text, "remove the key");
    }

    /// Mentions members whose names are in neither list; refuses those in `later`.
    pub(super) fn keys(&mut self, object: &Object<'_, '_>, served: &[&str], later: &[&str]) {
        for member in &object.members {
            let name = member.name.as_str();
            if matches!(member.json.value, Value::Null) || served.contains(&name) {
                continue;
            }
            let path = object.path_of(name);
            if later.contains(&name) {
                self.not_served(member.at, &path, name);
            } else {
                let remedy = format!("keys here: {}", served.join(", "));
                self.note(member.at, &path, format!("unknown key `{name}`, ignored"), remedy);
            }
        }
    }

    /// An object, with its repeated members noted.
    pub(super) fn object<'j, 'a>(&mut self, json: &'j Json<'a>, path: &str) -> Option<Object<'j, 'a>> {
        let Value::Object(all) = &json.value else {
            self.unexpected(json, path, "an object");
            return None;
        };
        let mut members: Vec<&Member<'_>> = Vec::with_capacity(all.len());
        let mut places: HashMap<&str, usize> = HashMap::with_capacity(all.len());
        for member in all {
            match places.get(&*member.name) {
                None => {
                    places.insert(&member.name, members.len());
                    members.push(member);
                }
                Some(place) => {
                    let first = members[*place].at.line;
                    let text = format!("`{}` appears twice; the one in line {first} is ignored", member.name);
                    self.note(member.at, &join(path, &member.name), text, "keep one");
                    members[*place] = member;
                }
            }
        }
        Some(Object { path: path.to_owned(), at: json.at, members })
    }

    /// A boolean; lists and objects are refused.
    pub(super) fn flag(&mut self, json: &Json<'_>, path: &str) -> Option<bool> {
        match &json.value {
            Value::Bool(value) => Some(*value),
            Value::Number(digits) => Some(digits.parse::<f64>() != Ok(0.0)),
            Value::Text(text) => Some(is_true(text)),
            _ => {
                self.unexpected(json, path, "true or false");
                None
            }
        }
    }

    /// A string; numbers and booleans become text as in the plugin.
    pub(super) fn text(&mut self, json: &Json<'_>, path: &str) -> Option<String> {
        match &json.value {
            Value::Text(text) => Some(text.clone()),
            Value::Number(digits) => Some((*digits).to_owned()),
            Value::Bool(value) => Some(u8::from(*value).to_string()),
            _ => {
                self.unexpected(json, path, "a string");
                None
            }
        }
    }

    /// A string for C: no NUL in it.
    pub(super) fn c_text(&mut self, json: &Json<'_>, path: &str) -> Option<String> {
        let text = self.text(json, path)?;
        if text.contains('\0') {
            self.wrong(json.at, path, "expected a string without a NUL character", "");
            return None;
        }
        Some(text)
    }

    /// A path; a relative one counts from the folder of the configuration file.
    pub(super) fn path(&mut self, json: &Json<'_>, path: &str) -> Option<PathBuf> {
        let text = self.c_text(json, path)?;
        if text.is_empty() {
            self.wrong(json.at, path, "expected a path, found an empty string", "");
            return None;
        }
        Some(self.file.parent().unwrap_or(Path::new("")).join(text))
    }

    /// A whole number within the range. `what` names it for the message.
    pub(super) fn number(
        &mut self,
        json: &Json<'_>,
        path: &str,
        what: &str,
        range: RangeInclusive<u64>,
    ) -> Option<u64> {
        let parsed = match &json.value {
            Value::Bool(value) => Some(i128::from(*value)),
            Value::Number(digits) => whole(digits),
            Value::Text(text) => {
                let text = text.trim();
                let digits = text.find(|c: char| !c.is_ascii_digit() && c != '-' && c != '+').unwrap_or(text.len());
                let number = text[..digits].parse().ok();
                if number.is_some() && digits < text.len() {
                    let note = format!("the text behind the number in {text:?} is ignored");
                    self.note(json.at, path, note, "write a plain number");
                }
                number
            }
            _ => None,
        };
        let fitting = parsed.and_then(|number| u64::try_from(number).ok()).filter(|number| range.contains(number));
        if fitting.is_none() {
            self.unexpected(json, path, &format!("{what} from {} to {}", range.start(), range.end()));
        }
        fitting
    }

    /// One of a list of words, any case, `-` the same as `_`.
    pub(super) fn word<T: Copy>(&mut self, json: &Json<'_>, path: &str, words: &[(&str, T)]) -> Option<T> {
        let found = match &json.value {
            Value::Text(text) => {
                let text = text.trim().replace('-', "_");
                words.iter().find(|(word, _)| text.eq_ignore_ascii_case(word))
            }
            _ => None,
        };
        if found.is_none() {
            let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            self.unexpected(json, path, &format!("one of {}", words.join(", ")));
        }
        found.map(|(_, value)| *value)
    }
}

/// The plugin's spelling of truth, for ini files, environment and JSON strings alike.
pub(crate) fn is_true(text: &str) -> bool {
    !["0", "off", "false", "aus"].iter().any(|no| text.trim().eq_ignore_ascii_case(no))
}

/// The whole part of a JSON number.
fn whole(digits: &str) -> Option<i128> {
    digits.parse().ok().or_else(|| {
        let number = digits.parse::<f64>().ok()?.trunc();
        (number.abs() < 1e30).then_some(number as i128)
    })
}
