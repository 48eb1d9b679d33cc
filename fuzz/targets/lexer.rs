//! Any bytes, in any context: the lexer ends, and its tokens and the blanks between them are the whole text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mysqlclient_ms::route::lexer::{Kind, Lexer};

mod context;

fuzz_target!(|data: &[u8]| {
    let Some((context, sql)) = context::split(data) else {
        return;
    };
    let mut lexer = Lexer::new(sql, &context);
    let mut behind = 0;
    let mut count = 0;
    loop {
        let token = lexer.next_token();
        let (start, end) = (token.start as usize, token.end as usize);
        assert!(behind <= start && start <= end && end <= sql.len());
        assert!(end > start || matches!(token.kind, Kind::End | Kind::Bad));
        let gap = sql[behind..start].trim_ascii();
        assert!(
            [&b"/*"[..], b"*/", b"--", b"#", b"\x0b"]
                .iter()
                .any(|mark| gap.starts_with(mark))
                || gap.is_empty(),
            "left out: {gap:?}"
        );
        behind = end;
        count += 1;
        assert!(count <= sql.len() + 2);
        if token.kind == Kind::End {
            assert_eq!(behind, sql.len());
            assert!(lexer.next_token().kind == Kind::End);
            return;
        }
    }
});
