//! Plans as types of their own, for models that say `plan`: the fields of a model as far as they
//! are known before a change is applied.
//!
//! The derive makes a struct `ThingPlan` beside `Thing`. What the provider says is [`Computed`] in
//! it, so that nobody can take what is not known for a value, and nobody can forget to say it:
//! `Thing` cannot be made without. A provider decodes the model with something in each place that
//! is not known, which works for every field whatever its stored form is, and [`HasPlan`] takes
//! that out again.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;

use crate::value::Value;
use crate::value::set::has_unknown;

/// A value that the provider says, as a plan has it: known already, or not before the change is
/// applied.
///
/// ```
/// use upstate::Computed;
///
/// let made = |id: Computed<String>| id.unwrap_or_else(|| "new-1".to_owned());
/// assert_eq!(made(Computed::Unknown), "new-1");
/// assert_eq!(made(Computed::Known("kept".to_owned())), "kept");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Computed<T> {
    /// The provider has to say the value when it applies the change.
    Unknown,
    /// The plan shows this value, so it has to stay.
    Known(T),
}

impl<T> Computed<T> {
    /// The value, if it is known.
    pub fn known(self) -> Option<T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Unknown => None,
        }
    }

    /// The value by reference.
    pub const fn as_ref(&self) -> Computed<&T> {
        match self {
            Self::Known(value) => Computed::Known(value),
            Self::Unknown => Computed::Unknown,
        }
    }

    /// True if the value is known.
    pub const fn is_known(&self) -> bool {
        matches!(self, Self::Known(_))
    }

    /// The known value, or another one.
    pub fn unwrap_or(self, other: T) -> T {
        self.known().unwrap_or(other)
    }

    /// The known value, or the result of the function.
    pub fn unwrap_or_else(self, make: impl FnOnce() -> T) -> T {
        self.known().unwrap_or_else(make)
    }

    /// The result of the function for a known value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Computed<U> {
        match self {
            Self::Known(value) => Computed::Known(change(value)),
            Self::Unknown => Computed::Unknown,
        }
    }
}

/// The parts of a planned value that are not known.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub enum Unknowns<'v> {
    /// The places at which the planned value is unknown, at any depth.
    In(&'v Value),
    /// Everything that the provider says.
    All,
}

impl Unknowns<'_> {
    /// A value that the provider says.
    pub fn computed<T>(self, name: &str, value: T) -> Computed<T> {
        if self.has(name) {
            Computed::Unknown
        } else {
            Computed::Known(value)
        }
    }

    /// Objects in which the provider says something.
    pub fn inside<T: HasPlan>(self, name: &str, value: T) -> T::Plan {
        value.into_plan(self.member(name))
    }

    /// Objects that the provider says as a whole, or in which it says something.
    pub fn computed_inside<T: HasPlan>(self, name: &str, value: T) -> Computed<T::Plan> {
        match self.member(name) {
            Unknowns::All | Unknowns::In(Value::Unknown) => Computed::Unknown,
            inner @ Unknowns::In(_) => Computed::Known(value.into_plan(inner)),
        }
    }

    fn member(self, name: &str) -> Self {
        match self {
            Self::In(Value::Map(members)) => {
                members.get(name).map_or(Self::In(&Value::Null), Self::In)
            }
            Self::In(Value::Unknown) | Self::All => Self::All,
            Self::In(_) => Self::In(&Value::Null),
        }
    }

    fn has(self, name: &str) -> bool {
        match self.member(name) {
            Self::In(value) => has_unknown(value),
            Self::All => true,
        }
    }
}

/// A struct whose plan is a type of its own, and collections of it.
///
/// This trait is sealed: only the derive implements it, for what says
/// `plan`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no plan",
    label = "not a struct that says `plan`, nor an `Option`, `Vec` or map of one",
    note = "add `plan` to its `#[object(…)]`; blocks and nested objects in a set are a `Vec` with `set`"
)]
pub trait HasPlan: Sized {
    /// The struct as far as it is known before a change is applied.
    type Plan;

    #[doc(hidden)]
    fn into_plan(self, unknowns: Unknowns<'_>) -> Self::Plan;
}

impl<T: HasPlan> HasPlan for Option<T> {
    type Plan = Option<T::Plan>;

    fn into_plan(self, unknowns: Unknowns<'_>) -> Self::Plan {
        self.map(|value| value.into_plan(unknowns))
    }
}

impl<T: HasPlan> HasPlan for Box<T> {
    type Plan = Box<T::Plan>;

