//! `check FILE...`: every mistake of configuration files, with its line.

use std::io::Write;
use std::path::PathBuf;

use lexopt::prelude::*;
use mysqlclient_ms::cluster::config::{Config, Problem, Severity};

use super::Failure;

/// Prints one line per mistake, and one for a file without any. 1 if there was a mistake in any file, notes included.
pub(super) fn check(mut arguments: lexopt::Parser, out: &mut dyn Write) -> Result<u8, Failure> {
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(argument) = arguments.next()? {
        match argument {
            Value(file) => files.push(file.into()),
            other => return Err(other.unexpected().into()),
        }
    }
    if files.is_empty() {
        return Err(Failure::new(2, "check: expected a file"));
    }
    let mut code = 0;
    for file in files {
        // All sources: a mistake in one that `multi_master` leaves out is still a mistake.
        match Config::load(&file, true) {
            Ok(loaded) => {
                for problem in &loaded.problems {
                    line(out, problem)?;
                    code = 1;
                }
                if loaded.problems.is_empty() {
                    let names: Vec<_> = loaded.config.sections().iter().map(|section| section.name.as_str()).collect();
                    let what = match names.as_slice() {
                        [] => "no section".to_owned(),
                        [one] => format!("section {one}"),
                        many => format!("{} sections ({})", many.len(), many.join(", ")),
                    };
                    writeln!(out, "{}: good: {what}", file.display())?;
                }
            }
            Err(problem) => {
                line(out, &problem)?;
                code = 1;
            }
        }
    }
    Ok(code)
}

/// `FILE:LINE:COLUMN: error|note: PATH: TEXT (REMEDY)`, as compilers print it.
fn line(out: &mut dyn Write, problem: &Problem) -> std::io::Result<()> {
    write!(out, "{}", problem.file.display())?;
    if let Some(at) = problem.position {
        write!(out, ":{}:{}", at.line, at.column)?;
    }
    let word = if problem.severity == Severity::Note { "note" } else { "error" };
    write!(out, ": {word}: ")?;
    if !problem.path.is_empty() {
        write!(out, "{}: ", problem.path)?;
    }
    write!(out, "{}", problem.text)?;
    if !problem.remedy.is_empty() {
        write!(out, " ({})", problem.remedy)?;
    }
    writeln!(out)
}
