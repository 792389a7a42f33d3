//! The places at which the elements of a collection are stored that an operator has rearranged.
//!
//! Messages and what is said to be discarded name places of the stored state. Behind `rekey` an
//! element is at a key and is stored at an index; behind `wrap` it is at an index and is stored as
//! it is.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::path::PathStep;

/// For each element that is in a collection now, the step to where it is stored.
#[derive(Clone)]
pub(super) enum Elements {
    /// They are no elements where they are stored: a single value was wrapped, or a string taken
    /// apart.
    Inside,
    /// By index.
    Listed(Arc<[PathStep]>),
    /// By key; and the member of the stored element that it is, with whether that is sensitive.
    Keyed(
        Arc<BTreeMap<String, PathStep>>,
        Option<(&'static str, bool)>,
    ),
}

impl Elements {
    /// The step to where the element at `step` is stored, and the member of the stored element that
    /// it is, with whether that is sensitive.
    pub(super) fn stored(&self, step: PathStep) -> (PathStep, Option<(&'static str, bool)>) {
        match (self, &step) {
            (Self::Listed(steps), PathStep::Index(index)) => {
                let found = usize::try_from(*index)
                    .ok()
                    .and_then(|index| steps.get(index))
                    .cloned();
                (found.unwrap_or(step), None)
            }
            (Self::Keyed(steps, member), PathStep::Key(key)) => {
                (steps.get(key).cloned().unwrap_or(step), *member)
            }
            (Self::Inside | Self::Listed(_) | Self::Keyed(..), _) => (step, None),
        }
    }
}
