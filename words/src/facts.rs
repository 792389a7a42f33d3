//! The subjects of declared facts.

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
