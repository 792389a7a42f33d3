//! From a byte offset back to the place it means, once something has failed.

use std::collections::{BTreeSet, btree_set};
use std::iter::{Copied, Peekable};

use super::reader::{Kind, Reader};
use crate::codec::DecodeError;
use crate::path::{Container, PathStep};

/// The path of the innermost value of `text` that holds the byte at `offset`, as far as `text` can
/// be read.
///
/// `container` says what the object or array at a path is.
pub(crate) fn path_at(
    text: &str,
    offset: usize,
    container: &dyn Fn(&[PathStep]) -> Container,
) -> Vec<PathStep> {
    let mut reader = Reader::new(text);
    let mut steps = Vec::new();
    while let Ok(kind @ (Kind::Object | Kind::Array)) = reader.peek() {
        match enter(&mut reader, kind, offset) {
            Some(Inside::Member(name)) if container(&steps) == Container::Map => {
                steps.push(PathStep::Key(name));
            }
            Some(Inside::Member(name)) => steps.push(PathStep::Attribute(name.into())),
            Some(Inside::Element(_)) if container(&steps) == Container::Set => {
                steps.push(PathStep::Element(None));
            }
            Some(Inside::Element(index)) => steps.push(PathStep::Index(index)),
            None => break,
        }
    }
    steps
}

/// The values of `text` at these offsets, in order, with their paths, in one pass. Offsets at which
/// no value begins are passed over.
pub(crate) fn paths_at(
    text: &str,
    offsets: &BTreeSet<usize>,
    container: &dyn Fn(&[PathStep]) -> Container,
    found: &mut dyn FnMut(usize, &[PathStep]),
) {
    // Nearly always: everything is defined, and the text need not be read again.
    if offsets.is_empty() {
        return;
    }
    let mut search = Search {
        reader: Reader::new(text),
        offsets: offsets.iter().copied().peekable(),
        container,
        found,
    };
    // An error leads nowhere, because text that cannot be read was not skipped either.
    let _ = search.value(&mut Vec::new());
}

struct Search<'t, 'o, 'f> {
    reader: Reader<'t>,
    offsets: Peekable<Copied<btree_set::Iter<'o, usize>>>,
    container: &'f dyn Fn(&[PathStep]) -> Container,
    found: &'f mut dyn FnMut(usize, &[PathStep]),
}

impl Search<'_, '_, '_> {
    fn value(&mut self, steps: &mut Vec<PathStep>) -> Result<(), DecodeError> {
        let kind = self.reader.peek()?;
        let begins = self.reader.position();
        while self.offsets.next_if(|offset| *offset < begins).is_some() {}
        if self.offsets.next_if_eq(&begins).is_some() {
            (self.found)(begins, steps);
            return self.reader.skip();
        }
        if self.offsets.peek().is_none() {
            return self.reader.skip();
        }
        match kind {
            Kind::Object => {
                let is_map = (self.container)(steps) == Container::Map;
                self.reader.open_object()?;
                let mut first = true;
                while let Some(name) = self.reader.next_member(first)? {
                    first = false;
                    let name = name.into_owned();
                    steps.push(if is_map {
                        PathStep::Key(name)
                    } else {
                        PathStep::Attribute(name.into())
                    });
                    self.value(steps)?;
                    steps.pop();
                }
                Ok(())
            }
            Kind::Array => {
                let is_set = (self.container)(steps) == Container::Set;
                self.reader.open_array()?;
                let mut index = 0;
                while self.reader.next_element(index == 0)? {
                    steps.push(if is_set {
                        PathStep::Element(None)
                    } else {
                        PathStep::Index(index)
                    });
                    self.value(steps)?;
                    steps.pop();
                    index += 1;
                }
                Ok(())
            }
            Kind::Null | Kind::Bool | Kind::Number | Kind::String => self.reader.skip(),
        }
    }
}

enum Inside {
    Member(String),
    Element(u64),
}

/// Moves into the member or element that holds `offset`, if one does.
fn enter(reader: &mut Reader<'_>, kind: Kind, offset: usize) -> Option<Inside> {
    match kind {
        Kind::Object => reader.open_object(),
        Kind::Null | Kind::Bool | Kind::Number | Kind::String | Kind::Array => reader.open_array(),
    }
    .ok()?;
    let mut index = 0;
    loop {
        let inside = match kind {
            Kind::Object => Inside::Member(reader.next_member(index == 0).ok()??.into_owned()),
            Kind::Null | Kind::Bool | Kind::Number | Kind::String | Kind::Array => reader
                .next_element(index == 0)
                .ok()?
                .then_some(Inside::Element(index))?,
        };
        // A value that can't be read may still be where the problem is.
        let _ = reader.peek();
        let start = reader.mark();
        let begins = reader.position();
        if begins > offset {
            return None;
        }
        let readable = reader.skip().is_ok();
        if !readable || reader.position() > offset {
            reader.rewind(start);
            return Some(inside);
        }
        index += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::AttributePath;

    fn path(text: &str, needle: &str) -> String {
        let container = |steps: &[PathStep]| {
            if steps.len() == 2 {
                Container::Map
            } else {
                Container::Other
            }
        };
        let steps = path_at(text, text.find(needle).unwrap(), &container);
        steps.into_iter().collect::<AttributePath>().to_string()
    }

    #[test]
    fn the_innermost_value_is_found() {
        let text =
            r#"{"a": 1, "lanes": [{}, {"fast": {"width": 3}, "slow": {"width": []}}], "z": "#;
        assert_eq!(path(text, "1"), "a");
        assert_eq!(path(text, "[]"), r#"lanes[1]["slow"].width"#);
        assert_eq!(path(text, "{}"), "lanes[0]");
        assert_eq!(path(text, "\"a\""), "");
        assert_eq!(path(r#"{"a": {"b": tru }}"#, "tru"), "a.b");
    }

    #[test]
    fn many_places_are_found_in_one_pass() {
        let text = r#"{"a": 1, "lanes": [{}, {"fast": {"width": 3}, "slow": {"width": [2]}}], "z": {"y": 0}}"#;
        let container = |steps: &[PathStep]| {
            if steps.len() == 2 {
                Container::Map
            } else {
                Container::Other
            }
        };
        let offsets = ["1", "3", "[2]", "{\"y\"", "0"]
            .map(|needle| text.find(needle).unwrap())
            .into();
        let mut found = Vec::new();
        paths_at(text, &offsets, &container, &mut |_, steps| {
            found.push(steps.iter().cloned().collect::<AttributePath>().to_string());
        });
        assert_eq!(
            found,
            [
                "a",
                r#"lanes[1]["fast"].width"#,
                r#"lanes[1]["slow"].width"#,
                "z"
            ]
        );
    }
}
