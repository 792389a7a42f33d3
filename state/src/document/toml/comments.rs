//! The comments of a document in TOML, and what each of them is about.

use toml_edit::{Array, Decor, Document, Item, RawString, Table, TableLike, Value};
use upstate::AttributePath;

use crate::document::comment::{Comment, LineEnds};
use crate::document::text;

/// The comments of a document; none if it cannot be read.
pub(in crate::document) fn comments(bytes: &[u8]) -> Vec<Comment> {
    let Ok(text) = text::decode(bytes, "TOML").map(|decoded| decoded.text) else {
        return Vec::new();
    };
    if !text.contains('#') {
        return Vec::new();
    }
    let Ok(document) = Document::parse(text) else {
        return Vec::new();
    };
    let mut found = Found {
        text,
        ends: LineEnds::of(text),
        comments: Vec::new(),
    };
    let root = AttributePath::new();
    found.table(document.as_table(), &root);
    found.add(Some(document.trailing()), &root, &root);
    found.comments
}

struct Found<'t> {
    text: &'t str,
    ends: LineEnds,
    comments: Vec<Comment>,
}

impl Found<'_> {
    /// Adds the comments around a value: each is about what has this path, but for one in
    /// the first line, which is about what is `before` it.
    fn add(&mut self, around: Option<&RawString>, path: &AttributePath, before: &AttributePath) {
        let Some(span) = around.and_then(RawString::span) else {
            return;
        };
        let mut offset = span.start;
        let mut about = before;
        for line in self
            .text
            .get(span)
            .unwrap_or_default()
            .split_inclusive('\n')
        {
            let comment = line.trim();
            if comment.starts_with('#') {
                self.comments.push(Comment {
                    path: about.clone(),
                    text: comment.to_owned(),
                    line: self.ends.line(offset),
                });
            }
            offset += line.len();
            about = path;
        }
    }

    fn decor(&mut self, decor: &Decor, path: &AttributePath, before: &AttributePath) {
        self.add(decor.prefix(), path, before);
        self.add(decor.suffix(), path, path);
    }

    fn table(&mut self, table: &dyn TableLike, path: &AttributePath) {
        for (name, item) in table.iter() {
            let path = path.clone().attribute(name.to_owned());
            if let Some(key) = table.key(name) {
                self.decor(key.leaf_decor(), &path, &path);
                self.decor(key.dotted_decor(), &path, &path);
            }
            match item {
                Item::Value(value) => self.value(value, &path, &path),
                Item::Table(table) => self.headed(table, &path),
                Item::ArrayOfTables(tables) => {
                    for (index, table) in tables.iter().enumerate() {
                        self.headed(table, &path.clone().index(index as u64));
                    }
                }
                Item::None => {}
            }
        }
    }

    /// A table with a header of its own.
    fn headed(&mut self, table: &Table, path: &AttributePath) {
        self.decor(table.decor(), path, path);
        self.table(table, path);
    }

    fn value(&mut self, value: &Value, path: &AttributePath, before: &AttributePath) {
        self.add(value.decor().prefix(), path, before);
        match value {
            Value::Array(array) => self.array(array, path),
            Value::InlineTable(table) => {
                self.table(table, path);
                self.add(Some(table.trailing()), path, path);
            }
            Value::String(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_) => {}
        }
        self.add(value.decor().suffix(), path, path);
    }

    /// The parser takes a comment behind a comma for one before the next element.
    fn array(&mut self, array: &Array, path: &AttributePath) {
        let mut before = path.clone();
        for (index, element) in array.iter().enumerate() {
            let path = path.clone().index(index as u64);
            self.value(element, &path, &before);
            before = path;
        }
        self.add(Some(array.trailing()), path, &before);
    }
}

#[cfg(test)]
mod tests {
    use super::comments;

    #[test]
    fn each_comment_is_about_a_value_in_a_line() {
        let stored = "# top\na = 1 # behind\n\nlist = [ # all\n    1, # one\n    # above two\n    2, # two\n    # end\n]\n# odd\nb.c = '#' # dotted\n\n# first\n[[t]] # header\nx = { y = 1 } # inside\n\n# second\n[[t]]\nx = 2\n# trailing\n";
        let found: Vec<String> = comments(stored.as_bytes())
            .iter()
            .map(|one| format!("{} {} {}", one.line, one.path, one.text))
            .collect();
        assert_eq!(
            found,
            [
                "1 a # top",
                "2 a # behind",
                "4 list # all",
                "5 list[0] # one",
                "6 list[1] # above two",
                "7 list[1] # two",
                "8 list # end",
                "10 b.c # odd",
                "11 b.c # dotted",
                "13 t[0] # first",
                "14 t[0] # header",
                "15 t[0].x # inside",
                "17 t[1] # second",
                "20  # trailing",
            ]
        );
    }
}
