//! Which values of an attribute's type a configuration may give it.

use std::fmt;

use super::facts::add;
use super::{Attribute, Fact, Shared};
use crate::diagnostics::Diagnostics;

/// What a configured value has to be, beyond what its type says. State that is stored already is not looked at.
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
    /// How many characters a string has, or how many elements a list, set or map.
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
    /// The regular expression that a string matches, somewhere in it unless the expression says `^` and `$`.
    Pattern(Shared<str>),
    /// The values that it may be, each as JSON.
    OneOf(Shared<[Shared<str>]>),
    /// Whatever a function says.
    Function {
        /// What it is called where checks are compared.
        name: Shared<str>,
        /// Takes the value as JSON, which is never null.
        check: fn(&str) -> Result<(), Diagnostics>,
    },
}

/// Functions are the same if their names are.
impl PartialEq for Check {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Length { min, max }, Self::Length { min: other_min, max: other_max }) => (min, max) == (other_min, other_max),
            (Self::Range { min, max }, Self::Range { min: other_min, max: other_max }) => (min, max) == (other_min, other_max),
            (Self::Pattern(one), Self::Pattern(other)) => one == other,
            (Self::OneOf(one), Self::OneOf(other)) => one == other,
            (Self::Function { name, .. }, Self::Function { name: other, .. }) => name == other,
            (Self::Length { .. } | Self::Range { .. } | Self::Pattern(_) | Self::OneOf(_) | Self::Function { .. }, _) => false,
        }
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { min, max } => f.debug_struct("Length").field("min", min).field("max", max).finish(),
            Self::Range { min, max } => f.debug_struct("Range").field("min", min).field("max", max).finish(),
            Self::Pattern(pattern) => f.debug_tuple("Pattern").field(pattern).finish(),
            Self::OneOf(values) => f.debug_tuple("OneOf").field(values).finish(),
            Self::Function { name, .. } => f.debug_tuple("Function").field(name).finish(),
        }
    }
}

impl Fact {
    #[doc(hidden)]
    #[must_use]
    pub const fn length(min: u64, max: u64) -> Self {
        Self::Check(Check::Length { min, max })
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn range(min: Option<&'static str>, max: Option<&'static str>) -> Self {
        const fn shared(text: Option<&'static str>) -> Option<Shared<str>> {
            match text {
                Some(text) => Some(Shared::Static(text)),
                None => None,
            }
        }
        Self::Check(Check::Range { min: shared(min), max: shared(max) })
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn pattern(pattern: &'static str) -> Self {
        Self::Check(Check::Pattern(Shared::Static(pattern)))
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn one_of(values: &'static [Shared<str>]) -> Self {
        Self::Check(Check::OneOf(Shared::Static(values)))
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn function(name: &'static str, check: fn(&str) -> Result<(), Diagnostics>) -> Self {
        Self::Check(Check::Function { name: Shared::Static(name), check })
    }
}

impl Attribute {
    /// Adds a check: a configuration may only give values that pass it, and all others.
    #[must_use]
    pub fn checked(mut self, check: Check) -> Self {
        add(&mut self.facts, [Fact::Check(check)]);
        self
    }

    /// What a configured value has to be, beyond what the type says.
    pub fn checks(&self) -> impl Iterator<Item = &Check> {
        self.facts().iter().filter_map(|fact| match fact {
            Fact::Check(check) => Some(check),
            Fact::Said(..) | Fact::ApiDefault(_) | Fact::Group(..) | Fact::Behaviour { .. } | Fact::Allowed { .. } => None,
        })
    }
}
