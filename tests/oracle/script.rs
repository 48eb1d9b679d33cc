//! Reads the scripts of the servers' own test suites as their test program does, as far as statements go: delimiters, `let`
//! of plain values, `eval`, `send`. Commands of the test program are left out; blocks are taken once, whatever their
//! condition. Touches no server.

use std::collections::HashMap;

/// Commands of the test program: what follows on them is no SQL.
const COMMANDS: &[&str] = &[
    "append_file",
    "assert",
    "break",
    "cat_file",
    "change_user",
    "character_set",
    "chmod",
    "connect",
    "connection",
    "copy_file",
    "copy_files_wildcard",
    "dec",
    "delimiter",
    "die",
    "diff_files",
    "dirty_close",
    "disconnect",
    "echo",
    "enable_abort_on_error",
    "end_timer",
    "error",
    "exec",
    "exec_in_background",
    "execw",
    "exit",
    "expr",
    "file_exists",
    "force-cpdir",
    "force-rmdir",
    "horizontal_results",
    "inc",
    "let",
    "list_files",
    "list_files_append_file",
    "list_files_write_file",
    "lowercase_result",
    "mkdir",
    "move_file",
    "output",
    "optimizer_trace",
    "partially_sorted_result",
    "perl",
    "ping",
    "query_attributes",
    "query_get_value",
    "read_file",
    "real_sleep",
    "reap",
    "remove_file",
    "remove_files_wildcard",
    "replace_column",
    "replace_numeric_round",
    "replace_regex",
    "replace_result",
    "require",
    "require_version",
    "reset_connection",
    "result_format",
    "rmdir",
    "save_master_pos",
    "send_quit",
    "send_shutdown",
    "shutdown_server",
    "skip",
    "skip_if_hypergraph",
    "sleep",
    "sorted_result",
    "source",
    "start_timer",
    "sync_slave_with_master",
    "sync_with_master",
    "system",
    "tmpdir",
    "vertical_results",
    "wait_for_slave_to_stop",
    "write_file",
    "write_line",
];

/// Commands whose rest is a statement.
const RUN: &[&str] = &["eval", "evalp", "query", "query_vertical", "query_horizontal", "send", "send_eval"];

/// The statements of one script, in order.
pub fn statements(script: &[u8]) -> Vec<Vec<u8>> {
    let mut reader = Reader { script, at: 0, delimiter: b";".to_vec(), variables: HashMap::new(), found: Vec::new() };
    while reader.step() {}
    reader.found
}

struct Reader<'a> {
    script: &'a [u8],
    at: usize,
    delimiter: Vec<u8>,
    variables: HashMap<Vec<u8>, Vec<u8>>,
    found: Vec<Vec<u8>>,
}

