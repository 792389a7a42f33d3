//! What an option of an operator says.

/// `existing` of `rename`: what counts if the prior model has the target too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    /// Nothing was said.
    Unsaid,
    Keep,
    Replace,
    Refuse,
}

/// `empty` of `convert`: what empty text becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EmptyText {
    /// Nothing was said.
    Unsaid,
    Null,
    Zero,
    Refuse,
}

/// A conversion of `convert` that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conversion {
    Length,
    Seconds,
    Milliseconds,
    Trimmed,
}

impl Conversion {
    /// How each is written.
    pub(crate) const WORDS: [(&'static str, Self); 4] =
        [("length", Self::Length), ("milliseconds", Self::Milliseconds), ("seconds", Self::Seconds), ("trimmed", Self::Trimmed)];

    /// All of them, for a sentence.
    pub(crate) fn listed() -> String {
        Self::WORDS.map(|(word, _)| format!("`{word}`")).join(", ")
    }
}

/// `many` of `unwrap`: what becomes of more than one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Many {
    Refuse,
    First,
}

/// `empty` of `unwrap`: what no element becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoElement {
    Null,
    Object,
    Refuse,
}

/// How the letters of a part are written: `{name}`, `{name:lower}`, `{name:upper}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Letters {
    AsIs,
    Lower,
    Upper,
}
