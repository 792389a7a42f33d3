//! The members of a document, found before its upgrade.

use std::ops::Range;

/// The members of a document's outermost object that its upgrade may look at, in the order of the
/// text: all but those of the document's format. No name has an escape.
#[derive(Clone)]
pub struct FoundMembers<'a> {
    /// The text that they are in.
    pub text: &'a str,
    /// The name of each, and the place of its value.
    pub all: Vec<(&'a str, Range<usize>)>,
}

__debug_parts! {
    /// Says how many there are, not what they are: names of members may be secrets.
    FoundMembers<'_> |self| {
        len: self.all.len(),
    }
}
