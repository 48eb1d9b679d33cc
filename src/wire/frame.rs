//! Framing: four bytes of header (length in three, sequence number in one) before each packet; a packet of
//! [`MAX_PAYLOAD`] bytes is continued by the next one.

/// The largest payload of one packet; a payload of exactly this size is followed by another packet, possibly empty.
pub const MAX_PAYLOAD: usize = 0xFF_FFFF;

/// Bytes of a header.
pub const HEADER: usize = 4;

/// Length and sequence number.
#[inline]
pub fn parse(header: [u8; HEADER]) -> (usize, u8) {
    let word = u32::from_le_bytes(header);
    ((word & 0xFF_FFFF) as usize, (word >> 24) as u8)
}

/// The header of a packet of `length` bytes, at most [`MAX_PAYLOAD`].
#[inline]
pub fn header(length: usize, sequence: u8) -> [u8; HEADER] {
    debug_assert!(length <= MAX_PAYLOAD);
    let [a, b, c, _] = (length as u32).to_le_bytes();
    [a, b, c, sequence]
}

/// Appends `payload` as one packet or several, beginning with sequence number `sequence`; returns the next number.
pub fn put(out: &mut Vec<u8>, mut payload: &[u8], mut sequence: u8) -> u8 {
    loop {
        let (now, later) = payload.split_at(payload.len().min(MAX_PAYLOAD));
        out.extend_from_slice(&header(now.len(), sequence));
        out.extend_from_slice(now);
        sequence = sequence.wrapping_add(1);
        payload = later;
        if now.len() < MAX_PAYLOAD {
            return sequence;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_go_round() {
        for (length, sequence) in [(0, 0), (1, 255), (0x01_0203, 7), (MAX_PAYLOAD, 3)] {
            assert_eq!(parse(header(length, sequence)), (length, sequence));
        }
    }

    #[test]
    fn a_payload_of_the_largest_size_is_followed_by_an_empty_packet() {
        let mut out = Vec::new();
        assert_eq!(put(&mut out, &vec![7; MAX_PAYLOAD], 255), 1);
        assert_eq!(out.len(), HEADER + MAX_PAYLOAD + HEADER);
        assert_eq!(out[..HEADER], [0xFF, 0xFF, 0xFF, 255]);
        assert_eq!(out[HEADER + MAX_PAYLOAD..], [0, 0, 0, 0]);
    }
}
