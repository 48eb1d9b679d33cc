//! Connection strings of Connector/C: `key=value` pairs between semicolons, in braces where a value has one.
//!
//! Only takes texts apart. Follows the original byte for byte, its handling of doubled braces included.

/// A key, and its value if there is an equal sign.
pub(super) type Pair = (Vec<u8>, Option<Vec<u8>>);

/// The pairs of a text, and where it goes wrong.
pub(super) fn parse(text: &[u8]) -> (Vec<Pair>, Option<usize>) {
    let mut bytes = text.to_vec();
    bytes.push(0);
    let mut end = text.len();
    let mut pairs = Vec::new();
    let (mut key, mut value): (Option<usize>, Option<usize>) = (None, None);
    let mut in_braces = false;
    let mut at = 0;
    while at <= end {
        let byte = bytes[at];
        if !in_braces && is_space(byte) {
            at += 1;
            continue;
        }
        match byte {
            b'{' | b'}' | b'=' | b';' if key.is_none() && (byte != b'}' || in_braces) => return (pairs, Some(at)),
            b'{' if !in_braces => {
                in_braces = true;
                if at < end {
                    at += 1;
                    value = Some(at);
                    continue;
                }
            }
            b'}' if in_braces => {
                if at < end && bytes[at + 1] == b'}' {
                    // Two stand for one. What follows moves up, and its last byte stays behind as it was.
                    bytes.copy_within(at + 1..end, at);
                    end -= 1;
                    at += 2;
                    continue;
                }
                in_braces = false;
                bytes[at] = 0;
                at += 1;
                continue;
            }
            b'=' | b';' if in_braces => {
                at += 1;
                continue;
            }
            b'=' => {
                bytes[at] = 0;
                at += 1;
                if at <= end {
                    value = Some(at);
                }
                continue;
            }
            b';' => {
                bytes[at] = 0;
                at += 1;
                if let Some(key) = key.take() {
                    pairs.push((string(&bytes, key), value.take().map(|value| string(&bytes, value))));
                }
                continue;
            }
            _ => {}
        }
        if key.is_none() && byte != 0 {
            key = Some(at);
        }
        at += 1;
    }
    if let Some(key) = key {
        pairs.push((string(&bytes, key), value.map(|value| string(&bytes, value))));
    }
    (pairs, None)
}

/// As C's `isspace`.
fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

/// The bytes from a place up to the next NUL.
fn string(bytes: &[u8], from: usize) -> Vec<u8> {
    bytes[from..].iter().take_while(|byte| **byte != 0).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let (pairs, mistake) = parse(text.as_bytes());
        let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
        let pairs: Vec<String> = pairs
            .iter()
            .map(|(key, value)| format!("{}={}", text(key), value.as_ref().map_or("-".to_owned(), text)))
            .collect();
        format!("{}{}", pairs.join("|"), mistake.map_or(String::new(), |at| format!(" mistake at {at}")))
    }

    #[test]
    fn pairs_are_taken_apart() {
        for (text, pairs) in [
            ("host=a;port=3306", "host=a|port=3306"),
            ("host=a;", "host=a"),
            (" host = a ; user=b", "host = a |user=b"),
            ("password={p;w=1};user=x", "password=p;w=1|user=x"),
            ("password={};user=x", "password=|user=x"),
            ("compress;host=a", "compress=-|host=a"),
            ("host=;user=x", "host=|user=x"),
            ("=x;", " mistake at 0"),
            ("a=b;;c=d", "a=b mistake at 4"),
            ("{a}", " mistake at 0"),
            ("a={b", "a=b"),
            ("a=b=c", "a=c"),
        ] {
            assert_eq!(shown(text), pairs, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read(text: Vec<u8>) {
            parse(&text);
        }
    }
}
