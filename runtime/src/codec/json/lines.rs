//! The lines of JSON that is laid out, as long as they are as expected.

use super::text::{Layout, indented};

/// The line breaks of one text, each with the indentation behind it, and how deep the cursor is.
pub(super) struct Lines<'l> {
    layout: Layout<'l>,
    /// The longest that was needed so far.
    longest: Vec<u8>,
    /// How much of it begins a line where the cursor is.
    here: usize,
}

impl<'l> Lines<'l> {
    /// Of a string that is not laid out.
    pub(super) const NONE: Self = Self { layout: Layout::TERRAFORM, longest: Vec::new(), here: 0 };

    pub(super) fn new(layout: Layout<'l>) -> Self {
        let mut longest = Vec::with_capacity(64);
        longest.extend_from_slice(layout.newline.as_bytes());
        longest.extend_from_slice(layout.indent.as_bytes());
        let here = longest.len();
        Self { layout, longest, here }
    }

    /// What begins a line here.
    #[inline]
    pub(super) fn line(&self) -> &[u8] {
        self.longest.get(..self.here).unwrap_or_default()
    }

    /// One level deeper.
    #[inline]
    pub(super) fn enter(&mut self) {
        self.here += self.layout.unit.len();
        if self.longest.len() < self.here {
            self.longest.extend_from_slice(self.layout.unit.as_bytes());
        }
    }

    /// One level less deep.
    #[inline]
    pub(super) fn leave(&mut self) {
        self.here = self.here.saturating_sub(self.layout.unit.len());
    }

    /// Lays out what is compact from `start` on, at the end of a line that begins as one does here.
    #[inline]
    pub(super) fn lay_out(&self, out: &mut Vec<u8>, start: usize) {
        if let Some([b'{' | b'[', _, _, ..]) = out.get(start..) {
            self.lay_out_more(out, start);
        }
    }

    fn lay_out_more(&self, out: &mut Vec<u8>, start: usize) {
        let compact = out.split_off(start);
        let indent = self.line().get(self.layout.newline.len()..).unwrap_or_default();
        match (std::str::from_utf8(&compact), std::str::from_utf8(indent)) {
            (Ok(compact), Ok(indent)) => indented(compact, Layout { indent, ..self.layout }, out),
            // Neither is anything but text.
            _ => out.extend_from_slice(&compact),
        }
    }
}
