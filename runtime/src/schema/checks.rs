//! The values of an attribute's type that a configuration may give it.

use std::fmt;

use super::facts::add;
use super::{Attribute, Fact, NestedBlock, Shared};
use crate::diagnostics::Diagnostics;

/// A rule for a configured value, beyond what its type says. State that is stored already is not
/// looked at.
///
/// ```
/// use upstate::Resource;
/// use upstate::schema::Check;
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_berth")]
/// struct Berth {
///     #[attribute(length = 1..=20, pattern = "^[a-z]+$")]
///     name: String,
/// }
///
/// let checks: Vec<&Check> = Berth::schema().block().attributes()[0].checks().collect();
/// assert!(matches!(checks[0], Check::Length { min: 1, max: 20 }));
/// ```
#[derive(Clone)]
pub enum Check {
    /// The number of characters that a string has, or of elements that a list, set or map has.
    Length {
        /// At least.
        min: u64,
        /// At most; [`u64::MAX`] means no limit.
        max: u64,
    },
    /// The least and the greatest number, both of them allowed; as decimal strings.
    Range {
        /// At least, if there is a limit.
        min: Option<Shared<str>>,
        /// At most, if there is a limit.
        max: Option<Shared<str>>,
    },
    /// The number of bytes that a string has in UTF-8.
    Bytes {
        /// At least.
        min: u64,
        /// At most; [`u64::MAX`] means no limit.
        max: u64,
    },
    /// The regular expression that a string matches, somewhere in it unless the expression says `^`
    /// and `$`.
    Pattern {
        /// The expression.
        pattern: Shared<str>,
        /// The sentence that users read in place of the expression, if the author wrote one.
        message: Option<Shared<str>>,
    },
    /// The values that it may be, each as JSON.
    OneOf(Shared<[Shared<str>]>),
    /// The values that it may not be, each as JSON.
    NoneOf(Shared<[Shared<str>]>),
    /// Checks of each element of a list, set or map.
    Each(Shared<[Check]>),
    /// Checks of each key of a map.
    Keys(Shared<[Check]>),
    /// A function that accepts or refuses the value.
    Function {
        /// The name of the function where checks are compared.
        name: Shared<str>,
        /// Takes the value as JSON, which is never null.
        check: fn(&str) -> Result<(), Diagnostics>,
    },
}

/// Functions are the same if their names are.
impl PartialEq for Check {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Length { min, max },
                Self::Length {
                    min: other_min,
                    max: other_max,
                },
            )
            | (
                Self::Bytes { min, max },
                Self::Bytes {
                    min: other_min,
                    max: other_max,
                },
            ) => (min, max) == (other_min, other_max),
            (
                Self::Range { min, max },
                Self::Range {
                    min: other_min,
                    max: other_max,
                },
            ) => (min, max) == (other_min, other_max),
            (
                Self::Pattern { pattern, message },
                Self::Pattern {
                    pattern: other,
                    message: other_message,
                },
            ) => (pattern, message) == (other, other_message),
            (Self::OneOf(one), Self::OneOf(other)) | (Self::NoneOf(one), Self::NoneOf(other)) => {
                one == other
            }
            (Self::Each(one), Self::Each(other)) | (Self::Keys(one), Self::Keys(other)) => {
                **one == **other
            }
            (Self::Function { name, .. }, Self::Function { name: other, .. }) => name == other,
            (
                Self::Length { .. }
                | Self::Bytes { .. }
                | Self::Range { .. }
                | Self::Pattern { .. }
                | Self::OneOf(_)
                | Self::NoneOf(_)
                | Self::Each(_)
                | Self::Keys(_)
                | Self::Function { .. },
                _,
            ) => false,
        }
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { min, max } => f
                .debug_struct("Length")
                .field("min", min)
                .field("max", max)
                .finish(),
            Self::Range { min, max } => f
                .debug_struct("Range")
                .field("min", min)
                .field("max", max)
                .finish(),
            Self::Bytes { min, max } => f
                .debug_struct("Bytes")
                .field("min", min)
                .field("max", max)
                .finish(),
            Self::Pattern { pattern, message } => f
                .debug_struct("Pattern")
                .field("pattern", pattern)
                .field("message", message)
                .finish(),
            Self::OneOf(values) => f.debug_tuple("OneOf").field(values).finish(),
            Self::NoneOf(values) => f.debug_tuple("NoneOf").field(values).finish(),
            Self::Each(checks) => f.debug_tuple("Each").field(checks).finish(),
            Self::Keys(checks) => f.debug_tuple("Keys").field(checks).finish(),
            Self::Function { name, .. } => f.debug_tuple("Function").field(name).finish(),
        }
    }
}

impl Check {
    #[doc(hidden)]
    #[must_use]
    pub const fn length(min: u64, max: u64) -> Self {
        Self::Length { min, max }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn bytes(min: u64, max: u64) -> Self {
        Self::Bytes { min, max }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn range(min: Option<&'static str>, max: Option<&'static str>) -> Self {
        Self::Range {
            min: shared(min),
            max: shared(max),
        }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn pattern(pattern: &'static str, message: Option<&'static str>) -> Self {
        Self::Pattern {
            pattern: Shared::Static(pattern),
            message: shared(message),
        }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn one_of(values: &'static [Shared<str>]) -> Self {
        Self::OneOf(Shared::Static(values))
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn none_of(values: &'static [Shared<str>]) -> Self {
        Self::NoneOf(Shared::Static(values))
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn each(checks: &'static [Self]) -> Self {
        Self::Each(Shared::Static(checks))
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn keys(checks: &'static [Self]) -> Self {
        Self::Keys(Shared::Static(checks))
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn function(name: &'static str, check: fn(&str) -> Result<(), Diagnostics>) -> Self {
        Self::Function {
            name: Shared::Static(name),
            check,
        }
    }
}

const fn shared(text: Option<&'static str>) -> Option<Shared<str>> {
    match text {
        Some(text) => Some(Shared::Static(text)),
        None => None,
    }
}

impl NestedBlock {
    /// The checks that configured blocks have to pass, beyond what is in each and how many there
    /// are.
    pub fn checks(&self) -> impl Iterator<Item = &Check> {
        self.block.facts().iter().filter_map(Fact::check)
    }
}

impl Attribute {
    /// Adds a check: a configuration may only give values that pass it, and all others.
    #[must_use]
    pub fn checked(mut self, check: Check) -> Self {
        add(&mut self.facts, [Fact::Check(check)]);
        self
    }

    /// The checks that a configured value has to pass, beyond what the type says.
    pub fn checks(&self) -> impl Iterator<Item = &Check> {
        self.facts().iter().filter_map(Fact::check)
    }

    /// True if an author's function decides whether a change replaces the resource.
    pub fn decides_replacement(&self) -> bool {
        self.facts()
            .iter()
            .any(|fact| matches!(fact, Fact::ReplacesIf { .. }))
    }

    /// True if a change from one value to another replaces the resource, as the author's function
    /// for that says; `None` if there is none. Both are JSON.
    pub fn replaces_if(&self, prior: &str, planned: &str) -> Option<bool> {
        self.facts().iter().find_map(|fact| {
            let Fact::ReplacesIf { decide, .. } = fact else {
                return None;
            };
            Some(decide(prior, planned))
        })
    }
}
