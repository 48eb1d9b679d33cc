//! Variables of the session whose values are known: what a connection lacks, as one list of assignments.
//!
//! Ordered by their last change, because one variable may change another. No I/O, no SQL parsing.

use super::literal::Repeatable;

/// More are not kept: what comes then stays on its node.
const MOST: usize = 256;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// This one.
    Value(Repeatable),
    /// The server's default.
    Default,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Variable {
    /// In small letters; user variables with their `@`.
    key: Vec<u8>,
    /// As it stands in front of the `=`.
    name: Vec<u8>,
    setting: Setting,
    /// The version of the list that brought the value.
    since: u32,
}

/// The list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables {
    list: Vec<Variable>,
}

/// How a system variable is called in the record: two names of one thing are one. None for a name that we would have to
/// quote: no variable has one.
pub fn system_key(name: &[u8]) -> Option<Vec<u8>> {
    let plain = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    if !plain {
        return None;
    }
    let key = name.to_ascii_lowercase();
    Some(match &key[..] {
        b"tx_isolation" => b"transaction_isolation".to_vec(),
        b"tx_read_only" => b"transaction_read_only".to_vec(),
        _ => key,
    })
}

/// How a user variable is called; `name` has neither `@` nor quotes.
pub fn user_key(name: &[u8]) -> Vec<u8> {
    [b"@", &name.to_ascii_lowercase()[..]].concat()
}

/// A user variable's name as every sql_mode reads it.
pub fn user_name(name: &[u8]) -> Vec<u8> {
    let mut text = b"@`".to_vec();
    for &byte in name {
        if byte == b'`' {
            text.push(byte);
        }
        text.push(byte);
    }
    text.push(b'`');
    text
}

impl Variables {
    /// A variable has a value from version `since` on.
    pub fn set(&mut self, key: &[u8], name: Vec<u8>, setting: Setting, since: u32) -> Kept {
        if let Some(at) = self.list.iter().position(|variable| variable.key == key) {
            if self.list[at].setting == setting && self.list[at].name == name {
                return Kept::Same;
            }
            self.list.remove(at);
        } else if self.list.len() >= MOST {
            return Kept::No;
        }
        self.list.push(Variable { key: key.to_vec(), name, setting, since });
        Kept::New
    }

    /// A variable's value is not known any more, or another part of the record has it.
    pub fn forget(&mut self, key: &[u8]) {
        self.list.retain(|variable| variable.key != key);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// A variable's value.
    pub fn get(&self, key: &[u8]) -> Option<&Setting> {
        self.list.iter().find(|variable| variable.key == key).map(|variable| &variable.setting)
    }

    /// The version of the list that brought a variable's value.
    pub fn since(&self, key: &[u8]) -> Option<u32> {
        self.list.iter().find(|variable| variable.key == key).map(|variable| variable.since)
    }

    /// User variables that are strings: they have a character set and a collation, the connection's when they were set.
    pub fn user_strings(&self) -> impl Iterator<Item = &[u8]> {
        self.list.iter().filter(|variable| variable.is_user_string()).map(|variable| &variable.key[..])
    }

    /// What a connection at version `at` lacks, as lists of assignments: `a=1,@b=2`, and apart from it the strings of user
    /// variables, `@c='x'`, which are read under what the first list sets.
    pub fn missing(&self, at: u32) -> Missing {
        let mut missing = Missing::default();
        for variable in self.list.iter().filter(|variable| variable.since > at) {
            let is_string = variable.is_user_string();
            missing.sets_charset |= SET_CHARSET.contains(&&variable.key[..]);
            let text = if is_string { &mut missing.strings } else { &mut missing.others };
            if !text.is_empty() {
                text.push(b',');
            }
            text.extend_from_slice(&variable.name);
            text.push(b'=');
            match &variable.setting {
                Setting::Value(value) => text.extend_from_slice(&value.text),
                Setting::Default => text.extend_from_slice(b"DEFAULT"),
            }
        }
        missing
    }
}

/// Variables under which later strings are read.
const SET_CHARSET: [&[u8]; 3] = [b"character_set_client", b"character_set_connection", b"collation_connection"];

/// See [`Variables::missing`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Everything but the strings.
    pub others: Vec<u8>,
    /// Strings of user variables.
    pub strings: Vec<u8>,
    /// The first list changes how strings are read.
    pub sets_charset: bool,
}

impl Variable {
    fn is_user_string(&self) -> bool {
        self.key.starts_with(b"@") && matches!(&self.setting, Setting::Value(value) if value.is_string)
    }
}

/// What became of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It is what was known.
    Same,
    /// It is new.
    New,
    /// The list is full.
    No,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Setting {
        Setting::Value(Repeatable { text: text.into(), plain: text.into(), is_string: text.starts_with('\'') })
    }

    fn missing(variables: &Variables, at: u32) -> String {
        let missing = variables.missing(at);
        String::from_utf8([&missing.others[..], &missing.strings].concat()).expect("text")
    }

    #[test]
    fn only_what_changed_since_is_missing_in_the_order_of_the_changes() {
        let mut variables = Variables::default();
        assert_eq!(variables.set(b"a", b"a".to_vec(), value("1"), 1), Kept::New);
        assert_eq!(variables.set(b"b", b"b".to_vec(), value("2"), 2), Kept::New);
        assert_eq!(variables.set(b"a", b"a".to_vec(), value("3"), 3), Kept::New);
        assert_eq!(missing(&variables, 0), "b=2,a=3");
        assert_eq!(missing(&variables, 2), "a=3");
        assert_eq!(missing(&variables, 3), "");
        assert_eq!(variables.set(b"b", b"b".to_vec(), value("2"), 4), Kept::Same);
        assert_eq!(missing(&variables, 3), "", "the same value again is no change");
        variables.set(b"a", b"a".to_vec(), Setting::Default, 5);
        assert_eq!(missing(&variables, 3), "a=DEFAULT");
        variables.forget(b"a");
        assert_eq!(missing(&variables, 0), "b=2");
    }

    #[test]
    fn two_names_of_one_variable_are_one() {
        assert_eq!(system_key(b"TX_ISOLATION"), system_key(b"transaction_isolation"));
        assert_eq!(system_key(b"a b"), None);
        assert_eq!(system_key(b""), None);
    }

    #[test]
    fn names_of_user_variables_are_quoted_for_every_sql_mode() {
        assert_eq!(user_name(b"a`b"), b"@`a``b`");
        assert_eq!(user_key(b"Ab"), b"@ab");
    }

    #[test]
    fn a_full_list_takes_no_more() {
        let mut variables = Variables::default();
        for number in 0..MOST {
            let key = format!("@v{number}").into_bytes();
            assert_eq!(variables.set(&key, key.clone(), value("1"), 1), Kept::New);
        }
        assert_eq!(variables.set(b"@more", b"@more".to_vec(), value("1"), 1), Kept::No);
        assert_eq!(variables.set(b"@v0", b"@v0".to_vec(), value("2"), 2), Kept::New);
    }

    #[test]
    fn strings_of_user_variables_are_told_apart() {
        let mut variables = Variables::default();
        variables.set(b"@a", b"@`a`".to_vec(), value("'x'"), 1);
        variables.set(b"@b", b"@`b`".to_vec(), value("1"), 1);
        variables.set(b"time_zone", b"time_zone".to_vec(), value("'UTC'"), 1);
        assert_eq!(variables.user_strings().collect::<Vec<_>>(), [b"@a"]);
    }
}
