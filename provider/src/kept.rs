//! Keeps the original spelling of values that a model's types normalize.
//!
//! Terraform wants an answer to be digit for digit and letter for letter what was planned, and
//! stored state to stay as it is. A model cannot give everything back like that: a float has no
//! third, and an address has one spelling. Where the answer holds what the model makes of the value
//! before, it means the value before.

use upstate::codec::Encoding;
use upstate::meaning;
use upstate::schema::{Block, Type};
use upstate::{Object, Value};

use crate::plan::{self, Filled, has_unknown};

/// A value, and what a model makes of it.
pub(crate) struct Kept {
    before: Value,
    round: Value,
    /// True if it holds strings that are compared without case: an answer has them as they are, and
    /// is compared by what the model makes of it.
    caseless: bool,
    round_trip: fn(&Value, &Type) -> Option<Value>,
}

impl Kept {
    /// For an answer of the model `T` to `before`; nothing if the model gives all of it back as it
    /// is.
    ///
    /// `model` is made of `before`. Write-only values are part of no answer.
    pub(crate) fn of<T: Object>(
        before: &Value,
        model: &T,
        block: &Block,
        ty: &Type,
    ) -> Option<Self> {
        let (round, caseless) = encoded(model, ty)?;
        if is(before, &round) && !caseless {
            return None;
        }
        let mut before = before.clone();
        plan::merge_write_only(block, &Value::Null, &mut before);
        Some(Self {
            before,
            round,
            caseless,
            round_trip: round_trip::<T>,
        })
    }

    /// That, where `before` was sent as these bytes: quicker if the model gives them back.
    pub(crate) fn of_sent<T: Object>(
        sent: &[u8],
        before: &Value,
        model: &T,
        block: &Block,
        ty: &Type,
    ) -> Option<Self> {
        match meaning::compared(|| upstate::to_msgpack(model)) {
            (Ok(again), false) if again == sent => None,
            _ => Self::of(before, model, block, ty),
        }
    }

    /// For a state that an upgrade made of a stored one: what of it reads as the model `T` does, if
    /// anything.
    ///
    /// A null stays what the answer has. Of an older version, so does what the model makes null: an
    /// upgrade may have been made for that, and older releases stored empty strings where nothing
    /// was set.
    pub(crate) fn stored<T: Object>(
        stored: Value,
        current: bool,
        block: &Block,
        ty: &Type,
    ) -> Option<Self> {
        let mut before = stored;
        plan::merge_write_only(block, &Value::Null, &mut before);
        let (mut round, caseless) = encoded(&plan::fill_stored::<T>(&before, ty).ok()?.model, ty)?;
        if is(&before, &round) && !caseless {
            return None;
        }
        forget_nulls(&mut before, &mut round, !current);
        Some(Self {
            before,
            round,
            caseless,
            round_trip: round_trip::<T>,
        })
    }

    /// Puts back into an answer, as `MessagePack`, what was there before and means the same.
    pub(crate) fn put_back(&self, answer: Vec<u8>, ty: &Type) -> Vec<u8> {
        let Ok(mut value) = Value::from_msgpack(&answer, ty) else {
            return answer;
        };
        let again = |before: Value| (self.round_trip)(&before, ty);
        let compared = if self.caseless {
            again(value.clone())
        } else {
            Some(value.clone())
        };
        let Some(compared) = compared else {
            return answer;
        };
        put_back(&mut value, &compared, &self.before, &self.round, ty, &again);
        // Because an element of a set may be another one now.
        let fillers = plan::fillers_in(&self.round, &self.before);
        if !fillers.is_empty() {
            plan::forget_fillers(&mut value, ty, &fillers);
        }
        value.encode(ty, Encoding::Msgpack).unwrap_or(answer)
    }
}

/// A model as it is compared with others, and whether something in it is compared without case.
fn encoded<T: Object>(model: &T, ty: &Type) -> Option<(Value, bool)> {
    let (encoded, caseless) = meaning::compared(|| upstate::to_msgpack(model));
    Some((Value::from_msgpack(&encoded.ok()?, ty).ok()?, caseless))
}

/// The model's form of a value, to be compared.
pub(crate) fn round_trip<T: Object>(before: &Value, ty: &Type) -> Option<Value> {
    let Filled { model, .. } = plan::fill_stored::<T>(before, ty).ok()?;
    encoded(&model, ty).map(|(value, _)| value)
}

/// True if a value is what is expected, wherever that is known.
fn is(expected: &Value, value: &Value) -> bool {
    match (expected, value) {
        (Value::Unknown, _) => true,
        (Value::List(expected), Value::List(values)) => {
            expected.len() == values.len()
                && expected
                    .iter()
                    .zip(values)
                    .all(|(expected, value)| is(expected, value))
        }
        (Value::Map(expected), Value::Map(values)) => {
            expected.len() == values.len()
                && expected.iter().all(|(name, expected)| {
                    values.get(name).is_some_and(|value| is(expected, value))
                })
        }
        (expected, value) => expected == value,
    }
}

/// Makes unknown what was null before and, if `made`, what the model makes null.
fn forget_nulls(before: &mut Value, round: &mut Value, made: bool) {
    match (before, round) {
        (Value::Map(before), Value::Map(round)) => {
            for (name, before) in before {
                if let Some(round) = round.get_mut(name) {
                    forget_nulls(before, round, made);
                }
            }
        }
        (Value::List(before), Value::List(round)) if before.len() == round.len() => {
            before
                .iter_mut()
                .zip(round)
                .for_each(|(before, round)| forget_nulls(before, round, made));
        }
        (before, round) if before.is_null() != round.is_null() && (before.is_null() || made) => {
            *before = Value::Unknown;
            *round = Value::Unknown;
        }
        _ => {}
    }
}

