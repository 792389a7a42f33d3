//! Declarative upgraders backwards: the prior object that a current one comes from.
//!
//! # The law
//!
//! Let *up* be an upgrader and *down* what is made of it here.
//!
//! - Where both of its verdicts ([`verdict`]) are *lossless*, `down(up(prior)) == prior` for every
//!   prior object that is upgraded, and `up(down(current)) == current` for every current object
//!   that is downgraded.
//! - Where only the verdict for the way down is *lossless*, the second half holds.
//! - Whatever the verdict, what `up(down(current))` and `current` differ in is what the older
//!   version cannot hold.
//!
//! The third is how a loss is found: [`downgrade`](crate::upgrade::downgrade) runs the upgrade
//! again and compares. So a mistake in an inverse can make a downgrade be refused, and it cannot
//! make a value disappear unnamed.
//!
//! # How
//!
//! Each production is followed from its last operator to its first, and each operator says what the
//! value before it was ([`Operation::undo`]). The value then goes to the prior attribute that it
//! came from. What the operators do not tell is guessed and tried.
//!
//! Guards (`only_if`) ask the prior object. They are read from what was put together of it; what
//! comes out is put together again by what they said, until they say the same. Only guards that ask
//! for what nothing gives back are guessed, and the guess counts whose upgrade gives the current
//! object. Nested objects are undone once for all guesses ([`Nested`]).

mod kept;
mod nested;
mod prior;
mod stage;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};

use super::condition;
use super::form::Objects;
use super::place::Place;
use super::row::starts_empty;
use super::run::{Before, run};
use super::table::{Condition, Operators, Path};
use crate::diagnostics::Diagnostics;
use crate::schema::{Members, Origin, Type};
use crate::upgrade::context::UpgradeContext;
use crate::value::{Unknown, Value};

use nested::Nested;
use prior::Draft;
pub(in crate::upgrade) use verdict::verdicts;

/// The largest number of undecided guards for which all guesses together are tried; of more guards,
/// each is tried for itself.
const MOST_GUARDS: usize = 6;

/// The prior state that a state of the current schema comes from, as far as the operators tell. The
/// caller checks it by an upgrade.
///
/// # Errors
/// A value that the operators make of no prior value.
pub(in crate::upgrade) fn downgrade_state(
    operators: &'static Operators,
    current: &Value,
    from: Members<'static>,
    to: Members<'static>,
    context: &mut UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    undo(
        operators,
        current,
        Objects::new(from, Origin::NONE),
        Objects::new(to, Origin::NONE),
        &Place::default(),
        context,
    )
}

/// The prior object that an object of the current schema comes from.
fn undo(
    operators: &'static Operators,
    current: &Value,
    from: Objects<'static>,
    to: Objects<'static>,
    place: &Place,
    context: &mut UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    let Value::Map(object) = current else {
        return Ok(current.clone());
    };
    let guards = guards(operators);
    let nested = Nested::new(!guards.is_empty());
    if guards.is_empty() {
        let (prior, errors) =
            Draft::new(operators, from, to, place, &nested).fill(object, &|_| true, context);
        return if errors.has_errors() {
            Err(errors)
        } else {
            Ok(Value::Map(prior))
        };
    }
    let ty = to.members.implied_type();
    let wanted = complete(current.clone(), to.members, &ty);
    let tried = BTreeSet::new();
    let mut guesses = Guesses {
        operators,
        object,
        wanted,
        ty,
        from,
        to,
        place,
        guards,
        nested,
        tried,
        best: None,
        refused: None,
    };
    guesses.find(context);
    match (guesses.best, guesses.refused) {
        (Some((_, prior)), _) => Ok(prior),
        (None, errors) => Err(errors.unwrap_or_default()),
    }
}

/// The search for the guards of an object's operators that held.
struct Guesses<'g> {
    operators: &'static Operators,
    object: &'g BTreeMap<String, Value>,
    /// The object, complete.
    wanted: Value,
    /// Its type.
    ty: Type,
    from: Objects<'static>,
    to: Objects<'static>,
    place: &'g Place,
    guards: Vec<Guard>,
    nested: Nested,
    /// For each guess, whether each guard held.
    tried: BTreeSet<Vec<bool>>,
    /// The prior object whose upgrade differs least, and in how many attributes.
    best: Option<(usize, Value)>,
    refused: Option<Diagnostics>,
}

/// A condition that operators act on. The same condition behind several operators holds for all of
/// them or for none.
struct Guard {
    /// The condition, in each place where it is written.
    conditions: Vec<&'static Condition>,
    /// True if it asks for something that nothing gives back for certain.
    is_open: bool,
}

