//! Names of members, ready to be found and to be written.

use crate::codec::{Encoding, Writer};

/// A member's name, ready to be found and to be written.
pub(crate) struct Label {
    pub(crate) name: &'static str,
    /// `,"name":`
    json: Start,
    /// `"name": `
    laid_out: Start,
    msgpack: Box<[u8]>,
}

impl Label {
    /// A plain attribute name.
    pub(crate) fn new(name: &'static str) -> Self {
        let mut json = Vec::new();
        Writer::new(&mut json, Encoding::Json).name(1, name);
        let mut laid_out = json.get(1..).unwrap_or_default().to_vec();
        laid_out.push(b' ');
        let mut msgpack = Vec::new();
        Writer::new(&mut msgpack, Encoding::Msgpack).name(1, name);
        Self { name, json: Start::new(json), laid_out: Start::new(laid_out), msgpack: msgpack.into() }
    }

    /// Whether these bytes begin with `,"name":`.
    #[inline]
    pub(super) fn begins(&self, bytes: &[u8]) -> bool {
        self.json.begins(bytes)
    }

    /// Whether these bytes begin with `"name": `.
    #[inline]
    pub(super) fn begins_laid_out(&self, bytes: &[u8]) -> bool {
        self.laid_out.begins(bytes)
    }

    #[inline]
    pub(super) fn json(&self, first: bool) -> &[u8] {
        self.json.text.get(usize::from(first)..).unwrap_or_default()
    }

    /// `"name": `
    #[inline]
    pub(super) fn laid_out(&self) -> &[u8] {
        &self.laid_out.text
    }

    #[inline]
    pub(super) fn written<const JSON: bool>(&self, first: bool) -> &[u8] {
        if JSON { self.json(first) } else { &self.msgpack }
    }
}

/// Text that many others are compared with.
struct Start {
    text: Box<[u8]>,
    /// The first sixteen bytes, and which bits of them count.
    first: [u128; 2],
    /// The last sixteen, if there are more than sixteen and no more than twice as many; otherwise nothing.
    last: Option<[u8; 16]>,
}

impl Start {
    fn new(text: Vec<u8>) -> Self {
        let mut first = [0; 16];
        let mut counts = [0; 16];
        for ((first, counts), byte) in first.iter_mut().zip(&mut counts).zip(&text) {
            (*first, *counts) = (*byte, 0xFF);
        }
        let last = text.last_chunk().copied().filter(|_| (17..=32).contains(&text.len()));
        Self { text: text.into(), first: [first, counts].map(u128::from_le_bytes), last }
    }

    /// Whether these bytes begin with the text.
    #[inline]
    fn begins(&self, bytes: &[u8]) -> bool {
        let Some(chunk) = bytes.first_chunk() else { return bytes.starts_with(&self.text) };
        let [first, counts] = self.first;
        if (u128::from_le_bytes(*chunk) ^ first) & counts != 0 {
            return false;
        }
        let len = self.text.len();
        if len <= 16 {
            return true;
        }
        match &self.last {
            Some(last) => bytes.get(len - 16..len) == Some(last),
            None => bytes.starts_with(&self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Label;

    #[test]
    fn a_name_is_known_by_all_of_its_bytes() {
        for name in ["a", "name", "a_name_of_15_by", "a_name_of_sixteen", "a_name_that_is_longer_than_32_bytes"] {
            let label = Label::new(name);
            for (text, begins) in [
                (format!(",\"{name}\":"), Label::begins as fn(&Label, &[u8]) -> bool),
                (format!("\"{name}\": "), Label::begins_laid_out),
            ] {
                for behind in ["", "1", "\"a value that is longer than sixteen bytes\""] {
                    let bytes = format!("{text}{behind}").into_bytes();
                    assert!(begins(&label, &bytes));
                    for wrong in 0..text.len() {
                        let mut bytes = bytes.clone();
                        bytes[wrong] ^= 0x40;
                        assert!(!begins(&label, &bytes), "{wrong} of {text}");
                        assert!(!begins(&label, &bytes[..wrong]));
                    }
                }
            }
        }
    }
}
