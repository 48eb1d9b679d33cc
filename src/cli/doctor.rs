//! `doctor PROGRAM [DRIVER...]`: why a program would not be routed. Reads files only; nothing is run or connected to.

mod drivers;
mod elf;
mod search;

use std::collections::HashSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use lexopt::prelude::*;
use mysqlclient_ms::abi::list;
use mysqlclient_ms::cluster::Clusters;
use mysqlclient_ms::cluster::config::{Config, MatchRule, Section};
use mysqlclient_ms::cluster::topology::Role;

use super::{Failure, run};
use drivers::Interpreter;
use elf::Facts;

/// What the soname folder has.
const SONAMES: [&str; 3] = ["libmariadb.so.3", "libmysqlclient.so.21", "libmysqlclient.so.24"];

/// Libraries with the C API of MySQL; a hyphen, dot or letter may follow.
const CLIENTS: [&str; 4] = ["libmysqlclient", "libmariadb", "libperconaserverclient", "libmariadbclient"];

fn is_client(soname: &str) -> bool {
    let name = soname.rsplit('/').next().unwrap_or(soname);
    CLIENTS.iter().any(|client| name.starts_with(client))
}

/// Lines on their way out, and what they come to.
struct Report<'a> {
    out: &'a mut dyn Write,
    /// Something that concerns the whole program.
    problems: usize,
    /// Files whose calls come to the library.
    reached: Vec<String>,
    /// Files whose calls do not.
    missed: Vec<String>,
}

impl Report<'_> {
    fn good(&mut self, text: &str) -> Result<(), Failure> {
        Ok(writeln!(self.out, "good: {text}")?)
    }

    fn note(&mut self, text: &str) -> Result<(), Failure> {
        Ok(writeln!(self.out, "note: {text}")?)
    }

    /// Of the whole program.
    fn problem(&mut self, text: &str, remedy: &str) -> Result<(), Failure> {
        self.problems += 1;
        self.tell_problem(text, remedy)
    }

    /// Of one file.
    fn missed(&mut self, file: &Path, text: &str, remedy: &str) -> Result<(), Failure> {
        self.missed.push(file.display().to_string());
        self.tell_problem(&format!("{} {text}", file.display()), remedy)
    }

    fn tell_problem(&mut self, text: &str, remedy: &str) -> Result<(), Failure> {
        let remedy = if remedy.is_empty() { String::new() } else { format!(" ({remedy})") };
        Ok(writeln!(self.out, "problem: {text}{remedy}")?)
    }
}

/// Prints what speaks for and against. 0: the program's connects are routed; 1: they are not.
pub(super) fn doctor(mut arguments: lexopt::Parser, out: &mut dyn Write) -> Result<u8, Failure> {
    let (mut config, mut library, mut files) = (None::<PathBuf>, None::<PathBuf>, Vec::<PathBuf>::new());
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("config") => config = Some(arguments.value()?.into()),
            Long("library") => library = Some(arguments.value()?.into()),
            Value(file) => files.push(file.into()),
            other => return Err(other.unexpected().into()),
        }
    }
    let mut named = files.into_iter();
    let program = named.next().ok_or_else(|| Failure::new(2, "doctor: expected a program"))?;
    let given: Vec<PathBuf> = named.collect();
    let mut report = Report { out, problems: 0, reached: Vec::new(), missed: Vec::new() };

    let program = find_program(&program)?;
    let program = follow_script(program, &mut report)?;
    report.note(&format!("the program is {}", program.display()))?;
    privileges(&program, &mut report)?;
    let facts = read(&program)?;
    let interpreter = Interpreter::of(&program.canonicalize().unwrap_or_else(|_| program.clone()))
        .or_else(|| Interpreter::of(&program));
    let system = search::system_folders();
    if !loadable(&facts, &mut report)? {
        return verdict(report);
    }
    let looks = Looks::new(interpreter == Some(Interpreter::Php), library, &mut report)?;
    let (opens, speaks, is_go) = (facts.opens, facts.speaks, facts.is_go);
    let mysqlnd = facts.has_mysqlnd && looks.is_php;
    looks.at(facts, &system, &mut report)?;
    let found = if given.is_empty() { interpreter.map(Interpreter::drivers).unwrap_or_default() } else { given };
    for driver in &found {
        let facts = read(driver)?;
        if loadable(&facts, &mut report)? {
            let has_mysqlnd = facts.has_mysqlnd;
            if !looks.at(facts, &system, &mut report)? {
                let text = match (looks.is_php, has_mysqlnd) {
                    (_, true) => "is mysqlnd, PHP's own client",
                    (true, _) => "uses mysqlnd, PHP's own client",
                    _ => "uses no client library",
                };
                report.missed(driver, text, "a driver that is built for libmysqlclient or libmariadb")?;
            }
        }
    }
    if report.reached.is_empty() && report.missed.is_empty() {
        let name = program.display();
        if mysqlnd {
            report.problem(
                &format!("{name} has mysqlnd in it, PHP's own client"),
                "build pdo_mysql for a client library",
            )?;
        } else if is_go {
            report.problem(&format!("{name} is a Go program: its driver speaks the protocol itself"), "")?;
        } else if speaks {
            report
                .problem(&format!("{name} speaks the protocol itself, it seems"), "no library can stand in for that")?;
        } else if interpreter == Some(Interpreter::Shell) {
            report.problem(&format!("{name} is a shell"), "ask about the program that it starts")?;
        } else if opens || interpreter.is_some() {
            let text = format!("{name} loads libraries at run time, and no driver is known");
            report.problem(&text, "name the driver's file behind the program")?;
        } else {
            report.problem(&format!("{name} uses no client library of MySQL or MariaDB"), "")?;
        }
    }
    configuration(config, &mut report)?;
    verdict(report)
}

