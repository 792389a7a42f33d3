//! The end of what may stand as it is, sixteen bytes at a time: every processor with x86-64
//! compares so many at once.

use safe_arch::{
    bitor_m128i, cmp_eq_mask_i8_m128i, cmp_gt_mask_i8_m128i, m128i, min_u8_m128i,
    move_mask_i8_m128i, set_splat_i8_m128i,
};

use super::words;

/// The number of bytes of a block.
const BLOCK: usize = 16;

#[derive(Clone, Copy)]
struct Block(m128i);

impl Block {
    #[inline]
    fn new(bytes: [u8; BLOCK]) -> Self {
        Self(bytes.into())
    }

    #[inline]
    fn of(byte: u8) -> Self {
        Self(set_splat_i8_m128i(byte.cast_signed()))
    }

    /// The bytes that are this one, as a mask.
    #[inline]
    fn are(self, byte: u8) -> Self {
        Self(cmp_eq_mask_i8_m128i(self.0, Self::of(byte).0))
    }

    /// The bytes that are this one, or the one that differs from it in `bit`, which `byte` has, as
    /// a mask.
    #[inline]
    fn are_but_for(self, bit: u8, byte: u8) -> Self {
        Self(bitor_m128i(self.0, Self::of(bit).0)).are(byte)
    }

    /// The bytes that are at most this one, as a mask.
    #[inline]
    fn are_up_to(self, byte: u8) -> Self {
        Self(cmp_eq_mask_i8_m128i(
            min_u8_m128i(self.0, Self::of(byte).0),
            self.0,
        ))
    }

    /// The bytes that are control characters or not ASCII, as a mask: as numbers with a sign, they
    /// are less than a blank.
    #[inline]
    fn are_not_plain_ascii(self) -> Self {
        Self(cmp_gt_mask_i8_m128i(Self::of(b' ').0, self.0))
    }

    #[inline]
    fn or(self, other: Self) -> Self {
        Self(bitor_m128i(self.0, other.0))
    }

    /// A bit for each byte, the first one lowest.
    #[inline]
    fn bits(self) -> u32 {
        move_mask_i8_m128i(self.0).cast_unsigned()
    }
}

/// The quotes, backslashes and control characters.
#[inline]
fn special(block: Block) -> u32 {
    block
        .are(b'"')
        .or(block.are(b'\\'))
        .or(block.are_up_to(0x1F))
        .bits()
}

/// The bytes that a written string does not have as they are: quotes, backslashes, control
/// characters, what Go escapes (`<`, `>`, `&`), and the byte that Go's two line separators begin
/// with.
#[inline]
fn escaped(block: Block) -> u32 {
    // `"` and `&` differ in one bit, and so do `<` and `>`.
    let (quotes, angles) = (block.are_but_for(0x04, b'&'), block.are_but_for(0x02, b'>'));
    quotes
        .or(angles)
        .or(block.are(b'\\').or(block.are(0xE2)))
        .or(block.are_up_to(0x1F))
        .bits()
}

/// These and all bytes that are not ASCII, with less work.
#[inline]
fn escaped_or_not_ascii(block: Block) -> u32 {
    let (quotes, angles) = (block.are_but_for(0x04, b'&'), block.are_but_for(0x02, b'>'));
    quotes
        .or(angles)
        .or(block.are(b'\\'))
        .or(block.are_not_plain_ascii())
        .bits()
}

/// Everything but the blanks that may stand between the parts of JSON.
#[inline]
fn not_blank(block: Block) -> u32 {
    let blank = block
        .are(b' ')
        .or(block.are(b'\n'))
        .or(block.are(b'\r').or(block.are(b'\t')));
    blank.bits() ^ 0xFFFF
}

/// The place of the next byte from `at` on that `of` finds in blocks, or the end of the text;
/// `rest` looks where a block no longer fits.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "each caller has its own bytes to look for"
)]
fn next(
    bytes: &[u8],
    mut at: usize,
    of: impl Fn(Block) -> u32,
    rest: fn(&[u8], usize) -> usize,
) -> usize {
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let found = of(Block::new(*block));
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += BLOCK;
    }
    next_in_rest(bytes, at, of, rest)
}

/// Looks at what is left over once more, with the bytes before it.
#[inline(always)]
#[expect(clippy::inline_always, reason = "as above")]
fn next_in_rest(
    bytes: &[u8],
    at: usize,
    of: impl Fn(Block) -> u32,
    rest: fn(&[u8], usize) -> usize,
) -> usize {
    let Some(block) = bytes.last_chunk() else {
        return rest(bytes, at);
    };
    let left = bytes.len().saturating_sub(at).min(BLOCK);
    // If no bytes are left, all sixteen bits go.
    let found = of(Block::new(*block)) >> (BLOCK - left);
    if found == 0 {
        bytes.len()
    } else {
        at + found.trailing_zeros() as usize
    }
}

/// The length of the string at `at`, its quotes included, if no byte between the quotes is one that
/// `of` finds, and there are as many bytes as a block has. It calls no function, so the compiler
/// saves no registers around it.
#[inline(always)]
#[expect(clippy::inline_always, reason = "as above")]
fn string_len(bytes: &[u8], at: usize, of: impl Fn(Block) -> u32) -> Option<usize> {
    let [b'"', inside @ ..] = bytes.get(at..)? else {
        return None;
    };
    let (blocks, left) = inside.as_chunks();
    let (mut end, mut found) = (0, 0);
    for block in blocks {
        found = of(Block::new(*block));
        if found != 0 {
            break;
        }
        end += BLOCK;
    }
    if found == 0 {
        // The rest is looked at with the bytes before it, because a block is always whole.
        found = of(Block::new(*bytes.last_chunk()?)) >> (BLOCK - left.len());
    }
    end += found.trailing_zeros() as usize;
    (inside.get(end) == Some(&b'"')).then_some(end + 2)
}

