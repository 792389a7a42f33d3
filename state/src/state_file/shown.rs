//! The names of a state file that may be shown where a problem is drawn: those that the reader
//! takes for names of the format or of attributes. Keys of maps are values.

use std::ops::Range;

use upstate::__internal::{Kind, Reader};
use upstate::DecodeError;

/// The distance from a problem, in bytes, up to which names are looked for.
const NEAR: usize = 1 << 10;

/// The meaning of the names of an object.
#[derive(Clone, Copy)]
enum Names {
    /// Those of the format: of a resource, an instance, an output.
    Format,
    /// Those of attributes, with values inside.
    Attributes,
    /// Values.
    Keys,
}

impl Names {
    /// The meaning of the names inside a member.
    fn inside(self, name: &str) -> Self {
        match self {
            Self::Format => match name.to_ascii_lowercase().as_str() {
                "attributes" | "identity" => Self::Attributes,
                "attributes_flat" | "index_key" | "private" | "value" => Self::Keys,
                _ => Self::Format,
            },
            Self::Attributes | Self::Keys => Self::Keys,
        }
    }
}

/// The names near each of these places, which are in order, with their quotes: as far as the text
/// can be read.
pub(super) fn names_near(text: &str, places: &[usize]) -> Vec<Vec<Range<usize>>> {
    let mut near = Near {
        places,
        found: vec![Vec::new(); places.len()],
    };
    // An error ends it, because nothing behind it is known to be a name.
    let _ = near.value(&mut Reader::new(text), Names::Format);
    near.found
}

struct Near<'p> {
    places: &'p [usize],
    found: Vec<Vec<Range<usize>>>,
}

impl Near<'_> {
    fn value(&mut self, reader: &mut Reader<'_>, names: Names) -> Result<(), DecodeError> {
        match reader.peek()? {
            Kind::Object => {
                reader.open_object()?;
                let mut first = true;
                while let Some(name) = reader.next_member(first)? {
                    first = false;
                    if !matches!(names, Names::Keys) {
                        self.name(reader.text(), reader.name_position());
                    }
                    self.value(reader, names.inside(&name))?;
                }
                Ok(())
            }
            Kind::Array => {
                reader.open_array()?;
                let mut first = true;
                while reader.next_element(first)? {
                    first = false;
                    self.value(reader, names)?;
                }
                Ok(())
            }
            Kind::Null | Kind::Bool | Kind::Number | Kind::String => reader.skip(),
        }
    }

    fn name(&mut self, text: &str, start: usize) {
        let from = self.places.partition_point(|place| place + NEAR < start);
        let near = self
            .places
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(|place| **place <= start + NEAR)
            .count();
        if near == 0 {
            return;
        }
        let range = start..start + string_length(text.get(start..).unwrap_or_default());
        for found in self.found.iter_mut().skip(from).take(near) {
            found.push(range.clone());
        }
    }
}

/// The length in bytes of the string at the front, its quotes included.
pub(crate) fn string_length(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_format_and_of_attributes() {
        let names = |text: &str| -> Vec<String> {
            let found = names_near(text, &[0]).remove(0);
            found
                .into_iter()
                .map(|range| text[range].trim_matches('"').to_owned())
                .collect()
        };
        let text = r#"{"resources": [{"instances": [{"attributes": {"a\"b": {"key": 1}, "c": [{"k": 1}]}, "index_key": {"k": 1}}]}]}"#;
        assert_eq!(
            names(text),
            [
                "resources",
                "instances",
                "attributes",
                r#"a\"b"#,
                "c",
                "index_key"
            ]
        );
        // Behind what cannot be read, nothing is a name.
        assert_eq!(names(r#"{"a": "secret": "more": 1}"#), ["a"]);
        assert_eq!(names(r#"["secret": "x"]"#), [""; 0]);
        let far = format!(r#"{{"a": "{}", "b": 1}}"#, "x".repeat(2 * NEAR));
        assert_eq!(names(&far), ["a"]);
    }
}
