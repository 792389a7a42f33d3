//! The places at which the operators are at work, for messages.

use std::borrow::Cow;

use super::elements::Elements;
use super::table::Path;
use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::path::{AttributePath, PathStep};
use crate::value::Value;

/// A place in the prior state, or in what operators make of it.
#[derive(Clone, Default)]
pub(super) struct Place {
    path: AttributePath,
    /// The rest of the path to an attribute that an operator makes; it becomes steps only where the
    /// path is reported.
    target: Path,
    /// True if the path ends in what operators make.
    made: bool,
    /// The places at which the elements are stored of collections that an operator has rearranged;
    /// the outermost is the last.
    elements: Vec<Elements>,
    /// The paths from here whose values operators take whole.
    taken: Vec<Path>,
    /// True if the value there must not be shown; then no further step of the path is.
    pub(super) sensitive: bool,
}

impl Place {
    pub(super) fn below(&self, name: &str, sensitive: bool) -> Self {
        self.below_by(name, || Cow::Owned(name.to_owned()), sensitive)
    }

    /// The place below a name of a schema, of which no copy is made.
    pub(super) fn below_known(&self, name: &'static str, sensitive: bool) -> Self {
        self.below_by(name, || Cow::Borrowed(name), sensitive)
    }

    fn below_by(
        &self,
        name: &str,
        step: impl FnOnce() -> Cow<'static, str>,
        sensitive: bool,
    ) -> Self {
        let path = if self.sensitive {
            self.path()
        } else {
            self.path().attribute(step())
        };
        let below = |path: &Path| {
            path.split_first()
                .and_then(|(first, rest)| (*first == name).then_some(rest))
        };
        let taken = self.taken.iter().filter_map(below).collect();
        Self {
            path,
            target: &[],
            made: self.made,
            elements: Vec::new(),
            taken,
            sensitive: self.sensitive || sensitive,
        }
    }

    /// This place, of whose members operators take these whole.
    pub(super) fn taking(&self, taken: &[Path]) -> Self {
        let mut place = self.clone();
        place.taken.extend(taken);
        place
    }

    /// True if operators take the whole value.
    pub(super) fn is_taken(&self) -> bool {
        self.taken.iter().any(|path| path.is_empty())
    }

    /// The place of an element of what is here now: where that is stored.
    pub(super) fn step(&self, step: PathStep) -> Self {
        let mut elements = self.elements.clone();
        let (step, member) = match elements.pop() {
            None => (step, None),
            Some(Elements::Inside) => {
                return Self {
                    elements,
                    ..self.clone()
                };
            }
            Some(moved) => moved.stored(step),
        };
        let path = if self.sensitive {
            self.path()
        } else {
            self.path().step(step)
        };
        let taken = self.taken.clone();
        let place = Self {
            path,
            target: &[],
            made: self.made,
            elements: Vec::new(),
            taken,
            sensitive: self.sensitive,
        };
        match member {
            None => Self { elements, ..place },
            Some((name, sensitive)) => Self {
                elements,
                ..place.below(name, sensitive)
            },
        }
    }

    /// The step to where an element of what is here now is stored, if it is stored as one.
    pub(super) fn stored(&self, step: PathStep) -> Option<PathStep> {
        match self.elements.last() {
            None => Some(step),
            Some(Elements::Inside) => None,
            Some(moved) => Some(moved.stored(step).0),
        }
    }

    /// This place, holding a collection whose elements are stored elsewhere than they are now.
    pub(super) fn rearranged(mut self, elements: Option<Elements>) -> Self {
        self.elements.pop();
        self.elements.push(elements.unwrap_or(Elements::Inside));
        self
    }

    /// This place, holding a collection around what is stored there.
    pub(super) fn wrapped(mut self) -> Self {
        self.elements.push(Elements::Inside);
        self
    }

    /// The place of what is made here for the current attribute `target`.
    pub(super) fn making(&self, target: Path, sensitive: bool) -> Self {
        let (path, target) = if self.sensitive {
            (self.path(), &[][..])
        } else {
            (self.path(), target)
        };
        Self {
            path,
            target,
            made: true,
            elements: Vec::new(),
            taken: Vec::new(),
            sensitive: self.sensitive || sensitive,
        }
    }

    /// The path as far as it may be reported.
    pub(super) fn path(&self) -> AttributePath {
        self.clone().into_path()
    }

