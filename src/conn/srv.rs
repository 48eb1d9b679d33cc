//! Answers of the name service about services (DNS SRV, RFC 2782): which hosts serve one, and in what order to ask them.
//!
//! Bytes and chance in, hosts out; asks nobody itself.

use crate::env::Random;
use crate::wire::Malformed;
use crate::wire::reader::Reader;

/// `T_SRV`.
const SRV: u16 = 33;

/// A host that serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Its name, without the last dot.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Lower ones are asked first.
    pub priority: u16,
    /// Among those of one priority: how often it is the first.
    pub weight: u16,
}

/// The services of an answer, as they stand there.
pub fn parse(answer: &[u8]) -> Result<Vec<Service>, Malformed> {
    let number = |reader: &mut Reader<'_>| reader.array().map(u16::from_be_bytes);
    let mut reader = Reader::from(answer, 4);
    let (questions, answers) = (number(&mut reader)?, number(&mut reader)?);
    reader.bytes(4)?;
    for _ in 0..questions {
        name(answer, &mut reader)?;
        reader.bytes(4)?;
    }
    let mut services = Vec::new();
    for _ in 0..answers {
        name(answer, &mut reader)?;
        let kind = number(&mut reader)?;
        reader.bytes(6)?;
        let length = usize::from(number(&mut reader)?);
        let from = reader.position();
        reader.bytes(length)?;
        if kind == SRV {
            let mut data = Reader::from(answer, from);
            let (priority, weight, port) = (number(&mut data)?, number(&mut data)?, number(&mut data)?);
            services.push(Service { host: name(answer, &mut data)?, port, priority, weight });
        }
    }
    Ok(services)
}

/// A name, of which the end may stand further ahead in the answer.
fn name<'a>(answer: &'a [u8], reader: &mut Reader<'a>) -> Result<String, Malformed> {
    let mut labels: Vec<String> = Vec::new();
    let mut at = *reader;
    let mut jumped = false;
    // A name has 255 bytes at most: so many steps, and it goes round in a circle.
    for _ in 0..255 {
        let length = at.u8()?;
        match length {
            0 => {
                if !jumped {
                    *reader = at;
                }
                return Ok(labels.join("."));
            }
            0xC0.. => {
                let place = usize::from(length & 0x3F) << 8 | usize::from(at.u8()?);
                if !jumped {
                    *reader = at;
                }
                jumped = true;
                at = Reader::from(answer, place);
            }
            1..=63 => labels.push(String::from_utf8_lossy(at.bytes(usize::from(length))?).into_owned()),
            _ => return Err(Malformed),
        }
    }
    Err(Malformed)
}

/// In the order in which to ask them: by priority, and by chance where that is the same, the heavier the sooner.
pub fn order(mut services: Vec<Service>, random: &mut impl Random) -> Vec<Service> {
    // Those without a weight in front: a draw of 0 is theirs.
    services.sort_by_key(|service| (service.priority, service.weight != 0));
    let mut ordered = Vec::with_capacity(services.len());
    while let Some(first) = services.first() {
        let priority = first.priority;
        let rivals = services.iter().take_while(|service| service.priority == priority);
        let sum: usize = rivals.clone().map(|service| usize::from(service.weight)).sum();
        let draw = random.below(sum + 1);
        let mut passed = 0;
        let found = rivals.clone().position(|service| {
            passed += usize::from(service.weight);
            passed >= draw
        });
        ordered.push(services.remove(found.unwrap_or_default()));
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct Fixed(u64);

    impl Random for Fixed {
        fn next(&mut self) -> u64 {
            self.0
        }
    }

    fn service(host: &str, priority: u16, weight: u16) -> Service {
        Service { host: host.to_owned(), port: 3306, priority, weight }
    }

    /// What a server says of `_mysql._tcp.shop.example`: an alias, then two services whose names end in the question's.
    fn answer() -> Vec<u8> {
        let mut bytes = vec![0, 1, 0x81, 0x80, 0, 1, 0, 3, 0, 0, 0, 0];
        bytes.extend_from_slice(b"\x06_mysql\x04_tcp\x04shop\x07example\0\0\x21\0\x01");
        bytes.extend_from_slice(b"\xc0\x0c\0\x05\0\x01\0\0\0\x3c\0\x02\xc0\x18");
        for (host, port) in [("db1", 3306u16), ("db2", 3307)] {
            bytes.extend_from_slice(b"\xc0\x0c\0\x21\0\x01\0\0\0\x3c\0\x0c\0\x0a\0\x05");
            bytes.extend_from_slice(&port.to_be_bytes());
            bytes.push(3);
            bytes.extend_from_slice(host.as_bytes());
            bytes.extend_from_slice(b"\xc0\x18");
        }
        bytes
    }

    #[test]
    fn services_are_found_and_names_put_together() {
        let found = parse(&answer()).expect("an answer");
        let wanted = |host: &str, port| Service { host: host.to_owned(), port, priority: 10, weight: 5 };
        assert_eq!(found, [wanted("db1.shop.example", 3306), wanted("db2.shop.example", 3307)]);
        let good = answer();
        for cut in 0..good.len() {
            assert_eq!(parse(&good[..cut]), Err(Malformed), "{cut}");
        }
    }

    #[test]
    fn a_name_that_leads_to_itself_ends() {
        let mut bytes = vec![0, 1, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0];
        bytes.extend_from_slice(b"\xc0\x0c\0\x21\0\x01");
        assert_eq!(parse(&bytes), Err(Malformed));
    }

    #[test]
    fn priority_comes_first_and_weight_is_chance() {
        let all = || vec![service("late", 2, 9), service("light", 1, 1), service("heavy", 1, 9), service("none", 1, 0)];
        let names = |number| -> Vec<String> {
            order(all(), &mut Fixed(number)).into_iter().map(|service| service.host).collect()
        };
        assert_eq!(names(0), ["none", "light", "heavy", "late"]);
        assert_eq!(names(u64::MAX), ["heavy", "light", "none", "late"]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_safely(bytes: Vec<u8>, number: u64) {
            if let Ok(services) = parse(&bytes) {
                let count = services.len();
                prop_assert_eq!(order(services, &mut Fixed(number)).len(), count);
            }
        }
    }
}
