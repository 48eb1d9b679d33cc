//! MySQL's GTID sets: per server UUID (and tag, since 8.3) the numbers of its transactions, as intervals.

use std::collections::BTreeMap;
use std::fmt;

use super::Unfit;

/// Intervals that a set is kept at most with; more are widened, see [`GtidSet::widen`].
pub const MOST_INTERVALS: usize = 64;

/// Most intervals that a text is read with: what comes from outside does not decide how much memory is taken.
const MOST_READ: usize = 1 << 16;

/// Who gave the numbers out: a server or group, and one of its tags; the empty tag is none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Origin {
    uuid: [u8; 16],
    tag: Box<str>,
}

/// Numbers from `first` to `last`, both in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Interval {
    first: u64,
    last: u64,
}

/// A set of transactions. Intervals are ordered, apart from each other, and not empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GtidSet(BTreeMap<Origin, Vec<Interval>>);

impl GtidSet {
    /// Reads `uuid:1-3:5:tag:1-4, uuid:7`, as the servers write it, with their freedom of blanks and letter case.
    /// Empty text: no transaction.
    pub fn parse(text: &[u8]) -> Result<Self, Unfit> {
        let mut set = GtidSet::default();
        let mut count = 0;
        for part in text.split(|byte| *byte == b',') {
            let part = part.trim_ascii();
            if part.is_empty() {
                continue;
            }
            let mut fields = part.split(|byte| *byte == b':').map(<[u8]>::trim_ascii);
            let uuid = fields.next().and_then(parse_uuid).ok_or(Unfit::Malformed)?;
            let mut tag: Box<str> = "".into();
            let mut numbers = false;
            for field in fields {
                if let Some(found) = parse_tag(field) {
                    tag = found;
                    continue;
                }
                let Interval { first, last } = parse_interval(field).ok_or(Unfit::Malformed)?;
                numbers = true;
                count += 1;
                if count > MOST_READ {
                    return Err(Unfit::Malformed);
                }
                if first <= last {
                    set.insert(Origin { uuid, tag: tag.clone() }, Interval { first, last });
                }
            }
            if !numbers {
                return Err(Unfit::Malformed);
            }
        }
        Ok(set)
    }

