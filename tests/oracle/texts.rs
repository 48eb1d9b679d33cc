//! Every text of the suites before the classifier and the judge, without a server: also those of scripts that one connection
//! cannot run (replication, plugins, tools), and of statements that the run leaves out.

use std::collections::{BTreeMap, HashSet};

use harness::Family;
use mysqlclient_ms::route::{Class, ClassifyConfig, LexContext, Server, classify};

use crate::suites::Script;
use crate::{judge, script};

/// Functions that the judge wants to see on no replica since they would hold up a run, and that change nothing.
const ONLY_SLOW: &[&str] = &["SLEEP()", "BENCHMARK()"];

/// What the texts of some scripts say.
#[derive(Default)]
pub struct Texts {
    /// Different ones.
    pub texts: usize,
    /// Queries among them, to the judge.
    pub queries: u64,
    /// Queries that are reads to the classifier.
    pub reads: u64,
    /// Why the others are none, and how many.
    pub lost: BTreeMap<&'static str, u64>,
    /// Reads to the classifier that are none to the judge.
    pub faults: Vec<String>,
}

/// As a new handle of the family would read them.
pub fn weigh(family: Family, scripts: &[Script]) -> Texts {
    let server = match family {
        Family::MariaDb => Server::mariadb(101_119),
        Family::MySql => Server::mysql(90_704),
    };
    let context = LexContext { server, multi_statements: true, ..LexContext::default() };
    let (config, nothing) = (ClassifyConfig::default(), HashSet::new());
    let (mut found, mut seen) = (Texts::default(), HashSet::new());
    for script in scripts {
        for sql in script::statements(&std::fs::read(&script.path).unwrap_or_default()) {
            if seen.contains(&sql) {
                continue;
            }
            let statement = classify(&sql, &context, &config);
            let text = String::from_utf8_lossy(&sql);
            let read = statement.class == Class::Read;
            if let Some(why) = judge::fault(&text, &nothing).filter(|why| read && !ONLY_SLOW.contains(&why.as_str())) {
                found.faults.push(format!("{}: {text} ({why})", script.name));
            }
            if judge::is_query(&text) {
                found.queries += 1;
                if read {
                    found.reads += 1;
                } else {
                    *found.lost.entry(statement.reason.text).or_default() += 1;
                }
            }
            seen.insert(sql);
        }
    }
    found.texts = seen.len();
    found
}
