//! The end of what may stand as it is, eight bytes at a time: for processors without the blocks
//! that [`blocks`](super::blocks) has, and for what is shorter than one.

/// The place of the next quote, backslash or control character from `at` on, or the end of the
/// text.
#[inline]
pub(super) fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let special = special(*chunk);
        if special != 0 {
            return at + special.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while let Some(byte) = bytes.get(at) {
        if *byte == b'"' || *byte == b'\\' || *byte < 0x20 {
            return at;
        }
        at += 1;
    }
    at
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The high bits of the quotes, backslashes and control characters, exact up to the first of them:
/// the arithmetic may take a byte for special that follows a special one, never the other way
/// round.
#[inline]
fn special(chunk: [u8; 8]) -> u64 {
    let word = u64::from_le_bytes(chunk);
    let quote = word ^ (ONES * 0x22);
    let backslash = word ^ (ONES * 0x5C);
    let special = (quote.wrapping_sub(ONES) & !quote)
        | (backslash.wrapping_sub(ONES) & !backslash)
        | (word.wrapping_sub(ONES * 0x20) & !word);
    special & HIGH
}

/// The high bits of the bytes that are not ASCII, or that a written string does not have as they
/// are, exact up to the first of them: a quote, a backslash, a control character, what Go escapes
/// (`<`, `>`, `&`).
#[inline]
fn escaped_ascii(chunk: [u8; 8]) -> u64 {
    // It sets the high bit of a byte of ASCII that is not zero. Other bytes carry into those behind
    // them, which may be wrong then.
    const fn others(word: u64) -> u64 {
        word.wrapping_add(ONES * 0x7F)
    }
    let word = u64::from_le_bytes(chunk);
    // `"` and `&` differ in one bit, and so do `<` and `>`.
    let plain = others((word | (ONES * 0x04)) ^ (ONES * 0x26))
        & others((word | (ONES * 0x02)) ^ (ONES * 0x3E))
        & others(word ^ (ONES * 0x5C))
        & word.wrapping_add(ONES * 0x60);
    (!plain | word) & HIGH
}

/// The high bits of the bytes that are not plain, exact up to the first of them; bytes that are not
/// ASCII are plain, but for the one that Go's two line separators begin with.
#[inline]
fn escaped(chunk: [u8; 8]) -> u64 {
    // Set where a byte is zero.
    const fn zeros(word: u64) -> u64 {
        word.wrapping_sub(ONES) & !word
    }
    let word = u64::from_le_bytes(chunk);
    let special = zeros((word | (ONES * 0x04)) ^ (ONES * 0x26))
        | zeros((word | (ONES * 0x02)) ^ (ONES * 0x3E))
        | zeros(word ^ (ONES * 0x5C))
        | zeros(word ^ (ONES * 0xE2))
        | (word.wrapping_sub(ONES * 0x20) & !word);
    special & HIGH
}

fn is_escaped(byte: u8) -> bool {
    matches!(byte, 0..0x20 | b'"' | b'&' | b'<' | b'>' | b'\\' | 0xE2)
}

/// The place of the next byte from `at` on that a written string must escape, or the end of the
/// text.
#[inline]
pub(super) fn written_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let special = escaped_ascii(*chunk);
        if special != 0 {
            let found = at + special.trailing_zeros() as usize / 8;
            return if bytes.get(found).is_some_and(u8::is_ascii) {
                found
            } else {
                written_end_beyond_ascii(bytes, found)
            };
        }
        at += 8;
    }
    written_end_beyond_ascii(bytes, at)
}

/// The end of the plain bytes in text that is not only ASCII, and in the last bytes.
#[inline(never)]
fn written_end_beyond_ascii(bytes: &[u8], mut at: usize) -> usize {
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let special = if let Some(chunk) = rest.first_chunk() {
            escaped(*chunk)
        } else {
            let Some(found) = rest.iter().position(|byte| is_escaped(*byte)) else {
                return bytes.len();
            };
            0x80 << (8 * found)
        };
        if special == 0 {
            at += 8;
            continue;
        }
        at += special.trailing_zeros() as usize / 8;
        match bytes.get(at..) {
            // Most bytes that begin so are not a line separator.
            Some([0xE2, 0x80, 0xA8 | 0xA9, ..]) => return at,
            Some([0xE2, ..]) => at += 1,
            _ => return at,
        }
    }
}

