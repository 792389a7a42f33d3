//! A document with the names of every object in byte order.

use std::ops::Range;

use super::reader::{Kind, Reader};

/// The document, compact and with the names of every object in byte order. `None` if they are so
/// already, if one is there twice or with an escape, or if the text is not JSON.
pub(crate) fn sorted(text: &str) -> Option<String> {
    let mut sort = Sort {
        reader: Reader::new(text),
        out: String::with_capacity(text.len()),
        moved: false,
    };
    sort.value()?;
    sort.reader.end().ok()?;
    sort.moved.then_some(sort.out)
}

struct Sort<'a> {
    reader: Reader<'a>,
    out: String,
    moved: bool,
}

impl Sort<'_> {
    // As deep as the reader goes, which knows a limit.
    fn value(&mut self) -> Option<()> {
        match self.reader.peek().ok()? {
            Kind::Object => self.object(),
            Kind::Array => {
                self.reader.open_array().ok()?;
                self.out.push('[');
                let mut first = true;
                while self.reader.next_element(first).ok()? {
                    if !first {
                        self.out.push(',');
                    }
                    first = false;
                    self.value()?;
                }
                self.out.push(']');
                Some(())
            }
            Kind::Null | Kind::Bool | Kind::Number | Kind::String => {
                let start = self.reader.position();
                self.reader.skip().ok()?;
                self.out
                    .push_str(self.reader.text().get(start..self.reader.position())?);
                Some(())
            }
        }
    }

    fn object(&mut self) -> Option<()> {
        self.reader.open_object().ok()?;
        self.out.push('{');
        let start = self.out.len();
        let mut members: Vec<(&str, Range<usize>)> = Vec::new();
        while let Some(name) = self.reader.next_member(members.is_empty()).ok()? {
            let std::borrow::Cow::Borrowed(name) = name else {
                return None;
            };
            if !members.is_empty() {
                self.out.push(',');
            }
            let begins = self.out.len();
            self.out.push('"');
            self.out.push_str(name);
            self.out.push_str("\":");
            self.value()?;
            members.push((name, begins..self.out.len()));
        }
        if !members.is_sorted_by(|(one, _), (other, _)| one < other) {
            members.sort_unstable_by_key(|(name, _)| *name);
            if !members.is_sorted_by(|(one, _), (other, _)| one < other) {
                return None;
            }
            let parts: Option<Vec<&str>> = members
                .iter()
                .map(|(_, range)| self.out.get(range.clone()))
                .collect();
            let whole = parts?.join(",");
            self.out.truncate(start);
            self.out.push_str(&whole);
            self.moved = true;
        }
        self.out.push('}');
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::sorted;

    #[test]
    fn names_are_put_in_order_and_nothing_else_changes() {
        let text = r#"{"b": [{"y":1,"x":"\u00e9"}, 1.50], "a":{"d":{},"c":null}}"#;
        assert_eq!(
            sorted(text).as_deref(),
            Some(r#"{"a":{"c":null,"d":{}},"b":[{"x":"\u00e9","y":1},1.50]}"#)
        );
        for left in [
            "{}",
            r#"{"a":1,"b":2}"#,
            r#"{"b":1,"a":2,"b":3}"#,
            r#"{"b":1,"\u0061":2}"#,
            r#"{"b":1,"a":2"#,
            "7",
        ] {
            assert_eq!(sorted(left), None, "{left}");
        }
    }
}