fn verdict(report: Report<'_>) -> Result<u8, Failure> {
    let works = report.problems == 0 && !report.reached.is_empty();
    if works {
        write!(report.out, "verdict: routed")?;
        if !report.missed.is_empty() {
            write!(report.out, "; not through {}", report.missed.join(", "))?;
        }
        writeln!(report.out)?;
    } else {
        writeln!(report.out, "verdict: not routed")?;
    }
    Ok(u8::from(!works))
}

/// As the shell finds it.
fn find_program(name: &Path) -> Result<PathBuf, Failure> {
    let here =
        |path: &Path| path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0);
    if name.components().count() > 1 || name.is_absolute() {
        return if name.is_file() { Ok(name.to_owned()) } else { Err(missing(name)) };
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join(name)).find(|path| here(path)).ok_or_else(|| missing(name))
}

fn missing(name: &Path) -> Failure {
    Failure::new(2, format!("doctor: there is no program {}", name.display()))
}

fn read(path: &Path) -> Result<Facts, Failure> {
    let fails = |text: &str| Failure::new(2, format!("doctor: {}: {text}", path.display()));
    elf::read(path)
        .map_err(|text| fails(&text))?
        .ok_or_else(|| fails("is neither a program nor a library nor a script"))
}

/// The program that runs a script, of a script's.
fn follow_script(mut program: PathBuf, report: &mut Report<'_>) -> Result<PathBuf, Failure> {
    for _ in 0..4 {
        let mut start = Vec::new();
        let file = fs::File::open(&program);
        file.and_then(|file| file.take(256).read_to_end(&mut start))
            .map_err(|error| Failure::new(2, format!("doctor: {}: {error}", program.display())))?;
        let Some(line) = start.strip_prefix(b"#!") else { break };
        let line = String::from_utf8_lossy(line.split(|byte| *byte == b'\n').next().unwrap_or_default()).into_owned();
        let mut words = line.split_whitespace();
        let mut next = words.next().unwrap_or_default();
        if next.ends_with("/env") {
            next = words.find(|word| !word.starts_with('-') && !word.contains('=')).unwrap_or_default();
        }
        report.note(&format!("{} is a script for {next}", program.display()))?;
        program = find_program(Path::new(next))?;
    }
    Ok(program)
}

/// The loader and the library ignore the environment of programs that run with more rights than their caller.
fn privileges(program: &Path, report: &mut Report<'_>) -> Result<(), Failure> {
    let Ok(metadata) = program.metadata() else { return Ok(()) };
    let name = program.display();
    if metadata.permissions().mode() & 0o6000 != 0 {
        let text =
            format!("{name} is set-user-id or set-group-id (owner {}): it ignores the environment", metadata.uid());
        report.problem(&text, "")?;
    }
    let mut room = [0_u8; 64];
    if rustix::fs::getxattr(program, "security.capability", &mut room[..]).is_ok_and(|length| length > 0) {
        report.problem(
            &format!("{name} has capabilities: it ignores the environment"),
            "setcap -r, if it can do without",
        )?;
    }
    Ok(())
}

