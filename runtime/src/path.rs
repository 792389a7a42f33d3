//! Attribute paths: where in a resource something is.
//!
//! A path starts at the resource and names one step after the other: an attribute, a list index, a
//! map key. Its text form is the one Terraform providers print, `racks[2].slots["top"].fan`.

use std::borrow::Cow;
use std::fmt;

/// The names that lead to an attribute or block of a schema, from the outside in.
pub(crate) type Names = Vec<&'static str>;

/// One step of an [`AttributePath`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PathStep {
    /// An attribute or block of an object, by name.
    Attribute(Cow<'static, str>),
    /// An element of a map, by key.
    Key(String),
    /// An element of a list or tuple, counted from 0.
    Index(u64),
    /// An element of a set, if it is known and may be shown. Decoders never name it: its value
    /// might be sensitive.
    Element(Option<SetElement>),
}

/// An element of a set: its value is what tells it from the others.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SetElement {
    ty: &'static str,
    text: String,
}

impl SetElement {
    /// The element of a set that is this string.
    #[must_use]
    pub fn string(text: &str) -> Self {
        Self {
            ty: "String",
            text: Quoted(text).to_string(),
        }
    }

    /// An element that is a number, by its digits.
    #[must_use]
    pub fn number(digits: impl fmt::Display) -> Self {
        Self {
            ty: "Number",
            text: digits.to_string(),
        }
    }

    /// An element that is a bool.
    #[must_use]
    pub fn bool(value: bool) -> Self {
        Self {
            ty: "Bool",
            text: value.to_string(),
        }
    }
}

/// The place of a value in a resource; empty for the resource itself.
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

    /// This path behind another step.
    pub(crate) fn below(mut self, step: PathStep) -> Self {
        self.steps.insert(0, step);
        self
    }

    /// The path without what lies below its first `len` steps.
    pub(crate) fn truncated(mut self, len: usize) -> Self {
        self.steps.truncate(len);
        self
    }

    /// The steps from the resource inwards.
    pub fn steps(&self) -> &[PathStep] {
        &self.steps
    }

    /// The steps that the plugin protocol can name: those before the first set element.
    pub fn wire_steps(&self) -> &[PathStep] {
        let end = self
            .steps
            .iter()
            .position(|step| matches!(step, PathStep::Element(_)));
        end.and_then(|end| self.steps.get(..end))
            .unwrap_or(&self.steps)
    }

    /// The form that Terraform itself prints, `.racks[2].slots["top"]`.
    pub fn to_core_text(&self) -> String {
        let step = |step: &PathStep| match step {
            PathStep::Attribute(name) => format!(".{name}"),
            other @ (PathStep::Key(_) | PathStep::Index(_) | PathStep::Element(_)) => {
                AttributePath {
                    steps: vec![other.clone()],
                }
                .to_string()
            }
        };
        self.wire_steps().iter().map(step).collect()
    }

    /// The form that the protocol's value layer prints, `AttributeName("racks").ElementKeyInt(2)`.
    pub fn to_protocol_text(&self) -> String {
        let step = |step: &PathStep| match step {
            PathStep::Attribute(name) => format!("AttributeName(\"{name}\")"),
            PathStep::Key(key) => format!("ElementKeyString(\"{key}\")"),
            PathStep::Index(index) => format!("ElementKeyInt({index})"),
            PathStep::Element(Some(element)) => {
                format!("ElementKeyValue(tftypes.{}<{}>)", element.ty, element.text)
            }
            PathStep::Element(None) => "ElementKeyValue(unknown)".to_owned(),
        };
        self.steps.iter().map(step).collect::<Vec<_>>().join(".")
    }

    /// True if this is the path of the resource itself.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

/// The kind of an object or array of a document, which decides how its members are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Container {
    /// A map: its names are keys.
    Map,
    /// A set: its elements have no index.
    Set,
    /// An object, a list, or something not known.
    Other,
}

/// The path of an attribute of the resource itself, by its name.
impl From<&str> for AttributePath {
    fn from(name: &str) -> Self {
        Self::from(name.to_owned())
    }
}

/// The path of an attribute of the resource itself, by its name.
impl From<&String> for AttributePath {
    fn from(name: &String) -> Self {
        Self::from(name.clone())
    }
}

/// The path of an attribute of the resource itself, by its name.
impl From<String> for AttributePath {
    fn from(name: String) -> Self {
        Self::new().attribute(name)
    }
}

impl FromIterator<PathStep> for AttributePath {
    fn from_iter<I: IntoIterator<Item = PathStep>>(steps: I) -> Self {
        Self {
            steps: steps.into_iter().collect(),
        }
    }
}

impl fmt::Display for AttributePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.steps.iter().enumerate() {
            match step {
                PathStep::Attribute(name) if position == 0 => write!(f, "{}", Printable(name))?,
                PathStep::Attribute(name) => write!(f, ".{}", Printable(name))?,
                PathStep::Index(index) => write!(f, "[{index}]")?,
                PathStep::Key(key) => write!(f, "[{}]", Quoted(key))?,
                PathStep::Element(Some(element)) => write!(f, "[Value({})]", element.text)?,
                PathStep::Element(None) => f.write_str("[…]")?,
            }
        }
        Ok(())
    }
}

/// A string for the terminal: characters that are invisible, or that change how others are shown,
/// are escaped, so that a file cannot control the terminal.
///
/// ```
/// let printable = upstate::path::Printable("é \u{202e}txt.exe\u{1b}[2J");
/// assert_eq!(printable.to_string(), r"é \u{202e}txt.exe\u{1b}[2J");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Printable<'a>(pub &'a str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            if is_odd(character) {
                write!(f, "{}", character.escape_default())?;
            } else {
                write!(f, "{character}")?;
            }
        }
        Ok(())
    }
}

/// True if a character steers a terminal, or is not seen, or changes the order in which others are
/// shown, so that what is read is not what is there.
fn is_odd(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// A string between quotes, with quotes, backslashes and control characters escaped.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for character in self.0.chars() {
            match character {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                c if is_odd(c) => write!(f, "{}", c.escape_default())?,
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
        let path = AttributePath::new()
            .attribute("racks")
            .index(2)
            .attribute("slots")
            .key("top \"A\"\n")
            .attribute("fan");
        assert_eq!(path.to_string(), r#"racks[2].slots["top \"A\"\n"].fan"#);
        assert_eq!(AttributePath::new().to_string(), "");
        assert_eq!(path.to_core_text(), r#".racks[2].slots["top \"A\"\n"].fan"#);
    }

    #[test]
    fn nothing_in_a_path_turns_the_order_of_the_others() {
        let path = AttributePath::new()
            .attribute("a\u{202e}b")
            .key("\u{2066}\u{1b}[31m é");
        assert_eq!(path.to_string(), r#"a\u{202e}b["\u{2066}\u{1b}[31m é"]"#);
    }

    #[test]
    fn the_wire_ends_before_a_set_element() {
        let ssh = PathStep::Element(Some(SetElement::string("ssh")));
        let path = AttributePath::new()
            .attribute("rules")
            .step(ssh)
            .attribute("port");
        assert_eq!(path.to_string(), r#"rules[Value("ssh")].port"#);
        assert_eq!(
            path.wire_steps(),
            AttributePath::new().attribute("rules").steps()
        );
        let text = r#"AttributeName("rules").ElementKeyValue(tftypes.String<"ssh">).AttributeName("port")"#;
        assert_eq!(path.to_protocol_text(), text);
        assert_eq!(
            AttributePath::new()
                .attribute("a")
                .step(PathStep::Element(None))
                .to_string(),
            "a[…]"
        );
    }
}
