//! Names of members, ready to be found and to be written.

use std::fmt;

use super::text::write_string;
use crate::codec::msgpack;

/// A member's name, ready to be found and to be written.
pub(crate) struct Label {
    pub(crate) name: &'static str,
    /// `,"name":`
    json: Start,
    /// `"name": `
    laid_out: Start,
    msgpack: Piece,
}

impl Label {
    /// A plain attribute name.
    pub(crate) fn new(name: &'static str) -> Self {
        let mut quoted = Vec::new();
        write_string(name, &mut quoted);
        let mut packed = Vec::new();
        msgpack::write_string(name, &mut packed);
        Self {
            name,
            json: Start::new([b",", &*quoted, b":"].concat()),
            laid_out: Start::new([&*quoted, b": "].concat()),
            msgpack: Piece::new(packed),
        }
    }

    /// The length of the name, its quotes, a colon and a comma before all but the `first`, if that
    /// is at `at`. It calls no function, so the compiler saves no registers around it; a name that
    /// is very long, or near the end of the bytes, is for [`Label::len_otherwise_at`].
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "measured: it is part of what each member costs"
    )]
    pub(super) fn len_at(&self, bytes: &[u8], at: usize, first: bool) -> Option<usize> {
        self.json
            .is_at(bytes, at, first)
            .then(|| self.json.text.text.len() - usize::from(first))
    }

    /// The length of the name, its quotes, a colon and a comma before all but the `first`, if that
    /// is at `at`, for any name and place.
    pub(super) fn len_otherwise_at(&self, bytes: &[u8], at: usize, first: bool) -> Option<usize> {
        self.json.len_otherwise_at(bytes, at, usize::from(first))
    }

    /// The length of `"name": ` if that is at `at`.
    #[inline]
    pub(super) fn laid_out_len_at(&self, bytes: &[u8], at: usize) -> Option<usize> {
        if self.laid_out.is_at(bytes, at, false) {
            return Some(self.laid_out.text.text.len());
        }
        self.laid_out.len_otherwise_at(bytes, at, 0)
    }

    /// Appends the name and a colon, behind a comma unless it is the `first`.
    pub(crate) fn append_json(&self, first: bool, out: &mut Vec<u8>) {
        self.json.text.append_behind(first, out);
    }

    /// Appends them if the name is short and there is room for any short one; says whether it did.
    /// It calls no function, so the compiler saves no registers around it.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "measured: it is part of what each member costs"
    )]
    pub(crate) fn append_json_to_room(&self, first: bool, out: &mut Vec<u8>) -> bool {
        out.capacity() - out.len() >= SHORT && self.json.text.append_short(first, out)
    }

    /// Appends `"name": `.
    #[inline]
    pub(crate) fn append_laid_out(&self, out: &mut Vec<u8>) {
        self.laid_out.text.append_behind(false, out);
    }

    /// Appends the name as `MessagePack`.
    #[inline]
    pub(crate) fn append_msgpack(&self, out: &mut Vec<u8>) {
        self.msgpack.append_behind(false, out);
    }
}

impl fmt::Debug for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.name, f)
    }
}

/// The longest text that is appended without a call.
const SHORT: usize = 32;

/// Text that is appended often.
struct Piece {
    text: Box<[u8]>,
    /// Its first bytes, and zeros behind them if it is shorter.
    short: [u8; SHORT + 1],
}

impl Piece {
    fn new(text: Vec<u8>) -> Self {
        let mut short = [0; SHORT + 1];
        short
            .iter_mut()
            .zip(&text)
            .for_each(|(short, byte)| *short = *byte);
        Self {
            text: text.into(),
            short,
        }
    }

    /// Appends the text, without its first byte if `behind_first`.
    fn append_behind(&self, behind_first: bool, out: &mut Vec<u8>) {
        if !self.append_short(behind_first, out) {
            out.extend_from_slice(
                self.text
                    .get(usize::from(behind_first)..)
                    .unwrap_or_default(),
            );
        }
    }

    /// Appends the text if it is short; says whether it did. As many bytes are copied of each text,
    /// and those that are too many are cut off again.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "measured: it is part of what each member costs"
    )]
    fn append_short(&self, behind_first: bool, out: &mut Vec<u8>) -> bool {
        let skipped = usize::from(behind_first);
        let Some(short) = self
            .short
            .get(skipped..)
            .and_then(<[u8]>::first_chunk::<SHORT>)
        else {
            return false;
        };
        if self.text.len() > SHORT {
            return false;
        }
        let end = out.len() + self.text.len() - skipped;
        out.extend_from_slice(short);
        out.truncate(end);
        true
    }
}

