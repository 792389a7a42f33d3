//! Values that a test expects.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use regex_lite::Regex;
use serde_json::Value;

/// A function that judges a value.
type Judge = Rc<dyn Fn(&Value) -> Result<(), String>>;

/// The value that a test expects of an attribute or an output. Strings, numbers, bools and JSON are
/// expected as they are.
///
/// ```
/// use serde_json::json;
/// use upstate_provider::testing::{Known, Step};
///
/// let step = Step::apply("…")
///     .has("example_boat.it", "name", "Ada")
///     .has("example_boat.it", "id", Known::matching("^boat-[0-9]+$"))
///     .has("example_boat.it", "crew", Known::with(json!({"captain": "Bea"})))
///     .has("example_boat.it", "ports", Known::in_any_order(json!(["Oslo", "Kiel"])));
/// # let _ = step;
/// ```
#[derive(Clone)]
pub struct Known(Expected);

#[derive(Clone)]
enum Expected {
    Exactly(Value),
    Matching(Regex),
    Set,
    With(Value),
    Size(usize),
    AnyOrder(Value),
    Holding(Value),
    Judged(Judge),
}

impl Known {
    /// A string, or a number or bool as one, in which the regular expression finds something.
    ///
    /// # Panics
    /// `pattern` is not a regular expression, as the crate `regex-lite` reads it.
    #[track_caller]
    pub fn matching(pattern: &str) -> Self {
        match Regex::new(pattern) {
            Ok(regex) => Self(Expected::Matching(regex)),
            Err(error) => super::fail(&format!("{pattern:?} is not a regular expression: {error}")),
        }
    }

    /// Any value but null.
    pub fn set() -> Self {
        Self(Expected::Set)
    }

    /// Null.
    pub fn null() -> Self {
        Self(Expected::Exactly(Value::Null))
    }

    /// An object or map with these members, at any depth, and perhaps others.
    pub fn with(members: impl Into<Value>) -> Self {
        Self(Expected::With(members.into()))
    }

    /// A list, set or map of this many elements.
    pub fn of_size(size: usize) -> Self {
        Self(Expected::Size(size))
    }

    /// A list of these elements, in any order: what a set has.
    pub fn in_any_order(elements: impl Into<Value>) -> Self {
        Self(Expected::AnyOrder(elements.into()))
    }

    /// A list or set that has each of these elements, and perhaps others. Of an element that is an
    /// object, these members are looked at.
    pub fn holding(elements: impl Into<Value>) -> Self {
        Self(Expected::Holding(elements.into()))
    }

    /// A value that a function accepts.
    pub fn judged_by(judge: impl Fn(&Value) -> Result<(), String> + 'static) -> Self {
        Self(Expected::Judged(Rc::new(judge)))
    }

    /// Compares a value with what is expected; `None` is one that does not exist. A hidden value is
    /// not shown.
    pub(super) fn check(&self, found: Option<&Value>, hidden: bool) -> Result<(), String> {
        let fits = match (&self.0, found) {
            (Expected::Exactly(expected), found) => found == Some(expected),
            (Expected::Set, found) => found.is_some_and(|found| !found.is_null()),
            (_, None) => false,
            (Expected::Matching(regex), Some(found)) => match found {
                Value::String(text) => regex.is_match(text),
                Value::Number(_) | Value::Bool(_) => regex.is_match(&found.to_string()),
                Value::Null | Value::Array(_) | Value::Object(_) => false,
            },
            (Expected::With(expected), Some(found)) => has_members(found, expected),
            (Expected::Size(size), Some(found)) => {
                found
                    .as_array()
                    .map(Vec::len)
                    .or_else(|| found.as_object().map(serde_json::Map::len))
                    == Some(*size)
            }
            (Expected::AnyOrder(expected), Some(found)) => is_in_any_order(found, expected),
            (Expected::Holding(expected), Some(found)) => holds(found, expected),
            (Expected::Judged(judge), Some(found)) => {
                return match judge(found) {
                    Err(_) if hidden => Err("the value, which is sensitive, is refused".to_owned()),
                    judged => judged,
                };
            }
        };
        if fits {
            return Ok(());
        }
        let found = match found {
            Some(_) if hidden => "another value, which is sensitive".to_owned(),
            Some(found) => found.to_string(),
            None => "no such attribute".to_owned(),
        };
        let expected = if hidden {
            "the given value".to_owned()
        } else {
            self.to_string()
        };
        Err(format!("expected {expected}, found {found}"))
    }
}

fn has_members(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            expected.iter().all(|(name, expected)| {
                found
                    .get(name)
                    .is_some_and(|found| has_members(found, expected))
            })
        }
        (found, expected) => found == expected,
    }
}

fn holds(found: &Value, expected: &Value) -> bool {
    let (Value::Array(found), Value::Array(expected)) = (found, expected) else {
        return false;
    };
    expected
        .iter()
        .all(|expected| found.iter().any(|found| has_members(found, expected)))
}

fn is_in_any_order(found: &Value, expected: &Value) -> bool {
    let (Value::Array(found), Value::Array(expected)) = (found, expected) else {
        return false;
    };
    let mut left: Vec<&Value> = found.iter().collect();
    let mut take = |expected: &Value| {
        left.iter()
            .position(|found| *found == expected)
            .map(|found| left.swap_remove(found))
    };
    expected.iter().all(|expected| take(expected).is_some()) && left.is_empty()
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Expected::Exactly(value) => write!(f, "{value}"),
            Expected::Matching(regex) => write!(f, "what matches {:?}", regex.as_str()),
            Expected::Set => f.write_str("a value"),
            Expected::With(members) => write!(f, "an object with {members}"),
            Expected::Size(size) => write!(f, "{size} elements"),
            Expected::AnyOrder(elements) => write!(f, "{elements} in any order"),
            Expected::Holding(elements) => write!(f, "a list with {elements}"),
            Expected::Judged(_) => f.write_str("what the test's function accepts"),
        }
    }
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Known({self})")
    }
}

