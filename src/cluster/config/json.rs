//! JSON as a tree that knows where each value stands in the text.
//!
//! The reading is serde_json's: a value is taken as a slice of the text, whose address tells its place.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::problem::Position;

/// How deep values may be nested. No key of ours needs more than six levels.
const MAX_DEPTH: usize = 32;

/// A value and its place.
#[derive(Debug)]
pub(super) struct Json<'a> {
    pub(super) at: Position,
    pub(super) value: Value<'a>,
}

/// What it is.
#[derive(Debug)]
pub(super) enum Value<'a> {
    Null,
    Bool(bool),
    /// The digits as written.
    Number(&'a str),
    Text(String),
    List(Vec<Json<'a>>),
    /// In the order of the file, repeated names included.
    Object(Vec<Member<'a>>),
}

/// A member of an object.
#[derive(Debug)]
pub(super) struct Member<'a> {
    pub(super) name: String,
    pub(super) at: Position,
    pub(super) json: Json<'a>,
}

impl Json<'_> {
    /// For messages: what was found.
    pub(super) fn describe(&self) -> String {
        match &self.value {
            Value::Null => "null".into(),
            Value::Bool(value) => value.to_string(),
            Value::Number(digits) => (*digits).into(),
            Value::Text(text) => format!("{text:?}"),
            Value::List(_) => "a list".into(),
            Value::Object(_) => "an object".into(),
        }
    }
}

/// The place and the reason of a failed reading.
#[derive(Debug)]
pub(super) struct SyntaxError {
    pub(super) at: Position,
    pub(super) reason: String,
}

/// Reads a whole text.
pub(super) fn parse(text: &str) -> Result<Json<'_>, SyntaxError> {
    let source = Source::new(text);
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| SyntaxError {
        at: Position { line: error.line() as u32, column: error.column() as u32 },
        reason: reason_of(&error),
    })?;
    source.json(raw, 0)
}

/// serde_json's reason without the place that it appends.
fn reason_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

struct Source<'a> {
    start: usize,
    /// Offsets of the first byte of each line.
    lines: Vec<usize>,
    text: &'a str,
}

impl<'a> Source<'a> {
    fn new(text: &'a str) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Source { start: text.as_ptr().addr(), lines, text }
    }

    /// Where a slice of the text stands.
    fn position(&self, slice: &str) -> Position {
        let offset = slice.as_ptr().addr().wrapping_sub(self.start).min(self.text.len());
        let line = self.lines.partition_point(|start| *start <= offset);
        let column = offset - self.lines[line - 1] + 1;
        Position { line: line as u32, column: column as u32 }
    }

    fn json(&self, raw: &'a RawValue, depth: usize) -> Result<Json<'a>, SyntaxError> {
        let text = raw.get();
        let at = self.position(text);
        if depth > MAX_DEPTH {
            return Err(SyntaxError { at, reason: format!("nested deeper than {MAX_DEPTH} levels") });
        }
        let value = match text.as_bytes().first() {
            Some(b'{') => {
                let Members(members) = self.read(text, at)?;
                let members = members.into_iter().map(|(name, value)| {
                    Ok(Member {
                        at: self.position(name.get()),
                        name: self.read(name.get(), at)?,
                        json: self.json(value, depth + 1)?,
                    })
                });
                Value::Object(members.collect::<Result<_, _>>()?)
            }
            Some(b'[') => {
                let Elements(elements) = self.read(text, at)?;
                let elements = elements.into_iter().map(|value| self.json(value, depth + 1));
                Value::List(elements.collect::<Result<_, _>>()?)
            }
            Some(b'"') => Value::Text(self.read(text, at)?),
            Some(b't') => Value::Bool(true),
            Some(b'f') => Value::Bool(false),
            Some(b'n') => Value::Null,
            _ => Value::Number(text),
        };
        Ok(Json { at, value })
    }

    fn read<T: Deserialize<'a>>(&self, text: &'a str, at: Position) -> Result<T, SyntaxError> {
        serde_json::from_str(text).map_err(|error| SyntaxError { at, reason: reason_of(&error) })
    }
}

/// The members of an object as slices of the text, names too.
struct Members<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Visit)
    }
}

/// The elements of a list as slices of the text.
struct Elements<'a>(Vec<&'a RawValue>);

impl<'de> Deserialize<'de> for Elements<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Elements<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut elements = Vec::new();
                while let Some(element) = list.next_element()? {
                    elements.push(element);
                }
                Ok(Elements(elements))
            }
        }
        deserializer.deserialize_seq(Visit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members<'a, 'b>(json: &'b Json<'a>) -> &'b [Member<'a>] {
        match &json.value {
            Value::Object(members) => members,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn values_know_their_places() {
        let json = parse("{\n  \"a\": 1,\n  \"b\": [true,\n        \"x\\u0041\"], \"a\": null\n}").expect("valid");
        assert_eq!(json.at, Position { line: 1, column: 1 });
        let all = members(&json);
        assert_eq!(all.iter().map(|member| &*member.name).collect::<Vec<_>>(), ["a", "b", "a"]);
        assert_eq!(all[0].at, Position { line: 2, column: 3 });
        assert_eq!(all[0].json.at, Position { line: 2, column: 8 });
        assert_eq!(all[2].json.at, Position { line: 4, column: 26 });
        let Value::List(list) = &all[1].json.value else { panic!() };
        assert_eq!(list[1].at, Position { line: 4, column: 9 });
        assert!(matches!(&list[1].value, Value::Text(text) if text == "xA"));
    }

    #[test]
    fn mistakes_know_their_places() {
        for (text, line, column) in [("", 1, 0), ("{\n \"a\": }", 2, 7), ("[1,2", 1, 4), ("{\"a\":1} x", 1, 9)] {
            let error = parse(text).expect_err(text);
            assert_eq!(error.at, Position { line, column }, "{text}: {}", error.reason);
            assert!(!error.reason.contains("line"), "{}", error.reason);
        }
    }

    #[test]
    fn depth_is_bounded() {
        let deep = "[".repeat(40) + &"]".repeat(40);
        assert!(parse(&deep).expect_err("deep").reason.contains("nested"));
        let endless = "[".repeat(2_000_000);
        assert!(parse(&endless).is_err());
    }
}