/// The length of the string without escapes at `at`, its quotes included, unless there are too few
/// bytes to look at many at once.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "measured: it is most of what a string costs"
)]
pub(super) fn plain_string_len(bytes: &[u8], at: usize) -> Option<usize> {
    string_len(bytes, at, special)
}

/// The length of the string at `at` that is written as it is and is ASCII, its quotes included,
/// unless there are too few bytes to look at many at once.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "measured: it is most of what a string costs"
)]
pub(super) fn written_string_len(bytes: &[u8], at: usize) -> Option<usize> {
    string_len(bytes, at, escaped_or_not_ascii)
}

/// The place of the next quote, backslash or control character from `at` on, or the end of the
/// text.
#[inline]
pub(super) fn plain_end(bytes: &[u8], at: usize) -> usize {
    next(bytes, at, special, words::plain_end)
}

/// The place of the next byte from `at` on that a written string must escape, or the end of the
/// text.
#[inline]
pub(super) fn written_end(bytes: &[u8], at: usize) -> usize {
    let end = next(bytes, at, escaped_or_not_ascii, words::written_end);
    match bytes.get(end) {
        Some(0x80..) => written_end_beyond_ascii(bytes, end),
        _ => end,
    }
}

/// Finds it in text that is not only ASCII.
#[inline(never)]
fn written_end_beyond_ascii(bytes: &[u8], mut at: usize) -> usize {
    loop {
        at = next(bytes, at, escaped, words::written_end);
        match bytes.get(at..) {
            // Most bytes that begin so are not a line separator.
            Some([0xE2, 0x80, 0xA8 | 0xA9, ..]) => return at,
            Some([0xE2, ..]) => at += 1,
            _ => return at,
        }
    }
}

/// The place of the next byte from `at` on that is not white space of JSON, or the end of the text.
#[inline]
pub(super) fn blanks_end(bytes: &[u8], at: usize) -> usize {
    next(bytes, at, not_blank, words::blanks_end)
}

/// True if a written string may have an escape for some of these bytes.
#[inline]
pub(super) fn may_have_escaped(bytes: &[u8]) -> bool {
    // The rest is shorter than a block, so that it is looked at once more with the bytes before it.
    if let Some(last) = bytes.last_chunk() {
        let (blocks, _) = bytes.as_chunks();
        return blocks.iter().any(|block| escaped(Block::new(*block)) != 0)
            || escaped(Block::new(*last)) != 0;
    }
    // The first eight and the last eight, of which some may be looked at twice.
    if let (Some([a, b, c, d, e, f, g, h]), Some([i, j, k, l, m, n, o, p])) =
        (bytes.first_chunk(), bytes.last_chunk())
    {
        return escaped(Block::new([
            *a, *b, *c, *d, *e, *f, *g, *h, *i, *j, *k, *l, *m, *n, *o, *p,
        ])) != 0;
    }
    words::may_have_escaped(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::words;

    /// Every byte, behind and before so many others, found from every place on.
    #[test]
    fn blocks_end_where_words_do() {
        type End = fn(&[u8], usize) -> usize;
        let ends: [(End, End); 3] = [
            (super::plain_end, words::plain_end),
            (super::written_end, words::written_end),
            (super::blanks_end, words::blanks_end),
        ];
        for (filler, lengths) in [
            (&b"abcdefgh"[..], 0..40),
            (b" \n \t \r  ", 0..40),
            (b"\xE2\x80\x99\xE2\x80\xA7\xF0\x9F\x99", 0..24),
        ] {
            for before in lengths {
                for byte in 0..=255_u8 {
                    for behind in [0, 1, 7, 17] {
                        let mut bytes: Vec<u8> =
                            filler.iter().copied().cycle().take(before).collect();
                        bytes.push(byte);
                        bytes.extend(filler.iter().cycle().take(behind));
                        for at in [0, 1, before / 2, before, before + 1, bytes.len()] {
                            let at = at.min(bytes.len());
                            for (block, word) in ends {
                                assert_eq!(
                                    block(&bytes, at),
                                    word(&bytes, at),
                                    "{bytes:x?} from {at}"
                                );
                            }
                        }
                        for at in [0, before / 2, before] {
                            bytes.insert(at, b'"');
                            for (block, word) in [
                                (
                                    super::plain_string_len(&bytes, at),
                                    words::plain_string_len(&bytes, at),
                                ),
                                (
                                    super::written_string_len(&bytes, at),
                                    words::written_string_len(&bytes, at),
                                ),
                            ] {
                                assert!(block.is_none() || block == word, "{bytes:x?} from {at}");
                                assert!(
                                    block.is_some()
                                        || word.is_none()
                                        || bytes.len() < super::BLOCK
                                        || !bytes.is_ascii(),
                                    "{bytes:x?} from {at}"
                                );
                            }
                            bytes.remove(at);
                        }
                        assert!(
                            super::may_have_escaped(&bytes)
                                || words::written_end(&bytes, 0) == bytes.len(),
                            "{bytes:x?} has something to be escaped"
                        );
                    }
                }
            }
        }
    }
}
