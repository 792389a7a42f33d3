//! Lines and columns of the file.

/// Finds the line and column of bytes, fast if they come in the order of the file: instances do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places<'a> {
    bytes: &'a [u8],
    /// The last place that was read: a byte, its line from 1, and where that line begins.
    at: usize,
    line: usize,
    begin: usize,
}

impl<'a> Places<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            line: 1,
            begin: 0,
        }
    }

    /// Line and column of a byte, both from 1; columns count characters.
    pub(super) fn of(&mut self, offset: usize) -> (usize, usize) {
        if offset < self.at {
            *self = Self::new(self.bytes);
        }
        let between = self.bytes.get(self.at..offset).unwrap_or_default();
        self.line += between.split(|byte| *byte == b'\n').skip(1).count();
        if let Some(newline) = between.iter().rposition(|byte| *byte == b'\n') {
            self.begin = self.at + newline + 1;
        }
        self.at = offset.min(self.bytes.len());
        let before = self.bytes.get(self.begin..self.at).unwrap_or_default();
        // Columns count characters, so bytes that continue one (`0b10xx_xxxx`) are left out.
        (
            self.line,
            before.iter().filter(|byte| **byte & 0xc0 != 0x80).count() + 1,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Places;

    #[test]
    fn lines_and_columns_count_from_one_in_any_order() {
        let text = "ab\nçd\n\nx";
        let mut places = Places::new(text.as_bytes());
        let of = |places: &mut Places<'_>, what: &str| places.of(text.find(what).unwrap());
        for (what, place) in [
            ("a", (1, 1)),
            ("b", (1, 2)),
            ("d", (2, 2)),
            ("x", (4, 1)),
            ("ç", (2, 1)),
            ("x", (4, 1)),
        ] {
            assert_eq!(of(&mut places, what), place, "{what}");
        }
        assert_eq!(places.of(1000), (4, 2));
    }
}