impl Reader<'_> {
    fn rest(&self) -> &[u8] {
        &self.script[self.at..]
    }

    /// The line that begins here, without its end; goes behind it.
    fn line(&mut self) -> Vec<u8> {
        let rest = self.rest();
        let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let line = rest[..length].to_vec();
        self.at = (self.at + length + 1).min(self.script.len());
        line
    }

    /// One command or statement; false at the end.
    fn step(&mut self) -> bool {
        while self.rest().first().is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        match self.rest() {
            [] => return false,
            [b'#', ..] => drop(self.line()),
            [b'}' | b'{', ..] => self.at += 1,
            [b'-', b'-', ..] => {
                let line = self.line();
                let text = line[2..].trim_ascii();
                // `--delimiter ;;` names one of two characters
                let names = text.get(..9).is_some_and(|word| word.eq_ignore_ascii_case(b"delimiter"));
                let text = text.strip_suffix(b";").filter(|_| self.delimiter == b";" && !names).unwrap_or(text);
                self.command(text, true);
            }
            _ => {
                let text = self.until_delimiter();
                self.command(text.trim_ascii(), false);
            }
        }
        true
    }

    /// What stands before the next delimiter that is in no string and no comment. Behind the condition of a block: nothing.
    fn until_delimiter(&mut self) -> Vec<u8> {
        let start = self.at;
        let block = [&b"if"[..], b"while"].iter().any(|word| {
            self.rest().get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word))
                && self.rest()[word.len()..].trim_ascii_start().starts_with(b"(")
        });
        while self.at < self.script.len() {
            let rest = self.rest();
            if rest.starts_with(&self.delimiter) {
                let text = self.script[start..self.at].to_vec();
                self.at += self.delimiter.len();
                return if block { Vec::new() } else { text };
            }
            match rest {
                [b'{', ..] if block => {
                    self.at += 1;
                    return Vec::new();
                }
                [quote @ (b'\'' | b'"' | b'`'), ..] => self.at += quoted(rest, *quote),
                [b'/', b'*', ..] => {
                    let end = rest.windows(2).skip(2).position(|two| two == b"*/");
                    // code in a comment may have quotes of its own; a delimiter in it is none
                    self.at += end.map_or(rest.len(), |end| end + 4);
                }
                [b'#', ..] | [b'-', b'-', b' ' | b'\t' | b'\n', ..] => drop(self.line()),
                _ => self.at += 1,
            }
        }
        if block { Vec::new() } else { self.script[start..].to_vec() }
    }

    fn command(&mut self, text: &[u8], dashes: bool) {
        let length = text.iter().position(|byte| !byte.is_ascii_alphanumeric() && !b"_-".contains(byte));
        let (word, rest) = text.split_at(length.unwrap_or(text.len()));
        let word = String::from_utf8_lossy(word).to_ascii_lowercase();
        let rest = rest.trim_ascii();
        match word.as_str() {
            // the test program refuses an empty one: `delimiter ;` where that is the delimiter already
            "delimiter" if rest.is_empty() => {}
            "delimiter" => self.delimiter = rest.to_vec(),
            "let" => self.set(rest),
            "perl" | "write_file" | "append_file" => self.skip_document(rest, &word),
            word if RUN.contains(&word) => self.keep(rest, word.contains("eval")),
            word if COMMANDS.contains(&word) || word.starts_with("enable_") || word.starts_with("disable_") => {}
            _ if dashes || text.is_empty() => {}
            _ => self.keep(text, false),
        }
    }

    fn keep(&mut self, text: &[u8], substituted: bool) {
        let text = if substituted { self.substitute(text) } else { Some(text.to_vec()) };
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.found.push(text);
        }
    }

    /// `$name = value`; a value that a server has to give is not known.
    fn set(&mut self, text: &[u8]) {
        let Some(equals) = text.iter().position(|byte| *byte == b'=') else { return };
        let name = text[..equals].trim_ascii();
        let name = name.strip_prefix(b"$").unwrap_or(name).to_vec();
        let value = text[equals + 1..].trim_ascii();
        let known = !value.contains(&b'`') && !value.starts_with(b"query_get_value");
        match self.substitute(value).filter(|_| known) {
            Some(value) => drop(self.variables.insert(name, value)),
            None => drop(self.variables.remove(&name)),
        }
    }

    /// With the values of variables; None if one is not known.
    fn substitute(&self, text: &[u8]) -> Option<Vec<u8>> {
        let mut out = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some(dollar) = rest.iter().position(|byte| *byte == b'$') {
            out.extend_from_slice(&rest[..dollar]);
            rest = &rest[dollar + 1..];
            let length =
                rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').unwrap_or(rest.len());
            if length == 0 {
                out.push(b'$');
            } else {
                out.extend_from_slice(self.variables.get(&rest[..length])?);
                rest = &rest[length..];
            }
        }
        out.extend_from_slice(rest);
        Some(out)
    }

    /// Lines up to the one that ends a file or a program inside of the script.
    fn skip_document(&mut self, rest: &[u8], word: &str) {
        let last = rest.split(u8::is_ascii_whitespace).rfind(|word| !word.is_empty()).unwrap_or_default();
        let named = if word == "perl" { !last.is_empty() } else { rest.trim_ascii().contains(&b' ') };
        let end = if named { last.to_vec() } else { b"EOF".to_vec() };
        let end = end.strip_suffix(b";").unwrap_or(&end).to_vec();
        while self.at < self.script.len() && self.line().trim_ascii() != end {}
    }
}

/// How many bytes the string or name has that begins here, its quotes included.
fn quoted(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' if quote != b'`' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

#[test]
fn a_script_is_split_as_its_test_program_does() {
    let script = b"# comment; with a delimiter\n--source include/x.inc\nSELECT 'a;b', 1; select 2;\n\
        let $n = 7;\nlet $m = `SELECT 1`;\neval SELECT $n;\neval SELECT $m;\n--eval SELECT $n, 2\n\
        if (!$n)\n{\n  SELECT 3;\n}\nwhile ($n) {\n dec $n;\n}\n\
        delimiter |;\nCREATE PROCEDURE p() BEGIN SELECT 1; END|\ndelimiter ;|\n\
        --write_file $x.txt\nSELECT 'not this';\nEOF\nperl;\nprint 'nor this;';\nEOF\n\
        send SELECT 4;\nreap;\nSELECT 5 -- it's ; a comment\n;\nINSERT INTO t VALUES (1)";
    let texts: Vec<String> =
        statements(script).into_iter().map(|text| String::from_utf8(text).expect("utf-8")).collect();
    assert_eq!(
        texts,
        [
            "SELECT 'a;b', 1",
            "select 2",
            "SELECT 7",
            "SELECT 7, 2",
            "SELECT 3",
            "CREATE PROCEDURE p() BEGIN SELECT 1; END",
            "SELECT 4",
            "SELECT 5 -- it's ; a comment",
            "INSERT INTO t VALUES (1)",
        ]
    );
}

#[test]
fn a_delimiter_that_is_the_delimiter_already_does_not_end_the_reading() {
    let script = b"--delimiter ;\nSELECT 1;\ndelimiter ;\nSELECT 2;\n\
        --delimiter ;;\nSELECT 3; SELECT 4;;\n--delimiter ;\nSELECT 5;";
    assert_eq!(statements(script), [&b"SELECT 1"[..], b"SELECT 2", b"SELECT 3; SELECT 4", b"SELECT 5"]);
}