    /// No transaction.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of intervals.
    pub fn len(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    fn insert(&mut self, origin: Origin, new: Interval) {
        let intervals = self.0.entry(origin).or_default();
        // From the first that touches the new one to the last that does.
        let start = intervals.partition_point(|known| known.last.saturating_add(1) < new.first);
        let end = intervals.partition_point(|known| known.first <= new.last.saturating_add(1));
        let mut merged = new;
        if let (Some(first), Some(last)) = (intervals.get(start), end.checked_sub(1).and_then(|at| intervals.get(at)))
            && start < end
        {
            merged = Interval { first: new.first.min(first.first), last: new.last.max(last.last) };
        }
        intervals.splice(start..end, [merged]);
    }

    /// Adds the transactions of another set.
    pub fn union(&mut self, other: &GtidSet) {
        for (origin, intervals) in &other.0 {
            match self.0.get_mut(origin) {
                None => {
                    self.0.insert(origin.clone(), intervals.clone());
                }
                Some(_) => intervals.iter().for_each(|interval| self.insert(origin.clone(), *interval)),
            }
        }
    }

    /// Every transaction of `other` is in this set.
    pub fn is_superset(&self, other: &GtidSet) -> bool {
        other.0.iter().all(|(origin, wanted)| {
            let Some(known) = self.0.get(origin) else { return false };
            wanted.iter().all(|wanted| {
                let at = known.partition_point(|known| known.last < wanted.first);
                known.get(at).is_some_and(|known| known.first <= wanted.first && wanted.last <= known.last)
            })
        })
    }

    /// Transactions of this set that are not in the other.
    pub fn minus(&self, other: &GtidSet) -> GtidSet {
        let mut rest = GtidSet::default();
        for (origin, intervals) in &self.0 {
            let gone = other.0.get(origin).map_or(&[][..], Vec::as_slice);
            for interval in intervals {
                let mut first = interval.first;
                for known in gone.iter().filter(|known| known.last >= interval.first && known.first <= interval.last) {
                    if known.first > first {
                        rest.insert(origin.clone(), Interval { first, last: known.first - 1 });
                    }
                    first = first.max(known.last.saturating_add(1));
                }
                if first <= interval.last {
                    rest.insert(origin.clone(), Interval { first, last: interval.last });
                }
            }
        }
        rest
    }

    /// With all transactions that have lower numbers of the same origins.
    pub fn with_earlier(&self) -> GtidSet {
        let all = |intervals: &Vec<Interval>| {
            intervals.last().map(|last| vec![Interval { first: 1, last: last.last }]).unwrap_or_default()
        };
        GtidSet(self.0.iter().map(|(origin, intervals)| (origin.clone(), all(intervals))).collect())
    }

    /// Joins neighbours, the nearest first, until at most `most` intervals are left (never fewer than origins). The set
    /// grows by transactions between those that it had: a node reaches it no earlier than before.
    pub fn widen(&mut self, most: usize) {
        while self.len() > most.max(self.0.len()) {
            let nearest = self
                .0
                .iter()
                .flat_map(|(origin, intervals)| {
                    intervals.windows(2).enumerate().map(move |(at, pair)| (pair[1].first - pair[0].last, origin, at))
                })
                .min_by_key(|(gap, _, _)| *gap)
                .map(|(_, origin, at)| (origin.clone(), at));
            let Some((origin, at)) = nearest else { return };
            if let Some(intervals) = self.0.get_mut(&origin) {
                let last = intervals.remove(at + 1).last;
                intervals[at].last = last;
            }
        }
    }
}

impl fmt::Display for GtidSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before: Option<[u8; 16]> = None;
        for (Origin { uuid, tag }, intervals) in &self.0 {
            if before != Some(*uuid) {
                if before.is_some() {
                    f.write_str(",")?;
                }
                before = Some(*uuid);
                for (index, byte) in uuid.iter().enumerate() {
                    if matches!(index, 4 | 6 | 8 | 10) {
                        f.write_str("-")?;
                    }
                    write!(f, "{byte:02x}")?;
                }
            }
            if !tag.is_empty() {
                write!(f, ":{tag}")?;
            }
            for Interval { first, last } in intervals {
                write!(f, ":{first}")?;
                if last > first {
                    write!(f, "-{last}")?;
                }
            }
        }
        Ok(())
    }
}

/// 32 hexadecimal digits, with dashes in their places, or with none.
fn parse_uuid(text: &[u8]) -> Option<[u8; 16]> {
    let digits: Vec<u8> = match text.len() {
        36 => {
            let dash = |index: usize| matches!(index, 8 | 13 | 18 | 23);
            if !text.iter().enumerate().all(|(index, byte)| (*byte == b'-') == dash(index)) {
                return None;
            }
            text.iter().copied().filter(|byte| *byte != b'-').collect()
        }
        32 => text.to_vec(),
        _ => return None,
    };
    let mut uuid = [0; 16];
    for (byte, pair) in uuid.iter_mut().zip(digits.chunks(2)) {
        let digit = |at: usize| pair.get(at).and_then(|digit| char::from(*digit).to_digit(16));
        *byte = u8::try_from(digit(0)? * 16 + digit(1)?).ok()?;
    }
    Some(uuid)
}

/// A tag: a letter or underscore, then up to 31 more of those or digits. In lower case, as the servers keep it.
fn parse_tag(text: &[u8]) -> Option<Box<str>> {
    let (first, rest) = text.split_first()?;
    let fits = (first.is_ascii_alphabetic() || *first == b'_')
        && rest.len() < 32
        && rest.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    fits.then(|| String::from_utf8_lossy(text).to_ascii_lowercase().into())
}

