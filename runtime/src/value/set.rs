//! Sets: each element once, in the order that Terraform's own value library gives them.

use std::cmp::Ordering;

use super::Value;
use crate::schema::Type;

/// Drops repeated elements and puts the rest in order: strings by byte, numbers by value, false
/// before true, then unknown values, then nulls. Elements of other kinds keep the order they came
/// in, as nothing defines one.
///
/// Gives the number of elements dropped. Unknown values are never equal, so they all stay.
pub(crate) fn normalize(elements: &mut Vec<Value>) -> usize {
    let before = elements.len();
    if elements.iter().all(is_ordered) {
        elements.sort_by(compare);
        elements.dedup_by(|a, b| a == b && *a != Value::Unknown);
    } else {
        keep_first(elements);
    }
    before - elements.len()
}

/// Drops every element that occurs earlier already, and keeps the order.
fn keep_first(elements: &mut Vec<Value>) {
    let mut order: Vec<usize> = (0..elements.len()).collect();
    let at = |index: &usize| elements.get(*index).unwrap_or(&Value::Null);
    order.sort_by(|a, b| compare(at(a), at(b)).then(a.cmp(b)));
    let mut keep = vec![true; elements.len()];
    for pair in order.windows(2) {
        if let [first, second] = pair
            && at(first) == at(second)
            && !has_unknown(at(first))
            && let Some(keep) = keep.get_mut(*second)
        {
            *keep = false;
        }
    }
    let mut keep = keep.into_iter();
    elements.retain(|_| keep.next().unwrap_or(true));
}

/// Puts the elements of all sets in a value of this type in an order that tells nothing about how
/// they were stored.
pub(crate) fn arrange(value: &mut Value, ty: &Type) {
    match (value, ty) {
        (Value::List(elements), Type::Set(element)) => {
            for value in elements.iter_mut() {
                arrange(value, element);
            }
            elements.sort_by(compare);
        }
        (Value::List(elements), Type::List(element)) => elements
            .iter_mut()
            .for_each(|value| arrange(value, element)),
        (Value::List(elements), Type::Tuple(types)) => {
            elements
                .iter_mut()
                .zip(types.iter())
                .for_each(|(value, ty)| arrange(value, ty));
        }
        (Value::Map(entries), Type::Map(element)) => entries
            .values_mut()
            .for_each(|value| arrange(value, element)),
        (Value::Map(members), Type::Object(fields)) => {
            for field in fields.iter() {
                if let Some(value) = members.get_mut(field.name()) {
                    arrange(value, field.ty());
                }
            }
        }
        (Value::Dynamic(dynamic), _) => {
            let (ty, value) = &mut **dynamic;
            arrange(value, ty);
        }
        // Scalars, and what is not of its type.
        (
            Value::Null
            | Value::Unknown
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::List(_)
            | Value::Map(_),
            _,
        ) => {}
    }
}

/// The elements of a set that another one does not have. Both are [arranged](arrange); each
/// comparison takes an element off one of them.
pub(crate) fn missing<'v>(
    one: &'v [Value],
    other: &[Value],
    mut compare: impl FnMut(&Value, &Value) -> Ordering,
) -> Vec<&'v Value> {
    let mut other = other.iter().peekable();
    let is_missing = |element: &&'v Value| {
        while let Some(that) = other.peek() {
            match compare(element, that) {
                Ordering::Less => return true,
                Ordering::Equal => {
                    other.next();
                    return false;
                }
                Ordering::Greater => drop(other.next()),
            }
        }
        true
    };
    one.iter().filter(is_missing).collect()
}

fn is_ordered(value: &Value) -> bool {
    !matches!(value, Value::List(_) | Value::Map(_) | Value::Dynamic(_))
}

