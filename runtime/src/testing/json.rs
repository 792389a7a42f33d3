//! JSON whose values keep their source text, so that states can be taken apart, changed and
//! compared whatever is in them.

use std::fmt::Write as _;

use crate::codec::DecodeError;
use crate::codec::json::{Kind, Reader, write_string};
use crate::path::{AttributePath, PathStep};
use crate::value::Number;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    /// A value that is neither an array nor an object, as it is written.
    Leaf(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

impl Json {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::from_bytes(bytes)?;
        let value = Self::read(&mut reader)?;
        reader.end()?;
        Ok(value)
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut first = true;
        match reader.peek()? {
            Kind::Array => {
                reader.open_array()?;
                let mut elements = Vec::new();
                while reader.next_element(std::mem::take(&mut first))? {
                    elements.push(Self::read(reader)?);
                }
                Ok(Self::List(elements))
            }
            Kind::Object => {
                reader.open_object()?;
                let mut members = Vec::new();
                while let Some(name) = reader.next_member(std::mem::take(&mut first))? {
                    members.push((name.into_owned(), Self::read(reader)?));
                }
                Ok(Self::Map(members))
            }
            Kind::Null | Kind::Bool | Kind::Number | Kind::String => {
                let start = reader.position();
                reader.skip()?;
                Ok(Self::Leaf(
                    reader
                        .text()
                        .get(start..reader.position())
                        .unwrap_or_default()
                        .to_owned(),
                ))
            }
        }
    }

    pub(super) fn leaf(text: impl Into<String>) -> Self {
        Self::Leaf(text.into())
    }

    pub(super) fn string(text: &str) -> Self {
        let mut out = Vec::new();
        write_string(text, &mut out);
        Self::Leaf(String::from_utf8_lossy(&out).into_owned())
    }

    pub(super) fn map(members: impl IntoIterator<Item = (String, Json)>) -> Self {
        Self::Map(members.into_iter().collect())
    }

    /// The text of a string.
    pub(super) fn as_text(&self) -> Option<String> {
        match self {
            Self::Leaf(text) if text.starts_with('"') => {
                Some(Reader::new(text).string().ok()?.into_owned())
            }
            Self::Leaf(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    pub(super) fn to_text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Leaf(text) => out.push_str(text),
            Self::List(elements) => {
                out.push('[');
                for (position, element) in elements.iter().enumerate() {
                    if position > 0 {
                        out.push(',');
                    }
                    element.write(out);
                }
                out.push(']');
            }
            Self::Map(members) => {
                out.push('{');
                for (position, (name, value)) in members.iter().enumerate() {
                    if position > 0 {
                        out.push(',');
                    }
                    let _ = write!(out, "{}:", Self::string(name).to_text());
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    fn member(&self, name: &str) -> Option<&Json> {
        match self {
            // The search begins at the end, because the last value of a repeated name counts.
            Self::Map(members) => members
                .iter()
                .rev()
                .find(|(other, _)| other == name)
                .map(|(_, value)| value),
            Self::Leaf(_) | Self::List(_) => None,
        }
    }

    /// True if two values that are not collections say the same: `1.0` and `1` do, and so do `"a"`
    /// and `"\u0061"`.
    fn same_leaf(&self, other: &Self) -> bool {
        let number = |value: &Self| match value {
            Self::Leaf(text) => text.parse::<Number>().ok(),
            Self::List(_) | Self::Map(_) => None,
        };
        self == other
            || self
                .as_text()
                .is_some_and(|text| Some(text) == other.as_text())
            || number(self).is_some_and(|ours| Some(ours) == number(other))
    }
}

/// The places where two JSON documents differ, one line each.
pub(super) fn differences(expected: &[u8], found: &[u8]) -> Result<Vec<String>, DecodeError> {
    let mut lines = Vec::new();
    compare(
        &Json::parse(expected)?,
        &Json::parse(found)?,
        &mut Vec::new(),
        &mut lines,
    );
    Ok(lines)
}

fn compare(expected: &Json, found: &Json, path: &mut Vec<PathStep>, lines: &mut Vec<String>) {
    match (expected, found) {
        (Json::Map(ours), Json::Map(theirs)) => {
            let mut names: Vec<&String> = ours.iter().chain(theirs).map(|(name, _)| name).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                path.push(PathStep::Attribute(name.clone().into()));
                match (expected.member(name), found.member(name)) {
                    (Some(expected), Some(found)) => compare(expected, found, path, lines),
                    (Some(expected), None) => lines.push(line(
                        path,
                        &format!("expected {}, found nothing", expected.to_text()),
                    )),
                    (_, found) => {
                        let found = found.map(Json::to_text).unwrap_or_default();
                        lines.push(line(path, &format!("expected nothing, found {found}")));
                    }
                }
                path.pop();
            }
        }
        (Json::List(ours), Json::List(theirs)) => {
            if ours.len() != theirs.len() {
                lines.push(line(
                    path,
                    &format!("expected {} elements, found {}", ours.len(), theirs.len()),
                ));
            }
            for (index, (expected, found)) in (0..).zip(ours.iter().zip(theirs)) {
                path.push(PathStep::Index(index));
                compare(expected, found, path, lines);
                path.pop();
            }
        }
        (expected, found) if expected.same_leaf(found) => {}
        (expected, found) => lines.push(line(
            path,
            &format!("expected {}, found {}", expected.to_text(), found.to_text()),
        )),
    }
}

fn line(path: &[PathStep], what: &str) -> String {
    let path: AttributePath = path.iter().cloned().collect();
    if path.is_empty() {
        what.to_owned()
    } else {
        format!("{path}: {what}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named_by_path() {
        let compare = |expected: &str, found: &str| {
            differences(expected.as_bytes(), found.as_bytes()).unwrap()
        };
        let same = r#"{"a": [1.0, "\u0061", null], "b": {}}"#;
        assert!(compare(same, r#"{"b":{},"a":[1,"a",null]}"#).is_empty());
        assert_eq!(
            compare(same, r#"{"a":[2,"b"],"c":[true],"b":{"d":null}}"#),
            [
                "a: expected 3 elements, found 2",
                "a[0]: expected 1.0, found 2",
                r#"a[1]: expected "\u0061", found "b""#,
                "b.d: expected nothing, found null",
                "c: expected nothing, found [true]",
            ]
        );
        assert_eq!(compare("[]", "{}"), ["expected [], found {}"]);
        assert_eq!(
            compare("12345678901234567890123", "12345678901234567890124").len(),
            1
        );
        assert!(differences(b"{", b"{}").is_err());
    }
}
