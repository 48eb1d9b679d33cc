//! The little that has to be read from a certificate beyond what rustls shows: the common name of its subject, and whether
//! it names hosts in the modern way. Reads checked DER, believes nothing.

/// What a server certificate says about its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Names {
    /// The last common name of the subject.
    pub(super) common_name: Option<Vec<u8>>,
    /// There is a subjectAltName extension; the common name does not count then.
    pub(super) has_alt_names: bool,
}

pub(super) const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
pub(super) const OID: u8 = 0x06;
/// 2.5.4.3
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
/// 2.5.29.17
const SUBJECT_ALT_NAME: &[u8] = &[0x55, 0x1D, 0x11];

/// One element: its tag, its content, what follows it.
pub(super) fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = der.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let count = usize::from(first & 0x7F);
        if !(1..=4).contains(&count) {
            return None;
        }
        let (bytes, rest) = rest.split_at_checked(count)?;
        (bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

/// The content of an element that has to have this tag, and what follows it.
pub(super) fn expect(der: &[u8], wanted: u8) -> Option<(&[u8], &[u8])> {
    let (tag, content, rest) = element(der)?;
    (tag == wanted).then_some((content, rest))
}

/// Reads a certificate; None for anything that is not one.
pub(super) fn names(certificate: &[u8]) -> Option<Names> {
    let (certificate, _) = expect(certificate, SEQUENCE)?;
    let (mut tbs, _) = expect(certificate, SEQUENCE)?;
    // The version, which version 1 leaves out.
    if let Some((0xA0, _, rest)) = element(tbs) {
        tbs = rest;
    }
    // Serial number, signature algorithm, issuer, validity.
    for _ in 0..4 {
        (_, _, tbs) = element(tbs)?;
    }
    let (subject, mut rest) = expect(tbs, SEQUENCE)?;
    let mut found = Names { common_name: common_name(subject), has_alt_names: false };
    while let Some((tag, content, next)) = element(rest) {
        if tag == 0xA3 {
            let (mut extensions, _) = expect(content, SEQUENCE)?;
            while let Some((extension, next)) = expect(extensions, SEQUENCE) {
                found.has_alt_names |= expect(extension, OID).is_some_and(|(oid, _)| oid == SUBJECT_ALT_NAME);
                extensions = next;
            }
        }
        rest = next;
    }
    Some(found)
}

fn common_name(mut subject: &[u8]) -> Option<Vec<u8>> {
    let mut found = None;
    while let Some((mut set, next)) = expect(subject, SET) {
        while let Some((attribute, after)) = expect(set, SEQUENCE) {
            if let Some((COMMON_NAME, value)) = expect(attribute, OID) {
                found = element(value).map(|(_, text, _)| text.to_vec());
            }
            set = after;
        }
        subject = next;
    }
    found
}

/// Whether a common name, perhaps with a wildcard as its first label, names a host.
pub(super) fn matches(common_name: &[u8], host: &str) -> bool {
    let host = host.as_bytes();
    if common_name.contains(&0) {
        return false;
    }
    match common_name.strip_prefix(b"*.") {
        Some(domain) if domain.contains(&b'.') => host
            .iter()
            .position(|&b| b == b'.')
            .is_some_and(|dot| dot > 0 && host[dot + 1..].eq_ignore_ascii_case(domain)),
        Some(_) => false,
        None => common_name.eq_ignore_ascii_case(host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
        let content = parts.concat();
        let mut out = vec![tag, 0x82];
        out.extend((content.len() as u16).to_be_bytes());
        out.extend(content);
        out
    }

    fn certificate(extensions: &[&[u8]]) -> Vec<u8> {
        let name = |text: &[u8]| {
            der(SEQUENCE, &[&der(SET, &[&der(SEQUENCE, &[&der(OID, &[COMMON_NAME]), &der(12, &[text])])])])
        };
        let list = der(0xA3, &[&der(SEQUENCE, extensions)]);
        let tbs = der(
            SEQUENCE,
            &[
                &der(0xA0, &[&[2, 1, 2]]),
                &der(2, &[&[1]]),
                &der(SEQUENCE, &[]),
                &name(b"issuer"),
                &der(SEQUENCE, &[]),
                &name(b"db.example"),
                &der(SEQUENCE, &[]),
                &list,
            ],
        );
        der(SEQUENCE, &[&tbs, &der(SEQUENCE, &[]), &der(3, &[&[0]])])
    }

    #[test]
    fn the_subject_is_read_and_not_the_issuer() {
        let plain = names(&certificate(&[])).expect("a certificate");
        assert_eq!(plain, Names { common_name: Some(b"db.example".to_vec()), has_alt_names: false });
        let alt = der(SEQUENCE, &[&der(OID, &[SUBJECT_ALT_NAME]), &der(4, &[])]);
        assert!(names(&certificate(&[&alt])).expect("a certificate").has_alt_names);
    }

    #[test]
    fn every_prefix_is_read_safely() {
        let whole = certificate(&[]);
        for cut in 0..whole.len() {
            assert_eq!(names(&whole[..cut]), None, "{cut}");
        }
    }

    #[test]
    fn a_wildcard_is_one_label_below_a_domain() {
        assert!(matches(b"DB.example", "db.EXAMPLE"));
        assert!(matches(b"*.example.com", "db.example.com"));
        assert!(!matches(b"*.example.com", "example.com"));
        assert!(!matches(b"*.example.com", "a.b.example.com"));
        assert!(!matches(b"*.com", "example.com"));
        assert!(!matches(b"db.example\0.evil", "db.example"));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read(bytes: Vec<u8>, host: String) {
            if let Some(found) = names(&bytes) {
                let _ = found.common_name.is_some_and(|name| matches(&name, &host));
            }
        }
    }
}
