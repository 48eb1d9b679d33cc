//! The routing oracle: statements of the servers' own test suites (`tests/oracle/get-suites.sh` fetches them), run through a
//! routed handle on a source and two replicas that would take writes. The replicas' general logs, judged by rules that know
//! nothing of the library (`oracle/judge.rs`), their own transactions and their locks must show no write, lock or change of state. What a
//! replica answered must be what a plain handle gets that runs the same statements on one server.
//!
//! `ORACLE_FILES` scripts of each family (default 40; `all`), drawn with `ORACLE_SEED` (default 1). `ORACLE_ONLY`: scripts whose
//! name contains this. `make oracle` runs all of them.
//!
//! Beside that every text of the suites, those of scripts that cannot be run here included, is shown to the classifier and to
//! the judge without a server (`oracle/texts.rs`): of one script in [`TEXTS_OF_ONE_IN`], of all with `ORACLE_FILES=all`.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "oracle/judge.rs"]
mod judge;
#[path = "oracle/refused.rs"]
mod refused;
#[path = "oracle/run.rs"]
mod run;
#[path = "oracle/script.rs"]
mod script;
#[path = "oracle/suites.rs"]
mod suites;
#[path = "oracle/texts.rs"]
mod texts;

use std::collections::BTreeMap;

use harness::{Family, families};
use run::Oracle;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}

fn consult(family: Family) {
    if !families().contains(&family) {
        return;
    }
    let Some(scripts) = suites::scripts(family) else { return };
    let seed = number("ORACLE_SEED", 1);
    let count = match std::env::var("ORACLE_FILES").as_deref() {
        Ok("all") => scripts.len(),
        _ => number("ORACLE_FILES", 40) as usize,
    };
    let chosen = suites::draw(scripts, count, seed, suites::SAMPLE_BYTES);
    println!("{family}: {} scripts, ORACLE_SEED={seed}", chosen.len());
    let mut oracle = Oracle::start(family);
    for (done, script) in chosen.iter().enumerate() {
        if done > 0 && done % 100 == 0 {
            println!("{family}: {done} of {} scripts", chosen.len());
        }
        oracle.run(script);
    }
    let report = oracle.report();
    println!("{family}: {} statements, {} left out:", report.statements, report.left_out.values().sum::<u64>());
    let mut by_reason: Vec<_> = report.left_out.iter().collect();
    by_reason.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    by_reason.iter().for_each(|(why, count)| println!("    {count:6} {why}"));
    let share = 100.0 * report.reads_on_replicas as f64 / report.reads.max(1) as f64;
    println!(
        "{family}: {} plain reads outside of transactions, {} of them ({share:.1} %) answered by a replica; {} answers compared",
        report.reads, report.reads_on_replicas, report.compared
    );
    println!("{family}: reads that stayed on the source, by reason:");
    let mut stayed: Vec<_> = report.stayed.iter().collect();
    stayed.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    stayed.iter().take(12).for_each(|(why, count)| println!("    {count:6} {why}"));
    report.remarks.iter().for_each(|remark| println!("{family}: {remark}"));
    assert!(report.statements > 0 && report.reads_on_replicas > 0, "nothing was tried");
    assert!(report.faults.is_empty(), "{family}: {} faults:\n{}", report.faults.len(), report.faults.join("\n"));
}

/// Without `ORACLE_FILES=all` the texts of one script in so many are looked at.
const TEXTS_OF_ONE_IN: usize = 8;

fn read_texts(family: Family) {
    if !families().contains(&family) {
        return;
    }
    let Some(scripts) = suites::every(family) else { return };
    let count = match std::env::var("ORACLE_FILES").as_deref() {
        Ok("all") => scripts.len(),
        _ => scripts.len().div_ceil(TEXTS_OF_ONE_IN),
    };
    let chosen = suites::draw(scripts, count, number("ORACLE_SEED", 1), u64::MAX);
    let found = texts::weigh(family, &chosen);
    let share = 100.0 * found.reads as f64 / found.queries.max(1) as f64;
    println!(
        "{family}: {} texts of {} scripts; {} queries, {} of them ({share:.1} %) proven reads; the others:",
        found.texts,
        chosen.len(),
        found.queries,
        found.reads
    );
    let mut lost: Vec<_> = found.lost.iter().collect();
    lost.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    lost.iter().for_each(|(why, count)| println!("    {count:6} {why}"));
    assert!(found.reads > 0, "nothing was read");
    assert!(found.faults.is_empty(), "{family}: {} faults:\n{}", found.faults.len(), found.faults.join("\n"));
}

/// What a run has found.
#[derive(Default)]
pub struct Report {
    statements: u64,
    left_out: BTreeMap<&'static str, u64>,
    reads: u64,
    reads_on_replicas: u64,
    compared: u64,
    stayed: BTreeMap<String, u64>,
    remarks: Vec<String>,
    faults: Vec<String>,
}

impl Report {
    fn fault(&mut self, text: String) {
        println!("FAULT {text}");
        self.faults.push(text);
    }
}

#[test]
fn nothing_but_reads_of_mariadb_s_own_tests_reaches_a_replica() {
    consult(Family::MariaDb);
}

#[test]
fn nothing_but_reads_of_mysql_s_own_tests_reaches_a_replica() {
    consult(Family::MySql);
}

#[test]
fn what_the_judge_of_mariadb_s_own_texts_takes_for_more_than_a_read_is_none_to_the_classifier() {
    read_texts(Family::MariaDb);
}

#[test]
fn what_the_judge_of_mysql_s_own_texts_takes_for_more_than_a_read_is_none_to_the_classifier() {
    read_texts(Family::MySql);
}