/// Preloading reaches it.
fn loadable(facts: &Facts, report: &mut Report<'_>) -> Result<bool, Failure> {
    let name = facts.path.display();
    if let Some(foreign) = facts.foreign {
        report.problem(&format!("{name} is for {foreign}, and the library is not"), "")?;
    } else if !facts.is_dynamic {
        let what = if facts.is_go { "is a static Go program" } else { "is linked statically" };
        report.problem(&format!("{name} {what}: no library can be loaded into it"), "")?;
    }
    Ok(facts.foreign.is_none() && facts.is_dynamic)
}

/// What is needed to judge files.
struct Looks {
    /// PHP loads its extensions so that their own libraries come first: only the soname folder reaches them.
    is_php: bool,
    /// The folder of the originals' names.
    sonames: Option<PathBuf>,
    /// Every function of the library with every version; and with "" for callers without.
    exported: HashSet<(String, String)>,
}

impl Looks {
    fn new(is_php: bool, library: Option<PathBuf>, report: &mut Report<'_>) -> Result<Looks, Failure> {
        let library = library.map_or_else(run::find_library, |path| run::absolute(&path));
        let mut sonames = None;
        match library {
            Ok(library) => {
                report.good(&format!("the library is {}", library.display()))?;
                sonames = library.parent().and_then(run::find_sonames);
            }
            Err(failure) => report.problem(failure.text.trim_start_matches("run: "), "")?,
        }
        let exports = list::parse(include_str!("../abi/exports.list")).map_err(|text| Failure::new(1, text))?;
        let names = exports.iter().flat_map(|export| {
            let versions = export.nodes().into_iter().chain([""]);
            versions.map(|version| (export.name.clone(), version.to_owned())).collect::<Vec<_>>()
        });
        Ok(Looks { is_php, sonames, exported: names.collect() })
    }

    /// Judges a program or a driver with all that it brings. False if nothing of it uses the client.
    fn at(&self, facts: Facts, system: &[PathBuf], report: &mut Report<'_>) -> Result<bool, Failure> {
        let before = report.reached.len() + report.missed.len();
        let (all, missing) = search::closure(facts, system);
        for name in missing.iter().filter(|name| is_client(name)) {
            let covered = SONAMES.contains(&name.as_str());
            let text = format!("{name} is not installed");
            if covered {
                report.note(&format!("{text}; the soname folder has it"))?
            } else {
                report.problem(&text, "")?
            }
        }
        for file in &all {
            let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if is_client(&name) {
                continue;
            }
            if file.has_client {
                let remedy = "link it with the shared library";
                report.missed(&file.path, "contains a client library of its own", remedy)?;
            } else if !file.imports.is_empty() {
                self.judge(file, &all, report)?;
            }
        }
        Ok(report.reached.len() + report.missed.len() > before)
    }

    /// A file that calls functions of the client.
    fn judge(&self, file: &Facts, all: &[Facts], report: &mut Report<'_>) -> Result<(), Failure> {
        let client = file.needed.iter().find(|name| is_client(name)).map_or("", String::as_str);
        let path = all.iter().find(|other| other.path.file_name().is_some_and(|name| name == client));
        let path = path.map_or_else(String::new, |found| format!(" ({})", found.path.display()));
        let unknown: Vec<String> = file
            .imports
            .iter()
            .filter(|import| !self.exported.contains(&(import.name.clone(), import.version.clone())))
            .map(|import| format!("{}@{}", import.name, import.version))
            .collect();
        if let Some(first) = unknown.first() {
            let text = format!(
                "is built for {client}{path}: {} of its {} functions the library does not have, {first} for one",
                unknown.len(),
                file.imports.len()
            );
            return report.missed(
                &file.path,
                &text,
                "build it anew for one of the libraries that this one stands in for",
            );
        }
        // What comes ahead of LD_LIBRARY_PATH.
        let fixed = file.rpath.iter().chain(all.first().map(|first| &first.rpath).into_iter().flatten());
        let mut fixed = fixed.map(|folder| search::with_origin(folder, &file.path).join(client));
        let fixed =
            if client.contains('/') { Some(PathBuf::from(client)) } else { fixed.find(|place| place.is_file()) };
        let fixed = fixed.filter(|_| !client.is_empty());
        if self.is_php {
            let remedy = "build the extension without -rpath, or with -Wl,--enable-new-dtags";
            if let Some(fixed) = fixed {
                let text = format!("has a run path that comes ahead of the soname folder, to {}", fixed.display());
                return report.missed(&file.path, &text, remedy);
            }
            if !SONAMES.contains(&client) {
                let text = format!("needs {client}, which the soname folder does not have");
                return report.missed(&file.path, &text, "build it anew for one of the libraries that are there");
            }
            match &self.sonames {
                None => {
                    let text = "is loaded so that no preloaded library reaches it, and there is no soname folder";
                    return report.missed(&file.path, text, "make install, or src/abi/soname/build.sh");
                }
                Some(folder) => {
                    let text = format!("PHP's extensions are reached by LD_LIBRARY_PATH={} only", folder.display());
                    report.note(&text)?;
                }
            }
        } else if let Some(fixed) = fixed {
            let text = format!(
                "{} has a run path that comes ahead of the soname folder, to {}: preload the library",
                file.path.display(),
                fixed.display()
            );
            report.note(&text)?;
        }
        report.reached.push(file.path.display().to_string());
        let name = if client.is_empty() { "the client" } else { client };
        report.good(&format!("{} calls {} functions of {name}{path}", file.path.display(), file.imports.len()))
    }
}

