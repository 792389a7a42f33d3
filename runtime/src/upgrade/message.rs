//! A sentence put together while the program is compiled.

// Everything here runs in the compiler, which reports a wrong index or number itself; `get` and `try_from` are not const.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

/// Room for one message of a compile-time check.
const CAPACITY: usize = 2048;

/// A text built piece by piece in const evaluation; what does not fit is cut.
pub(crate) struct Message {
    bytes: [u8; CAPACITY],
    len: usize,
}

impl Message {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; CAPACITY], len: 0 }
    }

    pub(crate) const fn text(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
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
        match std::str::from_utf8(digits.split_at(start).1) {
            Ok(text) => self.text(text),
            Err(_) => self,
        }
    }

    pub(crate) const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
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
