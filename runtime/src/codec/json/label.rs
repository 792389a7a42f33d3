//! Names of members, ready to be found and to be written.

use crate::codec::{Encoding, Writer};

/// A member's name, ready to be found and to be written.
pub(crate) struct Label {
    pub(crate) name: &'static str,
    /// `,"name":`
    json: Box<[u8]>,
    msgpack: Box<[u8]>,
    /// The first sixteen bytes of `json`, and which bits of them count.
    start: [u128; 2],
    /// The last sixteen, if there are more than sixteen and no more than twice as many; otherwise nothing.
    end: Option<[u8; 16]>,
}

impl Label {
    /// A plain attribute name.
    pub(crate) fn new(name: &'static str) -> Self {
        let mut json = Vec::new();
        Writer::new(&mut json, Encoding::Json).name(1, name);
        let mut msgpack = Vec::new();
        Writer::new(&mut msgpack, Encoding::Msgpack).name(1, name);
        let mut first = [0; 16];
        let mut counts = [0; 16];
        for ((first, counts), byte) in first.iter_mut().zip(&mut counts).zip(&json) {
            (*first, *counts) = (*byte, 0xFF);
        }
        let end = json.last_chunk().copied().filter(|_| (17..=32).contains(&json.len()));
        let start = [first, counts].map(u128::from_le_bytes);
        Self { name, json: json.into(), msgpack: msgpack.into(), start, end }
    }

    /// Whether these bytes begin with `,"name":`.
    #[inline]
    pub(super) fn begins(&self, bytes: &[u8]) -> bool {
        let Some(chunk) = bytes.first_chunk() else { return bytes.starts_with(&self.json) };
        let [start, counts] = self.start;
        if (u128::from_le_bytes(*chunk) ^ start) & counts != 0 {
            return false;
        }
        let len = self.json.len();
        if len <= 16 {
            return true;
        }
        match &self.end {
            Some(end) => bytes.get(len - 16..len) == Some(end),
            None => bytes.starts_with(&self.json),
        }
    }

    #[inline]
    pub(super) fn json(&self, first: bool) -> &[u8] {
        self.json.get(usize::from(first)..).unwrap_or_default()
    }

    #[inline]
    pub(super) fn written<const JSON: bool>(&self, first: bool) -> &[u8] {
        if JSON { self.json(first) } else { &self.msgpack }
    }
}
