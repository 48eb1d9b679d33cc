//! The commands of the tool, one file each, and what they share: usage, messages, exit codes.

mod check;
mod doctor;
mod explain;
mod run;
mod status;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use lexopt::prelude::*;

const USAGE: &str = "\
mysqlclient-ms: the C API of MySQL and MariaDB, aware of replication

Usage:
  mysqlclient-ms run [--config FILE] [--log [LEVEL:]FILE] [--library FILE] [--] PROGRAM [ARGUMENT...]
      runs an unchanged program with the library
  mysqlclient-ms check FILE...
      prints every mistake in configuration files; exit code 1 if there is one
  mysqlclient-ms explain [--config FILE] [--section NAME] [--schema NAME] [--server VERSION] [--state STATE,...] SQL
      says where a statement would go and why, without asking any server
  mysqlclient-ms doctor [--config FILE] [--library FILE] PROGRAM [DRIVER...]
      says why a program would not be routed, without running it; exit code 1 if it would not
  mysqlclient-ms status [--config FILE] [--section NAME] [--user USER] [--password-file FILE] [--json]
      connects to every node and shows how it is; exit code 1 if one does not answer
  mysqlclient-ms version
  mysqlclient-ms help

Options of explain:
  --config FILE        the configuration file (else MYSQLND_MS_CONFIG_FILE)
  --section NAME       the section, if the file has several
  --schema NAME        the default schema
  --server VERSION     as servers say it: 9.7.4, 10.11.13-MariaDB (else what holds for all of them)
  --state STATE,...    in_transaction, read_only, used_source, no_split, multi_master; transaction=NODE, pinned=NODE,
                       last_used=NODE, last_write=NODE, failed=NODE

Options of doctor:
  --config FILE        the configuration file, as with run (else what the environment says)
  --library FILE       libmysqlclient_ms.so (else beside this program, or in ../lib)
  DRIVER...            libraries that the program loads at run time (else those in the usual places, for Perl, Python,
                       Ruby and PHP)

Options of status:
  --config FILE        the configuration file (else MYSQLND_MS_CONFIG_FILE)
  --section NAME       this section only
  --user USER          the account for nodes that have none of their own (else who runs this program)
  --password-file FILE its first line is the password (else MYSQL_PWD)
  --json               for programs

Options of run:
  --config FILE        the configuration file (else MYSQLND_MS_CONFIG_FILE)
  --log [LEVEL:]FILE   write decisions there (else MYSQLND_MS_LOG); LEVEL: error, warning, decision, debug
  --library FILE       libmysqlclient_ms.so (else beside this program, or in ../lib)

Exit codes of run: the program's; 125 if the library or the configuration is missing, 126 if the program cannot be
run, 127 if it is not found.
";

/// Why a command ended early.
pub(crate) struct Failure {
    code: u8,
    text: String,
}

impl Failure {
    /// Exit code and message.
    pub(crate) fn new(code: u8, text: impl Into<String>) -> Self {
        Failure { code, text: text.into() }
    }
}

impl From<lexopt::Error> for Failure {
    fn from(error: lexopt::Error) -> Self {
        Failure::new(2, format!("{error}; see mysqlclient-ms help"))
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Failure::new(1, format!("cannot write: {error}"))
    }
}

/// Runs the command that the arguments name.
pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    match command(lexopt::Parser::from_args(arguments), &mut std::io::stdout().lock()) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            let _ = writeln!(std::io::stderr(), "mysqlclient-ms: {}", failure.text);
            ExitCode::from(failure.code)
        }
    }
}

fn command(mut arguments: lexopt::Parser, out: &mut dyn Write) -> Result<u8, Failure> {
    let name = match arguments.next()? {
        Some(Value(name)) => name.string()?,
        Some(Short('V') | Long("version")) => "version".into(),
        Some(Short('h') | Long("help")) => "help".into(),
        Some(other) => return Err(other.unexpected().into()),
        None => return Err(Failure::new(2, "expected a command: run, check, explain, doctor, status, version, help")),
    };
    match name.as_str() {
        "run" => run::run(arguments),
        "check" => check::check(arguments, out),
        "explain" => explain::explain(arguments, out),
        "doctor" => doctor::doctor(arguments, out),
        "status" => status::status(arguments, out),
        "version" => {
            end(arguments)?;
            writeln!(out, "mysqlclient-ms {}", env!("CARGO_PKG_VERSION"))?;
            Ok(0)
        }
        "help" => {
            out.write_all(USAGE.as_bytes())?;
            Ok(0)
        }
        other => {
            let commands = "run, check, explain, doctor, status, version, help";
            Err(Failure::new(2, format!("unknown command {other:?}; commands: {commands}")))
        }
    }
}

/// No further argument.
fn end(mut arguments: lexopt::Parser) -> Result<(), Failure> {
    match arguments.next()? {
        Some(argument) => Err(argument.unexpected().into()),
        None => Ok(()),
    }
}
