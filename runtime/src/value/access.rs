//! Looking into a value: by what it is, and by path.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use super::{Number, Value};
use crate::path::{AttributePath, PathStep};

/// The error for a path that a value does not have: how far the path goes, and the kind of value
/// there. Holds no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceError {
    path: AttributePath,
    problem: String,
}

impl PlaceError {
    /// As far as the path goes.
    pub fn path(&self) -> &AttributePath {
        &self.path
    }
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.problem)
    }
}

impl Error for PlaceError {}

impl Value {
    /// The bool, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(bool) = self {
            Some(*bool)
        } else {
            None
        }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<&Number> {
        if let Self::Number(number) = self {
            Some(number)
        } else {
            None
        }
    }

    /// The text, if it is a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self {
            Some(text)
        } else {
            None
        }
    }

    /// The elements, if it is a list, set or tuple.
    pub fn as_list(&self) -> Option<&[Value]> {
        if let Self::List(elements) = self {
            Some(elements)
        } else {
            None
        }
    }

    /// The elements, if it is a list, set or tuple.
    pub fn as_list_mut(&mut self) -> Option<&mut Vec<Value>> {
        if let Self::List(elements) = self {
            Some(elements)
        } else {
            None
        }
    }

    /// The members, if it is a map or object.
    pub fn as_map(&self) -> Option<&BTreeMap<String, Value>> {
        if let Self::Map(members) = self {
            Some(members)
        } else {
            None
        }
    }

    /// The members, if it is a map or object.
    pub fn as_map_mut(&mut self) -> Option<&mut BTreeMap<String, Value>> {
        if let Self::Map(members) = self {
            Some(members)
        } else {
            None
        }
    }

    /// True if this value is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The value at `path`. Elements of a set, and the inside of a dynamic value, have no path.
    ///
    /// ```
    /// use upstate::{AttributePath, Value};
    ///
    /// let value = Value::from_untyped_json(br#"{"racks": [{"fans": 2}, {"fans": 3}]}"#)?;
    /// let fans = AttributePath::new().attribute("racks").index(1).attribute("fans");
    /// assert_eq!(value.get(&fans), Some(&Value::from(3)));
    /// assert_eq!(value.get(&fans.attribute("speed")), None);
    /// # Ok::<(), upstate::DecodeError>(())
    /// ```
    pub fn get(&self, path: &AttributePath) -> Option<&Value> {
        path.steps()
            .iter()
            .try_fold(self, |value, step| match (value, step) {
                (Self::Map(members), PathStep::Attribute(name)) => members.get(name.as_ref()),
                (Self::Map(members), PathStep::Key(key)) => members.get(key),
                (Self::List(elements), PathStep::Index(index)) => {
                    elements.get(usize::try_from(*index).ok()?)
                }
                _ => None,
            })
    }

    /// Puts a value at `path`, in place of the one that is there or as a new member of a map or
    /// object.
    ///
    /// ```
    /// use upstate::{AttributePath, Value};
    ///
    /// let mut value = Value::from_untyped_json(br#"{"racks": [{"fans": 2}]}"#)?;
    /// let rack = |index| AttributePath::new().attribute("racks").index(index);
    /// value.set(&rack(0).attribute("name"), "top")?;
    /// assert_eq!(value.to_string(), r#"{"racks":[{"fans":2,"name":"top"}]}"#);
    ///
    /// let error = value.set(&rack(1), 7).unwrap_err();
    /// assert_eq!(error.to_string(), "racks: the list has 1 element, so there is none at 1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The path leads through something that is not there, or that has no such members. The value
    /// is as it was then.
    pub fn set(&mut self, path: &AttributePath, new: impl Into<Value>) -> Result<(), PlaceError> {
        let mut value = self;
        for (depth, step) in path.steps().iter().enumerate() {
            let refuse = |depth: usize, problem: String| {
                Err(PlaceError {
                    path: path.clone().truncated(depth),
                    problem,
                })
            };
            let is_last = depth + 1 == path.steps().len();
            value = match (value, step) {
                (Self::Map(members), PathStep::Attribute(_) | PathStep::Key(_)) => {
                    let name = match step {
                        PathStep::Attribute(name) => name.as_ref(),
                        PathStep::Key(key) => key,
                        PathStep::Index(_) | PathStep::Element(_) => "",
                    };
                    if is_last {
                        members.insert(name.to_owned(), new.into());
                        return Ok(());
                    }
                    match members.get_mut(name) {
                        Some(member) => member,
                        None => return refuse(depth + 1, "there is no such member".to_owned()),
                    }
                }
                (Self::List(elements), PathStep::Index(index)) => {
                    let len = elements.len();
                    let Some(element) = usize::try_from(*index)
                        .ok()
                        .and_then(|index| elements.get_mut(index))
                    else {
                        let noun = if len == 1 { "element" } else { "elements" };
                        return refuse(
                            depth,
                            format!("the list has {len} {noun}, so there is none at {index}"),
                        );
                    };
                    element
                }
                (found, PathStep::Attribute(_) | PathStep::Key(_)) => {
                    return refuse(
                        depth,
                        format!("expected an object or map, found {}", found.noun()),
                    );
                }
                (found, PathStep::Index(_)) => {
                    return refuse(depth, format!("expected a list, found {}", found.noun()));
                }
                (_, PathStep::Element(_)) => {
                    return refuse(
                        depth,
                        "an element of a set has no place of its own".to_owned(),
                    );
                }
            };
        }
        *value = new.into();
        Ok(())
    }

    pub(crate) fn noun(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Unknown => "an unknown value",
            Self::Bool(_) => "a bool",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "an object or map",
            Self::Dynamic(_) => "a dynamic value",
        }
    }
}
