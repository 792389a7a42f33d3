//! What the derive asks about an operator, each question answered once, without a `_` arm. The runtime's table has rows of its own, with the
//! same answers: what is written here decides what the macro proves, what is written there what the program does.

use super::{Condition, Existing, FieldPath, Operation, Segment, Stage};

/// What becomes of the value that an operator meets at its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replaces {
    /// Another value takes its place, whatever it is.
    Always,
    /// It depends on the state which of the two counts.
    Sometimes,
    /// It is what the operator works on.
    Never,
}

impl Operation {
    pub(crate) fn replaces(&self) -> Replaces {
        match self {
            Self::Take { existing: Existing::Unsaid, .. }
            | Self::Copy { .. }
            | Self::Set(_)
            | Self::Compose(_)
            | Self::Extract { .. }
            | Self::Merge(_)
            | Self::Combine { .. } => Replaces::Always,
            Self::Take { existing: Existing::Keep | Existing::Replace | Existing::Refuse, .. } => Replaces::Sometimes,
            Self::Default { .. }
            | Self::NullIf(_)
            | Self::Convert { .. }
            | Self::Json
            | Self::Named(_)
            | Self::Function { .. }
            | Self::Values { .. }
            | Self::Reformat { .. }
            | Self::Split(_)
            | Self::Join(_)
            | Self::Entries
            | Self::Unwrap { .. }
            | Self::Wrap { .. }
            | Self::Enclose(_)
            | Self::Member(_)
            | Self::Rekey { .. }
            | Self::Filter(_)
            | Self::FilterKeys(_) => Replaces::Never,
        }
    }

    /// True if what it makes is right of an arrow, or in a string.
    pub(crate) fn has_arrow(&self) -> bool {
        match self {
            Self::Take { .. } | Self::Copy { .. } | Self::Extract { .. } | Self::Merge(_) | Self::Combine { .. } => true,
            Self::Set(_)
            | Self::Default { .. }
            | Self::NullIf(_)
            | Self::Convert { .. }
            | Self::Json
            | Self::Named(_)
            | Self::Function { .. }
            | Self::Values { .. }
            | Self::Reformat { .. }
            | Self::Compose(_)
            | Self::Split(_)
            | Self::Join(_)
            | Self::Entries
            | Self::Unwrap { .. }
            | Self::Wrap { .. }
            | Self::Enclose(_)
            | Self::Member(_)
            | Self::Rekey { .. }
            | Self::Filter(_)
            | Self::FilterKeys(_) => false,
        }
    }

    /// The prior fields that it names, but for those in strings.
    pub(crate) fn names(&self) -> Vec<&FieldPath> {
        let [named, _] = self.named_and_in_texts();
        named
    }

    /// The prior fields that it reads.
    pub(crate) fn reads(&self) -> Vec<&FieldPath> {
        self.named_and_in_texts().concat()
    }

    fn named_and_in_texts(&self) -> [Vec<&FieldPath>; 2] {
        match self {
            Self::Take { from, .. } | Self::Copy { from } | Self::Extract { from, .. } => [vec![from], Vec::new()],
            Self::Merge(from) | Self::Combine { from, .. } => [from.iter().collect(), Vec::new()],
            Self::Compose(template) => [Vec::new(), template.iter().filter_map(Segment::prior).collect()],
            Self::Reformat { forms, .. } => {
                [Vec::new(), forms.iter().flat_map(|(_, template)| template).filter_map(Segment::prior).collect()]
            }
            Self::Set(_)
            | Self::Default { .. }
            | Self::NullIf(_)
            | Self::Convert { .. }
            | Self::Json
            | Self::Named(_)
            | Self::Function { .. }
            | Self::Values { .. }
            | Self::Split(_)
            | Self::Join(_)
            | Self::Entries
            | Self::Unwrap { .. }
            | Self::Wrap { .. }
            | Self::Enclose(_)
            | Self::Member(_)
            | Self::Rekey { .. }
            | Self::Filter(_)
            | Self::FilterKeys(_) => [Vec::new(), Vec::new()],
        }
    }
}

/// True if what had the target's name before is not part of what is made.
pub(crate) fn starts_empty(stages: &[Stage]) -> bool {
    stages.first().is_some_and(|first| first.only_if.is_none() && first.operation.replaces() == Replaces::Always)
}

impl Segment {
    fn prior(&self) -> Option<&FieldPath> {
        match self {
            Self::Prior(path, _) => Some(path),
            Self::Text(_) | Self::Found(..) => None,
        }
    }
}

impl Condition {
    /// The prior fields that it asks about.
    pub(crate) fn reads(&self) -> Vec<&FieldPath> {
        match self {
            Self::Has(path) | Self::Lacks(path) | Self::Is(path, _) | Self::Fits(path, _) => vec![path],
            Self::Not(other) => other.reads(),
            Self::All(several) | Self::Any(several) => several.iter().flat_map(Self::reads).collect(),
        }
    }
}