macro_rules! exactly {
    ($($ty:ty)*) => {$(
        impl From<$ty> for Known {
            fn from(value: $ty) -> Self {
                Self(Expected::Exactly(value.into()))
            }
        }
    )*};
}

exactly!(Value &str String bool i32 i64 u8 u32 u64 usize f64 Vec<&str> Vec<String>);

/// A comparison of the values that an attribute has in several steps.
///
/// ```
/// use upstate_provider::testing::{Comparison, Step};
///
/// let ids = Comparison::same();
/// let first = Step::apply("…").compares("example_boat.it", "id", &ids);
/// // The boat is renamed, and stays the same boat.
/// let second = Step::apply("…").compares("example_boat.it", "id", &ids);
/// # let _ = (first, second);
/// ```
#[derive(Debug, Clone)]
pub struct Comparison {
    same: bool,
    last: Rc<RefCell<Option<Value>>>,
}

impl Comparison {
    /// Each value is the one before it.
    pub fn same() -> Self {
        Self {
            same: true,
            last: Rc::default(),
        }
    }

    /// Each value is another than the one before it.
    pub fn different() -> Self {
        Self {
            same: false,
            last: Rc::default(),
        }
    }

    /// Compares a value with the one before it, if there is one. Neither is shown: they may be
    /// sensitive.
    pub(super) fn check(&self, found: &Value) -> Result<(), String> {
        let before = self.last.replace(Some(found.clone()));
        match before {
            Some(before) if self.same && before != *found => {
                Err("it has another value than before".to_owned())
            }
            Some(before) if !self.same && before == *found => {
                Err("it has the value that it had before".to_owned())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(known: impl Into<Known>, found: &Value) -> String {
        known
            .into()
            .check(Some(found), false)
            .err()
            .unwrap_or_default()
    }

    #[test]
    fn each_kind_of_expectation_is_compared() {
        assert_eq!(judged(3, &json!(3)), "");
        assert_eq!(judged("a", &json!("b")), "expected \"a\", found \"b\"");
        assert_eq!(judged(Known::matching("^a[0-9]$"), &json!("a7")), "");
        assert_eq!(
            judged(Known::matching("^a[0-9]$"), &json!("b7")),
            "expected what matches \"^a[0-9]$\", found \"b7\""
        );
        assert_eq!(judged(Known::matching("^7$"), &json!(7)), "");
        assert_eq!(
            judged(Known::set(), &Value::Null),
            "expected a value, found null"
        );
        assert_eq!(judged(Known::null(), &Value::Null), "");
        let found = json!({"a": {"b": 1, "c": 2}, "d": 3});
        assert_eq!(judged(Known::with(json!({"a": {"b": 1}})), &found), "");
        assert_ne!(judged(Known::with(json!({"a": {"b": 2}})), &found), "");
        assert_ne!(judged(Known::with(json!({"x": null})), &found), "");
        assert_eq!(judged(Known::of_size(2), &found), "");
        assert_eq!(
            judged(Known::of_size(2), &json!([1])),
            "expected 2 elements, found [1]"
        );
        assert_eq!(
            judged(Known::in_any_order(json!([1, 2, 2])), &json!([2, 1, 2])),
            ""
        );
        assert_ne!(
            judged(Known::in_any_order(json!([1, 2])), &json!([2, 1, 2])),
            ""
        );
        assert_ne!(
            judged(Known::in_any_order(json!([1, 2, 2])), &json!([2, 1])),
            ""
        );
        let crew = json!([{"name": "Ada", "age": 36}, {"name": "Bea", "age": 40}]);
        assert_eq!(judged(Known::holding(json!([{"name": "Bea"}])), &crew), "");
        assert_eq!(
            judged(Known::holding(json!(["b", "a"])), &json!(["a", "b", "c"])),
            ""
        );
        assert_eq!(
            judged(Known::holding(json!(["d"])), &json!(["a"])),
            "expected a list with [\"d\"], found [\"a\"]"
        );
        assert_ne!(
            judged(Known::holding(json!([{"name": "Bea", "age": 36}])), &crew),
            ""
        );
        assert_ne!(judged(Known::holding(json!([])), &json!({})), "");
        assert_eq!(
            judged(Known::judged_by(|_| Err("no".to_owned())), &json!(1)),
            "no"
        );
    }

    #[test]
    fn what_is_sensitive_is_not_shown() {
        let hidden = |known: Known| known.check(Some(&json!("sesame")), true).unwrap_err();
        assert_eq!(
            hidden("mellon".into()),
            "expected the given value, found another value, which is sensitive"
        );
        let judged = Known::judged_by(|value| Err(format!("{value} is bad")));
        assert_eq!(hidden(judged), "the value, which is sensitive, is refused");
    }

    #[test]
    fn values_of_several_steps_are_compared() {
        let (same, different) = (Comparison::same(), Comparison::different());
        assert!(
            same.check(&json!(1)).is_ok()
                && same.check(&json!(1)).is_ok()
                && same.check(&json!(2)).is_err()
        );
        assert!(
            different.check(&json!(1)).is_ok()
                && different.check(&json!(2)).is_ok()
                && different.check(&json!(2)).is_err()
        );
    }
}
