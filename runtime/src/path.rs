//! Attribute paths: where in a resource something is.
//!
//! A path starts at the resource and names one step after the other: an attribute, a list index, a map key. Its text form is
//! the one Terraform providers print, `racks[2].slots["top"].fan`.

use std::borrow::Cow;
use std::fmt;

/// One step of an [`AttributePath`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PathStep {
    /// An attribute or block of an object, by name.
    Attribute(Cow<'static, str>),
    /// An element of a map, by key.
    Key(String),
    /// An element of a list or tuple, counted from 0.
    Index(u64),
}

/// Where in a resource a value stands; empty for the resource itself.
///
/// ```
/// use upstate::AttributePath;
///
/// let path = AttributePath::new().attribute("racks").index(2).attribute("slots").key("top");
/// assert_eq!(path.to_string(), r#"racks[2].slots["top"]"#);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct AttributePath {
    steps: Vec<PathStep>,
}

impl AttributePath {
    /// The path of the resource itself.
    #[must_use]
    pub const fn new() -> Self {
        Self { steps: Vec::new() }
    }

    /// This path followed by an attribute name.
    #[must_use]
    pub fn attribute(self, name: impl Into<Cow<'static, str>>) -> Self {
        self.step(PathStep::Attribute(name.into()))
    }

    /// This path followed by a map key.
    #[must_use]
    pub fn key(self, key: impl Into<String>) -> Self {
        self.step(PathStep::Key(key.into()))
    }

    /// This path followed by a list index.
    #[must_use]
    pub fn index(self, index: u64) -> Self {
        self.step(PathStep::Index(index))
    }

    /// This path followed by any step.
    #[must_use]
    pub fn step(mut self, step: PathStep) -> Self {
        self.steps.push(step);
        self
    }

    /// The steps from the resource inwards.
    pub fn steps(&self) -> &[PathStep] {
        &self.steps
    }

    /// Whether this is the path of the resource itself.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

impl FromIterator<PathStep> for AttributePath {
    fn from_iter<I: IntoIterator<Item = PathStep>>(steps: I) -> Self {
        Self { steps: steps.into_iter().collect() }
    }
}

impl fmt::Display for AttributePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.steps.iter().enumerate() {
            match step {
                PathStep::Attribute(name) if position == 0 => f.write_str(name)?,
                PathStep::Attribute(name) => write!(f, ".{name}")?,
                PathStep::Index(index) => write!(f, "[{index}]")?,
                PathStep::Key(key) => write!(f, "[{}]", QuotedKey(key))?,
            }
        }
        Ok(())
    }
}

/// A map key between quotes, with quotes, backslashes and control characters escaped.
struct QuotedKey<'a>(&'a str);

impl fmt::Display for QuotedKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for character in self.0.chars() {
            match character {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                c if c.is_control() => write!(f, "{}", c.escape_default())?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_quotes_keys_and_brackets_indexes() {
        let path = AttributePath::new().attribute("racks").index(2).attribute("slots").key("top \"A\"\n").attribute("fan");
        assert_eq!(path.to_string(), r#"racks[2].slots["top \"A\"\n"].fan"#);
        assert_eq!(AttributePath::new().to_string(), "");
    }
}
