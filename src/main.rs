//! The command line tool `mysqlclient-ms`: `run`, `check`, `explain`, `version`.
//!
//! Only reads the arguments and the environment and prints; what it says about configurations comes from the library.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main(std::env::args_os().skip(1))
}
