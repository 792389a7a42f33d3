//! A sentence put together while the program is compiled.

// Everything here runs in the compiler, which reports a wrong index or number itself; `get` and `try_from` are not const.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

/// Room for one message of a compile-time check.
const CAPACITY: usize = 2048;

/// A text built piece by piece in const evaluation; a piece that does not fit is left out.
pub(crate) struct Message {
    bytes: [u8; CAPACITY],
    len: usize,
}

impl Message {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; CAPACITY], len: 0 }
    }

    pub(crate) const fn text(self, text: &str) -> Self {
        self.raw(text.as_bytes())
    }

    /// Bytes of a text.
    pub(crate) const fn raw(mut self, bytes: &[u8]) -> Self {
        if self.len + bytes.len() > CAPACITY {
            return self;
        }
        let mut index = 0;
        while index < bytes.len() {
            self.bytes[self.len] = bytes[index];
            self.len += 1;
            index += 1;
        }
        self
    }

    pub(crate) const fn number(self, number: u64) -> Self {
        let mut digits = [0; 20];
        let mut start = digits.len();
        let mut rest = number;
        loop {
            start -= 1;
            digits[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.raw(digits.split_at(start).1)
    }

    /// The same once more; `Clone` is not for const evaluation.
    pub(crate) const fn copied(&self) -> Self {
        Self { bytes: self.bytes, len: self.len }
    }

    pub(crate) const fn bytes(&self) -> &[u8] {
        self.bytes.split_at(self.len).0
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Versions, as an attribute writes them.
    pub(crate) const fn range(self, first: u64, last: u64) -> Self {
        let message = self.number(first);
        if first == last { message } else { message.text("..=").number(last) }
    }

    pub(crate) const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes()) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
}

/// How many letters must be put in, left out or changed to make one name of the other.
pub(crate) const fn distance(a: &str, b: &str) -> usize {
    const LONGEST: usize = 64;
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() >= LONGEST || b.len() >= LONGEST {
        return LONGEST;
    }
    let mut row = [0; LONGEST];
    let mut column = 0;
    while column <= b.len() {
        row[column] = column;
        column += 1;
    }
    let mut line = 1;
    while line <= a.len() {
        let mut diagonal = row[0];
        row[0] = line;
        let mut column = 1;
        while column <= b.len() {
            let change = diagonal + if a[line - 1] == b[column - 1] { 0 } else { 1 };
            diagonal = row[column];
            let shift = if row[column] < row[column - 1] { row[column] } else { row[column - 1] } + 1;
            row[column] = if change < shift { change } else { shift };
            column += 1;
        }
        line += 1;
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_join_and_what_does_not_fit_is_left_out_whole() {
        let message = Message::new().text("version ").number(0).text(" of ").number(u64::MAX);
        assert_eq!(message.as_str(), "version 0 of 18446744073709551615");
        let long = "é".repeat(CAPACITY);
        assert_eq!(Message::new().text("a").text(&long).text("b").as_str(), "ab");
    }
}
