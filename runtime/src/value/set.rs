//! Sets: each element once, in the order that Terraform's own value library gives them.

use std::cmp::Ordering;

use super::Value;

/// Drops repeated elements and puts the rest in order: strings by byte, numbers by value, false before true, then unknown
/// values, then nulls. Elements of other kinds keep the order they came in, as nothing defines one.
///
/// Gives the number of elements dropped. Unknown values are never equal, so they all stay.
pub(crate) fn normalize(elements: &mut Vec<Value>) -> usize {
    let before = elements.len();
    if elements.iter().all(is_ordered) {
        elements.sort_by(compare);
        elements.dedup_by(|a, b| a == b && *a != Value::Unknown);
    } else {
        let mut kept: Vec<Value> = Vec::with_capacity(before);
        for element in elements.drain(..) {
            if element == Value::Unknown || !kept.contains(&element) {
                kept.push(element);
            }
        }
        *elements = kept;
    }
    before - elements.len()
}

fn is_ordered(value: &Value) -> bool {
    !matches!(value, Value::List(_) | Value::Map(_) | Value::Dynamic(_))
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Unknown => 1,
        Value::Null => 2,
        _ => 0,
    }
}

fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Number(a), Value::Number(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        _ => rank(a).cmp(&rank(b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_kept_once_and_put_in_order() {
        let number = |text: &str| Value::Number(text.parse().unwrap());
        let mut set = vec![Value::Null, number("10"), Value::Unknown, number("9"), number("10.0"), Value::Unknown, Value::Null];
        assert_eq!(normalize(&mut set), 2);
        assert_eq!(set, [number("9"), number("10"), Value::Unknown, Value::Unknown, Value::Null]);
        let mut set: Vec<Value> = ["b", "B", "é", "a", "b"].map(Value::from).into();
        assert_eq!(normalize(&mut set), 1);
        assert_eq!(set, ["B", "a", "b", "é"].map(Value::from));
        let object = |name: &str| Value::from_iter([("name".to_owned(), name.into())]);
        let mut set = vec![object("z"), object("a"), object("z")];
        assert_eq!(normalize(&mut set), 1);
        assert_eq!(set, [object("z"), object("a")]);
    }
}