/// The model's value at a place if another value is there.
type Again<'a> = &'a dyn Fn(Value) -> Option<Value>;

/// `compared` is what the model makes of the answer.
fn put_back(
    answer: &mut Value,
    compared: &Value,
    before: &Value,
    round: &Value,
    ty: &Type,
    again: Again<'_>,
) {
    if compared == round && !has_unknown(before) {
        *answer = before.clone();
        return;
    }
    match (answer, compared, before, round) {
        (Value::Map(answers), Value::Map(compared), Value::Map(befores), Value::Map(rounds)) => {
            let members = Members { befores, rounds };
            if let Type::Object(fields) = ty {
                for field in fields.iter() {
                    in_member(field.name(), field.ty(), answers, compared, &members, again);
                }
            } else if let Type::Map(ty) = ty {
                for key in befores.keys() {
                    in_member(key, ty, answers, compared, &members, again);
                }
            }
        }
        (
            Value::List(answers),
            Value::List(compared),
            Value::List(befores),
            Value::List(rounds),
        ) => {
            let as_many = befores.len() == rounds.len();
            if let Type::Set(ty) = ty {
                in_set(answers, compared, befores, rounds, ty, again);
            } else if let (Type::List(ty), true) = (ty, as_many) {
                let types = std::iter::repeat(&**ty);
                in_elements(answers, compared, befores, rounds, types, again);
            } else if let (Type::Tuple(types), true) = (ty, as_many) {
                let types = types.iter().map(|ty| &**ty);
                in_elements(answers, compared, befores, rounds, types, again);
            }
        }
        _ => {}
    }
}

type Map = std::collections::BTreeMap<String, Value>;

/// Members before, and what the model makes of them.
struct Members<'v> {
    befores: &'v Map,
    rounds: &'v Map,
}

fn in_member(
    name: &str,
    ty: &Type,
    answers: &mut Map,
    compared: &Map,
    members: &Members<'_>,
    again: Again<'_>,
) {
    let Members { befores, rounds } = members;
    let (Some(answer), Some(compared)) = (answers.get_mut(name), compared.get(name)) else {
        return;
    };
    let (Some(before), Some(round)) = (befores.get(name), rounds.get(name)) else {
        return;
    };
    let again = |value: Value| {
        let mut befores = (*befores).clone();
        befores.insert(name.to_owned(), value);
        match again(Value::Map(befores))? {
            Value::Map(mut rounds) => rounds.remove(name),
            _ => None,
        }
    };
    put_back(answer, compared, before, round, ty, &again);
}

fn in_elements<'t>(
    answers: &mut [Value],
    compared: &[Value],
    befores: &[Value],
    rounds: &[Value],
    types: impl Iterator<Item = &'t Type>,
    again: Again<'_>,
) {
    let elements = answers
        .iter_mut()
        .zip(compared)
        .zip(befores)
        .zip(rounds)
        .zip(types)
        .enumerate();
    for (index, ((((answer, compared), before), round), ty)) in elements {
        let again = |value: Value| {
            let befores = befores.iter().enumerate().map(|(at, before)| {
                if at == index {
                    value.clone()
                } else {
                    before.clone()
                }
            });
            match again(Value::List(befores.collect()))? {
                Value::List(mut rounds) if index < rounds.len() => Some(rounds.swap_remove(index)),
                _ => None,
            }
        };
        put_back(answer, compared, before, round, ty, &again);
    }
}

/// Elements of a set stand in an order of their values, which the model may have changed: each is
/// asked for on its own.
fn in_set(
    answers: &mut [Value],
    compared: &[Value],
    befores: &[Value],
    rounds: &[Value],
    ty: &Type,
    again: Again<'_>,
) {
    let alone = |value: Value| match again(Value::List(vec![value]))? {
        Value::List(mut rounds) if rounds.len() == 1 => rounds.pop(),
        _ => None,
    };
    let as_written = *answers == *compared;
    let open = answers
        .iter_mut()
        .filter(|answer| !befores.contains(answer));
    let mut open: Vec<(&mut Value, Value)> = open
        .map(|answer| {
            let compared = if as_written {
                None
            } else {
                alone(answer.clone())
            };
            let compared = compared.unwrap_or_else(|| answer.clone());
            (answer, compared)
        })
        .collect();
    for before in befores
        .iter()
        .filter(|before| !as_written || !rounds.contains(before))
    {
        let Some(round) = alone(before.clone()) else {
            continue;
        };
        if let Some(found) = open
            .iter()
            .position(|(_, compared)| agrees(before, &round, compared))
        {
            let (answer, compared) = open.swap_remove(found);
            put_back(answer, &compared, before, &round, ty, &alone);
        }
    }
}

/// True if an answer is what the model made, except where nothing was known before.
fn agrees(before: &Value, round: &Value, answer: &Value) -> bool {
    match (before, round, answer) {
        (Value::Unknown, ..) => true,
        (Value::Map(before), Value::Map(round), Value::Map(answer)) => {
            before.iter().all(|(name, before)| {
                round
                    .get(name)
                    .zip(answer.get(name))
                    .is_some_and(|(round, answer)| agrees(before, round, answer))
            })
        }
        (_, round, answer) => round == answer,
    }
}

#[cfg(test)]
mod tests;
