//! Conditions that say which of several shapes stored under one version a state has.

use std::fmt;

use super::raw_state::RawState;
use crate::codec::DecodeError;
use crate::codec::json::{Kind, Reader};
use crate::codec::{NoForm, OtherForm};

/// A function that says of a stored state whether it has the shape.
#[diagnostic::on_unimplemented(
    message = "`when` cannot call this function: its signature is another",
    label = "called with the stored state, for a `bool`",
    note = "write `fn name(state: upstate::RawState<'_>) -> bool`"
)]
pub trait StateTest<Form>: Sized {
    /// Calls it.
    fn call(self, state: RawState<'_>) -> bool;
}

#[diagnostic::do_not_recommend]
impl<F: Fn(RawState<'_>) -> bool> StateTest<()> for F {
    #[inline]
    fn call(self, state: RawState<'_>) -> bool {
        self(state)
    }
}

#[diagnostic::do_not_recommend]
impl<F: OtherForm> StateTest<NoForm> for F {
    fn call(self, _: RawState<'_>) -> bool {
        self.never()
    }
}

/// The condition that distinguishes a stored shape from another one under the same version.
///
/// Names are those in the stored state, at its top level. A member that is null is not there,
/// unless no condition of the version holds then.
#[derive(Clone, Copy)]
pub enum When {
    /// The state has a member of this name.
    Has(&'static str),
    /// The state has no member of this name.
    Lacks(&'static str),
    /// A function says so.
    Is(fn(RawState<'_>) -> bool),
}

impl When {
    /// True if the state meets the condition. With `null_counts`, a member that is null is there,
    /// too.
    pub(super) fn holds(self, raw: RawState<'_>, null_counts: bool) -> Result<bool, DecodeError> {
        match self {
            Self::Has(name) => has(raw, name, null_counts),
            Self::Lacks(name) => has(raw, name, null_counts).map(|has| !has),
            Self::Is(holds) => Ok(holds(raw)),
        }
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Has(name) => write!(f, "it has `{name}`"),
            Self::Lacks(name) => write!(f, "it lacks `{name}`"),
            Self::Is(_) => f.write_str("a function of the program says so"),
        }
    }
}

impl fmt::Debug for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Has(name) => f.debug_tuple("Has").field(name).finish(),
            Self::Lacks(name) => f.debug_tuple("Lacks").field(name).finish(),
            Self::Is(_) => f.write_str("Is"),
        }
    }
}

fn has(raw: RawState<'_>, name: &str, null_counts: bool) -> Result<bool, DecodeError> {
    match raw {
        RawState::Json(json) => has_member(json, name, null_counts),
        // `zone`, or `zone.#`, `zone.%`, `zone.0` for what is not a scalar.
        RawState::Flatmap(map) => Ok(map.keys().any(|key| {
            key.strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })),
        RawState::Empty => Ok(false),
    }
}

/// True if a document has the wanted member. A null is one only if null counts; of a repeated name
/// the last one counts.
fn has_member(json: &[u8], wanted: &str, null_counts: bool) -> Result<bool, DecodeError> {
    let mut reader = Reader::from_bytes(json)?;
    if reader.peek()? != Kind::Object {
        return Ok(false);
    }
    reader.open_object()?;
    let (mut first, mut found) = (true, false);
    while let Some(name) = reader.next_member(first)? {
        first = false;
        if name == wanted {
            found = null_counts || reader.peek()? != Kind::Null;
        }
        reader.skip()?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_member_that_is_null_or_deeper_is_not_there() {
        for (json, has) in [
            (r#"{"zone":"a"}"#, true),
            (r#"{"zo\u006ee":[]}"#, true),
            (r#"{"zone":null}"#, false),
            (r#"{"zone":1,"zone":null}"#, false),
            (r#"{"other":{"zone":1}}"#, false),
            ("[]", false),
        ] {
            let raw = RawState::Json(json.as_bytes());
            assert_eq!(When::Has("zone").holds(raw, false).unwrap(), has, "{json}");
            assert_eq!(
                When::Lacks("zone").holds(raw, false).unwrap(),
                !has,
                "{json}"
            );
        }
        for (json, has) in [
            (r#"{"zone":null}"#, true),
            (r#"{"zone":1,"zone":null}"#, true),
            (r#"{"other":null}"#, false),
        ] {
            assert_eq!(
                When::Has("zone")
                    .holds(RawState::Json(json.as_bytes()), true)
                    .unwrap(),
                has,
                "{json}"
            );
        }
        assert!(
            When::Has("zone")
                .holds(RawState::Json(br#"{"zone":"#), false)
                .is_err()
        );
        assert!(!When::Has("zone").holds(RawState::Empty, false).unwrap());
        assert!(
            When::Is(|raw| raw.json().is_none())
                .holds(RawState::Empty, false)
                .unwrap()
        );
        for (key, has) in [
            ("zone", true),
            ("zone.#", true),
            ("zones", false),
            ("a.zone", false),
        ] {
            let map = BTreeMap::from([(key.to_owned(), "0".to_owned())]);
            assert_eq!(
                When::Has("zone")
                    .holds(RawState::Flatmap(&map), false)
                    .unwrap(),
                has,
                "{key}"
            );
        }
    }
}