/// The length of the string without escapes at `at`, its quotes included.
#[cfg(any(test, not(target_feature = "sse2")))]
#[inline]
pub(super) fn plain_string_len(bytes: &[u8], at: usize) -> Option<usize> {
    string_len(bytes, at, plain_end)
}

/// The length of the string at `at` that is written as it is, its quotes included.
#[cfg(any(test, not(target_feature = "sse2")))]
#[inline]
pub(super) fn written_string_len(bytes: &[u8], at: usize) -> Option<usize> {
    string_len(bytes, at, written_end)
}

#[cfg(any(test, not(target_feature = "sse2")))]
fn string_len(bytes: &[u8], at: usize, end: fn(&[u8], usize) -> usize) -> Option<usize> {
    let end = end(bytes, at + 1);
    (bytes.get(at) == Some(&b'"') && bytes.get(end) == Some(&b'"')).then_some(end + 1 - at)
}

/// The place of the next byte from `at` on that is not a blank between the parts of JSON, or where
/// the text ends.
#[inline]
pub(super) fn blanks_end(bytes: &[u8], mut at: usize) -> usize {
    loop {
        while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
            match u64::from_le_bytes(*chunk) ^ u64::from_le_bytes(*b"        ") {
                0 => at += 8,
                other => {
                    at += other.trailing_zeros() as usize / 8;
                    break;
                }
            }
        }
        match bytes.get(at) {
            Some(b' ' | b'\n' | b'\r' | b'\t') => at += 1,
            _ => return at,
        }
    }
}

/// True if both begin with `LEN` equal bytes and end with `LEN` equal bytes, some of which may be
/// looked at twice.
#[inline(always)]
#[expect(clippy::inline_always, reason = "a few instructions")]
fn same<const LEN: usize>(one: &[u8], other: &[u8]) -> bool {
    one.first_chunk::<LEN>() == other.first_chunk() && one.last_chunk::<LEN>() == other.last_chunk()
}

/// True if `bytes` begin with `start`, which is no longer than a name or an indentation is: without
/// a call, for most lengths.
#[inline]
pub(super) fn begin_with(bytes: &[u8], start: &[u8]) -> bool {
    let Some(bytes) = bytes.get(..start.len()) else {
        return false;
    };
    match start.len() {
        4..8 => same::<4>(bytes, start),
        8..16 => same::<8>(bytes, start),
        16..=32 => same::<16>(bytes, start),
        _ => bytes == start,
    }
}

/// True if a written string may have an escape for some of these bytes. Bytes that are not ASCII
/// count too, if there are four bytes or more.
#[inline]
pub(super) fn may_have_escaped(bytes: &[u8]) -> bool {
    // The rest is shorter than a block, so that it is looked at once more with the bytes before it.
    if let Some(last) = bytes.last_chunk() {
        let (chunks, _) = bytes.as_chunks();
        return chunks.iter().any(|chunk| escaped_ascii(*chunk) != 0) || escaped_ascii(*last) != 0;
    }
    if let (Some([a, b, c, d]), Some([e, f, g, h])) = (bytes.first_chunk(), bytes.last_chunk()) {
        return escaped_ascii([*a, *b, *c, *d, *e, *f, *g, *h]) != 0;
    }
    bytes.iter().any(|byte| is_escaped(*byte))
}

#[cfg(test)]
mod tests {
    use super::begin_with;

    #[test]
    fn a_start_of_any_length_is_known() {
        for len in 0..40 {
            let start: Vec<u8> = (0..len).collect();
            for behind in [0, 1, 20] {
                let mut bytes = start.clone();
                bytes.extend([0xFF; 20].iter().take(behind));
                assert!(begin_with(&bytes, &start));
                for wrong in 0..usize::from(len) {
                    let mut bytes = bytes.clone();
                    bytes[wrong] ^= 0x40;
                    assert!(!begin_with(&bytes, &start), "{wrong} of {len}");
                    assert!(!begin_with(&start[..wrong], &start));
                }
            }
        }
    }
}
