//! From a byte offset back to the place it means, once something has failed.

use super::reader::{Kind, Reader};
use crate::path::{Container, PathStep};

/// The path of the innermost value of `text` that holds the byte at `offset`, as far as `text` can be read.
///
/// `container` says what the object or array at a path is.
pub(crate) fn path_at(text: &str, offset: usize, container: &dyn Fn(&[PathStep]) -> Container) -> Vec<PathStep> {
    let mut reader = Reader::new(text);
    let mut steps = Vec::new();
    while let Ok(kind @ (Kind::Object | Kind::Array)) = reader.peek() {
        match enter(&mut reader, kind, offset) {
            Some(Inside::Member(name)) if container(&steps) == Container::Map => steps.push(PathStep::Key(name)),
            Some(Inside::Member(name)) => steps.push(PathStep::Attribute(name.into())),
            Some(Inside::Element(_)) if container(&steps) == Container::Set => steps.push(PathStep::Element(None)),
            Some(Inside::Element(index)) => steps.push(PathStep::Index(index)),
            None => break,
        }
    }
    steps
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
            Kind::Null | Kind::Bool | Kind::Number | Kind::String | Kind::Array => {
                reader.next_element(index == 0).ok()?.then_some(Inside::Element(index))?
            }
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
        let container = |steps: &[PathStep]| if steps.len() == 2 { Container::Map } else { Container::Other };
        let steps = path_at(text, text.find(needle).unwrap(), &container);
        steps.into_iter().collect::<AttributePath>().to_string()
    }

    #[test]
    fn the_innermost_value_is_found() {
        let text = r#"{"a": 1, "lanes": [{}, {"fast": {"width": 3}, "slow": {"width": []}}], "z": "#;
        assert_eq!(path(text, "1"), "a");
        assert_eq!(path(text, "[]"), r#"lanes[1]["slow"].width"#);
        assert_eq!(path(text, "{}"), "lanes[0]");
        assert_eq!(path(text, "\"a\""), "");
        assert_eq!(path(r#"{"a": {"b": tru }}"#, "tru"), "a.b");
    }
}
