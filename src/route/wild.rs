//! `mysqlnd_ms_match_wild`: SQL LIKE patterns over table and schema names. Pure; touches nothing else.

/// Whether `text` matches `mask`: `%` is any run of bytes, `_` any one byte, a backslash takes the next byte as it
/// is; a backslash at the end of the mask never matches. Bytes are compared as they are.
///
/// Source: the reference of mysqlnd_ms, 3.2; its quirk (everything behind the first `%` matches) is not reproduced.
/// Time is at most proportional to the product of the lengths.
pub fn match_wild(text: &[u8], mask: &[u8]) -> bool {
    let (mut t, mut m) = (0, 0);
    // Where to go back to after a mismatch: behind the last `%`, one byte further in the text each time.
    let mut retry: Option<(usize, usize)> = None;
    loop {
        let step = match mask.get(m) {
            Some(b'%') if m + 1 == mask.len() => return true,
            Some(b'%') => {
                retry = Some((t, m + 1));
                m += 1;
                continue;
            }
            None => {
                if t == text.len() {
                    return true;
                }
                None
            }
            Some(b'_') if t < text.len() => Some(1),
            Some(b'\\') => match mask.get(m + 1) {
                Some(literal) if text.get(t) == Some(literal) => Some(2),
                _ => None,
            },
            Some(byte) if *byte != b'_' && text.get(t) == Some(byte) => Some(1),
            _ => None,
        };
        match (step, retry) {
            (Some(n), _) => {
                t += 1;
                m += n;
            }
            (None, Some((from, behind))) if from < text.len() => {
                retry = Some((from + 1, behind));
                t = from + 1;
                m = behind;
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::match_wild;

    #[test]
    fn pairs() {
        let rows: &[(&str, &str, bool)] = &[
            ("", "", true),
            ("", "%", true),
            ("", "_", false),
            ("a", "", false),
            ("test", "test", true),
            ("test", "Test", false),
            ("test", "tes", false),
            ("test", "test1", false),
            ("test", "t%", true),
            ("test", "%t", true),
            ("test", "t%t", true),
            ("test", "%%", true),
            ("test", "____", true),
            ("test", "___", false),
            ("test", "_____", false),
            ("test", "_%", true),
            ("test", "%_", true),
            ("test", "_est", true),
            ("test", "t_st", true),
            ("test", "t%x", false), // the original's quirk says true
            ("test", "%x%", false),
            ("aXbXc", "a%X%c", true),
            ("aab", "%ab", true),
            ("a%b", "a\\%b", true),
            ("axb", "a\\%b", false),
            ("a_b", "a\\_b", true),
            ("axb", "a\\_b", false),
            ("a\\b", "a\\\\b", true),
            ("a", "a\\", false),
            ("a\\", "a\\", false),
            ("db.table", "db.%", true),
            ("db.table", "%.table", true),
            ("db2.table", "db.%", false),
            ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "%a%a%a%a%a%a%a%c", false),
        ];
        for (text, mask, expected) in rows {
            assert_eq!(match_wild(text.as_bytes(), mask.as_bytes()), *expected, "{text:?} against {mask:?}");
        }
    }
}
