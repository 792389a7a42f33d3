//! A value between two operators.

use super::form::Form;
use super::place::Place;
use super::scalar::Refusal;
use crate::diagnostics::Diagnostics;
use crate::value::Value;

/// A value on its way to a target.
pub(super) struct Transit<'s> {
    pub(super) value: Value,
    pub(super) form: Form<'s>,
    pub(super) place: Place,
}

impl Transit<'_> {
    /// The error that it is not a string.
    pub(super) fn not_text(&self) -> Diagnostics {
        Refusal::NotText.reported(&self.value, &self.place)
    }
}
