//! A sentence put together while the program is compiled.

// Everything here runs in the compiler, which reports a wrong index or number itself; `get` and
// `try_from` are not const.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use upstate_words::lock::{FLATTENED, escape, is_plain};

/// Room for one message of a compile-time check.
const CAPACITY: usize = 2048;
/// Room that is kept for saying that there is more.
const ENDING: usize = 64;
const MORE: &[u8] = "…".as_bytes();

/// True if two strings are the same.
pub(crate) const fn same(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    // A pattern has no bounds to check and makes no call.
    while let ([first, rest @ ..], [other, others @ ..]) = (a, b) {
        if *first != *other {
            return false;
        }
        (a, b) = (rest, others);
    }
    true
}

/// Runs a block for each element of a slice, or for the index of each and it, because constants
/// have no `for`.
macro_rules! iterate {
    (($index:ident, $item:ident) in $slice:expr => $body:block) => {{
        let mut next: usize = 0;
        $crate::message::iterate!($item in $slice => {
            let $index = next;
            next += 1;
            $body
        });
    }};
    ($item:ident in $slice:expr => $body:block) => {{
        let mut rest: &[_] = $slice;
        while let [$item, after @ ..] = rest {
            rest = after;
            $body
        }
    }};
}
pub(crate) use iterate;