/// `5` or `1-3`.
fn parse_interval(text: &[u8]) -> Option<Interval> {
    let number = |text: &[u8]| -> Option<u64> {
        let text = text.trim_ascii();
        if text.is_empty() || text.len() > 19 || !text.iter().all(u8::is_ascii_digit) {
            return None;
        }
        // The largest number of a transaction is that of a signed 64-bit integer, less one.
        std::str::from_utf8(text).ok()?.parse().ok().filter(|number| (1..i64::MAX as u64).contains(number))
    };
    match text.iter().position(|byte| *byte == b'-') {
        None => number(text).map(|first| Interval { first, last: first }),
        Some(dash) => Some(Interval { first: number(&text[..dash])?, last: number(&text[dash + 1..])? }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const A: &str = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
    const B: &str = "4e11fa47-71ca-11e1-9e33-c80aa9429562";

    fn set(text: &str) -> GtidSet {
        GtidSet::parse(text.replace('A', A).replace('B', B).as_bytes()).unwrap_or_else(|_| panic!("{text}"))
    }

    #[test]
    fn earlier_numbers_of_the_same_origins_can_be_added() {
        let text = format!("{A}:7:9,{B}:3");
        assert_eq!(set(&text).with_earlier().to_string(), format!("{A}:1-9,{B}:1-3"));
        assert!(set(&text).with_earlier().is_superset(&set(&text)));
        assert!(GtidSet::default().with_earlier().is_empty());
    }

    #[test]
    fn sets_are_written_as_the_servers_write_them() {
        let text = |from: &str| set(from).to_string().replace(A, "A").replace(B, "B");
        assert_eq!(text("A:5:1-3:4"), "A:1-5");
        assert_eq!(text(" B:7 ,\nA:1 - 3:9"), "A:1-3:9,B:7");
        assert_eq!(text("A:1-3:blue:4-5:7:Red:1,A:2-4"), "A:1-4:blue:4-5:7:red:1");
        assert_eq!(text(""), "");
        assert_eq!(text("A:3-1"), "");
        assert_eq!(set(&format!("{}:1", A.replace('-', ""))).to_string(), format!("{A}:1"));
        assert_eq!(set("A:1"), GtidSet::parse(format!("{}:1", A.to_uppercase()).as_bytes()).expect("upper case"));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["A", "A:", "A:0", "A:1-", "A:x-1", "A:tag", "A:1:2a", "3e11:1", "A:9223372036854775807", "-:1"] {
            let bytes = text.replace('A', A);
            assert_eq!(GtidSet::parse(bytes.as_bytes()), Err(Unfit::Malformed), "{text}");
        }
    }

    #[test]
    fn a_tag_has_numbers_of_its_own() {
        assert!(!set("A:1-9").is_superset(&set("A:blue:1")));
        assert!(set("A:1-9:blue:1-2").is_superset(&set("A:blue:1,A:4")));
    }

    #[test]
    fn widening_keeps_what_was_there_and_is_bounded() {
        let mut many = GtidSet::default();
        for number in 0..1000 {
            many.union(&set(&format!("A:{}", 1 + number * 3)));
        }
        let before = many.clone();
        many.widen(MOST_INTERVALS);
        assert!(many.len() <= MOST_INTERVALS && many.is_superset(&before));
    }

    /// A set of numbers below 64 as bits, and as a set.
    fn sets() -> impl Strategy<Value = (u64, GtidSet)> {
        any::<u64>().prop_map(|bits| {
            let numbers: Vec<String> = (0..64).filter(|n| bits >> n & 1 == 1).map(|n| (n + 1).to_string()).collect();
            let text = if numbers.is_empty() { String::new() } else { format!("A:{}", numbers.join(":")) };
            (bits, set(&text))
        })
    }

    proptest! {
        #[test]
        fn sets_are_sets((a, first) in sets(), (b, second) in sets()) {
            let of = |bits: u64| {
                let numbers: Vec<String> =
                    (0..64).filter(|n| bits >> n & 1 == 1).map(|n| (n + 1).to_string()).collect();
                if numbers.is_empty() { GtidSet::default() } else { set(&format!("A:{}", numbers.join(":"))) }
            };
            let mut union = first.clone();
            union.union(&second);
            prop_assert_eq!(&union, &of(a | b));
            prop_assert_eq!(first.minus(&second), of(a & !b));
            prop_assert_eq!(first.is_superset(&second), b & !a == 0);
            prop_assert_eq!(GtidSet::parse(union.to_string().as_bytes()), Ok(union));
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = GtidSet::parse(&bytes);
            let _ = super::super::DomainPosition::parse(&bytes);
        }
    }
}