    fn into_plan(self, unknowns: Unknowns<'_>) -> Self::Plan {
        Box::new((*self).into_plan(unknowns))
    }
}

impl<T: HasPlan> HasPlan for Vec<T> {
    type Plan = Vec<T::Plan>;

    fn into_plan(self, unknowns: Unknowns<'_>) -> Self::Plan {
        let planned = match unknowns {
            // Elements of a set that became equal are one, so that none has a place of its own any
            // more.
            Unknowns::In(Value::List(planned)) if planned.len() == self.len() => planned,
            Unknowns::In(_) | Unknowns::All => {
                return self
                    .into_iter()
                    .map(|value| value.into_plan(Unknowns::All))
                    .collect();
            }
        };
        self.into_iter()
            .zip(planned)
            .map(|(value, planned)| value.into_plan(Unknowns::In(planned)))
            .collect()
    }
}

impl<T: HasPlan> HasPlan for BTreeMap<String, T> {
    type Plan = BTreeMap<String, T::Plan>;

    fn into_plan(self, unknowns: Unknowns<'_>) -> Self::Plan {
        self.into_iter()
            .map(|(key, value)| {
                let plan = value.into_plan(unknowns.member(&key));
                (key, plan)
            })
            .collect()
    }
}

impl<T: HasPlan, S: BuildHasher + Default> HasPlan for HashMap<String, T, S> {
    type Plan = HashMap<String, T::Plan, S>;

    fn into_plan(self, unknowns: Unknowns<'_>) -> Self::Plan {
        self.into_iter()
            .map(|(key, value)| {
                let plan = value.into_plan(unknowns.member(&key));
                (key, plan)
            })
            .collect()
    }
}

/// The argument of `create` and `update`: a plan, which is the model itself unless that says
/// `plan`.
#[doc(hidden)]
pub trait PlanOf<M>: Sized {
    /// True if it is a type of its own.
    const IS_APART: bool;

    fn of(model: M, unknowns: Unknowns<'_>) -> Self;
}

impl<M> PlanOf<M> for M {
    const IS_APART: bool = false;

    fn of(model: M, _unknowns: Unknowns<'_>) -> Self {
        model
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Rule(&'static str);

    impl HasPlan for Rule {
        type Plan = Computed<&'static str>;

        fn into_plan(self, unknowns: Unknowns<'_>) -> Self::Plan {
            unknowns.computed("id", self.0)
        }
    }

    fn rule(id: Value) -> Value {
        [("id".to_owned(), id)].into_iter().collect()
    }

    #[test]
    fn elements_are_unknown_where_the_plan_is() {
        let planned = Value::List(vec![rule("a".into()), rule(Value::Unknown)]);
        let plan = |rules: Vec<Rule>, planned: &Value| rules.into_plan(Unknowns::In(planned));
        assert_eq!(
            plan(vec![Rule("a"), Rule("x")], &planned),
            [Computed::Known("a"), Computed::Unknown]
        );
        // Unknown, because two became one.
        assert_eq!(plan(vec![Rule("x")], &planned), [Computed::Unknown]);
        assert_eq!(plan(vec![Rule("x")], &Value::Unknown), [Computed::Unknown]);
        let planned: Value = [
            ("k".to_owned(), rule(Value::Unknown)),
            ("l".to_owned(), rule("l".into())),
        ]
        .into_iter()
        .collect();
        let rules = BTreeMap::from([("k".to_owned(), Rule("x")), ("l".to_owned(), Rule("l"))]);
        let plan: Vec<_> = rules
            .into_plan(Unknowns::In(&planned))
            .into_values()
            .collect();
        assert_eq!(plan, [Computed::Unknown, Computed::Known("l")]);
    }

    #[test]
    fn a_computed_collection_is_unknown_as_a_whole() {
        let planned =
            |rules: Value| -> Value { [("rules".to_owned(), rules)].into_iter().collect() };
        let plan =
            |planned: &Value| Unknowns::In(planned).computed_inside("rules", vec![Rule("x")]);
        assert_eq!(plan(&planned(Value::Unknown)), Computed::Unknown);
        assert_eq!(
            plan(&planned(Value::List(vec![rule(Value::Unknown)]))),
            Computed::Known(vec![Computed::Unknown])
        );
    }
}