/// True if others are in these bytes at a place.
const fn begins(bytes: &[u8], at: usize, with: &[u8]) -> bool {
    let mut index = 0;
    while index < with.len() {
        if at + index >= bytes.len() || bytes[at + index] != with[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// True if others are in these bytes.
const fn contains(bytes: &[u8], others: &[u8]) -> bool {
    let mut at = 0;
    while at < bytes.len() {
        if begins(bytes, at, others) {
            return true;
        }
        at += 1;
    }
    false
}

/// A string built piece by piece in const evaluation. It ends in `…` at the first piece that does
/// not fit.
pub(crate) struct Message {
    bytes: [u8; CAPACITY],
    len: usize,
    /// True if nothing more is appended, because a piece did not fit or
    /// [`and_more`](Self::and_more) ended the text.
    is_cut: bool,
}

impl Message {
    pub(crate) const fn new() -> Self {
        Self {
            bytes: [0; CAPACITY],
            len: 0,
            is_cut: false,
        }
    }

    pub(crate) const fn text(self, text: &str) -> Self {
        self.raw(text.as_bytes())
    }

    /// Bytes of a string.
    pub(crate) const fn raw(mut self, bytes: &[u8]) -> Self {
        if self.is_cut {
            return self;
        }
        if self.len + bytes.len() > CAPACITY - ENDING {
            self.is_cut = true;
            return self.put(MORE);
        }
        self.put(bytes)
    }

    /// Bytes for which there is room.
    const fn put(mut self, bytes: &[u8]) -> Self {
        let mut index = 0;
        while index < bytes.len() {
            self.bytes[self.len] = bytes[index];
            self.len += 1;
            index += 1;
        }
        self
    }

    /// Strings in quotation marks, `most` of them.
    pub(crate) const fn texts(self, texts: &[&str], most: usize) -> Self {
        let (mut message, mut index) = (self, 0);
        while index < texts.len() && index < most {
            message = message
                .text(if index == 0 { "\"" } else { ", \"" })
                .text(texts[index])
                .text("\"");
            index += 1;
        }
        if texts.len() > most {
            message.text(", …")
        } else {
            message
        }
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

    /// A sentence with these in place of each `{}` in it, in this order.
    pub(crate) const fn format(mut self, sentence: &str, mut values: &[&str]) -> Self {
        let (mut rest, mut end) = (sentence.as_bytes(), 0);
        while end < rest.len() {
            if begins(rest, end, b"{}")
                && let [value, others @ ..] = values
            {
                let (before, behind) = rest.split_at(end);
                self = self.raw(before).text(value);
                (rest, values, end) = (behind.split_at(2).1, others, 0);
            } else {
                end += 1;
            }
        }
        self.raw(rest)
    }

    /// Refuses, at compile time, with a sentence that has these in place of each `{}` in it.
    #[track_caller]
    pub(crate) const fn refuse(sentence: &str, values: &[&str]) -> ! {
        Self::new().format(sentence, values).panic()
    }

    /// Makes it the error of the compiler.
    #[track_caller]
    #[expect(clippy::panic, reason = "const evaluation")]
    pub(crate) const fn panic(&self) -> ! {
        panic!("{}", self.as_str())
    }

    /// A copy; `Clone` is not for const evaluation.
    pub(crate) const fn copied(&self) -> Self {
        Self {
            bytes: self.bytes,
            len: self.len,
            is_cut: self.is_cut,
        }
    }

    pub(crate) const fn bytes(&self) -> &[u8] {
        self.bytes.split_at(self.len).0
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    pub(crate) const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Its first `len` bytes, and room after them again.
    pub(crate) const fn back_to(mut self, len: usize) -> Self {
        self.len = len;
        self.is_cut = false;
        self
    }

    /// Ends it with how much else there would be to say.
    pub(crate) const fn and_more(mut self, number: usize) -> Self {
        // There is always room for this.
        self.is_cut = true;
        let count = Self::new()
            .text("\n… and ")
            .number(number as u64)
            .text(" more");
        self.put(count.bytes())
    }

    /// All lines, with more words at the end of each `help:` that is not about an upgrader
    /// elsewhere. The message stays as it is if the words are too long for it.
    pub(crate) const fn with_each_help(self, words: &str) -> Self {
        let mut longer = Self::new();
        let mut rest = self.bytes();
        loop {
            let mut end = 0;
            while end < rest.len() && rest[end] != b'\n' {
                end += 1;
            }
            let (line, behind) = rest.split_at(end);
            longer = longer.raw(line);
            if begins(line, 0, b"help:") && !contains(line, b" to the upgrader of `") {
                longer = longer.text(words);
            }
            match behind {
                [first, others @ ..] => {
                    longer = longer.raw(&[*first]);
                    rest = others;
                }
                [] => break,
            }
        }
        if longer.is_cut { self } else { longer }
    }

    /// With the type behind a field that comes first in an operator, and its line in place of
    /// `carry`, which has the type; unchanged if no operator begins so, or where there is no room.
    /// A help about a field of this name in another struct stays as it is.
    pub(crate) const fn with_type(self, field: &str, ty: &str) -> Self {
        let (bytes, field) = (self.bytes(), field.as_bytes());
        let (mut longer, mut copied, mut at) = (Self::new(), 0, 0);
        let (mut is_typed, mut is_of_field) = (false, false);
        while at <= bytes.len() {
            if (at == 0 || bytes[at - 1] == b'\n') && !begins(bytes, at, b"help:") {
                is_of_field = begins(bytes, at, b"`")
                    && begins(bytes, at + 1, field)
                    && begins(bytes, at + 1 + field.len(), b"`");
            }
            if is_typed && (at == bytes.len() || bytes[at] == b'\n') {
                longer = longer
                    .raw(bytes.split_at(at).0.split_at(copied).1)
                    .text(", in place of `carry`");
                copied = at;
                is_typed = false;
            }
            if is_of_field && at < bytes.len() && bytes[at] == b'`' {
                let mut end = at + 1;
                while end < bytes.len() && (bytes[end].is_ascii_lowercase() || bytes[end] == b'_') {
                    end += 1;
                }
                if end < bytes.len() && bytes[end] == b'(' {
                    end += 1;
                    let mut letters = 0;
                    while letters < field.len() && end < bytes.len() && bytes[end] == field[letters]
                    {
                        letters += 1;
                        end += 1;
                    }
                    if letters == field.len()
                        && end < bytes.len()
                        && matches!(bytes[end], b',' | b')')
                    {
                        longer = longer
                            .raw(bytes.split_at(end).0.split_at(copied).1)
                            .text(": ")
                            .text(ty);
                        copied = end;
                        is_typed = true;
                    }
                }
            }
            at += 1;
        }
        if copied == 0 {
            return self;
        }
        let longer = longer.raw(bytes.split_at(copied).1);
        if longer.is_cut { self } else { longer }
    }

    /// A step of a path as a lock writes it: plain if it is a plain name, else between quotation
    /// marks.
    pub(crate) const fn step(self, name: &str) -> Self {
        let bytes = name.as_bytes();
        let mut text = if self.is_empty() {
            self
        } else {
            self.raw(b".")
        };
        if is_plain(bytes) {
            return text.raw(bytes);
        }
        text = text.raw(b"\"");
        let mut index = 0;
        while index < bytes.len() {
            text = match escape(bytes[index]) {
                Some(escaped) => text.raw(&[b'\\', escaped]),
                None => text.raw(&[bytes[index]]),
            };
            index += 1;
        }
        text.raw(b"\"")
    }

    /// The step of a path into a flattened enum or map, as a lock writes it.
    pub(crate) const fn step_into_flattened(self) -> Self {
        if self.is_empty() {
            self.text(FLATTENED)
        } else {
            self.text(".").text(FLATTENED)
        }
    }

    /// Versions, as an attribute writes them.
    pub(crate) const fn range(self, first: u64, last: u64) -> Self {
        let message = self.number(first);
        if first == last {
            message
        } else {
            message.text("..=").number(last)
        }
    }

    pub(crate) const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes()) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
}

/// The number of bytes that must be put in, left out or changed to make one name of the other; 64
/// if one of them has 64 bytes or more.
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
            let shift = if row[column] < row[column - 1] {
                row[column]
            } else {
                row[column - 1]
            } + 1;
            row[column] = if change < shift { change } else { shift };
            column += 1;
        }
        line += 1;
    }
    row[b.len()]
}

/// True for a name that is probably a misspelling of `wanted` at such a distance; names below three
/// letters are all too near to each other.
pub(crate) const fn is_misspelling(distance: usize, wanted: &str) -> bool {
    distance + 1 < wanted.len() && (distance <= 2 || distance * 3 <= wanted.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_join_and_the_first_that_does_not_fit_ends_the_text() {
        let message = Message::new()
            .text("version ")
            .number(0)
            .text(" of ")
            .number(u64::MAX);
        assert_eq!(message.as_str(), "version 0 of 18446744073709551615");
        let long = "é".repeat(CAPACITY);
        let cut = Message::new().text("a").text(&long).text("b").number(7);
        assert_eq!((cut.as_str(), cut.is_cut()), ("a…", true));
        assert_eq!(cut.back_to(1).text("b").as_str(), "ab");
    }

    #[test]
    fn a_sentence_takes_its_values_in_their_order() {
        let message = Message::new().text("a");
        let message = message.format("{} `{}`, and {}{}é", &["", "{}", "c", "d"]);
        assert_eq!(message.as_str(), "a `{}`, and cdé");
        let message = message.format("", &[]).format("{}", &["e"]);
        assert_eq!(message.as_str(), "a `{}`, and cdée");
        let long = "x".repeat(CAPACITY);
        let cut = Message::new().format("a {}b", &[&long]);
        assert_eq!((cut.as_str(), cut.is_cut()), ("a …", true));
    }

    #[test]
    fn each_help_gets_more_words_if_there_is_room() {
        let message = Message::new().text("a\nhelp: b\nnote: c\nhelp: d");
        assert_eq!(
            message.with_each_help(", e").as_str(),
            "a\nhelp: b, e\nnote: c\nhelp: d, e"
        );
        let elsewhere = "help: add `a` to the upgrader of `B` from `C`";
        assert_eq!(
            Message::new()
                .text(elsewhere)
                .with_each_help(", e")
                .as_str(),
            elsewhere
        );
        let full = Message::new()
            .text("help: ")
            .text(&"x".repeat(CAPACITY - ENDING - 8));
        assert_eq!(
            full.copied().with_each_help("and more").as_str(),
            full.as_str()
        );
    }

    #[test]
    fn an_operator_gets_the_type_of_its_field() {
        let message = Message::new().text(
            "`a` is\nhelp: write `convert(a, json), default(a = …)`, `each(a)` or `each(ab)`",
        );
        let typed = "`a` is\nhelp: write `convert(a: X, json), default(a = …)`, `each(a: X)` or `each(ab)`, in place of `carry`";
        assert_eq!(message.copied().with_type("a", "X").as_str(), typed);
        assert_eq!(
            message.copied().with_type("b", "X").as_str(),
            message.as_str()
        );
        let all = "`a` is\nhelp: write `convert(a)`\n`b` is\nhelp: write `convert(b)`\n`c` is\nhelp: add `rename(old => c)`";
        let typed = "`a` is\nhelp: write `convert(a: X)`, in place of `carry`\n`b` is\nhelp: write `convert(b: Y)`, in place of `carry`\n\
                     `c` is\nhelp: add `rename(old => c)`";
        assert_eq!(
            Message::new()
                .text(all)
                .with_type("a", "X")
                .with_type("b", "Y")
                .as_str(),
            typed
        );
        assert_eq!(
            message
                .copied()
                .with_type("a", &"x".repeat(CAPACITY))
                .as_str(),
            message.as_str()
        );
        let of_another =
            "`rules` cannot be carried: `a` of `RuleV0` goes nowhere\nhelp: add `drop(a, \"why\")`";
        assert_eq!(
            Message::new().text(of_another).with_type("a", "X").as_str(),
            of_another
        );
    }

    #[test]
    fn there_is_always_room_to_say_how_much_is_left_out() {
        let mut message = Message::new();
        while !message.is_cut() {
            message = message.text("x");
        }
        let text = message.and_more(usize::MAX).text("no more after it");
        assert!(
            text.as_str()
                .ends_with("x…\n… and 18446744073709551615 more"),
            "{}",
            text.as_str()
        );
        assert!(text.len() <= CAPACITY);
    }
}
