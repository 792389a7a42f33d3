//! Declarative upgraders backwards: the prior object that a current one comes from.
//!
//! # The law
//!
//! Let *up* be an upgrader and *down* what is made of it here.
//!
//! - Where both of its verdicts ([`verdict`]) are *lossless*, `down(up(prior)) == prior` for every prior object that is upgraded, and
//!   `up(down(current)) == current` for every current object that is downgraded.
//! - Where only the verdict for the way down is *lossless*, the second half holds.
//! - Whatever the verdict, what `up(down(current))` and `current` differ in is what the older version cannot hold.
//!
//! The third is how a loss is found: [`downgrade`](crate::upgrade::downgrade) runs the upgrade again and compares. So a mistake in an inverse
//! can make a downgrade be refused, and it cannot make a value disappear unnamed.
//!
//! # How
//!
//! Each production is followed from its last operator to its first, and each operator says what the value before it was
//! ([`Operation::undo`]). The value then goes to the prior attribute that it came from. What the operators do not tell is guessed and
//! tried: of guards (`only_if`), which ask the prior object, the guess counts whose upgrade gives the current object.

mod kept;
mod prior;
mod stage;
mod verdict;

use super::form::Objects;
use super::place::Place;
use super::run::run;
use super::table::{Condition, Operators};
use crate::diagnostics::Diagnostics;
use crate::schema::Members;
use crate::upgrade::context::UpgradeContext;
use crate::value::{Unknown, Value};

use prior::Draft;
pub(in crate::upgrade) use verdict::verdicts;

/// So many guards are guessed each for itself; there are never so many in one object.
const MOST_GUARDS: usize = 6;

/// The prior object that an object of the current schema comes from, as far as the operators tell. Whether it does is for the caller to try.
///
/// # Errors
/// A value that the operators make of no prior value.
pub(in crate::upgrade) fn undo(
    operators: &'static Operators,
    current: Value,
    from: Objects<'static>,
    to: Objects<'static>,
    place: &Place,
    context: &mut UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    let Value::Map(object) = &current else { return Ok(current) };
    let guards = guards(operators);
    let guesses = 1_u32 << guards.len().min(MOST_GUARDS);
    let mut best: Option<(usize, Value)> = None;
    let mut refused = None;
    for guess in 0..guesses {
        let acts = |condition: &Condition| {
            let index = guards.iter().position(|known| *known == text(condition)).filter(|index| *index < MOST_GUARDS);
            index.is_none_or(|index| guess & (1 << index) == 0)
        };
        let prior = match Draft::new(operators, from, to, place).fill(object, &acts, context) {
            Ok(prior) => prior,
            Err(errors) => {
                refused.get_or_insert(errors);
                continue;
            }
        };
        if guards.is_empty() {
            return Ok(prior);
        }
        let differences = match run(operators, prior.clone(), from, to, place, context) {
            Ok(again) => differences(&complete(again, to.members), &complete(current.clone(), to.members)),
            Err(_) => usize::MAX,
        };
        if differences == 0 {
            return Ok(prior);
        }
        if best.as_ref().is_none_or(|(fewest, _)| differences < *fewest) {
            best = Some((differences, prior));
        }
    }
    match (best, refused) {
        (Some((_, prior)), _) => Ok(prior),
        (None, errors) => Err(errors.unwrap_or_default()),
    }
}

/// The conditions that operators act on, each once. The same condition behind several operators holds for all of them or for none.
fn guards(operators: &Operators) -> Vec<String> {
    let mut found = Vec::new();
    for condition in operators.productions.iter().flat_map(|production| production.stages).filter_map(|stage| stage.only_if) {
        let text = text(condition);
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

/// Two conditions are the same if they are written the same.
fn text(condition: &Condition) -> String {
    format!("{condition:?}")
}

/// A value with all that its schema says of it.
fn complete(mut value: Value, members: Members<'_>) -> Value {
    if let Value::Map(object) = &mut value {
        for name in members.names() {
            members.settle_one(name, object);
        }
    }
    // What does not fit is left as it is, and then differs.
    let _ = value.conform(&members.implied_type(), Unknown::Refuse);
    value
}

/// In how many attributes two objects differ.
fn differences(one: &Value, other: &Value) -> usize {
    let (Value::Map(one), Value::Map(other)) = (one, other) else { return usize::from(one != other) };
    let missing = other.keys().filter(|name| !one.contains_key(*name)).count();
    missing + one.iter().filter(|(name, value)| other.get(*name) != Some(value)).count()
}