/// The directives as the program would get them, and the configuration that they name.
fn configuration(config: Option<PathBuf>, report: &mut Report<'_>) -> Result<(), Failure> {
    let mut variables: Vec<(OsString, OsString)> = env::vars_os().collect();
    if let Some(file) = config {
        // As `run --config` does.
        variables.retain(|(name, _)| name != "MYSQLND_MS_ENABLE" && name != "MYSQLND_MS_CONFIG_FILE");
        variables.push(("MYSQLND_MS_ENABLE".into(), "1".into()));
        variables.push(("MYSQLND_MS_CONFIG_FILE".into(), file.into()));
    }
    let clusters = Clusters::new(variables, false);
    for remark in &clusters.remarks {
        report.note(&remark.to_string())?;
    }
    let directives = &clusters.directives;
    if !directives.enable {
        report.problem("mysqlnd_ms.enable is off", "MYSQLND_MS_ENABLE=1, or mysqlclient-ms run --config FILE")?;
    }
    if let Some(text) = &directives.refused {
        report.problem(text, "")?;
    }
    if directives.disable_rw_split {
        report.note("mysqlnd_ms.disable_rw_split is on: everything goes to the masters")?;
    }
    let Some(file) = &directives.config_file else {
        return report.problem("no configuration is named", "MYSQLND_MS_CONFIG_FILE, or --config FILE");
    };
    let loaded = match Config::load(file, directives.multi_master) {
        Ok(loaded) => loaded,
        Err(problem) => return report.problem(&problem.to_string(), ""),
    };
    for problem in &loaded.problems {
        report.note(&problem.to_string())?;
    }
    let sections = loaded.config.sections();
    if sections.is_empty() {
        report.problem(&format!("{} has no section", file.display()), "")?;
    }
    for section in sections {
        if let Some(problem) = &section.refused {
            report.problem(&format!("connects to section {} fail: {problem}", section.name), "")?;
            continue;
        }
        report.good(&tell_section(section))?;
    }
    Ok(())
}

fn tell_section(section: &Section) -> String {
    let of = |role: Role| section.nodes.iter().filter(|node| node.role == role).count();
    let rules: Vec<String> = section.rules.iter().map(tell_rule).collect();
    let or = if rules.is_empty() {
        "; it has no match rules".to_owned()
    } else {
        format!(", or fit {}", rules.join(" or "))
    };
    format!(
        "section {} (masters: {}, slaves: {}): for connects to the host {:?}{or}",
        section.name,
        of(Role::Source),
        of(Role::Replica),
        section.name,
    )
}

fn tell_rule(rule: &MatchRule) -> String {
    let port = rule.port.map(|port| port.to_string());
    let parts = [
        ("host", &rule.host),
        ("port", &port),
        ("socket", &rule.socket),
        ("user", &rule.user),
        ("database", &rule.database),
    ];
    let told: Vec<String> =
        parts.iter().filter_map(|(key, value)| value.as_ref().map(|value| format!("{key}={value}"))).collect();
    told.join(" ")
}
