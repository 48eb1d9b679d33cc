//! A large result of which only one row is in memory at a time: 1 GB in every run, UNBUFFERED_GB of it in `make large`.

use super::{Abi, abis, command, library, run, server, text};
use harness::Family;

/// What a peak may grow by, however large the result: the longest row (2.1 MB), because how the bytes arrive decides how much of
/// one has to be held beside the next.
const SLACK_KB: u64 = 2150;

/// The number behind `key=`.
fn number(printed: &str, key: &str) -> u64 {
    let found = printed.split_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
    found.unwrap_or_else(|| panic!("no {key} in:\n{printed}")).parse().unwrap()
}

#[test]
fn a_large_unbuffered_result_needs_no_more_memory_than_a_small_one() {
    if super::under::tool().is_some() {
        return;
    }
    let gigabytes: u64 = std::env::var("UNBUFFERED_GB").map_or(1, |text| text.parse().unwrap());
    let library = library();
    for family in harness::families() {
        for abi in abis() {
            if (abi == Abi::MySql) != (family == Family::MySql) {
                continue;
            }
            let mut ours = command("unbuffered", abi, Some(&library));
            ours.arg((gigabytes * 1000).to_string());
            let ours = run(ours, server(family));
            let printed = text(&ours.stdout);
            let what = format!("{abi:?}, server {family}");
            assert!(ours.status.success() && printed.ends_with("\nend\n"), "{what}: {}\n{printed}", ours.status);
            assert!(!printed.contains("is wrong") && printed.contains("errno=0"), "{what}:\n{printed}");
            assert_eq!(number(&printed, "rows"), gigabytes * 1000, "{what}:\n{printed}");
            assert!(number(&printed, "megabytes") >= gigabytes * 900, "{what}:\n{printed}");
            let (early, peak) = (number(&printed, "early_kb"), number(&printed, "peak_kb"));
            println!("{what}: {gigabytes} GB, peak {early} kB early, {peak} kB at the end");
            assert!(peak <= early + SLACK_KB, "{what}: the peak grew from {early} kB to {peak} kB");
        }
    }
}
