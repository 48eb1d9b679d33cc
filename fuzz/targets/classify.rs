//! Any bytes, in any context: the classifier ends, its positions lie in the text, and what is not a read does not become
//! one when comments, parentheses, another statement or doubt are added.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mysqlclient_ms::route::cache::StatementCache;
use mysqlclient_ms::route::{Class, ClassifyConfig, LexContext, Span, classify};

mod context;

fuzz_target!(|data: &[u8]| {
    let Some((context, sql)) = context::split(data) else {
        return;
    };
    let config = ClassifyConfig::default();
    let statement = classify(sql, &context, &config);
    let inside = |span: Span| span.start <= span.end && span.end as usize <= sql.len();
    assert!(statement.reason.at.is_none_or(inside));
    for table in &statement.needs.tables {
        assert!(inside(table.name) && table.schema.is_none_or(inside));
        let _ = table.name.name(sql);
    }
    let mut cache = StatementCache::new(4096);
    assert_eq!(*cache.classify(sql, &context, &config), statement);
    assert_eq!(*cache.classify(sql, &context, &config), statement);
    let class = |text: &[u8], context: &LexContext| classify(text, context, &config).class;
    if statement.class == Class::Read {
        return;
    }
    for (before, behind) in [
        (&b"/* x */ "[..], &b" -- x"[..]),
        (b"# ms=slave\n", b"\n"),
        (b"(", b")"),
        (b"SELECT 1; ", b""),
        (b"WITH w AS (SELECT 1) ", b""),
    ] {
        let dressed = [before, sql, behind].concat();
        // A quote, comment or parenthesis that was open takes in what is put around it; then it is another text.
        if ["without end", "without beginning"]
            .iter()
            .any(|open| statement.reason.text.contains(open))
        {
            continue;
        }
        // Nothing, or only comments, is no statement; something in front of it is one.
        if statement.reason.text == "empty statement" {
            continue;
        }
        assert_ne!(
            class(&dressed, &context),
            Class::Read,
            "{:?}",
            String::from_utf8_lossy(&dressed)
        );
    }
    let doubt = LexContext {
        sql_mode_known: false,
        ..context
    };
    assert_ne!(class(sql, &doubt), Class::Read);
});
