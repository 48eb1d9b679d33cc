//! Escaping beside the originals, on random texts: a small C program answers with the original library, our functions must
//! give the same bytes. The seed is printed; `ESCAPE_SEED` repeats a run.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

use mysqlclient_ms::charset::{self, Scheme, escape};
use mysqlclient_ms::options::Family;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

/// Compiles `c_tests/escape_lines.c` against the original of a family.
fn compile(family: Family, flags: &[String]) -> PathBuf {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("escape_lines-{family:?}"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("c_tests/escape_lines.c");
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&out).arg(source).args(flags);
    let output = cc.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    out
}

fn mariadb() -> Command {
    let flags = Command::new("mariadb_config").arg("--cflags").output().unwrap();
    let mut flags: Vec<String> =
        String::from_utf8(flags.stdout).unwrap().split_whitespace().map(str::to_owned).collect();
    flags.push("-lmariadb".into());
    Command::new(compile(Family::MariaDb, &flags))
}

/// `None` without MySQL's files, which CI must have.
fn mysql() -> Option<Command> {
    let root = harness::family::mysql_prefix().join("root/usr");
    if !root.join("include/mysql/mysql.h").is_file() {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci.is_empty()), "the MySQL headers are not there");
        eprintln!("escape: the MySQL headers are not there: its library is left out");
        return None;
    }
    let root = root.canonicalize().unwrap();
    let libraries = root.join("lib/x86_64-linux-gnu");
    let program = compile(
        Family::MySql,
        &[
            format!("-I{}", root.join("include").display()),
            format!("-I{}", root.join("include/mysql").display()),
            format!("-L{}", libraries.display()),
            "-l:libmysqlclient.so.24".into(),
            "-Wl,--allow-shlib-undefined".into(),
        ],
    );
    let mut command = Command::new(libraries.join("ld-linux-x86-64.so.2"));
    let path = format!("{}:{}", libraries.display(), root.join("lib/mysql/private").display());
    command.arg("--library-path").arg(path).arg(program);
    Some(command)
}

/// A generator that needs no crate: the texts only have to be varied.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    fn text(&mut self, scheme: Scheme) -> Vec<u8> {
        const LENGTHS: [usize; 8] = [1, 3, 8, 63, 64, 65, 300, 9000];
        const SPECIAL: [u8; 8] = [0, b'\n', b'\r', 0x1a, b'"', b'\'', b'\\', b'`'];
        let most = LENGTHS[self.below(LENGTHS.len())];
        let length = 1 + self.below(most);
        let wild = self.below(3);
        let mut text = Vec::new();
        while text.len() < length {
            match (self.below(10), wild) {
                (0, _) => text.push(SPECIAL[self.below(SPECIAL.len())]),
                (1..=3, 1) | (1..=8, 2) => text.push(self.below(256) as u8),
                (1..=3, 0) if matches!(scheme, Scheme::Utf8mb3 | Scheme::Utf8mb4) => {
                    let code = [0xe9, 0x6f22, 0xd7ff, 0xffff, 0x1_f600][self.below(5)];
                    text.extend(char::from_u32(code).unwrap().to_string().into_bytes());
                }
                _ => text.push(b' ' + self.below(95) as u8),
            }
        }
        text
    }
}

fn hex(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return ".".into();
    }
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(text, "{byte:02x}").unwrap();
    }
    text
}

/// Connector/C's check of ujis reads behind the end of the text (docs/quirks.md): such texts have no right answer.
fn reads_behind(scheme: Scheme, text: &[u8]) -> bool {
    scheme == Scheme::Ujis && text.iter().rev().take(2).any(|byte| *byte >= 0x80)
}

fn compare(family: Family, mut program: Command, modes: &[char]) {
    let seed = std::env::var("ESCAPE_SEED").ok().map_or_else(
        || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64 | 1,
        |seed| seed.parse().unwrap(),
    );
    println!("ESCAPE_SEED={seed}");
    let mut numbers = Numbers(seed);
    let mut questions = Vec::new();
    for charset in charset::all().iter().filter(|charset| charset.scheme.fits_clients()) {
        for n in 0..60 {
            let text = numbers.text(charset.scheme);
            if !reads_behind(charset.scheme, &text) {
                questions.push((charset, modes[n % modes.len()], text));
            }
        }
    }
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input: String =
        questions.iter().map(|(charset, mode, text)| format!("{} {mode} {}\n", charset.name(), hex(text))).collect();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "{:?}", output.status);
    let answers = String::from_utf8(output.stdout).unwrap();
    assert_eq!(answers.lines().count(), questions.len());
    for ((charset, mode, text), answer) in questions.iter().zip(answers.lines()) {
        let mut to = vec![0; 2 * text.len() + 1];
        let length = match mode {
            's' => escape::backslashes(&mut to, text, charset, family),
            'q' => escape::doubled(&mut to, text, charset, family, b'\''),
            quote => escape::doubled(&mut to, text, charset, family, *quote as u8),
        };
        let ours = hex(&to[..length.unwrap()]);
        assert!(ours == answer, "{} {mode} {}\noriginal {answer}\nours     {ours}", charset.name(), hex(text));
    }
}

#[test]
fn equals_connector_c_on_random_texts() {
    compare(Family::MariaDb, mariadb(), &['s', 's', 'q']);
}

#[test]
fn equals_libmysqlclient_on_random_texts() {
    if let Some(program) = mysql() {
        compare(Family::MySql, program, &['s', 's', '`']);
    }
}