impl Guesses<'_> {
    fn find(&mut self, context: &mut UpgradeContext<'_>) {
        let count = self.guards.len();
        if self.follow(vec![true; count], false, context)
            || self.follow(vec![false; count], false, context)
        {
            return;
        }
        let open: Vec<usize> = (0..)
            .zip(&self.guards)
            .filter(|(_, guard)| guard.is_open)
            .map(|(index, _)| index)
            .collect();
        let guess = |held: &dyn Fn(usize) -> bool| {
            let mut acts = vec![true; count];
            for (nth, index) in open.iter().enumerate() {
                if let Some(acts) = acts.get_mut(*index) {
                    *acts = held(nth);
                }
            }
            acts
        };
        if open.len() <= MOST_GUARDS {
            let _ = (0..1_u32 << open.len())
                .any(|bits| self.follow(guess(&|nth| bits & (1 << nth) == 0), true, context));
        } else {
            let each = (0..open.len()).flat_map(|other| [(other, true), (other, false)]);
            let _ = { each }.any(|(other, held)| {
                self.follow(guess(&|nth| (nth == other) == held), true, context)
            });
        }
    }

    /// Tries a guess, and then what the guards say of what came out, until they say nothing else.
    /// Says whether a prior object was found whose upgrade is the object.
    fn follow(
        &mut self,
        mut acts: Vec<bool>,
        keep_open: bool,
        context: &mut UpgradeContext<'_>,
    ) -> bool {
        // Each pass decides the guards that ask for what the one before gave back.
        for _ in 0..=self.guards.len() {
            if !self.tried.insert(acts.clone()) {
                return false;
            }
            let chosen = self.attempt(&acts, context);
            if matches!(self.best, Some((0, _))) {
                return true;
            }
            for ((guard, acts), chosen) in self.guards.iter().zip(&mut acts).zip(chosen) {
                if !(keep_open && guard.is_open) {
                    *acts = chosen;
                }
            }
        }
        false
    }

    /// Puts the prior object together as if these guards had held, and upgrades it. Gives what the
    /// guards say of it.
    fn attempt(&mut self, acts: &[bool], context: &mut UpgradeContext<'_>) -> Vec<bool> {
        let Self {
            operators,
            object,
            from,
            to,
            place,
            ..
        } = *self;
        let held = |condition: &'static Condition| {
            let is_it = |guard: &Guard| {
                guard
                    .conditions
                    .iter()
                    .any(|known| std::ptr::eq(*known, condition))
            };
            self.guards
                .iter()
                .zip(acts)
                .find(|(guard, _)| is_it(guard))
                .is_none_or(|(_, held)| *held)
        };
        let (prior, errors) =
            Draft::new(operators, from, to, place, &self.nested).fill(object, &held, context);
        let before = Before {
            prior: &prior,
            from,
        };
        let holds = |guard: &Guard| {
            guard
                .conditions
                .first()
                .is_none_or(|condition| condition::holds(condition, &before))
        };
        let chosen = self.guards.iter().map(holds).collect();
        if errors.has_errors() {
            self.refused.get_or_insert(errors);
            return chosen;
        }
        let prior = Value::Map(prior);
        #[cfg(test)]
        steps::add(&prior);
        let differences = match run(operators, prior.clone(), from, to, place, context) {
            Ok(again) => differences(&complete(again, to.members, &self.ty), &self.wanted),
            Err(_) => usize::MAX,
        };
        if self
            .best
            .as_ref()
            .is_none_or(|(fewest, _)| differences < *fewest)
        {
            self.best = Some((differences, prior));
        }
        chosen
    }
}

/// The conditions that operators act on, each once: two are the same if they are written the same.
fn guards(operators: &'static Operators) -> Vec<Guard> {
    let mut found: Vec<(String, Guard)> = Vec::new();
    for condition in operators
        .productions
        .iter()
        .flat_map(|production| production.stages)
        .filter_map(|stage| stage.only_if)
    {
        let text = format!("{condition:?}");
        if let Some((_, guard)) = found.iter_mut().find(|(known, _)| *known == text) {
            guard.conditions.push(condition);
        } else {
            let is_open = !condition
                .all_read()
                .all(|path| is_given_back(operators, path));
            found.push((
                text,
                Guard {
                    conditions: vec![condition],
                    is_open,
                },
            ));
        }
    }
    found.into_iter().map(|(_, guard)| guard).collect()
}

/// True if the value of a prior attribute comes back whatever the guards say: it stays under its
/// name, or operators without a guard take it elsewhere.
fn is_given_back(operators: &Operators, path: Path) -> bool {
    let is_free = |target: Path| {
        operators
            .productions
            .iter()
            .all(|production| production.target.first() != target.first())
    };
    let is_taken = operators.productions.iter().any(|production| {
        let source = production
            .stages
            .iter()
            .rev()
            .find_map(|stage| stage.operation.begins_with());
        let source = source.or((!starts_empty(production.stages)).then_some(production.target));
        source.is_some_and(|source| path.starts_with(source))
            && production
                .stages
                .iter()
                .all(|stage| stage.only_if.is_none())
    });
    let ends = operators
        .drops
        .iter()
        .any(|dropped| path.starts_with(dropped.path));
    is_taken || is_free(path) && !ends
}

/// A value with all that its schema says of it.
fn complete(mut value: Value, members: Members<'_>, ty: &Type) -> Value {
    if let Value::Map(object) = &mut value {
        for name in members.names() {
            members.settle_one(name, object);
        }
    }
    // A value that does not fit is left as it is, so that it differs.
    let _ = value.conform(ty, Unknown::Refuse);
    value
}

/// In how many attributes two objects differ.
fn differences(one: &Value, other: &Value) -> usize {
    let (Value::Map(one), Value::Map(other)) = (one, other) else {
        return usize::from(one != other);
    };
    let missing = other.keys().filter(|name| !one.contains_key(*name)).count();
    missing
        + one
            .iter()
            .filter(|(name, value)| other.get(*name) != Some(value))
            .count()
}

/// Counts the work done, in values that were looked at.
#[cfg(test)]
pub(in crate::upgrade) mod steps {
    use std::cell::Cell;

    use crate::value::Value;

    thread_local! {
        static TAKEN: Cell<usize> = const { Cell::new(0) };
    }

    /// Adds all values in this one.
    pub(super) fn add(value: &Value) {
        fn count(value: &Value) -> usize {
            1 + match value {
                Value::List(list) => list.iter().map(count).sum(),
                Value::Map(map) => map.values().map(count).sum(),
                Value::Null
                | Value::Unknown
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Dynamic(_) => 0,
            }
        }
        TAKEN.set(TAKEN.get() + count(value));
    }

    /// The count so far, which begins again.
    pub(in crate::upgrade) fn take() -> usize {
        TAKEN.replace(0)
    }
}
