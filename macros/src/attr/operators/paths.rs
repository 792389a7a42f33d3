//! The fields that operators name, all of them: put below another field, or taken out of one.

use syn::Ident;

use super::{Condition, Entry, FieldPath};

/// Gets each path.
type Visit<'v> = dyn FnMut(&mut FieldPath) + 'v;

impl FieldPath {
    /// Makes it a path below another.
    pub(super) fn put_before(&mut self, prefix: &[Ident]) {
        let own = std::mem::replace(&mut self.0, prefix.to_vec());
        self.0.extend(own);
        if let Some(written) = &mut self.1 {
            written.depth += prefix.len();
        }
    }

    /// Makes it a path of what is inside of its first field.
    pub(crate) fn without_first(&mut self) {
        if !self.0.is_empty() {
            self.0.remove(0);
        }
        if let Some(written) = &mut self.1 {
            written.depth = written.depth.saturating_sub(1);
        }
    }
}

impl Condition {
    pub(crate) fn for_each(&mut self, visit: &mut Visit<'_>) {
        match self {
            Self::Has(path) | Self::Lacks(path) | Self::Is(path, _) | Self::Fits(path, _) => {
                visit(path);
            }
            Self::Not(other) => other.for_each(visit),
            Self::All(several) | Self::Any(several) => {
                for one in several {
                    one.for_each(visit);
                }
            }
        }
    }
}

impl Entry {
    /// The condition that it depends on.
    pub(crate) fn only_if(&self) -> Option<usize> {
        match self {
            Self::Stage(stage) => stage.only_if,
            Self::Notice { only_if, .. } => *only_if,
            Self::Drop { .. } | Self::Carry { .. } => None,
        }
    }

    pub(crate) fn depend_on(&mut self, condition: usize) {
        match self {
            Self::Stage(stage) => stage.only_if = Some(condition),
            Self::Notice { only_if, .. } => *only_if = Some(condition),
            Self::Drop { .. } | Self::Carry { .. } => {}
        }
    }

    /// All paths but those of conditions.
    pub(crate) fn for_each(&mut self, visit: &mut Visit<'_>) {
        let stage = match self {
            Self::Drop { path, .. } | Self::Carry { path, .. } => return visit(path),
            Self::Notice { at, .. } => return at.iter_mut().for_each(visit),
            Self::Stage(stage) => stage,
        };
        visit(&mut stage.target);
        stage.operation.for_each(visit);
    }
}