    /// The path of this place, at the end.
    pub(super) fn into_path(self) -> AttributePath {
        self.target
            .iter()
            .fold(self.path, |path, name| path.attribute(*name))
    }

    /// This place, holding something that must not be shown.
    pub(super) fn hidden_if(self, sensitive: bool) -> Self {
        Self {
            sensitive: self.sensitive || sensitive,
            ..self
        }
    }

    /// The error that the value there cannot be upgraded.
    pub(super) fn refuse(&self, problem: impl std::fmt::Display) -> Diagnostics {
        self.refusal(problem, None)
    }

    /// The error that an author's function refused the value there, whose messages may quote it.
    pub(super) fn refuse_by(&self, errors: &Diagnostics, sentence: &str) -> Diagnostics {
        let about: Vec<&str> = errors.iter().map(Diagnostic::detail).collect();
        let detail = if self.sensitive {
            "its message is not shown (sensitive)".to_owned()
        } else {
            about.join("; ")
        };
        self.refuse(format_args!("{sentence}: {detail}"))
    }

    /// The error that a value of another kind is there than `wanted`; `more` goes on from the
    /// sentence.
    pub(super) fn refuse_kind(
        &self,
        wanted: &'static str,
        found: &Value,
        more: &str,
    ) -> Diagnostics {
        let found = found.noun();
        self.refusal(
            format_args!("expected {wanted}, found {found}{more}"),
            Some((wanted, found)),
        )
    }

    fn refusal(
        &self,
        problem: impl std::fmt::Display,
        kinds: Option<(&'static str, &'static str)>,
    ) -> Diagnostics {
        let path = self.path();
        let detail = match (path.is_empty(), self.made) {
            (true, _) => format!("{problem}."),
            (false, false) => format!("{problem} (at {path})."),
            (false, true) => format!("{problem} (at {path}, as the upgrade makes it)."),
        };
        let diagnostic = Diagnostic::error("Unable to Upgrade Resource State", detail);
        let diagnostic = diagnostic.coded(DiagnosticCode::Refused).with_kinds(kinds);
        if path.is_empty() {
            return diagnostic.into();
        }
        let mut diagnostic = diagnostic.at(path);
        diagnostic.set_made(self.made);
        diagnostic.into()
    }

    /// A value as a message may show it.
    pub(super) fn shown(&self, value: &Value) -> String {
        match value {
            _ if self.sensitive => format!("{} (sensitive)", value.noun()),
            Value::String(text) => {
                let text = without_credentials(text);
                let start: String = text.chars().take(LONGEST).collect();
                format!(
                    "{start:?}{}",
                    if start.len() < text.len() { "…" } else { "" }
                )
            }
            Value::Number(number) => number.to_string(),
            Value::Bool(bool) => bool.to_string(),
            other @ (Value::Null
            | Value::Unknown
            | Value::List(_)
            | Value::Map(_)
            | Value::Dynamic(_)) => other.noun().to_owned(),
        }
    }
}

/// The most characters of a value that a message shows.
const LONGEST: usize = 60;

/// A number as a message may show it, from its text.
pub(in crate::upgrade) fn shown_number(text: &str) -> String {
    match text.get(..LONGEST) {
        Some(start) if start.len() < text.len() => format!("{start}…"),
        Some(_) | None => text.to_owned(),
    }
}

/// A value as a message may show it: secret ones without their content.
pub(in crate::upgrade) fn shown(value: &Value, secret: bool) -> String {
    Place::default().hidden_if(secret).shown(value)
}

/// The string without the user name and the password that a URL in it has.
fn without_credentials(text: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = text.split_once("://") else {
        return Cow::Borrowed(text);
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest
        .get(..end)
        .and_then(|authority| authority.rsplit_once('@'))
    {
        Some((_, host)) => Cow::Owned(format!(
            "{scheme}://…@{host}{}",
            rest.get(end..).unwrap_or_default()
        )),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_another_kind_is_refused_with_both_kinds() {
        let refused =
            Place::default().refuse_kind("a list", &Value::from("x"), ", and a list was made");
        let read = serde_json::to_value(&refused).unwrap();
        assert_eq!(
            read[0]["detail"],
            "expected a list, found a string, and a list was made."
        );
        assert_eq!(
            (&read[0]["expected"], &read[0]["found"]),
            (&"a list".into(), &"a string".into())
        );
    }
}
