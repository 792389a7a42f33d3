//! The lines of JSON that is laid out, as long as they are as expected.

use super::text::{Layout, indented};

/// The line breaks of one text, each with the indentation behind it, and how deep the cursor is.
pub(crate) struct Lines<'l> {
    layout: Layout<'l>,
    /// The longest that was needed so far.
    longest: Vec<u8>,
    /// The number of bytes of the longest that begin a line where the cursor is.
    here: usize,
    /// The first sixteen bytes of the longest, and which bits of them count where the cursor is.
    first: u128,
    counts: u128,
}

impl<'l> Lines<'l> {
    /// The lines of JSON that is not laid out.
    pub(super) const NONE: Self = Self {
        layout: Layout::TERRAFORM,
        longest: Vec::new(),
        here: 0,
        first: 0,
        counts: 0,
    };

    pub(crate) fn new(layout: Layout<'l>) -> Self {
        let mut longest = Vec::with_capacity(64);
        longest.extend_from_slice(layout.newline.as_bytes());
        longest.extend_from_slice(layout.indent.as_bytes());
        let here = longest.len();
        let mut lines = Self {
            layout,
            longest,
            here,
            first: 0,
            counts: 0,
        };
        lines.grown();
        lines.begin();
        lines
    }

    /// Notes how much of a line's beginning counts here.
    #[inline]
    fn begin(&mut self) {
        self.counts = if self.here < 16 {
            (1 << (8 * self.here)) - 1
        } else {
            u128::MAX
        };
    }

    /// Notes how the longest line begins.
    fn grown(&mut self) {
        let mut first = [0; 16];
        first
            .iter_mut()
            .zip(&self.longest)
            .for_each(|(first, byte)| *first = *byte);
        self.first = u128::from_le_bytes(first);
    }

    /// True if these bytes begin as a line does where the cursor is.
    #[inline]
    pub(super) fn begins(&self, bytes: &[u8]) -> bool {
        let Some(chunk) = bytes.first_chunk() else {
            return bytes.starts_with(self.line());
        };
        if (u128::from_le_bytes(*chunk) ^ self.first) & self.counts != 0 {
            return false;
        }
        match self.here {
            0..=16 => true,
            // The first 16 bytes are equal already, so only the last 16 are left to compare, some
            // of them for the second time.
            17..=32 => {
                bytes.get(self.here - 16..self.here) == self.longest.get(self.here - 16..self.here)
            }
            _ => bytes.starts_with(self.line()),
        }
    }

    /// The bytes that begin a line where the cursor is.
    #[inline]
    pub(crate) fn line(&self) -> &[u8] {
        self.longest.get(..self.here).unwrap_or_default()
    }

    /// One level deeper.
    #[inline]
    pub(crate) fn enter(&mut self) {
        self.here += self.layout.unit.len();
        if self.longest.len() < self.here {
            self.longest.extend_from_slice(self.layout.unit.as_bytes());
            self.grown();
        }
        self.begin();
    }

    /// One level less deep.
    #[inline]
    pub(crate) fn leave(&mut self) {
        self.here = self.here.saturating_sub(self.layout.unit.len());
        self.begin();
    }

    /// Lays out what is compact from `start` on, at the end of a line that begins as one does here.
    #[inline]
    pub(crate) fn lay_out(&self, out: &mut Vec<u8>, start: usize) {
        if let Some([b'{' | b'[', _, _, ..]) = out.get(start..) {
            self.lay_out_more(out, start);
        }
    }

    fn lay_out_more(&self, out: &mut Vec<u8>, start: usize) {
        let compact = out.split_off(start);
        let indent = self
            .line()
            .get(self.layout.newline.len()..)
            .unwrap_or_default();
        match (std::str::from_utf8(&compact), std::str::from_utf8(indent)) {
            (Ok(compact), Ok(indent)) => indented(
                compact,
                Layout {
                    indent,
                    ..self.layout
                },
                out,
            ),
            // Neither is anything but text.
            _ => out.extend_from_slice(&compact),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_known_by_all_of_its_bytes() {
        let layouts = [
            Layout::TERRAFORM,
            Layout {
                indent: "          ",
                ..Layout::TERRAFORM
            },
            Layout {
                newline: "\r\n",
                indent: "\t",
                unit: "\t",
            },
            Layout {
                newline: "\n",
                indent: "",
                unit: "",
            },
        ];
        for layout in layouts {
            let mut lines = Lines::new(layout);
            for depth in 0..20_usize {
                // Up, and sometimes down again.
                lines.enter();
                if depth % 3 == 2 {
                    lines.leave();
                }
                let line = lines.line().to_vec();
                for behind in ["", "x", "what follows is longer than sixteen bytes"] {
                    let bytes = [&line, behind.as_bytes()].concat();
                    assert!(lines.begins(&bytes));
                    for wrong in 0..line.len() {
                        let mut bytes = bytes.clone();
                        bytes[wrong] ^= 0x40;
                        assert!(!lines.begins(&bytes), "{wrong} of {line:?}");
                        assert!(!lines.begins(&bytes[..wrong]));
                    }
                }
            }
        }
    }
}