/// Text that many others are compared with.
struct Start {
    text: Piece,
    /// The first sixteen bytes.
    first: u128,
    /// The bits of `first` that count: of all bytes, and of those behind the first one.
    counts: [u128; 2],
    /// The last sixteen bytes, if there are more than sixteen and no more than twice as many;
    /// otherwise nothing.
    last: Option<[u8; 16]>,
}

impl Start {
    fn new(text: Vec<u8>) -> Self {
        let mut first = [0; 16];
        let mut counts = [0; 16];
        for ((first, counts), byte) in first.iter_mut().zip(&mut counts).zip(&text) {
            (*first, *counts) = (*byte, 0xFF);
        }
        let last = text
            .last_chunk()
            .copied()
            .filter(|_| (17..=32).contains(&text.len()));
        let [first, counts] = [first, counts].map(u128::from_le_bytes);
        Self {
            text: Piece::new(text),
            first,
            counts: [counts, counts & !0xFF],
            last,
        }
    }

    /// True if the text is at `at`, or, if `behind_first`, all of it but its first byte. For a long
    /// text, or near the end of the bytes, the answer is always `false`.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "measured: it is part of what each member costs"
    )]
    fn is_at(&self, bytes: &[u8], at: usize, behind_first: bool) -> bool {
        // The place may be that of the first byte, which is then not looked at.
        let Some(rest) = bytes.get(at.wrapping_sub(usize::from(behind_first))..) else {
            return false;
        };
        let Some(chunk) = rest.first_chunk() else {
            return false;
        };
        let [all, behind] = self.counts;
        if (u128::from_le_bytes(*chunk) ^ self.first) & if behind_first { behind } else { all } != 0
        {
            return false;
        }
        let len = self.text.text.len();
        len <= 16
            || self
                .last
                .as_ref()
                .is_some_and(|last| rest.get(len - 16..len) == Some(last))
    }

    #[inline(never)]
    fn len_otherwise_at(&self, bytes: &[u8], at: usize, skipped: usize) -> Option<usize> {
        let text = self.text.text.get(skipped..)?;
        bytes.get(at..)?.starts_with(text).then_some(text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::Label;

    const NAMES: [&str; 6] = [
        "a",
        "name",
        "a_name_of_15_by",
        "a_name_of_sixteen",
        "a_name_of_twenty_eight_bytes",
        "a_name_that_is_longer_than_32_bytes",
    ];

    /// Both ways agree where the first knows.
    fn len_at(label: &Label, bytes: &[u8], at: usize, first: bool) -> Option<usize> {
        let (quickly, otherwise) = (
            label.len_at(bytes, at, first),
            label.len_otherwise_at(bytes, at, first),
        );
        assert!(quickly.is_none() || quickly == otherwise);
        assert!(
            quickly.is_some()
                || otherwise.is_none()
                || label.name.len() > 28
                || bytes.len() - at < 16
                || at == 0
        );
        otherwise
    }

    #[test]
    fn a_name_is_known_by_all_of_its_bytes() {
        type LenAt = fn(&Label, &[u8], usize) -> Option<usize>;
        for name in NAMES {
            let label = Label::new(name);
            for (text, len_at) in [
                (
                    format!(",\"{name}\":"),
                    (|label, bytes, at| len_at(label, bytes, at, false)) as LenAt,
                ),
                (format!("\"{name}\":"), |label, bytes, at| {
                    len_at(label, bytes, at, true)
                }),
                (format!("\"{name}\": "), Label::laid_out_len_at),
            ] {
                for before in ["", "{", "   {"] {
                    for behind in ["", "1", "\"a value that is longer than sixteen bytes\""] {
                        let at = before.len();
                        let bytes = format!("{before}{text}{behind}").into_bytes();
                        assert_eq!(len_at(&label, &bytes, at), Some(text.len()));
                        assert_eq!(len_at(&label, &bytes, bytes.len() + 1), None);
                        for wrong in at..at + text.len() {
                            let mut bytes = bytes.clone();
                            bytes[wrong] ^= 0x40;
                            assert_eq!(len_at(&label, &bytes, at), None, "{wrong} of {text}");
                            assert_eq!(len_at(&label, &bytes[..wrong], at), None);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn names_of_any_length_are_appended() {
        for name in NAMES {
            let label = Label::new(name);
            for capacity in [0, 5, 100] {
                let mut out = Vec::with_capacity(capacity);
                out.extend_from_slice(b"there");
                label.append_json(true, &mut out);
                label.append_json(false, &mut out);
                label.append_laid_out(&mut out);
                label.append_msgpack(&mut out);
                let mut packed = Vec::new();
                crate::codec::msgpack::write_string(name, &mut packed);
                let json = format!("there\"{name}\":,\"{name}\":\"{name}\": ");
                assert_eq!(out, [json.as_bytes(), &packed].concat());
            }
        }
    }
}
