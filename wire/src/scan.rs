//! Searches bytes eight at a time; nothing here knows what the bytes mean.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Counts the bytes before the first quote, backslash or control character.
pub(crate) fn plain_len(bytes: &[u8]) -> usize {
    let stops = |word: u64| {
        let quote = zeros(word ^ (ONES * u64::from(b'"')));
        let escape = zeros(word ^ (ONES * u64::from(b'\\')));
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        quote | escape | control
    };
    find(bytes, stops, |byte| byte == b'"' || byte == b'\\' || byte < 0x20).unwrap_or(bytes.len())
}

/// Finds the first byte that is `wanted`.
pub(crate) fn position(bytes: &[u8], wanted: u8) -> Option<usize> {
    let pattern = ONES * u64::from(wanted);
    find(bytes, |word| zeros(word ^ pattern), |byte| byte == wanted)
}

/// Finds the first carriage return or line feed.
pub(crate) fn line_end(bytes: &[u8]) -> Option<usize> {
    let stops = |word: u64| zeros(word ^ (ONES * u64::from(b'\n'))) | zeros(word ^ (ONES * u64::from(b'\r')));
    find(bytes, stops, |byte| byte == b'\n' || byte == b'\r')
}

/// Sets the high bit of each byte that is zero; bits above the first one may be set wrongly.
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGHS
}

fn find(bytes: &[u8], in_word: impl Fn(u64) -> u64, in_byte: impl Fn(u8) -> bool) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let hits = in_word(u64::from_le_bytes(*word));
        if hits != 0 {
            return Some(at * 8 + hits.trailing_zeros() as usize / 8);
        }
    }
    rest.iter().position(|byte| in_byte(*byte)).map(|at| words.len() * 8 + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_value_is_found_or_passed_at_every_place() {
        for byte in 0..=255u8 {
            for place in 0..20 {
                let mut bytes = vec![b'a'; 20];
                bytes[place] = byte;
                let stops = byte == b'"' || byte == b'\\' || byte < 0x20;
                assert_eq!(plain_len(&bytes), if stops { place } else { 20 }, "{byte} at {place}");
                assert_eq!(position(&bytes, byte), Some(if byte == b'a' { 0 } else { place }));
                let ends = byte == b'\n' || byte == b'\r';
                assert_eq!(line_end(&bytes), ends.then_some(place), "{byte} at {place}");
            }
        }
    }
}