/// True if a value holds something unknown, at any depth.
pub(crate) fn has_unknown(value: &Value) -> bool {
    match value {
        Value::Unknown => true,
        Value::List(list) => list.iter().any(has_unknown),
        Value::Map(map) => map.values().any(has_unknown),
        Value::Dynamic(dynamic) => has_unknown(&dynamic.1),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Unknown values behind all known ones, nulls behind those; kinds that don't meet in one set stand
/// in any order.
fn rank(value: &Value) -> u8 {
    match value {
        Value::Bool(_) => 0,
        Value::Number(_) => 1,
        Value::String(_) => 2,
        Value::List(_) => 3,
        Value::Map(_) => 4,
        Value::Dynamic(_) => 5,
        Value::Unknown => 6,
        Value::Null => 7,
    }
}

pub(crate) fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Number(a), Value::Number(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::List(a), Value::List(b)) => {
            compare_all(a.iter().zip(b)).then(a.len().cmp(&b.len()))
        }
        (Value::Map(a), Value::Map(b)) => a
            .keys()
            .cmp(b.keys())
            .then_with(|| compare_all(a.values().zip(b.values()))),
        (Value::Dynamic(a), Value::Dynamic(b)) => {
            a.0.to_string()
                .cmp(&b.0.to_string())
                .then_with(|| compare(&a.1, &b.1))
        }
        _ => rank(a).cmp(&rank(b)),
    }
}

fn compare_all<'v>(mut pairs: impl Iterator<Item = (&'v Value, &'v Value)>) -> Ordering {
    pairs
        .find_map(|(a, b)| Some(compare(a, b)).filter(|order| order.is_ne()))
        .unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_kept_once_and_put_in_order() {
        let number = |text: &str| Value::Number(text.parse().unwrap());
        let mut set = vec![
            Value::Null,
            number("10"),
            Value::Unknown,
            number("9"),
            number("10.0"),
            Value::Unknown,
            Value::Null,
        ];
        assert_eq!(normalize(&mut set), 2);
        assert_eq!(
            set,
            [
                number("9"),
                number("10"),
                Value::Unknown,
                Value::Unknown,
                Value::Null
            ]
        );
        let mut set: Vec<Value> = ["b", "B", "é", "a", "b"].map(Value::from).into();
        assert_eq!(normalize(&mut set), 1);
        assert_eq!(set, ["B", "a", "b", "é"].map(Value::from));
        let object = |name: &str| Value::from_iter([("name".to_owned(), name.into())]);
        let mut set = vec![object("z"), object("a"), object("z")];
        assert_eq!(normalize(&mut set), 1);
        assert_eq!(set, [object("z"), object("a")]);
        // Unknown values are never equal, not even inside.
        let unknown = || Value::from_iter([("name".to_owned(), Value::Unknown)]);
        let mut set = vec![unknown(), object("a"), unknown(), object("a")];
        assert_eq!(normalize(&mut set), 1);
        assert_eq!(set, [unknown(), object("a"), unknown()]);
    }

    fn object(name: usize) -> Value {
        Value::from_iter([("name".to_owned(), Value::String(name.to_string()))])
    }

    #[test]
    fn what_one_set_has_and_another_has_not_takes_a_comparison_for_each_element() {
        for count in [0, 1, 100, 20_000] {
            let ty = Type::set(Type::object([crate::schema::Field::new(
                "name",
                Type::String,
            )]));
            let arranged = |value: Vec<Value>| {
                let mut value = Value::List(value);
                arrange(&mut value, &ty);
                value.as_list().unwrap().to_vec()
            };
            let all = arranged((0..count).map(object).collect());
            let most = arranged(
                (0..count)
                    .rev()
                    .filter(|index| index % 10 != 7)
                    .map(object)
                    .collect(),
            );
            let mut comparisons = 0;
            let mut counted = |a: &Value, b: &Value| {
                comparisons += 1;
                compare(a, b)
            };
            assert_eq!(missing(&all, &most, &mut counted).len(), count / 10);
            assert!(
                comparisons <= count,
                "{comparisons} comparisons of {count} elements"
            );
            assert!(missing(&most, &all, compare).is_empty());
        }
    }
}
