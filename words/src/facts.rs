//! The subjects of declared facts, and the kinds of constraints.

/// The subject of a fact that is a word or sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// The name that it had before.
    RenamedFrom,
    /// The attribute or type that takes its place.
    ReplacedBy,
    /// The reason why nothing takes its place.
    NoReplacement,
    /// The release that deprecated it.
    DeprecatedSince,
    /// The release that will remove it.
    RemoveIn,
    /// The form of its values.
    Format,
    /// Another form that configuration may use.
    Accepts,
    /// The form of the id, which says how it is made.
    IdFormat,
    /// A form of id that can be imported.
    ImportFormat,
    /// The source that it is read from.
    Read,
    /// The tier, which says how stable it is.
    Tier,
    /// The effect of destroying it.
    Destroy,
    /// The Rust type that reads its strings: two that it reads as the same are the same.
    ReadAs,
    /// True of a value that is a number or a string in Kubernetes; nothing more is said.
    IntOrString,
    /// True of a value that may be null in Kubernetes; nothing more is said.
    Nullable,
    /// The `x-kubernetes-list-type`.
    ListType,
    /// One of the `x-kubernetes-list-map-keys`.
    ListMapKey,
    /// The `x-kubernetes-map-type`.
    MapType,
    /// A rule of Kubernetes' CEL.
    Rule,
    /// The message of the rule before it.
    RuleMessage,
}

/// The kind of a constraint between attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupKind {
    /// At most one of them is set.
    ConflictsWith,
    /// One of them is set, no more.
    ExactlyOneOf,
    /// One of them or more are set.
    AtLeastOneOf,
    /// If one is set, all are.
    RequiredWith,
    /// The first is a whole number, and at least the sum of the others.
    AtLeastSumOf,
    /// The first is a whole number, and at most the sum of the others.
    AtMostSumOf,
    /// The first is a whole number, and the sum of the others.
    EqualToSumOf,
}

impl GroupKind {
    /// Its name in schemas, and as its author writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ConflictsWith => "conflicts_with",
            Self::ExactlyOneOf => "exactly_one_of",
            Self::AtLeastOneOf => "at_least_one_of",
            Self::RequiredWith => "required_with",
            Self::AtLeastSumOf => "at_least_sum_of",
            Self::AtMostSumOf => "at_most_sum_of",
            Self::EqualToSumOf => "equal_to_sum_of",
        }
    }

    /// True if it compares the first with the sum of the others, so that the first is not one of
    /// many.
    pub const fn is_sum(self) -> bool {
        match self {
            Self::AtLeastSumOf | Self::AtMostSumOf | Self::EqualToSumOf => true,
            Self::ConflictsWith | Self::ExactlyOneOf | Self::AtLeastOneOf | Self::RequiredWith => {
                false
            }
        }
    }
}
