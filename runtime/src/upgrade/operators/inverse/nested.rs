//! Nested objects on their way back, each undone once whatever is guessed around it.

use std::cell::RefCell;

use super::super::form::{Form, Member};
use super::super::place::Place;
use super::prior::carry_back;
use crate::diagnostics::Diagnostics;
use crate::upgrade::context::UpgradeContext;
use crate::value::Value;

type Result = std::result::Result<Value, Diagnostics>;

/// The prior values that were made of nested objects, for the next guess about the object around
/// them.
pub(super) struct Nested {
    /// Nothing if there is one guess.
    known: Option<RefCell<Vec<Known>>>,
}

/// The prior value, or the refusal, that a current value gave for a prior attribute.
struct Known {
    path: Vec<&'static str>,
    value: Value,
    made: Result,
}

impl Nested {
    pub(super) fn new(several_guesses: bool) -> Self {
        Self {
            known: several_guesses.then(RefCell::default),
        }
    }

    /// Brings a value to the form of the prior attribute at a path.
    pub(super) fn carry_back(
        &self,
        path: &[&'static str],
        value: Value,
        now: Form<'static>,
        before: Member<'static>,
        place: &Place,
        context: &mut UpgradeContext<'_>,
    ) -> Result {
        let (Some(known), Form::Objects(..), Form::Objects(..)) = (&self.known, now, before.form)
        else {
            return carry_back(value, now, before, place, context);
        };
        let found = |known: &Known| {
            (known.path == path && known.value == value).then(|| known.made.clone())
        };
        if let Some(made) = known.borrow().iter().find_map(found) {
            return made;
        }
        let made = carry_back(value.clone(), now, before, place, context);
        known.borrow_mut().push(Known {
            path: path.to_vec(),
            value,
            made: made.clone(),
        });
        made
    }
}
