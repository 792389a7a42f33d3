//! Stored values that the state does not have as they were stored.

use crate::AttributePath;
use crate::diagnostics::DiagnosticCode;

/// The number of places that are named; more of one state are counted, so that they do not fill the
/// memory.
pub(super) const MOST_NAMED: usize = 10_000;

/// The places of numbers and dates that were kept with fewer digits or parts, and of maps with a
/// key that was stored more than once.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Losses {
    /// Keys of maps may be secrets, so that none of the paths is for a message.
    places: Vec<(DiagnosticCode, AttributePath)>,
    /// The number of further ones.
    unnamed: usize,
}

__debug_parts! {
    /// Says how many there are, because their paths may be secrets.
    Losses |self| {
        count: self.count(),
    }
}

impl Losses {
    /// The whole paths, each with the code of its warning.
    pub fn places(&self) -> &[(DiagnosticCode, AttributePath)] {
        &self.places
    }

    /// The number of all, also of those that have no place here.
    pub fn count(&self) -> usize {
        self.places.len() + self.unnamed
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Adds this many, of which these places are known.
    pub(super) fn push(&mut self, code: DiagnosticCode, places: Vec<AttributePath>, count: usize) {
        let before = self.places.len();
        let room = MOST_NAMED.saturating_sub(before);
        self.places
            .extend(places.into_iter().take(room).map(|path| (code, path)));
        self.unnamed += count.saturating_sub(self.places.len() - before);
    }

    /// Forgets those that came after.
    pub(super) fn truncate(&mut self, (named, unnamed): (usize, usize)) {
        self.places.truncate(named);
        self.unnamed = self.unnamed.min(unnamed);
    }

    /// The numbers of those that are named and of the others at one time, to go back to.
    pub(super) fn length(&self) -> (usize, usize) {
        (self.places.len(), self.unnamed)
    }
}
