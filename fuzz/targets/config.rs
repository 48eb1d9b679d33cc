//! Any text as a configuration file: every mistake is reported, nothing panics, and what is accepted can be asked.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use mysqlclient_ms::cluster::config::{Call, Config};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // Relative to a folder that is not there, so that no file of this machine is read.
    match Config::parse(text, Path::new("/nonexistent/fuzz.json"), data.len() % 2 == 0) {
        Ok(loaded) => {
            for section in loaded.config.sections() {
                assert!(!section.filters.is_empty());
                let _ = loaded.config.find(&Call { host: Some(&section.name), ..Call::default() });
            }
            for problem in &loaded.problems {
                assert!(!problem.to_string().is_empty());
            }
        }
        Err(problem) => assert!(!problem.to_error().message.is_empty()),
    }
});
